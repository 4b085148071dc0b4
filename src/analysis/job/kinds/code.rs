//! Compiles of one function that ranks guard otherwise, of which they capture another graph, or that call a collective with
//! other tensors.

use crate::analysis::compared_code::{CodeLine, StatementDifference, place_of, statement_difference};
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::code::{CodeDifference, CodeSide, settings as settings_of};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::names::{NamedFunction, short};
use crate::analysis::job::sides::{Sides, set_compiles, set_place};
use crate::analysis::job::words;
use crate::facts::ranks::{Aspect, GraphId, Job};
use crate::model::sentence::{code, compile_id, sentence};
use crate::model::{Sentence, SentencePart};

/// What a guard calls the dimensions of a tensor that the program marked as dynamic.
const MARKED: &str = ", '_dynamo_dynamic_indices')";

/// Guards that differ; None where their texts are not at hand, or differ only in what follows from the sizes of inputs.
pub(super) fn guards(sides: &Sides<'_>) -> Option<Finding> {
    let (job, found) = (sides.job, sides.found.code.guards.as_ref()?);
    let graph = sides.found.code.graph.as_ref().filter(|graph| graph.graph == found.graph);
    let guard = |side: &CodeSide| match &side.line {
        Some(line) => sentence!["for ", code(short(&line.text))],
        None => "without such a guard".into(),
    };
    let marks = of_marks(job, found);
    let is_marked = marks.is_some();
    let title = marks.unwrap_or_else(|| {
        let [other, most] = [&found.other, &found.most].map(|side| words::ranks(job, &side.ranks));
        let compiles = if found.other.ranks.len() == 1 { " compiles " } else { " compile " };
        let begin = sentence![other, compiles, compile(job, found), " "];
        match (&found.other.line, &found.most.line) {
            (None, Some(line)) => {
                sentence![begin, "without the guard ", code(short(&line.text)), " of ", most]
            }
            _ => sentence![begin, guard(&found.other), ", ", most, " ", guard(&found.most)],
        }
    });
    let is_other_code = graph.is_some_and(|graph| !graph.only_constants);
    let (severity, case) = match graph {
        _ if is_marked => (Severity::Warning, "marks"),
        Some(graph) if graph.only_constants => (Severity::Info, "value"),
        Some(_) => (Severity::Warning, "code"),
        None if !capture_the_same(job, found.graph, [&found.most.ranks, &found.other.ranks]) => {
            (Severity::Info, "unread")
        }
        None if found.of_state => (Severity::Warning, "state"),
        None => (Severity::Info, "nothing"),
    };
    let mut finding = finding(job, found, KindOfFinding::GuardsDiffer, severity, title).in_case(case);
    finding.detail = graph
        .filter(|_| is_other_code)
        .map(|graph| sentence!["In the captured graphs, ", statements(job, graph), "."].plain());
    Some(finding)
}

/// `` rank 0 marks `x` as dynamic in f (0/0), rank 1 does not ``, where one side is compiled for a tensor without a mark, and
/// the other for the dimensions of its mark.
fn of_marks(job: &Job, found: &CodeDifference) -> Option<Sentence> {
    let (other, most) = (&found.other, &found.most);
    let (tensor, marks, does_not) = match (unmarked(other), unmarked(most)) {
        (Some(tensor), None) => (tensor, most, other),
        (None, Some(tensor)) => (tensor, other, most),
        _ => return None,
    };
    marks.line.as_ref().filter(|line| line.text.contains(MARKED))?;
    let of = |side: &CodeSide, one, many| {
        sentence![words::ranks(job, &side.ranks), if side.ranks.len() == 1 { one } else { many }]
    };
    let marks = sentence![of(marks, " marks ", " mark "), code(tensor), " as dynamic in "];
    Some(sentence![marks, compile(job, found), ", ", of(does_not, " does not", " do not")])
}

/// The tensor that a side's guard says to have no mark.
fn unmarked(side: &CodeSide) -> Option<&str> {
    side.line.as_ref()?.text.strip_suffix(" == False")?.strip_suffix(MARKED)?.strip_prefix("hasattr(")
}

/// Whether two groups of ranks are known to have captured the same graph.
pub(super) fn capture_the_same(job: &Job, graph: GraphId, groups: [&[usize]; 2]) -> bool {
    let [most, other] = groups.map(|ranks| {
        let steps = job.ranks.get(*ranks.first()?)?.fact(Aspect::Graphs)?;
        steps.iter().find(|step| step.graph == Some(graph))?.value
    });
    most.is_some() && most == other
}

/// The same without their texts, where ranks differ in nothing else.
pub(super) fn unread_guards(sides: &Sides<'_>) -> Option<Finding> {
    Some(unread(sides, KindOfFinding::GuardsDiffer, "guards"))
}

fn unread(sides: &Sides<'_>, kind: KindOfFinding, what: &'static str) -> Finding {
    let compile = sides.compile(sides.theirs.or(sides.mine));
    let (other, most) = (sides.who(sides.other), sides.who(sides.most));
    let title = sentence!["the ", what, " of ", compile, " differ between ", other, " and ", most];
    let mut finding = sides.finding(kind, Severity::Info, title);
    finding.advise_all(KindOfFinding::GuardsDiffer.advice("unread", &[]));
    finding
}

