//! The compile directory: every file of every compile, grouped by compiler phase.

use crate::analysis::{Producers, Stage};
use crate::limits::{LONG_LIST, LONGEST_NAME, bounded};
use crate::model::{Artifact, Cell, Compile, CompileIndex, Content, Outcome};
use crate::report::kit::graph_files;
use crate::report::kit::inductor_runs;
use crate::report::kit::links::{COMPILES_PER_DIRECTORY, anchored, directory_page, id_of, same_compile};
use crate::report::kit::prelude::*;
use crate::report::words::files::about;
use crate::report::words::phases::stage_words;
use crate::trace::{TextMap, TextSet};
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Entry {
    id: Option<String>,
    /// What other ranks know it by.
    same: Option<String>,
    /// The id in a link.
    anchor: Option<String>,
    pill: Html,
    name: Html,
    summary: String,
    damaged: Option<String>,
    page: Option<String>,
    page_words: &'static str,
    graphs: Option<String>,
    provenance: Vec<PageLink>,
    attempts: Vec<AttemptFiles>,
    /// How many files the page has no room for.
    left_out: Option<String>,
    lost: Vec<Lost>,
    /// Events that no parser knows, of a compile without a page.
    unknown: Vec<Html>,
}

#[derive(Serialize)]
struct PageLink {
    href: String,
    words: String,
}

#[derive(Serialize)]
struct AttemptFiles {
    id: Option<String>,
    title: Option<String>,
    stages: Vec<StageFiles>,
}

#[derive(Serialize)]
struct StageFiles {
    name: String,
    /// One per line.
    files: Html,
}

#[derive(Serialize)]
struct Lost {
    line: String,
    what: String,
}

/// Address of a compile's entry, relative to the landing page.
pub(crate) fn href(report: Report<'_>, index: CompileIndex) -> String {
    let anchor = report.model.compiles.get(index).map_or_else(String::new, |c| anchored(&id(c, 0)));
    format!("{}#{anchor}", directory_page(report, index).unwrap_or_default())
}

/// The element id of an attempt's files.
fn id(compile: &Compile, attempt: u32) -> String {
    id_of(&compile.bracketed(attempt))
}

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let compiles = &view.report.model.compiles;
    let files: usize = compiles.iter().map(|c| c.artifacts.len()).sum();
    let note = "every file of the log, by compile and phase of the compiler";
    let long = compiles.len() > COMPILES_PER_DIRECTORY;
    let tools = if long || compiles.is_empty() { Html::default() } else { view.fold_button("directory") };
    view.open_section(out, ("artifacts", "Files", note), Some(whole(files)), tools)?;
    if compiles.is_empty() {
        soft_paragraph(out, "None: no record belongs to a compilation.")?;
    } else if long {
        contents(view, out)?;
    } else {
        entries(view, out, 0..compiles.len())?;
    }
    Ok(close_section(out)?)
}

/// For a directory with its own pages: a link to each page, and an anchor and link per attempt while there is room.
fn contents(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let compiles = &view.report.model.compiles;
    let mut without_links = 0;
    for (page, chunk) in compiles.chunks(COMPILES_PER_DIRECTORY).enumerate() {
        let file = format!("directory_{}.html", page + 1);
        let label = |compile: Option<&Compile>| compile.map_or_else(String::new, Compile::label);
        let text = format!("{} to {}", label(chunk.first()), label(chunk.last()));
        let link = view.link(&file, &text);
        if !view.worker.has_room() {
            without_links += chunk.len();
            paragraph(out, link)?;
            continue;
        }
        let count = counted(chunk.len(), "compile", "compiles");
        let about = soft(format!("{count}, page {}", page + 1));
        write_line(out, &Element::new("details").class("fold").open())?;
        write_line(out, &Element::new("summary").around(Html::joined([text.into(), about], " ")))?;
        write_line(out, &Element::new("p").class("spaced-links mono").open())?;
        for compile in chunk {
            for attempt in anchors(compile) {
                let shown = attempt.trim_start_matches('[').trim_end_matches(']');
                let link = Element::new("a").id(&attempt).href(&format!("{file}#{}", anchored(&attempt)));
                let same = same_compile(compile).filter(|same| same.starts_with(&attempt));
                let link = same.iter().fold(link, |link, same| link.attribute("data-same", same));
                write_line(out, &link.around(shown))?;
            }
        }
        close(out, "p")?;
        close(out, "details")?;
        paragraph(out, link)?;
    }
    if without_links > 0 {
        let compiles = counted(without_links, "compile", "compiles");
        let words =
            format!("Links for the last {compiles} are omitted to limit page size; see the pages above.");
        soft_paragraph(out, words)?;
    }
    Ok(())
}

