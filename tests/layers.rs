//! The directions of data in the source tree: which folder may use which, that pages do not know each other, and that no
//! files import each other in a circle.

use crate::support::imports::{Arrow, Modules, circles, told};
use crate::support::sources::{SourceFile, sources};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// What the files below `src` take from each other.
fn arrows() -> &'static [Arrow] {
    static ARROWS: OnceLock<Vec<Arrow>> = OnceLock::new();
    ARROWS.get_or_init(|| {
        let files = sources().iter().map(|source| (source.path.as_str(), source.code.as_str()));
        Modules::of(files).arrows()
    })
}

/// The folder or file at the top of `src` that a path is in: `report` for `report/kit/html.rs`, `options` for
/// `options.rs`.
fn top(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The library's folders and single files, each with those that it may use. What main.rs and lib.rs may use is not
/// limited.
const LAYERS: [(&str, &[&str]); 23] = [
    ("cases", &[]),
    ("hidden", &[]),
    ("rel_path", &["hidden"]),
    ("limits", &[]),
    ("system", &[]),
    ("report_folder", &["rel_path", "limits", "system"]),
    ("trace", &["limits", "system", "hidden", "report_folder"]),
    ("read", &["trace", "limits"]),
    ("model", &["trace", "read", "rel_path", "limits", "hidden"]),
    ("profile", &["trace", "model", "limits"]),
    ("events", &["trace", "model", "read", "rel_path", "limits"]),
    ("facts", &["trace", "model", "rel_path", "limits", "hidden", "report_folder"]),
    ("analysis", &["trace", "model", "read", "facts", "limits"]),
    ("compare", &["trace", "model", "read", "analysis", "facts", "rel_path", "limits", "report_folder"]),
    ("show", &["report", "facts", "model", "rel_path", "limits", "hidden", "report_folder"]),
    ("source_tree", &["analysis", "model", "limits"]),
    ("drop_in", &["facts", "trace"]),
    ("output", &["rel_path", "limits", "system", "report_folder"]),
    (
        "report",
        &[
            "trace",
            "model",
            "read",
            "analysis",
            "facts",
            "compare",
            "output",
            "source_tree",
            "rel_path",
            "limits",
            "hidden",
        ],
    ),
    ("options", &["trace", "facts", "report", "output", "compare", "source_tree", "report_folder"]),
    (
        "job",
        &[
            "trace",
            "model",
            "read",
            "events",
            "analysis",
            "output",
            "report",
            "options",
            "rel_path",
            "facts",
            "limits",
            "report_folder",
        ],
    ),
    (
        "run",
        &[
            "trace",
            "model",
            "events",
            "analysis",
            "output",
            "report",
            "job",
            "options",
            "profile",
            "rel_path",
            "limits",
            "report_folder",
        ],
    ),
    (
        "check",
        &[
            "model",
            "analysis",
            "output",
            "report",
            "job",
            "source_tree",
            "facts",
            "compare",
            "limits",
            "hidden",
            "report_folder",
        ],
    ),
];

/// The program, which may use the library as its other users do.
const PROGRAM: [&str; 2] = ["main", "program"];

#[test]
fn each_folder_knows_only_those_before_it() {
    let tops: BTreeSet<&str> = sources().iter().map(|source| top(&source.path)).collect();
    let named: BTreeSet<&str> = LAYERS.iter().map(|(name, _)| *name).chain(PROGRAM).chain(["lib"]).collect();
    assert_eq!(tops, named, "each folder and file at the top of src has its place in LAYERS");
    for (name, may_use) in LAYERS {
        for arrow in arrows().iter().filter(|arrow| top(&arrow.from) == name) {
            let other = top(&arrow.to);
            assert!(
                other == name || may_use.contains(&other),
                "{} takes {} from {}",
                arrow.from,
                arrow.name,
                arrow.to
            );
        }
    }
}

/// No file of `folder` may take anything from these places (folders end with `/`).
fn knows_nothing_of(folder: &str, places: &[&str]) {
    assert!(sources().iter().any(|source| source.path.starts_with(folder)), "there is no {folder}");
    for arrow in arrows().iter().filter(|arrow| arrow.from.starts_with(folder)) {
        let known = places.iter().any(|place| is_in(&arrow.to, place));
        assert!(!known, "{} takes {} from {}", arrow.from, arrow.name, arrow.to);
    }
}

fn is_in(path: &str, place: &str) -> bool {
    path == place || (place.ends_with('/') && path.starts_with(place))
}

/// Everything in `report` but `kit` and `words`.
const PAGES_AND_DATA: [&str; 6] =
    ["report/pages/", "report/job/", "report/data/", "report/mod.rs", "report/site.rs", "report/terminal.rs"];

#[test]
fn the_kit_knows_no_page() {
    knows_nothing_of("report/kit/", &PAGES_AND_DATA);
}

#[test]
fn words_know_no_page() {
    knows_nothing_of("report/words/", &PAGES_AND_DATA);
}

/// The page that a file of `report/pages` belongs to: a file there, or a folder.
fn page_of(path: &str) -> Option<&str> {
    let below = path.strip_prefix("report/pages/")?;
    let page = below.split('/').next()?.trim_end_matches(".rs");
    (page != "mod").then_some(page)
}

#[test]
fn no_page_knows_another() {
    let pages: BTreeSet<&str> = sources().iter().filter_map(|source| page_of(&source.path)).collect();
    assert!(pages.len() > 10, "{pages:?}");
    for arrow in arrows() {
        if let (Some(from), Some(to)) = (page_of(&arrow.from), page_of(&arrow.to)) {
            assert!(from == to, "{} takes {} from {}", arrow.from, arrow.name, arrow.to);
        }
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let found = told(arrows());
    assert!(found.is_empty(), "files that import each other in a circle:\n{}", found.join("\n"));
}

/// The arrows between made-up files, as `from -> to: name`.
fn arrows_of(files: &[(&str, &str)]) -> Vec<Arrow> {
    let files: Vec<SourceFile> =
        files.iter().map(|(path, text)| SourceFile::new((*path).to_owned(), (*text).to_owned())).collect();
    Modules::of(files.iter().map(|file| (file.path.as_str(), file.code.as_str()))).arrows()
}

fn shown(arrows: &[Arrow]) -> Vec<String> {
    arrows.iter().map(|arrow| format!("{} -> {}: {}", arrow.from, arrow.to, arrow.name)).collect()
}

#[test]
fn a_circle_is_found_through_a_file_between_and_printed_with_its_names() {
    let arrows = arrows_of(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b::start;\npub struct Plan;\npub fn make() { start() }"),
        ("b.rs", "pub fn start() { super::c::next(); }"),
        ("c.rs", "use crate::{a::{Plan, make as build}, d::Leaf};\npub fn next() { build() }"),
        ("d.rs", "pub struct Leaf;"),
    ]);
    assert_eq!(circles(&arrows), [["a.rs", "b.rs", "c.rs"]]);
    assert_eq!(
        told(&arrows),
        [
            "3 files: a.rs, b.rs, c.rs",
            "  a.rs -> b.rs: start",
            "  b.rs -> c.rs: next",
            "  c.rs -> a.rs: Plan, make"
        ]
    );
}

#[test]
fn names_are_followed_through_re_exports_to_the_file_that_defines_them() {
    let shared = "mod shared; mod child; pub use shared::Shared;\npub fn all() { child::one() }";
    let arrows = arrows_of(&[
        ("lib.rs", "mod folder; mod user; pub use folder::Shared as Known;"),
        ("folder/mod.rs", shared),
        ("folder/shared.rs", "pub struct Shared;"),
        ("folder/child.rs", "use super::Shared;\npub fn one() { Shared::new() }"),
        (
            "user.rs",
            "use crate::folder::{self, all};\nfn f() { all(); folder::Shared::new(); crate::Known::new(); }",
        ),
    ]);
    assert_eq!(
        shown(&arrows),
        [
            "folder/child.rs -> folder/shared.rs: Shared",
            "folder/mod.rs -> folder/child.rs: one",
            "folder/mod.rs -> folder/shared.rs: Shared",
            "lib.rs -> folder/shared.rs: Shared",
            "user.rs -> folder/mod.rs: all",
            "user.rs -> folder/shared.rs: Shared",
        ]
    );
    assert!(circles(&arrows).is_empty(), "what a child takes through its parent is not the parent's");
    // The same with the type in the parent is a circle.
    let inside = "mod child;\npub struct Shared;\npub fn all() { child::one() }";
    let arrows = arrows_of(&[
        ("folder/mod.rs", inside),
        ("folder/child.rs", "use super::Shared;\npub fn one() { Shared::new() }"),
    ]);
    assert_eq!(circles(&arrows), [["folder/child.rs", "folder/mod.rs"]]);
}

#[test]
fn only_code_of_the_program_makes_arrows() {
    let text = r##"
        // use crate::b::Comment;
        /// [`crate::b::Doc`]
        pub(in crate::b) fn plain() -> &'static str { let c = '"'; "crate::b::text()" }
        #[cfg(test)]
        use crate::b::ForTests;
        #[cfg(test)]
        fn helper() { crate::b::test_only(); }
        pub fn real() { let raw = r#"crate::b::raw()"#; std::mem::drop(raw); write!(out, "{}", crate::b::LIMIT); }
    "##;
    let tests = "\n#[cfg(test)]\nmod tests {\n    use crate::b::InTests;\n}\n";
    let arrows = arrows_of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", &format!("{text}{tests}")),
        ("b.rs", "pub const LIMIT: usize = 1;\npub struct InTests;"),
    ]);
    assert_eq!(shown(&arrows), ["a.rs -> b.rs: LIMIT"]);
}

