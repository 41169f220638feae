//! What every other room of the crate may use: sources and options of a load, rules, items, overlays,
//! playheads, budgets and threads.

mod altered;
pub(crate) mod budget;
pub(crate) mod inside;
pub(crate) mod item;
pub(crate) mod overlay;
pub(crate) mod parallel;
pub(crate) mod parsed;
pub(crate) mod playback;
pub(crate) mod rules;
pub(crate) mod source;
pub(crate) mod system;

pub(crate) use self::altered::restored;
