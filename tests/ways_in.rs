//! The shapes in which logs arrive: several paths, patterns, archives and reports give the report of the plain log.

use crate::support::archive::{gzip, tar, zip, zst};
use crate::support::{Input, Report, Run, files_below, input, input_of, report, source};
use serde_json::Value;
use std::fs;
use std::path::Path;

const SMALL: &str = "11_export_clean";

/// The files of a report with their bytes.
fn bytes_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    files_below(folder).into_iter().map(|path| (path.clone(), fs::read(folder.join(path)).unwrap())).collect()
}

/// Both reports have the same files, byte for byte.
fn is_same(one: &Report, other: &Report, what: &str) {
    let (one, other) = (bytes_of(&one.folder), bytes_of(&other.folder));
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other), "{what}");
    for (left, right) in one.iter().zip(&other) {
        assert!(left.1 == right.1, "{what}: {} differs", left.0);
    }
}

/// Both reports have the same files, byte for byte, where the name of the log in the first is read as that in the other.
fn is_same_but_for_the_name(one: &Report, other: &Report, what: &str) {
    let name = |report: &Report| report.json["log"]["file"].as_str().unwrap().to_owned();
    let (from, to) = (name(one), name(other));
    let renamed = |(path, bytes): (String, Vec<u8>)| match String::from_utf8(bytes) {
        // Links to a file of the report named `-` would be escaped; nothing else of a page depends on the name.
        Ok(text) => (path, text.replace(&from, &to).into_bytes()),
        Err(binary) => (path, binary.into_bytes()),
    };
    let one: Vec<_> = bytes_of(&one.folder).into_iter().map(renamed).collect();
    let other = bytes_of(&other.folder);
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other), "{what}");
    for (left, right) in one.iter().zip(&other) {
        assert!(left.1 == right.1, "{what}: {} differs", left.0);
    }
}

fn written(name: &str, bytes: &[u8]) -> Report {
    Run::of_bytes(name, bytes).ok()
}

/// Two small logs that have nothing to do with each other.
fn unrelated() -> [&'static Input; 2] {
    [input(SMALL), input("11_export_draft_clean")]
}

#[test]
fn a_log_in_any_archive_gives_the_report_of_the_plain_log() {
    let log = input(SMALL);
    let (bytes, name) = (log.bytes(), log.file_name());
    let deep = format!("{}{name}", "deep/".repeat(30));
    let (packed, packed_name) = (gzip(&bytes), format!("{name}.gz"));
    let notes: &[u8] = b"epoch 1\n";
    let plain = report(SMALL);
    for (archive, content) in [
        ("bug.zip", zip(&[("a/notes.txt", notes), (&deep, &bytes)])),
        ("bug.tar", tar(&[("a/notes.txt", notes), (&deep, &bytes), ("b/train.py", notes)])),
        ("bug.tar.gz", gzip(&tar(&[(&name, &bytes)]))),
        ("bug.tgz", gzip(&tar(&[(&name, &bytes)]))),
        ("bug.tar.zst", zst(&tar(&[(&name, &bytes)]))),
        ("without_ending", zip(&[(&name, &bytes)])),
        ("packed.zip", zip(&[(&packed_name, &packed)])),
        ("outer.tar", tar(&[("inner.zip", &zip(&[(&name, &bytes)]))])),
    ] {
        is_same(plain, &written(archive, &content), archive);
    }
}

#[test]
fn a_log_that_is_packed_or_in_a_folder_gives_the_report_of_the_plain_log() {
    let log = input(SMALL);
    let (bytes, name) = (log.bytes(), log.file_name());
    for (ending, bytes) in [(".gz", gzip(&bytes)), (".zst", zst(&bytes)), ("", bytes.clone())] {
        is_same(report(SMALL), &written(&format!("{name}{ending}"), &bytes), ending);
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(&name), &bytes).unwrap();
    is_same(report(SMALL), &Run::of(folder.path()).ok(), "folder");
}

#[test]
fn a_trace_in_an_archive_is_joined_as_one_in_a_folder_is() {
    let folder = source("tests/profiles/24_profile");
    let joined = Run::of(&folder).ok();
    assert!(joined.json["performance"]["kernels"].as_array().unwrap().len() > 5);
    let files = files_below(&folder);
    let files: Vec<(String, Vec<u8>)> = files
        .into_iter()
        .map(|path| (format!("run/{path}"), fs::read(folder.join(&path)).unwrap()))
        .collect();
    let members: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (&**path, &**bytes)).collect();
    is_same(&joined, &written("run.zip", &zip(&members)), "zip");
    is_same(&joined, &written("run.tar.zst", &zst(&tar(&members))), "tar.zst");
    // Files of a report have the form of a trace, too.
    let log = input(SMALL);
    let events: &[u8] = b"{\"traceEvents\": [], \"schemaVersion\": 1}";
    let members = [("r/chromium_events.json", events), (&*log.file_name(), &log.bytes())];
    is_same(report(SMALL), &written("bug.zip", &zip(&members)), "events of a report");
}

