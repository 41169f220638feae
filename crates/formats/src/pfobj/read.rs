//! Reading PFOBJ (document section 3, fact sheet B1).
//!
//! Vertices and poses are nearly all of a file. In the usual layout of real files they are read as
//! a whole ([`Plain`]). Everything else is read line by line, by the keyword of each line. After a
//! damaged line, reading resumes at the next line with a known keyword. The announced counts
//! distinguish surplus lines from the beginning of another entry ([`Reader::balance`]).

use std::ops::ControlFlow;

use super::head::{Head, read_head};
use super::number::plain_number;
use super::plain::Plain;
use super::repeated::{self, Repeated};
use super::{
    Bounds, Influence, Joint, Layout, MAX_INFLUENCES, Material, Pfobj, PfobjError, Rotation,
    Transform, Vertex, is_unit, rules, square, sum_of_weights,
};
use crate::cursor::{Found, Text, Word, first_words, has_decimal_comma, is_separator};
use crate::{Cause, Place, Plural, Rule, Severity, Subject, conflict, counted, quoted};

/// Maximum number of materials, joints and clips that are kept. No model has as many, but a corrupt
/// file may, and each takes far more memory than its line.
const MAX_LISTED: usize = 1 << 16;
/// Bytes between two calls of the watcher.
const WATCH_BYTES: usize = 1 << 16;
/// Minimum size of a pose in a file, in bytes.
const MIN_POSE: usize = b"1 1/1/1 0/0/0 0/0/0\n".len();
/// Maximum length of the names of joints and textures in the engine.
const ENGINE_NAME_BYTES: usize = 63;

/// Returns `true` if a file that begins with these bytes is a PFOBJ file, complete or truncated.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    let mut words = first_words(bytes);
    // The number may be missing.
    words.next() == Some(b"version") && words.take(2).any(|word| word == b"num_verts")
}

/// Reads a model.
///
/// Faults that leave the rest readable are listed in [`Pfobj::problems`]. The counts of the head
/// are not binding: every entry in the file is read. The memory in use is bounded by the length of
/// `bytes`.
///
/// # Errors
/// If there is no readable vertex and no joint.
pub fn read(bytes: &[u8]) -> Result<Pfobj, PfobjError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher. The watcher gets the progress, from 0 to 1, now and then, and can stop
/// the reading.
///
/// # Errors
/// Same as [`read`], and [`PfobjError::Cancelled`] if the watcher breaks.
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

    /// Returns the section of a line with this first word.
    pub(super) fn of(key: &[u8]) -> Option<Self> {
        Self::line_of(key).map(|(section, _)| section)
    }

    /// Returns the section of a line with this first word, and the index of the line in an entry.
    pub(super) fn line_of(key: &[u8]) -> Option<(Self, usize)> {
        Self::ALL.into_iter().find_map(|section| {
            let mut lines = section.lines().iter();
            let line = lines.position(|(line, _)| line.as_bytes() == key)?;
            Some((section, line))
        })
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

    /// The noun of its entries, and the line of the head with their number.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Vertices => ("vertex", "num_verts"),
            Self::Materials => ("material", "num_materials"),
            Self::Joints => ("joint", "num_joints"),
            Self::Clips => ("clip", "num_as"),
            Self::Bounds => ("bounds", "has_collision"),
        }
    }
}

/// First words of lines, and the form of each line in messages.
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

/// Number of lines with each first word beyond the announced number, by section and line of an
/// entry. Negative if lines are missing.
type Balance = [[i64; 5]; 5];

/// A model while it is read.
pub(super) struct Reader<'a, 'w> {
    pub text: Text<'a>,
    pub head: Head,
    pub model: Pfobj,
    /// Offset of the end of the head.
    body: usize,
    /// Number of problems before the current record.
    record: usize,
    /// The parent of each joint as written (from 1, 0 for none), if it could be read.
    pub parents: Vec<Option<(u64, Place)>>,
    /// Faults that many values share.
    pub repeated: Repeated,
    /// `true` if the head announces joints and clips: the engine then uses weights.
    is_skinned: bool,
    /// `true` if a number was not finite and was replaced.
    has_substitute: bool,
    /// The section that is being read.
    section: Section,
    /// `true` for each section whose wrong length has been reported.
    reported_short: [bool; 5],
    reported_long: [bool; 5],
    /// The first damage in each section, or its wrong length.
    pub damage: [Option<Cause>; 5],
    /// Counted at the first damage.
    balance: Option<Balance>,
    /// Poses of each frame, known from the first clip on.
    pub poses: Option<usize>,
    /// Number of poses that fit into the rest of the file.
    pub pose_room: usize,
    /// Places of the names of joints and clips.
    pub joint_names: Vec<Place>,
    pub clip_names: Vec<Place>,
    watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
    next_watch: usize,
}

