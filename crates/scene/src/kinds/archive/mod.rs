//! Archives as documents: the tree of their entries. Nothing is drawn; files of an archive are
//! opened as documents of their own.

mod compare;
mod fields;
mod walk;

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;

use crate::camera::Handedness;
use crate::core::parallel::in_parallel;
use crate::describe::archive_entry::{self, ArchiveOwner, EntryAt};
use crate::describe::outline::{file_name, leaf};
use crate::describe::table::Describe;
use crate::{
    Aabb, About, ArchiveItem, Compare, Document, Drawable, GameView, InfoQuery, Item, OpenError,
    OpenOptions, OutlineNode, Overlay, ProblemTarget, Progress, RelatedFiles, Shown, Source,
    Statistic, ViewState, Walk,
};
use fields::{ArchiveAt, Counts};
use mapscope_formats::paf::{self, Archive, Content, Paf};
use mapscope_formats::{Place, Problem, Problems, Subject, quoted};

/// An archive has no overlays.
pub(crate) static OVERLAYS: [Overlay; 0] = [];
/// Maximum number of listed entries.
const MAX_LISTED: usize = 200_000;

/// An archive in a file of its own.
#[derive(Debug)]
pub struct ArchiveFile {
    about: About,
    archive: Arc<Archive>,
    path: PathBuf,
    counts: Counts,
}

/// Opens an archive for the table of formats.
pub(crate) fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let Paf {
        archive,
        mut problems,
    } = source.parse::<Paf>(progress)?;
    if options.checks_textures {
        problems.extend(unpacking_faults(&archive, progress)?);
        problems.sort_by_key(|problem| problem.place);
    }
    let counts = Counts::of(&archive);
    let entry_bytes = archive.entries().iter().map(|entry| {
        let name = size_of_val(entry) + entry.name.len();
        match &entry.content {
            Content::File(file) => name + size_of_val(&*file.segments),
            Content::Link(link) => name + link.text.len(),
            _ => name,
        }
    });
    let about = About {
        format: &paf::FORMAT,
        version: format!("0, layout P{}", archive.layout()),
        problems,
        bounds: Aabb {
            min: Vec3::ZERO,
            max: Vec3::ONE,
        },
        handedness: Handedness::Right,
        game_view: GameView::FromAbove,
        overlays: &OVERLAYS,
        dependencies: Vec::new(),
        kinds: Vec::new(),
        floor_height: None,
        cpu_bytes: (source.bytes.len() + entry_bytes.sum::<usize>()) as u64,
    };
    Ok(Arc::new(ArchiveFile {
        about,
        archive: Arc::new(archive),
        path: source.path.clone(),
        counts,
    }))
}

/// The problems of compressed files that cannot be decompressed.
fn unpacking_faults(archive: &Archive, progress: &Progress) -> Result<Vec<Problem>, OpenError> {
    let is_packed = |content: &Content| matches!(content, Content::File(file) if file.is_compressed && file.fault.is_none());
    let entries = archive.entries().iter().enumerate();
    let packed: Vec<_> = entries.filter(|(_, it)| is_packed(&it.content)).collect();
    let faults = in_parallel(packed.len(), progress, |i| {
        let (index, _) = packed.get(i)?;
        archive.file(*index)?.err()
    })?;
    let mut problems = Problems::new();
    for ((index, entry), fault) in packed.iter().zip(&faults) {
        if let Some(problem) = fault.as_ref().and_then(|fault| fault.problem()) {
            let subject = Subject::ArchiveEntry(*index as u32);
            let place = Place::Offset(entry.at.into());
            problems.add_about(problem.rule, subject, place, || {
                let path = quoted(archive.path(entry).as_bytes());
                format!("file {path}: {}", problem.message)
            });
        }
    }
    Ok(problems.finish())
}

impl ArchiveFile {
    /// The item of an entry.
    fn item(&self, index: usize) -> Option<ArchiveItem> {
        let entry = self.archive.entries().get(index)?;
        let index = index as u32;
        Some(match entry.content {
            Content::Directory(_) => ArchiveItem::Folder { index },
            Content::Link(_) => ArchiveItem::Link { index },
            Content::File(_) | Content::Unknown(_) => ArchiveItem::File { index },
        })
    }

    /// The entry of an item.
    fn entry_at(&self, item: Item) -> Option<EntryAt<'_>> {
        let Item::Archive(item) = item else {
            return None;
        };
        let (ArchiveItem::File { index }
        | ArchiveItem::Folder { index }
        | ArchiveItem::Link { index }) = item
        else {
            return None;
        };
        let is_of_kind = self.item(index as usize) == Some(item);
        EntryAt::new(self, index as usize).filter(|_| is_of_kind)
    }
}

impl ArchiveOwner for ArchiveFile {
    fn archive(&self) -> Option<&Archive> {
        Some(&self.archive)
    }

    fn entry_item(&self, index: usize) -> Option<Item> {
        self.item(index).map(Item::from)
    }
}

impl Document for ArchiveFile {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, _shown: &Shown, _draw: &mut dyn FnMut(Drawable<'a>)) {}

    fn outline(&self) -> Vec<OutlineNode> {
        let at = ArchiveAt { file: self };
        let whole = leaf(
            file_name(&self.path),
            ArchiveItem::Archive.into(),
            ArchiveAt::FIELDS.note(&at),
        );
        vec![OutlineNode {
            children: archive_entry::outline(self, MAX_LISTED),
            ..whole
        }]
    }

    fn record<'a>(&'a self, item: Item, _view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        if item == ArchiveItem::Archive.into() {
            return Some(ArchiveAt::FIELDS.of(ArchiveAt { file: self }));
        }
        Some(EntryAt::FIELDS.of(self.entry_at(item)?))
    }

    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let Subject::ArchiveEntry(index) = problem.subject else {
            return None;
        };
        Some(ProblemTarget {
            item: self.item(index as usize)?.into(),
            moment: None,
            overlay: None,
        })
    }

    fn emptiness(&self, _shown: &Shown) -> Option<String> {
        let text = match self.archive.entries() {
            [] => "This archive has no entries.",
            _ => "This is an archive. Open a file of the outliner to see it.",
        };
        Some(text.to_owned())
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.counts.statistics()
    }

    fn info(&self, _query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        self.info_json()
    }

    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }

    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        Some(self)
    }

    fn comparison(&self) -> Option<&dyn Compare> {
        Some(self)
    }

    fn archive(&self) -> Option<&Archive> {
        Some(&self.archive)
    }
}

impl RelatedFiles for ArchiveFile {
    fn files(&self) -> Vec<crate::NamedFile> {
        Vec::new()
    }

    fn file_of(&self, item: Item) -> Option<PathBuf> {
        self.entry_at(item)?.openable_path(&self.path)
    }
}
