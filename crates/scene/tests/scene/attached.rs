//! Models attached to joints: placements, drawing, picking and descriptions.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use mapscope_formats::p3m;
use mapscope_formats::p3m::Layout;
use mapscope_formats::pfobj::{self, Pfobj, Rotation};
use mapscope_scene::model::Model;
use mapscope_scene::model::attached::{Assembly, Attached, is_model, joint_name, joint_named};
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::{
    Blend, Document, Item, ModelItem, OpenOptions, OverlayId, Playhead, Progress, Ray, Shown,
    Source, demo,
};
use mapscope_testdata::{tiny_model, tiny_p3m};

fn open(name: &str, bytes: Vec<u8>) -> Arc<dyn Document> {
    let source = Source {
        path: name.into(),
        bytes: bytes.into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// A model whose hand is turned and moves, in `walk` by 2 units along X from frame to frame.
fn arm() -> Pfobj {
    let mut arm = tiny_model();
    for pose in &mut arm.joints {
        pose.bind.translation = [0.0, 3.0, 0.0];
    }
    for (clip, step) in arm.clips.iter_mut().zip([2.0, 0.0]) {
        for (frame, poses) in clip.poses.chunks_exact_mut(3).enumerate() {
            poses[1].translation = [step * frame as f32, 1.0, 0.0];
            poses[2].translation = [0.0, 0.0, 5.0];
            // A quarter turn around Y, conjugated as in files.
            let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2).conjugate();
            poses[1].rotation = Rotation::ConjugatedQuaternion(turn.to_array());
        }
    }
    arm
}

/// A triangle of one unit, far from the others, that faces +Z.
fn blade() -> Arc<dyn Document> {
    let mut blade = tiny_model();
    blade.vertices.truncate(3);
    let corners = [[10.0, 0.0, 0.0], [11.0, 0.0, 0.0], [10.0, 1.0, 0.0]];
    for (vertex, position) in blade.vertices.iter_mut().zip(corners) {
        (vertex.position, vertex.normal) = (position, [0.0, 0.0, 1.0]);
        vertex.influence_count = 0;
    }
    blade.layout = pfobj::Layout::regular(3);
    open("blade.pfobj", pfobj::write(&blade))
}

fn host() -> Arc<dyn Document> {
    open("arm.pfobj", pfobj::write(&arm()))
}

fn with(host: &Arc<dyn Document>, joints: &[&str]) -> Arc<dyn Document> {
    let model = blade();
    let attached = joints.iter().map(|name| Attached {
        joint: joint_named(&**host, name).unwrap(),
        path: "swords/blade.pfobj".into(),
        model: Arc::clone(&model),
    });
    Assembly::of(host, attached.collect())
}

fn shown(playhead: Playhead) -> Shown {
    Shown {
        playhead,
        ..Shown::default()
    }
}

/// The placements of attached models at a moment.
fn placements(document: &dyn Document, playhead: Playhead) -> Vec<Affine3A> {
    let mut found = Vec::new();
    document.for_each_drawable(&shown(playhead), &mut |drawable| {
        if drawable.is_attached {
            assert_eq!(drawable.playhead, Some(Playhead::default()), "bind pose");
            found.extend(drawable.placements.iter().copied());
        }
    });
    found
}

fn smooth(clip: usize, frame: f32) -> Playhead {
    Playhead {
        smooth: true,
        frame,
        ..Playhead::at_frame(clip, 0)
    }
}

#[test]
fn a_model_stands_in_the_space_of_its_joint_at_every_moment() {
    let document = with(&host(), &["hand"]);
    let place = |playhead| {
        let [place] = placements(&*document, playhead)[..] else {
            panic!("one placement");
        };
        place
    };
    // In the bind pose the three joints are 3 units above each other.
    let bind = place(Playhead::default());
    assert_eq!(bind, Affine3A::from_translation(Vec3::Y * 9.0));
    let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    // 5 units along Z of the turned arm are 5 units along X.
    for (playhead, x) in [
        (Playhead::at_frame(0, 0), 5.0),
        (Playhead::at_frame(0, 2), 9.0),
        (smooth(0, 1.25), 7.5),
        (Playhead::at_frame(1, 1), 5.0),
    ] {
        let expected = Affine3A::from_rotation_translation(turn, Vec3::new(x, 1.0, 0.0));
        let place = place(playhead);
        assert!(place.abs_diff_eq(expected, 1e-5), "{playhead:?} {place}");
    }
    // Half-way through a transition between frame 2 of one clip and frame 0 of the other.
    let blend = Some(Blend {
        clip: 1,
        frame: 0.0,
        part: 0.5,
    });
    let between = place(Playhead {
        blend,
        ..Playhead::at_frame(0, 2)
    });
    let expected = Affine3A::from_rotation_translation(turn, Vec3::new(7.0, 1.0, 0.0));
    assert!(between.abs_diff_eq(expected, 1e-5), "{between}");
}

#[test]
fn joints_of_p3m_models_carry_models_too() {
    for layout in [Layout::A, Layout::B] {
        let bytes = p3m::write(&tiny_p3m(layout).unwrap()).unwrap();
        let host = open("tiny.p3m", bytes);
        let document = with(&host, &["hand", "root"]);
        let model: &Model = document.content().unwrap();
        assert_eq!(model.path(), "tiny.p3m", "the host comes first");
        let moments = [
            Playhead::default(),
            Playhead::at_frame(0, 0),
            Playhead::at_frame(0, 3),
            smooth(0, 2.5),
            smooth(1, 0.75),
        ];
        let mut seen = Vec::new();
        for playhead in moments {
            let places = placements(&*document, playhead);
            let mut palette = vec![SkinMatrix::IDENTITY; model.palette_len()];
            model.write_palette(playhead, &mut palette);
            // The palette leads from the bind pose to the moment, so it also moves the joint there.
            for (place, name) in places.iter().zip(["hand", "root"]) {
                let joint = joint_named(&*host, name).unwrap();
                let bind = model.joint_matrix(joint, Playhead::default()).unwrap();
                let expected = Affine3A::from(palette[joint as usize]) * bind;
                assert!(place.abs_diff_eq(expected, 1e-3), "{playhead:?} {name}");
            }
            seen.push(places);
        }
        assert!(seen.iter().any(|places| *places != seen[0]), "they move");
    }
}

#[test]
fn a_joint_without_a_finite_place_shows_nothing() {
    let mut broken = arm();
    broken.joints[2].bind.translation = [f32::MAX, 0.0, 0.0];
    broken.joints[1].bind.scale = [f32::MAX; 3];
    let host = open("arm.pfobj", pfobj::write(&broken));
    let document = with(&host, &["hand", "root"]);
    let places = placements(&*document, Playhead::default());
    assert_eq!(places, [Affine3A::from_translation(Vec3::Y * 3.0)]);
    assert!(document.about().bounds.is_finite());
}

#[test]
fn several_models_are_drawn_framed_and_listed() {
    let host = host();
    let document = with(&host, &["hand", "root", "hand"]);
    let playhead = Playhead::at_frame(0, 2);
    let places = placements(&*document, playhead);
    assert_eq!(places.len(), 3);
    assert_eq!(places[0], places[2]);
    // Frame 2 moves the hand to 9, and the blade reaches 11 units along -Z from there.
    let bounds = document.bounds_in_view(&shown(playhead));
    let of_host = host.bounds_in_view(&shown(playhead));
    assert!((bounds.min.z + 11.0).abs() < 1e-4, "{bounds:?}");
    assert!(of_host.min.z > -4.0, "{of_host:?}");
    assert!((document.about().bounds.min.z + 11.0).abs() < 1e-4);
    let model = document.place(ModelItem::Model.into(), &shown(playhead));
    assert!((model.bounds.unwrap().min.z + 11.0).abs() < 1e-4);

    let outline = document.outline();
    let lines = outline.last().unwrap();
    assert_eq!((&*lines.label, &*lines.note), ("Attached", "3"));
    let lines = lines.children.iter();
    let lines = lines.map(|it| (&*it.label, &*it.note, it.item));
    let line = |name, index| ("blade.pfobj", name, Some(joint(index)));
    let expected = [line("hand", 2), line("root", 0), line("hand", 2)];
    assert_eq!(lines.collect::<Vec<_>>(), expected);

    let attached = |item: Item| {
        let groups = document.properties(item, Playhead::default());
        let group = groups.into_iter().find(|group| group.title == "Attached");
        group.map_or(0, |group| group.properties.len())
    };
    let joints = [0, 1, 2].map(|index| attached(joint(index)));
    assert_eq!(joints, [1, 0, 2]);
    let files = &document.about().dependencies;
    assert!(files.contains(&"swords/blade.pfobj".into()), "{files:?}");
    // Its model and its clips are those of the host.
    assert_eq!(document.animation().unwrap().clips().len(), 2);
    assert_eq!(
        document.parts().map(|it| it.len()),
        host.parts().map(|it| it.len())
    );
    assert!(Arc::ptr_eq(&Assembly::of(&host, Vec::new()), &host));
}

fn joint(index: u32) -> Item {
    ModelItem::Joint { index }.into()
}

#[test]
fn a_click_on_an_attached_model_selects_its_joint() {
    let document = with(&host(), &["hand"]);
    // In frame 2 the blade lies at x = 9, from z = -10 to -11, and faces +X.
    let ray = |origin: Vec3| Ray {
        origin,
        direction: -Vec3::X,
    };
    let at = ray(Vec3::new(20.0, 1.25, -10.25));
    let moment = shown(Playhead::at_frame(0, 2));
    let hit = document.pick(at, &moment).unwrap();
    assert_eq!(hit.item, joint(2));
    assert!((hit.distance - 11.0).abs() < 1e-4, "{hit:?}");
    assert!(hit.position.distance(Vec3::new(9.0, 1.25, -10.25)) < 1e-4);
    assert_eq!(document.pick(at, &shown(Playhead::default())), None);
    // Its back is not drawn, except with an overlay.
    let behind = Ray {
        origin: Vec3::new(0.0, 1.25, -10.25),
        direction: Vec3::X,
    };
    assert_eq!(document.pick(behind, &moment), None);
    let mut both = moment.clone();
    let overlays = document.about().overlays;
    both.overlays.set(overlays, OverlayId::TwoSided, true);
    assert_eq!(document.pick(behind, &both).unwrap().item, joint(2));
}

#[test]
fn joints_are_found_by_name_and_unknown_names_list_them() {
    let document = with(&host(), &["hand"]);
    assert_eq!(joint_name(&*document, joint(1)), Some("arm"));
    assert_eq!(joint_name(&*document, joint(3)), None);
    assert_eq!(joint_name(&*document, ModelItem::Model.into()), None);
    assert_eq!(joint_named(&*document, "arm"), Ok(1));
    let error = joint_named(&*document, "hnad").unwrap_err();
    assert_eq!(
        error,
        "joint `hnad` not found; this file has root, arm, hand"
    );
    let terrain = open_demo(&demo::TERRAIN);
    let village = open_demo(&demo::VILLAGE);
    assert!(is_model(&*document) && !is_model(&*terrain) && !is_model(&*village));
    let error = joint_named(&*terrain, "arm").unwrap_err();
    assert!(error.ends_with("this file has none"), "{error}");
}

fn open_demo(demo: &demo::Demo) -> Arc<dyn Document> {
    mapscope_scene::open(
        &demo.source(),
        &OpenOptions::default(),
        &Progress::default(),
    )
    .unwrap()
}
