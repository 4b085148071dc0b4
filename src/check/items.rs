//! Items that budgets count, each with its place, cost and page.

use super::budget::Measure;
use super::identity::{Identity, file_of, function_of, reason_of, source_of, without_numbers};
use crate::analysis::findings::KindOfFinding::{
    self, CacheBypass, CacheMiss, Failure, GraphBreak, Recompilation, RecompileLimit,
};
use crate::analysis::{Severity, change_of};
use crate::facts::{Compile, Finding, FindingCost, Function, LogReport, Recompile, Text, line_number, owned};
use crate::model::words::headline;
use crate::report::formats::fingerprint;
use std::collections::HashMap;

/// Something that counts towards a budget.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// Which budget it counts towards.
    pub measure: Measure,
    /// How much it counts.
    pub amount: f64,
    /// How a baseline recognizes it.
    pub identity: Identity,
    /// The functions that it belongs to: the function that has it, then those that were being compiled.
    pub functions: Vec<FunctionPlace>,
    /// Its kind, as report.json names it.
    pub kind: String,
    /// What happened, in one line.
    pub title: String,
    /// How much it matters.
    pub severity: Severity,
    /// The file as torch recorded it.
    pub file: Option<String>,
    pub line: Option<u64>,
    pub cost: Option<FindingCost<'static>>,
    /// What to do.
    pub hint: Option<String>,
    /// Its page, relative to the report's folder.
    pub page: Option<String>,
    /// The fingerprint of its finding, the one that SARIF of the whole report has.
    pub finding: Option<String>,
}

impl Item {
    /// A warning of which no more is known yet than what happened and to whom.
    pub(super) fn new(
        measure: Measure,
        identity: Identity,
        functions: Vec<FunctionPlace>,
        title: String,
    ) -> Item {
        Item {
            measure,
            amount: 1.0,
            kind: identity.kind.clone(),
            identity,
            functions,
            title,
            severity: Severity::Warning,
            file: None,
            line: None,
            cost: None,
            hint: None,
            page: None,
            finding: None,
        }
    }

    fn at(mut self, file: &Option<Text<'_>>, line: Option<i64>) -> Item {
        (self.file, self.line) = (owned(file), number(line));
        self
    }

    /// With the cost and the hint of its finding, and the finding's page; without one, the page of all of its kind.
    fn with_finding(mut self, finding: Option<&Finding<'_>>, otherwise: &str) -> Item {
        self.cost = finding.and_then(|finding| finding.cost.as_ref()).map(FindingCost::owned);
        self.finding = finding.map(fingerprint);
        self.hint = finding.and_then(|finding| owned(&finding.hint));
        self.page = finding.and_then(|finding| owned(&finding.url)).or_else(|| Some(otherwise.to_owned()));
        self
    }
}

/// A function as torch names it, without the line at which it was resumed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct FunctionPlace {
    /// `forward`
    pub name: String,
    /// Its file as torch recorded it.
    pub file: Option<String>,
    /// The line of its definition, if known: two functions of a file may share a name.
    pub line: Option<i64>,
}

pub(crate) struct LogItems {
    pub items: Vec<Item>,
    pub compile_seconds: f64,
    /// The functions that were compiled, each with its seconds.
    pub functions: Vec<(FunctionPlace, f64)>,
}

/// Kinds of findings that other budgets count.
const COUNTED_ELSEWHERE: [KindOfFinding; 6] =
    [GraphBreak, Recompilation, RecompileLimit, Failure, CacheMiss, CacheBypass];

/// Everything of a log.
pub(super) fn of_log(report: &LogReport<'_>) -> LogItems {
    let index = ReportIndex::new(report);
    let mut items = index.graph_breaks();
    items.extend(index.recompiles());
    items.extend(index.failures());
    items.extend(index.cache_misses());
    items.extend(index.fallback_ops());
    items.extend(others(report.findings.iter()));
    LogItems {
        items,
        compile_seconds: report.compile_time.total_s.unwrap_or(0.0),
        functions: index.function_seconds(),
    }
}

