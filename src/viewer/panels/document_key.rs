//! Which document something was made from.

use std::sync::{Arc, Weak};

use mapscope_scene::Document;

/// Remembers a document, so that what was made from it is kept until another one is shown.
///
/// It holds a weak pointer rather than an address, because the address of a closed document may
/// be given to the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentKey(Option<Weak<dyn Document>>);

impl DocumentKey {
    /// Whether this is not the document that was remembered; from now on it is.
    pub(super) fn changed_to(&mut self, document: &Arc<dyn Document>) -> bool {
        let now = Arc::downgrade(document);
        let same = self.0.as_ref().is_some_and(|before| before.ptr_eq(&now));
        self.0 = Some(now);
        !same
    }
}
