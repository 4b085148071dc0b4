//! Joins launches with the calls that made them, by their ids, in memory that does not grow with their number.

use crate::model::{Correlation, Launch, Operator, OperatorCall, Profile};
use crate::trace::{Merge, Sorted, SortedRecord, Sorter, halves_of, word_of};
use std::cmp::Ordering;
use std::io;

/// A launch, with the call that made it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Asked {
    pub(super) launch: Launch,
    /// The call, without its operator.
    pub(super) call: Option<OperatorCall>,
}

impl SortedRecord for Asked {
    type Words = [u64; 9];

    fn to_words(&self) -> [u64; 9] {
        let [names, external, correlation, begin, dur] = self.launch.to_words();
        let [call, thread, _, call_begin, call_dur] =
            self.call.map(|call| call.to_words()).unwrap_or_default();
        let thread = word_of(u32::from(self.call.is_some()), halves_of(thread).1);
        [names, external, correlation, begin, dur, call, thread, call_begin, call_dur]
    }

    fn of_words(
        [names, external, correlation, begin, dur, call, thread, call_begin, call_dur]: [u64; 9],
    ) -> Self {
        let launch = Launch::of_words([names, external, correlation, begin, dur]);
        let (has_call, thread) = halves_of(thread);
        let call = OperatorCall::of_words([call, u64::from(thread), launch.external, call_begin, call_dur]);
        Asked { launch, call: (has_call > 0).then_some(call) }
    }

    /// In the order of the calls; launches without a call come last.
    fn order(&self, other: &Self) -> Ordering {
        let by_call = match (&self.call, &other.call) {
            (Some(call), Some(other)) => call.order(other),
            (None, None) => Ordering::Equal,
            (None, _) => Ordering::Greater,
            (_, None) => Ordering::Less,
        };
        let [left, right] = [&self.launch, &other.launch];
        let by_begin =
            left.correlation.cmp(&right.correlation).then(left.begin_us.total_cmp(&right.begin_us));
        by_call.then(by_begin).then(left.place.cmp(&right.place))
    }
}

/// All launches with their calls, in the order of the calls.
pub(super) fn asked(profile: &Profile) -> io::Result<Sorted<Asked>> {
    // Of calls with the same id, the first one counts.
    let mut by_id = Sorter::by(|one: &OperatorCall, other: &OperatorCall| {
        (one.external, one.place).cmp(&(other.external, other.place))
    });
    let mut calls = profile.calls.iter()?;
    while let Some(call) = calls.next()? {
        if call.external != 0 {
            by_id.push(call);
        }
    }
    let by_id = by_id.sorted();
    let correlated = correlated(profile)?;
    let mut launches = correlated.as_ref().unwrap_or(&profile.launches).iter()?;
    let mut calls = by_id.iter()?;
    let mut next: Option<OperatorCall> = calls.next()?;
    let mut last: Option<OperatorCall> = None;
    let mut found = Sorter::default();
    while let Some(launch) = launches.next()? {
        while let Some(call) = next.filter(|call| call.external <= launch.external) {
            if last.is_none_or(|known| known.external != call.external) {
                last = Some(call);
            }
            next = calls.next()?;
        }
        let call = last.filter(|call| call.external == launch.external);
        found.push(Asked { launch, call });
    }
    Ok(found.sorted())
}

/// The launches with the ids of their operators, if the calls of the runtime say more: kernels of older torch and of ROCm have
/// only a correlation with such a call, which names the operator, and those of a CUDA graph name what is around its launch.
fn correlated(profile: &Profile) -> io::Result<Option<Sorted<Launch>>> {
    let mut launches = profile.launches.iter()?;
    let first = launches.next()?;
    let has_graphs = profile.operators.iter().any(|operator| operator.name == Operator::GRAPH_LAUNCH);
    if first.is_none_or(|first| first.external != 0) && !has_graphs {
        return Ok(None);
    }
    let mut by_correlation = Sorter::by(|one: &Launch, other: &Launch| {
        (one.correlation, one.place).cmp(&(other.correlation, other.place))
    });
    first.into_iter().for_each(|launch| by_correlation.push(launch));
    while let Some(launch) = launches.next()? {
        by_correlation.push(launch);
    }
    let by_correlation = by_correlation.sorted();
    let mut launches = by_correlation.iter()?;
    let mut known = Latest { records: profile.correlations.iter()?, next: None, last: None };
    let mut found = Sorter::default();
    while let Some(launch) = launches.next()? {
        let caller = known.caller(launch.correlation)?;
        let is_better = launch.external == 0 || caller & Correlation::OF_GRAPH != 0;
        found.push(Launch { external: if is_better { caller } else { launch.external }, ..launch });
    }
    Ok(Some(found.sorted()))
}

/// Looks up correlations in ascending order; the last one counts if one occurs twice.
struct Latest<'p> {
    records: Merge<'p, Correlation>,
    next: Option<Correlation>,
    last: Option<Correlation>,
}

impl Latest<'_> {
    /// The id of the call that made a launch, or of the operator around it.
    fn caller(&mut self, correlation: u64) -> io::Result<u64> {
        loop {
            if self.next.is_none() {
                self.next = self.records.next()?;
            }
            match self.next.filter(|next| next.correlation <= correlation) {
                Some(reached) => (self.last, self.next) = (Some(reached), None),
                None => break,
            }
        }
        let last = self.last.filter(|last| last.correlation == correlation);
        Ok(last.map(|last| last.external).unwrap_or_default())
    }
}
