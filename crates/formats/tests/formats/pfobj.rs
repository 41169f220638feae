//! PFOBJ through the public interface: real models, and the faults that an author can make.

use mapscope_formats::Problem;
use std::ops::ControlFlow;
use std::path::Path;

use mapscope_formats::pfobj::{
    self, FORMAT, Influence, Layout, Pfobj, PfobjError, Rotation, Summary,
};
use mapscope_formats::{Severity, Tally};
use mapscope_testdata::{shared, stride};

/// The real models; empty if they are missing.
fn corpus() -> Vec<(String, Vec<u8>)> {
    fn add(folder: &Path, models: &mut Vec<(String, Vec<u8>)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, models);
            } else if path.extension().is_some_and(|ending| ending == "pfobj") {
                models.push((path.display().to_string(), std::fs::read(path).unwrap()));
            }
        }
    }
    let mut models = Vec::new();
    if let Some(folder) = shared("corpus/permafrost/assets/models") {
        add(&folder, &mut models);
        assert_eq!(models.len(), 58);
    }
    models
}

#[track_caller]
fn read(text: impl AsRef<[u8]>) -> Pfobj {
    match pfobj::read(text.as_ref()) {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    }
}

/// The problems, each followed by its consequences, indented.
fn problems(model: &Pfobj) -> Vec<String> {
    let problems = model.problems.iter().flat_map(|problem| {
        let below = problem
            .consequences
            .iter()
            .map(|it| format!("  {}", it.facts()));
        std::iter::once(problem.facts()).chain(below)
    });
    problems.collect()
}

#[test]
fn real_models_come_back_byte_for_byte() {
    for (name, bytes) in corpus() {
        assert!((FORMAT.sniff)(&bytes), "{name}");
        let model = read(&bytes);
        assert_eq!(problems(&model), [""; 0], "{name}");
        let written = pfobj::write(&model);
        if written != bytes {
            let (a, b) = (
                String::from_utf8_lossy(&bytes),
                String::from_utf8_lossy(&written),
            );
            let (i, (a, b)) = a
                .lines()
                .zip(b.lines())
                .enumerate()
                .find(|(_, (a, b))| a != b)
                .unwrap();
            panic!("{name}:{}: read `{a}`, written `{b}`", i + 1);
        }
        assert_eq!(read(&written), model, "{name}");
        assert_eq!(pfobj::summarize(&bytes), Ok(Summary::of(&model)), "{name}");
    }
}

/// A small model without faults: a triangle, two joints, a clip of two frames. Tests change a part
/// of it.
const MODEL: &str = "\
version        1.0
num_verts      3
num_joints     2
num_materials  1
num_as         1
frame_counts   2
has_collision  1
v 0.500000 1.000000 -0.250000
vt 0.125000 1.500000
vn 0.000000 0.000000 1.000000
vw  0/1.000000
vm 0
v 1.500000 1.000000 -0.250000
vt 0.250000 1.500000
vn 0.000000 0.000000 1.000000
vw  1/0.750000 0/0.500000
vm 0
v 0.500000 2.000000 -0.250000
vt 0.375000 1.500000
vn 0.000000 0.000000 1.000000
vw  0/0.250000
vm 0
material Skin
    ambient 1.000000
    diffuse 0.800000 0.700000 0.600000
    specular 0.500000 0.400000 0.300000
    texture skin.png
j 0 root 1.000000/1.000000/1.000000 0.000000/0.000000/0.000000/1.000000 0.000000/0.500000/0.000000 0.000000/1.000000/0.000000
j 1 arm 1.000000/1.000000/2.000000 0.000000/0.600000/0.000000/0.800000 0.000000/1.500000/0.000000 1.000000/0.000000/0.000000
as Wave 2
        1 1.000000/1.000000/1.000000 0.000000/0.000000/0.000000/1.000000 0.000000/0.100000/0.000000
        2 1.000000/1.000000/1.000000 0.000000/0.600000/0.000000/0.800000 0.000000/0.200000/0.000000
\tx_bounds -1.000000 1.000000
\ty_bounds -2.000000 2.000000
\tz_bounds -3.000000 3.000000
        1 1.000000/1.000000/1.000000 0.000000/0.000000/0.000000/1.000000 0.000000/0.300000/0.000000
        2 1.000000/1.000000/1.000000 0.000000/0.600000/0.000000/0.800000 0.000000/0.400000/0.000000
\tx_bounds -1.500000 1.500000
\ty_bounds -2.500000 2.500000
\tz_bounds -3.500000 3.500000
x_bounds -4.000000 4.000000
y_bounds -5.000000 5.000000
z_bounds -6.000000 6.000000
";

/// The small model with a part of its text replaced; `from` must occur in it.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert!(MODEL.contains(from), "{from}");
    MODEL.replacen(from, to, 1)
}

/// The small model without the lines of these numbers, from 1.
fn without(lines: std::ops::RangeInclusive<usize>) -> String {
    let kept = (1..)
        .zip(MODEL.split_inclusive('\n'))
        .filter(|(number, _)| !lines.contains(number));
    kept.map(|(_, line)| line).collect()
}

/// The content of a model in one line.
fn summary(model: &Pfobj) -> String {
    let clips = model.clips.iter().map(|clip| {
        assert_eq!(
            clip.poses.len(),
            clip.frame_count as usize * model.joints.len()
        );
        assert_eq!(clip.frame_lines.len(), clip.frame_count as usize);
        assert!(clip.bounds.is_empty() || clip.bounds.len() == clip.frame_count as usize);
        format!("{} {}", clip.name, clip.frame_count)
    });
    format!(
        "{} vertices, {} materials, {} joints, {}{}",
        model.vertices.len() - model.bad_vertices.len(),
        model.materials.len(),
        model.joints.len(),
        clips.collect::<Vec<_>>().join(", "),
        if model.bounds.is_some() {
            ", bounds"
        } else {
            ""
        }
    )
}

const WHOLE: &str = "3 vertices, 1 materials, 2 joints, Wave 2, bounds";

/// A replacement in the small model, the content that is still shown, and all messages.
type Case<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

#[track_caller]
fn check_cases(cases: &[Case<'_>]) {
    for (from, to, shown, expected) in cases {
        let model = read(changed(from, to));
        assert_eq!(problems(&model), *expected, "`{from}` as `{to}`");
        assert_eq!(summary(&model), *shown, "`{from}` as `{to}`");
    }
}

/// Removed lines, from 1, the content that is still shown, and all messages.
type Gap<'a> = (std::ops::RangeInclusive<usize>, &'a str, &'a [&'a str]);

