//! The window's scale factor: physical pixels per logical pixel. Works around a stale scale of
//! winit on X11.

use winit::event::WindowEvent;
use winit::window::Window;

/// The scale of the window's monitor, as last reported.
///
/// When the desktop settings change it on X11, winit 0.30 sends the new scale. Its window keeps the
/// old one until the window manager next reports the window's position. Then winit sends the same
/// scale again, and would enlarge the window a second time.
#[derive(Debug, Default)]
pub(crate) struct WindowScale {
    reported: Option<f64>,
}

impl WindowScale {
    /// Records a reported scale.
    pub(crate) fn record(&mut self, event: &mut WindowEvent, window: &Window) {
        let WindowEvent::ScaleFactorChanged {
            scale_factor,
            inner_size_writer,
        } = event
        else {
            return;
        };
        if self.reported.replace(*scale_factor) == Some(*scale_factor)
            && let Err(error) = inner_size_writer.request_inner_size(window.inner_size())
        {
            log::debug!("the window may change its size: {error}");
        }
    }

    /// Returns the number of physical pixels per logical pixel.
    pub(crate) fn of(&self, window: &Window) -> f64 {
        self.reported.unwrap_or_else(|| window.scale_factor())
    }

    /// Returns the interface's zoom relative to the scale of winit's window.
    pub(crate) fn zoom(&self, window: &Window) -> f32 {
        (self.of(window) / window.scale_factor()) as f32
    }
}
