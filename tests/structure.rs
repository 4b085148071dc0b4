//! Rules for the source tree: what belongs where, how large files may get, that nothing is unused. `layers.rs` checks which
//! folder may use which.

use crate::support::sources::{blanked, sources};
use crate::support::{files_below, source, source_text};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The folders of templates and assets, below `src`.
const KIT: &str = "report/kit/";

/// The file of the kit that highlights code.
const HIGHLIGHTING: &str = "highlight.rs";
/// The file that classifies tokens of code.
const HIGHLIGHT_CLASSES: &str = "highlight_classes.rs";
/// The file with the grammars, and the one that generates them.
const HIGHLIGHT_GRAMMARS: &str = "highlight_grammars.rs";
const HIGHLIGHT_GRAMMARS_TESTS: &str = "highlight_grammars_tests.rs";
/// The file that remembers states of the parser.
const HIGHLIGHT_TABLE: &str = "highlight_table.rs";

/// Only files in `places` (a path, or a folder with its slash) may contain `what`.
fn only(places: &[&str], what: &str) {
    let what = Regex::new(what).unwrap();
    for source in sources() {
        let may = places
            .iter()
            .any(|place| source.path == *place || (place.ends_with('/') && source.path.starts_with(place)));
        if let Some(found) = what.find(&source.code) {
            let line = source.code[..found.start()].lines().count();
            assert!(may, "src/{}:{line} holds {}", source.path, found.as_str());
        }
    }
}

#[test]
fn the_terminal_and_the_browser_are_known_to_the_program_only() {
    only(&["program/"], r"\bclap::");
    only(&["program/"], r"\bindicatif::|\bconsole::|\bopener::|\be?println!");
}

#[test]
fn a_crate_for_one_job_is_used_in_one_place() {
    only(
        &[HIGHLIGHTING, HIGHLIGHT_CLASSES, HIGHLIGHT_GRAMMARS, HIGHLIGHT_GRAMMARS_TESTS, HIGHLIGHT_TABLE]
            .map(|file| format!("{KIT}{file}"))
            .each_ref()
            .map(String::as_str),
        r"\bsyntect::",
    );
    only(&[&format!("{KIT}templates.rs")], r"\btinytemplate::");
    only(&["trace/unpack.rs"], r"\bzstd::|\bflate2::");
    only(&["system/"], r"\brustix::|\bsignal_hook::");
    only(&["source_tree.rs"], r"\bignore::");
}

#[test]
fn json_has_types_except_where_json_of_a_log_or_a_trace_is_passed_on() {
    only(
        &[
            "facts/",
            "trace/",
            "events/",
            "profile/augment.rs",
            "report/data/raw.rs",
            // Fields of records that no type of upstream has.
            "drop_in/metadata.rs",
            "show/mod.rs",
            // Rows of lists whose keys are those of report.json, whatever they are.
            "show/rows.rs",
            // What TinyTemplate hands to a formatter.
            &format!("{KIT}templates.rs"),
        ],
        r"\bserde_json::(?:\{[^}]*)?\bValue\b|\bjson!",
    );
}

#[test]
fn only_one_folder_knows_the_operating_system() {
    only(&["system/"], r"\bcfg!?\((?:\w+\()*(?:unix|windows|target_\w+)\b|\bstd::os::");
}

#[test]
fn folders_are_listed_by_the_finders_of_logs_and_written_by_the_output_only() {
    // The system lists its processes as folders.
    only(&["trace/discover.rs", "trace/glob.rs", "output/", "system/processes.rs"], r"\bread_dir\b");
    only(
        &["output.rs", "output/"],
        r"\bfs::write\b|\bcreate_dir|\bFile::create|\bremove_(?:file|dir)|\bfs::rename\b",
    );
}

/// Rooms that read finished reports, which may come from strangers.
const READERS: [&str; 10] = [
    "facts/",
    "job/",
    "compare/",
    "check/",
    "show/",
    "report/",
    "program/opened.rs",
    "program/mcp/",
    "program/repro/",
    "program/serve/",
];

