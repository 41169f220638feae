//! The initial view of a file as requested on the command line. The window, `render` and `bench`
//! share these options.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use glam::Vec3;
use serde::{Deserialize, Serialize};

use mapscope_scene::camera::{self, Camera, FIELDS_OF_VIEW_Y_DEGREES, NamedView, Pose, Projection};
use mapscope_scene::{
    Aabb, Animation, ClipInfo, Document, Item, LayerInfo, Light, Overlay, OverlayId, Playhead,
    Shown, TileMapItem,
};

/// Name that selects the pose without a clip where a clip name is expected.
pub const NO_CLIP: &str = "none";

/// A model file and the joint that it is attached to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Name of the joint.
    pub joint: String,
    /// The model file.
    pub path: PathBuf,
}

impl FromStr for Attachment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=');
        let parts = parts.filter(|(joint, path)| !joint.is_empty() && !path.is_empty());
        let (joint, path) =
            parts.ok_or("expected a joint and a file, such as hand_r=sword.pfobj")?;
        Ok(Self {
            joint: joint.to_owned(),
            path: path.into(),
        })
    }
}

/// The initial view of a file and its camera.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Image")]
pub struct ViewRequest {
    /// `iso`, `top`, `north`, `south`, `east`, `west`, `flat` (2D maps)
    #[arg(
        long,
        value_name = "NAME",
        value_parser = view_names(),
        hide_possible_values = true,
        conflicts_with = "camera"
    )]
    pub view: Option<NamedView>,
    /// Eye and target in the file's world coordinates
    #[arg(long, value_name = "EX,EY,EZ,TX,TY,TZ", allow_hyphen_values = true)]
    pub camera: Option<Pose>,
    /// Look through this camera of a scene; a wrong name lists all
    #[arg(long, value_name = "NAME", conflicts_with_all = ["view", "camera"])]
    pub look_through: Option<String>,
    /// Vertical field of view in degrees, 30 to 110 [default: 45]
    #[arg(
        long,
        value_name = "DEGREES",
        value_parser = parse_field_of_view,
        allow_hyphen_values = true
    )]
    pub fov: Option<f32>,
    /// Show this clip [default: the first]; `none` is the bind pose
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Show this frame, from 0; fractions lie between two frames
    #[arg(long, value_name = "N", value_parser = parse_frame, allow_hyphen_values = true)]
    pub frame: Option<f32>,
    /// Attach a model file to this joint of a model (repeatable)
    #[arg(long, value_name = "JOINT=FILE", allow_hyphen_values = true)]
    pub attach: Vec<Attachment>,
    /// Enable an overlay (repeatable); a wrong name lists all
    #[arg(long = "overlay", value_name = "NAME")]
    pub overlays: Vec<String>,
    /// Show this level of the map, from 0
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number::<usize>(0..),
        allow_hyphen_values = true
    )]
    pub level: Option<usize>,
    /// Show only this box of a level, two corners in metres
    #[arg(
        long,
        value_name = "X0,Y0,Z0,X1,Y1,Z1",
        value_parser = parse_box,
        allow_hyphen_values = true
    )]
    pub cut: Option<Aabb>,
    /// Depth of overlay `cells` [default: the leaves of the tree]
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number::<u8>(0..=u8::MAX),
        allow_hyphen_values = true
    )]
    pub cell_depth: Option<u8>,
    /// Set a light to `on`, `off` or 0 to 255 (repeatable)
    #[arg(
        long = "light",
        value_name = "NAME=VALUE",
        value_parser = parse_light,
        allow_hyphen_values = true
    )]
    pub lights: Vec<(String, Option<u8>)>,
    /// Show only this 2D map layer, by name or number (repeatable)
    #[arg(long = "layer", value_name = "NAME|N")]
    pub layers: Vec<String>,
    /// Hide this layer of a 2D map (repeatable)
    #[arg(long = "hide-layer", value_name = "NAME|N")]
    pub hidden_layers: Vec<String>,
    /// Leave out the shadows of maps and scenes
    #[arg(long)]
    pub no_shadows: bool,
    /// The item or place to go to in the window, in the forms that Go to accepts.
    #[arg(skip)]
    pub place: Option<String>,
}

