//! The fields of an archive, and its keys in `info`.

use serde_json::{Map, Value as Json, json};

use super::ArchiveFile;
use crate::Statistic;
use crate::describe::archive_entry::EntryAt;
use crate::describe::own::sha256;
use crate::describe::table::{
    Field, InfoKeys, ItemKeys, Table, ValueType, integer, section, shown_only,
};
use crate::describe::value::Value;
use mapscope_formats::counted;
use mapscope_formats::paf::{Archive, Content};
use mapscope_formats::parallel::map_parallel;

/// An entry of an archive in `info --json`.
const ENTRY: ValueType = ValueType::Object(&[
    ("path", ValueType::Text),
    ("kind", ValueType::Text),
    ("size", ValueType::Integer),
    ("sha256", ValueType::Text),
    ("target", ValueType::Text),
]);

/// Numbers of an archive's entries.
#[derive(Debug, Default)]
pub(super) struct Counts {
    files: usize,
    folders: usize,
    links: usize,
    dead_links: usize,
    unreadable: usize,
    bytes: u64,
    stored_bytes: u64,
}

impl Counts {
    pub(super) fn of(archive: &Archive) -> Self {
        let mut counts = Self::default();
        for entry in archive.entries() {
            match &entry.content {
                Content::Directory(_) => counts.folders += 1,
                Content::Link(link) => {
                    counts.links += 1;
                    counts.dead_links += usize::from(link.target.is_err());
                }
                Content::File(file) => {
                    counts.files += 1;
                    if file.fault.is_some() {
                        counts.unreadable += 1;
                    } else {
                        counts.bytes += u64::from(file.bytes);
                        counts.stored_bytes += u64::from(file.stored_bytes);
                    }
                }
                Content::Unknown(_) => counts.unreadable += 1,
            }
        }
        counts
    }

    pub(super) fn statistics(&self) -> Vec<Statistic> {
        vec![
            Statistic::new("Files", self.files),
            Statistic::new("Unreadable files", self.unreadable),
            Statistic::new("Folders", self.folders),
            Statistic::new("Links", self.links),
            Statistic::new("Links that lead nowhere", self.dead_links),
            Statistic::new("Bytes of all files", self.bytes),
            Statistic::new("Stored bytes of all files", self.stored_bytes),
        ]
    }
}

/// An archive.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArchiveAt<'a> {
    pub(super) file: &'a ArchiveFile,
}

impl<'a> ArchiveAt<'a> {
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Archive", Self::ARCHIVE)],
    };

    const ARCHIVE: &'a [Field<Self>] = &[
        integer("Layout", "layout", |at: &Self| {
            let layout = at.file.archive.layout();
            Value::from(layout).shown_as(format!("P{layout}"))
        })
        .in_summary()
        .listed(),
        integer("Files", "files", |at: &Self| at.file.counts.files.into())
            .derived()
            .note(|at| counted(at.file.counts.files, "file").into())
            .in_summary(),
        integer("Folders", "folders", |at: &Self| {
            at.file.counts.folders.into()
        })
        .derived(),
        integer("Links", "links", |at: &Self| at.file.counts.links.into()).derived(),
        integer("Bytes of all files", "bytes", |at: &Self| {
            at.file.counts.bytes.into()
        })
        .derived(),
        integer("Stored bytes of all files", "stored_bytes", |at: &Self| {
            at.file.counts.stored_bytes.into()
        })
        .derived(),
        shown_only("Bytes of the archive", |at| {
            at.file.archive.bytes().len().into()
        }),
    ];
}

impl ArchiveFile {
    /// JSON keys of an archive.
    pub(crate) fn info_keys() -> InfoKeys {
        let entries = ("entries", ValueType::List(&ENTRY));
        InfoKeys::new(ArchiveAt::FIELDS.listed_keys(), &[entries], &[])
    }

    /// JSON keys of the items of an archive.
    pub(crate) fn item_keys() -> Vec<ItemKeys> {
        vec![
            ArchiveAt::FIELDS.keys("archive"),
            EntryAt::FIELDS.keys("file"),
            EntryAt::FIELDS.keys("folder"),
            EntryAt::FIELDS.keys("link"),
        ]
    }

    /// The keys of `info --json`: the layout, and the entries in path order.
    pub(super) fn info_json(&self) -> Map<String, Json> {
        let mut info = ArchiveAt::FIELDS.json(&ArchiveAt { file: self });
        let archive = &self.archive;
        let mut paths: Vec<_> = archive
            .entries()
            .iter()
            .map(|it| archive.path(it))
            .collect();
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_by(|a, b| paths.get(*a).cmp(&paths.get(*b)));
        let hashes = map_parallel(paths.len(), |index| {
            let bytes = archive.file(index)?.ok()?;
            Some(sha256(&bytes))
        });
        let entries = order.into_iter().filter_map(|index| {
            let (kind, size, target) = match &archive.entries().get(index)?.content {
                Content::Directory(_) => (Some("folder"), None, None),
                Content::File(file) => (Some("file"), Some(file.bytes), None),
                Content::Link(link) => (Some("link"), None, Some(&*link.text)),
                Content::Unknown(_) => (None, None, None),
            };
            Some(json!({
                "path": std::mem::take(paths.get_mut(index)?),
                "kind": kind,
                "size": size,
                "sha256": hashes.get(index)?,
                "target": target,
            }))
        });
        info.insert("entries".to_owned(), entries.collect());
        info
    }
}
