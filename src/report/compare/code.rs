//! `changed/1.html` and so on: graphs and code of a changed function, A and B side by side.

use super::files::{DIFF_PAGE, changed_page};
use super::view::{DiffView, Side};
use crate::analysis::CodeText;
use crate::analysis::two_columns::{Columns, two_columns};
use crate::compare::{
    ChangedFunction, ChangedFunctions, ComparedCompile, ComparedText, Comparison, CompileTexts, TextFile,
};
use crate::limits::SENTENCE;
use crate::output::Page;
use crate::report::kit::assets::{COMPARE_CODE, Delivery};
use crate::report::kit::columns::{self, Room};
use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::links::encoded;
use crate::report::kit::markup::{
    Element, close_section, heading, note_below, soft_paragraph, strong, write_line,
};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use std::io::Write;

/// Bytes of markup of all columns of a page, so that it stays below 2 MB.
const ROOM: usize = 1_700_000;

/// The pages of all functions that changed.
pub(super) fn pages<'c>(
    comparison: &'c Comparison,
    changed: &'c ChangedFunctions<'c>,
) -> impl Iterator<Item = Page<'c, Worker>> {
    changed.functions.iter().enumerate().map(move |(place, function)| {
        Page::rendered(changed_page(place), move |worker: &mut Worker, out: &mut dyn Write| {
            page(comparison, changed, *function, (worker, out))
        })
    })
}

fn page(
    comparison: &Comparison,
    changed: &ChangedFunctions<'_>,
    function: ChangedFunction<'_>,
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    let name = super::rows::function_name(&function.line.line.name, SENTENCE);
    let mut shell = Shell::of_job(&format!("{name}, two runs"), None, COMPARE_CODE);
    shell.delivery = Delivery::BELOW;
    shell.crumbs = vec![
        (super::rows::against(comparison), Some(format!("../{DIFF_PAGE}"))),
        (format!("{name} side by side"), None),
    ];
    let both = function.line.compared.iter().filter(|one| one.a.is_some() && one.b.is_some());
    let both: Vec<&ComparedCompile> = both.collect();
    shell.tabs = vec![Tab::away(format!("../{DIFF_PAGE}"), "Comparison", None)];
    for (at, one) in both.iter().enumerate().filter(|_| both.len() > 1) {
        let id = one.b.as_ref().map(|side| side.link.id.as_str()).unwrap_or_default();
        shell.tabs.push(Tab::section(&anchor(at), &format!("Compile {id}"), None));
    }
    write_page(worker, out, &shell, |worker, out| {
        let view = DiffView::new(comparison, changed, worker).below();
        write_line(out, &head(view, function, both.len())?)?;
        let mut room = Room(ROOM);
        for (at, one) in both.into_iter().enumerate() {
            compile(view, (at, one), &mut room, out)?;
        }
        Ok(())
    })
}

fn anchor(at: usize) -> String {
    format!("compile-{}", at + 1)
}

fn head(view: DiffView<'_>, function: ChangedFunction<'_>, both: usize) -> anyhow::Result<Html> {
    let line = function.line;
    let mut sentence = vec![view.function(&super::rows::clip(&line.line.name, SENTENCE))];
    if let Some(file) = &line.file {
        sentence.push(view.place_in(file, line.place, None));
    }
    let [name_a, name_b] = &view.comparison.names;
    sentence.push(Html::escaped(&format!("in {name_a} and {name_b}, side by side")));
    let mut notes = Vec::new();
    notes.extend(line.matched.and_then(|how| how.guess()).map(|guess| {
        Html::escaped(&format!("The two sides were {guess}: they may be different functions or compiles."))
    }));
    notes.extend(function.rank.map(|rank| Html::escaped(&format!("On rank {rank}."))));
    let one_sided = line.compared.len() - both;
    if one_sided > 0 {
        let of = |side: fn(&ComparedCompile) -> &Option<CompileTexts>, name: &str| {
            let only = line
                .compared
                .iter()
                .filter(|one| (one.a.is_some() != one.b.is_some()) && side(one).is_some());
            let ids: Vec<&str> = only.filter_map(|one| Some(side(one).as_ref()?.link.id.as_str())).collect();
            (!ids.is_empty()).then(|| Html::escaped(&format!("Compiled by {name} only: {}.", ids.join(", "))))
        };
        notes.extend(of(|one| &one.a, name_a));
        notes.extend(of(|one| &one.b, name_b));
    }
    notes.push(Html::escaped(
        "Equal lines are folded. Trailing white space and addresses of objects are ignored.",
    ));
    let keys = Element::new("span").class("needs-script").hidden();
    notes.push(keys.around("Press n for the next change and p for the previous one."));
    view.verdict(Html::joined(sentence, " "), notes)
}

/// A compile on both sides: links into both reports, then its texts.
fn compile(
    view: DiffView<'_>,
    (at, one): (usize, &ComparedCompile),
    room: &mut Room,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (Some(a), Some(b)) = (&one.a, &one.b) else { return Ok(()) };
    let title = match (&a.link.id, &b.link.id) {
        (a, b) if a == b => format!("Compile {b}"),
        (a, b) => format!("Compile {a} in {}, {b} in {}", view.name(Side::A), view.name(Side::B)),
    };
    view.open_section(out, (&anchor(at), &title, ""), None, Html::default())?;
    soft_paragraph(out, Html::joined([links(view, Side::A, a), links(view, Side::B, b)], " "))?;
    let texts = one.texts();
    for kind in CodeText::SHOWN.into_iter().filter(|kind| texts.iter().all(|text| text.kind != *kind)) {
        note_below(out, format!("{}: neither side has one.", title_of(kind)))?;
    }
    for found in texts {
        text(view, (a, b), found, (room, out))?;
    }
    Ok(close_section(out)?)
}