impl ViewRequest {
    /// Applies the request to the view state of a document.
    ///
    /// # Errors
    /// Lists in a sentence for the user what the document does not have; the rest is applied.
    pub fn show(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        shown.hides_shadows |= self.no_shadows;
        let results = [
            self.show_overlays(document, shown),
            self.show_playhead(document, shown),
            self.show_level(document, shown),
            self.show_cut(document, shown),
            self.show_cells(document, shown),
            self.show_lights(document, shown),
            self.show_layers(document, shown),
            self.pose(document).map(|_| ()),
        ];
        results.into_iter().collect()
    }

    /// Returns the requested view state of a document, with defaults for everything else.
    ///
    /// # Errors
    /// Lists in a sentence for the user what the document does not have, or what would have no
    /// effect.
    pub fn shown(&self, document: &dyn Document) -> Result<Shown, String> {
        let mut shown = Shown::default();
        self.show(document, &mut shown)?;
        if self.cell_depth.is_some() && !self.requests(OverlayId::Cells) {
            let cells = OverlayId::Cells.as_str();
            return Err(format!(
                "--cell-depth needs the overlay `{cells}`, which is off; add --overlay {cells}"
            ));
        }
        Ok(shown)
    }

    /// Returns the requested camera pose, from `--camera` or from a camera of the file, if any.
    ///
    /// # Errors
    /// Lists the available cameras if the requested one does not exist.
    pub fn pose(&self, document: &dyn Document) -> Result<Option<Pose>, String> {
        let Some(wanted) = &self.look_through else {
            return Ok(self.camera);
        };
        let cameras = document.cameras();
        let found = cameras.iter().find(|camera| camera.name == *wanted);
        let unknown = || {
            let known = listed(cameras.iter().map(|camera| &camera.name));
            format!("camera `{wanted}` not found; this file has {known}")
        };
        found.map(|camera| Some(camera.pose)).ok_or_else(unknown)
    }

    /// `true` if it requests a camera, an item or a place.
    #[cfg(feature = "window")]
    pub(crate) fn sets_view(&self) -> bool {
        self.view.is_some()
            || self.camera.is_some()
            || self.look_through.is_some()
            || self.level.is_some()
            || self.place.is_some()
    }

    /// `true` if an overlay is requested.
    pub(crate) fn requests(&self, overlay: OverlayId) -> bool {
        self.overlays.iter().any(|name| name == overlay.as_str())
    }

    fn show_overlays(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        let offered = document.about().overlays;
        let mut result = Ok(());
        for name in &self.overlays {
            match offered.iter().find(|overlay| overlay.id.as_str() == name) {
                Some(overlay) => shown.overlays.set(offered, overlay.id, true),
                None => result = result.and_then(|()| Err(unknown_overlay(name, offered))),
            }
        }
        result
    }

    /// Shows the start of the first clip by default, as a game shows a model.
    fn show_playhead(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        let clips = document.animation().map_or(&[][..], Animation::clips);
        let first = (!clips.is_empty()).then_some(0);
        let no_clip = self.clip.as_deref() == Some(NO_CLIP);
        let asked = self.clip.as_deref().filter(|_| !no_clip);
        let found = asked.map(|name| {
            let found = clips.iter().position(|clip| clip.name == name);
            found.ok_or_else(|| unknown_clip(name, clips))
        });
        let clip = match &found {
            Some(found) => found.as_ref().ok().copied().or(first),
            None => first.filter(|_| !no_clip),
        };
        let frames = clip.and_then(|clip| clips.get(clip));
        let frames = frames.map_or(0, |clip| clip.frames);
        let frame = self.frame.unwrap_or(0.0);
        shown.playhead = Playhead {
            clip,
            frame: if frame < frames as f32 {
                frame
            } else {
                frames.saturating_sub(1) as f32
            },
            smooth: frame.fract() > 0.0,
            blend: None,
        };
        found.transpose()?;
        match self.frame {
            Some(_) if no_clip => {
                Err("--frame needs a clip, but --clip none shows the bind pose".to_owned())
            }
            Some(frame) => check_frame(frame, frames),
            None => Ok(()),
        }
    }

