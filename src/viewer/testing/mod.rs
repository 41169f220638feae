//! Test support: the window's contents without a window, and an animated document.

mod access_tests;
mod edit_tests;
mod file_list_tests;
mod find_tests;
mod level_tests;
pub(crate) mod maps;
mod plan_tests;
pub(crate) mod rooms;
mod scene_tests;
mod split_tests;
mod texture_tests;
mod tilemap_tests;

use crate::view_request::ViewRequest;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, TextureId, Ui, Vec2, vec2};
use egui_kittest::{Harness, HarnessBuilder};
use glam::Vec3;

use crate::viewer::app::portions::Portions;
use crate::viewer::commands::Action;
use crate::viewer::panels::{FrameStatistics, PreviewRenderer, TileSandbox};
use crate::viewer::places::{self, Places};
use crate::viewer::state::load::{Cause, LoadRequest, Loaded, Outcome, Target};
use crate::viewer::state::settings::Settings;
use crate::viewer::state::{OpenFile, State};
use crate::viewer::theme;
use crate::viewer::ui::{Canvas, WindowUi};
use crate::viewer::view::View;
use mapscope_formats::{Problem, pmf};
use mapscope_scene::camera::{Handedness, Pose};
use mapscope_scene::demo::Demo;
use mapscope_scene::{
    Aabb, About, Animation, Annotations, Branch, ChunkMap, ClipInfo, Curve, CurveOptions, Describe,
    Direction, Document, Drawable, GameView, Hiding, Hit, InfoQuery, Item, ItemPlace, Label,
    Legend, LevelInfo, LevelItem, Levels, Light, LightmapFace, LightmapInfo, Line, MapChoice,
    ModelItem, Neighbor, OpenOptions, OutlineNode, Overlay, OverlayId, Places as ItemPlaces,
    ProblemTarget, Progress, Property, PropertyGroup, Ray, Shown, Source, Spawn, Statistic,
    SummaryPart, ViewState, Walk, demo,
};

struct NoPictures;

impl PreviewRenderer for NoPictures {
    fn kind_preview(&mut self, _kind: Item, _size: Vec2) -> Option<TextureId> {
        None
    }

    fn sandbox_preview(&mut self, _sandbox: &TileSandbox, _size: Vec2) -> Option<TextureId> {
        None
    }
}

/// What the view answers about the open document.
pub(crate) fn looking<R>(state: &State, at: impl FnOnce(&View, &dyn Document) -> R) -> R {
    at(&state.session.view, &**state.session.document().unwrap())
}

/// Has the view do something with the open document.
pub(crate) fn looks<R>(state: &mut State, at: impl FnOnce(&mut View, &dyn Document) -> R) -> R {
    let document = state.session.document().unwrap().clone();
    at(&mut state.session.view, &*document)
}

/// What of the open document a ray meets first.
pub(crate) fn first_hit(state: &State, ray: Ray) -> Option<Hit> {
    looking(state, |view, document| view.first_hit(document, ray))
}

/// Rectangles of the last frame, in logical pixels.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    /// The 3D view, if it is visible.
    pub(crate) viewport: Option<Rect>,
    /// Recorded rectangles by name.
    pub(crate) rects: Places,
}

/// The window's contents, without a window.
pub(crate) struct Window {
    pub(crate) ui: WindowUi,
    pub(crate) state: State,
    pub(crate) placed: Placed,
}

/// Opens the document of a demo.
pub(crate) fn open_demo(demo: &Demo) -> Arc<dyn Document> {
    let (options, progress) = (OpenOptions::default(), Progress::default());
    mapscope_scene::open(&demo.source(), &options, &progress).unwrap()
}

/// The terrain demo.
pub(crate) fn document() -> Arc<dyn Document> {
    static DOCUMENT: OnceLock<Arc<dyn Document>> = OnceLock::new();
    Arc::clone(DOCUMENT.get_or_init(|| open_demo(&demo::TERRAIN)))
}

/// The built-in model.
pub(crate) fn model() -> Arc<dyn Document> {
    open_demo(&demo::DRAKELING)
}

