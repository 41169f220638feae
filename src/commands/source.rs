//! Opens the document that an argument names.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::json::FileOutput;
use super::{CommandError, synthetic};
#[cfg(feature = "gpu")]
use crate::view_request::Attachment;
use crate::view_request::ViewRequest;
use mapscope_formats::{Format, Problem, pfmap, pfscene};
use mapscope_scene::demo::{self, Demo};
#[cfg(feature = "gpu")]
use mapscope_scene::model::attached::{Assembly, Attached, NOT_A_MODEL, is_model, joint_named};
use mapscope_scene::{
    self, Bytes, Document, MapChoice, OpenError, OpenOptions, OverlayId, Progress, Source,
};

/// Prefix of an argument that names a built-in demo instead of a file.
const DEMO: &str = "demo:";
/// Maximum number of bytes read from a pipe, which has no known size and may never end.
const MAX_PIPE_BYTES: u64 = 1 << 30;

/// A document and the time each step of opening took.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "gpu"),
    expect(dead_code, reason = "only `bench` reports the times")
)]
pub(super) struct Opened {
    pub(super) document: Arc<dyn Document>,
    /// The bytes of the file.
    pub(super) bytes: Bytes,
    /// Total size of the built-in files that it references, in bytes.
    pub(super) embedded_bytes: u64,
    /// Time to read or synthesise the file.
    pub(super) read_time: Duration,
    /// Time to convert bytes to plain data.
    pub(super) parse_time: Duration,
    /// Time to convert plain data to a document that can be drawn, picked and described.
    pub(super) build_time: Duration,
    /// Time when the document was open.
    pub(super) finished_at: Instant,
}

/// The demo that an argument names; `None` if it names a file.
///
/// # Errors
/// If no demo has this name.
pub(super) fn demo_of(argument: &Path) -> Result<Option<&'static Demo>, CommandError> {
    let Some(id) = argument.to_str().and_then(|text| text.strip_prefix(DEMO)) else {
        return Ok(None);
    };
    let known = || {
        let names = demo::DEMOS.map(|demo| format!("{DEMO}{}", demo.id));
        CommandError::Argument(format!(
            "demo `{id}` not found; expected one of {}",
            names.join(", ")
        ))
    };
    demo::find(id).map(Some).ok_or_else(known)
}

/// `true` if an argument means standard input.
pub(super) fn is_stdin(argument: &Path) -> bool {
    argument == Path::new("-")
}

/// Refuses standard input more than once among several arguments.
///
/// # Errors
/// If it occurs more than once.
pub(super) fn refuse_stdin_twice(arguments: &[PathBuf]) -> Result<(), CommandError> {
    if arguments.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(CommandError::Argument(
            "`-` is standard input, which can be read only once; for a file of this name write `./-`"
                .to_owned(),
        ));
    }
    Ok(())
}

/// `true` if an argument names a pipe, as the shell's `<(...)` and `/dev/stdin` do.
pub(super) fn is_pipe(argument: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        std::fs::metadata(argument).is_ok_and(|meta| meta.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = argument;
        false
    }
}

/// Reads a pipe to its end. Files that it references are resolved against the working folder.
fn read_pipe(argument: &Path, pipe: impl Read) -> Result<Source, CommandError> {
    let read_error = |source| OpenError::Read {
        path: argument.to_owned(),
        source,
    };
    let mut bytes = Vec::new();
    let mut limited = pipe.take(MAX_PIPE_BYTES + 1);
    limited.read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > MAX_PIPE_BYTES {
        let message = format!("the input exceeds {MAX_PIPE_BYTES} bytes, the limit for pipes");
        return Err(read_error(io::Error::other(message)).into());
    }
    Ok(Source {
        path: "-".into(),
        bytes: bytes.into(),
        embedded: &[],
        archive: None,
    })
}

/// The bytes that an argument names: a file, a pipe, standard input, a demo or a synthetic map.
pub(super) fn source_of(argument: &Path) -> Result<Source, CommandError> {
    if is_stdin(argument) {
        return read_pipe(argument, io::stdin().lock());
    }
    if is_pipe(argument) {
        let pipe = File::open(argument).map_err(|source| OpenError::Read {
            path: argument.to_owned(),
            source,
        })?;
        return read_pipe(argument, pipe);
    }
    if let Some(demo) = demo_of(argument)? {
        return Ok(demo.source());
    }
    if let Some(made_up) = synthetic::source_of(argument) {
        return made_up;
    }
    Ok(Source::read(argument)?)
}

/// Opens the document that an argument names; refuses `--map` for documents that are not scenes.
pub(super) fn open(argument: &Path, options: &OpenOptions) -> Result<Opened, CommandError> {
    let opened = open_any(argument, options)?;
    refuse_map(argument, opened.document.about().format, options)?;
    Ok(opened)
}

/// Opens the document that an argument names. Documents that are not scenes ignore `--map`.
fn open_any(argument: &Path, options: &OpenOptions) -> Result<Opened, CommandError> {
    let begun = Instant::now();
    let source = source_of(argument)?;
    open_source(&source, begun.elapsed(), options).map_err(|error| error.named(argument))
}

