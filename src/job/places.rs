//! Finds the compiles and graphs to which the entries of a rank's report belong.

use crate::facts::ranks::{CodePlace, FunctionFact, GraphId, GraphKey, Texts};
use crate::facts::{Compile, Function, LogReport};
use crate::trace::TextMap;
use fxhash::FxHashMap;

/// Compiles by id and by folder.
pub(super) struct Places<'r> {
    ids: TextMap<&'r str, &'r str>,
    compiles: TextMap<&'r str, &'r Compile<'r>>,
    graphs: TextMap<&'r str, GraphId>,
}

impl<'r> Places<'r> {
    pub fn new(texts: &mut Texts, report: &'r LogReport<'r>) -> Places<'r> {
        let mut places =
            Places { ids: TextMap::default(), compiles: TextMap::default(), graphs: TextMap::default() };
        let mut counts: FxHashMap<FunctionFact, u32> = FxHashMap::default();
        for compile in &report.compiles {
            let Some(id) = compile.id.as_deref() else { continue };
            places.compiles.insert(id, compile);
            places.ids.extend(compile.attempts.iter().map(|attempt| (&*attempt.dir, id)));
            let mut function = places.defined(texts, Some(id), None);
            if function.name.is_none() {
                // What is not known by its function is known by its id.
                function.name = Some(texts.add(id));
            }
            let count = counts.entry(function).or_default();
            places.graphs.insert(id, texts.add_graph(GraphKey { function, nth: *count }));
            *count += 1;
        }
        places
    }

    /// The compile that a folder belongs to; the folder where that is not known.
    pub fn compile_of<'f: 'p, 'p>(&'p self, folder: &'f str) -> &'p str
    where
        'r: 'p,
    {
        self.ids.get(folder).copied().unwrap_or(folder)
    }

    /// The compile as all ranks know it.
    pub fn graph(&self, id: &str) -> Option<GraphId> {
        self.graphs.get(id).copied()
    }

    /// How often torch compiled under an id.
    pub fn times_compiled(&self, id: &str) -> usize {
        self.compiles.get(id).and_then(|compile| compile.occurrences.try_into().ok()).unwrap_or_default()
    }

    fn function(&self, id: Option<&str>) -> Option<&'r Function<'r>> {
        self.compiles.get(id?)?.function.as_ref()
    }

    /// The function of a compile and where it is defined. `name` is what a record about it calls it.
    pub fn defined(&self, texts: &mut Texts, id: Option<&str>, name: Option<&str>) -> FunctionFact {
        let function = self.function(id);
        let name = name.or_else(|| function?.name.as_deref());
        FunctionFact {
            name: texts.add_maybe(name),
            place: function.and_then(|function| place(texts, function.file.as_deref(), function.line)),
        }
    }
}

/// A line of a program, as the report has it.
pub(super) fn place(texts: &mut Texts, file: Option<&str>, line: Option<i64>) -> Option<CodePlace> {
    Some(CodePlace { file: texts.add(file?), line })
}
