//! What texts name of dimensions that are to be marked.

use crate::analysis::own_code::{is_library, is_wrapper};
use crate::analysis::pattern::Groups;
use crate::analysis::recompiles::chain::{Chain, Step};
use crate::analysis::recompiles::kind::ChangeKind;
use crate::analysis::recompiles::limit::is_limit;
use crate::analysis::recompiles::words::compiles_become;
use crate::analysis::user_place::UserPlace;
use crate::limits::{IN_ROW, SHOWN};
use crate::model::words::file_name;
use crate::model::{CompileIndex, Model, ReasonSource};
use crate::read::expr::as_written;
use indexmap::IndexSet;

/// A dimension of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dimension {
    /// The tensor as torch writes it: `L['x']`.
    pub source: String,
    pub dimension: usize,
}

impl Dimension {
    /// `x.shape[0]` in backquotes.
    pub fn shape(&self) -> String {
        format!("`{}.shape[{}]`", as_written(&self.source), self.dimension)
    }
}

pub(super) fn label(model: &Model, compile: CompileIndex) -> String {
    model.compiles.get(compile).map_or_else(|| "?".to_owned(), |compile| compile.label())
}

/// What the advice to mark dimensions names, of a number of versions.
pub(super) fn names(
    model: &Model,
    chain: &Chain<'_>,
    version: CompileIndex,
    served: &[CompileIndex],
    dimensions: &[Dimension],
    versions: usize,
) -> Groups {
    let left = versions.saturating_sub(served.len());
    // Calls after the limit left no record of what else they differ in.
    let is_promised = (!chain.limit_hit() || left == 1) && !others_broke(model, chain);
    let kind = lab_kind(dimensions);
    let mut saved: Vec<String> = served.iter().take(IN_ROW).map(|compile| label(model, *compile)).collect();
    let saved_more = served.len().saturating_sub(IN_ROW);
    if let (Some(last), true) = (saved.last_mut(), saved_more > 0) {
        last.push_str(&format!(" and {saved_more} more"));
    }
    let mut named: Vec<String> = dimensions.iter().take(IN_ROW).map(Dimension::shape).collect();
    let more = dimensions.len().saturating_sub(IN_ROW);
    named.extend((more > 0).then(|| format!("{more} more")));
    let mut names = Groups::from([
        (if dimensions.len() == 1 { "one" } else { "several" }, named.join(", ")),
        ("version", label(model, version)),
        ("saved", saved.join(", ")),
        ("calls", if served.len() == 1 { "that call" } else { "those calls" }.to_owned()),
        ("setting", environment(dimensions)),
        ("tried_mark", kind.mark.to_owned()),
        ("tried_setting", kind.environment.to_owned()),
    ]);
    names.extend(whose(model, chain).map(|whose| ("whose", whose)));
    names.extend((dimensions.len() <= SHOWN).then(|| ("mark", code(dimensions))));
    names.extend(is_promised.then(|| ("promise", compiles_become(versions, left))));
    names
}

/// Whose arguments they are, where the function is in a library.
fn whose(model: &Model, chain: &Chain<'_>) -> Option<String> {
    let function = chain.function.filter(|function| function.file.as_deref().is_some_and(is_library))?;
    let first = chain.steps.first().map(|step| step.compile).filter(|_| is_wrapper(function));
    if let Some(place) = first.map(|first| UserPlace::of_call(model, first))
        && let (Some(file), Some(line)) = (place.file, place.line)
    {
        return Some(format!(" `args[0]` is the first argument of the call in {}:{line}.", file_name(&file)));
    }
    let file = function.file.as_deref().map_or("a library", file_name);
    Some(format!(" These are arguments of `{}` in {file}, which the program calls.", function.name))
}

/// The lines to write.
fn code(dimensions: &[Dimension]) -> String {
    if let [one] = dimensions {
        return format!("torch._dynamo.maybe_mark_dynamic({}, {})", as_written(&one.source), one.dimension);
    }
    let pairs = dimensions.iter().map(|one| format!("({}, {})", as_written(&one.source), one.dimension));
    let pairs: Vec<String> = pairs.collect();
    format!("for tensor, dim in [{}]:\n    torch._dynamo.maybe_mark_dynamic(tensor, dim)", pairs.join(", "))
}

/// `TORCH_COMPILE_DYNAMIC_SOURCES="L['x'],L['mask']"`
fn environment(dimensions: &[Dimension]) -> String {
    let sources: IndexSet<&str> = dimensions.iter().map(|one| one.source.as_str()).collect();
    let sources: Vec<&str> = sources.into_iter().collect();
    format!("TORCH_COMPILE_DYNAMIC_SOURCES=\"{}\"", sources.join(","))
}

/// Programs of the lab that mark such a set, by a line and by the setting.
struct LabKind {
    mark: &'static str,
    environment: &'static str,
}

fn lab_kind(dimensions: &[Dimension]) -> LabKind {
    let sources: IndexSet<&str> = dimensions.iter().map(|one| one.source.as_str()).collect();
    let is_attribute = |source: &&&str| source.contains("].") || source.starts_with("G[");
    let is_item = |source: &&&str| source.contains("][");
    let (mark, environment) = match sources.len() {
        _ if sources.iter().any(|source| is_attribute(&source)) => ("attribute_size.2", "attribute_size.4"),
        _ if sources.iter().any(|source| is_item(&source)) => ("kv_cache.3", "kv_cache.5"),
        1 if dimensions.len() == 1 => ("batch_size.2", "batch_size.4"),
        1 => ("square_images.2", "two_dims.4"),
        _ => ("input_and_mask.4", "input_and_mask.6"),
    };
    LabKind { mark, environment }
}

/// Whether another function of the log broke or gave up: then functions are compiled by themselves that a mark does not
/// reach, and no number of compiles can be promised.
fn others_broke(model: &Model, chain: &Chain<'_>) -> bool {
    let own = |compile: Option<CompileIndex>| {
        compile.is_some_and(|one| chain.steps.binary_search_by_key(&one, |step| step.compile).is_ok())
    };
    let failed = model.failures.iter().any(|failure| {
        let compile = model.by_id.get(&failure.compile).copied();
        !(is_limit(failure) && own(compile))
    });
    failed || !model.graph_breaks.is_empty()
}

/// The first line that branches on a relation of sizes, as the guards of its two sides name it.
pub(super) fn deciding_line(chain: &Chain<'_>) -> Option<String> {
    let of_relation =
        |step: &&Step<'_>| step.change.as_ref().is_some_and(|change| change.kind == ChangeKind::Relation);
    let mut sources =
        chain.steps.iter().filter(of_relation).filter_map(|step| step.reason()?.source.as_ref());
    let source = sources.find(|source| BRANCHES.iter().any(|start| source.code.trim().starts_with(start)))?;
    let ReasonSource { file, line, code, .. } = source;
    Some(format!("{}:{line}, `{}`,", file_name(file), code.trim()))
}

/// How a line begins that branches.
const BRANCHES: [&str; 3] = ["if ", "elif ", "while "];
