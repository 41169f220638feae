//! Maps with surplus or missing bytes in a section: the next section is found, and there is one
//! problem.

use std::ops::Range;

use mapscope_formats::paf::{Archive, NewFile};
use mapscope_formats::pmf::*;
use mapscope_formats::{Problem, Subject};
use mapscope_testdata::{shared, stride, synthesize};

/// A map and its file.
struct Whole {
    map: Pmf,
    file: Vec<u8>,
}

impl Whole {
    fn of(file: Vec<u8>) -> Self {
        let map = read(&file).unwrap();
        assert_eq!(map.problems, []);
        Self { map, file }
    }

    /// Two levels of two chunks each, which differ, and an archive.
    fn made_up(packing: Packing) -> Self {
        let file = |path| NewFile {
            path,
            bytes: b"some text",
            compress: false,
        };
        let mut map = synthesize::pmf([1, 2, 1], 1, 3);
        map.archive = Some(Archive::build(&["a.txt", "b/c.txt"].map(file)).unwrap());
        map.levels.extend(synthesize::pmf([1, 2, 1], 1, 4).levels);
        Self::of(write(&map, packing).unwrap())
    }

    /// `true` if a map has all levels and chunks, except for the content of the chunk at an offset.
    fn matches_except(&self, map: &Pmf, at: usize) -> bool {
        self.matches_except_range(map, at..at + 1)
    }

    /// [`Self::matches_except`] for a range.
    fn matches_except_range(&self, map: &Pmf, range: Range<usize>) -> bool {
        let (start, end) = (range.start as u64, range.end as u64);
        let levels = self.map.levels.iter().zip(&map.levels);
        let chunks = levels.clone().all(|(whole, level)| {
            let is_hit = |frames: &[Frame; 3]| {
                // A byte at the end of a section can belong to that or to the next.
                let mut frames = frames.iter().filter(|frame| !frame.is_empty());
                frames.any(|frame| frame.start < end && start <= frame.end())
            };
            let mut chunks = whole.chunks.iter().zip(&level.chunks);
            whole.chunks.len() == level.chunks.len()
                && chunks.all(|(whole, chunk)| {
                    is_hit(&whole.frames)
                        || (chunk.data == whole.data && chunk.index == whole.index)
                })
        });
        chunks && self.map.levels.len() == map.levels.len()
    }
}

/// The problems as text, each with the number of its consequences.
fn describe_problems(problems: &[Problem]) -> String {
    let problems = problems.iter();
    let problems =
        problems.map(|problem| format!("{} (+{})", problem.facts(), problem.consequences.len()));
    problems.collect::<Vec<_>>().join("\n")
}

/// Reads a file with a byte removed or inserted at some offsets in its sections.
fn shift(whole: &Whole, step: usize, mut check: impl FnMut(usize, &str, &Pmf)) {
    let levels = whole.map.levels.iter();
    let frames = levels.flat_map(|level| {
        let of_chunks = level.chunks.iter().map(|chunk| &chunk.frames);
        [&level.frames].into_iter().chain(of_chunks).flatten()
    });
    let within = frames.flat_map(|frame| frame.start as usize + 4..frame.end() as usize);
    for at in within.step_by(step * stride(11)) {
        let mut file = whole.file.clone();
        file.remove(at);
        check(at, "less", &read(&file).unwrap());
        for byte in [0, 0x41, 0xFF] {
            let mut file = whole.file.clone();
            file.insert(at, byte);
            check(at, &format!("{byte:#x} more"), &read(&file).unwrap());
        }
    }
}

#[test]
fn a_byte_more_or_less_costs_only_what_it_is_in() {
    let mut files = vec![
        (Whole::made_up(Packing::Stored), 23),
        (Whole::made_up(Packing::Compressed), 13),
    ];
    for (name, step) in [
        ("tiny", 1),
        ("tiny_stored", 5),
        ("stripped", 11),
        ("room", 1999),
    ] {
        if let Some(path) = shared(&format!("samples/pmf/{name}.pmf")) {
            files.push((Whole::of(std::fs::read(path).unwrap()), step));
        }
    }
    let (mut single, mut all) = (0, 0);
    for (whole, step) in &files {
        shift(whole, *step, |at, what, map| {
            let said = || format!("{at:#x}, {what}: {}", describe_problems(&map.problems));
            assert!(whole.matches_except(map, at), "{}", said());
            all += 1;
            single += usize::from(map.problems.len() <= 1);
        });
    }
    assert!(single * 100 >= all * 95, "{single} of {all}");
}

