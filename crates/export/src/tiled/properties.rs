//! Properties of layers, tiles and objects with unique names.

use std::collections::HashSet;

use super::model::{Property, Value};
use mapscope_scene::{Origin, PlainValue, PropertyGroup};

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
    pub(super) fn add_groups(&mut self, groups: &[PropertyGroup]) {
        for group in groups {
            for property in &group.properties {
                if property.origin != Origin::File {
                    continue;
                }
                let is_own = group.title == IN_THE_FILE;
                let name = match property.name {
                    "" => group.title.to_owned(),
                    name if is_own && !self.names.contains(name) => name.to_owned(),
                    name => format!("{}: {name}", group.title),
                };
                let value = value_of(property);
                self.add(Property { name, value });
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Property> {
        self.list
    }
}

/// The value of a property: a number, a flag, or a text.
fn value_of(property: &mapscope_scene::Property) -> Value {
    let text = property.text();
    let whole = match property.plain {
        Some(PlainValue::Flag(is_so)) => return Value::Flag(is_so),
        Some(PlainValue::Whole(number)) => i32::try_from(number).ok(),
        // A number in another notation stays text.
        None => text.parse().ok().filter(|n: &i32| n.to_string() == text),
    };
    whole.map_or_else(|| Value::Text(text.into_owned()), Value::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::Property as Said;

    #[test]
    fn names_are_unique_and_numbers_are_numbers() {
        let group = |title, pairs: &[(&'static str, &str)]| PropertyGroup {
            title,
            properties: pairs
                .iter()
                .map(|(name, value)| Said::new(name, *value))
                .collect(),
        };
        let groups = [
            group(
                "In the file",
                &[("Script", "go"), ("Steps", "-7"), ("", "x: y"), ("", "007")],
            ),
            group(
                "Movement",
                &[
                    ("Script", "walk"),
                    ("Script", "run"),
                    ("Steps back", "9 px"),
                ],
            ),
        ];
        let mut properties = Properties::default();
        properties.add_groups(&groups);
        let whole = Property {
            name: "Steps".to_owned(),
            value: Value::Whole(-7),
        };
        let expected = [
            Property::text("Script", "go"),
            whole,
            Property::text("In the file", "x: y"),
            Property::text("In the file 2", "007"),
            Property::text("Movement: Script", "walk"),
            Property::text("Movement: Script 2", "run"),
            Property::text("Movement: Steps back", "9 px"),
        ];
        assert_eq!(properties.finish(), expected);
    }
}
