//! What the page of a compile tells: the function by the name that its reader knows.

use crate::support::{Log, Run, input, report, select, text_of};
use serde_json::Value;

/// The text of an element, with plain spaces.
fn words(element: scraper::ElementRef<'_>) -> String {
    text_of(element).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_field_of_metrics_that_alone_is_not_set_is_named_once() {
    let mut log = Log::of(input("01_inference"));
    log.edit("compilation_metrics", 0, |envelope| {
        let fields = envelope["compilation_metrics"].as_object_mut().unwrap();
        fields.retain(|_, value| !value.is_null());
        fields.insert("zone".to_owned(), Value::Null);
    });
    let report = Run::of_bytes("one_unset.log", &log.bytes()).ok();
    let text = words(report.page("-_0_0_0/compile.html").one("#metrics"));
    assert!(text.contains("Not set: zone."), "{text}");
    assert!(!text.contains("further fields are not set"), "{text}");
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

/// The texts of the cells of a table's rows.
fn rows(page: &crate::support::Page, table: &str) -> Vec<Vec<String>> {
    let row = |row: scraper::ElementRef<'_>| row.select(&select("td")).map(words).collect();
    page.all(&format!("#{table} tbody tr")).into_iter().map(row).collect()
}

#[test]
fn parameters_have_their_state_dict_names_and_are_folded_behind_the_real_inputs() {
    let page = report("14_llama_infer").page("-_0_0_0/compile.html");
    let inputs = rows(&page, "input-tensors-table");
    assert_eq!(inputs.len(), 1, "{inputs:?}");
    assert_eq!(inputs[0][0], "kwargs['input_ids']");
    let parameters = rows(&page, "parameters-table");
    assert_eq!(parameters.len(), 40);
    let name = "self.model.layers.0.mlp.up_proj.weight";
    assert!(parameters.iter().any(|row| row[0] == name), "no {name}");
    let fold = page.one("#input-tensors details.more");
    assert!(fold.attr("open").is_none() && fold.select(&select("#parameters-table")).next().is_some());
    let title = page.all("#parameters-table td [title]")[0].attr("title").unwrap();
    assert!(title.starts_with("L['self']._modules['model']"), "torch's name stays on hover: {title}");
}

#[test]
fn files_are_a_table_of_phase_name_sentence_and_size_and_graphs_open_in_the_viewer() {
    let report = report("05_dynamic_shapes");
    let page = report.page("-_2_1_0/compile.html");
    let files = rows(&page, "files-table");
    assert_eq!(files.len(), 18);
    for row in &files {
        assert!(!row[0].is_empty() && !row[2].is_empty(), "a phase and a sentence for {row:?}");
    }
    assert_eq!(files[0][0], "Dynamo");
    let graph = page.one("#files-table a[href$='graphs.html#71']");
    assert_eq!(text_of(graph), "dynamo_output_graph_71");
    assert!(!report.page("-_2_1_0/graphs.html").all("[id='71']").is_empty(), "the viewer has that graph");
    assert!(
        !page.all("#files-table a[href='dynamo_output_graph_71.txt']").is_empty(),
        "the text is a click away"
    );
}

#[test]
fn every_file_of_every_log_has_its_sentence() {
    for (name, report) in crate::support::reports() {
        for compile in report.json["compiles"].as_array().unwrap() {
            let Some(folder) = compile["attempts"][0]["dir"].as_str() else { continue };
            for row in rows(&report.page(&format!("{folder}/compile.html")), "files-table") {
                assert!(row[2].len() > 5, "{name}: {folder}: {row:?} says nothing");
            }
        }
    }
}

#[test]
fn a_recompile_says_what_changed_and_what_to_do() {
    let report = report("05_dynamic_shapes");
    let page = report.page("-_2_1_0/compile.html");
    let told = words(page.one("#recompilation"));
    assert!(told.contains("Since 2/0 ok: size x.shape[0] 12 → 13"), "{told}");
}

/// A sentence as it stands on a page, where buttons that copy stand beside code.
fn plain(text: &str) -> String {
    let text = text.replace(['`', '\u{a0}'], " ").replace("Copy", " ");
    text.split_whitespace().collect::<Vec<_>>().join("")
}

#[test]
fn the_page_of_a_compile_gives_the_advice_of_its_findings() {
    let mut seen = 0;
    for name in ["03_graph_breaks", "04_recompiles", "05_dynamic_shapes", "06_errors"] {
        let report = report(name);
        let kinds = ["graph_break", "recompilation", "failure"];
        let findings = report.list("findings").iter();
        for finding in findings.filter(|one| kinds.iter().any(|kind| one["kind"] == *kind)) {
            let Some(hint) = finding["hint"].as_str().and_then(|hint| hint.lines().next()) else { continue };
            // The first compile of a function is not yet one too many.
            let ids = finding["compile_ids"].as_array().unwrap().iter();
            for id in ids.skip(usize::from(finding["kind"] == "recompilation")) {
                let folder = report.compile(id.as_str().unwrap())["attempts"][0]["dir"].as_str().unwrap();
                let page = report.page(&format!("{folder}/compile.html"));
                let page = plain(&page.text());
                // The first sentence is the head of a card.
                for sentence in hint.split(". ").map(|sentence| plain(sentence.trim_end_matches('.'))) {
                    assert!(page.contains(&sentence), "{name}: {id} has no {sentence}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn the_page_of_a_compile_has_no_hint_of_torch_that_its_finding_does_not_give() {
    let report = report("03_graph_breaks");
    let broken = report.list("graph_breaks").iter().find(|one| one["line"] == 81).unwrap();
    let page = report.page("-_22_0_0/compile.html");
    // The fields of metrics are as torch wrote them.
    let page: String = ["#breaks", "#restarts", "#why"].map(|part| plain(&words(page.one(part)))).concat();
    for hint in broken["hints"].as_array().unwrap() {
        assert!(!page.contains(&plain(hint.as_str().unwrap())), "{hint}");
    }
    assert!(page.contains(&plain("Compute both sides and choose between them with torch.where")), "{page}");
}

#[test]
fn a_compile_leads_to_the_compiles_beside_it_and_to_the_files_that_readers_open_most() {
    let page = report("16_many").page("-_14_1_0/compile.html");
    let links = page.all(".ways a").into_iter().map(|link| (words(link), link.attr("href").unwrap()));
    let links: Vec<_> = links.collect();
    assert_eq!(links[0], ("‹ 14/0".to_owned(), "../-_14_0_0/compile.html"));
    assert_eq!(links[1], ("› 15/0".to_owned(), "../-_15_0_0/compile.html"));
    let titles: Vec<&str> = links.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles[2..], ["Dynamo graph", "Guard tree", "14/0 ok", "14/1 ok"]);
    assert!(links[2..4].iter().all(|(_, href)| href.starts_with("../-_14_1_0/")), "{links:?}");
    assert_eq!(links[4].1, "../-_14_0_0/compile.html", "its other version");
}

#[test]
fn discarded_attempts_are_shown_with_their_reason() {
    let report = report("03_graph_breaks");
    let restarted = report.json["compiles"].as_array().unwrap().iter();
    let mut restarted = restarted.filter(|compile| compile["attempts"].as_array().unwrap().len() == 2);
    let folder = restarted.next().unwrap()["attempts"][0]["dir"].as_str().unwrap();
    let page = report.page(&format!("{folder}/compile.html"));
    assert!(words(page.one("main")).contains("2 (attempt 0 discarded, attempt 1 kept)"));
    assert!(words(page.one("#restarts")).contains("Attempt 0 ended:"));
}

#[test]
fn stacks_of_symbols_are_folded_and_whole() {
    let report = report("05_dynamic_shapes");
    let page = report.page("-_2_0_0/compile.html");
    for section in ["specializations", "guards-added", "symbols"] {
        let longest = page.all(&format!("#{section} details.fold pre")).into_iter().map(|stack| {
            let shown = stack.children().filter(|child| child.value().is_element()).count();
            let frames = words(scraper::ElementRef::wrap(stack.parent().unwrap()).unwrap());
            assert!(frames.contains(&format!("{shown} frames")), "{section}: all frames stand there");
            shown
        });
        assert!(longest.max().unwrap() > 30, "{section} has torch's frames too");
    }
    assert!(!report.read("-_2_0_0/compile.html").contains("raw.jsonl"), "nothing is left to raw.jsonl");
}

#[test]
fn guards_are_torchs_tree_with_the_readers_lines_and_a_link_to_its_text() {
    let page = report("05_dynamic_shapes").page("-_2_1_0/compile.html");
    let tree = words(page.one("#guard-tree"));
    assert!(tree.contains("TENSOR_MATCH check_tensor(x, Tensor, DispatchKeySet(CPU"), "{tree}");
    assert!(tree.contains("line 21"), "{tree}");
    assert!(tree.contains("LAMBDA_GUARD x.stride()[0] == x.size()[1]"), "{tree}");
    assert!(!tree.contains("L['x']"), "{tree}");
    assert!(!page.all("#guards a[href^='dynamo_cpp_guards_str']").is_empty());
}

#[test]
fn a_clean_export_says_that_export_can_be_used_again() {
    let page = report("11_export_draft_clean").page("export.html");
    assert!(words(page.one("main")).contains("you can return to torch.export.export()"));
}

#[test]
fn fields_of_a_record_that_are_not_set_are_listed() {
    let report = report("05_dynamic_shapes");
    let page = report.page("-_0_0_0/compile.html");
    let fold =
        page.all("#metrics-17 details").into_iter().map(words).find(|fold| fold.contains("are not set"));
    let fold = fold.unwrap();
    assert!(fold.contains("backward_cumulative_compile_time_us") && fold.contains("param_numel"), "{fold}");
}

#[test]
fn the_glossary_explains_what_compiled_autograd_and_ddp_add() {
    let words_of = |log: &str| words(report(log).page("index.html").one("#words"));
    assert!(words_of("07_compiled_autograd").contains("compiled_autograd_graph"));
    let ddp = crate::support::inputs().iter().find(|input| input.name.starts_with("12_ddp_2")).unwrap();
    assert!(words_of(&ddp.name).contains("optimize_ddp_split_graph"));
    let plain = words_of("01_inference");
    assert!(plain.contains("python file.py") && !plain.contains("optimize_ddp"), "{plain}");
}
