//! What kept Dynamo from tracing on, read from torch's words about it and from the user's line.

use crate::analysis::own_code::is_library;
use crate::model::break_block;

/// What torch says about something that it could not trace, and the line that it is about.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told<'t> {
    /// What could not be traced.
    pub(super) reason: &'t str,
    /// torch's explanation.
    pub(super) explanation: &'t str,
    /// Its context for developers.
    pub(super) debug: &'t str,
    /// Text of the line.
    pub(super) line: &'t str,
    /// File of the line.
    pub(super) file: &'t str,
}

/// What kept Dynamo from tracing on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BreakCause {
    /// `print`.
    Print {
        /// Whether all arguments are texts, numbers and tensors.
        plain_arguments: bool,
    },
    /// A method of a logger.
    Logging {
        /// Name of the logger.
        logger: String,
        /// Name of the method.
        method: String,
    },
    /// `warnings.warn`.
    Warning,
    /// `item()` or `tolist()`.
    Item(ItemUse),
    /// A branch or a loop on the value of a tensor.
    Branch {
        /// Whether it is a loop.
        is_loop: bool,
    },
    /// A branch on a random number of Python.
    RandomBranch,
    /// A recurrent layer, which a setting lets torch trace.
    Recurrent,
    /// An operator of torch without a fake kernel.
    NoFakeTensors { operator: String },
    /// An operator whose result has as many elements as the data say.
    DynamicShape { operator: String },
    /// A function of NumPy that torch cannot trace.
    Numpy {
        /// Its name.
        function: String,
    },
    /// A custom operator without a fake kernel.
    NoFakeKernel { operator: String },
    /// A function under `torch.compiler.disable`.
    Disabled {
        /// Its name.
        function: String,
    },
    /// A function that reads the clock.
    Clock {
        /// Its name.
        function: String,
    },
    /// A function that is not written in Python.
    Native {
        /// Its name.
        function: String,
    },
    /// A break that somebody asked for.
    Asked {
        /// Whether by a line of the user.
        by_user: bool,
    },
    /// The step of an optimizer that a scheduler of the learning rate has wrapped.
    WrappedStep,
    /// `backward()`.
    Backward,
    /// Anything else.
    Other,
}

/// What a line does with a number that it takes from a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemUse {
    /// It calculates with it.
    Arithmetic,
    /// It decides with it.
    Branch,
    /// The line does not show it.
    Unknown,
}

impl<'t> Told<'t> {
    /// Reads the text of an exception: the first block is what happened first.
    pub(super) fn of_text(text: &'t str, parts: &'t TextParts, line: &'t str, file: &'t str) -> Told<'t> {
        let reason = text.lines().next().unwrap_or_default();
        Told { reason, explanation: &parts.explanation, debug: &parts.debug, line, file }
    }

    /// Whether the line is the user's.
    pub(super) fn is_own(&self) -> bool {
        !self.file.is_empty() && !is_library(self.file)
    }

    fn says(&self, words: &str) -> bool {
        [self.reason, self.explanation, self.debug].iter().any(|text| text.contains(words))
    }
}

/// The parts of the first block of an exception's text.
#[derive(Debug, Default)]
pub(super) struct TextParts {
    explanation: String,
    debug: String,
}

impl TextParts {
    /// Takes a text apart.
    pub(super) fn of(text: &str) -> TextParts {
        let own = text.split("*** While handling").next().unwrap_or(text);
        let explanation = break_block::explanation(own).unwrap_or_else(|| own.to_owned());
        let debug = own.split_once("Developer debug context:").map_or("", |(_, rest)| rest);
        TextParts { explanation, debug: debug.split("\n\n").next().unwrap_or_default().trim().to_owned() }
    }
}

impl BreakCause {
    /// Reads what torch says.
    pub(super) fn of(told: &Told<'_>) -> BreakCause {
        let says = |words: &str| told.says(words);
        if let Some(operator) = without_fake_kernel(told) {
            return BreakCause::NoFakeKernel { operator };
        }
        if says("_dynamo.graph_break()") || says("function graph_break in file") {
            return BreakCause::Asked { by_user: told.is_own() };
        }
        if says("builtin print ") || says("builtin: print ") || says("operator `print`") {
            return BreakCause::Print { plain_arguments: plain_arguments(told) };
        }
        if let Some(logging) = logging(told) {
            return logging;
        }
        if says("`_warnings.warn`") || says("function warn in file") || says("qualname: warn,") {
            return BreakCause::Warning;
        }
        if says("Tensor.item") || says("_local_scalar_dense") {
            return BreakCause::Item(item_use(told.line));
        }
        if ["Data-dependent branching", "Data-dependent jump", "Dynamic control flow is not supported"]
            .iter()
            .any(|words| told.reason.contains(words))
        {
            return match says("random_value_") {
                true => BreakCause::RandomBranch,
                false => BreakCause::Branch { is_loop: told.line.trim_start().starts_with("while ") },
            };
        }
        shaped(told).or_else(|| called(told)).unwrap_or(BreakCause::Other)
    }
}