/// The pill of a compile, and a link to the viewer of its graphs.
fn links(view: DiffView<'_>, side: Side, compile: &CompileTexts) -> Html {
    let name = view.name(side);
    let link = &compile.link;
    let mut pieces = vec![strong(name), view.cell(&view.pills(side, std::slice::from_ref(link)))];
    let graphs = (!link.folder.is_empty()).then(|| format!("{}/graphs.html", link.folder));
    let graphs = graphs.and_then(|page| view.href_in(side, &page));
    pieces.extend(graphs.map(|href| view.link(&href, &format!("graphs in {name}"))));
    Html::joined(pieces, " ")
}

fn title_of(kind: CodeText) -> &'static str {
    match kind {
        CodeText::Graph => "Graph that Dynamo captured",
        CodeText::PostGrad => "Graph after the post-grad passes",
        CodeText::Code => "Generated code",
        CodeText::Guards => "Guards",
        CodeText::Key => "Cache key",
    }
}

/// A text of both sides in two columns, or a sentence if they are equal or one is missing.
fn text(
    view: DiffView<'_>,
    (a, b): (&CompileTexts, &CompileTexts),
    found: ComparedText<'_>,
    (room, out): (&mut Room, &mut dyn Write),
) -> anyhow::Result<()> {
    let (number, of) = found.number;
    let [name_a, name_b] = &view.comparison.names;
    let title = title_of(found.kind);
    let title = if of > 1 { format!("{title}, {number} of {of}") } else { title.to_owned() };
    heading(out, title.as_str())?;
    let read = |side: &CompileTexts, file: Option<&TextFile>, name: &str| match file {
        None => Err(format!("{name} has none.")),
        Some(file) => side.read(file).map_err(|why| format!("The file of {name} {why}.")),
    };
    let (old, new) = match (read(a, found.a, name_a), read(b, found.b, name_b)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            let missing: Vec<String> = [old.err(), new.err()].into_iter().flatten().collect();
            let links = whole_files(view, (a, b), found);
            return Ok(soft_paragraph(out, Html::joined([Html::escaped(&missing.join(" ")), links], " "))?);
        }
    };
    let columns = two_columns(&old, &new);
    let links = whole_files(view, (a, b), found);
    if columns.removed + columns.added == 0 {
        let lines = counted(columns.rows.len(), "line", "lines");
        let words = Html::escaped(&format!("Equal: {lines}."));
        return Ok(soft_paragraph(out, Html::joined([words, links], " "))?);
    }
    let words = differing_lines(view, &columns);
    soft_paragraph(out, Html::joined([Html::escaped(&words), links], " "))?;
    side_by_side([name_a, name_b], &title, &columns, (room, out))
}

/// Two texts in columns, as far as there is room.
fn side_by_side(
    [name_a, name_b]: [&String; 2],
    title: &str,
    columns: &Columns<'_>,
    (room, out): (&mut Room, &mut dyn Write),
) -> anyhow::Result<()> {
    let label = format!("{title}: {name_a} on the left, {name_b} on the right");
    let heads = [name_a, name_b].map(|name| Element::new("b").around(name.as_str()));
    let left_out = columns::side_by_side((&label, heads), columns, (room, out))?;
    if left_out > 0 {
        let rows = counted(left_out, "further row", "further rows");
        note_below(
            out,
            format!(
                "Not shown: {rows}, to limit the size of this page; the files have all \
            lines."
            ),
        )?;
    }
    Ok(())
}

/// `3 lines of A and 1 line of B differ, 40 are equal.`
fn differing_lines(view: DiffView<'_>, columns: &Columns<'_>) -> String {
    let [name_a, name_b] = &view.comparison.names;
    let equal = columns.rows.iter().filter(|row| row.equal).count();
    let mut words = format!(
        "{} of {name_a} and {} of {name_b} differ, {} equal.",
        counted(columns.removed, "line", "lines"),
        counted(columns.added, "line", "lines"),
        if equal == 1 { "1 is".to_owned() } else { format!("{equal} are") },
    );
    if columns.rough {
        words.push_str(" The texts differ so much that only lines unique in both were matched.");
    }
    words
}

/// Links to the files of both sides.
fn whole_files(view: DiffView<'_>, (a, b): (&CompileTexts, &CompileTexts), found: ComparedText<'_>) -> Html {
    let link = |side: Side, compile: &CompileTexts, file: Option<&TextFile>| {
        let report = view.report_of(side)?;
        let href = encoded(&format!("{report}/{}{}", compile.below, file?.path.as_str()));
        Some(view.link(&href, &format!("file of {}", view.name(side))))
    };
    let links = link(Side::A, a, found.a).into_iter().chain(link(Side::B, b, found.b));
    Html::joined(links, ", ")
}
