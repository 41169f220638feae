//! The panels, operated by their accessible names.
//!
//! The tests also render pictures; set `MAPSCOPE_TEST_PICTURES` to a folder to save them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use egui::accesskit::Role;
use egui::{Key, OutputCommand, TextureId, Ui, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _, by};
use egui_kittest::{Harness, HarnessBuilder};
use glam::Vec3;
use mapscope::viewer::commands::Action;
use mapscope::viewer::keymap::Keymap;
use mapscope::viewer::panels::{
    Curves, Finding, FrameStatistics, Inspector, Kinds, OnDisk, Outliner, PanelContext, PanelUi,
    PreviewRenderer, Problems, Request, Statistics, Thumbnails, TileSandbox, TimelineWindow,
    legend,
};
use mapscope_formats::pfmap::{self, FORMAT, Tile, TileType};
use mapscope_formats::{Place, Problem, Rule, Severity, Subject};
use mapscope_render::{PassTimes, TimedPass};
use mapscope_scene::camera::{Camera, Handedness, NamedView};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{
    Aabb, About, Animation, Branch, ChunkMap, ClipInfo, Curve, CurveOptions, Describe, Direction,
    Document, Drawable, GameView, Hit, InfoQuery, Item, ItemPlace, Kind, Legend, LegendEntry,
    LevelInfo, LevelItem, Levels, Light, LightmapFace, LightmapInfo, ModelItem, Neighbor,
    OpenOptions, OutlineNode, Overlay, OverlayId, Places, Playhead, ProblemTarget, Progress,
    Property, PropertyGroup, Ray, Shown, Source, Spawn, Statistic, SummaryPart, Swatch,
    TerrainItem, TextSpan, ViewState, Walk,
};
use mapscope_testdata::synthesize;

// ---- A document with known contents --------------------------------------------------------

/// A document with three materials (the texture of the last one is missing) and many chunks.
#[derive(Debug)]
struct Sample {
    name: &'static str,
    about: About,
    levels: Vec<LevelInfo>,
    terrain: OnceLock<Terrain>,
    /// Number of queries for curves and for properties.
    asked: [AtomicUsize; 2],
}

impl Sample {
    fn new(name: &'static str, problems: Vec<Problem>) -> Self {
        let kinds = TileType::ALL.into_iter().map(|kind| Kind {
            item: tile_type(kind),
            name: kind.name(),
            code: kind.digit().to_string(),
            count: match kind {
                TileType::Flat => 16_000,
                TileType::RampSn => 384,
                _ => 0,
            },
        });
        Self {
            name,
            about: About {
                format: &FORMAT,
                version: "1.0".to_owned(),
                problems,
                bounds: BOUNDS,
                handedness: Handedness::Mirrored,
                game_view: GameView::FromAbove,
                overlays: &OVERLAYS,
                dependencies: Vec::new(),
                kinds: kinds.collect(),
                floor_height: None,
                cpu_bytes: 0,
            },
            levels: Vec::new(),
            terrain: OnceLock::new(),
            asked: Default::default(),
        }
    }
}

/// A synthetic map of one chunk.
fn made_map() -> Source {
    Source {
        path: "made.pfmap".into(),
        bytes: synthesize::pfmap(1, 1, 7).into(),
        embedded: &[],
        archive: None,
    }
}

const CHUNKS: u32 = 4096;
const BOUNDS: Aabb = Aabb {
    min: Vec3::ZERO,
    max: Vec3::ONE,
};
const THUMBNAIL: [u8; 16] = [
    90, 140, 60, 255, 120, 170, 80, 255, 120, 170, 80, 255, 90, 140, 60, 255,
];
static OVERLAYS: [Overlay; 3] = [
    Overlay {
        id: OverlayId::TileTypes,
        name: "Tile types",
        help: "Colour every tile by its type",
        colors_surface: true,
        on_by_default: false,
    },
    Overlay {
        id: OverlayId::Pathable,
        name: "Pathable",
        help: "Where units can walk",
        colors_surface: true,
        on_by_default: false,
    },
    Overlay {
        id: OverlayId::TileGrid,
        name: "Tile grid",
        help: "Lines around the tiles",
        colors_surface: false,
        on_by_default: false,
    },
];

fn material(index: u32) -> Item {
    TerrainItem::Material { index }.into()
}

/// A chunk, numbered row by row.
fn chunk(number: u32) -> Item {
    let [row, col] = [number / 64, number % 64];
    TerrainItem::Chunk { row, col }.into()
}

fn tile(row: u32, col: u32) -> Item {
    TerrainItem::Tile { row, col }.into()
}

fn tile_type(kind: TileType) -> Item {
    TerrainItem::TileType { class: kind as u8 }.into()
}

fn joint(index: u32) -> Item {
    ModelItem::Joint { index }.into()
}

fn file(index: u32) -> Item {
    LevelItem::ArchiveFile { index }.into()
}

fn leaf(label: String, item: Item, note: &str, swatch: Option<Swatch>) -> OutlineNode {
    OutlineNode {
        label,
        item: Some(item),
        note: note.to_owned(),
        swatch,
        children: Vec::new(),
        count: 1,
    }
}

/// An item of the sample.
struct Record<'a>(&'a Sample, Item);

impl Describe for Record<'_> {
    fn summary(&self) -> Vec<SummaryPart> {
        vec![SummaryPart::new(self.1.kind(), self.1.to_string())]
    }

    fn groups(&self) -> Vec<PropertyGroup> {
        let Self(sample, item) = self;
        sample.asked[1].fetch_add(1, Ordering::Relaxed);
        if matches!(item, Item::Level(LevelItem::ArchiveFile { .. })) {
            let bytes: Vec<u8> = (0..2000_u16).map(|i| (i * 7) as u8).collect();
            return vec![PropertyGroup {
                title: "Content",
                properties: vec![
                    Property::new("Size", "2000 bytes"),
                    Property {
                        bytes: (bytes).into(),
                        ..Property::new("Bytes", "")
                    },
                ],
            }];
        }
        if !matches!(item, Item::Terrain(TerrainItem::Tile { .. })) {
            return Vec::new();
        }
        let span = |text: &str, field, color_index| TextSpan {
            text: text.to_owned(),
            field,
            color_index,
        };
        let text = Property {
            spans: vec![
                span("1", "Type", 0),
                span("+03", "Base height", 1),
                span("02", "Ramp height", 2),
                span("000", "Top material", 3),
                span("001", "Side material", 4),
                span("1", "Pathable", 5),
                span("00000000000", "The rest", 6),
            ],
            ..Property::new("Characters", "")
        };
        let top = Property {
            swatch: Some(Swatch::Thumbnail(0)),
            link: Some(material(0)),
            ..Property::new("Top material", "0 Grass")
        };
        let side = Property {
            swatch: Some(Swatch::Thumbnail(2)),
            link: Some(material(2)),
            ..Property::new("Side material", "2 Lava")
        };
        vec![
            PropertyGroup {
                title: "Tile",
                properties: vec![
                    Property::new("Row", "17"),
                    Property::new("Column", "42"),
                    Property::new("In the file", "line 1234, column 26"),
                ],
            },
            PropertyGroup {
                title: "Text",
                properties: vec![text],
            },
            PropertyGroup {
                title: "Surface",
                properties: vec![
                    Property::new("Base height", "3"),
                    top,
                    side,
                    Property {
                        swatch: Some(Swatch::Color([230, 82, 66])),
                        ..Property::new("Type", "1 ramp_sn")
                    },
                    Property::new(
                        "Note",
                        "a value that is long enough to need more than one line of the panel",
                    ),
                ],
            },
        ]
    }
}

