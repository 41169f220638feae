//! Tests of the panel of textures.

use std::path::Path;
use std::sync::{Arc, mpsc};

use egui::{PointerButton, Pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::{Window, button, in_bathhouse, loaded, move_to, state, window, with_demo};
use crate::viewer::app::saving::{SaveJob, Saved};
use crate::viewer::docks::Panel;
use crate::viewer::state::interface::{PathPurpose, PathSource};
use crate::viewer::state::{Effect, State};
use mapscope_formats::pfobj;
use mapscope_scene::{Document, Item, ModelItem, OpenOptions, Progress, Source};
use mapscope_testdata::tiny_model;
use mapscope_testdata::tiny_scene::bitmap;

type Opened = Harness<'static, Window>;

const FIRST: Item = Item::Model(ModelItem::Material { index: 0 });
const SECOND: Item = Item::Model(ModelItem::Material { index: 1 });

fn triangle(index: u32) -> Item {
    ModelItem::Triangle { index }.into()
}

/// A model in a folder. Its first two triangles are the halves of a texture of 4 x 4 pixels, the
/// lower left one and the upper right one. The last one has a missing texture.
fn model_in(folder: &Path) -> Arc<dyn Document> {
    let mut model = tiny_model();
    let corner = model.vertices[0];
    let [sw, se, ne, nw] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let corners = [sw, se, nw, se, ne, nw, sw, se, nw];
    let corners = corners.into_iter().zip(0..).map(|(uv, number)| {
        let position = [uv[0] * 2.0, uv[1] * 2.0, 0.0];
        let material = number / 6;
        pfobj::Vertex {
            position,
            uv,
            material,
            first_influence: number.min(5),
            ..corner
        }
    });
    model.vertices = corners.collect();
    model.layout = pfobj::Layout::regular(9);
    let path = folder.join("a.pfobj");
    std::fs::write(&path, pfobj::write(&model)).unwrap();
    let pixels = bitmap(4, |x, y| [x as u8 * 10, y as u8 * 20, 7]);
    std::fs::write(folder.join("picture0.png"), pixels).unwrap();
    let source = Source::read(&path).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    mapscope_scene::open(&source, &options, &progress).unwrap()
}

fn show_panel(state: &mut State) {
    state.settings.dock_mut(Panel::Texture.dock()).open = Some(Panel::Texture);
}

fn with_model(folder: &Path) -> Opened {
    let document = model_in(folder);
    window(|state| {
        state.session.plays_at_once = false;
        state.loaded(loaded(document, false));
        show_panel(state);
    })
}

/// The window position of a UV position of the fitted image, from the top left.
fn on_image(h: &Opened, name: &str, [u, v]: [f32; 2]) -> Pos2 {
    let place = h.get_by_label(&format!("Image of {name}")).rect();
    let side = place.width().min(place.height()) * 0.96;
    place.center() + vec2(u - 0.5, v - 0.5) * side
}

fn click_at(h: &mut Opened, at: Pos2) -> Option<Item> {
    move_to(h, at);
    button(h, PointerButton::Primary, at, true);
    button(h, PointerButton::Primary, at, false);
    state(h).session.view.shown.selected
}

fn select(h: &mut Opened, item: Item) {
    h.state_mut().state.session.select(Some(item));
    h.run();
}

#[test]
fn the_layout_and_the_view_select_the_same_triangle() {
    let folder = tempfile::tempdir().unwrap();
    let mut h = with_model(folder.path());
    let low = on_image(&h, "skin0", [0.3, 0.6]);
    assert_eq!(click_at(&mut h, low), Some(triangle(0)));
    let high = on_image(&h, "skin0", [0.9, 0.2]);
    move_to(&mut h, high);
    assert_eq!(state(&h).session.pointer.hovered, Some(triangle(1)));
    assert_eq!(click_at(&mut h, high), Some(triangle(1)));
    // A triangle of another material shows that material.
    select(&mut h, triangle(2));
    let low = on_image(&h, "skin1", [0.3, 0.6]);
    select(&mut h, FIRST);
    h.get_by_label("Image of skin0");
    select(&mut h, SECOND);
    assert_eq!(click_at(&mut h, low), Some(triangle(2)));
    // Without the layout, a click changes nothing.
    select(&mut h, FIRST);
    h.get_by_label("UV layout").click();
    h.run();
    assert_eq!(click_at(&mut h, high), Some(FIRST));
}

#[test]
fn the_pixel_under_the_pointer_and_the_facts_of_the_texture_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut h = with_model(folder.path());
    let facts = "picture0.png, 4 × 4 px, TGA, opaque, 66 bytes, 2.0 texels per unit, 2 triangles";
    h.get_by_label(facts);
    let at = on_image(&h, "skin0", [0.9, 0.4]);
    move_to(&mut h, at);
    h.get_by_label("x 3  y 1  R 30  G 20  B 7  A 255");
    let beside = on_image(&h, "skin0", [1.2, 0.4]);
    move_to(&mut h, beside);
    assert!(h.query_by_label_contains("R 30").is_none());
    // In its own size, the image ends beside the middle.
    h.get_by_label("1:1").click();
    h.run();
    move_to(&mut h, at);
    assert!(h.query_by_label_contains("R 30").is_none());
    let middle = on_image(&h, "skin0", [0.5, 0.5]) + vec2(0.5, 0.5);
    move_to(&mut h, middle);
    h.get_by_label("x 2  y 2  R 20  G 40  B 7  A 255");
    h.get_by_label("Fit").click();
    h.run();
    move_to(&mut h, at);
    h.get_by_label("x 3  y 1  R 30  G 20  B 7  A 255");
}

