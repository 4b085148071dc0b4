//! The landing page of a job: the verdict, the first difference between ranks, and the comparison of all facts.

use super::job_report::JobReport;
use super::view::JobView;
use super::{ends, files, matrix, runtimes, sides, table, timeline, times, verdict};
use crate::analysis::Finding;
use crate::analysis::job::TorchGroup;
use crate::limits::{IN_HEAD, NAMED, SHOWN};
use crate::model::words::rank_folder;
use crate::output::{Page, RelPath};
use crate::report::kit::assets::JOB;
use crate::report::kit::formats::{UNKNOWN, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close, close_finding, close_section, open_box, span, stacked, write_line};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::verdict::{FindingEntry, Hero};
use std::io::Write;

pub(super) fn page<'m>(report: JobReport<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["index.html"]), move |worker, out| {
        let name = counted(report.job.ranks.len(), "rank", "ranks");
        let mut shell = Shell::of_job(&name, report.settings.custom_header.as_deref(), JOB);
        shell.around = report.around;
        shell.ranks = Some(ranges(report));
        shell.aside = aside(report);
        shell.tabs = tabs(JobView::new(report, worker));
        shell.search = true;
        write_page(worker, out, &shell, |worker, out| {
            let view = JobView::new(report, worker);
            hero(view, out)?;
            timeline::section(view, out)?;
            ends::section(view, out)?;
            sides::first(view, out)?;
            findings(view, out)?;
            matrix::section(view, out)?;
            sides::others(view, out)?;
            times::section(view, out)?;
            runtimes::section(view, out)?;
            runtimes::parity(view, out)?;
            table::section(view, out)?;
            files::section(view, out)
        })
    })
}

/// Characters of the ranges of ranks in an address at most.
const LONGEST_RANGES: usize = 200;

/// The ranks with a report, `0-3.5`: a report of a rank that was written alone learns them from the links to it. Empty if
/// there are too many ranges.
pub(super) fn ranges(report: JobReport<'_>) -> String {
    let ranks = report.job.ranks.iter().filter(|rank| rank.log.is_some());
    let numbers: Vec<u64> = ranks.map(|rank| rank.number).collect();
    let range = |run: &[u64]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.iter().map(u64::to_string).collect(),
    };
    let runs = numbers.chunk_by(|one, next| *next == one.saturating_add(1));
    let text = runs.map(range).collect::<Vec<_>>().join(".");
    if text.len() > LONGEST_RANGES { String::new() } else { text }
}

/// torch and the time range of the job.
fn aside(report: JobReport<'_>) -> String {
    let mut parts = Vec::new();
    if let [TorchGroup { version: Some(version), .. }] = report.found.fleet.torch.as_slice() {
        parts.push(format!("torch {}", report.job.texts.get(*version)));
    }
    parts.extend(report.job.runs.first().and_then(files::time_range));
    parts.join(" · ")
}

fn tabs(view: JobView<'_>) -> Vec<Tab> {
    let report = view.report;
    let found = report.found;
    let count = |n: usize| Some(whole(n));
    let many = report.job.ranks.len() > NAMED;
    let sections = [
        (timeline::is_shown(view), "timeline", "Timeline", None),
        (ends::is_shown(view), "ends", "Last records", None),
        (found.cause().is_some_and(|cause| found.has_sides(cause)), "first", "First difference", None),
        (!found.findings.is_empty(), "findings", "Findings", count(found.findings.len())),
        (true, "facts", "Facts", None),
        (found.fleet.extremes.is_some(), "time", "Compile time", None),
        (found.runtime.is_some(), "runtime", "Runtime", None),
        (true, "ranks", "Ranks", count(report.job.ranks.len())),
        (true, "run", "Run", None),
    ];
    let shown = sections.into_iter().filter(|(shown, ..)| *shown);
    let mut tabs: Vec<Tab> = shown.map(|(_, id, text, count)| Tab::section(id, text, count)).collect();
    tabs.push(Tab::away(paths::REPORT_MD, paths::REPORT_MD, None));
    if !many {
        let known = report.job.ranks.iter().filter(|rank| rank.log.is_some());
        tabs.extend(known.map(|rank| {
            Tab::away(
                format!("{}/index.html", rank_folder(rank.number)),
                &format!("Rank {}", rank.number),
                None,
            )
        }));
    }
    tabs
}

