//! What the window's contents are presented on.

use std::sync::Arc;

use thiserror::Error;
use wgpu::CurrentSurfaceTexture;
use winit::dpi::PhysicalSize;
use winit::window::Window;

use crate::viewer::ViewError;
use mapscope_render::{Gpu, Interfaces};

/// A window's surface and how it is set up.
pub(crate) struct WindowSurface {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    window: Arc<Window>,
    /// Whether it was [given up](Self::lose).
    is_lost: bool,
}

/// Why a window has no surface.
#[derive(Debug, Error)]
pub enum SurfaceError {
    /// The window cannot be drawn to.
    #[error("the window cannot be drawn to: {0}")]
    Create(#[from] wgpu::CreateSurfaceError),
    /// The adapter has no texture format in common with the window.
    #[error("the graphics adapter cannot draw to this window")]
    Unsupported,
}

/// Makes a device and what a window shows frames on.
///
/// # Errors
/// When there is no adapter, or it cannot draw to the window.
pub(crate) fn open(
    window: &Arc<Window>,
    interfaces: Interfaces,
    instance: wgpu::Instance,
) -> Result<(Gpu, wgpu::Surface<'static>), ViewError> {
    match instance.create_surface(Arc::clone(window)) {
        Ok(surface) => {
            let gpu = Gpu::new(interfaces, instance, Some(&surface))?;
            Ok((gpu, surface))
        }
        Err(error) => {
            // Without any driver it is not the window's fault: that error says what to do.
            Gpu::new(interfaces, instance, None)?;
            Err(SurfaceError::from(error).into())
        }
    }
}

/// What asking for the next frame to present gave.
pub(crate) enum Next {
    /// Draw on this.
    Draw(wgpu::SurfaceTexture),
    /// Nothing to draw on now, but soon.
    Again,
    /// Nothing to draw on until the window changes.
    Never,
}

impl WindowSurface {
    /// Sets a surface up for a window.
    ///
    /// # Errors
    /// When the adapter cannot draw to it.
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

    /// The format of what is presented.
    pub(crate) fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// A colour as it is cleared to.
    pub(crate) fn color(&self, color: egui::Color32) -> wgpu::Color {
        let rgba = if self.config.format.is_srgb() {
            egui::Rgba::from(color).to_array()
        } else {
            color.to_normalized_gamma_f32()
        };
        let [r, g, b, a] = rgba.map(f64::from);
        wgpu::Color { r, g, b, a }
    }

    /// Width and height in physical pixels.
    pub(crate) fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Takes on the window's size.
    pub(crate) fn resize(&mut self, gpu: &Gpu, size: PhysicalSize<u32>) {
        if size.width == 0 || size.height == 0 || [size.width, size.height] == self.size() {
            return;
        }
        let most = gpu.device.limits().max_texture_dimension_2d;
        self.config.width = size.width.min(most);
        self.config.height = size.height.min(most);
        self.surface.configure(&gpu.device, &self.config);
    }

    /// Gives it up, as the system does that takes it away.
    pub(crate) fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Asks for what to draw the next frame on.
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