#[test]
fn modules_and_functions_of_the_same_name_are_distinguished_and_globs_are_resolved() {
    let arrows = arrows_of(&[
        ("lib.rs", "mod summary; mod kinds; mod user;"),
        ("summary/mod.rs", "mod summary; pub use summary::*;"),
        ("summary/summary.rs", "pub fn summary() {}"),
        ("kinds.rs", "pub enum Kind { One }"),
        ("user.rs", "use crate::summary;\nfn f() { use crate::kinds::Kind::*; summary::summary(); }"),
    ]);
    assert_eq!(shown(&arrows), ["user.rs -> kinds.rs: Kind", "user.rs -> summary/summary.rs: summary"]);
}

#[test]
fn the_program_takes_from_the_library_by_its_name() {
    let arrows = arrows_of(&[
        ("lib.rs", "pub mod model; mod cli_names;"),
        ("model.rs", "pub struct Model;"),
        ("main.rs", "mod cli;\nuse cli::Cli;\nfn main() { tlparse::model::Model::new() }"),
        ("cli.rs", "pub struct Cli;\nfn f() { super::main() }"),
    ]);
    assert_eq!(
        shown(&arrows),
        ["cli.rs -> main.rs: main", "main.rs -> cli.rs: Cli", "main.rs -> model.rs: Model"]
    );
}
