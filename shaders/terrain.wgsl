// Terrain: tops, sides, far chunks, water. Appended to frame.wgsl, tile.wgsl, sky.wgsl and
// shadow.wgsl. `Map` and the shared constants are declared in
// `crates/render/src/kinds/terrain/gpu_data.rs`.
//
// Each class of faces has its own shader, because software renderers execute both sides of every
// branch:
// - level rectangles of one material
// - tops of one material
// - tops that mix a few materials
// - tops that mix many materials
// - sides
// - two kinds of far ground

// `true` if overlays, grids and highlights can be on.
override INSPECT: bool = false;
// `true` for rare features: holes in textures, accents of materials, ragged seams, and unknown
// blend modes.
override RICH: bool = false;
// `true` if shadows of the ground may fall on the faces.
override SHADED: bool = false;
// `true` if objects on the ground may cast shadows on the faces.
override IN_SHADOW: bool = false;
// `true` if water reflects a skybox.
override SKYBOX: bool = false;
// `true` if water also reflects the ground, from a mirrored render pass.
override PLANAR: bool = false;

// `true` if pixels have several samples. The centre of a pixel may then lie outside a face that
// covers some of its samples. Values that are invalid outside the face use `centroid`. Texture
// coordinates are clamped instead, because `centroid` would disturb their derivatives.
override SEVERAL_SAMPLES: bool = false;

// Overlap of level rectangles beyond their border, in tiles. It prevents cracks where a long edge
// meets several short ones.
const OVERLAP: f32 = 0.002;

@group(1) @binding(0) var<uniform> map: Map;
// One texel per `Tile` of the band.
@group(1) @binding(1) var tiles: texture_2d<u32>;
@group(1) @binding(2) var<storage, read> rects: array<u32>;
@group(1) @binding(3) var<storage, read> tops: array<u32>;
@group(1) @binding(4) var<storage, read> sides: array<u32>;
@group(1) @binding(5) var materials: texture_2d_array<f32>;
@group(1) @binding(6) var clamped: sampler;
@group(1) @binding(7) var noise: texture_2d<f32>;
@group(1) @binding(8) var repeated: sampler;
@group(1) @binding(9) var shadow: texture_2d<f32>;
@group(1) @binding(10) var overview: texture_2d<f32>;
// One byte per navigation cell, four cells per tile (`NavigationGrid::codes`). Until the overlay is
// switched on, the array has a single entry.
@group(2) @binding(0) var<storage, read> navigation: array<u32>;

// Index of a map tile in the bound buffers.
fn tile_index(tile: vec2i) -> u32 {
    return (u32(tile.y) - map.first_row) * map.size.x + u32(tile.x);
}

fn tile_at(at: vec2i) -> Tile {
    let index = tile_index(clamp(at, vec2i(0), vec2i(map.size) - 1));
    return textureLoad(tiles, texel_of(index), 0).xy;
}

fn is_on_map(at: vec2i) -> bool {
    return all(at >= vec2i(0)) && all(at < vec2i(map.size));
}

// World position at a level, for a position in tiles from the north-west corner of the map.
fn world_at(at: vec2f, level: f32) -> vec3f {
    return vec3f(map.north_west.x - at.x * TILE_SIDE, level * LEVEL_HEIGHT, map.north_west.y + at.y * TILE_SIDE);
}

fn chunk_origin(chunk: u32) -> vec2u {
    let cols = map.size.x / CHUNK_SIDE;
    return vec2u(chunk % cols, chunk / cols) * CHUNK_SIDE;
}

// Clamps a position to a rectangle if pixels have several samples. Both are in tiles.
fn within(at: vec2f, first: vec2f, last: vec2f) -> vec2f {
    if SEVERAL_SAMPLES {
        return clamp(at, first, last);
    }
    return at;
}

fn on_tile(uv: vec2f) -> vec2f {
    return within(uv, vec2f(0.0), vec2f(1.0));
}

// Corners of a quad as two triangles: north-west, north-east, south-west; north-east, south-east,
// south-west.
fn quad_corner(vertex: u32) -> vec2u {
    return vec2u((0x1au >> vertex) & 1u, (0x34u >> vertex) & 1u);
}

// ---- Materials -----------------------------------------------------------------------------

// One bit each for the west and the north edge of a cell in the infinite grid of texture tiles. The
// bit selects the patch that covers the edge, out of two.
fn edge_colors(cell: vec2i) -> vec2u {
    var h = bitcast<u32>(cell.x) * 0x9e3779b1u ^ bitcast<u32>(cell.y) * 0x85ebca77u;
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    return vec2u((h >> 13u) & 1u, (h >> 21u) & 1u);
}

// North-west corner of a cell's texture tile in the atlas of its material, relative to the size of
// the atlas. See `crates/scene/src/kinds/terrain/patchwork.rs`.
fn atlas_corner(cell: vec2i) -> vec2f {
    let here = edge_colors(cell);
    let east = edge_colors(cell + vec2i(1, 0)).x;
    let south = edge_colors(cell + vec2i(0, 1)).y;
    let index = here.y * 8u + east * 4u + south * 2u + here.x;
    return (vec2f(0.0, f32(index) * ATLAS_CELL) + ATLAS_GUARD) / ATLAS_SIZE;
}

// Size of a texture tile, relative to the size of the atlas.
const CORE: vec2f = ATLAS_CORE / ATLAS_SIZE;

fn sample_material(layer: u32, place: vec2f, lod: f32) -> vec4f {
    return textureSampleLevel(materials, clamped, place, layer, lod);
}

// Binary logarithm with an error below 0.1, from the exponent and a linear approximation of the
// mantissa.
fn quick_log2(x: f32) -> f32 {
    return f32(bitcast<i32>(x)) * exp2(-23.0) - 127.0;
}

// Mip level for the shorter side of a pixel's footprint in the texture. It is at most 1.3 levels
// sharper than the longer side requires.
fn texture_lod(dx: vec2f, dy: vec2f) -> f32 {
    let a = dot(dx, dx);
    let b = dot(dy, dy);
    let footprint = max(min(a, b), max(a, b) / 6.0);
    let lod = 0.5 * quick_log2(max(footprint, 1e-12)) + log2(ATLAS_CORE);
    // Neighbouring levels blend over a third of their range. Elsewhere, one lookup is enough.
    let whole = floor(lod);
    return whole + clamp((lod - whole - 0.5) * 3.0 + 0.5, 0.0, 1.0);
}

// Colour of a layer's material, with patches of its accent material. `accent_noise` is from 0 to 1.
fn material_at(layer: u32, place: vec2f, lod: f32, accent_noise: f32) -> vec4f {
    let color = sample_material(layer, place, lod);
    if RICH {
        let accent = (map.accents[layer >> 4u][(layer >> 2u) & 3u] >> ((layer & 3u) * 8u)) & 255u;
        if accent != layer {
            let over = sample_material(accent, place, lod);
            return mix(color, over, clamp(accent_noise * ACCENT_SLOPE - ACCENT_START, 0.0, 1.0));
        }
    }
    return color;
}

// Colour of a mix of materials. Discards the pixel if at least half of the mix is a hole (fact
// sheet A7).
fn albedo_of(mixed: vec4f) -> vec3f {
    if RICH {
        if mixed.a <= 0.5 {
            discard;
        }
        return mixed.rgb * mixed.a;
    }
    return mixed.rgb;
}

