//! The open file read again: which version is in view, and what of the view stays as it was.
//!
//! Whoever writes a file slowly writes many versions of it that end early. Where such a version is
//! worse than the one in view, the better one stays and the window says so ([`OnDisk`]); it can be
//! shown by wish. What a version that is shown does not have any more is remembered until the next
//! one has it again ([`Wish`]).

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use super::load::{Failure, Loaded, UNREADABLE};
use super::notices::Subject;
use super::player::Player;
use super::session::Session;
use crate::viewer::format::capitalized;
use crate::viewer::state::{OpenFile, State};
use mapscope_formats::{Problem, Severity, Tally};
use mapscope_scene::{Document, Item, is_missing_file};

/// State of the open file on disk, while a better, earlier version is in view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnDisk {
    /// The name of the file.
    pub name: String,
    /// Why it cannot be shown; `None` if it can.
    pub unreadable: Option<String>,
    /// Its problems.
    pub problems: Vec<Problem>,
    /// The worst problem that the version in view does not have, or the worst of all if there is no
    /// new one.
    pub new: Option<Problem>,
    /// Display time at which the version in view was read, such as `12:31:07`.
    pub read_at: String,
    /// Unique number of the version that is kept back.
    pub number: u64,
}

impl OnDisk {
    /// Summarises its problems in one line.
    pub fn headline(&self) -> String {
        match self.unreadable {
            Some(_) => format!("{} on disk cannot be read", self.name),
            None => format!("{} on disk has {}", self.name, Tally::of(&self.problems)),
        }
    }

    /// The main reason: the worst new problem, or else why it cannot be read.
    pub fn reason(&self) -> Option<String> {
        let new = self.new.as_ref();
        let first = new.map(|first| format!("{}: {}", first.place, first.message));
        // The headline already contains that it cannot be read.
        let reason = self.unreadable.as_deref();
        let reason = reason.map(|it| capitalized(it.strip_prefix(UNREADABLE).unwrap_or(it)));
        first.or(reason)
    }

    /// Describes the version that is in view.
    pub fn in_view(&self) -> String {
        format!("In view: the version read at {}", self.read_at)
    }

    /// Label and tooltip of the button that reads the file again and shows it even with problems.
    pub fn button(&self) -> [&'static str; 2] {
        match self.unreadable {
            Some(_) => ["Read again", "Try once more to read the file"],
            None => ["Show it anyway", "Show the file as it is on disk"],
        }
    }
}

/// What was looked at when a version came that does not have it.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    /// The name of the clip, and how it played.
    clip: Option<(String, Player)>,
    /// Whether nothing moved, so that nobody can have stopped it.
    had_no_clips: bool,
    /// What was selected.
    selected: Option<Item>,
    /// What is looked at instead. Once that is something else, the wish is over.
    instead: LookedAt,
}

/// What one chooses to look at.
#[derive(Debug, Clone, PartialEq)]
struct LookedAt {
    clip: Option<usize>,
    /// The frame; while it plays, nobody has chosen one.
    frame: Option<u32>,
    selected: Option<Item>,
}

/// What an error is about, without the numbers and the texts of the file in its message: the same
/// fault may be on another line after each save.
fn fault(message: &str) -> String {
    let around_quotes = message.split('`').step_by(2);
    let letters = around_quotes.flat_map(str::chars);
    letters.filter(|c| !c.is_ascii_digit()).collect()
}

/// Whether a version of a file is worse than the one in view: it or another file that it is made of has errors
/// that the other has not, and not fewer of them, or it has errors and less of what files have.
fn is_worse(new: &dyn Document, in_view: &dyn Document) -> bool {
    let faults = |document: &dyn Document| -> HashSet<String> {
        let others = document.other_files();
        let of_others = others.iter().flat_map(|other| &other.problems);
        let problems = document.about().problems.iter().chain(of_others);
        let problems = problems.flat_map(Problem::with_consequences);
        // What is missing beside it is no fault of this version of the file.
        let errors = problems.filter(|problem| {
            problem.severity == Severity::Error && !is_missing_file(problem.rule)
        });
        errors.map(|problem| fault(&problem.message)).collect()
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
    let less = parts(new)
        .into_iter()
        .zip(parts(in_view))
        .any(|(now, before)| now < before);
    let known = faults(in_view);
    less || (faults_of_new.len() >= known.len() && !faults_of_new.is_subset(&known))
}

/// The first of the worst problems that were not there before.
fn worst_new<'p>(before: &[Problem], now: &'p [Problem]) -> Option<&'p Problem> {
    let fault_of = |problem: &Problem| (problem.rule.id, fault(&problem.message));
    let mut known = HashMap::<_, usize>::new();
    for problem in before {
        *known.entry(fault_of(problem)).or_default() += 1;
    }
    let is_new = |problem: &&Problem| match known.get_mut(&fault_of(problem)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let new = now.iter().filter(is_new);
    new.reduce(|worst, problem| {
        if problem.severity > worst.severity {
            problem
        } else {
            worst
        }
    })
}

