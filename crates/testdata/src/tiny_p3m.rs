//! A `PlatinumSrc` model whose numbers all differ, so that any swap is detected.

use mapscope_formats::WriteError;
use mapscope_formats::p3m::{
    Action, Animation, Bone, BoneTracks, Field, Group, Key, Layout, Material, MaterialAnimation,
    MaterialKey, NO_TEXTURE, Name, Override, P3m, Part, Reference, StringsBuilder, Texture,
    TextureContent, WeightRange,
};

/// Numbers that all differ.
struct Numbers(f32);

impl Numbers {
    fn next<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| {
            self.0 += 0.125;
            self.0
        })
    }

    fn list<const N: usize>(&mut self, count: usize) -> Vec<[f32; N]> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// Two parts, two materials, three textures, three bones, two animations and two actions. Layout B
/// adds overrides, an animated material, a matcap and fields.
///
/// # Errors
/// Fails only if the strings are too long, which does not happen.
pub fn tiny_p3m(layout: Layout) -> Result<P3m, WriteError> {
    let is_b = layout == Layout::B;
    let mut numbers = Numbers(0.0);
    let mut strings = StringsBuilder::default();
    let mut name = |text: &str| strings.add(text);
    let mut model = P3m::empty(layout, 0);
    model.parts = vec![
        Part {
            material: 1,
            overrides: vec![Override {
                animation: name("run")?,
                priority: 7,
                material: 0,
            }],
            groups: vec![
                group(name("arm")?, &[(1, &[9, 255])], 1),
                group(name("root")?, &[(0, &[31]), (2, &[63])], 0),
            ],
            ..part(name("body")?, 4, &[0, 1, 2, 2, 1, 3], &mut numbers)
        },
        Part {
            is_visible: false,
            groups: vec![group(name("hand")?, &[(0, &[1, 2, 3])], 0)],
            ..part(name("helmet")?, 3, &[2, 1, 0], &mut numbers)
        },
    ];
    if !is_b {
        model.parts[0].overrides.clear();
    }
    model.materials = vec![material(0, 0), material(1, 2)];
    if is_b {
        for part in &mut model.parts {
            part.flags = 0x03;
        }
        let animated = &mut model.materials[1];
        animated.mode = 0x11;
        animated.matcap = 0;
        animated.animation = Some(Box::new(material_animation(&mut numbers)));
    }
    let embedded = |ptf: &[u8], at| TextureContent::Embedded {
        ptf: ptf.to_vec(),
        at,
    };
    model.textures = [
        embedded(b"PTF\0 1", 0),
        TextureContent::External(name("textures/skin")?),
        embedded(b"PTF\0 two", 0),
    ]
    .map(|content| Texture {
        at: 0,
        kind: u8::from(matches!(content, TextureContent::External(_))),
        content,
    })
    .to_vec();
    for (number, bone) in (0_u8..).zip(["root", "arm", "hand"]) {
        model.bones.push(Bone {
            name: name(bone)?,
            at: 0,
            head: numbers.next(),
            tail: numbers.next(),
            children: u8::from(number < 2),
            parent: u32::from(number).checked_sub(1),
        });
    }
    model.animations = vec![
        Animation {
            name: name("walk")?,
            at: 0,
            references: vec![reference(0, 1.5, [2, 9]), reference(1, 0.5, [0, 3])],
        },
        Animation {
            name: name("run")?,
            at: 0,
            references: vec![reference(1, 3.0, [4, 5])],
        },
    ];
    model.actions = vec![
        Action {
            at: 0,
            us_per_frame: 41_667,
            part_list_mode: 0,
            parts: vec![name("helmet")?],
            tracks: vec![
                tracks(name("root")?, [&[0, 3], &[1], &[2, 4, 255]], &mut numbers),
                tracks(name("hand")?, [&[], &[5, 6], &[]], &mut numbers),
            ],
        },
        Action {
            at: 0,
            us_per_frame: 33_333,
            part_list_mode: 3,
            parts: vec![name("body")?],
            tracks: vec![tracks(name("arm")?, [&[7], &[], &[8]], &mut numbers)],
        },
    ];
    if is_b {
        let word = name("strong")?;
        // Two numbers of 32 bits in the strings: the text and its terminator.
        let [low, high] = name("abcdefg")?.offset.to_le_bytes();
        model.fields = vec![
            field(name("size")?, 3, &(-1234_i16).to_le_bytes()),
            field(name("kind")?, 0, &word.offset.to_le_bytes()),
            field(name("none")?, 0x27, &[]),
            field(name("pair")?, 0x18, &[1, 0, low, high]),
        ];
    }
    model.strings = strings.finish();
    Ok(model)
}

