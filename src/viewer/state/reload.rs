//! Reloads the open file.
//!
//! A slow writer produces truncated intermediate versions. If a new version is worse than the
//! visible one, the visible one stays and a banner offers the new one ([`OnDisk`]). Selections and
//! clips that disappear in a reload are kept in [`LostSelection`] and restored if a later version
//! contains them again.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::time::SystemTime;

use super::load::{Cause, Failure, Loaded, Outcome, UNREADABLE};
use super::notices::Subject;
use super::player::Player;
use super::session::Session;
use crate::viewer::format::capitalized;
use crate::viewer::state::{OpenFile, State};
use mapscope_formats::{Problem, Severity, Tally};
use mapscope_scene::{Document, Item, is_damaged_file, is_missing_file};

/// State of the open file on disk, while a better, earlier version is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnDisk {
    /// The name of the file.
    pub name: String,
    /// Error message if it cannot be read.
    pub unreadable: Option<String>,
    /// Its problems.
    pub problems: Vec<Problem>,
    /// The worst problem that the visible version does not have. If it has all of them, the worst
    /// problem.
    pub new: Option<Problem>,
    /// Local time at which the visible version was read, such as `12:31:07`.
    pub read_at: String,
    /// Number of versions rejected in a row, a cache key for the problems.
    pub number: u64,
}

impl OnDisk {
    /// Summarises the state of the file on disk in one line.
    pub fn headline(&self) -> String {
        match self.unreadable {
            Some(_) => format!("{} on disk cannot be read", self.name),
            None => format!("{} on disk has {}", self.name, Tally::of(&self.problems)),
        }
    }

    /// The main reason for the rejection: the worst new problem, or else the read error.
    pub fn reason(&self) -> Option<String> {
        let new = self.new.as_ref();
        let first = new.map(|first| format!("{}: {}", first.place, first.message));
        // The headline already states that the file cannot be read.
        let reason = self
            .unreadable
            .as_deref()
            .map(|it| capitalized(it.strip_prefix(UNREADABLE).unwrap_or(it)));
        first.or(reason)
    }

    /// Describes the visible version.
    pub fn in_view(&self) -> String {
        format!("In view: the version read at {}", self.read_at)
    }

    /// Label and tooltip of the button that reads the file again and shows it even with problems.
    pub fn button(&self) -> [&'static str; 2] {
        match self.unreadable {
            Some(_) => ["Read again", "Read the file again"],
            None => ["Show it anyway", "Show the file as it is on disk"],
        }
    }
}

/// State to restore once a later version contains it again.
#[derive(Debug, Clone)]
pub(crate) struct LostSelection {
    /// The name of the clip and the state of its player, if a clip was chosen.
    clip: Option<(String, Player)>,
    /// `true` if the previous version had no clips, so that the user cannot have stopped playback.
    had_no_clips: bool,
    /// The selection, if any.
    selected: Option<Item>,
    /// The state that replaced it. If the user has changed that state, nothing is restored.
    current: Selection,
}

/// The part of the state that the user chooses and a reload can lose.
#[derive(Debug, Clone, PartialEq)]
struct Selection {
    clip: Option<usize>,
    /// The frame; `None` while it plays.
    frame: Option<u32>,
    selected: Option<Item>,
}

/// Returns an error message without digits and quoted text. A fault keeps its key if it moves to
/// another line.
fn fault_key(message: &str) -> String {
    let around_quotes = message.split('`').step_by(2);
    around_quotes
        .flat_map(str::chars)
        .filter(|c| !c.is_ascii_digit())
        .collect()
}

/// The problems of a document and of the other files that it uses.
fn all_problems(document: &dyn Document) -> Vec<Problem> {
    let mut problems = document.about().problems.clone();
    let others = document.other_files();
    problems.extend(others.into_iter().flat_map(|other| other.problems));
    problems
}

