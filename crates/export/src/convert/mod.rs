//! Conversion of files to other versions and packings of their format.
//!
//! Each format has a table of forms. Some can be combined, such as a layout and a compression. The
//! written file is read again and must equal the content. Anything that a form cannot represent is
//! reported as a loss.

mod ika;
mod p3m;
mod pfmap;
mod pfobj;
mod pfscene;
mod pmf;
mod ppe;
mod ptf;
mod vsp;
mod xmf;

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

pub use ptf::PNG;

use mapscope_formats::{Format, Place, Problem, ReadError, counted, quoted};

/// A version or packing that a file of a format can be written in.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The stable name that selects it.
    pub name: &'static str,
    /// A sentence that describes the written file.
    pub what: &'static str,
    /// The aspect that it sets, such as `version`; each aspect takes one form.
    pub aspect: &'static str,
    /// The format of the file that is written.
    pub format: &'static Format,
    /// File extensions, without the dot, that select it by default.
    pub endings: &'static [&'static str],
}

/// Context that a file's bytes do not contain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context {
    /// Width and height of the tiles of its tileset in pixels, if the tileset was found.
    pub tile_px: Option<[u32; 2]>,
}

/// A converted file.
#[derive(Debug)]
pub struct Converted {
    /// Its format.
    pub format: &'static Format,
    /// A description of its form, such as `version 1.0`.
    pub form: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Sentences about content of the input that the output cannot represent.
    pub losses: Vec<String>,
    /// Sentences about differences that lose nothing.
    pub notes: Vec<String>,
    /// The problems of the input.
    pub problems: Vec<Problem>,
}

/// The reason why a conversion fails.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// Part of the file cannot be read.
    #[error("{}: {}", .0.place, .0.message)]
    Unreadable(Box<Problem>),
    /// The form does not exist, or conflicts with another one.
    #[error("{0}")]
    Form(String),
    /// The form cannot represent the file, and nothing of it can be omitted.
    #[error("{0}")]
    Unrepresentable(String),
    /// The written file differs from the content when it is read again.
    #[error("the written file reads back differently: {0}; it was discarded")]
    Differs(String),
}

/// Content that can be written in a format and read back.
trait Content: Sized {
    /// Parses the content.
    fn read(bytes: &[u8]) -> Result<Self, ReadError>;

    /// The problems of the file.
    fn problems(&self) -> &[Problem];

    /// Writes the content in its current form.
    fn write(&self) -> Result<Vec<u8>, String>;

    /// The format.
    fn format() -> &'static Format;

    /// A description of the form, such as `version 1.0`.
    fn form(&self) -> String;

    /// The form of the written content, given the content as it was read back.
    fn form_when_read(&self, again: &Self) -> String {
        again.form()
    }

    /// `true` if both have the same content, regardless of its position in the file.
    fn is_same(&self, other: &Self) -> bool;

    /// The first error that omits part of the file.
    fn left_out(&self) -> Option<&Problem> {
        let leaves_out =
            |problem: &&Problem| problem.with_consequences().any(Problem::may_leave_out);
        self.problems().iter().find(leaves_out)
    }

    /// Reports content of the file that no form preserves.
    fn unwritten(&self, _bytes: &[u8], _told: &mut ConversionReport) {}
}

/// The messages of a conversion.
#[derive(Debug, Default)]
struct ConversionReport {
    losses: Vec<String>,
    notes: Vec<String>,
}

/// Maximum number of names in a sentence.
const MAX_NAMED: usize = 5;

/// Items that lose something: their number, and the known names or places.
#[derive(Debug, Default)]
struct ItemNames {
    count: usize,
    names: Vec<String>,
}

impl From<usize> for ItemNames {
    fn from(count: usize) -> Self {
        Self {
            count,
            names: Vec::new(),
        }
    }
}

impl<N: Into<String>> FromIterator<N> for ItemNames {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        let mut things = Self::default();
        for name in names {
            things.count += 1;
            if things.names.len() < MAX_NAMED {
                things.names.push(name.into());
            }
        }
        things
    }
}

impl fmt::Display for ItemNames {
    /// Writes the names in parentheses after a space, or nothing without names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names.is_empty() {
            return Ok(());
        }
        write!(f, " ({}", self.names.join(", "))?;
        match self.count.saturating_sub(self.names.len()) {
            0 => f.write_str(")"),
            more => write!(f, " and {more} more)"),
        }
    }
}

impl ConversionReport {
    /// Reports that items lose something, such as `their name`; does nothing without items.
    fn lost(&mut self, things: impl Into<ItemNames>, noun: &str, what: &str) {
        let things = things.into();
        let number = counted(things.count, noun);
        match things.count {
            0 => {}
            1 => {
                let what = what.replace("their ", "its ");
                self.loss(format!("{number} loses {what}{things}"));
            }
            _ => self.loss(format!("{number} lose {what}{things}")),
        }
    }

