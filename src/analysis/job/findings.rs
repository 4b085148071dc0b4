//! What a reader of a job should know: where the ranks part ways, what that leads to, what to check.

use super::groups::Comparison;
use super::words::{list_of, numbers, rank_words};
use super::{JobFound, differences};
use crate::analysis::Severity;
use crate::model::{Fact, Job, RankState, TextId};

/// What kind of thing was found about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobKind {
    /// A rank's log is damaged, or there is no report of it.
    DamagedRank,
    /// Ranks differ in facts of this kind.
    Differs(Fact),
    /// Ranks are missing between others.
    MissingRanks,
    /// A rank's log is empty.
    EmptyRank,
    /// A rank's folder holds the log of another.
    WrongRank,
    /// Compilations failed on all ranks alike.
    FailuresEverywhere,
    /// No rank compiled a graph.
    NothingCompiled,
    /// A rank's own log raises an alarm: a dead worker, graphs that torch found to differ.
    Alarm,
    /// Code and schedule have different collectives.
    Parity,
    /// Estimated runtimes differ much.
    Runtime,
    /// A rank compiled much longer than most.
    Straggler,
    /// Ranks run different versions of torch.
    Torch,
}

impl JobKind {
    /// The word in report.json, and what people read.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            JobKind::DamagedRank => ("damaged_rank", "Damaged rank"),
            JobKind::MissingRanks => ("missing_ranks", "Missing ranks"),
            JobKind::EmptyRank => ("empty_rank", "Empty log"),
            JobKind::WrongRank => ("wrong_rank", "Wrong rank"),
            JobKind::FailuresEverywhere => ("failures", "Failures"),
            JobKind::NothingCompiled => ("no_graph", "No graph"),
            JobKind::Alarm => ("alarm", "Alarm"),
            JobKind::Parity => ("collective_parity", "Parity"),
            JobKind::Runtime => ("runtime_differs", "Runtimes"),
            JobKind::Straggler => ("straggler", "Straggler"),
            JobKind::Torch => ("torch_differs", "Versions"),
            JobKind::Differs(fact) => match fact {
                Fact::CompileIds => ("compile_ids_differ", "Compiles"),
                Fact::Cache => ("cache_differs", "Caches"),
                Fact::Collectives => ("collectives_differ", "Collectives"),
                Fact::TensorMeta => ("tensor_meta_differs", "Tensors"),
                Fact::ExecOrder => ("exec_order_differs", "Order"),
                Fact::GraphBreaks => ("graph_breaks_differ", "Graph breaks"),
                Fact::Recompiles => ("recompiles_differ", "Recompiles"),
                Fact::Config => ("config_differs", "Settings"),
                Fact::Failures => ("failures_differ", "Failures"),
                Fact::Status => ("status_differs", "Status"),
                Fact::Ops => ("ops_differ", "Graphs"),
            },
        }
    }
}

/// One thing to know about a job.
#[derive(Debug, Clone)]
pub struct JobFinding {
    /// What kind of thing.
    pub kind: JobKind,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence without a full stop and with a small letter in front; code stands between backquotes.
    pub title: String,
    /// What it means.
    pub detail: Option<String>,
    /// What it leads to and what to check.
    pub hint: Option<String>,
    /// The user's file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u64>,
    /// Compiles that it concerns.
    pub compiles: Vec<String>,
    /// Ranks that it names first: indices into the job's.
    pub ranks: Vec<usize>,
}

impl JobFinding {
    /// The sentence as it stands alone.
    pub fn sentence(&self) -> String {
        let mut chars = self.title.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
    }

    pub(super) fn new(kind: JobKind, severity: Severity, title: String) -> JobFinding {
        JobFinding {
            kind,
            severity,
            title,
            detail: None,
            hint: None,
            file: None,
            line: None,
            compiles: Vec::new(),
            ranks: Vec::new(),
        }
    }
}

/// Facts in which a difference may be the cause of those in the facts behind it.
const CAUSES: [Fact; 11] = [
    Fact::Failures,
    Fact::GraphBreaks,
    Fact::Recompiles,
    Fact::CompileIds,
    Fact::Collectives,
    Fact::TensorMeta,
    Fact::ExecOrder,
    Fact::Status,
    Fact::Ops,
    Fact::Config,
    Fact::Cache,
];

