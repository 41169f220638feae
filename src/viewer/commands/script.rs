//! Commands as a script: ids of the table with their arguments, separated by semicolons.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::{Command, all, find};
use crate::view_request::ViewRequest;
use crate::viewer::state::interface::{PathPurpose, PathSource};
use crate::viewer::state::load::{Cause, LoadRequest, Loaded, Outcome, Target};
use crate::viewer::state::settings::Settings;
use crate::viewer::state::{Effect, State};
use mapscope_scene::camera::Camera;
use mapscope_scene::{Document, MapChoice, Shown};

/// The argument of a command.
#[derive(Clone, Copy)]
enum Argument {
    /// A path. A script has confirmed what is replaced, as with the system's dialog.
    Path(PathPurpose),
    /// A text.
    Text(fn(&mut State, &str) -> Result<(), String>),
}

/// The commands that take an argument.
static ARGUMENTS: [(&str, Argument); 10] = [
    ("open-path", Argument::Path(PathPurpose::Open)),
    ("compare", Argument::Path(PathPurpose::Compare)),
    ("animation.attach", Argument::Path(PathPurpose::Attach)),
    ("save-picture", Argument::Path(PathPurpose::SavePicture)),
    ("save-animation", Argument::Path(PathPurpose::SaveAnimation)),
    ("save-map", Argument::Path(PathPurpose::SaveMap)),
    ("export", Argument::Path(PathPurpose::Export)),
    (
        "add-texture-folder",
        Argument::Path(PathPurpose::TextureFolder),
    ),
    ("select.go-to", Argument::Text(State::go_to_text)),
    (
        "find",
        Argument::Text(|state, query| {
            state.find(query.to_owned());
            Ok(())
        }),
    ),
];

/// The commands of a script that have not run yet.
#[derive(Debug, Clone, Default)]
pub struct Script {
    steps: VecDeque<Step>,
    /// `true` once a command has run.
    has_begun: bool,
}

/// A command of a script.
#[derive(Debug, Clone)]
struct Step {
    /// Its number in the script, from 1.
    number: usize,
    command: &'static Command,
    argument: Option<String>,
}

/// A command of a script that cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{why}", position(*number, id))]
pub struct ScriptError {
    /// Its number in the script, from 1.
    pub number: usize,
    /// The id as written.
    pub id: String,
    /// The reason, for the user.
    pub why: String,
}

/// Names a command of a script. A place of the command line precedes the script.
fn position(number: usize, id: &str) -> String {
    match number {
        0 => String::new(),
        number => format!("command {number}, `{id}`: "),
    }
}

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        let parts = split(text);
        let parts = parts.iter().map(|part| part.trim()).zip(1..);
        let steps = parts.filter(|(part, _)| !part.is_empty());
        let steps = steps.map(|(part, number)| Step::parse(part, number));
        Ok(Self {
            steps: steps.collect::<Result<_, _>>()?,
            has_begun: false,
        })
    }
}

