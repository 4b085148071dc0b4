use super::fx_graph::{GraphText, Node, Statement, annotations, place_comment};
use super::guard_tree::{GuardLine, read_guard_tree, tensor_check};
use super::source_text::{arguments, symbols};
use crate::cases::{hold, joined, maybe};

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

fn answer(query: &str, text: &str) -> Option<String> {
    let symbols = |most| joined(symbols(text, most));
    Some(match query {
        "nodes" => GraphText::read(text).nodes.iter().map(node).collect::<Vec<_>>().join("\n"),
        "lines of the node in the first line" => {
            let (name, text) = text.split_once('\n')?;
            format!("{:?}", GraphText::read(text).lines(name))
        }
        "statement" => {
            let read = Statement::read(text)?;
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