// Noise for bumps, seams and patches. The texture repeats in each chunk.
fn noise_at(at: vec2f) -> vec4f {
    return textureSampleLevel(noise, repeated, at / f32(CHUNK_SIDE), 0.0);
}

// ---- Light ---------------------------------------------------------------------------------

// Ambient light at a height, and direct light on a face toward the sun (fact sheet A10).
fn ambient_light(world_y: f32) -> vec3f {
    return (0.7 + 0.03 * (world_y / LEVEL_HEIGHT)) * frame.ambient_color.rgb;
}

fn direct_light() -> vec3f {
    return 0.9 * frame.light_color.rgb;
}

// Brightness factor for a share of sunlight.
fn shadow_factor(sunlit: f32) -> f32 {
    return mix(SHADOW_LIGHT, 1.0, sunlit);
}

// Lights a colour like the engine (fact sheet A10).
fn lit(albedo: vec3f, normal: vec3f, world_y: f32, sunlit: f32) -> vec3f {
    let light = ambient_light(world_y) + max(dot(normal, map.sun.xyz), 0.0) * direct_light();
    return albedo * light * shadow_factor(sunlit);
}

// Share of sunlight with all shadows: of the ground, and of the objects on it.
fn sunlight_on(at: vec2f, world_y: f32, normal: vec3f) -> f32 {
    var place = vec3f(0.0);
    if IN_SHADOW {
        place = shadow_place(world_at(at, world_y / LEVEL_HEIGHT), normal);
    }
    return sunlight_at(at, world_y, place);
}

// The same for a known position in the shadow map.
fn sunlight_at(at: vec2f, world_y: f32, place: vec3f) -> f32 {
    var light = 1.0;
    if SHADED {
        light = sunlight(at, world_y);
    }
    if IN_SHADOW {
        light = min(light, cast_light_at(place));
    }
    return light;
}

// Share of sunlight with the shadow of the ground only: 1 in the sun, 0 in the shadow. `at` is in
// tiles from the north-west corner of the map.
fn sunlight(at: vec2f, world_y: f32) -> f32 {
    let edge = textureSampleLevel(shadow, clamped, at * map.per_tile, 0.0).x;
    return above_shadow(world_y, map.shadow_heights.x + edge * map.shadow_heights.y);
}

// Strength with which the noise tilts the normals of a tile (fact sheet A9).
fn bumpiness(tile: Tile) -> f32 {
    return select(0.0, 0.107, tile_bump(tile));
}

fn tilt_of(noise_here: vec4f) -> vec2f {
    return noise_here.xy * 2.0 - 1.0;
}

// Tilts a normal by the noise, if the tile is bumpy.
fn bumped(tile: Tile, normal: vec3f, noise_here: vec4f) -> vec3f {
    let tilt = tilt_of(noise_here);
    return normalize(normal + bumpiness(tile) * vec3f(tilt.x, 1.0, tilt.y));
}

// 1 for faces toward the sun, 0 for faces away from it. The latter are in their own shadow.
fn faces_sun(normal: vec3f) -> f32 {
    return smoothstep(-0.01, 0.04, dot(normal, map.sun.xyz));
}

// ---- Overlays ------------------------------------------------------------------------------

fn type_color(kind: u32) -> vec3f {
    return TYPE_COLORS[min(kind, TILE_TYPES)];
}

// Colour ramp from the lowest to the highest level.
fn height_color(world_y: f32) -> vec3f {
    let t = clamp((world_y / LEVEL_HEIGHT - map.levels.x) / max(map.levels.y - map.levels.x, 1.0), 0.0, 1.0);
    let low = mix(HEIGHT_COLORS[0], HEIGHT_COLORS[1], clamp(t * 3.0, 0.0, 1.0));
    let high = mix(low, HEIGHT_COLORS[2], clamp(t * 3.0 - 1.0, 0.0, 1.0));
    return mix(high, HEIGHT_COLORS[3], clamp(t * 3.0 - 2.0, 0.0, 1.0));
}

// Colour of the navigation cell at a position in tiles from the corner of the map. Impassable cells
// are hatched, and all cells have a border in their own colour, as in the engine.
fn navigation_color(at: vec2f, albedo: vec3f, dx: vec2f, dy: vec2f) -> vec3f {
    let tile = clamp(vec2i(floor(at)), vec2i(0), vec2i(map.size) - 1);
    let index = tile_index(tile);
    if index >= arrayLength(&navigation) {
        return albedo;
    }
    let in_tile = vec2u(clamp(floor((at - vec2f(tile)) * 2.0), vec2f(0.0), vec2f(1.0)));
    let code = (navigation[index] >> (8u * (in_tile.y * 2u + in_tile.x))) & 255u;
    let mark = NAVIGATION_COLORS[code];
    let pixels = 0.5 / max(abs(dx) + abs(dy), vec2f(1e-6));
    var result = mix(albedo, mark, 0.6);
    if code >= OPEN_CELLS {
        // Two stripes per cell, if they are wide enough.
        let stripes = abs(fract((at.x + at.y) * 2.0) - 0.5) * 4.0 - 1.0;
        let room = smoothstep(5.0, 12.0, min(pixels.x, pixels.y));
        result *= 1.0 - 0.35 * room * clamp(stripes * 2.0 + 0.5, 0.0, 1.0);
    }
    return mix(result, mark * 0.7, 0.75 * grid_line(at * 2.0, pixels, 1.5));
}

// Colour of a surface in the active overlay, with faint shading to keep the shape recognisable.
fn overlay_color(
    tile: Tile, albedo: vec3f, normal: vec3f, world_y: f32, at_map: vec2f, dx: vec2f, dy: vec2f,
) -> vec3f {
    let shade = 0.45 + 0.55 * clamp(dot(normal, normalize(vec3f(0.5, 0.75, 0.3))), 0.0, 1.0);
    // Unreadable tiles have no height and no flags, so their type is shown instead.
    let unread = tile_kind(tile) >= TILE_TYPES && map.surface != SURFACE_NORMALS && map.surface != SURFACE_UNLIT;
    switch select(map.surface, SURFACE_TYPES, unread) {
        case SURFACE_TYPES: { return type_color(tile_kind(tile)) * shade; }
        case SURFACE_PATHABLE: {
            let mark = select(BARRED_COLOR, WALKABLE_COLOR, tile_is_walkable(tile));
            return mix(albedo, mark, 0.6) * shade;
        }
        case SURFACE_NAVIGATION: {
            // Sides are not walkable, and `at_map` is not a map position there.
            if normal.y == 0.0 {
                return albedo * shade;
            }
            return navigation_color(at_map, albedo, dx, dy) * shade;
        }
        case SURFACE_COVER: { return mix(albedo, COVER_COLORS[tile_cover(tile)], 0.6) * shade; }
        case SURFACE_HEIGHT: { return height_color(world_y) * shade; }
        case SURFACE_NORMALS: { return normalize(normal) * 0.5 + 0.5; }
        default: { return albedo; }
    }
}

