//! `graph_drawn.html`: which graphs are drawn, that each node is counted once, and what bounds a drawing.

use crate::support::{Log, Page, Report, Run, input, report, reports, select, text_of};

/// The name of the page.
const PAGE: &str = "graph_drawn.html";

/// Bytes of SVG that a page may have.
const MOST_SVG: usize = 200_000;

/// Drawings in a report.
const MOST_DRAWINGS: usize = 40;

fn drawings(report: &Report) -> Vec<String> {
    report.pages().into_iter().filter(|path| path.ends_with(PAGE)).collect()
}

/// The rows of the table in words: the name and the number of nodes, and the sum.
fn rows(page: &Page) -> (Vec<(String, usize)>, usize) {
    let rows = page.all("#blocks-table tbody tr");
    let mut rows: Vec<(String, usize)> = rows
        .into_iter()
        .map(|row| {
            let cells: Vec<String> =
                row.select(&select("td")).map(|cell| text_of(cell).trim().to_owned()).collect();
            (cells[0].clone(), cells[1].replace(',', "").parse().unwrap())
        })
        .collect();
    let (last, sum) = rows.pop().unwrap();
    assert_eq!(last, "Sum");
    (rows, sum)
}

/// The sentence at the top, with plain spaces.
fn verdict(page: &Page) -> String {
    text_of(page.one("h1")).replace('\u{a0}', " ")
}

fn llama() -> Page {
    report("14_llama_infer").page("-_0_0_0/graph_drawn.html")
}

#[test]
fn four_equal_layers_are_drawn_once_with_their_count() {
    let page = llama();
    let verdict = verdict(&page);
    for words in ["390 nodes", "48 lines", "4 layers of 84 nodes each, drawn once, and 54 others"] {
        assert!(verdict.contains(words), "{verdict}");
    }
    let (rows, sum) = rows(&page);
    assert_eq!(sum, 390);
    let of = |name: &str| rows.iter().find(|(one, _)| one == name).map(|(_, nodes)| *nodes);
    assert_eq!(of("layers 0–3"), Some(336));
    assert_eq!((of("embed_tokens"), of("norm"), of("lm_head")), (Some(1), Some(6), Some(4)));
    // The sheet that is seen without a script shows the layers once, opened.
    let first = page.one("#drawn-stage > svg:not([hidden])");
    let blocks: Vec<String> = first.select(&select("g.block > text.name")).map(text_of).collect();
    let named = |name: &str| blocks.iter().filter(|block| *block == name).count();
    assert_eq!((named("layers 0–3"), named("self_attn"), named("mlp")), (1, 1, 1), "{blocks:?}");
    assert!(text_of(first).contains("×4, 84 nodes each, drawn once"));
    assert!(text_of(first).contains("embed_tokens, then the layer before"));
}

