//! Aligns two sequences, so that elements after an insertion or removal are still matched.
//!
//! Elements that occur once in both sequences and in the same order are matched, then the equal
//! runs around them. In a mesh, a corner occurs once for each adjacent triangle, but several
//! corners in a row are seldom repeated. Rows are therefore matched first, then single elements
//! between them. The time is that of sorting; the memory is a few numbers per element.

use std::collections::HashMap;

/// Lengths of the rows that must be unique, in the order of the attempts: the corners of a
/// triangle, then single elements.
const ROWS: [usize; 2] = [3, 1];

/// Returns the matching elements of two sequences: pairs of indices that increase on both sides.
/// The pairs do not depend on the order of the arguments.
pub(super) fn aligned(a: &[u64], b: &[u64]) -> Vec<[usize; 2]> {
    // The algorithm breaks ties by argument order, so the order is normalised first.
    let is_turned = (b.len(), b) < (a.len(), a);
    let (first, second) = if is_turned { (b, a) } else { (a, b) };
    let mut pairs = Vec::new();
    align(first, second, [0; 2], &ROWS, &mut pairs);
    if is_turned {
        for pair in &mut pairs {
            pair.reverse();
        }
    }
    pairs
}

/// Aligns two parts that begin at the indices `from`, and appends the pairs.
fn align(a: &[u64], b: &[u64], from: [usize; 2], rows: &[usize], pairs: &mut Vec<[usize; 2]>) {
    let begin = common(a.iter().zip(b));
    add_run(pairs, from, begin);
    let [a, b] = [a, b].map(|it| it.get(begin..).unwrap_or_default());
    let end = common(a.iter().rev().zip(b.iter().rev()));
    let ends = [a, b].map(|it| it.len() - end);
    let [a, b] = [(a, ends[0]), (b, ends[1])].map(|(it, end)| it.get(..end).unwrap_or_default());
    let from = from.map(|from| from + begin);
    if let Some((row, rows)) = rows.split_first() {
        let mut next = [0; 2];
        for [i, j] in rising(once_in_both(a, b, *row)) {
            // Most of them lie in the run around the previous pair.
            if i < next[0] || j < next[1] {
                continue;
            }
            let before = [&a[next[0]..i], &b[next[1]..j]];
            let at = [from[0] + next[0], from[1] + next[1]];
            align(before[0], before[1], at, rows, pairs);
            let run = common(a[i..].iter().zip(&b[j..]));
            add_run(pairs, [from[0] + i, from[1] + j], run);
            next = [i + run, j + run];
        }
        // If nothing was unique, this passes everything on to shorter rows.
        let at = [from[0] + next[0], from[1] + next[1]];
        align(&a[next[0]..], &b[next[1]..], at, rows, pairs);
    }
    add_run(pairs, [from[0] + ends[0], from[1] + ends[1]], end);
}

/// Number of equal pairs before the first unequal pair.
fn common<'h>(pairs: impl Iterator<Item = (&'h u64, &'h u64)>) -> usize {
    pairs.take_while(|(a, b)| a == b).count()
}

fn add_run(pairs: &mut Vec<[usize; 2]>, from: [usize; 2], count: usize) {
    pairs.extend((0..count).map(|i| from.map(|from| from + i)));
}

/// Start indices of rows of length `row` that occur exactly once in each sequence, ordered by the
/// first sequence.
fn once_in_both(a: &[u64], b: &[u64], row: usize) -> Vec<[usize; 2]> {
    #[derive(Default)]
    struct Seen {
        counts: [u32; 2],
        in_b: usize,
    }
    let mut seen: HashMap<&[u64], Seen> = HashMap::new();
    if a.len() < row || b.len() < row {
        return Vec::new();
    }
    for of_a in a.windows(row) {
        seen.entry(of_a).or_default().counts[0] += 1;
    }
    for (index, of_b) in b.windows(row).enumerate() {
        // Rows that A lacks cannot form a pair.
        if let Some(seen) = seen.get_mut(of_b) {
            seen.counts[1] += 1;
            seen.in_b = index;
        }
    }
    let rows = a.windows(row).enumerate();
    let once = rows.filter_map(|(index, of_a)| {
        let seen = seen.get(of_a).filter(|seen| seen.counts == [1, 1])?;
        Some([index, seen.in_b])
    });
    once.collect()
}

