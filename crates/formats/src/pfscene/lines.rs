//! The lines of a scene in the writer's spelling.

use super::{Attribute, Pfscene, SectionKind, Setting, Value};

/// Indentation of the lines of `general`, of a faction, of an entity and of the lists of an entity,
/// as in the engine's editor.
const INDENT_GENERAL: usize = 4;
const INDENT_FACTION: usize = 4;
const INDENT_ENTITY: usize = 3;
const INDENT_LISTED: usize = 7;

/// Calls `line` with every line of a scene, without its end, and the line number in the original
/// file.
pub(super) fn for_each_line(scene: &Pfscene, line: &mut dyn FnMut(u64, String)) {
    // A scene that was converted to a version is not older.
    let is_older = scene.layout.is_older && scene.version.is_empty();
    if !is_older {
        line(1, format!("version {}", scene.version));
        let sections = scene.sections.len();
        line(
            scene.layout.num_sections_line,
            format!("num_sections {sections}"),
        );
    }
    for section in &scene.sections {
        if !is_older {
            line(section.line, format!("section \"{}\"", section.kind.name()));
        }
        if let Some(key) = section.kind.count_key() {
            let count = match section.kind {
                SectionKind::Factions => scene.factions.len(),
                SectionKind::Entities => scene.entities.len(),
                SectionKind::Regions => scene.regions.len(),
                _ => scene.cameras.len(),
            };
            line(section.count_line, format!("{key} {count}"));
        }
        match &section.kind {
            SectionKind::General => general(scene, line),
            SectionKind::Factions => factions(scene, line),
            SectionKind::Entities => {
                for entity in &scene.entities {
                    let count = entity.attributes.0.len();
                    let head = format!("entity {} {} {count}", entity.name, entity.model);
                    line(entity.line, head);
                    attributes(&entity.attributes.0, INDENT_ENTITY, line);
                }
            }
            SectionKind::Regions => {
                for region in &scene.regions {
                    let count = region.attributes.0.len();
                    let head = format!("region {} {} {count}", region.name, region.shape_type);
                    line(region.line, head);
                    attributes(&region.attributes.0, INDENT_ENTITY, line);
                }
            }
            SectionKind::Cameras => {
                for camera in &scene.cameras {
                    line(camera.line, format!("camera {}", camera.name));
                    attributes(&camera.attributes.0, INDENT_ENTITY, line);
                }
            }
            SectionKind::Unknown { lines, .. } => {
                for unknown in lines {
                    line(unknown.line, unknown.text.clone());
                }
            }
        }
    }
}

fn general(scene: &Pfscene, line: &mut dyn FnMut(u64, String)) {
    let general = &scene.general;
    let skybox = general.skybox.iter().map(|skybox| {
        let (folder, extension) = (&skybox.value.folder, &skybox.value.extension);
        (skybox.line, format!("skybox \"{folder}\" {extension}"))
    });
    let color = |key, color: &Option<Setting<[i32; 4]>>| {
        let Setting { value, line } = color.as_ref()?;
        let [r, g, b, a] = value;
        Some((*line, format!("{key} {r} {g} {b} {a}")))
    };
    let ambient = color("ambient_light_color", &general.ambient_light_color);
    let sun = color("emit_light_color", &general.emit_light_color);
    let position = general.emit_light_pos.iter().map(|position| {
        let value = Value::Vec3(position.value);
        (position.line, format!("emit_light_pos {value}"))
    });
    let known = skybox
        .chain(ambient)
        .chain(sun)
        .chain(position)
        .map(|(number, text)| (number, format!("{:INDENT_GENERAL$}{text}", "")));
    let other = general.other.iter();
    let other = other.map(|other| (other.line, other.text.clone()));
    let mut lines: Vec<_> = known.chain(other).collect();
    // New lines have no number, and come last.
    lines.sort_by_key(|(number, _)| number.wrapping_sub(1));
    for (number, text) in lines {
        line(number, text);
    }
}

fn factions(scene: &Pfscene, line: &mut dyn FnMut(u64, String)) {
    for faction in &scene.factions {
        line(faction.line, format!("faction \"{}\"", faction.name));
        attributes(&faction.attributes.0, INDENT_FACTION, line);
    }
    for diplomacy in &scene.diplomacy {
        let (faction, other, state) = (diplomacy.faction, diplomacy.other, diplomacy.state);
        line(
            diplomacy.line,
            format!("diplomacy {faction} {other} {state}"),
        );
    }
}

fn attributes(attributes: &[Attribute], indent: usize, line: &mut dyn FnMut(u64, String)) {
    for attribute in attributes {
        line(attribute.line, attribute_line(attribute, indent));
        match &attribute.value {
            Value::Arguments(arguments) => {
                for argument in arguments {
                    line(argument.line, attribute_line(argument, INDENT_LISTED));
                }
            }
            Value::Tags(tags) => {
                let indent = " ".repeat(INDENT_LISTED);
                for tag in tags {
                    line(tag.line, format!("{indent}tag \"{}\"", tag.text));
                }
            }
            _ => {}
        }
    }
}

fn attribute_line(Attribute { key, value, .. }: &Attribute, indent: usize) -> String {
    let mut words = " ".repeat(indent);
    for word in [
        key.as_str(),
        value.value_type().map_or("", super::ValueType::name),
    ] {
        words.push_str(word);
        if !word.is_empty() {
            words.push(' ');
        }
    }
    format!("{words}{value}")
}
