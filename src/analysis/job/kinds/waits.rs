//! Ranks that wait while another builds the kernels that both need.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words;
use crate::model::sentence::{own, sentence};
use crate::model::{Interval, Job, RankSummary};

static KIND: KindOfFinding = KindOfFinding::of("build_wait", "Waiting");

const ADVICE: &str = "Processes that share a cache folder build each kernel once; the others wait for the lock on its file. This is as fast as building it themselves. A cache folder that is warm before the job starts avoids the wait.";

/// Seconds below which a wait is omitted.
const LEAST_S: f64 = 1.0;

/// Ranks considered as builders: in a large job all ranks build at the same time.
const MOST_BUILDERS: usize = 64;

/// How long a rank waited, and for whom.
struct Wait {
    rank: usize,
    builder: usize,
    seconds: f64,
}

pub(super) fn findings(job: &Job, _: &JobFound) -> Vec<Finding> {
    let mut waits: Vec<Wait> = Vec::new();
    for (rank, waiting) in job.ranks.iter().enumerate().filter(|(_, rank)| !rank.pauses.is_empty()) {
        let builders = job.ranks.iter().enumerate();
        let builders = builders.filter(|(index, other)| *index != rank && share_cache(waiting, other));
        let seconds = builders.take(MOST_BUILDERS).map(|(builder, other)| Wait {
            rank,
            builder,
            seconds: overlap_s(&waiting.pauses, &other.builds),
        });
        waits.extend(
            seconds.max_by(|a, b| a.seconds.total_cmp(&b.seconds)).filter(|one| one.seconds >= LEAST_S),
        );
    }
    let Some(longest) = waits.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)) else {
        return Vec::new();
    };
    let ranks: Vec<usize> = waits.iter().map(|wait| wait.rank).collect();
    let title = sentence![
        words::ranks(job, &ranks),
        if ranks.len() == 1 { " waits " } else { " wait up to " },
        own(format!("{:.1} s", longest.seconds)),
        " for kernels that ",
        words::ranks(job, &[longest.builder]),
        " builds (`compile_file`)",
    ];
    let detail = "The wait is part of `Scheduler.codegen` and `PyCodeCache.load_by_key_path`: long intervals without an inner phase while the other rank builds. The waiting rank does no work in them.";
    vec![Finding::new(&KIND, Severity::Info, title).with_detail(detail).with_advice(ADVICE).with_ranks(ranks)]
}

/// Whether two ranks may wait for each other's files: they wrote code to the same folder.
fn share_cache(one: &RankSummary, other: &RankSummary) -> bool {
    one.cache_folders.iter().any(|folder| other.cache_folders.contains(folder))
}

/// Seconds of the pauses in which something was built. Neither list overlaps itself.
fn overlap_s(pauses: &[Interval], builds: &[Interval]) -> f64 {
    let both = pauses.iter().flat_map(|pause| {
        let shared = |build: &Interval| build.end_us.min(pause.end_us) - build.start_us.max(pause.start_us);
        builds.iter().map(shared)
    });
    both.filter(|us| *us > 0.0).sum::<f64>() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_counts_in_which_the_other_builds() {
        let interval =
            |start_us: f64, end_us: f64| Interval { start_us: start_us * 1e6, end_us: end_us * 1e6 };
        let (pauses, builds) =
            ([interval(0.0, 5.0), interval(8.0, 9.0)], [interval(1.0, 2.0), interval(4.0, 8.5)]);
        assert!((overlap_s(&pauses, &builds) - 2.5).abs() < 1e-9);
        assert!(overlap_s(&pauses, &[interval(5.0, 8.0)]) < 1e-9);
    }
}
