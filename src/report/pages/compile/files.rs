//! All files of a compile in the order of the compiler's phases, links from the log, and what was lost.

use crate::analysis::{Producers, Stage};
use crate::model::{Artifact, Content, Form, Readable};
use crate::report::doc::{Block, Cell, Section, own};
use crate::report::kit::graph_files;
use crate::report::kit::inductor_runs;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::ShownCompile;
use crate::report::pages::compile::{metrics, record};
use crate::report::words::files::{self, short_name};
use crate::report::words::phases::stage_words;
use fxhash::FxHashSet;

pub(super) fn section<'m>(subject: ShownCompile<'m>) -> Section<'m> {
    let compile = subject.compile;
    let mut blocks = vec![Block::Drawn(Box::new(move |view, out| write_links(view, subject, out)))];
    blocks.push(match compile.artifacts.is_empty() {
        true => Block::Paragraph(Cell::from("None was recorded.").class("soft")),
        false => Block::Drawn(Box::new(move |view, out| write_files(view, subject, out))),
    });
    blocks.extend(compile.lost.iter().map(|(line, what)| {
        let place = own(format!(": line {} of the log, {what}", whole(*line)));
        Block::Paragraph(Cell::Beside(vec![Cell::from("1 lost").class("err"), place], ""))
    }));
    Section::new("files", "Files", blocks)
        .about("in the order of the compiler's phases")
        .counted(compile.artifacts.len())
}

/// Links to the viewers of these files.
fn write_links(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let links = [
        graph_files::drawn_link(view, subject.compile).map(|(href, words)| view.link(&href, &words)),
        graph_files::graphs_href(view, subject.compile).map(|href| view.link(&href, "Graphs side by side")),
        links::vllm(view, subject.index).map(|href| view.link(&href, "vLLM's modules")),
    ];
    let provenance = inductor_runs::links(view, subject.compile);
    let provenance = provenance.iter().map(|(href, words)| view.link(href, words));
    let links = Html::joined(links.into_iter().flatten().chain(provenance), " ");
    if !links.is_empty() {
        write_line(out, &Element::new("p").class("spaced-links").around(links))?;
    }
    Ok(())
}

/// The table of files, in the order of the compiler's phases.
fn write_files(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let producers = Producers::of(subject.compile);
    let compared = graph_files::compared(view, subject.compile);
    let viewed: FxHashSet<usize> = graph_files::shown_files(subject.compile).into_iter().collect();
    let artifacts = subject.compile.artifacts.iter().enumerate();
    let mut files: Vec<_> = artifacts.map(|(at, a)| (producers.place(&a.name), at, a)).collect();
    files.sort_by_key(|(place, _, artifact)| (*place, artifact.attempt, artifact.number));
    // A single attempt needs no column.
    let several = files.iter().any(|(.., artifact)| artifact.attempt > 0);
    let attempts = several.then(|| TableColumn::number("Attempt"));
    let columns = [
        TableColumn::text("Phase"),
        TableColumn::text("File").mono(),
        TableColumn::text("What it is").soft(),
    ];
    let columns = columns.into_iter().chain(attempts).chain([TableColumn::number("Size")]).collect();
    let table = Table { id: "files-table", label: "Files", columns };
    let mut last = None;
    let rows = files.iter().enumerate().map(|(order, (place, at, artifact))| {
        let first = last.replace(*place) != Some(*place);
        let cells = [
            TableCell::html(phase(*place, first)).class("nowrap").sorted(order),
            TableCell::html(file(view, subject, artifact, viewed.contains(at))),
            TableCell::html(about(subject, artifact, compared.get(at))),
        ];
        let attempt = TableCell::number(f64::from(artifact.attempt), &artifact.attempt.to_string());
        let attempt = several.then_some(attempt);
        let cells = cells.into_iter().chain(attempt).chain([TableCell::maybe(size(artifact), bytes)]);
        Row::of(cells.collect()).anchored(format!("file-{}", artifact.number))
    });
    view.table(out, &table, rows)
}

/// The size of a file in the log.
fn size(artifact: &Artifact) -> Option<f64> {
    match &artifact.content {
        Content::Payload(at, _) => Some(at.text_len as f64),
        Content::Text(text, _) => Some(text.len() as f64),
        _ => None,
    }
}

/// What a file is, and its remarks.
fn about(subject: ShownCompile<'_>, artifact: &Artifact, compared: Option<&Html>) -> Html {
    let record = match &artifact.content {
        Content::Metrics(index) => subject.compile.metrics.get(*index),
        _ => None,
    };
    let words = match (record, &artifact.content) {
        (Some(record), _) => {
            let href = format!("#{}", record::anchor(artifact));
            Element::new("a").href(&href).around(metrics::about(record))
        }
        (None, Content::DumpFile(_)) => "the source of a module that torch generated".into(),
        (None, Content::Link(_)) => "a link from the log".into(),
        (None, _) => files::about(&artifact.name).into(),
    };
    let words = (!words.is_empty()).then_some(words);
    let subgraph = artifact.subgraph.as_ref().map(|subgraph| Html::escaped(&format!("subgraph {subgraph}")));
    let pieces = words.into_iter().chain(subgraph).chain(compared.cloned());
    Html::joined(pieces.chain(marks(subject.report, artifact)), ", ")
}

/// What wrote a file: a phase, explained on hover the first time, or another program.
fn phase((stage, producer): (Stage, Option<&str>), first: bool) -> Html {
    let name = match producer {
        Some(producer) => {
            titled("another program, judging by the names", Element::new("code").around(producer))
        }
        None => {
            let (name, about) = stage_words(stage);
            if first { titled(about, name) } else { name.into() }
        }
    };
    if first { name } else { soft(name) }
}

/// The file's name with links to its forms. A graph opens in the viewer, which shows how values depend on each other.
fn file(view: View<'_>, subject: ShownCompile<'_>, artifact: &Artifact, viewed: bool) -> Html {
    let settings = subject.report.settings;
    if let Content::Link(url) = &artifact.content {
        return view.log_link(&artifact.name, url);
    }
    let path = paths::artifact(subject.compile, artifact, settings);
    let folder = subject.compile.folder(0);
    let href = |path: &RelPath| view.href_beside(path, &folder);
    let name = match &artifact.path {
        Some(path) => path.to_string(),
        None => format!("{}_{}", short_name(&artifact.name), artifact.number),
    };
    let viewer = viewed.then(|| view.href(&paths::graphs_page(subject.compile)));
    let mut pieces = match viewer {
        Some(page) => {
            vec![view.link(&format!("{page}#{}", artifact.number), &name), view.link(&href(&path), "text")]
        }
        None => vec![view.link(&href(&path), &name)],
    };
    if let Some(readable) = paths::readable(subject.compile, artifact, settings) {
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
    Html::joined(pieces, " ")
}

/// What is wrong with a file, in words.
fn marks(report: Report<'_>, artifact: &Artifact) -> Vec<Html> {
    let mut marks = Vec::new();
    let mut mark = |class: &str, words: &str| {
        marks.push(Element::new("span").class(&format!("{class} nowrap")).around(words));
    };
    if let Some(damage) = report.model.integrity.damage_of(artifact) {
        mark("err", damage);
    }
    if matches!(artifact.content, Content::Empty(_)) {
        mark("warn", "no payload in the log");
    }
    if artifact.unknown {
        mark("warn", "unknown event");
    }
    marks
}
