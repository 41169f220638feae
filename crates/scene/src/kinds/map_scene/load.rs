//! Finds and reads the files of a scene in parallel: its map with textures, and its models, whose
//! textures are only located.

use super::MapScene;
use super::build::{check_models, skybox_place};
use crate::{Deferred, Pending};
use bytes::Bytes;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::build::sun;
use crate::assets::{
    AssetError, Assets, DeferredTextures, LEADS_OUT, LoadedSkybox, LookUp, Reusable,
    SharedTextures, leads_out,
};
use crate::core::parallel::{in_parallel, in_parallel_reported};
use crate::core::rules::{self, Fault};
use crate::kinds::model::{Materials, Model};
use crate::kinds::terrain::Terrain;
use crate::{
    About, Document as _, Environment, MapChoice, OpenError, OpenOptions, Progress, Source,
};
use mapscope_formats::pfmap::{self, Pfmap};
use mapscope_formats::pfobj::Pfobj;
use mapscope_formats::{Problem, Problems, pfscene, quoted_path};

/// Maximum number of models read for a scene. The engine's demo names 40; a corrupt file may name
/// any number.
const MAX_MODELS: usize = 2_000;
/// Maximum bytes of a model file.
const MAX_MODEL_BYTES: u64 = 256 << 20;
/// Maximum number of maps of a folder that are offered.
const MAX_MAPS: usize = 64;
/// Bytes of a map in which its header is looked for; the engine's demo needs 400.
const HEAD_BYTES: u64 = 4096;

/// The models of open scenes, by their real paths, with the folders in which their textures were
/// looked for.
static KNOWN_MODELS: Reusable<Model, Vec<PathBuf>> = Reusable::new();

/// Shares of a load; parsing the scene is the first half.
const MAP: [f32; 2] = [0.5, 0.9];
const MODELS: [f32; 2] = [0.5, 0.95];

/// A candidate for the map of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapFile {
    /// The file.
    pub path: PathBuf,
    /// Rows and columns of chunks; `None` if its header does not state them.
    pub chunks: Option<[u64; 2]>,
}

impl MapFile {
    /// Its size as display text, such as `4 x 4 chunks`.
    pub fn size(&self) -> String {
        match self.chunks {
            Some([rows, cols]) => format!("{rows} x {cols} chunks"),
            None => "size unknown".to_owned(),
        }
    }
}

/// The maps in the folder of a scene, sorted by name, at most 64.
pub fn maps_beside(scene: &Path) -> Vec<MapFile> {
    let folder = match scene.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_inside = |path: &PathBuf| is_map(path) && !leads_out(scene, path);
    let mut paths: Vec<PathBuf> = paths.filter(is_inside).collect();
    paths.sort_unstable();
    paths.truncate(MAX_MAPS);
    let file = |path: PathBuf| MapFile {
        chunks: chunks(&path),
        path,
    };
    paths.into_iter().map(file).collect()
}

fn is_map(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let endings = pfmap::FORMAT.endings;
    ending.is_some_and(|ending| endings.iter().any(|e| ending.eq_ignore_ascii_case(e)))
        && path.is_file()
}

fn chunks(path: &Path) -> Option<[u64; 2]> {
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    file.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    pfmap::chunks(&head)
}

/// The loaded files of a scene.
pub(super) struct Loaded {
    /// The map and its file.
    pub(super) map: Option<(PathBuf, Arc<Terrain>)>,
    /// The actual or expected path of the map.
    pub(super) map_path: Option<PathBuf>,
    /// The reason for a missing map, if one was looked for.
    pub(super) map_fault: Option<String>,
    /// The problem of a map in which nothing can be shown.
    pub(super) refused_map: Option<Problem>,
    /// One for each name.
    pub(super) models: Vec<LoadedModel>,
    /// Its sky.
    pub(super) skybox: LoadedSkybox,
    /// The textures of the models, not read yet.
    pub(super) textures: DeferredTextures,
    /// Files that were found or looked for, possibly with duplicates.
    pub(super) dependencies: Vec<PathBuf>,
}

/// The result of looking up and reading a model.
pub(super) struct LoadedModel {
    pub(super) file: Option<PathBuf>,
    pub(super) model: Result<Arc<Model>, Unread>,
}

