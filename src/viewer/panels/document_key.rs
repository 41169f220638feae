//! Cache key for anything derived from a document.

use std::sync::{Arc, Weak};

use mapscope_scene::{Document, Pending};

/// Remembers a document, so that derived data is kept until another document is shown.
///
/// It holds a weak pointer rather than an address: the address of a closed document may be reused.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentKey {
    document: Option<Weak<dyn Document>>,
    pending: Option<Pending>,
}

impl DocumentKey {
    /// Remembers `document`; returns `true` if it is not the previous one.
    pub(super) fn changed_to(&mut self, document: &Arc<dyn Document>) -> bool {
        let now = Arc::downgrade(document);
        let before = self.document.as_ref();
        let same = before.is_some_and(|before| before.ptr_eq(&now));
        self.document = Some(now);
        !same
    }

    /// Like [`changed_to`](Self::changed_to), but also returns `true` once deferred faces are
    /// loaded, because more can be listed then.
    pub(super) fn changed_or_filled(&mut self, document: &Arc<dyn Document>) -> bool {
        let before = std::mem::replace(&mut self.pending, document.pending());
        let is_filled = before == Some(Pending::Relief) && self.pending != before;
        self.changed_to(document) || is_filled
    }
}