#[test]
fn a_pattern_in_quotes_means_the_files_that_fit() {
    let log = input(SMALL);
    let pattern = log.path.parent().unwrap().join("dedicated_log_*_nlcabx??.log");
    is_same(report(SMALL), &Run::of(pattern).ok(), "pattern");
    let error = Run::of(log.path.parent().unwrap().join("*.nothing")).go().fails(1);
    assert!(error.contains("no file matches") && error.contains("TORCH_TRACE"), "{error}");
}

#[test]
fn standard_input_may_be_packed_or_an_archive() {
    let (bytes, name) = (input(SMALL).bytes(), input(SMALL).file_name());
    let read = |bytes: Vec<u8>| Run::of("-").stdin(bytes).ok();
    is_same(report(SMALL), &read(gzip(&tar(&[(&name, &bytes)]))), "archive");
    for (what, bytes) in [("gz", gzip(&bytes)), ("zst", zst(&bytes)), ("plain", bytes)] {
        is_same_but_for_the_name(report(SMALL), &read(bytes), what);
    }
}

#[test]
fn a_report_is_read_again_from_its_folder_or_from_an_archive() {
    let before = report(SMALL);
    let again = Run::of(&before.folder).ok();
    is_same_but_for_the_name(before, &again, "report");
    let files = bytes_of(&before.folder);
    let named: Vec<(String, Vec<u8>)> =
        files.into_iter().map(|(path, bytes)| (format!("tl_out/{path}"), bytes)).collect();
    let members: Vec<(&str, &[u8])> = named.iter().map(|(path, bytes)| (&**path, &**bytes)).collect();
    is_same_but_for_the_name(before, &written("tl_out.zip", &zip(&members)), "zip of a report");
    // Upstream's has the log, too, and no report.json.
    let upstream: Vec<_> =
        members.iter().copied().filter(|(path, _)| !path.ends_with("report.json")).collect();
    is_same_but_for_the_name(before, &written("upstream.tar.gz", &gzip(&tar(&upstream))), "upstream's");
    let folder = tempfile::tempdir().unwrap();
    for name in ["index.html", "raw.log"] {
        fs::copy(before.folder.join(name), folder.path().join(name)).unwrap();
    }
    is_same_but_for_the_name(before, &Run::of(folder.path()).ok(), "folder of upstream's");
}

