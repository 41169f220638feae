//! Formatting of Unix time.

const DAY_SECS: u64 = 24 * 60 * 60;
/// Days in 400 years of the Gregorian calendar.
const ERA_DAYS: u64 = 146_097;
/// Days from 1 March of the year 0 to 1 January 1970.
const EPOCH_DAYS: u64 = 719_468;
/// Start of the year 10000, in seconds of Unix time.
const YEAR_10000: u64 = 253_402_300_800;

/// Formats a time in UTC, such as `2025-09-15 00:00:00 UTC`, or as a number of seconds after the
/// year 9999.
pub(super) fn utc(unix_secs: u64) -> String {
    if unix_secs >= YEAR_10000 {
        return format!("{unix_secs} s of Unix time");
    }
    // Years that begin in March have their leap day at the end (Hinnant, "chrono-Compatible
    // Low-Level Date Algorithms").
    let days = unix_secs / DAY_SECS + EPOCH_DAYS;
    let day_of_era = days % ERA_DAYS;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + days / ERA_DAYS * 400 + u64::from(month <= 2);
    let secs = unix_secs % DAY_SECS;
    let [hour, minute, second] = [secs / 3600, secs / 60 % 60, secs % 60];
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let dates = [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59:59 UTC"),
            (1_757_894_400, "2025-09-15 00:00:00 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (253_402_300_799, "9999-12-31 23:59:59 UTC"),
            (253_402_300_800, "253402300800 s of Unix time"),
        ];
        for (secs, date) in dates {
            assert_eq!(utc(secs), date);
        }
    }
}
