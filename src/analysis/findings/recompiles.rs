//! Recompilations: one chain per function, what changed from compile to compile, how far the limit is, what helps.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{ChainStep, EntryKey, Finding, Severity, Value};
use super::kind::KindOfFinding;
use super::prose;
use crate::analysis::names::FunctionWords;
use crate::analysis::own_code::{is_library, is_torch};
use crate::analysis::recompiles::{
    Cause, Chain, Change, ChangeKind, ChangedThing, LEFT_BY_BREAK, Limit, Step, disagreement, fixed,
    is_left_by_break, is_limit, kind_and_sizes, recompile_limit, unrecorded, what_changed,
    without_stack_values,
};
use crate::analysis::user_place::{UserPlace, own_frame, text_frames};
use crate::limits::{NAMED_BRIEFLY, QUOTE, SHORT_LIST};
use crate::model::sentence::{count, name, own, sentence};
use crate::model::words::{counted, duration, ends_of, file_name, first_of, resumed};
use crate::model::{Compile, CompileIndex, Failure, Model, NameOf, Reason, Sentence, TextFrame};
use crate::trace::{CompileId, TextMap};
use fxhash::{FxHashMap, FxHashSet};
use indexmap::IndexSet;

/// Steps of a chain that a finding lists; recompilations.html and report.json have all.
const STEPS: usize = 32;

/// One finding per frame that torch says was compiled again, in the order of the log. Without a record of it, a second
/// compile of a frame mostly means that the program cleared torch's caches, unless no record could be expected.
pub(super) fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    let Basis { model, chains, .. } = basis;
    let told = model.recompiles.iter().filter_map(|one| model.by_id.get(&one.compile).copied());
    let told: FxHashSet<CompileIndex> = told.collect();
    let is_lost = unrecorded(model).is_some();
    let is_again = |step: &Step<'_>| {
        let id = model.compiles.get(step.compile).and_then(|compile| compile.id.as_ref());
        id.and_then(CompileId::version).is_some_and(|version| version > 0)
    };
    let is_told = |chain: &Chain<'_>| {
        chain.limit_hit()
            || chain.steps.iter().any(|step| told.contains(&step.compile))
            || is_lost && chain.function.is_some() && chain.steps.iter().any(is_again)
    };
    let mut chains: Vec<_> = chains.iter().enumerate().filter(|(_, chain)| is_told(chain)).collect();
    chains.sort_by_key(|(_, chain)| chain.steps.first().map(|step| step.compile));
    let failed = model.failures.iter().rev().filter(|failure| is_limit(failure));
    let exceptions = failed.map(|failure| (&failure.compile, failure)).collect();
    let log = Log { basis, words: FunctionWords::of(model), exceptions };
    let (rests, wholes): (Vec<_>, Vec<_>) = chains
        .iter()
        .partition(|(_, one)| is_of_one_size(one) && chains.iter().any(|(_, whole)| is_rest(one, whole)));
    let of = |&(place, chain): &(usize, &Chain<'_>)| {
        let rests: Vec<&Chain<'_>> =
            rests.iter().map(|(_, rest)| *rest).filter(|rest| is_rest(rest, chain)).collect();
        Some(Finding { entry: Some(EntryKey::Chain(place)), ..finding(&log, chain, &rests)? })
    };
    wholes.iter().filter_map(of).collect()
}

/// Whether a chain is the code behind a graph break of a function, and was compiled again for the same sizes as that function
/// was: one change of an input, which has the same name in both.
fn is_rest(rest: &Chain<'_>, whole: &Chain<'_>) -> bool {
    let (Some(function), Some(of)) = (rest.function, whole.function) else { return false };
    resumed(&function.name).is_some_and(|(name, _)| name == of.name)
        && function.file == of.file
        && (&rest.lead, &rest.values) == (&whole.lead, &whole.values)
        && is_of_one_size(rest)
        && is_of_one_size(whole)
}

/// Whether nothing but one size that has a name changed, and torch did not give up.
fn is_of_one_size(chain: &Chain<'_>) -> bool {
    let is_size = |(kind, name): &(ChangeKind, Option<String>)| *kind == ChangeKind::Size && name.is_some();
    chain.lead.as_ref().is_some_and(is_size) && !chain.limit_hit() && chain.subjects().len() == 1
}

