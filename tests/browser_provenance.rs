//! The linked panes in a real browser: a click in each pane marks the right lines in the others.

use crate::browser::{Window, window};
use crate::support::{Log, Run, input, report};
use std::path::PathBuf;

/// Numbers of the marked lines of a pane.
fn marked(window: &Window, pane: &str) -> Vec<u64> {
    let found = window.value(&format!(
        "JSON.stringify([...document.querySelectorAll('[data-text={pane}] .hit')].map(s => +s.id.split('-').pop()))"
    ));
    serde_json::from_str(found.as_str().unwrap()).unwrap()
}

/// A click on a line, as its listener sees it, wherever its pane is scrolled to.
fn click(window: &Window, line: &str) {
    window.value(&format!("document.getElementById('{line}').click()"));
}

/// Whether a line stands in the part of its pane that is seen.
fn is_seen(window: &Window, line: &str) -> bool {
    window.is_true(&format!(
        "(() => {{ const s = document.getElementById('{line}'), a = s.getBoundingClientRect(), b = s.closest('pre').getBoundingClientRect();
            return a.top >= b.top - 1 && a.bottom <= b.bottom + 1 && a.height > 0; }})()"
    ))
}

fn page(name: &str, folder: &str) -> PathBuf {
    report(name).folder.join(format!("provenance_tracking_{folder}.html"))
}

