//! The viewer of graphs in a real browser: two graphs side by side, addresses, the keyboard, operators, colors.

use crate::browser::{Window, window};
use crate::support::report;

/// The graphs of the compile of a log.
fn open(window: &Window, log: &str, folder: &str, address: &str) {
    // A page that only gets another anchor would not be loaded anew.
    window.open(std::path::Path::new("/dev/null"), "");
    window.open(&report(log).folder.join(folder).join("graphs.html"), address);
}

/// The text of a file of a report, without the id below a graph.
fn file(log: &str, path: &str) -> String {
    let text = std::fs::read_to_string(report(log).folder.join(path)).unwrap();
    let graph = text.split("\n # graph id:").next().unwrap();
    graph.trim_end_matches('\n').to_owned()
}

/// Opens all folds of a comparison.
const UNFOLD: &str =
    "while (document.querySelector('#sides .fold-row')) document.querySelector('#sides .fold-row').click()";

/// What stands on one side of a comparison: number, sign and text of each line.
fn side(window: &Window, at: u8) -> Vec<(u64, String, String)> {
    let found = window.value(&format!(
        "JSON.stringify([...document.querySelectorAll('#sides .pair')].map(row => row.children[{at}])
            .filter(line => !line.matches('.filler')).map(line => [+line.dataset.n, line.dataset.sign, line.textContent]))"
    ));
    serde_json::from_str(found.as_str().unwrap()).unwrap()
}

fn hash(window: &Window) -> String {
    window.value("location.hash").as_str().unwrap().to_owned()
}

#[test]
fn two_graphs_are_shown_side_by_side_with_numbered_lines_and_signed_differences() {
    let Some(window) = window() else { return };
    open(&window, "02_train_mlp", "-_0_0_0", "#a=5&b=8");
    window.value(UNFOLD);
    let names = ["aot_joint_graph_5.txt", "aot_forward_graph_8.txt"];
    let files = names.map(|name| file("02_train_mlp", &format!("-_0_0_0/{name}")));
    for (at, (text, changed)) in (0..).zip(files.iter().zip(["−", "+"])) {
        let lines = side(&window, at);
        let numbers: Vec<u64> = lines.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, (1..=lines.len() as u64).collect::<Vec<_>>());
        let shown: Vec<&str> = lines.iter().map(|(.., text)| text.as_str()).collect();
        assert_eq!(shown, text.lines().collect::<Vec<_>>(), "side {at} holds the file");
        assert!(lines.iter().all(|(_, sign, _)| sign.is_empty() || sign == changed));
    }
    // Rows are aligned: both sides of an equal one have one text, and only a row that differs has a filler.
    let odd = window.value(
        "[...document.querySelectorAll('#sides .pair')].filter(row => {
            const [left, right] = row.children;
            const isEqual = left.textContent === right.textContent;
            return isEqual === (row.dataset.change !== undefined) || left.offsetHeight !== right.offsetHeight;
        }).length",
    );
    assert_eq!(odd, 0);
    let ground = |css: &str| {
        window.value(&format!("getComputedStyle(document.querySelector('#sides {css}')).background"))
    };
    let grounds = [".old", ".new", ".filler"].map(|css| ground(css).as_str().unwrap().to_owned());
    assert!(grounds[0] != grounds[1] && grounds[2].contains("repeating-linear-gradient"), "{grounds:?}");
    window.quiet("sides");
}

#[test]
fn keys_and_buttons_go_from_change_to_change_and_the_address_follows() {
    let Some(window) = window() else { return };
    open(&window, "02_train_mlp", "-_0_0_0", "#a=5&b=8");
    let at = "document.querySelector('.sides-head .soft').textContent";
    assert_eq!(window.value(at), "11 changes");
    let is_seen = "(() => {
        const { top, bottom } = document.querySelector('.at-change').getBoundingClientRect();
        return document.querySelector('.sides-head').getBoundingClientRect().bottom <= top + 1 && bottom <= innerHeight;
    })()";
    for (key, change) in [("n", 1), ("n", 2), ("p", 1), ("p", 11), ("n", 1)] {
        window.press(key);
        assert_eq!(window.value(at), format!("change {change} of 11"), "{key}");
        assert_eq!(hash(&window), format!("#a=5&b=8&change={change}"));
        assert!(window.is_true(is_seen), "{key}: change {change} is in view");
    }
    window.click(".sides-head [aria-label='Next change']");
    assert_eq!(window.value(at), "change 2 of 11");
    let rows = "JSON.stringify([...document.querySelectorAll('.at-change')].map(row => row.textContent))";
    let before = window.value(rows);
    open(&window, "02_train_mlp", "-_0_0_0", &hash(&window));
    assert_eq!(window.value(at), "change 2 of 11", "the address shows the same change");
    assert_eq!(window.value(rows), before);
    assert!(window.is_true(is_seen));
    window.quiet("changes");
}

#[test]
fn a_link_shows_the_graph_the_value_and_the_line_of_source_that_were_chosen() {
    let Some(window) = window() else { return };
    let state =
        "JSON.stringify([document.getElementById('left').value, document.getElementById('right').value,
        document.getElementById('said').textContent, document.querySelectorAll('#graph .hit').length,
        document.getElementById('side').textContent])";
    let choices = [
        ("(e => { e.value = 4; e.onchange(); })(document.getElementById('left'))", "#8"),
        (
            "[...document.querySelectorAll('#graph .value')].find(v => v.textContent === 'addmm').click()",
            "#8-L15&value=addmm",
        ),
        ("document.querySelector('#graph .source-mark').click()", "#8&source=/app/s02_train_mlp.py:14"),
        ("(e => { e.value = 5; e.onchange(); })(document.getElementById('right'))", "#a=8&b=9"),
    ];
    open(&window, "02_train_mlp", "-_0_0_0", "");
    assert_eq!(hash(&window), "", "a page that was only opened has the address that it was opened with");
    for (choice, address) in choices {
        window.value(choice);
        assert_eq!(hash(&window), address);
        let chosen = window.value(state);
        open(&window, "02_train_mlp", "-_0_0_0", address);
        assert_eq!(window.value(state), chosen, "{address}");
        assert_eq!(hash(&window), address, "the address stays");
    }
    open(&window, "02_train_mlp", "-_0_0_0", "#8-L15&value=addmm");
    window.press("Escape");
    assert_eq!(
        (hash(&window).as_str(), window.number("document.querySelectorAll('#graph .hit').length")),
        ("#8", 0.0)
    );
    window.quiet("addresses");
}

