//! Positions of the vertices in the text of a file.

/// Lines of a vertex.
const VERTEX_LINES: u64 = 5;

/// The lines of a file's vertices. In nearly every file they are five lines apart, which takes a
/// few bytes however many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Runs of vertices that are five lines apart: index and line of the first, both ascending.
    runs: Vec<(u32, u64)>,
    /// The line after the last line of the last vertex.
    end: u64,
    /// Number of vertices.
    count: u32,
}

impl Layout {
    /// Returns the layout of the given number of vertices five lines apart, the first on the line
    /// after the head.
    pub fn regular(count: u32) -> Self {
        const FIRST_LINE: u64 = 8;
        Self {
            runs: if count == 0 {
                Vec::new()
            } else {
                vec![(0, FIRST_LINE)]
            },
            end: FIRST_LINE + VERTEX_LINES * u64::from(count),
            count,
        }
    }

    /// Creates an empty layout.
    pub(super) fn new() -> Self {
        Self {
            runs: Vec::new(),
            end: 0,
            count: 0,
        }
    }

    /// Adds a vertex by its first line and the line after its last one.
    #[inline]
    pub(super) fn push(&mut self, line: u64, end: u64) {
        if line != self.end || self.runs.is_empty() || !self.is_even() {
            self.runs.push((self.count, line));
        }
        self.count += 1;
        self.end = end;
    }

    /// `true` if the last run ends five lines after its last vertex begins.
    fn is_even(&self) -> bool {
        self.runs.last().is_some_and(|&(first, line)| {
            line + VERTEX_LINES * u64::from(self.count - first) == self.end
        })
    }

    /// Line of the file, from 1, on which a vertex begins; for a vertex that does not exist, the
    /// line after the last vertex.
    pub fn line(&self, vertex: u32) -> u64 {
        let run = self.runs.partition_point(|(first, _)| *first <= vertex);
        match run.checked_sub(1).and_then(|run| self.runs.get(run)) {
            Some((first, line)) if vertex < self.count => {
                line + VERTEX_LINES * u64::from(vertex - first)
            }
            _ => self.end.max(1),
        }
    }

    /// Index of the vertex that a line of the file, from 1, belongs to.
    pub fn vertex_at(&self, line: u64) -> Option<u32> {
        let run = self.runs.partition_point(|(_, first)| *first <= line);
        let (first, first_line) = *self.runs.get(run.checked_sub(1)?)?;
        let next = self.runs.get(run).map_or(self.count, |(index, _)| *index);
        let offset = u32::try_from((line - first_line) / VERTEX_LINES).ok()?;
        // Extra or blank lines can make a vertex longer than five lines.
        (line < self.end).then(|| first.saturating_add(offset).min(next - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn vertices_and_lines_are_found_from_each_other() {
        let mut layout = Layout::new();
        let starts = [8, 13, 18, 24, 29, 33, 40, 45, 50];
        for (i, start) in starts.into_iter().enumerate() {
            layout.push(start, starts.get(i + 1).copied().unwrap_or(55));
        }
        for (i, start) in (0..).zip(starts) {
            assert_eq!(layout.line(i), start);
            let end = if i == 8 { 55 } else { layout.line(i + 1) };
            for line in start..end {
                assert_eq!(layout.vertex_at(line), Some(i), "line {line}");
            }
        }
        for line in [0, 1, 7, 55, 60, u64::MAX] {
            assert_eq!(layout.vertex_at(line), None);
        }
        assert_eq!((layout.line(9), layout.line(u32::MAX)), (55, 55));
        assert_eq!(layout.runs.len(), 4);
    }

    #[test]
    fn a_regular_layout_is_short() {
        let mut layout = Layout::new();
        for i in 0..1000 {
            layout.push(8 + 5 * i, 13 + 5 * i);
        }
        assert_eq!(layout, Layout::regular(1000));
        assert_eq!(layout.runs.len(), 1);
        assert_eq!(Layout::regular(0).vertex_at(8), None);
        assert_eq!(Layout::regular(0).line(0), 8);
    }
}
