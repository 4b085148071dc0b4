//! The linked panes in a real browser: a click in each pane marks the right lines in the others.

use crate::browser::{Window, window};
use crate::support::{Log, Run, input, report};
use std::path::{Path, PathBuf};

/// The lines of a text as a list, from 1; the names of files between source lines are none.
const ROWS: &str = "(text => [...document.querySelectorAll(`[data-text=${text}] > div > span`)])";

/// Numbers of the linked lines of a text.
fn linked(window: &Window, text: &str) -> Vec<u64> {
    let found = window.value(&format!(
        "JSON.stringify({ROWS}('{text}').map((row, at) => row.matches('.linked') ? at + 1 : 0).filter(at => at))"
    ));
    serde_json::from_str(found.as_str().unwrap()).unwrap()
}

/// The element of a line, by the number that its pane shows.
fn line_of(line: &str) -> String {
    format!("document.querySelector('[data-id=\"{line}\"]')")
}

/// A click on a line, as its listener sees it, wherever its pane is scrolled to.
fn click(window: &Window, line: &str) {
    window.value(&format!("{}.click()", line_of(line)));
}

/// Whether a line stands in the part of its pane that is seen.
fn is_seen(window: &Window, line: &str) -> bool {
    window.is_true(&format!(
        "(() => {{ const s = {}, a = s.getBoundingClientRect(), b = s.closest('pre').getBoundingClientRect();
            return a.top >= b.top - 1 && a.bottom <= b.bottom + 1 && a.height > 0; }})()",
        line_of(line)
    ))
}

/// Linked lines that are out of view though all of their text's would fit; those in the source of a kernel are not
/// counted.
const OUT_OF_VIEW: &str = "JSON.stringify([...document.querySelectorAll('.linked-panes pre')].flatMap(box => {
    const rows = [...box.querySelectorAll('.linked:not(.inner, [data-k])')].map(row => row.getBoundingClientRect());
    if (rows.length === 0 || !box.offsetParent) return [];
    const { top } = box.getBoundingClientRect();
    const [from, to] = [rows[0].top - top, rows.at(-1).bottom - top];
    const mostVisible = rows.some(row => row.top >= top - 1 && row.bottom <= top + box.clientHeight + 1);
    const allVisible = from >= -1 && to <= box.clientHeight + 1;
    return allVisible || (to - from > box.clientHeight && mostVisible) ? [] : [box.dataset.text];
}))";

fn page(name: &str, folder: &str) -> PathBuf {
    report(name).folder.join(format!("provenance_tracking_{folder}.html"))
}

#[test]
fn a_click_in_each_pane_marks_the_lines_it_came_from_and_became() {
    let Some(window) = window() else { return };
    window.open(&page("09_provenance", "-_0_0_0"), "");
    let nodes: Vec<u64> = [6].into_iter().chain(9..=19).collect();
    // The whole source of a kernel belongs to it, besides its call.
    let source_and_call: Vec<u64> = (35..=155).chain([417]).collect();
    let source_and_calls: Vec<u64> = (35..=155).chain([406, 417]).collect();
    let post: Vec<u64> = (4..=19).collect();
    let expected: [(&str, [&[u64]; 5]); 5] = [
        ("source-19", [&[1], &[14, 15, 16], &post, &source_and_calls, &[1, 2]]),
        ("pre-15", [&[1], &[15], &[6, 7, 8, 9, 10, 11, 12, 13, 14], &source_and_call, &[2]]),
        ("post-6", [&[1], &[15], &[6], &source_and_call, &[2]]),
        ("py-417", [&[1], &[15, 16], &nodes, &source_and_call, &[2]]),
        ("kernels-2", [&[1], &[15, 16], &nodes, &source_and_call, &[2]]),
    ];
    for (line, panes) in expected {
        click(&window, line);
        for (pane, lines) in ["source", "pre", "post", "py", "kernels"].iter().zip(panes) {
            assert_eq!(linked(&window, pane), lines, "a click on {line} links in {pane}");
        }
        assert!(is_seen(&window, "py-417"), "{line}: the call is scrolled to");
        assert!(window.is_true(&format!("location.hash === '#{line}'")), "{line} is the address");
    }
    // A line inside of a kernel stands for it.
    window.value(&format!("{ROWS}('py')[99].click()"));
    assert_eq!(linked(&window, "py"), source_and_call);
    assert_eq!(linked(&window, "kernels"), [2]);
    assert!(window.is_true("location.hash === '#py-100'"));
    window.quiet("clicks");
}