impl Document for Sample {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, _shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        let terrain = self.terrain.get_or_init(|| {
            let source = made_map();
            let map = pfmap::read(&source.bytes).unwrap();
            let (options, progress) = (OpenOptions::default(), Progress::default());
            Terrain::build(map, &source, &options, &progress).unwrap()
        });
        draw(Drawable::in_place(terrain));
    }

    fn outline(&self) -> Vec<OutlineNode> {
        let leaf_of = |(i, name): (u32, &str)| {
            let swatch = Some(Swatch::Thumbnail(i as usize));
            leaf(format!("{i} {name}"), material(i), "812", swatch)
        };
        let chunk_leaf = |i| leaf(format!("Chunk {}, {}", i / 64, i % 64), chunk(i), "", None);
        let heading = |label: &str, children: Vec<OutlineNode>| OutlineNode {
            label: label.to_owned(),
            item: None,
            note: children.len().to_string(),
            swatch: None,
            children,
            count: 1,
        };
        let materials = (0..).zip(["Grass", "Cliffs", "Lava"]).map(leaf_of);
        let file = leaf(
            self.name.to_owned(),
            TerrainItem::Map.into(),
            "2048 x 2048 tiles",
            None,
        );
        vec![
            file,
            heading("Materials", materials.collect()),
            heading("Chunks", (0..CHUNKS).map(chunk_leaf).collect()),
        ]
    }

    fn pick(&self, _ray_in_world: Ray, _shown: &Shown) -> Option<Hit> {
        None
    }

    fn record<'a>(&'a self, item: Item, _view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        Some(Box::new(Record(self, item)))
    }

    /// A tile whose row is the line of the problem.
    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let Place::Text { line, .. } = problem.place else {
            return None;
        };
        Some(target(line as u32))
    }

    fn notes(&self) -> Vec<Problem> {
        let place = Place::Text { line: 4, column: 1 };
        let message = "nothing uses material `Sand`".to_owned();
        vec![Problem::new(&NOTE, Subject::File, place, message)]
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        let entry = |color: [u8; 3], label: &str| LegendEntry {
            color: Some(color),
            label: label.to_owned(),
        };
        let on = OVERLAYS.iter();
        let on = on.filter(|overlay| shown.overlays.contains(overlay.id));
        on.map(|overlay| Legend {
            title: overlay.name,
            entries: match overlay.id {
                OverlayId::TileTypes => vec![
                    entry([158, 166, 153], "0 flat (16000)"),
                    entry([230, 82, 66], "1 ramp_sn (384)"),
                ],
                OverlayId::Pathable => vec![entry([66, 191, 82], "Ground units can walk")],
                _ => Vec::new(),
            },
        })
        .filter(|legend| !legend.entries.is_empty())
        .collect()
    }

    fn statistics(&self) -> Vec<Statistic> {
        vec![Statistic {
            name: "Tiles",
            value: "16384".to_owned(),
        }]
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        (index < 2).then_some((2, 2, &THUMBNAIL))
    }

    fn info(&self, _query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }

    fn animation(&self) -> Option<&dyn Animation> {
        Some(self)
    }

    fn levels(&self) -> Option<&dyn Levels> {
        (!self.levels.is_empty()).then_some(self)
    }

    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }

    fn places(&self) -> Option<&dyn Places> {
        Some(self)
    }
}

impl Walk for Sample {
    fn neighbor(&self, _item: Item, _direction: Direction) -> Neighbor {
        Neighbor::default()
    }

    fn next_of_kind(&self, _kind: Item, _after: Option<Item>, _backwards: bool) -> Option<Item> {
        None
    }
}

impl Places for Sample {
    fn place(&self, item: Item, _shown: &Shown) -> ItemPlace {
        let is_tile = matches!(item, Item::Terrain(TerrainItem::Tile { .. }));
        ItemPlace {
            bounds: is_tile.then_some(BOUNDS),
            ..ItemPlace::default()
        }
    }

    fn contour(&self, _item: Item, _shown: &Shown) -> Vec<[Vec3; 2]> {
        Vec::new()
    }
}

impl Animation for Sample {
    fn clips(&self) -> &[ClipInfo] {
        static CLIPS: OnceLock<[ClipInfo; 2]> = OnceLock::new();
        CLIPS.get_or_init(|| {
            [("Walk", 0), ("Run", 1)].map(|(name, index)| ClipInfo {
                name: name.to_owned(),
                frames: 21,
                item: ModelItem::Clip { index }.into(),
                is_clock: false,
                rates: Vec::new(),
            })
        })
    }

    fn curves(&self, item: Item, clip: usize, _options: CurveOptions) -> Vec<Curve> {
        self.asked[0].fetch_add(1, Ordering::Relaxed);
        if !matches!(item, Item::Model(ModelItem::Joint { .. })) {
            return Vec::new();
        }
        let curve = |(group, name): (_, _), color, factor: f32| Curve {
            group,
            name,
            color,
            values: (0..21).map(|frame| frame as f32 * factor).collect(),
        };
        let walk = if clip == 0 { 1.0 } else { -1.0 };
        vec![
            curve(("Translation", "X"), [240, 80, 80], 0.5 * walk),
            curve(("Translation", "Y"), [80, 240, 80], -0.25 * walk),
            curve(("Scale", "X"), [240, 80, 80], 0.0),
            curve(("Scale", "Y"), [80, 240, 80], f32::NAN),
        ]
    }

    fn follows_playhead(&self, item: Item) -> bool {
        item == tile(0, 1)
    }
}

impl Levels for Sample {
    fn levels(&self) -> &[LevelInfo] {
        &self.levels
    }

    fn level_of(&self, _item: Item) -> Option<usize> {
        None
    }

    fn spawn(&self, _level: usize) -> Option<Spawn> {
        None
    }

    fn emptiness(&self, _level: usize) -> Option<String> {
        None
    }

    fn lights(&self, _level: usize) -> Vec<Light> {
        Vec::new()
    }

    fn branches(&self, _level: usize, _below: Option<Item>) -> Vec<Branch> {
        Vec::new()
    }

    fn branch_above(&self, _item: Item) -> Option<Item> {
        None
    }

    fn find_branches(&self, _level: usize, _text: &str, _most: usize) -> Vec<Branch> {
        Vec::new()
    }

    fn chunk_map(&self, _level: usize) -> Option<ChunkMap> {
        None
    }

    fn lightmaps(&self, _level: usize) -> Vec<LightmapInfo> {
        Vec::new()
    }

    fn lightmap_image(&self, _lightmap: Item, _shown: &Shown) -> Option<Vec<u8>> {
        None
    }

    fn lightmap_faces(&self, _lightmap: Item) -> Vec<LightmapFace> {
        Vec::new()
    }

    fn visibility_at(&self, _eye: Vec3, _shown: &Shown) -> Option<Item> {
        None
    }
}

// ---- A window with one panel ---------------------------------------------------------------

/// Records the requested previews.
#[derive(Default)]
struct Previews {
    texture: Option<TextureId>,
    kinds: Vec<Item>,
    sandbox: Option<TileSandbox>,
}

impl PreviewRenderer for Previews {
    fn kind_preview(&mut self, kind: Item, _size: egui::Vec2) -> Option<TextureId> {
        self.kinds.push(kind);
        self.texture
    }

    fn sandbox_preview(&mut self, sandbox: &TileSandbox, _size: egui::Vec2) -> Option<TextureId> {
        self.sandbox = Some(sandbox.clone());
        self.texture
    }
}

struct Host<Panel> {
    panel: Panel,
    document: Arc<dyn Document>,
    on_disk: Option<OnDisk>,
    shown: Shown,
    thumbnails: Thumbnails,
    previews: Previews,
    /// All requests of the panel.
    requests: Vec<Request>,
    /// GPU times of the frame, if available.
    passes: Option<PassTimes>,
    /// All texts that the panel copied to the clipboard.
    copied: Vec<String>,
}

