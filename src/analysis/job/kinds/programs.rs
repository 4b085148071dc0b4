//! Logs of several programs that ran at the same time and wrote into one folder.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::names::NamedFunction;
use crate::facts::ranks::{FunctionFact, Job, RankSummary};
use crate::model::Sentence;
use crate::model::sentence::sentence;
use std::collections::BTreeSet;

/// The functions that a process compiles.
type Program = BTreeSet<FunctionFact>;

/// The finding, where each rank has logs of the same programs and the ranks' own logs are not of one of them.
pub(super) fn finding(job: &Job) -> Option<Finding> {
    let programs = |rank: &RankSummary| -> Vec<Program> {
        let mut all: Vec<Program> = std::iter::once(rank).chain(&rank.processes).map(program).collect();
        all.sort();
        all
    };
    let first = programs(job.ranks.first()?);
    let is_alike = first.len() > 1 && job.ranks.iter().all(|rank| programs(rank) == first);
    let own: BTreeSet<Program> = job.ranks.iter().map(program).collect();
    if !is_alike || own.len() < 2 || own.iter().any(BTreeSet::is_empty) {
        return None;
    }
    let named = own.iter().map(|program| name(job, &own, program)).collect();
    let title = sentence![
        "this folder holds logs of ",
        own.len(),
        " programs that ran at the same time, with ",
        Sentence::list(named),
    ];
    let ranks = (0..job.ranks.len()).collect();
    Some(Finding::new(KindOfFinding::SeveralPrograms, Severity::Warning, title).with_ranks(ranks))
}

fn program(rank: &RankSummary) -> Program {
    rank.functions().map(|(_, function)| function).collect()
}

/// A program by a function that no other one compiles.
fn name(job: &Job, all: &BTreeSet<Program>, program: &Program) -> Sentence {
    let is_own = |function: &FunctionFact| {
        all.iter().filter(|other| *other != program).all(|other| !other.contains(function))
    };
    let known = job.ranks.iter().flat_map(RankSummary::functions);
    let own = known.filter(|(_, function)| program.contains(function) && is_own(function));
    let first = own.into_iter().next().or_else(|| Some((None, *program.first()?)));
    first.map_or_else(Sentence::default, |(graph, function)| {
        NamedFunction::new(&job.texts, graph, function).words()
    })
}
