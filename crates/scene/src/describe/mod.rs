//! What is said of a document: trees, fields, legends, lines and labels.

pub mod colors;
pub(crate) mod fields;
pub(crate) mod lines;
pub(crate) mod numbers;
pub(crate) mod outline;
pub(crate) mod own;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use glam::Vec3;

use crate::core::item::Item;
use crate::core::overlay::{Overlay, OverlayId, OverlaySet};

/// A line of the outline: an item, or a heading with items under it.
#[derive(Debug, Clone)]
pub struct OutlineNode {
    /// What the line says.
    pub label: String,
    /// What a click on it selects.
    pub item: Option<Item>,
    /// A small note at the end of the line, such as a count.
    pub note: String,
    /// A thumbnail or colour before the line.
    pub swatch: Option<Swatch>,
    /// Lines below it.
    pub children: Vec<OutlineNode>,
    /// How many lines it stands for: 1, but for the one that says how many more there are.
    pub count: usize,
}

/// A thumbnail or colour of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Swatch {
    /// The thumbnail with this index (see [`Document::thumbnail`](crate::Document::thumbnail)).
    Thumbnail(usize),
    /// A plain colour, red, green and blue.
    Color([u8; 3]),
}

/// A headed list of what is known of an item.
#[derive(Debug, Clone)]
pub struct PropertyGroup {
    /// The heading.
    pub title: &'static str,
    /// Lines in reading order.
    pub properties: Vec<Property>,
}

/// One thing that is known of an item.
#[derive(Debug, Clone)]
pub struct Property {
    /// The name of the field.
    pub name: &'static str,
    /// Its value, for people.
    pub value: String,
    /// The same for programs, where it is not a text.
    pub plain: Option<PlainValue>,
    /// A thumbnail or colour beside the value.
    pub swatch: Option<Swatch>,
    /// Where a click on the value leads.
    pub link: Option<Item>,
    /// The value as text of the file, in spans coloured by the field they belong to.
    /// When this is not empty it is shown in place of `value`.
    pub spans: Vec<TextSpan>,
    /// Bytes to be shown as rows of numbers and letters. When there are any they are shown in
    /// place of `value`, across the whole width.
    pub bytes: Arc<[u8]>,
    /// Where this is known from.
    pub origin: Origin,
}

/// A value as programs have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainValue {
    /// Whether something is so.
    Flag(bool),
    /// A whole number, in the unit that the text for people names.
    Whole(i64),
}

/// Where what is said of a record is known from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// The file says it: documents are compared by it.
    #[default]
    File,
    /// It follows from what else the file says, or from other files.
    Derived,
    /// It is where in the file the record stands.
    Place,
}

impl Property {
    /// A property that is bytes of a file.
    pub fn dump(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            bytes: bytes.into(),
            ..Self::new("Bytes", "")
        }
    }

    /// A property that is a name and a text.
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
            plain: None,
            swatch: None,
            link: None,
            spans: Vec::new(),
            bytes: Arc::default(),
            origin: Origin::File,
        }
    }

    /// A property that is so or not.
    pub fn flag(name: &'static str, is_so: bool) -> Self {
        Self {
            plain: Some(PlainValue::Flag(is_so)),
            ..Self::new(name, if is_so { "yes" } else { "no" })
        }
    }

    /// A property that is a number of something: `100` and `pixels a second`.
    pub fn amount(name: &'static str, number: impl Into<i64>, unit: &str) -> Self {
        let number = number.into();
        Self {
            plain: Some(PlainValue::Whole(number)),
            ..Self::new(name, format!("{number} {unit}"))
        }
    }

    /// What it says where there is only text: bytes are in hexadecimal.
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

    /// Marks what follows from something else ([`Origin::Derived`]).
    pub(crate) fn derived(self) -> Self {
        let origin = Origin::Derived;
        Self { origin, ..self }
    }

    /// Marks a place in the file ([`Origin::Place`]).
    pub(crate) fn place(self) -> Self {
        let origin = Origin::Place;
        Self { origin, ..self }
    }
}

/// A piece of a file's text and the field it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSpan {
    /// The characters as they stand in the file.
    pub text: String,
    /// The field, for a tooltip.
    pub field: &'static str,
    /// Which of the palette's colours the field has; spans of the same field have the same.
    pub color_index: usize,
}

/// A part of the line about an item in the status bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryPart {
    /// What it is, such as `Row`.
    pub name: &'static str,
    /// Its value, for people.
    pub value: String,
    /// How many characters the longest such value of the document has, so that what follows
    /// stays in its place while the pointer moves on.
    pub width: usize,
}

impl SummaryPart {
    /// A part that stands alone, or last, and may be as wide as it is.
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
            width: 0,
        }
    }
}

/// A number about the whole document.
#[derive(Debug, Clone)]
pub struct Statistic {
    /// What is counted.
    pub name: &'static str,
    /// The number, for people.
    pub value: String,
}

impl Statistic {
    /// A number and what it counts.
    pub(crate) fn new(name: &'static str, count: impl fmt::Display) -> Self {
        let value = format!("{count}");
        Self { name, value }
    }
}

/// What colours mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// What is coloured.
    pub title: &'static str,
    /// Its colours.
    pub entries: Vec<LegendEntry>,
}

impl Legend {
    /// The legends of the overlays that are on, in the order in which they are offered, without
    /// those that have no colours.
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

/// A colour of an overlay and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegendEntry {
    /// Red, green and blue; none for what has several of the other colours.
    pub color: Option<[u8; 3]>,
    /// What the colour means.
    pub label: String,
}

impl LegendEntry {
    /// A colour and what it means.
    pub(crate) fn new(color: [u8; 3], label: impl Into<String>) -> Self {
        Self {
            color: Some(color),
            label: label.into(),
        }
    }

    /// What has several of the colours that the other entries name, or that nothing has a colour.
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
    /// Where it begins and ends, in world space.
    pub ends: [Vec3; 2],
    /// Red, green, blue and opacity.
    pub color: [u8; 4],
    /// How wide it is, in pixels of a plain screen.
    pub width_points: f32,
    /// How large what it outlines is, in world units across the frame, as the room of a [`Label`]:
    /// where that is few pixels the line is thinner, and then fainter. None for a line that is as
    /// wide from anywhere.
    pub room: Option<f32>,
    /// Whether it is seen through what is in front of it.
    pub on_top: bool,
}

/// A text at a place of the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The place, in world space.
    pub position: Vec3,
    /// How much room there is around the place for a text that is to stand in the middle of it, in
    /// world units across the frame: it is left out where it does not fit. None for a text that
    /// stands to the right of its place.
    pub room: Option<f32>,
    /// What it says.
    pub text: String,
    /// Red, green and blue.
    pub color: [u8; 3],
}

/// One of the kinds of thing that a map is built of, such as a tile type.
#[derive(Debug, Clone)]
pub struct Kind {
    /// The item that stands for all of this kind: selecting it highlights them.
    pub item: Item,
    /// Its name.
    pub name: &'static str,
    /// How a file writes it, such as a hexadecimal digit.
    pub code: String,
    /// How many of it the document has.
    pub count: u64,
}
