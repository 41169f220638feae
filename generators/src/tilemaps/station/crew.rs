//! The sprites: a crew member, a robot and a shuttle.

use crate::tilemaps::canvas::Canvas;

/// Red, green, blue and opacity of the sprites' colours.
pub(crate) const PALETTE: [[u8; 4]; 32] = {
    let rgb: [u32; 32] = [
        0, 0x171527, 0x171527, 0x3c4466, 0x616f8c, 0x93a4bd, 0xc6d3df, 0xfffdf0, 0x7a2f2a,
        0xc2542f, 0xf08a3c, 0xffc26a, 0x14476b, 0x1c78a0, 0x45c6d8, 0xc9fbf2, 0x6b3a3a, 0xa96a52,
        0xe0a077, 0xf7cfa0, 0x2f7d4c, 0x62b356, 0xb5e07a, 0xe8485a, 0xffd96e, 0x3a78e0, 0xa5f0ff,
        0x2c3358, 0x46507c, 0x8e3b52, 0xd7dbe6, 0x000000,
    ];
    let mut palette = [[0; 4]; 32];
    let mut i = 1;
    while i < 32 {
        let alpha = match i {
            2 => 110,
            26 => 170,
            _ => 255,
        };
        palette[i] = [
            (rgb[i] >> 16) as u8,
            (rgb[i] >> 8) as u8,
            rgb[i] as u8,
            alpha,
        ];
        i += 1;
    }
    palette
};

fn key(character: char) -> u8 {
    match character {
        '#' => 1,
        '~' => 2,
        'a' => 3,
        'b' => 4,
        'c' => 5,
        'd' => 6,
        'w' => 7,
        'o' => 8,
        'O' => 9,
        'p' => 10,
        'q' => 11,
        't' => 12,
        'u' => 13,
        'v' => 14,
        'x' => 15,
        'h' => 16,
        'i' => 17,
        'j' => 18,
        'k' => 19,
        'r' => 23,
        'y' => 24,
        'B' => 25,
        'F' => 26,
        _ => 0,
    }
}

/// A crew member in overalls, 16 x 24.
fn engineer() -> Canvas {
    Canvas::drawn(
        &[
            "     ######     ",
            "   ##dwwwdd##   ",
            "  #dwwddddddc#  ",
            "  #wdd######c#  ",
            "  #wd#xvvuut#c# ",
            " #cd#xxvvuutt#c#",
            " #cd#xvvvuutt#c#",
            "  #d#vvuuuttt#b#",
            "  #dd########c# ",
            "   #ccccccccb#  ",
            "    ########    ",
            "   #qpppppOO#   ",
            "  #qp#pppO#OO#  ",
            " #qpppwppOOOOo# ",
            " #ppo#ppyO#OOo# ",
            " #ppo#ppOO#OOo# ",
            " #dd##aaaa##cc# ",
            "  ## #ppOO# ##  ",
            "    #pppOOO#    ",
            "    #ppO#OO#    ",
            "    #pO##Oo#    ",
            "   ~#aa##aa#~   ",
            "  ~#bba##bba#~  ",
            "   ~####~###~~  ",
        ],
        key,
    )
}

/// A hovering robot, 16 x 16.
fn robot() -> Canvas {
    Canvas::drawn(
        &[
            "       ##       ",
            "       #r#      ",
            "    #######     ",
            "  ##wwdddcc##   ",
            " #wwddddddccb#  ",
            " #wd########cb# ",
            "#wd#xvv#xvvt#cb#",
            "#dd#vuu#vuut#cb#",
            "#dd#ttt#tttt#cb#",
            " #dd########cb# ",
            " #cddddcccccbb# ",
            "  ##ccccbbbb##  ",
            "    ########    ",
            "     #FFFF#     ",
            "   ~~~F~~F~~~   ",
            "    ~~~~~~~~    ",
        ],
        key,
    )
}

/// A shuttle with its nose up, 48 x 56. The right half is the shaded left half.
fn shuttle() -> Canvas {
    let (width, height) = (48, 56);
    let mut canvas = Canvas::new(width, height);
    let half = |y: i32| match y {
        0..=9 => 2 + y * 2 / 3,
        10..=34 => 8 + (y - 10) / 8,
        35..=44 => 11,
        _ => 9,
    };
    let wing = |y: i32| match y {
        22..=42 => (y - 22) * 13 / 12,
        43..=45 => 22,
        _ => 0,
    };
    canvas.paint(|x, y| {
        let (dx, is_left) = if x < width / 2 {
            (width / 2 - 1 - x, true)
        } else {
            (x - width / 2, false)
        };
        let shade = |left: u8, right: u8| if is_left { left } else { right };
        if y < 48 && dx < half(y) {
            let from_side = half(y) - 1 - dx;
            return Some(match () {
                () if from_side == 0 || y == 0 || y == 47 => 1,
                () if (8..18).contains(&y) && dx < 5 => match y {
                    8 | 17 => 1,
                    _ if dx == 4 => 1,
                    9..=11 => shade(15, 14),
                    _ => shade(14, 13),
                },
                () if y == 22 || y == 36 => shade(5, 4),
                () if (24..34).contains(&y) && dx < 2 => 10 - u8::from(!is_left),
                () if from_side <= 2 => shade(7, 4),
                () if from_side <= 4 => shade(6, 5),
                () => shade(6, 5),
            });
        }
        if dx < wing(y) {
            let from_end = wing(y) - 1 - dx;
            let front = y > 22 && dx >= wing(y - 1);
            return Some(match () {
                () if from_end == 0 || front || y == 45 => 1,
                () if y == 44 => shade(4, 3),
                () if dx > 17 => shade(10, 9),
                () if from_end < 3 => shade(6, 5),
                () => shade(5, 4),
            });
        }
        // Engines and their flames.
        if (3..9).contains(&dx) && y >= 46 {
            return match y {
                46..=49 if dx == 3 || dx == 8 => Some(1),
                46..=48 => Some(shade(4, 3)),
                49 => Some(1),
                50..=51 => Some(if dx == 3 || dx == 8 { 25 } else { 15 }),
                52..=53 if (4..8).contains(&dx) => Some(26),
                54..=55 if (5..7).contains(&dx) => Some(26),
                _ => None,
            };
        }
        None
    });
    canvas
}

/// The parts of the sprite picture: left, top, width and height, and their names.
pub(crate) const PARTS: [([i32; 4], &str); 3] = [
    ([0, 0, 48, 56], "shuttle"),
    ([48, 0, 16, 24], "engineer"),
    ([48, 24, 16, 16], "robot"),
];

/// All sprites in one picture.
pub(crate) fn picture() -> Canvas {
    let mut picture = Canvas::new(64, 56);
    for ([x, y, ..], sprite) in
        PARTS
            .map(|(part, _)| part)
            .into_iter()
            .zip([shuttle(), engineer(), robot()])
    {
        picture.draw(&sprite, x, y);
    }
    picture
}
