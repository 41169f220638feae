//! MIME types: a row per format in the table of formats, with magic bytes.
//!
//! Shared MIME-info Database specification, section 2.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use mapscope_formats::Format;

/// The MIME type of a format.
#[derive(Debug)]
pub struct MimeType {
    /// Its name, such as `application/x-pfmap`.
    pub name: String,
    /// The format.
    pub format: &'static Format,
    /// File extensions that only this format uses, so that they identify it.
    pub endings: Vec<&'static str>,
    /// Magic rules for the start of the files; any of them is sufficient.
    pub magic: &'static [MagicRule],
    /// `true` if the files are text, which any editor can open.
    pub is_text: bool,
}

/// Bytes at one of several offsets, with further rules for other offsets.
#[derive(Debug)]
pub struct MagicRule {
    /// First and last offset at which they may start.
    pub offset: [usize; 2],
    /// The bytes in the notation of the specification, with C escapes.
    pub text: &'static str,
    /// The same bytes.
    pub bytes: &'static [u8],
    /// If not empty, one of these rules must match as well.
    pub and: &'static [MagicRule],
}

/// Properties of a format that the table of formats does not contain.
struct Row {
    id: &'static str,
    magic: &'static [MagicRule],
    is_text: bool,
}

/// Extensions that do not identify a format. Many kinds of files are named `.map`, such as those of
/// linkers and of JavaScript.
const SHARED_ENDINGS: [&str; 1] = ["map"];

macro_rules! at {
    ($first:literal..=$last:literal, $text:literal, $bytes:literal $(, $and:expr)*) => {
        MagicRule { offset: [$first, $last], text: $text, bytes: $bytes, and: &[$($and),*] }
    };
}

static ROWS: &[Row] = &[
    Row {
        id: "pfmap",
        magic: &[at!(
            0..=0,
            "version",
            b"version",
            at!(8..=32, "num_materials", b"num_materials")
        )],
        is_text: true,
    },
    Row {
        id: "pfobj",
        magic: &[at!(
            0..=0,
            "version",
            b"version",
            at!(8..=32, "num_verts", b"num_verts")
        )],
        is_text: true,
    },
    Row {
        id: "pfscene",
        magic: &[at!(
            0..=0,
            "version",
            b"version",
            at!(8..=32, "num_sections", b"num_sections")
        )],
        is_text: true,
    },
    Row {
        id: "p3m",
        magic: &[at!(0..=0, r"P3M\x00", b"P3M\0")],
        is_text: false,
    },
    Row {
        id: "pmf",
        magic: &[at!(0..=0, r"PMF\x00", b"PMF\0")],
        is_text: false,
    },
    Row {
        id: "paf",
        magic: &[at!(0..=0, r"PAF\x00", b"PAF\0")],
        is_text: false,
    },
    Row {
        id: "ika-map",
        magic: &[at!(0..=0, r"MAP\xf9", b"MAP\xf9")],
        is_text: false,
    },
    Row {
        id: "ika-map-text",
        magic: &[at!(0..=3, "(ika-map", b"(ika-map")],
        is_text: true,
    },
    // The text may start with anything, but the engine's editor writes this first. Sound files with
    // the same extension start differently.
    Row {
        id: "xmf",
        magic: &[at!(0..=0, "Metadata {", b"Metadata {")],
        is_text: false,
    },
    Row {
        id: "ptf",
        magic: &[at!(0..=0, r"PTF\x00", b"PTF\0")],
        is_text: false,
    },
    // The file starts with the size of the map.
    Row {
        id: "ppe-map",
        magic: &[],
        is_text: false,
    },
    // The file starts with a small number.
    Row {
        id: "vsp",
        magic: &[],
        is_text: false,
    },
];

/// The types of all formats that Mapscope opens, in table order.
pub fn mime_types() -> impl Iterator<Item = MimeType> {
    mapscope_scene::formats().map(|format| {
        let row = ROWS.iter().find(|row| row.id == format.id);
        let is_own = |ending: &&&str| !SHARED_ENDINGS.contains(ending);
        MimeType {
            name: format!("application/x-{}", format.id),
            format,
            endings: format.endings.iter().filter(is_own).copied().collect(),
            magic: row.map_or(&[], |row| row.magic),
            is_text: row.is_some_and(|row| row.is_text),
        }
    })
}

impl MagicRule {
    /// `true` if a file matches the rule.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        let [first, last] = self.offset;
        let is_there = (first..=last).any(|at| {
            let rest = bytes.get(at..).unwrap_or_default();
            rest.starts_with(self.bytes)
        });
        is_there && (self.and.is_empty() || self.and.iter().any(|rule| rule.matches(bytes)))
    }

    fn write(&self, depth: usize, xml: &mut String) {
        let [first, last] = self.offset;
        let offset = if first == last {
            first.to_string()
        } else {
            format!("{first}:{last}")
        };
        let indent = "  ".repeat(depth);
        let text = escape(self.text);
        // Writing to a string cannot fail.
        let _written = write!(
            xml,
            r#"{indent}<match type="string" offset="{offset}" value="{text}""#
        );
        if self.and.is_empty() {
            xml.push_str("/>\n");
            return;
        }
        xml.push_str(">\n");
        for rule in self.and {
            rule.write(depth + 1, xml);
        }
        xml.push_str(&indent);
        xml.push_str("</match>\n");
    }
}

/// The types as a package file of the shared MIME-info database.
pub(crate) fn xml() -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <mime-info xmlns=\"http://www.freedesktop.org/standards/shared-mime-info\">\n",
    );
    for mime in mime_types() {
        let MimeType { name, format, .. } = &mime;
        let title = escape(format.name);
        // Writing to a string cannot fail.
        let _written = writeln!(
            xml,
            "  <mime-type type=\"{name}\">\n    <comment>{title}</comment>"
        );
        if mime.is_text {
            xml.push_str("    <sub-class-of type=\"text/plain\"/>\n");
        }
        if !mime.magic.is_empty() {
            xml.push_str("    <magic priority=\"60\">\n");
            for rule in mime.magic {
                rule.write(3, &mut xml);
            }
            xml.push_str("    </magic>\n");
        }
        for ending in &mime.endings {
            let _written = writeln!(xml, "    <glob pattern=\"*.{ending}\"/>");
        }
        xml.push_str("  </mime-type>\n");
    }
    xml.push_str("</mime-info>\n");
    xml
}
