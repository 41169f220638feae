//! Rules about files beside a file, and about problems that only appear when it is prepared for
//! drawing.

use mapscope_formats::{Place, Problem, Rule, Subject};

mapscope_formats::rules! {
    /// The text is UTF-16, which engines do not read.
    Error UTF16 = "file/utf-16", all is read;
    /// Lines end with CR alone, which engines do not accept as a line end.
    Error LINE_ENDS = "file/line-ends", all is read;
    /// A binary file was saved as UTF-8 text.
    Error UTF8 = "file/utf-8";
    /// A binary file was transferred as text, which inserts CR before every LF.
    Error TEXT_MODE = "file/text-mode";
    /// A symbolic link points to a missing file.
    Error DANGLING_LINK = "file/dangling-link", all is read;
    /// A symbolic link points outside the given folder and is ignored.
    Note OUTSIDE_LINK = "file/outside-link", all is read;
    /// A text file of another program has a known file extension and is ignored.
    Note FOREIGN = "file/foreign";
    /// No checked file refers to this one (`check --assets`).
    Note UNUSED_FILE = "asset/unused";
    /// A texture was not found; a placeholder is shown.
    Warning MISSING_TEXTURE = "texture/missing";
    /// A texture name is too long or points outside the asset root.
    Warning TEXTURE_NAME = "texture/name";
    /// A texture cannot be read; a placeholder is shown.
    Warning UNREADABLE_TEXTURE = "texture/unreadable";
    /// An image of a texture or skybox is truncated; the rest of it is shown.
    Warning TRUNCATED_IMAGE = "texture/truncated";
    /// The file has more or larger textures than Mapscope shows.
    Warning TEXTURE_LIMIT = "texture/limit";
    /// A skybox or one of its six images was not found; the default sky is shown.
    Warning MISSING_SKYBOX = "skybox/missing";
    /// A skybox path points outside the asset root.
    Warning SKYBOX_NAME = "skybox/name";
    /// A skybox image cannot be read; the default sky is shown.
    Warning UNREADABLE_SKYBOX = "skybox/unreadable";
    /// The images of a skybox are not square or differ in size; the default sky is shown.
    Warning SKYBOX_SIZE = "skybox/size";
    /// The declared bounds do not match the mesh.
    Warning BOUNDS_DIFFER = "pfobj/bounds-differ";
    /// A level of detail does not match its model (joints, clips, materials, triangles or bounds).
    Warning LOD = "pfobj/lod";
    /// A level of detail has errors or cannot be read.
    Warning BROKEN_LOD = "pfobj/broken-lod";
    /// A material is not used by any triangle.
    Note UNUSED_MODEL_MATERIAL = "pfobj/unused-material";
    /// A material is not used by any tile or visible splat.
    Note UNUSED_MATERIAL = "pfmap/unused-material";
    /// Ground units cannot reach a part of the ground from its largest part.
    Note UNREACHABLE_GROUND = "pfmap/unreachable-ground";
    /// A ramp faces away from the ground that it should join.
    Note REVERSED_RAMP = "pfmap/reversed-ramp";
    /// A ramp or corner tile has ramp height 0 and lies flat.
    Note SLOPE_WITHOUT_HEIGHT = "pfmap/slope-without-height";
    /// A slope does not meet its neighbouring tile.
    Note SEAM = "pfmap/seam";
    /// A movable entity stands where it cannot walk.
    Note STUCK_ENTITY = "pfscene/stuck-entity";
    /// A movable entity stands on a small island of ground that it cannot leave.
    Note CUT_OFF_ENTITY = "pfscene/cut-off-entity";
    /// A static entity extends across a cliff or the edge of the map.
    Note OVERHANG = "pfscene/overhang";
    /// Two entities have the same model, position and rotation.
    Warning DOUBLE_ENTITY = "pfscene/double-entity";
    /// An entity is many times larger or smaller than others with its model.
    Warning ODD_SCALE = "pfscene/odd-scale";
    /// A section, an attribute or a line of `general` has a name unknown to the engine.
    Note OTHER_NAME = "pfscene/other-name";
    /// The map of the scene is missing or cannot be read.
    Warning MISSING_MAP = "pfscene/missing-map";
    /// The map of the scene has errors or lacks textures; `check` reports them with the map's file.
    Warning BROKEN_MAP = "pfscene/broken-map";
    /// The model of an entity was not found.
    Error MISSING_MODEL = "pfscene/missing-model";
    /// A model path points outside the asset root.
    Error MODEL_PATH = "pfscene/model-path";
    /// The model of an entity cannot be read.
    Error UNREADABLE_MODEL = "pfscene/unreadable-model";
    /// A model has errors, or its textures are missing or broken; `check` reports them with the
    /// model's file.
    Warning BROKEN_MODEL = "pfscene/broken-model";
    /// The scene has more models than Mapscope shows.
    Error MODEL_LIMIT = "pfscene/model-limit";
    /// The model of an entity lacks its idle clip.
    Error IDLE_CLIP = "pfscene/idle-clip";
    /// An animated entity has no idle clip.
    Warning NO_IDLE_CLIP = "pfscene/no-idle-clip";
    /// A region is entirely outside the map.
    Warning REGION_OUTSIDE_MAP = "pfscene/region-outside-map";
    /// An entity is outside the map.
    Warning OUTSIDE_MAP = "pfscene/outside-map";
    /// An entity is above or below the ground.
    Warning OFF_GROUND = "pfscene/off-ground";
    /// The bind pose of a joint has scale 0.
    Warning FLAT_JOINT = "pfobj/flat-joint";
    /// Triangles are wound against their normals, so the engine shows them only from behind.
    Warning REVERSED_TRIANGLES = "pfobj/reversed-triangles";
    /// Nearly all normals point into the mesh, so the engine lights it from the wrong side.
    Warning FLIPPED_NORMALS = "pfobj/flipped-normals";
    /// Triangles are wound against their normals, so the engine shows them only from behind.
    Warning REVERSED_IN_P3M = "p3m/reversed-triangles";
    /// A material is not used by any triangle.
    Note UNUSED_IN_P3M = "p3m/unused-material";
    /// All triangles of a material have the same texture coordinates.
    Warning SAME_UV = "pfobj/same-uv";
    /// Texture coordinates of a material are far outside 0 to 1 and may be in pixels.
    Warning FAR_UV = "pfobj/far-uv";
    /// All frames of a clip are identical.
    Warning STILL_CLIP = "pfobj/still-clip";
    /// The mean normal of a triangle points behind it, but not all of its normals do.
    Note BENT_NORMALS = "pfobj/bent-normals";
    /// A PTF texture cannot be read, or not completely.
    Warning PTF = "pmf/texture";
    /// A PTF texture has unknown flags.
    Warning PTF_FLAGS = "pmf/texture-flags";
    /// Faces are left out because they share their vertices with many others.
    Warning SHARED_VERTICES = "pmf/shared-vertices";
    /// The tileset of the map is not named, missing or unreadable.
    Warning MISSING_TILESET = "ika/missing-tileset";
    /// The tileset of the map has problems.
    Warning TILESET = "ika/tileset";
    /// A tile number is outside the tileset.
    Warning TILE_NUMBER = "ika/tile-number";
    /// No container beside the map refers to it, so its tiles are unknown.
    Warning NO_CONTAINER = "ppe-map/no-container";
    /// A file of the container was not found.
    Warning MISSING_FILE = "xmf/missing-file";
    /// A file of the container cannot be read.
    Warning UNREADABLE_FILE = "xmf/unreadable-file";
    /// An image that should have a palette has none.
    Warning NO_PALETTE = "xmf/no-palette";
    /// The size of a layer does not match its map data.
    Warning LAYER_SIZE = "xmf/layer-size";
    /// A layer shares the cells of a layer that has none.
    Warning SHARED_CELLS = "xmf/shared-cells";
    /// The tiles are larger than Mapscope shows.
    Error TILE_SIZE = "xmf/tile-size";
    /// A tile is outside its sheet.
    Warning SHEET_PLACE = "xmf/sheet-place";
    /// A tile is not defined in any sheet.
    Warning UNDEFINED_TILE = "xmf/undefined-tile";
    /// A palette in use has too few colours.
    Warning PALETTE_COLORS = "xmf/palette-colors";
    /// The tiles have more images than Mapscope shows.
    Warning PICTURE_LIMIT = "xmf/picture-limit";
    /// The map has more cells, objects or pixels than Mapscope shows.
    Error LAYER_LIMIT = "xmf/layer-limit";
    /// A sprite image is missing, too large or outside its sheet.
    Warning SPRITE = "xmf/sprite";
}

