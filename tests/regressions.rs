//! Logs that the search in `fuzz/` found, and what must hold for the report of every log. The finds of single parsers are
//! given to them again in `fuzz/parsers.rs`.

#[path = "../fuzz/src/oracle.rs"]
#[allow(dead_code, reason = "the search uses all of it")]
pub mod oracle;

use crate::support::{address, files_below, input, source, source_text};
use oracle::Files;
use std::num::NonZeroUsize;
use tlparse::{Options, Registry};

/// The report of a log in memory, on a number of threads.
fn in_memory(log: &std::path::Path, threads: usize) -> Files {
    let options = Options { threads: NonZeroUsize::new(threads), ..Options::new(log, "") };
    tlparse::run_in_memory(&options, &Registry::default(), &()).unwrap().files
}

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(&source_text("report.schema.json")).unwrap()).unwrap()
}

#[test]
fn logs_found_by_fuzzing_give_a_consistent_report() {
    let schema = schema();
    let folder = source("fuzz/regressions/log");
    for name in if folder.exists() { files_below(&folder) } else { Vec::new() } {
        let log = folder.join(&name);
        let files = in_memory(&log, 1);
        let wrong = oracle::check(&std::fs::read(&log).unwrap(), &files, &schema);
        assert_eq!(wrong, Ok(()), "{name}");
        assert!(in_memory(&log, 3) == files, "{name}: another number of threads gives other files");
    }
}

#[test]
fn traces_found_by_fuzzing_give_a_consistent_report() {
    let folder = source("fuzz/regressions/trace");
    for name in files_below(&folder) {
        let input = std::fs::read(folder.join(&name)).unwrap();
        let (log, trace) = oracle::trace_and_log(&input);
        let work = tempfile::tempdir().unwrap();
        let path = |name: &str, bytes: &[u8]| {
            let path = work.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let profile = path("trace.json", trace);
        let options = match log.is_empty() {
            true => Options::new(profile, ""),
            false => Options { profiles: vec![profile], ..Options::new(path("trace.log", log), "") },
        };
        let files = tlparse::run_in_memory(&options, &Registry::default(), &()).unwrap().files;
        assert_eq!(oracle::check(log, &files, &schema()), Ok(()), "{name}");
    }
}

/// What the search says of a report that is as it should be but for one page.
fn told(page: &str) -> Result<(), String> {
    let rest =
        [("other.html", "<p id='there'>"), ("graphs.html", "<i id=1><i id=2>"), ("assets/base-1.css", "")];
    let rest = rest.map(|(path, page)| (path.to_owned(), page.as_bytes().to_vec()));
    let page = ("index.html".to_owned(), page.as_bytes().to_vec());
    oracle::pages(&rest.into_iter().chain([page]).collect())
}

#[test]
fn the_fuzzer_detects_scripts_and_dead_links() {
    let good = [
        "&lt;img src=x onerror=probe4711()&gt;",
        "<a href='other.html#there'>x</a><a href='#me' id='me'>x</a><a href='https://x.org/#y'>x</a>",
        "<script>ours()</script><script type='application/json'>\"probe4711()\"</script>",
        "<title><img src=x></title><style>a{content:'<img src=x>'}</style>",
        "<link rel='stylesheet' href='assets/base-1.css'>",
    ];
    for page in good {
        assert_eq!(told(page), Ok(()), "{page}");
    }
    let bad = [
        "<img src=x onerror=probe4711()>",
        "<b onclick='x()'>",
        "<a href=' JavaScript:probe4711()'>",
        "<a href='data:text/html,x' ping='x'>",
        "<script>probe4711()</script>",
        "<p id='a'><p id='a'>",
        "<a href='nowhere.html'>",
        "<a href='other.html#nowhere'>",
        "<a href='../index.html'>",
        "<iframe></iframe>",
        "<link rel='stylesheet' href='assets/nowhere.css'>",
        "<link rel='stylesheet' href='other.html'>",
        "<link rel='icon' href='assets/base-1.css'>",
        "<form action='nowhere.html'>",
    ];
    for page in bad {
        assert!(told(page).is_err(), "{page}");
    }
}

#[test]
fn the_fuzzer_detects_inconsistent_data() {
    let log = &input("11_export_clean").path;
    let bytes = std::fs::read(log).unwrap();
    let whole = in_memory(log, 1);
    let schema = schema();
    assert_eq!(oracle::check(&bytes, &whole, &schema), Ok(()));
    let breaks: [fn(&mut Files); 5] = [
        |files| files.get_mut("raw.log").unwrap().push(b'x'),
        |files| files.get_mut("raw.jsonl").unwrap().extend(b"{\n"),
        |files| files.get_mut("report.json").unwrap().truncate(100),
        |files| drop(files.insert("../up".to_owned(), Vec::new())),
        |files| drop(files.insert("much".to_owned(), vec![0; 64 << 20])),
    ];
    for damage in breaks {
        let mut files = whole.clone();
        damage(&mut files);
        assert!(oracle::check(&bytes, &files, &schema).is_err());
    }
}
