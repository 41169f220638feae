//! What can be pointed at, selected and described, and how it is written in settings and JSON.

use std::fmt;

/// Makes the items of each kind of document, and their encoding, of one table.
macro_rules! items {
    ($(
        $(#[$family_doc:meta])*
        $family:ident($items:ident) {
            $(
                $(#[$doc:meta])*
                $name:ident $label:literal $({ $( $field:ident: $type:ty ),+ })?,
            )+
        }
    )+) => {
        /// Something in a document that can be pointed at, selected and described.
        ///
        /// Where a file has rows, chunks or lists, an item says its place in them and not a running
        /// number, so that a selection outlives a reload in which the file has grown.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Item {
            $( $(#[$family_doc])* $family($items), )+
        }

        $(
            $(#[$family_doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[expect(missing_docs, reason = "fields are indices, named for what they count")]
            pub enum $items {
                $( $(#[$doc])* $name $({ $( $field: $type ),+ })?, )+
            }

            impl $items {
                /// What it is, in one word or two.
                pub fn kind(self) -> &'static str {
                    match self {
                        $( Self::$name $({ $( $field: _ ),+ })? => $label, )+
                    }
                }
            }

            impl fmt::Display for $items {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(self.kind())?;
                    match *self {
                        $( Self::$name $({ $( $field ),+ })? => {
                            $( $( write!(f, " {}", $field)?; )+ )?
                        } )+
                    }
                    Ok(())
                }
            }

            impl From<$items> for Item {
                fn from(item: $items) -> Self {
                    Self::$family(item)
                }
            }
        )+

        impl Item {
            /// What it is, in one word or two, such as `tile` or `cube type`.
            pub fn kind(self) -> &'static str {
                match self {
                    $( Self::$family(item) => item.kind(), )+
                }
            }
        }

        impl fmt::Display for Item {
            /// The form of settings and JSON: what it is, then its numbers, such as `tile 3 17`.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $( Self::$family(item) => item.fmt(f), )+
                }
            }
        }
    };
}

items! {
    /// An item of a Permafrost map. Rows count from the north, columns from the west.
    Terrain(TerrainItem) {
        /// The whole map.
        Map "map",
        /// A tile, by its row and column in the whole map.
        Tile "tile" { row: u32, col: u32 },
        /// A chunk.
        Chunk "chunk" { row: u32, col: u32 },
        /// A material.
        Material "material" { index: u32 },
        /// All tiles of a type: its digit, or what tiles without one are counted as
        /// ([`TileClass::index`](crate::terrain::TileClass::index)).
        TileType "tile type" { class: u8 },
        /// Ground that can be reached from a cell of the navigation grid, by the cell's row and
        /// column, which are twice those of its tile.
        Island "island" { row: u32, col: u32 },
    }

    /// An item of a Permafrost model.
    Model(ModelItem) {
        /// The whole model.
        Model "model",
        /// A joint.
        Joint "joint" { index: u32 },
        /// A triangle: its three vertices begin at three times its index.
        Triangle "triangle" { index: u32 },
        /// A material.
        Material "material" { index: u32 },
        /// A clip.
        Clip "clip" { index: u32 },
        /// A level of detail in a file of its own; 0 is the whole model.
        Lod "level of detail" { number: u32 },
    }

    /// An item of a Permafrost scene. What is of its map is an item of that.
    Scene(SceneItem) {
        /// The whole scene.
        Scene "scene",
        /// An entity, by its index in the file.
        Entity "entity" { index: u32 },
        /// A faction, and all its entities.
        Faction "faction" { index: u32 },
        /// All entities of a class of scripts, by its index in alphabetical order.
        Class "class" { index: u32 },
        /// All entities of a model, by its index in the order of the file.
        Model "model" { index: u32 },
        /// A region.
        Region "region" { index: u32 },
        /// A camera.
        Camera "camera" { index: u32 },
        /// A part of the model of an entity, such as a joint.
        Part "part" { entity: u32, part: ModelItem },
        /// The clip of all idle clips.
        Clip "clip",
    }

    /// An item of a PMF map. Chunks count within their level, cubes within their chunk.
    Level(LevelItem) {
        /// The whole file.
        Map "map",
        /// A level.
        Level "level" { level: u32 },
        /// A chunk.
        Chunk "chunk" { level: u32, chunk: u32 },
        /// A cube.
        Cube "cube" { level: u32, chunk: u32, cube: u32 },
        /// A side of a cube, from 0 to 5.
        Face "face" { level: u32, chunk: u32, cube: u32, side: u8 },
        /// All cubes of a type in a level.
        CubeType "cube type" { level: u32, cube_type: u8 },
        /// A material.
        Material "material" { level: u32, index: u32 },
        /// A lightmap.
        Lightmap "lightmap" { level: u32, chunk: u32, index: u32 },
        /// A light with lightmaps of its own, by its number in the map.
        DynamicLight "dynamic light" { level: u32, id: u32 },
        /// A light that colours vertices, by its number in the map.
        FastLight "fast light" { level: u32, id: u32 },
        /// How a material feels.
        PhysicsMaterial "physics material" { level: u32, index: u32 },
        /// How a material sounds.
        SoundMaterial "sound material" { level: u32, index: u32 },
        /// A kind of weather.
        Weather "weather" { level: u32, index: u32 },
        /// A kind of gravity.
        Gravity "gravity" { level: u32, index: u32 },
        /// How a room sounds.
        SoundEnvironment "sound environment" { level: u32, index: u32 },
        /// A kind of sky.
        Sky "sky" { level: u32, index: u32 },
        /// Where an environment is: the number of its kind, and its index among those of the kind.
        Region "environment region" { level: u32, chunk: u32, environment: u8, index: u32 },
        /// Where other chunks are kept active.
        ServerRegion "server region" { level: u32, chunk: u32, index: u32 },
        /// An entity.
        Entity "entity" { owner: Owner, index: u32 },
        /// All entities of a type, by its number in files.
        EntityType "entity type" { entity_type: u32 },
        /// A gamemode, by its index in the header.
        Gamemode "gamemode" { index: u32 },
        /// A string table, by its index among those of its owner.
        Strings "string table" { owner: Owner, index: u32 },
        /// An entry of the archive.
        ArchiveFile "archive file" { index: u32 },
        /// An extension of the format.
        Extension "extension" { index: u32 },
        /// The clip of the animated materials.
        Clip "clip",
    }

    /// An item of a 2D map.
    TileMap(TileMapItem) {
        /// The whole file.
        Map "map",
        /// A layer.
        Layer "layer" { index: u32 },
        /// A cell of a layer, by its column and row.
        Cell "cell" { layer: u32, x: u32, y: u32 },
        /// A tileset.
        Tileset "tileset" { index: u32 },
        /// A tile of a tileset, and all cells that show it.
        Tile "tile" { tileset: u32, index: u32 },
        /// A zone.
        Zone "zone" { index: u32 },
        /// An entity, by its index among all objects.
        Entity "entity" { index: u32 },
        /// A waypoint, by its index among all objects.
        Waypoint "waypoint" { index: u32 },
        /// An area of a zone, by its index among all objects.
        ZoneArea "zone area" { index: u32 },
        /// A sprite, by its index among all objects.
        Sprite "sprite" { index: u32 },
        /// A box, by its index among all objects.
        Box "box" { index: u32 },
        /// A line, by its index among all objects.
        Line "line" { index: u32 },
        /// The clip of the animated tiles.
        Clip "clip",
    }
}

/// The part of a PMF map that a list of entities or a string table belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "fields are indices, named for what they count")]
pub enum Owner {
    /// The file as a whole.
    Map,
    /// A level.
    Level { level: u32 },
    /// A chunk.
    Chunk { level: u32, chunk: u32 },
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map => f.write_str("map"),
            Self::Level { level } => write!(f, "level {level}"),
            Self::Chunk { level, chunk } => write!(f, "chunk {level} {chunk}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_written_as_what_they_are_and_where() {
        let text = |item: Item| item.to_string();
        assert_eq!(
            text(TerrainItem::Tile { row: 3, col: 17 }.into()),
            "tile 3 17"
        );
        assert_eq!(text(ModelItem::Model.into()), "model");
        let (entity, part) = (7, ModelItem::Joint { index: 3 });
        let joint = SceneItem::Part { entity, part };
        assert_eq!(text(joint.into()), "part 7 joint 3");
        let owner = Owner::Chunk { level: 1, chunk: 2 };
        let entity = LevelItem::Entity { owner, index: 7 };
        assert_eq!(text(entity.into()), "entity chunk 1 2 7");
    }
}
