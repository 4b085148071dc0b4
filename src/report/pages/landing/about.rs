//! All about the log that few readers need, folded: its files, what could be read of it, what wrote it, how to share the
//! report, and what its words mean.

use crate::analysis::is_capture;
use crate::facts::ConsoleHint;
use crate::limits::{LONG_LIST, NAMED, NAMED_BRIEFLY, SHORT_LIST};
use crate::model::{Compile, OtherRank, ProblemKind, SentencePart, Status};
use crate::report::data;
use crate::report::doc::page::write_all;
use crate::report::doc::{Block, Cell, Fact, Others, Rows, Section, count, log, own};
use crate::report::kit::formats::bytes;
use crate::report::kit::log_settings;
use crate::report::kit::prelude::*;
use crate::report::kit::versions::versions;
use crate::report::lists;
use crate::report::pages::landing::{directory, glossary, stacks};
use crate::report::words::problems::{damaged, problem_words};
use crate::trace::OrderedMap;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = view.report;
    let hints: Vec<_> = data::hints(report).collect();
    let files: usize = report.model.compiles.iter().map(|c| c.artifacts.len()).sum();
    let damage = match damaged(report) {
        0 => String::new(),
        count => format!(", {} that are damaged or of another rank", counted(count, "record", "records")),
    };
    let summary = format!(
        "{} by compile id{damage}; settings, versions, how to share this report, glossary",
        counted(files, "file", "files")
    );
    let mut blocks =
        vec![Block::Drawn(Box::new(directory::section)), Block::Drawn(Box::new(stacks::without_compile))];
    blocks.extend(processes(report));
    blocks.extend(other_ranks(report));
    blocks.extend(on_console(&hints));
    blocks.extend([log_section(report), environment(report)?, share()]);
    blocks.push(Block::Drawn(Box::new(glossary::section)));
    let about = Section::new(
        "about",
        "About this log, and how to share it",
        vec![Block::More { summary: own(summary), blocks }],
    )
    .without_tab();
    write_all(&[Block::Section(about)], view, out)
}

/// What the page of a log without records has below its verdict.
pub(crate) fn of_empty(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = view.report;
    let mut blocks: Vec<Block<'_>> = (damaged(report) > 0).then(|| log_section(report)).into_iter().collect();
    blocks.extend(processes(report));
    blocks.push(Block::Drawn(Box::new(glossary::section)));
    write_all(&blocks, view, out)
}

fn part<'m>(id: &'static str, title: &'static str, about: &'static str, blocks: Vec<Block<'m>>) -> Block<'m> {
    Block::Section(Section::new(id, title, blocks).about(about).without_tab())
}

/// What torch printed about performance.
fn on_console<'m>(hints: &'m [ConsoleHint<'m>]) -> Option<Block<'m>> {
    let about = "what torch printed while it compiled";
    let list = lists::hints(hints.iter().collect());
    (!hints.is_empty()).then(|| part("hints", "Hints on performance", about, vec![Block::Table(list)]))
}

/// Whether to trust the log: what was read, and what could not be.
fn log_section<'m>(report: Report<'m>) -> Block<'m> {
    let (model, integrity) = (report.model, &report.model.integrity);
    let note = match (damaged(report), integrity.problems.is_empty()) {
        (0, true) => "read completely",
        (0, false) => "read completely; only minor problems",
        _ => "damaged and unknown records, with the line of the log",
    };
    let other = integrity.count(ProblemKind::OtherRank);
    let lines = integrity.count(ProblemKind::BadPrefix) + integrity.count(ProblemKind::BadJson);
    let mut read = counted(model.log.records, "record", "records");
    if other > 0 {
        read.push_str(&format!(", {} of them from other ranks", whole(other)));
    }
    if lines > 0 {
        read.push_str(&format!("; {} could not be read as a record", counted(lines, "line", "lines")));
    }
    let mut facts = vec![Fact::new("Read", own(read)), Fact::new("Damaged", damage(report))];
    if !integrity.unknown_events.is_empty() {
        let names = tally(integrity.unknown_events.iter(), NAMED);
        let kept = ". Kept as files; this version of tlparse cannot interpret them.".into();
        facts.push(Fact::new("Unknown events", Cell::Beside(vec![names, kept], "").class("warn")));
    }
    facts.extend(without_metrics(report));
    facts.push(Fact::new("With --strict", own(strict(report))));
    let mut blocks = vec![Block::Facts(facts)];
    blocks.extend(problems(report));
    blocks.extend(counts("Records by event", &integrity.events));
    // The files of a single compile are its artifacts.
    let several = model.compiles.len() > 1;
    blocks.extend(several.then(|| counts("Artifacts by name", &integrity.artifacts)).flatten());
    part("log", "Log", note, blocks)
}

