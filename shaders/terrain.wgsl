// Terrain: tops, sides, far chunks. Joined after frame.wgsl and tile.wgsl.
//
// Geometry is as coarse as it can be: a rectangle of level tiles is two triangles, and the
// fragment finds its tile by its place. Keep bindings in sync with `render/terrain.rs`.

struct Map {
    // World x and z of the north-west corner.
    north_west: vec2f,
    // Columns and rows of tiles.
    size: vec2u,
    // How the surface is coloured: SURFACE_*.
    surface: u32,
    // Lines drawn on it: LINES_* bits.
    lines: u32,
    // What is highlighted: a tile type, or 0x100 and a texture layer, or NOTHING.
    highlight: u32,
    // Whether any material has splats.
    has_splats: u32,
    // Texels of the shadow and the overview textures for each tile.
    shadow_scale: f32,
    overview_scale: f32,
    // Lowest and highest level, for the height overlay.
    levels: vec2f,
    // For each texture layer the layer of its accent, four to a word; 255 for none.
    accents: array<vec4u, 16>,
}

const SURFACE_LIT: u32 = 0u;
const SURFACE_UNLIT: u32 = 1u;
const SURFACE_TYPES: u32 = 2u;
const SURFACE_PATHABLE: u32 = 3u;
const SURFACE_HEIGHT: u32 = 4u;
const SURFACE_NORMALS: u32 = 5u;

const NOTHING: u32 = 0xffffffffu;

const LINES_TILES: u32 = 1u;
const LINES_CHUNKS: u32 = 2u;

const CHUNK_SIDE: u32 = 32u;
// Tiles that faces reach beyond their border, so that no crack opens where a long edge meets
// several short ones.
const OVERLAP: f32 = 0.002;

@group(1) @binding(0) var<uniform> map: Map;
@group(1) @binding(1) var<storage, read> tiles: array<vec2u>;
@group(1) @binding(2) var<storage, read> rects: array<u32>;
@group(1) @binding(3) var<storage, read> tops: array<u32>;
@group(1) @binding(4) var<storage, read> sides: array<u32>;
@group(1) @binding(5) var materials: texture_2d_array<f32>;
@group(1) @binding(6) var clamped: sampler;
@group(1) @binding(7) var noise: texture_2d<f32>;
@group(1) @binding(8) var repeated: sampler;
@group(1) @binding(9) var shadow: texture_2d<f32>;
@group(1) @binding(10) var overview: texture_2d<f32>;

fn tile_at(at: vec2i) -> Tile {
    let inside = clamp(at, vec2i(0), vec2i(map.size) - 1);
    return tiles[u32(inside.y) * map.size.x + u32(inside.x)];
}

fn is_on_map(at: vec2i) -> bool {
    return all(at >= vec2i(0)) && all(at < vec2i(map.size));
}

// World position of a place in tiles from the north-west corner of the map, at a level.
fn world_at(at: vec2f, level: f32) -> vec3f {
    return vec3f(map.north_west.x - at.x * TILE_SIDE, level * LEVEL_HEIGHT, map.north_west.y + at.y * TILE_SIDE);
}

fn chunk_origin(chunk: u32) -> vec2u {
    let cols = map.size.x / CHUNK_SIDE;
    return vec2u(chunk % cols, chunk / cols) * CHUNK_SIDE;
}

// The corners of a quad as two triangles: north-west, north-east, south-west; north-east,
// south-east, south-west.
fn quad_corner(vertex: u32) -> vec2u {
    return vec2u((0x1au >> vertex) & 1u, (0x34u >> vertex) & 1u);
}

// ---- Tops ----------------------------------------------------------------------------------

struct Top {
    @builtin(position) clip: vec4f,
    // Tiles east and south of the north-west corner of the chunk.
    @location(0) at: vec2f,
    @location(1) world_y: f32,
    // Zero where the fragment is to take the normal of its half.
    @location(2) normal: vec3f,
    // First tile, and size less one, in the chunk: five bits each.
    @location(3) @interpolate(flat) rect: u32,
    @location(4) @interpolate(flat) origin: vec2u,
}

