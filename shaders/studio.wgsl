// The studio for models: a floor with a grid that fades into the distance, and a backdrop. Joined
// after frame.wgsl and sky.wgsl, whose triangle it uses.

const ABOVE = vec3f(0.25, 0.29, 0.33);
const HORIZON = vec3f(0.46, 0.51, 0.54);
const FLOOR = vec3f(0.35, 0.38, 0.40);
const BELOW = vec3f(0.20, 0.23, 0.25);

// Coverage of a pixel by grid lines. `pixel` is the size of the pixel on the floor.
fn grid(at: vec2f, cell: f32, pixel: vec2f) -> f32 {
    let from_line = abs(fract(at / cell - 0.5) - 0.5) * cell;
    let lines = saturate(vec2f(1.1) - from_line / pixel * 1.4);
    // Cells of only a few pixels would flicker.
    let seen = saturate(vec2f(cell) / (pixel * 4.0) - 1.0);
    return max(lines.x * seen.x, lines.y * seen.y);
}

@fragment
fn fs_studio(in: Sky) -> @location(0) vec4f {
    let is_flat = frame.ahead.w > 0.5;
    let aside = frame.right.xyz * in.ndc.x + frame.up.xyz * in.ndc.y;
    // In an orthographic view all rays are parallel, and start beside the eye.
    let origin = frame.eye.xyz + select(vec3f(0.0), aside * frame.up.w, is_flat);
    let direction = normalize(frame.ahead.xyz + select(aside, vec3f(0.0), is_flat));
    let backdrop = mix(HORIZON, ABOVE, smoothstep(0.0, 0.7, direction.y));

    // Intersection of the ray with the floor.
    let distance = (frame.grid.w - origin.y) / select(direction.y, 1e-5, direction.y == 0.0);
    let at = origin.xz + direction.xz * distance;
    let pixel = max(fwidth(at), vec2f(1e-6));
    if distance <= 0.0 {
        return vec4f(select(backdrop, mix(HORIZON, BELOW, smoothstep(0.0, 0.7, -direction.y)), direction.y < 0.0), 1.0);
    }
    let center = frame.floor.xy;
    let half_size = frame.floor.zw;
    let cell = frame.grid.x;
    let reach = length(at - center) / frame.grid.y;
    let near = 1.0 - smoothstep(0.15, 1.0, reach);
    let base = mix(HORIZON, select(BELOW, FLOOR, direction.y < 0.0), near);
    // The model darkens the floor below it.
    let beside = length((at - center) / max(half_size, vec2f(1e-3)));
    let shade = 1.0 - frame.grid.z * (1.0 - smoothstep(0.2, 1.25, beside)) * 0.45;
    let minor = grid(at, cell, pixel) * 0.10;
    let major = grid(at, cell * 4.0, pixel) * 0.16;
    return vec4f(base * shade + vec3f(max(minor, major) * near), 1.0);
}
