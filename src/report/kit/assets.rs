//! The styles and scripts of a page, and the Content-Security-Policy that lets exactly these run.
//!
//! The files are in `assets/` and are embedded unchanged. `index.html` carries those that it needs, so that it can be passed
//! on alone. All other pages load them from one folder of their report: written into each page again, they were
//! three quarters of the bytes of a report.

use crate::output::{Page, RelPath};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The folder of a report with the files that its pages load.
const FOLDER: &str = "assets";

/// The placeholder in [`LOADER_JS`] for the names of the page's scripts.
const SCRIPTS_OF_PAGE: &str = "'SCRIPTS OF THE PAGE'";

/// Digits of the hash in a file's name.
const HASH_DIGITS: usize = 16;

/// A style sheet or a script.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// File name; its extension says which of the two it is: `report.css`, `links.js`.
    pub name: &'static str,
    /// The file's content. Written verbatim: it never passes through a template.
    pub text: &'static str,
    /// What follows from its hash, computed once.
    identity: fn() -> &'static Identity,
}

/// What follows from the hash of an asset.
#[derive(Debug)]
struct Identity {
    /// The source expression with which a policy allows the script: `sha256-` and the hash in base64.
    csp_hash: String,
    /// Its file in a report: `links-4dd61cf1a8f02d8e.js`. With other content it has another name, so no page gets an asset
    /// of another version, not from a browser's memory and not where a report was copied over an older one.
    file_name: String,
}

/// The hashes of all assets, one per line with the file name. A test compares them, or updates them with
/// `INSTA_UPDATE=always`. Computing them at run time took a tenth of the time of a short log.
const HASHES: &str = include_str!("asset_hashes.txt");

impl Asset {
    /// Whether it is a style sheet.
    #[cfg(test)]
    fn is_style(&self) -> bool {
        self.name.ends_with(".css")
    }

    /// Its text in a report.
    fn written(&self) -> Cow<'static, str> {
        written(self.name, self.text)
    }

    /// The source expression with which a policy allows this script.
    pub fn csp_hash(&self) -> &'static str {
        &(self.identity)().csp_hash
    }

    /// Its file in the folder of assets.
    pub fn file_name(&self) -> &'static str {
        &(self.identity)().file_name
    }
}

/// The text of an asset as a report has it: a style sheet without its comments.
fn written<'t>(name: &str, text: &'t str) -> Cow<'t, str> {
    let own = |piece| str::split_once(piece, "*/").map_or(piece, |(_, own)| own.trim_start_matches('\n'));
    if name.ends_with(".css") { text.split("/*").map(own).collect() } else { text.into() }
}

/// The stored hash of an asset.
fn stored_hash(name: &str) -> Option<&'static str> {
    let mut lines = HASHES.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, of)| *of == name).map(|(hash, _)| hash)
}

