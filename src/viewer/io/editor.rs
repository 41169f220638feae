//! Opens files in the user's editor, and folders in the file manager.
//!
//! The command of an editor is a template: words with placeholders. It is split here and never passed
//! to a shell.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thiserror::Error;

use crate::viewer::state::folder;
use mapscope_formats::{Place, printable};
use mapscope_scene::system_reason;

/// The placeholders of a template.
pub(crate) const PLACEHOLDERS: [&str; 4] = ["{file}", "{line}", "{column}", "{offset}"];

/// An editor that is known by the name of its program.
struct Known {
    program: &'static str,
    /// Arguments for a line and a column.
    arguments: &'static str,
    /// Arguments for a byte offset. Editors that cannot go to one open only the file.
    at_offset: &'static str,
    runs_in: RunsIn,
}

/// The place where an editor runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunsIn {
    /// Its own window.
    Window,
    /// Its own window, or a terminal with one of [`TERMINAL_FLAGS`].
    Either,
    Terminal,
}

/// Flags with which Emacs runs in a terminal.
const TERMINAL_FLAGS: [&str; 4] = ["-nw", "--no-window-system", "-t", "--tty"];

const fn known(
    program: &'static str,
    runs_in: RunsIn,
    arguments: &'static str,
    at_offset: &'static str,
) -> Known {
    Known {
        program,
        arguments,
        at_offset,
        runs_in,
    }
}

const GO_TO: &str = "--goto {file}:{line}:{column}";
const KATE: &str = "--line {line} --column {column} {file}";
const PLUS: &str = "+{line}:{column} {file}";
const EMACS_CLIENT: &str = "--alternate-editor=emacs +{line}:{column} {file}";
const VIM: &str = "\"+call cursor({line}, {column})\" {file}";
/// Vim counts bytes from 1.
const VIM_OFFSET: &str = "-b \"+execute 'goto' {offset} + 1\" {file}";
const FILE: &str = "{file}";

/// The known editors. Without a setting, the first one on the computer is used.
#[rustfmt::skip]
static KNOWN: &[Known] = &[
    known("code",              RunsIn::Window,   GO_TO, FILE),
    known("codium",            RunsIn::Window,   GO_TO, FILE),
    known("subl",              RunsIn::Window,   "{file}:{line}:{column}", FILE),
    known("zed",               RunsIn::Window,   "{file}:{line}:{column}", FILE),
    known("kate",              RunsIn::Window,   KATE, FILE),
    known("kwrite",            RunsIn::Window,   KATE, FILE),
    known("gedit",             RunsIn::Window,   PLUS, FILE),
    known("gnome-text-editor", RunsIn::Window,   FILE, FILE),
    known("xed",               RunsIn::Window,   "+{line} {file}", FILE),
    known("pluma",             RunsIn::Window,   "+{line} {file}", FILE),
    known("mousepad",          RunsIn::Window,   KATE, FILE),
    known("geany",             RunsIn::Window,   KATE, FILE),
    known("emacsclient",       RunsIn::Either,   EMACS_CLIENT, "--alternate-editor=emacs {file}"),
    known("emacs",             RunsIn::Either,   PLUS, FILE),
    known("gvim",              RunsIn::Window,   VIM, VIM_OFFSET),
    known("nvim",              RunsIn::Terminal, VIM, VIM_OFFSET),
    known("vim",               RunsIn::Terminal, VIM, VIM_OFFSET),
    known("hx",                RunsIn::Terminal, "{file}:{line}:{column}", FILE),
    known("micro",             RunsIn::Terminal, PLUS, FILE),
    known("nano",              RunsIn::Terminal, "+{line},{column} {file}", FILE),
    known("vi",                RunsIn::Terminal, "+{line} {file}", FILE),
    #[cfg(target_os = "macos")]
    known("open",              RunsIn::Window,   "-t {file}", "-t {file}"),
    #[cfg(windows)]
    known("notepad",           RunsIn::Window,   FILE, FILE),
];

/// Terminals, and the arguments before the command that they run. Other terminals use `-e`.
#[rustfmt::skip]
static TERMINALS: &[(&str, &[&str])] = &[
    ("x-terminal-emulator", &["-e"]),
    ("gnome-terminal",      &["--"]),
    ("kgx",                 &["--"]),
    ("ptyxis",              &["--"]),
    ("konsole",             &["-e"]),
    ("xfce4-terminal",      &["-x"]),
    ("kitty",               &[]),
    ("foot",                &[]),
    ("alacritty",           &["-e"]),
    ("wezterm",             &["start", "--"]),
    ("xterm",               &["-e"]),
];