    /// Reports that items are omitted; does nothing without items.
    fn left_out(&mut self, things: impl Into<ItemNames>, noun: &str, why: &str) {
        let things = things.into();
        if things.count > 0 {
            let verb = if things.count == 1 { "is" } else { "are" };
            let number = counted(things.count, noun);
            self.loss(format!("{number} {verb} left out: {why}{things}"));
        }
    }

    fn loss(&mut self, sentence: impl Into<String>) {
        self.losses.push(sentence.into());
    }

    fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }
}

/// A step that converts content to a form.
enum Make<T> {
    /// Changes the content within the same format.
    Change(fn(&mut T, &mut ConversionReport) -> Result<(), ConvertError>),
    /// Converts to another format.
    Other(fn(T, &Context, ConversionReport) -> Result<Converted, ConvertError>),
}

/// A row in the table of a format.
struct Row<T> {
    form: Form,
    make: Make<T>,
}

impl<T> Row<T> {
    /// A form of the same format that no extension selects.
    const fn change(
        format: &'static Format,
        aspect: &'static str,
        [name, what]: [&'static str; 2],
        change: fn(&mut T, &mut ConversionReport) -> Result<(), ConvertError>,
    ) -> Self {
        let form = Form {
            name,
            what,
            aspect,
            format,
            endings: &[],
        };
        Self {
            form,
            make: Make::Change(change),
        }
    }
}

/// The conversions of a format.
struct Entry {
    format: &'static Format,
    forms: fn() -> Vec<Form>,
    convert: Convert,
}

/// Converts the bytes of a file to the named forms.
type Convert = fn(&[u8], &[&str], &Context) -> Result<Converted, ConvertError>;

/// Creates the entry of a format from its table.
macro_rules! entry {
    ($format:expr, $forms:expr) => {
        Entry {
            format: &$format,
            forms: || $forms.iter().map(|row| row.form).collect(),
            convert: |bytes, names, context| convert_as(bytes, $forms, names, context),
        }
    };
}

/// All formats that can be written.
static FORMATS: &[Entry] = &[
    entry!(mapscope_formats::pfmap::FORMAT, pfmap::FORMS),
    entry!(mapscope_formats::pfobj::FORMAT, pfobj::FORMS),
    entry!(mapscope_formats::p3m::FORMAT, p3m::FORMS),
    entry!(mapscope_formats::pfscene::FORMAT, pfscene::FORMS),
    entry!(mapscope_formats::pmf::FORMAT, pmf::FORMS),
    entry!(mapscope_formats::ika::map::FORMAT, ika::BINARY_FORMS),
    entry!(mapscope_formats::ika::text_map::FORMAT, ika::TEXT_FORMS),
    entry!(mapscope_formats::ika::vsp::FORMAT, vsp::FORMS),
    entry!(mapscope_formats::ppe::MAP_FORMAT, ppe::FORMS),
    entry!(mapscope_formats::ppe::XMF_FORMAT, xmf::FORMS),
    entry!(mapscope_formats::ptf::FORMAT, ptf::FORMS),
    Entry {
        format: &PNG,
        forms: ptf::forms_of_png,
        convert: ptf::from_png,
    },
];

fn entry(format: &Format) -> Option<&'static Entry> {
    FORMATS.iter().find(|entry| entry.format.id == format.id)
}

/// The forms that files of a format can be written in.
pub fn forms(format: &Format) -> Vec<Form> {
    entry(format).map_or_else(Vec::new, |entry| (entry.forms)())
}

/// Finds the named forms that files of a format can be written in.
///
/// # Errors
/// If a form does not exist.
pub fn forms_named(format: &Format, names: &[&str]) -> Result<Vec<Form>, ConvertError> {
    let known = forms(format);
    let find = |name: &&str| {
        let found = known.iter().copied().find(|form| form.name == *name);
        found.ok_or_else(|| {
            let known: Vec<&str> = known.iter().map(|form| form.name).collect();
            let expected = match known.as_slice() {
                [] => "it has only one form".to_owned(),
                known => format!("expected {}", known.join(", ")),
            };
            let format = format.name;
            ConvertError::Form(format!("{format} has no form `{name}`; {expected}"))
        })
    };
    names.iter().map(find).collect()
}

/// The form that the extension of a path selects, if any.
pub fn form_by_ending(format: &Format, path: &Path) -> Option<Form> {
    let ending = path.extension().and_then(OsStr::to_str)?;
    let is_it = |known: &&str| known.eq_ignore_ascii_case(ending);
    let mut forms = forms(format).into_iter();
    forms.find(|form| form.endings.iter().any(is_it))
}

/// Converts a file of a format to the named forms. Without names, the form stays the same and the
/// file gets the writer's spelling.
///
/// # Errors
/// If a form does not exist, if errors omit part of the file, if the form cannot represent the
/// file, or if the output does not read back the same.
pub fn convert(
    bytes: &[u8],
    format: &Format,
    names: &[&str],
    context: &Context,
) -> Result<Converted, ConvertError> {
    let Some(entry) = entry(format) else {
        let name = format.name;
        return Err(ConvertError::Form(format!(
            "{name} files cannot be written"
        )));
    };
    forms_named(format, names)?;
    (entry.convert)(bytes, names, context)
}

