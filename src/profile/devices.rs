//! The device of a trace: of those that it lists, the one that its kernels name.

use super::scan::Object;
use crate::limits::TRIED;
use crate::model::{DeviceRuns, Fields, Profile};
use serde_json::value::RawValue;

/// What a trace says of devices, while it is read.
#[derive(Default)]
pub(super) struct Devices {
    listed: Vec<Listed>,
    /// Those that ran kernels.
    ran: Vec<DeviceRuns>,
}

#[derive(Debug)]
struct Listed {
    id: u64,
    name: String,
    clock_mhz: Option<f64>,
}

/// Names of the clock among the properties of a device, in kHz as CUDA gives it.
const CLOCKS_KHZ: [&str; 2] = ["clockRate", "clock_rate"];

/// MHz. No device of today has a higher clock.
const HIGHEST_CLOCK: f64 = 20_000.0;

/// A clock, if the number can be one: `1410`, also as text.
pub(super) fn clock_of(json: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(json).ok()?.trim().trim_matches('"');
    possible(text.parse().ok()?)
}

fn possible(mhz: f64) -> Option<f64> {
    (mhz > 0.0 && mhz <= HIGHEST_CLOCK).then_some(mhz)
}

#[derive(Debug, Default)]
pub(super) struct ClockSamples {
    count: f64,
    sum_mhz: f64,
}

impl ClockSamples {
    /// Adds the value of a counter: the first number of its `args`, whose key is mostly empty.
    pub(super) fn add(&mut self, args: &Object<'_>) {
        let clock = args.iter().find_map(|(_, value)| clock_of(value));
        self.count += f64::from(u8::from(clock.is_some()));
        self.sum_mhz += clock.unwrap_or_default();
    }

    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| (self.sum_mhz / self.count).round())
    }
}

impl Devices {
    /// The list of the trace, which may precede or follow the events.
    pub(super) fn list(&mut self, json: &[u8]) {
        let all: Vec<&RawValue> = serde_json::from_slice(json).unwrap_or_default();
        let read = |(place, device): (u64, &RawValue)| {
            let device = Fields::parse(device.get()).unwrap_or_default();
            let name = device.text("name").unwrap_or_default().trim().to_owned();
            let khz = CLOCKS_KHZ.iter().find_map(|key| device.number(key));
            let clock_mhz = khz.and_then(|khz| possible(khz / 1e3));
            Listed { id: device.count("id").unwrap_or(place), name, clock_mhz }
        };
        self.listed = (0..).zip(all).map(read).collect();
    }

    /// A kernel ran on the device that its `args` name.
    pub(super) fn ran(&mut self, args: &Object<'_>) {
        let Some(id) = args.count("device") else { return };
        if let Some(device) = self.ran.iter_mut().find(|device| device.id == id) {
            device.runs += 1;
        } else if self.ran.len() < TRIED {
            self.ran.push(DeviceRuns { id, name: None, runs: 1 });
        }
    }

    /// Puts what is known of them into the profile.
    pub(super) fn finish(mut self, profile: &mut Profile) {
        let name_of = |listed: &Listed| Some(listed.name.clone()).filter(|name| !name.is_empty());
        let mut ran = std::mem::take(&mut self.ran);
        ran.iter_mut().for_each(|device| device.name = self.known(device.id).and_then(name_of));
        ran.sort_by_key(|device| (std::cmp::Reverse(device.runs), device.id));
        let listed = match ran.first() {
            Some(most) => self.known(most.id),
            None => self.listed.first(),
        };
        profile.device = listed.and_then(name_of);
        profile.clock_mhz = listed.and_then(|listed| listed.clock_mhz);
        profile.devices = ran;
    }

    /// ROCm lists the devices that a process sees from 0 and lets kernels name them by their place in the machine. So an
    /// id that is not listed is one of the list if all of them have the same name.
    fn known(&self, id: u64) -> Option<&Listed> {
        let first = self.listed.first()?;
        let shared = self.listed.iter().all(|other| other.name == first.name).then_some(first);
        self.listed.iter().find(|listed| listed.id == id).or(shared)
    }
}
