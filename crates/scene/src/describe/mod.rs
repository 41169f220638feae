//! Descriptions of documents: trees, fields, legends, lines and labels.

pub(crate) mod archive_entry;
pub mod colors;
pub(crate) mod lines;
pub(crate) mod numbers;
pub(crate) mod outline;
pub(crate) mod own;
pub(crate) mod table;
pub(crate) mod value;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use glam::Vec3;

use crate::core::item::Item;
use crate::core::overlay::{Overlay, OverlayId, OverlaySet};
use mapscope_formats::Place;

/// A line of the outline: an item, or a heading with items under it.
#[derive(Debug, Clone)]
pub struct OutlineNode {
    /// Text of the line.
    pub label: String,
    /// Item that a click selects.
    pub item: Option<Item>,
    /// Short note at the end of the line, such as a count.
    pub note: String,
    /// A thumbnail or colour before the line.
    pub swatch: Option<Swatch>,
    /// Child lines.
    pub children: Vec<OutlineNode>,
    /// Number of items that the line represents: 1, except for the line that counts the omitted
    /// ones.
    pub count: usize,
}

/// A thumbnail or colour of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Swatch {
    /// The thumbnail with this index (see [`Document::thumbnail`](crate::Document::thumbnail)).
    Thumbnail(usize),
    /// A plain colour: red, green and blue.
    Color([u8; 3]),
}

/// A headed list of properties of an item.
#[derive(Debug, Clone)]
pub struct PropertyGroup {
    /// Heading.
    pub title: &'static str,
    /// Lines in reading order.
    pub properties: Vec<Property>,
}

/// A property of an item.
#[derive(Debug, Clone)]
pub struct Property {
    /// Field name.
    pub name: &'static str,
    /// Value as display text.
    pub value: String,
    /// A thumbnail or colour beside the value.
    pub swatch: Option<Swatch>,
    /// Target of a click on the value.
    pub link: Option<Item>,
    /// The place in the file that stores the item, if the value is one.
    pub place: Option<Place>,
    /// Value as text of the file, in spans coloured by field. If not empty, it replaces `value`.
    pub spans: Vec<TextSpan>,
    /// Bytes to show as rows of hexadecimal numbers and letters. If not empty, they replace `value`
    /// and use the whole width.
    pub bytes: Arc<[u8]>,
}

/// The origin of a record's property.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// Stored in the file. Documents are compared by it.
    #[default]
    File,
    /// Derived from other contents of the file, or from other files.
    Derived,
    /// The record's place in the file.
    Place,
}

impl Property {
    /// Creates a property from a name and a text.
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
            swatch: None,
            link: None,
            place: None,
            spans: Vec::new(),
            bytes: Arc::default(),
        }
    }

    /// Sets the place of the properties from `first` on, if it is known: they may show it in
    /// another form, such as a line number.
    fn set_place(properties: &mut [Self], first: usize, place: Option<Place>) {
        for property in properties.iter_mut().skip(first) {
            property.place = place.or(property.place);
        }
    }

    /// Returns the value as plain text, with bytes in hexadecimal.
    pub fn text(&self) -> Cow<'_, str> {
        if !self.bytes.is_empty() {
            let bytes = self.bytes.iter().map(|byte| format!("{byte:02x}"));
            return bytes.collect::<Vec<_>>().join(" ").into();
        }
        if self.spans.is_empty() {
            return (&*self.value).into();
        }
        self.spans.iter().map(|span| &*span.text).collect()
    }
}

/// A span of a file's text and the field it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSpan {
    /// Characters as written in the file.
    pub text: String,
    /// Field, for a tooltip.
    pub field: &'static str,
    /// Index of the field's palette colour. Spans of the same field share it.
    pub color_index: usize,
}

/// A part of an item's line in the status bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryPart {
    /// Name, such as `Row`.
    pub name: &'static str,
    /// Value as display text.
    pub value: String,
    /// Character count of the longest such value in the document. It keeps the following parts in
    /// place while the pointer moves.
    pub width: usize,
}

impl SummaryPart {
    /// Creates a part with no reserved width, for one that is alone or last.
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
            width: 0,
        }
    }
}

/// A statistic of the whole document.
#[derive(Debug, Clone)]
pub struct Statistic {
    /// Name of the counted things.
    pub name: &'static str,
    /// Number as display text.
    pub value: String,
}

impl Statistic {
    /// Creates a statistic from a name and a count.
    pub(crate) fn new(name: &'static str, count: impl fmt::Display) -> Self {
        let value = format!("{count}");
        Self { name, value }
    }
}

/// The meaning of colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// Name of the coloured property.
    pub title: &'static str,
    /// Colours and their meanings.
    pub entries: Vec<LegendEntry>,
}

impl Legend {
    /// Returns the legends of the enabled overlays, in the order in which they are offered.
    /// Overlays without colours have none.
    pub(crate) fn of_overlays(
        offered: &[Overlay],
        on: &OverlaySet,
        colors: impl Fn(OverlayId) -> Vec<LegendEntry>,
    ) -> Vec<Self> {
        let on = offered.iter().filter(|overlay| on.is_on(overlay));
        let legends = on.map(|overlay| Self {
            title: overlay.name,
            entries: colors(overlay.id),
        });
        legends
            .filter(|legend| !legend.entries.is_empty())
            .collect()
    }
}

/// A colour of an overlay and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegendEntry {
    /// Red, green and blue, or `None` for an entry that covers several of the other colours.
    pub color: Option<[u8; 3]>,
    /// Meaning of the colour.
    pub label: String,
}

impl LegendEntry {
    /// Creates an entry from a colour and its meaning.
    pub(crate) fn new(color: [u8; 3], label: impl Into<String>) -> Self {
        Self {
            color: Some(color),
            label: label.into(),
        }
    }

    /// Creates an entry without a colour, for items with several of the other colours or with none.
    pub(crate) fn of_several(label: impl Into<String>) -> Self {
        Self {
            color: None,
            label: label.into(),
        }
    }
}

/// A line of an overlay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Start and end, in world space.
    pub ends: [Vec3; 2],
    /// Red, green, blue and opacity.
    pub color: [u8; 4],
    /// Width, in logical pixels.
    pub width_points: f32,
    /// Size of the outlined object, in world units across the frame, like the room of a [`Label`].
    /// If it covers few pixels, the line gets thinner and then fainter. `None` for a line of
    /// constant width.
    pub room: Option<f32>,
    /// `true` if the line is visible through objects in front of it.
    pub on_top: bool,
}

/// A text at a point of the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Position, in world space.
    pub position: Vec3,
    /// Space for a text that is centred on its position, in world units across the frame. The text
    /// is hidden if it does not fit. `None` for a text to the right of its position.
    pub room: Option<f32>,
    /// Text.
    pub text: String,
    /// Red, green and blue.
    pub color: [u8; 3],
}

/// A kind of map element, such as a tile type.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Item that represents the whole kind: selecting it highlights all its elements.
    pub item: Item,
    /// Name of the kind.
    pub name: &'static str,
    /// Notation in the file, such as a hexadecimal digit.
    pub code: String,
    /// Number of its elements in the document.
    pub count: u64,
}
