//! `mapscope convert`: writes a file in another version or packing of its format.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cli::{ConvertArgs, display_name};
use super::output::{self, Stdout, counted};
use super::{CommandError, Status, source, target};
use mapscope_export::convert::{self, Context, ConvertError, Converted, Form};
use mapscope_formats::Format;
use mapscope_scene::{
    Document, Layers, OpenError, OpenOptions, Progress, Shown, Source, identify_format, saving,
};

/// Bytes per pixel.
const RGBA: usize = 4;

/// Maximum number of pixels of a map whose image is compared before and after conversion.
const MAX_COMPARED_PX: u64 = 1 << 28;
/// Maximum number of pixels in a row of such an image.
const MAX_ROW_PX: u64 = 1 << 22;

pub(super) fn run(args: &ConvertArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let read = source::source_of(&args.file)?;
    let format = if (convert::PNG.sniff)(&read.bytes) {
        &convert::PNG
    } else {
        identify_format(&read).map_err(|it| CommandError::from(it).named(&args.file))?
    };
    source::refuse_map(&args.file, format, options)?;
    let Some(out) = args.output.as_deref().filter(|_| !args.list) else {
        list(format)?;
        return Ok(Status::Done);
    };
    let forms = forms(args, format, out)?;
    let written = forms.first().map_or(format, |form| form.format);
    let beside = beside(&read, format, written, options);
    let files = [beside.files, vec![args.file.clone()]].concat();
    check_target(args, written, out, &files)?;
    let names: Vec<&str> = forms.iter().map(|form| form.name).collect();
    let mut converted = convert::convert(&read.bytes, format, &names, &beside.context)
        .map_err(|error| failed(&args.file, format, error))?;
    if let Some(before) = &beside.document {
        report_image_change(&**before, &read, &mut converted, options);
    }
    if !converted.losses.is_empty() && !args.lossy {
        return Err(CommandError::Loss {
            path: out.to_owned(),
            losses: converted.losses,
        });
    }
    check_format(&converted, out)?;
    target::write(out, &converted.bytes)?;
    for sentence in converted.losses.iter().chain(&converted.notes) {
        output::say(sentence);
    }
    let (name, bytes) = (display_name(out), counted(converted.bytes.len(), "byte"));
    let Converted { format, form, .. } = &converted;
    output::say(&format!("{name}: {}, {form}, {bytes}", format.name));
    output::note_problems(&args.file, &converted.problems);
    Ok(Status::of(&converted.problems))
}

/// Lists the forms of a format on standard output.
fn list(format: &Format) -> io::Result<()> {
    let mut out = Stdout::lock();
    let paint = out.paint();
    let forms = convert::forms(format);
    if forms.is_empty() {
        writeln!(out, "{} has only one form", format.name)?;
    }
    let width = forms.iter().map(|form| form.name.len()).max().unwrap_or(0);
    let mut aspect = "";
    for form in forms {
        if form.aspect != aspect {
            aspect = form.aspect;
            writeln!(out, "{}", paint.heading(aspect))?;
        }
        writeln!(out, "  {:width$}  {}", form.name, form.what)?;
    }
    out.flush()
}

/// The requested forms, or else the form that the extension of the output implies.
fn forms(args: &ConvertArgs, format: &Format, out: &Path) -> Result<Vec<Form>, CommandError> {
    let names = args.to.iter().flat_map(|list| list.split(','));
    let names: Vec<&str> = names.map(str::trim).collect();
    let named = convert::forms_named(format, &names);
    let mut forms = named
        .map_err(|error| CommandError::Argument(format!("--to {}: {error}", args.to.join(","))))?;
    if forms.is_empty() {
        forms.extend(convert::form_by_ending(format, out));
    }
    Ok(forms)
}

/// Context of a map that other files provide, and these files.
#[derive(Default)]
struct Beside {
    /// The document, if its tileset was found.
    document: Option<Arc<dyn Document>>,
    context: Context,
    files: Vec<PathBuf>,
}

/// Finds the tileset of a map that is converted to a format with other units.
fn beside(read: &Source, format: &Format, written: &Format, options: &OpenOptions) -> Beside {
    let is_other = format.id != written.id;
    let opened = is_other.then(|| mapscope_scene::open(read, options, &Progress::default()).ok());
    // If the file cannot be opened, the conversion reports the reason.
    let Some(document) = opened.flatten() else {
        return Beside::default();
    };
    let tilesets = document.layers().map(Layers::tilesets);
    let found = tilesets
        .into_iter()
        .flatten()
        .find(|tileset| !tileset.is_missing);
    Beside {
        document: found.is_some().then(|| Arc::clone(&document)),
        context: Context {
            tile_px: found.map(|tileset| tileset.tile_size),
        },
        files: document.about().dependencies.clone(),
    }
}

