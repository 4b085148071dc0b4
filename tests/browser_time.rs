//! The flame chart of `time.html` in a real browser: it draws, finds, zooms, and stays quick with 50,000 spans.

use crate::browser::{Window, window};
use crate::support::{Log, Report, Run, input, report};
use std::fmt::Write as _;

/// Spans of the large log.
const MANY: usize = 50_000;

/// Milliseconds that one step of a pan may take, the median of several.
const MOST_A_PAN: f64 = 100.0;

/// How many distinct colors stand on the canvas.
const COLORS: &str = "(c => {
    const pixels = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
    return new Set(pixels).size;
})(document.querySelector('#flame-chart canvas'))";

/// Microseconds that the chart shows.
const SEEN: &str = "(c => c.dataset.to - c.dataset.from)(document.querySelector('#flame-chart canvas'))";

/// Lets the page draw.
const DRAWN: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";

fn open(window: &Window, report: &Report, anchor: &str) {
    window.open(&report.folder.join("time.html"), anchor);
    window.value(DRAWN);
}

/// Presses a key on the chart.
fn press(window: &Window, key: &str) {
    window.value(&format!(
        "document.getElementById('flame-chart').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))"
    ));
    window.value(DRAWN);
}

fn search(window: &Window, text: &str) -> String {
    window.value(&format!(
        "(e => {{ e.value = '{text}'; e.dispatchEvent(new Event('input')); }})(document.getElementById('chart-find'))"
    ));
    window.value(DRAWN);
    let found = window.value("document.getElementById('chart-found').textContent");
    found.as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_flame_chart_draws_in_both_color_schemes() {
    let Some(window) = window() else { return };
    for scheme in ["light", "dark"] {
        window.scheme(scheme);
        open(&window, report("02_train_mlp"), "");
        let colors = window.number(COLORS);
        assert!(colors > 8.0, "{colors} colors in a {scheme} room");
        window.quiet(scheme);
    }
    let dark = window.number(SUM_OF_CORNER);
    window.scheme("light");
    window.value(DRAWN);
    assert!(window.number(SUM_OF_CORNER) > dark + 300.0, "the chart follows the scheme while it is open");
}

/// Red, green and blue at the chart's right lower corner, where nothing stands.
const SUM_OF_CORNER: &str =
    "(c => c.getContext('2d').getImageData(c.width - 2, c.height - 2, 1, 1).data.slice(0, 3)
    .reduce((sum, part) => sum + part, 0))(document.querySelector('#flame-chart canvas'))";

#[test]
fn keys_buttons_and_the_wheel_zoom_and_pan() {
    let Some(window) = window() else { return };
    open(&window, report("03_graph_breaks"), "");
    let all = window.number(SEEN);
    press(&window, "+");
    let zoomed = window.number(SEEN);
    assert!(zoomed < 0.7 * all && zoomed > 0.0, "{zoomed} of {all}");
    let from = "+document.querySelector('#flame-chart canvas').dataset.from";
    let before = window.number(from);
    press(&window, "d");
    assert!(window.number(from) > before && (window.number(SEEN) - zoomed).abs() < 3.0, "a key pans");
    window.click("[data-chart=out]");
    window.value(DRAWN);
    assert!(window.number(SEEN) > zoomed);
    window.click("[data-chart=all]");
    window.value(DRAWN);
    assert_eq!(window.number(SEEN), all);
    let wheel = "document.querySelector('#flame-chart canvas').dispatchEvent(new WheelEvent('wheel',
        { deltaY: -300, ctrlKey: true, clientX: 400, clientY: 300, cancelable: true }))";
    assert!(!window.is_true(wheel), "the page does not zoom too");
    window.value(DRAWN);
    assert!(window.number(SEEN) < all, "Ctrl and the wheel zoom");
    window.quiet("zoom and pan");
}

#[test]
fn the_search_of_the_chart_counts_and_walks_through_what_it_finds() {
    let Some(window) = window() else { return };
    let report = report("03_graph_breaks");
    open(&window, report, "");
    let phases = report.json["compile_time"]["phases"].as_array().unwrap();
    let named =
        |name: &str| phases.iter().find(|phase| phase["name"] == name).unwrap()["count"].as_u64().unwrap();
    let found = search(&window, "build_GUARDS");
    assert!(found.starts_with(&format!("{} of ", named("build_guards"))), "{found}");
    assert!(search(&window, "no such phase").starts_with("0 of "));
    search(&window, "gc");
    window.value(
        "document.getElementById('chart-find').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))",
    );
    window.value(DRAWN);
    let chosen = window.value("document.getElementById('chart-chosen').textContent");
    assert!(chosen.as_str().unwrap().starts_with("gc"), "{chosen}");
    let link = window.value("document.querySelector('#chart-chosen a').getAttribute('href')");
    assert!(report.has(link.as_str().unwrap()), "a selected span leads to its compile: {link}");
    window.quiet("search");
}