/// Returns a state with the bath house, a level of closed rooms, viewed from inside with the given
/// aspect ratio.
pub(crate) fn in_bathhouse(aspect: f32) -> State {
    static DOCUMENT: OnceLock<Arc<dyn Document>> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| open_demo(&demo::BATHHOUSE));
    let mut state = State::new(Settings::default(), ViewRequest::default());
    state.loaded(loaded(Arc::clone(document), false));
    state.session.shape_view(aspect);
    state.session.apply_pose(demo::BATHHOUSE.first_pose);
    state
}

/// Returns a pose in the bath house in front of a wall, with or without a room behind it.
pub(crate) fn before_wall(state: &State, has_room_behind: bool) -> Pose {
    let eye = Vec3::new(8.0, -0.6, 0.0);
    let poses = (0_u16..64).map(|heading| {
        let (sin, cos) = (f32::from(heading) * 0.1).sin_cos();
        let direction = Vec3::new(sin, 0.0, cos);
        let met = |origin| first_hit(state, Ray { origin, direction });
        let wall = met(eye).unwrap().position;
        let target = eye + direction;
        (met(wall + direction * 0.05).is_some(), Pose { eye, target })
    });
    let mut fitting = poses.filter(|(is_room, _)| *is_room == has_room_behind);
    fitting.next().unwrap().1
}

/// A level of a few cubes, with every kind of cube and of light.
pub(crate) fn level() -> Arc<dyn Document> {
    static DOCUMENT: OnceLock<Arc<dyn Document>> = OnceLock::new();
    let open = || {
        let map = mapscope_testdata::synthesize::pmf([1, 2, 2], 2, 7);
        let source = Source {
            path: "made.pmf".into(),
            bytes: pmf::write(&map, pmf::Packing::Stored).unwrap().into(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        mapscope_scene::open(&source, &options, &progress).unwrap()
    };
    Arc::clone(DOCUMENT.get_or_init(open))
}

/// Returns a window after `change` has modified its state.
pub(crate) fn window(change: impl FnOnce(&mut State)) -> Harness<'static, Window> {
    built(Harness::builder().with_size(vec2(1200.0, 800.0)), change)
}

/// Renders a window. The picture is also saved in the folder of the variable
/// `MAPSCOPE_TEST_PICTURES`, if set.
pub(crate) fn keep_picture(h: &mut Harness<'_, Window>, name: &str) -> image::RgbaImage {
    let picture = h.render().unwrap();
    if let Some(folder) = std::env::var_os("MAPSCOPE_TEST_PICTURES") {
        let file = PathBuf::from(folder).join(format!("{name}.png"));
        picture.save(file).unwrap();
    }
    picture
}

/// Returns a window from a configured builder.
pub(crate) fn built(
    builder: HarnessBuilder<Window>,
    change: impl FnOnce(&mut State),
) -> Harness<'static, Window> {
    let mut state = State::new(Settings::default(), ViewRequest::default());
    change(&mut state);
    let show = |ui: &mut Ui, window: &mut Window| {
        let mut canvas = Canvas {
            frame: FrameStatistics {
                frame_ms: 1.0,
                passes: None,
                has_timestamps: true,
                triangles: 2,
                draw_calls: 3,
                shadow_triangles: 0,
                gpu_bytes: 4,
                cpu_bytes: 5,
                adapter: "test",
            },
            previews: &mut NoPictures,
        };
        let places = window.ui.show(ui, &mut window.state, &mut canvas);
        let viewport = places.map(|(first, _)| first.whole);
        let rects = places::take(ui.ctx());
        window.placed = Placed { viewport, rects };
    };
    let mut harness = builder.with_max_steps(40).build_ui_state(
        show,
        Window {
            ui: WindowUi::default(),
            state,
            placed: Placed::default(),
        },
    );
    theme::apply(&harness.ctx);
    harness.ctx.add_plugin(Portions::default());
    harness.run();
    harness
}

/// Returns a window with the demo open, viewed from straight above.
pub(crate) fn with_demo() -> Harness<'static, Window> {
    let mut harness = window(|state| {
        state.session.open = Some(OpenFile::new(
            "demo.pfmap".into(),
            Some(&demo::TERRAIN),
            document(),
            1,
        ));
        state.session.view.camera.handedness = document().about().handedness;
    });
    for action in [
        Action::View(mapscope_scene::camera::NamedView::Top),
        Action::FrameAll,
    ] {
        harness.state_mut().state.run(action);
    }
    harness.run();
    harness
}

