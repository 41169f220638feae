//! A whole document as lines of text, which other programs can compare: git does (`textconv`).

use std::ops::ControlFlow;

use super::fields::all;
use super::{FieldChange, Parts};
use crate::Document;

/// A part of a document, with all that the file says of it; or that parts of a list were not read.
#[derive(Debug)]
pub struct Told<'a> {
    /// What it is, such as `tile`.
    pub what: &'static str,
    /// Its name or its place, as the format has it; of those that were not read, that and how many.
    pub place: &'a str,
    /// What the file says of it, as what A says and B does not.
    pub fields: Vec<FieldChange>,
}

/// Calls a function with each part of a document, in the order of the format, until it wants no
/// more.
pub fn tell(
    document: &dyn Document,
    mut line: impl FnMut(&Told<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    tell_lists(
        document,
        document.parts().unwrap_or_default(),
        "",
        &mut line,
    )
}

fn tell_lists(
    document: &dyn Document,
    lists: Vec<Parts<'_>>,
    within: &str,
    line: &mut dyn FnMut(&Told<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for list in lists.into_iter().filter(|list| list.is_compared) {
        let mut lost = list.count - list.lost_from;
        for index in 0..list.lost_from {
            if list.is_lost(index) {
                lost += 1;
                continue;
            }
            let place = format!("{within}{}", list.name(index));
            let mut fields = all(list.own(index, document));
            fields.retain(|field| !list.is_unknown(index, &field.name));
            let mut raw = Vec::new();
            list.raw(index, &mut raw);
            let is_told = list.is_raw_told || fields.is_empty();
            let bytes = list.raw_field.filter(|_| is_told);
            fields.extend(bytes.map(|field| {
                let bytes = list.told(&raw).into();
                FieldChange::new(field, [Some(bytes), None])
            }));
            line(&Told {
                what: list.what,
                place: &place,
                fields,
            })?;
            tell_lists(document, list.inner(index), &format!("{place}: "), line)?;
        }
        if let Some(not_read) = not_read(&list, lost) {
            line(&Told {
                what: list.what,
                place: &format!("{within}{not_read}"),
                fields: Vec::new(),
            })?;
        }
    }
    ControlFlow::Continue(())
}

/// What of a list was not read, of which so many parts only stand in the place of others.
fn not_read(list: &Parts<'_>, lost: usize) -> Option<String> {
    match (lost, list.is_cut) {
        (0, false) => None,
        (0, true) if list.count == 0 => Some("not read".to_owned()),
        (0, true) => Some("more not read".to_owned()),
        (lost, false) => Some(format!("{lost} of {} not read", list.count)),
        (lost, true) => Some(format!("{lost} of {} and more not read", list.count)),
    }
}
