//! The command line.

use std::borrow::Cow;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use super::synthetic::SUITE_SIZES;
use super::{CommandError, Status, source};
use crate::images::animation::FPS;
use crate::images::shots::MAX_VIEWS;
use crate::view_request::{NO_CLIP, Number, ViewRequest, parse_frame, parse_numbers, whole_number};
use mapscope_formats::ppe::xmf::{Dialect, TileOrder};
use mapscope_formats::printable;
use mapscope_scene::camera::Projection;
use mapscope_scene::demo::Demo;
use mapscope_scene::{
    Document, InfoQuery, MapChoice, OpenError, OpenOptions, Playhead, file_on_disk,
};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const FILE_HELP: &str =
    "File to read; `demo:` is the built-in demo scene, `demo:NAME` another demo";

const FILES_HELP: &str = "Files to read; `-` is standard input, `demo:` the built-in demo \
                          scene, `demo:NAME` another demo";

/// View game terrain, levels, models and 2D maps in a window, as an image, or as text and JSON.
#[derive(Debug, Parser)]
#[command(
    name = "mapscope",
    version,
    styles = STYLES,
    override_usage = "mapscope [OPTIONS] [FILE|FOLDER]...\n       mapscope <COMMAND> [OPTIONS] ...",
    after_help = "\
Examples:
  mapscope                              open the demo scene in a window
  mapscope demo.pfmap                   open a map (same as: mapscope view demo.pfmap)
  mapscope info demo.pfmap              describe its contents
  mapscope render demo.pfmap -o a.png   render it to an image
  mapscope knight.pfobj                 open a model
  mapscope town.pmf                     open a level of cubes
  mapscope village.ika-map              open a 2D map, flat or with its layers apart

Exit status: 0 success, 1 the file has errors, 2 the command failed.
`mapscope COMMAND --help` lists all options. If a file is named like a command, write `./info`."
)]
pub struct Cli {
    /// Also look for textures, tilesets and models in this folder (repeatable)
    #[arg(long, value_name = "DIR", global = true, help_heading = "Files")]
    pub textures: Vec<PathBuf>,
    /// Map that a scene stands on [default: the one of the same name beside it]
    #[arg(long, value_name = "FILE", global = true, help_heading = "Files")]
    pub map: Option<PathBuf>,
    /// How to read XMF: `old`, `new`, `sheet-first`, `hide-undefined` (repeatable)
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        hide_possible_values = true,
        global = true,
        help_heading = "Files"
    )]
    pub xmf: Vec<XmfReading>,
    /// Graphics options.
    #[command(flatten)]
    pub graphics: GraphicsArgs,
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// Backend and antialiasing of the renderer.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct GraphicsArgs {
    /// Draw with `vulkan`, `gl`, `metal` or `dx12` [default: the first with an adapter, `gl` last]
    #[arg(
        long,
        value_name = "NAME",
        value_enum,
        hide_possible_values = true,
        global = true,
        help_heading = "Graphics"
    )]
    pub backend: Option<BackendName>,
    /// Samples per pixel: `4` smooths edges, `1` does not [default: 4, software 1]
    #[arg(
        long,
        value_name = "N",
        value_enum,
        hide_possible_values = true,
        allow_hyphen_values = true,
        global = true,
        help_heading = "Graphics"
    )]
    pub msaa: Option<SampleCount>,
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open files in a window
    View(ViewArgs),
    /// The commands without a window.
    #[command(flatten)]
    Headless(HeadlessCommand),
}

/// Dialect of XMF files, which do not record it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum XmfReading {
    /// Embedded cells and colours in the layout that the engine wrote before 2025
    Old,
    /// Embedded cells and colours in the current layout; the default unless the file is older
    New,
    /// Tiles list their index in the sheet before their number, as the engine's loader reads them
    SheetFirst,
    /// Tiles that no sheet defines are left out, as in the engine, instead of shown as numbers
    HideUndefined,
}

/// A graphics API by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// Vulkan
    Vulkan,
    /// OpenGL
    #[value(alias = "opengl")]
    Gl,
    /// Metal
    Metal,
    /// Direct3D 12
    Dx12,
}

/// Number of samples per pixel, as given on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SampleCount {
    /// One
    #[value(name = "1")]
    One,
    /// Four
    #[value(name = "4")]
    Four,
}

#[cfg(feature = "gpu")]
impl From<GraphicsArgs> for mapscope_render::GpuOptions {
    fn from(args: GraphicsArgs) -> Self {
        Self {
            backend: args.backend.map(Into::into),
            samples: args.msaa.map(Into::into),
        }
    }
}

#[cfg(feature = "gpu")]
impl From<SampleCount> for mapscope_render::Samples {
    fn from(count: SampleCount) -> Self {
        match count {
            SampleCount::One => Self::One,
            SampleCount::Four => Self::Four,
        }
    }
}

