//! What is read from generated code, and how artifacts are divided into runs: rows of `cases.txt`.

use super::CodeKind;
use super::code::{Call, CodeText, definitions, library_call};
use super::flow::wrapper::{Signatures, Statement, statements};
use super::runs::{InductorRun, inductor_runs};
use crate::cases::{hold, joined};
use crate::model::{Artifact, Compile};
use crate::trace::TextSet;

/// Kernels that other files define.
const KNOWN: [&str; 5] = ["k_0", "triton_a_1", "triton_b_2", "cpp_c_3", "cpp_a_0"];

/// Inputs of the graph.
const INPUTS: [&str; 4] = ["arg1_1", "arg4_1", "bias", "w"];

/// The runs of a compile with these artifacts, each with its AOT id behind a colon if it has one.
pub(super) fn runs(names: &[&str]) -> Vec<InductorRun> {
    let mut compile = Compile::default();
    let artifact = |(number, name): (u32, &&str)| Artifact::named(name.split(':').next().unwrap(), number);
    compile.artifacts = (0..).zip(names).map(artifact).collect();
    inductor_runs(&compile, |number| names[number as usize].split_once(':').map(|(_, id)| id))
}

fn run(run: &InductorRun) -> String {
    let code: Vec<String> =
        run.code.iter().map(|file| format!("{:?} {}", file.kind, file.artifact)).collect();
    let at = |index: Option<usize>| index.map_or("-".to_owned(), |index| index.to_string());
    let direction = run.direction().unwrap_or("-");
    let (pre, post) = (at(run.pre), at(run.post));
    format!(
        "{} {direction}: {pre} > {post} > {}, maps {:?}, {:?}",
        run.order,
        code.join(", "),
        run.mappings,
        run.artifacts
    )
}

fn call(call: &Call<'_>) -> String {
    let handle = call.handle.map(|handle| format!(":{handle}")).unwrap_or_default();
    let from = if call.source_nodes.is_empty() { "" } else { " of " };
    format!("{} {}{handle}{from}{}", call.line, call.kernel, call.source_nodes.join(" "))
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
    Some(match query {
        "calls in Python" | "calls in C++" => joined(code.calls.iter().map(call)),
        "definitions in Python" | "definitions in C++" => joined(code.definitions.iter().map(|found| {
            let nodes = [&found.fragment, &found.source_nodes].map(|nodes| nodes.join(" "));
            format!("{} {}-{} of {}", found.kernel, found.body.first, found.body.last, nodes.join("; "))
        })),
        "call of a library" => library_call(text)?.to_owned(),
        "statements in Python" | "statements in C++" => {
            let mut signatures = Signatures::default();
            let (kernels, wrapper) = text.split_once("\n----\n").unwrap_or((text, text));
            signatures.add(
                kernels,
                &definitions(kernels, if kernels == wrapper { kind } else { CodeKind::Kernels }),
            );
            let code = CodeText::read(wrapper, kind, known);
            let inputs: TextSet<&str> = INPUTS.into_iter().collect();
            joined(statements(wrapper, &code, &signatures, &inputs).iter().map(statement))
        }
        "runs" => joined(runs(&text.split(' ').collect::<Vec<_>>()).iter().map(run)),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_gives_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}
