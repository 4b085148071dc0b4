//! The styles and scripts of a page, and the Content-Security-Policy that lets exactly these run.
//!
//! The files are in `assets/` and are embedded unchanged.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};
use std::sync::LazyLock;

/// A style sheet or a script.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// File name; its extension says which of the two it is: `report.css`, `links.js`.
    pub name: &'static str,
    /// The file's content. Written verbatim: it never passes through a template.
    pub text: &'static str,
    /// The source expression with which a policy allows this script, computed once.
    csp_hash: fn() -> &'static str,
}

/// The hashes of all scripts, one per line with the file name. A test compares them, or updates them with
/// `INSTA_UPDATE=always`. Computing them at run time took a tenth of the time of a short log.
const HASHES: &str = include_str!("script_hashes.txt");

impl Asset {
    /// Writes the asset's element, which contains exactly the hashed bytes.
    pub fn write_element(&self, out: &mut dyn Write) -> io::Result<()> {
        let (open, close) = match self.is_style() {
            true => ("<style>", "</style>\n"),
            false => ("<script>", "</script>\n"),
        };
        out.write_all(open.as_bytes())?;
        out.write_all(self.text.as_bytes())?;
        out.write_all(close.as_bytes())
    }

    /// Whether it is a style sheet.
    pub fn is_style(&self) -> bool {
        self.name.ends_with(".css")
    }

    /// The source expression with which a policy allows this script: `sha256-` and the hash in base64.
    pub fn csp_hash(&self) -> &'static str {
        (self.csp_hash)()
    }
}

/// The stored hash of a script.
fn stored_hash(name: &str) -> Option<&'static str> {
    let mut lines = HASHES.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, of)| *of == name).map(|(hash, _)| hash)
}

/// The stored hash of a script. Debug builds compute it, so that edited scripts run.
fn known_hash(name: &str, text: &str) -> String {
    let stored = stored_hash(name).filter(|_| !cfg!(debug_assertions));
    stored.map_or_else(|| script_hash(text), str::to_owned)
}

/// Every style sheet and script: its constant, and its file in `assets/`.
macro_rules! assets {
    ($($constant:ident = $file:literal),* $(,)?) => {
        $(
            #[doc = concat!("`assets/", $file, "`")]
            pub const $constant: Asset = Asset {
                name: $file,
                text: include_str!(concat!("assets/", $file)),
                csp_hash: || {
                    static HASH: LazyLock<String> =
                        LazyLock::new(|| known_hash($file, include_str!(concat!("assets/", $file))));
                    &HASH
                },
            };
        )*
        /// All of them.
        #[cfg(test)]
        const ALL: &[Asset] = &[$($constant),*];
    };
}

assets! {
    BASE_CSS = "base.css",
    REPORT_CSS = "report.css",
    VALUES_CSS = "values.css",
    FINDINGS_CSS = "findings.css",
    COMPILE_CSS = "compile.css",
    CODE_CSS = "code.css",
    LANDING_CSS = "landing.css",
    FAILURES_CSS = "failures.css",
    COMMON_JS = "common.js",
    FIRST_THAT_JS = "first_that.js",
    SEARCH_KEY_JS = "search_key.js",
    TABS_JS = "tabs.js",
    COPY_JS = "copy.js",
    LINKS_JS = "links.js",
    OPEN_JS = "open.js",
    TABLES_JS = "tables.js",
    FILTERS_JS = "filters.js",
    FOLD_JS = "fold.js",
    BACK_JS = "back.js",
    CODE_JS = "code.js",
    EDITOR_JS = "editor.js",
    TIME_CSS = "time.css",
    TIME_DATA_JS = "time_data.js",
    TIME_WORDS_JS = "time_words.js",
    TIME_DRAW_JS = "time_draw.js",
    TIME_JS = "time.js",
    PERFETTO_JS = "perfetto.js",
    GRAPH_CSS = "graph.css",
    GRAPH_TEXT_JS = "graph_text.js",
    GRAPH_PARTS_JS = "graph_parts.js",
    GRAPH_JS = "graph.js",
    SIDES_CSS = "sides.css",
    DIFF_JS = "diff.js",
    SIDES_JS = "sides.js",
    DRAWN_CSS = "drawn.css",
    DRAWN_JS = "drawn.js",
    TINTS_CSS = "tints.css",
    PROVENANCE_CSS = "provenance.css",
    PROVENANCE_LINES_JS = "provenance_lines.js",
    PROVENANCE_JS = "provenance.js",
    SEARCH_CSS = "search.css",
    SEARCH_JS = "search.js",
    JOB_CSS = "job.css",
    PERFORMANCE_CSS = "performance.css",
    PERFORMANCE_JS = "performance.js",
    HEAT_CSS = "heat.css",
    RANKS_JS = "ranks.js",
    SOURCE_CSS = "source.css",
    SOURCE_JS = "source.js",
    COMPARE_CSS = "compare.css",
    CHANGES_JS = "changes.js",
}

