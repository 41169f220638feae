//! Reading clips (document section 3.5): a line that names one, and of each frame the poses of
//! all joints and, if there is collision data, the bounds.
//!
//! What a line is, is known by its first word: the number of a joint or the name of bounds. So a
//! frame with a line too few, or one that cannot be read, is left out, and those after it are read
//! again. A line that is nothing that is known stands for the one that is expected where that one
//! is missing, and is one too many where it follows.

use super::plain::Plain;
use super::read::{
    Named, Reader, Section, is_pose, is_strange, keys_after, last_word, last_words, owned,
};
use super::{Bounds, Clip, PfobjError, Transform, rules};
use crate::cursor::{Found, Word, first_words};
use crate::{Cause, Place, Subject, counted, quoted};

const POSE: &str = "`<joint> <x/y/z scale> <x/y/z/w rotation> <x/y/z translation>`";
const BOUNDS: &str = "`x_bounds <min> <max>` of the frame";

/// A clip while it is read.
struct ClipReader {
    clip: Clip,
    /// How many frames its own line says there are, and the head.
    promised: [Option<u64>; 2],
    /// How many frames there are, whole or not.
    seen: u64,
    /// Whether a whole frame has numbered its joints as they should be, from 1.
    is_numbered: bool,
    /// Whether a frame has no bounds.
    lacks_bounds: bool,
    /// Whether it has been reported that there are more frames than promised.
    reported_long: bool,
    /// Why what is left of a frame was skipped.
    skipped: Option<Cause>,
    /// Whether the file ends in a frame.
    is_cut: bool,
}

