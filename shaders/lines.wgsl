// Lines of a width in pixels. Joined after frame.wgsl.

struct Line {
    @builtin(position) clip: vec4f,
    @location(0) color: vec4f,
}

@vertex
fn vs_line(
    @builtin(vertex_index) vertex: u32,
    @location(0) start_and_width: vec4f,
    @location(1) end: vec3f,
    @location(2) color: vec4f,
) -> Line {
    var a = frame.clip_from_world * vec4f(start_and_width.xyz, 1.0);
    var b = frame.clip_from_world * vec4f(end, 1.0);
    // Cut off what is behind the eye.
    let least = 0.01;
    if a.w < least && b.w < least {
        return Line(vec4f(0.0, 0.0, -1.0, 1.0), color);
    }
    if a.w < least { a = mix(a, b, (least - a.w) / (b.w - a.w)); }
    if b.w < least { b = mix(b, a, (least - b.w) / (a.w - b.w)); }
    let half_size = frame.size * 0.5;
    let along = (b.xy / b.w - a.xy / a.w) * half_size;
    let direction = along / max(length(along), 1e-4);
    let across = vec2f(-direction.y, direction.x);
    let is_end = ((0x2cu >> vertex) & 1u) == 1u;
    let side = select(-1.0, 1.0, ((0x32u >> vertex) & 1u) == 1u);
    var clip = select(a, b, is_end);
    let cap = select(-direction, direction, is_end) * 0.5;
    clip += vec4f((across * side + cap) * start_and_width.w * 0.5 / half_size * clip.w, 0.0, 0.0);
    // A little nearer than the surface that they lie on.
    clip.z += 0.0006 * clip.w * max(clip.z / max(clip.w, 1e-6), 1e-4) + 1e-6 * clip.w;
    return Line(clip, color);
}

@fragment
fn fs_line(in: Line) -> @location(0) vec4f {
    return in.color;
}
