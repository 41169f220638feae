//! Packings of XMF (fact sheet of `PixelPerfectEngine`, section 7).

use mapscope_formats::ppe::XMF_FORMAT;
use mapscope_formats::ppe::xmf::{self, Packing, Xmf};
use mapscope_formats::{Format, Problem, ReadError};

use super::{Content, Form, Make, Row};

/// The packings of XMF.
pub(super) const FORMS: &[Row<PackedXmf>] = &[
    Row {
        form: form("text", "Plain text", &["xmf"]),
        make: Make::Change(|file, _| {
            file.packing = Packing::Text;
            Ok(())
        }),
    },
    Row {
        form: form("zlib", "`ZLIB`, then the text in a zlib stream", &["zmf"]),
        make: Make::Change(|file, _| {
            file.packing = Packing::Zlib;
            Ok(())
        }),
    },
    Row {
        form: form("zstd", "`ZSTD`, then the text in a Zstandard frame", &[]),
        make: Make::Change(|file, _| {
            file.packing = Packing::Zstd;
            Ok(())
        }),
    },
];

const fn form(name: &'static str, what: &'static str, endings: &'static [&'static str]) -> Form {
    Form {
        name,
        what,
        aspect: "packing",
        format: &XMF_FORMAT,
        endings,
    }
}

/// A container: its text, including comments, and the parsed content.
pub(super) struct PackedXmf {
    text: Vec<u8>,
    packing: Packing,
    xmf: Xmf,
}

impl Content for PackedXmf {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let xmf = xmf::read(bytes)?;
        let text = xmf::text(bytes);
        let packing = xmf.packing;
        Ok(Self { text, packing, xmf })
    }

    fn problems(&self) -> &[Problem] {
        &self.xmf.problems
    }

    /// The text is written whatever it contains, unless it could not be unpacked.
    fn left_out(&self) -> Option<&Problem> {
        let of_packing = ["xmf/packed-text", "xmf/limit"];
        let mut problems = self.problems().iter();
        let found = problems.find(|problem| of_packing.contains(&problem.rule.id));
        found.filter(|_| self.xmf.packing != Packing::Text)
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        Ok(xmf::pack(&self.text, self.packing))
    }

    fn format() -> &'static Format {
        &XMF_FORMAT
    }

    fn form(&self) -> String {
        let packing = match self.packing {
            Packing::Text => "text",
            Packing::Zlib => "zlib",
            Packing::Zstd => "zstd",
        };
        packing.to_owned()
    }

    fn is_same(&self, other: &Self) -> bool {
        let (one, two) = (&self.xmf, &other.xmf);
        self.text == other.text
            && one.metadata == two.metadata
            && one.layers == two.layers
            && one.palettes == two.palettes
            && one.other == two.other
    }
}