// Strength of grid lines that are `width` pixels wide. The grid unit is 1 in `at`.
fn grid_line(at: vec2f, pixels_per_unit: vec2f, width: f32) -> f32 {
    let to_border = (0.5 - abs(fract(at) - 0.5)) * pixels_per_unit;
    let nearest = min(to_border.x, to_border.y);
    // Lines fade before cells shrink to a few pixels.
    let room = smoothstep(3.0, 10.0, min(pixels_per_unit.x, pixels_per_unit.y));
    return (1.0 - smoothstep(width * 0.5, width * 0.5 + 1.0, nearest)) * room;
}

fn marked(color: vec3f, tile: Tile, at_map: vec2f, dx: vec2f, dy: vec2f) -> vec3f {
    var result = color;
    if map.highlight != NOTHING {
        let by_layer = (map.highlight & HIGHLIGHT_LAYER) != 0u;
        let layer = tile_top_layer(tile) | HIGHLIGHT_LAYER;
        let chosen = select(tile_kind(tile), layer, by_layer) == map.highlight;
        result = select(result * 0.55, mix(result, HIGHLIGHT_COLOR, 0.55), chosen);
    }
    if map.lines != 0u {
        let pixels = 1.0 / max(abs(dx) + abs(dy), vec2f(1e-6));
        if (map.lines & LINES_TILES) != 0u {
            result = mix(result, vec3f(0.0), 0.55 * grid_line(at_map, pixels, 1.0));
        }
        if (map.lines & LINES_CHUNKS) != 0u {
            let line = grid_line(at_map / f32(CHUNK_SIDE), pixels * f32(CHUNK_SIDE), 2.0);
            result = mix(result, CHUNK_BORDER_COLOR, line);
        }
    }
    return result;
}

// Colour of a surface with the active overlays, lines and highlights.
fn inspected(
    lit_color: vec3f, albedo: vec3f, normal: vec3f, tile: Tile, at_map: vec2f, world_y: f32,
    dx: vec2f, dy: vec2f,
) -> vec3f {
    if !INSPECT {
        return lit_color;
    }
    var color = lit_color;
    if map.surface != SURFACE_LIT {
        color = overlay_color(tile, albedo, normal, world_y, at_map, dx, dy);
    }
    return marked(color, tile, at_map, dx, dy);
}

// Average colour of distant ground, without detail.
fn overview_albedo(at_map: vec2f, dx: vec2f, dy: vec2f) -> vec3f {
    let a = dot(dx, dx);
    let b = dot(dy, dy);
    let lod = 0.5 * quick_log2(max(min(a, b), max(a, b) / 16.0) + 1e-12) + log2(map.overview_scale);
    return textureSampleLevel(overview, clamped, at_map * map.per_tile, lod).rgb;
}

// ---- Level rectangles ----------------------------------------------------------------------

// Most of the ground is level. Values that are constant over a rectangle are computed per vertex,
// because on software renderers each uniform that a fragment reads costs time.
struct Rect {
    @builtin(position) clip: vec4f,
    // Position in tiles from the north-west corner of the chunk.
    @location(0) at: vec2f,
    // The first and the last tile, relative to the chunk.
    @location(1) @interpolate(flat) first: vec2f,
    @location(2) @interpolate(flat) last: vec2f,
    // Position of the chunk on the map, in tiles.
    @location(3) @interpolate(flat) origin: vec2f,
    // First word of the tile record, which all its tiles share, and their layer.
    @location(4) @interpolate(flat) tile: Tile,
    @location(5) @interpolate(flat) world_y: f32,
    @location(6) @interpolate(flat) ambient: vec3f,
    @location(7) @interpolate(flat) direct: vec3f,
    // Coefficients of the direct light, where the noise tilts the normal by `tilt`. The light is
    // dot(xyz, (1, tilt)), reduced by the share w * dot(tilt, tilt).
    @location(8) @interpolate(flat) facing_sun: vec4f,
    // Position in the shadow map.
    @location(9) @interpolate(perspective, centroid) shadow_place: vec3f,
}

@vertex
fn vs_rect(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
    @location(0) chunk: u32,
) -> Rect {
    let rect = rects[instance];
    let first = vec2u(col_bits(rect), row_bits(rect));
    let size = vec2f(vec2u(width_bits(rect), height_bits(rect)) + 1u);
    let corner = vec2f(quad_corner(vertex));
    let origin = chunk_origin(chunk);
    let tile = tile_at(vec2i(origin + first));
    let at = vec2f(first) - OVERLAP + corner * (size + 2.0 * OVERLAP);
    let world = world_at(vec2f(origin) + at, f32(tile_base(tile)));
    var place = vec3f(0.0);
    if IN_SHADOW {
        place = shadow_place(world, vec3f(0.0, 1.0, 0.0));
    }
    // Divided by the length of the untilted normal, because `light_on_rect` does not normalise.
    let tilt = bumpiness(tile) / (1.0 + bumpiness(tile));
    return Rect(
        frame.clip_from_world * vec4f(world, 1.0),
        at,
        vec2f(first),
        vec2f(first) + size - 1.0,
        vec2f(origin),
        Tile(tile.x, tile_top_layer(tile)),
        world.y,
        ambient_light(world.y),
        direct_light(),
        vec4f(map.sun.y, tilt * map.sun.xz, 0.5 * tilt * tilt),
        place,
    );
}

// Light at a position on a rectangle.
fn light_on_rect(in: Rect, at_map: vec2f, noise_here: vec4f) -> vec3f {
    let tilt = tilt_of(noise_here);
    let facing = in.facing_sun.x + dot(in.facing_sun.yz, tilt);
    let direct = max(facing - facing * in.facing_sun.w * dot(tilt, tilt), 0.0);
    let sunlit = sunlight_at(at_map, in.world_y, in.shadow_place);
    return (in.ambient + direct * in.direct) * shadow_factor(sunlit);
}

@fragment
fn fs_rect(in: Rect) -> @location(0) vec4f {
    let dx = dpdx(in.at);
    let dy = dpdy(in.at);
    let here = within(in.at, in.first - OVERLAP, in.last + 1.0 + OVERLAP);
    let cell = clamp(floor(here), in.first, in.last);
    let noise_here = noise_at(here);
    let place = atlas_corner(vec2i(in.origin + cell)) + (here - cell) * CORE;
    let albedo = albedo_of(material_at(in.tile.y, place, texture_lod(dx, dy), noise_here.z));
    let at_map = in.origin + here;
    let color = albedo * light_on_rect(in, at_map, noise_here);
    let up = vec3f(0.0, 1.0, 0.0);
    return vec4f(inspected(color, albedo, up, in.tile, at_map, in.world_y, dx, dy), 1.0);
}

// ---- Tops ----------------------------------------------------------------------------------

struct Top {
    @builtin(position) clip: vec4f,
    // Position in tiles from the north-west corner of the tile.
    @location(0) uv: vec2f,
    @location(1) @interpolate(perspective, centroid) world_y: f32,
    @location(2) @interpolate(perspective, centroid) normal: vec3f,
    // Normal of the tile half with this triangle, for tiles that do not blend their normals.
    @location(3) @interpolate(flat) facet: vec3f,
    // Position of the tile on the map.
    @location(4) @interpolate(flat) at: vec2f,
    // Position of the tile's texture in the atlas.
    @location(5) @interpolate(flat) corner: vec2f,
    // First word of the tile's record, and the layer of the tile half with this triangle.
    @location(6) @interpolate(flat) tile: Tile,
    @location(7) @interpolate(perspective, centroid) shadow_place: vec3f,
}

