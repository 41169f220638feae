//! Weather, gravity, sound and sky: the kinds that levels have, and the regions of chunks in which
//! they are.

use glam::Vec3;

use super::Map;
use super::items::ChunkAt;
use super::properties::{listed, yes};
use crate::numbers::{plural, short, xyz};
use crate::{Aabb, LevelItem, Property, PropertyGroup};
use mapscope_formats::pmf::{
    self, ChunkData, EnvironmentRegion, ServerRegion, Sky, StringRef, StringTable,
};

/// What a region can be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Environment {
    Weather,
    Gravity,
    Sound,
    Sky,
}

impl Environment {
    /// All in the order of their numbers in items.
    pub(super) const ALL: [Self; 4] = [Self::Weather, Self::Gravity, Self::Sound, Self::Sky];

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Weather => "Weather",
            Self::Gravity => "Gravity",
            Self::Sound => "Sound",
            Self::Sky => "Sky",
        }
    }

    /// The item of an environment of this kind.
    pub(super) fn item(self, level: usize, index: usize) -> LevelItem {
        let [level, index] = [level, index].map(|index| index as u32);
        match self {
            Self::Weather => LevelItem::Weather { level, index },
            Self::Gravity => LevelItem::Gravity { level, index },
            Self::Sound => LevelItem::SoundEnvironment { level, index },
            Self::Sky => LevelItem::Sky { level, index },
        }
    }

    pub(super) fn color(self) -> [u8; 3] {
        match self {
            Self::Weather => [110, 185, 255],
            Self::Gravity => [195, 140, 255],
            Self::Sound => [255, 165, 85],
            Self::Sky => [120, 230, 170],
        }
    }

    /// What an item is one of, the level that has it, and its index there.
    pub(super) fn of_item(item: LevelItem) -> Option<(Self, usize, usize)> {
        let (of, level, index) = match item {
            LevelItem::Weather { level, index } => (Self::Weather, level, index),
            LevelItem::Gravity { level, index } => (Self::Gravity, level, index),
            LevelItem::SoundEnvironment { level, index } => (Self::Sound, level, index),
            LevelItem::Sky { level, index } => (Self::Sky, level, index),
            _ => return None,
        };
        Some((of, level as usize, index as usize))
    }

    /// The names of those of a level, and that of the default one, with their strings.
    pub(super) fn names(
        self,
        level: &pmf::Level,
    ) -> Option<(&StringTable, Vec<StringRef>, StringRef)> {
        let common = &level.common;
        let client = level.client.as_ref();
        Some(match self {
            Self::Weather => (
                &common.strings,
                common.weathers.iter().map(|weather| weather.name).collect(),
                common.default_weather,
            ),
            Self::Gravity => (
                &common.strings,
                common
                    .gravities
                    .iter()
                    .map(|gravity| gravity.name)
                    .collect(),
                common.default_gravity,
            ),
            Self::Sound => {
                let client = client?;
                let names = client.sounds.iter().map(|sound| sound.name);
                (&client.strings, names.collect(), client.default_sound)
            }
            Self::Sky => {
                let client = client?;
                let names = client.skies.iter().map(|sky| sky.name);
                (&client.strings, names.collect(), client.default_sky)
            }
        })
    }

    /// The index of the one with a name: the first.
    fn find(self, level: &pmf::Level, name: &[u8]) -> Option<usize> {
        let (strings, names, _) = self.names(level)?;
        names
            .iter()
            .position(|other| strings.name(*other) == Some(name))
    }

    /// The regions of a chunk.
    pub(super) fn regions(self, data: &ChunkData) -> &[EnvironmentRegion] {
        let client = data.client.as_ref();
        match self {
            Self::Weather => &data.weather_regions,
            Self::Gravity => &data.gravity_regions,
            Self::Sound => client.map_or(&[], |client| &client.sound_regions),
            Self::Sky => client.map_or(&[], |client| &client.sky_regions),
        }
    }
}

/// A region of a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct RegionAt<'a> {
    pub(super) at: ChunkAt<'a>,
    pub(super) of: Environment,
    pub(super) index: usize,
    pub(super) region: &'a EnvironmentRegion,
}

impl RegionAt<'_> {
    /// Name of the environment.
    pub(super) fn name(&self) -> String {
        let data = self.at.chunk.data.as_deref();
        let name = data.map(|data| data.strings.brief(self.region.environment));
        name.unwrap_or_default().into_owned()
    }

    pub(super) fn item(&self) -> LevelItem {
        self.at.region_item(self.of, self.index)
    }

    /// Its corners in world space.
    pub(super) fn corners(&self) -> [Vec3; 8] {
        let center = self.at.center();
        self.region
            .corners
            .map(|corner| Vec3::from(corner) + center)
    }

    pub(super) fn bounds(&self) -> Option<Aabb> {
        Aabb::around(
            self.corners()
                .into_iter()
                .filter(|corner| corner.is_finite()),
        )
    }
}

