//! What the page of a compile tells: the function by the name that its reader knows.

use crate::support::{report, text_of};

/// The text of an element, with plain spaces.
fn words(element: scraper::ElementRef<'_>) -> String {
    text_of(element).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_librarys_wrapper_is_named_by_the_model_and_the_readers_line_on_every_page() {
    let report = report("14_llama_infer");
    let page = report.page("-_0_0_0/compile.html");
    let head = words(page.one("h1"));
    assert!(head.contains("LlamaForCausalLM s14_models.py:44"), "{head}");
    assert!(
        head.contains("wrapper transformers/utils/generic.py:937"),
        "torch's name stays beside it: {head}"
    );
    let row = words(report.page("index.html").one("#function-1"));
    assert!(row.contains("LlamaForCausalLM") && row.contains("s14_models.py:44"), "{row}");
    let search = report.read("search.html");
    assert!(search.contains("LlamaForCausalLM"), "the search finds it");
    assert_eq!(report.json["compiles"][0]["function"]["name"], "wrapper", "report.json says what torch says");
}

#[test]
fn a_method_of_the_readers_class_is_named_with_it() {
    let head = words(report("02_train_mlp").page("-_0_0_0/compile.html").one("h1"));
    assert!(head.contains("Mlp.forward s02_train_mlp.py:13"), "{head}");
    let wrapped = words(report("22_vllm_new").page("-_0_0_0/compile.html").one("h1"));
    assert!(wrapped.contains("Sequential s22_vllm_like.py:119"), "{wrapped}");
}

#[test]
fn the_backward_that_compiled_autograd_captured_is_called_so() {
    let head = words(report("07_compiled_autograd").page("0_1_0_0/compile.html").one("h1"));
    assert!(head.contains("backward pass s07_compiled_autograd.py:9"), "{head}");
}
