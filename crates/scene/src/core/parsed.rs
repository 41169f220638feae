//! Parsers of all formats behind one trait: from a file's bytes to plain data.

use std::ops::ControlFlow;

use bytes::Bytes;

use mapscope_formats::ika::{self, Map, TextMap, Vsp};
use mapscope_formats::p3m::{self, P3m};
use mapscope_formats::paf::{self, Paf};
use mapscope_formats::pfmap::{self, Pfmap};
use mapscope_formats::pfobj::{self, Pfobj};
use mapscope_formats::pfscene::{self, Pfscene};
use mapscope_formats::pmf::{self, Pmf};
use mapscope_formats::ppe::{self, MapData, Xmf, map_data, xmf};
use mapscope_formats::ptf::{self, Texture};
use mapscope_formats::{Format, Problem, ReadError};

/// Plain data that is parsed from the bytes of a file.
pub(crate) trait Parsed: Sized {
    /// Its format.
    const FORMAT: &'static Format;

    /// Parses the bytes and reports the completed fraction to `watch`.
    fn read_with(
        bytes: &Bytes,
        watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<Self, ReadError>;

    /// The problems of the data.
    fn problems(&mut self) -> &mut Vec<Problem>;
}

/// Implements [`Parsed`]; one line per type with its format and its reader.
macro_rules! parsed {
    ($($data:ty: $format:path, $read_with:path;)+) => {
        /// The formats of all files, in the order in which their contents are tried.
        pub(crate) static FORMATS: &[&Format] = &[$(&$format),+];

        $(
        impl Parsed for $data {
            const FORMAT: &'static Format = &$format;

            fn read_with(
                bytes: &Bytes,
                watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
            ) -> Result<Self, ReadError> {
                $read_with(bytes, watch)
            }

            fn problems(&mut self) -> &mut Vec<Problem> {
                &mut self.problems
            }
        }
        )+
    };
}

parsed! {
    Pfmap: pfmap::FORMAT, pfmap::read_with;
    Pfobj: pfobj::FORMAT, pfobj::read_with;
    P3m: p3m::FORMAT, p3m::read_with;
    Pfscene: pfscene::FORMAT, pfscene::read_with;
    Pmf: pmf::FORMAT, pmf::read_with;
    Paf: paf::FORMAT, paf::read_with;
    Map: ika::map::FORMAT, ika::map::read_with;
    TextMap: ika::text_map::FORMAT, ika::text_map::read_with;
    Xmf: ppe::XMF_FORMAT, xmf::read_with;
    Texture: ptf::FORMAT, ptf::read_with;
    MapData: ppe::MAP_FORMAT, map_data::read_with;
    Vsp: ika::vsp::FORMAT, ika::vsp::read_with;
}