/// The style sheets and scripts of a page.
#[derive(Debug, Clone, Copy)]
pub struct Bundle {
    /// In page order, in groups; a later style sheet overrides an earlier one.
    pub styles: &'static [&'static [Asset]],
    /// In the order in which they run, in groups: the script of tables hides rows before another one shows the row in
    /// the address.
    pub scripts: &'static [&'static [Asset]],
}

impl Bundle {
    /// Its style sheets in page order.
    pub fn styles(&self) -> impl Iterator<Item = &'static Asset> + Clone {
        self.styles.iter().copied().flatten()
    }

    /// Its scripts in the order in which they run.
    pub fn scripts(&self) -> impl Iterator<Item = &'static Asset> + Clone {
        self.scripts.iter().copied().flatten()
    }
}

/// Style sheets of pages with tables and facts.
const REPORT_STYLES: &[Asset] = &[BASE_CSS, VALUES_CSS, REPORT_CSS];

/// Scripts of pages with tabs and tables that can be sorted and filtered.
const TABLE_SCRIPTS: &[Asset] = &[COMMON_JS, TABS_JS, SEARCH_KEY_JS, TABLES_JS, FILTERS_JS, FOLD_JS];

/// Scripts that follow links to anchors within folds and long tables.
const LINK_SCRIPTS: &[Asset] = &[OPEN_JS, LINKS_JS];

/// An ordinary page at the top of a report.
pub const PAGE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[FINDINGS_CSS]],
    scripts: &[TABLE_SCRIPTS, &[COPY_JS, BACK_JS], LINK_SCRIPTS],
};

/// The page of a compile: there is one per compile, without findings and filters.
pub const COMPILE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[COMPILE_CSS]],
    scripts: &[&[COMMON_JS, TABS_JS, SEARCH_KEY_JS, TABLES_JS, FOLD_JS, COPY_JS], LINK_SCRIPTS],
};

/// The page of a compile whose tables are too short to be sorted or capped.
pub const COMPILE_SHORT: Bundle =
    Bundle { scripts: &[&[COMMON_JS, TABS_JS, SEARCH_KEY_JS, FOLD_JS, COPY_JS], LINK_SCRIPTS], ..COMPILE };

/// Pages of metrics records: there are at least as many as compiles, and no page links to their values.
pub const RECORD: Bundle =
    Bundle { styles: &[&[BASE_CSS, VALUES_CSS]], scripts: &[&[COMMON_JS, SEARCH_KEY_JS, LINKS_JS]] };

/// Pages of code, which are many and have no tables.
pub const CODE: Bundle = Bundle {
    styles: &[&[BASE_CSS, CODE_CSS]],
    scripts: &[&[COMMON_JS, SEARCH_KEY_JS, CODE_JS], LINK_SCRIPTS],
};

pub const LANDING: Bundle = Bundle { styles: &[REPORT_STYLES, &[FINDINGS_CSS, LANDING_CSS]], ..PAGE };

pub const FAILURES: Bundle = Bundle { styles: &[REPORT_STYLES, &[FINDINGS_CSS, FAILURES_CSS]], ..PAGE };

/// The page with the flame chart.
pub const TIME: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[TIME_CSS]],
    scripts: &[
        TABLE_SCRIPTS,
        LINK_SCRIPTS,
        &[EDITOR_JS, FIRST_THAT_JS, TIME_DATA_JS, TIME_WORDS_JS, TIME_DRAW_JS, TIME_JS, PERFETTO_JS],
    ],
};

/// The viewer of graphs.
pub const GRAPHS: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[CODE_CSS, GRAPH_CSS, SIDES_CSS]],
    scripts: &[
        &[COMMON_JS, TABS_JS, SEARCH_KEY_JS, CODE_JS],
        LINK_SCRIPTS,
        &[EDITOR_JS, GRAPH_TEXT_JS, FIRST_THAT_JS, DIFF_JS, SIDES_JS, GRAPH_PARTS_JS, GRAPH_JS],
    ],
};

