//! The grid of a level and the directory of its chunks.

use super::super::bytes::{ChunkIndex, Cursor, Part, Side};
use super::super::chunk::ChunkData;
use super::super::chunk_codec::{Optional, Surroundings, is_inside, read_chunk};
use super::super::cube_codec::CubeAllowance;
use super::super::entities::Tries;
use super::super::level::LevelNames;
use super::super::{Chunk, Cube, Frame, Geometry, Level, Sky, Vertex, chunk_number, rules};
use super::frame::read_frames;
use super::layout::is_directory;
use super::{DIRECTORY_BYTES, LARGEST_CHUNK, Reader, Rows, refused};
use crate::{Place, Problems, ReadError};

/// How many faces must show the same size of chunks, if it is not the one that is said, and how many cells
/// of each chunk are looked at for them.
const FACES_FOR_SIZE: usize = 6;
const CELLS_FOR_SIZE: usize = 1 << 12;

impl Reader<'_, '_> {
    /// Reads the directory of a level and the chunks that follow, and says where they end. Of grids that
    /// the level can have instead of that at an offset in it, the one is taken that fits best.
    pub(super) fn read_directory(
        &mut self,
        mut cursor: Cursor<'_>,
        (number, level): (u8, &mut Level),
        ((grid_at, grids), rows): ((usize, &[[u32; 3]]), Option<Rows>),
        announced: u64,
    ) -> Result<u64, ReadError> {
        let start = level.offset;
        cursor.enter("directory", None);
        let directory_offset = start + cursor.pos() as u64;
        let count: u64 = grids
            .first()
            .into_iter()
            .flatten()
            .copied()
            .map(u64::from)
            .product();
        let [y, x, z] = grids.first().copied().unwrap_or_default();
        let what = format!("chunk ({y} along Y, {x} along X, {z} along Z)");
        let (rows, chunks_at) = if let Some(rows) = rows {
            rows
        } else {
            let count = cursor.count(count, DIRECTORY_BYTES, &what)?;
            let directory = cursor.bytes(DIRECTORY_BYTES * count)?;
            let mut directory = Cursor::new(directory, cursor.source());
            let rows = (0..count).map(|_| read_frames(&mut directory));
            let rows = rows.collect::<Result<Vec<_>, _>>()?;
            (rows, start + cursor.pos() as u64)
        };
        let chunks = rows.into_iter().map(|frames| Chunk {
            index: ChunkIndex::default(),
            frames,
            data: None,
        });
        let mut chunks: Vec<_> = chunks.collect();
        place_chunks(&mut chunks, [y, x, z]);
        let frames = chunks.iter_mut().flat_map(|chunk| {
            let parts = Side::ALL.map(|side| Part::ChunkSection(number, chunk.index, side));
            chunk.frames.iter_mut().zip(parts)
        });
        let sizes_at = |i: usize| directory_offset + (DIRECTORY_BYTES * (i / 3)) as u64;
        let is_end = |at: u64, moved| announced.checked_add_signed(moved) == Some(at);
        let end = self.settle(frames.collect(), chunks_at, sizes_at, is_end);
        level.chunks = chunks;
        let was = std::mem::replace(&mut level.grid, [y, x, z]);
        if was != level.grid {
            let grids = self.best_grids(level, grids, was);
            if let Some(best) = grids.first() {
                level.grid = *best;
                place_chunks(&mut level.chunks, level.grid);
            }
            let expected: Vec<_> = grids.iter().map(|grid| in_words(*grid)).collect();
            let expected = expected.join(" or ");
            let expected = format!("{expected}, with which the level ends where its size says");
            cursor.enter("grid", None);
            let found = format!("{} chunks along Y, X and Z", in_words(was));
            self.add(cursor.fault(&rules::COUNT, grid_at, found, expected));
        }
        if !is_inside(level.grid, level.center) {
            cursor.enter("grid", None);
            let center = level.center;
            cursor.warn(&mut self.problems, &rules::CHUNK_INDEX, grid_at + 5, || {
                format!("the grid has no chunk {center}, which should be its centre")
            });
        }
        self.read_chunks(number, level, directory_offset)?;
        self.check_views(number, level);
        Ok(end)
    }

