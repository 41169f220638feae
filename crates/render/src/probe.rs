//! Probes: tile and skinning functions of the shaders, run on the GPU for comparison with their CPU
//! versions.

use wgpu::util::DeviceExt as _;

use crate::frame::SURFACE;
use crate::gpu::{Gpu, Shader, bind_group, shader_struct, source};
use crate::kinds::model::mesh::influences;
use crate::kinds::model::{SKIN, instances, skin_wgsl};
use crate::kinds::terrain::{TILE, tile_wgsl};
use mapscope_scene::model::mesh::Mesh;
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::terrain::pack::TileRecord;

shader_struct! {
    /// The results of the shaders' functions for one tile.
    pub struct TileProbe {
        /// Levels at a grid of five by five points, in rows from the north-west.
        pub levels: [f32; 25],
        /// The half of each point: 0 for the southern, 1 for the northern.
        pub halves: [u32; 25],
        /// Unit normals of the southern and of the northern half, in world space.
        pub normals: [[f32; 3]; 2],
        /// Texture layers of the halves.
        pub layers: [u32; 2],
        /// The halves at the corners north-west, north-east, south-west, south-east.
        pub halves_at: [[u32; 2]; 4],
        /// Levels of the ends of the edges north, east, south, west.
        pub edges: [[i32; 2]; 4],
        /// The half at each edge, one bit each from the northern edge on.
        pub halves_on: u32,
        /// 1 if ground units can walk on it.
        pub walkable: u32,
    }
}

shader_struct! {
    /// A vertex of a model after skinning.
    pub struct SkinningProbe {
        /// Position in model space.
        pub position: [f32; 3],
        /// Unit normal in model space.
        pub normal: [f32; 3],
    }
}

/// The shader of [`probe_tiles`].
pub(crate) static TILE_PROBE: Shader = Shader {
    name: "tile_probe",
    shared: &[tile_wgsl, TileProbe::wgsl],
    parts: &[TILE, source!("tile_probe.wgsl")],
};

/// The shader of [`probe_skinning`].
pub(crate) static SKIN_PROBE: Shader = Shader {
    name: "skin_probe",
    shared: &[skin_wgsl, SkinningProbe::wgsl],
    parts: &[SURFACE, SKIN, source!("skin_probe.wgsl")],
};

/// Runs the shaders' tile functions over some tiles.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn probe_tiles(gpu: &Gpu, tiles: &[TileRecord]) -> Result<Vec<TileProbe>, String> {
    let tiles = input(gpu, bytemuck::cast_slice(tiles));
    let count = tiles.size() / size_of::<TileRecord>() as u64;
    run(gpu, &TILE_PROBE, &[&tiles], &[], [count, 1])
}

/// Skins a mesh with the shaders' functions, with several joint palettes of the same length that
/// are stored one after the other. The results are all vertices with the first palette, then with
/// the second, and so on.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn probe_skinning(
    gpu: &Gpu,
    mesh: &Mesh,
    palettes: &[SkinMatrix],
    palette_len: usize,
) -> Result<Vec<SkinningProbe>, String> {
    let vertices = input(gpu, bytemuck::cast_slice(&mesh.vertices));
    let length = input(gpu, bytemuck::bytes_of(&(palette_len as u32)));
    let influences = influences(gpu, mesh).map_err(|error| error.to_string())?;
    let matrices: &[u32] = bytemuck::cast_slice(palettes);
    let mut list = instances::palettes(gpu);
    list.reserve(gpu, matrices.len())
        .map_err(|error| error.to_string())?;
    list.write(gpu, matrices.len(), |words| words.copy_from_slice(matrices));
    let count = [mesh.vertices.len(), palettes.len() / palette_len];
    run(
        gpu,
        &SKIN_PROBE,
        &[&vertices, &length],
        &[&influences.view(), &list.view()],
        count.map(|count| count as u64),
    )
}

fn input(gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
    gpu.device
        .create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("probed"),
            contents: bytes,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM,
        })
}

/// Runs a probe over `things` in workgroups of 64, in several `ways`. Binding 1 of group 0 is the
/// output, its other bindings are the buffers. Group 1 has the textures.
fn run<P: bytemuck::AnyBitPattern>(
    gpu: &Gpu,
    shader: &Shader,
    buffers: &[&wgpu::Buffer],
    textures: &[&wgpu::TextureView],
    [things, ways]: [u64; 2],
) -> Result<Vec<P>, String> {
    let device = &gpu.device;
    let size = size_of::<P>() as u64 * things * ways;
    let output = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("probes"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("probe"),
        layout: None,
        module: &shader.module(device),
        entry_point: Some("probe"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bind_group = |group: u32, resources: Vec<wgpu::BindingResource<'_>>| {
        let layout = pipeline.get_bind_group_layout(group);
        bind_group(gpu, "probe", &layout, resources)
    };
    let mut buffers = buffers.to_vec();
    buffers.insert(1, &output);
    let buffers = buffers.into_iter().map(wgpu::Buffer::as_entire_binding);
    let textures = textures
        .iter()
        .copied()
        .map(wgpu::BindingResource::TextureView);
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group(0, buffers.collect()), &[]);
        if textures.len() > 0 {
            pass.set_bind_group(1, &bind_group(1, textures.collect()), &[]);
        }
        pass.dispatch_workgroups((things as u32).div_ceil(64), ways as u32, 1);
    }
    let bytes = gpu.read_buffer(encoder, &output, size)?;
    Ok(bytes
        .chunks_exact(size_of::<P>())
        .map(bytemuck::pod_read_unaligned)
        .collect())
}
