//! Reads model files that are attached to joints.

use super::loader;
use crate::viewer::state::attach::{AttachOutcome, AttachRequest};
use mapscope_scene::model::attached::{NOT_A_MODEL, is_model};

/// Reads the files of a request, each with a budget of its own.
pub(crate) fn run(request: AttachRequest) -> AttachOutcome {
    let models = request.paths.into_iter().map(|path| {
        let opened = loader::open_file(&path, &request.options);
        let model = opened.and_then(|document| {
            let is_model = is_model(&*document);
            is_model.then_some(document).ok_or(NOT_A_MODEL.to_owned())
        });
        (path, model)
    });
    AttachOutcome {
        models: models.collect(),
        file: request.file,
    }
}
