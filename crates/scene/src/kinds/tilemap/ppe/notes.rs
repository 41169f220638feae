//! Problems of a container and the files that it names, reported for the opened file.

use super::files::quoted_name;
use crate::core::rules;
use mapscope_formats::{Place, Problem, Problems, Rule, Subject};

/// Collected problems. Problems of a container beside opened map data mention the container and the
/// line in it, since they have no place in the map data.
#[derive(Debug, Default)]
pub(super) struct Notes {
    problems: Problems,
    /// The container, if it is not the opened file.
    container: Option<String>,
}

impl Notes {
    pub(super) fn new(container: Option<String>) -> Self {
        Self {
            container,
            ..Self::default()
        }
    }

    /// Sets the layer for the following problems, by its index in the opened file.
    pub(super) fn enter(&mut self, layer: usize) {
        self.problems.subject = Subject::Layer(layer as u32);
    }

    /// Adds a problem of the current layer.
    pub(super) fn add(&mut self, rule: &'static Rule, place: impl Into<Place>, message: String) {
        self.add_about(rule, self.problems.subject, place, message);
    }

    /// Adds a problem of the tiles or the palettes.
    pub(super) fn add_tile_problem(
        &mut self,
        rule: &'static Rule,
        place: impl Into<Place>,
        message: String,
    ) {
        self.add_about(rule, Subject::Tileset, place, message);
    }

    fn add_about(
        &mut self,
        rule: &'static Rule,
        subject: Subject,
        place: impl Into<Place>,
        message: String,
    ) {
        // A fault of a file is a single problem, however often the file is named.
        let is_of_file = [&rules::MISSING_FILE, &rules::UNREADABLE_FILE].contains(&rule);
        let of_file = is_of_file.then(|| message.clone());
        let (place, message) = match (place.into(), &self.container) {
            (Place::Text { line, .. }, Some(name)) => (
                Place::Offset(0),
                format!("{}, line {line}: {message}", quoted_name(name)),
            ),
            (place, _) => (place, message),
        };
        match of_file {
            Some(file) => {
                let message = || message;
                self.problems
                    .add_grouped(file, rule, subject, place, message);
            }
            None => self.problems.add_about(rule, subject, place, || message),
        }
    }

    pub(super) fn finish(self) -> Vec<Problem> {
        self.problems.finish()
    }
}
