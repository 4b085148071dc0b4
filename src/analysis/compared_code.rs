//! Two versions of one compile's code, in two ranks or two runs: the first guard and the first statement in which they differ.

use crate::analysis::own_code::{is_library, is_within_torch};
use crate::analysis::user_place::UserPlace;
use crate::limits::SHORT_LINE;
use crate::model::words::shortened;
use crate::model::{Fields, stable};
use crate::read::expr::{self, guard_as_written};
use crate::read::fx_graph::{GraphText, Node, PlaceComment, Statement, short_operation};
use crate::read::guard_tree::{GuardLine, compared, read_guard_tree};
use crate::trace::{TextMap, TextSet};
use regex::{Captures, Regex};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The texts of a compile by which ranks and runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeText {
    /// The graph that Dynamo captured.
    Graph,
    /// The tree of guards.
    Guards,
    /// The components of the key in the cache of FX graphs.
    Key,
    /// The graph that is lowered.
    PostGrad,
    /// What Inductor wrote.
    Code,
}

impl CodeText {
    /// Those that are shown side by side, in the order of compilation.
    pub const SHOWN: [CodeText; 3] = [CodeText::Graph, CodeText::PostGrad, CodeText::Code];

    /// Whether an artifact has it, by its name.
    pub fn is_in(self, artifact: &str) -> bool {
        match self {
            CodeText::Graph => artifact == "dynamo_output_graph",
            CodeText::Guards => artifact == "dynamo_cpp_guards_str",
            CodeText::Key => artifact.starts_with("fx_graph_cache_"),
            CodeText::PostGrad => matches!(artifact, "inductor_post_grad_graph" | "after_post_grad_graph"),
            CodeText::Code => artifact.starts_with("inductor_output_code"),
        }
    }
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

impl CodeLine {
    /// What a statement calls: `linear` of `torch._C._nn.linear(x, w)`; the whole of `x * 2`.
    pub fn operator(&self) -> String {
        let name = called(&self.text);
        let is_call = name.len() < self.text.len() && !name.contains(' ');
        shortened(if is_call { short_operation(name) } else { &self.text }, SHORT_LINE).into_owned()
    }

    /// A guard as it is, or a statement: `linear: f32[8, 24] = torch._C._nn.linear(x, w)`.
    pub fn words(&self) -> String {
        match (self.name.as_str(), self.annotation.as_str()) {
            ("", _) => self.text.clone(),
            (name, "") => format!("{name} = {}", self.text),
            (name, annotation) => format!("{name}: {annotation} = {}", self.text),
        }
    }
}

/// Finds the lines in which the texts of two sides first differ.
pub(super) type FindLines = fn(&str, &str) -> Option<LinePair>;

/// What each side has where the texts first differ; None where it has nothing like what the other has.
#[derive(Default)]
pub struct LinePair {
    /// What the first text has.
    pub one: Option<CodeLine>,
    /// What the second has.
    pub other: Option<CodeLine>,
    /// Whether the graphs have the same operators with the same dtypes, so that only numbers differ, and sizes between ranks.
    pub only_constants: bool,
    /// Whether a guard is on torch's state, or on whether a tensor needs a gradient.
    pub of_state: bool,
}

impl LinePair {
    /// The line of the user's program behind the difference, which is in the function that `file` defines.
    pub fn place(&self, file: Option<&str>) -> Option<UserPlace> {
        place_of([self.other.as_ref(), self.one.as_ref()], file)
    }
}

/// The first place that one of these lines comes from. torch shortens the paths of guards: `defined_in` is the whole path
/// of the file in which the function is defined.
pub(super) fn place_of(lines: [Option<&CodeLine>; 2], defined_in: Option<&str>) -> Option<UserPlace> {
    let places = lines.into_iter().flatten().map(|line| &line.place);
    let place = places.into_iter().find(|place| place.file.is_some())?;
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let is_same = |whole: &&str| name(whole) == place.file.as_deref().and_then(name);
    let file = defined_in.filter(is_same).map(str::to_owned).or_else(|| place.file.clone());
    Some(UserPlace { file, ..place.clone() })
}

/// A guard as the reader knows it.
struct Guard {
    order: Order,
    /// What it checks.
    subject: String,
    line: CodeLine,
}

/// Which guard says most: one on torch's state, then one of the user's code, one on a tensor, and one inside of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    State,
    User,
    Tensor,
    Library,
}

/// Conditions on sizes follow from the sizes of inputs, which are compared by themselves.
const OF_SIZES: [&str; 3] = [".size()", ".stride()", ".storage_offset()"];

