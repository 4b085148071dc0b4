use super::element_type::element_bytes;
use super::fx_graph::{self, GraphText, Node, annotations, place_comment};
use super::generated::cpp_wrapper::CppStatements;
use super::generated::kernel_source::{KernelSource, Parameter, sources};
use super::generated::memory::Statement;
use super::generated::touched::{Ranges, index_of};
use super::generated::{Call, CodeKind, CodeText, definitions, library_call};
use super::guard_tree::{GuardLine, read_guard_tree, tensor_check};
use super::source_text::{arguments, symbols};
use crate::cases::{hold, joined, maybe};
use crate::trace::TextSet;

fn dimensions(list: &[Option<i64>]) -> String {
    list.iter().map(|size| maybe(*size)).collect::<Vec<_>>().join(" ")
}

fn node(node: &Node<'_>) -> String {
    let kind = if node.placeholder { "input" } else { "value" };
    let place = node.place.map(|place| format!("{}:{}", place.file, place.line));
    format!("{} {kind} {} {:?} {}", node.scope, node.name, node.lines, maybe(place))
}

fn guard_line(line: &GuardLine<'_>) -> String {
    match line {
        GuardLine::Place { source, class } => joined([source.to_string(), maybe(*class)]),
        GuardLine::Guard { kind, text, origin } => joined([kind, text, &*maybe(*origin)]),
    }
}

/// The source of a kernel whose indices are looked at.
const BODY: &str = "xnumel = 65536\nr0_numel = 128\nrnumel = r0_numel\nrindex = r0_index\n\
                    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]\nr0_index = r0_offset + r0_base\n\
                    x0 = (xindex % 512)\nx1 = xindex // 512\nx2 = ((xindex // 64) % 8)\nx3 = xindex\nr0_4 = r0_index\n";

/// Kernels that other files define.
const KNOWN: [&str; 5] = ["k_0", "triton_a_1", "triton_b_2", "cpp_c_3", "cpp_a_0"];

/// Inputs of the graph.
const INPUTS: [&str; 4] = ["arg1_1", "arg4_1", "bias", "w"];

fn call(call: &Call<'_>) -> String {
    let handle = call.handle.map(|handle| format!(":{handle}")).unwrap_or_default();
    let from = if call.source_nodes.is_empty() { "" } else { " of " };
    format!("{} {}{handle}{from}{}", call.line, call.kernel, call.source_nodes.join(" "))
}

fn parameter(parameter: &Parameter) -> String {
    let mark = |is_so: bool, mark: &str| if is_so { mark.to_owned() } else { String::new() };
    let size = parameter.element.map(|bytes| bytes.to_string()).unwrap_or_default();
    let pointer = mark(parameter.is_pointer, "*");
    [mark(parameter.reads, "r"), mark(parameter.writes, "w"), pointer, size].concat()
}

fn statement(statement: &Statement<'_>) -> String {
    match statement {
        Statement::Alias { to, from, part: false } => format!("{to} is {from}"),
        Statement::Alias { to, from, part: true } => format!("{to} is part of {from}"),
        Statement::Fresh(name) => format!("new {name}"),
        Statement::Call(call) => {
            let (reads, writes) = (call.reads.join(" "), call.writes.join(" "));
            let operator = call.operator.unwrap_or("generated");
            format!("{} {} ({operator}) {reads} > {writes}", call.line, call.kernel)
        }
        Statement::Return(items) => {
            let items: Vec<&str> = items.iter().map(|item| item.unwrap_or("-")).collect();
            format!("return {}", items.join(" "))
        }
        Statement::Output(name) => format!("output {name}"),
    }
}

