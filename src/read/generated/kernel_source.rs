//! What the source of a generated kernel says about its parameters: the type of each pointer, and whether the kernel reads
//! what it points at, writes it, or both. `in_out_ptr0` is both by its name, but a kernel may write such a buffer first; and
//! `out_ptr0` is read where the kernel adds to it.

use super::Definition;
pub use super::touched::Touched;
use super::touched::{Ranges, index_of};
use crate::limits::LONGEST_VALUE;
use crate::read::element_type::element_bytes;
use crate::read::source_text::{closing, last_word, words};
use crate::trace::TextMap;

/// A parameter of a generated kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parameter {
    /// Whether it is a pointer.
    pub is_pointer: bool,
    /// Bytes of an element, if it is a pointer of a known type.
    pub element: Option<f64>,
    /// Whether the kernel reads what was there before the call.
    pub reads: bool,
    pub writes: bool,
    /// How much it reads and writes, where its indices tell; it may touch a part of a tensor only.
    pub read: Option<Touched>,
    pub written: Option<Touched>,
}

/// A generated kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelSource {
    pub parameters: Vec<Parameter>,
    /// The name under which a profiler records it, if it is another one: `gemm_m96n256k128_kernel`, without its graph.
    pub recorded: Option<String>,
    /// Whether it multiplies matrices: a template, or a kernel that calls the units for that.
    pub is_template: bool,
    /// Whether it adds to memory with atomic operations, which wait for each other.
    pub has_atomics: bool,
}

/// Limit on the bytes of a source that are searched for accesses; the largest combined kernels have some hundred thousand.
const LONGEST: usize = 1 << 20;

/// Characters before a pointer in which the name of the function around it is looked for.
const LOOK_BACK: usize = 120;

/// Kernels by the names under which a wrapper calls them.
pub type KernelSources<'t> = TextMap<&'t str, KernelSource>;

/// The kernels whose sources are in a file of code, by the name under which the wrapper calls them.
pub fn sources<'t>(text: &'t str, definitions: &[Definition<'t>]) -> KernelSources<'t> {
    let lines: Vec<&str> = text.split('\n').collect();
    let read = |Definition { kernel, body, .. }: &Definition<'t>| {
        let source = &lines[body.first as usize - 1..body.last as usize];
        // A kernel of the program: `swiglu_kernel_0 = async_compile.triton('swiglu_kernel', '''`.
        let defined = source[0].split_once("triton('").and_then(|(_, rest)| rest.split('\'').next());
        let defined = defined.unwrap_or(kernel);
        let mut source = KernelSource::read(defined, &source.join("\n"));
        if defined != *kernel && !defined.starts_with("triton_") {
            source.recorded.get_or_insert(defined.to_owned());
        }
        (*kernel, source)
    };
    definitions.iter().map(read).collect()
}

impl KernelSource {
    /// Reads the source of a kernel, which defines it as `name`; the wrapper of a user's kernel calls that by another name.
    pub fn read(name: &str, text: &str) -> KernelSource {
        let mut found = KernelSource { recorded: recorded_name(text), ..KernelSource::default() };
        found.is_template = name.starts_with("triton_tem_")
            || found.recorded.as_deref().is_some_and(|recorded| !recorded.starts_with("cpp_fused_"))
            || text.contains("tl.dot(");
        let Some((head, body)) = head_and_body(name, text) else { return found };
        let body = body.get(..body.len().min(LONGEST)).unwrap_or(body);
        found.has_atomics = body.contains("tl.atomic_");
        let types = triton_types(text);
        let names: Vec<&str> = head.split(',').map(parameter_name).collect();
        let is_pointer = |(place, name): (usize, &&str)| {
            let in_triton = types.get(place).is_some_and(|kind| kind.starts_with('*'));
            in_triton || name.contains("_ptr") || name.contains("arg")
        };
        let pointers = names.iter().enumerate().filter(|one| is_pointer(*one)).map(|(_, name)| *name);
        let ranges = Ranges::parse(body);
        let operands = ranges.operands();
        let accesses = accesses(body, pointers, &ranges);
        let parameters = head.split(',').zip(&names).enumerate();
        found.parameters = parameters
            .map(|(place, (text, name))| {
                let in_triton = types.get(place).map(String::as_str).unwrap_or_default();
                let pointee = text.split_once('*').map(|(kind, _)| kind.trim().trim_start_matches("const "));
                let pointee = pointee.or_else(|| in_triton.strip_prefix('*'));
                let access = accesses.get(name);
                let (reads, writes) =
                    access.map_or_else(|| by_form(text, name), |access| (access.reads_first, access.writes));
                Parameter {
                    is_pointer: pointee.is_some(),
                    element: pointee.and_then(element_bytes),
                    reads,
                    writes,
                    read: match (*name, operands) {
                        ("arg_A", Some([left, _])) => Some(left),
                        ("arg_B", Some([_, right])) => Some(right),
                        _ => access.and_then(|access| Touched::all(&access.read)),
                    },
                    written: access.and_then(|access| Touched::all(&access.written)),
                }
            })
            .collect();
        found
    }
}

/// Whether a kernel reads and writes a parameter, from the parameter's name; if Inductor did not choose the name, from its
/// type.
fn by_form(text: &str, name: &str) -> (bool, bool) {
    let writes = name.contains("out_ptr") || (text.contains('*') && !text.contains("const "));
    (name.contains("in_out_ptr") || !writes, writes)
}

