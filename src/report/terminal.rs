//! The report in a few lines, for a terminal.

use crate::analysis::findings::{KindOfFinding, checked};
use crate::analysis::{Finding, Severity};
use crate::hidden::visible;
use crate::limits::{CELL, FEW};
use crate::model::words::{counted, plain, shortened};
use crate::report::data::{place, place_words, saves};
use crate::report::kit::formats::first_sentence;
use crate::report::subject::Report;
use crate::report::words::{run_console, verdict};
use crate::trace::TextSet;
use fxhash::FxHashSet;
use std::fmt;

/// One line of the summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryLine {
    /// The kind of finding and its severity; None for a plain sentence.
    pub label: Option<(&'static str, Severity)>,
    /// The rest of the line.
    pub text: String,
}

impl SummaryLine {
    pub(crate) fn plain(text: String) -> SummaryLine {
        SummaryLine { label: None, text }
    }

    /// How many findings only the report has, if any.
    pub(crate) fn more(findings: usize) -> Option<SummaryLine> {
        let words = || format!("{} in the report.", counted(findings, "more finding", "more findings"));
        (findings > 0).then(|| SummaryLine::plain(words()))
    }
}

/// The line without colors.
impl fmt::Display for SummaryLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.label {
            Some((label, _)) => write!(f, "{label}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// The verdict in numbers, then the first findings.
pub fn summary(report: Report<'_>) -> Vec<SummaryLine> {
    let mut lines = vec![SummaryLine::plain(verdict::sentence(report))];
    if report.shows_export() && report.model.log.records > 0 {
        lines.insert(0, SummaryLine::plain(plain(&crate::report::words::export::sentence_of(report))));
    }
    let findings = &report.found.findings;
    if let Some(measured) = &report.found.performance {
        let sentence = plain(&crate::report::words::performance::sentence_of(measured));
        // That a trace was refused comes before anything else.
        let at = if report.is_trace_alone() { 0..1 } else { 1..1 };
        let at = if measured.foreign_graphs.is_some() { 0..0 } else { at };
        lines.splice(at, [SummaryLine::plain(sentence)]);
    }
    if report.model.log.records == 0 && !report.is_trace_alone() {
        lines.push(SummaryLine::plain(verdict::how_to_record(report).replace('`', "")));
        return lines;
    }
    let is_console = report.model.log.console.is_some();
    if is_console {
        lines.push(SummaryLine::plain(verdict::CONSOLE.to_owned()));
    }
    lines.extend(run_console::sentence(report).map(|text| SummaryLine::plain(plain(&text).replace('`', ""))));
    if findings.iter().all(|one| one.severity == Severity::Info) && !report.is_trace_alone() && !is_console {
        lines.push(SummaryLine::plain(checked(findings, report.model)));
    }
    // Mere information is omitted; a slow log without problems says where its time went.
    let is_told = |one: &&Finding| one.severity != Severity::Info || one.warm_us.is_some();
    let mut told: Vec<&Finding> = findings.iter().filter(is_told).collect();
    if told.is_empty() {
        told.extend(
            findings.iter().find(|one| [KindOfFinding::SlowLog, KindOfFinding::FirstRun].contains(&one.kind)),
        );
    }
    let told = different(findings, &told);
    lines.extend(told.iter().take(FEW).map(|one| line(one)));
    lines.extend(SummaryLine::more(findings.len() - told.len().min(FEW)));
    lines
}

/// Those that are different things to look at: neither a consequence of one of them, nor of the same kind at the same
/// line for the same reason.
fn different<'f>(findings: &'f [Finding], told: &[&'f Finding]) -> Vec<&'f Finding> {
    let all: FxHashSet<*const Finding> = told.iter().map(|one| std::ptr::from_ref(*one)).collect();
    let mut seen = TextSet::default();
    let is_told = |cause: &Finding| all.contains(&std::ptr::from_ref(cause));
    let causes = |one: &Finding| one.caused_by.and_then(|cause| findings.get(cause));
    let first = told.iter().filter(|one| !causes(one).is_some_and(is_told));
    first.filter(|one| seen.insert((one.kind, &one.place, &one.reason))).copied().collect()
}

/// `title, at file:line, 3 times, 27 ms wasted`
fn line(one: &Finding) -> SummaryLine {
    // What only the next run gains is told as what to do.
    let to_do = one.advice.first().filter(|advice| one.warm_us.is_some() && advice.code.is_some());
    let to_do = to_do.map(|advice| first_sentence(&advice.text).0.trim_end_matches('.'));
    let mut text = one_line(&to_do.map_or_else(|| one.title.plain(), plain));
    if one.members.is_empty()
        && let Some(place) = place(one)
    {
        text.push_str(&format!(", at {}", one_line(&place)));
        if let Some(caller) = one.called_from.as_ref().and_then(place_words) {
            text.push_str(&format!(", called from {}", one_line(&caller)));
        }
    }
    if one.count > 1 && one.members.is_empty() {
        text.push_str(&format!(", {} times", one.count));
    }
    match (saves(one), one.warm_us) {
        (Some(saves), Some(_)) => text.push_str(&format!("; the next run saves {}", plain(&saves))),
        (Some(saves), None) => text.push_str(&format!(", {}", plain(&saves))),
        (None, _) => {}
    }
    SummaryLine { label: Some((one.kind.label(), one.severity)), text }
}

/// The first line, without hidden characters, cut to the width of a terminal.
pub(crate) fn one_line(text: &str) -> String {
    let line = visible(text.lines().next().unwrap_or_default());
    shortened(&line, CELL).into_owned()
}
