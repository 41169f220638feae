//! Benchmarks of archives: reading, writing, and looking up all files by path.

use bytes::Bytes;
use divan::{Bencher, black_box};
use mapscope_formats::paf::{self, NewFile, Paf, WrittenLayout};

/// Number of files; a larger archive is not known.
const FILES: usize = 100_000;
/// Files of a directory.
const PER_DIRECTORY: usize = 400;

fn main() {
    divan::main();
}

fn paths() -> Vec<String> {
    let path = |i| format!("textures/{:03}/{i:06}.ptf", i / PER_DIRECTORY);
    (0..FILES).map(path).collect()
}

fn archive(paths: &[String], layout: WrittenLayout) -> Bytes {
    let files: Vec<_> = paths
        .iter()
        .map(|path| NewFile {
            path,
            bytes: path.as_bytes(),
            compress: false,
        })
        .collect();
    paf::write(&files, layout).unwrap_or_default().into()
}

#[divan::bench]
fn read_p3(bencher: Bencher<'_, '_>) {
    let bytes = archive(&paths(), WrittenLayout::P3);
    bencher.bench_local(|| paf::read(black_box(&bytes)));
}

/// Reads the archive under both layouts.
#[divan::bench]
fn read_p2(bencher: Bencher<'_, '_>) {
    let bytes = archive(&paths(), WrittenLayout::P2);
    bencher.bench_local(|| paf::read(black_box(&bytes)));
}

#[divan::bench]
fn find(bencher: Bencher<'_, '_>) {
    let paths = paths();
    let Ok(Paf { archive, .. }) = paf::read(&archive(&paths, WrittenLayout::P3)) else {
        return;
    };
    bencher.bench_local(|| {
        let found = paths
            .iter()
            .filter_map(|path| archive.find(black_box(path)));
        assert_eq!(found.count(), FILES);
    });
}
