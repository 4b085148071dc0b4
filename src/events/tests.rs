use super::*;
use crate::cases::{hold, joined, maybe};
use crate::model::{Fields, GuardFacts, ProgramLines, Reason, TextFrame, VllmFact};

fn lines<T: ToString>(parts: impl IntoIterator<Item = T>) -> String {
    parts.into_iter().map(|part| part.to_string()).collect::<Vec<_>>().join("\n")
}

fn frame(frame: &TextFrame) -> String {
    format!("{}:{} {}", frame.file, frame.line, maybe(frame.loc.as_ref()))
}

fn placeless(text: &str) -> Option<String> {
    let read = break_forms::Placeless::read(text)?;
    let place = read.place.map(|(file, line)| format!("{file}:{line}"));
    Some(lines([format!("{} with {} frames", maybe(place), read.frames.len()), read.exception]))
}

fn graph_break(text: &str) -> String {
    let read = breaks::read_break(text);
    let line = read.line.map(|line| format!("{}:{line}", maybe(read.file.as_ref())));
    lines([read.reason, maybe(line), maybe(read.explanation), maybe(read.debug_context)])
}

fn reason(text: &str) -> String {
    let Reason { against, text, guard, source, hint, user_stack } = breaks::read_reason(text);
    let source = source.map(|one| joined([one.code, one.file, one.line.to_string(), one.function]));
    let stack = joined(user_stack.iter().map(frame));
    lines([maybe(against), text, guard, maybe(source), maybe(hint), stack]).trim_end().to_owned()
}

/// Guards are shown by their number, and whether the places of two of them are those in the first line.
fn guards(text: &str, with_values: bool) -> Option<String> {
    let (places, tree) = text.split_once('\n')?;
    let GuardFacts { prints, global_state, allow_tf32, values, types, receiver, .. } =
        guard_facts::guard_facts(tree, with_values);
    let mut expected: Vec<u64> =
        places.split(", ").filter(|place| !place.is_empty()).map(guard_facts::hash).collect();
    expected.sort_unstable();
    assert_eq!(prints.iter().map(|print| print.place).collect::<Vec<_>>(), expected);
    let state = if global_state.is_some() { "known" } else { "unknown" };
    let types = types.iter().chain(&receiver).map(|one| format!("{} is {}", one.source, one.class));
    Some(
        lines([format!("state {state}, TF32 {}", maybe(allow_tf32)), joined(values), joined(types)])
            .trim_end()
            .to_owned(),
    )
}

fn program_lines(text: &str, read: impl Fn(&str, &mut ProgramLines) -> String) -> String {
    let mut known = ProgramLines::default();
    let found = read(text, &mut known);
    let origins = known
        .origins
        .iter()
        .map(|(origin, one)| format!("{} {origin} {}", one.guards, maybe(one.code.as_ref())));
    lines([found].into_iter().filter(|found| !found.is_empty()).chain(origins))
}

fn captured(text: &str) -> String {
    program_lines(text, |graph, known| {
        let lines = program_lines::captured_lines(&program_lines::graph_lines(graph), known);
        joined(lines.iter().map(|line| format!("{} of {}", line.operators, line.comment)))
    })
}

fn side_effect(text: &str) -> Option<String> {
    let effect = side_effects::side_effect(Default::default(), text)?;
    Some(lines([effect.source].into_iter().chain(effect.frames.iter().map(frame))))
}

fn kernels(text: &str) -> String {
    let kernels = kernel_names::kernels_of(text);
    let counted = kernels.counts.iter().map(|(name, count)| format!("{count} {name}"));
    let of_user = kernels.of_user.iter().map(|one| format!("{} at {}:{}", one.name, one.file, one.line));
    lines(counted.chain(of_user))
}

/// The value of an event without its configurations, then each configuration; only those that are texts have a place.
fn configurations(value: &str) -> String {
    let configs = metrics::WrittenConfig::all_in(value);
    let told = configs.iter().map(|config| {
        let place = config.place();
        let written = &value[place.start as usize..place.end as usize];
        assert!(written == config.json || written.is_empty() && !config.json.starts_with('"'), "{value}");
        format!("{} {}", config.field, if written.is_empty() { "without a place" } else { written })
    });
    joined([metrics::without_configs(value, &configs)].into_iter().chain(told))
}

fn vllm_graph(name: &str) -> String {
    match vllm::graph(name, "") {
        VllmFact::Pass(pass) => joined(["pass", &*maybe(pass.order), &*pass.name, &*maybe(pass.stage)]),
        VllmFact::Patterns => "patterns".to_owned(),
        VllmFact::Graph(name) => joined(["graph", &*name]),
        _ => "other".to_owned(),
    }
}

fn vllm_start(text: &str) -> Option<String> {
    let start = vllm::start(&Fields::parse(text).ok()?);
    let more = start.more.iter().map(|(name, value)| format!("{name}={value}"));
    Some(joined([maybe(start.index), maybe(start.submodule)].into_iter().chain(more)))
}

/// A repetition count in front of each line.
fn repeated(text: &str) -> Option<String> {
    let graph: String = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(times, line)| format!("{}\n", line.replace("\\n", "\n")).repeat(times.parse().unwrap()))
        .collect();
    let found = repeats::repeated_lines(&graph, &program_lines::graph_lines(&graph))?;
    let alike = if found.alike { "alike" } else { "of other shapes" };
    Some(format!("{} lines {} times, {alike}, from {}", found.lines, found.times, frame(&found.first)))
}

fn answer(query: &str, text: &str) -> Option<String> {
    Some(match query {
        "break without a place" => placeless(text)?,
        "break" => graph_break(text),
        "reason" => reason(text),
        "tracebacks" => {
            let read = breaks::tracebacks(text);
            joined(read.iter().map(|frames| frames.iter().map(frame).collect::<String>()))
        }
        "guards of a recompile" => guards(text, true)?,
        "guards of a first compile" => guards(text, false)?,
        "kinds of guards" => joined(
            guards::count_kinds(text).iter().map(|(kind, (count, first))| format!("{count} {kind} {first}")),
        ),
        "lines of a graph" => captured(text),
        "lines of guards" => program_lines(text, |tree, known| {
            program_lines::guard_origins(tree, known);
            String::new()
        }),
        "repeated" => repeated(text)?,
        "side effect" => side_effect(text)?,
        "kernels" => kernels(text),
        "collectives" => joined(
            distributed::calls_in(text).map(|call| format!("{} in {}", call.operation, maybe(call.group))),
        ),
        "configurations" => configurations(text),
        "file of a module" => links::file_stem(&links::frame_name(text)),
        "device" => tensors::device(text),
        "vLLM graph" => vllm_graph(text),
        "vLLM parts" => lines(
            vllm::parts(text)
                .iter()
                .map(|part| joined([part.name.clone(), part.calls.to_string(), part.operators.join(" ")])),
        ),
        "vLLM start" => vllm_start(text)?,
        "vLLM config" => joined(
            vllm::listed(Fields::parse(text).ok()?.iter())
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        ),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_reads_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}