@vertex
fn vs_rect(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
    @location(0) chunk: u32,
) -> Top {
    let rect = rects[instance];
    let first = vec2u(rect & 31u, (rect >> 5u) & 31u);
    let size = vec2u((rect >> 10u) & 31u, (rect >> 15u) & 31u) + 1u;
    let corner = vec2f(quad_corner(vertex));
    let origin = chunk_origin(chunk);
    let level = f32(tile_base(tile_at(vec2i(origin + first))));
    let at = vec2f(first) - OVERLAP + corner * (vec2f(size) + 2.0 * OVERLAP);
    let world = world_at(vec2f(origin) + at, level);
    return Top(frame.clip_from_world * vec4f(world, 1.0), at, world.y, vec3f(0.0, 1.0, 0.0), rect, origin);
}

// The nine points of a tile: around it from the south-west corner over the west, then the centre.
fn point_at(point: u32) -> vec2f {
    switch point {
        case 0u: { return vec2f(0.0, 1.0); }
        case 1u: { return vec2f(0.0, 0.5); }
        case 2u: { return vec2f(0.0, 0.0); }
        case 3u: { return vec2f(0.5, 0.0); }
        case 4u: { return vec2f(1.0, 0.0); }
        case 5u: { return vec2f(1.0, 0.5); }
        case 6u: { return vec2f(1.0, 1.0); }
        case 7u: { return vec2f(0.5, 1.0); }
        default: { return vec2f(0.5, 0.5); }
    }
}

fn both_normals(tile: Tile) -> vec3f {
    return tile_normal(tile, 0u) + tile_normal(tile, 1u);
}

fn corner_normals(at: vec2i, corner: u32) -> vec3f {
    if !is_on_map(at) {
        return vec3f(0.0);
    }
    let tile = tile_at(at);
    let halves = tile_halves_at(tile, corner);
    return tile_normal(tile, halves.x) + tile_normal(tile, halves.y);
}

// The normal of one of the nine points of a tile that blends its normals with its neighbours'.
fn blended_normal(at: vec2i, tile: Tile, point: u32) -> vec3f {
    if point == 8u {
        return normalize(both_normals(tile));
    }
    if (point & 1u) == 1u {
        // Edge midpoints: 1 west, 3 north, 5 east, 7 south.
        let step = edge_step(((point >> 1u) + 3u) & 3u);
        var sum = both_normals(tile);
        if is_on_map(at + step) {
            sum += both_normals(tile_at(at + step));
        }
        return normalize(sum);
    }
    // The tile south-east of the corner has the corner as its north-west one, and so on.
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
    let reference = (tops[instance >> 1u] >> ((instance & 1u) * 16u)) & 0xffffu;
    let in_chunk = vec2u(reference & 31u, (reference >> 5u) & 31u);
    let origin = chunk_origin(chunk);
    let at = vec2i(origin + in_chunk);
    let tile = tile_at(at);
    let uv = point_at(point);
    let world = world_at(vec2f(at) + uv, tile_level_at(tile, uv));
    var normal = vec3f(0.0);
    if tile_blends_normals(tile) {
        normal = blended_normal(at, tile, point);
    }
    let rect = in_chunk.x | (in_chunk.y << 5u);
    return Top(frame.clip_from_world * vec4f(world, 1.0), vec2f(in_chunk) + uv, world.y, normal, rect, origin);
}

// ---- Materials -----------------------------------------------------------------------------

// A bit for the west edge and one for the north edge of a cell of the endless grid of texture
// tiles: which of the two patches lies across it.
fn edge_colors(cell: vec2i) -> vec2u {
    var h = bitcast<u32>(cell.x) * 0x9e3779b1u ^ bitcast<u32>(cell.y) * 0x85ebca77u;
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    return vec2u((h >> 13u) & 1u, (h >> 21u) & 1u);
}

// Where a cell's texture tile lies in the atlas of its material: the place of its north-west
// corner, in atlas sizes. See `scene/terrain/patchwork.rs`.
fn atlas_corner(cell: vec2i) -> vec2f {
    let here = edge_colors(cell);
    let east = edge_colors(cell + vec2i(1, 0)).x;
    let south = edge_colors(cell + vec2i(0, 1)).y;
    let index = here.y * 8u + east * 4u + south * 2u + here.x;
    return (vec2f(vec2u(index & 3u, index >> 2u)) * 128.0 + 18.0) / 512.0;
}

const CORE: f32 = 92.0 / 512.0;

fn sample_material(layer: u32, place: vec2f, lod: f32) -> vec4f {
    return textureSampleLevel(materials, clamped, place, layer, lod);
}

