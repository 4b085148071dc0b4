//! Facts as the texts that report.json and pages show.

use super::fact::{FactValue, FunctionFact, Step, TensorFact};
use super::ids::CodePlace;
use super::texts::Texts;

/// What a compile without a known function is called.
const UNKNOWN_FUNCTION: &str = "unknown function";

impl CodePlace {
    /// `file:line`
    pub fn text(self, texts: &Texts) -> String {
        let file = texts.get(self.file);
        self.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
    }
}

impl FunctionFact {
    /// Its name, where it has none a word for that.
    pub fn name_or_unknown(self, texts: &Texts) -> &str {
        texts.maybe(self.name).unwrap_or(UNKNOWN_FUNCTION)
    }

    /// `forward (model.py:20)`
    pub fn text(self, texts: &Texts) -> String {
        let name = texts.maybe(self.name).unwrap_or("a function");
        match self.place {
            Some(place) => format!("{name} ({})", place.text(texts)),
            None => name.to_owned(),
        }
    }
}

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
    /// The fact as one text; None where the log does not know it.
    pub fn text(&self, texts: &Texts) -> Option<String> {
        let value = self.value?;
        let text = value.text(texts);
        // These stand in the list of all graphs: the text says in which.
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
                | FactValue::Executed(_)
        )
    }

    /// The fact as one text, without its compile.
    fn text(self, texts: &Texts) -> String {
        let get = |id| texts.get(id);
        let at = |place: Option<CodePlace>| place.map(|place| format!(" at {}", place.text(texts)));
        match self {
            FactValue::Compiled { id, function } => {
                let name = function.name_or_unknown(texts);
                format!("{} {name}{}", get(id), at(function.place).unwrap_or_default())
            }
            FactValue::Lookup { cache, outcome, .. } => format!("{} {}", get(cache), get(outcome)),
            FactValue::Key { cache, key, .. } => format!("{} {}", get(cache), get(key)),
            FactValue::Collective(operation) => get(operation).to_owned(),
            FactValue::Call { operation, group, .. } => format!("{} in group {}", get(operation), get(group)),
            FactValue::Input { name, tensor, .. } => format!("{}: {}", get(name), tensor.text(texts)),
            FactValue::Output { operation, outputs, .. } => {
                let outputs = texts.tensors(outputs).iter().map(|tensor| tensor.text(texts));
                let outputs: Vec<String> = outputs.collect();
                format!("{}: {}", get(operation), outputs.join(", "))
            }
            FactValue::Hashed { count, md5, .. } => format!("{count} operations, md5 {}", get(md5)),
            FactValue::Executed(graph) => match texts.graph(graph) {
                Some(key) => key.function.name_or_unknown(texts).to_owned(),
                None => UNKNOWN_FUNCTION.to_owned(),
            },
            FactValue::Break { place, reason, times } => {
                let place = place.map(|place| format!("{}: ", place.text(texts))).unwrap_or_default();
                format!("{place}{}{}", get(reason), times_text(times))
            }
            FactValue::Recompiled { function, guards } => {
                let guards: Vec<&str> = texts.list(guards).iter().map(|guard| get(*guard)).collect();
                format!("{}: {}", function.text(texts), guards.join("; "))
            }
            FactValue::Failed { error, function, place, message } => {
                let message = texts.maybe(message).map(|text| format!(": {text}")).unwrap_or_default();
                let at = at(place).unwrap_or_default();
                format!("{} in {}{at}{message}", get(error), function.text(texts))
            }
            FactValue::Status { status, .. } => get(status).to_owned(),
            FactValue::Operations { count, .. } => {
                count.map_or_else(|| "–".to_owned(), |count| count.to_string())
            }
            FactValue::Setting { config, name, value } => {
                format!("{}.{} = {}", get(config), get(name), get(value))
            }
            FactValue::HashedConfig { config, md5 } => format!("{} {}", get(config), get(md5)),
        }
    }
}

/// ` (3 times)`, nothing for once.
fn times_text(times: u64) -> String {
    if times > 1 { format!(" ({times} times)") } else { String::new() }
}
