//! Places that scripts draw lead to the editor that was named, and to none without it.

use crate::browser::{Window, window};
use crate::support::{Report, Run, input, report};

/// The addresses that lead to the editor.
const OPENED: &str =
    "JSON.stringify([...document.querySelectorAll('a.in-editor')].map(a => a.getAttribute('href')))";

fn opened(window: &Window) -> Vec<String> {
    serde_json::from_str(window.value(OPENED).as_str().unwrap()).unwrap()
}

/// The pages whose scripts draw places, each at an address at which it shows one, and what is looked for there.
const PAGES: [(&str, &str, &str); 4] = [
    ("-_0_0_0/graphs.html", "", ".py:19"),
    ("provenance_tracking_-_0_0_0.html", "#source-19", ".py:19"),
    ("search.html", "?q=s09_provenance.py:18", ".py:18"),
    ("time.html", "#span=0", ".py:18"),
];

fn open(window: &Window, report: &Report, page: &str, address: &str) {
    // A page that only gets another anchor would not be loaded anew.
    window.open(std::path::Path::new("/dev/null"), "");
    window.open(&report.folder.join(page), address);
    window.quiet(page);
}

/// The address of a graph that names a line of the program.
fn graph_with_source(window: &Window, report: &Report, page: &str) -> String {
    open(window, report, page, "");
    let found = window.value(
        "(() => { const data = JSON.parse(document.getElementById('graphs-data').textContent);
            for (const graph of data.graphs) {
                const place = /# File: (.+?:19) in/.exec(data.texts[graph.text] ?? '');
                if (place) return `#${graph.number}&source=${place[1]}`;
            } })()",
    );
    found.as_str().expect("no graph names line 19").to_owned()
}

#[test]
fn places_that_scripts_draw_open_in_the_editor_that_was_named_and_only_then() {
    let Some(window) = window() else { return };
    let plain = report("09_provenance");
    let edited = Run::of(&input("09_provenance").path).args(["--editor", "vscode"]).ok();
    for (page, address, line) in PAGES {
        let address = match page.ends_with("graphs.html") {
            true => graph_with_source(&window, plain, page),
            false => address.to_owned(),
        };
        open(&window, plain, page, &address);
        assert!(opened(&window).is_empty(), "{page} without an editor");
        open(&window, &edited, page, &address);
        let found = opened(&window);
        let fits = |href: &String| href.starts_with("vscode://file/") && href.ends_with(line);
        assert!(found.iter().any(fits), "{page}{address}: {found:?}");
    }
}

#[test]
fn scripts_and_pages_write_the_same_address_for_any_file_name() {
    let Some(window) = window() else { return };
    let pattern = "editor://open?f={file}&l={line}&x=<\"$&";
    let edited = Run::of(&input("09_provenance").path).args(["--editor", pattern]).ok();
    open(&window, &edited, "time.html", "");
    let href = |file: &str| {
        let file = serde_json::to_string(file).unwrap();
        window.value(&format!("tlparse.editor.hrefOf({file}, 7)"))
    };
    let expected =
        "editor://open?f=/a%22onclick%3Dalert%281%29/%7Bline%7D%3Fx%23y%26%27%2A%24%26z%2B.py&l=7&x=<\"$&";
    // The page of links in kit/urls.rs leaves a plus as it is.
    let expected = expected.replace("%2B", "+");
    assert_eq!(href("/a\"onclick=alert(1)/{line}?x#y&'*$&z+.py"), expected.as_str());
    assert_eq!(href("C:\\app\\m.py"), "editor://open?f=/C%3A/app/m.py&l=7&x=<\"$&");
    for nowhere in ["<eval_with_key>.7", "<string>", "model.py", "", "javascript:alert(1)"] {
        assert!(href(nowhere).is_null(), "{nowhere}");
    }
}
