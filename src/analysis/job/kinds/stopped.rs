//! Ranks whose log ends inside a compile, or long before the others.

use crate::analysis::CPP_BUILD;
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::causes;
use crate::analysis::job::found::JobFound;
use crate::analysis::job::names::{NamedFunction, in_brackets};
use crate::analysis::job::ranks::Stop;
use crate::analysis::job::sides::{set_compiles, set_place};
use crate::analysis::job::words;
use crate::analysis::rank_facts::may_wait;
use crate::facts::ranks::{Job, RankState, RankSummary};
use crate::limits::NAMED;
use crate::model::sentence::{code, compile_id, own, sentence};
use crate::model::{Sentence, SentencePart};

/// Seconds after which an end may be a consequence of an earlier one.
const AFTER_US: i64 = 100_000;

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let has_failed = (0..job.ranks.len()).any(|rank| causes::ends_with_failure(job, rank));
    let (waits, stops) = match waits(job, &found.fleet.stops) {
        // A launcher ends ranks that wait or build as it ends all others.
        (Some(_), _) if has_failed => (None, found.fleet.stops.iter().collect()),
        known => known,
    };
    let event = first_event(job, &stops);
    let first = event.as_ref().map(|event| event.time_us);
    // What waits writes nothing, so that its last record says nothing about when it ended.
    let may_wait = |stop: &Stop| {
        has_failed && innermost(job, stop).is_some_and(|phase| phase == CPP_BUILD || may_wait(phase))
    };
    let is_later = |stop: &Stop| {
        may_wait(stop) || stop.end_us.zip(first).is_some_and(|(end, first)| end >= first + AFTER_US)
    };
    let (ended, stopped): (Vec<&Stop>, Vec<&Stop>) =
        stops.iter().copied().partition(|stop| stop.inside && is_later(stop));
    let mut findings: Vec<Finding> =
        stopped.iter().take(NAMED).filter_map(|stop| finding(job, stop)).collect();
    let more = stopped.get(NAMED..).unwrap_or_default();
    if !more.is_empty() {
        let ranks: Vec<usize> = more.iter().flat_map(|stop| stop.ranks.iter().copied()).collect();
        let title = sentence![ranks.len(), " more logs end early: ", words::ranks(job, &ranks)];
        findings.push(Finding::new(KindOfFinding::RankStopped, Severity::Error, title).with_ranks(ranks));
    }
    findings.extend(event.and_then(|event| after(job, &ended, &event)));
    findings.extend(waits.map(|waits| waiting(job, &waits)));
    findings
}

/// Ranks whose logs end in a phase that waits for builds of others, while another rank builds.
struct Waits<'s> {
    /// Logs of ranks that build.
    builders: Vec<&'s Stop>,
    waiting: Vec<&'s Stop>,
}

/// The innermost phase that is open where the logs end.
fn innermost<'j>(job: &'j Job, stop: &Stop) -> Option<&'j str> {
    let end = job.ranks.get(*stop.ranks.first()?)?.end.as_ref()?;
    end.phases.last().map(|phase| job.texts.get(*phase))
}

