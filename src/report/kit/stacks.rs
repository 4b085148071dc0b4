//! Stacks, folded to the innermost frame of the reader's own code.

use crate::model::{Frame, Stack, TextFrame};
use crate::report::kit::formats::{clipped, counted, is_library, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, anchored_fold, push_close, push_open, span};
use crate::report::kit::view::View;
use crate::trace::TextSet;

/// Characters to which the columns of a stack are padded; a longer name pushes its own line only.
const WIDEST_PLACE: usize = 40;
const WIDEST_NAME: usize = 30;

/// The frames of a traceback that are shown: Python gives up at a thousand calls within each other, and an error may have a
/// cause with a traceback of its own.
const MOST_FRAMES: usize = 2_000;

/// The innermost frames of a stack that has no room for all.
const INNERMOST: usize = 12;

/// Characters of a source line in the summary of a folded stack.
const LONGEST_LOC: usize = 80;

#[derive(Default)]
struct FrameOf<'s> {
    class: Option<&'static str>,
    /// The whole path, where what is shown does not tell which file it is.
    full: Option<&'s str>,
    href: Option<String>,
    place: String,
    pad: String,
    text: String,
}

impl View<'_> {
    /// A stack, outermost frame first, folded to the innermost frame of the reader's own code. Frames of libraries
    /// are dimmed; frames of generated modules lead to their source.
    pub fn stack(&self, stack: &Stack) -> anyhow::Result<Html> {
        self.stack_from(stack, 0, None)
    }

    /// The same with an anchor, to which other places of the page lead.
    pub fn anchored_stack(&self, stack: &Stack, id: Option<String>) -> anyhow::Result<Html> {
        self.stack_from(stack, 0, id)
    }

    /// The same of its innermost frames only: for tables with more frames than a page can hold.
    pub fn inner_stack(&self, stack: &Stack, id: Option<String>) -> anyhow::Result<Html> {
        self.stack_from(stack, stack.len().saturating_sub(INNERMOST), id)
    }

    /// All frames of a stack, not folded.
    pub fn frames_of(&self, stack: &Stack) -> anyhow::Result<Html> {
        Ok(lines_of(&self.frames(stack, self.innermost_own(stack))))
    }

    /// The frame by which a stack is known, as a link to where all of it stands.
    pub fn stack_again(&self, stack: &Stack, href: &str) -> Html {
        let own = self.innermost_own(stack);
        let shown = own.or_else(|| stack.len().checked_sub(1)).and_then(|index| stack.get(index));
        let Some(shown) = shown else { return Html::escaped(crate::report::kit::formats::UNKNOWN) };
        let place = Html::escaped(&place(self.file(shown), shown.line));
        let place = span("soft nowrap", &place);
        Html::joined([self.link(href, &shown.name), place], " ")
    }

    fn stack_from(&self, stack: &Stack, from: usize, id: Option<String>) -> anyhow::Result<Html> {
        let own = self.innermost_own(stack);
        let Some(shown) = own.or_else(|| stack.len().checked_sub(1)).and_then(|index| stack.get(index))
        else {
            return Ok(Html::escaped(crate::report::kit::formats::UNKNOWN));
        };
        let inner = stack.get(from..).unwrap_or_default();
        let mut frames = self.frames(inner, own.and_then(|own| own.checked_sub(from)));
        if from > 0 {
            let above = FrameOf {
                text: format!("{} above, all in raw.jsonl", counted(from, "frame", "frames")),
                ..FrameOf::default()
            };
            frames.insert(0, FrameOf { class: Some("soft"), ..above });
        }
        let lines = lines_of(&frames);
        if stack.len() < 2 {
            return Ok(lines);
        }
        let loc = clipped(shown.loc.as_deref().unwrap_or_default(), LONGEST_LOC).0;
        let place = span("soft nowrap", place(self.file(shown), shown.line));
        let loc = (!loc.is_empty()).then(|| self.code(loc));
        let frames = span("soft nowrap", format!("{} frames", stack.len()));
        let summary = [Some(self.code(&shown.name)), Some(place), loc, Some(frames)];
        Ok(anchored_fold(id.as_deref(), Html::joined(summary.into_iter().flatten(), " "), &lines))
    }

    /// Frames read from a traceback's text, outermost first; `hit` is marked, libraries' are dimmed.
    pub fn traceback(&self, frames: &[TextFrame], hit: Option<usize>) -> anyhow::Result<Html> {
        let left_out = frames.len().saturating_sub(MOST_FRAMES);
        // What matters most stands at one end.
        let from = if hit.is_some_and(|hit| hit < frames.len() / 2) { 0 } else { left_out };
        let (hit, frames) =
            (hit.and_then(|hit| hit.checked_sub(from)), frames.get(from..).unwrap_or_default());
        let shown = self.whole_traceback(frames.get(..MOST_FRAMES).unwrap_or(frames), hit);
        if left_out == 0 {
            return Ok(shown);
        }
        let words =
            format!("{} further frames would make the page too large; raw.log has all.", whole(left_out));
        let note = Element::new("p").class("soft").around(words);
        Ok(Html::joined([note, shown], ""))
    }

    fn whole_traceback(&self, frames: &[TextFrame], hit: Option<usize>) -> Html {
        let places: Vec<String> = frames.iter().map(|frame| place(&frame.file, Some(frame.line))).collect();
        let width =
            |texts: &mut dyn Iterator<Item = usize>, most| texts.filter(|w| *w <= most).max().unwrap_or(0);
        let place_width = width(&mut places.iter().map(|p| p.chars().count()), WIDEST_PLACE);
        let name_width = width(&mut frames.iter().map(|frame| frame.function.chars().count()), WIDEST_NAME);
        let mut named = TextSet::default();
        let shown = frames.iter().zip(places).enumerate().map(|(index, (frame, place))| {
            let TextFrame { file, line, function: name, loc: code } = frame;
            let class = if hit == Some(index) { Some("hit") } else { is_library(file).then_some("soft") };
            FrameOf {
                class,
                full: full_path(file).filter(|file| named.insert(*file)),
                href: self.source_href(file, Some(*line)),
                pad: " ".repeat(place_width.saturating_sub(place.chars().count())),
                text: match code {
                    Some(code) => format!("{name:name_width$}  {code}"),
                    None => name.clone(),
                },
                place,
            }
        });
        let mut frames: Vec<FrameOf<'_>> = shown.collect();
        once_a_file(&mut frames);
        lines_of(&frames)
    }

    /// The file of a frame; empty when the log does not say.
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

    fn frames<'s>(&'s self, stack: &'s [Frame], own: Option<usize>) -> Vec<FrameOf<'s>> {
        let places: Vec<String> = stack.iter().map(|f| place(self.file(f), f.line)).collect();
        let widest =
            |texts: &mut dyn Iterator<Item = usize>, most| texts.filter(|w| *w <= most).max().unwrap_or(0);
        let place_width = widest(&mut places.iter().map(|p| p.chars().count()), WIDEST_PLACE);
        let name_width = widest(&mut stack.iter().map(|f| f.name.chars().count()), WIDEST_NAME);
        let mut named = TextSet::default();
        let frames = stack.iter().zip(places).enumerate().map(|(index, (frame, place))| {
            let file = self.file(frame);
            let pad = " ".repeat(place_width.saturating_sub(place.chars().count()));
            let text = match &frame.loc {
                Some(loc) => format!("{:name_width$}  {loc}", frame.name),
                None => frame.name.to_string(),
            };
            let class = match own {
                Some(own) if own == index => Some("hit"),
                _ => is_library(file).then_some("soft"),
            };
            let full = full_path(file).filter(|file| named.insert(*file));
            FrameOf { class, full, href: self.source_href(file, frame.line), place, pad, text }
        });
        let mut frames: Vec<FrameOf<'s>> = frames.collect();
        once_a_file(&mut frames);
        frames
    }
}