// Position of one of the nine points of a tile: clockwise from the south-west corner, then the
// centre. A triangle connects a point with the next one and the centre. Its flat values come from
// the first point.
fn point_at(point: u32) -> vec2f {
    if point == 8u {
        return vec2f(0.5);
    }
    // Packed doubled coordinates of the first eight points: x 0 0 0 1 2 2 2 1, y 2 1 0 0 0 1 2 2.
    return vec2f(vec2u((0x6a40u >> (point * 2u)) & 3u, (0xa406u >> (point * 2u)) & 3u)) * 0.5;
}

// The edge of the triangle that starts at a point.
fn edge_of(point: u32) -> u32 {
    return ((point >> 1u) + 3u) & 3u;
}

fn both_normals(tile: Tile) -> vec3f {
    return tile_normal(tile, 0u) + tile_normal(tile, 1u);
}

// Sum of the two normals of a tile at one of its corners; 0 outside the map.
fn corner_normals(at: vec2i, corner: u32) -> vec3f {
    let tile = tile_at(at);
    let halves = tile_halves_at(tile, corner);
    let sum = tile_normal(tile, halves.x) + tile_normal(tile, halves.y);
    return select(vec3f(0.0), sum, is_on_map(at));
}

// Normal of one of the nine points of a tile that blends its normals with its neighbours (fact
// sheet A9).
fn blended_normal(at: vec2i, tile: Tile, point: u32) -> vec3f {
    if point == 8u {
        return normalize(both_normals(tile));
    }
    if (point & 1u) == 1u {
        let beyond = at + edge_step(edge_of(point));
        let other = select(vec3f(0.0), both_normals(tile_at(beyond)), is_on_map(beyond));
        return normalize(both_normals(tile) + other);
    }
    // Corners 0 to 3 (see `tile_halves_at`) of the four tiles that meet at the point.
    let south_east = at + vec2i(point_at(point));
    return normalize(
        corner_normals(south_east, 0u)
        + corner_normals(south_east + vec2i(-1, 0), 1u)
        + corner_normals(south_east + vec2i(0, -1), 2u)
        + corner_normals(south_east + vec2i(-1, -1), 3u)
    );
}

@vertex
fn vs_top(
    @builtin(vertex_index) point: u32,
    @builtin(instance_index) instance: u32,
    @location(0) chunk: u32,
) -> Top {
    return top_at(point, instance, chunk);
}

fn top_at(point: u32, instance: u32, chunk: u32) -> Top {
    let reference = (tops[instance >> 1u] >> ((instance & 1u) * 16u)) & 0xffffu;
    let at = vec2i(chunk_origin(chunk) + vec2u(col_bits(reference), row_bits(reference)));
    let tile = tile_at(at);
    let uv = point_at(point);
    let world = world_at(vec2f(at) + uv, tile_level_at(tile, uv));
    let half = tile_half_on(tile, edge_of(point));
    let facet = tile_normal(tile, half);
    var normal = facet;
    if tile_blends_normals(tile) {
        normal = blended_normal(at, tile, point);
    }
    let layer = tile_half_layer(tile, half);
    let clip = frame.clip_from_world * vec4f(world, 1.0);
    var place = vec3f(0.0);
    if IN_SHADOW {
        place = shadow_place(world, normal);
    }
    let shown = Tile(tile.x, layer);
    return Top(clip, uv, world.y, normal, facet, vec2f(at), atlas_corner(at), shown, place);
}

@fragment
fn fs_top(in: Top) -> @location(0) vec4f {
    let dx = dpdx(in.uv);
    let dy = dpdy(in.uv);
    let uv = on_tile(in.uv);
    let at_map = in.at + uv;
    let noise_here = noise_at(at_map);
    let place = in.corner + uv * CORE;
    let albedo = albedo_of(material_at(in.tile.y, place, texture_lod(dx, dy), noise_here.z));
    return shaded_top(in, at_map, albedo, noise_here, dx, dy);
}

// Applies light and overlays to the colour of a top.
fn shaded_top(top: Top, at_map: vec2f, albedo: vec3f, noise_here: vec4f, dx: vec2f, dy: vec2f) -> vec4f {
    let tile = top.tile;
    let normal = select(top.facet, top.normal, tile_blends_normals(tile));
    let sunlit = sunlight_at(at_map, top.world_y, top.shadow_place);
    let color = lit(albedo, bumped(tile, normal, noise_here), top.world_y, sunlit);
    return vec4f(inspected(color, albedo, normal, tile, at_map, top.world_y, dx, dy), 1.0);
}

// ---- Tops that mix materials ---------------------------------------------------------------

struct Mixed {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) @interpolate(perspective, centroid) world_y: f32,
    @location(2) @interpolate(perspective, centroid) normal: vec3f,
    @location(3) @interpolate(flat) facet: vec3f,
    @location(4) @interpolate(flat) at: vec2f,
    @location(5) @interpolate(flat) corner: vec2f,
    @location(6) @interpolate(flat) tile: Tile,
    @location(7) @interpolate(perspective, centroid) shadow_place: vec3f,
    // Up to four layers, one byte each. `count` is the number of layers.
    @location(8) @interpolate(flat) palette: u32,
    @location(9) @interpolate(flat) count: u32,
    // Weights of the layers at the centre of the tile, and coefficients of their bilinear change
    // toward the x edge, the y edge and the corner.
    @location(10) @interpolate(flat) weights: vec4f,
    @location(11) @interpolate(flat) weights_x: vec4f,
    @location(12) @interpolate(flat) weights_y: vec4f,
    @location(13) @interpolate(flat) weights_xy: vec4f,
    // The blend mode and the spilling layers, see `seams_of`.
    @location(14) @interpolate(flat) seams: u32,
}

// The quadrant of a tile that contains a triangle. It lies between an eastern or western edge and a
// northern or southern one.
struct Quadrant {
    edge_x: u32,
    edge_y: u32,
}

// The quadrant of the triangle that starts at a point.
fn quadrant_of(point: u32) -> Quadrant {
    let edge = edge_of(point);
    // Clockwise, each edge has two triangles. The quadrant of the first one has the previous edge
    // as its other edge, that of the second one the next edge.
    let other = select(edge + 1u, edge + 3u, (point & 1u) == 0u) & 3u;
    let along_x = edge == EAST || edge == WEST;
    return Quadrant(select(other, edge, along_x), select(edge, other, along_x));
}

fn corner_layers(tile: Tile, corner: u32) -> vec2u {
    let halves = tile_halves_at(tile, corner);
    return vec2u(tile_half_layer(tile, halves.x), tile_half_layer(tile, halves.y));
}

// The layers at the four control points of a quadrant (fact sheet A8).
struct Samples {
    // At the tile's centre.
    center: vec2u,
    // At the middle of the eastern or western edge, then of the northern or southern edge.
    middles: vec4u,
    // At the corner between these edges: two layers of each of the four tiles.
    corner_a: vec4u,
    corner_b: vec4u,
}

