//! The page of measured kernels in a real browser, and the ways between it and the pages of code.

use crate::browser::{Window, window};
use crate::performance::{of_cpu, of_gpu};
use crate::support::Report;
use std::sync::OnceLock;

/// A run of compiled code on a CPU, with its log.
fn cpu() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| of_cpu("24_profile"))
}

/// A run on a GPU, with a roofline and without a log.
fn gpu() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(of_gpu)
}

fn open(window: &Window, report: &Report, page: &str) {
    let (file, anchor) = page.split_at(page.find('#').unwrap_or(page.len()));
    window.open(&report.folder.join(file), anchor);
}

/// Types into the field of the table of kernels, or chooses in its list.
fn enter(window: &Window, tag: &str, value: &str) {
    window.value(&format!(
        "(e => {{ e.value = '{value}'; e.dispatchEvent(new Event('input')); }})(
            document.querySelector(\"{tag}[data-for='kernels-table']\"))"
    ));
}

/// The rows of the table of kernels that can be seen.
const SEEN: &str =
    "[...document.querySelectorAll('#kernels-table tbody tr')].filter(row => row.checkVisibility())";

/// What the card beside the roofline says.
const CARD: &str = "document.querySelector('#point-card').innerText";

/// The row that the focused point leads to.
const FOCUSED: &str = "document.activeElement.getAttribute('href')";

#[test]
fn kernels_are_sorted_by_figures_that_have_a_common_unit() {
    let Some(window) = window() else { return };
    open(&window, cpu(), "performance.html");
    for column in ["Runs", "Time"] {
        let at = window.number(&format!(
            "[...document.querySelectorAll('#kernels-table th')].findIndex(
                head => head.textContent.startsWith('{column}'))"
        ));
        window.click(&format!("#kernels-table th:nth-child({}) button", at + 1.0));
        let falls = format!(
            "(values => values.length > 10 && values.every((value, i) => i === 0 || values[i - 1] >= value))(
                {SEEN}.map(row => row.cells[{at}]).map(cell => {{
                    const units = {{ us: 1, ms: 1e3, s: 1e6 }};
                    const [number, unit] = cell.textContent.split(/\\s/);
                    const known = cell.dataset.v ?? Number(number.replace(',', '')) * (units[unit] ?? 1);
                    return Number.isNaN(Number(known)) ? -1 : Number(known);
                }}))"
        );
        assert!(window.is_true(&falls), "{column}");
    }
    let rate = "[...document.querySelectorAll('#kernels-table th')].find(head => head.textContent.startsWith('Rate'))";
    assert!(
        window.is_true(&format!("!{rate}.querySelector('button')")),
        "rates of FLOPs and of bytes have no common order"
    );
    window.quiet("sorting kernels");
}

#[test]
fn kernels_are_filtered_by_kind_and_name_and_the_count_is_shown() {
    let Some(window) = window() else { return };
    open(&window, cpu(), "performance.html");
    enter(&window, "select", "cpp");
    assert!(window.is_true(&format!("{SEEN}.every(row => row.textContent.includes('cpp_fused'))")));
    let generated = window.number(&format!("{SEEN}.length"));
    assert_eq!(generated, 16.0, "six kernels of the forward graph, ten of the backward");
    enter(&window, "input", "softmax");
    assert_eq!(window.number(&format!("{SEEN}.length")), 2.0);
    let said = window.value("document.querySelector(\"output[data-for='kernels-table']\").textContent");
    assert!(said.as_str().unwrap().starts_with("2 of "), "{said}");
    window.quiet("narrowing kernels");
}

#[test]
fn the_roofline_is_one_stop_for_tab_and_arrows_walk_through_it_by_time() {
    let Some(window) = window() else { return };
    open(&window, gpu(), "performance.html");
    let stops = "document.querySelectorAll('.point[tabindex=\"0\"]').length";
    let points = window.number("document.querySelectorAll('.point').length");
    assert!(points > 5.0, "{points}");
    assert_eq!(window.number(stops), 1.0);
    window.value("document.querySelector('.point[tabindex=\"0\"]').focus()");
    let first = window.value(FOCUSED);
    let card = window.value(CARD);
    window.press("ArrowRight");
    let second = window.value(FOCUSED);
    assert_ne!(first, second);
    assert_ne!(card, window.value(CARD), "the card follows");
    assert_eq!(window.number(stops), 1.0, "the stop follows, too");
    assert_eq!(window.value("document.activeElement.getAttribute('tabindex')"), "0");
    window.press("ArrowLeft");
    assert_eq!(window.value(FOCUSED), first);
    window.press("ArrowLeft");
    let last = window.value(FOCUSED);
    assert!(last != first && last != second, "behind the first comes the last: {last}");
    window.press("Enter");
    let row = window.value("location.hash");
    assert_eq!(row, last);
    let row = row.as_str().unwrap();
    assert!(window.is_true(&format!("document.querySelector('{row}').checkVisibility()")));
    window.quiet("the roofline by keyboard");
}