/// Causes in operators and libraries of numbers.
fn shaped(told: &Told<'_>) -> Option<BreakCause> {
    if told.reason.to_lowercase().contains("dynamic shape operator") {
        let operator = [told.debug, told.reason, told.explanation].iter().find_map(|text| {
            text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
                .find(|word| word.starts_with("aten."))
        });
        return Some(BreakCause::DynamicShape { operator: operator.unwrap_or_default().to_owned() });
    }
    if told.reason.contains("does not support running with fake tensors") {
        let operator = told.debug.strip_prefix("unsupported operator: ").unwrap_or_default();
        return Some(BreakCause::NoFakeTensors { operator: operator.trim().to_owned() });
    }
    if told.says("numpy function") {
        let function = function_name(told.debug).or_else(|| function_name(told.explanation));
        return Some(BreakCause::Numpy { function: function.unwrap_or_default() });
    }
    None
}

/// Causes in the function that was called.
fn called(told: &Told<'_>) -> Option<BreakCause> {
    if told.says("torch.compiler.disable()`d function") || told.says("call torch._dynamo.disable() wrapped") {
        let named = [told.debug, told.reason, told.explanation].iter().find_map(|text| function_name(text));
        return Some(BreakCause::Disabled { function: named.unwrap_or_default() });
    }
    if told.reason.contains("time function") {
        let function =
            between(told.debug, "Called `", "()`").or_else(|| between(told.explanation, "on `", "()`"));
        return Some(BreakCause::Clock { function: function.unwrap_or("time.time").to_owned() });
    }
    if told.says("torch._dynamo.config.allow_rnn=True") {
        return Some(BreakCause::Recurrent);
    }
    if told.says("skip reason:") && told.says("lr_scheduler.py") {
        return Some(BreakCause::WrappedStep);
    }
    if told.reason.contains("Tensor.backward()") {
        return Some(BreakCause::Backward);
    }
    let native = between(told.explanation, "trace the Python builtin `", "`");
    // torch 2.8 puts the full stop of its sentence into the quotes.
    let native =
        native.or_else(|| between(told.explanation, "trace the builtin `", "`"))?.trim_end_matches('.');
    Some(match native.starts_with("time.") {
        true => BreakCause::Clock { function: native.to_owned() },
        false => BreakCause::Native { function: native.to_owned() },
    })
}

/// The operator without a fake kernel that a message names: `no fake impl registered for <CustomOpDef(lab::double)>`.
fn without_fake_kernel(told: &Told<'_>) -> Option<String> {
    let text = [told.reason, told.explanation, told.debug]
        .into_iter()
        .find(|text| text.contains("no fake impl registered") || text.contains("register_fake"))?;
    let named = between(text, "CustomOpDef(", ")").or_else(|| between(text, "unsupported operator: ", " "));
    Some(named.unwrap_or_default().to_owned())
}

/// A call of a logger: `method: <Logger train (WARNING)>.info, args: ..`.
fn logging(told: &Told<'_>) -> Option<BreakCause> {
    if !told.reason.to_lowercase().contains("logg") {
        return None;
    }
    let text = if told.debug.is_empty() { told.explanation } else { told.debug };
    let method = between(text, ")>.", ",").unwrap_or_default();
    let logger = between(text, "<Logger ", " (").unwrap_or_default();
    let is_name =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let method = if is_name(method) { method } else { method_of_logger(told.line) };
    Some(BreakCause::Logging { logger: logger.to_owned(), method: method.to_owned() })
}

/// `info` of `logger.info("..")`.
fn method_of_logger(line: &str) -> &str {
    let head = line.split('(').next().unwrap_or_default();
    head.rsplit_once('.').map_or("", |(_, method)| method.trim())
}

