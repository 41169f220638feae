//! The surface on which the window's contents are presented.

use std::sync::Arc;

use thiserror::Error;
use wgpu::CurrentSurfaceTexture;
use winit::dpi::PhysicalSize;
use winit::window::Window;

use crate::viewer::ViewError;
use mapscope_render::{Gpu, GraphicsApis};

/// A window's surface and its configuration.
pub(crate) struct WindowSurface {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    window: Arc<Window>,
    /// `true` after a simulated [loss](Self::lose).
    is_lost: bool,
}

/// Error in creating a window's surface.
#[derive(Debug, Error)]
pub enum SurfaceError {
    /// The window does not support drawing.
    #[error("the window cannot be drawn to: {0}")]
    Create(#[from] wgpu::CreateSurfaceError),
    /// The adapter has no texture format in common with the window.
    #[error("the graphics adapter cannot draw to this window")]
    Unsupported,
}

/// Creates a device and the window's surface.
///
/// # Errors
/// Fails if there is no adapter, or if it cannot draw to the window.
pub(crate) fn open(
    window: &Arc<Window>,
    interfaces: GraphicsApis,
    instance: wgpu::Instance,
) -> Result<(Gpu, wgpu::Surface<'static>), ViewError> {
    match instance.create_surface(Arc::clone(window)) {
        Ok(surface) => {
            let gpu = Gpu::new(interfaces, instance, Some(&surface))?;
            Ok((gpu, surface))
        }
        Err(error) => {
            // Without any driver the window is not the cause; that error contains advice.
            Gpu::new(interfaces, instance, None)?;
            Err(SurfaceError::from(error).into())
        }
    }
}

/// The result of a request for the next frame.
pub(crate) enum Next {
    /// Draw to this texture.
    Draw(wgpu::SurfaceTexture),
    /// No texture now, but soon.
    Again,
    /// No texture until the window changes.
    Never,
}

impl WindowSurface {
    /// Configures a surface for a window.
    ///
    /// # Errors
    /// Fails if the adapter cannot draw to it.
    pub(crate) fn new(
        surface: wgpu::Surface<'static>,
        window: Arc<Window>,
        gpu: &Gpu,
    ) -> Result<Self, SurfaceError> {
        let PhysicalSize { width, height } = window.inner_size();
        let mut config = surface
            .get_default_config(&gpu.adapter, width.max(1), height.max(1))
            .ok_or(SurfaceError::Unsupported)?;
        let formats = surface.get_capabilities(&gpu.adapter).formats;
        config.format = egui_wgpu::preferred_framebuffer_format(&formats)
            .map_err(|_| SurfaceError::Unsupported)?;
        config.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(&gpu.device, &config);
        Ok(Self {
            surface,
            config,
            window,
            is_lost: false,
        })
    }

    /// Returns the texture format of the surface.
    pub(crate) fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// Converts a colour to a clear colour of the surface.
    pub(crate) fn color(&self, color: egui::Color32) -> wgpu::Color {
        let rgba = if self.config.format.is_srgb() {
            egui::Rgba::from(color).to_array()
        } else {
            color.to_normalized_gamma_f32()
        };
        let [r, g, b, a] = rgba.map(f64::from);
        wgpu::Color { r, g, b, a }
    }

    /// Returns width and height in physical pixels.
    pub(crate) fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Adopts the window's size.
    pub(crate) fn resize(&mut self, gpu: &Gpu, size: PhysicalSize<u32>) {
        if size.width == 0 || size.height == 0 || [size.width, size.height] == self.size() {
            return;
        }
        let max_side = gpu.device.limits().max_texture_dimension_2d;
        self.config.width = size.width.min(max_side);
        self.config.height = size.height.min(max_side);
        self.surface.configure(&gpu.device, &self.config);
    }

    /// Simulates the loss of the surface.
    pub(crate) fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Requests the texture for the next frame.
    pub(crate) fn next(&mut self, gpu: &Gpu) -> Next {
        let next = if std::mem::take(&mut self.is_lost) {
            CurrentSurfaceTexture::Lost
        } else {
            self.surface.get_current_texture()
        };
        match next {
            CurrentSurfaceTexture::Success(texture) => Next::Draw(texture),
            CurrentSurfaceTexture::Suboptimal(texture) => Next::Draw(texture),
            CurrentSurfaceTexture::Outdated => {
                self.surface.configure(&gpu.device, &self.config);
                Next::Again
            }
            CurrentSurfaceTexture::Lost => {
                log::warn!("the surface of the window was lost; making another one");
                match gpu.instance.create_surface(Arc::clone(&self.window)) {
                    Ok(surface) => {
                        self.surface = surface;
                        self.surface.configure(&gpu.device, &self.config);
                        Next::Again
                    }
                    Err(error) => {
                        log::error!("the window cannot be drawn to any more: {error}");
                        Next::Never
                    }
                }
            }
            CurrentSurfaceTexture::Timeout => Next::Again,
            CurrentSurfaceTexture::Occluded | CurrentSurfaceTexture::Validation => Next::Never,
        }
    }
}
