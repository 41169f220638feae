//! The window's icon, where windows have one of their own: on X11 and Windows. Elsewhere it is that
//! of the desktop entry or of the bundle.

use image::ImageFormat;
use winit::window::Icon;

const PNG: &[u8] = include_bytes!("../../../assets/icon/mapscope-64.png");

/// The icon of the program; `None` never, as a test sees to.
pub(crate) fn window_icon() -> Option<Icon> {
    let image = image::load_from_memory_with_format(PNG, ImageFormat::Png).ok()?;
    let image = image.into_rgba8();
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
