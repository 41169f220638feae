//! The report in SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Unchecked;
use super::paths::RelativePath;
use mapscope_formats::{Place, Problem};

/// The schema that a log names (section 3.13.3).
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Stands for the folder from which relative paths go, as GitHub names it (section 3.14.14).
const ROOT: &str = "%SRCROOT%";

/// A log under way: results go out as they come, so that none of them is held.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Ids of all rules, by which results name them with their index too.
    rules: Vec<&'static str>,
    has_results: bool,
    /// What could not be checked.
    notifications: Vec<Value>,
}

impl Log {
    /// Begins the log and its only run.
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

    /// Writes what was found in a file.
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

    /// Notes a file that could not be checked: the log lists them at its end.
    pub(super) fn unchecked(&mut self, unchecked: &Unchecked) {
        let file = artifact(&unchecked.path);
        self.notifications.push(json!({
            "level": "error",
            "message": { "text": unchecked.message },
            "locations": [location(&file, unchecked.place)],
        }));
    }

    /// Ends the log of a check with this exit status.
    pub(super) fn end(&mut self, out: &mut impl Write, status: u8) -> io::Result<()> {
        let invocation = json!({
            "executionSuccessful": self.notifications.is_empty(),
            "exitCode": status,
            "toolExecutionNotifications": std::mem::take(&mut self.notifications),
        });
        writeln!(out, "\n],\"invocations\":[{invocation}]}}]}}")
    }
}

/// A file, as locations name it.
fn artifact(path: &Path) -> Value {
    let path = RelativePath::new(path);
    if path.is_relative() {
        json!({ "uri": path.uri(), "uriBaseId": ROOT })
    } else {
        json!({ "uri": path.uri() })
    }
}

/// A place in a file. Readers of logs look for a line also of a binary file, which has none: it is the
/// first, and beside it stands the offset (section 3.30.4 has both independent of each other).
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
