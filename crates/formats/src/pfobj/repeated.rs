//! Faults that many values of a model share, usually made by its exporter. Each is one problem,
//! with the count and the lines of the first occurrences.

use crate::{Place, Problems, Rule, Subject, counted, others_on_lines};

use super::rules;

/// Number of lines that are named besides the first.
pub(super) const MAX_LINES: usize = 3;

/// A fault that many values can share, and its message.
#[derive(Debug)]
pub(super) struct Fault {
    rule: &'static Rule,
    /// The faulty thing in the singular, and its fault.
    noun: &'static str,
    has: &'static str,
    /// The engine's behaviour.
    engine: &'static str,
}

/// Facts about the engine: fact sheet B1 to B3, and the specification of `normalize` in GLSL.
pub(super) static EMPTY_WEIGHTS: Fault = Fault {
    rule: &rules::EMPTY_WEIGHTS,
    noun: "line",
    has: "without a space after `vw`",
    engine: "the engine refuses it in a model with clips",
};
/// Six is [`MAX_INFLUENCES`](super::MAX_INFLUENCES).
pub(super) static INFLUENCES: Fault = Fault {
    rule: &rules::INFLUENCES,
    noun: "vertex",
    has: "with more than 6 weights",
    engine: "the engine ignores those after the first 6",
};
pub(super) static UNWEIGHTED: Fault = Fault {
    rule: &rules::UNWEIGHTED,
    noun: "vertex",
    has: "without weights",
    engine: "the engine leaves it in the bind pose",
};
pub(super) static NEGATIVE_WEIGHT: Fault = Fault {
    rule: &rules::NEGATIVE_WEIGHT,
    noun: "vertex",
    has: "with positive and negative weights",
    engine: "the engine normalises them, so some joints move the vertex the wrong way",
};
pub(super) static NEGATED_WEIGHTS: Fault = Fault {
    rule: &rules::NEGATED_WEIGHTS,
    noun: "vertex",
    has: "with only negative weights",
    engine: "the engine normalises them, with no visible effect",
};
pub(super) static ZERO_NORMAL: Fault = Fault {
    rule: &rules::ZERO_NORMAL,
    noun: "normal",
    has: "of length 0",
    engine: "the engine divides by the length, so the lighting is undefined",
};
pub(super) static NORMAL_LENGTH: Fault = Fault {
    rule: &rules::NORMAL_LENGTH,
    noun: "normal",
    has: "with a length other than 1",
    engine: "the engine normalises it, with no visible effect",
};
pub(super) static EULER_ROTATION: Fault = Fault {
    rule: &rules::EULER_ROTATION,
    noun: "rotation",
    has: "with three components",
    engine: "the engine expects a quaternion with four, read as degrees",
};
pub(super) static ROTATION: Fault = Fault {
    rule: &rules::ROTATION,
    noun: "quaternion",
    has: "of length 0",
    engine: "the engine applies no rotation",
};
pub(super) static ROTATION_LENGTH: Fault = Fault {
    rule: &rules::ROTATION_LENGTH,
    noun: "quaternion",
    has: "with a length other than 1",
    engine: "the engine distorts what it rotates",
};

pub(super) static POSE_ORDER: Fault = Fault {
    rule: &rules::POSE_ORDER,
    noun: "pose",
    has: "with the number of another joint",
    engine: "the engine uses the order of the lines",
};

/// An axis of bounds.
pub(super) static BOUNDS_ORDER: Fault = Fault {
    rule: &rules::BOUNDS_ORDER,
    noun: "line",
    has: "of bounds with min above max",
    engine: "the engine selects and culls with an empty box",
};

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Repeated(Vec<Found>);

#[derive(Debug)]
struct Found {
    fault: &'static Fault,
    /// Subject, place and example of the first occurrence.
    subject: Subject,
    place: Place,
    example: String,
    count: usize,
    /// Lines of the next occurrences.
    lines: Vec<u64>,
}

impl Repeated {
    /// Counts a fault. The first occurrence keeps an example, such as its length.
    #[cold]
    pub(super) fn add(
        &mut self,
        fault: &'static Fault,
        subject: Subject,
        (line, column): (u64, u32),
        example: impl FnOnce() -> String,
    ) {
        let known = self.0.iter_mut().find(|it| it.fault.rule == fault.rule);
        let Some(found) = known else {
            self.0.push(Found {
                fault,
                subject,
                place: (line, column).into(),
                example: example(),
                count: 1,
                lines: Vec::new(),
            });
            return;
        };
        found.count += 1;
        if found.lines.len() < MAX_LINES {
            found.lines.push(line);
        }
    }

    /// Lists each fault as one problem.
    pub(super) fn report(self, problems: &mut Problems) {
        for found in self.0 {
            let Fault {
                rule,
                noun,
                has,
                engine,
            } = found.fault;
            problems.add_about(rule, found.subject, found.place, || {
                let such_as = match found.example.as_str() {
                    "" => String::new(),
                    example => format!(", such as {example}"),
                };
                let others = others_on_lines(&found.lines, found.count - 1);
                let count = counted(found.count, noun);
                format!("{count} {has}{such_as}{others}; {engine}")
            });
        }
    }
}
