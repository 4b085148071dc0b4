//! Makes the script: from `fx_graph_runnable`, which torch writes for each graph that it lowers, or from the graph that
//! Dynamo captured.

use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The frame of a script that runs a captured graph.
const OF_GRAPH: &str = include_str!("of_graph.py");

/// The value of a size that a log does not tell.
const ANY_SIZE: u32 = 8;

/// Characters of a line of the comment at the top.
const LONGEST_LINE: usize = 400;

/// The comment at the top of a script. Each text of the log becomes a line, whatever it holds. Python takes the encoding of a
/// script from the first of its two lines that names one: a name in the log must not choose it.
pub fn comment(lines: &[String]) -> String {
    let mut text = "# -*- coding: utf-8 -*-\n".to_owned();
    for line in lines {
        let line: String = ascii(&line.replace(['\n', '\t'], " ")).chars().take(LONGEST_LINE).collect();
        let _ = writeln!(text, "# {}", line.trim_end());
    }
    text
}

/// A text of the log as printable ASCII, with all else as Python escapes it.
fn ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        let _ = match u32::from(c) {
            0x20..=0x7e => write!(ascii, "{c}"),
            code @ ..=0xff => write!(ascii, "\\x{code:02x}"),
            code @ ..=0xffff => write!(ascii, "\\u{code:04x}"),
            code => write!(ascii, "\\U{code:08x}"),
        };
    }
    ascii
}

/// The script of a graph that torch lowered, to run on another machine: `command` is `run`, or `minify` for torch's minifier.
pub fn of_runnable(runnable: &str, command: &str) -> anyhow::Result<String> {
    if let Some(found) = Regex::new(r"(?m)^\s*(self\.\w+ = <.*>\(\))\s*$")?.captures(runnable) {
        let line = found.get(1).map_or("", |line| line.as_str());
        anyhow::bail!(
            "this graph calls a function whose code torch did not write down (it wrote {}), so no script can run it. \
             Its operators are in fx_graph_runnable among the files of the compile.",
            ascii(line)
        );
    }
    // What belongs to the process that was recorded: its folders, its log, its addresses.
    let of_machine = Regex::new(
        r"(?m)^os\.environ\['(?:_\w+|TORCH_TRACE|TORCH_LOGS\w*|TORCH_COMPILE_DEBUG|\w+_DIR|\w+_PATH)'\] = .*\n",
    )?;
    let script = with_sizes(&of_machine.replace_all(runnable, ""))?;
    let commands = Regex::new(r"(?m)^(\s+run_repro\(.*)command='run'")?;
    Ok(commands.replace(&script, format!("${{1}}command='{command}'")).into_owned())
}

/// The script with the precision of the recorded program, where it is not torch's default.
pub fn with_tf32(script: &str, allowed: bool) -> String {
    let setting = "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n";
    if allowed { script.replacen("import torch\n", setting, 1) } else { script.to_owned() }
}

/// Defines the sizes that the inputs are written with, where torch names them and gives their values but defines none.
fn with_sizes(script: &str) -> anyhow::Result<String> {
    let Some((before, from)) = script.split_once("def load_args(reader):\n") else {
        return Ok(script.to_owned());
    };
    let (inputs, after) = from.split_once("load_args._version").unwrap_or((from, ""));
    let given = Regex::new(r"reader\.symint\((-?\d+), expr='([su]\d+)'\)")?;
    let mut sizes = String::new();
    let defined = Regex::new(r"(?m)^([su]\d+) = ")?;
    let names = defined.captures_iter(before).filter_map(|found| Some(found.get(1)?.as_str().to_owned()));
    let mut known: BTreeSet<String> = names.collect();
    for found in given.captures_iter(inputs) {
        if let (Some(value), Some(name)) = (found.get(1), found.get(2))
            && known.insert(name.as_str().to_owned())
        {
            let _ = writeln!(sizes, "    {} = {}", name.as_str(), value.as_str());
        }
    }
    for name in unknown_sizes(inputs, &known)? {
        let _ = writeln!(sizes, "    {name} = {ANY_SIZE}  # the log does not tell its value");
    }
    // torch writes a function without a body for a graph without inputs.
    if inputs.trim().is_empty() && sizes.is_empty() {
        sizes.push_str("    pass\n");
    }
    let after = if after.is_empty() { String::new() } else { format!("load_args._version{after}") };
    Ok(format!("{before}def load_args(reader):\n{sizes}{inputs}{after}"))
}