/// Whether `print` was called with texts, numbers and tensors only. torch writes the type of a symbolic size as `int`, and
/// cannot print it later.
fn plain_arguments(told: &Told<'_>) -> bool {
    if told.debug.contains("SymNodeVariable") {
        return false;
    }
    if let Some(types) = between(told.explanation, "argument types [", "]") {
        return types
            .split(',')
            .map(|name| name.trim().trim_matches('\''))
            .all(|name| matches!(name, "str" | "Tensor" | "int" | "float" | "bool"));
    }
    // torch 2.6 names Dynamo's classes.
    let text = if told.debug.is_empty() { told.reason } else { told.debug };
    let classes: Vec<&str> =
        text.split("<class '").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
    let plain = |class: &&str| {
        let name = class.rsplit('.').next().unwrap_or_default();
        matches!(name, "ConstantVariable" | "TensorVariable" | "StringFormatVariable")
    };
    !classes.is_empty() && classes.iter().all(plain)
}

/// What a line does with the result of `item()`.
fn item_use(line: &str) -> ItemUse {
    let line = line.trim();
    if ["if ", "elif ", "while ", "assert "].iter().any(|word| line.starts_with(word))
        || line.contains(" if ")
    {
        return ItemUse::Branch;
    }
    let Some((before, after)) = line.split_once(".item()") else { return ItemUse::Unknown };
    let is_operator = |c: char| matches!(c, '*' | '/' | '+' | '-');
    let follows = after.trim_start().starts_with(is_operator);
    if follows || operand_start(before).trim_end().ends_with(is_operator) {
        return ItemUse::Arithmetic;
    }
    ItemUse::Unknown
}

/// The text before the expression that a text ends with: `y = a / ` of `y = a / x.sum(dim=(0, 1))`.
fn operand_start(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            _ if depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.') => {}
            _ => return text.get(..at + c.len_utf8()).unwrap_or_default(),
        }
    }
    ""
}

