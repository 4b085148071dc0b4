//! Programs that were written against upstream's library, with only the dependency changed:
//! `cargo test --features upstream --test report upstream`. `tests/upstream/check_upstream` compiles them against upstream.

mod custom_parser;
mod readme;
mod upload;

use crate::support::{files_below, input, report};
use std::collections::BTreeMap;
use tempfile::TempDir;

#[test]
fn the_program_that_writes_the_files_writes_the_report_of_the_program() {
    let folder = TempDir::new().unwrap();
    let written = readme::run(&input("03_graph_breaks").path, folder.path()).unwrap();
    let expected = report("03_graph_breaks");
    assert_eq!(files_below(folder.path()), files_below(&expected.folder));
    assert_eq!(written.len(), files_below(&expected.folder).len());
    let name = "compile_directory.json";
    assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), expected.read(name));
}

#[test]
fn the_custom_parser_gets_each_record_and_its_files_are_in_the_output() {
    let files = custom_parser::run(&input("03_graph_breaks").path).unwrap();
    let (path, text) = &files[0];
    assert!(path.starts_with("-_1_0_1") && path.to_string_lossy().contains("/loud_"), "{}", path.display());
    assert!(text.contains("CLASS <LAMBDA>"), "{text:.200}");
    assert_eq!(files[1].1, "before_joint_graph of [1/0_1] has 5 lines\n");
}

#[test]
fn the_pipeline_uploads_code_as_text_and_its_header() {
    let mut store = BTreeMap::new();
    let count = upload::run(&input("01_inference").path, "jobs/7", &mut store).unwrap();
    assert_eq!(count, store.len());
    assert!(String::from_utf8_lossy(&store["jobs/7/index.html"]).contains("<p>job 7</p>"));
    assert!(store.keys().any(|key| key.contains("inductor_output_code") && !key.ends_with(".html")));
}

/// The running numbers that tlparse 0.4.8 gives to the parser. Each record makes two files, which count, and files that only
/// this version has do not; some of upstream's count twice, as they have a readable page.
#[test]
fn the_custom_parser_gets_the_running_numbers_of_upstream() {
    for (scenario, first, last) in
        [("22_vllm_new", "loud_15.txt", "loud_191.txt"), ("09_provenance", "loud_9.txt", "loud_61.txt")]
    {
        let files = custom_parser::run(&input(scenario).path).unwrap();
        let own = files.iter().filter_map(|(path, _)| path.file_name()?.to_str());
        let loud: Vec<&str> = own.filter(|name| name.starts_with("loud_")).collect();
        assert_eq!((loud[0], loud[loud.len() - 1]), (first, last), "{scenario}: {loud:?}");
    }
}
