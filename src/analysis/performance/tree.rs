//! Which call of an operator stands inside which: a trace says only when each began and how long it took.

use crate::model::{Launch, OperatorCall, Profile};
use fxhash::FxHashMap;

/// How far a call may seem to end behind the one that made it: times of a trace have three decimals.
const ROUNDING_US: f64 = 0.002;

/// No call is around.
const NONE: u32 = u32::MAX;

/// The calls of a trace, nested. A trace has millions of calls, so little is kept of each.
pub(super) struct CallTree<'p> {
    calls: &'p [OperatorCall],
    /// The calls in the order in which those of each thread began; None where the file has them in this order.
    order: Option<Vec<u32>>,
    /// The call around each call, or [`NONE`].
    parents: Vec<u32>,
    /// Calls by their `External id`; None where the ids ascend, as those of the profiler do.
    by_external: Option<FxHashMap<u64, u32>>,
    by_correlation: FxHashMap<u64, u64>,
}

impl<'p> CallTree<'p> {
    pub(super) fn of(profile: &'p Profile) -> CallTree<'p> {
        let calls = profile.calls.as_slice();
        let ascends = calls.is_sorted_by(|left, right| left.external < right.external);
        let by_external = || {
            let mut found = FxHashMap::default();
            for (at, call) in (0..).zip(calls).filter(|(_, call)| call.external != 0) {
                // An id that a second call carries, too, keeps its first.
                found.entry(call.external).or_insert(at);
            }
            found
        };
        // Only kernels that name no operator are looked for by correlation.
        let correlated = profile.launches.iter().any(|launch| launch.external == 0);
        let correlations = profile.correlations.iter().copied().filter(|_| correlated);
        let mut tree = CallTree {
            calls,
            order: order_of(calls),
            parents: vec![NONE; calls.len()],
            by_external: (!ascends).then(by_external),
            by_correlation: correlations.collect(),
        };
        tree.parents = tree.nested();
        tree
    }

    /// The call around each call.
    fn nested(&self) -> Vec<u32> {
        let mut parents = vec![NONE; self.calls.len()];
        let mut open_of: FxHashMap<u32, Vec<(u32, f64)>> = FxHashMap::default();
        for at in self.order() {
            let Some(call) = self.calls.get(at as usize) else { continue };
            let open = open_of.entry(call.thread).or_default();
            let end = call.begin_us + call.dur_us;
            while open.last().is_some_and(|(_, ends)| {
                *ends <= call.begin_us + ROUNDING_US && call.dur_us > 0.0 || *ends + ROUNDING_US < end
            }) {
                open.pop();
            }
            if let (Some(slot), Some((parent, _))) = (parents.get_mut(at as usize), open.last()) {
                *slot = *parent;
            }
            open.push((at, end));
        }
        parents
    }

    /// The calls in an order in which those of each thread began.
    pub(super) fn order(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match &self.order {
            Some(order) => Box::new(order.iter().copied()),
            None => Box::new((0..).take(self.calls.len())),
        }
    }

    /// The call that asked for a launch.
    pub(super) fn launcher(&self, launch: &Launch) -> Option<u32> {
        let external = match launch.external {
            0 => self.by_correlation.get(&launch.correlation).copied()?,
            known => known,
        };
        match &self.by_external {
            Some(known) => known.get(&external).copied(),
            None => {
                let at = self.calls.binary_search_by_key(&external, |call| call.external).ok()?;
                u32::try_from(at).ok().filter(|_| external != 0)
            }
        }
    }

    /// The call around a call.
    pub(super) fn parent(&self, call: u32) -> Option<u32> {
        self.parents.get(call as usize).copied().filter(|parent| *parent != NONE)
    }

    /// A call and those around it, innermost first.
    pub(super) fn chain(&self, call: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(call), |at| self.parent(*at))
    }
}

/// Places of calls, ordered by when they began on their thread; of those that began at once the longest first. None
/// where they stand in that order.
fn order_of(calls: &[OperatorCall]) -> Option<Vec<u32>> {
    let mut last: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
    let in_order = calls.iter().all(|call| {
        let (begin, dur) = last.insert(call.thread, (call.begin_us, call.dur_us)).unwrap_or((f64::MIN, 0.0));
        begin < call.begin_us || begin == call.begin_us && dur >= call.dur_us
    });
    if in_order {
        return None;
    }
    let mut order: Vec<u32> = (0..).take(calls.len()).collect();
    order.sort_by(|left, right| {
        let [left, right] = [left, right].map(|at| calls.get(*at as usize));
        let (Some(left), Some(right)) = (left, right) else { return std::cmp::Ordering::Equal };
        let by_begin = left.begin_us.total_cmp(&right.begin_us);
        left.thread.cmp(&right.thread).then(by_begin).then(right.dur_us.total_cmp(&left.dur_us))
    });
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let profile = Profile { calls, ..Profile::default() };
        let tree = CallTree::of(&profile);
        assert_eq!(tree.chain(0).collect::<Vec<_>>(), [0, 3, 1]);
        assert_eq!(tree.parent(4), Some(1), "it begins where its sibling ends");
        assert_eq!(tree.parent(2), None, "another thread");
    }

    #[test]
    fn a_launch_without_an_operator_is_found_by_its_correlation() {
        let calls = vec![call(0, 7, 0.0, 1.0), call(0, 7, 2.0, 1.0)];
        let launch = |external, correlation| Launch {
            kernel: 0,
            stream: 0,
            external,
            correlation,
            begin_us: 0.0,
            dur_us: 1.0,
        };
        let launches = vec![launch(0, 40)];
        let profile = Profile { calls, launches, correlations: vec![(40, 7)], ..Profile::default() };
        let tree = CallTree::of(&profile);
        assert_eq!(tree.launcher(&launch(0, 40)), Some(0));
        assert_eq!(tree.launcher(&launch(7, 0)), Some(0), "an id that occurs twice means its first call");
        assert_eq!(tree.launcher(&launch(8, 40)), None, "no such operator");
    }
}