fn samples_of(tile: Tile, at: vec2i, quadrant: Quadrant) -> Samples {
    let edge_x = quadrant.edge_x;
    let edge_y = quadrant.edge_y;
    let step_x = edge_step(edge_x);
    let step_y = edge_step(edge_y);
    let has_x = is_on_map(at + step_x);
    let has_y = is_on_map(at + step_y);
    let tile_x = tile_at(at + step_x);
    let tile_y = tile_at(at + step_y);
    let tile_xy = tile_at(at + step_x + step_y);
    let corner = select(0u, 1u, edge_x == EAST) + select(0u, 2u, edge_y == SOUTH);

    let own = vec2u(tile_half_layer(tile, 0u), tile_half_layer(tile, 1u));
    let own_x = select(own.x, own.y, tile_half_on(tile, edge_x) == 1u);
    let own_y = select(own.x, own.y, tile_half_on(tile, edge_y) == 1u);
    let beyond_x = tile_half_layer(tile_x, tile_half_on(tile_x, edge_opposite(edge_x)));
    let beyond_y = tile_half_layer(tile_y, tile_half_on(tile_y, edge_opposite(edge_y)));
    // At the border of the map, the tile's own layers replace those of a missing neighbour. If the
    // diagonal tile is missing, the corner uses the layers of an edge.
    let other_x = select(own_x, beyond_x, has_x);
    let other_y = select(own_y, beyond_y, has_y);
    let corner_x = select(vec2u(own_x), corner_layers(tile_x, corner ^ 1u), has_x);
    let corner_y = select(vec2u(own_y), corner_layers(tile_y, corner ^ 2u), has_y);
    let pair = select(vec2u(own_y, other_y), vec2u(own_x, other_x), has_x);
    let corner_xy = select(pair, corner_layers(tile_xy, corner ^ 3u), has_x && has_y);
    let corner_own = corner_layers(tile, corner);
    return Samples(
        own, vec4u(own_x, other_x, own_y, other_y), vec4u(corner_own, corner_x),
        vec4u(corner_y, corner_xy),
    );
}

const NO_LAYER: u32 = 0xffffu;

// The lowest layer of the samples that is at least `least`, or NO_LAYER.
fn next_layer(samples: Samples, least: u32) -> u32 {
    let none = vec4u(NO_LAYER);
    let a = select(none, samples.middles, samples.middles >= vec4u(least));
    let b = select(none, samples.corner_a, samples.corner_a >= vec4u(least));
    let c = select(none, samples.corner_b, samples.corner_b >= vec4u(least));
    let d = select(none.xy, samples.center, samples.center >= vec2u(least));
    let lowest = min(min(a, b), min(c, d.xyxy));
    return min(min(lowest.x, lowest.y), min(lowest.z, lowest.w));
}

// Number of samples with a layer at each control point. The centre and both middles have two
// samples each, the corner has eight.
fn count_layer(samples: Samples, layer: u32) -> vec4u {
    let middles = select(vec4u(0u), vec4u(1u), samples.middles == vec4u(layer));
    let corners = select(vec4u(0u), vec4u(1u), samples.corner_a == vec4u(layer))
        + select(vec4u(0u), vec4u(1u), samples.corner_b == vec4u(layer));
    let center = select(vec2u(0u), vec2u(1u), samples.center == vec2u(layer));
    return vec4u(
        center.x + center.y, middles.x + middles.y, middles.z + middles.w,
        corners.x + corners.y + corners.z + corners.w,
    );
}

// Weight of one sample at each control point.
const SAMPLE_WEIGHTS: vec4f = vec4f(0.5, 0.5, 0.5, 0.125);

// Index plus one of the layer that spills in across an edge; 0 if none does. The neighbour must
// have the higher layer and request a seam at this edge. The blend mode of the tile itself is
// irrelevant (fact sheet A8).
fn layer_over(tile: Tile, at: vec2i, edge: u32) -> u32 {
    let beyond = at + edge_step(edge);
    let neighbor = tile_at(beyond);
    let facing = edge_opposite(edge);
    let own = tile_half_layer(tile, tile_half_on(tile, edge));
    let over = tile_half_layer(neighbor, tile_half_on(neighbor, facing));
    let spills = is_on_map(beyond) && tile_blend(neighbor, facing) == BLEND_EDGE && over > own;
    return select(0u, over + 1u, spills);
}

// Packs the blend mode in two bits, and the results of `layer_over` for both edges in nine bits
// each. A triangle needs both edges, because seams continue across the diagonals.
fn seams_of(mode: u32, over: vec2u) -> u32 {
    return mode | (over.x << 2u) | (over.y << 11u);
}

fn seam_mode(seams: u32) -> u32 { return seams & 3u; }
fn seam_over(seams: u32) -> vec2u { return (vec2u(seams) >> vec2u(2u, 11u)) & vec2u(511u); }

// Removes duplicates and the tile's own layer from the spilling layers, by setting them to 0.
fn others_over(own: u32, over: vec2u) -> vec2u {
    let x = select(over.x, 0u, over.x == own + 1u);
    return vec2u(x, select(over.y, 0u, over.y == own + 1u || over.y == x));
}

// Index plus one of the spilling layer at a position; 0 if none spills that far. `w` is 1 at the
// edges of the tile and 0 at its centre. Where two seams meet, the higher layer is on top.
fn spill_at(seams: u32, w: vec2f, noise_here: vec4f) -> u32 {
    let ragged = 0.06 + noise_here.w * 0.14 + noise_here.z * 0.22;
    let over = select(vec2u(0u), seam_over(seams), 0.5 - w * 0.5 < vec2f(ragged));
    return max(over.x, over.y);
}

// Distance of a position from the tile's centre in x and y; 1 at the edges.
fn toward_edges(uv: vec2f) -> vec2f {
    return abs(uv - 0.5) * 2.0;
}

// Colour of a mix in a blend mode. The fourth mode is unknown and drawn in magenta.
fn blended_albedo(mixed: vec4f, mode: u32) -> vec3f {
    let albedo = albedo_of(mixed);
    if RICH {
        return select(albedo, vec3f(1.0, 0.0, 1.0), mode > BLEND_EDGE);
    }
    return albedo;
}

@vertex
fn vs_mixed(
    @builtin(vertex_index) point: u32,
    @builtin(instance_index) instance: u32,
    @location(0) chunk: u32,
) -> Mixed {
    let top = top_at(point, instance, chunk);
    let at = vec2i(top.at);
    let tile = tile_at(at);
    let quadrant = quadrant_of(point);
    let mode = tile_blend(tile, edge_of(point));
    var over = vec2u(0u);
    if RICH {
        over = vec2u(layer_over(tile, at, quadrant.edge_x), layer_over(tile, at, quadrant.edge_y));
    }
    var layers = top.tile.y;
    var count = 1u;
    var center = vec4f(1.0, 0.0, 0.0, 0.0);
    var middle_x = center;
    var middle_y = center;
    var corner = center;
    if mode == BLEND_BLUR {
        let samples = samples_of(tile, at, quadrant);
        layers = 0u;
        count = 0u;
        center = vec4f(0.0);
        middle_x = center;
        middle_y = center;
        corner = center;
        // Tiles with more than four layers use `vs_many`.
        var layer = next_layer(samples, 0u);
        while count < 4u && layer != NO_LAYER {
            let this_one = select(vec4f(0.0), vec4f(1.0), vec4u(0u, 1u, 2u, 3u) == vec4u(count));
            let share = vec4f(count_layer(samples, layer)) * SAMPLE_WEIGHTS;
            center += this_one * share.x;
            middle_x += this_one * share.y;
            middle_y += this_one * share.z;
            corner += this_one * share.w;
            layers |= layer << (8u * count);
            count += 1u;
            layer = next_layer(samples, layer + 1u);
        }
    } else if RICH {
        // A blur already includes the layers of the neighbours. Other modes add the spilling ones.
        let others = others_over(top.tile.y, over);
        if others.x != 0u {
            layers |= (others.x - 1u) << 8u;
            count = 2u;
        }
        if others.y != 0u {
            layers |= (others.y - 1u) << (8u * count);
            count += 1u;
        }
    }
    return Mixed(
        top.clip, top.uv, top.world_y, top.normal, top.facet, top.at, top.corner, top.tile, top.shadow_place,
        layers, count, center, middle_x - center, middle_y - center,
        corner - middle_x - middle_y + center, seams_of(mode, over),
    );
}

