//! Chooses the adapter that draws: interfaces in order of preference, and the adapters of each.

use std::fmt;

use thiserror::Error;

use super::Samples;

/// The user's choice of adapter; `None` for the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// The interface.
    pub backend: Option<Backend>,
    /// Number of samples per pixel.
    pub samples: Option<Samples>,
}

/// The reason why no device was created.
#[derive(Debug, Error)]
pub enum GpuError {
    /// No adapter was found.
    #[error(
        "no graphics adapter was found ({0}); Mapscope needs a driver for Vulkan, Metal, Direct3D 12 \
         or OpenGL. On Debian or Ubuntu `apt install mesa-vulkan-drivers` brings one that needs no \
         graphics card"
    )]
    NoAdapter(wgpu::RequestAdapterError),
    /// The adapter gave no device.
    #[error("the graphics adapter gave no device: {0}")]
    NoDevice(wgpu::RequestDeviceError),
    /// The OpenGL version is too old. The field is the driver's version string.
    #[error(
        "the OpenGL of the graphics driver is `{0}`; expected OpenGL 4.0 or OpenGL ES 3.1. Vulkan, Metal \
         and Direct3D 12 are not bound to that: `mapscope info --adapters` lists what there is"
    )]
    OpenGlTooOld(String),
    /// The environment names an unknown interface.
    #[error(
        "the environment variable WGPU_BACKEND names `{0}`; expected vulkan, gl, metal or dx12, or \
         several of them with commas between them"
    )]
    UnknownApi(String),
}

impl GpuError {
    /// `true` if other interfaces may have an adapter.
    pub fn is_adapter_missing(&self) -> bool {
        matches!(self, Self::NoAdapter(_))
    }
}

/// The interfaces that are tried first. OpenGL is left out, since trying it too doubles the start
/// time.
const PREFERRED: wgpu::Backends = wgpu::Backends::PRIMARY;
/// The interfaces that are tried if those have no adapter.
const FALLBACK: wgpu::Backends = wgpu::Backends::GL;

/// A graphics interface that the user can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Vulkan (Linux, Android, Windows).
    Vulkan,
    /// OpenGL 3.3, OpenGL ES 3.0, or newer.
    OpenGl,
    /// Metal (Apple systems).
    Metal,
    /// Direct3D 12 (Windows).
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

/// The reason why an adapter was chosen, or was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdapterReason {
    /// The user chose its interface.
    Asked,
    /// The environment variable names its interface.
    Environment,
    /// No other interface has an adapter.
    FallbackApi,
    /// Its type is preferred to that of all others.
    Best(wgpu::DeviceType),
    /// Another interface was chosen.
    OtherApi,
    /// Its interface is OpenGL, and another interface has an adapter.
    FallbackOnly,
    /// Another adapter is preferred.
    LessPreferred,
}

impl fmt::Display for AdapterReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use wgpu::DeviceType;
        f.write_str(match self {
            Self::Asked => "asked for by --backend",
            Self::Environment => "asked for by WGPU_BACKEND",
            Self::FallbackApi => "OpenGL, since no Vulkan, Metal or Direct3D 12 adapter was found",
            Self::Best(DeviceType::DiscreteGpu) => "a graphics card comes first",
            Self::Best(DeviceType::IntegratedGpu) => "no separate graphics card was found",
            Self::Best(DeviceType::Cpu) => "a software adapter, since no graphics card was found",
            Self::Best(DeviceType::VirtualGpu | DeviceType::Other) => "the first that was found",
            Self::OtherApi => "another interface was asked for",
            Self::FallbackOnly => "OpenGL is used where no other interface has an adapter",
            Self::LessPreferred => "another adapter comes before it",
        })
    }
}

/// `GraphicsApis` that are tried together, and the reason for an adapter of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphicsApis {
    pub(crate) backends: wgpu::Backends,
    /// The reason for these interfaces; `None` if they are the default.
    reason: Option<AdapterReason>,
}

impl GraphicsApis {
    /// The interfaces to try first: the user's choice, or else those of the environment variable
    /// `WGPU_BACKEND`.
    ///
    /// # Errors
    /// When the variable is used and names an unknown interface.
    pub fn first(asked: Option<Backend>) -> Result<Self, GpuError> {
        if let Some(backend) = asked {
            return Ok(Self {
                backends: backend.into(),
                reason: Some(AdapterReason::Asked),
            });
        }
        let names = std::env::var_os("WGPU_BACKEND").unwrap_or_default();
        Self::named(&names.to_string_lossy())
    }

    /// Parses a comma-separated list of interface names; an empty list means the default.
    fn named(names: &str) -> Result<Self, GpuError> {
        let mut backends = wgpu::Backends::empty();
        for name in names.split(',').map(str::trim) {
            let named = wgpu::Backends::from_comma_list(name);
            if named.is_empty() && !name.is_empty() {
                return Err(GpuError::UnknownApi(name.to_owned()));
            }
            backends |= named;
        }
        Ok(if backends.is_empty() {
            Self {
                backends: PREFERRED,
                reason: None,
            }
        } else {
            Self {
                backends,
                reason: Some(AdapterReason::Environment),
            }
        })
    }