#[test]
fn a_file_of_a_finished_report_is_opened_beneath_its_folder_only() {
    // What is opened by its path is what the reader names, and what this program has just written.
    only(
        &[
            "system/",
            "trace/source.rs",
            "trace/intake.rs",
            "trace/siblings.rs",
            "trace/attachment.rs",
            "profile/mod.rs",
            "source_tree.rs",
            "facts/schema.rs",
            "run/refused.rs",
            "run/watch.rs",
            "program/cli.rs",
            "program/values.rs",
            "program/zip.rs",
            "output/hidden.rs",
            "output/lock.rs",
            "output/scratch.rs",
            "output/target.rs",
            "output/zip.rs",
        ],
        r"\bFile::open\b|\bOpenOptions\b|\bfs::(?:read|read_to_string|read_link)\b",
    );
    only(&["system/", "report_folder.rs"], r"\bopen_beneath\b");
    // Nor do its readers follow a link to see whether there is something.
    let looks =
        Regex::new(r"\.(?:is_file|is_dir|exists|try_exists|metadata)\(\)|\bfs::(?:symlink_)?metadata\b")
            .unwrap();
    let opened = Regex::new(r"\bfile\??\.metadata\(\)").unwrap();
    // It looks at the paths that the reader names, to refuse pipes and devices.
    let of_names = "program/mcp/library.rs";
    let readers = sources().iter().filter(|source| READERS.iter().any(|room| source.path.starts_with(room)));
    for source in readers.filter(|source| source.path != of_names) {
        let code = opened.replace_all(&source.code, "");
        assert_eq!(looks.find(&code).map(|found| found.as_str()), None, "src/{}", source.path);
    }
}

#[test]
fn temporary_folders_come_from_one_constructor_that_a_signal_and_the_next_run_know() {
    only(&["output/scratch.rs"], r"\btempdir(?:_in)?\(|\bTempDir\b");
}

#[test]
fn nothing_depends_on_the_clock_or_on_global_state() {
    only(
        &[],
        r"\bSystemTime::now\b|\bInstant::now\b|\bstatic\s+mut\b|\bstatic\s+\w+\s*:\s*(?:Mutex|RwLock|Atomic)",
    );
    only(&[], r"\bthread_local!|\blazy_static!|\bHashMap::new\(\)\.iter\(\)");
}

#[test]
fn maps_keyed_by_text_of_a_log_have_a_randomly_seeded_hasher() {
    // With 90,000 names that collide in fxhash, a log of 5 MB took 49 seconds.
    let chosen = Regex::new(r"\b(?:str|String|Frame|Stack|Md5|CompileId|FrameId|i64|u8)\b").unwrap();
    for source in sources() {
        for map in ["FxHashMap<", "FxHashSet<"] {
            for (at, _) in source.code.match_indices(map) {
                let key = key_type(&source.code[at + map.len()..]);
                let line = 1 + source.code[..at].matches('\n').count();
                assert!(
                    !chosen.is_match(key),
                    "src/{}:{line} has a map by {key}: use a TextMap",
                    source.path
                );
            }
        }
    }
    only(&[], r"\bIndex(?:Map|Set)<[^>]*(?:str\b|String|Box<)[^>]*FxBuildHasher");
}

/// The first type in a list of them: `(u32, &str)` of `(u32, &str), usize>`.
fn key_type(types: &str) -> &str {
    let mut depth = 0;
    let end = types.find(|c| {
        let is_end = depth == 0 && matches!(c, ',' | '>');
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
        is_end
    });
    &types[..end.unwrap_or(types.len())]
}

#[test]
fn no_wire_struct_is_flattened_or_untagged() {
    only(&[], r"\bserde\([^)]*(?:flatten|untagged)");
}

#[test]
fn one_file_says_which_characters_nobody_sees() {
    // A fingerprint must stay what it was in files of users.
    only(&["hidden.rs", "facts/identity.rs"], r"\bis_control\b|\\u\{(?:200|202|206|e00)");
}

