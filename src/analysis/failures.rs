//! Failed compiles by cause, each with the user's line that raised and the consequence.

use super::break_text::break_text;
use super::own_code::is_library;
use super::user_place::{UserPlace, own_frame};
use crate::limits::SEARCHED;
use crate::model::words::headline;
use crate::model::{
    CompileIndex, ErrorTrace, Failure, GraphBreak, Model, Specialization, Symbol, TextFrame, UserKernel,
    traceback,
};
use crate::trace::{CompileId, TextMap, TextSet};
use fxhash::{FxHashMap, FxHashSet};
use indexmap::IndexMap;

/// What happened to the functions whose compile failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureEffect {
    /// The compile ended with an exception.
    NotCompiled,
    /// A graph broke inside a loop, where Dynamo cannot resume.
    BrokeInLoop,
    /// A graph broke at another place where Dynamo cannot resume.
    BrokeForGood,
}

/// Failures with the same cause: one exception, raised at one line of the user.
#[derive(Debug)]
pub struct FailureCause<'m> {
    /// Its records, in log order; at least one.
    pub failures: Vec<&'m Failure>,
    /// The distinct compiles that failed, in log order.
    pub compiles: Vec<CompileIndex>,
    /// The user's innermost frame of the traceback that raised.
    pub place: UserPlace,
    /// The user's frames that led there, outermost first.
    pub stack: Vec<TextFrame>,
    /// What happened to the functions.
    pub effect: FailureEffect,
    /// The graph break at which the first of the compiles failed.
    pub at_break: Option<&'m GraphBreak>,
    /// The traceback of the first failure.
    pub trace: Option<&'m ErrorTrace>,
}

impl<'m> FailureCause<'m> {
    /// The first failure, which represents all of them.
    pub fn first(&self) -> Option<&'m Failure> {
        self.failures.first().copied()
    }
}

/// What failures with the same cause share.
#[derive(PartialEq, Eq, Hash)]
struct FailureKey {
    error: String,
    headline: String,
    file: Option<String>,
    line: Option<u64>,
}

/// A compile, and the file and line at which its graph broke.
type BrokenAt<'m> = (&'m Option<CompileId>, Option<&'m str>, Option<u64>);

/// What the log says about failures in records of their own.
struct Records<'m> {
    /// The place of the first break of each compile at each line.
    breaks: TextMap<BrokenAt<'m>, usize>,
    /// The last traceback of each compile.
    traces: FxHashMap<CompileIndex, &'m ErrorTrace>,
}

impl<'m> Records<'m> {
    fn of(model: &'m Model) -> Self {
        let mut breaks = TextMap::default();
        for (index, one) in model.graph_breaks.iter().enumerate() {
            for compile in &one.compiles {
                breaks.entry((compile, one.file.as_deref(), one.line)).or_insert(index);
            }
        }
        let traces = model.error_traces.iter().map(|trace| (trace.compile, trace));
        Records { breaks, traces: traces.collect() }
    }

    /// The break that made a compile fail, by its place in the model: both are at the same line.
    fn break_of(&self, failure: &'m Failure, file: Option<&str>, line: Option<u64>) -> Option<usize> {
        self.breaks.get(&(&failure.compile, Some(file?), line)).copied()
    }
}

/// Breaks at which compiles failed: the place of each in the model, with the compile. All breaks of a compile at the line where
/// it failed are records of the failure.
pub(super) fn failed_at_breaks(model: &Model) -> TextSet<(usize, &Option<CompileId>)> {
    let causes = failure_causes(model);
    let mut failed: TextSet<BrokenAt<'_>> = TextSet::default();
    for cause in &causes {
        for failure in &cause.failures {
            failed.insert((&failure.compile, failure.file.as_deref(), failure.line));
            failed.insert((&failure.compile, cause.place.file.as_deref(), cause.place.line));
        }
    }
    let breaks = model.graph_breaks.iter().enumerate();
    let of_compiles = breaks.flat_map(|(index, one)| one.compiles.iter().map(move |id| (index, one, id)));
    of_compiles
        .filter(|(_, one, id)| failed.contains(&(id, one.file.as_deref(), one.line)))
        .map(|(index, _, id)| (index, id))
        .collect()
}