type Show<Panel> = fn(&mut Panel, &mut Ui, &mut PanelContext<'_>);

impl<Panel: Default> Host<Panel> {
    fn new(document: impl Document + 'static) -> Self {
        Self {
            panel: Panel::default(),
            document: Arc::new(document),
            on_disk: None,
            shown: Shown::default(),
            thumbnails: Thumbnails::default(),
            previews: Previews::default(),
            requests: Vec::new(),
            passes: None,
            copied: Vec::new(),
        }
    }

    fn selecting(mut self, item: Item) -> Self {
        self.shown.selected = Some(item);
        self
    }

    fn in_harness(self, builder: HarnessBuilder<Self>, show: Show<Panel>) -> Harness<'static, Self>
    where
        Panel: 'static,
    {
        let mut harness = builder
            .with_max_steps(40)
            .build_ui_state(move |ui, host: &mut Self| host.show(ui, show), self);
        harness.run();
        harness
    }

    fn show(&mut self, ui: &mut Ui, show: Show<Panel>) {
        let mut requests = Vec::new();
        let handedness = self.document.about().handedness;
        let camera = Camera::framing(
            self.document.about().bounds,
            NamedView::Iso,
            handedness,
            1.0,
        );
        let mut context = PanelContext {
            document: &self.document,
            path: None,
            on_disk: self.on_disk.as_ref(),
            changes: None,
            change: None,
            finding: &Finding::default(),
            files: None,
            shown: &self.shown,
            timeline: TimelineWindow {
                frames: [0.0, 21.0],
                clip_start: 0.0,
            },
            hovered: None,
            camera: &camera,
            keymap: &Keymap::default(),
            frame: FrameStatistics {
                frame_ms: 4.256,
                passes: self.passes,
                has_timestamps: self.passes.is_some(),
                triangles: 1_234_567,
                draw_calls: 42,
                shadow_triangles: 98_765,
                gpu_bytes: 58_720_256,
                cpu_bytes: 1536,
                adapter: "A fine GPU",
            },
            thumbnails: &mut self.thumbnails,
            previews: &mut self.previews,
            requests: &mut requests,
        };
        egui::Frame::central_panel(ui.style())
            .show(ui, |ui| show(&mut self.panel, ui, &mut context));
        for request in requests {
            if let Request::Select(item) = request {
                self.shown.selected = item;
            }
            self.requests.push(request);
        }
        let copied = ui.output(|output| {
            let commands = output.commands.iter();
            let text = commands.filter_map(|command| match command {
                OutputCommand::CopyText(text) => Some(text.clone()),
                _ => None,
            });
            text.collect::<Vec<_>>()
        });
        self.copied.extend(copied);
    }

    /// All requests except hovers.
    fn asked(&self) -> Vec<Request> {
        let mut asked = self.requests.clone();
        asked.retain(|request| !matches!(request, Request::Hover(_)));
        asked
    }
}

static ERROR: Rule = Rule {
    id: "test/error",
    severity: Severity::Error,
    leaves_out: false,
    summary: "Something is wrong.",
};
static WARNING: Rule = Rule {
    id: "test/warning",
    severity: Severity::Warning,
    leaves_out: false,
    summary: "Something is odd.",
};

static NOTE: Rule = Rule {
    id: "test/note",
    severity: Severity::Note,
    leaves_out: false,
    summary: "Something is worth knowing.",
};

/// Target of the problem in a line of the sample.
fn target(line: u32) -> ProblemTarget {
    ProblemTarget {
        item: tile(line, 0),
        moment: None,
        overlay: None,
    }
}

fn error(place: Place, message: &str) -> Problem {
    Problem::new(&ERROR, Subject::File, place, message)
}

fn warning(place: Place, message: &str) -> Problem {
    Problem::new(&WARNING, Subject::File, place, message)
}

fn sample() -> Sample {
    let problems = vec![
        error(
            Place::Text {
                line: 7,
                column: 12,
            },
            "expected a digit, found `x`",
        ),
        warning(
            Place::Text { line: 1, column: 1 },
            "material `Lava` has no texture",
        ),
        warning(Place::Offset(255), "the last line has no end"),
    ];
    Sample::new("sample.pfmap", problems)
}

fn plain<Panel: Default>() -> Host<Panel> {
    Host::new(sample())
}

fn small<Panel>() -> HarnessBuilder<Host<Panel>> {
    Harness::builder().with_size(vec2(340.0, 640.0))
}

fn outliner() -> Harness<'static, Host<Outliner>> {
    Host::new(sample()).in_harness(small(), Outliner::ui)
}

// ---- Outliner ------------------------------------------------------------------------------

#[test]
fn a_line_of_the_outline_selects_and_a_double_click_goes_there() {
    let builder = small().with_step_dt(0.02);
    let mut h = Host::new(sample()).in_harness(builder, Outliner::ui);
    h.get_by_label("1 Cliffs").click();
    h.run();
    assert_eq!(h.state().asked(), [Request::Select(Some(material(1)))]);
    let line = h.get_by_label("1 Cliffs");
    assert_eq!(line.accesskit_node().role(), Role::TreeItem);
    assert_eq!(
        line.accesskit_node().is_selected(),
        Some(true),
        "said to a screen reader"
    );
    // A pause, so that the next two clicks do not count as the second and third click.
    h.run_steps(40);
    for _ in 0..2 {
        h.get_by_label("1 Cliffs").click();
    }
    h.run();
    assert!(h.state().asked().contains(&Request::Visit(material(1))));
}

#[test]
fn pointing_at_a_line_says_so_once() {
    let mut h = outliner();
    h.get_by_label("0 Grass").hover();
    h.run();
    h.run();
    assert_eq!(h.state().requests, [Request::Hover(Some(material(0)))]);
    h.remove_cursor();
    h.run();
    assert_eq!(h.state().requests.last(), Some(&Request::Hover(None)));
}

#[test]
fn a_long_list_is_closed_at_first_and_only_what_is_in_sight_is_made() {
    let mut h = outliner();
    assert!(h.query_by_label("Chunk 0, 0").is_none());
    h.get_by_label("Chunks").click();
    h.run();
    assert!(h.query_by_label("Chunk 0, 0").is_some());
    let rows = h.get_all_by_role(Role::TreeItem).count();
    assert!(
        rows < 60,
        "{rows} rows for {CHUNKS} chunks in a window for 30"
    );
    h.get_by_label("Chunks").click();
    h.run();
    assert!(h.query_by_label("Chunk 0, 0").is_none(), "closed again");
}

#[test]
fn the_search_lists_what_matches_below_its_headings() {
    let mut h = outliner();
    h.get_by_role(Role::TextInput).focus();
    h.run();
    h.get_by_role(Role::TextInput).type_text("CHUNK 63, 6");
    h.run();
    // 63, 6 and 63, 60 to 63, 63.
    assert!(h.query_by_label("5 matches").is_some());
    assert!(h.query_by_label("Chunks").is_some());
    assert!(h.query_by_label("Chunk 63, 63").is_some());
    assert!(h.query_by_label("0 Grass").is_none());
    assert!(h.query_by_label("Materials").is_none());
    h.get_by_label("Chunk 63, 62").click();
    h.run();
    assert_eq!(
        h.state().asked(),
        [Request::Select(Some(chunk(63 * 64 + 62)))]
    );
    h.get_by_role(Role::TextInput).focus();
    h.run();
    h.get_by_role(Role::TextInput).type_text("!");
    h.run();
    assert!(h.query_by_label_contains("No match for").is_some());
}