    fn show_level(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        let Some(level) = self.level else {
            return Ok(());
        };
        let levels = document.levels().map_or(0, |levels| levels.levels().len());
        if level < levels {
            shown.level = level;
            return Ok(());
        }
        let known = match levels {
            0 => "this file has no levels".to_owned(),
            1 => "this file has only level 0".to_owned(),
            _ => format!("this file has levels 0 to {}", levels - 1),
        };
        Err(format!("level {level} not found; {known}"))
    }

    /// Sets the cut box, which only documents with levels support.
    fn show_cut(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        if self.cut.is_some() && document.levels().is_none() {
            return Err("--cut needs a level, but this file has none".to_owned());
        }
        shown.cut = self.cut.or(shown.cut);
        Ok(())
    }

    fn show_cells(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        let offered = document.about().overlays;
        let has_cells = offered.iter().any(|overlay| overlay.id == OverlayId::Cells);
        if self.cell_depth.is_some() && !has_cells {
            let known = listed(offered.iter().map(|overlay| overlay.id.as_str()));
            return Err(format!(
                "--cell-depth needs the overlay `{}`; this file has {known}",
                OverlayId::Cells.as_str()
            ));
        }
        shown.cell_depth = self.cell_depth.or(shown.cell_depth);
        Ok(())
    }

    fn show_lights(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        if self.lights.is_empty() {
            return Ok(());
        }
        let levels = document.levels();
        let lights = levels.map_or_else(Vec::new, |levels| levels.lights(shown.level));
        let mut result = Ok(());
        for (wanted, intensity) in &self.lights {
            let called: Vec<_> = lights
                .iter()
                .filter(|l| is_called(&l.name, wanted))
                .collect();
            if called.is_empty() {
                result = result.and_then(|()| Err(unknown_light(wanted, &lights)));
            }
            for light in called {
                let intensity = intensity.unwrap_or(light.full);
                shown.lights.set(light.item, Some(intensity));
            }
        }
        result
    }

    /// Hides the layers that are not requested.
    fn show_layers(&self, document: &dyn Document, shown: &mut Shown) -> Result<(), String> {
        if self.layers.is_empty() && self.hidden_layers.is_empty() {
            return Ok(());
        }
        let Some(layers) = document.layers() else {
            return Err(
                "--layer and --hide-layer need a 2D map; this file has no layers".to_owned(),
            );
        };
        let layers = layers.layers();
        let find = |wanted: &[String]| {
            let mut found = Vec::new();
            for name in wanted {
                let before = found.len();
                let named = layers.iter().filter(|layer| layer.name == *name);
                found.extend(named.map(|layer| layer.item));
                if found.len() == before {
                    let numbered = layers.iter().find(|layer| is_layer(layer.item, name));
                    let layer = numbered.ok_or_else(|| unknown_layer(name, &layers))?;
                    found.push(layer.item);
                }
            }
            Ok::<_, String>(found)
        };
        let (only, hidden) = (find(&self.layers)?, find(&self.hidden_layers)?);
        let mut chosen = layers.iter().filter(|layer| only.contains(&layer.item));
        if !only.is_empty() && !chosen.any(|layer| layer.is_drawn) {
            let names = listed(self.layers.iter());
            return Err(format!(
                "--layer selects only layers that the map does not draw: {names}"
            ));
        }
        let items = layers.iter().map(|layer| layer.item);
        shown.hidden.extend(items.filter(|item| {
            hidden.contains(item) || !self.layers.is_empty() && !only.contains(item)
        }));
        Ok(())
    }

