// Levels: textures times lightmaps, blended like in the engine. Joined after frame.wgsl,
// surface.wgsl and sky.wgsl. Shared declarations come from `render/kinds/level`.
//
// Pipelines select the content of the surface by override constants, because software renderers
// execute both sides of every branch.

// Colour mode of the surface: SURFACE_*.
override SURFACE: u32 = 0u;
// `true` if there is a texture.
override TEXTURED: bool = false;
// `true` if there is a matcap texture.
override MATCAP: bool = false;
// `true` if the surface moves in waves.
override LIQUID: bool = false;
// `true` if vertices have a tint.
override TINTED: bool = false;
// `true` if a material is highlighted.
override HIGHLIGHTED: bool = false;
// `true` if a clip box cuts the surface.
override CUT: bool = false;
// Blend mode: BLEND_*.
override BLEND: u32 = 0u;
// `true` if an additive surface is alpha blended as a veil.
override VEIL: bool = false;

// Colour of the cut surfaces of a level.
const CAP_COLOR: vec3f = vec3f(0.36, 0.24, 0.22);
// Opacity of a veil.
const VEIL_OPACITY: f32 = 0.25;

@group(1) @binding(0) var<uniform> look: Look;

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var picture: texture_2d<f32>;
@group(2) @binding(2) var matcap: texture_2d<f32>;
@group(2) @binding(3) var material_sampler: sampler;

@group(3) @binding(0) var lightmaps: texture_2d<f32>;
@group(3) @binding(1) var lightmap_sampler: sampler;

// Inputs of a surface in most views. Software renderers pay for every interpolated value.
struct Plain {
    @builtin(position) clip: vec4f,
    // Texture coordinates.
    @location(0) uv: vec2f,
    // Lightmap page coordinates. They are centroids, because neighbouring faces have unrelated
    // lightmaps.
    @location(1) @interpolate(perspective, centroid) lightmap_uv: vec2f,
}

struct PlainTinted {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) @interpolate(perspective, centroid) lightmap_uv: vec2f,
    // Additional light.
    @location(2) tint: vec3f,
}

struct Surface {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) @interpolate(perspective, centroid) lightmap_uv: vec2f,
    // Additional light or a colour. `w` scales the result.
    @location(2) tint: vec4f,
    @location(3) world: vec3f,
    @location(4) normal: vec3f,
}

@vertex
fn vs_plain(
    @location(0) position: vec3f,
    @location(2) uv: vec2f,
    @location(3) lightmap_uv: vec2f,
) -> Plain {
    return Plain(frame.clip_from_world * vec4f(position, 1.0), uv, lightmap_uv);
}

@vertex
fn vs_plain_tinted(
    @location(0) position: vec3f,
    @location(2) uv: vec2f,
    @location(3) lightmap_uv: vec2f,
    @location(4) tint: vec4f,
) -> PlainTinted {
    let clip = frame.clip_from_world * vec4f(position, 1.0);
    return PlainTinted(clip, uv, lightmap_uv, tint.rgb);
}

@vertex
fn vs_level(
    @location(0) position: vec3f,
    @location(1) normal: vec2f,
    @location(2) uv: vec2f,
    @location(3) lightmap_uv: vec2f,
    @location(4) tint: vec4f,
) -> Surface {
    return Surface(
        frame.clip_from_world * vec4f(position, 1.0),
        uv,
        lightmap_uv,
        tint,
        position,
        octahedral_normal(normal),
    );
}

// Wave heights of a liquid at a position, from -1 to 1 in two directions. The documentation of the
// format names the fields of a wave without further details.
fn wave(world: vec3f) -> vec2f {
    let along = world - material.wave.xyz * look.cut_min.w;
    let phase = vec2f(
        dot(along, vec3f(1.3, 0.9, 0.7)),
        dot(along, vec3f(-0.6, 0.8, 1.5)),
    );
    let swell = material.wave_offset + look.cut_min.w * 1.7;
    return sin(phase * 2.2 + vec2f(swell, 1.3 * swell)) * min(material.wave.w, 1.0);
}

// Matcap coordinates of a normal, relative to the camera.
fn matcap_uv(normal: vec3f) -> vec2f {
    let right = normalize(frame.right.xyz);
    let up = normalize(frame.up.xyz);
    return vec2f(dot(normal, right), -dot(normal, up)) * 0.49 + 0.5 + material.scroll.zw * look.cut_min.w;
}

@fragment
fn fs_plain(in: Plain) -> @location(0) vec4f {
    return shaded(Surface(in.clip, in.uv, in.lightmap_uv, vec4f(0.0), vec3f(0.0), vec3f(0.0)), true);
}

@fragment
fn fs_plain_tinted(in: PlainTinted) -> @location(0) vec4f {
    let tint = vec4f(in.tint, 1.0);
    return shaded(Surface(in.clip, in.uv, in.lightmap_uv, tint, vec3f(0.0), vec3f(0.0)), true);
}

@fragment
fn fs_level(in: Surface, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return shaded(in, is_front);
}