/// Where a limit stands beside what it bounds, by the reason why no class of `limits.rs` holds it.
const OWN_LIMITS: [(&str, &[&str]); 8] = [
    (
        "bounds of damaged or hostile input, and of memory",
        &[
            "trace/",
            "events/budget.rs",
            "job/events.rs",
            "job/evidence.rs",
            "job/graph_lists.rs",
            "model/integrity.rs",
            "model/job.rs",
            "profile/pieces.rs",
            "read/expr/relation.rs",
            "report/data/raw.rs",
            "report/kit/highlight.rs",
            "report/kit/highlight_table.rs",
        ],
    ),
    (
        "the work that a search or a comparison may take",
        &[
            "analysis/guard_diff.rs",
            "analysis/guard_texts.rs",
            "analysis/job/schedules/ran.rs",
            "analysis/performance/footprint.rs",
            "read/generated/kernel_source.rs",
            "analysis/provenance/flow/solve.rs",
            "analysis/provenance/maps.rs",
            "analysis/recompiles/advice/literals.rs",
            "analysis/recompiles/proof/mod.rs",
            "analysis/two_columns.rs",
        ],
    ),
    (
        "what fits into a drawing, a chart or the width of a terminal",
        &[
            "analysis/drawing/",
            "analysis/job/found.rs",
            "analysis/timeline.rs",
            "report/job/timeline.rs",
            "report/pages/graphs/drawn/",
            "report/pages/kernels/limits.rs",
            "report/pages/provenance/tints.rs",
            "report/doc/terminal.rs",
            "report/pages/landing/functions.rs",
            "report/pages/landing/stacks.rs",
        ],
    ),
    ("names that are known by their length", &["analysis/producers.rs", "events/inductor.rs"]),
    (
        "what other programs and file systems take",
        &["facts/identity.rs", "report/formats/", "report/kit/paths.rs"],
    ),
    ("the program sees the library as any user does", &["program/"]),
    (
        "the room that a page, a file or an index has for it",
        &[
            "analysis/lines/listed.rs",
            "compare/measured.rs",
            "facts/ranks/searched.rs",
            "report/compare/changes.rs",
            "report/compare/data.rs",
            "report/compare/tables.rs",
            "report/data/findings.rs",
            "report/job/page.rs",
            "report/job/search.rs",
            "report/kit/search_index.rs",
            "report/pages/caches.rs",
            "report/pages/code/mod.rs",
            "report/pages/failures/entry.rs",
            "report/pages/graphs/mod.rs",
            "report/pages/provenance/page.rs",
            "report/pages/provenance/rows.rs",
            "report/pages/search/lines.rs",
            "report/pages/search/mod.rs",
            "report/pages/shapes.rs",
            "report/pages/source/text.rs",
        ],
    ),
    (
        "a width or a length of a list that fits what recorded logs have better than a class",
        &[
            "analysis/findings/plain_words.rs",
            "analysis/job/ranks.rs",
            "events/fallback.rs",
            "report/compare/markdown.rs",
            "report/compare/verdict.rs",
            "report/data/markdown/findings.rs",
            "report/job/markdown.rs",
            "report/job/sides.rs",
            "report/kit/code_text.rs",
            "report/kit/prose.rs",
            "report/pages/compile/guard_tree.rs",
            "report/pages/guards.rs",
            "report/pages/landing/actions.rs",
            "report/pages/recompilations/tensors.rs",
            "report/words/performance/mod.rs",
            "report/words/performance/stands_out.rs",
        ],
    ),
];

#[test]
fn limits_are_classes_of_one_file() {
    let words = "MOST|SHOWN|LISTED|NAMED|LONGEST|LARGEST|DEEPEST|LINKED|ENTRIES|ROWS";
    let limit =
        Regex::new(&format!(r"\bconst ((?:[A-Z0-9]+_)*(?:{words})(?:_[A-Z0-9]+)*): (?:usize|[ui]\d+)\b"))
            .unwrap();
    let places: Vec<&str> = OWN_LIMITS.iter().flat_map(|(_, places)| places.iter().copied()).collect();
    let is_in = |path: &str, place: &str| path == place || (place.ends_with('/') && path.starts_with(place));
    let mut used = BTreeSet::new();
    for source in sources().iter().filter(|source| source.path != "limits.rs") {
        if let Some(found) = limit.captures(&source.code) {
            let place = places.iter().find(|place| is_in(&source.path, place));
            assert!(place.is_some(), "src/{} has {}: take a class of src/limits.rs", source.path, &found[1]);
            used.extend(place.copied());
        }
    }
    assert_eq!(used, places.into_iter().collect(), "a place without a limit is no longer listed");
}

