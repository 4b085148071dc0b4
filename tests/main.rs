//! Black-box tests of the built program on real logs, by topic.
//!
//! One program holds them all, so that each stored log is read once and only one program has to be linked. Some of it:
//! `cargo test golden`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod support;

mod assistants;
mod bare_compiles;
mod browser;
mod browser_axe;
mod browser_back;
mod browser_diff;
mod browser_drawn;
mod browser_editor;
mod browser_graphs;
mod browser_many;
mod browser_navigation;
mod browser_performance;
mod browser_provenance;
mod browser_search;
mod browser_source;
mod browser_tables;
mod browser_time;
mod cells;
mod check;
mod check_formats;
mod check_rules;
mod ci_examples;
mod cli;
mod collected;
mod combined_traces;
mod compile_pages;
mod console_beside;
mod consoles;
mod costs;
mod damage;
mod data_files;
mod dependencies;
mod determinism;
mod devices;
mod diff;
mod diff_code;
mod diff_devices;
mod diff_odd;
mod diff_rules;
mod diff_runs;
mod diff_starts;
mod diff_traces;
mod documents;
mod drawn;
mod endings;
mod export;
mod failures;
#[cfg(unix)]
mod faults;
mod figures;
mod findings;
mod first_look;
mod frozen;
mod golden;
mod hidden;
mod hostile;
mod install;
mod job_browser;
mod job_causes;
mod job_damage;
mod job_ends;
mod job_facts;
mod job_gaps;
mod jobs;
#[cfg(unix)]
mod kills;
mod lab;
mod landing;
mod landing_cut;
mod layers;
mod library;
mod limits;
mod loading;
mod markdown;
mod mistakes;
mod odd_logs;
mod old_torch;
mod overwrite;
mod packages;
mod page_budgets;
mod pages;
mod performance;
mod performance_devices;
mod performance_gains;
mod performance_kernels;
mod performance_traces;
mod probes;
mod provenance;
mod provenance_orders;
mod python_package;
mod ranks;
mod redact;
mod regressions;
mod rendered_markdown;
#[cfg(unix)]
mod repro;
mod run_and_watch;
#[cfg(unix)]
mod run_console;
mod same_numbers;
mod schema;
mod search;
mod serve;
mod show;
mod size;
mod sizes_and_settings;
mod snapshots;
mod source;
#[cfg(unix)]
mod strangers;
mod structure;
mod ten_tasks;
mod times;
#[cfg(feature = "upstream")]
mod upstream;
mod vllm;
mod ways_in;
mod weight;
mod why;
mod zip;