/// Captured graphs that differ.
pub(super) fn graphs(sides: &Sides<'_>) -> Finding {
    let Some(found) = sides.found.code.graph.as_ref() else {
        return unread(sides, KindOfFinding::GraphsDiffer, "captured graphs");
    };
    let title = sentence!["in ", compile(sides.job, found), ", ", statements(sides.job, found)];
    let (severity, case) = match found.only_constants {
        true => (Severity::Info, "value"),
        false => (Severity::Warning, "code"),
    };
    let mut finding = finding(sides.job, found, KindOfFinding::GraphsDiffer, severity, title);
    finding.advise_all(KindOfFinding::GuardsDiffer.advice(case, &[]));
    finding
}

/// Collectives that ranks call with other tensors.
pub(super) fn calls(job: &Job, found: &JobFound) -> Vec<Finding> {
    let shape = |side: &CodeSide| SentencePart::Shape(side.line.clone().unwrap_or_default().annotation);
    let finding = |one: &CodeDifference| {
        let shapes = [&one.other, &one.most].map(shape);
        of_call(job, one, " gives ", shapes, ["other_tensors", "tensors_of_versions"])
    };
    found.code.calls.iter().map(finding).collect()
}

/// Collectives that ranks call with another operation or source: these pair, and what they give is wrong.
pub(super) fn settings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let all = |side: &CodeSide| side.line.as_ref().map_or_else(Vec::new, |line| settings_of(&line.text));
    let finding = |one: &CodeDifference| {
        let mut pairs = all(&one.other).into_iter().zip(all(&one.most));
        let (theirs, mine) = pairs.find(|(theirs, mine)| theirs != mine).unwrap_or_default();
        let settings = [theirs, mine].map(code);
        of_call(job, one, " is called with ", settings, ["other_settings", "settings_of_versions"])
    };
    found.code.settings.iter().map(finding).collect()
}

/// `` in f (0/0), `all_reduce` gives f16[4] on rank 1, f32[4] on rank 0 ``, as an error where both calls are sure to meet.
fn of_call(
    job: &Job,
    one: &CodeDifference,
    does: &'static str,
    [theirs, mine]: [SentencePart; 2],
    [sure, of_versions]: [&'static str; 2],
) -> Finding {
    let on = |value, side: &CodeSide| sentence![value, " on ", words::ranks(job, &side.ranks)];
    let operator = one.other.line.as_ref().map(CodeLine::operator).unwrap_or_default();
    let call = sentence!["in ", compile(job, one), ", ", SentencePart::Operator(operator), does];
    let title = sentence![call, on(theirs, &one.other), ", ", on(mine, &one.most)];
    // All ranks run the first version of a function in its first call.
    let (severity, case) = match job.texts.graph(one.graph).is_some_and(|key| key.nth == 0) {
        true => (Severity::Error, sure),
        false => (Severity::Warning, of_versions),
    };
    finding(job, one, KindOfFinding::CollectivesDiffer, severity, title).in_case(case)
}

/// The first statement in which the graphs differ.
fn statements(job: &Job, found: &CodeDifference) -> Sentence {
    let [others, most] = [&found.other, &found.most].map(|side| words::ranks(job, &side.ranks));
    let on_both = |[theirs, mine]: [SentencePart; 2]| {
        sentence![theirs, " on ", others.clone(), ", ", mine, " on ", most.clone()]
    };
    match statement_difference(found.other.line.as_ref(), found.most.line.as_ref()) {
        Some(StatementDifference::Result { operator, shapes }) => {
            sentence![SentencePart::Operator(operator), " gives ", on_both(shapes.map(SentencePart::Shape))]
        }
        Some(StatementDifference::End { operator, in_first }) => {
            let ended = if in_first { most } else { others };
            sentence!["the graph of ", ended, " ends before ", SentencePart::Operator(operator)]
        }
        Some(StatementDifference::Arguments { operator, arguments }) => {
            let arguments = on_both(arguments.map(|text| code(short(&text))));
            sentence![SentencePart::Operator(operator), " gets ", arguments]
        }
        Some(StatementDifference::Operators(names)) => {
            sentence!["the first operator that differs is ", on_both(names.map(SentencePart::Operator))]
        }
        None => Sentence::default(),
    }
}

/// `f` (0/0)
fn compile(job: &Job, found: &CodeDifference) -> Sentence {
    let id = job.texts.maybe(found.other.compile).or_else(|| job.texts.maybe(found.most.compile));
    let id = id.map(|id| sentence![" (", compile_id(id), ")"]);
    match NamedFunction::of_graph(&job.texts, Some(found.graph)) {
        Some(name) => sentence![name.words(), id],
        None => sentence!["a compile", id],
    }
}

fn finding(
    job: &Job,
    found: &CodeDifference,
    kind: KindOfFinding,
    severity: Severity,
    title: Sentence,
) -> Finding {
    let mut finding = Finding::new(kind, severity, title).with_ranks(found.other.ranks.clone());
    set_compiles(job, &mut finding, [found.other.compile, found.most.compile]);
    let defined = NamedFunction::of_graph(&job.texts, Some(found.graph)).and_then(|name| name.place);
    let defined_in = defined.map(|place| job.texts.get(place.file));
    match place_of([found.other.line.as_ref(), found.most.line.as_ref()], defined_in) {
        Some(place) => finding.place = place,
        None => set_place(job, &mut finding, defined),
    }
    finding
}