#[test]
fn few_types_share_a_name_and_no_free_function_is_called_of() {
    only(&[], r"(?m)^(?:pub(?:\([^)]*\))? )?fn of\b");
    let defined = Regex::new(r"(?m)^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) ([A-Z]\w*)").unwrap();
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    // Each file of a page names its own rows and heads.
    for source in sources().iter().filter(|source| !source.path.starts_with("report/pages/")) {
        for found in defined.captures_iter(&source.code) {
            files.entry(found.get(1).unwrap().as_str()).or_default().push(&source.path);
        }
    }
    for (name, files) in files {
        assert!(files.len() <= 5, "{name} is the name of a type in each of {files:?}");
    }
}

#[test]
fn module_names_say_what_is_inside() {
    for source in sources() {
        for part in source.path.trim_end_matches(".rs").split('/') {
            assert!(
                !["utils", "util", "types", "helpers", "helper", "common", "misc"].contains(&part),
                "{}",
                source.path
            );
        }
    }
}

#[test]
fn no_file_has_more_than_600_lines() {
    for folder in ["src", "tests", "examples", "benches", "fuzz/src"]
        .map(source)
        .iter()
        .filter(|folder| folder.exists())
    {
        for path in files_below(folder).iter().filter(|path| path.ends_with(".rs")) {
            let lines = std::fs::read_to_string(folder.join(path)).unwrap().lines().count();
            assert!(lines <= 600, "{path} has {lines} lines");
        }
    }
}

/// Name, line and length in lines of each function.
fn functions(code: &str) -> Vec<(&str, usize, usize)> {
    let head = Regex::new(r"\bfn\s+(\w+)").unwrap();
    let mut found = Vec::new();
    for function in head.captures_iter(code) {
        let (start, name) = (function.get(0).unwrap().start(), function.get(1).unwrap().as_str());
        let mut depth = (0_i32, 0_i32);
        for (at, c) in code[start..].char_indices() {
            match c {
                '(' | '[' => depth.0 += 1,
                ')' | ']' => depth.0 -= 1,
                // A declaration without body, or a type such as `[u8; 4]` or `fn(u8)`.
                ';' if depth == (0, 0) => break,
                '{' => depth.1 += 1,
                '}' => depth.1 -= 1,
                _ => continue,
            }
            if c == '}' && depth.1 == 0 {
                let first = 1 + code[..start].matches('\n').count();
                found.push((name, first, code[start..=start + at].lines().count()));
                break;
            }
        }
    }
    found
}

