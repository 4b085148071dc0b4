//! The size of the source tree: lines of each room, types and functions, each no larger than what was reached before.
//!
//! A change that needs more lines in a room takes them from another, or raises the number here and says why beside it. A
//! change that needs fewer lowers it. `goal` is where a room is going; a room at its goal stays there.

use crate::support::sources::sources;
use crate::support::{files_below, source, source_text};
use regex::Regex;

/// A part of `src` that is measured by itself.
struct Room {
    /// The folders and files that belong to it, below `src`. A file belongs to the first room that names it.
    paths: &'static [&'static str],
    /// Lines of Rust, with its tests, that were reached.
    rust: usize,
    /// Lines in other languages that people write: scripts, styles, templates, tables.
    other: usize,
    /// Lines of Rust that it is to have.
    goal: usize,
}

/// By how much a number may be too high before it has to be lowered.
const SLACK: usize = 40;

const fn room(paths: &'static [&'static str], rust: usize, other: usize, goal: usize) -> Room {
    Room { paths, rust, other, goal }
}

/// The rooms, in the order in which data flows through them.
const ROOMS: [Room; 23] = [
    // Lines in other languages are tables of cases of unit tests, here and in the rooms below.
    // With logs behind labels, mixed, or copied from a terminal, and console output as records: 1,000 lines.
    // With the console beside a log: messages of torch and tracebacks among what a program prints, 230 lines.
    // With symbolic sizes of a console, and the names of files that torch shortens there: 220 lines.
    // With exceptions of the compiler without any message of torch, from a file or a pipe, of each rank: 90 lines. Messages
    // about symbols and functions are read by patterns, in place of 78 lines.
    room(&["trace/"], 7076, 306, 5000),
    room(&["profile/"], 1417, 61, 1200),
    // Hashes of guards and graphs, by which ranks are compared, are made here, kept in the model and named in facts.
    // With what logs of torch before 2.6 tell of breaks and recompilations, of which they have no records: 94 lines.
    // With what a console says of CUDA graphs, which no record does: 230 lines.
    // With the compile whose exception ended a program, of which there is a console only: 20 lines.
    // With where an export stopped, from the graph that it had until then: 55 lines.
    room(&["events/"], 5037, 444, 4300),
    // The folders of packages, names of resume functions and likeness of words moved here from analysis and program.
    // With the facts of a console, here and in the rooms below: 90 lines each in model, facts, report/data.
    // A sentence knows what a redacted report says in its place, here and where titles are made: report/redact made them
    // again, 270 lines.
    // How a list of ranks is worded was in analysis/job, report/job, report/compare and facts: 41 lines.
    // An export that stopped is a kind of problem: 7 lines. Logs with inputs alone, and records that are cut short: 18 lines.
    room(&["model/"], 3861, 151, 3300),
    // All statements of generated code are read here, also those that only measured kernels need: 840 lines were in
    // analysis/performance.
    // With the exception behind one that names the backend: 10 lines.
    // An item that is named by its place among the keys, as a hook is: 15 lines.
    room(&["read/"], 2966, 365, 2500),
    // With what ranks are compared by, 850 lines, which was in the model, the rows of diff.json, which were in compare, what a
    // finding is recognized by, 200 lines, which was in check and report/formats, and the names that the search of a job finds.
    // In what ranks, runs and baselines differ is one list with its words, which was three, in facts, compare and check.
    // With the way to the reports of a job's ranks, which was in check and twice in show, and the names of functions that show
    // asked for: 66 lines.
    // The compiles and functions of a rank were looked up in analysis/job, a dozen times: 18 lines.
    room(&["facts/"], 5186, 0, 3400),
    // Rules of advice, with their cases, and small logs with the findings that they have. The file of a break is one of the
    // conditions of a rule: 2 lines. Rules and cases of optimizers, seeds, copies, addresses, packed sequences, gradients,
    // and branches of libraries: 174 lines. Code behind a break that is compiled again with its function is part of that
    // function's finding: 42 lines. With exceptions while a model runs, and CUDA graphs that only the console tells of: 140.
    // The severity that a word in a report means was read in three rooms: 7 lines. Bypasses, exceptions and failures have tables
    // of rules as breaks have: 170 lines of them. So have recompilations, what export found wanting, and obstacles to CUDA graphs,
    // with a case for each rule: 1,170 lines of tables, and 330 lines of Rust less in both rooms. What to do about findings of
    // jobs is in the table of kinds: 104 lines, which were code in analysis/job.
    // Keys of caches that differ in nothing that is written down have advice: 1 line.
    // With what vanishes with a break, which counts for it and is named there: 45 lines. Rules, with their cases, of random numbers of
    // NumPy, saved generators, locks, context managers, transforms of compiled functions, hooks and counters: 200 lines.
    // Rules, with their cases, of appended lists, texts that are data, loops over a size, freed gradients and cache bypasses: 205 lines.
    room(&["analysis/findings"], 5386, 3706, 4000),
    // With the order of values by their versions, and the line that branches on a relation of sizes: 40 lines.
    // With sizes of calls from guards and symbols, where a console has no inputs: 48 lines. Messages of guards are a table.
    // With items that compiled code sets, numbers that no graph uses, and values that hooks hold: 26 lines.
    // With objects that were freed: 20 lines of tables.
    // With sizes that a line of a library makes constants: 6 lines.
    room(&["analysis/recompiles"], 3830, 1198, 3800),
    // With kernels of which a trace does not say what launched them: 11 lines.
    room(&["analysis/performance"], 4297, 774, 4200),
    room(&["analysis/provenance"], 2001, 79, 2006),
    room(&["analysis/drawing"], 2462, 39, 2000),
    // With guards, captured graphs, tensors of collectives, resets, waits, several jobs, and records that a rank lacks (which
    // are neither equal nor different): these decide most verdicts.
    // With the component in which cache keys differ, and what Inductor makes of one captured graph: 60 lines.
    // With operations, sources and groups of collectives that do not fit, uneven parts by design, what a graph break keeps out of
    // a graph, the limit of recompilations, and ranks that are ended after a failure: 163 lines.
    // With the ways behind a branch on data, versions of torch as a cause, and failures of which other logs do not know: 32 lines.
    room(&["analysis/job"], 4826, 147, 2800),
    // With phases that fill the one around them alone.
    // With the console joined with the log by compile, line and function: 190 lines. How two versions of a compile's guards and
    // graph differ was in analysis/job, and serves runs too.
    // Patterns of tables find all names of a list: 7 lines.
    // How two cache keys differ was in compare, and serves ranks too; arguments of operators that differ are named: 74 lines.
    // Which artifacts hold the texts of a compile is one list for ranks and runs: 9 lines, which were in compare.
    // Graphs are compared whatever values are called, with placements, and guards with the names of dtypes: 70 lines.
    // A key whose components are equal is one of its changes: 5 lines.
    room(&["analysis/"], 9252, 696, 5700),
    // With why a second start missed its cache, component by component, the names by which functions are asked for, and the
    // names in the reports of ranks that the search of a job finds, of which kernels lead to their rows: 4 lines. With the guard
    // and the operator in which runs first differ: 150 lines.
    // With functions whose class or name a log that ends early does not know, the line of a break inside of a call of a module,
    // and compiles that are refused at the limit: 33 lines.
    // With what a graph break moves into another compile, and keys that differ in what is not written down: 17 lines.
    room(&["compare/", "check/", "show/", "job/"], 8209, 0, 5200),
    // Assets are files of a report, and each page has a loader of its own. With the index of the search, which was in pages,
    // and the ways from a rank to its job and to the same compile of another rank.
    // A job finds the row of a kernel by its name, and graphs lead to the ranks beside one: 13 lines of scripts.
    // What the entry of a finding says on the landing page and in report.md was in both: 115 lines.
    // Two texts in two columns are shown by one writer, which was in report/compare, and was in report/job another: 137 lines.
    // Which statuses of reports are known was in report/compare and report/job: 5 lines.
    room(&["report/kit/"], 7065, 7857, 5500),
    // The phases of a compile are named where they are used. What lists say of compiles is not kept while the search writes the
    // rest, here and in report/: 9 lines.
    // The phases of a compile are named where they are used.
    room(&["report/pages/"], 16_214, 0, 12_500),
    // With the way from a rank to its job and back, the names of both sides in all sentences, and the search over all ranks.
    // What died on one side comes first in the verdict on two runs.
    // All ranks are named once in a verdict: 4 lines.
    room(&["report/job/", "report/compare/"], 5136, 0, 3200),
    // With breaks and failures called as their findings are, and hints of a console in report.md: 46 lines.
    room(&["report/data/", "report/formats/", "report/redact/"], 3463, 0, 2600),
    // With blocks and lists, to which pages, `show`, Markdown and redacted reports move: what they show is said here once. Tables
    // of report.md were said in report/data, 130 lines.
    // With what the search says of each row, which was in pages: 224 lines there.
    room(&["report/"], 5365, 351, 1700),
    // With what a folder without logs holds.
    room(&["output", "run/"], 3919, 70, 3400),
    // With why a command recorded nothing, and what it prints, passed on and kept: 200 lines.
    room(&["program/"], 4376, 0, 3300),
    room(&["drop_in/"], 626, 0, 600),
    // With the classes of limits, which were constants in each room.
    // With pseudo terminals, 95 lines.
    room(&[""], 2323, 62, 1700),
];

