// Skinning: the GPU twin of `scene/kinds/model/poses.rs`. `Affine` and `Influence` are declared in
// `render/kinds/model/mod.rs`, `texel_of` in `render/gpu/data_texture.rs`.

struct Posed {
    position: vec3f,
    // Not normalized.
    normal: vec3f,
}

// One texel per `Influence`. The weights of a vertex sum to 1. `joint` is an index into the palette
// of the instance.
@group(1) @binding(0) var influences: texture_2d<u32>;
// Matrices from the bind pose to the current pose, in model space. Contains the palettes of all
// instances, with one texel per matrix row.
@group(1) @binding(1) var palette: texture_2d<f32>;

fn influence_at(index: u32) -> Influence {
    let texel = textureLoad(influences, texel_of(index), 0);
    return Influence(texel.x, bitcast<f32>(texel.y));
}

fn palette_row(index: u32) -> vec4f {
    return textureLoad(palette, texel_of(index), 0);
}

fn palette_matrix(index: u32) -> Affine {
    let first = 3u * index;
    return Affine(array(palette_row(first), palette_row(first + 1u), palette_row(first + 2u)));
}

fn transformed_point(matrix: Affine, point: vec3f) -> vec3f {
    let p = vec4f(point, 1.0);
    return vec3f(dot(matrix.rows[0], p), dot(matrix.rows[1], p), dot(matrix.rows[2], p));
}

// Transforms a normal by the inverse transpose, so that it stays perpendicular to a stretched
// surface.
fn transformed_normal(matrix: Affine, normal: vec3f) -> vec3f {
    let x = matrix.rows[0].xyz;
    let y = matrix.rows[1].xyz;
    let z = matrix.rows[2].xyz;
    let yz = cross(y, z);
    let zx = cross(z, x);
    let xy = cross(x, y);
    let determinant = dot(x, yz);
    // A flattening matrix has no inverse, but the normals keep a direction.
    let divisor = select(determinant, 1.0, determinant == 0.0);
    return vec3f(dot(yz, normal), dot(zx, normal), dot(xy, normal)) / divisor;
}

// Position of a posed vertex, like `posed`.
fn posed_point(position: vec3f, packed: u32, palette_first: u32) -> vec3f {
    let count = packed & ((1u << INFLUENCE_COUNT_BITS) - 1u);
    if count == 0u {
        return position;
    }
    let first = packed >> INFLUENCE_COUNT_BITS;
    var result = vec3f(0.0);
    for (var i = first; i < first + count; i++) {
        let influence = influence_at(i);
        let matrix = palette_matrix(palette_first + influence.joint);
        result += influence.weight * transformed_point(matrix, position);
    }
    return result;
}

// Poses a vertex of the bind pose with the palette that starts at `palette_first` (fact sheet B3).
// `packed` is described at `MeshVertex::influences`. A vertex without influences stays in place.
fn posed(position: vec3f, normal: vec3f, packed: u32, palette_first: u32) -> Posed {
    let count = packed & ((1u << INFLUENCE_COUNT_BITS) - 1u);
    if count == 0u {
        return Posed(position, normal);
    }
    let first = packed >> INFLUENCE_COUNT_BITS;
    var result = Posed(vec3f(0.0), vec3f(0.0));
    for (var i = first; i < first + count; i++) {
        let influence = influence_at(i);
        let matrix = palette_matrix(palette_first + influence.joint);
        result.position += influence.weight * transformed_point(matrix, position);
        result.normal += influence.weight * transformed_normal(matrix, normal);
    }
    return result;
}