/// The overlays of models, which the tests toggle by name.
static OVERLAYS: [Overlay; 2] = [
    Overlay {
        id: OverlayId::Skeleton,
        name: "Skeleton",
        help: "Draws the joints",
        colors_surface: false,
        on_by_default: false,
    },
    Overlay {
        id: OverlayId::Unlit,
        name: "Unlit",
        help: "Shows textures without light",
        colors_surface: true,
        on_by_default: false,
    },
];

/// An animated document without visible content.
#[derive(Debug)]
struct Moving {
    about: About,
    terrain: Arc<dyn Document>,
    clips: Vec<ClipInfo>,
    levels: Vec<LevelInfo>,
}

impl Moving {
    fn open(clips: Vec<ClipInfo>, levels: Vec<LevelInfo>) -> Arc<dyn Document> {
        let terrain = document();
        let (handedness, overlays): (_, &[Overlay]) = if levels.is_empty() {
            (Handedness::Mirrored, &OVERLAYS)
        } else {
            (Handedness::Left, &rooms::OVERLAYS)
        };
        let about = About {
            format: terrain.about().format,
            version: terrain.about().version.clone(),
            problems: Vec::new(),
            bounds: Aabb {
                min: Vec3::new(-0.5, 0.0, -0.5),
                max: Vec3::new(0.5, 2.0, 0.5),
            },
            handedness,
            game_view: GameView::FromAbove,
            overlays,
            dependencies: Vec::new(),
            kinds: Vec::new(),
            floor_height: None,
            cpu_bytes: 0,
        };
        Arc::new(Self {
            about,
            terrain,
            clips,
            levels,
        })
    }
}

/// A joint of [`moving`].
pub(crate) fn joint(index: u32) -> Item {
    ModelItem::Joint { index }.into()
}

/// Returns a document of two units with two joints and clips of the given names and lengths.
pub(crate) fn moving(clips: &[(&str, u32)]) -> Arc<dyn Document> {
    let clip = |(index, (name, frames)): (u32, &(&str, u32))| ClipInfo {
        name: (*name).to_owned(),
        frames: *frames,
        item: ModelItem::Clip { index }.into(),
        is_clock: false,
        rates: Vec::new(),
    };
    Moving::open((0..).zip(clips).map(clip).collect(), Vec::new())
}

/// Returns a document with the given levels.
pub(crate) fn moving_with_levels(levels: Vec<LevelInfo>) -> Arc<dyn Document> {
    Moving::open(Vec::new(), levels)
}

/// Returns the result of loading a document, or of reloading it.
pub(crate) fn loaded(document: Arc<dyn Document>, reload: bool) -> Outcome {
    let path = PathBuf::from("made.pfobj");
    Outcome {
        request: LoadRequest {
            map: MapChoice::Beside,
            target: Target::Paths(vec![path.clone()]),
            cause: if reload {
                Cause::Changed
            } else {
                Cause::Opened
            },
        },
        loaded: Some(Loaded::new(path, document)),
        failures: Vec::new(),
        number: 1,
    }
}

fn open_moving(state: &mut State) {
    state.session.plays_at_once = false;
    let document = moving(&[("Walk", 32), ("Idle", 10), ("Salute", 1)]);
    let request = ViewRequest::default();
    state.show_first(&*document, &request);
    state.session.open = Some(OpenFile::new("made.pfobj".into(), None, document, 1));
    state.session.start_clip(&request);
}

/// Returns a window with a document of three clips, stopped at the beginning of the first.
pub(crate) fn with_moving() -> Harness<'static, Window> {
    window(open_moving)
}

/// Returns a window of the given size in points with that document, which can render pictures.
pub(crate) fn picture_of_moving(size: Vec2, pixels_per_point: f32) -> Harness<'static, Window> {
    built(sized(size, pixels_per_point), open_moving)
}

/// Returns a builder of windows that can render pictures.
pub(crate) fn sized(size: Vec2, pixels_per_point: f32) -> HarnessBuilder<Window> {
    Harness::builder()
        .with_size(size)
        .with_pixels_per_point(pixels_per_point)
        .wgpu()
}

/// An item with fixed properties.
struct Record {
    item: Item,
    groups: Vec<PropertyGroup>,
}

impl Describe for Record {
    fn groups(&self) -> Vec<PropertyGroup> {
        self.groups.clone()
    }