#[test]
fn a_compile_page_leads_to_its_place_on_the_chart() {
    let Some(window) = window() else { return };
    let report = report("03_graph_breaks");
    let page = report.page("-_5_0_0/compile.html");
    let link = page.attributes("href").into_iter().find(|href| href.starts_with("../time.html#at-")).unwrap();
    open(&window, report, "");
    let all = window.number(SEEN);
    window.open(&report.folder.join("index.html"), "");
    open(&window, report, link.trim_start_matches("../time.html"));
    assert!(window.number(SEEN) < all / 2.0, "the chart shows the compile's time only");
    assert!(window.is_true("document.getElementById('chart-find').value === '5/0'"));
}

/// What the panel below the chart says of the chosen item.
const CHOSEN: &str = "document.getElementById('chart-chosen').textContent";

/// The address after the script had time to write it.
const ADDRESS: &str = "new Promise(done => setTimeout(() => done(location.hash), 600))";

#[test]
fn the_address_shows_the_same_view_selection_and_search_again() {
    let Some(window) = window() else { return };
    let report = report("03_graph_breaks");
    open(&window, report, "");
    assert_eq!(window.value(ADDRESS), "", "what nobody changed needs no address");
    search(&window, "gc");
    press_in_search(&window, "Enter");
    press(&window, "+");
    press(&window, "d");
    let address = window.value(ADDRESS);
    let address = address.as_str().unwrap();
    for part in ["from=", "to=", "span=", "find=gc"] {
        assert!(address.contains(part), "{address}");
    }
    let view = "JSON.stringify([document.querySelector('#flame-chart canvas').dataset,
        document.getElementById('chart-chosen').textContent, document.getElementById('chart-find').value,
        document.getElementById('chart-range').textContent, document.getElementById('chart-found').textContent])";
    let seen = window.value(view);
    window.open(&report.folder.join("index.html"), "");
    open(&window, report, address);
    assert_eq!(window.value(view), seen, "{address}");
    assert_eq!(window.value(ADDRESS), address);
    press(&window, "Escape");
    search(&window, "");
    assert_eq!(window.value(ADDRESS), "", "all of the log has no address");
    // Nonsense in an address does no harm.
    for odd in ["#from=x&to=&span=-3", "#span=999999999&from=5&to=1", "#find=%22", "#at-999999", "#phase=no"]
    {
        // An address that differs behind the # only opens nothing.
        window.open(&report.folder.join("index.html"), "");
        open(&window, report, odd);
        assert!(window.number(SEEN) > 0.0, "{odd}");
    }
    window.quiet("the address");
}

/// Presses a key in the field of the search.
fn press_in_search(window: &Window, key: &str) {
    window.value(&format!(
        "document.getElementById('chart-find').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))"
    ));
    window.value(DRAWN);
}

#[test]
fn the_chart_is_reached_and_walked_by_keyboard_from_a_compile_to_its_phases() {
    let Some(window) = window() else { return };
    open(&window, report("03_graph_breaks"), "");
    let chart = "document.activeElement.id === 'flame-chart'";
    for _ in 0..60 {
        if window.is_true(chart) {
            break;
        }
        window.press("Tab");
    }
    assert!(window.is_true(chart), "Tab reaches the chart");
    assert!(window.is_true("document.activeElement.getAttribute('aria-describedby') === 'chart-help'"));
    assert!(window.is_true("document.getElementById('chart-chosen').getAttribute('aria-live') === 'polite'"));
    let chosen = |key: &str| {
        window.press(key);
        window.value(DRAWN);
        window.value(CHOSEN).as_str().unwrap().to_owned()
    };
    let all = window.number(SEEN);
    let first = chosen("ArrowDown");
    assert!(first.starts_with("0/0 outer"), "the first row has the compiles: {first}");
    let next = chosen("ArrowRight");
    assert!(next.starts_with("1/0 inner_print"), "{next}");
    let phase = chosen("ArrowDown");
    assert!(phase.starts_with("dynamo › entire_frame_compile") && phase.contains("self "), "{phase}");
    assert!(phase.contains("compile 1/0, inner_print"), "{phase}");
    assert!(phase.contains("one compile of a function"), "it says what the inner phase means: {phase}");
    let inner = chosen("ArrowDown");
    assert!(inner.starts_with("compile_attempt_"), "{inner}");
    assert!(chosen("ArrowUp").starts_with("dynamo"));
    assert!(chosen("ArrowLeft").starts_with("dynamo"), "the phase before it in the row");
    chosen("Enter");
    assert!(window.number(SEEN) < all / 10.0, "Enter zooms to it");
    chosen("-");
    chosen("+");
    assert_eq!(chosen("Escape"), "", "Escape ends the selection");
    assert_eq!(window.number(SEEN), all, "and shows all");
    window.quiet("the keyboard");
}