fn answer(query: &str, text: &str) -> Option<String> {
    let kind = if query.ends_with("C++") { CodeKind::Cpp } else { CodeKind::Python };
    let known = if kind == CodeKind::Cpp { &KNOWN[..] } else { &[] };
    let code = CodeText::read(text, kind, known);
    let symbols = |most| joined(symbols(text, most));
    Some(match query {
        "nodes" => GraphText::read(text).nodes.iter().map(node).collect::<Vec<_>>().join("\n"),
        "lines of the node in the first line" => {
            let (name, text) = text.split_once('\n')?;
            format!("{:?}", GraphText::read(text).lines(name))
        }
        "statement" => {
            let read = fx_graph::Statement::read(text)?;
            let called = read.call().map(|(name, arguments)| format!("{name} of {arguments}"));
            let is_name = if read.is_name() { "a name" } else { "no name" };
            joined([read.name, read.annotation, read.value, &*maybe(called), is_name])
        }
        "annotations" => joined(annotations(text).flat_map(|(name, annotation)| [name, annotation])),
        "place" => {
            let place = place_comment(text)?;
            joined([place.file, &*place.line.to_string(), &*maybe(place.function), &*maybe(place.code)])
        }
        "tensor check" => {
            let check = tensor_check(text)?;
            let (sizes, strides) = (dimensions(&check.sizes), dimensions(&check.strides));
            joined([check.source.to_owned(), check.fixed.join("; "), sizes, strides])
        }
        "guard tree" => {
            let nodes = read_guard_tree(text).into_iter();
            let lines =
                nodes.map(|node| format!("{} {} {}", node.depth, node.guards, guard_line(&node.content)));
            lines.collect::<Vec<_>>().join("\n")
        }
        "calls in Python" | "calls in C++" => joined(code.calls.iter().map(call)),
        "definitions in Python" | "definitions in C++" => joined(code.definitions.iter().map(|found| {
            let nodes = [&found.fragment, &found.source_nodes].map(|nodes| nodes.join(" "));
            format!("{} {}-{} of {}", found.kernel, found.body.first, found.body.last, nodes.join("; "))
        })),
        "call of a library" => library_call(text)?.to_owned(),
        "statements in Python" | "statements in C++" => {
            let (kernels, wrapper) = text.split_once("\n----\n").unwrap_or((text, text));
            let of_kernels = if kernels == wrapper { kind } else { CodeKind::Kernels };
            let of_kernels = CodeText::read(kernels, of_kernels, known);
            let sources = sources(kernels, &of_kernels.definitions);
            let code = CodeText::read(wrapper, kind, known);
            let inputs: TextSet<&str> = INPUTS.into_iter().collect();
            joined(code.statements(&sources, &inputs).iter().map(statement))
        }
        "bytes of a type" => element_bytes(text)?.to_string(),
        "touched" => Ranges::parse(BODY).touched(text)?.bytes(4.0).to_string(),
        "index" => index_of(text)?.to_owned(),
        "C++ in Python" => {
            let mut statements = CppStatements::default();
            for array in ["int_array_0[] = {6L, 9L};", "int_array_1[] = {9L, 1L};"] {
                assert_eq!(statements.in_python(&format!("static constexpr int64_t {array}")), None);
            }
            let python = statements.in_python(text);
            python.or_else(|| statements.call_in_python(text, "cpp_fused_add_0"))?
        }
        "nested C++" => {
            let (open, closed) = ("std::move(".repeat(text.parse().ok()?), ")".repeat(text.parse().ok()?));
            let python = CppStatements::default().in_python(&format!("auto buf9 = {open}buf0{closed};"))?;
            python.split("std::move(").last()?.get(..4)?.to_owned()
        }
        "kernel" => {
            let (name, source) = text.split_once('\n')?;
            let found = KernelSource::read(name, source);
            let mut facts: Vec<String> = found.parameters.iter().map(parameter).collect();
            facts.extend(found.is_template.then(|| "template".to_owned()));
            facts.extend(found.has_atomics.then(|| "atomics".to_owned()));
            facts.extend(found.recorded);
            facts.join(", ")
        }
        "kernels in C++" => {
            let kernels = sources(text, &definitions(text, CodeKind::Kernels)).into_iter();
            let all = kernels.map(|(name, source)| {
                format!("{name} {}", source.parameters.iter().map(parameter).collect::<Vec<_>>().join(", "))
            });
            all.collect()
        }
        "arguments" => joined(arguments(text)),
        "symbols of up to two letters" => symbols(2),
        "symbols of up to three letters" => symbols(3),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_reads_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}
