//! Asks the GPU what it makes of tiles, so that tests can compare it with what the CPU does.

use wgpu::util::DeviceExt as _;

use super::Gpu;
use super::shaders::TILE_PROBE;
use crate::scene::terrain::pack::TileRecord;

/// What the shaders' functions say of one tile. Keep in sync with `tile_probe.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
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
    /// The half on the edges north, east, south, west.
    pub halves_on: [u32; 4],
    /// Levels of the ends of the edges.
    pub edges: [[i32; 2]; 4],
}

/// Runs the shaders' tile functions over some tiles.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn probe_tiles(gpu: &Gpu, tiles: &[TileRecord]) -> Result<Vec<TileProbe>, String> {
    let device = &gpu.device;
    let input = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("probed"),
        contents: bytemuck::cast_slice(tiles),
        usage: wgpu::BufferUsages::STORAGE,
    });
    let size = size_of::<TileProbe>() as u64 * tiles.len() as u64;
    let output = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("probes"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("probe"),
        layout: None,
        module: &TILE_PROBE.module(device),
        entry_point: Some("probe"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("probe"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: input.as_entire_binding(),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: output.as_entire_binding(),
            },
        ],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups((tiles.len() as u32).div_ceil(64), 1, 1);
    }
    let bytes = gpu.read_buffer(encoder, &output, size)?;
    Ok(bytes
        .chunks_exact(size_of::<TileProbe>())
        .map(bytemuck::pod_read_unaligned)
        .collect())
}
