//! Playback of the open document: applies commands and the timeline to the playhead.

use std::time::Duration;

use super::player::Transition;
use super::session::Session;
use crate::view_request::ViewRequest;
use crate::viewer::state::State;
use mapscope_scene::{ClipInfo, Item, OverlayId};

impl Session {
    /// The clips of the open document.
    pub(crate) fn clips(&self) -> &[ClipInfo] {
        let animation = self.document().and_then(|document| document.animation());
        animation.map_or(&[], |animation| animation.clips())
    }

    /// Starts playback with the current clip and the requested frame.
    pub(crate) fn start_clip(&mut self, request: &ViewRequest) {
        let clip = self
            .view
            .shown
            .playhead
            .clip
            .and_then(|clip| self.clip_of_length(clip));
        self.player.choose(clip);
        self.take_rates();
        let plays = request.frame.is_none() && self.plays_at_once;
        self.player.set_playing(plays);
        if let Some(frame) = request.frame {
            let lies_between = frame.fract() > 0.0;
            self.player
                .set_smooth(self.player.is_smooth() || lies_between);
            self.player.seek(f64::from(frame));
        }
        self.show_moment();
    }

    /// A clip's index and number of frames, if it exists.
    pub(crate) fn clip_of_length(&self, index: usize) -> Option<(usize, u32)> {
        self.clips().get(index).map(|clip| (index, clip.frames))
    }

    /// `true` if the current clip is a clock for other clips and has no motion of its own.
    pub(crate) fn plays_clock(&self) -> bool {
        let clip = self.player.clip().and_then(|clip| self.clips().get(clip));
        clip.is_some_and(|clip| clip.is_clock)
    }

    /// Advances playback to a time in seconds. Returns the delay until the next update.
    pub(crate) fn play_until(&mut self, now_secs: f64) -> Option<Duration> {
        let next = self.player.tick(now_secs);
        self.show_moment();
        next
    }

    /// Applies the player's playhead to the view.
    pub(crate) fn show_moment(&mut self) {
        let playhead = self.player.playhead();
        if self.view.shown.playhead != playhead {
            self.player.reveal_position();
            self.view.shown.set_playhead(playhead);
        }
    }

    /// Changes the player, and shows its playhead.
    pub(crate) fn change_player(&mut self, change: impl FnOnce(&mut super::player::Player)) {
        change(&mut self.player);
        self.show_moment();
    }

    /// Goes to a frame while the pointer drags the timeline.
    pub(crate) fn scrub(&mut self, frame: f64) {
        self.change_player(|player| player.scrub(frame));
    }

    /// Pauses at a frame of the clip.
    pub(crate) fn go_to_frame(&mut self, frame: f64) {
        self.change_player(|player| {
            player.set_playing(false);
            player.seek(frame);
        });
    }

    /// `true` if the open document is a model with joints.
    pub(crate) fn has_joints(&self) -> bool {
        self.offers_overlay(OverlayId::JointWeights)
    }

    /// `true` if a transition from the clip to another one can be previewed.
    pub(crate) fn offers_transition(&self) -> bool {
        self.has_joints() && self.clips().len() > 1 && self.player.clip().is_some()
    }

    /// Previews a transition to a clip in the given time, or ends the preview.
    pub(crate) fn set_transition(&mut self, to: Option<(usize, f64)>) {
        let transition = to
            .filter(|_| self.offers_transition())
            .and_then(|(clip, secs)| {
                let (clip, frames) = self.clip_of_length(clip)?;
                Some(Transition { clip, frames, secs })
            });
        self.change_player(|player| player.set_transition(transition));
    }

    /// Shows the start of a clip, or the bind pose.
    pub(crate) fn choose_clip(&mut self, index: Option<usize>) {
        let clip = index.and_then(|index| self.clip_of_length(index));
        self.player.choose(clip);
        self.take_rates();
        self.show_moment();
    }

    /// Plays the clip at the frame rates of its file, if it has any.
    pub(crate) fn take_rates(&mut self) {
        let clip = self.player.clip();
        let rates = clip.and_then(|clip| Some(self.clips().get(clip)?.rates.clone()));
        self.player.set_rates(&rates.unwrap_or_default());
    }

    /// Shows the clip of an item, if the item is a clip.
    pub(crate) fn choose_clip_of(&mut self, item: Item) {
        let index = self.clips().iter().position(|clip| clip.item == item);
        if index.is_some() && index != self.player.clip() {
            self.choose_clip(index);
        }
    }
}

