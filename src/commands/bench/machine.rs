//! Description of the machine on which a report was made.

use std::process::Command;
use std::{fs, thread};

use crate::commands::json::MachineOutput;

/// Processor, memory and system; null if the system does not report them.
pub(super) fn machine() -> MachineOutput {
    MachineOutput {
        cpu: cpu(),
        threads: thread::available_parallelism().ok().map(usize::from),
        memory_bytes: memory_bytes(),
        os: os(),
        architecture: std::env::consts::ARCH,
    }
}

/// Peak memory of this process in bytes; `None` if the system does not report it.
pub(super) fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    kib(field(&status, "VmHWM", ':')?)
}

/// The processor's name.
fn cpu() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok();
    let of_linux = info.and_then(|info| field(&info, "model name", ':').map(str::to_owned));
    of_linux
        .or_else(|| sysctl("machdep.cpu.brand_string"))
        .or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok())
}

fn memory_bytes() -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok();
    let of_linux = info.and_then(|info| kib(field(&info, "MemTotal", ':')?));
    of_linux.or_else(|| sysctl("hw.memsize")?.parse().ok())
}

/// Name and version of the system, as far as they are known.
fn os() -> String {
    let name = std::env::consts::OS;
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    // The suffix after the version numbers names the builder.
    let numbers = |release: &str| release.split('-').next().map(|it| it.trim().to_owned());
    let kernel = kernel.and_then(|release| numbers(&release));
    let kernel = kernel.or_else(|| sysctl("kern.osproductversion"));
    let release = field(&release, "PRETTY_NAME", '=').map(|name| name.trim_matches('"'));
    let system = kernel.map_or_else(|| name.to_owned(), |kernel| format!("{name} {kernel}"));
    release.map_or_else(|| system.clone(), |release| format!("{release}, {system}"))
}

/// A `sysctl` value on macOS; `None` on other systems.
fn sysctl(name: &str) -> Option<String> {
    if !cfg!(target_os = "macos") {
        return None;
    }
    let output = Command::new("sysctl").args(["-n", name]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The value of a field in lines of names and values.
fn field<'t>(text: &'t str, name: &str, separator: char) -> Option<&'t str> {
    let mut values = text.lines().filter_map(|line| {
        let (key, value) = line.split_once(separator)?;
        (key.trim() == name).then_some(value.trim())
    });
    values.next()
}

/// Parses a size such as `1024 kB`, the form that Linux uses, to bytes.
fn kib(text: &str) -> Option<u64> {
    let number: u64 = text.strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_names() {
        let text = "Name:\tmapscope\nVmHWM:\t   52 kB\nVmRSS: 9 kB\n";
        assert_eq!(field(text, "VmHWM", ':').and_then(kib), Some(52 * 1024));
        assert_eq!(field(text, "VmPeak", ':'), None);
        assert_eq!(kib("12 MB"), None);
    }
}
