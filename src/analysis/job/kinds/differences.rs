//! Differences that are told by what two sides have in the same place: statuses, operations, order, tensors, inputs,
//! settings, process groups and cache keys.

use crate::analysis::caches::KeyChange;
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::code::{CodeDifference, breaks_on_one};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::groups::Group;
use crate::analysis::job::kinds::code::capture_the_same;
use crate::analysis::job::names::{NamedFunction, short};
use crate::analysis::job::sides::{Sides, verb};
use crate::analysis::job::words;
use crate::analysis::parameter_name;
use crate::facts::ranks::{Aspect, FactValue, GraphId, Job, RankSummary, Step, TensorFact, TextId, Texts};
use crate::model::sentence::{code, name, own, sentence, value};
use crate::model::words::noun;
use crate::model::{CompilerPart, NameOf, Sentence, SentencePart};
use crate::read::expr::guard_as_written;
use crate::read::fx_graph::short_operation;
use indexmap::IndexSet;

/// Compiles that end differently.
pub(super) fn status(sides: &Sides<'_>) -> Finding {
    sides.diverging(KindOfFinding::StatusDiffers, Severity::Warning, of_compile(sides, "ends as"))
}

/// Compiles that capture another number of operations.
pub(super) fn operations(sides: &Sides<'_>) -> Finding {
    sides.diverging(
        KindOfFinding::OpsDiffer,
        Severity::Warning,
        of_compile(sides, "captures so many operations:"),
    )
}

/// `0/0 (f) ends as missing on rank 1, ok on rank 0`
fn of_compile(sides: &Sides<'_>, verb: &'static str) -> Sentence {
    let compile = sides.compile(sides.theirs.or(sides.mine));
    let both = sides.both(|group, step| {
        let what = sides.text(step).map_or_else(|| "nothing".into(), |text| Sentence::from(value(text)));
        sentence![what, " on ", sides.who(group)]
    });
    sentence![compile, " ", verb, " ", both]
}

/// Graphs that run in another order.
pub(super) fn order(sides: &Sides<'_>) -> Finding {
    let both = sides.both(|group, step| match step.and_then(|step| step.value) {
        Some(FactValue::Executed(graph)) => {
            let name = NamedFunction::of_graph(sides.texts(), Some(graph));
            let name = name.map_or_else(|| "an unknown function".into(), |name| name.words());
            sentence![name, " (", sides.id_or_dash(step), ") on ", sides.who(group)]
        }
        _ => sentence!["none on ", sides.who(group)],
    });
    let title = sentence!["graph ", sides.first.index + 1, " to run is ", both];
    sides.diverging(KindOfFinding::ExecOrderDiffers, Severity::Info, title)
}

/// Ranks that ask the cache for different graphs although nothing else differs.
pub(super) fn keys(sides: &Sides<'_>) -> Finding {
    let change = sides.found.code.key.as_ref();
    let is_set = change.is_some_and(KeyChange::is_of_setting);
    let (severity, case) = match change {
        _ if is_set => (Severity::Warning, "options"),
        Some(KeyChange::Unwritten) => (Severity::Info, "unwritten"),
        _ => (Severity::Info, "keys"),
    };
    let title = change.and_then(|change| title_of_key(sides, change)).unwrap_or_else(|| title_of_keys(sides));
    sides.finding(KindOfFinding::CacheKeysDiffer, severity, title).in_case(case)
}

/// `` `inductor_config[max_autotune]` is `True` on rank 2, `False` on ranks 0 and 1, as the cache keys of 0/0 (f) say ``
fn title_of_key(sides: &Sides<'_>, change: &KeyChange) -> Option<Sentence> {
    let compile = || sides.compile(sides.theirs.or(sides.mine));
    let (name, [most, other], more) = match change {
        KeyChange::Graph => return None,
        KeyChange::Unwritten => {
            let equal = " differ between ranks, although everything the logs record about them is equal";
            return Some(sentence!["the cache keys of ", compile(), equal]);
        }
        KeyChange::Component { name, values, more } => (name, values, more),
    };
    let value = |value: &Option<String>| value.as_deref().map_or_else(|| own("nothing".to_owned()), code);
    let more = (*more > 0).then(|| {
        let noun = noun(*more as u64, "other component differs", "other components differ");
        own(format!(", and {more} {noun}"))
    });
    let (others, most_ranks) = (sides.who(sides.other), sides.who(sides.most));
    let both = sentence![value(other), " on ", others, ", ", value(most), " on ", most_ranks];
    Some(sentence![code(&**name), " is ", both, ", as the cache keys of ", compile(), " say", more])
}

