//! A page carries the styles that can match in it and the scripts that find something to do, nothing else: a report has
//! hundreds of small pages, and the whole style sheet with all scripts takes 14 KB.
//!
//! What a page needs is read from its own text, and from the scripts and styles that only it has, so nobody has to say
//! it. A page too long to be held, or with HTML of the user's, carries everything.

use super::assets::{Asset, CODE_JS, FOLD_JS, LINKS_JS, OPEN_JS, REPORT_CSS, TABLES_JS};
use fxhash::FxHashSet;
use memchr::memmem;
use std::io::{self, Write};

/// Bytes of a page that are held until it is known what it needs. For a longer page 14 KB hardly count.
const HELD: usize = 512 << 10;

/// Scripts that some pages need, and what each looks for when a page is opened.
///
/// A table hides its rows before another script shows the one that the address names.
const SCRIPTS: [(Asset, &[&str]); 4] = [
    (TABLES_JS, &["data-sort=", "data-cap=", "data-for="]),
    (FOLD_JS, &["data-fold="]),
    (CODE_JS, &["class=\"in\""]),
    (OPEN_JS, &["<details", "js\" ", "data-cap=", "data-for="]),
];

/// Styles and scripts of one page.
pub(super) struct Fitted {
    /// The part of the style sheet of all pages that this page needs.
    pub styles: String,
    /// Scripts, in the order in which they run.
    pub scripts: Vec<Asset>,
}

impl Fitted {
    /// Everything.
    fn whole() -> Fitted {
        // A table hides its rows before the script of all pages shows the one that the address names.
        let scripts = SCRIPTS.iter().map(|(script, _)| *script).chain([LINKS_JS]).collect();
        Fitted { styles: REPORT_CSS.text.to_owned(), scripts }
    }

    /// What a page with this text and these scripts and styles of its own needs.
    fn to(page: &[u8], own: &[Asset]) -> Fitted {
        let has = |marks: &[&str]| marks.iter().any(|mark| memmem::find(page, mark.as_bytes()).is_some());
        let mut words = words(page);
        for script in own.iter().filter(|asset| !asset.is_style()) {
            // It may make an element, or give a class, of any name that it has in it.
            for word in script.text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))) {
                words.insert(word.as_bytes().to_vec());
                words.insert([CLASS, word.as_bytes()].concat());
            }
        }
        let found = SCRIPTS.iter().filter(|(_, marks)| has(marks));
        let scripts: Vec<Asset> = found.map(|(script, _)| *script).chain([LINKS_JS]).collect();
        if scripts.contains(&TABLES_JS) {
            // It makes the heads of columns buttons of this class.
            words.insert(b".by".to_vec());
        }
        let styles = matching(REPORT_CSS.text, &words);
        let uses = |name: &str| {
            let value = format!("var({name}");
            styles.contains(&value)
                || memmem::find(page, value.as_bytes()).is_some()
                || own.iter().any(|asset| asset.text.contains(&value))
                || words.contains(name.trim_start_matches('-').as_bytes())
        };
        let styles = with_properties(&styles, uses);
        // Only this style sheet knows the names of its properties, unless the page has its own.
        let alone = own.is_empty() && memmem::find(page, b"var(--").is_none();
        Fitted { styles: if alone { with_short_names(&styles) } else { styles }, scripts }
    }
}

/// Holds a page back until it is known what it needs, or becomes too long; then writes its head, and the page.
pub(super) struct Tailor<'a, F> {
    out: &'a mut dyn Write,
    /// Writes the head with what the page needs.
    head: Option<F>,
    held: Vec<u8>,
    /// Scripts and styles of this page.
    own: &'a [Asset],
    /// Whether the page is to carry everything.
    whole: bool,
}

impl<'a, F: FnOnce(Fitted, &mut dyn Write) -> io::Result<()>> Tailor<'a, F> {
    /// A page that is written to `out` behind what `head` writes, with scripts and styles of its `own`.
    pub fn new(out: &'a mut dyn Write, (own, whole): (&'a [Asset], bool), head: F) -> Self {
        Tailor { out, head: Some(head), held: Vec::new(), own, whole }
    }

    /// The page is complete.
    pub fn finish(mut self) -> io::Result<()> {
        let fitted = if self.whole { Fitted::whole() } else { Fitted::to(&self.held, self.own) };
        self.release(fitted)
    }

    fn release(&mut self, fitted: Fitted) -> io::Result<()> {
        if let Some(head) = self.head.take() {
            head(fitted, self.out)?;
        }
        self.out.write_all(&std::mem::take(&mut self.held))
    }
}

