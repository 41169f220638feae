//! Numbered pins of the bookmarks, painted over the view at their world positions.

use egui::{Align2, FontId, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::Vec3;

use crate::viewer::commands::Action;
use crate::viewer::state::State;
use crate::viewer::state::bookmarks::Bookmark;
use crate::viewer::theme;
use crate::viewer::view::measure::on_screen;
use crate::viewer::view::shown::Revision;
use mapscope_scene::Document;

/// Radius of the head of a pin, in points.
const RADIUS: f32 = 9.0;
/// Height of the head's centre above the place, in points.
const HEIGHT: f32 = 19.0;

/// The pins of the open file's bookmarks, cached until the bookmarks or their places change.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    /// Cache key: the revision of the visible state, and the load.
    of: Option<(Revision, u64)>,
    bookmarks: Vec<Bookmark>,
    /// Place of each bookmark in world space, if it has one in the visible level.
    places: Vec<Option<Vec3>>,
}

impl Pins {
    /// Paints the pins over the view in `rect`. Returns the command of the clicked one, if any.
    pub(crate) fn ui(
        &mut self,
        ui: &Ui,
        rect: Rect,
        state: &State,
        document: &dyn Document,
    ) -> Option<Action> {
        let bookmarks = state.bookmarks();
        if bookmarks.is_empty() || !state.settings.bookmark_pins {
            return None;
        }
        let (view, version) = (&state.session.view, state.versions);
        let of = Some((view.shown.revision(), version));
        if self.of != of || self.bookmarks != bookmarks {
            (self.of, self.bookmarks) = (of, bookmarks.to_vec());
            let places = bookmarks
                .iter()
                .map(|it| it.view.place(document, &view.shown));
            self.places = places.collect();
        }
        let mut clicked = None;
        let mut heads: Vec<Pos2> = Vec::new();
        for (Bookmark { number, name, .. }, place) in self.bookmarks.iter().zip(&self.places) {
            let on_screen = place.and_then(|place| on_screen(&view.camera, place, rect));
            let Some(tip) = on_screen.filter(|tip| rect.contains(*tip)) else {
                continue;
            };
            let mut head = tip - vec2(0.0, HEIGHT);
            // Pins at one place stand side by side.
            while heads
                .iter()
                .any(|other| other.distance(head) < 2.0 * RADIUS)
            {
                head.x += 2.0 * RADIUS + 1.0;
            }
            heads.push(head);
            let area = Rect::from_center_size(head, egui::Vec2::splat(2.0 * RADIUS));
            // Its key is the number, so Tab does not stop here.
            let pin = ui.interact(
                area.intersect(rect),
                ui.scope_id().with(("pin", number)),
                Sense::CLICK,
            );
            let label = format!("Bookmark {number}: {name}");
            pin.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
            let painter = ui.painter().with_clip_rect(rect);
            let (ink, paper) = (theme::ACCENT.of(ui.ctx()), theme::DEEP.of(ui.ctx()));
            let [fill, text] = if pin.hovered() {
                [ink, paper]
            } else {
                [paper, ink]
            };
            let line = Stroke::new(1.5, ink);
            let side = |x: f32| pos2(head.x + x, head.y + RADIUS * 0.8);
            let point = vec![tip, side(RADIUS * 0.6), side(RADIUS * -0.6)];
            painter.add(Shape::convex_polygon(point, ink, Stroke::NONE));
            painter.circle(head, RADIUS, fill, line);
            let font = FontId::proportional(12.0);
            painter.text(head, Align2::CENTER_CENTER, number, font, text);
            if pin.on_hover_text(label).clicked() {
                clicked = Some(Action::Bookmark(*number));
            }
        }
        clicked
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use glam::Vec3;

    use crate::viewer::commands::find;
    use crate::viewer::testing::{Window, document, loaded, state, window};
    use mapscope_scene::TerrainItem;
    use mapscope_scene::camera::Pose;

    fn run(h: &mut Harness<'_, Window>, id: &str) {
        h.state_mut().state.run(find(id).unwrap().action);
        h.run();
    }

    fn look(h: &mut Harness<'_, Window>, eye: Vec3, target: Vec3) {
        h.state_mut().state.session.view.camera.pose = Pose { eye, target };
        h.run();
    }

    #[test]
    fn a_pin_stands_at_the_place_of_its_bookmark_and_a_click_returns_there() {
        let mut h = window(|state| state.loaded(loaded(document(), false)));
        let (eye, target) = (Vec3::new(0.0, 60.0, 60.0), Vec3::ZERO);
        look(&mut h, eye, target);
        let tile = TerrainItem::Tile { row: 1, col: 7 }.into();
        h.state_mut().state.session.select(Some(tile));
        run(&mut h, "bookmark.add");
        h.state_mut().state.session.select(None);
        run(&mut h, "bookmark.add");
        let view = h.state().placed.viewport.unwrap();
        let pin = h.get_by_label("Bookmark 2: View 2").rect();
        assert!((pin.center().x - view.center().x).abs() < 1.0, "{pin:?}");
        assert!(pin.bottom() < view.center().y && pin.bottom() > view.center().y - 20.0);
        // The other one is at its tile, which is out of sight.
        assert!(h.query_by_label("Bookmark 1: tile 1 7").is_none());
        let shown = &state(&h).session.view.shown;
        let bounds = state(&h)
            .session
            .document()
            .unwrap()
            .place(tile, shown)
            .bounds;
        let at = bounds.unwrap().center();
        look(&mut h, at + eye, at);
        let pin = h.get_by_label("Bookmark 1: tile 1 7").rect();
        assert!((pin.center().x - view.center().x).abs() < 1.0, "{pin:?}");
        h.get_by_label("Bookmark 1: tile 1 7").click();
        h.run();
        assert_eq!(state(&h).session.view.camera.pose, Pose { eye, target });
        assert_eq!(state(&h).session.view.shown.selected, Some(tile));
        // Nothing is behind the camera, and the switch hides all.
        look(&mut h, eye, eye * 2.0);
        assert!(h.query_by_label("Bookmark 2: View 2").is_none());
        look(&mut h, eye, target);
        h.get_by_label("Bookmark 2: View 2");
        run(&mut h, "bookmark.pins");
        assert!(h.query_by_label("Bookmark 2: View 2").is_none());
    }
}
