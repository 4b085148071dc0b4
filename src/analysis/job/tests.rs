//! What is said of the ranks of a job, by the rows of a file.

use super::code::differing_settings;
use super::groups::compare;
use super::kinds::{gap_words, operation_words, without_hard_marks};
use super::names::{NamedFunction, in_brackets};
use crate::analysis::compared_code::{
    CodeLine, FindLines, differing_calls, differing_guards, differing_operators, differing_statements,
};
use crate::cases::hold_parts;
use crate::facts::ranks::{
    Aspect, CodePlace, FactValue, FunctionFact, GraphId, GraphKey, GraphRuntime, Job, RankEnd, RankState,
    RankSummary, ReaderName, Step, Texts,
};
use crate::model::RankLog;
use crate::model::words::ranks_by_number;
use crate::read::fx_graph::short_operation;

#[test]
fn ranks_are_compared_and_named_as_the_rows_of_their_file_say() {
    hold_parts(include_str!("cases.txt"), answer);
}

fn answer(question: &str, parts: &[&str]) -> Vec<String> {
    let text = parts[0];
    match question {
        "ranks by their lists" => compared(text, &parts[1..]),
        "numbers of ranks in words" => {
            let ranks: Vec<u64> = text.split(' ').map(|rank| rank.parse().unwrap()).collect();
            vec![ranks_by_number(&ranks)]
        }
        "short name of an operation" => vec![short_operation(text).to_owned()],
        "operation in a sentence" => vec![operation_words(text).text().to_string()],
        "gap of so many seconds" => {
            vec![gap_words(text.parse().unwrap()).unwrap_or_else(|| "none".to_owned())]
        }
        "advice without marks that raise" => without_hard_marks(text).lines().map(str::to_owned).collect(),
        "function" => named(text, &parts[1..]),
        "guards that differ" => differing(differing_guards, text, parts[1]),
        "statements that differ" => differing(differing_statements, text, parts[1]),
        "operators that differ" => differing(differing_operators, text, parts[1]),
        "tensors of collectives" => differing(differing_calls, text, parts[1]),
        "settings of collectives" => differing(differing_settings, text, parts[1]),
        _ => panic!("{question}"),
    }
}

/// The line of the larger side and of the other one, with the place of the second.
fn differing(find: FindLines, most: &str, other: &str) -> Vec<String> {
    let Some(found) = find(most, other) else { return vec!["equal".to_owned()] };
    let place = |line: &CodeLine| Some(format!("{}:{}", line.place.file.as_ref()?, line.place.line?));
    let words = |line: &Option<CodeLine>| line.as_ref().map_or_else(|| "none".to_owned(), CodeLine::words);
    let constants = found.only_constants.then(|| "only a constant".to_owned());
    let place = found.other.as_ref().and_then(place);
    [words(&found.one), words(&found.other)].into_iter().chain(place).chain(constants).collect()
}

/// Groups of ranks, the position at which they first differ with what each group has there, and who is left out.
fn compared(aspect: &str, lists: &[&str]) -> Vec<String> {
    let mut job = Job::default();
    let aspect = Aspect::ALL.into_iter().find(|one| format!("{one:?}") == aspect).unwrap();
    lists.iter().for_each(|list| rank(&mut job, aspect, list));
    let found = match compare(&job, aspect) {
        Ok(found) => found,
        Err(unknown) => return vec![format!("{unknown:?}")],
    };
    let numbers = |ranks: &[usize]| ranks.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let value =
        |step: &Option<Step>| step.and_then(|step| job.value(&step)).unwrap_or_else(|| "nothing".to_owned());
    let first = found.first.map(|first| {
        let values: Vec<String> = first.by_group.iter().map(value).collect();
        format!("at {}: {}", first.index, values.join(", "))
    });
    let left_out = (!found.left_out.is_empty()).then(|| format!("left out {}", numbers(&found.left_out)));
    let in_part = (!found.in_part.is_empty()).then(|| format!("in part {}", numbers(&found.in_part)));
    let groups = found.groups.iter().map(|group| numbers(&group.ranks));
    groups.chain(first).chain(left_out).chain(in_part).collect()
}

