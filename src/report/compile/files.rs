//! All files of a compile in the order of the compiler's phases, the links of the log, and what was lost.

use super::Subject;
use crate::analysis::{Producers, Stage};
use crate::model::{Artifact, Content, Form, ProblemKind, Readable};
use crate::output::RelPath;
use crate::report::code::short_name;
use crate::report::file_words;
use crate::report::index::stage_words;
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{bytes, whole};
use crate::report::{Html, Report, graphs, paths, provenance, vllm};
use crate::trace::{PayloadRef, Span};
use std::io::Write;

pub(super) fn write(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let artifacts = &subject.compile.artifacts;
    let note = "in the order of the compiler's phases";
    let links = [
        graphs::href(view, subject.compile).map(|href| view.link(&href, "Graphs side by side")),
        vllm::href(view, subject.index).map(|href| view.link(&href, "vLLM's modules")),
    ];
    let provenance = provenance::links(view, subject.compile);
    let provenance = provenance.iter().map(|(href, words)| view.link(href, words));
    let links = Html::joined(links.into_iter().flatten().chain(provenance), " ");
    let tools = match links.is_empty() {
        true => Html::default(),
        false => Html::wrapped("<div class=\"tools\">", &links, "</div>"),
    };
    view.open_section(out, ("files", "Files", note), Some(whole(artifacts.len())), tools)?;
    if artifacts.is_empty() {
        writeln!(out, "<p class=\"soft\">None was recorded.</p>")?;
    } else {
        write_files(view, subject, out)?;
    }
    for (line, what) in &subject.compile.lost {
        let what = Html::escaped(what);
        writeln!(
            out,
            "<p class=\"after\"><span class=\"err\">1 lost</span>: line {} of the log, {}</p>",
            whole(*line),
            what.as_str()
        )?;
    }
    writeln!(out, "</section>")?;
    Ok(())
}

fn write_files(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let producers = Producers::of(subject.compile);
    let compared = graphs::compared(view, subject.compile);
    let artifacts = subject.compile.artifacts.iter().enumerate();
    let mut files: Vec<_> = artifacts.map(|(at, a)| (producers.place(&a.name), at, a)).collect();
    files.sort_by_key(|(place, _, artifact)| (*place, artifact.attempt, artifact.number));
    let groups = group_numbers(files.iter().map(|(place, ..)| *place));
    let mut heads = vec![Head::text("Phase"), Head::text("File").mono()];
    heads.extend((subject.compile.attempts.len() > 1).then(|| Head::number("Attempt")));
    heads.extend([Head::text("What it is").soft(), Head::number("Lines"), Head::number("Size")]);
    let table = Table { id: "files-table", label: "Files", heads };
    let mut last = None;
    let rows = files.iter().zip(groups).map(|((place, at, artifact), group)| {
        let first = last.replace(group) != Some(group);
        let title = if first { stage_title(*place) } else { Html::default() };
        row(view, subject, (title, group), (artifact, compared.get(at)))
    });
    view.table(out, &table, rows)
}

/// Where a file stands: its phase, or behind all phases who wrote it.
type Group<'a> = (Stage, Option<&'a str>);

/// The number of each file's group, by which the table is sorted.
fn group_numbers<'a>(places: impl Iterator<Item = Group<'a>>) -> Vec<usize> {
    let mut last = None;
    let mut number = 0;
    let number = |place| {
        number += usize::from(last.replace(place).is_some_and(|before| before != place));
        number
    };
    places.map(number).collect()
}

fn row(
    view: View<'_>,
    subject: Subject<'_>,
    (title, group): (Html, usize),
    (artifact, compared): (&Artifact, Option<&Html>),
) -> anyhow::Result<Row> {
    let payload = match &artifact.content {
        Content::Payload(at, _) => Some(at),
        _ => None,
    };
    let about = match artifact.content {
        Content::DumpFile(_) => "source of a generated module",
        Content::Link(_) => "a link of the log",
        _ => file_words::about(&artifact.name),
    };
    let lines = payload.and_then(|at| lines(subject.report, at));
    let size = match &artifact.content {
        Content::Payload(at, _) => Some(at.text_len as f64),
        Content::Text(text, _) => Some(text.len() as f64),
        Content::Empty(_) => Some(0.0),
        Content::Metrics(_) | Content::Guard(_) | Content::DumpFile(_) | Content::Link(_) => None,
    };
    let attempt = || Td::number(f64::from(artifact.attempt), &artifact.attempt.to_string());
    // The phase stands in its first row only, but every row is sorted by it.
    let mut cells = vec![
        Td::html(title).sorted(group),
        Td::html(Html::joined(
            [Some(file(view, subject, artifact)), compared.cloned()].into_iter().flatten(),
            " ",
        ))
        .sorted(artifact.number),
    ];
    cells.extend((subject.compile.attempts.len() > 1).then(attempt));
    cells.extend([
        Td::text(about).class("soft"),
        Td::maybe(lines, |lines| whole(lines as u64)),
        Td::maybe(size, bytes),
    ]);
    Ok(Row::of(cells))
}