// How fine textures are to be looked up: the level at which a texel covers a pixel's longer side,
// but at most two levels blurrier than its shorter side asks for.
fn texture_lod(dx: vec2f, dy: vec2f) -> f32 {
    let a = dot(dx, dx);
    let b = dot(dy, dy);
    let footprint = max(min(a, b), max(a, b) / 6.0);
    return 0.5 * log2(max(footprint, 1e-12)) + log2(92.0);
}

// The material of one layer, with the patches of its accent.
fn albedo_of(layer: u32, place: vec2f, lod: f32, accent_noise: f32) -> vec3f {
    var color = sample_material(layer, place, lod);
    if map.has_splats != 0u {
        let accent = (map.accents[layer >> 4u][(layer >> 2u) & 3u] >> ((layer & 3u) * 8u)) & 255u;
        if accent != 255u {
            let over = sample_material(accent, place, lod);
            color = mix(color, over, clamp(accent_noise + 0.2, 0.0, 1.0));
        }
    }
    if ALPHA_TEST && color.a <= 0.5 {
        discard;
    }
    return color.rgb * color.a;
}

override ALPHA_TEST: bool = false;

// Sorts out which layers meet in a quadrant of a tile and mixes them: nine points, each with a mean
// of materials, and between them a bilinear mix (fact sheet A8).
fn blurred(tile: Tile, at: vec2i, uv: vec2f, place: vec2f, lod: f32, accent_noise: f32) -> vec3f {
    let east = uv.x >= 0.5;
    let south = uv.y >= 0.5;
    let edge_x = select(WEST, EAST, east);
    let edge_y = select(NORTH, SOUTH, south);
    let step_x = edge_step(edge_x);
    let step_y = edge_step(edge_y);
    let has_x = is_on_map(at + step_x);
    let has_y = is_on_map(at + step_y);
    let tile_x = tile_at(at + step_x);
    let tile_y = tile_at(at + step_y);
    let tile_xy = tile_at(at + step_x + step_y);
    let corner = select(0u, 1u, east) + select(0u, 2u, south);

    let own = vec2u(tile_half_layer(tile, 0u), tile_half_layer(tile, 1u));
    let own_x = select(own.x, own.y, tile_half_on(tile, edge_x) == 1u);
    let own_y = select(own.x, own.y, tile_half_on(tile, edge_y) == 1u);
    var other_x = own_x;
    var corner_x = vec2u(own_x);
    if has_x {
        other_x = tile_half_layer(tile_x, tile_half_on(tile_x, edge_opposite(edge_x)));
        corner_x = corner_layers(tile_x, corner ^ 1u);
    }
    var other_y = own_y;
    var corner_y = vec2u(own_y);
    if has_y {
        other_y = tile_half_layer(tile_y, tile_half_on(tile_y, edge_opposite(edge_y)));
        corner_y = corner_layers(tile_y, corner ^ 2u);
    }
    // Beyond the border the pair along an edge that is there stands in for what is not.
    var corner_xy = select(vec2u(own_y, other_y), vec2u(own_x, other_x), has_x);
    if has_x && has_y {
        corner_xy = corner_layers(tile_xy, corner ^ 3u);
    }
    let corner_own = corner_layers(tile, corner);

    // 1 on the edge, 0 in the middle of the tile.
    let w = abs(uv - 0.5) * 2.0;
    let center = 0.5 * (1.0 - w.x) * (1.0 - w.y);
    let middle_x = 0.5 * w.x * (1.0 - w.y);
    let middle_y = 0.5 * (1.0 - w.x) * w.y;
    let at_corner = 0.125 * w.x * w.y;

    let layers_a = vec4u(own, own_x, other_x);
    let weights_a = vec4f(center, center, middle_x, middle_x);
    let layers_b = vec4u(own_y, other_y, corner_own);
    let weights_b = vec4f(middle_y, middle_y, at_corner, at_corner);
    let layers_c = vec4u(corner_x, corner_y);
    let layers_d = corner_xy;

    // Each layer once, in rising order.
    var sum = vec3f(0.0);
    var floor_layer = 0u;
    loop {
        let beyond = 0xffffu;
        let a = select(vec4u(beyond), layers_a, layers_a >= vec4u(floor_layer));
        let b = select(vec4u(beyond), layers_b, layers_b >= vec4u(floor_layer));
        let c = select(vec4u(beyond), layers_c, layers_c >= vec4u(floor_layer));
        let d = select(vec2u(beyond), layers_d, layers_d >= vec2u(floor_layer));
        let least = min(min(a, b), min(c, d.xyxy));
        let layer = min(min(least.x, least.y), min(least.z, least.w));
        if layer == beyond {
            break;
        }
        let weight = dot(select(vec4f(0.0), weights_a, layers_a == vec4u(layer)), vec4f(1.0))
            + dot(select(vec4f(0.0), weights_b, layers_b == vec4u(layer)), vec4f(1.0))
            + dot(select(vec4f(0.0), vec4f(at_corner), layers_c == vec4u(layer)), vec4f(1.0))
            + dot(select(vec2f(0.0), vec2f(at_corner), layers_d == vec2u(layer)), vec2f(1.0));
        if weight > 0.004 {
            sum += weight * albedo_of(layer, place, lod, accent_noise);
        }
        floor_layer = layer + 1u;
    }
    return sum;
}

