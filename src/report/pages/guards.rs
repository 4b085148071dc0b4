//! `dynamo_guards_<n>.html`: guards with their stacks, grouped by what they guard.

use crate::limits::{DEEPEST_STACK, LARGEST_FILE};
use crate::model::{Artifact, ArtifactIndex, Compile, Content, Fields, Form, Frame, Place, Stack};
use crate::report::doc::{Cell, Listing, Rows, StackShown, Surface, html, log};
use crate::report::kit::prelude::*;
use crate::trace::TextMap;
use crate::trace::{FileRef, PayloadRef, Prefix, clean_header};
use indexmap::IndexMap;
use serde_json::value::RawValue;

pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    for (index, compile) in report.model.compiles.indexed() {
        for (at, artifact) in compile.artifacts.iter().enumerate() {
            let text = match &artifact.content {
                _ if artifact.place == Place::Payloads => continue,
                Content::Payload(payload, Form::Guards) => {
                    Text::Payload(*payload, ArtifactIndex::new(index, at))
                }
                Content::Text(text, Form::Guards) => Text::Made(text),
                _ => continue,
            };
            let path = paths::artifact(compile, artifact, report.settings);
            pages.push(Page::rendered(path, move |worker, out| {
                write(report, (compile, artifact), text, (worker, out))
            }));
        }
    }
    pages
}

/// The source of the list of guards.
#[derive(Clone, Copy)]
enum Text<'m> {
    /// A payload of the log, and the place of the artifact in the model.
    Payload(PayloadRef, ArtifactIndex),
    /// Text made by a parser.
    Made(&'m str),
}

/// A guard with the stacks that caused it.
struct Guard {
    code: String,
    user_stack: Option<Stack>,
    stack: Option<Stack>,
}

#[derive(Serialize)]
struct Intro {
    pill: Html,
    function: Html,
    about: String,
    sources: Vec<Source>,
    more: Option<String>,
    plain: Option<String>,
}

#[derive(Serialize)]
struct Source {
    name: String,
    count: String,
}

/// Sources that are counted above the table.
const MOST_SOURCES: usize = 24;

fn write(
    report: Report<'_>,
    (compile, artifact): (&Compile, &Artifact),
    text: Text<'_>,
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    let mut shell = Shell::of_compile(report, compile, Some(&artifact.name));
    let page = links::compile(report, compile);
    shell.tabs = vec![Tab::away(format!("../{page}#files"), "All files of this compile", None)];
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 1);
        let guards = read(report, text)?;
        let groups = by_source(guards.as_deref().unwrap_or_default());
        let about = match &guards {
            None => "Not the list that torch writes here, so only its text is available".to_owned(),
            Some(guards) => {
                let sources = counted(groups.len(), "source", "sources");
                format!("{} on {sources}, checked on every call", counted(guards.len(), "guard", "guards"))
            }
        };
        let plain = match text {
            Text::Payload(at, _) => Some(view.href(&paths::payload(at.md5))),
            Text::Made(_) => None,
        };
        let named = groups.iter().take(MOST_SOURCES);
        let intro = Intro {
            pill: view.pill(compile),
            function: view.named(compile),
            about,
            sources: named.map(|(s, g)| Source { name: (*s).to_owned(), count: whole(g.len()) }).collect(),
            more: groups.len().checked_sub(MOST_SOURCES).filter(|more| *more > 0).map(whole),
            plain,
        };
        write_line(out, &view.render("guards_head", &intro)?)?;
        if groups.is_empty() {
            return Ok(());
        }
        write_line(out, &Element::new("div").class("page-body").open())?;
        html::table(Surface::Whole(view), out, &listing(&groups))?;
        Ok(close(out, "div")?)
    })
}

/// A guard with the local or global that it checks.
struct Checked<'g> {
    source: &'g str,
    guard: &'g Guard,
}

fn listing<'g>(groups: &IndexMap<&'g str, Vec<&'g Guard>>) -> Listing<'g> {
    let guards = groups.iter().flat_map(|(source, of)| of.iter().map(|guard| Checked { source, guard }));
    let stack = |stack: &'g Option<Stack>| {
        Cell::maybe(stack.as_ref(), |frames| Cell::Stack { frames, shown: StackShown::Whole(None) })
    };
    Rows::of(guards.collect::<Vec<_>>())
        .text("Source", |one| log(one.source))
        .mono()
        .text("Guard", |one| Cell::Code(one.guard.code.as_str().into()).class("sentence"))
        .text("User stack", move |one| stack(&one.guard.user_stack))
        .text("Framework stack", move |one| stack(&one.guard.stack))
        .listing("guards", "Guards", "")
}

