//! What `vllm.html` tells of logs with vLLM's events: every event, each file with its piece, what each pass changed.

use crate::browser::window;
use crate::support::{Log, Page, Record, Report, Run, input, report, select, text_of};
use serde_json::Value;
use std::collections::BTreeMap;

const LOG: &str = "22_vllm_new";

fn vllm_log() -> Log {
    Log::of(input(LOG))
}

fn written(log: &Log) -> Report {
    Run::of_bytes("vllm.log", &log.bytes()).ok()
}

/// Event key, name and compile of a record that has a name.
fn named(record: &Record) -> Option<(String, String, Value)> {
    let envelope: Value = serde_json::from_slice(record.envelope()).ok()?;
    let (key, value) = envelope.as_object()?.iter().next()?;
    let name = value.get("name")?.as_str()?.to_owned();
    Some((key.clone(), name, envelope["frame_compile_id"].clone()))
}

fn is_named(record: &Record, name: &str) -> bool {
    named(record).is_some_and(|(_, own, _)| own == name)
}

/// The index of the nth record of that name.
fn nth(log: &Log, name: &str, n: usize) -> usize {
    let mut all = (0..log.records.len()).filter(|at| is_named(&log.records[*at], name));
    all.nth(n).unwrap_or_else(|| panic!("no {name} number {n}"))
}