/// The anchors of a compile: `[0/0]`, and `[0/0_1]` for further attempts. Attempt 0 is always included.
fn anchors(compile: &Compile) -> Vec<String> {
    let mut numbers: Vec<u32> = compile.attempts.iter().map(|a| a.number).filter(|n| *n > 0).collect();
    numbers.insert(0, 0);
    numbers.dedup();
    numbers.into_iter().map(|number| id(compile, number)).collect()
}

/// The pages of a long directory.
pub(crate) fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let count = report.model.compiles.len();
    let pages = if count > COMPILES_PER_DIRECTORY { count.div_ceil(COMPILES_PER_DIRECTORY) } else { 0 };
    let page = move |index: usize| {
        let path = RelPath::of_parts(&[&format!("directory_{}.html", index + 1)]);
        Page::rendered(path, move |worker: &mut Worker, out: &mut dyn Write| {
            let title = format!("Files, page {} of {pages}", index + 1);
            let mut shell = Shell::top(report, &title);
            shell.tabs = (0..pages)
                .map(|at| Tab::away(format!("directory_{}.html", at + 1), &format!("Page {}", at + 1), None))
                .collect();
            write_page(worker, out, &shell, |worker, out| {
                let view = View::new(report, worker, 0);
                let range = index * COMPILES_PER_DIRECTORY..count.min((index + 1) * COMPILES_PER_DIRECTORY);
                let tools = view.fold_button("directory");
                let sentence = format!("The files of {}", counted(range.len(), "compile", "compiles"));
                let sentence = format!("{sentence}, page {} of {pages}.", index + 1);
                write_line(out, &view.verdict(sentence.into(), Vec::new())?)?;
                view.open_section(out, ("artifacts", "Files", ""), Some(whole(range.len())), tools)?;
                entries(view, out, range)?;
                Ok(close_section(out)?)
            })
        })
    };
    (0..pages).map(page).collect()
}

fn entries(view: View<'_>, out: &mut dyn Write, range: std::ops::Range<usize>) -> anyhow::Result<()> {
    let compiles: &[Compile] = &view.report.model.compiles;
    let compiles = compiles.get(range).unwrap_or_default();
    what_files_are(view, out, compiles)?;
    open_box(out, "directory")?;
    let mut seen = TextSet::default();
    for compile in compiles {
        let entry = entry(view, compile, &mut seen);
        write_line(out, &view.render("directory_entry", &entry)?)?;
    }
    Ok(close(out, "div")?)
}

