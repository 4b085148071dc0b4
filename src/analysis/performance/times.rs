//! Medians and busy time of millions of runs, each in one pass over the sorted runs.

use crate::analysis::spans::Covered;
use crate::facts::DeviceTime;
use crate::model::DeviceWork;
use crate::trace::{Sorted, SortedRecord, Sorter, halves_of, word_of};
use std::cmp::Ordering;
use std::io;

/// The duration of a run of a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    pub(super) group: u32,
    pub(super) us: f64,
}

impl SortedRecord for Length {
    type Words = [u64; 2];

    fn to_words(&self) -> [u64; 2] {
        [u64::from(self.group), self.us.to_bits()]
    }

    fn of_words([group, us]: [u64; 2]) -> Self {
        Length { group: halves_of(group).1, us: f64::from_bits(us) }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.group.cmp(&other.group).then(self.us.total_cmp(&other.us))
    }
}

/// A group of runs, one of which may be left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// How many there are, without that one.
    pub(super) count: usize,
    pub(super) without_us: Option<f64>,
}

/// The median of each group.
///
/// # Errors
/// The temporary file of the lengths cannot be read.
pub(super) fn medians(lengths: &Sorted<Length>, groups: &[Group]) -> io::Result<Vec<f64>> {
    let mut found = vec![0.0; groups.len()];
    let mut lengths = lengths.iter()?;
    let mut current = None;
    let mut seen = 0;
    let mut without_us = None;
    while let Some(length) = lengths.next()? {
        let at = length.group as usize;
        let (Some(group), Some(median)) = (groups.get(at), found.get_mut(at)) else { continue };
        if current != Some(at) {
            (current, seen, without_us) = (Some(at), 0, group.without_us);
        }
        if without_us == Some(length.us) {
            without_us = None;
            continue;
        }
        // With an even count, the mean of the two in the middle; with an odd count, the middle one twice.
        for middle in [group.count.saturating_sub(1) / 2, group.count / 2] {
            *median += if seen == middle { length.us / 2.0 } else { 0.0 };
        }
        seen += 1;
    }
    Ok(found)
}

/// A run on the device.
#[derive(Debug, Clone, Copy)]
struct DeviceRun {
    begin_us: f64,
    end_us: f64,
    kind: DeviceWork,
    compiled: bool,
}

impl SortedRecord for DeviceRun {
    type Words = [u64; 3];

    fn to_words(&self) -> [u64; 3] {
        let kind = (0..).zip(KINDS).find(|(_, kind)| *kind == self.kind).map_or(0, |(at, _)| at);
        [self.begin_us.to_bits(), self.end_us.to_bits(), word_of(kind, u32::from(self.compiled))]
    }

    fn of_words([begin, end, kind]: [u64; 3]) -> Self {
        let (kind, compiled) = halves_of(kind);
        let kind = KINDS.get(kind as usize).copied().unwrap_or_default();
        DeviceRun {
            begin_us: f64::from_bits(begin),
            end_us: f64::from_bits(end),
            kind,
            compiled: compiled > 0,
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.begin_us.total_cmp(&other.begin_us)
    }
}

/// Kinds of work, by the number that stands for each in a record.
const KINDS: [DeviceWork; 3] = [DeviceWork::Kernel, DeviceWork::Communication, DeviceWork::Copy];

/// When the device ran, and what.
#[derive(Default)]
pub(super) struct BusyTimes(Sorter<DeviceRun>);

impl BusyTimes {
    /// Adds a run; runs may overlap and come in any order.
    pub(super) fn add(&mut self, begin_us: f64, dur_us: f64, kind: DeviceWork, compiled: bool) {
        if dur_us > 0.0 {
            self.0.push(DeviceRun { begin_us, end_us: begin_us + dur_us, kind, compiled });
        }
    }

    /// Where the time went: of a trace of that length, or, if None, from the begin of the first run to the end of the last.
    ///
    /// # Errors
    /// The temporary file of the runs cannot be read.
    pub(super) fn time(self, wall_us: Option<f64>) -> io::Result<DeviceTime> {
        let runs = self.0.sorted();
        let mut runs = runs.iter()?;
        let mut busy: [Covered; 7] = Default::default();
        let mut window: Option<(f64, f64)> = None;
        while let Some(run) = runs.next()? {
            let (begin_us, end_us) = window.unwrap_or((run.begin_us, run.end_us));
            window = Some((begin_us, end_us.max(run.end_us)));
            let [kernel, communication, copy] = KINDS.map(|kind| run.kind == kind);
            let (compiled, eager) = (kernel && run.compiled, kernel && !run.compiled);
            let counts = [true, compiled, eager, kernel, communication, kernel || communication, copy];
            for (sum, _) in busy.iter_mut().zip(counts).filter(|(_, counts)| *counts) {
                sum.add(run.begin_us, run.end_us);
            }
        }
        let [busy_us, compiled_us, eager_us, kernels_us, communication_us, either_us, copy_us] =
            busy.map(|covered| covered.length);
        let wall_us = wall_us.unwrap_or_else(|| window.map_or(0.0, |(begin_us, end_us)| end_us - begin_us));
        Ok(DeviceTime {
            wall_us,
            busy_us,
            compiled_us,
            eager_us,
            communication_us,
            exposed_communication_us: (either_us - kernels_us).max(0.0),
            copy_us,
            idle_us: (wall_us - busy_us).max(0.0),
        })
    }
}