    /// Returns the requested camera, or else one that frames the whole document, for an image of
    /// this aspect ratio.
    pub fn camera(
        &self,
        document: &dyn Document,
        shown: &Shown,
        projection: Projection,
        aspect: f32,
    ) -> Camera {
        let handedness = document.about().handedness;
        let bounds = document.bounds_in_view(shown);
        let named = self.view.unwrap_or_default();
        let pose = self.pose(document).unwrap_or_default();
        let mut camera = match pose {
            Some(pose) => Camera::new(pose, handedness),
            None => Camera::framing(bounds, named, handedness, aspect),
        };
        camera.projection = projection;
        camera.near = camera::near_plane(document.level_bounds(shown.level));
        if let Some(degrees) = self.fov {
            camera.fov_y_radians = degrees.to_radians();
        }
        if pose.is_none() {
            if projection == Projection::Orthographic {
                camera.face(named);
            }
            camera.frame(bounds, aspect);
        }
        camera
    }
}

/// Checks that a clip with `frames` frames has this frame.
pub(crate) fn check_frame(frame: f32, frames: u32) -> Result<(), String> {
    if frame < frames as f32 {
        return Ok(());
    }
    Err(match frames {
        0 => "this file has no animation, so it has no frames".to_owned(),
        _ => format!(
            "frame {frame} not found; the clip has frames 0 to {}",
            frames - 1
        ),
    })
}

/// `true` if a light such as `Fast light 201` or `dimmer (fast light 201)` matches: by its full
/// name, by its controller's name, by its plain name, or by the number at the end.
fn is_called(name: &str, wanted: &str) -> bool {
    let parts = name.strip_suffix(')');
    let parts = parts.and_then(|name| name.rsplit_once(" ("));
    let (controller, plain) = parts.unwrap_or((name, name));
    let names = [name, controller, plain];
    let number = plain.rsplit(' ').next();
    names.iter().any(|name| name.eq_ignore_ascii_case(wanted)) || number == Some(wanted)
}

/// A comma-separated list of names for display.
fn listed(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    let names: Vec<_> = names.collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

/// `true` if a layer has this number in its file, from 0.
fn is_layer(item: Item, number: &str) -> bool {
    let number = number.parse().ok();
    number.is_some_and(|index| item == TileMapItem::Layer { index }.into())
}

fn unknown_layer(name: &str, layers: &[LayerInfo]) -> String {
    let known = listed(layers.iter().map(|layer| &layer.name));
    format!("layer `{name}` not found; this file has {known}")
}

fn unknown_clip(name: &str, clips: &[ClipInfo]) -> String {
    let known = listed(clips.iter().map(|clip| &clip.name));
    format!("clip `{name}` not found; this file has {known}")
}

fn unknown_overlay(name: &str, offered: &[Overlay]) -> String {
    let known = listed(offered.iter().map(|overlay| overlay.id.as_str()));
    format!("overlay `{name}` not found; this file has {known}")
}

fn unknown_light(wanted: &str, lights: &[Light]) -> String {
    const MAX_LISTED: usize = 12;
    let names = lights
        .iter()
        .take(MAX_LISTED)
        .map(|light| light.name.as_str());
    let names: Vec<&str> = names.collect();
    let known = match (names.len(), lights.len()) {
        (0, _) => "this file has no lights that can be switched".to_owned(),
        (listed, all) if listed < all => {
            format!(
                "this file has {} and {} more",
                names.join(", "),
                all - listed
            )
        }
        _ => format!("this file has {}", names.join(", ")),
    };
    format!("light `{wanted}` not found; {known}")
}

fn view_names() -> impl TypedValueParser<Value = NamedView> {
    let views = || NamedView::ALL.into_iter().chain([NamedView::Flat]);
    let names = PossibleValuesParser::new(views().map(NamedView::name));
    names.try_map(move |name| {
        let view = views().find(|view| view.name() == name);
        view.ok_or("not a view")
    })
}

/// A number type on the command line.
pub(crate) trait Number: FromStr {
    /// Its display name in the plural.
    const PLURAL: &str;
}

impl Number for f32 {
    const PLURAL: &str = "numbers";
}

impl Number for u32 {
    const PLURAL: &str = "whole numbers from 0";
}

/// Parses exactly `N` comma-separated numbers.
pub(crate) fn parse_numbers<T: Number, const N: usize>(text: &str) -> Result<[T; N], String> {
    let parts = text.split(',').map(|part| part.trim().parse().ok());
    let numbers: Option<Vec<T>> = parts.collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("expected {N} comma-separated {}", T::PLURAL))
}