impl<F: FnOnce(Fitted, &mut dyn Write) -> io::Result<()>> Write for Tailor<'_, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.head.is_none() {
            return self.out.write(bytes);
        }
        self.held.extend_from_slice(bytes);
        if self.held.len() > HELD {
            self.release(Fitted::whole())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Names of elements, and of classes with a dot before them.
type Words = FxHashSet<Vec<u8>>;

/// What stands before a class's name in a set of words, as in a selector.
const CLASS: &[u8] = b".";

/// Names of elements of a page, and of classes with a dot before them. Text that looks like one does no harm.
///
/// A page has thousands of tags and few names: what was seen is asked by a number, or by the whole attribute, before
/// a name is kept.
fn words(page: &[u8]) -> Words {
    let mut words: Words = ["html", "body"].map(|word| word.as_bytes().to_vec()).into_iter().collect();
    let mut names: FxHashSet<u64> = FxHashSet::default();
    for at in memchr::memchr_iter(b'<', page) {
        let rest = page.get(at + 1..).unwrap_or_default();
        let end = rest.iter().take(LONGEST_NAME).position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(0);
        let name = rest.get(..end).unwrap_or_default();
        if names.insert(name.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))) {
            words.insert(name.to_vec());
        }
    }
    let mut lists: FxHashSet<&[u8]> = FxHashSet::default();
    for at in memmem::find_iter(page, b"class=") {
        let rest = page.get(at + b"class=".len()..).unwrap_or_default();
        // A single class needs no quotes.
        let (rest, end) = match rest.strip_prefix(b"\"") {
            Some(rest) => (rest, memchr::memchr(b'"', rest)),
            None => (rest, memchr::memchr2(b' ', b'>', rest)),
        };
        let end = end.unwrap_or(0);
        let list = rest.get(..end).unwrap_or_default();
        if lists.insert(list) {
            words.extend(list.split(|byte| *byte == b' ').map(|class| [CLASS, class].concat()));
        }
    }
    words
}

/// One byte more than the longest name of an element that is looked at: eight make a number, and no style of ours
/// names a longer one.
const LONGEST_NAME: usize = 9;

/// The rules of a minified style sheet that have a selector whose elements and classes are among `words`.
fn matching(css: &str, words: &Words) -> String {
    let mut kept = String::new();
    for (prelude, body) in rules(css) {
        if prelude.starts_with("@media") {
            let inner = matching(body, words);
            if !inner.is_empty() {
                kept.push_str(&format!("{prelude}{{{inner}}}"));
            }
            continue;
        }
        let selectors: Vec<&str> = split_list(prelude).into_iter().filter(|s| matches(s, words)).collect();
        if !selectors.is_empty() {
            kept.push_str(&format!("{}{{{body}}}", selectors.join(",")));
        }
    }
    kept
}

/// A style sheet without the custom properties that nothing uses.
fn with_properties(css: &str, uses: impl Fn(&str) -> bool + Copy) -> String {
    let mut kept = String::new();
    for (prelude, body) in rules(css) {
        let body = match prelude {
            ":root" => {
                let used = |one: &&str| {
                    let name = one.split(':').next().unwrap_or_default().trim();
                    !name.starts_with("--") || uses(name)
                };
                body.split(';').filter(used).collect::<Vec<_>>().join(";")
            }
            _ if prelude.starts_with("@media") && body.starts_with(":root") => with_properties(body, uses),
            _ => body.to_owned(),
        };
        kept.push_str(&format!("{prelude}{{{body}}}"));
    }
    kept
}

/// A style sheet whose custom properties have names of one letter: each is used a dozen times.
fn with_short_names(css: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut parts = css.split("--");
    let mut short = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(part.len());
        let Some((name, rest)) = part.split_at_checked(end) else { continue };
        let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        // There are some twenty; a style sheet with more than letters would keep the names of the rest.
        match ('a'..='z').chain('A'..='Z').nth(at) {
            Some(letter) => short.push_str(&format!("--{letter}{rest}")),
            None => short.push_str(&format!("--{part}")),
        }
    }
    short
}

/// The rules of a style sheet without comments: what stands before each outermost pair of braces, and in it.
fn rules(css: &str) -> Vec<(&str, &str)> {
    let (mut rules, mut depth, mut from, mut open) = (Vec::new(), 0usize, 0, 0);
    for (at, byte) in css.bytes().enumerate() {
        match byte {
            b'{' => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let prelude = css.get(from..open).unwrap_or_default();
                    rules.push((prelude.trim(), css.get(open + 1..at).unwrap_or_default()));
                    from = at + 1;
                }
            }
            _ => {}
        }
    }
    rules
}

