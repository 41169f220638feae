// Lines with a width in pixels. Joined after frame.wgsl.

// Maximum width of a line, relative to the size of the item that it outlines.
const MAX_WIDTH_IN_ROOM: f32 = 0.04;

struct Line {
    @builtin(position) clip: vec4f,
    @location(0) color: vec4f,
}

@vertex
fn vs_line(
    @builtin(vertex_index) vertex: u32,
    @location(0) start_and_width: vec4f,
    @location(1) end_and_room: vec4f,
    @location(2) color: vec4f,
) -> Line {
    var a = frame.clip_from_world * vec4f(start_and_width.xyz, 1.0);
    var b = frame.clip_from_world * vec4f(end_and_room.xyz, 1.0);
    // Clip the part behind the eye.
    let least = 0.01;
    if a.w < least && b.w < least {
        return Line(vec4f(0.0, 0.0, -1.0, 1.0), color);
    }
    if a.w < least { a = mix(a, b, (least - a.w) / (b.w - a.w)); }
    if b.w < least { b = mix(b, a, (least - b.w) / (a.w - b.w)); }
    let half_size = frame.size * 0.5;
    var width = start_and_width.w;
    var opacity = 1.0;
    if end_and_room.w > 0.0 {
        // Far lines keep a constant width relative to the outlined item. Widths below one pixel are
        // drawn with lower opacity instead.
        let across = normalize(frame.right.xyz) * end_and_room.w;
        let room = (frame.clip_from_world * vec4f(across, 0.0)).x * half_size.x / (0.5 * (a.w + b.w));
        let wanted = min(width, abs(room) * MAX_WIDTH_IN_ROOM);
        width = max(wanted, 1.0);
        opacity = min(wanted, 1.0);
    }
    let along = (b.xy / b.w - a.xy / a.w) * half_size;
    let direction = along / max(length(along), 1e-4);
    let across = vec2f(-direction.y, direction.x);
    let is_end = ((0x2cu >> vertex) & 1u) == 1u;
    let side = select(-1.0, 1.0, ((0x32u >> vertex) & 1u) == 1u);
    var clip = select(a, b, is_end);
    let cap = select(-direction, direction, is_end) * 0.5;
    clip += vec4f((across * side + cap) * width * 0.5 / half_size * clip.w, 0.0, 0.0);
    // Slightly nearer than the surface below the line.
    clip.z += 0.0006 * clip.w * max(clip.z / max(clip.w, 1e-6), 1e-4) + 1e-6 * clip.w;
    return Line(clip, vec4f(color.rgb, color.a * opacity));
}

@fragment
fn fs_line(in: Line) -> @location(0) vec4f {
    return in.color;
}
