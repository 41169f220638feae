//! How many pixels of the window's monitor stand for one of the interface, also on X11, where
//! winit forgets what it told.

use winit::event::WindowEvent;
use winit::window::Window;

/// The scale of the monitor that the window is on, as it was last told.
///
/// When the desktop's settings change it on X11, winit 0.30 sends the new scale, but its window
/// keeps the old one until the window manager next says where the window is. Then it sends the same
/// scale once more, and would have the window grow by it once more.
#[derive(Debug, Default)]
pub(crate) struct WindowScale {
    told: Option<f64>,
}

impl WindowScale {
    /// Takes note of a scale that a window is told.
    pub(crate) fn hear(&mut self, event: &mut WindowEvent, window: &Window) {
        let WindowEvent::ScaleFactorChanged {
            scale_factor,
            inner_size_writer,
        } = event
        else {
            return;
        };
        if self.told.replace(*scale_factor) == Some(*scale_factor)
            && let Err(error) = inner_size_writer.request_inner_size(window.inner_size())
        {
            log::debug!("the window may change its size: {error}");
        }
    }

    /// Physical pixels in a logical one.
    pub(crate) fn of(&self, window: &Window) -> f64 {
        self.told.unwrap_or_else(|| window.scale_factor())
    }

    /// How much larger than by the window's own scale the interface is to be.
    pub(crate) fn zoom(&self, window: &Window) -> f32 {
        (self.of(window) / window.scale_factor()) as f32
    }
}