fn entry(view: View<'_>, compile: &Compile, seen: &mut TextSet<String>) -> Entry {
    let mut by_attempt: BTreeMap<u32, Vec<&Artifact>> =
        compile.attempts.iter().map(|attempt| (attempt.number, Vec::new())).collect();
    for artifact in &compile.artifacts {
        by_attempt.entry(artifact.attempt).or_default().push(artifact);
    }
    // The entry has the id of attempt 0, so that this always resolves.
    let id_of_entry = Some(id(compile, 0)).filter(|id| seen.insert(id.clone()));
    let mut attempts = Vec::new();
    let producers = Producers::of(compile);
    let mut room = Room { bytes: view.worker.room(), left_out: 0 };
    for (number, files) in &by_attempt {
        if room.bytes == 0 {
            room.left_out += files.len();
            continue;
        }
        let id = (*number > 0).then(|| id(compile, *number)).filter(|id| seen.insert(id.clone()));
        let title = (by_attempt.len() > 1).then(|| format!("Attempt {number}"));
        attempts.push(AttemptFiles {
            id,
            title,
            stages: stages(view, (compile, files), &producers, &mut room),
        });
        room.bytes = room.bytes.saturating_sub(ATTEMPT_FRAME);
    }
    let integrity = &view.report.model.integrity;
    let damaged = compile.artifacts.iter().filter(|a| integrity.damage_of(a).is_some()).count();
    let words = [(damaged, "damaged"), (compile.lost.len(), "lost")];
    let words = words.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", whole(*n)));
    let damaged = words.collect::<Vec<_>>().join(", ");
    let provenance = inductor_runs::links(view, compile).into_iter();
    let lost = compile.lost.iter().map(|(line, what)| Lost { line: whole(*line), what: what.clone() });
    Entry {
        anchor: id_of_entry.as_deref().map(anchored),
        same: same_compile(compile).filter(|_| id_of_entry.is_some()),
        id: id_of_entry,
        pill: view.plain_pill_beside(compile),
        name: view.named(compile),
        summary: summary(view, compile),
        damaged: (!damaged.is_empty()).then_some(damaged),
        page: (!compile.is_bare).then(|| view.compile_href(compile)),
        page_words: if compile.id.is_some() { "Page of this compile" } else { "Page of these records" },
        graphs: graph_files::graphs_href(view, compile),
        provenance: provenance.map(|(href, words)| PageLink { href, words }).collect(),
        attempts,
        left_out: (room.left_out > 0).then(|| counted(room.left_out, "more file", "more files")),
        lost: lost.collect(),
        unknown: unknown(view, compile),
    }
}

/// Events that no parser knows, of a compile without a page: what it would show of them.
fn unknown(view: View<'_>, compile: &Compile) -> Vec<Html> {
    let rows = compile.sections.iter().filter(|_| compile.is_bare).flat_map(|section| &section.rows);
    let line = |row: &Vec<Cell>| match row.as_slice() {
        [Cell::Code(event), Cell::Number(line, _), Cell::Code(text)] => {
            let at = format!(" at line {}: ", whole(*line as u64));
            Some(Html::joined(["Unknown event ".into(), view.code(event), at.into(), view.code(text)], ""))
        }
        _ => None,
    };
    rows.filter_map(line).collect()
}

/// What each kind of file is, once for all compiles; folded.
fn what_files_are(view: View<'_>, out: &mut dyn Write, compiles: &[Compile]) -> anyhow::Result<()> {
    let names = compiles.iter().flat_map(|compile| &compile.artifacts).map(shown_name);
    let known = names.map(|name| (name, about(name))).filter(|(_, about)| !about.is_empty());
    let kinds: BTreeMap<&str, &str> = known.collect();
    if kinds.is_empty() {
        return Ok(());
    }
    open_more(out, format!("What each file is: {}", counted(kinds.len(), "kind", "kinds")))?;
    let kinds = kinds.into_iter().take(LONG_LIST);
    write_line(out, &view.facts(kinds.map(|(name, about)| (name, about.into()))))?;
    Ok(close(out, "details")?)
}

/// `19 files, cache miss`
fn summary(view: View<'_>, compile: &Compile) -> String {
    let model = view.report.model;
    let mut text = counted(compile.artifacts.len(), "file", "files");
    if compile.id.is_none() {
        return format!("{text} of records without a compile id");
    }
    let index = model.by_id.get(&compile.id);
    if let Some(outcome) = index.and_then(|i| view.report.found.cache.get(i)) {
        text.push_str(&format!(", cache {}", outcome.word()));
    }
    if compile.occurrences > 1 {
        text.push_str(&format!(", compiled {} under this id", counted(compile.occurrences, "time", "times")));
    }
    text
}

