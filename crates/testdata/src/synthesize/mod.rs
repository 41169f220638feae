//! Synthetic files for tests and measurements. Each file depends only on the arguments of its
//! function.

mod ika;
mod p3m;
mod pfmap;
mod pfobj;
mod pfscene;
mod pmf;
mod ppe;
mod ptf;

pub use ika::{IKA_TILESET, ika_map, ika_text_map, ika_tileset};
pub use p3m::p3m;
pub use pfmap::pfmap;
pub use pfobj::pfobj;
pub use pfscene::pfscene;
pub use pmf::pmf;
pub use ppe::{PPE_SHEET, ppe_container, ppe_map, ppe_sheet};
pub use ptf::{ptf, ptfs};
