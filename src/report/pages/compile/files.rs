//! All files of a compile in the order of the compiler's phases, the links of the log, and what was lost.

use crate::analysis::{Producers, Stage};
use crate::model::{Artifact, Content, Form, Readable};
use crate::output::RelPath;
use crate::report::kit::formats::{bytes, whole};
use crate::report::kit::graph_files;
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs;
use crate::report::kit::links;
use crate::report::kit::markup::{
    Element, close, close_section, paragraph_below, put, soft, soft_paragraph, span,
};
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::report::pages::compile::subject::Subject;
use crate::report::subject::Report;
use crate::report::words::files;
use crate::report::words::files::short_name;
use crate::report::words::phases::stage_words;
use std::io::Write;

pub(crate) fn write(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let artifacts = &subject.compile.artifacts;
    let links = [
        graph_files::graphs_href(view, subject.compile).map(|href| view.link(&href, "Graphs side by side")),
        links::vllm(view, subject.index).map(|href| view.link(&href, "vLLM's modules")),
    ];
    let provenance = inductor_runs::links(view, subject.compile);
    let provenance = provenance.iter().map(|(href, words)| view.link(href, words));
    let links = Html::joined(links.into_iter().flatten().chain(provenance), " ");
    let tools = match links.is_empty() {
        true => Html::default(),
        false => Element::new("div").class("tools").around(&links),
    };
    view.open_section(out, ("files", "Files", ""), Some(whole(artifacts.len())), tools)?;
    if artifacts.is_empty() {
        soft_paragraph(out, Html::escaped("None was recorded."))?;
    } else {
        write_files(view, subject, out)?;
    }
    for (line, what) in &subject.compile.lost {
        let place = format!(": line {} of the log, {what}", whole(*line));
        paragraph_below(out, Html::joined([span("err", "1 lost"), place.into()], ""))?;
    }
    close_section(out)?;
    Ok(())
}

fn write_files(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let producers = Producers::of(subject.compile);
    let compared = graph_files::compared(view, subject.compile);
    let artifacts = subject.compile.artifacts.iter().enumerate();
    let mut files: Vec<_> = artifacts.map(|(at, a)| (producers.place(&a.name), at, a)).collect();
    files.sort_by_key(|(place, _, artifact)| (*place, artifact.attempt, artifact.number));
    put(out, &Element::new("dl").class("facts artifacts").open())?;
    for group in files.chunk_by(|(place, ..), (next, ..)| place == next) {
        if let Some((place, ..)) = group.first() {
            put(out, &stage_title(*place))?;
        }
        put(out, &Element::new("dd").open())?;
        for (_, at, artifact) in group {
            let pieces = [Some(file(view, subject, artifact)), compared.get(at).cloned()];
            let pieces = Html::joined(pieces.into_iter().flatten(), " ");
            let about = about(subject, artifact)?.into();
            put(out, &Element::new("span").around(Html::joined([pieces, about], "")))?;
        }
        close(out, "dd")?;
    }
    close(out, "dl")?;
    Ok(())
}

/// Which attempt wrote a file, its size, and what it is where its name does not tell.
fn about(subject: Subject<'_>, artifact: &Artifact) -> anyhow::Result<String> {
    let (size, words) = match &artifact.content {
        Content::Payload(at, _) => (Some(at.text_len as f64), None),
        Content::Text(text, _) => (Some(text.len() as f64), None),
        Content::Metrics(index) => match subject.compile.metrics.get(*index) {
            Some(record) => (None, Some(crate::report::pages::compile::metrics::about(subject, record)?)),
            None => (None, None),
        },
        Content::Empty(_)
        | Content::Guard(_)
        | Content::DumpFile(_)
        | Content::Link(_)
        | Content::Tables(_) => (None, None),
    };
    let words = [
        (artifact.attempt > 0).then(|| format!("attempt {}", artifact.attempt)),
        size.map(bytes),
        words.or_else(|| files::unclear(&artifact.name).map(str::to_owned)),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    Ok(if words.is_empty() { String::new() } else { format!(" {}", words.join(", ")) })
}

/// Who wrote the files that follow: a phase, with what it does on hover, or another program.
fn stage_title((stage, producer): (Stage, Option<&str>)) -> Html {
    match producer {
        Some(producer) => {
            let name = Element::new("code").around(producer);
            Element::new("dt").title("another program, as the names say").around(name)
        }
        None => {
            let (name, about) = stage_words(stage);
            Element::new("dt").title(about).around(name)
        }
    }
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
    let name = match &artifact.path {
        Some(path) => path.to_string(),
        None => format!("{}_{}", short_name(&artifact.name), artifact.number),
    };
    let mut pieces = vec![view.link(&href(&path), &name)];
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
    if let Some(subgraph) = &artifact.subgraph {
        pieces.push(soft(format!("subgraph {subgraph}")));
    }
    pieces.extend(marks(subject.report, artifact));
    Html::joined(pieces, " ")
}

/// What is wrong with a file, in words.
fn marks(report: Report<'_>, artifact: &Artifact) -> Vec<Html> {
    let mut marks = Vec::new();
    let mut mark = |class: &str, words: &str| {
        marks.push(Element::new("span").class(&format!("{class} nowrap")).around(words));
    };
    if let Some(damage) = report.model.integrity.damage_of(artifact) {
        mark("err", damage.words());
    }
    if matches!(artifact.content, Content::Empty(_)) {
        mark("warn", "no payload in the log");
    }
    if artifact.unknown {
        mark("warn", "unknown event");
    }
    marks
}
