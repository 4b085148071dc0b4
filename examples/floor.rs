//! Does only what a report cannot do without, to see how far from that a run is: reads a log or the logs of a folder,
//! hashes their payloads, and writes as many bytes into as many files as a report has, on all processors.
//! `benches/compare.sh` times it.
//!
//! ```text
//! cargo run --release --example floor -- trace.log tl_out written
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that fails ends the run"
)]

#[path = "../benches/speed/payloads.rs"]
mod payloads;

use payloads::payloads;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// A file to be written.
struct Planned {
    path: PathBuf,
    len: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [log, report, out] = args.as_slice() else {
        return Err("give a log, its report, and the folder to write into".into());
    };
    let threads = thread::available_parallelism()?.get();
    let mut hashed = 0;
    for log in logs(Path::new(log))? {
        let payloads = payloads(&fs::read(log)?);
        hashed += in_parallel(&payloads, threads, hash).into_iter().sum::<usize>();
    }
    let mut planned = Vec::new();
    plan(Path::new(report), Path::new(out), &mut planned)?;
    let longest = planned.iter().map(|file| file.len).max().unwrap_or_default();
    let bytes = vec![b'x'; longest];
    for written in in_parallel(&planned, threads, |files| {
        files.iter().try_for_each(|file| fs::write(&file.path, &bytes[..file.len]))
    }) {
        written?;
    }
    println!("{hashed} payloads hashed, {} files written", planned.len());
    Ok(())
}

/// The log itself, or the logs of a folder.
fn logs(path: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    if path.is_dir() {
        return Ok(fs::read_dir(path)?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_, std::io::Error>>()?);
    }
    Ok(vec![path.to_owned()])
}

/// Hashes payloads; says how many there were.
fn hash(payloads: &[Vec<u8>]) -> usize {
    for payload in payloads {
        std::hint::black_box(md5::compute(payload));
    }
    payloads.len()
}

/// Gives each thread an equal number of things.
fn in_parallel<T: Sync, R: Send>(things: &[T], threads: usize, work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let share = things.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let running: Vec<_> = things.chunks(share).map(|part| scope.spawn(|| work(part))).collect();
        running.into_iter().map(|thread| thread.join().expect("the work does not panic")).collect()
    })
}

/// Makes the folders of a report elsewhere, and lists its files.
fn plan(report: &Path, out: &Path, planned: &mut Vec<Planned>) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(out)?;
    for entry in fs::read_dir(report)? {
        let entry = entry?;
        let path = out.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            plan(&entry.path(), &path, planned)?;
        } else {
            planned.push(Planned { path, len: usize::try_from(entry.metadata()?.len())? });
        }
    }
    Ok(())
}
