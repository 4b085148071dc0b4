//! The lines of the program for each line of a run's texts. A pane shows them before anything is selected, so they follow
//! the same links as a selection: a line belongs to all lines of the program that lead to it.

use super::{CodeKind, LineMap, Provenance};
use std::collections::{BTreeMap, BTreeSet};

/// A text of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunText {
    Pre,
    Post,
    Code(CodeKind),
}

/// Places in [`Provenance::source`], by the line of a text, from 1.
#[derive(Debug, Default)]
pub struct LineOwners {
    lines: BTreeMap<(RunText, u32), Vec<usize>>,
    /// Those of the sources of kernels, by file and first line; all of a source has the same owners.
    bodies: BTreeMap<(CodeKind, u32), OwnedBody>,
}

#[derive(Debug)]
struct OwnedBody {
    last: u32,
    owners: Vec<usize>,
}

impl LineOwners {
    /// The owners of a line, ascending.
    pub fn of_line(&self, text: RunText, line: u32) -> &[usize] {
        let own = self.lines.get(&(text, line));
        own.or_else(|| Some(&self.body(text, line)?.owners)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a line is in the source of a kernel.
    pub fn is_in_kernel(&self, text: RunText, line: u32) -> bool {
        self.body(text, line).is_some()
    }

    fn body(&self, text: RunText, line: u32) -> Option<&OwnedBody> {
        let RunText::Code(file) = text else { return None };
        let ((of, _), body) = self.bodies.range(..=(file, line)).next_back()?;
        (*of == file && line <= body.last).then_some(body)
    }
}

type Sets = BTreeMap<(RunText, u32), BTreeSet<usize>>;

/// The owners of the lines of a run.
pub fn line_owners(found: &Provenance) -> LineOwners {
    let mut sets = Sets::new();
    for (source, line) in found.source.iter().enumerate() {
        let pre = line.pre.iter().map(|at| (RunText::Pre, *at));
        for at in pre.chain(line.post.iter().map(|at| (RunText::Post, *at))) {
            sets.entry(at).or_default().insert(source);
        }
    }
    pass_on(&mut sets, (RunText::Pre, &found.maps.pre_to_post), RunText::Post);
    let code = |file, line| (RunText::Code(file), line);
    for call in &found.kernels {
        sets.entry(code(call.file, call.line)).or_default().extend(&call.source);
    }
    pass_on(&mut sets, (RunText::Post, &found.maps.post_to_py_code), RunText::Code(CodeKind::Python));
    pass_on(&mut sets, (RunText::Post, &found.maps.post_to_cpp_code), RunText::Code(CodeKind::Cpp));
    let lists = sets.into_iter().filter(|(_, owners)| !owners.is_empty());
    let lines = lists.map(|(line, owners)| (line, owners.into_iter().collect())).collect();
    let mut owners = LineOwners { lines, ..LineOwners::default() };
    for call in &found.kernels {
        let Some(body) = call.definition else { continue };
        let of_call = owners.lines.get(&code(call.file, call.line));
        let new = OwnedBody { last: body.last, owners: Vec::new() };
        let known = owners.bodies.entry((body.file, body.first)).or_insert(new);
        known.owners.extend(of_call.into_iter().flatten());
    }
    for body in owners.bodies.values_mut() {
        body.owners.sort_unstable();
        body.owners.dedup();
    }
    owners
}

/// Adds the owners of each line of a text to the lines of another one that it maps to.
fn pass_on(sets: &mut Sets, (from, map): (RunText, &LineMap), to: RunText) {
    for (line, targets) in map {
        let Some(owners) = sets.get(&(from, *line)).cloned() else { continue };
        targets.iter().for_each(|target| sets.entry((to, *target)).or_default().extend(&owners));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::provenance::{KernelBody, KernelCall, LineMaps, SourceLine};

    #[test]
    fn a_line_belongs_to_every_line_of_the_program_that_leads_to_it_and_a_kernel_to_those_of_its_calls() {
        let line = |pre: &[u32], post: &[u32]| SourceLine {
            pre: pre.to_vec(),
            post: post.to_vec(),
            ..SourceLine::default()
        };
        let body = KernelBody { file: CodeKind::Python, first: 10, last: 12 };
        let call =
            |line, source| KernelCall { line, definition: Some(body), source, ..KernelCall::default() };
        // The second line has no comment in the post-grad graph, only a mapped node.
        let owners = line_owners(&Provenance {
            source: vec![line(&[3], &[5]), line(&[4], &[])],
            maps: LineMaps {
                pre_to_post: LineMap::from([(4, vec![6, 7])]),
                post_to_py_code: LineMap::from([(6, vec![40])]),
                ..LineMaps::default()
            },
            kernels: vec![call(40, vec![0]), call(41, Vec::new())],
            ..Provenance::default()
        });
        let has = |text, lines: &[u32], expected: &[usize]| {
            lines
                .iter()
                .for_each(|line| assert_eq!(owners.of_line(text, *line), expected, "{text:?} {line}"));
        };
        has(RunText::Pre, &[3], &[0]);
        has(RunText::Pre, &[4], &[1]);
        has(RunText::Post, &[5], &[0]);
        has(RunText::Post, &[6, 7], &[1]);
        has(RunText::Code(CodeKind::Python), &[10, 11, 12, 40], &[0, 1]);
        has(RunText::Code(CodeKind::Python), &[9, 13, 41], &[]);
        has(RunText::Code(CodeKind::Cpp), &[11], &[]);
    }
}
