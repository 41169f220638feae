//! Flaws: triangles that the engine draws, or may draw, differently than intended. Includes the
//! lists of such triangles and their descriptions.

use glam::{DVec3, Vec3};

use super::Model;
use super::uses::Uses;
use crate::core::rules;
use crate::describe::outline::{heading_of, leaf};
use crate::describe::table::INTEGERS;
use crate::describe::table::{Table, field, integer, shown_only, table, text};
use crate::describe::value::Value;
use crate::{Flaw, ModelItem, OutlineNode, OverlayId};
use mapscope_formats::pfobj::{Pfobj, Vertex, rules as in_file};
use mapscope_formats::{Place, Problem, Problems, Rule, Subject, counted, others_on_lines};

/// Maximum number of listed triangles of a flaw.
const MAX_LISTED: usize = 500;
/// Maximum number of lines named in a problem, besides the first.
const MAX_LINES: usize = 3;
/// Minimum fraction of flawed triangles for a flaw of the whole mesh.
const MIN_WHOLE_MESH_FRACTION: f32 = 0.9;
/// Minimum ratio of a mesh's signed volume to the sum of its absolute parts. Below it, the sign of
/// the volume is not trusted.
const MIN_VOLUME_RATIO: f64 = 0.1;

impl Flaw {
    /// Display name of the triangles that have it.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Reversed => "Reversed triangles",
            Self::BentNormals => "Triangles with bent normals",
            Self::Unweighted => "Triangles without weights",
            Self::NoNormal => "Triangles without normals",
        }
    }

    /// Description of the flaw for a single triangle.
    fn triangle_description(self) -> &'static str {
        match self {
            Self::Reversed => "reversed: its winding contradicts its normals",
            Self::BentNormals => {
                "bent normals: their mean, but not each of them, points behind the triangle"
            }
            Self::Unweighted => "a corner has no weights",
            Self::NoNormal => "the normal of a corner has length 0",
        }
    }

    /// Effect of the flaw in the engine (fact sheet B3 and B4).
    fn engine_effect(self) -> &'static str {
        match self {
            Self::Reversed => {
                "seen from the side that their winding faces, and lit from the other: the winding or the \
                 normals are wrong"
            }
            Self::BentNormals => "culled by the winding, and lit as the normals say",
            Self::Unweighted => "the corner stays in the bind pose while the rest moves",
            Self::NoNormal => "how light falls on the corner is undefined",
        }
    }

    /// Overlay that shows the flaw, if any.
    pub(super) fn overlay(self) -> Option<OverlayId> {
        match self {
            Self::Reversed => Some(OverlayId::ReversedTriangles),
            Self::BentNormals => Some(OverlayId::NormalLines),
            Self::Unweighted => Some(OverlayId::JointWeights),
            Self::NoNormal => None,
        }
    }

    /// Flaw that problems of a rule are about.
    pub(super) fn of_rule(rule: &Rule) -> Option<Self> {
        if [&rules::FLIPPED_NORMALS, &rules::REVERSED_IN_P3M].contains(&rule) {
            return Some(Self::Reversed);
        }
        let rule_of = |flaw: &Self| match flaw {
            Self::Reversed => &rules::REVERSED_TRIANGLES,
            Self::BentNormals => &rules::BENT_NORMALS,
            Self::Unweighted => &in_file::UNWEIGHTED,
            Self::NoNormal => &in_file::ZERO_NORMAL,
        };
        Self::ALL.into_iter().find(|flaw| rule_of(flaw) == rule)
    }

    /// `true` if a triangle has the flaw, by its three corners. Reversed triangles may turn out to
    /// have bent normals instead, which is decided for all of them together.
    pub(super) fn matches_corners(self, pfobj: &Pfobj, corners: &[Vertex]) -> bool {
        match self {
            Self::Reversed => is_reversed(corners),
            Self::BentNormals => false,
            Self::Unweighted => corners.iter().any(|corner| pfobj.is_unweighted(corner)),
            Self::NoNormal => corners.iter().any(Vertex::has_no_normal),
        }
    }
}

