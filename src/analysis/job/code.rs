//! What ranks differ in where a compile is known by hashes: the guard and the statement of the captured graph. Their texts are
//! read from the reports of two ranks, only where the hashes differ.

use super::groups::{Compared, Comparison, Group, comparison};
use super::words::short_operation;
use crate::analysis::own_code::{is_library, is_within_torch};
use crate::analysis::user_place::UserPlace;
use crate::facts::ranks::{Fact, FactValue, GraphId, Job, TextId};
use crate::model::{Fields, stable};
use crate::read::expr::{self, guard_as_written};
use crate::read::fx_graph::{GraphText, Node, PlaceComment, Statement};
use crate::read::guard_tree::{GuardLine, is_compared, read_guard_tree};
use crate::trace::TextSet;
use fxhash::{FxHashMap, FxHashSet};

/// Reads a text of a compile from the report of a rank, an index into the job's: the compile by its id there.
pub type ReadText<'f> = &'f dyn Fn(usize, &str, CodeText) -> Option<String>;

/// The texts of a compile by which ranks are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeText {
    /// The graph that Dynamo captured.
    Graph,
    /// The tree of guards.
    Guards,
}

impl CodeText {
    /// The name of its artifact.
    pub fn artifact(self) -> &'static str {
        match self {
            CodeText::Graph => "dynamo_output_graph",
            CodeText::Guards => "dynamo_cpp_guards_str",
        }
    }

    fn fact(self) -> Fact {
        match self {
            CodeText::Graph => Fact::Graphs,
            CodeText::Guards => Fact::Guards,
        }
    }
}

/// A compile in which ranks differ, with the line of each side.
#[derive(Debug, Clone)]
pub struct CodeDifference {
    pub graph: GraphId,
    /// Most ranks.
    pub most: CodeSide,
    /// The ranks that differ from them.
    pub other: CodeSide,
    /// Whether the graphs have the same operators with the same shapes, so that only numbers differ.
    pub only_constants: bool,
}

/// What a side has where its text first differs from the other's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeSide {
    /// Indices into the job's ranks.
    pub ranks: Vec<usize>,
    /// The compile, as the first of them names it.
    pub compile: Option<TextId>,
    pub line: Option<CodeLine>,
}

/// A guard or a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeLine {
    /// Of a statement, what it defines; of a guard, nothing.
    pub name: String,
    /// Of a statement, the type of its value: `f32[2][1]cpu`.
    pub annotation: String,
    /// The condition of the guard, or what the statement computes.
    pub text: String,
    /// The line of the user's program behind it; torch shortens the path of a guard's.
    pub place: UserPlace,
}

/// Where the captured graphs and the guards of ranks first differ, each if they do.
#[derive(Debug, Default)]
pub struct CodeDifferences {
    pub guards: Option<CodeDifference>,
    pub graph: Option<CodeDifference>,
    /// Collectives that ranks call with other tensors, one for each graph.
    pub calls: Vec<CodeDifference>,
}

impl CodeDifferences {
    /// The difference in a kind of fact.
    pub fn of(&self, fact: Fact) -> Option<&CodeDifference> {
        match fact {
            Fact::Guards => self.guards.as_ref(),
            Fact::Graphs => self.graph.as_ref(),
            _ => None,
        }
    }
}

impl CodeLine {
    /// A guard as it is, or a statement: `linear: f32[8, 24] = torch._C._nn.linear(x, w)`.
    pub fn words(&self) -> String {
        match (self.name.as_str(), self.annotation.as_str()) {
            ("", _) => self.text.clone(),
            (name, "") => format!("{name} = {}", self.text),
            (name, annotation) => format!("{name}: {annotation} = {}", self.text),
        }
    }
}

/// Reads the texts of the first compile in which two groups of ranks differ.
pub(super) fn of_job(job: &Job, compared: &[Compared], read: ReadText<'_>) -> CodeDifferences {
    let first = |text: CodeText, find: FindLines| {
        let sides = differing(comparison(compared, text.fact())?).min_by_key(|sides| sides.graph)?;
        difference(job, read, text, &sides, find)
    };
    CodeDifferences {
        guards: first(CodeText::Guards, differing_guards),
        graph: first(CodeText::Graph, differing_statements),
        calls: calls(job, compared, read),
    }
}

/// Graphs whose collectives are read: each reads the reports of two ranks.
const WITH_TEXTS: usize = 4;