/// The drawing of a graph.
pub const DRAWN: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[TINTS_CSS, DRAWN_CSS]],
    scripts: &[&[COMMON_JS, TABS_JS, SEARCH_KEY_JS, TABLES_JS, FOLD_JS], LINK_SCRIPTS, &[DRAWN_JS]],
};

/// The linked panes of provenance.
pub const PROVENANCE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[CODE_CSS, HEAT_CSS, TINTS_CSS, PROVENANCE_CSS]],
    scripts: &[TABLE_SCRIPTS, LINK_SCRIPTS, &[EDITOR_JS, PROVENANCE_LINES_JS, PROVENANCE_JS]],
};

/// Measured kernels.
pub const PERFORMANCE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[FINDINGS_CSS, HEAT_CSS, PERFORMANCE_CSS]],
    scripts: &[TABLE_SCRIPTS, &[COPY_JS], LINK_SCRIPTS, &[PERFORMANCE_JS]],
};

/// The page of kernels, which may have measured times.
pub const KERNELS: Bundle = Bundle { styles: &[REPORT_STYLES, &[HEAT_CSS]], ..PAGE };

/// The user's files line by line.
pub const SOURCE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[FINDINGS_CSS, CODE_CSS, HEAT_CSS, SOURCE_CSS]],
    scripts: &[TABLE_SCRIPTS, &[COPY_JS], LINK_SCRIPTS, &[SOURCE_JS]],
};

pub const SEARCH: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[SEARCH_CSS]],
    scripts: &[TABLE_SCRIPTS, LINK_SCRIPTS, &[EDITOR_JS, SEARCH_JS]],
};

/// The landing page of a job.
pub const JOB: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[FINDINGS_CSS, JOB_CSS]],
    scripts: &[TABLE_SCRIPTS, &[COPY_JS], LINK_SCRIPTS, &[RANKS_JS]],
};

/// The comparison of two runs.
pub const COMPARE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[COMPARE_CSS]],
    scripts: &[&[COMMON_JS, TABS_JS, TABLES_JS, FOLD_JS, COPY_JS], LINK_SCRIPTS],
};

/// The graphs and the code of a function in two runs, side by side.
pub const COMPARE_CODE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[SIDES_CSS]],
    scripts: &[&[COMMON_JS, TABS_JS, FOLD_JS], LINK_SCRIPTS, &[CHANGES_JS]],
};

/// The content of a page's Content-Security-Policy meta tag: only `scripts` run, and those whose hashes (from
/// [`inline_script_hashes`]) are in `custom`. Nothing is fetched. Forms may only lead to a page in the same place; as
/// some browsers do not count files on disk as the page's own origin, `file:` is listed.
pub fn content_security_policy(scripts: impl Iterator<Item = &'static Asset>, custom: &[String]) -> String {
    let hashes = scripts.map(|asset| asset.csp_hash()).chain(custom.iter().map(String::as_str));
    let mut sources: Vec<String> = hashes.map(|hash| format!("'{hash}'")).collect();
    if sources.is_empty() {
        sources.push("'none'".to_owned());
    }
    let sources = sources.join(" ");
    format!(
        "default-src 'none'; script-src {sources}; style-src 'unsafe-inline'; img-src data:; base-uri \
        'none'; \
         form-action 'self' file:"
    )
}

