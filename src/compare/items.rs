//! What a report has that another run may have too, or a budget may limit: graph breaks, recompiles, failures, findings and so
//! on, each once, with its identity, place, cost and page. `diff` compares them and `check` counts them.

use crate::analysis::findings::KindOfFinding::{
    self, CacheBypass, CacheMiss, Failure, GraphBreak, Recompilation, RecompileLimit,
};
use crate::analysis::{Severity, change_of};
use crate::facts::{
    Aspect, Compile, Finding, FindingCost, Function, Id, Identity, JobReport, LogReport, Reason, Recompile,
    Text, file_of, function_of, line_number, line_of, owned, reason_of, without_numbers,
};
use crate::limits::LONGEST_LINE;
use crate::model::stable;
use crate::model::words::headline;
use crate::read::expr::guard_as_written;
use std::collections::{BTreeSet, HashMap};

/// Something that counts towards a budget, or is new or gone in another run.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// What it is about, and which budget it counts towards.
    pub aspect: Aspect,
    /// How much it counts.
    pub amount: f64,
    /// How another run recognizes it.
    pub identity: Identity,
    /// All that is compared of it: the reason of a break, the guards of a recompile, the class and the message of an error. Of
    /// two runs of one program it is the same, which of two versions it need not be.
    pub what: String,
    /// Compiles that have it.
    pub compiles: Vec<String>,
    /// How often it was hit.
    pub times: u64,
    /// Whether it is about a backward pass.
    pub is_backward: bool,
    /// Whether it is a compile that was refused at the limit of recompilations, so that the versions of before stay.
    pub is_at_limit: bool,
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
    pub fn new(aspect: Aspect, identity: Identity, functions: Vec<FunctionPlace>, title: String) -> Item {
        Item {
            aspect,
            amount: 1.0,
            kind: identity.kind.clone(),
            identity,
            what: String::new(),
            compiles: Vec::new(),
            times: 1,
            is_backward: false,
            is_at_limit: false,
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
        self.finding = finding.map(Finding::fingerprint);
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

/// The items of a log, and what else budgets limit.
#[derive(Default)]
pub(crate) struct LogItems {
    pub items: Vec<Item>,
    pub compile_seconds: f64,
    pub functions: Vec<CompiledFunction>,
}

/// A function that was compiled.
pub(crate) struct CompiledFunction {
    pub place: FunctionPlace,
    pub seconds: f64,
    /// What the pages call it where torch's name is another: `Net.forward`.
    pub titles: BTreeSet<String>,
}

/// Kinds of findings that other budgets count.
const COUNTED_ELSEWHERE: [KindOfFinding; 6] =
    [GraphBreak, Recompilation, RecompileLimit, Failure, CacheMiss, CacheBypass];

/// What may be new or gone in another run of the same program.
pub(crate) fn of_problems(report: &LogReport<'_>) -> Vec<Item> {
    let index = ReportIndex::new(report);
    let items = index.graph_breaks().into_iter().chain(index.recompiles()).chain(index.failures());
    items.chain(others(report.findings.iter())).collect()
}

/// Everything of a log.
pub(crate) fn of_log(report: &LogReport<'_>) -> LogItems {
    let index = ReportIndex::new(report);
    let counted = index.cache_misses().into_iter().chain(index.fallback_ops());
    LogItems {
        items: of_problems(report).into_iter().chain(counted).collect(),
        compile_seconds: report.compile_time.total_s.unwrap_or(0.0),
        functions: index.function_seconds(),
    }
}

/// Errors and warnings of a job that are not those of its ranks.
pub(crate) fn of_job(report: &JobReport<'_>) -> Vec<Item> {
    let own = report.findings.iter().filter(|one| KindOfFinding::of_log(&one.kind).is_none());
    others(own).collect()
}

/// Errors and warnings that no other budget counts.
fn others<'r>(findings: impl Iterator<Item = &'r Finding<'r>>) -> impl Iterator<Item = Item> {
    let counts = |one: &&Finding<'_>| {
        let kind = KindOfFinding::of_log(&one.kind);
        &*one.severity != "info" && !kind.is_some_and(|kind| COUNTED_ELSEWHERE.contains(&kind))
    };
    findings.filter(counts).map(|one| {
        let item = Item::new(Aspect::Findings, one.identity(), Vec::new(), one.title.owned());
        let item = item.at(&one.file, one.line).with_finding(Some(one), "index.html");
        let compiles = texts(&one.compile_ids);
        Item { severity: Severity::named(&one.severity), page: owned(&one.url), compiles, ..item }
    })
}