/// Returns the normals of three corners, of length 1 or 0. Each comes with its dot product with the
/// direction that the triangle faces by its winding, which is 0 if the triangle is degenerate.
fn normals_and_leans(corners: &[Vertex]) -> impl Iterator<Item = (Vec3, f32)> {
    let face = match corners {
        [a, b, c] => {
            let [a, b, c] = [a, b, c].map(|corner| Vec3::from(corner.position));
            (b - a).cross(c - a).normalize_or_zero()
        }
        _ => Vec3::ZERO,
    };
    corners.iter().map(move |corner| {
        let normal = Vec3::from(corner.normal).normalize_or_zero();
        (normal, normal.dot(face))
    })
}

/// `true` if the winding of a triangle contradicts its normals: their mean points behind it (fact
/// sheet B4).
fn is_reversed(corners: &[Vertex]) -> bool {
    normals_and_leans(corners)
        .map(|(_, lean)| lean)
        .sum::<f32>()
        < 0.0
}

/// `true` if every normal of a triangle points behind it. Triangles that are reversed only by the
/// mean usually have normals that were smoothed over an edge.
pub(super) fn is_clearly_reversed(corners: &[Vertex]) -> bool {
    normals_and_leans(corners).all(|(_, lean)| lean < 0.0)
}

/// `true` if the triangles of a mesh wind outward, by the sign of its volume. Returns `None` if the
/// enclosed volume is too small to decide.
fn winds_outward(pfobj: &Pfobj) -> Option<bool> {
    let places = || {
        pfobj
            .vertices
            .iter()
            .map(|it| DVec3::from(Vec3::from(it.position)))
    };
    let min = places().reduce(DVec3::min)?;
    let max = places().reduce(DVec3::max)?;
    let center = (min + max) * 0.5;
    let (mut volume, mut each) = (0.0, 0.0);
    for corners in pfobj.vertices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|it| DVec3::from(Vec3::from(it.position)) - center);
        let six_times = a.dot(b.cross(c));
        volume += six_times;
        each += six_times.abs();
    }
    (volume.abs() > MIN_VOLUME_RATIO * each).then_some(volume > 0.0)
}

/// Returns the item of all triangles with a flaw.
pub(super) fn flaw_item(flaw: Flaw) -> ModelItem {
    ModelItem::Flaw { flaw }
}

/// Reports reversed triangles as problems, and triangles with bent normals as notes. `problems` are
/// those of the file.
pub(super) fn check(pfobj: &Pfobj, uses: &Uses, problems: &mut Vec<Problem>, notes: &mut Problems) {
    let all = counted(pfobj.triangle_count(), "triangle");
    let line = |triangle: u32| pfobj.vertex_line(triangle * 3);
    // For the given triangles: the subject, the place, and the lines of the others.
    let first_of = |triangles: &[u32]| {
        let (first, others) = triangles.split_first()?;
        let lines: Vec<u64> = others
            .iter()
            .take(MAX_LINES)
            .map(|triangle| line(*triangle))
            .collect();
        let at = others_on_lines(&lines, others.len());
        Some((Subject::Vertex(first * 3), Place::line(line(*first)), at))
    };
    // If a line of a vertex or a whole vertex is missing or redundant, the corners after it belong
    // to other triangles.
    let shifted = |problem: &&mut Problem| {
        [&in_file::LINE, &in_file::COUNT].contains(&problem.rule)
            && matches!(problem.subject, Subject::Vertex(_))
    };
    let bent = uses.flawed(Flaw::BentNormals);
    if let Some((subject, place, others)) = first_of(bent) {
        let count = bent.len();
        notes.add_about(&rules::BENT_NORMALS, subject, place, || {
            format!(
                "{count} of {all} with a mean normal that points behind them{others}; usually \
                 caused by normals smoothed over an edge"
            )
        });
    }
    let reversed = uses.flawed(Flaw::Reversed);
    if let Some((subject, place, others)) = first_of(reversed) {
        let count = reversed.len();
        let is_clear = |triangle: &&u32| {
            let first = **triangle as usize * 3;
            let corners = pfobj.vertices.get(first..first + 3);
            is_clearly_reversed(corners.unwrap_or_default())
        };
        let clear = reversed.iter().filter(is_clear).count();
        let is_whole = clear as f32 >= MIN_WHOLE_MESH_FRACTION * pfobj.triangle_count() as f32;
        let outward = is_whole.then(|| winds_outward(pfobj)).flatten();
        let of_all = match clear {
            clear if clear == count => String::new(),
            clear => format!(" ({clear} of them all three normals)"),
        };
        let (rule, message) = match outward {
            Some(true) => (
                &rules::FLIPPED_NORMALS,
                format!(
                    "{count} of {all} with normals that point into the mesh{others}; the engine \
                     lights them from the wrong side (recalculate the normals outside)"
                ),
            ),
            Some(false) => (
                &rules::REVERSED_TRIANGLES,
                format!(
                    "{count} of {all} with a winding that contradicts their normals{others}; \
                     the engine shows the mesh from inside (apply the negative scale or flip \
                     the faces)"
                ),
            ),
            None => (
                &rules::REVERSED_TRIANGLES,
                format!(
                    "{count} of {all} with a winding that contradicts their \
                     normals{of_all}{others}; the engine shows them only from behind"
                ),
            ),
        };
        let problem = Problem::new(rule, subject, place, message);
        match problems.iter_mut().find(shifted) {
            Some(cause) => cause.add_consequence(problem),
            None => problems.push(problem),
        }
    }
}

