//! Tests of whole drawings, on graphs as torch prints them, and of what is read from texts: rows of `cases.txt`.

use super::operators::{Operators, clip};
use super::paths::{Parts, modules_of_inputs};
use super::*;
use crate::cases::{hold, joined, maybe};
use std::fmt::Write as _;

/// A model of layers, each a norm and a product with a sum around them, and a head. The graph is the post-grad graph;
/// the captured one names the weights.
fn model(layers: usize) -> (String, String) {
    let (mut inputs, mut names) =
        (String::from("arg0_1: \"f32[2, 8]\""), String::from("L_x_: \"f32[2, 8]\""));
    let mut body = String::new();
    let mut add = |name: &str, shape: &str, number: usize| {
        write!(inputs, ", arg{number}_1: \"f32[{shape}]\"").unwrap();
        write!(names, ", L_self_modules_net_modules_{name}_parameters_weight_: \"f32[{shape}]\"").unwrap();
    };
    let mut last = "arg0_1".to_owned();
    for layer in 0..layers {
        let (norm, up) = (2 * layer + 1, 2 * layer + 2);
        add(&format!("layers_modules_{layer}_modules_norm"), "8", norm);
        add(&format!("layers_modules_{layer}_modules_up"), "8, 8", up);
        write!(
            body,
            "        # File: /app/norm.py:5 in forward, code: y = x * x.rsqrt()\n        \
            rsqrt_{layer}: \"f32[2, 8]\" = torch.ops.aten.rsqrt.default({last})\n        \
            # File: /app/norm.py:6 in forward, code: return y * self.weight\n        \
            mul_{layer}: \"f32[2, 8]\" = torch.ops.aten.mul.Tensor(rsqrt_{layer}, arg{norm}_1)\n        \
            # File: /app/linear.py:9 in forward, code: return x @ self.weight\n        \
            permute_{layer}: \"f32[8, 8]\" = torch.ops.aten.permute.default(arg{up}_1, [1, 0])\n        \
            mm_{layer}: \"f32[2, 8]\" = torch.ops.aten.mm.default(mul_{layer}, permute_{layer})\n        \
            # File: /app/model.py:3 in forward, code: x = x + self.up(self.norm(x))\n        \
            add_{layer}: \"f32[2, 8]\" = torch.ops.aten.add.Tensor({last}, mm_{layer});  mm_{layer} = None\n"
        )
        .unwrap();
        last = format!("add_{layer}");
    }
    let head = 2 * layers + 1;
    add("head", "8, 8", head);
    write!(
        body,
        "        # File: /app/linear.py:9 in forward, code: return x @ self.weight\n        \
        mm: \"f32[2, 8]\" = torch.ops.aten.mm.default({last}, arg{head}_1)\n        return (mm,)\n"
    )
    .unwrap();
    let graph = format!("class G(torch.nn.Module):\n    def forward(self, {inputs}):\n{body}");
    let captured =
        format!("class G(torch.nn.Module):\n    def forward(self, {names}):\n        return (L_x_,)\n");
    (graph, captured)
}

fn drawing(graph: &str, captured: Option<&str>) -> Drawing {
    Drawing::of(&GraphTexts { graph, captured, origins: None })
}

/// A block by its address.
fn block<'d>(drawing: &'d Drawing, id: &str) -> &'d Block {
    let found = drawing.blocks.iter().find(|block| block.id == id);
    found.unwrap_or_else(|| {
        panic!("no {id}: {:?}", drawing.blocks.iter().map(|one| &one.id).collect::<Vec<_>>())
    })
}

