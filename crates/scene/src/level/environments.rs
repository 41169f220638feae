//! Weather, gravity, sound and sky: the kinds that levels have, and the regions of chunks in which
//! they are.

use std::borrow::Cow;

use glam::Vec3;

use super::Map;
use super::items::ChunkAt;
use super::properties::{LevelAt, linked, listed};
use crate::fields::{Field, Table, Value, field, section, summary_only};
use crate::numbers::xyz;
use crate::{Aabb, LevelItem, Property};
use mapscope_formats::counted;
use mapscope_formats::pmf::{
    self, ChunkData, EnvironmentRegion, ServerRegion, Sky, SoundEnvironment, StringRef,
    StringTable, Weather,
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

/// A region of the server in a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerRegionAt<'a> {
    pub(super) at: ChunkAt<'a>,
    pub(super) index: usize,
    pub(super) region: &'a ServerRegion,
}

impl<'a> ServerRegionAt<'a> {
    /// What is known of a region of the server.
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Server region", Self::REGION)],
    };

    const REGION: &'a [Field<Self>] = &[
        field("Chunk", |of: &Self| {
            Value::from(of.at.chunk.index.to_string()).link(of.at.item())
        })
        .in_summary(),
        field("Max corner", |of| of.corner(of.region.max).into()),
        field("Min corner", |of| of.corner(of.region.min).into()),
        field("Keeps active", |of: &Self| of.count().into())
            .in_summary()
            .note(|of| format!("keeps {} active", of.count()).into()),
        field("Chunk", |of| {
            let chunks = listed(of.region.chunks.iter(), "Chunk", |chunk| {
                let number = of.at.level.chunk_number(*chunk);
                let item = number.map(|n| LevelItem::chunk(of.at.level_number, n));
                let text = match number {
                    Some(_) => chunk.to_string(),
                    None => format!("{chunk} (outside the grid)"),
                };
                Some(linked("Chunk", text, item))
            });
            chunks.into()
        }),
    ];

    pub(super) fn item(&self) -> LevelItem {
        self.at.server_region_item(self.index)
    }

    /// A corner in world space.
    fn corner(&self, corner: [f32; 3]) -> Vec3 {
        Vec3::from(corner) + self.at.center()
    }

    /// What it occupies in world space; its corners may be exchanged (fact sheet B34).
    pub(super) fn bounds(&self) -> Aabb {
        let [a, b] = [self.region.min, self.region.max].map(|corner| self.corner(corner));
        Aabb {
            min: a.min(b),
            max: a.max(b),
        }
    }

    /// How many chunks it keeps active.
    fn count(&self) -> String {
        counted(self.region.chunks.len(), "chunk")
    }
}

impl<'a> RegionAt<'a> {
    /// What is known of a region of an environment.
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Region", Self::REGION)],
    };

    const REGION: &'a [Field<Self>] = &[
        field("Kind", |of| of.of.name().into()),
        field("Environment", |of| {
            Value::from(of.name()).link_if(of.environment())
        }),
        field("Chunk", |of: &Self| {
            Value::from(of.at.chunk.index.to_string()).link(of.at.item())
        })
        .in_summary()
        .note(|of| format!("chunk {}", of.at.chunk.index).into()),
        summary_only("Environment", |of| {
            Value::from(of.name()).named(of.of.name())
        }),
        field("Index", |of| of.index.into()),
        field("Corner", |of| {
            let corners = super::describe::CORNERS.iter().zip(of.corners());
            Value::lines(corners.map(|(name, corner)| Property::new(name, xyz(corner))))
        }),
    ];

    /// The environment of its level that it names.
    fn environment(&self) -> Option<LevelItem> {
        let name = self.at.data()?.strings.name(self.region.environment)?;
        let index = self.of.find(self.at.level, name)?;
        Some(self.of.item(self.at.level_number, index))
    }
}

/// A kind of weather, gravity, sound or sky of a level.
#[derive(Debug, Clone, Copy)]
pub(super) struct EnvironmentAt<'a> {
    level: LevelAt<'a>,
    of: Environment,
    index: usize,
}