#[test]
fn a_row_of_the_phases_leads_to_the_longest_span_of_that_phase() {
    let Some(window) = window() else { return };
    let report = report("03_graph_breaks");
    open(&window, report, "");
    let all = window.number(SEEN);
    window.click("#phases-table .phase-name a");
    window.value(DRAWN);
    let chosen = window.value(CHOSEN);
    assert!(chosen.as_str().unwrap().starts_with("compile_file"), "{chosen}");
    assert!(window.number(SEEN) < all, "the chart shows it");
    let found = window.value("document.getElementById('chart-found').textContent");
    let phases = report.json["compile_time"]["phases"].as_array().unwrap();
    let count =
        phases.iter().find(|phase| phase["name"] == "compile_file").unwrap()["count"].as_u64().unwrap();
    assert!(
        found.as_str().unwrap().starts_with(&format!("{count} of ")),
        "all of its spans are found: {found}"
    );
    assert!(window.is_true("document.activeElement.id === 'flame-chart'"));
    // Another page leads to a phase by the anchor of its row.
    window.open(&report.folder.join("index.html"), "");
    open(&window, report, "#phase-2");
    let named = phases[1]["name"].as_str().unwrap();
    let chosen = window.value(CHOSEN);
    assert!(chosen.as_str().unwrap().starts_with(named), "{named}: {chosen}");
    window.quiet("a phase");
}

#[test]
fn a_build_names_its_kernel_where_kernels_are_built_in_order() {
    let Some(window) = window() else { return };
    let report = report("09_provenance");
    open(&window, report, "#find=%22compile_file%22");
    let code = report.read("search.html");
    let mut kernels = std::collections::BTreeSet::new();
    for _ in 0..40 {
        press_in_search(&window, "Enter");
        let chosen = window.value(CHOSEN);
        let kernel = chosen.as_str().unwrap().split("kernel ").nth(1).map(str::to_owned);
        kernels.extend(kernel.and_then(|rest| rest.split("compile ").next().map(str::to_owned)));
    }
    let kernels: Vec<&String> = kernels.iter().filter(|name| name.starts_with("cpp_")).collect();
    assert!(kernels.len() > 5, "{kernels:?}");
    assert!(kernels.iter().all(|name| code.contains(name.as_str())), "{kernels:?}");
}

#[test]
fn the_map_moves_what_is_seen() {
    let Some(window) = window() else { return };
    open(&window, report("03_graph_breaks"), "");
    press(&window, "+");
    press(&window, "+");
    let from = "+document.querySelector('#flame-chart canvas').dataset.from";
    window.value(
        "(map => {
            const { left, width, top } = map.getBoundingClientRect();
            const at = { clientX: left + 0.9 * width, clientY: top + 5, buttons: 1, pointerId: 1 };
            map.dispatchEvent(new PointerEvent('pointermove', at));
        })(document.getElementById('flame-map'))",
    );
    window.value(DRAWN);
    let right = window.number(from);
    let share = "parseFloat(document.querySelector('#flame-map .window').style.left)";
    assert!(right > 0.0 && window.number(share) > 40.0, "{right}");
    window.quiet("the map");
}

#[test]
fn perfetto_gets_the_trace_after_it_has_answered() {
    let Some(window) = window() else { return };
    let report = report("02_train_mlp");
    open(&window, report, "");
    // A frame stands in for the window of Perfetto: an answer has to come from it and from that site.
    let sent = window.value(
        "(async () => {
            const frame = document.createElement('iframe'), sent = [];
            document.body.append(frame);
            const other = frame.contentWindow;
            other.postMessage = (message, site) => {
                sent.push([message, site]);
                const origin = site, data = 'PONG';
                if (message === 'PING') dispatchEvent(new MessageEvent('message', { source: other, origin, data }));
            };
            window.open = site => { sent.push(site); return other; };
            document.getElementById('chart-perfetto').click();
            await new Promise(done => setTimeout(done, 400));
            const trace = JSON.parse(new TextDecoder().decode(sent.at(-1)[0].perfetto.buffer));
            const spans = trace.traceEvents.filter(e => e.ph === 'X');
            return JSON.stringify([sent[0], sent.length, spans.length, spans[0].name]);
        })()",
    );
    let spans = report.json["compile_time"]["phases"].as_array().unwrap();
    let spans: u64 = spans.iter().map(|phase| phase["count"].as_u64().unwrap()).sum();
    assert_eq!(sent, format!("[\"https://ui.perfetto.dev\",3,{spans},\"dynamo\"]"));
    window.quiet("Perfetto");
}

