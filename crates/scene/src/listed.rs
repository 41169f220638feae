//! Lists: the lines of outlines, and steps from one number of a list to the next.

use super::{Item, OutlineNode};

/// What the neighbours in a list are called in a menu, and what they are.
pub(super) const LISTED_BEFORE: [&str; 2] = [
    "Previous in the list",
    "Select the one before the selection in the file",
];
pub(super) const LISTED_AFTER: [&str; 2] = [
    "Next in the list",
    "Select the one after the selection in the file",
];

/// A line of the outline that stands for an item.
pub(super) fn leaf(label: String, item: Item, note: String) -> OutlineNode {
    OutlineNode {
        label,
        item: Some(item),
        note,
        swatch: None,
        children: Vec::new(),
    }
}

/// The line that says how many more there are than are listed.
pub(super) fn and_more(count: usize, listed: usize) -> Option<OutlineNode> {
    let more = count.checked_sub(listed).filter(|more| *more > 0)?;
    Some(heading(&format!("and {more} more"), Vec::new()))
}

/// As many lines as are listed, and how many more there are.
pub(super) fn capped(mut lines: Vec<OutlineNode>, most: usize) -> Vec<OutlineNode> {
    let count = lines.len();
    lines.truncate(most);
    lines.extend(and_more(count, lines.len()));
    lines
}

/// A line that only says what those below it are, and how many.
pub(super) fn heading(label: &str, children: Vec<OutlineNode>) -> OutlineNode {
    OutlineNode {
        label: label.to_owned(),
        item: None,
        note: if children.is_empty() {
            String::new()
        } else {
            children.len().to_string()
        },
        swatch: None,
        children,
    }
}

/// The number that follows or precedes another in a rising list.
pub(super) fn beside(numbers: &[u64], at: u64, backwards: bool) -> Option<&u64> {
    if backwards {
        let before = numbers.partition_point(|number| *number < at);
        numbers.get(before.checked_sub(1)?)
    } else {
        numbers.get(numbers.partition_point(|number| *number <= at))
    }
}

/// The same, going round at the end; the first or last one without another.
pub(super) fn beyond(numbers: &[u64], after: Option<u64>, backwards: bool) -> Option<u64> {
    let end = if backwards {
        numbers.last()
    } else {
        numbers.first()
    };
    let found = after.and_then(|at| beside(numbers, at, backwards));
    found.or(end).copied()
}
