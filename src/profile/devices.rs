//! The device of a trace: of those that it lists, the one that its kernels name.

use super::scan::Object;
use crate::model::{DeviceRuns, Fields};
use serde_json::value::RawValue;

/// Most devices that are distinguished. A machine has eight or so.
const MOST_DEVICES: usize = 64;

/// What a trace says of devices, while it is read.
#[derive(Default)]
pub(super) struct Devices {
    /// Id and name of each that is listed.
    listed: Vec<(u64, String)>,
    /// Those that ran kernels.
    ran: Vec<DeviceRuns>,
}

impl Devices {
    /// The list of the trace, which may precede or follow the events.
    pub(super) fn list(&mut self, json: &[u8]) {
        let all: Vec<&RawValue> = serde_json::from_slice(json).unwrap_or_default();
        let read = |(place, device): (u64, &RawValue)| {
            let device = Fields::parse(device.get()).unwrap_or_default();
            let name = device.text("name").unwrap_or_default().trim().to_owned();
            (device.count("id").unwrap_or(place), name)
        };
        self.listed = (0..).zip(all).map(read).collect();
    }

    /// A kernel ran on the device that its `args` name.
    pub(super) fn ran(&mut self, args: &Object<'_>) {
        let Some(id) = args.count("device") else { return };
        if let Some(device) = self.ran.iter_mut().find(|device| device.id == id) {
            device.runs += 1;
        } else if self.ran.len() < MOST_DEVICES {
            self.ran.push(DeviceRuns { id, name: None, runs: 1 });
        }
    }

    /// The devices that ran kernels, the one with most runs first, and the name of the device of the trace.
    pub(super) fn finish(mut self) -> (Vec<DeviceRuns>, Option<String>) {
        let mut ran = std::mem::take(&mut self.ran);
        ran.iter_mut().for_each(|device| device.name = self.name_of(device.id));
        ran.sort_by_key(|device| (std::cmp::Reverse(device.runs), device.id));
        let name = match ran.first() {
            Some(most) => most.name.clone(),
            None => self.listed.first().map(|(_, name)| name.clone()).filter(|name| !name.is_empty()),
        };
        (ran, name)
    }

    /// ROCm lists the devices that a process sees from 0 and lets kernels name them by their place in the machine. So an
    /// id that is not listed has the name that all of the list share.
    fn name_of(&self, id: u64) -> Option<String> {
        let (_, first) = self.listed.first()?;
        let shared = self.listed.iter().all(|(_, name)| name == first).then_some(first);
        let listed = self.listed.iter().find(|(listed, _)| *listed == id).map(|(_, name)| name);
        listed.or(shared).filter(|name| !name.is_empty()).cloned()
    }
}
