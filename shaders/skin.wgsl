// How joints move the vertices of models: the GPU twin of `scene/model/poses.rs`.

// The first three rows of an affine matrix: `SkinMatrix`.
struct Affine {
    x: vec4f,
    y: vec4f,
    z: vec4f,
}

// `PackedInfluence`.
struct Influence {
    // Index in the palette of the instance.
    joint: u32,
    // All weights of a vertex sum to 1.
    weight: f32,
}

struct Posed {
    position: vec3f,
    // Of any length.
    normal: vec3f,
}

@group(1) @binding(0) var<storage, read> influences: array<Influence>;
// Model space in the bind pose to model space as posed: the palettes of all instances.
@group(1) @binding(1) var<storage, read> palette: array<Affine>;

fn transformed_point(matrix: Affine, point: vec3f) -> vec3f {
    let p = vec4f(point, 1.0);
    return vec3f(dot(matrix.x, p), dot(matrix.y, p), dot(matrix.z, p));
}

// A normal goes through the inverse transpose, so that it stays upright on what is stretched.
fn transformed_normal(matrix: Affine, normal: vec3f) -> vec3f {
    let yz = cross(matrix.y.xyz, matrix.z.xyz);
    let zx = cross(matrix.z.xyz, matrix.x.xyz);
    let xy = cross(matrix.x.xyz, matrix.y.xyz);
    let determinant = dot(matrix.x.xyz, yz);
    // What is flattened has no inverse, but its normals still have a direction.
    let divisor = select(determinant, 1.0, determinant == 0.0);
    return vec3f(dot(yz, normal), dot(zx, normal), dot(xy, normal)) / divisor;
}

// A vertex of the bind pose as the palette that begins at `palette_first` poses it (fact sheet B3).
// `packed`: see `MeshVertex::influences`. One without any stays where it is.
fn posed(position: vec3f, normal: vec3f, packed: u32, palette_first: u32) -> Posed {
    let count = packed & ((1u << INFLUENCE_COUNT_BITS) - 1u);
    if count == 0u {
        return Posed(position, normal);
    }
    let first = packed >> INFLUENCE_COUNT_BITS;
    var result = Posed(vec3f(0.0), vec3f(0.0));
    for (var i = first; i < first + count; i++) {
        let influence = influences[i];
        let matrix = palette[palette_first + influence.joint];
        result.position += influence.weight * transformed_point(matrix, position);
        result.normal += influence.weight * transformed_normal(matrix, normal);
    }
    return result;
}
