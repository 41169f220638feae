//! A robot as a P3M model, with all that the layout of the exporter can hold: several parts, one of
//! them hidden, light that is added, a texture inside the file, and soft joints.

use mapscope_formats::p3m::{
    self, Action, Animation, Bone, BoneTracks, Group, Key, Layout, Material, NO_TEXTURE, Name, P3m,
    Part, Reference, StringsBuilder, Texture, TextureContent, weight_ranges,
};
use mapscope_formats::{WriteError, ptf};

/// A bone: its name, its parent, head and tail in metres.
type BoneRow = (&'static str, Option<u32>, [f32; 3], [f32; 3]);

/// The bones of a vertex, with weights of 256.
type Weights = &'static [(usize, u16)];

const HIPS: usize = 0;
const CHEST: usize = 1;
const HEAD: usize = 2;
const ARM_L: usize = 3;
const FOREARM_L: usize = 4;
const ARM_R: usize = 5;
const FOREARM_R: usize = 6;
const THIGH_L: usize = 7;
const SHIN_L: usize = 8;
const THIGH_R: usize = 9;
const SHIN_R: usize = 10;

/// The bones, parents first, each followed by all below it. The right hand is at +X.
const BONES: [BoneRow; 11] = [
    ("hips", None, [0.0, 0.82, 0.0], [0.0, 1.0, 0.0]),
    ("chest", Some(0), [0.0, 1.0, 0.0], [0.0, 1.38, 0.0]),
    ("head", Some(1), [0.0, 1.42, 0.0], [0.0, 1.72, 0.0]),
    ("arm.L", Some(1), [-0.27, 1.32, 0.0], [-0.27, 1.02, 0.0]),
    ("forearm.L", Some(3), [-0.27, 1.02, 0.0], [-0.27, 0.7, 0.0]),
    ("arm.R", Some(1), [0.27, 1.32, 0.0], [0.27, 1.02, 0.0]),
    ("forearm.R", Some(5), [0.27, 1.02, 0.0], [0.27, 0.7, 0.0]),
    ("thigh.L", Some(0), [-0.12, 0.8, 0.0], [-0.12, 0.44, 0.0]),
    ("shin.L", Some(7), [-0.12, 0.44, 0.0], [-0.12, 0.06, 0.0]),
    ("thigh.R", Some(0), [0.12, 0.8, 0.0], [0.12, 0.44, 0.0]),
    ("shin.R", Some(9), [0.12, 0.44, 0.0], [0.12, 0.06, 0.0]),
];

/// Materials.
const PAINT: u8 = 0;
const RUBBER: u8 = 1;
const GLOW: u8 = 2;

/// Cells of the texture: 4 by 4, from the top left.
const CELLS: usize = 4;
const SIDE: usize = 64;
/// Colours of the plates in the cells, row by row.
const PLATES: [[u8; 3]; 4] = [
    [214, 122, 38],
    [222, 214, 196],
    [92, 104, 118],
    [184, 62, 48],
];

/// Time of a frame: 24 frames a second.
const US_PER_FRAME: u32 = 41_667;

/// A section of a tube: the middle, half its width and depth, and its bones with weights of 256.
struct Ring {
    at: [f32; 3],
    half: [f32; 2],
    weights: Weights,
}

/// Vertices, triangles and weights of a part.
#[derive(Default)]
struct Shape {
    positions: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    indices: Vec<u16>,
    weights: Vec<Weights>,
}

impl Shape {
    /// Adds a tube with four flat sides along Y, from the highest ring to the lowest, with both
    /// ends. All of it shows one cell of the texture.
    fn tube(&mut self, plate: usize, rings: &[Ring]) {
        // Sides seen from above: front, right, back, left. Each has the signs of its two corners
        // along X and Z, from left to right as seen from outside, and its normal.
        const SIDES: [([[f32; 2]; 2], [f32; 3]); 4] = [
            ([[1.0, 1.0], [-1.0, 1.0]], [0.0, 0.0, 1.0]),
            ([[1.0, -1.0], [1.0, 1.0]], [1.0, 0.0, 0.0]),
            ([[-1.0, -1.0], [1.0, -1.0]], [0.0, 0.0, -1.0]),
            ([[-1.0, 1.0], [-1.0, -1.0]], [-1.0, 0.0, 0.0]),
        ];
        let corner = |ring: &Ring, [x, z]: [f32; 2]| {
            let ([mid_x, y, mid_z], [half_x, half_z]) = (ring.at, ring.half);
            [mid_x + x * half_x, y, mid_z + z * half_z]
        };
        let (top, bottom) = (&rings[0], &rings[rings.len() - 1]);
        let height = top.at[1] - bottom.at[1];
        for (corners, normal) in SIDES {
            let first = self.positions.len() as u16;
            for ring in rings {
                let down = (top.at[1] - ring.at[1]) / height;
                for (along, signs) in [0.0, 1.0].into_iter().zip(corners) {
                    self.corner(
                        corner(ring, signs),
                        normal,
                        (plate, [along, down]),
                        ring.weights,
                    );
                }
            }
            for row in 0..rings.len() as u16 - 1 {
                let [a, b, c, d] = [0, 1, 2, 3].map(|at| first + 2 * row + at);
                self.indices.extend([a, c, b, b, c, d]);
            }
        }
        for (ring, normal, order) in [
            (top, [0.0, 1.0, 0.0], [0, 2, 1, 0, 3, 2]),
            (bottom, [0.0, -1.0, 0.0], [0, 1, 2, 0, 2, 3]),
        ] {
            let first = self.positions.len() as u16;
            for (signs, uv) in [
                ([-1.0, 1.0], [0.0, 0.0]),
                ([1.0, 1.0], [1.0, 0.0]),
                ([1.0, -1.0], [1.0, 1.0]),
                ([-1.0, -1.0], [0.0, 1.0]),
            ] {
                self.corner(corner(ring, signs), normal, (plate, uv), ring.weights);
            }
            self.indices.extend(order.map(|at| first + at));
        }
    }

    /// Adds a vertex; `[along, down]` is its place in a cell of the texture, from the top left.
    fn corner(
        &mut self,
        position: [f32; 3],
        normal: [f32; 3],
        (plate, [along, down]): (usize, [f32; 2]),
        weights: Weights,
    ) {
        let cells = CELLS as f32;
        let [column, row] = [plate % CELLS, plate / CELLS].map(|it| it as f32);
        self.positions.push(position);
        self.normals.push(normal);
        self.uvs.push([
            (column + along) / cells,
            // The bottom row of the image is at 0.
            1.0 - (row + down) / cells,
        ]);
        self.weights.push(weights);
    }

    fn into_part(self, name: Name, material: u8, bones: &[Name]) -> Part {
        let group = |(index, bone): (usize, &Name)| {
            let weights = self.weights.iter().map(|weights| {
                let own = weights.iter().find(|(of, _)| *of == index)?;
                Some((own.1 - 1) as u8)
            });
            let ranges = weight_ranges(weights);
            (!ranges.is_empty()).then(|| Group {
                bone: bone.clone(),
                at: 0,
                ranges,
                last_skip: 0,
            })
        };
        Part {
            groups: bones.iter().enumerate().filter_map(group).collect(),
            name,
            at: 0,
            flags: 0x01,
            is_visible: true,
            material,
            overrides: Vec::new(),
            positions: self.positions,
            uvs: self.uvs,
            normals: self.normals,
            indices: self.indices,
            vertices_at: 0,
            indices_at: 0,
        }
    }
}

/// All weight on one bone.
macro_rules! rigid {
    ($bone:expr) => {
        &[($bone, 256)]
    };
}

fn ring(at: [f32; 3], half: [f32; 2], weights: Weights) -> Ring {
    Ring { at, half, weights }
}

/// Hips, chest, and the plates on arms and legs.
fn armor() -> Shape {
    let mut shape = Shape::default();
    shape.tube(
        0,
        &[
            ring([0.0, 1.4, 0.0], [0.16, 0.11], rigid!(CHEST)),
            ring([0.0, 1.32, 0.0], [0.21, 0.15], rigid!(CHEST)),
            ring([0.0, 1.08, 0.01], [0.17, 0.13], rigid!(CHEST)),
        ],
    );
    let hips = [
        ring([0.0, 0.98, 0.0], [0.16, 0.12], rigid!(HIPS)),
        ring([0.0, 0.8, 0.0], [0.18, 0.12], rigid!(HIPS)),
    ];
    shape.tube(1, &hips);
    let limbs: [(f32, [Weights; 4]); 2] = [
        (
            -1.0,
            [
                rigid!(ARM_L),
                rigid!(FOREARM_L),
                rigid!(THIGH_L),
                rigid!(SHIN_L),
            ],
        ),
        (
            1.0,
            [
                rigid!(ARM_R),
                rigid!(FOREARM_R),
                rigid!(THIGH_R),
                rigid!(SHIN_R),
            ],
        ),
    ];
    for (side, [arm, forearm, thigh, shin]) in limbs {
        let (shoulder, hip) = (0.27 * side, 0.12 * side);
        shape.tube(
            4,
            &[
                ring([shoulder, 1.38, 0.0], [0.07, 0.08], arm),
                ring([shoulder, 1.2, 0.0], [0.08, 0.09], arm),
            ],
        );
        shape.tube(
            1,
            &[
                ring([shoulder, 0.95, 0.0], [0.06, 0.07], forearm),
                ring([shoulder, 0.76, 0.0], [0.075, 0.085], forearm),
            ],
        );
        shape.tube(
            3,
            &[
                ring([shoulder, 0.74, 0.01], [0.05, 0.07], forearm),
                ring([shoulder, 0.62, 0.02], [0.035, 0.05], forearm),
            ],
        );
        shape.tube(
            0,
            &[
                ring([hip, 0.74, 0.0], [0.09, 0.1], thigh),
                ring([hip, 0.54, 0.0], [0.075, 0.085], thigh),
            ],
        );
        shape.tube(
            1,
            &[
                ring([hip, 0.36, 0.0], [0.07, 0.08], shin),
                ring([hip, 0.12, 0.0], [0.09, 0.1], shin),
            ],
        );
        shape.tube(
            2,
            &[
                ring([hip, 0.1, 0.05], [0.09, 0.15], shin),
                ring([hip, 0.0, 0.06], [0.095, 0.17], shin),
            ],
        );
    }
    shape
}

/// The soft tubes of waist, neck, elbows and knees, whose middle belongs to two bones.
fn joints() -> Shape {
    let mut shape = Shape::default();
    shape.tube(
        2,
        &[
            ring([0.0, 1.1, 0.0], [0.1, 0.08], rigid!(CHEST)),
            ring([0.0, 1.04, 0.0], [0.1, 0.08], &[(HIPS, 128), (CHEST, 128)]),
            ring([0.0, 0.97, 0.0], [0.1, 0.08], rigid!(HIPS)),
        ],
    );
    shape.tube(
        2,
        &[
            ring([0.0, 1.48, 0.0], [0.05, 0.05], rigid!(HEAD)),
            ring([0.0, 1.43, 0.0], [0.05, 0.05], &[(CHEST, 128), (HEAD, 128)]),
            ring([0.0, 1.38, 0.0], [0.05, 0.05], rigid!(CHEST)),
        ],
    );
    type Bend = [Weights; 3];
    let bends: [(f32, Bend, Bend); 2] = [
        (
            -1.0,
            [
                rigid!(ARM_L),
                &[(ARM_L, 128), (FOREARM_L, 128)],
                rigid!(FOREARM_L),
            ],
            [
                rigid!(THIGH_L),
                &[(THIGH_L, 128), (SHIN_L, 128)],
                rigid!(SHIN_L),
            ],
        ),
        (
            1.0,
            [
                rigid!(ARM_R),
                &[(ARM_R, 128), (FOREARM_R, 128)],
                rigid!(FOREARM_R),
            ],
            [
                rigid!(THIGH_R),
                &[(THIGH_R, 128), (SHIN_R, 128)],
                rigid!(SHIN_R),
            ],
        ),
    ];
    for (side, elbow, knee) in bends {
        for (x, heights, half, [upper, middle, lower]) in [
            (0.27 * side, [1.22, 1.02, 0.92], 0.04, elbow),
            (0.12 * side, [0.56, 0.44, 0.34], 0.05, knee),
        ] {
            let [top, mid, bottom] = heights;
            shape.tube(
                2,
                &[
                    ring([x, top, 0.0], [half; 2], upper),
                    ring([x, mid, 0.0], [half; 2], middle),
                    ring([x, bottom, 0.0], [half; 2], lower),
                ],
            );
        }
    }
    shape
}

fn head() -> Shape {
    let mut shape = Shape::default();
    shape.tube(
        5,
        &[
            ring([0.0, 1.76, -0.01], [0.11, 0.11], rigid!(HEAD)),
            ring([0.0, 1.68, 0.0], [0.15, 0.14], rigid!(HEAD)),
            ring([0.0, 1.48, 0.0], [0.13, 0.12], rigid!(HEAD)),
        ],
    );
    let antenna = [
        ring([0.08, 1.9, -0.05], [0.012, 0.012], rigid!(HEAD)),
        ring([0.08, 1.74, -0.05], [0.018, 0.018], rigid!(HEAD)),
    ];
    shape.tube(3, &antenna);
    shape
}

/// The visor, which glows.
fn visor() -> Shape {
    let mut shape = Shape::default();
    let visor = [
        ring([0.0, 1.67, 0.11], [0.1, 0.045], rigid!(HEAD)),
        ring([0.0, 1.58, 0.1], [0.09, 0.045], rigid!(HEAD)),
    ];
    shape.tube(2, &visor);
    shape
}

/// A box of tools between the hands, which only one clip shows.
fn toolbox() -> Shape {
    let mut shape = Shape::default();
    let toolbox = [
        ring([0.0, 1.12, 0.36], [0.2, 0.12], rigid!(CHEST)),
        ring([0.0, 0.94, 0.36], [0.2, 0.12], rigid!(CHEST)),
    ];
    shape.tube(3, &toolbox);
    shape
}

/// Rows of the texture: plates with dark rims and rivets.
fn texture() -> ptf::Texture {
    let cell = SIDE / CELLS;
    let pixels = (0..SIDE * SIDE).flat_map(|at| {
        let (x, y) = (at % SIDE, at / SIDE);
        let base = PLATES[(x / cell + y / cell) % PLATES.len()];
        let [x, y] = [x % cell, y % cell].map(|it| it.min(cell - 1 - it));
        let share = match (x, y) {
            (0, _) | (_, 0) => 60,
            (2, 2) => 130,
            (1, _) | (_, 1) => 86,
            _ => 100 - (at % 3) * 2,
        };
        base.map(|channel| (usize::from(channel) * share / 100).min(255) as u8)
    });
    ptf::Texture::new(ptf::Layout::V3, [SIDE as u32; 2], 3, pixels.collect())
}

fn material(mode: u8, color: [u8; 4], emission: [u8; 3], shading: u8, texture: u8) -> Material {
    Material {
        at: 0,
        mode,
        color,
        emission,
        shading,
        texture,
        matcap: NO_TEXTURE,
        animation: None,
    }
}

/// Keys at frames, with linear ways between them.
fn keys(values: &[(u32, [f32; 3])]) -> Vec<Key> {
    let mut next = 0;
    let keys = values.iter().map(|(frame, value)| {
        let skip = (frame - next) as u8;
        next = frame + 1;
        Key {
            skip,
            frame: *frame,
            mode: 1,
            value: *value,
        }
    });
    keys.collect()
}

/// Turns of a bone about its own X axis at frames.
type Turns = (usize, &'static [(u32, f32)]);

/// The steps of a walk: 24 frames, from the left foot forward to the same.
const STEPS: [Turns; 4] = [
    (THIGH_L, &[(0, 0.5), (12, -0.45), (24, 0.5)]),
    (
        SHIN_L,
        &[(0, 0.0), (6, -0.1), (12, -0.25), (18, -0.9), (24, 0.0)],
    ),
    (THIGH_R, &[(0, -0.45), (12, 0.5), (24, -0.45)]),
    (
        SHIN_R,
        &[(0, -0.25), (6, -0.9), (12, 0.0), (18, -0.1), (24, -0.25)],
    ),
];
/// The arms of the same walk.
const SWING: [Turns; 4] = [
    (ARM_L, &[(0, -0.45), (12, 0.4), (24, -0.45)]),
    (FOREARM_L, &[(0, 0.15), (12, 0.5), (24, 0.15)]),
    (ARM_R, &[(0, 0.4), (12, -0.45), (24, 0.4)]),
    (FOREARM_R, &[(0, 0.5), (12, 0.15), (24, 0.5)]),
];
/// Arms that hold something in front.
const HOLD: [Turns; 4] = [
    (ARM_L, &[(0, 0.25)]),
    (FOREARM_L, &[(0, 1.25)]),
    (ARM_R, &[(0, 0.25)]),
    (FOREARM_R, &[(0, 1.25)]),
];

/// Tracks of bones that turn about their own X axis, after those in `first`.
fn tracks(bones: &[Name], first: Vec<BoneTracks>, turns: &[&[Turns]]) -> Vec<BoneTracks> {
    let mut tracks = first;
    for (bone, turns) in turns.iter().copied().flatten() {
        let turns: Vec<_> = turns
            .iter()
            .map(|(frame, x)| (*frame, [*x, 0.0, 0.0]))
            .collect();
        tracks.push(BoneTracks {
            bone: bones[*bone].clone(),
            at: 0,
            translation: Vec::new(),
            rotation: keys(&turns),
            scale: Vec::new(),
        });
    }
    tracks
}

/// The hips sink twice in a walk.
fn bob(bones: &[Name]) -> Vec<BoneTracks> {
    let down = [0.0, -0.04, 0.0];
    let up = [0.0, 0.01, 0.0];
    vec![BoneTracks {
        bone: bones[HIPS].clone(),
        at: 0,
        translation: keys(&[(0, down), (6, up), (12, down), (18, up), (24, down)]),
        rotation: Vec::new(),
        scale: Vec::new(),
    }]
}

/// The right arm rises and waves; the head leans.
fn wave(bones: &[Name]) -> Vec<BoneTracks> {
    let track = |bone: usize, rotation| BoneTracks {
        bone: bones[bone].clone(),
        at: 0,
        translation: Vec::new(),
        rotation,
        scale: Vec::new(),
    };
    let (still, up) = ([0.0; 3], [0.2, 0.0, -2.4]);
    let [out, in_] = [[0.3, 0.0, -0.5], [0.3, 0.0, 0.3]];
    vec![
        track(ARM_R, keys(&[(0, still), (8, up), (40, up), (47, still)])),
        track(
            FOREARM_R,
            keys(&[
                (0, still),
                (8, out),
                (16, in_),
                (24, out),
                (32, in_),
                (40, out),
                (47, still),
            ]),
        ),
        track(
            HEAD,
            keys(&[
                (0, still),
                (10, [0.0, 0.2, 0.12]),
                (38, [0.0, 0.2, 0.12]),
                (47, still),
            ]),
        ),
    ]
}

/// Bytes of the model.
///
/// # Errors
/// If it exceeds a limit of its format.
pub(super) fn robot() -> Result<Vec<u8>, WriteError> {
    let mut strings = StringsBuilder::default();
    let bones = BONES.map(|(name, ..)| strings.add(name));
    let bones = bones.into_iter().collect::<Result<Vec<Name>, _>>()?;
    let mut model = P3m::empty(Layout::A, 0);
    for (name, shape, material) in [
        ("armor", armor(), PAINT),
        ("joints", joints(), RUBBER),
        ("head", head(), PAINT),
        ("visor", visor(), GLOW),
        ("toolbox", toolbox(), PAINT),
    ] {
        let name = strings.add(name)?;
        model.parts.push(shape.into_part(name, material, &bones));
    }
    let toolbox = model.parts[4].name.clone();
    model.parts[4].is_visible = false;
    model.materials = vec![
        material(0, [255; 4], [0; 3], 255, 0),
        material(0, [58, 62, 70, 255], [0; 3], 255, NO_TEXTURE),
        material(1, [40, 220, 255, 210], [20, 90, 110], 0, NO_TEXTURE),
    ];
    let ptf = texture().write()?;
    model.textures = vec![Texture {
        at: 0,
        kind: 0,
        content: TextureContent::Embedded { ptf, at: 0 },
    }];
    model.bones = (0..BONES.len())
        .map(|index| {
            let (_, parent, head, tail) = BONES[index];
            let is_child = |row: &&BoneRow| row.1 == Some(index as u32);
            Bone {
                name: bones[index].clone(),
                at: 0,
                head,
                tail,
                children: BONES.iter().filter(is_child).count() as u8,
                parent,
            }
        })
        .collect();
    let action = |parts, tracks| Action {
        at: 0,
        us_per_frame: US_PER_FRAME,
        part_list_mode: 0,
        parts,
        tracks,
    };
    model.actions = vec![
        action(Vec::new(), tracks(&bones, bob(&bones), &[&STEPS, &SWING])),
        action(Vec::new(), wave(&bones)),
        action(vec![toolbox], tracks(&bones, bob(&bones), &[&STEPS, &HOLD])),
    ];
    let reference = |action, speed, end| Reference {
        at: 0,
        action,
        speed,
        start: 0,
        end,
    };
    for (name, references) in [
        ("Walk", vec![reference(0, 1.0, 23)]),
        ("Wave", vec![reference(1, 1.0, 47)]),
        ("Carry", vec![reference(2, 0.75, 23)]),
        (
            "Walk and wave",
            vec![reference(0, 1.0, 23), reference(1, 1.5, 47)],
        ),
    ] {
        let name = strings.add(name)?;
        model.animations.push(Animation {
            name,
            at: 0,
            references,
        });
    }
    model.strings = strings.finish();
    p3m::write(&model)
}
