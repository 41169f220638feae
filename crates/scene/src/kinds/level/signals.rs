//! Signal connections between entities: an output and an input with the same name are connected.

use std::collections::HashMap;

use super::Map;
use super::fields::MAX_LISTED;
use super::items::EntityAt;
use crate::LevelItem;
use crate::describe::value::{Fact, Value};
use mapscope_formats::pmf::Signal;

/// Maximum number of indexed signal ends.
const MAX_ENDS: usize = 1 << 20;

/// The source or target of a signal.
#[derive(Debug, Clone, Copy)]
struct End {
    entity: LevelItem,
    field: &'static str,
    signal: Signal,
}

/// The ends of all signals, by name.
#[derive(Debug, Default)]
pub(super) struct Signals(HashMap<Box<[u8]>, Vec<End>>);

impl Map {
    fn signals(&self) -> &Signals {
        self.entities.signals.get_or_init(|| {
            let mut signals = Signals::default();
            let mut left = MAX_ENDS;
            for list in self.owners().filter_map(|owner| self.entity_list(owner)) {
                for at in list.iter() {
                    for (field, signal, name) in at.entity.signals() {
                        let name = list.strings.name(name).filter(|name| !name.is_empty());
                        let Some(name) = name else { continue };
                        let Some(fewer) = left.checked_sub(1) else {
                            return signals;
                        };
                        left = fewer;
                        let end = End {
                            entity: at.item(),
                            field: field.name,
                            signal,
                        };
                        signals.0.entry(name.into()).or_default().push(end);
                    }
                }
            }
            signals
        })
    }

    /// Lists the targets of an entity's signals and the sources of the signals that it receives, up
    /// to a maximum, and counts the others.
    pub(super) fn signals_of(&self, at: &EntityAt<'_>) -> (Value, usize) {
        let strings = at.entity.strings();
        let signals = at.entity.signals().filter_map(|(field, signal, name)| {
            let name = strings.name(name).filter(|name| !name.is_empty())?;
            Some((field.name, signal, name))
        });
        let mut lines = Vec::new();
        let mut more = 0;
        for (field, signal, name) in signals {
            let (says, way, other, unheard) = match signal {
                Signal::Output => ("Sends", "to", Signal::Input, "nothing receives it"),
                Signal::Input => ("Receives", "from", Signal::Output, "nothing sends it"),
            };
            let shown = String::from_utf8_lossy(name);
            let value = |end: Option<&End>, text: String| {
                let facts = [
                    Fact::new("Signal", shown.as_ref()),
                    Fact::new("Sends", signal == Signal::Output),
                    Fact::new("Field", field),
                    Fact::new("Other", end.map(|end| end.entity.to_string())),
                    Fact::new("Other field", end.map(|end| Value::name(end.field))),
                ];
                let value = Value::object(facts).shown_as(text).named(says);
                value.link_if(end.map(|end| end.entity))
            };
            let ends = self.signals().0.get(name).into_iter().flatten();
            let mut ends = ends.filter(|end| end.signal == other).peekable();
            if ends.peek().is_none() {
                lines.push(value(None, format!("{shown} ({field}): {unheard}")));
            }
            let room = MAX_LISTED.saturating_sub(lines.len());
            lines.extend(ends.by_ref().take(room).map(|end| {
                let title = self.entity_at(end.entity).map(|other| other.title());
                let title = title.filter(|_| end.entity != at.item());
                let title = title.as_deref().unwrap_or("itself");
                let text = format!("{shown} ({field}) {way} {title} ({})", end.field);
                value(Some(end), text)
            }));
            more += ends.count();
        }
        (Value::list(lines), more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;
    use crate::{Owner, Playhead, Property};
    use mapscope_formats::pmf::{EntityKind, EntityList, NewEntity, StringTableBuilder};
    use serde_json::{Value as Json, json};

    /// The inspector's signal list of an entity of the map.
    fn signals_of(map: &Map, index: u32) -> Vec<Property> {
        let owner = Owner::Map;
        let groups = sample::properties(map, LevelItem::Entity { owner, index });
        let group = groups.into_iter().find(|group| group.title == "Signals");
        group.unwrap().properties
    }

    /// The JSON of an entity of the map.
    fn details_of(map: &Map, index: u32) -> serde_json::Map<String, Json> {
        let owner = Owner::Map;
        (map as &dyn crate::Document).details(
            LevelItem::Entity { owner, index }.into(),
            Playhead::default(),
        )
    }

    #[test]
    fn a_signal_that_many_hear_says_how_many_more_they_are() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let mut strings = StringTableBuilder::default();
        let clock = NewEntity::new(EntityKind::Timer, "clock").with("output signal", "tick");
        let counter =
            NewEntity::new(EntityKind::Counter, "count").with("signal to increment", "tick");
        let mut entities = vec![clock];
        entities.resize(301, counter);
        let list = EntityList {
            entities,
            ..EntityList::default()
        };
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        let map = sample::map(pmf);
        let said = signals_of(&map, 0);
        assert_eq!(said.len(), MAX_LISTED + 1);
        assert_eq!(said[MAX_LISTED].value, "and 44 more");
        let details = details_of(&map, 0);
        let listed = details["signals"]["signals"].as_array().unwrap().len();
        assert_eq!(listed, MAX_LISTED);
        assert_eq!(details["signals"]["more_signals"], 44);
    }

    #[test]
    fn outputs_lead_to_the_inputs_of_their_name() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let mut strings = StringTableBuilder::default();
        let timer = NewEntity::new(EntityKind::Timer, "clock")
            .with("output signal", "tick")
            .with("signal to reset", "nobody");
        let counter =
            NewEntity::new(EntityKind::Counter, "count").with("signal to increment", "tick");
        let list = EntityList {
            entities: vec![timer, counter],
            ..EntityList::default()
        };
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        let map = sample::map(pmf);
        let said = |index| signals_of(&map, index);
        let clock = said(0);
        let texts: Vec<_> = clock.iter().map(|p| (p.name, p.value.as_str())).collect();
        assert_eq!(
            texts,
            [
                ("Receives", "nobody (signal to reset): nothing sends it"),
                (
                    "Sends",
                    "tick (output signal) to COUNTER count (signal to increment)"
                ),
            ]
        );
        assert_eq!(
            details_of(&map, 0)["signals"]["signals"],
            json!([
                {"signal": "nobody", "sends": false, "field": "signal to reset",
                 "other": null, "other_field": null},
                {"signal": "tick", "sends": true, "field": "output signal",
                 "other": "entity map 1", "other_field": "signal to increment"},
            ])
        );
        let owner = Owner::Map;
        let counter = LevelItem::Entity { owner, index: 1 };
        assert_eq!(clock[1].link, Some(counter.into()));
        let count = said(1);
        assert_eq!(count.len(), 1);
        assert_eq!(
            count[0].value,
            "tick (signal to increment) from TIMER clock (output signal)"
        );
    }
}
