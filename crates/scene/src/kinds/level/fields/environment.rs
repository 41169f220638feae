//! Weather, gravity, sound and sky: the environments of levels, and the chunk regions that use
//! them.

use std::borrow::Cow;

use glam::Vec3;

use crate::describe::numbers::xyz;
use crate::describe::table::{
    Field, Table, ValueType, decimal, field, flag, integer, section, shown_only, summary_only,
    table, text, vector,
};
use crate::describe::value::{Fact, Value};
use crate::kinds::level::Map;
use crate::kinds::level::fields::cube::{BY_CORNER, CORNERS};
use crate::kinds::level::fields::{GRID_PLACES, LevelAt, MAX_LISTED, grid_place, string};
use crate::kinds::level::items::ChunkAt;
use crate::{Aabb, LevelItem};
use mapscope_formats::counted;
use mapscope_formats::pmf::{
    self, ChunkData, EnvironmentRegion, ServerRegion, Sky, SoundEnvironment, StringRef,
    StringTable, Weather,
};

/// Kinds of environment that a region can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kinds::level) enum Environment {
    Weather,
    Gravity,
    Sound,
    Sky,
}

impl Environment {
    /// All kinds, in the order of their numbers in items.
    pub(in crate::kinds::level) const ALL: [Self; 4] =
        [Self::Weather, Self::Gravity, Self::Sound, Self::Sky];

    /// Display name.
    pub(in crate::kinds::level) fn name(self) -> &'static str {
        match self {
            Self::Weather => "Weather",
            Self::Gravity => "Gravity",
            Self::Sound => "Sound",
            Self::Sky => "Sky",
        }
    }

    /// Its name as a value.
    fn value(self) -> Value {
        Value::from(self.name().to_lowercase()).shown_as(self.name())
    }

    /// Returns the item of an environment of this kind.
    pub(in crate::kinds::level) fn item(self, level: usize, index: usize) -> LevelItem {
        let [level, index] = [level, index].map(|index| index as u32);
        match self {
            Self::Weather => LevelItem::Weather { level, index },
            Self::Gravity => LevelItem::Gravity { level, index },
            Self::Sound => LevelItem::SoundEnvironment { level, index },
            Self::Sky => LevelItem::Sky { level, index },
        }
    }

    pub(in crate::kinds::level) fn color(self) -> [u8; 3] {
        match self {
            Self::Weather => [110, 185, 255],
            Self::Gravity => [195, 140, 255],
            Self::Sound => [255, 165, 85],
            Self::Sky => [120, 230, 170],
        }
    }

    /// Returns the kind of an environment item, its level, and its index there.
    pub(in crate::kinds::level) fn of_item(item: LevelItem) -> Option<(Self, usize, usize)> {
        let (of, level, index) = match item {
            LevelItem::Weather { level, index } => (Self::Weather, level, index),
            LevelItem::Gravity { level, index } => (Self::Gravity, level, index),
            LevelItem::SoundEnvironment { level, index } => (Self::Sound, level, index),
            LevelItem::Sky { level, index } => (Self::Sky, level, index),
            _ => return None,
        };
        Some((of, level as usize, index as usize))
    }

    /// Returns the names of a level's environments and of the default one, with their string table.
    pub(in crate::kinds::level) fn names(
        self,
        level: &pmf::Level,
    ) -> Option<(&StringTable, Vec<StringRef>, StringRef)> {
        /// Returns the names of records.
        fn all<T>(records: &[T], name: impl Fn(&T) -> StringRef) -> Vec<StringRef> {
            records.iter().map(name).collect()
        }
        let (common, client) = (&level.common, level.client.as_ref());
        let (strings, names, default) = match self {
            Self::Weather => (
                &common.strings,
                all(&common.weathers, |weather| weather.name),
                common.default_weather,
            ),
            Self::Gravity => (
                &common.strings,
                all(&common.gravities, |gravity| gravity.name),
                common.default_gravity,
            ),
            Self::Sound => (
                &client?.strings,
                all(&client?.sounds, |sound| sound.name),
                client?.default_sound,
            ),
            Self::Sky => (
                &client?.strings,
                all(&client?.skies, |sky| sky.name),
                client?.default_sky,
            ),
        };
        Some((strings, names, default))
    }

    /// Returns the index of the first environment with a name.
    fn find(self, level: &pmf::Level, name: &[u8]) -> Option<usize> {
        let (strings, names, _) = self.names(level)?;
        let mut names = names.into_iter();
        names.position(|other| strings.name(other) == Some(name))
    }

    /// Returns the regions of a chunk.
    pub(in crate::kinds::level) fn regions(self, data: &ChunkData) -> &[EnvironmentRegion] {
        let client = data.client.as_ref();
        match self {
            Self::Weather => &data.weather_regions,
            Self::Gravity => &data.gravity_regions,
            Self::Sound => client.map_or(&[], |client| &client.sound_regions),
            Self::Sky => client.map_or(&[], |client| &client.sky_regions),
        }
    }
}

