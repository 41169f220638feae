//! `mapscope export`: converts a file for another program.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use super::cli::{ExportArgs, display_name};
use super::json::{TargetOutput, TargetsOutput};
use super::output::{self, Stdout, counted};
use super::{CommandError, Status, source, target};
use mapscope_export::{Export, Target, endings, target_of, targets, uv_layout};
use mapscope_formats::quoted;
use mapscope_scene::saving::{self, PNG};
use mapscope_scene::{Document, OpenOptions};

/// Maximum number of lines of a table by default: a 2D map of 2 KB may have 16 million cells.
const MAX_TABLE_LINES: u64 = 4_000_000;

pub(super) fn run(args: &ExportArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let opened = source::open(&args.file, options)?;
    let document = &*opened.document;
    let targets = targets(document);
    match &args.output {
        Some(path) => write(args, path, document, &targets)?,
        None => list(args, document, &targets)?,
    }
    let problems = &document.about().problems;
    output::note_problems(&args.file, problems);
    Ok(Status::of(problems))
}

/// Lists the formats that a file can be exported to.
fn list(
    args: &ExportArgs,
    document: &dyn Document,
    targets: &[Target],
) -> Result<(), CommandError> {
    let mut out = Stdout::lock();
    if args.json {
        let targets = targets.iter().map(|target| TargetOutput {
            ending: target.kind.ending,
            kind: target.kind.name,
            what: target.what(document),
        });
        let output = TargetsOutput {
            file: display_name(&args.file),
            format: document.about().format.id,
            targets: targets.collect(),
        };
        serde_json::to_writer_pretty(&mut out, &output).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        for target in targets {
            let (kind, what) = (target.kind, target.what(document));
            writeln!(out, ".{:<5} {}: {what}", kind.ending, kind.name)?;
        }
    }
    Ok(out.flush()?)
}

/// Draws the UV layout of a material, given by its name or its number.
fn layout_of(document: &dyn Document, chosen: Target, name: &str) -> Result<Export, CommandError> {
    let refused = |why: &str| CommandError::Argument(format!("--material {name}: {why}"));
    let textures = document.textures();
    let textures = textures.filter(|it| it.first_with_layout().is_some() && chosen.kind == PNG);
    let textures = textures.ok_or_else(|| refused("only models have layouts, which are .png"))?;
    let list = textures.list();
    let by_number = || list.get(name.parse::<usize>().ok()?);
    let named = list.iter().find(|texture| texture.name == name);
    let Some(texture) = named.or_else(by_number) else {
        let names = list.iter().map(|texture| quoted(texture.name.as_bytes()));
        let names = names.collect::<Vec<_>>().join(", ");
        return Err(refused(&format!("expected one of {names}")));
    };
    let file = uv_layout(document, texture.item);
    Ok(Export {
        file: file.ok_or_else(|| refused("its layout cannot be drawn"))?,
        ..Export::default()
    })
}

/// Writes the output file and its companion files.
fn write(
    args: &ExportArgs,
    path: &Path,
    document: &dyn Document,
    targets: &[Target],
) -> Result<(), CommandError> {
    let refused = |why: String| {
        let what = match &args.to {
            Some(ending) => format!("--to {ending}"),
            None => format!("--output {}", path.display()),
        };
        Err(CommandError::Argument(format!("{what}: {why}")))
    };
    let ending = match &args.to {
        Some(ending) => Some(OsStr::new(ending.trim_start_matches('.'))),
        None => path.extension(),
    };
    let Some(chosen) = target_of(targets, ending) else {
        let (format, endings) = (document.about().format.name, endings(targets));
        return refused(match targets {
            [] => format!("{format} cannot be exported to another format"),
            _ if target::is_stdout(path) && args.to.is_none() => {
                format!("expected --to with {endings}")
            }
            _ if args.to.is_some() => format!("expected {endings} for {format}"),
            _ => format!("expected a name that ends in {endings} for {format}"),
        });
    };
    let chosen = if args.mirror {
        let mirrored = chosen.mirrored();
        mirrored.ok_or_else(|| {
            CommandError::Argument("--mirror: only models can be mirrored".to_owned())
        })?
    } else {
        *chosen
    };
    let lines = mapscope_export::cell_lines(document).unwrap_or_default();
    if chosen.kind.ending == "csv" && lines > MAX_TABLE_LINES && !args.no_limit {
        return refused(format!(
            "the table has {lines} lines; expected at most {MAX_TABLE_LINES} (--no-limit writes all of them)"
        ));
    }
    let read = saving::files_read(&args.file, document);
    target::check_as(path, chosen.kind, &read, args.force, args.to.is_none())?;
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or("map");
    let export = match &args.material {
        Some(name) => layout_of(document, chosen, name)?,
        None => chosen
            .make(document, stem)
            .map_err(|error| CommandError::Argument(error.to_string()))?,
    };
    if target::is_stdout(path) && !export.beside.is_empty() {
        let names: Vec<_> = export.beside.iter().map(|file| &*file.name).collect();
        return refused(format!(
            "{} would be written beside it; expected a file name",
            names.join(", ")
        ));
    }
    let beside = export.places(path, &read, args.force);
    let beside = beside.map_err(|(path, error)| target::refused(&path, &error))?;
    // Companion files come first, so that the main file never references missing ones.
    for (path, file) in &beside {
        target::write(path, &file.bytes)?;
    }
    target::write(path, &export.file)?;
    if !beside.is_empty() {
        let names = beside.iter().map(|(path, _)| display_name(path));
        let names: Vec<_> = names.collect();
        let files = counted(names.len(), "file");
        output::say(&format!("{files} written beside it: {}", names.join(", ")));
    }
    for loss in &export.losses {
        output::say(loss);
    }
    Ok(())
}
