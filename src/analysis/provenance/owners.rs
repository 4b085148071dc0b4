//! The lines of the program for each line of a run's texts. A pane shows them before anything is selected, so they follow
//! the same links as a selection: a line belongs to all lines of the program that lead to it.

use super::{CodeKind, KernelBody, LineMap, Provenance};
use std::collections::{BTreeMap, BTreeSet};

/// For each line of a text, from 1: places in [`Provenance::source`], ascending.
pub type Owners = BTreeMap<u32, Vec<usize>>;

/// The owners of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineOwners {
    /// For the pre-grad graph.
    pub pre: Owners,
    /// For the post-grad graph.
    pub post: Owners,
    /// For each call in [`Provenance::kernels`].
    pub kernels: Vec<Vec<usize>>,
    /// For lines that call kernels, by file.
    calls: BTreeMap<CodeKind, Owners>,
    /// For the sources of kernels, by where they begin.
    bodies: BTreeMap<BodyStart, OwnedBody>,
}

/// Where a kernel's source begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BodyStart {
    file: CodeKind,
    line: u32,
}

/// A kernel's source; all of it has the same owners.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OwnedBody {
    last: u32,
    owners: Vec<usize>,
}

impl LineOwners {
    /// The owners of a line of code that calls a kernel or is in the source of one.
    pub fn of_code(&self, file: CodeKind, line: u32) -> &[usize] {
        if let Some(owners) = self.calls.get(&file).and_then(|lines| lines.get(&line)) {
            return owners;
        }
        self.body(file, line).map(|body| body.owners.as_slice()).unwrap_or_default()
    }

    /// Whether a line of code is in the source of a kernel.
    pub fn is_in_kernel(&self, file: CodeKind, line: u32) -> bool {
        self.body(file, line).is_some()
    }

    /// The kernel source that contains a line.
    fn body(&self, file: CodeKind, line: u32) -> Option<&OwnedBody> {
        let (start, body) = self.bodies.range(..=BodyStart { file, line }).next_back()?;
        (start.file == file && line <= body.last).then_some(body)
    }
}

type Sets = BTreeMap<u32, BTreeSet<usize>>;

/// The owners of the lines of a run.
pub fn line_owners(found: &Provenance) -> LineOwners {
    let (mut pre, mut post) = (Sets::new(), Sets::new());
    for (source, line) in found.source.iter().enumerate() {
        line.pre.iter().for_each(|at| _ = pre.entry(*at).or_default().insert(source));
        line.post.iter().for_each(|at| _ = post.entry(*at).or_default().insert(source));
    }
    pass_on(&pre, &found.maps.pre_to_post, &mut post);
    let mut calls: BTreeMap<CodeKind, Sets> = BTreeMap::new();
    for call in &found.kernels {
        calls.entry(call.file).or_default().entry(call.line).or_default().extend(&call.source);
    }
    let maps =
        [(CodeKind::Python, &found.maps.post_to_py_code), (CodeKind::Cpp, &found.maps.post_to_cpp_code)];
    for (file, map) in maps {
        pass_on(&post, map, calls.entry(file).or_default());
    }
    let kernels: Vec<Vec<usize>> = found
        .kernels
        .iter()
        .map(|call| {
            let sets = calls.get(&call.file).and_then(|lines| lines.get(&call.line));
            sets.map(|set| set.iter().copied().collect()).unwrap_or_default()
        })
        .collect();
    let bodies = bodies(found, &kernels);
    let calls = calls.into_iter().map(|(file, sets)| (file, lists(sets))).collect();
    LineOwners { pre: lists(pre), post: lists(post), kernels, calls, bodies }
}

/// Adds the owners of each line to the lines that it maps to.
fn pass_on(from: &Sets, map: &LineMap, to: &mut Sets) {
    for (line, targets) in map {
        let Some(owners) = from.get(line) else { continue };
        targets.iter().for_each(|target| to.entry(*target).or_default().extend(owners));
    }
}

/// The sources of kernels, each with the owners of all its calls.
fn bodies(found: &Provenance, kernels: &[Vec<usize>]) -> BTreeMap<BodyStart, OwnedBody> {
    let mut bodies: BTreeMap<BodyStart, OwnedBody> = BTreeMap::new();
    for (call, owners) in found.kernels.iter().zip(kernels) {
        if let Some(KernelBody { file, first, last }) = call.definition {
            let start = BodyStart { file, line: first };
            let body = bodies.entry(start).or_insert(OwnedBody { last, owners: Vec::new() });
            body.owners.extend(owners);
        }
    }
    for body in bodies.values_mut() {
        body.owners.sort_unstable();
        body.owners.dedup();
    }
    bodies
}

fn lists(sets: Sets) -> Owners {
    let owned = sets.into_iter().filter(|(_, owners)| !owners.is_empty());
    owned.map(|(line, owners)| (line, owners.into_iter().collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::provenance::{KernelCall, LineMaps, SourceLine};

    fn call(line: u32, source: Vec<usize>) -> KernelCall {
        let body = KernelBody { file: CodeKind::Python, first: 10, last: 12 };
        KernelCall { line, definition: Some(body), source, ..KernelCall::default() }
    }

    /// Two lines of the program; the second has no comment in the post-grad graph, only a mapped node.
    fn run() -> Provenance {
        let line = |pre: &[u32], post: &[u32]| SourceLine {
            pre: pre.to_vec(),
            post: post.to_vec(),
            ..SourceLine::default()
        };
        Provenance {
            source: vec![line(&[3], &[5]), line(&[4], &[])],
            maps: LineMaps {
                pre_to_post: LineMap::from([(4, vec![6, 7])]),
                post_to_py_code: LineMap::from([(6, vec![40])]),
                ..LineMaps::default()
            },
            kernels: vec![call(40, vec![0]), call(41, Vec::new())],
            ..Provenance::default()
        }
    }

    #[test]
    fn a_line_belongs_to_every_line_of_the_program_that_leads_to_it() {
        let owners = line_owners(&run());
        assert_eq!(owners.pre, Owners::from([(3, vec![0]), (4, vec![1])]));
        assert_eq!(owners.post, Owners::from([(5, vec![0]), (6, vec![1]), (7, vec![1])]));
        assert_eq!(owners.kernels, [vec![0, 1], vec![]]);
    }

    #[test]
    fn the_whole_source_of_a_kernel_belongs_to_the_lines_of_its_calls() {
        let owners = line_owners(&run());
        for line in [10, 11, 12, 40] {
            assert_eq!(owners.of_code(CodeKind::Python, line), [0, 1], "{line}");
        }
        for line in [9, 13, 41] {
            assert!(owners.of_code(CodeKind::Python, line).is_empty(), "{line}");
        }
        assert!(owners.of_code(CodeKind::Cpp, 11).is_empty());
    }
}