/// `metric` of `<function metric at 0x7f>`.
fn function_name(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<function ").or_else(|| text.split_once("<ufunc '"))?;
    let name = rest.split([' ', '>', '\'']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(reason: &str, explanation: &str, debug: &str, line: &str) -> BreakCause {
        BreakCause::of(&Told { reason, explanation, debug, line, file: "/app/train.py" })
    }

    #[test]
    fn print_is_recognized_under_each_version_with_what_it_prints() {
        let new = |types: &str| {
            let words = format!(
                "Dynamo does not know how to trace builtin operator `print` with argument types {types}"
            );
            cause("Failed to trace builtin operator", &words, "builtin print [..] False", "print(x)")
        };
        assert_eq!(new("['str', 'Tensor'] (has_kwargs False)"), BreakCause::Print { plain_arguments: true });
        assert_eq!(new("['str', 'Size'] (has_kwargs False)"), BreakCause::Print { plain_arguments: false });
        let old = "Unsupported: builtin: print [<class 'torch._dynamo.variables.constant.ConstantVariable'>, <class \
                   'torch._dynamo.variables.lists.TupleVariable'>] False";
        assert_eq!(cause(old, "", "", ""), BreakCause::Print { plain_arguments: false });
        assert_eq!(
            cause(&old.replace("lists.Tuple", "tensor.Tensor"), "", "", ""),
            BreakCause::Print { plain_arguments: true }
        );
        let size = cause(
            "Failed to trace builtin operator",
            "Dynamo does not know how to trace builtin operator `print` with argument types ['str', 'int'] (has_kwargs False)",
            "builtin print [ConstantVariable(str: 'n'), SymNodeVariable()] False",
            "print('n', x.shape[0])",
        );
        assert_eq!(size, BreakCause::Print { plain_arguments: false });
    }

    #[test]
    fn a_branch_on_a_random_number_is_not_one_on_data() {
        let words = "Data-dependent branching";
        let branch = |debug: &str| cause(words, "", debug, "if random.random() < 0.5:");
        assert_eq!(
            branch("attempted to jump with SymNodeVariable(random_value_0)"),
            BreakCause::RandomBranch
        );
        assert_eq!(branch("attempted to jump with TensorVariable()"), BreakCause::Branch { is_loop: false });
    }

    #[test]
    fn what_torch_cannot_trace_at_all_is_told_from_what_a_setting_allows() {
        let reason = "Operator does not support running with fake tensors";
        let operator = cause(reason, "", "unsupported operator: aten._pack_padded_sequence.default", "");
        let expected =
            BreakCause::NoFakeTensors { operator: "aten._pack_padded_sequence.default".to_owned() };
        assert_eq!(operator, expected);
        let words =
            "Dynamo does not support tracing LSTM by default. Set torch._dynamo.config.allow_rnn=True";
        assert_eq!(cause("Attempted to wrap RNN, GRU, or LSTM", words, "", ""), BreakCause::Recurrent);
    }

    #[test]
    fn a_logger_is_named_with_its_method() {
        let debug =
            "method: <Logger train.loop (WARNING)>.info, args: [ConstantVariable(str: 'a')], kwargs: {}";
        let found =
            cause("logging.Logger method not supported for non-export cases", "", debug, "log.info('a')");
        assert_eq!(found, BreakCause::Logging { logger: "train.loop".to_owned(), method: "info".to_owned() });
    }

    #[test]
    fn what_a_line_does_with_a_number_of_a_tensor_decides() {
        let item = |line: &str| {
            cause("Unsupported Tensor.item() call with capture_scalar_outputs=False", "", "", line)
        };
        for line in ["return x / x.sum(dim=(0, 1)).item()", "y = x.max().item() * 2", "s += 1 + a[0].item()"]
        {
            assert_eq!(item(line), BreakCause::Item(ItemUse::Arithmetic), "{line}");
        }
        for line in ["if x.max().item() > 4:", "while err.item() > tol:", "y = a if x.item() else b"] {
            assert_eq!(item(line), BreakCause::Item(ItemUse::Branch), "{line}");
        }
        for line in ["n = lengths.max().item()", "", "return x[: n.item()]"] {
            assert_eq!(item(line), BreakCause::Item(ItemUse::Unknown), "{line}");
        }
    }

    #[test]
    fn the_innermost_message_outranks_torchs_catalog() {
        let text = "RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with fake \
                    tensors: call_function lab.double.default(..): got RuntimeError('There was no fake impl registered \
                    for <CustomOpDef(lab::double)>. Please use `double.register_fake` to add an fake impl.')\n  Hint: \
                    Your code may result in an error when running in eager.\n\n  Developer debug context: \n\n";
        let parts = TextParts::of(text);
        let told = Told::of_text(text, &parts, "return double(x)", "/app/a.py");
        assert_eq!(BreakCause::of(&told), BreakCause::NoFakeKernel { operator: "lab::double".to_owned() });
    }

    #[test]
    fn functions_that_cannot_be_traced_are_named() {
        let disabled = cause(
            "Skip calling `torch.compiler.disable()`d function",
            "Skip calling function `<function metric at 0x7f>` since it was wrapped",
            "<function metric at 0x7f>",
            "m = metric(x)",
        );
        assert_eq!(disabled, BreakCause::Disabled { function: "metric".to_owned() });
        let old =
            cause("Unsupported: call torch._dynamo.disable() wrapped function <function metric>", "", "", "");
        assert_eq!(old, BreakCause::Disabled { function: "metric".to_owned() });
        let words = "Dynamo does not know how to trace the builtin `time.time.` This function is either a Python builtin \
                     (e.g. _warnings.warn) or a third-party C/C++ Python extension.";
        let older =
            cause("Attempted to call function marked as skipped", words, "module: time, qualname: time", "");
        assert_eq!(older, BreakCause::Clock { function: "time.time".to_owned() });
        let clock = cause("Call to a time function", "", "Called `time.time()` inside a compiled region", "");
        assert_eq!(clock, BreakCause::Clock { function: "time.time".to_owned() });
        let numpy = cause(
            "attempted to trace numpy function unsupported by PyTorch",
            "Can't find numpy numpy function <function interp at 0x7f> in torch._numpy.",
            "numpy function: <function interp at 0x7f>, args: []",
            "",
        );
        assert_eq!(numpy, BreakCause::Numpy { function: "interp".to_owned() });
        let shape = cause("Dynamic shape operator", "", "aten.nonzero.default", "x = x[mask]");
        assert_eq!(shape, BreakCause::DynamicShape { operator: "aten.nonzero.default".to_owned() });
    }

    #[test]
    fn a_line_of_torch_that_asks_for_a_break_is_not_the_users() {
        let told = Told {
            reason: "Call to `torch._dynamo.graph_break()`",
            file: "/venv/lib/python3.11/site-packages/torch/optim/optimizer.py",
            ..Told::default()
        };
        assert_eq!(BreakCause::of(&told), BreakCause::Asked { by_user: false });
        assert_eq!(BreakCause::of(&Told { file: "/app/a.py", ..told }), BreakCause::Asked { by_user: true });
    }
}
