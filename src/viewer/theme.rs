//! The look of the window: colours, spacing and fonts.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use egui::style::NumberFormatter;
use egui::{
    Color32, CornerRadius, FontData, FontFamily, FontId, Margin, Stroke, TextStyle, Theme, Visuals,
    emath, vec2,
};
use epaint::text::{FallbackRequest, FontInsert};
use mapscope_scene::without_sign_of_zero;

/// Selected items and primary buttons.
pub(crate) const ACCENT: Color32 = Color32::from_rgb(0xe3, 0xa8, 0x57);
/// Errors.
pub(crate) const ERROR: Color32 = Color32::from_rgb(0xf0, 0x71, 0x78);
/// Warnings.
pub(crate) const WARNING: Color32 = Color32::from_rgb(0xf2, 0xc9, 0x6d);
/// Lines around the matches of a search: red, green and blue.
pub(crate) const MATCH: [u8; 3] = [0x5c, 0xc8, 0xff];
/// Background of menu bar, status bar and panels.
pub(crate) const PANEL: Color32 = Color32::from_rgb(0x1d, 0x21, 0x27);
/// Background of the window and of text fields.
pub(crate) const DEEP: Color32 = Color32::from_rgb(0x14, 0x17, 0x1b);
const RAISED: Color32 = Color32::from_rgb(0x2a, 0x30, 0x38);
const RAISED_HOVERED: Color32 = Color32::from_rgb(0x36, 0x3e, 0x48);
const LINE: Color32 = Color32::from_rgb(0x33, 0x3a, 0x43);
const TEXT: Color32 = Color32::from_rgb(0xd5, 0xda, 0xe0);
const STRONG_TEXT: Color32 = Color32::from_rgb(0xf4, 0xf6, 0xf8);
/// Weak text; its contrast to [`PANEL`] is at least 4.5 to 1.
pub(crate) const WEAK_TEXT: Color32 = Color32::from_rgb(0x9a, 0xa4, 0xaf);

/// Applies the viewer's colours, spacing and fonts to a context.
pub(crate) fn apply(ctx: &egui::Context) {
    ctx.set_theme(Theme::Dark);
    ctx.set_visuals_of(Theme::Dark, visuals());
    ctx.style_mut_of(Theme::Dark, |style| {
        style.spacing.item_spacing = vec2(8.0, 5.0);
        style.spacing.button_padding = vec2(8.0, 4.0);
        style.spacing.menu_margin = Margin::same(6);
        style.spacing.window_margin = Margin::same(12);
        style.spacing.interact_size.y = 22.0;
        style.number_formatter = NumberFormatter::new(|number, decimals| {
            without_sign_of_zero(emath::format_with_decimals_in_range(number, decimals))
        });
        style
            .text_styles
            .insert(TextStyle::Heading, FontId::proportional(19.0));
        style
            .text_styles
            .insert(TextStyle::Body, FontId::proportional(13.5));
        style
            .text_styles
            .insert(TextStyle::Button, FontId::proportional(13.5));
        style
            .text_styles
            .insert(TextStyle::Small, FontId::proportional(11.5));
        style
            .text_styles
            .insert(TextStyle::Monospace, FontId::monospace(12.5));
    });
    ctx.options_mut(|options| {
        // Commands of the viewer do that.
        options.zoom_with_keyboard = false;
    });
    for path in FALLBACK_FONTS {
        ctx.add_font_provider(Arc::new(fallback_font(path)));
    }
}

/// Stops the blinking of text cursors, so that an unchanged window is not redrawn.
pub(crate) fn stop_blinking(ctx: &egui::Context) {
    ctx.style_mut_of(Theme::Dark, |style| {
        style.visuals.text_cursor.blink = false;
    });
}

/// Clear colour of the window below its bars. Panels do not fill their background: egui's shader
/// runs in full for each pixel, and with a software adapter it takes longer to fill a window than
/// most views take to draw.
pub(crate) fn background(has_view: bool) -> Color32 {
    if has_view { PANEL } else { DEEP }
}

/// The frame of the menu bar and of the status bar, which are there with and without panels.
pub(crate) fn bar(style: &egui::Style) -> egui::Frame {
    egui::Frame::side_top_panel(style).fill(PANEL)
}

fn visuals() -> Visuals {
    let mut visuals = Visuals::dark();
    let radius = CornerRadius::same(5);
    let widgets = &mut visuals.widgets;
    for (state, fill, text) in [
        (&mut widgets.inactive, RAISED, TEXT),
        (&mut widgets.hovered, RAISED_HOVERED, STRONG_TEXT),
        (&mut widgets.active, RAISED_HOVERED, STRONG_TEXT),
        (&mut widgets.open, RAISED, STRONG_TEXT),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::NONE;
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = radius;
        state.expansion = 0.0;
    }
    widgets.active.bg_stroke = Stroke::new(1.0, ACCENT);
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, LINE);
    widgets.noninteractive.fg_stroke = Stroke::new(1.0, TEXT);
    widgets.noninteractive.corner_radius = radius;
    visuals.selection.bg_fill = ACCENT.gamma_multiply(0.32);
    visuals.selection.stroke = Stroke::new(1.0, STRONG_TEXT);
    visuals.hyperlink_color = ACCENT;
    visuals.weak_text_color = Some(WEAK_TEXT);
    visuals.warn_fg_color = WARNING;
    visuals.error_fg_color = ERROR;
    // See `background`.
    visuals.panel_fill = Color32::TRANSPARENT;
    visuals.window_fill = PANEL;
    visuals.window_stroke = Stroke::new(1.0, LINE);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.extreme_bg_color = DEEP;
    // Disabled commands are still readable.
    visuals.disabled_alpha = 0.62;
    visuals.faint_bg_color = Color32::from_rgb(0x22, 0x27, 0x2e);
    visuals
}

/// System fonts for scripts that egui's own fonts lack, such as Chinese file names. All are
/// optional; the first one with a glyph is used for it.
const FALLBACK_FONTS: &[&str] = &[
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-sans-cjk-vf-fonts/NotoSansCJK-VF.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/System/Library/Fonts/Hiragino Sans GB.ttc",
    "/System/Library/Fonts/AppleSDGothicNeo.ttc",
    "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
    "C:\\Windows\\Fonts\\segoeui.ttf",
    "C:\\Windows\\Fonts\\msyh.ttc",
    "C:\\Windows\\Fonts\\YuGothM.ttc",
    "C:\\Windows\\Fonts\\malgun.ttf",
];

/// Offers a font file as a fallback for missing glyphs; it is read on first use.
fn fallback_font(path: &'static str) -> impl Fn(&FallbackRequest<'_>) -> Option<FontInsert> {
    let bytes: OnceLock<Option<&'static [u8]>> = OnceLock::new();
    move |request| {
        let read = || {
            let bytes = std::fs::read(Path::new(path)).ok()?;
            // Leaked, as fonts live until the program ends: egui would copy owned bytes.
            Some(&*Box::leak(bytes.into_boxed_slice()))
        };
        let bytes = (*bytes.get_or_init(read))?;
        let family: FontFamily = request.family.clone();
        Some(FontInsert::new(
            path,
            FontData::from_static(bytes),
            vec![epaint::text::InsertFontFamily {
                family,
                priority: epaint::text::FontPriority::Lowest,
            }],
        ))
    }
}
