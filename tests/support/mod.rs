//! What tests need to use the program as a person does: a display of their own, the program's
//! window with pointer and keys, pictures of it, and files to drag onto it.
//!
//! Every test has its own X server and its own settings and caches, so that tests run side by
//! side and leave nothing behind.

pub(crate) mod arm;
pub(crate) mod display;
pub(crate) mod drag;
pub(crate) mod program;
pub(crate) mod screen;