/// All failures of a log by cause, in log order.
pub fn failure_causes(model: &Model) -> Vec<FailureCause<'_>> {
    let records = Records::of(model);
    let mut causes: IndexMap<FailureKey, FailureCause<'_>> = IndexMap::new();
    let mut seen: FxHashSet<(usize, CompileIndex)> = FxHashSet::default();
    for failure in &model.failures {
        let index = model.by_id.get(&failure.compile).copied();
        let trace = index.and_then(|index| records.traces.get(&index).copied());
        let at_break = |file, line| model.graph_breaks.get(records.break_of(failure, file, line)?);
        let recorded = at_break(failure.file.as_deref(), failure.line);
        let stack = stack(failure, trace, recorded);
        let place = place(model, failure, trace, &stack);
        let at_break = recorded.or_else(|| at_break(place.file.as_deref(), place.line));
        let key = FailureKey {
            error: failure.error.clone(),
            headline: headline(failure.reason.as_deref().unwrap_or_default()),
            file: place.file.clone(),
            line: place.line,
        };
        let entry = causes.entry(key);
        let number = entry.index();
        let cause = entry.or_insert_with(|| FailureCause {
            failures: Vec::new(),
            compiles: Vec::new(),
            place,
            stack,
            effect: effect(failure, at_break),
            at_break,
            trace,
        });
        cause.failures.push(failure);
        cause.compiles.extend(index.filter(|index| seen.insert((number, *index))));
    }
    causes.into_values().collect()
}

/// Distinct sizes that were marked as dynamic but fixed by the code, if a compile failed because of that: torch's text has
/// their sources.
pub(super) fn fixed_against_mark<'m>(model: &'m Model, failure: &Failure) -> Vec<&'m Specialization> {
    let Some(index) = model.by_id.get(&failure.compile) else { return Vec::new() };
    if failure.error.rsplit('.').next() != Some("ConstraintViolationError") {
        return Vec::new();
    }
    let text = failure.reason.as_deref().unwrap_or_default();
    // A failed export has its record apart, and its text names the dimension as the user did.
    let told = own_frame(&told_frames(text)).map(UserPlace::of_frame);
    let is_at_line = |one: &Specialization| {
        let is_same = |told: &UserPlace| {
            let at = UserPlace::of_specialization(model, one);
            told.line == at.line && told.file == at.file
        };
        text.contains(&format!("constant ({})", one.value)) && told.as_ref().is_some_and(is_same)
    };
    let named = |one: &&Specialization| {
        let by_source = one.sources.iter().any(|source| text.contains(source.as_str()));
        (one.at.compile == *index && by_source) || (failure.compile.is_none() && is_at_line(one))
    };
    let shapes = &model.shapes;
    let mut found: Vec<&Specialization> = match failure.compile {
        Some(_) => shapes.fixed_in(*index).take(SEARCHED).filter(named).collect(),
        None => shapes.specializations.iter().take(SEARCHED).filter(named).collect(),
    };
    let mut sources: TextSet<&[String]> = TextSet::default();
    found.retain(|one| sources.insert(&one.sources));
    found
}

/// Microseconds of the compile of a failure.
pub fn failed_us(model: &Model, failure: &Failure) -> Option<f64> {
    let compile = model.compile(failure.compile.as_ref())?;
    // Records are in the order of the log.
    let place = compile.metrics.binary_search_by_key(&failure.record, |record| record.line).ok()?;
    compile.metrics.get(place)?.total_us()
}

fn effect(failure: &Failure, at_break: Option<&GraphBreak>) -> FailureEffect {
    let further = break_text(failure.reason.as_deref().unwrap_or_default()).further;
    if further.iter().any(|one| one.reason.contains("in loop")) {
        return FailureEffect::BrokeInLoop;
    }
    // With fullgraph=True, torch does not record the break itself.
    if at_break.is_some() { FailureEffect::BrokeForGood } else { FailureEffect::NotCompiled }
}

/// The user's frames that raised: from the first exception with any, because it caused the others.
fn raised(trace: &ErrorTrace) -> Vec<TextFrame> {
    let own = trace.raised.iter().map(|frames| {
        let own = frames.iter().filter(|frame| !is_library(&frame.file));
        own.cloned().collect::<Vec<_>>()
    });
    own.into_iter().find(|frames| !frames.is_empty()).unwrap_or_default()
}

/// The user's frames: those being traced, then those that torch called and that raised; without a traceback, the frames
/// of the break.
fn stack(failure: &Failure, trace: Option<&ErrorTrace>, at_break: Option<&GraphBreak>) -> Vec<TextFrame> {
    match trace {
        Some(trace) => {
            let mut frames = trace.frames.clone();
            frames.extend(raised(trace));
            frames
        }
        None => match at_break {
            Some(one) => one.stack.clone(),
            None => told_frames(failure.reason.as_deref().unwrap_or_default()),
        },
    }
}

/// The user's frames in the text of an exception: a failed export has no other.
pub(super) fn told_frames(text: &str) -> Vec<TextFrame> {
    let below = ["User stack:", "User Stack (most recent call last):", "from user code:"];
    let frames = below.iter().filter_map(|heading| text.split_once(heading)).map(|(_, rest)| {
        let rest = rest.trim_start_matches(['\n', '\r']);
        traceback(rest.split("\n\n").next().unwrap_or_default())
    });
    frames.into_iter().find(|frames| !frames.is_empty()).unwrap_or_default()
}

