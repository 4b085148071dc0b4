//! What to do about a graph break, by its cause. A promise is given only where the experiment of that kind kept it
//! under the version of torch that wrote the log.

use super::break_cause::{BreakCause, ItemUse, Told};
use super::finding::Advice;
use super::prose;
use crate::analysis::lab::tried;
use crate::model::Model;

/// What removes a break promises.
const GONE: &str = "no graph break here";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TorchVersion {
    major: u32,
    minor: u32,
}

/// From here on, `ignore_logging_functions` exists, and `capture_scalar_outputs` takes values that become sizes.
const WITH_IGNORED_FUNCTIONS: TorchVersion = TorchVersion { major: 2, minor: 15 };

/// From here on, `nonstrict_trace` exists.
const WITH_NONSTRICT: TorchVersion = TorchVersion { major: 2, minor: 8 };

impl TorchVersion {
    /// The version that wrote a log.
    pub(super) fn of(model: &Model) -> Option<TorchVersion> {
        TorchVersion::read(&model.torch.as_ref()?.version)
    }

    fn read(text: &str) -> Option<TorchVersion> {
        let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
        Some(TorchVersion { major: numbers.next()?.ok()?, minor: numbers.next()?.ok()? })
    }
}

/// What is known where a break is advised on.
pub(super) struct Situation<'t> {
    /// What torch says.
    pub(super) told: Told<'t>,
    /// The version that says it.
    pub(super) torch: Option<TorchVersion>,
    /// torch's hints.
    pub(super) hints: &'t [String],
}

