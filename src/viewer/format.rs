//! Formats numbers for display.

use mapscope_formats::Plural;
use mapscope_scene::fixed;

/// Separator of groups of three digits: a narrow space that does not break lines.
const DIGIT_GROUP_SEPARATOR: char = '\u{202f}';

/// Formats a count with its digits in groups of three, such as `16 384`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(DIGIT_GROUP_SEPARATOR);
        }
        text.push(digit);
    }
    text
}

/// Groups the digits of numbers in a text by three. Only numbers between spaces are grouped: they
/// are counts.
pub(super) fn with_counts(text: &str) -> String {
    text.split(' ').map(grouped).collect::<Vec<_>>().join(" ")
}

/// Like [`with_counts`], for texts in which numbers may be names: only numbers before a noun are
/// counts.
pub(super) fn with_counts_of(text: &str) -> String {
    let mut words = text.split(' ').peekable();
    let mut grouped_words = Vec::new();
    while let Some(word) = words.next() {
        let next = words.peek().and_then(|next| next.chars().next());
        let is_before_noun = next.is_some_and(char::is_alphabetic) && !word.ends_with(',');
        grouped_words.push(if is_before_noun {
            grouped(word)
        } else {
            word.to_owned()
        });
    }
    grouped_words.join(" ")
}

/// Returns a word with its digits in groups of three if it is a number.
fn grouped(word: &str) -> String {
    let digits = word.trim_end_matches(',');
    let is_number = digits.bytes().all(|b| b.is_ascii_digit());
    match digits.parse().ok().filter(|_| is_number) {
        Some(number) => [count(number).as_str(), &word[digits.len()..]].concat(),
        None => word.to_owned(),
    }
}

/// Formats an amount of memory with a suitable unit, such as `12.5 MiB`.
pub(super) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    // 1023.95 would be rounded to 1024.0.
    while amount >= 1023.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{} {}", fixed(amount, 1), UNITS[unit])
}

/// Formats a duration, such as `16.7 ms`.
pub(super) fn milliseconds(milliseconds: f32) -> String {
    let decimals = if milliseconds < 10.0 { 2 } else { 1 };
    format!("{} ms", fixed(milliseconds, decimals))
}

/// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least
/// `at_least`: the distance between marks of an axis. Returns 1 unless `at_least` is finite and
/// positive.
pub(super) fn round_step(at_least: f64) -> f64 {
    if !(at_least.is_finite() && at_least > 0.0) {
        return 1.0;
    }
    let power = 10.0_f64.powf(at_least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let fits = |step: &f64| *step >= at_least * (1.0 - 1e-9);
    steps.into_iter().find(fits).unwrap_or(at_least)
}

/// Formats a number and its noun, such as `1 error` or `12 errors`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{} {}", count(number as u64), Plural(noun)),
    }
}

/// A sentence with a capital letter at its beginning.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        let plain = |n| count(n).replace(DIGIT_GROUP_SEPARATOR, " ");
        assert_eq!(plain(0), "0");
        assert_eq!(plain(999), "999");
        assert_eq!(plain(1000), "1 000");
        assert_eq!(plain(4_194_304), "4 194 304");
        assert_eq!(plain(u64::MAX), "18 446 744 073 709 551 615");
    }

    #[test]
    fn counts_in_a_text_are_grouped_and_all_else_stays() {
        let plain = |text| with_counts(text).replace(DIGIT_GROUP_SEPARATOR, " ");
        assert_eq!(
            plain("12345 triangles, 1000, x"),
            "12 345 triangles, 1 000, x"
        );
        assert_eq!(plain("x -1234.5  line 12:3456"), "x -1234.5  line 12:3456");
        assert_eq!(
            plain(" , 99999999999999999999999"),
            " , 99999999999999999999999"
        );
    }

    #[test]
    fn numbers_before_nouns_are_grouped_and_names_stay() {
        let plain = |text| with_counts_of(text).replace(DIGIT_GROUP_SEPARATOR, " ");
        assert_eq!(
            plain("open, island 1 of 61234 cells"),
            "open, island 1 of 61 234 cells"
        );
        assert_eq!(plain("line 4021"), "line 4021");
        assert_eq!(plain("row 1234, column 1000"), "row 1234, column 1000");
    }

    #[test]
    fn memory_is_formatted_in_a_suitable_unit() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1.0 MiB");
        assert_eq!(bytes(58_720_256), "56.0 MiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }

    #[test]
    fn marks_are_round_numbers_apart() {
        let near = |at_least: f64, step: f64| (round_step(at_least) / step - 1.0).abs() < 1e-6;
        for (at_least, step) in [
            (1.0, 1.0),
            (1.1, 2.0),
            (3.0, 5.0),
            (7.0, 10.0),
            (0.021, 0.05),
            (199.0, 200.0),
            (f64::NAN, 1.0),
            (-3.0, 1.0),
        ] {
            assert!(near(at_least, step), "{at_least}: {}", round_step(at_least));
        }
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "error"), "1 error");
        assert_eq!(counted(0, "error"), "0 errors");
    }

    #[test]
    fn short_times_have_more_digits() {
        assert_eq!(milliseconds(1.234), "1.23 ms");
        assert_eq!(milliseconds(16.66), "16.7 ms");
    }
}
