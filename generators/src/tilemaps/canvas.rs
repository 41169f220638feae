//! Pictures of palette indices, and sheets of tiles cut from them.

use std::collections::HashMap;

/// Side of every tile, in pixels.
pub(crate) const TILE: i32 = 16;

/// A picture of palette indices; 0 is empty.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Canvas {
    pub(crate) width: i32,
    pub(crate) height: i32,
    pixels: Vec<u8>,
}

impl Canvas {
    /// An empty picture of this size in pixels.
    pub(crate) fn new(width: i32, height: i32) -> Self {
        let pixels = vec![0; (width * height) as usize];
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Draws rows of characters, which `key` maps to colours.
    pub(crate) fn drawn(rows: &[&str], key: impl Fn(char) -> u8) -> Self {
        let width = rows.iter().map(|row| row.chars().count()).max();
        let mut canvas = Self::new(width.unwrap_or(0) as i32, rows.len() as i32);
        for (y, row) in rows.iter().enumerate() {
            for (x, character) in row.chars().enumerate() {
                canvas.set(x as i32, y as i32, key(character));
            }
        }
        canvas
    }

    /// The pixels, row by row.
    pub(crate) fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        let is_inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        is_inside.then(|| (y * self.width + x) as usize)
    }

    /// The colour of a pixel; 0 outside the picture.
    pub(crate) fn get(&self, x: i32, y: i32) -> u8 {
        self.index(x, y).map_or(0, |index| self.pixels[index])
    }

    pub(crate) fn set(&mut self, x: i32, y: i32, color: u8) {
        if let Some(index) = self.index(x, y) {
            self.pixels[index] = color;
        }
    }

    /// Sets a pixel if it is empty.
    pub(crate) fn set_below(&mut self, x: i32, y: i32, color: u8) {
        if self.get(x, y) == 0 {
            self.set(x, y, color);
        }
    }

    pub(crate) fn rect(&mut self, [x, y]: [i32; 2], [width, height]: [i32; 2], color: u8) {
        for y in y..y + height {
            for x in x..x + width {
                self.set(x, y, color);
            }
        }
    }

    /// Sets every pixel for which `paint` returns a colour.
    pub(crate) fn paint(&mut self, mut paint: impl FnMut(i32, i32) -> Option<u8>) {
        for y in 0..self.height {
            for x in 0..self.width {
                if let Some(color) = paint(x, y) {
                    self.set(x, y, color);
                }
            }
        }
    }

    /// Draws another picture on this one.
    pub(crate) fn draw(&mut self, other: &Self, x: i32, y: i32) {
        for from_y in 0..other.height {
            for from_x in 0..other.width {
                let color = other.get(from_x, from_y);
                if color != 0 {
                    self.set(x + from_x, y + from_y, color);
                }
            }
        }
    }

    /// Draws another picture into the empty pixels of this one.
    pub(crate) fn draw_below(&mut self, other: &Self, x: i32, y: i32) {
        for from_y in 0..other.height {
            for from_x in 0..other.width {
                let color = other.get(from_x, from_y);
                if color != 0 {
                    self.set_below(x + from_x, y + from_y, color);
                }
            }
        }
    }

    /// Draws an outline on the inside of everything.
    pub(crate) fn outline(&mut self, color: u8) {
        let before = self.clone();
        self.paint(|x, y| {
            let beside = [(-1, 0), (1, 0), (0, -1), (0, 1)];
            let is_edge = beside.iter().any(|(i, j)| before.get(x + i, y + j) == 0);
            (before.get(x, y) != 0 && is_edge).then_some(color)
        });
    }

    /// A part of the picture.
    pub(crate) fn cut(&self, [x, y]: [i32; 2], [width, height]: [i32; 2]) -> Self {
        let mut part = Self::new(width, height);
        part.paint(|i, j| Some(self.get(x + i, y + j)));
        part
    }

    /// The tile at a column and row.
    pub(crate) fn tile(&self, column: i32, row: i32) -> Self {
        self.cut([column * TILE, row * TILE], [TILE; 2])
    }

    /// Columns and rows of tiles.
    pub(crate) fn size_in_tiles(&self) -> [i32; 2] {
        [self.width / TILE, self.height / TILE]
    }

    /// The picture with left and right swapped.
    pub(crate) fn mirrored(&self) -> Self {
        let mut mirrored = Self::new(self.width, self.height);
        mirrored.paint(|x, y| Some(self.get(self.width - 1 - x, y)));
        mirrored
    }
}

/// Distinct tiles, in the order in which they were added.
pub(crate) struct Sheet {
    pub(crate) tiles: Vec<Canvas>,
    numbers: HashMap<Vec<u8>, u32>,
}

impl Sheet {
    /// A sheet whose first tile is empty.
    pub(crate) fn new() -> Self {
        let mut sheet = Self {
            tiles: Vec::new(),
            numbers: HashMap::new(),
        };
        sheet.add(&Canvas::new(TILE, TILE));
        sheet
    }

    /// The number of a tile, which is added if it is new.
    pub(crate) fn add(&mut self, tile: &Canvas) -> u32 {
        if let Some(number) = self.numbers.get(tile.pixels()) {
            return *number;
        }
        self.append(tile)
    }

    fn append(&mut self, tile: &Canvas) -> u32 {
        let number = self.tiles.len() as u32;
        self.tiles.push(tile.clone());
        self.numbers.entry(tile.pixels().to_vec()).or_insert(number);
        number
    }

    /// Adds the frames of a tile and returns the first and the last number.
    pub(crate) fn add_frames(&mut self, frames: &[Canvas]) -> [u32; 2] {
        let first = self.tiles.len() as u32;
        for frame in frames {
            self.append(frame);
        }
        [first, first + frames.len() as u32 - 1]
    }

    /// The numbers of all tiles of a picture, row by row.
    pub(crate) fn cells(&mut self, picture: &Canvas) -> Vec<u32> {
        let [columns, rows] = picture.size_in_tiles();
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        places
            .map(|(column, row)| self.add(&picture.tile(column, row)))
            .collect()
    }
}
