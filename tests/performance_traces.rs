//! Which trace of torch.profiler belongs to which log.

use crate::performance::{performance, rows, trace, trace_path};
use crate::support::{Run, source};
use serde_json::Value;

#[test]
fn a_trace_beside_the_logs_of_a_folder_is_found() {
    let folder = tempfile::TempDir::new().unwrap();
    for entry in std::fs::read_dir(source("tests/profiles/24_profile")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match name.strip_suffix(".zst") {
            Some(plain) => {
                let log = zstd::decode_all(std::fs::read(&path).unwrap().as_slice()).unwrap();
                std::fs::write(folder.path().join(plain), log).unwrap();
            }
            None => drop(std::fs::copy(&path, folder.path().join(name)).unwrap()),
        }
    }
    let report = Run::of(folder.path()).ok();
    assert_eq!(performance(&report)["trace"]["file"], "profile.json");
    assert_eq!(rows(&report, "lines").len(), 4);
}

#[test]
fn a_trace_is_joined_even_if_only_the_log_has_its_rank() {
    let folder = tempfile::TempDir::new().unwrap();
    let log =
        std::fs::read_dir(source("tests/profiles/24_profile")).unwrap().map(|entry| entry.unwrap().path());
    let log = log.into_iter().find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap();
    let log = zstd::decode_all(std::fs::read(log).unwrap().as_slice()).unwrap();
    let path = folder.path().join("dedicated_log_torch_trace_rank_3_x.log");
    std::fs::write(&path, log).unwrap();
    let trace = trace_path("24_profile/profile.json.gz");
    let report = Run::of(&path).args(["--profile"]).args([&trace]).ok();
    assert_eq!(rows(&report, "lines").len(), 4);
    // Of several, nothing says which is meant.
    let run = Run::of(&path)
        .args(["--profile"])
        .args([&trace])
        .args(["--profile"])
        .args([trace_path("h100_vit.json.gz")]);
    let done = run.go();
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("nothing says which of them belongs to this log"), "{}", done.stderr);
}

#[test]
fn each_rank_of_a_job_has_its_own_trace_and_others_are_named() {
    let folder = tempfile::TempDir::new().unwrap();
    for rank in 0..2 {
        let log = crate::support::input_of("12_ddp_2", rank);
        std::fs::copy(&log.path, folder.path().join(log.file_name())).unwrap();
    }
    std::fs::copy(trace_path("h100_vit.json.gz"), folder.path().join("trace_rank1.json.gz")).unwrap();
    std::fs::copy(trace_path("mi300_vit.json.gz"), folder.path().join("of_nobody.json.gz")).unwrap();
    // Its name tells no rank, but what torch.profiler writes before the events does.
    let named_inside =
        trace("mi300_vit.json.gz").to_string().replacen('{', r#"{"distributedInfo": {"rank": 0}, "#, 1);
    std::fs::write(folder.path().join("of_the_first.json"), named_inside).unwrap();
    let done = Run::of(folder.path()).go();
    assert!(
        done.stderr.contains("1 trace not read") && done.stderr.contains("of_nobody.json.gz"),
        "{}",
        done.stderr
    );
    let read = |rank: u64| -> Value {
        let text = std::fs::read(done.folder.join(format!("rank_{rank}/report.json"))).unwrap();
        serde_json::from_slice(&text).unwrap()
    };
    assert_eq!(read(0)["performance"]["device"]["entry"], "AMD Instinct MI300X");
    assert_eq!(read(1)["performance"]["device"]["entry"], "NVIDIA H100 SXM");
}
