//! The releases in `CHANGELOG.md`, which follows Keep a Changelog.

use std::fmt::Write as _;

use crate::{Failure, PROGRAM};

/// A release of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Version number, such as `0.2.0`.
    pub version: String,
    /// Year, month and day, such as `2026-11-22`.
    pub date: String,
    /// Its changes, one per line.
    pub changes: Vec<String>,
}

/// Parses the releases of a changelog, newest first: headings such as `## [0.2.0] - 2026-11-22` and
/// the list items below them.
///
/// # Errors
/// If there are no releases, or if one has no date.
pub fn releases(changelog: &str) -> Result<Vec<Release>, Failure> {
    let mut releases: Vec<Release> = Vec::new();
    let mut is_in_item = false;
    for line in changelog.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            is_in_item = false;
            let (version, date) = heading
                .split_once(" - ")
                .ok_or_else(|| format!("`{line}`: expected `## [VERSION] - YEAR-MONTH-DAY`"))?;
            releases.push(Release {
                version: version.trim_matches(['[', ']']).to_owned(),
                date: date.to_owned(),
                changes: Vec::new(),
            });
            continue;
        }
        let Some(release) = releases.last_mut() else {
            continue;
        };
        let item = line.strip_prefix("- ");
        match (item, release.changes.last_mut()) {
            (Some(item), _) => release.changes.push(item.trim().to_owned()),
            (None, Some(change)) if is_in_item && line.starts_with("  ") => {
                change.push(' ');
                change.push_str(line.trim());
            }
            _ => {
                is_in_item = false;
                continue;
            }
        }
        is_in_item = true;
    }
    if releases.is_empty() {
        return Err("the changelog has no release".into());
    }
    Ok(releases)
}

/// The releases as a Debian changelog. `maintainer` is a name with an address, and `date_of`
/// converts a date to the form of RFC 5322.
///
/// # Errors
/// If `date_of` fails.
pub fn debian_changelog(
    releases: &[Release],
    maintainer: &str,
    date_of: impl Fn(&str) -> Result<String, Failure>,
) -> Result<String, Failure> {
    let mut text = String::new();
    for release in releases {
        let date = date_of(&release.date)?;
        writeln!(
            text,
            "{PROGRAM} ({}) unstable; urgency=medium\n",
            release.version
        )?;
        for change in &release.changes {
            let plain = change.replace('`', "");
            let mut line = "  *".to_owned();
            for word in plain.split_whitespace() {
                if line.chars().count() + 1 + word.chars().count() > 78 {
                    writeln!(text, "{line}")?;
                    "   ".clone_into(&mut line);
                }
                line.push(' ');
                line.push_str(word);
            }
            writeln!(text, "{line}")?;
        }
        writeln!(text, "\n -- {maintainer}  {date}\n")?;
    }
    Ok(text)
}