    /// The interfaces to try next if these have no adapter; `None` if these were chosen explicitly.
    pub fn next(self) -> Option<Self> {
        self.reason.is_none().then_some(Self {
            backends: FALLBACK,
            reason: Some(AdapterReason::FallbackApi),
        })
    }

    /// Creates an instance for a display (`None` without one).
    pub fn instance(
        self,
        display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
    ) -> wgpu::Instance {
        let mut descriptor = match display {
            Some(display) => wgpu::InstanceDescriptor::new_with_display_handle(display),
            None => wgpu::InstanceDescriptor::new_without_display_handle(),
        };
        // No draw is indirect, and creating a device would first compile the validation of indirect
        // draws.
        descriptor
            .flags
            .remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
        descriptor = descriptor.with_env();
        descriptor.backends = self.backends;
        wgpu::Instance::new(descriptor)
    }

    /// The best adapter, and the reason for it.
    ///
    /// # Errors
    /// When no adapter can present to the surface.
    pub(crate) async fn adapter(
        self,
        instance: &wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<(wgpu::Adapter, AdapterReason), GpuError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        let adapter = instance
            .request_adapter(&options)
            .await
            .map_err(GpuError::NoAdapter)?;
        let info = adapter.get_info();
        if info.backend == wgpu::Backend::Gl && lacks_storage_buffers(&info.driver_info) {
            return Err(GpuError::OpenGlTooOld(info.driver_info));
        }
        let best = AdapterReason::Best(adapter.get_info().device_type);
        Ok((adapter, self.reason.unwrap_or(best)))
    }

    /// The adapter that draws without a window.
    async fn chosen(self) -> Result<(wgpu::AdapterInfo, AdapterReason), GpuError> {
        let found = self.adapter(&self.instance(None), None).await;
        let found = match (found, self.next()) {
            (Err(error), Some(next)) => {
                // If the fallback fails too, the first error is reported.
                let second = next.adapter(&next.instance(None), None).await;
                second.map_err(|_| error)
            }
            (found, _) => found,
        };
        found.map(|(adapter, reason)| (adapter.get_info(), reason))
    }
}

/// An adapter that works without a window.
#[derive(Debug, Clone)]
pub struct AdapterEntry {
    /// Name and driver.
    pub info: wgpu::AdapterInfo,
    /// `true` if it is the chosen one.
    pub is_chosen: bool,
    /// The reason why it was chosen, or was not.
    pub reason: AdapterReason,
    /// Number of samples per pixel if it draws.
    pub samples: Samples,
}

/// Lists the adapters that work without a window. The second result is an error if no adapter can
/// draw. `GraphicsApis` of other operating systems have no adapters.
pub fn adapters(asked: GpuOptions) -> (Vec<AdapterEntry>, Result<(), GpuError>) {
    pollster::block_on(async {
        let first = GraphicsApis::first(asked.backend);
        let asked_for = first.as_ref().ok().copied();
        let chosen = match first {
            Ok(first) => first.chosen().await,
            Err(error) => Err(error),
        };
        let all = GraphicsApis {
            backends: PREFERRED | FALLBACK,
            reason: None,
        };
        let found = all.instance(None).enumerate_adapters(all.backends).await;
        let rows = found.iter().map(|adapter| {
            let info = adapter.get_info();
            let chosen = chosen.as_ref().ok();
            let chosen = chosen.filter(|(chosen, _)| *chosen == info);
            let reason = match (chosen, asked_for) {
                (Some((_, reason)), _) => *reason,
                (None, Some(asked)) if asked.backends.contains(info.backend.into()) => {
                    AdapterReason::LessPreferred
                }
                (None, Some(asked)) if asked.reason.is_none() => AdapterReason::FallbackOnly,
                (None, _) => AdapterReason::OtherApi,
            };
            AdapterEntry {
                is_chosen: chosen.is_some(),
                reason,
                samples: Samples::of(adapter, asked.samples),
                info,
            }
        });
        (rows.collect(), chosen.map(|_| ()))
    })
}

/// `true` if an OpenGL version has no storage buffers, which naga writes from OpenGL 4.0 and OpenGL
/// ES 3.1 on. NVIDIA's Linux driver reports 3.3, because wgpu requests that version. A string
/// without a version number is left to the device.
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

/// Name of an adapter type, for the user interface.
pub fn adapter_type_name(device_type: wgpu::DeviceType) -> &'static str {
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
        let first = GraphicsApis {
            backends: PREFERRED,
            reason: None,
        };
        assert!(!first.backends.contains(wgpu::Backends::GL));
        let second = first.next().unwrap();
        assert_eq!(second.backends, wgpu::Backends::GL);
        assert_eq!(second.next(), None);
        let asked = GraphicsApis::first(Some(Backend::Vulkan)).unwrap();
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
        let named = |names| GraphicsApis::named(names).map(|interfaces| interfaces.backends);
        assert_eq!(named("").unwrap(), PREFERRED);
        let both = wgpu::Backends::GL | wgpu::Backends::VULKAN;
        assert_eq!(named("GL, vk,").unwrap(), both);
        let error = named("gl,opengel").unwrap_err().to_string();
        assert!(
            error.contains("names `opengel`; expected vulkan"),
            "{error}"
        );
    }
}