/// Types outside of tests, and functions; with the search over all ranks of a job, five types and a dozen functions, and with
/// the console beside a log and that of `tlparse run`, 24 types, most of them objects of report.json, and 75 functions; with
/// the values of a chain by version and what a function's finding includes, one type and five functions; with guards and
/// operators of runs, two types and fifteen functions; with the symbols of a console, four types and two dozen functions; with
/// what the search says of a row, and rows that only it has, eight types; with what to do, each once, one type; with one list of
/// aspects, six types fewer; with cache keys of ranks, a dozen functions more; with what lists say of the compile that a row is
/// about, four types; with what rules may ask of a log, two types more, and thirty functions fewer; with settings of collectives and
/// parts of ranks, seventeen functions; with exports that stopped, and what vanishes with a break, one type and eight functions; with
/// graphs whatever their values are called, a type and four functions; with ways behind a branch on data, a name of a type, and with
/// what a graph break moves, a function.
const CONCEPTS: Concepts = Concepts { types: 1581, functions: 5816 };

#[derive(Debug)]
struct Concepts {
    types: usize,
    functions: usize,
}

/// Languages that people write, by the end of a file's name. Grammars, catalogs of torch and tables of Unicode are not.
const LANGUAGES: [&str; 6] = ["js", "css", "html", "toml", "json", "txt"];