impl<'a, 'w> Reader<'a, 'w> {
    pub(super) fn new(
        text: Text<'a>,
        mut head: Head,
        watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Self {
        let announced = |section: Section| head.announced[section as usize].unwrap_or(0);
        let vertices = usize::try_from(announced(Section::Vertices)).unwrap_or(usize::MAX);
        let vertices = head.vertex_room.min(vertices);
        Self {
            is_skinned: announced(Section::Joints) > 0 && announced(Section::Clips) > 0,
            model: Pfobj {
                has_bounds: announced(Section::Bounds) > 0,
                version: std::mem::take(&mut head.version),
                vertices: Vec::with_capacity(vertices),
                influences: Vec::new(),
                materials: Vec::new(),
                joints: Vec::new(),
                clips: Vec::new(),
                bounds: None,
                layout: Layout::new(),
                bad_vertices: Vec::new(),
                crlf: head.crlf,
                problems: Vec::new(),
                notes: Vec::new(),
            },
            has_substitute: false,
            body: text.pos,
            record: 0,
            head,
            parents: Vec::new(),
            repeated: Repeated::default(),
            section: Section::Vertices,
            reported_short: [false; 5],
            reported_long: [false; 5],
            damage: [None; 5],
            balance: None,
            poses: None,
            pose_room: text.bytes.len() / MIN_POSE,
            joint_names: Vec::new(),
            clip_names: Vec::new(),
            text,
            watch,
            next_watch: 0,
        }
    }

    fn read(mut self) -> Result<Pfobj, PfobjError> {
        self.read_body()?;
        self.read_end();
        self.text.problems.cause = None;
        self.check();
        let mut model = self.model;
        let has_joint = self.parents.iter().any(Option::is_some);
        if model.vertices.len() == model.bad_vertices.len() && !has_joint {
            let end = self.text.found_file_end();
            let none = || end.error(&rules::NO_VERTICES, VERTEX_LINES[0].1);
            return Err(self.text.first_error.unwrap_or_else(none));
        }
        let found = self.text.problems.finish().into_iter();
        (model.notes, model.problems) =
            found.partition(|problem| problem.severity == Severity::Note);
        Ok(model)
    }

    fn read_body(&mut self) -> Result<(), PfobjError> {
        loop {
            self.begin_record(Subject::File);
            let Some(key) = self.peek() else {
                break;
            };
            self.report_progress()?;
            let is_whole = self.is_whole();
            if is_whole && self.section == Section::Bounds {
                break;
            }
            match Section::line_of(key.text) {
                Some(line) if self.is_surplus_line(line) => self.skip_broken(key, self.expected()),
                Some((section, _)) => {
                    self.enter(section, key);
                    self.read_next(section)?;
                }
                None if is_whole => break,
                None if self.is_stray_pose(key) => self.read_stray_frames(key)?,
                None => self.read_unknown(key)?,
            }
        }
        Ok(())
    }

    /// Reads the next entry of a section, or several vertices.
    fn read_next(&mut self, section: Section) -> Result<(), PfobjError> {
        match section {
            Section::Vertices => {
                self.read_vertex();
                let left = self.announced(section).unwrap_or(u64::MAX);
                while (self.model.vertices.len() as u64) < left && self.read_plain_vertex() {
                    self.report_progress()?;
                }
            }
            Section::Materials => self.read_material(),
            // Clips have poses only for the joints before them.
            Section::Joints if self.model.clips.is_empty() => self.read_joint(),
            Section::Joints => self.text.skip_line(),
            Section::Clips => self.read_clip(true)?,
            Section::Bounds => {
                self.text.problems.subject = Subject::BindBounds;
                self.model.bounds = self.read_bounds();
                // Their faults have been reported.
                self.reported_short[section as usize] = true;
            }
        }
        Ok(())
    }

    /// Skips a line with an unknown first word. If an entry is missing, the line counts as that
    /// entry.
    fn read_unknown(&mut self, key: Word<'a>) -> Result<(), PfobjError> {
        let line = self.text.line;
        let next = self.next_section();
        if next == Some(Section::Vertices) {
            self.text.problems.subject = Subject::Vertex(self.model.vertices.len() as u32);
        }
        self.skip_broken(key, self.expected());
        match next.filter(|next| self.take_missing(*next)) {
            Some(Section::Vertices) => {
                let first_influence = self.model.influences.len();
                self.add_vertex(default_vertex(first_influence), false, line);
            }
            Some(Section::Materials) => self.add_material(default_material(line)),
            Some(Section::Joints) if self.model.clips.is_empty() => self.add_unknown_joint(line),
            Some(Section::Clips) => self.read_clip(false)?,
            _ => {}
        }
        Ok(())
    }

    /// Reports a damaged record. Later problems are its consequences, up to the next whole record.
    pub(super) fn broken<'f>(
        &mut self,
        rule: &'static Rule,
        found: impl Into<Found<'f>>,
        expected: &str,
    ) {
        // A smaller problem of the same record is the first sign of the damage.
        let problems = &mut self.text.problems;
        problems.cause = problems.cause.or(problems.first_since(self.record));
        self.text.wrong(rule, found, expected);
        let problems = &mut self.text.problems;
        problems.cause = problems.cause.or(problems.last());
        let damage = &mut self.damage[self.section as usize];
        *damage = damage.or(problems.cause);
    }

