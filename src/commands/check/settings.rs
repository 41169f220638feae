//! Settings of a folder in its `mapscope.toml`: levels of rules and exclusions for the files in and
//! below it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::{MatchOptions, Pattern};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::levels::{Level, Levels};
use super::{CommandError, Unchecked};
use mapscope_formats::{Place, quoted};
use mapscope_scene::Source;
use mapscope_scene::assets::{REPOSITORY, leads_out};

/// Name of the settings file.
pub(super) const FILE_NAME: &str = "mapscope.toml";
/// Maximum size of a settings file in bytes, many times the size that names all rules.
const MAX_BYTES: u64 = 1 << 20;
/// Key of the exclusions.
const EXCLUDE: &str = "exclude";

/// The settings that one folder defines for the files in and below it.
#[derive(Debug, Default)]
pub(super) struct FolderConfig {
    pub(super) levels: Levels,
    /// Patterns of excluded files.
    exclude: Vec<Pattern>,
}

/// The effective settings for the files directly in a folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    /// The levels of rules.
    pub(super) levels: Levels,
    /// The canonical path of the folder.
    folder: PathBuf,
    /// The exclusions of this folder and those above it.
    excludes: Vec<Arc<Excludes>>,
    /// `true` if the whole folder is excluded.
    is_excluded: bool,
}

impl Settings {
    /// `true` if a file or folder of this name directly in the folder is excluded.
    pub(super) fn excludes(&self, name: &OsStr) -> bool {
        self.is_excluded || self.matches(&self.folder.join(name))
    }

    fn matches(&self, path: &Path) -> bool {
        self.excludes
            .iter()
            .any(|excludes| excludes.match_path(path))
    }
}

/// The exclusions that a folder defines.
#[derive(Debug)]
struct Excludes {
    /// The canonical path of the folder.
    folder: PathBuf,
    patterns: Vec<Pattern>,
}

impl Excludes {
    fn match_path(&self, path: &Path) -> bool {
        const OPTIONS: MatchOptions = MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: false,
        };
        let below = path.strip_prefix(&self.folder);
        let is_matched = |below: &Path| {
            self.patterns
                .iter()
                .any(|it| it.matches_path_with(below, OPTIONS))
        };
        below.is_ok_and(is_matched)
    }
}

/// The settings of folders and their parents, up to the repository root, or without a repository up
/// to the named folder: folders above may belong to somebody else. Each folder is read once.
#[derive(Debug)]
pub(super) struct FolderSettings {
    options: Levels,
    /// Canonical paths of the named folders, and of the folders of named files.
    roots: Vec<PathBuf>,
    here: Option<PathBuf>,
    /// Keyed by the folder's path as given.
    named: HashMap<PathBuf, Arc<Settings>>,
    /// Keyed by the folder's canonical path.
    real: HashMap<PathBuf, Settings>,
    /// Mistakes in the settings files.
    pub(super) unchecked: Vec<Unchecked>,
}

impl FolderSettings {
    /// Creates the settings for the named paths; `options` take precedence over them.
    pub(super) fn new(options: Levels, paths: &[PathBuf]) -> Self {
        let roots = paths.iter().filter_map(|path| real_folder(path).ok());
        Self {
            options,
            roots: roots.collect(),
            here: Path::new(".").canonicalize().ok(),
            named: HashMap::new(),
            real: HashMap::new(),
            unchecked: Vec::new(),
        }
    }

    /// The settings for a file, or for a folder as an entry of its parent. Sources that are not
    /// files on disk use the settings of the working folder.
    pub(super) fn of_file(&mut self, file: &Path) -> Arc<Settings> {
        let folder = file.parent().unwrap_or(Path::new(""));
        if let Some(settings) = self.named.get(folder) {
            return Arc::clone(settings);
        }
        let mut settings = real_folder(folder).map_or_else(
            |_gone| Settings::default(),
            |real| {
                let top = self.top(&real).to_owned();
                self.of_folder(&real, &top)
            },
        );
        settings.levels = settings.levels.with(&self.options);
        let settings = Arc::new(settings);
        self.named.insert(folder.to_owned(), Arc::clone(&settings));
        settings
    }

    /// `true` if a file or folder that was found below another folder is excluded.
    pub(super) fn exclude(&mut self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        self.of_file(path).excludes(name)
    }

