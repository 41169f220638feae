//! Reads exported files for tests, with an independent reader.

use glam::{Vec2, Vec3};
use gltf::{Glb, Gltf, mesh::Reader};

use super::make;
use mapscope_scene::Document;

/// A file that was read back, and its reported losses.
pub(super) struct ReadBack {
    pub(super) gltf: Gltf,
    pub(super) losses: Vec<String>,
}

/// A triangle in the world of the file.
#[derive(Debug, Clone)]
pub(super) struct Triangle {
    pub(super) corners: [Vec3; 3],
    pub(super) normals: [Vec3; 3],
    pub(super) uvs: [Vec2; 3],
    /// The name of its node.
    pub(super) node: String,
    /// The index of its material.
    pub(super) material: usize,
}

impl Triangle {
    /// The normal of its front side with a length of twice its area.
    pub(super) fn front(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }
}

/// Exports a document twice, checks that both files are identical, and reads the file.
pub(super) fn read_back(document: &dyn Document) -> ReadBack {
    let export = make(document, false).into_glb().unwrap();
    let again = make(document, false).into_glb().unwrap();
    assert!(export.file == again.file, "another file each time");
    assert!(Glb::from_slice(&export.file).unwrap().bin.is_some());
    ReadBack {
        gltf: Gltf::from_slice(&export.file).unwrap(),
        losses: export.losses,
    }
}

impl ReadBack {
    pub(super) fn bytes(&self) -> &[u8] {
        self.gltf.blob.as_deref().unwrap()
    }

    pub(super) fn reader<'a>(
        &'a self,
        primitive: &'a gltf::Primitive<'a>,
    ) -> Reader<'a, 'a, impl Clone + Fn(gltf::Buffer<'a>) -> Option<&'a [u8]>> {
        primitive.reader(move |_| Some(self.bytes()))
    }

    /// All triangles of nodes with a mesh, which are at the origin.
    pub(super) fn triangles(&self) -> Vec<Triangle> {
        let mut triangles = Vec::new();
        for node in self.gltf.nodes().filter(|node| node.mesh().is_some()) {
            let identity = glam::Mat4::IDENTITY.to_cols_array_2d();
            assert_eq!(node.transform().matrix(), identity);
            let primitives = node.mesh().into_iter().flat_map(|mesh| mesh.primitives());
            for primitive in primitives {
                let reader = self.reader(&primitive);
                let positions: Vec<_> = reader.read_positions().unwrap().collect();
                let normals: Vec<_> = reader.read_normals().unwrap().collect();
                let uvs: Vec<_> = reader.read_tex_coords(0).unwrap().into_f32().collect();
                let indices: Vec<_> = reader.read_indices().unwrap().into_u32().collect();
                for corners in indices.as_chunks::<3>().0 {
                    let at = corners.map(|corner| corner as usize);
                    triangles.push(Triangle {
                        corners: at.map(|at| positions[at].into()),
                        normals: at.map(|at| normals[at].into()),
                        uvs: at.map(|at| uvs[at].into()),
                        node: node.name().unwrap().to_owned(),
                        material: primitive.material().index().unwrap(),
                    });
                }
            }
        }
        triangles
    }

    /// Width, height and RGBA bytes of the image of a texture.
    pub(super) fn image(&self, texture: usize) -> ([u32; 2], Vec<u8>) {
        let image = self.gltf.textures().nth(texture).unwrap().source();
        let gltf::image::Source::View { view, mime_type } = image.source() else {
            panic!("an image outside of the file");
        };
        assert_eq!(mime_type, "image/png");
        let png = &self.bytes()[view.offset()..][..view.length()];
        let mut reader = png::Decoder::new(std::io::Cursor::new(png))
            .read_info()
            .unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        ([info.width, info.height], bytes)
    }
}
