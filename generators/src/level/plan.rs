//! The plan of the bath house: its objects, in metres.
//!
//! X is right, Y up, Z ahead. Everything is on a grid of a quarter of a metre. Later boxes replace
//! earlier ones.

/// A position.
pub(crate) type Point = [f32; 3];

/// A box by its minimum and its maximum corner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room(pub(crate) Point, pub(crate) Point);

/// Size of the level: two chunks, one beside the other.
pub(crate) const CHUNK_METRES: f32 = 16.0;
pub(crate) const CHUNKS: [u32; 3] = [1, 2, 1];
/// The minimum corner of the first chunk, whose centre is the origin.
pub(crate) const LEAST: Point = [-8.0, -8.0, -8.0];

/// Rooms, each with its own lightmaps in each chunk. A face belongs to the first room that it
/// faces.
pub(crate) const ROOMS: [(&str, Room); 6] = [
    ("pool", Room([4.5, -6.5, -3.5], [14.5, -4.5, 3.5])),
    ("vestibule", Room([-7.5, -4.5, -7.0], [1.5, -0.5, 7.0])),
    ("gallery", Room([-7.5, -0.5, -7.5], [1.25, 4.5, 7.5])),
    ("hall", Room([1.25, -4.5, -7.5], [17.5, 6.0, 7.5])),
    ("garden", Room([17.5, -8.0, -8.0], [24.0, 5.9, 8.0])),
    ("roof", Room([-9.0, -9.0, -9.0], [25.0, 9.0, 9.0])),
];

/// The substance of a box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) name: &'static str,
    /// Materials of its sides: +X, +Y, +Z, -X, -Y, -Z.
    pub(crate) sides: [&'static str; 6],
    /// Its physics material.
    pub(crate) physics: &'static str,
    /// Its sound material.
    pub(crate) sound: &'static str,
}

const fn plain(name: &'static str, physics: &'static str, sound: &'static str) -> Block {
    sides(name, [name; 6], physics, sound)
}