/// How often each name of vLLM's stands in a log.
fn events(log: &Log) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, name, _) in log.records.iter().filter_map(named) {
        if name.starts_with("vllm_") {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
}

/// How often a page links a file of each such name.
fn links(page: &Page) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for link in page.all("main a") {
        let name = text_of(link);
        if name.starts_with("vllm_") {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
}

/// The rows of a table as the texts of their cells.
fn rows(page: &Page, table: &str) -> Vec<Vec<String>> {
    let cell = select("td");
    let rows = page.all(&format!("#{table} tbody tr"));
    rows.into_iter().map(|row| row.select(&cell).map(text_of).collect()).collect()
}

#[test]
fn every_event_of_vllm_is_on_its_page_once() {
    let log = vllm_log();
    let counts = events(&log);
    assert_eq!(counts.values().sum::<usize>(), 36, "{counts:?}");
    assert_eq!(links(&report(LOG).page("vllm.html")), counts);
    // As vLLM writes today: without outcomes, patterns and graphs at passes.
    let mut older = log.clone();
    let newer = ["vllm_compile_event", "vllm_patterns", "vllm_post_grad"];
    older.records.retain(|record| {
        named(record).is_none_or(|(_, name, _)| !newer.iter().any(|newer| name.starts_with(newer)))
    });
    let counts = events(&older);
    assert_eq!(counts.values().sum::<usize>(), 20);
    assert_eq!(links(&written(&older).page("vllm.html")), counts);
}

#[test]
fn a_module_has_all_of_its_configuration_and_is_reached_from_the_landing_page() {
    let page = report(LOG).page("vllm.html");
    let log = vllm_log();
    for n in 0..2 {
        let text = log.records[nth(&log, "vllm_compilation_config", n)].text();
        let config: Value = serde_json::from_slice(&text).unwrap();
        let shown = text_of(page.one(&format!("#module-{} > .facts", n + 1)));
        for (key, value) in config.as_object().unwrap() {
            let value = match value {
                Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
                Value::String(text) if text.is_empty() => "none".to_owned(),
                // `CompilationMode.VLLM_COMPILE` has its class on hover.
                Value::String(text) => text
                    .rsplit_once("Mode.")
                    .or(text.rsplit_once("Type."))
                    .map_or(text.as_str(), |t| t.1)
                    .to_owned(),
                other => panic!("{other}"),
            };
            assert!(shown.contains(&value), "{key}: {value} is not in {shown}");
        }
    }
    assert_eq!(
        text_of(page.one("h1")).split_whitespace().collect::<Vec<_>>().join(" "),
        "vLLM compiled 2 modules of \
        corpus/random-llama in 11 pieces, 7.28 s: 9 built, 2 found in a cache of torch."
    );
    let index = report(LOG).page("index.html");
    assert_eq!(index.all(".hero a[href='vllm.html']").len(), 1, "the landing page leads there");
    let modules = rows(&page, "modules-table");
    assert_eq!(modules.len(), 2);
    assert_eq!(modules[0][..4], ["model", "0/0 ok", "3", "9"]);
    assert_eq!(modules[0][4], "1 to 8,192, size 4, size 8");
    let compile = report(LOG).page("-_0_1_0/compile.html");
    let link = compile.one("#files a[href^='../vllm.html']").attr("href").unwrap();
    assert_eq!(page.all(&format!("[id='{}']", link.split_once('#').unwrap().1)).len(), 1);
    assert!(!report("01_inference").has("vllm.html"), "only where vLLM wrote");
}

#[test]
fn pieces_are_grouped_by_size_with_all_fields_of_their_start_and_what_caches_answered() {
    let page = report(LOG).page("vllm.html");
    let rows = rows(&page, "pieces-1-table");
    let sizes: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(sizes, ["1 to 8,192", "", "", "size 4", "", "", "size 8", "", ""]);
    let subgraphs: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(subgraphs[..3], ["submod_0", "submod_2", "submod_4"]);
    assert_eq!(rows[1][2..6], ["2 of 3", "no", "miss", "miss"]);
    assert_eq!(rows[3][3], "yes", "a CUDA graph is recorded for size 4");
    assert_eq!(rows[0][6], "NoOpEliminationPass");
    let second = self::rows(&page, "pieces-2-table");
    assert_eq!((second[0][4].as_str(), second[0][5].as_str()), ("hit", "hit"));
    assert_eq!((second[1][4].as_str(), second[1][5].as_str()), ("hit", "miss"));
    let chain: Vec<String> = page.all("#module-1 .chain li").into_iter().map(text_of).collect();
    assert_eq!(chain.len(), 5);
    assert!(chain[0].contains("submod_0") && chain[0].contains('3'), "{chain:?}");
    assert!(chain[1].contains("corpus22.attention"), "{chain:?}");
}

/// Files of torch and vLLM between one start and the next, by an own reading of the log.
fn files_of_pieces(log: &Log, compile: u64) -> Vec<usize> {
    let mut counts = Vec::new();
    for record in &log.records {
        let envelope: Value = serde_json::from_slice(record.envelope()).unwrap();
        let (key, value) = envelope.as_object().unwrap().iter().next().unwrap();
        if envelope["frame_compile_id"] != compile {
            continue;
        }
        if value["name"] == "vllm_piecewise_compile_start" {
            counts.push(0);
        }
        let lowered = [
            "artifact",
            "graph_dump",
            "aot_inference_graph",
            "inductor_output_code",
            "inductor_post_grad_graph",
        ];
        if let (Some(count), true) = (counts.last_mut(), lowered.contains(&key.as_str())) {
            *count += 1;
        }
    }
    counts
}

#[test]
fn a_file_is_listed_under_the_piece_started_before_it() {
    let (page, log) = (report(LOG).page("vllm.html"), vllm_log());
    for (module, compile) in [(1, 0), (2, 1)] {
        for (piece, count) in files_of_pieces(&log, compile).into_iter().enumerate() {
            let files = page.all(&format!("#piece-{module}-{} dd a", piece + 1));
            assert_eq!(files.len(), count, "piece {piece} of module {module}");
        }
    }
    let note = page.text();
    assert!(note.contains("the last piece that started before it") && !note.contains("concurrently"));
    // A graph that names its subgraph stands there, whatever was begun since.
    let mut log = log;
    let named = log.records.remove(nth(&log, "vllm_submod_2", 0));
    let last = nth(&log, "vllm_submod_4", 0);
    log.records.insert(last, named);
    let page = written(&log).page("vllm.html");
    let texts = |id: &str| page.all(&format!("#{id} dd a")).into_iter().map(text_of).collect::<Vec<_>>();
    let holders: Vec<usize> =
        (1..=9).filter(|n| texts(&format!("piece-1-{n}")).contains(&"vllm_submod_2".to_owned())).collect();
    assert_eq!(holders, [6], "the last piece of submod_2");
}

#[test]
fn pieces_compiled_concurrently_are_marked() {
    let mut log = vllm_log();
    let second = log.records.remove(nth(&log, "vllm_piecewise_compile_start", 1));
    let first = nth(&log, "vllm_piecewise_compile_start", 0);
    log.records.insert(first + 1, second);
    let text = written(&log).page("vllm.html").text();
    assert!(text.contains("they seem to have been compiled concurrently"), "{text}");
}

#[test]
fn nothing_is_lost_when_events_repeat_within_a_compile() {
    let mut log = vllm_log();
    let config = log.records[nth(&log, "vllm_compilation_config", 1)].clone();
    let split = log.records[nth(&log, "vllm_piecewise_split_graph", 1)].clone();
    let start = log.records[nth(&log, "vllm_piecewise_compile_start", 9)].clone();
    let after = nth(&log, "vllm_post_grad.0.NoOpEliminationPass", 10) + 1;
    for record in [config, split.clone(), split, start].into_iter().rev() {
        log.records.insert(after, record);
    }
    let page = written(&log).page("vllm.html");
    assert_eq!(links(&page), events(&log));
    let modules = rows(&page, "modules-table");
    assert_eq!(modules.iter().map(|row| row[3].as_str()).collect::<Vec<_>>(), ["9", "2", "1"]);
    assert_eq!(page.all("#module-3 .chain").len(), 2, "both split graphs");
}

#[test]
fn a_start_that_cannot_be_read_and_fields_that_are_new_are_shown() {
    let mut log = vllm_log();
    let (first, second) =
        (nth(&log, "vllm_piecewise_compile_start", 0), nth(&log, "vllm_piecewise_compile_start", 1));
    log.records[first].set_payload(b"not json");
    log.records[second]
        .set_payload(b"{\"submod_name\": \"submod_0\", \"batch\": [1, 2], \"compile_range_end\": \"x\"}");
    let report = written(&log);
    let page = report.page("vllm.html");
    assert_eq!(page.all("#pieces-1-table tbody tr").len(), 9);
    let facts = text_of(page.one("#piece-1-2 .facts"));
    let facts = facts.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(facts.contains("batch [1, 2]") && facts.contains("compile_range_end x"), "{facts}");
    assert_eq!(report.integrity()["parser_errors"], 1, "{}", report.integrity());
}

#[test]
fn a_pass_leads_to_what_it_changed_in_the_viewer() {
    let report = report(LOG);
    let page = report.page("vllm.html");
    let pass = page.one("#piece-1-1 a[href='-_0_0_0/graphs.html#a=17&b=185']");
    let text = text_of(scraper::ElementRef::wrap(pass.parent().unwrap()).unwrap());
    assert!(text.contains("NoOpEliminationPass changes since"), "{text}");
    // A piece that came from a cache has no graph before the pass.
    let hit = text_of(page.one("#piece-2-1"));
    assert!(hit.contains("it has no preceding graph in this piece"), "{hit}");
    let module = text_of(page.one("#module-1"));
    assert!(module.contains("vllm_patterns.RMSNormQuantFusionPass"), "{module}");
}

#[test]
fn passes_are_in_order_and_each_is_compared_with_the_previous_one() {
    let mut log = vllm_log();
    let at = nth(&log, "vllm_post_grad.0.NoOpEliminationPass", 0);
    let text = String::from_utf8(log.records[at].text()).unwrap();
    let like = |name: &str, text: &str, log: &Log| {
        let mut record = log.records[at].clone();
        record.edit(|envelope| envelope["graph_dump"]["name"] = name.into());
        record.set_payload(text.as_bytes());
        record
    };
    let changed = text.replace("return (linear, linear_1)", "return (linear,)");
    let second = like("vllm_post_grad.1.FusionPass.after", &changed, &log);
    let third = like("vllm_post_grad.2.CleanUp", &changed, &log);
    log.records.insert(at + 1, third);
    log.records.insert(at + 1, second);
    let page = written(&log).page("vllm.html");
    let piece = text_of(page.one("#piece-1-1"));
    assert!(piece.contains("1 FusionPass after changes since vllm_post_grad.0."), "{piece}");
    assert!(piece.contains("2 CleanUp changed nothing"), "{piece}");
}

#[test]
fn hostile_names_and_fields_stay_text() {
    // Without what the names of passes and parts are cut at.
    const SCRIPT: &str = "</script><img/src=x/onerror=alert`4711`>";
    let mut log = vllm_log();
    let at = nth(&log, "vllm_post_grad.0.NoOpEliminationPass", 0);
    log.records[at].edit(|e| e["graph_dump"]["name"] = format!("vllm_post_grad.{SCRIPT}.{SCRIPT}").into());
    let at = nth(&log, "vllm_patterns.RMSNormQuantFusionPass", 0);
    log.records[at].edit(|e| e["graph_dump"]["name"] = format!("vllm_patterns.{SCRIPT}").into());
    log.records[at].set_payload(SCRIPT.as_bytes());
    let at = nth(&log, "vllm_submod_0", 0);
    log.records[at].edit(|e| e["graph_dump"]["name"] = "vllm_submod_../../../../escape".into());
    let at = nth(&log, "vllm_piecewise_compile_start", 0);
    let start = serde_json::json!({ "submod_name": SCRIPT, "piecewise_index": u64::MAX, "compile_range_start": i64::MIN, SCRIPT: SCRIPT });
    log.records[at].set_payload(start.to_string().as_bytes());
    let at = nth(&log, "vllm_compilation_config", 0);
    let config = serde_json::json!({ "prefix": SCRIPT, "model": SCRIPT, SCRIPT: SCRIPT, "mode": format!("A.{SCRIPT}") });
    log.records[at].set_payload(config.to_string().as_bytes());
    let at = nth(&log, "vllm_compile_event", 0);
    log.records[at].set_payload(serde_json::json!({ "type": SCRIPT }).to_string().as_bytes());
    let at = nth(&log, "vllm_piecewise_split_graph", 0);
    log.records[at].set_payload(format!("class G:\n  class {SCRIPT}\n    x = torch.{SCRIPT}(\n").as_bytes());
    let at = nth(&log, "vllm_post_grad.0.NoOpEliminationPass", 0);
    log.records[at].set_payload(SCRIPT.as_bytes());
    let report = written(&log);
    for path in ["vllm.html", "index.html", "-_0_0_0/graphs.html", "-_0_0_0/compile.html"] {
        let text = report.read(path);
        assert!(!text.contains("<img/src"), "{path}");
    }
    assert!(report.page("vllm.html").text().contains(SCRIPT), "it is shown as text");
    let parts = |path: &String| path.split('/').any(|part| part == "..");
    assert!(!report.manifest().iter().any(parts), "nothing leaves the folder");
}

/// The name of a file without its number and what follows: `fx_graph_runnable_7 3.0 KB`.
fn file_name(text: &str) -> String {
    let name = text.split(' ').next().unwrap();
    name.rsplit_once('_').unwrap().0.to_owned()
}

/// A log of training with files of autoparallel and thunder: the names are made up, the texts are torch's.
fn foreign() -> Log {
    let mut log = Log::of(input("02_train_mlp"));
    for (name, other) in [
        ("before_pre_grad_graph", "autoparallel_before_sharding"),
        ("after_pre_grad_graph", "autoparallel_after_sharding"),
        ("aot_autograd_runtime_wrappers", "thunder_prologue_trace"),
        ("fx_graph_runnable", "thunder_computation_trace"),
        ("inductor_post_grad_graph", "fuse_<script>_post_grad"),
        ("torch._functorch.config", "../up_one"),
        ("aot_forward_graph_fw_metadata", "../up_two"),
    ] {
        let at = nth(&log, name, 0);
        log.records[at].edit(|envelope| envelope["artifact"]["name"] = other.into());
        // torch changed nothing in this log.
        if other.contains("_after_") || other.ends_with("_post_grad") {
            let text = [log.records[at].text(), b"\n# changed".to_vec()].concat();
            log.records[at].set_payload(&text);
        }
    }
    log
}

#[test]
fn files_of_other_producers_are_grouped_by_the_beginning_of_their_names() {
    let report = written(&foreign());
    let mut phases: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in report.page("-_0_0_0/compile.html").all("#files-table tbody tr") {
        let cells: Vec<String> = row.select(&select("td")).map(text_of).collect();
        phases.entry(cells[0].trim().to_owned()).or_default().push(file_name(&cells[1]));
    }
    assert_eq!(phases["autoparallel"], ["autoparallel_before_sharding", "autoparallel_after_sharding"]);
    assert_eq!(phases["thunder"], ["thunder_computation_trace", "thunder_prologue_trace"]);
    assert!(phases["Other records"] == ["up_one", "up_two"], "{phases:?}");
    assert!(phases["Inductor passes"].contains(&"fuse_<script>_post_grad".to_owned()), "{phases:?}");
    let index = report.page("index.html");
    let titles: Vec<String> = index.all("#directory dt").into_iter().map(text_of).collect();
    assert!(
        titles.contains(&"autoparallel".to_owned()) && titles.contains(&"thunder".to_owned()),
        "{titles:?}"
    );
}

#[test]
fn pairs_of_before_and_after_lead_from_the_files_to_their_comparison() {
    let report = written(&foreign());
    let page = report.page("-_0_0_0/compile.html");
    let links: Vec<(String, String)> = page
        .all("#files-table tbody tr")
        .into_iter()
        .filter_map(|row| {
            let link = row.select(&select("a[href*='graphs.html#a=']")).next()?;
            let name = file_name(&text_of(row.select(&select("a")).next()?));
            Some((name, link.attr("href")?.to_owned()))
        })
        .collect();
    let names: Vec<&str> = links.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        names.contains(&"autoparallel_after_sharding") && names.contains(&"fuse_<script>_post_grad"),
        "{names:?}"
    );
    let rows: Vec<String> = page.all("#files-table tbody tr").into_iter().map(text_of).collect();
    let equal = |row: &&String| row.contains("inductor_post_grad_graph") && row.contains("equal to");
    assert_eq!(rows.iter().filter(equal).count(), 1, "where nothing changed, it says so: {rows:?}");
    let viewer = report.page("-_0_0_0/graphs.html");
    let data: Value = serde_json::from_str(&text_of(viewer.one("#graphs-data"))).unwrap();
    let graphs = data["graphs"].as_array().unwrap();
    let graph = |name: &str| graphs.iter().find(|g| g["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(graph("thunder_prologue_trace")["group"], "thunder");
    let (before, after) = (graph("autoparallel_before_sharding"), graph("autoparallel_after_sharding"));
    let href = format!("../-_0_0_0/graphs.html#a={}&b={}", before["number"], after["number"]);
    assert!(
        links.contains(&("autoparallel_after_sharding".to_owned(), href.clone())),
        "{links:?} lack {href}"
    );
    let pairs = data["pairs"].as_array().unwrap();
    let names: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let name = |at: usize| graphs[pair[at].as_u64().unwrap() as usize]["name"].as_str().unwrap();
            (name(0), name(1))
        })
        .collect();
    assert!(names.contains(&("autoparallel_before_sharding", "autoparallel_after_sharding")), "{names:?}");
    assert!(names.contains(&("before_post_grad_graph", "inductor_post_grad_graph")), "{names:?}");
    let data = viewer.one("#graphs-data").inner_html();
    assert!(!data.contains("<script"), "names in the data end no element");
}

#[test]
fn a_click_shows_what_a_pass_changed() {
    let Some(window) = window() else { return };
    window.open(&report(LOG).folder.join("vllm.html"), "");
    for scheme in ["light", "dark"] {
        window.scheme(scheme);
        window.quiet(scheme);
    }
    window.click("#pieces-1-table a[href='#piece-1-1']");
    window.value("new Promise(done => setTimeout(done, 50))");
    assert!(window.is_true("document.getElementById('piece-1-1').open"), "the row opens its files");
    window.click("#piece-1-1 p a[href*='graphs.html']");
    window.wait_for("#sides .new");
    assert_eq!(window.number("document.querySelectorAll('#sides .old').length"), 7.0);
    let said = window.value("document.getElementById('said').textContent");
    let said = said.as_str().unwrap();
    assert!(said.contains("7 lines removed, 5 added") && said.contains("submod_0, 1 to 8,192"), "{said}");
    assert!(
        window.is_true("document.querySelector('#pairs select').selectedIndex > 0"),
        "the pair is the one chosen"
    );
    let near = "document.querySelector('#right optgroup option').text.startsWith('inductor_post_grad_graph')";
    assert!(window.is_true(near), "what became of the graph comes first");
    window.quiet("comparing");
}

#[test]
fn graphs_of_two_megabytes_are_compared_without_freezing() {
    let Some(window) = window() else { return };
    let mut log = Log::of(input("02_train_mlp"));
    let line = |n: usize, name: &str| {
        format!(
            "        {name}_{n}: \"f32[16, 64][64, 1]cpu\" = torch.ops.aten.mul.Tensor(primals_{n}, tangents_{n});  tangents_{n} = None\n"
        )
    };
    let graph =
        |name: &dyn Fn(usize) -> String| -> String { (0..20_000).map(|n| line(n, &name(n))).collect() };
    // One has other names in every third line; of the other pair nothing is equal, and everything is twice.
    let texts = [
        ("before_post_grad_graph", graph(&|_| "mul".to_owned())),
        ("inductor_post_grad_graph", graph(&|n| if n % 3 == 0 { "add" } else { "mul" }.to_owned())),
        ("before_pre_grad_graph", (0..40_000).map(|n| format!("x{}\n", n % 20_000 / 2)).collect()),
        ("after_pre_grad_graph", (0..40_000).map(|n| format!("x{}\n", (40_000 - n) % 20_000 / 2)).collect()),
    ];
    for (name, text) in texts {
        let at = nth(&log, name, 0);
        log.records[at].set_payload(text.as_bytes());
    }
    let report = written(&log);
    window.open(&report.folder.join("-_0_0_0/graphs.html"), "");
    let compare = |name: &str| {
        let click = format!(
            "([...document.querySelectorAll('#pairs button')].find(b => b.textContent.startsWith('{name}')).click(),
                document.body.offsetHeight)"
        );
        let took = window.work_ms(|window| drop(window.value(&click)));
        let said = window.value("document.getElementById('said').textContent");
        (took, said.as_str().unwrap().to_owned())
    };
    let (took, said) = compare("post grad");
    println!("20,000 lines of which a third changed: {took} ms; {said}");
    assert!(said.contains("6667 lines removed, 6667 added. They differ much"), "{said}");
    assert!(took < 4000.0, "{took} ms");
    let (took, said) = compare("pre grad");
    println!("40,000 lines in another order: {took} ms; {said}");
    assert!(said.contains("They differ much"), "{said}");
    assert!(took < 4000.0, "{took} ms");
    let drawn = window.number("document.querySelectorAll('#sides .pair').length");
    assert!(drawn < 10_000.0, "{drawn} lines are drawn at once");
    window.quiet("large graphs");
}