/// Operators that are drawn in some block, each with how often.
fn drawn_operators(drawing: &Drawing) -> Vec<usize> {
    let items = drawing.blocks.iter().flat_map(|block| &block.links.items);
    let mut found: Vec<usize> = items
        .filter_map(|item| match item {
            Item::Operator(at) => Some(*at),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn equal_layers_are_one_block_with_what_enters_the_first_and_the_others() {
    let (graph, captured) = model(4);
    let drawing = drawing(&graph, Some(&captured));
    assert_eq!(drawing.operators.len(), 21);
    let layers = block(&drawing, "layers");
    assert_eq!((layers.name.as_str(), layers.layers, layers.total), ("layers 0–3", 4, 20));
    assert_eq!(drawing.about(layers), "×4, 5 nodes each, drawn once");
    let ports: Vec<&str> = layers.links.ports.keys().map(String::as_str).collect();
    assert_eq!(ports, ["x, then the layer before"]);
    assert_eq!(
        block(&drawing, "layers.norm").total,
        8,
        "the root is the norm's, as it is a line above its weight"
    );
    assert_eq!(block(&drawing, "layers.up").total, 8, "a product reads its weight through a permutation");
    assert_eq!(block(&drawing, "head").total, 1);
    let weights = layers.weights.iter().map(|at| drawing.inputs[*at].weight.as_str());
    assert_eq!(weights.collect::<Vec<_>>(), ["net.layers.0.norm.weight", "net.layers.0.up.weight"]);
}

#[test]
fn each_operator_is_drawn_once_or_stands_for_one_that_is() {
    let (graph, captured) = model(5);
    let drawing = drawing(&graph, Some(&captured));
    let drawn = drawn_operators(&drawing);
    let mut once = drawn.clone();
    once.dedup();
    assert_eq!(drawn, once);
    let shown: Vec<usize> = drawing.operators.iter().map(|operator| operator.shown).collect();
    assert!(shown.iter().all(|at| drawn.binary_search(at).is_ok()));
    let alike = |at: usize, one: &Operator| {
        drawing.operators[at].op == one.op && drawing.operators[at].shape == one.shape
    };
    assert!(drawing.operators.iter().all(|one| alike(one.shown, one)));
    assert_eq!(drawing.blocks[0].total, drawing.operators.len());
}

#[test]
fn layers_that_differ_are_drawn_one_by_one() {
    let (graph, captured) = model(3);
    let other = graph.replace("aten.add.Tensor(add_0, mm_1)", "aten.sub.Tensor(add_0, mm_1)");
    assert_ne!(other, graph);
    let drawing = drawing(&other, Some(&captured));
    assert!(drawing.blocks.iter().all(|block| block.layers <= 1));
    assert_eq!(block(&drawing, "layers.1").total, 5);
}

#[test]
fn open_blocks_hold_their_boxes_and_no_boxes_overlap() {
    let (graph, captured) = model(4);
    let drawing = drawing(&graph, Some(&captured));
    for level in [Level::Closed, Level::Modules, Level::All] {
        let sheet = drawing.sheet(0, level);
        let mut open: Vec<(f64, f64, f64, f64)> = Vec::new();
        let mut closed: Vec<(f64, f64, f64, f64)> = Vec::new();
        for piece in &sheet.pieces {
            if let SheetPiece::Box { at, size, open: is_open, .. } = piece {
                let edges = (at.0, at.1, at.0 + size.0, at.1 + size.1);
                assert!(edges.0 >= -0.01 && edges.2 <= sheet.size.0 + 0.01, "{edges:?} in {:?}", sheet.size);
                assert!(edges.1 >= -0.01 && edges.3 <= sheet.size.1 + 0.01, "{edges:?} in {:?}", sheet.size);
                if *is_open { open.push(edges) } else { closed.push(edges) }
            }
        }
        for (at, one) in closed.iter().enumerate() {
            for other in &closed[at + 1..] {
                let apart = one.2 <= other.0 || other.2 <= one.0 || one.3 <= other.1 || other.3 <= one.1;
                assert!(apart, "{level:?}: {one:?} and {other:?}");
            }
            for frame in &open {
                let apart = one.2 <= frame.0 || frame.2 <= one.0 || one.3 <= frame.1 || frame.3 <= one.1;
                let inside = frame.0 < one.0 && one.2 < frame.2 && frame.1 < one.1 && one.3 < frame.3;
                assert!(apart || inside, "{level:?}: {one:?} and {frame:?}");
            }
        }
    }
    let all = drawing.sheet(0, Level::All);
    let boxes = all.pieces.iter().filter(|piece| matches!(piece, SheetPiece::Box { .. })).count();
    assert_eq!(Some(boxes), drawing.boxes_at(Level::All));
}

/// A graph of `count` operators; each reads the one before and one far away.
fn long(count: usize, function: impl Fn(usize) -> String) -> String {
    let mut graph = String::from(
        "class G(torch.nn.Module):\n    def forward(self, L_x_: \"f32[2]\"):\n        a0 = L_x_ + 1\n",
    );
    for at in 1..count {
        let (line, function) = (at % 900, function(at));
        let comment = format!("        # File: /app/x.py:{line} in {function}, code: y\n");
        let far = at * 7919 % at;
        writeln!(
            graph,
            "{comment}        a{at}: \"f32[2]\" = torch.ops.aten.add.Tensor(a{}, a{far})",
            at - 1
        )
        .unwrap();
    }
    graph
}

#[test]
fn a_large_graph_is_cut_into_pieces_and_its_sheets_are_bounded() {
    for graph in [long(12_000, |_| "f".to_owned()), long(12_000, |at| format!("f{at}"))] {
        let drawing = drawing(&graph, None);
        assert_eq!(drawing.blocks[0].total, 12_000);
        assert!(!drawing.draws_operators());
        assert_eq!(drawing.boxes_at(Level::All), None);
        for at in 0..drawing.blocks.len().min(40) {
            let sheet = drawing.sheet(at, Level::Closed);
            assert!(sheet.pieces.len() < 6_000, "{} pieces", sheet.pieces.len());
        }
    }
}

#[test]
fn the_same_text_gives_the_same_drawing() {
    let (graph, captured) = model(6);
    let sheet = || format!("{:?}", drawing(&graph, Some(&captured)).sheet(0, Level::All).pieces);
    assert_eq!(sheet(), sheet());
}

#[test]
fn no_text_has_an_empty_drawing() {
    let drawing = drawing("", None);
    assert_eq!((drawing.operators.len(), drawing.blocks.len()), (0, 1));
    assert!(drawing.sheet(0, Level::All).pieces.is_empty());
}

/// Each operator with its shape, what it reads, its place, and whether it is returned; then the inputs with their shapes.
fn operators(text: &str) -> String {
    let graph = Operators::read(text);
    let place =
        |at: usize| graph.places.get_index(at).map(|place| format!("{} {}", place.line, place.function));
    let operator = |one: &Operator| {
        let returned = if one.returned { ", returned" } else { "" };
        let place = maybe(one.place.and_then(place));
        format!(
            "{} {} {:?} {:?} {:?} at {place}{returned}",
            one.name, one.op, one.shape, one.args, one.inputs
        )
    };
    let mut lines: Vec<String> = graph.operators.iter().map(operator).collect();
    lines.push(joined(graph.inputs.iter().map(|input| format!("{} {}", input.name, input.shape))));
    lines.push(format!("{} left out", graph.left_out));
    lines.join("\n")
}

/// Names and weights of the inputs of a graph, from those of the captured one.
fn inputs(text: &str) -> Option<String> {
    let (captured, later) = text.split_once(" § ")?;
    let mut graph = Operators::read(&format!("def forward(self, {later}):\n"));
    let captured = Operators::read(&format!("def forward(self, {captured}):\n"));
    let mut parts = Parts::default();
    let paths = modules_of_inputs(&mut graph, Some(&captured), &mut parts);
    let inputs = graph.inputs.iter().zip(paths);
    Some(joined(inputs.map(|(input, path)| {
        format!("{} {:?} in {}", input.name, input.weight, maybe(path.map(|path| parts.joined(&path))))
    })))
}

fn answer(query: &str, text: &str) -> Option<String> {
    Some(match query {
        "operators" => operators(text),
        "inputs" => inputs(text)?,
        "parameter" => {
            let mut parts = Parts::default();
            let (path, name) = parts.of_parameter(text)?;
            let layers = path.iter().filter(|part| parts.is_number(**part)).count();
            joined([name, parts.joined(&path), layers.to_string()])
        }
        "cut to three" => clip(text, 3),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_reads_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}