#[track_caller]
fn check_gaps(gaps: &[Gap<'_>]) {
    for (lines, shown, expected) in gaps {
        let model = read(without(lines.clone()));
        assert_eq!(problems(&model), *expected, "without {lines:?}");
        assert_eq!(summary(&model), *shown, "without {lines:?}");
    }
}

/// A model without the properties that depend on the layout of its text.
fn unplaced(mut model: Pfobj) -> Pfobj {
    model.problems.clear();
    model.notes.clear();
    model.bad_vertices.clear();
    model.layout = Layout::regular(model.vertices.len() as u32);
    for material in &mut model.materials {
        (material.line, material.texture_line) = (0, 0);
        material.texture_column = 1;
    }
    for joint in &mut model.joints {
        joint.line = 0;
    }
    for clip in &mut model.clips {
        clip.line = 0;
        clip.frame_lines.fill(0);
    }
    model
}

#[test]
fn a_model_is_read_as_it_is_written() {
    let model = read(MODEL);
    assert_eq!(problems(&model), [""; 0]);
    assert_eq!(summary(&model), WHOLE);
    assert_eq!(
        (model.version.as_str(), model.has_bounds, model.crlf),
        ("1.0", true, false)
    );
    assert_eq!(model.triangle_count(), 1);
    let second = model.vertices[1];
    assert_eq!(second.position, [1.5, 1.0, -0.25]);
    assert_eq!((second.uv, second.normal), ([0.25, 1.5], [0.0, 0.0, 1.0]));
    let influence = |joint, weight| Influence { joint, weight };
    assert_eq!(
        model.influences_of(&second),
        [influence(1, 0.75), influence(0, 0.5)]
    );
    assert_eq!(
        model.influences_of(&model.vertices[2]),
        [influence(0, 0.25)]
    );
    let material = &model.materials[0];
    assert_eq!(
        (material.name.as_str(), material.texture.as_str()),
        ("Skin", "skin.png")
    );
    assert_eq!((material.ambient, material.diffuse), (1.0, [0.8, 0.7, 0.6]));
    assert_eq!(material.specular, [0.5, 0.4, 0.3]);
    assert_eq!((material.line, material.texture_line), (23, 27));
    assert_eq!(material.texture_column, 13);
    let arm = &model.joints[1];
    assert_eq!(
        (arm.name.as_str(), arm.parent, arm.line),
        ("arm", Some(0), 29)
    );
    assert_eq!(arm.bind.scale, [1.0, 1.0, 2.0]);
    assert_eq!(
        arm.bind.rotation,
        Rotation::ConjugatedQuaternion([0.0, 0.6, 0.0, 0.8])
    );
    assert_eq!(
        (arm.bind.translation, arm.tip),
        ([0.0, 1.5, 0.0], [1.0, 0.0, 0.0])
    );
    let clip = &model.clips[0];
    assert_eq!(
        (clip.line, clip.frame_lines.as_slice()),
        (30, [31, 36].as_slice())
    );
    let heights: Vec<f32> = clip.poses.iter().map(|pose| pose.translation[1]).collect();
    assert_eq!(heights, [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(clip.bounds[1].unwrap().max, [1.5, 2.5, 3.5]);
    assert_eq!(model.bounds.unwrap().min, [-4.0, -5.0, -6.0]);
    assert_eq!(pfobj::write(&model), MODEL.as_bytes());
}

#[test]
fn lines_and_what_they_hold_are_found_from_each_other() {
    let model = read(MODEL);
    for (vertex, line) in [(0, 8), (1, 13), (2, 18)] {
        assert_eq!(model.vertex_line(vertex), line);
        for line in line..line + 5 {
            assert_eq!(model.vertex_at_line(line), Some(vertex));
        }
    }
    assert_eq!(
        (model.vertex_at_line(7), model.vertex_at_line(23)),
        (None, None)
    );
    let poses = [
        (30, None),
        (31, Some((0, 0, 0))),
        (32, Some((0, 0, 1))),
        (33, None),
    ];
    for (line, pose) in poses
        .into_iter()
        .chain([(37, Some((0, 1, 1))), (38, None), (9, None)])
    {
        assert_eq!(model.pose_at_line(line), pose, "line {line}");
    }
    // Blank and missing lines do not disturb either direction.
    let model = read(
        changed("vn 0.0", "\n\nvn 0.0")
            .replace("vt 0.25", "\nvt 0.25")
            .replace("vw  0/0.250000\n", ""),
    );
    let lines: Vec<u64> = (0..3).map(|vertex| model.vertex_line(vertex)).collect();
    assert_eq!(lines, [8, 15, 21]);
    for (line, vertex) in [
        (14, Some(0)),
        (15, Some(1)),
        (20, Some(1)),
        (21, Some(2)),
        (24, Some(2)),
    ] {
        assert_eq!(model.vertex_at_line(line), vertex, "line {line}");
    }
    assert_eq!(model.vertex_at_line(25), None);
}

#[test]
fn every_layout_is_read_alike() {
    let plain = unplaced(read(MODEL));
    let layouts = [
        ("two spaces", MODEL.replace(' ', "  ")),
        ("tabs", MODEL.replace("    ", "\t").replace(' ', "\t")),
        ("indented", MODEL.replace("\nv", "\n \t v")),
        (
            "no indent",
            MODEL.replace("\n        ", "\n").replace("\n\t", "\n"),
        ),
        ("blank lines", MODEL.replace("\nv 1.5", "\n\n \nv 1.5")),
        ("spaces at the ends", MODEL.replace('\n', "  \n")),
        (
            "short numbers",
            MODEL.replace("0000 ", " ").replace("0000\n", "\n"),
        ),
        (
            "long numbers",
            MODEL.replace(".000000", ".000000000000000000000000"),
        ),
        ("no last line end", MODEL.trim_end().to_owned()),
        ("a byte order mark", format!("\u{feff}{MODEL}")),
        (
            "a plus",
            MODEL.replace(" 0.5", " +0.5").replace("/0.5", "/+0.5"),
        ),
        (
            "an exponent",
            MODEL
                .replace("0.500000", "5e-1")
                .replace("1.500000", "0.15E1"),
        ),
        ("no digit before the point", MODEL.replace(" 0.5", " .5")),
        ("no digit after the point", MODEL.replace("1.000000", "1.")),
        ("no point", MODEL.replace("1.000000", "1")),
        (
            "the name of the document",
            MODEL.replace("num_materials", "num_material"),
        ),
    ];
    for (name, text) in layouts {
        let model = read(&text);
        let errors: Vec<_> = model
            .problems
            .iter()
            .filter(|p| p.severity == Severity::Error && p.rule.leaves_out)
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let model = unplaced(model);
        assert_eq!(model, plain, "{name}");
        assert_eq!(pfobj::write(&model), MODEL.as_bytes(), "{name}");
    }
    let crlf = MODEL.replace('\n', "\r\n");
    let model = read(&crlf);
    assert_eq!(problems(&model), [""; 0]);
    assert!(model.crlf);
    assert_eq!(pfobj::write(&model), crlf.as_bytes());
    assert_eq!(
        Pfobj {
            crlf: false,
            ..model
        },
        read(MODEL)
    );
}

#[test]
fn models_may_stand_still_and_have_no_bounds() {
    let head =
        "version 1.0\nnum_verts 3\nnum_joints 0\nnum_materials 1\nnum_as 0\nframe_counts   \n";
    let vertices = "v 1 2 3\nvt 0 1\nvn 0 1 0\nvw\nvm 0\n".repeat(3);
    let material = "material Old Stone\nambient 1\ndiffuse 1 1 1\nspecular 0 0 0\ntexture a.png\n";
    let model = read(format!("{head}has_collision 0\n{vertices}{material}"));
    let warning = "7:15: error: pfobj/no-bounds: has_collision 0";
    assert_eq!(problems(&model), [warning]);
    assert_eq!(summary(&model), "3 vertices, 1 materials, 0 joints, ");
    assert_eq!(model.materials[0].name, "Old Stone");
    assert_eq!(unplaced(read(pfobj::write(&model))), unplaced(model));
    // The last bounds need no clips.
    let bounds = "x_bounds 0 1\ny_bounds 0 1\nz_bounds 0 1\n";
    let model = read(format!(
        "{head}has_collision 1\n{vertices}{material}{bounds}"
    ));
    assert_eq!(problems(&model), [""; 0]);
    assert!(model.bounds.is_some());
    // Clips without bounds, one of them without a frame.
    let text = MODEL
        .split_inclusive('\n')
        .filter(|line| !line.contains("_bounds"))
        .collect::<String>()
        .replace("collision  1", "collision  0")
        .replace("num_as         1", "num_as         2")
        .replace("counts   2", "counts   2 0");
    let model = read(format!("{text}as Stand 0\n"));
    assert_eq!(problems(&model), [warning.replace("7:15", "7:16")]);
    assert_eq!(
        summary(&model),
        "3 vertices, 1 materials, 2 joints, Wave 2, Stand 0"
    );
    assert_eq!(unplaced(read(pfobj::write(&model))), unplaced(model));
}

#[test]
fn rotations_of_three_angles_and_names_with_spaces_come_back() {
    let text = changed(
        "0.000000/0.600000/0.000000/0.800000 0.000000/1.5",
        "0.000000/90.000000/0.000000 0.000000/1.5",
    )
    .replace("as Wave 2", "as Wave  with both 2")
    .replace("1 arm", "1 left arm");
    let model = read(&text);
    assert_eq!(
        problems(&model),
        [
            "29:5: error: pfobj/bad-name (Joint 1): left arm",
            "29:41: warning: pfobj/euler-rotation (Joint 1): 0.000000/90.000000/0.000000 1",
            "30:4: warning: pfobj/name (Clip 0): Wave  with both",
        ]
    );
    assert_eq!(
        model.joints[1].bind.rotation,
        Rotation::EulerDegrees([0.0, 90.0, 0.0])
    );
    assert_eq!(
        (model.joints[1].name.as_str(), model.clips[0].name.as_str()),
        ("left arm", "Wave  with both")
    );
    assert_eq!(pfobj::write(&model), text.as_bytes());
}

#[test]
fn numbers_come_back_bit_for_bit() {
    let numbers = [
        0.1,
        -0.0,
        1e-7,
        -1.2345678e-30,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::MAX,
        16777217.0,
        123456.79,
        0.000001,
        3.0000002,
        -1e15,
        9.999_999e14,
    ];
    for number in numbers {
        let mut model = read(MODEL);
        model.vertices[1].position = [number, -number, 1.0];
        model.clips[0].poses[2].translation[1] = number;
        let again = read(pfobj::write(&model));
        assert_eq!(again, model);
        let bits = again.vertices[1].position.map(f32::to_bits);
        assert_eq!(
            bits,
            model.vertices[1].position.map(f32::to_bits),
            "{number}"
        );
        assert!(
            again.problems.is_empty(),
            "{number}: lines too long for the engine"
        );
    }
}

#[test]
fn the_head_is_a_promise_that_need_not_be_kept() {
    check_cases(&[
        (
            "num_verts      3",
            "num_verts 2147483649",
            WHOLE,
            &["2:11: error: pfobj/header-count: 2147483649 43"],
        ),
        (
            "num_verts      3",
            "num_verts 99999999999999999999999999",
            WHOLE,
            &["2:11: error: pfobj/header-count: 43 99999999999999999999999999"],
        ),
        (
            "num_joints     2",
            "num_joints 2147483648",
            WHOLE,
            &["3:12: error: pfobj/header-count: 2147483648 46"],
        ),
        (
            "num_verts      3",
            "num_verts 6",
            WHOLE,
            &["23:1: error: pfobj/count (Vertex 2): 3 6 material num_verts"],
        ),
        (
            "num_verts      3",
            "num_verts 2",
            WHOLE,
            &[
                "2:11: error: pfobj/triangles: 2 3",
                "  18:1: error: pfobj/count (Vertex 1): 2 num_verts v",
            ],
        ),
        (
            "num_verts",
            "num_vertx",
            WHOLE,
            &[
                "2:1: error: pfobj/header-line: num_vertx",
                "  3:1: error: pfobj/header-line: num_joints",
            ],
        ),
        (
            "num_verts      3",
            "num_verts      three",
            WHOLE,
            &["2:16: error: pfobj/header-line: three"],
        ),
        (
            "num_verts      3",
            "num_verts",
            WHOLE,
            &["2:10: error: pfobj/header-line"],
        ),
        (
            "version        1.0",
            "version one",
            WHOLE,
            &["1:9: error: pfobj/header-line: one"],
        ),
        (
            "num_joints     2\nnum_materials  1",
            "num_materials 1\nnum_joints 2",
            WHOLE,
            &[
                "3:1: error: pfobj/header-line: num_materials",
                "  4:1: error: pfobj/header-line: num_joints",
            ],
        ),
        (
            "num_materials",
            "num_material",
            WHOLE,
            &["4:1: error: pfobj/num-material: num_material num_materials"],
        ),
        (
            "num_joints     2",
            "num_joints     3",
            WHOLE,
            &["30:1: error: pfobj/count: 2 3 as num_joints"],
        ),
        (
            "num_joints     2",
            "num_joints     1",
            WHOLE,
            &["29:1: error: pfobj/count: 1 j num_joints"],
        ),
        (
            "has_collision  1",
            "has_collision  0",
            WHOLE,
            &[
                "7:16: error: pfobj/no-bounds: has_collision 0",
                "  33:2: error: pfobj/count (FrameBounds 0 0): has_collision x_bounds",
            ],
        ),
        (
            "has_collision  1",
            "has_collision  2",
            WHOLE,
            &["7:16: error: pfobj/header-line: 0 1 2"],
        ),
        (
            "frame_counts   2",
            "frame_counts   ",
            WHOLE,
            &["6:16: error: pfobj/header-line: 0 num_as"],
        ),
        (
            "frame_counts   2",
            "frame_counts   x",
            WHOLE,
            &["6:16: error: pfobj/header-line: x"],
        ),
    ]);
    check_gaps(&[
        (2..=2, WHOLE, &["2:1: error: pfobj/header-line: num_joints"]),
        (
            5..=5,
            WHOLE,
            &["5:1: error: pfobj/header-line: frame_counts"],
        ),
        (7..=7, WHOLE, &["7:1: error: pfobj/header-line: v"]),
    ]);
}

#[test]
fn limits_of_the_engine_are_said() {
    let long = "a".repeat(64);
    check_cases(&[
        (
            "skin.png",
            "my skin.png",
            WHOLE,
            &["27:13: warning: pfobj/name (Material 0): my skin.png"],
        ),
        (
            "skin.png",
            &long,
            WHOLE,
            &[
                "27:13: warning: pfobj/name (Material 0): 63 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...",
            ],
        ),
        (
            "material Skin",
            "material __none__",
            WHOLE,
            &["23:10: error: pfobj/bad-name (Material 0): __none__"],
        ),
        (
            "j 1 arm",
            &format!("j 1 {long}"),
            WHOLE,
            &[
                "29:5: error: pfobj/bad-name (Joint 1): 63 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...",
            ],
        ),
        (
            "vw  0/0.250000\n",
            "vw\n",
            WHOLE,
            &["21:3: error: pfobj/empty-weights (Vertex 2): 1 vw"],
        ),
        (
            "1/0.750000",
            "1/0.1 1/0.2 1/0.3 1/0.4 1/0.5 1/0.6",
            WHOLE,
            &["16:41: warning: pfobj/influences (Vertex 1): 1 6"],
        ),
        (
            "vm 0\nv 0.5",
            "vm 0\n\nv 0.5",
            WHOLE,
            &["18:1: error: pfobj/blank-line"],
        ),
        (
            "vt 0.250000 1.5",
            "vt 0.250000 2.0 1.5",
            WHOLE,
            &["14:17: warning: pfobj/extra-words (Vertex 1)"],
        ),
    ]);
    let lists = [
        (
            "num_as         1",
            "num_as 33",
            "5:8: error: pfobj/limit: 32 33",
        ),
        (
            "num_materials  1",
            "num_materials 17",
            "4:15: error: pfobj/limit: 16 17",
        ),
        (
            "num_joints     2",
            "num_joints 257",
            "3:12: error: pfobj/joint-limit: 256 257",
        ),
    ];
    // One problem for all vertices.
    let few = "1/0.750000";
    let many = "1/0.1 1/0.2 1/0.3 1/0.4 1/0.5 1/0.6";
    let text = MODEL.replace("vw  0/1.000000", &format!("vw  0/1.0 {many}"));
    let crowded = read(text.replace(few, many));
    let said = "11:41: warning: pfobj/influences (Vertex 0): 16 2 6";
    assert_eq!(problems(&crowded), [said]);
    let named = read(changed("as Wave", &format!("as {long} more")));
    assert!(problems(&named)[0].starts_with(
        "30:4: error: pfobj/bad-name (Clip 0): 63 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    ));
    for (from, to, warning) in lists {
        let model = read(changed(from, to));
        let said = problems(&model);
        assert!(
            said.iter().any(|it| it.trim_start() == warning),
            "{said:#?}"
        );
    }
    let model = read(changed("vm 0", &format!("vm 0{}", " ".repeat(300))));
    assert_eq!(
        problems(&model),
        ["12:256: error: pfobj/long-line (Vertex 0): 255 305"]
    );
    assert_eq!(
        problems(&read(format!("\u{feff}{MODEL}"))),
        ["1:1: error: pfobj/byte-order-mark"]
    );
    assert_eq!(
        problems(&read(format!("{MODEL}hello\nworld\n"))),
        ["44:1: warning: pfobj/trailing-data: 12 hello\\nworld\\n"]
    );
    assert_eq!(
        problems(&read(MODEL.trim_end())),
        ["43:28: error: pfobj/last-line"]
    );
    let model = read(changed("1/0.750000", "1/0.1 1/0.2 1/0.3 1/0.4 1/0.5 1/0.6"));
    let weights = model
        .influences_of(&model.vertices[1])
        .iter()
        .map(|i| i.weight);
    assert_eq!(weights.collect::<Vec<_>>(), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
}

#[test]
fn a_broken_vertex_spoils_no_other() {
    const TWO: &str = "2 vertices, 1 materials, 2 joints, Wave 2, bounds";
    check_cases(&[
        (
            "v 1.500000",
            "v 1.5x",
            TWO,
            &["13:3: error: pfobj/value (Vertex 1): 1.5x"],
        ),
        (
            "v 1.500000 1.000000 -0.250000",
            "v 1.5 1.0",
            TWO,
            &["13:10: error: pfobj/value (Vertex 1)"],
        ),
        (
            "v 1.500000",
            "w 1.500000",
            TWO,
            &[
                "13:1: error: pfobj/line (Vertex 1): w",
                "  14:1: error: pfobj/line (Vertex 1): vt",
            ],
        ),
        (
            "vt 0.250000",
            "vx 0.250000",
            WHOLE,
            &[
                "14:1: error: pfobj/line (Vertex 1): vx",
                "  15:1: error: pfobj/line (Vertex 1): vn",
            ],
        ),
        (
            "vt 0.250000",
            "hello\nvt 0.250000",
            WHOLE,
            &["14:1: error: pfobj/line (Vertex 1): hello"],
        ),
        (
            "vt 0.250000",
            "vt 0,25",
            WHOLE,
            &["14:4: error: pfobj/decimal-comma (Vertex 1): 0,25"],
        ),
        (
            "1/0.750000",
            "1:0.75",
            WHOLE,
            &["16:5: error: pfobj/value (Vertex 1): 1:0.75"],
        ),
        (
            "1/0.750000",
            "one/0.75",
            WHOLE,
            &["16:5: error: pfobj/value (Vertex 1): one/0.75"],
        ),
        (
            "vm 0",
            "vm -1",
            WHOLE,
            &["12:4: error: pfobj/value (Vertex 0): -1"],
        ),
    ]);
    check_gaps(&[
        (13..=13, TWO, &["13:1: error: pfobj/line (Vertex 1): vt"]),
        (14..=14, WHOLE, &["14:1: error: pfobj/line (Vertex 1): vn"]),
        (14..=15, WHOLE, &["14:1: error: pfobj/line (Vertex 1): vw"]),
        (17..=17, WHOLE, &["17:1: error: pfobj/line (Vertex 1): v"]),
        (
            13..=17,
            TWO,
            &["18:1: error: pfobj/count (Vertex 1): 2 3 material num_verts"],
        ),
    ]);
    let model = read(changed("v 1.500000", "v 1.5x"));
    assert_eq!(model.bad_vertices, [1]);
    assert_eq!(model.vertices[1].uv, [0.25, 1.5]);
}

#[test]
fn numbers_that_are_not_finite_are_replaced() {
    check_cases(&[
        (
            "v 1.500000",
            "v nan",
            WHOLE,
            &["13:3: error: pfobj/not-finite (Vertex 1): 0 nan"],
        ),
        (
            "vn 0.000000",
            "vn -inf",
            WHOLE,
            &["10:4: error: pfobj/not-finite (Vertex 0): -inf 0"],
        ),
        (
            "vt 0.250000",
            "vt 1e99",
            WHOLE,
            &["14:4: error: pfobj/not-finite (Vertex 1): 0 1e99"],
        ),
        (
            "1/0.750000",
            "1/nan",
            WHOLE,
            &["16:7: error: pfobj/not-finite (Vertex 1): 0 nan"],
        ),
        (
            "diffuse 0.8",
            "diffuse infinity 0.8",
            WHOLE,
            &[
                "25:13: error: pfobj/not-finite (Material 0): 0 infinity",
                "25:40: warning: pfobj/extra-words (Material 0)",
            ],
        ),
        (
            "1.000000/1.000000/2.000000",
            "1.000000/1.000000/nan",
            WHOLE,
            &["29:27: error: pfobj/not-finite (Joint 1): 1 nan"],
        ),
        (
            "/0.100000/",
            "/nan/",
            WHOLE,
            &["31:83: error: pfobj/not-finite (Frame 0 0): 0 nan"],
        ),
        (
            "x_bounds -4.000000",
            "x_bounds -inf",
            WHOLE,
            &["41:10: error: pfobj/not-finite (BindBounds): -inf 0"],
        ),
    ]);
    let model = read(changed(
        "1.000000/1.000000/2.000000",
        "nan/1.000000/2.000000",
    ));
    assert_eq!(model.joints[1].bind.scale, [1.0, 1.0, 2.0]);
}

#[test]
fn references_that_lead_nowhere_are_named() {
    check_cases(&[
        (
            "1/0.750000",
            "7/0.750000",
            WHOLE,
            &["16:5: error: pfobj/joint-index (Vertex 1): 1 7"],
        ),
        (
            "0/0.500000",
            "2/0.500000",
            WHOLE,
            &["16:16: error: pfobj/joint-index (Vertex 1): 1 2"],
        ),
        (
            "vm 0",
            "vm 4294967295",
            WHOLE,
            &["12:4: error: pfobj/material-index (Vertex 0): 0 4294967295"],
        ),
        (
            "1/0.750000",
            "1/-0.75",
            WHOLE,
            &["16:7: warning: pfobj/negative-weight (Vertex 1): -0.75 1"],
        ),
        (
            "j 1 arm",
            "j 9 arm",
            WHOLE,
            &["29:3: error: pfobj/parent (Joint 1): 0 2 9"],
        ),
        (
            "j 1 arm",
            "j 2 arm",
            WHOLE,
            &["29:3: error: pfobj/parent-cycle (Joint 1): 2 arm"],
        ),
        (
            "j 0 root",
            "j 2 root",
            WHOLE,
            &["28:3: error: pfobj/parent-cycle (Joint 0): 1 2 root"],
        ),
        (
            "0.000000/0.600000/0.000000/0.800000",
            "0.0/0.0/-0.0/0",
            WHOLE,
            &["29:36: error: pfobj/rotation (Joint 1): 0 1"],
        ),
        (
            "0.000000/0.600000/0.000000/0.800000 0.000000/0.2",
            "0.0/0.0/0.0/0.0 0.000000/0.2",
            WHOLE,
            &["32:38: error: pfobj/rotation (Frame 0 0): 0 1"],
        ),
    ]);
    let parents = |text: String| {
        read(text)
            .joints
            .iter()
            .map(|joint| joint.parent)
            .collect::<Vec<_>>()
    };
    assert_eq!(parents(changed("j 1 arm", "j 9 arm")), [None, None]);
    assert_eq!(parents(changed("j 1 arm", "j 2 arm")), [None, None]);
    assert_eq!(parents(changed("j 0 root", "j 2 root")), [None, Some(0)]);
    let long = "arm\u{1}".repeat(99);
    let model = read(changed("j 1 arm", &format!("j 2 {long}")));
    let said = problems(&model);
    let message = said.iter().find(|said| said.contains("pfobj/parent-cycle"));
    let quoted = format!("2 {}...", "arm\\u{1}".repeat(5));
    assert!(message.unwrap().contains(&quoted), "{said:?}");
}

#[test]
fn cycles_among_many_joints_are_cut_once() {
    let joint = "1/1/1 0/0/0/1 0/0/0 0/1/0";
    // Two chains into a cycle of three (joints 3, 4 and 5), and one to a root.
    let parents = [3, 1, 5, 3, 4, 0, 6, 7];
    let joints: Vec<String> = (1..)
        .zip(parents)
        .map(|(i, parent)| format!("j {parent} b{i} {joint}\n"))
        .collect();
    let joints = joints.concat();
    let model = read(format!(
        "version 1\nnum_verts 0\nnum_joints 8\nnum_materials 0\nnum_as 0\nframe_counts \nhas_collision 1\n\
         {joints}x_bounds 0 1\ny_bounds 0 1\nz_bounds 0 1\n"
    ));
    let found: Vec<_> = model.joints.iter().map(|joint| joint.parent).collect();
    assert_eq!(
        found,
        [
            Some(2),
            Some(0),
            None,
            Some(2),
            Some(3),
            None,
            Some(5),
            Some(6)
        ]
    );
    assert_eq!(
        problems(&model),
        [
            "4:15: warning: pfobj/no-materials",
            "10:3: error: pfobj/parent-cycle (Joint 2): 3 b3",
        ]
    );
}

#[test]
fn broken_materials_and_joints_keep_their_place() {
    check_cases(&[
        (
            "texture skin.png",
            "texture",
            WHOLE,
            &["27:12: error: pfobj/value (Material 0)"],
        ),
        (
            "ambient 1.000000",
            "ambient",
            WHOLE,
            &["24:12: error: pfobj/value (Material 0)"],
        ),
        (
            "j 1 arm",
            "j 1",
            WHOLE,
            &["29:5: error: pfobj/bad-name (Joint 1): 1.000000/1.000000/2.000000"],
        ),
        (
            " 1.000000/0.000000/0.000000\nas",
            "\nas",
            WHOLE,
            &["29:98: error: pfobj/value (Joint 1)"],
        ),
        (
            "j 1 arm",
            "j -1 arm",
            WHOLE,
            &["29:3: error: pfobj/value (Joint 1): -1"],
        ),
    ]);
    check_gaps(&[
        (
            23..=23,
            WHOLE,
            &["23:5: error: pfobj/line (Material 0): ambient"],
        ),
        (
            26..=26,
            WHOLE,
            &["26:5: error: pfobj/line (Material 0): texture"],
        ),
    ]);
    let out_of_order = without(23..=27).replace(
        "as Wave",
        "material Skin\nambient 1\ndiffuse 1 1 1\nspecular 1 1 1\ntexture a\nas Wave",
    );
    let model = read(out_of_order);
    assert_eq!(summary(&model), WHOLE);
    assert_eq!(
        problems(&model),
        [
            "23:1: error: pfobj/count: 0 1 j num_materials",
            "  25:1: error: pfobj/order: material",
        ]
    );
}

#[test]
fn clips_keep_their_whole_frames() {
    const ONE: &str = "3 vertices, 1 materials, 2 joints, Wave 1, bounds";
    check_cases(&[
        (
            "frame_counts   2",
            "frame_counts   3",
            WHOLE,
            &["30:9: error: pfobj/frame-count (Clip 0): 2 3 frame_counts"],
        ),
        (
            "as Wave 2",
            "as Wave 3",
            WHOLE,
            &["30:9: error: pfobj/frame-count (Clip 0): 2 3 frame_counts"],
        ),
        (
            "as Wave 2",
            "as Wave 1",
            WHOLE,
            &["30:9: error: pfobj/frame-count (Clip 0): 1 2 frame_counts"],
        ),
        (
            "as Wave 2",
            "as Wave",
            WHOLE,
            &["30:4: error: pfobj/value (Clip 0): Wave"],
        ),
        (
            "        2 1",
            "        2 1/1/1 0/0/0/1 0/0/0\n        2 1",
            WHOLE,
            &["33:9: error: pfobj/frame (Frame 0 0): 2"],
        ),
        (
            "/0.100000/",
            "/0.1x0000/",
            WHOLE,
            &["31:83: error: pfobj/value (Frame 0 0): 0.1x0000"],
        ),
        (
            "        2 1",
            "        two 1",
            WHOLE,
            &[
                "32:9: error: pfobj/frame (Frame 0 0): 2 two",
                "  32:9: error: pfobj/line (FrameBounds 0 0): two",
            ],
        ),
        (
            "x_bounds -1.000000 1.000000",
            "x_bounds 1.0 -1.0",
            WHOLE,
            &["33:10: warning: pfobj/bounds-order (FrameBounds 0 0): -1 1"],
        ),
    ]);
    check_gaps(&[
        (
            32..=32,
            WHOLE,
            &["32:2: error: pfobj/frame (Frame 0 0): 2 x_bounds"],
        ),
        (36..=36, WHOLE, &["36:9: error: pfobj/frame (Frame 0 1): 2"]),
        (
            36..=40,
            ONE,
            &["36:1: error: pfobj/frame-count (Clip 0): 1 2 30"],
        ),
        (
            33..=35,
            WHOLE,
            &["33:9: error: pfobj/bounds (FrameBounds 0 0): 1"],
        ),
        (
            34..=34,
            WHOLE,
            &["34:2: error: pfobj/line (FrameBounds 0 0): z_bounds"],
        ),
        (
            41..=43,
            "3 vertices, 1 materials, 2 joints, Wave 2",
            &["41:1: error: pfobj/bounds"],
        ),
        (
            43..=43,
            "3 vertices, 1 materials, 2 joints, Wave 2",
            &["43:1: error: pfobj/line (BindBounds)"],
        ),
    ]);
    // The damaged frame keeps its place, at rest.
    let model = read(without(32..=32));
    let clip = &model.clips[0];
    let binds: Vec<_> = model.joints.iter().map(|joint| joint.bind).collect();
    assert_eq!(clip.poses[..2], binds);
    assert_eq!(
        (clip.poses[3].translation[1], clip.bounds[1].unwrap().max[0]),
        (0.4, 1.5)
    );
    assert_eq!(clip.frame_lines, [31, 35]);
    // Without bounds, numbers of joints show where a frame begins.
    let text = without(32..=32).replace("has_collision  1", "has_collision 1");
    let model = read(without_bounds(&text));
    assert_eq!(summary(&model), "3 vertices, 1 materials, 2 joints, Wave 2");
    assert_eq!(model.clips[0].poses[2].translation[1], 0.3);
    // A frame without bounds does not affect the bounds of others.
    let bounds = &read(without(33..=35)).clips[0].bounds;
    assert_eq!(
        bounds.iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, true]
    );
}

/// The engine's exporter writes the joints of all armatures, and the poses of the first one.
#[test]
fn joints_of_another_armature_stay_at_rest() {
    let two = dancing().replace("num_joints 4", "num_joints 6").replace(
        "as Walk",
        "j 0 c0 1/1/1 0/0/0/1 5/0/0 0/1/0\nj 5 c1 1/1/1 0/0/0/1 0/2/0 0/1/0\nas Walk",
    );
    let model = read(&two);
    let expected = "39:1: error: pfobj/frame (Frame 0 0), read: 4 5 6";
    assert_eq!(problems(&model), [expected]);
    let frames: Vec<_> = model.clips.iter().map(|clip| clip.frame_count).collect();
    assert_eq!(frames, [3, 2, 1]);
    for poses in model.clips.iter().flat_map(|clip| clip.poses.chunks(6)) {
        assert_eq!(poses[4..], [model.joints[4].bind, model.joints[5].bind]);
        assert_eq!(poses[3].translation, [0.0, 1.0, 0.0]);
    }
    // A damaged frame is recognised among the others.
    let model = read(two.replacen("3 1/1/1 0/0/0/1 0/1/0\n", "", 1));
    assert_eq!(model.problems.len(), 2, "{:#?}", problems(&model));
    if let Some(folder) = shared("samples/reports/two-armatures") {
        for name in ["short.pfobj", "long.pfobj"] {
            let model = read(std::fs::read(folder.join(name)).unwrap());
            assert_eq!(model.problems.len(), 1, "{name}");
            assert!(
                model
                    .clips
                    .iter()
                    .all(|clip| clip.poses.len() % 4 == 0 && clip.frame_count > 3)
            );
        }
    }
}

/// The engine skips the weights of a model without clips, regardless of their values.
#[test]
fn weights_without_clips_may_be_anything() {
    let still = without(28..=40)
        .replace("num_joints     2", "num_joints     0")
        .replace("num_as         1", "num_as         0")
        .replace("frame_counts   2", "frame_counts   ");
    assert_eq!(problems(&read(&still)), [""; 0]);
    for weights in [
        "vw none",
        "vw",
        "vw 0/nan",
        "vw 0/1 x",
        "vw 9/1 9/1 9/1 9/1 9/1 9/1 9/1",
    ] {
        let model = read(still.replace("vw  0/1.000000", weights));
        assert_eq!(problems(&model), [""; 0], "{weights}");
        assert_eq!(model.vertices[2].position, [0.5, 2.0, -0.25]);
    }
}

/// A repeated fault of an exporter is one problem, with its count and places.
#[test]
fn values_that_the_engine_draws_wrong_are_one_problem() {
    let normal = "vn 0.000000 0.000000 1.000000";
    let rotation = "0.000000/0.600000/0.000000/0.800000";
    let weights = "vw  0/1.000000";
    let said = |text: String| problems(&read(text));
    assert_eq!(
        said(MODEL.replace(normal, "vn 0 0 -0")),
        ["10:4: warning: pfobj/zero-normal (Vertex 0): 0 15 20 3"]
    );
    // Weights of 0 and an empty list after a space count as no weights; weights after the sixth are
    // ignored.
    let none = changed(weights, "vw 0/0 1/0.0").replace("vw  0/0.250000", "vw ");
    assert_eq!(
        said(none),
        ["11:3: warning: pfobj/unweighted (Vertex 0): 2 21"]
    );
    // Dividing by a sum below 0 flips the signs.
    assert_eq!(
        said(changed("1/0.750000 0/0.500000", "1/0.750000 0/-0.5")),
        ["16:18: warning: pfobj/negative-weight (Vertex 1): -0.5 1"]
    );
    let negated = read(MODEL.replace(" 0/", " 0/-").replace("1/0.75", "1/-0.75"));
    assert_eq!(problems(&negated), [""; 0], "nothing looks different");
    let notes: Vec<String> = negated.notes.iter().map(Problem::facts).collect();
    assert_eq!(
        notes,
        ["11:7: note: pfobj/negated-weights (Vertex 0): -1.000000 16 21 3"]
    );
    assert_eq!(
        said(changed("1/0.750000 0/0.500000", "1/0.5 0/-0.5")).len(),
        1,
        "their sum is 0, and it has none"
    );
    let seven = changed(weights, "vw 0/0 0/0 0/0 0/0 0/0 0/0 1/1");
    assert_eq!(said(seven).len(), 2, "the seventh, and that there is none");
    assert_eq!(
        said(MODEL.replace(rotation, "0/0.7/0/0.8")),
        ["29:36: warning: pfobj/rotation-length (Joint 1): 1 1.0630146 3 32 37"]
    );
    assert_eq!(
        said(changed(&format!("{rotation} 0.000000/0.2"), "1/2/3 0/0.2")),
        ["32:38: warning: pfobj/euler-rotation (Frame 0 0): 1 1/2/3"]
    );
    let model = read(MODEL.replace(normal, "vn 0 0.3 0.4"));
    assert_eq!(problems(&model), [""; 0], "the engine normalises them");
    let notes: Vec<String> = model.notes.iter().map(Problem::facts).collect();
    assert_eq!(
        notes,
        ["10:4: note: pfobj/normal-length (Vertex 0): 0.5 1 15 20 3"]
    );
    // A model without clips needs no weights.
    let still = without(30..=40)
        .replace("num_as         1", "num_as         0")
        .replace("frame_counts   2", "frame_counts   ")
        .replace("vw  0/0.250000", "vw ");
    assert_eq!(said(still.clone()), [""; 0]);
    assert_eq!(said(still.replace("0/0.500000", "0/-0.5")), [""; 0]);
    // Numbers that are not finite already have a problem.
    assert_eq!(said(changed(normal, "vn 0 0 nan")).len(), 1);
    assert_eq!(said(changed(rotation, "0/inf/0/0")).len(), 1);
    assert_eq!(said(changed(weights, "vw 0/nan")).len(), 1);
}

/// Three digits leave the length within the tolerance; two do not.
#[test]
fn lengths_are_1_within_what_digits_leave() {
    let quaternion = |text: &str| {
        let model = read(changed("0.000000/0.600000/0.000000/0.800000", text));
        problems(&model).len()
    };
    let normal = |text: &str| {
        let text = format!("vn {text}");
        read(changed("vn 0.000000 0.000000 1.000000", &text))
            .notes
            .len()
    };
    // Half the root of 2, and a third of the root of 3.
    assert_eq!(quaternion("0.707107/0/0/0.707107"), 0);
    assert_eq!(quaternion("0.707/0/0/0.707"), 0);
    assert_eq!(quaternion("0.71/0/0/0.71"), 1);
    assert_eq!(normal("0.577350 0.577350 0.577350"), 0);
    assert_eq!(normal("0.577 0.577 0.577"), 0);
    assert_eq!(normal("0.58 0.58 0.58"), 1);
}

#[test]
fn names_that_occur_twice_are_told_of_once_each() {
    let clips = "as Run 0\nas Wave 0\nas Run 0\nas Wave 0\nas Wave 0\n";
    let text = changed("num_as         1", "num_as         6")
        .replace("counts   2", "counts   2 0 0 0 0 0")
        .replace("x_bounds -4", &[clips, "x_bounds -4"].concat())
        .replace("j 1 arm", "j 1 root");
    let model = read(text);
    assert_eq!(
        problems(&model),
        [
            "42:4: warning: pfobj/clip-twice (Clip 2): 30 4 44 45 Wave",
            "43:4: warning: pfobj/clip-twice (Clip 3): 2 41 Run",
        ]
    );
    let notes: Vec<String> = model.notes.iter().map(Problem::facts).collect();
    assert_eq!(
        notes,
        ["29:5: note: pfobj/joint-twice (Joint 1): 2 28 root"]
    );
}

/// Numbers written by a program with its user's locale are one problem.
#[test]
fn decimal_commas_are_one_problem() {
    let (head, body) = MODEL.split_once("has_collision  1\n").unwrap();
    let body: Vec<String> = body
        .lines()
        .enumerate()
        .map(|(i, line)| match i {
            // One vertex stays correct, so that there is something to show.
            0..5 => line.to_owned(),
            _ => line.replace('.', ","),
        })
        .collect();
    let model = read(format!("{head}has_collision  1\n{}\n", body.join("\n")));
    let commas: Vec<String> = problems(&model)
        .into_iter()
        .filter(|problem| problem.contains(','))
        .collect();
    let (commas, below): (Vec<_>, Vec<_>) = commas
        .into_iter()
        .partition(|problem| !problem.starts_with(' '));
    assert!(
        below.len() > 20 && below[0].contains("pfobj/decimal-comma"),
        "{below:#?}"
    );
    assert_eq!(
        commas[0],
        "13:3: error: pfobj/decimal-comma (Vertex 1): 1,500000 110"
    );
    // Names are not numbers.
    let named = changed("skin.png", "skin_1,5.png").replace("2.000000", "2,000000");
    let named = read(named.replacen("1/0.750000", "1/0,750000", 1));
    let said = problems(&named);
    assert!(said[0].contains("pfobj/decimal-comma"), "{said:#?}");
    assert_eq!(commas.len(), 1, "{commas:#?}");
    // Nothing of a file without any decimal point can be shown.
    let all = format!("{head}has_collision  1\n{}", MODEL.replace('.', ","));
    let error = pfobj::read(all.as_bytes())
        .err()
        .and_then(|error| error.problem().map(Problem::facts));
    assert!(error.is_none_or(|error| error.contains("pfobj/decimal-comma")));
}

#[test]
fn a_file_that_is_cut_is_shown_as_far_as_it_goes() {
    let cut = |at: &str, keep: usize| read(&MODEL[..MODEL.find(at).unwrap() + keep]);
    let model = cut("v 0.500000 2.0", 0);
    assert_eq!(
        problems(&model),
        ["18:1: error: pfobj/count (Vertex 1): 2 3 num_verts"]
    );
    assert_eq!(summary(&model), "2 vertices, 0 materials, 0 joints, ");
    let model = cut("j 1 arm", 0);
    assert_eq!(
        problems(&model),
        ["29:1: error: pfobj/count: 1 2 num_joints"]
    );
    // In the second frame.
    let model = cut("0.000000/0.400000", 3);
    assert_eq!(
        problems(&model),
        [
            "37:74: error: pfobj/value (Frame 0 1): 0.0",
            "  37:77: error: pfobj/frame-count (Clip 0): 1 2 30",
            "  37:77: error: pfobj/bounds",
            "  37:77: error: pfobj/last-line",
        ]
    );
    assert_eq!(summary(&model), "3 vertices, 1 materials, 2 joints, Wave 1");
    // A file cut at any place gets a result, with the content before the cut.
    for len in 0..MODEL.len() {
        if let Ok(model) = pfobj::read(&MODEL.as_bytes()[..len]) {
            summary(&model);
            assert!(!model.problems.is_empty(), "cut after {len} bytes");
        }
    }
}

#[test]
fn what_has_nothing_to_show_is_refused() {
    #[track_caller]
    fn refusal(text: impl AsRef<[u8]>) -> String {
        match pfobj::read(text.as_ref()) {
            Ok(model) => panic!("read, with {:?}", model.problems),
            Err(error) => {
                let problem = error.problem().unwrap();
                problem.facts()
            }
        }
    }
    assert_eq!(refusal(""), "1:1: error: pfobj/header-line");
    assert_eq!(
        refusal("hello\nworld\n"),
        "1:1: error: pfobj/header-line: hello"
    );
    assert_eq!(
        refusal("version 1.0\nnum_materials 2\nnum_rows 1\n"),
        "2:1: error: pfobj/header-line: num_materials"
    );
    assert_eq!(refusal(&MODEL[..30]), "2:12: error: pfobj/header-line");
    let head: String = MODEL.split_inclusive('\n').take(7).collect();
    assert_eq!(refusal(&head), "8:1: error: pfobj/no-vertices");
    assert_eq!(
        refusal(head.replace("num_verts      3", "num_verts 0")),
        "2:11: error: pfobj/no-vertices: 0"
    );
    assert_eq!(
        refusal(head.replace("num_verts      3", "num_verts 2147483647")),
        "8:1: error: pfobj/no-vertices"
    );
    let one = format!("{head}v 0 0 0\n").replace("num_verts      3", "num_verts 2147483647");
    assert_eq!(
        refusal(one.replace("v 0 0 0", "v")),
        "2:11: error: pfobj/header-count: 1 2147483647"
    );
    let broken = MODEL
        .replace("v 0.5", "v x")
        .replace("v 1.5", "v x")
        .replace("j ", "# j ");
    assert_eq!(refusal(broken), "8:3: error: pfobj/value: x00000");
}

#[test]
fn models_are_told_by_their_first_lines() {
    let sniff = FORMAT.sniff;
    assert!(sniff(MODEL.as_bytes()) && sniff(b"version\nnum_verts"));
    assert!(sniff(b"\xef\xbb\xbfversion 1.0\r\nnum_verts 3\r\n"));
    for other in [
        "",
        "version 1.0",
        "version 1.0\nnum_materials 1",
        "num_verts 3",
        "v 0 0 0",
    ] {
        assert!(!sniff(other.as_bytes()), "{other}");
    }
}

#[test]
fn a_watcher_sees_the_progress_and_can_stop_it() {
    let mut model = read(MODEL);
    model.vertices = model.vertices.repeat(4000);
    let text = pfobj::write(&model);
    let mut steps = Vec::new();
    let read = pfobj::read_with(&text, &mut |done| {
        steps.push(done);
        ControlFlow::Continue(())
    });
    assert!(read.is_ok());
    assert!(
        steps.len() > 10
            && steps.is_sorted()
            && steps.iter().all(|done| (0.0..=1.0).contains(done))
    );
    let mut calls = 0;
    let stopped = pfobj::read_with(&text, &mut |_| {
        calls += 1;
        if calls == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!((stopped, calls), (Err(PfobjError::Cancelled), 3));
}

/// A frame without joints and bounds has no lines, so its announced number is ignored.
#[test]
fn frames_that_have_nothing_are_not_made() {
    let head = "version 1.0\nnum_verts 3\nnum_joints 0\nnum_materials 1\nnum_as 1\nframe_counts 3000000\n\
                has_collision 0\n";
    let vertices = "v 1 2 3\nvt 0 1\nvn 0 1 0\nvw\nvm 0\n".repeat(3);
    let material = "material m\nambient 1\ndiffuse 1 1 1\nspecular 0 0 0\ntexture a.png\n";
    for rest in [
        "",
        "?\n",
        "1 1/1/1 0/0/0/1 0/0/0\n",
        "x_bounds 0 1\n",
        "as b 3000000\n?\n",
    ] {
        let model = read(format!("{head}{vertices}{material}as a 3000000\n{rest}"));
        assert!(
            model.clips.iter().all(|clip| clip.frame_count < 3),
            "{rest:?}"
        );
    }
}

#[test]
fn megabytes_of_anything_are_answered_at_once() {
    let head: String = MODEL.split_inclusive('\n').take(7).collect();
    let lines = [
        "hello world\n",
        "\n",
        " ",
        "v\n",
        "vt\n",
        "vm 9\n",
        "vw 9/1\n",
        "v x\n",
        "j\n",
        "j 0 a\n",
        "material\n",
        "texture\n",
        "as\n",
        "as a 99999999\n",
        "1\n",
        "1 1/1/1 0/0/0/1 0/0/0\n",
        "x_bounds\n",
        "z_bounds 1 2\n",
        "vm 9",
        "9",
        "/",
        "v 1 2 3\n",
        "num_verts 9\n",
        "\r",
        "\0",
        "vn 1 2 3\nq\n",
    ];
    for line in lines {
        for start in ["", &head, MODEL, &MODEL[..1300]] {
            let mut text = start.to_owned();
            while text.len() < (1 << 20) / stride(8) {
                text.push_str(line);
            }
            // A reader with quadratic runtime hangs here for minutes.
            if let Ok(model) = pfobj::read(text.as_bytes()) {
                assert!(model.problems.len() < 2000);
                // A position takes at least eight bytes in the file.
                assert!(model.vertices.len() * 8 <= text.len());
                assert!(model.bad_vertices.len() * 32 <= text.len());
                assert!(model.joints.len().max(model.clips.len()) <= 1 << 16);
            }
        }
    }
}

/// A model of a chain of joints and two clips, one frame a line of text for each joint.
pub(super) fn dancing() -> String {
    let vertex = "v 0 0 0\nvt 0 0\nvn 0 1 0\nvw 0/1.0\nvm 0\n".repeat(3);
    let joints = (0..4).map(|i| format!("j {i} b{i} 1/1/1 0/0/0/1 0/1/0 0/1/0\n"));
    let pose = |joint: usize| format!("{joint} 1/1/1 0/0/0/1 0/1/0\n");
    let bounds = "x_bounds 0 0\ny_bounds 0 0\nz_bounds 0 0\n";
    let poses = (1..=4).map(pose).collect::<String>();
    let frame = format!("{poses}{bounds}");
    format!(
        "version 1.0\nnum_verts 3\nnum_joints 4\nnum_materials 1\nnum_as 3\nframe_counts 3 2 1\n\
         has_collision 1\n{vertex}material Skin\nambient 1\ndiffuse 1 1 1\nspecular 0 0 0\n\
         texture a.png\n{}as Walk 3\n{}as Run 2\n{}as Rest 1\n{}{bounds}",
        joints.collect::<String>(),
        frame.repeat(3),
        frame.repeat(2),
        frame,
    )
}

/// One fault is one problem, regardless of its consequences.
#[test]
fn one_cause_is_one_problem() {
    let whole = dancing();
    assert_eq!(problems(&read(&whole)), [""; 0]);
    let pose = "3 1/1/1 0/0/0/1 0/1/0\n";
    let joint = "j 2 b2 1/1/1 0/0/0/1 0/1/0 0/1/0\n";
    let in_first_frame = |with: &str| whole.replacen(pose, with, 1);
    for (text, place, rule, at_least) in [
        // A joint is missing: each frame has a surplus pose, and parents have other numbers.
        (whole.replace(joint, ""), "31:1", "pfobj/count", 1),
        // A pose is missing or duplicated.
        (in_first_frame(""), "35:1", "pfobj/frame", 0),
        (
            // In the second frame.
            in_first_frame("#\n")
                .replacen(pose, &pose.repeat(2), 1)
                .replace("#\n", pose),
            "43:1",
            "pfobj/frame",
            0,
        ),
        // A number of frames is missing, or there is one too many.
        (
            whole.replace("counts 3 2 1", "counts 2 1"),
            "6:17",
            "pfobj/header-line",
            1,
        ),
        (
            whole.replace("counts 3 2 1", "counts 9 3 2 1"),
            "6:20",
            "pfobj/extra-words",
            3,
        ),
        (
            whole.replace("num_as 3", "num_as 2"),
            "6:18",
            "pfobj/extra-words",
            1,
        ),
        // A joint is misspelt.
        (whole.replace("j 2 b2", "k 2 b2"), "30:1", "pfobj/line", 0),
        // The line of a clip is missing: its frames belong to the previous clip.
        (whole.replace("as Run 2\n", ""), "54:1", "pfobj/line", 0),
        (
            whole.replace("num_as 3", "num_as 4"),
            "6:19",
            "pfobj/header-line",
            1,
        ),
        (
            whole.replace("num_verts 3", "num_verts 2"),
            "2:11",
            "pfobj/triangles",
            1,
        ),
        (
            whole.replace("num_materials 1", "num_materials 0"),
            "4:15",
            "pfobj/no-materials",
            1,
        ),
        (
            whole.replace("has_collision 1", "has_collision 0"),
            "7:15",
            "pfobj/no-bounds",
            1,
        ),
        (
            whole.replace("vw 0/1.0", "vw 9/1.0"),
            "11:4",
            "pfobj/joint-index",
            2,
        ),
        (
            whole.replace("vm 0", "vm 9"),
            "12:4",
            "pfobj/material-index",
            2,
        ),
        (whole[..whole.len() - 90].to_owned(), "", "pfobj/value", 2),
        (
            whole[..whole.find("vn").unwrap() + 4].to_owned(),
            "",
            "pfobj/value",
            1,
        ),
        // A surplus line begins a vertex without other lines, between two vertices and after all.
        (
            whole.replacen("v 0 0 0\nvt", "v 0 0 0\nv 0 0 0\nvt", 1),
            "9:1",
            "pfobj/line",
            0,
        ),
        (
            whole.replace("material Skin", "v 0 0 0\nmaterial Skin"),
            "23:1",
            "pfobj/count",
            1,
        ),
        // The lines of a vertex are replaced.
        (
            whole.replacen("v 0 0 0\nvt 0 0\nvn 0 1 0\nvw 0/1.0\nvm 0\n", "#\n", 1),
            "8:1",
            "pfobj/line",
            0,
        ),
    ] {
        let model = read(&text);
        let said = problems(&model);
        let [problem] = &model.problems[..] else {
            panic!("{rule}: {said:#?}");
        };
        assert_eq!(problem.rule.id, rule, "{said:#?}");
        assert!(problem.place.to_string().starts_with(place), "{said:#?}");
        assert!(problem.consequence_count() >= at_least, "{said:#?}");
        assert_eq!(Tally::of(&model.problems).errors, 1, "{said:#?}");
    }
}

/// The engine skips the weights of a model without clips, regardless of their values.
#[test]
fn weights_without_clips_may_name_any_joint() {
    let whole = dancing();
    let (still, bounds) = whole.split_once("as Walk").unwrap();
    let (_, bounds) = bounds.rsplit_once("x_bounds").unwrap();
    let still = format!("{still}x_bounds{bounds}")
        .replace("num_as 3", "num_as 0")
        .replace("counts 3 2 1", "counts ");
    for weights in ["vw 0/1.0", "vw 9/1.0", "vw "] {
        assert_eq!(problems(&read(still.replace("vw 0/1.0", weights))), [""; 0]);
    }
    let found = problems(&read(whole.replace("vw 0/1.0", "vw 9/1.0")));
    assert!(found[0].contains("pfobj/joint-index"), "{found:?}");
}

#[test]
fn one_number_of_frames_too_many_is_ignored() {
    let found = problems(&read(dancing().replace("counts 3 2 1", "counts 3 2 1 9")));
    assert_eq!(found, ["6:20: warning: pfobj/extra-words: 3 4 num_as"]);
}

/// A text with one of its lines, from 1, replaced.
fn with_line(text: &str, line: usize, with: &str) -> String {
    let lines = (1..)
        .zip(text.lines())
        .map(|(number, text)| if number == line { with } else { text });
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[track_caller]
fn check_one_error(text: &str, line: usize, what: &str) -> Pfobj {
    let model = read(text);
    let said = problems(&model);
    assert_eq!(model.problems.len(), 1, "{what}: {said:#?}");
    let place = model.problems[0].place.to_string();
    assert!(
        place.starts_with(&format!("{line}:")),
        "{what}: {place} {said:#?}"
    );
    assert_eq!(Tally::of(&model.problems).errors, 1, "{what}: {said:#?}");
    model
}

/// A surplus line or a wrong first word, anywhere in the file, does not affect other records.
#[test]
fn a_line_too_many_or_a_wrong_first_word_spoils_no_other() {
    const FIRST: usize = 8;
    let moving = dancing();
    let still: String = moving
        .replace("num_joints 4", "num_joints 0")
        .replace("vw 0/1.0", "vw ")
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("j ") && !line.ends_with("1 0/1/0\n"))
        .collect();
    for whole in [moving, still] {
        let read_whole = read(&whole);
        assert_eq!(problems(&read_whole), [""; 0]);
        let shown = unplaced(read_whole);
        for (number, line) in (1..).zip(whole.lines()).skip(FIRST - 1) {
            // One or two surplus lines.
            for extra in ["hello", "# a comment", "x y z"] {
                let text = with_line(&whole, number, &format!("{extra}\n{line}"));
                let model = check_one_error(&text, number, extra);
                assert_eq!(unplaced(model), shown, "{extra} before {number}");
            }
            let (key, rest) = line.split_once(' ').unwrap();
            let text = with_line(&whole, number, &format!("x{line}"));
            let what = format!("x{line} at {number}");
            let model = check_one_error(&text, number, &what);
            check_others(&unplaced(model), &shown, &what);
            // Another line of the same entry.
            let entries: [&[&str]; 2] = [
                &["v", "vt", "vn", "vw", "vm"],
                &["x_bounds", "y_bounds", "z_bounds"],
            ];
            let Some(keys) = entries.into_iter().find(|keys| keys.contains(&key)) else {
                continue;
            };
            for wrong in keys.iter().filter(|wrong| **wrong != key) {
                let text = with_line(&whole, number, &format!("{wrong} {rest}"));
                let what = format!("{wrong} in place of {key} at {number}");
                let model = check_one_error(&text, number, &what);
                check_others(&unplaced(model), &shown, &what);
            }
        }
    }
}

/// Checks that at most one record of a model differs from the whole one.
#[track_caller]
fn check_others(model: &Pfobj, whole: &Pfobj, what: &str) {
    let [found, expected] = [model, whole].map(records);
    assert_eq!(found.len(), expected.len(), "{what}: {found:#?}");
    let others = found.iter().zip(&expected).filter(|(a, b)| a != b);
    assert!(others.count() <= 1, "{what}: {found:#?}");
}

/// The records of a model as text.
fn records(model: &Pfobj) -> Vec<String> {
    let vertices = model.vertices.iter().map(|vertex| {
        let pfobj::Vertex {
            position,
            uv,
            normal,
            material,
            ..
        } = vertex;
        let influences = model.influences_of(vertex);
        format!("{position:?} {uv:?} {normal:?} {influences:?} {material}")
    });
    let joints = model.joints.len().max(1);
    let clips = model.clips.iter().flat_map(|clip| {
        let frames = clip.poses.chunks(joints).map(|poses| format!("{poses:?}"));
        let bounds = |frame: usize| clip.bounds.get(frame).copied().flatten();
        let bounds = (0..clip.frame_count as usize).map(move |it| format!("{:?}", bounds(it)));
        std::iter::once(clip.name.clone())
            .chain(frames)
            .chain(bounds)
    });
    vertices
        .chain(model.materials.iter().map(|it| format!("{it:?}")))
        .chain(model.joints.iter().map(|it| format!("{it:?}")))
        .chain(clips)
        .chain([format!("{:?}", model.bounds)])
        .collect()
}

/// If the line that begins a frame or a clip is replaced, the rest of the frames is one problem.
#[test]
fn frames_outside_clips_are_one_problem() {
    let whole = dancing();
    let text = whole.replacen("as Run 2\n1 1/1/1 0/0/0/1 0/1/0\n", "hello\n", 1);
    let model = check_one_error(&text, 54, "no clip");
    let clips: Vec<_> = model.clips.iter().map(|clip| &*clip.name).collect();
    assert_eq!(clips, ["Walk", "", "Rest"]);
    assert!(model.bounds.is_some());
    // Only the lines after it show that the line is a pose.
    let text = whole.replacen("as Run 2\n1", "as Run 2\nx", 1);
    let model = check_one_error(&text, 55, "no joint 1");
    assert_eq!(model.clips[1].frame_count, 2);
    // The bounds of the bind pose occur twice: the message does not claim that none are expected.
    let bounds = "x_bounds 0 0\ny_bounds 0 0\nz_bounds 0 0\n";
    let text = whole.replacen("as Run", &format!("{bounds}{bounds}as Run"), 1);
    let said = problems(&read(text)).join("\n");
    assert!(said.contains("pfobj/line: x_bounds"), "{said}");
}

/// A duplicated line, or one with a surplus word, is one problem, and all others are read.
#[test]
fn a_line_that_is_there_twice_spoils_no_other() {
    const FIRST: usize = 8;
    let whole = dancing();
    let read_whole = read(&whole);
    let shown = unplaced(read_whole);
    let last = whole.lines().count();
    for (number, line) in (1..).zip(whole.lines()).skip(FIRST - 1) {
        let text = with_line(&whole, number, &format!("{line}\n{line}"));
        let model = read(&text);
        assert_eq!(
            model.problems.len(),
            1,
            "{line} at {number}: {:#?}",
            problems(&model)
        );
        // Surplus words in names have their own messages, and are allowed for a material.
        let key = line.split(' ').next().unwrap();
        // A frame with a surplus line is at rest.
        if number < last && key.parse::<u8>().is_err() {
            assert_eq!(unplaced(model), shown, "{line} at {number}");
        }
        if ["material", "texture", "j", "as", "vw"].contains(&key) {
            continue;
        }
        let model = read(with_line(&whole, number, &format!("{line} zz9")));
        let said = problems(&model);
        assert_eq!(
            model
                .problems
                .iter()
                .map(|it| it.rule.id)
                .collect::<Vec<_>>(),
            ["pfobj/extra-words"],
            "{line} at {number}: {said:#?}"
        );
        assert_eq!(unplaced(model), shown, "{line} at {number}");
    }
}

/// The engine ignores the numbers of poses: only their order counts.
#[test]
fn numbers_of_poses_are_notes() {
    let whole = dancing();
    let shown = unplaced(read(&whole));
    for (number, line) in (1..).zip(whole.lines()) {
        let (key, rest) = line.split_once(' ').unwrap();
        let Ok(joint) = key.parse::<u8>() else {
            continue;
        };
        for other in (0..7).filter(|other| *other != joint) {
            let model = read(with_line(&whole, number, &format!("{other} {rest}")));
            let what = format!("{other} for {joint} at {number}");
            assert_eq!(problems(&model), [""; 0], "{what}");
            let notes: Vec<_> = model.notes.iter().map(Problem::facts).collect();
            assert_eq!(notes.len(), 1, "{what}");
            let place = format!("{number}:1: note: pfobj/pose-order ");
            assert!(notes[0].starts_with(&place), "{notes:?}");
            assert_eq!(unplaced(model), shown, "{what}");
        }
    }
    // Numbers that continue from frame to frame, with bounds and without.
    for bounds in [true, false] {
        let whole = if bounds {
            whole.clone()
        } else {
            without_bounds(&whole)
        };
        let mut next = 0;
        let lines = whole.lines().map(|line| match line.split_once(' ') {
            Some((key, rest)) if key.parse::<u8>().is_ok() => {
                next += 1;
                format!("{next} {rest}\n")
            }
            _ => format!("{line}\n"),
        });
        let model = read(lines.collect::<String>());
        let read_whole = read(&whole);
        assert_eq!(problems(&model), problems(&read_whole));
        assert_eq!(unplaced(model), unplaced(read_whole));
    }
}

/// The same model without collision data.
fn without_bounds(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let kept = lines.filter(|line| !line.contains("_bounds"));
    let text: String = kept.collect();
    text.replace("has_collision 1", "has_collision 0")
}

#[test]
fn a_word_after_the_name_of_a_material_is_said() {
    let model = read(changed("material Skin", "material Skin 7"));
    let notes: Vec<_> = model.notes.iter().map(Problem::facts).collect();
    let expected = "23:10: note: pfobj/material-name (Material 0): Skin 7";
    assert_eq!(notes, [expected]);
    assert_eq!(problems(&model), [""; 0]);
    assert_eq!(model.materials[0].name, "Skin 7");
}

/// A joint is removed by hand and its count adapted, but not its poses.
#[test]
fn a_joint_less_than_poses_is_one_problem() {
    // A vertex is on the last joint, whose number changes.
    let whole = dancing().replacen("vw 0/1.0", "vw 3/1.0", 1);
    for (number, line) in (1..).zip(whole.lines()) {
        if !line.starts_with("j ") {
            continue;
        }
        let lines = (1..).zip(whole.lines()).filter(|(at, _)| *at != number);
        let text: String = lines.flat_map(|(_, line)| [line, "\n"]).collect();
        let model = read(text.replace("num_joints 4", "num_joints 3"));
        let said = problems(&model);
        assert_eq!(model.problems.len(), 1, "{line}: {said:#?}");
        assert!(
            said[0].contains("pfobj/frame (Frame 0 0), left out: 3 4"),
            "{said:#?}"
        );
        assert_eq!(
            model.clips.iter().map(|clip| clip.frame_count).sum::<u32>(),
            6,
            "{said:#?}"
        );
    }
}

#[test]
fn all_numbers_that_are_not_finite_are_one_problem() {
    let text = changed("v 1.500000", "v nan");
    let lines = text.lines().map(|line| match line.split_once(' ') {
        Some(("vn", _)) => "vn nan -nan inf\n".to_owned(),
        _ => format!("{line}\n"),
    });
    let model = read(lines.collect::<String>());
    let [problem] = &model.problems[..] else {
        panic!("{:?}", model.problems)
    };
    assert_eq!(problem.rule.id, "pfobj/not-finite");
    let normals = text.lines().filter(|line| line.starts_with("vn ")).count();
    assert!(normals > 1);
    assert_eq!(problem.consequences.len(), 3 * normals);
}