/// An environment region of a chunk.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct RegionAt<'a> {
    pub(in crate::kinds::level) at: ChunkAt<'a>,
    pub(in crate::kinds::level) of: Environment,
    pub(in crate::kinds::level) index: usize,
    pub(in crate::kinds::level) region: &'a EnvironmentRegion,
}

impl RegionAt<'_> {
    /// Name of the environment.
    pub(in crate::kinds::level) fn name(&self) -> String {
        let data = self.at.data();
        let name = data.map(|data| data.strings.told(self.region.environment));
        name.unwrap_or_default().into_owned()
    }

    pub(in crate::kinds::level) fn item(&self) -> LevelItem {
        self.at.region_item(self.of, self.index)
    }

    /// Returns its corners in world space.
    pub(in crate::kinds::level) fn corners(&self) -> [Vec3; 8] {
        let center = self.at.center();
        self.region
            .corners
            .map(|corner| Vec3::from(corner) + center)
    }

    pub(in crate::kinds::level) fn bounds(&self) -> Option<Aabb> {
        let corners = self.corners().into_iter();
        Aabb::around(corners.filter(|corner| corner.is_finite()))
    }
}

/// A server region of a chunk.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct ServerRegionAt<'a> {
    pub(in crate::kinds::level) at: ChunkAt<'a>,
    pub(in crate::kinds::level) index: usize,
    pub(in crate::kinds::level) region: &'a ServerRegion,
}

impl<'a> ServerRegionAt<'a> {
    /// The fields of a server region.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = table!(
        "Server region",
        field("Chunk", "chunk", ValueType::Integers(3), |of: &Self| of
            .at
            .link())
        .derived()
        .in_summary(),
        vector("Max corner", "max_corner", |of: &Self| of
            .corner(of.region.max)
            .into())
        .compared(|of| of.region.max.into()),
        vector("Min corner", "min_corner", |of: &Self| of
            .corner(of.region.min)
            .into())
        .compared(|of| of.region.min.into()),
        shown_only("Keeps active", |of: &Self| of.count().into())
            .in_summary()
            .note(|of| format!("keeps {} active", of.count()).into()),
        field("Chunk", "active_chunks", GRID_PLACES, |of| {
            let chunks = of.region.chunks.iter();
            let chunks = chunks.map(|chunk| match of.at.level.chunk_number(*chunk) {
                Some(number) => {
                    grid_place(*chunk).link(LevelItem::chunk(of.at.level_number, number))
                }
                None => Value::from(chunk.yxz()).shown_as(format!("{chunk} (outside the grid)")),
            });
            Value::list(chunks).showing(MAX_LISTED)
        }),
    );

    pub(in crate::kinds::level) fn item(&self) -> LevelItem {
        self.at.server_region_item(self.index)
    }

    /// Converts a corner to world space.
    fn corner(&self, corner: [f32; 3]) -> Vec3 {
        Vec3::from(corner) + self.at.center()
    }

    /// Returns its bounds in world space. Its min and max corners may be swapped (fact sheet B34).
    pub(in crate::kinds::level) fn bounds(&self) -> Aabb {
        let [a, b] = [self.region.min, self.region.max].map(|corner| self.corner(corner));
        Aabb {
            min: a.min(b),
            max: a.max(b),
        }
    }

    /// Number of chunks that it keeps active.
    pub(in crate::kinds::level) fn count(&self) -> String {
        counted(self.region.chunks.len(), "chunk")
    }
}

