//! Tables as HTML, written row by row so that memory stays bounded.

use super::cell::Cell;
use super::cell_html::{Surface, html};
use super::listing::{Head, Listing, Others, Sorting, WhereUnknown};
use crate::limits::SHOWN;
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    Element, close_section, note_below, push_close, push_element, push_open, soft_paragraph,
};
use crate::report::kit::measured::ends;
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;

/// Rows of a long table that a browser draws at once. Further ones are in a `noscript` element: with scripts that is text,
/// which becomes rows when the reader asks for it; a page of 40,000 elements took 1.6 seconds to open. A few more rows
/// than this are drawn with the others.
const DRAWN: usize = 200;
const A_FEW: usize = 50;

/// Rows of the shortest sortable table: fewer fit on one screen, and the script is as large as thirty rows.
const SORTED: usize = 30;

/// Writes a list as a section with a table.
pub(crate) fn section(on: Surface<'_>, out: &mut dyn Write, listing: &Listing<'_>) -> anyhow::Result<()> {
    let tools = tools(on, listing)?;
    let head = (&*listing.id, &*listing.title, &*listing.about);
    let count = listing.is_counted.then(|| whole(listing.count()));
    on.render().open_section(out, head, count, tools)?;
    table(on, out, listing)?;
    Ok(close_section(out)?)
}

/// Writes only the table of a list, and how many rows are not shown. With scripts, rows beyond [`SHOWN`] are behind a button.
pub(crate) fn table(on: Surface<'_>, out: &mut dyn Write, list: &Listing<'_>) -> anyhow::Result<()> {
    if list.count() == 0 && !list.empty.is_empty() {
        return Ok(soft_paragraph(out, &*list.empty)?);
    }
    let shown = list.count().min(list.most);
    let absent = list.absent(|cell| cell.is_unknown());
    let is_absent = |(head, unknown): (&Head, bool)| unknown && head.where_unknown != WhereUnknown::Kept;
    let table = Table {
        list,
        id: format!("{}-table", list.id),
        absent: list.heads.iter().zip(absent).map(is_absent).collect(),
        is_sorted: shown >= least_sorted(on, list),
        is_capped: shown > SHOWN,
    };
    table.write(on, out, shown)?;
    match list.others {
        Others::InFacts(what) => on.render().beyond(out, list.count(), shown, what),
        Others::Elsewhere(words) => on.render().left_out(out, list.count(), shown, words),
    }
}

/// From how many rows on a list can be sorted and filtered. Pages of compiles keep the compiler's order, so only their long
/// tables can be.
fn least_sorted(on: Surface<'_>, list: &Listing<'_>) -> usize {
    list.narrowed_from.unwrap_or(if on.render().depth == 0 { SORTED } else { SHOWN })
}

#[derive(Serialize)]
struct Narrow<'a> {
    table: &'a str,
    hint: &'a str,
    words: Vec<WordOf>,
}

#[derive(Serialize)]
struct WordOf {
    word: &'static str,
    text: &'static str,
    count: String,
}

/// The controls of a list that can be filtered: a field for text, and the words of its rows. Words without rows are left out.
pub(crate) fn tools(on: Surface<'_>, list: &Listing<'_>) -> anyhow::Result<Html> {
    let Some(filter) = &list.filter else { return Ok(Html::default()) };
    if list.count() < least_sorted(on, list) {
        return Ok(Html::default());
    }
    let all: Vec<_> = (0..list.count()).filter_map(|at| list.words(at)).collect();
    let count = |word: &str| all.iter().filter(|words| words.split(' ').any(|one| one == word)).count();
    let words = filter.words.iter().map(|(word, text)| (*word, *text, count(word)));
    let words = words.filter(|(_, _, count)| *count > 0);
    let words = words.map(|(word, text, count)| WordOf { word, text, count: whole(count) }).collect();
    let table = format!("{}-table", list.id);
    on.render().render("narrow", &Narrow { table: &table, hint: filter.hint, words })
}

