//! Names of functions as the reader knows them, next to torch's names.

use crate::analysis::{FunctionName, UserPlace};
use crate::model::{Compile, CompileIndex, Function};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, resumed_function, soft};
use crate::report::kit::view::View;
use crate::report::subject::Report;

impl<'a> Report<'a> {
    /// The only line that calls these library functions, if there is one.
    pub fn call_of_all(self, compiles: &[CompileIndex]) -> Option<&'a UserPlace> {
        let mut names = compiles.iter().filter_map(|index| self.found.names.at(*index));
        let called = names.next()?.called.as_ref()?;
        names.all(|name| name.called.as_ref() == Some(called)).then_some(called)
    }
}

impl<'a> View<'a> {
    /// The reader's name of a compile's function; None if the log does not name it.
    pub fn function_name(&self, compile: &Compile) -> Option<&'a FunctionName> {
        let index = self.report.model.by_id.get(&compile.id)?;
        self.report.found.names.at(*index)
    }

    /// The name of a compile's function, and torch's name if it differs; empty if the log does not name it.
    pub fn named(&self, compile: &Compile) -> Html {
        let name = self.function_name(compile);
        name.map_or_else(Html::default, |name| self.both_names(name, compile.function.as_deref()))
    }

    /// Only the name.
    pub fn title_of(&self, name: &FunctionName) -> Html {
        match &name.resumed {
            Some(line) => Element::new("code").around(resumed_function(&name.title, line)),
            None if name.in_words => Html::escaped(&name.title),
            None => self.code(&name.title),
        }
    }

    /// The line of a compile's function: its definition, or for a library function its call.
    pub fn place_of(&self, compile: &Compile) -> Option<Html> {
        let called = self.function_name(compile).and_then(|name| name.called.as_ref());
        self.called_or_defined(called, compile.function.as_deref())
    }

    fn called_or_defined(&self, called: Option<&UserPlace>, function: Option<&Function>) -> Option<Html> {
        match (called, function) {
            (Some(place), _) => Some(self.place(place.file.as_deref(), place.line)),
            (None, Some(function)) => Some(self.place(function.file.as_deref(), function.line)),
            (None, None) => None,
        }
    }

    /// Torch's name and place of a function, if the reader knows it by another: `wrapper generic.py:937`.
    pub fn name_in_torch(&self, compile: &Compile) -> Option<Html> {
        let name = self.function_name(compile).filter(|name| name.renamed || name.called.is_some())?;
        let function = compile.function.as_ref()?;
        let place = self.place(function.file.as_deref(), function.line);
        let raw = if name.renamed { self.code(&function.name) } else { Html::escaped("defined at") };
        Some(soft(Html::joined([raw, place], " ")))
    }

    fn both_names(&self, name: &FunctionName, function: Option<&Function>) -> Html {
        let title = self.title_of(name);
        match function.filter(|_| name.renamed) {
            Some(function) => Html::joined([title, soft(self.code(&function.name))], " "),
            None => title,
        }
    }
}