#[test]
fn what_is_selected_elsewhere_comes_into_sight() {
    let mut h = outliner();
    h.state_mut().shown.selected = Some(chunk(3000));
    h.run();
    let row = h.get_by_label("Chunk 46, 56");
    assert_eq!(row.accesskit_node().is_selected(), Some(true));
    assert!(
        row.rect().top() > 60.0 && row.rect().bottom() < 640.0,
        "{:?}",
        row.rect()
    );
}

#[test]
fn the_level_that_is_shown_comes_into_sight() {
    let level = |index| LevelInfo {
        name: format!("Level {index}"),
        item: chunk(index),
        bounds: BOUNDS,
    };
    let levels = vec![level(0), level(3000), level(1000)];
    let host = Host::new(Sample { levels, ..sample() });
    let mut h = host.in_harness(small(), Outliner::ui);
    assert!(h.query_by_label("Chunk 46, 56").is_none());
    h.state_mut().shown.level = 1;
    h.run();
    let row = h.get_by_label("Chunk 46, 56").rect();
    assert!(row.top() > 60.0 && row.bottom() < 640.0, "{row:?}");
    // If a selection changes the level, the list scrolls to the selection, not to the level.
    h.state_mut().shown.level = 2;
    h.state_mut().shown.selected = Some(material(0));
    h.run();
    h.get_by_label("0 Grass");
    assert!(h.query_by_label("Chunk 15, 40").is_none());
}

#[test]
fn the_outline_can_be_walked_with_the_keyboard() {
    let mut h = outliner();
    h.get_by_label("0 Grass").focus();
    h.run();
    h.key_press(Key::ArrowDown);
    h.run();
    assert_eq!(h.state().shown.selected, Some(material(1)));
    h.key_press(Key::ArrowLeft);
    h.run();
    assert!(h.get_by_label("Materials").is_focused());
    h.key_press(Key::ArrowLeft);
    h.run();
    assert!(h.query_by_label("0 Grass").is_none(), "closed");
    h.key_press(Key::ArrowDown);
    h.run();
    assert!(h.get_by_label("Chunks").is_focused());
    h.key_press(Key::ArrowRight);
    h.run();
    // Far enough to scroll the list.
    for _ in 0..60 {
        h.key_press(Key::ArrowDown);
        h.run();
    }
    assert_eq!(h.state().shown.selected, Some(chunk(59)));
    assert!(h.get_by_label("Chunk 0, 59").is_focused());
}

#[test]
fn another_document_takes_the_place_of_the_first() {
    let mut h = outliner();
    h.get_by_label("sample.pfmap");
    for name in ["second.pfmap", "third.pfmap"] {
        // The next document may reuse the memory of the first one.
        h.state_mut().document = Arc::new(Sample::new(name, Vec::new()));
        h.run();
        h.get_by_label(name);
    }
}

#[test]
fn what_was_opened_stays_open_when_the_file_is_loaded_again() {
    let mut h = outliner();
    h.get_by_label("Chunks").click();
    h.run();
    h.get_by_label("Materials").click();
    h.run();
    h.state_mut().document = Arc::new(sample());
    h.run();
    assert!(h.query_by_label("Chunk 0, 0").is_some());
    assert!(h.query_by_label("0 Grass").is_none());
}

// ---- Inspector -----------------------------------------------------------------------------

fn inspector() -> Harness<'static, Host<Inspector>> {
    let host = Host::new(sample()).selecting(tile(0, 0));
    host.in_harness(small(), Inspector::ui)
}

#[test]
fn the_inspector_says_what_to_do_when_nothing_is_selected() {
    let h = Host::new(sample()).in_harness(small(), Inspector::ui);
    h.get_by_label("Nothing is selected");
    h.get_by_label_contains("Click an item");
    let gone = Host::new(sample()).selecting(Item::from(TerrainItem::Map));
    let h = gone.in_harness(small(), Inspector::ui);
    h.get_by_label("The selected item is not in the file");
}

#[test]
fn every_field_stands_beside_its_name() {
    let h = inspector();
    for (name, value) in [
        ("Row", "17"),
        ("Column", "42"),
        ("In the file", "line 1234, column 26"),
    ] {
        let (name, value) = (h.get_by_label(name).rect(), h.get_by_label(value).rect());
        assert!(
            (name.center().y - value.center().y).abs() < 4.0,
            "in one row"
        );
        assert!(name.right() <= value.left());
    }
    let [row, column] = ["17", "42"].map(|value| h.get_by_label(value).rect().left());
    assert_eq!(row, column, "values stand in a column");
}

#[test]
fn long_values_stay_in_the_panel() {
    let h = inspector();
    let value = h.get_by_label_contains("a value that is long");
    assert!(value.rect().right() <= 340.0, "{:?}", value.rect());
    assert!(value.rect().height() > 24.0, "broken into lines");
}

#[test]
fn a_link_selects_what_it_leads_to() {
    let mut h = inspector();
    h.get_by_role_and_label(Role::Link, "2 Lava").click();
    h.run();
    assert_eq!(h.state().asked(), [Request::Select(Some(material(2)))]);
}

#[test]
fn text_of_the_file_is_named_field_by_field() {
    let mut h = inspector();
    let span = h.get_by_label("+03");
    span.hover();
    h.run();
    h.run();
    // In the colour key, in the tooltip, and in the property list.
    let names = h.get_all_by_label("Base height").count();
    assert_eq!(names, 3);
    for field in [
        "Type",
        "Ramp height",
        "Top material",
        "Side material",
        "Pathable",
    ] {
        assert!(
            h.get_all_by_label(field).count() >= 1,
            "{field} is in the colour key"
        );
    }
}

#[test]
fn what_the_inspector_shows_can_be_copied() {
    let mut h = inspector();
    h.get_by_label("Copy").click();
    h.run();
    assert_eq!(h.state().copied, ["1+0302000001100000000000"]);
    h.get_by_label("Copy all").click();
    h.run();
    let all = h.state().copied.last().unwrap();
    assert!(all.starts_with("Tile\n  Row: 17\n  Column: 42\n"), "{all}");
    assert!(
        all.contains("  Characters: 1+0302000001100000000000\n"),
        "{all}"
    );
    h.get_by_label("Frame").click();
    h.run();
    assert_eq!(h.state().asked(), [Request::Frame(tile(0, 0))]);
}

#[test]
fn all_bytes_of_a_file_can_be_read_page_by_page() {
    let host = Host::new(sample()).selecting(file(0));
    let mut h = host.in_harness(small(), Inspector::ui);
    let first = "0000  00 07 0e 15 1c 23 2a 31  .....#*1";
    let row = h.get_by_label(first).rect();
    assert!(row.right() <= 340.0 && row.height() < 20.0, "{row:?}");
    // The lines below use the same columns.
    let second = h.get_by_label_contains("0008  38 3f").rect();
    assert_eq!((second.left(), second.width()), (row.left(), row.width()));
    assert!(h.query_by_label_contains("07c8  ").is_none());
    h.get_by_label("Last").click();
    h.run();
    let last = h.get_by_label_contains("07c8  78 7f 86");
    assert_eq!(last.rect().left(), row.left());
    h.get_by_label("0x600 to 0x7cf of 0x7d0 bytes");
    h.get_by_label("Previous").click();
    h.run();
    h.get_by_label_contains("0400  ");
    // Another item is shown from its first byte.
    h.state_mut().shown.selected = Some(file(1));
    h.run();
    h.get_by_label(first);
    h.get_by_label("Copy all").click();
    h.run();
    let all = h.state().copied.last().unwrap();
    assert!(all.contains("\n    0010  70 77 7e 85"), "{all}");
    assert!(all.contains("\n    07c0  "), "{all}");
}