impl<'a> EnvironmentAt<'a> {
    /// What is known of an environment of any kind.
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Environment", Self::ENVIRONMENT),
            section("Regions", Self::REGIONS),
        ],
    };

    const ENVIRONMENT: &'a [Field<Self>] = &[
        field("Kind", |at| at.of.name().into()),
        field("Name", |at: &Self| at.name().into())
            .summary("Name", |at| Value::from(at.name()).named(at.of.name())),
        field("Default of the level", |at: &Self| at.is_default().into())
            .note(|at| at.is_default().then_some("default").into()),
        field("Wind", |at| {
            at.weather(|weather| format!("{} m/s", xyz(weather.wind)).into())
        }),
        field("Direction seed", |at| {
            at.weather(|w| w.direction_seed.into())
        }),
        field("Direction randomness", |at| {
            at.weather(|weather| weather.direction_randomness.into())
        }),
        field("Direction speed", |at| {
            at.weather(|w| w.direction_speed.into())
        }),
        field("Velocity seed", |at| at.weather(|w| w.velocity_seed.into())),
        field("Velocity randomness", |at| {
            at.weather(|weather| weather.velocity_randomness.into())
        }),
        field("Velocity speed", |at| {
            at.weather(|w| w.velocity_speed.into())
        }),
        field("Acceleration", |at| {
            let gravities = &at.level.source.common.gravities;
            let gravity = gravities.get(at.index);
            let gravity = gravity.filter(|_| at.of == Environment::Gravity);
            gravity.map(|gravity| gravity.acceleration).into()
        }),
        field("Low pass", |at| at.sound(|sound| sound.low_pass)),
        field("High pass", |at| at.sound(|sound| sound.high_pass)),
        field("Reverb delay", |at| at.sound(|sound| sound.reverb_delay)),
        field("Reverb feedback", |at| {
            at.sound(|sound| sound.reverb_feedback)
        }),
        field("Reverb mix", |at| at.sound(|sound| sound.reverb_mix)),
        field("Reverb low pass", |at| {
            at.sound(|sound| sound.reverb_low_pass)
        }),
        field("Reverb high pass", |at| {
            at.sound(|sound| sound.reverb_high_pass)
        }),
        field("Material", |at| at.sky_materials().into()),
        field("3D skybox", |at| at.sky().map(has_3d_skybox).into()),
        field("Skybox chunk", |at| {
            let Some(sky) = at.sky() else {
                return Value::absent();
            };
            let number = at.level.source.chunk_number(sky.skybox_chunk);
            let item = number.map(|n| LevelItem::chunk(at.level.number, n));
            // The field is always there (fact sheet B22).
            let unused = if has_3d_skybox(sky) {
                ""
            } else {
                " (not used: there is no 3D skybox)"
            };
            Value::from(format!("{}{unused}", sky.skybox_chunk)).link_if(item)
        }),
    ];

    const REGIONS: &'a [Field<Self>] = &[field("Region", |at| {
        let regions = at
            .level
            .map
            .regions_naming(at.of, at.level.number, at.index);
        let regions = listed(regions.iter(), "Region", |region| {
            let text = format!("of chunk {}", region.at.chunk.index);
            Some(linked("Region", text, Some(region.item())))
        });
        regions.into()
    })];

    fn name(&self) -> Option<Cow<'a, str>> {
        let (strings, names, _) = self.of.names(self.level.source)?;
        Some(strings.brief(*names.get(self.index)?))
    }

    /// Whether it is where no region names another; the first one of a name is meant.
    fn is_default(&self) -> bool {
        let names = self.of.names(self.level.source);
        let default = names.and_then(|(strings, _, default)| strings.name(default));
        let default = default.filter(|default| !default.is_empty());
        default.and_then(|name| self.of.find(self.level.source, name)) == Some(self.index)
    }

    fn weather(&self, read: impl Fn(&Weather) -> Value) -> Value {
        let weather = self.level.source.common.weathers.get(self.index);
        let weather = weather.filter(|_| self.of == Environment::Weather);
        weather.map(read).into()
    }

    fn sound(&self, read: impl Fn(&SoundEnvironment) -> f32) -> Value {
        let client = self.level.source.client.as_ref();
        let client = client.filter(|_| self.of == Environment::Sound);
        let sound = client.and_then(|client| client.sounds.get(self.index));
        sound.map(read).into()
    }

    fn sky(&self) -> Option<&'a Sky> {
        let client = self.level.source.client.as_ref();
        let client = client.filter(|_| self.of == Environment::Sky)?;
        client.skies.get(self.index)
    }

    /// The materials on the sides of a sky, and of its clouds.
    fn sky_materials(&self) -> Vec<Property> {
        let Some((sky, client)) = self.sky().zip(self.level.source.client.as_ref()) else {
            return Vec::new();
        };
        let sides = ["+X", "+Y", "+Z", "-X", "-Y", "-Z"].into_iter();
        let clouds = [
            ("Top clouds", sky.top_clouds),
            ("Bottom clouds", sky.bottom_clouds),
        ];
        let materials = self.level.source.common.materials_by_name();
        let strings = &client.strings;
        let named = sides.zip(sky.skybox).chain(clouds);
        let lines = named.filter_map(|(name, material)| {
            let text = strings.brief(material);
            let found = strings.name(material).and_then(|name| materials.get(name));
            let item = found.map(|index| LevelItem::material(self.level.number, *index));
            (!text.is_empty()).then(|| linked(name, text, item))
        });
        lines.collect()
    }
}

fn has_3d_skybox(sky: &Sky) -> bool {
    sky.flags & Sky::HAS_3D_SKYBOX != 0
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
    pub(super) fn server_region_at(&self, item: LevelItem) -> Option<ServerRegionAt<'_>> {
        let LevelItem::ServerRegion { index, .. } = item else {
            return None;
        };
        let at = self.chunk_of(item)?;
        let index = index as usize;
        let region = at.server()?.regions.get(index)?;
        Some(ServerRegionAt { at, index, region })
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

    /// The regions of the server in a level.
    pub(super) fn server_regions(&self, level: usize) -> impl Iterator<Item = ServerRegionAt<'_>> {
        self.chunks_of(level).flat_map(|at| {
            let regions = at.server_regions();
            regions.map(move |(index, region)| ServerRegionAt { at, index, region })
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

    /// An environment by its item.
    pub(super) fn environment_at(&self, item: LevelItem) -> Option<EnvironmentAt<'_>> {
        let (of, level, index) = Environment::of_item(item)?;
        let level = self.level_at(level)?;
        let (_, names, _) = of.names(level.source)?;
        (index < names.len()).then_some(EnvironmentAt { level, of, index })
    }
}
