//! Tilesets: the images that cells show, and how they change with time.

use crate::describe::numbers::short;

/// The images of a layer's tiles.
#[derive(Debug, Clone, Default)]
pub struct Tileset {
    /// Its name for people, such as the name of its file.
    pub name: String,
    /// Width and height of a tile, in pixels.
    pub tile_size: [u32; 2],
    /// How many images it has.
    pub count: usize,
    /// RGBA bytes of all images, one after the other, each row by row from the top left; colours
    /// are not multiplied by opacity.
    pub rgba: Vec<u8>,
    /// What each image is in the file, in the same order. Empty where every image is the tile
    /// of its own number.
    pub tiles: Vec<Tile>,
    /// Whether its images only stand for tiles whose images are not known.
    pub is_placeholder: bool,
    /// The image for tiles that the file does not have.
    pub missing: Option<usize>,
    /// Runs of images that are shown one after the other.
    pub strands: Vec<Strand>,
}

/// What an image of a tileset is in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The number that cells of the file have.
    pub id: u32,
    /// Which of the palettes it is shown in, if there are any.
    pub palette: Option<u32>,
    /// Its name in the file.
    pub name: String,
}

/// Tiles that are shown one after the other (fact sheet of ika, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strand {
    /// The first image.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// How long each is shown, in hundredths of a second.
    pub delay_ticks: u32,
    /// What comes after what.
    pub mode: StrandMode,
}

/// What follows what in a strand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrandMode {
    /// From the first to the last and again.
    Forward,
    /// From the last to the first and again.
    Backward,
    /// Any of them.
    Random,
    /// From the first to the last and back.
    PingPong,
}

/// Which image is shown in place of each image of a tileset, at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// By the number of the image that a cell has.
    pub shown: Vec<u32>,
}

impl Tileset {
    /// Bytes of one image.
    pub fn image_bytes(&self) -> usize {
        self.tile_size[0] as usize * self.tile_size[1] as usize * 4
    }

    /// The RGBA bytes of an image, if there is such an image.
    pub fn image(&self, index: usize) -> Option<&[u8]> {
        let bytes = self.image_bytes();
        let start = index.checked_mul(bytes)?;
        self.rgba.get(start..start.checked_add(bytes)?)
    }

    /// What a tile is called in files: its number.
    pub(super) fn tile_number(&self, image: usize) -> String {
        if self.missing == Some(image) {
            return "none".to_owned();
        }
        let number = self.tiles.get(image).map(|tile| tile.id.to_string());
        number.unwrap_or_else(|| image.to_string())
    }

    /// The run of tiles that an image is in.
    pub(super) fn strand_of(&self, image: usize) -> Option<&Strand> {
        let number = u32::try_from(image).ok()?;
        // As in a frame, the last one that has it counts.
        let mut strands = self.strands.iter().rev();
        strands.find(|strand| strand.is_active() && (strand.first..=strand.last).contains(&number))
    }

    /// What is shown in place of an image so many hundredths of a second after the start.
    pub fn image_at(&self, image: usize, ticks: u64) -> usize {
        match self.strand_of(image) {
            Some(strand) => strand.at(image as u32, ticks) as usize,
            None => image,
        }
    }

    /// What is shown so many hundredths of a second after the start.
    pub fn frame(&self, ticks: u64) -> Frame {
        let mut shown: Vec<u32> = (0..self.count as u32).collect();
        for strand in self.strands.iter().filter(|strand| strand.is_active()) {
            let last = strand.last.min(self.count as u32);
            for image in strand.first..=last {
                if let Some(place) = shown.get_mut(image as usize) {
                    *place = strand.at(image, ticks);
                }
            }
        }
        Frame { shown }
    }
}

impl Strand {
    /// How long each tile is shown, in seconds, for people.
    pub(super) fn delay_secs(&self) -> String {
        short(self.delay_ticks.max(1) as f32 / 100.0)
    }

    /// Whether it shows more than one image.
    pub fn is_active(&self) -> bool {
        self.first < self.last
    }

    /// The time after which it is again as at first, in hundredths of a second. `None` if it changes at random.
    pub(super) fn period_ticks(&self) -> Option<u64> {
        let count = u64::from(self.last.saturating_sub(self.first)) + 1;
        let steps = match self.mode {
            StrandMode::Forward | StrandMode::Backward => count,
            StrandMode::PingPong => (count * 2).saturating_sub(2).max(1),
            StrandMode::Random => return None,
        };
        Some(steps * u64::from(self.delay_ticks.max(1)))
    }

    /// What is shown in place of one of its images, so many hundredths of a second after the
    /// start. Every image goes its own way from where it began.
    pub fn at(&self, image: u32, ticks: u64) -> u32 {
        let count = u64::from(self.last.saturating_sub(self.first)) + 1;
        let begun = u64::from(image.saturating_sub(self.first));
        // A delay of nothing is one of the shortest that there is.
        let steps = ticks / u64::from(self.delay_ticks.max(1));
        let place = match self.mode {
            StrandMode::Forward => (begun + steps) % count,
            StrandMode::Backward => (begun + count - steps % count) % count,
            StrandMode::Random if steps == 0 => begun,
            StrandMode::Random => scrambled(steps ^ (begun << 32)) % count,
            StrandMode::PingPong => {
                let round = (count * 2).saturating_sub(2).max(1);
                let at = (begun + steps) % round;
                if at < count { at } else { round - at }
            }
        };
        self.first + place as u32
    }
}

impl StrandMode {
    /// In what order it plays, for people.
    pub(super) fn said(self) -> &'static str {
        match self {
            Self::Forward => "forwards",
            Self::Backward => "backwards",
            Self::Random => "at random",
            Self::PingPong => "back and forth",
        }
    }
}

/// A number that looks like any other but is the same each time (the finalizer of `SplitMix64`).
fn scrambled(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strand(mode: StrandMode) -> Strand {
        Strand {
            first: 4,
            last: 6,
            delay_ticks: 10,
            mode,
        }
    }

    #[test]
    fn every_image_of_a_strand_goes_its_own_way() {
        let steps = |mode, image| [0, 9, 10, 20, 30, 40].map(|ticks| strand(mode).at(image, ticks));
        assert_eq!(steps(StrandMode::Forward, 4), [4, 4, 5, 6, 4, 5]);
        assert_eq!(steps(StrandMode::Forward, 6), [6, 6, 4, 5, 6, 4]);
        assert_eq!(steps(StrandMode::Backward, 4), [4, 4, 6, 5, 4, 6]);
        assert_eq!(steps(StrandMode::PingPong, 4), [4, 4, 5, 6, 5, 4]);
        let random = steps(StrandMode::Random, 5);
        assert_eq!(random[0], 5);
        assert!(random.iter().all(|image| (4..=6).contains(image)));
    }

    #[test]
    fn what_is_in_no_strand_stays() {
        let tileset = Tileset {
            count: 6,
            strands: vec![strand(StrandMode::Forward)],
            ..Tileset::default()
        };
        // The strand ends beyond the last image, which is no reason to panic.
        let shown = tileset.frame(10).shown;
        assert_eq!(shown, [0, 1, 2, 3, 5, 6]);
        for (image, shown) in shown.into_iter().enumerate() {
            assert_eq!(tileset.image_at(image, 10), shown as usize);
        }
    }
}