// ---- Problems ------------------------------------------------------------------------------

fn problems() -> Harness<'static, Host<Problems>> {
    Host::new(sample()).in_harness(small(), Problems::ui)
}

#[test]
fn a_click_on_a_problem_goes_to_its_place() {
    let mut h = problems();
    h.get_by_label("1:1: warning: material `Lava` has no texture")
        .click();
    h.run();
    let expected = Request::ShowProblem(Some(target(1)));
    assert_eq!(h.state().asked(), [expected]);
}

#[test]
fn problems_are_counted_and_filtered_by_how_bad_they_are() {
    let mut h = problems();
    assert_eq!(h.get_all_by_role(Role::ListBoxOption).count(), 3);
    h.get_by_label("2 warnings").click();
    h.run();
    assert_eq!(h.get_all_by_role(Role::ListBoxOption).count(), 1);
    h.get_by_label_contains("expected a digit").click();
    h.run();
    let expected = Request::ShowProblem(Some(target(7)));
    assert_eq!(h.state().asked(), [expected]);
    h.get_by_label("Copy all").click();
    h.run();
    assert_eq!(
        h.state().copied,
        ["7:12: error: expected a digit, found `x` [test/error]\n"]
    );
    h.get_by_label("1 error").click();
    h.run();
    h.get_by_label("All problems are filtered out");
}

#[test]
fn problems_are_sorted_by_their_headings_and_copied_as_a_table() {
    let mut h = problems();
    let first = |h: &Harness<'static, Host<Problems>>| {
        let mut rows = h.get_all_by_role(Role::ListBoxOption);
        rows.next().unwrap().accesskit_node().label().unwrap()
    };
    assert!(first(&h).contains("expected a digit"));
    h.get_by_role_and_label(Role::ColumnHeader, "place").click();
    h.run();
    assert!(first(&h).starts_with("1:1: "), "{}", first(&h));
    h.get_by_label("Copy as CSV").click();
    h.run();
    let table = "severity,place,message,rule\r\n\
                 warning,1:1,material `Lava` has no texture,test/warning\r\n\
                 error,7:12,\"expected a digit, found `x`\",test/error\r\n\
                 warning,0xff,the last line has no end,test/warning\r\n";
    assert_eq!(h.state().copied, [table]);
    h.get_by_role_and_label(Role::ColumnHeader, "place").click();
    h.run();
    assert!(first(&h).starts_with("0xff: "), "{}", first(&h));
}

/// A row has a single line, which may be too short for the message.
#[test]
fn a_long_message_can_be_read_as_a_whole() {
    let long = "the bounds differ and ".repeat(20);
    let mut sample = sample();
    sample.about.problems = vec![error(Place::line(3), &long)];
    let mut h = Host::new(sample).in_harness(small(), Problems::ui);
    assert!(h.query_by_label(long.trim_end()).is_none() && h.query_by_label(&long).is_none());
    h.get_by_label_contains("the bounds differ").hover();
    h.run_steps(40);
    let whole = h
        .get_all_by_label_contains("the bounds differ")
        .last()
        .unwrap();
    let rect = whole.rect();
    assert!(rect.height() > 60.0 && rect.width() < 600.0, "{rect:?}");
}

#[test]
fn what_follows_from_a_problem_opens_below_it() {
    let mut sample = sample();
    let mut cause = error(Place::line(3), "joint 4 is missing");
    for line in [20, 30] {
        cause.add_consequence(error(Place::line(line), "the frame has no pose of joint 4"));
    }
    sample.about.problems.push(cause);
    let mut h = Host::new(sample).in_harness(small(), Problems::ui);
    h.get_by_label("2 errors");
    assert_eq!(h.get_all_by_role(Role::ListBoxOption).count(), 5);
    assert!(h.query_by_label_contains("no pose").is_none());
    h.get_by_label("2 more like it").click();
    h.run();
    assert!(h.state().asked().is_empty(), "it only opens");
    let above = h.get_by_label_contains("joint 4 is missing").rect().top();
    let first = h.get_by_label("20:1: error: the frame has no pose of joint 4");
    assert!(first.rect().top() > above);
    first.click();
    h.run();
    let expected = Request::ShowProblem(Some(target(20)));
    assert_eq!(h.state().asked(), [expected]);
    // Consequences are not counted among the errors and stay with their cause.
    h.get_by_label("2 warnings").click();
    h.run();
    assert_eq!(h.get_all_by_role(Role::ListBoxOption).count(), 5);
    h.get_by_label("Copy all").click();
    h.run();
    let copied = &h.state().copied[0];
    assert!(
        copied.contains("missing [test/error]\n    20:1: error: the frame"),
        "{copied}"
    );
    h.get_by_label("2 more like it").click();
    h.run();
    assert_eq!(h.get_all_by_role(Role::ListBoxOption).count(), 3);
}

#[test]
fn notes_are_listed_after_all_else_where_they_are_asked_for() {
    let mut h = problems();
    assert!(h.query_by_label_contains("nothing uses").is_none());
    h.get_by_label("Notes").click();
    h.run();
    assert_eq!(h.get_all_by_role(Role::ListBoxOption).count(), 4);
    let last = h.get_by_label("4:1: note: nothing uses material `Sand`");
    let warning = h.get_by_label_contains("the last line has no end");
    assert!(last.rect().top() > warning.rect().top());
    last.click();
    h.run();
    let expected = Request::ShowProblem(Some(target(4)));
    assert_eq!(h.state().asked(), [expected]);
    h.get_by_label("1 note").click();
    h.run();
    assert_eq!(h.get_all_by_role(Role::ListBoxOption).count(), 3);
}

#[test]
fn a_file_without_problems_says_so() {
    let h = Host::new(Sample::new("", Vec::new())).in_harness(small(), Problems::ui);
    h.get_by_label("No problems");
}

#[test]
fn problems_are_those_of_the_file_on_disk_and_say_what_is_in_view() {
    let mut host = Host::new(Sample::new("", Vec::new()));
    let at = Place::Text { line: 9, column: 4 };
    host.on_disk = Some(OnDisk {
        name: "walk.pfobj".to_owned(),
        unreadable: None,
        problems: vec![error(at, "the file ends here; expected a frame")],
        new: None,
        read_at: "12:31:07".to_owned(),
        number: 1,
    });
    let mut h = host.in_harness(small(), Problems::ui);
    h.get_by_label("walk.pfobj on disk has 1 error");
    h.get_by_label("In view: the version read at 12:31:07");
    // The visible version does not contain the problem.
    h.get_by_label_contains("9:4: error: the file ends here")
        .click();
    h.run();
    assert!(h.state().asked().is_empty());
    h.get_by_label("Show it anyway").click();
    h.run();
    assert_eq!(h.state().asked(), [Request::Run(Action::Reload)]);
    let on_disk = h.state_mut().on_disk.as_mut().unwrap();
    on_disk.unreadable = Some("Cannot be read: no such file".to_owned());
    on_disk.problems.clear();
    on_disk.number = 2;
    h.run();
    h.get_by_label("walk.pfobj on disk cannot be read");
    h.get_by_label("Cannot be read: no such file");
    h.get_by_label("Read again");
    assert!(h.query_by_label("No problems").is_none());
    // A good version replaces it.
    h.state_mut().on_disk = None;
    h.run();
    h.get_by_label("No problems");
}

#[test]
fn thousands_of_problems_cost_what_is_in_sight() {
    let many = (1..=5000).map(|line| error(Place::Text { line, column: 1 }, "bad tile"));
    let document = Sample::new("", many.collect());
    let h = Host::new(document).in_harness(small(), Problems::ui);
    h.get_by_label("5\u{202f}000 errors");
    let rows = h.get_all_by_role(Role::ListBoxOption).count();
    assert!((10..60).contains(&rows), "{rows}");
}

