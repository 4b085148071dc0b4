//! Makes the styles and scripts of the report small, and says which hash lets a page run each script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
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

/// The text without comments and needless white space.
fn minified(file: &str, source: &str) -> Result<String, Box<dyn Error>> {
    if file.ends_with(".css") {
        return Ok(minifier::css::minify(source)?.to_string().trim().to_owned());
    }
    Ok(minifier::js::minify(source)?.to_string())
}
