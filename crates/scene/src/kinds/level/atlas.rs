//! The lightmaps of a level on atlas pages. Each has a border of its own luxels, so that filtering
//! does not mix it with its neighbours. Where faces extend past a lightmap, its border is as wide:
//! each pixel there repeats the light of the edge (fact sheet B14), so such faces need no special
//! handling.

use super::mesh::drawn_geometry;
use mapscope_formats::pmf;

/// Maximum side of a page, in luxels.
const MAX_PAGE_SIDE: u32 = 4096;
/// Lightmaps with longer sides are scaled down, in luxels.
const MAX_SIDE: u32 = 2048;
/// Minimum border of a lightmap, which repeats the luxels of its edge.
const BORDER: u16 = 1;
/// Luxel budget for all wider borders of a level. Past it, the corners of faces are clamped to the
/// edge.
const MAX_BORDER_LUXELS: u32 = 1 << 24;
/// Side of the white square in the corner of each page, in luxels, for surfaces without a lightmap.
/// Filtering at its centre does not reach its edge.
pub const WHITE_SIDE: u32 = 4;

/// Returns the brightness of a dynamic light of a chunk, from 0 to 255.
pub(super) type Intensity<'a> = &'a dyn Fn(&pmf::DynamicLight) -> u8;

/// A lightmap with its border, as placed on its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaintedLightmap {
    /// Page.
    pub page: u16,
    /// Left and top luxel on the page.
    pub corner: [u32; 2],
    /// Luxels on each side.
    pub side: u32,
    /// RGBA bytes from the top left.
    pub luxels: Vec<u8>,
}

/// A page that lightmaps are being copied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLuxels {
    /// Width and height, in luxels.
    pub size: [u32; 2],
    /// RGBA bytes from the top left.
    pub bytes: Vec<u8>,
}

impl PageLuxels {
    /// Creates a white page.
    pub fn new(size: [u32; 2]) -> Self {
        let [width, height] = size.map(|side| side as usize);
        Self {
            size,
            bytes: vec![u8::MAX; width * height * 4],
        }
    }

    /// Copies a lightmap to the page.
    pub fn put(&mut self, painted: &PaintedLightmap) {
        let ([width, _], [x, y]) = (self.size, painted.corner);
        let row_bytes = painted.side as usize * 4;
        for (row, luxels) in (y..).zip(painted.luxels.chunks_exact(row_bytes)) {
            let first = (row as usize * width as usize + x as usize) * 4;
            if let Some(row) = self.bytes.get_mut(first..first + row_bytes) {
                row.copy_from_slice(luxels);
            }
        }
    }
}

/// The placement of a level's lightmaps on pages.
#[derive(Debug, Default)]
pub struct Atlas {
    /// Size of each page, in luxels. There is at least one page.
    pub pages: Vec<[u32; 2]>,
    /// Lightmaps of all chunks, chunk by chunk, in file order.
    slots: Vec<Slot>,
    /// First slot of each chunk of the level, followed by the number of slots.
    first_slots: Vec<u32>,
}

/// The place of a lightmap on its page, without its border.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slot {
    /// Page.
    pub page: u16,
    /// Left luxel.
    pub x: u16,
    /// Top luxel.
    pub y: u16,
    /// Luxels on each side: the file's number, or a scaled-down one if that exceeds 2048.
    pub side: u16,
    /// Width of its border, which repeats the luxels of its edge.
    pub border: u16,
}

impl Slot {
    /// Luxels on each side, including the border.
    fn outer(&self) -> u32 {
        u32::from(self.side) + 2 * u32::from(self.border)
    }
}