// ---- Statistics and legend -----------------------------------------------------------------

#[test]
fn statistics_are_told_in_units_for_people() {
    let mut host = Host::new(sample());
    let passes = PassTimes::default().with(TimedPass::Frame, Duration::from_micros(3210));
    host.passes = Some(passes);
    let h = host.in_harness(small(), Statistics::ui);
    assert!(h.query_by_label("GPU, shadow map").is_none());
    for (name, value) in [
        ("Frame time", "4.26 ms"),
        ("GPU, frame", "3.21 ms"),
        ("Triangles", "1\u{202f}234\u{202f}567"),
        ("Draw calls", "42"),
        ("GPU memory", "56.0 MiB"),
        ("Memory", "1.5 KiB"),
        ("GPU", "A fine GPU"),
        ("Tiles", "16\u{202f}384"),
    ] {
        let (name, value) = (h.get_by_label(name).rect(), h.get_by_label(value).rect());
        assert!(
            (name.center().y - value.center().y).abs() < 4.0,
            "in one row"
        );
    }
}

#[test]
fn adapters_without_timestamps_are_said_to_have_none() {
    let h = Host::new(sample()).in_harness(small(), Statistics::ui);
    assert!(h.query_by_label("not reported by this adapter").is_some());
    assert!(h.query_by_label("GPU, frame").is_none());
}

fn legend_ui((): &mut (), ui: &mut Ui, context: &mut PanelContext<'_>) {
    legend(ui, &context.document.legends(context.shown), true, context);
}

#[test]
fn the_legend_is_that_of_the_overlays_that_are_on() {
    let mut h = Host::new(sample()).in_harness(small(), legend_ui);
    assert!(h.query_by_label("Tile types").is_none());
    h.state_mut()
        .shown
        .overlays
        .set(&OVERLAYS, OverlayId::TileTypes, true);
    h.state_mut()
        .shown
        .overlays
        .set(&OVERLAYS, OverlayId::TileGrid, true);
    h.run();
    h.get_by_label("Tile types");
    h.get_by_label("1 ramp_sn (384)");
    assert!(
        h.query_by_label("Tile grid").is_none(),
        "lines need no legend"
    );
    h.state_mut()
        .shown
        .overlays
        .set(&OVERLAYS, OverlayId::Pathable, true);
    h.run();
    h.get_by_label("Ground units can walk");
    assert!(h.query_by_label("1 ramp_sn (384)").is_none());
}

// ---- Tile types and sandbox ----------------------------------------------------------------

fn kinds() -> Harness<'static, Host<Kinds>> {
    Host::new(sample()).in_harness(small().with_size(vec2(340.0, 1500.0)), Kinds::ui)
}

fn sandbox() -> Harness<'static, Host<Kinds>> {
    let mut h = kinds();
    h.get_by_label("Sandbox").click();
    h.run();
    h
}

/// The tile in the sandbox, as its 24 characters.
fn tried(h: &Harness<'_, Host<Kinds>>) -> String {
    let sandbox = h.state().previews.sandbox.as_ref().unwrap();
    String::from_utf8(sandbox.tiles[4].text().to_vec()).unwrap()
}

/// The 24 characters in the text field.
fn characters(h: &Harness<'_, Host<Kinds>>) -> String {
    let field = h.get_by_role_and_label(Role::TextInput, "Characters");
    field.value().unwrap_or_default()
}

fn choose(h: &mut Harness<'_, Host<Kinds>>, list: &str, option: &str) {
    h.get_by_role_and_label(Role::ComboBox, list).click();
    h.run();
    // Excludes the list itself, whose value is the chosen option.
    h.get_by_role_and_label(Role::Button, option).click();
    h.run();
}

fn type_characters(h: &mut Harness<'_, Host<Kinds>>, text: &str) {
    h.get_by_role_and_label(Role::TextInput, "Characters")
        .focus();
    h.run();
    h.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    h.run();
    h.get_by_role_and_label(Role::TextInput, "Characters")
        .type_text(text);
    h.run();
}

#[test]
fn every_kind_has_a_live_picture_and_a_count() {
    let h = kinds();
    for kind in TileType::ALL {
        let wanted = tile_type(kind);
        assert!(h.state().previews.kinds.contains(&wanted), "{kind}");
    }
    h.get_by_label("flat, code 0, 16000 in the map");
    h.get_by_label("corner_convex_ne, code C, 0 in the map");
}

#[test]
fn a_kind_is_selected_and_stepped_through() {
    let mut h = kinds();
    assert!(h.get_by_label("Next").accesskit_node().is_disabled());
    h.get_by_label("ramp_sn, code 1, 384 in the map").click();
    h.run();
    let kind = tile_type(TileType::RampSn);
    assert_eq!(h.state().asked(), [Request::Select(Some(kind))]);
    // The window selects a tile of the type; the buttons must still know the type.
    h.get_by_label("Next").click();
    h.run();
    h.state_mut().shown.selected = Some(TerrainItem::Tile { row: 1, col: 1 }.into());
    h.get_by_label("Previous").click();
    h.run();
    let step = |backwards| Request::NextOfKind { kind, backwards };
    assert_eq!(h.state().asked()[1..], [step(false), step(true)]);
    h.get_by_label("ramp_sn, code 1, 384 in the map").click();
    h.run();
    assert_eq!(h.state().shown.selected, Some(kind), "highlighted again");
    h.get_by_label("ramp_sn, code 1, 384 in the map").click();
    h.run();
    assert_eq!(
        h.state().shown.selected,
        None,
        "a second click puts the highlight out"
    );
    h.get_by_label("Click to highlight");
    assert!(h.get_by_label("Next").accesskit_node().is_disabled());
    h.get_by_label("ramp_ns, code 2, 0 in the map").click();
    h.run();
    assert!(
        h.get_by_label("Next").accesskit_node().is_disabled(),
        "there is none"
    );
}

#[test]
fn the_sandbox_begins_with_flat_ground() {
    let h = sandbox();
    assert_eq!(tried(&h), "0+0000000000101001111000");
    assert_eq!(characters(&h), tried(&h));
    let tiles = &h.state().previews.sandbox.as_ref().unwrap().tiles;
    assert_eq!(tiles, &[Tile::default(); 9]);
}

#[test]
fn the_sandbox_follows_the_selected_tile_until_something_is_changed() {
    let source = made_map();
    let map = pfmap::read(&source.bytes).unwrap();
    let document = mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default());
    let mut host = plain();
    host.document = document.unwrap();
    let mut h = host.in_harness(small().with_size(vec2(340.0, 1500.0)), Kinds::ui);
    h.get_by_label("Sandbox").click();
    h.run();
    let select = |h: &mut Harness<'_, Host<Kinds>>, row: u32, col: u32| {
        h.state_mut().shown.selected = Some(tile(row, col));
        h.run();
    };
    let around = |row: u32, col: u32| -> Vec<Tile> {
        let places = (row - 1..=row + 1).flat_map(|r| (col - 1..=col + 1).map(move |c| (r, c)));
        places.map(|(r, c)| *map.tile(r, c).unwrap()).collect()
    };
    let shown =
        |h: &Harness<'_, Host<Kinds>>| h.state().previews.sandbox.as_ref().unwrap().tiles.to_vec();
    select(&mut h, 5, 6);
    assert_eq!(shown(&h), around(5, 6));
    select(&mut h, 20, 9);
    assert_eq!(shown(&h), around(20, 9));
    assert_eq!(characters(&h).as_bytes(), map.tile(20, 9).unwrap().text());
    // A click in the view does not discard an edited tile.
    type_characters(&mut h, "6-0302002001002121010007");
    select(&mut h, 5, 6);
    assert_eq!(tried(&h), "6-0302002001002121010007");
    assert_eq!(shown(&h)[0], around(20, 9)[0]);
    h.get_by_label("Use the selected tile").click();
    h.run();
    assert_eq!(shown(&h), around(5, 6));
    h.get_by_label("Reset").click();
    h.run();
    assert_eq!(shown(&h), [Tile::default(); 9]);
    select(&mut h, 20, 9);
    assert_eq!(shown(&h), around(20, 9), "and it follows again");
}