    /// Reports a line in place of another one, and skips it.
    pub(super) fn skip_broken(&mut self, key: Word<'a>, expected: &str) {
        self.broken(&rules::LINE, key, expected);
        self.text.skip_line();
    }

    /// Begins the record that later problems are about.
    pub(super) fn begin_record(&mut self, subject: Subject) {
        self.text.problems.subject = subject;
        self.record = self.text.problems.checkpoint();
    }

    /// Ends the scope of the last damage: a whole record was read.
    pub(super) fn is_intact(&mut self) {
        self.text.problems.cause = None;
    }

    /// `true` if the next line is surplus: the file has more such lines than announced, and the
    /// line copies the previous one or does not begin an entry that is due.
    fn is_surplus_line(&mut self, (section, line): (Section, usize)) -> bool {
        let is_due = line == 0
            && section >= self.section
            && self.next_section().is_none_or(|next| section <= next);
        (!is_due || self.repeats_line()) && self.take_surplus((section, line))
    }

    /// `true` if the next line equals the previous one.
    pub(super) fn repeats_line(&self) -> bool {
        let Some((before, rest)) = self.text.bytes.split_at_checked(self.text.line_start) else {
            return false;
        };
        let mut before = before.rsplit(|byte| *byte == b'\n').skip(1);
        rest.split(|byte| *byte == b'\n').next() == before.next()
    }

    fn balance(&mut self) -> &mut Balance {
        let balance = self.balance.take().unwrap_or_else(|| self.count_lines());
        self.balance.insert(balance)
    }

    fn count_lines(&self) -> Balance {
        let mut balance = Balance::default();
        let body = self.text.bytes.get(self.body..).unwrap_or_default();
        for (section, line) in lines(body).filter_map(|line| Section::line_of(first_word(line))) {
            balance[section as usize][line] += 1;
        }
        let counted = Some(self.head.frame_counts.len() as u64);
        for section in Section::ALL {
            let announced = match (section, self.announced(section)) {
                (Section::Bounds, Some(1)) if counted == self.announced(Section::Clips) => {
                    Some(self.head.all_frames.saturating_add(1))
                }
                (Section::Bounds, _) => None,
                (_, announced) => announced,
            };
            let lines = &mut balance[section as usize];
            match announced.and_then(|announced| i64::try_from(announced).ok()) {
                Some(announced) => lines.iter_mut().for_each(|line| *line -= announced),
                None => *lines = [0; 5],
            }
        }
        balance
    }

    /// Consumes one surplus line, if there is one.
    pub(super) fn take_surplus(&mut self, (section, line): (Section, usize)) -> bool {
        let surplus = &mut self.balance()[section as usize][line];
        let has_surplus = *surplus > 0;
        *surplus -= i64::from(has_surplus);
        has_surplus
    }

    /// `true` if lines of announced entries are missing altogether.
    pub(super) fn is_missing(&mut self, section: Section) -> bool {
        let lines = section.lines().len();
        self.balance()[section as usize]
            .iter()
            .take(lines)
            .all(|line| *line < 0)
    }

    /// Consumes one missing entry, if there is one.
    pub(super) fn take_missing(&mut self, section: Section) -> bool {
        let is_missing = self.is_missing(section);
        let lines = self.balance()[section as usize].iter_mut();
        lines.for_each(|line| *line += i64::from(is_missing));
        is_missing
    }