    fn summary(&self) -> Vec<SummaryPart> {
        vec![SummaryPart::new(self.item.kind(), self.item.to_string())]
    }
}

impl Document for Moving {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        self.terrain.for_each_drawable(shown, draw);
    }

    fn outline(&self) -> Vec<OutlineNode> {
        if !self.levels.is_empty() {
            return rooms::outline();
        }
        let node = |(label, index): (&str, u32)| OutlineNode {
            label: label.to_owned(),
            item: Some(joint(index)),
            note: String::new(),
            swatch: None,
            children: Vec::new(),
            count: 1,
        };
        [("Hip", 0), ("Head", 1)].map(node).into()
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        // A ball around the head, which belongs to the hip after half a second.
        let is_hidden = shown.playhead.frame >= 12.0;
        let head = Vec3::new(0.0, 1.5, 0.0);
        let along = (head - ray_in_world.origin).dot(ray_in_world.direction);
        let nearest = ray_in_world.origin + ray_in_world.direction * along;
        (nearest.distance(head) < 0.4).then_some(Hit {
            item: joint(u32::from(!is_hidden)),
            position: nearest,
            distance: along,
        })
    }

    fn record<'a>(&'a self, item: Item, view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        let groups = match item {
            Item::Model(ModelItem::Joint { .. }) => {
                let frame = Property::new("At", format!("moment {}", view.playhead.frame));
                vec![PropertyGroup {
                    title: "Joint",
                    properties: vec![frame],
                }]
            }
            _ if self.levels.is_empty() => Vec::new(),
            item => rooms::properties(item),
        };
        (!groups.is_empty()).then(|| Box::new(Record { item, groups }) as _)
    }

    fn problem_target(&self, _problem: &Problem) -> Option<ProblemTarget> {
        None
    }

    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    fn thumbnail(&self, _index: usize) -> Option<(u32, u32, &[u8])> {
        None
    }

    fn legends(&self, _shown: &Shown) -> Vec<Legend> {
        Vec::new()
    }

    fn info(&self, _query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }

    fn annotations(&self) -> Option<&dyn Annotations> {
        Some(self)
    }

    fn animation(&self) -> Option<&dyn Animation> {
        (!self.clips.is_empty()).then_some(self as _)
    }

    fn levels(&self) -> Option<&dyn Levels> {
        (!self.levels.is_empty()).then_some(self as _)
    }

    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }

    fn places(&self) -> Option<&dyn ItemPlaces> {
        Some(self)
    }

    fn hiding(&self) -> Option<&dyn Hiding> {
        Some(self)
    }
}

impl Walk for Moving {
    fn neighbor(&self, _item: Item, _direction: Direction) -> Neighbor {
        Neighbor::default()
    }

    fn next_of_kind(&self, _kind: Item, _after: Option<Item>, _backwards: bool) -> Option<Item> {
        None
    }
}

impl ItemPlaces for Moving {
    fn place(&self, item: Item, _shown: &Shown) -> ItemPlace {
        ItemPlace {
            bounds: rooms::bounds_of(item).or(Some(self.about.bounds)),
            ..ItemPlace::default()
        }
    }

    fn contour(&self, _item: Item, _shown: &Shown) -> Vec<[Vec3; 2]> {
        Vec::new()
    }
}

impl Hiding for Moving {
    fn hide_target(&self, item: Item) -> Option<Item> {
        match item {
            Item::Level(LevelItem::Chunk { .. } | LevelItem::Material { .. }) => Some(item),
            Item::Level(LevelItem::Face { .. }) => Some(rooms::material(1)),
            _ => None,
        }
    }
}

impl Annotations for Moving {
    fn lines(&self, _shown: &Shown, _lines: &mut Vec<Line>) {}

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        if shown.overlays.contains(OverlayId::Skeleton) {
            labels.extend([("Hip", 0.5), ("Head", 1.5)].map(|(text, y)| Label {
                room: None,
                position: Vec3::new(0.0, y, 0.0),
                text: text.to_owned(),
                color: [240, 220, 150],
            }));
            labels.push(Label {
                room: Some(0.5),
                position: Vec3::new(0.8, 0.2, 0.0),
                text: "7".to_owned(),
                color: [240, 220, 150],
            });
        }
    }
}

