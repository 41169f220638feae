//! The JSON output of commands, as types. The schema is derived from them.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cli::display_name;
use mapscope_formats::{Format, Problem, Severity};
use mapscope_scene::NamedFile;
use mapscope_scene::diff::{Diff, DiffGroup, Difference};

/// Severity of a problem.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeverityName {
    Error,
    Warning,
    Note,
}

impl From<Severity> for SeverityName {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Note => Self::Note,
        }
    }
}

/// A problem or a note of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "problem")]
pub(super) struct ProblemOutput {
    severity: SeverityName,
    rule: &'static str,
    /// `LINE:COLUMN`, or `0x` and the offset in bytes.
    at: String,
    message: String,
    /// Number of problems that follow from this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    consequence_count: Option<usize>,
    /// Problems that follow from this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    consequences: Vec<Self>,
}

impl From<&Problem> for ProblemOutput {
    fn from(problem: &Problem) -> Self {
        let consequences = &problem.consequences;
        Self {
            severity: problem.severity.into(),
            rule: problem.rule.id,
            at: problem.place.to_string(),
            message: problem.message.clone(),
            consequence_count: (!consequences.is_empty()).then(|| problem.consequence_count()),
            consequences: problems(consequences),
        }
    }
}

fn problems(problems: &[Problem]) -> Vec<ProblemOutput> {
    problems.iter().map(ProblemOutput::from).collect()
}

/// The object that `info` and `check` print for each file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "checked")]
pub(super) struct FileOutput {
    file: String,
    /// Null for a dangling link, or a file of another program.
    #[schemars(schema_with = "super::schema::format_id")]
    format: Option<&'static str>,
    version: Option<String>,
    problems: Vec<ProblemOutput>,
    notes: Vec<ProblemOutput>,
    /// The error, if nothing in the file can be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl FileOutput {
    /// Creates the object for a file. `version` is `None` if nothing of the file can be shown.
    pub(super) fn new(
        path: &Path,
        format: Option<&Format>,
        version: Option<&str>,
        of_file: &[Problem],
        notes: &[Problem],
    ) -> Self {
        let refused = of_file.first().filter(|_| version.is_none());
        Self {
            file: display_name(path),
            format: format.map(|format| format.id),
            version: version.map(str::to_owned),
            problems: problems(of_file),
            notes: problems(notes),
            error: refused.map(|problem| problem.message.clone()),
        }
    }
}

/// A file that could not be read.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "unreadable")]
pub(super) struct Unreadable {
    pub(super) file: String,
    pub(super) error: String,
    /// The place of an error in a file with settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<String>,
}

/// The object that `info` prints for a file.
#[derive(Debug, Serialize)]
pub(super) struct InfoOutput {
    #[serde(flatten)]
    pub(super) file: FileOutput,
    /// Values of the keys that are specific to the format.
    #[serde(flatten)]
    pub(super) answers: Map<String, Value>,
    pub(super) objects: Vec<ItemOutput>,
    pub(super) files: Vec<NamedFileOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) items: Option<Vec<ItemOutput>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<FoundOutput>,
}

/// The items that `--find` found.
#[derive(Debug, Serialize)]
pub(super) struct FoundOutput {
    pub(super) query: String,
    /// Number of items that match.
    pub(super) count: u64,
    /// Number of listed items.
    pub(super) listed: usize,
    pub(super) items: Vec<ItemOutput>,
}

/// An item of a file.
#[derive(Debug, Serialize)]
pub(super) struct ItemOutput {
    pub(super) item: String,
    pub(super) kind: &'static str,
    pub(super) name: Option<String>,
    pub(super) fields: Map<String, Value>,
}

/// A file that another one names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "named_file")]
pub(super) struct NamedFileOutput {
    kind: &'static str,
    name: String,
    /// Null if it was not found.
    path: Option<String>,
    found: bool,
    /// The file that references it; null if that is the described file.
    named_by: Option<String>,
}

impl From<&NamedFile> for NamedFileOutput {
    fn from(file: &NamedFile) -> Self {
        Self {
            kind: file.kind,
            name: file.name.clone(),
            path: file.path.as_deref().map(display_name),
            found: file.found,
            named_by: file.named_by.clone(),
        }
    }
}

/// The last object of `check --assets`: unused and missing files.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "assets")]
pub(super) struct AssetsOutput {
    /// Files that no checked file uses.
    pub(super) unused: Vec<UnusedOutput>,
    /// Files that are named but were not found.
    pub(super) missing: Vec<MissingOutput>,
}

/// A file that no checked file uses.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "unused")]
pub(super) struct UnusedOutput {
    pub(super) file: String,
    pub(super) rule: &'static str,
    pub(super) severity: SeverityName,
}