impl Situation<'_> {
    fn line(&self) -> &str {
        self.told.line.trim()
    }

    fn at_least(&self, version: TorchVersion) -> bool {
        self.torch.is_some_and(|torch| torch >= version)
    }

    /// What to do, most fitting first; nothing where neither an experiment nor the log says what helps.
    pub(super) fn advice(&self) -> Vec<Advice> {
        let cause = BreakCause::of(&self.told);
        match &cause {
            BreakCause::Print { plain_arguments } => self.print(*plain_arguments),
            BreakCause::Logging { logger, method } => self.logging(logger, method),
            BreakCause::Warning => self.warning(),
            BreakCause::Item(ItemUse::Branch) | BreakCause::Branch { .. } => self.branch(&cause),
            BreakCause::Item(ItemUse::Arithmetic) => self.item_in_arithmetic(),
            BreakCause::Item(ItemUse::Unknown) => vec![self.captured_scalar()],
            BreakCause::RandomBranch => vec![self.random_branch()],
            BreakCause::Recurrent => vec![recurrent()],
            BreakCause::DynamicShape { operator } => self.dynamic_shape(operator),
            BreakCause::NoFakeTensors { operator } => vec![outside(
                if operator.is_empty() { "the operator" } else { operator },
                "torch cannot compute the shape of its result without data, and no setting changes that.",
            )],
            BreakCause::Numpy { function } => numpy(function),
            BreakCause::NoFakeKernel { operator } => vec![fake_kernel(operator)],
            BreakCause::Disabled { function } => self.disabled(function),
            BreakCause::Clock { function } => vec![outside(
                function,
                "Traced, it would be a constant: do not register it with `allow_in_graph` or `substitute_in_graph`.",
            )],
            BreakCause::Native { function } => {
                vec![outside(function, "A helper under `torch.compiler.disable` only moves the break.")]
            }
            BreakCause::Asked { by_user: true } => vec!["Remove this call.".into()],
            BreakCause::Asked { by_user: false } => Vec::new(),
            BreakCause::WrappedStep => vec![wrapped_step()],
            BreakCause::Backward => self.backward(),
            BreakCause::Other => prose::useful(self.hints.to_vec()).into_iter().map(Advice::from).collect(),
        }
    }

    fn print(&self, plain_arguments: bool) -> Vec<Advice> {
        let mut advice = Vec::new();
        if plain_arguments {
            let code = "torch._dynamo.config.reorderable_logging_functions.add(print)";
            advice.push(Advice {
                text: format!(
                    "Let torch print after the graph has run, with the values of this line: `{code}`."
                ),
                code: Some(code.to_owned()),
                promise: Some(GONE.to_owned()),
                because: Some("All arguments of `print` are texts, numbers or tensors.".to_owned()),
                tried: tried("print_value.1"),
                ..Advice::default()
            });
        }
        advice.extend(self.not_while_compiling("print(", "print_call.3"));
        if self.at_least(WITH_IGNORED_FUNCTIONS) {
            let code = "torch._dynamo.config.ignore_logging_functions.add(print)";
            advice.push(switch(
                format!("To leave all `print` out of compiled code: `{code}`."),
                code,
                Some("print_call.5"),
            ));
        }
        advice
    }

    /// The line, skipped while torch compiles, where the line is the user's and nothing but that call.
    fn not_while_compiling(&self, call: &str, kind: &str) -> Option<Advice> {
        if !self.told.is_own() {
            return None;
        }
        let line = self.line();
        let whole =
            line.contains(call) && line.ends_with(')') && !line.contains('=') && !line.contains(" if ");
        Some(Advice {
            text: "Skip it in compiled code: put it under `if not torch.compiler.is_compiling()`.".to_owned(),
            code: whole.then(|| format!("if not torch.compiler.is_compiling():\n    {line}")),
            promise: Some(GONE.to_owned()),
            tried: tried(kind),
            ..Advice::default()
        })
    }

    fn logging(&self, logger: &str, method: &str) -> Vec<Advice> {
        let mut advice = Vec::new();
        let standard =
            matches!(method, "debug" | "info" | "warning" | "error" | "critical" | "exception" | "log");
        if !method.is_empty() {
            let function = self.logger_function(logger, method);
            let (code, kind) = match self.at_least(WITH_IGNORED_FUNCTIONS) {
                true => (
                    format!("torch._dynamo.config.ignore_logging_functions.add({function})"),
                    "logging_call.1",
                ),
                false => {
                    let code =
                        format!("torch._dynamo.config.ignore_logger_methods.add(logging.Logger.{method})");
                    (code, "logging_call.2")
                }
            };
            let text = format!("If compiled code need not log this, let torch leave the call out: `{code}`.");
            advice.push(switch(text, &code, standard.then_some(kind)));
        }
        advice.extend(self.not_while_compiling(&format!(".{method}("), "logging_call.3"));
        advice
    }

    /// How the reader writes the method of a logger: as the line does, or by the logger's name.
    fn logger_function(&self, logger: &str, method: &str) -> String {
        let call = format!(".{method}(");
        let written = self.line().split_once(&call).map(|(before, _)| before).filter(|_| self.told.is_own());
        let is_name = |text: &&str| {
            !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        };
        match written.filter(is_name).filter(|text| !text.starts_with("self.")) {
            Some(written) => format!("{written}.{method}"),
            None if logger.is_empty() => format!("logging.Logger.{method}"),
            None => format!("logging.getLogger(\"{logger}\").{method}"),
        }
    }

    fn warning(&self) -> Vec<Advice> {
        let code = "torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)";
        let text = format!("Let torch warn after the graph has run: `{code}`.");
        let guarded = self.not_while_compiling("warn(", "warning_call.2");
        std::iter::once(switch(text, code, Some("warning_call.1"))).chain(guarded).collect()
    }

    fn branch(&self, cause: &BreakCause) -> Vec<Advice> {
        let line = self.line();
        let because = Some("The line decides by the value of a tensor.".to_owned());
        if line.starts_with("assert ") {
            return prose::useful(self.hints.to_vec()).into_iter().map(Advice::from).collect();
        }
        if *cause == (BreakCause::Branch { is_loop: true }) || line.starts_with("while ") {
            let text = "Take the loop out of the compiled function and compile its body. Or make a fixed number of turns, \
                        each with `torch.where`.";
            return vec![Advice { because, ..change(text, "data_dependent_loop.2") }];
        }
        let moved = match cause {
            BreakCause::Item(_) => {
                " Without `item()`, or with `capture_scalar_outputs`, the break only moves."
            }
            _ => "",
        };
        let condition = line.strip_prefix("if ").or_else(|| line.strip_prefix("elif "));
        let condition =
            condition.and_then(|rest| rest.strip_suffix(':')).map(|text| text.replace(".item()", ""));
        let plain = condition
            .filter(|text| !text.contains(" if ") && !text.contains(" and ") && !text.contains(" or "));
        vec![Advice {
            text: format!(
                "Compute both sides and choose between them with `torch.where`. If they are expensive, keep both in the \
                 graph with `torch.cond`.{moved}"
            ),
            code: plain.map(|condition| format!("torch.where({condition}, <if true>, <if false>)")),
            promise: Some(GONE.to_owned()),
            because,
            tried: tried("branch_on_item.3"),
            ..Advice::default()
        }]
    }

    /// A random number of Python differs in each call; torch's own is part of the graph.
    fn random_branch(&self) -> Advice {
        let condition = self.line().strip_prefix("if ").and_then(|rest| rest.strip_suffix(':'));
        let drawn = condition
            .filter(|text| text.contains("random.random()") && !text.contains("np."))
            .map(|text| text.replace("random.random()", "torch.rand(())"));
        Advice {
            because: Some("The line decides by a random number of Python.".to_owned()),
            code: drawn.map(|condition| format!("torch.where({condition}, <if true>, <if false>)")),
            ..change(
                "Let torch draw the number, with `torch.rand(())`, and choose between both sides with `torch.where`. If one \
                 side is expensive, decide outside of the compiled function.",
                "random_branch.1",
            )
        }
    }

    fn item_in_arithmetic(&self) -> Vec<Advice> {
        let because = Some("The line only calculates with the value.".to_owned());
        let line = self.line();
        let tensor = Advice {
            text: "Calculate with the tensor: leave `.item()` out.".to_owned(),
            code: self.told.is_own().then(|| line.replacen(".item()", "", 1)),
            promise: Some(GONE.to_owned()),
            because: because.clone(),
            tried: tried("item.2"),
            ..Advice::default()
        };
        let promise = Some(GONE.to_owned());
        let captured = Advice { because, promise, tried: tried("item.1"), ..self.captured_scalar() };
        match self.told.is_own() {
            true => vec![tensor, captured],
            false => vec![captured],
        }
    }

    fn captured_scalar(&self) -> Advice {
        let code = "torch._dynamo.config.capture_scalar_outputs = True";
        let later = match self.at_least(WITH_IGNORED_FUNCTIONS) {
            true => "A later branch on the value breaks the graph all the same.",
            false => "A later branch on the value, or its use as a size, may break the graph all the same.",
        };
        switch(format!("Let torch keep the value in the graph: `{code}`. {later}"), code, None)
    }

    fn dynamic_shape(&self, operator: &str) -> Vec<Advice> {
        let code = "torch._dynamo.config.capture_dynamic_output_shape_ops = True";
        let known = operator == "aten.nonzero.default";
        let text = format!("Let torch keep results of unknown size in the graph: `{code}`.");
        let masked = self.line().contains('[') && !self.line().contains("nonzero");
        let (captured, whole) = match masked {
            true => ("mask_index.1", "mask_index.2"),
            false => ("nonzero.1", "nonzero.2"),
        };
        let mut advice = vec![switch(text, code, known.then_some(captured))];
        if known {
            let text = "If the number of elements does not matter afterwards, keep the whole tensor: `torch.where(mask, x, \
                        0)` in place of `x[mask]`.";
            advice.push(change(text, whole));
        }
        advice
    }

    fn backward(&self) -> Vec<Advice> {
        let mut advice: Vec<Advice> = vec![
            "Call `backward()` outside of the compiled function: compile the forward pass and the loss only."
                .into(),
        ];
        // torch's own words say which versions can trace it.
        if self.told.explanation.contains("trace_autograd_ops") {
            let code = "torch._dynamo.config.trace_autograd_ops = True";
            advice.push(switch(format!("Or let torch trace it: `{code}`."), code, None));
        }
        advice
    }

    fn disabled(&self, function: &str) -> Vec<Advice> {
        if !self.told.is_own() {
            return Vec::new();
        }
        let name = if function.is_empty() { "the function" } else { function };
        let quoted = if function.is_empty() { "the function".to_owned() } else { format!("`{name}`") };
        let text = format!("If torch can trace {quoted}, remove `torch.compiler.disable` from it.");
        let mut advice = vec![change(&text, "disabled_function.1")];
        if self.torch.is_none_or(|torch| torch >= WITH_NONSTRICT) && !function.is_empty() {
            let text = "If it only computes with tensors, keep it in the graph without tracing into it: \
                        `torch._dynamo.nonstrict_trace` in place of `torch.compiler.disable`.";
            advice.push(Advice {
                code: Some(format!("{name} = torch._dynamo.nonstrict_trace({name})")),
                ..change(text, "disabled_function.4")
            });
        }
        advice
    }
}

