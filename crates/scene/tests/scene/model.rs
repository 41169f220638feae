//! Models through the public interface: real models fit their declared bounds in every frame, and
//! descriptions match the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;
use mapscope_formats::pfobj::{self, Rotation};
use mapscope_formats::{Problem, Severity};
use mapscope_scene::model::Model;
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::{
    Aabb, Animation, Direction, Document, InfoQuery, Item, Line, ModelItem, OpenOptions,
    OutlineNode, OverlayId, Playhead, Progress, PropertyGroup, Ray, Shown, Source, TerrainItem,
};
use mapscope_testdata::{shared, stride, tiny_model};

/// Tolerance for bounds: files have six decimals.
const TOLERANCE: f32 = 0.001;

fn open(path: &Path) -> Arc<dyn Document> {
    let source = Source::read(path).unwrap();
    open_source(&source)
}

fn open_source(source: &Source) -> Arc<dyn Document> {
    match mapscope_scene::open(source, &OpenOptions::default(), &Progress::default()) {
        Ok(document) => document,
        Err(error) => panic!("{error}"),
    }
}

/// Opens a model that is not on disk.
fn open_text(text: &str) -> Arc<dyn Document> {
    open_source(&Source {
        path: "made.pfobj".into(),
        bytes: text.as_bytes().to_vec().into(),
        embedded: &[],
        archive: None,
    })
}

fn model(document: &dyn Document) -> &Model {
    document.content().unwrap()
}

fn real(name: &str) -> Option<Arc<dyn Document>> {
    shared("corpus/permafrost/assets/models").map(|folder| open(&folder.join(name)))
}

/// The real models; empty if they are not available.
fn corpus() -> Vec<PathBuf> {
    fn add(folder: &Path, models: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, models);
            } else if path.extension().is_some_and(|ending| ending == "pfobj") {
                models.push(path);
            }
        }
    }
    let mut models = Vec::new();
    if let Some(folder) = shared("corpus/permafrost/assets/models") {
        add(&folder, &mut models);
    }
    models.sort();
    models
}

const MODEL: Item = Item::Model(ModelItem::Model);

fn joint(index: usize) -> Item {
    ModelItem::Joint {
        index: index as u32,
    }
    .into()
}

/// The view state at a playhead.
fn at(playhead: Playhead) -> Shown {
    Shown {
        playhead,
        ..Shown::default()
    }
}

/// The value of a property, by titles of group and property.
#[track_caller]
fn value(groups: &[PropertyGroup], title: &str, name: &str) -> String {
    let group = groups
        .iter()
        .find(|group| group.title == title)
        .unwrap_or_else(|| panic!("no `{title}` in {groups:#?}"));
    let property = group
        .properties
        .iter()
        .find(|p| p.name == name)
        .unwrap_or_else(|| panic!("no `{name}` in {group:#?}"));
    property.value.clone()
}

#[test]
fn the_knight_fits_its_bounds_in_every_frame_of_every_clip() {
    let Some(document) = real("knight/knight.pfobj") else {
        return;
    };
    let knight = model(&*document);
    let mesh = knight.mesh();
    let mut palette = vec![SkinMatrix::IDENTITY; knight.palette_len()];
    let mut frames = 0;
    for (i, clip) in knight.pfobj().clips.iter().enumerate() {
        for (frame, declared) in (0..).zip(clip.bounds.iter().flatten()) {
            knight.write_palette(Playhead::at_frame(i, frame), &mut palette);
            let posed = mesh.vertices.iter().map(|v| mesh.skinned(v, &palette).0);
            let skinned = Aabb::around(posed).unwrap();
            let declared = Aabb::from(declared);
            let apart = (skinned.min - declared.min)
                .abs()
                .max((skinned.max - declared.max).abs());
            let place = format!("{} {frame}: {skinned:?}, declared {declared:?}", clip.name);
            assert!(apart.max_element() <= TOLERANCE, "{place}");
            let bounds = document
                .place(MODEL, &at(Playhead::at_frame(i, frame)))
                .bounds
                .unwrap();
            assert!(bounds.min.distance(skinned.min) < 1e-4, "{place}");
            frames += 1;
        }
    }
    assert_eq!(frames, 134);
    let info = document.info(&InfoQuery::default());
    for clip in info["clips"].as_array().unwrap() {
        let error = clip["bounds_error"].as_f64().unwrap();
        assert!(error <= f64::from(TOLERANCE), "{clip}");
    }
    assert_eq!(document.about().problems, []);
}

