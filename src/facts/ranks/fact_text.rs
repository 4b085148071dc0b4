//! Facts as the texts that report.json and pages show.

use super::fact::{FactValue, FunctionFact, Step, TensorFact};
use super::ids::{CodePlace, GraphId};
use super::texts::Texts;
use crate::model::words::file_line;

/// What a compile without a known function is called.
const UNKNOWN_FUNCTION: &str = "unknown function";

impl CodePlace {
    /// `file:line`
    pub fn text(self, texts: &Texts) -> String {
        file_line(texts.get(self.file), self.line)
    }
}

impl FunctionFact {
    /// Its name, where it has none a word for that.
    pub fn name_or_unknown(self, texts: &Texts) -> &str {
        texts.maybe(self.name).unwrap_or(UNKNOWN_FUNCTION)
    }

    /// The function as torch names it.
    fn words(self, texts: &Texts) -> FunctionWords {
        FunctionWords { name: self.name_or_unknown(texts).to_owned(), place: self.place }
    }
}

/// A function as a text names it.
#[derive(Debug, Clone)]
pub struct FunctionWords {
    pub name: String,
    /// A line that leads to it.
    pub place: Option<CodePlace>,
}

impl FunctionWords {
    /// `forward (model.py:20)`
    fn text(&self, texts: &Texts) -> String {
        match self.place {
            Some(place) => format!("{} ({})", self.name, place.text(texts)),
            None => self.name.clone(),
        }
    }
}

/// How a text names functions, each with its compile.
type Naming<'n> = &'n dyn Fn(Option<GraphId>, FunctionFact) -> FunctionWords;

impl TensorFact {
    /// `float32[8,16]`
    pub fn without_strides(self, texts: &Texts) -> String {
        format!("{}{}", texts.get(self.dtype), texts.maybe(self.sizes).unwrap_or_default())
    }

    /// `float32[8,16]/[16,1]`
    pub fn text(self, texts: &Texts) -> String {
        match texts.maybe(self.strides) {
            Some(strides) => format!("{}/{strides}", self.without_strides(texts)),
            None => self.without_strides(texts),
        }
    }
}

impl Step {
    /// The fact as one text, with functions as torch names them; None where the log does not know it.
    pub fn text(&self, texts: &Texts) -> Option<String> {
        self.text_with(texts, &|_, function| function.words(texts))
    }

    /// The same with functions named otherwise.
    pub fn text_with(&self, texts: &Texts, naming: Naming<'_>) -> Option<String> {
        let value = self.value?;
        let text = value.text(texts, &|function| naming(self.graph, function), naming);
        // These are in the list of all graphs: the text says in which.
        Some(match (value.is_of_graph(), texts.maybe(self.compile)) {
            (true, Some(id)) => format!("{id} {text}"),
            (true, None) => format!("no id {text}"),
            (false, _) => text,
        })
    }
}

impl FactValue {
    fn is_of_graph(self) -> bool {
        matches!(
            self,
            FactValue::Lookup { .. }
                | FactValue::Key { .. }
                | FactValue::Collective(_)
                | FactValue::Call { .. }
                | FactValue::Input { .. }
                | FactValue::Output { .. }
                | FactValue::Hashed { .. }
                | FactValue::Text(_)
                | FactValue::Executed(_)
        )
    }

    /// The fact as one text, without its compile.
    fn text(self, texts: &Texts, own: &dyn Fn(FunctionFact) -> FunctionWords, naming: Naming<'_>) -> String {
        let get = |id| texts.get(id);
        let at = |place: Option<CodePlace>| place.map(|place| format!(" at {}", place.text(texts)));
        match self {
            FactValue::Compiled { id, function } => {
                let function = own(function);
                format!("{} {}{}", get(id), function.name, at(function.place).unwrap_or_default())
            }
            FactValue::Lookup { cache, outcome } => format!("{} {}", get(cache), get(outcome)),
            FactValue::Key { cache, key } => format!("{} {}", get(cache), get(key)),
            FactValue::Collective(text) | FactValue::Text(text) | FactValue::Status(text) => {
                get(text).to_owned()
            }
            FactValue::Call { operation, group } => format!("{} in group {}", get(operation), get(group)),
            FactValue::Input { name, tensor } => format!("{}: {}", get(name), tensor.text(texts)),
            FactValue::Output { operation, outputs } => {
                let outputs = texts.tensors(outputs).iter().map(|tensor| tensor.text(texts));
                let outputs: Vec<String> = outputs.collect();
                format!("{}: {}", get(operation), outputs.join(", "))
            }
            FactValue::Hashed { count, md5 } => format!("{count} operations, md5 {}", get(md5)),
            FactValue::Executed(graph) => match texts.graph(graph) {
                Some(key) => naming(Some(graph), key.function).name,
                None => UNKNOWN_FUNCTION.to_owned(),
            },
            FactValue::Break { place, reason, times } => {
                let place = place.map(|place| format!("{}: ", place.text(texts))).unwrap_or_default();
                let again = if times > 1 { format!(" ({times} times)") } else { String::new() };
                format!("{place}{}{again}", get(reason))
            }
            FactValue::Recompiled { function, guards, .. } => {
                let guards: Vec<&str> = texts.list(guards).iter().map(|guard| get(*guard)).collect();
                format!("{}: {}", own(function).text(texts), guards.join("; "))
            }
            FactValue::Failed { error, function, place, message, is_backward } => {
                let message = texts.maybe(message).map(|text| format!(": {text}")).unwrap_or_default();
                let at = at(place).unwrap_or_default();
                let pass = if is_backward { "the backward of " } else { "" };
                format!("{} in {pass}{}{at}{message}", get(error), own(function).text(texts))
            }
            FactValue::Operations(count) => count.to_string(),
            FactValue::Setting { config, name, value } => {
                format!("{}.{} = {}", get(config), get(name), get(value))
            }
            FactValue::HashedConfig { config, md5 } => format!("{} {}", get(config), get(md5)),
        }
    }
}
