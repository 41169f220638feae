//! Items that can be pointed at, selected and described, and their encoding in settings and JSON.

use std::fmt;

/// Generates the items of each kind of document, and their encoding, from one table.
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
        /// A part of a document that can be pointed at, selected and described.
        ///
        /// Where a file has rows, chunks or lists, an item stores its place in them rather than a
        /// running number. A selection therefore survives a reload in which the file has grown.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Item {
            $( $(#[$family_doc])* $family($items), )+
        }

        $(
            $(#[$family_doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[expect(missing_docs, reason = "the fields are indices")]
            pub enum $items {
                $( $(#[$doc])* $name $({ $( $field: $type ),+ })?, )+
            }

            impl $items {
                /// Kind of the item, in one or two words.
                pub fn kind(self) -> &'static str {
                    match self {
                        $( Self::$name $({ $( $field: _ ),+ })? => $label, )+
                    }
                }

                /// Returns the item of `kind` with the given numbers, or `None` if they do not
                /// match its fields.
                fn of_kind(kind: &str, words: &mut Words<'_>) -> Option<Self> {
                    match kind {
                        $( $label => Some(Self::$name $({
                            $( $field: <$type as Written>::read(words)? ),+
                        })?), )+
                        _ => None,
                    }
                }
            }

            impl Written for $items {
                fn read(words: &mut Words<'_>) -> Option<Self> {
                    let kinds = [$( $label ),+];
                    let kind = words.take_kind(&kinds)?;
                    Self::of_kind(kind, words)
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
            /// Kind of the item, in one or two words, such as `tile` or `cube type`.
            pub fn kind(self) -> &'static str {
                match self {
                    $( Self::$family(item) => item.kind(), )+
                }
            }

            /// Kinds of items in documents that can contain this item, in table order.
            pub fn sibling_kinds(self) -> &'static [&'static str] {
                match self {
                    $( Self::$family(_) => &[$( $label ),+], )+
                }
            }

            /// Written forms of all items of its document: each kind with the names of its numbers.
            pub fn sibling_forms(self) -> Vec<String> {
                match self {
                    $( Self::$family(_) => vec![$( form($label, &[$( $( stringify!($field) ),+ )?]) ),+], )+
                }
            }

            /// Kinds of items of all documents.
            fn all_kinds() -> impl Iterator<Item = &'static str> {
                [$( $( $label ),+ ),+].into_iter()
            }

            /// Returns the items of `kind`, in any document, that are written with these numbers.
            /// Spaces or commas separate the numbers.
            pub fn of_kind(kind: &str, numbers: &str) -> Vec<Self> {
                let mut found = Vec::new();
                $(
                    let mut words = Words::new(numbers);
                    let item = $items::of_kind(kind, &mut words);
                    found.extend(item.filter(|_| words.is_empty()).map(Self::$family));
                )+
                found
            }
        }

        impl fmt::Display for Item {
            /// The form used in settings and JSON: the kind, then its numbers, such as `tile 3 17`.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $( Self::$family(item) => item.fmt(f), )+
                }
            }
        }
    };
}

/// Written form of an item: the kind with hyphens, and the names of its numbers.
fn form(kind: &str, fields: &[&str]) -> String {
    let kind = kind.replace(' ', "-");
    if fields.is_empty() {
        return kind;
    }
    format!(
        "{kind}:{}",
        fields.join(",").to_uppercase().replace('_', "-")
    )
}

/// The remaining words of an item that is being parsed.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self(text).trimmed()
    }

    fn trimmed(&self) -> Self {
        Self(self.0.trim_start_matches([' ', ',']))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the next word.
    fn next(&mut self) -> Option<&'a str> {
        let end = self.0.find([' ', ',']).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        *self = Self(rest).trimmed();
        (!word.is_empty()).then_some(word)
    }

    /// Takes the longest of the given kinds that comes next.
    fn take_kind<'k>(&mut self, kinds: &[&'k str]) -> Option<&'k str> {
        let follows = |kind: &&&'k str| {
            let rest = self.0.strip_prefix(**kind);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
        };
        let kind = *kinds.iter().filter(follows).max_by_key(|kind| kind.len())?;
        *self = Self(self.0.get(kind.len()..)?).trimmed();
        Some(kind)
    }
}

