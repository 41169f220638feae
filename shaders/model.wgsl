// Models: posed by joints and lit like in the engine. Joined after frame.wgsl, surface.wgsl,
// skin.wgsl and shadow.wgsl. Shared declarations come from `render/kinds/model`.
//
// Pipelines select the content of the surface by override constants, because software renderers
// execute both sides of every branch.

// Colour mode of the surface: SURFACE_*.
override SURFACE: u32 = 0u;
// `true` if the texture may have holes.
override HOLES: bool = false;
// `true` if a material is highlighted.
override HIGHLIGHTED: bool = false;
// `true` if shadows may fall on the model.
override IN_SHADOW: bool = false;
// `true` if the surface is mixed with what is behind it.
override BLENDED: bool = false;
// `true` if joints move any of its vertices.
override POSED: bool = true;

// Colour of each joint, as four bytes.
@group(1) @binding(2) var<storage, read> joint_colors: array<u32>;
@group(1) @binding(3) var<uniform> marks: Marks;

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var albedo_texture: texture_2d<f32>;
@group(2) @binding(2) var repeated: sampler;

struct Surface {
    @builtin(position) clip: vec4f,
    // Centroids stay inside the face, even if the pixel's centre lies outside.
    @location(0) @interpolate(perspective, centroid) world: vec3f,
    @location(1) @interpolate(perspective, centroid) normal: vec3f,
    @location(2) uv: vec2f,
    // Joint colour of the vertex; in the heat overlay, the weight of one joint in `x`.
    @location(3) joints: vec3f,
}

// An instance: `Place` in `render/kinds/model/instances.rs`. It is a vertex input, because software
// renderers fetch instance data once. They would fetch a buffer for each vertex.
struct Instance {
    // Rows of the matrix from model to world space.
    @location(4) x: vec4f,
    @location(5) y: vec4f,
    @location(6) z: vec4f,
    // Index of the first matrix of its palette.
    @location(7) palette_first: u32,
}

fn world_from_model(instance: Instance) -> Affine {
    return Affine(array(instance.x, instance.y, instance.z));
}

@vertex
fn vs_model(
    instance: Instance,
    @location(0) position: vec3f,
    @location(1) normal: vec2f,
    @location(2) uv: vec2f,
    @location(3) packed_influences: u32,
) -> Surface {
    var vertex = Posed(position, octahedral_normal(normal));
    if POSED {
        vertex = posed(vertex.position, vertex.normal, packed_influences, instance.palette_first);
    }
    let matrix = world_from_model(instance);
    let world = transformed_point(matrix, vertex.position);
    let world_normal = transformed_normal(matrix, vertex.normal);
    return Surface(
        frame.clip_from_world * vec4f(world, 1.0),
        world,
        unit(world_normal),
        uv,
        joint_influence(packed_influences),
    );
}

struct Caster {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
}

// The vertex as seen from the sun.
@vertex
fn vs_model_shadow(
    instance: Instance,
    @location(0) position: vec3f,
    @location(2) uv: vec2f,
    @location(3) packed_influences: u32,
) -> Caster {
    var vertex = position;
    if POSED {
        vertex = posed_point(position, packed_influences, instance.palette_first);
    }
    let world = transformed_point(world_from_model(instance), vertex);
    return Caster(frame.clip_from_world * vec4f(world, 1.0), uv);
}

// Normalizes a vector. If joints cancel each other out, the result is shorter than 1.
fn unit(vector: vec3f) -> vec3f {
    return vector / max(length(vector), 1e-6);
}

fn joint_influence(packed: u32) -> vec3f {
    let first = packed >> INFLUENCE_COUNT_BITS;
    let count = packed & ((1u << INFLUENCE_COUNT_BITS) - 1u);
    var result = vec3f(0.0);
    if SURFACE == SURFACE_JOINT_WEIGHTS {
        result = select(vec3f(0.0), vec3f(0.45), count == 0u);
        for (var i = first; i < first + count; i++) {
            let influence = influence_at(i);
            let color = unpack4x8unorm(joint_colors[influence.joint]).rgb;
            result += influence.weight * color;
        }
    }
    if SURFACE == SURFACE_HEAT {
        for (var i = first; i < first + count; i++) {
            let influence = influence_at(i);
            result.x += select(0.0, influence.weight, influence.joint == marks.joint);
        }
    }
    return result;
}

