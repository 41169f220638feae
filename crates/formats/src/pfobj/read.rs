//! Reading PFOBJ (document section 3, fact sheet B1).
//!
//! Nearly all of a file are its vertices and poses, which are read as a whole where they are laid
//! out as in real files ([`Plain`]). Everything else is read line by line, each for what its
//! keyword says it is, so that a line too many or too few spoils nothing but what it belongs to.

use std::ops::ControlFlow;

use super::head::{ENGINE_JOINTS, Head, read_head};
use super::number::plain_number;
use super::plain::Plain;
use super::repeated::{self, Repeated};
use super::{
    Bounds, Influence, Joint, Layout, MAX_INFLUENCES, Material, Pfobj, PfobjError, Rotation,
    Transform, Vertex, is_unit, rules, square, sum_of_weights,
};
use crate::cursor::{Found, Text, Word, first_words, has_decimal_comma, is_separator};
use crate::{Cause, Place, Plural, Rule, Severity, Subject, conflict, counted, quoted};

/// Materials, joints and clips that are kept. No model has so many; a broken file may, and what
/// is kept of one takes far more memory than its line.
const MAX_LISTED: usize = 1 << 16;
/// Bytes between two looks at whether anyone still waits for the file.
const WATCH_BYTES: usize = 1 << 16;
/// The engine has room for the names of joints and textures up to this length.
const ENGINE_NAME_BYTES: usize = 63;

/// Says whether a file that begins with these bytes is a PFOBJ file, whole or cut short.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    let mut words = first_words(bytes);
    // The number may be missing.
    words.next() == Some(b"version") && words.take(2).any(|word| word == b"num_verts")
}

/// Reads a model.
///
/// Whatever does not keep the rest from being shown is in [`Pfobj::problems`]. The head is taken
/// for a promise: what there is of everything is read, whatever it says. The memory in use is
/// bounded by the length of `bytes`.
///
/// # Errors
/// When there is neither a vertex that can be read nor a joint.
pub fn read(bytes: &[u8]) -> Result<Pfobj, PfobjError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher, which is told now and then how much is done, from 0 to 1, and can
/// stop it.
///
/// # Errors
/// As [`read`], and [`PfobjError::Cancelled`] when the watcher breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Pfobj, PfobjError> {
    let read = |bytes: &[u8]| {
        let mut text = Text::new(bytes, &rules::TEXT_RULES);
        let head = read_head(&mut text);
        Reader::new(text, head, watch).read()
    };
    conflict::read(bytes, &rules::CONFLICT, read, |model| &mut model.problems)
}

/// The parts of a file in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Vertices,
    Materials,
    Joints,
    Clips,
    Bounds,
}

impl Section {
    const ALL: [Self; 5] = [
        Self::Vertices,
        Self::Materials,
        Self::Joints,
        Self::Clips,
        Self::Bounds,
    ];

    /// The part that a line with this first word belongs to.
    pub(super) fn of(key: &[u8]) -> Option<Self> {
        let has_line = |section: &Self| {
            let mut lines = section.lines().iter();
            lines.any(|(line, _)| line.as_bytes() == key)
        };
        Self::ALL.into_iter().find(has_line)
    }

    /// The lines of one entry.
    pub(super) fn lines(self) -> Lines {
        match self {
            Self::Vertices => &VERTEX_LINES,
            Self::Materials => &MATERIAL_LINES,
            Self::Joints => &JOINT_LINE,
            Self::Clips => &CLIP_LINE,
            Self::Bounds => &BOUNDS_LINES,
        }
    }

    /// What each of its entries is, and the line of the head that says how many.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Vertices => ("vertex", "num_verts"),
            Self::Materials => ("material", "num_materials"),
            Self::Joints => ("joint", "num_joints"),
            Self::Clips => ("clip", "num_as"),
            Self::Bounds => ("bounds", "has_collision"),
        }
    }
}

/// First words of lines, and the whole lines as messages name them.
type Lines = &'static [(&'static str, &'static str)];

const VERTEX_LINES: [(&str, &str); 5] = [
    ("v", "`v <x> <y> <z>`"),
    ("vt", "`vt <u> <v>`"),
    ("vn", "`vn <x> <y> <z>`"),
    ("vw", "`vw <joint>/<weight> ...`"),
    ("vm", "`vm <material>`"),
];
const MATERIAL_LINES: [(&str, &str); 5] = [
    ("material", "`material <name>`"),
    ("ambient", "`ambient <intensity>`"),
    ("diffuse", "`diffuse <red> <green> <blue>`"),
    ("specular", "`specular <red> <green> <blue>`"),
    ("texture", "`texture <file name>`"),
];
const JOINT_LINE: [(&str, &str); 1] = [(
    "j",
    "`j <parent> <name> <x/y/z scale> <x/y/z/w rotation> <x/y/z translation> <x/y/z tip>`",
)];
const CLIP_LINE: [(&str, &str); 1] = [("as", "`as <name> <number of frames>`")];
const BOUNDS_LINES: [(&str, &str); 3] = [
    ("x_bounds", "`x_bounds <min> <max>`"),
    ("y_bounds", "`y_bounds <min> <max>`"),
    ("z_bounds", "`z_bounds <min> <max>`"),
];

