//! Two texts in two columns: equal lines are folded, differing lines and words are marked.

use crate::analysis::two_columns::{ColumnRow, Columns, Line, changed_words};
use crate::limits::LONGEST_VALUE;
use crate::report::kit::formats::{clipped, counted};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, write_line};
use std::io::Write;

/// Unfolded equal lines next to a change, and the shortest folded run of lines.
const CONTEXT: usize = 3;
const SHORTEST_FOLD: usize = 4;

/// Bytes of markup left for the page.
pub(crate) struct Room(pub usize);

/// A side of a row.
struct Cell<'t> {
    line: Option<Line<'t>>,
    other: Option<Line<'t>>,
    class: &'static str,
    sign: &'static str,
}

/// Writes two texts below their heads, as far as there is room, and returns how many rows were left out.
pub(crate) fn side_by_side(
    (label, heads): (&str, [Html; 2]),
    columns: &Columns<'_>,
    (room, out): (&mut Room, &mut dyn Write),
) -> anyhow::Result<usize> {
    write_line(out, &Element::new("div").class("sides").region(label).open())?;
    let heads = heads.map(|head| Element::new("div").around(head));
    write_line(out, &Element::new("div").class("sides-head").around(Html::joined(heads, "")))?;
    let left_out = write(columns, room, out)?;
    close(out, "div")?;
    Ok(left_out)
}

fn write(columns: &Columns<'_>, room: &mut Room, out: &mut dyn Write) -> anyhow::Result<usize> {
    let mut rest = columns.rows.as_slice();
    let mut first = true;
    while let Some(row) = rest.first() {
        let run = rest.iter().take_while(|other| other.equal == row.equal).count();
        let (rows, after) = rest.split_at(run);
        let left_out = match row.equal {
            true => equal(rows, [first, after.is_empty()], room, out)?,
            false => drawn(rows, room, out)?,
        };
        if left_out > 0 {
            return Ok(left_out + after.len());
        }
        (rest, first) = (after, false);
    }
    Ok(0)
}

/// Equal lines, folded except next to a change.
fn equal(
    rows: &[ColumnRow<'_>],
    [first, last]: [bool; 2],
    room: &mut Room,
    out: &mut dyn Write,
) -> anyhow::Result<usize> {
    let start = if first { 0 } else { CONTEXT.min(rows.len()) };
    let end = if last { rows.len() } else { rows.len().saturating_sub(CONTEXT) };
    if end < start + SHORTEST_FOLD {
        return drawn(rows, room, out);
    }
    let (before, rest) = rows.split_at(start);
    let (folded, after) = rest.split_at(end - start);
    let mut left_out = drawn(before, room, out)?;
    write_line(out, &Element::new("details").class("equal-lines").open())?;
    let words = counted(folded.len(), "equal line", "equal lines");
    write_line(out, &Element::new("summary").class("fold-row").around(words))?;
    left_out += drawn(folded, room, out)?;
    close(out, "details")?;
    left_out += drawn(after, room, out)?;
    Ok(left_out)
}

/// Writes rows while there is room, and returns how many were left out.
fn drawn(rows: &[ColumnRow<'_>], room: &mut Room, out: &mut dyn Write) -> anyhow::Result<usize> {
    for (at, row) in rows.iter().enumerate() {
        let drawn = pair(row);
        let Some(rest) = room.0.checked_sub(drawn.as_str().len()) else { return Ok(rows.len() - at) };
        room.0 = rest;
        write_line(out, &drawn)?;
    }
    Ok(0)
}

fn pair(row: &ColumnRow<'_>) -> Html {
    let (left, right) = match row.equal {
        true => (("", ""), ("", "")),
        false => (("old", "−"), ("new", "+")),
    };
    let cell = |line, other, (class, sign)| Cell { line, other, class, sign };
    let sides = [cell(row.left, row.right, left), cell(row.right, row.left, right)];
    Element::new("div").class("pair").around(Html::joined(sides.map(|side| side.html(row.equal)), ""))
}

impl Cell<'_> {
    fn html(&self, equal: bool) -> Html {
        let Some(line) = self.line else { return Element::new("div").class("one-side filler").empty() };
        let class =
            if self.class.is_empty() { "one-side".to_owned() } else { format!("one-side {}", self.class) };
        let drawn = Element::new("div").class(&class).attribute("data-n", &line.number.to_string());
        let drawn = if self.sign.is_empty() { drawn } else { drawn.attribute("data-sign", self.sign) };
        let (text, cut) = clipped(line.text, LONGEST_VALUE);
        let pieces = match self.other.filter(|_| !equal && !cut) {
            Some(other) => changed_words(text, other.text),
            None => vec![(false, text)],
        };
        let mark = |(changed, piece): (bool, &str)| match changed {
            true => Element::new("b").around(piece),
            false => Html::escaped(piece),
        };
        let mut pieces: Vec<Html> = pieces.into_iter().map(mark).collect();
        pieces.extend(cut.then(|| Html::escaped("…")));
        drawn.around(Html::joined(pieces, ""))
    }
}