/// The longest subsequence of pairs that increases on both sides; the input increases on the first.
fn rising(pairs: Vec<[usize; 2]>) -> Vec<[usize; 2]> {
    if pairs.is_sorted_by_key(|[_, other]| *other) {
        return pairs;
    }
    // Longest increasing subsequence: `last_of` has the index of the last pair of the best list for
    // each length; `before` has the predecessor of each pair.
    let mut last_of: Vec<usize> = Vec::new();
    let mut before = Vec::with_capacity(pairs.len());
    for (index, [_, other]) in pairs.iter().enumerate() {
        let length = last_of.partition_point(|last| pairs[*last][1] < *other);
        before.push(length.checked_sub(1).map(|shorter| last_of[shorter]));
        match last_of.get_mut(length) {
            Some(last) => *last = index,
            None => last_of.push(index),
        }
    }
    let last = last_of.last().copied();
    let mut longest: Vec<_> = std::iter::successors(last, |index| before[*index])
        .map(|index| pairs[index])
        .collect();
    longest.reverse();
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the matched numbers, after checking that they are equal and their indices increase.
    #[track_caller]
    fn matched(a: &[u64], b: &[u64]) -> Vec<u64> {
        let pairs = aligned(a, b);
        assert!(pairs.iter().all(|[i, j]| a[*i] == b[*j]), "{pairs:?}");
        let rises = |pair: &[[usize; 2]]| pair[0][0] < pair[1][0] && pair[0][1] < pair[1][1];
        assert!(pairs.windows(2).all(rises), "{pairs:?}");
        pairs.iter().map(|[i, _]| a[*i]).collect()
    }

    #[test]
    fn what_is_inserted_or_removed_leaves_the_rest_matched() {
        let all: Vec<u64> = (0..20).collect();
        assert_eq!(matched(&all, &all), all);
        let mut less = all.clone();
        less.drain(7..9);
        less.remove(0);
        assert_eq!(matched(&all, &less), less);
        assert_eq!(matched(&less, &all), less);
        let mut changed = all.clone();
        (changed[3], changed[12]) = (100, 101);
        assert_eq!(matched(&all, &changed).len(), 18);
        assert!(matched(&all, &[]).is_empty());
        assert!(matched(&[1, 2], &[3, 4, 5]).is_empty());
    }

    #[test]
    fn the_order_of_the_two_changes_no_pair() {
        // Elements that occur once in both in another order: one of two must be dropped.
        assert_eq!(aligned(&[1, 2], &[2, 1]).len(), 1);
        for seed in 0..200_u64 {
            let made_up = |which: u64| {
                let number = move |i: u64| (i * i * 7 + i * (seed + which) + which * 5) % 11;
                (0..6 + (seed + which) % 4).map(number).collect::<Vec<_>>()
            };
            let [a, b] = [1, 2].map(made_up);
            let mut back = aligned(&b, &a);
            for pair in &mut back {
                pair.reverse();
            }
            assert_eq!(aligned(&a, &b), back, "{a:?} {b:?}");
        }
    }

    /// The corners of a grid of squares with two triangles each, as vertex numbers.
    fn grid(size: u64) -> Vec<u64> {
        let squares = (0..size).flat_map(|row| (0..size).map(move |col| row * (size + 1) + col));
        let corners = squares.flat_map(|at| {
            let below = at + size + 1;
            [at, at + 1, below + 1, at, below + 1, below]
        });
        corners.collect()
    }

    #[test]
    fn corners_that_occur_in_several_triangles_are_matched_in_their_rows() {
        let mesh = grid(6);
        for at in [0, 40, 41, 42, 100, mesh.len() - 3] {
            let mut more = mesh.clone();
            more.insert(at, mesh[50]);
            more.insert(at + 60.min(mesh.len() - at), 1000);
            assert_eq!(matched(&mesh, &more), mesh, "{at}");
            let mut less = mesh.clone();
            less.drain(at..at + 3);
            assert_eq!(matched(&mesh, &less), less, "{at}");
        }
    }

    #[test]
    fn what_is_moved_is_matched_on_one_side_of_it() {
        let all: Vec<u64> = (0..30).collect();
        let moved = [&all[10..20], &all[..10], &all[20..]].concat();
        assert_eq!(matched(&all, &moved).len(), 20);
        let turned: Vec<u64> = all.iter().rev().copied().collect();
        assert_eq!(matched(&all, &turned).len(), 1);
    }

    #[test]
    fn many_that_are_alike_are_matched_from_both_ends() {
        let same = vec![7; 10_000];
        let mut others = same.clone();
        others[5000] = 8;
        others.push(9);
        assert_eq!(matched(&same, &others).len(), 5000);
        others.pop();
        assert_eq!(matched(&same, &others).len(), 9999);
    }
}
