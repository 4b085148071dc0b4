//! Links to the files of a module.

use crate::model::{CompileIndex, Content};
use crate::report::doc::{Cell, own};
use crate::report::kit::paths;
use crate::report::subject::Report;
use crate::report::words::files::short_name;

/// A link to a file with its number.
pub(super) fn file<'m>(report: Report<'m>, compile: CompileIndex, at: usize) -> Cell<'m> {
    let compile = report.model.compiles.get(compile);
    let found = compile.and_then(|compile| Some((compile, compile.artifacts.get(at)?)));
    Cell::maybe(found, |(compile, artifact)| {
        let path = paths::artifact(compile, artifact, report.settings);
        let mut pieces = vec![
            Cell::File { path, name: short_name(&artifact.name).into() },
            own(artifact.number.to_string()).class("soft"),
        ];
        if matches!(&artifact.content, Content::Payload(at, _) if !at.intact) {
            pieces.push(Cell::from("damaged").class("err"));
        }
        Cell::Beside(pieces, " ")
    })
}
