//! The pages of a redacted report: what is known, and what was left out.

use super::facts::{Redacted, RedactedLog, RedactedReport};
use super::sections::{self, Statuses};
use crate::facts::{Finding, JobReport};
use crate::model::Parts;
use crate::model::words::{counted, duration};
use crate::output::{Page, RelPath};
use crate::report::doc::Listing;
use crate::report::doc::html::{Surface, section};
use crate::report::kit::assets::COMPARE;
use crate::report::kit::formats::whole;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, paragraph, write_line};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::Render;
use crate::report::words::verdict;
use serde::Serialize;
use std::io::Write;

/// The landing page of a log or a job.
pub fn landing<'r>(redacted: &'r Redacted, report: &'r RedactedReport) -> Page<'r, Worker> {
    Page::rendered(path_in(&report.folder, "index.html"), move |worker, out| {
        match (&report.job, report.logs.first()) {
            (Some(job), _) => {
                let page = Content {
                    name: "Redacted job".to_owned(),
                    sentence: sentence_of_job(job),
                    version: None,
                    statuses: Statuses::default(),
                    parts: Parts::default(),
                    logs: &report.logs,
                    lists: sections::of_job(job),
                    is_of_rank: false,
                };
                write(redacted, &page, &report.logs, worker, out)
            }
            (None, Some(log)) => write_log(redacted, log, worker, out),
            (None, None) => Ok(()),
        }
    })
}

/// The page of a rank.
pub fn of_log<'r>(
    redacted: &'r Redacted,
    report: &'r RedactedReport,
    log: &'r RedactedLog,
) -> Page<'r, Worker> {
    Page::rendered(path_in(&format!("{}{}", report.folder, log.folder), "index.html"), move |worker, out| {
        write_log(redacted, log, worker, out)
    })
}

/// What a page shows.
struct Content<'r> {
    name: String,
    /// The verdict.
    sentence: String,
    /// The version of torch.
    version: Option<&'r str>,
    /// The compiles that ids lead to.
    statuses: Statuses<'r>,
    /// Times of all compiles by part of the compiler.
    parts: Parts,
    /// Of these it says what was left out.
    logs: &'r [RedactedLog],
    lists: Vec<Listing<'r>>,
    /// Whether it is below the page of a job.
    is_of_rank: bool,
}

fn write_log(
    redacted: &Redacted,
    log: &RedactedLog,
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let name = folder_in_words(log);
    let name = if name.is_empty() { "Redacted log".to_owned() } else { format!("Redacted log of {name}") };
    let page = Content {
        name,
        sentence: verdict::sentence_of_facts(&log.facts),
        version: log.facts.torch.as_ref().and_then(|torch| torch.version.as_deref()),
        statuses: Statuses::of(&log.facts),
        parts: sections::sum_of_parts(&log.facts),
        logs: std::slice::from_ref(log),
        lists: sections::of_log(&log.facts),
        is_of_rank: !log.folder.is_empty(),
    };
    write(redacted, &page, &[], worker, out)
}

/// `rank 0`
fn folder_in_words(log: &RedactedLog) -> String {
    log.folder.trim_end_matches('/').replace('_', " ")
}

/// Writes a page, which leads to those of `ranks`.
fn write(
    redacted: &Redacted,
    page: &Content<'_>,
    ranks: &[RedactedLog],
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut shell = Shell::of_job(&page.name, None, COMPARE);
    if page.is_of_rank {
        shell.crumbs.insert(0, ("Redacted job".to_owned(), Some("../index.html".to_owned())));
    }
    shell.aside = page.version.map(|version| format!("torch {version}")).unwrap_or_default();
    let present: Vec<_> = page.lists.iter().filter(|list| list.count() > 0).collect();
    let tab = |one: &&Listing<'_>| Tab::section(&one.id, &one.title, Some(whole(one.count())));
    shell.tabs.extend(present.iter().map(tab));
    shell.tabs.push(Tab::section(LEFT_OUT, "What was left out", None));
    shell.tabs.extend(
        ranks.iter().map(|log| Tab::away(format!("{}index.html", log.folder), &folder_in_words(log), None)),
    );
    write_page(worker, out, &shell, |worker, out| {
        let view = Render { worker, depth: 0 };
        begin(view, out, &page.sentence)?;
        write_line(out, &view.bar(&page.parts, true))?;
        let pills = |id: &str| page.statuses.pill(id);
        let on = Surface::Redacted(view, &pills);
        present.iter().try_for_each(|list| section(on, out, list))?;
        left_out(view, out, redacted, page.logs)
    })
}

/// What kind of report it is.
const REDACTED: &str = "This report is redacted: names are replaced, and all texts of the log are left out.";

