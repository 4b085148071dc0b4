//! What to do about a function that is compiled again and again.

use super::recompile_reason::local;
use super::user_place::UserPlace;
use super::{Chain, ChangeKind, Subject};
use crate::model::words::file_name;
use crate::model::{CompileIndex, Model, Specialisation};
use fxhash::FxHashSet;

/// What to do, the most fitting first; code stands between backquotes.
pub fn recompile_advice(model: &Model, chain: &Chain<'_>) -> Vec<String> {
    let mut advice: Vec<String> = Vec::new();
    let compiles = chain.compiles();
    for subject in chain.subjects().iter().take(SUBJECTS) {
        match fixed(model, &compiles, subject) {
            Some(one) => advice.push(keep_dynamic(model, one)),
            None => advice.push(about(model, chain, subject)),
        }
    }
    if let Some((_, sources)) = model.dynamic_sources.iter().rfind(|(at, _)| compiles.contains(at)) {
        let sources = format!("`TORCH_COMPILE_DYNAMIC_SOURCES={sources}`");
        advice.push(format!("Without a change of the program: set {sources} before it starts."));
    }
    let said = chain.steps.iter().filter_map(|step| step.reasons.first()?.hint.as_ref());
    advice.extend(said.map(|hint| format!("torch's own hint: {hint}.")));
    let mut seen = FxHashSet::default();
    advice.retain(|line| seen.insert(line.clone()));
    advice
}

/// Things that changed with advice of their own.
const SUBJECTS: usize = 4;

/// The specialisation that made a dynamic size of these compiles a constant.
pub fn fixed<'m>(
    model: &'m Model,
    compiles: &[CompileIndex],
    subject: &Subject<'_>,
) -> Option<&'m Specialisation> {
    let name = subject.name.as_deref()?;
    let mut mine = model.shapes.specialisations.iter().filter(|one| compiles.contains(&one.at.compile));
    mine.find(|one| one.sources.iter().any(|source| expression(source) == name))
}

/// `L['x'].size()[0]` as `x.shape[0]`.
pub fn expression(source: &str) -> String {
    local(source).replace(".size()[", ".shape[")
}

fn keep_dynamic(model: &Model, one: &Specialisation) -> String {
    let place = UserPlace::of_specialization(model, one);
    let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = place.file.as_deref().map_or("?", file_name);
    let code = place.loc.map_or_else(String::new, |loc| format!(", `{}`", loc.trim()));
    format!("To keep it dynamic, change the line that needs the number: {file}{line}{code}.")
}

fn about(model: &Model, chain: &Chain<'_>, subject: &Subject<'_>) -> String {
    let Some(kind) = subject.kind else {
        return "The log has no reason for these compiles. torch writes none when its caches were reset between \
                them, and versions before 2.5 write none at all."
            .to_owned();
    };
    let name = subject.name.as_deref();
    match kind {
        ChangeKind::Size => size(model, chain, subject),
        ChangeKind::Stride => format!(
            "The layout of {} changes. If it does not matter, make it the same before the call: `.contiguous()`.",
            named(subject.source(), "a tensor")
        ),
        ChangeKind::Dtype => {
            "Each dtype needs code of its own. Cast the input before the call if one dtype is enough.".to_owned()
        }
        ChangeKind::Device => {
            "Each device and kind of tensor needs code of its own. Move the inputs to one device before the call."
                .to_owned()
        }
        ChangeKind::PythonValue => python_value(&subject.values(), name.unwrap_or("the value")),
        ChangeKind::ObjectIdentity => format!(
            "Another object arrives as {} than the one that was compiled for. Create it once, outside of the compiled \
             function, and pass the same one to every call.",
            named(name, "an input")
        ),
        ChangeKind::GlobalState => global_state(name),
        ChangeKind::Backend => {
            "The function is compiled with several backends, or the backend is made anew for each call. Make it once."
                .to_owned()
        }
        ChangeKind::Other => "The guard that failed says what changed.".to_owned(),
    }
}

fn named(subject: Option<&str>, unknown: &str) -> String {
    subject.map_or_else(|| unknown.to_owned(), |subject| format!("`{subject}`"))
}

