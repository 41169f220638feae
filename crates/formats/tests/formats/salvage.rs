//! Damaged files: one damage loses at most one record, is one problem at its place, and invents
//! nothing. The content of a file that is still being written only grows.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use mapscope_formats::{Place, Problem, Severity};

use mapscope_testdata::stride;

use crate::valid::{FORMATS, Format, GeneratedFile, Random, Reading};

/// A damage: the changed file, the changed range (empty after a removal), and the kind of change.
struct Damage {
    bytes: Vec<u8>,
    at: Range<usize>,
    what: &'static str,
}

/// Destroys the content of a range, in one of many ways.
fn damage(
    random: &mut Random,
    made: &GeneratedFile,
    range: &Range<usize>,
    format: &Format,
) -> Damage {
    let bytes = &made.bytes;
    // Without the end of its last line, a record would merge with the next one.
    let is_lines = format.is_text && bytes[range.end - 1] == b'\n';
    let inner = range.start..range.end - usize::from(is_lines);
    let from = inner.start + random.below(inner.len());
    let to = (from + 1 + random.below(16)).min(inner.end);
    let garbage = |random: &mut Random, count: usize| -> Vec<u8> {
        (0..count)
            .map(|_| {
                if format.is_text {
                    b"#?x~7 "[random.below(6)]
                } else {
                    random.next() as u8
                }
            })
            .collect()
    };
    let line_of = |at: usize| {
        let start = bytes[..at]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let end = bytes[at..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(bytes.len(), |end| at + end + 1);
        start.max(range.start)..end.min(range.end)
    };
    let line = line_of(from);
    let ways = if format.is_flat {
        3
    } else if is_lines {
        8
    } else {
        6
    };
    let (what, replaced, by) = match random.below(ways) {
        0 => ("overwritten", from..to, garbage(random, to - from)),
        1 => (
            "overwritten whole",
            inner.clone(),
            garbage(random, inner.len()),
        ),
        2 => (
            "filled",
            from..to,
            vec![if format.is_text { b' ' } else { 0 }; to - from],
        ),
        3 => ("inserted", from..from, {
            let count = 1 + random.below(8);
            garbage(random, count)
        }),
        4 => ("deleted", from..to, Vec::new()),
        5 => ("cut", from..inner.end, Vec::new()),
        6 => ("line deleted", line, Vec::new()),
        _ => ("line doubled", line.start..line.start, bytes[line].to_vec()),
    };
    let end = range.end - replaced.len() + by.len();
    let mut changed = bytes.clone();
    changed.splice(replaced, by);
    Damage {
        bytes: changed,
        at: range.start..end,
        what,
    }
}

/// Returns the bytes of a place: the byte itself, or the line of a text.
fn offsets(bytes: &[u8], place: Place) -> Range<usize> {
    match place {
        Place::Offset(at) => at as usize..at as usize + 1,
        Place::Text { line, .. } => {
            let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let start = match line {
                0 | 1 => 0,
                _ => ends
                    .nth(line as usize - 2)
                    .map_or(bytes.len(), |(at, _)| at + 1),
            };
            let end = ends.next().map_or(bytes.len(), |(at, _)| at + 1);
            start..end
        }
    }
}

/// `true` if a problem is at a damage: in its bytes, or in the line or byte after it, where the
/// missing content is noticed.
fn is_at(damage: &Damage, problem: &Problem, is_text: bool) -> bool {
    let found = offsets(&damage.bytes, problem.place);
    let end = &damage.bytes[damage.at.end.min(damage.bytes.len())..];
    let next_line = end
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(end.len(), |at| at + 1);
    let slack = if is_text { next_line } else { 1 };
    found.start <= damage.at.end + slack && found.end >= damage.at.start
}

fn counted<'a>(records: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    records.for_each(|record| *counts.entry(record).or_default() += 1);
    counts
}

/// The results of all damages of a format.
#[derive(Default)]
struct Totals {
    beside: usize,
    lost: usize,
    made_up: usize,
    damages: usize,
    badly_located: usize,
    examples: Vec<(usize, String)>,
}

