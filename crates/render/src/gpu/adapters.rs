//! Which adapter draws, and why: interfaces in turn, and the adapters that they offer.

use std::fmt;

use thiserror::Error;

use super::Samples;

/// What users ask of what draws; where they do not, it is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GpuRequest {
    /// The interface.
    pub backend: Option<Backend>,
    /// How many samples each pixel has.
    pub samples: Option<Samples>,
}

/// Why there is no device.
#[derive(Debug, Error)]
pub enum GpuError {
    /// No adapter fits.
    #[error(
        "no graphics adapter was found ({0}); Mapscope needs a driver for Vulkan, Metal, Direct3D 12 \
         or OpenGL. On Debian or Ubuntu `apt install mesa-vulkan-drivers` brings one that needs no \
         graphics card"
    )]
    NoAdapter(wgpu::RequestAdapterError),
    /// The adapter gave no device.
    #[error("the graphics adapter gave no device: {0}")]
    NoDevice(wgpu::RequestDeviceError),
    /// OpenGL is too old, in the words of the driver.
    #[error(
        "the OpenGL of the graphics driver is `{0}`; expected OpenGL 4.0 or OpenGL ES 3.1. Vulkan, Metal \
         and Direct3D 12 are not bound to that: `mapscope info --adapters` lists what there is"
    )]
    OldOpenGl(String),
    /// The environment asks for an interface that there is not.
    #[error(
        "the environment variable WGPU_BACKEND names `{0}`; expected vulkan, gl, metal or dx12, or \
         several of them with commas between them"
    )]
    UnknownInterface(String),
}

impl GpuError {
    /// Whether other interfaces may have an adapter.
    pub fn is_no_adapter(&self) -> bool {
        matches!(self, Self::NoAdapter(_))
    }
}

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
    pub(crate) backends: wgpu::Backends,
    /// Why these; none for those that are asked first.
    why: Option<Reason>,
}

impl Interfaces {
    /// Those to ask first: what the user asks for, or else the environment variable `WGPU_BACKEND`.
    ///
    /// # Errors
    /// When the variable is asked, and names none that there is.
    pub fn first(asked: Option<Backend>) -> Result<Self, GpuError> {
        if let Some(backend) = asked {
            return Ok(Self {
                backends: backend.into(),
                why: Some(Reason::Asked),
            });
        }
        let names = std::env::var_os("WGPU_BACKEND").unwrap_or_default();
        Self::named(&names.to_string_lossy())
    }

