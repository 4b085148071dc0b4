//! The facts of a redacted report: of one log, of a job with its ranks, or of several such reports.

use super::sentence::{Titles, label_of, title};
use crate::analysis::findings::own_words;
use crate::analysis::{change_of, kind_and_sizes};
use crate::facts::{Finding, JobReport, List, LogReport, Names, Reason, Recompile, Redact, Text};
use crate::model::Sentence;
use crate::model::words::rank_folder;
use crate::report::words::phases::is_known_phase;

/// Reports of which only what is safe is left. One name has one pseudonym in all of them.
pub struct Redacted {
    /// One for each log or job that does not belong with another.
    pub(super) reports: Vec<RedactedReport>,
    pub(super) names: Names,
}

/// The whole report of a rank.
pub struct WholeRank<'a> {
    /// Its number.
    pub(crate) rank: u64,
    /// Its facts.
    pub(crate) report: LogReport<'a>,
    /// The titles of its findings.
    pub(crate) titles: Vec<Sentence>,
}

/// The report of a log or a job.
pub(super) struct RedactedReport {
    /// `log_1/`; empty for the only report.
    pub folder: String,
    /// What the report of a job says itself.
    pub job: Option<JobReport<'static>>,
    /// The log, or those of the ranks; empty if it could not be read.
    pub logs: Vec<RedactedLog>,
}

pub(super) struct RedactedLog {
    /// `rank_0/`; empty for a log alone.
    pub folder: String,
    pub facts: LogReport<'static>,
    pub left_out: LeftOut,
}

/// How much of a log is not in its redacted report.
pub(super) struct LeftOut {
    /// Graphs, code and other texts of the log.
    pub files: usize,
    /// Frames of stacks.
    pub frames: usize,
    /// Settings of torch.
    pub settings: usize,
}

impl Default for Redacted {
    fn default() -> Self {
        Redacted { reports: Vec::new(), names: Names::new(is_known_phase) }
    }
}

impl Redacted {
    /// Adds the report of a log; `titles` are those of its findings.
    pub fn add_log(&mut self, folder: &str, report: &LogReport<'_>, titles: &[Sentence]) {
        let logs = vec![redacted(String::new(), report, titles, &mut self.names)];
        self.reports.push(RedactedReport { folder: folder.to_owned(), job: None, logs });
    }

    /// Adds the report of a job: its own and those of its ranks.
    pub fn add_job(
        &mut self,
        folder: &str,
        report: &JobReport<'_>,
        titles: &[Sentence],
        ranks: &[WholeRank<'_>],
    ) {
        let names = &mut self.names;
        let log = |one: &WholeRank<'_>| {
            redacted(format!("{}/", rank_folder(one.rank)), &one.report, &one.titles, names)
        };
        let logs = ranks.iter().map(log).collect();
        let told = Titles::of(ranks.iter().map(|one| &one.report), ranks.iter().flat_map(|one| &one.titles));
        let mut job = report.redact(&mut self.names);
        job.findings = findings(&report.findings, titles, &told, &mut self.names);
        self.reports.push(RedactedReport { folder: folder.to_owned(), job: Some(job), logs });
    }

    /// Adds a log that could not be read.
    pub fn add_unread(&mut self, folder: &str) {
        self.reports.push(RedactedReport { folder: folder.to_owned(), job: None, logs: Vec::new() });
    }

    /// The findings, most important first; of several reports those of each in turn.
    pub(crate) fn findings(&self) -> impl Iterator<Item = Finding<'static>> {
        self.reports.iter().flat_map(|report| {
            report.findings().iter().map(|one| Finding {
                url: one.url.as_ref().map(|url| format!("{}{url}", report.folder).into()),
                ..one.clone()
            })
        })
    }

    /// Whether there are several reports, which a page lists.
    pub(super) fn is_list(&self) -> bool {
        self.reports.iter().any(|report| !report.folder.is_empty())
    }
}

impl RedactedReport {
    /// Whether the log could be read.
    pub fn is_read(&self) -> bool {
        self.job.is_some() || !self.logs.is_empty()
    }

    /// The findings that its first page shows.
    pub fn findings(&self) -> &[Finding<'static>] {
        let of_log = || self.logs.first().map(|log| &*log.facts.findings);
        self.job.as_ref().map(|job| &*job.findings).or_else(of_log).unwrap_or_default()
    }
}

fn redacted(folder: String, report: &LogReport<'_>, titles: &[Sentence], names: &mut Names) -> RedactedLog {
    let mut facts = report.redact(names);
    facts.findings =
        findings(&report.findings, titles, &Titles::of([report].into_iter(), [].into_iter()), names);
    facts.recompiles = recompiles(&report.recompiles, names);
    RedactedLog { folder, facts, left_out: left_out(report) }
}

fn findings<'r>(
    all: &[Finding<'_>],
    titles: &[Sentence],
    told: &Titles<'_>,
    names: &mut Names,
) -> List<'r, Finding<'static>> {
    let one = |(finding, number): (&Finding<'_>, usize)| {
        let redacted = finding.redact(names);
        let sentence = titles.get(number - 1);
        let title = sentence.map(|sentence| title(&redacted.kind, sentence, told, names));
        let title = title.unwrap_or_else(|| label_of(&redacted.kind).to_owned());
        let url = Some(Text::from(format!("index.html#finding-{number}")));
        let hint = finding.hint.as_deref().and_then(own_advice).map(Text::from);
        Finding { title: title.into(), hint, url, ..redacted }
    };
    all.iter().zip(1..).map(one).collect()
}

/// Of what to do, the words of this program, a line each.
fn own_advice(hint: &str) -> Option<String> {
    let own: Vec<String> = hint.lines().filter_map(own_words).collect();
    (!own.is_empty()).then(|| own.join("\n"))
}

/// Recompilations, whose guards are told as the kind of what changed.
fn recompiles(all: &[Recompile<'_>], names: &mut Names) -> List<'static, Recompile<'static>> {
    let of = |one: &Recompile<'_>| {
        let reason = |reason: &Reason<'_>| {
            let words = kind_and_sizes(&[&change_of(reason)]);
            Reason { guard: Some(words.clone().into()), text: words.into(), ..reason.redact(names) }
        };
        Recompile { reasons: one.reasons.iter().map(reason).collect(), ..one.redact(names) }
    };
    all.iter().map(of).collect()
}

fn left_out(report: &LogReport<'_>) -> LeftOut {
    let settings = |json: &str| {
        serde_json::from_str::<std::collections::BTreeMap<String, serde::de::IgnoredAny>>(json)
            .map_or(0, |all| all.len())
    };
    LeftOut {
        files: report.compiles.iter().map(|compile| compile.artifacts.len()).sum(),
        frames: report.compiles.iter().map(|compile| compile.stack.len()).sum::<usize>()
            + report.graph_breaks.iter().map(|one| one.user_stack.len()).sum::<usize>(),
        settings: report.configs.values().map(|config| settings(config.get())).sum(),
    }
}
