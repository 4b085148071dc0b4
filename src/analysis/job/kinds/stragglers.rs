//! Ranks that compiled much longer than most.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::names::{NamedFunction, with_id};
use crate::analysis::job::ranks::median;
use crate::analysis::job::sides::{set_compiles, set_place};
use crate::analysis::job::words::{rank_words, ranks};
use crate::facts::ranks::{GraphId, Job, RankSummary, SlowCompile, TextId};
use crate::limits::LISTED;
use crate::model::Sentence;
use crate::model::sentence::{own, sentence};

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let fleet = &found.fleet;
    let (Some(middle), Some(extremes)) = (fleet.median_s, fleet.extremes) else { return Vec::new() };
    let Some(slowest) = job.ranks.get(extremes.slowest).filter(|_| !fleet.stragglers.is_empty()) else {
        return Vec::new();
    };
    let most = slowest.compile_time_s.unwrap_or_default();
    let verb = if fleet.stragglers.len() == 1 { " takes " } else { " take up to " };
    // With two ranks, the other rank's time says more than a median.
    let least = job.ranks.get(extremes.fastest).and_then(|rank| rank.compile_time_s).unwrap_or_default();
    let usual = if fleet.timed == 2 { least } else { middle };
    let compared = match fleet.timed {
        2 => sentence![ranks(job, &[extremes.fastest]), own(format!(" {least:.2} s"))],
        _ => own(format!("the median of all ranks is {middle:.2} s")).into(),
    };
    let slow = slow_compile(job, &fleet.stragglers, slowest);
    let place = slow.as_ref().map(|slow| sentence!["; ", slow.words(job)]);
    let most_s = own(format!("{most:.2} s"));
    let title = sentence![ranks(job, &fleet.stragglers), verb, most_s, " to compile; ", compared, place];
    let one_off = slowest.one_offs.toolchain_s;
    let by_toolchain = one_off * 2.0 > most - usual;
    let severity = if by_toolchain { Severity::Info } else { Severity::Warning };
    let mut finding = Finding::new(KindOfFinding::Straggler, severity, title);
    if one_off > 0.0 {
        finding.explain(format!("The first C++ build (toolchain) took {one_off:.1} s of it."));
    }
    if by_toolchain {
        finding.say("toolchain", &[]);
    }
    finding.in_job.ranks = fleet.stragglers.clone();
    if let Some(slow) = slow {
        set_compiles(job, &mut finding, [slow.id]);
        let named = NamedFunction::of_graph(&job.texts, Some(slow.compile.graph));
        set_place(job, &mut finding, named.and_then(|named| named.place));
    }
    vec![finding]
}

/// The compile in which a rank is slower than others.
struct Slow {
    compile: SlowCompile,
    /// Its id on the slow rank.
    id: Option<TextId>,
    /// Seconds of the same compile on the rank in the middle of the others.
    usual_s: Option<f64>,
    /// The only other rank, where there is one.
    others: Option<usize>,
}

impl Slow {
    /// `6.47 s of it in `first` (0/0), 6.26 s in AOTAutograd; 0.31 s on the others`
    fn words(&self, job: &Job) -> Sentence {
        let named = NamedFunction::of_graph(&job.texts, Some(self.compile.graph));
        let what = with_id(&job.texts, named, self.id);
        let part = self.compile.part;
        let part =
            part.map(|part| own(format!(", {:.2} s in {}", self.compile.part_s, part.in_a_sentence())));
        let others = self.others.map_or_else(|| "the others".to_owned(), |rank| rank_words(job, &[rank]));
        let usual = match self.usual_s {
            Some(usual) => own(format!("; {usual:.2} s on {others}")),
            None => own(format!(", not among the slowest compiles of {others}")),
        };
        sentence![own(format!("{:.2} s of it", self.compile.seconds)), " in ", what, part, usual]
    }
}

/// The compile that takes the slow rank the most seconds longer than others.
fn slow_compile(job: &Job, stragglers: &[usize], rank: &RankSummary) -> Option<Slow> {
    let others = job.ranks.iter().enumerate().filter(|(index, _)| stragglers.binary_search(index).is_err());
    let others: Vec<(usize, &RankSummary)> = others.take(LISTED).collect();
    let only = match others.as_slice() {
        [(index, _)] => Some(*index),
        _ => None,
    };
    let usual = |graph: GraphId| {
        let all = others.iter().flat_map(|(_, rank)| &rank.slowest).filter(|one| one.graph == graph);
        median(&all.map(|one| one.seconds).collect::<Vec<_>>())
    };
    let slow = rank.slowest.iter().map(|compile| Slow {
        compile: *compile,
        id: None,
        usual_s: usual(compile.graph),
        others: only,
    });
    let more = |slow: &Slow| slow.compile.seconds - slow.usual_s.unwrap_or_default();
    let mut worst = slow.max_by(|one, other| more(one).total_cmp(&more(other)))?;
    worst.id = rank.compile(worst.compile.graph);
    Some(worst)
}
