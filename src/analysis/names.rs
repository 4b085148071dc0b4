//! Names of compiled functions as users know them. torch logs the code object that runs: often `forward`, or a decorator
//! of a library (`wrapper`, `inner`). The class of the model is in the guards, and the user's line is in the stack.

use super::own_code::{is_library, is_torch, is_wrapper, resumed};
use super::user_place::UserPlace;
use crate::limits::LONGEST_VALUE;
use crate::model::sentence::{name, own, sentence, value};
use crate::model::{Compile, CompileIndex, Function, Model, NameOf, PlaceType, Sentence};
use crate::read::expr::as_written;
use crate::trace::{FrameId, TextMap, TextSet, shared};
use std::sync::Arc;

/// The name of a compiled function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct FunctionName {
    /// `LlamaForCausalLM`, `Mlp.forward`, `f`; without the line at which it resumes.
    pub title: String,
    /// The line at which the function resumes after a graph break.
    pub resumed: Option<String>,
    /// Whether the title is words, not a name in code.
    pub in_words: bool,
    /// The user's line that leads to the function, if the function itself is in a library.
    pub called: Option<UserPlace>,
    /// Whether the title lacks the name that torch logs: `wrapper`.
    pub renamed: bool,
}

impl FunctionName {
    /// The name as plain text: `f`, or `f resumed at 9`.
    pub fn plain(&self) -> String {
        self.resumed
            .as_ref()
            .map_or_else(|| self.title.clone(), |line| format!("{} resumed at {line}", self.title))
    }

    /// The name in a sentence: `f`, or `f, resumed at line 9`.
    pub fn words(&self) -> Sentence {
        let title = match self.in_words {
            true => own(format!("the {}", self.title)),
            false => name(NameOf::Function, &self.title),
        };
        let resumed = self.resumed.as_ref().map(|line| sentence![", resumed at line ", value(line)]);
        sentence![title, resumed]
    }
}

/// The names of a log's functions, by compile.
#[derive(Debug, Default)]
pub struct Names {
    /// Compiles of one function share its name.
    of: Vec<Option<Arc<FunctionName>>>,
}

impl Names {
    /// Names the functions of all compiles.
    pub(super) fn of_log(model: &Model) -> Names {
        let functions = FunctionWords::of(model);
        let mut known: TextSet<Arc<FunctionName>> = TextSet::default();
        let name = |index| functions.name(index, receiver(model, index));
        let names = model.compiles.indices().map(|index| Some(shared(&mut known, name(index)?)));
        Names { of: names.collect() }
    }

    /// The name of a compile's function; None if the log does not say what was compiled.
    pub fn at(&self, index: CompileIndex) -> Option<&FunctionName> {
        self.of.get(index.place())?.as_deref()
    }

    /// The name shared by all of these compiles; None if they differ.
    pub fn shared(&self, compiles: &[CompileIndex]) -> Option<&FunctionName> {
        let mut names = compiles.iter().filter_map(|index| self.at(*index));
        let first = names.next()?;
        names.all(|name| name.title == first.title && name.resumed == first.resumed).then_some(first)
    }
}

/// The function of a compile, for a sentence about all compiles of its frame: `f`, or `f, resumed at line 9`. A wrapper
/// that is compiled for objects of several classes keeps its own name. This reads all compiles; use [`FunctionWords`] for
/// several functions.
pub(super) fn function_words(model: &Model, index: CompileIndex) -> Option<Sentence> {
    FunctionWords::of(model).at(index)
}

/// ` in f`, ` in f and g`, ` in f and 2 other functions`: the functions of compiles as torch logs them, for what a redacted
/// report says.
pub(super) fn in_functions(model: &Model, compiles: impl Iterator<Item = CompileIndex>) -> Sentence {
    let functions = compiles.filter_map(|index| model.compiles.get(index)?.function.as_deref());
    let mut names: Vec<&str> = functions.map(|function| function.name.as_str()).collect();
    let mut seen = TextSet::default();
    names.retain(|name| seen.insert(*name));
    let more = names.len().saturating_sub(1);
    let mut names = names.into_iter().map(|one| Sentence::from(name(NameOf::Function, one)));
    match names.next() {
        None => Sentence::default(),
        Some(first) if more > 1 => sentence![" in ", first, " and ", more, " other functions"],
        Some(first) => sentence![" in ", Sentence::list([first].into_iter().chain(names).collect())],
    }
}

/// Where a module keeps its parts: items of these are its attributes.
const HELD: [&str; 3] = ["._modules['", "._parameters['", "._buffers['"];

/// The name of a parameter or buffer as in the module's `state_dict`, after the module:
/// `self.model.layers.0.mlp.up_proj.weight`. None if the tensor is not part of a module.
pub fn parameter_name(source: &str) -> Option<String> {
    if source.len() > LONGEST_VALUE {
        return None;
    }
    let first = HELD.iter().filter_map(|part| source.find(part)).min()?;
    let (module, mut rest) = source.split_at_checked(first)?;
    let mut name = as_written(module);
    while !rest.is_empty() {
        let item = HELD.iter().find_map(|part| rest.strip_prefix(part)?.split_once("']"));
        let next = HELD.iter().filter_map(|part| rest.find(part)).min().unwrap_or(rest.len());
        let (between, behind) = item.or_else(|| rest.split_at_checked(next))?;
        name.push_str(if item.is_some() { "." } else { "" });
        name.push_str(between);
        // Stop at an item without an end.
        rest = if behind.len() < rest.len() { behind } else { "" };
    }
    Some(name)
}

