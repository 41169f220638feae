//! The order in which the engine draws a map (fact sheet 3, 7.12).

use super::Map;
use crate::quoted;

/// A step in drawing a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawStep {
    /// Draw a layer: an index into [`Map::layers`].
    Layer(usize),
    /// Draw the entities.
    Entities,
}

impl Map {
    /// The drawing steps in order. A layer may occur twice or not at all; references to missing
    /// layers are omitted. For an empty render string the engine draws nothing, but this returns
    /// all layers in order, then the entities.
    pub fn draw_steps(&self) -> Vec<DrawStep> {
        if self.render_string.is_empty() {
            let layers = (0..self.layers.len()).map(DrawStep::Layer);
            return layers.chain([DrawStep::Entities]).collect();
        }
        let known = self.render_string.chars().filter_map(Symbol::of);
        known
            .filter_map(|sign| match sign {
                Symbol::Layer(layer) => {
                    (layer < self.layers.len()).then_some(DrawStep::Layer(layer))
                }
                Symbol::Entities => Some(DrawStep::Entities),
                Symbol::Hook => None,
            })
            .collect()
    }
}

/// The meaning of a character in a render string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Layer(usize),
    Entities,
    /// A script hook; nothing is drawn.
    Hook,
}

impl Symbol {
    fn of(c: char) -> Option<Self> {
        match c {
            // `0` is the tenth layer.
            '0' => Some(Self::Layer(9)),
            '1'..='9' => Some(Self::Layer(c as usize - '1' as usize)),
            'E' => Some(Self::Entities),
            'R' => Some(Self::Hook),
            _ => None,
        }
    }
}

/// Oddities of a render string, as sentences for the problem list.
pub(super) fn oddities(render_string: &str, layers: usize) -> Vec<String> {
    let quote = quoted(render_string.as_bytes());
    if render_string.is_empty() {
        return vec![
            "empty render string, so the engine draws nothing; all layers are shown in order"
                .to_owned(),
        ];
    }
    let mut missing: Vec<(char, usize)> = Vec::new();
    let mut unknown: Vec<char> = Vec::new();
    for c in render_string.chars() {
        match Symbol::of(c) {
            Some(Symbol::Layer(layer)) if layer >= layers && !missing.contains(&(c, layer)) => {
                missing.push((c, layer));
            }
            Some(_) => {}
            // Only the first eight are named.
            None if unknown.len() < 8 && !unknown.contains(&c) => unknown.push(c),
            None => {}
        }
    }
    let mut sentences: Vec<String> = missing
        .iter()
        .map(|(c, layer)| {
            let has = match layers {
                0 => "none".to_owned(),
                1 => "one layer".to_owned(),
                _ => format!("{layers} layers"),
            };
            format!(
                "`{c}` in the render string {quote} draws layer {layer}, but the map has {has}; \
                 ignored"
            )
        })
        .collect();
    if !unknown.is_empty() {
        let signs: String = unknown.iter().collect();
        sentences.push(format!(
            "unknown characters {} in the render string {quote}; expected 0 to 9, E and R",
            quoted(signs.as_bytes())
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::Layer;
    use super::*;

    fn steps(render_string: &str, layers: usize) -> Vec<DrawStep> {
        Map {
            render_string: render_string.to_owned(),
            layers: vec![Layer::default(); layers],
            ..Map::default()
        }
        .draw_steps()
    }

    #[test]
    fn steps_follow_the_string() {
        use DrawStep::{Entities, Layer};
        assert_eq!(steps("1ER", 1), [Layer(0), Entities]);
        assert_eq!(steps("12E3R", 3), [Layer(0), Layer(1), Entities, Layer(2)]);
        assert_eq!(
            steps("0 9x1eE4R2", 4),
            [Layer(0), Entities, Layer(3), Layer(1)]
        );
        assert_eq!(steps("110", 10), [Layer(0), Layer(0), Layer(9)]);
        assert_eq!(steps("", 2), [Layer(0), Layer(1), Entities]);
        assert_eq!(steps("r1e", 1), [Layer(0)]);
    }

    #[test]
    fn oddities_are_reported_once() {
        assert_eq!(oddities("12E3R", 3), [""; 0]);
        let odd = oddities("0 9x1eE4R299", 4);
        assert_eq!(
            odd,
            [
                "`0` in the render string `0 9x1eE4R299` draws layer 9, but the map has 4 layers; ignored",
                "`9` in the render string `0 9x1eE4R299` draws layer 8, but the map has 4 layers; ignored",
                "unknown characters ` xe` in the render string `0 9x1eE4R299`; expected 0 to 9, E and R",
            ]
        );
        assert!(oddities("", 3)[0].contains("empty"));
        assert!(oddities(&"q".repeat(100_000), 1)[0].len() < 200);
    }
}