/// A model while it is read.
pub(super) struct Reader<'a, 'w> {
    pub text: Text<'a>,
    pub head: Head,
    pub model: Pfobj,
    /// Of each joint, its parent as written (from 1, 0 for none) if it could be read.
    pub parents: Vec<Option<(u64, Place)>>,
    /// What is wrong with many values.
    pub repeated: Repeated,
    /// Whether the head promises joints and clips: weights are looked at.
    is_skinned: bool,
    /// Whether a number was not finite, and another was taken in its place.
    has_substitute: bool,
    /// The part that the reading has come to.
    section: Section,
    /// Of which parts it has been reported that they are too short or too long.
    reported_short: [bool; 5],
    reported_long: [bool; 5],
    /// That a part is too short.
    short_causes: [Option<Cause>; 5],
    /// That there are more or fewer joints than the head says.
    pub joint_count: Option<Cause>,
    /// Where each joint and each clip has its name.
    pub joint_names: Vec<Place>,
    pub clip_names: Vec<Place>,
    /// That a line of a vertex is missing or one too many, so that there may be a vertex too many or too
    /// few.
    vertex_line: Option<Cause>,
    /// That there are more vertices than the head says, of which perhaps one begins with a line too many.
    vertex_count: Option<Cause>,
    /// What is wrong with the order of the poses of the last frame.
    pub frame_cause: Option<Cause>,
    /// That a clip has more frames than announced, perhaps since the line of the next one is missing.
    pub long_clip: Option<Cause>,
    /// That a pose stands where none is to be.
    pub stray_pose: Option<Cause>,
    /// The line after the last one that is nothing that can be read.
    after_strange: u64,
    /// Where the last line is that was out of place.
    last_misplaced: Option<Place>,
    watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
    next_watch: usize,
}

impl<'a, 'w> Reader<'a, 'w> {
    pub(super) fn new(
        text: Text<'a>,
        mut head: Head,
        watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Self {
        let vertices = head.promised(Section::Vertices).unwrap_or(0);
        let vertices = head
            .vertex_room
            .min(usize::try_from(vertices).unwrap_or(usize::MAX));
        let has_bounds = head.has_bounds.unwrap_or(false);
        Self {
            model: Pfobj {
                version: std::mem::take(&mut head.version),
                vertices: Vec::with_capacity(vertices),
                influences: Vec::new(),
                materials: Vec::new(),
                joints: Vec::new(),
                clips: Vec::new(),
                bounds: None,
                has_bounds,
                layout: Layout::new(),
                bad_vertices: Vec::new(),
                crlf: head.crlf,
                problems: Vec::new(),
                notes: Vec::new(),
            },
            is_skinned: [Section::Joints, Section::Clips]
                .into_iter()
                .all(|section| head.promised(section).is_some_and(|count| count > 0)),
            has_substitute: false,
            text,
            head,
            parents: Vec::new(),
            repeated: Repeated::default(),
            section: Section::Vertices,
            reported_short: [false; 5],
            reported_long: [false; 5],
            short_causes: [None; 5],
            joint_count: None,
            joint_names: Vec::new(),
            clip_names: Vec::new(),
            vertex_line: None,
            vertex_count: None,
            frame_cause: None,
            long_clip: None,
            stray_pose: None,
            after_strange: 0,
            last_misplaced: None,
            watch,
            next_watch: 0,
        }
    }

    fn read(mut self) -> Result<Pfobj, PfobjError> {
        self.read_body()?;
        self.read_end();
        self.check();
        let mut model = self.model;
        if model.vertices.len() == model.bad_vertices.len() && model.joints.is_empty() {
            let end = self.text.file_ends();
            let none = || end.error(&rules::NO_VERTICES, VERTEX_LINES[0].1);
            return Err(self.text.first_error.unwrap_or_else(none));
        }
        let found = self.text.problems.finish().into_iter();
        (model.notes, model.problems) =
            found.partition(|problem| problem.severity == Severity::Note);
        Ok(model)
    }

    fn read_body(&mut self) -> Result<(), PfobjError> {
        while let Some(key) = self.peek() {
            self.text.problems.subject = Subject::File;
            self.look_up()?;
            let is_whole = self.is_whole();
            if is_whole && self.section == Section::Bounds {
                break;
            }
            let Some(section) = Section::of(key.text) else {
                if is_whole {
                    break;
                }
                if is_pose(key) {
                    self.skip_stray_poses(key)?;
                    continue;
                }
                if self.begins_clip() {
                    self.text.wrong(&rules::LINE, key, CLIP_LINE[0].1);
                    if self.section <= Section::Clips {
                        self.enter(Section::Clips, key);
                    }
                    self.read_clip()?;
                    continue;
                }
                if self.is_joint(key) {
                    self.text.wrong(&rules::LINE, key, JOINT_LINE[0].1);
                    self.enter(Section::Joints, key);
                    self.read_joint();
                    continue;
                }
                if let Some(section) = self.begun_entry() {
                    self.enter(section, key);
                    match section {
                        Section::Vertices => self.read_vertex(),
                        Section::Materials => self.read_material(),
                        _ => {
                            self.text.problems.subject = Subject::BindBounds;
                            self.model.bounds = self.read_bounds();
                            self.reported_short[Section::Bounds as usize] = true;
                        }
                    }
                    continue;
                }
                // It may stand for the first line of the next vertex.
                let next = u32::try_from(self.model.vertices.len()).ok();
                let next = next.filter(|_| self.is_short(Section::Vertices));
                let next = next.filter(|_| self.section == Section::Vertices);
                self.text.problems.subject = next.map_or(Subject::File, Subject::Vertex);
                self.text.wrong(&rules::LINE, key, self.expected());
                if next.is_some() {
                    self.vertex_line = self.vertex_line.or(self.text.problems.last());
                }
                self.text.skip_line();
                self.after_strange = self.text.line;
                continue;
            };
            let is_again = match section {
                Section::Joints => self.has_joints_left_over() && self.skip_same_line(key),
                section => section == self.section && self.skip_last_line_again(section, key),
            };
            if is_again {
                continue;
            }
            self.enter(section, key);
            match section {
                Section::Vertices => self.read_vertices()?,
                Section::Materials => self.read_material(),
                // Clips have poses for the joints before them.
                Section::Joints if self.model.clips.is_empty() => self.read_joint(),
                Section::Joints => self.text.skip_line(),
                Section::Clips => self.read_clip()?,
                Section::Bounds => {
                    self.text.problems.subject = Subject::BindBounds;
                    self.model.bounds = self.read_bounds();
                    // What is wrong with them has been reported.
                    self.reported_short[Section::Bounds as usize] = true;
                }
            }
        }
        Ok(())
    }

    /// Goes past the last line of an entry of several lines if it is there for the second time.
    pub(super) fn skip_last_line_again(&mut self, section: Section, key: Word<'a>) -> bool {
        let [_, (second, _), .., (last, _)] = section.lines() else {
            return false;
        };
        if key.text != last.as_bytes() {
            return false;
        }
        // A line with the first word of the last may stand for the first of the next entry.
        let next = keys_after(self.text.rest()).next();
        let before = self.line_before().and_then(|line| first_words(line).next());
        let is_again = before == Some(key.text) && next != Some(second.as_bytes());
        if is_again {
            self.skip_again(key);
        }
        is_again
    }

    /// Goes past the next line if it is the same as the one before, of which there may be no two.
    pub(super) fn skip_same_line(&mut self, key: Word<'a>) -> bool {
        let is_again = self.is_same_line();
        if is_again {
            self.skip_again(key);
        }
        is_again
    }

    fn skip_again(&mut self, key: Word<'a>) {
        let twice = || format!("{} for the second time", quoted(key.text));
        self.text.report(&rules::LINE, key, twice);
        self.text.skip_line();
    }

    /// Whether there are more lines of joints, from the next one on, than there are to be joints.
    fn has_joints_left_over(&self) -> bool {
        let promised = self.promised(Section::Joints).unwrap_or(u64::MAX);
        let left = promised.saturating_sub(self.read_count(Section::Joints) as u64);
        if left >= ENGINE_JOINTS || !self.is_same_line() {
            return false;
        }
        let lines = self.text.rest().split(|byte| *byte == b'\n');
        let keys = lines.map(|line| first_words(line).next().unwrap_or_default());
        let joints = keys.take_while(|key| *key == JOINT_LINE[0].0.as_bytes());
        joints.take(left as usize + 1).count() as u64 > left
    }

    /// Whether the next line is the same as the one before.
    pub(super) fn is_same_line(&self) -> bool {
        let rest = self.text.bytes.get(self.text.line_start..);
        let line = rest.and_then(|rest| rest.split(|byte| *byte == b'\n').next());
        line == self.line_before()
    }

    /// The line before the next one.
    fn line_before(&self) -> Option<&'a [u8]> {
        let start = self.text.line_start_of(self.text.line.checked_sub(1)?)?;
        let end = self.text.line_start.checked_sub(1)?;
        self.text.bytes.get(start..end)
    }