fn shaded(in: Surface, is_front: bool) -> vec4f {
    var albedo = material.color;
    var uv = in.uv;
    if LIQUID {
        let height = wave(in.world);
        uv += height * 0.03;
        albedo = vec4f(albedo.rgb * (1.0 + 0.05 * (height.x + height.y)), albedo.a);
    }
    if TEXTURED {
        uv += material.scroll.xy * look.cut_min.w;
        albedo *= textureSample(picture, material_sampler, uv);
    }
    let normal = normalize(in.normal);
    var light = textureSampleLevel(lightmaps, lightmap_sampler, in.lightmap_uv, 0.0).rgb;
    if TINTED && SURFACE != SURFACE_TINT {
        light = min(light + in.tint.rgb, vec3f(1.0));
    }
    var emission = material.emission.rgb;
    if MATCAP {
        emission += textureSample(matcap, material_sampler, matcap_uv(normal)).rgb;
    }

    var color: vec3f;
    if SURFACE == SURFACE_LIGHTMAP {
        color = light;
    } else if SURFACE == SURFACE_UNLIT {
        color = albedo.rgb + emission;
    } else if SURFACE == SURFACE_NORMALS {
        color = normal * 0.5 + 0.5;
    } else if SURFACE == SURFACE_UV_CHECKER {
        let pixel = abs(dpdx(in.uv)) + abs(dpdy(in.uv));
        color = uv_color(in.uv, pixel) * shade(normal);
    } else if SURFACE == SURFACE_TINT {
        color = in.tint.rgb * shade(normal);
    } else {
        color = albedo.rgb * light + emission;
    }
    if TINTED {
        color *= in.tint.a;
    }
    if SURFACE == SURFACE_BACK_FACES {
        color = select(look.back_face.rgb * shade(-normal), color, is_front);
    }
    if HIGHLIGHTED {
        let chosen = mix(color, HIGHLIGHT_COLOR, 0.45);
        color = select(color * 0.55, chosen, material.index == look.material);
    }
    if CUT {
        if any(in.world < look.cut_min.xyz) || any(in.world > look.cut_max.xyz) {
            discard;
        }
    }
    if VEIL {
        return vec4f(color, VEIL_OPACITY);
    }
    if BLEND == BLEND_ALPHA {
        return vec4f(color, albedo.a);
    }
    if BLEND == BLEND_ADD {
        return vec4f(color * mix(1.0, albedo.a, material.emission.w), 0.0);
    }
    return vec4f(color, 1.0);
}

@fragment
fn fs_level_wire(in: Surface) -> @location(0) vec4f {
    if CUT && (any(in.world < look.cut_min.xyz) || any(in.world > look.cut_max.xyz)) {
        discard;
    }
    return vec4f(0.02, 0.03, 0.05, 0.8);
}

// ---- Cut surfaces --------------------------------------------------------------------------

struct Cap {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) side: u32,
}

@vertex
fn vs_cap(@location(0) position: vec3f, @location(1) side: u32) -> Cap {
    return Cap(frame.clip_from_world * vec4f(position, 1.0), side);
}

@fragment
fn fs_cap(in: Cap) -> @location(0) vec4f {
    var normal = vec3f(0.0);
    normal[in.side % 3u] = select(1.0, -1.0, in.side >= 3u);
    return vec4f(CAP_COLOR * shade(normal), 1.0);
}

// ---- Surroundings --------------------------------------------------------------------------

// A neutral background without a horizon line.
@fragment
fn fs_backdrop(in: Sky) -> @location(0) vec4f {
    let is_flat = frame.ahead.w > 0.5;
    let aside = frame.right.xyz * in.ndc.x + frame.up.xyz * in.ndc.y;
    let direction = normalize(frame.ahead.xyz + select(aside, vec3f(0.0), is_flat));
    let up = select(direction.y, in.ndc.y * 0.4, is_flat);
    let horizon = vec3f(0.40, 0.44, 0.47);
    let far = select(vec3f(0.19, 0.21, 0.23), vec3f(0.25, 0.29, 0.33), up > 0.0);
    return vec4f(mix(horizon, far, smoothstep(0.0, 0.7, abs(up))), 1.0);
}

struct SkySide {
    @builtin(position) @invariant clip: vec4f,
    @location(0) uv: vec2f,
}

// A side of the skybox, in the order +X, +Y, +Z, -X, -Y, -Z. Seen from inside, the upper left
// corner of a side is the upper left corner of its texture. The upper edge of the top side is
// toward -Z, that of the bottom side toward +Z (fact sheet B35).
@vertex
fn vs_sky_side(@builtin(vertex_index) vertex: u32, @builtin(instance_index) side: u32) -> SkySide {
    var middle = vec3f(0.0);
    middle[side % 3u] = select(1.0, -1.0, side >= 3u);
    let up = select(
        vec3f(0.0, 1.0, 0.0),
        vec3f(0.0, 0.0, select(-1.0, 1.0, side >= 3u)),
        side % 3u == 1u,
    );
    // The world is left-handed.
    let right = cross(up, middle);
    // Two triangles with four corners.
    let index = select(vertex, vertex - 2u, vertex > 2u);
    let corner = vec2f(f32(index & 1u), f32(index >> 1u));
    let direction = middle + right * (corner.x * 2.0 - 1.0) - up * (corner.y * 2.0 - 1.0);
    let clip = frame.clip_from_world * vec4f(direction, 0.0);
    return SkySide(vec4f(clip.xy, 0.0, clip.w), corner);
}

@fragment
fn fs_sky_side(in: SkySide) -> @location(0) vec4f {
    var color = material.color.rgb;
    if TEXTURED {
        color *= textureSample(picture, material_sampler, in.uv).rgb;
    }
    return vec4f(color + material.emission.rgb, 1.0);
}
