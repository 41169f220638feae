//! Names that are nearly one that is known.

/// Letters that may be too many, too few or others in a long name.
const MAX_SLIPS: usize = 2;

/// The one of several names that is misspelt in one that is none of them, if one is. Short names are near
/// to many.
pub(crate) fn meant(name: &str, known: impl IntoIterator<Item: AsRef<str>>) -> Option<String> {
    nearest(name, known).map(|(near, _)| near)
}

/// The same, and whether no other one is as near.
pub(crate) fn nearest(
    name: &str,
    known: impl IntoIterator<Item: AsRef<str>>,
) -> Option<(String, bool)> {
    if name.len() < 4 {
        return None;
    }
    let most = if name.len() > 8 { MAX_SLIPS } else { 1 };
    let mut nearest: Option<(usize, String, bool)> = None;
    for known in known {
        let known = known.as_ref();
        // Names in files can be of any length, and take as long to compare.
        if known.len().abs_diff(name.len()) > MAX_SLIPS {
            continue;
        }
        let distance = strsim::osa_distance(name, known);
        match &mut nearest {
            Some((least, ..)) if *least < distance => {}
            Some((least, _, is_only)) if *least == distance => *is_only = false,
            _ => nearest = Some((distance, known.to_owned(), true)),
        }
    }
    let (distance, near, is_only) = nearest?;
    (1..=most).contains(&distance).then_some((near, is_only))
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
        let scales = ["scale_x", "scale_y"];
        let nearest = |name| nearest(name, scales).map(|(_, is_only)| is_only);
        assert_eq!(
            ["scaleX", "scale_z", "scal_x"].map(nearest),
            [None, Some(false), Some(true)]
        );
        assert_eq!(meant("zon"), None);
        assert_eq!(near("zon", known.into_iter()), Some("zone"));
        assert_eq!(near("xq", ["x", "y"].into_iter()), Some("x"));
        assert_eq!(near("q", ["x", "y"].into_iter()), None);
    }
}
