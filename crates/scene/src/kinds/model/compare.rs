//! The parts of a model, for comparison with another model.

use super::flaws::flaw_item;
use super::{Model, joint_item, material_item};
use crate::document::parts::{Content, Parts};
use crate::{Compare, Flaw, Item, ModelItem, OwnLine, Playhead};
use mapscope_formats::pfobj::{Bounds, Clip, Rotation, Transform};

impl Model {
    /// Returns all parts of the file: materials, joints, clips with their poses, and vertices.
    pub(super) fn all_parts(&self) -> Vec<Parts<'_>> {
        if let Some(mut parts) = self.parts_of_p3m() {
            parts.push(self.flaw_parts());
            return parts;
        }
        let pfobj = &self.pfobj;
        vec![
            Parts::one("model", ModelItem::Model),
            Parts::records("material", &pfobj.materials, |it| it.name.clone())
                .items(|index| Some(material_item(index)))
                .referenced_by_index(),
            Parts::records("joint", &pfobj.joints, |it| it.name.clone())
                .items(|index| Some(joint_item(index)))
                .referenced_by_index(),
            Parts::records("clip", &pfobj.clips, |it| it.name.clone())
                .items(|index| {
                    let index = index as u32;
                    Some(ModelItem::Clip { index })
                })
                .with_children(|index| self.frame_parts(index)),
            self.vertex_parts(),
            self.flaw_parts(),
        ]
    }

    /// Returns the flaws of triangles as parts.
    fn flaw_parts(&self) -> Parts<'_> {
        let flaws: Vec<Flaw> = Flaw::ALL
            .into_iter()
            .filter(|flaw| !self.flawed(*flaw).is_empty())
            .collect();
        let named = flaws.clone();
        let parts = Parts::named("flaw", flaws.len(), move |index| {
            named.get(index).map_or_else(String::new, Flaw::to_string)
        });
        let item = move |index: usize| flaws.get(index).map(|flaw| flaw_item(*flaw));
        parts.items(item).not_compared()
    }

    /// Returns the frames of a clip.
    fn frame_parts(&self, number: usize) -> Vec<Parts<'_>> {
        let Some(clip) = self.pfobj.clips.get(number) else {
            return Vec::new();
        };
        let joints = self.pfobj.joints.len().max(1);
        let count = clip.poses.len().div_ceil(joints);
        let frames = Parts::list("frame", count.max(clip.bounds.len()))
            .called(|frame| format!("frame {frame}"))
            .contents(move |frames, content| {
                for frame in frames {
                    let poses = clip.poses.chunks(joints).nth(frame).unwrap_or_default();
                    for (joint, pose) in poses.iter().enumerate() {
                        content.part("joint", joint);
                        add_transform(pose, content);
                    }
                    add_bounds(clip.bounds.get(frame).and_then(Option::as_ref), content);
                }
            })
            .with_children(move |frame| self.parts_of_frame(number, clip, frame));
        vec![frames]
    }

    /// Returns the poses of the joints in a frame, and its bounds.
    fn parts_of_frame<'a>(&'a self, number: usize, clip: &'a Clip, frame: usize) -> Vec<Parts<'a>> {
        let joints = &self.pfobj.joints[..];
        let first = frame * joints.len();
        let rest = clip.poses.len().saturating_sub(first);
        let posed = joints.get(..rest).unwrap_or(joints);
        let poses = Parts::records("pose", posed, |it| it.name.clone())
            .without_keys()
            .of("joint", Some)
            .items(|joint| Some(joint_item(joint)))
            .owns(move |joint| self.own_pose(number, first + joint))
            .contents(move |run, content| {
                let poses = clip.poses.get(first + run.start..first + run.end);
                poses
                    .into_iter()
                    .flatten()
                    .for_each(|pose| add_transform(pose, content));
            });
        let has_bounds = usize::from(matches!(clip.bounds.get(frame), Some(Some(_))));
        let bounds = Parts::list("bounding box", has_bounds)
            .called(|_| "bounds".to_owned())
            .owns(move |_| self.own_bounds(number, frame))
            .contents(move |_, content| {
                add_bounds(clip.bounds.get(frame).and_then(Option::as_ref), content);
            });
        vec![poses, bounds]
    }

    fn vertex_parts(&self) -> Parts<'_> {
        let pfobj = &self.pfobj;
        Parts::list("vertex", pfobj.vertices.len())
            .contents(|run, content| {
                for vertex in pfobj.vertices.get(run).into_iter().flatten() {
                    content.numbers(&vertex.position);
                    content.numbers(&vertex.uv);
                    content.numbers(&vertex.normal);
                    content.part("material", vertex.material as usize);
                    for influence in pfobj.influences_of(vertex) {
                        content.part("joint", influence.joint as usize);
                        content.numbers(&[influence.weight]);
                    }
                }
            })
            .items(|index| {
                let index = (index / 3) as u32;
                Some(ModelItem::Triangle { index })
            })
            .owns(|index| self.own_vertex(index))
    }
}

fn add_bounds(bounds: Option<&Bounds>, content: &mut Content<'_>) {
    if let Some(Bounds { min, max }) = bounds {
        content.numbers(min);
        content.numbers(max);
    }
}

