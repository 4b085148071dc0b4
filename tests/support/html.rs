//! A page of a report, as a browser would read it.

use regex::Regex;
use scraper::{ElementRef, Html, Selector};

/// A parsed page.
pub struct Page {
    /// Its path below the report's folder.
    pub path: String,
    /// The document.
    pub html: Html,
}

/// A CSS selector.
pub fn select(css: &str) -> Selector {
    Selector::parse(css).unwrap_or_else(|error| panic!("{css}: {error}"))
}

impl Page {
    /// Parses a page.
    pub fn parse(path: &str, text: &str) -> Page {
        // The further rows of a long table wait in a `noscript` element until the reader asks for them: here they are rows.
        let waiting = Regex::new(
            "</tbody>\\s*</table>\\s*</div>\\s*<noscript data-rows=\"[^\"]*\" data-count=\"\\d+\">\\s*<table>\\s*<tbody>",
        );
        let text = waiting.unwrap().replace_all(text, "");
        // Other pages use the element for what only readers without scripts see.
        let text = text.replace("</tbody>\n</table>\n</noscript>", "</tbody>\n</table>\n</div>");
        Page { path: path.to_owned(), html: Html::parse_document(&text) }
    }

    /// All elements that fit a CSS selector.
    pub fn all(&self, css: &str) -> Vec<ElementRef<'_>> {
        self.html.select(&select(css)).collect()
    }

    /// The one element that fits a CSS selector.
    pub fn one(&self, css: &str) -> ElementRef<'_> {
        let found = self.all(css);
        assert_eq!(found.len(), 1, "{}: elements that fit {css}", self.path);
        found[0]
    }

    /// All values of an attribute.
    pub fn attributes(&self, name: &str) -> Vec<&str> {
        self.all(&format!("[{name}]")).into_iter().filter_map(|element| element.attr(name)).collect()
    }

    /// What a reader sees: the text without styles and scripts.
    pub fn text(&self) -> String {
        let shown =
            |element: &ElementRef<'_>| !matches!(element.value().name(), "style" | "script" | "title");
        let texts = self.html.tree.nodes().filter(|node| {
            node.value().is_text()
                && node.parent().and_then(ElementRef::wrap).is_none_or(|parent| shown(&parent))
        });
        texts.filter_map(|node| node.value().as_text().map(|text| text.to_string())).collect()
    }
}

/// The text of an element.
pub fn text_of(element: ElementRef<'_>) -> String {
    element.text().collect()
}