fn part(name: Name, vertices: usize, indices: &[u16], numbers: &mut Numbers) -> Part {
    Part {
        name,
        at: 0,
        flags: 0x01,
        is_visible: true,
        material: 0,
        overrides: Vec::new(),
        positions: numbers.list(vertices),
        uvs: numbers.list(vertices),
        normals: numbers.list(vertices),
        indices: indices.to_vec(),
        vertices_at: 0,
        indices_at: 0,
        groups: Vec::new(),
    }
}

fn group(bone: Name, ranges: &[(u16, &[u8])], last_skip: u16) -> Group {
    let ranges = ranges.iter().map(|(skip, weights)| WeightRange {
        skip: *skip,
        weights: weights.to_vec(),
    });
    Group {
        bone,
        at: 0,
        ranges: ranges.collect(),
        last_skip,
    }
}

fn material(mode: u8, texture: u8) -> Material {
    let byte = |number: u8| 100 * mode + 10 + number;
    Material {
        at: 0,
        mode,
        color: [0, 1, 2, 3].map(byte),
        emission: [4, 5, 6].map(byte),
        shading: byte(7),
        texture,
        matcap: NO_TEXTURE,
        animation: None,
    }
}

/// Tracks of two colours, an emission, a shading, two textures and no matcap.
fn material_animation(numbers: &mut Numbers) -> MaterialAnimation {
    let key = |skip, frame, mode, value| MaterialKey {
        skip,
        frame,
        mode,
        value,
    };
    MaterialAnimation {
        us_per_frame: 62_500,
        flags: 0x11,
        texture_scroll: numbers.next(),
        matcap_scroll: numbers.next(),
        last_frame: 12,
        tracks: [
            vec![
                key(2, 2, 1, [51, 52, 53, 54]),
                key(3, 6, 3, [61, 62, 63, 64]),
            ],
            vec![key(0, 0, 2, [71, 72, 73, 0])],
            vec![key(4, 4, 0, [81, 0, 0, 0])],
            vec![key(5, 5, 0, [1, 0, 0, 0]), key(6, 12, 0, [2, 0, 0, 0])],
            Vec::new(),
        ],
    }
}

fn reference(action: u8, speed: f32, [start, end]: [u16; 2]) -> Reference {
    Reference {
        at: 0,
        action,
        speed,
        start,
        end,
    }
}

/// Tracks of translation, rotation and scale with these skips.
fn tracks(bone: Name, skips: [&[u8]; 3], numbers: &mut Numbers) -> BoneTracks {
    let [translation, rotation, scale] = skips.map(|skips| {
        let mut next = 0;
        let keys = skips.iter().zip(0_u8..).map(|(skip, number)| {
            let frame = next + u32::from(*skip);
            next = frame + 1;
            Key {
                skip: *skip,
                frame,
                mode: (number + 1) % 2,
                value: numbers.next(),
            }
        });
        keys.collect()
    });
    BoneTracks {
        bone,
        at: 0,
        translation,
        rotation,
        scale,
    }
}

fn field(name: Name, kind: u8, bytes: &[u8]) -> Field {
    Field {
        name,
        at: 0,
        kind,
        bytes: bytes.to_vec(),
        elements: 0..0,
    }
}
