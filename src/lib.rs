//! Mapscope: a real-time viewer for game terrain, models and maps.
//!
//! The library is a stack of five layers, and imports run only downwards
//! (`tests/layers.rs` holds that):
//!
//! | layer | what it does | knows nothing of |
//! |---|---|---|
//! | [`formats`] | bytes to plain data, one folder per format | scenes, GPUs, windows, the file system |
//! | [`scene`] | plain data to what can be drawn, picked and described; CPU only | GPUs, windows |
//! | [`render`] | scenes to pictures with wgpu | windows |
//! | [`viewer`] | the window: camera, panels, commands, drops | [`commands`] |
//! | [`commands`] | the same without a window: `info`, `check`, `render`, `bench` | [`viewer`] |
//!
//! A new format is one folder in `formats`, one folder in `scene`, and one line in
//! [`scene::registry`].

pub mod commands;
pub mod formats;
pub mod render;
pub mod scene;
pub mod viewer;