/// Collectives that ranks call with other tensors, one for each of the first graphs that differ and call any.
fn calls(job: &Job, compared: &[Compared], read: ReadText<'_>) -> Vec<CodeDifference> {
    let Some(comparison) = comparison(compared, Fact::Graphs) else { return Vec::new() };
    let scheduled = job.ranks.iter().filter_map(|rank| rank.fact(Fact::Collectives));
    let scheduled: FxHashSet<GraphId> =
        scheduled.flat_map(|steps| steps.iter()).filter_map(|step| step.graph).collect();
    let sides = differing(comparison).filter(|sides| scheduled.contains(&sides.graph)).take(WITH_TEXTS);
    sides.filter_map(|sides| difference(job, read, CodeText::Graph, &sides, differing_calls)).collect()
}

/// A compile of which two groups of ranks have other texts.
struct Sides<'j> {
    graph: GraphId,
    most: &'j Group,
    other: &'j Group,
}

/// The compiles that a group has with another text than the largest group.
fn differing(comparison: &Comparison) -> impl Iterator<Item = Sides<'_>> {
    let of_most = comparison.groups.first().into_iter().flat_map(|most| most.steps.iter());
    let values: FxHashMap<GraphId, Option<FactValue>> =
        of_most.filter_map(|step| Some((step.graph?, step.value))).collect();
    let others = comparison.groups.iter().skip(1);
    others.flat_map(move |other| {
        let differ = other.steps.iter().filter(|step| {
            let theirs = step.graph.and_then(|graph| values.get(&graph)).copied().flatten();
            theirs.zip(step.value).is_some_and(|(most, own)| most != own)
        });
        let graphs: Vec<GraphId> = differ.filter_map(|step| step.graph).collect();
        let most = comparison.groups.first();
        graphs.into_iter().filter_map(move |graph| Some(Sides { graph, most: most?, other }))
    })
}

/// Finds the lines in which the texts of two sides, the larger group's first, first differ.
pub(super) type FindLines = fn(&str, &str) -> Option<LinePair>;

/// What each side has where the texts first differ; None where it has nothing like what the other has.
#[derive(Default)]
pub(super) struct LinePair {
    pub most: Option<CodeLine>,
    pub other: Option<CodeLine>,
    pub only_constants: bool,
}

fn difference(
    job: &Job,
    read: ReadText<'_>,
    text: CodeText,
    sides: &Sides<'_>,
    find: FindLines,
) -> Option<CodeDifference> {
    let side = |group: &Group| {
        let step = group.steps.iter().find(|step| step.graph == Some(sides.graph));
        CodeSide { ranks: group.ranks.clone(), compile: step.and_then(|step| step.compile), line: None }
    };
    let (mut most, mut other) = (side(sides.most), side(sides.other));
    let has_text = |rank: &&usize| {
        let steps = job.ranks.get(**rank).and_then(|rank| rank.fact(text.fact()));
        let known = steps.into_iter().flat_map(|steps| steps.iter()).filter(|step| step.value.is_some());
        known.into_iter().any(|step| step.graph == Some(sides.graph))
    };
    let read =
        |side: &CodeSide| read(*side.ranks.iter().find(has_text)?, job.texts.maybe(side.compile)?, text);
    let lines = find(&read(&most)?, &read(&other)?)?;
    (most.line, other.line) = (lines.most, lines.other);
    Some(CodeDifference { graph: sides.graph, most, other, only_constants: lines.only_constants })
}

/// A guard as the reader knows it.
struct Guard {
    order: Order,
    /// What it checks.
    subject: String,
    line: CodeLine,
}

/// Which guard says most: one on torch's state, then one of the user's code, then one inside of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    State,
    User,
    Library,
}

/// Conditions on sizes follow from the sizes of inputs, which are compared by themselves.
const OF_SIZES: [&str; 3] = [".size()", ".stride()", ".storage_offset()"];

/// The first guard that only one side has, and what the other side has about the same.
pub(super) fn differing_guards(most: &str, other: &str) -> Option<LinePair> {
    let (most, other) = (guards(most), guards(other));
    let (mine, theirs) = (alone(&most, &other), alone(&other, &most));
    let first = theirs.iter().chain(&mine).min_by_key(|guard| guard.order)?;
    let of = |guards: &[&Guard]| {
        guards.iter().find(|one| one.subject == first.subject).map(|one| one.line.clone())
    };
    Some(LinePair { most: of(&mine), other: of(&theirs), ..LinePair::default() })
}

