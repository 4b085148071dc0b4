//! Explanation and advice per kind of failure, with links to PyTorch's pages.

use crate::analysis::check_for;
use crate::model::{ExportKind, ExportProblem, TextFrame};
use crate::report::kit::html::Html;
use crate::report::kit::markup::Element;
use crate::report::kit::view::View;

/// A page of PyTorch's documentation: link text and address.
pub(crate) type Docs = (&'static str, &'static str);

pub(crate) const DIMS: Docs = (
    "Dynamic sizes in the documentation of torch.export",
    "https://docs.pytorch.org/docs/stable/export.html#torch.export.Dim",
);
const DRAFT: Docs = (
    "Draft export in the documentation of PyTorch",
    "https://docs.pytorch.org/docs/stable/draft_export.html",
);
const REGISTER: Docs = (
    "torch.library.register_fake",
    "https://docs.pytorch.org/docs/stable/library.html#torch.library.register_fake",
);
const CHECK: Docs = (
    "torch._check by example",
    "https://docs.pytorch.org/docs/stable/generated/exportdb/torch.dynamic-value.html",
);

/// Names of a kind: in the head of an entry, its class, and in full.
pub(crate) fn words(kind: ExportKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        ExportKind::MissingFakeKernel => ("Fake kernel", "error", "missing fake kernel"),
        ExportKind::MismatchedFakeKernel => ("Fake kernel", "error", "mismatched fake kernel"),
        ExportKind::Assumed => ("Assumption", "warning", "data-dependent expression"),
        ExportKind::Undecided => ("Undecided", "error", "data-dependent expression, undecided"),
        ExportKind::GuardEvaluated => ("Guard", "warning", "guard evaluated"),
    }
}

/// What the failure means.
pub(crate) fn explanation(problem: &ExportProblem) -> String {
    match problem.kind {
        ExportKind::MissingFakeKernel => {
            "Without a fake kernel, export does not know the shape and dtype of the operator's result, so \
            each size of the result became a data-dependent symbol."
                .to_owned()
        }
        ExportKind::MismatchedFakeKernel => {
            "The fake kernel's result differs from the operator's. Draft export used the operator's; \
            `torch.export` uses the fake kernel's."
                .to_owned()
        }
        ExportKind::Assumed => {
            "The value is known only at run time. Export assumed the value of the recorded run and left \
            out the other branch; the program checks the assumption at run time."
                .to_owned()
        }
        ExportKind::Undecided => {
            "The value is known only at run time, and the next step depends on it, so tracing stopped."
                .to_owned()
        }
        ExportKind::GuardEvaluated => {
            "This comparison was evaluated with the sizes of the example inputs, and the program is valid \
            only for sizes with the same result. If that contradicts `dynamic_shapes`, it is a constraint \
            violation."
                .to_owned()
        }
    }
}

/// What to change, as sentences and code, in a box.
pub(crate) fn advice(view: View<'_>, problem: &ExportProblem, place: Option<&TextFrame>) -> Html {
    let mut lines: Vec<Html> = Vec::new();
    let say = |text: &str| Element::new("p").around(view.prose(text));
    match problem.kind {
        ExportKind::MissingFakeKernel => {
            lines.push(say("Tell export what the operator returns:"));
            lines.push(register(&problem.subject));
        }
        ExportKind::MismatchedFakeKernel => {
            lines.push(say(
                "Make the fake kernel return a tensor with the size, stride and dtype of the real result:",
            ));
            lines.push(register(&problem.subject));
        }
        ExportKind::Assumed | ExportKind::Undecided => {
            match check_for(problem, place.and_then(|frame| frame.loc.as_deref())) {
                Some(check) => {
                    lines.push(say("If the result is always the same, assert it before the line, and \
                        `torch.export` succeeds:"));
                    lines.push(code(&check));
                }
                None => lines.push(say("Assert before the line what always holds, and `torch.export` \
                    succeeds: `torch._check(..)`.")),
            }
            lines.push(say("If both branches are wanted, keep both in the graph with `torch.cond`."));
        }
        ExportKind::GuardEvaluated => {
            lines.push(say("If the size may vary, avoid the comparison, or let export choose which sizes \
                are dynamic:"));
            lines.push(code("dynamic_shapes={\"x\": {0: torch.export.Dim.AUTO}}"));
        }
    }
    Element::new("div").class("advice").around(Html::joined(lines, ""))
}

/// Links to PyTorch's pages about a kind.
pub(crate) fn docs(view: View<'_>, kind: ExportKind) -> Vec<Html> {
    let special = match kind {
        ExportKind::MissingFakeKernel | ExportKind::MismatchedFakeKernel => REGISTER,
        ExportKind::Assumed | ExportKind::Undecided => CHECK,
        ExportKind::GuardEvaluated => DIMS,
    };
    [special, DRAFT].into_iter().map(|(words, url)| view.log_link(words, url)).collect()
}

/// A template of a fake kernel.
fn register(operator: &str) -> Html {
    code(&format!(
        "@torch.library.register_fake(\"{}\")\ndef _(...):\n    return ...  # an empty tensor like the \
        real result",
        qualified(operator)
    ))
}

/// `corpus::no_fake` for `corpus.no_fake.default`, as registration functions expect it.
fn qualified(operator: &str) -> String {
    let operator = operator.strip_suffix(".default").unwrap_or(operator);
    match operator.split_once('.') {
        Some((namespace, name)) if !operator.contains("::") => format!("{namespace}::{name}"),
        _ => operator.to_owned(),
    }
}

fn code(text: &str) -> Html {
    Element::new("pre").around(Html::escaped(text))
}