impl Totals {
    fn add(
        &mut self,
        format: &Format,
        made: &GeneratedFile,
        target: &Range<usize>,
        damage: &Damage,
    ) {
        let reading = (format.read)(&damage.bytes).unwrap_or_else(|error| Reading {
            records: Vec::new(),
            problems: error.problem().cloned().into_iter().collect(),
        });
        // Only records in the damaged range and around it may be lost.
        let touches = |at: &Range<usize>| at.start < target.end && target.start < at.end;
        let others = made.records.iter().filter(|record| !touches(&record.at));
        let others = counted(others.map(|record| &*record.says));
        let all = counted(made.records.iter().map(|record| &*record.says));
        let read = counted(reading.records.iter().map(String::as_str));
        let missing: Vec<_> = others
            .iter()
            .filter_map(|(says, count)| {
                let found = read.get(says).copied().unwrap_or(0);
                (found < *count).then_some((*says, count - found))
            })
            .collect();
        let lost: usize = missing.iter().map(|(_, count)| count).sum();
        let new = read.iter().filter_map(|(says, count)| {
            let known = all.get(says).copied().unwrap_or(0);
            // The content of a damaged tag may be kept as custom tags.
            (*count > known && !says.starts_with("own ")).then(|| (*says, count - known))
        });
        let new: Vec<_> = new.collect();
        let targets = made
            .records
            .iter()
            .filter(|record| touches(&record.at))
            .count();
        let count_new: usize = new.iter().map(|(_, count)| count).sum();
        self.beside += others.values().sum::<usize>();
        self.lost += lost;
        self.damages += 1;
        // Numbers that are shifted within a section become others.
        let is_shifted = !format.is_text && damage.bytes.len() != made.bytes.len();
        let is_made_up = count_new > targets.max(1) && !is_shifted;
        self.made_up += usize::from(is_made_up);
        let at_top: Vec<_> = reading
            .problems
            .iter()
            .filter(|it| !made.warnings.contains(&it.rule.id))
            .collect();
        let is_cut = damage.at.is_empty() || damage.what == "line deleted" || damage.what == "cut";
        // Within a compressed section, the place may be that of the section.
        let section = made
            .sections
            .iter()
            .find(|section| section.contains(&target.start));
        let is_in_section = |problem: &Problem| {
            let at = offsets(&damage.bytes, problem.place).start;
            section.is_some_and(|section| (section.start..section.end + 16).contains(&at))
        };
        let is_told = at_top.len() < 2
            && at_top
                .iter()
                .all(|it| is_cut || is_in_section(it) || is_at(damage, it, format.is_text));
        self.badly_located += usize::from(!is_told);
        if lost > 0 || is_made_up || !is_told {
            let at = String::from_utf8_lossy(&made.bytes[target.clone()])
                .chars()
                .take(60)
                .collect::<String>();
            let now = damage.at.start..damage.at.end.min(damage.at.start + 60);
            let now = String::from_utf8_lossy(&damage.bytes[now]).into_owned();
            let short = |list: &[(&str, usize)]| {
                list.iter()
                    .take(2)
                    .map(|(says, _)| says.chars().take(70).collect::<String>())
                    .collect::<Vec<_>>()
            };
            let problems = at_top
                .iter()
                .take(4)
                .map(|it| it.to_string().chars().take(110).collect::<String>())
                .collect::<Vec<_>>();
            self.examples.push((
                lost,
                format!(
                    "{}: {at:?} -> {now:?} at {:?}\n    lost {lost} {:?}\n    made up {count_new} {:?}\n    told {problems:#?}",
                    damage.what, damage.at, short(&missing), short(&new)
                ),
            ));
        }
    }

    fn assert_limits(mut self, format: &Format) {
        let kept = 1.0 - self.lost as f64 / self.beside.max(1) as f64;
        let told = 1.0 - self.badly_located as f64 / self.damages as f64;
        let made_up = self.made_up as f64 / self.damages as f64;
        self.examples
            .sort_by_key(|(lost, _)| std::cmp::Reverse(*lost));
        let examples: Vec<_> = self
            .examples
            .iter()
            .take(6)
            .map(|(_, text)| text.as_str())
            .collect();
        let others: Vec<_> = self
            .examples
            .iter()
            .rev()
            .take(4)
            .map(|(_, text)| text.as_str())
            .collect();
        println!(
            "{}: {kept:.4} kept, {told:.4} told well, {made_up:.4} made up",
            format.name
        );
        assert!(
            kept >= format.kept && told >= format.told && made_up <= format.made_up,
            "{}: of {} damages {kept:.4} of the records beside are kept (of {}), {told:.4} are one problem at the damage \
             (of {}), {made_up:.4} make something up (of {}):\n{}\n---\n{}",
            format.name,
            self.damages,
            format.kept,
            format.told,
            format.made_up,
            examples.join("\n"),
            others.join("\n")
        );
    }
}

