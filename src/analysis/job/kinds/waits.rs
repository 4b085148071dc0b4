//! Ranks that wait while another builds what both need, by the rule and with the seconds of their own reports.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words;
use crate::model::sentence::{own, sentence};
use crate::model::{Interval, Job, RankSummary};

static KIND: KindOfFinding = KindOfFinding::of("build_wait", "Waiting");

const ADVICE: &str = "Processes that share a cache folder build each file once; the others wait for the lock on it. This is as fast as building it themselves. A cache folder that is warm before the job starts avoids the wait.";

const WHERE: &str = "The wait is part of `Scheduler.codegen` and `PyCodeCache.load_by_key_path`: long intervals without an inner phase while the other rank builds. The waiting rank does no work in them.";

/// Seconds below which a wait is omitted.
const LEAST_S: f64 = 1.0;

/// Ranks considered as builders: in a large job all ranks build at the same time.
const MOST_BUILDERS: usize = 64;

/// A rank that builds, with how long others wait while it does.
struct Builder {
    rank: usize,
    seconds: f64,
}

/// A rank that waits, by the seconds in its own report.
struct Wait {
    rank: usize,
    seconds: f64,
}

pub(super) fn findings(job: &Job, _: &JobFound) -> Vec<Finding> {
    let found = builder(job).and_then(|builder| Some((builder, job.ranks.get(builder)?)));
    let Some((builder, builds)) = found else { return Vec::new() };
    let others = job.ranks.iter().enumerate().filter(|(index, _)| *index != builder);
    let waiting = others.filter(|(_, rank)| waits(rank) && share_cache(rank, builds));
    let waits: Vec<Wait> =
        waiting.map(|(index, rank)| Wait { rank: index, seconds: rank.one_offs.waiting_s }).collect();
    let Some(longest) = waits.iter().map(|wait| wait.seconds).reduce(f64::max) else { return Vec::new() };
    let ranks: Vec<usize> = waits.iter().map(|wait| wait.rank).collect();
    let toolchain_s = builds.one_offs.toolchain_s;
    let title = sentence![
        words::ranks(job, &ranks),
        if ranks.len() == 1 { " waits " } else { " wait up to " },
        own(format!("{longest:.1} s")),
        " while ",
        words::ranks(job, &[builder]),
        if toolchain_s > 0.0 { " builds the C++ toolchain and kernels" } else { " builds kernels" },
        " (`compile_file`)",
    ];
    let first = match toolchain_s > 0.0 {
        true => format!(
            "\nThe first C++ build took {toolchain_s:.1} s on {}.",
            words::rank_words(job, &[builder])
        ),
        false => String::new(),
    };
    let finding = Finding::new(&KIND, Severity::Info, title).with_detail(format!("{WHERE}{first}"));
    vec![finding.with_advice(ADVICE).with_ranks(ranks)]
}

/// Whether a rank waited long enough to be named.
fn waits(rank: &RankSummary) -> bool {
    rank.one_offs.waiting_s >= LEAST_S
}

/// The rank for which the others wait longest.
fn builder(job: &Job) -> Option<usize> {
    let waiting: Vec<&RankSummary> =
        job.ranks.iter().filter(|rank| waits(rank)).take(MOST_BUILDERS).collect();
    let builders = job.ranks.iter().enumerate().filter(|(_, rank)| !rank.builds.is_empty() && !waits(rank));
    let builders = builders.take(MOST_BUILDERS).map(|(index, rank)| {
        let own = waiting.iter().filter(|waiting| share_cache(waiting, rank));
        Builder { rank: index, seconds: own.map(|waiting| overlap_s(&waiting.pauses, &rank.builds)).sum() }
    });
    let best = builders.max_by(|one, other| one.seconds.total_cmp(&other.seconds));
    best.filter(|best| best.seconds > 0.0).map(|best| best.rank)
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
