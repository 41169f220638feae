//! Levels of rules, set by `--deny` and `--allow` or by the settings of a folder.

use std::collections::BTreeMap;

use crate::commands::CommandError;
use mapscope_formats::{Problem, Severity, quoted};

/// Name in `deny` that selects all warnings.
const WARNINGS: &str = "warnings";

/// Override of a rule's severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// The problem is an error.
    Deny,
    /// The problem is not reported.
    Allow,
}

impl Level {
    /// All levels with their names, which are keys and options.
    pub(super) const ALL: [(&'static str, Self); 2] =
        [("deny", Self::Deny), ("allow", Self::Allow)];
}

/// Levels of rules from one source or merged from several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Levels {
    rules: BTreeMap<&'static str, Level>,
    denies_warnings: bool,
}

impl Levels {
    /// The levels that the options set.
    ///
    /// # Errors
    /// For the first name that is not a rule, and for a rule that is both denied and allowed.
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

    /// Sets the level of a rule.
    pub(super) fn set(&mut self, level: Level, name: &str) -> Result<(), String> {
        if name == WARNINGS {
            self.denies_warnings |= level == Level::Deny;
            return match level {
                Level::Deny => Ok(()),
                Level::Allow => Err(format!(
                    "expected a rule id; `{WARNINGS}` can only be denied"
                )),
            };
        }
        let Some(rule) = mapscope_scene::rules().find(|rule| rule.id == name) else {
            // Usually the user means the rule of the same name in another format.
            let short = |id: &str| id.rsplit('/').next().map(str::to_owned);
            let mut rules = mapscope_scene::rules();
            let meant = rules.find(|rule| short(rule.id) == short(name));
            let meant = meant.map(|rule| format!(" (did you mean `{}`?)", rule.id));
            return Err(format!(
                "unknown rule {}{}; `mapscope check --list-rules` lists all rules",
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

    /// Merges these levels with those nearer to the file, which take precedence.
    pub(super) fn with(&self, nearer: &Self) -> Self {
        let mut levels = self.clone();
        levels.rules.extend(&nearer.rules);
        levels.denies_warnings |= nearer.denies_warnings;
        levels
    }

    /// The level of a problem, if one is set. A named rule takes precedence over `warnings`.
    fn of(&self, problem: &Problem) -> Option<Level> {
        let is_denied = self.denies_warnings && problem.severity == Severity::Warning;
        let named = self.rules.get(problem.rule.id).copied();
        named.or(is_denied.then_some(Level::Deny))
    }

    /// Applies the levels to the problems and notes of a file and returns the number of allowed
    /// problems.
    ///
    /// - Denied problems and notes become errors.
    /// - Allowed problems and notes are removed, and their consequences become problems of their
    ///   own.
    /// - A consequence that is denied by name becomes a problem of its own unless its cause is an
    ///   error.
    pub(super) fn apply(&self, problems: &mut Vec<Problem>, notes: &mut Vec<Problem>) -> usize {
        if *self == Self::default() {
            return 0;
        }
        let mut allowed = 0;
        let of_file = std::mem::take(problems);
        for mut problem in of_file {
            let mut consequences = std::mem::take(&mut problem.consequences);
            let count = consequences.len();
            let is_error =
                problem.rule.severity == Severity::Error || self.of(&problem) == Some(Level::Deny);
            consequences.retain_mut(|consequence| {
                let level = self.of(consequence);
                if level == Some(Level::Deny) {
                    consequence.severity = Severity::Error;
                }
                let named = self.rules.get(consequence.rule.id);
                if named == Some(&Level::Deny) && !is_error {
                    problems.push(consequence.clone());
                    return false;
                }
                level != Some(Level::Allow)
            });
            // Its severity may have come from a removed consequence.
            if consequences.len() < count {
                problem.severity = problem.rule.severity;
            }
            match self.of(&problem) {
                Some(Level::Allow) => {
                    allowed += problem.count;
                    problems.append(&mut consequences);
                    continue;
                }
                Some(Level::Deny) => problem.severity = Severity::Error,
                None => {}
            }
            for consequence in consequences {
                problem.add_consequence(consequence);
            }
            problems.push(problem);
        }
        problems.sort_by_key(|problem| problem.place);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::check::settings;
    use mapscope_formats::{Place, Rule, Subject};

    fn rule(id: &str) -> &'static Rule {
        mapscope_scene::rules().find(|rule| rule.id == id).unwrap()
    }

    fn problem(id: &str) -> Problem {
        Problem::new(rule(id), Subject::File, Place::line(1), "it is wrong")
    }

    /// Parses levels from a text without faults.
    fn levels(text: &str) -> Levels {
        let (settings, faults) = settings::parse(text);
        assert_eq!(faults, []);
        settings.levels
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
    fn what_follows_from_a_problem_is_denied_and_allowed_by_itself() {
        let cause = |line, consequences: &[&str]| {
            let mut cause = problem("texture/missing");
            cause.place = Place::line(line);
            for id in consequences {
                cause.add_consequence(problem(id));
            }
            cause
        };
        let problems = [
            cause(2, &["texture/name", "pfmap/tile-type"]),
            cause(3, &["texture/name"]),
        ];
        let applied = |text: &str| {
            let mut problems = problems.to_vec();
            let allowed = levels(text).apply(&mut problems, &mut Vec::new());
            let ids = problems.iter().map(|it| {
                let below = it.consequences.iter().map(|it| it.rule.id);
                (it.rule.id, it.severity, below.collect())
            });
            let ids: Vec<(&str, Severity, Vec<&str>)> = ids.collect();
            (allowed, ids)
        };
        let (error, warning) = (Severity::Error, Severity::Warning);
        let (missing, name, tile) = ("texture/missing", "texture/name", "pfmap/tile-type");
        assert_eq!(
            applied("allow = [\"pfmap/tile-type\"]"),
            (
                0,
                vec![
                    (missing, warning, vec![name]),
                    (missing, warning, vec![name])
                ]
            )
        );
        assert_eq!(
            applied("deny = [\"texture/name\"]"),
            (
                0,
                vec![
                    (name, error, vec![]),
                    (name, error, vec![]),
                    // It is as severe as its remaining consequence.
                    (missing, error, vec![tile]),
                    (missing, warning, vec![])
                ]
            )
        );
        // The consequence of a removed problem remains.
        assert_eq!(
            applied("allow = [\"texture/missing\"]"),
            (
                2,
                vec![
                    (name, warning, vec![]),
                    (tile, error, vec![]),
                    (name, warning, vec![])
                ]
            )
        );
    }
}