/// What is copied from elsewhere, or written by a program.
const COPIED: [&str; 3] = ["facts/safe/", "analysis/defaults/", "analysis/lab.json"];

#[derive(Debug, Default, Clone, Copy)]
struct Lines {
    rust: usize,
    other: usize,
}

/// The lines of each room, in their order.
fn measured() -> Vec<Lines> {
    let mut rooms = vec![Lines::default(); ROOMS.len()];
    for path in files_below(&source("src")) {
        let owner = |room: &Room| room.paths.iter().any(|start| path.starts_with(start));
        let room = &mut rooms[ROOMS.iter().position(owner).unwrap()];
        let extension = path.rsplit('.').next().unwrap();
        let lines = || source_text(&format!("src/{path}")).lines().count();
        if extension == "rs" {
            room.rust += lines();
        } else if LANGUAGES.contains(&extension) && !COPIED.iter().any(|start| path.starts_with(start)) {
            room.other += lines();
        }
    }
    rooms
}

/// Whether a number was exceeded, or fell so far that it has to be lowered.
fn is_off(reached: usize, now: usize) -> bool {
    now > reached || now + SLACK < reached
}

#[test]
fn no_room_grows_and_what_became_smaller_stays_so() {
    let measured = measured();
    let off = ROOMS
        .iter()
        .zip(&measured)
        .filter(|(room, now)| is_off(room.rust, now.rust) || is_off(room.other, now.other));
    let told: Vec<String> = off
        .map(|(room, now)| {
            format!("{:?}: {}, {} now, {}, {} here", room.paths, now.rust, now.other, room.rust, room.other)
        })
        .collect();
    let rust: usize = measured.iter().map(|room| room.rust).sum();
    assert!(told.is_empty(), "set these numbers, of {rust} lines of Rust in all:\n{}", told.join("\n"));
}

#[test]
fn no_room_has_a_goal_that_it_left_behind() {
    let behind = ROOMS.iter().filter(|room| room.rust + SLACK < room.goal);
    let told: Vec<_> = behind.map(|room| room.paths).collect();
    assert!(told.is_empty(), "lower the goal of {told:?} to what was reached");
}

#[test]
fn the_number_of_types_and_functions_does_not_grow() {
    let count = |pattern: &str| {
        let pattern = Regex::new(pattern).unwrap();
        sources().iter().map(|source| pattern.find_iter(&source.code).count()).sum::<usize>()
    };
    let now = Concepts {
        types: count(r"(?m)^\s*(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|type|union) [A-Z]"),
        functions: count(r"(?m)^\s*(?:pub(?:\([a-z: ]+\))? )?(?:const |unsafe )*fn \w"),
    };
    let off = is_off(CONCEPTS.types, now.types) || is_off(CONCEPTS.functions, now.functions);
    assert!(!off, "{now:?} now, {CONCEPTS:?} here");
}