fn damage(report: Report<'_>) -> Cell<'_> {
    let integrity = &report.model.integrity;
    let found = ProblemKind::ALL.into_iter().filter(|kind| integrity.count(*kind) > 0);
    let found: Vec<String> =
        found.map(|kind| format!("{} × {}", whole(integrity.count(kind)), problem_words(kind).0)).collect();
    match (found.is_empty(), integrity.ok()) {
        (true, _) => "nothing: all lines, payload hashes and string ids are valid".into(),
        (_, true) => own(found.join(", ")),
        _ => own(found.join(", ")).class("err"),
    }
}

/// `artifact 43, str 8`, with the names as code.
fn tally<'m>(counts: impl ExactSizeIterator<Item = (&'m String, &'m u64)>, most: usize) -> Cell<'m> {
    let more = own(and_more(counts.len(), most));
    let one = |(name, count): (&'m String, &u64)| {
        Cell::Beside(vec![Cell::Code(name.into()), own(whole(*count))], " ")
    };
    let shown = Cell::Beside(counts.take(most).map(one).collect(), ", ");
    Cell::Beside(vec![shown, more], "")
}

/// What is known about the time of compiles without metrics.
fn without_metrics(report: Report<'_>) -> Option<Fact<'_>> {
    let exports = &report.found.export.compiles;
    let compiles = report.model.compiles.indexed();
    let compiles = compiles.filter(|(index, c)| c.id.is_some() && !exports.contains(index)).map(|(_, c)| c);
    let missing: Vec<&Compile> = compiles.filter(|c| c.status == Status::Missing && !is_capture(c)).collect();
    if missing.is_empty() {
        return None;
    }
    let spans = &report.found.spans;
    let has_phases = |compile: &&Compile| {
        report.model.by_id.get(&compile.id).is_some_and(|index| !spans.of_compile.at(*index).is_empty())
    };
    let time = match missing.iter().all(has_phases) {
        true => "time known from phases only",
        false => "sums do not include their time",
    };
    let why = format!(": {time}; the program ended first, or the log does not record them");
    let some = Cell::SomeCompiles { compiles: missing, most: NAMED_BRIEFLY, beside_names: false };
    Some(Fact::new("Without metrics", Cell::Beside(vec![some, own(why)], "")))
}

fn strict(report: Report<'_>) -> String {
    let integrity = &report.model.integrity;
    if integrity.ok() {
        return "exit code 0".to_owned();
    }
    let kinds = ProblemKind::ALL.into_iter().filter(|kind| kind.is_damage() && integrity.count(*kind) > 0);
    let kinds: Vec<String> = kinds.map(|kind| format!("{} {}", kind.name(), integrity.count(kind))).collect();
    format!("exit code 3: {}", kinds.join(", "))
}

fn problems<'m>(report: Report<'m>) -> Option<Block<'m>> {
    let all = &report.model.integrity.problems;
    let listed: Vec<_> = all.iter().filter(|p| p.kind != ProblemKind::OtherRank).collect();
    let list = Rows::of(listed)
        .number("Line", |one| count(Some(one.line)))
        .text("Problem", |one| {
            let class = if one.kind.is_damage() { "kind error" } else { "kind warning" };
            Cell::from(problem_words(one.kind).0).class(class)
        })
        .text("What was found", |one| log(&*one.detail))
        .text("What it means", |one| Cell::from(problem_words(one.kind).1).class("soft"))
        .first(LONG_LIST, Others::InFacts("problems"))
        .listing("problems", "Problems of the log", "");
    (list.count() > 0).then_some(Block::Table(list))
}

/// Counts by name, folded.
fn counts<'m>(title: &'static str, counts: &'m OrderedMap<String, u64>) -> Option<Block<'m>> {
    let mut order: Vec<_> = counts.iter().collect();
    order.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let summary = format!("{title}: {}", counted(counts.len(), "kind", "kinds"));
    let names = Block::Paragraph(tally(order.into_iter(), LONG_LIST));
    (!counts.is_empty()).then(|| Block::More { summary: own(summary), blocks: vec![names] })
}

/// Records of other ranks, which do not belong to any compile here.
fn other_ranks<'m>(report: Report<'m>) -> Option<Block<'m>> {
    let model = report.model;
    if model.other_ranks.is_empty() {
        return None;
    }
    let rank = model.log.rank.map_or_else(|| "no rank".to_owned(), |rank| format!("rank {rank}"));
    let read =
        format!("This log is read as {rank}. The records below belong to other ranks; they are kept in ");
    let raw = Cell::from("raw.jsonl").linked("raw.jsonl");
    let advice = "Several processes wrote to one file. Give each rank its own file: torch does this if `TORCH_TRACE` \
                  names a folder.";
    let mut blocks = vec![
        Block::Paragraph(Cell::Beside(vec![own(read), raw, ".".into()], "")),
        Block::Paragraph(Cell::Prose(advice.into())),
    ];
    for (rank, other) in &model.other_ranks {
        blocks.push(Block::Heading(SentencePart::Own(format!("Rank {rank}").into()).into()));
        blocks.push(Block::Facts(of_rank(other)));
    }
    let about = "counted and kept, but not assigned to any compile";
    Some(part("other", "Records of other ranks", about, blocks))
}

