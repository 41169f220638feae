// The sky: an overcast above a bright horizon. Joined after frame.wgsl.

// Colour of the sky. Clouds lie on a plane far above the ground. They are mirrored below the
// horizon, which is visible beyond the edge of a map. The coarse noise is in `w`.
fn sky_color(direction: vec3f) -> vec3f {
    let up = abs(direction.y);
    let clear = mix(vec3f(0.47, 0.56, 0.60), vec3f(0.25, 0.34, 0.40), smoothstep(0.0, 0.55, up));
    let plane = direction.xz / (up + 0.18);
    let wide = textureSampleLevel(clouds, cloud_sampler, plane * 0.11 + vec2f(0.13, 0.71), 0.0).w;
    let fine = textureSampleLevel(clouds, cloud_sampler, plane * 0.43, 0.0).w;
    let density = wide * 0.68 + fine * 0.32;
    let lit_rim = smoothstep(0.34, 0.62, density);
    let cloud = mix(vec3f(0.38, 0.46, 0.51), vec3f(0.78, 0.77, 0.72), lit_rim);
    let cover = smoothstep(0.16, 0.42, density);
    let sky = mix(clear, cloud, cover * 0.9);
    return mix(HAZE, sky, smoothstep(HAZE_BELOW, -0.2, direction.y));
}

@group(0) @binding(1) var clouds: texture_2d<f32>;
@group(0) @binding(2) var cloud_sampler: sampler;

// The skybox of the document, if it has one.
@group(0) @binding(7) var skybox: texture_cube<f32>;
@group(0) @binding(6) var skybox_sampler: sampler;

// The mip level at which a texel in the middle of a skybox face is about as large as a pixel.
fn skybox_lod() -> f32 {
    let side = f32(textureDimensions(skybox).x);
    return log2(side * length(frame.up.xyz) * frame.part.y / frame.size.y);
}

// Colour of the skybox in a direction of any length.
fn skybox_color(direction: vec3f, lod: f32) -> vec3f {
    return textureSampleLevel(skybox, skybox_sampler, direction, lod).rgb;
}

struct Sky {
    @builtin(position) @invariant clip: vec4f,
    @location(0) ndc: vec2f,
}

@vertex
fn vs_sky(@builtin(vertex_index) vertex: u32) -> Sky {
    let ndc = sky_corner(vertex);
    return Sky(vec4f(ndc, 0.0, 1.0), of_whole(ndc));
}

// Normalized device coordinates in the whole image.
fn of_whole(ndc: vec2f) -> vec2f {
    return ndc * frame.part.xy + frame.part.zw;
}

// Corners of one triangle that covers the frame.
fn sky_corner(vertex: u32) -> vec2f {
    return vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u)) * 2.0 - 1.0;
}

@fragment
fn fs_sky(in: Sky) -> @location(0) vec4f {
    // In an orthographic view all rays are parallel. The sky is then a vertical gradient.
    if frame.ahead.w > 0.5 {
        let shade = mix(vec3f(0.50, 0.57, 0.60), vec3f(0.34, 0.42, 0.47), in.ndc.y * 0.5 + 0.5);
        return vec4f(shade, 1.0);
    }
    let direction = frame.ahead.xyz + frame.right.xyz * in.ndc.x + frame.up.xyz * in.ndc.y;
    return vec4f(sky_color(normalize(direction)), 1.0);
}

struct BoxedSky {
    @builtin(position) @invariant clip: vec4f,
    @location(0) direction: vec3f,
    @location(1) @interpolate(flat) lod: f32,
}

@vertex
fn vs_skybox(@builtin(vertex_index) vertex: u32) -> BoxedSky {
    let ndc = sky_corner(vertex);
    let at = of_whole(ndc);
    let direction = frame.ahead.xyz + frame.right.xyz * at.x + frame.up.xyz * at.y;
    // Infinitely far away.
    return BoxedSky(vec4f(ndc, 0.0, 1.0), direction, skybox_lod());
}

@fragment
fn fs_skybox(in: BoxedSky) -> @location(0) vec4f {
    return vec4f(skybox_color(in.direction, in.lod), 1.0);
}
