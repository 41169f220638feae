//! Directions of bones (fact sheet P4). The exporter loses most of them.

use super::{Layout, P3m};

/// The direction of a bone without any other: up.
const UP: [f32; 3] = [0.0, 1.0, 0.0];

impl P3m {
    /// `true` if all tails have exactly the height and depth of their heads: the exporter writes
    /// only their X. Then bones point at their children ([`P3m::directions`]).
    pub fn has_lost_tails(&self) -> bool {
        let is_lost = |[head, tail]: [[f32; 3]; 2]| head[1..] == tail[1..];
        self.layout == Layout::A
            && !self.bones.is_empty()
            && self
                .bones
                .iter()
                .all(|bone| is_lost([bone.head, bone.tail]))
    }

    /// The unit direction from head to tail of each bone, in the axes of the file. A lost tail is
    /// at the head of the first child with the same X; without one, the bone has the direction of
    /// its parent. A bone without a direction points up.
    pub fn directions(&self) -> Vec<[f32; 3]> {
        let mut directions: Vec<Option<[f32; 3]>> = if self.has_lost_tails() {
            self.directions_to_children()
        } else {
            let bones = self.bones.iter();
            bones
                .map(|bone| direction(bone.head, bone.tail).or(Some(UP)))
                .collect()
        };
        for (i, bone) in self.bones.iter().enumerate() {
            let parent = bone
                .parent
                .and_then(|parent| directions.get(parent as usize));
            directions[i] = directions[i].or(parent.copied().flatten()).or(Some(UP));
        }
        directions.into_iter().flatten().collect()
    }

    /// The direction from each bone to its first child that may begin at its tail.
    fn directions_to_children(&self) -> Vec<Option<[f32; 3]>> {
        let mut directions = vec![None; self.bones.len()];
        for child in &self.bones {
            let Some(parent) = child.parent.map(|parent| parent as usize) else {
                continue;
            };
            if let Some(bone) = self.bones.get(parent)
                && directions[parent].is_none()
                && child.head[0] == bone.tail[0]
            {
                directions[parent] = direction(bone.head, child.head);
            }
        }
        directions
    }
}

/// The unit vector between two points; `None` if they are the same or not finite.
fn direction(from: [f32; 3], to: [f32; 3]) -> Option<[f32; 3]> {
    let way: [f64; 3] = std::array::from_fn(|axis| f64::from(to[axis]) - f64::from(from[axis]));
    let length = way.iter().map(|it| it * it).sum::<f64>().sqrt();
    (length.is_finite() && length > 0.0).then(|| way.map(|it| (it / length) as f32))
}
