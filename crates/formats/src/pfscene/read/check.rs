//! Checks of readable lines.

use std::collections::HashMap;

use super::super::{Attribute, MAX_FACTIONS, Value, ValueType};
use super::line::Line;
use super::record::Record;
use super::{AnnouncedCount, Kind, Reader, rules};
use crate::cursor::text_place;
use crate::misspelt::suggest;
use crate::{Place, Subject, outside, quoted};

/// The states of diplomacy that the engine knows.
const PEACE: u32 = 0;
const WAR: u32 = 1;
/// Largest plausible length in world units: a map of the engine is some thousands wide, and a
/// camera sees a thousand far.
pub const MAX_LENGTH: f32 = 1e6;
/// Tolerance for the length of a unit quaternion: its numbers are written with six digits.
const LENGTH_TOLERANCE: f32 = 1e-3;

impl<'a> Reader<'a> {
    /// Checks key and type of an attribute that is about to be read.
    pub(super) fn check_key(&mut self, record: &mut Record, found: ValueType, line: &Line<'a>) {
        let (kind, key) = (record.kind, line.key.text);
        let attributes = kind.known();
        let mut known = attributes.iter();
        let known = if kind.is_ordered() {
            Some(record.attributes.0.len()).filter(|index| *index < attributes.len())
        } else {
            known.position(|known| known.key.as_bytes() == key)
        };
        if let Some(index) = known {
            record.seen |= 1 << index;
            let expected = attributes[index].value_type;
            if expected != found {
                let place = line.found().place;
                self.text.report(&rules::ATTRIBUTE_TYPE, place, || {
                    let (key, found) = (quoted(key), found.name());
                    let expected = expected.pattern();
                    format!("{key} has a value of type `{found}`; expected {expected}")
                });
                self.damaged();
            }
        } else if !kind.is_ordered() {
            // Scripts may have attributes of their own.
            let may_be = attributes.iter().enumerate().filter(|(index, known)| {
                record.seen & 1 << index == 0 && known.value_type == found
            });
            self.suggest(line, "attribute", may_be.map(|(_, known)| known.key));
        }
    }

    /// Warns of an unknown key that resembles a known one.
    pub(super) fn suggest(
        &mut self,
        line: &Line<'a>,
        noun: &str,
        known: impl Iterator<Item = &'static str>,
    ) {
        let key = std::str::from_utf8(line.key.text).unwrap_or_default();
        if let Some(meant) = suggest(key, known) {
            self.text.report(&rules::ATTRIBUTE_KEY, line.key, || {
                let key = quoted(line.key.text);
                format!("unknown {noun} {key} (did you mean `{meant}`?)")
            });
            self.damaged();
        }
    }

    /// Warns of a NUL byte on the current line.
    pub(super) fn check_nul(&mut self, start: usize, number: u64) {
        let line = &self.text.bytes[start..self.text.pos];
        if let Some(index) = line.iter().position(|byte| *byte == 0) {
            let message = "NUL byte; the engine ends the line here";
            self.text
                .warn(&rules::NUL_BYTE, text_place((number, 1), index), message);
            self.damaged();
            self.line_cause = self.text.problems.cause;
        }
    }

    /// Warns of a colour outside 0 to 255.
    pub(super) fn check_color(&mut self, line: &Line<'a>, color: impl IntoIterator<Item = f32>) {
        let mut parts = color.into_iter();
        if let Some(part) = parts.find(|part| !(0.0..=255.0).contains(part)) {
            self.text.report(&rules::COLOR, line.found().place, || {
                format!("colour component {part}; expected 0 to 255")
            });
        }
    }

    /// Checks the value of an attribute that the engine knows.
    pub(super) fn check_value(&mut self, kind: Kind, attribute: &Attribute, line: &Line<'a>) {
        let mut known = kind.known().iter();
        if !known.any(|known| known.key == attribute.key) {
            return;
        }
        // The first two words are the type and the class.
        if line.key.text == b"class"
            && attribute.value.string().is_some()
            && let Some(extra) = line.words().nth(2)
        {
            self.text.report(&rules::EXTRA_WORDS, extra, || {
                let extra = quoted(extra.text);
                format!("found {extra} after the class; expected one word")
            });
        }
        let place = line.found().place;
        let numbers = attribute.value.numbers();
        let key = attribute.key.as_str();
        let is_length = matches!(
            key,
            "radius" | "dimensions" | "selection_radius" | "vision_range"
        );
        if let Some(number) = numbers.iter().find(|number| is_length && **number < 0.0) {
            self.text.report(&rules::NEGATIVE_LENGTH, place, || {
                format!("{key} is {number}; expected 0 or more")
            });
        }
        let is_place = is_length || matches!(key, "position" | "pos" | "scale");
        let is_huge = |number: &&f32| number.is_finite() && number.abs() > MAX_LENGTH;
        if let Some(number) = numbers.iter().find(is_huge).filter(|_| is_place) {
            self.text.report(&rules::HUGE_LENGTH, place, || {
                format!("{key} is {number}, which is too large to be visible")
            });
        }
        match (key, &attribute.value) {
            ("scale", Value::Vec3(scale)) => {
                // Two mirrored axes are half a turn.
                let mirrors = scale.iter().filter(|factor| **factor < 0.0).count();
                let fault = if scale.contains(&0.0) {
                    "scale of 0, which hides the entity"
                } else if mirrors % 2 == 1 {
                    "this scale mirrors the entity; the engine draws it inside out"
                } else {
                    return;
                };
                self.text.warn(&rules::SCALE, place, fault);
            }
            ("color", Value::Vec3(color)) => self.check_color(line, *color),
            ("rotation", Value::Quat(quat)) => self.check_rotation(*quat, place),
            _ => {}
        }
    }

