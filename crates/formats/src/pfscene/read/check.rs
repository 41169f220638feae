//! What can be wrong with lines that can be read.

use std::collections::HashMap;

use super::super::{Attribute, ENTITY_ATTRIBUTES, MAX_FACTIONS, Value, ValueType};
use super::{Kind, Line, Promise, Reader, Record, rules};
use crate::cursor::text_place;
use crate::misspelt::meant;
use crate::{Cause, Place, Subject, outside, quoted};

/// The states of diplomacy that the engine knows.
const PEACE: u32 = 0;
const WAR: u32 = 1;
/// Numbers beyond this are no lengths in world units: a map of the engine is some thousands wide, and
/// a camera sees a thousand far.
pub const MAX_LENGTH: f32 = 1e6;
/// How far from 1 the length of a quaternion may be: its numbers are written with six digits.
const LENGTH_TOLERANCE: f32 = 1e-3;

/// The attributes of regions.
const REGION_ATTRIBUTES: [(&str, ValueType); 3] = [
    ("radius", ValueType::Float),
    ("dimensions", ValueType::Vec2),
    ("pos", ValueType::Vec2),
];

/// Whether regions have an attribute of a key.
pub(super) fn is_region_attribute(key: &[u8]) -> bool {
    position(&REGION_ATTRIBUTES, key).is_some()
}

/// Which of several attributes has a key.
fn position(attributes: &[(&str, ValueType)], key: &[u8]) -> Option<usize> {
    let mut attributes = attributes.iter();
    attributes.position(|(known, _)| known.as_bytes() == key)
}

/// What may stand in a record in place of an attribute that it does not have.
pub(super) fn expected_in(kind: Kind) -> &'static str {
    match kind {
        Kind::Region => "`radius`, `dimensions` or `pos`",
        kind => kind.line().1,
    }
}

impl<'a> Reader<'a> {
    /// Looks at whether an attribute is one that its record may have.
    pub(super) fn check_attribute(
        &mut self,
        record: &mut Record,
        attribute: &Attribute,
        line: &Line<'a>,
    ) {
        let known = self.known_type(record, line.key.text);
        self.check_order(record, attribute, line);
        if known.is_none() && record.kind == Kind::Entity {
            self.check_key(record, attribute, line);
        } else if known.is_none() {
            let (cause, expected) = (record.odd_line, expected_in(record.kind));
            self.text
                .wrong_after(cause, &rules::LINE, line.key, expected);
            record.odd_line = record.odd_line.or(self.text.problems.last());
            // The line that begins the next record may be missing.
            if let Some(part) = &mut self.part {
                part.lost = part.lost.or(record.odd_line);
            }
        }
        if let (Some(expected), Some(found)) = (known, attribute.value.value_type())
            && expected != found
        {
            self.text
                .report(&rules::ATTRIBUTE_TYPE, line.found().place, || {
                    let (key, found) = (quoted(line.key.text), found.name());
                    let expected = expected.pattern();
                    format!("{key} has a value of type `{found}`; expected {expected}")
                });
        }
        if let Some(first) = record.line_of(&attribute.key) {
            // Where attributes are told by their order, those of the next record may follow.
            let cause = record.odd_line.filter(|_| record.kind != Kind::Entity);
            let rule = &rules::ATTRIBUTE_TWICE;
            self.text.report_after(cause, rule, line.key, || {
                let key = quoted(line.key.text);
                format!("{key} for the second time; the first is in line {first}")
            });
            record.odd_line = record.odd_line.or(self.text.problems.last());
        }
        // Its type and its first word come before.
        if line.key.text == b"class"
            && attribute.value.string().is_some()
            && let Some(extra) = line.words().nth(2)
        {
            self.text.report(&rules::EXTRA_WORDS, extra, || {
                format!(
                    "{} after the class, whose name is one word",
                    quoted(extra.text)
                )
            });
        }
        self.check_numbers(attribute, line);
    }