/// Guards by the local or global that they check, in the order of the log.
fn by_source(guards: &[Guard]) -> IndexMap<&str, Vec<&Guard>> {
    let mut groups: IndexMap<&str, Vec<&Guard>> = IndexMap::new();
    for guard in guards {
        groups.entry(source(&guard.code)).or_default().push(guard);
    }
    groups
}

/// `L['x']` of `hasattr(L['x'], '_dynamo_dynamic_indices') == False`.
fn source(code: &str) -> &str {
    let found =
        ["L['", "G['", "L[\"", "G[\""].iter().filter_map(|begin| Some((code.find(begin)?, *begin))).min();
    let Some((start, begin)) = found else { return "no variable" };
    let end = if begin.ends_with('"') { "\"]" } else { "']" };
    let rest = code.get(start + begin.len()..).unwrap_or_default();
    let length = rest.find(end).map_or(rest.len(), |at| at + end.len());
    code.get(start..start + begin.len() + length).unwrap_or(code)
}

/// The guards; None if the text is not a list of guards, or too large.
fn read(report: Report<'_>, text: Text<'_>) -> anyhow::Result<Option<Vec<Guard>>> {
    let (text, pid) = match text {
        Text::Payload(at, _) if at.text_len > LARGEST_FILE => return Ok(None),
        Text::Payload(at, place) => (report.payload(&at)?, pid(report, place)),
        Text::Made(text) => (text.to_owned(), report.model.log.pids.first().copied()),
    };
    let Ok(list) = serde_json::from_str::<Vec<Fields<'_>>>(&text) else { return Ok(None) };
    // Most guards of a compile share their frames' names.
    let mut names = TextMap::default();
    let mut frames =
        |fields: &Fields<'_>, key: &str| stack(report, pid.unwrap_or(0), fields.raw(key)?, &mut names);
    let guards = list.iter().map(|fields| Guard {
        code: fields.text("code").unwrap_or_else(|| UNKNOWN.to_owned()),
        user_stack: frames(fields, "user_stack"),
        stack: frames(fields, "stack"),
    });
    Ok(Some(guards.collect()))
}

fn stack(
    report: Report<'_>,
    pid: u64,
    frames: &RawValue,
    names: &mut TextMap<String, std::sync::Arc<str>>,
) -> Option<Stack> {
    let list: Vec<Fields<'_>> = serde_json::from_str(frames.get()).ok()?;
    let mut shared = |text: String| names.entry(text).or_insert_with_key(|text| text.as_str().into()).clone();
    let frames = list.iter().skip(list.len().saturating_sub(DEEPEST_STACK)).map(|frame| Frame {
        file: frame.get("filename").map_or(FileRef::NONE, |id| report.model.strings.find(pid, id)),
        line: frame.count("line"),
        name: shared(frame.text("name").unwrap_or_else(|| "?".to_owned())),
        loc: frame.text("loc").map(&mut shared),
    });
    let frames: Vec<Frame> = frames.collect();
    (!frames.is_empty()).then(|| frames.into())
}

/// The process that wrote an artifact, which determines its string table.
fn pid(report: Report<'_>, artifact: ArtifactIndex) -> Option<u64> {
    if let [only] = report.model.log.pids.as_slice() {
        return Some(*only);
    }
    let artifact = report.model.compiles.get(artifact.compile)?.artifacts.get(artifact.place())?;
    let Content::Payload(at, _) = &artifact.content else { return None };
    let behind = report.model.raw.partition_point(|record| record.header.offset <= at.span.offset);
    let record = report.model.raw.get(behind.checked_sub(1)?)?;
    let mut header = Vec::new();
    report.source.read_span(record.header, &mut header).ok()?;
    let cleaned = clean_header(&header);
    Prefix::parse(&cleaned.text).map(|(prefix, _)| prefix.pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_belongs_to_the_variable_it_looks_at() {
        assert_eq!(source("hasattr(L['x'], '_dynamo_dynamic_indices') == False"), "L['x']");
        assert_eq!(source("___check_obj_id(G['torch'].sin, 7)"), "G['torch']");
        assert_eq!(source("G['a'] is L['b']"), "G['a']");
        assert_eq!(source("utils_device.CURRENT_DEVICE == None"), "no variable");
        assert_eq!(source("L['open"), "L['open");
    }
}