/// A Triton kernel of the user that a compile failed on, and what Triton's compiler says about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KernelFailure<'m> {
    /// Its function.
    pub name: &'m str,
    /// Where the function begins; None if the log has no generated code with it.
    pub kernel: Option<&'m UserKernel>,
    /// The innermost message; empty if there is none.
    pub message: &'m str,
    /// The line of the kernel that cannot be compiled.
    pub code: Option<&'m str>,
}

/// The user's Triton kernel that a compile failed on. Triton's message quotes the kernel up to the line, with a mark below
/// it; a message about resources names none, and the generated code that raised it does.
pub(super) fn failed_kernel<'m>(
    model: &'m Model,
    failure: &'m Failure,
    trace: Option<&'m ErrorTrace>,
) -> Option<KernelFailure<'m>> {
    let text = failure.reason.as_deref().unwrap_or_default();
    let known = model.compile(failure.compile.as_ref()).map(|compile| &compile.user_kernels);
    let kernel = |name: &str| known?.iter().find(|kernel| kernel.name == name);
    if let Some((_, quoted)) = text.split_once("CompilationError: at ") {
        let name = quoted.split_once("\ndef ")?.1.split('(').next()?;
        let lines: Vec<&str> = quoted.lines().collect();
        let (above, below) = lines.split_at_checked(lines.iter().rposition(|line| line.trim() == "^")?)?;
        let message = below.iter().skip(1).map(|line| line.trim()).find(|line| !line.is_empty());
        let code = above.last().map(|line| line.trim());
        return Some(KernelFailure {
            name,
            kernel: kernel(name),
            message: message.unwrap_or_default(),
            code,
        });
    }
    let (_, message) = text.split_once("No valid triton configs. ")?;
    let frames = trace?.raised.iter().flatten();
    let define = |frame: &'m TextFrame| Some(frame.loc.as_deref()?.split_once("async_compile.triton('")?.1);
    let kernel = kernel(frames.filter_map(define).next_back()?.split('\'').next()?)?;
    Some(KernelFailure { name: &kernel.name, kernel: Some(kernel), message, code: None })
}

/// The user's innermost frame, otherwise the place in the record, otherwise where the function is defined.
fn place(model: &Model, failure: &Failure, trace: Option<&ErrorTrace>, stack: &[TextFrame]) -> UserPlace {
    if let Some(kernel) = failed_kernel(model, failure, trace).and_then(|failed| failed.kernel) {
        let at = UserPlace::of_line(Some(&kernel.file), Some(kernel.line));
        return UserPlace { function: Some(kernel.name.clone()), ..at };
    }
    if let Some(frame) = own_frame(stack) {
        return UserPlace::of_frame(frame);
    }
    if failure.file.is_some() {
        let recorded = UserPlace::of_line(failure.file.as_ref(), failure.line);
        return match stack.iter().rev().find(|frame| recorded.is_of(frame)) {
            Some(frame) => UserPlace::of_frame(frame),
            None => recorded,
        };
    }
    let equal = || must_be_equal(model, failure).filter(|_| failure.compile.is_none());
    let definition = || Some(UserPlace::of_definition(model, *model.by_id.get(&failure.compile)?));
    equal().or_else(definition).unwrap_or_default()
}

/// The line that needs two dimensions of an export to be equal: `The values of b = L['mem'].size()[1] and a = L['q'].size()[1]
/// must always be equal`. Its guard has the symbols of these dimensions in place of their names.
fn must_be_equal(model: &Model, failure: &Failure) -> Option<UserPlace> {
    let text = failure.reason.as_deref()?;
    let (_, rest) = text.split_once("The values of ")?;
    let (pair, _) = rest.split_once(" must always be equal")?;
    let (one, other) = pair.split_once(" and ")?;
    let dimension = |named: &str| Some(format!(".size(){}", named.get(named.rfind('[')?..)?));
    let (one, other) = (dimension(one)?, dimension(other)?);
    let symbols = || model.shapes.symbols.iter().take(SEARCHED);
    let of = |end: &str| symbols().filter(move |symbol| is_of_dimension(symbol, end)).collect::<Vec<_>>();
    let (ones, others) = (of(&one), of(&other));
    let mut pairs = ones.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
    pairs.find_map(|(one, other)| {
        let in_one = one.at.compile == other.at.compile && one.name != other.name;
        in_one.then(|| UserPlace::of_equality(model, one.at.compile, &one.name, &other.name)).flatten()
    })
}

fn is_of_dimension(symbol: &Symbol, end: &str) -> bool {
    symbol.source.as_deref().is_some_and(|source| source.ends_with(end))
}
