//! The names in the report of a rank that the search of its job finds.

use crate::facts::ranks::{Searched, SearchedKind, SearchedNames};
use crate::facts::{Compile, LogReport};
use crate::limits::{LONG_LINE, bounded};
use crate::model::words::{duration, file_line};

/// Adds what the report of a rank has.
pub(super) fn add(names: &mut SearchedNames, rank: u64, report: &LogReport<'_>) {
    let mut add = |kind, name: &str, href: String, detail: String| {
        let name = bounded(name, LONG_LINE).to_string();
        names.add(rank, Searched { kind, name, href }, detail);
    };
    for (at, one) in report.findings.iter().enumerate() {
        let href = format!("index.html#finding-{}", at + 1);
        add(SearchedKind::Finding, &one.title.replace('`', ""), href, place(one.file.as_deref(), one.line));
    }
    for compile in report.compiles.iter() {
        let page = page_of(compile);
        let id = compile.id.as_ref().map(|id| id.to_string()).unwrap_or_default();
        if let Some(function) = &compile.function {
            let place = place(function.file.as_deref(), function.line);
            let name = function.name.as_deref().unwrap_or("unnamed");
            add(SearchedKind::Function, name, page.clone(), format!("{id} · {place}"));
        }
        let is_listed = compile.artifacts.iter().any(|one| one.name.starts_with("inductor_output_code"));
        for (kernel, count) in &compile.kernels {
            // The page of kernels finds the row by its name.
            let row = || format!("kernels.html#find={}", bounded(kernel, LONG_LINE));
            let href = if is_listed { row() } else { page.clone() };
            add(SearchedKind::Kernel, kernel, href, format!("{id}, {count} times"));
        }
        for file in compile.artifacts.iter() {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            add(SearchedKind::File, name, file.path.to_string(), id.clone());
        }
    }
    for (at, one) in report.graph_breaks.iter().enumerate() {
        let href = format!("graph_breaks.html#break-{}", at + 1);
        add(SearchedKind::GraphBreak, &one.reason, href, place(one.file.as_deref(), one.line));
    }
    let measured = report.performance.iter().flat_map(|found| found.kernels.iter().enumerate());
    for (at, kernel) in measured {
        let name = format!("{} {}", kernel.operator.as_deref().unwrap_or_default(), kernel.name);
        let href = format!("kernels.html#kernel-{}", at + 1);
        add(SearchedKind::Measured, name.trim_start(), href, duration(kernel.sum_us));
    }
}

fn place(file: Option<&str>, line: Option<i64>) -> String {
    file.map(|file| file_line(file, line)).unwrap_or_default()
}

/// The page of a compile, which is in the folder of its first attempt; of one that has none, the first page.
fn page_of(compile: &Compile<'_>) -> String {
    match compile.attempts.first().filter(|_| !compile.is_bare()) {
        Some(attempt) => format!("{}/compile.html", attempt.dir),
        None => "index.html".to_owned(),
    }
}
