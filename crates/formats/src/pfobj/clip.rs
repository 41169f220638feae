//! Reading clips (document section 3.5). A clip has a line with its name, followed by its frames. A
//! frame has the poses of all joints and, with collision data, bounds.
//!
//! The engine ignores the numbers of poses: only their order counts. A frame has as many poses as
//! there are joints, and its bounds end it. A damaged frame keeps its place in the clip; joints
//! whose poses cannot be read are at rest.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::plain::Plain;
use super::read::{
    NameKind, Reader, Section, first_word, is_bounds, is_pose, last_word, lines, owned,
};
use super::{Bounds, Clip, PfobjError, Transform, repeated, rules};
use crate::cursor::{Found, Word};
use crate::{Message, Place, Subject, counted};

const POSE: &str = "`<joint> <x/y/z scale> <x/y/z/w rotation> <x/y/z translation>`";
const BOUNDS: &str = "`x_bounds <min> <max>` of the frame";

/// A clip while it is read.
struct ClipReader {
    clip: Clip,
    index: u32,
    /// Poses of each frame.
    poses: usize,
    /// The announced number of frames: in the clip's own line, and in the head.
    announced: [Option<u64>; 2],
    /// In a clip without bounds, its number of poses compared to the announced one. If they differ,
    /// only the numbers of poses show where a frame ends.
    length: Ordering,
    /// `true` if the file ends in a frame.
    is_cut: bool,
}

