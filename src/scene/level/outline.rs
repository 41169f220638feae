//! The tree of a map: what it is made of, and numbers about the whole.

use super::Map;
use super::items::item;
use crate::scene::numbers::plural;
use crate::scene::{Item, OutlineNode, Statistic, Swatch};

/// How many chunks of a level are listed.
const MOST_CHUNKS: usize = 4096;

impl Map {
    /// Levels with their materials and chunks.
    pub(super) fn outline_tree(&self) -> Vec<OutlineNode> {
        let name = self.path.file_name().map_or_else(
            || self.path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        let levels = self.pmf.levels.len();
        let item = |kind, index: usize| Item {
            kind,
            index: index as u64,
        };
        let whole = leaf(name, item(item::MAP, 0), plural(levels, "level", "levels"));
        let levels = (0..levels).map(|level| OutlineNode {
            children: vec![
                heading("Materials", self.material_lines(level)),
                heading("Chunks", self.chunk_lines(level)),
            ],
            ..leaf(
                format!("Level {level}"),
                item(item::LEVEL, level),
                String::new(),
            )
        });
        [whole].into_iter().chain(levels).collect()
    }

    fn material_lines(&self, level: usize) -> Vec<OutlineNode> {
        let Some((level_data, level_file)) = self.levels.get(level).zip(self.pmf.levels.get(level))
        else {
            return Vec::new();
        };
        let mut triangles = vec![0; level_data.materials.list.len()];
        let parts = level_data.chunks.iter().flat_map(|mesh| &mesh.parts);
        for (part, indices) in parts {
            if let Some(count) = triangles.get_mut(usize::from(part.material)) {
                *count += indices.len() / 3;
            }
        }
        let materials = level_data.materials.list.iter().zip(triangles).enumerate();
        materials
            .filter(|(_, (material, triangles))| material.is_known || *triangles > 0)
            .map(|(index, (material, triangles))| {
                let look = material.look.as_ref();
                let strings = level_file.client.as_ref().map(|client| &client.strings);
                let texture = look
                    .zip(strings)
                    .and_then(|(look, strings)| self.textures.find(&strings.get(look.texture)));
                OutlineNode {
                    swatch: match texture {
                        Some(texture) => Some(Swatch::Thumbnail(texture)),
                        None => look.map(|look| Swatch::Color(look.color)),
                    },
                    ..leaf(
                        format!("{index} {}", material.name),
                        Self::material_item(level, index),
                        plural(triangles, "triangle", "triangles"),
                    )
                }
            })
            .collect()
    }

    fn chunk_lines(&self, level: usize) -> Vec<OutlineNode> {
        let chunks = self
            .pmf
            .levels
            .get(level)
            .map_or(&[][..], |level| &level.chunks);
        let listed = chunks.iter().enumerate().take(MOST_CHUNKS);
        let mut lines: Vec<OutlineNode> = listed
            .filter_map(|(number, chunk)| {
                let note = match &chunk.data {
                    Some(data) => plural(data.cubes.len(), "cube", "cubes"),
                    None => "cannot be read".to_owned(),
                };
                let item = self.chunk_item(level, number)?;
                Some(leaf(chunk.index.to_string(), item, note))
            })
            .collect();
        if let Some(more) = chunks
            .len()
            .checked_sub(MOST_CHUNKS)
            .filter(|more| *more > 0)
        {
            lines.push(heading(&format!("and {more} more"), Vec::new()));
        }
        lines
    }

    /// Numbers about the whole.
    pub(super) fn numbers_of_all(&self) -> Vec<Statistic> {
        let statistic = |name, value: usize| Statistic {
            name,
            value: value.to_string(),
        };
        let chunks = || self.pmf.levels.iter().flat_map(|level| &level.chunks);
        let readable = || chunks().filter_map(|chunk| chunk.data.as_ref());
        let clients = || readable().filter_map(|data| data.client.as_ref());
        let meshes = || self.levels.iter().flat_map(|level| &level.chunks);
        let of_levels = self
            .pmf
            .levels
            .iter()
            .filter_map(|level| level.server.as_ref());
        let of_chunks = readable().filter_map(|data| data.server.as_ref());
        let entities = self.pmf.entities.len()
            + of_levels.map(|server| server.entities.len()).sum::<usize>()
            + of_chunks.map(|server| server.entities.len()).sum::<usize>();
        let textures = &self.textures.list;
        vec![
            statistic("Levels", self.pmf.levels.len()),
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
            statistic("Textures", textures.len()),
            statistic(
                "Missing textures",
                textures
                    .iter()
                    .filter(|texture| !texture.file.found)
                    .count(),
            ),
        ]
    }
}

fn leaf(label: String, item: Item, note: String) -> OutlineNode {
    OutlineNode {
        label,
        item: Some(item),
        note,
        swatch: None,
        children: Vec::new(),
    }
}

fn heading(label: &str, children: Vec<OutlineNode>) -> OutlineNode {
    OutlineNode {
        label: label.to_owned(),
        item: None,
        note: if children.is_empty() {
            String::new()
        } else {
            children.len().to_string()
        },
        swatch: None,
        children,
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::level::sample;

    #[test]
    fn the_tree_leads_to_materials_and_chunks() {
        let map = sample::made_up();
        let outline = map.outline_tree();
        let labels: Vec<_> = outline.iter().map(|line| line.label.as_str()).collect();
        assert_eq!(labels, ["sample.pmf", "Level 0"]);
        let [materials, chunks] = &outline[1].children[..] else {
            panic!("{outline:?}");
        };
        let names = materials.children.iter().map(|line| line.label.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["0 stone", "1 grass", "2 water"]);
        for line in &materials.children {
            let summary = map.item_summary(line.item.unwrap());
            assert!(line.label.ends_with(&summary[0].value));
        }
        let triangles: usize = materials
            .children
            .iter()
            .map(|line| {
                line.note
                    .split(' ')
                    .next()
                    .unwrap()
                    .parse::<usize>()
                    .unwrap()
            })
            .sum();
        let statistics = map.numbers_of_all();
        let value = |name: &str| {
            let statistic = statistics.iter().find(|statistic| statistic.name == name);
            statistic.unwrap().value.parse::<usize>().unwrap()
        };
        assert_eq!(value("Triangles"), triangles);
        assert_eq!((value("Chunks"), value("Unreadable chunks")), (2, 0));
        for line in &chunks.children {
            let item = line.item.unwrap();
            assert_eq!(map.item_summary(item)[0].value, line.label);
            assert!(map.bounds_of(item).unwrap().radius() > 8.0);
            assert_eq!(map.outline_of(item).len(), 12);
        }
    }
}
