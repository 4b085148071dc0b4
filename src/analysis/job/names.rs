//! Functions of a job as the reader calls them, the same names as in the reports of the ranks.

use crate::analysis::own_code::resumed;
use crate::facts::ranks::{CodePlace, FunctionFact, GraphId, TextId, Texts};
use crate::limits::SHORT_LINE;
use crate::model::sentence::{compile_id, name, quoted, sentence, value};
use crate::model::{NameOf, Sentence};
use crate::trace::CompileId;

/// A compile of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankCompile<'j> {
    /// The rank: an index into the job's.
    pub rank: usize,
    /// The compile, as that rank names it.
    pub compile: &'j str,
}

/// A compiled function under the name that the reader knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedFunction<'t> {
    title: &'t str,
    /// What torch calls it.
    torch: &'t str,
    resumed: Option<&'t str>,
    /// The reader's line: where the function is defined, or, of a library's, where it is called.
    pub place: Option<CodePlace>,
}

impl<'t> NamedFunction<'t> {
    /// The function of a compile; `function` is what torch calls it.
    pub fn new(texts: &'t Texts, graph: Option<GraphId>, function: FunctionFact) -> NamedFunction<'t> {
        let torch = function.name_or_unknown(texts);
        let (base, resumed) = resumed(torch).map_or((torch, None), |(base, line)| (base, Some(line)));
        let known = graph.and_then(|graph| texts.reader_name(graph));
        NamedFunction {
            title: known.map_or(base, |name| texts.get(name.title)),
            torch,
            resumed,
            place: known.and_then(|name| name.called).or(function.place),
        }
    }

    /// The same of a compile that all ranks know; None where no log says what was compiled.
    pub fn of_graph(texts: &'t Texts, graph: Option<GraphId>) -> Option<NamedFunction<'t>> {
        let function = texts.graph(graph?)?.function;
        // A compile whose function no log names is known by its id.
        let is_id = function.name.is_none_or(|name| CompileId::parse(texts.get(name)).is_some());
        (!is_id || texts.reader_name(graph?).is_some()).then(|| NamedFunction::new(texts, graph, function))
    }

    /// The name without marks: `f`, or `f resumed at 9`.
    pub fn plain(&self) -> String {
        self.resumed.map_or_else(|| self.title.to_owned(), |line| format!("{} resumed at {line}", self.title))
    }

    /// The name in a sentence, as code: `f` resumed at 9.
    pub fn words(&self) -> Sentence {
        let title = short(self.title);
        // A title with a space is words, not code: compiled autograd's backward pass has no name.
        let title = match title.contains(' ') {
            true => sentence!["the ", quoted(title)],
            false => name(NameOf::Function, title).into(),
        };
        let words = sentence![title, self.resumed.map(|line| sentence![" resumed at ", value(line)])];
        words.or_redacted(name(NameOf::Function, self.torch))
    }
}

/// `f` (0/0): a function and its compile, as far as they are known.
pub(super) fn with_id(texts: &Texts, function: Option<NamedFunction<'_>>, id: Option<TextId>) -> Sentence {
    let id = texts.maybe(id).map(compile_id);
    match (function, id) {
        (Some(function), id) => sentence![function.words(), id.map(|id| sentence![" (", id, ")"])],
        (None, Some(id)) => id.into(),
        (None, None) => "a function".into(),
    }
}

/// ` (f)`: the function of a compile, behind its id.
pub(super) fn in_brackets(texts: &Texts, graph: Option<GraphId>) -> Sentence {
    NamedFunction::of_graph(texts, graph).map(|name| sentence![" (", name.words(), ")"]).into()
}

/// The beginning of a text that may be long.
pub(super) fn short(text: &str) -> &str {
    text.char_indices().nth(SHORT_LINE).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
