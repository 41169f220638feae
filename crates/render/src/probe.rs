//! Asks the GPU what it makes of tiles and of vertices, so that tests can compare it with what the
//! CPU does.

use wgpu::util::DeviceExt as _;

use crate::frame::constants::SURFACE;
use crate::gpu::bindings::bind_group;
use crate::gpu::shader::source;
use crate::gpu::wgsl::shader_struct;
use crate::gpu::{Gpu, Shader};
use crate::kinds::model::mesh::influences;
use crate::kinds::model::{SKIN, instances, skin_wgsl};
use crate::kinds::terrain::{TILE, tile_wgsl};
use mapscope_scene::model::mesh::Mesh;
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::terrain::pack::TileRecord;

shader_struct! {
    /// What the shaders' functions say of one tile.
    pub struct TileProbe {
        /// Levels at a grid of five by five points, in rows from the north-west.
        pub levels: [f32; 25],
        /// Which half each of them is in: 0 the southern, 1 the northern.
        pub halves: [u32; 25],
        /// Unit normals of the southern and of the northern half, in world space.
        pub normals: [[f32; 3]; 2],
        /// Texture layers that the halves show.
        pub layers: [u32; 2],
        /// The halves at the corners north-west, north-east, south-west, south-east.
        pub halves_at: [[u32; 2]; 4],
        /// Levels of the ends of the edges north, east, south, west.
        pub edges: [[i32; 2]; 4],
        /// A bit for each edge, the northern one the lowest: the half on it.
        pub halves_on: u32,
        /// 1 where ground units can walk.
        pub walkable: u32,
    }
}

shader_struct! {
    /// Where the shaders move a vertex of a model.
    pub struct SkinProbe {
        /// Its place as posed, in model space.
        pub position: [f32; 3],
        /// Its normal as posed, in model space, of length 1.
        pub normal: [f32; 3],
    }
}

/// What the GPU makes of tiles, for comparing it with what the CPU does.
pub(crate) static TILE_PROBE: Shader = Shader {
    name: "tile_probe",
    shared: &[tile_wgsl, TileProbe::wgsl],
    parts: &[TILE, source!("tile_probe.wgsl")],
};

/// What the GPU makes of vertices that joints move, likewise.
pub(crate) static SKIN_PROBE: Shader = Shader {
    name: "skin_probe",
    shared: &[skin_wgsl, SkinProbe::wgsl],
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

/// Poses a mesh with some joint palettes of so many matrices each, one after the other, as the
/// shaders do it: all vertices with the first palette, then with the second, and so on.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn probe_skin(
    gpu: &Gpu,
    mesh: &Mesh,
    palettes: &[SkinMatrix],
    palette_len: usize,
) -> Result<Vec<SkinProbe>, String> {
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

/// Runs a probe over so many things in so many ways, in workgroups of 64 things. What it leaves is
/// binding 1 of group 0; its other bindings are the buffers, and those of group 1 the textures.
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