impl<'a> RegionAt<'a> {
    /// The fields of an environment region.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = table!(
        "Region",
        text("Kind", "kind", |of: &Self| of.of.value()).derived(),
        text("Environment", "environment", |of| {
            let strings = of.at.data().map(|data| &data.strings);
            let name = strings.map(|strings| string(strings, of.region.environment));
            Value::from(name).link_if(of.environment())
        }),
        field("Chunk", "chunk", ValueType::Integers(3), |of: &Self| of
            .at
            .link())
        .derived()
        .in_summary()
        .note(|of| format!("chunk {}", of.at.chunk.index).into()),
        summary_only("Environment", |of| {
            Value::from(of.name()).named(of.of.name())
        }),
        integer("Index", "index", |of: &Self| of.index.into()).derived(),
        field("Corner", "corners", BY_CORNER, |of: &Self| {
            by_corner(of.corners().map(Value::from))
        })
        .compared(|of| by_corner(of.region.corners.map(Value::from))),
    );

    /// Resolves the environment of its level that it refers to.
    fn environment(&self) -> Option<LevelItem> {
        let name = self.at.data()?.strings.name(self.region.environment)?;
        let index = self.of.find(self.at.level, name)?;
        Some(self.of.item(self.at.level_number, index))
    }
}

fn by_corner(corners: [Value; 8]) -> Value {
    let corners = CORNERS.into_iter().zip(corners);
    Value::object(corners.map(|(name, corner)| Fact::new(name, corner)))
}

/// A weather, gravity, sound or sky environment of a level.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct EnvironmentAt<'a> {
    level: LevelAt<'a>,
    of: Environment,
    index: usize,
}

