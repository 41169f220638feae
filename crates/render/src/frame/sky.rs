//! The background: the sky over maps, a studio around models.

use super::{Background, FRAME, Frame, FrameLayout, FramePass, HAZE, ImagePart, LocalView};
use crate::gpu::{
    Gpu, PipelineCache, PipelineKey, PipelineMaker, PipelineOptions, Pipelines, Shader, constants,
    source, upload_cube,
};
use mapscope_scene::assets::Skybox;
use mapscope_scene::camera::Projection;

/// Upward component of unit vectors below which the sky is plain haze.
const HAZE_BELOW: f32 = -0.55;

/// The sky, for every shader that draws it.
pub(crate) const SKY: (&str, &str) = source!("sky.wgsl");

/// The shader of backgrounds: the sky, and the floor below models.
pub(crate) static SHADER: Shader = Shader {
    name: "studio",
    shared: &[Frame::wgsl, wgsl],
    parts: &[FRAME, SKY, source!("studio.wgsl")],
};

/// The constants of every shader that draws the sky.
pub(crate) fn wgsl() -> String {
    constants! {
        HAZE = HAZE,
        HAZE_BELOW = HAZE_BELOW,
    }
}

/// Draws backgrounds.
#[derive(Debug, Clone)]
pub(crate) struct SkyRenderer {
    pipelines: PipelineCache<Background>,
}

impl PipelineKey for Background {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let [vertex, fragment] = match self {
            Self::Studio => ["vs_sky", "fs_studio"],
            Self::Skybox => ["vs_skybox", "fs_skybox"],
            Self::Sky | Self::Own => ["vs_sky", "fs_sky"],
        };
        maker.create(&PipelineOptions::background(vertex, fragment))
    }
}

impl SkyRenderer {
    pub(crate) fn new(frame: &FrameLayout) -> Self {
        Self {
            pipelines: PipelineCache::new(&SHADER, &[&frame.layout]),
        }
    }

    /// Returns a copy whose pipelines use the shaders that are now on disk.
    pub(crate) fn reloaded(&self, gpu: &Gpu) -> Self {
        let mut renderer = self.clone();
        renderer.pipelines.recreate(gpu);
        renderer
    }

    pub(crate) fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }

    pub(crate) fn prepare(&mut self, background: Background) {
        if background != Background::Own {
            self.pipelines.request(background, false);
        }
    }

    pub(crate) fn draw(&self, pass: &mut FramePass<'_>, background: Background) {
        if pass.set_pipeline(&self.pipelines, background) {
            pass.draw(3, 0..1);
        }
    }

    /// Draws the background except for rows of plain haze, to which the frame was cleared. These
    /// are often half of the visible sky.
    pub(crate) fn draw_above_haze(
        &self,
        pass: &mut FramePass<'_>,
        background: Background,
        local: &LocalView<'_>,
    ) {
        let [width, height] = local.part.size;
        let is_own_sky = background == Background::Sky;
        let haze = if is_own_sky { haze_rows(local) } else { 0 };
        if haze < height {
            pass.set_scissor_rect(0, 0, width, height - haze);
            self.draw(pass, background);
            pass.set_scissor_rect(0, 0, width, height);
        }
    }
}

/// Number of rows at the bottom of the frame that show only haze of [`Background::Sky`].
fn haze_rows(local: &LocalView<'_>) -> u32 {
    let [forward, right, up] = local.rays();
    let is_level = right.y.abs() < 1e-6;
    if local.view.camera.projection == Projection::Orthographic || !is_level {
        return 0;
    }
    let ImagePart { of, origin, size } = local.part;
    // Rays are least steep at both ends of a row, and in a column at one of its ends.
    let is_haze = |edge: u32| {
        let y = 1.0 - 2.0 * (origin[1] + edge) as f32 / of[1] as f32;
        (forward + right + up * y).normalize().y < HAZE_BELOW
    };
    if !is_haze(size[1]) {
        return 0;
    }
    (0..size[1]).rev().take_while(|row| is_haze(*row)).count() as u32
}

/// Uploads a skybox; `None` if it exceeds the limit of the device.
pub(crate) fn upload_skybox(gpu: &Gpu, skybox: &Skybox) -> Option<wgpu::TextureView> {
    let side = skybox.side();
    if side > gpu.device.limits().max_texture_dimension_2d {
        return None;
    }
    let faces = skybox.faces.each_ref();
    let faces = faces.map(|face| face.levels.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let faces = faces.each_ref().map(Vec::as_slice);
    Some(upload_cube(gpu, [side; 2], &faces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{FrameData, FrameLight, View};
    use crate::gpu::Target;
    use glam::Vec3;
    use mapscope_scene::Aabb;
    use mapscope_scene::camera::{Camera, Handedness, Pose};

    #[test]
    fn what_is_left_out_of_the_sky_is_haze() {
        let gpu = Gpu::headless(None).unwrap();
        let layout = FrameLayout::new(&gpu);
        let mut sky = SkyRenderer::new(&layout);
        sky.pipelines.create(&gpu, Background::Sky, false);
        let size = [60, 40];
        let target = Target::new(&gpu, size);
        let mut frame = FrameData::new(&gpu, &layout, Aabb::default(), 0.0);
        let mut left_out = Vec::new();
        let pitches = [20.0, 0.0, -25.0, -35.0, -45.0, -60.0, -89.0_f32];
        let part = ImagePart {
            of: [120, 90],
            origin: [30, 45],
            size,
        };
        let views = pitches.iter().flat_map(|pitch| {
            [45.0, 110.0_f32].into_iter().flat_map(move |fov| {
                let (sin, cos) = pitch.to_radians().sin_cos();
                let pose = Pose {
                    eye: Vec3::ZERO,
                    target: Vec3::new(cos * 0.6, sin, cos * 0.8),
                };
                let mut camera = Camera::new(pose, Handedness::Right);
                camera.fov_y_radians = fov.to_radians();
                let mut orthographic = camera;
                orthographic.projection = Projection::Orthographic;
                let whole = View::plain(camera);
                let part = View {
                    part: Some(part),
                    ..whole.clone()
                };
                [whole, part, View::plain(orthographic)]
            })
        });
        for view in views {
            let local = LocalView::new(&view, size);
            frame.write(&gpu, &local, &FrameLight::default());
            let draw = |draw: &dyn Fn(&mut FramePass<'_>)| {
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                let mut pass = FramePass::begin(&target, &mut encoder, false, None);
                pass.set_bind_group(0, &frame.bind_group, &[]);
                draw(&mut pass);
                drop(pass);
                gpu.queue.submit([encoder.finish()]);
                target.read_back(&gpu).unwrap()
            };
            let all = draw(&|pass| sky.draw(pass, Background::Sky));
            let above = draw(&|pass| sky.draw_above_haze(pass, Background::Sky, &local));
            assert!(all == above, "{view:?}");
            left_out.push(haze_rows(&local));
        }
        // From far above the horizon to straight down.
        assert_eq!(left_out[..6], [0; 6]);
        assert!(left_out.iter().any(|rows| (1..size[1]).contains(rows)));
        assert_eq!(left_out[left_out.len() - 6..][..2], [size[1]; 2]);
    }
}