/// The first guard that only one side has, and what the other side has about the same.
pub fn differing_guards(one: &str, other: &str) -> Option<LinePair> {
    let (one, other) = (guards(one), guards(other));
    let (mine, theirs) = (alone(&one, &other), alone(&other, &one));
    // Two values of one thing say more than a check that only one side has.
    let is_single = |guard: &Guard| {
        let has = |side: &[&Guard]| side.iter().any(|one| one.subject == guard.subject);
        !(has(&mine) && has(&theirs))
    };
    let told = theirs.iter().chain(&mine).map(|guard| (is_single(guard), guard));
    // Which tensors there are is compared as inputs and graphs.
    let told = told.filter(|(is_single, guard)| guard.order != Order::Tensor || !is_single);
    let (_, first) = told.min_by_key(|(is_single, guard)| (guard.order, *is_single))?;
    let of = |guards: &[&Guard]| {
        guards.iter().find(|one| one.subject == first.subject).map(|one| one.line.clone())
    };
    let of_state = matches!(first.order, Order::State | Order::Tensor);
    Some(LinePair { one: of(&mine), other: of(&theirs), of_state, ..LinePair::default() })
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
        let Some(text) = compared(kind, text).filter(|text| !OF_SIZES.iter().any(|size| text.contains(size)))
        else {
            continue;
        };
        let place = origin.and_then(|origin| origin.split(" in ").next()?.rsplit_once(':'));
        let place = place.filter(|(file, _)| !is_within_torch(file) && !is_library(file));
        let place = place.and_then(|(file, line)| Some(at_line(file, line.parse().ok()?)));
        let written = guard_as_written(&text);
        let text = stable(&type_check(&written).unwrap_or(written));
        let mark = mark(&text);
        let compared = || expr::comparison(&text).and_then(|known| Some(known.pair()?.0.to_owned()));
        let subject = mark.map(str::to_owned).or_else(compared);
        guards.push(Guard {
            order: match place {
                _ if kind == "TENSOR_MATCH" || mark.is_some() => Order::Tensor,
                Some(_) => Order::User,
                None => Order::Library,
            },
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

/// What a guard on the marks of a tensor is about, `hasattr(x, '_dynamo_dynamic_indices')`, of a tensor without the mark and of
/// `((x._dynamo_dynamic_indices.issubset({0})) if hasattr(x, '_dynamo_dynamic_indices') else True)`.
fn mark(guard: &str) -> Option<&str> {
    let end = guard.strip_suffix(" == False").or_else(|| guard.strip_suffix(" else True)"))?;
    end.get(end.rfind("hasattr(")?..).filter(|mark| mark.ends_with("_indices')"))
}

/// What a program calls to read a value of torch's state.
const STATE: [(&str, &str); 5] = [
    ("allow_tf32", "torch.backends.cuda.matmul.allow_tf32"),
    ("default_dtype", "torch.get_default_dtype()"),
    ("grad_mode", "torch.is_grad_enabled()"),
    ("num_threads", "torch.get_num_threads()"),
    ("deterministic_algorithms", "torch.are_deterministic_algorithms_enabled()"),
];

/// What it calls to read the state of autocast for a kind of device.
const STATE_OF_AUTOCAST: [(&str, &str); 2] =
    [("enabled", "torch.is_autocast_enabled"), ("dtype", "torch.get_autocast_dtype")];

/// Kinds of devices in the order in which torch lists their autocast.
const AUTOCAST: [&str; 10] =
    ["cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps"];

/// Dtypes in the order of torch's numbers for them.
const DTYPES: &str = "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool qint8 quint8 \
                      qint32 bfloat16";

/// The values of torch's state, `___check_global_state() against {"autocast_state": {"enabled": [..]}, ..}`, each as a program
/// reads it where that is known.
fn state(text: &str) -> Vec<Guard> {
    let fields = text.split_once(" against ").and_then(|(_, json)| Fields::parse(json).ok());
    let mut values: Vec<(String, String)> = Vec::new();
    for (name, value) in fields.iter().flat_map(|fields| fields.iter()) {
        let Ok(inner) = Fields::parse(value.get()) else {
            let known = STATE.iter().find(|(own, _)| *own == name).map_or(name, |(_, call)| call);
            values.push((known.to_owned(), in_python(name, value.get())));
            continue;
        };
        for (part, value) in inner.iter() {
            let call = STATE_OF_AUTOCAST.iter().find(|(own, _)| *own == part);
            match call.zip(serde_json::from_str::<[&RawValue; AUTOCAST.len()]>(value.get()).ok()) {
                Some(((_, call), devices)) => {
                    let named = AUTOCAST.iter().zip(devices);
                    values
                        .extend(named.map(|(device, own)| {
                            (format!("{call}('{device}')"), in_python(part, own.get()))
                        }));
                }
                None => values.push((format!("{name}.{part}"), in_python(part, value.get()))),
            }
        }
    }
    let guard = |(subject, value): (String, String)| {
        let line = CodeLine { text: format!("{subject} == {value}"), ..CodeLine::default() };
        Guard { order: Order::State, subject, line }
    };
    values.into_iter().map(guard).collect()
}

/// A value of torch's state as a program writes it.
fn in_python(name: &str, json: &str) -> String {
    let dtype = json.parse().ok().and_then(|number| DTYPES.split_whitespace().nth(number));
    match (json, dtype) {
        ("true", _) => "True".to_owned(),
        ("false", _) => "False".to_owned(),
        (_, Some(dtype)) if name.ends_with("dtype") => format!("torch.{dtype}"),
        _ => json.to_owned(),
    }
}

/// What a statement calls: `torch._C._nn.linear` of `torch._C._nn.linear(x, w)`.
fn called(value: &str) -> &str {
    value.split('(').next().unwrap_or_default()
}

/// A node that computes something.
struct Computed<'g, 't> {
    node: &'g Node<'t>,
    /// What it computes, of values by their place in the graph: another graph may name them otherwise.
    value: String,
}

/// The nodes that compute something: ranks may take the same inputs in another order.
fn computed<'g, 't>(graph: &'g GraphText<'t>) -> Vec<Computed<'g, 't>> {
    static NAME: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(^|[^.\w])([A-Za-z_]\w*)( = )?").ok());
    let is_name = |node: &Node<'_>| Statement { value: node.value, ..Statement::default() }.is_name();
    let nodes = || graph.nodes.iter().filter(|node| !node.placeholder && !is_name(node));
    let places: TextMap<&str, String> =
        nodes().enumerate().map(|(place, node)| (node.name, format!("%{place}"))).collect();
    let by_place = |found: &Captures<'_>| {
        // `dim = 1` names an argument.
        let [all, before, name, of_argument] =
            [0, 1, 2, 3].map(|at| found.get(at).map_or("", |found| found.as_str()));
        match places.get(name).filter(|_| of_argument.is_empty()) {
            Some(place) => format!("{before}{place}"),
            None => all.to_owned(),
        }
    };
    let value = |node: &'g Node<'t>| {
        NAME.as_ref().map_or(node.value.into(), |name| name.replace_all(node.value, by_place))
    };
    nodes().map(|node| Computed { node, value: value(node).into_owned() }).collect()
}

/// The first statement in which two graphs differ.
pub(super) fn differing_statements(one: &str, other: &str) -> Option<LinePair> {
    first_that_differs(one, other, |one| [one.node.annotation, &one.value].join(" "))
}

/// The same for graphs of other inputs: neither the sizes of tensors count nor numbers that may follow from them, unless
/// numbers are all that differs.
pub fn differing_operators(one: &str, other: &str) -> Option<LinePair> {
    // The name of an operator counts with its numbers: `conv1d` is not `conv2d`.
    let dtype = |node: &Node<'_>| node.annotation.split('[').next().unwrap_or_default().to_owned();
    let aside = |one: &Computed<'_, '_>| {
        [&dtype(one.node), called(one.node.value), &without_numbers(&one.value)].join(" ")
    };
    let differing = first_that_differs(one, other, aside);
    differing.or_else(|| differing_statements(one, other).filter(|lines| lines.only_constants))
}

/// Another number is a rank's own part of the work; a switch, a name or a dimension is other code.
fn without_numbers(text: &str) -> String {
    let mut pieces = text.split("dim = ");
    let remove = |text: &str| text.replace(|c: char| c.is_ascii_digit() || ".-".contains(c), "");
    let mut kept = remove(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (dimension, rest) = piece.split_at(piece.find([',', ')']).unwrap_or(piece.len()));
        kept.extend(["dim = ", dimension, &remove(rest)]);
    }
    kept
}

/// The first statement that is another one by its `print`.
fn first_that_differs(
    one: &str,
    other: &str,
    print: impl Fn(&Computed<'_, '_>) -> String,
) -> Option<LinePair> {
    let (one, other) = (GraphText::read(one), GraphText::read(other));
    let (mine, theirs) = (computed(&one), computed(&other));
    let pairs = mine.iter().zip(&theirs);
    let same = pairs.take_while(|(mine, theirs)| stable(&print(mine)) == stable(&print(theirs))).count();
    let shape = |one: &Computed<'_, '_>| (one.node.annotation.to_owned(), without_numbers(&one.value));
    let only_constants = mine.iter().map(shape).eq(theirs.iter().map(shape));
    let first = [&mine, &theirs].map(|side| side.get(same));
    // Where nothing else differs, the strides do.
    let shown = first.map(|one| Some((tensor(one?.node.annotation), &one?.value)));
    let is_layout = shown[0] == shown[1];
    let line = |graph: &GraphText<'_>, one: &Computed<'_, '_>| {
        let line = statement(graph, one.node);
        if is_layout { CodeLine { annotation: one.node.annotation.to_owned(), ..line } } else { line }
    };
    let lines = LinePair {
        one: first[0].map(|first| line(&one, first)),
        other: first[1].map(|first| line(&other, first)),
        only_constants,
        of_state: false,
    };
    (lines.one.is_some() || lines.other.is_some()).then_some(lines)
}

/// How two graphs differ where they first do, with what each has there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementDifference {
    /// The same operator gives other tensors.
    Result {
        operator: String,
        shapes: [String; 2],
    },
    /// One graph ends, and the other calls this operator: the first of them or the second.
    End {
        operator: String,
        in_first: bool,
    },
    /// The same operator gets other arguments: the first that differ.
    Arguments {
        operator: String,
        arguments: [String; 2],
    },
    Operators([String; 2]),
}

/// How the first statements that differ do; None where neither is known.
pub fn statement_difference(one: Option<&CodeLine>, other: Option<&CodeLine>) -> Option<StatementDifference> {
    let Some((one, other)) = one.zip(other) else {
        return Some(StatementDifference::End {
            operator: one.or(other)?.operator(),
            in_first: one.is_some(),
        });
    };
    let both = |of: fn(&CodeLine) -> String| [of(one), of(other)];
    Some(match one.operator() == other.operator() {
        false => StatementDifference::Operators(both(CodeLine::operator)),
        true if one.annotation == other.annotation => {
            let (mine, theirs) = (arguments(&one.text), arguments(&other.text));
            let differing = mine.iter().zip(&theirs).find(|(mine, theirs)| mine != theirs);
            let (mine, theirs) =
                differing.map_or((&*one.text, &*other.text), |(mine, theirs)| (*mine, *theirs));
            let arguments = [mine, theirs].map(str::to_owned);
            StatementDifference::Arguments { operator: one.operator(), arguments }
        }
        true => StatementDifference::Result {
            operator: one.operator(),
            shapes: both(|line| line.annotation.clone()),
        },
    })
}

/// `scores` and `dim = 1` of `torch.softmax(scores, dim = 1)`
fn arguments(call: &str) -> Vec<&str> {
    let inside = call.split_once('(').map_or("", |(_, inside)| inside.strip_suffix(')').unwrap_or(inside));
    inside.split(", ").collect()
}

/// Operators whose tensors have to be equal on all ranks.
const EQUAL: [&str; 4] = ["all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "broadcast"];

/// The first collective that two graphs call, at the same place among all and in the same process group, with other tensors.
pub(super) fn differing_calls(one: &str, other: &str) -> Option<LinePair> {
    let (one, other) = (GraphText::read(one), GraphText::read(other));
    let called = |node: &&Node<'_>| {
        node.call().is_some_and(|(operator, _)| EQUAL.contains(&short_operation(operator)))
    };
    let mine = one.nodes.iter().filter(called);
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
        let sizes = node.annotation.split_once('[').and_then(|(_, rest)| rest.split(']').next());
        sizes.is_some_and(|sizes| !sizes.contains(|c: char| c.is_ascii_alphabetic()))
    };
    let differ = tensor(mine.annotation) != tensor(theirs.annotation);
    (is_same(mine, theirs) && differ && is_known(mine) && is_known(theirs)).then(|| LinePair {
        one: Some(statement(&one, mine)),
        other: Some(statement(&other, theirs)),
        ..LinePair::default()
    })
}