/// Attaches models to joints of a document.
///
/// # Errors
/// If the document has no such joint, or if a file is not a model that can be read.
#[cfg(feature = "gpu")]
pub(super) fn with_attached(
    document: &Arc<dyn Document>,
    wanted: &[Attachment],
    options: &OpenOptions,
) -> Result<Arc<dyn Document>, CommandError> {
    let refused = |text: String| CommandError::Argument(format!("--attach: {text}"));
    let mut attached = Vec::<Attached>::new();
    for Attachment { joint, path } in wanted {
        let joint = joint_named(&**document, joint).map_err(refused)?;
        let read = attached.iter().find(|it| it.path == *path);
        let model = match read {
            Some(read) => Arc::clone(&read.model),
            None => open_source(&Source::read(path)?, Duration::ZERO, options)?.document,
        };
        if !is_model(&*model) {
            return Err(refused(format!("{}: {NOT_A_MODEL}", path.display())));
        }
        let path = path.clone();
        attached.push(Attached { joint, path, model });
    }
    Ok(Assembly::of(document, attached))
}

/// Opens a source that took `read_time` to read.
fn open_source(
    source: &Source,
    read_time: Duration,
    options: &OpenOptions,
) -> Result<Opened, CommandError> {
    let progress = Progress::default();
    let begun = Instant::now();
    let document = mapscope_scene::open(source, options, &progress)?;
    let open_time = begun.elapsed();
    let parse_time = progress.parse_time();
    Ok(Opened {
        document,
        bytes: source.bytes.clone(),
        embedded_bytes: source.embedded.iter().map(|(_, b)| b.len() as u64).sum(),
        read_time,
        parse_time,
        build_time: open_time.saturating_sub(parse_time),
        finished_at: Instant::now(),
    })
}

/// The file and the options to open for an image. If the entities of a map are requested, this is
/// the scene beside the map, which is shown on it.
///
/// # Errors
/// If the map cannot be read, or if there is no scene beside it.
pub(super) fn with_entities<'a>(
    file: &mut PathBuf,
    request: &ViewRequest,
    options: &'a OpenOptions,
) -> Result<Cow<'a, OpenOptions>, CommandError> {
    let is_asked = request.requests(OverlayId::Entities) && options.map == MapChoice::Beside;
    // A pipe can be read only once.
    let is_asked = is_asked && !is_stdin(file) && !is_pipe(file);
    // For other formats, opening the file reports the error.
    let format = is_asked.then(|| mapscope_scene::identify_format(&source_of(file).ok()?).ok());
    if format.flatten().map(|format| format.id) != Some(pfmap::FORMAT.id) {
        return Ok(Cow::Borrowed(options));
    }
    let scene = file.with_extension(pfscene::FORMAT.endings[0]);
    if !scene.is_file() {
        return Err(CommandError::Argument(format!(
            "--overlay {}: the scene of {} was not found; expected {}",
            OverlayId::Entities,
            file.display(),
            scene.display()
        )));
    }
    let map = MapChoice::File(std::mem::replace(file, scene));
    let options = options.clone();
    Ok(Cow::Owned(OpenOptions { map, ..options }))
}

/// Refuses `--map` for a document that is not a scene.
///
/// # Errors
/// If a map is given for such a document.
pub(super) fn refuse_map(
    argument: &Path,
    format: &Format,
    options: &OpenOptions,
) -> Result<(), CommandError> {
    if format.id == pfscene::FORMAT.id || !matches!(options.map, MapChoice::File(_)) {
        return Ok(());
    }
    Err(CommandError::Argument(format!(
        "--map needs a scene, but the format of {} is {}",
        argument.display(),
        format.name
    )))
}

/// Opens the document that an argument names, for a command that can report problems even if
/// nothing of the file can be shown.
pub(super) fn open_or_refused(
    argument: &Path,
    options: &OpenOptions,
) -> Result<Known, CommandError> {
    known(&source_of(argument)?, options).map_err(|error| error.named(argument))
}

/// As [`open_or_refused`], for a source.
pub(super) fn known(source: &Source, options: &OpenOptions) -> Result<Known, CommandError> {
    match open_source(source, Duration::ZERO, options) {
        Ok(opened) => Ok(Known::Opened(opened.document)),
        Err(CommandError::Open(OpenError::Refused {
            format, problem, ..
        })) => Ok(Known::Refused(format, [*problem])),
        Err(error) => Err(error),
    }
}

/// A file of a known format.
#[derive(Debug)]
pub(super) enum Known {
    Opened(Arc<dyn Document>),
    /// Nothing of it can be shown.
    Refused(&'static Format, [Problem; 1]),
}

impl Known {
    /// Its format.
    pub(super) fn format(&self) -> &'static Format {
        match self {
            Self::Opened(document) => document.about().format,
            Self::Refused(format, _) => format,
        }
    }

    /// The problems of the file.
    pub(super) fn problems(&self) -> &[Problem] {
        match self {
            Self::Opened(document) => &document.about().problems,
            Self::Refused(_, problem) => problem,
        }
    }

    /// Notes about the file, which are not problems.
    pub(super) fn notes(&self) -> Vec<Problem> {
        match self {
            Self::Opened(document) => document.notes(),
            Self::Refused(..) => Vec::new(),
        }
    }

    /// What `info --json` and `check --json` print of every file.
    pub(super) fn output(&self, path: &Path) -> FileOutput {
        let version = match self {
            Self::Opened(document) => Some(&*document.about().version),
            Self::Refused(..) => None,
        };
        let format = Some(self.format());
        FileOutput::new(path, format, version, self.problems(), &self.notes())
    }
}
