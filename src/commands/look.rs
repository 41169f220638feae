//! What of a document the arguments ask for.

use super::CommandError;
use super::cli::LookArgs;
use mapscope_scene::{Animation, ClipInfo, Document, Layers, Overlay, Playhead, Shown};

/// The moment that the arguments ask for; the begin of the first clip if they do not say, as a
/// game shows a model.
fn playhead_of(look: &LookArgs, document: &dyn Document) -> Result<Playhead, CommandError> {
    let clips = document.animation().map_or(&[][..], Animation::clips);
    let clip = match look.clip.as_deref() {
        Some("none") => None,
        Some(name) => {
            let found = clips.iter().position(|clip| clip.name == name);
            Some(found.ok_or_else(|| unknown_clip(name, clips))?)
        }
        None => (!clips.is_empty()).then_some(0),
    };
    let frame = look.frame.unwrap_or(0.0);
    if let Some(asked) = look.frame {
        if look.clip.as_deref() == Some("none") {
            let message = "--frame needs a clip, but --clip none shows the pose without any";
            return Err(CommandError::Argument(message.to_owned()));
        }
        let frames = clip
            .and_then(|clip| clips.get(clip))
            .map_or(0, |c| c.frames);
        check_frame(asked, frames)?;
    }
    Ok(Playhead {
        clip,
        frame,
        smooth: frame.fract() > 0.0,
    })
}

fn unknown_clip(name: &str, clips: &[ClipInfo]) -> CommandError {
    let known: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    let known = if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    };
    CommandError::Argument(format!("there is no clip `{name}`; this file has {known}"))
}

/// Refuses a frame that a clip of so many frames does not have.
pub(super) fn check_frame(frame: f32, frames: u32) -> Result<(), CommandError> {
    if frame < frames as f32 {
        return Ok(());
    }
    Err(CommandError::Argument(match frames {
        0 => format!("there is no frame {frame}: nothing in this file moves"),
        _ => format!(
            "there is no frame {frame}: the clip has the frames 0 to {}",
            frames - 1
        ),
    }))
}

fn unknown_overlay(name: &str, offered: &[Overlay]) -> CommandError {
    let known: Vec<&str> = offered.iter().map(|overlay| overlay.id.as_str()).collect();
    let known = if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    };
    CommandError::Argument(format!(
        "there is no overlay `{name}`; this file has {known}"
    ))
}

/// What of a document the arguments ask for, all else as it is at first.
pub(super) fn shown_of(look: &LookArgs, document: &dyn Document) -> Result<Shown, CommandError> {
    let mut shown = Shown::default();
    let offered = document.about().overlays;
    for name in &look.overlays {
        let overlay = offered.iter().find(|overlay| overlay.id.as_str() == name);
        let overlay = overlay.ok_or_else(|| unknown_overlay(name, offered))?;
        shown.overlays.set(offered, overlay.id, true);
    }
    shown.playhead = playhead_of(look, document)?;
    let asked = look.first_look().show(document, &mut shown);
    asked.map_err(CommandError::Argument)?;
    Ok(shown)
}

/// The layers of a 2D map.
///
/// # Errors
/// When the document is none.
pub(super) fn layers_of(document: &dyn Document) -> Result<&dyn Layers, CommandError> {
    document.layers().ok_or_else(|| {
        let format = document.about().format.name;
        CommandError::Argument(format!(
            "--view flat is for 2D maps, and this is a {format}"
        ))
    })
}
