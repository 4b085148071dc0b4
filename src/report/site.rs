//! The table of all pages and files of a report on one log: name, files, how other pages link to it, when it is present and
//! what writes it.
//!
//! Tabs, links to topics, the entries that `--overwrite` accepts and the tables in `docs/files.md` are derived from it.

use crate::analysis::Topic;
use crate::output::{self, Entries, Page, RelPath};
use crate::report::data;
use crate::report::kit::assets::{self, Delivery};
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::templates::Worker;
use crate::report::kit::{inductor_runs, links, log_settings, paths};
use crate::report::pages::{
    caches, code, compile, configuration, export, failures, graph_breaks, graphs, guards, kernels, landing,
    own_tables, provenance, recompilations, search, shapes, source, time, vllm,
};
use crate::report::subject::{Cached, Entry, Report, SiteFile, SiteRow, SiteTab, SiteTopic};
use std::sync::LazyLock;

/// What most rows have in common: no tab, no topic, the assets of an ordinary page, files in every report.
const ORDINARY: SiteRow = SiteRow {
    name: "",
    files: &[],
    tab: None,
    topic: None,
    assets: assets::PAGE,
    present: |_| true,
    write: |_| Vec::new(),
    searched: |_, _| Ok(()),
};

/// Every page and file; tabs are in the order of the rows.
pub(crate) static SITE: &[SiteRow] = &[
    SiteRow {
        name: "Log",
        files: &[SiteFile { path: "raw.log", about: "the log, byte by byte (uncompressed)" }],
        write: |report| vec![data::log(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Facts",
        files: &[SiteFile { path: "report.json", about: "all facts, for programs (see below)" }],
        write: |report| vec![data::facts(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Summary",
        files: &[SiteFile {
            path: "report.md",
            about: "the report as one text of at most 60 KB, for an issue or an assistant: verdict, findings with advice and paths of the evidence, times, failures, recompilations, graph breaks, damage",
        }],
        write: |report| vec![data::markdown(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Records",
        files: &[SiteFile {
            path: "raw.jsonl",
            about: "the string table, then every record except strings and chromium events, one JSON object per line; `payload_filename` names the file with the payload",
        }],
        write: |report| vec![data::records(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Chromium events",
        files: &[SiteFile {
            path: "chromium_events.json",
            about: "the phases of the compiler, unchanged from the log; opens in [Perfetto](https://ui.perfetto.dev)",
        }],
        write: |report| vec![data::chromium_events(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Directory of files",
        files: &[SiteFile {
            path: "compile_directory.json",
            about: "all files by compile id and attempt: `{\"[0/0]\": {\"artifacts\": [{url, name, number, suffix, readable_url}]}}`",
        }],
        write: |report| vec![data::directory(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Collectives",
        files: &[SiteFile {
            path: "collectives_parity.json",
            about: "scheduled collectives that the code does not call; in reports of ranks, and of logs with collective schedules",
        }],
        present: data::has_parity,
        write: |report| vec![data::parity(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Search",
        files: &[SiteFile {
            path: "search.html",
            about: "search in facts, names and the text of files; every page has a search form. The index takes at most 15 % of the report and 20 MB, and the page says what it leaves out",
        }],
        assets: assets::SEARCH,
        write: |report| vec![search::page(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Code",
        files: &[
            SiteFile {
                path: "<id>/inductor_output_code_*_<number>.html",
                about: "generated code (`.txt` with `--plain-text`)",
            },
            SiteFile { path: "<id>/<name>_<number>_readable.html", about: "the artifact in readable form" },
            SiteFile {
                path: "dump_file/*.html",
                about: "sources of generated modules; stack frames link to them",
            },
        ],
        assets: assets::CODE,
        write: code::listing::pages,
        ..ORDINARY
    },
    SiteRow {
        name: "Compile",
        files: &[SiteFile {
            path: "<id>/compile.html",
            about: "the page of a compile; a compile that the log only names, without a file, a time or a stack, has a row in the directory and no page; `<id>` is `<compiled autograd>_<frame>_<compile>_<attempt>`, `-_0_0_0` for `[0/0]`, `-_-_-_-` for records without a compile id",
        }],
        assets: assets::COMPILE,
        write: compile::pages,
        ..ORDINARY
    },
    SiteRow {
        name: "Metrics of a compile",
        files: &[SiteFile {
            path: "<id>/*compilation_metrics*_<number>.html",
            about: "leads to the fields of a metrics record, which are on the page of the compile",
        }],
        assets: assets::RECORD,
        write: compile::records,
        ..ORDINARY
    },
    SiteRow {
        name: "Graphs",
        files: &[SiteFile {
            path: "<id>/graphs.html",
            about: "the graphs of a compile side by side: definition and uses of a value, what a pass or a recompile changed (also between graphs of other producers; pairs of before and after are listed first, and `#a=17&b=22` compares two by their numbers), lines of your code in all graphs and in generated code; up to 8 MB of graphs, larger ones are files only",
        }],
        assets: assets::GRAPHS,
        write: graphs::pages,
        ..ORDINARY
    },
    SiteRow {
        name: "Graph, drawn",
        files: &[SiteFile {
            path: "<id>/graph_drawn.html",
            about: "the graph that code is generated from as a drawing: modules as nested blocks, equal layers once with their count, operators inside, kernels by color if recorded with `INDUCTOR_PROVENANCE=1`; `#layers.self_attn` and `#add_3` are addresses. For the 40 compiles that took longest, except those of a few operators",
        }],
        assets: assets::DRAWN,
        write: graphs::drawn_pages,
        ..ORDINARY
    },
    SiteRow {
        name: "Guards",
        files: &[SiteFile {
            path: "<id>/dynamo_guards_<number>.html",
            about: "guards with the user's lines, if the log has them",
        }],
        write: guards::pages,
        ..ORDINARY
    },
    SiteRow {
        name: "Artifacts",
        files: &[
            SiteFile {
                path: "<id>/<name>_<number>.<ext>",
                about: "artifacts under their own names; numbers increase through the log",
            },
            SiteFile { path: "payloads/<md5>.txt", about: "payloads whose exact text is in no other file" },
        ],
        write: data::files::pages,
        ..ORDINARY
    },
    SiteRow {
        name: "Landing page",
        files: &[
            SiteFile { path: "index.html", about: "the landing page" },
            SiteFile {
                path: "tlparse_index.html",
                about: "the same page, in reports on vLLM: upstream has it there",
            },
            SiteFile {
                path: "directory_<k>.html",
                about: "the compile directory with 200 compiles per page, if there are more than 200",
            },
            SiteFile {
                path: "functions.html",
                about: "all functions, if there are more than the 500 on the landing page",
            },
        ],
        topic: Some(SiteTopic {
            topic: Topic::Log,
            words: "what could be read of the log",
            address: |_| "#log".to_owned(),
        }),
        assets: assets::LANDING,
        present: |report| !report.is_trace_alone(),
        write: landing::pages,
        searched: landing::searched,
        ..ORDINARY
    },
    SiteRow {
        name: "Source",
        files: &[SiteFile {
            path: "source.html",
            about: "your files line by line, with what happened at each line: compile time, breaks, recompilations, failures, operators, kernels",
        }],
        tab: Some(SiteTab { entry: Entry::Source, address: |_| links::SOURCE.to_owned(), count: |_| None }),
        assets: assets::SOURCE,
        present: source::present,
        write: |report| vec![source::page(report)],
        searched: source::searched,
        ..ORDINARY
    },
    SiteRow {
        name: "Graph breaks",
        files: &[SiteFile {
            path: "graph_breaks.html",
            about: "every distinct graph break with the user's traceback, its cost and each occurrence, if there are any",
        }],
        tab: Some(SiteTab {
            entry: Entry::Problems,
            address: |_| links::GRAPH_BREAKS.to_owned(),
            count: |report| Some(whole(report.model.graph_breaks.len())),
        }),
        topic: Some(SiteTopic {
            topic: Topic::GraphBreaks,
            words: "all graph breaks, with tracebacks",
            address: |_| links::GRAPH_BREAKS.to_owned(),
        }),
        present: |report| !report.model.graph_breaks.is_empty(),
        write: |report| vec![graph_breaks::page(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Recompilations",
        files: &[SiteFile {
            path: "recompilations.html",
            about: "each recompiled function: what changed, old and new value, what to do, guards and inputs compared, if there are any",
        }],
        tab: Some(SiteTab {
            entry: Entry::Problems,
            address: |_| links::RECOMPILATIONS.to_owned(),
            count: |report| Some(whole(recompilations::count(report))),
        }),
        topic: Some(SiteTopic {
            topic: Topic::Recompilations,
            words: "all recompilations, with guards compared",
            address: |_| links::RECOMPILATIONS.to_owned(),
        }),
        present: recompilations::present,
        write: |report| vec![recompilations::page(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Failures",
        files: &[SiteFile { path: "failures_and_restarts.html", about: "failures and restarted attempts" }],
        tab: Some(SiteTab {
            entry: Entry::Problems,
            address: |_| links::FAILURES.to_owned(),
            count: |report| Some(failures::count(report)),
        }),
        topic: Some(SiteTopic {
            topic: Topic::Failures,
            words: "all failures and restarts",
            address: |_| links::FAILURES.to_owned(),
        }),
        assets: assets::FAILURES,
        write: |report| vec![failures::page(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Export",
        files: &[SiteFile {
            path: "export.html",
            about: "whether `torch.export` produced a program, each distinct problem with its fix, and the program; only if the log has records of an export. With `--export` it becomes `index.html`, and the landing page `report.html`",
        }],
        tab: Some(SiteTab {
            entry: Entry::Problems,
            address: |report| paths::export(report.settings).to_owned(),
            count: |report| export::count(report).map(whole),
        }),
        topic: Some(SiteTopic {
            topic: Topic::Export,
            words: "the export report, with what to do",
            address: |report| paths::export(report.settings).to_owned(),
        }),
        present: |report| report.shows_export(),
        write: |report| vec![export::page(report)],
        searched: export::searched,
        ..ORDINARY
    },
    SiteRow {
        name: "Expressions of an export",
        files: &[SiteFile {
            path: "<id>/symbolic_guard_information_<number>.html",
            about: "an expression that export had to decide: stacks, and what to do",
        }],
        write: export::guard_pages,
        ..ORDINARY
    },
    SiteRow {
        name: "Shapes",
        files: &[SiteFile {
            path: "shapes.html",
            about: "which dimensions of inputs are dynamic, since when and why; symbols, their guards and fates; specializations",
        }],
        tab: Some(SiteTab {
            entry: Entry::Problems,
            address: |_| "shapes.html".to_owned(),
            count: |report| shapes::count(report).map(|n| counted(n, "symbol", "symbols")),
        }),
        topic: Some(SiteTopic {
            topic: Topic::Shapes,
            words: "which sizes are dynamic, and since when",
            address: |_| "shapes.html".to_owned(),
        }),
        present: shapes::present,
        write: |report| vec![shapes::page(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Flame chart",
        files: &[SiteFile {
            path: "time.html",
            about: "where the time went: a flame chart of the whole log, tables of phases, compiles and passes, time wasted, saved and unattributed; only if the log has chromium events",
        }],
        tab: Some(SiteTab { entry: Entry::Time, address: |_| links::TIME.to_owned(), count: |_| None }),
        topic: Some(SiteTopic {
            topic: Topic::Time,
            address: |_| links::TIME.to_owned(),
            words: "the flame chart",
        }),
        assets: assets::TIME,
        present: |report| report.times_phases(),
        write: |report| vec![time::page(report)],
        searched: |_, _| Ok(()),
    },
    SiteRow {
        name: "Caches",
        files: &[SiteFile {
            path: "caches.html",
            about: "each cache lookup: outcome, reason, time saved, and how a missed key differs from an earlier one",
        }],
        tab: Some(SiteTab {
            entry: Entry::Time,
            address: |_| "caches.html".to_owned(),
            count: |report| Some(counted(report.model.caches.len(), "lookup", "lookups")),
        }),
        topic: Some(SiteTopic {
            topic: Topic::Caches,
            words: "all lookups, with what differs in their keys",
            address: |_| "caches.html".to_owned(),
        }),
        present: |report| !report.model.caches.is_empty(),
        write: |report| vec![caches::page(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "Configuration",
        files: &[SiteFile {
            path: "configuration.html",
            about: "differences from torch's defaults and between compiles, versions, all settings, and the meaning of metrics fields",
        }],
        tab: Some(SiteTab {
            entry: Entry::Overview,
            address: |_| "configuration.html".to_owned(),
            count: |_| None,
        }),
        present: log_settings::present,
        write: |report| vec![configuration::page(report)],
        ..ORDINARY
    },
    SiteRow {
        name: "vLLM",
        files: &[SiteFile {
            path: "vllm.html",
            about: "what vLLM compiled: each module with its configuration, the split of its graph, its pieces by size with files and cache lookups, and what each pass changed; only if the log has events of vLLM",
        }],
        tab: Some(SiteTab { entry: Entry::Overview, address: |_| links::VLLM.to_owned(), count: |_| None }),
        present: |report| !report.model.vllm.is_empty(),
        write: |report| vec![vllm::page(report)],
        searched: vllm::searched,
        ..ORDINARY
    },
    SiteRow {
        name: "Kernels",
        files: &[
            SiteFile {
                path: "kernels.html",
                about: "kernels by their measured time, with `--profile TRACE`: the device's time by line of the program, each kernel with its rates and its distance from the device's limits, a roofline; then every kernel of the generated code with its graph, calls, source lines, nodes, autotuning, compile time and estimated run time. Of a trace without a log it is `index.html`, too",
            },
            SiteFile {
                path: "performance.html",
                about: "the same page under the name of the former page of measured kernels, with `--profile TRACE`",
            },
        ],
        tab: Some(SiteTab { entry: Entry::Kernels, address: |_| "kernels.html".to_owned(), count: |_| None }),
        topic: Some(SiteTopic {
            topic: Topic::Performance,
            words: "all measured kernels",
            address: |_| "kernels.html".to_owned(),
        }),
        assets: assets::KERNELS,
        present: kernels::present,
        write: kernels::pages,
        searched: kernels::searched,
    },
    SiteRow {
        name: "Provenance",
        files: &[
            SiteFile {
                path: "provenance_tracking_<folder>.html",
                about: "one page per Inductor run (forward, backward, inference): source lines, pre-grad graph, post-grad graph and generated code side by side, with each line linked to its origins and results; the `.json` next to it has the maps between lines. Recorded with `INDUCTOR_PROVENANCE=1`",
            },
            SiteFile {
                path: "provenance_tracking_<folder>.json",
                about: "the maps between the lines of a provenance page",
            },
        ],
        tab: Some(SiteTab {
            entry: Entry::Kernels,
            address: inductor_runs::first_page,
            count: |report| inductor_runs::count(report).map(whole),
        }),
        assets: assets::PROVENANCE,
        present: inductor_runs::any_shown,
        write: provenance::pages,
        searched: provenance::searched,
        ..ORDINARY
    },
    SiteRow {
        name: "Further processes",
        files: &[SiteFile {
            path: "process_<pid>/",
            about: "the report of a further process of the program, such as a forked child",
        }],
        present: |report| !report.processes.is_empty(),
        write: |_| Vec::new(),
        ..ORDINARY
    },
    SiteRow {
        name: "Assets",
        files: &[
            SiteFile {
                path: "assets/<name>-<hash>.css",
                about: "style sheets of the pages; `index.html` carries its own and opens alone",
            },
            SiteFile {
                path: "assets/<name>-<hash>.js",
                about: "scripts of the pages, by a hash of their content",
            },
        ],
        ..ORDINARY
    },
    SiteRow { name: "Pages of your own parsers", files: &[], write: own_tables::pages, ..ORDINARY },
];

/// All files of the report on one log.
pub(crate) fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let mut rows: Vec<&'static SiteRow> = report.rows().collect();
    rows.sort_by_key(|row| LONG.iter().position(|long| *long == row.name).unwrap_or(LONG.len()));
    let (mut pages, mut bundles) = (Vec::new(), Vec::new());
    for row in rows {
        let written = (row.write)(Report { row: Some(row), ..report });
        let loads = |page: &Page<'_, Worker>| {
            let path = page.path.as_str();
            path.ends_with(".html") && Delivery::of(path) != Delivery::Carried
        };
        bundles.extend(written.iter().any(loads).then_some(row.assets));
        pages.extend(written);
    }
    pages.extend(assets::files(bundles));
    pages
}

/// Rows with pages that take long, started first and in this order, so that no thread is still writing one of them when the
/// others are done. For a log with much generated code, the page of kernels took one thread a fifth of the time.
const LONG: [&str; 6] = ["Kernels", "Code", "Configuration", "Caches", "Flame chart", "Landing page"];

impl Default for Cached {
    fn default() -> Self {
        Cached::new(SITE)
    }
}

/// Files of a job's report, beside the folders of its ranks.
pub(crate) static JOB_FILES: &[SiteFile] = &[
    SiteFile { path: "index.html", about: "the landing page of the job" },
    SiteFile {
        path: "report.md",
        about: "the job as one text of at most 60 KB, for an issue or an assistant",
    },
    SiteFile {
        path: "report.json",
        about: "ranks, runs, differences with groups and the first position, runtimes, findings (`\"kind\": \"job\"`)",
    },
    SiteFile { path: "chromium_events.json", about: "the events of all ranks, one process per rank" },
    SiteFile {
        path: "collective_schedules.json",
        about: "scheduled collectives by rank and graph, if the logs have any",
    },
    SiteFile {
        path: "runtime_estimations.json",
        about: "estimated runtimes by rank and graph, if the logs have any",
    },
    SiteFile {
        path: "chromium_trace_with_runtime.json",
        about: "the estimated runtimes as a trace, if the logs have any",
    },
    SiteFile {
        path: "search.html",
        about: "one search over findings, functions, kernels and files of all ranks",
    },
    SiteFile { path: "rank_<n>/", about: "the report of each rank" },
];

/// Files that only upstream's reports have at the top, or that a setting puts in place of another.
const OTHER_ENTRIES: [&str; 4] =
    ["log_<n>/", "report.html", "symbolic_guard_information*.html", "tlparse_index.html"];

/// Every file that a report may have, as [`Entries`] takes them.
pub fn entries() -> Entries {
    let files = SITE.iter().flat_map(|row| row.files).chain(JOB_FILES).map(|file| file.path);
    Entries::new(files.chain(OTHER_ENTRIES).map(str::to_owned).collect())
}

/// Whether the report itself may write a file or folder at this path, so that no parser of a library user may. Case is
/// ignored.
pub fn is_own_path(path: &RelPath) -> bool {
    static ENTRIES: LazyLock<Entries> = LazyLock::new(entries);
    let path = path.as_str().to_lowercase();
    match path.split_once('/') {
        Some((folder, _)) if output::is_compile_folder(folder) => ENTRIES.have(&path),
        found => ENTRIES.have_at_top(found.map_or(path.as_str(), |(top, _)| top)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_the_report_uses_are_its_own() {
        let is_own = |path: &str| is_own_path(&RelPath::new(path).unwrap());
        for path in [
            "index.html",
            "Report.json",
            "payloads",
            "payloads/x.txt",
            "rank_0/x",
            "-_0_0_0",
            "directory_3.html",
            "-_0_0_0/compile.html",
            "-_0_0_0/graphs.html",
            "-_0_0_0/graph_12.txt",
            "-_0_0_0/code_3_readable.html",
            "process_7/mine.html",
            "assets/mine.js",
        ] {
            assert!(is_own(path), "{path}");
        }
        for path in ["mine.html", "step_12.txt", "-_0_0_0/mine.html", "-_0_0_0/mine_x.txt", "mine/index.html"]
        {
            assert!(!is_own(path), "{path}");
        }
    }

    #[test]
    fn names_of_pages_are_distinct() {
        let names: std::collections::BTreeSet<&str> = SITE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), SITE.len());
        assert!(LONG.iter().all(|long| names.contains(long)));
    }
}
