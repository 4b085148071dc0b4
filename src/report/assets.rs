//! The styles and scripts of a page, and the Content-Security-Policy that lets exactly these run.
//!
//! The files stand in `assets/`; the build script lists them, makes them small and hashes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use sha2::{Digest as _, Sha256};

/// A style sheet or a script as it stands in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// File name, which also tells the kind: `report.css`, `links.js`.
    pub name: &'static str,
    /// The minified text. Written verbatim: it never passes through a template.
    pub text: &'static str,
    /// The source expression of a policy: `sha256-` and the base64 of the hash of `text`.
    pub csp_hash: &'static str,
}

impl Asset {
    /// The element that holds this asset; between its tags stand exactly the bytes that were hashed.
    pub fn element(&self) -> String {
        let tag = if self.is_style() { "style" } else { "script" };
        format!("<{tag}>{}</{tag}>", self.text)
    }

    /// Whether it is a style sheet.
    pub fn is_style(&self) -> bool {
        self.name.ends_with(".css")
    }
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The content of a page's Content-Security-Policy meta tag: only `scripts` run, and those whose
/// hashes (from [`inline_script_hashes`]) stand in `custom`. Nothing is ever fetched.
pub fn content_security_policy(scripts: &[Asset], custom: &[String]) -> String {
    let hashes = scripts.iter().map(|script| script.csp_hash).chain(custom.iter().map(String::as_str));
    let mut sources: Vec<String> = hashes.map(|hash| format!("'{hash}'")).collect();
    if sources.is_empty() {
        sources.push("'none'".to_owned());
    }
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'",
        sources.join(" ")
    )
}

/// The hashes (`sha256-..`) of the inline scripts in a snippet of HTML that the user gave, in order.
///
/// A script that a browser would read otherwise than this does not run; nothing else can come of it.
pub fn inline_script_hashes(html: &str) -> Vec<String> {
    // A quoted attribute may hold `>`. The pattern is constant, so it always compiles.
    let Ok(script) = Regex::new(r#"(?is)<script(?:[\s/](?:[^>"']|"[^"]*"|'[^']*')*)?>(.*?)</script[\s/>]"#)
    else {
        return Vec::new();
    };
    let bodies = script.captures_iter(html).filter_map(|found| found.get(1));
    bodies.map(|body| script_hash(body.as_str())).collect()
}

/// A browser hashes a script after it made all line ends one newline.
fn script_hash(body: &str) -> String {
    let text = body.replace("\r\n", "\n").replace('\r', "\n");
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Asset; 17] = [
        REPORT_CSS,
        LINKS_JS,
        OPEN_JS,
        TABLES_JS,
        FOLD_JS,
        CODE_JS,
        TIME_CSS,
        TIME_JS,
        GRAPH_CSS,
        GRAPH_JS,
        DIFF_JS,
        SEARCH_CSS,
        SEARCH_JS,
        JOB_CSS,
        EXPORT_CSS,
        PROVENANCE_CSS,
        PROVENANCE_JS,
    ];

    #[test]
    fn a_hash_is_the_one_openssl_computes() {
        // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
        let expected = "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=";
        assert_eq!(inline_script_hashes("<p><SCRIPT>alert(1)</Script >"), [expected]);
        let odd = "<script data-a='>' defer\n>alert(1)</script><scripty>x</scripty>";
        assert_eq!(inline_script_hashes(odd), [expected]);
    }

    #[test]
    fn line_ends_are_hashed_as_a_browser_reads_them() {
        assert_eq!(script_hash("a\r\nb\rc"), script_hash("a\nb\nc"));
    }

    #[test]
    fn the_hash_of_an_asset_is_that_of_the_bytes_between_its_tags() {
        assert_eq!(inline_script_hashes(&LINKS_JS.element()), [LINKS_JS.csp_hash]);
        assert!(REPORT_CSS.element().starts_with("<style>:root{"));
    }

    #[test]
    fn styles_use_only_custom_properties_that_the_style_sheet_of_all_pages_defines() {
        for asset in ALL.iter().filter(|asset| asset.is_style()) {
            for part in asset.text.split("var(--").skip(1) {
                let name: String =
                    part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
                // The page of provenance sets this one on its panes: the width of its line numbers.
                let set_by_page = asset.name == "provenance.css" && name == "g";
                let defined = REPORT_CSS.text.contains(&format!("--{name}:")) || set_by_page;
                assert!(defined, "{}: --{name}", asset.name);
            }
        }
    }

    #[test]
    fn a_page_of_which_there_is_one_an_artifact_carries_at_most_16_kb() {
        let all = [REPORT_CSS, LINKS_JS, OPEN_JS, TABLES_JS, FOLD_JS, CODE_JS];
        let size: usize = all.iter().map(|asset| asset.text.len()).sum();
        assert!(size <= 16 * 1024, "{size} bytes");
    }

    #[test]
    fn no_asset_loads_anything_ends_its_element_or_needs_what_the_policy_forbids() {
        for asset in ALL {
            let text = asset.text.to_lowercase();
            for forbidden in ["http:", "https:", "url(", "@import", "</", "<!--", "eval(", "function("] {
                assert!(!text.contains(forbidden), "{} contains {forbidden}", asset.name);
            }
        }
    }

    #[test]
    fn a_page_without_scripts_allows_none() {
        let policy = content_security_policy(&[], &[]);
        assert!(policy.starts_with("default-src 'none'; script-src 'none'; style-src"));
    }

    #[test]
    fn the_policy_names_the_scripts_of_the_page_and_of_the_custom_header() {
        let custom = inline_script_hashes("<script>alert(1)</script>");
        let policy = content_security_policy(&[LINKS_JS], &custom);
        let scripts = format!("script-src '{}' '{}';", LINKS_JS.csp_hash, custom[0]);
        assert!(policy.contains(&scripts), "{policy}");
        assert!(!policy.contains("'self'"));
    }
}
