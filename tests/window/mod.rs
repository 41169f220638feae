//! The window: its panels one by one, and the whole program as users operate it.
//!
//! Every test of the program has its own X server or Wayland compositor, settings and caches, so
//! tests can run in parallel and leave no files behind.

mod panels;
mod readme;

#[cfg(target_os = "linux")]
mod arm;
#[cfg(target_os = "linux")]
mod display;
#[cfg(target_os = "linux")]
mod drag;
#[cfg(target_os = "linux")]
mod losing;
#[cfg(target_os = "linux")]
mod peer;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod screen;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod sway;
#[cfg(target_os = "linux")]
mod wayland;
#[cfg(target_os = "linux")]
mod x11;