impl<'a> EnvironmentAt<'a> {
    /// The fields of an environment of any kind.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Environment", Self::ENVIRONMENT),
            section("Regions", Self::REGIONS),
        ],
    };

    const ENVIRONMENT: &'a [Field<Self>] = &[
        text("Kind", "kind", |at: &Self| at.of.value()).derived(),
        text("Name", "name", |at: &Self| at.name().into())
            .summary("Name", |at| Value::from(at.name()).named(at.of.name())),
        flag("Default of the level", "default", |at: &Self| {
            at.is_default().into()
        })
        .derived()
        .note(|at| at.is_default().then_some("default").into()),
        vector("Wind", "wind_m_per_s", |at| {
            at.weather(|weather| {
                Value::from(weather.wind).shown_as(format!("{} m/s", xyz(weather.wind)))
            })
        }),
        integer("Direction seed", "direction_seed", |at| {
            at.weather(|weather| weather.direction_seed.into())
        }),
        vector("Direction randomness", "direction_randomness", |at| {
            at.weather(|weather| weather.direction_randomness.into())
        }),
        decimal("Direction speed", "direction_speed", |at| {
            at.weather(|weather| weather.direction_speed.into())
        }),
        integer("Velocity seed", "velocity_seed", |at| {
            at.weather(|weather| weather.velocity_seed.into())
        }),
        decimal("Velocity randomness", "velocity_randomness", |at| {
            at.weather(|weather| weather.velocity_randomness.into())
        }),
        decimal("Velocity speed", "velocity_speed", |at| {
            at.weather(|weather| weather.velocity_speed.into())
        }),
        vector("Acceleration", "acceleration", |at| {
            let gravities = &at.level.source.common.gravities;
            let gravity = gravities
                .get(at.index)
                .filter(|_| at.of == Environment::Gravity);
            gravity.map(|gravity| gravity.acceleration).into()
        }),
        decimal("Low pass", "low_pass", |at| {
            at.sound(|sound| sound.low_pass)
        }),
        decimal("High pass", "high_pass", |at| {
            at.sound(|sound| sound.high_pass)
        }),
        decimal("Reverb delay", "reverb_delay", |at| {
            at.sound(|sound| sound.reverb_delay)
        }),
        decimal("Reverb feedback", "reverb_feedback", |at| {
            at.sound(|sound| sound.reverb_feedback)
        }),
        decimal("Reverb mix", "reverb_mix", |at| {
            at.sound(|sound| sound.reverb_mix)
        }),
        decimal("Reverb low pass", "reverb_low_pass", |at| {
            at.sound(|sound| sound.reverb_low_pass)
        }),
        decimal("Reverb high pass", "reverb_high_pass", |at| {
            at.sound(|sound| sound.reverb_high_pass)
        }),
        field("Material", "materials", MATERIALS, Self::sky_materials),
        flag("3D skybox", "has_3d_skybox", |at: &Self| {
            at.sky().map(has_3d_skybox).into()
        })
        .derived(),
        integer("Flags", "flags", |at: &Self| {
            at.sky().map(|sky| Value::hex(sky.flags, 2)).into()
        })
        .hidden(),
        field(
            "Skybox chunk",
            "skybox_chunk",
            ValueType::Integers(3),
            |at| {
                let Some(sky) = at.sky() else {
                    return Value::absent();
                };
                let number = at.level.source.chunk_number(sky.skybox_chunk);
                let item = number.map(|n| LevelItem::chunk(at.level.number, n));
                // The field is always present (fact sheet B22).
                let unused = " (not used: there is no 3D skybox)";
                let unused = if has_3d_skybox(sky) { "" } else { unused };
                Value::from(sky.skybox_chunk.yxz())
                    .shown_as(format!("{}{unused}", sky.skybox_chunk))
                    .link_if(item)
            },
        ),
    ];

    const REGIONS: &'a [Field<Self>] = &[field("Region", "regions", REGIONS, |at: &Self| {
        let regions = at.regions().into_iter().map(|region| {
            let place = region.at.chunk.index;
            let facts = [
                Fact::new("Chunk", place.yxz()),
                Fact::new("Index", region.index),
            ];
            Value::object(facts)
                .shown_as(format!("of chunk {place}"))
                .link(region.item())
        });
        Value::list(regions).showing(MAX_LISTED)
    })
    .derived()];

    fn name(&self) -> Option<Cow<'a, str>> {
        let (strings, names, _) = self.of.names(self.level.source)?;
        Some(strings.told(*names.get(self.index)?))
    }

    /// `true` if this is the environment outside all regions. If a name is not unique, its first
    /// environment is used.
    fn is_default(&self) -> bool {
        let names = self.of.names(self.level.source);
        let default = names.and_then(|(strings, _, default)| strings.name(default));
        let default = default.filter(|default| !default.is_empty());
        default.and_then(|name| self.of.find(self.level.source, name)) == Some(self.index)
    }

    fn weather(&self, read: impl Fn(&Weather) -> Value) -> Value {
        let weather = self
            .level
            .source
            .common
            .weathers
            .get(self.index)
            .filter(|_| self.of == Environment::Weather);
        weather.map(read).into()
    }

    fn sound(&self, read: impl Fn(&SoundEnvironment) -> f32) -> Value {
        let client = self
            .level
            .source
            .client
            .as_ref()
            .filter(|_| self.of == Environment::Sound);
        let sound = client.and_then(|client| client.sounds.get(self.index));
        sound.map(read).into()
    }

    fn sky(&self) -> Option<&'a Sky> {
        let client = self
            .level
            .source
            .client
            .as_ref()
            .filter(|_| self.of == Environment::Sky)?;
        client.skies.get(self.index)
    }

    /// Lists the materials on the sides of a sky and of its clouds.
    fn sky_materials(&self) -> Value {
        let Some((sky, client)) = self.sky().zip(self.level.source.client.as_ref()) else {
            return Value::absent();
        };
        let sides = ["+X", "+Y", "+Z", "-X", "-Y", "-Z"].into_iter();
        let clouds = [
            ("Top clouds", sky.top_clouds),
            ("Bottom clouds", sky.bottom_clouds),
        ];
        let materials = self.level.source.common.materials_by_name();
        let names = sides.zip(sky.skybox).chain(clouds);
        let names = names.filter(|(_, name)| !client.strings.told(*name).is_empty());
        Value::object(names.map(|(side, name)| {
            let path = client.strings.name(name);
            let found = path.and_then(|name| materials.get(name));
            let item = found.map(|index| LevelItem::material(self.level.number, *index));
            Fact::new(side, string(&client.strings, name).link_if(item))
        }))
    }

    /// Returns the regions that refer to it.
    fn regions(&self) -> Vec<RegionAt<'a>> {
        let names = self.of.names(self.level.source);
        let name = names.and_then(|(strings, names, _)| strings.name(*names.get(self.index)?));
        let regions = self.level.map.regions(self.level.number);
        let named = regions.filter(|region| {
            let data = region.at.data();
            let of_region = data.and_then(|data| data.strings.name(region.region.environment));
            region.of == self.of && name.is_some() && of_region == name
        });
        named.collect()
    }
}