/// The process group of a call: its last argument in quotes.
pub(super) fn group(value: &str) -> &str {
    value.rsplit('\'').nth(1).unwrap_or_default()
}

/// `f32[8, 16]` of `f32[8, 16][16, 1]cpu`, and `DTensor(f32[8, 16], S(0))` with its placement.
fn tensor(annotation: &str) -> Cow<'_, str> {
    static LAYOUT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(\[[^\]]*\])\[[^\]]*\][a-z]*(:\d+)?").ok());
    LAYOUT.as_ref().map_or(annotation.into(), |layout| layout.replace(annotation, "$1"))
}

pub(super) fn statement(graph: &GraphText<'_>, node: &Node<'_>) -> CodeLine {
    // An operator of a library is below a line of that library; the user's line that led there comes before it.
    let is_own = |place: &PlaceComment<'_>| !is_library(place.file);
    let before = graph.nodes.iter().take_while(|one| !std::ptr::eq(*one, node)).filter_map(|one| one.place);
    let place = node.place.filter(is_own).or_else(|| before.filter(is_own).last());
    CodeLine {
        name: node.name.to_owned(),
        annotation: tensor(node.annotation).into_owned(),
        text: node.value.to_owned(),
        place: place.map(|place| at_line(place.file, place.line)).unwrap_or_default(),
    }
}

fn at_line(file: &str, line: u64) -> UserPlace {
    UserPlace { file: Some(file.to_owned()), line: Some(line), ..UserPlace::default() }
}
