//! Data for the page's script: which lines belong together.

use crate::analysis::provenance::{KernelCall, LineMaps, Provenance};
use crate::report::kit::editor::Editor;
use crate::report::kit::markup::{close, open_data, script_json};
use crate::report::pages::provenance::texts::code_words;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Data<'p> {
    maps: &'p LineMaps,
    source: Vec<SourceData<'p>>,
    kernels: Vec<KernelData>,
    /// The kernel shown first if the log names no line of the program.
    first: usize,
}

#[derive(Serialize)]
struct SourceData<'p> {
    pre: &'p [u32],
    post: &'p [u32],
    calls: Vec<usize>,
}

#[derive(Serialize)]
struct KernelData {
    label: String,
    file: &'static str,
    line: u32,
    /// Its source: file, first line and last line.
    body: Option<(&'static str, u32, u32)>,
}

/// Writes the data.
pub(crate) fn write(found: &Provenance, editor: Option<&Editor>, out: &mut dyn Write) -> anyhow::Result<()> {
    let source = found.source.iter().map(|line| SourceData {
        pre: &line.pre,
        post: &line.post,
        calls: line.calls.iter().map(|call| call + 1).collect(),
    });
    let kernels = found.kernels.iter().map(|call| KernelData {
        label: call.label(),
        file: code_words(call.file).0,
        line: call.line,
        body: call.definition.map(|body| (code_words(body.file).0, body.first, body.last)),
    });
    // The kernel with the most nodes is the best example.
    let size = |call: &KernelCall| (call.nodes.len(), call.source.len());
    let most = found.kernels.iter().enumerate().max_by_key(|(at, call)| (size(call), usize::MAX - at));
    let first = most.map_or(0, |(at, _)| at + 1);
    let data = Data { maps: &found.maps, source: source.collect(), kernels: kernels.collect(), first };
    Editor::write_pattern(editor, out)?;
    open_data(out, "maps")?;
    out.write_all(script_json(&data)?.as_bytes())?;
    Ok(close(out, "script")?)
}
