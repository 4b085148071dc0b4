//! Peak rates of devices. `devices.json` has them, each with its source; the user may give others.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The table of the project.
const TABLE: &str = include_str!("devices.json");

/// Figures of a device.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DevicePeaks {
    /// Its name in the report.
    pub name: String,
    /// Sets of words; the device matches if its name in the trace has all words of one set.
    names: Vec<String>,
    /// Words of other devices whose names have all words of this one, too.
    except: Vec<String>,
    /// What is supposed if the trace gives only the first of `names`.
    assumed: Option<String>,
    /// TFLOP/s of the matrix units by type: `bf16`, `tf32`.
    pub matrix: BTreeMap<String, f64>,
    /// TFLOP/s of all other units.
    pub vector: BTreeMap<String, f64>,
    /// GB/s of its memory.
    pub gbps: Option<f64>,
    /// GB of its memory.
    pub gigabytes: Option<f64>,
    /// MB of the cache that all its units share, each 1048576 bytes.
    pub l2_megabytes: Option<f64>,
    /// The clock that the TFLOP/s are for, in MHz.
    pub boost_mhz: Option<f64>,
    /// The clock that those of `vector` are for, if it is another one.
    vector_mhz: Option<f64>,
    /// Where the figures come from.
    pub source: String,
    /// Whether it is a CPU that the user described in numbers, at the clock that they say.
    #[serde(skip)]
    pub is_cpu: bool,
}

#[derive(Deserialize)]
struct Table {
    #[serde(default)]
    devices: Vec<DevicePeaks>,
}

impl DevicePeaks {
    /// The device of our table with that name; None for an unknown device.
    pub fn named(name: &str) -> Option<DevicePeaks> {
        best(known(), name)
    }

    /// Reads what the user gave: the name of a device, a CPU in numbers, or the text of a file with one device or a table of
    /// devices.
    ///
    /// # Errors
    /// No device has that name, the numbers are not those of a CPU, or the text is not JSON of this form.
    pub fn given(name_or_json: &str, in_trace: Option<&str>) -> Result<DevicePeaks> {
        if let Some(cpu) = name_or_json.strip_prefix("cpu:") {
            return of_cpu(cpu).with_context(|| format!("{name_or_json} is not a CPU; {CPU_FORM}"));
        }
        if !name_or_json.trim_start().starts_with('{') {
            return Self::named(name_or_json).with_context(|| {
                let names: Vec<String> = known().into_iter().map(|device| device.name).collect();
                let names = names.join(", ");
                format!("no device is called {name_or_json}; give one of {names}, or a JSON file")
            });
        }
        if let Ok(one) = serde_json::from_str::<DevicePeaks>(name_or_json) {
            return Ok(one);
        }
        let table: Table =
            serde_json::from_str(name_or_json).context("the file of devices has another form")?;
        if table.devices.len() == 1 {
            return Ok(table.devices.into_iter().next().unwrap_or_default());
        }
        let found = in_trace.and_then(|name| best(table.devices, name));
        found.context("no device of the file has the name that the trace gives")
    }

    /// What is supposed about the device, as its name does not say it: `its name does not say which H100 it is, SXM is
    /// assumed`.
    pub fn assumption(&self) -> Option<&str> {
        self.assumed.as_deref()
    }

    /// TFLOP/s for work of a type, at `clock_mhz` if it and the clock of the table are known; `matrix` is whether matrix units
    /// may do it.
    pub fn tflops(&self, kind: &str, matrix: bool, clock_mhz: Option<f64>) -> Option<f64> {
        let of_matrix = self.matrix.get(kind).filter(|_| matrix).map(|peak| (peak, self.boost_mhz));
        let of_vector = || Some((self.vector.get(kind)?, self.vector_mhz.or(self.boost_mhz)));
        let (peak, holds_at) = of_matrix.or_else(of_vector)?;
        Some(peak * factor(clock_mhz, holds_at).unwrap_or(1.0))
    }

    /// The clock of the trace relative to the one that the table is for.
    pub(super) fn clock_factor(&self, clock_mhz: Option<f64>) -> Option<f64> {
        factor(clock_mhz, self.boost_mhz)
    }
}

