//! Stacks, folded to the innermost frame of the reader's own code.

use crate::limits::{LONG_TABLE, QUOTE, SHORT_LIST};
use crate::model::{Frame, Stack, TextFrame};
use crate::report::kit::formats::{clipped, counted, is_library, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, anchored_fold, more, push_close, push_element, push_open, span};
use crate::report::kit::view::View;
use crate::trace::TextSet;

/// Width of the padded columns of a stack, in characters; longer names shift only their own line.
const WIDEST_PLACE: usize = 40;
const WIDEST_NAME: usize = 30;

/// A frame of a stack or of a traceback.
#[derive(Clone, Copy)]
struct FrameText<'s> {
    file: &'s str,
    line: Option<u64>,
    name: &'s str,
    code: Option<&'s str>,
}

impl<'s> FrameText<'s> {
    fn of(frame: &'s TextFrame) -> FrameText<'s> {
        FrameText {
            file: &frame.file,
            line: Some(frame.line),
            name: &frame.function,
            code: frame.loc.as_deref(),
        }
    }
}

/// Characters of the padded columns of frames.
#[derive(Clone, Copy)]
struct Widths {
    place: usize,
    name: usize,
}

impl Widths {
    fn of<'s>(frames: impl Iterator<Item = FrameText<'s>>) -> Widths {
        frames.fold(Widths { place: 0, name: 0 }, |widths, frame| Widths {
            place: wider(widths.place, &place(frame.file, frame.line), WIDEST_PLACE),
            name: wider(widths.name, frame.name, WIDEST_NAME),
        })
    }
}

/// The larger of a width and the length of a text, unless the text is too long.
fn wider(width: usize, text: &str, most: usize) -> usize {
    let length = text.chars().count();
    if length <= most { width.max(length) } else { width }
}

