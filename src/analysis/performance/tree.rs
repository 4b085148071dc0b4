//! Which call of an operator stands inside which: a trace says only when each began and how long it took.

use crate::model::Profile;
use fxhash::FxHashMap;

/// How far a call may seem to end behind the one that made it: times of a trace have three decimals.
const ROUNDING_US: f64 = 0.002;

/// The calls of a trace, nested.
pub(super) struct CallTree {
    /// The calls of each thread in the order in which they began, thread by thread.
    order: Vec<u32>,
    /// The call around each call.
    parents: Vec<Option<u32>>,
    by_external: FxHashMap<u64, u32>,
    by_correlation: FxHashMap<u64, u64>,
}

impl CallTree {
    pub(super) fn of(profile: &Profile) -> CallTree {
        let mut order: Vec<u32> = (0..).take(profile.calls.len()).collect();
        let calls = &profile.calls;
        order.sort_by(|left, right| {
            let [left, right] = [left, right].map(|at| calls.get(*at as usize));
            let (Some(left), Some(right)) = (left, right) else { return std::cmp::Ordering::Equal };
            let by_begin = left.begin_us.total_cmp(&right.begin_us);
            left.thread.cmp(&right.thread).then(by_begin).then(right.dur_us.total_cmp(&left.dur_us))
        });
        let mut parents = vec![None; calls.len()];
        let mut open: Vec<(u32, f64)> = Vec::new();
        let mut thread = None;
        for at in order.iter().copied() {
            let Some(call) = calls.get(at as usize) else { continue };
            if thread != Some(call.thread) {
                open.clear();
                thread = Some(call.thread);
            }
            let end = call.begin_us + call.dur_us;
            while open.last().is_some_and(|(_, ends)| {
                *ends <= call.begin_us + ROUNDING_US && call.dur_us > 0.0 || *ends + ROUNDING_US < end
            }) {
                open.pop();
            }
            if let Some(slot) = parents.get_mut(at as usize) {
                *slot = open.last().map(|(parent, _)| *parent);
            }
            open.push((at, end));
        }
        let mut by_external = FxHashMap::default();
        for (at, call) in (0..).zip(calls).filter(|(_, call)| call.external != 0) {
            // An id that a second call carries, too, keeps its first.
            by_external.entry(call.external).or_insert(at);
        }
        let by_correlation = profile.correlations.iter().copied().collect();
        CallTree { order, parents, by_external, by_correlation }
    }

    /// The calls of each thread in the order in which they began, thread by thread.
    pub(super) fn order(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.iter().copied()
    }

    /// The call that asked for a launch.
    pub(super) fn launcher(&self, launch: &crate::model::Launch) -> Option<u32> {
        let external = match launch.external {
            0 => self.by_correlation.get(&launch.correlation).copied()?,
            known => known,
        };
        self.by_external.get(&external).copied()
    }

    /// The call around a call.
    pub(super) fn parent(&self, call: u32) -> Option<u32> {
        self.parents.get(call as usize).copied().flatten()
    }

    /// A call and those around it, innermost first.
    pub(super) fn chain(&self, call: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(call), |at| self.parent(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Launch, OperatorCall};

    fn call(thread: u32, external: u64, begin_us: f64, dur_us: f64) -> OperatorCall {
        OperatorCall { operator: 0, thread, external, begin_us, dur_us }
    }

    #[test]
    fn calls_nest_by_their_times_whatever_their_order_in_the_file() {
        let calls = vec![
            call(0, 3, 2.0, 3.0),
            call(0, 1, 0.0, 10.0),
            call(1, 4, 2.5, 1.0),
            call(0, 2, 1.0, 5.0),
            call(0, 5, 6.0, 4.0),
        ];
        let tree = CallTree::of(&Profile { calls, ..Profile::default() });
        assert_eq!(tree.chain(0).collect::<Vec<_>>(), [0, 3, 1]);
        assert_eq!(tree.parent(4), Some(1), "it begins where its sibling ends");
        assert_eq!(tree.parent(2), None, "another thread");
    }

    #[test]
    fn a_launch_without_an_operator_is_found_by_its_correlation() {
        let calls = vec![call(0, 7, 0.0, 1.0), call(0, 7, 2.0, 1.0)];
        let profile = Profile { calls, correlations: vec![(40, 7)], ..Profile::default() };
        let tree = CallTree::of(&profile);
        let launch = |external, correlation| Launch {
            kernel: 0,
            stream: 0,
            external,
            correlation,
            begin_us: 0.0,
            dur_us: 1.0,
        };
        assert_eq!(tree.launcher(&launch(0, 40)), Some(0));
        assert_eq!(tree.launcher(&launch(7, 0)), Some(0), "an id that occurs twice means its first call");
        assert_eq!(tree.launcher(&launch(8, 40)), None, "no such operator");
    }
}
