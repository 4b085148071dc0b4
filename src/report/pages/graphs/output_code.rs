//! Lines of generated code that name the graph nodes, or the line of the user's code, that they come from.

use crate::limits::{LARGEST_TEXT, LONG_TABLE};
use crate::model::{Compile, Content, Form};
use crate::report::kit::prelude::*;
use crate::report::words::files::short_name;

/// A file of generated code.
#[derive(Serialize)]
pub(crate) struct OutputCode {
    name: String,
    number: u32,
    href: String,
    /// Line, and names of nodes: `addmm, mul`.
    nodes: Vec<(usize, String)>,
    /// Line, and the place in the user's code: `/app/x.py:6`.
    places: Vec<(usize, String)>,
}

/// The generated code of a compile, in the order of the log.
pub(crate) fn output_codes(view: View<'_>, compile: &Compile) -> anyhow::Result<Vec<OutputCode>> {
    let settings = view.report.settings;
    let mut found = Vec::new();
    // Plain text has no anchors.
    if settings.plain_text {
        return Ok(found);
    }
    for artifact in &compile.artifacts {
        let Content::Payload(at, Form::Code(_)) = &artifact.content else { continue };
        if !artifact.name.starts_with("inductor_output_code") || at.text_len > LARGEST_TEXT {
            continue;
        }
        let (nodes, places) = lines(&view.report.payload(at)?);
        if nodes.is_empty() && places.is_empty() {
            continue;
        }
        found.push(OutputCode {
            name: short_name(&artifact.name),
            number: artifact.number,
            href: view.href(&paths::artifact(compile, artifact, settings)),
            nodes,
            places,
        });
    }
    Ok(found)
}

/// Lines with names of nodes, and lines with places.
type Lines = (Vec<(usize, String)>, Vec<(usize, String)>);

fn lines(text: &str) -> Lines {
    let (mut nodes, mut places) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, comment)) = line.split_once('#') else { continue };
        if let Some((_, rest)) = comment.split_once("Source Nodes: [")
            && let Some((names, _)) = rest.split_once(']')
            && !names.is_empty()
            && nodes.len() < LONG_TABLE
        {
            nodes.push((number, names.to_owned()));
        } else if let Some((_, rest)) = comment.split_once("File: ")
            && let Some((place, _)) = rest.split_once(" in ")
            && places.len() < LONG_TABLE
        {
            places.push((number, place.to_owned()));
        }
    }
    (nodes, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_generated_code_name_nodes_and_places() {
        let code = "x = 1\n    # Topologically Sorted Source Nodes: [addmm, mul], Original ATen: [aten.t]\n\
                    #  File: /app/x.py:6 in f, code: y = x\n# Topologically Sorted Source Nodes: [], Original";
        let (nodes, places) = lines(code);
        assert_eq!(nodes, [(2, "addmm, mul".to_owned())]);
        assert_eq!(places, [(3, "/app/x.py:6".to_owned())]);
    }
}
