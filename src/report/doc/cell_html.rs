//! Cells as HTML.

use super::cell::{Cell, Fact, LinkedCompile, StackShown};
use crate::facts::safe::address;
use crate::limits::{IN_HEAD, SHORT_LIST};
use crate::report::kit::copy::copy_button;
use crate::report::kit::formats::{UNKNOWN, and_more, percent};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, fold, long_text, small, span, stacked, strong, titled};
use crate::report::kit::pills::Pill;
use crate::report::kit::view::{Render, View};

/// The report that a page belongs to.
#[derive(Clone, Copy)]
pub(crate) enum Surface<'p> {
    /// The report on a log.
    Whole(View<'p>),
    /// A redacted report; its ids of compiles are shown by a function.
    Redacted(Render<'p>, &'p dyn Fn(&str) -> Html),
    /// A page on several logs, of a job or of a comparison. Its cells have the addresses of what they name.
    Several(Render<'p>),
}

impl<'p> Surface<'p> {
    pub(super) fn render(&self) -> &Render<'p> {
        match self {
            Surface::Whole(view) => view,
            Surface::Redacted(render, _) | Surface::Several(render) => render,
        }
    }
}

/// Labels with their values.
pub(crate) fn facts(on: Surface<'_>, facts: &[Fact<'_>]) -> Html {
    on.render().facts(facts.iter().map(|fact| (&fact.label, html(&fact.value, on))))
}

/// A cell outside of a table, too.
pub(crate) fn html(cell: &Cell<'_>, on: Surface<'_>) -> Html {
    let render = on.render();
    match cell {
        Cell::Unknown => UNKNOWN.into(),
        Cell::Blank => Html::default(),
        Cell::Words(words) => (&**words).into(),
        Cell::Log(text) => render.folded(text, false),
        Cell::Code(text) => render.folded(text, true),
        Cell::Prose(text) => render.prose(text),
        Cell::Figure { shown, .. } => shown.as_str().into(),
        Cell::Function(name) => render.function(name),
        Cell::CatalogEntry(number) => render.log_link(number, &address(number)),
        Cell::Compiles(ids) => some_ids(ids.iter().map(|id| &**id), on),
        Cell::Place { file, line } => place(file, *line, on),
        Cell::Parts { times, once_us } => render.bar_with_once(times, *once_us, false),
        Cell::Beside(cells, between) => Html::joined(cells.iter().map(|cell| html(cell, on)), between),
        Cell::Stacked(cells) => stacked(cells.iter().map(|cell| html(cell, on))),
        Cell::Classed(class, cell) | Cell::Spanned(class, cell) => span(class, html(cell, on)),
        Cell::Small(cell) => small(html(cell, on)),
        Cell::Phase { name, shown, anchor } => phase(name, shown, anchor.as_deref()),
        Cell::Share { part, whole, class } => share(*part, *whole, class),
        Cell::LongParts { times, share } => {
            let width = format!("width:{:.1}%", (100.0 * share).clamp(0.0, 100.0));
            Element::new("div").style(&width).around(render.wide_bar(times))
        }
        Cell::Swatch(color) => Element::new("i").class(&format!("swatch {color}")).empty(),
        Cell::At { address, of } => Element::new("a").href(address).around(html(of, on)),
        Cell::ClassedCode(class, text) => Element::new("code").class(class).around(text.as_str()),
        Cell::Fold { summary, facts: values } => fold(html(summary, on), &facts(on, values)),
        Cell::FoldedText { summary, text } => fold(html(summary, on), &long_text(&**text)),
        Cell::File { path, name } => render.link(&render.href(path), name),
        Cell::LogLink { words, url } => render.log_link(words, url),
        Cell::Hints(hints) => stacked(hints.iter().map(|hint| render.advice(hint))),
        Cell::CopyButton => copy_button(""),
        Cell::Marked(cell) => Element::new("mark").around(html(cell, on)),
        Cell::Titled(words, cell) => titled(words, html(cell, on)),
        Cell::Sorted(_, cell) | Cell::Bar { of: cell, .. } => html(cell, on),
        Cell::Strong(cell) => strong(html(cell, on)),
        Cell::Balance(share) => balance(*share),
        Cell::LinkedCompiles(compiles) => linked(compiles),
        Cell::Sentence(sentence) => render.sentence(sentence),
        Cell::Link { href, of } => {
            Element::new("a").href(&render.href_with_anchor(href)).around(html(of, on))
        }
        Cell::Compile { .. }
        | Cell::CompileBeside(_)
        | Cell::SomeCompiles { .. }
        | Cell::FunctionOf(_)
        | Cell::Stack { .. }
        | Cell::Advice(_) => match on {
            Surface::Whole(view) => html_of_log(cell, view),
            // Redacted facts and pages on several logs have none of these.
            Surface::Redacted(..) | Surface::Several(_) => UNKNOWN.into(),
        },
    }
}

