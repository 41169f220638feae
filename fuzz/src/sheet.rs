//! Indexed images with valid checksums.

use crate::subjects;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(crate) fn check(input: &[u8]) {
    let mut file = input.to_vec();
    fix_checksums(&mut file);
    subjects::check_sheet(&file);
}

/// Sets the checksum of each chunk of a PNG image: readers stop at a wrong one.
fn fix_checksums(file: &mut [u8]) {
    if !file.starts_with(SIGNATURE) {
        return;
    }
    let mut rest = &mut file[SIGNATURE.len()..];
    while let Some((&mut length, chunk)) = rest.split_first_chunk_mut::<4>() {
        // The length is that of the data, which is between the chunk's name and the checksum.
        let length = u32::from_be_bytes(length) as usize;
        let Some((body, behind)) = chunk.split_at_mut_checked(length.saturating_add(4)) else {
            return;
        };
        let Some((checksum, behind)) = behind.split_first_chunk_mut::<4>() else {
            return;
        };
        *checksum = crc32fast::hash(body).to_be_bytes();
        rest = behind;
    }
}