impl Atlas {
    /// Places the lightmaps of a level.
    pub(super) fn arrange(level: &pmf::Level) -> Self {
        let mut atlas = Self::default();
        let mut luxels_left = MAX_BORDER_LUXELS;
        for chunk in &level.chunks {
            atlas.first_slots.push(atlas.slots.len() as u32);
            let client = chunk.data.as_ref().and_then(|data| data.client.as_ref());
            let lightmaps = client.map_or(&[][..], |client| &client.lightmaps);
            let beyond = chunk.data.as_deref().map(overhangs).unwrap_or_default();
            atlas
                .slots
                .extend(lightmaps.iter().zip(beyond).map(|(map, beyond)| {
                    let side = map.side().min(MAX_SIDE);
                    // Less than a tenth of a luxel is invisible.
                    let wanted = (beyond * side as f32 - 0.1).ceil().max(0.0) as u32;
                    let wanted = wanted.min((MAX_SIDE - side) / 2);
                    let more = (side + 2 * wanted).pow(2) - side.pow(2);
                    let more = (more <= luxels_left).then_some((wanted, more));
                    let (wider, luxels) = more.unwrap_or_default();
                    luxels_left -= luxels;
                    Slot {
                        side: side as u16,
                        border: BORDER + wider as u16,
                        ..Slot::default()
                    }
                }));
        }
        atlas.first_slots.push(atlas.slots.len() as u32);
        atlas.place();
        atlas
    }

    /// Places the slots in rows, the largest first.
    fn place(&mut self) {
        let areas = self.slots.iter().map(|slot| u64::from(slot.outer()).pow(2));
        let area = areas.sum::<u64>() + u64::from(WHITE_SIDE).pow(2);
        let widest = self.slots.iter().map(Slot::outer).max().unwrap_or(0);
        let side = (area.isqrt() + 1).next_power_of_two();
        let least = (widest + WHITE_SIDE).next_power_of_two();
        let width = (side.min(MAX_PAGE_SIDE.into()) as u32).max(least);
        let mut order: Vec<u32> = (0..self.slots.len() as u32).collect();
        order.sort_by_key(|index| {
            let slot = self.slots.get(*index as usize);
            std::cmp::Reverse(slot.map_or(0, Slot::outer))
        });
        // Next position, and the height of its row.
        let (mut page, mut x, mut y, mut height) = (0_u16, WHITE_SIDE, 0, WHITE_SIDE);
        for index in order {
            let Some(slot) = self.slots.get_mut(index as usize) else {
                continue;
            };
            let side = slot.outer();
            let border = u32::from(slot.border);
            if x + side > width {
                (x, y, height) = (0, y + height, 0);
            }
            if y + side > MAX_PAGE_SIDE {
                self.pages.push([width, y.next_multiple_of(4)]);
                (page, x, y, height) = (page + 1, WHITE_SIDE, 0, WHITE_SIDE);
            }
            (slot.page, slot.x, slot.y) = (page, (x + border) as u16, (y + border) as u16);
            x += side;
            height = height.max(side);
        }
        self.pages.push([width, (y + height).next_multiple_of(4)]);
    }

