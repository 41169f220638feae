//! Invariants of every exported file and of every converted file.

use std::collections::HashSet;
use std::io::Cursor;
use std::path::Path;

use mapscope_export::convert::{self, Context, ConvertError};
use mapscope_export::{Export, targets};

use crate::subjects::{open, source};

/// Opens a file, whose format is detected from its content or its name, and exports it to all
/// targets. Returns `true` if it was refused.
pub(crate) fn check_exports(bytes: &[u8], name: &str) -> bool {
    let Some(document) = open(bytes, name) else {
        return true;
    };
    for target in targets(&*document) {
        match target.make(&*document, "file") {
            Ok(export) => check_export(target.kind.ending, &export),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    false
}

/// Converts a file to its own form and to each of the others. Returns `true` if none could be
/// written.
pub(crate) fn check_forms(bytes: &[u8], name: &str) -> bool {
    let Ok(format) = mapscope_scene::identify_format(&source(bytes, name)) else {
        return true;
    };
    let context = Context {
        tile_px: Some([16, 12]),
    };
    let forms = convert::forms(format);
    let mut names: Vec<Vec<&str>> = forms.iter().map(|form| vec![form.name]).collect();
    names.push(Vec::new());
    let mut is_refused = true;
    for names in names {
        let converted = match convert::convert(bytes, format, &names, &context) {
            Ok(converted) => converted,
            Err(ConvertError::Differs(what)) => panic!("{names:?}: {what}"),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        is_refused = false;
        let told = converted.losses.iter().chain(&converted.notes);
        told.for_each(|sentence| assert!(!sentence.is_empty()));
        if names == ["png"] {
            // An image needs an output to become a texture again.
            continue;
        }
        // Converting the output again loses nothing.
        let again = convert::convert(&converted.bytes, converted.format, &[], &context);
        let again = again.unwrap_or_else(|error| panic!("{names:?}: {error}"));
        assert!(again.bytes == converted.bytes, "{names:?}");
        assert_eq!(again.losses, Vec::<String>::new(), "{names:?}");
    }
    is_refused
}

fn check_export(ending: &str, export: &Export) {
    check_file(ending, &export.file);
    let mut names = HashSet::new();
    for file in &export.beside {
        let path = Path::new(&file.name);
        assert_eq!(path.file_name(), Some(path.as_os_str()), "{}", file.name);
        assert!(names.insert(&file.name), "{} twice", file.name);
        check_file(file.kind.ending, &file.bytes);
    }
    for loss in &export.losses {
        assert!(!loss.is_empty());
    }
}

/// Reads a file with an independent reader.
fn check_file(ending: &str, bytes: &[u8]) {
    match ending {
        "glb" => check_gltf(&gltf::Gltf::from_slice(bytes).unwrap()),
        // Its data are those of the binary file, as text.
        "gltf" => drop(gltf::Gltf::from_slice(bytes).unwrap()),
        "tmx" => check_xml(bytes),
        "tmj" => drop(serde_json::from_slice::<serde_json::Value>(bytes).unwrap()),
        "csv" => check_table(bytes),
        "png" => {
            let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
        }
        _ => panic!("no check of .{ending} files"),
    }
}

/// Numbers are finite, indices are in range, weights sum to 1, and times ascend.
fn check_gltf(file: &gltf::Gltf) {
    let data = file.blob.as_deref().unwrap_or_default();
    for mesh in file.meshes() {
        for primitive in mesh.primitives() {
            let reader = primitive.reader(|_| Some(data));
            let vertices = reader.read_positions().unwrap().len();
            assert!(vertices > 0);
            let mut positions = reader.read_positions().unwrap();
            assert!(positions.all(|position| position.iter().all(|x| x.is_finite())));
            let mut normals = reader.read_normals().into_iter().flatten();
            assert!(normals.all(|normal| {
                let length = normal.iter().map(|x| x * x).sum::<f32>().sqrt();
                (length - 1.0).abs() < 1e-3
            }));
            for set in 0..2 {
                let mut uvs = reader
                    .read_tex_coords(set)
                    .into_iter()
                    .flat_map(gltf::mesh::util::ReadTexCoords::into_f32);
                assert!(uvs.all(|uv| uv.iter().all(|x| x.is_finite())));
            }
            let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
            assert!(indices.len().is_multiple_of(3) && !indices.is_empty());
            assert!(indices.iter().all(|index| (*index as usize) < vertices));
            let mut weights = reader
                .read_weights(0)
                .into_iter()
                .flat_map(gltf::mesh::util::ReadWeights::into_f32);
            assert!(weights.all(|weights| {
                let sum: f32 = weights.iter().sum();
                weights.iter().all(|weight| *weight >= 0.0) && (sum - 1.0).abs() < 1e-4
            }));
        }
    }
    for node in file.nodes() {
        let matrix = node.transform().matrix();
        assert!(matrix.as_flattened().iter().all(|x| x.is_finite()));
        let (Some(mesh), Some(skin)) = (node.mesh(), node.skin()) else {
            continue;
        };
        let joints = skin.joints().len();
        for primitive in mesh.primitives() {
            let of_vertices = primitive.reader(|_| Some(data)).read_joints(0).unwrap();
            let mut of_vertices = of_vertices.into_u16().flatten();
            assert!(of_vertices.all(|joint| usize::from(joint) < joints));
        }
    }
    for clip in file.animations() {
        for channel in clip.channels() {
            let reader = channel.reader(|_| Some(data));
            let times: Vec<f32> = reader.read_inputs().unwrap().collect();
            assert!(times[0] >= 0.0 && times.iter().all(|time| time.is_finite()));
            assert!(times.is_sorted_by(|a, b| a < b));
        }
    }
}

/// The file can be read to its end, and every element is closed.
fn check_xml(bytes: &[u8]) {
    let mut reader = quick_xml::Reader::from_reader(bytes);
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => return,
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                for attribute in tag.attributes() {
                    attribute.unwrap();
                }
            }
            _ => {}
        }
    }
}

/// Every row has as many fields as the first.
fn check_table(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap();
    let mut fields = vec![1_usize];
    let mut is_quoted = false;
    for letter in text.chars() {
        match letter {
            // Two quotation marks in a quoted field end it and start it again.
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => *fields.last_mut().unwrap() += 1,
            '\n' if !is_quoted => fields.push(1),
            _ => {}
        }
    }
    assert!(!is_quoted && fields.pop() == Some(1), "it ends with a line");
    assert!(fields.iter().all(|count| *count == fields[0]));
}
