//! A glTF file under construction: its JSON and its binary data.

use std::collections::HashMap;
use std::sync::Arc;

use bytemuck::NoUninit;
use data_encoding::BASE64;
use glam::Vec3;
use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{self, View};
use gltf_json::image::MimeType;
use gltf_json::texture::{MagFilter, MinFilter, Sampler, WrappingMode};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Accessor, Asset, Buffer, Image, Index, Node, Root, Scene, Texture};
use serde_json::json;

use super::EntityNode;
use super::axes::Axes;
use super::model::ModelCache;
use crate::{Export, ExportError};
use mapscope_scene::assets::Texture as Pixels;

/// Maximum size of a binary glTF file. Its length field has four bytes.
const MAX_BYTES: u64 = u32::MAX as u64;
/// Sizes of the file header and of each chunk header, in bytes.
const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;

/// A glTF file under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) root: Root,
    /// Mapping from the document's axes to those of glTF. Callers apply it before they add content.
    pub(super) axes: Axes,
    /// `true` if the document consists of a single drawable.
    pub(super) is_single_drawable: bool,
    /// Names and attributes of the entities' nodes, by entity number.
    pub(super) entities: HashMap<u32, EntityNode>,
    /// Models whose content is already in the file.
    pub(super) models: ModelCache,
    /// Textures that are already in the file and can be reused.
    textures: Vec<(Arc<Pixels>, Index<Texture>)>,
    /// Data of accessors and images.
    bytes: Vec<u8>,
    /// Root nodes of the scene.
    shown: Vec<Index<Node>>,
    /// Messages about content that glTF cannot represent.
    losses: Vec<String>,
    /// The first content without room in the file, and the size of the data with it, in bytes.
    refused: Option<(&'static str, u64)>,
}

/// Layout of the elements of an accessor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) component: ComponentType,
    pub(super) kind: Type,
    /// `true` if integers represent values from 0 to 1.
    pub(super) normalized: bool,
    /// GPU usage of the data; `None` for data that the CPU reads, such as key frames.
    pub(super) target: Option<buffer::Target>,
}

impl Layout {
    /// Layout of vertex attributes.
    pub(super) const fn vertices(component: ComponentType, kind: Type) -> Self {
        Self {
            component,
            kind,
            normalized: false,
            target: Some(buffer::Target::ArrayBuffer),
        }
    }

    /// Layout of floats that are not vertex attributes.
    pub(super) const fn floats(kind: Type) -> Self {
        Self {
            component: ComponentType::F32,
            kind,
            normalized: false,
            target: None,
        }
    }
}

impl Builder {
    /// Adds root nodes to the scene.
    pub(super) fn show(&mut self, nodes: impl IntoIterator<Item = Index<Node>>) {
        self.shown.extend(nodes);
    }

    /// Reports something that glTF cannot represent. Repeated messages are ignored.
    pub(super) fn report_loss(&mut self, what: &str) {
        if !self.losses.iter().any(|loss| loss == what) {
            self.losses.push(what.to_owned());
        }
    }

    /// `true` if the file has room for this number of bytes. Otherwise the export will fail, and
    /// all later calls return `false`. Call it before the bytes are created.
    pub(super) fn has_room(&mut self, what: &'static str, bytes: u64) -> bool {
        let all = (self.bytes.len() as u64).saturating_add(bytes);
        if all > MAX_BYTES / 2 {
            self.refused.get_or_insert((what, all));
        }
        self.refused.is_none()
    }