/// The reason why no editor opened.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum EditorError {
    /// The computer has no known editor.
    #[error("No editor found: enter its command in Settings › Editor…")]
    NoEditor,
    /// The program of a template does not exist.
    #[error("The editor `{}` was not found", printable(.0))]
    NotFound(String),
    /// An editor needs a terminal, and the computer has none.
    #[error("`{}` needs a terminal, and none was found", printable(.0))]
    NoTerminal(String),
    /// A template has an odd number of quotes.
    #[error("The command of the editor has an unclosed quote")]
    UnclosedQuote,
    /// The file no longer exists.
    #[error("{} does not exist any more", printable(&.0.display().to_string()))]
    NoFile(PathBuf),
    /// The system did not start a program.
    #[error("`{}` was not started: {reason}", printable(.program))]
    NotStarted { program: String, reason: String },
}

/// The environment in which an editor is chosen.
pub(crate) struct Environment<'a> {
    /// Returns an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Returns the path of a program.
    pub program: &'a dyn Fn(&str) -> Option<PathBuf>,
}

impl Environment<'_> {
    /// The environment of this process.
    pub(crate) fn here() -> Self {
        Self {
            variable: &|name| std::env::var(name).ok(),
            program: &program_on_path,
        }
    }
}

/// An editor with its templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Editor {
    program: PathBuf,
    /// Templates of the arguments for a line and a column.
    arguments: Vec<String>,
    /// Templates of the arguments for a byte offset.
    at_offset: Vec<String>,
    /// The terminal that runs the program, if it needs one, and the arguments of the terminal.
    terminal: Option<(PathBuf, Vec<String>)>,
}

impl Editor {
    /// Chooses the editor of a setting. Without a setting, chooses that of the environment variables
    /// or else the first known one.
    pub(crate) fn choose(
        setting: &str,
        environment: &Environment<'_>,
    ) -> Result<Self, EditorError> {
        if !setting.trim().is_empty() {
            return Self::of_template(setting, RunsIn::Window, environment);
        }
        let variables = ["VISUAL", "EDITOR"].into_iter();
        let variables = variables.filter_map(environment.variable);
        // An unknown editor of these variables is more likely to need a terminal.
        let of_variables = variables.map(|text| (text, RunsIn::Terminal));
        let known = KNOWN
            .iter()
            .map(|known| (known.program.to_owned(), known.runs_in));
        of_variables
            .chain(known)
            .find_map(|(text, runs_in)| Self::of_template(&text, runs_in, environment).ok())
            .ok_or(EditorError::NoEditor)
    }

    /// Returns the editor of a template. A known editor without placeholders gets the arguments of
    /// the table, and any other one the file. `runs_in` applies to unknown editors.
    fn of_template(
        template: &str,
        runs_in: RunsIn,
        environment: &Environment<'_>,
    ) -> Result<Self, EditorError> {
        let mut words = split(template).ok_or(EditorError::UnclosedQuote)?;
        if words.is_empty() {
            return Err(EditorError::NoEditor);
        }
        let name = words.remove(0);
        let program = (environment.program)(&name);
        let program = program.ok_or_else(|| EditorError::NotFound(name.clone()))?;
        let stem = Path::new(&name).file_stem();
        let known = KNOWN
            .iter()
            .find(|known| stem == Some(OsStr::new(known.program)));
        let has_flag = words
            .iter()
            .any(|word| TERMINAL_FLAGS.contains(&word.as_str()));
        let needs_terminal = match known.map_or(runs_in, |known| known.runs_in) {
            RunsIn::Window => false,
            RunsIn::Either => has_flag,
            RunsIn::Terminal => true,
        };
        let terminal = needs_terminal.then(|| terminal(environment));
        let terminal = match terminal {
            Some(None) => return Err(EditorError::NoTerminal(name)),
            terminal => terminal.flatten(),
        };
        let has = |placeholder: &str| words.iter().any(|word| word.contains(placeholder));
        let [arguments, at_offset] = match known {
            Some(known) if !PLACEHOLDERS.into_iter().any(has) => [known.arguments, known.at_offset],
            _ if has(FILE) => ["", ""],
            _ => [FILE, FILE],
        };
        let with = |more: &str| {
            let more = split(more).unwrap_or_default();
            words.iter().cloned().chain(more).collect()
        };
        Ok(Self {
            program,
            arguments: with(arguments),
            at_offset: with(at_offset),
            terminal,
        })
    }

    /// Returns the program and the arguments that open a file at a place.
    pub(crate) fn command(&self, file: &Path, place: Option<Place>) -> Vec<OsString> {
        let (templates, numbers) = match place {
            Some(Place::Offset(offset)) => (&self.at_offset, [1, 1, offset]),
            Some(Place::Text { line, column }) => (&self.arguments, [line, column, 0]),
            None => (&self.arguments, [1, 1, 0]),
        };
        let mut command = Vec::new();
        if let Some((terminal, arguments)) = &self.terminal {
            command.push(terminal.into());
            command.extend(arguments.iter().map(OsString::from));
        }
        command.push(self.program.clone().into());
        command.extend(templates.iter().map(|word| fill(word, file, numbers)));
        command
    }
}

