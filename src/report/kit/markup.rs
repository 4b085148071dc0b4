//! Building blocks of markup. Pages pass text and HTML; only this file and templates write tags.

use crate::hidden::replaced;
use crate::report::kit::html::Html;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

/// An element with quoted attributes: `Element::new("p").class("soft")`.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    tag: &'static str,
    attributes: String,
}

impl Element {
    /// An element without attributes.
    pub fn new(tag: &'static str) -> Element {
        Element { tag, attributes: String::new() }
    }

    /// An attribute; its value is escaped.
    pub fn attribute(mut self, name: &str, value: &str) -> Element {
        self.attributes.reserve(name.len() + value.len() + " =\"\"".len());
        self.attributes.push(' ');
        self.attributes.push_str(name);
        self.attributes.push_str("=\"");
        Html::push_escaped(value, &mut self.attributes);
        self.attributes.push('"');
        self
    }

    /// Its classes, separated by spaces.
    pub fn class(self, class: &str) -> Element {
        self.attribute("class", class)
    }

    /// Its anchor.
    pub fn id(self, id: &str) -> Element {
        self.attribute("id", id)
    }

    /// Its tooltip.
    pub fn title(self, title: &str) -> Element {
        self.attribute("title", title)
    }

    /// Its address.
    pub fn href(self, href: &str) -> Element {
        self.attribute("href", href)
    }

    /// Style declarations, such as its width.
    pub fn style(self, style: &str) -> Element {
        self.attribute("style", style)
    }

    /// Makes it scrollable and reachable with the keyboard.
    pub fn region(self, label: &str) -> Element {
        self.attribute("tabindex", "0").attribute("role", "group").attribute("aria-label", label)
    }

    /// Whether a fold is open at first.
    pub fn open_if(mut self, open: bool) -> Element {
        if open {
            self.attributes.push_str(" open");
        }
        self
    }

    /// Hidden at first.
    pub fn hidden(mut self) -> Element {
        self.attributes.push_str(" hidden");
        self
    }

    /// The element around HTML, or around text, which is escaped.
    pub fn around(&self, piece: impl Into<Html>) -> Html {
        let piece = piece.into();
        let length = 2 * self.tag.len() + self.attributes.len() + piece.as_str().len() + "<></>".len();
        let mut html = String::with_capacity(length);
        self.push_open(&mut html);
        html.push_str(piece.as_str());
        push_close(&mut html, self.tag);
        Html::trusted(html)
    }

    /// The element without content.
    pub fn empty(&self) -> Html {
        self.around("")
    }

    /// The start tag, if the content is written separately; [`close`] ends the element.
    pub fn open(&self) -> Html {
        let mut html = String::new();
        self.push_open(&mut html);
        Html::trusted(html)
    }

    fn push_open(&self, html: &mut String) {
        html.push('<');
        html.push_str(self.tag);
        html.push_str(&self.attributes);
        html.push('>');
    }
}

/// Ends an element begun with [`Element::open`].
pub(crate) fn close(out: &mut dyn Write, tag: &str) -> io::Result<()> {
    writeln!(out, "</{tag}>")
}

/// Ends an element without a line end, for preformatted text.
pub(crate) fn close_inline(out: &mut dyn Write, tag: &str) -> io::Result<()> {
    write!(out, "</{tag}>")
}

/// Appends a span of this class around what `fill` appends, without copying text: lines of code have many spans.
pub(crate) fn push_span(html: &mut String, class: &'static str, fill: impl FnOnce(&mut String)) {
    html.push_str("<span class=\"");
    html.push_str(class);
    html.push_str("\">");
    fill(html);
    html.push_str("</span>");
}

/// HTML of code in which an element says what each hidden character is: code is copied as it is, but nobody must read it in
/// another order than a program does.
pub(crate) fn marking_hidden(html: &str) -> Cow<'_, str> {
    replaced(html, |c, html| {
        push_open(
            html,
            "span",
            &[("class", Some("unseen")), ("data-code", Some(&format!("{:x}", u32::from(c))))],
        );
        html.push(c);
        push_close(html, "span");
    })
}

