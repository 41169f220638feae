//! Models attached to joints of the open model.
//!
//! The list belongs to the open file and names joints, so it survives reloads and is kept with the
//! view. The files are read in a separate thread; until then an attached model has no document.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::folder;
use super::session::Session;
use super::{Effect, State};
use crate::view_request::{Attachment, ViewRequest};
use mapscope_formats::Severity;
use mapscope_scene::model::attached::{Assembly, Attached, FORMATS, joint_name, joint_named};
use mapscope_scene::{Document, OpenOptions};

/// A model that is attached to a joint, or will be once it is read.
#[derive(Debug, Clone)]
pub(crate) struct AttachedModel {
    /// Its joint and its file.
    pub at: Attachment,
    /// The model, once it is read.
    pub model: Option<Arc<dyn Document>>,
}

/// A request to read model files for attaching.
#[derive(Clone)]
pub(crate) struct AttachRequest {
    /// The open file.
    pub file: PathBuf,
    /// The model files.
    pub paths: Vec<PathBuf>,
    /// Options for opening them.
    pub options: OpenOptions,
}

impl fmt::Debug for AttachRequest {
    /// Omits the options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = f.debug_struct("AttachRequest");
        lines.field("paths", &self.paths).finish_non_exhaustive()
    }
}

impl PartialEq for AttachRequest {
    fn eq(&self, other: &Self) -> bool {
        (&self.file, &self.paths) == (&other.file, &other.paths)
    }
}

impl Eq for AttachRequest {}

/// The outcome of reading model files.
#[derive(Debug)]
pub(crate) struct AttachOutcome {
    /// The file that was open.
    pub file: PathBuf,
    /// The files, each with its model or an error message.
    pub models: Vec<(PathBuf, ReadModel)>,
}

/// A model, or the reason why it was not read.
pub(crate) type ReadModel = Result<Arc<dyn Document>, String>;

impl Session {
    /// The models attached to joints of the open model.
    pub(crate) fn attached(&self) -> &[AttachedModel] {
        self.open_file().map_or(&[], |open| &open.attached)
    }

    /// The name of the selected joint of the open model, if any.
    pub(crate) fn selected_joint(&self) -> Option<&str> {
        joint_name(&**self.document()?, self.view.shown.selected?)
    }

    /// The joint to which a drop of these files attaches them; `None` if the drop opens them.
    pub(crate) fn joint_for_drop(&self, paths: &[PathBuf]) -> Option<&str> {
        let is_model = |path: &PathBuf| {
            let format = folder::format_of(path);
            format.is_some_and(|format| FORMATS.iter().any(|it| it.id == format.id))
        };
        let joint = self.selected_joint()?;
        (!paths.is_empty() && paths.iter().all(is_model)).then_some(joint)
    }

    /// `true` if an attached model would be detached: one of the selected joint, or any without a
    /// selected joint.
    pub(crate) fn can_detach(&self) -> bool {
        let joint = self.selected_joint();
        let mut attached = self.attached().iter();
        attached.any(|it| joint.is_none_or(|joint| it.at.joint == joint))
    }

    /// `true` while an attached model is read for the first time.
    pub(crate) fn is_attaching(&self) -> bool {
        self.attached().iter().any(|it| it.model.is_none())
    }
}

impl State {
    /// Attaches dropped models to the selected joint, or opens the dropped files.
    pub(crate) fn drop_paths(&mut self, paths: &[PathBuf]) {
        if self.session.joint_for_drop(paths).is_some() {
            self.attach(paths);
        } else {
            self.open_paths(paths);
        }
    }

    /// Attaches models to the selected joint.
    pub(crate) fn attach(&mut self, paths: &[PathBuf]) {
        let Some(joint) = self.session.selected_joint().map(str::to_owned) else {
            let text = "Select the joint to attach the model to";
            self.notices.toast(text, Some(Severity::Warning));
            return;
        };
        let wanted = paths.iter().map(|path| Attachment {
            joint: joint.clone(),
            path: path.clone(),
        });
        self.attach_all(wanted.collect());
    }

