//! The connection to a graphics device.

use super::{AdapterReason, Backend, GpuError, GpuOptions, GraphicsApis, Samples, is_software};
use mapscope_scene::{OverlayId, Shown};

/// A graphics device and everything needed to use it.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// Finds adapters and creates surfaces.
    pub instance: wgpu::Instance,
    /// The graphics card, or a software adapter.
    pub adapter: wgpu::Adapter,
    /// The reason why this adapter was chosen.
    pub reason: AdapterReason,
    /// Creates buffers, textures and pipelines.
    pub device: wgpu::Device,
    /// Executes commands.
    pub queue: wgpu::Queue,
    /// Number of samples per pixel of a frame.
    pub samples: Samples,
}

impl Gpu {
    /// Creates a device without a window, as the user requests.
    ///
    /// # Errors
    /// When no adapter or device is available, or the environment names an unknown interface.
    pub fn requested(request: GpuOptions) -> Result<Self, GpuError> {
        Ok(Self::headless(request.backend)?.with_samples(request.samples))
    }

    /// Creates a device without a window. It uses the given interface, or the first one that has an
    /// adapter. Each pixel has one sample.
    ///
    /// # Errors
    /// When no adapter or device is available, or the environment names an unknown interface.
    pub fn headless(asked: Option<Backend>) -> Result<Self, GpuError> {
        let first = GraphicsApis::first(asked)?;
        Self::new(first, first.instance(None), None).or_else(|error| match first.next() {
            Some(next) if error.is_adapter_missing() => {
                // If the fallback fails too, the first error is reported.
                Self::new(next, next.instance(None), None).map_err(|_| error)
            }
            _ => Err(error),
        })
    }

    /// Creates a device that can present to a surface. Each pixel has one sample.
    ///
    /// # Errors
    /// When no adapter or device is available.
    pub fn new(
        interfaces: GraphicsApis,
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        pollster::block_on(async {
            let (adapter, reason) = interfaces.adapter(&instance, surface).await?;
            let mut wanted = wgpu::Features::POLYGON_MODE_LINE | wgpu::Features::TIMESTAMP_QUERY;
            // These adapters have only memory that the CPU and the GPU share, so mapping is free.
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
                reason,
                device,
                queue,
                samples: Samples::One,
            })
        })
    }

    /// Sets the number of samples per pixel: the requested one, or the default of the adapter.
    /// Resources that were created before are incompatible.
    #[must_use]
    pub fn with_samples(self, asked: Option<Samples>) -> Self {
        let samples = Samples::of(&self.adapter, asked);
        if asked.is_some_and(|asked| asked != samples) {
            log::warn!("this graphics adapter draws without anti-aliasing");
        }
        Self { samples, ..self }
    }

    /// `true` for a software adapter, such as Mesa's lavapipe.
    pub(crate) fn is_software(&self) -> bool {
        is_software(&self.adapter)
    }

    /// `true` if it can measure the duration of passes.
    pub fn has_timestamps(&self) -> bool {
        let features = self.device.features();
        features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// `true` if the interface is OpenGL, where wgpu emulates texture views only in part.
    pub(crate) fn is_opengl(&self) -> bool {
        self.adapter.get_info().backend == wgpu::Backend::Gl
    }

    /// `true` if wireframes are shown and supported.
    pub(crate) fn draws_wireframe(&self, shown: &Shown) -> bool {
        let features = self.device.features();
        shown.overlays.contains(OverlayId::Wireframe)
            && features.contains(wgpu::Features::POLYGON_MODE_LINE)
    }

    /// The mipmap filter where quality matters little: a software adapter pays for every lookup.
    pub(crate) fn mipmap_filter(&self) -> wgpu::MipmapFilterMode {
        if self.is_software() {
            wgpu::MipmapFilterMode::Nearest
        } else {
            wgpu::MipmapFilterMode::Linear
        }
    }

    /// Maximum size of a storage buffer, in bytes.
    pub(crate) fn max_storage_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
    }

    /// Additional usage of a buffer that is filled when it is created. If possible the buffer
    /// itself is mapped, without a staging buffer.
    pub(crate) fn filled_usage(&self) -> wgpu::BufferUsages {
        let features = self.device.features();
        if features.contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
            wgpu::BufferUsages::MAP_WRITE
        } else {
            wgpu::BufferUsages::empty()
        }
    }

    /// Creates a buffer from bytes, without a staging buffer if possible. It is padded with zeros
    /// to a multiple of 16 bytes: a binding must not be empty nor end within an element. On a lost
    /// device the buffer is invalid, as everything else.
    pub(crate) fn filled_buffer(
        &self,
        label: &str,
        bytes: &[u8],
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer {
        let size = bytes.len().max(1) as u64;
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: size.next_multiple_of(16),
            usage: usage | self.filled_usage(),
            mapped_at_creation: true,
        });
        // `create_buffer_init` panics if the device is lost.
        match buffer.get_mapped_range_mut(..) {
            Ok(mut room) => room.slice(..bytes.len()).copy_from_slice(bytes),
            Err(error) => {
                log::error!("filling the buffer of {label}: {error}");
                return buffer;
            }
        }
        buffer.unmap();
        buffer
    }

    /// Submits commands and reads a buffer back, waiting for the GPU.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub(crate) fn read_buffer(
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

    /// Reads a mappable buffer back, waiting for the GPU.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub(crate) fn map_buffer(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, String> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone only if reading back was cancelled.
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

    /// Description of the adapter for the user: name, backend, driver, and the reason for the
    /// choice.
    pub fn adapter_description(&self) -> String {
        let driver = self.adapter.get_info().driver_info;
        let driver = if driver.is_empty() {
            driver
        } else {
            format!(", {driver}")
        };
        format!("{}{driver}: {}", self.adapter_name(), self.reason)
    }

    /// Name and backend of the adapter, for the user.
    pub fn adapter_name(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({})", info.name, info.backend)
    }
}
