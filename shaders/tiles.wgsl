// 2D maps: layers of tiles. A fragment looks up its cell in a buffer, and the cell's tile in an
// array of pages. Joined after frame.wgsl. Shared declarations come from `render/kinds/tiles`.

// Variants of pipelines:
// - `COLORS`: cells are colours instead of tiles.
// - `OPAQUE`: tiles hide the layers below, despite their transparency.
// - `TINTED`: cells have tints.
// - `REMAPPED`: tiles are animated.
// - `MASKED`: some cells are not drawn, or the layer has surroundings.
// - `WRAPS`: the layer repeats.
// - `HIGHLIGHTS`: the uses of one tile are highlighted.
// - `SQUARE`: tiles are as high as wide.
// - `FAR`: tiles may be smaller than a pixel.
override COLORS: bool = false;
override OPAQUE: bool = false;
override TINTED: bool = false;
override REMAPPED: bool = false;
override MASKED: bool = false;
override WRAPS: bool = false;
override HIGHLIGHTS: bool = false;
override SQUARE: bool = false;
override FAR: bool = false;
// The layer is split into several buffers, and each draw covers the whole frame.
override PARTED: bool = false;
// Colours are drawn as stripes.
override HATCHED: bool = false;
// Maximum number of samples per pixel at a grazing angle to the layer.
override PARTS: f32 = 1.0;

@group(1) @binding(0) var<uniform> draw: Draw;
// Cells, colours, or the pixels of sprites.
@group(1) @binding(1) var<storage, read> cells: array<u32>;
@group(1) @binding(2) var pages: texture_2d_array<f32>;
// The image to show in place of each image.
@group(1) @binding(3) var<storage, read> remap: array<u32>;
// Corner tints of each cell: upper left, upper right, lower left, lower right.
@group(1) @binding(4) var<storage, read> tints: array<vec4u>;
// The overview: averages of cells, multiplied by opacity. When a mip level is built, the level
// above it.
@group(2) @binding(0) var source: texture_2d<f32>;
@group(2) @binding(1) var source_sampler: sampler;
// The same for pages. OpenGL cannot bind a layer of an array as a 2D texture.
@group(2) @binding(2) var source_pages: texture_2d_array<f32>;

// ---- Cells ----

struct Found {
    value: u32,
    // Its index in the buffer, or NOWHERE for a cell outside.
    index: u32,
}

const NOWHERE = 0xffffffffu;

fn find(at: vec2i) -> Found {
    var cell = at;
    if WRAPS {
        let turns = vec2i(floor((vec2f(cell) + 0.5) * draw.per_size));
        let wraps = (vec2u(draw.flags) & vec2u(WRAPS_X, WRAPS_Y)) != vec2u(0u);
        cell -= select(vec2i(0), turns * draw.size, wraps);
    }
    let is_inside = cell.x >= 0 && cell.x < draw.size.x && cell.y >= draw.rows.x && cell.y < draw.rows.y;
    if !is_inside {
        if MASKED {
            // Cells inside the layer may belong to other parts of it.
            let is_elsewhere = cell.x >= 0 && cell.x < draw.size.x && cell.y >= 0 && cell.y < draw.size.y;
            return Found(chosen(select(draw.outside, IMAGE, is_elsewhere)), NOWHERE);
        }
        return Found(select(IMAGE, 0u, COLORS), NOWHERE);
    }
    let index = u32((cell.y - draw.first_row) * draw.size.x + cell.x);
    return Found(chosen(cells[index]), index);
}

// The cell, or an empty cell if it is not drawn.
fn chosen(value: u32) -> u32 {
    if !MASKED {
        return value;
    }
    let is_zero = (draw.flags & SKIPS_ZERO) != 0u && (value & IMAGE) == 0u;
    let has_priority = (value & PRIORITY) != 0u;
    let is_of_other_pass = (draw.flags & select(PRIORITY_ONLY, NORMAL_ONLY, has_priority)) != 0u;
    return select(value, IMAGE, is_zero || is_of_other_pass);
}

// ---- Colours ----

// Column, row and page of the visible image of a tile.
fn place_of(image: u32) -> vec3i {
    var shown = image;
    if REMAPPED {
        shown = remap[image];
    }
    let place = vec2u(shown, shown >> draw.page.x) & ((vec2u(1u) << draw.page.xy) - 1u);
    return vec3i(vec2i(place), i32(shown >> (draw.page.x + draw.page.y)));
}