/// What follows from the stored hash of an asset. Debug builds compute it, so that edited scripts run.
fn identity(name: &str, text: &str) -> Identity {
    let stored = stored_hash(name).filter(|_| !cfg!(debug_assertions));
    let csp_hash = stored.map_or_else(|| csp_hash(&written(name, text)), str::to_owned);
    let bytes = csp_hash.split_once('-').and_then(|(_, hash)| STANDARD.decode(hash).ok()).unwrap_or_default();
    let digits: String = bytes.iter().take(HASH_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    Identity { csp_hash, file_name: format!("{stem}-{digits}.{ending}") }
}

/// Every style sheet and script: its constant, and its file in `assets/`.
macro_rules! assets {
    ($($constant:ident = $file:literal),* $(,)?) => {
        $(
            #[doc = concat!("`assets/", $file, "`")]
            pub const $constant: Asset = Asset {
                name: $file,
                text: include_str!(concat!("assets/", $file)),
                identity: || {
                    static IDENTITY: LazyLock<Identity> =
                        LazyLock::new(|| identity($file, include_str!(concat!("assets/", $file))));
                    &IDENTITY
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
    AROUND_JS = "around.js",
    SAME_JS = "same.js",
    SAME_ANSWER_JS = "same_answer.js",
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
    TIME_TABLES_JS = "time_tables.js",
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
    LOADER_JS = "loader.js",
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

/// Scripts that follow links to anchors within folds and long tables, and to the job of a rank.
const LINK_SCRIPTS: &[Asset] = &[OPEN_JS, AROUND_JS, LINKS_JS];

/// An ordinary page at the top of a report.
pub const PAGE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[FINDINGS_CSS]],
    scripts: &[TABLE_SCRIPTS, &[COPY_JS, BACK_JS], LINK_SCRIPTS, &[SAME_ANSWER_JS]],
};

/// The page of a compile: there is one per compile, without filters.
pub const COMPILE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[FINDINGS_CSS, COMPILE_CSS]],
    scripts: &[&[COMMON_JS, TABS_JS, SEARCH_KEY_JS, TABLES_JS, FOLD_JS, COPY_JS], LINK_SCRIPTS, &[SAME_JS]],
};

/// The page of a compile whose tables are too short to be sorted or capped.
pub const COMPILE_SHORT: Bundle = Bundle {
    scripts: &[&[COMMON_JS, TABS_JS, SEARCH_KEY_JS, FOLD_JS, COPY_JS], LINK_SCRIPTS, &[SAME_JS]],
    ..COMPILE
};

/// The files of metrics records, which lead to the page of the compile.
pub const RECORD: Bundle =
    Bundle { styles: &[REPORT_STYLES], scripts: &[&[COMMON_JS, SEARCH_KEY_JS, LINKS_JS]] };

/// Pages of code, which are many and have no tables.
pub const CODE: Bundle = Bundle {
    styles: &[&[BASE_CSS, CODE_CSS]],
    scripts: &[&[COMMON_JS, TABS_JS, SEARCH_KEY_JS, CODE_JS], LINK_SCRIPTS, &[SAME_JS]],
};

pub const LANDING: Bundle = Bundle { styles: &[REPORT_STYLES, &[FINDINGS_CSS, LANDING_CSS]], ..PAGE };

pub const FAILURES: Bundle = Bundle { styles: &[REPORT_STYLES, &[FINDINGS_CSS, FAILURES_CSS]], ..PAGE };

/// The page with the flame chart.
pub const TIME: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[TIME_CSS]],
    scripts: &[
        TABLE_SCRIPTS,
        LINK_SCRIPTS,
        &[
            EDITOR_JS,
            FIRST_THAT_JS,
            TIME_DATA_JS,
            TIME_WORDS_JS,
            TIME_DRAW_JS,
            TIME_TABLES_JS,
            TIME_JS,
            PERFETTO_JS,
        ],
    ],
};

/// The viewer of graphs.
pub const GRAPHS: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[CODE_CSS, GRAPH_CSS, SIDES_CSS]],
    scripts: &[
        &[COMMON_JS, TABS_JS, SEARCH_KEY_JS, CODE_JS],
        LINK_SCRIPTS,
        &[SAME_JS, EDITOR_JS, GRAPH_TEXT_JS, FIRST_THAT_JS, DIFF_JS, SIDES_JS, GRAPH_PARTS_JS, GRAPH_JS],
    ],
};

/// The drawing of a graph.
pub const DRAWN: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[TINTS_CSS, DRAWN_CSS]],
    scripts: &[
        &[COMMON_JS, TABS_JS, SEARCH_KEY_JS, TABLES_JS, FOLD_JS],
        LINK_SCRIPTS,
        &[SAME_JS],
        &[DRAWN_JS],
    ],
};

/// The linked panes of provenance.
pub const PROVENANCE: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[CODE_CSS, HEAT_CSS, TINTS_CSS, PROVENANCE_CSS]],
    scripts: &[TABLE_SCRIPTS, LINK_SCRIPTS, &[SAME_JS], &[EDITOR_JS, PROVENANCE_LINES_JS, PROVENANCE_JS]],
};

/// The page of kernels, which may have a roofline.
pub const KERNELS: Bundle = Bundle {
    styles: &[REPORT_STYLES, &[HEAT_CSS, PERFORMANCE_CSS]],
    scripts: &[TABLE_SCRIPTS, LINK_SCRIPTS, &[PERFORMANCE_JS]],
};

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
    styles: &[REPORT_STYLES, &[FINDINGS_CSS, SIDES_CSS, JOB_CSS]],
    scripts: &[TABLE_SCRIPTS, &[COPY_JS], &[OPEN_JS, LINKS_JS], &[RANKS_JS]],
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

/// How a page comes by its style sheets and scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It carries them.
    Carried,
    /// It loads them from the folder of its report. `up` leads from the page to the top of the report.
    Loaded { up: &'static str },
}

impl Delivery {
    /// A page at the top of a report other than its first one.
    pub const TOP: Delivery = Delivery::Loaded { up: "" };
    /// A page in a folder of a report.
    pub const BELOW: Delivery = Delivery::Loaded { up: "../" };

    /// That of the page at this path: people pass on `index.html` alone.
    pub fn of(path: &str) -> Delivery {
        match path {
            "index.html" => Delivery::Carried,
            path if path.contains('/') => Delivery::BELOW,
            _ => Delivery::TOP,
        }
    }

