//! How many bytes a second each part of the program takes, by criterion: `cargo bench -p tlparse-benches`.
//!
//! The log is that of a recorded model, whose payloads are longer than those of most logs. `benches/compare.sh` measures
//! whole runs on logs of hundreds of megabytes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that fails ends the run"
)]

mod payloads;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use payloads::payloads;
use std::hint::black_box;
use std::path::Path;
use tlparse::fuzzing::{self, MEASURED};
use tlparse::{Options, Registry};

/// A folder of `tests/inputs`.
const RECORDED: &str = "14_llama_infer";

criterion_group!(benches, parts, hashing, pages, runs);
criterion_main!(benches);

/// The log, unpacked.
fn log() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs").join(RECORDED);
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let path = files.find(|path| path.to_string_lossy().contains(".log")).expect("the folder has a log");
    let bytes = std::fs::read(&path).unwrap();
    if path.extension().is_some_and(|extension| extension == "zst") {
        zstd::decode_all(bytes.as_slice()).unwrap()
    } else {
        bytes
    }
}

/// Scanning a log, reading the envelopes of its records, highlighting its generated code.
fn parts(criterion: &mut Criterion) {
    let log = log();
    let code: Vec<u8> = payloads(&log)
        .into_iter()
        .filter(|text| memchr::memmem::find(text, b"async_compile").is_some())
        .flatten()
        .collect();
    for part in MEASURED {
        let input = if part.of_code { &code } else { &log };
        let mut group = criterion.benchmark_group(part.name);
        group.throughput(Throughput::Bytes(input.len() as u64));
        group.bench_function(RECORDED, |bencher| bencher.iter(|| (part.run)(black_box(input))));
        group.finish();
    }
}

/// Hashing all payloads.
fn hashing(criterion: &mut Criterion) {
    let payloads = payloads(&log());
    let mut group = criterion.benchmark_group("hashing");
    group.throughput(Throughput::Bytes(payloads.iter().map(|text| text.len() as u64).sum()));
    group.bench_function(RECORDED, |bencher| {
        bencher.iter(|| payloads.iter().map(|text| md5::compute(black_box(text)).0[0]).max());
    });
    group.finish();
}

/// Writing all pages of a log that was read, by one thread, to memory. Its bytes are those of the pages.
fn pages(criterion: &mut Criterion) {
    fuzzing::with_pages(&log(), |write| {
        let mut group = criterion.benchmark_group("pages");
        group.throughput(Throughput::Bytes(write() as u64));
        group.bench_function(RECORDED, |bencher| bencher.iter(write));
        group.finish();
    });
}

/// A whole run, with all threads. Its bytes are those of the log.
fn runs(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let (log, path) = (log(), folder.path().join("recorded.log"));
    std::fs::write(&path, &log).unwrap();
    let mut options = Options::new(&path, folder.path().join("out"));
    options.overwrite = true;
    let registry = Registry::default();
    let mut group = criterion.benchmark_group("run");
    group.throughput(Throughput::Bytes(log.len() as u64));
    group.bench_function("to memory", |bencher| {
        bencher.iter(|| tlparse::run_in_memory(&options, &registry, &()).unwrap().files.len());
    });
    group.bench_function("to disk", |bencher| {
        bencher.iter(|| tlparse::run(&options, &registry, &()).unwrap().folder);
    });
    group.finish();
}
