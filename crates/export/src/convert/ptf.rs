//! Layouts of textures of `PlatinumSrc`, and PNG images that become such textures or are made of
//! them. Both keep the channels of their source.

use std::io::Cursor;

use mapscope_formats::ptf::{FORMAT, Layout, Texture};
use mapscope_formats::{Format, Problem, ReadError};

use super::{Content, Context, ConversionReport, ConvertError, Converted, Form, Make, Row};
use super::{chosen, finished};

/// PNG images, which are converted but not opened.
pub static PNG: Format = Format {
    id: "png",
    name: "PNG image",
    endings: &["png"],
    sniff: |bytes| bytes.starts_with(b"\x89PNG"),
};

/// Maximum number of bytes of the pixels of an image: a reader refuses larger textures.
const MAX_BYTES: usize = 1 << 30;

/// The forms of textures.
pub(super) const FORMS: &[Row<Texture>] = &[
    Row::change(
        &FORMAT,
        "layout",
        ["v3", "Layout 3, with 1 to 4 channels"],
        |texture, told| {
            change_layout(texture, Layout::V3, told);
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "layout",
        ["v2", "Layout 2, with 3 or 4 channels"],
        |texture, told| {
            change_layout(texture, Layout::V2, told);
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "layout",
        ["v1", "Layout 1, squares with 3 or 4 channels"],
        |texture, told| {
            change_layout(texture, Layout::V1, told);
            Ok(())
        },
    ),
    Row {
        form: Form {
            name: "png",
            what: "A PNG image with the same channels",
            aspect: "format",
            format: &PNG,
            endings: &["png"],
        },
        make: Make::Other(to_png),
    },
];

/// The forms of PNG images: layouts of textures.
pub(super) fn forms_of_png() -> Vec<Form> {
    let layouts = FORMS.iter().filter(|row| row.form.format.id == FORMAT.id);
    let forms = layouts.map(|row| row.form).enumerate();
    forms
        .map(|(index, form)| Form {
            endings: if index == 0 { FORMAT.endings } else { &[] },
            ..form
        })
        .collect()
}

/// Converts a PNG image to a texture.
pub(super) fn from_png(
    bytes: &[u8],
    names: &[&str],
    _context: &Context,
) -> Result<Converted, ConvertError> {
    if names.is_empty() {
        let message = "a PNG image becomes a texture; expected an output that ends in .ptf";
        return Err(ConvertError::Form(message.to_owned()));
    }
    let mut told = ConversionReport::default();
    let mut texture = read_png(bytes, &mut told)?;
    for row in chosen(FORMS, names)? {
        if let Make::Change(change) = row.make {
            change(&mut texture, &mut told)?;
        }
    }
    let converted = finished(&texture, told)?;
    Ok(Converted {
        problems: Vec::new(),
        ..converted
    })
}

fn read_png(bytes: &[u8], told: &mut ConversionReport) -> Result<Texture, ConvertError> {
    let unreadable = |error: png::DecodingError| {
        ConvertError::Unrepresentable(format!("the PNG image cannot be read: {error}"))
    };
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let info = reader.info();
    if info.bit_depth == png::BitDepth::Sixteen {
        told.loss("each channel loses the lower 8 of its 16 bits");
    }
    if info.animation_control.is_some_and(|all| all.num_frames > 1) {
        told.loss("all frames after the first are left out");
    }
    let size = [info.width, info.height];
    let len = reader.output_buffer_size().filter(|len| *len <= MAX_BYTES);
    let Some(len) = len else {
        let [width, height] = size;
        return Err(ConvertError::Unrepresentable(format!(
            "the image has {width} x {height} pixels; expected at most {MAX_BYTES} bytes of them"
        )));
    };
    let mut pixels = vec![0; len];
    let frame = reader.next_frame(&mut pixels).map_err(unreadable)?;
    pixels.truncate(frame.buffer_size());
    let channels = frame.color_type.samples() as u8;
    Ok(Texture::new(Layout::V3, size, channels, pixels))
}

fn to_png(
    texture: Texture,
    _context: &Context,
    told: ConversionReport,
) -> Result<Converted, ConvertError> {
    let size = [texture.width, texture.height];
    Ok(Converted {
        format: &PNG,
        form: texture.form(),
        bytes: crate::png_with_channels(size, texture.channels, &texture.pixels),
        losses: told.losses,
        notes: told.notes,
        problems: Vec::new(),
    })
}

/// Sets the layout. Layouts before the third have no grey pixels.
fn change_layout(texture: &mut Texture, layout: Layout, told: &mut ConversionReport) {
    let flags = std::mem::take(&mut texture.unknown_flags);
    if flags != 0 {
        told.loss(format!("the unknown flags {flags:#04x} are left out"));
    }
    texture.layout = layout;
    if layout != Layout::V3 && texture.channels < 3 {
        texture.channels += 2;
        let grey = usize::from(texture.channels) - 2;
        let pixels = texture.pixels.chunks_exact(grey);
        let pixels = pixels.flat_map(|pixel| [&[pixel[0]; 2], pixel].concat());
        texture.pixels = pixels.collect();
        told.note("grey pixels become red, green and blue");
    }
}

impl Content for Texture {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        self.write().map_err(|error| error.what)
    }

    fn format() -> &'static Format {
        &FORMAT
    }

    fn form(&self) -> String {
        let (width, height) = (self.width, self.height);
        let channels = mapscope_formats::counted(self.channels.into(), "channel");
        format!("layout {}, {width} x {height}, {channels}", self.layout)
    }

    fn is_same(&self, other: &Self) -> bool {
        let key = |texture: &Self| {
            let Self {
                layout,
                width,
                height,
                channels,
                unknown_flags,
                ..
            } = *texture;
            (layout, width, height, channels, unknown_flags)
        };
        key(self) == key(other) && self.pixels == other.pixels
    }
}