@fragment
fn fs_mixed(in: Mixed) -> @location(0) vec4f {
    let dx = dpdx(in.uv);
    let dy = dpdy(in.uv);
    let lod = texture_lod(dx, dy);
    let uv = on_tile(in.uv);
    let at_map = in.at + uv;
    let noise_here = noise_at(at_map);
    let place = in.corner + uv * CORE;

    let w = toward_edges(uv);
    var weights = in.weights + in.weights_x * w.x + in.weights_y * w.y + in.weights_xy * (w.x * w.y);
    var over = 0u;
    if RICH {
        over = spill_at(in.seams, w, noise_here);
    }
    var mixed = vec4f(0.0);
    var layers = in.palette;
    for (var i = 0u; i < in.count; i++) {
        let layer = layers & 255u;
        var weight = weights.x;
        if RICH {
            weight = select(weight, f32(layer + 1u == over), over != 0u);
        }
        mixed += weight * material_at(layer, place, lod, noise_here.z);
        layers = layers >> 8u;
        weights = weights.yzwx;
    }
    let top = Top(
        in.clip, in.uv, in.world_y, in.normal, in.facet, in.at, in.corner, in.tile, in.shadow_place,
    );
    let albedo = blended_albedo(mixed, seam_mode(in.seams));
    return shaded_top(top, at_map, albedo, noise_here, dx, dy);
}

// ---- Tops that mix many materials ----------------------------------------------------------

// A quadrant can have up to eight layers, two from each of four tiles.
struct Many {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) @interpolate(perspective, centroid) world_y: f32,
    @location(2) @interpolate(perspective, centroid) normal: vec3f,
    @location(3) @interpolate(flat) facet: vec3f,
    @location(4) @interpolate(flat) at: vec2f,
    @location(5) @interpolate(flat) corner: vec2f,
    @location(6) @interpolate(flat) tile: Tile,
    @location(7) @interpolate(perspective, centroid) shadow_place: vec3f,
    // Up to eight layers with their counts (`mixed_layer`). `count` is the number of layers.
    @location(8) @interpolate(flat) palette_a: vec4u,
    @location(9) @interpolate(flat) palette_b: vec4u,
    @location(10) @interpolate(flat) count: u32,
    @location(11) @interpolate(flat) seams: u32,
}

// Packs a layer and its counts (`count_layer`): eight bits for the layer, two each for the centre
// and the middles, four for the corner.
fn mixed_layer(layer: u32, count: vec4u) -> u32 {
    return layer | (count.x << 8u) | (count.y << 10u) | (count.z << 12u) | (count.w << 14u);
}

// Unpacks the counts of `mixed_layer`.
fn mixed_count(mixed: u32) -> vec4u {
    return (vec4u(mixed) >> vec4u(8u, 10u, 12u, 14u)) & vec4u(3u, 3u, 3u, 15u);
}

@vertex
fn vs_many(
    @builtin(vertex_index) point: u32,
    @builtin(instance_index) instance: u32,
    @location(0) chunk: u32,
) -> Many {
    let top = top_at(point, instance, chunk);
    let at = vec2i(top.at);
    let tile = tile_at(at);
    let quadrant = quadrant_of(point);
    let mode = tile_blend(tile, edge_of(point));
    var over = vec2u(0u);
    if RICH {
        over = vec2u(layer_over(tile, at, quadrant.edge_x), layer_over(tile, at, quadrant.edge_y));
    }
    var palette: array<vec4u, 2>;
    var count = 0u;
    if mode == BLEND_BLUR {
        let samples = samples_of(tile, at, quadrant);
        var layer = next_layer(samples, 0u);
        while count < 8u && layer != NO_LAYER {
            palette[count >> 2u][count & 3u] = mixed_layer(layer, count_layer(samples, layer));
            count += 1u;
            layer = next_layer(samples, layer + 1u);
        }
    } else {
        palette[0].x = mixed_layer(top.tile.y, vec4u(2u, 2u, 2u, 8u));
        count = 1u;
        let others = others_over(top.tile.y, over);
        if others.x != 0u {
            palette[0].y = others.x - 1u;
            count = 2u;
        }
        if others.y != 0u {
            palette[0][count] = others.y - 1u;
            count += 1u;
        }
    }
    return Many(
        top.clip, top.uv, top.world_y, top.normal, top.facet, top.at, top.corner, top.tile, top.shadow_place,
        palette[0], palette[1], count, seams_of(mode, over),
    );
}

@fragment
fn fs_many(in: Many) -> @location(0) vec4f {
    let dx = dpdx(in.uv);
    let dy = dpdy(in.uv);
    let lod = texture_lod(dx, dy);
    let uv = on_tile(in.uv);
    let at_map = in.at + uv;
    let noise_here = noise_at(at_map);
    let place = in.corner + uv * CORE;

    let w = toward_edges(uv);
    let near = SAMPLE_WEIGHTS
        * vec4f((1.0 - w.x) * (1.0 - w.y), w.x * (1.0 - w.y), (1.0 - w.x) * w.y, w.x * w.y);
    var over = 0u;
    if RICH {
        over = spill_at(in.seams, w, noise_here);
    }
    var mixed = vec4f(0.0);
    var palette_a = in.palette_a;
    var palette_b = in.palette_b;
    for (var i = 0u; i < in.count; i++) {
        let layer = palette_a.x & 255u;
        var weight = dot(vec4f(mixed_count(palette_a.x)), near);
        if RICH {
            weight = select(weight, f32(layer + 1u == over), over != 0u);
        }
        mixed += weight * material_at(layer, place, lod, noise_here.z);
        palette_a = vec4u(palette_a.yzw, palette_b.x);
        palette_b = palette_b.yzwx;
    }
    let top = Top(
        in.clip, in.uv, in.world_y, in.normal, in.facet, in.at, in.corner, in.tile, in.shadow_place,
    );
    let albedo = blended_albedo(mixed, seam_mode(in.seams));
    return shaded_top(top, at_map, albedo, noise_here, dx, dy);
}

// ---- Middle distance -----------------------------------------------------------------------

// At this distance, a tile is a few pixels wide and only its average colour is visible.

@fragment
fn fs_rect_middle(in: Rect) -> @location(0) vec4f {
    let at_map = in.origin + in.at;
    let dx = dpdx(in.at);
    let dy = dpdy(in.at);
    let albedo = overview_albedo(at_map, dx, dy);
    let color = albedo * light_on_rect(in, at_map, noise_at(in.at));
    let up = vec3f(0.0, 1.0, 0.0);
    return vec4f(inspected(color, albedo, up, in.tile, at_map, in.world_y, dx, dy), 1.0);
}