impl<'a> Reader<'a, '_> {
    /// Reads a clip. `has_line` is set if its line is next.
    pub(super) fn read_clip(&mut self, has_line: bool) -> Result<(), PfobjError> {
        let index = self.model.clips.len() as u32;
        self.text.problems.subject = Subject::Clip(index);
        let before = self.damage[Section::Clips as usize].take();
        let (mut clip, name) = self.read_clip_line(index, has_line);
        while let Some(key) = self.peek() {
            self.report_progress()?;
            if self.is_extra(key) {
                self.skip_broken(key, POSE);
                continue;
            }
            if !self.begins_frame(&clip, key) {
                break;
            }
            self.read_frame(&mut clip);
        }
        self.text.problems.subject = Subject::Clip(index);
        self.check_short_clip(&clip);
        let damage = &mut self.damage[Section::Clips as usize];
        *damage = before.or(*damage);
        let line = clip.clip.line;
        if clip.clip.bounds.iter().all(Option::is_none) {
            clip.clip.bounds.clear();
        }
        self.pose_room = self.pose_room.saturating_sub(clip.clip.poses.len());
        if self.has_room(Section::Clips, line) {
            self.model.clips.push(clip.clip);
            self.clip_names.push(name);
        }
        Ok(())
    }

    /// Name and frame count of the clip with this index, from the line that begins it; `None` if
    /// that line disagrees with the head.
    pub(super) fn read_clip_summary(&mut self, index: u64) -> Option<(String, u64)> {
        let of_head = self.head.frame_counts.get(usize::try_from(index).ok()?);
        self.text.pos += 2;
        let mut name = String::new();
        let mut announced = [None, of_head.copied()];
        self.read_clip_words(&mut name, &mut announced).ok()?;
        self.text.skip_line();
        let [own, of_head] = announced;
        Some((name, own.filter(|_| own == of_head)?))
    }

    /// Reads the line that begins a clip; also returns the place of the name.
    fn read_clip_line(&mut self, index: u32, has_line: bool) -> (ClipReader, Place) {
        let line = self.text.line;
        let mut place = Place::line(line);
        let mut name = String::new();
        let head = self.head.frame_counts.get(index as usize).copied();
        let mut announced = [None, head];
        if has_line {
            self.text.word(false);
            self.text.skip_separators(false);
            place = self.text.place().into();
            match self.read_clip_words(&mut name, &mut announced) {
                Ok(()) => self.is_intact(),
                Err(bad) => self.unreadable(bad, Section::Clips.lines()[0].1),
            }
            self.text.skip_line();
        }
        let poses = self.poses_in_frame(index, announced[0].or(head).unwrap_or(0));
        // Memory is reserved only if the file has room for the frames of all clips together.
        let joints = self.model.joints.len() as u64;
        let all_poses = self.head.all_frames.saturating_mul(joints);
        let is_kept = announced[0] == announced[1] && all_poses <= self.pose_room as u64;
        let frames = announced[0].filter(|_| is_kept).unwrap_or(0);
        let clip = ClipReader {
            clip: Clip {
                name,
                frame_count: 0,
                poses: Vec::with_capacity((frames * joints) as usize),
                bounds: Vec::new(),
                line,
                frame_lines: Vec::new(),
            },
            index,
            poses,
            length: self.compare_length(poses, announced),
            announced,
            is_cut: false,
        };
        (clip, place)
    }

    fn read_clip_words(
        &mut self,
        name: &mut String,
        [own, head]: &mut [Option<u64>; 2],
    ) -> Result<(), Found<'a>> {
        // Names may have spaces.
        let words = self.name()?;
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
        self.check_name(name_word, NameKind::Clip);
        if let Some(head) = *head
            && head != frames
        {
            // If one of the numbers of the head is missing, it is unknown which.
            let cause = self.head.count_faults[Section::Clips as usize];
            self.text
                .report_after(cause, &rules::FRAME_COUNT, count, || {
                    format!(
                        "found `{frames}` frames; expected {head}, as declared by \
                             `frame_counts`"
                    )
                });
        }
        Ok(())
    }

    /// Returns the number of poses in each frame. If no frame has one for each joint, it is that of
    /// most frames: the engine's exporter writes the joints of several armatures, and the poses of
    /// the first one.
    fn poses_in_frame(&mut self, clip: u32, frames: u64) -> usize {
        let joints = self.model.joints.len();
        if let Some(poses) = self.poses {
            return poses;
        }
        let announced = self.announced(Section::Joints).unwrap_or(0);
        let poses = if !self.model.has_bounds {
            // If the line of a joint is missing, the clip still has the poses of all joints.
            let of_clip = frames.saturating_mul(announced);
            let is_announced = of_clip > 0 && self.poses_ahead(usize::MAX) as u64 == of_clip;
            if is_announced {
                announced as usize
            } else {
                joints
            }
        } else if self.poses_ahead(joints + 1) == joints {
            joints
        } else {
            self.poses_of_most_frames().unwrap_or(joints)
        };
        self.poses = Some(poses);
        if poses > joints && announced == poses as u64 {
            // Lines of joints are missing.
            (joints..poses).for_each(|_| self.add_unknown_joint(self.text.line));
        } else if poses != joints {
            let cause = self.damage[Section::Joints as usize];
            let subject = Subject::Frame { clip, frame: 0 };
            let place = Place::line(self.text.line + poses.min(joints) as u64);
            let problems = &mut self.text.problems;
            problems.add_consequence(cause, &rules::FRAME, subject, place, || {
                let found = format!(
                    "each frame has {}; expected {joints}, one for each joint",
                    counted(poses, "pose")
                );
                if poses < joints {
                    let first = poses + 1;
                    if first == joints {
                        return Message::read(found, format_args!("with joint {first} at rest"));
                    }
                    Message::read(
                        found,
                        format_args!("with joints {first} to {joints} at rest"),
                    )
                } else {
                    Message::left_out(found, "the last of each frame")
                }
            });
            if poses > joints {
                // Lines of joints may be missing.
                let damage = &mut self.damage[Section::Joints as usize];
                *damage = damage.or(self.text.problems.last());
            }
        }
        poses
    }

    /// The number of poses of most frames; `None` if a frame has one for each joint. Only frames
    /// whose poses are numbered to their end count.
    fn poses_of_most_frames(&self) -> Option<usize> {
        let mut frames: BTreeMap<usize, usize> = BTreeMap::new();
        let mut poses = 0;
        let mut is_numbered = true;
        for key in lines(self.text.rest()).map(first_word) {
            if is_pose(key) {
                poses += 1;
                is_numbered = key == poses.to_string().as_bytes();
            } else if Section::of(key).is_some() {
                if poses > 0 && is_numbered {
                    *frames.entry(poses).or_default() += 1;
                }
                poses = 0;
            }
        }
        if frames.contains_key(&self.model.joints.len()) {
            return None;
        }
        let most = frames.into_iter().max_by_key(|(_, count)| *count);
        most.map(|(poses, _)| poses)
    }

    /// Counts the lines of poses up to the next line with another known keyword, at most `max`.
    fn poses_ahead(&self, max: usize) -> usize {
        let keys = lines(self.text.rest())
            .map(first_word)
            .take_while(|key| Section::of(key).is_none());
        let poses = keys.filter(|key| is_pose(key));
        poses.take(max).count()
    }

    fn compare_length(&self, poses: usize, [own, head]: [Option<u64>; 2]) -> Ordering {
        if self.model.has_bounds {
            return Ordering::Equal;
        }
        let announced = own.or(head).unwrap_or(0).saturating_mul(poses as u64);
        (self.poses_ahead(usize::MAX) as u64).cmp(&announced)
    }

    /// `true` if the next line belongs to another frame of a clip.
    fn begins_frame(&mut self, clip: &ClipReader, key: Word<'a>) -> bool {
        let count = u64::from(clip.clip.frame_count);
        let [own, head] = clip.announced;
        let is_agreed = own == head || own.is_none() || head.is_none();
        let is_full = own.or(head).is_some_and(|announced| count >= announced);
        if is_agreed && is_full {
            return false;
        }
        let least = own.into_iter().chain(head).min();
        let is_short = least.is_some_and(|least| count < least);
        match Section::of(key.text) {
            Some(Section::Bounds) => {
                is_short && (clip.poses == 0 || !self.is_missing(Section::Bounds))
            }
            Some(_) => false,
            None if is_pose(key.text) => clip.poses > 0,
            None => is_short,
        }
    }

    /// `true` if the next line is surplus: a line of bounds other than the first, or a copy of the
    /// clip's line.
    fn is_extra(&mut self, key: Word<'a>) -> bool {
        match Section::line_of(key.text) {
            Some(line @ (Section::Bounds, 1..)) => self.take_surplus(line),
            Some(line @ (Section::Clips, _)) => self.repeats_line() && self.take_surplus(line),
            _ => false,
        }
    }

    /// Reports a clip that ends too early.
    fn check_short_clip(&mut self, clip: &ClipReader) {
        let count = u64::from(clip.clip.frame_count);
        let mut announced = clip.announced.into_iter().flatten();
        if announced.clone().any(|announced| announced <= count) {
            return;
        }
        let Some(announced) = announced.next() else {
            return;
        };
        let why = if self.model.joints.is_empty() && !self.model.has_bounds {
            "; frames without joints and bounds are empty"
        } else {
            ""
        };
        let (cause, place) = (self.damage[Section::Clips as usize], self.text.place());
        let is_end = self.text.rest().is_empty();
        self.text
            .report_after(cause, &rules::FRAME_COUNT, place, || {
                let line = clip.clip.line;
                let read = counted(count as usize, "frame");
                let ends = if is_end {
                    format!("the file ends in the clip of line {line}")
                } else {
                    format!("the clip of line {line} ends")
                };
                format!("{ends} after {read}; expected {announced}{why}")
            });
        let problems = &mut self.text.problems;
        problems.cause = cause.or(problems.cause).or(problems.last());
    }

    /// Reads a frame in the usual layout of real files. Reads nothing if the layout differs.
    fn read_plain_frame(&mut self, clip: &mut ClipReader) -> bool {
        let first = clip.clip.poses.len();
        let mut plain = Plain::new(self.text.bytes, self.text.pos);
        let joints = self.model.joints.len();
        // Without joints and bounds a frame has no lines.
        let has_lines = joints > 0 || self.model.has_bounds;
        if !has_lines || clip.length.is_ne() || clip.poses != joints {
            return false;
        }
        let mut bounds = None;
        let mut poses = (1..=joints as u32).map_while(|number| plain.pose(number));
        clip.clip.poses.extend(&mut poses);
        let mut is_read = clip.clip.poses.len() - first == joints;
        if is_read && self.model.has_bounds {
            bounds = plain.bounds();
            is_read = bounds.is_some();
        } else if is_read {
            let rest = self.text.bytes.get(plain.at..).unwrap_or_default();
            let next = lines(rest).next().map(first_word);
            is_read = next.and_then(Section::of) != Some(Section::Bounds);
        }
        if !is_read {
            clip.clip.poses.truncate(first);
            return false;
        }
        clip.add_frame(self.text.line, bounds);
        let bounds_lines = if bounds.is_some() { 3 } else { 0 };
        self.text.pos = plain.at;
        self.text.line_start = plain.at;
        self.text.line += joints as u64 + bounds_lines;
        self.is_intact();
        true
    }

    /// Reads a frame, and adds it to the clip unless the file ends in it.
    fn read_frame(&mut self, clip: &mut ClipReader) {
        if self.read_plain_frame(clip) {
            return;
        }
        let (index, frame) = (clip.index, clip.clip.frame_count);
        self.begin_record(Subject::Frame { clip: index, frame });
        while let Some(key) = self.peek()
            && Section::of(key.text).is_none()
            && !is_pose(key.text)
        {
            let line = self.text.line;
            self.skip_broken(key, POSE);
            if clip.poses > 0 && self.take_missing(Section::Bounds) {
                // The frame has no other lines.
                if self.add_poses(clip, Vec::new()) {
                    clip.add_frame(line, None);
                }
                return;
            }
        }
        let line = self.text.line;
        let lacks_bounds = self.model.has_bounds && self.is_missing(Section::Bounds);
        let count = self.poses_of_frame(clip, lacks_bounds);
        let is_complete = count == clip.poses;
        let mut poses = Vec::new();
        let mut odd = None;
        for number in 1..=count as u32 {
            while let Some(key) = self.peek()
                && !is_pose(key.text)
            {
                self.skip_broken(key, POSE);
            }
            let Some(key) = self.peek() else {
                break;
            };
            if is_complete {
                poses.push(self.read_pose(key, number));
            } else {
                if key.number() != Some(number) {
                    odd.get_or_insert(key);
                }
                self.text.skip_line();
            }
        }
        let next = self.peek();
        let is_whole = is_complete && poses.iter().all(Option::is_some);
        if next.is_none() && !is_whole {
            clip.is_cut = true;
            return;
        }
        if !is_complete {
            let found = odd
                .or(next)
                .map_or_else(|| self.text.found_file_end(), Found::from);
            let expected = format!(
                "the {} of a frame, which stays at rest",
                counted(clip.poses, "pose")
            );
            self.broken(&rules::FRAME, found, &expected);
        }
        let is_added = self.add_poses(clip, poses);
        self.begin_record(Subject::FrameBounds { clip: index, frame });
        let cause = self.text.problems.cause;
        let bounds = self.read_frame_bounds(is_complete);
        if is_added {
            clip.add_frame(line, bounds);
        }
        if !is_whole {
            // Consecutive damaged frames are consequences of the first one.
            self.text.problems.cause = cause;
        } else if bounds.is_some() == self.model.has_bounds {
            self.is_intact();
        }
    }

    /// Returns the number of poses of the next frame, which may differ from the expected one.
    fn poses_of_frame(&self, clip: &ClipReader, lacks_bounds: bool) -> usize {
        if clip.length.is_ne() {
            let keys = lines(self.text.rest())
                .map(first_word)
                .take_while(|key| Section::of(key).is_none());
            let number = |key: &[u8]| std::str::from_utf8(key).ok()?.parse::<usize>().ok();
            let mut numbers = keys.filter_map(number);
            let Some(mut before) = numbers.next() else {
                return 0;
            };
            let same = numbers.take_while(|number| {
                // A pose may be there twice if there are too many.
                let is_again = before == 1 && clip.poses > 1 && clip.length.is_gt();
                let begins =
                    (*number == 1 && !is_again) || (before == clip.poses && *number < before);
                before = *number;
                !begins
            });
            return 1 + same.count();
        }
        if !lacks_bounds {
            let is_free = !self.model.has_bounds;
            return self.poses_ahead(if is_free { clip.poses } else { usize::MAX });
        }
        // The bounds of this frame may be missing: the last poses then belong to the next one.
        let ahead = self.poses_ahead(2 * clip.poses);
        if ahead > clip.poses {
            ahead - clip.poses
        } else {
            ahead
        }
    }

    /// Adds the poses of a frame; missing ones are at rest. Adds nothing if that would take more
    /// memory than the file.
    fn add_poses(&self, clip: &mut ClipReader, poses: Vec<Option<Transform>>) -> bool {
        let joints = self.model.joints.len();
        if poses.len() < joints && clip.clip.poses.len() + joints > self.pose_room {
            return false;
        }
        let poses = poses.into_iter().chain(std::iter::repeat(None));
        let poses = self
            .model
            .joints
            .iter()
            .zip(poses)
            .map(|(joint, pose)| pose.unwrap_or(joint.bind));
        clip.clip.poses.extend(poses);
        true
    }

    /// Reads the next line as a pose, if it can be read.
    fn read_pose(&mut self, key: Word<'a>, number: u32) -> Option<Transform> {
        if key.number() != Some(number) {
            let (subject, fault) = (self.text.problems.subject, &repeated::POSE_ORDER);
            self.repeated
                .add(fault, subject, key.place, || crate::quoted(key.text));
        }
        self.text.pos += key.text.len();
        match self.read_transform() {
            Ok(pose) => {
                self.text.end_line();
                Some(pose)
            }
            Err(found) => {
                self.unreadable(found, POSE);
                self.text.skip_line();
                None
            }
        }
    }

    fn read_transform(&mut self) -> Result<Transform, Found<'a>> {
        let words = [self.word()?, self.word()?, self.word()?];
        self.transform(words)
    }

    /// Reads the bounds of a frame, if present. They are expected if the head announces bounds.
    /// Bounds after a frame with missing poses are those of the bind pose, if the file has too few.
    fn read_frame_bounds(&mut self, is_complete: bool) -> Option<Bounds> {
        let has_bounds = self.model.has_bounds;
        while let Some(key) = self.peek() {
            if is_bounds(key) {
                if !has_bounds {
                    self.check_long(Section::Bounds, key);
                } else if !is_complete && self.take_missing(Section::Bounds) {
                    return None;
                }
                return self.read_bounds();
            }
            if !has_bounds || is_pose(key.text) || Section::of(key.text).is_some() {
                break;
            }
            self.skip_broken(key, BOUNDS);
            if self.take_missing(Section::Bounds) {
                return None;
            }
        }
        if has_bounds {
            let found = self
                .peek()
                .map_or_else(|| self.text.found_file_end(), Found::from);
            self.broken(&rules::BOUNDS, found, BOUNDS);
            self.take_missing(Section::Bounds);
        }
        None
    }
}

impl ClipReader {
    fn add_frame(&mut self, line: u64, bounds: Option<Bounds>) {
        self.clip.frame_count = self.clip.frame_count.saturating_add(1);
        self.clip.frame_lines.push(line);
        self.clip.bounds.push(bounds);
    }
}