/// Returns the terminal of the variable `TERMINAL`, or else the first known one.
fn terminal(environment: &Environment<'_>) -> Option<(PathBuf, Vec<String>)> {
    let of_variable = (environment.variable)("TERMINAL");
    let known = TERMINALS.iter().map(|(name, _)| (*name).to_owned());
    of_variable.into_iter().chain(known).find_map(|name| {
        let program = (environment.program)(&name)?;
        let stem = Path::new(&name).file_stem()?;
        let known = TERMINALS
            .iter()
            .find(|(known, _)| stem == OsStr::new(known));
        let arguments = known.map_or(&["-e"][..], |(_, arguments)| arguments);
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        Some((program, arguments.collect()))
    })
}

/// Splits a template into words at white space. Quotes of either kind hold a word together. Returns
/// `None` if a quote is not closed.
fn split(template: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in template.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Replaces the placeholders of a word. Names of files may contain placeholders too, which stay.
fn fill(word: &str, file: &Path, [line, column, offset]: [u64; 3]) -> OsString {
    let values = [
        file.as_os_str().to_owned(),
        line.to_string().into(),
        column.to_string().into(),
        offset.to_string().into(),
    ];
    let mut filled = OsString::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        filled.push(before);
        let mut pairs = PLACEHOLDERS.into_iter().zip(&values);
        let found = pairs.find_map(|(key, value)| Some((after.strip_prefix(key)?, value)));
        if let Some((after, value)) = found {
            filled.push(value);
            rest = after;
        } else {
            filled.push("{");
            rest = &after[1..];
        }
    }
    filled.push(rest);
    filled
}