/// A clock relative to the one at which a figure holds.
fn factor(clock_mhz: Option<f64>, holds_at_mhz: Option<f64>) -> Option<f64> {
    Some(clock_mhz? / holds_at_mhz.filter(|mhz| *mhz > 0.0)?)
}

/// How a CPU is given.
const CPU_FORM: &str = "give cores, GHz and bits of its vectors, and, for its bandwidth, memory channels and their MT/s: \
                        cpu:16x2.5x512 or cpu:16x2.5x512x8x4800";

/// Multiply-adds that a core begins per clock: servers and desktops of the last ten years have two such units.
const FMA_UNITS: f64 = 2.0;

/// Bytes that a memory channel moves per transfer.
const CHANNEL_BYTES: f64 = 8.0;

/// The limits of a CPU: `16x2.5x512x8x4800`.
fn of_cpu(text: &str) -> Option<DevicePeaks> {
    let numbers: Option<Vec<f64>> = text.split('x').map(|part| part.trim().parse().ok()).collect();
    let numbers = numbers.filter(|all| all.iter().all(|number: &f64| number.is_finite() && *number > 0.0))?;
    let (cores, ghz, bits, memory) = match numbers.as_slice() {
        [cores, ghz, bits] => (*cores, *ghz, *bits, None),
        [cores, ghz, bits, channels, transfers] => (*cores, *ghz, *bits, Some((*channels, *transfers))),
        _ => return None,
    };
    // A multiply-add is two FLOPs; 1e9 per second and core are 1e-3 of a TFLOP/s.
    let tflops = |width: f64| cores * ghz * (bits / width) * 2.0 * FMA_UNITS / 1e3;
    let vector = BTreeMap::from([("fp32".to_owned(), tflops(32.0)), ("fp64".to_owned(), tflops(64.0))]);
    Some(DevicePeaks {
        name: format!("the {cores}-core CPU ({ghz} GHz, {bits}-bit vectors)"),
        is_cpu: true,
        vector,
        gbps: memory.map(|(channels, transfers)| channels * transfers * CHANNEL_BYTES / 1e3),
        boost_mhz: Some(ghz * 1e3),
        source: "computed from what --device says, with two multiply-adds per core and clock".to_owned(),
        ..DevicePeaks::default()
    })
}

fn known() -> Vec<DevicePeaks> {
    serde_json::from_str(TABLE).map(|table: Table| table.devices).unwrap_or_default()
}

fn best(devices: Vec<DevicePeaks>, name: &str) -> Option<DevicePeaks> {
    let has: Vec<String> = words(name);
    // A slice of a device has a part of its figures, which its name does not say in full.
    if has.iter().any(|word| word == "mig") {
        return None;
    }
    let devices: Vec<DevicePeaks> =
        devices.into_iter().filter(|device| !device.except.iter().any(|word| has.contains(word))).collect();
    let fits = |words_of: &str| {
        let wanted = words(words_of);
        let all = !wanted.is_empty() && wanted.iter().all(|word| has.contains(word));
        all.then_some(wanted.len())
    };
    let score = |device: &DevicePeaks| device.names.iter().filter_map(|names| fits(names)).max();
    // `max_by_key` returns the last of equals, so that in reverse the first one wins.
    let rated = devices.into_iter().rev().filter_map(|device| Some((score(&device)?, device)));
    let (score, mut device) = rated.max_by_key(|(score, _)| *score)?;
    let is_bare = device.names.first().is_some_and(|first| words(first).len() == score) && score == 1;
    device.assumed = device.assumed.filter(|_| is_bare);
    Some(device)
}

fn words(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_source_and_is_found_by_its_name() {
        for device in known() {
            assert!(!device.source.is_empty() && !device.names.is_empty(), "{}", device.name);
            let clock = device.source.to_ascii_lowercase().contains("clock");
            assert_eq!(device.boost_mhz.is_some(), clock, "{}: a clock has its source", device.name);
            assert_eq!(DevicePeaks::named(&device.name).map(|found| found.name), Some(device.name));
        }
        for (wrong, told) in [("nothing", "NVIDIA B200"), ("cpu:4", "cpu:16x2.5x512")] {
            assert!(DevicePeaks::given(wrong, None).unwrap_err().to_string().contains(told));
        }
    }
}