/// Errors and warnings that no other budget counts.
pub(super) fn others<'r>(findings: impl Iterator<Item = &'r Finding<'r>>) -> impl Iterator<Item = Item> {
    let counts = |one: &&Finding<'_>| {
        let kind = KindOfFinding::of_log(&one.kind);
        &*one.severity != "info" && !kind.is_some_and(|kind| COUNTED_ELSEWHERE.contains(&kind))
    };
    findings.filter(counts).map(|one| {
        let identity = Identity {
            kind: one.kind.owned(),
            file: one.file.as_deref().map(file_of).unwrap_or_default(),
            function: String::new(),
            reason: without_numbers(&one.title),
            source: String::new(),
        };
        let item = Item::new(Measure::Findings, identity, Vec::new(), one.title.owned());
        let item = item.at(&one.file, one.line).with_finding(Some(one), "index.html");
        Item { severity: severity(one), page: owned(&one.url), ..item }
    })
}

/// A line number, if it is one.
fn number(line: Option<i64>) -> Option<u64> {
    line_number(line).filter(|line| *line > 0)
}

fn severity(finding: &Finding<'_>) -> Severity {
    let all = [Severity::Error, Severity::Warning];
    all.into_iter().find(|one| one.word() == &*finding.severity).unwrap_or(Severity::Info)
}

/// The file and the line of a finding on a graph break, and one of its compiles.
type BreakKey<'r> = (Option<&'r str>, Option<i64>, Option<&'r str>);

/// A report indexed by compile id.
struct ReportIndex<'r> {
    report: &'r LogReport<'r>,
    /// The function of each compile id; falls back to the function of the compile's frame.
    functions: HashMap<&'r str, &'r Function<'r>>,
    /// Lines where the functions of a name and file are defined, ascending.
    defined: HashMap<(&'r str, Option<&'r str>), Vec<i64>>,
    /// Findings by kind and compile id, the first of each.
    by_compile: HashMap<(KindOfFinding, &'r str), &'r Finding<'r>>,
    /// The findings on graph breaks, also of members of groups.
    breaks: HashMap<BreakKey<'r>, &'r Finding<'r>>,
}

/// `0` of `0/1`: what all compiles of one function object share.
fn frame_of(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(frame, _)| frame)
}