#[test]
fn each_field_of_the_sandbox_changes_its_own_characters() {
    for (list, option, expected) in [
        ("Type", "6 corner_convex_sw", "6+0000000000101001111000"),
        ("Top material", "2 Lava", "0+0000002000101001111000"),
        ("Side material", "1 Cliffs", "0+0000000001101001111000"),
        ("Blend north", "edge", "0+0000000000101002111000"),
        ("Blend east", "none", "0+0000000000101001011000"),
        ("Blend south", "edge", "0+0000000000101001121000"),
        ("Blend west", "none", "0+0000000000101001110000"),
        ("Cover", "sparse grass", "0+0000000000101021111000"),
    ] {
        let mut h = sandbox();
        choose(&mut h, list, option);
        assert_eq!(tried(&h), expected, "{list}");
        assert_eq!(characters(&h), expected, "{list}");
    }
    for (flag, expected) in [
        ("Pathable", "0+0000000000001001111000"),
        ("Blend normals", "0+0000000000100001111000"),
        ("Bumpy", "0+0000000000101101111000"),
    ] {
        let mut h = sandbox();
        h.get_by_role_and_label(Role::CheckBox, flag).click();
        h.run();
        assert_eq!(tried(&h), expected, "{flag}");
        h.get_by_role_and_label(Role::CheckBox, flag).click();
        h.run();
        assert_eq!(tried(&h), "0+0000000000101001111000", "{flag} and back");
    }
    for (number, value, expected) in [
        ("Base height", -3.0, "0-0300000000101001111000"),
        ("Base height", 12.0, "0+1200000000101001111000"),
        ("Ramp height", 5.0, "0+0005000000101001111000"),
    ] {
        let mut h = sandbox();
        let field = by().role(Role::SpinButton).label(number);
        h.get(field).set_value_accesskit(value);
        h.run();
        assert_eq!(tried(&h), expected, "{number}");
    }
}

#[test]
fn typed_characters_change_the_fields() {
    let mut h = sandbox();
    type_characters(&mut h, "6-0302002001002121010007");
    assert_eq!(tried(&h), "6-0302002001002121010007");
    let value = |h: &Harness<'_, Host<Kinds>>, role, name: &str| {
        h.get_by_role_and_label(role, name).value()
    };
    for (list, expected) in [
        ("Type", "6 corner_convex_sw"),
        ("Top material", "2 Lava"),
        ("Side material", "1 Cliffs"),
        ("Blend north", "blur"),
        ("Blend east", "none"),
        ("Cover", "sparse grass"),
    ] {
        assert_eq!(
            value(&h, Role::ComboBox, list).as_deref(),
            Some(expected),
            "{list}"
        );
    }
    h.get_by_label("Copy text").click();
    h.run();
    assert_eq!(h.state().copied, ["6-0302002001002121010007"]);
}

#[test]
fn a_bad_character_is_explained_and_the_tile_stays() {
    for (text, explained) in [
        (
            "0+00000000x0101001111000",
            "Character 11 is `x`: expected a decimal digit (Side material)",
        ),
        (
            "D+0000000000101001111000",
            "Character 1 is `D`: expected a tile type from 0 to C (Type)",
        ),
        (
            "0*0000000000101001111000",
            "Character 2 is `*`: expected the sign of the base height",
        ),
        ("0+00", "Expected 24 characters, found 4"),
        (
            "0+000000000010100111100012",
            "Expected 24 characters, found 26",
        ),
        ("0?00", "Character 2 is `?`: expected the sign"),
        (
            "0+00000000\u{e9}0101001111000",
            "Character 11 is `\u{e9}`: expected an ASCII letter",
        ),
        ("", "Expected 24 characters, found 0"),
    ] {
        let mut h = sandbox();
        type_characters(&mut h, "1+0203000001101001111000");
        if text.is_empty() {
            h.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
            h.key_press(Key::Delete);
            h.run();
        } else {
            type_characters(&mut h, text);
        }
        assert!(h.query_by_label_contains(explained).is_some(), "{text}");
        assert_eq!(
            tried(&h),
            "1+0203000001101001111000",
            "what was good is still shown"
        );
        assert_eq!(characters(&h), text, "what was typed is not taken away");
        assert!(h.get_by_label("Copy text").accesskit_node().is_disabled());
    }
}

#[test]
fn an_old_blend_mode_for_all_edges_is_written_out_when_one_is_changed() {
    let mut h = sandbox();
    type_characters(&mut h, "0+0000000000111000000000");
    let north = h.get_by_role_and_label(Role::ComboBox, "Blend north");
    assert_eq!(north.value().as_deref(), Some("blur"));
    choose(&mut h, "Blend north", "none");
    assert_eq!(tried(&h), "0+0000000000101000111000");
}

#[test]
fn the_sandbox_fits_a_narrow_panel() {
    let mut h = plain().in_harness(small().with_size(vec2(240.0, 2400.0)), Kinds::ui);
    h.get_by_label("Sandbox").click();
    h.run();
    type_characters(&mut h, "C-9999001888001111000000");
    for list in [
        "Type",
        "Top material",
        "Side material",
        "Blend north",
        "Cover",
    ] {
        let rect = h.get_by_role_and_label(Role::ComboBox, list).rect();
        assert!(rect.right() <= 240.0, "{list}: {rect:?}");
    }
    let levels = h.get_by_label("y -396").rect();
    assert!(levels.right() <= 240.0, "{levels:?}");
    // Two per row, as wide as the longest name.
    let card = h
        .get_by_label("corner_concave_sw, code 5, 0 in the map")
        .rect();
    assert!(card.width() > 92.0 && card.right() <= 240.0, "{card:?}");
}

#[test]
fn a_minus_zero_does_not_outlive_a_change_of_height() {
    let mut h = sandbox();
    type_characters(&mut h, "0-0000000000101001111000");
    assert_eq!(tried(&h), "0-0000000000101001111000");
    let field = by().role(Role::SpinButton).label("Base height");
    h.get(field).set_value_accesskit(5.0);
    h.run();
    assert_eq!(tried(&h), "0+0500000000101001111000");
}

// ---- Curves --------------------------------------------------------------------------------

/// The panel with a selected joint, in the first clip.
fn curves_of(item: Item) -> (Harness<'static, Host<Curves>>, Arc<Sample>) {
    let sample = Arc::new(sample());
    let mut host: Host<Curves> = plain().selecting(item);
    host.document = sample.clone();
    host.shown.playhead = Playhead::at_frame(0, 4);
    let builder = Harness::builder().with_size(vec2(900.0, 240.0));
    (host.in_harness(builder, Curves::ui), sample)
}

#[test]
fn curves_say_their_values_at_the_frame() {
    let (mut h, _) = curves_of(joint(3));
    h.get_by_label_contains("Frame 4");
    h.get_by_label_contains("X 2.000");
    h.get_by_label_contains("Y -1.000");
    h.state_mut().shown.playhead.frame = 20.0;
    h.run();
    h.get_by_label_contains("X 10.000");
    // NaN is skipped and does not fail.
    h.get_by_label("Scale curves");
}

