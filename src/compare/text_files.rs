//! Files of a report with graphs and generated code.

use crate::analysis::CodeText;
use crate::facts as log;
use crate::limits::NAMED;
use crate::rel_path::RelPath;

/// Kind of a text of a compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextKind {
    /// The graph that Dynamo captured.
    Captured,
    /// The graph that is lowered.
    PostGrad,
    /// What Inductor wrote.
    Code,
}

impl TextKind {
    /// All kinds, in the order of compilation.
    pub const ALL: [TextKind; 3] = [TextKind::Captured, TextKind::PostGrad, TextKind::Code];

    fn named(name: &str) -> Option<TextKind> {
        match name {
            "dynamo_output_graph" => Some(TextKind::Captured),
            "inductor_post_grad_graph" | "after_post_grad_graph" => Some(TextKind::PostGrad),
            _ if name.starts_with("inductor_output_code") => Some(TextKind::Code),
            _ => None,
        }
    }
}

/// A file with a text of a compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// What it is.
    pub kind: TextKind,
    /// Its path in the report of its log.
    pub path: RelPath,
}

/// The file with the guards of the compile's last attempt.
pub(super) fn guards(compile: &log::Compile<'_>) -> Option<RelPath> {
    let known = compile.artifacts.iter().filter(|one| CodeText::Guards.is_in(&one.name));
    RelPath::new(&known.max_by_key(|one| one.attempt)?.path)
}

/// The files of the compile's last attempt; earlier attempts were discarded.
pub(super) fn files(compile: &log::Compile<'_>) -> Vec<TextFile> {
    let known = compile.artifacts.iter().filter_map(|one| Some((TextKind::named(&one.name)?, one)));
    let known: Vec<(TextKind, &log::Artifact<'_>)> = known.collect();
    let last = known.iter().filter_map(|(_, one)| one.attempt).max();
    let mut files: Vec<TextFile> = Vec::new();
    for (kind, one) in known.into_iter().filter(|(_, one)| one.attempt == last) {
        let of_kind = files.iter().filter(|file| file.kind == kind).count();
        if of_kind < NAMED
            && let Some(path) = RelPath::new(&one.path)
        {
            files.push(TextFile { kind, path });
        }
    }
    files
}
