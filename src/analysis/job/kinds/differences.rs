//! Differences that are told by what two sides have in the same place: statuses, operations, order, tensors, inputs,
//! settings, process groups and cache keys.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::{NamedFunction, in_brackets, short};
use crate::analysis::job::sides::{Sides, verb};
use crate::analysis::job::words;
use crate::analysis::parameter_name;
use crate::facts::ranks::{Fact, FactValue, GraphId, Job, RankSummary, Step, TensorFact, TextId, Texts};
use crate::model::sentence::{code, name, sentence, value};
use crate::model::{CompilerPart, NameOf, Sentence, SentencePart};
use crate::read::fx_graph::short_operation;
use indexmap::IndexSet;

const OF_SETTINGS: &str = "Settings change what is generated, so they may be the cause of other differences. Set the same environment variables and torch._dynamo / torch._inductor options on each rank.";

const OF_BACKENDS: &str = "The logs of these ranks hold captured graphs and no work of Inductor, so they compile with another backend, which runs other kernels and takes another time. Give `torch.compile` the same `backend` on each rank.";

const OF_GROUPS: &str = "Ranks wait for each other only within a process group. Different groups are expected if the program splits its ranks into groups (tensor or pipeline parallel); if all ranks should take part, check which group each rank passes.";

const OF_KEYS: &str = "A key holds the graph, its inputs with their devices, and settings. Ranks on different devices have different keys; on one device, compare the components of the keys on the caches pages of the ranks.";

/// Compiles that end differently.
pub(super) fn status(sides: &Sides<'_>) -> Finding {
    sides
        .diverging(KindOfFinding::StatusDiffers, Severity::Warning, of_compile(sides, "ends as"))
        .with_detail("`missing` means that the process stopped during the compile.")
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
    let both = sides.both(|group, step| match step.and_then(|step| step.value) {
        Some(FactValue::Key { graph, key, .. }) => {
            let key: String = sides.texts().get(key).chars().take(12).collect();
            let compile = sentence![sides.id_or_dash(step), in_brackets(sides.texts(), graph)];
            sentence![code(format!("{key}…")), " for ", compile, " on ", sides.who(group)]
        }
        _ => sentence!["nothing more on ", sides.who(group)],
    });
    let title = sentence!["the FX graph cache is asked for ", both];
    sides.finding(KindOfFinding::CacheKeysDiffer, Severity::Info, title).with_advice(OF_KEYS)
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
    Some(sides.finding(KindOfFinding::ProcessGroupsDiffer, Severity::Info, title).with_advice(OF_GROUPS))
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
    sides.finding(KindOfFinding::ConfigDiffers, Severity::Warning, title).with_advice(OF_SETTINGS)
}

/// Ranks whose graphs never reach Inductor, while those of others do: they compile with another backend.
pub(super) fn backends(job: &Job, _: &JobFound) -> Vec<Finding> {
    let captures = |rank: &RankSummary| {
        let graphs = rank.fact(Fact::Graphs).into_iter().flat_map(|steps| steps.iter());
        !rank.is_cut() && graphs.into_iter().any(|step| step.value.is_some())
    };
    let reaches = |rank: &RankSummary| {
        let lookups = rank.fact(Fact::Cache).into_iter().flat_map(|steps| steps.iter());
        rank.parts_us.time_in(CompilerPart::Inductor) > 0.0
            || lookups.into_iter().any(|step| step.value.is_some())
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
    vec![finding.with_advice(OF_BACKENDS).with_ranks(without)]
}

/// Compiles of one function that get other inputs.
pub(super) fn inputs(sides: &Sides<'_>) -> Finding {
    let graph = sides.theirs.or(sides.mine).and_then(|step| step.graph);
    let title = title_of_inputs(sides).unwrap_or_else(|| sides.plainly("gets", "get"));
    let mut finding = sides
        .finding(KindOfFinding::InputsDiffer, Severity::Warning, title)
        .with_advice(of_sizes(sides, graph));
    sides.place(&mut finding, NamedFunction::of_graph(sides.texts(), graph).and_then(|name| name.place));
    finding
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
        let parameter = parameter_name(name);
        code(short(parameter.as_deref().unwrap_or(name)))
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
    let graph = sides.theirs.or(sides.mine).and_then(|step| step.graph);
    let title = title_of_tensors(sides).unwrap_or_else(|| sides.plainly("has", "have"));
    sides
        .finding(KindOfFinding::TensorMetaDiffers, Severity::Warning, title)
        .with_advice(of_sizes(sides, graph))
}

/// What different sizes lead to; a graph that calls collectives may hang.
fn of_sizes(sides: &Sides<'_>, graph: Option<GraphId>) -> &'static str {
    match sides.has_collective(graph) {
        true => {
            "This graph calls collectives: on tensors of different sizes they hang, fail or mix data up. Check that each rank gets a batch of the same size (drop_last in its sampler), or pad it."
        }
        false => {
            "No collective of this graph is recorded, so the sizes need not be equal. Each rank compiles for its own sizes: if they vary from step to step, ranks recompile at different times and wait for each other; mark the size as dynamic, or give all ranks batches of the same size."
        }
    }
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