/// The rows of the named forms, in table order.
fn chosen<'r, T>(rows: &'r [Row<T>], names: &[&str]) -> Result<Vec<&'r Row<T>>, ConvertError> {
    let rows: Vec<&Row<T>> = rows
        .iter()
        .filter(|row| names.contains(&row.form.name))
        .collect();
    for (at, row) in rows.iter().enumerate() {
        let mut before = rows.iter().take(at);
        if let Some(other) = before.find(|other| other.form.aspect == row.form.aspect) {
            let (a, b, aspect) = (other.form.name, row.form.name, row.form.aspect);
            let text = format!("`{a}` and `{b}` both select the {aspect}; expected one of them");
            return Err(ConvertError::Form(text));
        }
    }
    Ok(rows)
}

fn convert_as<T: Content>(
    bytes: &[u8],
    rows: &[Row<T>],
    names: &[&str],
    context: &Context,
) -> Result<Converted, ConvertError> {
    let rows = chosen(rows, names)?;
    let mut content = read::<T>(bytes)?;
    let problems = content.problems().to_vec();
    let mut told = ConversionReport::default();
    content.unwritten(bytes, &mut told);
    let mut other = None;
    for row in rows {
        match row.make {
            Make::Change(change) => change(&mut content, &mut told)?,
            Make::Other(make) => other = Some(make),
        }
    }
    let mut converted = match other {
        Some(make) => make(content, context, told)?,
        None => finished(&content, told)?,
    };
    let lost = dropped_content(&problems, &converted.problems);
    converted.losses.extend(lost);
    Ok(Converted {
        problems,
        ..converted
    })
}

/// Reads a file; fails if any of it is omitted.
fn read<T: Content>(bytes: &[u8]) -> Result<T, ConvertError> {
    let content = T::read(bytes).map_err(|error| match error {
        ReadError::Unreadable(problem) => ConvertError::Unreadable(Box::new(problem)),
        ReadError::Cancelled => ConvertError::Unrepresentable("cancelled".to_owned()),
    })?;
    match content.left_out() {
        Some(problem) => Err(ConvertError::Unreadable(Box::new(problem.clone()))),
        None => Ok(content),
    }
}

/// Reports content that readers skip in the input and that the output no longer contains: most
/// writers do not write it again.
fn dropped_content(problems: &[Problem], problems_again: &[Problem]) -> Vec<String> {
    let mut told = ConversionReport::default();
    for (end, what) in [
        ("/extra-words", "words that have no meaning there"),
        ("/stray-text", "the text between its nodes"),
        ("/trailing-data", "data after the end"),
        ("/long-block", "surplus data"),
    ] {
        let of_rule = |problem: &&Problem| problem.rule.id.ends_with(end);
        let before = problems.iter().filter(of_rule);
        let after = problems_again.iter().filter(of_rule);
        let count: usize = before.clone().map(|problem| problem.count).sum();
        let kept: usize = after.map(|problem| problem.count).sum();
        let places = before.map(|problem| place_text(problem.place));
        let mut things: ItemNames = places.filter(|_| kept == 0).collect();
        things.count = count.saturating_sub(kept);
        told.lost(things, "place", what);
    }
    told.losses
}

/// A place for use in a sentence: `line 3`, or `0x1a` in a binary file.
fn place_text(place: Place) -> String {
    match place {
        Place::Text { line, .. } => format!("line {line}"),
        Place::Offset(_) => place.to_string(),
    }
}

/// A name in quotes, or the alternative if it is empty.
fn name_or(name: &str, other: impl FnOnce() -> String) -> String {
    if name.is_empty() {
        other()
    } else {
        quoted(name.as_bytes())
    }
}

/// Writes content and reads it back to verify that it is complete.
fn finished<T: Content>(content: &T, told: ConversionReport) -> Result<Converted, ConvertError> {
    let bytes = content.write().map_err(ConvertError::Unrepresentable)?;
    let again = T::read(&bytes).map_err(|error| ConvertError::Differs(error.to_string()))?;
    if let Some(problem) = again.left_out() {
        let Problem { place, message, .. } = problem;
        return Err(ConvertError::Differs(format!("{place}: {message}")));
    }
    if !again.is_same(content) {
        let what = "not all values are the same".to_owned();
        return Err(ConvertError::Differs(what));
    }
    Ok(Converted {
        format: T::format(),
        form: content.form_when_read(&again),
        bytes,
        losses: told.losses,
        notes: told.notes,
        problems: again.problems().to_vec(),
    })
}

/// Reports that a text was read as UTF-8 but is not valid UTF-8.
fn report_encoding_loss(
    bytes: &[u8],
    texts: &mut dyn Iterator<Item = &str>,
    told: &mut ConversionReport,
) {
    if std::str::from_utf8(bytes).is_err() {
        let names = texts.filter(|text| text.contains(char::REPLACEMENT_CHARACTER));
        let names: ItemNames = names.map(|text| quoted(text.as_bytes())).collect();
        told.lost(names, "name", "characters that are not valid UTF-8");
    }
}

#[cfg(test)]
mod tests;
