//! Which entities signal to which: outputs of some are inputs of others by their names.

use std::collections::HashMap;

use super::Map;
use super::items::{EntityAt, item};
use crate::{Item, Property};
use mapscope_formats::pmf::{Entity, Signal};

/// How many ends of signals are remembered.
const MOST_ENDS: usize = 1 << 20;
/// How many ends are listed of an entity.
const MOST_LISTED: usize = 256;

/// Where a signal comes from or goes to.
#[derive(Debug, Clone, Copy)]
struct End {
    /// Number of the entity.
    entity: u64,
    field: &'static str,
    signal: Signal,
}

/// The ends of all signals by their names.
#[derive(Debug, Default)]
pub(super) struct Signals(HashMap<Box<[u8]>, Vec<End>>);

impl Map {
    fn signals(&self) -> &Signals {
        self.entities.signals.get_or_init(|| {
            let mut signals = Signals::default();
            let mut left = MOST_ENDS;
            for list in 0..self.entity_lists() {
                let Some((_, entities, strings)) = self.entity_list(list) else {
                    continue;
                };
                let first = self.first_entity(list);
                for entity in entities.iter(strings) {
                    for (field, signal, name) in entity.signals() {
                        let name = strings.name(name).filter(|name| !name.is_empty());
                        let Some(name) = name else { continue };
                        let Some(fewer) = left.checked_sub(1) else {
                            return signals;
                        };
                        left = fewer;
                        let end = End {
                            entity: first + entity.index() as u64,
                            field: field.name,
                            signal,
                        };
                        match signals.0.get_mut(name) {
                            Some(ends) => ends.push(end),
                            None => {
                                signals.0.insert(name.into(), vec![end]);
                            }
                        }
                    }
                }
            }
            signals
        })
    }

    /// What an entity signals to whom, and what signals come to it.
    pub(super) fn signal_properties(&self, item: Item, entity: &Entity<'_>) -> Vec<Property> {
        let mut properties = Vec::new();
        let mut more = 0_usize;
        for (field, signal, name) in entity.signals() {
            let strings = entity.strings();
            let Some(name) = strings.name(name).filter(|name| !name.is_empty()) else {
                continue;
            };
            let (says, other, nobody) = match signal {
                Signal::Output => ("Sends", Signal::Input, "nobody listens"),
                Signal::Input => ("Receives", Signal::Output, "nobody sends it"),
            };
            let shown = String::from_utf8_lossy(name);
            let ends = self.signals().0.get(name).map_or(&[][..], Vec::as_slice);
            let mut ends = ends.iter().filter(|end| end.signal == other).peekable();
            if ends.peek().is_none() {
                let text = format!("{shown} ({}): {nobody}", field.name);
                properties.push(Property::new(says, text));
            }
            for end in ends {
                if properties.len() >= MOST_LISTED {
                    more += 1;
                    continue;
                }
                let link = Item {
                    kind: item::ENTITY,
                    index: end.entity,
                };
                let title = self.entity_at(link).as_ref().map(EntityAt::title);
                let way = match signal {
                    Signal::Output => "to",
                    Signal::Input => "from",
                };
                let itself = if link == item { "itself" } else { "" };
                let title = title.filter(|_| itself.is_empty());
                let text = format!(
                    "{shown} ({}) {way} {}{itself} ({})",
                    field.name,
                    title.unwrap_or_default(),
                    end.field
                );
                properties.push(Property {
                    link: Some(link),
                    ..Property::new(says, text)
                });
            }
        }
        if more > 0 {
            properties.push(Property::new("Signals", format!("and {more} more")));
        }
        properties
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::sample;
    use mapscope_formats::pmf::{self, EntityKind, EntityList, NewEntity, StringTableBuilder};

    #[test]
    fn a_signal_that_many_hear_says_how_many_more_they_are() {
        let mut pmf = pmf::synthesize([1, 1, 1], 1, 1);
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
        let clock = Item {
            kind: item::ENTITY,
            index: 0,
        };
        let said = map.signal_properties(clock, &map.entity_at(clock).unwrap().entity);
        assert_eq!(said.len(), MOST_LISTED + 1);
        assert_eq!(said[MOST_LISTED].value, "and 44 more");
    }

    #[test]
    fn outputs_lead_to_the_inputs_of_their_name() {
        let mut pmf = pmf::synthesize([1, 1, 1], 1, 1);
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
        let said = |index| {
            let item = Item {
                kind: item::ENTITY,
                index,
            };
            let entity = map.entity_at(item).unwrap().entity;
            map.signal_properties(item, &entity)
        };
        let clock = said(0);
        let texts: Vec<_> = clock.iter().map(|p| (p.name, p.value.as_str())).collect();
        assert_eq!(
            texts,
            [
                ("Receives", "nobody (signal to reset): nobody sends it"),
                (
                    "Sends",
                    "tick (output signal) to COUNTER count (signal to increment)"
                ),
            ]
        );
        assert_eq!(clock[1].link.map(|item| item.index), Some(1));
        let count = said(1);
        assert_eq!(count.len(), 1);
        assert_eq!(
            count[0].value,
            "tick (signal to increment) from TIMER clock (output signal)"
        );
    }
}
