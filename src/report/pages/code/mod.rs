//! Pages of code, with an anchor per line: Inductor's output, AOTInductor's C++, and generated modules.

mod dump_files;
mod index;
mod kernel_stacks;
pub(crate) mod listing;

use crate::limits::{LARGEST_TEXT, SHORT_LIST};
use crate::model::{Artifact, Compile, Content, Form, Language, Readable};
use crate::output::{Page, RelPath};
use crate::report::kit::collect_kernels::kernels_of_log;
use crate::report::kit::formats::{bytes, counted, micros, whole};
use crate::report::kit::highlight::fits_by_lines;
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs;
use crate::report::kit::links;
use crate::report::kit::markup::{Element, close, note_below, write_line};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use crate::report::words::files::short_name;
use crate::trace::{PayloadRef, TextMap};
use index::CodeIndex;
use serde::Serialize;
use std::io::{self, Write};

/// The source of a page's text.
#[derive(Clone, Copy)]
enum Text<'m> {
    /// The log.
    Payload(PayloadRef),
    /// A parser.
    Made(&'m str),
}

impl Text<'_> {
    /// Its size in bytes.
    fn len(&self) -> u64 {
        match self {
            Text::Payload(at) => at.text_len,
            Text::Made(text) => text.len() as u64,
        }
    }

    fn read(&self, report: Report<'_>) -> anyhow::Result<String> {
        match self {
            Text::Payload(at) => report.payload(at),
            Text::Made(text) => Ok((*text).to_owned()),
        }
    }

    /// The text, if the page shows it line by line.
    fn by_lines(&self, report: Report<'_>) -> anyhow::Result<Option<String>> {
        if self.len() > LARGEST_TEXT {
            return Ok(None);
        }
        Ok(Some(self.read(report)?).filter(|text| fits_by_lines(text)))
    }

    /// Streams the escaped text while the page has room. Returns the number of bytes left out.
    fn write_escaped(&self, view: View<'_>, out: &mut dyn Write) -> io::Result<usize> {
        let mut escaping = Escaping { out, has_room: &|| view.worker.has_room(), left_out: 0 };
        match self {
            Text::Payload(at) => view.report.source.copy_payload(at, &mut escaping)?,
            Text::Made(text) => escaping.write_all(text.as_bytes())?,
        }
        Ok(escaping.left_out)
    }
}

/// An artifact that is code.
struct Code<'m> {
    compile: &'m Compile,
    artifact: &'m Artifact,
    text: Text<'m>,
    language: Language,
}

fn page<'m>(report: Report<'m>, path: RelPath, code: Code<'m>) -> Page<'m, Worker> {
    Page::rendered(path, move |worker, out| {
        let mut shell = Shell::of_compile(report, code.compile, Some(&short_name(&code.artifact.name)));
        shell.viewer = true;
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 1);
            let Some(text) = code.text.by_lines(report)? else {
                write_line(out, &head(view, &code, None)?)?;
                return write_plain(view, &code.text, plain_file(view, &code), out);
            };
            let index = CodeIndex::of(&text);
            write_line(out, &head(view, &code, Some(&index))?)?;
            write_line(out, &Element::new("div").class("with-side").open())?;
            write_line(out, &side(view, &code, &index)?)?;
            write_code(worker, out, (code.language, &text), index.begins_at())?;
            Ok(close(out, "div")?)
        })
    })
}

/// Writes highlighted lines in their frame, which contains no other text.
fn write_code(
    worker: &mut Worker,
    out: &mut dyn Write,
    (language, text): (Language, &str),
    begins_at: Option<usize>,
) -> anyhow::Result<()> {
    let frame = Element::new("div").class("code").region("Code");
    // A script folds the lines before it.
    let frame = match begins_at {
        Some(line) => frame.attribute("data-begins", &line.to_string()),
        None => frame,
    };
    write_line(out, &frame.open())?;
    write_line(out, &Element::new("ol").class("lines").open())?;
    worker.highlighter()?.write_lines(language, text, out)?;
    close(out, "ol")?;
    Ok(close(out, "div")?)
}