/// A problem of a file as a whole.
pub(crate) fn of_file(rule: &'static Rule, message: &str) -> Problem {
    Problem::new(rule, Subject::File, Place::line(1), message)
}

/// A fault: the broken rule, and a message that explains why something cannot be shown.
pub(crate) type Fault = (&'static Rule, String);

/// `true` if the rule reports a missing file that another file names. The naming file itself is
/// intact.
pub fn is_missing_file(rule: &Rule) -> bool {
    let missing = [
        &MISSING_TEXTURE,
        &MISSING_SKYBOX,
        &MISSING_MAP,
        &MISSING_MODEL,
        &MISSING_TILESET,
        &MISSING_FILE,
    ];
    missing.iter().any(|missing| missing.id == rule.id)
}

/// `true` if the rule reports a damaged file that another file names, such as one that is only
/// half written.
pub fn is_damaged_file(rule: &Rule) -> bool {
    let damaged = [
        &UNREADABLE_TEXTURE,
        &TRUNCATED_IMAGE,
        &UNREADABLE_SKYBOX,
        &TILESET,
        &UNREADABLE_FILE,
    ];
    damaged.iter().any(|damaged| damaged.id == rule.id)
}

/// `true` if the rule concerns a level of detail, whose own file reports the same problem.
pub(crate) fn is_of_lod(rule: &Rule) -> bool {
    [&LOD, &BROKEN_LOD]
        .iter()
        .any(|of_lod| of_lod.id == rule.id)
}

/// `true` if the rule concerns the content of the file itself, rather than files beside it or data
/// derived from it.
pub(crate) fn is_of_file(rule: &Rule) -> bool {
    let mut rules = mapscope_formats::rules().chain([&LAYER_LIMIT]);
    rules.any(|of_file| of_file.id == rule.id)
}

/// All rules: those of the formats, and those of related files and derived data.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    mapscope_formats::rules().chain(RULES.iter().copied())
}
