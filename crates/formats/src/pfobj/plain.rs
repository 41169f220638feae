//! The fast path for vertices, poses and bounds in the usual layout of real files, without other
//! checks. If the layout differs or a value is odd, nothing is read here, and the slow path reads
//! the record line by line.

use super::number::{plain_index, plain_number};
use super::{Bounds, Influence, MAX_INFLUENCES, Rotation, Transform, Vertex, is_unit};

/// Maximum number of spaces and tabs before a line.
const MAX_INDENT: usize = 16;

/// A text and a read position. Every accepted line is short enough for the engine, since the length
/// of its parts is limited.
#[derive(Clone, Copy)]
pub(super) struct Plain<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Plain<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Reads the five lines of a vertex and adds its influences.
    #[inline]
    pub(super) fn vertex(&mut self, influences: &mut Vec<Influence>) -> Option<Vertex> {
        self.expect(b"v ")?;
        let position = self.numbers(b' ')?;
        self.line_end()?;
        self.expect(b"vt ")?;
        let uv = self.numbers(b' ')?;
        self.line_end()?;
        self.expect(b"vn ")?;
        let normal = self.numbers(b' ')?;
        self.line_end()?;
        self.expect(b"vw ")?;
        let first_influence = influences.len();
        let influence_count = self.influences(influences)?;
        self.expect(b"vm ")?;
        let material = self.index()?;
        self.line_end()?;
        Some(Vertex {
            position,
            uv,
            normal,
            first_influence: u32::try_from(first_influence).ok()?,
            influence_count,
            material,
        })
    }

    /// Reads the rest of a `vw` line.
    #[inline]
    fn influences(&mut self, influences: &mut Vec<Influence>) -> Option<u8> {
        let mut count = 0;
        while self.line_end().is_none() {
            // Real files have a second space before the first influence.
            if self.peek()? == b' ' {
                self.at += 1;
                continue;
            }
            if count == MAX_INFLUENCES {
                return None;
            }
            let joint = self.index()?;
            self.expect(b"/")?;
            let weight = self.number()?;
            if weight < 0.0 {
                return None;
            }
            influences.push(Influence { joint, weight });
            count += 1;
        }
        Some(count as u8)
    }

    /// Reads the line of a pose, if it has this number, from 1.
    #[inline]
    pub(super) fn pose(&mut self, number: u32) -> Option<Transform> {
        self.indent()?;
        if self.index()? != number {
            return None;
        }
        self.expect(b" ")?;
        let scale = self.numbers(b'/')?;
        self.expect(b" ")?;
        let rotation: [f32; 4] = self.numbers(b'/')?;
        if !is_unit(&rotation) {
            return None;
        }
        self.expect(b" ")?;
        let translation = self.numbers(b'/')?;
        self.line_end()?;
        Some(Transform {
            scale,
            rotation: Rotation::ConjugatedQuaternion(rotation),
            translation,
        })
    }

    /// Reads the three lines of bounds.
    pub(super) fn bounds(&mut self) -> Option<Bounds> {
        let mut bounds = Bounds {
            min: [0.0; 3],
            max: [0.0; 3],
        };
        for (axis, key) in [b"x_bounds ", b"y_bounds ", b"z_bounds "]
            .into_iter()
            .enumerate()
        {
            self.indent()?;
            self.expect(key)?;
            let [min, max] = self.numbers(b' ')?;
            self.line_end()?;
            if min > max {
                return None;
            }
            (bounds.min[axis], bounds.max[axis]) = (min, max);
        }
        Some(bounds)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn expect<const N: usize>(&mut self, text: &[u8; N]) -> Option<()> {
        if self.bytes.get(self.at..)?.first_chunk::<N>()? != text {
            return None;
        }
        self.at += N;
        Some(())
    }

    #[inline]
    fn number(&mut self) -> Option<f32> {
        let (number, end) = plain_number(self.bytes, self.at)?;
        self.at = end;
        Some(number)
    }

    #[inline]
    fn numbers<const N: usize>(&mut self, separator: u8) -> Option<[f32; N]> {
        let mut numbers = [0.0; N];
        for (i, number) in numbers.iter_mut().enumerate() {
            if i > 0 {
                self.expect(&[separator])?;
            }
            *number = self.number()?;
        }
        Some(numbers)
    }

    #[inline]
    fn index(&mut self) -> Option<u32> {
        let (index, end) = plain_index(self.bytes, self.at)?;
        self.at = end;
        Some(index)
    }

    #[inline]
    fn line_end(&mut self) -> Option<()> {
        match self.peek()? {
            b'\n' => self.at += 1,
            b'\r' => return self.expect(b"\r\n"),
            _ => return None,
        }
        Some(())
    }

    fn indent(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek()?, b' ' | b'\t') {
            self.at += 1;
        }
        (self.at - start <= MAX_INDENT).then_some(())
    }
}
