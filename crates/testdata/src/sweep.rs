//! Sweeps over all positions of a file, which take only every nth position by default.

/// Returns the step of a sweep: `step`, or 1 if `MAPSCOPE_SWEEP` is `full`.
pub fn stride(step: usize) -> usize {
    if std::env::var_os("MAPSCOPE_SWEEP").is_some_and(|sweep| sweep == "full") {
        1
    } else {
        step
    }
}
