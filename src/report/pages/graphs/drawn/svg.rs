//! A sheet of a drawing as SVG. Boxes carry short names by which the script finds their facts: `o4` is an operator, `b2` a
//! block, `i0` an input.

use crate::analysis::drawing::{Block, Drawing, Item, Level, Operator, Sheet, SheetPiece};
use crate::limits::LABEL;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{push_close, push_element, push_open, push_shape};
use std::borrow::Cow;

/// Letters of the name of a port.
const LONGEST_PORT: usize = 50;

/// Space around a sheet.
const MARGIN: f64 = 16.0;

/// How far the further sheets of equal layers stand out.
const STACK: [f64; 2] = [8.0, 4.0];

/// Colors of kernels before they repeat.
const TINTS: usize = 8;

/// What a sheet shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'d> {
    pub(super) block: usize,
    pub(super) level: Level,
    /// The name of the block.
    pub(super) label: &'d str,
    /// Whether it is the one that is seen first, and without a script.
    pub(super) first: bool,
}

/// The name of a box in the markup.
pub(super) fn key(item: Item) -> String {
    match item {
        Item::Input(at) => format!("i{at}"),
        Item::Operator(at) => format!("o{at}"),
        Item::Block(at) => format!("b{at}"),
    }
}

/// The class of the color of a kernel: `t1`.
pub(super) fn tint(kernel: usize) -> String {
    format!("t{}", kernel % TINTS + 1)
}

pub(super) fn svg(drawing: &Drawing, sheet: &Sheet, shown: Shown<'_>) -> Html {
    let mut html = String::new();
    let (width, height) = (sheet.size.0 + 2.0 * MARGIN, sheet.size.1 + 2.0 * MARGIN);
    let view = format!("-{MARGIN} -{MARGIN} {width:.0} {height:.0}");
    let attributes = [
        ("data-block", Some(&*shown.block.to_string())),
        ("width", Some(&*format!("{width:.0}"))),
        ("height", Some(&*format!("{height:.0}"))),
        ("viewBox", Some(&*view)),
        ("role", Some("img")),
        ("aria-label", Some(shown.label)),
        // An attribute without a value would be left out.
        ("hidden", (!shown.first).then_some("hidden")),
    ];
    push_open(&mut html, "svg", &attributes);
    html.push('\n');
    let is_edge = |piece: &SheetPiece| matches!(piece, SheetPiece::Edge { .. });
    for pieces in sheet.pieces.chunk_by(|one, next| is_edge(one) == is_edge(next)) {
        let edges = pieces.first().is_some_and(is_edge);
        if edges {
            push_open(&mut html, "g", &[("class", Some("edges"))]);
        }
        for piece in pieces {
            push_piece(&mut html, drawing, piece);
            html.push('\n');
        }
        if edges {
            push_close(&mut html, "g");
        }
    }
    push_close(&mut html, "svg");
    Html::trusted(html)
}

fn push_piece(html: &mut String, drawing: &Drawing, piece: &SheetPiece) {
    match piece {
        SheetPiece::Edge { from, to, points } => push_edge(html, (*from, *to), points),
        SheetPiece::Port { label, at } => push_port(html, label, *at),
        SheetPiece::Box { item, at, size, open } => match item {
            Item::Operator(operator) => {
                if let Some(operator) = drawing.operators.get(*operator) {
                    push_operator(html, operator, key(*item), (*at, *size));
                }
            }
            Item::Block(block) => {
                if let Some(block) = drawing.blocks.get(*block) {
                    let words = (key(*item), drawing.about(block));
                    push_block(html, block, words, (*at, *size), *open);
                }
            }
            Item::Input(input) => {
                let name = drawing.inputs.get(*input).map(|input| input.name.as_str());
                push_input(html, name.unwrap_or_default(), key(*item), (*at, *size));
            }
        },
    }
}

type Point = (f64, f64);

fn push_group(html: &mut String, class: &str, key: &str, at: Point) {
    let place = format!("translate({:.0} {:.0})", at.0, at.1);
    let attributes = [("class", Some(class)), ("data-at", Some(key)), ("transform", Some(&*place))];
    push_open(html, "g", &attributes);
}

fn push_text(html: &mut String, class: Option<&str>, (x, y): Point, text: &str) {
    let (x, y) = (format!("{x:.0}"), format!("{y:.0}"));
    push_element(html, "text", &[("class", class), ("x", Some(&*x)), ("y", Some(&*y))], text);
}

fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some(_) => {
            let end = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(end, _)| end);
            Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
        }
        None => Cow::Borrowed(text),
    }
}