/// Writes code verbatim, without numbers and colors. `whole` is the complete file.
fn write_plain(
    view: View<'_>,
    text: &Text<'_>,
    whole: Option<String>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    write_line(out, &Element::new("pre").class("code page-body").region("Code").open())?;
    let left_out = text.write_escaped(view, out)?;
    close(out, "pre")?;
    if left_out > 0 {
        let rest = format!("{} more would make the page too large; ", bytes(left_out as f64));
        let file = whole.map_or_else(|| "raw.log".into(), |href| view.link(&href, "the plain text"));
        note_below(out, Html::joined([rest.into(), file, " has all.".into()], ""))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Head {
    title: &'static str,
    pill: Html,
    function: Html,
    place: Html,
    about: String,
    call: Option<usize>,
    plain: Option<String>,
    damaged: bool,
}

/// Heading and one sentence. If there is no index, the code is too large to be highlighted.
fn head(view: View<'_>, code: &Code<'_>, index: Option<&CodeIndex<'_>>) -> anyhow::Result<Html> {
    let about = match index {
        Some(index) => {
            let kernels = counted(index.kernels.len(), "kernel", "kernels");
            let lines = counted(index.lines, "line", "lines");
            if index.kernels.is_empty() { lines } else { format!("{lines}, {kernels}") }
        }
        None => format!("{}, too large to be highlighted", bytes(code.text.len() as f64)),
    };
    let side = index.and_then(|i| i.aot_id.as_deref()).and_then(direction);
    let title = match (code.artifact.name.starts_with("inductor_output_code"), side) {
        (true, Some("forward")) => "Output code of the forward of",
        (true, Some("backward")) => "Output code of the backward of",
        (true, _) => "Output code of",
        (false, _) if &*code.artifact.name == "exported_program" => "Exported program of",
        (false, _) => "Generated code of",
    };
    let at = view.place_of(code.compile);
    let place = |name: &str| index?.places.iter().find(|(place, _)| *place == name).map(|(_, line)| *line);
    let intact = !matches!(code.text, Text::Payload(at) if !at.intact);
    view.render(
        "code_head",
        &Head {
            title,
            pill: view.pill_beside(code.compile),
            function: view.named(code.compile),
            place: at.unwrap_or_default(),
            about,
            call: place("call").or_else(|| place("run")),
            plain: plain_file(view, code),
            damaged: !intact,
        },
    )
}

/// `backward` of `['0_backward']`.
fn direction(aot_id: &str) -> Option<&'static str> {
    ["forward", "backward", "inference"].into_iter().find(|side| aot_id.contains(side))
}

/// The file with the verbatim text.
fn plain_file(view: View<'_>, code: &Code<'_>) -> Option<String> {
    match (&code.artifact.content, code.text) {
        (Content::Payload(_, Form::Code(_)), Text::Payload(at)) => Some(view.href(&paths::payload(at.md5))),
        (Content::Payload(..), _) => {
            Some(view.href(&paths::artifact(code.compile, code.artifact, view.report.settings)))
        }
        _ => None,
    }
}

#[derive(Serialize)]
struct Side {
    groups: Vec<Group>,
}

#[derive(Serialize)]
struct Group {
    title: &'static str,
    count: Option<usize>,
    items: Vec<Item>,
    /// Number of unlisted items.
    more: Option<String>,
}

#[derive(Serialize)]
struct Item {
    href: String,
    text: String,
    /// The full name, if the text is shortened or may be cut off.
    full: Option<String>,
    note: String,
}

/// Characters of a name that always fit.
const SEEN: usize = 20;

impl Item {
    fn new(href: String, (text, full): (&str, &str), note: String) -> Item {
        let hidden = text != full || text.chars().count() > SEEN;
        Item { href, text: text.to_owned(), full: hidden.then(|| full.to_owned()), note }
    }
}

/// Bytes of the names in one group of an index.
const MOST_NAMED: usize = 500_000;

impl Group {
    /// A group; items that are too long for an index are counted, not listed.
    fn new(title: &'static str, mut items: Vec<Item>) -> Group {
        let count = (items.len() > 1).then_some(items.len());
        let mut room = MOST_NAMED;
        let mut fits = |item: &Item| {
            let named = item.href.len() + item.text.len() + item.full.as_ref().map_or(0, String::len);
            room.checked_sub(named).inspect(|left| room = *left).is_some()
        };
        let shown = items.iter().take_while(|item| fits(item)).count();
        let more = items.len() - shown;
        items.truncate(shown);
        Group { title, count, items, more: (more > 0).then(|| whole(more)) }
    }
}

fn side(view: View<'_>, code: &Code<'_>, index: &CodeIndex<'_>) -> anyhow::Result<Html> {
    let times = times_of(view.report, code)?;
    let measured = |name: &str| times.get(name).map(|us| micros(*us));
    let kernels = index.kernels.iter().map(|kernel| {
        let (name, body) = (kernel.kernel, kernel.body);
        let lines = || counted(body.lines() as usize, "line", "lines");
        let note = measured(name).unwrap_or_else(lines);
        Item::new(format!("#L{}", body.first), (without_kind(name), name), note)
    });
    let calls = index.calls.iter().map(|(name, (count, line))| {
        let text = name.rsplit("torch.ops.").next().unwrap_or(name);
        let note = measured(name).unwrap_or_else(|| counted(*count, "call", "calls"));
        Item::new(format!("#L{line}"), (text, name), note)
    });
    let places = index
        .places
        .iter()
        .map(|(name, line)| Item::new(format!("#L{line}"), (name, name), format!("line\u{a0}{line}")));
    let mut groups = vec![
        Group::new("Kernels", kernels.collect()),
        Group::new("Library calls", calls.collect()),
        source_lines(view, code)?,
        Group { count: None, ..Group::new("Places", places.collect()) },
        Group { count: None, ..Group::new("Same compile", neighbors(view, code)) },
    ];
    groups.retain(|group| !group.items.is_empty());
    view.render("code_side", &Side { groups })
}

/// Microseconds that a trace measured of each kernel of the run that this code belongs to.
fn times_of<'m>(report: Report<'m>, code: &Code<'_>) -> anyhow::Result<TextMap<&'m str, f64>> {
    let mut times = TextMap::default();
    if report.found.performance.is_none() {
        return Ok(times);
    }
    let is_this = |run: &inductor_runs::Run<'_>| {
        let mut files = run.run.code.iter().filter_map(|file| run.compile.artifacts.get(file.artifact));
        files.any(|artifact| std::ptr::eq(artifact, code.artifact))
    };
    let run = inductor_runs::all(report).iter().position(is_this);
    for kernel in kernels_of_log(report)?.kernels.iter().filter(|kernel| Some(kernel.run) == run) {
        if kernel.measured.count > 0 {
            let name = kernel.name.strip_prefix("extern_kernels.").unwrap_or(&kernel.name);
            times.insert(name, kernel.measured.sum_us);
        }
    }
    Ok(times)
}

