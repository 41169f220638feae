//! What becomes of the problems of a rule: `--deny`, `--allow`, and the same in the `mapscope.toml` of a
//! folder.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Unchecked, reason};
use crate::commands::CommandError;
use mapscope_formats::{Place, Problem, Severity, quoted};
use mapscope_scene::Source;

/// The file in which a folder says what becomes of the problems of rules.
const FILE_NAME: &str = "mapscope.toml";
/// The most bytes of it that are read: many times as many as it takes to name all rules.
const MAX_BYTES: u64 = 1 << 20;
/// What holds a repository of Git: what lies above is somebody else's.
const REPOSITORY: &str = ".git";
/// What `deny` takes for all warnings.
const WARNINGS: &str = "warnings";

/// What becomes of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// It is an error.
    Deny,
    /// It is nothing to speak of.
    Allow,
}

impl Level {
    /// Both, with their names as keys and options.
    const ALL: [(&'static str, Self); 2] = [("deny", Self::Deny), ("allow", Self::Allow)];
}

/// What becomes of the problems of rules, as one place says it, or several together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Levels {
    rules: BTreeMap<&'static str, Level>,
    denies_warnings: bool,
}

impl Levels {
    /// As the options say it.
    ///
    /// # Errors
    /// For the first that names no rule, or one that is both denied and allowed.
    pub(super) fn of_options(deny: &[String], allow: &[String]) -> Result<Self, CommandError> {
        let mut levels = Self::default();
        for ((option, level), names) in Level::ALL.into_iter().zip([deny, allow]) {
            for name in names {
                let set = levels.set(level, name);
                set.map_err(|why| CommandError::Argument(format!("--{option} {name}: {why}")))?;
            }
        }
        Ok(levels)
    }

    /// Says what becomes of a rule.
    fn set(&mut self, level: Level, name: &str) -> Result<(), String> {
        if name == WARNINGS {
            self.denies_warnings |= level == Level::Deny;
            return match level {
                Level::Deny => Ok(()),
                Level::Allow => Err(format!(
                    "expected the id of a rule; `{WARNINGS}` can only be denied"
                )),
            };
        }
        let Some(rule) = mapscope_scene::rules().find(|rule| rule.id == name) else {
            // The same name in another format is what people mean most often.
            let short = |id: &str| id.rsplit('/').next().map(str::to_owned);
            let mut rules = mapscope_scene::rules();
            let meant = rules.find(|rule| short(rule.id) == short(name));
            let meant = meant.map(|rule| format!(", but `{}`", rule.id));
            return Err(format!(
                "there is no rule {}{}; `mapscope check --list-rules` lists them",
                quoted(name.as_bytes()),
                meant.unwrap_or_default()
            ));
        };
        match self.rules.insert(rule.id, level) {
            Some(before) if before != level => {
                Err(format!("`{name}` is both denied and allowed here"))
            }
            _ => Ok(()),
        }
    }

    /// These, and others that are nearer to the file, which win.
    fn with(&self, nearer: &Self) -> Self {
        let mut levels = self.clone();
        levels.rules.extend(&nearer.rules);
        levels.denies_warnings |= nearer.denies_warnings;
        levels
    }

    /// What becomes of a problem, if anything is said of it. A rule that is named is more than all
    /// warnings.
    fn of(&self, problem: &Problem) -> Option<Level> {
        let is_denied = self.denies_warnings && problem.severity == Severity::Warning;
        let named = self.rules.get(problem.rule.id).copied();
        named.or(is_denied.then_some(Level::Deny))
    }

