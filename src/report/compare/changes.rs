//! The list of changes: what changed and where, the compiles of both sides, and the seconds.

use super::rows::{clip, difference_class, kind_class, kind_word, ranks, sentence, signed};
use super::verdict::{in_order, is_change};
use super::view::{DiffView, Side};
use crate::facts::{Aspect, DiffRow, DiffSide, RowKind};
use crate::report::kit::formats::{UNKNOWN, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, close_section, soft, soft_paragraph, write_line};
use serde::Serialize;
use std::io::Write;

/// Entries of the list. Together with the limits of the tables, this keeps the page below 2 MB.
const SHOWN: usize = 150;

/// Characters of a sentence, and of a detail.
const LONGEST_SENTENCE: usize = 300;
const LONGEST_DETAIL: usize = 500;

#[derive(Default, Serialize)]
struct Entry {
    class: &'static str,
    kind: &'static str,
    subject: Html,
    place: Html,
    detail: Html,
    compiles: Html,
    cost_class: &'static str,
    cost: String,
}

pub(super) fn section(view: DiffView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let rows: Vec<&DiffRow> = in_order(view.comparison).into_iter().filter(|row| is_change(row)).collect();
    let [name_a, name_b] = &view.comparison.names;
    let note = format!(
        "failures, breaks and recompiles first, then device time, then by seconds; {name_a} is the baseline"
    );
    view.open_section(
        out,
        ("changes", "What changed", note.as_str()),
        Some(whole(rows.len())),
        Html::default(),
    )?;
    write_line(out, &Element::new("ul").class("box changes").open())?;
    for row in rows.iter().take(SHOWN) {
        write_line(out, &view.render("diff_change", &entry(view, row))?)?;
    }
    if view.comparison.rows.iter().all(|row| row.kind != RowKind::Gone) {
        let entry = Entry {
            kind: "Gone",
            subject: Html::escaped(&format!("Nothing of {name_a} is missing in {name_b}.")),
            cost: UNKNOWN.to_owned(),
            ..Entry::default()
        };
        write_line(out, &view.render("diff_change", &entry)?)?;
    }
    close(out, "ul")?;
    if rows.len() > SHOWN {
        let more = counted(rows.len() - SHOWN, "more change is", "more changes are");
        let link = view.link("diff.json", "diff.json");
        soft_paragraph(out, Html::joined([format!("{more} in ").into(), link, ".".into()], ""))?;
    }
    Ok(close_section(out)?)
}

fn entry(view: DiffView<'_>, row: &DiffRow) -> Entry {
    let rank = row.ranks.first().copied();
    let sides = [(Side::A, &row.a), (Side::B, &row.b)].into_iter();
    let sides = sides.filter(|(_, of)| !of.compile_ids.is_empty());
    let compiles = Html::joined(sides.map(|(side, of)| view.cell(&view.pills_of_row(side, of, rank))), " → ");
    let place = row.file.as_ref().map(|file| view.place_in(file, row.line, None)).unwrap_or_default();
    let mut details: Vec<Html> = Vec::new();
    details.extend(row.detail.as_ref().map(|detail| view.prose(&clip(detail, LONGEST_DETAIL))));
    details.extend(ranks(row).map(Html::from));
    details.extend(row.guess().map(Html::escaped));
    details.extend(evidence(view, row));
    let difference = row.difference_s;
    Entry {
        class: kind_class(row),
        kind: kind_word(row.kind),
        subject: view.prose(&clip(&sentence(row), LONGEST_SENTENCE)),
        place,
        detail: Html::joined(details, "; "),
        compiles,
        cost_class: difference.map_or("", difference_class),
        cost: difference.map_or_else(|| UNKNOWN.to_owned(), signed),
    }
}

/// Links to the evidence in both reports: the page that lists a problem, or the graphs of a function that changed.
fn evidence(view: DiffView<'_>, row: &DiffRow) -> Option<Html> {
    let link = |side: Side, of: &DiffSide| {
        let page = of.page.as_deref()?;
        let (page, words) = match row.aspect {
            Aspect::Failures | Aspect::GraphBreaks | Aspect::Recompiles => (page.to_owned(), "evidence"),
            Aspect::Guards => (page.to_owned(), "guards"),
            Aspect::Graphs | Aspect::Kernels | Aspect::Inputs => {
                (format!("{}graphs.html", page.strip_suffix("compile.html")?), "graphs")
            }
            _ => return None,
        };
        Some(view.link(&view.href_in(side, &page)?, &format!("{words} in {}", view.name(side))))
    };
    let of_function = |aspect: Aspect| {
        matches!(aspect, Aspect::Graphs | Aspect::Kernels | Aspect::Inputs | Aspect::Compiles)
    };
    let page = row.function.filter(|_| of_function(row.aspect));
    let page = page.and_then(|function| view.side_by_side(row.ranks.first().copied(), function));
    let page = page.map(|page| view.cell(&page));
    let evidence = link(Side::A, &row.a).into_iter().chain(link(Side::B, &row.b));
    let links: Vec<Html> = page.into_iter().chain(evidence).collect();
    (!links.is_empty()).then(|| soft(Html::joined(links, ", ")))
}