    fn check_rotation(&mut self, quat: [f32; 4], place: Place) {
        let squares = quat.iter().map(|number| number * number);
        let length = squares.sum::<f32>().sqrt();
        if length == 0.0 {
            let message = "quaternion of length 0; the engine applies no rotation";
            self.text.warn(&rules::ROTATION, place, message);
        } else if (length - 1.0).abs() > LENGTH_TOLERANCE {
            self.text.report(&rules::ROTATION_LENGTH, place, || {
                format!(
                    "quaternion of length {length}; the engine expects 1 and distorts what it \
                     rotates"
                )
            });
        }
    }

    /// Checks the whole scene at its end.
    pub(super) fn check_end(&mut self, num_sections: Option<AnnouncedCount>) {
        self.text.problems.cause = self.section_damage.or(self.cut);
        if let Some(announced) = num_sections {
            self.check_count(announced, "`num_sections` declares", self.parts, "section");
        }
        self.text.problems.cause = None;
        self.check_factions();
        self.check_diplomacy();
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
                let (rule, place) = (&rules::DUPLICATE_NAME, Place::line(line));
                let problems = &mut self.text.problems;
                problems.cause = self.damages[kind as usize];
                problems.add_about(rule, kind.subject(i), place, || {
                    let name = quoted(name.as_bytes());
                    format!("duplicate name {name}, also on line {first}; scripts find only one")
                });
            }
        }
    }

    fn check_factions(&mut self) {
        let without = self.section_damage.or(self.cut);
        let problems = &mut self.text.problems;
        let factions = self.scene.factions.len();
        if let Some(extra) = self.scene.factions.get(MAX_FACTIONS) {
            let subject = Subject::Faction(MAX_FACTIONS as u32);
            let place = Place::line(extra.line);
            problems.add_about(&rules::FACTION_LIMIT, subject, place, || {
                format!("{factions} factions; the engine supports at most {MAX_FACTIONS}")
            });
        }
        problems.cause = self.damages[Kind::Faction as usize];
        let mut named = HashMap::new();
        for (i, faction) in self.scene.factions.iter().enumerate() {
            let first = *named.entry(&faction.name).or_insert(faction.line);
            if first != faction.line {
                let (rule, place) = (&rules::FACTION_NAME_TWICE, Place::line(faction.line));
                problems.add_about(rule, Kind::Faction.subject(i), place, || {
                    let name = quoted(faction.name.as_bytes());
                    format!("duplicate faction name {name}; the first is on line {first}")
                });
            }
        }
        // A missing faction may be a lost one.
        problems.cause = self.damages[Kind::Faction as usize].or(without.filter(|_| factions == 0));
        for (i, entity) in self.scene.entities.iter().enumerate() {
            let Some(attribute) = entity.attributes.get("faction_id") else {
                continue;
            };
            let Some(faction) = attribute.value.int() else {
                continue;
            };
            if usize::try_from(faction).map_or(true, |faction| faction >= factions) {
                let place = Place::line(attribute.line);
                let subject = Subject::SceneEntity(i as u32);
                // Without any faction, all of them have one cause.
                let alike = if factions == 0 { 0 } else { faction };
                problems.add_grouped(alike, &rules::FACTION, subject, place, || {
                    let list = outside("faction", factions as u64);
                    format!("faction {faction}, {list}")
                });
            }
        }
    }

    /// Checks diplomacy. If factions are damaged, lines of it may be missing or repeated.
    fn check_diplomacy(&mut self) {
        let problems = &mut self.text.problems;
        let factions = self.scene.factions.len();
        let mut states = HashMap::new();
        for diplomacy in &self.scene.diplomacy {
            let (a, b) = (diplomacy.faction, diplomacy.other);
            states.insert((a, b), diplomacy);
            let place = Place::line(diplomacy.line);
            if a.max(b) as usize >= factions {
                problems.add(&rules::DIPLOMACY, place, || {
                    let list = outside("faction", factions as u64);
                    format!("factions {a} and {b}, {list}")
                });
            } else if ![PEACE, WAR].contains(&diplomacy.state) {
                problems.add(&rules::DIPLOMACY, place, || {
                    let state = diplomacy.state;
                    format!("state {state}; expected 0 for peace or 1 for war")
                });
            }
        }
        for diplomacy in &self.scene.diplomacy {
            let (a, b) = (diplomacy.faction, diplomacy.other);
            let other = states.get(&(b, a)).filter(|other| other.state == PEACE);
            if let Some(other) = other.filter(|_| diplomacy.state == WAR) {
                let place = Place::line(diplomacy.line);
                problems.add(&rules::ONE_SIDED_WAR, place, || {
                    let line = other.line;
                    format!(
                        "faction {a} is at war with {b}, which is at peace with it on line \
                         {line}"
                    )
                });
            }
        }
        problems.cause = None;
    }
}
