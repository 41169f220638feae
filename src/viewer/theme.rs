//! The look of the window: colours, spacing and fonts.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use egui::style::NumberFormatter;
use egui::{
    Color32, CornerRadius, FontData, FontFamily, FontId, Margin, Stroke, TextStyle, Theme,
    ThemePreference, Visuals, emath, vec2,
};
use epaint::text::{FallbackRequest, FontInsert};
use mapscope_scene::without_sign_of_zero;
use serde::{Deserialize, Serialize};

/// The choice between the themes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    #[default]
    Dark,
    Light,
    System,
}

impl From<ThemeChoice> for ThemePreference {
    fn from(choice: ThemeChoice) -> Self {
        match choice {
            ThemeChoice::Dark => Self::Dark,
            ThemeChoice::Light => Self::Light,
            ThemeChoice::System => Self::System,
        }
    }
}

/// A colour of the interface in both themes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Color {
    /// In the dark theme.
    pub dark: Color32,
    /// In the light theme.
    pub light: Color32,
}

impl Color {
    /// The colour in the current theme of a window.
    pub(crate) fn of(self, ctx: &egui::Context) -> Color32 {
        self.in_theme(ctx.theme())
    }

    fn in_theme(self, theme: Theme) -> Color32 {
        match theme {
            Theme::Dark => self.dark,
            Theme::Light => self.light,
        }
    }
}

const fn color(dark: u32, light: u32) -> Color {
    Color {
        dark: rgb(dark),
        light: rgb(light),
    }
}

const fn rgb(color: u32) -> Color32 {
    let [_, r, g, b] = color.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

/// Selected items and primary buttons.
pub(crate) const ACCENT: Color = color(0xe3_a8_57, 0x8f_58_00);
/// Errors.
pub(crate) const ERROR: Color = color(0xf0_71_78, 0xb3_1d_28);
/// Warnings.
pub(crate) const WARNING: Color = color(0xf2_c9_6d, 0x80_5a_00);
/// Lines around the matches of a search: red, green and blue.
pub(crate) const MATCH: [u8; 3] = [0x5c, 0xc8, 0xff];
/// Background of menu bar, status bar and panels.
pub(crate) const PANEL: Color = color(0x1d_21_27, 0xf2_f3_f5);
/// Background of the window and of text fields.
pub(crate) const DEEP: Color = color(0x14_17_1b, 0xff_ff_ff);
const FAINT: Color = color(0x22_27_2e, 0xe9_eb_ee);
const RAISED: Color = color(0x2a_30_38, 0xe0_e3_e7);
const RAISED_HOVERED: Color = color(0x36_3e_48, 0xd0_d5_db);
const LINE: Color = color(0x33_3a_43, 0xc3_c8_cf);
const TEXT: Color = color(0xd5_da_e0, 0x2b_31_38);
const STRONG_TEXT: Color = color(0xf4_f6_f8, 0x0b_0d_10);
/// Weak text.
pub(crate) const WEAK_TEXT: Color = color(0x9a_a4_af, 0x5a_63_6d);

/// Applies the viewer's colours, spacing and fonts to a context.
pub(crate) fn apply(ctx: &egui::Context) {
    ctx.set_theme(ThemePreference::from(ThemeChoice::default()));
    for theme in [Theme::Dark, Theme::Light] {
        ctx.set_visuals_of(theme, visuals(theme));
    }
    ctx.all_styles_mut(|style| {
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
    ctx.all_styles_mut(|style| {
        style.visuals.text_cursor.blink = false;
    });
}

/// Clear colour of the window below its bars. Panels do not fill their background: egui's shader
/// runs in full for each pixel, and with a software adapter it takes longer to fill a window than
/// most views take to draw.
pub(crate) fn background(ctx: &egui::Context, has_view: bool) -> Color32 {
    if has_view { PANEL } else { DEEP }.of(ctx)
}

/// The frame of the menu bar and of the status bar, which are there with and without panels.
pub(crate) fn bar(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::side_top_panel(ui.style()).fill(PANEL.of(ui.ctx()))
}

fn visuals(theme: Theme) -> Visuals {
    let mut visuals = theme.default_visuals();
    let [accent, line, text] = [ACCENT, LINE, TEXT].map(|color| color.in_theme(theme));
    let [raised, hovered, strong] =
        [RAISED, RAISED_HOVERED, STRONG_TEXT].map(|color| color.in_theme(theme));
    let radius = CornerRadius::same(5);
    let widgets = &mut visuals.widgets;
    for (state, fill, text) in [
        (&mut widgets.inactive, raised, text),
        (&mut widgets.hovered, hovered, strong),
        (&mut widgets.active, hovered, strong),
        (&mut widgets.open, raised, strong),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::NONE;
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = radius;
        state.expansion = 0.0;
    }
    widgets.active.bg_stroke = Stroke::new(1.0, accent);
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, line);
    widgets.noninteractive.fg_stroke = Stroke::new(1.0, text);
    widgets.noninteractive.corner_radius = radius;
    visuals.selection.bg_fill = accent.gamma_multiply(0.32);
    visuals.selection.stroke = Stroke::new(1.0, strong);
    visuals.hyperlink_color = accent;
    visuals.weak_text_color = Some(WEAK_TEXT.in_theme(theme));
    visuals.warn_fg_color = WARNING.in_theme(theme);
    visuals.error_fg_color = ERROR.in_theme(theme);
    // See `background`.
    visuals.panel_fill = Color32::TRANSPARENT;
    visuals.window_fill = PANEL.in_theme(theme);
    visuals.window_stroke = Stroke::new(1.0, line);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.extreme_bg_color = DEEP.in_theme(theme);
    // Disabled commands are still readable.
    visuals.disabled_alpha = match theme {
        Theme::Dark => 0.62,
        Theme::Light => 0.75,
    };
    visuals.faint_bg_color = FAINT.in_theme(theme);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(color: Color32) -> f32 {
        let [r, g, b, _] = egui::Rgba::from(color).to_array();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn texts_are_readable_in_both_themes() {
        for theme in [Theme::Dark, Theme::Light] {
            for background in [PANEL, DEEP] {
                for text in [ACCENT, ERROR, WARNING, TEXT, STRONG_TEXT, WEAK_TEXT] {
                    let [text, background] =
                        [text, background].map(|color| luminance(color.in_theme(theme)) + 0.05);
                    let contrast = (text / background).max(background / text);
                    assert!(contrast >= 4.5, "{contrast} in {theme:?}");
                }
            }
        }
    }
}