/// The verdict and what kind of report it is.
pub fn begin(view: Render<'_>, out: &mut dyn Write, sentence: &str) -> anyhow::Result<()> {
    write_line(out, &view.verdict(Html::escaped(sentence), vec![Html::escaped(REDACTED)])?)?;
    Ok(())
}

/// The verdict in numbers.
pub fn sentence(report: &RedactedReport) -> String {
    match (&report.job, report.logs.first()) {
        (Some(job), _) => sentence_of_job(job),
        (None, Some(log)) => verdict::sentence_of_facts(&log.facts),
        (None, None) => "The log could not be read.".to_owned(),
    }
}

fn sentence_of_job(job: &JobReport<'_>) -> String {
    let differing = job.divergence.named().filter(|(_, one)| one.differs).count();
    let ranks = counted(job.ranks.len(), "rank", "ranks");
    match differing {
        0 => format!("{ranks}, which agree."),
        _ => format!("{ranks}, which differ in {}.", counted(differing, "fact", "facts")),
    }
}

/// `f1 was compiled 2 times: dtype: Float -> Half, at file1:81, 113 ms avoidable`
pub fn line(finding: &Finding<'_>) -> String {
    let mut line = finding.title.owned();
    if let Some(place) = place(finding.file.as_deref(), finding.line) {
        line.push_str(&format!(", at {place}"));
    }
    if let Some(cost) = &finding.cost {
        line.push_str(&format!(", {} {}", duration(cost.seconds * 1e6), &*cost.kind));
    }
    line
}

/// `file1:81`
fn place(file: Option<&str>, line: Option<i64>) -> Option<String> {
    let file = file?;
    let line = line.filter(|line| *line >= 0);
    Some(line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

/// `report.md`: the verdict and the findings.
pub fn markdown(report: &RedactedReport) -> Page<'_, Worker> {
    Page::rendered(path_in(&report.folder, "report.md"), move |_: &mut Worker, out| {
        writeln!(out, "# {REDACTED}\n\n{}\n", sentence(report))?;
        for finding in report.findings() {
            writeln!(out, "* **{}**: {}", &*finding.severity, line(finding))?;
            for advice in finding.hint.iter().flat_map(|hint| hint.lines()) {
                writeln!(out, "  * {advice}")?;
            }
        }
        Ok(())
    })
}

/// The anchor of the last section.
const LEFT_OUT: &str = "left-out";

/// What a reader of the whole report would see besides.
fn left_out(
    view: Render<'_>,
    out: &mut dyn Write,
    redacted: &Redacted,
    logs: &[RedactedLog],
) -> anyhow::Result<()> {
    view.open_section(out, (LEFT_OUT, "What was left out", ""), None, Html::default())?;
    let sum = |of: fn(&RedactedLog) -> usize| logs.iter().map(of).sum::<usize>();
    let (functions, files) = redacted.names.counts();
    paragraph(
        out,
        "This report is made of numbers, shapes and dtypes, of words of this program, of names of torch's own operators, files, \
         phases and kinds of graph breaks, and of pseudonyms. Everything else is left out, and nothing of it is anywhere in \
         the folder:",
    )?;
    let items = [
        format!(
            "the names of {} and {}, which are called f1, f2 and file1, file2 in the order of the log; names of kernels and \
             operators that torch does not have",
            counted(functions, "function", "functions"),
            counted(files, "file", "files")
        ),
        format!(
            "{} of the log: graphs, generated code, guards, payloads, raw.log and raw.jsonl",
            counted(sum(|log| log.left_out.files), "file", "files")
        ),
        format!(
            "{} of stacks, and the source text of every line",
            counted(sum(|log| log.left_out.frames), "frame", "frames")
        ),
        format!("{} of torch, cache keys, folders", counted(sum(|log| log.left_out.settings), "setting", "settings")),
        "messages of errors and graph breaks, and what hints quote of the code; values in guards that are neither sizes nor dtypes"
            .to_owned(),
        "the name of the log, process ids, times of day, and the reports of further processes".to_owned(),
    ];
    let items = items.iter().map(|item| Element::new("li").around(Html::escaped(item)));
    write_line(
        out,
        &Element::new("ul").class("left-out").around(Html::joined(items.collect::<Vec<_>>(), "")),
    )?;
    Ok(close_section(out)?)
}

/// A file of a folder such as `log_1/rank_0/`; empty for the report's own.
pub fn path_in(folder: &str, name: &str) -> RelPath {
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).chain([name]).collect();
    RelPath::of_parts(&parts)
}

/// `report.json` of a folder.
pub fn json<'r>(folder: &str, facts: impl Serialize + Send + 'r) -> Page<'r, Worker> {
    Page::rendered(path_in(folder, crate::facts::FILE), move |_: &mut Worker, out| {
        serde_json::to_writer_pretty(&mut *out, &facts)?;
        Ok(out.write_all(b"\n")?)
    })
}
