//! Makes the styles and scripts of the report small, and says which hash lets a page run each script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_minifier::{Minifier, MinifierOptions};
use oxc_parser::Parser;
use oxc_span::SourceType;
use sha2::{Digest as _, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// Every style sheet and script a page can carry: its constant in `report::assets`, and its file.
const ASSETS: &[(&str, &str)] = &[
    ("REPORT_CSS", "report.css"),
    ("LINKS_JS", "links.js"),
    ("OPEN_JS", "open.js"),
    ("TABLES_JS", "tables.js"),
    ("FOLD_JS", "fold.js"),
    ("CODE_JS", "code.js"),
    ("FLAME_JS", "flame.js"),
    ("EXPORT_CSS", "export.css"),
    ("TIME_CSS", "time.css"),
    ("TIME_JS", "time.js"),
    ("GRAPH_CSS", "graph.css"),
    ("GRAPH_JS", "graph.js"),
    ("DIFF_JS", "diff.js"),
    ("PROVENANCE_CSS", "provenance.css"),
    ("PROVENANCE_JS", "provenance.js"),
    ("SEARCH_CSS", "search.css"),
    ("SEARCH_JS", "search.js"),
    ("JOB_CSS", "job.css"),
];

const FOLDER: &str = "src/report/assets";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let out = env::var("OUT_DIR")?;
    let mut rust = String::new();
    for (constant, file) in ASSETS {
        let source = fs::read_to_string(Path::new(FOLDER).join(file))?;
        let small = minified(file, &source)?;
        let hash = STANDARD.encode(Sha256::digest(small.as_bytes()));
        fs::write(Path::new(&out).join(file), &small)?;
        writeln!(
            rust,
            "/// `{file}`, minified.\npub const {constant}: Asset = Asset {{ name: {file:?}, \
             text: include_str!(concat!(env!(\"OUT_DIR\"), \"/{file}\")), csp_hash: \"sha256-{hash}\" }};"
        )?;
    }
    fs::write(Path::new(&out).join("assets.rs"), rust)?;
    Ok(())
}

/// The text of a style sheet without comments and needless white space; of a script, in shorter words too.
fn minified(file: &str, source: &str) -> Result<String, Box<dyn Error>> {
    if file.ends_with(".css") {
        return Ok(minifier::css::minify(source)?.to_string().trim().to_owned());
    }
    minified_script(file, source)
}

/// The script in shorter words: names of its own become letters, and what says the same in fewer letters is said so.
fn minified_script(file: &str, source: &str) -> Result<String, Box<dyn Error>> {
    let memory = Allocator::default();
    let parsed = Parser::new(&memory, source, SourceType::cjs()).parse();
    if let Some(fault) = parsed.errors.first() {
        return Err(format!("{FOLDER}/{file}: {fault}").into());
    }
    let mut program = parsed.program;
    let names = Minifier::new(MinifierOptions::default()).minify(&memory, &mut program).scoping;
    Ok(Codegen::new().with_options(CodegenOptions::minify()).with_scoping(names).build(&program).code)
}
