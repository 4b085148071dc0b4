//! What holds for the report of every log, whatever the log says. Also used by the tests of the project.

use super::address::resolve;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, EndTag, StartTag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The files of a report by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The script that probes try to run.
pub const PROBE_CALL: &str = "probe4711(";

/// Bytes that a report may have beside a multiple of its log: styles and scripts of its pages.
const FIXED_BYTES: usize = 6 << 20;
/// How many times the size of its log a report may have.
const TIMES_THE_LOG: usize = 400;

/// Checks everything that holds for each report; the error is what does not.
pub fn check(log: &[u8], files: &Files, schema: &jsonschema::Validator) -> Result<(), String> {
    data(log, files, schema)?;
    pages(files)
}

/// The files for programs.
pub fn data(log: &[u8], files: &Files, schema: &jsonschema::Validator) -> Result<(), String> {
    let file = |name: &str| files.get(name).ok_or_else(|| format!("there is no {name}"));
    if file("raw.log")? != log {
        return Err("raw.log is not the log".to_owned());
    }
    for (path, bytes) in files {
        let is_odd = |part: &str| matches!(part, "" | "." | "..") || part.len() > 250;
        if path.split('/').any(is_odd) || path.contains(['\\', '\0', '\n']) {
            return Err(format!("a file is called {path:?}"));
        }
        if ["report.json", "chromium_events.json", "compile_directory.json"].contains(&path.as_str()) {
            let json: Result<serde_json::Value, _> = serde_json::from_slice(bytes);
            let json = json.map_err(|error| format!("{path} is no JSON: {error}"))?;
            if path == "report.json"
                && let Some(error) = schema.iter_errors(&json).next()
            {
                return Err(format!(
                    "report.json is not as its schema says: {} at {}",
                    error,
                    error.instance_path()
                ));
            }
        }
        if path == "raw.jsonl" {
            let text = String::from_utf8_lossy(bytes);
            let bad = text.lines().find(|line| serde_json::from_str::<serde_json::Value>(line).is_err());
            if let Some(line) = bad {
                return Err(format!("raw.jsonl has a line that is no JSON: {line:.80}"));
            }
        }
    }
    let size: usize = files.values().map(Vec::len).sum();
    if size > FIXED_BYTES + TIMES_THE_LOG * log.len() {
        return Err(format!("the report has {size} bytes, the log {}", log.len()));
    }
    Ok(())
}

/// The pages (an empty one is only known to be there): ids are unique, links and anchors lead somewhere, nothing of a log acts, nothing is loaded.
pub fn pages(files: &Files) -> Result<(), String> {
    let mut ids: HashMap<&str, HashSet<String>> = HashMap::new();
    let mut links = Vec::new();
    let is_page = |path: &str, bytes: &[u8]| path.ends_with(".html") && !bytes.is_empty();
    for (path, bytes) in files.iter().filter(|(path, bytes)| is_page(path, bytes)) {
        let page = Page::read(&String::from_utf8_lossy(bytes));
        if let Some(wrong) = page.wrong {
            return Err(format!("{path}: {wrong}"));
        }
        let mut own = HashSet::new();
        for id in page.ids {
            if let Some(id) = own.replace(id) {
                return Err(format!("{path}: two elements have the id {id:?}"));
            }
        }
        ids.insert(path, own);
        links.extend(page.links.into_iter().map(|link| (path, link)));
    }
    for (path, link) in links {
        let scheme = link.split(['/', '?', '#']).next().unwrap_or_default();
        if scheme.contains(':') {
            let known = ["http:", "https:", "vscode:", "data:"].iter().any(|known| scheme.starts_with(known));
            if !known {
                return Err(format!("{path}: a link {link:.120?}"));
            }
            continue;
        }
        let (target, anchor) = resolve(path, &link);
        if target == ".." || target.starts_with("../") {
            return Err(format!("{path}: a link {link:?} leads out of the report"));
        }
        if !files.contains_key(&target) {
            return Err(format!("{path}: a link {link:?} leads to no file"));
        }
        if let (Some(anchor), Some(own)) = (anchor, ids.get(target.as_str()))
            && !has_anchor(own, &target, &anchor)
        {
            return Err(format!("{path}: a link {link:?} leads to no element"));
        }
    }
    Ok(())
}

