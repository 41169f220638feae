//! Which document something was made from.

use std::sync::{Arc, Weak};

use mapscope_scene::{Document, Pending};

/// Remembers a document, so that what was made from it is kept until another one is shown.
///
/// It holds a weak pointer rather than an address, because the address of a closed document may
/// be given to the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentKey {
    document: Option<Weak<dyn Document>>,
    pending: Option<Pending>,
}

impl DocumentKey {
    /// Whether this is not the document that was remembered; from now on it is.
    pub(super) fn changed_to(&mut self, document: &Arc<dyn Document>) -> bool {
        let now = Arc::downgrade(document);
        let before = self.document.as_ref();
        let same = before.is_some_and(|before| before.ptr_eq(&now));
        self.document = Some(now);
        !same
    }

    /// The same, and whether its faces are there, which they were not: then more can be listed of
    /// it.
    pub(super) fn changed_or_filled(&mut self, document: &Arc<dyn Document>) -> bool {
        let before = std::mem::replace(&mut self.pending, document.pending());
        let is_filled = before == Some(Pending::Relief) && self.pending != before;
        self.changed_to(document) || is_filled
    }
}
