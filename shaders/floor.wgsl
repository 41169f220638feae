// Lower bound of the cost of a textured frame: one mipmapped texture over the whole frame. It has
// 1.5 texels per pixel, like terrain in the game's camera.

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var image_sampler: sampler;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // Corners of two triangles.
    let corner = vec2<f32>(f32((0x2cu >> index) & 1u), f32((0x32u >> index) & 1u));
    return vec4<f32>(corner * 2.0 - 1.0, 0.5, 1.0);
}

@fragment
fn fragment(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let size = vec2<f32>(textureDimensions(image));
    return textureSample(image, image_sampler, pixel.xy * 1.5 / size);
}