// Colour of a cell at a position, in pixels from its top left. Not multiplied by opacity.
fn color_of(found: Found, inside: vec2f, level: u32, footprint: vec2f) -> vec4f {
    if COLORS {
        return unpack4x8unorm(found.value);
    }
    let image = found.value & IMAGE;
    if image >= draw.count {
        return vec4f(0.0);
    }
    let size = vec2u(draw.tile);
    let pixel = min(vec2u(max(inside, vec2f(0.0))), size - 1u);
    let mirrored = (vec2u(found.value) & vec2u(MIRROR_X, MIRROR_Y)) != vec2u(0u);
    var at = select(pixel, size - 1u - pixel, mirrored);
    if SQUARE {
        at = select(at, at.yx, (found.value & SWAP_AXES) != 0u);
    } else if (found.value & SWAP_AXES) != 0u {
        at = at.yx * size / size.yx;
    }
    let place = place_of(image);
    let texel = ((vec2u(place.xy) << draw.page.zw) | at) >> vec2u(level);
    var color = textureLoad(pages, vec2i(texel), place.z, i32(level));
    if OPAQUE {
        color.a = 1.0;
    }
    if TINTED && found.index != NOWHERE {
        color = tinted(color, tints[found.index], (vec2f(pixel) + 0.5) * draw.per_tile);
    }
    if HIGHLIGHTS {
        color = highlighted(color, image == draw.highlighted, inside, footprint);
    }
    return color;
}

// Applies the tint at a position in a cell, from 0 to 1 in both directions.
fn tinted(color: vec4f, corners: vec4u, at: vec2f) -> vec4f {
    let upper = mix(unpack4x8unorm(corners.x), unpack4x8unorm(corners.y), at.x);
    let lower = mix(unpack4x8unorm(corners.z), unpack4x8unorm(corners.w), at.x);
    let tint = mix(upper, lower, at.y) * 255.0;
    let darker = color.rgb * tint.rgb / 128.0;
    let lighter = 1.0 - (1.0 - color.rgb) * (255.0 - tint.rgb) / 127.0;
    return vec4f(select(lighter, darker, tint.rgb < vec3f(128.0)), color.a * tint.a / 255.0);
}

fn highlighted(color: vec4f, is_use: bool, inside: vec2f, footprint: vec2f) -> vec4f {
    if !is_use {
        let grey = dot(color.rgb, vec3f(0.3, 0.59, 0.11));
        return vec4f(mix(vec3f(grey), color.rgb, 0.4) * 0.35, color.a);
    }
    // In pixels of the output image.
    let side = draw.tile / footprint;
    let from_edge = min(inside, draw.tile - inside) / footprint;
    let is_edge = min(from_edge.x, from_edge.y) < clamp(min(side.x, side.y) / 10.0, 1.0, 2.5);
    let is_small = min(side.x, side.y) < 6.0;
    if is_small || is_edge {
        return vec4f(ACCENT, select(1.0, 0.85, is_small));
    }
    return color;
}

fn multiplied(color: vec4f) -> vec4f {
    return vec4f(color.rgb * color.a, color.a);
}

fn divided(color: vec4f) -> vec4f {
    return vec4f(color.rgb / max(color.a, 1e-5), color.a);
}

// ---- Stripes ----

// Diagonal stripes in a colour and in a darker one. `bright` is the coverage of the bright stripes.
// The GPU twin of `hatched` in `scene/kinds/tilemap/grids.rs`.
fn hatched(color: vec4f, bright: f32) -> vec4f {
    let dark = vec4f(color.rgb * 0.2, color.a * DARK_STRIPES);
    return divided(mix(multiplied(dark), multiplied(color), bright));
}

// Total bright length before a position. Stripes begin at whole numbers.
fn bright_before(at: f32) -> f32 {
    return floor(at) * 0.5 + min(fract(at), 0.5);
}

// Coverage of bright stripes around a position, in pixels from `first_cell`.
fn bright_share(at: vec2f, footprint: vec2f) -> f32 {
    let px = vec2f(draw.first_cell) * draw.tile + at;
    let middle = (px.x + px.y) / draw.hatch;
    let half = max(footprint.x + footprint.y, 0.01) * 0.5 / draw.hatch;
    return (bright_before(middle + half) - bright_before(middle - half)) / (half * 2.0);
}

// ---- Whole pixels ----

struct Flat {
    @builtin(position) clip: vec4f,
}