impl Model {
    /// Returns the triangles that have a flaw, by their index in the file, in ascending order.
    pub fn flawed(&self, flaw: Flaw) -> &[u32] {
        self.uses.flawed(flaw)
    }

    /// Returns the flaws of a drawn triangle.
    pub(super) fn triangle_flaws(&self, triangle: u32) -> impl Iterator<Item = Flaw> {
        let has = move |flaw: &Flaw| self.flawed(*flaw).binary_search(&triangle).is_ok();
        Flaw::ALL.into_iter().filter(has)
    }

    /// Lists the flaws of a triangle that `is_included` selects, each with a link to the other
    /// triangles that have it.
    pub(super) fn flaw_values(&self, triangle: u32, is_included: fn(Flaw) -> bool) -> Value {
        let flaws = self
            .triangle_flaws(triangle)
            .filter(|flaw| is_included(*flaw));
        Value::list(
            flaws.map(|flaw| Value::from(flaw.triangle_description()).link(flaw_item(flaw))),
        )
    }

    /// Returns the triangles with a flaw.
    pub(super) fn flaw_value(&self, flaw: Flaw) -> Value {
        Value::integers(self.flawed(flaw).iter().copied())
    }

    /// Returns the number of triangles with a flaw, with a link to them. If there are none, the
    /// value is absent, except for reversed triangles.
    pub(super) fn flaw_count(&self, flaw: Flaw) -> Value {
        match self.flawed(flaw).len() {
            0 if flaw == Flaw::Reversed => "none".into(),
            0 => Value::absent(),
            count => Value::from(count).link(flaw_item(flaw)),
        }
    }

    /// Returns the vertices without weights.
    pub(super) fn unweighted(&self) -> Value {
        let vertices = self.pfobj.vertices.iter().zip(0_u32..);
        let bad = &self.pfobj.bad_vertices;
        let vertices = vertices.filter(|(vertex, index)| {
            self.pfobj.is_unweighted(vertex) && bad.binary_search(index).is_err()
        });
        let indices: Vec<u32> = vertices.map(|(_, index)| index).collect();
        Value::integers(indices)
    }

