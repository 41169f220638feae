//! Which entities signal to which: outputs of some are inputs of others by their names.

use std::collections::HashMap;

use super::Map;
use super::items::EntityAt;
use crate::{LevelItem, Property};
use mapscope_formats::pmf::Signal;

/// How many ends of signals are remembered.
const MAX_ENDS: usize = 1 << 20;
/// How many ends are listed of an entity.
const MAX_LISTED: usize = 256;

/// Where a signal comes from or goes to.
#[derive(Debug, Clone, Copy)]
struct End {
    entity: LevelItem,
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
    pub(super) fn signal_properties(&self, at: &EntityAt<'_>) -> Vec<Property> {
        let entity = &at.entity;
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
                if properties.len() >= MAX_LISTED {
                    more += 1;
                    continue;
                }
                let title = self.entity_at(end.entity).as_ref().map(EntityAt::title);
                let way = match signal {
                    Signal::Output => "to",
                    Signal::Input => "from",
                };
                let itself = if end.entity == at.item() {
                    "itself"
                } else {
                    ""
                };
                let title = title.filter(|_| itself.is_empty());
                let text = format!(
                    "{shown} ({}) {way} {}{itself} ({})",
                    field.name,
                    title.unwrap_or_default(),
                    end.field
                );
                properties.push(Property {
                    link: Some(end.entity.into()),
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
    use crate::Owner;
    use crate::level::sample;
    use mapscope_formats::pmf::{EntityKind, EntityList, NewEntity, StringTableBuilder};

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
        let clock = map.entity_list(Owner::Map).unwrap().get(0).unwrap();
        let said = map.signal_properties(&clock);
        assert_eq!(said.len(), MAX_LISTED + 1);
        assert_eq!(said[MAX_LISTED].value, "and 44 more");
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
        let said = |index| {
            let entities = map.entity_list(Owner::Map).unwrap();
            map.signal_properties(&entities.get(index).unwrap())
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