/// A moment as the clock on the wall has it, such as `12:31:07`.
pub(crate) fn clock(moment: SystemTime) -> String {
    let local = chrono::DateTime::<chrono::Local>::from(moment);
    local.format("%H:%M:%S").to_string()
}

impl Session {
    /// Whether what was read again is to be kept back for the version in view.
    pub(crate) fn keeps_back(&self, loaded: &Loaded) -> bool {
        self.open.as_ref().is_some_and(|open| {
            open.path == loaded.path && is_worse(&*loaded.document, &*open.document)
        })
    }

    /// Whether the window says over the view that the file on disk is not what is in view.
    pub(crate) fn tells_of_disk(&self) -> bool {
        self.on_disk.is_some() && !self.on_disk_dismissed
    }

    /// Leaves the version in view, and says that the one on disk is not shown for what is wrong
    /// with it.
    pub(crate) fn keep_version(&mut self, unreadable: Option<String>, problems: Vec<Problem>) {
        let Some(open) = &self.open else {
            return;
        };
        let new = worst_new(&open.document.about().problems, &problems);
        // It may lack something without another error than before.
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
        // It is so no longer.
    }

    /// The same for a file that cannot be read at all.
    pub(crate) fn keep_version_of_unreadable(&mut self, failure: Failure) {
        let problems = failure.problem.into_iter().collect();
        self.keep_version(Some(failure.message), problems);
    }

    /// What is looked at: now, or before a version came that does not have it.
    pub(crate) fn wish(&mut self, before: &OpenFile) -> Wish {
        let instead = self.looked_at();
        if let Some(wish) = self.wish.take().filter(|wish| wish.instead == instead) {
            return wish;
        }
        let clip = self.player.clip();
        let animation = before.document.animation();
        let clip = clip.and_then(|clip| animation?.clips().get(clip));
        Wish {
            had_no_clips: animation.is_none(),
            clip: clip.map(|clip| (clip.name.clone(), self.player.clone())),
            selected: self.view.shown.selected,
            instead,
        }
    }

    fn looked_at(&self) -> LookedAt {
        let player = &self.player;
        LookedAt {
            clip: player.clip(),
            frame: (!player.is_playing()).then(|| player.whole_frame()),
            selected: self.view.shown.selected,
        }
    }

    /// Looks at what is wished in the document that was read again, and remembers what of it is
    /// not there.
    pub(crate) fn grant(&mut self, wish: Wish) {
        let Some(document) = self.document().cloned() else {
            return;
        };
        let clip_called = |name: &str| {
            let clips = document.animation()?.clips();
            let index = clips.iter().position(|clip| clip.name == name)?;
            self.clip_of_length(index)
        };
        let clip = wish.clip.as_ref();
        let found = clip.and_then(|(name, _)| clip_called(name));
        let all_of_it = clip.is_none_or(|(_, player)| {
            let frames = found.map_or(0, |(_, frames)| frames);
            frames > 0 && frames >= player.frames()
        });
        match (clip, found) {
            (Some((_, player)), Some((index, frames))) => {
                self.player = player.clone();
                self.player.replace(index, frames);
            }
            // It is gone.
            (Some(_), None) => self.player.choose(self.clip_of_length(0)),
            (None, _) if wish.had_no_clips => {
                self.player.choose(self.clip_of_length(0));
                self.player.set_playing(self.plays_at_once);
            }
            (None, _) => self.player.choose(None),
        }
        self.show_moment();
        let playhead = self.view.shown.playhead;
        let is_there = |item: &Item| !document.properties(*item, playhead).is_empty();
        let selected = wish.selected.filter(is_there);
        self.view.shown.selected = selected;
        let granted = all_of_it && selected.is_some() == wish.selected.is_some();
        let instead = self.looked_at();
        self.wish = (!granted).then_some(Wish { instead, ..wish });
    }
}