    /// The topmost folder whose settings apply to a canonical folder: its repository root, or else
    /// the outermost named folder, or else the folder itself.
    fn top<'a>(&self, folder: &'a Path) -> &'a Path {
        let above = || folder.ancestors();
        above()
            .find(|above| above.join(REPOSITORY).exists())
            .or_else(|| {
                above()
                    .filter(|above| self.roots.iter().any(|it| it == above))
                    .last()
            })
            .unwrap_or(folder)
    }

    /// `true` if a file is a link that leads out of its asset root and out of its repository, or
    /// without a repository out of the named folder.
    pub(super) fn leads_out(&self, file: &Path) -> bool {
        let folder = real_folder(file.parent().unwrap_or(Path::new("")));
        let real = file.is_symlink().then(|| file.canonicalize());
        match (folder, real) {
            (Ok(folder), Some(Ok(real))) => {
                !real.starts_with(self.top(&folder)) && leads_out(file, file)
            }
            _ => false,
        }
    }

    fn of_folder(&mut self, folder: &Path, top: &Path) -> Settings {
        if let Some(settings) = self.real.get(folder) {
            return settings.clone();
        }
        let above = folder.parent().filter(|_| folder != top);
        let mut settings = above.map_or_else(Settings::default, |above| self.of_folder(above, top));
        folder.clone_into(&mut settings.folder);
        settings.is_excluded = settings.is_excluded || settings.matches(folder);
        let said = self.read(&folder.join(FILE_NAME));
        settings.levels = settings.levels.with(&said.levels);
        if !said.exclude.is_empty() {
            settings.excludes.push(Arc::new(Excludes {
                folder: folder.to_owned(),
                patterns: said.exclude,
            }));
        }
        self.real.insert(folder.to_owned(), settings.clone());
        settings
    }

    /// Reads the settings of a folder, if it has any, and records mistakes.
    fn read(&mut self, path: &Path) -> FolderConfig {
        let bytes = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return FolderConfig::default(),
            Err(error) => Err(error.to_string()),
            Ok(meta) if meta.len() > MAX_BYTES && meta.is_file() => Err(format!(
                "found {} bytes; expected at most {MAX_BYTES}",
                meta.len()
            )),
            Ok(_) => Source::read(path).map_err(|error| CommandError::from(error).reason()),
        };
        let text = bytes.and_then(|source| {
            let text = str::from_utf8(&source.bytes).map(str::to_owned);
            text.map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))
        });
        let relative = self
            .here
            .as_ref()
            .and_then(|here| path.strip_prefix(here).ok());
        let named = relative.unwrap_or(path).to_owned();
        let text = match text {
            Ok(text) => text,
            Err(message) => {
                self.unchecked.push(Unchecked::new(named, message));
                return FolderConfig::default();
            }
        };
        let (said, faults) = parse(&text);
        // An untrusted link must not print another file of the user.
        let folder = path.parent().unwrap_or(path);
        let leads_out = path.canonicalize().is_ok_and(|it| !it.starts_with(folder));
        let faults = faults.into_iter().map(|(offset, message)| Unchecked {
            path: named.clone(),
            place: Some(place(&text, offset)),
            message: if leads_out {
                "a mistake; it is not quoted, because this file is a link that leads out of its folder".to_owned()
            } else {
                message
            },
        });
        self.unchecked.extend(faults);
        said
    }
}

/// The canonical path of a folder: the path itself, the folder of a file, or the working folder for
/// a source that is not a file.
fn real_folder(path: &Path) -> io::Result<PathBuf> {
    let above = path.parent().filter(|_| path.exists());
    let mut folders = [Some(path), above].into_iter().flatten();
    let folder = folders.find(|folder| folder.is_dir());
    folder.unwrap_or(Path::new(".")).canonicalize()
}

/// The line and column of a byte offset in a text.
fn place(text: &str, offset: usize) -> Place {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let lines = before.split(|byte| *byte == b'\n');
    let (lines, column) = lines.fold((0, 0), |(lines, _), line| (lines + 1, line.len() + 1));
    Place::Text {
        line: lines,
        column: column as u64,
    }
}

/// Parses a settings file and returns its mistakes with their byte offsets.
pub(super) fn parse(text: &str) -> (FolderConfig, Vec<(usize, String)>) {
    let mut said = FolderConfig::default();
    let mut faults = Vec::new();
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            // Further lines of the message only repeat the text.
            let message = error.message().lines().next().unwrap_or_default();
            return (said, vec![(offset, message.to_owned())]);
        }
    };
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let level = Level::ALL.into_iter().find(|(known, _)| *known == name);
        let level = level.map(|(_, level)| level);
        let mut fault =
            |of: &Spanned<DeValue<'_>>, message| faults.push((of.span().start, message));
        let expected = match level {
            Some(_) => r#"rules, such as ["texture/missing"]"#,
            None if name == EXCLUDE => r#"patterns, such as ["build/**", "*.bak.pfmap"]"#,
            None => {
                let name = quoted(name.as_bytes());
                let message =
                    format!("unknown setting {name}; expected `deny`, `allow` or `{EXCLUDE}`");
                faults.push((key.span().start, message));
                continue;
            }
        };
        let Some(entries) = value.get_ref().as_array() else {
            fault(value, format!("expected a list of {expected}"));
            continue;
        };
        for entry in entries {
            let added = match (entry.get_ref().as_str(), level) {
                (Some(id), Some(level)) => said.levels.set(level, id),
                (Some(text), None) => pattern(text).map(|pattern| said.exclude.push(pattern)),
                (None, Some(_)) => Err("expected a rule id in quotes".to_owned()),
                (None, None) => Err("expected a pattern in quotes".to_owned()),
            };
            if let Err(message) = added {
                fault(entry, message);
            }
        }
    }
    faults.sort();
    (said, faults)
}