#[test]
fn the_rows_in_words_count_each_node_of_the_graph_once() {
    let mut seen = 0;
    for (name, report) in reports() {
        for path in drawings(report) {
            let page = report.page(&path);
            let (rows, sum) = rows(&page);
            assert_eq!(rows.iter().map(|(_, nodes)| nodes).sum::<usize>(), sum, "{name}: {path}");
            let verdict = verdict(&page);
            let nodes = verdict.split(" node").next().unwrap().rsplit([' ', '\n']).next().unwrap();
            assert_eq!(nodes.replace(',', "").parse::<usize>().unwrap(), sum, "{name}: {path}: {verdict}");
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen} drawings");
}

#[test]
fn drawings_keep_their_limits() {
    for (name, report) in reports() {
        let drawings = drawings(report);
        assert!(drawings.len() <= MOST_DRAWINGS, "{name} has {} drawings", drawings.len());
        for path in drawings {
            let svg: usize = report.page(&path).all("svg").iter().map(|svg| svg.html().len()).sum();
            // The parser writes empty shapes with an end tag, which the page does not have.
            assert!(svg <= MOST_SVG * 3 / 2, "{name}: {path} has {svg} bytes of SVG");
            let bytes = report.read(&path);
            let from_first: usize =
                bytes.split("<svg").skip(1).map(|one| one.split("</svg>").next().unwrap().len()).sum();
            assert!(from_first <= MOST_SVG, "{name}: {path} has {from_first} bytes of SVG");
        }
    }
}

#[test]
fn of_many_compiles_the_longest_are_drawn_and_the_others_say_why_they_are_not() {
    let report = report("16_many");
    assert_eq!(drawings(report).len(), MOST_DRAWINGS);
    let viewers = report.pages().into_iter().filter(|path| path.ends_with("/graphs.html"));
    let mut words = [0; 3];
    for path in viewers {
        let about = text_of(report.page(&path).all(".hero p")[0]);
        let found = ["Graph, drawn", "only the 40 compiles that took longest", "only a few operators"];
        let at = found.iter().position(|part| about.contains(part));
        words[at.unwrap_or_else(|| panic!("{path}: {about}"))] += 1;
    }
    assert!(words[0] >= MOST_DRAWINGS && words[1] + words[2] > 100, "{words:?}");
}

#[test]
fn a_kernel_is_named_only_where_torch_mapped_it() {
    let mapped = report("09_provenance").page("-_0_0_0/graph_drawn.html");
    assert!(text_of(mapped.one("h1")).contains("kernel"));
    assert!(!mapped.all("#graph-kernels-table tbody tr").is_empty());
    assert!(!mapped.all("svg g[class^='operator t'] .number").is_empty());
    assert!(llama().all("svg .number").is_empty());
    assert!(llama().all("#graph-kernels-table").is_empty());
}

#[test]
fn the_pages_of_the_compile_and_of_its_graphs_lead_to_the_drawing_and_back() {
    let report = report("14_llama_infer");
    for path in ["-_0_0_0/compile.html", "-_0_0_0/graphs.html"] {
        let page = report.page(path);
        assert!(page.attributes("href").iter().any(|href| href.ends_with(PAGE)), "{path}");
    }
    let hrefs: Vec<String> = llama().attributes("href").into_iter().map(str::to_owned).collect();
    for part in ["graphs.html#", "compile.html"] {
        assert!(hrefs.iter().any(|href| href.contains(part)), "{part}: {hrefs:?}");
    }
}

/// The log with the text of its graphs changed.
fn changed(change: impl Fn(&str) -> String) -> Report {
    let mut log = Log::of(input("14_llama_infer"));
    let graphs = ["inductor_post_grad_graph", "dynamo_output_graph"];
    let mut count = 0;
    for record in &mut log.records {
        let header = String::from_utf8_lossy(&record.header).into_owned();
        if graphs.iter().any(|graph| header.contains(&format!("\"{graph}\""))) {
            let text = change(&String::from_utf8(record.text()).unwrap());
            record.set_payload(text.as_bytes());
            count += 1;
        }
    }
    assert!(count >= 2, "{count} graphs");
    Run::of_bytes("dedicated_log_torch_trace_changed0.log", &log.bytes()).ok()
}

#[test]
fn what_a_graph_says_is_text_on_the_page() {
    let attack = "</script><img src=x onerror=alert(1)>\"'";
    let report = changed(|text| {
        text.replace("modeling_llama.py:", &format!("{attack}.py:"))
            .replace(" in forward,", &format!(" in {attack},"))
            .replace("f32[2, 24, 128]", &format!("f32<b>{}</b>", "9".repeat(5_000)))
            .replace("torch.ops.aten.mul.Tensor", &format!("torch.ops.aten.{}.Tensor", "m".repeat(3_000)))
    });
    let page = report.page("-_0_0_0/graph_drawn.html");
    assert!(page.all("img").is_empty() && page.all("svg b").is_empty());
    assert_eq!(rows(&page).1, 390);
    let texts: Vec<String> = page.all("svg text").into_iter().map(text_of).collect();
    assert!(texts.iter().all(|text| text.chars().count() <= 60), "{texts:?}");
    assert!(report.bytes("-_0_0_0/graph_drawn.html").len() < 600_000);
}

#[test]
fn a_graph_that_is_cut_short_or_damaged_is_drawn_as_far_as_it_goes() {
    let report = changed(|text| text[..text.len() * 2 / 3].to_owned());
    let (rows, sum) = rows(&report.page("-_0_0_0/graph_drawn.html"));
    assert!(sum > 200 && sum < 390, "{sum}");
    assert_eq!(rows.iter().map(|(_, nodes)| nodes).sum::<usize>(), sum);
}
