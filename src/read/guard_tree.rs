//! The guard tree of a compile, read from torch's text of it, and what its guards require of tensors.

use super::expr::call;
use std::borrow::Cow;

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardNode<'t> {
    /// Its depth, from 0.
    pub depth: usize,
    pub content: GuardLine<'t>,
    /// Guards in it and below it.
    pub guards: usize,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardLine<'t> {
    /// A guarded place: `L['x']`, and the Python type found there.
    Place {
        /// The place, as torch writes it.
        source: &'t str,
        /// The type of the value.
        class: Option<&'t str>,
    },
    /// A condition.
    Guard {
        /// `TENSOR_MATCH`, `ID_MATCH`, ..
        kind: &'t str,
        /// The condition itself.
        text: &'t str,
        /// `file.py:21 in f`: the line that made it necessary.
        origin: Option<&'t str>,
    },
}

/// Reads the payload of `dynamo_cpp_guards_str`: lines of `| | +- ..`, each `| ` a level. Lines of any other shape
/// (the title, the latency) are left out.
pub fn read_guard_tree(text: &str) -> Vec<GuardNode<'_>> {
    let mut nodes: Vec<GuardNode<'_>> = text.lines().filter_map(read_line).collect();
    // Going up the text: subtrees whose guards are not yet added to a place above them.
    let mut below: Vec<(usize, usize)> = Vec::new();
    for node in nodes.iter_mut().rev() {
        let own = usize::from(matches!(node.content, GuardLine::Guard { .. }));
        let mut sum = own;
        while let Some(&(depth, guards)) = below.last() {
            if depth <= node.depth {
                break;
            }
            sum += guards;
            below.pop();
        }
        node.guards = sum;
        below.push((node.depth, sum));
    }
    nodes
}

fn read_line(line: &str) -> Option<GuardNode<'_>> {
    let (indent, content) = line.split_once("+- ")?;
    if !indent.bytes().all(|b| b == b'|' || b == b' ') {
        return None;
    }
    let depth = indent.bytes().filter(|&b| b == b'|').count();
    let (name, rest) = content.split_once(": ").unwrap_or((content, ""));
    let content = if is_kind(name) { guard(name, rest) } else { place(name, rest) };
    Some(GuardNode { depth, content, guards: 0 })
}

/// Whether a word is a kind of guards: `TENSOR_MATCH`.
pub fn is_kind(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
}

/// What ranks and runs are compared by in a guard; None where that is compared by itself or says nothing: of a tensor only
/// whether it needs a gradient, as its sizes are those of an input; process groups are compared by what is called in them, and
/// torch's own modules depend on the order of compiles.
pub fn compared<'t>(kind: &str, condition: &'t str) -> Option<Cow<'t, str>> {
    let aside = ["G['torch']", "G['__import_", "__builtins_dict___", "group_name == ", "group_names["];
    match kind {
        _ if aside.iter().any(|part| condition.contains(part)) => None,
        "NO_TENSOR_ALIASING" => None,
        "TENSOR_MATCH" => {
            let (source, _) = condition.strip_prefix("check_tensor(")?.split_once(", ")?;
            let (_, value) = condition.split_once(NEEDS_GRADIENT)?;
            let value = value.split(',').next().unwrap_or_default();
            Some(format!("{source}.requires_grad == {value}").into())
        }
        _ => Some(condition.into()),
    }
}

/// What torch writes in the check of a tensor.
const NEEDS_GRADIENT: &str = ", requires_grad=";

/// `<condition>  # <source line>  # file.py:21 in f`
fn guard<'t>(kind: &'t str, rest: &'t str) -> GuardLine<'t> {
    let (text, comment) =
        rest.split_once("  # ").map_or((rest, None), |(text, comment)| (text, Some(comment)));
    let origin = comment.map(|c| c.rsplit_once("# ").map_or(c, |(_, origin)| origin).trim());
    let origin = origin.filter(|o| o.contains(':') && o.contains(" in "));
    GuardLine::Guard { kind, text: text.trim(), origin }
}

/// `source=L['x'], accessed_by=.., type=<class 'int'>, tag_safe=(..)`; of the key or the value of a dictionary the same
/// behind `GuardManager: `, without how it is reached.
fn place<'t>(name: &'t str, rest: &'t str) -> GuardLine<'t> {
    let rest = rest.strip_prefix("GuardManager: ").unwrap_or(rest);
    let ends = |source: &'t str| {
        let end = source.find(", accessed_by=").or_else(|| source.find(", type=<class '"));
        end.and_then(|end| source.get(..end)).unwrap_or(source)
    };
    let source = rest.strip_prefix("source=").map(ends);
    let class = rest
        .split_once("type=<class '")
        .and_then(|(_, class)| class.split_once("'>"))
        .map(|(class, _)| class);
    let own = if name == "RootGuardManager" { "root" } else { name };
    GuardLine::Place { source: source.unwrap_or(own), class }
}

/// What a guard requires of a tensor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TensorCheck<'t> {
    /// The tensor: `L['x']`.
    pub source: &'t str,
    /// Class, dispatch keys, dtype, device and whether it needs a gradient.
    pub fixed: Vec<&'t str>,
    /// Its sizes; None where any is served.
    pub sizes: Vec<Option<i64>>,
    pub strides: Vec<Option<i64>>,
}

/// `check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.float32, device=None, requires_grad=False, size=[4, None],
/// stride=[None, 1])`
pub fn tensor_check(text: &str) -> Option<TensorCheck<'_>> {
    let (_, arguments) = call(text)?;
    let (source, rest) = arguments.split_first()?;
    let mut check = TensorCheck { source, ..TensorCheck::default() };
    for argument in rest {
        match argument.split_once('=') {
            Some(("size", list)) => check.sizes = dimensions(list)?,
            Some(("stride", list)) => check.strides = dimensions(list)?,
            _ => check.fixed.push(argument),
        }
    }
    Some(check)
}

/// `[4, None, 8]`
fn dimensions(list: &str) -> Option<Vec<Option<i64>>> {
    let inside = list.trim().strip_prefix('[')?.strip_suffix(']')?;
    let of = |text: &str| if text == "None" { Some(None) } else { text.parse().ok().map(Some) };
    inside.split(',').map(str::trim).filter(|text| !text.is_empty()).map(of).collect()
}