    /// Which of the grids that a level can have fit best what its chunks say of others, and its centre.
    pub(super) fn best_grids(
        &mut self,
        level: &Level,
        grids: &[[u32; 3]],
        was: [u32; 3],
    ) -> Vec<[u32; 3]> {
        let names = &LevelNames::new(&level.common, false, None);
        let mut named = vec![(level.center, 0)];
        let mut cube_counts = Vec::new();
        for chunk in &level.chunks {
            // No more is decoded for this than there is patience for.
            let mut section = |side| {
                let frame: &Frame = chunk.frames.get(side as usize)?;
                let part = Part::ChunkSection(0, chunk.index, side);
                let len = frame.unpacked as usize;
                self.patience.0 = self.patience.0.checked_sub(len)?;
                let bytes = frame.unpack(self.bytes, part).ok()?;
                Some((bytes, frame.section(part, None)))
            };
            let sections = [section(Side::Common), section(Side::Server)];
            let cursors = sections.each_ref().map(|section| {
                let (bytes, of) = section.as_ref()?;
                Some(Cursor::new(bytes, *of))
            });
            let [common, server] = cursors;
            let (cubes, grid) = (&CubeAllowance::new(0), level.grid);
            let tries = &Tries::default();
            let around = &Surroundings {
                names,
                grid,
                cubes,
                tries,
            };
            let data = common.and_then(|common| {
                let server = server.map_or(Optional::Missing, Optional::There);
                let problems = &mut Problems::new();
                read_chunk((common, true), Optional::Missing, server, around, problems).ok()
            });
            cube_counts.push(
                data.as_ref()
                    .map_or(u32::MAX, |data| data.cubes.len() as u32),
            );
            let Some(data) = data else { continue };
            let cubes = &data.cubes;
            named.extend(cubes.all_seen_chunks().iter().map(|seen| {
                let last = cubes.seen_chunk_cubes(seen).iter().max();
                (seen.chunk, last.map_or(0, |last| last.saturating_add(1)))
            }));
            let regions = data.server.iter().flat_map(|server| &server.regions);
            let regions = regions.flat_map(|region| &region.chunks);
            named.extend(regions.map(|chunk| (*chunk, 0)));
        }
        let skies = level.client.iter().flat_map(|client| &client.skies);
        let skies = skies.filter(|sky| sky.flags & Sky::HAS_3D_SKYBOX != 0);
        named.extend(skies.map(|sky| (sky.skybox_chunk, 0)));
        // What is named is there, with as many cubes as that needs.
        let has = |grid: [u32; 3], (chunk, cubes): (ChunkIndex, u32)| {
            let number = chunk_number(grid, chunk);
            let count = number.and_then(|number| cube_counts.get(number));
            count.is_some_and(|count| *count >= cubes)
        };
        named.sort_unstable();
        named.dedup();
        let odds = |grid: &[u32; 3]| {
            let lacking = named.iter().filter(|named| !has(*grid, **named)).count();
            let others = grid.iter().zip(was).filter(|(count, was)| *count != was);
            let apart = grid.iter().zip(was).map(|(count, was)| count.abs_diff(was));
            (lacking, others.count(), apart.sum::<u32>())
        };
        let least = grids.iter().map(odds).min();
        let best = grids.iter().filter(|grid| Some(odds(grid)) == least);
        best.copied().collect()
    }

    /// Checks the size of the chunks of a level, whose grid is at an offset, against where the faces of
    /// whole cubes are. If these show another, that is taken.
    pub(super) fn check_chunk_size(&mut self, (number, grid_at): (u8, u64), level: &mut Level) {
        let said = level.chunk_exponent;
        let data = level
            .chunks
            .iter()
            .filter_map(|chunk| chunk.data.as_deref());
        let mut shown = data
            .flat_map(shown_exponents)
            .take(FACES_FOR_SIZE)
            .peekable();
        let first = shown.peek().copied().flatten();
        let is_shown = first.is_some_and(|first| first != said)
            && shown.by_ref().filter(|exponent| *exponent == first).count() == FACES_FOR_SIZE;
        let part = Part::Level(number);
        let found = format!("grid of {part}: chunks of 2^{said} m");
        let fault = |expected: String| {
            let place = Place::Offset(grid_at + 4);
            refused(&rules::CHUNK_SIZE, part, place, &found, expected)
        };
        if let (Some(exponent), true) = (first, is_shown) {
            level.chunk_exponent = exponent;
            let expected = format!("2^{exponent}, with which vertices are where their cubes are");
            self.add(fault(expected));
        } else if said > LARGEST_CHUNK {
            level.chunk_exponent = 0;
            let error = fault("at most 2^24".to_owned());
            self.add(error.losing("the places of the chunks; all are shown at the centre"));
        }
    }
}

