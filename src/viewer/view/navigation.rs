//! Navigation presets: the effects of drags in the 3D view.

use egui::{Modifiers, PointerButton};
use serde::{Deserialize, Serialize};

/// The effect of a drag in the 3D view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DragEffect {
    /// Orbit the point under the pointer, or look around in a room.
    Orbit,
    /// Move the view sideways.
    Pan,
    /// Look around.
    Look,
}

/// A set of drags.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    #[default]
    Mapscope,
    Blender,
    TrenchBroom,
}

/// The settings of navigation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Navigation {
    /// The drags of the 3D view.
    pub preset: Preset,
    /// `true` if the wheel zooms in the opposite direction.
    pub reverses_wheel: bool,
    /// `true` if drags move and turn the view in the opposite direction.
    pub reverses_drag: bool,
}

impl Preset {
    /// All presets.
    pub(crate) const ALL: [Self; 3] = [Self::Mapscope, Self::Blender, Self::TrenchBroom];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mapscope => "Mapscope",
            Self::Blender => "Blender",
            Self::TrenchBroom => "TrenchBroom",
        }
    }

    /// Its drags: an effect, and the buttons with their modifier key.
    fn drags(self) -> &'static [(DragEffect, &'static [(PointerButton, Modifiers)])] {
        use DragEffect::{Look, Orbit, Pan};
        use PointerButton::{Middle, Primary, Secondary};
        const NONE: Modifiers = Modifiers::NONE;
        const SHIFT: Modifiers = Modifiers::SHIFT;
        match self {
            Self::Mapscope => &[
                (Orbit, &[(Primary, NONE)]),
                (Pan, &[(Secondary, NONE), (Middle, NONE), (Primary, SHIFT)]),
            ],
            Self::Blender => &[(Orbit, &[(Middle, NONE)]), (Pan, &[(Middle, SHIFT)])],
            Self::TrenchBroom => &[
                (Look, &[(Secondary, NONE)]),
                (Pan, &[(Middle, NONE)]),
                (Orbit, &[(Secondary, Modifiers::ALT)]),
            ],
        }
    }

    /// The effect of a drag, if it has one. Other modifier keys are ignored.
    pub(crate) fn effect(self, button: PointerButton, held: Modifiers) -> Option<DragEffect> {
        let rows = self.drags().iter();
        let drags = rows.flat_map(|(effect, drags)| drags.iter().map(move |drag| (effect, drag)));
        drags
            .filter(|(_, (of, modifiers))| *of == button && held.contains(*modifiers))
            .max_by_key(|(_, (_, modifiers))| modifiers.any())
            .map(|(effect, _)| *effect)
    }

    /// The effects of its drags with the names of the drags, such as `right or Shift+left drag`.
    pub(crate) fn named_drags(self) -> impl Iterator<Item = (DragEffect, String)> {
        self.drags().iter().map(|(effect, drags)| {
            let names: Vec<String> = drags.iter().copied().map(drag_name).collect();
            let names = match names.split_last() {
                Some((last, others)) if !others.is_empty() => {
                    format!("{} or {last}", others.join(", "))
                }
                _ => names.concat(),
            };
            (*effect, format!("{names} drag"))
        })
    }

    /// Describes its drags in a line. Indoors, orbiting is looking around.
    pub(crate) fn hint(self, is_indoors: bool) -> String {
        let drags = self.drags().iter().map(|(effect, drags)| {
            let does = match effect {
                DragEffect::Orbit if !is_indoors => "turn",
                DragEffect::Orbit | DragEffect::Look => "look around",
                DragEffect::Pan => "move",
            };
            let name = drags.first().copied().map_or_else(String::new, drag_name);
            format!("{name} drag to {does}")
        });
        drags.collect::<Vec<_>>().join(", ")
    }
}

fn drag_name((button, modifiers): (PointerButton, Modifiers)) -> String {
    let modifier = match (modifiers.shift, modifiers.alt) {
        (true, _) => "Shift+",
        (_, true) => "Alt+",
        _ => "",
    };
    let button = match button {
        PointerButton::Primary => "left",
        PointerButton::Secondary => "right",
        _ => "middle",
    };
    format!("{modifier}{button}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_has_its_drags() {
        use DragEffect::{Look, Orbit, Pan};
        let buttons = [
            PointerButton::Primary,
            PointerButton::Middle,
            PointerButton::Secondary,
        ];
        let effects = |preset: Preset, held| buttons.map(|button| preset.effect(button, held));
        for (preset, held, expected) in [
            (
                Preset::Mapscope,
                Modifiers::NONE,
                [Some(Orbit), Some(Pan), Some(Pan)],
            ),
            (Preset::Mapscope, Modifiers::SHIFT, [Some(Pan); 3]),
            (Preset::Blender, Modifiers::NONE, [None, Some(Orbit), None]),
            (Preset::Blender, Modifiers::SHIFT, [None, Some(Pan), None]),
            (
                Preset::TrenchBroom,
                Modifiers::NONE,
                [None, Some(Pan), Some(Look)],
            ),
            (
                Preset::TrenchBroom,
                Modifiers::ALT,
                [None, Some(Pan), Some(Orbit)],
            ),
        ] {
            assert_eq!(effects(preset, held), expected, "{preset:?} {held:?}");
        }
    }

    #[test]
    fn drags_are_named_in_hints_and_in_tables() {
        let hints = [
            "left drag to turn, right drag to move",
            "middle drag to turn, Shift+middle drag to move",
            "right drag to look around, middle drag to move, Alt+right drag to turn",
        ];
        assert_eq!(Preset::ALL.map(|preset| preset.hint(false)), hints);
        let names: Vec<_> = Preset::Mapscope
            .named_drags()
            .map(|(_, name)| name)
            .collect();
        assert_eq!(names, ["left drag", "right, middle or Shift+left drag"]);
    }
}