/// The symbols of sizes in a text that are not known.
fn unknown_sizes(text: &str, known: &BTreeSet<String>) -> anyhow::Result<BTreeSet<String>> {
    let code: String =
        text.lines().map(|line| format!("{}\n", line.split('#').next().unwrap_or_default())).collect();
    let named = Regex::new(r"\b[su]\d+\b")?;
    let names = named.find_iter(&code).map(|found| found.as_str().to_owned());
    Ok(names.filter(|name| !known.contains(name)).collect())
}

/// The settings that a script of the same log makes.
pub fn settings_of(runnable: &str) -> anyhow::Result<String> {
    let lines = Regex::new(r"(?m)^(?:import torch\.\S+\.?_?config|torch\.[\w.]+onfig\.[\w.]+ = .*)$")?;
    Ok(lines.find_iter(runnable).map(|found| format!("{}\n", found.as_str())).collect())
}

/// The script of a graph that Dynamo captured; None if the text is none.
pub fn of_captured(graph: &str, settings: &str, command: &str) -> anyhow::Result<Option<String>> {
    let class = Regex::new(r"(?m)^class (\w+)\(torch\.nn\.Module\):")?;
    let head = Regex::new(r"(?m)^    def forward\(self(?:, (.*))?\):")?;
    let (Some(class), Some(head)) = (class.captures(graph), head.captures(graph)) else { return Ok(None) };
    let inputs = inputs_of(head.get(1).map_or("", |found| found.as_str()))?;
    let name = class.get(1).map_or("", |found| found.as_str());
    let script = OF_GRAPH.replace("CLASS()", &format!("{name}()")).replace("COMMAND", command);
    let script = script.replace("# [settings]\n", settings).replace("    # [inputs]\n    pass\n", &inputs);
    Ok(Some(script.replace("# [graph]\n", &format!("{}\n", graph.trim_end()))))
}

/// The statements that make the arguments of a captured graph from their annotations: `x: "f32[s0, 4][4, 1]cpu"`.
fn inputs_of(arguments: &str) -> anyhow::Result<String> {
    let argument = Regex::new(
        r#"(\w+)(?:: "(?:Sym\((\w+)\)|(\w+)\[([^\]"]*)\](?:\[([^\]"]*)\])?(\w+(?::\d+)?)?)[^"]*")?(?:, |$)"#,
    )?;
    let mut lines = String::new();
    for name in unknown_sizes(arguments, &BTreeSet::new())? {
        let _ = writeln!(lines, "    {name} = {ANY_SIZE}  # the log does not tell its value");
    }
    for found in argument.captures_iter(arguments) {
        let text = |group: usize| found.get(group).map(|one| one.as_str());
        let name = text(1).unwrap_or_default();
        let line = match (text(2), text(3).and_then(dtype)) {
            (Some(size), _) => format!("    reader.symint({size})  # {}\n", ascii(name)),
            (None, Some(dtype)) => tensor(&found, name, dtype),
            // It consists of letters, digits and underscores.
            _ => format!("    reader.const(\"{}\")  # the log does not tell what it was\n", ascii(name)),
        };
        lines.push_str(&line);
    }
    if lines.is_empty() {
        lines.push_str("    pass\n")
    }
    Ok(lines)
}

