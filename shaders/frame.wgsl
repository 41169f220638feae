// Uniforms of the frame that all shaders share: `Frame` in `render/frame/uniforms.rs`.

@group(0) @binding(0) var<uniform> frame: Frame;

// Unit vector from the eye to a world position.
fn view_direction(world: vec3f) -> vec3f {
    if frame.ahead.w > 0.5 {
        return frame.ahead.xyz;
    }
    return normalize(world - frame.eye.xyz);
}