fn corner_layers(tile: Tile, corner: u32) -> vec2u {
    let halves = tile_halves_at(tile, corner);
    return vec2u(tile_half_layer(tile, halves.x), tile_half_layer(tile, halves.y));
}

// The colour of a top before light falls on it.
fn top_albedo(tile: Tile, at: vec2i, uv: vec2f, place: vec2f, lod: f32, noise_here: vec4f) -> vec3f {
    let accent_noise = noise_here.z * 2.0 - 1.0;
    let from_center = uv - 0.5;
    let along_x = abs(from_center.x) > abs(from_center.y);
    let edge_x = select(WEST, EAST, from_center.x >= 0.0);
    let edge_y = select(NORTH, SOUTH, from_center.y >= 0.0);
    let edge = select(edge_y, edge_x, along_x);
    let mode = tile_blend(tile, edge);
    let quadrant = select(0u, 1u, uv.x >= 0.5) + select(0u, 2u, uv.y >= 0.5);
    let mixed = tile_mixed(tile, quadrant);
    if mode == BLEND_BLUR && mixed {
        return blurred(tile, at, uv, place, lod, accent_noise);
    }
    var layer = tile_half_layer(tile, tile_half_at(tile, uv));
    if mode > BLEND_EDGE {
        return vec3f(1.0, 0.0, 1.0);
    }
    if mode == BLEND_EDGE && mixed {
        let beyond = at + edge_step(edge);
        let neighbor = tile_at(beyond);
        let facing = edge_opposite(edge);
        let other = tile_half_layer(neighbor, tile_half_on(neighbor, facing));
        if is_on_map(beyond) && tile_blend(neighbor, facing) == BLEND_EDGE && other > layer {
            // The higher index lies over the lower, with a ragged rim.
            let inward = 0.5 - max(abs(from_center.x), abs(from_center.y));
            let ragged = noise_here.w * 0.5 + noise_here.z * 0.25;
            layer = select(layer, other, inward < ragged * 0.42);
        }
    }
    return albedo_of(layer, place, lod, accent_noise);
}

// ---- Light ---------------------------------------------------------------------------------

// What the light of the engine makes of a colour (fact sheet A10).
fn lit(albedo: vec3f, normal: vec3f, world_y: f32, sunlit: f32) -> vec3f {
    let ambient = 0.7 + 0.03 * (world_y / LEVEL_HEIGHT);
    let diffuse = 0.9 * max(dot(normal, frame.sun.xyz), 0.0);
    return albedo * (ambient + diffuse) * mix(0.55, 1.0, sunlit);
}

// 1 in the sun, 0 in the shadow of other terrain. `at` in tiles from the corner of the map.
fn sunlight(at: vec2f, world_y: f32) -> f32 {
    let edge = textureSampleLevel(shadow, clamped, at / vec2f(map.size), 0.0).x;
    return smoothstep(-0.4, 0.6, world_y - edge);
}

// Turned away from the sun is in shadow too.
fn faces_sun(normal: vec3f) -> f32 {
    return smoothstep(0.0, 0.12, dot(normal, frame.sun.xyz));
}

// ---- Overlays ------------------------------------------------------------------------------