#[cfg(feature = "gpu")]
impl From<BackendName> for mapscope_render::Backend {
    fn from(name: BackendName) -> Self {
        match name {
            BackendName::Vulkan => Self::Vulkan,
            BackendName::Gl => Self::OpenGl,
            BackendName::Metal => Self::Metal,
            BackendName::Dx12 => Self::Direct3D12,
        }
    }
}

/// Commands that need no window.
#[derive(Debug, Subcommand)]
pub enum HeadlessCommand {
    /// Describe the contents of a file
    Info(InfoArgs),
    /// List every problem in files, with its location
    Check(CheckArgs),
    /// List the differences between two files of one format
    Diff(DiffArgs),
    /// Render a file to a PNG, without a window
    Render(RenderArgs),
    /// Measure how fast a file opens and draws
    Bench(BenchArgs),
    /// Export a file for another program, such as glTF
    Export(ExportArgs),
    /// Extract files and textures from the archive in a map
    Extract(ExtractArgs),
    /// Convert a file to another version or packing of its format
    Convert(ConvertArgs),
    /// Render a thumbnail for a file manager
    #[command(hide = true)]
    Thumbnail(ThumbnailArgs),
}

/// Arguments of `view`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope demo.pfmap
  mapscope maps/                        Page Down and Page Up switch files
  mapscope view --camera 0,175,0,-14.942,129.685,-14.942 demo.pfmap
  mapscope --overlay tile-types demo.pfmap
  mapscope --level 1 --cut -20,-20,-20,20,4,20 town.pmf")]
pub struct ViewArgs {
    /// Files to open, and folders with all files below them; `demo:NAME` is a demo [default: the
    /// demo scene]
    #[arg(value_name = "FILE[:LINE[:COL]]|FOLDER")]
    pub paths: Vec<PathBuf>,
    /// Run these commands, such as `camera.top; overlay.wireframe`; docs/keys.md lists them
    #[arg(long, value_name = "COMMANDS", help_heading = "Image")]
    pub run: Option<String>,
    /// Select this item and show it: `entity:Guard`, `tile:30,50`, or another place of Go to
    #[arg(long, value_name = "ITEM", help_heading = "Image")]
    pub select: Option<String>,
    /// The initial view.
    #[command(flatten)]
    pub request: ViewRequest,
}

/// Returns the camera and the visible parts of a document after a script of commands, in an image of
/// this aspect ratio. The error is a sentence for the user.
#[cfg(feature = "gpu")]
pub type ViewScript = fn(
    &str,
    &std::sync::Arc<dyn Document>,
    &ViewRequest,
    f32,
)
    -> Result<(mapscope_scene::camera::Camera, mapscope_scene::Shown), String>;

