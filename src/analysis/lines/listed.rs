//! The order of files, and which lines the page shows.

use super::facts::{Counts, LineFacts, Lines, LinesOfFile};
use crate::limits::{LONG_LIST, LONG_TABLE};
use crate::trace::TextMap;
use std::cmp::Reverse;

/// Lines on the page, over all files; each takes about 2 KB.
const MOST_LISTED: usize = 2_500;

/// Orders the files and chooses the lines that the page shows.
pub(super) fn listed(mut files: Vec<LinesOfFile>, elsewhere: Counts) -> Lines {
    files.sort_by_cached_key(|file| {
        let Counts { us, breaks, fails, operators, .. } = file.counts();
        (file.is_library, Reverse((us as u64, fails + breaks, operators)), file.file.clone())
    });
    let mut room = MOST_LISTED;
    for file in &mut files {
        let most = if file.lines.len() > LONG_TABLE { LONG_LIST } else { file.lines.len() };
        let most = most.min(room);
        let mut order: Vec<usize> = (0..file.lines.len()).collect();
        if most < order.len() {
            order.sort_by_cached_key(|at| file.lines.get(*at).map(importance));
        }
        for at in order.into_iter().take(most) {
            if let Some(line) = file.lines.get_mut(at) {
                line.listed = true;
            }
        }
        room -= most;
    }
    let places: TextMap<String, usize> = files.iter().map(|file| file.file.clone()).zip(0..).collect();
    Lines { files, elsewhere, places }
}

/// Lines with findings first, then those with the most compile time, then those with the most operators.
fn importance(line: &LineFacts) -> (bool, Reverse<(u64, u64)>, u64) {
    (!line.is_found(), Reverse((line.counts.us as u64, line.counts.operators)), line.number)
}