    /// From the page to the top of its report.
    pub fn up(self) -> &'static str {
        match self {
            Delivery::Carried => "",
            Delivery::Loaded { up } => up,
        }
    }

    /// How many folders the page is below the top of its report.
    pub fn depth(self) -> usize {
        usize::from(self == Delivery::BELOW)
    }
}

/// The styles and scripts of one page as they stand in it.
pub struct Included {
    /// The content of the Content-Security-Policy.
    pub policy: String,
    /// The elements of its style sheets, for its head.
    pub styles: String,
    /// The elements of its scripts, for its end.
    pub scripts: String,
}

impl Included {
    /// Those of a bundle. The policy also allows the scripts whose hashes (from [`inline_script_hashes`]) are in `custom`.
    pub fn of(bundle: Bundle, delivery: Delivery, custom: &[String]) -> Included {
        match delivery {
            Delivery::Carried => carried(bundle, custom),
            Delivery::Loaded { up } => loaded(bundle, up, custom),
        }
    }
}

/// The page holds the assets, and the policy has the hash of each script. Nothing is fetched.
fn carried<'h>(bundle: Bundle, custom: &'h [String]) -> Included {
    let own = bundle.scripts().map(|script| -> &'h str { script.csp_hash() });
    let hashes = own.chain(custom.iter().map(String::as_str));
    let policy = policy(hashes, "", "'unsafe-inline'");
    let styles = bundle.styles().map(|style| format!("<style>{}</style>\n", style.written())).collect();
    let scripts = bundle.scripts().map(|script| format!("<script>{}</script>\n", script.text)).collect();
    Included { policy, styles, scripts }
}

/// The page names the assets. Its policy has the hash of the loader, which contains the names of the scripts: what the
/// loader adds may run, and nothing in the markup may. As browsers do not count files on disk as the page's own
/// origin, `file:` is listed for style sheets, too.
fn loaded(bundle: Bundle, up: &str, custom: &[String]) -> Included {
    let loader = loader(bundle, up);
    let own = csp_hash(&loader);
    let hashes = [own.as_str()].into_iter().chain(custom.iter().map(String::as_str));
    let policy = policy(hashes, " 'strict-dynamic'", "'self' file: 'unsafe-inline'");
    let link =
        |style: &Asset| format!("<link rel=\"stylesheet\" href=\"{up}{FOLDER}/{}\">\n", style.file_name());
    let styles = bundle.styles().map(link).collect();
    Included { policy, styles, scripts: format!("<script>{loader}</script>\n") }
}

/// The loader of the scripts of a page.
fn loader(bundle: Bundle, up: &str) -> String {
    let mut names = String::new();
    for script in bundle.scripts() {
        let separator = if names.is_empty() { "" } else { ", " };
        let _ = write!(names, "{separator}'{up}{FOLDER}/{}'", script.file_name());
    }
    LOADER_JS.text.replace(SCRIPTS_OF_PAGE, &names)
}

/// The content of a page's Content-Security-Policy meta tag. Forms may only lead to a page in the same place; as some
/// browsers do not count files on disk as the page's own origin, `file:` is listed.
fn policy<'h>(hashes: impl Iterator<Item = &'h str>, further_scripts: &str, styles: &str) -> String {
    let sources: Vec<String> = hashes.map(|hash| format!("'{hash}'")).collect();
    let sources = if sources.is_empty() { "'none'".to_owned() } else { sources.join(" ") };
    format!(
        "default-src 'none'; script-src {sources}{further_scripts}; style-src {styles}; img-src data:; base-uri 'none'; \
         form-action 'self' file:"
    )
}

/// The files that pages with these bundles load, each once.
pub(crate) fn files<W>(bundles: impl IntoIterator<Item = Bundle>) -> Vec<Page<'static, W>> {
    let mut needed: BTreeMap<&'static str, &'static Asset> = BTreeMap::new();
    for bundle in bundles {
        needed.extend(bundle.styles().chain(bundle.scripts()).map(|asset| (asset.name, asset)));
    }
    let file = |asset: &'static Asset| {
        let path = RelPath::of_parts(&[FOLDER, asset.file_name()]);
        Page::rendered(path, move |_: &mut W, out| Ok(out.write_all(asset.written().as_bytes())?))
    };
    needed.into_values().map(file).collect()
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
    bodies.map(|body| csp_hash(body.as_str())).collect()
}

