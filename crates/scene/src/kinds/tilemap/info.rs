//! The JSON keys of `info` for 2D maps, which differ by format.

use crate::describe::table::ValueType::{
    self, Flag, Integer, Integers, List, Number, Numbers, Object, Text,
};
use crate::describe::table::{FieldKey, InfoKeys};

/// A key with the type of its value.
type Key = (&'static str, ValueType);

/// Everything at a tile of a map.
const TILE: ValueType = Object(&[
    ("x", Integer),
    ("y", Integer),
    ("layers", List(&CELL)),
    ("zones", List(&Text)),
    ("not_read?", List(&Text)),
]);
const CELL: ValueType = Object(&[
    ("layer", Integer),
    ("name", Text),
    ("x", Integer),
    ("y", Integer),
    ("tile", Integer),
    ("obstructed", Flag),
    ("logic?", Integer),
    ("not_read?", List(&Text)),
]);
/// The keys of every 2D map.
const COMMON: &[Key] = &[
    ("obstruction", List(&OBSTRUCTION)),
    ("left_out", List(&LEFT_OUT)),
    ("loop_s", Number),
];
const OBSTRUCTION: ValueType = Object(&[
    ("layer", Integer),
    ("size", Integers(2)),
    ("obstructed", Integer),
    ("by_sides", Flag),
]);
const LEFT_OUT: ValueType = Object(&[
    ("what", Text),
    ("layer", Integer),
    ("read", Integer),
    ("of", Integer),
    ("why", Text),
]);
/// Pairs of names and values.
const META: ValueType = List(&List(&Text));
const STRANDS: ValueType = List(&Integers(4));
const LAYER: ValueType = Object(&[
    ("label", Text),
    ("size", Integers(2)),
    ("parallax", Integers(4)),
    ("tiles_sha256", Text),
]);
const TEXT_LAYER: ValueType = Object(&[
    ("label", Text),
    ("size", Integers(2)),
    ("parallax", Integers(4)),
    ("tiles_sha256", Text),
    ("position", Integers(2)),
    ("wrap", List(&Flag)),
]);
const XMF_LAYER: ValueType = Object(&[
    ("name", Text),
    ("number", Integer),
    ("kind", Text),
    ("priority", Integer),
    ("tile_size", Integers(2)),
    ("size", Integers(2)),
    ("tiles", Integer),
    ("map", Text),
    ("embedded", Flag),
    ("repeat", Text),
    ("scroll_rate", Numbers(2)),
    ("rendering_mode", Text),
    // Names, numbers and colours, in the order of the file.
    ("boxes", List(&List(&Object(&[])))),
    ("sprites", List(&List(&Object(&[])))),
]);

fn keys(of_format: &[Key]) -> InfoKeys {
    let common = COMMON.iter().map(|(key, ty)| FieldKey::new(key, *ty));
    InfoKeys::new(common.collect(), of_format, &[("tile", TILE)])
}

/// JSON keys of ika maps.
pub(crate) fn ika_map() -> InfoKeys {
    keys(&[
        ("size", Integers(2)),
        ("tileset", Text),
        ("music", Text),
        ("start", Integers(2)),
        ("round", Flag),
        ("render_string", Text),
        ("layers", List(&LAYER)),
        ("zones", List(&Text)),
        ("entities", List(&Text)),
    ])
}

/// JSON keys of ika text maps.
pub(crate) fn ika_text_map() -> InfoKeys {
    keys(&[
        ("title", Text),
        ("meta", META),
        ("size", Integers(2)),
        ("size_px", Integers(2)),
        ("tileset", Text),
        ("layers", List(&TEXT_LAYER)),
        ("zones", List(&Text)),
        ("entities", List(&Text)),
        ("waypoints", List(&Text)),
    ])
}

/// JSON keys of tilesets.
pub(crate) fn vsp() -> InfoKeys {
    keys(&[
        ("tile_size", Integers(2)),
        ("tiles", Integer),
        ("bytes_per_pixel", Integer),
        ("strands", Integer),
        ("strand_list", STRANDS),
        ("description", Text),
        ("meta", META),
        ("rgba_sha256", Text),
    ])
}

/// JSON keys of textures of `PlatinumSrc`.
pub(crate) fn ptf() -> InfoKeys {
    keys(&[
        ("layout", Integer),
        ("size", Integers(2)),
        ("channels", Integer),
        ("unknown_flags", Integer),
        ("file_bytes", Integer),
        ("decoded_bytes", Integer),
        ("rgba_sha256", Text),
    ])
}

/// JSON keys of map data of `PixelPerfectEngine`.
pub(crate) fn ppe_map() -> InfoKeys {
    keys(&[
        ("size", Integers(2)),
        ("flags", Integer),
        ("user_flags", Integer),
        ("layout", Text),
        ("compression", Text),
        ("empty", Integer),
        ("cells_sha256", Text),
        ("graphics_attributes", Flag),
        ("logic_attribute_bits", Integer),
        ("xmf", Text),
    ])
}

/// JSON keys of XMF files.
pub(crate) fn xmf() -> InfoKeys {
    keys(&[
        ("name", Text),
        ("resolution", Integers(2)),
        ("layers", List(&XMF_LAYER)),
    ])
}
