//! Estimated runtimes of graphs, compared between ranks where that means something.

use super::words::rank_words;
use crate::facts::ranks::{GraphRuntime, Job};
use crate::facts::{GraphRuntimes, RankTime, RuntimeComparison};
use std::sync::Arc;

type Graphs<'j> = (usize, &'j [Arc<GraphRuntime>]);

/// None where no log has estimates.
pub(super) fn of_job(job: &Job) -> Option<RuntimeComparison<'static>> {
    let ranks = job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable());
    let (known, without): (Vec<_>, Vec<_>) = ranks.partition(|(_, rank)| rank.runtime.is_some());
    if known.is_empty() {
        return None;
    }
    let known: Vec<Graphs<'_>> =
        known.iter().filter_map(|(index, rank)| Some((*index, rank.runtime.as_deref()?))).collect();
    let without: Vec<usize> = without.iter().map(|(index, _)| *index).collect();
    let refused =
        |why: String| Some(RuntimeComparison { why_not: Some(why.into()), ..RuntimeComparison::default() });
    let has_time = known.iter().flat_map(|(_, graphs)| graphs.iter()).flat_map(|graph| graph.ops());
    if !has_time.into_iter().any(|(_, ns)| ns.is_some_and(|ns| ns != 0.0)) {
        return refused("no data: all estimates are 0, as torch gives for the CPU".to_owned());
    }
    if let Some(why) = implausible(job, &known) {
        return refused(format!("implausible: {why}"));
    }
    if !without.is_empty() {
        let has = if without.len() == 1 { "has" } else { "have" };
        return refused(format!(
            "{} {has} no estimates; torch makes none for a cached graph",
            rank_words(job, &without)
        ));
    }
    if let Some(why) = mismatch(job, &known) {
        return refused(why);
    }
    Some(RuntimeComparison { comparable: true, why_not: None, graphs: graphs(job, &known).into() })
}

/// Why the estimates cannot be right.
fn implausible(job: &Job, known: &[Graphs<'_>]) -> Option<String> {
    for (rank, graphs) in known {
        for (graph, (op, ns)) in graphs.iter().flat_map(|g| g.ops().map(move |op| (g, op))) {
            let place = || format!("{} in graph {}", job.texts.get(op), job.texts.get(graph.graph));
            match ns {
                None => return Some(format!("{} has no number for {}", rank_words(job, &[*rank]), place())),
                Some(ns) if !ns.is_finite() || ns < 0.0 => {
                    return Some(format!("{} has {ns} ns for {}", rank_words(job, &[*rank]), place()));
                }
                Some(_) => {}
            }
        }
    }
    None
}

/// Where the graphs of a rank differ from the first rank's.
fn mismatch(job: &Job, known: &[Graphs<'_>]) -> Option<String> {
    let ((reference, theirs), others) = known.split_first()?;
    let name = |graph: Option<&Arc<GraphRuntime>>| match graph {
        Some(graph) => format!("{} with {} operations", job.texts.get(graph.graph), graph.names.len()),
        None => "no further graph".to_owned(),
    };
    for (rank, mine) in others {
        let at = (0..mine.len().max(theirs.len())).find(|&at| match (mine.get(at), theirs.get(at)) {
            (Some(a), Some(b)) => !same_operations(a, b),
            _ => true,
        });
        if let Some(at) = at {
            return Some(format!(
                "the graphs differ: {} has {}, {} has {}",
                rank_words(job, &[*reference]),
                name(theirs.get(at)),
                rank_words(job, &[*rank]),
                name(mine.get(at)),
            ));
        }
    }
    None
}

fn same_operations(one: &GraphRuntime, other: &GraphRuntime) -> bool {
    one.graph == other.graph && one.names == other.names
}

fn graphs(job: &Job, known: &[Graphs<'_>]) -> Vec<GraphRuntimes<'static>> {
    let Some((_, first)) = known.first() else { return Vec::new() };
    let times = first.iter().enumerate().filter_map(|(at, graph)| {
        let of_rank = |(rank, graphs): &Graphs<'_>| {
            let ns: f64 = graphs.get(at)?.ops().filter_map(|(_, ns)| ns).sum();
            Some(RankTime { rank: job.ranks.get(*rank).map(|rank| rank.number), ms: ns / 1e6 })
        };
        let times: Vec<RankTime> = known.iter().filter_map(of_rank).collect();
        let fastest = *times.iter().min_by(|a, b| a.ms.total_cmp(&b.ms))?;
        let slowest = *times.iter().rev().max_by(|a, b| a.ms.total_cmp(&b.ms))?;
        // A missing estimate is not a time of 0.
        if slowest.ms <= 0.0 {
            return None;
        }
        let mean_ms = times.iter().map(|time| time.ms).sum::<f64>() / times.len() as f64;
        let (graph, delta_ms) = (job.texts.get(graph.graph).to_owned().into(), slowest.ms - fastest.ms);
        Some(GraphRuntimes { graph, fastest, slowest, delta_ms, mean_ms })
    });
    times.collect()
}