fn type_color(kind: u32) -> vec3f {
    switch kind {
        case 0u: { return vec3f(0.62, 0.65, 0.60); }
        case 1u: { return vec3f(0.90, 0.32, 0.26); }
        case 2u: { return vec3f(0.98, 0.62, 0.20); }
        case 3u: { return vec3f(0.97, 0.86, 0.26); }
        case 4u: { return vec3f(0.62, 0.82, 0.24); }
        case 5u: { return vec3f(0.18, 0.62, 0.30); }
        case 6u: { return vec3f(0.36, 0.83, 0.62); }
        case 7u: { return vec3f(0.12, 0.60, 0.72); }
        case 8u: { return vec3f(0.47, 0.78, 0.96); }
        case 9u: { return vec3f(0.20, 0.36, 0.80); }
        case 10u: { return vec3f(0.58, 0.56, 0.95); }
        case 11u: { return vec3f(0.52, 0.20, 0.66); }
        default: { return vec3f(0.92, 0.52, 0.82); }
    }
}

// Blue over green and yellow to white, from the lowest to the highest level.
fn height_color(world_y: f32) -> vec3f {
    let t = clamp((world_y / LEVEL_HEIGHT - map.levels.x) / max(map.levels.y - map.levels.x, 1.0), 0.0, 1.0);
    let low = mix(vec3f(0.10, 0.20, 0.50), vec3f(0.16, 0.62, 0.48), clamp(t * 3.0, 0.0, 1.0));
    let high = mix(low, vec3f(0.94, 0.82, 0.34), clamp(t * 3.0 - 1.0, 0.0, 1.0));
    return mix(high, vec3f(1.0, 1.0, 1.0), clamp(t * 3.0 - 2.0, 0.0, 1.0));
}

// Units can walk on a tile when its flag says so, it is not under deep water, and it is not
// steeper than one level (fact sheet E).
fn walkable(tile: Tile) -> bool {
    let steep = tile_kind(tile) != 0u && tile_ramp(tile) > 1;
    return tile_pathable(tile) && tile_base(tile) >= -1 && !steep;
}

// The colour of a surface in the overlay that is on. Shape stays readable by a little shading.
fn overlay_color(tile: Tile, albedo: vec3f, normal: vec3f, world_y: f32) -> vec3f {
    let shade = 0.45 + 0.55 * clamp(dot(normal, normalize(vec3f(0.5, 0.75, 0.3))), 0.0, 1.0);
    switch map.surface {
        case SURFACE_TYPES: { return type_color(tile_kind(tile)) * shade; }
        case SURFACE_PATHABLE: {
            let mark = select(vec3f(0.85, 0.20, 0.16), vec3f(0.26, 0.75, 0.32), walkable(tile));
            return mix(albedo, mark, 0.6) * shade;
        }
        case SURFACE_HEIGHT: { return height_color(world_y) * shade; }
        case SURFACE_NORMALS: { return normal * 0.5 + 0.5; }
        default: { return albedo; }
    }
}

// Lines of constant width in pixels on the borders of a grid; `size` in pixels for each unit.
fn grid_line(at: vec2f, pixels_per_unit: vec2f, width: f32) -> f32 {
    let to_border = (0.5 - abs(fract(at) - 0.5)) * pixels_per_unit;
    let nearest = min(to_border.x, to_border.y);
    // Where cells shrink to a few pixels, lines fade before they run together.
    let room = smoothstep(3.0, 10.0, min(pixels_per_unit.x, pixels_per_unit.y));
    return (1.0 - smoothstep(width * 0.5, width * 0.5 + 1.0, nearest)) * room;
}

fn marked(color: vec3f, tile: Tile, at_map: vec2f, dx: vec2f, dy: vec2f) -> vec3f {
    var result = color;
    if tile_is_placeholder(tile) {
        let stripe = fract((at_map.x + at_map.y) * 2.0) < 0.5;
        result = select(vec3f(0.15, 0.02, 0.12), vec3f(1.0, 0.2, 0.85), stripe);
    }
    if map.highlight != NOTHING {
        let by_layer = (map.highlight & 0x100u) != 0u;
        let layer = tile_top_layer(tile) | 0x100u;
        let chosen = select(tile_kind(tile), layer, by_layer) == map.highlight;
        result = select(result * 0.55, mix(result, vec3f(1.0, 0.78, 0.25), 0.55), chosen);
    }
    if map.lines != 0u {
        let pixels = 1.0 / max(abs(dx) + abs(dy), vec2f(1e-6));
        if (map.lines & LINES_TILES) != 0u {
            result = mix(result, vec3f(0.0), 0.55 * grid_line(at_map, pixels, 1.0));
        }
        if (map.lines & LINES_CHUNKS) != 0u {
            let line = grid_line(at_map / f32(CHUNK_SIDE), pixels * f32(CHUNK_SIDE), 2.0);
            result = mix(result, vec3f(1.0, 0.16, 0.12), line);
        }
    }
    return result;
}