/// `true` if a new version is worse than the visible one. Errors in other files that it uses and
/// damaged images count, but missing files do not. A worse version has such faults, and one of
/// these holds:
/// - It has at least as many different errors, and some are new.
/// - It has fewer clips, layers or levels.
fn is_worse(new: &dyn Document, in_view: &dyn Document) -> bool {
    let faults = |document: &dyn Document| -> HashSet<String> {
        // A missing file is not a fault of this version.
        let is_fault = |problem: &&Problem| {
            is_damaged_file(problem.rule)
                || problem.severity == Severity::Error && !is_missing_file(problem.rule)
        };
        let problems = all_problems(document);
        let problems = problems.iter().flat_map(Problem::with_consequences);
        problems
            .filter(is_fault)
            .map(|problem| fault_key(&problem.message))
            .collect()
    };
    let faults_of_new = faults(new);
    if faults_of_new.is_empty() {
        return false;
    }
    let parts = |document: &dyn Document| {
        let (animation, layers) = (document.animation(), document.layers());
        [
            animation.map_or(0, |animation| animation.clips().len()),
            layers.map_or(0, |layers| layers.layers().len()),
            document.levels().map_or(0, |levels| levels.levels().len()),
        ]
    };
    let has_fewer_parts = parts(new)
        .into_iter()
        .zip(parts(in_view))
        .any(|(now, before)| now < before);
    let known = faults(in_view);
    has_fewer_parts || (faults_of_new.len() >= known.len() && !faults_of_new.is_subset(&known))
}

/// The first of the worst new problems, if any.
fn worst_new<'p>(before: &'p [Problem], now: &'p [Problem]) -> Option<&'p Problem> {
    let same = |problem: &Problem| (problem.rule.id, problem.message.clone());
    let alike = |problem: &Problem| (problem.rule.id, fault_key(&problem.message));
    let new = without(now.iter(), before.iter(), same);
    let gone = without(before.iter(), now.iter(), same);
    // The others may have moved to another line.
    let new = without(new.into_iter(), gone.into_iter(), alike);
    new.into_iter().reduce(|worst, problem| {
        if problem.severity > worst.severity {
            problem
        } else {
            worst
        }
    })
}

/// Returns the problems without as many of each key as others have.
fn without<'p, K: Eq + Hash>(
    problems: impl Iterator<Item = &'p Problem>,
    others: impl Iterator<Item = &'p Problem>,
    key: impl Fn(&Problem) -> K,
) -> Vec<&'p Problem> {
    let mut known = HashMap::<K, usize>::new();
    for problem in others {
        *known.entry(key(problem)).or_default() += 1;
    }
    let is_new = |problem: &&Problem| match known.get_mut(&key(problem)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    problems.filter(is_new).collect()
}

/// Local time of day, such as `12:31:07`.
pub(crate) fn clock(moment: SystemTime) -> String {
    let local = chrono::DateTime::<chrono::Local>::from(moment);
    local.format("%H:%M:%S").to_string()
}

impl Session {
    /// Keeps the visible version, and describes a worse one in a banner.
    pub(crate) fn keep_better_version(&mut self, worse: &dyn Document) {
        self.keep_version(None, all_problems(worse));
    }

    /// `true` if a reloaded version is worse than the visible one. The visible one then stays.
    pub(crate) fn should_keep_version(&self, loaded: &Loaded) -> bool {
        self.open.as_ref().is_some_and(|open| {
            open.path == loaded.path && is_worse(&*loaded.document, &*open.document)
        })
    }

    /// `true` if an outcome is the version of a save that may not be finished.
    pub(crate) fn is_unfinished(&self, outcome: &Outcome) -> bool {
        let is_worse = match &outcome.loaded {
            Some(loaded) => self.should_keep_version(loaded),
            None => !outcome.failures.is_empty(),
        };
        outcome.request.cause == Cause::Saved && is_worse
    }

    /// `true` if a banner shows that the file on disk is not the visible one.
    pub(crate) fn shows_disk_banner(&self) -> bool {
        self.on_disk.is_some() && !self.on_disk_dismissed
    }

    /// Keeps the visible version, and describes the rejected one in a banner.
    pub(crate) fn keep_version(&mut self, unreadable: Option<String>, problems: Vec<Problem>) {
        let Some(open) = &self.open else {
            return;
        };
        let before = all_problems(&*open.document);
        let new = worst_new(&before, &problems);
        // A version can be worse without new problems, if it has less content.
        let new = new.or_else(|| worst_new(&[], &problems)).cloned();
        self.on_disk = Some(OnDisk {
            name: open.name(),
            unreadable,
            new,
            problems,
            read_at: clock(open.read_at),
            number: self.on_disk.as_ref().map_or(0, |before| before.number) + 1,
        });
        self.on_disk_dismissed = false;
    }