/// The hashes (`sha256-..`) of the inline scripts in a snippet of HTML that the user gave, in order.
///
/// If a browser parses a script differently, its hash does not match and it does not run.
pub fn inline_script_hashes(html: &str) -> Vec<String> {
    // A quoted attribute may contain `>`. The pattern is constant, so it always compiles.
    let Ok(script) = Regex::new(r#"(?is)<script(?:[\s/](?:[^>"']|"[^"]*"|'[^']*')*)?>(.*?)</script[\s/>]"#)
    else {
        return Vec::new();
    };
    let bodies = script.captures_iter(html).filter_map(|found| found.get(1));
    bodies.map(|body| script_hash(body.as_str())).collect()
}

/// Browsers normalize line ends before they hash a script.
fn script_hash(body: &str) -> String {
    let text = body.replace("\r\n", "\n").replace('\r', "\n");
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_the_one_openssl_computes() {
        // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
        let expected = "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=";
        assert_eq!(inline_script_hashes("<p><SCRIPT>alert(1)</Script >"), [expected]);
        let odd = "<script data-a='>' defer\n>alert(1)</script><scripty>x</scripty>";
        assert_eq!(inline_script_hashes(odd), [expected]);
    }

    #[test]
    fn the_stored_hashes_are_those_of_the_scripts() {
        let scripts = ALL.iter().filter(|asset| !asset.is_style());
        let hashes: String =
            scripts.clone().map(|asset| format!("{} {}\n", script_hash(asset.text), asset.name)).collect();
        if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/kit/script_hashes.txt");
            std::fs::write(file, &hashes).unwrap();
        }
        let stored: Vec<&str> = HASHES.lines().collect();
        assert_eq!(stored, hashes.lines().collect::<Vec<_>>(), "run this test with INSTA_UPDATE=always");
        assert!(scripts.clone().all(|asset| stored_hash(asset.name) == Some(&*script_hash(asset.text))));
    }

    #[test]
    fn line_ends_are_hashed_as_a_browser_reads_them() {
        assert_eq!(script_hash("a\r\nb\rc"), script_hash("a\nb\nc"));
    }

    fn element(asset: Asset) -> String {
        let mut html = Vec::new();
        asset.write_element(&mut html).unwrap();
        String::from_utf8(html).unwrap()
    }

    #[test]
    fn the_hash_of_an_asset_is_that_of_the_bytes_between_its_tags() {
        assert_eq!(inline_script_hashes(&element(LINKS_JS)), [LINKS_JS.csp_hash()]);
        assert!(element(BASE_CSS).starts_with("<style>"));
    }

    #[test]
    fn styles_use_only_custom_properties_that_a_sheet_of_the_same_pages_defines() {
        for asset in ALL.iter().filter(|asset| asset.is_style()) {
            for part in asset.text.split("var(--").skip(1) {
                let name: String =
                    part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
                // Set in markup: by the panes of provenance, the width of numbers; by their script, the last one.
                let widths = ["digits", "tag", "chosen-tint"];
                // The page of performance sets the end of the heat bar per line.
                let heat = ["own", "all"];
                let set_by_page = match asset.name {
                    "provenance.css" => widths.contains(&name.as_str()),
                    "heat.css" => heat.contains(&name.as_str()),
                    "performance.css" => name == "depth",
                    _ => false,
                };
                let defines = |sheet: &Asset| sheet.text.contains(&format!("--{name}:"));
                // The components define the colors of the compiler's parts, the base all others.
                let components =
                    REPORT_CSS.text.contains(&format!("--{name}:")) && asset.name != CODE_CSS.name;
                // Lines of the program and kernels have the same colors.
                let tints = matches!(asset.name, "provenance.css" | "drawn.css") && defines(&TINTS_CSS);
                let defined = defines(&BASE_CSS) || defines(asset) || components || tints || set_by_page;
                assert!(defined, "{}: --{name}", asset.name);
            }
        }
    }

    #[test]
    fn a_page_carries_at_most_40_kb_and_a_viewer_90_kb() {
        let size = |bundle: Bundle| -> usize {
            bundle.styles().chain(bundle.scripts()).map(|asset| asset.text.len()).sum()
        };
        for page in [PAGE, KERNELS, LANDING, FAILURES, COMPILE, COMPILE_SHORT, RECORD, CODE, JOB, COMPARE] {
            assert!(size(page) <= 40 * 1024, "{} bytes", size(page));
        }
        for viewer in [TIME, GRAPHS, DRAWN, PROVENANCE, SEARCH, PERFORMANCE, SOURCE] {
            assert!(size(viewer) <= 90 * 1024, "{} bytes", size(viewer));
        }
    }

    #[test]
    fn no_asset_loads_anything_ends_its_element_or_needs_what_the_policy_forbids() {
        for asset in ALL {
            let text = asset.text.to_lowercase();
            for forbidden in ["http:", "https:", "url(", "@import", "</", "<!--", "eval(", "new function("] {
                assert!(!text.contains(forbidden), "{} contains {forbidden}", asset.name);
            }
        }
    }

    #[test]
    fn a_page_without_scripts_allows_none() {
        let policy = content_security_policy([].iter(), &[]);
        assert!(policy.starts_with("default-src 'none'; script-src 'none'; style-src"));
    }

    #[test]
    fn the_policy_names_the_scripts_of_the_page_and_of_the_custom_header() {
        let custom = inline_script_hashes("<script>alert(1)</script>");
        let policy = content_security_policy([LINKS_JS].iter(), &custom);
        let scripts = format!("script-src '{}' '{}';", LINKS_JS.csp_hash(), custom[0]);
        assert!(policy.contains(&scripts), "{policy}");
        assert!(policy.ends_with("base-uri 'none'; form-action 'self' file:"), "{policy}");
        assert_eq!(policy.matches("'self'").count(), 1, "{policy}");
    }
}
