//! Outline lines, and steps through lists of numbers.

use std::path::Path;

use crate::{Item, OutlineNode};

/// Returns the name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Returns the file name at the end of a path from a file, with the separators of any system.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Names and descriptions of the menu commands that select a list neighbour.
pub(crate) const LISTED_BEFORE: [&str; 2] = [
    "Previous in the list",
    "Select the one before the selection in the file",
];
pub(crate) const LISTED_AFTER: [&str; 2] = [
    "Next in the list",
    "Select the one after the selection in the file",
];

/// Creates the outline line of an item.
pub(crate) fn leaf(label: String, item: Item, note: String) -> OutlineNode {
    OutlineNode {
        label,
        item: Some(item),
        note,
        swatch: None,
        children: Vec::new(),
        count: 1,
    }
}

/// Returns the line that counts the omitted items, if any are omitted.
pub(crate) fn remainder_line(count: usize, listed: usize) -> Option<OutlineNode> {
    let more = count.checked_sub(listed).filter(|more| *more > 0)?;
    Some(OutlineNode {
        count: more,
        ..heading(&format!("and {more} more"), Vec::new())
    })
}

/// Truncates lines to `max` and adds a line that counts the rest.
pub(crate) fn capped(mut lines: Vec<OutlineNode>, max: usize) -> Vec<OutlineNode> {
    let count = lines.len();
    lines.truncate(max);
    lines.extend(remainder_line(count, lines.len()));
    lines
}

/// Creates a heading: a line without an item that names its children and counts them.
pub(crate) fn heading(label: &str, children: Vec<OutlineNode>) -> OutlineNode {
    OutlineNode {
        label: label.to_owned(),
        item: None,
        note: if children.is_empty() {
            String::new()
        } else {
            let lines = children.iter().map(|child| child.count);
            lines.sum::<usize>().to_string()
        },
        swatch: None,
        children,
        count: 1,
    }
}

/// Creates a heading with the first `max` lines of a list below it, and the total count.
pub(crate) fn heading_of<T>(
    label: &str,
    list: impl Iterator<Item = T>,
    max: usize,
    line: impl Fn(T) -> OutlineNode,
) -> OutlineNode {
    let mut list = list;
    let mut children: Vec<OutlineNode> = list.by_ref().take(max).map(line).collect();
    let count = children.len() + list.count();
    children.extend(remainder_line(count, children.len()));
    OutlineNode {
        note: count.to_string(),
        ..heading(label, children)
    }
}

/// Returns the entry after or before `at` in an ascending list.
pub(crate) fn beside<'a, T: Ord>(list: &'a [T], at: &T, backwards: bool) -> Option<&'a T> {
    if backwards {
        let before = list.partition_point(|other| other < at);
        list.get(before.checked_sub(1)?)
    } else {
        list.get(list.partition_point(|other| other <= at))
    }
}

/// Like [`beside`], but wraps around at the end. Returns the first or last entry if `after` is
/// `None`.
pub(crate) fn beyond<T: Ord>(list: &[T], after: Option<T>, backwards: bool) -> Option<&T> {
    let end = if backwards { list.last() } else { list.first() };
    let found = after.and_then(|at| beside(list, &at, backwards));
    found.or(end)
}