/// Splits a text at semicolons, except in quotation marks.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_quoted = false;
    for c in text.chars() {
        is_quoted ^= c == '"';
        match parts.last_mut() {
            Some(part) if c != ';' || is_quoted => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts
}

impl Step {
    fn parse(text: &str, number: usize) -> Result<Self, ScriptError> {
        let (id, argument) = match text.split_once(char::is_whitespace) {
            Some((id, argument)) => (id, Some(argument.trim())),
            None => (text, None),
        };
        let refuse = |why: String| ScriptError {
            number,
            id: id.to_owned(),
            why,
        };
        let command = find(id).ok_or_else(|| refuse(unknown(id)))?;
        if argument.is_some() && kind_of_argument(id).is_none() {
            return Err(refuse("this command takes no argument".to_owned()));
        }
        let unquoted = |text: &str| {
            let inside = text
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            // Quotation marks within are those of a query.
            let whole = inside.filter(|text| !text.contains('"'));
            whole.unwrap_or(text).to_owned()
        };
        Ok(Self {
            number,
            command,
            argument: argument.map(unquoted),
        })
    }

    fn run(&self, state: &mut State) -> Result<(), ScriptError> {
        let refuse = |why: &str| ScriptError {
            number: self.number,
            id: self.command.id.to_owned(),
            why: why.to_owned(),
        };
        let action = self.command.action;
        if !state.is_enabled(action) {
            let why = state.why_disabled(action);
            let why = why.as_deref().unwrap_or("it has no effect now");
            return Err(refuse(why));
        }
        let Some(argument) = &self.argument else {
            state.run(action);
            return Ok(());
        };
        match kind_of_argument(self.command.id) {
            Some(Argument::Path(purpose)) => {
                state.path_chosen(purpose, Path::new(argument), PathSource::SystemDialog);
                Ok(())
            }
            Some(Argument::Text(run)) => run(state, argument).map_err(|why| refuse(&why)),
            None => Ok(()),
        }
    }
}

fn kind_of_argument(id: &str) -> Option<Argument> {
    let row = ARGUMENTS.iter().find(|(of, _)| *of == id);
    row.map(|(_, argument)| *argument)
}

/// The reason for an unknown id: the ids of the same group, or the groups.
fn unknown(id: &str) -> String {
    let group = id.split('.').next().unwrap_or_default();
    let alike = all().iter().map(|command| command.id);
    let alike = alike
        .filter(|known| !group.is_empty() && known.split(['.', '-']).any(|part| part == group));
    let alike: Vec<&str> = alike.collect();
    if alike.is_empty() {
        return "there is no such command; docs/keys.md lists all".to_owned();
    }
    format!("there is no such command; there are {}", alike.join(", "))
}

impl Script {
    /// Runs the next command.
    ///
    /// # Errors
    /// If it has no effect now.
    pub(crate) fn step(&mut self, state: &mut State) -> Result<(), ScriptError> {
        let Some(step) = self.steps.pop_front() else {
            return Ok(());
        };
        self.has_begun = true;
        step.run(state)
    }

    /// Puts a command in front that goes to a place.
    pub(crate) fn go_to_first(&mut self, place: String) {
        if let Some(command) = find("select.go-to") {
            self.steps.push_front(Step {
                number: 0,
                command,
                argument: Some(place),
            });
        }
    }

    /// Drops the rest of the script. Returns `true` if that would have quit.
    pub(crate) fn end(&mut self) -> bool {
        let quits = self.steps.iter().any(|step| step.command.id == "quit");
        self.steps.clear();
        quits
    }

    /// `true` once a command has run.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// `true` if all commands have run.
    pub(crate) fn is_done(&self) -> bool {
        self.steps.is_empty()
    }
}

/// Returns the camera and the visible parts of a document after a script, in a view of this aspect
/// ratio.
///
/// # Errors
/// If a command is unknown, has no effect, or needs a window, in a sentence for the user.
pub fn view_after(
    script: &str,
    document: &Arc<dyn Document>,
    request: &ViewRequest,
    aspect: f32,
) -> Result<(Camera, Shown), String> {
    let mut script: Script = script
        .parse()
        .map_err(|error: ScriptError| error.to_string())?;
    let mut state = State::new(Settings::default(), request.clone());
    let path = PathBuf::from("file");
    state.loaded(Outcome {
        request: LoadRequest {
            target: Target::Paths(vec![path.clone()]),
            cause: Cause::Opened,
            map: MapChoice::Beside,
        },
        loaded: Some(Loaded::new(path, Arc::clone(document))),
        failures: Vec::new(),
        number: 1,
    });
    state.session.shape_view(aspect);
    state.effects.clear();
    while let Some(Step {
        number, command, ..
    }) = script.steps.front()
    {
        let (number, id) = (*number, command.id);
        script.step(&mut state).map_err(|error| error.to_string())?;
        let needs_window = |effect: &Effect| !matches!(effect, Effect::Watch);
        if state.effects.iter().any(needs_window) || state.interface.dialog.is_some() {
            return Err(format!("command {number}, `{id}`: it needs a window"));
        }
    }
    Ok((
        state.session.view.camera,
        Shown::clone(&state.session.view.shown),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::testing::{document, loaded, model};
    use mapscope_scene::camera::NamedView;
    use mapscope_scene::{OverlayId, TerrainItem};

    fn error(text: &str) -> (usize, String) {
        let error = text.parse::<Script>().unwrap_err();
        (error.number, error.id)
    }

    #[test]
    fn faults_name_the_command_and_its_number() {
        assert_eq!(
            error("camera.top; camera.topp"),
            (2, "camera.topp".to_owned())
        );
        assert_eq!(error("; ;xyzzy a"), (3, "xyzzy".to_owned()));
        assert_eq!(error("camera.top a.png"), (1, "camera.top".to_owned()));
        let mut state = State::new(Settings::default(), ViewRequest::default());
        let mut script: Script = "camera.top; quit".parse().unwrap();
        let error = script.step(&mut state).unwrap_err();
        assert_eq!((error.number, &*error.id), (1, "camera.top"));
        assert!(script.end() && script.is_done());
    }

    #[test]
    fn every_command_with_an_argument_is_in_the_table() {
        for (id, _) in ARGUMENTS {
            assert!(find(id).is_some(), "{id}");
        }
    }

    #[test]
    fn arguments_reach_their_commands() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(document(), false));
        let text = "select.go-to 30 50; find type = \"a;b\"; save-picture \"a b;c.png\"";
        let mut script: Script = text.parse().unwrap();
        state.effects.clear();
        while !script.is_done() {
            script.step(&mut state).unwrap();
        }
        let tile = TerrainItem::Tile { row: 30, col: 50 };
        assert_eq!(state.session.view.shown.selected, Some(tile.into()));
        assert_eq!(state.session.tools.finding.query, "type = \"a;b\"");
        let saved = Effect::SavePicture("a b;c.png".into());
        assert!(state.effects.contains(&saved), "{:?}", state.effects);
    }

    #[test]
    fn a_picture_without_a_window_has_the_view_of_the_script() {
        let request = ViewRequest::default();
        let view = |script: &str, document: &Arc<dyn Document>| {
            view_after(script, document, &request, 1.5)
        };
        let map = document();
        let (camera, shown) = view("camera.top; overlay.wireframe", &map).unwrap();
        let top = NamedView::Top.direction(camera.handedness, camera.projection);
        assert!(camera.forward().dot(top) > 0.999);
        assert!(shown.overlays.contains(OverlayId::Wireframe));
        for script in [
            "save-picture a.png",
            "animation.play",
            "palette",
            "camera.topp",
        ] {
            let why = view(script, &map).unwrap_err();
            assert!(why.starts_with("command 1, `"), "{why}");
        }
        let (_, shown) = view("animation.next-frame", &model()).unwrap();
        assert_eq!(shown.playhead.frame, 1.0);
    }
}
