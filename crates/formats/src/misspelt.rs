//! Names that are nearly one that is known.

/// Letters that may be too many, too few or others in a long name.
const MAX_SLIPS: usize = 2;

/// The one of several names that is misspelt in one that is none of them, if one is. Short names are near
/// to many.
pub(crate) fn meant(name: &str, known: impl IntoIterator<Item: AsRef<str>>) -> Option<String> {
    if name.len() < 4 {
        return None;
    }
    // Names in files can be of any length, and take as long to compare.
    let known = known
        .into_iter()
        .filter(|known| known.as_ref().len().abs_diff(name.len()) <= MAX_SLIPS);
    let near = known
        .map(|known| (strsim::osa_distance(name, known.as_ref()), known))
        .min_by_key(|(distance, _)| *distance);
    let (distance, near) = near?;
    let most = if name.len() > 8 { MAX_SLIPS } else { 1 };
    (1..=most)
        .contains(&distance)
        .then(|| near.as_ref().to_owned())
}

/// The one of several names from which a short one is a slip away, if it is only one.
pub(crate) fn near<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let is_near = |known: &&str| {
        known.len().abs_diff(name.len()) <= 1 && strsim::osa_distance(name, known) == 1
    };
    let mut near = known.filter(|_| name.len() < 4).filter(is_near);
    near.next().filter(|_| near.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_or_two_of_a_long_name_are_a_slip() {
        let known = ["zone", "zones", "obstructions"];
        let meant = |name| meant(name, known);
        assert_eq!(meant("znoes").as_deref(), Some("zones"));
        assert_eq!(meant("obstuctons").as_deref(), Some("obstructions"));
        assert_eq!(meant("zone"), None);
        assert_eq!(meant("layer"), None);
        assert_eq!(meant("zon"), None);
        assert_eq!(near("zon", known.into_iter()), Some("zone"));
        assert_eq!(near("xq", ["x", "y"].into_iter()), Some("x"));
        assert_eq!(near("q", ["x", "y"].into_iter()), None);
    }
}
