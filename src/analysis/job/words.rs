//! Ranks in words.

use crate::facts::ranks::Job;
use crate::limits::IN_ROW;
use crate::model::SentencePart;
use crate::model::sentence::own;

/// `1`, `3 and 5`, `0 to 3, 7 and 9`; many as `0, 2, 4, 6, 8 and 120 more`.
pub fn numbers(ranks: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(rank) => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    // Two in a row are not a run.
    let runs = runs.into_iter().flat_map(|(first, last)| match last - first {
        1 => vec![(first, first), (last, last)],
        _ => vec![(first, last)],
    });
    let runs: Vec<(u64, u64)> = runs.collect();
    let word = |(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    };
    if runs.len() <= IN_ROW {
        return list_of(&runs.iter().map(word).collect::<Vec<_>>());
    }
    let named: Vec<String> = runs.iter().take(IN_ROW - 1).map(word).collect();
    let count: u64 = runs.iter().take(IN_ROW - 1).map(|(first, last)| last - first + 1).sum();
    format!("{} and {} more", named.join(", "), (ranks.len() as u64).saturating_sub(count))
}

/// `rank 1`, `ranks 3 and 5`: ranks of a job by their index.
pub fn rank_words(job: &Job, indices: &[usize]) -> String {
    let ranks: Vec<u64> = indices.iter().filter_map(|&index| Some(job.ranks.get(index)?.number)).collect();
    let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
    format!("{noun} {}", numbers(&ranks))
}

/// The same as a part of a sentence.
pub(super) fn ranks(job: &Job, indices: &[usize]) -> SentencePart {
    own(rank_words(job, indices))
}

/// `a`, `a and b`, `a, b and c`.
pub fn list_of(words: &[String]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// Whether an operation is the wait for a collective, which every collective has.
pub fn is_wait(operation: &str) -> bool {
    operation.contains("wait_tensor")
}