impl State {
    /// Shows the next or the previous clip, cyclically.
    pub(crate) fn step_clip(&mut self, backwards: bool) {
        let Some(last) = self.session.clips().len().checked_sub(1) else {
            return;
        };
        let next = match (self.session.player.clip(), backwards) {
            (None | Some(0), true) => last,
            (Some(index), true) => index - 1,
            (Some(index), false) if index < last => index + 1,
            (_, false) => 0,
        };
        self.session.choose_clip(Some(next));
        if !self.settings.timeline.shown
            && let Some(clip) = self.session.clips().get(next)
        {
            // Without the timeline, the clip's name is not visible elsewhere.
            let text = clip.name.clone();
            self.notices.toast(text, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::settings::Settings;
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::{Action, Request, Surroundings, find};
    use crate::viewer::state::player::LoopMode;
    use crate::viewer::testing::{document, level, loaded, model, moving};
    use mapscope_formats::{Place, Problem, Subject};
    use mapscope_scene::{
        Document, Flaw, LevelItem, ModelItem, OpenOptions, Playhead, Progress, Source,
    };

    #[test]
    fn the_command_line_says_what_is_shown_first() {
        let begin = |clip: Option<&str>, frame| {
            let request = ViewRequest {
                clip: clip.map(str::to_owned),
                frame,
                ..ViewRequest::default()
            };
            let mut state = State::new(Settings::default(), request);
            let document = || moving(&[("Walk", 32), ("Idle", 10)]);
            state.loaded(loaded(document(), false));
            let first = state.session.view.shown.playhead;
            let (playing, has_toast) = (
                state.session.player.is_playing(),
                !state.notices.toasts.is_empty(),
            );
            // The request applies only to the first file.
            state.loaded(loaded(document(), false));
            assert_eq!(state.session.view.shown.playhead, Playhead::at_frame(0, 0));
            (first.clip, first.frame, playing, has_toast)
        };
        assert_eq!(begin(None, None), (Some(0), 0.0, true, false));
        assert_eq!(begin(Some("Idle"), None), (Some(1), 0.0, true, false));
        assert_eq!(begin(Some("Idle"), Some(4.0)), (Some(1), 4.0, false, false));
        assert_eq!(begin(Some("Idle"), Some(99.0)), (Some(1), 9.0, false, true));
        assert_eq!(begin(Some("Fly"), None), (Some(0), 0.0, true, true));
        assert_eq!(begin(Some("none"), None), (None, 0.0, false, false));
    }

    #[test]
    fn how_something_plays_belongs_to_its_document() {
        let clips = |reload| loaded(moving(&[("Walk", 32)]), reload);
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(clips(false));
        state.run(find("animation.play").unwrap().action);
        state.session.change_player(|player| {
            player.set_speed(0.05);
            player.set_fps(60.0);
            player.set_loop_mode(LoopMode::PingPong);
            player.set_smooth(true);
        });
        let kept = |state: &State| {
            let player = &state.session.player;
            (
                player.is_playing(),
                player.speed(),
                player.fps(),
                player.loop_mode(),
            )
        };
        let changed = kept(&state);
        assert_eq!(changed, (false, 0.05, 60.0, LoopMode::PingPong));
        state.loaded(clips(true));
        assert_eq!(kept(&state), changed, "it is the same document");
        state.loaded(clips(false));
        assert_eq!(kept(&state), (true, 1.0, 24.0, LoopMode::Loop));
        assert!(state.session.player.is_smooth(), "that is a taste");
    }

    #[test]
    fn a_problem_in_a_frame_goes_to_that_frame() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(with_wrong_bounds(), false));
        assert!(state.session.player.is_playing());
        let document = state.session.document().unwrap();
        let differs = document
            .about()
            .problems
            .iter()
            .find(|problem| problem.rule.id == "pfobj/bounds-differ");
        let target = document.problem_target(differs.unwrap());
        state.request(Request::ShowProblem(target));
        let clip = ModelItem::Clip { index: 0 };
        assert_eq!(state.session.view.shown.selected, Some(clip.into()));
        assert_eq!(state.session.view.shown.playhead, Playhead::at_frame(0, 1));
        assert!(
            !state.session.player.is_playing(),
            "it would be gone at once"
        );
        assert!(
            state
                .session
                .view
                .shown
                .overlays
                .contains(OverlayId::FrameBounds)
        );
    }

    #[test]
    fn a_problem_of_triangles_shows_the_overlay_that_marks_them_and_leads_through_them() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(reversed(), false));
        let document = state.session.document().unwrap();
        let problems = &document.about().problems;
        let of_rule = |it: &&Problem| it.rule.id == "pfobj/reversed-triangles";
        let problem = problems.iter().find(of_rule).unwrap();
        let target = document.problem_target(problem);
        state.request(Request::ShowProblem(target));
        let flaw = Flaw::Reversed;
        let all = Some(Item::from(ModelItem::Flaw { flaw }));
        assert_eq!(state.session.view.shown.selected, all);
        let overlays = &state.session.view.shown.overlays;
        assert!(overlays.contains(OverlayId::ReversedTriangles));
        let triangle = |index| Some(Item::from(ModelItem::Triangle { index }));
        let next = find("select.next").unwrap().action;
        for expected in [0, 2, 0] {
            state.run(next);
            assert_eq!(state.session.view.shown.selected, triangle(expected));
        }
    }

    #[test]
    fn a_problem_of_one_triangle_turns_the_camera_to_its_front() {
        let vertex =
            |place: &str, normal: &str| format!("v {place}\nvt 0 0\nvn {normal}\nvw \nvm 0\n");
        // One triangle faces the eye. The other one has a normal of length 0 and faces away.
        let [a, b, c] = ["0 0 0", "1 0 0", "0 1 0"].map(|place| vertex(place, "0 0 1"));
        let [d, e] = ["0 0 -1", "1 0 -1"].map(|place| vertex(place, "0 0 -1"));
        let f = vertex("0 1 -1", "0 0 0");
        let text = format!(
            "version 1.0\nnum_verts 6\nnum_joints 0\nnum_materials 1\nnum_as 0\nframe_counts \n\
             has_collision 1\n{a}{b}{c}{d}{f}{e}material Skin\nambient 1\ndiffuse 1 1 1\n\
             specular 0 0 0\ntexture skin.png\nx_bounds 0 1\ny_bounds 0 1\nz_bounds -1 0\n"
        );
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(opened("turned.pfobj", &text), false));
        state.session.shape_view(1.5);
        state
            .session
            .apply_pose("0.5,0.5,4,0.5,0.5,-0.5".parse().unwrap());
        let document = state.session.document().unwrap();
        let problem = document
            .about()
            .problems
            .iter()
            .find(|it| it.rule.id == "pfobj/zero-normal");
        let target = document.problem_target(problem.unwrap());
        state.request(Request::ShowProblem(target));
        let flaw = Flaw::NoNormal;
        let item = Some(Item::from(ModelItem::Flaw { flaw }));
        assert_eq!(state.session.view.shown.selected, item);
        let eye = state.session.view.camera.pose.eye;
        assert!(eye.z < -1.0, "{eye}");
    }

    /// Three triangles. The first and the last have reversed winding.
    fn reversed() -> Arc<dyn Document> {
        let vertex = |place: &str| format!("v {place}\nvt 0 0\nvn 0 0 1\nvw \nvm 0\n");
        let [a, b, c] = ["0 0 0", "1 0 0", "0 1 0"].map(vertex);
        let vertices = [&a, &c, &b, &a, &b, &c, &a, &c, &b].map(String::as_str);
        let text = format!(
            "version 1.0\nnum_verts 9\nnum_joints 0\nnum_materials 1\nnum_as 0\nframe_counts \n\
             has_collision 1\n{}material Skin\nambient 1\ndiffuse 1 1 1\nspecular 0 0 0\n\
             texture skin.png\nx_bounds 0 1\ny_bounds 0 1\nz_bounds 0 0\n",
            vertices.concat()
        );
        opened("reversed.pfobj", &text)
    }

    #[test]
    fn a_problem_of_the_bind_pose_goes_there() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(with_wrong_bounds(), false));
        let document = state.session.document().unwrap();
        let problem = Problem::new(
            mapscope_scene::rules().next().unwrap(),
            Subject::BindBounds,
            Place::line(1),
            "the bounds of the bind pose are wrong",
        );
        let target = document.problem_target(&problem);
        state.request(Request::ShowProblem(target));
        assert_eq!(
            state.session.view.shown.selected,
            Some(ModelItem::Model.into())
        );
        assert_eq!(state.session.player.clip(), None);
        assert!(
            state
                .session
                .view
                .shown
                .overlays
                .contains(OverlayId::BindBounds)
        );
    }

    /// A triangle with a clip of two frames. The second frame declares bounds that are too large.
    fn with_wrong_bounds() -> Arc<dyn Document> {
        let vertex = |place: &str| format!("v {place}\nvt 0 0\nvn 0 0 1\nvw 0/1\nvm 0\n");
        let vertices = ["0 0 0", "1 0 0", "0 1 0"].map(vertex).concat();
        let frame = |x: &str| {
            format!("1 1/1/1 0/0/0/1 0/0/0\nx_bounds 0 {x}\ny_bounds 0 1\nz_bounds 0 0\n")
        };
        let text = format!(
            "version 1.0\nnum_verts 3\nnum_joints 1\nnum_materials 1\nnum_as 1\n\
             frame_counts 2\nhas_collision 1\n{vertices}material Skin\nambient 1\n\
             diffuse 1 1 1\nspecular 0 0 0\ntexture skin.png\n\
             j 0 root 1/1/1 0/0/0/1 0/0/0 0/1/0\nas Wave 2\n{}{}\
             x_bounds 0 1\ny_bounds 0 1\nz_bounds 0 0\n",
            frame("1"),
            frame("7"),
        );
        opened("wave.pfobj", &text)
    }

    /// Opens a textured model from text.
    fn opened(name: &str, text: &str) -> Arc<dyn Document> {
        let source = Source {
            path: name.into(),
            bytes: text.as_bytes().to_vec().into(),
            embedded: &[(
                "skin.png",
                include_bytes!("../../../tests/goldens/shadow.png"),
            )],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        mapscope_scene::open(&source, &options, &progress).unwrap()
    }

    #[test]
    fn joints_have_words_of_their_own_and_are_stepped_through() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        let name = |state: &State, id| {
            let command = find(id).unwrap();
            (
                state.name_and_help(command)[0],
                state.is_enabled(command.action),
            )
        };
        assert!(!name(&state, "select.north").1, "nothing is selected");
        assert!(!name(&state, "select.next").1);
        let joint = |index| Some(Item::from(ModelItem::Joint { index }));
        state.session.select(joint(0));
        assert_eq!(
            name(&state, "select.north"),
            ("Parent joint", false),
            "a root"
        );
        assert_eq!(name(&state, "select.south"), ("First child joint", true));
        assert_eq!(
            name(&state, "select.next"),
            ("Select next of its kind", true)
        );
        for index in [1, 2] {
            state.run(Action::NextOfKind { backwards: false });
            assert_eq!(state.session.view.shown.selected, joint(index));
        }
        state.loaded(loaded(level(), false));
        let [level, chunk, cube] = [0, 0, 1];
        state
            .session
            .select(Some(LevelItem::Cube { level, chunk, cube }.into()));
        assert_eq!(name(&state, "select.north").0, "Neighbour toward +Z");
        assert_eq!(name(&state, "camera.north").0, "View from +Z");
    }

    #[test]
    fn shadows_are_shown_until_they_are_switched_off() {
        let shadows = Action::Surroundings(Surroundings::Shadows);
        let request = ViewRequest {
            no_shadows: true,
            ..ViewRequest::default()
        };
        for (request, on) in [(ViewRequest::default(), true), (request, false)] {
            let mut state = State::new(Settings::default(), request);
            assert!(!state.is_enabled(shadows), "nothing is open");
            state.loaded(loaded(document(), false));
            assert!(state.is_enabled(shadows));
            assert_eq!(state.is_on(shadows), Some(on));
            assert_eq!(state.session.view.shown.hides_shadows, !on);
            state.run(shadows);
            assert_eq!(state.is_on(shadows), Some(!on));
        }
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        assert!(!state.is_enabled(shadows), "a model stands in a studio");
    }

    #[test]
    fn the_weights_of_a_joint_are_shown_until_they_are_switched_off() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        assert!(!state.session.view.shown.hides_weights);
        assert_eq!(state.is_on(Action::SelectedWeights), Some(true));
        state.run(Action::SelectedWeights);
        assert!(state.session.view.shown.hides_weights);
        // The setting persists for the next file.
        state.loaded(loaded(model(), false));
        assert!(state.session.view.shown.hides_weights);
        state.run(Action::SelectedWeights);
        assert!(!state.session.view.shown.hides_weights);
        state.loaded(loaded(level(), false));
        assert!(
            !state.is_enabled(Action::SelectedWeights),
            "levels have no joints"
        );
    }

    #[test]
    fn one_can_step_through_the_triangles_of_a_material() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(model(), false));
        let triangle = |index| Some(Item::from(ModelItem::Triangle { index }));
        state.session.select(triangle(0));
        state.run(Action::NextOfKind { backwards: false });
        assert_eq!(state.session.view.shown.selected, triangle(1));
        state.run(Action::NextOfKind { backwards: true });
        state.run(Action::NextOfKind { backwards: true });
        let document = state.session.document().unwrap();
        let of_material = document.properties(triangle(0).unwrap(), Playhead::default());
        let material = of_material
            .iter()
            .flat_map(|group| &group.properties)
            .find_map(|property| property.link);
        let last = document.next_of_kind(material.unwrap(), None, true);
        assert_eq!(
            state.session.view.shown.selected, last,
            "the last comes before the first"
        );
    }
}