/// A line number, if it is one.
fn number(line: Option<i64>) -> Option<u64> {
    line_number(line).filter(|line| *line > 0)
}

/// The first characters of a text.
fn short(text: &str) -> String {
    text.chars().take(LONGEST_LINE).collect()
}

fn texts(ids: &[Option<Id<'_>>]) -> Vec<String> {
    ids.iter().flatten().map(|id| id.to_string()).collect()
}

/// The guard that failed, without addresses.
fn guard_of(reason: &Reason<'_>) -> String {
    let guard = reason.guard.as_ref().filter(|guard| !guard.is_empty()).unwrap_or(&reason.text);
    short(&stable(&guard_as_written(guard)))
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
            identity.source = line_of(frame.and_then(|frame| frame.loc.as_deref()).unwrap_or_default());
            let id = one.compile_ids.first().and_then(Option::as_deref);
            let finding = self.breaks.get(&(one.file.as_deref(), one.line, id)).copied();
            let single = finding.filter(|finding| finding.members.is_empty());
            let title = single.map_or_else(|| headline(&one.reason), |finding| finding.title.owned());
            let item = Item::new(Aspect::GraphBreaks, identity, functions, title)
                .at(&one.file, one.line)
                .with_finding(finding, "graph_breaks.html");
            let compiles = texts(&one.compile_ids);
            Item { what: short(&stable(&one.reason)), compiles, times: one.count, ..item }
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
        identity.source = line_of(source.map_or("", |source| &source.code));
        let finding = self.finding(&[RecompileLimit, Recompilation], id);
        let name = function.as_ref().map_or("a function", |function| function.name.as_str());
        let guards: Vec<String> = one.reasons.iter().map(guard_of).collect();
        let title = match (finding, guard) {
            (Some(finding), _) => finding.title.owned(),
            (None, Some(guard)) => format!("{name} was compiled again: {}", headline(guard)),
            (None, None) => format!("{name} was compiled again; no reason is recorded"),
        };
        let named = || Some(FunctionPlace { name: owned(&one.function)?, ..FunctionPlace::default() });
        let functions = function.or_else(named).into_iter().collect();
        let mut item = Item::new(Aspect::Recompiles, identity, functions, title);
        item.what = guards.join("\n");
        item.compiles.extend(id.map(str::to_owned));
        item.kind = finding.map_or("recompilation", |finding| &*finding.kind).to_owned();
        item = match finding {
            Some(finding) => {
                Item { severity: Severity::named(&finding.severity), ..item }.at(&finding.file, finding.line)
            }
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
            let item = Item::new(Aspect::Failures, identity, function.into_iter().collect(), title);
            let class = one.error.rsplit('.').next().unwrap_or_default();
            let what =
                format!("{class}\n{}", short(&headline(&stable(one.reason.as_deref().unwrap_or_default()))));
            let compiles = id.into_iter().map(str::to_owned).collect();
            let is_backward = one.kind.contains("backward");
            let is_at_limit = finding.is_some_and(|finding| *finding.kind == *RecompileLimit.word());
            Item { severity: Severity::Error, what, compiles, is_backward, is_at_limit, ..item }
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
            let item = Item::new(Aspect::Cache, identity, functions, title);
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
            let item = Item::new(Aspect::FallbackOps, identity, functions, title);
            let page = Some("kernels.html".to_owned());
            Item { amount: count as f64, page, ..self.at_definition(item, id) }
        });
        items.collect()
    }

    /// The compiled functions, each with the seconds of all its compiles.
    fn function_seconds(&self) -> Vec<CompiledFunction> {
        let names = self.report.cross_rank.names.iter().flat_map(|all| all.iter());
        let titles: HashMap<&str, &str> = names.map(|one| (&*one.id, &*one.title)).collect();
        let mut all: indexmap::IndexMap<FunctionPlace, (f64, BTreeSet<String>)> = indexmap::IndexMap::new();
        for compile in &self.report.compiles {
            let id = compile.id.as_deref();
            if let Some(function) = self.function(id) {
                let (seconds, own) = all.entry(function).or_default();
                *seconds += compile.time.seconds.unwrap_or(0.0);
                own.extend(id.and_then(|id| titles.get(id)).map(|title| (*title).to_owned()));
            }
        }
        let of = |(place, (seconds, titles))| CompiledFunction { place, seconds, titles };
        all.into_iter().map(of).collect()
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
