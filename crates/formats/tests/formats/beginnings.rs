//! Truncated files: every complete part is shown, and a longer file never shows less.

use mapscope_formats::ika::{map as ika_map, text_map, vsp};
use mapscope_formats::ppe::{MapFlags, map_data, xmf};
use mapscope_formats::{Problem, ReadError, Severity, pfmap, pfobj, pfscene};
use mapscope_testdata::{stride, synthesize, tiny_model, tiny_scene};

/// The shown content of a file: the number of entries of each kind, and its problems.
type Shown = (Vec<usize>, Vec<Problem>);

/// Reads prefixes of a file in steps. A longer prefix never shows less of anything, and one that
/// lacks something has an error. From `shown_from` bytes on, every prefix is shown.
#[track_caller]
fn check_prefixes(
    file: &[u8],
    shown_from: usize,
    read: impl Fn(&[u8]) -> Result<Shown, ReadError>,
) {
    let (all, problems) = read(file).unwrap();
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    assert!(!problems.iter().any(is_error), "{problems:?}");
    let step = (1 + file.len() / 700) * stride(3);
    let mut before = vec![0; all.len()];
    let mut stages = 0;
    for len in (0..file.len()).step_by(step) {
        let (now, problems) = match read(&file[..len]) {
            Ok(shown) => shown,
            Err(error) => {
                assert!(
                    len < shown_from && before.iter().all(|n| *n == 0),
                    "{len}: {error}"
                );
                continue;
            }
        };
        let is_less = now.iter().zip(&before).any(|(now, before)| now < before);
        assert!(!is_less, "{len} bytes: {now:?} after {before:?}");
        let lacks = now.iter().zip(&all).any(|(now, all)| now < all);
        assert!(
            !lacks || problems.iter().any(is_error),
            "{len} bytes: {problems:?}"
        );
        stages += usize::from(before != now);
        before = now;
    }
    assert!(stages > 1, "{before:?}");
}

fn offset_of(file: &[u8], text: &str) -> usize {
    let mut windows = file.windows(text.len());
    windows.position(|bytes| bytes == text.as_bytes()).unwrap()
}

#[test]
fn terrain() {
    let file = synthesize::pfmap(2, 1, 5);
    // A head that announces many times the actual content is rejected.
    check_prefixes(&file, file.len() / 2, |bytes| {
        let map = pfmap::read(bytes)?;
        let tiles = map.tiles.len() - map.bad_tiles.len();
        Ok((vec![map.materials.len(), tiles], map.problems))
    });
}

#[test]
fn models() {
    let file = pfobj::write(&tiny_model());
    let second = offset_of(&file, "\nv ") + 1;
    let third = second + offset_of(&file[second..], "\nv ") + 1;
    check_prefixes(&file, third, |bytes| {
        let model = pfobj::read(bytes)?;
        let frames = model.clips.iter().map(|clip| clip.frame_count as usize);
        let shown = vec![
            model.vertices.len() - model.bad_vertices.len(),
            model.materials.len(),
            model.joints.len(),
            frames.sum(),
            usize::from(model.bounds.is_some()),
        ];
        Ok((shown, model.problems))
    });
}

#[test]
fn scenes() {
    let file = tiny_scene::SCENE.as_bytes();
    check_prefixes(file, file.len() / 4, |bytes| {
        let scene = pfscene::read(bytes)?;
        let shown = vec![
            scene.factions.len(),
            scene.entities.len(),
            scene.regions.len(),
            scene.cameras.len(),
        ];
        Ok((shown, scene.problems))
    });
}

#[test]
fn ika_maps() {
    let file = ika_map::write(&synthesize::ika_map([12, 9], 3, 5)).unwrap();
    check_prefixes(&file, file.len() / 2, |bytes| {
        let map = ika_map::read(bytes)?;
        let tiles = map.layers.iter().map(|layer| layer.tiles.len());
        let shown = vec![
            tiles.sum(),
            map.obstruction.len(),
            map.zone_numbers.len(),
            map.zones.len(),
            map.entities.len(),
        ];
        Ok((shown, map.problems))
    });
}

#[test]
fn ika_maps_of_text() {
    let file = text_map::write(&synthesize::ika_text_map([12, 9], 2, 5)).unwrap();
    check_prefixes(&file, file.len() / 4, |bytes| {
        let map = text_map::read(bytes)?;
        let tiles = map.layers.iter().map(|layer| layer.tiles.len());
        let entities = map.layers.iter().map(|layer| layer.entities.len());
        let shown = vec![
            tiles.sum(),
            entities.sum(),
            map.zones.len(),
            map.waypoints.len(),
        ];
        Ok((shown, map.problems))
    });
}

#[test]
fn tilesets() {
    let file = vsp::write(&synthesize::ika_tileset(5)).unwrap();
    check_prefixes(&file, file.len() / 4, |bytes| {
        let tileset = vsp::read(bytes)?;
        Ok((
            vec![tileset.pixels.len(), tileset.strands.len()],
            tileset.problems,
        ))
    });
}

#[test]
fn map_data_of_all_packings() {
    for flags in [0, 0x04, 0x10, 0x1_0019, 0x3_0009, 0x100, 0x118, 0x400] {
        let map = synthesize::ppe_map([12, 9], MapFlags(flags), flags.into());
        let file = map_data::write(&map).unwrap();
        check_prefixes(&file, 20, |bytes| {
            let map = map_data::read(bytes)?;
            let logic = map.logic.as_ref();
            let shown = vec![
                map.cells.len(),
                map.graphics.as_ref().map_or(0, Vec::len),
                logic.map_or(0, mapscope_formats::Integers::len),
            ];
            Ok((shown, map.problems))
        });
    }
}

#[test]
fn layered_maps() {
    let layer = |name: &str, priority: u32| {
        format!(
            "Layer:Tile \"{name}\" {priority} 16 8 2 1 {{\n\tRepeatMode \"On\"\n\
             \tEmbed:MapData [AQAAAAIAAhA=]\n\tObject:Box \"gate\" 1 16 17 48 49\n}}\n"
        )
    };
    let head = "Metadata {\n\tVersion 1 0\n\tName \"made up\"\n}\n";
    let text = [head, &layer("ground", 0), &layer("roof", 1)].concat();
    let map = xmf::read(text.as_bytes()).unwrap();
    let read = |bytes: &[u8]| -> Result<Shown, ReadError> {
        let map = xmf::read(bytes)?;
        let objects = map.layers.iter().map(|layer| layer.objects.len());
        Ok((vec![map.layers.len(), objects.sum()], map.problems))
    };
    // A text may end after any tag without a fault.
    let mut before = vec![0; 2];
    let line_ends = text.match_indices('\n').map(|(at, _)| at + 1);
    for len in line_ends.filter(|len| *len >= head.len()) {
        let (now, _) = read(&text.as_bytes()[..len]).unwrap();
        assert!(
            now.iter().zip(&before).all(|(now, before)| now >= before),
            "{len}"
        );
        before = now;
    }
    assert_eq!(before, [2, 2]);
    // In a compressed file, the end of the text is cut off with that of the file.
    let file = xmf::write(&xmf::Xmf {
        packing: xmf::Packing::Zlib,
        ..map
    });
    let (shown, problems) = read(&file[..file.len() - 12]).unwrap();
    assert!(shown[0] > 0, "{shown:?}");
    let mut errors = problems.iter().filter(|p| p.severity == Severity::Error);
    assert!(errors.next().is_some(), "{problems:?}");
}
