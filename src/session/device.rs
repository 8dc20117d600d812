//! Where tensors live: what is there, what was asked for, and why something cannot be used.

use std::fmt;
use std::str::FromStr;

use burn::tensor::Device;
#[cfg(any(feature = "wgpu", feature = "cuda"))]
use burn::tensor::DeviceType;
use serde::Serialize;

#[cfg(any(feature = "wgpu", feature = "cuda"))]
use super::panic;
use crate::error::{Error, Result};

/// `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A real GPU if there is one, else the CPU. Never a software adapter such as llvmpipe, which is about 20 times
    /// slower than the CPU backend.
    #[default]
    Auto,
    /// The CPU (burn's flex backend).
    Cpu,
    /// The n-th wgpu adapter.
    Wgpu(usize),
    /// The n-th CUDA card.
    Cuda(usize),
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Cpu => write!(f, "cpu"),
            Self::Wgpu(n) => write!(f, "wgpu:{n}"),
            Self::Cuda(n) => write!(f, "cuda:{n}"),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, number) = text.split_once(':').unwrap_or((text, "0"));
        let number = number.parse().map_err(|error| {
            Error::Device(format!("device {text:?}: {number:?}: {error}; write wgpu:0 or cuda:1"))
        });
        match name {
            "auto" if text == name => Ok(Self::Auto),
            "cpu" if text == name => Ok(Self::Cpu),
            "wgpu" => Ok(Self::Wgpu(number?)),
            "cuda" => Ok(Self::Cuda(number?)),
            _ => Err(Error::Device(format!(
                "there is no device {text:?}; choose auto, cpu, wgpu, wgpu:N, cuda or cuda:N, and see `marscope devices`"
            ))),
        }
    }
}

/// One line of `marscope devices`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceLine {
    /// What to write after `--device`.
    pub choice: String,
    /// The card's or adapter's own name.
    pub name: String,
    /// Whether it can be used.
    pub usable: bool,
    /// Why not, or what to know.
    pub remark: String,
}

impl DeviceLine {
    fn new(
        choice: impl Into<String>,
        name: impl Into<String>,
        usable: bool,
        remark: impl Into<String>,
    ) -> Self {
        Self { choice: choice.into(), name: name.into(), usable, remark: remark.into() }
    }
}

impl DeviceChoice {
    /// The devices of a list: `cuda:0,cuda:1`. One may be named several times.
    ///
    /// # Errors
    /// [`Error::Device`] naming what is no device.
    pub fn several(text: &str) -> Result<Vec<Self>> {
        let one = |name: &str| match name.trim() {
            "" => Err(Error::Device(format!(
                "a device is missing in {text:?}; write them with a comma between two, as in cuda:0,cuda:1"
            ))),
            name => name.parse(),
        };
        text.split(',').map(one).collect()
    }

    /// The device itself, without autodiff.
    ///
    /// # Errors
    /// [`Error::Device`] if it is not there or not compiled in.
    pub fn open(self) -> Result<Device> {
        match self {
            Self::Cpu => Ok(Device::flex()),
            Self::Auto => Ok(best_gpu().unwrap_or_else(Device::flex)),
            Self::Wgpu(n) => numbered(wgpu_devices()?, n, "wgpu"),
            Self::Cuda(n) => numbered(cuda_devices()?, n, "cuda"),
        }
    }
}

/// What `device` is, opened as `choice`, in words: `cpu`, `wgpu:0 (NVIDIA H200)`.
#[must_use]
pub fn described(choice: DeviceChoice, device: &Device) -> String {
    if *device == Device::flex() {
        return DeviceChoice::Cpu.to_string();
    }
    format!("{choice} ({})", card_name(device))
}

fn numbered(devices: Vec<Device>, n: usize, kind: &str) -> Result<Device> {
    let found = devices.len();
    devices.into_iter().nth(n).ok_or_else(|| {
        Error::Device(match found {
            0 => format!("no {kind} device was found; `marscope devices` says what is there"),
            _ => format!("there is no {kind}:{n}; found {found}, counted from 0; see `marscope devices`"),
        })
    })
}

