//! All compiles of a log as rows of the list that is beside the page of each.

use crate::model::{Compile, CompileIndex, Status};
use crate::report::kit::formats::clipped;
use crate::report::kit::markup::script_json;
use crate::report::subject::Report;
use fxhash::FxHashSet;
use serde::Serialize;

/// Compiles before and after its own that a page lists, and the costliest ones of the log: with a list of all on each page,
/// reports would grow with the square of their compiles.
const AROUND: usize = 80;
const COSTLIEST: usize = 40;

/// Characters of a function's name in the list, which is narrow.
const LONGEST_NAME: usize = 40;

/// The compiles of a log as rows of the list.
pub(crate) struct Walk {
    /// Their indices, in the order of the log; records without an id are none, and compiles without a page are left out.
    order: Vec<CompileIndex>,
    /// The row of each, as JSON.
    rows: Vec<String>,
    /// Places of the costliest.
    costliest: FxHashSet<usize>,
}

/// `["14/1",0,"fn_013",66.1]`: id, status, function, milliseconds; and its folder if that does not follow from the id.
#[derive(Serialize)]
struct Row<'a>(
    &'a str,
    usize,
    &'a str,
    Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")] Option<String>,
);

impl Walk {
    pub fn of(report: Report<'_>) -> Walk {
        let model = report.model;
        let with_page = |compile: &Compile| compile.id.is_some() && !compile.is_bare;
        let identified = model.compiles.indexed().filter(|(_, compile)| with_page(compile));
        let mut walk = Walk { order: Vec::new(), rows: Vec::new(), costliest: FxHashSet::default() };
        let mut costs: Vec<(f64, usize)> = Vec::new();
        for (index, compile) in identified {
            costs.push((compile.compile_us().unwrap_or_default(), walk.order.len()));
            walk.order.push(index);
            walk.rows.push(row(report, index, compile));
        }
        costs.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        walk.costliest = costs.into_iter().take(COSTLIEST).map(|(_, place)| place).collect();
        walk
    }

    /// Whether there is anywhere to go.
    pub fn is_empty(&self) -> bool {
        self.order.len() < 2
    }

    /// How many compiles there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The place of a compile.
    pub fn place(&self, index: CompileIndex) -> Option<usize> {
        self.order.binary_search(&index).ok()
    }

    /// The rows around a place and those of the costliest compiles, as JSON.
    pub fn rows_around(&self, place: usize) -> String {
        let around = place.saturating_sub(AROUND)..=place + AROUND;
        let listed = |place: &usize| around.contains(place) || self.costliest.contains(place);
        let rows = self.rows.iter().enumerate().filter(|(place, _)| listed(place));
        rows.map(|(_, row)| row.as_str()).collect::<Vec<_>>().join(",")
    }

    /// The compiles before and after one.
    pub fn neighbors(&self, place: usize) -> [Option<CompileIndex>; 2] {
        let before = place.checked_sub(1).and_then(|place| self.order.get(place));
        [before.copied(), self.order.get(place + 1).copied()]
    }
}

fn row(report: Report<'_>, index: CompileIndex, compile: &Compile) -> String {
    let id = compile.label();
    let name = report.found.names.at(index);
    let name = name.map(|name| match &name.resumed {
        Some(line) => format!("{} \u{21b3}{line}", name.title),
        None => name.title.clone(),
    });
    let name = name.unwrap_or_default();
    // A tenth of a millisecond is what the list shows at most.
    let ms = compile.compile_us().map(|us| (us / 100.0).round() / 10.0);
    let folder = compile.folder(0);
    let folder = (folder != plain_folder(&id)).then_some(folder);
    let row = Row(&id, status_number(compile.status), clipped(&name, LONGEST_NAME).0, ms, folder);
    // Texts and numbers are always valid.
    script_json(&row).unwrap_or_default()
}

/// The folder of an id whose parts are numbers, as the script makes it: `-_14_1_0` of `14/1`.
fn plain_folder(id: &str) -> String {
    let (autograd, rest) = match id.strip_prefix('!') {
        Some(rest) => rest.split_once('/').map_or((rest, ""), |(autograd, rest)| (autograd, rest)),
        None => ("-", id),
    };
    let (frame, compile) = rest.split_once('/').unwrap_or(("-", "-"));
    format!("{autograd}_{frame}_{compile}_0")
}

/// The place of a status in the script's list.
fn status_number(status: Status) -> usize {
    match status {
        Status::Ok => 0,
        Status::Break => 1,
        Status::Empty => 2,
        Status::Error => 3,
        Status::Missing => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::CompileId;

    #[test]
    fn the_script_finds_the_folder_of_an_id_of_numbers() {
        for id in ["0/0", "14/1", "!1/0/0", "!1"] {
            let compile = Compile::new(CompileId::parse(id));
            assert_eq!(plain_folder(id), compile.folder(0), "{id}");
        }
    }
}