#[test]
fn before_any_choice_each_source_line_has_one_tint_in_all_panes() {
    let Some(window) = window() else { return };
    for (name, folder) in
        [("09_provenance", "-_0_0_0"), ("10_aoti", "-_-_-_-"), ("21_torch27_09_provenance", "-_0_1_0_2")]
    {
        let path = page(name, folder);
        if !path.exists() {
            continue;
        }
        window.open(&path, "");
        // Every line has the ground of one source line, and the number beside it is that line's; or it belongs to
        // several, has no ground of its own, and says how many more there are.
        let wrong = window.value(
            "(() => {
                const tints = new Map([...document.querySelectorAll('[data-text=source] .mapped')]
                    .map(row => [row.dataset.n, getComputedStyle(row).backgroundColor]));
                const rows = [...document.querySelectorAll('[data-text] [data-tag]')];
                const wrong = rows.filter(row => {
                    const [number, more] = row.dataset.tag.split('+');
                    const ground = getComputedStyle(row).backgroundColor;
                    return more ? [...tints.values()].includes(ground) : ground !== tints.get(number);
                });
                const grounds = new Set(tints.values());
                return JSON.stringify([rows.length, grounds.size === tints.size, wrong.map(row => row.textContent)]);
            })()",
        );
        let (rows, are_distinct, wrong): (usize, bool, Vec<String>) =
            serde_json::from_str(wrong.as_str().unwrap()).unwrap();
        assert!(rows > 30 && are_distinct, "{name}: {rows} lines with a tint");
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        // A choice follows the same links as the tints.
        let differ = window.value(
            "JSON.stringify([...document.querySelectorAll('[data-text=source] .mapped')].filter(source => {
                source.click();
                const number = source.dataset.n;
                const rows = [...document.querySelectorAll('[data-text] .linked')].filter(row => row !== source);
                return rows.some(row => {
                    const [first, more] = row.dataset.tag.split('+');
                    return !more && first !== number;
                }) || [...document.querySelectorAll(`[data-text] [data-tag=\"${number}\"]`)].some(row => !row.matches('.linked'));
            }).map(row => row.dataset.n))",
        );
        assert_eq!(differ, "[]", "{name}");
    }
    window.quiet("tints");
}

#[test]
fn no_linked_line_is_out_of_view_after_a_choice_with_wrapped_lines_too() {
    let Some(window) = window() else { return };
    for (name, folder) in
        [("09_provenance", "-_0_0_0"), ("09_provenance", "-_0_1_0_2"), ("10_aoti", "-_-_-_-")]
    {
        window.open(&page(name, folder), "");
        for wrapped in [false, true] {
            if wrapped {
                window.click("#wrap");
            }
            for text in ["source", "kernels"] {
                let count = window.number(&format!("{ROWS}('{text}').length")) as usize;
                for at in 0..count {
                    window.value(&format!("{ROWS}('{text}')[{at}].click()"));
                    let out = window.value(OUT_OF_VIEW);
                    assert_eq!(out, "[]", "{name}, {text} {at}, wrapped: {wrapped}");
                }
            }
        }
        // What is chosen stays in view where the lines become longer.
        window.value(&format!("{ROWS}('kernels')[1].click()"));
        for _ in 0..2 {
            window.click("#wrap");
            assert_eq!(window.value(OUT_OF_VIEW), "[]", "{name}: after a change of wrapping");
        }
    }
    window.quiet("wrapped");
}

#[test]
fn a_list_that_does_not_fit_shows_the_linked_lines_only() {
    let Some(window) = window() else { return };
    window.open(&page("09_provenance", "-_0_0_0"), "");
    window.value("document.querySelector('.linked-panes').style.height = '140px'");
    window.value("document.querySelector('.linked-panes').style.minHeight = '0'");
    // This kernel belongs to the lines 21 to 23; the fifth of seven.
    click(&window, "kernels-5");
    let shown = "JSON.stringify([...document.querySelectorAll('[data-text=source] span.mapped')]
        .filter(row => row.offsetHeight > 0).map(row => row.dataset.n))";
    assert_eq!(window.value(shown), "[\"21\",\"22\",\"23\"]");
    window.press("Escape");
    assert_eq!(window.value(shown), "[\"19\",\"20\",\"21\",\"22\",\"23\"]");
    window.quiet("short lists");
}

#[test]
fn an_address_names_a_line_by_its_shown_number_and_lands_with_the_heads_in_sight() {
    let Some(window) = window() else { return };
    let path = page("09_provenance", "-_0_0_0");
    let heads = "[...document.querySelectorAll('.linked-panes header')].every(head => {
        const { top, bottom } = head.getBoundingClientRect();
        return document.querySelector('.tabs').getBoundingClientRect().bottom <= top && bottom <= innerHeight;
    })";
    for line in ["source-21", "kernels-5", "post-31", "py-438", "py-200", "pre-22"] {
        window.open(Path::new("/dev/null"), "");
        window.open(&path, &format!("#{line}"));
        window.value("new Promise(done => setTimeout(done, 100))");
        assert!(window.is_true(heads), "{line}: the heads of the panes are in sight");
        let chosen = window.value("document.querySelector('.selected')?.dataset.id || ''");
        // A line in the source of a kernel has no anchor of its own.
        assert_eq!(chosen, if line == "py-200" { "" } else { line });
        assert!(window.is_true(&format!("location.hash === '#{line}'")));
        assert!(window.is_true("document.querySelector('.chosen .selected.linked') !== null"), "{line}");
    }
    let links =
        window.value("document.querySelectorAll('#lines-in-words-table a[href^=\"#source\"]').length");
    assert_eq!(links, 5);
    window.value("document.querySelector('#lines-in-words-table a[href=\"#source-22\"]').click()");
    window.value("new Promise(done => setTimeout(done, 100))");
    assert!(window.is_true(heads), "a link below the panes leads up to them");
    assert_eq!(window.value("document.querySelector('.selected').dataset.n"), "22");
    window.quiet("addresses");
}

