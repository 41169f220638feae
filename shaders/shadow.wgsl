// Light and shadow of what has an environment: `render/shadow.rs`. Joined after frame.wgsl.

// What depths in the shadow map are as seen from the sun: 1 is nearest to it.
@group(0) @binding(3) var shadow_map: texture_depth_2d;
@group(0) @binding(4) var shadow_comparison: sampler_comparison;
// For each texel of the ground the world height below which it is in the ground's own shadow.
@group(0) @binding(5) var ground_shadow: texture_2d<f32>;
@group(0) @binding(6) var ground_sampler: sampler;

// Lookups at the edge of a shadow.
override SHADOW_LOOKUPS: u32 = 5u;

// What is left of colours in the shadow (fact sheets A10 and B6).
const SHADOW_LIGHT: f32 = 0.55;

// Where in the shadow map, and how deep, a place in the world looks for its shadow. `normal` is that
// of the surface: it is a texel before it, so that no surface shades itself.
fn shadow_place(world: vec3f, normal: vec3f) -> vec3f {
    let place = world + normal * frame.shadow.x;
    return (frame.shadow_from_world * vec4f(place, 1.0)).xyz;
}

// 1 where the sun reaches a place in the world, 0 where something casts a shadow on it.
fn cast_light(world: vec3f, normal: vec3f) -> f32 {
    return cast_light_at(shadow_place(world, normal));
}

// The same of a place in the shadow map.
fn cast_light_at(at: vec3f) -> f32 {
    // Beyond the shadow map nothing is known; its end is not to be seen.
    let inside = min(at.xy, 1.0 - at.xy);
    let known = saturate(min(inside.x, inside.y) * 32.0);
    let depth = saturate(at.z);
    let texel = frame.shadow.y;
    // A lookup blends four texels, and tells the edges of shadows from the rest; there it takes four
    // more, which blend sixteen.
    var light = textureSampleCompareLevel(shadow_map, shadow_comparison, at.xy, depth);
    if SHADOW_LOOKUPS > 1u && light > 0.0 && light < 1.0 {
        for (var i = 1u; i < SHADOW_LOOKUPS; i++) {
            let offset = vec2f(f32(i & 1u) * 2.0 - 1.0, f32((i >> 1u) & 1u) * 2.0 - 1.0);
            let place = at.xy + offset * frame.shadow.y;
            light += textureSampleCompareLevel(shadow_map, shadow_comparison, place, depth);
        }
        light /= f32(SHADOW_LOOKUPS);
    }
    return mix(1.0, light, known);
}

// 1 above the shadow of the ground, 0 within it.
fn light_above_ground(world: vec3f) -> f32 {
    let at = (frame.ground.xy - world.xz) * frame.ground.zw;
    let edge = textureSampleLevel(ground_shadow, ground_sampler, at, 0.0).x;
    return above_shadow(world.y, frame.ground_heights.x + edge * frame.ground_heights.y);
}

// The same where the height of the shadow is known. A slope that the light just grazes is not in
// its own shadow.
fn above_shadow(world_y: f32, edge: f32) -> f32 {
    return smoothstep(-1.9, -0.7, world_y - edge);
}
