//! Ranks whose log ends inside a compile, or long before the others.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::names::in_brackets;
use crate::analysis::job::ranks::Stop;
use crate::analysis::job::words;
use crate::model::sentence::{code, compile_id, own, sentence};
use crate::model::{Job, RankSummary, Sentence};

static KIND: KindOfFinding =
    KindOfFinding { first_of_all: true, ..KindOfFinding::of("rank_stopped", "Stopped") };

/// Stops that have a finding of their own; more are counted.
const NAMED: usize = 8;

const INSIDE: &str = "The process was killed, crashed or hangs there; ranks that call a collective of that graph wait for it. Look at its standard error, at the kernel's log for processes that ran out of memory, and with py-spy at a process that still runs.";

const EARLY: &str = "Either that rank had nothing more to compile, or it stopped: look at its standard error. The log does not show what runs between compiles.";

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let stops = &found.fleet.stops;
    let mut findings: Vec<Finding> = stops.iter().take(NAMED).filter_map(|stop| finding(job, stop)).collect();
    let more = stops.get(NAMED..).unwrap_or_default();
    if !more.is_empty() {
        let ranks: Vec<usize> = more.iter().flat_map(|stop| stop.ranks.iter().copied()).collect();
        let title = sentence![ranks.len(), " more logs end early: ", words::ranks(job, &ranks)];
        findings.push(Finding::new(&KIND, Severity::Error, title).with_ranks(ranks));
    }
    findings
}

fn finding(job: &Job, stop: &Stop) -> Option<Finding> {
    let first = job.ranks.get(*stop.ranks.first()?)?;
    let who = words::ranks(job, &stop.ranks);
    let ends = match stop.ranks.len() {
        1 => sentence![who, "'s log ends"],
        _ => sentence!["the logs of ", who, " end"],
    };
    let place = stop.inside.then(|| sentence![", inside ", inside(job, first)]);
    let time = first.log.as_ref().and_then(|log| log.last_time.as_deref()).and_then(time_of_day);
    let time = time.map(|time| own(format!(" at {time}")));
    let title = sentence![ends, time, stop.before_others_s.map(gap_words).map(own), place];
    let (severity, hint) = match stop.inside {
        true => (Severity::Error, INSIDE),
        false => (Severity::Warning, EARLY),
    };
    let mut finding = Finding::new(&KIND, severity, title).with_advice(hint).with_ranks(stop.ranks.clone());
    finding.detail = detail(job, first);
    finding.in_job.compile_ids = first
        .end
        .as_ref()
        .and_then(|end| job.texts.maybe(end.compile))
        .map(str::to_owned)
        .into_iter()
        .collect();
    Some(finding)
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

/// `, 41 s before the others`
fn gap_words(seconds: f64) -> String {
    match seconds {
        s if s >= 10.0 => format!(", {s:.0} s before the others"),
        s if s >= 0.1 => format!(", {s:.1} s before the others"),
        s if s <= -0.1 => format!(", {:.1} s after the others", -s),
        _ => String::new(),
    }
}

/// `05:09:30` of `2026-11-20T05:09:30.653000+01:00`.
fn time_of_day(time: &str) -> Option<&str> {
    time.split_once('T')?.1.get(..8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_told_with_the_digits_that_matter() {
        assert_eq!(gap_words(41.4), ", 41 s before the others");
        assert_eq!(gap_words(1.11), ", 1.1 s before the others");
        assert_eq!(gap_words(-2.0), ", 2.0 s after the others");
        assert_eq!(gap_words(0.01), "");
        assert_eq!(time_of_day("2026-11-20T05:09:30.653000+01:00"), Some("05:09:30"));
        assert_eq!(time_of_day("11-20T05:09:30.653000"), Some("05:09:30"));
        assert_eq!(time_of_day("never"), None);
    }
}