/// Appends a start tag; attributes without a value are left out. Nothing is copied, as a report may have a hundred
/// thousand table rows.
pub(crate) fn push_open(html: &mut String, tag: &'static str, attributes: &[(&'static str, Option<&str>)]) {
    let length =
        |(name, value): &(&str, Option<&str>)| name.len() + value.map_or(0, str::len) + " =\"\"".len();
    html.reserve(tag.len() + "<>".len() + attributes.iter().map(length).sum::<usize>());
    html.push('<');
    html.push_str(tag);
    for (name, value) in attributes {
        let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
        html.push(' ');
        html.push_str(name);
        html.push_str("=\"");
        Html::push_escaped(value, html);
        html.push('"');
    }
    html.push('>');
}

/// Appends a shape of a drawing, which has no content. Only elements of SVG may end like that.
pub(crate) fn push_shape(html: &mut String, tag: &'static str, attributes: &[(&'static str, Option<&str>)]) {
    push_open(html, tag, attributes);
    html.pop();
    html.push_str("/>");
}

/// Appends the end of an element.
pub(crate) fn push_close(html: &mut String, tag: &'static str) {
    html.push_str("</");
    html.push_str(tag);
    html.push('>');
}

/// Appends an element around text, which is escaped.
pub(crate) fn push_element(
    html: &mut String,
    tag: &'static str,
    attributes: &[(&'static str, Option<&str>)],
    text: &str,
) {
    push_open(html, tag, attributes);
    Html::push_escaped(text, html);
    push_close(html, tag);
}

/// Ends a section begun with `open_section`.
pub(crate) fn close_section(out: &mut dyn Write) -> io::Result<()> {
    close(out, "section")
}

/// Ends a finding; its template leaves the body open.
pub(crate) fn close_finding(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</div>\n</details>")
}

/// Begins a frame around entries that unfold; end it with `close(out, "div")`.
pub(crate) fn open_box(out: &mut dyn Write, id: &str) -> io::Result<()> {
    write_line(out, &Element::new("div").class("box").id(id).open())
}

/// Begins a fold for details that few readers need; end it with `close(out, "details")`.
pub(crate) fn open_more(out: &mut dyn Write, summary: impl Into<Html>) -> io::Result<()> {
    write_line(out, &Element::new("details").class("more").open())?;
    write_line(out, &Element::new("summary").around(summary))
}

/// Writes HTML and a line end.
pub(crate) fn write_line(out: &mut dyn Write, piece: &Html) -> io::Result<()> {
    out.write_all(piece.as_str().as_bytes())?;
    out.write_all(b"\n")
}

/// Writes a paragraph.
pub(crate) fn paragraph(out: &mut dyn Write, sentences: impl Into<Html>) -> io::Result<()> {
    write_line(out, &Element::new("p").around(sentences))
}

/// Writes a paragraph with space above it.
pub(crate) fn paragraph_below(out: &mut dyn Write, sentences: impl Into<Html>) -> io::Result<()> {
    write_line(out, &Element::new("p").class("space-above").around(sentences))
}

/// Writes a placeholder: `None.`
pub(crate) fn soft_paragraph(out: &mut dyn Write, sentences: impl Into<Html>) -> io::Result<()> {
    write_line(out, &Element::new("p").class("soft").around(sentences))
}

/// Writes a note with space above it.
pub(crate) fn note_below(out: &mut dyn Write, sentences: impl Into<Html>) -> io::Result<()> {
    write_line(out, &Element::new("p").class("soft space-above").around(sentences))
}

/// Writes a heading within a section.
pub(crate) fn heading(out: &mut dyn Write, words: impl Into<Html>) -> io::Result<()> {
    write_line(out, &Element::new("h3").class("space-above").around(words))
}

/// Begins an element with data for a script, written with [`script_json`]. End it with `close(out, "script")`.
pub(crate) fn open_data(out: &mut dyn Write, id: &str) -> io::Result<()> {
    write!(out, "{}", Element::new("script").attribute("type", "application/json").id(id).open().as_str())
}

/// JSON for a script element, whose texts are shown with hidden characters spelled out. Only `<` could end the element or be
/// taken for markup, and JSON has both only in strings.
pub(crate) fn script_json(value: &impl Serialize) -> serde_json::Result<String> {
    let mut json = serde_json::to_string(value)?;
    if json.contains('<') {
        json = json.replace('<', "\\u003c");
    }
    let spelled = replaced(&json, |c, json| json.extend(['\\'].into_iter().chain(c.escape_unicode())));
    Ok(match spelled {
        Cow::Owned(spelled) => spelled,
        Cow::Borrowed(_) => json,
    })
}

/// Begins a branch of a tree: a fold with a summary and a list.
pub(crate) fn open_branch(out: &mut dyn Write, line: impl Into<Html>, open: bool) -> io::Result<()> {
    write_line(out, &Element::new("li").open())?;
    write_line(out, &Element::new("details").open_if(open).open())?;
    write_line(out, &Element::new("summary").around(line))?;
    write_line(out, &Element::new("ul").open())
}

/// Ends a branch begun with [`open_branch`].
pub(crate) fn close_branch(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</ul>\n</details>\n</li>")
}

pub(crate) fn span(class: &'static str, piece: impl Into<Html>) -> Html {
    Element::new("span").class(class).around(piece)
}

/// Text of less weight.
pub(crate) fn soft(piece: impl Into<Html>) -> Html {
    span("soft", piece)
}

/// Small print.
pub(crate) fn small(piece: impl Into<Html>) -> Html {
    Element::new("small").around(piece)
}

/// Bold text.
pub(crate) fn strong(piece: impl Into<Html>) -> Html {
    Element::new("b").around(piece)
}

/// HTML with a tooltip.
pub(crate) fn titled(title: &str, piece: impl Into<Html>) -> Html {
    Element::new("span").title(title).around(piece)
}

/// HTML on separate lines.
pub(crate) fn stacked(pieces: impl IntoIterator<Item = Html>) -> Html {
    Html::joined(pieces, "<br>")
}

pub(crate) fn block(piece: impl Into<Html>) -> Html {
    Element::new("div").around(piece)
}

/// The name of a resume function: `f resumed at 9`.
pub(crate) fn resumed_function(function: &str, line: &str) -> Html {
    Html::joined([function.into(), soft(format!("resumed at {line}"))], " ")
}

/// A button that opens and closes all folds in the region `id`; it needs a script.
pub(crate) fn fold_button(id: &str) -> Html {
    let button = Element::new("button").class("button").attribute("data-fold", id).around("Open all");
    Element::new("div").class("tools needs-script").hidden().around(button)
}

/// Long text in a scrollable frame.
pub(crate) fn long_text(text: impl Into<Html>) -> Html {
    Element::new("pre").class("long-text").attribute("tabindex", "0").around(text)
}

/// Lines of source in a scrollable frame.
pub(crate) fn source_lines(lines: impl Into<Html>) -> Html {
    Element::new("pre").class("source").attribute("tabindex", "0").around(lines)
}

pub(crate) fn fold(summary: impl Into<Html>, body: &Html) -> Html {
    folded("fold", summary, body)
}

/// A fold with space above it.
pub(crate) fn fold_below(summary: impl Into<Html>, body: &Html) -> Html {
    folded("fold space-above", summary, body)
}

/// A fold for details that few readers need.
pub(crate) fn more(summary: impl Into<Html>, body: &Html) -> Html {
    folded("more", summary, body)
}

/// A fold with an anchor, on separate lines.
pub(crate) fn anchored_fold(id: Option<&str>, summary: Html, body: &Html) -> Html {
    let mut html = String::new();
    push_open(&mut html, "details", &[("class", Some("fold")), ("id", id)]);
    for piece in [&Element::new("summary").around(summary), body] {
        html.push('\n');
        html.push_str(piece.as_str());
    }
    html.push('\n');
    push_close(&mut html, "details");
    Html::trusted(html)
}

fn folded(class: &str, summary: impl Into<Html>, body: &Html) -> Html {
    let summary = Element::new("summary").around(summary);
    Element::new("details").class(class).around(Html::joined([summary, body.clone()], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_quoted_and_escaped() {
        let element = Element::new("a").class("pill soft").title("a \"b\" & c");
        let expected = "<a class=\"pill soft\" title=\"a &quot;b&quot; &amp; c\">1 &lt; 2</a>";
        assert_eq!(element.around("1 < 2").as_str(), expected);
    }

    #[test]
    fn data_for_a_script_cannot_end_its_element() {
        assert_eq!(script_json(&"</script><!--").unwrap(), "\"\\u003c/script>\\u003c!--\"");
    }
}