impl View<'_> {
    /// A stack, outermost frame first, folded to the innermost frame of the reader's own code. Library frames are
    /// dimmed; frames of generated modules link to their source.
    pub fn stack(&self, stack: &Stack) -> Html {
        self.stack_from(stack, 0, None)
    }

    /// The same with an anchor.
    pub fn anchored_stack(&self, stack: &Stack, id: Option<&str>) -> Html {
        self.stack_from(stack, 0, id)
    }

    /// The same with only the innermost frames, for tables with too many frames.
    pub fn inner_stack(&self, stack: &Stack, id: Option<&str>) -> Html {
        self.stack_from(stack, stack.len().saturating_sub(SHORT_LIST), id)
    }

    /// The identifying frame of a stack, linked to the whole stack.
    pub fn stack_again(&self, stack: &Stack, href: &str) -> Html {
        let own = self.innermost_own(stack);
        let shown = own.or_else(|| stack.len().checked_sub(1)).and_then(|index| stack.get(index));
        let Some(shown) = shown else { return Html::escaped(crate::report::kit::formats::UNKNOWN) };
        let place = Html::escaped(&place(self.file(shown), shown.line));
        let place = span("soft nowrap", &place);
        Html::joined([self.link(href, &shown.name), place], " ")
    }

    fn stack_from(&self, stack: &Stack, from: usize, id: Option<&str>) -> Html {
        let own = self.innermost_own(stack);
        let Some(shown) = own.or_else(|| stack.len().checked_sub(1)).and_then(|index| stack.get(index))
        else {
            return Html::escaped(crate::report::kit::formats::UNKNOWN);
        };
        let inner = stack.get(from..).unwrap_or_default();
        let mut html = String::new();
        open_lines(&mut html);
        if from > 0 {
            let above = format!("{} above, all in raw.jsonl", counted(from, "frame", "frames"));
            html.push_str(span("soft", Html::joined([span("place", ""), above.into()], "")).as_str());
        }
        let frames = self.frames(inner);
        let widths = Widths::of(frames.iter().copied());
        self.push_frames(&mut html, &frames, own.and_then(|own| own.checked_sub(from)), widths);
        push_close(&mut html, "pre");
        let lines = Html::trusted(html);
        if stack.len() < 2 {
            return lines;
        }
        let loc = clipped(shown.loc.as_deref().unwrap_or_default(), QUOTE).0;
        let place = span("soft nowrap", place(self.file(shown), shown.line));
        let loc = (!loc.is_empty()).then(|| self.code(loc));
        let frames = span("soft nowrap", format!("{} frames", stack.len()));
        let summary = [Some(self.code(&shown.name)), Some(place), loc, Some(frames)];
        anchored_fold(id, Html::joined(summary.into_iter().flatten(), " "), &lines)
    }

    /// Frames from the text of a traceback, outermost first; `hit` is marked, library frames are dimmed.
    pub fn traceback(&self, frames: &[TextFrame], hit: Option<usize>) -> Html {
        let left_out = frames.len().saturating_sub(LONG_TABLE);
        // The most important frame is at one end.
        let from = if hit.is_some_and(|hit| hit < frames.len() / 2) { 0 } else { left_out };
        let (hit, frames) =
            (hit.and_then(|hit| hit.checked_sub(from)), frames.get(from..).unwrap_or_default());
        let shown = self.whole_traceback(frames.get(..LONG_TABLE).unwrap_or(frames), hit);
        if left_out == 0 {
            return shown;
        }
        let words =
            format!("{} further frames would make the page too large; raw.log has all.", whole(left_out));
        let note = Element::new("p").class("soft").around(words);
        Html::joined([note, shown], "")
    }

    fn whole_traceback(&self, frames: &[TextFrame], hit: Option<usize>) -> Html {
        self.lines_of(frames.iter().map(FrameText::of).collect(), hit)
    }

    /// Frames from a traceback, outermost first: those of the reader's own code in the open, those of libraries folded
    /// between them; `hit` is marked.
    pub fn traceback_in_parts(&self, frames: &[TextFrame], hit: Option<usize>) -> Html {
        let is_own = |frame: &TextFrame| !is_library(&frame.file);
        let all: Vec<FrameText<'_>> = frames.iter().map(FrameText::of).collect();
        let widths = Widths::of(frames.iter().filter(|frame| is_own(frame)).map(FrameText::of));
        let mut html = String::new();
        push_open(&mut html, "div", &[("class", Some("traceback"))]);
        let mut from = 0;
        for same in frames.chunk_by(|one, next| is_own(one) == is_own(next)) {
            let part = all.get(from..from + same.len()).unwrap_or_default();
            let hit = hit.and_then(|hit| hit.checked_sub(from));
            let own = same.first().is_some_and(is_own);
            let widths = if own { widths } else { Widths::of(same.iter().map(FrameText::of)) };
            let mut lines = String::new();
            open_lines(&mut lines);
            self.push_frames(&mut lines, part, hit, widths);
            push_close(&mut lines, "pre");
            let lines = Html::trusted(lines);
            html.push_str(
                match own {
                    true => lines,
                    false => more(folded_frames(part), &lines),
                }
                .as_str(),
            );
            from += same.len();
        }
        push_close(&mut html, "div");
        Html::trusted(html)
    }

    /// The file of a frame; empty if unknown.
    pub fn file(&self, frame: &Frame) -> &str {
        self.report.model.strings.get(frame.file).unwrap_or_default()
    }

    /// Index of the innermost frame of the reader's own code.
    pub fn innermost_own(&self, stack: &[Frame]) -> Option<usize> {
        stack.iter().rposition(|frame| {
            let file = self.file(frame);
            !file.is_empty() && !is_library(file)
        })
    }

    fn frames<'s>(&'s self, stack: &'s [Frame]) -> Vec<FrameText<'s>> {
        let frame = |frame: &'s Frame| FrameText {
            file: self.file(frame),
            line: frame.line,
            name: &frame.name,
            code: frame.loc.as_deref(),
        };
        stack.iter().map(frame).collect()
    }

    /// One line per frame; `hit` is marked and library frames are dimmed.
    fn lines_of(&self, frames: Vec<FrameText<'_>>, hit: Option<usize>) -> Html {
        let mut html = String::new();
        open_lines(&mut html);
        let widths = Widths::of(frames.iter().copied());
        self.push_frames(&mut html, &frames, hit, widths);
        push_close(&mut html, "pre");
        Html::trusted(html)
    }

    fn push_frames(&self, html: &mut String, frames: &[FrameText<'_>], hit: Option<usize>, widths: Widths) {
        let Widths { place: place_width, name: name_width } = widths;
        let mut named = TextSet::default();
        for (index, frame) in frames.iter().enumerate() {
            let place = place(frame.file, frame.line);
            let class =
                if hit == Some(index) { Some("hit") } else { is_library(frame.file).then_some("soft") };
            // The first frame of each file has the full path.
            let full = full_path(frame.file).filter(|file| named.insert(*file));
            push_open(html, "span", &[("class", class)]);
            push_open(html, "span", &[("class", Some("place")), ("title", full)]);
            match self.source_href(frame.file, frame.line).filter(|href| !href.is_empty()) {
                Some(href) => push_element(html, "a", &[("href", Some(&*href))], &place),
                None => Html::push_escaped(&place, html),
            }
            html.push_str(&" ".repeat(place_width.saturating_sub(place.chars().count())));
            push_close(html, "span");
            match frame.code {
                Some(code) => Html::push_escaped(&format!("{:name_width$}  {code}", frame.name), html),
                None => Html::push_escaped(frame.name, html),
            }
            push_close(html, "span");
        }
    }
}

/// `30 frames of torch, from convert_frame.py:2169 to graph_transform_observer.py:103`
fn folded_frames(frames: &[FrameText<'_>]) -> String {
    let of = match frames.iter().all(|frame| short_path(frame.file).starts_with("torch/")) {
        true => "torch",
        false => "libraries",
    };
    let name = |frame: &FrameText<'_>| {
        let place = place(frame.file, frame.line);
        place.rsplit('/').next().unwrap_or(&place).to_owned()
    };
    let range = match (frames.first(), frames.last()) {
        (Some(first), Some(last)) if frames.len() > 1 => format!(", from {} to {}", name(first), name(last)),
        (Some(only), _) => format!(": {}", name(only)),
        _ => String::new(),
    };
    format!("{} of {of}{range}", counted(frames.len(), "frame", "frames"))
}

fn open_lines(html: &mut String) {
    push_open(html, "pre", &[("class", Some("source")), ("tabindex", Some("0"))]);
}

/// The path of a file on hover, at its first frame; a library's short path suffices.
pub(crate) fn full_path(file: &str) -> Option<&str> {
    (!is_library(file) && short_path(file) != file).then_some(file)
}

fn place(file: &str, line: Option<u64>) -> String {
    let file = if file.is_empty() { "unknown file".into() } else { short_path(file) };
    line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}"))
}
