//! Estimated runtimes of graphs, compared between ranks where that means something.

use super::words::rank_words;
use crate::facts::ranks::{GraphRuntime, Job, TextId};
use crate::facts::{GraphRuntimes, RankTime, RuntimeComparison};
use fxhash::FxHashMap;
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
    let common = common(&known);
    match (known.len(), common.is_empty()) {
        (1, _) if !without.is_empty() => {
            let cached = |rank: &usize| job.ranks.get(*rank).is_some_and(|rank| !rank.cached.is_empty());
            let why = if without.iter().all(cached) { "; torch makes none for a cached graph" } else { "" };
            let has = if without.len() == 1 { "has" } else { "have" };
            refused(format!("{} {has} no estimates{why}", rank_words(job, &without)))
        }
        (_, true) => refused("no graph has the same operations on all ranks".to_owned()),
        _ => Some(RuntimeComparison { comparable: true, why_not: None, graphs: graphs(job, common).into() }),
    }
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

/// A graph as each rank has it.
type OnRanks<'j> = Vec<(usize, &'j GraphRuntime)>;

/// Graphs that all these ranks have, with the same operations.
fn common<'j>(known: &[Graphs<'j>]) -> Vec<OnRanks<'j>> {
    let Some((_, first)) = known.first() else { return Vec::new() };
    let by_graph = |graphs: &'j [Arc<GraphRuntime>]| -> FxHashMap<TextId, &'j GraphRuntime> {
        graphs.iter().map(|graph| (graph.graph, &**graph)).collect()
    };
    let all: Vec<(usize, FxHashMap<TextId, &GraphRuntime>)> =
        known.iter().map(|(rank, graphs)| (*rank, by_graph(graphs))).collect();
    let on_ranks = first.iter().map(|graph| -> Option<OnRanks<'j>> {
        let same = |own: &&GraphRuntime| own.names == graph.names;
        all.iter().map(|(rank, own)| Some((*rank, own.get(&graph.graph).copied().filter(same)?))).collect()
    });
    on_ranks.flatten().collect()
}

fn graphs(job: &Job, common: Vec<OnRanks<'_>>) -> Vec<GraphRuntimes<'static>> {
    let times = common.into_iter().filter_map(|graph| {
        let of_rank = |(rank, graph): &(usize, &GraphRuntime)| {
            let ns: f64 = graph.ops().filter_map(|(_, ns)| ns).sum();
            RankTime { rank: job.ranks.get(*rank).map(|rank| rank.number), ms: ns / 1e6 }
        };
        let times: Vec<RankTime> = graph.iter().map(of_rank).collect();
        let fastest = *times.iter().min_by(|a, b| a.ms.total_cmp(&b.ms))?;
        let slowest = *times.iter().rev().max_by(|a, b| a.ms.total_cmp(&b.ms))?;
        // A missing estimate is not a time of 0.
        if slowest.ms <= 0.0 {
            return None;
        }
        let mean_ms = times.iter().map(|time| time.ms).sum::<f64>() / times.len() as f64;
        let name = graph.first()?.1.graph;
        let (graph, delta_ms) = (job.texts.get(name).to_owned().into(), slowest.ms - fastest.ms);
        Some(GraphRuntimes { graph, fastest, slowest, delta_ms, mean_ms })
    });
    times.collect()
}
