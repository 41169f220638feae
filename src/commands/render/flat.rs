//! Renders 2D maps pixel by pixel, without a graphics adapter.

use std::io::{self, Write};

use super::{Painter, Shot, check_labels, shots, write_all};
use crate::commands::cli::RenderArgs;
use crate::commands::{CommandError, Status, flat_size_of, layers_of, source};
#[cfg(feature = "gpu")]
use crate::images::labels::LabelView;
#[cfg(feature = "gpu")]
use crate::images::names::NamePainter;
use crate::images::series::Report;
#[cfg(feature = "gpu")]
use mapscope_scene::camera::{Camera, NamedView};
#[cfg(feature = "gpu")]
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{Document, FlatImage, FlatPart, Layers, OpenOptions, OverlayId, Shown};

/// Renders images of a 2D map.
struct FlatPainter<'a> {
    #[cfg(feature = "gpu")]
    document: &'a dyn Document,
    layers: &'a dyn Layers,
    shown: Shown,
    /// The part to draw: the position of its first pixel in the map, and its size.
    part: [[u64; 2]; 2],
    scale: u32,
    /// Draws names, if they are requested.
    #[cfg(feature = "gpu")]
    names: Option<NamePainter>,
}

/// An image of a 2D map with names on it.
#[cfg(feature = "gpu")]
struct Named<'a, I> {
    image: I,
    names: Option<&'a NamePainter>,
}

#[cfg(feature = "gpu")]
impl<I: FlatImage> FlatImage for Named<'_, I> {
    fn size(&self) -> [u64; 2] {
        self.image.size()
    }

    fn part_of_row(&self, from: [u64; 2], rgba: &mut [u8]) {
        self.image.part_of_row(from, rgba);
    }

    fn row(&self, y: u64, rgba: &mut [u8]) {
        self.image.row(y, rgba);
        if let Some(names) = self.names {
            names.draw(self.size()[0], y, rgba);
        }
    }
}

/// Renders a 2D map at 1:1, or scaled up by a whole number.
pub(super) fn run(args: &RenderArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let opened = source::open(&args.file, options)?;
    let document = &*opened.document;
    let layers = layers_of(document)?;
    check(args, flat_size_of(layers)?)?;
    let asked = args.image.request.shown(document);
    let mut shown = asked.map_err(CommandError::Argument)?;
    (shown.flat, shown.is_transparent) = (true, args.transparent);
    shown.has_names = args.labels;
    shown.outlines_left_out = args.image.request.requests(OverlayId::LeftOut);
    check_labels(args, document, &shown)?;
    let shots = shots::all(args, document, &shown)?;
    let mut painter = FlatPainter {
        #[cfg(feature = "gpu")]
        document,
        #[cfg(feature = "gpu")]
        names: args.labels.then(NamePainter::default),
        layers,
        shown,
        part: part(args, document, layers)?,
        scale: args.scale,
    };
    write_all(args, document, &shots, &mut painter)
}

/// Refuses options that do not apply to a flat image of a map.
fn check(args: &RenderArgs, [width, height]: [u64; 2]) -> Result<(), CommandError> {
    let refused = if args.image.size.is_some() {
        format!(
            "--size: not possible with --view flat, which draws the map at its own size, \
             {width}x{height}; leave it out, use --scale or --region, or --view top"
        )
    } else if args.image.projection.is_some() {
        "--projection: not possible with --view flat; leave it out, or use --view top".to_owned()
    } else if args.turntable.is_some() {
        "--turntable: not possible with --view flat; leave it out, or use --view iso".to_owned()
    } else if args.labels && cfg!(not(feature = "gpu")) {
        return Err(CommandError::NotBuilt {
            what: "names on images",
            feature: "gpu",
        });
    } else if args.image.request.requests(OverlayId::PixelGrid) {
        "--overlay pixel-grid: not possible with --view flat, which has no space between pixels"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(CommandError::Argument(refused))
}

/// Position and size of the requested part, in pixels of the map.
fn part(
    args: &RenderArgs,
    document: &dyn Document,
    layers: &dyn Layers,
) -> Result<[[u64; 2]; 2], CommandError> {
    let whole = layers.flat_size();
    let Some([x, y, w, h]) = args.region else {
        return Ok([[0; 2], whole]);
    };
    let refused = |why: String| {
        Err(CommandError::Argument(format!(
            "--region {x},{y},{w},{h}: {why}"
        )))
    };
    let (Some(tile), Some([columns, rows])) = (layers.tile_px(), layers.tile_count()) else {
        let name = document.about().format.name;
        return refused(format!("this {name} has no tiles"));
    };
    let is_within = |from: u32, count: u32, all: u32| {
        count > 0 && from.checked_add(count).is_some_and(|end| end <= all)
    };
    if !is_within(x, w, columns) || !is_within(y, h, rows) {
        return refused(format!(
            "expected at least one tile, and none outside the map, which has {columns} x {rows} tiles"
        ));
    }
    let px = |[x, y]: [u32; 2]| {
        [
            u64::from(x) * u64::from(tile[0]),
            u64::from(y) * u64::from(tile[1]),
        ]
    };
    let (from, size) = (px([x, y]), px([w, h]));
    // The last tile may reach beyond the map.
    let size = [0, 1].map(|axis| size[axis].min(whole[axis] - from[axis].min(whole[axis])));
    Ok([from, size])
}

impl FlatPainter<'_> {
    fn image(&mut self, shot: &Shot) -> impl FlatImage {
        if let Some(frame) = shot.frame {
            self.shown.playhead.frame = frame as f32;
        }
        #[cfg(feature = "gpu")]
        self.write_names();
        let [from, size] = self.part;
        let image = FlatPart {
            image: self.layers.flat(&self.shown),
            from,
            size,
            scale: self.scale,
        };
        #[cfg(feature = "gpu")]
        let image = Named {
            image,
            names: self.names.as_ref(),
        };
        image
    }

    /// Draws the names of items in the part, as seen by a camera above it.
    #[cfg(feature = "gpu")]
    fn write_names(&mut self) {
        let size = self
            .size()
            .map(|side| u32::try_from(side).unwrap_or(u32::MAX));
        let Some(names) = &mut self.names else {
            return;
        };
        let about = self.document.about();
        let top = NamedView::Top;
        let camera = Camera::framing(about.bounds, top, about.handedness, 1.0);
        let [x, y] = self.part[0].map(|side| side as f64);
        let window = FlatWindow {
            top_left_px: glam::DVec2::new(x, y),
            zoom: self.scale.into(),
        };
        names.write(LabelView {
            document: self.document,
            shown: &self.shown,
            camera: &window.camera(size, camera),
            size: glam::vec2(size[0] as f32, size[1] as f32),
            scale: self.scale as f32,
        });
    }
}

impl Painter for FlatPainter<'_> {
    fn size(&self) -> [u64; 2] {
        self.part[1].map(|side| side.saturating_mul(self.scale.into()))
    }

    fn draw(
        &mut self,
        shot: &Shot,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let [width, height] = self.size();
        let image = self.image(shot);
        let mut row = vec![0; width as usize * 4];
        for y in 0..height {
            image.row(y, &mut row);
            rows(&row)?;
        }
        Ok(())
    }

    fn write_png(
        &mut self,
        shot: &Shot,
        out: &mut dyn Write,
        _report: Report<'_>,
    ) -> io::Result<()> {
        self.image(shot).write_png(out).map_err(io::Error::from)
    }
}