    /// Makes errors of what is denied, also of notes, which then count as problems, and takes out what
    /// is allowed. Says how many problems that were.
    pub(super) fn apply(&self, problems: &mut Vec<Problem>, notes: &mut Vec<Problem>) -> usize {
        if *self == Self::default() {
            return 0;
        }
        let mut allowed = 0;
        problems.retain_mut(|problem| match self.of(problem) {
            Some(Level::Allow) => {
                allowed += problem.count;
                false
            }
            Some(Level::Deny) => {
                problem.severity = Severity::Error;
                true
            }
            None => true,
        });
        notes.retain(|note| match self.of(note) {
            Some(Level::Allow) => false,
            Some(Level::Deny) => {
                problems.push(Problem {
                    severity: Severity::Error,
                    ..note.clone()
                });
                false
            }
            None => true,
        });
        allowed
    }
}

/// What the folders of files and those above them say, as far as the repository that they are in; each
/// is asked once.
#[derive(Debug)]
pub(super) struct FolderLevels {
    options: Levels,
    here: Option<PathBuf>,
    /// By the folders as they are named.
    named: HashMap<PathBuf, Arc<Levels>>,
    /// By the folders without links.
    real: HashMap<PathBuf, Levels>,
    /// What cannot be read of what they say.
    pub(super) unchecked: Vec<Unchecked>,
}

impl FolderLevels {
    /// Those of folders, on top of which options win.
    pub(super) fn new(options: Levels) -> Self {
        Self {
            options,
            here: Path::new(".").canonicalize().ok(),
            named: HashMap::new(),
            real: HashMap::new(),
            unchecked: Vec::new(),
        }
    }

    /// What becomes of the problems of a file. For what is no file on disk the working folder speaks.
    pub(super) fn of_file(&mut self, file: &Path) -> Arc<Levels> {
        let folder = file.parent().unwrap_or(Path::new(""));
        if let Some(levels) = self.named.get(folder) {
            return Arc::clone(levels);
        }
        let real = if folder.is_dir() {
            folder
        } else {
            Path::new(".")
        }
        .canonicalize();
        let of_folder = real.map_or_else(|_gone| Levels::default(), |real| self.of_folder(&real));
        let levels = Arc::new(of_folder.with(&self.options));
        self.named.insert(folder.to_owned(), Arc::clone(&levels));
        levels
    }

    fn of_folder(&mut self, folder: &Path) -> Levels {
        if let Some(levels) = self.real.get(folder) {
            return levels.clone();
        }
        let above = folder.parent();
        let above = above.filter(|_| !folder.join(REPOSITORY).exists());
        let above = above.map_or_else(Levels::default, |above| self.of_folder(above));
        let levels = above.with(&self.read(&folder.join(FILE_NAME)));
        self.real.insert(folder.to_owned(), levels.clone());
        levels
    }

    /// Reads what a folder says, if it says anything; what is wrong with it is noted.
    fn read(&mut self, path: &Path) -> Levels {
        let bytes = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Levels::default(),
            Err(error) => Err(error.to_string()),
            Ok(meta) if meta.len() > MAX_BYTES && meta.is_file() => Err(format!(
                "{} bytes; at most {MAX_BYTES} are read",
                meta.len()
            )),
            Ok(_) => Source::read(path).map_err(|error| reason(&error.into())),
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
                return Levels::default();
            }
        };
        let (levels, faults) = parse(&text);
        let faults = faults.into_iter().map(|(offset, message)| Unchecked {
            path: named.clone(),
            place: Some(place(&text, offset)),
            message,
        });
        self.unchecked.extend(faults);
        levels
    }
}

/// Where a byte of a text is.
fn place(text: &str, offset: usize) -> Place {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let lines = before.split(|byte| *byte == b'\n');
    let (lines, column) = lines.fold((0, 0), |(lines, _), line| (lines + 1, line.len() + 1));
    Place::Text {
        line: lines,
        column: column as u64,
    }
}