@fragment
fn fs_top_middle(in: Top) -> @location(0) vec4f {
    let dx = dpdx(in.uv);
    let dy = dpdy(in.uv);
    let at_map = in.at + on_tile(in.uv);
    let albedo = overview_albedo(at_map, dx, dy);
    return shaded_top(in, at_map, albedo, noise_at(at_map), dx, dy);
}

// ---- Sides ---------------------------------------------------------------------------------

struct Side {
    @builtin(position) clip: vec4f,
    // Texture position as seen from outside: rightward and downward, in tile widths.
    @location(0) place: vec2f,
    @location(1) @interpolate(perspective, centroid) world: vec3f,
    // Unit step to the tile in front of the face: columns (east) and rows (south).
    @location(2) @interpolate(flat) outward: vec2i,
    // The record of the tile that the side belongs to.
    @location(3) @interpolate(flat) owner: Tile,
}

@vertex
fn vs_side(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
    @location(0) chunk: u32,
) -> Side {
    let reference = (sides[instance >> 1u] >> ((instance & 1u) * 16u)) & 0xffffu;
    let edge = edge_bits(reference);
    let at = vec2i(chunk_origin(chunk) + vec2u(col_bits(reference), row_bits(reference)));
    let tile = tile_at(at);
    let step = edge_step(edge);
    let own = tile_edge(tile, edge);
    let tile_beyond = tile_at(at + step);
    var other: vec2i;
    if is_on_map(at + step) {
        other = tile_edge(tile_beyond, edge_opposite(edge));
    } else {
        let c = tile_corners(tile);
        other = vec2i(min(BORDER_LEVEL, min(min(c.x, c.y), min(c.z, c.w))));
    }
    // Ends of the edge, relative to the tile: west and east, or north and south.
    let along_x = edge == NORTH || edge == SOUTH;
    let outward_uv = vec2f(step) * 0.5 + 0.5;
    let start = select(vec2f(outward_uv.x, 0.0), vec2f(0.0, outward_uv.y), along_x);
    let finish = select(vec2f(outward_uv.x, 1.0), vec2f(1.0, outward_uv.y), along_x);

    let rise = own - other;
    let crosses = rise.x * rise.y < 0;
    // If the edges of both tiles cross, the share of the edge before the crossing. The side belongs
    // to one tile before it, and to the other tile after it.
    let crossing = select(0.0, f32(rise.x) / f32(rise.x - rise.y), crosses);
    let second = vertex >= 3u;
    let is_own = select(rise.x + rise.y > 0, select(rise.x, rise.y, second) > 0, crosses);
    let top = vec2f(max(own, other));
    let bottom = vec2f(min(own, other));

    // On southern and western faces, the start is on the left as seen from outside.
    let facing = select(-step, step, is_own);
    let start_is_left = facing.y > 0 || facing.x < 0;
    // To face outward, triangles are wound from the upper left to the upper right corner and then
    // to the lower left one.
    var t: f32;
    var level: f32;
    if crosses {
        // One triangle on each side of the crossing. The first three vertices are before it.
        let high = select(top.x, top.y, second);
        let low = select(bottom.x, bottom.y, second);
        let is_left = second != start_is_left;
        let corner = vertex % 3u;
        let is_crossing = corner == select(2u, 1u, is_left);
        t = select(select(0.0, 1.0, second), crossing, is_crossing);
        level = select(select(low, high, corner == 0u), mix(f32(own.x), f32(own.y), crossing), is_crossing);
    } else {
        let corner = quad_corner(vertex);
        t = f32(select(1u - corner.x, corner.x, start_is_left));
        let ends = select(bottom, top, corner.y == 0u);
        level = select(ends.x, ends.y, t > 0.5);
    }
    let uv = mix(start, finish, t);
    let world = world_at(vec2f(at) + uv, level);
    let along_map = select(f32(at.y) + uv.y, f32(at.x) + uv.x, along_x);
    let place = vec2f(select(-along_map, along_map, start_is_left), -world.y / TILE_SIDE);
    let owner = select(tile_beyond, tile, is_own);
    return Side(frame.clip_from_world * vec4f(world, 1.0), place, world, facing, owner);
}

@fragment
fn fs_side(in: Side) -> @location(0) vec4f {
    let dx = dpdx(in.place);
    let dy = dpdy(in.place);
    let lod = texture_lod(dx, dy);
    let tile = in.owner;
    let cell = floor(in.place);
    // Sides use texture cells far from those of tops, so that patterns do not repeat at corners.
    let origin = atlas_corner(vec2i(cell) + vec2i(in.outward.x * 7919, 104729 + in.outward.y * 6151));
    let at_map = vec2f(map.north_west.x - in.world.x, in.world.z - map.north_west.y) / TILE_SIDE;
    var accent_noise = 0.0;
    if RICH {
        accent_noise = noise_at(at_map).z;
    }
    let place = origin + (in.place - cell) * CORE;
    let albedo = albedo_of(material_at(tile_side_layer(tile), place, lod, accent_noise));
    let normal = vec3f(f32(-in.outward.x), 0.0, f32(in.outward.y));
    // Looks up the shadow half a texel outward, so that the ground behind the face has no effect.
    let outside = at_map + vec2f(in.outward) * 0.5 / map.shadow_scale;
    let sunlit = min(faces_sun(normal), sunlight_on(outside, in.world.y, normal));
    let color = lit(albedo, normal, in.world.y, sunlit);
    // The grid shows only vertical lines on sides.
    let edges = vec2f(in.place.x, 0.5);
    let only_x = vec2f(1.0, 0.0);
    return vec4f(inspected(color, albedo, normal, tile, edges, in.world.y, dx * only_x, dy * only_x), 1.0);
}

// ---- Far chunks ----------------------------------------------------------------------------

// Inward slant of a skirt, in tiles.
const SKIRT_SLANT: f32 = 0.05;

struct Far {
    @builtin(position) clip: vec4f,
    @location(0) at_map: vec2f,
    @location(1) @interpolate(perspective, centroid) world_y: f32,
    @location(2) @interpolate(perspective, centroid) normal: vec3f,
}

// A chunk as a grid of square blocks, 2^`step` tiles wide. Skirts hide the cracks between chunks
// with different steps. `chunk_and_step` has the step in the top four bits and the chunk index
// below. `vertex` counts the grid corners row by row, and then the lower corners of the skirts.
@vertex
fn vs_far(@builtin(vertex_index) vertex: u32, @location(0) chunk_and_step: u32) -> Far {
    let step = chunk_and_step >> 28u;
    let block = 1u << step;
    let corners = (CHUNK_SIDE >> step) + 1u;
    let origin = chunk_origin(chunk_and_step & 0x0fffffffu);
    let corner = vertex % (corners * corners);
    let drop = f32(vertex / (corners * corners));
    let in_chunk = vec2u(corner % corners, corner / corners) * block;
    let at = vec2i(origin + in_chunk);
    let level = ground_level(at);
    let reach = i32(block);
    let east = (ground_level(at + vec2i(reach, 0)) - ground_level(at - vec2i(reach, 0))) / f32(2 * reach);
    let south = (ground_level(at + vec2i(0, reach)) - ground_level(at - vec2i(0, reach))) / f32(2 * reach);
    let rise = LEVEL_HEIGHT / TILE_SIDE;
    var bottom = level - 2.0 - f32(block);
    if any(at == vec2i(0)) || any(at == vec2i(map.size)) {
        // At the border of the map, the skirt ends at the same level as the sides of near chunks.
        bottom = min(level, f32(BORDER_LEVEL));
    }
    // The skirt leans inward, so that it is hidden behind the tile sides of a near neighbour chunk.
    let inward = vec2f(in_chunk == vec2u(0u)) - vec2f(in_chunk == vec2u(CHUNK_SIDE));
    let world = world_at(vec2f(at) + inward * drop * SKIRT_SLANT, mix(level, bottom, drop));
    let normal = normalize(vec3f(east * rise, 1.0, -south * rise));
    // Skirts stand in for the ground at the edge, and are lit like it.
    return Far(frame.clip_from_world * vec4f(world, 1.0), vec2f(at), level * LEVEL_HEIGHT, normal);
}

