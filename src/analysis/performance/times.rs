//! Lengths of runs and stretches of time, of millions of runs, each in one pass over them in order.

use super::measured::DeviceTime;
use crate::model::DeviceWork;
use crate::trace::{Sorted, SortedRecord, Sorter, halves_of, word_of};
use std::cmp::Ordering;
use std::io;

/// How long a run of a group took.
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

/// A group of runs, of which one may be left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// How many there are without that one.
    pub(super) count: usize,
    pub(super) without_us: Option<f64>,
}

/// The length in the middle of each group.
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
        // Of an even number the mean of both in the middle, of an odd one that in the middle twice.
        for middle in [group.count.saturating_sub(1) / 2, group.count / 2] {
            *median += if seen == middle { length.us / 2.0 } else { 0.0 };
        }
        seen += 1;
    }
    Ok(found)
}

/// A run of something on the device.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    begin_us: f64,
    end_us: f64,
    kind: DeviceWork,
    compiled: bool,
}

impl SortedRecord for Stretch {
    type Words = [u64; 3];

    fn to_words(&self) -> [u64; 3] {
        let kind = match self.kind {
            DeviceWork::Kernel => 0,
            DeviceWork::Communication => 1,
            DeviceWork::Copy => 2,
        };
        [self.begin_us.to_bits(), self.end_us.to_bits(), word_of(kind, u32::from(self.compiled))]
    }

    fn of_words([begin, end, kind]: [u64; 3]) -> Self {
        let (kind, compiled) = halves_of(kind);
        let kind = match kind {
            0 => DeviceWork::Kernel,
            1 => DeviceWork::Communication,
            _ => DeviceWork::Copy,
        };
        Stretch { begin_us: f64::from_bits(begin), end_us: f64::from_bits(end), kind, compiled: compiled > 0 }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.begin_us.total_cmp(&other.begin_us)
    }
}

/// When the device ran, and what.
#[derive(Default)]
pub(super) struct Stretches(Sorter<Stretch>);

impl Stretches {
    /// Adds a run; they may overlap and come in any order.
    pub(super) fn add(&mut self, begin_us: f64, dur_us: f64, kind: DeviceWork, compiled: bool) {
        if dur_us > 0.0 {
            self.0.push(Stretch { begin_us, end_us: begin_us + dur_us, kind, compiled });
        }
    }

    /// Where the time went, of a trace that is so long.
    ///
    /// # Errors
    /// The temporary file of the stretches cannot be read.
    pub(super) fn time(self, wall_us: f64) -> io::Result<DeviceTime> {
        let stretches = self.0.sorted();
        let mut stretches = stretches.iter()?;
        let [mut busy, mut compiled, mut eager, mut computing] = [Busy::default(); 4];
        let [mut communicating, mut either, mut copying] = [Busy::default(); 3];
        while let Some(stretch) = stretches.next()? {
            busy.add(&stretch);
            match stretch.kind {
                DeviceWork::Kernel => {
                    if stretch.compiled {
                        compiled.add(&stretch)
                    } else {
                        eager.add(&stretch)
                    }
                    computing.add(&stretch);
                    either.add(&stretch);
                }
                DeviceWork::Communication => {
                    communicating.add(&stretch);
                    either.add(&stretch);
                }
                DeviceWork::Copy => copying.add(&stretch),
            }
        }
        Ok(DeviceTime {
            wall_us,
            busy_us: busy.us(),
            compiled_us: compiled.us(),
            eager_us: eager.us(),
            communication_us: communicating.us(),
            exposed_communication_us: (either.us() - computing.us()).max(0.0),
            copy_us: copying.us(),
            idle_us: (wall_us - busy.us()).max(0.0),
        })
    }
}

/// How long any of some stretches lasts, which come in the order in which they begin.
#[derive(Debug, Clone, Copy, Default)]
struct Busy {
    /// Of the stretches that do not touch the last ones.
    before_us: f64,
    /// From the first to the last of those that touch.
    last: Option<(f64, f64)>,
}

impl Busy {
    fn add(&mut self, stretch: &Stretch) {
        match &mut self.last {
            Some((_, end)) if stretch.begin_us <= *end => *end = end.max(stretch.end_us),
            _ => {
                self.before_us = self.us();
                self.last = Some((stretch.begin_us, stretch.end_us));
            }
        }
    }

    fn us(&self) -> f64 {
        self.before_us + self.last.map_or(0.0, |(begin, end)| end - begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(of: &[(f64, f64, DeviceWork)]) -> DeviceTime {
        let mut found = Stretches::default();
        for (begin, dur, kind) in of {
            found.add(*begin, *dur, *kind, false);
        }
        found.time(100.0).unwrap()
    }

    #[test]
    fn time_that_two_streams_are_busy_counts_once() {
        let kernel = DeviceWork::Kernel;
        let nested = (1.0, 1.0, kernel);
        let apart = [(20.0, 1.0, kernel), (30.0, 0.0, kernel)];
        let found = time(&[&[(5.0, 5.0, kernel), (0.0, 6.0, kernel), nested][..], &apart].concat());
        assert_eq!((found.busy_us, found.eager_us, found.idle_us), (11.0, 11.0, 89.0));
    }

    #[test]
    fn communication_is_exposed_while_no_kernel_computes() {
        let compute = [(0.0, 10.0, DeviceWork::Kernel), (20.0, 10.0, DeviceWork::Kernel)];
        let exposed = |begin, dur| {
            let communication = [(begin, dur, DeviceWork::Communication)];
            let found = time(&[&compute[..], &communication].concat());
            assert_eq!(found.communication_us, dur);
            found.exposed_communication_us
        };
        assert_eq!(exposed(5.0, 20.0), 10.0);
        assert_eq!(exposed(12.0, 2.0), 2.0);
        assert_eq!(exposed(21.0, 2.0), 0.0);
    }

    #[test]
    fn the_median_is_of_each_group_and_may_leave_one_out() {
        let lengths = [(0, 3.0), (1, 9.0), (0, 1.0), (1, 2.0), (0, 2.0), (1, 4.0), (1, 100.0)];
        let lengths: Sorted<Length> = lengths.map(|(group, us)| Length { group, us }).into_iter().collect();
        let group = |count, without_us| Group { count, without_us };
        assert_eq!(medians(&lengths, &[group(3, None), group(4, None)]).unwrap(), [2.0, 6.5]);
        assert_eq!(medians(&lengths, &[group(2, Some(1.0)), group(3, Some(2.0))]).unwrap(), [2.5, 9.0]);
    }
}
