//! What stands before the levels: gamemodes, string table, archive, extensions and the list of levels.

use super::super::archive::Archive;
use super::super::bytes::{Cursor, Section, StringTable};
use super::super::header::{read_extensions, read_gamemodes, read_texts};
use super::super::mend::{Counts, STRING_TABLE, mend};
use super::super::{Extension, Pmf, archive, rules};
use super::layout::{are_entities, are_entities_of, is_level, next_level};
use super::{FILE, Reader, in_file};
use crate::ReadError;

/// The name of the size of the archive.
const ARCHIVE: [&str; 2] = ["archive", "size"];
/// The longest name of a gamemode, in bytes with the zero byte behind it.
const LONGEST_GAMEMODE: usize = 16;
/// What a number before the levels counts as read whenever another one is tried, in bytes: to go where it
/// leads takes as long as to read so many bytes of a section.
const FRONT_COST: usize = 1 << 4;

impl Reader<'_, '_> {
    /// Reads what stands before the levels, and gives their sizes. Where a wrong count or size leads to
    /// no level, and the right one is found, it is read with that.
    pub(super) fn read_mended_front(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
    ) -> Result<Vec<u32>, ReadError> {
        read_texts(cursor, &mut self.problems, &mut map.header)?;
        let file = self.bytes;
        let from = cursor.pos();
        let counts = Counts::new();
        let noting = Section {
            counts: Some(&counts),
            ..FILE
        };
        let mut noting = Cursor::new(file, noting);
        noting.seek(from);
        let sizes = pass_front(&mut noting, &mut 0);
        if sizes
            .as_ref()
            .is_some_and(|sizes| are_levels(&noting, sizes))
        {
            return self.read_front(cursor, map);
        }
        // A size that lies could as well hide all levels.
        let has_levels =
            sizes.is_some_and(|sizes| !sizes.is_empty()) || next_level(file, from).is_some();
        let works = |bytes: &[u8]| {
            let mut cursor = in_file(bytes);
            cursor.seek(from);
            let mut read = 0;
            let sizes = pass_front(&mut cursor, &mut read);
            let sizes = sizes.filter(|sizes| !sizes.is_empty() || !has_levels);
            let works = sizes.is_some_and(|sizes| are_levels_to_end(cursor, &sizes, &mut read));
            (works, read)
        };
        let Some(mended) = mend(file, &counts, &mut self.patience, works) else {
            return self.read_front(cursor, map);
        };
        self.add(mended.error(in_file(file)));
        let mut front = in_file(&mended.bytes);
        front.seek(from);
        let (cause, moment) = (self.problems.last(), self.problems.moment());
        let sizes = self.read_front(&mut front, map);
        // An archive of another size has bytes that are lost or too many.
        if let Some(cause) = cause.filter(|_| mended.is_of(ARCHIVE)) {
            let of_archive = [
                &rules::ARCHIVE,
                &rules::ARCHIVE_ENTRY,
                &rules::ARCHIVE_DUPLICATE,
            ];
            self.problems
                .fold_some_since(moment, cause, |problem| of_archive.contains(&problem.rule));
        }
        cursor.seek(front.pos());
        sizes
    }

    /// Reads what stands before the levels, and gives their sizes.
    pub(super) fn read_front(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
    ) -> Result<Vec<u32>, ReadError> {
        read_gamemodes(cursor, &mut self.problems, &mut map.header)?;
        map.strings = cursor.string_table()?;

        cursor.enter("archive", None);
        let size = cursor.u32()?;
        let archive_offset = cursor.pos() as u64;
        // Of an archive that is cut off the files are there that are whole.
        let whole = cursor.bytes(size as usize);
        let bytes = whole.clone().unwrap_or_else(|_| cursor.rest());
        if size > 0 {
            let archive = Archive::read(bytes, archive_offset, &mut self.problems);
            map.archive = Some(archive);
        }
        whole?;

        read_extensions(cursor, &mut self.problems, &mut map.extensions)?;

        cursor.enter("level list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 4, "level")?;
        (0..count).map(|_| cursor.u32()).collect()
    }
}

/// Goes over what stands before the levels from the gamemodes on, and gives the sizes of the levels; none
/// where it cannot be so. Counts how many bytes that takes, in `read`.
pub(super) fn pass_front(cursor: &mut Cursor<'_>, read: &mut usize) -> Option<Vec<u32>> {
    let gamemodes = cursor.u8().ok()?;
    cursor.note_count(1, 2, ["gamemode", "count"]);
    *read += FRONT_COST;
    for _ in 0..gamemodes {
        let len = cursor.until_zero()?.len();
        *read += FRONT_COST + len;
        (1..LONGEST_GAMEMODE).contains(&len).then_some(())?;
    }
    let mut sized = |name| {
        let size = cursor.u32().ok()?;
        cursor.note_count(4, 1, name);
        *read += FRONT_COST;
        cursor.bytes(size as usize).ok()
    };
    let strings = sized(STRING_TABLE)?;
    let archive = sized(ARCHIVE)?;
    let are_strings = strings.last().is_none_or(|last| *last == 0);
    let is_archive = archive.is_empty() || archive.starts_with(&archive::MAGIC);
    if !are_strings || !is_archive {
        return None;
    }
    let extensions = cursor.u16().ok()?;
    cursor.note_count(2, 4, ["extension", "count"]);
    *read += FRONT_COST;
    let mut size_at = cursor.pos();
    let sizes = cursor.bytes(4 * usize::from(extensions)).ok()?;
    let known = Extension::USE_IN_CRC | Extension::SUPPORT_REQUIRED;
    for size in sizes.as_chunks().0 {
        cursor.note_count_at(size_at, 4, 1, ["extension", "size"]);
        size_at += size.len();
        let body = cursor.bytes(u32::from_le_bytes(*size) as usize).ok()?;
        let (flags, name) = body.split_first()?;
        (flags & !known == 0).then_some(())?;
        let len = name.iter().position(|byte| *byte == 0);
        *read += FRONT_COST + len.unwrap_or(name.len());
        let name = name.get(..len?)?;
        let is_name = name.iter().all(|byte| !byte.is_ascii_control());
        (!name.is_empty() && is_name).then_some(())?;
    }
    let levels = cursor.u8().ok()?;
    cursor.note_count(1, 4, ["level", "count"]);
    *read += FRONT_COST * (1 + usize::from(levels));
    (0..levels).map(|_| cursor.u32().ok()).collect()
}

/// Whether the first of the levels of these sizes, or what follows if there is none, begins at a cursor.
pub(super) fn are_levels(cursor: &Cursor<'_>, sizes: &[u32]) -> bool {
    let rest = cursor.clone().rest();
    if sizes.is_empty() {
        return are_entities(rest, &StringTable::default());
    }
    is_level(rest)
}

/// Whether levels of these sizes begin at a cursor, and after them the entities at the end of the file.
/// Counts how many bytes it reads to find that out.
pub(super) fn are_levels_to_end(mut cursor: Cursor<'_>, sizes: &[u32], read: &mut usize) -> bool {
    for size in sizes {
        if !cursor.bytes(*size as usize).is_ok_and(is_level) {
            return false;
        }
    }
    let rest = cursor.rest();
    let mut entities = in_file(rest);
    let are_entities = are_entities_of(&mut entities, &StringTable::default());
    *read += entities.pos();
    are_entities
}
