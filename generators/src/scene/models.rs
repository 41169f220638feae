//! The models of the scene: names, shapes and motions.

use glam::DVec3;
use image::ImageResult;
use mapscope_formats::pfobj::Pfobj;

use super::kit::Kit;
use super::paint::Hue;
use super::{folk, houses, plants, things};
use crate::models::model::Made;
use crate::models::rig::{Pose, Rig, bounds_of, rounded};

/// A clip: its name, its number of frames, and its pose at a time from 0 to 1.
type Motion = (&'static str, usize, fn(&mut Pose, f64));

/// A model.
pub(super) struct Model {
    /// Its file name without extension.
    pub(super) name: &'static str,
    build: fn(&mut Kit),
    rig: fn() -> Rig,
    motions: &'static [Motion],
    /// The radius that it occupies on the ground, in world units.
    pub(super) radius: f32,
}

const fn still(name: &'static str, radius: f32, build: fn(&mut Kit)) -> Model {
    Model {
        name,
        build,
        rig: Rig::default,
        motions: &[],
        radius,
    }
}

const fn moving(
    name: &'static str,
    radius: f32,
    build: fn(&mut Kit),
    rig: fn() -> Rig,
    motions: &'static [Motion],
) -> Model {
    Model {
        name,
        build,
        rig,
        motions,
        radius,
    }
}

/// The clips of villagers. The number of frames of each clip divides a minute.
const VILLAGER: &[Motion] = &[("Idle", 60, folk::stand_about), ("Wave", 40, folk::wave)];

fn dressed(kit: &mut Kit, cloth: Hue, trim: Hue, long: bool) {
    folk::villager(kit, &folk::Dress { cloth, trim, long });
}

/// All models.
pub(super) static MODELS: &[Model] = &[
    still("thatched_cottage", 16.0, houses::thatched_cottage),
    still("tiled_cottage", 15.0, houses::tiled_cottage),
    still("barn", 19.0, houses::barn),
    still("chapel", 24.0, houses::chapel),
    moving(
        "windmill",
        14.0,
        houses::windmill,
        folk::windmill_rig,
        &[("Turn", 72, folk::turn_sails)],
    ),
    still("well", 6.0, things::well),
    still("stall_red", 6.0, |kit| things::stall(kit, Hue::Red)),
    still("stall_blue", 6.0, |kit| things::stall(kit, Hue::Blue)),
    still("fence", 1.0, things::fence),
    still("pales", 1.0, things::pales),
    still("cart", 6.0, things::cart),
    still("barrel", 1.6, things::barrel),
    still("crates", 3.0, things::crates),
    still("haystack", 4.2, things::haystack),
    still("signpost", 1.5, things::signpost),
    still("jetty", 3.0, things::jetty),
    still("boat", 5.0, things::boat),
    still("log_pile", 4.0, things::log_pile),
    still("trough", 3.4, things::trough),
    still("bench", 3.2, things::bench),
    still("lamp", 1.2, things::lamp),
    still("oak", 8.5, plants::oak),
    still("apple_tree", 5.5, plants::apple_tree),
    still("birch", 4.5, plants::birch),
    still("pine", 7.0, plants::pine),
    still("bush", 3.4, plants::bush),
    still("reeds", 4.0, plants::reeds),
    still("grass", 1.5, plants::grass),
    still("flowers", 1.8, plants::flowers),
    still("wheat", 4.0, plants::wheat),
    still("garden_bed", 5.5, plants::garden),
    still("rocks", 4.0, plants::rocks),
    moving(
        "villager_blue",
        2.0,
        |kit| dressed(kit, Hue::Blue, Hue::Leather, false),
        folk::villager_rig,
        VILLAGER,
    ),
    moving(
        "villager_green",
        2.0,
        |kit| dressed(kit, Hue::Green, Hue::Ochre, false),
        folk::villager_rig,
        VILLAGER,
    ),
    moving(
        "villager_red",
        2.0,
        |kit| dressed(kit, Hue::Red, Hue::Linen, true),
        folk::villager_rig,
        VILLAGER,
    ),
    moving(
        "villager_violet",
        2.0,
        |kit| dressed(kit, Hue::Violet, Hue::Ochre, true),
        folk::villager_rig,
        VILLAGER,
    ),
    moving(
        "sheep",
        2.4,
        folk::sheep,
        folk::sheep_rig,
        &[("Graze", 120, folk::graze)],
    ),
    moving(
        "goose",
        1.4,
        folk::goose,
        folk::goose_rig,
        &[("Waddle", 60, folk::waddle)],
    ),
    moving(
        "banner",
        2.4,
        folk::banner,
        folk::banner_rig,
        &[("Flutter", 48, folk::flutter)],
    ),
];

impl Model {
    /// The model with this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        MODELS.iter().find(|model| model.name == name)
    }

    /// The clip that it plays when idle.
    pub(super) fn idle_clip(&self) -> Option<&'static str> {
        Some(self.motions.first()?.0)
    }

    /// Its path from the asset root.
    pub(super) fn path(&self) -> String {
        format!("assets/models/village/{}.pfobj", self.name)
    }

    /// Builds the model.
    pub(super) fn made(&self) -> ImageResult<Pfobj> {
        let rig = (self.rig)();
        let mut kit = Kit::default();
        (self.build)(&mut kit);
        let Made { mut model, .. } = kit.finished(&rig)?;
        // A thousandth of a unit is far below a pixel; rounding saves a sixth of the file.
        for vertex in &mut model.vertices {
            for number in vertex
                .position
                .iter_mut()
                .chain(&mut vertex.normal)
                .chain(&mut vertex.uv)
            {
                *number = rounded(f64::from(*number), 3);
            }
        }
        model.bounds = Some(bounds_of(
            model
                .vertices
                .iter()
                .map(|vertex| DVec3::from(vertex.position.map(f64::from))),
        ));
        for (name, count, pose_at) in self.motions {
            let poses = folk::frames(&rig, *count, pose_at);
            let clip = rig.clip(&model, name, &poses);
            model.clips.push(clip);
        }
        Ok(model)
    }
}
