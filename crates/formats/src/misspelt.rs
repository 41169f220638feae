//! Suggestions for names that look like a misspelling of a known one. They are shown, but never
//! applied.

/// Maximum number of letters that differ in a long name.
const MAX_EDITS: usize = 2;

/// Returns the known name that is most similar to an unknown one, for "did you mean". Names that
/// differ only in case are similar; other short names never are, since they resemble too many.
pub fn suggest(name: &str, known: impl IntoIterator<Item: AsRef<str>>) -> Option<String> {
    let most = match name.len() {
        0..4 => 0,
        4..9 => 1,
        _ => MAX_EDITS,
    };
    let distance = |known: &str| {
        if known.eq_ignore_ascii_case(name) {
            return Some(0).filter(|_| known != name);
        }
        // Names in files can be very long, and comparing them would take as long.
        let is_alike = known.len().abs_diff(name.len()) <= most;
        let distance = is_alike.then(|| strsim::osa_distance(name, known))?;
        (1..=most).contains(&distance).then_some(distance)
    };
    let known = known.into_iter();
    let near = known.filter_map(|known| Some((distance(known.as_ref())?, known)));
    let (_, nearest) = near.min_by_key(|(distance, _)| *distance)?;
    Some(nearest.as_ref().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let known = ["zone", "zones", "obstructions", "x"];
        let suggest = |name| suggest(name, known);
        assert_eq!(suggest("znoes").as_deref(), Some("zones"));
        assert_eq!(suggest("ZONE").as_deref(), Some("zone"));
        assert_eq!(suggest("X").as_deref(), Some("x"));
        assert_eq!(suggest("obstuctons").as_deref(), Some("obstructions"));
        for other in ["layer", "zon", "y", ""] {
            assert_eq!(suggest(other), None, "{other}");
        }
    }
}
