//! Dragged and dropped files, and pasted text.

use std::path::PathBuf;

use super::clipboard::{PasteTarget, Pasted};
#[cfg(target_os = "linux")]
use super::drops::{DeviceEvent, Dragged};
use super::{App, UserEvent, sender};
use crate::viewer::io::drop_preview;
use crate::viewer::state::interface::{DropPreview, HoveringFiles};
use mapscope_formats::Severity;

impl App {
    /// Handles an event of drops or of the clipboard.
    #[cfg(target_os = "linux")]
    pub(super) fn on_device_event(&mut self, event: DeviceEvent) {
        match event {
            DeviceEvent::Over(dragged) if dragged.is_rejected() => {
                let title = dragged.refusal.unwrap_or_default();
                self.events.write(format_args!("hover-refused {title}"));
                self.state.interface.hovering = Some(HoveringFiles {
                    paths: Vec::new(),
                    preview: Some(DropPreview {
                        opens: None,
                        title,
                        detail: String::new(),
                    }),
                });
            }
            DeviceEvent::Over(Dragged { paths, .. }) => {
                self.state.interface.hovering = Some(HoveringFiles::default());
                if !paths.is_empty() {
                    self.hover(paths);
                }
            }
            DeviceEvent::Left => self.end_hover(),
            DeviceEvent::Dropped(Dragged { paths, refusal }) => {
                self.end_hover();
                self.dropped.extend(paths);
                if let Some(refusal) = refusal {
                    self.events.write(format_args!("not-dropped {refusal}"));
                    self.state.notices.toast(refusal, Some(Severity::Error));
                }
            }
            DeviceEvent::Pasted(target, pasted) => self.pasted(target, pasted),
        }
    }

    pub(super) fn hovered(&mut self, path: PathBuf) {
        let hovering = self.state.interface.hovering.get_or_insert_default();
        if hovering.paths.contains(&path) {
            return;
        }
        let mut paths = std::mem::take(&mut hovering.paths);
        paths.push(path);
        self.hover(paths);
    }

    /// Shows that files are dragged over the window, and requests a preview of the drop.
    pub(super) fn hover(&mut self, paths: Vec<PathBuf>) {
        self.state.interface.hovering = Some(HoveringFiles {
            paths: paths.clone(),
            preview: None,
        });
        let joint = self.state.session.joint_for_drop(&paths);
        if let Some(preview) = joint.and_then(|joint| drop_preview::preview_attach(&paths, joint)) {
            self.drop_previewed(&paths, preview);
            return;
        }
        // Reading a folder may take long, so it needs a thread.
        let previewed = sender(&self.proxy, |(paths, preview)| {
            UserEvent::DropPreviewed(paths, preview)
        });
        std::thread::spawn(move || {
            let preview = drop_preview::preview_drop(&paths);
            previewed((paths, preview));
        });
    }

    pub(super) fn end_hover(&mut self) {
        if self.state.interface.hovering.take().is_some() {
            self.events.write("hover-end");
            self.request_redraw();
        }
    }

    /// Requests the text of the clipboard.
    pub(super) fn paste(&mut self, target: PasteTarget) {
        if let Some(pasted) = self.clipboard.paste(target) {
            self.pasted(target, pasted);
        }
    }

    /// Passes a text of the clipboard to the target of the paste.
    pub(super) fn pasted(&mut self, target: PasteTarget, pasted: Pasted) {
        let text = match pasted {
            Ok(text) => text.replace("\r\n", "\n"),
            Err(error) => {
                self.events.write(format_args!("not-pasted {error}"));
                let text = format!("Nothing was pasted: {error}");
                self.state.notices.toast(text, Some(Severity::Error));
                return;
            }
        };
        let event = match target {
            PasteTarget::Camera => {
                self.state.paste_pose(&text);
                return;
            }
            _ if text.is_empty() => return,
            PasteTarget::Focused => egui::Event::Paste(text),
            PasteTarget::At(pos) => egui::Event::MiddleClickPaste { pos, text },
        };
        if let Some(screen) = &mut self.screen {
            screen.input.egui_input_mut().events.push(event);
        }
    }

    /// Shows the preview of a drop. Returns `false` if other files are dragged by now.
    pub(super) fn drop_previewed(&mut self, paths: &[PathBuf], preview: DropPreview) -> bool {
        let hovering = self.state.interface.hovering.as_mut();
        let Some(hovering) = hovering.filter(|hovering| hovering.paths == paths) else {
            return false;
        };
        if let Some(path) = preview.opens.as_ref().or(paths.first()) {
            let (count, path) = (paths.len(), path.display());
            self.events.write(format_args!("hover {count} {path}"));
        }
        hovering.preview = Some(preview);
        true
    }
}