/// Frames, a line each. Written piece by piece: a report has a hundred thousand.
fn lines_of(frames: &[FrameOf<'_>]) -> Html {
    let mut html = String::new();
    push_open(&mut html, "pre", &[("class", Some("source")), ("tabindex", Some("0"))]);
    for frame in frames {
        push_open(&mut html, "span", &[("class", frame.class)]);
        push_open(&mut html, "span", &[("class", Some("place")), ("title", frame.full)]);
        let href = frame.href.as_deref().filter(|href| !href.is_empty());
        if href.is_some() {
            push_open(&mut html, "a", &[("href", href)]);
        }
        Html::push_escaped(&frame.place, &mut html);
        if href.is_some() {
            push_close(&mut html, "a");
        }
        html.push_str(&frame.pad);
        push_close(&mut html, "span");
        Html::push_escaped(&frame.text, &mut html);
        push_close(&mut html, "span");
    }
    push_close(&mut html, "pre");
    Html::trusted(html)
}

/// Keeps the whole path only for the first frame of each file.
fn once_a_file(frames: &mut [FrameOf<'_>]) {
    let mut seen = TextSet::default();
    for frame in frames {
        frame.full = frame.full.filter(|path| seen.insert(*path));
    }
}

/// The path of a file on hover, at its first frame: that of a library is told by its place in the package.
pub(crate) fn full_path(file: &str) -> Option<&str> {
    (!is_library(file) && short_path(file) != file).then_some(file)
}

fn place(file: &str, line: Option<u64>) -> String {
    let file = if file.is_empty() { "unknown file".into() } else { short_path(file) };
    line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}"))
}
