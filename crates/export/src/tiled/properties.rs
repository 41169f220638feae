//! Properties of layers, tiles and objects with unique names.

use std::collections::HashSet;

use super::model::{Property, Value};
use mapscope_scene::{FactGroup, OwnLine};
use serde_json::Value as Json;

/// The group of a record's own properties, whose names need no prefix.
const IN_THE_FILE: &str = "In the file";

/// Properties under construction.
#[derive(Debug, Default)]
pub(super) struct Properties {
    list: Vec<Property>,
    names: HashSet<String>,
}

impl Properties {
    /// Adds a property; renames it if its name is taken.
    pub(super) fn add(&mut self, mut property: Property) {
        if self.names.contains(&property.name) {
            let numbered = (2_u32..).map(|number| format!("{} {number}", property.name));
            let free = numbered.into_iter().find(|name| !self.names.contains(name));
            property.name = free.unwrap_or_default();
        }
        self.names.insert(property.name.clone());
        self.list.push(property);
    }

    /// Adds the properties that come from the file: numbers and flags as such, everything else as
    /// text. A property without a name is named after its group. The group precedes the name if it
    /// is not [`IN_THE_FILE`] or if the name is taken.
    pub(super) fn add_facts(&mut self, facts: Vec<FactGroup>) {
        let lines = facts.into_iter().flat_map(FactGroup::own);
        for (title, name, value) in lines.filter_map(OwnLine::stored) {
            let is_own = title == IN_THE_FILE;
            let name = match name {
                "" => title.to_owned(),
                name if is_own && !self.names.contains(name) => name.to_owned(),
                name => format!("{title}: {name}"),
            };
            let value = value_of(&value);
            self.add(Property { name, value });
        }
    }

    pub(super) fn finish(self) -> Vec<Property> {
        self.list
    }
}

/// A number, a flag, or a text.
fn value_of(value: &Json) -> Value {
    if let Json::Bool(is_set) = value {
        return Value::Flag(*is_set);
    }
    let whole = value.as_i64().and_then(|number| i32::try_from(number).ok());
    let text = || {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    whole.map_or_else(|| Value::Text(text()), Value::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::Fact;

    #[test]
    fn names_are_unique_and_numbers_are_numbers() {
        let groups = vec![
            FactGroup::new(
                "In the file",
                [
                    Fact::new("Script", "go"),
                    Fact::new("Steps", -7),
                    Fact::new("Closed", true),
                    Fact::new("", "x: y"),
                    Fact::new("", "007"),
                ],
            ),
            FactGroup::new(
                "Movement",
                [
                    Fact::new("Script", "walk"),
                    Fact::new("Script", "run"),
                    Fact::new("Steps back", "9 px"),
                ],
            ),
        ];
        let mut properties = Properties::default();
        properties.add_facts(groups);
        let whole = Property {
            name: "Steps".to_owned(),
            value: Value::Whole(-7),
        };
        let flag = Property {
            name: "Closed".to_owned(),
            value: Value::Flag(true),
        };
        let expected = [
            Property::text("Script", "go"),
            whole,
            flag,
            Property::text("In the file", "x: y"),
            Property::text("In the file 2", "007"),
            Property::text("Movement: Script", "walk"),
            Property::text("Movement: Script 2", "run"),
            Property::text("Movement: Steps back", "9 px"),
        ];
        assert_eq!(properties.finish(), expected);
    }
}