// ---- Light ---------------------------------------------------------------------------------

// Lights a colour like the engine (fact sheet B6).
fn lit(albedo: vec3f, world: vec3f, normal: vec3f) -> vec3f {
    let to_light = normalize(frame.light_position.xyz - world);
    let diffuse = material.diffuse.rgb * max(dot(normal, to_light), 0.0);
    let mirrored = reflect(-to_light, normal);
    let glare = max(dot(-view_direction(world), mirrored), 0.0);
    let specular = material.specular.rgb * (0.5 * glare * glare);
    let from_light = (1.5 * diffuse + 1.5 * specular) * frame.light_color.rgb;
    let ambient = 0.55 * material.ambient.rgb * frame.ambient_color.rgb;
    let color = albedo * (ambient + from_light) + material.emission.rgb;
    if IN_SHADOW {
        // Faces that point away from the sun are in shadow too.
        let faces_sun = smoothstep(-0.01, 0.08, dot(normal, frame.to_sun.xyz));
        let light = min(cast_light(world, normal), light_above_ground(world));
        return color * mix(SHADOW_LIGHT, 1.0, min(light, faces_sun));
    }
    return color;
}

// Samples the texture. Its first row of texels is the top, at v = 1.
fn albedo_at(uv: vec2f) -> vec4f {
    let color = textureSampleBias(albedo_texture, repeated, vec2f(uv.x, 1.0 - uv.y), -0.5);
    if HOLES && !BLENDED {
        if color.a <= 0.5 {
            discard;
        }
        return vec4f(color.rgb * color.a, 1.0);
    }
    return color;
}

// ---- Overlays ------------------------------------------------------------------------------

fn heat_color(weight: f32) -> vec3f {
    let at = clamp(weight, 0.0, 1.0) * 4.0;
    let step = min(u32(at), 3u);
    return mix(marks.heat[step].rgb, marks.heat[step + 1u].rgb, at - f32(step));
}

@fragment
fn fs_model(in: Surface, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let pixel = abs(dpdx(in.uv)) + abs(dpdy(in.uv));
    let texel = albedo_at(in.uv);
    let albedo = texel.rgb;
    // Back faces are lit with the same normals, as in the engine (fact sheet B4).
    let normal = unit(in.normal);
    var color: vec3f;
    if SURFACE == SURFACE_UNLIT {
        color = albedo;
    } else if SURFACE == SURFACE_NORMALS {
        color = normal * 0.5 + 0.5;
    } else if SURFACE == SURFACE_UV_CHECKER {
        color = uv_color(in.uv, pixel) * shade(normal);
    } else if SURFACE == SURFACE_JOINT_WEIGHTS {
        color = in.joints * shade(normal);
    } else if SURFACE == SURFACE_HEAT {
        color = heat_color(in.joints.x) * shade(normal);
    } else if SURFACE == SURFACE_REVERSED {
        color = marks.reversed.rgb * shade(normal);
    } else {
        color = lit(albedo, in.world, normal);
    }
    if SURFACE == SURFACE_BACK_FACES {
        color = select(marks.back_face.rgb * shade(-normal), color, is_front);
    }
    if HIGHLIGHTED {
        let chosen = mix(color, HIGHLIGHT_COLOR, 0.45);
        color = select(color * 0.55, chosen, material.index == marks.material);
    }
    let opacity = select(1.0, texel.a * material.emission.a, BLENDED);
    return vec4f(color, opacity);
}

// Writes depth into the shadow map, except at holes.
@fragment
fn fs_model_shadow(in: Caster) {
    _ = albedo_at(in.uv);
}

@fragment
fn fs_model_wire() -> @location(0) vec4f {
    return vec4f(0.02, 0.03, 0.05, 0.8);
}
