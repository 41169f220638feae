// Copies a frame into a part of a window, pixel by pixel.

// `true` if the window's texture takes linear colours and encodes them itself.
override LINEAR: bool = false;

@group(0) @binding(0) var image: texture_2d<f32>;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
}

// One triangle that covers the viewport.
@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Corner {
    let uv = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
    return Corner(vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

@fragment
fn fragment(in: Corner) -> @location(0) vec4f {
    let texel = vec2i(in.uv * vec2f(textureDimensions(image)));
    let color = textureLoad(image, texel, 0).rgb;
    if LINEAR {
        let curve = pow((color + 0.055) / 1.055, vec3f(2.4));
        return vec4f(select(curve, color / 12.92, color <= vec3f(0.04045)), 1.0);
    }
    return vec4f(color, 1.0);
}