impl State {
    /// Says that a file was read again, and what is wrong with it that was not before.
    pub(crate) fn tell_of_reload(&mut self, before: &dyn Document) {
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
    use mapscope_testdata::tiny_scene::SCENE;

    fn state() -> State {
        State::new(Settings::default(), ViewRequest::default())
    }

    /// Reads the first part of a demo, as a loader does that finds it half written.
    fn read(demo: &Demo, part: f64) -> Result<Arc<dyn Document>, String> {
        let mut source = demo.source();
        let length = (source.bytes.len() as f64 * part) as usize;
        source.bytes.truncate(length);
        mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
            .map_err(|error| error.to_string())
    }

    /// What a load gives that was started for some cause.
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
    fn a_version_with_fewer_errors_is_not_worse_though_they_are_others() {
        let folder = tempfile::tempdir().unwrap();
        let open = |text: &str| opened_text(folder.path(), text).unwrap();
        let mended = SCENE.replacen("selection_radius float", "selection_radius flaot", 1);
        assert_ne!(mended, SCENE);
        let cut = open(&SCENE[..SCENE.len() / 3]);
        let mended = open(&mended);
        assert!(is_worse(&*cut, &*mended) && !is_worse(&*mended, &*cut));
    }

    #[test]
    fn the_same_fault_on_another_line_is_no_new_one() {
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
        assert_eq!(fault(&message(3)), fault(&message(41)));
        assert_ne!(fault(&message(3)), fault("the file ends here"));
    }

    /// A scene in a folder whose entities have these models.
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
        };
        mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_model_that_is_missing_holds_no_version_back_and_one_that_appears_plays() {
        let folder = tempfile::tempdir().unwrap();
        let scene = |models: &[&str]| scene_of(folder.path(), models);
        let appears = |name: &str| {
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
        let said = |state: &State| state.notices.toasts.last().unwrap().text.clone();
        let both = ["a.pfobj", "b.pfobj"];
        state.loaded(outcome(scene(&both), Cause::Changed));
        assert!(version(&state) != before && state.session.on_disk.is_none());
        assert!(
            said(&state).starts_with("Reloaded with "),
            "{}",
            said(&state)
        );
        assert_eq!(state.session.player.clip(), None);
        appears("a.pfobj");
        state.loaded(outcome(scene(&both), Cause::Changed));
        assert!(state.session.player.clip() == Some(0) && state.session.player.is_playing());
        // Who has chosen to see no motion is not shown any.
        state.session.choose_clip(None);
        appears("b.pfobj");
        state.loaded(outcome(scene(&both), Cause::Changed));
        assert_eq!(state.session.player.clip(), None);
        assert_eq!(
            said(&state),
            "Reloaded",
            "nothing is wrong that was not before"
        );
        // What was said of one file is not said of the next.
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Opened));
        assert!(
            state.notices.toasts.is_empty(),
            "{:?}",
            state.notices.toasts
        );
    }

    /// A window that looks at a frame and a joint of a model.
    fn looking() -> (State, LookedAt) {
        let mut state = state();
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Opened));
        state.session.choose_clip(Some(1));
        state.run(Action::Animation(crate::viewer::commands::Animation::Stop));
        state.session.change_player(|player| player.seek(5.0));
        state
            .session
            .select(Some(ModelItem::Joint { index: 3 }.into()));
        let looked_at = state.session.looked_at();
        assert!(looked_at.selected.is_some() && looked_at.frame == Some(5));
        (state, looked_at)
    }

    #[test]
    fn a_slow_save_loses_nothing() {
        let (mut state, looked_at) = looking();
        state.session.shape_view(1.5);
        let camera = state.session.view.camera;
        let version = state.session.open.as_ref().unwrap().version;
        for part in [0.0, 0.1, 0.4, 0.8] {
            state.loaded(outcome(read(&demo::DRAKELING, part), Cause::Changed));
            assert_eq!(state.session.looked_at(), looked_at, "{part}");
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
            (state.session.looked_at(), state.session.view.camera),
            (looked_at, camera)
        );
        assert_eq!(state.session.on_disk, None);
        assert_eq!(state.notices.toasts.len(), 1, "{:?}", state.notices.toasts);
        assert_eq!(state.notices.toasts[0].text, "Reloaded");
    }

    #[test]
    fn a_broken_version_is_shown_by_wish_and_what_it_lacks_comes_back() {
        let (mut state, looked_at) = looking();
        let half = || read(&demo::DRAKELING, 0.5);
        state.loaded(outcome(half(), Cause::Changed));
        assert!(state.session.tells_of_disk());
        state.run(Action::Clear);
        assert!(!state.session.tells_of_disk() && state.session.on_disk.is_some());
        state.loaded(outcome(half(), Cause::Asked));
        assert_eq!(state.session.on_disk, None);
        assert!(state.session.looked_at() != looked_at, "it has all of it");
        let said = &state.notices.toasts.last().unwrap();
        assert!(said.text.starts_with("Reloaded with "), "{}", said.text);
        assert_eq!(said.severity, Some(Severity::Error));
        // Another save of what is in view is no worse.
        state.loaded(outcome(half(), Cause::Changed));
        assert_eq!(state.session.on_disk, None);
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Changed));
        assert_eq!(state.session.looked_at(), looked_at);
        assert!(state.session.wish.is_none());
        // Unless one has chosen something else meanwhile.
        state.loaded(outcome(half(), Cause::Asked));
        let material = Some(ModelItem::Material { index: 0 }.into());
        state.session.select(material);
        state.loaded(outcome(read(&demo::DRAKELING, 1.0), Cause::Changed));
        assert_eq!(state.session.view.shown.selected, material);
        assert!(state.session.wish.is_none());
    }

    #[test]
    fn a_selection_on_a_map_stays_in_its_row_and_column() {
        let open = |chunk_cols| {
            let source = Source {
                path: "made.pfmap".into(),
                bytes: mapscope_testdata::synthesize::pfmap(2, chunk_cols, 7).into(),
                embedded: &[],
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
        // It is not there in a smaller map, and is again in a larger one.
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