fn tensor(found: &Captures<'_>, name: &str, dtype: &str) -> String {
    let text = |group: usize| found.get(group).map_or("", |one| one.as_str());
    let tuple = |of: &str| if of.is_empty() { "()".to_owned() } else { format!("({of},)") };
    let stride = found.get(5).map_or("None".to_owned(), |of| tuple(of.as_str()));
    let device = if text(6).is_empty() { "cpu" } else { text(6) };
    format!(
        "    random(reader, {}, {stride}, torch.{dtype}, \"{device}\")  # {}\n",
        tuple(text(4)),
        ascii(name)
    )
}

/// The name of a type of numbers in torch by that in an annotation.
fn dtype(short: &str) -> Option<&'static str> {
    const KNOWN: &str = "f64:float64 f32:float32 f16:float16 bf16:bfloat16 f8e4m3fn:float8_e4m3fn f8e5m2:float8_e5m2 \
        f8e4m3fnuz:float8_e4m3fnuz f8e5m2fnuz:float8_e5m2fnuz c32:complex32 c64:complex64 \
        c128:complex128 i64:int64 i32:int32 i16:int16 i8:int8 u8:uint8 u16:uint16 u32:uint32 b8:bool";
    KNOWN.split(' ').find_map(|pair| pair.strip_prefix(short)?.strip_prefix(':'))
}

#[cfg(test)]
mod tests {
    use super::{inputs_of, of_captured, of_runnable};

    const RUNNABLE: &str = "os.environ['TORCH_TRACE'] = '/app/trace'\n\
        os.environ['TORCHINDUCTOR_COMPILE_THREADS'] = '1'\n\
        os.environ['_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR'] = '12'\n\
        def load_args(reader):\n    \
            reader.symint(7, expr='s77')  # arg0_1\n    \
            buf0 = reader.storage(None, 20*s77)\n    \
            reader.tensor(buf0, (s77, s3), is_leaf=True)  # arg1_1\n\
        load_args._version = 0\n\
        if __name__ == '__main__':\n        \
            run_repro(mod, load_args, accuracy=False, command='run', save_dir=None)\n";

    #[test]
    fn a_script_defines_its_sizes_and_leaves_out_the_folders_of_the_recording() {
        let script = of_runnable(RUNNABLE, "run").unwrap();
        assert!(script.contains("    s77 = 7\n    s3 = 8  # the log"), "{script}");
        assert!(
            script.contains("COMPILE_THREADS")
                && !script.contains("TORCH_TRACE")
                && !script.contains("DATA_PTR")
        );
        let minify = of_runnable(RUNNABLE, "minify").unwrap();
        assert!(minify.contains("command='minify'") && minify.contains("load_args._version = 0"), "{minify}");
    }

    #[test]
    fn a_graph_without_inputs_is_a_script_and_one_with_a_function_that_torch_left_out_says_so() {
        let script = of_runnable("def load_args(reader):\nload_args._version = 0\n", "run").unwrap();
        assert_eq!(script, "def load_args(reader):\n    pass\nload_args._version = 0\n");
        let left_out = "class Repro:\n        self.sdpa_score0 = <lambda>()\n";
        let error = of_runnable(left_out, "run").unwrap_err().to_string();
        assert!(error.contains("self.sdpa_score0 = <lambda>()"), "{error}");
    }

    #[test]
    fn the_inputs_of_a_captured_graph_have_the_shapes_of_its_annotations() {
        let lines =
            inputs_of("s0: \"Sym(s0)\", L_x_: \"f32[s0, 4][4, 1]cuda:0\", L_y_: \"i64[]\", other").unwrap();
        assert!(lines.contains("s0 = 8") && lines.contains("reader.symint(s0)"), "{lines}");
        assert!(
            lines.contains("random(reader, (s0, 4,), (4, 1,), torch.float32, \"cuda:0\")  # L_x_"),
            "{lines}"
        );
        assert!(lines.contains("random(reader, (), None, torch.int64, \"cpu\")  # L_y_"), "{lines}");
        assert!(lines.contains("reader.const(\"other\")"), "{lines}");
        assert!(of_captured("no graph", "", "run").unwrap().is_none());
    }
}