/// Arguments of `info`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope info demo.pfmap
  mapscope info demo.pfmap --json | jq .tiles.by_type
  mapscope info maps/*.pfmap --json     print one JSON object per file, each on one line
  mapscope info demo.pfmap --tile 10,12 --height 0,0 --height -20.5,31
  mapscope info town.ika-map --tile 30,53 --item zone:market --json
  mapscope info knight.pfobj --joint hand_r --clip Walk --frame 8
  mapscope info town.pmf --cube 0,0,1,0,417 --item archive-file:music.ogg
  mapscope info --adapters              list the graphics adapters")]
pub struct InfoArgs {
    #[expect(missing_docs, reason = "the help text is its documentation")]
    #[arg(value_name = "FILE", help = FILES_HELP, required_unless_present_any = ["adapters", "schema"])]
    pub files: Vec<PathBuf>,
    /// List the graphics adapters instead, with the one that draws and the reason
    #[arg(
        long,
        conflicts_with_all = ["files", "tile", "heights", "cube", "items", "joints", "clip"],
        help_heading = "What"
    )]
    pub adapters: bool,
    /// Print the JSON Schema of all --json output instead
    #[arg(
        long,
        conflicts_with_all = [
            "adapters", "files", "tile", "heights", "cube", "items", "joints", "clip"
        ],
        help_heading = "Output"
    )]
    pub schema: bool,
    /// Print JSON instead of text: one object per file, each on one line; indented on a terminal
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Also describe items that the window can select: all of a KIND such as `joint`, or one by name
    /// or numbers, such as `joint:hand` or `tile:3,17` (repeatable; a wrong kind lists all kinds)
    #[arg(
        long = "item",
        value_name = "KIND[:NAME]",
        allow_hyphen_values = true,
        help_heading = "What"
    )]
    pub items: Vec<String>,
    /// Also describe a joint; the same as `--item joint:NAME` (repeatable)
    #[arg(
        long = "joint",
        value_name = "NAME",
        allow_hyphen_values = true,
        help_heading = "What"
    )]
    pub joints: Vec<String>,
    /// Also find items by their fields, such as `entity where not found`
    #[arg(
        long,
        value_name = "QUERY",
        allow_hyphen_values = true,
        help_heading = "What"
    )]
    pub find: Option<String>,
    /// Describe items as they are in this clip [default: at rest]
    #[arg(long, value_name = "NAME", help_heading = "What")]
    pub clip: Option<String>,
    /// Describe items at this frame of the clip, from 0; fractions lie between two frames
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_frame,
        allow_hyphen_values = true,
        requires = "clip",
        help_heading = "What"
    )]
    pub frame: Option<f32>,
    /// Also describe a tile: in terrain ROW,COL from the north-west corner; in 2D maps X,Y, with the
    /// cells of all layers there
    #[arg(
        long,
        value_name = "ROW,COL|X,Y",
        value_parser = parse_pair::<u32>,
        allow_hyphen_values = true,
        help_heading = "What"
    )]
    pub tile: Option<(u32, u32)>,
    /// Also print the height of the ground at this point, in world coordinates (repeatable)
    #[arg(
        long = "height",
        value_name = "X,Z",
        value_parser = parse_point,
        allow_hyphen_values = true,
        help_heading = "What"
    )]
    pub heights: Vec<(f32, f32)>,
    /// Also describe a cube of a level: level, Y, X and Z of its chunk in the grid, and its number
    /// in the chunk
    #[arg(
        long,
        value_name = "LEVEL,Y,X,Z,INDEX",
        value_parser = parse_numbers::<u32, 5>,
        allow_hyphen_values = true,
        help_heading = "What"
    )]
    pub cube: Option<[u32; 5]>,
}

impl InfoArgs {
    /// The queries beyond the file as a whole.
    pub fn query(&self) -> InfoQuery {
        InfoQuery {
            tile: self.tile,
            heights: self.heights.clone(),
            cube: self.cube,
        }
    }

    /// The search texts for [`find_items`](mapscope_scene::find_items), each with the option that
    /// requests it.
    pub(super) fn wanted(&self) -> impl Iterator<Item = (String, String)> {
        let items = self.items.iter();
        let items = items.map(|item| (item.clone(), format!("--item {item}")));
        let joints = self.joints.iter();
        let joints = joints.map(|name| (format!("joint:{name}"), format!("--joint {name}")));
        items.chain(joints)
    }

    /// The playhead at which items are described.
    ///
    /// # Errors
    /// If the document does not have this clip or frame.
    pub(super) fn playhead(&self, document: &dyn Document) -> Result<Playhead, String> {
        let request = ViewRequest {
            clip: Some(self.clip.clone().unwrap_or_else(|| NO_CLIP.to_owned())),
            frame: self.frame,
            ..ViewRequest::default()
        };
        Ok(request.shown(document)?.playhead)
    }
}

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope check maps/*.pfmap           print FILE:LINE:COLUMN: severity: message [rule]
  mapscope check assets/                check every file below a folder
  mapscope check assets/ --json         print one JSON object per file, each on one line
  mapscope check assets/ --deny warnings --allow pfobj/bounds-differ
  git show HEAD:town.pmf | mapscope check -
  mapscope check assets/ --assets       also list unused and missing files
  mapscope check --list-rules           list every rule with its severity and summary

Exit status: 0 no errors, 1 at least one problem is an error, 2 a file cannot be read or has an
unknown format; the other files are still checked.")]
pub struct CheckArgs {
    /// Files to check, and folders with all files below them; `-` is standard input, `demo:` the
    /// built-in demo scene
    #[arg(value_name = "PATH", required_unless_present = "list_rules")]
    pub paths: Vec<PathBuf>,
    /// List every rule with its severity and summary, and check nothing
    #[arg(long, conflicts_with = "paths")]
    pub list_rules: bool,
    /// Report problems and notes of this rule, or all `warnings`, as errors (repeatable)
    #[arg(long, value_name = "RULE|warnings", help_heading = "Rules")]
    pub deny: Vec<String>,
    /// Leave out problems and notes of this rule (repeatable). A `mapscope.toml` sets `deny` and
    /// `allow` for a folder, and lists files to skip in `exclude`
    #[arg(long, value_name = "RULE", help_heading = "Rules")]
    pub allow: Vec<String>,
    /// Also list the models, tilesets and images in folders that no file names, and all missing
    /// files
    #[arg(long, help_heading = "Output")]
    pub assets: bool,
    /// Also list notes (observations that are not problems) and the consequences of each problem;
    /// JSON always has both
    #[arg(long, help_heading = "Output")]
    pub notes: bool,
    /// Report format: `text`, `json`, `github` for annotations, or `sarif` [default: text]
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub format: Option<ReportFormat>,
    /// Print one JSON object per file, each on one line; the same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,
}

impl CheckArgs {
    /// The format of the report.
    pub(super) fn format(&self) -> ReportFormat {
        match self.format {
            Some(format) => format,
            None if self.json => ReportFormat::Json,
            None => ReportFormat::Text,
        }
    }
}

/// A report format of `check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Lines in the form of compiler messages
    Text,
    /// One JSON object per file
    Json,
    /// Workflow commands of GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope diff before.pfmap after.pfmap
  mapscope diff before.pmf after.pmf --json | jq .count
  mapscope diff --text town.pmf         print one line per part of a file, for `git diff`
  mapscope diff before.pfmap after.pfmap --picture -o changes.png

Exit status: 0 no differences, 1 differences found, 2 the files could not be compared.")]
pub struct DiffArgs {
    /// File to compare, or `-` for standard input
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// File to compare it with, of the same format
    #[arg(value_name = "B", required_unless_present = "text")]
    pub b: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print all parts of A, one per line, instead of comparing
    #[arg(long, conflicts_with_all = ["b", "json"], help_heading = "Output")]
    pub text: bool,
    /// Print all lines, even more than a million
    #[arg(long, requires = "text", help_heading = "Output")]
    pub no_limit: bool,
    /// Draw A, B and the pixels that differ side by side, from the same camera
    #[arg(long, requires_all = ["b", "output"], conflicts_with = "text", help_heading = "Output")]
    pub picture: bool,
    /// With --picture: the PNG to write; `-` is standard output
    #[arg(
        short,
        long,
        value_name = "OUT",
        requires = "picture",
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    /// Overwrite any existing OUT (input files are never overwritten)
    #[arg(long, requires = "picture", help_heading = "Output")]
    pub force: bool,
    /// The picture.
    #[command(flatten)]
    pub image: ImageArgs,
}

/// Arguments of `convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope convert castle.pfmap old.pfmap --to 1.0
  mapscope convert town.map town.ika-map
  mapscope convert level.map packed.map --to new,zstd
  mapscope convert wall.png wall.ptf
  mapscope convert town.pmf --list      list the forms it can be converted to
  git show HEAD:town.pmf | mapscope convert - stored.pmf --to stored

Anything that the target form cannot represent is listed, and nothing is written unless --lossy is
given.")]
pub struct ConvertArgs {
    /// File to read; `-` is standard input
    #[arg(value_name = "IN")]
    pub file: PathBuf,
    /// File to write; `-` is standard output
    #[arg(value_name = "OUT", required_unless_present = "list")]
    pub output: Option<PathBuf>,
    /// Target form, or several with commas, such as `new,zstd` (repeatable) [default: the form of
    /// OUT's ending, or else unchanged]
    #[arg(long, value_name = "FORM")]
    pub to: Vec<String>,
    /// List the forms of IN, and write nothing
    #[arg(long, conflicts_with_all = ["output", "to"])]
    pub list: bool,
    /// Write the file even if data is lost, and list the losses
    #[arg(long)]
    pub lossy: bool,
    /// Overwrite any existing OUT (input files are never overwritten)
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `render`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope render demo.pfmap -o demo.png
  mapscope render town.ika-map -o town.png --view flat
  mapscope render demo.pfmap -o b.png --overlay tile-types --overlay tile-grid
  mapscope render siege.pfscene -o c.png --map castle.pfmap
  mapscope render knight.pfobj -o a.png --clip Walk --frame 8 --overlay skeleton
  mapscope render knight.pfobj -o walk_%03d.png --frames 0..33
  mapscope render knight.pfobj -o turn.gif --turntable 72 --transparent
  mapscope render demo.pfmap -o - --raw --turntable 240 | ffmpeg -f rawvideo -pix_fmt rgba
    -s 1280x720 -r 24 -i - -pix_fmt yuv420p turn.mp4
  mapscope render town.pmf -o a.png --level 1 --cut -20,-20,-20,20,4,20 --light 201=off")]
pub struct RenderArgs {
    #[expect(missing_docs, reason = "the help text is its documentation")]
    #[arg(value_name = "FILE", help = FILE_HELP)]
    pub file: PathBuf,
    /// PNG to write; `-` is stdout, `%03d` a number; .apng and .gif animate
    #[arg(
        short,
        long,
        value_name = "OUT.png",
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    pub output: PathBuf,
    /// Overwrite a file that is not a PNG (input files never)
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Write raw RGBA8 pixels with `-o -`, for a video encoder
    #[arg(long, help_heading = "Output")]
    pub raw: bool,
    /// Run commands of the window first: `camera.top; overlay.wireframe`
    #[arg(
        long,
        value_name = "COMMANDS",
        conflicts_with_all = ["turntable", "projection"],
        help_heading = "Image"
    )]
    pub run: Option<String>,
    /// Runs them: the window's commands, in a program that has them.
    #[cfg(feature = "gpu")]
    #[arg(skip)]
    pub script: Option<ViewScript>,
    /// Render one image per frame; `0..=32` includes 32 [.gif: all]
    #[arg(
        long,
        value_name = "FIRST..END",
        value_parser = parse_frames,
        allow_hyphen_values = true,
        conflicts_with = "frame",
        help_heading = "Image"
    )]
    pub frames: Option<RangeInclusive<u32>>,
    /// Render N turntable views
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number(2..=MAX_VIEWS),
        allow_hyphen_values = true,
        conflicts_with = "frames",
        help_heading = "Image"
    )]
    pub turntable: Option<u32>,
    /// Render along the camera poses in a file, one per line
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["frames", "turntable", "view", "camera", "look_through"],
        help_heading = "Image"
    )]
    pub camera_path: Option<PathBuf>,
    /// Number of images along the camera path
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number(2..=MAX_VIEWS),
        allow_hyphen_values = true,
        default_value_t = 120,
        requires = "camera_path",
        help_heading = "Image"
    )]
    pub path_views: u32,
    /// Images per second of an animation, 1 to 50 [default: 24]
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_fps,
        allow_hyphen_values = true,
        help_heading = "Image"
    )]
    pub fps: Option<f32>,
    /// Scale factor of the image and its names
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number(1..=64_u32),
        allow_hyphen_values = true,
        default_value_t = 1,
        hide_default_value = true,
        help_heading = "Image"
    )]
    pub scale: u32,
    /// Render only these tiles, with --view flat
    #[arg(
        long,
        value_name = "X,Y,W,H",
        value_parser = parse_numbers::<u32, 4>,
        allow_hyphen_values = true,
        help_heading = "Image"
    )]
    pub region: Option<[u32; 4]>,
    /// Draw the names of joints, entities and zones
    #[arg(long, help_heading = "Image")]
    pub labels: bool,
    /// Leave out the sky, floor and black background
    #[arg(long, help_heading = "Image")]
    pub transparent: bool,
    /// The image.
    #[command(flatten)]
    pub image: ImageArgs,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope bench demo.pfmap --json --camera 0,175,0,-14.942,129.685,-14.942
  mapscope bench --suite -o report.json

Compare times with `floor_ms`, the time of trivial work on this machine. --frame stops clips.")]
pub struct BenchArgs {
    /// File to measure; `demo:` is the built-in demo scene, `synthetic:64x64` generated terrain, and
    /// `synthetic:` lists all generated files
    #[arg(value_name = "FILE", required_unless_present_any = ["suite", "plot"])]
    pub file: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Measure generated files of all formats, sizes and views, for a report
    #[arg(
        long,
        requires = "output",
        conflicts_with_all = [
            "file", "json", "all_views", "fly", "instances", "ViewRequest", "projection"
        ],
        help_heading = "What"
    )]
    pub suite: bool,
    /// With --suite: measure only the N smallest sizes
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number(1..=SUITE_SIZES),
        allow_hyphen_values = true,
        default_value_t = SUITE_SIZES,
        hide_default_value = true,
        requires = "suite",
        conflicts_with_all = ["file", "plot"],
        help_heading = "What"
    )]
    pub sizes: usize,
    /// Draw the curves of a --suite report, and a page with all figures
    #[arg(
        long,
        value_name = "FILE",
        requires = "output",
        conflicts_with_all = ["file", "suite", "json"],
        help_heading = "What"
    )]
    pub plot: Option<PathBuf>,
    /// Report to write, or folder for the curves
    #[arg(
        short,
        long,
        value_name = "OUT",
        conflicts_with = "file",
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    /// Measure from all named views, one after the other
    #[arg(
        long,
        conflicts_with_all = ["view", "camera", "look_through", "fly", "instances"],
        help_heading = "What"
    )]
    pub all_views: bool,
    /// Number of frames or saves to measure [default: 60, --suite 20, --reload 10]
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number(1..=100_000_u32),
        allow_hyphen_values = true,
        help_heading = "What"
    )]
    pub frames: Option<u32>,
    /// Fly over the map near the ground, one lap over all frames
    #[arg(long, conflicts_with_all = ["view", "camera"], help_heading = "What")]
    pub fly: bool,
    /// Measure from saving this version of FILE to its frame in a window
    #[arg(
        long,
        value_name = "FILE",
        requires = "file",
        conflicts_with_all = [
            "all_views", "fly", "instances", "ViewRequest", "projection", "size"
        ],
        help_heading = "What"
    )]
    pub reload: Option<PathBuf>,
    /// With --reload: save over this file, which FILE uses
    #[arg(long, value_name = "FILE", requires = "reload", help_heading = "What")]
    pub over: Option<PathBuf>,
    /// Draw N instances of a model, each at its own frame
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number(1..=1_000_000_u32),
        allow_hyphen_values = true,
        conflicts_with_all = ["fly", "attach"],
        help_heading = "What"
    )]
    pub instances: Option<u32>,
    /// The image.
    #[command(flatten)]
    pub image: ImageArgs,
}

#[cfg(feature = "gpu")]
impl BenchArgs {
    /// Number of frames to measure.
    pub(super) fn frames(&self) -> u32 {
        let default = match (self.suite, &self.reload) {
            (true, _) => 20,
            (_, Some(_)) => 10,
            _ => 60,
        };
        self.frames.unwrap_or(default)
    }
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope export knight.pfobj -o knight.glb     for Blender, Godot and others, with its clips
  mapscope export knight.pfobj -o knight.glb --mirror     the same with left and right swapped
  mapscope export town.ika-map -o town.tmx       for Tiled, with the tileset beside it
  mapscope export castle.pfmap -o tiles.csv      a table of its tiles
  mapscope export town.pmf --list                list the formats it can be exported to")]
pub struct ExportArgs {
    #[expect(missing_docs, reason = "the help text is its documentation")]
    #[arg(value_name = "FILE", help = FILE_HELP)]
    pub file: PathBuf,
    /// File to write; its ending selects the format. `-` is standard output
    #[arg(
        short,
        long,
        value_name = "OUT",
        allow_hyphen_values = true,
        required_unless_present = "list",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    /// List the formats that FILE can be exported to
    #[arg(long, conflicts_with_all = ["output", "to", "force", "mirror", "material"], help_heading = "Output")]
    pub list: bool,
    /// With --list: print one JSON object instead of text
    #[arg(long, requires = "list", help_heading = "Output")]
    pub json: bool,
    /// Write this format whatever the ending of OUT, such as `glb`
    #[arg(
        long,
        value_name = "ENDING",
        requires = "output",
        help_heading = "Output"
    )]
    pub to: Option<String>,
    /// Swap left and right of a model, as the game shows it (for models from exporters that mirror)
    #[arg(long, requires = "output", help_heading = "Output")]
    pub mirror: bool,
    /// With .png: the material of a model whose UV layout is written, by name or number [default: the
    /// first that is used]
    #[arg(
        long,
        value_name = "NAME",
        requires = "output",
        help_heading = "Output"
    )]
    pub material: Option<String>,
    /// Overwrite a file of another format or a read-only one (input files are never overwritten)
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Write a table without a limit on its length
    #[arg(long, requires = "output", help_heading = "Output")]
    pub no_limit: bool,
}

/// Arguments of `extract`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mapscope extract town.pmf                              list the files in its archive
  mapscope extract town.pmf -o town                      all files, and textures also as PNG
  mapscope extract town.pmf textures 'sounds/*.ogg' -o town")]
pub struct ExtractArgs {
    #[expect(missing_docs, reason = "the help text is its documentation")]
    #[arg(value_name = "FILE", help = FILE_HELP)]
    pub file: PathBuf,
    /// Files to extract: paths in the archive, folders, or patterns such as `*.ogg`, or `**/*.ogg`
    /// for all folders [default: all]
    #[arg(value_name = "NAME", help_heading = "What")]
    pub names: Vec<String>,
    /// Folder to write into, created if missing; `-` is standard output, for one file [default: only
    /// list the files]
    #[arg(
        short,
        long,
        value_name = "DIR",
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    /// Write only the files themselves, without PNG images of textures
    #[arg(long, requires = "output", help_heading = "Output")]
    pub raw: bool,
    /// Overwrite existing files (input files are never overwritten)
    #[arg(long, requires = "output", help_heading = "Output")]
    pub force: bool,
}

/// Arguments of `thumbnail`, as in the thumbnailer file of the packages.
#[derive(Debug, Args)]
pub struct ThumbnailArgs {
    /// File to render
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// PNG to write, whatever its ending
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Length of the longer side in pixels
    #[arg(
        long,
        value_name = "PIXELS",
        default_value_t = 256,
        value_parser = whole_number(1..=1024_u32),
        allow_hyphen_values = true
    )]
    pub size: u32,
}

/// Size and view of an image.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Image")]
pub struct ImageArgs {
    /// Width and height in pixels [default: 1280x720]
    #[arg(
        long,
        value_name = "WxH",
        value_parser = parse_size,
        allow_hyphen_values = true
    )]
    pub size: Option<[u32; 2]>,
    /// Projection: `perspective` or `ortho`
    #[arg(
        long,
        value_name = "KIND",
        value_parser = projection_names(),
        hide_possible_values = true
    )]
    pub projection: Option<Projection>,
    /// The initial view.
    #[command(flatten)]
    pub request: ViewRequest,
}

impl ImageArgs {
    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size.unwrap_or([1280, 720])
    }
}

impl Cli {
    /// The options for opening files.
    ///
    /// # Errors
    /// If a texture folder is not a folder, or the map does not exist.
    pub fn open_options(&self) -> Result<OpenOptions, CommandError> {
        if let Some(folder) = self.textures.iter().find(|folder| !folder.is_dir()) {
            return Err(CommandError::Argument(format!(
                "--textures {}: folder not found",
                folder.display()
            )));
        }
        let map = match &self.map {
            Some(map) if !map.is_file() => {
                return Err(CommandError::Argument(format!(
                    "--map {}: file not found",
                    map.display()
                )));
            }
            Some(map) => MapChoice::File(map.clone()),
            None => MapChoice::Beside,
        };
        // The last option wins.
        let dialect = self.xmf.iter().rev().find_map(|reading| match reading {
            XmfReading::Old => Some(Dialect::OLD),
            XmfReading::New => Some(Dialect::default()),
            XmfReading::SheetFirst | XmfReading::HideUndefined => None,
        });
        Ok(OpenOptions {
            texture_folders: self.textures.clone(),
            map,
            xmf_dialect: dialect,
            xmf_tile_order: if self.xmf.contains(&XmfReading::SheetFirst) {
                TileOrder::IndexFirst
            } else {
                TileOrder::IdFirst
            },
            xmf_hides_undefined: self.xmf.contains(&XmfReading::HideUndefined),
            ..OpenOptions::default()
        })
    }
}

impl ViewArgs {
    /// The existing files and folders to open, and the last demo that is named. Without files, a
    /// demo is opened. The place in the first file goes into the request, unless an item is
    /// selected.
    ///
    /// # Errors
    /// If a path does not exist; the first one is reported before a window opens.
    pub fn files_or_demo(&mut self) -> Result<(Vec<PathBuf>, Option<&'static Demo>), CommandError> {
        self.request.place = self.select.take();
        let mut files = Vec::new();
        let mut demo = None;
        for path in &self.paths {
            if let Some(named) = source::demo_of(path)? {
                demo = Some(named);
                continue;
            }
            let found = std::fs::metadata(path).map(drop);
            if let (Err(_), Some((file, place))) = (&found, split_place(path)) {
                if files.is_empty() {
                    self.request.place.get_or_insert(place);
                }
                files.push(file);
                continue;
            }
            // A path that goes on behind an archive is checked when it is opened.
            let found = found.or_else(|_| std::fs::metadata(file_on_disk(path)).map(drop));
            found.map_err(|source| OpenError::Read {
                path: path.clone(),
                source,
            })?;
            files.push(path.clone());
        }
        Ok((files, demo))
    }
}

/// Splits `FILE:LINE`, `FILE:LINE:COLUMN` or `FILE:0xOFFSET` into an existing file and the place,
/// in a form that Go to accepts.
fn split_place(path: &Path) -> Option<(PathBuf, String)> {
    let text = path.to_str()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let exists = |file: &str| file_on_disk(Path::new(file)).is_file();
    let (before, last) = text.rsplit_once(':')?;
    if let Some((file, line)) = before.rsplit_once(':')
        && is_number(line)
        && is_number(last)
        && exists(file)
    {
        return Some((file.into(), format!("line {line}, column {last}")));
    }
    let place = match last.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16)
            .is_ok()
            .then(|| last.to_owned())?,
        None => is_number(last).then(|| format!("line {last}"))?,
    };
    exists(before).then(|| (before.into(), place))
}

/// Parses the command line.
///
/// # Errors
/// With the exit status if there is nothing more to do: help was requested and printed, or the
/// arguments are invalid and the error was printed.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, Status> {
    let args = with_command(args.into_iter().collect());
    Cli::try_parse_from(&args).map_err(|error| {
        // The message quotes arguments, which may be file names, so escape unprintable characters.
        let error = Cli::try_parse_from(args.iter().map(as_printable))
            .err()
            .unwrap_or(error);
        // Ignore errors: without an output there is nowhere to report them.
        let _ignored = error.print();
        if error.use_stderr() {
            Status::Failed
        } else {
            Status::Done
        }
    })
}

/// Escapes the unprintable characters of an argument.
fn as_printable(argument: &OsString) -> OsString {
    match printable(&argument.to_string_lossy()) {
        // Keep arguments that are not UTF-8.
        Cow::Borrowed(_) => argument.clone(),
        Cow::Owned(text) => text.into(),
    }
}

/// Inserts `view` before arguments that do not name a command.
///
/// At the top level, clap accepts either arguments or a command. With both it rejects global
/// options before a command, and treats a command's name after an option as a file.
fn with_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    loop {
        match args.get(at).and_then(|arg| arg.to_str()) {
            Some("--textures" | "--map" | "--xmf" | "--backend" | "--msaa") => at += 2,
            Some(arg)
                if ["--textures=", "--map=", "--xmf=", "--backend=", "--msaa="]
                    .iter()
                    .any(|option| arg.starts_with(option)) =>
            {
                at += 1;
            }
            Some("-h" | "--help" | "-V" | "--version" | "help") => return args,
            Some(arg) if Cli::command().find_subcommand(arg).is_some() => return args,
            _ => break,
        }
    }
    args.insert(at.min(args.len()), "view".into());
    args
}

fn projection_names() -> impl TypedValueParser<Value = Projection> {
    PossibleValuesParser::new(["perspective", "ortho"]).map(|name| match name.as_str() {
        "ortho" => Projection::Orthographic,
        _ => Projection::Perspective,
    })
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let parsed = text
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    parsed
        .filter(|size| !size.contains(&0))
        .ok_or_else(|| "expected width and height in pixels, such as 1280x720".to_owned())
}

fn parse_frames(text: &str) -> Result<RangeInclusive<u32>, String> {
    let parsed = text.split_once("..").and_then(|(first, end)| {
        let first: u32 = first.parse().ok()?;
        let last = match end.strip_prefix('=') {
            Some(last) => last.parse().ok()?,
            None => end.parse::<u32>().ok()?.checked_sub(1)?,
        };
        (first <= last).then_some(first..=last)
    });
    parsed.ok_or_else(|| "expected a range of at least one frame, such as 0..32".to_owned())
}

fn parse_fps(text: &str) -> Result<f32, String> {
    let fps = text.trim().parse().ok().filter(|fps| FPS.contains(fps));
    fps.ok_or_else(|| {
        format!(
            "expected {} to {} images per second",
            FPS.start(),
            FPS.end()
        )
    })
}

fn parse_pair<T: Number>(text: &str) -> Result<(T, T), String> {
    let pair = parse_numbers(text).map(|[first, second]| (first, second));
    pair.map_err(|_| format!("expected two comma-separated {}", T::PLURAL))
}

fn parse_point(text: &str) -> Result<(f32, f32), String> {
    let (x, z) = parse_pair::<f32>(text)?;
    if x.is_finite() && z.is_finite() {
        Ok((x, z))
    } else {
        Err("expected finite numbers".to_owned())
    }
}

/// Display name of a file in output: the path as the user gave it.
pub(super) fn display_name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(args: &str) -> String {
        let args = std::iter::once("mapscope").chain(args.split_whitespace());
        let args = with_command(args.map(OsString::from).collect());
        args[1..].join(&OsString::from(" ")).into_string().unwrap()
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn arguments_that_do_not_begin_with_a_command_are_for_view() {
        for (given, meant) in [
            ("", "view"),
            ("a.pfmap info", "view a.pfmap info"),
            ("--overlay height a", "view --overlay height a"),
            ("-- info", "view -- info"),
            ("./info", "view ./info"),
            ("info a", "info a"),
            ("help info", "help info"),
            ("--version", "--version"),
            ("--textures d info a", "--textures d info a"),
            ("--textures=d a", "--textures=d view a"),
            ("--map d info a", "--map d info a"),
            ("--map=d a", "--map=d view a"),
            ("--backend gl info a", "--backend gl info a"),
            ("--backend=gl a", "--backend=gl view a"),
            ("--msaa 4 info a", "--msaa 4 info a"),
            ("--msaa=4 a", "--msaa=4 view a"),
            ("--textures", "--textures view"),
        ] {
            assert_eq!(completed(given), meant);
        }
    }

    /// `-1` is not parsed as an option, and the error states what was expected.
    #[test]
    fn numbers_below_zero_are_read_as_numbers() {
        let texts = [
            "NAME",
            "KIND",
            "DIR",
            "FILE",
            "OUT.png",
            "HOW",
            "NAME|N",
            "COMMANDS",
            "ITEM",
            "KIND[:NAME]",
            "QUERY",
            "RULE",
            "RULE|warnings",
            "FORMAT",
            "FORM",
            "OUT",
            "ENDING",
        ];
        let mut program = Cli::command();
        program.build();
        let mut checked = 0;
        for command in program.get_subcommands() {
            for argument in command.get_arguments() {
                let names = argument.get_value_names().unwrap_or_default();
                let takes_text = names.iter().any(|name| texts.contains(&name.as_str()));
                let Some(option) = argument.get_long() else {
                    continue;
                };
                if takes_text || !argument.get_action().takes_values() {
                    continue;
                }
                let option = format!("--{option}");
                let args = ["mapscope", command.get_name(), &option, "-1"];
                let error = Cli::try_parse_from(args).unwrap_err();
                let text = error.to_string();
                assert!(text.contains("invalid value '-1' for"), "{option}: {text}");
                assert!(
                    text.contains("expected ") || text.contains("possible values"),
                    "{option}: {text}"
                );
                checked += 1;
            }
        }
        assert!(checked > 30, "{checked}");
        let scale = Cli::try_parse_from(["mapscope", "render", "--scale", "1.5"]).unwrap_err();
        let said = "expected a whole number from 1 to 64";
        assert!(scale.to_string().contains(said), "{scale}");
    }

    #[test]
    fn sizes_and_pairs_are_read_or_refused() {
        assert_eq!(parse_size("640x360"), Ok([640, 360]));
        for text in [
            "",
            "640",
            "0x10",
            "10x0",
            "-1x5",
            "1x2x3",
            "99999999999x1",
            "axb",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert_eq!(parse_pair("3, 4"), Ok((3_u32, 4)));
        assert_eq!(parse_point("-3.5,4"), Ok((-3.5, 4.0)));
        assert!(parse_pair::<u32>("-1,2").is_err());
        assert_eq!(parse_frames("0..32"), Ok(0..=31));
        assert_eq!(parse_frames("4..=4"), Ok(4..=4));
        for text in ["", "..", "3", "3..3", "4..=3", "-1..2", "0..0", "a..b"] {
            assert!(parse_frames(text).is_err(), "{text}");
        }
        assert!(parse_point("nan,2").is_err());
    }
}
