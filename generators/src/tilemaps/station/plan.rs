//! The plan of the station.

/// Columns and rows.
pub(crate) const SIZE: [i32; 2] = [40, 30];

use super::colors;

/// The content of a cell of the station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Space,
    /// Solid, between the rooms.
    Solid,
    /// A room with its palette.
    Floor(u8),
}

/// A rectangle of cells: first column and row, and the number of columns and rows.
pub(crate) type Area = [i32; 4];

/// Solid areas outside rooms.
const SOLID: [Area; 8] = [
    [13, 0, 14, 1],
    [12, 1, 16, 8],
    [3, 5, 34, 1],
    [2, 6, 36, 16],
    [3, 22, 34, 1],
    [9, 21, 22, 6],
    [8, 22, 24, 4],
    [10, 27, 20, 2],
];

/// The rooms.
const ROOMS: [(Area, u8); 11] = [
    ([14, 3, 12, 5], colors::STEEL),
    // To the reactor.
    ([18, 8, 4, 4], colors::STEEL),
    ([15, 12, 10, 8], colors::REACTOR),
    ([4, 8, 8, 12], colors::GARDEN),
    ([12, 16, 3, 2], colors::STEEL),
    ([25, 16, 3, 2], colors::STEEL),
    ([28, 8, 8, 4], colors::CLINIC),
    ([31, 12, 2, 3], colors::CLINIC),
    ([28, 15, 8, 5], colors::ENGINE),
    ([18, 20, 4, 3], colors::STEEL),
    ([11, 23, 18, 3], colors::CARGO),
];

fn is_in([x, y, columns, rows]: Area, column: i32, row: i32) -> bool {
    (x..x + columns).contains(&column) && (y..y + rows).contains(&row)
}

/// The content at a column and row.
pub(crate) fn place(column: i32, row: i32) -> Place {
    let rooms = ROOMS.iter().rev();
    let room = rooms.clone().find(|(area, _)| is_in(*area, column, row));
    match room {
        Some((_, palette)) => Place::Floor(*palette),
        None if SOLID.iter().any(|area| is_in(*area, column, row)) => Place::Solid,
        None => Place::Space,
    }
}

/// The appearance of a solid cell from above and from the front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wall {
    /// Its top.
    Cap,
    /// Its face toward a room; the lower half touches the floor.
    Face { is_lower: bool, palette: u8 },
    /// Its face toward space.
    Hull { is_lower: bool },
}

/// The wall at a column and row, if any.
pub(crate) fn wall(column: i32, row: i32) -> Option<Wall> {
    if place(column, row) != Place::Solid {
        return None;
    }
    for (below, is_lower) in [(1, true), (2, false)] {
        match place(column, row + below) {
            Place::Floor(palette) => return Some(Wall::Face { is_lower, palette }),
            Place::Space => return Some(Wall::Hull { is_lower }),
            Place::Solid => {}
        }
    }
    Some(Wall::Cap)
}

/// The palette of a cell: that of its room, or of the room that a wall faces.
pub(crate) fn palette(column: i32, row: i32) -> u8 {
    match (place(column, row), wall(column, row)) {
        (Place::Floor(palette), _) => palette,
        (_, Some(Wall::Face { palette, .. })) => palette,
        _ => colors::STEEL,
    }
}
