//! Mapscope: a real-time viewer for game terrain, models and maps.
//!
//! The program is a stack of crates and modules. Imports only go downwards:
//!
//! | layer | responsibility | independent of |
//! |---|---|---|
//! | [`mapscope_formats`] | bytes to plain data and back, one folder per format | scenes, GPUs, windows, the file system |
//! | [`mapscope_scene`] | plain data to what can be drawn, picked and described; CPU only | GPUs, windows |
//! | [`mapscope_render`] | draws scenes with wgpu | windows |
//! | [`viewer`] | the window: camera, panels, commands, drops | [`commands`] |
//! | [`commands`] | the same without a window: `info`, `check`, `render`, `bench` | [`viewer`] |

pub mod commands;
pub mod file_names;
pub mod images;
pub mod search;
pub mod view_request;
#[cfg(feature = "window")]
pub mod viewer;
