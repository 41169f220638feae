//! A second view beside the first: of the version or file that the open one is compared with, or of
//! the open file through another camera.
//!
//! Commands and panels belong to the first view. Linked views have the same camera, selection,
//! display and moment.

use std::sync::Arc;

use super::State;
use super::compare::{Changes, Other};
use super::reload::clock;
use super::session::{OpenFile, Session};
use crate::viewer::format;
use crate::viewer::view::View;
use crate::viewer::view::camera_control::CameraMode;
use crate::viewer::view::shown::Revision;
use mapscope_scene::camera::Camera;
use mapscope_scene::{Animation, Blend, Document, Item, Playhead, Shown};

/// Memory in bytes up to which the version at opening is kept when the file changes.
const MAX_KEPT_BYTES: u64 = 256 << 20;
/// Range of the border between the views, as a fraction of the width.
const BORDER_RANGE: [f32; 2] = [0.1, 0.9];

/// A version of the open file that is kept for comparison.
#[derive(Debug, Clone)]
pub(crate) struct KeptVersion {
    document: Arc<dyn Document>,
    /// The time of day at which it was read.
    read_at: String,
}

/// The arrangement of the two views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Layout {
    /// Side by side.
    #[default]
    Beside,
    /// In the same place: the first view is cut off at the border, and the second one continues.
    Wipe,
}

/// What a view shows, for change detection.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Look {
    camera: Camera,
    mode: CameraMode,
    selected: Option<Item>,
    shown: Revision,
}

impl Look {
    fn of(session: &Session) -> Self {
        let view = &session.view;
        Self {
            camera: view.camera,
            mode: view.mode,
            selected: view.shown.selected,
            shown: view.shown.revision(),
        }
    }
}

/// The second view.
#[derive(Debug)]
pub(crate) struct Split {
    /// Its document and camera.
    pub session: Session,
    /// The name of what it shows.
    pub name: String,
    /// `true` for another camera on the open document, `false` for the compared one.
    pub is_camera: bool,
    pub layout: Layout,
    /// Position of the border as a fraction of the width.
    pub border: f32,
    /// `true` if the second view is on the left.
    pub is_swapped: bool,
    /// `true` if it follows the first view, and the other way round.
    pub is_linked: bool,
    /// `true` while the views have changed places because a key is held.
    pub blinks: bool,
    /// What both views showed when they were last linked: the first, then the second.
    linked: Option<[Look; 2]>,
}

impl Split {
    /// `true` if the second view is on the left now.
    pub(crate) fn is_second_left(&self) -> bool {
        self.is_swapped != (self.blinks && self.layout == Layout::Beside)
    }

    /// Switches between the layouts. A wipe needs linked views.
    pub(crate) fn toggle_wipe(&mut self) {
        self.layout = match self.layout {
            Layout::Beside => Layout::Wipe,
            Layout::Wipe => Layout::Beside,
        };
        self.is_linked |= self.layout == Layout::Wipe;
    }

    /// Moves the border to a fraction of the width.
    pub(crate) fn move_border(&mut self, to: f32) {
        self.border = to.clamp(BORDER_RANGE[0], BORDER_RANGE[1]);
    }

    /// The comparison that it shows, if any.
    fn changes(&self, first: &Session) -> Option<Arc<Changes>> {
        let found = first.tools.comparison.found.as_ref();
        found.filter(|_| !self.is_camera).map(Arc::clone)
    }

    /// Gives the second view the camera and the display of the first one.
    fn follow(&mut self, first: &Session) {
        self.session.view.take_camera(&first.view);
        let changes = self.changes(first);
        let (Some(document), Some(of_first)) = (self.session.document(), first.document()) else {
            return;
        };
        let other = |item: Item| {
            let item = changes
                .as_ref()
                .map_or(Some(item), |it| it.diff.counterpart(1, item));
            item.filter(|item| document.has(*item))
        };
        // An item that the first document does not have stays selected.
        let own = self.session.view.shown.selected.filter(|own| {
            let of_first = changes.as_ref().map(|it| it.diff.counterpart(0, *own));
            of_first == Some(None) && first.view.shown.selected.is_none()
        });
        let levels = document.levels().map_or(0, |levels| levels.levels().len());
        let shown = &first.view.shown;
        let shown = Shown {
            selected: shown.selected.and_then(other).or(own),
            highlighted: shown.highlighted.and_then(other),
            hidden: shown.hidden.iter().copied().filter_map(other).collect(),
            visibility_from: shown.visibility_from.and_then(other),
            changes: match &changes {
                Some(changes) if shown.changes == changes.lines => changes.other_lines.clone(),
                _ => shown.changes.clone(),
            },
            level: shown.level.min(levels.saturating_sub(1)),
            playhead: same_moment(shown.playhead, [&**of_first, &**document]),
            ..(**shown).clone()
        };
        self.session.view.show(shown);
    }
}

/// The moment of a clip in another document that has a clip of this name.
pub(crate) fn same_moment(playhead: Playhead, documents: [&dyn Document; 2]) -> Playhead {
    let [from, to] = documents.map(|it| it.animation().map_or(&[][..], Animation::clips));
    let same = |clip: usize, frame: f32| {
        let name = &from.get(clip)?.name;
        let clip = to.iter().position(|clip| clip.name == *name)?;
        Some((clip, frame.min(to[clip].frames.saturating_sub(1) as f32)))
    };
    let moment = playhead.clip.and_then(|clip| same(clip, playhead.frame));
    let blend = playhead.blend.and_then(|blend| {
        let (clip, frame) = same(blend.clip, blend.frame)?;
        Some(Blend {
            clip,
            frame,
            ..blend
        })
    });
    Playhead {
        clip: moment.map(|(clip, _)| clip),
        frame: moment.map_or(0.0, |(_, frame)| frame),
        blend,
        ..playhead
    }
}