/// `the FX graph cache is asked for `abc…` for 0/0 (f) on rank 1, `def…` for 0/0 (f) on rank 0`
fn title_of_keys(sides: &Sides<'_>) -> Sentence {
    let both = sides.both(|group, step| match step.and_then(|step| step.value) {
        Some(FactValue::Key { key, .. }) => {
            let key: String = sides.texts().get(key).chars().take(12).collect();
            sentence![code(format!("{key}…")), " for ", sides.compile(step), " on ", sides.who(group)]
        }
        _ => sentence!["nothing more on ", sides.who(group)],
    });
    sentence!["the FX graph cache is asked for ", both]
}

/// Collectives that ranks call in different process groups. Information: groups of a part of the ranks are how many programs
/// are built. None where both sides call in the same groups, and differ in what they call.
pub(super) fn groups(sides: &Sides<'_>) -> Option<Finding> {
    let (theirs, mine) = (groups_of(sides.other), groups_of(sides.most));
    if theirs.is_empty() || mine.is_empty() || theirs == mine {
        return None;
    }
    let same = sides.found.call_the_same();
    let title = sentence![
        same.then_some("ranks call the same collectives in process groups of their own: "),
        sides.who(sides.other),
        if same {
            " in "
        } else {
            verb(sides.other, " calls its collectives in ", " call their collectives in ")
        },
        group_names(sides, &theirs),
        ", ",
        sides.who(sides.most),
        " in ",
        group_names(sides, &mine),
        "; first in ",
        sides.compile(sides.theirs.or(sides.mine)),
    ];
    Some(sides.finding(KindOfFinding::ProcessGroupsDiffer, Severity::Info, title))
}

/// The names of the groups in which a side calls collectives.
fn groups_of(side: &Group) -> IndexSet<TextId> {
    let group = |step: &Step| match step.value {
        Some(FactValue::Call { group, .. }) => Some(group),
        _ => None,
    };
    side.steps.iter().filter_map(group).collect()
}

/// `process group '1'`
fn group_names(sides: &Sides<'_>, names: &IndexSet<TextId>) -> Sentence {
    let quoted = |id: &TextId| sentence!["'", name(NameOf::ProcessGroup, sides.texts().get(*id)), "'"];
    let noun = if names.len() == 1 { "process group " } else { "process groups " };
    sentence![noun, Sentence::list(names.iter().map(quoted).collect())]
}

/// What torch writes for a function or another object.
const AN_OBJECT: &str = "\"Value is not JSON serializable\"";

/// Settings of the compiler that differ.
pub(super) fn settings(sides: &Sides<'_>) -> Finding {
    let of = |step: Option<Step>| match step.and_then(|step| step.value) {
        Some(FactValue::Setting { config, name, value }) => Some((config, name, sides.texts().get(value))),
        _ => None,
    };
    let title = match (of(sides.theirs), of(sides.mine)) {
        (Some((config, name, theirs)), Some((own_config, own_name, mine)))
            if (config, name) == (own_config, own_name) && [theirs, mine].contains(&AN_OBJECT) =>
        {
            let setting = format!("{}.{}", sides.texts().get(config), sides.texts().get(name));
            // `rank 1 sets `inductor_config.x` to a function or another object`
            sides.both(|group, step| match of(step).map_or("", |(.., value)| value) {
                AN_OBJECT => {
                    let sets = verb(group, " sets ", " set ");
                    sentence![sides.who(group), sets, code(&*setting), " to a function or another object"]
                }
                value => sentence![sides.who(group), verb(group, " has ", " have "), code(value)],
            })
        }
        _ => sides.plainly("runs with", "run with"),
    };
    let is_of_capture = of(sides.theirs.or(sides.mine)).is_some_and(|(config, name, _)| {
        sides.texts().get(config) == "dynamo_config" && sides.texts().get(name).starts_with("capture_")
    });
    let mut finding = sides.finding(KindOfFinding::ConfigDiffers, Severity::Warning, title);
    finding.in_job.is_of_capture = is_of_capture;
    finding.in_case("settings")
}

/// Ranks whose graphs never reach Inductor, while those of others do: they compile with another backend.
pub(super) fn backends(job: &Job, _: &JobFound) -> Vec<Finding> {
    let captures = |rank: &RankSummary| {
        !rank.is_cut() && rank.steps(Aspect::Graphs).iter().any(|step| step.value.is_some())
    };
    let reaches = |rank: &RankSummary| {
        rank.parts_us.time_in(CompilerPart::Inductor) > 0.0
            || rank.steps(Aspect::Cache).iter().any(|step| step.value.is_some())
    };
    let ranks = job.ranks.iter().enumerate().filter(|(_, rank)| captures(rank));
    let (with, without): (Vec<_>, Vec<_>) = ranks.partition(|(_, rank)| reaches(rank));
    if with.is_empty() || without.is_empty() {
        return Vec::new();
    }
    let [with, without] =
        [with, without].map(|ranks| ranks.into_iter().map(|(index, _)| index).collect::<Vec<_>>());
    let title = sentence![
        words::ranks(job, &without),
        if without.len() == 1 { " compiles without Inductor, " } else { " compile without Inductor, " },
        words::ranks(job, &with),
        " with it",
    ];
    let finding = Finding::new(KindOfFinding::ConfigDiffers, Severity::Warning, title);
    vec![finding.in_case("backend").with_ranks(without)]
}