// Corners of two triangles: x and y are 0 or 1.
fn corner(vertex: u32) -> vec2f {
    return vec2f(f32((0x2cu >> vertex) & 1u), f32((0x32u >> vertex) & 1u));
}

@vertex
fn vs_flat(@builtin(vertex_index) vertex: u32) -> Flat {
    return Flat(vec4f(mix(draw.rect.xy, draw.rect.zw, corner(vertex)), 0.0, 1.0));
}

// `true` if this part of the layer draws a position. The first part also draws the area above and
// below the layer.
fn is_of_this_part(at: vec2f) -> bool {
    var row = draw.first_cell.y + i32(floor(at.y * draw.per_tile.y));
    if (draw.flags & WRAPS_Y) != 0u && WRAPS {
        row -= i32(floor((f32(row) + 0.5) * draw.per_size.y)) * draw.size.y;
    }
    let is_outside = row < 0 || row >= draw.size.y;
    let is_drawn = row >= draw.drawn_rows.x && row < draw.drawn_rows.y;
    return select(is_drawn, draw.drawn_rows.x == 0, is_outside);
}

// Used if every pixel of the frame lies within one pixel of the map.
@fragment
fn fs_exact(in: Flat) -> @location(0) vec4f {
    let at = in.clip.xy * draw.pixel + draw.offset;
    if PARTED && !is_of_this_part(at) {
        return vec4f(0.0);
    }
    let cell = floor(at * draw.per_tile);
    var color = color_of(find(draw.first_cell + vec2i(cell)), at - cell * draw.tile, 0u, vec2f(draw.pixel));
    if HATCHED {
        let px = draw.first_cell * vec2i(draw.tile) + vec2i(floor(at));
        let apart = i32(draw.hatch);
        let stripe = ((px.x + px.y) % apart + apart) % apart;
        color = hatched(color, select(0.0, 1.0, stripe * 2 < apart));
    }
    return vec4f(color.rgb, color.a * draw.opacity);
}

// ---- Parts of pixels ----

struct Plane {
    @builtin(position) clip: vec4f,
    // Position in pixels from the top left of the layer.
    @location(0) at: vec2f,
}

@vertex
fn vs_plane(@builtin(vertex_index) vertex: u32) -> Plane {
    let at = mix(draw.rect.xy, draw.rect.zw, corner(vertex));
    let world = draw.place.xyz + vec3f(at.x, 0.0, at.y);
    return Plane(frame.clip_from_world * vec4f(world, 1.0), at);
}

// Colour at a position in pixels from the top left of `first_cell`, multiplied by opacity.
fn tap(at: vec2f, level: u32, footprint: vec2f) -> vec4f {
    let cell = floor(at * draw.per_tile);
    let found = find(draw.first_cell + vec2i(cell));
    return multiplied(color_of(found, at - cell * draw.tile, level, footprint));
}

// Averages a rectangle around a position. The rectangle is no larger than a texel of the mip level,
// so it touches at most two texels in each direction.
fn filtered(at: vec2f, footprint: vec2f) -> vec4f {
    // For an elongated footprint, slight aliasing along it is preferred to blur across it.
    let narrower = min(footprint.x, footprint.y);
    let wider = max(footprint.x, footprint.y);
    let sharp = max(narrower, wider * 0.5);
    let level = clamp(ceil(log2(sharp) - select(0.4, 0.01, narrower == wider)), 0.0, f32(draw.last_level));
    let texel = select(vec2f(exp2(level)), draw.tile, COLORS);
    let seen = min(footprint, texel);
    let a = at - seen * 0.5;
    let b = at + seen * 0.5;
    let cell = floor(b * draw.per_tile) * draw.tile;
    let begin = cell + floor((b - cell) / texel) * texel;
    let share = saturate((b - begin) / seen);
    let l = u32(level);
    let upper = mix(tap(a, l, footprint), tap(vec2f(b.x, a.y), l, footprint), share.x);
    let lower = mix(tap(vec2f(a.x, b.y), l, footprint), tap(b, l, footprint), share.x);
    return mix(upper, lower, share.y);
}

