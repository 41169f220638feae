//! Trigonometry, rotations and curves with the same results on every machine.

use glam::{DQuat, DVec3};

/// The sine of an angle in whole turns.
pub(crate) fn sine(turns: f64) -> f64 {
    let turns = turns - turns.floor();
    // Reduced to the quarter turn around 0, where the series is exact to a few parts in 10^12.
    let quarter = if turns < 0.25 {
        turns
    } else if turns < 0.75 {
        0.5 - turns
    } else {
        turns - 1.0
    };
    let x = quarter * std::f64::consts::TAU;
    let mut term = x;
    let mut sum = x;
    for n in 1..9 {
        term *= -x * x / f64::from(2 * n * (2 * n + 1));
        sum += term;
    }
    sum
}

/// The cosine of an angle in whole turns.
pub(crate) fn cosine(turns: f64) -> f64 {
    sine(turns + 0.25)
}

/// A rotation around an axis of length 1, in degrees.
pub(crate) fn turn(axis: DVec3, degrees: f64) -> DQuat {
    let half = degrees / 720.0;
    DQuat::from_vec4((axis * sine(half)).extend(cosine(half)))
}

/// Combined rotation in degrees around X (nod, down if the nose points forward), then Z (tilt, up
/// moves to the right), then Y (turn to the left).
pub(crate) fn bend(nod: f64, turn_left: f64, tilt: f64) -> DQuat {
    turn(DVec3::Y, turn_left) * turn(DVec3::Z, -tilt) * turn(DVec3::X, nod)
}

/// A smooth curve through (position, value) pairs in ascending order, constant before the first and
/// after the last one.
pub(crate) fn curve(keys: &[(f64, f64)], at: f64) -> f64 {
    let next = keys.partition_point(|key| key.0 <= at);
    let Some(&(x1, y1)) = keys.get(next) else {
        return keys.last().map_or(0.0, |key| key.1);
    };
    let Some(first) = next.checked_sub(1) else {
        return y1;
    };
    let (x0, y0) = keys[first];
    // The slope at a key is that between its neighbours, but 0 at peaks and at the ends.
    let slope = |i: usize| {
        let (Some(before), Some(after)) =
            (i.checked_sub(1).and_then(|i| keys.get(i)), keys.get(i + 1))
        else {
            return 0.0;
        };
        let here = keys[i];
        if (here.1 - before.1) * (after.1 - here.1) <= 0.0 {
            0.0
        } else {
            (after.1 - before.1) / (after.0 - before.0)
        }
    };
    let width = x1 - x0;
    hermite(
        y0,
        slope(first) * width,
        y1,
        slope(next) * width,
        (at - x0) / width,
    )
}

/// Interpolates from `a` to `b` with the given slopes, for `t` from 0 to 1.
pub(crate) fn hermite(a: f64, slope_a: f64, b: f64, slope_b: f64, t: f64) -> f64 {
    let (t2, t3) = (t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0)
        + slope_a * (t3 - 2.0 * t2 + t)
        + b * (3.0 * t2 - 2.0 * t3)
        + slope_b * (t3 - t2)
}
