// Light and shadow for documents with an environment: `render/frame/shadow.rs`. Joined after frame.wgsl.

// Depths as seen from the sun; 1 is nearest to it.
@group(0) @binding(3) var shadow_map: texture_depth_2d;
@group(0) @binding(4) var shadow_comparison: sampler_comparison;
// For each texel of the ground, the world height below which the ground shadows itself.
@group(0) @binding(5) var ground_shadow: texture_2d<f32>;
@group(0) @binding(6) var ground_sampler: sampler;

// Number of lookups at the edge of a shadow.
override SHADOW_LOOKUPS: u32 = 5u;

// Brightness factor in the shadow (fact sheets A10 and B6).
const SHADOW_LIGHT: f32 = 0.55;

// Position in the shadow map for a world position, with depth. It is offset by one texel along the
// surface normal, so that no surface shades itself.
fn shadow_place(world: vec3f, normal: vec3f) -> vec3f {
    let place = world + normal * frame.shadow.x;
    return (frame.shadow_from_world * vec4f(place, 1.0)).xyz;
}

// 1 if the sun reaches a world position, 0 if something casts a shadow on it.
fn cast_light(world: vec3f, normal: vec3f) -> f32 {
    return cast_light_at(shadow_place(world, normal));
}

// The same for a position in the shadow map.
fn cast_light_at(at: vec3f) -> f32 {
    // Outside the shadow map, everything is lit. Its border fades out.
    let inside = min(at.xy, 1.0 - at.xy);
    let known = saturate(min(inside.x, inside.y) * 32.0);
    let depth = saturate(at.z);
    // One lookup blends four texels, and detects the edges of shadows. Edges get four more lookups,
    // which blend sixteen texels.
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

// The same for a known height of the shadow. A slope at a grazing angle to the sun does not shade
// itself.
fn above_shadow(world_y: f32, edge: f32) -> f32 {
    return smoothstep(-1.9, -0.7, world_y - edge);
}
