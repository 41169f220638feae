//! Which adapter draws, and why: interfaces in turn, and the adapters that they offer.

use std::fmt;

use super::{GpuError, GpuRequest, Samples};

/// The interfaces that are asked first. OpenGL is not among them, since asking it too doubles the
/// time that the start takes.
const FIRST: wgpu::Backends = wgpu::Backends::PRIMARY;
/// What is asked where none of them has an adapter.
const SECOND: wgpu::Backends = wgpu::Backends::GL;

/// A graphics interface that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Vulkan, of Linux, Android and Windows.
    Vulkan,
    /// OpenGL 3.3 or OpenGL ES 3.0, or newer.
    OpenGl,
    /// Metal, of Apple's systems.
    Metal,
    /// Direct3D 12, of Windows.
    Direct3D12,
}

impl From<Backend> for wgpu::Backends {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Vulkan => Self::VULKAN,
            Backend::OpenGl => Self::GL,
            Backend::Metal => Self::METAL,
            Backend::Direct3D12 => Self::DX12,
        }
    }
}

/// Why an adapter draws, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is of the interface that was asked for.
    Asked,
    /// It is of the interface that the environment asks for.
    Environment,
    /// No other interface has an adapter.
    SecondInterface,
    /// It comes before all others.
    Best(wgpu::DeviceType),
    /// It is of another interface than was asked for.
    OtherInterface,
    /// It is of OpenGL, and another interface has an adapter.
    OnlyOpenGl,
    /// Another one comes before it.
    NotBest,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use wgpu::DeviceType;
        f.write_str(match self {
            Self::Asked => "asked for by --backend",
            Self::Environment => "asked for by WGPU_BACKEND",
            Self::SecondInterface => {
                "OpenGL, since no Vulkan, Metal or Direct3D 12 adapter was found"
            }
            Self::Best(DeviceType::DiscreteGpu) => "a graphics card comes first",
            Self::Best(DeviceType::IntegratedGpu) => "no separate graphics card was found",
            Self::Best(DeviceType::Cpu) => "a software adapter, since no graphics card was found",
            Self::Best(DeviceType::VirtualGpu | DeviceType::Other) => "the first that was found",
            Self::OtherInterface => "another interface was asked for",
            Self::OnlyOpenGl => "OpenGL is used where no other interface has an adapter",
            Self::NotBest => "another adapter comes before it",
        })
    }
}

/// Interfaces that are asked together, and what that says of the adapter they give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interfaces {
    pub(super) backends: wgpu::Backends,
    /// Why these; none for those that are asked first.
    why: Option<Reason>,
}

impl Interfaces {
    /// Those to ask first: what the user asks for, or else the environment variable `WGPU_BACKEND`.
    pub fn first(asked: Option<Backend>) -> Self {
        let asked = asked.map(|backend| (backend.into(), Some(Reason::Asked)));
        let of_environment = || Some((wgpu::Backends::from_env()?, Some(Reason::Environment)));
        let (backends, why) = asked.or_else(of_environment).unwrap_or((FIRST, None));
        Self { backends, why }
    }

    /// Those to ask when these have no adapter; none where nothing else was asked for.
    pub fn next(self) -> Option<Self> {
        self.why.is_none().then_some(Self {
            backends: SECOND,
            why: Some(Reason::SecondInterface),
        })
    }

    /// An instance that asks them for what this display can show (`None`: no display).
    pub fn instance(
        self,
        display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
    ) -> wgpu::Instance {
        let mut descriptor = match display {
            Some(display) => wgpu::InstanceDescriptor::new_with_display_handle(display),
            None => wgpu::InstanceDescriptor::new_without_display_handle(),
        }
        .with_env();
        descriptor.backends = self.backends;
        wgpu::Instance::new(descriptor)
    }

    /// The best adapter that they have, and why it is the one.
    ///
    /// # Errors
    /// When they have none that can show frames on the surface.
    pub(super) async fn adapter(
        self,
        instance: &wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<(wgpu::Adapter, Reason), GpuError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await;
        let adapter = adapter.map_err(GpuError::NoAdapter)?;
        let best = Reason::Best(adapter.get_info().device_type);
        Ok((adapter, self.why.unwrap_or(best)))
    }
}

/// An adapter that can be had without a window.
#[derive(Debug, Clone)]
pub struct AdapterRow {
    /// What it and its driver are called.
    pub info: wgpu::AdapterInfo,
    /// Whether it is the one that draws.
    pub is_chosen: bool,
    /// Why it is, or why not.
    pub reason: Reason,
    /// How many samples each pixel has if it draws.
    pub samples: Samples,
}

/// All adapters that can be had without a window, and which of them would draw. Interfaces of other
/// systems have none.
pub fn adapters(asked: GpuRequest) -> Vec<AdapterRow> {
    pollster::block_on(async {
        let first = Interfaces::first(asked.backend);
        let mut interfaces = Some(first);
        let mut chosen = None;
        while let Some(these) = interfaces.filter(|_| chosen.is_none()) {
            let found = these.adapter(&these.instance(None), None).await.ok();
            chosen = found.map(|(adapter, reason)| (adapter.get_info(), reason));
            interfaces = these.next();
        }
        let all = Interfaces {
            backends: FIRST | SECOND,
            why: None,
        };
        let found = all.instance(None).enumerate_adapters(all.backends).await;
        let rows = found.iter().map(|adapter| {
            let info = adapter.get_info();
            let chosen = chosen.as_ref().filter(|(chosen, _)| *chosen == info);
            let is_asked = first.backends.contains(info.backend.into());
            let reason = match (chosen, is_asked) {
                (Some((_, reason)), _) => *reason,
                (None, true) => Reason::NotBest,
                (None, false) if first.why.is_none() => Reason::OnlyOpenGl,
                (None, false) => Reason::OtherInterface,
            };
            AdapterRow {
                is_chosen: chosen.is_some(),
                reason,
                samples: Samples::of(adapter, asked.samples),
                info,
            }
        });
        rows.collect()
    })
}

/// Whether an adapter draws with the processor, as Mesa's lavapipe does.
pub(super) fn is_software(adapter: &wgpu::Adapter) -> bool {
    adapter.get_info().device_type == wgpu::DeviceType::Cpu
}

/// What a type of adapter is called.
pub fn type_name(device_type: wgpu::DeviceType) -> &'static str {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => "graphics card",
        wgpu::DeviceType::IntegratedGpu => "integrated graphics",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opengl_comes_second_and_only_where_nothing_was_asked_for() {
        let first = Interfaces {
            backends: FIRST,
            why: None,
        };
        assert!(!first.backends.contains(wgpu::Backends::GL));
        let second = first.next().unwrap();
        assert_eq!(second.backends, wgpu::Backends::GL);
        assert_eq!(second.next(), None);
        let asked = Interfaces::first(Some(Backend::Vulkan));
        assert_eq!(asked.backends, wgpu::Backends::VULKAN);
        assert_eq!(asked.next(), None);
    }
}