/// A phase by the name that scripts know, and the anchor that links lead to.
fn phase(name: &str, shown: &str, anchor: Option<&str>) -> Html {
    let code = Element::new("code").class("phase-code").attribute("data-phase", name).around(shown);
    match anchor {
        Some(id) => Element::new("span").id(id).around(code),
        None => code,
    }
}

/// Cells that refer to the log at hand.
fn html_of_log(cell: &Cell<'_>, view: View<'_>) -> Html {
    match cell {
        Cell::Compile { compile, after } => Html::joined([view.pill(compile), after.as_str().into()], ""),
        Cell::CompileBeside(compile) => view.pill_beside(compile),
        Cell::SomeCompiles { compiles, most, beside_names: true } => view.some_pills_beside(compiles, *most),
        Cell::SomeCompiles { compiles, most, .. } => view.some_pills(compiles, *most),
        Cell::FunctionOf(compile) => view.named(compile),
        Cell::Stack { frames, shown: StackShown::Whole(id) } => view.anchored_stack(frames, id.as_deref()),
        Cell::Stack { frames, shown: StackShown::Inner(id) } => view.inner_stack(frames, id.as_deref()),
        Cell::Stack { frames, shown: StackShown::Again(first) } => view.stack_again(frames, first),
        Cell::Advice(all) => {
            // A card that cannot be rendered says at least what to do.
            let card = |one| view.fix_card(one).unwrap_or_else(|_| view.advice(&one.text));
            stacked(all.iter().map(card))
        }
        _ => Html::default(),
    }
}

fn some_ids<'i>(ids: impl ExactSizeIterator<Item = &'i str>, on: Surface<'_>) -> Html {
    let pill = |id: &str| match on {
        Surface::Redacted(_, pill) => pill(id),
        Surface::Whole(_) | Surface::Several(_) => on.render().code(id),
    };
    let more = and_more(ids.len(), SHORT_LIST);
    Html::joined(ids.take(SHORT_LIST).map(pill).chain([more.into()]).collect::<Vec<_>>(), " ")
}

/// Pixels of a bar for 100 %.
const BAR: f64 = 110.0;

fn share(part: f64, whole: f64, class: &str) -> Html {
    let share = percent(part, whole, true).into();
    let width = BAR * part / whole;
    // Bars narrower than a pixel are left out.
    if !width.is_finite() || width < 1.0 {
        return share;
    }
    let bar = Element::new("span").class(&format!("share-bar {class}"));
    let bar = bar.style(&format!("width:{:.0}px", width.min(BAR))).empty();
    Html::joined([bar, share], "")
}

/// A difference as a bar: better to the left, worse to the right.
fn balance(share: f64) -> Html {
    let width = 50.0 * share.abs();
    if width == 0.0 || !width.is_finite() {
        return Html::default();
    }
    let bar = Element::new("i").class(if share > 0.0 { "worse" } else { "better" });
    let bar = bar.style(&format!("width:{width:.1}%")).empty();
    Element::new("span").class("delta").attribute("aria-hidden", "true").around(bar)
}

/// The first compiles as pills, and the number of the others.
fn linked(compiles: &[LinkedCompile]) -> Html {
    let pill = |one: &LinkedCompile| {
        Pill { id: &one.id, status: one.status, href: one.href.as_deref(), title: None }.html()
    };
    let more = compiles.len().saturating_sub(IN_HEAD);
    let more = (more > 0).then(|| span("pill", format!("+{more}")));
    span("pills", Html::joined(compiles.iter().take(IN_HEAD).map(pill).chain(more), ""))
}

fn place(file: &str, line: Option<i64>, on: Surface<'_>) -> Html {
    match (on, line) {
        (Surface::Whole(view), line) => view.place(Some(file), line.and_then(|line| line.try_into().ok())),
        (_, Some(line)) => format!("{file}:{line}").into(),
        (_, None) => file.into(),
    }
}
