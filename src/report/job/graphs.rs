//! The graph in which ranks first differ, from two ranks, side by side.

use super::pills::pill_of;
use super::view::JobView;
use crate::analysis::job::rank_words;
use crate::analysis::two_columns::two_columns;
use crate::facts::ranks::RankGraph;
use crate::report::kit::columns::{self, Room};
use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{heading, note_below, strong};
use std::io::Write;

/// Bytes of markup of both graphs, which are linked.
const ROOM: usize = 150_000;

/// Both graphs; empty if they were not read or are equal.
pub(super) fn write(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some([first, second]) = &view.report.evidence.graphs else { return Ok(()) };
    let columns = two_columns(&first.text, &second.text);
    if columns.rough || columns.removed + columns.added == 0 {
        return Ok(());
    }
    heading(out, "The captured graphs")?;
    let who = [first, second].map(|graph| rank_words(view.report.job, &[graph.rank]));
    let label = format!("The captured graphs: {} on the left, {} on the right", who[0], who[1]);
    let heads = [first, second].map(|graph| head(view, graph));
    let left_out = columns::side_by_side((&label, heads), &columns, (&mut Room(ROOM), out))?;
    if left_out > 0 {
        let count = counted(left_out, "further line", "further lines");
        note_below(out, format!("Not shown: {count}; the links above each side have the whole graphs."))?;
    }
    Ok(())
}

fn head(view: JobView<'_>, graph: &RankGraph) -> Html {
    let who = strong(rank_words(view.report.job, &[graph.rank]));
    let Some(rank) = view.rank_at(graph.rank) else { return who };
    let count = counted(graph.text.lines().count(), "line", "lines");
    let link = view.link(&view.in_rank(rank, &graph.file), &format!("the graph, {count}"));
    Html::joined([who, pill_of(view, rank, &graph.compile), link], " ")
}