    /// Returns an outline heading for each existing flaw, with its first triangles.
    pub(super) fn flaw_lines(&self) -> impl Iterator<Item = OutlineNode> {
        let flaws = Flaw::ALL
            .into_iter()
            .filter(|flaw| !self.flawed(*flaw).is_empty());
        flaws.map(|flaw| OutlineNode {
            item: Some(flaw_item(flaw).into()),
            ..heading_of(
                flaw.title(),
                self.flawed(flaw).iter().copied(),
                MAX_LISTED,
                |index| {
                    let item = ModelItem::Triangle { index };
                    let place = match self.offset_of_triangle(index) {
                        Some(offset) => format!("{offset:#x}"),
                        None => format!("line {}", self.pfobj.vertex_line(index * 3)),
                    };
                    leaf(format!("Triangle {index}"), item.into(), place)
                },
            )
        })
    }

    /// Returns the record of a flaw, if any triangle has it.
    pub(super) fn flaw_at(&self, flaw: Flaw) -> Option<FlawAt<'_>> {
        let first = *self.flawed(flaw).first()?;
        Some(FlawAt {
            model: self,
            flaw,
            first,
        })
    }
}

/// All triangles with a flaw.
pub(super) struct FlawAt<'a> {
    model: &'a Model,
    flaw: Flaw,
    /// First such triangle.
    first: u32,
}

