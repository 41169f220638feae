//! The theme of a Linux desktop, which winit does not report.

use egui::Theme;
use zbus::zvariant::{OwnedValue, Value};

/// Reads the theme from the desktop's settings portal. `None` if the desktop has no preference or
/// no portal.
pub(super) fn read() -> Option<Theme> {
    match pollster::block_on(color_scheme()) {
        Ok(1) => Some(Theme::Dark),
        Ok(2) => Some(Theme::Light),
        Ok(_) => None,
        Err(error) => {
            log::debug!("the desktop reports no theme: {error}");
            None
        }
    }
}

/// The colour scheme: 1 for dark, 2 for light.
async fn color_scheme() -> zbus::Result<u32> {
    let bus = zbus::Connection::session().await?;
    let reply = bus
        .call_method(
            Some("org.freedesktop.portal.Desktop"),
            "/org/freedesktop/portal/desktop",
            Some("org.freedesktop.portal.Settings"),
            "Read",
            &("org.freedesktop.appearance", "color-scheme"),
        )
        .await?;
    let value: OwnedValue = reply.body().deserialize()?;
    // `Read` wraps the value twice.
    let value = match Value::from(value) {
        Value::Value(inner) => *inner,
        value => value,
    };
    Ok(u32::try_from(value)?)
}