    /// Looks at whether the key of an attribute of an entity, which the engine does not read, is one that it
    /// does, misspelt. Classes of scripts may have attributes of their own.
    fn check_key(&mut self, record: &mut Record, attribute: &Attribute, line: &Line<'a>) {
        let value_type = attribute.value.value_type();
        let may_be = ENTITY_ATTRIBUTES.iter().filter(|known| {
            value_type.is_none_or(|it| it == known.value_type)
                && record.line_of(known.key).is_none()
        });
        let Some(meant) = meant(&attribute.key, may_be.map(|known| known.key)) else {
            return;
        };
        self.text.report(&rules::ATTRIBUTE_KEY, line.key, || {
            let key = quoted(line.key.text);
            format!("{key} is no attribute that the engine knows; did you mean `{meant}`?")
        });
        if let Some(cause) = self.text.problems.last() {
            if ["constructor_arguments", "tags"].contains(&&*meant) {
                // What it lists follows.
                record.odd_line = record.odd_line.or(Some(cause));
            }
            record.misspelt.push((meant, cause));
        }
    }

    /// Looks at whether an attribute is the next one of a record of which the engine tells them by their
    /// order. A key that is known says which one it is; any other stands for the next one.
    fn check_order(&mut self, record: &mut Record, attribute: &Attribute, line: &Line<'a>) {
        let ordered = record.kind.ordered(self.is_1_1());
        let left = ordered.get(record.due..).unwrap_or_default();
        if left.is_empty() {
            return;
        }
        let is_again = record.line_of(&attribute.key).is_some();
        let is_known = position(ordered, line.key.text).is_some();
        if is_again || (!is_known && attribute.value.value_type().is_none()) {
            // It is one too many, or none.
            return;
        }
        let before = position(left, line.key.text).unwrap_or(0);
        for (key, _) in &left[..before] {
            let cause = self.report_missing(record.kind, record.line, key, record.odd_line);
            record.odd_line = record.odd_line.or(cause);
        }
        record.due += before + 1;
    }

    /// Says that a record, which begins in a line, lacks an attribute, perhaps since another line is odd.
    pub(super) fn report_missing(
        &mut self,
        kind: Kind,
        line: u64,
        key: &'static str,
        odd_line: Option<Cause>,
    ) -> Option<Cause> {
        let noun = kind.line().0;
        let (rule, place) = (&rules::ATTRIBUTE_MISSING, Place::line(line));
        let message = || format!("this {noun} has no `{key}`");
        let problems = &mut self.text.problems;
        let subject = problems.subject;
        if kind == Kind::Faction && odd_line.is_none() {
            // Factions as older versions have them lack it all.
            self.lacks_alike = problems.add_alike(key, rule, subject, place, message);
            self.lacks_alike
        } else {
            problems.add_consequence(odd_line, rule, subject, place, message);
            odd_line.or(problems.last())
        }
    }

    /// The type of the next attribute of a record, by its key or its order; none where it is not known.
    fn known_type(&self, record: &Record, key: &[u8]) -> Option<ValueType> {
        match record.kind {
            Kind::Entity => {
                let mut attributes = ENTITY_ATTRIBUTES.iter();
                let known = attributes.find(|known| known.key.as_bytes() == key);
                known.map(|known| known.value_type)
            }
            Kind::Region => {
                let known = REGION_ATTRIBUTES.get(position(&REGION_ATTRIBUTES, key)?)?;
                Some(known.1)
            }
            Kind::Faction | Kind::Camera => {
                let ordered = record.kind.ordered(self.is_1_1());
                let next = ordered.get(record.due)?;
                let of_key = position(ordered, key).and_then(|of_key| ordered.get(of_key));
                Some(of_key.unwrap_or(next).1)
            }
        }
    }

    /// Whether a line is none of an attribute: neither is one due, nor does it have a type.
    pub(super) fn is_no_attribute(&self, record: &Record, line: &Line<'a>) -> bool {
        let mut words = line.words();
        let is_typed = words
            .next()
            .is_some_and(|word| ValueType::of(word.text).is_some());
        !is_typed && record.kind != Kind::Entity && self.known_type(record, line.key.text).is_none()
    }

