//! PMF, the maps of `PlatinumSrc`: levels of chunks, each an octree of cubes.
//!
//! The layout is that of the format's document (`pmf.txt`); where it is silent, that of the fact
//! sheet (sections A and B). Coordinates are as the file has them: left-handed, X right, Y up,
//! Z forward, one unit is a metre. Nothing is turned here.

pub mod archive;
mod bytes;
mod entities;
mod entity_fields;
mod entity_kinds;
mod entity_properties;
mod entity_write;
mod lz4;
mod problems;
mod string_builder;
mod texture;

pub use bytes::{ChunkIndex, Part, Side, StringRef, StringTable};
pub use entities::{Entities, Entity, FieldValue, HEAD_FIELDS};
pub use entity_fields::{Field, FieldKind, Flag, Unit, Value};
pub use entity_kinds::EntityKind;
pub use entity_properties::{Property, PropertyKind, PropertyRecord, PropertyValues};
pub use entity_write::{EntityList, NewEntity};
pub use string_builder::StringTableBuilder;
pub use texture::Texture;
