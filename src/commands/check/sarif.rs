//! The report in SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Unchecked;
use super::paths::RelativePath;
use mapscope_formats::{Place, Problem};

/// The schema that a log declares (section 3.13.3).
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Base id of relative paths, in the name that GitHub uses (section 3.14.14).
const ROOT: &str = "%SRCROOT%";

/// A log in progress. Results are written as they arrive and are not kept in memory.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Ids of all rules; results also contain a rule's index in this list.
    rules: Vec<&'static str>,
    has_results: bool,
    /// Files that could not be checked.
    notifications: Vec<Value>,
}

impl Log {
    /// Writes the start of the log and of its only run.
    pub(super) fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.rules = mapscope_scene::rules().map(|rule| rule.id).collect();
        let rules = mapscope_scene::rules().map(|rule| {
            json!({
                "id": rule.id,
                "shortDescription": { "text": rule.summary },
                "defaultConfiguration": { "level": rule.severity.to_string() },
            })
        });
        let tool = json!({
            "driver": {
                "name": "Mapscope",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            },
        });
        write!(
            out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\
             \"columnKind\":\"unicodeCodePoints\",\"tool\":{tool},\"results\":["
        )
    }

    /// Writes the findings of a file.
    pub(super) fn results<'a>(
        &mut self,
        out: &mut impl Write,
        path: &Path,
        problems: impl Iterator<Item = &'a Problem>,
    ) -> io::Result<()> {
        let file = artifact(path);
        for problem in problems {
            let separator = if self.has_results { ",\n" } else { "\n" };
            self.has_results = true;
            let rule = self.rules.iter().position(|id| *id == problem.rule.id);
            let mut result = json!({
                "ruleId": problem.rule.id,
                "ruleIndex": rule,
                "level": problem.severity.to_string(),
                "message": { "text": problem.message_with_count() },
                "locations": [location(&file, Some(problem.place))],
            });
            if !problem.consequences.is_empty() {
                let related = problem.consequences.iter().map(|consequence| {
                    let mut location = location(&file, Some(consequence.place));
                    location["message"] = json!({ "text": consequence.message });
                    location
                });
                result["relatedLocations"] = related.collect();
            }
            write!(out, "{separator}{result}")?;
        }
        Ok(())
    }

    /// Records a file that could not be checked; the end of the log lists them.
    pub(super) fn unchecked(&mut self, unchecked: &Unchecked) {
        let file = artifact(&unchecked.path);
        self.notifications.push(json!({
            "level": "error",
            "message": { "text": unchecked.message },
            "locations": [location(&file, unchecked.place)],
        }));
    }

    /// Writes the end of the log of a check with this exit status.
    pub(super) fn end(&mut self, out: &mut impl Write, status: u8) -> io::Result<()> {
        let invocation = json!({
            "executionSuccessful": self.notifications.is_empty(),
            "exitCode": status,
            "toolExecutionNotifications": std::mem::take(&mut self.notifications),
        });
        writeln!(out, "\n],\"invocations\":[{invocation}]}}]}}")
    }
}

/// A file as a location refers to it.
fn artifact(path: &Path) -> Value {
    let path = RelativePath::new(path);
    if path.is_relative() {
        json!({ "uri": path.uri(), "uriBaseId": ROOT })
    } else {
        json!({ "uri": path.uri() })
    }
}

/// A location in a file. Readers of logs expect a line even for a binary file, so it gets the first
/// one in addition to the offset (section 3.30.4 allows them to be independent).
fn location(file: &Value, place: Option<Place>) -> Value {
    let region = match place {
        None => return json!({ "physicalLocation": { "artifactLocation": file } }),
        Some(Place::Text { line, column }) => json!({ "startLine": line, "startColumn": column }),
        Some(Place::Offset(offset)) => {
            json!({ "startLine": 1, "startColumn": 1, "byteOffset": offset, "byteLength": 0 })
        }
    };
    json!({ "physicalLocation": { "artifactLocation": file, "region": region } })
}
