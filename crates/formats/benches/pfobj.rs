//! How fast models are read and written, beside what one would write first.
//!
//! Measured over the real models where they are, over and over in memory; else over one made up.

use std::path::Path;
use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use mapscope_formats::pfobj::{
    self, Bounds, Clip, Influence, Joint, Layout, Material, Pfobj, Rotation, Transform, Vertex,
};
use mapscope_testdata::shared;

static MODELS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut models = Vec::new();
    if let Some(folder) = shared("corpus/permafrost/assets/models") {
        add_models(&folder, &mut models);
    }
    if models.is_empty() {
        models.push(pfobj::write(&made_up()));
    }
    models
});

fn main() {
    divan::main();
}

fn add_models(folder: &Path, models: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            add_models(&path, models);
        } else if path.extension().is_some_and(|ending| ending == "pfobj") {
            models.extend(std::fs::read(path));
        }
    }
}

/// A model of the size of a real one, with numbers all over.
fn made_up() -> Pfobj {
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 1e6 - 8.0;
    let triple = |i: u32| [number(3 * i), number(3 * i + 1), number(3 * i + 2)];
    let transform = |i: u32| Transform {
        scale: [1.0; 3],
        rotation: Rotation::ConjugatedQuaternion([number(i), number(i + 7), 0.5, 1.0]),
        translation: triple(i),
    };
    let bounds = Bounds {
        min: [-8.0; 3],
        max: [9.0; 3],
    };
    Pfobj {
        version: "1.0".to_owned(),
        vertices: (0..6000)
            .map(|i| Vertex {
                position: triple(i),
                uv: [number(i), number(i + 1)],
                normal: triple(i + 2),
                first_influence: i,
                influence_count: 1,
                material: 0,
            })
            .collect(),
        influences: (0..6000)
            .map(|i| Influence {
                joint: i % 50,
                weight: 1.0,
            })
            .collect(),
        materials: vec![Material {
            name: "skin".to_owned(),
            ambient: 1.0,
            diffuse: [0.8; 3],
            specular: [0.0; 3],
            texture: "skin.png".to_owned(),
            line: 0,
            texture_line: 0,
            texture_column: 1,
        }],
        joints: (0..50_u32)
            .map(|i| Joint {
                name: format!("joint_{i}"),
                parent: i.checked_sub(1),
                bind: transform(i),
                tip: triple(i),
                line: 0,
            })
            .collect(),
        clips: vec![Clip {
            name: "Walk".to_owned(),
            frame_count: 60,
            poses: (0..50 * 60).map(transform).collect(),
            bounds: vec![Some(bounds); 60],
            line: 0,
            frame_lines: vec![0; 60],
        }],
        bounds: Some(bounds),
        has_bounds: true,
        layout: Layout::regular(6000),
        bad_vertices: Vec::new(),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    }
}

fn bytes() -> BytesCount {
    BytesCount::new(MODELS.iter().map(Vec::len).sum::<usize>())
}

/// Reads the bytes and no more: what no reader is faster than.
#[divan::bench]
fn find_lines(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench_local(|| {
        for model in black_box(&*MODELS) {
            black_box(memchr::memchr_iter(b'\n', model).count());
        }
    });
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench_local(|| {
        for model in black_box(&*MODELS) {
            black_box(pfobj::read(model)).ok();
        }
    });
}

/// What levels of detail are compared by, without vertices and poses.
#[divan::bench]
fn summarize(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench_local(|| {
        for model in black_box(&*MODELS) {
            black_box(pfobj::summarize(model)).ok();
        }
    });
}

/// Lines by memchr, words by `split_whitespace`, numbers by `str::parse`, into plain lists: no
/// checks, no names, no places.
#[divan::bench]
fn read_plainly(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench_local(|| {
        for model in black_box(&*MODELS) {
            black_box(plainly(model));
        }
    });
}

fn plainly(model: &[u8]) -> (Vec<f32>, Vec<u32>) {
    let mut numbers = Vec::new();
    let mut indices = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', model) {
        let line = std::str::from_utf8(&model[start..end]).unwrap_or_default();
        start = end + 1;
        for word in line.split_whitespace() {
            if word.contains('.') {
                for number in word.split('/') {
                    if let Ok(number) = number.parse::<f32>() {
                        numbers.push(number);
                    }
                }
            } else if let Ok(index) = word.parse::<u32>() {
                indices.push(index);
            }
        }
    }
    (numbers, indices)
}

/// The same with two spaces for one, so that nothing is laid out as expected.
#[divan::bench]
fn read_words(bencher: Bencher<'_, '_>) {
    let double = |&byte: &u8| std::iter::repeat_n(byte, if byte == b' ' { 2 } else { 1 });
    let models: Vec<Vec<u8>> = MODELS
        .iter()
        .map(|model| model.iter().flat_map(double).collect())
        .collect();
    let total = models.iter().map(Vec::len).sum::<usize>();
    bencher.counter(BytesCount::new(total)).bench_local(|| {
        for model in black_box(&models) {
            black_box(pfobj::read(model)).ok();
        }
    });
}

#[divan::bench]
fn write(bencher: Bencher<'_, '_>) {
    let models: Vec<_> = MODELS
        .iter()
        .filter_map(|model| pfobj::read(model).ok())
        .collect();
    bencher.counter(bytes()).bench_local(|| {
        for model in black_box(&models) {
            black_box(pfobj::write(model));
        }
    });
}
