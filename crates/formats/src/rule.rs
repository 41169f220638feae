//! Rules: the faults that files can have, each with a stable id.

use crate::Severity;

/// A fault that files can have, with an id that is stable across versions.
#[derive(Debug)]
pub struct Rule {
    /// The format and a short name, such as `pfmap/tile-type`.
    pub id: &'static str,
    /// Severity.
    pub severity: Severity,
    /// `true` if something in a file may be left out because of it. Otherwise everything is read
    /// and only the engine objects, unless the problem reports a loss
    /// ([`Problem::may_leave_out`](crate::Problem::may_leave_out)).
    pub leaves_out: bool,
    /// The fault as a sentence.
    pub summary: &'static str,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// Makes a table of rules: a static for each rule, and `RULES`, which lists all. The doc comment of
/// a rule is its sentence. The rules are `pub(crate)` unless `pub;` comes first. Errors leave
/// something out ([`Rule::leaves_out`]) unless the table has `all is read`.
///
/// ```
/// mod rules {
///     mapscope_formats::rules! {
///         /// A tile is of a type that does not exist.
///         Error TILE_TYPE = "example/tile-type";
///         /// A name is too long for the engine.
///         Error NAME = "example/name", all is read;
///     }
/// }
/// assert_eq!(rules::TILE_TYPE.summary, "A tile is of a type that does not exist.");
/// assert!(rules::TILE_TYPE.leaves_out && !rules::NAME.leaves_out);
/// assert_eq!(rules::RULES.len(), 2);
/// ```
#[macro_export]
macro_rules! rules {
    (pub; $($rules:tt)+) => {
        $crate::rules!(@ (pub) $($rules)+);
    };
    (@ all) => {
        false
    };
    (@ ($vis:vis) $(
        $(#[doc = $summary:literal])+
        $severity:ident $name:ident = $id:literal $(, $all:ident is read)?;
    )+) => {
        $(
            $(#[doc = $summary])+
            $vis static $name: $crate::Rule = $crate::Rule {
                id: $id,
                severity: $crate::Severity::$severity,
                leaves_out: matches!($crate::Severity::$severity, $crate::Severity::Error)
                    $(&& $crate::rules!(@ $all))?,
                summary: concat!($($summary),+).trim_ascii(),
            };
        )+
        /// All rules of the table.
        $vis static RULES: &[&$crate::Rule] = &[$(&$name),+];
    };
    ($($rules:tt)+) => {
        $crate::rules!(@ (pub(crate)) $($rules)+);
    };
}