/// The functions of all compiles, for names and sentences. What the compiles of each frame say is taken together, because a
/// compile that failed or hit a limit has no guards, and possibly no function.
pub(super) struct FunctionWords<'m> {
    model: &'m Model,
    frames: TextMap<FrameId, OfFrame<'m>>,
}

#[derive(Default)]
struct OfFrame<'m> {
    function: Option<&'m Function>,
    receiver: Option<&'m PlaceType>,
    classes_differ: bool,
}

impl<'m> FunctionWords<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let mut frames: TextMap<FrameId, OfFrame<'m>> = TextMap::default();
        for (index, compile) in model.compiles.indexed() {
            let Some(frame) = compile.id.as_ref().map(|id| id.frame()) else { continue };
            let known = frames.entry(frame).or_default();
            known.function = known.function.or(compile.function.as_deref());
            if let Some(receiver) = receiver(model, index) {
                let first = known.receiver.get_or_insert(receiver);
                known.classes_differ |= first.class != receiver.class;
            }
        }
        FunctionWords { model, frames }
    }

    /// As [`function_words`].
    pub(super) fn at(&self, index: CompileIndex) -> Option<Sentence> {
        let logged = name(NameOf::Function, &self.function(index)?.name);
        Some(self.name(index, None)?.words().or_redacted(logged))
    }

    fn function(&self, index: CompileIndex) -> Option<&'m Function> {
        let compile = self.model.compiles.get(index)?;
        compile.function.as_deref().or_else(|| self.of_frame(compile)?.function)
    }

    fn of_frame(&self, compile: &Compile) -> Option<&OfFrame<'m>> {
        self.frames.get(&compile.id.as_ref()?.frame())
    }

    /// The name of a compile's function, for an object of class `own` or of the class that its frame has throughout.
    fn name(&self, index: CompileIndex, own: Option<&PlaceType>) -> Option<FunctionName> {
        let compile = self.model.compiles.get(index)?;
        let of_frame = self.of_frame(compile).filter(|frame| !frame.classes_differ);
        Some(name_of(self.model, compile, self.function(index)?, own.or_else(|| of_frame?.receiver)))
    }
}

fn receiver(model: &Model, index: CompileIndex) -> Option<&PlaceType> {
    model.guards.get(&index)?.receiver.as_ref()
}

/// Functions that every module has.
const GENERIC: [&str; 3] = ["__call__", "call", "forward"];

/// Types that are not the class of a model: a decorator usually holds a plain function.
const NO_CLASS: [&str; 14] = [
    "NoneType",
    "Parameter",
    "Tensor",
    "bool",
    "builtin_function_or_method",
    "dict",
    "float",
    "function",
    "int",
    "list",
    "method",
    "str",
    "tuple",
    "type",
];

fn name_of(
    model: &Model,
    compile: &Compile,
    function: &Function,
    receiver: Option<&PlaceType>,
) -> FunctionName {
    let file = function.file.as_deref().unwrap_or_default();
    let generated = file.starts_with("<eval_with_key>");
    let own = !file.is_empty() && !file.starts_with('<') && !is_library(file);
    let called = if own { None } else { UserPlace::of_caller(model, compile) };
    let (base, resumed) = match resumed(&function.name) {
        Some((base, line)) => (base, Some(line.to_owned())),
        None => (function.name.as_str(), None),
    };
    // Compiled autograd passes Dynamo a generated module: a backward pass.
    if generated && compile.id.as_ref().is_some_and(|id| id.is_of_compiled_autograd()) {
        let title = "backward pass".to_owned();
        return FunctionName { title, resumed, in_words: true, called, renamed: true };
    }
    let class = receiver.and_then(|receiver| class_of(receiver, own));
    let is_generic = GENERIC.contains(&base) || is_wrapper(function);
    let line = called.as_ref().and_then(|place| place.line);
    let (title, renamed) = match class {
        // What torch wraps is not known, but where it is called is.
        None if is_wrapper(function) && is_torch(file) && line.is_some() => {
            let title = format!("call in line {}", line.unwrap_or_default());
            return FunctionName { title, resumed, in_words: true, called, renamed: true };
        }
        Some(class) if !own && is_generic || is_first(receiver) => (class.to_owned(), true),
        Some(class) if receiver.is_some_and(|receiver| receiver.source == SELF) => {
            (format!("{class}.{base}"), false)
        }
        _ => (base.to_owned(), false),
    };
    FunctionName { title, resumed, in_words: false, called, renamed }
}

/// The object of a method.
const SELF: &str = "L['self']";

/// Whether the class is that of the first argument of a function that takes any, as the wrapper of a decorator does.
fn is_first(receiver: Option<&PlaceType>) -> bool {
    receiver.is_some_and(|receiver| receiver.source == "L['args'][0]")
}

/// The class of the object that a function works on. A module wrapped by `torch.compile` is a variable of the wrapper, not
/// its `self`; variables of the user's own functions do not count.
fn class_of(receiver: &PlaceType, own: bool) -> Option<&str> {
    if own && receiver.source != SELF && !is_first(Some(receiver)) {
        return None;
    }
    let path = receiver.class.split_once('\'')?.1.trim_end_matches('\'');
    let class = path.rsplit('.').next().unwrap_or(path);
    let class = if class == "GraphModuleImpl" { "GraphModule" } else { class };
    (!class.is_empty() && !NO_CLASS.contains(&class)).then_some(class)
}
