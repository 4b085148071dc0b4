//! The drawing of a graph in a real browser: pointer, keys, addresses, and the page without a script.

use crate::support::window::{Window, window};
use crate::support::{Report, report};

fn open(window: &Window, report: &Report, address: &str) {
    window.open(&report.folder.join("-_0_0_0/graph_drawn.html"), "");
    if !address.is_empty() {
        window.value(&format!("location.hash = '{address}'"));
        settle(window);
    }
}

/// Waits for the script to follow the address.
fn settle(window: &Window) {
    window.value("new Promise(done => setTimeout(done, 60))");
}

fn press(window: &Window, key: &str) {
    window.value(&format!(
        "document.getElementById('drawn-stage').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true, cancelable: true }}))"
    ));
}

/// What is said about the chosen box.
fn panel(window: &Window) -> String {
    window.value("document.getElementById('drawn-about').textContent").as_str().unwrap().to_owned()
}

fn address(window: &Window) -> String {
    window.value("decodeURIComponent(location.hash)").as_str().unwrap().to_owned()
}

/// The name of the sheet that is shown, as the trail ends with it.
fn sheet(window: &Window) -> String {
    let shown = window.number("document.querySelectorAll('#drawn-stage > svg:not([hidden])').length");
    assert_eq!(shown, 1.0, "one sheet is shown");
    window.value("document.querySelector('#drawn-trail b').textContent").as_str().unwrap().to_owned()
}

#[test]
fn names_can_be_read_at_first_and_the_first_box_is_in_sight() {
    let Some(window) = window() else { return };
    for size in [1400, 500, 360] {
        window.width(size);
        open(&window, report("14_llama_infer"), "");
        let scale = "(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)(document.querySelector('#drawn-stage > svg:not([hidden])'))";
        assert!(window.number(scale) > 0.99, "{size}: {}", window.number(scale));
        let first = "(([inner, outer]) => inner.left >= outer.left && inner.right <= outer.right)([
            document.querySelector('#drawn-stage > svg:not([hidden]) [data-at^=i]'), document.getElementById('drawn-stage'),
        ].map(one => one.getBoundingClientRect()))";
        assert!(window.is_true(first), "{size}");
    }
}

#[test]
fn keys_walk_along_edges_open_a_block_and_go_up_again() {
    let Some(window) = window() else { return };
    open(&window, report("14_llama_infer"), "");
    assert_eq!(sheet(&window), "LlamaForCausalLM");
    press(&window, "ArrowDown");
    assert!(panel(&window).contains("input_ids"), "{}", panel(&window));
    press(&window, "ArrowDown");
    assert_eq!(address(&window), "#embed_tokens");
    press(&window, "ArrowDown");
    assert_eq!(address(&window), "#layers");
    press(&window, "Enter");
    assert_eq!(sheet(&window), "layers 0–3");
    for _ in 0..2 {
        press(&window, "ArrowDown");
    }
    assert_eq!(address(&window), "#layers.self_attn");
    press(&window, "Enter");
    assert_eq!(sheet(&window), "self_attn");
    press(&window, "Backspace");
    assert_eq!(sheet(&window), "layers 0–3");
    assert!(panel(&window).starts_with("self_attn"), "{}", panel(&window));
    press(&window, "Backspace");
    assert_eq!(sheet(&window), "LlamaForCausalLM");
    press(&window, "Escape");
    assert!(panel(&window).contains("Nothing chosen"));
    let view = "document.querySelector('#drawn-stage > svg:not([hidden])').getAttribute('viewBox')";
    press(&window, "0");
    let before = window.value(view);
    press(&window, "+");
    assert_ne!(window.value(view), before);
    press(&window, "0");
    assert_eq!(window.value(view), before);
    window.quiet("keys");
}

