//! Presents frames in a window.

use crate::gpu::{
    Gpu, PipelineCache, PipelineKey, PipelineMaker, PipelineOptions, Shader, TEXTURE, Target,
    bind_group, bind_group_layout, flag, source,
};

/// The shader that presents frames.
pub(crate) static SHADER: Shader = Shader {
    name: "blit",
    shared: &[],
    parts: &[source!("blit.wgsl")],
};

/// Copies frames into a window's texture.
#[derive(Debug)]
pub struct Blit {
    layout: wgpu::BindGroupLayout,
    pipelines: PipelineCache<Onto>,
    format: wgpu::TextureFormat,
}

/// The pipeline for a texture format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Onto(wgpu::TextureFormat);

impl PipelineKey for Onto {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        maker.create(&PipelineOptions {
            depth_compare: None,
            color_format: self.0,
            cull: false,
            constants: &[("LINEAR", flag(self.0.is_srgb()))],
            ..PipelineOptions::new("vertex", "fragment")
        })
    }
}

/// A frame to copy.
#[derive(Debug)]
pub struct BlitSource(wgpu::BindGroup);

impl Blit {
    /// Creates the pipeline for the format of a window's texture.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let layout = bind_group_layout(gpu, "blit", &[TEXTURE]);
        let mut pipelines = PipelineCache::new(&SHADER, &[&layout]);
        pipelines.create(gpu, Onto(format), false);
        Self {
            layout,
            pipelines,
            format,
        }
    }

    /// Makes a target the source of copies.
    pub fn source(&self, gpu: &Gpu, target: &Target) -> BlitSource {
        let view = wgpu::BindingResource::TextureView(target.color_view());
        BlitSource(bind_group(gpu, "blit", &self.layout, [view]))
    }

    /// Records a copy of a frame in a pass over the window's texture. `place` is its left and top
    /// edge, width and height in pixels; it may exceed the texture.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, source: &BlitSource, place: [f32; 4]) {
        if let Some(pipeline) = self.pipelines.get(Onto(self.format), false) {
            let [left, top, width, height] = place;
            pass.set_viewport(left, top, width, height, 0.0, 1.0);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &source.0, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Floor;
    use crate::gpu::target::read_back;
    use crate::gpu::{COLOR_FORMAT, texture};

    /// A frame with varied pixels, and a window's texture that shows it at a place.
    fn frame_and_window(
        format: wgpu::TextureFormat,
        place: [f32; 2],
    ) -> (image::RgbaImage, image::RgbaImage) {
        let gpu = Gpu::headless(None).unwrap();
        let target = Target::new(&gpu, [40, 30]);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        Floor::new(&gpu).textured_quad(&mut encoder, &target);
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let window = texture(&gpu, "window", format, ([64, 48], 1, 1), usage);
        let blit = Blit::new(&gpu, format);
        let source = blit.source(&gpu, &target);
        let view = window.create_view(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            ..Default::default()
        });
        let [left, top] = place;
        blit.draw(&mut pass, &source, [left, top, 40.0, 30.0]);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let window = read_back(&gpu, &window).unwrap();
        (target.read_back(&gpu).unwrap(), window)
    }

    #[test]
    fn a_frame_is_copied_to_its_place_and_no_pixel_of_it_is_changed() {
        for format in [COLOR_FORMAT, COLOR_FORMAT.add_srgb_suffix()] {
            for place in [[0, 0], [7, 5], [-9, -4], [50, 40]] {
                let (frame, window) = frame_and_window(format, place.map(|at| at as f32));
                for (x, y, pixel) in window.enumerate_pixels() {
                    let [x, y] = [x as i32 - place[0], y as i32 - place[1]];
                    let inside = u32::try_from(x).ok().zip(u32::try_from(y).ok());
                    let of_frame = inside.and_then(|(x, y)| frame.get_pixel_checked(x, y));
                    let expected = of_frame.map_or([0; 4], |pixel| pixel.0);
                    assert_eq!(pixel.0, expected, "{format:?} {place:?}: {x} {y}");
                }
            }
        }
    }
}