/// The box of a region of the server in world space; its corners may be exchanged (fact sheet
/// B34).
pub(super) fn server_box(at: &ChunkAt<'_>, region: &ServerRegion) -> Aabb {
    let [a, b] = [region.min, region.max].map(|corner| Vec3::from(corner) + at.center());
    Aabb {
        min: a.min(b),
        max: a.max(b),
    }
}

impl Map {
    /// A region by its item.
    pub(super) fn region_at(&self, item: LevelItem) -> Option<RegionAt<'_>> {
        let LevelItem::Region {
            environment, index, ..
        } = item
        else {
            return None;
        };
        let at = self.chunk_of(item)?;
        let of = *Environment::ALL.get(usize::from(environment))?;
        let index = index as usize;
        let region = of.regions(at.chunk.data.as_deref()?).get(index)?;
        Some(RegionAt {
            at,
            of,
            index,
            region,
        })
    }

    /// A region of the server by its item.
    pub(super) fn server_region_at(&self, item: LevelItem) -> Option<(ChunkAt<'_>, &ServerRegion)> {
        let LevelItem::ServerRegion { index, .. } = item else {
            return None;
        };
        let at = self.chunk_of(item)?;
        let server = at.chunk.data.as_deref()?.server.as_ref()?;
        Some((at, server.regions.get(index as usize)?))
    }

    /// The regions of a level.
    pub(super) fn regions(&self, level: usize) -> impl Iterator<Item = RegionAt<'_>> {
        self.chunks_of(level).flat_map(|at| {
            let data = at.chunk.data.as_deref();
            let kinds = Environment::ALL.into_iter();
            kinds.flat_map(move |of| {
                let regions = data.map_or(&[][..], |data| of.regions(data)).iter();
                regions.enumerate().map(move |(index, region)| RegionAt {
                    at,
                    of,
                    index,
                    region,
                })
            })
        })
    }

    /// The regions of the server in a level, with their indices in their chunks.
    pub(super) fn server_regions(
        &self,
        level: usize,
    ) -> impl Iterator<Item = (ChunkAt<'_>, usize, &ServerRegion)> {
        self.chunks_of(level).flat_map(|at| {
            let data = at.chunk.data.as_deref();
            let server = data.and_then(|data| data.server.as_ref());
            let regions = server.map_or(&[][..], |server| &server.regions);
            let regions = regions.iter().enumerate();
            regions.map(move |(index, region)| (at, index, region))
        })
    }

    /// The regions that name an environment.
    fn regions_naming(&self, of: Environment, level: usize, index: usize) -> Vec<RegionAt<'_>> {
        let Some(source) = self.pmf.levels.get(level) else {
            return Vec::new();
        };
        let Some((strings, names, _)) = of.names(source) else {
            return Vec::new();
        };
        let name = names.get(index).and_then(|name| strings.name(*name));
        let regions = self.regions(level).filter(|region| region.of == of);
        let named = regions.filter(|region| {
            let data = region.at.chunk.data.as_deref();
            let of_region = data.and_then(|data| data.strings.name(region.region.environment));
            of_region == name && name.is_some()
        });
        named.collect()
    }

    /// Where an environment is other than by default.
    pub(super) fn environment_bounds(&self, item: LevelItem) -> Option<Aabb> {
        let (of, level, index) = Environment::of_item(item)?;
        let regions = self.regions_naming(of, level, index);
        let boxes = regions.iter().filter_map(RegionAt::bounds);
        boxes.reduce(|all, next| all.union(&next))
    }

    /// Everything about a kind of weather, gravity, sound or sky.
    pub(super) fn environment_properties(&self, item: LevelItem) -> Option<Vec<PropertyGroup>> {
        let (of, number, index) = Environment::of_item(item)?;
        let level = self.pmf.levels.get(number)?;
        let (strings, names, default) = of.names(level)?;
        let name = strings.brief(*names.get(index)?);
        let is_default = strings
            .name(default)
            .is_some_and(|default| !default.is_empty() && of.find(level, default) == Some(index));
        let mut properties = vec![
            Property::new("Kind", of.name()),
            Property::new("Name", name),
            Property::new("Default of the level", yes(is_default)),
        ];
        let mut say = |name, value: String| properties.push(Property::new(name, value));
        match of {
            Environment::Weather => {
                let weather = level.common.weathers.get(index)?;
                say("Wind", format!("{} m/s", xyz(weather.wind)));
                say("Direction seed", weather.direction_seed.to_string());
                say("Direction randomness", xyz(weather.direction_randomness));
                say("Direction speed", short(weather.direction_speed));
                say("Velocity seed", weather.velocity_seed.to_string());
                say("Velocity randomness", short(weather.velocity_randomness));
                say("Velocity speed", short(weather.velocity_speed));
            }
            Environment::Gravity => {
                let gravity = level.common.gravities.get(index)?;
                say("Acceleration", xyz(gravity.acceleration));
            }
            Environment::Sound => {
                let sound = level.client.as_ref()?.sounds.get(index)?;
                say("Low pass", short(sound.low_pass));
                say("High pass", short(sound.high_pass));
                say("Reverb delay", short(sound.reverb_delay));
                say("Reverb feedback", short(sound.reverb_feedback));
                say("Reverb mix", short(sound.reverb_mix));
                say("Reverb low pass", short(sound.reverb_low_pass));
                say("Reverb high pass", short(sound.reverb_high_pass));
            }
            Environment::Sky => {
                let client = level.client.as_ref()?;
                let sky = client.skies.get(index)?;
                self.sky_properties(number, &client.strings, sky, &mut properties);
            }
        }
        let regions = self.regions_naming(of, number, index);
        let regions = listed(regions.iter(), "Region", |region| {
            Some(Property {
                link: Some(region.item().into()),
                ..Property::new("Region", format!("of chunk {}", region.at.chunk.index))
            })
        });
        let groups = [("Environment", properties), ("Regions", regions)];
        let groups = groups.into_iter().filter(|(_, list)| !list.is_empty());
        let groups = groups.map(|(title, properties)| PropertyGroup { title, properties });
        Some(groups.collect())
    }

    fn sky_properties(
        &self,
        level: usize,
        strings: &StringTable,
        sky: &Sky,
        properties: &mut Vec<Property>,
    ) {
        let names = ["+X", "+Y", "+Z", "-X", "-Y", "-Z"];
        let sides = names.into_iter().zip(sky.skybox);
        let clouds = [
            ("Top clouds", sky.top_clouds),
            ("Bottom clouds", sky.bottom_clouds),
        ];
        let by_name = self
            .pmf
            .levels
            .get(level)
            .map(|level| level.common.materials_by_name());
        for (name, material) in sides.chain(clouds) {
            let text = strings.brief(material);
            if text.is_empty() {
                continue;
            }
            let found = by_name.as_ref().zip(strings.name(material));
            let found = found.and_then(|(by_name, name)| by_name.get(name).copied());
            properties.push(Property {
                link: found.map(|index| LevelItem::material(level, index).into()),
                ..Property::new(name, text)
            });
        }
        let is_on = sky.flags & Sky::HAS_3D_SKYBOX != 0;
        properties.push(Property::new("3D skybox", yes(is_on)));
        let source = self.pmf.levels.get(level);
        let number = source.and_then(|level| level.chunk_number(sky.skybox_chunk));
        // The field is always there (fact sheet B22).
        let unused = if is_on {
            ""
        } else {
            " (not used: there is no 3D skybox)"
        };
        properties.push(Property {
            link: number.map(|number| LevelItem::chunk(level, number).into()),
            ..Property::new("Skybox chunk", format!("{}{unused}", sky.skybox_chunk))
        });
    }

    /// Everything about a region of an environment.
    pub(super) fn region_properties(&self, item: LevelItem) -> Option<Vec<PropertyGroup>> {
        let found = self.region_at(item)?;
        let RegionAt {
            at,
            of,
            index,
            region,
        } = found;
        let data = at.chunk.data.as_deref()?;
        let name = data.strings.name(region.environment);
        let environment = name.and_then(|name| of.find(at.level, name));
        let mut properties = vec![
            Property::new("Kind", of.name()),
            Property {
                link: environment.map(|index| of.item(at.level_number, index).into()),
                ..Property::new("Environment", found.name())
            },
            Property {
                link: Some(at.item().into()),
                ..Property::new("Chunk", at.chunk.index.to_string())
            },
            Property::new("Index", index.to_string()),
        ];
        let corners = super::describe::CORNERS.iter().zip(found.corners());
        properties.extend(corners.map(|(name, corner)| Property::new(name, xyz(corner))));
        Some(vec![PropertyGroup {
            title: "Region",
            properties,
        }])
    }

    /// Everything about a region of the server.
    pub(super) fn server_region_properties(&self, item: LevelItem) -> Option<Vec<PropertyGroup>> {
        let (at, region) = self.server_region_at(item)?;
        let mut properties = vec![
            Property {
                link: Some(at.item().into()),
                ..Property::new("Chunk", at.chunk.index.to_string())
            },
            Property::new("Max corner", xyz(Vec3::from(region.max) + at.center())),
            Property::new("Min corner", xyz(Vec3::from(region.min) + at.center())),
            Property::new(
                "Keeps active",
                plural(region.chunks.len(), "chunk", "chunks"),
            ),
        ];
        properties.extend(listed(region.chunks.iter(), "Chunk", |chunk| {
            let number = at.level.chunk_number(*chunk);
            Some(Property {
                link: number.map(|number| LevelItem::chunk(at.level_number, number).into()),
                ..Property::new(
                    "Chunk",
                    match number {
                        Some(_) => chunk.to_string(),
                        None => format!("{chunk} (outside the grid)"),
                    },
                )
            })
        }));
        Some(vec![PropertyGroup {
            title: "Server region",
            properties,
        }])
    }
}
