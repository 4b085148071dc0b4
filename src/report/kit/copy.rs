//! Buttons that copy code: settings, calls, commands.

use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, span};
use crate::report::kit::view::Render;

impl Render<'_> {
    /// Code with a button that copies it.
    pub fn command(&self, code: &str) -> Html {
        span("command", Html::joined([self.code(code), copy_button("")], ""))
    }

    /// A sentence of advice: prose in which settings, calls and commands have a button that copies them.
    pub fn advice(&self, text: &str) -> Html {
        self.prose_with(text, |code| if is_fix(code) { self.command(code) } else { self.code(code) })
    }
}

/// A button that copies `text`, or the code before it if `text` is empty. It needs a script.
pub(crate) fn copy_button(text: &str) -> Html {
    named_copy_button(text, "Copy")
}

/// The same with a label that names what it copies: `Copy id`.
pub(crate) fn named_copy_button(text: &str, name: &str) -> Html {
    let button = Element::new("button").class("button copy needs-script").attribute("data-copy", text);
    button.hidden().around(name)
}

/// Beginnings of shell commands.
const COMMANDS: [&str; 4] = ["export ", "python ", "tlparse ", "torchrun "];

/// Shortest name of an environment variable.
const SHORTEST_VARIABLE: usize = 6;

/// Whether code can be used as it is: a call on an object, an assignment, a setting, an environment variable, or a
/// command, but not the name of an argument or operator.
fn is_fix(code: &str) -> bool {
    let name = code.split(['(', '=', ' ']).next().unwrap_or_default();
    let is_variable = name.len() >= SHORTEST_VARIABLE
        && name.contains('_')
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let is_path = name.contains('.') && name.split('.').all(|part| !part.is_empty());
    let is_call = is_path && code.contains('(') && code.ends_with(')');
    let is_setting = name.starts_with("torch.") && name.contains("config.");
    // Advice mentions an argument with a false value in order to remove it, so there is nothing to paste.
    let is_assignment = code.contains('=') && !code.contains("==") && !code.ends_with("=False");
    let is_command = COMMANDS.iter().any(|command| code.starts_with(command));
    is_variable || is_call || is_setting || is_assignment || is_command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_calls_and_commands_can_be_copied_and_names_cannot() {
        for code in [
            "torch._dynamo.mark_dynamic(x, 1)",
            "TORCHINDUCTOR_COMPILE_THREADS",
            "TORCH_COMPILE_DYNAMIC_SOURCES=L['x']",
            "torch._dynamo.config.capture_scalar_outputs = True",
            "torch._inductor.config.compile_threads",
            "dynamic=True",
            "layer.compile()",
            "tlparse --latest DIR",
        ] {
            assert!(is_fix(code), "{code}");
        }
        for code in [
            "x",
            "print",
            "self.step",
            "forward",
            "aten.sort.stable",
            "n == 4",
            "int(x)",
            ".item()",
            "GPU",
            "dynamic=False",
        ] {
            assert!(!is_fix(code), "{code}");
        }
    }
}
