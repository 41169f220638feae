//! The outline tree of a map, and its statistics.

use super::chunk_map::is_nonempty_chunk;
use super::fields::SECTION_NAMES;
use super::fields::environment::Environment;
use super::overlays::{BROKEN, DAMAGED, cell_color};
use super::{Map, colors};
use crate::describe::archive_entry;
use crate::describe::outline::{heading, heading_of, leaf};
use crate::{LevelItem, OutlineNode, Statistic, Swatch};
use mapscope_formats::counted;
use mapscope_formats::pmf::{self, CubeKind, Side};

/// Maximum number of listed items of one kind.
const MAX_LISTED: usize = 2000;
/// Maximum number of listed chunks of a level.
const MAX_CHUNKS: usize = 4096;

impl Map {
    /// Returns the lines for the file, its levels, and its other data.
    pub(super) fn outline_tree(&self) -> Vec<OutlineNode> {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let whole = self.line(name.to_string_lossy().into_owned(), LevelItem::Map);
        let extensions = self.pmf.extensions.iter().zip(0..);
        let gamemodes = self.pmf.header.gamemodes.iter().zip(0..);
        let of_file = [
            OutlineNode {
                note: counted(self.archive_paths().len(), "file"),
                ..heading("Archive", archive_entry::outline(self, MAX_LISTED))
            },
            heading_of(
                "Extensions",
                extensions,
                MAX_LISTED,
                |(extension, index)| {
                    self.line(extension.name.clone(), LevelItem::Extension { index })
                },
            ),
            heading_of("Gamemodes", gamemodes, MAX_LISTED, |(name, index)| {
                self.line(name.clone(), LevelItem::Gamemode { index })
            }),
            self.entity_lines(None),
        ];
        let strings = self.line("String table".to_owned(), LevelItem::STRINGS_OF_FILE);
        let levels = (0..self.pmf.levels.len()).map(|level| OutlineNode {
            children: self.level_lines(level),
            swatch: (!self.is_level_whole(level)).then_some(Swatch::Color(BROKEN)),
            ..leaf(
                format!("Level {level}"),
                LevelItem::level(level).into(),
                String::new(),
            )
        });
        let lines = [whole].into_iter().chain(levels);
        lines.chain(filled(of_file)).chain([strings]).collect()
    }

    /// Creates the line of an item, with the note from its field table.
    fn line(&self, label: String, item: LevelItem) -> OutlineNode {
        let note = self.described(item).map(|described| described.note());
        leaf(label, item.into(), note.unwrap_or_default())
    }

    /// Returns the lines below a level.
    fn level_lines(&self, level: usize) -> Vec<OutlineNode> {
        let Some((data, source)) = self.level(level) else {
            return Vec::new();
        };
        let materials = data.materials.list.iter().zip(data.uses()).enumerate();
        let used = materials.filter(|(_, (material, uses))| material.is_known || uses.faces > 0);
        let common = &source.common;
        let physics = common.physics_materials.iter().enumerate();
        let sounds = 0..common.sound_materials.len() as u32;
        let lights = self.light_list(level).into_iter();
        let lightmaps = self.chunks_of(level).flat_map(|at| {
            let lightmaps = 0..at.lightmaps().len();
            lightmaps.map(move |index| (at, index))
        });
        let chunks = self
            .chunks_of(level)
            .filter(|at| is_nonempty_chunk(at.chunk));
        let lines = [
            heading_of("Materials", used, MAX_LISTED, |(index, (material, _))| {
                let label = format!("{index} {}", material.name);
                OutlineNode {
                    swatch: self.material_swatch(level, index),
                    ..self.line(label, LevelItem::material(level, index))
                }
            }),
            heading_of(
                "Physics materials",
                physics,
                MAX_LISTED,
                |(index, material)| {
                    let label = format!("{index} {}", common.strings.told(material.name));
                    self.line(label, LevelItem::physics_material(level, index))
                },
            ),
            heading_of("Sound materials", sounds, MAX_LISTED, |index| {
                let level = level as u32;
                let item = LevelItem::SoundMaterial { level, index };
                self.line(format!("Sound material {index}"), item)
            }),
            heading_with_sum("Environments", self.environment_lines(level, source)),
            heading_with_sum("Regions", self.region_lines(level)),
            heading_of("Lights", lights, MAX_LISTED, |light| OutlineNode {
                swatch: Some(Swatch::Color(light.color)),
                ..leaf(light.name, light.item, light.note)
            }),
            heading_of("Lightmaps", lightmaps, MAX_LISTED, |(at, index)| {
                let label = format!("{index} of chunk {}", at.chunk.index);
                self.line(label, at.lightmap_item(index))
            }),
            self.entity_lines(Some(level)),
            heading_with_sum("Cubes", self.cube_kind_lines(level)),
            heading_of("Chunks", chunks, MAX_CHUNKS, |at| OutlineNode {
                swatch: match at.data() {
                    None => Some(Swatch::Color(BROKEN)),
                    Some(data) => data.is_damaged.then_some(Swatch::Color(DAMAGED)),
                },
                ..self.line(at.chunk.index.to_string(), at.item())
            }),
            heading("String tables", self.table_lines(level)),
        ];
        filled(lines).collect()
    }

