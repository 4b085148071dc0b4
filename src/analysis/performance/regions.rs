//! Calls of compiled code: how often, how long, and what of it is neither a graph nor an operator.

use super::measured::MeasuredRegion;
use super::times::median;
use super::tree::CallTree;
use super::work::{GRAPH, REGION, is_work};
use crate::model::{OperatorCall, Profile};
use fxhash::FxHashMap;
use indexmap::IndexMap;

/// The check of guards that finds the compiled code of a call. It ends before the call of the code begins.
const LOOKUP: &str = "TorchDynamo Cache Lookup";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Region,
    Graph,
    Lookup,
    Operator,
    Other,
}

fn kind(name: &str, annotation: bool) -> Kind {
    match () {
        () if name.starts_with(REGION) => Kind::Region,
        () if name.starts_with(GRAPH) => Kind::Graph,
        () if name.starts_with(LOOKUP) => Kind::Lookup,
        () if !annotation && is_work(name) => Kind::Operator,
        () => Kind::Other,
    }
}

#[derive(Default)]
struct OfRegion {
    /// When each call began, and how long it took.
    calls: Vec<(f64, f64)>,
    /// What its calls spent in each kind of call, microseconds.
    graphs_us: f64,
    other_us: f64,
    guards_us: f64,
    has_graph: bool,
    has_lookup: bool,
}

/// Calls of compiled code by compile id, those that took longest first.
pub(super) fn regions(profile: &Profile, tree: &CallTree<'_>) -> Vec<MeasuredRegion> {
    let names = |call: &OperatorCall| profile.operators.get(call.operator as usize);
    let kinds: Vec<Kind> =
        profile.operators.iter().map(|operator| kind(&operator.name, operator.annotation)).collect();
    let kind_of = |at: u32| {
        let operator = profile.calls.get(at as usize).map(|call| call.operator as usize);
        operator.and_then(|at| kinds.get(at)).copied().unwrap_or(Kind::Other)
    };
    let mut found: IndexMap<&str, OfRegion> = IndexMap::new();
    let id_of = |at: u32| {
        let name = names(profile.calls.get(at as usize)?)?.name.strip_prefix(REGION)?;
        Some(name.trim())
    };
    let mut lookups: FxHashMap<u32, (u32, f64)> = FxHashMap::default();
    for at in tree.order() {
        let Some(call) = profile.calls.get(at as usize) else { continue };
        let kind = kind_of(at);
        if kind == Kind::Other {
            continue;
        }
        // What surrounds the call: a region counts what is directly in it, not what is in a graph or an operator.
        let around = tree.chain(at).skip(1).find(|around| kind_of(*around) != Kind::Other);
        let region = around.filter(|around| kind_of(*around) == Kind::Region).and_then(id_of);
        if let Some(region) = region {
            let of = found.entry(region).or_default();
            of.other_us += if kind == Kind::Graph { 0.0 } else { call.dur_us };
            of.graphs_us += if kind == Kind::Graph { call.dur_us } else { 0.0 };
            of.has_graph |= kind == Kind::Graph;
        }
        match (kind, id_of(at)) {
            (Kind::Lookup, _) => drop(lookups.insert(call.thread, (at, call.dur_us))),
            (Kind::Region, Some(id)) => {
                let of = found.entry(id).or_default();
                of.calls.push((call.begin_us, call.dur_us));
                let lookup = lookups.remove(&call.thread);
                if let Some((_, us)) = lookup.filter(|(lookup, _)| tree.parent(*lookup) == tree.parent(at)) {
                    of.guards_us += us;
                    of.has_lookup = true;
                }
            }
            _ => {}
        }
    }
    let mut found: Vec<MeasuredRegion> = found.into_iter().map(|(id, of)| of.measured(id)).collect();
    found.sort_by(|left, right| {
        right.sum_us.total_cmp(&left.sum_us).then_with(|| left.compile_id.cmp(&right.compile_id))
    });
    found
}

impl OfRegion {
    fn measured(mut self, compile_id: &str) -> MeasuredRegion {
        self.calls.sort_by(|left, right| left.0.total_cmp(&right.0));
        let us: Vec<f64> = self.calls.iter().map(|(_, dur)| *dur).collect();
        let later: Vec<f64> = us.iter().skip(1).copied().collect();
        let sum_us: f64 = us.iter().sum();
        MeasuredRegion {
            compile_id: compile_id.to_owned(),
            calls: us.len(),
            sum_us,
            first_us: us.first().copied().unwrap_or_default(),
            median_us: median(us),
            later_median_us: (!later.is_empty()).then(|| median(later)),
            guards_us: self.has_lookup.then_some(self.guards_us),
            graphs_us: self.has_graph.then_some(self.graphs_us),
            wrapper_us: self.has_graph.then(|| (sum_us - self.graphs_us - self.other_us).max(0.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Operator;

    #[test]
    fn what_a_region_spends_outside_of_graphs_and_operators_is_its_wrapper() {
        let names = [
            "Torch-Compiled Region: 0/0",
            "CompiledFunction",
            "## Call CompiledFxGraph abc ##",
            "aten::mm",
            "TorchDynamo Cache Lookup",
            "Torch-Compiled Region: 1/0",
        ];
        let operators =
            names.iter().map(|name| Operator { name: (*name).to_owned(), ..Operator::default() }).collect();
        let call =
            |operator, begin_us, dur_us| OperatorCall { operator, thread: 0, external: 0, begin_us, dur_us };
        let calls = vec![
            call(4, 0.0, 3.0),
            call(0, 5.0, 100.0),
            // The wrapper of the autograd function is wrapper; the graph within it is not, whatever that calls.
            call(1, 10.0, 60.0),
            call(2, 20.0, 40.0),
            call(3, 25.0, 30.0),
            // An operator that ran in eager mode, guards and code of a function that was called there.
            call(3, 70.0, 10.0),
            call(4, 81.0, 2.0),
            call(5, 84.0, 10.0),
            call(0, 200.0, 50.0),
            call(2, 205.0, 40.0),
        ];
        let profile = Profile { operators, calls, ..Profile::default() };
        let found = regions(&profile, &CallTree::of(&profile));
        let [first, second] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((first.compile_id.as_str(), first.calls, first.sum_us), ("0/0", 2, 150.0));
        assert_eq!((first.first_us, first.later_median_us), (100.0, Some(50.0)));
        assert_eq!((first.guards_us, first.graphs_us), (Some(3.0), Some(80.0)));
        assert_eq!(first.wrapper_us, Some(150.0 - 80.0 - 22.0));
        assert_eq!((second.guards_us, second.graphs_us, second.wrapper_us), (Some(2.0), None, None));
        assert_eq!(second.later_median_us, None);
    }
}
