//! How time, memory and output grow with a log. Each row is a kind of log that is large in one dimension, or in two at
//! once (length times count). It is made with N things and with 4 N; user time and peak memory may then be at most six
//! times, the output at most five times as large, all within an address space of 8 GB.
//!
//! ```text
//! cargo bench --bench growth                      all rows
//! cargo bench --bench growth -- --small           small logs, for CI: under a minute
//! cargo bench --bench growth -- recompiles ranks  rows whose names contain one of these words
//! cargo bench --bench growth -- --sweep           each event of each stored log again and again, in several ways
//! ```
//!
//! Logs are made of records of stored logs, with the hashes of changed payloads recomputed. Linux only: peak memory and
//! user time of a run are read from `/proc`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that fails ends the run"
)]

mod joined;
#[allow(dead_code, reason = "shared with the tests, which use all of it")]
#[path = "../../tests/support/log.rs"]
mod log;
mod made;
mod measure;
mod rows;
mod sweep;

use made::Input;
use measure::{Limits, Measured};
use rows::Row;
use std::path::{Path, PathBuf};

/// What 4 N may cost, as a multiple of what N costs.
const LIMITS: Limits = Limits { time: 6.0, memory: 6.0, output: 5.0 };
/// How many times as many things the second log of a row has.
const FACTOR: usize = 4;
/// How many times as few things each log has with `--small`.
const SMALLER: usize = 25;

/// What the command line says.
struct Wanted {
    small: bool,
    sweep: bool,
    program: PathBuf,
    words: Vec<String>,
}

impl Wanted {
    fn of_args() -> Wanted {
        let mut wanted = Wanted {
            small: false,
            sweep: false,
            program: env!("CARGO_BIN_EXE_tlparse").into(),
            words: Vec::new(),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--bench" => {} // cargo passes it
                "--small" => wanted.small = true,
                "--sweep" => wanted.sweep = true,
                "--program" => wanted.program = args.next().expect("--program PATH").into(),
                word => wanted.words.push(word.to_owned()),
            }
        }
        wanted
    }

    fn has(&self, row: &Row) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| row.name.contains(word.as_str()))
    }
}

fn main() {
    let wanted = Wanted::of_args();
    measure::limit_address_space();
    println!(
        "{:<44} {:>8} {:>8} {:>7} {:>8} {:>7} {:>8} {:>7}  at 4 N, as a multiple of N",
        "row", "N", "time", "", "memory", "", "output", ""
    );
    let rows = if wanted.sweep { sweep::rows() } else { rows::rows() };
    let mut over = Vec::new();
    for row in rows.iter().filter(|row| wanted.has(row)) {
        let n = if wanted.small { (row.n / SMALLER).max(1) } else { row.n };
        let once = measured(&wanted.program, row, n);
        let more = measured(&wanted.program, row, n * FACTOR);
        let verdict = more.verdict(&once, LIMITS);
        println!("{:<44} {:>8} {}  {}", row.name, n, more.beside(&once), verdict.join("; "));
        if !verdict.is_empty() {
            over.push(row.name.clone());
        }
    }
    if !over.is_empty() {
        println!("over a limit: {}", over.join(", "));
        std::process::exit(1);
    }
}

/// What the report of a row with `n` things costs.
fn measured(program: &Path, row: &Row, n: usize) -> Measured {
    let folder = tempfile::tempdir().unwrap();
    let input = Input::write(&(row.make)(n), row.trace.map(|trace| trace(n)), folder.path());
    measure::run(program, &input, &folder.path().join("report"))
}
