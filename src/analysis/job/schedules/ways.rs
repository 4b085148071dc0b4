//! The ways through a function on one rank: each compiled version, and behind a graph break the resume functions, in the
//! order of the code.

use crate::analysis::job::words::is_wait;
use crate::analysis::own_code::resumed;
use crate::facts::ranks::{Aspect, FactValue, FunctionFact, GraphId, Job, RankSummary, TextId};
use crate::limits::{KEPT, TRIED};
use crate::model::CompilerPart;
use fxhash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A collective that compiled code calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The operation, as torch names it.
    pub operation: TextId,
    /// The name of the process group, where the log has it.
    pub group: Option<TextId>,
    /// The compile whose code calls it, as its rank names it.
    pub compile: Option<TextId>,
    /// How often the code of that compile calls the operation before.
    pub same_before: usize,
}

/// One way through a function.
#[derive(Debug, Clone, Default)]
pub struct Way {
    /// What it calls, in order.
    pub calls: Vec<Call>,
    /// Whether a part of it runs in eager mode, whose collectives are in no log.
    pub has_eager_part: bool,
}

/// A compiled version of a function.
#[derive(Debug, Clone)]
pub struct Version {
    /// Its compile, as its rank names it.
    pub compile: Option<TextId>,
    /// The same as all ranks know it.
    pub graph: GraphId,
    /// The ways that a call may take.
    pub ways: Vec<Way>,
}

/// Versions by function; None where the log does not show all that they call.
pub type Versions = BTreeMap<FunctionFact, Option<Vec<Version>>>;

/// What a rank is known to call.
#[derive(Debug, Default)]
pub struct RankCalls {
    /// The versions of each function.
    pub functions: Versions,
    /// Those of each resume function, which are parts of versions above.
    pub resumed: Versions,
    /// The process groups that it calls in.
    pub groups: FxHashSet<TextId>,
    /// What its compiles call, by compile.
    pub by_graph: FxHashMap<GraphId, Vec<Call>>,
    /// Compiles of which the log does not say what they call.
    pub unknown: FxHashSet<GraphId>,
    /// Whether its log ends inside a compile.
    pub is_cut: bool,
    /// Whether the log names the function of each compile.
    pub are_named: bool,
}

impl RankCalls {
    /// Reads them from the facts of a rank; None where its log cannot know them.
    pub fn of_rank(job: &Job, rank: &RankSummary) -> Option<RankCalls> {
        let by_graph = calls_by_graph(job, rank);
        let compiles = rank.fact(Aspect::Functions)?;
        // Only Inductor writes down which collectives its code calls.
        let used = rank.parts_us.time_in(CompilerPart::Inductor) > 0.0;
        if by_graph.is_empty() && !used && rank.cached.is_empty() {
            return None;
        }
        let groups = by_graph.values().flatten().filter_map(|call| call.group).collect();
        let graphs: Vec<Compiled> = compiles
            .iter()
            .filter_map(|step| Some(Compiled { graph: step.graph?, compile: step.compile }))
            .collect();
        let scheduled = rank.steps(Aspect::Collectives).iter();
        let unknown = scheduled.filter(|step| step.value.is_none()).filter_map(|step| step.graph);
        let unknown = unknown.filter(|graph| !by_graph.contains_key(graph)).collect();
        let (functions, resumed) =
            functions(job, rank, &graphs, Known { calls: &by_graph, unknown: &unknown });
        let are_named = compiles.iter().all(|step| step.value.is_some());
        let is_cut = rank.is_cut();
        Some(RankCalls { functions, resumed, groups, by_graph, unknown, is_cut, are_named })
    }
}

/// A compile of a rank.
#[derive(Clone, Copy)]
struct Compiled {
    graph: GraphId,
    compile: Option<TextId>,
}

/// What the code of each compile calls: as scheduled, or as its code has it where no schedule is recorded.
fn calls_by_graph(job: &Job, rank: &RankSummary) -> FxHashMap<GraphId, Vec<Call>> {
    let mut calls: FxHashMap<GraphId, Vec<Call>> = FxHashMap::default();
    for aspect in [Aspect::Collectives, Aspect::ProcessGroups] {
        let mut found: FxHashMap<GraphId, Vec<Call>> = FxHashMap::default();
        let mut called: FxHashMap<(GraphId, TextId), usize> = FxHashMap::default();
        for step in rank.steps(aspect) {
            let (operation, group) = match step.value {
                Some(FactValue::Collective(operation)) => (operation, step.note),
                Some(FactValue::Call { operation, group, .. }) => (operation, Some(group)),
                _ => continue,
            };
            let Some(graph) = step.graph.filter(|_| !is_wait(job.texts.get(operation))) else { continue };
            let times = called.entry((graph, operation)).or_default();
            let call = Call { operation, group, compile: step.compile, same_before: *times };
            *times += 1;
            found.entry(graph).or_default().push(call);
        }
        for (graph, own) in found {
            calls.entry(graph).or_insert(own);
        }
    }
    calls
}

/// A function that goes on behind a graph break.
struct Resumed {
    function: FunctionFact,
    line: i64,
    graph: Compiled,
}