// Ground level at a corner of the tile grid: that of the tile to its south-east. At the eastern and
// southern borders, the last tile replaces it.
fn ground_level(at: vec2i) -> f32 {
    let inside = clamp(at, vec2i(0), vec2i(map.size) - 1);
    let tile = tile_at(inside);
    let beyond = clamp(at - inside, vec2i(0), vec2i(1));
    let raised = (tile_raised(tile) >> u32(beyond.x + 2 * beyond.y)) & 1u;
    return f32(tile_base(tile) + i32(raised) * tile_ramp(tile));
}

@fragment
fn fs_far(in: Far) -> @location(0) vec4f {
    let dx = dpdx(in.at_map);
    let dy = dpdy(in.at_map);
    let albedo = overview_albedo(in.at_map, dx, dy);
    let normal = normalize(in.normal);
    let tile = tile_at(vec2i(floor(in.at_map)));
    let sunlit = min(faces_sun(normal), sunlight_on(in.at_map, in.world_y, normal));
    let color = lit(albedo, normal, in.world_y, sunlit);
    return vec4f(inspected(color, albedo, normal, tile, in.at_map, in.world_y, dx, dy), 1.0);
}

// ---- Wireframe -----------------------------------------------------------------------------

@fragment
fn fs_wire() -> @location(0) vec4f {
    return vec4f(0.02, 0.03, 0.05, 0.8);
}

// ---- Water ---------------------------------------------------------------------------------

// Brightness factor of water in the shadow.
const SHADOW_ON_WATER: f32 = 0.85;
// Brightness of level ground at height 0 in the light of the game (fact sheet A10).
const LIGHT_OF_THE_GAME: f32 = 0.7 + 0.9 * 0.5142595;

// Distortion of a skybox by ripples, relative to that of the procedural sky.
const SKYBOX_DISTORTION: f32 = 0.35;

// The mirrored ground and sky, aligned with the frame.
@group(0) @binding(8) var reflection: texture_2d<f32>;

struct Water {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
    // Brightness of the water body; 1 in the light of the game.
    @location(1) @interpolate(flat) light: vec3f,
    // Mip level of the skybox.
    @location(2) @interpolate(flat) lod: f32,
}

@vertex
fn vs_water(@builtin(vertex_index) vertex: u32, @location(0) chunk: u32) -> Water {
    let corner = vec2f(quad_corner(vertex)) * f32(CHUNK_SIDE);
    var world = world_at(vec2f(chunk_origin(chunk)) + corner, 0.0);
    world.y = WATER_HEIGHT;
    let sunlight = 0.9 * max(map.sun.y, 0.0) * frame.light_color.rgb;
    let light = (0.7 * frame.ambient_color.rgb + sunlight) / LIGHT_OF_THE_GAME;
    return Water(frame.clip_from_world * vec4f(world, 1.0), world, light, skybox_lod());
}

@fragment
fn fs_water(in: Water) -> @location(0) vec4f {
    let at_map = clamp(
        vec2f(map.north_west.x - in.world.x, in.world.z - map.north_west.y) / TILE_SIDE,
        vec2f(0.0),
        vec2f(map.size) - 0.001,
    );
    let tile = tile_at(vec2i(floor(at_map)));
    let depth = WATER_HEIGHT - tile_level_at(tile, fract(at_map)) * LEVEL_HEIGHT;

    // Ripples: the gradient of the noise, at two scales.
    let drift = frame.eye.w * 0.015;
    let small = textureSampleLevel(noise, repeated, in.world.xz / 97.0 + drift, 0.0).xy;
    let large = textureSampleLevel(noise, repeated, in.world.zx / 331.0 - drift, 0.0).xy;
    // Ripples smaller than a pixel would only glitter.
    let pixel = max(length(dpdx(in.world.xz)), length(dpdy(in.world.xz)));
    let tilt = ((small - 0.5) * (1.0 - smoothstep(0.7, 3.0, pixel))
        + (large - 0.5) * (1.0 - smoothstep(2.5, 10.0, pixel))) * RIPPLE_TILT;
    let normal = normalize(vec3f(tilt.x, 1.0, tilt.y));
    let toward = view_direction(in.world);
    let mirrored = reflect(toward, normal);
    let upward = vec3f(mirrored.x, abs(mirrored.y), mirrored.z);
    var sky: vec3f;
    if PLANAR {
        let place = in.clip.xy / frame.size + tilt * REFLECTION_DISTORTION / frame.part.xy;
        sky = textureSampleLevel(reflection, skybox_sampler, place, 0.0).rgb;
    } else if SKYBOX {
        // A skybox has hard edges, so the engine distorts it only slightly.
        let calm = normalize(vec3f(tilt.x * SKYBOX_DISTORTION, 1.0, tilt.y * SKYBOX_DISTORTION));
        let direction = reflect(toward, calm);
        sky = skybox_color(vec3f(direction.x, abs(direction.y), direction.z), in.lod);
    } else {
        sky = sky_color(upward);
    }

    // Half reflected, half transmitted, with a blue tint (fact sheet A11). Deep water hides more of
    // the ground.
    var deep = vec3f(0.50, 0.54, 0.53);
    if SKYBOX {
        // Chosen to match screenshots of the engine with the game's skybox.
        deep = vec3f(0.59, 0.56, 0.47);
    }
    deep *= in.light;
    let murky = smoothstep(1.0, 11.0, depth);
    let grazing = 1.0 - max(-toward.y, 0.0);
    let fresnel = 0.5 + 0.3 * grazing * grazing * grazing;
    let toward_sun = max(dot(mirrored, map.sun.xyz), 0.0);
    let glow = toward_sun * toward_sun * toward_sun;
    let glare = 0.15 * glow * glow * glow * glow;
    let surface = mix(mix(deep, sky, fresnel), vec3f(0.0, 0.3, 0.5), 0.1);
    var color = surface + glare * frame.light_color.rgb;
    if IN_SHADOW {
        // The shadow removes the glare of the sun. It dims reflections only slightly.
        color = mix(surface * SHADOW_ON_WATER, color, cast_light(in.world, normal));
    }
    let alpha = clamp(depth / 2.5, 0.0, 1.0) * mix(0.66, 0.95, max(murky, (fresnel - 0.5) * 2.0));
    return vec4f(color, alpha);
}