const fn sides(
    name: &'static str,
    sides: [&'static str; 6],
    physics: &'static str,
    sound: &'static str,
) -> Block {
    Block {
        name,
        sides,
        physics,
        sound,
    }
}

/// Sides with a different top and bottom.
const fn layered(
    name: &'static str,
    [top, side, bottom]: [&'static str; 3],
    physics: &'static str,
    sound: &'static str,
) -> Block {
    sides(name, [side, top, side, side, bottom, side], physics, sound)
}

/// All substances of boxes.
pub(crate) const BLOCKS: &[Block] = &[
    layered("floor", ["marble", "stone", "stone"], "stone", "hard"),
    layered("lawn", ["grass", "stone", "stone"], "soft", "soft"),
    plain("paving", "stone", "hard"),
    plain("plaster", "stone", "hard"),
    layered("roof", ["slate", "plaster", "planks"], "stone", "hard"),
    layered("gallery", ["planks", "plaster", "plaster"], "wood", "soft"),
    // Tiles toward the bathers, plaster toward the garden.
    sides(
        "window wall",
        ["plaster", "glazed", "glazed", "glazed", "glazed", "glazed"],
        "stone",
        "hard",
    ),
    plain("glazed", "stone", "hard"),
    plain("band", "stone", "hard"),
    plain("mosaic", "wet stone", "hard"),
    layered("coping", ["stone", "mosaic", "mosaic"], "wet stone", "hard"),
    layered("step", ["marble", "stone", "stone"], "stone", "hard"),
    layered("parapet", ["stone", "plaster", "plaster"], "stone", "hard"),
    plain("timber", "wood", "soft"),
    layered("bench", ["planks", "stone", "stone"], "wood", "soft"),
    plain("stone", "stone", "hard"),
    plain("brass", "stone", "hard"),
    plain("lattice", "wood", "soft"),
    plain("cloth", "soft", "soft"),
    plain("leaves", "soft", "soft"),
    plain("clay", "stone", "hard"),
    plain("water", "water", "wet"),
    plain("amber glass", "glass", "hard"),
    plain("rose glass", "glass", "hard"),
    plain("clear glass", "glass", "hard"),
    plain("lamp", "glass", "hard"),
    plain("pool lamp", "glass", "hard"),
    plain("sunbeam", "light", "soft"),
    sides(
        "sign",
        ["sign", "timber", "timber", "timber", "timber", "timber"],
        "wood",
        "soft",
    ),
    plain("rose lamp", "glass", "hard"),
];

/// The name of air, which carves out space.
pub(crate) const AIR: &str = "air";

/// A box filled with a block or with air.
pub(crate) struct Fill(pub(crate) &'static str, pub(crate) Point, pub(crate) Point);

/// The boxes, from the ground up.
pub(crate) const FILLS: &[Fill] = &[
    // The ground, and the solid house, out of which the rooms are carved.
    Fill("floor", [-8.0, -8.0, -8.0], [18.0, -4.0, 8.0]),
    Fill("lawn", [18.0, -8.0, -8.0], [24.0, -4.0, 8.0]),
    Fill("paving", [18.0, -5.0, -2.0], [20.0, -4.0, 2.0]),
    Fill("plaster", [-8.0, -4.0, -8.0], [18.0, 4.0, 8.0]),
    Fill("roof", [-8.0, 4.0, -8.0], [18.0, 6.0, 8.0]),
    // The hall, with tiles up to the height of splashes and a band above them.
    Fill("glazed", [1.0, -4.0, 7.0], [17.0, -2.0, 8.0]),
    Fill("glazed", [1.0, -4.0, -8.0], [17.0, -2.0, -7.0]),
    Fill("window wall", [17.0, -4.0, -8.0], [18.0, -2.0, 8.0]),
    Fill("band", [2.0, -2.0, 7.0], [17.0, -1.5, 7.5]),
    Fill("band", [2.0, -2.0, -7.5], [17.0, -1.5, -7.0]),
    Fill("band", [17.0, -2.0, -7.0], [17.5, -1.5, 7.0]),
    Fill(AIR, [2.0, -4.0, -7.0], [17.0, 4.0, 7.0]),
    // The vestibule, the gallery over it, and the arch into the hall.
    Fill(AIR, [-7.0, -4.0, -5.0], [1.0, -1.0, 5.0]),
    Fill("gallery", [-7.0, -1.0, -7.0], [2.0, 0.0, 7.0]),
    Fill(AIR, [-7.0, 0.0, -7.0], [2.0, 4.0, 7.0]),
    Fill(AIR, [1.0, -4.0, -1.5], [2.0, -1.5, 1.5]),
    // Windows to the garden, to the sides, and of the gallery and the vestibule.
    Fill(AIR, [17.0, -3.0, 3.0], [18.0, 2.0, 5.0]),
    Fill(AIR, [17.0, -4.0, -1.0], [18.0, 2.0, 1.0]),
    Fill(AIR, [17.0, -3.0, -5.0], [18.0, 2.0, -3.0]),
    Fill(AIR, [6.0, -1.0, 7.0], [7.0, 2.0, 8.0]),
    Fill(AIR, [12.0, -1.0, 7.0], [13.0, 2.0, 8.0]),
    Fill(AIR, [12.0, -1.0, -8.0], [13.0, 2.0, -7.0]),
    Fill(AIR, [-5.0, 1.0, 7.0], [-3.0, 3.0, 8.0]),
    Fill(AIR, [-5.0, 1.0, -8.0], [-3.0, 3.0, -7.0]),
    Fill(AIR, [-8.0, -3.0, 2.0], [-7.0, -2.0, 4.0]),
    // The timber front door.
    Fill("timber", [-7.5, -4.0, -1.0], [-7.0, -1.5, 1.0]),
    // The skylight.
    Fill(AIR, [7.0, 4.0, -3.0], [13.0, 5.0, 3.0]),
    Fill(AIR, [8.0, 5.0, -2.0], [12.0, 6.0, 2.0]),
    // The pool: lined with mosaic, with steps at its end, lamps in its walls, and water.
    Fill("mosaic", [4.0, -7.0, -4.0], [15.0, -4.5, 4.0]),
    Fill(AIR, [5.0, -6.0, -3.0], [14.0, -4.0, 3.0]),
    Fill("mosaic", [12.0, -6.0, -3.0], [14.0, -5.5, 3.0]),
    Fill("mosaic", [13.0, -5.5, -3.0], [14.0, -5.0, 3.0]),
    Fill("water", [5.0, -6.0, -3.0], [12.0, -5.0, 3.0]),
    Fill("water", [12.0, -5.5, -3.0], [13.0, -5.0, 3.0]),
    Fill("pool lamp", [6.5, -5.5, 3.0], [7.5, -5.0, 3.5]),
    Fill("pool lamp", [10.5, -5.5, 3.0], [11.5, -5.0, 3.5]),
    Fill("pool lamp", [6.5, -5.5, -3.5], [7.5, -5.0, -3.0]),
    Fill("pool lamp", [10.5, -5.5, -3.5], [11.5, -5.0, -3.0]),
    // Space for the bevelled coping around it.
    Fill(AIR, [4.5, -4.5, -3.5], [14.5, -4.0, -3.0]),
    Fill(AIR, [4.5, -4.5, 3.0], [14.5, -4.0, 3.5]),
    Fill(AIR, [4.5, -4.5, -3.0], [5.0, -4.0, 3.0]),
    Fill(AIR, [14.0, -4.5, -3.0], [14.5, -4.0, 3.0]),
    // Benches.
    Fill("bench", [7.0, -4.0, 6.5], [16.0, -3.5, 7.0]),
    Fill("bench", [-7.0, -4.0, 4.5], [-1.0, -3.5, 5.0]),
    // The counter of the vestibule, and shelves for shoes.
    Fill("timber", [-4.0, -4.0, -4.0], [-1.0, -3.0, -3.5]),
    Fill("stone", [-4.0, -3.0, -4.0], [-1.0, -2.75, -3.5]),
    // The garden's wall.
    Fill("leaves", [23.0, -4.0, -8.0], [24.0, -2.5, 8.0]),
];

/// Brass letters on the wall over the windows, a cube per mark. They are read from the hall, where
/// right is toward -Z.
pub(crate) const LETTERS: [&str; 5] = [
    "##   #  ### # #  ##",
    "# # # #  #  # # #  ",
    "##  ###  #  ###  # ",
    "# # # #  #  # #   #",
    "##  # #  #  # # ## ",
];
/// Position of the centre of their upper edge on the wall.
pub(crate) const LETTERS_AT: Point = [17.0, 3.75, 0.0];
pub(crate) const LETTERS_BLOCK: &str = "brass";

/// The stair from the hall to the gallery: the lower end of its first step at the wall, the number
/// of steps, and its width. It rises toward -X.
pub(crate) const STAIR_AT: Point = [10.0, -4.0, -7.0];
pub(crate) const STEPS: u32 = 16;
pub(crate) const STEP_METRES: [f32; 2] = [0.5, 0.25];
pub(crate) const STAIR_WIDTH: f32 = 1.5;
/// Height of the wall beside the stair above its steps.
pub(crate) const PARAPET_METRES: f32 = 0.75;

/// The upper metre of the water in the pool, and its filled fraction.
pub(crate) const WATER: Room = Room([5.0, -5.0, -3.0], [14.0, -4.0, 3.0]);
pub(crate) const WATER_SHARE: f32 = 0.5;

/// Centres of the round columns, which reach from the floor to the ceiling.
pub(crate) const COLUMNS: [[f32; 2]; 6] = [
    [3.5, 4.5],
    [9.5, 4.5],
    [15.5, 4.5],
    [3.5, -4.5],
    [9.5, -4.5],
    [15.5, -4.5],
];
pub(crate) const COLUMN_FEET: [f32; 2] = [-4.0, 4.0];

/// Centres of lanterns, and the height of the beam from which they hang.
pub(crate) const LANTERNS: [Point; 5] = [
    [-2.75, 2.25, 0.25],
    [6.25, 1.25, 5.25],
    [13.75, 1.25, 5.25],
    [6.25, 1.25, -4.25],
    [13.75, 1.25, -5.25],
];
pub(crate) const LANTERN_BEAM: f32 = 3.0;
/// Beams under the ceiling from wall to wall: the minimum corner of their first metre, and their
/// extent in its width.
pub(crate) const BEAMS: [(Point, [f32; 2]); 3] = [
    ([-3.0, 3.0, -7.0], [0.0, 0.5]),
    ([6.0, 3.0, -7.0], [0.0, 0.5]),
    ([13.0, 3.0, -7.0], [0.5, 1.0]),
];
pub(crate) const BEAM_METRES: u32 = 14;
/// A lamp on the ceiling of the vestibule.
pub(crate) const ROSE_LAMP: Point = [-3.25, -1.25, 0.25];
/// Lamps on posts in the garden.
pub(crate) const GARDEN_LAMPS: [Point; 2] = [[20.25, -2.25, 2.25], [19.25, -2.25, -5.25]];

/// Panes of coloured glass, one metre square: the minimum corner, the number along the wall and up,
/// the axis that the wall faces, and the glass of each row from the bottom.
pub(crate) struct Window {
    pub(crate) at: Point,
    pub(crate) axis: usize,
    pub(crate) panes: [u32; 2],
    pub(crate) glass: &'static [&'static str],
}

const AMBER: &str = "amber glass";
const ROSE: &str = "rose glass";
const CLEAR: &str = "clear glass";

pub(crate) const WINDOWS: &[Window] = &[
    Window {
        at: [17.0, -3.0, 3.0],
        axis: 0,
        panes: [2, 5],
        glass: &[CLEAR, CLEAR, CLEAR, AMBER, ROSE],
    },
    Window {
        at: [17.0, 0.0, -1.0],
        axis: 0,
        panes: [2, 2],
        glass: &[AMBER, ROSE],
    },
    Window {
        at: [17.0, -3.0, -5.0],
        axis: 0,
        panes: [2, 5],
        glass: &[CLEAR, CLEAR, CLEAR, AMBER, ROSE],
    },
    Window {
        at: [6.0, -1.0, 7.0],
        axis: 2,
        panes: [1, 3],
        glass: &[AMBER, CLEAR, ROSE],
    },
    Window {
        at: [12.0, -1.0, 7.0],
        axis: 2,
        panes: [1, 3],
        glass: &[ROSE, CLEAR, AMBER],
    },
    Window {
        at: [12.0, -1.0, -8.0],
        axis: 2,
        panes: [1, 3],
        glass: &[AMBER, CLEAR, ROSE],
    },
    Window {
        at: [-5.0, 1.0, 7.0],
        axis: 2,
        panes: [2, 2],
        glass: &[CLEAR, AMBER],
    },
    Window {
        at: [-5.0, 1.0, -8.0],
        axis: 2,
        panes: [2, 2],
        glass: &[CLEAR, AMBER],
    },
    Window {
        at: [-8.0, -3.0, 2.0],
        axis: 0,
        panes: [2, 1],
        glass: &[CLEAR],
    },
];

/// A box with displaced corners: the minimum corner of its cell, the edge of the cell, its block,
/// and the new positions of corners as fractions of the cell from its minimum corner. Corners are
/// in the order of the format.
pub(crate) struct Moved {
    pub(crate) block: &'static str,
    pub(crate) at: Point,
    pub(crate) metres: f32,
    pub(crate) corners: [Point; 8],
}

/// A box within its cell, in fractions of the cell.
pub(crate) const fn slim(
    block: &'static str,
    at: Point,
    metres: f32,
    [x0, y0, z0]: Point,
    [x1, y1, z1]: Point,
) -> Moved {
    Moved {
        block,
        at,
        metres,
        corners: [
            [x1, y1, z1],
            [x0, y1, z1],
            [x1, y1, z0],
            [x0, y1, z0],
            [x1, y0, z1],
            [x0, y0, z1],
            [x1, y0, z0],
            [x0, y0, z0],
        ],
    }
}

/// Objects that are not plain boxes.
pub(crate) const THINGS: &[Moved] = &[
    // Towels on the bench, folded and slightly askew.
    slim(
        "cloth",
        [8.0, -3.5, 6.5],
        0.5,
        [0.1, 0.0, 0.15],
        [0.9, 0.25, 0.8],
    ),
    slim(
        "cloth",
        [8.5, -3.5, 6.5],
        0.5,
        [0.2, 0.0, 0.2],
        [0.95, 0.4, 0.85],
    ),
    slim(
        "cloth",
        [12.0, -3.5, 6.5],
        0.5,
        [0.0, 0.0, 0.2],
        [0.8, 0.3, 0.8],
    ),
    // The carpet of the vestibule.
    slim(
        "cloth",
        [-4.0, -4.0, -1.0],
        1.0,
        [0.0, 0.0, 0.0],
        [1.0, 0.03, 1.0],
    ),
    slim(
        "cloth",
        [-3.0, -4.0, -1.0],
        1.0,
        [0.0, 0.0, 0.0],
        [1.0, 0.03, 1.0],
    ),
    slim(
        "cloth",
        [-2.0, -4.0, -1.0],
        1.0,
        [0.0, 0.0, 0.0],
        [1.0, 0.03, 1.0],
    ),
    slim(
        "cloth",
        [-4.0, -4.0, 0.0],
        1.0,
        [0.0, 0.0, 0.0],
        [1.0, 0.03, 1.0],
    ),
    slim(
        "cloth",
        [-3.0, -4.0, 0.0],
        1.0,
        [0.0, 0.0, 0.0],
        [1.0, 0.03, 1.0],
    ),
    slim(
        "cloth",
        [-2.0, -4.0, 0.0],
        1.0,
        [0.0, 0.0, 0.0],
        [1.0, 0.03, 1.0],
    ),
    // The sign over the arch, in two halves.
    slim(
        "sign",
        [2.0, -1.0, -1.0],
        1.0,
        [0.0, 0.0, 0.0],
        [0.12, 1.0, 1.0],
    ),
    slim(
        "sign",
        [2.0, -1.0, 0.0],
        1.0,
        [0.0, 0.0, 0.0],
        [0.12, 1.0, 1.0],
    ),
    // The beam of evening sun through the skylight, in four parts; it is narrower at the top.
    beam(
        [8.0, 0.0, 0.0],
        [[0.2, 0.0], [0.75, 0.7]],
        [[0.1, 0.0], [0.85, 0.8]],
    ),
    beam(
        [8.0, 0.0, -4.0],
        [[0.2, 0.3], [0.75, 1.0]],
        [[0.1, 0.2], [0.85, 1.0]],
    ),
    beam(
        [8.0, -4.0, 0.0],
        [[0.1, 0.0], [0.85, 0.8]],
        [[0.0, 0.0], [0.95, 0.9]],
    ),
    beam(
        [8.0, -4.0, -4.0],
        [[0.1, 0.2], [0.85, 1.0]],
        [[0.0, 0.1], [0.95, 1.0]],
    ),
    // The glass gable over the skylight.
    pane([8.0, 6.0, 0.0], [0.6, 0.06]),
    pane([10.0, 6.0, 0.0], [0.6, 0.06]),
    pane([8.0, 6.0, -2.0], [0.06, 0.6]),
    pane([10.0, 6.0, -2.0], [0.06, 0.6]),
];

/// A part of a beam of light: X and Z of its upper and its lower corners, minimum first.
const fn beam(
    at: Point,
    [[ux0, uz0], [ux1, uz1]]: [[f32; 2]; 2],
    [[lx0, lz0], [lx1, lz1]]: [[f32; 2]; 2],
) -> Moved {
    Moved {
        block: "sunbeam",
        at,
        metres: 4.0,
        corners: [
            [ux1, 1.0, uz1],
            [ux0, 1.0, uz1],
            [ux1, 1.0, uz0],
            [ux0, 1.0, uz0],
            [lx1, 0.0, lz1],
            [lx0, 0.0, lz1],
            [lx1, 0.0, lz0],
            [lx0, 0.0, lz0],
        ],
    }
}

/// A sloped pane of glass: the height of its top at minimum and maximum Z.
const fn pane(at: Point, [low, high]: [f32; 2]) -> Moved {
    const THICK: f32 = 0.04;
    Moved {
        block: "clear glass",
        at,
        metres: 2.0,
        corners: [
            [1.0, high, 1.0],
            [0.0, high, 1.0],
            [1.0, low, 0.0],
            [0.0, low, 0.0],
            [1.0, high - THICK, 1.0],
            [0.0, high - THICK, 1.0],
            [1.0, low - THICK, 0.0],
            [0.0, low - THICK, 0.0],
        ],
    }
}

/// The opening of the skylight at the top and at the bottom: minimum and maximum X and Z. The sides
/// between them slope.
pub(crate) const SKYLIGHT: [[f32; 4]; 2] = [[8.0, 12.0, -2.0, 2.0], [7.0, 13.0, -3.0, 3.0]];
pub(crate) const SKYLIGHT_HEIGHTS: [f32; 2] = [4.0, 5.0];

/// The balustrade of the gallery: the start of its lattice panels, and their number of metres.
pub(crate) const BALUSTRADE_AT: Point = [1.0, 0.0, -5.0];
pub(crate) const BALUSTRADE_METRES: u32 = 12;

/// The coping around the pool: the minimum and maximum corner of its bed.
pub(crate) const COPING: Room = Room([4.5, -4.5, -3.5], [14.5, -4.0, 3.5]);

/// A round object: its block, the centre of its foot, the edge of its cells, and its outline by
/// height and radius in metres, cell by cell.
pub(crate) struct Round {
    pub(crate) block: &'static str,
    pub(crate) foot: Point,
    pub(crate) cell: f32,
    pub(crate) outline: &'static [&'static [[f32; 2]]],
}

/// Cypresses, pots and plants.
pub(crate) const ROUNDS: &[Round] = &[
    cypress([21.0, -4.0, 5.0]),
    cypress([21.0, -4.0, -3.0]),
    pot([16.5, -4.0, 6.5]),
    plant([16.5, -3.0, 6.5]),
    pot([16.5, -4.0, -6.5]),
    plant([16.5, -3.0, -6.5]),
    pot([-6.5, 0.0, -6.5]),
    plant([-6.5, 1.0, -6.5]),
];

const fn cypress(foot: Point) -> Round {
    Round {
        block: "leaves",
        foot,
        cell: 2.0,
        outline: &[
            &[[0.0, 0.1], [0.4, 0.45], [2.0, 0.55]],
            &[[2.0, 0.55], [4.0, 0.36]],
            &[[4.0, 0.36], [5.5, 0.0]],
        ],
    }
}

const fn pot(foot: Point) -> Round {
    Round {
        block: "clay",
        foot,
        cell: 1.0,
        outline: &[&[[0.0, 0.24], [0.75, 0.42], [0.65, 0.0]]],
    }
}

const fn plant(foot: Point) -> Round {
    Round {
        block: "leaves",
        foot,
        cell: 1.0,
        outline: &[&[[0.0, 0.1], [0.25, 0.45], [0.7, 0.38], [1.0, 0.0]]],
    }
}

/// The outline of the columns in their bottom, their middle and their top metre.
pub(crate) const COLUMN_OUTLINE: [&[[f32; 2]]; 3] = [
    &[[0.0, 0.5], [0.3, 0.36], [1.0, 0.36]],
    &[[0.0, 0.36], [1.0, 0.36]],
    &[[0.0, 0.36], [0.7, 0.36], [1.0, 0.5]],
];
pub(crate) const COLUMN_BLOCK: &str = "stone";
/// The outline of lanterns, in fractions of a cell of half a metre.
pub(crate) const LANTERN_OUTLINE: &[[f32; 2]] =
    &[[0.0, 0.0], [0.12, 0.16], [0.38, 0.18], [0.5, 0.03]];

/// A lamp: the id by which entities switch it, its initial state, its colour, and its positions.
pub(crate) struct Lamp {
    pub(crate) id: u32,
    pub(crate) is_on: bool,
    pub(crate) color: [u8; 3],
    /// Light at a distance of one metre; 1 makes a white wall white.
    pub(crate) strength: f32,
    pub(crate) places: &'static [Point],
}

pub(crate) const LANTERN_LIGHT: u32 = 1;
pub(crate) const POOL_LIGHT: u32 = 2;
pub(crate) const ROSE_LIGHT: u32 = 3;
pub(crate) const GARDEN_LIGHT: u32 = 4;

/// Lights with their own lightmaps.
pub(crate) const LAMPS: [Lamp; 4] = [
    Lamp {
        id: LANTERN_LIGHT,
        is_on: true,
        color: [255, 190, 110],
        strength: 5.6,
        places: &LANTERNS,
    },
    Lamp {
        id: POOL_LIGHT,
        is_on: true,
        color: [70, 220, 255],
        strength: 3.0,
        places: &[
            [7.0, -5.25, 2.8],
            [11.0, -5.25, 2.8],
            [7.0, -5.25, -2.8],
            [11.0, -5.25, -2.8],
        ],
    },
    Lamp {
        id: ROSE_LIGHT,
        is_on: true,
        color: [255, 160, 130],
        strength: 4.5,
        places: &[ROSE_LAMP],
    },
    Lamp {
        id: GARDEN_LIGHT,
        is_on: false,
        color: [200, 255, 160],
        strength: 4.5,
        places: &GARDEN_LAMPS,
    },
];

/// A light that colours vertices.
pub(crate) struct FastLamp {
    pub(crate) id: u32,
    pub(crate) intensity: u8,
    pub(crate) color: [u8; 3],
    /// Maximum distance of lit vertices in metres; other rooms are never lit.
    pub(crate) reach: f32,
    pub(crate) places: &'static [Point],
}

pub(crate) const SIGN_LIGHT: u32 = 10;
pub(crate) const BRASS_LIGHT: u32 = 11;

pub(crate) const FAST_LAMPS: [FastLamp; 2] = [
    // The glow of the sign.
    FastLamp {
        id: SIGN_LIGHT,
        intensity: 120,
        color: [255, 60, 160],
        reach: 7.0,
        places: &[[4.0, -0.5, 0.0]],
    },
    // A soft light on the letters.
    FastLamp {
        id: BRASS_LIGHT,
        intensity: 120,
        color: [255, 210, 120],
        reach: 9.0,
        places: &[[11.0, 3.0, 0.0]],
    },
];

/// The direction toward the sun, which is low over the garden.
pub(crate) const SUN: Point = [0.79, 0.44, 0.30];