    /// Goes past poses that stand outside clips. All of them follow from what the first one shows.
    fn skip_stray_poses(&mut self, mut key: Word<'a>) -> Result<(), PfobjError> {
        let expected = self.expected();
        let is_after_strange = self.after_strange == self.text.line;
        let last = self.text.problems.last().filter(|_| is_after_strange);
        let cause = self.stray_pose.or(last);
        self.text.wrong_after(cause, &rules::LINE, key, expected);
        self.stray_pose = cause.or(self.text.problems.last());
        while is_pose(key) {
            self.look_up()?;
            self.text.skip_line();
            // Bounds that end a frame are not those of the bind pose.
            let is_of_bounds = |key: Word<'_>| Section::of(key.text) == Some(Section::Bounds);
            if self.model.has_bounds && self.peek().is_some_and(is_of_bounds) {
                self.read_bounds();
            }
            match self.peek() {
                Some(next) => key = next,
                None => break,
            }
        }
        Ok(())
    }

    /// The part of whose next entry the next line, whose first word is unknown, stands for the first of
    /// several lines: the second one follows.
    fn begun_entry(&self) -> Option<Section> {
        let section = Section::ALL
            .into_iter()
            .filter(|section| *section >= self.section)
            .find(|section| self.is_short(*section))?;
        let [(_, expected), (second, _), ..] = section.lines() else {
            return None;
        };
        let next = keys_after(self.text.rest()).next();
        (next == Some(second.as_bytes()) && self.has_words_of(expected)).then_some(section)
    }

    /// Whether the next line, whose first word is unknown, has what that of a joint has.
    fn is_joint(&self, key: Word<'_>) -> bool {
        let line = self.text.rest().split(|byte| *byte == b'\n').next();
        let words = line.unwrap_or_default().split(|byte| is_separator(*byte));
        let slashed = words.filter(|word| word.contains(&b'/')).count();
        self.section <= Section::Joints
            && self.model.clips.is_empty()
            && self.is_short(Section::Joints)
            && !key.text.contains(&b'/')
            && slashed == 4
            && self.has_words_of(JOINT_LINE[0].1)
    }

    /// Whether the engine does not look at weights: the model has no clips.
    pub(super) fn ignores_weights(&self) -> bool {
        self.promised(Section::Clips) == Some(0) && self.model.clips.is_empty()
    }

    /// Whether the next line, whose first word is unknown, stands for the one that begins a clip: a frame
    /// follows.
    fn begins_clip(&self) -> bool {
        let next = keys_after(self.text.rest()).next();
        self.is_short(Section::Clips)
            && if self.model.joints.is_empty() {
                self.has_words_of(CLIP_LINE[0].1) && next == Some(BOUNDS_LINES[0].0.as_bytes())
            } else {
                next == Some(b"1")
            }
    }