/// The hash of a script as policies name it. Browsers normalize line ends before they hash a script.
fn csp_hash(body: &str) -> String {
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
    fn the_stored_hashes_are_those_of_the_assets() {
        let hashes: String =
            ALL.iter().map(|asset| format!("{} {}\n", csp_hash(&asset.written()), asset.name)).collect();
        if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/kit/asset_hashes.txt");
            std::fs::write(file, &hashes).unwrap();
        }
        let stored: Vec<&str> = HASHES.lines().collect();
        assert_eq!(stored, hashes.lines().collect::<Vec<_>>(), "run this test with INSTA_UPDATE=always");
        assert!(ALL.iter().all(|asset| stored_hash(asset.name) == Some(&*csp_hash(&asset.written()))));
    }

    #[test]
    fn line_ends_are_hashed_as_a_browser_reads_them() {
        assert_eq!(csp_hash("a\r\nb\rc"), csp_hash("a\nb\nc"));
    }

    #[test]
    fn what_a_page_carries_has_the_hashes_of_its_policy() {
        let page = Included::of(PAGE, Delivery::Carried, &[]);
        let hashes: Vec<&str> = PAGE.scripts().map(Asset::csp_hash).collect();
        assert_eq!(inline_script_hashes(&page.scripts), hashes);
        assert!(hashes.iter().all(|hash| page.policy.contains(hash)));
        assert!(page.styles.starts_with(&format!("<style>{}</style>", BASE_CSS.written())));
        assert!(!page.policy.contains("dynamic") && page.policy.matches("'self'").count() == 1);
    }

    #[test]
    fn the_policy_of_a_page_that_loads_its_scripts_has_the_hash_of_the_loader_which_has_their_names() {
        let page = Included::of(CODE, Delivery::BELOW, &[]);
        let [hash] = inline_script_hashes(&page.scripts).try_into().unwrap();
        assert!(page.policy.contains(&format!("script-src '{hash}' 'strict-dynamic';")), "{}", page.policy);
        let named = |asset: &Asset| format!("../assets/{}", asset.file_name());
        assert!(CODE.scripts().all(|script| page.scripts.contains(&format!("'{}'", named(script)))));
        assert!(CODE.styles().all(|style| page.styles.contains(&format!("href=\"{}\"", named(style)))));
        assert!(!page.scripts.contains(SCRIPTS_OF_PAGE), "{}", page.scripts);
    }

    #[test]
    fn the_name_of_a_file_has_the_hash_of_its_content() {
        // printf 'alert(1)' | openssl dgst -sha256
        let name = identity("some.js", "alert(1)").file_name;
        assert_eq!(name, "some-6e11c72f7cf6bc38.js");
        let known = crate::report::entries();
        assert!(ALL.iter().all(|asset| known.have(&format!("{FOLDER}/{}", asset.file_name()))));
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
    fn a_page_loads_at_most_40_kb_and_a_viewer_90_kb() {
        let size = |bundle: Bundle| -> usize {
            bundle.styles().chain(bundle.scripts()).map(|asset| asset.written().len()).sum()
        };
        for page in [PAGE, KERNELS, LANDING, FAILURES, COMPILE, COMPILE_SHORT, RECORD, CODE, JOB, COMPARE] {
            assert!(size(page) <= 40 * 1024, "{} bytes", size(page));
        }
        for viewer in [TIME, GRAPHS, DRAWN, PROVENANCE, SEARCH, SOURCE] {
            assert!(size(viewer) <= 90 * 1024, "{} bytes", size(viewer));
        }
    }

    #[test]
    fn no_asset_loads_anything_ends_its_element_or_needs_what_the_policy_forbids() {
        for asset in ALL {
            let text = asset.text.to_lowercase();
            for forbidden in [
                "http:",
                "https:",
                "url(",
                "@import",
                "</",
                "<!--",
                "eval(",
                "new function(",
                "document.write",
                "contextualfragment",
            ] {
                assert!(!text.contains(forbidden), "{} contains {forbidden}", asset.name);
            }
        }
    }

    #[test]
    fn a_page_without_scripts_allows_none() {
        let none = Included::of(Bundle { styles: &[], scripts: &[] }, Delivery::Carried, &[]);
        assert!(none.policy.starts_with("default-src 'none'; script-src 'none'; style-src 'unsafe-inline';"));
    }

    #[test]
    fn the_policy_names_the_scripts_of_the_custom_header() {
        let custom = inline_script_hashes("<script>alert(1)</script>");
        let links = Bundle { styles: &[], scripts: &[&[LINKS_JS]] };
        let policy = Included::of(links, Delivery::Carried, &custom).policy;
        let scripts = format!("script-src '{}' '{}';", LINKS_JS.csp_hash(), custom[0]);
        assert!(policy.contains(&scripts), "{policy}");
        assert!(policy.ends_with("base-uri 'none'; form-action 'self' file:"), "{policy}");
        let policy = Included::of(links, Delivery::TOP, &custom).policy;
        assert!(policy.contains(&format!("' '{}' 'strict-dynamic';", custom[0])), "{policy}");
    }
}