#[test]
fn matches_are_stepped_through_and_the_keyboard_goes_from_line_to_line() {
    let Some(window) = window() else { return };
    window.open(&page("09_provenance", "-_0_0_0"), "");
    click(&window, "kernels-2");
    let at = "document.querySelector('#post [data-at]').textContent";
    // Neighbors are one match.
    assert_eq!(window.value(at), "1 of 2");
    window.click("#post [data-step='1']");
    assert_eq!(window.value(at), "2 of 2");
    assert!(window.is_true(&format!("{}.classList.contains('stepped-to')", line_of("post-9"))));
    window.press("n");
    assert_eq!(window.value(at), "1 of 2", "n goes on where the buttons were");
    window.value("document.querySelector('[data-text=pre]').focus()");
    for (key, line) in [("ArrowDown", "pre-19"), ("ArrowUp", "pre-16"), ("ArrowUp", "pre-15")] {
        // The pane is at the last of its two marked lines first, as it was chosen from the kernel.
        if line == "pre-19" {
            click(&window, "pre-16");
            window.value("document.querySelector('[data-text=pre]').focus()");
        }
        window.press(key);
        assert!(window.is_true(&format!("location.hash === '#{line}'")), "{key} leads to {line}");
    }
    window.press("ArrowRight");
    assert_eq!(window.value("document.activeElement.dataset.text"), "post");
    window.press("Escape");
    assert!(window.is_true("document.getElementById('release').hidden"));
    assert!(
        window.is_true("document.querySelector('.linked') === null && location.hash === ''"),
        "all tints are back"
    );
    window.press("3");
    assert!(window.is_true("location.hash === '#source-21'"), "a digit chooses a source line");
    let pressed = "document.querySelector('.line-keys [aria-pressed=true]')?.textContent || ''";
    assert_eq!(window.value(pressed), "21");
    window.click(".line-keys [data-place='4']");
    assert_eq!(window.value(pressed), "23");
    window.click(".line-keys [data-place='4']");
    assert_eq!(window.value(pressed), "");
    window.quiet("keys");
}

#[test]
fn files_of_aotinductor_can_be_switched_and_a_kernels_source_represents_its_call() {
    let Some(window) = window() else { return };
    window.open(&page("10_aoti", "-_-_-_-"), "");
    let hidden = |file: &str| window.is_true(&format!("document.querySelector('[data-text={file}]').hidden"));
    assert!(!hidden("cpp") && hidden("kernelcode"));
    window.click("button[data-file=kernelcode]");
    assert!(hidden("cpp") && !hidden("kernelcode"));
    window.value("document.querySelector('[data-text=kernelcode] .mapped').click()");
    assert_eq!(linked(&window, "kernels"), [2], "the first kernel of the file is called second");
    assert_eq!(linked(&window, "cpp").len(), 1);
    window.value(&format!("{ROWS}('source')[0].click()"));
    assert_eq!(linked(&window, "post"), [13, 14, 17], "lines of a library lead back to the program's");
    for (text, tokens) in [("cpp", 200), ("kernelcode", 20), ("pre", 5), ("post", 20)] {
        let found = format!("document.querySelectorAll('[data-text={text}] :is(.k, .s, .n, .c, .d)').length");
        assert!(window.number(&found) > f64::from(tokens), "{text} is highlighted");
    }
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
    let call = text.all(".mapped[data-id^=py-]:not([data-k])")[3].attr("data-id").unwrap();
    let call = call.trim_start_matches("py-").to_owned();
    window.value(&format!("location.hash = '#py-{call}'"));
    window.value("new Promise(done => setTimeout(done, 50))");
    assert!(linked(&window, "py").contains(&call.parse().unwrap()), "{call} is marked");
    assert!(!linked(&window, "kernels").is_empty(), "and the kernel it calls");
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
    let shown = window.work_ms(|window| {
        window.open(&report.folder.join("provenance_tracking_-_0_0_0.html"), "");
    });
    assert!(shown < 5_000.0, "{shown} ms until it is shown");
    let last = window.number(
        "document.querySelector('[data-text=post] > div:last-child > span:last-child').textContent.length",
    );
    assert!(last > 0.0);
    let clicks = ["kernels-1", "post-6", "source-23", "py-451"].map(|place| {
        window.value("(document.querySelector('[data-id=kernels-2]').click(), document.body.offsetHeight)");
        let click =
            format!("(document.querySelector('[data-id={place}]').click(), document.body.offsetHeight)");
        window.work_ms(|window| drop(window.value(&click)))
    });
    println!("{n} lines, {shown:.0} ms to open, {clicks:.0?} ms a click");
    assert!(clicks.iter().all(|took| *took < 500.0), "{clicks:?} ms for a click");
    window.quiet("large");
}
