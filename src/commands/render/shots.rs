//! What is drawn one after the other: frames of a clip, or views from several places.

use std::path::Path;

use crate::commands::CommandError;
use crate::commands::cli::RenderArgs;
use crate::view_request::check_frame;
use mapscope_scene::camera::{Pose, PoseError};
use mapscope_scene::{Animation, Document, Shown, system_reason};

/// How many poses a file may have.
const MAX_POSES: usize = 10_000;

/// One image of those that are asked for, by what is not as the arguments say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shot {
    /// Its number in the name of a file.
    pub(super) number: u32,
    /// The frame of the clip.
    pub(super) frame: Option<u32>,
    /// How far the view has turned around the target, as a part of a full turn.
    pub(super) turn: Option<f32>,
    /// Where it is seen from.
    pub(super) pose: Option<Pose>,
}

impl Shot {
    fn numbered(number: u32) -> Self {
        Self {
            number,
            frame: None,
            turn: None,
            pose: None,
        }
    }

    /// All that are asked for, of a document that is shown so.
    pub(super) fn all(
        args: &RenderArgs,
        document: &dyn Document,
        shown: &Shown,
    ) -> Result<Vec<Self>, CommandError> {
        if let Some(frames) = &args.frames {
            let clips = document.animation().map_or(&[][..], Animation::clips);
            let clip = shown.playhead.clip.and_then(|clip| clips.get(clip));
            let checked = check_frame(*frames.end() as f32, clip.map_or(0, |clip| clip.frames));
            checked.map_err(CommandError::Argument)?;
            let shots = frames.clone().map(|frame| Self {
                frame: Some(frame),
                ..Self::numbered(frame)
            });
            return Ok(shots.collect());
        }
        if let Some(views) = args.turntable {
            let shots = (0..views).map(|number| Self {
                turn: Some(number as f32 / views as f32),
                ..Self::numbered(number)
            });
            return Ok(shots.collect());
        }
        if let Some(path) = &args.camera_path {
            let poses = read_poses(path)?;
            let last = (args.path_views - 1) as f32;
            let shots = (0..args.path_views).map(|number| {
                let pose = Pose::on_the_way(&poses, number as f32 / last);
                let pose = pose.ok_or_else(|| {
                    refused(path, "on the way eye and target meet: put a pose between")
                })?;
                Ok(Self {
                    pose: Some(pose),
                    ..Self::numbered(number)
                })
            });
            return shots.collect();
        }
        Ok(vec![Self::numbered(0)])
    }
}

/// Reads the poses of a file, one a line; empty lines and those after `#` do not count.
fn read_poses(path: &Path) -> Result<Vec<Pose>, CommandError> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| refused(path, system_reason(&error, "file")))?;
    let mut poses = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let pose = line.parse();
        let pose: Pose =
            pose.map_err(|error: PoseError| refused(path, format!("line {number}: {error}")))?;
        if poses.len() == MAX_POSES {
            return Err(refused(path, format!("more than {MAX_POSES} poses")));
        }
        poses.push(pose);
    }
    if poses.len() < 2 {
        return Err(refused(path, "expected at least two poses, each on a line"));
    }
    Ok(poses)
}

fn refused(path: &Path, why: impl std::fmt::Display) -> CommandError {
    CommandError::Argument(format!("--camera-path {}: {why}", path.display()))
}