    /// Warns of a NUL byte on the line that is read.
    pub(super) fn check_nul(&mut self) {
        let line = &self.text.bytes[self.text.line_start..self.text.pos];
        if let Some(index) = line.iter().position(|byte| *byte == 0) {
            let place = text_place((self.text.line, 1), index);
            self.text.report(&rules::NUL_BYTE, place, || {
                "a NUL byte; the line ends here for the engine".to_owned()
            });
        }
    }

    /// Looks at whether a colour, red, green and blue first, is one of bytes.
    pub(super) fn check_color(&mut self, line: &Line<'a>, color: impl IntoIterator<Item = f32>) {
        let mut parts = color.into_iter();
        if let Some(part) = parts.find(|part| !(0.0..=255.0).contains(part)) {
            self.text.report(&rules::COLOR, line.found().place, || {
                format!("a colour with {part}; expected 0 to 255")
            });
        }
    }

    fn check_numbers(&mut self, attribute: &Attribute, line: &Line<'a>) {
        let place = line.found().place;
        let numbers = attribute.value.numbers();
        let is_length = matches!(
            attribute.key.as_str(),
            "radius" | "dimensions" | "selection_radius" | "vision_range"
        );
        if let Some(number) = numbers.iter().find(|number| is_length && **number < 0.0) {
            self.text.report(&rules::NEGATIVE_LENGTH, place, || {
                format!("{} is {number}; expected 0 or more", attribute.key)
            });
        }
        let is_place = is_length || matches!(attribute.key.as_str(), "position" | "pos" | "scale");
        let is_huge = |number: &&f32| number.is_finite() && number.abs() > MAX_LENGTH;
        if let Some(number) = numbers.iter().find(is_huge).filter(|_| is_place) {
            self.text.report(&rules::HUGE_LENGTH, place, || {
                format!(
                    "{} is {number}; nothing of such a size can be seen",
                    attribute.key
                )
            });
        }
        match (attribute.key.as_str(), &attribute.value) {
            ("scale", Value::Vec3(scale)) if scale.contains(&0.0) => {
                self.text.report(&rules::SCALE, place, || {
                    "a scale of zero hides the entity".to_owned()
                });
            }
            ("scale", Value::Vec3(scale)) if scale.iter().any(|factor| *factor < 0.0) => {
                self.text.report(&rules::SCALE, place, || {
                    "a negative scale; the engine draws the model inside out".to_owned()
                });
            }
            ("color", Value::Vec3(color)) => self.check_color(line, *color),
            ("rotation", Value::Quat(quat)) => {
                let length = quat
                    .iter()
                    .map(|number| number * number)
                    .sum::<f32>()
                    .sqrt();
                if length == 0.0 {
                    self.text.report(&rules::ROTATION, place, || {
                        "a quaternion of length 0; the engine turns nothing there".to_owned()
                    });
                } else if (length - 1.0).abs() > LENGTH_TOLERANCE {
                    self.text.report(&rules::ROTATION_LENGTH, place, || {
                        format!(
                            "a quaternion of length {length}; the engine takes it for 1, and distorts \
                             what is turned"
                        )
                    });
                }
            }
            _ => {}
        }
    }

    /// Looks at what can be known when everything is read.
    pub(super) fn check_end(&mut self, num_sections: Option<Promise>) {
        self.text.problems.subject = Subject::File;
        let sections = self.parts;
        if let Some(promise) = num_sections {
            // Where the last section lacks something too, the file is cut off.
            let cut = self.text.problems.first_since(self.end_of_lines);
            let causes = [self.section_cause.or(cut), self.section_cause];
            let says = "`num_sections` says";
            self.check_count(promise, says, sections, "section", causes);
        }
        if self.text.pos != self.text.line_start {
            let place = self.text.place();
            let early_end = self.early_end.take();
            self.text.report(&rules::LAST_LINE, place, || {
                let not_ended =
                    || "the last line does not end; the engine refuses the file".to_owned();
                early_end.unwrap_or_else(not_ended)
            });
            // A file that is cut off lacks all that should have come.
            let cause = self.text.problems.last();
            if let Some(cause) = cause {
                self.text.problems.fold_since(self.end_of_lines, cause);
            }
            self.text.fold_end(cause);
        }
        self.check_factions();
        let regions = self.scene.regions.iter();
        let cameras = self.scene.cameras.iter();
        let regions = regions.map(|region| (Kind::Region, &region.name, region.line));
        let cameras = cameras.map(|camera| (Kind::Camera, &camera.name, camera.line));
        for records in [regions.collect::<Vec<_>>(), cameras.collect()] {
            let mut lines = HashMap::new();
            for (i, (kind, name, line)) in records.into_iter().enumerate() {
                let Some(first) = lines.insert(name, line) else {
                    continue;
                };
                let place = Place::from((line, 1));
                let problems = &mut self.text.problems;
                problems.add_about(&rules::DUPLICATE_NAME, kind.subject(i), place, || {
                    let name = quoted(name.as_bytes());
                    format!("{name} is also the name in line {first}; scripts find only one")
                });
            }
        }
    }

