//! What of a document is to be shown when it has just been opened.

use super::{Aabb, Document, Shown};

/// What someone who opens a document asks to see of it, beside overlays and the moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FirstLook {
    /// The part that is shown, by its number.
    pub part: Option<usize>,
    /// What lies outside this box is cut away.
    pub cut: Option<Aabb>,
    /// Cells of this depth are outlined where cells are.
    pub cell_depth: Option<u8>,
    /// Lights by their names, by those of what controls them, or by the numbers at the end of
    /// their names, and how bright they are, from 0 to 255; none where they are just on.
    pub lights: Vec<(String, Option<u8>)>,
}

impl FirstLook {
    /// Has this shown of a document.
    ///
    /// # Errors
    /// What of it the document does not have, as a sentence for people; the rest is shown.
    pub fn show(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        let mut result = Ok(());
        if let Some(part) = self.part {
            let parts = document.levels().map_or(0, |levels| levels.levels().len());
            if part < parts {
                shown.level = part;
            } else {
                let known = match parts {
                    0 => "this file has no levels".to_owned(),
                    1 => "this file has only level 0".to_owned(),
                    _ => format!("this file has the levels 0 to {}", parts - 1),
                };
                result = Err(format!("there is no level {part}; {known}"));
            }
        }
        if self.cut.is_some() {
            shown.cut = self.cut;
        }
        if self.cell_depth.is_some() {
            shown.cell_depth = self.cell_depth;
        }
        if self.lights.is_empty() {
            return result;
        }
        let lights = document.levels().map(|levels| levels.lights(shown.level));
        let lights = lights.unwrap_or_default();
        for (wanted, intensity) in &self.lights {
            let is_it = |name: &str| {
                // `Fast light 201`, or `dimmer (fast light 201)`.
                let parts = name
                    .strip_suffix(')')
                    .and_then(|name| name.rsplit_once(" ("));
                let (controller, plain) = parts.unwrap_or((name, name));
                let names = [name, controller, plain];
                let number = plain.rsplit(' ').next();
                names.iter().any(|name| name.eq_ignore_ascii_case(wanted)) || number == Some(wanted)
            };
            let called: Vec<_> = lights.iter().filter(|light| is_it(&light.name)).collect();
            if called.is_empty() && result.is_ok() {
                result = Err(unknown_light(wanted, &lights));
            }
            for light in called {
                let intensity = intensity.unwrap_or(light.full);
                shown.lights.set(light.item, Some(intensity));
            }
        }
        result
    }
}

fn unknown_light(wanted: &str, lights: &[super::Light]) -> String {
    const MOST: usize = 12;
    let names = lights.iter().take(MOST).map(|light| light.name.as_str());
    let names: Vec<&str> = names.collect();
    let known = match (names.len(), lights.len()) {
        (0, _) => "this file has none that can be switched".to_owned(),
        (listed, all) if listed < all => {
            format!("there are {}, and {} more", names.join(", "), all - listed)
        }
        _ => format!("there are {}", names.join(", ")),
    };
    format!("there is no light `{wanted}`; {known}")
}