/// The room that the page has left for a compile's files.
struct Room {
    bytes: usize,
    left_out: usize,
}

/// Bytes of markup around a link to a file, and around the files of an attempt.
const FILE_FRAME: usize = 8;
const ATTEMPT_FRAME: usize = 250;

fn stages(
    view: View<'_>,
    (compile, files): (&Compile, &[&Artifact]),
    producers: &Producers<'_>,
    room: &mut Room,
) -> Vec<StageFiles> {
    let mut groups: BTreeMap<(Stage, Option<&str>), Vec<Html>> = BTreeMap::new();
    let mut names: TextMap<&str, usize> = TextMap::default();
    for artifact in files {
        *names.entry(shown_name(artifact)).or_default() += 1;
    }
    for artifact in files {
        if room.bytes == 0 {
            room.left_out += 1;
            continue;
        }
        let single = names.get(shown_name(artifact)) == Some(&1);
        let link = file(view, compile, artifact, single);
        room.bytes = room.bytes.saturating_sub(link.as_str().len() + FILE_FRAME);
        groups.entry(producers.place(&artifact.name)).or_default().push(link);
    }
    let group = |((stage, producer), files): ((Stage, Option<&str>), Vec<Html>)| {
        let name = producer.unwrap_or(stage_words(stage).0).to_owned();
        let lines = files.into_iter().flat_map(|file| [Html::trusted("\n    "), file]);
        StageFiles { name, files: Html::joined(lines, "") }
    };
    groups.into_iter().map(group).collect()
}

/// The name without the hash that output code has in its file name.
fn shown_name(artifact: &Artifact) -> &str {
    if artifact.name.starts_with("inductor_output_code") { "inductor_output_code" } else { &artifact.name }
}

/// A link to a file, with its number if the name is not unique, and remarks.
fn file(view: View<'_>, compile: &Compile, artifact: &Artifact, single: bool) -> Html {
    let name = bounded(shown_name(artifact), LONGEST_NAME);
    // The name also says hit, miss or bypass in words.
    let mark = match artifact.cache {
        Some(Outcome::Hit) => " ✅",
        Some(Outcome::Miss) => " ❌",
        Some(Outcome::Bypass) => " ❓",
        None => "",
    };
    let text = match &artifact.path {
        Some(path) => path.to_string(),
        None => format!("{name}{mark}"),
    };
    let link = match &artifact.content {
        Content::Link(url) => view.log_link(&text, url),
        _ => view.link(&view.href(&paths::artifact(compile, artifact, view.report.settings)), &text),
    };
    let mut pieces = vec![link];
    if !single
        && artifact.path.is_none()
        && !matches!(artifact.content, Content::Link(_) | Content::DumpFile(_))
    {
        pieces.push(small(artifact.number.to_string()));
    }
    pieces.extend(artifact.subgraph.as_ref().map(|subgraph| small(format!("subgraph {subgraph}"))));
    let readable = paths::readable(compile, artifact, view.report.settings);
    pieces.extend(readable.map(|path| view.link(&view.href(&path), "readable")));
    let damage = view.report.model.integrity.damage_of(artifact);
    pieces.extend(damage.map(|damage| span("err", damage)));
    let note = match artifact.content {
        Content::Empty(_) => Some("empty: the record had no payload"),
        Content::Link(_) => Some("link from the log"),
        _ => artifact.unknown.then_some("unknown event"),
    };
    pieces.extend(note.map(|text| span("warn", text)));
    let alone = pieces.len() == 1;
    let all = Html::joined(pieces, " ");
    if alone { all } else { Element::new("span").around(&all) }
}