/// A part of an item's text.
trait Written: Sized {
    /// Parses it from the front of the remaining words.
    fn read(words: &mut Words<'_>) -> Option<Self>;
}

impl Written for u8 {
    fn read(words: &mut Words<'_>) -> Option<Self> {
        words.next()?.parse().ok()
    }
}

impl Written for u32 {
    fn read(words: &mut Words<'_>) -> Option<Self> {
        words.next()?.parse().ok()
    }
}

impl Item {
    /// The form of options such as `--select`: the kind with hyphens, then the numbers, such as
    /// `tile:3,17`.
    pub fn written(self) -> String {
        let text = self.to_string();
        let numbers = text.get(self.kind().len()..).unwrap_or_default().trim();
        let kind = self.kind().replace(' ', "-");
        if numbers.is_empty() {
            kind
        } else if numbers.contains(char::is_alphabetic) {
            // The kind of a part inside may have spaces of its own.
            format!("{kind}:{numbers}")
        } else {
            format!("{kind}:{}", numbers.replace(' ', ","))
        }
    }

    /// Splits a text into the kind at its start and the rest. Items of any document are recognised.
    /// Words of a kind may be joined by hyphens.
    pub fn split_kind(text: &str) -> Option<(&'static str, &str)> {
        let kinds = Self::all_kinds().filter_map(|kind| {
            let begins = |(a, b): (u8, u8)| a == b || (a, b) == (b' ', b'-');
            let begin = text.as_bytes().get(..kind.len())?;
            if !kind.bytes().zip(begin.iter().copied()).all(begins) {
                return None;
            }
            let rest = text.get(kind.len()..)?;
            (rest.is_empty() || rest.starts_with([' ', ',', ':'])).then_some((kind, rest))
        });
        kinds.max_by_key(|(kind, _)| kind.len())
    }
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
        /// All tiles of a type: its digit, or the class of tiles without a digit
        /// ([`TileClass::index`](crate::terrain::TileClass::index)).
        TileType "tile type" { class: u8 },
        /// Ground that can be reached from a cell of the navigation grid. Row and column are the
        /// cell's, twice those of its tile.
        Island "island" { row: u32, col: u32 },
    }

    /// An item of a model.
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
        /// A part of a P3M model.
        Part "part" { index: u32 },
        /// A texture of a P3M model.
        Texture "texture" { index: u32 },
        /// An action of a P3M model, which its animations play.
        Action "action" { index: u32 },
        /// A level of detail in a file of its own; 0 is the whole model.
        Lod "level of detail" { number: u32 },
        /// All triangles with a flaw.
        Flaw "flaw" { flaw: Flaw },
    }

    /// An item of a Permafrost scene. Parts of its map are items of the map.
    Scene(SceneItem) {
        /// The whole scene.
        Scene "scene",
        /// An entity, by its index in the file.
        Entity "entity" { index: u32 },
        /// A faction, and all its entities.
        Faction "faction" { index: u32 },
        /// All entities of a script class, by its index in alphabetical order.
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

    /// An item of a PMF map. Chunks are numbered within their level, cubes within their chunk.
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
        /// A light with its own lightmaps, by its number in the map.
        DynamicLight "dynamic light" { level: u32, id: u32 },
        /// A light that colours vertices, by its number in the map.
        FastLight "fast light" { level: u32, id: u32 },
        /// The physical surface of a material.
        PhysicsMaterial "physics material" { level: u32, index: u32 },
        /// The sound of a material.
        SoundMaterial "sound material" { level: u32, index: u32 },
        /// A kind of weather.
        Weather "weather" { level: u32, index: u32 },
        /// A kind of gravity.
        Gravity "gravity" { level: u32, index: u32 },
        /// The acoustics of a room.
        SoundEnvironment "sound environment" { level: u32, index: u32 },
        /// A kind of sky.
        Sky "sky" { level: u32, index: u32 },
        /// The area of an environment: the number of its kind, and its index within the kind.
        Region "environment region" { level: u32, chunk: u32, environment: u8, index: u32 },
        /// A region that keeps other chunks active.
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
        /// The picture of a file that is a single one.
        Picture "picture",
        /// A pixel of such a picture, by its column and row.
        Pixel "pixel" { x: u32, y: u32 },
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

    /// An item of an archive. Entries are numbered in file order.
    Archive(ArchiveItem) {
        /// The whole file.
        Archive "archive",
        /// A file.
        File "file" { index: u32 },
        /// A folder.
        Folder "folder" { index: u32 },
        /// A link to another entry.
        Link "link" { index: u32 },
    }
}

/// Reason why the engine draws triangles of a model differently from their author's intent, or may
/// do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flaw {
    /// Their winding contradicts their normals.
    Reversed,
    /// The mean of their normals points behind them, but no triangle of the model is clearly reversed.
    BentNormals,
    /// They have corners without joint weights, in a model with clips.
    Unweighted,
    /// They have normals of length 0.
    NoNormal,
}