// Used if several cells lie in one pixel of the frame.
fn from_afar(at: vec2f, footprint: vec2f) -> vec4f {
    let whole = vec2f(draw.size) * draw.tile;
    let from_corner = vec2f(draw.first_cell) * draw.tile + at;
    var share = from_corner / whole;
    let part = min(footprint, whole);
    var covered = saturate((min(from_corner + part * 0.5, whole) - max(from_corner - part * 0.5, vec2f(0.0))) / part);
    if WRAPS {
        let wraps = (vec2u(draw.flags) & vec2u(WRAPS_X, WRAPS_Y)) != vec2u(0u);
        share = select(share, fract(share), wraps);
        covered = select(covered, vec2f(1.0), wraps);
    }
    let texels = footprint / whole * vec2f(textureDimensions(source));
    let color = textureSampleLevel(source, source_sampler, share, log2(max(texels.x, texels.y)));
    var around = vec4f(0.0);
    if MASKED {
        around = average(Found(chosen(draw.outside), NOWHERE), footprint);
    }
    return mix(around, color, covered.x * covered.y);
}

// Fades from tiles to the overview. The fade starts when a pixel covers the share `begin` of a
// tile, and ends at a whole tile.
fn smooth_color(at: vec2f, footprint: vec2f, begin: f32) -> vec4f {
    var color: vec4f;
    if FAR {
        let tiles = footprint * draw.per_tile;
        let far = smoothstep(begin, 1.01, max(tiles.x, tiles.y));
        if far < 1.0 {
            color = filtered(at, footprint) * (1.0 - far);
        }
        if far > 0.0 {
            color += from_afar(at, footprint) * far;
        }
    } else {
        color = filtered(at, footprint);
    }
    var straight = divided(color);
    if HATCHED {
        straight = hatched(straight, bright_share(at, footprint));
    }
    return vec4f(straight.rgb, straight.a * draw.opacity);
}

@fragment
fn fs_smooth(in: Flat) -> @location(0) vec4f {
    let at = in.clip.xy * draw.pixel + draw.offset;
    if PARTED && !is_of_this_part(at) {
        return vec4f(0.0);
    }
    return smooth_color(at, vec2f(draw.pixel), 1.001);
}

@fragment
fn fs_plane(in: Plane) -> @location(0) vec4f {
    let across = dpdx(in.at);
    let down = dpdy(in.at);
    // The fade is wide, so that no border is visible between near and far parts.
    let begin = 0.7;
    if PARTS == 1.0 {
        return smooth_color(in.at, around_both(across, down), begin);
    }
    let is_across = length(across) > length(down);
    let longer = select(down, across, is_across);
    let shorter = select(across, down, is_across);
    let ratio = length(longer) / max(length(shorter), 1.0);
    let count = clamp(round(ratio), 1.0, PARTS);
    let footprint = around_both(longer / count, shorter);
    var sum = vec4f(0.0);
    for (var i = 0.5; i < count; i += 1.0) {
        sum += multiplied(smooth_color(in.at + longer * (i / count - 0.5), footprint, begin));
    }
    return divided(sum / count);
}

// Width and height of the box around two vectors.
fn around_both(a: vec2f, b: vec2f) -> vec2f {
    return max(sqrt(a * a + b * b), vec2f(1e-6));
}

// Size of the area of a layer that a pixel of the frame covers.
fn footprint_of(at: vec2f) -> vec2f {
    return around_both(dpdx(at), dpdy(at));
}

// ---- Averages ----

struct Build {
    @builtin(position) clip: vec4f,
    // Two 16-bit numbers.
    @location(0) @interpolate(flat) numbers: vec2u,
    @location(1) @interpolate(flat) level: u32,
}

@vertex
fn vs_build(@builtin(vertex_index) vertex: u32, @builtin(instance_index) numbers: u32) -> Build {
    let corner = vertex % 3u;
    let at = vec2f(f32((corner << 1u) & 2u), f32(corner & 2u)) * 2.0 - 1.0;
    return Build(vec4f(at, 0.0, 1.0), vec2u(numbers & 0xffffu, numbers >> 16u), vertex / 3u);
}

// Average colour of a cell, multiplied by opacity.
fn average(found: Found, footprint: vec2f) -> vec4f {
    if COLORS {
        return multiplied(unpack4x8unorm(found.value));
    }
    if SQUARE && !TINTED && !HIGHLIGHTS {
        // The last mip level has one texel, regardless of the orientation.
        let image = found.value & IMAGE;
        if image >= draw.count {
            return vec4f(0.0);
        }
        let place = place_of(image);
        let color = textureLoad(pages, place.xy, place.z, i32(draw.last_level));
        return select(multiplied(color), vec4f(color.rgb, 1.0), OPAQUE);
    }
    // Tiles that are not square have several texels in the last mip level.
    let texel = exp2(f32(draw.last_level));
    let count = vec2u(ceil(draw.tile / texel));
    var sum = vec4f(0.0);
    for (var y = 0u; y < count.y; y++) {
        for (var x = 0u; x < count.x; x++) {
            let inside = (vec2f(f32(x), f32(y)) + 0.5) * min(vec2f(texel), draw.tile);
            sum += multiplied(color_of(found, inside, draw.last_level, footprint));
        }
    }
    return sum / f32(count.x * count.y);
}