fn of_rank(other: &OtherRank) -> Vec<Fact<'_>> {
    let (first, last) = other.lines;
    let records: u64 = other.events.values().sum();
    let mut order: Vec<_> = other.events.iter().collect();
    order.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let count =
        format!("{}, lines {} to {}", counted(records, "record", "records"), whole(first), whole(last));
    let mut facts =
        vec![Fact::new("Records", own(count)), Fact::new("Events", tally(order.into_iter(), NAMED))];
    if !other.compiles.is_empty() {
        facts.push(Fact::new("Compiles, records", tally(other.compiles.iter(), SHORT_LIST)));
    }
    facts
}

/// Where the log comes from, and files for programs.
fn environment<'m>(report: Report<'m>) -> anyhow::Result<Block<'m>> {
    let log = &report.model.log;
    let pids = log.pids.iter().take(NAMED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = and_more(log.pids.len(), NAMED);
    let time = |time: &Option<String>| time.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let rank = log.rank.map_or_else(|| "no rank recorded".to_owned(), |r| format!("rank {r}"));
    let records = format!("{}, {} to {}", whole(log.records), time(&log.first_time), time(&log.last_time));
    let parity = data::has_parity(report).then_some("collectives_parity.json");
    let files = [paths::REPORT_MD, "report.json", "compile_directory.json", "chromium_events.json"];
    let files = files.into_iter().chain(parity).chain(["raw.jsonl", "raw.log"]);
    let mut facts = versions(report)?;
    if log_settings::present(report) {
        let words = "what differs from torch's defaults, and all settings";
        facts.push(Fact::new("Configuration", Cell::from(words).linked("configuration.html")));
    }
    let file = Cell::Beside(vec![Cell::Log((&*log.file).into()), own(bytes(log.bytes as f64))], ", ");
    facts.extend([
        Fact::new("Log", file),
        Fact::new("Records", own(records)),
        Fact::new("Processes", own(format!("{pids}{more}; {rank}"))),
        Fact::new("Data", Cell::Beside(files.map(|file| Cell::from(file).linked(file)).collect(), ", ")),
    ]);
    facts.extend(cuda_graphs(report));
    Ok(part("environment", "Environment", "what wrote the log, and its files", vec![Block::Facts(facts)]))
}

/// What became of the CUDA graphs that compiles asked for.
fn cuda_graphs(report: Report<'_>) -> Option<Fact<'_>> {
    let asked = report.found.on_device.iter().filter_map(|(index, of)| {
        let compile = report.model.compiles.get(index)?;
        let words = of.cuda_graphs.as_ref()?.words();
        let some = Cell::SomeCompiles { compiles: vec![compile], most: 1, beside_names: false };
        Some(Cell::Beside(vec![some, own(words)], " "))
    });
    let mut asked: Vec<Cell<'_>> = asked.collect();
    let more = and_more(asked.len(), NAMED);
    asked.truncate(NAMED);
    let shown = || Cell::Beside(vec![Cell::Beside(asked.clone(), "; "), own(more)], "");
    (!asked.is_empty()).then(|| Fact::new("CUDA graphs", shown()))
}

/// Further processes of the program; each has its own report in a folder below this one.
fn processes<'m>(report: Report<'m>) -> Option<Block<'m>> {
    let advice = "The program ran several processes. A forked process inherits what its parent had compiled; data loaders and \
                  servers that fork after the first compilation compile everything again.";
    let list = Rows::of(report.processes.iter().collect::<Vec<_>>())
        .number("Process", |one| {
            Cell::maybe(one.pid, |pid| Cell::Figure { value: pid as f64, shown: pid.to_string() })
        })
        .text("Started as", |one| if one.forked { "a fork" } else { "a new process" }.into())
        .explained("a forked process continues its parent's string table in its log")
        .text("Log", |one| Cell::Code((&*one.file).into()))
        .unsorted("Report", |one| Cell::from("its report").linked(format!("{}/index.html", one.dir)))
        .listing("process-list", "Further processes", "");
    let blocks = vec![Block::Paragraph(advice.into()), Block::Table(list)];
    let about = "each has its own log and report";
    (!report.processes.is_empty()).then(|| part("processes", "Further processes", about, blocks))
}

/// How to give the report to others, and how to hold it against another run.
fn share<'m>() -> Block<'m> {
    let ways = [
        (
            "All of it",
            "`tlparse LOG --zip` packs it into one file. It holds code, paths and settings of the program.",
        ),
        (
            "What is safe",
            "`tlparse LOG --redact --zip` leaves out code, names and paths; counts, times, shapes and torch's own words stay.",
        ),
        (
            "Another run",
            "`tlparse diff LOG OTHER` says what is new, gone, worse and better in the other run; it takes logs, reports and \
             jobs.",
        ),
    ];
    let facts = ways.map(|(label, text)| Fact::new(label, Cell::Hints(vec![text.to_owned()].into()))).into();
    let about = "the report is a folder of files without a server";
    part("share", "Share and compare", about, vec![Block::Facts(facts)])
}