/// Listed lines of the program; the page of kernels has all.
const MOST_SOURCE_LINES: usize = 24;

/// The source lines of this file's calls, each with its first call.
fn source_lines(view: View<'_>, code: &Code<'_>) -> anyhow::Result<Group> {
    let lines = inductor_runs::called_for(view.report, code.compile, code.artifact)?;
    let count = lines.len();
    let mut items: Vec<Item> = Vec::new();
    for line in lines.into_iter().take(MOST_SOURCE_LINES) {
        let full = format!("{}:{}", line.file, line.line);
        let file = line.file.rsplit(['/', '\\']).next().unwrap_or(&line.file);
        let text = format!("{file}:{}", line.line);
        let calls = counted(line.calls, "call", "calls");
        items.push(Item::new(format!("#L{}", line.first), (&text, &full), calls));
    }
    // The page of kernels exists if an Inductor run has code.
    let has_kernels =
        || inductor_runs::runs_of(view.report, code.compile).iter().any(|run| !run.run.code.is_empty());
    if count > 0 && has_kernels() {
        let page = format!("{}#lines", view.href_of(links::KERNELS));
        let rest = count.saturating_sub(MOST_SOURCE_LINES);
        let note = if rest > 0 { format!("{} more", whole(rest)) } else { String::new() };
        items.push(Item::new(page, ("all kernels by line", "all kernels by line"), note));
    }
    Ok(Group { count: (count > 1).then_some(count), ..Group::new("Source lines", items) })
}