/// Separates the logs that end while a rank builds and others wait for it: what waits writes nothing, so that its last record
/// says nothing about when it ended.
fn waits<'s>(job: &Job, stops: &'s [Stop]) -> (Option<Waits<'s>>, Vec<&'s Stop>) {
    let (mut builders, mut waiting, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for stop in stops {
        match innermost(job, stop).filter(|_| stop.inside) {
            Some(CPP_BUILD) => builders.push(stop),
            Some(phase) if may_wait(phase) => waiting.push(stop),
            _ => others.push(stop),
        }
    }
    match builders.is_empty() || waiting.is_empty() {
        true => (None, stops.iter().collect()),
        false => (Some(Waits { builders, waiting }), others),
    }
}

fn waiting(job: &Job, Waits { builders, waiting }: &Waits<'_>) -> Finding {
    let all_of =
        |stops: &[&Stop]| stops.iter().flat_map(|stop| stop.ranks.iter().copied()).collect::<Vec<usize>>();
    let (mut ranks, mut waits) = (all_of(builders), all_of(waiting));
    ranks.extend(&waits);
    ranks.sort_unstable();
    waits.sort_unstable();
    let first = |stop: &Stop| stop.ranks.first().and_then(|rank| job.ranks.get(*rank));
    let build = |stop: &&Stop| {
        let rank = first(stop);
        let timed =
            rank.and_then(|rank| rank.end.as_ref()?.timed).and_then(|open| gap_words(open.at_least_s));
        sentence![
            words::ranks(job, &stop.ranks),
            if stop.ranks.len() == 1 { " builds a kernel in " } else { " build a kernel in " },
            rank.map(|rank| inside(job, rank)),
            timed.map(|seconds| own(format!(" for at least {seconds}"))),
        ]
    };
    let title = sentence![
        if job.ranks.len() == ranks.len() {
            "all logs end inside a compile: "
        } else {
            "logs end inside a compile: "
        },
        Sentence::list(builders.iter().take(NAMED).map(build).collect()),
        ", and ",
        words::ranks(job, &waits),
        " may wait for ",
        if builders.len() == 1 { "it in " } else { "them in " },
        waiting.first().and_then(|stop| first(stop)).map(|rank| inside(job, rank)),
    ];
    let mut finding = Finding::new(KindOfFinding::RankStopped, Severity::Warning, title).in_case("together");
    builders.first().into_iter().for_each(|first| set_end(job, &mut finding, first));
    finding.with_ranks(ranks)
}

/// The first end of a rank that failed, or that stopped where none did.
struct FirstEvent {
    rank: usize,
    time_us: i64,
}

fn first_event(job: &Job, stops: &[&Stop]) -> Option<FirstEvent> {
    let event = |rank: usize| Some(FirstEvent { rank, time_us: job.ranks.get(rank)?.end.as_ref()?.time_us? });
    let failed = (0..job.ranks.len()).filter(|rank| causes::ends_with_failure(job, *rank));
    let stopped = stops.iter().flat_map(|stop| stop.ranks.iter().copied());
    let first = failed.filter_map(event).min_by_key(|event| event.time_us);
    first.or_else(|| stopped.filter_map(event).min_by_key(|event| event.time_us))
}

/// The ranks that stopped after the first event, in one line.
fn after(job: &Job, ended: &[&Stop], first: &FirstEvent) -> Option<Finding> {
    let mut ranks: Vec<usize> = ended.iter().flat_map(|stop| stop.ranks.iter().copied()).collect();
    ranks.sort_unstable();
    let latest = ranks.iter().filter_map(|rank| job.ranks.get(*rank)?.end.as_ref()?.time_us).max()?;
    let seconds = (latest - first.time_us) as f64 / 1e6;
    let (ends, failed) = (logs_end(job, &ranks), words::ranks(job, &[first.rank]));
    let place = match ended {
        [only] => sentence![", inside ", inside(job, job.ranks.get(*only.ranks.first()?)?)],
        _ => ", inside a compile".into(),
    };
    let title = match seconds > 0.0 {
        true => {
            let up_to = if ranks.len() == 1 { " " } else { " up to " };
            let gap = own(format!("{seconds:.1} s after "));
            sentence![ends, up_to, gap, failed, "'s", place, ": most likely ended by the launcher"]
        }
        false => sentence![ends, place, ": most likely ended by the launcher after ", failed, " failed"],
    };
    Some(Finding::new(KindOfFinding::RankStopped, Severity::Info, title).in_case("ended").with_ranks(ranks))
}

/// `rank 1's log ends`
fn logs_end(job: &Job, ranks: &[usize]) -> Sentence {
    let who = words::ranks(job, ranks);
    if ranks.len() == 1 { sentence![who, "'s log ends"] } else { sentence!["the logs of ", who, " end"] }
}

fn finding(job: &Job, stop: &Stop) -> Option<Finding> {
    let first = job.ranks.get(*stop.ranks.first()?)?;
    let ends = logs_end(job, &stop.ranks);
    let place = stop.inside.then(|| sentence![", inside ", inside(job, first)]);
    let time = first.log.as_ref().and_then(|log| log.last_time.clone());
    let time = time.map(|time| sentence![" ", SentencePart::Time(time)]);
    let others =
        if job.ranks.len().saturating_sub(stop.ranks.len()) == 1 { "the other" } else { "the others" };
    let gap = stop.before_others_s.and_then(gap_words).map(|gap| own(format!(", {gap} before {others}")));
    let title = sentence![ends, time, gap, place];
    let (severity, case) = match stop.inside {
        true if matches!(first.whole_state(), RankState::Damaged(_)) => (Severity::Error, "cut"),
        true => (Severity::Error, "inside"),
        false => (Severity::Warning, "early"),
    };
    let mut finding = Finding::new(KindOfFinding::RankStopped, severity, title)
        .in_case(case)
        .with_ranks(stop.ranks.clone());
    finding.detail = detail(job, first);
    set_end(job, &mut finding, stop);
    Some(finding)
}

/// The compile in which the logs end, and its function.
fn set_end(job: &Job, finding: &mut Finding, stop: &Stop) {
    let Some(first) = stop.ranks.first().and_then(|rank| job.ranks.get(*rank)) else { return };
    let compile = first.end.as_ref().and_then(|end| end.compile);
    set_compiles(job, finding, [compile]);
    let named = NamedFunction::of_graph(&job.texts, first.graph(compile));
    set_place(job, finding, named.and_then(|named| named.place));
}

/// `1/0 (gather_fn), compile_file`
fn inside(job: &Job, rank: &RankSummary) -> Sentence {
    let Some(end) = &rank.end else { return Sentence::default() };
    let name = in_brackets(&job.texts, rank.graph(end.compile));
    let compile = job.texts.maybe(end.compile).map(|id| sentence![compile_id(id), name, ", "]);
    match end.phases.last() {
        Some(phase) => sentence![compile, code(job.texts.get(*phase))],
        None => sentence![compile, "after ", code(job.texts.get(end.event))],
    }
}

/// The phases that were open, and the last record.
fn detail(job: &Job, rank: &RankSummary) -> Option<String> {
    let end = rank.end.as_ref()?;
    let phases: Vec<&str> = end.phases.iter().map(|phase| job.texts.get(*phase)).collect();
    let open = if phases.is_empty() { String::new() } else { format!("Open: {}.\n", phases.join(" > ")) };
    let id = job.texts.maybe(end.compile).map(|id| format!(" of {id}")).unwrap_or_default();
    Some(format!("{open}Last record: `{}`{id}.", job.texts.get(end.event)))
}

/// `41 s`; None where it is too short to say anything.
pub(in crate::analysis::job) fn gap_words(seconds: f64) -> Option<String> {
    match seconds {
        s if s >= 10.0 => Some(format!("{s:.0} s")),
        s if s >= 0.1 => Some(format!("{s:.1} s")),
        _ => None,
    }
}
