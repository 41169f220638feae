//! Versions of PFSCENE (fact sheet of Permafrost, C).

use mapscope_formats::pfscene::{
    self, Attribute, Diplomacy, FORMAT, General, Pfscene, SectionKind, Value,
};
use mapscope_formats::{Format, Problem, ReadError, counted, quoted};

use super::{Content, ConversionReport, ConvertError, ItemNames, Row, report_encoding_loss};

/// The versions of PFSCENE.
pub(super) const FORMS: &[Row<Pfscene>] = &[
    Row::change(
        &FORMAT,
        "version",
        [
            "1.0",
            "Without sky, light, diplomacy and control of factions",
        ],
        to_1_0,
    ),
    Row::change(
        &FORMAT,
        "version",
        ["1.1", "With sky, light, diplomacy and control of factions"],
        |scene, told| {
            to_1_1(scene, told);
            Ok(())
        },
    ),
];

/// The attribute that follows the colour of a faction in version 1.1.
const CONTROLLABLE: &str = "controllable";

fn to_1_0(scene: &mut Pfscene, told: &mut ConversionReport) -> Result<(), ConvertError> {
    let mut controlled = Vec::new();
    for faction in &mut scene.factions {
        // The engine ignores the key of the attribute.
        let attributes = &mut faction.attributes.0;
        controlled.extend((attributes.len() > 1).then(|| quoted(faction.name.as_bytes())));
        attributes.truncate(1);
    }
    let controlled: ItemNames = controlled.into_iter().collect();
    told.lost(controlled, "faction", "their flag `controllable`");
    let pairs = scene.diplomacy.iter();
    let pairs = pairs.map(|it| format!("{} and {}", it.faction, it.other));
    told.lost(
        pairs.collect::<ItemNames>(),
        "pair of factions",
        "their diplomacy",
    );
    scene.diplomacy.clear();
    let general = std::mem::take(&mut scene.general);
    let General {
        skybox,
        ambient_light_color,
        emit_light_color,
        emit_light_pos,
        other,
    } = general;
    let settings = [
        ("skybox", skybox.is_some()),
        ("ambient_light_color", ambient_light_color.is_some()),
        ("emit_light_color", emit_light_color.is_some()),
        ("emit_light_pos", emit_light_pos.is_some()),
    ];
    let settings = settings.into_iter().filter(|(_, is_there)| *is_there);
    let settings: ItemNames = settings.map(|(name, _)| name).collect();
    told.lost(settings, "setting of sky and light", "their value");
    told.left_out(
        other.len(),
        "other line of `general`",
        "version 1.0 has no such section",
    );
    scene
        .sections
        .retain(|section| section.kind != SectionKind::General);
    if scene.sections.is_empty() {
        let text = "the scene has only sky and light, which version 1.0 does not support";
        return Err(ConvertError::Unrepresentable(text.to_owned()));
    }
    "1.0".clone_into(&mut scene.version);
    Ok(())
}

/// Adds what version 1.0 does not store: factions become controllable and at peace.
fn to_1_1(scene: &mut Pfscene, told: &mut ConversionReport) {
    if scene.is_1_1() {
        return;
    }
    let count = scene.factions.len();
    if count > 0 {
        for faction in &mut scene.factions {
            faction.attributes.0.push(Attribute {
                key: CONTROLLABLE.to_owned(),
                value: Value::Bool(true),
                line: 0,
            });
        }
        let all = 0..count as u32;
        let pairs = all
            .clone()
            .flat_map(|faction| all.clone().map(move |other| (faction, other)));
        scene.diplomacy = pairs
            .map(|(faction, other)| Diplomacy {
                faction,
                other,
                state: 0,
                line: 0,
            })
            .collect();
        let factions = counted(count, "faction");
        told.loss(format!(
            "version 1.0 does not record control and diplomacy of {factions}: all are written as \
             controllable and at peace"
        ));
    }
    "1.1".clone_into(&mut scene.version);
}

impl Content for Pfscene {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        pfscene::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        Ok(pfscene::write(self))
    }

    fn format() -> &'static Format {
        &FORMAT
    }

    fn form(&self) -> String {
        format!("version {}", self.version)
    }

    /// Compares the lines of the scenes, regardless of their position.
    fn is_same(&self, other: &Self) -> bool {
        pfscene::write(self) == pfscene::write(other)
    }

    fn unwritten(&self, bytes: &[u8], told: &mut ConversionReport) {
        // Most lines are written with their original bytes.
        if std::str::from_utf8(&pfscene::write(self)).is_err() {
            return;
        }
        let names = self.entities.iter().flat_map(|it| [&*it.name, &*it.model]);
        let factions = self.factions.iter().map(|faction| &*faction.name);
        report_encoding_loss(bytes, &mut names.chain(factions), told);
    }
}