/// Ranges of chunks that are missing, duplicated or surplus, and may be longer than sections.
#[test]
fn a_range_more_or_less_costs_only_what_it_is_in() {
    let mut files = vec![
        (Whole::made_up(Packing::Stored), 211),
        (Whole::made_up(Packing::Compressed), 61),
    ];
    if let Some(path) = shared("samples/pmf/room.pmf") {
        files.push((Whole::of(std::fs::read(path).unwrap()), 1 << 14));
    }
    let mut count = 0;
    for (whole, step) in &files {
        for level in &whole.map.levels {
            let frames = || level.chunks.iter().flat_map(|chunk| chunk.frames);
            let start = frames().next().unwrap().start as usize;
            let last = frames().last().unwrap();
            let (last_frame, end) = (last.start as usize, last.end() as usize);
            for len in [65, 128, 700] {
                for at in (start..end - len).step_by(*step * stride(3)) {
                    let range = at..at + len;
                    // A level that then seems to extend past the end of the file may also be
                    // truncated.
                    let is_of_last = range.end > last_frame;
                    let (before, behind) = whole.file.split_at(at);
                    let taken = [before, &behind[len..]].concat();
                    let doubled = [before, &behind[..len], behind].concat();
                    let noise: Vec<u8> = (0..len).map(|i| (i * 37 + at) as u8).collect();
                    let put = [before, &noise, behind].concat();
                    for (what, hit, file) in [
                        ("missing", range.clone(), taken),
                        ("doubled", range, doubled),
                        ("too many", at..at + 1, put),
                    ] {
                        let map = read(&file).unwrap();
                        let said = || {
                            format!(
                                "{len} from {at:#x}, {what}: {}",
                                describe_problems(&map.problems)
                            )
                        };
                        assert!(whole.matches_except_range(&map, hit), "{}", said());
                        assert!(is_of_last || map.problems.len() == 1, "{}", said());
                        let has_entities = map.entities.len() == whole.map.entities.len();
                        assert!(has_entities || is_of_last, "{}", said());
                        count += 1;
                    }
                }
            }
        }
    }
    assert!(count * stride(3) > 500, "{count}");
}

/// Missing sections.
#[test]
fn a_missing_section_is_one_problem() {
    for packing in [Packing::Stored, Packing::Compressed] {
        let whole = Whole::made_up(packing);
        for level in &whole.map.levels {
            let of_chunks = level.chunks.iter().flat_map(|chunk| chunk.frames);
            for frame in level.frames.into_iter().chain(of_chunks) {
                let range = frame.start as usize..frame.end() as usize;
                let mut file = whole.file.clone();
                file.drain(range.clone());
                let map = read(&file).unwrap();
                let said = || format!("{frame:?}: {}", describe_problems(&map.problems));
                assert_eq!(map.problems.len(), 1, "{}", said());
                let is_of_chunk = !level.frames.contains(&frame);
                if is_of_chunk {
                    assert!(whole.matches_except_range(&map, range), "{}", said());
                }
            }
        }
    }
}

