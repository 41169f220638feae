//! Formats of frames, and multisampling.

use std::fmt;

/// Colour format of frames: plain 8-bit channels. Like the engine, the renderer lights in gamma
/// space and converts nothing (fact sheet 0).
pub const COLOR_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Depth format of frames. Depth is reversed: 1 is near, 0 infinitely far.
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Number of samples per pixel of a frame (MSAA). A surface is shaded once per pixel and covers the
/// samples inside it, so that edges are smooth and surfaces unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Samples {
    /// The centre of the pixel.
    #[default]
    One,
    /// Four samples, which every WebGPU adapter supports.
    Four,
}

impl Samples {
    /// The number of samples.
    pub fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Four => 4,
        }
    }

    /// The number of samples for an adapter: the requested one, or four by default. The default of
    /// software adapters is one, since a frame with four takes two to three times as long.
    pub(crate) fn of(adapter: &wgpu::Adapter, asked: Option<Self>) -> Self {
        let usual = if is_software(adapter) {
            Self::One
        } else {
            Self::Four
        };
        let flags = |format| adapter.get_texture_format_features(format).flags;
        let color = flags(COLOR_FORMAT);
        let can_four = color.contains(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE)
            && [color, flags(DEPTH_FORMAT)]
                .iter()
                .all(|flags| flags.sample_count_supported(Self::Four.count()));
        let wanted = asked.unwrap_or(usual);
        if can_four { wanted } else { Self::One }
    }
}

/// `true` for an adapter that draws on the CPU, such as Mesa's lavapipe.
pub(crate) fn is_software(adapter: &wgpu::Adapter) -> bool {
    adapter.get_info().device_type == wgpu::DeviceType::Cpu
}

impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "off",
            Self::Four => "4 samples a pixel",
        })
    }
}
