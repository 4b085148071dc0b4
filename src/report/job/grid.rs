//! All ranks of a large job as a grid of numbers.

use super::view::{FEW_RANKS, JobView};
use crate::analysis::job::Standing;
use crate::report::kit::formats::{counted, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, more, note_below, paragraph, write_line};
use serde::Serialize;
use std::io::Write;

/// In larger jobs, only ranks that stand out are shown unfolded.
pub(super) const UNFOLDED: usize = 256;

/// Most ranks that stand out shown then.
const ODD_SHOWN: usize = 512;

/// Most ranks linked by number; a sentence describes the folders of the others.
const LINKED: usize = 20_000;

#[derive(Serialize)]
struct Cells {
    cells: Vec<Cell>,
    key: Vec<Key>,
}

#[derive(Serialize)]
struct Cell {
    class: Option<&'static str>,
    href: Option<String>,
    title: String,
    rank: u64,
    word: Option<&'static str>,
}

/// An entry of the legend.
#[derive(Serialize)]
struct Key {
    class: Option<&'static str>,
    text: &'static str,
}

/// A rank of the list of all numbers.
#[derive(Serialize)]
struct Numbers {
    numbers: Vec<Number>,
}

#[derive(Serialize)]
struct Number {
    rank: u64,
    href: String,
}

/// The class of a cell. A frame or dashes distinguish them, not only their colors.
pub(super) fn class_of(standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Damaged | Standing::EndsEarly | Standing::Empty => Some("status-error"),
        Standing::Diverges => Some("status-break"),
        Standing::Differs => Some("differs"),
        Standing::Same => None,
    }
}

/// The legend, which lists all kinds of cells.
const KEY: [Key; 5] = [
    Key { class: None, text: "as most" },
    Key { class: Some("status-break"), text: "diverges, framed" },
    Key { class: Some("differs"), text: "other caches, settings or process groups, underlined" },
    Key { class: Some("status-error"), text: "ends early, damaged or empty, framed" },
    Key { class: Some("gap"), text: "no data, dashed: no log of this rank" },
];

/// The section; empty if there are few ranks and all are present.
pub(super) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if !is_shown(view) {
        return Ok(());
    }
    let ranks = &view.report.job.ranks;
    let note = "in order; a number opens the report of that rank";
    view.open_section(out, ("grid", "Ranks", note), Some(whole(ranks.len())), Html::default())?;
    if ranks.len() <= UNFOLDED {
        write_line(
            out,
            &view.render("job_cells", &Cells { cells: cells(view, |_| true), key: KEY.into() })?,
        )?;
        return Ok(close_section(out)?);
    }
    let mut odd = cells(view, |cell| cell.word.is_some());
    let left_out = odd.len().saturating_sub(ODD_SHOWN);
    odd.truncate(ODD_SHOWN);
    match odd.len() {
        0 => paragraph(out, "No rank stands out.")?,
        _ => write_line(out, &view.render("job_cells", &Cells { cells: odd, key: KEY.into() })?)?,
    }
    if left_out > 0 {
        let count = counted(left_out, "more rank stands out", "more ranks stand out");
        note_below(out, format!("{count}; the table of ranks below has them by group."))?;
    }
    write_line(out, &more(format!("All {} ranks by number", whole(ranks.len())), &numbers(view)?))?;
    close_section(out)?;
    Ok(())
}

/// Whether the page has the grid.
pub(super) fn is_shown(view: JobView<'_>) -> bool {
    let found = view.report.found;
    view.report.job.ranks.len() > FEW_RANKS || !found.fleet.missing.is_empty()
}

/// The cells of ranks and gaps that `keep` accepts, ordered by number.
fn cells(view: JobView<'_>, keep: impl Fn(&Cell) -> bool) -> Vec<Cell> {
    let found = view.report.found;
    let ranks = view.report.job.ranks.iter().zip(&found.standings).map(|(rank, own)| {
        let word = (own.standing != Standing::Same).then(|| own.standing.word());
        let time = rank.compile_time_s.map(|s| format!(", {}", micros(s * 1e6))).unwrap_or_default();
        let href = match rank.log {
            Some(_) => view.in_rank(rank, "index.html"),
            None => format!("#rank-{}", rank.number),
        };
        let title = format!("rank {}: {}{time}", rank.number, word.unwrap_or("as most"));
        Cell { class: class_of(own.standing), href: Some(href), title, rank: rank.number, word }
    });
    let gaps = found.fleet.missing.iter().map(|number| Cell {
        class: Some("gap"),
        href: None,
        title: format!("rank {number}: no log"),
        rank: *number,
        word: Some("no data"),
    });
    let mut cells: Vec<Cell> = ranks.chain(gaps).filter(keep).collect();
    cells.sort_by_key(|cell| cell.rank);
    cells
}

/// The number of each rank, linked to its report. Minimal markup, as there may be ten thousand.
fn numbers(view: JobView<'_>) -> anyhow::Result<Html> {
    let ranks = &view.report.job.ranks;
    let known = ranks.iter().filter(|rank| rank.log.is_some());
    let numbers = known.take(LINKED);
    let numbers =
        numbers.map(|rank| Number { rank: rank.number, href: view.in_rank(rank, "index.html") }).collect();
    let list = view.render("job_numbers", &Numbers { numbers })?;
    let beyond = ranks.len().saturating_sub(LINKED);
    Ok(match beyond {
        0 => list,
        _ => {
            let words = counted(beyond, "further rank has", "further ranks have");
            Html::joined(
                [list, format!("{words} a report in the folder `rank_` followed by the number.").into()],
                " ",
            )
        }
    })
}