#[test]
fn real_models_open_and_those_with_wrong_bounds_are_told() {
    // The models with wrong bounds are known from the engine's own files (fact sheet B2, B5 and D).
    let wrong_bounds = ["arrow-green", "arrow-red", "cart"];
    let missing = ["dead-bush-01", "dead-bush-02", "dead-bush-03"];
    // Models with triangles that contradict all their normals; in two more models they contradict
    // only the mean.
    let reversed = [
        ("arrow-green", 129),
        ("arrow-red", 129),
        ("cart", 207),
        ("oak_leafless", 84),
        ("oak_tree", 121),
        ("wood_fence_1", 22),
        ("wood_fence_2", 16),
    ];
    let bent = [("knight", 2), ("dead-bush-02", 1)];
    for path in corpus() {
        let document = open(&path);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let problems: Vec<String> = document
            .about()
            .problems
            .iter()
            .map(Problem::facts)
            .collect();
        let have = |word: &str| problems.iter().any(|problem| problem.contains(word));
        assert_eq!(
            have("pfobj/bounds-differ"),
            wrong_bounds.contains(&name),
            "{name}: {problems:#?}"
        );
        // For the arrows, the clips are consequences of the bind pose; the cart has no clips.
        let of_bounds = document
            .about()
            .problems
            .iter()
            .filter(|problem| problem.rule.id == "pfobj/bounds-differ");
        let below: Vec<usize> = of_bounds.map(Problem::consequence_count).collect();
        match name {
            "arrow-green" | "arrow-red" => assert_eq!(below, [1], "{name}: {problems:#?}"),
            _ => assert!(
                below.iter().all(|count| *count == 0),
                "{name}: {problems:#?}"
            ),
        }
        assert_eq!(
            have("texture"),
            missing.contains(&name),
            "{name}: {problems:#?}"
        );
        let of = |list: &[(&str, usize)]| list.iter().find(|it| it.0 == name).map(|it| it.1);
        assert_eq!(
            have("pfobj/reversed-triangles"),
            of(&reversed).is_some(),
            "{name}: {problems:#?}"
        );
        let info = document.info(&InfoQuery::default());
        for (key, list) in [
            ("reversed_triangles", &reversed[..]),
            ("bent_triangles", &bent),
        ] {
            let listed = info[key].as_array().unwrap();
            assert_eq!(listed.len(), of(list).unwrap_or(0), "{name}: {key}");
        }
        assert_eq!(
            document.notes().len(),
            usize::from(of(&bent).is_some()),
            "{name}"
        );
        let expected =
            wrong_bounds.contains(&name) || missing.contains(&name) || of(&reversed).is_some();
        assert_eq!(problems.is_empty(), !expected, "{name}: {problems:#?}");
        for problem in &document.about().problems {
            assert_eq!(problem.severity, Severity::Warning, "{name}");
            assert!(
                document
                    .problem_target(problem)
                    .map(|target| target.item)
                    .is_some(),
                "{name}: {problem}"
            );
        }
        let bounds = document.about().bounds;
        assert!(bounds.min.cmple(bounds.max).all(), "{name}: {bounds:?}");
    }
}

#[test]
fn triangles_that_go_round_the_wrong_way_are_counted() {
    // Independent counts (fact sheet B4).
    for (name, reversed, triangles) in [
        // Two triangles have bent normals.
        ("knight/knight", 0, 646),
        ("cart/cart", 207, 688),
        ("arrow/arrow-red", 129, 156),
        ("oak_tree/oak_leafless", 84, 418),
        ("oak_tree/oak_tree", 121, 555),
        ("props/wood_fence_2", 16, 52),
        ("barrel/barrel", 0, 284),
    ] {
        let Some(document) = real(&format!("{name}.pfobj")) else {
            return;
        };
        let statistics = document.statistics();
        let count = |name| statistics.iter().find(|s| s.name == name).unwrap();
        assert_eq!(
            count("Reversed triangles").value,
            reversed.to_string(),
            "{name}"
        );
        assert_eq!(count("Triangles").value, triangles.to_string(), "{name}");
    }
}

