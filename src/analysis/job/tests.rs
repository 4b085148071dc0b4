//! Groups, gaps and first differences of lists made by hand.

use super::groups::{Unknown, compare};
use crate::model::{
    Fact, FactValue, FunctionFact, GraphId, GraphKey, GraphRuntime, Job, RankEnd, RankLog, RankState,
    RankSummary, Step, Texts,
};

/// A rank whose list of a kind of fact has these texts (`?` is unknown); a text belongs to the compile in front of it.
fn rank(job: &mut Job, fact: Fact, list: Option<&[&str]>, cached: &[&str]) {
    let mut rank = RankSummary::unreadable(job.ranks.len() as u64, String::new());
    rank.state = RankState::Ok;
    rank.log = Some(RankLog { records: 1, ..RankLog::default() });
    let texts = &mut job.texts;
    let mut ids: Vec<_> = cached.iter().map(|id| graph(texts, id)).collect();
    ids.sort_unstable();
    rank.cached = ids.into();
    if let Some(list) = list {
        let step = |text: &&str| {
            let id = text.split_once(' ').map(|(id, _)| id);
            let (compile, graph) = (id.map(|id| texts.add(id)), id.map(|id| graph(texts, id)));
            let value = (*text != "?").then(|| FactValue::Status { graph, status: texts.add(text) });
            Step { compile, graph, value, note: None }
        };
        let steps = list.iter().map(step).collect();
        let steps = job.texts.sequence(steps);
        rank.facts.insert(fact, steps);
    }
    job.ranks.push(rank);
}

/// What all ranks call the first compile of a function; here a function is called as its compile.
fn graph(texts: &mut Texts, id: &str) -> GraphId {
    let function = FunctionFact { name: Some(texts.add(id)), place: None };
    texts.add_graph(GraphKey { function, nth: 0 })
}

/// Groups of ranks, and the position at which they first differ with what each group has there.
type Outcome = (Vec<Vec<usize>>, Option<(usize, Vec<Option<String>>)>, Vec<usize>);

