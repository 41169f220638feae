//! What runs without a window.