/// Reads the grid of a level, and gives those that it can be instead, if it is wrong: one of them is
/// the right one, and all have as many chunks.
pub(super) fn read_grid(
    cursor: &mut Cursor<'_>,
    level: &mut Level,
    announced: u64,
) -> Result<Vec<[u32; 3]>, ReadError> {
    cursor.enter("grid", None);
    // Each number is one below the count.
    level.grid = ChunkIndex(cursor.u32()?).yxz().map(|count| count + 1);
    level.chunk_exponent = cursor.u8()?;
    level.center = ChunkIndex(cursor.u32()?);
    let size = announced.saturating_sub(level.offset + cursor.pos() as u64);
    let chunks = mended_chunk_count(cursor.clone().rest(), size, level.grid);
    let grids = chunks.map(|chunks| grids_of(chunks, level.grid));
    Ok(grids
        .filter(|grids| !grids.is_empty())
        .unwrap_or_else(|| vec![level.grid]))
}

/// How many chunks a level has, if its grid is wrong: as many as with which sections follow the directory
/// up to the end of the level, which is after so many bytes. None where the grid is right, or where no such
/// number is.
pub(super) fn mended_chunk_count(directory: &[u8], size: u64, grid: [u32; 3]) -> Option<u64> {
    let chunks = grid.iter().map(|count| u64::from(*count)).product();
    if is_directory(directory, chunks) {
        return None;
    }
    let mut end = 0;
    let mut chunks = 0;
    for sizes in directory.as_chunks::<DIRECTORY_BYTES>().0 {
        let [packed, _] = sizes.as_chunks::<12>().0 else {
            break;
        };
        let packed = packed.as_chunks().0.iter().copied();
        let packed = packed.map(|size| u64::from(u32::from_le_bytes(size)));
        end += DIRECTORY_BYTES as u64 + packed.sum::<u64>();
        chunks += 1;
        if end > size {
            break;
        }
        if end == size && is_directory(directory, chunks) {
            return Some(chunks);
        }
    }
    None
}

/// All grids of so many chunks that a level can have, the most like another one first.
pub(super) fn grids_of(chunks: u64, like: [u32; 3]) -> Vec<[u32; 3]> {
    let mut grids = Vec::new();
    for y in (1..=1_u64 << 8).filter(|y| chunks.is_multiple_of(*y)) {
        let layer = chunks / y;
        for x in (1..=1_u64 << 12).filter(|x| layer.is_multiple_of(*x)) {
            if layer / x <= 1 << 12 {
                grids.push([y, x, layer / x].map(|count| count as u32));
            }
        }
    }
    grids.sort_by_key(|grid| {
        let counts = grid.iter().zip(like);
        let others = counts.clone().filter(|(count, was)| *count != was);
        let apart = counts.map(|(count, was)| count.abs_diff(was));
        (others.count(), apart.sum::<u32>())
    });
    grids
}

/// A grid as messages have it: `1 by 2 by 3`.
pub(super) fn in_words([y, x, z]: [u32; 3]) -> String {
    format!("{y} by {x} by {z}")
}

/// Gives chunks, which are in file order, their places in a grid.
pub(super) fn place_chunks(chunks: &mut [Chunk], [_, x, z]: [u32; 3]) {
    for (chunk, i) in chunks.iter_mut().zip(0..) {
        chunk.index = ChunkIndex::new([i / (x * z), i / z % x, i % z]);
    }
}

/// The sizes of a chunk that the faces of its whole cubes show, as exponents: each lies in a side of its
/// cube. None for a face that shows none.
pub(super) fn shown_exponents(data: &ChunkData) -> impl Iterator<Item = Option<u8>> {
    let vertices = data
        .client
        .as_ref()
        .map_or(&[][..], |client| &client.vertices);
    let cells = data.cubes.cells(1.0).take(CELLS_FOR_SIZE);
    cells.flat_map(move |cell| {
        let geometry = match data.cubes.get(cell.cube) {
            Some(Cube::Geometry(geometry)) if geometry.moved == 0 => Some(geometry),
            _ => None,
        };
        let faces = geometry.into_iter().flat_map(Geometry::faces);
        faces.filter_map(move |face| {
            let axis = face.side % 3;
            let out = if face.side < 3 { cell.half } else { -cell.half };
            let side = cell.center.get(axis)? + out;
            let range = face.vertices.start as usize..face.vertices.end as usize;
            let at = |vertex: &Vertex| vertex.position.get(axis).copied().unwrap_or(f32::NAN);
            let mut at = vertices.get(range)?.iter().map(at);
            let first = at.next()?;
            // The middle of a chunk is there whatever its size.
            (side != 0.0).then(|| {
                let exponent = 1.0 + (first / side).log2();
                let is_size = at.all(|at| at == first) && exponent.fract() == 0.0;
                let is_size = is_size && (0.0..=f32::from(LARGEST_CHUNK)).contains(&exponent);
                is_size.then_some(exponent as u8)
            })
        })
    })
}