/// The guards that one side has alone.
fn alone<'g>(guards: &'g [Guard], others: &[Guard]) -> Vec<&'g Guard> {
    let known: TextSet<&str> = others.iter().map(|guard| guard.line.text.as_str()).collect();
    guards.iter().filter(|guard| !known.contains(guard.line.text.as_str())).collect()
}

fn guards(tree: &str) -> Vec<Guard> {
    let mut guards = Vec::new();
    for node in read_guard_tree(tree) {
        let GuardLine::Guard { kind, text, origin } = node.content else { continue };
        if kind == "GLOBAL_STATE" {
            guards.extend(state(text));
            continue;
        }
        if !is_compared(kind, text) || OF_SIZES.iter().any(|size| text.contains(size)) {
            continue;
        }
        let place = origin.and_then(|origin| origin.split(" in ").next()?.rsplit_once(':'));
        let place = place.filter(|(file, _)| !is_within_torch(file) && !is_library(file));
        let place = place.and_then(|(file, line)| Some(at_line(file, line.parse().ok()?)));
        let written = guard_as_written(text);
        let text = stable(&type_check(&written).unwrap_or(written));
        let subject = expr::comparison(&text).and_then(|known| Some(known.pair()?.0.to_owned()));
        guards.push(Guard {
            order: if place.is_some() { Order::User } else { Order::Library },
            subject: subject.unwrap_or_else(|| text.split(',').next().unwrap_or_default().to_owned()),
            line: CodeLine { text, place: place.unwrap_or_default(), ..CodeLine::default() },
        });
    }
    guards
}

/// `type(self.act) == torch.nn.GELU` of `___check_type_id(self.act, 94), type=<class 'torch.nn.GELU'>`
fn type_check(guard: &str) -> Option<String> {
    let (subject, rest) = guard.strip_prefix("___check_type_id(")?.split_once(", ")?;
    let class = rest.split_once("type=<class '")?.1.split_once("'>")?.0;
    Some(format!("type({subject}) == {class}"))
}

/// What a program calls to read a value of torch's state.
const STATE: [(&str, &str); 3] = [
    ("grad_mode", "torch.is_grad_enabled()"),
    ("num_threads", "torch.get_num_threads()"),
    ("deterministic_algorithms", "torch.are_deterministic_algorithms_enabled()"),
];

/// Kinds of devices in the order in which torch lists their autocast.
const AUTOCAST: [&str; 10] =
    ["cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps"];

/// The values of torch's state, `___check_global_state() against {"autocast_state": {"enabled": [..]}, ..}`, each as a program
/// reads it where that is known.
fn state(text: &str) -> Vec<Guard> {
    let fields = text.split_once(" against ").and_then(|(_, json)| Fields::parse(json).ok());
    let mut values: Vec<(String, String)> = Vec::new();
    for (name, value) in fields.iter().flat_map(|fields| fields.iter()) {
        let Ok(inner) = Fields::parse(value.get()) else {
            let known = STATE.iter().find(|(own, _)| *own == name).map_or(name, |(_, call)| call);
            values.push((known.to_owned(), in_python(value.get())));
            continue;
        };
        for (part, value) in inner.iter() {
            match serde_json::from_str::<[bool; AUTOCAST.len()]>(value.get()) {
                Ok(enabled) if part == "enabled" => {
                    let of_device = AUTOCAST.iter().zip(enabled);
                    let call = |device: &str| format!("torch.is_autocast_enabled('{device}')");
                    values.extend(of_device.map(|(device, on)| (call(device), in_python(&on.to_string()))));
                }
                _ => values.push((format!("{name}.{part}"), in_python(value.get()))),
            }
        }
    }
    let guard = |(subject, value): (String, String)| {
        let line = CodeLine { text: format!("{subject} == {value}"), ..CodeLine::default() };
        Guard { order: Order::State, subject, line }
    };
    values.into_iter().map(guard).collect()
}

fn in_python(json: &str) -> String {
    match json {
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        other => other.to_owned(),
    }
}

/// What a statement calls: `torch._C._nn.linear` of `torch._C._nn.linear(x, w)`.
pub(super) fn called(value: &str) -> &str {
    value.split('(').next().unwrap_or_default()
}