/// Parses an exclusion with the semantics of `.gitignore`: a pattern without a slash matches names
/// in any folder, one with a slash matches paths.
fn pattern(text: &str) -> Result<Pattern, String> {
    let path = text.strip_suffix('/').unwrap_or(text);
    let is_empty = path.split('/').all(str::is_empty);
    if is_empty || text.starts_with('!') || path.split('/').any(|part| matches!(part, "." | "..")) {
        return Err(format!(
            "expected names or paths of files below this folder, such as `build/**`, found {}",
            quoted(text.as_bytes())
        ));
    }
    let pattern = match path.strip_prefix('/') {
        Some(path) => Pattern::new(path),
        None if path.contains('/') => Pattern::new(path),
        None => Pattern::new(&format!("**/{path}")),
    };
    pattern.map_err(|error| {
        format!(
            "{} is not a valid pattern: {}",
            quoted(text.as_bytes()),
            error.msg
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_without_a_slash_are_for_names_and_others_for_paths() {
        let excludes = |text: &str, path: &str| {
            let excludes = Excludes {
                folder: PathBuf::from("/game"),
                patterns: vec![pattern(text).unwrap()],
            };
            excludes.match_path(Path::new(path))
        };
        for (text, path, expected) in [
            ("*.bak.pfmap", "/game/a.bak.pfmap", true),
            ("*.bak.pfmap", "/game/maps/old/a.bak.pfmap", true),
            ("*.bak.pfmap", "/game/a.pfmap", false),
            ("build", "/game/maps/build", true),
            ("build/", "/game/build", true),
            ("/build", "/game/build", true),
            ("/build", "/game/maps/build", false),
            ("build/**", "/game/build/maps/a.pfmap", true),
            ("build/*", "/game/build/maps/a.pfmap", false),
            ("maps/*.pfmap", "/game/maps/a.pfmap", true),
            ("maps/*.pfmap", "/game/old/maps/a.pfmap", false),
            ("**/old/*", "/game/maps/old/a.pfmap", true),
            ("A.pfmap", "/game/a.pfmap", false),
            ("*", "/elsewhere/a.pfmap", false),
        ] {
            assert_eq!(excludes(text, path), expected, "{text} {path}");
        }
    }

    #[test]
    fn what_is_wrong_with_settings_is_said_with_its_place() {
        for (text, at, word) in [
            ("deny = [\"a/b\"]", (1, 9), "unknown rule `a/b`"),
            (
                "\ndeny = [\n  \"tile-type\"]",
                (3, 3),
                "did you mean `pfmap/tile-type`?",
            ),
            ("allow = [\"warnings\"]", (1, 10), "can only be denied"),
            ("allow = \"texture/missing\"", (1, 9), "list of rules"),
            ("exclude = \"*.bak\"", (1, 11), "list of patterns"),
            ("exclude = [1]", (1, 12), "in quotes"),
            (
                "exclude = [\"a\", \"a**\"]",
                (1, 17),
                "is not a valid pattern",
            ),
            ("exclude = [\"/\"]", (1, 12), "found `/`"),
            ("exclude = [\"!a\"]", (1, 12), "found `!a`"),
            ("exclude = [\"../a\"]", (1, 12), "found `../a`"),
            ("deny = [3]", (1, 9), "in quotes"),
            ("denies = []", (1, 1), "unknown setting `denies`"),
            ("[check]\ndeny = []", (1, 2), "unknown setting `check`"),
            ("deny = [\"texture/missing\"", (1, 26), ""),
            (
                "allow = [\"texture/missing\"]\ndeny = [\"texture/missing\"]",
                (2, 9),
                "both denied and allowed",
            ),
        ] {
            let (_, faults) = parse(text);
            let [(offset, message)] = &faults[..] else {
                panic!("{text}: {faults:?}");
            };
            let (line, column) = at;
            assert_eq!(place(text, *offset), Place::Text { line, column }, "{text}");
            assert!(message.contains(word) && !message.is_empty(), "{message}");
        }
        // Endless nesting is rejected like any other mistake.
        let (_, faults) = parse(&format!("deny = {}", "[".repeat(100_000)));
        assert_eq!(faults.len(), 1);
    }
}