fn push_operator(html: &mut String, operator: &Operator, key: String, (at, (width, height)): (Point, Point)) {
    let kernel = operator.kernels.first();
    let class = match (kernel, operator.quiet) {
        (Some(kernel), _) => format!("operator {}", tint(*kernel)),
        (None, true) => "operator quiet".to_owned(),
        (None, false) => "operator".to_owned(),
    };
    push_group(html, &class, &key, at);
    push_shape(html, "path", &[("d", Some(&*format!("M0 0h{width:.0}v{height:.0}H0z")))]);
    if kernel.is_some() {
        // The bar of the color, as beside lines of source.
        push_shape(html, "path", &[("class", Some("bar")), ("d", Some(&*format!("M0 0h5v{height:.0}H0z")))]);
    }
    // The style sheet places the texts of operators: there are a thousand.
    push_element(html, "text", &[], &clipped(&operator.op, LABEL));
    if height > 30.0 {
        push_element(html, "text", &[], &clipped(&operator.shape, LABEL));
    }
    if let Some(kernel) = kernel {
        let more = if operator.kernels.len() > 1 { "+" } else { "" };
        push_text(html, Some("number"), (width - 7.0, 16.0), &format!("{}{more}", kernel + 1));
    }
    push_close(html, "g");
}

fn push_block(
    html: &mut String,
    block: &Block,
    (key, about): (String, String),
    (at, (width, height)): (Point, Point),
    open: bool,
) {
    push_group(html, if open { "block open" } else { "block" }, &key, at);
    let stack = if block.layers > 1 { STACK[0] } else { 0.0 };
    let (width, height) = (format!("{:.0}", width - stack), format!("{:.0}", height - stack));
    let size = [("width", Some(&*width)), ("height", Some(&*height)), ("rx", Some("6"))];
    for offset in STACK.iter().filter(|_| block.layers > 1) {
        let offset = offset.to_string();
        let place = [("class", Some("stack")), ("x", Some(&*offset)), ("y", Some(&*offset))];
        push_shape(html, "rect", &[&place[..], &size].concat());
    }
    push_shape(html, "rect", &size);
    let name = clipped(&block.name, LABEL);
    push_text(html, Some("name"), (11.0, 19.0), &name);
    let beside = 11.0 + name.chars().count() as f64 * 7.3 + 10.0;
    push_text(html, Some("about"), if open { (beside, 19.0) } else { (11.0, 36.0) }, &about);
    push_close(html, "g");
}

fn push_input(html: &mut String, name: &str, key: String, (at, (width, height)): (Point, Point)) {
    push_group(html, "input", &key, at);
    let (box_width, box_height) = (format!("{width:.0}"), format!("{height:.0}"));
    let size = [("width", Some(&*box_width)), ("height", Some(&*box_height)), ("rx", Some("12"))];
    push_shape(html, "rect", &size);
    push_text(html, None, (width / 2.0, 16.0), &clipped(name, LABEL));
    push_close(html, "g");
}

fn push_port(html: &mut String, label: &str, at: Point) {
    push_text(html, Some("port"), at, &clipped(label, LONGEST_PORT));
}

fn push_edge(html: &mut String, (from, to): (Option<Item>, Option<Item>), points: &[Point]) {
    let (from, to) = (from.map(key), to.map(key));
    let attributes =
        [("data-from", from.as_deref()), ("data-to", to.as_deref()), ("d", Some(&*path(points)))];
    push_shape(html, "path", &attributes);
}

/// A path that runs straight within rows, and in curves between them.
fn path(points: &[Point]) -> String {
    let Some((x, y)) = points.first() else { return String::new() };
    let mut path = format!("M{x:.0} {y:.0}");
    for pair in points.windows(2) {
        let [(from_x, from_y), (to_x, to_y)] = pair else { continue };
        path.push_str(&match (from_x - to_x).abs() < 0.6 {
            true => format!("V{to_y:.0}"),
            false => {
                let middle = (from_y + to_y) / 2.0;
                format!("C{from_x:.0} {middle:.0} {to_x:.0} {middle:.0} {to_x:.0} {to_y:.0}")
            }
        });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_straight_where_it_can_be() {
        assert_eq!(path(&[(5.0, 0.0), (5.0, 10.0), (25.0, 20.0)]), "M5 0V10C5 15 25 15 25 20");
        assert_eq!(path(&[]), "");
    }

    #[test]
    fn names_in_boxes_are_cut() {
        assert_eq!(clipped("übergrößenträger", 5), "über…");
        assert_eq!(clipped("abcde", 5), "abcde");
    }
}
