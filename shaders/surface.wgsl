// Functions that the surface shaders share.

// Decodes an octahedral unit vector, from coordinates between -1 and 1.
fn octahedral_normal(place: vec2f) -> vec3f {
    var normal = vec3f(place, 1.0 - abs(place.x) - abs(place.y));
    let folded = max(-normal.z, 0.0);
    normal = vec3f(normal.xy - select(vec2f(-folded), vec2f(folded), place >= vec2f(0.0)), normal.z);
    return normalize(normal);
}

// Light shading that keeps shapes recognisable in data colours.
fn shade(normal: vec3f) -> f32 {
    return 0.5 + 0.5 * clamp(dot(normal, normalize(vec3f(0.5, 0.75, 0.3))), 0.0, 1.0);
}

// Antialiased checkerboard of unit squares: the dark share of a pixel that covers `size` squares.
fn checker(at: vec2f, size: vec2f) -> f32 {
    let width = max(size, vec2f(1e-4));
    let sides = 2.0 * (abs(fract((at - 0.5 * width) * 0.5) - 0.5)
        - abs(fract((at + 0.5 * width) * 0.5) - 0.5)) / width;
    return 0.5 - 0.5 * sides.x * sides.y;
}

// Colour of texture coordinates: red grows with u, green with v. The texture has eight squares
// along each side, with smaller ones inside.
fn uv_color(uv: vec2f, pixel: vec2f) -> vec3f {
    // A pixel that covers the whole texture gets the mean colour.
    let place = mix(fract(uv), vec2f(0.5), smoothstep(vec2f(0.25), vec2f(1.0), pixel));
    let color = vec3f(0.15 + 0.85 * place.x, 0.15 + 0.85 * place.y, 0.55 - 0.4 * place.x);
    let coarse = mix(1.0, 0.75, checker(uv * 8.0, pixel * 8.0));
    let fine = mix(1.0, 0.65, checker(uv * 32.0, pixel * 32.0));
    return color * coarse * fine;
}