/// A setting to turn on. It promises that the break is gone where it is of a kind of the lab.
fn switch(text: String, code: &str, kind: Option<&str>) -> Advice {
    Advice {
        text,
        code: Some(code.to_owned()),
        promise: kind.map(|_| GONE.to_owned()),
        tried: kind.and_then(tried),
        ..Advice::default()
    }
}

/// A change of code of a kind of the lab.
fn change(text: &str, kind: &str) -> Advice {
    Advice { promise: Some(GONE.to_owned()), tried: tried(kind), ..Advice::from(text) }
}

fn recurrent() -> Advice {
    let code = "torch._dynamo.config.allow_rnn = True";
    switch(format!("Let torch trace RNN, GRU and LSTM layers: `{code}`."), code, Some("recurrent_layer.1"))
}

/// A call that belongs outside, which the log cannot prove to be possible.
fn outside(function: &str, why: &str) -> Advice {
    Advice::from(format!(
        "Call `{function}` outside of the compiled function, and pass its result if it is needed. {why}"
    ))
}

fn numpy(function: &str) -> Vec<Advice> {
    let call = if function.is_empty() { "the NumPy function".to_owned() } else { format!("`np.{function}`") };
    let text = format!(
        "Use a function of torch in place of {call}, or make the call a custom operator with a fake kernel \
         (`torch.library.custom_op`, `register_fake`). A helper under `torch.compiler.disable` only moves the break."
    );
    vec![change(&text, "numpy_call.2")]
}