/// The spans of a real log again and again, one after the other, until there are `MANY`.
fn many_spans() -> Vec<u8> {
    let mut log = Log::of(input("03_graph_breaks"));
    let like = log.first("chromium_event").clone();
    let events: Vec<serde_json::Value> = log
        .all("chromium_event")
        .into_iter()
        .map(|index| serde_json::from_slice(&log.records[index].text()).unwrap())
        .filter(|event: &serde_json::Value| event["ph"] != "i")
        .collect();
    let time = |event: &serde_json::Value| event["ts"].as_f64().unwrap();
    let length = time(events.last().unwrap()) - time(&events[0]) + 1_000.0;
    let mut bytes = log.bytes();
    for round in 1..=2 * MANY / events.len() {
        for event in &events {
            let mut text = String::new();
            let at = time(event) + length * round as f64;
            write!(text, "{{\"name\": {}, \"ts\": {at:.1}, \"ph\": {}}}", event["name"], event["ph"])
                .unwrap();
            let envelope =
                "{\"chromium_event\": {}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}";
            let record = like.like(envelope, Some(text.as_bytes()));
            for line in std::iter::once(&record.header).chain(&record.payload) {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
        }
    }
    bytes
}

#[test]
fn a_chart_of_50_000_spans_draws_and_pans_within_a_tenth_of_a_second() {
    let Some(window) = window() else { return };
    let report = Run::of_bytes("many.log", &many_spans()).ok();
    let size = report.bytes("time.html").len();
    assert!(size < 2 << 20, "{size} bytes");
    open(&window, &report, "");
    let found = search(&window, "");
    assert_eq!(found, "");
    let spans = search(&window, "e").replace(',', "");
    let spans: usize = spans.split(' ').nth(2).unwrap().parse().unwrap();
    assert!(spans >= MANY - 1_000, "{spans} spans");
    assert!(window.number(COLORS) > 8.0);
    press(&window, "+");
    // From the key to the frame that shows it.
    let mut pans: Vec<f64> = (0..11)
        .map(|turn| window.work_ms(|window| press(window, if turn % 2 == 0 { "d" } else { "a" })))
        .collect();
    pans.sort_by(f64::total_cmp);
    let median = pans[5];
    println!("{spans} spans, {size} bytes, {median:.1} ms a pan");
    assert!(median < MOST_A_PAN, "{median} ms a pan");
    window.quiet("many spans");
}

#[test]
fn a_span_that_fills_the_one_around_it_alone_shares_its_row_in_the_chart_and_in_the_table() {
    let report = report("02_train_mlp");
    let page = report.page("time.html");
    let phases = |row: &scraper::ElementRef<'_>| -> Vec<String> {
        let codes = crate::support::select(".phase-code");
        row.select(&codes).map(|code| code.attr("data-phase").unwrap().to_owned()).collect()
    };
    let rows: Vec<Vec<String>> = page.all("#phases-table tbody tr").iter().map(phases).collect();
    let together: Vec<_> = rows.iter().filter(|row| row.len() > 1).collect();
    assert!(!together.is_empty(), "{rows:?}");
    let mut names: Vec<&String> = rows.iter().flatten().collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "a phase has one row");
    let Some(window) = window() else { return };
    open(&window, report, "");
    let drawn = "tlparse.timeline.rows.flat()";
    let names = window.value(&format!("JSON.stringify({drawn}.map(tlparse.timeline.nameOf))"));
    let names: Vec<String> = serde_json::from_str(names.as_str().unwrap()).unwrap();
    assert!(names.iter().any(|name| name == "dynamo › entire_frame_compile"), "{names:?}");
    // What is still drawn below a span leaves more than a twentieth of it, or is not alone, or is a compile's first.
    let repeats = format!(
        "{drawn}.filter(item => {{
            const below = tlparse.timeline.childrenOf(item);
            return !tlparse.timeline.isCompile(item) && below.length === 1
                && tlparse.timeline.lengthOf(below[0]) >= 0.95 * tlparse.timeline.lengthOf(item)
                && tlparse.timeline.lengthOf(item) > 0;
        }}).length"
    );
    assert_eq!(window.number(&repeats), 0.0);
    // The shared row is found by either name, and every span still counts.
    assert_eq!(search(&window, "\"entire_frame_compile\""), "1 of 102 spans");
    window.quiet("chart with shared rows");
}
