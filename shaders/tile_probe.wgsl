// Tile functions of the GPU, for the test that compares them with the CPU. Joined after tile.wgsl.

@group(0) @binding(0) var<storage, read> probed: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> probes: array<TileProbe>;

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
        probes[index].normals[half] = array(normal.x, normal.y, normal.z);
        probes[index].layers[half] = tile_half_layer(tile, half);
    }
    for (var i = 0u; i < 4u; i++) {
        probes[index].halves_at[i] = tile_halves_at(tile, i);
        probes[index].halves_on |= tile_half_on(tile, i) << i;
        probes[index].edges[i] = tile_edge(tile, i);
    }
    probes[index].walkable = u32(tile_is_walkable(tile));
}