/// Returns a parser for whole numbers in a range. Unlike clap's own parser, its error also states
/// the expectation for input that is not a whole number.
pub(crate) fn whole_number<T: FromStr + PartialOrd + Display>(
    range: impl RangeBounds<T> + Clone,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.trim().parse().ok();
        let number = number.filter(|number| range.contains(number));
        number.ok_or_else(|| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(min), Bound::Included(max)) => {
                format!("expected a whole number from {min} to {max}")
            }
            (Bound::Included(min), _) => format!("expected a whole number from {min}"),
            _ => "expected a whole number".to_owned(),
        })
    }
}

fn parse_box(text: &str) -> Result<Aabb, String> {
    let numbers = parse_numbers(text).map_err(|error| format!("{error}: two corners"))?;
    let [x0, y0, z0, x1, y1, z1] = numbers;
    let corners = [Vec3::new(x0, y0, z0), Vec3::new(x1, y1, z1)];
    let finite = corners.iter().all(|corner| corner.is_finite());
    let corners = Aabb::around(corners).filter(|_| finite);
    corners.ok_or_else(|| "expected 6 finite numbers: two corners".to_owned())
}

fn parse_field_of_view(text: &str) -> Result<f32, String> {
    let range = FIELDS_OF_VIEW_Y_DEGREES;
    let parsed = text.trim().parse().ok();
    parsed
        .filter(|degrees| range.contains(degrees))
        .ok_or_else(|| format!("expected {} to {} degrees", range.start(), range.end()))
}

/// Parses a light and its brightness; `None` means "on".
fn parse_light(text: &str) -> Result<(String, Option<u8>), String> {
    let parsed = text.rsplit_once('=').and_then(|(name, value)| {
        let intensity = match value.trim() {
            "on" => None,
            "off" => Some(0),
            number => Some(number.parse().ok()?),
        };
        Some((name.trim().to_owned(), intensity))
    });
    let parsed = parsed.filter(|(name, _)| !name.is_empty());
    parsed.ok_or_else(|| "expected a light and `on`, `off` or 0 to 255, such as 201=0".to_owned())
}

pub(crate) fn parse_frame(text: &str) -> Result<f32, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|frame: &f32| frame.is_finite() && *frame >= 0.0)
        .ok_or_else(|| "expected a frame number from 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert_eq!(parse_frame("1.5"), Ok(1.5));
        assert!(parse_frame("-1").is_err() && parse_frame("nan").is_err());
        assert_eq!(parse_light("a=b=on"), Ok(("a=b".to_owned(), None)));
        assert!(parse_light("=0").is_err() && parse_light("201=256").is_err());
        assert!(parse_box("0,0,0,1,1").is_err() && parse_box("0,0,0,1,1,inf").is_err());
        assert!(parse_field_of_view("29").is_err() && parse_field_of_view("30").is_ok());
    }

    #[test]
    fn lights_are_called_by_name_controller_and_number() {
        let is = |wanted| is_called("dimmer (fast light 201)", wanted);
        assert!(is("Dimmer") && is("fast LIGHT 201") && is("201"));
        assert!(!is("20") && !is("light"));
    }
}
