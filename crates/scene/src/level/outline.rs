//! The tree of a map: what it is made of, and numbers about the whole.

use super::Map;
use super::chunk_map::holds_anything;
use super::environments::Environment;
use crate::outline::{and_more, capped, heading, leaf};
use crate::{LevelItem, OutlineNode, Statistic, Swatch};
use mapscope_formats::counted;
use mapscope_formats::pmf::{CubeKind, Side};

/// How many of one thing are listed.
const MAX_LISTED: usize = 2000;
/// How many chunks of a level are listed.
const MAX_CHUNKS: usize = 4096;

impl Map {
    /// The file, its levels, and what it has beside them.
    pub(super) fn outline_tree(&self) -> Vec<OutlineNode> {
        let name = self.path.file_name().map_or_else(
            || self.path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        let count = self.pmf.levels.len();
        let whole = self.line(name, LevelItem::Map);
        let files = self
            .pmf
            .archive
            .as_ref()
            .map_or(0, |archive| archive.file_paths().len());
        let archive = heading("Archive", self.archive_lines());
        let of_file = [
            OutlineNode {
                note: counted(files, "file"),
                ..archive
            },
            heading("Extensions", self.extension_lines()),
            heading("Gamemodes", self.gamemode_lines()),
            self.entity_lines(None),
        ];
        // A heading that nothing is under says nothing.
        let of_file = of_file.into_iter().filter(|line| !line.children.is_empty());
        let strings = [self.line("String table".to_owned(), LevelItem::STRINGS_OF_FILE)];
        let levels = (0..count).map(|level| OutlineNode {
            children: self.level_lines(level),
            ..leaf(
                format!("Level {level}"),
                LevelItem::level(level).into(),
                String::new(),
            )
        });
        [whole]
            .into_iter()
            .chain(levels)
            .chain(of_file)
            .chain(strings)
            .collect()
    }

    /// The line of an item, with the note that the table of its fields has.
    fn line(&self, label: String, item: LevelItem) -> OutlineNode {
        let note = self.described(item).map(|described| described.note());
        leaf(label, item.into(), note.unwrap_or_default())
    }

    /// What a level is made of.
    fn level_lines(&self, level: usize) -> Vec<OutlineNode> {
        let lines = [
            heading("Materials", self.material_lines(level)),
            heading("Physics materials", self.physics_lines(level)),
            heading("Sound materials", self.sound_lines(level)),
            heading_of_all("Environments", self.environment_lines(level)),
            heading_of_all("Regions", self.region_lines(level)),
            heading("Lights", self.light_lines(level)),
            heading("Lightmaps", self.lightmap_lines(level)),
            self.entity_lines(Some(level)),
            heading_of_all("Cubes", self.cube_kind_lines(level)),
            self.chunk_lines(level),
            heading("String tables", self.table_lines(level)),
        ];
        lines
            .into_iter()
            .filter(|line| !line.children.is_empty())
            .collect()
    }

    fn material_lines(&self, level: usize) -> Vec<OutlineNode> {
        let Some((data, _)) = self.level(level) else {
            return Vec::new();
        };
        let materials = data.materials.list.iter().zip(data.uses()).enumerate();
        let used = materials.filter(|(_, (material, uses))| material.is_known || uses.faces > 0);
        let lines = used.map(|(index, (material, _))| {
            let label = format!("{index} {}", material.name);
            OutlineNode {
                swatch: self.material_swatch(level, index),
                ..self.line(label, LevelItem::material(level, index))
            }
        });
        capped(lines.collect(), MAX_LISTED)
    }

    fn physics_lines(&self, level: usize) -> Vec<OutlineNode> {
        let common = self.pmf.levels.get(level).map(|level| &level.common);
        let materials = common.into_iter().flat_map(|common| {
            let materials = common.physics_materials.iter().enumerate();
            materials.map(|(index, material)| {
                let label = format!("{index} {}", common.strings.brief(material.name));
                self.line(label, LevelItem::physics_material(level, index))
            })
        });
        capped(materials.collect(), MAX_LISTED)
    }

    fn sound_lines(&self, level: usize) -> Vec<OutlineNode> {
        let level_data = self.pmf.levels.get(level);
        let count = level_data.map_or(0, |level| level.common.sound_materials.len());
        let lines = (0..count as u32).map(|index| {
            let level = level as u32;
            let item = LevelItem::SoundMaterial { level, index };
            self.line(format!("Sound material {index}"), item)
        });
        capped(lines.collect(), MAX_LISTED)
    }

    fn environment_lines(&self, level: usize) -> Vec<OutlineNode> {
        let Some(source) = self.pmf.levels.get(level) else {
            return Vec::new();
        };
        let lines = Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, _) = of.names(source)?;
            let names = names.iter().enumerate();
            let lines = names.map(|(index, name)| OutlineNode {
                swatch: Some(Swatch::Color(of.color())),
                ..self.line(strings.brief(*name).into_owned(), of.item(level, index))
            });
            let lines: Vec<OutlineNode> = lines.collect();
            (!lines.is_empty()).then(|| heading(of.name(), lines))
        });
        lines.collect()
    }

    fn region_lines(&self, level: usize) -> Vec<OutlineNode> {
        let mut of_kinds = [const { Vec::new() }; 4];
        let mut counts = [0; 4];
        for region in self.regions(level) {
            let at = region.of as usize;
            counts[at] += 1;
            if of_kinds[at].len() < MAX_LISTED {
                of_kinds[at].push(OutlineNode {
                    swatch: Some(Swatch::Color(region.of.color())),
                    ..self.line(region.name(), region.item())
                });
            }
        }
        let mut lines = Vec::new();
        let all = Environment::ALL.into_iter().zip(of_kinds).zip(counts);
        for ((of, mut children), count) in all {
            children.extend(and_more(count, children.len()));
            if !children.is_empty() {
                lines.push(OutlineNode {
                    note: count.to_string(),
                    ..heading(of.name(), children)
                });
            }
        }
        let mut server = Vec::new();
        let mut count = 0;
        for region in self.server_regions(level) {
            count += 1;
            if server.len() < MAX_LISTED {
                let label = format!("{} of chunk {}", region.index, region.at.chunk.index);
                server.push(self.line(label, region.item()));
            }
        }
        server.extend(and_more(count, server.len()));
        if !server.is_empty() {
            lines.push(OutlineNode {
                note: count.to_string(),
                ..heading("Server", server)
            });
        }
        lines
    }

    fn light_lines(&self, level: usize) -> Vec<OutlineNode> {
        let lights = self.light_list(level).into_iter();
        let lines = lights.map(|light| OutlineNode {
            swatch: Some(Swatch::Color(light.color)),
            ..leaf(light.name, light.item, light.note)
        });
        capped(lines.collect(), MAX_LISTED)
    }

    fn lightmap_lines(&self, level: usize) -> Vec<OutlineNode> {
        let mut count = 0;
        let mut lines = Vec::new();
        for at in self.chunks_of(level) {
            let data = at.chunk.data.as_deref();
            let client = data.and_then(|data| data.client.as_ref());
            let lightmaps = client.map_or(&[][..], |client| &client.lightmaps);
            count += lightmaps.len();
            let left = MAX_LISTED - lines.len();
            let listed = lightmaps.iter().enumerate().take(left);
            lines.extend(listed.map(|(index, _)| {
                let label = format!("{index} of chunk {}", at.chunk.index);
                self.line(label, at.lightmap_item(index))
            }));
        }
        lines.extend(and_more(count, lines.len()));
        lines
    }

    fn extension_lines(&self) -> Vec<OutlineNode> {
        let lines = self
            .pmf
            .extensions
            .iter()
            .zip(0..)
            .map(|(extension, index)| {
                self.line(extension.name.clone(), LevelItem::Extension { index })
            });
        capped(lines.collect(), MAX_LISTED)
    }

    /// The gamemodes, each with how many entities are part of it.
    fn gamemode_lines(&self) -> Vec<OutlineNode> {
        let names = self.pmf.header.gamemodes.iter().enumerate();
        let lines = names.map(|(number, name)| {
            let index = number as u32;
            self.line(name.clone(), LevelItem::Gamemode { index })
        });
        lines.collect()
    }

    /// The entities of the map, or of a level and its chunks, by their types.
    fn entity_lines(&self, level: Option<usize>) -> OutlineNode {
        let mut all = 0;
        let kinds = self.entities_by_kind(level).iter();
        let lines = kinds.map(|(kind, items)| {
            all += items.len();
            let entities = items.iter().take(MAX_LISTED).filter_map(|item| {
                let at = self.entity_at(*item)?;
                let name = at.entity.brief_name();
                let name = if name.is_empty() {
                    format!("{} without name", kind.name())
                } else {
                    name.into_owned()
                };
                Some(self.line(name, *item))
            });
            let mut children: Vec<OutlineNode> = entities.collect();
            children.extend(and_more(items.len(), children.len()));
            let kind_item = LevelItem::entity_type(*kind).into();
            let color = super::colors::distinct(kind.number().into());
            OutlineNode {
                swatch: Some(Swatch::Color(color)),
                children,
                ..leaf(kind.name().to_owned(), kind_item, items.len().to_string())
            }
        });
        let lines: Vec<OutlineNode> = lines.collect();
        let label = match level {
            None => "Entities of the map",
            Some(_) => "Entities",
        };
        OutlineNode {
            note: all.to_string(),
            ..heading(label, lines)
        }
    }

    fn cube_kind_lines(&self, level: usize) -> Vec<OutlineNode> {
        let Some((data, source)) = self.level(level) else {
            return Vec::new();
        };
        let kinds = CubeKind::ALL.iter().zip(data.counts(source).kinds);
        let lines = kinds.filter(|(_, count)| *count > 0).map(|(kind, _)| {
            let color = super::overlays::cell_color(*kind);
            OutlineNode {
                swatch: Some(Swatch::Color(color)),
                ..self.line(kind.name().to_owned(), LevelItem::cube_type(level, *kind))
            }
        });
        lines.collect()
    }

    /// The chunks that hold anything or cannot be read.
    fn chunk_lines(&self, level: usize) -> OutlineNode {
        let chunks = || self.chunks_of(level).filter(|at| holds_anything(at.chunk));
        let count = chunks().count();
        let mut lines: Vec<OutlineNode> = chunks()
            .take(MAX_CHUNKS)
            .map(|at| {
                let swatch = at.chunk.data.is_none();
                OutlineNode {
                    swatch: swatch.then_some(Swatch::Color(super::overlays::BROKEN)),
                    ..self.line(at.chunk.index.to_string(), at.item())
                }
            })
            .collect();
        lines.extend(and_more(count, lines.len()));
        OutlineNode {
            note: count.to_string(),
            ..heading("Chunks", lines)
        }
    }

    fn table_lines(&self, level: usize) -> Vec<OutlineNode> {
        let sides = Side::ALL.into_iter().zip(["Common", "Client", "Server"]);
        let lines = sides.filter_map(|(side, name)| {
            let item = LevelItem::strings_of_level(level, side);
            let note = self.described(item)?.note();
            Some(leaf(name.to_owned(), item.into(), note))
        });
        lines.collect()
    }
}

