//! Passes that create mip levels on the GPU.

/// Begins a pass that fills a texture.
pub(super) fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("tile averages"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    })
}

/// Number of bits of the level; the bits above are the page.
pub(super) const LEVEL_BITS: u32 = 5;

/// Draws over the whole target. The shader gets two numbers below 65,536 and a level.
pub(super) fn draw(pass: &mut wgpu::RenderPass<'_>, numbers: [u32; 2], level: u32) {
    let packed = numbers[0].min(0xffff) | numbers[1].min(0xffff) << 16;
    pass.draw(level * 3..level * 3 + 3, packed..packed.saturating_add(1));
}