/// The fake kernel that a custom operator lacks.
pub(super) fn fake_kernel(operator: &str) -> Advice {
    let named = if operator.is_empty() { "namespace::operator" } else { operator };
    Advice {
        text: "Register a fake kernel: a function that returns an empty tensor with the shape and dtype of the result."
            .to_owned(),
        code: Some(format!(
            "@torch.library.register_fake(\"{named}\")\ndef _(x):\n    return torch.empty_like(x)  # as the operator's result"
        )),
        promise: Some("the function is compiled".to_owned()),
        because: Some("The exception says that no fake kernel is registered.".to_owned()),
        tried: tried("custom_op.1"),
        ..Advice::default()
    }
}

fn wrapped_step() -> Advice {
    Advice {
        text: "The scheduler of the learning rate has wrapped `step`, and torch skips what it wraps. To have one break \
               less, compile the step before the scheduler is made."
            .to_owned(),
        code: Some("step = torch.compile(optimizer.step)  # before the scheduler is made".to_owned()),
        promise: Some("one graph break less".to_owned()),
        because: Some("torch skips the function because of the file of the schedulers.".to_owned()),
        tried: tried("optimizer_lr.5"),
        ..Advice::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "2.15.0+cpu";
    const OLD: &str = "2.8.0";

    fn advice(reason: &str, words: &str, line: &str, torch: &str) -> Vec<Advice> {
        let told = Told { reason, explanation: words, debug: words, line, file: "/app/train.py" };
        Situation { told, torch: TorchVersion::read(torch), hints: &[] }.advice()
    }

    fn codes(advice: &[Advice]) -> Vec<&str> {
        advice.iter().filter_map(|one| one.code.as_deref()).collect()
    }

    fn printed(types: &str, torch: &str) -> Vec<Advice> {
        let words = format!("trace builtin operator `print` with argument types [{types}]");
        advice("Failed to trace builtin operator", &words, "print(\"loss\", x)", torch)
    }

    #[test]
    fn print_is_reordered_only_where_all_its_arguments_can_be() {
        let reorder = "torch._dynamo.config.reorderable_logging_functions.add(print)";
        let guard = "if not torch.compiler.is_compiling():\n    print(\"loss\", x)";
        assert_eq!(codes(&printed("'str', 'Tensor'", OLD)), [reorder, guard]);
        assert_eq!(codes(&printed("'str', 'Size'", OLD)), [guard], "with a Size the break stays");
        let ignore = "torch._dynamo.config.ignore_logging_functions.add(print)";
        assert_eq!(codes(&printed("'str', 'Size'", NEW)), [guard, ignore], "which torch 2.8 does not have");
    }

    #[test]
    fn a_logger_is_ignored_with_the_setting_of_the_version_and_the_name_of_the_line() {
        let words = "method: <Logger train (WARNING)>.info, args: []";
        let line = "logger.info(\"after mul\")";
        let of =
            |torch| advice("logging.Logger method not supported for non-export cases", words, line, torch);
        assert_eq!(codes(&of(NEW))[0], "torch._dynamo.config.ignore_logging_functions.add(logger.info)");
        assert_eq!(codes(&of(OLD))[0], "torch._dynamo.config.ignore_logger_methods.add(logging.Logger.info)");
        assert!(of(OLD).iter().all(|one| !one.text.contains("reorderable")), "no help under torch 2.8");
    }

    #[test]
    fn the_reader_of_a_librarys_log_call_gets_a_name_to_write() {
        let told = Told {
            reason: "logging.Logger method not supported for non-export cases",
            debug: "method: <Logger transformers.modeling_utils (WARNING)>.warning_once, args: []",
            line: "logger.warning_once(",
            file: "/venv/lib/python3.11/site-packages/transformers/modeling_utils.py",
            ..Told::default()
        };
        let advice = Situation { told, torch: TorchVersion::read(NEW), hints: &[] }.advice();
        let code = "torch._dynamo.config.ignore_logging_functions.add(logging.getLogger(\"transformers.modeling_utils\").warning_once)";
        assert_eq!(codes(&advice), [code], "and no line of the library to change");
        assert_eq!(advice[0].promise, None, "tried with methods of Python only");
    }

    #[test]
    fn item_is_left_out_in_arithmetic_only() {
        let reason = "Unsupported Tensor.item() call with capture_scalar_outputs=False";
        let arithmetic = advice(reason, "", "return x / x.sum().item()", OLD);
        let capture = "torch._dynamo.config.capture_scalar_outputs = True";
        assert_eq!(codes(&arithmetic), ["return x / x.sum()", capture]);
        assert!(arithmetic.iter().all(|one| one.promise.as_deref() == Some(GONE)));
        let size = advice(reason, "", "n = lengths.max().item()", OLD);
        assert_eq!((codes(&size), size[0].promise.as_deref()), (vec![capture], None));
        let branch = advice(reason, "", "if x.max().item() > 4:", NEW);
        assert_eq!(codes(&branch), ["torch.where(x.max() > 4, <if true>, <if false>)"]);
        assert!(branch[0].text.contains("only moves"), "{}", branch[0].text);
    }

    #[test]
    fn a_loop_on_a_value_is_taken_out() {
        let of = |line| advice("Data-dependent branching", "", line, NEW);
        assert!(of("while err > tol:")[0].text.starts_with("Take the loop out"));
        assert!(of("if prev >= 0:")[0].text.contains("torch.where"));
    }

    #[test]
    fn results_of_unknown_size_have_a_switch_and_a_promise_where_it_was_tried() {
        let of = |operator: &str| advice("Dynamic shape operator", operator, "x = x[mask]", NEW);
        assert_eq!(of("aten.nonzero.default")[0].promise.as_deref(), Some(GONE));
        assert_eq!((of("aten._unique2.default").len(), &of("aten._unique2.default")[0].promise), (1, &None));
    }

    #[test]
    fn what_helps_against_functions_that_cannot_be_traced() {
        let warn = advice(
            "Attempted to call function marked as skipped",
            "Python builtin `_warnings.warn`.",
            "warnings.warn(\"slow\")",
            OLD,
        );
        assert_eq!(codes(&warn)[0], "torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)");
        let of = |torch| {
            advice(
                "Skip calling `torch.compiler.disable()`d function",
                "<function metric at 0x7f>",
                "m = metric(x)",
                torch,
            )
        };
        assert_eq!(codes(&of(OLD)), ["metric = torch._dynamo.nonstrict_trace(metric)"]);
        assert!(codes(&of("2.6.0")).is_empty(), "which torch 2.6 does not have");
        let clock =
            advice("Call to a time function", "Called `time.time()` inside a compiled region", "", NEW);
        assert!(clock[0].text.contains("outside of the compiled function"));
        let native = advice(
            "Attempted to call function marked as skipped",
            "trace the Python builtin `mod.f`.",
            "",
            NEW,
        );
        assert!(native[0].text.starts_with("Call `mod.f` outside"), "{}", native[0].text);
        let numpy = advice(
            "attempted to trace numpy function unsupported by PyTorch",
            "<function interp at 0x7f>",
            "",
            NEW,
        );
        assert!(numpy[0].text.contains("`np.interp`"));
        let fake = advice(
            "RuntimeError",
            "There was no fake impl registered for <CustomOpDef(lab::double)>",
            "",
            NEW,
        );
        assert!(codes(&fake)[0].starts_with("@torch.library.register_fake(\"lab::double\")"));
        let step = "qualname: Adam.step, skip reason: file is force-skipped (/x/torch/optim/lr_scheduler.py)";
        let step = advice("Attempted to call function marked as skipped", step, "", NEW);
        assert!(codes(&step)[0].contains("before the scheduler is made"));
        assert!(advice("Unsupported Tensor.backward() call", "", "", NEW)[0].text.contains("outside"));
        assert!(advice("Call to `torch._dynamo.graph_break()`", "", "", NEW)[0].text.contains("Remove"));
    }

    #[test]
    fn what_promises_something_was_tried() {
        let causes = [
            (
                "Failed to trace builtin operator",
                "builtin operator `print` with argument types ['str']",
                "print(1)",
            ),
            ("logging.Logger method not supported", "method: <Logger a (INFO)>.info, args", "log.info(1)"),
            ("x", "Python builtin `_warnings.warn`.", "warnings.warn(1)"),
            ("Unsupported Tensor.item() call", "", "y = x / s.item()"),
            ("Data-dependent branching", "", "if x > 0:"),
            ("Data-dependent branching", "", "while x > 0:"),
            ("Dynamic shape operator", "aten.nonzero.default", "y = x[mask]"),
            ("Dynamic shape operator", "aten.nonzero.default", "y = torch.nonzero(x)"),
            ("numpy function", "<function interp at 0x7f>", ""),
            ("Skip calling `torch.compiler.disable()`d function", "<function f at 0x7f>", "f(x)"),
            ("x", "There was no fake impl registered for <CustomOpDef(lab::double)>", ""),
            ("x", "skip reason: file is force-skipped (/x/torch/optim/lr_scheduler.py)", ""),
        ];
        for (reason, words, line) in causes {
            for torch in [NEW, OLD] {
                let advice = advice(reason, words, line, torch);
                assert!(!advice.is_empty(), "{reason} {line}");
                for one in advice.iter().filter(|one| one.promise.is_some()) {
                    assert!(one.tried.is_some(), "{}", one.text);
                }
            }
        }
    }

    #[test]
    fn hints_of_torch_that_help_nobody_are_left_out() {
        let hints = [
            "Avoid calling `Logger.x` in your code.",
            "Please report an issue to PyTorch.",
            "Your code may result in an error when running in eager. Please double check.",
            "Apply `@torch._dynamo.dont_skip_tracing` to the function `Adam.step` to force tracing.",
            "Set `torch._dynamo.config.trace_numpy = True` to allow Dynamo to trace through NumPy.",
        ];
        let hints: Vec<String> = hints.map(str::to_owned).to_vec();
        let told = Told { reason: "Unsupported method call", file: "/app/a.py", ..Told::default() };
        let advice = Situation { told, torch: None, hints: &hints }.advice();
        assert_eq!(advice.len(), 1);
        assert!(advice[0].text.contains("trace_numpy"));
    }
}