fn size(model: &Model, chain: &Chain<'_>, subject: &Subject<'_>) -> String {
    let dimension = subject.changes.first().and_then(|change| change.dimension);
    let (Some(name), Some(tensor), Some(dimension)) = (&subject.name, subject.source(), dimension) else {
        let tensor = named(subject.source(), "a tensor");
        return format!("The number of dimensions of {tensor} changes; each needs code of its own.");
    };
    let mut sizes = subject.values();
    sizes.sort();
    sizes.dedup();
    let count = sizes.len();
    let mark = format!("`torch._dynamo.mark_dynamic({tensor}, {dimension})`");
    let last = chain.steps.iter().rev().find(|step| !step.over_limit);
    let is_dynamic = last.is_some_and(|step| {
        let mut symbols = model.shapes.symbols.iter();
        symbols.any(|symbol| !symbol.unbacked && symbol.at.compile == step.compile)
    });
    let after = if chain.limit_hit { " Until then every call with a new size runs uncompiled." } else { "" };
    match (is_dynamic, count) {
        (true, _) => format!(
            "`{name}` took {count} sizes; then it was made dynamic, and further sizes need no compile. To save this \
             one, mark the dimension before the first call: {mark}."
        ),
        (false, 0..=2) => {
            format!("`{name}` took two sizes. If more will come, mark the dimension: {mark}.{after}")
        }
        (false, _) => format!(
            "`{name}` took {count} sizes and was never made dynamic. Remove `dynamic=False` from `torch.compile` if \
             it is set, or mark the dimension: {mark}.{after}"
        ),
    }
}

fn python_value(values: &[String], subject: &str) -> String {
    let value = values.first().map_or("", String::as_str);
    let is_dynamic = values.last().is_some_and(|value| value.starts_with("any "));
    if subject.starts_with("___stack") {
        let after =
            if is_dynamic { " Made dynamic with the last compile, it needs no further one." } else { "" };
        return format!(
            "The value that a graph break left behind, such as the result of `.item()`, is part of the compiled code \
             after it. Keep it a tensor, or compute it outside of the compiled function.{after}"
        );
    }
    if is_dynamic {
        return format!(
            "`{subject}` changed, so it was made dynamic: further values need no compile. Passing a tensor saves this one."
        );
    }
    if subject.starts_with("len(") {
        return format!("`{subject}` is part of the compiled code. Keep the length the same for all calls.");
    }
    if subject.contains("__closure__") {
        let function = subject.split(".__closure__").next().unwrap_or(subject);
        return format!(
            "The value in the closure of `{function}` is part of the compiled code. Pass it as an argument, a number as a tensor."
        );
    }
    match value {
        "None" => {
            format!("`{subject}` is None in some calls and set in others; one compile for each is expected.")
        }
        "True" | "False" => {
            format!("The flag `{subject}` selects a branch; one compile a value is expected.")
        }
        _ if value.starts_with(['\'', '"']) => {
            format!("The string `{subject}` selects a branch; one compile a value is expected.")
        }
        _ if value.parse::<f64>().is_ok() => {
            format!("The number `{subject}` is part of the compiled code. Pass it as a tensor.")
        }
        _ => {
            format!("The value of `{subject}` is part of the compiled code. Keep it the same for all calls.")
        }
    }
}

fn global_state(subject: Option<&str>) -> String {
    match subject {
        Some("grad_mode") => {
            "The function runs with and without gradients; one compile for each is expected.".to_owned()
        }
        Some(flag) if flag.ends_with(".requires_grad") => {
            let tensor = flag.trim_end_matches(".requires_grad");
            format!("`{tensor}` needs a gradient in some calls only; one compile for each is expected.")
        }
        _ => format!(
            "{} changed between calls. Set it once, before the first call.",
            named(subject, "A global setting of torch")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Step, classify};

    fn advice(reasons: &[&str]) -> String {
        let steps: Vec<Step<'_>> = reasons
            .iter()
            .map(|reason| Step {
                compile: CompileIndex::default(),
                reasons: Vec::new(),
                change: Some(classify(reason)),
                against: None,
                over_limit: false,
            })
            .collect();
        let versions = steps.len();
        let (lead, values) = (None, Vec::new());
        let chain = Chain { function: None, steps, lead, values, us: None, limit_hit: false, versions };
        recompile_advice(&Model::default(), &chain).join(" ")
    }

    #[test]
    fn a_size_is_to_be_marked_dynamic() {
        let size =
            |from: u32, to: u32| format!("tensor 'x' size mismatch at index 1. expected {from}, actual {to}");
        let text = advice(&[&size(4, 6), &size(6, 10)]);
        assert!(text.contains("took 3 sizes") && text.contains("mark_dynamic(x, 1)"), "{text}");
        assert!(advice(&[&size(4, 6)]).contains("took two sizes"));
    }

    #[test]
    fn values_of_python_have_advice_by_what_they_are() {
        assert!(advice(&["k == 2"]).contains("The number `k`"));
        assert!(advice(&["cfg.mode == 'add'"]).contains("The string `cfg.mode`"));
        assert!(advice(&["fn.__closure__[0].cell_contents == 1"]).contains("closure of `fn`"));
        assert!(advice(&["len(fn._modules) != 2"]).contains("length the same"));
        assert!(advice(&["L['___stack0'] == -0.01"]).contains("graph break"));
        assert!(advice(&["a.b is None"]).contains("None in some calls"));
        assert!(advice(&["GLOBAL_STATE changed: grad_mode "]).contains("with and without gradients"));
    }
}
