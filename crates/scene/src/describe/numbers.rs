//! Numbers as programs and as people read them.

use serde_json::Value;

/// A number for JSON, as short as it can be written: 0.05 and not 0.05000000074505806. Null for
/// one that is not finite.
pub(crate) fn number(value: f32) -> Value {
    value
        .to_string()
        .parse::<f64>()
        .map_or(Value::Null, Value::from)
}

/// A number for people with so many decimals. What is rounded to nothing has no sign.
pub fn fixed(value: impl Into<f64>, decimals: usize) -> String {
    without_sign_of_zero(format!("{:.decimals$}", value.into()))
}

/// A number as it is written, without the sign of one that is nothing.
pub fn without_sign_of_zero(mut number: String) -> String {
    let digits = number.strip_prefix('-');
    if digits.is_some_and(|digits| digits.bytes().all(|byte| matches!(byte, b'0' | b'.'))) {
        number.remove(0);
    }
    number
}

/// A number for people: at most four decimals, and no more than it needs.
pub(crate) fn short(value: f32) -> String {
    let text = fixed(value, 4);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    // What four decimals would make nothing of is written with its exponent.
    if text == "0" && value != 0.0 {
        return format!("{value:.2e}");
    }
    text.to_owned()
}

/// Numbers with the names of their axes, for people.
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