#[test]
fn a_click_in_each_pane_marks_the_lines_it_came_from_and_became() {
    let Some(window) = window() else { return };
    window.open(&page("09_provenance", "-_0_0_0"), "");
    let nodes: Vec<u64> = [6].into_iter().chain(9..=19).collect();
    let expected: [(&str, [&[u64]; 5]); 5] = [
        (
            "source-1",
            [
                &[1],
                &[14, 15, 16],
                &[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
                &[406, 417],
                &[1, 2],
            ],
        ),
        ("pre-15", [&[1], &[15], &[6, 7, 8, 9, 10, 11, 12, 13, 14], &[417], &[2]]),
        ("post-6", [&[1], &[15], &[6], &[417], &[2]]),
        ("py-417", [&[1], &[15, 16], &nodes, &[417], &[2]]),
        ("kernels-2", [&[1], &[15, 16], &nodes, &[417], &[2]]),
    ];
    for (line, panes) in expected {
        click(&window, line);
        for (pane, lines) in ["source", "pre", "post", "py", "kernels"].iter().zip(panes) {
            assert_eq!(marked(&window, pane), lines, "a click on {line} marks in {pane}");
        }
        assert!(is_seen(&window, "py-417") || line == "source-1", "{line}: the call is scrolled to");
        assert!(window.is_true(&format!("location.hash === '#{line}'")), "{line} is the address");
    }
    window.quiet("clicks");
}

#[test]
fn matches_are_stepped_through_and_the_keyboard_goes_from_line_to_line() {
    let Some(window) = window() else { return };
    window.open(&page("09_provenance", "-_0_0_0"), "");
    click(&window, "kernels-2");
    let at = "document.querySelector('#post [data-at]').textContent";
    assert_eq!(window.value(at), "1 of 12");
    window.click("#post [data-step='1']");
    assert_eq!(window.value(at), "2 of 12");
    assert!(window.is_true("document.getElementById('post-9').classList.contains('stepped-to')"));
    window.value("document.querySelector('[data-text=pre]').focus()");
    for (key, line) in [("ArrowDown", "pre-19"), ("ArrowUp", "pre-16"), ("ArrowUp", "pre-15")] {
        // The pane is at the last of its two marked lines first, as it was chosen from the kernel.
        if line == "pre-19" {
            click(&window, "pre-16");
            window.value("document.querySelector('[data-text=pre]').focus()");
        }
        window.tab.press_key(key).unwrap();
        assert!(window.is_true(&format!("location.hash === '#{line}'")), "{key} leads to {line}");
    }
    window.tab.press_key("ArrowRight").unwrap();
    assert_eq!(window.value("document.activeElement.dataset.text"), "post");
    window.tab.press_key("Escape").unwrap();
    assert!(window.is_true("document.getElementById('free').hidden"));
    window.quiet("keys");
}

#[test]
fn files_of_aotinductor_are_switched_and_a_kernels_source_stands_for_its_call() {
    let Some(window) = window() else { return };
    window.open(&page("10_aoti", "-_-_-_-"), "");
    let hidden = |file: &str| window.is_true(&format!("document.querySelector('[data-text={file}]').hidden"));
    assert!(!hidden("cpp") && hidden("kernelcode"));
    window.click("button[data-file=kernelcode]");
    assert!(hidden("cpp") && !hidden("kernelcode"));
    window.value("document.querySelector('[data-text=kernelcode] .mapped').click()");
    assert_eq!(marked(&window, "kernels"), [2], "the first kernel of the file is called second");
    assert_eq!(marked(&window, "cpp").len(), 1);
    click(&window, "source-1");
    assert_eq!(marked(&window, "post"), [13, 14, 17], "lines of a library lead back to the program's");
    window.quiet("files");
}

#[test]
fn a_narrow_window_shows_one_pane_and_a_link_opens_its_line() {
    let Some(window) = window() else { return };
    window.value("1");
    let path = page("09_provenance", "-_0_1_0");
    window.open(&path, "");
    window.value("location.hash = '#py-420'");
    let text = report("09_provenance").page("provenance_tracking_-_0_1_0.html");
    let call = text.all(".mapped[id^=py-]")[3].attr("id").unwrap().trim_start_matches("py-").to_owned();
    window.value(&format!("location.hash = '#py-{call}'"));
    window.value("new Promise(done => setTimeout(done, 50))");
    assert!(marked(&window, "py").contains(&call.parse().unwrap()), "{call} is marked");
    assert!(!marked(&window, "kernels").is_empty(), "and the kernel it calls");
    window.quiet("links");
}

/// Bytes of the large graph.
const LARGE: usize = 2 << 20;

#[test]
fn a_graph_of_two_megabytes_opens_within_seconds_and_answers_a_click_at_once() {
    let Some(window) = window() else { return };
    let mut log = Log::of(input("09_provenance"));
    let at = log.all("artifact").into_iter().find(|at| {
        String::from_utf8_lossy(&log.records[*at].header).contains("\"inductor_post_grad_graph\"")
    });
    let at = at.unwrap();
    let text = String::from_utf8(log.records[at].text()).unwrap();
    let (body, end) = text.split_once("        return (").unwrap();
    let mut large = body.to_owned();
    let mut n = 0;
    while large.len() < LARGE {
        large.push_str(&format!(
            "        more_{n}: \"f32[12, 24][24, 1]cpu\" = torch.ops.aten.add.Tensor(add_3, {n});  add_3 = None\n"
        ));
        n += 1;
    }
    large.push_str(&format!("        return ({end}"));
    log.records[at].set_payload(large.as_bytes());
    let report = Run::of_bytes("large.log", &log.bytes()).ok();
    let begin = std::time::Instant::now();
    window.open(&report.folder.join("provenance_tracking_-_0_0_0.html"), "");
    window.value("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
    assert!(begin.elapsed().as_secs_f64() < 10.0, "{:?} until it is shown", begin.elapsed());
    let last = window.number(
        "document.querySelector('[data-text=post] > div:last-child > span:last-child').textContent.length",
    );
    assert!(last > 0.0);
    let took = window.number(
        "(() => { const from = performance.now(); let worst = 0;
            for (const id of ['kernels-1', 'post-6', 'source-5', 'py-451']) {
                const begin = performance.now();
                document.getElementById(id).click();
                document.body.offsetHeight;
                worst = Math.max(worst, performance.now() - begin);
            }
            return worst; })()",
    );
    println!("{} lines, {took:.0} ms the slowest click", n);
    assert!(took < 500.0, "{took} ms for a click");
    window.quiet("large");
}