#[test]
fn curves_are_made_once_for_an_item_and_a_clip() {
    let (mut h, sample) = curves_of(joint(3));
    let made = || sample.asked[0].load(Ordering::Relaxed);
    for frame in 0..20_u8 {
        h.state_mut().shown.playhead.frame = frame.into();
        h.run();
    }
    assert_eq!(made(), 1);
    h.state_mut().shown.playhead = Playhead::at_frame(1, 4);
    h.run();
    h.get_by_label_contains("X -2.000");
    assert_eq!(made(), 2);
    h.state_mut().shown.selected = Some(joint(4));
    h.run();
    assert_eq!(made(), 3);
}

#[test]
fn groups_of_curves_are_switched_on_and_off() {
    let (mut h, _) = curves_of(joint(3));
    h.get_by_label("Translation").click();
    h.run();
    assert!(h.query_by_label("Translation curves").is_none());
    h.get_by_label("Scale").click();
    h.run();
    h.get_by_label("All curves are switched off");
    h.get_by_label("Translation").click();
    h.run();
    h.get_by_label("Translation curves");
}

#[test]
fn a_press_in_the_curves_asks_for_the_frame_that_is_there() {
    let (mut h, _) = curves_of(joint(3));
    for part in [0.1, 0.5, 0.99] {
        let plot = h.get_by_label("Translation curves").rect();
        let at = plot.left_center().lerp(plot.right_center(), part);
        h.drag_at(at);
        h.run();
        h.drop_at(at);
        h.run();
        let asked = h.state().asked();
        let Some(Request::ShowFrame(frame)) = asked.last() else {
            panic!("{asked:?}");
        };
        let there = part * 21.0 - 0.5;
        assert!((*frame as f32 - there).abs() <= 0.75, "{frame} at {part}");
    }
}

#[test]
fn without_curves_the_panel_says_what_to_do() {
    let (mut h, _) = curves_of(material(0));
    h.get_by_label("The selection has no curves");
    h.state_mut().shown.selected = None;
    h.run();
    h.get_by_label("No joint is selected");
    h.state_mut().shown.playhead = Playhead::default();
    h.run();
    h.get_by_label("No clip is shown");
}

#[test]
fn what_does_not_move_is_described_once_while_a_clip_plays() {
    for (index, times) in [(0, 1), (1, 6)] {
        let sample = Arc::new(sample());
        let mut host: Host<Inspector> = plain().selecting(tile(0, index));
        host.document = sample.clone();
        let mut h = host.in_harness(small(), Inspector::ui);
        for frame in 1..=5 {
            h.state_mut().shown.playhead = Playhead::at_frame(0, frame);
            h.run();
        }
        assert_eq!(sample.asked[1].load(Ordering::Relaxed), times);
    }
}

// ---- Pictures ------------------------------------------------------------------------------

/// Draws a panel at scales 1 and 2 and returns both pictures. Also saves them in the folder
/// `MAPSCOPE_TEST_PICTURES`, if set.
fn pictures<Panel: Default + 'static>(
    name: &str,
    size: [f32; 2],
    host: impl Fn() -> Host<Panel>,
    show: Show<Panel>,
    mut act: impl FnMut(&mut Harness<'static, Host<Panel>>),
) -> [image::RgbaImage; 2] {
    [1.0, 2.0].map(|scale| {
        let builder = Harness::builder()
            .with_size(egui::Vec2::from(size))
            .with_pixels_per_point(scale)
            .wgpu();
        let mut h = host().in_harness(builder, show);
        act(&mut h);
        let picture = h.render().unwrap();
        if let Some(folder) = std::env::var_os("MAPSCOPE_TEST_PICTURES") {
            let file = PathBuf::from(folder).join(format!("{name}-{scale}.png"));
            picture.save(file).unwrap();
        }
        picture
    })
}

/// Number of different hues among the bright, saturated pixels of a part of a picture.
fn hues(picture: &image::RgbaImage, rect: egui::Rect, scale: f32) -> usize {
    let mut found = [0; 24];
    for y in (rect.top() * scale) as u32..(rect.bottom() * scale) as u32 {
        for x in (rect.left() * scale) as u32..(rect.right() * scale) as u32 {
            let [r, g, b, _] = picture.get_pixel(x, y).0;
            let hsva = egui::ecolor::Hsva::from_srgb([r, g, b]);
            if hsva.v > 0.5 && hsva.s > 0.3 {
                found[(hsva.h * 24.0) as usize % 24] += 1;
            }
        }
    }
    found.iter().filter(|&&pixels| pixels > 1).count()
}

#[test]
fn the_fields_of_the_text_have_colours_of_their_own() {
    let mut rects = Vec::new();
    let host = || Host::new(sample()).selecting(tile(0, 0));
    let [one, two] = pictures("inspector", [340.0, 640.0], host, Inspector::ui, |h| {
        rects.clear();
        for text in ["+03", "02", "001"] {
            rects.push(h.get_by_label(text).rect());
        }
    });
    assert_eq!(
        (two.width(), two.height()),
        (one.width() * 2, one.height() * 2)
    );
    for (picture, scale) in [(&one, 1.0), (&two, 2.0)] {
        let together = rects.iter().copied().reduce(egui::Rect::union).unwrap();
        assert!(hues(picture, together, scale) >= 3, "fields differ");
        for rect in &rects {
            assert!(
                (1..=3).contains(&hues(picture, *rect, scale)),
                "one field, one colour"
            );
        }
    }
}

#[test]
fn every_panel_can_be_drawn() {
    let host = || Host::new(sample()).selecting(material(1));
    pictures("outliner", [300.0, 420.0], host, Outliner::ui, |h| {
        h.get_by_label("Chunks").click();
        h.run();
    });
    pictures(
        "nothing-selected",
        [300.0, 200.0],
        plain,
        Inspector::ui,
        |_| (),
    );
    let [one, _] = pictures("problems", [560.0, 160.0], plain, Problems::ui, |_| ());
    // An error and two warnings with their own shapes and colours.
    let whole = egui::Rect::from_min_size(egui::Pos2::ZERO, vec2(40.0, 160.0));
    assert!(hues(&one, whole, 1.0) >= 2);
    let none = || Host::new(Sample::new("", Vec::new()));
    pictures("no-problems", [560.0, 160.0], none, Problems::ui, |_| ());
    pictures("statistics", [300.0, 260.0], plain, Statistics::ui, |_| ());
    let on = || {
        let mut host = Host::new(sample());
        host.shown
            .overlays
            .set(&OVERLAYS, OverlayId::TileTypes, true);
        host
    };
    pictures("legend", [220.0, 100.0], on, legend_ui, |_| ());
    let with_previews = || {
        let mut host = plain();
        // Any existing texture: that of the fonts.
        host.previews.texture = Some(TextureId::default());
        host
    };
    let [one, _] = pictures("previews", [340.0, 900.0], with_previews, Kinds::ui, |h| {
        h.get_by_label("Sandbox").click();
        h.run();
    });
    let white = |row: std::ops::Range<u32>| {
        let pixels = row.flat_map(|y| (0..340).map(move |x| (x, y)));
        pixels
            .filter(|&(x, y)| one.get_pixel(x, y).0[0] > 200)
            .count()
    };
    assert!(white(42..100) > 100, "the first kinds have their pictures");
    pictures("kinds", [340.0, 1300.0], plain, Kinds::ui, |h| {
        h.get_by_label("Sandbox").click();
        h.get_by_label("ramp_sn, code 1, 384 in the map").click();
        h.run();
        type_characters(h, "1+0203002001121101010xyz");
    });
}
