//! The window's icon on systems that set it per window: X11 and Windows. Elsewhere it comes from
//! the desktop entry or from the bundle.

use image::ImageFormat;
use winit::window::Icon;

const PNG: &[u8] = include_bytes!("../../../assets/icon/mapscope-64.png");

/// Returns the program's icon. It is always `Some`; a test checks that.
pub(crate) fn window_icon() -> Option<Icon> {
    let image = image::load_from_memory_with_format(PNG, ImageFormat::Png)
        .ok()?
        .into_rgba8();
    let (width, height) = image.dimensions();
    Icon::from_rgba(image.into_raw(), width, height).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_icon_can_be_read() {
        assert!(super::window_icon().is_some());
    }
}
