//! Items by what they are called, or by their numbers.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::Document;
use crate::core::item::Item;
use crate::core::playback::Playhead;
use crate::document::parts::Parts;

/// How many names a message lists.
const MAX_LISTED: usize = 12;
/// Of how many names, and of how many characters of each, a message lists the most alike.
const MAX_COMPARED: usize = 4096;
const MAX_COMPARED_CHARS: usize = 64;
/// How many numbers in a row may be no item's before there are thought to be no more.
const MAX_GAP: u32 = 64;

/// An item with what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedItem {
    /// The item.
    pub item: Item,
    /// Its name or its place, as the file has it; none where it has only its numbers.
    pub name: Option<String>,
}

/// All items of some kinds, in the order of the file, with their names. Of a kind of which a file has
/// no list there are none.
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

/// The items that a text means: a kind, for all items of it, or a kind with the name or the numbers of
/// one, as in `joint`, `joint:hand`, `tile:3,17` and `tile 3 17`. Several may have the same name.
///
/// # Errors
/// When there is no such kind, or no such item of it: a sentence for the user.
pub fn find_items(document: &dyn Document, text: &str) -> Result<Vec<NamedItem>, String> {
    let lists = document.parts().unwrap_or_default();
    let Some((kind, rest)) = Item::split_kind(text) else {
        return Err(unknown_kind(&lists));
    };
    let exists = |item: &Item| !document.properties(*item, Playhead::default()).is_empty();
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

/// Finds what has a name, or a code in the file, but is in no list: tile types, and what else stands for
/// many things at once.
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

/// The items of a kind of which there is no list, but which are counted.
fn numbered(
    kind: &str,
    exists: &dyn Fn(&Item) -> bool,
    lists: &[Parts<'_>],
) -> Result<Vec<NamedItem>, String> {
    let is_of_file = lists
        .iter()
        .find_map(|list| list.item(0))
        .is_some_and(|item| item.kinds_beside().contains(&kind));
    if Item::of_kind(kind, "0").is_empty() && Item::of_kind(kind, "").is_empty() {
        return match is_of_file {
            false => Err(unknown_kind(lists)),
            // There is a list of them, which is empty.
            _ if lists.iter().any(|list| list.what == kind) => Ok(Vec::new()),
            _ => Err(format!("say which one, as in {}", form_of(kind, lists))),
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

/// Is told of an item, with what reads its name.
type Visit<'a> = dyn FnMut(Item, &dyn Fn() -> String) -> ControlFlow<()> + 'a;

/// Calls a function with each item of lists that is wanted, in their order.
fn visit(
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
        "expected what it is, alone or with a name or numbers behind a colon; this file has {forms}"
    )
}

/// How items of a file are written.
fn forms(lists: &[Parts<'_>]) -> Vec<String> {
    let item = lists.iter().find_map(|list| list.item(0));
    item.map_or_else(Vec::new, Item::forms_beside)
}

/// How an item of a kind is written.
fn form_of(kind: &str, lists: &[Parts<'_>]) -> String {
    let kind = kind.replace(' ', "-");
    let mut forms = forms(lists).into_iter();
    let form = forms.find(|form| form.split(':').next() == Some(&*kind));
    form.unwrap_or(kind)
}

/// Puts the names first that are most alike one that is none of them, if not all are listed anyway; equals stay
/// in the order of the file.
fn most_alike(names: &mut [String], called: &str) {
    if names.len() > MAX_LISTED {
        names.sort_by_cached_key(|name| {
            let name: String = name.chars().take(MAX_COMPARED_CHARS).collect();
            Reverse((strsim::jaro_winkler(&name, called) * 1000.0) as u32)
        });
    }
}

fn unknown_item(kind: &str, called: &str, lists: &[Parts<'_>]) -> String {
    let mut names = Vec::new();
    let mut count = 0;
    // Who asks for a number is told those that there are.
    let is_number = called.starts_with(|c: char| c.is_ascii_digit());
    let _all = visit(lists, &|item| item.kind() == kind, &mut |item, name| {
        count += 1;
        if names.len() < MAX_COMPARED {
            let numbers = item.to_string();
            let numbers = numbers.strip_prefix(kind).unwrap_or_default().trim();
            let name = name();
            names.push(if is_number && name != numbers {
                format!("{} ({name})", numbers.replace(' ', ","))
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
    let form = form_of(kind, lists);
    // Cells are called by their column and row, which does not tell those of one layer from those of another.
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
