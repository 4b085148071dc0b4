//! Calls of compiled code: how many, how long, and how much of that is neither a graph nor an operator.

use super::times::{Group, Length, medians};
use super::work::{GRAPH, REGION, is_work};
use crate::facts::Region;
use crate::model::{OperatorCall, Profile};
use crate::trace::Sorter;
use indexmap::IndexSet;
use std::io;

/// The guard check that finds the compiled code for a call. It ends before the call of the code begins.
const LOOKUP: &str = "TorchDynamo Cache Lookup";
/// What an operator means for a region.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegionKind {
    /// A call of compiled code: the place of its id among the ids of the trace.
    Region(u32),
    Graph,
    Lookup,
    Operator,
    #[default]
    Other,
}

#[derive(Default)]
struct OfRegion {
    /// Begin and duration of the first call.
    first: Option<(f64, f64)>,
    calls: usize,
    sum_us: f64,
    /// Microseconds that its calls spent in each kind of call.
    graphs_us: f64,
    other_us: f64,
    guards_us: f64,
    has_graph: bool,
    has_lookup: bool,
}

/// Calls of compiled code, counted as they are seen.
pub(super) struct Regions {
    ids: IndexSet<String>,
    found: Vec<OfRegion>,
    lengths: Sorter<Length>,
    /// The last guard check of the thread: the call around it, and its duration.
    lookup: Option<(Option<u32>, f64)>,
}

impl Regions {
    /// The compile id of a region.
    pub(super) fn id(&self, region: u32) -> Option<&str> {
        self.ids.get_index(region as usize).map(String::as_str)
    }

    /// No calls yet; with the kind of each operator of the trace.
    pub(super) fn in_profile(profile: &Profile) -> (Regions, Vec<RegionKind>) {
        let mut ids: IndexSet<String> = IndexSet::new();
        let mut kind = |name: &str, annotation: bool| match name.strip_prefix(REGION) {
            Some(id) => RegionKind::Region(ids.insert_full(id.trim().to_owned()).0 as u32),
            None if name.starts_with(GRAPH) => RegionKind::Graph,
            None if name.starts_with(LOOKUP) => RegionKind::Lookup,
            None if !annotation && is_work(name) => RegionKind::Operator,
            None => RegionKind::Other,
        };
        let operators = profile.operators.iter();
        let kinds = operators.map(|operator| kind(&operator.name, operator.annotation)).collect();
        let found = ids.iter().map(|_| OfRegion::default()).collect();
        (Regions { ids, found, lengths: Sorter::default(), lookup: None }, kinds)
    }

    /// The following calls belong to another thread.
    pub(super) fn next_thread(&mut self) {
        self.lookup = None;
    }

    /// Counts a call. `around` is the innermost call around it with a kind, `parent` the innermost one of all.
    pub(super) fn call(
        &mut self,
        kind: RegionKind,
        around: Option<RegionKind>,
        parent: Option<u32>,
        call: &OperatorCall,
    ) {
        // A region counts the calls directly inside it, not those inside a graph or an operator.
        if let Some(RegionKind::Region(region)) = around
            && let Some(of) = self.found.get_mut(region as usize)
        {
            let is_graph = kind == RegionKind::Graph;
            of.other_us += if is_graph { 0.0 } else { call.dur_us };
            of.graphs_us += if is_graph { call.dur_us } else { 0.0 };
            of.has_graph |= is_graph;
        }
        match kind {
            RegionKind::Lookup => self.lookup = Some((parent, call.dur_us)),
            RegionKind::Region(region) => {
                let lookup = self.lookup.take().filter(|(around, _)| *around == parent);
                self.lengths.push(Length { group: region, us: call.dur_us });
                if let Some(of) = self.found.get_mut(region as usize) {
                    of.add(call, lookup.map(|(_, us)| us));
                }
            }
            _ => {}
        }
    }

    /// The regions in the order of their places.
    ///
    /// # Errors
    /// A temporary file cannot be read.
    pub(super) fn measured(self) -> io::Result<Vec<Region<'static>>> {
        let lengths = self.lengths.sorted();
        let first = |of: &OfRegion| of.first.map(|(_, us)| us);
        let all = |of: &OfRegion| Group { count: of.calls, without_us: None };
        let later = |of: &OfRegion| Group { count: of.calls.saturating_sub(1), without_us: first(of) };
        let medians_of_all = medians(&lengths, &self.found.iter().map(all).collect::<Vec<_>>())?;
        let medians_of_later = medians(&lengths, &self.found.iter().map(later).collect::<Vec<_>>())?;
        let regions =
            self.ids.into_iter().zip(self.found).zip(medians_of_all.into_iter().zip(medians_of_later));
        Ok(regions
            .map(|((compile_id, of), (median_us, later_us))| Region {
                compile_id: compile_id.into(),
                calls: of.calls as u64,
                sum_us: of.sum_us,
                first_us: first(&of).unwrap_or_default(),
                median_us,
                later_median_us: (of.calls > 1).then_some(later_us),
                guards_us: of.has_lookup.then_some(of.guards_us),
                graphs_us: of.has_graph.then_some(of.graphs_us),
                wrapper_us: of.has_graph.then(|| (of.sum_us - of.graphs_us - of.other_us).max(0.0)),
            })
            .collect())
    }
}

impl OfRegion {
    fn add(&mut self, call: &OperatorCall, guards_us: Option<f64>) {
        self.calls += 1;
        self.sum_us += call.dur_us;
        self.guards_us += guards_us.unwrap_or_default();
        self.has_lookup |= guards_us.is_some();
        // Calls are in order within each thread only.
        if self.first.is_none_or(|(begin, _)| call.begin_us < begin) {
            self.first = Some((call.begin_us, call.dur_us));
        }
    }
}