/// Selectors of a list; commas in parentheses do not part them.
fn split_list(list: &str) -> Vec<&str> {
    let mut depth = 0usize;
    list.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

/// Whether each element and class that a selector asks for is among `words`; what stands in parentheses and brackets,
/// and what follows a colon, is not looked at.
fn matches(selector: &str, words: &Words) -> bool {
    let mut rest = selector.as_bytes();
    let name = |rest: &[u8]| {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        rest.iter().position(|byte| !part(byte)).unwrap_or(rest.len())
    };
    while let Some((&first, after)) = rest.split_first() {
        let skip = match first {
            b'(' | b'[' => {
                let close = if first == b'(' { b')' } else { b']' };
                memchr::memchr(close, after).map_or(after.len(), |at| at + 1)
            }
            b':' => name(after),
            b'.' => {
                let end = name(after);
                if !words.contains(rest.get(..=end).unwrap_or_default()) {
                    return false;
                }
                end
            }
            _ if first.is_ascii_alphabetic() => {
                let end = name(rest);
                if !words.contains(rest.get(..end).unwrap_or_default()) {
                    return false;
                }
                end - 1
            }
            _ => 0,
        };
        rest = after.get(skip..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(page: &str) -> String {
        Fitted::to(page.as_bytes(), &[]).styles
    }

    #[test]
    fn a_page_carries_the_rules_that_can_match_in_it() {
        let css = "a{x:0}.i{x:0}.a,.b b{x:1}.a:not(.zz,.y)::before{x:2}p>.a[id]{x:3}@media print{.b{x:4}}@media print{.a{x:5}}";
        let words = words(b"<i class=\"c a\">&lt;p&gt;</i>");
        let expected = ".a{x:1}.a:not(.zz,.y)::before{x:2}@media print{.a{x:5}}";
        assert_eq!(matching(css, &words), expected);
        let words = super::words(b"<i class=a><b class=zz title=\"class=b\">");
        assert_eq!(matching(css, &words), expected, "quotes around one class may be left out");
    }

    #[test]
    fn a_page_carries_the_custom_properties_that_it_uses() {
        let css = ":root{color-scheme:light;--a:1;--b:2}@media(x){:root{--a:3;--b:4}}p{x:var(--b)}";
        let expected = ":root{color-scheme:light;--b:2}@media(x){:root{--b:4}}p{x:var(--b)}";
        assert_eq!(with_properties(css, |name| name == "--b"), expected);
    }

    #[test]
    fn a_style_sheet_alone_has_short_names() {
        let css = ":root{--bg:1;--bg-b:2}p{x:var(--bg);y:var(--bg-b,--z)}";
        assert_eq!(with_short_names(css), ":root{--a:1;--b:2}p{x:var(--a);y:var(--b,--c)}");
    }

    #[test]
    fn a_page_with_everything_in_it_keeps_the_whole_style_sheet() {
        let mut page = String::new();
        for (prelude, body) in rules(REPORT_CSS.text) {
            let inner = if prelude.starts_with('@') { rules(body) } else { vec![(prelude, body)] };
            for (selectors, _) in inner {
                for word in selectors.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
                    page.push_str(&format!("<{word} class=\"{word}\">"));
                }
            }
        }
        assert_eq!(styles(&page), with_short_names(REPORT_CSS.text));
    }

    #[test]
    fn a_page_carries_what_its_own_scripts_and_styles_use() {
        let asset = |name, text| Asset { name, text, csp_hash: "" };
        let own =
            [asset("x.js", "e.className='pill';get(`--${'error'}`)"), asset("x.css", "p{color:var(--mark)}")];
        let styles = Fitted::to(b"<p>", &own).styles;
        assert!(
            styles.contains(".pill{") && styles.contains("--error:") && styles.contains("--mark:"),
            "{styles}"
        );
        assert!(!styles.contains(".tree{") && !styles.contains("--error-b:"), "{styles}");
    }

    #[test]
    fn a_page_carries_the_scripts_that_find_something_to_do() {
        let scripts = |page: &str| Fitted::to(page.as_bytes(), &[]).scripts;
        assert_eq!(scripts("<p>"), [LINKS_JS]);
        assert_eq!(scripts("<th data-sort=\"num\">"), [TABLES_JS, LINKS_JS]);
        assert!(styles("<th data-sort=\"num\">").contains(".by{"));
        assert!(!styles("<p>").contains(".pill"));
    }

    #[test]
    fn a_page_too_long_to_be_held_carries_everything_and_loses_nothing() {
        for (text, whole) in [("x".repeat(9), false), ("x".repeat(HELD + 9), true)] {
            let mut out = Vec::new();
            let mut tailor = Tailor::new(&mut out, (&[], false), |fitted: Fitted, out: &mut dyn Write| {
                write!(out, "{},", fitted.styles == REPORT_CSS.text)
            });
            tailor.write_all(text.as_bytes()).unwrap();
            tailor.write_all(b"end").unwrap();
            tailor.finish().unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), format!("{whole},{text}end"));
        }
    }
}