    fn view(&mut self, bytes: &[u8], target: Option<buffer::Target>) -> Index<View> {
        // Components must be aligned to their size, which is at most four bytes.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.root.push(View {
            buffer: Index::new(0),
            byte_length: bytes.len().into(),
            byte_offset: Some(offset.into()),
            byte_stride: None,
            name: None,
            target: target.map(Checked::Valid),
            extensions: None,
            extras: Default::default(),
        })
    }

    /// Adds an accessor. `elements` must not be empty. The size of a vertex attribute must be a
    /// multiple of four bytes.
    pub(super) fn accessor<T: NoUninit>(
        &mut self,
        elements: &[T],
        layout: Layout,
    ) -> Index<Accessor> {
        let view = self.view(bytemuck::cast_slice(elements), layout.target);
        let size = layout.component.size() * layout.kind.multiplicity();
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(size_of_val(elements) / size),
            component_type: Checked::Valid(GenericComponentType(layout.component)),
            type_: Checked::Valid(layout.kind),
            min: None,
            max: None,
            name: None,
            normalized: layout.normalized,
            sparse: None,
            extensions: None,
            extras: Default::default(),
        })
    }

    /// Adds vertex positions with their bounds, which glTF requires.
    pub(super) fn positions(&mut self, positions: &[[f32; 3]]) -> Index<Accessor> {
        let layout = Layout::vertices(ComponentType::F32, Type::Vec3);
        let index = self.accessor(positions, layout);
        let each = || positions.iter().copied().map(Vec3::from);
        let min = each().reduce(Vec3::min).unwrap_or_default();
        let max = each().reduce(Vec3::max).unwrap_or_default();
        if let Some(accessor) = self.root.accessors.get_mut(index.value()) {
            accessor.min = Some(json!(min.to_array()));
            accessor.max = Some(json!(max.to_array()));
        }
        index
    }

    /// Adds key frame times in seconds, in ascending order, with their bounds.
    pub(super) fn times(&mut self, seconds: &[f32]) -> Index<Accessor> {
        let index = self.accessor(seconds, Layout::floats(Type::Scalar));
        if let Some(accessor) = self.root.accessors.get_mut(index.value()) {
            accessor.min = seconds.first().map(|first| json!([first]));
            accessor.max = seconds.last().map(|last| json!([last]));
        }
        index
    }

    /// Adds the vertex indices of triangles.
    pub(super) fn indices(&mut self, indices: &[u32]) -> Index<Accessor> {
        let target = Some(buffer::Target::ElementArrayBuffer);
        self.accessor(
            indices,
            Layout {
                component: ComponentType::U32,
                kind: Type::Scalar,
                normalized: false,
                target,
            },
        )
    }

    /// Returns the texture of an image that several materials share. The first call adds it as
    /// [`texture`](Self::texture) does.
    pub(super) fn shared_texture(&mut self, name: &str, pixels: &Arc<Pixels>) -> Index<Texture> {
        let mut known = self.textures.iter();
        if let Some((_, index)) = known.find(|(of, _)| Arc::ptr_eq(of, pixels)) {
            return *index;
        }
        let index = self.texture(name, pixels);
        self.textures.push((Arc::clone(pixels), index));
        index
    }

    /// Adds a repeating texture, with its largest mip level as a PNG in the file.
    pub(super) fn texture(&mut self, name: &str, pixels: &Pixels) -> Index<Texture> {
        let largest = pixels.levels.first().map_or(&[][..], Vec::as_slice);
        let png = crate::png_of(pixels.size, largest);
        let view = self.view(&png, None);
        let image = self.root.push(Image {
            buffer_view: Some(view),
            mime_type: Some(MimeType("image/png".to_owned())),
            name: Some(name.to_owned()),
            uri: None,
            extensions: None,
            extras: Default::default(),
        });
        if self.root.samplers.is_empty() {
            self.root.push(Sampler {
                mag_filter: Some(Checked::Valid(MagFilter::Linear)),
                min_filter: Some(Checked::Valid(MinFilter::LinearMipmapLinear)),
                wrap_s: Checked::Valid(WrappingMode::Repeat),
                wrap_t: Checked::Valid(WrappingMode::Repeat),
                ..Sampler::default()
            });
        }
        self.root.push(Texture {
            name: Some(name.to_owned()),
            sampler: Some(Index::new(0)),
            source: image,
            extensions: None,
            extras: Default::default(),
        })
    }

    /// Completes and serialises the JSON of the file. `uri` is the URI of its buffer; `None` if the
    /// binary data follows in the same file.
    fn json(&mut self, uri: Option<String>) -> Vec<u8> {
        let nodes = std::mem::take(&mut self.shown);
        // A scene must have at least one node.
        self.root.scene = (!nodes.is_empty()).then(|| {
            self.root.push(Scene {
                nodes,
                name: None,
                extensions: None,
                extras: Default::default(),
            })
        });
        self.root.asset = Asset {
            generator: Some(concat!("Mapscope ", env!("CARGO_PKG_VERSION")).to_owned()),
            ..Asset::default()
        };
        if !self.bytes.is_empty() {
            self.root.push(Buffer {
                byte_length: self.bytes.len().into(),
                name: None,
                uri,
                extensions: None,
                extras: Default::default(),
            });
        }
        // All keys are strings, so serialisation cannot fail.
        self.root.to_vec().unwrap_or_default()
    }

    /// `true` if the scene has no nodes.
    pub(super) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Returns a glTF file: JSON with embedded base64 data.
    pub(super) fn into_gltf(mut self) -> Result<Export, ExportError> {
        self.check_size("glTF")?;
        let data = BASE64.encode(&self.bytes);
        let uri = format!("data:application/octet-stream;base64,{data}");
        let file = self.json(Some(uri));
        Ok(Export {
            file,
            beside: Vec::new(),
            losses: self.losses,
        })
    }

    /// Returns a binary glTF file: JSON followed by binary data.
    pub(super) fn into_glb(mut self) -> Result<Export, ExportError> {
        self.check_size("binary glTF")?;
        let mut json = self.json(None);
        json.resize(json.len().next_multiple_of(4), b' ');
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let chunks: [(&[u8; 4], &[u8]); 2] = [(b"JSON", &json), (b"BIN\0", &self.bytes)];
        let chunks = chunks.into_iter().filter(|(_, bytes)| !bytes.is_empty());
        let sizes = chunks
            .clone()
            .map(|(_, bytes)| CHUNK_HEADER_BYTES + bytes.len());
        let size = HEADER_BYTES + sizes.sum::<usize>();
        let mut file = Vec::with_capacity(size);
        file.extend(b"glTF");
        file.extend(2_u32.to_le_bytes());
        file.extend((size as u32).to_le_bytes());
        for (kind, bytes) in chunks {
            file.extend((bytes.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(bytes);
        }
        Ok(Export {
            file,
            beside: Vec::new(),
            losses: self.losses,
        })
    }

    fn check_size(&self, kind: &'static str) -> Result<(), ExportError> {
        let content = ("the mesh and its textures", self.bytes.len() as u64);
        let (what, bytes) = self.refused.unwrap_or(content);
        // The other half is reserved for the JSON, which never needs more.
        let max = MAX_BYTES / 2;
        if bytes > max {
            return Err(ExportError::TooLarge {
                what,
                bytes,
                kind,
                max,
            });
        }
        Ok(())
    }
}