#[test]
fn operators_are_counted_as_nodes_with_methods_and_without_comments() {
    let Some(window) = window() else { return };
    // `y = self.conv(y.unsqueeze(1)).amax(1)` stands in a comment, and so does `torch.softmax(z, dim=-1)`.
    open(&window, "09_provenance", "-_0_0_0", "");
    let operators =
        "JSON.stringify([...document.querySelectorAll('#side div:last-child li')].map(li => li.textContent))";
    let found = window.value(operators);
    let mut found: Vec<String> = serde_json::from_str(found.as_str().unwrap()).unwrap();
    found.sort();
    assert_eq!(
        found,
        [
            "*1",
            "+1",
            ".amax1",
            ".cumsum1",
            ".sigmoid1",
            ".std1",
            ".unsqueeze1",
            "_C._nn.gelu1",
            "_C._nn.linear2",
            "conv1d1",
            "nn.functional.layer_norm1",
            "softmax1",
        ]
    );
    window.quiet("operators");
}

#[test]
fn the_viewer_colors_a_graph_as_the_pages_of_provenance_do() {
    let Some(window) = window() else { return };
    // Text and class of every part; what is plain is left out, and so is what frees values, which the viewer dims.
    let parts = |lines: &str| {
        let found = window.value(&format!(
            "JSON.stringify([...document.querySelectorAll('{lines}')].map(line => [...line.querySelectorAll('.k, .s, .n, .c, .d')]
                .map(part => [part.textContent.trim(), /\\b[ksncd]\\b/.exec(part.className)[0]])
                .filter(([text, name]) => name !== 'c' && text !== 'None')))"
        ));
        serde_json::from_str::<Vec<Vec<(String, String)>>>(found.as_str().unwrap()).unwrap()
    };
    for pane in ["pre", "post"] {
        open(&window, "09_provenance", "-_0_0_0", "");
        let numbers = window.value("JSON.stringify([...document.querySelectorAll('#graph-files li')].map(li => li.id + li.textContent))");
        let name = if pane == "pre" { "dynamo_output_graph" } else { "inductor_post_grad_graph" };
        let listed: Vec<String> = serde_json::from_str(numbers.as_str().unwrap()).unwrap();
        let line = listed.iter().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{listed:?}"));
        let number: String = line.chars().take_while(char::is_ascii_digit).collect();
        open(&window, "09_provenance", "-_0_0_0", &format!("#{number}"));
        let mut viewer = parts("#graph .line");
        window.open(&report("09_provenance").folder.join("provenance_tracking_-_0_0_0.html"), "");
        let mut pane = parts(&format!("[data-text={pane}] > div > span"));
        pane.truncate(viewer.len());
        viewer.truncate(pane.len());
        assert!(viewer.iter().flatten().count() > 20, "{viewer:?}");
        assert_eq!(viewer, pane);
    }
    window.quiet("colors");
}

#[test]
fn what_a_recompile_changed_is_one_click_away() {
    let Some(window) = window() else { return };
    open(&window, "04_recompiles", "-_0_1_0", "");
    let button = "[...document.querySelectorAll('#pairs button')].find(b => b.textContent === 'inductor post grad graph since 0/0')";
    window.value(&format!("{button}.click()"));
    let said = window.value("document.getElementById('said').textContent");
    assert!(said.as_str().unwrap().contains("of 0/0 to inductor_post_grad_graph"), "{said}");
    let words = window.value(
        "JSON.stringify([...document.querySelectorAll('#sides .new b')].map(word => word.textContent))",
    );
    let words: Vec<String> = serde_json::from_str(words.as_str().unwrap()).unwrap();
    assert!(
        !words.is_empty() && words.iter().all(|word| word == "6"),
        "sizes changed from 4 to 6: {words:?}"
    );
    window.quiet("a recompile");
}

#[test]
fn parameters_of_a_graph_are_folded_until_they_or_an_address_are_asked_for() {
    let Some(window) = window() else { return };
    open(&window, "14_llama_infer", "-_0_0_0", "");
    let folded = "[...document.querySelectorAll('#graph .folded-line')].filter(one => one.offsetHeight > 0).length \
                  + 1000 * document.querySelectorAll('#graph .unfold').length";
    assert!(window.number(folded) >= 1000.0, "a button says how many there are, and none is seen");
    assert_eq!(window.number(folded) % 1000.0, 0.0);
    let said = window.value("document.querySelector('#graph .unfold').textContent");
    assert!(said.as_str().unwrap().contains("parameters"), "{said}");
    window.click("#graph .unfold");
    let left = "document.querySelectorAll('#graph :is(.folded-line, .unfold)').length";
    assert_eq!(window.number(left), 0.0);
    let number = window.value("document.querySelector('#graph .line').id.split('-')[0]");
    open(&window, "14_llama_infer", "-_0_0_0", &format!("#{}-L2", number.as_str().unwrap()));
    assert_eq!(window.number(left), 0.0, "the address of a folded line shows it");
    window.quiet("parameters");
}