/// What a text says, and what is wrong with it, with the offset in bytes.
fn parse(text: &str) -> (Levels, Vec<(usize, String)>) {
    let mut levels = Levels::default();
    let mut faults = Vec::new();
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            // Further lines only show the text again.
            let message = error.message().lines().next().unwrap_or_default();
            return (levels, vec![(offset, message.to_owned())]);
        }
    };
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let level = Level::ALL.into_iter().find(|(known, _)| *known == name);
        let Some((_, level)) = level else {
            let name = quoted(name.as_bytes());
            let message = format!("there is no setting {name}; expected `deny` or `allow`");
            faults.push((key.span().start, message));
            continue;
        };
        let mut fault =
            |of: &Spanned<DeValue<'_>>, message| faults.push((of.span().start, message));
        let Some(names) = value.get_ref().as_array() else {
            let message = r#"expected a list of rules, such as ["texture/missing"]"#;
            fault(value, message.to_owned());
            continue;
        };
        for name in names {
            let set = match name.get_ref().as_str() {
                Some(id) => levels.set(level, id),
                None => Err("expected the id of a rule in quotes".to_owned()),
            };
            if let Err(message) = set {
                fault(name, message);
            }
        }
    }
    faults.sort();
    (levels, faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_formats::{Rule, Subject};

    fn rule(id: &str) -> &'static Rule {
        mapscope_scene::rules().find(|rule| rule.id == id).unwrap()
    }

    fn problem(id: &str) -> Problem {
        Problem::new(rule(id), Subject::File, Place::line(1), "it is wrong")
    }

    /// What a text says; nothing may be wrong with it.
    fn levels(text: &str) -> Levels {
        let (levels, faults) = parse(text);
        assert_eq!(faults, []);
        levels
    }

    #[test]
    fn what_is_nearer_wins_and_a_named_rule_is_more_than_all_warnings() {
        let far = levels("deny = [\"warnings\", \"texture/missing\"]\nallow = [\"texture/name\"]");
        let near = levels("allow = [\"texture/missing\"]\ndeny = [\"texture/name\"]");
        let both = far.with(&near);
        let of = |levels: &Levels, id| levels.of(&problem(id));
        for (id, in_far, in_both) in [
            ("texture/missing", Some(Level::Deny), Some(Level::Allow)),
            ("texture/name", Some(Level::Allow), Some(Level::Deny)),
            ("texture/limit", Some(Level::Deny), Some(Level::Deny)),
            ("pfmap/tile-type", None, None),
            ("pfmap/unused-material", None, None),
        ] {
            assert_eq!((of(&far, id), of(&both, id)), (in_far, in_both), "{id}");
        }
    }

    #[test]
    fn denied_problems_and_notes_are_errors_and_allowed_ones_are_none() {
        let levels = levels(
            "deny = [\"warnings\", \"pfmap/unused-material\"]\nallow = [\"pfmap/tile-type\"]",
        );
        let mut problems = vec![
            problem("texture/missing"),
            Problem {
                count: 7,
                ..problem("pfmap/tile-type")
            },
        ];
        let mut notes = vec![
            problem("pfmap/unused-material"),
            problem("pfmap/unreachable-ground"),
        ];
        assert_eq!(levels.apply(&mut problems, &mut notes), 7);
        let ids = |problems: &[Problem]| -> Vec<(&str, Severity)> {
            let ids = problems.iter().map(|it| (it.rule.id, it.severity));
            ids.collect()
        };
        let errors = ["texture/missing", "pfmap/unused-material"];
        assert_eq!(ids(&problems), errors.map(|id| (id, Severity::Error)));
        let notes = ids(&notes);
        assert_eq!(notes, [("pfmap/unreachable-ground", Severity::Note)]);
    }

    #[test]
    fn what_is_wrong_with_settings_is_said_with_its_place() {
        for (text, at, word) in [
            ("deny = [\"a/b\"]", (1, 9), "there is no rule `a/b`"),
            (
                "\ndeny = [\n  \"tile-type\"]",
                (3, 3),
                "but `pfmap/tile-type`",
            ),
            ("allow = [\"warnings\"]", (1, 10), "can only be denied"),
            ("allow = \"texture/missing\"", (1, 9), "list of rules"),
            ("deny = [3]", (1, 9), "in quotes"),
            ("denies = []", (1, 1), "no setting `denies`"),
            ("[check]\ndeny = []", (1, 2), "no setting `check`"),
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
        // Whatever is nested without end is refused like any other mistake.
        let (_, faults) = parse(&format!("deny = {}", "[".repeat(100_000)));
        assert_eq!(faults.len(), 1);
    }
}
