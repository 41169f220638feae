//! Number formatting for JSON and for display.

use serde_json::Value;

/// Converts a number to JSON with the fewest digits: 0.05 and not 0.05000000074505806. Non-finite
/// numbers become null.
pub(crate) fn number(value: f32) -> Value {
    value
        .to_string()
        .parse::<f64>()
        .map_or(Value::Null, Value::from)
}

/// Formats a number with the given number of decimals. A number that rounds to zero has no sign.
pub fn fixed(value: impl Into<f64>, decimals: usize) -> String {
    without_sign_of_zero(format!("{:.decimals$}", value.into()))
}

/// Removes the sign of a formatted number if it is zero.
pub fn without_sign_of_zero(mut number: String) -> String {
    let digits = number.strip_prefix('-');
    if digits.is_some_and(|digits| digits.bytes().all(|byte| matches!(byte, b'0' | b'.'))) {
        number.remove(0);
    }
    number
}

/// Formats a number for display with at most four decimals and no trailing zeros.
pub(crate) fn short(value: f32) -> String {
    let text = fixed(value, 4);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    // A number that four decimals would round to zero is written with an exponent.
    if text == "0" && value != 0.0 {
        return format!("{value:.2e}");
    }
    text.to_owned()
}

/// Formats numbers for display with the names of their axes.
pub(crate) fn xyz(values: impl Into<[f32; 3]>) -> String {
    let [x, y, z] = values.into().map(short);
    format!("x {x}  y {y}  z {z}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.05).to_string(), "0.05");
        assert_eq!(number(f32::NAN), Value::Null);
        let shorts = [0.05, -0.0, 12.0, 1.0 / 3.0, -2.50001, 3e-6, 1e9];
        let expected = ["0.05", "0", "12", "0.3333", "-2.5", "3.00e-6", "1000000000"];
        assert_eq!(shorts.map(short), expected);
        assert_eq!(short(f32::INFINITY), "inf");
        assert_eq!(xyz([1.0, 0.5, -2.0]), "x 1  y 0.5  z -2");
    }

    #[test]
    fn nothing_has_no_sign() {
        let numbers = [-0.0, -0.04, -0.05, -10.0, 0.04, f64::NEG_INFINITY];
        let expected = ["0.0", "0.0", "-0.1", "-10.0", "0.0", "-inf"];
        assert_eq!(numbers.map(|number| fixed(number, 1)), expected);
        assert_eq!(fixed(-0.4_f32, 0), "0");
        assert_eq!(xyz([-0.0, -0.00001, 0.0]), "x 0  y -1.00e-5  z 0");
        let written = ["-0.0", "-0", "-0.01", "--"].map(str::to_owned);
        let expected = ["0.0", "0", "-0.01", "--"];
        assert_eq!(written.map(without_sign_of_zero), expected);
    }
}