#[test]
fn info_has_the_keys_of_the_contract() {
    let Some(document) = real("knight/knight.pfobj") else {
        return;
    };
    let info = document.info(&InfoQuery::default());
    let keys: Vec<&str> = info.keys().map(String::as_str).collect();
    let mut expected = [
        "vertices",
        "triangles",
        "joints",
        "materials",
        "clips",
        "bounds",
        "reversed_triangles",
        "bent_triangles",
        "unweighted_vertices",
    ];
    expected.sort_unstable();
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(info["vertices"], 1938);
    assert_eq!(info["triangles"], 646);
    let joints = info["joints"].as_array().unwrap();
    assert_eq!(joints.len(), 50);
    assert!(joints[0]["parent"].is_null());
    assert_eq!(joints[1]["parent"], 0);
    assert_eq!(info["materials"][0]["texture"], "Knight.png");
    assert_eq!(info["materials"][0]["found"], true);
    let clips: Vec<_> = info["clips"]
        .as_array()
        .unwrap()
        .iter()
        .map(|clip| {
            (
                clip["name"].as_str().unwrap(),
                clip["frames"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        clips,
        [
            ("Attack", 31),
            ("Damaged", 16),
            ("Die", 33),
            ("Idle", 21),
            ("Walk", 33)
        ]
    );
    let min = info["bounds"]["min"].to_string();
    assert!(min.len() < 40, "{min} is longer than it need be");
}

#[test]
fn a_real_skeleton_can_be_walked_and_asked() {
    let Some(document) = real("knight/knight.pfobj") else {
        return;
    };
    let knight = model(&*document);
    let skeleton = knight.skeleton();
    let root = skeleton.order()[0] as usize;
    let child = skeleton.children(root)[0] as usize;
    let step = |from: usize, direction| document.neighbor(joint(from), direction).item;
    assert_eq!(step(root, Direction::North), None);
    assert_eq!(step(root, Direction::South), Some(joint(child)));
    assert_eq!(step(child, Direction::North), Some(joint(root)));
    let parts = skeleton.order().iter().map(|joint| *joint as usize);
    let fork = parts
        .clone()
        .find(|j| skeleton.children(*j).len() > 1)
        .unwrap();
    let siblings = skeleton.children(fork);
    let [a, b] = [siblings[0] as usize, siblings[1] as usize];
    assert_eq!(step(a, Direction::East), Some(joint(b)));
    assert_eq!(step(b, Direction::West), Some(joint(a)));
    assert_eq!(step(a, Direction::West), None);

    // A joint's transform is the product of its parent's and its own, in every frame.
    let walk = Playhead::at_frame(4, 7);
    let groups = document.properties(joint(child), walk);
    let name = &knight.pfobj().joints[root].name;
    assert_eq!(&value(&groups, "Joint", "Parent"), name);
    let global = value(&groups, "At this frame, in the model", "Translation");
    let outline = document.contour(joint(child), &at(walk));
    let at = outline[0][0];
    let number = |axis: &str| {
        let after = global.split(&[axis, " "].concat()).nth(1).unwrap();
        let word = after.split_whitespace().next().unwrap();
        word.parse::<f32>().unwrap()
    };
    let said = Vec3::new(number("x"), number("y"), number("z"));
    assert!(said.distance(at) < 1e-3, "{said} {at}");
    // The bind pose has no frame.
    let bind = document.properties(joint(child), Playhead::default());
    assert!(bind.iter().all(|group| !group.title.contains("frame")));

    // The outline has every joint once.
    fn joints(lines: &[OutlineNode], found: &mut Vec<u32>) {
        for line in lines {
            if let Some(Item::Model(ModelItem::Joint { index })) = line.item {
                found.push(index);
            }
            joints(&line.children, found);
        }
    }
    let mut found = Vec::new();
    joints(&document.outline(), &mut found);
    found.sort_unstable();
    assert_eq!(found, (0..50).collect::<Vec<u32>>());

    let curves = document.animation().unwrap().curves(
        joint(child),
        4,
        mapscope_scene::CurveOptions::default(),
    );
    assert_eq!(curves.len(), 9);
    assert!(curves.iter().all(|curve| curve.values.len() == 33));
    // No curve of a real walk has jumps.
    for curve in curves.iter().filter(|curve| curve.group == "Rotation") {
        for pair in curve.values.windows(2) {
            assert!((pair[1] - pair[0]).abs() < 90.0, "{curve:?}");
        }
    }
}

#[test]
fn pointing_at_the_knight_finds_the_triangle_that_is_there_at_that_moment() {
    let Some(document) = real("knight/knight.pfobj") else {
        return;
    };
    let shown = Shown {
        playhead: Playhead::at_frame(0, 12),
        ..Shown::default()
    };
    let bounds = document.place(MODEL, &shown).bounds.unwrap();
    let mut hits = 0;
    for row in 0..40 {
        for column in 0..40 {
            let part = Vec3::new(column as f32, row as f32, 40.0) / 40.0;
            let target = bounds.min + (bounds.max - bounds.min) * part;
            let ray = Ray {
                origin: target + Vec3::Z * 50.0,
                direction: -Vec3::Z,
            };
            let Some(hit) = document.pick(ray, &shown) else {
                continue;
            };
            hits += 1;
            // The hit is on the triangle as drawn at that moment.
            let outline = document.contour(hit.item, &shown);
            let [a, b, c] = [outline[0][0], outline[1][0], outline[2][0]];
            let normal = (b - a).cross(c - a).normalize();
            assert!(normal.z > 0.0, "a back face is met");
            assert!((hit.position - a).dot(normal).abs() < 1e-3);
            let around = document.place(hit.item, &shown).bounds.unwrap();
            assert!(around.distance(hit.position) < 1e-3);
            let groups = document.properties(hit.item, shown.playhead);
            assert!(value(&groups, "Triangle", "Material").starts_with("0 "));
            assert!(value(&groups, "Corner 2", "Moved by").contains(", "));
        }
    }
    assert!(hits > 200, "{hits}");
}

/// A triangle with a material and a joint that moves it in a clip of one frame.
const SMALL: &str = "\
version 1.0
num_verts 3
num_joints 1
num_materials 1
num_as 1
frame_counts 1
has_collision 1
v 0 0 0
vt 0 0
vn 0 0 1
vw 0/1
vm 0
v 1 0 0
vt 1 0
vn 0 0 1
vw 0/1
vm 0
v 0 1 0
vt 0 1
vn 0 0 1
vw 0/1
vm 0
material Stone
 ambient 1
 diffuse 0.8 0.8 0.8
 specular 0 0 0
 texture ../stone.png
j 0 root 1/1/1 0/0/0/1 0/0/0 0/1/0
as Still 1
1 1/1/1 0/0/0/1 0/0/0
x_bounds 0 1
y_bounds 0 1
z_bounds 0 2.5
x_bounds 0 1
y_bounds -1 1
z_bounds 0 0
";

#[test]
fn json_has_corners_where_the_frame_has_them() {
    let mut file = tiny_model();
    let pose = &mut file.clips[0].poses[3];
    // A quarter turn around Z and a translation.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    pose.rotation = Rotation::ConjugatedQuaternion([0.0, 0.0, -half, half]);
    pose.translation = [10.0, 20.0, 30.0];
    let document = open_text(&String::from_utf8(pfobj::write(&file)).unwrap());
    let triangle = Item::from(ModelItem::Triangle { index: 0 });
    let corner = |playhead| {
        let corner = document.details(triangle, playhead)["corners"][1].clone();
        let numbers = |key: &str| {
            let numbers = corner[key]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default()
                .iter();
            numbers.map(|it| it.as_f64().unwrap()).collect::<Vec<_>>()
        };
        ["position", "normal", "in_the_bind_pose"].map(numbers)
    };
    let [position, normal, bind] = corner(Playhead::default());
    assert_eq!(position, [4.0, 5.0, 6.0]);
    assert_eq!((normal, bind), (vec![0.0, 1.0, 0.0], vec![]));
    let [position, normal, bind] = corner(Playhead {
        clip: Some(0),
        frame: 1.0,
        smooth: false,
        blend: None,
    });
    let is_near = |found: &[f64], expected: [f64; 3]| {
        let near = found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(found.len() == 3 && near, "{found:?}, expected {expected:?}");
    };
    is_near(&position, [5.0, 24.0, 36.0]);
    is_near(&normal, [-1.0, 0.0, 0.0]);
    assert_eq!(bind, [4.0, 5.0, 6.0]);
}

#[test]
fn a_model_of_which_nothing_can_be_drawn_says_so() {
    let sound = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    assert_eq!(open_text(&sound).emptiness(&Shown::default()), None);
    let commas = sound.lines().map(|line| {
        let number = if line.starts_with("v ") { "," } else { "." };
        line.replace('.', number)
    });
    let broken = open_text(&commas.collect::<Vec<_>>().join("\n"));
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    assert!(broken.about().problems.iter().any(is_error));
    assert!(broken.emptiness(&Shown::default()).is_some());
}

#[test]
fn problems_come_in_file_order_and_lead_to_what_they_are_about() {
    let document = open_text(SMALL);
    let found: Vec<(String, Item)> = document
        .about()
        .problems
        .iter()
        .map(|problem| {
            (
                problem.facts(),
                document.problem_target(problem).unwrap().item,
            )
        })
        .collect();
    let expected = [
        ("27:", "texture/name", "material 0"),
        (
            "33:",
            "pfobj/bounds-differ (FrameBounds 0 0): 0 2.5",
            "clip 0",
        ),
        ("35:", "pfobj/bounds-differ (BindBounds): -1 0", "model"),
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for ((text, item), (place, words, kind)) in found.iter().zip(expected) {
        assert!(text.starts_with(place) && text.contains(words), "{text}");
        assert_eq!(item.to_string(), kind, "{text}");
    }
    // The clip differs on other sides than the bind pose, so neither is a consequence of the other.
    let problems = document.about().problems.iter();
    assert!(problems.map(Problem::consequence_count).eq([0; 3]));
    // Reported bounds are the declared ones.
    let info = document.info(&InfoQuery::default());
    assert_eq!(info["bounds"]["min"][1], -1.0);
    assert_eq!(info["clips"][0]["bounds_error"], 2.5);
}

/// A missing or extra vertex shifts all later corners to other triangles, which may reverse them
/// and change the bounds.
#[test]
fn consequences_of_a_missing_or_extra_vertex_are_not_separate_problems() {
    let (head, rest) = SMALL.split_at(SMALL.find("v 0 0 0").unwrap());
    let rest = &rest[rest.find("material").unwrap()..];
    let rest = ["z_bounds 0 2.5", "y_bounds -1 1", "../stone.png"]
        .into_iter()
        .zip(["z_bounds 0 0", "y_bounds 0 6", "stone.png"])
        .fold(
            rest.replace("y_bounds 0 1", "y_bounds 0 6"),
            |text, (from, to)| text.replace(from, to),
        )
        .replace("x_bounds 0 1", "x_bounds 0 6");
    let head = head.replace("num_verts 3", "num_verts 6");
    let corners = ["0 0", "1 0", "0 1", "5 6", "6 5", "6 6"]
        .map(|at| format!("v {at} 0\nvt {at}\nvn 0 0 1\nvw 0/1\nvm 0\n"));
    let problems = |vertices: &[&str]| {
        let document = open_text(&[&head[..], &vertices.concat(), &rest].concat());
        let problems = document
            .about()
            .problems
            .iter()
            .filter(|problem| !problem.rule.id.starts_with("texture/"))
            .map(|problem| {
                let below = problem.consequences.iter().map(|it| it.rule.id);
                (problem.rule.id, below.collect::<Vec<_>>())
            });
        problems.collect::<Vec<_>>()
    };
    let [a, b, c, d, e, f] = corners.each_ref().map(String::as_str);
    assert_eq!(problems(&[a, b, c, d, e, f]), []);
    let reversed = "pfobj/reversed-triangles";
    let missing = problems(&[a, c, d, e, f]);
    let [("pfobj/count", below)] = &missing[..] else {
        panic!("{missing:?}");
    };
    assert!(below.contains(&reversed), "{below:?}");
    let too_many = problems(&["v 0 0 0\n", a, b, c, d, e, f]);
    // It is identified as extra and shifts nothing.
    assert_eq!(too_many, [("pfobj/line", Vec::new())]);
}

#[test]
fn broken_parts_are_reported_and_the_rest_is_shown() {
    let text = SMALL
        .replace("vw 0/1\nvm 0\nv 1 0 0", "vw 7/1\nvm 9\nv 1 0 0")
        .replace("0/0/0/1 0/0/0\nx", "0/0/0/0 0/0/0\nx");
    let document = open_text(&text);
    let made = model(&*document);
    assert_eq!(made.mesh().triangles, [0]);
    let item = Item::from(ModelItem::Triangle { index: 0 });
    let groups = document.properties(item, Playhead::at_frame(0, 0));
    assert_eq!(
        value(&groups, "Triangle", "Material"),
        "9: there is no such material"
    );
    let corner = value(&groups, "Corner 1", "Moved by");
    assert_eq!(corner, "nothing: it stays where it is");
    let mut palette = vec![SkinMatrix::IDENTITY; made.palette_len()];
    made.write_palette(Playhead::at_frame(0, 0), &mut palette);
    assert_eq!(palette, [SkinMatrix::IDENTITY]);
    // Queries for missing items return nothing.
    let tile = TerrainItem::Tile { row: 0, col: 0 }.into();
    for none in items(u32::MAX).into_iter().chain([tile]) {
        let playhead = Playhead::at_frame(5, 5);
        let shown = at(playhead);
        if none != MODEL {
            assert!(document.properties(none, playhead).is_empty(), "{none}");
            assert!(document.place(none, &shown).bounds.is_none(), "{none}");
            assert!(document.summary(none, &shown).is_empty(), "{none}");
        }
        assert!(document.contour(none, &shown).is_empty(), "{none}");
        assert_eq!(document.neighbor(none, Direction::South).item, None);
        assert_eq!(document.next_of_kind(none, None, false), None, "{none}");
    }
}

#[test]
fn every_overlay_can_be_shown_of_every_real_model_at_every_moment() {
    for path in corpus() {
        let document = open(&path);
        let mut lines: Vec<Line> = Vec::new();
        let mut labels = Vec::new();
        let mut moments = vec![Playhead::default()];
        let clips = document.animation().map_or(&[][..], Animation::clips);
        for (i, clip) in clips.iter().enumerate() {
            moments.push(Playhead {
                clip: Some(i),
                frame: clip.frames as f32 - 0.5,
                smooth: true,
                blend: None,
            });
        }
        for overlay in document.about().overlays {
            let mut shown = Shown::default();
            shown
                .overlays
                .set(document.about().overlays, overlay.id, true);
            for playhead in &moments {
                shown.playhead = *playhead;
                lines.clear();
                labels.clear();
                document.annotations().unwrap().lines(&shown, &mut lines);
                document.annotations().unwrap().labels(&shown, &mut labels);
                let has_joints = model(&*document).skeleton().is_empty();
                let expected = match overlay.id {
                    OverlayId::Skeleton => !has_joints,
                    OverlayId::OnionSkin => {
                        let clip = playhead.clip.and_then(|clip| clips.get(clip));
                        !has_joints && clip.is_some_and(|clip| clip.frames > 1)
                    }
                    OverlayId::NormalLines
                    | OverlayId::FrameBounds
                    | OverlayId::BindBounds
                    | OverlayId::HeightScale => true,
                    _ => false,
                };
                assert_eq!(
                    !lines.is_empty(),
                    expected,
                    "{} {}",
                    path.display(),
                    overlay.id
                );
            }
        }
    }
}

/// One item of each kind, with the given index if the kind has one.
fn items(index: u32) -> [Item; 5] {
    [
        ModelItem::Model,
        ModelItem::Joint { index },
        ModelItem::Triangle { index },
        ModelItem::Material { index },
        ModelItem::Clip { index },
    ]
    .map(Item::from)
}

/// Runs every query of a document, at valid and invalid playheads.
fn query_everything(document: &dyn Document) {
    let mut lines = Vec::new();
    let mut labels = Vec::new();
    let mut palette = vec![SkinMatrix::IDENTITY; model(document).palette_len()];
    let moment = |clip, frame, smooth| Playhead {
        clip: Some(clip),
        frame,
        smooth,
        blend: None,
    };
    let moments = [
        Playhead::default(),
        moment(0, 0.0, false),
        moment(0, 1.5, true),
        moment(1, 1e9, true),
        moment(7, f32::NAN, false),
    ];
    for playhead in moments {
        let mut shown = Shown {
            playhead,
            ..Shown::default()
        };
        for overlay in document.about().overlays {
            shown
                .overlays
                .set(document.about().overlays, overlay.id, true);
            let entries = document
                .legends(&shown)
                .into_iter()
                .map(|l| l.entries.len());
            assert!(entries.sum::<usize>() < 100_000);
        }
        for index in [0, 1, 2, u32::MAX] {
            for item in items(index) {
                shown.selected = Some(item);
                document.annotations().unwrap().lines(&shown, &mut lines);
                document.annotations().unwrap().labels(&shown, &mut labels);
                document.properties(item, playhead);
                document.summary(item, &shown);
                document.place(item, &shown);
                document.contour(item, &shown);
                document.legends(&shown);
                if let Some(animation) = document.animation() {
                    animation.curves(item, 0, mapscope_scene::CurveOptions::default());
                }
                document.next_of_kind(item, Some(item), true);
                document.neighbor(item, Direction::South);
            }
        }
        for x in [-0.5, 0.25, 0.5] {
            let ray = Ray {
                origin: Vec3::new(x, 0.25, 5.0),
                direction: -Vec3::Z,
            };
            document.pick(ray, &shown);
        }
        model(document).write_palette(playhead, &mut palette);
        let rows = palette.iter().flat_map(|skin| skin.rows);
        assert!(rows.flatten().all(f32::is_finite));
    }
    let finite = |line: &Line| line.ends.iter().all(|end| end.is_finite());
    assert!(lines.iter().all(finite));
    let bounds = document.about().bounds;
    assert!(bounds.min.is_finite() && bounds.max.is_finite());
    for problem in &document.about().problems {
        document.problem_target(problem);
    }
    document.outline();
    document.info(&InfoQuery::default());
}

#[test]
fn whatever_numbers_a_file_has_everything_can_be_asked_of_it() {
    let wild = [
        "0",
        "-1",
        "1",
        "2",
        "7",
        "nan",
        "inf",
        "1e38",
        "-3e38",
        "1e-38",
        "4294967296",
        "18446744073709551616",
        "x",
        "1/1/1",
        "0/0/0/0",
        "0/0/0",
        "90/45/30",
        "1e20/1e20/1e20",
    ];
    let two_frames = SMALL
        .replace("frame_counts 1", "frame_counts 2")
        .replace("as Still 1", "as Still 2")
        .replace(
            "z_bounds 0 2.5\n",
            "z_bounds 0 2.5\n1 1/1/1 0/0/1/0 0/0/5\nx_bounds 0 1\ny_bounds 0 1\nz_bounds 5 5\n",
        );
    let words: Vec<&str> = two_frames.split_inclusive([' ', '\n']).collect();
    let mut state = 7_u64;
    let mut below = |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % end
    };
    let mut opened = 0;
    for round in (0..1500).step_by(stride(5)) {
        let mut changed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        // First every word is changed alone, and then several together.
        for change in 0..=round / words.len() {
            let at = if change == 0 {
                round % words.len()
            } else {
                below(words.len())
            };
            let end = if changed[at].ends_with('\n') {
                "\n"
            } else {
                " "
            };
            changed[at] = [wild[below(wild.len())], end].concat();
        }
        let source = Source {
            path: "wild.pfobj".into(),
            bytes: changed.concat().into_bytes().into(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        if let Ok(document) = mapscope_scene::open(&source, &options, &progress) {
            query_everything(&*document);
            opened += 1;
        }
    }
    assert!(opened * stride(5) > 1000, "{opened}");
}
