//! Good files of every format, changed at random some ten thousand times: whatever a file says,
//! its reader answers, in time and in memory bounded by the file's length.
//!
//! A new format adds a line to [`SUBJECTS`].

#![cfg(test)]

#[path = "support/shared.rs"]
mod shared;

use std::sync::mpsc;
use std::time::Duration;

use mapscope::formats::{Problem, pfmap};

use shared::shared;

/// A format under test.
struct Subject {
    name: &'static str,
    /// Small good files.
    good: fn() -> Vec<Vec<u8>>,
    /// Reads a file and panics if what comes out does not hold together. Says whether the file
    /// was refused.
    check: fn(&[u8]) -> bool,
}

static SUBJECTS: &[Subject] = &[Subject {
    name: "pfmap",
    good: good_pfmaps,
    check: check_pfmap,
}];

/// How many changed files each reader is given.
const MUTATIONS: u64 = 10_000;
/// How long one changed file may take before its reader is taken to hang.
const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn changed_files_are_answered() {
    for subject in SUBJECTS {
        let good = (subject.good)();
        for file in &good {
            assert!(
                !(subject.check)(file),
                "{}: a good file is refused",
                subject.name
            );
        }
        let (done, watch) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            (0..MUTATIONS)
                .filter(|&number| {
                    let _ = done.send(number);
                    let mut random = Random(number);
                    let mut file = good[random.below(good.len())].clone();
                    // Most files are changed in one place, some all over.
                    for _ in 0..1 << random.below(5).saturating_sub(1) {
                        mutate(&mut file, &mut random);
                    }
                    (subject.check)(&file)
                })
                .count() as u64
        });
        let mut last = 0;
        loop {
            match watch.recv_timeout(LIMIT) {
                Ok(number) => last = number,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    panic!(
                        "{}: mutation {last} takes more than {LIMIT:?}",
                        subject.name
                    )
                }
            }
        }
        let Ok(refused) = reader.join() else {
            panic!("{}: mutation {last} is not answered", subject.name);
        };
        println!(
            "{}: {refused} of {MUTATIONS} changed files refused",
            subject.name
        );
        assert!(
            (MUTATIONS / 100..MUTATIONS).contains(&refused),
            "{}: the changes are too weak or too strong to tell anything",
            subject.name
        );
    }
}

/// Changes a file in one place. Half of the places are near the beginning, where the head is.
fn mutate(file: &mut Vec<u8>, random: &mut Random) {
    let reach = if random.below(2) == 0 {
        600
    } else {
        usize::MAX
    };
    let at = random.below(file.len().min(reach) + 1);
    let end = (at + 1 + random.below(64)).min(file.len());
    let byte = random.byte();
    match random.below(10) {
        0 => {
            if let Some(target) = file.get_mut(at) {
                *target ^= 1 << random.below(8);
            }
        }
        1 | 2 => {
            if let Some(target) = file.get_mut(at) {
                *target = byte;
            }
        }
        3 => file.insert(at, byte),
        4 => drop(file.drain(at..end)),
        5 => file.truncate(at),
        // A long run of digits: an absurd number, or a very long word.
        6 => drop(file.splice(at..at, vec![b'9'; 1 << random.below(16)])),
        // A piece of the file once more, somewhere else.
        7 => {
            let piece = file[at..end].to_vec();
            let to = random.below(file.len() + 1);
            drop(file.splice(to..to, piece));
        }
        8 => {
            let junk: Vec<u8> = (0..random.below(256)).map(|_| random.byte()).collect();
            drop(file.splice(at..end, junk));
        }
        _ => file[at..end].fill(byte),
    }
}

/// A small generator (`SplitMix64`), so that a failure can be made again from its number.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Often a byte that means something to a text format.
    fn byte(&mut self) -> u8 {
        const TELLING: &[u8] = b"0123456789+-abcdefABCDEF \t\r\n\0\xff";
        if self.below(2) == 0 {
            TELLING[self.below(TELLING.len())]
        } else {
            self.next() as u8
        }
    }
}

/// No reader lists more than this, however broken the file.
fn check_problems(problems: &[Problem]) {
    assert!(problems.len() < 2000, "{} problems", problems.len());
    for problem in problems {
        assert!(problem.message.len() < 400, "{problem}");
    }
}

fn good_pfmaps() -> Vec<Vec<u8>> {
    let mut files = vec![
        pfmap::synthesize(1, 1, 1),
        pfmap::synthesize(1, 1, 2),
        pfmap::synthesize(1, 2, 3),
        pfmap::synthesize(2, 1, 4),
    ];
    let splats = String::from_utf8_lossy(&files[0])
        .replace("version 1.0", "version 1.2")
        .replace("num_rows", "num_splats 2\nnum_rows")
        .replacen("\n0+", "\nsplat 0 1\nsplat 2 3\n0+", 1)
        .replace('\n', "\r\n");
    files.push(splats.into_bytes());
    if let Some(demo) = shared("corpus/permafrost/assets/maps/demo.pfmap") {
        files.push(std::fs::read(demo).unwrap());
    }
    files
}

fn check_pfmap(bytes: &[u8]) -> bool {
    let map = match pfmap::read(bytes) {
        Ok(map) => map,
        Err(error) => {
            check_problems(&[error.problem()]);
            return true;
        }
    };
    assert_eq!(
        map.tiles.len() as u64,
        u64::from(map.rows()) * u64::from(map.cols())
    );
    assert!(
        map.tiles.len() * 25 <= 4 * (bytes.len() + 1),
        "memory in proportion to the file"
    );
    assert!(map.bad_tiles.len() < map.tiles.len());
    assert!(map.bad_tiles.is_sorted());
    assert!(map.materials.len() <= 1000);
    check_problems(&map.problems);
    // The first, the last and every bad tile are where they are said to be.
    let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
    let corners = [(0, 0), (map.rows() - 1, map.cols() - 1)];
    for &(row, col) in map.bad_tiles.iter().chain(&corners).take(200) {
        let (line, column) = map.tile_place(row, col);
        assert!((1..=lines).contains(&line) && column >= 1);
        assert!(map.tile_at_place(line, column).is_some());
    }
    false
}