// The average of a group of cells. `numbers` is the size of the target texture.
@fragment
fn fs_overview(in: Build) -> @location(0) vec4f {
    let scale = vec2f(draw.size) / vec2f(in.numbers);
    let first = floor(in.clip.xy) * scale;
    let last = first + scale;
    var sum = vec4f(0.0);
    if all(scale == vec2f(2.0)) {
        // The usual case.
        let at = vec2i(first);
        for (var i = 0; i < 4; i++) {
            sum += average(find(at + vec2i(i & 1, i >> 1u)), draw.tile * 8.0);
        }
        return sum * 0.25;
    }
    for (var y = floor(first.y); y < last.y - 1e-3; y += 1.0) {
        for (var x = floor(first.x); x < last.x - 1e-3; x += 1.0) {
            let at = vec2f(x, y);
            let covered = max(min(at + 1.0, last) - max(at, first), vec2f(0.0));
            sum += average(find(vec2i(at)), draw.tile * 8.0) * covered.x * covered.y;
        }
    }
    return sum / (scale.x * scale.y);
}

// The next mip level of an overview of any size. `numbers` is the size of the target level.
@fragment
fn fs_overview_level(in: Build) -> @location(0) vec4f {
    let scale = vec2f(textureDimensions(source)) / vec2f(in.numbers);
    let first = floor(in.clip.xy) * scale;
    let last = first + scale;
    var sum = vec4f(0.0);
    for (var y = floor(first.y); y < last.y - 1e-3; y += 1.0) {
        for (var x = floor(first.x); x < last.x - 1e-3; x += 1.0) {
            let at = vec2f(x, y);
            let covered = max(min(at + 1.0, last) - max(at, first), vec2f(0.0));
            sum += textureLoad(source, vec2i(at), 0) * covered.x * covered.y;
        }
    }
    return sum / (scale.x * scale.y);
}

// The next mip level of a page, separately for each tile. `numbers` is the size of a tile. The low
// bits of `level` are the level, the others the page. The padding of tiles whose sides are not
// powers of two is ignored.
@fragment
fn fs_page_level(in: Build) -> @location(0) vec4f {
    let size = vec2i(in.numbers);
    let bits = 32u - countLeadingZeros(in.numbers - 1u);
    let level = in.level & ((1u << LEVEL_BITS) - 1u);
    let page = i32(in.level >> LEVEL_BITS);
    let texel = i32(1u << (level - 1u));
    let at = vec2u(in.clip.xy);
    let inside = at & ((vec2u(1u) << (bits - level)) - 1u);
    var sum = vec4f(0.0);
    var plain = vec3f(0.0);
    var weight = 0.0;
    for (var i = 0u; i < 4u; i++) {
        let step = vec2u(i & 1u, i >> 1u);
        let covered = clamp(size - vec2i(inside * 2u + step) * texel, vec2i(0), vec2i(texel));
        let share = f32(covered.x) * f32(covered.y);
        let color = textureLoad(source_pages, vec2i(at * 2u + step), page, 0);
        sum += multiplied(color) * share;
        plain += color.rgb * share;
        weight += share;
    }
    // Transparent texels keep their colour for opaque layers.
    let straight = select(plain / max(weight, 1.0), sum.rgb / max(sum.a, 1e-5), sum.a > 0.0);
    return vec4f(straight, sum.a / max(weight, 1.0));
}

// ---- Sprites ----

struct Sprite {
    @builtin(position) clip: vec4f,
    // Position in pixels of the sprite's image.
    @location(0) at: vec2f,
    // Index of its first pixel in the buffer, width and height.
    @location(1) @interpolate(flat) image: vec3u,
}

@vertex
fn vs_sprite(
    @builtin(vertex_index) vertex: u32,
    @location(0) rect: vec4f,
    @location(1) image: vec3u,
) -> Sprite {
    let share = corner(vertex);
    let on_map = mix(rect.xy, rect.zw, share);
    var clip: vec4f;
    if draw.pixel > 0.0 {
        let on_frame = (on_map - draw.offset) / (draw.pixel * frame.size);
        clip = vec4f(on_frame.x * 2.0 - 1.0, 1.0 - on_frame.y * 2.0, 0.0, 1.0);
    } else {
        let world = draw.place.xyz + vec3f(on_map.x, 0.0, on_map.y);
        clip = frame.clip_from_world * vec4f(world, 1.0);
    }
    return Sprite(clip, share * vec2f(image.yz), image);
}