/// A job's findings, most important first.
pub(super) fn of_job(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    let mut findings = Vec::new();
    for comparison in CAUSES.iter().filter_map(|fact| found.comparison(*fact)).filter(|one| one.differs()) {
        // How compiles ended and how large they are follows from what stands before it, if that differs.
        if findings.is_empty() || !matches!(comparison.fact, Fact::Status | Fact::Ops) {
            findings.extend(differences::finding(job, comparison));
        }
    }
    findings.extend(unreadable(job, found));
    findings.extend(alarms(job));
    findings.extend(everywhere(job, found));
    findings.extend(parity(job, found));
    findings.extend(runtime(job, found));
    findings.extend(stragglers(job, found));
    findings.extend(versions(job, found));
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// Ranks whose log is damaged, empty or missing.
fn unreadable(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    let fleet = &found.fleet;
    let mut findings = Vec::new();
    for &index in fleet.damaged.iter().take(NAMED_RANKS) {
        let Some(rank) = job.ranks.get(index) else { continue };
        let RankState::Damaged(why) = rank.whole_state() else { continue };
        let known = if rank.log.is_some() { "; what could be read of it is compared" } else { "" };
        let title = format!("rank {}: {}{known}", rank.number, why.trim_start_matches("has "));
        let mut finding = JobFinding::new(JobKind::DamagedRank, Severity::Error, title);
        finding.hint = Some(match rank.log {
            Some(_) => "A log is cut short where the process was killed or the disk was full; see the rank's report for the lines.".to_owned(),
            None => format!("Run tlparse on the log of rank {} again, then combine.", rank.number),
        });
        finding.ranks = vec![index];
        findings.push(finding);
    }
    let more: Vec<usize> = fleet.damaged.iter().copied().skip(NAMED_RANKS).collect();
    if !more.is_empty() {
        let title = format!("{} more logs are damaged: {}", more.len(), rank_words(job, &more));
        findings.push(JobFinding::new(JobKind::DamagedRank, Severity::Error, title));
    }
    if !fleet.missing.is_empty() {
        let noun = if fleet.missing.len() == 1 { "rank" } else { "ranks" };
        let title = format!("no log of {noun} {}", numbers(&fleet.missing));
        let mut finding = JobFinding::new(JobKind::MissingRanks, Severity::Warning, title);
        finding.hint = Some("A rank without a log died before its first compilation, wrote to another folder, or was not given TORCH_TRACE.".to_owned());
        findings.push(finding);
    }
    if let Some(first) = fleet.mislabelled.first().and_then(|&index| job.ranks.get(index)) {
        let own = first.log.as_ref().and_then(|log| log.rank).unwrap_or_default();
        let title = format!(
            "the log of {} says that it is another's; that of rank {} is of rank {own}",
            rank_words(job, &fleet.mislabelled),
            first.number
        );
        let mut finding = JobFinding::new(JobKind::WrongRank, Severity::Warning, title);
        finding.hint = Some(
            "The numbers here are those of the folders rank_<n>. Check which log was given to which folder."
                .to_owned(),
        );
        finding.ranks = fleet.mislabelled.clone();
        findings.push(finding);
    }
    if !fleet.empty.is_empty() {
        let title = format!("the log of {} holds no record", rank_words(job, &fleet.empty));
        let mut finding = JobFinding::new(JobKind::EmptyRank, Severity::Warning, title);
        finding.hint = Some(
            "Nothing was compiled there, or the process was killed before it wrote anything.".to_owned(),
        );
        finding.ranks = fleet.empty.clone();
        findings.push(finding);
    }
    findings
}

/// Damaged ranks that have a finding of their own.
const NAMED_RANKS: usize = 8;

/// Ranks by the first step of a list that all of them have, or by whatever else is equal.
fn grouped<K: Ord>(pairs: impl Iterator<Item = (K, usize)>) -> std::collections::BTreeMap<K, Vec<usize>> {
    let mut groups: std::collections::BTreeMap<K, Vec<usize>> = std::collections::BTreeMap::new();
    for (key, rank) in pairs {
        let ranks = groups.entry(key).or_default();
        if ranks.last() != Some(&rank) {
            ranks.push(rank);
        }
    }
    groups
}

/// What logs themselves raise an alarm about, ranks with the same alarm together.
fn alarms(job: &Job) -> Vec<JobFinding> {
    let all = job.ranks.iter().enumerate();
    let alarms = grouped(all.flat_map(|(index, rank)| rank.alarms.iter().map(move |alarm| (*alarm, index))));
    let findings = alarms.into_iter().map(|((_, title), ranks)| {
        let title = format!("{} on {}", job.texts.get(title), rank_words(job, &ranks));
        JobFinding { ranks, ..JobFinding::new(JobKind::Alarm, Severity::Warning, title) }
    });
    findings.collect()
}

/// What went wrong on all ranks alike, so that no comparison shows it.
fn everywhere(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    let mut findings = Vec::new();
    let alike = |fact| {
        found.comparison(fact).filter(|one: &&Comparison| !one.differs()).and_then(|one| one.groups.first())
    };
    if let Some(group) = alike(Fact::Failures).filter(|group| !group.steps.is_empty()) {
        let first = group.steps.first().and_then(|step| job.value(step)).unwrap_or_default();
        let title = format!("all ranks fail alike, {} times each; first: {first}", group.steps.len());
        findings.push(JobFinding::new(JobKind::FailuresEverywhere, Severity::Warning, title));
    }
    if let Some(group) = alike(Fact::Status).filter(|group| !group.steps.is_empty())
        && group.steps.iter().all(|step| matches!(job.value(step), Some("empty" | "missing")))
    {
        let last =
            alike(Fact::CompileIds).and_then(|group| group.steps.last()).and_then(|step| job.value(step));
        let title = format!(
            "no rank compiled a graph: all {} compilations came out empty; the logs end with {}",
            group.steps.len(),
            last.unwrap_or("an unknown one")
        );
        let mut finding = JobFinding::new(JobKind::NothingCompiled, Severity::Error, title);
        finding.detail = Some("A log does not say how its process ended. Logs that end like this are left by programs that stop with an exception in or around a frame that Dynamo gave up.".to_owned());
        finding.hint = Some("Look at the standard error of the ranks for the exception, and at the graph breaks of the last compilation.".to_owned());
        findings.push(finding);
    }
    findings
}

fn parity(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    let Some((_, first)) = found.parity.first() else { return Vec::new() };
    let ranks: Vec<usize> =
        grouped(found.parity.iter().map(|(rank, _)| (*rank, *rank))).into_keys().collect();
    let id = job.texts.maybe(first.compile).unwrap_or("–");
    let waits = match first.missing_waits {
        0 => String::new(),
        waits => format!(", {waits} without a wait"),
    };
    let title = format!(
        "generated code makes other collectives than were scheduled on {}, first in {id}{waits}",
        rank_words(job, &ranks)
    );
    let mut finding = JobFinding::new(JobKind::Parity, Severity::Warning, title);
    finding.hint = Some("A collective without a wait reads its tensor before it arrived; one that is missing lets the other ranks hang. Report it to PyTorch with the output code of that compile.".to_owned());
    finding.compiles = vec![id.to_owned()];
    finding.ranks = ranks;
    vec![finding]
}

/// Runtimes that are this much apart are worth a word.
const NOTABLE_RUNTIME: f64 = 1.25;

fn runtime(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    let graphs = found.runtime.iter().flat_map(|runtime| &runtime.graphs);
    let Some(worst) = graphs.max_by(|a, b| a.delta_ms().total_cmp(&b.delta_ms())) else { return Vec::new() };
    if worst.slowest.ms < worst.fastest.ms * NOTABLE_RUNTIME || worst.delta_ms() <= 0.0 {
        return Vec::new();
    }
    let times = match worst.fastest.ms > 0.0 {
        true => format!("{:.1} times as long on", worst.slowest.ms / worst.fastest.ms),
        false => "longer on".to_owned(),
    };
    let title = format!(
        "graph {} is estimated to run {times} {} as on {}",
        job.texts.get(worst.graph),
        rank_words(job, &[worst.slowest.rank]),
        rank_words(job, &[worst.fastest.rank])
    );
    let mut finding = JobFinding::new(JobKind::Runtime, Severity::Warning, title);
    finding.hint = Some("The faster ranks wait for the slowest in each collective. Estimates come from torch's cost model; measure before you change anything.".to_owned());
    finding.ranks = vec![worst.slowest.rank];
    vec![finding]
}

fn stragglers(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    let fleet = &found.fleet;
    let (Some(median), Some((_, slowest))) = (fleet.median_s, fleet.extremes) else { return Vec::new() };
    if fleet.stragglers.is_empty() {
        return Vec::new();
    }
    let most = job.ranks.get(slowest).and_then(|rank| rank.compile_time_s).unwrap_or_default();
    let verb = if fleet.stragglers.len() == 1 { "takes" } else { "take up to" };
    let title = format!(
        "{} {verb} {most:.2} s to compile; the median of all ranks is {median:.2} s",
        rank_words(job, &fleet.stragglers)
    );
    let mut finding = JobFinding::new(JobKind::Straggler, Severity::Warning, title);
    finding.hint =
        Some("The others wait in their next collective until it is done, up to the timeout.".to_owned());
    finding.ranks = fleet.stragglers.clone();
    vec![finding]
}

fn versions(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    if found.fleet.torch.len() < 2 {
        return Vec::new();
    }
    let sides = found.fleet.torch.iter().map(|(version, ranks)| {
        let version: Option<TextId> = *version;
        format!("{} on {}", job.texts.maybe(version).unwrap_or("an unknown version"), rank_words(job, ranks))
    });
    let title = format!("ranks run different versions of torch: {}", list_of(&sides.collect::<Vec<_>>()));
    vec![JobFinding::new(JobKind::Torch, Severity::Warning, title)]
}
