// The sky: a calm overcast over a bright horizon. Joined after frame.wgsl.

// Clouds lie on a plane far above; its noise has the value in `w` and finer noise in `z`.
fn sky_color(direction: vec3f) -> vec3f {
    let up = max(direction.y, 0.0);
    let horizon = vec3f(0.62, 0.70, 0.74);
    let zenith = vec3f(0.24, 0.36, 0.44);
    var color = mix(horizon, zenith, pow(up, 0.45));
    if direction.y > 0.005 {
        let plane = direction.xz / (direction.y + 0.12);
        let wide = textureSampleLevel(clouds, cloud_sampler, plane * 0.045, 0.0).w;
        let fine = textureSampleLevel(clouds, cloud_sampler, plane * 0.16 + 0.37, 0.0).w;
        let density = wide * 0.7 + fine * 0.3;
        let cover = smoothstep(0.40, 0.68, density);
        let light = mix(vec3f(0.56, 0.61, 0.63), vec3f(0.83, 0.83, 0.80), smoothstep(0.45, 0.8, density));
        color = mix(color, light, cover * smoothstep(0.0, 0.16, direction.y) * 0.85);
    }
    // Below the horizon: haze that darkens, so that the edge of the map stands out.
    return mix(color, vec3f(0.34, 0.40, 0.42), smoothstep(0.0, -0.35, direction.y));
}

@group(0) @binding(1) var clouds: texture_2d<f32>;
@group(0) @binding(2) var cloud_sampler: sampler;

struct Sky {
    @builtin(position) clip: vec4f,
    @location(0) ndc: vec2f,
}

@vertex
fn vs_sky(@builtin(vertex_index) vertex: u32) -> Sky {
    // One triangle that covers the picture, at infinity.
    let ndc = vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u)) * 2.0 - 1.0;
    return Sky(vec4f(ndc, 0.0, 1.0), ndc);
}

@fragment
fn fs_sky(in: Sky) -> @location(0) vec4f {
    // Without perspective every ray is the same; the sky then only shades from top to bottom.
    if frame.ahead.w > 0.5 {
        let shade = mix(vec3f(0.50, 0.57, 0.60), vec3f(0.34, 0.42, 0.47), in.ndc.y * 0.5 + 0.5);
        return vec4f(shade, 1.0);
    }
    let direction = frame.ahead.xyz + frame.right.xyz * in.ndc.x + frame.up.xyz * in.ndc.y;
    return vec4f(sky_color(normalize(direction)), 1.0);
}
