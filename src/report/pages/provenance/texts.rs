//! Names of a run's texts, and the file of its maps.

use crate::analysis::provenance::{CodeKind, Coverage, LineMap, SourceLine};
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::inductor_runs::texts_of;
use crate::report::subject::Report;
use serde::Serialize;
use std::io::Write;

/// Prefix of the line ids of a code file, and its name.
pub(crate) fn code_words(kind: CodeKind) -> (&'static str, &'static str) {
    match kind {
        CodeKind::Python => ("py", "Python"),
        CodeKind::Cpp => ("cpp", "C++ wrapper"),
        CodeKind::Kernels => ("kernelcode", "Kernel code"),
        CodeKind::Header => ("header", "Header"),
    }
}

/// The file beside a page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MapsFile<'p> {
    pre_to_post: &'p LineMap,
    post_to_pre: &'p LineMap,
    py_code_to_post: &'p LineMap,
    post_to_py_code: &'p LineMap,
    cpp_code_to_post: &'p LineMap,
    post_to_cpp_code: &'p LineMap,
    source: &'p [SourceLine],
    coverage: Coverage,
}

/// Writes the maps of a run as JSON.
pub(crate) fn write_maps(report: Report<'_>, run: &Run<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let found = texts_of(report, run)?.provenance();
    let file = MapsFile {
        pre_to_post: &found.maps.pre_to_post,
        post_to_pre: &found.maps.post_to_pre,
        py_code_to_post: &found.maps.py_code_to_post,
        post_to_py_code: &found.maps.post_to_py_code,
        cpp_code_to_post: &found.maps.cpp_code_to_post,
        post_to_cpp_code: &found.maps.post_to_cpp_code,
        source: &found.source,
        coverage: found.coverage,
    };
    serde_json::to_writer(&mut *out, &file)?;
    Ok(out.write_all(b"\n")?)
}