#[test]
fn hovering_a_point_or_a_row_shows_the_details_of_its_kernel() {
    let Some(window) = window() else { return };
    open(&window, gpu(), "performance.html");
    let attention =
        "[...document.querySelectorAll('.point')].find(point => point.ariaLabel.includes('flash'))";
    let hover = |of: &str| {
        window.value(&format!("{of}.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }}))"))
    };
    hover(&format!("{attention}.firstElementChild"));
    let card = window.value(CARD);
    let card = card.as_str().unwrap();
    for known in
        ["_scaled_dot_product_flash_attention", "16×16×559×64", "TFLOP/s", "of the peak", " registers"]
    {
        assert!(card.contains(known), "{known}: {card}");
    }
    let row = window.value(&format!("{attention}.getAttribute('href')"));
    let row = row.as_str().unwrap();
    assert!(window.is_true(&format!("document.querySelector('{row}').classList.contains('shown')")));
    // Back from a row of another kernel.
    hover(
        "[...document.querySelectorAll('#kernels-table tbody tr')].find(row => row.textContent.includes('aten::mm')).cells[0]",
    );
    let other = window.value(CARD);
    assert!(other != card && other.as_str().unwrap().contains("aten::mm"), "{other}");
    window.quiet("the card");
}

#[test]
fn an_address_of_a_kernel_shows_its_row_and_its_point_after_a_reload_too() {
    let Some(window) = window() else { return };
    open(&window, gpu(), "performance.html#kernel-6");
    let shown = "document.querySelector('.point.shown').getAttribute('href')";
    for _ in 0..2 {
        assert_eq!(window.value(shown), "#kernel-6");
        assert!(window.is_true("document.querySelector('#kernel-6').checkVisibility()"));
        window.follow(|| {
            window.leave("location.reload()");
        });
    }
    // A row beyond those that are shown at first.
    open(&window, cpu(), "performance.html#kernel-44");
    assert!(window.is_true("document.querySelector('#kernel-44').checkVisibility()"));
    window.quiet("addresses of kernels");
}

#[test]
fn a_line_leads_to_its_kernels_and_a_kernel_to_its_lines() {
    let Some(window) = window() else { return };
    open(&window, cpu(), "performance.html");
    window.click("#line-1 a[href^='#kernel-']");
    let kernel = window.value("location.hash");
    let kernel = kernel.as_str().unwrap();
    assert!(kernel.starts_with("#kernel-"), "{kernel}");
    let in_view = |css: &str| {
        window.is_true(&format!(
            "(box => box.top >= 0 && box.top < innerHeight)(document.querySelector('{css}').getBoundingClientRect())"
        ))
    };
    assert!(in_view(kernel));
    window.click(&format!("{kernel} a[href=\"#line-1\"]"));
    assert_eq!(window.value("location.hash"), "#line-1");
    assert!(in_view("#line-1"));
    window.quiet("lines and kernels");
}

#[test]
fn measured_times_of_the_pages_of_code_lead_to_their_row_and_back() {
    let Some(window) = window() else { return };
    open(&window, cpu(), "kernels.html");
    let row = window.value("document.querySelector('#code-table tbody tr:has(a[href^=\"#kernel-\"])').id");
    let row = row.as_str().unwrap().to_owned();
    window.click(&format!("[id='{row}'] a[href^='#kernel-']"));
    let measured = window.value("location.hash");
    window.click(&format!("{} a[href^='#kernel-']", measured.as_str().unwrap()));
    assert_eq!(window.value("location.hash"), format!("#{row}"));
    // From the linked panes: a line of the program, and a call of a kernel.
    let page = cpu().pages().into_iter().find(|page| page.starts_with("provenance_tracking")).unwrap();
    for (table, target) in [("lines-in-words-table", "line"), ("kernels-in-words-table", "kernel")] {
        open(&window, cpu(), &page);
        window.follow(|| window.click(&format!("#{table} a[href*='kernels.html#{target}-']")));
        let row = window.value("location.hash");
        let row = row.as_str().unwrap();
        assert!(window.is_true(&format!("document.querySelector('{row}').checkVisibility()")), "{row}");
    }
    window.quiet("links between pages");
}

#[test]
fn panes_of_provenance_show_the_time_of_each_measured_line_and_call() {
    let Some(window) = window() else { return };
    let page = cpu().pages().into_iter().find(|page| page.starts_with("provenance_tracking")).unwrap();
    open(&window, cpu(), &page);
    for pane in ["source", "kernels"] {
        let times =
            format!("[...document.querySelectorAll('#{pane} pre .heat')].map(time => time.textContent)");
        assert!(
            window
                .is_true(&format!("{times}.length > 2 && {times}.every(time => /\\d.(us|ms)$/.test(time))")),
            "{pane}"
        );
    }
    // A line is still chosen by a click on its time.
    window.click("#source pre .heat");
    assert!(window.is_true("document.querySelectorAll('.linked').length > 2"));
    window.quiet("panes with times");
}

#[test]
fn the_pages_of_a_trace_never_scroll_sideways_on_a_phone() {
    let Some(window) = window() else { return };
    window.width(360);
    let panes = cpu().pages().into_iter().find(|page| page.starts_with("provenance_tracking")).unwrap();
    for (report, page) in [
        (cpu(), "performance.html"),
        (gpu(), "performance.html"),
        (cpu(), "kernels.html"),
        (cpu(), panes.as_str()),
    ] {
        for scheme in ["light", "dark"] {
            window.scheme(scheme);
            open(&window, report, page);
            let width = window.number("document.documentElement.scrollWidth");
            assert!(width <= 360.0, "{page} ({scheme}) is {width} pixels wide");
        }
    }
    window.quiet("pages at 360 pixels");
}