    fn environment_lines(&self, level: usize, source: &pmf::Level) -> Vec<OutlineNode> {
        let lines = Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, _) = of.names(source)?;
            let names = names.into_iter().enumerate();
            let lines = names.map(|(index, name)| OutlineNode {
                swatch: Some(Swatch::Color(of.color())),
                ..self.line(strings.told(name).into_owned(), of.item(level, index))
            });
            Some(heading(of.name(), lines.collect()))
        });
        filled(lines).collect()
    }

    fn region_lines(&self, level: usize) -> Vec<OutlineNode> {
        let environments = Environment::ALL.into_iter().map(|of| {
            let regions = self.regions(level).filter(|region| region.of == of);
            heading_of(of.name(), regions, MAX_LISTED, |region| OutlineNode {
                swatch: Some(Swatch::Color(of.color())),
                ..self.line(region.name(), region.item())
            })
        });
        let server = heading_of("Server", self.server_regions(level), MAX_LISTED, |region| {
            let label = format!("{} of chunk {}", region.index, region.at.chunk.index);
            self.line(label, region.item())
        });
        filled(environments.chain([server])).collect()
    }

    /// Returns the entities of the map, or of a level and its chunks, grouped by type.
    fn entity_lines(&self, level: Option<usize>) -> OutlineNode {
        let lines = self.entities_by_kind(level).map(|(kind, items)| {
            let lines = heading_of(kind.name(), items.iter(), MAX_LISTED, |item| {
                let at = self.entity_at(*item);
                let name = at.map(|at| at.entity.brief_name().into_owned());
                let name = name.filter(|name| !name.is_empty());
                let name = name.unwrap_or_else(|| format!("{} without name", kind.name()));
                self.line(name, *item)
            });
            OutlineNode {
                item: Some(LevelItem::entity_type(*kind).into()),
                swatch: Some(Swatch::Color(colors::distinct(kind.number().into()))),
                ..lines
            }
        });
        let label = match level {
            None => "Entities of the map",
            Some(_) => "Entities",
        };
        heading_with_sum(label, lines.collect())
    }

    fn cube_kind_lines(&self, level: usize) -> Vec<OutlineNode> {
        let level = self.level_at(level).into_iter();
        let lines = level.flat_map(|level| {
            let kinds = CubeKind::ALL
                .into_iter()
                .zip(level.counts().kinds)
                .filter(|(_, count)| *count > 0);
            kinds.map(move |(kind, _)| OutlineNode {
                swatch: Some(Swatch::Color(cell_color(kind))),
                ..self.line(
                    kind.name().to_owned(),
                    LevelItem::cube_type(level.number, kind),
                )
            })
        });
        lines.collect()
    }

    fn table_lines(&self, level: usize) -> Vec<OutlineNode> {
        let sides = Side::ALL.into_iter().zip(SECTION_NAMES);
        let lines = sides.filter_map(|(side, name)| {
            let item = LevelItem::strings_of_level(level, side);
            let note = self.described(item)?.note();
            Some(leaf(name.to_owned(), item.into(), note))
        });
        lines.collect()
    }

    /// Returns the statistics of the whole map.
    pub(super) fn statistics_of_map(&self) -> Vec<Statistic> {
        let statistic = |name, value: usize| Statistic {
            name,
            value: value.to_string(),
        };
        let levels = self.pmf.levels.len();
        let textures = &self.textures.list;
        let chunks = || (0..levels).flat_map(|level| self.chunks_of(level));
        let readable = || chunks().filter_map(|at| at.data());
        let clients = || chunks().filter_map(|at| at.client());
        let meshes = || self.levels.iter().flat_map(|level| &level.chunks);
        let triangles = meshes().map(|mesh| mesh.indices.len() / 3).sum();
        let vertices = clients().map(|client| client.vertices.len()).sum();
        let lightmaps = clients().map(|client| client.lightmaps.len()).sum();
        let entities = self.owners().filter_map(|owner| self.entity_list(owner));
        let missing = textures.iter().filter(|texture| !texture.file.found);
        vec![
            Statistic {
                name: "Read as of",
                value: format!("document of {}", pmf::DOCUMENT_DATE),
            },
            statistic("Levels", levels),
            statistic("Chunks", chunks().count()),
            statistic("Unreadable chunks", chunks().count() - readable().count()),
            statistic(
                "Damaged chunks",
                readable().filter(|data| data.is_damaged).count(),
            ),
            statistic("Cubes", readable().map(|data| data.cubes.len()).sum()),
            statistic("Faces", meshes().map(|mesh| mesh.faces.len()).sum()),
            statistic("Triangles", triangles),
            statistic("Vertices", vertices),
            statistic("Lightmaps", lightmaps),
            statistic("Entities", entities.map(|list| list.entities.len()).sum()),
            statistic("Textures", textures.len()),
            statistic("Missing textures", missing.count()),
        ]
    }
}

