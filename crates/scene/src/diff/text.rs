//! A whole document as lines of text, which other programs can compare: git does (`textconv`).

use std::ops::ControlFlow;

use super::fields::changes;
use super::{FieldChange, Parts, all_parts};
use crate::describe::own::Named;
use crate::{Document, OwnLine};

/// A part of a document, with all that the file says of it.
#[derive(Debug)]
pub struct Told<'a> {
    /// The kind, such as `tile`.
    pub what: &'static str,
    /// Its name or its place, as the format has it; of several cells, the first and the last place.
    pub place: &'a str,
    /// What the file says of it, as what A says and B does not.
    pub fields: Vec<FieldChange>,
}

/// Calls a function with each part of a document, in the order of the format, as long as it goes on. Equal cells
/// side by side in a row are one part. The first is the error that leaves something out of the document, if there is one.
pub fn tell(
    document: &dyn Document,
    mut line: impl FnMut(&Told<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let parts = all_parts(document, false).unwrap_or_default();
    tell_lists(document, parts, "", &mut line)
}

fn tell_lists(
    document: &dyn Document,
    lists: Vec<Parts<'_>>,
    within: &str,
    line: &mut dyn FnMut(&Told<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for list in lists {
        let mut index = 0;
        while index < list.count {
            let end = list.end_of_run(index);
            let mut place = format!("{within}{}", list.name(index));
            if end - index > 1 {
                place = format!("{place} to {}", list.name(end - 1));
            }
            line(&Told {
                what: list.what,
                place: &place,
                fields: changes(&[told_of(&list, index, document), Vec::new()], |_| false),
            })?;
            let children = list.compared_children(index);
            tell_lists(document, children, &format!("{place}: "), line)?;
            index = end;
        }
    }
    ControlFlow::Continue(())
}

/// What the file says of a part. The cells of a grid are many: another part that they name stands there as its
/// number, so that a part that is renamed is one difference.
fn told_of(list: &Parts<'_>, index: usize, document: &dyn Document) -> Vec<OwnLine> {
    let mut own = list.own(index, document);
    if list.columns.is_some() {
        for line in &mut own {
            if let Some(Named { part, remainder }) = &line.names {
                let text = format!("{} {remainder}", part.1);
                line.value = text.trim_end().into();
            }
        }
    }
    own
}
