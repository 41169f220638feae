//! Finds items by name or by number.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::Document;
use crate::core::item::Item;
use crate::document::parts::Parts;

/// Maximum number of names that a message lists.
const MAX_LISTED: usize = 12;
/// Limits of the similarity search for a message: number of names, and characters of each name.
const MAX_COMPARED: usize = 4096;
const MAX_COMPARED_CHARS: usize = 64;
/// Maximum number of consecutive unused numbers before a search for counted items ends.
const MAX_GAP: u32 = 64;

/// An item and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedItem {
    /// The item.
    pub item: Item,
    /// The name or place as written in the file; `None` if the item only has numbers.
    pub name: Option<String>,
}

/// Returns all items of the given kinds with their names, in file order. Kinds that the file does
/// not list contribute no items.
pub fn items_of_kinds(document: &dyn Document, kinds: &[&str]) -> Vec<NamedItem> {
    let mut found = Vec::new();
    let lists = document.parts().unwrap_or_default();
    let _all = visit(
        &lists,
        &|item| kinds.contains(&item.kind()),
        &mut |item, name| {
            let name = Some(name());
            found.push(NamedItem { item, name });
            ControlFlow::Continue(())
        },
    );
    found
}

/// Returns the items that a text refers to: a kind alone (all its items), or a kind with the name
/// or numbers of one item. Examples: `joint`, `joint:hand`, `tile:3,17`, `tile 3 17`. Several items
/// may share a name.
///
/// # Errors
///
/// If the kind or the item does not exist: a sentence for the user.
pub fn find_items(document: &dyn Document, text: &str) -> Result<Vec<NamedItem>, String> {
    let mut lists = document.parts().unwrap_or_default();
    lists.extend(document.other_parts());
    let Some((kind, rest)) = Item::split_kind(text) else {
        return Err(unknown_kind(&lists));
    };
    let exists = |item: &Item| document.has(*item);
    let is_of_kind = |item: Item| item.kind() == kind;
    if rest.is_empty() {
        let listed = items_of_kinds(document, &[kind]);
        if listed.is_empty() {
            return numbered(kind, &exists, &lists);
        }
        return Ok(listed);
    }
    let mut found = Vec::new();
    if let Some(called) = rest.strip_prefix(':') {
        let _all = visit(&lists, &is_of_kind, &mut |item, name| {
            let name = name();
            if name == called {
                let name = Some(name);
                found.push(NamedItem { item, name });
            }
            ControlFlow::Continue(())
        });
    }
    if let Some(called) = rest.strip_prefix(':').filter(|_| found.is_empty()) {
        find_unlisted(document, &is_of_kind, called, &mut found);
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let numbers = rest.trim_start_matches([':', ' ', ',']);
    let written = Item::of_kind(kind, numbers).into_iter().filter(exists);
    let found: Vec<NamedItem> = written
        .map(|item| {
            let mut name = None;
            let _first = visit(&lists, &is_of_kind, &mut |other, read| {
                if other != item {
                    return ControlFlow::Continue(());
                }
                name = Some(read());
                ControlFlow::Break(())
            });
            NamedItem { item, name }
        })
        .collect();
    if found.is_empty() {
        return Err(unknown_item(kind, numbers, &lists));
    }
    Ok(found)
}

/// Finds items that have a name or a code in the file but are in no list, such as tile types and
/// other groups.
fn find_unlisted(
    document: &dyn Document,
    is_of_kind: &dyn Fn(Item) -> bool,
    called: &str,
    found: &mut Vec<NamedItem>,
) {
    let mut add = |item: Item, name: &str| {
        let name = Some(name.to_owned());
        found.push(NamedItem { item, name });
    };
    for kind in &document.about().kinds {
        if is_of_kind(kind.item) && (kind.name == called || kind.code == called) {
            add(kind.item, kind.name);
        }
    }
    let mut lines = document.outline();
    while let Some(line) = lines.pop() {
        if let Some(item) = line.item.filter(|item| is_of_kind(*item))
            && line.label == called
        {
            add(item, &line.label);
        }
        lines.extend(line.children);
    }
}

/// Returns the items of a kind that is numbered but not listed.
fn numbered(
    kind: &str,
    exists: &dyn Fn(&Item) -> bool,
    lists: &[Parts<'_>],
) -> Result<Vec<NamedItem>, String> {
    let is_of_file = lists
        .iter()
        .find_map(|list| list.item(0))
        .is_some_and(|item| item.sibling_kinds().contains(&kind));
    if Item::of_kind(kind, "0").is_empty() && Item::of_kind(kind, "").is_empty() {
        return match is_of_file {
            false => Err(unknown_kind(lists)),
            // The file has a list of this kind, and it is empty.
            _ if lists.iter().any(|list| list.what == kind) => Ok(Vec::new()),
            _ => Err(format!("specify which one, as in {}", form_of(kind, lists))),
        };
    }
    let mut found = Vec::new();
    let whole = Item::of_kind(kind, "").into_iter().filter(exists);
    found.extend(whole.map(|item| NamedItem { item, name: None }));
    let mut gap = 0;
    for number in 0..u32::MAX {
        let before = found.len();
        let of_number = Item::of_kind(kind, &number.to_string());
        if of_number.is_empty() {
            break;
        }
        let of_number = of_number.into_iter().filter(exists);
        found.extend(of_number.map(|item| NamedItem { item, name: None }));
        gap = if found.len() > before { 0 } else { gap + 1 };
        if gap > MAX_GAP {
            break;
        }
    }
    if found.is_empty() && !is_of_file {
        return Err(unknown_kind(lists));
    }
    Ok(found)
}

/// Callback that receives an item and a function that reads its name.
pub(super) type Visit<'a> = dyn FnMut(Item, &dyn Fn() -> String) -> ControlFlow<()> + 'a;

/// Calls `each` with every wanted item of the lists, in order.
pub(super) fn visit(
    lists: &[Parts<'_>],
    is_wanted: &dyn Fn(Item) -> bool,
    each: &mut Visit<'_>,
) -> ControlFlow<()> {
    for list in lists {
        // All items of a list are of one kind.
        if list.lists_items() && list.item(0).is_some_and(is_wanted) {
            for index in 0..list.count {
                if let Some(item) = list.item(index) {
                    each(item, &|| list.name(index))?;
                }
            }
        }
        if list.has_items_within() {
            for index in 0..list.count {
                visit(&list.children(index), is_wanted, each)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn unknown_kind(lists: &[Parts<'_>]) -> String {
    let forms = forms(lists).join(", ");
    format!(
        "expected a kind of item, optionally with a colon and a name or numbers; this file has \
         {forms}"
    )
}

/// Written forms of the items of a file.
fn forms(lists: &[Parts<'_>]) -> Vec<String> {
    let item = lists.iter().find_map(|list| list.item(0));
    item.map_or_else(Vec::new, Item::sibling_forms)
}

/// Written form of an item of a kind.
fn form_of(kind: &str, lists: &[Parts<'_>]) -> String {
    let kind = kind.replace(' ', "-");
    let mut forms = forms(lists).into_iter();
    let form = forms.find(|form| form.split(':').next() == Some(&*kind));
    form.unwrap_or(kind)
}

/// Sorts the names by similarity to an unknown name, unless all of them fit in the message anyway.
/// Equally similar names keep the order of the file.
fn most_alike(names: &mut [String], called: &str) {
    if names.len() > MAX_LISTED {
        names.sort_by_cached_key(|name| {
            let name: String = name.chars().take(MAX_COMPARED_CHARS).collect();
            Reverse((strsim::jaro_winkler(&name, called) * 1000.0) as u32)
        });
    }
}

/// The numbers of an item, as in its written form.
fn numbers_of(item: Item) -> String {
    let numbers = item.to_string();
    let numbers = numbers.strip_prefix(item.kind()).unwrap_or_default();
    numbers.trim().replace(' ', ",")
}

/// Adds the first and the last item of each grid of a kind.
fn corners(lists: &[Parts<'_>], kind: &str, grids: &mut Vec<String>) {
    for list in lists.iter().filter(|list| list.count > 0) {
        let [first, last] = [0, list.count - 1].map(|index| list.item(index));
        if let (Some(first), Some(last), true) = (first, last, list.columns.is_some())
            && first.kind() == kind
        {
            grids.push(format!("{} to {}", numbers_of(first), numbers_of(last)));
        }
        if list.has_items_within() && list.columns.is_none() {
            for index in 0..list.count {
                corners(&list.children(index), kind, grids);
            }
        }
    }
}

fn unknown_item(kind: &str, called: &str, lists: &[Parts<'_>]) -> String {
    // For an unknown number, the message lists the existing numbers.
    let is_number = called.starts_with(|c: char| c.is_ascii_digit());
    let form = form_of(kind, lists);
    let mut grids = Vec::new();
    corners(lists, kind, &mut grids);
    if is_number && !grids.is_empty() {
        grids.truncate(MAX_LISTED);
        let grids = grids.join("; ");
        return format!("the file has no {kind} `{called}`; there are {grids}; expected {form}");
    }
    let mut names = Vec::new();
    let mut count = 0;
    let _all = visit(lists, &|item| item.kind() == kind, &mut |item, name| {
        count += 1;
        if names.len() < MAX_COMPARED {
            let numbers = numbers_of(item);
            let name = name();
            names.push(if is_number && name != numbers {
                format!("{numbers} ({name})")
            } else {
                name
            });
        }
        ControlFlow::Continue(())
    });
    if !is_number {
        most_alike(&mut names, called);
    }
    names.truncate(MAX_LISTED);
    let more = match count - names.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    // Cells are named by column and row, which is ambiguous between layers.
    let is_place = |name: &String| name.chars().all(|c| c.is_ascii_digit() || c == ',');
    if !is_number && names.iter().all(is_place) {
        return format!("the file has no {kind} `{called}`; expected {form}, all of them numbers");
    }
    let known = match &*names {
        [] => String::new(),
        names => format!("; there are {}{more}", names.join(", ")),
    };
    format!("the file has no {kind} `{called}`{known}; expected {form} or a name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_the_most_alike_come_first() {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let mut names: Vec<String> = (0..20).map(|number| format!("spine_{number}")).collect();
        names.extend(["hand_ctrl_r", "hand_ik_r"].map(str::to_owned));
        most_alike(&mut names, "hand_r");
        assert_eq!(names[..2], ["hand_ik_r", "hand_ctrl_r"]);
        assert_eq!(names[2..4], ["spine_0", "spine_1"]);
        let mut few: Vec<String> = list(&["b", "a"]);
        most_alike(&mut few, "a");
        assert_eq!(few, ["b", "a"]);
    }
}