/// A file that is named but was not found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "missing")]
pub(super) struct MissingOutput {
    pub(super) rule: &'static str,
    pub(super) message: String,
    /// Number of references.
    pub(super) count: usize,
    /// The files that reference it.
    pub(super) files: Vec<String>,
}

/// A rule of `check --list-rules`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "rule")]
pub(super) struct RuleOutput {
    pub(super) id: &'static str,
    pub(super) severity: SeverityName,
    pub(super) summary: &'static str,
}

/// The object that `info --adapters` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "adapters")]
pub(super) struct AdaptersOutput {
    pub(super) adapters: Vec<AdapterOutput>,
}

/// A graphics adapter.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "adapter")]
pub(super) struct AdapterOutput {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) backend: String,
    pub(super) driver: String,
    /// Samples per pixel.
    pub(super) samples: u32,
    pub(super) chosen: bool,
    pub(super) reason: String,
}

/// The object that `export --list` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "targets")]
pub(super) struct TargetsOutput {
    pub(super) file: String,
    pub(super) format: &'static str,
    pub(super) targets: Vec<TargetOutput>,
}

/// A format that a file can be exported to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "target")]
pub(super) struct TargetOutput {
    pub(super) ending: &'static str,
    pub(super) kind: &'static str,
    pub(super) what: &'static str,
}

/// The object that `diff` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "diff")]
pub(super) struct DiffOutput {
    a: String,
    b: String,
    format: &'static str,
    /// `true` if both files have the same content.
    same: bool,
    /// `true` if the files are the same byte for byte.
    identical: bool,
    /// `true` if both files were compared as a whole.
    complete: bool,
    /// For each file, the problem that kept it from being read as a whole.
    not_read: [Option<ProblemOutput>; 2],
    /// Number of differences, including unlisted ones.
    count: u64,
    /// Number of listed differences.
    listed: usize,
    groups: Vec<DiffGroupOutput>,
    differences: Vec<DifferenceOutput>,
}

impl DiffOutput {
    /// Creates the object for two files of the same format.
    pub(super) fn new(
        files: [&Path; 2],
        format: &Format,
        diff: &Diff,
        [same, identical, complete]: [bool; 3],
    ) -> Self {
        let [a, b] = files.map(display_name);
        let not_read = diff.not_read.each_ref().map(|problem| {
            let problem = problem.as_ref().filter(|_| !complete);
            problem.map(ProblemOutput::from)
        });
        Self {
            a,
            b,
            format: format.id,
            same,
            identical,
            complete,
            not_read,
            count: diff.count(),
            listed: diff.differences.len(),
            groups: diff.groups.iter().map(DiffGroupOutput::from).collect(),
            differences: diff
                .differences
                .iter()
                .map(DifferenceOutput::from)
                .collect(),
        }
    }
}

/// Numbers of differences of one kind of part.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "diff_group")]
struct DiffGroupOutput {
    what: &'static str,
    changed: u64,
    only_in_a: u64,
    only_in_b: u64,
}

impl From<&DiffGroup> for DiffGroupOutput {
    fn from(group: &DiffGroup) -> Self {
        let [only_in_a, only_in_b] = group.only_in;
        Self {
            what: group.what,
            changed: group.changed,
            only_in_a,
            only_in_b,
        }
    }
}

/// A part that differs between two files.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "difference")]
struct DifferenceOutput {
    what: &'static str,
    #[serde(rename = "where")]
    place: String,
    /// For each file, whether it has the part.
    #[serde(rename = "in")]
    is_in: [bool; 2],
    /// The position of the part in each file.
    at: [Option<String>; 2],
    /// The values of each field that differs, in both files.
    fields: BTreeMap<String, [Option<Value>; 2]>,
}

impl From<&Difference> for DifferenceOutput {
    fn from(difference: &Difference) -> Self {
        let fields = difference.fields.iter();
        Self {
            what: difference.what,
            place: difference.place.clone(),
            is_in: difference.is_in,
            at: difference.at.clone(),
            fields: fields
                .map(|field| (field.key.clone(), field.values.clone()))
                .collect(),
        }
    }
}

/// The object that `bench` prints for a file. Times are in milliseconds.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "bench")]
pub(super) struct BenchOutput {
    pub(super) file: String,
    pub(super) format: String,
    /// Total size of the file and of those it references.
    pub(super) bytes: u64,
    pub(super) size: [u32; 2],
    pub(super) adapter: String,
    /// Samples per pixel.
    pub(super) samples: u32,
    pub(super) open_ms: OpenTimes,
    pub(super) start_ms: StartTimes,
    /// Time from process start to the first frame.
    pub(super) first_frame_ms: f64,
    /// Time from process start to a frame with all content, if some was loaded later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) complete_ms: Option<f64>,
    pub(super) frames: u32,
    pub(super) ratios: Ratios,
    /// The requested view, or the first of all views.
    #[serde(flatten)]
    pub(super) view: ViewOutput,
    /// Each view, with `--all-views`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) views: Option<Vec<NamedViewOutput>>,
    pub(super) gpu_bytes: u64,
    pub(super) cpu_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) peak_bytes: Option<u64>,
    pub(super) target_bytes: u64,
    /// Number of models, with `--instances`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instances: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) palettes_ms: Option<PaletteTimes>,
}