// The far look of the ground: its colour without texture.
fn overview_albedo(at_map: vec2f, dx: vec2f, dy: vec2f) -> vec3f {
    let a = dot(dx, dx);
    let b = dot(dy, dy);
    let lod = 0.5 * log2(max(min(a, b), max(a, b) / 16.0) + 1e-12) + log2(map.overview_scale);
    return textureSampleLevel(overview, clamped, at_map / vec2f(map.size), lod).rgb;
}

@fragment
fn fs_top(in: Top) -> @location(0) vec4f {
    let dx = dpdx(in.at);
    let dy = dpdy(in.at);
    let first = vec2f(vec2u(in.rect & 31u, (in.rect >> 5u) & 31u));
    let last = first + vec2f(vec2u((in.rect >> 10u) & 31u, (in.rect >> 15u) & 31u));
    let cell = clamp(floor(in.at), first, last);
    let uv = clamp(in.at - cell, vec2f(0.0), vec2f(1.0));
    let at = vec2i(in.origin) + vec2i(cell);
    let at_map = vec2f(in.origin) + in.at;
    let tile = tiles[u32(at.y) * map.size.x + u32(at.x)];
    let lod = texture_lod(dx, dy);

    var normal = in.normal;
    if dot(normal, normal) < 0.1 {
        normal = tile_normal(tile, tile_half_at(tile, uv));
    } else {
        normal = normalize(normal);
    }
    // Far away a tile is a few pixels, and its colour all that is left of its texture.
    let far = smoothstep(3.6, 5.0, lod);
    var albedo = vec3f(0.0);
    var bumped = normal;
    if far < 1.0 {
        let noise_here = textureSampleLevel(noise, repeated, in.at / f32(CHUNK_SIDE), 0.0);
        albedo = top_albedo(tile, at, uv, atlas_corner(at) + uv * CORE, lod, noise_here);
        if tile_bump(tile) {
            let tilt = (noise_here.xy * 2.0 - 1.0) * (1.0 - far);
            bumped = normalize(normal + 0.107 * vec3f(tilt.x, 1.0, tilt.y));
        }
    }
    if far > 0.0 {
        albedo = mix(albedo, overview_albedo(at_map, dx, dy), far);
    }
    var color = albedo;
    if map.surface == SURFACE_LIT {
        var sunlit = faces_sun(normal);
        if tile_in_shadow(tile) {
            sunlit = min(sunlit, sunlight(at_map, in.world_y));
        }
        color = lit(albedo, bumped, in.world_y, sunlit);
    } else if map.surface != SURFACE_UNLIT {
        color = overlay_color(tile, albedo, normal, in.world_y);
    }
    return vec4f(marked(color, tile, at_map, dx, dy), 1.0);
}

// ---- Sides ---------------------------------------------------------------------------------

struct Side {
    @builtin(position) clip: vec4f,
    // Left to right as seen from outside, and down, in tile sides.
    @location(0) place: vec2f,
    @location(1) world: vec3f,
    // Unit steps outward: columns east and rows south.
    @location(2) @interpolate(flat) outward: vec2i,
    // The tile whose side it is.
    @location(3) @interpolate(flat) owner: vec2i,
}