/// Compiles of one function that get other inputs. None where a graph break keeps an input out of one side's code.
pub(super) fn inputs(sides: &Sides<'_>) -> Option<Finding> {
    let graph = sides.theirs.or(sides.mine).and_then(|step| step.graph);
    let names = [sides.theirs, sides.mine].map(|step| match step?.value? {
        FactValue::Input { name, .. } => Some(name),
        _ => None,
    });
    let ranks = [&*sides.most.ranks, &*sides.other.ranks];
    let is_missing = names[0] != names[1];
    if is_missing && graph.is_some_and(|graph| breaks_on_one(sides.job, graph, ranks)) {
        return None;
    }
    let of_module =
        |name: Option<TextId>| name.is_some_and(|name| parameter_name(sides.texts().get(name)).is_some());
    let title = title_of_inputs(sides).unwrap_or_else(|| sides.plainly("gets", "get"));
    let mut finding = match names.into_iter().all(of_module) {
        true => {
            let is_part = !is_missing && sides.has_collective(graph) && are_parts(sides, graph);
            let severity = if is_part { Severity::Info } else { Severity::Warning };
            sides.finding(KindOfFinding::InputsDiffer, severity, title).in_case("of_module")
        }
        false if is_missing => {
            sides.finding(KindOfFinding::InputsDiffer, Severity::Warning, title).in_case("missing")
        }
        false => of_sizes(sides, KindOfFinding::InputsDiffer, graph, title),
    };
    sides.place(&mut finding, NamedFunction::of_graph(sides.texts(), graph).and_then(|name| name.place));
    Some(finding)
}

/// Whether ranks call the same collectives with equal tensors, in graphs that differ in sizes only.
fn are_parts(sides: &Sides<'_>, graph: Option<GraphId>) -> bool {
    let found = sides.found;
    let differs_in_sizes = |one: &CodeDifference| Some(one.graph) == graph && one.only_constants;
    found.call_the_same()
        && found.code.calls.is_empty()
        && found.code.graph.as_ref().is_some_and(differs_in_sizes)
}

/// None where the sides have no tensor in the same place.
fn title_of_inputs(sides: &Sides<'_>) -> Option<Sentence> {
    let texts = sides.texts();
    let input = |step: Option<Step>| match step?.value? {
        FactValue::Input { name, tensor, .. } => Some((name, tensor)),
        _ => None,
    };
    let ((input, theirs), (own_input, mine)) = (input(sides.theirs)?, input(sides.mine)?);
    let graph = sides.theirs?.graph;
    if graph != sides.mine?.graph {
        return None;
    }
    let function = NamedFunction::of_graph(texts, graph).map(|name| name.words());
    let written = |input: TextId| {
        let name = texts.get(input);
        code(short(&parameter_name(name).unwrap_or_else(|| guard_as_written(name))))
    };
    if input != own_input {
        // Inputs are in the order of their names, so the side that has a later one there lacks the other's.
        let is_theirs = texts.get(input) < texts.get(own_input);
        let (with, without) = if is_theirs { (sides.other, sides.most) } else { (sides.most, sides.other) };
        let one = written(if is_theirs { input } else { own_input });
        let compile = sides.compile(sides.theirs);
        let (has, lacks) = (verb(with, " has", " have"), verb(without, " does", " do"));
        return Some(sentence![
            "in ",
            compile,
            ", ",
            sides.who(with),
            has,
            " the input ",
            one,
            ", ",
            sides.who(without),
            lacks,
            " not"
        ]);
    }
    let (after, before) = pair(texts, theirs, mine);
    let (there, here) = (sides.id_or_dash(sides.theirs), sides.id_or_dash(sides.mine));
    let also = (there != here).then(|| sentence![" (", here, " there)"]);
    let input = written(input);
    let (other, most) = (sides.who(sides.other), sides.who(sides.most));
    let place = sentence!["in ", there, ", ", function, ", the input ", input];
    Some(sentence![place, " is ", after, " on ", other, ", ", before, " on ", most, also])
}