/// Returns the path of a program: of a file, or of the first one with this name on `PATH`.
fn program_on_path(name: &str) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) {
        &["exe", "cmd", "bat"]
    } else {
        &[]
    };
    let runnable = |path: PathBuf| {
        let others = endings.iter().map(|ending| path.with_extension(ending));
        let mut all = others.chain([path.clone()]);
        all.find(|path| is_program(path))
    };
    if name.contains(std::path::is_separator) {
        return runnable(name.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find_map(|folder| runnable(folder.join(name)))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Opens a file in the editor of a setting, at a place if the editor can.
pub(crate) fn open(setting: &str, file: &Path, place: Option<Place>) -> Result<(), EditorError> {
    // An editor would create the file.
    if !file.is_file() {
        return Err(EditorError::NoFile(file.to_owned()));
    }
    let editor = Editor::choose(setting, &Environment::here())?;
    start(&editor.command(file, place))
}

/// Shows the folder of a file in the file manager.
pub(crate) fn show_in_folder(file: &Path) -> Result<(), EditorError> {
    let file = folder::absolute(file);
    let folder = file.parent().unwrap_or(&file);
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    start(&[program.into(), folder.into()])
}

/// Starts a program that outlives this one.
fn start(command: &[OsString]) -> Result<(), EditorError> {
    let [program, arguments @ ..] = command else {
        return Err(EditorError::NoEditor);
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Ctrl+C in the terminal of this program does not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let failed = |error: &std::io::Error| EditorError::NotStarted {
        program: program.to_string_lossy().into_owned(),
        reason: system_reason(error, "program"),
    };
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    // Otherwise the ended program would stay in the table of processes.
    let _started = std::thread::Builder::new().spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Option<Place> = Some(Place::Text {
        line: 30,
        column: 5,
    });

    /// The words of the command that opens a file, on a computer with these variables and programs.
    fn command(
        setting: &str,
        variables: &[(&str, &str)],
        programs: &[&str],
        (file, place): (&str, Option<Place>),
    ) -> Result<Vec<String>, EditorError> {
        let variable = |name: &str| {
            let mut all = variables.iter();
            all.find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let program = |name: &str| programs.contains(&name).then(|| name.into());
        let environment = Environment {
            variable: &variable,
            program: &program,
        };
        let editor = Editor::choose(setting, &environment)?;
        let command = editor.command(Path::new(file), place);
        let words = command
            .iter()
            .map(|word| word.to_string_lossy().into_owned());
        Ok(words.collect())
    }

    #[test]
    fn a_template_is_split_at_spaces_outside_quotes() {
        let words = |template: &str| split(template).map(|words| words.join("|"));
        assert_eq!(words("a  b\tc ").as_deref(), Some("a|b|c"));
        assert_eq!(words(r#""a b"'c d' "" '"'"#).as_deref(), Some("a bc d||\""));
        assert_eq!(
            words("$HOME `x` ; rm *").as_deref(),
            Some("$HOME|`x`|;|rm|*")
        );
        assert_eq!(words("  ").as_deref(), Some(""));
        assert_eq!(words("\"a"), None);
    }

    #[test]
    fn a_place_fills_the_template_of_the_setting() {
        let file = ("/a b/$(x) {line}.pfmap", PLACE);
        let words = command("my --at={line},{column} {file} {x", &[], &["my"], file).unwrap();
        assert_eq!(words, ["my", "--at=30,5", "/a b/$(x) {line}.pfmap", "{x"]);
        let words = command("my -q", &[], &["my"], file).unwrap();
        assert_eq!(words, ["my", "-q", file.0], "the file is appended");
        let file = ("/a.pmf", Some(Place::Offset(500)));
        let words = command("my {file}@{offset}:{line}", &[], &["my"], file).unwrap();
        assert_eq!(words, ["my", "/a.pmf@500:1"]);
        let gone = Err(EditorError::NotFound("my".to_owned()));
        assert_eq!(command("my {file}", &[], &["vim"], file), gone);
        let quote = Err(EditorError::UnclosedQuote);
        assert_eq!(command("my '{file}", &[], &["my"], file), quote);
    }

    #[test]
    fn known_editors_go_to_the_place() {
        let at = |program: &str, place| {
            let programs = [program, "xterm"];
            command(program, &[], &programs, ("/a", place)).unwrap()
        };
        assert_eq!(at("code", PLACE), ["code", "--goto", "/a:30:5"]);
        assert_eq!(at("gedit", PLACE), ["gedit", "+30:5", "/a"]);
        let vim = ["xterm", "-e", "vim", "+call cursor(30, 5)", "/a"];
        assert_eq!(at("vim", PLACE), vim);
        let offset = Some(Place::Offset(500));
        assert_eq!(at("code", offset), ["code", "/a"]);
        let vim = ["-b", "+execute 'goto' 500 + 1", "/a"];
        assert_eq!(at("/usr/bin/gvim", offset)[1..], vim);
        assert_eq!(at("nano", None), ["xterm", "-e", "nano", "+1,1", "/a"]);
    }

    #[test]
    fn the_variables_come_before_the_known_editors() {
        let file = ("/a", PLACE);
        let chosen = |variables: &[(&str, &str)], programs: &[&str]| {
            command("", variables, programs, file).map(|words| words.join(" "))
        };
        let all = ["nano", "kate", "code", "emacs", "own", "kitty", "xterm"];
        let is = |words: &str| Ok(words.to_owned());
        assert_eq!(chosen(&[], &all), is("code --goto /a:30:5"));
        let kate = "kate --line 30 --column 5 /a";
        assert_eq!(
            chosen(&[("VISUAL", "kate"), ("EDITOR", "nano")], &all),
            is(kate)
        );
        let gone = [("VISUAL", "gone"), ("EDITOR", "emacs -nw")];
        assert_eq!(chosen(&gone, &all), is("kitty emacs -nw +30:5 /a"));
        assert_eq!(chosen(&[("EDITOR", "emacs")], &all), is("emacs +30:5 /a"));
        let own = [("EDITOR", "own -x"), ("TERMINAL", "xterm")];
        assert_eq!(
            chosen(&own, &all),
            is("xterm -e own -x /a"),
            "it is unknown"
        );
        // Without a terminal, editors that need one are skipped.
        assert_eq!(chosen(&own, &["own", "kate"]), is(kate));
        assert_eq!(chosen(&own, &["own", "nano"]), Err(EditorError::NoEditor));
        assert_eq!(chosen(&[], &["cat"]), Err(EditorError::NoEditor));
    }

    #[test]
    fn every_known_editor_opens_the_file() {
        for Known {
            program,
            arguments,
            at_offset,
            ..
        } in KNOWN
        {
            for template in [arguments, at_offset] {
                assert_eq!(template.matches(FILE).count(), 1, "{program}: {template}");
                assert!(split(template).is_some(), "{program}: {template}");
            }
            assert!(!at_offset.contains("{line}"), "{program}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_editor_gets_its_arguments_as_they_are() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("my editor");
        std::fs::write(
            &script,
            "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$0.part\"\nmv \"$0.part\" \"$0.txt\"\n",
        )
        .unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let file = folder.path().join("-a; $(touch x) 'b'.pfmap");
        let setting = format!("'{}' --goto {{line}} {{file}}", script.display());
        let gone = Err(EditorError::NoFile(file.clone()));
        assert_eq!(open(&setting, &file, PLACE), gone);
        std::fs::write(&file, "").unwrap();
        assert_eq!(open(&setting, &file, PLACE), Ok(()));
        let written = folder.path().join("my editor.txt");
        let arguments = (0..500).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::read_to_string(&written).ok()
        });
        let expected = format!("--goto\n30\n{}\n", file.display());
        assert_eq!(arguments, Some(expected));
    }
}