    /// `true` if the next line is a pose outside a clip.
    fn is_stray_pose(&self, key: Word<'_>) -> bool {
        let next = self.next_section();
        is_pose(key.text)
            && !self.model.joints.is_empty()
            && next.is_none_or(|next| next >= Section::Clips)
    }

    /// Reads frames outside clips: those of a clip whose line is missing, or surplus frames of a
    /// clip.
    fn read_stray_frames(&mut self, mut key: Word<'a>) -> Result<(), PfobjError> {
        if self.take_missing(Section::Clips) {
            self.enter(Section::Clips, key);
            self.broken(&rules::LINE, key, CLIP_LINE[0].1);
            return self.read_clip(false);
        }
        self.broken(&rules::LINE, key, self.expected());
        while is_pose(key.text) {
            self.report_progress()?;
            self.text.skip_line();
            // Bounds at the end of a frame are not those of the bind pose.
            if self.model.has_bounds && self.peek().is_some_and(is_bounds) {
                self.read_bounds();
            }
            match self.peek() {
                Some(next) => key = next,
                None => break,
            }
        }
        Ok(())
    }

    /// `true` if the engine skips the weights: the model has no clips.
    pub(super) fn ignores_weights(&self) -> bool {
        self.announced(Section::Clips) == Some(0) && self.model.clips.is_empty()
    }

    /// Reports the progress to the watcher.
    pub(super) fn report_progress(&mut self) -> Result<(), PfobjError> {
        if self.text.pos >= self.next_watch {
            self.next_watch = self.text.pos + WATCH_BYTES;
            if (self.watch)(self.text.pos as f32 / self.text.bytes.len() as f32).is_break() {
                return Err(PfobjError::Cancelled);
            }
        }
        Ok(())
    }