/// The first card that is no software adapter.
fn best_gpu() -> Option<Device> {
    let cuda = cuda_devices().unwrap_or_default();
    let wgpu = wgpu_devices().unwrap_or_default();
    cuda.into_iter().next().or_else(|| wgpu.into_iter().find(|device| !is_software(device)))
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn is_software(device: &Device) -> bool {
    device.identity().is_none_or(|identity| identity.physical.is_none())
}

#[cfg(not(any(feature = "wgpu", feature = "cuda")))]
const fn is_software(_: &Device) -> bool {
    true
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn found(kind: DeviceType, name: &str) -> Result<Vec<Device>> {
    // A broken driver panics while it is asked; that is an answer, not the end of the program.
    std::panic::catch_unwind(|| Device::enumerate(kind).into_vec()).map_err(|caught| {
        Error::Device(format!(
            "the {name} driver failed while looking for devices: {}",
            panic::text(&*caught)
        ))
    })
}

#[cfg(feature = "wgpu")]
fn wgpu_devices() -> Result<Vec<Device>> {
    found(DeviceType::Wgpu, "wgpu")
}

#[cfg(not(feature = "wgpu"))]
fn wgpu_devices() -> Result<Vec<Device>> {
    Err(Error::Device("this program was built without wgpu; build it with --features wgpu".into()))
}

#[cfg(feature = "cuda")]
fn cuda_devices() -> Result<Vec<Device>> {
    found(DeviceType::Cuda, "CUDA")
}

#[cfg(not(feature = "cuda"))]
fn cuda_devices() -> Result<Vec<Device>> {
    Err(Error::Device("this program was built without CUDA; build it with --features cuda".into()))
}

/// Everything that is there or could be, with the reason where it cannot be used. Opens each card.
#[must_use]
pub fn list() -> Vec<DeviceLine> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines =
        vec![DeviceLine::new("cpu", format!("{cores} cores"), true, "burn flex, bit for bit reproducible")];
    let wgpu: fn(usize) -> DeviceChoice = DeviceChoice::Wgpu;
    let kinds = [
        (
            "wgpu",
            wgpu_devices(),
            wgpu,
            "no adapter found; on Debian and Ubuntu install mesa-vulkan-drivers, or the vendor's driver",
        ),
        ("cuda", cuda_devices(), DeviceChoice::Cuda, "no card found; is NVIDIA's driver installed?"),
    ];
    for (kind, devices, choice, none) in kinds {
        match devices {
            Err(error) => lines.push(DeviceLine::new(kind, "-", false, error.to_string())),
            Ok(devices) if devices.is_empty() => lines.push(DeviceLine::new(kind, "-", false, none)),
            Ok(devices) => {
                for (n, device) in devices.iter().enumerate() {
                    let remark = if is_software(device) {
                        "software adapter: works, about 20 times slower than cpu; never chosen by auto"
                    } else {
                        ""
                    };
                    lines.push(DeviceLine::new(choice(n).to_string(), card_name(device), true, remark));
                }
            }
        }
    }
    lines
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn card_name(device: &Device) -> String {
    device.identity().map_or_else(|| "unnamed".to_owned(), |identity| identity.name)
}

#[cfg(not(any(feature = "wgpu", feature = "cuda")))]
fn card_name(_: &Device) -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_reads_back() {
        for text in ["auto", "cpu", "wgpu:0", "wgpu:3", "cuda:1"] {
            assert_eq!(text.parse::<DeviceChoice>().unwrap().to_string(), text);
        }
        assert_eq!("wgpu".parse::<DeviceChoice>().unwrap(), DeviceChoice::Wgpu(0));
        for text in ["gpu", "cuda:x", "cpu:1", "", "wgpu:-1"] {
            assert!(text.parse::<DeviceChoice>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_list_of_devices_is_read_or_refused_with_what_is_wrong() {
        let several = [DeviceChoice::Cuda(1), DeviceChoice::Cpu, DeviceChoice::Cuda(1)];
        assert_eq!(DeviceChoice::several("cuda:1, cpu,cuda:1").unwrap(), several);
        for (text, word) in
            [("", "missing"), ("cpu,", "missing"), ("cpu,gpu", "\"gpu\""), ("cpu;cpu", "no device")]
        {
            let refused = DeviceChoice::several(text).unwrap_err().to_string();
            assert!(refused.contains(word), "{text:?}: {refused}");
        }
    }
}