/// The nodes that compute something: ranks may take the same inputs in another order.
fn computed<'g, 't>(graph: &'g GraphText<'t>) -> Vec<&'g Node<'t>> {
    let is_name = |node: &Node<'_>| Statement { value: node.value, ..Statement::default() }.is_name();
    graph.nodes.iter().filter(|node| !node.placeholder && !is_name(node)).collect()
}

/// The first statement in which two graphs differ.
pub(super) fn differing_statements(most: &str, other: &str) -> Option<LinePair> {
    let (most, other) = (GraphText::read(most), GraphText::read(other));
    let (mine, theirs) = (computed(&most), computed(&other));
    let print = |node: &Node<'_>| stable(&[node.name, node.annotation, node.value].join(" "));
    let pairs = mine.iter().zip(&theirs);
    let same = pairs.take_while(|(mine, theirs)| print(mine) == print(theirs)).count();
    // Another number is a rank's own part of the work; a switch or a name is other code.
    let without_numbers = |text: &str| text.replace(|c: char| c.is_ascii_digit() || ".-".contains(c), "");
    let shape = |node: &&Node<'_>| (node.annotation.to_owned(), without_numbers(node.value));
    let only_constants = mine.iter().map(shape).eq(theirs.iter().map(shape));
    let line =
        |graph: &GraphText<'_>, nodes: &[&Node<'_>]| nodes.get(same).map(|node| statement(graph, node));
    let lines = LinePair { most: line(&most, &mine), other: line(&other, &theirs), only_constants };
    (lines.most.is_some() || lines.other.is_some()).then_some(lines)
}

/// Operators whose tensors have to be equal on all ranks.
const EQUAL: [&str; 4] = ["all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "broadcast"];

/// The first collective that two graphs call, at the same place among all and in the same process group, with other tensors.
pub(super) fn differing_calls(most: &str, other: &str) -> Option<LinePair> {
    let (most, other) = (GraphText::read(most), GraphText::read(other));
    let called = |node: &&Node<'_>| {
        node.call().is_some_and(|(operator, _)| EQUAL.contains(&short_operation(operator)))
    };
    let mine = most.nodes.iter().filter(called);
    let theirs = other.nodes.iter().filter(called);
    let (mine, theirs) = mine.zip(theirs).find(|(mine, theirs)| mine.annotation != theirs.annotation)?;
    let is_same = |mine: &Node<'_>, theirs: &Node<'_>| {
        let of = |node: &Node<'_>| {
            Some((short_operation(node.call()?.0).to_owned(), group(node.value).to_owned()))
        };
        of(mine) == of(theirs)
    };
    // A size that is a symbol may be any.
    let is_known = |node: &Node<'_>| {
        let sizes = tensor(node.annotation).split_once('[').map(|(_, sizes)| sizes);
        sizes.is_some_and(|sizes| !sizes.contains(|c: char| c.is_ascii_alphabetic()))
    };
    let differ = tensor(mine.annotation) != tensor(theirs.annotation);
    (is_same(mine, theirs) && differ && is_known(mine) && is_known(theirs)).then(|| LinePair {
        most: Some(statement(&most, mine)),
        other: Some(statement(&other, theirs)),
        ..LinePair::default()
    })
}

/// The process group of a call: its last argument in quotes.
fn group(value: &str) -> &str {
    value.rsplit('\'').nth(1).unwrap_or_default()
}

/// `f32[8, 16]` of `f32[8, 16][16, 1]cpu`
fn tensor(annotation: &str) -> &str {
    annotation.find(']').and_then(|end| annotation.get(..=end)).unwrap_or(annotation)
}

fn statement(graph: &GraphText<'_>, node: &Node<'_>) -> CodeLine {
    // An operator of a library is below a line of that library; the user's line that led there comes before it.
    let is_own = |place: &PlaceComment<'_>| !is_library(place.file);
    let before = graph.nodes.iter().take_while(|one| !std::ptr::eq(*one, node)).filter_map(|one| one.place);
    let place = node.place.filter(is_own).or_else(|| before.filter(is_own).last());
    CodeLine {
        name: node.name.to_owned(),
        annotation: tensor(node.annotation).to_owned(),
        text: node.value.to_owned(),
        place: place.map(|place| at_line(place.file, place.line)).unwrap_or_default(),
    }
}

fn at_line(file: &str, line: u64) -> UserPlace {
    UserPlace { file: Some(file.to_owned()), line: Some(line), ..UserPlace::default() }
}