    /// The first word of the line after those that begin with unknown words, the next one among them.
    pub(super) fn known_after(&self) -> Option<&'a [u8]> {
        keys_after(self.text.rest()).find(|key| !is_strange(key))
    }

    /// Whether the next line has as many words as one that messages name so.
    fn has_words_of(&self, expected: &str) -> bool {
        let line = self.text.rest().split(|byte| *byte == b'\n').next();
        let words = line.unwrap_or_default().split(|byte| is_separator(*byte));
        let count = words.filter(|word| !word.is_empty()).count();
        expected.contains("...") || count == 1 + expected.matches('<').count()
    }

    /// Tells the watcher how far the reading has come.
    pub(super) fn look_up(&mut self) -> Result<(), PfobjError> {
        if self.text.pos >= self.next_watch {
            self.next_watch = self.text.pos + WATCH_BYTES;
            if (self.watch)(self.text.pos as f32 / self.text.bytes.len() as f32).is_break() {
                return Err(PfobjError::Cancelled);
            }
        }
        Ok(())
    }

    /// The first word of the next line that has any, which stays to be read.
    pub(super) fn peek(&mut self) -> Option<Word<'a>> {
        let line = self.text.line;
        let word = self.text.word(true)?;
        if word.place.0 != line {
            let message = "a blank line; the engine refuses it";
            self.text.warn(&rules::BLANK_LINE, (line, 1), message);
        }
        self.text.unread(word);
        Some(word)
    }

    /// How many entries of a part have been read.
    fn read_count(&self, section: Section) -> usize {
        match section {
            Section::Vertices => self.model.vertices.len(),
            Section::Materials => self.model.materials.len(),
            Section::Joints => self.model.joints.len(),
            Section::Clips => self.model.clips.len(),
            Section::Bounds => usize::from(self.model.bounds.is_some()),
        }
    }

    /// How many entries of a part there are to be, if the head says.
    fn promised(&self, section: Section) -> Option<u64> {
        match section {
            Section::Bounds => self.head.has_bounds.map(u64::from),
            section => self.head.promised(section),
        }
    }

    fn is_short(&self, section: Section) -> bool {
        let promised = self.promised(section).unwrap_or(0);
        (self.read_count(section) as u64) < promised
    }

    /// Whether everything has been read that there is to be, as far as one can know.
    fn is_whole(&self) -> bool {
        let is_whole = |section| self.promised(section).is_some() && !self.is_short(section);
        Section::ALL.into_iter().all(is_whole)
    }

    /// What should stand at the beginning of the next line.
    fn expected(&self) -> &'static str {
        let next = Section::ALL
            .into_iter()
            .filter(|section| *section >= self.section)
            .find(|section| self.is_short(*section));
        next.map_or("the end of the file", |section| section.lines()[0].1)
    }

    /// Goes on to a part of the file, and reports it if it is not the next one.
    fn enter(&mut self, section: Section, key: Word<'a>) {
        if section < self.section {
            let expected = self.expected();
            let cause = self.short_causes[section as usize];
            self.text.wrong_after(cause, &rules::ORDER, key, expected);
        }
        for before in Section::ALL.into_iter().filter(|before| *before < section) {
            self.check_short(before, &key.into());
        }
        self.section = self.section.max(section);
        self.check_long(section, key);
    }

    /// Says of a part that it is too long if it is, once; a line of it is next.
    pub(super) fn check_long(&mut self, section: Section, key: Word<'a>) {
        let read = self.read_count(section);
        let Some(promised) = self.promised(section) else {
            self.model.has_bounds |= section == Section::Bounds;
            return;
        };
        if read as u64 >= promised
            && !std::mem::replace(&mut self.reported_long[section as usize], true)
        {
            let (subject, cause) = self.about_count(section);
            let problems = &mut self.text.problems;
            problems.add_consequence(cause, &rules::COUNT, subject, key.into(), || {
                let (_, count) = section.names();
                let count_is = match (section, promised) {
                    (Section::Bounds, 0) => "none".to_owned(),
                    (Section::Bounds, _) => "1 for the bind pose".to_owned(),
                    _ => promised.to_string(),
                };
                let key = quoted(key.text);
                format!("found more {key} lines; expected {count_is} as `{count}` says")
            });
            self.fold_count(section);
        }
    }

    /// What the problem is about that a part has another length than the head says, and what it follows
    /// from. Of vertices it is about the last one.
    fn about_count(&self, section: Section) -> (Subject, Option<Cause>) {
        if section != Section::Vertices {
            return (self.text.problems.subject, None);
        }
        let last = self.model.vertices.len().checked_sub(1);
        let last = last.and_then(|last| u32::try_from(last).ok());
        (
            last.map_or(Subject::File, Subject::Vertex),
            self.vertex_line,
        )
    }

    /// Folds below the problem that was added last, that a part has another length than the head says,
    /// what of the head it explains; and keeps it for what follows from it.
    fn fold_count(&mut self, section: Section) {
        let problems = &mut self.text.problems;
        let Some(cause) = problems.last() else {
            return;
        };
        if let Some(place) = self
            .head
            .beyond_limit
            .get(section as usize)
            .copied()
            .flatten()
        {
            problems.fold(cause, |problem| problem.place == place);
        }
        let explained = match section {
            Section::Vertices => {
                self.vertex_count = Some(cause);
                &rules::TRIANGLES
            }
            Section::Materials => &rules::NO_MATERIALS,
            Section::Bounds => &rules::NO_BOUNDS,
            Section::Joints => {
                self.joint_count = Some(cause);
                return;
            }
            Section::Clips => {
                // More clips than the head says may have a number of frames each.
                if let Some((_, place)) = self.head.extra_frame_counts {
                    problems.fold(cause, |problem| problem.place == place);
                }
                return;
            }
        };
        problems.fold(cause, |problem| problem.rule == explained);
    }

    /// Says of a part that it is too short if it is, once.
    fn check_short(&mut self, section: Section, found: &Found<'_>) {
        if std::mem::replace(&mut self.reported_short[section as usize], true)
            || !self.is_short(section)
        {
            return;
        }
        let read = self.read_count(section);
        let promised = self.promised(section).unwrap_or(0);
        let (what, count) = section.names();
        if section == Section::Bounds {
            let bounds = BOUNDS_LINES[0].1;
            let message = || format!("{found}; expected {bounds} of the bind pose");
            self.text.report(&rules::BOUNDS, found.place, message);
        } else {
            let (subject, of_vertices) = self.about_count(section);
            let cause = match section {
                // As many as the line of their frames has, or one whose line is missing.
                Section::Clips if read == self.head.frame_counts.len() => {
                    self.head.few_frame_counts
                }
                Section::Clips => self.long_clip.or(self.stray_pose),
                // A file that is cut off lacks them for that.
                _ => of_vertices.filter(|_| found.word.is_some()),
            };
            let problems = &mut self.text.problems;
            problems.add_consequence(cause, &rules::COUNT, subject, found.place, || {
                let read = counted(read, what);
                format!("{found} after {read}; expected {promised} as `{count}` says")
            });
            self.short_causes[section as usize] = cause.or(self.text.problems.last());
            self.fold_count(section);
        }
    }

    /// Looks at what follows everything that is read.
    fn read_end(&mut self) {
        self.text.problems.subject = Subject::File;
        let is_line_ended = self.text.pos == self.text.line_start;
        if self.text.rest().is_empty() {
            self.text.check_line_length();
        }
        // Where the file is cut the first gap explains the others: that of its last clip, or of a section.
        let end = Place::from(self.text.place());
        let in_clip = self.text.problems.find_since(0, |problem| {
            problem.rule == &rules::FRAME_COUNT && problem.place == end
        });
        let short = Section::ALL
            .into_iter()
            .find(|section| self.is_short(*section) && !self.reported_short[*section as usize]);
        let moment = self.text.problems.moment();
        if let Some(section) = short {
            self.check_short(section, &self.text.file_ends());
        }
        let ends_early = in_clip.or(self.text.problems.first_since(moment));
        let after = "the end of the model";
        self.text.check_end(
            &rules::TRAILING_DATA,
            &rules::LAST_LINE,
            after,
            is_line_ended,
        );
        self.text.fold_end(ends_early);
    }

    /// Lists something that cannot be read. A program that writes numbers as its user's language
    /// does gives each of them a comma: that is one problem, and not one for every line.
    pub(super) fn unreadable(&mut self, found: Found<'a>, expected: &str) {
        if found.word.is_some_and(has_decimal_comma) {
            let lost = "lines with such numbers are left out";
            self.text.decimal_comma(&rules::DECIMAL_COMMA, found, lost);
        } else {
            self.text.wrong(&rules::VALUE, found, expected);
        }
    }

    /// Lists a line, or the end of the file, in place of another line, once. In a vertex that is one too
    /// many, that is so since it is none.
    fn misplaced(&mut self, found: Found<'a>, expected: &str) {
        if self.last_misplaced.replace(found.place) == Some(found.place) {
            return;
        }
        let is_of_vertex = matches!(self.text.problems.subject, Subject::Vertex(_));
        let cause = self.vertex_count.filter(|_| is_of_vertex);
        self.text.wrong_after(cause, &rules::LINE, found, expected);
        if is_of_vertex {
            self.vertex_line = self.vertex_line.or(self.text.problems.last());
        }
    }

    /// Reads the lines of an entry, from the first of them that is there on; `read_line` is given
    /// the text after the first word of each. Says which lines could be read.
    ///
    /// A line with another first word that has as many words as the one that is to be there, and before
    /// the one that is to follow, is that line; one before the line that is to be there is one too many.
    fn read_entry<const N: usize>(
        &mut self,
        lines: &'static [(&'static str, &'static str); N],
        mut read_line: impl FnMut(&mut Self, usize) -> Result<(), Found<'a>>,
    ) -> [bool; N] {
        let mut is_read = [false; N];
        'lines: for (i, (key, expected)) in lines.iter().enumerate() {
            // The line before may stand for the first one.
            let mut was_strange = i == 0 && self.after_strange == self.text.line;
            loop {
                let Some(found) = self.peek() else {
                    self.misplaced(self.text.file_ends(), expected);
                    break 'lines;
                };
                if found.text == key.as_bytes() {
                    self.text.pos += key.len();
                    match read_line(self, i) {
                        Ok(()) => {
                            is_read[i] = true;
                            self.text.end_line();
                        }
                        Err(bad) => {
                            self.unreadable(bad, expected);
                            self.text.skip_line();
                        }
                    }
                    continue 'lines;
                }
                if was_strange {
                    continue 'lines;
                }
                self.misplaced(found.into(), expected);
                let position = |key: &[u8]| lines.iter().position(|(it, _)| it.as_bytes() == key);
                let known = position(found.text);
                if is_strange(found.text) && self.known_after() == Some(key.as_bytes()) {
                    self.text.skip_line();
                    continue;
                }
                let next = keys_after(self.text.rest()).next().and_then(position);
                let is_before_next = if i + 1 < N {
                    next == Some(i + 1)
                } else {
                    next.is_none_or(|next| next == 0)
                };
                if is_before_next
                    && (known.is_some() || is_strange(found.text))
                    && self.has_words_of(expected)
                {
                    self.text.pos += found.text.len();
                    // What is wrong with the line has been said.
                    is_read[i] = read_line(self, i).is_ok();
                    self.text.skip_line();
                    continue 'lines;
                }
                match known {
                    // One of the lines that follow: this one is missing.
                    Some(known) if known > i => continue 'lines,
                    // The next entry begins, unless the line that is to follow this one does so.
                    Some(0) if next != Some(i) => break 'lines,
                    // A line for the second time, or too late.
                    Some(_) => self.text.skip_line(),
                    None if Section::of(found.text).is_some() || is_pose(found) => break 'lines,
                    None => {
                        was_strange = true;
                        self.text.skip_line();
                    }
                }
            }
        }
        is_read
    }

    /// Reads vertices as long as there are any.
    fn read_vertices(&mut self) -> Result<(), PfobjError> {
        let promised = self.promised(Section::Vertices).unwrap_or(u64::MAX);
        let left = promised.saturating_sub(self.model.vertices.len() as u64);
        for _ in 0..left.max(1) {
            if !self.read_plain_vertex() {
                let key = self.peek();
                if key.and_then(|key| Section::of(key.text)) != Some(Section::Vertices) {
                    break;
                }
                if key.is_some_and(|key| self.skip_last_line_again(Section::Vertices, key)) {
                    continue;
                }
                self.read_vertex();
            }
            self.look_up()?;
        }
        Ok(())
    }

    /// Reads a vertex that is laid out as in real files; where it is not, nothing is read.
    #[inline]
    fn read_plain_vertex(&mut self) -> bool {
        let influences = self.model.influences.len();
        let mut plain = Plain::new(self.text.bytes, self.text.pos);
        let vertex = plain.vertex(&mut self.model.influences);
        let weights = self.model.influences.get(influences..).unwrap_or_default();
        let is_weighted = !self.is_skinned || sum_of_weights(weights) != 0.0;
        let Some(vertex) = vertex.filter(|vertex| is_weighted && is_unit(&vertex.normal)) else {
            self.model.influences.truncate(influences);
            return false;
        };
        let line = self.text.line;
        self.text.pos = plain.at;
        self.text.line_start = plain.at;
        self.text.line = line + VERTEX_LINES.len() as u64;
        self.model.vertices.push(vertex);
        self.model.layout.push(line, self.text.line);
        true
    }

    /// Reads a vertex line by line.
    fn read_vertex(&mut self) {
        let index = self.model.vertices.len() as u32;
        self.text.problems.subject = Subject::Vertex(index);
        let first_line = self.text.line;
        let first_influence = self.model.influences.len();
        let mut vertex = Vertex {
            position: [0.0; 3],
            uv: [0.0; 2],
            normal: [0.0, 1.0, 0.0],
            first_influence: u32::try_from(first_influence).unwrap_or(u32::MAX),
            influence_count: 0,
            material: 0,
        };
        let [has_position, ..] = self.read_entry(&VERTEX_LINES, |reader, line| {
            match line {
                0 => vertex.position = reader.floats(0.0)?,
                1 => vertex.uv = reader.floats(0.0)?,
                2 => vertex.normal = reader.read_normal()?,
                3 => reader.read_influences()?,
                _ => {
                    let word = reader.word()?;
                    vertex.material = word.number().ok_or(word)?;
                }
            }
            Ok(())
        });
        if self.model.vertices.len() >= self.head.vertex_room && !has_position {
            // Placeholders would take more memory than the file.
            self.model.influences.truncate(first_influence);
            return;
        }
        // Each has at least the bytes of a vertex of its own, which no memory holds so many of.
        let Ok(index) = u32::try_from(self.model.vertices.len()) else {
            return;
        };
        vertex.influence_count = (self.model.influences.len() - first_influence) as u8;
        if !has_position {
            self.model.bad_vertices.push(index);
        }
        self.model.vertices.push(vertex);
        let is_line_ended = self.text.pos == self.text.line_start;
        let end = self.text.line + u64::from(!is_line_ended);
        self.model.layout.push(first_line, end);
    }

    /// Reads the rest of a `vn` line.
    fn read_normal(&mut self) -> Result<[f32; 3], Found<'a>> {
        let first = self.word()?;
        self.text.unread(first);
        self.has_substitute = false;
        let normal = self.floats(0.0)?;
        self.check_length(
            &normal,
            first,
            [&repeated::ZERO_NORMAL, &repeated::NORMAL_LENGTH],
        );
        Ok(normal)
    }

    /// Counts a vector whose length is 0, or not 1: faults for these. One that has a number that is
    /// not finite is wrong for that.
    fn check_length(
        &mut self,
        vector: &[f32],
        first: Word<'a>,
        [zero, other]: [&'static repeated::Fault; 2],
    ) {
        if self.has_substitute || is_unit(vector) {
            return;
        }
        let (subject, place) = (self.text.problems.subject, first.place);
        let square = square(vector);
        if square == 0.0 {
            self.repeated.add(zero, subject, place, String::new);
        } else {
            let length = || square.sqrt().to_string();
            self.repeated.add(other, subject, place, length);
        }
    }

    /// Reads the rest of a `vw` line.
    fn read_influences(&mut self) -> Result<(), Found<'a>> {
        let mut count = 0;
        let mut negative = None;
        let line_start = self.text.pos;
        let place = self.text.place();
        let first = self.model.influences.len();
        self.has_substitute = false;
        while let Some(word) = self.text.word(false) {
            if count == MAX_INFLUENCES {
                let (subject, fault) = (self.text.problems.subject, &repeated::INFLUENCES);
                self.repeated.add(fault, subject, word.place, String::new);
                // All of the line is taken for read.
                self.text.words();
                break;
            }
            let slash = word.text.iter().position(|byte| *byte == b'/');
            let slash = slash.ok_or(word)?;
            let joint = word.part(0..slash);
            let weight = word.part(slash + 1..word.text.len());
            let joint = joint.number().ok_or(word)?;
            let value = self.float(weight, 0.0)?;
            if value < 0.0 {
                negative.get_or_insert(weight);
            }
            self.model.influences.push(Influence {
                joint,
                weight: value,
            });
            count += 1;
        }
        let has_clips = self.promised(Section::Clips).is_some_and(|clips| clips > 0);
        let ends_at_once = self.text.pos == line_start
            || self.text.bytes.get(line_start..self.text.pos) == Some(b"\r");
        let subject = self.text.problems.subject;
        if count == 0 && has_clips && ends_at_once {
            let place = self.text.place();
            self.repeated
                .add(&repeated::EMPTY_WEIGHTS, subject, place, String::new);
            return Ok(());
        }
        if !self.is_skinned {
            // The engine does not look at them.
            return Ok(());
        }
        let weights = self.model.influences.get(first..).unwrap_or_default();
        if sum_of_weights(weights) == 0.0 {
            if !self.has_substitute {
                self.repeated
                    .add(&repeated::UNWEIGHTED, subject, place, String::new);
            }
        } else if let Some(negative) = negative {
            let fault = if weights.iter().any(|influence| influence.weight > 0.0) {
                &repeated::NEGATIVE_WEIGHT
            } else {
                &repeated::NEGATED_WEIGHTS
            };
            let example = || quoted(negative.text);
            self.repeated.add(fault, subject, negative.place, example);
        }
        Ok(())
    }

    pub(super) fn read_material(&mut self) {
        let index = self.model.materials.len() as u32;
        self.text.problems.subject = Subject::Material(index);
        let line = self.text.line;
        let mut material = Material {
            name: String::new(),
            ambient: 1.0,
            diffuse: [1.0; 3],
            specular: [0.0; 3],
            texture: String::new(),
            line,
            texture_line: line,
            texture_column: 1,
        };
        self.read_entry(&MATERIAL_LINES, |reader, line| {
            match line {
                0 => {
                    let name = reader.name()?;
                    if name.text == b"__none__" {
                        let engine = "the engine stops at a material of this name";
                        reader.report_name(&rules::BAD_NAME, name, engine);
                    }
                    reader.check_name(name, Named::Material);
                    material.name = owned(name);
                }
                1 => [material.ambient] = reader.floats(0.0)?,
                2 => material.diffuse = reader.floats(0.0)?,
                3 => material.specular = reader.floats(0.0)?,
                _ => {
                    let mut name = reader.name()?;
                    let (before, last) = last_word(name);
                    let first = name.part(0..first_word_len(name));
                    // The first word alone is the name of a file.
                    if first.text.contains(&b'.') && before.text == first.text {
                        reader.report_extra_words(last);
                        name = first;
                    }
                    reader.check_name(name, Named::Texture);
                    material.texture = owned(name);
                    let (line, column) = name.place;
                    (material.texture_line, material.texture_column) = (line, column);
                }
            }
            Ok(())
        });
        if self.has_room(Section::Materials, line) {
            self.model.materials.push(material);
        }
    }

    pub(super) fn read_joint(&mut self) {
        let index = self.model.joints.len() as u32;
        self.text.problems.subject = Subject::Joint(index);
        let place = self.text.place();
        let mut joint = Joint {
            name: String::new(),
            parent: None,
            bind: IDENTITY,
            tip: [0.0; 3],
            line: place.0,
        };
        let mut parent = None;
        let mut name = place.into();
        let key = self.text.word(false);
        let is_known = key.is_some_and(|key| Section::of(key.text).is_some());
        if let Err(bad) = self.read_joint_line(&mut joint, &mut parent, &mut name) {
            // What is wrong with a line that is not known has been said.
            if is_known {
                self.unreadable(bad, JOINT_LINE[0].1);
            }
        }
        self.text.skip_line();
        if self.has_room(Section::Joints, place.0) {
            self.model.joints.push(joint);
            self.parents.push(parent);
            self.joint_names.push(name);
        }
    }

    fn read_joint_line(
        &mut self,
        joint: &mut Joint,
        parent: &mut Option<(u64, Place)>,
        name_place: &mut Place,
    ) -> Result<(), Found<'a>> {
        let word = self.word()?;
        *parent = Some((word.count().ok_or(word)?, word.into()));
        // Names may have spaces: all but the last four words.
        let mut words = self.name()?;
        let is_slashed = |word: &Word<'_>| word.text.contains(&b'/');
        if let Some((before, [a, b, c, d, extra])) = last_words(words)
            && !before.text.is_empty()
            && [a, b, c, d].iter().all(is_slashed)
            && !is_slashed(&extra)
        {
            self.report_extra_words(extra);
            (words, _) = last_word(words);
        }
        *name_place = words.into();
        let Some((name, [scale, rotation, translation, tip])) = last_words(words) else {
            joint.name = owned(words.part(0..first_word_len(words)));
            return Err(self.text.line_ends());
        };
        if name.text.is_empty() {
            if !scale.text.contains(&b'/') {
                // The first word is the name, and one of the others is missing.
                joint.name = owned(scale);
                return Err(self.text.line_ends());
            }
            let engine = "no name stands before the scale; the engine refuses the file";
            self.report_name(&rules::BAD_NAME, scale, engine);
        }
        self.check_name(name, Named::Joint);
        joint.name = owned(name);
        joint.bind = self.transform([scale, rotation, translation])?;
        joint.tip = self.slashed(tip, 0.0)?;
        Ok(())
    }

    /// Reads the transform of a joint.
    pub(super) fn transform(
        &mut self,
        [scale, rotation, translation]: [Word<'a>; 3],
    ) -> Result<Transform, Found<'a>> {
        Ok(Transform {
            scale: self.slashed(scale, 1.0)?,
            rotation: self.rotation(rotation)?,
            translation: self.slashed(translation, 0.0)?,
        })
    }

    /// The rotation that a word is.
    fn rotation(&mut self, word: Word<'a>) -> Result<Rotation, Found<'a>> {
        let components = word.text.split(|byte| *byte == b'/').count();
        self.has_substitute = false;
        if components == 3 {
            let degrees = self.slashed(word, 0.0)?;
            let (subject, fault) = (self.text.problems.subject, &repeated::EULER_ROTATION);
            self.repeated
                .add(fault, subject, word.place, || quoted(word.text));
            return Ok(Rotation::EulerDegrees(degrees));
        }
        let quaternion: [f32; 4] = self.slashed(word, 0.0)?;
        let faults = [&repeated::ROTATION, &repeated::ROTATION_LENGTH];
        self.check_length(&quaternion, word, faults);
        Ok(Rotation::ConjugatedQuaternion(quaternion))
    }

    /// Reads the three lines of bounds; none if one of them cannot be read.
    pub(super) fn read_bounds(&mut self) -> Option<Bounds> {
        let mut plain = Plain::new(self.text.bytes, self.text.pos);
        if let Some(bounds) = plain.bounds() {
            self.text.pos = plain.at;
            self.text.line_start = plain.at;
            self.text.line += BOUNDS_LINES.len() as u64;
            return Some(bounds);
        }
        let mut bounds = Bounds {
            min: [0.0; 3],
            max: [0.0; 3],
        };
        let is_read = self.read_entry(&BOUNDS_LINES, |reader, axis| {
            let place = reader.text.place();
            let [min, max] = reader.floats(0.0)?;
            if min > max {
                reader.text.report(&rules::BOUNDS_ORDER, place, || {
                    format!("bounds from {min} to {max}: min is above max")
                });
            }
            (bounds.min[axis], bounds.max[axis]) = (min, max);
            Ok(())
        });
        is_read.into_iter().all(|line| line).then_some(bounds)
    }

    /// Whether one more entry of a list is kept; reports it if it is the first that is not.
    pub(super) fn has_room(&mut self, section: Section, line: u64) -> bool {
        let has_room = self.read_count(section) < MAX_LISTED;
        if !has_room {
            self.text.report(&rules::LIMIT, (line, 1), || {
                let what = Plural(section.names().0);
                format!("no more than {MAX_LISTED} {what} are read")
            });
        }
        has_room
    }

    /// The next word of the line.
    pub(super) fn word(&mut self) -> Result<Word<'a>, Found<'a>> {
        self.text.word(false).ok_or_else(|| self.text.line_ends())
    }

    /// What is left of the line.
    pub(super) fn name(&mut self) -> Result<Word<'a>, Found<'a>> {
        self.text.words().ok_or_else(|| self.text.line_ends())
    }

    /// The numbers that the next words of the line are.
    fn floats<const N: usize>(&mut self, substitute: f32) -> Result<[f32; N], Found<'a>> {
        let mut numbers = [substitute; N];
        for number in &mut numbers {
            let word = self.word()?;
            *number = self.float(word, substitute)?;
        }
        Ok(numbers)
    }

    /// The numbers of a word, which has a slash between each two.
    fn slashed<const N: usize>(
        &mut self,
        word: Word<'a>,
        substitute: f32,
    ) -> Result<[f32; N], Found<'a>> {
        let mut numbers = [substitute; N];
        let mut start = 0;
        for (i, number) in numbers.iter_mut().enumerate() {
            let rest = word.text.get(start..).unwrap_or_default();
            let len = rest.iter().position(|byte| *byte == b'/');
            if len.is_none() != (i == N - 1) {
                return Err(word.into());
            }
            let end = start + len.unwrap_or(rest.len());
            *number = self.float(word.part(start..end), substitute)?;
            start = end + 1;
        }
        Ok(numbers)
    }

    /// The number that a word is, or a substitute if it is not finite.
    fn float(&mut self, word: Word<'a>, substitute: f32) -> Result<f32, Found<'a>> {
        let plain = plain_number(self.text.bytes, word.start);
        if let Some((number, end)) = plain
            && end == word.start + word.text.len()
        {
            return Ok(number);
        }
        let number = word.number::<f32>().ok_or(word)?;
        if number.is_finite() {
            return Ok(number);
        }
        self.has_substitute = true;
        self.text.report_alike(&rules::NOT_FINITE, word, || {
            let found = Found::from(word);
            format!("{found}; expected a finite number, {substitute} is taken")
        });
        Ok(substitute)
    }

    /// Lists a name of which the engine takes only a part, or at which it fails: it has room for 63
    /// bytes, which only the names of textures are cut off to, and looks for words, of which a joint has
    /// as many as numbers.
    pub(super) fn check_name(&mut self, name: Word<'a>, named: Named) {
        let first = first_word_len(name);
        let (is_long, has_more) = (first > ENGINE_NAME_BYTES, first < name.text.len());
        let (rule, engine) = match named {
            Named::Joint if has_more => (
                &rules::BAD_NAME,
                "the engine takes the first word, and the next for the scale",
            ),
            Named::Joint | Named::Clip if is_long => (
                &rules::BAD_NAME,
                "the engine has room for 63 bytes, and writes past it",
            ),
            Named::Material if has_more => (
                &rules::MATERIAL_NAME,
                "the engine takes the first word, and looks at no name of a material",
            ),
            Named::Texture | Named::Clip if has_more => {
                (&rules::NAME, "the engine takes only the first word")
            }
            Named::Texture if is_long => (&rules::NAME, "the engine takes only the first 63 bytes"),
            _ => return,
        };
        self.report_name(rule, name, engine);
    }

    pub(super) fn report_extra_words(&mut self, extra: Word<'a>) {
        let message = "more on the line than is read; it is ignored";
        self.text.warn(&rules::EXTRA_WORDS, extra, message);
    }

    fn report_name(&mut self, rule: &'static Rule, name: Word<'a>, engine: &str) {
        let message = || format!("{}; {engine}", Found::from(name));
        self.text.report(rule, name, message);
    }
}

