// What every shader knows of the frame: `Frame` in `render/frame.rs`.

@group(0) @binding(0) var<uniform> frame: Frame;

// The unit vector from the eye to a place in the world.
fn view_direction(world: vec3f) -> vec3f {
    if frame.ahead.w > 0.5 {
        return frame.ahead.xyz;
    }
    return normalize(world - frame.eye.xyz);
}