    /// Keeps the visible version if the file on disk cannot be read.
    pub(crate) fn keep_version_of_unreadable(&mut self, failure: Failure) {
        let problems = failure.problem.into_iter().collect();
        self.keep_version(Some(failure.message), problems);
    }

    /// Captures the current state. Returns the previously captured one instead if the user has
    /// changed nothing since.
    pub(crate) fn capture_selection(&mut self, before: &OpenFile) -> LostSelection {
        let current = self.current_selection();
        if let Some(lost) = self
            .lost_selection
            .take()
            .filter(|lost| lost.current == current)
        {
            return lost;
        }
        // The clips of a transition may change.
        self.player.set_transition(None);
        let clip = self.player.clip();
        let animation = before.document.animation();
        let clip = clip.and_then(|clip| animation?.clips().get(clip));
        LostSelection {
            had_no_clips: animation.is_none(),
            clip: clip.map(|clip| (clip.name.clone(), self.player.clone())),
            selected: self.view.shown.selected,
            current,
        }
    }

    fn current_selection(&self) -> Selection {
        let player = &self.player;
        Selection {
            clip: player.clip(),
            frame: (!player.is_playing()).then(|| player.whole_frame()),
            selected: self.view.shown.selected,
        }
    }

    /// Restores a captured state in the reloaded document. If the document lacks parts of it, the
    /// captured state is kept for a later version.
    pub(crate) fn restore_selection(&mut self, lost: LostSelection) {
        let Some(document) = self.document().cloned() else {
            return;
        };
        let clip_by_name = |name: &str| {
            let clips = document.animation()?.clips();
            let index = clips.iter().position(|clip| clip.name == name)?;
            self.clip_of_length(index)
        };
        let clip = lost.clip.as_ref();
        let found = clip.and_then(|(name, _)| clip_by_name(name));
        let has_whole_clip = clip.is_none_or(|(_, player)| {
            let frames = found.map_or(0, |(_, frames)| frames);
            frames > 0 && frames >= player.frames()
        });
        match (clip, found) {
            (Some((_, player)), Some((index, frames))) => {
                self.player = player.clone();
                self.player.replace(index, frames);
            }
            // The clip no longer exists.
            (Some(_), None) => self.player.choose(self.clip_of_length(0)),
            (None, _) if lost.had_no_clips => {
                self.player.choose(self.clip_of_length(0));
                self.player.set_playing(self.plays_at_once);
            }
            (None, _) => self.player.choose(None),
        }
        self.take_rates();
        self.show_moment();
        let is_there = |item: &Item| document.has(*item);
        let selected = lost.selected.filter(is_there);
        self.view.shown.selected = selected;
        self.view.shown.also_selected.retain(is_there);
        let is_complete = has_whole_clip && selected.is_some() == lost.selected.is_some();
        let current = self.current_selection();
        self.lost_selection = (!is_complete).then_some(LostSelection { current, ..lost });
    }
}