impl<'r> ReportIndex<'r> {
    fn new(report: &'r LogReport<'r>) -> ReportIndex<'r> {
        let named =
            |compile: &'r Compile<'r>| compile.function.as_ref().filter(|function| function.name.is_some());
        let with_id = |compile: &'r Compile<'r>| Some((compile.id.as_deref()?, named(compile)?));
        let frames: HashMap<&str, &Function<'_>> = report
            .compiles
            .iter()
            .filter_map(with_id)
            .map(|(id, function)| (frame_of(id), function))
            .collect();
        let all = report.compiles.iter().filter_map(|compile| compile.id.as_deref().map(|id| (id, compile)));
        let functions = all.filter_map(|(id, compile)| {
            Some((id, named(compile).or_else(|| frames.get(frame_of(id)).copied())?))
        });
        let (mut by_compile, mut breaks) = (HashMap::new(), HashMap::new());
        for finding in &report.findings {
            let Some(kind) = KindOfFinding::of_log(&finding.kind) else { continue };
            if kind == GraphBreak {
                let one = (&finding.file, finding.line, &finding.compile_ids);
                let members = finding.members.iter().map(|one| (&one.file, one.line, &one.compile_ids));
                for (file, line, ids) in members.chain([one]) {
                    for id in ids.iter() {
                        breaks.entry((file.as_deref(), line, id.as_deref())).or_insert(finding);
                    }
                }
            }
            for id in finding.compile_ids.iter().flatten() {
                by_compile.entry((kind, &**id)).or_insert(finding);
            }
        }
        let mut defined: HashMap<(&str, Option<&str>), Vec<i64>> = HashMap::new();
        for function in report.compiles.iter().filter_map(|compile| compile.function.as_ref()) {
            // A part that was resumed begins where it was resumed.
            let whole = function.name.as_deref().filter(|name| function_of(name) == *name);
            if let (Some(name), Some(line)) = (whole, function.line) {
                defined.entry((name, function.file.as_deref())).or_default().push(line);
            }
        }
        for lines in defined.values_mut() {
            lines.sort_unstable();
        }
        ReportIndex { report, functions: functions.collect(), defined, by_compile, breaks }
    }

    /// The function of a name whose definition precedes a line of a file.
    fn place(&self, name: Option<&str>, file: Option<&str>, line: Option<i64>) -> Option<FunctionPlace> {
        let name = function_of(name?);
        let defined = self.defined.get(&(name, file)).map_or(&[][..], Vec::as_slice);
        let before =
            line.map_or(0, |line| defined.partition_point(|defined| *defined <= line)).checked_sub(1);
        let before = before.and_then(|before| defined.get(before));
        Some(FunctionPlace {
            name: name.to_owned(),
            file: file.map(str::to_owned),
            line: before.or(defined.first()).copied(),
        })
    }

    fn function(&self, id: Option<&str>) -> Option<FunctionPlace> {
        let function = self.functions.get(id?)?;
        self.place(function.name.as_deref(), function.file.as_deref(), function.line)
    }

    /// The first finding of one of these kinds about a compile.
    fn finding(&self, kinds: &[KindOfFinding], id: Option<&'r str>) -> Option<&'r Finding<'r>> {
        let id = id?;
        kinds.iter().find_map(|kind| self.by_compile.get(&(*kind, id)).copied())
    }

    fn identity(&self, kind: &str, function: Option<&FunctionPlace>, reason: String) -> Identity {
        let file = function.and_then(|function| function.file.as_deref());
        Identity {
            kind: kind.to_owned(),
            file: file.map(file_of).unwrap_or_default(),
            function: function.map(|function| function.name.clone()).unwrap_or_default(),
            reason,
            source: String::new(),
        }
    }

    /// An item at the line where the function of a compile is defined.
    fn at_definition(&self, item: Item, id: Option<&str>) -> Item {
        match id.and_then(|id| self.functions.get(id)) {
            Some(function) => item.at(&function.file, function.line),
            None => item,
        }
    }

    fn graph_breaks(&self) -> Vec<Item> {
        let breaks = self.report.graph_breaks.iter();
        let items = breaks.map(|one| {
            let at = |file: Option<&str>, line| file == one.file.as_deref() && line == one.line;
            let frame = one.user_stack.iter().rev().find(|frame| at(frame.file.as_deref(), frame.line));
            let within =
                frame.and_then(|frame| self.place(frame.name.as_deref(), frame.file.as_deref(), frame.line));
            let compiled = one.compile_ids.iter().filter_map(|id| self.function(id.as_deref()));
            let functions = distinct(within.into_iter().chain(compiled));
            let mut identity = self.identity("graph_break", functions.first(), reason_of(&one.reason));
            if let Some(file) = &one.file {
                identity.file = file_of(file);
            }
            identity.source = source_of(frame.and_then(|frame| frame.loc.as_deref()));
            let id = one.compile_ids.first().and_then(Option::as_deref);
            let finding = self.breaks.get(&(one.file.as_deref(), one.line, id)).copied();
            let single = finding.filter(|finding| finding.members.is_empty());
            let title = single.map_or_else(|| headline(&one.reason), |finding| finding.title.owned());
            Item::new(Measure::GraphBreaks, identity, functions, title)
                .at(&one.file, one.line)
                .with_finding(finding, "graph_breaks.html")
        });
        items.collect()
    }

    fn recompiles(&self) -> Vec<Item> {
        self.report.recompiles.iter().map(|one| self.recompile(one)).collect()
    }

    fn recompile(&self, one: &Recompile<'_>) -> Item {
        let id = one.compile_id.as_deref();
        let function = self.function(id);
        let guard = one.reasons.first().map(|reason| reason.guard.as_deref().unwrap_or(&reason.text));
        let mut identity =
            self.identity("recompile", function.as_ref(), changed_thing(one).unwrap_or_default());
        let source = one.reasons.first().and_then(|reason| reason.source.as_ref());
        identity.source = source_of(source.map(|source| &*source.code));
        let finding = self.finding(&[RecompileLimit, Recompilation], id);
        let name = function.as_ref().map_or("a function", |function| function.name.as_str());
        let title = match (finding, guard) {
            (Some(finding), _) => finding.title.owned(),
            (None, Some(guard)) => format!("{name} was compiled again: {}", headline(guard)),
            (None, None) => format!("{name} was compiled again; no reason is recorded"),
        };
        let functions = function.into_iter().collect();
        let mut item = Item::new(Measure::Recompiles, identity, functions, title);
        item.kind = finding.map_or("recompilation", |finding| &*finding.kind).to_owned();
        item = match finding {
            Some(finding) => Item { severity: severity(finding), ..item }.at(&finding.file, finding.line),
            None => self.at_definition(item, id),
        };
        item.with_finding(finding, "recompilations.html")
    }

    fn failures(&self) -> Vec<Item> {
        let items = self.report.failures.iter().map(|one| {
            let id = one.compile_id.as_deref();
            let function = self.function(id);
            let message = one.reason.as_deref().map(headline).unwrap_or_default();
            let reason = reason_of(&format!("{}: {message}", &*one.error));
            let finding = self.finding(&[Failure, RecompileLimit], id);
            let (file, line) = finding.map_or((&one.file, one.line), |finding| (&finding.file, finding.line));
            let identity = self.identity("failure", function.as_ref(), reason.clone());
            let title = finding.map_or(reason, |finding| finding.title.owned());
            let item = Item::new(Measure::Failures, identity, function.into_iter().collect(), title);
            Item { severity: Severity::Error, ..item }
                .at(file, line)
                .with_finding(finding, "failures_and_restarts.html")
        });
        items.collect()
    }

    fn cache_misses(&self) -> Vec<Item> {
        let missed = self.report.caches.iter().filter(|lookup| &*lookup.outcome == "miss");
        let items = missed.map(|one| {
            let id = one.compile_id.as_deref();
            let function = self.function(id);
            let name =
                function.as_ref().map_or_else(String::new, |function| format!(" for {}", function.name));
            let why = one.reason.as_deref().map(|why| format!(" ({})", headline(why))).unwrap_or_default();
            let reason = format!("the {} cache missed", &*one.cache);
            let identity = self.identity("cache_miss", function.as_ref(), reason.clone());
            let title = format!("{reason}{name}{why}");
            let functions = function.into_iter().collect();
            let item = Item::new(Measure::CacheMisses, identity, functions, title);
            let page = owned(&one.path).or_else(|| Some("caches.html".to_owned()));
            Item { page, ..self.at_definition(item, id) }
        });
        items.collect()
    }

    fn fallback_ops(&self) -> Vec<Item> {
        let calls = self.report.compiles.iter().flat_map(|compile| {
            let operators =
                compile.kernels.iter().filter_map(|(name, count)| Some((fallback(name)?, *count)));
            operators.map(move |(operator, count)| (compile, operator, count))
        });
        let items = calls.map(|(compile, operator, count)| {
            let id = compile.id.as_deref();
            let function = self.function(id);
            let name =
                function.as_ref().map_or_else(String::new, |function| format!(" of {}", function.name));
            let identity = self.identity("fallback_op", function.as_ref(), operator.to_owned());
            let title =
                format!("the code{name} calls {operator}, for which Inductor has no kernel of its own");
            let functions = function.into_iter().collect();
            let item = Item::new(Measure::FallbackOps, identity, functions, title);
            let page = Some("kernels.html".to_owned());
            Item { amount: count as f64, page, ..self.at_definition(item, id) }
        });
        items.collect()
    }

    /// The compiled functions, each with the seconds of all its compiles.
    fn function_seconds(&self) -> Vec<(FunctionPlace, f64)> {
        let mut all: indexmap::IndexMap<FunctionPlace, f64> = indexmap::IndexMap::new();
        for compile in &self.report.compiles {
            let seconds = compile.time.seconds.unwrap_or(0.0);
            if let Some(function) = self.function(compile.id.as_deref()) {
                *all.entry(function).or_default() += seconds;
            }
        }
        all.into_iter().collect()
    }
}

/// What changed, without its values: `x.shape[1]`, or the kind of change if the guard names nothing.
fn changed_thing(one: &Recompile<'_>) -> Option<String> {
    let thing = match &one.change {
        Some(change) => change.subject.as_ref().unwrap_or(&change.kind).owned(),
        // Reports of older versions have the guard only.
        None => {
            let change = change_of(one.reasons.first()?);
            change.subject().unwrap_or_else(|| change.kind.word().to_owned())
        }
    };
    Some(without_numbers(&thing))
}

/// The operator of a kernel that Inductor leaves to torch: `aten.cumsum.default`.
fn fallback(kernel: &str) -> Option<&str> {
    let operator = kernel.strip_prefix("torch.ops.")?;
    let collective = operator.starts_with("_c10d_functional.") || operator.starts_with("c10d_functional.");
    (!collective).then_some(operator)
}

fn distinct(all: impl Iterator<Item = FunctionPlace>) -> Vec<FunctionPlace> {
    let mut found: indexmap::IndexSet<FunctionPlace> = indexmap::IndexSet::new();
    found.extend(all);
    found.into_iter().collect()
}