    /// Attaches models to joints of the open file, and reads attached ones again.
    fn attach_all(&mut self, wanted: Vec<Attachment>) {
        let Some(open) = &mut self.session.open else {
            return;
        };
        let mut paths = Vec::new();
        for at in wanted {
            let path = folder::absolute(&at.path);
            let at = Attachment {
                path: path.clone(),
                ..at
            };
            if open.attached.iter().all(|it| it.at != at) {
                open.attached.push(AttachedModel { at, model: None });
            }
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        if !paths.is_empty() {
            self.effects.push(Effect::Attach(AttachRequest {
                file: open.path.clone(),
                paths,
                options: self.open_options(),
            }));
        }
    }

    /// Attaches the models that the command line requests for an opened file, or else those that it
    /// had when it was closed.
    pub(super) fn restore_attached(&mut self, request: &ViewRequest) {
        let wanted = if request.attach.is_empty() && !request.sets_view() {
            self.kept_attachments()
        } else {
            request.attach.clone()
        };
        self.attach_all(wanted);
    }

    /// Attaches the models of the previous version to a reloaded one, and reads their files again.
    pub(super) fn keep_attached(&mut self, attached: Vec<AttachedModel>) {
        if let Some(open) = self.session.open.as_mut().filter(|_| !attached.is_empty()) {
            open.attached = attached;
            self.assemble();
            let wanted = self.session.attached().iter().map(|it| it.at.clone());
            self.attach_all(wanted.collect());
        }
    }

    /// Applies the outcome of reading model files. A file that cannot be read changes nothing.
    pub(crate) fn attached(&mut self, outcome: AttachOutcome) {
        let open = self.session.open.as_mut();
        let Some(open) = open.filter(|open| open.path == outcome.file) else {
            return;
        };
        for (path, model) in outcome.models {
            match model {
                Ok(model) => {
                    for it in open.attached.iter_mut().filter(|it| it.at.path == path) {
                        it.model = Some(Arc::clone(&model));
                    }
                }
                Err(message) => {
                    let is_kept = |it: &AttachedModel| it.at.path != path || it.model.is_some();
                    open.attached.retain(is_kept);
                    let text = format!("{}: {message}", folder::name(&path));
                    self.notices.toast(text, Some(Severity::Error));
                }
            }
        }
        self.assemble();
    }

    /// Detaches the models of the selected joint, or all of them without a selected joint.
    pub(crate) fn detach(&mut self) {
        let joint = self.session.selected_joint().map(str::to_owned);
        if let Some(open) = &mut self.session.open {
            let stays = |it: &AttachedModel| joint.as_ref().is_some_and(|of| it.at.joint != *of);
            open.attached.retain(stays);
            self.assemble();
        }
    }

    /// Shows the open model with those that are attached to it. Detaches those whose joint does not
    /// exist.
    fn assemble(&mut self) {
        let Some(open) = &mut self.session.open else {
            return;
        };
        let mut models = Vec::new();
        open.attached.retain(|it| {
            let joint = joint_named(&*open.host, &it.at.joint);
            match (&joint, &it.model) {
                (Ok(joint), Some(model)) => models.push(Attached {
                    joint: *joint,
                    path: it.at.path.clone(),
                    model: Arc::clone(model),
                }),
                (Ok(_), None) => {}
                (Err(_), _) => {
                    let [model, host] = [&it.at.path, &open.path].map(|path| folder::name(path));
                    let joint = &it.at.joint;
                    let text = format!("{model} was detached: {host} has no joint `{joint}`");
                    self.notices.toast(text, Some(Severity::Warning));
                }
            }
            joint.is_ok()
        });
        self.versions += 1;
        open.version = self.versions;
        open.document = Assembly::of(&open.host, models);
        self.reload_split();
        self.effects.push(Effect::Watch);
    }
}
