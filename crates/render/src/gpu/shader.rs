//! Shaders: the sources that they are put together from. They are embedded, and in debug builds read
//! from disk, so that they can be edited while the program runs.

use std::borrow::Cow;
use std::path::PathBuf;

/// A shader module: the files that it is put together from.
#[derive(Debug)]
pub struct Shader {
    /// The name, which is that of its last file.
    pub name: &'static str,
    /// What it shares with Rust, as declarations that come first.
    pub(crate) shared: &'static [fn() -> String],
    /// Files of `shaders/` and what they held when the program was built, in the order in which
    /// they are joined.
    pub parts: &'static [(&'static str, &'static str)],
}

/// A file of `shaders/` with its content.
macro_rules! source {
    ($($name:literal),+) => {
        (
            concat!($($name),+),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/", $($name),+)),
        )
    };
}

pub(crate) use source;

impl Shader {
    /// The whole source: what is shared with Rust, then the files. Debug builds take each file from
    /// the source tree when it is there.
    pub fn source(&self) -> String {
        let shared = self.shared.iter().map(|write| Cow::Owned(write()));
        let files = self.parts.iter().map(|(name, embedded)| {
            let from_disk =
                shader_folder().and_then(|f| std::fs::read_to_string(f.join(name)).ok());
            from_disk.map_or(Cow::Borrowed(*embedded), Cow::Owned)
        });
        let parts: Vec<Cow<'_, str>> = shared.chain(files).collect();
        parts.join("\n")
    }

    pub(crate) fn module(&self, device: &wgpu::Device) -> wgpu::ShaderModule {
        device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(self.name),
            source: wgpu::ShaderSource::Wgsl(self.source().into()),
        })
    }
}

/// The folder that shaders are read from while the program runs; none in release builds.
pub fn shader_folder() -> Option<PathBuf> {
    cfg!(debug_assertions).then(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shaders"))
}