/// Graphs whose operations return different tensors.
pub(super) fn tensors(sides: &Sides<'_>) -> Finding {
    let kind = KindOfFinding::TensorMetaDiffers;
    let graph = sides.theirs.or(sides.mine).and_then(|step| step.graph);
    if let Some(title) = title_of_lowered(sides) {
        return sides.finding(kind, Severity::Warning, title).in_case("lowered");
    }
    let title = title_of_tensors(sides).unwrap_or_else(|| sides.plainly("has", "have"));
    of_sizes(sides, kind, graph, title)
}

/// What Inductor makes of one captured graph; None where it is not known to be one, or has as many operations.
fn title_of_lowered(sides: &Sides<'_>) -> Option<Sentence> {
    let own_graph = sides.mine?.graph;
    let graph = sides.theirs?.graph.filter(|graph| own_graph == Some(*graph))?;
    let count = |group: &Group| group.steps.iter().filter(|step| step.graph == Some(graph)).count();
    let (theirs, mine) = (count(sides.other), count(sides.most));
    let is_one = capture_the_same(sides.job, graph, [&sides.most.ranks, &sides.other.ranks]);
    let compile = sides.compile(sides.theirs);
    let operations =
        sentence![" operations on ", sides.who(sides.other), ", ", mine, " on ", sides.who(sides.most)];
    (is_one && theirs != mine)
        .then(|| sentence!["of the same captured graph, ", compile, ", Inductor makes ", theirs, operations])
}

/// A finding about different sizes, with what they lead to; a graph that calls collectives may hang.
fn of_sizes(sides: &Sides<'_>, kind: KindOfFinding, graph: Option<GraphId>, title: Sentence) -> Finding {
    let case = if sides.has_collective(graph) { "with_collective" } else { "without_collective" };
    let mut finding = sides.finding(kind, Severity::Warning, title);
    finding.advise_all(KindOfFinding::InputsDiffer.advice(case, &[]));
    finding
}

/// None where a side has no operation there.
fn title_of_tensors(sides: &Sides<'_>) -> Option<Sentence> {
    let texts = sides.texts();
    let (there, here) = (sides.compile(sides.theirs), sides.compile(sides.mine));
    let (other, most) = (sides.who(sides.other), sides.who(sides.most));
    let operation = |step: Option<Step>| match step?.value? {
        FactValue::Output { operation, outputs, .. } => Some((operation, texts.tensors(outputs))),
        _ => None,
    };
    let ((name, theirs), (own_name, mine)) = (operation(sides.theirs)?, operation(sides.mine)?);
    let same_graph = sides.theirs.map(|step| step.graph) == sides.mine.map(|step| step.graph);
    let operation = operation_words(texts.get(name));
    if name != own_name || !same_graph {
        let theirs = sentence![operation, " in ", there, " on ", other];
        let mine = sentence![operation_words(texts.get(own_name)), " in ", here, " on ", most];
        return Some(sentence!["graphs hold other operations: ", theirs, ", ", mine]);
    }
    let (after, before) = outputs_that_differ(texts, theirs, mine);
    Some(sentence![
        "in ", there, ", ", operation, " gives ", after, " on ", other, ", ", before, " on ", most
    ])
}

/// An operation in words. Inductor names its own operations `op7`, and a fused one after all of its parts.
pub(in crate::analysis::job) fn operation_words(name: &str) -> Sentence {
    let parts: Vec<&str> = name.split('_').collect();
    let is_number = |part: &&str| {
        part.strip_prefix("op")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    match parts.len() {
        1 if parts.iter().all(is_number) => {
            sentence!["a kernel (", SentencePart::Operator(name.to_owned()), " of the schedule)"]
        }
        count if parts.iter().all(is_number) => sentence!["a kernel of ", count, " fused operations"],
        _ => SentencePart::Operator(short(short_operation(name)).to_owned()).into(),
    }
}

/// The first output that differs.
fn outputs_that_differ(
    texts: &Texts,
    theirs: &[TensorFact],
    mine: &[TensorFact],
) -> (SentencePart, SentencePart) {
    match theirs.iter().zip(mine).find(|(theirs, mine)| theirs != mine) {
        Some((theirs, mine)) => pair(texts, *theirs, *mine),
        None => (code(format!("{} tensors", theirs.len())), code(format!("{} tensors", mine.len()))),
    }
}

/// Two tensors with dtype and sizes; with strides where only these differ.
fn pair(texts: &Texts, theirs: TensorFact, mine: TensorFact) -> (SentencePart, SentencePart) {
    let shown = |tensor: TensorFact| match (theirs.dtype, theirs.sizes) == (mine.dtype, mine.sizes) {
        true => SentencePart::Shape(short(&tensor.text(texts)).to_owned()),
        false => SentencePart::Shape(tensor.without_strides(texts)),
    };
    (shown(theirs), shown(mine))
}