/// Only that nothing of a log acts and nothing is loaded: for pages whose links lead to other reports.
pub fn acts(files: &Files) -> Result<(), String> {
    let pages = files.iter().map(|(path, bytes)| (path, Page::read(&String::from_utf8_lossy(bytes))));
    pages.into_iter().find_map(|(path, page)| Some(format!("{path}: {}", page.wrong?))).map_or(Ok(()), Err)
}

/// Whether a page has the element. The viewer of graphs takes two of them by their numbers: `#a=17&b=22`.
fn has_anchor(own: &HashSet<String>, target: &str, anchor: &str) -> bool {
    let pair = anchor.strip_prefix("a=").and_then(|rest| rest.split_once("&b="));
    match pair.filter(|_| target.ends_with("/graphs.html")) {
        Some((before, after)) => own.contains(before) && own.contains(after),
        None => anchor.is_empty() || own.contains(anchor),
    }
}

/// Whether an address is that of a file that pages load from their report.
fn is_asset(href: &str) -> bool {
    href.strip_prefix("../").unwrap_or(href).starts_with("assets/")
}

/// What a page has.
#[derive(Default)]
struct Page {
    ids: Vec<String>,
    links: Vec<String>,
    wrong: Option<String>,
    /// Whether a script is open that runs.
    in_script: bool,
}

/// Takes the tokens of a page as a browser does.
#[derive(Default)]
struct Tags(RefCell<Page>);

impl Page {
    fn read(html: &str) -> Page {
        let input = BufferQueue::default();
        input.push_back(StrTendril::from(html));
        let tokenizer = Tokenizer::new(Tags::default(), Default::default());
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        tokenizer.sink.0.into_inner()
    }

    fn start(&mut self, name: &str, attributes: &[html5ever::Attribute]) {
        let value = |wanted: &str| attributes.iter().find(|a| &*a.name.local == wanted).map(|a| &*a.value);
        self.ids.extend(value("id").map(str::to_owned));
        if ["a", "area"].contains(&name) {
            self.links.extend(value("href").map(str::to_owned));
        }
        self.links.extend(value("action").filter(|_| name == "form").map(str::to_owned));
        self.in_script = name == "script" && value("type") != Some("application/json");
        let sheet = value("href")
            .filter(|href| name == "link" && value("rel") == Some("stylesheet") && is_asset(href));
        self.links.extend(sheet.map(str::to_owned));
        let foreign = ["img", "iframe", "object", "embed", "base", "link", "audio", "video"];
        if foreign.contains(&name) && sheet.is_none() {
            self.wrong = Some(format!("an element <{name}>"));
        }
        for attribute in attributes {
            let (name, value) = (&*attribute.name.local, &*attribute.value);
            let start: String = value.trim_start().chars().take(11).collect();
            let is_address = ["href", "action", "formaction", "src", "data"].contains(&name);
            let acts = name.starts_with("on") || (is_address && start.eq_ignore_ascii_case("javascript:"));
            let loads =
                ["src", "srcset", "poster", "background", "data", "formaction", "ping"].contains(&name);
            if acts || (loads && !value.starts_with("data:")) {
                self.wrong = Some(format!("an attribute {name}={value:.80?}"));
            }
        }
    }
}

impl TokenSink for Tags {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        match token {
            TagToken(tag) if tag.kind == StartTag => {
                page.start(&tag.name, &tag.attrs);
                match &*tag.name {
                    "script" => return TokenSinkResult::RawData(RawKind::ScriptData),
                    "style" => {
                        return TokenSinkResult::RawData(RawKind::Rawtext);
                    }
                    "title" | "textarea" => return TokenSinkResult::RawData(RawKind::Rcdata),
                    _ => {}
                }
            }
            TagToken(tag) if tag.kind == EndTag && &*tag.name == "script" => page.in_script = false,
            CharacterTokens(text) if page.in_script && text.contains(PROBE_CALL) => {
                page.wrong = Some("a script of the log runs".to_owned());
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// An input of the target `trace` as log and trace: its first line is the number of bytes of the log.
pub fn trace_and_log(input: &[u8]) -> (&[u8], &[u8]) {
    let line = input.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let length =
        std::str::from_utf8(&input[..line]).ok().and_then(|text| text.parse().ok()).unwrap_or(0_usize);
    let rest = input.get(line + 1..).unwrap_or_default();
    rest.split_at(length.min(rest.len()))
}