/// The object that `diff --picture` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "picture_diff")]
pub(super) struct PictureDiffOutput {
    pub(super) a: String,
    pub(super) b: String,
    /// Width and height of each of the three images.
    pub(super) size: [u32; 2],
    /// Number of pixels that differ.
    pub(super) changed_px: u64,
}

/// The object that `bench --reload` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "reload")]
pub(super) struct ReloadOutput {
    pub(super) file: String,
    /// The file that was saved.
    pub(super) saved: String,
    pub(super) saves: u32,
    /// Times from closing the saved file to the presented frame.
    pub(super) reload_ms: FrameTimes,
}

/// Times of the steps of opening a file.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "open_ms")]
pub(super) struct OpenTimes {
    pub(super) read: f64,
    pub(super) parse: f64,
    pub(super) build: f64,
    pub(super) upload: f64,
}

/// Times from process start until a stage before the first frame.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "start_ms")]
pub(super) struct StartTimes {
    /// The file is open.
    pub(super) opened: f64,
    /// The device is ready.
    pub(super) device: f64,
    /// The initial content is uploaded.
    pub(super) uploaded: f64,
}

/// Times to create and upload the palettes of a crowd.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "palettes_ms")]
pub(super) struct PaletteTimes {
    pub(super) median: f64,
    pub(super) min: f64,
}

/// Figures as multiples of the baselines of the same run. Opening times are relative to a copy of
/// the bytes of all files, memory to the number of these bytes.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ratios")]
pub(super) struct Ratios {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) read: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parse: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) build: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) upload: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_frame: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frame: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frame_on_gpu: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<f64>,
}

/// The measurements of a view.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "measured_view")]
pub(super) struct ViewOutput {
    pub(super) frame_ms: FrameTimes,
    pub(super) floor_ms: FloorTimes,
    /// Null if the adapter has no timestamps.
    pub(super) gpu_ms: Option<GpuTimes>,
    pub(super) triangles: u64,
    pub(super) draw_calls: u32,
    pub(super) shadow_map: ShadowMapOutput,
}

/// The measurements of a view, with its name.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "named_view")]
pub(super) struct NamedViewOutput {
    pub(super) view: String,
    #[serde(flatten)]
    pub(super) measured: ViewOutput,
}

/// Times of frames.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "frame_ms")]
pub(super) struct FrameTimes {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

/// Times of baselines.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "floor_ms")]
pub(super) struct FloorTimes {
    /// An empty frame of a device that is ready.
    pub(super) clear: f64,
    /// A frame with one textured quad.
    pub(super) textured_quad: f64,
    /// A copy of the bytes of all files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) copy: Option<f64>,
    /// A device and an empty frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) empty_frame: Option<f64>,
}

/// Times of passes on the GPU.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "gpu_ms")]
pub(super) struct GpuTimes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reflection: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shadow_map: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frame: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) textured_quad: Option<f64>,
}

/// Draw calls and triangles of the shadow map.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "shadow_map")]
pub(super) struct ShadowMapOutput {
    pub(super) draw_calls: u32,
    pub(super) triangles: u64,
}

/// The report of `bench --suite`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "suite")]
pub(super) struct SuiteOutput {
    /// Version of the program.
    pub(super) mapscope: &'static str,
    pub(super) profile: Profile,
    pub(super) machine: MachineOutput,
    pub(super) adapter: Option<AdapterOutput>,
    pub(super) size: [u32; 2],
    pub(super) frames: u32,
    pub(super) rounds: usize,
    pub(super) files: Vec<SuiteFile>,
    pub(super) failed: Vec<Unreadable>,
}

/// How the program was built.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Profile {
    Debug,
    Release,
}

/// The measurements of a file of the suite.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "suite_file")]
pub(super) struct SuiteFile {
    #[serde(flatten)]
    pub(super) measured: BenchOutput,
    /// Size of the file, in its unit.
    pub(super) count: Option<u64>,
    pub(super) unit: &'static str,
}

/// The machine on which a report was made. Values that the system does not report are null.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "machine")]
pub(super) struct MachineOutput {
    pub(super) cpu: Option<String>,
    pub(super) threads: Option<usize>,
    pub(super) memory_bytes: Option<u64>,
    pub(super) os: String,
    pub(super) architecture: &'static str,
}