    /// Returns the slots of a chunk by its number in the level.
    pub fn slots(&self, chunk: usize) -> &[Slot] {
        let range = |first: &u32, end: &u32| *first as usize..*end as usize;
        match self.first_slots.get(chunk..) {
            Some([first, end, ..]) => self.slots.get(range(first, end)).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Converts a lightmap coordinate to a position on a page of this size, as two fractions of
    /// 65535. Without a slot, this is the white square. Positions outside the lightmap lie on its
    /// border or are clamped to it.
    pub(super) fn uv(page: [u32; 2], slot: Option<&Slot>, uv: [f32; 2]) -> [u16; 2] {
        let corner = slot.map_or([0; 2], |slot| [slot.x, slot.y]);
        std::array::from_fn(|axis| {
            let luxel = match slot {
                Some(slot) => {
                    let side = f32::from(slot.side);
                    let beyond = f32::from(slot.border.saturating_sub(BORDER));
                    let luxel = (uv[axis] * side).clamp(-beyond, side + beyond);
                    f32::from(corner[axis]) + luxel
                }
                None => WHITE_SIDE as f32 * 0.5,
            };
            // Rounds; all values here are non-negative.
            (luxel / page[axis] as f32 * f32::from(u16::MAX) + 0.5) as u16
        })
    }

    /// Paints a lightmap of a chunk, or returns `None` if it does not exist.
    pub(super) fn paint(
        &self,
        level: &pmf::Level,
        chunk: usize,
        lightmap: usize,
        intensity: Intensity<'_>,
    ) -> Option<PaintedLightmap> {
        let slot = self.slots(chunk).get(lightmap)?;
        let data = level.chunks.get(chunk)?.data.as_ref()?;
        let lit = lit_luxels(data, lightmap, intensity)?;
        Some(PaintedLightmap {
            page: slot.page,
            corner: [slot.x, slot.y].map(|at| u32::from(at - slot.border)),
            side: slot.outer(),
            luxels: with_border(*slot, &lit),
        })
    }

    /// Heap size in bytes.
    pub(super) fn cpu_bytes(&self) -> usize {
        size_of_val(self.slots.as_slice()) + size_of_val(self.first_slots.as_slice())
    }
}

/// Distance by which faces extend past each lightmap of a chunk, in sides of the lightmap.
fn overhangs(data: &pmf::ChunkData) -> Vec<f32> {
    let Some(client) = &data.client else {
        return Vec::new();
    };
    let mut beyond = vec![0.0_f32; client.lightmaps.len()];
    for (_, geometry) in drawn_geometry(data) {
        for face in geometry.faces() {
            let lightmap = geometry.lightmaps.get(face.side).copied();
            let of_map = lightmap.and_then(|lightmap| beyond.get_mut(usize::from(lightmap)));
            let range = face.vertices.start as usize..face.vertices.end as usize;
            let (Some(of_map), Some(corners)) = (of_map, client.vertices.get(range)) else {
                continue;
            };
            for at in corners.iter().flat_map(|corner| corner.lightmap_uv) {
                *of_map = of_map.max(-at).max(at - 1.0);
            }
        }
    }
    beyond
}

/// Light, and the number of luxels on each side.
struct LitLuxels {
    side: usize,
    rgb: Vec<u8>,
}

/// Returns a lightmap with its active dynamic lights. Each adds its luxels times its colour (fact
/// sheet B16), scaled by its brightness. The sum is clamped to white (B15).
fn lit_luxels(
    data: &pmf::ChunkData,
    lightmap: usize,
    intensity: Intensity<'_>,
) -> Option<LitLuxels> {
    let client = data.client.as_ref()?;
    let map = client.lightmaps.get(lightmap)?;
    let mut rgb = map.luxels.clone();
    for (light, look) in data.dynamic_lights.iter().zip(&client.dynamic_lights) {
        let of_map = |layer: &&pmf::LightLayer| usize::from(layer.lightmap) == lightmap;
        for layer in look.layers.iter().filter(of_map) {
            let intensity = u32::from(intensity(light));
            if intensity == 0 {
                break;
            }
            for (luxel, more) in rgb.chunks_exact_mut(3).zip(layer.luxels.chunks_exact(3)) {
                for ((channel, more), color) in luxel.iter_mut().zip(more).zip(look.color) {
                    let more = u32::from(*more) * u32::from(color) * intensity;
                    *channel = channel.saturating_add(((more + 255 * 127) / (255 * 255)) as u8);
                }
            }
        }
    }
    Some(LitLuxels {
        side: map.side() as usize,
        rgb,
    })
}

/// Returns the luxels of a lightmap with its border, as RGBA bytes.
fn with_border(slot: Slot, lit: &LitLuxels) -> Vec<u8> {
    let side = usize::from(slot.side);
    let outer = slot.outer() as usize;
    let mut luxels = vec![u8::MAX; outer * outer * 4];
    let step = lit.side / side.max(1);
    if step == 0 {
        return luxels;
    }
    let border = usize::from(slot.border);
    // Border luxels map to the nearest edge luxel.
    let inside = |at: usize| at.saturating_sub(border).min(side - 1);
    for (row, out) in luxels.chunks_exact_mut(outer * 4).enumerate() {
        for (column, out) in out.chunks_exact_mut(4).enumerate() {
            let luxel = lit.mean(inside(column) * step, inside(row) * step, step);
            out[..3].copy_from_slice(&luxel);
        }
    }
    luxels
}

impl LitLuxels {
    /// Averages a square of luxels.
    fn mean(&self, left: usize, top: usize, side: usize) -> [u8; 3] {
        let row = |y: usize| {
            let first = (y * self.side + left) * 3;
            self.rgb.get(first..first + side * 3).unwrap_or_default()
        };
        if let ([r, g, b], 1) = (row(top), side) {
            return [*r, *g, *b];
        }
        let mut sums = [0_u64; 3];
        for luxel in (top..top + side).flat_map(|y| row(y).chunks_exact(3)) {
            for (sum, channel) in sums.iter_mut().zip(luxel) {
                *sum += u64::from(*channel);
            }
        }
        let count = (side * side) as u64;
        sums.map(|sum| ((sum + count / 2) / count) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_formats::pmf::Lightmap;

    /// A level of one chunk with lightmaps of these sides, all luxels distinct.
    fn level(exponents: &[u8]) -> pmf::Level {
        let mut level = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1)
            .levels
            .remove(0);
        let data = level.chunks[0].data.as_mut().unwrap();
        let client = data.client.as_mut().unwrap();
        client.lightmaps = exponents
            .iter()
            .map(|exponent| Lightmap {
                exponent: *exponent,
                luxels: (0..3_u32 << (2 * exponent))
                    .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
                    .collect(),
            })
            .collect();
        client.dynamic_lights.clear();
        data.dynamic_lights.clear();
        level
    }

    fn lightmaps(level: &pmf::Level) -> &[Lightmap] {
        let data = level.chunks[0].data.as_ref().unwrap();
        &data.client.as_ref().unwrap().lightmaps
    }

    /// A page with all its lightmaps, as RGBA bytes.
    fn page(atlas: &Atlas, level: &pmf::Level, intensity: Intensity<'_>) -> Vec<u8> {
        let [width, height] = atlas.pages[0].map(|side| side as usize);
        let mut page = vec![u8::MAX; width * height * 4];
        for lightmap in 0..atlas.slots(0).len() {
            let painted = atlas.paint(level, 0, lightmap, intensity).unwrap();
            let [x, y] = painted.corner.map(|at| at as usize);
            let rows = painted.luxels.chunks_exact(painted.side as usize * 4);
            for (row, luxels) in (y..).zip(rows) {
                let first = (row * width + x) * 4;
                page[first..first + luxels.len()].copy_from_slice(luxels);
            }
        }
        page
    }

    /// The value of a GPU texture read at a position in luxels, with bilinear filtering.
    fn filtered(luxel: impl Fn(i64, i64) -> f32, [x, y]: [f32; 2]) -> f32 {
        let [x, y] = [x - 0.5, y - 0.5];
        let (column, row) = (x.floor() as i64, y.floor() as i64);
        let (right, down) = (x - x.floor(), y - y.floor());
        let [top, bottom] = [row, row + 1]
            .map(|row| luxel(column, row) * (1.0 - right) + luxel(column + 1, row) * right);
        top * (1.0 - down) + bottom * down
    }

    #[test]
    fn lightmaps_do_not_overlap_and_stay_on_their_page() {
        let many = [vec![6; 40], vec![0; 30], vec![10, 11, 11, 11, 11, 11, 3]].concat();
        for exponents in [vec![], vec![0], vec![5, 5], many] {
            let atlas = Atlas::arrange(&level(&exponents));
            let mut taken: Vec<Vec<bool>> = atlas
                .pages
                .iter()
                .map(|[w, h]| vec![false; (w * h) as usize])
                .collect();
            for (page, [width, height]) in atlas.pages.iter().enumerate() {
                assert!(*width <= MAX_PAGE_SIDE && *height <= MAX_PAGE_SIDE);
                for i in 0..WHITE_SIDE * WHITE_SIDE {
                    taken[page][(i / WHITE_SIDE * width + i % WHITE_SIDE) as usize] = true;
                }
            }
            assert_eq!(atlas.slots(0).len(), exponents.len());
            for slot in atlas.slots(0) {
                let [width, height] = atlas.pages[usize::from(slot.page)];
                let side = u32::from(slot.side) + 2;
                let (left, top) = (u32::from(slot.x) - 1, u32::from(slot.y) - 1);
                assert!(left + side <= width && top + side <= height);
                for i in 0..side * side {
                    let at = (top + i / side) * width + left + i % side;
                    let taken = &mut taken[usize::from(slot.page)][at as usize];
                    assert!(!std::mem::replace(taken, true), "{slot:?}");
                }
            }
            assert!(atlas.slots(1).is_empty());
        }
    }

    #[test]
    fn filtering_on_a_page_is_as_on_the_lightmap_alone() {
        let level = level(&[2, 0, 3, 1]);
        let atlas = Atlas::arrange(&level);
        let [width, height] = atlas.pages[0];
        let page = page(&atlas, &level, &|_| 0);
        let on_page = |x: i64, y: i64| {
            f32::from(
                page[((y.clamp(0, i64::from(height) - 1) as u32 * width + x as u32) * 4) as usize],
            )
        };
        for (map, slot) in lightmaps(&level).iter().zip(atlas.slots(0)) {
            let side = i64::from(map.side());
            let alone = |x: i64, y: i64| {
                let at = y.clamp(0, side - 1) * side + x.clamp(0, side - 1);
                f32::from(map.luxels[at as usize * 3])
            };
            for uv in [[0.0, 0.0], [1.0, 1.0], [0.3, 0.9], [1.0, 0.5], [-3.0, 7.0]] {
                let expected = filtered(alone, uv.map(|x: f32| x.clamp(0.0, 1.0) * side as f32));
                let packed = Atlas::uv([width, height], Some(slot), uv);
                let share = packed.map(|share| f32::from(share) / 65535.0);
                let found = filtered(on_page, [share[0] * width as f32, share[1] * height as f32]);
                assert!((found - expected).abs() < 1.0, "{uv:?}: {found} {expected}");
            }
        }
        let white = Atlas::uv([width, height], None, [0.7, 0.1]);
        let share = white.map(|share| f32::from(share) / 65535.0);
        let found = filtered(on_page, [share[0] * width as f32, share[1] * height as f32]);
        assert_eq!(found, 255.0);
    }

    #[test]
    fn between_corners_beyond_a_lightmap_each_pixel_is_held_at_its_edge() {
        let mut level = level(&[3, 3]);
        let data = level.chunks[0].data.as_mut().unwrap();
        let client = data.client.as_mut().unwrap();
        let mut geometry = pmf::Geometry::new(0, 0, 0);
        geometry.lightmaps = [1; 6];
        geometry.triangles = [2, 0, 0, 0, 0, 0];
        let corner = |lightmap_uv| pmf::Vertex {
            position: [0.0; 3],
            uv: [0.0; 2],
            lightmap_uv,
        };
        // From half a lightmap before it to one and a half after it.
        let corners = [[-0.5, 0.5], [2.5, 0.5], [2.5, 1.0], [-0.5, 1.0]].map(corner);
        client.vertices = corners.to_vec();
        data.cubes = pmf::Cubes::default();
        data.cubes.push_geometry(geometry, &[]);
        data.cubes.link().unwrap();
        let atlas = Atlas::arrange(&level);
        let [other, slot] = atlas.slots(0) else {
            panic!("{atlas:?}");
        };
        assert_eq!((other.border, slot.border), (1, 13));
        let [width, height] = atlas.pages[0];
        let page = page(&atlas, &level, &|_| 0);
        let on_page = |x: i64, y: i64| {
            let y = y.clamp(0, i64::from(height) - 1) as u32;
            f32::from(page[((y * width + x as u32) * 4) as usize])
        };
        let luxels = &lightmaps(&level)[1].luxels;
        let alone =
            |x: i64, y: i64| f32::from(luxels[(y.clamp(0, 7) * 8 + x.clamp(0, 7)) as usize * 3]);
        let ends = [[-0.5, 0.5], [2.5, 0.5]].map(|uv| Atlas::uv([width, height], Some(slot), uv));
        for step in 0..=60 {
            let share = step as f32 / 60.0;
            let at: [f32; 2] = std::array::from_fn(|axis| {
                let [from, to] = ends.map(|end| f32::from(end[axis]) / 65535.0);
                (from + (to - from) * share) * [width, height][axis] as f32
            });
            let u: f32 = -0.5 + 3.0 * share;
            let expected = filtered(alone, [u.clamp(0.0, 1.0) * 8.0, 4.0]);
            let found = filtered(on_page, at);
            assert!((found - expected).abs() < 2.0, "{u}: {found} {expected}");
        }
        // A face that would exceed the budget is clamped to the edge at its corners.
        let data = level.chunks[0].data.as_mut().unwrap();
        data.client.as_mut().unwrap().vertices[1].lightmap_uv[0] = f32::INFINITY;
        let atlas = Atlas::arrange(&level);
        assert_eq!(atlas.slots(0)[1].border, 1 + 1020);
        assert!(atlas.pages[0].iter().all(|side| *side <= MAX_PAGE_SIDE));
    }

    #[test]
    fn dynamic_lights_are_added_as_far_as_they_shine() {
        let mut level = level(&[1, 0]);
        let data = level.chunks[0].data.as_mut().unwrap();
        data.dynamic_lights = vec![pmf::DynamicLight { flags: 0, id: 40 }];
        let client = data.client.as_mut().unwrap();
        client.lightmaps[1].luxels = vec![10, 20, 250];
        client.dynamic_lights = vec![pmf::ClientDynamicLight {
            color: [255, 51, 255],
            layers: vec![pmf::LightLayer {
                lightmap: 1,
                luxels: vec![5, 100, 100],
            }],
        }];
        let atlas = Atlas::arrange(&level);
        let painted = |lightmap, intensity: u8| {
            let light = |light: &pmf::DynamicLight| {
                if light.id == 40 { intensity } else { 0 }
            };
            atlas.paint(&level, 0, lightmap, &light).unwrap()
        };
        assert_eq!(painted(0, 0), painted(0, 255));
        let bright = painted(1, 255);
        assert_eq!(
            (bright.side, bright.luxels),
            (3, [15, 40, 255, 255].repeat(9))
        );
        assert_eq!(painted(1, 0).luxels, [10, 20, 250, 255].repeat(9));
        assert_eq!(painted(1, 51).luxels, [11, 24, 255, 255].repeat(9));
        // As on the page.
        let page = page(&atlas, &level, &|_| 255);
        let corner = bright.corner;
        let at = (corner[1] * atlas.pages[0][0] + corner[0]) as usize * 4;
        assert_eq!(page[at..at + 4], [15, 40, 255, 255]);
        assert_eq!(atlas.paint(&level, 0, 2, &|_| 255), None);
    }

    #[test]
    fn large_lightmaps_are_made_smaller() {
        let level = level(&[12]);
        let atlas = Atlas::arrange(&level);
        let slot = atlas.slots(0)[0];
        assert_eq!(slot.side, 2048);
        let page = page(&atlas, &level, &|_| 0);
        let luxels = &lightmaps(&level)[0].luxels;
        let mean = [0, 1, 4096, 4097].map(|luxel| u32::from(luxels[luxel * 3]));
        let at = (u32::from(slot.y) * atlas.pages[0][0] + u32::from(slot.x)) as usize * 4;
        assert_eq!(u32::from(page[at]), (mean.iter().sum::<u32>() + 2) / 4);
    }
}