impl KeptVersion {
    fn of(open: &OpenFile) -> Self {
        Self {
            document: Arc::clone(&open.document),
            read_at: clock(open.read_at),
        }
    }

    /// The version as the other side of a comparison.
    pub(super) fn other(&self) -> Other {
        Other::Before(Arc::clone(&self.document), self.read_at.clone())
    }
}

impl Session {
    /// Keeps the version before the first reload, unless it is too large.
    pub(super) fn keep_opened_version(&mut self, before: &OpenFile) {
        if self.kept.is_none() && before.document.cpu_bytes() <= MAX_KEPT_BYTES {
            self.kept = Some(KeptVersion::of(before));
        }
    }
}

impl State {
    /// Opens or closes the second view: of the compared version or file, or else of the open file.
    pub(crate) fn toggle_split(&mut self) {
        if self.split.take().is_none() {
            let found = self.session.tools.comparison.found.as_ref();
            self.split_view(found.is_none_or(|changes| changes.other.is_none()));
        }
    }

    /// Opens the second view, or changes what it shows.
    pub(super) fn split_view(&mut self, is_camera: bool) {
        let Some(open) = self.session.open_file().cloned() else {
            return;
        };
        let compared = self.session.tools.comparison.found.as_ref();
        let compared = compared.filter(|_| !is_camera);
        let other =
            compared.and_then(|changes| Some((changes.other.clone()?, changes.with.clone())));
        let (document, name) = other.unwrap_or_else(|| (Arc::clone(&open.document), open.name()));
        self.versions += 1;
        let mut session = Session::new(View::new(self.session.view.fov), false);
        session.open = Some(OpenFile::new(open.path, None, document, self.versions));
        let before = self.split.take();
        let mut split = Split {
            session,
            name,
            is_camera,
            layout: Layout::default(),
            border: 0.5,
            is_swapped: false,
            is_linked: !is_camera,
            blinks: false,
            linked: None,
        };
        split.follow(&self.session);
        if let Some(before) = before.filter(|before| before.is_camera == is_camera) {
            (split.layout, split.border) = (before.layout, before.border);
            (split.is_swapped, split.is_linked) = (before.is_swapped, before.is_linked);
            split.session.view.take_camera(&before.session.view);
        }
        self.split = Some(Box::new(split));
    }

    /// Runs a function with the session of the second view in place of the first one.
    pub(crate) fn with_second<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mut split = self.split.take()?;
        std::mem::swap(&mut self.session, &mut split.session);
        let result = run(self);
        std::mem::swap(&mut self.session, &mut split.session);
        self.split = Some(split);
        Some(result)
    }

    /// Applies what the user has done in one of two linked views to the other one.
    pub(crate) fn link_views(&mut self) {
        let Some(mut split) = self.split.take() else {
            return;
        };
        let looks = |first: &Session, split: &Split| [first, &split.session].map(Look::of);
        let now = looks(&self.session, &split);
        if split.is_linked && split.linked != Some(now) {
            let [_, second] = now;
            if let Some([_, linked]) = split.linked {
                if (second.camera, second.mode) != (linked.camera, linked.mode) {
                    self.session.view.take_camera(&split.session.view);
                }
                if second.selected != linked.selected {
                    let changes = split.changes(&self.session);
                    let other = second.selected.and_then(|item| {
                        changes.map_or(Some(item), |it| it.diff.counterpart(0, item))
                    });
                    let has = |item: &Item| self.session.document().is_some_and(|it| it.has(*item));
                    self.session.select(other.filter(has));
                }
            }
            split.follow(&self.session);
        }
        let linked = split.is_linked.then(|| looks(&self.session, &split));
        split.linked = linked;
        self.split = Some(split);
    }

    /// Follows a reload of the open file, which a second camera shows too.
    pub(super) fn reload_split(&mut self) {
        if self.split.as_ref().is_some_and(|split| split.is_camera) {
            self.split_view(true);
        }
    }

    /// `true` if the second view shows the compared document.
    pub(super) fn shows_compared(&self) -> bool {
        self.split.as_ref().is_some_and(|split| !split.is_camera)
    }

    /// Compares the open file with the version that was opened or pinned, side by side.
    pub(crate) fn compare_with_kept(&mut self) {
        if let Some(kept) = &self.session.kept {
            let other = kept.other();
            self.compare(other, true);
        }
    }

    /// Keeps the open version for comparison with later ones.
    pub(crate) fn pin_version(&mut self) {
        let Some(open) = self.session.open_file() else {
            return;
        };
        let kept = KeptVersion::of(open);
        let bytes = format::bytes(kept.document.cpu_bytes());
        let text = format!("Pinned the version read at {} ({bytes})", kept.read_at);
        self.session.kept = Some(kept);
        self.notices.toast(text, None);
        if self.session.tools.comparison.is_with_kept {
            self.compare_with_kept();
        }
    }

    /// Changes the second view, if there is one.
    pub(crate) fn change_split(&mut self, change: impl FnOnce(&mut Split)) {
        if let Some(split) = &mut self.split {
            change(split);
        }
    }
}