impl<'a> FlawAt<'a> {
    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Flaw",
        text("What", "name", |at: &Self| {
            Value::from(at.flaw.to_string()).shown_as(at.flaw.title())
        })
        .in_summary(),
        integer("Count", "count", |at: &Self| {
            let count = at.model.flawed(at.flaw).len();
            let all = at.model.pfobj.triangle_count();
            Value::from(count).shown_as(format!("{count} of {all}"))
        })
        .in_summary(),
        shown_only("In the engine", |at: &Self| at.flaw.engine_effect().into()),
        shown_only("First", |at: &Self| {
            let index = at.first;
            let line = at.model.pfobj.vertex_line(index * 3);
            Value::from(format!("triangle {index}, line {line}"))
                .link(ModelItem::Triangle { index })
        }),
        field("Triangles", "triangles", INTEGERS, |at: &Self| at
            .model
            .flaw_value(at.flaw))
        .hidden(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::sample::{self, influence};
    use crate::{Direction, Document, Item, Places as _, Playhead, Shown, Walk as _};

    /// A row of quads. In every second triangle, the winding contradicts the normals.
    fn half_reversed(quads: usize) -> Pfobj {
        let mut pfobj = sample::quad();
        pfobj.vertices = pfobj.vertices.repeat(quads);
        for triangle in pfobj.vertices.chunks_exact_mut(3).skip(1).step_by(2) {
            triangle.swap(1, 2);
        }
        pfobj.layout = mapscope_formats::pfobj::Layout::regular(pfobj.vertices.len() as u32);
        pfobj
    }

    fn of_rule(problems: &[Problem], id: &str) -> Vec<String> {
        let problems = problems.iter().filter(|problem| problem.rule.id == id);
        problems.map(Problem::facts).collect()
    }

    #[test]
    fn reversed_triangles_are_one_problem_that_leads_to_all_of_them() {
        let model = sample::model(half_reversed(5));
        assert_eq!(model.flawed(Flaw::Reversed), [1, 3, 5, 7, 9]);
        let said = of_rule(&model.about().problems, "pfobj/reversed-triangles");
        assert_eq!(
            said,
            ["23:1: warning: pfobj/reversed-triangles (Vertex 3): 1 10 113 5 53 83"]
        );
        let problems = &model.about().problems;
        let problem = problems.iter().find(|it| it.facts() == said[0]);
        let target = model.problem_target(problem.unwrap()).unwrap();
        assert_eq!(target.item, flaw_item(Flaw::Reversed).into());
        assert_eq!(target.overlay, Some(OverlayId::ReversedTriangles));
        let straight = sample::model(sample::quad());
        assert!(of_rule(&straight.about().problems, "pfobj/reversed-triangles").is_empty());
        assert!(straight.notes().is_empty());
    }

    /// A cube around the origin with flat normals.
    fn cube() -> Pfobj {
        let mut pfobj = sample::quad();
        let (quad, mut vertices) = (pfobj.vertices.clone(), Vec::new());
        for face in 0..6 {
            let turn = match face {
                0..4 => glam::Quat::from_rotation_y(face as f32 * std::f32::consts::FRAC_PI_2),
                4 => glam::Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
                _ => glam::Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
            };
            for mut corner in quad.iter().copied() {
                let [x, y, _] = corner.position;
                corner.position = (turn * Vec3::new(x - 0.5, y - 0.5, 0.5)).to_array();
                corner.normal = (turn * Vec3::Z).to_array();
                vertices.push(corner);
            }
        }
        pfobj.layout = mapscope_formats::pfobj::Layout::regular(vertices.len() as u32);
        pfobj.vertices = vertices;
        pfobj
    }

    #[test]
    fn flipped_normals_and_a_mirrored_mesh_are_told_apart() {
        let rules = |pfobj: Pfobj| {
            let model = sample::model(pfobj);
            let problems = model.about().problems.iter();
            let target = |problem: &Problem| Some(model.problem_target(problem)?.item);
            let found = problems.map(|problem| (problem.rule.id, target(problem)));
            let is_of_flaws = |id: &str| id.ends_with("normals") || id.ends_with("triangles");
            found.filter(|(id, _)| is_of_flaws(id)).collect::<Vec<_>>()
        };
        assert!(rules(cube()).is_empty());
        let reversed = Some(flaw_item(Flaw::Reversed).into());
        let mut flipped = cube();
        for corner in &mut flipped.vertices {
            corner.normal = corner.normal.map(|x| -x);
        }
        assert_eq!(rules(flipped), [("pfobj/flipped-normals", reversed)]);
        let mut mirrored = cube();
        for corner in &mut mirrored.vertices {
            corner.position[0] *= -1.0;
            corner.normal[0] *= -1.0;
        }
        assert_eq!(rules(mirrored), [("pfobj/reversed-triangles", reversed)]);
        // An open or partly reversed mesh gives no result for the whole.
        assert_eq!(winds_outward(&sample::quad()), None);
    }

    #[test]
    fn normals_that_were_smoothed_over_an_edge_are_a_note() {
        let mut pfobj = sample::quad();
        for corner in &mut pfobj.vertices[3..5] {
            corner.normal = [0.0, 0.6, -0.8];
        }
        let model = sample::model(pfobj.clone());
        assert_eq!(model.flawed(Flaw::BentNormals), [1]);
        assert!(model.flawed(Flaw::Reversed).is_empty());
        assert!(of_rule(&model.about().problems, "pfobj/reversed-triangles").is_empty());
        // The window uses the same wording.
        let item = flaw_item(Flaw::BentNormals).into();
        let target = model.problem_target(&model.notes()[0]).unwrap();
        assert_eq!(target.item, item);
        let outline = model.outline();
        let labels: Vec<_> = outline.iter().map(|line| line.label.as_str()).collect();
        assert!(
            labels.contains(&"Triangles with bent normals"),
            "{labels:?}"
        );
        assert!(!labels.contains(&"Reversed triangles"));
        let triangle = ModelItem::Triangle { index: 1 }.into();
        let groups = (&model as &dyn Document).properties(triangle, Playhead::default());
        let fields: Vec<_> = groups.iter().flat_map(|group| &group.properties).collect();
        assert!(fields.iter().all(|field| field.name != "Drawn wrong"));
        assert!(fields.iter().any(|field| field.link == Some(item)));
        assert_eq!(model.json()["bent_triangles"], serde_json::json!([1]));
        let said = of_rule(&model.notes(), "pfobj/bent-normals");
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("23:1: note: pfobj/bent-normals (Vertex 3): 1 2"),
            "{said:?}"
        );
        // A degenerate triangle has no direction.
        pfobj.vertices[5].position = pfobj.vertices[4].position;
        pfobj.vertices[3].normal = [0.0, -1.0, 0.0];
        assert!(sample::model(pfobj).flawed(Flaw::Reversed).is_empty());
    }