impl Flaw {
    /// All flaws.
    pub const ALL: [Self; 4] = [
        Self::Reversed,
        Self::BentNormals,
        Self::Unweighted,
        Self::NoNormal,
    ];
}

impl Written for Flaw {
    fn read(words: &mut Words<'_>) -> Option<Self> {
        let name = words.next()?;
        Self::ALL.into_iter().find(|flaw| flaw.to_string() == name)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reversed => "reversed",
            Self::BentNormals => "bent-normals",
            Self::Unweighted => "unweighted",
            Self::NoNormal => "no-normal",
        })
    }
}

/// The part of a PMF map that owns a list of entities or a string table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the fields are indices")]
pub enum Owner {
    /// The file as a whole.
    Map,
    /// A level.
    Level { level: u32 },
    /// A chunk.
    Chunk { level: u32, chunk: u32 },
}

impl Written for Owner {
    fn read(words: &mut Words<'_>) -> Option<Self> {
        Some(match words.next()? {
            "map" => Self::Map,
            "level" => Self::Level {
                level: Written::read(words)?,
            },
            "chunk" => Self::Chunk {
                level: Written::read(words)?,
                chunk: Written::read(words)?,
            },
            _ => return None,
        })
    }
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
        let flaw = Flaw::NoNormal;
        assert_eq!(text(ModelItem::Flaw { flaw }.into()), "flaw no-normal");
        let (entity, part) = (7, ModelItem::Joint { index: 3 });
        let joint = SceneItem::Part { entity, part };
        assert_eq!(text(joint.into()), "part 7 joint 3");
        let owner = Owner::Chunk { level: 1, chunk: 2 };
        let entity = LevelItem::Entity { owner, index: 7 };
        assert_eq!(text(entity.into()), "entity chunk 1 2 7");
    }

    #[test]
    fn the_keys_of_every_kind_are_known() {
        let of_formats = crate::item_keys();
        let known: Vec<&str> = of_formats
            .iter()
            .flat_map(|(_, kinds)| kinds)
            .map(|it| it.kind)
            .collect();
        let unknown: Vec<&str> = Item::all_kinds()
            .filter(|kind| !known.contains(kind))
            .collect();
        assert_eq!(unknown, [""; 0]);
    }

    #[test]
    fn items_are_read_as_they_are_written() {
        let owner = Owner::Chunk { level: 1, chunk: 2 };
        let part = ModelItem::Lod { number: 3 };
        let flaw = Flaw::NoNormal;
        let items: [Item; 7] = [
            TerrainItem::Tile { row: 3, col: 17 }.into(),
            ModelItem::Joint { index: 4 }.into(),
            SceneItem::Part { entity: 7, part }.into(),
            ModelItem::Flaw { flaw }.into(),
            LevelItem::Entity { owner, index: 7 }.into(),
            LevelItem::CubeType {
                level: 0,
                cube_type: 2,
            }
            .into(),
            TileMapItem::Clip.into(),
        ];
        for item in items {
            let text = item.to_string();
            let (kind, rest) = Item::split_kind(&text).unwrap();
            assert_eq!(kind, item.kind());
            assert!(Item::of_kind(kind, rest).contains(&item), "{text}");
            let written = item.written();
            let (kind, rest) = Item::split_kind(&written).unwrap();
            let numbers = rest.trim_start_matches(':');
            assert!(Item::of_kind(kind, numbers).contains(&item), "{written}");
        }
        let written: Vec<String> = items.iter().map(|item| item.written()).collect();
        let expected = ["tile:3,17", "joint:4", "part:7 level of detail 3"];
        assert_eq!(written[..3], expected);
        assert_eq!(written[5..], ["cube-type:0,2", "clip"]);
        let tile: Item = TerrainItem::Tile { row: 3, col: 17 }.into();
        assert_eq!(Item::of_kind("tile", "3, 17")[0], tile);
        let tiles = Item::of_kind("tile", "3");
        assert_eq!(tiles, []);
        assert_eq!(Item::of_kind("joint", "x"), []);
        assert_eq!(Item::of_kind("joint", "1 2"), []);
        assert_eq!(
            Item::split_kind("cube-type:0,1"),
            Some(("cube type", ":0,1"))
        );
        assert_eq!(Item::split_kind("cube"), Some(("cube", "")));
        assert_eq!(Item::split_kind("cubes"), None);
        assert!(tile.sibling_kinds().contains(&"island"));
    }
}
