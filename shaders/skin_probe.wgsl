// Skinning results of the GPU, for the test that compares them with the CPU. Joined after
// skin.wgsl.

// `MeshVertex`.
struct Vertex {
    position: array<f32, 3>,
    normal: u32,
    uv: array<f32, 2>,
    influences: u32,
}

@group(0) @binding(0) var<storage, read> vertices: array<Vertex>;
// The results of all vertices for the first palette, then for the second, and so on.
@group(0) @binding(1) var<storage, read_write> probes: array<SkinningProbe>;
// Number of matrices per palette.
@group(0) @binding(2) var<uniform> palette_length: u32;

@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3u) {
    let count = arrayLength(&vertices);
    if id.x >= count {
        return;
    }
    let vertex = vertices[id.x];
    let position = vec3f(vertex.position[0], vertex.position[1], vertex.position[2]);
    let normal = octahedral_normal(unpack2x16snorm(vertex.normal));
    let result = posed(position, normal, vertex.influences, id.y * palette_length);
    let turned = normalize(result.normal);
    let at = id.y * count + id.x;
    probes[at].position = array(result.position.x, result.position.y, result.position.z);
    probes[at].normal = array(turned.x, turned.y, turned.z);
}