fn sprite_pixel(image: vec3u, at: vec2f) -> vec4f {
    let pixel = min(vec2u(max(at, vec2f(0.0))), image.yz - 1u);
    return unpack4x8unorm(cells[image.x + pixel.y * image.y + pixel.x]);
}

@fragment
fn fs_sprite_exact(in: Sprite) -> @location(0) vec4f {
    let color = sprite_pixel(in.image, in.at);
    return vec4f(color.rgb, color.a * draw.opacity);
}

@fragment
fn fs_sprite(in: Sprite) -> @location(0) vec4f {
    let footprint = footprint_of(in.at);
    // Samples the footprint evenly. It is at most a few pixels wide.
    let count = clamp(ceil(max(footprint.x, footprint.y) * 2.0), 2.0, 8.0);
    var sum = vec4f(0.0);
    for (var y = 0.5; y < count; y += 1.0) {
        for (var x = 0.5; x < count; x += 1.0) {
            let at = in.at + (vec2f(x, y) / count - 0.5) * footprint;
            sum += multiplied(sprite_pixel(in.image, at));
        }
    }
    let color = divided(sum / (count * count));
    return vec4f(color.rgb, color.a * draw.opacity);
}

// ---- Backdrop and lines ----

// The area behind a flat map: black as in the game, with a frame around it. `rect` is the map in
// pixels of the frame.
@fragment
fn fs_backdrop(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let from_edge = min(clip.xy - draw.rect.xy, draw.rect.zw - clip.xy);
    let inside = min(from_edge.x, from_edge.y);
    let around = select(vec3f(0.085, 0.092, 0.102), vec3f(0.36, 0.39, 0.42), inside > -1.0);
    return vec4f(select(around, vec3f(0.0), inside > 0.0), 1.0);
}

@vertex
fn vs_backdrop(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(f32((vertex << 1u) & 2u) * 2.0 - 1.0, f32(vertex & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

// Light lines with a dark side, which is visible on light images.
fn line_color(light: f32, dark: f32) -> vec4f {
    let color = select(vec3f(0.0), vec3f(1.0), light >= dark);
    return vec4f(color, max(light, dark));
}

// Lines of one frame pixel where a new tile or a new map pixel begins.
@fragment
fn fs_lines(in: Flat) -> @location(0) vec4f {
    let at = in.clip.xy * draw.pixel + draw.offset;
    let tile = floor(at * draw.per_tile);
    let before = floor((at - draw.pixel) * draw.per_tile);
    let before_that = floor((at - draw.pixel * 2.0) * draw.per_tile);
    let light = any(tile != before);
    let dark = any(before != before_that);
    let is_pixel = any(floor(at) != floor(at - draw.pixel));
    let tiles = line_color(select(0.0, 0.55, light), select(0.0, 0.3, dark)) * vec4f(vec3f(1.0), draw.lines.x);
    let pixels = vec4f(vec3f(0.0), select(0.0, 0.35, is_pixel) * draw.lines.y);
    if tiles.a > 0.0 {
        return tiles;
    }
    return pixels;
}

// Coverage of a pixel by lines with a distance of `apart`.
fn covered_by_lines(at: vec2f, apart: vec2f, footprint: vec2f) -> f32 {
    let from_line = abs(fract(at / apart - 0.5) - 0.5) * apart;
    let lines = saturate(vec2f(1.0) - from_line / footprint);
    // Lines with a distance of only a few pixels would flicker.
    let seen = saturate(apart / (footprint * 4.0) - 1.0);
    return max(lines.x * seen.x, lines.y * seen.y);
}

@fragment
fn fs_plane_lines(in: Plane) -> @location(0) vec4f {
    let footprint = footprint_of(in.at);
    let tiles = covered_by_lines(in.at, draw.tile, footprint) * draw.lines.x * 0.55;
    let near = saturate((1.0 / max(footprint.x, footprint.y) - 5.0) / 5.0);
    let pixels = covered_by_lines(in.at, vec2f(1.0), footprint) * draw.lines.y * near * 0.35;
    return select(vec4f(vec3f(0.0), pixels), vec4f(vec3f(1.0), tiles), tiles >= pixels);
}