/// Whether a compile is a recompile because a tensor came on another device.
pub(super) fn is_of_device(chains: &[Chain<'_>], compile: CompileIndex) -> bool {
    let mut steps = chains.iter().flat_map(|chain| &chain.steps);
    steps.any(|step| step.compile == compile && changes_device(step))
}

fn changes_device(step: &Step<'_>) -> bool {
    step.change.as_ref().is_some_and(|change| change.kind == ChangeKind::Device)
}

/// The compiles of each function by what changed before them.
#[derive(Default)]
pub(super) struct Again {
    /// The place of the chain of each compile.
    chains: FxHashMap<CompileIndex, usize>,
    because: TextMap<Changing, Vec<CompileIndex>>,
}

/// Something that may change between the calls of a function.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Changing {
    chain: usize,
    name: String,
}

impl Again {
    pub(super) fn of(chains: &[Chain<'_>]) -> Again {
        let mut found = Again::default();
        for (chain, steps) in chains.iter().map(|chain| &chain.steps).enumerate() {
            for step in steps {
                found.chains.insert(step.compile, chain);
                if let Some(name) = step.change.as_ref().and_then(Change::subject) {
                    found.because.entry(Changing { chain, name }).or_default().push(step.compile);
                }
            }
        }
        found
    }

    /// The thing of that name in the function of a compile, if the function was compiled again.
    pub(super) fn changing(&self, compile: CompileIndex, name: String) -> Option<Changing> {
        Some(Changing { chain: *self.chains.get(&compile)?, name })
    }

    /// The compiles whose reason is that it changed.
    pub(super) fn because_of(&self, changing: &Changing) -> &[CompileIndex] {
        self.because.get(changing).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What is looked up for each function.
struct Log<'m> {
    basis: Basis<'m>,
    words: FunctionWords<'m>,
    /// The first exception of each compile that says that the limit was reached.
    exceptions: TextMap<&'m Option<CompileId>, &'m Failure>,
}

fn finding(log: &Log<'_>, chain: &Chain<'_>, rests: &[&Chain<'_>]) -> Option<Finding> {
    let basis = log.basis;
    let model = basis.model;
    let first = chain.steps.first()?.compile;
    let decorated = decorated(model, chain, first);
    let function = match &decorated {
        Some(frame) => name(NameOf::Function, &frame.function).into(),
        None => log.words.at(first).unwrap_or_else(|| "A function".into()),
    };
    let (subjects, limit) = (chain.subjects(), chain.limit_of(recompile_limit(model)));
    let what = match subjects.iter().all(|subject| subject.kind.is_none()) {
        true => own(unrecorded(model).unwrap_or_else(|| "no reason recorded".to_owned())).into(),
        false => what(&subjects, chain),
    };
    let (kind, severity, happened) = match chain.limit {
        Limit::RunsEagerly => {
            let happened = sentence![" runs in eager mode after ", chain.cached_versions(), " versions: "];
            (KindOfFinding::RecompileLimit, Severity::Error, happened)
        }
        Limit::Raises => {
            let happened = sentence![" raises at the recompile limit of ", chain.cached_versions(), ": "];
            (KindOfFinding::RecompileLimit, Severity::Error, happened)
        }
        Limit::NotReached => {
            let severity = if chain.is_expected() { Severity::Info } else { Severity::Warning };
            (KindOfFinding::Recompilation, severity, sentence![" was compiled ", chain.versions, " times: "])
        }
    };
    let mut found = Finding::new(kind, severity, sentence![function, happened, what.clone()]);
    found.shared = what;
    found.reason = format!("{} {:?} {limit}", kinds(&subjects), chain.limit);
    found.count = chain.versions.saturating_sub(1).max(1) as u64;
    found.detail = detail(model, chain, &subjects);
    found.place = place(model, chain, first);
    found.advise_all(chain.advice.iter().cloned());
    let all: Vec<&Chain<'_>> = [chain].into_iter().chain(rests.iter().copied()).collect();
    claim_versions(&all, &mut found);
    all.iter().for_each(|one| claim_cpp_builds(basis, one, &mut found));
    if !rests.is_empty() {
        let functions = counted(rests.len(), "part", "parts");
        let words =
            format!("{functions} of the function behind a graph break, compiled again for the same size");
        found.fact("With it", Value::Prose(words));
    }
    found.fact("Changed", Value::Change(kinds(&subjects)));
    found.fact("Chain", Value::Chain(steps(chain)));
    let disagreements = disagreements(model, chain);
    if !disagreements.is_empty() {
        found.fact("Versions disagree", Value::Code(disagreements));
    }
    if let Some(frame) = decorated {
        found.fact("Decorated", Value::Prose(behind_decorator(frame)));
    }
    add_limit(log, chain, limit, &mut found);
    found.stack = reasons(chain).last().map(|reason| reason.user_stack.clone()).unwrap_or_default();
    found.concern(all.iter().flat_map(|one| one.compiles()));
    Some(found)
}

/// What torch compiles of a function with one of its decorators.
fn behind_decorator(frame: &TextFrame) -> String {
    format!(
        "`{}` is called through a decorator of torch, whose wrapper is what torch compiles: `args[0]` is its first argument.",
        frame.function
    )
}

/// How far the limit is, and what happened there.
fn add_limit(log: &Log<'_>, chain: &Chain<'_>, limit: u64, found: &mut Finding) {
    let left = match chain.limit {
        Limit::RunsEagerly => "the limit is reached, and a call that fits none runs in eager mode".to_owned(),
        Limit::Raises => "the limit is reached, and a call that fits none raises".to_owned(),
        Limit::NotReached => {
            format!("{} more until torch gives up", limit.saturating_sub(chain.cached_versions() as u64))
        }
    };
    found
        .fact("Limit", Value::Prose(format!("{} of {limit} versions kept; {left}", chain.cached_versions())));
    let over = chain
        .steps
        .iter()
        .find(|step| step.over_limit)
        .and_then(|step| log.basis.model.compiles.get(step.compile));
    let failure = over.and_then(|compile| log.exceptions.get(&compile.id));
    if let Some(failure) = failure {
        found.fact("Exception", Value::Code(vec![failure.error.clone()]));
        found.read_more = prose::read_more(failure.reason.as_deref().unwrap_or_default());
    }
}

/// Claims what the versions after the first took: what is expected was needed, what the limit refused was for nothing,
/// and the rest could be done without.
fn claim_versions(chains: &[&Chain<'_>], found: &mut Finding) {
    let is_expected = |step: &&Step<'_>| step.cause.is_some_and(|cause: Cause| cause.expected);
    let later =
        chains.iter().flat_map(|one| one.steps.iter().skip(usize::from(one.versions == one.steps.len())));
    // Whether a version without a reason was needed is not known.
    let again = || later.clone().filter(|step| !step.over_limit && step.cause.is_some());
    let compiles = |steps: &mut dyn Iterator<Item = &Step<'_>>| -> Vec<CompileIndex> {
        steps.map(|step| step.compile).collect()
    };
    let avoidable = compiles(&mut again().filter(|step| !is_expected(step)));
    let words = format!("compiling {} again", counted(avoidable.len(), "version", "versions"));
    found.claim(Claim::avoidable(Work::Compile, avoidable, words));
    let expected = compiles(&mut again().filter(is_expected));
    let words =
        format!("compiling {} that the program needs", counted(expected.len(), "version", "versions"));
    found.claim(Claim::expected(Work::Compile, expected, words));
    let refused = compiles(&mut chains.iter().flat_map(|one| &one.steps).filter(|step| step.over_limit));
    let words = format!("in {} beyond the limit", counted(refused.len(), "compile", "compiles"));
    found.claim(Claim::wasted(Work::Whole, refused, words));
}

/// A version for the CPU, in a program on a GPU, is the only one that needs the C++ compiler.
fn claim_cpp_builds(Basis { model, on_device, .. }: Basis<'_>, chain: &Chain<'_>, found: &mut Finding) {
    let on_host = |step: &&Step<'_>| changes_device(step) && on_device.runs_on_host(step.compile);
    for step in chain.steps.iter().filter(on_host) {
        let (us, label) =
            (on_device.cpp_us(step.compile), model.compiles.get(step.compile).map(Compile::label));
        let Some(label) = label.filter(|_| us > 0.0) else { continue };
        let claim = Claim::avoidable(Work::OneOff, vec![step.compile], "of building C++ for the CPU");
        found.claim(claim.at_most(us));
        let words = format!(
            "{}, in {label}, which runs on the CPU; all else of the program is on a GPU",
            duration(us)
        );
        found.fact("C++ build", Value::Prose(words));
    }
}

/// The reason of the closest version of each compile that has one.
fn reasons<'c>(chain: &'c Chain<'_>) -> impl Iterator<Item = &'c Reason> {
    chain.steps.iter().filter_map(Step::reason)
}

/// ``size `x.shape[1]`: 4 -> 6``, for the title.
fn what(subjects: &[ChangedThing<'_>], chain: &Chain<'_>) -> Sentence {
    let more = subjects.len().saturating_sub(NAMED_BRIEFLY);
    let more = (more > 0).then(|| sentence!["and ", count(more, "thing", "things"), " more"]);
    let changes = Sentence::joined(subjects.iter().take(NAMED_BRIEFLY).map(what_changed).chain(more), "; ");
    let kinds: IndexSet<String> = subjects.iter().map(|subject| kind_and_sizes(&subject.changes)).collect();
    let kinds: Vec<String> = kinds.into_iter().take(SHORT_LIST).collect();
    let changes = changes.or_redacted(own(kinds.join("; ")));
    match chain.steps.last() {
        Some(last) if last.runs_eagerly && !last.over_limit => {
            sentence![changes, ", which runs in eager mode"]
        }
        _ => changes,
    }
}

/// `2/4: no version fits: flag is True for 2, k differs for 1`
fn disagreements(model: &Model, chain: &Chain<'_>) -> Vec<String> {
    let lines = chain.steps.iter().filter_map(|step| {
        let label = model.compiles.get(step.compile)?.label();
        Some(format!("{label}: {}", disagreement(step)?.replace('`', "")))
    });
    lines.take(STEPS).collect()
}

fn word(subject: &ChangedThing<'_>) -> &'static str {
    subject.kind.map_or("no reason recorded", ChangeKind::word)
}

fn kinds(subjects: &[ChangedThing<'_>]) -> String {
    let lines = subjects.iter().map(|subject| {
        let values = values(subject);
        let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(" → ")) };
        let dynamic = if subject.became_dynamic() { ", then dynamic" } else { "" };
        match &subject.name {
            None => format!("{}{values}", word(subject)),
            Some(name) if is_left_by_break(name) => format!("{LEFT_BY_BREAK}{values}{dynamic}"),
            Some(name) => format!("{} `{name}`{values}{dynamic}", word(subject)),
        }
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// Values that a thing had, first to last; of many the first ones and the last.
fn values(subject: &ChangedThing<'_>) -> Vec<String> {
    let mut values = subject.values();
    values.retain(|value| value.len() <= QUOTE);
    ends_of(values, SHORT_LIST)
}

fn detail(model: &Model, chain: &Chain<'_>, subjects: &[ChangedThing<'_>]) -> Option<String> {
    let lead = subjects.first()?;
    if let Some(fixed) = fixed(model, &chain.compiles(), lead) {
        let is_size =
            fixed.sources.iter().any(|source| source.contains(".size()") || source.contains(".stride()"));
        let thing = if is_size { "size" } else { "number" };
        let mut values: Vec<String> = lead.values();
        values.retain(|value| value.len() <= QUOTE);
        return Some(match values.len() {
            0 | 1 => format!("The {thing} was dynamic until a line fixed it to {}.", fixed.value),
            _ => format!(
                "A line needs the {thing} as a constant, so that each value has a version of its own."
            ),
        });
    }
    let Some(kind) = lead.kind else {
        return Some(
            "The log does not say what changed, so whether these compiles were needed is not known."
                .to_owned(),
        );
    };
    let mut text = kind.meaning().to_owned();
    if let Some(step) = chain.steps.iter().rev().find(|step| disagreement(step).is_some())
        && let (Some(words), Some(compile)) = (disagreement(step), model.compiles.get(step.compile))
    {
        text.push_str(&format!(" In {}, {words}.", compile.label()));
    }
    if let Some(words) = without_graph(model, chain) {
        text.push_str(&words);
    }
    if chain.is_expected() {
        text.push_str(" These versions are expected.");
    }
    Some(text)
}

/// What of a function runs in eager mode, as its version came out without a graph and nothing resumes after a break.
fn without_graph(model: &Model, chain: &Chain<'_>) -> Option<String> {
    let eager = chain.steps.iter().filter(|step| step.runs_eagerly && !step.over_limit);
    let compiles = eager.filter_map(|step| model.compiles.get(step.compile));
    let labels: Vec<String> = compiles.map(Compile::label).collect();
    let holds = if labels.len() == 1 { "holds" } else { "hold" };
    let named = first_of(&labels, NAMED_BRIEFLY);
    (!labels.is_empty())
        .then(|| format!(" {named} {holds} no graph: calls that it serves run in eager mode."))
}

/// The user's function that torch runs through a wrapper of its own, such as that of `@torch.no_grad()`: the first frame of
/// the user below the wrapper.
fn decorated<'c>(model: &Model, chain: &'c Chain<'_>, first: CompileIndex) -> Option<&'c TextFrame> {
    let file = model.compiles.get(first)?.function.as_ref()?.file.as_deref()?.replace('\\', "/");
    let is_wrapper = WRAPPERS.iter().any(|wrapper| file.ends_with(wrapper));
    let frames = chain.steps.iter().flat_map(|step| &step.reasons).map(|reason| reason.user_stack.as_slice());
    let below = |frames: &'c [TextFrame]| {
        let wrapper = frames
            .iter()
            .rposition(|frame| file.ends_with(file_name(&frame.file)) && is_torch(&frame.file))?;
        frames.get(wrapper..)?.iter().find(|frame| !is_library(&frame.file))
    };
    frames.filter(|_| is_wrapper).find_map(below)
}

/// Files of torch with the wrappers of its decorators.
const WRAPPERS: [&str; 2] = ["torch/_dynamo/external_utils.py", "torch/utils/_contextlib.py"];

/// The user's line: the guard's, else the call into the library that defines the function, else the function's
/// definition.
fn place(model: &Model, chain: &Chain<'_>, first: CompileIndex) -> UserPlace {
    let place = UserPlace::of_definition(model, first);
    let at_line = |frame| UserPlace { function: place.function.clone(), ..UserPlace::of_frame(frame) };
    if let Some(frame) = reasons(chain).find_map(|reason| own_frame(&reason.user_stack)) {
        return at_line(frame);
    }
    let is_own = place.file.as_deref().is_none_or(|file| !is_library(file) && !file.starts_with('<'));
    if !is_own && let Some(frames) = call_site(model, chain) {
        return at_line(&frames);
    }
    if let Some(source) = reasons(chain).find_map(|reason| reason.source.as_ref()) {
        let name = file_name(&source.file);
        let whole = place.file.clone().filter(|file| file.ends_with(name));
        // A line of a library is named only if the function is the library's too.
        if whole.is_some() || !is_own {
            return UserPlace {
                file: Some(whole.unwrap_or_else(|| source.file.clone())),
                line: Some(source.line),
                loc: Some(source.code.clone()),
                function: place.function,
            };
        }
    }
    place
}

/// The innermost frame of the user's own on the way to the newest version.
fn call_site(model: &Model, chain: &Chain<'_>) -> Option<TextFrame> {
    let compiles = chain.steps.iter().rev().filter_map(|step| model.compiles.get(step.compile));
    compiles.filter_map(|compile| compile.stack.as_deref()).find_map(|stack| {
        own_frame(&text_frames(model, stack)).filter(|frame| !frame.file.starts_with('<')).cloned()
    })
}

fn steps(chain: &Chain<'_>) -> Vec<ChainStep> {
    let step = |step: &Step<'_>| {
        let reason = step.reason();
        let guard = reason.map(|r| if r.guard.is_empty() { r.text.clone() } else { r.guard.clone() });
        ChainStep {
            compile: step.compile,
            guard: guard.filter(|guard| !guard.is_empty()).map(|guard| without_stack_values(&guard)),
            against: reason.and_then(|r| r.against.clone()),
        }
    };
    chain.steps.iter().take(STEPS).map(step).collect()
}