fn add_transform(transform: &Transform, content: &mut Content<'_>) {
    content.numbers(&transform.scale);
    content.numbers(&transform.translation);
    match &transform.rotation {
        Rotation::ConjugatedQuaternion(xyzw) => content.numbers(xyzw),
        Rotation::EulerDegrees(degrees) => content.numbers(degrees),
    }
}

impl Compare for Model {
    fn parts(&self) -> Vec<Parts<'_>> {
        let triangles = Parts::list("triangle", self.pfobj.triangle_count());
        let item = |index| ModelItem::Triangle {
            index: index as u32,
        };
        let mut parts = self.all_parts();
        parts.push(
            triangles
                .items(move |index| Some(item(index)))
                .not_compared(),
        );
        parts
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        let described = match item {
            Item::Model(item) => self.described(item, Playhead::default()),
            _ => None,
        };
        described.map_or_else(Vec::new, |at| at.own())
    }
}

#[cfg(test)]
mod tests {
    use crate::diff::{Diff, DiffGroup};
    use crate::kinds::model::sample::{self, influence};
    use mapscope_formats::pfobj::Pfobj;

    /// A strip of squares, in which each corner belongs to several triangles.
    fn strip(squares: usize) -> Pfobj {
        let mut pfobj = sample::chain(2, 1);
        let square = pfobj.vertices.clone();
        pfobj.vertices = (0..squares)
            .flat_map(|at| {
                square.iter().map(move |corner| {
                    let mut corner = *corner;
                    corner.position[0] += at as f32;
                    corner
                })
            })
            .collect();
        let one = [influence(1, 1.0)];
        sample::set_influences(&mut pfobj, &vec![&one[..]; 6 * squares]);
        pfobj
    }

    /// The vertices that differ, by name, and the number of each kind of difference.
    fn differences(a: &Pfobj, b: &Pfobj) -> (Vec<String>, [u64; 3]) {
        let [a, b] = [a, b].map(|pfobj| sample::model(pfobj.clone()));
        let diff = Diff::of([&a, &b]).unwrap();
        let of_vertices = |group: &&DiffGroup| group.what == "vertex";
        let counts = diff.groups.iter().find(of_vertices).map(|group| {
            let [a, b] = group.only_in;
            [group.changed, a, b]
        });
        let vertices = diff
            .differences
            .into_iter()
            .filter(|it| it.what == "vertex");
        let places = vertices.map(|it| it.place);
        (places.collect(), counts.unwrap_or_default())
    }

    /// The differences, with the files that contain them.
    fn places(a: &Pfobj, b: &Pfobj) -> Vec<(&'static str, String, [bool; 2])> {
        let [a, b] = [a, b].map(|pfobj| sample::model(pfobj.clone()));
        let differences = Diff::of([&a, &b]).unwrap().differences.into_iter();
        differences
            .map(|it| (it.what, it.place, it.is_in))
            .collect()
    }

    #[test]
    fn a_frame_that_is_inserted_is_one_difference() {
        let mut a = sample::chain(3, 6);
        let joints = a.joints.len();
        for (at, pose) in a.clips[0].poses.iter_mut().enumerate() {
            pose.translation[1] = (at / joints) as f32;
        }
        for at in 0..=6 {
            let mut b = a.clone();
            let clip = &mut b.clips[0];
            let mut frame = clip.poses[..joints].to_vec();
            frame[1].translation[0] += 0.5;
            clip.poses.splice(at * joints..at * joints, frame);
            let place = format!("{}: frame {at}", a.clips[0].name);
            assert_eq!(places(&a, &b), [("frame", place.clone(), [false, true])]);
            assert_eq!(places(&b, &a), [("frame", place, [true, false])]);
        }
    }

    #[test]
    fn vertices_that_are_inserted_leave_the_others_as_they_are() {
        let a = strip(20);
        let mut b = a.clone();
        let mut odd = b.vertices[7];
        odd.position[1] = 0.25;
        b.vertices.insert(31, odd);
        assert_eq!(differences(&a, &b), (vec!["31".to_owned()], [0, 0, 1]));
        assert_eq!(differences(&b, &a), (vec!["31".to_owned()], [0, 1, 0]));
        // A changed vertex after it is still matched, by its number in A.
        b.vertices[81].uv[0] = 0.75;
        let places = ["80", "31"].map(str::to_owned).to_vec();
        assert_eq!(differences(&a, &b), (places, [1, 0, 1]));
        // A triangle that is removed.
        b = a.clone();
        b.vertices.drain(60..63);
        let (places, counts) = differences(&a, &b);
        assert_eq!((places.len(), counts), (3, [0, 3, 0]));
    }

    #[test]
    fn materials_and_joints_before_it_move_no_vertex() {
        let a = strip(3);
        let mut b = a.clone();
        b.materials.insert(0, a.materials[0].clone());
        b.materials[0].name = "Moss".to_owned();
        for vertex in &mut b.vertices {
            vertex.material = 1;
        }
        assert_eq!(differences(&a, &b).1, [0; 3]);
        b.vertices.remove(4);
        assert_eq!(differences(&a, &b).1, [0, 1, 0]);
    }
}
