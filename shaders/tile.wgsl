// The shape of a tile: the GPU twin of `scene/kinds/terrain/geometry.rs` and `pack.rs`.
//
// Inside a tile, u runs east and v south, both from 0 to 1. In the world, east is -X and south is
// +Z. Heights are in levels.

// x: shape, y: surface. See `TileRecord`, which defines the functions `..._bits`.
alias Tile = vec2u;

fn tile_kind(tile: Tile) -> u32 { return kind_bits(tile.x); }
fn tile_base(tile: Tile) -> i32 { return i32(base_bits(tile.x)) - BASE_OFFSET; }
fn tile_ramp(tile: Tile) -> i32 { return i32(ramp_bits(tile.x)); }
fn tile_blend(tile: Tile, edge: u32) -> u32 { return blend_bits(tile.x >> (2u * edge)); }
fn tile_blends_normals(tile: Tile) -> bool { return blend_normals_bits(tile.x) != 0u; }
fn tile_bump(tile: Tile) -> bool { return bump_bits(tile.x) != 0u; }
fn tile_pathable(tile: Tile) -> bool { return pathable_bits(tile.x) != 0u; }
fn tile_cover(tile: Tile) -> u32 { return cover_bits(tile.x); }
fn tile_top_layer(tile: Tile) -> u32 { return top_layer_bits(tile.y); }
fn tile_side_layer(tile: Tile) -> u32 { return side_layer_bits(tile.y); }
// Raised corners: north-west 1, north-east 2, south-west 4, south-east 8.
fn tile_raised(tile: Tile) -> u32 {
    let kind = tile_kind(tile);
    let eight_types = select(RAISED_CORNERS[0], RAISED_CORNERS[1], kind >= 8u);
    return (eight_types >> ((kind & 7u) * 4u)) & 15u;
}

// Heights of the corners: north-west, north-east, south-west, south-east.
fn tile_corners(tile: Tile) -> vec4i {
    let raised = tile_raised(tile);
    let up = vec4i((vec4u(raised) >> vec4u(0u, 1u, 2u, 3u)) & vec4u(1u));
    return vec4i(tile_base(tile)) + up * tile_ramp(tile);
}

// `true` if the diagonal runs from north-west to south-east, `false` if it runs from north-east to
// south-west.
fn tile_cut_from_north_west(tile: Tile) -> bool {
    return ((CUT_FROM_NORTH_WEST >> tile_kind(tile)) & 1u) != 0u;
}

// The half that contains a point: 0 is the southern, 1 the northern one.
fn tile_half_at(tile: Tile, uv: vec2f) -> u32 {
    let south = select(uv.x + uv.y > 1.0, uv.y > uv.x, tile_cut_from_north_west(tile));
    return select(1u, 0u, south);
}

// The slope of a half toward east and south, in levels per tile.
fn tile_slope(tile: Tile, half: u32) -> vec2f {
    let c = vec4f(tile_corners(tile));
    let north = c.y - c.x;
    let south = c.w - c.z;
    let west = c.z - c.x;
    let east = c.w - c.y;
    if tile_cut_from_north_west(tile) {
        return select(vec2f(north, east), vec2f(south, west), half == 0u);
    }
    return select(vec2f(north, west), vec2f(south, east), half == 0u);
}

// Height of a point of the top, in levels.
fn tile_level_at(tile: Tile, uv: vec2f) -> f32 {
    let half = tile_half_at(tile, uv);
    let slope = tile_slope(tile, half);
    let c = vec4f(tile_corners(tile));
    // The north-west and south-east corners belong to one half each, unless the diagonal meets
    // them.
    if tile_cut_from_north_west(tile) {
        return c.x + dot(slope, uv);
    }
    return c.y + dot(slope, uv - vec2f(1.0, 0.0));
}

// Unit normal of a half, in world space.
fn tile_normal(tile: Tile, half: u32) -> vec3f {
    let slope = tile_slope(tile, half) * (LEVEL_HEIGHT / TILE_SIDE);
    return normalize(vec3f(slope.x, 1.0, -slope.y));
}

// The half at an edge.
fn tile_half_on(tile: Tile, edge: u32) -> u32 {
    let cut = tile_cut_from_north_west(tile);
    let northern = edge == NORTH || (edge == EAST && cut) || (edge == WEST && !cut);
    return select(0u, 1u, northern);
}

// The two halves at a corner (0 north-west, 1 north-east, 2 south-west, 3 south-east). If there is
// only one, it is returned twice.
fn tile_halves_at(tile: Tile, corner: u32) -> vec2u {
    let cut = tile_cut_from_north_west(tile);
    if corner == select(0u, 1u, cut) {
        return vec2u(1u, 1u);
    }
    if corner == select(3u, 2u, cut) {
        return vec2u(0u, 0u);
    }
    return vec2u(0u, 1u);
}

// The texture layer of a half. Slopes with a ramp of more than one level show the side layer.
fn tile_half_layer(tile: Tile, half: u32) -> u32 {
    let steep = tile_ramp(tile) > MAX_GENTLE_RAMP && any(tile_slope(tile, half) != vec2f(0.0));
    return select(tile_top_layer(tile), tile_side_layer(tile), steep);
}

// Heights of the ends of an edge: west then east, or north then south.
fn tile_edge(tile: Tile, edge: u32) -> vec2i {
    let c = tile_corners(tile);
    switch edge {
        case NORTH: { return c.xy; }
        case EAST: { return c.yw; }
        case SOUTH: { return c.zw; }
        default: { return c.xz; }
    }
}

fn edge_step(edge: u32) -> vec2i {
    // Columns run east, rows south.
    switch edge {
        case NORTH: { return vec2i(0, -1); }
        case EAST: { return vec2i(1, 0); }
        case SOUTH: { return vec2i(0, 1); }
        default: { return vec2i(-1, 0); }
    }
}

fn edge_opposite(edge: u32) -> u32 { return (edge + 2u) & 3u; }

// `true` if ground units can walk on a tile. It must have the flag, and must be neither under deep
// water nor steep (fact sheet E). The GPU twin of `Barrier::of`.
fn tile_is_walkable(tile: Tile) -> bool {
    let steep = tile_kind(tile) != FLAT && tile_ramp(tile) > MAX_GENTLE_RAMP;
    return tile_pathable(tile) && tile_base(tile) >= MIN_WALKABLE_BASE && !steep;
}