#[test]
fn no_function_has_more_than_60_lines() {
    let mut long = Vec::new();
    for source in sources() {
        let functions = functions(&source.code);
        let too_long = functions.iter().filter(|(_, _, lines)| *lines > 60);
        long.extend(
            too_long.map(|(name, at, lines)| format!("src/{}:{at} {name}: {lines} lines", source.path)),
        );
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn the_measure_of_functions_sees_through_texts_and_comments() {
    let code = blanked(
        "fn a(x: [u8; 2]) {\n  let c = '{'; // {\n  \"}\\\"{\";\n  r#\"{\"#;\n}\nfn b();\nfn c() -> bool { true }\n",
    );
    let found: Vec<_> = functions(&code);
    assert_eq!(found, [("a", 1, 5), ("c", 7, 1)]);
}

/// Names of the templates in the source tree.
fn templates() -> Vec<String> {
    let files = files_below(&source(&format!("src/{KIT}templates")));
    let names = files.iter().filter(|file| *file != ".gitkeep");
    names.map(|file| file.strip_suffix(".html").expect("a template is HTML").to_owned()).collect()
}

#[test]
fn every_template_is_listed_once_and_used() {
    let list = source_text(&format!("src/{KIT}templates.rs"));
    let listed = Regex::new(r"(?s)\ntemplates! \{(.*?)\}").unwrap();
    let listed = &listed.captures(&list).expect("templates.rs lists the templates")[1];
    let mut listed: Vec<&str> = listed.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    listed.sort_unstable();
    let mut templates = templates();
    templates.sort_unstable();
    assert_eq!(templates, listed);
    for name in &templates {
        let quoted = format!("\"{name}\"");
        let rendered = sources()
            .iter()
            .any(|source| source.path.starts_with("report/") && source.text.contains(&quoted));
        let called = templates.iter().any(|other| {
            source_text(&format!("src/{KIT}templates/{other}.html")).contains(&format!("call {name} "))
        });
        assert!(rendered || called, "no page uses the template {name}");
    }
}

#[test]
fn templates_hold_neither_logic_nor_raw_text() {
    let tag = Regex::new(r"\{\{(.*?)\}\}").unwrap();
    let value = Regex::new(r"\{([^{}]+)\}").unwrap();
    for name in templates() {
        let text = source_text(&format!("src/{KIT}templates/{name}.html"));
        for found in tag.captures_iter(&text) {
            let word =
                found[1].trim().trim_matches('-').split_whitespace().next().unwrap_or_default().to_owned();
            let known = ["if", "else", "endif", "for", "endfor", "call"].contains(&word.as_str());
            assert!(known, "{name}: {}", &found[0]);
        }
        for found in value.captures_iter(&tag.replace_all(&text, "")) {
            let formatter = found[1].split_once('|').map(|(_, formatter)| formatter.trim());
            assert!(matches!(formatter, None | Some("html")), "{name}: {}", &found[0]);
        }
        for forbidden in ["<script", "<style", " onclick", " onload", "javascript:", "unescaped"] {
            assert!(!text.contains(forbidden), "{name} holds {forbidden}");
        }
    }
}

#[test]
fn attributes_are_quoted_wherever_markup_is_written() {
    // In Rust code an assignment has spaces, so these are attributes within texts. `type=` occurs in torch's guards.
    let in_code = Regex::new(r#"\b(?:class|id|href|title|style|action|data-[a-z]+)=[^\s"'\\=>]"#).unwrap();
    for source in sources().iter().filter(|source| source.path.starts_with("report/")) {
        for (line, text) in (1..).zip(source.text.lines()) {
            let text = text.split("//").next().unwrap_or_default();
            assert!(!in_code.is_match(text), "src/{}:{line}: {}", source.path, text.trim());
        }
    }
    let in_template = Regex::new(r#"<[a-z][^<>]*\s[a-z-]+=[^"'\s]"#).unwrap();
    for name in templates() {
        let text = source_text(&format!("src/{KIT}templates/{name}.html"));
        assert!(!in_template.is_match(&text), "{name}: {:?}", in_template.find(&text));
    }
}

#[test]
fn nothing_squeezes_styles_scripts_or_markup() {
    let name = Regex::new(r"(?i)\btailor|\boxc\b|\boxc_|minif").unwrap();
    let below = |folder: &str| -> Vec<String> {
        files_below(&source(folder)).iter().map(|file| format!("{folder}/{file}")).collect()
    };
    let files = [below("src"), below("examples"), below("docs"), below(".ci")].concat();
    let top = ["Cargo.toml", "README.md", "ARCHITECTURE.md", "build.rs"].map(str::to_owned);
    // Recorded settings of torch are not ours to word: one of them launches a minifier. `tlparse repro` may call it as well:
    // it looks for a smaller graph.
    // The bytes of a picture say nothing.
    let is_text = |path: &String| [".json", ".png"].iter().all(|end| !path.ends_with(end));
    let ours = files.into_iter().filter(|path| is_text(path) && !path.contains("program/repro/"));
    for path in ours.chain(top).filter(|path| source(path).exists()) {
        assert!(!name.is_match(&path), "{path}");
        let mut text = String::from_utf8_lossy(&fs::read(source(&path)).unwrap()).into_owned();
        for option in ["--minify", "torch's minifier", "minify.py"] {
            text = text.replace(option, "");
        }
        let found = name.find(&text).map(|found| found.as_str().to_owned());
        assert_eq!(found, None, "{path}");
    }
}

#[test]
fn every_asset_is_listed_once_and_used() {
    let list = source_text(&format!("src/{KIT}assets.rs"));
    let entry = Regex::new(r#"(?m)^    ([A-Z_]+) = "([\w.]+)","#).unwrap();
    let listed: Vec<(&str, &str)> = entry
        .captures_iter(&list)
        .map(|found| found.extract())
        .map(|(_, [name, file])| (name, file))
        .collect();
    let mut files: Vec<&str> = listed.iter().map(|(_, file)| *file).collect();
    files.sort_unstable();
    assert_eq!(files_below(&source(&format!("src/{KIT}assets"))), files);
    for (constant, file) in listed {
        let name = Regex::new(&format!(r"\b{constant}\b")).unwrap();
        let in_list = name.find_iter(&list).count() > 1;
        let elsewhere = sources()
            .iter()
            .any(|source| source.path != format!("{KIT}assets.rs") && name.is_match(&source.code));
        assert!(in_list || elsewhere, "no page carries {file}");
    }
}

#[test]
fn pages_hand_over_text_and_the_kit_writes_the_tags() {
    let tag = Regex::new(
        r#""[^"\n]*</?(?:p|div|span|section|details|summary|h[1-6]|ul|ol|li|table|t[rdh]|pre|code|b|i|a|d[ltd]|small|script|br)(?: [a-z-]+=|>)"#,
    )
    .unwrap();
    let rooms = ["report/pages/", "report/job/"];
    for file in sources().iter().filter(|file| rooms.iter().any(|room| file.path.starts_with(room))) {
        let end = file.text.find("#[cfg(test)]").unwrap_or(file.text.len());
        let lines = file.text[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            assert!(!tag.is_match(line), "{} writes a tag: {}", file.path, line.trim());
        }
    }
}

#[test]
fn neither_templates_nor_assets_load_anything() {
    let loads = Regex::new(r#"(?i)(?:src|srcset|action|data|poster)\s*=\s*["']?(?:https?:)?//|<link|@import|url\(\s*["']?(?:https?:)?//|\bfetch\(|XMLHttpRequest|\bimport\("#).unwrap();
    for folder in ["templates", "assets"].map(|folder| format!("src/{KIT}{folder}")) {
        for file in files_below(&source(&folder)) {
            let text = source_text(&format!("{folder}/{file}"));
            assert!(!loads.is_match(&text), "{file} loads something: {:?}", loads.find(&text));
        }
    }
}

#[test]
fn each_line_of_a_list_that_comes_with_the_program_is_read() {
    let list = Regex::new(r#"\b(words|lines)_of\(include_str!\("([^"]+)"\)\)"#).unwrap();
    let mut found = 0;
    for file in sources() {
        for one in list.captures_iter(&file.text) {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = format!("src/{folder}/{}", &one[2]);
            let text = source_text(&path);
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                assert!(!line.is_empty() && line.trim() == line, "{path}: {line:?}");
                assert!(&one[1] == "lines" || line.contains(" = "), "{path}: {line:?}");
            }
            found += 1;
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn each_case_of_a_kind_of_finding_is_said_and_each_that_is_said_is_written() {
    let kinds: toml::Table = toml::from_str(&source_text("src/analysis/findings/kinds.toml")).unwrap();
    let says = kinds.values().flat_map(|kind| [kind.get("explain"), kind.get("advice")]).flatten();
    let says = says.filter_map(toml::Value::as_table);
    let cases: BTreeSet<&str> = says.flat_map(toml::Table::keys).map(String::as_str).collect();
    let texts = sources().iter().filter(|file| file.path.starts_with("analysis/"));
    let texts: String = texts.map(|file| file.text.as_str()).collect();
    let named = |case: &&&str| **case == "always" || texts.contains(&format!("\"{case}\""));
    let unsaid: Vec<_> = cases.iter().filter(|case| !named(case)).collect();
    assert!(unsaid.is_empty(), "nothing says {unsaid:?}");
    let said = Regex::new(r#"(?:\.say|\bsays|KindOfFinding::\w+\s*\.advice)\(\s*"(\w+)""#).unwrap();
    let said = said.captures_iter(&texts).map(|found| found.extract::<1>().1[0]);
    let unwritten: Vec<&str> = said.filter(|case| !cases.contains(case)).collect();
    assert!(unwritten.is_empty(), "kinds.toml does not say {unwritten:?}");
}
