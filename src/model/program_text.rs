//! Reads the text of an exported program: signature, ranges, checks, and which line calls which operator.

use super::{ProgramFacts, TextFrame};
use crate::limits::KEPT_OF_ONE;
use crate::read::fx_graph::place_comment;

/// Reads a program's text. `call` receives the operator of each call (`aten.add.Tensor`), with the user's line named above
/// it.
pub fn read_program(text: &str, mut call: impl FnMut(&str, &TextFrame)) -> ProgramFacts {
    let mut facts = ProgramFacts { lines: text.trim_end().lines().count(), ..ProgramFacts::default() };
    let mut part = ProgramSection::Graph;
    let mut place: Option<TextFrame> = None;
    for line in text.lines() {
        let line = line.trim();
        match line {
            _ if line.starts_with("Graph signature:") => part = ProgramSection::Signature,
            "# inputs" if part != ProgramSection::Graph => part = ProgramSection::Inputs,
            "# outputs" if part != ProgramSection::Graph => part = ProgramSection::Outputs,
            _ if line.starts_with("Range constraints:") => {
                part = ProgramSection::Ranges;
                ranges(line, &mut facts);
            }
            _ => match part {
                ProgramSection::Graph => graph_line(line, &mut facts, &mut place, &mut call),
                ProgramSection::Inputs | ProgramSection::Outputs => signature_line(line, part, &mut facts),
                ProgramSection::Signature | ProgramSection::Ranges => {}
            },
        }
    }
    facts
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProgramSection {
    Graph,
    Signature,
    Inputs,
    Outputs,
    Ranges,
}

fn graph_line(
    line: &str,
    facts: &mut ProgramFacts,
    place: &mut Option<TextFrame>,
    call: &mut impl FnMut(&str, &TextFrame),
) {
    if let Some(comment) = line.strip_prefix('#') {
        *place = source_comment(comment);
        return;
    }
    let Some((_, after)) = line.split_once("torch.ops.") else { return };
    let Some((operator, _)) = after.split_once('(') else { return };
    if operator.starts_with("aten._assert_scalar") {
        facts.assertions += 1;
    }
    if let Some(place) = place {
        call(operator, place);
    }
}

/// ` File: /app/m.py:20 in forward, code: k = n.item()`; None for any other comment.
pub fn source_comment(comment: &str) -> Option<TextFrame> {
    let place = place_comment(comment).filter(|_| comment.trim_start().starts_with("File: "))?;
    Some(TextFrame {
        file: place.file.to_owned(),
        line: place.line,
        function: place.function?.to_owned(),
        loc: place.code.map(str::to_owned),
    })
}

/// `p_lin_weight: PARAMETER target='lin.weight'`
fn signature_line(line: &str, part: ProgramSection, facts: &mut ProgramFacts) {
    let Some((name, kind)) = line.split_once(':') else { return };
    let list = if part == ProgramSection::Inputs { &mut facts.inputs } else { &mut facts.outputs };
    if list.len() < KEPT_OF_ONE {
        list.push((name.trim().to_owned(), kind.trim().to_owned()));
    } else {
        facts.left_out += 1;
    }
}

/// `Range constraints: {u0: VR[4, 4], u1: VR[3, int_oo]}`
fn ranges(line: &str, facts: &mut ProgramFacts) {
    let mut rest = line.split_once('{').map_or("", |(_, rest)| rest);
    while let Some((name, after)) = rest.split_once(": VR[") {
        let Some((range, after)) = after.split_once(']') else { return };
        if facts.ranges.len() < KEPT_OF_ONE {
            let name = name.trim_start_matches([',', ' ']).to_owned();
            facts.ranges.push((name, format!("[{range}]")));
        } else {
            facts.left_out += 1;
        }
        rest = after;
    }
}