@vertex
fn vs_side(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
    @location(0) chunk: u32,
) -> Side {
    let reference = (sides[instance >> 1u] >> ((instance & 1u) * 16u)) & 0xffffu;
    let edge = (reference >> 10u) & 3u;
    let at = vec2i(chunk_origin(chunk) + vec2u(reference & 31u, (reference >> 5u) & 31u));
    let tile = tile_at(at);
    let step = edge_step(edge);
    let own = tile_edge(tile, edge);
    var other: vec2i;
    if is_on_map(at + step) {
        other = tile_edge(tile_at(at + step), edge_opposite(edge));
    } else {
        let c = tile_corners(tile);
        other = vec2i(min(BORDER_LEVEL, min(min(c.x, c.y), min(c.z, c.w))));
    }
    // Ends of the edge in the tile: west and east, or north and south.
    let along_x = edge == NORTH || edge == SOUTH;
    let outward_uv = vec2f(step) * 0.5 + 0.5;
    let start = select(vec2f(outward_uv.x, 0.0), vec2f(0.0, outward_uv.y), along_x);
    let finish = select(vec2f(outward_uv.x, 1.0), vec2f(1.0, outward_uv.y), along_x);

    let rise = own - other;
    let crosses = rise.x * rise.y < 0;
    // Where the two edges cross, counted from the start; what is before it belongs to one tile and
    // what is behind it to the other.
    let crossing = select(0.0, f32(rise.x) / f32(rise.x - rise.y), crosses);
    let second = vertex >= 3u;
    let is_own = select(rise.x + rise.y > 0, select(rise.x, rise.y, second) > 0, crosses);
    let top = vec2f(max(own, other));
    let bottom = vec2f(min(own, other));

    // Seen from outside the start is left on southern and western faces.
    let facing = select(-step, step, is_own);
    let start_is_left = facing.y > 0 || facing.x < 0;
    // Triangles go left above, right above, left below, so that they face outward.
    var t: f32;
    var level: f32;
    if crosses {
        // What stands above the other tile on this side of the crossing.
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
    let owner = select(at + step, at, is_own);
    return Side(frame.clip_from_world * vec4f(world, 1.0), place, world, facing, owner);
}

@fragment
fn fs_side(in: Side) -> @location(0) vec4f {
    let dx = dpdx(in.place);
    let dy = dpdy(in.place);
    let lod = texture_lod(dx, dy);
    let tile = tile_at(in.owner);
    let cell = floor(in.place);
    // Cells of sides are far from those of tops, so that corners do not repeat.
    let where_ = atlas_corner(vec2i(cell) + vec2i(in.outward.x * 7919, 104729 + in.outward.y * 6151));
    let albedo = albedo_of(tile_side_layer(tile), where_ + (in.place - cell) * CORE, lod, -1.0);
    let normal = vec3f(f32(-in.outward.x), 0.0, f32(in.outward.y));
    let at_map = vec2f(map.north_west.x - in.world.x, in.world.z - map.north_west.y) / TILE_SIDE;
    var color = albedo;
    if map.surface == SURFACE_LIT {
        // Half a texel outward: what is on the other side of the face does not count.
        let sunlit = min(faces_sun(normal), sunlight(at_map + vec2f(in.outward) * 0.5 / map.shadow_scale, in.world.y));
        color = lit(albedo, normal, in.world.y, sunlit);
    } else if map.surface != SURFACE_UNLIT {
        color = overlay_color(tile, albedo, normal, in.world.y);
    }
    let edges = vec2f(in.place.x, 0.5);
    let only_x = vec2f(1.0, 0.0);
    return vec4f(marked(color, tile, edges, dx * only_x, dy * only_x), 1.0);
}

// ---- Far chunks ----------------------------------------------------------------------------

struct Far {
    @builtin(position) clip: vec4f,
    @location(0) at_map: vec2f,
    @location(1) world_y: f32,
    @location(2) normal: vec3f,
}

// A chunk drawn as a grid of blocks of 2 to the power of `step` tiles, with skirts that hide the
// cracks between chunks of different steps. `chunk_and_step`: chunk index, and step in the top
// four bits.
@vertex
fn vs_far(@builtin(vertex_index) vertex: u32, @location(0) chunk_and_step: u32) -> Far {
    let step = chunk_and_step >> 28u;
    let block = 1u << step;
    let blocks = CHUNK_SIDE >> step;
    let origin = chunk_origin(chunk_and_step & 0x0fffffffu);
    let quad = vertex / 6u;
    let corner_index = vertex % 6u;
    let corner = quad_corner(corner_index);
    var in_chunk: vec2u;
    var drop = 0.0;
    if quad < blocks * blocks {
        in_chunk = (vec2u(quad % blocks, quad / blocks) + corner) * block;
    } else {
        // Skirts: four sides, one after the other, hanging down.
        let index = quad - blocks * blocks;
        let side = index / blocks;
        let along = (index % blocks + corner.x) * block;
        drop = f32(corner.y);
        switch side {
            case 0u: { in_chunk = vec2u(CHUNK_SIDE - along, 0u); }
            case 1u: { in_chunk = vec2u(0u, along); }
            case 2u: { in_chunk = vec2u(along, CHUNK_SIDE); }
            default: { in_chunk = vec2u(CHUNK_SIDE, CHUNK_SIDE - along); }
        }
    }
    let at = vec2i(origin + in_chunk);
    let level = ground_level(at);
    let reach = i32(block);
    let east = (ground_level(at + vec2i(reach, 0)) - ground_level(at - vec2i(reach, 0))) / f32(2 * reach);
    let south = (ground_level(at + vec2i(0, reach)) - ground_level(at - vec2i(0, reach))) / f32(2 * reach);
    let rise = LEVEL_HEIGHT / TILE_SIDE;
    let world = world_at(vec2f(at), level - drop * (2.0 + f32(block)));
    let normal = normalize(vec3f(east * rise, 1.0, -south * rise));
    return Far(frame.clip_from_world * vec4f(world, 1.0), vec2f(at), world.y, normal);
}

// The level of the ground at a corner of the tile grid.
fn ground_level(at: vec2i) -> f32 {
    let inside = clamp(at, vec2i(0), vec2i(map.size) - 1);
    let uv = clamp(vec2f(at - inside), vec2f(0.0), vec2f(1.0));
    return tile_level_at(tile_at(inside), uv);
}

@fragment
fn fs_far(in: Far) -> @location(0) vec4f {
    let dx = dpdx(in.at_map);
    let dy = dpdy(in.at_map);
    let albedo = overview_albedo(in.at_map, dx, dy);
    let normal = normalize(in.normal);
    let tile = tile_at(vec2i(floor(in.at_map)));
    var color = albedo;
    if map.surface == SURFACE_LIT {
        color = lit(albedo, normal, in.world_y, faces_sun(normal));
    } else if map.surface != SURFACE_UNLIT {
        color = overlay_color(tile, albedo, normal, in.world_y);
    }
    return vec4f(marked(color, tile, in.at_map, dx, dy), 1.0);
}

// ---- Wireframe -----------------------------------------------------------------------------

@fragment
fn fs_wire() -> @location(0) vec4f {
    return vec4f(0.02, 0.03, 0.05, 0.8);
}

// ---- Water ---------------------------------------------------------------------------------

const WATER_LEVEL_Y: f32 = -2.0;

struct Water {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
}

@vertex
fn vs_water(@builtin(vertex_index) vertex: u32, @location(0) chunk: u32) -> Water {
    let corner = vec2f(quad_corner(vertex)) * f32(CHUNK_SIDE);
    var world = world_at(vec2f(chunk_origin(chunk)) + corner, 0.0);
    world.y = WATER_LEVEL_Y;
    return Water(frame.clip_from_world * vec4f(world, 1.0), world);
}

@fragment
fn fs_water(in: Water) -> @location(0) vec4f {
    let at_map = clamp(
        vec2f(map.north_west.x - in.world.x, in.world.z - map.north_west.y) / TILE_SIDE,
        vec2f(0.0),
        vec2f(map.size) - 0.001,
    );
    let tile = tile_at(vec2i(floor(at_map)));
    let depth = WATER_LEVEL_Y - tile_level_at(tile, fract(at_map)) * LEVEL_HEIGHT;

    // Ripples: the gradient of the noise at two scales.
    let drift = frame.eye.w * 0.015;
    let small = textureSampleLevel(noise, repeated, in.world.xz / 97.0 + drift, 0.0).xy;
    let large = textureSampleLevel(noise, repeated, in.world.zx / 331.0 - drift, 0.0).xy;
    let tilt = (small + large - 1.0) * 0.05;
    let normal = normalize(vec3f(tilt.x, 1.0, tilt.y));
    let toward = view_direction(in.world);
    let mirrored = reflect(toward, normal);
    let sky = sky_color(vec3f(mirrored.x, abs(mirrored.y), mirrored.z));

    // Half reflected, half seen through, then a tint of blue (fact sheet A11).
    let below = 0.5 * smoothstep(0.0, 9.0, depth) + 0.15;
    let deep = mix(vec3f(0.30, 0.38, 0.36), vec3f(0.16, 0.23, 0.25), smoothstep(1.0, 10.0, depth));
    let glare = 0.15 * pow(max(dot(mirrored, frame.sun.xyz), 0.0), 24.0);
    let fresnel = 0.5 + 0.4 * pow(1.0 - max(-toward.y, 0.0), 3.0);
    let color = mix(mix(deep, sky, fresnel), vec3f(0.0, 0.3, 0.5), 0.1) + glare;
    let alpha = clamp(depth / 2.5, 0.0, 1.0) * mix(0.62 + below * 0.5, 1.0, fresnel * 0.4);
    return vec4f(color, clamp(alpha, 0.0, 0.97));
}