/// A table while it is written.
struct Table<'t> {
    list: &'t Listing<'t>,
    id: String,
    /// Of each column, whether it is left out.
    absent: Vec<bool>,
    is_sorted: bool,
    is_capped: bool,
}

/// The end of a table in its frame, and of rows that wait.
const TABLE_END: &str = "</tbody>\n</table>\n</div>\n";
const WAITING_END: &str = "</tbody>\n</table>\n</noscript>\n";

impl Table<'_> {
    fn write(&self, on: Surface<'_>, out: &mut dyn Write, total: usize) -> anyhow::Result<()> {
        let render = on.render();
        // Pages in folders may lack the script of tables.
        let waits = render.depth == 0 && self.is_sorted && total > DRAWN + A_FEW;
        let mut shown = 0;
        let mut html = String::new();
        self.push_start(&mut html);
        out.write_all(html.as_bytes())?;
        while shown < total && render.worker.has_room() {
            html.clear();
            if waits && shown == DRAWN {
                self.push_waiting(&mut html, total - shown);
            }
            self.push_row(&mut html, on, shown);
            out.write_all(html.as_bytes())?;
            shown += 1;
        }
        html.clear();
        html.push_str(if waits && shown > DRAWN { WAITING_END } else { TABLE_END });
        self.push_end(&mut html);
        out.write_all(html.as_bytes())?;
        if shown < total {
            let rest = counted(total - shown, "more row", "more rows");
            let words = format!("{rest} would make the page too large; report.json and raw.jsonl have all.");
            note_below(out, words)?;
        }
        Ok(())
    }

    /// What the list has of each column that is shown.
    fn present<'c, C: 'c>(&'c self, all: impl IntoIterator<Item = C> + 'c) -> impl Iterator<Item = C> + 'c {
        all.into_iter().zip(&self.absent).filter(|(_, absent)| !**absent).map(|(one, _)| one)
    }

    fn push_start(&self, html: &mut String) {
        let region = [
            ("class", Some("scroll")),
            ("tabindex", Some("0")),
            ("role", Some("group")),
            ("aria-label", Some(&*self.list.title)),
        ];
        push_open(html, "div", &region);
        html.push('\n');
        let cap = self.is_capped.then(|| SHOWN.to_string());
        push_open(html, "table", &[("id", Some(&*self.id)), ("data-cap", cap.as_deref())]);
        html.push_str("\n<thead>\n<tr>");
        for head in self.present(&self.list.heads) {
            let sort = head.sort_word().filter(|_| self.is_sorted);
            let attributes = [("class", head.sorting.class()), ("data-sort", sort), ("title", head.about)];
            push_element(html, "th", &attributes, &head.title);
        }
        html.push_str("</tr>\n</thead>\n<tbody>\n");
    }

    fn push_row(&self, html: &mut String, on: Surface<'_>, at: usize) {
        let words = self.list.words(at).filter(|_| self.is_sorted);
        push_open(html, "tr", &[("id", self.list.anchor(at).as_deref()), ("data-row", words.as_deref())]);
        let cells = self.list.row(at);
        for (cell, head) in self.present(cells.iter().zip(&self.list.heads)) {
            let shown = Shown::of(cell, on);
            let class = shown.class_in(head);
            let sort = shown.sort.as_deref().filter(|_| self.is_sorted && head.sort_word().is_some());
            let attributes =
                [("class", class.as_deref()), ("data-v", sort), ("style", shown.style.as_deref())];
            push_open(html, "td", &attributes);
            html.push_str(shown.html.as_str());
            push_close(html, "td");
        }
        push_close(html, "tr");
        html.push('\n');
    }

    /// Ends the drawn rows and begins those that wait.
    fn push_waiting(&self, html: &mut String, count: usize) {
        html.push_str(TABLE_END);
        let count = count.to_string();
        push_open(html, "noscript", &[("data-rows", Some(&*self.id)), ("data-count", Some(&count))]);
        html.push_str("\n<table>\n<tbody>\n");
    }

    fn push_end(&self, html: &mut String) {
        if self.is_capped {
            let button =
                Element::new("button").class("button").attribute("data-more", &self.id).around("Show all");
            let waits = Element::new("p").class("space-above needs-script").hidden().around(button);
            html.push_str(waits.as_str());
            html.push('\n');
        }
        let absent = self.list.heads.iter().zip(&self.absent);
        let absent = absent.filter(|(head, absent)| **absent && head.where_unknown == WhereUnknown::Named);
        let absent: Vec<&str> = absent.map(|(head, _)| &*head.title).collect();
        if !absent.is_empty() {
            let words = format!("Not in this log: {}.", absent.join(", "));
            push_element(html, "p", &[("class", Some("soft space-above"))], &words);
            html.push('\n');
        }
    }
}

