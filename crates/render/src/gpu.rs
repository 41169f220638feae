//! The connection to a graphics device.

use mapscope_scene::{OverlayId, Shown};
use thiserror::Error;

/// A graphics device and everything needed to use it.
#[derive(Debug)]
pub struct Gpu {
    /// Finds adapters and makes surfaces.
    pub instance: wgpu::Instance,
    /// The graphics card, or a software adapter.
    pub adapter: wgpu::Adapter,
    /// Makes buffers, textures and pipelines.
    pub device: wgpu::Device,
    /// Takes commands.
    pub queue: wgpu::Queue,
}

/// Why there is no device.
#[derive(Debug, Error)]
pub enum GpuError {
    /// No adapter fits.
    #[error(
        "no graphics adapter was found ({0}); Mapscope needs a Vulkan, Metal or Direct3D 12 \
         driver. On Debian or Ubuntu `apt install mesa-vulkan-drivers` brings one that needs no \
         graphics card"
    )]
    NoAdapter(wgpu::RequestAdapterError),
    /// The adapter gave no device.
    #[error("the graphics adapter gave no device: {0}")]
    NoDevice(wgpu::RequestDeviceError),
}

impl Gpu {
    /// An instance that knows of this display (`None`: of no display).
    ///
    /// Only Vulkan, Metal and Direct3D are asked first, since asking OpenGL too doubles the time
    /// this takes; the environment variable `WGPU_BACKEND` overrides it.
    pub fn instance(display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>) -> wgpu::Instance {
        let mut descriptor = match display {
            Some(display) => wgpu::InstanceDescriptor::new_with_display_handle(display),
            None => wgpu::InstanceDescriptor::new_without_display_handle(),
        };
        descriptor.backends = wgpu::Backends::PRIMARY;
        wgpu::Instance::new(descriptor.with_env())
    }

    /// A device without a window.
    ///
    /// # Errors
    /// When there is no adapter, or it gives no device.
    pub fn headless() -> Result<Self, GpuError> {
        Self::new(Self::instance(None), None)
    }

    /// A device that can show frames on a surface.
    ///
    /// # Errors
    /// When there is no adapter, or it gives no device.
    pub fn new(
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        pollster::block_on(async {
            let adapter = instance
                .request_adapter(&wgpu::RequestAdapterOptions {
                    power_preference: wgpu::PowerPreference::HighPerformance,
                    compatible_surface: surface,
                    ..Default::default()
                })
                .await
                .map_err(GpuError::NoAdapter)?;
            let mut wanted = wgpu::Features::POLYGON_MODE_LINE;
            // Memory that both sides see costs nothing where there is no other.
            if matches!(
                adapter.get_info().device_type,
                wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu
            ) {
                wanted |= wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
            }
            let (device, queue) = adapter
                .request_device(&wgpu::DeviceDescriptor {
                    label: Some("mapscope"),
                    required_features: adapter.features() & wanted,
                    required_limits: adapter.limits(),
                    ..Default::default()
                })
                .await
                .map_err(GpuError::NoDevice)?;
            Ok(Self {
                instance,
                adapter,
                device,
                queue,
            })
        })
    }

    /// Whether it is a software adapter, such as Mesa's lavapipe.
    pub(super) fn is_software(&self) -> bool {
        self.adapter.get_info().device_type == wgpu::DeviceType::Cpu
    }

    /// Whether the edges of triangles are asked for and can be drawn.
    pub(super) fn draws_wireframe(&self, shown: &Shown) -> bool {
        let features = self.device.features();
        shown.overlays.contains(OverlayId::Wireframe)
            && features.contains(wgpu::Features::POLYGON_MODE_LINE)
    }

    /// How mip levels blend into each other where it is not worth much: a software adapter pays
    /// for every lookup.
    pub(super) fn mipmap_filter(&self) -> wgpu::MipmapFilterMode {
        if self.is_software() {
            wgpu::MipmapFilterMode::Nearest
        } else {
            wgpu::MipmapFilterMode::Linear
        }
    }

    /// How large a buffer is at most that shaders read as a whole.
    pub(super) fn max_storage_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
    }

    /// What a buffer that is filled as it is made is also used for, so that it is filled where it
    /// is instead of through another one if that is possible.
    pub(super) fn filled_usage(&self) -> wgpu::BufferUsages {
        let features = self.device.features();
        if features.contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
            wgpu::BufferUsages::MAP_WRITE
        } else {
            wgpu::BufferUsages::empty()
        }
    }

    /// Submits commands and copies what they leave in a buffer to the CPU, waiting for the GPU.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub(super) fn read_buffer(
        &self,
        mut encoder: wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        size: u64,
    ) -> Result<Vec<u8>, String> {
        let readable = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(buffer, 0, &readable, 0, size);
        self.queue.submit([encoder.finish()]);
        self.map_buffer(&readable)
    }

    /// Copies a buffer that can be mapped to the CPU, waiting for the GPU.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub(super) fn map_buffer(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, String> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone only when reading back was given up.
            let _gone = sender.send(result);
        });
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| e.to_string())?;
        receiver
            .recv()
            .map_err(|e| e.to_string())?
            .map_err(|e| e.to_string())?;
        let mapped = buffer.get_mapped_range(..).map_err(|e| e.to_string())?;
        Ok(mapped.to_vec())
    }

    /// The adapter's name and backend, for people.
    pub fn adapter_name(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({})", info.name, info.backend)
    }
}
