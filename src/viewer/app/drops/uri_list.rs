//! Lists of URIs, the type `text/uri-list` in which programs offer files (RFC 2483, section 5).

use std::path::PathBuf;

use crate::file_names::local_path;

/// Maximum length at which a rejected entry is quoted, in characters.
const MAX_QUOTED_CHARS: usize = 120;

/// The contents of a URI list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UriList {
    /// Files and folders on this machine, in order.
    pub paths: Vec<PathBuf>,
    /// Number of entries that are not files on this machine.
    pub others: usize,
    /// The first of those entries.
    pub first_rejected: String,
}

impl UriList {
    /// Reads a list. Lines end with CR LF or with LF alone; comments start with `#`.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut list = Self::default();
        for line in bytes.split(|&byte| byte == b'\n') {
            let line = line.trim_ascii_end();
            // Some programs terminate the list with a NUL byte.
            let line = line.strip_suffix(b"\0").unwrap_or(line);
            if line.is_empty() || line[0] == b'#' {
                continue;
            }
            if let Some(path) = local_path(line) {
                list.paths.push(path);
            } else {
                list.others += 1;
                if list.first_rejected.is_empty() {
                    let text = String::from_utf8_lossy(line);
                    list.first_rejected = text.chars().take(MAX_QUOTED_CHARS).collect();
                }
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    fn paths(list: &[u8]) -> Vec<Vec<u8>> {
        let read = UriList::read(list);
        assert_eq!(read.others, 0, "{read:?}");
        let bytes = |path: &PathBuf| path.as_os_str().as_bytes().to_vec();
        read.paths.iter().map(bytes).collect()
    }

    #[test]
    fn files_have_any_bytes() {
        let list = b"# from a file manager\r\nfile:///a%20b/100%25%20%231.pfmap\r\n\
            file:///K%C3%A4se/%e6%97%a5.map\nfile://localhost/a\nFILE:/b\n\nfile:///%ff%0a\0";
        let wanted: [&[u8]; 5] = [
            b"/a b/100% #1.pfmap",
            "/Käse/日.map".as_bytes(),
            b"/a",
            b"/b",
            b"/\xff\n",
        ];
        assert_eq!(paths(list), wanted);
    }

    #[test]
    fn what_programs_forgot_to_escape_is_taken_as_it_is() {
        let wanted = ["/a b#c?d".as_bytes(), b"/100%", b"/%zz", "/é".as_bytes()];
        let list = "file:///a b#c?d\r\nfile:///100%\r\nfile:///%zz\r\nfile:///é\r\n";
        assert_eq!(paths(list.as_bytes()), wanted);
    }

    #[test]
    fn what_is_no_file_of_this_machine_is_counted() {
        let list = b"https://example.org/a.pfmap\r\nfile:///a\r\nfile://server/share/b\r\n\
            file:relative\r\nfile:\r\nfile://\r\nfile:///a%00b\r\nf\r\n\xff\xfe";
        let read = UriList::read(list);
        assert_eq!(read.paths, [PathBuf::from("/a")]);
        assert_eq!(read.others, 8);
        assert_eq!(read.first_rejected, "https://example.org/a.pfmap");
        let long = UriList::read(&vec![b'x'; 100_000]);
        assert_eq!(long.first_rejected.len(), MAX_QUOTED_CHARS);
        assert_eq!(UriList::read(b"\r\n# nothing\r\n"), UriList::default());
    }
}