    #[test]
    fn triangles_with_a_flaw_are_listed_and_stepped_through() {
        let model = sample::model(half_reversed(3));
        let flaw = flaw_item(Flaw::Reversed).into();
        let triangle = |index| Item::from(ModelItem::Triangle { index });
        let step = |after, backwards| model.next_of_kind(flaw, after, backwards);
        assert_eq!(step(None, false), Some(triangle(1)));
        assert_eq!(step(Some(triangle(1)), false), Some(triangle(3)));
        assert_eq!(step(Some(triangle(2)), false), Some(triangle(3)));
        assert_eq!(step(Some(triangle(5)), false), Some(triangle(1)));
        assert_eq!(step(Some(triangle(1)), true), Some(triangle(5)));
        assert_eq!(model.neighbor(flaw, Direction::East).item, None);
        let outline = model.outline();
        let heading = outline.iter().find(|line| line.item == Some(flaw)).unwrap();
        assert_eq!(
            (heading.label.as_str(), heading.note.as_str()),
            ("Reversed triangles", "3")
        );
        let lines: Vec<_> = heading
            .children
            .iter()
            .map(|line| (line.item.unwrap(), line.note.as_str()))
            .collect();
        assert_eq!(
            lines,
            [
                (triangle(1), "line 23"),
                (triangle(3), "line 53"),
                (triangle(5), "line 83")
            ]
        );
        // Triangles and their flaw link to each other.
        let links = |item| -> Vec<Item> {
            let groups = (&model as &dyn Document).properties(item, Playhead::default());
            let lines = groups.iter().flat_map(|group| &group.properties);
            lines.filter_map(|line| line.link).collect()
        };
        assert!(links(triangle(3)).contains(&flaw));
        assert!(!links(triangle(2)).contains(&flaw));
        assert!(links(flaw).contains(&triangle(1)));
        assert!(links(ModelItem::Model.into()).contains(&flaw));
        assert_eq!(model.contour(flaw, &Shown::default()).len(), 9);
        assert!(model.place(flaw, &Shown::default()).bounds.is_some());
        let found = crate::find_items(&model, "flaw:reversed").unwrap();
        assert_eq!(found.len(), 1);
        let details = (&model as &dyn Document).details(found[0].item, Playhead::default());
        assert_eq!(details["flaw"]["triangles"], serde_json::json!([1, 3, 5]));
        let none = flaw_item(Flaw::NoNormal).into();
        assert!(
            (&model as &dyn Document)
                .properties(none, Playhead::default())
                .is_empty()
        );
        assert_eq!(model.next_of_kind(none, None, false), None);
    }

    #[test]
    fn a_long_list_is_cut_off() {
        let model = sample::model(half_reversed(MAX_LISTED + 7));
        let outline = model.outline();
        let children = &outline.last().unwrap().children;
        assert_eq!(children.len(), MAX_LISTED + 1);
        assert_eq!(children.last().unwrap().label, "and 7 more");
    }

    #[test]
    fn vertices_without_weights_count_in_models_that_move() {
        let mut pfobj = sample::chain(2, 1);
        let one = [influence(1, 1.0)];
        let none = [influence(0, 0.0)];
        sample::set_influences(&mut pfobj, &[&one, &one, &one, &one, &none]);
        pfobj.vertices[0].normal = [0.0; 3];
        let model = sample::model(pfobj.clone());
        assert_eq!(model.flawed(Flaw::Unweighted), [1]);
        assert_eq!(model.flawed(Flaw::NoNormal), [0]);
        let json = model.json();
        assert_eq!(json["unweighted_vertices"], serde_json::json!([4, 5]));
        assert_eq!(json["reversed_triangles"], serde_json::json!([]));
        let statistics = model.statistics();
        let row = statistics
            .iter()
            .find(|row| row.name == "Vertices without weights");
        assert_eq!(row.unwrap().value, "2");
        pfobj.clips.clear();
        let still = sample::model(pfobj);
        assert!(still.flawed(Flaw::Unweighted).is_empty());
        assert_eq!(still.json()["unweighted_vertices"], serde_json::json!([]));
    }
}