fn stage_title((stage, producer): Group<'_>) -> Html {
    if let Some(producer) = producer {
        let name = Html::escaped(producer);
        let about = "written by another program, as the beginning of the names says";
        return Html::trusted(format!("<code title=\"{about}\">{}</code>", name.as_str()));
    }
    let (name, about) = stage_words(stage);
    Html::trusted(format!("<span title=\"{about}\">{}</span>", name.replace(' ', "\u{a0}")))
}

/// The file's name with links to its forms, and what is wrong with it.
fn file(view: View<'_>, subject: Subject<'_>, artifact: &Artifact) -> Html {
    let settings = subject.report.settings;
    if let Content::Link(url) = &artifact.content {
        return view.log_link(&artifact.name, url);
    }
    let path = paths::artifact(subject.compile, artifact, settings);
    let folder = subject.compile.folder(0);
    let href = |path: &RelPath| view.href_beside(path, &folder);
    let page = Html::escaped(&href(&path));
    let name = Html::escaped(&short_name(&artifact.name));
    let mut pieces = vec![Html::trusted(format!(
        "<a href=\"{}\">{}</a> <small>{}</small>",
        page.as_str(),
        name.as_str(),
        artifact.number
    ))];
    if let Some(readable) = paths::readable(subject.compile, artifact) {
        let words = match artifact.readable {
            Some(Readable::Code(_)) => "highlighted",
            _ => "readable",
        };
        pieces.push(view.link(&href(&readable), words));
    }
    if let Content::Payload(at, Form::Code(_) | Form::Guards) = &artifact.content
        && !paths::holds_text(artifact, settings)
    {
        pieces.push(view.link(&view.href(&paths::payload(at.md5)), "plain text"));
    }
    pieces.extend(marks(subject.report, artifact));
    Html::joined(pieces, " ")
}

/// What is wrong with a file, in words.
fn marks(report: Report<'_>, artifact: &Artifact) -> Vec<Html> {
    let mut marks = Vec::new();
    let mut mark = |class: &str, words: &str| {
        marks.push(Html::trusted(format!("<span class=\"{class} nw\">{words}</span>")));
    };
    let cut = || {
        let problems = report.model.integrity.problems.iter();
        problems.filter(|p| p.kind == ProblemKind::Truncated).any(|p| p.line == artifact.line)
    };
    match &artifact.content {
        Content::Payload(at, _) if !at.intact && cut() => mark("err", "damaged: cut short"),
        Content::Payload(at, _) if !at.intact => mark("err", "damaged: payload hash"),
        Content::Empty(_) => mark("warn", "no payload in the log"),
        _ => {}
    }
    if artifact.unknown {
        mark("warn", "unknown event");
    }
    marks
}

/// Lines of a payload, without reading it: each line of the log has a tab more than the text (and a carriage return
/// where those are stripped). Unknown where a launcher's tag stands before the tab.
fn lines(report: Report<'_>, at: &PayloadRef) -> Option<f64> {
    if at.text_len == 0 {
        return Some(0.0);
    }
    let is_tab = |offset| {
        let mut byte = Vec::new();
        report.source.read_span(Span { offset, len: 1 }, &mut byte).is_ok() && byte == b"\t"
    };
    let last = at.span.offset + at.span.len.checked_sub(1)?;
    let more = at.span.len.checked_sub(at.text_len)?;
    let each = 1 + u64::from(at.strip_cr);
    // Where the text ends with a newline, the log has one more line, with nothing but its tab.
    let lines = (more / each).saturating_sub(u64::from(is_tab(last)));
    (more % each == 0 && is_tab(at.span.offset)).then_some(lines as f64)
}
