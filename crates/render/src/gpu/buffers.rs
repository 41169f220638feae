//! Buffers: uniforms, growing lists, and uploads.

use std::num::NonZero;

use super::{Gpu, UploadError, check_size};

/// A uniform buffer that caches its contents: equal values are not uploaded again.
#[derive(Debug)]
pub(crate) struct Uniform<T> {
    pub(crate) buffer: wgpu::Buffer,
    written: Option<T>,
}

impl<T: bytemuck::Pod + PartialEq> Uniform<T> {
    pub(crate) fn new(gpu: &Gpu, label: &str) -> Self {
        let size = size_of::<T>() as u64;
        Self {
            buffer: buffer(gpu, label, size, wgpu::BufferUsages::UNIFORM),
            written: None,
        }
    }

    pub(crate) fn write(&mut self, gpu: &Gpu, value: T) {
        if self.written != Some(value) {
            let bytes = bytemuck::bytes_of(&value);
            gpu.queue.write_buffer(&self.buffer, 0, bytes);
            self.written = Some(value);
        }
    }
}

/// A buffer of equally sized elements that grows on demand.
#[derive(Debug)]
pub(crate) struct GrowingBuffer {
    what: &'static str,
    bytes_each: usize,
    pub(crate) buffer: wgpu::Buffer,
}

impl GrowingBuffer {
    /// Creates it without capacity.
    pub(crate) fn new(
        gpu: &Gpu,
        what: &'static str,
        bytes_each: usize,
        usage: wgpu::BufferUsages,
    ) -> Self {
        Self {
            what,
            bytes_each,
            // A binding must not be empty.
            buffer: buffer(gpu, what, 16, usage),
        }
    }

    /// Reserves capacity for a number of elements. Returns `true` if that replaced the buffer by an
    /// empty one.
    pub(crate) fn reserve(&mut self, gpu: &Gpu, count: usize) -> Result<bool, UploadError> {
        let bytes = |count: usize| (count * self.bytes_each) as u64;
        if bytes(count) <= self.buffer.size() {
            return Ok(false);
        }
        check_size(gpu, self.what, bytes(count))?;
        // If doubling exceeds the limit, the exact size is used.
        let room = bytes(count.next_power_of_two());
        let size = room.min(gpu.max_storage_bytes() & !15).max(bytes(count));
        self.buffer = buffer(gpu, self.what, size, self.buffer.usage());
        Ok(true)
    }

    /// Writes elements directly into the upload buffer. The capacity must be reserved.
    pub(crate) fn write<T>(
        &self,
        gpu: &Gpu,
        count: usize,
        things: impl Iterator<Item = T>,
        mut write: impl FnMut(T, &mut wgpu::WriteOnly<'_, [u8]>),
    ) {
        let size = NonZero::new((count * self.bytes_each) as u64);
        let view = size.and_then(|size| gpu.queue.write_buffer_with(&self.buffer, 0, size));
        let Some(mut view) = view else {
            return;
        };
        let mut rest = view.slice(..);
        for thing in things {
            if let Some(mut bytes) = rest.split_off(..self.bytes_each) {
                write(thing, &mut bytes);
            }
        }
    }
}

/// Creates the buffers of a document, and counts their bytes.
pub(crate) struct Uploads<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) bytes: u64,
}

impl<'a> Uploads<'a> {
    pub(crate) fn new(gpu: &'a Gpu) -> Self {
        Self { gpu, bytes: 0 }
    }

    pub(crate) fn buffer(
        &mut self,
        what: &'static str,
        bytes: &[u8],
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, UploadError> {
        check_size(self.gpu, what, bytes.len() as u64)?;
        let buffer = self.gpu.filled_buffer(what, bytes, usage);
        self.bytes += buffer.size();
        Ok(buffer)
    }
}

/// Creates a buffer that can be written later.
pub(crate) fn buffer(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