fn outcome(job: &Job, fact: Fact) -> Outcome {
    let found = compare(job, fact).unwrap();
    let first = found.first.map(|first| {
        let text = |step: &Option<Step>| step.and_then(|step| job.value(&step));
        (first.index, first.by_group.iter().map(text).collect())
    });
    (found.groups.into_iter().map(|group| group.ranks).collect(), first, found.left_out)
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn equal_lists_are_one_group_and_the_largest_comes_first() {
    let mut job = Job::default();
    for list in [["0/0 a", "1/0 x"], ["0/0 a", "1/0 b"], ["0/0 a", "1/0 b"], ["0/0 c", "1/0 b"]] {
        rank(&mut job, Fact::CompileIds, Some(&list), &[]);
    }
    let (groups, first, _) = outcome(&job, Fact::CompileIds);
    assert_eq!(groups, [vec![1, 2], vec![0], vec![3]]);
    // Rank 3 parts at position 0; there rank 0 has what most have.
    assert_eq!(first, Some((0, vec![some("0/0 a"), some("0/0 a"), some("0/0 c")])));
}

#[test]
fn a_list_that_ends_early_differs_where_it_ends() {
    let mut job = Job::default();
    rank(&mut job, Fact::CompileIds, Some(&["0/0 a", "1/0 b"]), &[]);
    rank(&mut job, Fact::CompileIds, Some(&["0/0 a"]), &[]);
    assert_eq!(outcome(&job, Fact::CompileIds).1, Some((1, vec![some("1/0 b"), None])));
}

#[test]
fn what_a_cache_hid_contradicts_nobody() {
    let mut job = Job::default();
    rank(&mut job, Fact::Collectives, Some(&["0/0 reduce", "1/0 gather"]), &[]);
    rank(&mut job, Fact::Collectives, Some(&["0/0 reduce", "1/0 scatter"]), &[]);
    rank(&mut job, Fact::Collectives, Some(&["1/0 scatter"]), &["0/0"]);
    rank(&mut job, Fact::Collectives, Some(&["1/0 other"]), &["0/0"]);
    rank(&mut job, Fact::Collectives, None, &["0/0", "1/0"]);
    let (groups, first, left_out) = outcome(&job, Fact::Collectives);
    assert_eq!(groups, [vec![1, 2], vec![0], vec![3]], "rank 2 has what rank 1 has, as far as it knows");
    assert_eq!(first, Some((1, vec![some("1/0 scatter"), some("1/0 gather"), some("1/0 other")])));
    assert_eq!(left_out, [4]);
}

#[test]
fn a_rank_that_schedules_nothing_differs_from_one_that_does() {
    let mut job = Job::default();
    rank(&mut job, Fact::Collectives, Some(&["0/0 reduce"]), &[]);
    rank(&mut job, Fact::Collectives, None, &[]);
    assert_eq!(outcome(&job, Fact::Collectives).1, Some((0, vec![some("0/0 reduce"), None])));
    assert_eq!(compare(&job, Fact::TensorMeta).unwrap_err(), Unknown::NotRecorded);
}

#[test]
fn a_position_without_an_id_agrees_with_any_and_a_list_of_them_is_left_out() {
    let mut job = Job::default();
    rank(&mut job, Fact::ExecOrder, Some(&["0/0 a", "1/0 b"]), &[]);
    rank(&mut job, Fact::ExecOrder, Some(&["?", "1/0 b"]), &["0/0"]);
    rank(&mut job, Fact::ExecOrder, Some(&["?", "?"]), &["0/0"]);
    let (groups, first, left_out) = outcome(&job, Fact::ExecOrder);
    assert_eq!((groups, first, left_out), (vec![vec![0, 1]], None, vec![2]));
    rank(&mut job, Fact::ExecOrder, Some(&["?", "0/0 a"]), &["0/0"]);
    assert_eq!(outcome(&job, Fact::ExecOrder).1, Some((1, vec![some("1/0 b"), some("0/0 a")])));
}

#[test]
fn one_list_is_compared_with_none() {
    let mut job = Job::default();
    assert_eq!(compare(&job, Fact::CompileIds).unwrap_err(), Unknown::NoRank);
    rank(&mut job, Fact::ExecOrder, Some(&["0/0 a"]), &[]);
    rank(&mut job, Fact::ExecOrder, None, &["0/0"]);
    assert_eq!(compare(&job, Fact::ExecOrder).unwrap_err(), Unknown::Cached);
}

#[test]
fn many_ranks_with_lists_of_their_own_are_compared_in_time() {
    let mut job = Job::default();
    for number in 0..1_024 {
        let own = format!("0/0 size {number}");
        rank(&mut job, Fact::TensorMeta, Some(&["0/0 a", "1/0 b", &own]), &["9/0"]);
    }
    let (groups, first, _) = outcome(&job, Fact::TensorMeta);
    assert_eq!(groups.len(), 1_024);
    assert_eq!(first.unwrap().0, 2);
}

#[test]
fn a_log_that_ends_inside_a_compile_before_any_collective_has_no_data_and_is_left_out() {
    let mut job = Job::default();
    rank(&mut job, Fact::Collectives, Some(&["0/0 reduce"]), &[]);
    rank(&mut job, Fact::Collectives, Some(&["0/0 reduce"]), &[]);
    rank(&mut job, Fact::Collectives, None, &[]);
    let event = job.texts.add("chromium_event");
    let end =
        RankEnd { time_us: None, event, compile: None, inside: true, phases: Vec::new().into(), timed: None };
    job.ranks[2].end = Some(end);
    let (groups, first, left_out) = outcome(&job, Fact::Collectives);
    assert_eq!((groups, first, left_out), (vec![vec![0, 1]], None, vec![2]));
}

#[test]
fn a_graph_without_estimates_has_no_time_beside_one_that_has() {
    let mut job = Job::default();
    for ns in [5.0, 50.0] {
        rank(&mut job, Fact::CompileIds, Some(&["0/0 a"]), &[]);
        let estimated = |texts: &mut Texts, graph: &str, ns: f64| {
            let (graph, operation) = (texts.add(graph), texts.add("mm"));
            GraphRuntime { graph, names: vec![operation].into(), ns: vec![ns].into() }.into()
        };
        let runtime = vec![estimated(&mut job.texts, "zero", 0.0), estimated(&mut job.texts, "some", ns)];
        job.ranks.last_mut().unwrap().runtime = Some(runtime);
    }
    let compared = super::runtime::of_job(&job).unwrap();
    assert_eq!((compared.why_not, compared.graphs.len()), (None, 1));
    assert_eq!(job.texts.get(compared.graphs[0].graph), "some");
}
