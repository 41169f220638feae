//! File names as people read and order them.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode;

/// Display name of a file.
pub fn name(path: &Path) -> String {
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}

/// Display name of a file; the name of an archive and the path in it, if the file is inside one.
/// The file system is not asked.
pub fn name_inside(path: &Path) -> String {
    let is_archive = |path: &&Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ["paf", "pmf"].contains(&&*ending.to_ascii_lowercase()))
    };
    let archive = path.ancestors().skip(1).filter(is_archive).last();
    let folder = archive.and_then(Path::parent);
    match folder.and_then(|folder| path.strip_prefix(folder).ok()) {
        Some(inside) => inside.display().to_string(),
        None => name(path),
    }
}

/// Path of a `file` URI of this machine (RFC 8089): `file:///a`, `file:/a` or `file://localhost/a`.
/// It may contain any bytes except NUL.
pub fn local_path(uri: &[u8]) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_at_checked(b"file:".len())?;
    if !scheme.eq_ignore_ascii_case(b"file:") {
        return None;
    }
    let path = match rest.strip_prefix(b"//") {
        Some(rest) => {
            let slash = rest.iter().position(|&byte| byte == b'/')?;
            let (host, path) = rest.split_at(slash);
            let is_here = host.is_empty() || host.eq_ignore_ascii_case(b"localhost");
            is_here.then_some(path)?
        }
        None => rest,
    };
    let path: Vec<u8> = percent_decode(path).collect();
    let is_path = path.first() == Some(&b'/') && !path.contains(&0);
    is_path.then(|| path_of(path))
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

/// Converts the path of a URI, which has a slash before the drive: `/C:/a`.
#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    let path = String::from_utf8_lossy(&bytes);
    path.trim_start_matches('/').into()
}

/// Compares names in natural order: case-insensitively, and numbers by value.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (piece_a, piece_b) = (next_piece(&mut rest_a), next_piece(&mut rest_b));
        let order = match (piece_a, piece_b) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(Piece::Number(a)), Some(Piece::Number(b))) => {
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            (Some(a), Some(b)) => a.text().to_lowercase().cmp(&b.text().to_lowercase()),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// A run of digits without leading zeros, or a run of other characters.
enum Piece<'a> {
    Number(&'a str),
    Text(&'a str),
}

impl<'a> Piece<'a> {
    fn text(&self) -> &'a str {
        match self {
            Self::Number(text) | Self::Text(text) => text,
        }
    }
}

fn next_piece<'a>(rest: &mut &'a str) -> Option<Piece<'a>> {
    let digits = rest.starts_with(|c: char| c.is_ascii_digit());
    let end = rest
        .find(|c: char| c.is_ascii_digit() != digits)
        .unwrap_or(rest.len());
    let (piece, after) = rest.split_at(end);
    *rest = after;
    match (piece.is_empty(), digits) {
        (true, _) => None,
        (false, true) => Some(Piece::Number(piece.trim_start_matches('0'))),
        (false, false) => Some(Piece::Text(piece)),
    }
}

/// A name that is compared in natural order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NaturalName(pub(crate) String);

impl PartialOrd for NaturalName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NaturalName {
    fn cmp(&self, other: &Self) -> Ordering {
        natural_order(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_ordered_by_their_value() {
        let mut names = [
            "b2", "a10", "A9", "a010", "a1b", "a", "b", "ä1", "a1", "7", "a 3",
        ];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            [
                "7", "a", "a1", "a1b", "A9", "a010", "a10", "a 3", "b", "b2", "ä1"
            ]
        );
    }
}