/// What has a name that the engine looks at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Named {
    Material,
    Texture,
    Joint,
    Clip,
}

/// Stands in for a transform that cannot be read.
pub(super) const IDENTITY: Transform = Transform {
    scale: [1.0; 3],
    rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, 0.0, 1.0]),
    translation: [0.0; 3],
};

/// Whether a line with this first word may be that of a pose.
pub(super) fn is_pose(key: Word<'_>) -> bool {
    begins_with_digit(key.text)
}

fn begins_with_digit(key: &[u8]) -> bool {
    key.first().is_some_and(u8::is_ascii_digit)
}

/// Whether no line has this first word.
pub(super) fn is_strange(key: &[u8]) -> bool {
    Section::of(key).is_none() && !begins_with_digit(key)
}

/// The first words of some of the lines that follow the first line of a text.
pub(super) fn keys_after(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    /// So many lines too many are told from lines that are missing.
    const LINES: usize = 8;
    let next = move || {
        let end = text.iter().position(|byte| *byte == b'\n')?;
        let rest = text.get(end..)?;
        let start = rest.iter().position(|byte| !is_separator(*byte))?;
        text = rest.get(start..)?;
        text.split(|byte| is_separator(*byte)).next()
    };
    std::iter::from_fn(next).take(LINES)
}

/// The characters of a name.
pub(super) fn owned(name: Word<'_>) -> String {
    String::from_utf8_lossy(name.text).into_owned()
}

/// How long the first of several words is.
fn first_word_len(words: Word<'_>) -> usize {
    let end = words.text.iter().position(|byte| is_separator(*byte));
    end.unwrap_or(words.text.len())
}

/// The last of several words and what stands before it, perhaps nothing.
pub(super) fn last_word(words: Word<'_>) -> (Word<'_>, Word<'_>) {
    let text = words.text;
    let start = text.iter().rposition(|byte| is_separator(*byte));
    let start = start.map_or(0, |separator| separator + 1);
    let before = text[..start]
        .iter()
        .rposition(|byte| !is_separator(*byte))
        .map_or(0, |last| last + 1);
    (words.part(0..before), words.part(start..text.len()))
}

/// The last words of several and what stands before them, perhaps nothing.
pub(super) fn last_words<const N: usize>(mut words: Word<'_>) -> Option<(Word<'_>, [Word<'_>; N])> {
    let mut last = [words; N];
    for word in last.iter_mut().rev() {
        if words.text.is_empty() {
            return None;
        }
        (words, *word) = last_word(words);
    }
    Some((words, last))
}
