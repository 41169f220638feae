//! The parts before the levels: gamemodes, string table, archive, extensions and the list of
//! levels.

use super::super::bytes::{Cursor, StringTable};
use super::super::entities::Entities;
use super::super::header::{Header, read_extensions, read_gamemodes, read_texts};
use super::super::{Pmf, rules};
use super::Reader;
use super::layout::{find_levels, is_level};
use crate::paf::Archive;
use crate::{Problems, ReadError, counted};

/// The string table, the archive if the map has one, and an error if the archive is truncated.
type ToArchive = (StringTable, Option<Archive>, Result<(), ReadError>);

/// Reads the parts up to the archive. The intact files of a truncated archive are kept.
pub(super) fn read_to_archive(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    header: &mut Header,
) -> Result<ToArchive, ReadError> {
    read_texts(cursor, problems, header)?;
    read_gamemodes(cursor, problems, header)?;
    let strings = cursor.string_table()?;
    cursor.enter("archive", None);
    let size = cursor.u32()?;
    let offset = cursor.pos() as u64;
    let whole = cursor.bytes(size as usize);
    let bytes = whole.clone().unwrap_or_else(|_| cursor.rest());
    let archive = (size > 0).then(|| Archive::read_embedded(bytes, offset, problems));
    Ok((strings, archive, whole.map(drop)))
}

impl Reader<'_, '_> {
    /// Reads the parts before the levels and returns the sizes of the levels. The cursor is after
    /// these sizes.
    pub(super) fn read_front(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
    ) -> Result<Vec<u32>, ReadError> {
        let (strings, archive, end) = read_to_archive(cursor, &mut self.problems, &mut map.header)?;
        (map.strings, map.archive) = (strings, archive);
        end?;

        read_extensions(cursor, &mut self.problems, &mut map.extensions)?;

        cursor.enter("level list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 4, "level")?;
        (0..count).map(|_| cursor.u32()).collect()
    }

    /// Searches for the levels if their list, which ends at the cursor, is invalid or unreadable.
    /// Finds consecutive levels from an offset on, up to the entities at the end of the file. Moves
    /// the cursor to the first one and returns their sizes.
    pub(super) fn find_levels(
        &mut self,
        cursor: &mut Cursor<'_>,
        from: usize,
        is_listed: bool,
    ) -> Option<Vec<u32>> {
        let (at, sizes) = find_levels(self.bytes, from)?;
        if is_listed {
            cursor.enter("level list", None);
            let found = "no level found at the end of the list";
            let expected = format!("{}, the first at {at:#x}", counted(sizes.len(), "level"));
            self.add(cursor.fault(&rules::LEVEL_LIST, cursor.pos(), found, expected));
        }
        cursor.seek(at);
        Some(sizes)
    }
}

/// Returns `true` if a list of levels leads to at least one of them, or to the entities if it is
/// empty. The cursor is after the list.
pub(super) fn leads_to_level(cursor: &Cursor<'_>, sizes: &[u32]) -> bool {
    let mut next = cursor.clone();
    if sizes.is_empty() {
        let problems = &mut Problems::new();
        let read = Entities::read(&mut next, &Default::default(), problems, &rules::ENTITIES);
        return read.is_ok_and(|entities| entities.opaque().is_none());
    }
    sizes.iter().any(|size| {
        let is_there = is_level(next.clone().rest());
        next.seek(next.pos().saturating_add(*size as usize));
        is_there
    })
}