/// Adds a loss to a converted map if its image changes, with the number of changed cells.
fn report_image_change(
    before: &dyn Document,
    read: &Source,
    converted: &mut Converted,
    options: &OpenOptions,
) {
    let source = Source {
        bytes: converted.bytes.clone().into(),
        ..read.clone()
    };
    let after = mapscope_scene::open(&source, options, &Progress::default()).ok();
    let after = after.as_deref().and_then(Document::layers);
    let (Some(before), Some(after)) = (before.layers(), after) else {
        return;
    };
    let (size, new_size) = (before.flat_size(), after.flat_size());
    if size != new_size {
        let ([w, h], [x, y]) = (size, new_size);
        converted.losses.push(format!(
            "the size of the image changes from {w} x {h} to {x} x {y} pixels"
        ));
    } else if size[0] > MAX_ROW_PX || size[0].saturating_mul(size[1]) > MAX_COMPARED_PX {
        let note = "the images of the map before and after are too large to be compared";
        converted.notes.push(note.to_owned());
    } else if let (changed @ 1.., Some(first)) = changed_cells(before, after) {
        converted.losses.push(format!(
            "the image changes in {}, the first at {first}: binary maps draw their lowest layer \
             opaque, and skip tile 0 in the others",
            counted(changed, "cell")
        ));
    }
}

/// Number of cells that differ between two images of the same size, and column and row of the first
/// one.
fn changed_cells(before: &dyn Layers, after: &dyn Layers) -> (usize, Option<String>) {
    let [width, height] = before.flat_size();
    let tile = before.tile_px().unwrap_or([1; 2]);
    let [tile_width, tile_height] = tile.map(|side| side.max(1) as usize);
    let shown = Shown {
        flat: true,
        ..Shown::default()
    };
    let images = [before.flat(&shown), after.flat(&shown)];
    let row = vec![0; width as usize * RGBA];
    let mut rows = [row.clone(), row];
    let (mut changed, mut first) = (0, None);
    for (number, top) in (0..height).step_by(tile_height).enumerate() {
        let mut is_changed = vec![false; (width as usize).div_ceil(tile_width)];
        for y in top..(top + tile_height as u64).min(height) {
            for (image, row) in images.iter().zip(&mut rows) {
                image.row(y, row);
            }
            let [old, new] = rows.each_ref().map(|row| row.chunks(tile_width * RGBA));
            for (is_changed, (old, new)) in is_changed.iter_mut().zip(old.zip(new)) {
                *is_changed |= old != new;
            }
        }
        let column = is_changed.iter().position(|is_changed| *is_changed);
        first = first.or(column.map(|column| format!("{column},{number}")));
        changed += is_changed
            .into_iter()
            .filter(|is_changed| *is_changed)
            .count();
    }
    (changed, first)
}

/// Checks that a file of this format may be written to `out`.
fn check_target(
    args: &ConvertArgs,
    format: &'static Format,
    out: &Path,
    read: &[PathBuf],
) -> Result<(), CommandError> {
    if target::is_stdout(out) {
        return target::check_stdout("-");
    }
    let has_ending = |format: &Format| {
        let ending = out.extension().and_then(|ending| ending.to_str());
        let endings = format.endings.iter();
        ending.is_some_and(|ending| endings.clone().any(|it| it.eq_ignore_ascii_case(ending)))
    };
    let is_as_before = args.file.extension() == out.extension();
    if out.extension().is_some() && !has_ending(format) && !is_as_before {
        let (name, endings) = (format.name, format.endings.join(" or ."));
        return Err(CommandError::Argument(format!(
            "{}: expected a name that ends in .{endings} for {name}",
            out.display()
        )));
    }
    saving::check_format_target(format, out, read, args.force).map_err(|error| {
        let hint = target::hint(&error);
        CommandError::Argument(format!("{}: {error}{hint}", out.display()))
    })
}

/// Checks that the output will be recognised as its format when it is opened.
fn check_format(converted: &Converted, out: &Path) -> Result<(), CommandError> {
    let written = Source {
        path: out.to_owned(),
        bytes: converted.bytes.clone().into(),
        embedded: &[],
        archive: None,
    };
    match identify_format(&written) {
        Ok(found) if found.id != converted.format.id => Err(CommandError::Argument(format!(
            "{}: not written, because it would be opened as {}",
            out.display(),
            found.name
        ))),
        // Without a name, some packings cannot be recognised.
        _ => Ok(()),
    }
}

/// The command's error for a failed conversion.
fn failed(file: &Path, format: &'static Format, error: ConvertError) -> CommandError {
    match error {
        ConvertError::Unreadable(problem) => CommandError::Open(OpenError::Refused {
            path: file.to_owned(),
            format,
            problem,
        }),
        other => CommandError::Argument(format!("{}: {other}", display_name(file))),
    }
}