impl State {
    /// Reports a reload and its worst new problem.
    pub(crate) fn report_reload(&mut self, before: &dyn Document) {
        let Some(document) = self.session.document() else {
            return;
        };
        let problems = &document.about().problems;
        let new = worst_new(&before.about().problems, problems);
        let (text, severity) = match new {
            Some(Problem {
                place,
                message,
                severity,
                ..
            }) => {
                let now = Tally::of(problems);
                let text = format!("Reloaded with {now}: {place}: {message}");
                (text, Some(*severity))
            }
            None => ("Reloaded".to_owned(), None),
        };
        self.notices.toast_about(Subject::Load, text, severity);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::super::load::{Cause, LoadRequest, Outcome, Target};
    use super::super::settings::Settings;
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::Action;
    use crate::viewer::testing;
    use crate::viewer::testing::maps::map_of;
    use mapscope_formats::{Place, Subject};
    use mapscope_scene::demo::{self, Demo};
    use mapscope_scene::{
        MapChoice, ModelItem, OpenOptions, Progress, Source, TerrainItem, TileMapItem,
    };
    use mapscope_testdata::tiny_scene::{SCENE, write_game};

    fn state() -> State {
        State::new(Settings::default(), ViewRequest::default())
    }

    /// Opens a demo, truncated to a fraction of its length.
    fn read(demo: &Demo, part: f64) -> Result<Arc<dyn Document>, String> {
        let mut source = demo.source();
        let length = (source.bytes.len() as f64 * part) as usize;
        source.bytes.truncate(length);
        mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
            .map_err(|error| error.to_string())
    }

    /// The outcome of a load for the given cause.
    fn outcome(read: Result<Arc<dyn Document>, String>, cause: Cause) -> Outcome {
        let path = std::path::PathBuf::from("made.pfobj");
        let (loaded, failures) = match read {
            Ok(document) => {
                let outcome = testing::loaded(document, cause.is_reload());
                (outcome.loaded, Vec::new())
            }
            Err(message) => (None, vec![Failure::new(&path, &message)]),
        };
        Outcome {
            request: LoadRequest {
                map: MapChoice::Beside,
                target: Target::Paths(vec![path]),
                cause,
            },
            loaded,
            failures,
            number: 1,
        }
    }

    #[test]
    fn a_file_that_ends_early_is_worse_than_the_whole_one_in_every_format() {
        for demo in [
            &demo::TERRAIN,
            &demo::DRAKELING,
            &demo::BATHHOUSE,
            &demo::VILLAGE,
            &demo::STATION,
        ] {
            let whole = read(demo, 1.0).unwrap();
            assert!(!is_worse(&*whole, &*whole), "{}", demo.id);
            for part in [0.03, 0.2, 0.41, 0.5, 0.66, 0.83, 0.97] {
                if let Ok(half) = read(demo, part) {
                    assert!(is_worse(&*half, &*whole), "{} up to {part}", demo.id);
                    assert!(!is_worse(&*whole, &*half), "{} up to {part}", demo.id);
                }
            }
        }
    }

    #[test]
    fn a_version_with_fewer_but_different_errors_is_not_worse() {
        let folder = tempfile::tempdir().unwrap();
        let open = |text: &str| opened_text(folder.path(), text).unwrap();
        let mended = SCENE.replacen("selection_radius float", "selection_radius flaot", 1);
        assert_ne!(mended, SCENE);
        let cut = open(&SCENE[..SCENE.len() / 3]);
        let mended = open(&mended);
        assert!(is_worse(&*cut, &*mended) && !is_worse(&*mended, &*cut));
    }

    #[test]
    fn the_same_fault_on_another_line_is_not_new() {
        let message = |line: u32| format!("the tile names material {line} of 7; `a{line}b`");
        let rule = mapscope_formats::rules().find(|rule| rule.severity == Severity::Error);
        let problem = |line: u32, message: String| {
            Problem::new(
                rule.unwrap(),
                Subject::File,
                Place::line(line.into()),
                message,
            )
        };
        let before = [problem(3, message(3))];
        let ends = problem(99, "the file ends here".to_owned());
        let now = [problem(41, message(41)), ends];
        assert_eq!(worst_new(&before, &now), Some(&now[1]));
        assert_eq!(worst_new(&before, &now[..1]), None);
        assert_eq!(fault_key(&message(3)), fault_key(&message(41)));
        assert_ne!(fault_key(&message(3)), fault_key("the file ends here"));
    }

    /// A scene in a folder whose entities use the given models.
    fn scene_of(folder: &Path, models: &[&str]) -> Result<Arc<dyn Document>, String> {
        let entities = models.iter().map(|model| {
            format!(
                "entity a {model} 3\nposition vec3 0 0 0\nanimated bool 1\nidle_clip string Idle\n"
            )
        });
        let entities: String = entities.collect();
        let count = models.len();
        let text = format!(
            "version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities {count}\n{entities}"
        );
        opened_text(folder, &text)
    }

    fn opened_text(folder: &Path, text: &str) -> Result<Arc<dyn Document>, String> {
        let source = Source {
            path: folder.join("made.pfscene"),
            bytes: text.as_bytes().to_vec().into(),
            embedded: &[],
            archive: None,
        };
        mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_half_written_texture_holds_back_a_reload_and_a_missing_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let scene = write_game(folder.path(), SCENE).unwrap();
        let open = || {
            let source = Source::read(&scene).unwrap();
            let options = OpenOptions::default();
            let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
            document.wait_until_complete();
            document
        };
        let whole = open();
        assert!(!is_worse(&*whole, &*whole));
        let of_map = whole.about().dependencies.iter();
        let of_map = of_map.filter(|path| path.starts_with(folder.path().join("assets")));
        let textures = of_map.filter(|path| path.to_string_lossy().contains("texture"));
        let models = folder.path().join("assets/models");
        let model_texture = models.join(&mapscope_testdata::tiny_model().materials[0].texture);
        for texture in textures.take(1).chain([&model_texture]) {
            let bytes = std::fs::read(texture).unwrap();
            std::fs::write(texture, &bytes[..bytes.len() / 2]).unwrap();
            let half = open();
            assert!(is_worse(&*half, &*whole), "{}", texture.display());
            let problems = all_problems(&*half);
            let new = worst_new(&all_problems(&*whole), &problems)
                .unwrap()
                .clone();
            let summaries = ["pfscene/broken-map", "pfscene/broken-model"];
            assert!(summaries.contains(&new.rule.id), "{new}");
            assert!(!is_worse(&*whole, &*half) && !is_worse(&*half, &*half));
            std::fs::remove_file(texture).unwrap();
            assert!(!is_worse(&*open(), &*whole), "{}", texture.display());
            std::fs::write(texture, bytes).unwrap();
        }
    }

    #[test]
    fn the_new_one_of_problems_that_are_alike_is_named() {
        let rule = mapscope_scene::rules().next().unwrap();
        let problem = |line: u64, model: &str| {
            let message = format!("entity {line} `{model}`: model not found");
            Problem::new(rule, Subject::File, Place::line(line), message)
        };
        let before = [problem(3, "goblin"), problem(9, "berzerker")];
        let now = [
            problem(3, "goblin"),
            problem(5, "tree"),
            problem(9, "berzerker"),
        ];
        assert_eq!(worst_new(&before, &now), Some(&now[1]));
        // A problem that has moved is not new.
        let moved = [problem(4, "goblin"), problem(10, "berzerker")];
        assert_eq!(worst_new(&before, &moved), None);
    }

    #[test]
    fn a_missing_model_does_not_hold_back_a_reload_and_plays_once_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let scene = |models: &[&str]| scene_of(folder.path(), models);
        let add_model = |name: &str| {
            let demo = demo::DRAKELING.source();
            std::fs::write(folder.path().join(name), demo.bytes).unwrap();
            for (texture, bytes) in demo.embedded {
                std::fs::write(folder.path().join(texture), bytes).unwrap();
            }
        };
        let mut state = state();
        state.loaded(outcome(scene(&["a.pfobj"]), Cause::Opened));
        let version = |state: &State| state.session.open.as_ref().unwrap().version;
        let before = version(&state);
        let last_message = |state: &State| state.notices.toasts.last().unwrap().text.clone();
        let both = ["a.pfobj", "b.pfobj"];
        state.loaded(outcome(scene(&both), Cause::Changed));
        assert!(version(&state) != before && state.session.on_disk.is_none());
        assert!(
            last_message(&state).starts_with("Reloaded with "),
            "{}",
            last_message(&state)
        );
        assert_eq!(state.session.player.clip(), None);
        add_model("a.pfobj");
        state.loaded(outcome(scene(&both), Cause::Changed));
        assert!(state.session.player.clip() == Some(0) && state.session.player.is_playing());
        // After the bind pose was chosen, no clip starts.
        state.session.choose_clip(None);
        add_model("b.pfobj");
        state.loaded(outcome(scene(&both), Cause::Changed));
        assert_eq!(state.session.player.clip(), None);
        assert_eq!(last_message(&state), "Reloaded", "there is no new problem");
        // Opening another file dismisses the messages about the previous one.
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Opened));
        assert!(
            state.notices.toasts.is_empty(),
            "{:?}",
            state.notices.toasts
        );
    }

    /// A state with a chosen frame and a selected joint of a model.
    fn state_with_selection() -> (State, Selection) {
        let mut state = state();
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Opened));
        state.session.choose_clip(Some(1));
        state.run(Action::Animation(crate::viewer::commands::Animation::Stop));
        state.session.change_player(|player| player.seek(5.0));
        state
            .session
            .select(Some(ModelItem::Joint { index: 3 }.into()));
        let current_selection = state.session.current_selection();
        assert!(current_selection.selected.is_some() && current_selection.frame == Some(5));
        (state, current_selection)
    }

    #[test]
    fn a_slow_save_loses_nothing() {
        let (mut state, current_selection) = state_with_selection();
        state.session.shape_view(1.5);
        let camera = state.session.view.camera;
        let version = state.session.open.as_ref().unwrap().version;
        for part in [0.0, 0.1, 0.4, 0.8] {
            state.loaded(outcome(read(&demo::DRAKELING, part), Cause::Changed));
            assert_eq!(
                state.session.current_selection(),
                current_selection,
                "{part}"
            );
            assert_eq!(
                state.session.open.as_ref().unwrap().version,
                version,
                "{part}"
            );
            let on_disk = state.session.on_disk.as_ref().unwrap();
            assert!(
                on_disk.unreadable.is_some() || !on_disk.problems.is_empty(),
                "{part}"
            );
            assert!(on_disk.headline().starts_with("made.pfobj"), "{part}");
        }
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Changed));
        state.session.shape_view(1.5);
        assert_ne!(state.session.open.as_ref().unwrap().version, version);
        assert_eq!(
            (state.session.current_selection(), state.session.view.camera),
            (current_selection, camera)
        );
        assert_eq!(state.session.on_disk, None);
        assert_eq!(state.notices.toasts.len(), 1, "{:?}", state.notices.toasts);
        assert_eq!(state.notices.toasts[0].text, "Reloaded");
    }

    #[test]
    fn a_worse_version_is_shown_on_request_and_the_lost_selection_returns() {
        let (mut state, current_selection) = state_with_selection();
        let half = || read(&demo::DRAKELING, 0.5);
        state.loaded(outcome(half(), Cause::Changed));
        assert!(state.session.shows_disk_banner());
        state.run(Action::Clear);
        assert!(!state.session.shows_disk_banner() && state.session.on_disk.is_some());
        state.loaded(outcome(half(), Cause::Asked));
        assert_eq!(state.session.on_disk, None);
        assert!(
            state.session.current_selection() != current_selection,
            "the truncated version has the whole selection"
        );
        let toast = &state.notices.toasts.last().unwrap();
        assert!(toast.text.starts_with("Reloaded with "), "{}", toast.text);
        assert_eq!(toast.severity, Some(Severity::Error));
        // Saving the visible version again is not worse.
        state.loaded(outcome(half(), Cause::Changed));
        assert_eq!(state.session.on_disk, None);
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Changed));
        assert_eq!(state.session.current_selection(), current_selection);
        assert!(state.session.lost_selection.is_none());
        // A new selection cancels the restoration.
        state.loaded(outcome(half(), Cause::Asked));
        let material = Some(ModelItem::Material { index: 0 }.into());
        state.session.select(material);
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Changed));
        assert_eq!(state.session.view.shown.selected, material);
        assert!(state.session.lost_selection.is_none());
    }

    #[test]
    fn a_selection_on_a_map_stays_in_its_row_and_column() {
        let open = |chunk_cols| {
            let source = Source {
                path: "made.pfmap".into(),
                bytes: mapscope_testdata::synthesize::pfmap(2, chunk_cols, 7).into(),
                embedded: &[],
                archive: None,
            };
            mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
        };
        let open = |chunk_cols| open(chunk_cols).map_err(|error| error.to_string());
        let mut state = state();
        state.loaded(outcome(open(4), Cause::Opened));
        let tile = Some(TerrainItem::Tile { row: 40, col: 44 }.into());
        state.session.select(tile);
        state.loaded(outcome(open(5), Cause::Changed));
        assert_eq!(state.session.view.shown.selected, tile);
        // A smaller map does not contain the tile. A larger one restores it.
        state.loaded(outcome(open(1), Cause::Changed));
        assert_eq!(state.session.view.shown.selected, None);
        state.loaded(outcome(open(3), Cause::Changed));
        assert_eq!(state.session.view.shown.selected, tile);
        let chunk = Some(TerrainItem::Chunk { row: 1, col: 2 }.into());
        state.session.select(chunk);
        state.loaded(outcome(open(4), Cause::Changed));
        assert_eq!(state.session.view.shown.selected, chunk);
    }

    #[test]
    fn a_cell_of_a_2d_map_stays_in_its_layer_row_and_column() {
        let [layer, x, y] = [1, 5, 3];
        let cell = Some(TileMapItem::Cell { layer, x, y }.into());
        let mut state = state();
        state.loaded(outcome(Ok(map_of([12, 8])), Cause::Opened));
        state.session.select(cell);
        state.loaded(outcome(Ok(map_of([15, 9])), Cause::Changed));
        assert_eq!(state.session.view.shown.selected, cell);
    }
}