/// Adds a rank with a list: a text belongs to the compile in front of it.
fn rank(job: &mut Job, aspect: Aspect, list: &str) {
    let (list, is_cut) = list.strip_suffix(" cut").map_or((list, false), |list| (list, true));
    let (list, cached) = list.split_once(" cached ").unwrap_or((list, ""));
    let mut rank = RankSummary::unreadable(job.ranks.len() as u64, String::new());
    rank.state = RankState::Ok;
    rank.log = Some(RankLog { records: 1, ..RankLog::default() });
    let texts = &mut job.texts;
    let event = texts.add("chromium_event");
    rank.end = is_cut.then(|| RankEnd {
        time_us: None,
        event,
        compile: None,
        inside: true,
        phases: Vec::new().into(),
        timed: None,
    });
    let mut ids: Vec<_> = cached.split(' ').filter(|id| !id.is_empty()).map(|id| graph(texts, id)).collect();
    ids.sort_unstable();
    rank.cached = ids.into();
    let hidden: Vec<GraphId> = if aspect == Aspect::ExecOrder { Vec::new() } else { rank.cached.to_vec() };
    if list != "none" || !hidden.is_empty() || aspect == Aspect::Collectives && !is_cut {
        let step = |text: &str| {
            let id = text.split_once(' ').map(|(id, _)| id);
            let (compile, graph) = (id.map(|id| texts.add(id)), id.map(|id| graph(texts, id)));
            let value = (text != "?").then(|| FactValue::Status(texts.add(text)));
            Step { compile, graph, value, note: None }
        };
        let gap = |graph| Step { compile: None, graph: Some(graph), value: None, note: None };
        let known = list.split(", ").filter(|text| *text != "none").map(step);
        let mut steps: Vec<Step> = known.chain(hidden.into_iter().map(gap)).collect();
        steps.sort_by_key(|step| if aspect.is_by_graph() { step.graph } else { None });
        let steps = job.texts.sequence(steps);
        rank.facts = [(aspect, steps)].into();
    }
    job.ranks.push(rank);
}

/// What all ranks call the first compile of a function; here a function is called as its compile.
fn graph(texts: &mut Texts, id: &str) -> GraphId {
    let function = FunctionFact { name: Some(texts.add(id)), place: None };
    texts.add_graph(GraphKey { function, nth: 0 })
}

/// The function in a sentence; where ranks have a name for it, the name without marks and their line.
fn named(torch: &str, titles: &[&str]) -> Vec<String> {
    let mut texts = Texts::default();
    let graph = graph(&mut texts, torch);
    let called = Some(CodePlace { file: texts.add("/app/train.py"), line: Some(44) });
    for title in titles {
        let title = texts.add(title);
        texts.name_graph(graph, ReaderName { title, called });
    }
    let Some(function) = NamedFunction::of_graph(&texts, Some(graph)) else {
        assert_eq!(in_brackets(&texts, Some(graph)), "");
        return vec!["none".to_owned()];
    };
    let line = function.place.and_then(|place| place.line);
    let plain = line.map(|line| format!("{} called in {line}", function.plain()));
    [function.words().text().to_string()].into_iter().chain(plain).collect()
}

#[test]
fn many_ranks_with_lists_of_their_own_are_compared_in_time() {
    let mut job = Job::default();
    for number in 0..1_024 {
        let own = format!("0/0 size {number}");
        rank(&mut job, Aspect::TensorMeta, &format!("0/0 a, 1/0 b, {own} cached 9/0"));
    }
    let found = compare(&job, Aspect::TensorMeta).unwrap();
    assert_eq!((found.groups.len(), found.first.unwrap().index), (1_024, 2));
}

#[test]
fn a_graph_without_estimates_has_no_time_beside_one_that_has() {
    let mut job = Job::default();
    for ns in [5.0, 50.0] {
        rank(&mut job, Aspect::Functions, "0/0 a");
        let estimated = |texts: &mut Texts, graph: &str, ns: f64| {
            let (graph, operation) = (texts.add(graph), texts.add("mm"));
            GraphRuntime::new(graph, vec![operation].into(), [Some(ns)].into_iter()).into()
        };
        let runtime = vec![estimated(&mut job.texts, "zero", 0.0), estimated(&mut job.texts, "some", ns)];
        job.ranks.last_mut().unwrap().runtime = Some(runtime);
    }
    let compared = super::runtime::of_job(&job).unwrap();
    assert_eq!((compared.why_not, compared.graphs.len()), (None, 1));
    assert_eq!(&*compared.graphs[0].graph, "some");
}