#[test]
fn a_forked_child_keeps_the_names_of_its_parent_in_an_archive_and_in_a_report() {
    let (parent, child) = (input("17_fork"), input("17_fork#1"));
    let (one, other) = (parent.bytes(), child.bytes());
    let members: [(&str, &[u8]); 2] = [(&parent.file_name(), &one), (&child.file_name(), &other)];
    let packed = written("fork.zip", &zip(&members));
    is_same(&Run::of(parent.path.parent().unwrap()).ok(), &packed, "fork");
    let again = Run::of(&packed.folder).ok();
    let unresolved = |report: &Report| {
        let below =
            files_below(&report.folder).into_iter().find(|path| path.ends_with("/report.json")).unwrap();
        let text = fs::read_to_string(report.folder.join(below)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["integrity"]["unresolved_strings"].clone()
    };
    assert_eq!(unresolved(&again), unresolved(&packed));
}

#[test]
fn several_logs_of_a_job_make_its_report() {
    let ranks = [0, 1].map(|rank| input_of("12_ddp_2", rank));
    let folder = Run::of(ranks[0].path.parent().unwrap()).ok();
    assert_eq!(folder.json["kind"], "job");
    let paths = Run::of(&ranks[1].path).args([&ranks[0].path]).ok();
    is_same(&folder, &paths, "paths");
    let [one, other] = ranks.map(Input::bytes);
    let names = ranks.map(|rank| format!("node_{}/{}", rank.name.len(), rank.file_name()));
    let packed = written("job.tar", &tar(&[(&names[0], &one), (&names[1], &other)]));
    is_same(&folder, &packed, "archive");
    let again = Run::of(&folder.folder).ok();
    assert_eq!(again.json["divergence"], folder.json["divergence"]);
}

#[test]
fn logs_that_do_not_belong_together_have_a_report_each_and_a_page_that_lists_them() {
    let [one, other] = unrelated();
    let list = Run::of(&one.path).args([&other.path]).args(["--overwrite"]).ok();
    assert_eq!(list.json["kind"], "logs");
    let logs = list.json["logs"].as_array().unwrap();
    let names: Vec<&str> = logs.iter().map(|log| log["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 2);
    for (log, name) in logs.iter().zip(names) {
        let input = unrelated().into_iter().find(|input| input.file_name() == name).unwrap();
        let own = Report::new(list.folder.join(log["dir"].as_str().unwrap()), None);
        is_same(report(&input.name), &own, name);
        let verdict = log["verdict"].as_str().unwrap();
        let page = list.page("index.html");
        assert!(list.stdout.contains(verdict) && page.text().contains(name), "{name}: {}", list.stdout);
    }
    let error = Run::of(&one.path).args(["missing.log"]).go().fails(1);
    assert!(error.contains("missing.log") && error.contains("no such file"), "{error}");
    // It is a report: it may be replaced, and it can be read again.
    let again = Run::of(&list.folder).ok();
    assert_eq!(again.json["logs"].as_array().unwrap().len(), 2);
    Run::of(&one.path).out(&list.folder).args(["--overwrite"]).ok();
}

#[test]
fn an_input_that_unpacks_to_more_than_the_limit_ends_with_one_sentence() {
    let bomb = vec![b'x'; 3 << 20];
    let name = "dedicated_log_torch_trace_x.log";
    for (file, bytes) in [
        ("bomb.gz", gzip(&bomb)),
        ("bomb.zst", zst(&bomb)),
        ("bomb.zip", zip(&[(name, &bomb)])),
        ("bomb.tar.gz", gzip(&tar(&[("other.bin", &bomb)]))),
        ("nested.tar", tar(&[("inner.zip", &zip(&[(name, &bomb)]))])),
        ("packed.zip", zip(&[("x.log.gz", &gzip(&bomb))])),
    ] {
        let done = Run::of_bytes(file, &bytes).args(["--max-unpacked", "2MB"]).go();
        let error = done.fails(1);
        assert!(
            error.contains("more than 2 MB, the limit") && error.contains("--max-unpacked"),
            "{file}: {error}"
        );
        assert_eq!(done.stderr.lines().count(), 1, "{file}: {}", done.stderr);
        assert_eq!(fs::read_dir(done.work.path()).unwrap().count(), 1, "{file}: only the input is there");
    }
    let endless = Run::of("/dev/zero").args(["--max-unpacked", "1M"]).go();
    if cfg!(unix) {
        assert!(endless.fails(1).contains("more than 1 MB, the limit"));
    }
    let stdin = Run::of("-").stdin(bomb).args(["--max-unpacked", "1M"]).go();
    assert!(stdin.fails(1).contains("more than 1 MB, the limit"));
}

#[test]
fn a_damaged_or_too_deep_archive_ends_with_one_sentence() {
    let (bytes, name) = (input(SMALL).bytes(), input(SMALL).file_name());
    let whole = zip(&[(&name, &bytes)]);
    let mut flipped = whole.clone();
    flipped[200] ^= 0xff;
    let cut = tar(&[(&name, &bytes)]);
    let deep = tar(&[("a.tar", &tar(&[("b.zip", &whole)]))]);
    for (file, bytes, said) in [
        ("cut.zip", whole[..whole.len() - 30].to_vec(), "damaged or was cut"),
        ("flipped.zip", flipped, "damaged"),
        ("cut.tar", cut[..cut.len() / 2].to_vec(), "was cut"),
        ("deep.tar", deep, "2 levels are the limit"),
        ("nothing.zip", zip(&[("readme.txt", b"hello")]), "an archive without a log"),
    ] {
        let done = Run::of_bytes(file, &bytes).go();
        let error = done.fails(1);
        assert!(error.contains(said), "{file}: {error}");
        assert_eq!(done.stderr.lines().count(), 1, "{file}: {}", done.stderr);
    }
}

#[test]
fn a_name_in_an_archive_never_leads_out_of_the_report() {
    let bytes = input(SMALL).bytes();
    for name in ["../../../evil.log", "/tmp/evil.log", "a\\..\\..\\evil.log", "\u{1b}[31m/evil.log"] {
        for archive in [zip(&[(name, &bytes)]), tar(&[(name, &bytes)])] {
            let done = Run::of_bytes("evil", &archive).go();
            assert_eq!(done.code, Some(0), "{name}: {}", done.stderr);
            assert_eq!(fs::read_dir(done.work.path()).unwrap().count(), 2, "{name}");
            assert_eq!(done.report(0).json["log"]["file"], "evil.log");
        }
    }
}

#[test]
fn an_archive_whose_files_share_their_bytes_is_refused() {
    let log = input(SMALL);
    let bytes = zip(&[("dedicated_log_torch_trace_a.log", &log.bytes())]);
    let find = |magic: &[u8]| bytes.windows(4).rposition(|bytes| bytes == magic).unwrap();
    let (list, end) = (find(b"PK\x01\x02"), find(b"PK\x05\x06"));
    let count = 60_000u16;
    let entries = bytes[list..end].repeat(count.into());
    let mut tail = bytes[end..].to_vec();
    tail[8..10].copy_from_slice(&count.to_le_bytes());
    tail[10..12].copy_from_slice(&count.to_le_bytes());
    tail[12..16].copy_from_slice(&(entries.len() as u32).to_le_bytes());
    let bomb = [&bytes[..list], &entries, &tail].concat();
    let error = Run::of_bytes("shared.zip", &bomb).go().fails(1);
    assert!(error.contains("share the same bytes"), "{error}");
}