fn hero(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let pieces = verdict::pieces(view.report);
    let notes = verdict::notes(view.report).iter().map(|note| view.prose(note)).collect();
    write_line(out, &view.hero(&Hero { pieces, notes, bar: Html::default() })?)?;
    Ok(())
}

fn findings(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let findings = &view.report.found.findings;
    if findings.is_empty() {
        return Ok(());
    }
    let note = "possible causes of others first";
    let head = ("findings", "Findings", note);
    view.open_section(out, head, Some(whole(findings.len())), view.fold_button("findings-list"))?;
    open_box(out, "findings-list")?;
    for (index, finding) in findings.iter().enumerate() {
        write_line(out, &entry(view, index, finding)?)?;
        close_finding(out)?;
    }
    close(out, "div")?;
    close_section(out)?;
    Ok(())
}

fn entry(view: JobView<'_>, index: usize, finding: &Finding) -> anyhow::Result<Html> {
    let lines = finding.detail.as_deref().unwrap_or_default().lines().map(|line| view.prose(line));
    let detail = stacked(lines);
    let ranks = &finding.in_job.ranks;
    let place = match &finding.place.file {
        Some(file) => {
            let editor = view.report.settings.editor.as_ref();
            view.place_in(
                file,
                finding.place.line,
                editor.and_then(|editor| editor.href(file, finding.place.line)),
            )
        }
        None => Html::default(),
    };
    let entry = FindingEntry {
        id: format!("finding-{}", index + 1),
        open: index == 0,
        class: finding.severity.word(),
        kind: finding.kind.label(),
        title: view.sentence(&finding.sentence()),
        place,
        pills: span("pills", pills_of(view, ranks)),
        cost: match ranks.len() {
            0 => UNKNOWN.to_owned(),
            several => counted(several, "rank", "ranks"),
        },
        count: String::new(),
        trace: Html::default(),
        explained: !detail.is_empty(),
        detail,
        facts: view.facts(facts_of(view, finding)),
    };
    view.finding(&entry)
}

/// Advice, and links to the evidence.
fn facts_of(view: JobView<'_>, finding: &Finding) -> Vec<(&'static str, Html)> {
    let mut facts = Vec::new();
    if let Some(hint) = finding.hint() {
        facts.push(("What to do", view.advice(&hint)));
    }
    if let Some(cause) = finding.caused_by {
        let title = view.report.found.findings.get(cause).map(|cause| cause.kind.label());
        let text = format!("finding {}, {}", whole(cause + 1), title.unwrap_or_default().to_lowercase());
        facts.push(("Follows from", view.link(&format!("#finding-{}", cause + 1), &text)));
    }
    let sides = finding.kind.facts().aspect.filter(|_| view.report.found.has_sides(finding));
    if let Some(anchor) = sides.map(|aspect| view.report.anchor(aspect)) {
        facts.push(("Evidence", view.link(&format!("#{anchor}"), "both sides")));
    }
    let first = finding.in_job.ranks.first().and_then(|&index| view.rank_at(index));
    if let (Some(rank), Some(url)) = (first, &finding.in_job.url_in_rank) {
        let page = view.in_rank_at(rank, url);
        facts.push(("Evidence", view.link(&page, &format!("in the report of rank {}", rank.number))));
    }
    if let (Some(rank), Some(id), None) =
        (first, finding.in_job.compile_ids.first(), &finding.in_job.url_in_rank)
    {
        facts.push((
            "Evidence",
            view.link(&view.compile_page(rank, id), &format!("{id} on rank {}", rank.number)),
        ));
    }
    let named = finding.in_job.ranks.iter().take(SHOWN);
    let ranks: Vec<Html> =
        named.filter_map(|&index| Some(view.cell(&view.rank(view.rank_at(index)?)))).collect();
    if !ranks.is_empty() {
        facts.push(("Reports", Html::joined(ranks, ", ")));
    }
    facts
}

/// The numbers of the first ranks, and the count of further ones.
fn pills_of(view: JobView<'_>, ranks: &[usize]) -> Html {
    let numbers = ranks.iter().filter_map(|&index| Some(view.rank_at(index)?.number.to_string()));
    let mut pills: Vec<String> = numbers.take(IN_HEAD).collect();
    if ranks.len() > IN_HEAD {
        pills.push(format!("+{}", whole(ranks.len() - IN_HEAD)));
    }
    let pills = pills.iter().map(|text| span("pill", text.as_str()));
    Html::joined(pills, "")
}