    /// Returns the first word of the next line that is not blank, without reading it.
    pub(super) fn peek(&mut self) -> Option<Word<'a>> {
        let line = self.text.line;
        let word = self.text.word(true)?;
        if word.place.0 != line {
            let message = "blank line; the engine refuses it";
            self.text.warn(&rules::BLANK_LINE, (line, 1), message);
        }
        self.text.unread(word);
        Some(word)
    }

    /// Number of entries of a section that have been read.
    fn read_count(&self, section: Section) -> usize {
        match section {
            Section::Vertices => self.model.vertices.len(),
            Section::Materials => self.model.materials.len(),
            Section::Joints => self.model.joints.len(),
            Section::Clips => self.model.clips.len(),
            Section::Bounds => usize::from(self.model.bounds.is_some()),
        }
    }

    /// Number of entries of a section that the head announces.
    pub(super) fn announced(&self, section: Section) -> Option<u64> {
        self.head.announced[section as usize]
    }

    fn is_short(&self, section: Section) -> bool {
        let announced = self.announced(section).unwrap_or(0);
        (self.read_count(section) as u64) < announced
    }

    /// `true` if all announced entries were read, as far as their number is known.
    fn is_whole(&self) -> bool {
        let is_whole = |section| self.announced(section).is_some() && !self.is_short(section);
        Section::ALL.into_iter().all(is_whole)
    }

    /// The section of the next entry.
    fn next_section(&self) -> Option<Section> {
        let mut sections = Section::ALL.into_iter();
        sections.find(|section| *section >= self.section && self.is_short(*section))
    }

    /// The expected beginning of the next line.
    fn expected(&self) -> &'static str {
        let next = self.next_section();
        next.map_or("the end of the file", |section| section.lines()[0].1)
    }

    /// Moves on to a section of the file, and reports it if it is not the next one.
    fn enter(&mut self, section: Section, key: Word<'a>) {
        if section < self.section {
            let (cause, expected) = (self.damage[section as usize], self.expected());
            self.text.wrong_after(cause, &rules::ORDER, key, expected);
        }
        for before in Section::ALL.into_iter().filter(|before| *before < section) {
            self.check_short(before, &key.into());
        }
        self.section = self.section.max(section);
        self.check_long(section, key);
    }

    /// Reports a section that is too long, once. A line of it is next.
    pub(super) fn check_long(&mut self, section: Section, key: Word<'a>) {
        let read = self.read_count(section);
        let Some(announced) = self.announced(section) else {
            self.model.has_bounds |= section == Section::Bounds;
            return;
        };
        if (read as u64) < announced
            || std::mem::replace(&mut self.reported_long[section as usize], true)
        {
            return;
        }
        self.report_length(section, &rules::COUNT, key.into(), || {
            let (_, count) = section.names();
            let count_is = match (section, announced) {
                (Section::Bounds, 0) => "none".to_owned(),
                (Section::Bounds, _) => "1 for the bind pose".to_owned(),
                _ => announced.to_string(),
            };
            let key = quoted(key.text);
            format!("found more {key} lines; expected {count_is}, as declared by `{count}`")
        });
    }

    /// Reports a section that is too short, once.
    fn check_short(&mut self, section: Section, found: &Found<'_>) {
        if std::mem::replace(&mut self.reported_short[section as usize], true)
            || !self.is_short(section)
        {
            return;
        }
        let read = self.read_count(section);
        let announced = self.announced(section).unwrap_or(0);
        let (what, count) = section.names();
        let rule = match section {
            Section::Bounds => &rules::BOUNDS,
            _ => &rules::COUNT,
        };
        self.report_length(section, rule, found.place, || {
            if section == Section::Bounds {
                let bounds = BOUNDS_LINES[0].1;
                return format!("{found}; expected {bounds} of the bind pose");
            }
            let read = counted(read, what);
            format!("{found} after {read}; expected {announced}, as declared by `{count}`")
        });
    }

    /// Reports a section whose length differs from the head. Its cause is damage in it, or a fault
    /// of the number in the head.
    fn report_length(
        &mut self,
        section: Section,
        rule: &'static Rule,
        place: Place,
        message: impl FnOnce() -> String,
    ) {
        let known = self.damage[section as usize].or(self.head.count_faults[section as usize]);
        let read = self.read_count(section) as u32;
        let problems = &mut self.text.problems;
        let subject = match section {
            Section::Vertices => Subject::Vertex(read.saturating_sub(1)),
            _ => problems.subject,
        };
        problems.add_consequence(known, rule, subject, place, message);
        problems.cause = known.or(problems.cause).or(problems.last());
        self.damage[section as usize] = problems.cause;
    }

    /// Checks the text after the last record.
    fn read_end(&mut self) {
        self.text.problems.subject = Subject::File;
        let is_line_ended = self.text.pos == self.text.line_start;
        if self.text.rest().is_empty() {
            self.text.check_line_length();
        }
        let is_short =
            |section: &Section| self.is_short(*section) && !self.reported_short[*section as usize];
        if let Some(section) = Section::ALL.into_iter().find(is_short) {
            self.check_short(section, &self.text.found_file_end());
        }
        let after = "the end of the model";
        let (trailing, last_line) = (&rules::TRAILING_DATA, &rules::LAST_LINE);
        self.text
            .check_end(trailing, last_line, after, is_line_ended);
    }

    /// Lists something unreadable. A program with the locale of its user may write every number
    /// with a decimal comma: that is one problem instead of one for each line.
    pub(super) fn unreadable(&mut self, found: Found<'a>, expected: &str) {
        if found.word.is_some_and(has_decimal_comma) {
            let lost = "lines with such numbers are left out";
            self.text
                .report_decimal_comma(&rules::DECIMAL_COMMA, found, lost);
        } else {
            self.broken(&rules::VALUE, found, expected);
        }
    }

    /// Reads the lines of an entry, as far as they exist. `read_line` is called with the index of
    /// each line, at the text after its first word. Returns which lines could be read.
    fn read_entry<const N: usize>(
        &mut self,
        section: Section,
        mut read_line: impl FnMut(&mut Self, usize) -> Result<(), Found<'a>>,
    ) -> [bool; N] {
        let lines = section.lines();
        let mut is_read = [false; N];
        let mut next = 0;
        while next < N {
            let expected = lines[next].1;
            let Some(key) = self.peek() else {
                self.broken(&rules::LINE, self.text.found_file_end(), expected);
                break;
            };
            match Section::line_of(key.text) {
                Some(line) if line != (section, next) && self.take_surplus(line) => {
                    self.skip_broken(key, expected);
                }
                Some((of, line)) if of == section && line >= next => {
                    if line > next {
                        self.broken(&rules::LINE, key, expected);
                    }
                    self.text.pos += key.text.len();
                    match read_line(self, line) {
                        Ok(()) => {
                            is_read[line] = true;
                            self.text.end_line();
                        }
                        Err(bad) => {
                            self.unreadable(bad, lines[line].1);
                            self.text.skip_line();
                        }
                    }
                    next = line + 1;
                }
                // Another entry begins.
                line if line.is_some() || (section == Section::Bounds && is_pose(key.text)) => {
                    self.broken(&rules::LINE, key, expected);
                    break;
                }
                _ => self.skip_broken(key, expected),
            }
        }
        if is_read.iter().all(|line| *line) {
            self.is_intact();
        }
        is_read
    }

    /// Reads a vertex in the usual layout of real files. Reads nothing if the layout differs.
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
        self.is_intact();
        true
    }

    /// Reads a vertex.
    fn read_vertex(&mut self) {
        if self.read_plain_vertex() {
            return;
        }
        self.text.problems.subject = Subject::Vertex(self.model.vertices.len() as u32);
        let first_line = self.text.line;
        let mut vertex = default_vertex(self.model.influences.len());
        let [has_position, _, _, _, _] = self.read_entry(Section::Vertices, |reader, line| {
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
        self.add_vertex(vertex, has_position, first_line);
    }

    /// Adds a vertex and the influences that were added for it.
    fn add_vertex(&mut self, mut vertex: Vertex, has_position: bool, first_line: u64) {
        let first_influence = vertex.first_influence as usize;
        if self.model.vertices.len() >= self.head.vertex_room && !has_position {
            // Placeholders would take more memory than the file.
            self.model.influences.truncate(first_influence);
            return;
        }
        // Each takes at least the bytes of a vertex in the file, so their number fits `u32` for any
        // file that fits into memory.
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

    /// Counts a vector whose length is 0, or not 1, as the respective fault. A vector with a number
    /// that is not finite has another fault already.
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

    /// Reads the rest of a `vw` line. The engine skips it in a model without clips, regardless of
    /// its content.
    fn read_influences(&mut self) -> Result<(), Found<'a>> {
        let first = self.model.influences.len();
        let place = self.text.place();
        self.has_substitute = false;
        let negative = match self.read_weights() {
            Err(_) if self.ignores_weights() => {
                self.model.influences.truncate(first);
                self.text.words();
                return Ok(());
            }
            read => read?,
        };
        if self.text.rest().is_empty() {
            // The line may be truncated.
            return Ok(());
        }
        let subject = self.text.problems.subject;
        let weights = self.model.influences.get(first..).unwrap_or_default();
        let has_clips = self.announced(Section::Clips) > Some(0);
        let ends_at_once = matches!(self.text.rest().first(), Some(b'\r' | b'\n'));
        if weights.is_empty() && has_clips && ends_at_once && self.text.place() == place {
            self.repeated
                .add(&repeated::EMPTY_WEIGHTS, subject, place, String::new);
        } else if !self.is_skinned {
            // The engine ignores them.
        } else if sum_of_weights(weights) == 0.0 {
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

    /// Reads pairs of joint and weight up to the end of the line. Returns the first weight below 0.
    fn read_weights(&mut self) -> Result<Option<Word<'a>>, Found<'a>> {
        let is_ignored = self.ignores_weights();
        let mut negative = None;
        let mut count = 0;
        while let Some(word) = self.text.word(false) {
            if count == MAX_INFLUENCES {
                let (subject, fault) = (self.text.problems.subject, &repeated::INFLUENCES);
                if !is_ignored {
                    self.repeated.add(fault, subject, word.place, String::new);
                }
                // The rest of the line counts as read.
                self.text.words();
                break;
            }
            let slash = word
                .text
                .iter()
                .position(|byte| *byte == b'/')
                .ok_or(word)?;
            let joint = word.part(0..slash).number().ok_or(word)?;
            let weight = word.part(slash + 1..word.text.len());
            let value = if is_ignored {
                weight
                    .number()
                    .filter(|weight: &f32| weight.is_finite())
                    .ok_or(word)?
            } else {
                self.float(weight, 0.0)?
            };
            if value < 0.0 {
                negative.get_or_insert(weight);
            }
            self.model.influences.push(Influence {
                joint,
                weight: value,
            });
            count += 1;
        }
        Ok(negative)
    }

    pub(super) fn read_material(&mut self) {
        let index = self.model.materials.len() as u32;
        self.text.problems.subject = Subject::Material(index);
        let mut material = default_material(self.text.line);
        let _: [bool; 5] = self.read_entry(Section::Materials, |reader, line| {
            match line {
                0 => {
                    let name = reader.name()?;
                    if name.text == b"__none__" {
                        let engine = "the engine reserves this name and stops reading";
                        reader.report_name(&rules::BAD_NAME, name, engine);
                    }
                    reader.check_name(name, NameKind::Material);
                    material.name = owned(name);
                }
                1 => [material.ambient] = reader.floats(0.0)?,
                2 => material.diffuse = reader.floats(0.0)?,
                3 => material.specular = reader.floats(0.0)?,
                _ => {
                    let name = reader.name()?;
                    reader.check_name(name, NameKind::Texture);
                    material.texture = owned(name);
                    (material.texture_line, material.texture_column) = name.place;
                }
            }
            Ok(())
        });
        self.add_material(material);
    }

    fn add_material(&mut self, material: Material) {
        if self.has_room(Section::Materials, material.line) {
            self.model.materials.push(material);
        }
    }

    pub(super) fn read_joint(&mut self) {
        let index = self.model.joints.len() as u32;
        self.text.problems.subject = Subject::Joint(index);
        let mut joint = default_joint(self.text.line);
        let mut parent = None;
        let mut name = Place::line(joint.line);
        self.text.word(false);
        match self.read_joint_line(&mut joint, &mut parent, &mut name) {
            Ok(()) => self.is_intact(),
            Err(bad) => self.unreadable(bad, JOINT_LINE[0].1),
        }
        self.text.skip_line();
        self.add_joint(joint, parent, name);
    }

    fn add_joint(&mut self, joint: Joint, parent: Option<(u64, Place)>, name: Place) {
        if self.has_room(Section::Joints, joint.line) {
            self.model.joints.push(joint);
            self.parents.push(parent);
            self.joint_names.push(name);
        }
    }

    /// Adds a joint whose line is missing.
    pub(super) fn add_unknown_joint(&mut self, line: u64) {
        self.add_joint(default_joint(line), None, Place::line(line));
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
        let words = self.name()?;
        *name_place = words.into();
        let Some((name, [scale, rotation, translation, tip])) = last_words(words) else {
            joint.name = owned(words.part(0..first_word_len(words)));
            return Err(self.text.found_line_end());
        };
        if name.text.is_empty() {
            if !scale.text.contains(&b'/') {
                // The first word is the name, and one of the others is missing.
                joint.name = owned(scale);
                return Err(self.text.found_line_end());
            }
            let engine = "missing name before the scale; the engine refuses the file";
            self.report_name(&rules::BAD_NAME, scale, engine);
        }
        self.check_name(name, NameKind::Joint);
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

    /// Parses a word as a rotation.
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

    /// Reads the three lines of bounds; `None` if one of them cannot be read.
    pub(super) fn read_bounds(&mut self) -> Option<Bounds> {
        let mut plain = Plain::new(self.text.bytes, self.text.pos);
        if let Some(bounds) = plain.bounds() {
            self.text.pos = plain.at;
            self.text.line_start = plain.at;
            self.text.line += BOUNDS_LINES.len() as u64;
            self.is_intact();
            return Some(bounds);
        }
        let mut bounds = Bounds {
            min: [0.0; 3],
            max: [0.0; 3],
        };
        let is_read: [bool; 3] = self.read_entry(Section::Bounds, |reader, axis| {
            let place = reader.text.place();
            let [min, max] = reader.floats(0.0)?;
            if min > max {
                let (subject, fault) = (reader.text.problems.subject, &repeated::BOUNDS_ORDER);
                let example = || format!("from {min} to {max}");
                reader.repeated.add(fault, subject, place, example);
            }
            (bounds.min[axis], bounds.max[axis]) = (min, max);
            Ok(())
        });
        is_read.into_iter().all(|line| line).then_some(bounds)
    }

    /// `true` if one more entry of a list is kept. Reports the first one that is not.
    pub(super) fn has_room(&mut self, section: Section, line: u64) -> bool {
        let has_room = self.read_count(section) < MAX_LISTED;
        if !has_room {
            self.text.report(&rules::LIMIT, (line, 1), || {
                let what = Plural(section.names().0);
                format!("more than {MAX_LISTED} {what}; the rest is ignored")
            });
        }
        has_room
    }

    /// Reads the next word of the line.
    pub(super) fn word(&mut self) -> Result<Word<'a>, Found<'a>> {
        self.text
            .word(false)
            .ok_or_else(|| self.text.found_line_end())
    }

    /// Reads the rest of the line.
    pub(super) fn name(&mut self) -> Result<Word<'a>, Found<'a>> {
        self.text.words().ok_or_else(|| self.text.found_line_end())
    }

    /// Parses the next words of the line as numbers.
    fn floats<const N: usize>(&mut self, substitute: f32) -> Result<[f32; N], Found<'a>> {
        let mut numbers = [substitute; N];
        for number in &mut numbers {
            let word = self.word()?;
            *number = self.float(word, substitute)?;
        }
        Ok(numbers)
    }

    /// Parses the numbers of a word, separated by slashes.
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

    /// Parses a word as a number; returns the substitute if it is not finite.
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
        self.text.report_grouped(&rules::NOT_FINITE, word, || {
            let found = Found::from(word);
            format!("{found}; expected a finite number, {substitute} is used")
        });
        Ok(substitute)
    }

    /// Lists a name that the engine truncates or fails on. The engine has room for 63 bytes, and
    /// truncates only the names of textures. It splits names into words, and expects a fixed number
    /// of words in the line of a joint.
    pub(super) fn check_name(&mut self, name: Word<'a>, named: NameKind) {
        let first = first_word_len(name);
        let (is_long, has_more) = (first > ENGINE_NAME_BYTES, first < name.text.len());
        let (rule, engine) = match named {
            NameKind::Joint if has_more => (
                &rules::BAD_NAME,
                "the engine reads the first word as the name and the next as the scale",
            ),
            NameKind::Joint | NameKind::Clip if is_long => (
                &rules::BAD_NAME,
                "the engine overflows its buffer of 63 bytes",
            ),
            NameKind::Material if has_more => (
                &rules::MATERIAL_NAME,
                "the engine reads the first word and ignores material names",
            ),
            NameKind::Texture | NameKind::Clip if has_more => {
                (&rules::NAME, "the engine reads only the first word")
            }
            NameKind::Texture if is_long => {
                (&rules::NAME, "the engine reads only the first 63 bytes")
            }
            _ => return,
        };
        self.report_name(rule, name, engine);
    }

    fn report_name(&mut self, rule: &'static Rule, name: Word<'a>, engine: &str) {
        let message = || format!("{}; {engine}", Found::from(name));
        self.text.report(rule, name, message);
    }
}

/// The kinds of names that the engine reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum NameKind {
    Material,
    Texture,
    Joint,
    Clip,
}

fn default_vertex(first_influence: usize) -> Vertex {
    Vertex {
        position: [0.0; 3],
        uv: [0.0; 2],
        normal: [0.0, 1.0, 0.0],
        first_influence: u32::try_from(first_influence).unwrap_or(u32::MAX),
        influence_count: 0,
        material: 0,
    }
}

fn default_material(line: u64) -> Material {
    Material {
        name: String::new(),
        ambient: 1.0,
        diffuse: [1.0; 3],
        specular: [0.0; 3],
        texture: String::new(),
        line,
        texture_line: line,
        texture_column: 1,
    }
}

fn default_joint(line: u64) -> Joint {
    Joint {
        name: String::new(),
        parent: None,
        bind: Transform {
            scale: [1.0; 3],
            rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, 0.0, 1.0]),
            translation: [0.0; 3],
        },
        tip: [0.0; 3],
        line,
    }
}