/// A function with its resume functions.
#[derive(Default)]
struct Parts {
    versions: Vec<Compiled>,
    resumed: Vec<Resumed>,
}

/// The compiles of a rank by function, resume functions with the function that they belong to.
fn functions(job: &Job, rank: &RankSummary, graphs: &[Compiled], known: Known<'_>) -> (Versions, Versions) {
    let mut parts: BTreeMap<FunctionFact, Parts> = BTreeMap::new();
    let mut behind: Vec<(FunctionFact, Compiled)> = Vec::new();
    for &graph in graphs {
        let Some(key) = job.texts.graph(graph.graph) else { continue };
        match key.function.name.map(|name| job.texts.get(name)).and_then(resumed) {
            Some(_) => behind.push((key.function, graph)),
            None => parts.entry(key.function).or_default().versions.push(graph),
        }
    }
    let begins = parts.keys().filter_map(|function| Some((begin(job, function)?, *function))).collect();
    for (function, graph) in behind {
        let base = begun_by(job, &begins, function).unwrap_or(function);
        let line = function.name.and_then(|name| resumed(job.texts.get(name))?.1.parse().ok());
        let line = line.unwrap_or(i64::MAX);
        parts.entry(base).or_default().resumed.push(Resumed { function, line, graph });
    }
    let mut reader = Walk { rank, known, held: 0 };
    let mut behind_breaks = Versions::new();
    for parts in parts.values() {
        for one in &parts.resumed {
            let same = parts.resumed.iter().filter(|other| other.function == one.function);
            let begins = || same.map(|one| one.graph).collect::<Vec<_>>();
            let versions = || reader.versions(parts, &begins(), one.line);
            behind_breaks.entry(one.function).or_insert_with(versions);
        }
    }
    let of_function = |(function, parts): (FunctionFact, Parts)| {
        // A function whose beginning was compiled under a name that no log has begins with its resume functions.
        let begins: Vec<Compiled> = match parts.versions.is_empty() {
            true => parts.resumed.iter().map(|one| one.graph).collect(),
            false => parts.versions.clone(),
        };
        reader.held = 0;
        (function, reader.versions(&parts, &begins, i64::MIN))
    };
    (parts.into_iter().map(of_function).collect(), behind_breaks)
}

/// Where a function begins.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Begin<'j> {
    name: &'j str,
    file: TextId,
    line: i64,
}

fn begin<'j>(job: &'j Job, function: &FunctionFact) -> Option<Begin<'j>> {
    let place = function.place?;
    Some(Begin { name: job.texts.get(function.name?), file: place.file, line: place.line? })
}

/// The function that a resume function belongs to: of the same name and file, the last one that begins above.
fn begun_by(
    job: &Job,
    functions: &BTreeMap<Begin<'_>, FunctionFact>,
    behind: FunctionFact,
) -> Option<FunctionFact> {
    let (name, line) = resumed(job.texts.get(behind.name?))?;
    let at = |line| Some(Begin { name, file: behind.place?.file, line });
    let mut above = functions.range(at(i64::MIN)?..=at(line.parse().ok()?)?);
    above.next_back().map(|(_, function)| *function)
}

/// What is known of the calls of each compile.
#[derive(Clone, Copy)]
struct Known<'c> {
    calls: &'c FxHashMap<GraphId, Vec<Call>>,
    unknown: &'c FxHashSet<GraphId>,
}

/// Follows the ways through the versions of functions.
struct Walk<'r> {
    rank: &'r RankSummary,
    known: Known<'r>,
    /// Calls in the ways of the current function, or of all resume functions.
    held: usize,
}

impl Walk<'_> {
    /// The versions that begin with these compiles, which are parts of one function behind the given line.
    fn versions(&mut self, parts: &Parts, begins: &[Compiled], line: i64) -> Option<Vec<Version>> {
        let versions = begins.iter().map(|begin| {
            let mut ways = Vec::new();
            self.follow(parts, *begin, line, &Way::default(), &mut ways, 0)?;
            Some(Version { compile: begin.compile, graph: begin.graph, ways })
        });
        versions.collect()
    }

    /// Adds the ways that go on with a compile; None where not all that it calls is known, or they are too many.
    fn follow(
        &mut self,
        parts: &Parts,
        next: Compiled,
        line: i64,
        before: &Way,
        ways: &mut Vec<Way>,
        depth: usize,
    ) -> Option<()> {
        let own = self.known.calls.get(&next.graph);
        if self.known.unknown.contains(&next.graph) || depth > TRIED {
            return None;
        }
        let mut way = before.clone();
        way.calls.extend(own.into_iter().flatten());
        self.held += way.calls.len();
        if self.held > KEPT {
            return None;
        }
        if self.rank.broken.binary_search(&next.graph).is_err() {
            ways.push(way);
            return (ways.len() <= TRIED).then_some(());
        }
        way.has_eager_part = true;
        let later: Vec<&Resumed> =
            parts.resumed.iter().filter(|one| one.line > line && one.graph.graph != next.graph).collect();
        if later.is_empty() {
            ways.push(way);
            return (ways.len() <= TRIED).then_some(());
        }
        later.into_iter().try_for_each(|one| self.follow(parts, one.graph, one.line, &way, ways, depth + 1))
    }
}
