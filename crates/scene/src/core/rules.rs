//! Rules about files beside a file, and about problems that only appear when it is prepared for
//! drawing.

use mapscope_formats::{Place, Problem, Rule, Subject};

mapscope_formats::rules! {
    /// The text is in UTF-16, which engines do not read.
    Error UTF16 = "file/utf-16", all is read;
    /// The lines of a text end with CR alone, which engines do not take for a line end.
    Error LINE_ENDS = "file/line-ends", all is read;
    /// A binary file was saved as UTF-8 text.
    Error UTF8 = "file/utf-8";
    /// A binary file was transferred as text, which puts CR before every LF.
    Error TEXT_MODE = "file/text-mode";
    /// A symbolic link in a folder leads to nothing.
    Error DANGLING_LINK = "file/dangling-link", all is read;
    /// A symbolic link in a folder leads out of the folder that was named; it is not followed.
    Note OUTSIDE_LINK = "file/outside-link", all is read;
    /// A file in a folder is text of another program, which uses the same file extension; it is skipped.
    Note FOREIGN = "file/foreign";
    /// No file below the folders that were checked names this one (`check --assets`).
    Note UNUSED_FILE = "asset/unused";
    /// A texture was not found; a placeholder is shown.
    Warning MISSING_TEXTURE = "texture/missing";
    /// The name of a texture leads out of the asset root, or is too long.
    Warning TEXTURE_NAME = "texture/name";
    /// A texture cannot be read; a placeholder is shown.
    Warning UNREADABLE_TEXTURE = "texture/unreadable";
    /// An image of a texture or of a skybox ends too early; what there is of it is shown.
    Warning TRUNCATED_IMAGE = "texture/truncated";
    /// There are more textures, or larger ones, than are shown.
    Warning TEXTURE_LIMIT = "texture/limit";
    /// A skybox, or one of its six images, was not found; Mapscope's own sky is shown.
    Warning MISSING_SKYBOX = "skybox/missing";
    /// The path of a skybox leads out of the asset root.
    Warning SKYBOX_NAME = "skybox/name";
    /// An image of a skybox cannot be read; Mapscope's own sky is shown.
    Warning UNREADABLE_SKYBOX = "skybox/unreadable";
    /// The images of a skybox are not square, or not all of one size; Mapscope's own sky is shown.
    Warning SKYBOX_SIZE = "skybox/size";
    /// The declared bounds differ from those of the mesh.
    Warning BOUNDS_DIFFER = "pfobj/bounds-differ";
    /// A level of detail does not fit its model: it has other joints, clips or materials, more
    /// triangles, or bounds far from those of the model.
    Warning LOD = "pfobj/lod";
    /// A level of detail cannot be read, or has errors of its own.
    Warning BROKEN_LOD = "pfobj/broken-lod";
    /// No triangle has a material.
    Note UNUSED_MODEL_MATERIAL = "pfobj/unused-material";
    /// No tile names a material, and no splat that is seen does.
    Note UNUSED_MATERIAL = "pfmap/unused-material";
    /// Ground units cannot get to a part of the ground from its largest part.
    Note UNREACHABLE_GROUND = "pfmap/unreachable-ground";
    /// A ramp faces away from the ground that it would join if it were turned around.
    Note REVERSED_RAMP = "pfmap/reversed-ramp";
    /// A ramp or corner tile has ramp height 0, so that it lies flat.
    Note SLOPE_WITHOUT_HEIGHT = "pfmap/slope-without-height";
    /// A slope does not meet the tile beside it.
    Note SEAM = "pfmap/seam";
    /// An entity that can move stands where ground units cannot walk, or one that walks in water.
    Note STUCK_ENTITY = "pfscene/stuck-entity";
    /// An entity that can move stands on a small island of ground, which it cannot leave.
    Note CUT_OFF_ENTITY = "pfscene/cut-off-entity";
    /// A static entity stands across a cliff or the edge of the map.
    Note OVERHANG = "pfscene/overhang";
    /// Two entities have the same model, place and angle.
    Warning DOUBLE_ENTITY = "pfscene/double-entity";
    /// An entity is many times as large or as small as others of its model.
    Warning ODD_SCALE = "pfscene/odd-scale";
    /// A section, a line of `general` or an attribute has a name that the engine does not know.
    Note OTHER_NAME = "pfscene/other-name";
    /// The scene has no map beside it, or the map cannot be read.
    Warning MISSING_MAP = "pfscene/missing-map";
    /// The map of a scene has errors of its own, or lacks textures. `check` reports each of its problems with the
    /// map's file.
    Warning BROKEN_MAP = "pfscene/broken-map";
    /// The model of an entity was not found.
    Error MISSING_MODEL = "pfscene/missing-model";
    /// The path of a model leads out of the asset root.
    Error MODEL_PATH = "pfscene/model-path";
    /// The model of an entity cannot be read.
    Error UNREADABLE_MODEL = "pfscene/unreadable-model";
    /// A model of a scene has errors of its own, or textures that are missing or, which only `check`
    /// looks for, broken; the place is where it is first named. `check` reports each of its problems with the
    /// model's file.
    Warning BROKEN_MODEL = "pfscene/broken-model";
    /// There are more models than are shown.
    Error MODEL_LIMIT = "pfscene/model-limit";
    /// The model of an entity does not have its idle clip.
    Error IDLE_CLIP = "pfscene/idle-clip";
    /// An entity is animated, but no idle clip is named.
    Warning NO_IDLE_CLIP = "pfscene/no-idle-clip";
    /// No part of a region is on the map.
    Warning REGION_OUTSIDE_MAP = "pfscene/region-outside-map";
    /// An entity is outside the map.
    Warning OUTSIDE_MAP = "pfscene/outside-map";
    /// An entity does not stand on the ground.
    Warning OFF_GROUND = "pfscene/off-ground";
    /// The bind pose of a joint scales to nothing.
    Warning FLAT_JOINT = "pfobj/flat-joint";
    /// The winding of triangles contradicts their normals: the engine shows them from behind only.
    Warning REVERSED_TRIANGLES = "pfobj/reversed-triangles";
    /// Nearly all normals point into the mesh, whose winding is right: the engine lights it from the wrong
    /// side.
    Warning FLIPPED_NORMALS = "pfobj/flipped-normals";
    /// All triangles of a material have the same texture coordinates, and those cannot be a colour of a palette.
    Warning SAME_UV = "pfobj/same-uv";
    /// Texture coordinates of a material are so far outside 0 to 1 that they may be in pixels.
    Warning FAR_UV = "pfobj/far-uv";
    /// All frames of a clip are the same.
    Warning STILL_CLIP = "pfobj/still-clip";
    /// The normals of a triangle point behind it on average, but not each of them.
    Note BENT_NORMALS = "pfobj/bent-normals";
    /// A texture in PTF has flags without meaning.
    Warning PTF_FLAGS = "pmf/texture-flags";
    /// Faces are left out since they share their vertices with many others.
    Warning SHARED_VERTICES = "pmf/shared-vertices";
    /// The map names no tileset, or it was not found or cannot be read.
    Warning MISSING_TILESET = "ika/missing-tileset";
    /// Something is wrong with the tileset of a map.
    Warning TILESET = "ika/tileset";
    /// A tile number is not in the tileset.
    Warning TILE_NUMBER = "ika/tile-number";
    /// No container beside the map names it, so that its tiles are not known.
    Warning NO_CONTAINER = "ppe-map/no-container";
    /// A file that the container names was not found.
    Warning MISSING_FILE = "xmf/missing-file";
    /// A file that the container names cannot be read.
    Warning UNREADABLE_FILE = "xmf/unreadable-file";
    /// A picture that should bring a palette has none.
    Warning NO_PALETTE = "xmf/no-palette";
    /// A layer has another size than its map data.
    Warning LAYER_SIZE = "xmf/layer-size";
    /// A layer shares cells that no layer has.
    Warning SHARED_CELLS = "xmf/shared-cells";
    /// Tiles are larger than are shown.
    Error TILE_SIZE = "xmf/tile-size";
    /// A tile is at a place that its sheet does not have.
    Warning SHEET_PLACE = "xmf/sheet-place";
    /// A tile is used that is in no sheet.
    Warning UNDEFINED_TILE = "xmf/undefined-tile";
    /// The map has no colours for a palette that is used.
    Warning PALETTE_COLORS = "xmf/palette-colors";
    /// Tiles have more pictures, in all their palettes, than are shown.
    Warning PICTURE_LIMIT = "xmf/picture-limit";
    /// There are more cells, objects or pixels than are shown.
    Error LAYER_LIMIT = "xmf/layer-limit";
    /// The picture of a sprite does not exist, or is outside its sheet or too large.
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
