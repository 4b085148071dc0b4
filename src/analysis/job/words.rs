//! Ranks in words.

use crate::facts::ranks::Job;
use crate::model::SentencePart;
use crate::model::sentence::own;
use crate::model::words::ranks_by_number;

/// `rank 1`, `ranks 3 and 5`: ranks of a job by their index.
pub fn rank_words(job: &Job, indices: &[usize]) -> String {
    let ranks: Vec<u64> = indices.iter().filter_map(|&index| Some(job.ranks.get(index)?.number)).collect();
    ranks_by_number(&ranks)
}

/// The same as a part of a sentence.
pub(super) fn ranks(job: &Job, indices: &[usize]) -> SentencePart {
    own(rank_words(job, indices))
}

/// `once`, `twice`, `3 times`
pub(super) fn how_often(times: u64) -> String {
    match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{times} times"),
    }
}

/// Whether an operation is the wait for a collective, which every collective has.
pub fn is_wait(operation: &str) -> bool {
    operation.contains("wait_tensor")
}
