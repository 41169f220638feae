//! Options for saving a picture of the view.

use super::State;
use crate::images::png_file::MAX_SIDE;
use mapscope_scene::Shown;

/// Initial size in pixels for a typed size.
const DEFAULT_SIZE: [u32; 2] = [1920, 1080];

/// Options for saving a picture of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PictureOptions {
    /// Its size.
    pub size: PictureSize,
    /// Width and height in pixels for a typed size.
    pub typed_size: [u32; 2],
    /// `true` for a picture without selection and overlays.
    pub is_plain: bool,
    /// `true` for a transparent background.
    pub is_transparent: bool,
    /// `true` to label joints, entities, zones and similar items.
    pub has_names: bool,
}

/// The size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureSize {
    /// A multiple of the size of the view.
    Times(u32),
    /// The typed size.
    Typed,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            size: PictureSize::Times(1),
            typed_size: DEFAULT_SIZE,
            is_plain: false,
            is_transparent: false,
            has_names: false,
        }
    }
}

impl PictureOptions {
    /// Width and height of the picture in pixels, for a view of the given size.
    pub(crate) fn size_of(&self, view_px: [u32; 2]) -> [u32; 2] {
        let size = match self.size {
            PictureSize::Times(times) => view_px.map(|side| side.saturating_mul(times)),
            PictureSize::Typed => self.typed_size,
        };
        size.map(|side| side.clamp(1, MAX_SIDE))
    }
}

impl State {
    /// Width and height of the picture in pixels, with the current options.
    pub(crate) fn picture_size(&self) -> [u32; 2] {
        self.interface.picture.size_of(self.session.view.size_px)
    }

    /// The content of the picture, with the current options.
    pub(crate) fn picture_shown(&self) -> Shown {
        let options = self.interface.picture;
        let mut shown: Shown = self.session.view.shown.clone();
        if options.is_plain {
            shown.overlays = Default::default();
            (shown.selected, shown.highlighted) = (None, None);
        }
        shown.is_transparent = options.is_transparent;
        shown.has_names = options.has_names;
        if options.size == PictureSize::Typed {
            // The picture also contains parts of a flat map outside the view.
            shown.flat_view_px = None;
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::state::settings::Settings;
    use mapscope_scene::TerrainItem;

    #[test]
    fn a_picture_is_as_large_as_the_view_a_multiple_or_as_typed() {
        let mut options = PictureOptions::default();
        assert_eq!(options.size_of([640, 360]), [640, 360]);
        options.size = PictureSize::Times(4);
        assert_eq!(options.size_of([640, 360]), [2560, 1440]);
        assert_eq!(options.size_of([30_000, 1]), [MAX_SIDE, 4]);
        options.size = PictureSize::Typed;
        options.typed_size = [0, 70_000];
        assert_eq!(options.size_of([640, 360]), [1, MAX_SIDE]);
    }

    #[test]
    fn a_plain_picture_has_no_selection_and_the_view_keeps_it() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.session.view.size_px = [640, 360];
        let item = TerrainItem::Chunk { row: 0, col: 0 }.into();
        state.session.view.shown.selected = Some(item);
        assert_eq!(state.picture_shown().selected, Some(item));
        state.interface.picture = PictureOptions {
            size: PictureSize::Times(2),
            is_plain: true,
            is_transparent: true,
            has_names: true,
            ..PictureOptions::default()
        };
        let shown = state.picture_shown();
        assert!(shown.has_names && !state.session.view.shown.has_names);
        assert_eq!((shown.selected, state.picture_size()), (None, [1280, 720]));
        assert!(shown.is_transparent && !state.session.view.shown.is_transparent);
        assert_eq!(state.session.view.shown.selected, Some(item));
    }
}
