// What every shader knows of the picture. Keep in sync with `render/frame.rs`.

struct Frame {
    clip_from_world: mat4x4f,
    // Eye in world space; w: seconds, for what moves.
    eye: vec4f,
    // From the picture's centre to its right edge, to its top, and straight ahead, in world space
    // at distance 1; w of `up` is the distance of the target, w of `ahead` is 1 where the
    // projection is orthographic.
    right: vec4f,
    up: vec4f,
    ahead: vec4f,
    // Unit vector toward the sun, in world space.
    sun: vec4f,
    // Width and height of the picture in pixels.
    size: vec2f,
    _padding: vec2f,
    // What models stand on: x and z of the middle of what stands there, and half its size.
    floor: vec4f,
    // Side of a cell of the floor's grid, how far it is seen, and how much light reaches it less.
    grid: vec4f,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// The unit vector from the eye to a place in the world.
fn view_direction(world: vec3f) -> vec3f {
    if frame.ahead.w > 0.5 {
        return frame.ahead.xyz;
    }
    return normalize(world - frame.eye.xyz);
}