/// Drops headings without lines below them.
fn filled(lines: impl IntoIterator<Item = OutlineNode>) -> impl Iterator<Item = OutlineNode> {
    let lines = lines.into_iter();
    lines.filter(|line| !line.children.is_empty())
}

/// Creates a heading with the sum of the counts in the notes of its lines.
fn heading_with_sum(label: &str, lines: Vec<OutlineNode>) -> OutlineNode {
    let notes = lines.iter().map(|line| &line.note);
    let counts = notes.filter_map(|note| note.parse::<u64>().ok());
    OutlineNode {
        note: counts.sum::<u64>().to_string(),
        ..heading(label, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample::{self, summary};
    use crate::{Document as _, Item, Shown};
    use mapscope_formats::pmf;

    fn labels(lines: &[OutlineNode]) -> Vec<&str> {
        lines.iter().map(|line| line.label.as_str()).collect()
    }

    fn below<'a>(lines: &'a [OutlineNode], label: &str) -> &'a [OutlineNode] {
        let found = lines.iter().find(|line| line.label == label);
        &found.unwrap_or_else(|| panic!("no {label}")).children
    }

    #[test]
    fn the_tree_leads_to_all_that_a_map_is_made_of() {
        let map = sample::with_archive();
        let outline = map.outline();
        let top = [
            "sample.pmf",
            "Level 0",
            "Archive",
            "Extensions",
            "Gamemodes",
            "Entities of the map",
            "String table",
        ];
        assert_eq!(labels(&outline), top);
        assert_eq!(
            labels(below(&outline, "Archive")),
            ["textures", "readme.txt"]
        );
        let textures = below(below(&outline, "Archive"), "textures");
        assert_eq!(labels(textures), ["broken.ptf", "whole.ptf"]);
        let level = below(&outline, "Level 0");
        let parts = [
            "Materials",
            "Physics materials",
            "Sound materials",
            "Environments",
            "Regions",
            "Lights",
            "Lightmaps",
            "Entities",
            "Cubes",
            "Chunks",
            "String tables",
        ];
        assert_eq!(labels(level), parts);
        let materials = below(level, "Materials");
        assert_eq!(labels(materials), ["0 stone", "1 grass", "2 water"]);
        for line in materials {
            let summary =
                (&map as &dyn crate::Document).summary(line.item.unwrap(), &Shown::default());
            assert!(line.label.ends_with(&summary[0].value));
        }
        let uses = map.levels()[0].uses();
        let triangles: usize = uses.iter().map(|uses| uses.triangles).sum();
        let statistics = map.statistics();
        let value = |name: &str| {
            let statistic = statistics.iter().find(|statistic| statistic.name == name);
            statistic.unwrap().value.parse::<usize>().unwrap()
        };
        assert_eq!(value("Triangles"), triangles);
        assert_eq!((value("Chunks"), value("Unreadable chunks")), (2, 0));
        let cubes = below(level, "Cubes").iter();
        let counts = cubes.map(|line| line.note.parse::<usize>().unwrap());
        let all = counts.sum::<usize>();
        assert_eq!(value("Cubes"), all);
        let heading = level.iter().find(|line| line.label == "Cubes").unwrap();
        assert_eq!(heading.note, all.to_string());
        let entities = below(level, "Entities").iter();
        let counts = entities.map(|line| line.note.parse::<usize>().unwrap());
        // The two entities of the map are listed below the file.
        assert_eq!(value("Entities"), counts.sum::<usize>() + 2);
        for line in below(level, "Chunks") {
            let Some(Item::Level(item)) = line.item else {
                panic!("{line:?}");
            };
            assert_eq!(summary(&map, item)[0].value, line.label);
            assert!(map.bounds_of(item).unwrap().radius() > 8.0);
            assert_eq!(map.contour_of(item).len(), 12);
        }
    }

    #[test]
    fn long_lists_end_with_how_many_more_there_are() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let data = pmf.levels[0].chunks[0].data.as_mut().unwrap();
        let region = data.weather_regions[0];
        data.weather_regions = vec![region; 250];
        let chunk = pmf.levels[0].chunks[0].clone();
        pmf.levels[0].grid = [1, 1, 9];
        pmf.levels[0].chunks = (0..9)
            .map(|z| pmf::Chunk {
                index: pmf::ChunkIndex::new([0, 0, z]),
                ..chunk.clone()
            })
            .collect();
        let map = sample::map(pmf);
        let outline = map.outline();
        let level = below(&outline, "Level 0");
        let regions = below(below(level, "Regions"), "Weather");
        assert_eq!(regions.len(), MAX_LISTED + 1);
        assert_eq!(regions[MAX_LISTED].label, "and 250 more");
    }
}