#[test]
fn a_missing_texture_is_reported_and_its_placeholder_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut h = with_model(folder.path());
    let says = "`picture1.png` was not found or cannot be read: a placeholder is shown.";
    assert!(h.query_by_label(says).is_none());
    select(&mut h, SECOND);
    h.get_by_label(says);
    h.get_by_label_contains("picture1.png, 256 × 256 px");
}

#[test]
fn a_layout_is_saved_as_an_image_of_the_size_of_the_texture() {
    let folder = tempfile::tempdir().unwrap();
    let mut h = with_model(folder.path());
    h.state_mut().state.effects.clear();
    h.get_by_label("Save layout…").click();
    h.run();
    let purpose = PathPurpose::SaveLayout(FIRST);
    assert_eq!(state(&h).effects, [Effect::AskPath(purpose)]);
    h.state_mut().state.effects.clear();
    let path = folder.path().join("uv.png");
    let state_mut = &mut h.state_mut().state;
    state_mut.path_chosen(purpose, &path, PathSource::SystemDialog);
    assert_eq!(state_mut.effects, [Effect::SaveLayout(FIRST, path.clone())]);

    let save = |texture| {
        let (sender, receiver) = mpsc::channel();
        let done = move |saved| sender.send(saved).unwrap();
        let document = Arc::clone(state(&h).session.document().unwrap());
        let _job = SaveJob::layout(document, texture, path.clone(), Arc::default(), done);
        receiver.recv().unwrap()
    };
    assert_eq!(save(FIRST), Saved::Files(path.clone(), 1, Vec::new()));
    let image = image::open(&path).unwrap().into_rgba8();
    assert_eq!(image.dimensions(), (4, 4));
    let is_line = |x, y| match image.get_pixel(x, y).0 {
        [255, 255, 255, 255] => true,
        [0, 0, 0, 0] => false,
        other => panic!("{other:?}"),
    };
    for at in 0..4 {
        assert!(is_line(at, at) && is_line(at, 0) && is_line(0, at), "{at}");
    }
    assert!(!is_line(1, 2) || !is_line(2, 1));
    let none = ModelItem::Model.into();
    assert_eq!(save(none), Saved::Failed("it has no UV layout".to_owned()));
}

#[test]
fn other_documents_show_their_textures() {
    let mut h = with_demo();
    show_panel(&mut h.state_mut().state);
    h.run();
    h.get_by_label_contains("texels per tile");
    assert!(h.query_by_label("Save layout…").is_none());
    let mut h = window(|state| {
        *state = in_bathhouse(1.0);
        show_panel(state);
    });
    let textures = state(&h).session.document().unwrap().textures().unwrap();
    let last = textures.list().pop().unwrap();
    select(&mut h, last.item);
    h.get_by_label(&format!("Image of {}", last.name));
}