fn damages(format: &Format, files: u64, each: usize) {
    let mut sum = Totals::default();
    for seed in 0..files {
        let made = (format.make)(&mut Random::new(seed, false));
        let mut random = Random::new(seed, true);
        let targets: Vec<_> = made
            .records
            .iter()
            .map(|record| &record.at)
            .chain(&made.pieces)
            .cloned()
            .collect();
        for i in 0..each {
            // All kinds of records are damaged equally often.
            let target = &targets[if each >= targets.len() {
                i % targets.len()
            } else {
                random.below(targets.len())
            }];
            // A binary file without its head cannot be read.
            if !target.is_empty() && (format.is_text || target.start > 0) {
                let damage = damage(&mut random, &made, target, format);
                sum.add(format, &made, target, &damage);
            }
        }
    }
    sum.assert_limits(format);
}

/// Number of records of each kind, which is their first word.
fn kinds(reading: &Reading) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    // A truncated name is another name, so custom records do not count.
    for record in reading
        .records
        .iter()
        .filter(|record| !record.starts_with("own "))
    {
        let kind = record.split(' ').next().unwrap_or_default();
        *counts.entry(kind.to_owned()).or_default() += 1;
    }
    counts
}

/// Longer prefixes of a file never show less, and those that show less than all have an error.
fn beginnings(format: &Format, files: u64, most: usize) {
    let mut faults = Vec::new();
    for seed in 0..files {
        let made = (format.make)(&mut Random::new(seed, false));
        let step = made.bytes.len().div_ceil(most).max(1);
        let whole = kinds(&(format.read)(&made.bytes).unwrap());
        let mut before = BTreeMap::new();
        for len in (0..made.bytes.len())
            .step_by(step)
            .chain([made.bytes.len()])
        {
            let Ok(reading) = (format.read)(&made.bytes[..len]) else {
                if !before.is_empty() {
                    faults.push(format!(
                        "seed {seed}: {len} bytes are refused, fewer are not"
                    ));
                }
                continue;
            };
            let now = kinds(&reading);
            for (kind, count) in &before {
                let found = now.get(kind).copied().unwrap_or(0);
                if found < *count {
                    let end = String::from_utf8_lossy(&made.bytes[len.saturating_sub(60)..len]);
                    faults.push(format!(
                        "seed {seed}: {len} bytes, up to {end:?}, show {found} {kind}, {} show {count}",
                        len - step
                    ));
                }
            }
            let is_cut = reading
                .problems
                .iter()
                .any(|problem| problem.severity == Severity::Error);
            // An XMF text may end after any tag.
            if now != whole && !is_cut && format.name != "xmf" {
                faults.push(format!(
                    "seed {seed}: {len} bytes show {now:?} without an error"
                ));
            }
            before = now;
        }
    }
    let told: Vec<_> = faults.iter().take(12).map(String::as_str).collect();
    assert!(
        faults.is_empty(),
        "{}: {} times\n{}",
        format.name,
        faults.len(),
        told.join("\n")
    );
}

macro_rules! damaged_files_keep_what_is_whole {
    ($($name:ident: $index:literal, $files:literal, $each:literal, $most:literal;)+) => {
        $(
            mod $name {
                #[test]
                fn damages() {
                    super::damages(&super::FORMATS[$index], $files, $each);
                }

                #[test]
                fn beginnings() {
                    super::beginnings(&super::FORMATS[$index], 2, $most / super::stride(4));
                }
            }
        )+
    };
}

// Numbers of files, of damages of each, and of prefixes of each.
damaged_files_keep_what_is_whole! {
    scenes: 0, 8, 200, 600;
    terrain: 1, 2, 120, 60;
    models: 2, 6, 150, 300;
    ika_text_maps: 3, 6, 200, 400;
    ika_maps: 4, 8, 120, 400;
    tilesets: 5, 8, 60, 300;
    ppe_maps: 6, 8, 100, 300;
    containers: 7, 6, 200, 400;
    levels: 8, 2, 200, 200;
}
