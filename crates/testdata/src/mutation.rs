//! Valid files with random changes. Readers return in time and without a panic, whatever a file
//! contains.

#![expect(clippy::panic, clippy::print_stdout, reason = "it runs only in tests")]

use std::sync::mpsc;
use std::time::Duration;

/// A reader that is tested with mutated files.
#[derive(Debug)]
pub struct Subject {
    /// Small valid files.
    pub good: fn() -> Vec<Vec<u8>>,
    /// Reads a file and panics if the result is inconsistent. Returns `true` if the file was
    /// refused.
    pub check: fn(&[u8]) -> bool,
    /// Number of changed files in a full sweep; by default it is given a tenth.
    pub mutations: u64,
}

/// Generates a test for each [`Subject`]: `name: good, check, mutations;`.
#[macro_export]
macro_rules! mutation_tests {
    ($($name:ident: $good:expr, $check:expr, $mutations:literal;)+) => {
        $(
            #[test]
            fn $name() {
                $crate::mutation::answer(&$crate::mutation::Subject {
                    good: $good,
                    check: $check,
                    mutations: $mutations,
                });
            }
        )+
    };
}

/// Time limit for one mutated file; beyond it, the reader is considered to hang.
const LIMIT: Duration = Duration::from_secs(20);

/// Changes good files and checks that they are read. `MAPSCOPE_MUTATIONS` overrides the number.
///
/// # Panics
/// If a check panics or exceeds the time limit, or if the mutations are useless because nearly no
/// file or every file is refused.
pub fn answer(subject: &Subject) {
    let asked = std::env::var("MAPSCOPE_MUTATIONS").ok();
    let asked = asked.and_then(|count| count.parse().ok());
    let mutations = asked.unwrap_or(subject.mutations.div_ceil(crate::stride(10) as u64));
    let good = (subject.good)();
    let check = subject.check;
    for file in &good {
        assert!(!check(file), "a good file is refused");
    }
    let (done, watch) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        (0..mutations)
            .filter(|&number| {
                let _ = done.send(number);
                let mut random = Random(number);
                let mut file = good[random.below(good.len())].clone();
                // Most files are changed in one place, some in many.
                for _ in 0..1 << random.below(5).saturating_sub(1) {
                    mutate(&mut file, &mut random);
                }
                check(&file)
            })
            .count() as u64
    });
    let mut last = 0;
    loop {
        match watch.recv_timeout(LIMIT) {
            Ok(number) => last = number,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("mutation {last} hangs"),
        }
    }
    let Ok(refused) = reader.join() else {
        panic!("mutation {last} is not answered");
    };
    println!("{refused} of {mutations} changed files refused");
    assert!(
        (mutations / 100..mutations).contains(&refused),
        "the changes are too weak or too strong to tell anything"
    );
}

/// Mutates a file in one place. Half of the places are near the start, which contains the header.
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
        // Insert a copy of a piece of the file elsewhere.
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

/// A small generator (`SplitMix64`), so that a failure can be reproduced from its number.
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

    /// A random byte, often one with a meaning in text formats.
    fn byte(&mut self) -> u8 {
        const SIGNIFICANT_BYTES: &[u8] = b"0123456789+-abcdefABCDEF \t\r\n\0\xff";
        if self.below(2) == 0 {
            SIGNIFICANT_BYTES[self.below(SIGNIFICANT_BYTES.len())]
        } else {
            self.next() as u8
        }
    }
}