impl Animation for Moving {
    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }

    fn has_curves(&self) -> bool {
        true
    }

    fn curves(&self, item: Item, clip: usize, _options: CurveOptions) -> Vec<Curve> {
        let frames = self.clips.get(clip).map_or(0, |clip| clip.frames);
        let curve = |group, name, color, size: f32| Curve {
            group,
            name,
            color,
            values: (0..frames)
                .map(|frame| size * (frame as f32 * 0.4 + size).sin())
                .collect(),
        };
        let (red, green, blue) = ([235, 90, 85], [110, 200, 110], [95, 150, 245]);
        match item {
            Item::Model(ModelItem::Joint { .. }) => ["Translation", "Rotation", "Scale"]
                .into_iter()
                .zip([0.3, 70.0, 0.0])
                .flat_map(|(group, size)| {
                    [
                        curve(group, "X", red, size),
                        curve(group, "Y", green, size * 0.6),
                        curve(group, "Z", blue, size * 0.2),
                    ]
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn follows_playhead(&self, _item: Item) -> bool {
        true
    }
}

impl Levels for Moving {
    fn levels(&self) -> &[LevelInfo] {
        &self.levels
    }

    fn level_of(&self, item: Item) -> Option<usize> {
        rooms::level_of(item)
    }

    fn spawn(&self, _level: usize) -> Option<Spawn> {
        None
    }

    fn emptiness(&self, _level: usize) -> Option<String> {
        None
    }

    fn lights(&self, level: usize) -> Vec<Light> {
        rooms::lights(level)
    }

    fn branches(&self, level: usize, below: Option<Item>) -> Vec<Branch> {
        rooms::branches(level, below)
    }

    fn branch_above(&self, item: Item) -> Option<Item> {
        rooms::branch_above(item)
    }

    fn find_branches(&self, level: usize, text: &str, most: usize) -> Vec<Branch> {
        rooms::find_branches(level, text, most)
    }

    fn chunk_map(&self, level: usize) -> Option<ChunkMap> {
        Some(rooms::chunk_map(level))
    }

    fn lightmaps(&self, level: usize) -> Vec<LightmapInfo> {
        rooms::lightmaps(level)
    }

    fn lightmap_image(&self, _lightmap: Item, shown: &Shown) -> Option<Vec<u8>> {
        Some(rooms::lightmap_image(shown))
    }

    fn lightmap_faces(&self, lightmap: Item) -> Vec<LightmapFace> {
        rooms::lightmap_faces(lightmap)
    }

    fn visibility_at(&self, _eye: Vec3, _shown: &Shown) -> Option<Item> {
        None
    }
}

pub(crate) fn state<'a>(harness: &'a Harness<'_, Window>) -> &'a State {
    &harness.state().state
}

pub(crate) fn press(harness: &mut Harness<'_, Window>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run();
}

pub(crate) fn middle(harness: &Harness<'_, Window>) -> Pos2 {
    harness.state().placed.viewport.unwrap().center()
}

pub(crate) fn move_to(harness: &mut Harness<'_, Window>, to: Pos2) {
    harness.input_mut().events.push(Event::PointerMoved(to));
    harness.run();
}

pub(crate) fn button(
    harness: &mut Harness<'_, Window>,
    button: PointerButton,
    at: Pos2,
    pressed: bool,
) {
    harness.input_mut().events.push(Event::PointerButton {
        pos: at,
        button,
        pressed,
        modifiers: Modifiers::NONE,
    });
    harness.run();
}

/// Presses, drags and releases a button within a single frame of a slow window.
pub(crate) fn quick_drag(
    harness: &mut Harness<'_, Window>,
    with: PointerButton,
    from: Pos2,
    by: Vec2,
) {
    move_to(harness, from);
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: with,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let events = &mut harness.input_mut().events;
    events.push(button(from, true));
    let steps = 1_u8..=10;
    events.extend(steps.map(|step| Event::PointerMoved(from + by * f32::from(step) / 10.0)));
    events.push(button(from + by, false));
    harness.run();
}

pub(crate) fn drag(harness: &mut Harness<'_, Window>, with: PointerButton, by: Vec2) {
    let from = middle(harness);
    move_to(harness, from);
    button(harness, with, from, true);
    for step in 1_u8..=4 {
        move_to(harness, from + by * f32::from(step) / 4.0);
    }
    button(harness, with, from + by, false);
}
