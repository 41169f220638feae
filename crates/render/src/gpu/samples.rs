//! Formats of frames, and anti-aliasing: the number of samples of each pixel.

use std::fmt;

/// Colour of frames: plain 8-bit channels. The engine lights its terrain in gamma space and
/// nothing is converted on the way (fact sheet 0), so neither do we.
pub const COLOR_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Depth, reversed: 1 is near, 0 infinitely far.
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// How many samples each pixel of a frame has (MSAA). A surface is shaded once for a pixel, and
/// covers those samples that lie in it: edges are smooth, and what is within them stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Samples {
    /// The middle of the pixel alone.
    #[default]
    One,
    /// Four of them, as every adapter of WebGPU can.
    Four,
}

impl Samples {
    /// How many they are.
    pub fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Four => 4,
        }
    }

    /// Those of the frames of an adapter: as many as are asked for, or else four. A software adapter
    /// has one unless more are asked for, since a frame with four takes it two to three times as long.
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

/// Whether an adapter draws with the processor, as Mesa's lavapipe does.
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