/// Levels that are completely missing are reported.
#[test]
fn a_missing_level_costs_no_other() {
    let mut map = synthesize::pmf([1, 2, 1], 1, 3);
    for seed in 4..7 {
        map.levels
            .extend(synthesize::pmf([1, 2, 1], 1, seed).levels);
    }
    let whole = Whole::of(write(&map, Packing::Compressed).unwrap());
    let levels = &whole.map.levels;
    let within = |level: &Level| level.chunks[1].frames[1].start as usize + 9;
    for (first, last) in [(0, 1), (1, 2), (0, 2), (1, 3)] {
        let range = within(&levels[first])..within(&levels[last]);
        let mut file = whole.file.clone();
        file.drain(range);
        let map = read(&file).unwrap();
        let [problem] = &map.problems[..] else {
            panic!("{first} to {last}: {}", describe_problems(&map.problems));
        };
        for (number, (level, expected)) in map.levels.iter().zip(levels).enumerate() {
            let mut problems = problem.with_consequences();
            let is_said = problems.any(|problem| {
                problem.rule.id == "pmf/truncated"
                    && problem.subject == Subject::Level(number as u8)
            });
            assert_eq!(is_said, (first + 1..=last).contains(&number), "{number}");
            if number < first || number > last {
                assert_eq!(level.chunks.len(), expected.chunks.len());
                let mut chunks = level.chunks.iter().zip(&expected.chunks);
                assert!(chunks.all(|(chunk, expected)| chunk.data == expected.data));
            }
        }
        assert_eq!(map.levels.len(), levels.len());
    }
}

/// A size for a missing section takes nothing from the next one.
#[test]
fn a_size_of_a_missing_section_is_one_problem() {
    let mut map = synthesize::pmf([1, 2, 1], 1, 3);
    let data = map.levels[0].chunks[0].data.as_mut().unwrap();
    (data.client, data.server) = (None, None);
    let file = write(&map, Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    let level = &whole.levels[0];
    let directory = level.frames[2].end() as usize + 9;
    for number in [1, 2, 4, 5] {
        for size in [1, 2, 300, u32::MAX] {
            let mut file = file.clone();
            let at = directory + 4 * number;
            file[at..at + 4].copy_from_slice(&u32::to_le_bytes(size));
            let map = read(&file).unwrap();
            let said = describe_problems(&map.problems);
            let expected: Vec<_> = level.chunks.iter().map(|chunk| &chunk.data).collect();
            let found: Vec<_> = map.levels[0]
                .chunks
                .iter()
                .map(|chunk| &chunk.data)
                .collect();
            assert_eq!(found, expected, "{number} as {size}: {said}");
            assert_eq!(map.problems.len(), whole.problems.len() + 1, "{said}");
            assert!(said.contains("pmf/section-size"), "{said}");
        }
    }
}

/// If a wrapper names a wrong child in its client or server section, the reference is reported as
/// dangling. The section is not reported as missing.
#[test]
fn a_wrong_child_is_one_problem() {
    let file = write(&synthesize::pmf([1, 1, 1], 1, 3), Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    let chunk = &whole.levels[0].chunks[0];
    let cubes = &chunk.data.as_ref().unwrap().cubes;
    let mut count = 0;
    for (cube, what) in cubes.iter() {
        let side = match what {
            Cube::LightInfo(_) => Side::Client,
            Cube::PathInfo(_) => Side::Server,
            _ => continue,
        };
        let record = cubes.record(side, cube).unwrap();
        let at = chunk.frames[side as usize].start as usize + 11 + record.start as usize;
        for child in [0, 200, u32::MAX] {
            let mut file = file.clone();
            file[at..at + 4].copy_from_slice(&u32::to_le_bytes(child));
            let map = read(&file).unwrap();
            let said = describe_problems(&map.problems);
            let [problem] = &map.problems[..] else {
                panic!("{child}: {said}");
            };
            assert_eq!(problem.rule.id, "pmf/cube-tree", "{said}");
            assert!(!said.contains("missing"), "{said}");
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}

/// A string table that ends too early is one problem, regardless of its content.
#[test]
fn a_string_table_without_an_end_is_one_problem() {
    let mut map = synthesize::pmf([1, 1, 1], 1, 3);
    let client = map.levels[0].client.as_mut().unwrap();
    let end = client.strings.bytes().len() - 1;
    let mut strings = client.strings.bytes().to_vec();
    strings[end] = b'x';
    client.strings = StringTable::new(&strings);
    let map = read(&write(&map, Packing::Stored).unwrap()).unwrap();
    let [problem] = &map.problems[..] else {
        panic!("{}", describe_problems(&map.problems));
    };
    assert_eq!(problem.rule.id, "pmf/string");
    assert!(!problem.consequences.is_empty());
}
