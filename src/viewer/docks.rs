//! The panels beside the view, and the edges of the window that they are docked at.

use egui::Key;
use serde::{Deserialize, Serialize};

use mapscope_scene::{Animation, Document, Levels};

/// The window edge at which a panel is docked. Panels of the same edge share it as tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dock {
    Left,
    Right,
    Bottom,
}

impl Dock {
    /// All edges.
    pub(super) const ALL: [Self; 3] = [Self::Left, Self::Right, Self::Bottom];
}

/// The table of panels, which is handed to a macro: a row gives the panel, its contents, its edge and
/// key, its id, name and help, and whether a document has something for it.
macro_rules! panel_table {
    ($use:ident) => {
        $use! {
            Outliner: outliner::Outliner, Left, Num1, "outliner", "Outliner",
                "The contents of the file as a tree", |_| true;
            Kinds: kinds::Kinds, Left, Num2, "kinds", "Tile types",
                "Tile types with their counts, and a sandbox to try out a tile",
                |document| !document.about().kinds.is_empty();
            Inspector: inspector::Inspector, Right, Num3, "inspector", "Inspector",
                "All properties of the selected item", |_| true;
            Problems: problems::Problems, Bottom, Num4, "problems", "Problems",
                "The problems of the file and their locations", |_| true;
            Changes: changes::ChangesPanel, Bottom, D, "changes", "Changes",
                "The differences from another file, or from the version before a reload", |_| true;
            Find: find::Find, Bottom, K, "find", "Find items",
                "Find items by their fields", |document| document.comparison().is_some();
            Statistics: statistics::Statistics, Bottom, Num5, "statistics", "Statistics",
                "Frame time, triangles, memory and counts", |_| true;
            Curves: curves::Curves, Bottom, Num6, "curves", "Curves",
                "Motion curves of the selected joint in a clip",
                |document| document.animation().is_some_and(Animation::has_curves);
            Octree: octree::Octree, Left, Num7, "octree", "Octree",
                "The cubes of the level as a tree, from the chunks down",
                |document| any_level(document, |levels, level| !levels.branches(level, None).is_empty());
            Lights: lights::Lights, Left, Num8, "lights", "Lights",
                "Switch and dim the lights of the level",
                |document| any_level(document, |levels, level| !levels.lights(level).is_empty());
            ChunkMap: chunk_map::ChunkMapPanel, Bottom, Num9, "chunk-map", "Chunk map",
                "The chunks of the level as boxes, coloured by their amount of content",
                |document| any_level(document, |levels, level| {
                    levels.chunk_map(level).is_some_and(|map| !map.chunks.is_empty())
                });
            Lightmaps: lightmaps::Lightmaps, Bottom, L, "lightmaps", "Lightmaps",
                "The lightmaps of the level and the faces that use them",
                |document| any_level(document, |levels, level| !levels.lightmaps(level).is_empty());
            Layers: layers::Layers, Left, Num7, "layers", "Layers",
                "The layers of the map with their visibility, opacity and parallax",
                |document| document.layers().is_some_and(|layers| !layers.layers().is_empty());
            Files: files::Files, Left, E, "files", "Files",
                "The files of the folder, or the files opened together", |_| true;
            Tileset: tileset::TilesetPanel, Bottom, Num8, "tileset", "Tileset",
                "All tiles of a tileset and their uses",
                |document| document.layers().is_some_and(|layers| !layers.tilesets().is_empty());
            Texture: texture::TexturePanel, Bottom, U, "texture", "Texture",
                "The textures by channel, and the UV layout of the triangles that show them",
                |document| document.textures().is_some();
        }
    };
}
pub(super) use panel_table;

/// Makes the ids of the panels in the table.
macro_rules! ids {
    ($(
        $panel:ident: $module:ident::$ui:ident, $dock:ident, $key:ident, $id:literal,
        $name:literal, $help:literal, $offered:expr;
    )+) => {
        /// A panel beside the view.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Panel {
            $(
                #[doc = $help]
                #[serde(rename = $id)]
                $panel,
            )+
        }

        impl Panel {
            /// All panels, in the order of menus and tabs.
            pub const ALL: &[Self] = &[$(Self::$panel),+];

            /// The edge at which it is docked.
            pub fn dock(self) -> Dock {
                match self { $(Self::$panel => Dock::$dock),+ }
            }

            /// The key that, with Ctrl, shows or hides it.
            pub(super) fn key(self) -> Key {
                match self { $(Self::$panel => Key::$key),+ }
            }

            /// Its name in settings and events and in the id of its command.
            pub fn id(self) -> &'static str {
                match self { $(Self::$panel => $id),+ }
            }

            /// Its display name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$panel => $name),+ }
            }

            /// Description of its contents.
            pub fn help(self) -> &'static str {
                match self { $(Self::$panel => $help),+ }
            }

            /// `true` if a document has content for it.
            pub(super) fn is_offered(self, document: &dyn Document) -> bool {
                let offered: fn(&dyn Document) -> bool = match self {
                    $(Self::$panel => $offered),+
                };
                offered(document)
            }
        }
    };
}

panel_table!(ids);

/// `true` if a predicate holds for any level of a document.
fn any_level(document: &dyn Document, is_true: fn(&dyn Levels, usize) -> bool) -> bool {
    document.levels().is_some_and(|levels| {
        let mut numbers = 0..levels.levels().len();
        numbers.any(|level| is_true(levels, level))
    })
}
