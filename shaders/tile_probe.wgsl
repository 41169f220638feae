// What the GPU makes of tiles, for the test that compares it with the CPU. Joined after tile.wgsl.

struct Probe {
    // Levels at a grid of five by five points, in rows from the north-west.
    levels: array<f32, 25>,
    // Which half each of them is in.
    halves: array<u32, 25>,
    // Normal of the southern half, then of the northern.
    normals: array<f32, 6>,
    // Layer that each half shows.
    layers: array<u32, 2>,
    // The halves at each corner.
    halves_at: array<u32, 8>,
    // The half on each edge.
    halves_on: array<u32, 4>,
    // The ends of each edge.
    edges: array<i32, 8>,
}

@group(0) @binding(0) var<storage, read> probed: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> probes: array<Probe>;

@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3u) {
    let index = id.x;
    if index >= arrayLength(&probed) {
        return;
    }
    let tile = probed[index];
    for (var i = 0u; i < 25u; i++) {
        let uv = vec2f(f32(i % 5u), f32(i / 5u)) / 4.0;
        probes[index].levels[i] = tile_level_at(tile, uv);
        probes[index].halves[i] = tile_half_at(tile, uv);
    }
    for (var half = 0u; half < 2u; half++) {
        let normal = tile_normal(tile, half);
        probes[index].normals[half * 3u] = normal.x;
        probes[index].normals[half * 3u + 1u] = normal.y;
        probes[index].normals[half * 3u + 2u] = normal.z;
        probes[index].layers[half] = tile_half_layer(tile, half);
    }
    for (var i = 0u; i < 4u; i++) {
        let halves = tile_halves_at(tile, i);
        probes[index].halves_at[i * 2u] = halves.x;
        probes[index].halves_at[i * 2u + 1u] = halves.y;
        probes[index].halves_on[i] = tile_half_on(tile, i);
        let ends = tile_edge(tile, i);
        probes[index].edges[i * 2u] = ends.x;
        probes[index].edges[i * 2u + 1u] = ends.y;
    }
}