/// `true` if a line with this first word is a pose: the word is an integer.
pub(super) fn is_pose(key: &[u8]) -> bool {
    let digits = key.strip_prefix(b"-").unwrap_or(key);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

pub(super) fn is_bounds(key: Word<'_>) -> bool {
    Section::of(key.text) == Some(Section::Bounds)
}

/// The lines of a text.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
}

/// The first word of a line; empty if it has none.
pub(super) fn first_word(line: &[u8]) -> &[u8] {
    let mut words = line.split(|byte| is_separator(*byte));
    words.find(|word| !word.is_empty()).unwrap_or_default()
}

/// Copies a name.
pub(super) fn owned(name: Word<'_>) -> String {
    String::from_utf8_lossy(name.text).into_owned()
}

/// Length of the first of several words.
fn first_word_len(words: Word<'_>) -> usize {
    let end = words.text.iter().position(|byte| is_separator(*byte));
    end.unwrap_or(words.text.len())
}

/// Splits off the last of several words; the rest may be empty.
pub(super) fn last_word(words: Word<'_>) -> (Word<'_>, Word<'_>) {
    let text = words.text;
    let start = text
        .iter()
        .rposition(|byte| is_separator(*byte))
        .map_or(0, |separator| separator + 1);
    let before = text[..start]
        .iter()
        .rposition(|byte| !is_separator(*byte))
        .map_or(0, |last| last + 1);
    (words.part(0..before), words.part(start..text.len()))
}

/// Splits off the last words of several; the rest may be empty.
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
