//! Lists: the lines of outlines, and steps from one number of a list to the next.

use std::path::Path;

use crate::{Item, OutlineNode};

/// The name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The name of a file at the end of a path as files write it, of any system.
pub(crate) fn name_at_end(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// What the neighbours in a list are called in a menu, and what they are.
pub(crate) const LISTED_BEFORE: [&str; 2] = [
    "Previous in the list",
    "Select the one before the selection in the file",
];
pub(crate) const LISTED_AFTER: [&str; 2] = [
    "Next in the list",
    "Select the one after the selection in the file",
];

/// A line of the outline that stands for an item.
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

/// The line that says how many more there are than are listed.
pub(crate) fn and_more(count: usize, listed: usize) -> Option<OutlineNode> {
    let more = count.checked_sub(listed).filter(|more| *more > 0)?;
    Some(OutlineNode {
        count: more,
        ..heading(&format!("and {more} more"), Vec::new())
    })
}

/// As many lines as are listed, and how many more there are.
pub(crate) fn capped(mut lines: Vec<OutlineNode>, max: usize) -> Vec<OutlineNode> {
    let count = lines.len();
    lines.truncate(max);
    lines.extend(and_more(count, lines.len()));
    lines
}

/// A line that only says what those below it are, and how many.
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

/// A heading with the lines of at most so many of a list below it, and how many there are.
pub(crate) fn heading_of<T>(
    label: &str,
    list: impl Iterator<Item = T>,
    max: usize,
    line: impl Fn(T) -> OutlineNode,
) -> OutlineNode {
    let mut list = list;
    let mut children: Vec<OutlineNode> = list.by_ref().take(max).map(line).collect();
    let count = children.len() + list.count();
    children.extend(and_more(count, children.len()));
    OutlineNode {
        note: count.to_string(),
        ..heading(label, children)
    }
}

/// The one that follows or precedes another in a rising list.
pub(crate) fn beside<'a, T: Ord>(list: &'a [T], at: &T, backwards: bool) -> Option<&'a T> {
    if backwards {
        let before = list.partition_point(|other| other < at);
        list.get(before.checked_sub(1)?)
    } else {
        list.get(list.partition_point(|other| other <= at))
    }
}

/// The same, going round at the end; the first or last one without another.
pub(crate) fn beyond<T: Ord>(list: &[T], after: Option<T>, backwards: bool) -> Option<&T> {
    let end = if backwards { list.last() } else { list.first() };
    let found = after.and_then(|at| beside(list, &at, backwards));
    found.or(end)
}
