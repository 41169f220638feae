//! Hex dump of a file's bytes with their characters, in pages.

use std::fmt::Write as _;

use egui::{FontId, Frame, Label, RichText, TextStyle, Ui};

/// Bytes per page.
const PAGE_BYTES: usize = 512;
/// Bytes per row in a wide panel and in a narrow one.
const WIDE_ROW: usize = 16;
const NARROW_ROW: usize = 8;
/// Maximum number of bytes that are copied as text.
const MAX_COPIED: usize = 64 << 10;

/// Shows a page of bytes with buttons for the other pages. `page` is zero-based.
pub(super) fn show(ui: &mut Ui, bytes: &[u8], page: &mut usize) {
    let last = bytes.len().saturating_sub(1) / PAGE_BYTES;
    *page = (*page).min(last);
    if last > 0 {
        pages(ui, bytes.len(), page, last);
    }
    let first = *page * PAGE_BYTES;
    let shown = bytes.get(first..).unwrap_or_default();
    let shown = shown.get(..PAGE_BYTES).unwrap_or(shown);
    let digits = offset_digits(bytes.len());
    let font = FontId::monospace(ui.text_style_height(&TextStyle::Small) * 0.85);
    let margin = 6.0;
    let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let room = ((ui.available_width() - 2.0 * margin) / letter.max(1.0)) as usize;
    let in_row = if columns(digits, WIDE_ROW) <= room {
        WIDE_ROW
    } else {
        NARROW_ROW
    };
    let frame = Frame::new()
        .fill(ui.visuals().extreme_bg_color)
        .corner_radius(3)
        .inner_margin(margin);
    frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (row, bytes) in shown.chunks(in_row).enumerate() {
            let text = self::row(first + row * in_row, bytes, digits, in_row);
            let text = RichText::new(text).font(font.clone());
            ui.add(Label::new(text).selectable(true).extend());
        }
    });
}

/// Shows the page buttons and the visible byte range.
fn pages(ui: &mut Ui, len: usize, page: &mut usize, last: usize) {
    ui.horizontal_wrapped(|ui| {
        let buttons = [
            ("First", "The first bytes", 0, *page > 0),
            (
                "Previous",
                "The previous bytes",
                page.saturating_sub(1),
                *page > 0,
            ),
            ("Next", "The next bytes", *page + 1, *page < last),
            ("Last", "The last bytes", last, *page < last),
        ];
        let mut wanted = *page;
        for (name, help, to, enabled) in buttons {
            let button = ui.add_enabled(enabled, egui::Button::new(name).small());
            if button.on_hover_text(help).clicked() {
                wanted = to;
            }
        }
        let first = *page * PAGE_BYTES;
        let end = (first + PAGE_BYTES).min(len);
        ui.weak(format!("{first:#x} to {:#x} of {len:#x} bytes", end - 1));
        *page = wanted;
    });
}

/// Returns the number of hex digits for offsets into `len` bytes.
fn offset_digits(len: usize) -> usize {
    let bits = usize::BITS - len.saturating_sub(1).leading_zeros();
    (bits as usize).div_ceil(4).max(4)
}

/// Returns the number of characters in a row.
fn columns(digits: usize, in_row: usize) -> usize {
    digits + 2 + in_row * 3 - 1 + 2 + in_row
}

/// Formats a row: offset, bytes in hex, and printable characters.
fn row(offset: usize, bytes: &[u8], digits: usize, in_row: usize) -> String {
    let mut text = format!("{offset:0digits$x} ");
    // Writing to a string does not fail.
    for byte in bytes {
        let _ = write!(text, " {byte:02x}");
    }
    let missing = 3 * (in_row - bytes.len());
    let _ = write!(text, "{:missing$}  ", "");
    text.extend(bytes.iter().map(|byte| match byte {
        0x20..0x7F => char::from(*byte),
        _ => '.',
    }));
    text
}

/// Returns the bytes as lines of text.
pub(super) fn as_text(bytes: &[u8]) -> String {
    let digits = offset_digits(bytes.len());
    let shown = bytes.get(..MAX_COPIED).unwrap_or(bytes);
    let mut text = String::new();
    for (number, bytes) in shown.chunks(WIDE_ROW).enumerate() {
        // Writing to a string does not fail.
        let line = row(number * WIDE_ROW, bytes, digits, WIDE_ROW);
        let _ = write!(text, "\n    {line}");
    }
    if bytes.len() > shown.len() {
        let _ = write!(text, "\n    and {} more bytes", bytes.len() - shown.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_long_as_they_are_said_to_be() {
        let bytes: Vec<u8> = (b'0'..b'H').collect();
        let first = row(0, &bytes[..16], 4, 16);
        assert_eq!(
            first,
            "0000  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?"
        );
        assert_eq!(first.len(), columns(4, 16));
        // The characters of a short row align with those of a full row.
        let last = row(16, &bytes[16..], 4, 16);
        assert_eq!(last.find("@A"), first.find("01234"));
        assert_eq!([0, 1, 0x1_0000, 0x1_0001].map(offset_digits), [4, 4, 4, 5]);
        let text = as_text(&vec![7; MAX_COPIED + 3]);
        assert_eq!(text.lines().count(), 1 + MAX_COPIED / WIDE_ROW + 1);
        assert!(text.ends_with("and 3 more bytes"));
    }
}