/// Materials by side of the sky.
const MATERIALS: ValueType = ValueType::ByName(&ValueType::Text);

/// Regions, each with its chunk and its index there.
const REGIONS: ValueType = ValueType::List(&ValueType::Object(&[
    ("chunk", ValueType::Integers(3)),
    ("index", ValueType::Integer),
]));

fn has_3d_skybox(sky: &Sky) -> bool {
    sky.flags & Sky::HAS_3D_SKYBOX != 0
}

impl<'a> ChunkAt<'a> {
    /// Returns its environment regions.
    pub(in crate::kinds::level) fn regions(self) -> impl Iterator<Item = RegionAt<'a>> {
        Environment::ALL.into_iter().flat_map(move |of| {
            let regions = self.data().map_or(&[][..], |data| of.regions(data)).iter();
            regions.enumerate().map(move |(index, region)| RegionAt {
                at: self,
                of,
                index,
                region,
            })
        })
    }

    /// Returns its server regions.
    pub(in crate::kinds::level) fn server_regions(
        self,
    ) -> impl Iterator<Item = ServerRegionAt<'a>> {
        let regions = self
            .server()
            .map_or(&[][..], |server| &server.regions)
            .iter()
            .enumerate();
        regions.map(move |(index, region)| ServerRegionAt {
            at: self,
            index,
            region,
        })
    }
}

impl Map {
    /// Returns an environment region by its item.
    pub(in crate::kinds::level) fn region_at(&self, item: LevelItem) -> Option<RegionAt<'_>> {
        let LevelItem::Region {
            environment, index, ..
        } = item
        else {
            return None;
        };
        let at = self.chunk_of(item)?;
        let of = *Environment::ALL.get(usize::from(environment))?;
        let index = index as usize;
        let region = of.regions(at.data()?).get(index)?;
        Some(RegionAt {
            at,
            of,
            index,
            region,
        })
    }

    /// Returns a server region by its item.
    pub(in crate::kinds::level) fn server_region_at(
        &self,
        item: LevelItem,
    ) -> Option<ServerRegionAt<'_>> {
        let LevelItem::ServerRegion { index, .. } = item else {
            return None;
        };
        let at = self.chunk_of(item)?;
        let index = index as usize;
        let region = at.server()?.regions.get(index)?;
        Some(ServerRegionAt { at, index, region })
    }

    /// Returns the environment regions of a level.
    pub(in crate::kinds::level) fn regions(
        &self,
        level: usize,
    ) -> impl Iterator<Item = RegionAt<'_>> {
        self.chunks_of(level).flat_map(ChunkAt::regions)
    }

    /// Returns the server regions of a level.
    pub(in crate::kinds::level) fn server_regions(
        &self,
        level: usize,
    ) -> impl Iterator<Item = ServerRegionAt<'_>> {
        self.chunks_of(level).flat_map(ChunkAt::server_regions)
    }

    /// Returns the bounds of the regions that use an environment, without its use as the default.
    pub(in crate::kinds::level) fn environment_bounds(&self, item: LevelItem) -> Option<Aabb> {
        let regions = self.environment_at(item)?.regions();
        Aabb::around_all(regions.iter().filter_map(RegionAt::bounds))
    }

    /// Returns an environment by its item.
    pub(in crate::kinds::level) fn environment_at(
        &self,
        item: LevelItem,
    ) -> Option<EnvironmentAt<'_>> {
        let (of, level, index) = Environment::of_item(item)?;
        let level = self.level_at(level)?;
        let (_, names, _) = of.names(level.source)?;
        (index < names.len()).then_some(EnvironmentAt { level, of, index })
    }
}