/// Reason why a model was not read.
#[derive(Debug, Clone)]
pub(super) struct Unread {
    /// The problem of the scene.
    pub(super) fault: Fault,
    /// The problem of the model's own file, if that was found and nothing in it can be shown.
    pub(super) refused: Option<Box<Problem>>,
}

impl From<Fault> for Unread {
    fn from(fault: Fault) -> Self {
        let refused = None;
        Self { fault, refused }
    }
}

/// Finds and reads the map of a scene with the scene's light, the models of these names, and the
/// scene's skybox or else the game's.
///
/// # Errors
/// Only if the load is cancelled.
pub(super) fn load(
    names: &[&str],
    general: &pfscene::General,
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Loaded, OpenError> {
    let began = SystemTime::now();
    let mut dependencies = Vec::new();
    let assets = Assets::for_environment(source, options);
    let mut skybox = match &general.skybox {
        Some(it) => assets.skybox(&it.value.folder, &it.value.extension),
        None => assets.default_skybox(),
    };
    let (map, models) = std::thread::scope(|scope| {
        let map = scope.spawn(|| load_map(general, source, options, &progress.part(MAP)));
        let models = parse_models(names, source, options, progress);
        (map.join(), models)
    });
    // The models get the budget that the map leaves, whichever was read first.
    let (models, textures) =
        build_models(models?, names, options, progress, &mut dependencies, began)?;
    if options.checks_textures {
        textures.complete(&|| progress.check().is_ok(), &|| {});
        progress.check()?;
    }
    dependencies.append(&mut skybox.candidates);
    progress.check()?;
    let map = map.unwrap_or_else(|_panic| {
        let error = std::io::Error::other("Mapscope failed while reading it");
        let (path, source) = (PathBuf::new(), error);
        (None, Err(OpenError::Read { path, source }))
    });
    let map_path = map.0.clone();
    let refused_map = match &map {
        (_, Err(error)) => refused(error),
        _ => None,
    };
    let (map, map_fault) = match map {
        (Some(path), Ok(terrain)) => {
            dependencies.extend(terrain.about().dependencies.iter().cloned());
            dependencies.push(path.clone());
            (Some((path, terrain)), None)
        }
        (Some(path), Err(error)) => {
            dependencies.push(path);
            (None, Some(map_fault(source, options, &error)))
        }
        (None, _) => (None, None),
    };
    Ok(Loaded {
        map,
        map_path,
        map_fault,
        refused_map,
        models,
        skybox,
        textures,
        dependencies,
    })
}

/// The map's path, unless the scene has no map, and its contents.
fn load_map(
    general: &pfscene::General,
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> (Option<PathBuf>, Result<Arc<Terrain>, OpenError>) {
    let path = match &options.map {
        MapChoice::Beside => source.path.with_extension(pfmap::FORMAT.endings[0]),
        MapChoice::File(path) => path.clone(),
        MapChoice::Nowhere => return (None, Err(OpenError::Cancelled)),
    };
    let mut embedded = source.embedded.iter();
    let read = match embedded.find(|(name, _)| Path::new(name) == path) {
        Some((_, bytes)) => Ok(Source {
            path: path.clone(),
            bytes: Bytes::from_static(bytes),
            embedded: source.embedded,
            archive: None,
        }),
        // A map that the user named may be anywhere.
        None if options.map == MapChoice::Beside && leads_out(&source.path, &path) => {
            let source = std::io::Error::other(LEADS_OUT);
            let path = path.clone();
            Err(OpenError::Read { path, source })
        }
        None => Source::read(&path),
    };
    let terrain = read.and_then(|source| {
        options.budget.add_file(source.bytes.len());
        let parsed = source.parse::<Pfmap>(progress)?;
        let environment = Environment {
            sun: sun(general),
            skybox: None,
        };
        Ok(Arc::new(Terrain::build_in(
            environment,
            parsed,
            &source,
            options,
            progress,
        )?))
    });
    (Some(path), terrain)
}

/// The reason for a missing map, with a list of candidates.
fn map_fault(source: &Source, options: &OpenOptions, error: &OpenError) -> String {
    let fault = format!("no map, so the scene is shown without one: {error}");
    let is_missing =
        matches!(error, OpenError::Read { source, .. } if source.kind() == ErrorKind::NotFound);
    if !is_missing || options.map != MapChoice::Beside || !source.embedded.is_empty() {
        return fault;
    }
    let maps = maps_beside(&source.path);
    let names = maps.iter().map(|map| {
        let name = map.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{} ({})", quoted_path(&name), map.size())
    });
    match names.collect::<Vec<_>>().as_slice() {
        [] => fault,
        names => format!("{fault}; select one with `--map`: {}", names.join(", ")),
    }
}

/// A model that was looked up and parsed.
struct Parsed {
    file: Option<PathBuf>,
    candidates: Vec<PathBuf>,
    /// Its contents.
    contents: Result<Contents<(Source, Pfobj)>, Unread>,
}

/// The contents of a model.
enum Contents<New> {
    /// An open scene has it.
    Reused(Arc<Model>),
    New(New),
}

/// The model of a file, as an open scene has it.
fn reused(name: &str, assets: &Assets, options: &OpenOptions) -> Option<Arc<Model>> {
    let found = assets.locate(name).ok()?;
    let (model, folders) = KNOWN_MODELS.get(&found.identity)?;
    let is_same = found.path.as_deref() == Some(model.path())
        && folders == options.texture_folders
        && model.has_all_textures();
    (is_same && !options.checks_textures).then_some(model)
}

/// Makes a model known to later scenes.
fn keep(model: &Arc<Model>, options: &OpenOptions, began: SystemTime) {
    if let Ok(file) = model.path().canonicalize().as_ref() {
        let files = [vec![file.clone()], model.about().dependencies.clone()].concat();
        let value = (model, options.texture_folders.clone());
        KNOWN_MODELS.put(file.clone(), value, files, began);
    }
}

fn parse_models(
    names: &[&str],
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Vec<Parsed>, OpenError> {
    let assets = Assets::new(source, options, LookUp::AssetRoot);
    in_parallel(names.len(), progress, |index| {
        if index >= MAX_MODELS {
            let message = format!("more than {MAX_MODELS} models; this one is ignored");
            return Parsed {
                file: None,
                candidates: Vec::new(),
                contents: Err((&rules::MODEL_LIMIT, message).into()),
            };
        }
        let name = names[index];
        if let Some(model) = reused(name, &assets, options) {
            return Parsed {
                file: Some(model.path().to_owned()),
                candidates: Vec::new(),
                contents: Ok(Contents::Reused(model)),
            };
        }
        let file = assets.read_up_to(name, MAX_MODEL_BYTES);
        let bytes = file.bytes.map_err(|error| fault(name, &error));
        let pfobj = bytes.and_then(|bytes| {
            let source = Source {
                path: file.path.clone().unwrap_or_else(|| name.into()),
                bytes,
                embedded: source.embedded,
                archive: source
                    .archive
                    .as_ref()
                    .and_then(|it| it.of(file.path.as_deref()?)),
            };
            let pfobj = source.parse::<Pfobj>(&progress.silent());
            let pfobj = pfobj.map_err(|error| unreadable(name, &error))?;
            Ok(Contents::New((source, pfobj)))
        });
        Parsed {
            file: file.path,
            candidates: file.candidates,
            contents: pfobj,
        }
    })
}

/// Builds the models. All are parsed before, so that shared textures are known and exist once. The
/// textures are read after the scene is opened.
fn build_models(
    parsed: Vec<Parsed>,
    names: &[&str],
    options: &OpenOptions,
    progress: &Progress,
    dependencies: &mut Vec<PathBuf>,
    began: SystemTime,
) -> Result<(Vec<LoadedModel>, DeferredTextures), OpenError> {
    // Sequential, so that the texture of a file always comes from the first model that names it.
    let shared = SharedTextures::default();
    let found: Vec<_> = parsed
        .into_iter()
        .map(
            |Parsed {
                 file,
                 candidates,
                 contents,
             }| {
                dependencies.extend(candidates);
                let contents = contents.map(|contents| match contents {
                    Contents::Reused(model) => Contents::Reused(model),
                    Contents::New((source, pfobj)) => {
                        options.budget.add_file(source.bytes.len());
                        let materials = Materials::find(&pfobj, &source, options, &shared);
                        Contents::New(Mutex::new(Some((source, pfobj, materials))))
                    }
                });
                (file, contents)
            },
        )
        .collect();
    let models = in_parallel_reported(found.len(), &progress.part(MODELS), |index| {
        let unreadable = |error| unreadable(names[index], &error);
        let parts = match found[index].1.as_ref().map_err(Clone::clone)? {
            Contents::Reused(model) => return Ok(Arc::clone(model)),
            Contents::New(parts) => parts.lock().unwrap_or_else(PoisonError::into_inner).take(),
        };
        let (source, pfobj, materials) = parts.ok_or(OpenError::Cancelled).map_err(unreadable)?;
        let model = Model::build_with(pfobj, &source, materials, &progress.silent());
        let model = Arc::new(model.map_err(unreadable)?);
        keep(&model, options, began);
        Ok(model)
    })?;
    let loaded = found.into_iter().zip(models).map(|((file, _), model)| {
        if let Ok(model) = &model {
            dependencies.extend(model.about().dependencies.iter().cloned());
        }
        LoadedModel { file, model }
    });
    Ok((loaded.collect(), shared.into_list()))
}

/// Explains why a model that was found cannot be read. It uses the path that the scene names, since
/// the problems of the file itself are reported elsewhere.
fn unreadable(name: &str, error: &OpenError) -> Unread {
    let why = match error {
        OpenError::Refused { problem, .. } => format!("{}: {}", problem.place, problem.message),
        error => error.to_string(),
    };
    let name = quoted_path(name);
    let message = format!("the model {name} cannot be read: {why}");
    Unread {
        fault: (&rules::UNREADABLE_MODEL, message),
        refused: refused(error).map(Box::new),
    }
}

/// The problem of a file in which nothing can be shown.
fn refused(error: &OpenError) -> Option<Problem> {
    match error {
        OpenError::Refused { problem, .. } => Some((**problem).clone()),
        _ => None,
    }
}

/// The reason why a model was not read.
fn fault(name: &str, error: &AssetError) -> Unread {
    let rule = match error {
        AssetError::Refused { .. } => &rules::MODEL_PATH,
        AssetError::Missing { .. } => &rules::MISSING_MODEL,
        AssetError::Unreadable(_) => &rules::UNREADABLE_MODEL,
    };
    let message = match error {
        AssetError::Unreadable(why) => {
            format!("the model {} cannot be read: {why}", quoted_path(name))
        }
        error => format!("model {error}"),
    };
    (rule, message).into()
}

impl MapScene {
    /// The metadata with the faults of textures that were read after opening, if there are any.
    fn about_with_textures(&self) -> Option<About> {
        let mut found = Problems::new();
        check_models(&self.pfscene, &self.models, &mut found);
        let mut about = self.about.clone();
        let is_other = |problem: &Problem| problem.rule.id != rules::BROKEN_MODEL.id;
        about.problems.retain(is_other);
        about.problems.extend(found.finish());
        about.problems.sort_by_key(|problem| problem.place);
        (about.problems != self.about.problems).then_some(about)
    }
}

impl Deferred for MapScene {
    fn revision(&self) -> u64 {
        let terrain = self.terrain().map_or(0, |terrain| terrain.revision());
        terrain + self.textures.read_count() as u64 + self.environment.revision()
    }

    fn pending(&self) -> Option<Pending> {
        let of_terrain = self.terrain().and_then(|terrain| terrain.pending());
        let of_models = of_terrain.or_else(|| self.textures.pending());
        of_models.or_else(|| self.environment.pending())
    }

    fn load(&self, keep_going: &(dyn Fn() -> bool + Sync), on_part: &(dyn Fn() + Sync)) {
        if let Some(terrain) = self.terrain() {
            terrain.load(keep_going, on_part);
        }
        self.textures.complete(keep_going, on_part);
        let with_textures = self.about_with_textures().filter(|_| keep_going());
        let about = with_textures.as_ref().unwrap_or(&self.about);
        let place = skybox_place(&self.pfscene);
        self.environment
            .complete(about, &self.whole_about, place, keep_going, on_part);
        if let Some(about) = with_textures {
            self.whole_about.get_or_init(|| about);
        }
    }

    fn bytes(&self) -> u64 {
        let of_terrain = self.terrain().map(|terrain| terrain.bytes());
        let of_models = of_terrain.unwrap_or_default() + self.textures.cpu_bytes();
        of_models + self.environment.cpu_bytes()
    }
}
