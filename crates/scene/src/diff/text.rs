//! A whole document as lines of text for comparison by other programs, such as git (`textconv`).

use std::ops::ControlFlow;

use super::fields::changes;
use super::{FieldChange, Parts, all_parts};
use crate::describe::own::Named;
use crate::{Document, OwnLine};

/// A part of a document with all its file data.
#[derive(Debug)]
pub struct PartText<'a> {
    /// The kind, such as `tile`.
    pub what: &'static str,
    /// Its name or its place, in the terms of the format. For several cells, the first and the last
    /// place.
    pub place: &'a str,
    /// Its data, as values that A has and B lacks.
    pub fields: Vec<FieldChange>,
}

/// Calls `line` with each part of a document, in the order of the format, until it breaks. Equal
/// adjacent cells in a row form one part. If an error left something out of the document, it comes
/// first.
pub fn tell(
    document: &dyn Document,
    mut line: impl FnMut(&PartText<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let parts = all_parts(document, false).unwrap_or_default();
    visit_lists(document, parts, "", &mut line)
}

fn visit_lists(
    document: &dyn Document,
    lists: Vec<Parts<'_>>,
    within: &str,
    line: &mut dyn FnMut(&PartText<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for list in lists {
        let mut index = 0;
        while index < list.count {
            let end = list.end_of_run(index);
            let mut place = format!("{within}{}", list.name(index));
            if end - index > 1 {
                place = format!("{place} to {}", list.name(end - 1));
            }
            line(&PartText {
                what: list.what,
                place: &place,
                fields: changes(&[lines_of_part(&list, index, document), Vec::new()], |_| {
                    false
                }),
            })?;
            let children = list.compared_children(index);
            visit_lists(document, children, &format!("{place}: "), line)?;
            index = end;
        }
    }
    ControlFlow::Continue(())
}

/// The data of a part. Grid cells are numerous, so their references to other parts are written as
/// numbers; a renamed part is then a single difference.
fn lines_of_part(list: &Parts<'_>, index: usize, document: &dyn Document) -> Vec<OwnLine> {
    let mut own = list.own(index, document);
    if list.columns.is_some() {
        for line in &mut own {
            if let Some(Named { part, remainder }) = &line.names {
                let text = format!("{} {remainder}", part.1);
                line.value = text.trim_end().into();
                line.text = None;
            }
        }
    }
    own
}