#[test]
fn addresses_name_blocks_and_operators_also_of_layers_that_are_drawn_once() {
    let Some(window) = window() else { return };
    let llama = report("14_llama_infer");
    open(&window, llama, "#layers.self_attn");
    assert_eq!(sheet(&window), "self_attn");
    let said = panel(&window);
    assert!(
        said.contains("53 in each of 4 layers") && said.contains("q_proj.weight f32[128, 128]"),
        "{said}"
    );
    open(&window, llama, "#mm_7");
    let said = panel(&window);
    assert!(
        said.starts_with("mm ") && said.contains("also for mm_7, mm_14, mm_21"),
        "the first layer's stands for it: {said}"
    );
    for part in ["modeling_llama.py:243", "f32[48, 128]", "q_proj.weight", "line "] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let text = window.value("[...document.querySelectorAll('#drawn-about a')].at(-1).getAttribute('href')");
    assert!(
        text.as_str().unwrap().starts_with("graphs.html#")
            || text.as_str().unwrap().contains("/graphs.html#")
    );
    window.quiet("addresses");
}

#[test]
fn a_click_chooses_a_second_one_opens_and_neighbors_are_buttons() {
    let Some(window) = window() else { return };
    open(&window, report("14_llama_infer"), "");
    window.value(
        "[...document.querySelectorAll('#drawn-stage > svg:not([hidden]) .block')]
            .find(block => block.textContent.startsWith('rotary_emb')).id = 'rotary'",
    );
    window.click("#rotary");
    assert_eq!(address(&window), "#rotary_emb");
    window.click("#rotary");
    assert_eq!(sheet(&window), "rotary_emb");
    open(&window, report("14_llama_infer"), "#mul_3");
    let before = address(&window);
    window.click("#drawn-about dd .button");
    assert_ne!(address(&window), before);
    window.quiet("clicks");
}

#[test]
fn a_kernel_is_chosen_by_its_button_or_by_a_node_and_leads_to_code() {
    let Some(window) = window() else { return };
    open(&window, report("09_provenance"), "");
    let last = "document.querySelector('.kernel-keys li:last-child')";
    let named = window.value(&format!("{last}.querySelector('code').textContent"));
    let in_view = "[...document.querySelectorAll('#drawn-stage > svg:not([hidden]) .same-kernel')].some(box => {
        const [inner, outer] = [box, document.getElementById('drawn-stage')].map(one => one.getBoundingClientRect());
        return inner.top >= outer.top && inner.bottom <= outer.bottom;
    })";
    window.click(".kernel-keys li:last-child button");
    assert!(window.is_true(in_view), "the drawing moves to the boxes of the kernel");
    let said = panel(&window);
    assert!(said.starts_with(named.as_str().unwrap()) && said.contains("call, line"), "{said}");
    let kernel = address(&window);
    assert!(kernel.starts_with("#kernel-"), "{kernel}");
    // The table below and a link lead to the same.
    open(&window, report("09_provenance"), "");
    window.click(&format!("#graph-kernels-table a[href=\"{kernel}\"]"));
    settle(&window);
    assert!(window.is_true(in_view));
    assert_eq!(panel(&window), said);
    window.value(
        "document.querySelector('#drawn-stage > svg:not([hidden]) [class^=\"operator t\"]').id = 'computed'",
    );
    window.click("#computed");
    let links = window
        .value("[...document.querySelectorAll('#drawn-about a')].map(a => a.getAttribute('href')).join(' ')");
    let links = links.as_str().unwrap();
    assert!(links.contains("inductor_output_code") && links.contains("provenance_tracking"), "{links}");
    window.quiet("kernels");
}

#[test]
fn without_a_script_the_first_sheet_is_there_and_controls_are_not() {
    let Some(window) = window() else { return };
    let (_copy, folder) = report("14_llama_infer").copied();
    let page = folder.join("-_0_0_0/graph_drawn.html");
    let text = std::fs::read_to_string(&page).unwrap();
    // A policy that allows no script stands for a browser without them.
    let start = text.find("script-src ").unwrap();
    let end = start + text[start..].find(';').unwrap();
    std::fs::write(&page, format!("{}script-src 'none'{}", &text[..start], &text[end..])).unwrap();
    window.open(&page, "");
    assert!(
        window.is_true("document.querySelector('#drawn-stage > svg').getBoundingClientRect().height > 300")
    );
    assert!(window.is_true("!document.querySelector('.stage-tools').checkVisibility()"));
    let shown =
        "[...document.querySelectorAll('#drawn-stage > svg')].filter(svg => svg.checkVisibility()).length";
    assert_eq!(window.number(shown), 1.0);
    // The refused scripts are all that went wrong.
    assert!(window.take_wrong().iter().all(|wrong| wrong.contains("script")));
}