impl<'a> Reader<'a, '_> {
    /// Reads a clip; its first word is next, `as` or what stands for it.
    pub(super) fn read_clip(&mut self) -> Result<(), PfobjError> {
        let index = self.model.clips.len() as u32;
        self.text.problems.subject = Subject::Clip(index);
        let (mut clip, name) = self.read_clip_line();
        // Clips of whose frames nothing is to follow may be alike.
        let has_lines = !self.model.joints.is_empty() || self.model.has_bounds;
        if has_lines
            && clip.promised[0] != Some(0)
            && let Some(key) = self.peek()
            && Section::of(key.text) == Some(Section::Clips)
        {
            self.skip_same_line(key);
        }
        let joints = self.model.joints.len();
        while let Some(key) = self.peek() {
            self.look_up()?;
            self.text.problems.subject = Subject::Frame {
                clip: index,
                frame: clip.clip.frame_count,
            };
            if is_pose(key) && joints > 0 {
                // A first pose with another number is followed by the second.
                let is_first = key.number() == Some(1_u32)
                    || keys_after(self.text.rest()).next() == Some(b"2");
                if clip.is_numbered && !is_first {
                    self.skip_to_frame(key);
                    clip.skipped = clip.skipped.or(self.frame_cause);
                    continue;
                }
                self.check_long_clip(&mut clip, key);
                self.read_frame(&mut clip, joints);
            } else if joints == 0 && clip.is_short() && (is_bounds(key) || self.bounds_follow(key))
            {
                // Frames of a model that does not move.
                self.read_frame(&mut clip, joints);
            } else if clip.is_short() && self.begins_frame(key) {
                self.read_frame(&mut clip, joints);
            } else if Section::of(key.text).is_none() && clip.is_short() && joints > 0 {
                self.text.wrong(&rules::LINE, key, POSE);
                self.text.skip_line();
            } else {
                break;
            }
        }
        self.text.problems.subject = Subject::Clip(index);
        self.check_short_clip(&clip);
        let line = clip.clip.line;
        if self.has_room(Section::Clips, line) {
            if clip.lacks_bounds {
                clip.clip.bounds = Vec::new();
            }
            self.model.clips.push(clip.clip);
            self.clip_names.push(name);
        }
        Ok(())
    }

    /// Name and frames of the clip with this index, by the line that begins it; none where it does not
    /// say what the head says.
    pub(super) fn skim_clip_line(&mut self, index: u64) -> Option<(String, u64)> {
        let of_head = self.head.frame_counts.get(usize::try_from(index).ok()?);
        self.text.pos += 2;
        let mut name = String::new();
        let mut promised = [None, of_head.copied()];
        self.read_clip_words(&mut name, &mut promised).ok()?;
        self.text.skip_line();
        let [own, of_head] = promised;
        Some((name, own.filter(|_| own == of_head)?))
    }

    /// Reads the line that begins a clip; also gives where it has its name.
    fn read_clip_line(&mut self) -> (ClipReader, Place) {
        let line = self.text.line;
        let key = self.text.word(false);
        let is_known = key.is_some_and(|key| Section::of(key.text).is_some());
        self.text.skip_separators(false);
        let name_place = self.text.place().into();
        let mut name = String::new();
        let head = self.head.frame_counts.get(self.model.clips.len()).copied();
        let mut promised = [None, head];
        if let Err(bad) = self.read_clip_words(&mut name, &mut promised)
            && is_known
        {
            let expected = Section::Clips.lines()[0].1;
            self.unreadable(bad, expected);
        }
        self.text.skip_line();
        // Memory is taken at once if the file has room for the frames of all clips together.
        const MIN_POSE: usize = b"1 1/1/1 0/0/0 0/0/0\n".len();
        let joints = self.model.joints.len() as u64;
        let all_poses = self.head.all_frames.saturating_mul(joints);
        let is_kept =
            promised[0] == promised[1] && all_poses <= (self.text.bytes.len() / MIN_POSE) as u64;
        let poses = promised[0].filter(|_| is_kept).unwrap_or(0) * joints;
        let clip = ClipReader {
            clip: Clip {
                name,
                frame_count: 0,
                poses: Vec::with_capacity(poses as usize),
                bounds: Vec::new(),
                line,
                frame_lines: Vec::new(),
            },
            promised,
            seen: 0,
            is_numbered: false,
            lacks_bounds: false,
            reported_long: false,
            skipped: None,
            is_cut: false,
        };
        (clip, name_place)
    }

    fn read_clip_words(
        &mut self,
        name: &mut String,
        [own, head]: &mut [Option<u64>; 2],
    ) -> Result<(), Found<'a>> {
        let mut words = self.name()?;
        // A word after the number that the head has is one too many: names may have spaces.
        if let Some((name, [count, extra])) = last_words(words)
            && head.is_some()
            && count.count() == *head
            && extra.count() != *head
            && !name.text.is_empty()
        {
            self.report_extra_words(extra);
            (words, _) = last_word(words);
        }
        let (name_word, count) = last_word(words);
        let Some(frames) = count.count() else {
            *name = owned(words);
            return Err(count.into());
        };
        *own = Some(frames);
        *name = owned(name_word);
        if name_word.text.is_empty() {
            return Err(count.into());
        }
        self.check_name(name_word, Named::Clip);
        if let Some(head) = *head
            && head != frames
        {
            // Where the line of a clip is missing, all that follow are one too early.
            let next = self.head.frame_counts.get(self.model.clips.len() + 1);
            let is_early = next == Some(&frames);
            let extra = self.head.extra_frame_counts.map(|(cause, _)| cause);
            let early = [self.long_clip, self.stray_pose, extra];
            let early = early.into_iter().flatten().next().filter(|_| is_early);
            // Where one of the head's numbers is missing, it is not known which.
            let cause = early.or(self.head.few_frame_counts);
            self.text
                .report_after(cause, &rules::FRAME_COUNT, count, || {
                    format!("found `{frames}` frames; expected {head} as `frame_counts` says")
                });
        }
        Ok(())
    }

    /// Says that there are more frames than promised, once.
    fn check_long_clip(&mut self, clip: &mut ClipReader, key: Word<'a>) {
        if clip.is_short() || clip.reported_long {
            return;
        }
        clip.reported_long = true;
        let read = clip.seen;
        self.text.report(&rules::FRAME_COUNT, key, || {
            let frames = counted(read as usize, "frame");
            format!("found more than {frames}; expected {read} as the clip's line says")
        });
        self.long_clip = self.long_clip.or(self.text.problems.last());
    }

    /// Says that a clip ends too early.
    fn check_short_clip(&mut self, clip: &ClipReader) {
        let mut promised = clip.promised.into_iter().flatten();
        // The frame in which the file ends was seen, but is not there.
        let begun = clip.seen - u64::from(clip.is_cut);
        if promised.clone().any(|promised| promised <= begun) {
            return;
        }
        let Some(promised) = promised.next() else {
            return;
        };
        let why = if self.model.joints.is_empty() && !self.model.has_bounds {
            "; without joints and bounds a frame has nothing"
        } else {
            ""
        };
        let (cause, place) = (clip.skipped, self.text.place());
        let is_end = self.text.rest().is_empty();
        self.text
            .report_after(cause, &rules::FRAME_COUNT, place, || {
                let line = clip.clip.line;
                let read = counted(clip.clip.frame_count as usize, "whole frame");
                let ends = if is_end {
                    format!("the file ends in the clip of line {line}")
                } else {
                    format!("the clip of line {line} ends")
                };
                format!("{ends} after {read}; expected {promised}{why}")
            });
    }

    /// Goes past what is left of a frame whose beginning is missing.
    fn skip_to_frame(&mut self, key: Word<'a>) {
        self.wrong_frame(key, "joint 1, with which a frame begins");
        self.skip_poses();
        if self.peek().is_some_and(is_bounds) {
            self.read_bounds();
        }
    }

    /// Reads a frame, and adds it to the clip if it is whole.
    fn read_frame(&mut self, clip: &mut ClipReader, joints: usize) {
        let line = self.text.line;
        self.frame_cause = None;
        let first_pose = clip.clip.poses.len();
        let mut order = PoseOrder::default();
        let mut is_whole = true;
        let mut lacks_poses = false;
        for joint in 0..joints {
            let number = joint as u32 + 1;
            let mut plain = Plain::new(self.text.bytes, self.text.pos);
            if let Some(pose) = plain.pose(number) {
                self.text.pos = plain.at;
                self.text.line_start = plain.at;
                self.text.line += 1;
                order.push(Some(number));
                clip.clip.poses.push(pose);
                continue;
            }
            match self.read_pose(number, &mut order) {
                PoseLine::Read(pose) => clip.clip.poses.push(pose),
                PoseLine::Broken => is_whole = false,
                PoseLine::Missing => {
                    is_whole = false;
                    lacks_poses = true;
                    break;
                }
            }
        }
        if let Subject::Frame { clip, frame } = self.text.problems.subject {
            self.text.problems.subject = Subject::FrameBounds { clip, frame };
        }
        let bounds = self.read_frame_bounds(order, is_whole);
        if let Some(key) = self.peek() {
            self.skip_last_line_again(Section::Bounds, key);
        }
        clip.seen += 1;
        if !is_whole {
            clip.clip.poses.truncate(first_pose);
            let is_end = self.text.rest().is_empty();
            let is_line_ended = self.text.pos == self.text.line_start;
            let lacks_bounds = self.model.has_bounds && bounds.is_none();
            clip.is_cut = is_end && (lacks_poses || lacks_bounds || !is_line_ended);
            return;
        }
        clip.is_numbered |= order.is_numbered();
        clip.clip.frame_count = clip.clip.frame_count.saturating_add(1);
        clip.clip.frame_lines.push(line);
        clip.lacks_bounds |= bounds.is_none();
        clip.clip.bounds.extend(bounds);
    }

    /// Lists that a frame has more or fewer poses than there are joints. What is wrong with it before
    /// is the reason, or that joints are missing.
    fn wrong_frame(&mut self, found: impl Into<Found<'a>>, expected: &str) {
        let cause = self.joint_count.or(self.frame_cause);
        self.text.wrong_after(cause, &rules::FRAME, found, expected);
        self.frame_cause = cause.or(self.text.problems.last());
    }

    /// Goes past lines too many before that of a pose: those that are nothing that is known, and that of
    /// the joint before for the second time.
    fn skip_extra_lines(&mut self, number: u32, order: PoseOrder) {
        let this = number.to_string();
        // A frame begins with joint 1: the line may be that of another frame, unless it is the same.
        let before = number
            .checked_sub(1)
            .filter(|before| *before > 1 || (*before == 1 && self.is_same_line()));
        while let Some(key) = self.peek() {
            let is_again = before.is_some_and(|before| key.number() == Some(before))
                && order.is_numbered()
                && keys_after(self.text.rest()).next() == Some(this.as_bytes());
            let is_extra = is_strange(key.text) && self.known_after() == Some(this.as_bytes());
            if !is_again && !is_extra {
                break;
            }
            let expected = format!("the pose of joint {number}");
            let cause = self.joint_count.or(self.frame_cause);
            self.text.wrong_after(cause, &rules::LINE, key, &expected);
            self.frame_cause = cause.or(self.text.problems.last());
            self.text.skip_line();
        }
    }

    /// Whether a line whose first word is unknown stands for the first pose of a frame: the second one
    /// follows.
    fn begins_frame(&self, key: Word<'_>) -> bool {
        let next = keys_after(self.text.rest()).next();
        is_strange(key.text) && self.model.joints.len() > 1 && next == Some(b"2")
    }

    /// Whether a line whose first word is unknown stands before or among bounds that there are to be.
    fn bounds_follow(&self, key: Word<'_>) -> bool {
        let is_of_bounds = |key| Section::of(key) == Some(Section::Bounds);
        self.model.has_bounds
            && is_strange(key.text)
            && self.known_after().is_some_and(is_of_bounds)
    }

    /// Reads the next line if it is that of a pose of the same frame.
    fn read_pose(&mut self, number: u32, order: &mut PoseOrder) -> PoseLine {
        let expected = format!("the pose of joint {number}; the frame is left out");
        self.skip_extra_lines(number, *order);
        let Some(key) = self.peek() else {
            self.wrong_frame(self.text.file_ends(), &expected);
            return PoseLine::Missing;
        };
        if !is_pose(key) {
            self.wrong_frame(key, &expected);
            if Section::of(key.text).is_some() {
                return PoseLine::Missing;
            }
            self.text.skip_line();
            return PoseLine::Broken;
        }
        let named = key.number();
        // Another frame has its second pose next, where one with a wrong number has that of this frame.
        let next = keys_after(self.text.rest()).next();
        if order.restarts(named) && next == Some(b"2") {
            self.wrong_frame(key, &expected);
            return PoseLine::Missing;
        }
        order.push(named);
        let moment = self.text.problems.moment();
        if named != Some(number) {
            let message = || {
                let found = Found::from(key);
                format!(
                    "{found}; expected joint {number}: the engine goes by the order of the lines"
                )
            };
            let rule = &rules::POSE_ORDER;
            let problems = &mut self.text.problems;
            let subject = problems.subject;
            let cause = self.joint_count.or(self.frame_cause);
            if cause.is_some() {
                problems.add_consequence(cause, rule, subject, key.into(), message);
            } else {
                // A program that numbers joints in its own way does so in each frame.
                let named = (number, named);
                self.frame_cause = problems.add_alike(named, rule, subject, key.into(), message);
            }
        }
        self.text.pos += key.text.len();
        match self.read_transform() {
            Ok(pose) => {
                self.text.end_line();
                PoseLine::Read(pose)
            }
            Err(found) => {
                self.text.skip_line();
                self.unreadable(found, POSE);
                // A line without a number has another first word too.
                if let Some(cause) = self.text.problems.first_since(moment) {
                    self.text.problems.fold_since(moment, cause);
                }
                PoseLine::Broken
            }
        }
    }

    fn read_transform(&mut self) -> Result<Transform, Found<'a>> {
        let words = [self.word()?, self.word()?, self.word()?];
        self.transform(words)
    }

    /// Reads the bounds of a frame if they are there, as they should if the head says so.
    fn read_frame_bounds(&mut self, order: PoseOrder, is_whole: bool) -> Option<Bounds> {
        if self.model.has_bounds && is_whole && order.is_numbered() {
            // Bounds end a frame: poses that are left before them are too many.
            if let Some(key) = self.peek()
                && is_pose(key)
                && key.number() != Some(1_u32)
            {
                if !self.lacks_joints(key) {
                    self.wrong_frame(key, BOUNDS);
                }
                self.skip_poses();
            }
        }
        let key = self.peek();
        if let Some(key) = key
            && (is_bounds(key) || self.bounds_follow(key))
        {
            if !self.model.has_bounds {
                self.check_long(Section::Bounds, key);
            }
            return self.read_bounds();
        }
        if self.model.has_bounds && is_whole {
            let found = key.map_or_else(|| self.text.file_ends(), Found::from);
            let cause = self.joint_count.or(self.frame_cause);
            self.text.wrong_after(cause, &rules::BOUNDS, found, BOUNDS);
        }
        None
    }

    /// Whether frames have poses of more joints than there are, this one and the next; that is said once, and
    /// all that is wrong with joints follows from it.
    fn lacks_joints(&mut self, key: Word<'a>) -> bool {
        let joints = self.model.joints.len();
        let number = key.number::<usize>();
        let lines_of_frame = joints + 1 + Section::Bounds.lines().len();
        let lines = self.text.rest().split(|byte| *byte == b'\n').skip(1);
        let mut keys = lines.take(2 * lines_of_frame).map(first_words);
        let is_again = keys.any(|mut words| words.next() == Some(key.text));
        if self.joint_count.is_some() || number != Some(joints + 1) || !is_again {
            return false;
        }
        self.text.report(&rules::FRAME, key, || {
            let joints = counted(joints, "joint");
            let number = quoted(key.text);
            format!(
                "found a pose of joint {number}, and so in the next frame; expected poses of {joints}, as \
                 there are: a line `j` may be missing"
            )
        });
        self.joint_count = self.text.problems.last();
        true
    }

    /// Goes past lines of poses that do not begin a frame.
    fn skip_poses(&mut self) {
        while let Some(key) = self.peek()
            && is_pose(key)
            && key.number() != Some(1_u32)
        {
            self.text.skip_line();
        }
    }
}

impl ClipReader {
    /// Whether there may be more frames than there have been.
    fn is_short(&self) -> bool {
        let max = self.promised.into_iter().flatten().max();
        max.is_none_or(|max| self.seen < max)
    }
}

/// What has become of the line of a pose.
enum PoseLine {
    Read(Transform),
    /// It is there, and cannot be read.
    Broken,
    /// Something else is in its place.
    Missing,
}

/// The numbers of joints on the lines of a frame.
#[derive(Debug, Clone, Copy, Default)]
struct PoseOrder {
    count: u32,
    first: Option<u32>,
    /// Whether any is another than that of its line.
    is_mixed: bool,
}

impl PoseOrder {
    fn push(&mut self, number: Option<u32>) {
        self.count += 1;
        if self.count == 1 {
            self.first = number;
        }
        self.is_mixed |= number != Some(self.count);
    }

    /// Whether this number begins another frame.
    fn restarts(&self, number: Option<u32>) -> bool {
        number == Some(1) && self.first == number
    }

    fn is_numbered(&self) -> bool {
        self.count > 0 && !self.is_mixed
    }
}

fn is_bounds(key: Word<'_>) -> bool {
    Section::of(key.text) == Some(Section::Bounds)
}