impl Map {
    /// Numbers about the whole.
    pub(super) fn numbers_of_all(&self) -> Vec<Statistic> {
        let (pmf, levels, textures) = (&self.pmf, &self.levels, &self.textures);
        let statistic = |name, value: usize| Statistic {
            name,
            value: value.to_string(),
        };
        let chunks = || pmf.levels.iter().flat_map(|level| &level.chunks);
        let readable = || chunks().filter_map(|chunk| chunk.data.as_ref());
        let clients = || readable().filter_map(|data| data.client.as_ref());
        let meshes = || levels.iter().flat_map(|level| &level.chunks);
        let of_levels = pmf.levels.iter().filter_map(|level| level.server.as_ref());
        let of_chunks = readable().filter_map(|data| data.server.as_ref());
        let entities = pmf.entities.len()
            + of_levels.map(|server| server.entities.len()).sum::<usize>()
            + of_chunks.map(|server| server.entities.len()).sum::<usize>();
        let missing = textures.list.iter().filter(|texture| !texture.file.found);
        vec![
            statistic("Levels", pmf.levels.len()),
            statistic("Chunks", chunks().count()),
            statistic("Unreadable chunks", chunks().count() - readable().count()),
            statistic("Cubes", readable().map(|data| data.cubes.len()).sum()),
            statistic("Faces", meshes().map(|mesh| mesh.faces.len()).sum()),
            statistic(
                "Triangles",
                meshes().map(|mesh| mesh.indices.len() / 3).sum(),
            ),
            statistic(
                "Vertices",
                clients().map(|client| client.vertices.len()).sum(),
            ),
            statistic(
                "Lightmaps",
                clients().map(|client| client.lightmaps.len()).sum(),
            ),
            statistic("Entities", entities),
            statistic("Textures", textures.list.len()),
            statistic("Missing textures", missing.count()),
        ]
    }
}

/// A heading with how many there are below its lines together, which say so themselves.
fn heading_of_all(label: &str, lines: Vec<OutlineNode>) -> OutlineNode {
    let counts = lines
        .iter()
        .filter_map(|line| line.note.parse::<u64>().ok());
    OutlineNode {
        note: counts.sum::<u64>().to_string(),
        ..heading(label, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::sample::{self, summary};
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
            ["readme.txt", "textures"]
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
            let summary = map.summary(line.item.unwrap(), None, &Shown::default());
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
        // Two of the map are listed at the file.
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
