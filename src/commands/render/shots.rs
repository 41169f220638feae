//! The sequence of shots that the arguments request.

use std::path::Path;

use crate::commands::CommandError;
use crate::commands::cli::RenderArgs;
use crate::images::animation::AnimationFormat;
use crate::images::shots::Shot;
use crate::view_request::check_frame;
use mapscope_scene::camera::{Pose, PoseError};
use mapscope_scene::{Animation, Document, Shown, system_reason};

/// Maximum number of poses in a file.
const MAX_POSES: usize = 10_000;

/// All requested shots of a document in this view state.
pub(super) fn all(
    args: &RenderArgs,
    document: &dyn Document,
    shown: &Shown,
) -> Result<Vec<Shot>, CommandError> {
    let clips = document.animation().map_or(&[][..], Animation::clips);
    let clip = shown.playhead.clip.and_then(|clip| clips.get(clip));
    let frame_count = clip.map_or(0, |clip| clip.frames);
    if let Some(frames) = &args.frames {
        let checked = check_frame(*frames.end() as f32, frame_count);
        checked.map_err(|why| CommandError::Argument(format!("--frames: {why}")))?;
        return Ok(Shot::of_frames(frames.clone()));
    }
    if let Some(views) = args.turntable {
        return Ok(Shot::all_around(views));
    }
    if let Some(path) = &args.camera_path {
        let shots = Shot::along(&read_poses(path)?, args.path_views);
        return shots.ok_or_else(|| {
            refused(
                path,
                "eye and target meet between two poses; add a pose between them",
            )
        });
    }
    // By default an animation is the whole clip, unless the clip is an endless clock.
    let is_whole = args.image.request.frame.is_none() && clip.is_some_and(|clip| !clip.is_clock);
    if is_whole && frame_count > 1 && AnimationFormat::of(&args.output).is_some() {
        return Ok(Shot::of_frames(0..frame_count));
    }
    Ok(vec![Shot::numbered(0)])
}

/// Reads the poses of a file, one per line; empty lines and text after `#` are ignored.
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
        return Err(refused(path, "expected at least two poses, one per line"));
    }
    Ok(poses)
}

fn refused(path: &Path, why: impl std::fmt::Display) -> CommandError {
    CommandError::Argument(format!("--camera-path {}: {why}", path.display()))
}
