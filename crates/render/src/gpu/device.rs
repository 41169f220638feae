//! The connection to a graphics device.

use super::samples::is_software;
use super::{Backend, GpuError, GpuRequest, Interfaces, Reason, Samples};
use mapscope_scene::{OverlayId, Shown};

/// A graphics device and everything needed to use it.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// Finds adapters and makes surfaces.
    pub instance: wgpu::Instance,
    /// The graphics card, or a software adapter.
    pub adapter: wgpu::Adapter,
    /// Why it is this one.
    pub reason: Reason,
    /// Makes buffers, textures and pipelines.
    pub device: wgpu::Device,
    /// Takes commands.
    pub queue: wgpu::Queue,
    /// How many samples each pixel of a frame has.
    pub samples: Samples,
}

impl Gpu {
    /// A device without a window, as it is asked for.
    ///
    /// # Errors
    /// When there is no adapter, or it gives no device, or the environment asks for no known interface.
    pub fn requested(request: GpuRequest) -> Result<Self, GpuError> {
        Ok(Self::headless(request.backend)?.with_samples(request.samples))
    }

    /// A device without a window, of the interface that is asked for or of the first that has one;
    /// each pixel has one sample.
    ///
    /// # Errors
    /// When there is no adapter, or it gives no device, or the environment asks for no known interface.
    pub fn headless(asked: Option<Backend>) -> Result<Self, GpuError> {
        let first = Interfaces::first(asked)?;
        Self::new(first, first.instance(None), None).or_else(|error| match first.next() {
            Some(next) if error.is_no_adapter() => {
                // If that is in vain too, the first error says what was missing.
                Self::new(next, next.instance(None), None).map_err(|_| error)
            }
            _ => Err(error),
        })
    }

    /// A device that can show frames on a surface; each pixel has one sample.
    ///
    /// # Errors
    /// When there is no adapter, or it gives no device.
    pub fn new(
        interfaces: Interfaces,
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        pollster::block_on(async {
            let (adapter, reason) = interfaces.adapter(&instance, surface).await?;
            let mut wanted = wgpu::Features::POLYGON_MODE_LINE | wgpu::Features::TIMESTAMP_QUERY;
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
                reason,
                device,
                queue,
                samples: Samples::One,
            })
        })
    }

    /// The same with as many samples for each pixel as are asked for, or as suit the adapter. What was
    /// made with it before cannot be used with it any more.
    #[must_use]
    pub fn with_samples(self, asked: Option<Samples>) -> Self {
        let samples = Samples::of(&self.adapter, asked);
        if asked.is_some_and(|asked| asked != samples) {
            log::warn!("this graphics adapter draws without anti-aliasing");
        }
        Self { samples, ..self }
    }

    /// Whether it is a software adapter, such as Mesa's lavapipe.
    pub(crate) fn is_software(&self) -> bool {
        is_software(&self.adapter)
    }

    /// Whether it can say how long passes take.
    pub fn has_timestamps(&self) -> bool {
        let features = self.device.features();
        features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Whether its interface is OpenGL, which knows views of textures only as far as wgpu stands in.
    pub(crate) fn is_opengl(&self) -> bool {
        self.adapter.get_info().backend == wgpu::Backend::Gl
    }

    /// Whether the edges of triangles are asked for and can be drawn.
    pub(crate) fn draws_wireframe(&self, shown: &Shown) -> bool {
        let features = self.device.features();
        shown.overlays.contains(OverlayId::Wireframe)
            && features.contains(wgpu::Features::POLYGON_MODE_LINE)
    }

    /// How mip levels blend into each other where it is not worth much: a software adapter pays
    /// for every lookup.
    pub(crate) fn mipmap_filter(&self) -> wgpu::MipmapFilterMode {
        if self.is_software() {
            wgpu::MipmapFilterMode::Nearest
        } else {
            wgpu::MipmapFilterMode::Linear
        }
    }

    /// How large a buffer is at most that shaders read as a whole.
    pub(crate) fn max_storage_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
    }

    /// What a buffer that is filled as it is made is also used for, so that it is filled where it
    /// is instead of through another one if that is possible.
    pub(crate) fn filled_usage(&self) -> wgpu::BufferUsages {
        let features = self.device.features();
        if features.contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
            wgpu::BufferUsages::MAP_WRITE
        } else {
            wgpu::BufferUsages::empty()
        }
    }

    /// A buffer with these bytes, and zeros up to the next sixteen: no binding may be empty, and none may
    /// end within what shaders read. It is filled where it is if that is possible. On a device that was
    /// lost it is as useless as all else.
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
        // wgpu's own function for this panics where the device is lost.
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

    /// Submits commands and copies what they leave in a buffer to the CPU, waiting for the GPU.
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

    /// Copies a buffer that can be mapped to the CPU, waiting for the GPU.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub(crate) fn map_buffer(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, String> {
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

    /// The adapter's name, backend and driver and why it is the one, for people.
    pub fn adapter_text(&self) -> String {
        let driver = self.adapter.get_info().driver_info;
        let driver = if driver.is_empty() {
            driver
        } else {
            format!(", {driver}")
        };
        format!("{}{driver}: {}", self.adapter_name(), self.reason)
    }

    /// The adapter's name and backend, for people.
    pub fn adapter_name(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({})", info.name, info.backend)
    }
}
