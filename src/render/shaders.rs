//! The WGSL sources: embedded, and in debug builds read from disk when they change.

/// A shader module: the files that it is put together from.
#[derive(Debug)]
pub struct Shader {
    /// The name, which is that of its last file.
    pub name: &'static str,
    /// Files of `shaders/` and what they held when the program was built, in the order in which
    /// they are joined.
    pub parts: &'static [(&'static str, &'static str)],
}

/// Every shader of the program.
pub static SHADERS: &[&Shader] = &[];