fn neighbors(view: View<'_>, code: &Code<'_>) -> Vec<Item> {
    let shown = |artifact: &&Artifact| {
        let name = &*artifact.name;
        artifact.attempt == code.artifact.attempt
            && artifact.number != code.artifact.number
            && (name.starts_with("aot_") && name.ends_with("_graph")
                || name.starts_with("inductor_output_code")
                || name == "inductor_post_grad_graph"
                || matches!(artifact.readable, Some(Readable::Code(_))))
    };
    let files = code.compile.artifacts.iter().filter(shown).take(SHORT_LIST);
    let files = files.map(|artifact| {
        let path = paths::best(code.compile, artifact, view.report.settings);
        let names = (&*short_name(&artifact.name), &*artifact.name);
        Item::new(view.href(&path), names, artifact.number.to_string())
    });
    files.collect()
}

/// The kernel's name without the words that all kernels share.
fn without_kind(name: &str) -> &str {
    let rest = name.split_once("_fused_").filter(|(kind, _)| kind.len() <= "triton_poi".len());
    rest.map_or(name, |(_, rest)| rest)
}

/// Bytes written between checks of the page's room.
const PIECE: usize = 64 << 10;

/// Escapes what is written to it while the page has room.
struct Escaping<'w> {
    out: &'w mut dyn Write,
    has_room: &'w dyn Fn() -> bool,
    /// Bytes left out.
    left_out: usize,
}

impl Escaping<'_> {
    fn write_escaped(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|b| matches!(b, b'<' | b'>' | b'&')) {
            let Some((plain, [special, after @ ..])) = rest.split_at_checked(at) else { break };
            self.out.write_all(plain)?;
            self.out.write_all(match special {
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                _ => b"&amp;",
            })?;
            rest = after;
        }
        self.out.write_all(rest)
    }
}

impl Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.chunks(PIECE) {
            let mut rest = piece;
            if self.left_out > 0 || !(self.has_room)() {
                // Never cut within a character.
                let is_inner = |byte: &&u8| **byte & 0xC0 == 0x80;
                let inner = match self.left_out {
                    0 => piece.iter().take_while(is_inner).count(),
                    _ => 0,
                };
                (rest, self.left_out) =
                    (piece.get(..inner).unwrap_or_default(), self.left_out + piece.len() - inner);
            }
            self.write_escaped(rest)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_text_is_escaped_as_it_passes() {
        let mut out = Vec::new();
        let mut escaping = Escaping { out: &mut out, has_room: &|| true, left_out: 0 };
        escaping.write_all(b"a<b>&<\xff").unwrap();
        assert_eq!(escaping.left_out, 0);
        assert_eq!(out, b"a&lt;b&gt;&amp;&lt;\xff");
    }

    #[test]
    fn a_text_without_room_ends_behind_a_character() {
        let mut out = Vec::new();
        let rooms = std::cell::Cell::new(1);
        let has_room = || rooms.replace(rooms.get() - 1) > 0;
        let mut escaping = Escaping { out: &mut out, has_room: &has_room, left_out: 0 };
        let text = format!("{}\u{e9}{}", "x".repeat(PIECE - 1), "y".repeat(100));
        escaping.write_all(text.as_bytes()).unwrap();
        escaping.write_all(b"zz").unwrap();
        assert_eq!(escaping.left_out, 102);
        assert_eq!(String::from_utf8(out).unwrap(), text.trim_end_matches('y'));
    }

    #[test]
    fn kernels_lose_the_words_that_all_share() {
        assert_eq!(without_kind("cpp_fused_add_0"), "add_0");
        assert_eq!(without_kind("triton_poi_fused_relu_1"), "relu_1");
        assert_eq!(without_kind("cpp_CppMicroGemm_fused_x"), "cpp_CppMicroGemm_fused_x");
        assert_eq!(without_kind("gemm"), "gemm");
    }
}