/// `gemm_m96n256k128_kernel` of `RecordFunctionHandle record_graph_1_..("graph_1_gemm_m96n256k128_kernel", nullptr)`.
fn recorded_name(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("RecordFunctionHandle record_")?;
    let (_, quoted) = rest.split_once("(\"")?;
    let (name, _) = quoted.split_once('"')?;
    Some(without_graph_number(name).to_owned())
}

/// The parameters between the parentheses of the head, and what follows them.
fn head_and_body<'t>(name: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    let python = format!("def {name}(");
    let at = match text.find(&python) {
        Some(at) => at + python.len(),
        None => {
            // A template has functions of its own before the one that is called.
            let exported = text.find("extern \"C\"")?;
            exported + text.get(exported..)?.find('(')? + 1
        }
    };
    let rest = text.get(at..)?;
    let end = rest.find(')')?;
    Some((rest.get(..end)?, rest.get(end..)?))
}

/// `in_ptr0` of `const float* in_ptr0`, `xnumel` of `xnumel: tl.constexpr`.
fn parameter_name(parameter: &str) -> &str {
    // In Triton the type follows the name; in C++ it stands before it, with colons of its own.
    let name =
        if parameter.contains('*') { parameter } else { parameter.split(':').next().unwrap_or_default() };
    last_word(name.trim())
}

/// Types by parameter, of `'signature': {'in_ptr0': '*bf16', 'xnumel': 'i32'}`; before torch 2.6 `{0: '*bf16'}`.
fn triton_types(text: &str) -> Vec<String> {
    let Some((_, types)) = text.split_once("'signature': {") else { return Vec::new() };
    let types = types.split('}').next().unwrap_or_default();
    let kinds = types.split(',').filter_map(|part| Some(part.split_once(':')?.1.trim().trim_matches('\'')));
    kinds.map(str::to_owned).collect()
}

/// What a body does with a pointer: whether the first access reads, whether any writes, and what each distinct index touches.
#[derive(Debug, Default)]
struct Access<'t> {
    reads_first: bool,
    writes: bool,
    read: TextMap<&'t str, Option<Touched>>,
    written: TextMap<&'t str, Option<Touched>>,
}

/// Looks at each use of a pointer, in the order of the body.
fn accesses<'t>(
    body: &'t str,
    pointers: impl Iterator<Item = &'t str>,
    ranges: &Ranges<'_>,
) -> TextMap<&'t str, Access<'t>> {
    // `auto in_ptr2 = in_out_ptr0;` gives a pointer another name.
    let mut origins: TextMap<&str, &'t str> = pointers.map(|name| (name, name)).collect();
    let mut found: TextMap<&'t str, Access<'t>> = TextMap::default();
    for word in words(body) {
        let Some(origin) = origins.get(word).copied() else { continue };
        let start = word.as_ptr().addr() - body.as_ptr().addr();
        let (before, after) = (&body[..start], &body[start + word.len()..]);
        if after.starts_with([';', '\n'])
            && let Some(alias) = alias_before(before)
        {
            origins.insert(alias, origin);
            continue;
        }
        let Some(kind) = Kind::parse(before, after) else { continue };
        let access = found
            .entry(origin)
            .or_insert_with(|| Access { reads_first: kind != Kind::Write, ..Access::default() });
        access.writes |= kind != Kind::Read;
        let index = index_of(after);
        let touched = index.and_then(|index| ranges.touched(index));
        let index = index.unwrap_or_default();
        if kind != Kind::Write {
            access.read.insert(index, touched);
        }
        if kind != Kind::Read {
            access.written.insert(index, touched);
        }
    }
    found
}

/// `in_ptr2` where `auto in_ptr2 = ` stands before the pointer; in Python without `auto`.
fn alias_before(before: &str) -> Option<&str> {
    let name = last_word(before.strip_suffix(" = ")?);
    (!name.is_empty()).then_some(name)
}

/// What a use of a pointer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Both,
}

impl Kind {
    /// The kind of an access, from the function that is called with the pointer or from the assignment after its index.
    /// None if the text has neither.
    fn parse(before: &str, after: &str) -> Option<Kind> {
        let nearby = before.char_indices().rev().nth(LOOK_BACK).map_or(0, |(at, _)| at);
        let before = before.get(nearby..).unwrap_or_default().trim_end_matches(['&', ' ', '(']);
        // The arguments of a template stand between the name of a function and its parenthesis.
        let before = match before.strip_suffix('>') {
            Some(arguments) => arguments.rfind('<').and_then(|at| arguments.get(..at)).unwrap_or(before),
            None => before,
        };
        let called = last_word(before);
        if called.starts_with("atomic_") {
            return Some(Kind::Both);
        }
        match called {
            "load" | "loadu" => return Some(Kind::Read),
            "store" => return Some(Kind::Write),
            _ => {}
        }
        let index = after.strip_prefix('[')?;
        let behind = index[closing(index, *b"[]", LONGEST_VALUE)? + 1..].trim_start();
        match () {
            () if behind.starts_with("= ") => Some(Kind::Write),
            () if behind.get(1..3) == Some("= ") && behind.starts_with(['+', '-', '*', '/']) => {
                Some(Kind::Both)
            }
            () => Some(Kind::Read),
        }
    }
}

/// `cpp_fused_add_0` of `graph_0_cpp_fused_add_0`.
pub fn without_graph_number(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("graph_") else { return name };
    let kernel = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if kernel.len() == rest.len() { name } else { kernel.strip_prefix('_').unwrap_or(name) }
}