    /// Those of a list of names with commas between them; an empty one asks for none.
    fn named(names: &str) -> Result<Self, GpuError> {
        let mut backends = wgpu::Backends::empty();
        for name in names.split(',').map(str::trim) {
            let named = wgpu::Backends::from_comma_list(name);
            if named.is_empty() && !name.is_empty() {
                return Err(GpuError::UnknownInterface(name.to_owned()));
            }
            backends |= named;
        }
        Ok(if backends.is_empty() {
            Self {
                backends: FIRST,
                why: None,
            }
        } else {
            Self {
                backends,
                why: Some(Reason::Environment),
            }
        })
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
        };
        // Nothing is drawn indirectly, and each device would begin with compiling the checks of that.
        descriptor
            .flags
            .remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
        descriptor = descriptor.with_env();
        descriptor.backends = self.backends;
        wgpu::Instance::new(descriptor)
    }

    /// The best adapter that they have, and why it is the one.
    ///
    /// # Errors
    /// When they have none that can show frames on the surface.
    pub(crate) async fn adapter(
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
        let info = adapter.get_info();
        if info.backend == wgpu::Backend::Gl && lacks_storage_buffers(&info.driver_info) {
            return Err(GpuError::OldOpenGl(info.driver_info));
        }
        let best = Reason::Best(adapter.get_info().device_type);
        Ok((adapter, self.why.unwrap_or(best)))
    }

    /// The adapter that draws without a window if these are asked first.
    async fn chosen(self) -> Result<(wgpu::AdapterInfo, Reason), GpuError> {
        let found = self.adapter(&self.instance(None), None).await;
        let found = match (found, self.next()) {
            (Err(error), Some(next)) => {
                // If that is in vain too, the first error says what was missing.
                let second = next.adapter(&next.instance(None), None).await;
                second.map_err(|_| error)
            }
            (found, _) => found,
        };
        found.map(|(adapter, reason)| (adapter.get_info(), reason))
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

/// All adapters that can be had without a window, and which of them would draw, or why none would.
/// Interfaces of other systems have none.
pub fn adapters(asked: GpuRequest) -> (Vec<AdapterRow>, Result<(), GpuError>) {
    pollster::block_on(async {
        let first = Interfaces::first(asked.backend);
        let asked_for = first.as_ref().ok().copied();
        let chosen = match first {
            Ok(first) => first.chosen().await,
            Err(error) => Err(error),
        };
        let all = Interfaces {
            backends: FIRST | SECOND,
            why: None,
        };
        let found = all.instance(None).enumerate_adapters(all.backends).await;
        let rows = found.iter().map(|adapter| {
            let info = adapter.get_info();
            let chosen = chosen.as_ref().ok();
            let chosen = chosen.filter(|(chosen, _)| *chosen == info);
            let reason = match (chosen, asked_for) {
                (Some((_, reason)), _) => *reason,
                (None, Some(asked)) if asked.backends.contains(info.backend.into()) => {
                    Reason::NotBest
                }
                (None, Some(asked)) if asked.why.is_none() => Reason::OnlyOpenGl,
                (None, _) => Reason::OtherInterface,
            };
            AdapterRow {
                is_chosen: chosen.is_some(),
                reason,
                samples: Samples::of(adapter, asked.samples),
                info,
            }
        });
        (rows.collect(), chosen.map(|_| ()))
    })
}

/// Whether this version of OpenGL has no buffers that shaders read as arrays, which is what is asked of it
/// here: naga writes them from OpenGL 4.0 and OpenGL ES 3.1 on. NVIDIA's driver for Linux says 3.3, since
/// that is what wgpu asks it for. What names no version is left to the device.
fn lacks_storage_buffers(version: &str) -> bool {
    let (least, numbers) = match version.strip_prefix("OpenGL ES ") {
        Some(numbers) => ([3, 1], numbers),
        None => ([4, 0], version),
    };
    let mut numbers = numbers.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match [numbers.next(), numbers.next()] {
        [Some(Ok(major)), Some(Ok(minor))] => [major, minor] < least,
        _ => false,
    }
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
        let asked = Interfaces::first(Some(Backend::Vulkan)).unwrap();
        assert_eq!(asked.backends, wgpu::Backends::VULKAN);
        assert_eq!(asked.next(), None);
    }

    #[test]
    fn old_versions_of_opengl_are_known() {
        let lacks = ["3.3.0 NVIDIA 580.159.04", "OpenGL ES 3.0 Mesa 21.2"];
        assert!(lacks.into_iter().all(lacks_storage_buffers));
        let has = [
            "4.5 (Core Profile) Mesa 22.3.6",
            "OpenGL ES 3.2 NVIDIA",
            "Metal",
            "",
        ];
        assert!(!has.into_iter().any(lacks_storage_buffers));
    }

    #[test]
    fn the_environment_names_interfaces_or_is_refused() {
        let named = |names| Interfaces::named(names).map(|interfaces| interfaces.backends);
        assert_eq!(named("").unwrap(), FIRST);
        let both = wgpu::Backends::GL | wgpu::Backends::VULKAN;
        assert_eq!(named("GL, vk,").unwrap(), both);
        let error = named("gl,opengel").unwrap_err().to_string();
        assert!(
            error.contains("names `opengel`; expected vulkan"),
            "{error}"
        );
    }
}
