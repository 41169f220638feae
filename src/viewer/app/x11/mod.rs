//! X11 requests that winit does not make.

mod drops;

use std::error::Error;

use egui::Color32;
use winit::raw_window_handle::{HasWindowHandle as _, RawWindowHandle};
use winit::window::Window;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, Gravity};

pub(super) use drops::Drops;

/// Sets the colour that fills new areas of a growing window until the next frame; without it they
/// flash white. On Wayland frames and sizes change together.
pub(super) fn set_background(window: &Window, color: Color32) {
    if let Some(Err(error)) = id_of(window).map(|id| try_set_background(id, color)) {
        log::debug!("the window has no background: {error}");
    }
}

/// Returns the X11 identifier of a window.
fn id_of(window: &Window) -> Option<u32> {
    match window.window_handle().ok()?.as_raw() {
        RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok(),
        RawWindowHandle::Xcb(handle) => Some(handle.window.get()),
        _ => None,
    }
}

/// Sets the background of the window with an identifier.
///
/// # Errors
/// Fails without a connection, or if the server rejects the request.
fn try_set_background(window: u32, color: Color32) -> Result<(), Box<dyn Error>> {
    // Requests about a window may come from another connection than the one that created it.
    let (connection, _) = x11rb::connect(None)?;
    let [red, green, blue, alpha] = color.to_array();
    let pixel = u32::from_be_bytes([alpha, red, green, blue]);
    // The old contents remain; otherwise the server would fill them too.
    let attributes = ChangeWindowAttributesAux::new()
        .background_pixel(pixel)
        .bit_gravity(Gravity::NORTH_WEST);
    connection
        .change_window_attributes(window, &attributes)?
        .check()?;
    connection.flush()?;
    Ok(())
}