impl Sorting {
    /// The class of titles and cells: numbers are right-aligned.
    fn class(self) -> Option<&'static str> {
        matches!(self, Sorting::Number | Sorting::Fixed).then_some("num")
    }
}

impl Head {
    /// How the script sorts by the column.
    fn sort_word(&self) -> Option<&'static str> {
        match self.sorting {
            Sorting::Text => Some("text"),
            Sorting::Number | Sorting::Compiles => Some("num"),
            Sorting::No | Sorting::Fixed => None,
        }
    }
}

/// A cell of a table as HTML.
#[derive(Default)]
struct Shown {
    html: Html,
    class: Option<Cow<'static, str>>,
    sort: Option<String>,
    /// Declarations for this cell alone, such as the length of the bar behind its number.
    style: Option<String>,
}

impl Shown {
    fn of(cell: &Cell<'_>, on: Surface<'_>) -> Shown {
        let plain = || Shown { html: html(cell, on), ..Shown::default() };
        match cell {
            Cell::Blank => Shown { sort: Some("0".to_owned()), ..Shown::default() },
            Cell::Figure { value, shown } => {
                let sort = (!sorts_by_itself(shown)).then(|| value.to_string());
                Shown { class: Some("num".into()), sort, ..plain() }
            }
            Cell::Share { .. } => Shown { class: Some("num share".into()), ..plain() },
            Cell::Classed(class, cell) => {
                let shown = Shown::of(cell, on);
                let class = match &shown.class {
                    Some(inner) if *inner != *class => Cow::from(format!("{class} {inner}")),
                    _ => Cow::from(*class),
                };
                Shown { class: Some(class), ..shown }
            }
            Cell::Sorted(by, cell) => Shown { sort: Some(by.to_string()), ..Shown::of(cell, on) },
            Cell::Bar { own, all, longest, .. } => Shown {
                class: Some("num heat".into()),
                sort: Some(all.to_string()),
                style: Some(ends(*own, *all, *longest)),
                ..plain()
            },
            Cell::Compile { compile, .. } | Cell::CompileBeside(compile) => {
                let place = match on {
                    Surface::Whole(view) => view.report.model.by_id.get(&compile.id),
                    _ => None,
                };
                Shown { sort: place.map(ToString::to_string), ..plain() }
            }
            _ => plain(),
        }
    }

    /// Its class combined with the column's.
    fn class_in(&self, head: &Head) -> Option<Cow<'_, str>> {
        let own = self.class.as_deref();
        let column = head.class.or(head.sorting.class());
        // Classes have no effect on empty cells.
        match (column.filter(|_| !self.html.is_empty()), own) {
            (Some(column), Some(own)) if own.split(' ').all(|one| one != column) => {
                Some(format!("{column} {own}").into())
            }
            (column, own) => own.or(column).map(Cow::from),
        }
    }
}

/// Units that the script of tables knows.
const UNITS: [&str; 10] = ["us", "ms", "s", "byte", "bytes", "KB", "MB", "GB", "TB", "%"];

/// Whether the script can parse the number from the text, `1,234` or `38 ms`, so that no sort value is needed.
fn sorts_by_itself(shown: &str) -> bool {
    let (number, unit) = shown.split_once('\u{a0}').unwrap_or((shown, "%"));
    number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-'))
        && UNITS.contains(&unit)
}
