//! Shader sources. They are embedded; debug builds read them from disk, so that they can be edited
//! while the program runs.

use std::borrow::Cow;
use std::path::PathBuf;

/// A shader module and the files that it consists of.
#[derive(Debug)]
pub struct Shader {
    /// The name: that of its last file.
    pub name: &'static str,
    /// Declarations that are shared with Rust. They come first.
    pub(crate) shared: &'static [fn() -> String],
    /// Names of files in `shaders/` with their embedded contents, in the order of concatenation.
    pub parts: &'static [(&'static str, &'static str)],
}

/// A file of `shaders/` with its embedded contents.
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
    /// The whole source: shared declarations, then the files. Debug builds read each file from the
    /// source tree if it exists.
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

/// The folder that shaders are read from at run time; `None` in release builds.
pub fn shader_folder() -> Option<PathBuf> {
    cfg!(debug_assertions).then(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shaders"))
}