    fn check_factions(&mut self) {
        let problems = &mut self.text.problems;
        let factions = self.scene.factions.len();
        if let Some(extra) = self.scene.factions.get(MAX_FACTIONS) {
            let place = text_place((extra.line, 1), 0);
            let subject = Subject::Faction(MAX_FACTIONS as u32);
            problems.add_about(&rules::FACTION_LIMIT, subject, place, || {
                format!("{factions} factions; the engine has room for {MAX_FACTIONS}")
            });
        }
        for (i, entity) in self.scene.entities.iter().enumerate() {
            let Some(attribute) = entity.attributes.get("faction_id") else {
                continue;
            };
            let Some(faction) = attribute.value.int() else {
                continue;
            };
            if usize::try_from(faction).map_or(true, |faction| faction >= factions) {
                let place = text_place((attribute.line, 1), 0);
                let subject = Subject::SceneEntity(i as u32);
                let message = || {
                    let list = outside("faction", factions as u64);
                    format!("faction {faction}, {list}")
                };
                // It may be among those that are missing.
                let missing = self.faction_count;
                let missing =
                    missing.filter(|(count, _)| u64::try_from(faction).is_ok_and(|of| of < *count));
                if let Some((_, cause)) = missing {
                    let cause = Some(cause);
                    problems.add_consequence(cause, &rules::FACTION, subject, place, message);
                } else {
                    problems.add_alike(faction, &rules::FACTION, subject, place, message);
                }
            }
        }
        let mut states = HashMap::new();
        for diplomacy in &self.scene.diplomacy {
            states.insert((diplomacy.faction, diplomacy.other), diplomacy);
            let is_outside = [diplomacy.faction, diplomacy.other]
                .into_iter()
                .any(|faction| faction as usize >= factions);
            let place = text_place((diplomacy.line, 1), 0);
            if is_outside {
                let largest = u64::from(diplomacy.faction.max(diplomacy.other));
                // It may be among those that are missing.
                let missing = self.faction_count.filter(|(count, _)| largest < *count);
                let cause = missing.map(|(_, cause)| cause);
                let (rule, subject) = (&rules::DIPLOMACY, problems.subject);
                problems.add_consequence(cause, rule, subject, place, || {
                    let (a, b) = (diplomacy.faction, diplomacy.other);
                    format!(
                        "factions {a} and {b}, {}",
                        outside("faction", factions as u64)
                    )
                });
            } else if ![PEACE, WAR].contains(&diplomacy.state) {
                problems.add(&rules::DIPLOMACY, place, || {
                    format!(
                        "state {}; expected 0 for peace or 1 for war",
                        diplomacy.state
                    )
                });
            }
        }
        let (again, subject) = (self.diplomacy_again, problems.subject);
        for diplomacy in &self.scene.diplomacy {
            let (a, b) = (diplomacy.faction, diplomacy.other);
            let other = states.get(&(b, a)).filter(|other| other.state == PEACE);
            if let Some(other) = other.filter(|_| diplomacy.state == WAR) {
                let place = text_place((diplomacy.line, 1), 0);
                problems.add_consequence(again, &rules::ONE_SIDED_WAR, subject, place, || {
                    let line = other.line;
                    format!(
                        "faction {a} is at war with {b}, which is at peace with it in line {line}"
                    )
                });
            }
        }
    }
}
