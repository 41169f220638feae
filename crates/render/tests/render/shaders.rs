//! The WGSL sources: each is part of a shader of the program, and each shader is valid. Shaders are
//! compiled at first use, so a broken one could otherwise reach a user.

use std::fs;
use std::mem::offset_of;

use mapscope_render::SHADERS;
use mapscope_scene::model::mesh::MeshVertex;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Validates a source with the capabilities of a device without optional features.
fn validate(source: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|e| e.emit_to_string(source))?;
    Validator::new(ValidationFlags::all(), Capabilities::default())
        .validate(&module)
        .map_err(|e| e.emit_to_string(source))?;
    Ok(())
}

#[test]
fn every_shader_is_valid() {
    for shader in SHADERS {
        if let Err(message) = validate(&shader.source()) {
            panic!("{}: {message}", shader.name);
        }
    }
}

/// The fields of a vertex have the same memory layout in Rust and WGSL.
#[test]
fn vertices_of_models_are_as_the_probe_reads_them() {
    let probe = SHADERS.iter().find(|shader| shader.name == "skin_probe");
    let module = naga::front::wgsl::parse_str(&probe.unwrap().source()).unwrap();
    let mut types = module.types.iter();
    let vertex = types.find_map(|(_, ty)| match &ty.inner {
        naga::TypeInner::Struct { members, span } if ty.name.as_deref() == Some("Vertex") => {
            Some((members, *span))
        }
        _ => None,
    });
    let (members, size) = vertex.unwrap();
    let offsets: Vec<usize> = members
        .iter()
        .map(|member| member.offset as usize)
        .collect();
    let expected = [
        offset_of!(MeshVertex, position),
        offset_of!(MeshVertex, normal),
        offset_of!(MeshVertex, uv),
        offset_of!(MeshVertex, influences),
    ];
    assert_eq!(
        (offsets, size as usize),
        (expected.to_vec(), size_of::<MeshVertex>())
    );
}

#[test]
fn every_file_is_part_of_a_shader_under_its_own_name() {
    let folder = mapscope_testdata::root().join("shaders");
    let mut files: Vec<String> = fs::read_dir(&folder)
        .map(|entries| {
            entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        })
        .unwrap_or_default();
    files.sort();
    let mut embedded: Vec<&str> = SHADERS
        .iter()
        .flat_map(|shader| shader.parts)
        .map(|(file, _)| *file)
        .collect();
    embedded.sort_unstable();
    embedded.dedup();
    assert_eq!(files, embedded);
    for (file, source) in SHADERS.iter().flat_map(|shader| shader.parts) {
        let on_disk = fs::read_to_string(folder.join(file)).unwrap();
        assert!(on_disk == *source, "{file} holds the text of another file");
    }
}

#[test]
fn a_broken_shader_is_told_from_a_valid_one() {
    let valid = "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(0.0); }";
    assert_eq!(validate(valid), Ok(()));
    for (broken, what) in [
        ("fn vs( {", "expected"),
        ("fn f() -> f32 { return g; }", "no definition in scope"),
        (
            "@vertex fn vs() -> @location(0) vec4f { return vec4f(0.0); }",
            "position",
        ),
    ] {
        let message = validate(broken).unwrap_err();
        assert!(message.to_lowercase().contains(what), "{message}");
    }
}
