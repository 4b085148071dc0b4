//! `--redact`: what is safe of a report, and nothing else.

use crate::support::{
    Input, Report, Run, files_below, input, inputs, report, source, source_text, sources::sources,
};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::sync::OnceLock;

/// Letters of the shortest words that are looked for: shorter ones are in everything.
const LETTERS: usize = 6;

/// The words of a text: names as Python has them.
fn words(text: &str) -> impl Iterator<Item = String> {
    static WORD: OnceLock<Regex> = OnceLock::new();
    let word = WORD.get_or_init(|| Regex::new(r"[A-Za-z_][A-Za-z0-9_]*").unwrap());
    word.find_iter(text).map(|found| found.as_str().to_owned()).filter(|word| word.len() >= LETTERS)
}

/// The words of this program's own source, and of its lists of torch's names: the README says that these are in a report.
fn own_words() -> &'static BTreeSet<String> {
    static OWN: OnceLock<BTreeSet<String>> = OnceLock::new();
    OWN.get_or_init(|| {
        let files = ["src/report/kit", "src/report/redact", "src/report/words", "src/facts/safe"]
            .map(source)
            .into_iter()
            .flat_map(|folder| {
                files_below(&folder).into_iter().map(move |file| folder.join(file)).collect::<Vec<_>>()
            });
        // What it advises.
        let tables = files_below(&source("src/analysis")).into_iter().filter(|file| file.ends_with(".toml"));
        let advice = tables.map(|file| source(&format!("src/analysis/{file}")));
        let files = files.chain(advice);
        // The stored grammars are no text, and none of their words is shown.
        let texts = files.filter(|file| file.extension().is_none_or(|extension| extension != "packdump"));
        let texts = texts.map(|file| fs::read_to_string(file).unwrap());
        let all: Vec<String> = texts.chain(sources().iter().map(|source| source.text.clone())).collect();
        all.iter().flat_map(|text| words(text)).collect()
    })
}

fn text_of_log(input: &Input) -> String {
    let bytes = fs::read(&input.path).unwrap();
    let mut text = Vec::new();
    match bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        true => drop(zstd::stream::read::Decoder::new(&bytes[..]).unwrap().read_to_end(&mut text).unwrap()),
        false => text = bytes,
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// The words that a log has in paths, in source lines and in `loc`.
fn secrets(log: &str) -> BTreeSet<String> {
    let path = Regex::new(r"(?:/[\w.+-]+){2,}").unwrap();
    let of_torch = Regex::new(r"/(?:site|dist)-packages/torch/").unwrap();
    let loc = Regex::new(r#""(?:loc|code|co_name|name)": *"((?:\\.|[^"\\])*)""#).unwrap();
    let mut secrets = BTreeSet::new();
    for line in log.lines() {
        let paths = path.find_iter(line).map(|found| found.as_str()).filter(|path| !of_torch.is_match(path));
        secrets.extend(paths.flat_map(words));
        secrets.extend(loc.captures_iter(line).flat_map(|found| words(&found[1]).collect::<Vec<_>>()));
        // In a traceback, the source stands below its frame.
        secrets.extend(line.split("in torch_dynamo").skip(1).flat_map(words));
    }
    // Addresses of torch's catalog hold the numbers of graph breaks, and it numbers the operations that a kernel fuses, attempts and
    // passes.
    let numbered =
        Regex::new(r"^(?:gb[0-9]+|op[0-9]+(?:_op[0-9]+)*|compile_attempt_[0-9]+|pass_pattern_[0-9]+)$")
            .unwrap();
    secrets.retain(|word| !own_words().contains(word) && !numbered.is_match(word));
    secrets
}

/// The dates and times of day in a text, in all forms in which reports and logs have them, also as numbers since 1970.
fn times(text: &str) -> Vec<String> {
    static TIME: OnceLock<Regex> = OnceLock::new();
    let time = TIME.get_or_init(|| {
        let months = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
        let date = r"(?:19|20)\d\d-\d\d-\d\d|\d\d-\d\d[T ]\d\d:";
        let of_day = r"\d{1,2}:\d\d(?::\d\d)?(?:[^\w]|$)";
        let since_1970 = r"1[67]\d{8}(?:\d{3}){0,3}(?:\D|$)";
        Regex::new(&format!(r"(?:^|[^\w.:-])(?:{date}|{of_day}|{since_1970}|\d{{1,2}}\s(?:{months})\b)"))
            .unwrap()
    });
    static OWN: OnceLock<Regex> = OnceLock::new();
    let own = OWN.get_or_init(|| Regex::new(r"(?s)<style.*?</style>|<script.*?</script>").unwrap());
    time.find_iter(&own.replace_all(text, "")).map(|found| found.as_str().to_owned()).collect()
}

/// The texts of all files of a report, and what the terminal said.
fn texts_of(report: &Report) -> Vec<(String, String)> {
    let files = files_below(&report.folder).into_iter().map(|file| (file.clone(), report.read(&file)));
    files.chain([("the terminal".to_owned(), report.stdout.clone())]).collect()
}

#[test]
fn no_date_and_no_time_of_day_is_in_a_redacted_report_of_a_job() {
    for found in
        ["2026-11-20", " 11-20 05:09:30", "at 05:09", " 20\u{a0}Nov", "1795146935", "\"1795146935653000\""]
    {
        assert_eq!(times(found).len(), 1, "{found}");
    }
    assert!(times("file1:28, 0/0, 1099511627776, [12, 30], 12.30 s, v2.15.0").is_empty());
    let in_folder = |folder: &str| {
        fs::read_dir(source(folder)).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    };
    let jobs = in_folder("tests/jobs").chain(in_folder("tests/profiles"));
    for path in jobs.chain(["tests/inputs/12_ddp_2", "tests/inputs/12_ddp_crash"].map(source)) {
        let report = Run::of(&path).args(["--redact"]).ok();
        for (name, text) in texts_of(&report) {
            assert_eq!(times(&text), [""; 0], "{}: {name}", path.display());
        }
    }
}

#[test]
fn the_end_of_a_log_is_told_in_seconds_after_the_first_record() {
    let job = source("tests/jobs/32_preempted");
    let (whole, redacted) = (Run::of(&job).ok(), Run::of(&job).args(["--redact"]).ok());
    let title = |report: &Report| report.list("findings")[0]["title"].as_str().unwrap().to_owned();
    let time = |rank: usize, key: &str| {
        let time = &whole.list("ranks")[rank]["log"][key];
        time.as_str().unwrap().parse::<jiff::Timestamp>().unwrap()
    };
    let start = time(0, "first_time").min(time(1, "first_time"));
    let seconds = time(1, "last_time").duration_since(start).as_secs_f64();
    assert!(title(&whole).starts_with("Rank 1's log ends at 2026-11-25 03:49:47, "), "{}", title(&whole));
    let told = format!("Rank 1's log ends {seconds:.1} s after the first record, ");
    assert!(title(&redacted).starts_with(&told), "{}", title(&redacted));
}

#[test]
fn no_word_of_a_path_or_a_line_of_source_and_no_time_is_in_a_redacted_report_or_its_zip() {
    let mut looked_for = 0;
    for input in inputs() {
        let done = Run::from(input).args(["--redact", "--zip"]).go();
        assert_eq!(done.code, Some(0), "{}: {}", input.name, done.stderr);
        let secrets = secrets(&text_of_log(input));
        looked_for += secrets.len();
        let files = files_below(&done.folder);
        assert!(
            files.iter().all(|file| ["index.html", "report.json", "report.md"]
                .iter()
                .any(|name| file.ends_with(name))),
            "{files:?}"
        );
        let mut texts: Vec<(String, String)> = files
            .iter()
            .map(|file| (file.clone(), fs::read_to_string(done.folder.join(file)).unwrap()))
            .collect();
        let zip = fs::File::open(done.folder.with_extension("zip")).unwrap();
        let mut zip = zip::ZipArchive::new(zip).unwrap();
        for at in 0..zip.len() {
            let mut file = zip.by_index(at).unwrap();
            let (name, mut text) = (format!("zip: {}", file.name().unwrap()), String::new());
            file.read_to_string(&mut text).unwrap();
            texts.push((name, text));
        }
        texts.push(("the terminal".to_owned(), done.stdout.replace(&*done.folder.to_string_lossy(), "")));
        for (name, text) in &texts {
            let found: BTreeSet<String> = words(text).filter(|word| secrets.contains(word)).collect();
            assert!(found.is_empty(), "{}: {name} has {found:?}", input.name);
            assert_eq!(times(text), [""; 0], "{}: {name}", input.name);
        }
    }
    assert!(looked_for > 1500, "{looked_for}");
}

/// What a finding says, without names.
fn outline(finding: &Value) -> Value {
    let cost = &finding["cost"];
    serde_json::json!([
        finding["kind"],
        finding["severity"],
        finding["compile_ids"],
        cost["seconds"],
        cost["kind"],
        finding["line"]
    ])
}

#[test]
fn redacted_counts_and_findings_agree_with_the_full_report() {
    for input in inputs() {
        let (whole, redacted) = (report(&input.name), Run::from(input).args(["--redact"]).ok());
        let verdict = |report: &Report| {
            let mut lines = report.stdout.lines();
            lines.find(|line| line.contains(" distinct graph break")).map(str::to_owned)
        };
        assert_eq!(verdict(&redacted), verdict(whole), "{}", input.name);
        let (whole, redacted) = (&whole.json, &redacted.json);
        let outlines =
            |report: &Value| report["findings"].as_array().unwrap().iter().map(outline).collect::<Vec<_>>();
        assert_eq!(outlines(redacted), outlines(whole), "{}", input.name);
        for key in ["compiles", "graph_breaks", "recompiles", "failures", "restarts", "caches"] {
            let count = |report: &Value| report[key].as_array().unwrap().len();
            assert_eq!(count(redacted), count(whole), "{}: {key}", input.name);
        }
        assert_eq!(redacted["compile_time"]["total_s"], whole["compile_time"]["total_s"], "{}", input.name);
        for (one, other) in
            redacted["compiles"].as_array().unwrap().iter().zip(whole["compiles"].as_array().unwrap())
        {
            for key in ["id", "status", "graph_breaks", "occurrences"] {
                assert_eq!(one[key], other[key], "{}: {key}", input.name);
            }
        }
    }
}

#[test]
fn a_redacted_report_is_one_that_programs_can_read() {
    let schema: Value =
        serde_json::from_str(&fs::read_to_string(source("report.schema.json")).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let done = Run::from(input("03_graph_breaks")).args(["--redact"]).ok();
    let job = Run::of(source("tests/jobs/13_div_break")).args(["--redact"]).ok();
    let rank = job.json_file("rank_1/report.json");
    for json in [&done.json, &job.json, &rank] {
        let wrong: Vec<String> =
            schema.iter_errors(json).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    let breaks = Run::bare().go_with(&["show", "breaks", done.folder.to_str().unwrap()]).stdout;
    assert!(breaks.contains("gb0059") && breaks.contains("file1:11"), "{breaks}");
    let page = done.read("index.html");
    assert!(page.contains("What was left out") && page.contains("id=\"finding-1\""));
    assert!(page.contains("f1") && page.contains("gb0059"));
}

/// What `tlparse show` prints of a redacted log.
fn shown(redacted: &Report, what: &str) -> String {
    Run::bare().go_with(&["show", what, redacted.folder.to_str().unwrap()]).stdout
}

#[test]
fn a_redacted_report_still_says_what_happened() {
    let breaks = Run::from(input("03_graph_breaks")).args(["--redact"]).ok();
    // The verdict is that of the whole report, with plain spaces.
    assert_eq!(breaks.stdout.lines().next(), report("03_graph_breaks").stdout.lines().next());
    assert!(!breaks.stdout.contains('\u{a0}'), "{}", breaks.stdout);
    assert!(breaks.stdout.contains("gb0059: Failed to trace builtin operator"), "{}", breaks.stdout);
    let again = Run::from(input("04_recompiles")).args(["--redact"]).ok();
    for told in [
        "f1 was compiled 4 times: size of dimension 1: 4 -> 6 -> 10 -> 17",
        "f2 was compiled 4 times: dtype: Float -> Double -> Long -> BFloat16",
        "f4 runs in eager mode after 8 versions: size of dimension 0: 2 -> 3 -> ",
        "global or grad state",
        "Python value",
    ] {
        assert!(again.json["findings"].to_string().contains(told), "{told}: {}", again.json["findings"]);
        assert!(again.read("index.html").contains(&told.replace('>', "&gt;")), "{told}");
    }
    assert!(shown(&again, "recompiles").contains("size of dimension 1: 4 -> 6"));
    assert!(shown(&again, "kernels").contains("cpp_fused_"), "{}", shown(&again, "kernels"));
    let inputs = &again.json["cross_rank"]["inputs"];
    assert_eq!(inputs[0]["tensors"][0].as_array().unwrap()[1..], ["float32", "[3,4]", "[4,1]"]);
    let metrics = &again.json["compiles"][0]["metrics"][0]["fields"];
    assert!(metrics["graph_op_count"].is_u64() && metrics["co_name"].is_null(), "{metrics}");
}

#[test]
fn a_number_of_the_program_that_torch_fixed_is_in_no_title() {
    let titles = |report: &Report| report.json["findings"].to_string();
    let (whole, redacted) = (report("25_guards"), Run::from(input("25_guards")).args(["--redact"]).ok());
    assert!(titles(whole).contains("was fixed to 0.001"), "{}", titles(whole));
    assert!(titles(&redacted).contains("Specialized in <lambda>"), "{}", titles(&redacted));
    assert!(!titles(&redacted).contains("fixed to"), "{}", titles(&redacted));
}

#[test]
fn measured_kernels_and_operators_keep_shapes_dtypes_and_the_names_that_torch_gives() {
    let folder = source("tests/profiles/24_profile");
    let (whole, redacted) = (Run::of(&folder).ok(), Run::of(&folder).args(["--redact"]).ok());
    let (whole, redacted) = (&whole.json["performance"], &redacted.json["performance"]);
    assert_eq!(redacted["ops"], whole["ops"]);
    assert_eq!(redacted["time"], whole["time"]);
    let names = |of: &Value| {
        of["kernels"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(redacted), names(whole));
    assert_eq!(redacted["lines"][0]["code"], Value::Null);
    assert!(redacted["lines"][0]["file"].as_str().unwrap().starts_with("file"));
}

/// All texts of a value, and the names in it.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_redacted_report_with_a_trace_holds_of_it_what_the_document_lists() {
    let folder = source("tests/profiles/24_profile");
    let trace = folder.join("profile.json.gz");
    let log = files_below(&folder).into_iter().find(|file| file.contains(".log")).unwrap();
    let named = Run::of(folder.join(log)).args(["--redact", "--profile"]).args([&trace]).ok();
    assert_eq!(named.json, Run::of(&folder).args(["--redact"]).ok().json);
    let known = [
        r"(?:kernel|file|name)\d+|torch/[\w/.]+\.py|(?:aten|prims|_c10d_functional)::\w+|(?:graph_\d+_)?(?:triton|cpp)_\w+|extern_kernels\.\w+",
        r"Mem(?:cpy|set) [\w ()>-]+|(?:c10::)?\w*(?:float|Float|double|int|bool|Scalar|List)\w*|long int|\d+/\d+|trace|marks|regions",
        r"triton|cpp|extern|eager|forward|backward|inference|inputs|code|kernel|memory|compute|launch|fp\d+|bf16|tf32|int8|",
        r"cannot be true|check this figure|counts probably wrong|far: room, or launch-bound|far from its limit|near a limit|from the cache|room|too short to judge",
    ];
    let known = Regex::new(&format!("^(?:{})$", known.join("|"))).unwrap();
    for profile in ["24_profile", "24_profile_wide", "26_kernels"] {
        let report = Run::of(source("tests/profiles").join(profile)).args(["--redact"]).ok();
        let performance = &report.json["performance"];
        let odd: Vec<&str> = strings(performance).into_iter().filter(|text| !known.is_match(text)).collect();
        assert!(odd.is_empty(), "{profile}: {odd:?}");
        assert!(performance["device"]["name"].is_null() && performance["device"]["clock_mhz"].is_null());
    }
    let list = source_text("docs/redaction.md");
    for told in
        ["`--profile TRACE`", "FLOPs, bytes, registers and shared memory", "rates and shares", "times of day"]
    {
        assert!(list.contains(told), "{told}");
    }
}

#[test]
fn logs_that_do_not_belong_together_have_a_redacted_report_each() {
    let (one, other) = (input("11_export_clean"), input("01_inference"));
    let several = Run::of(&one.path).args([&other.path]).args(["--redact"]).ok();
    assert_eq!(several.json["kind"], "logs");
    let name = one.file_name();
    let part = name.trim_end_matches(".log").rsplit('_').next().unwrap();
    for file in files_below(&several.folder) {
        assert!(["index.html", "report.json", "report.md"].iter().any(|name| file.ends_with(name)), "{file}");
        assert!(!several.read(&file).contains(part), "{file}");
    }
    let verdicts: Vec<&str> =
        several.json["logs"].as_array().unwrap().iter().map(|log| log["verdict"].as_str().unwrap()).collect();
    for (number, verdict) in (1..).zip(verdicts) {
        let alone = several.json_file(&format!("log_{number}/report.json"));
        let count = alone["compiles"].as_array().unwrap().iter().filter(|one| one["id"].is_string()).count();
        assert!(verdict.starts_with(&format!("{count} compilation")), "{verdict}");
        assert!(several.read("index.html").contains(&format!("log_{number}/index.html")));
    }
    assert!(several.stdout.contains("log_1: ") && !several.stdout.contains(part), "{}", several.stdout);
}

#[test]
fn ranks_of_a_redacted_job_call_one_function_by_one_name() {
    let job = Run::of(source("tests/jobs/13_div_break")).args(["--redact"]).ok();
    let whole = Run::of(source("tests/jobs/13_div_break")).ok();
    let name = |report: &Report, rank: u64| {
        report.json_file(&format!("rank_{rank}/report.json"))["compiles"][0]["function"]["name"].clone()
    };
    assert_eq!(name(&whole, 0), name(&whole, 1));
    assert_eq!(name(&job, 0), name(&job, 1));
    assert_eq!(name(&job, 0), "f1");
    let differing = |report: &Report| {
        let facts = report.json["divergence"].as_object().unwrap();
        facts
            .iter()
            .filter(|(_, fact)| fact["differs"] == true)
            .map(|(fact, _)| fact.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(differing(&job), differing(&whole));
    assert!(job.read("index.html").contains("rank_1/index.html"));
}

#[test]
fn a_file_of_a_fork_of_torch_is_called_by_a_pseudonym() {
    let log = text_of_log(input("03_graph_breaks"));
    let fork = log.replace("site-packages/torch/", "site-packages/torch/secretfork/");
    assert_ne!(log, fork);
    let redacted = Run::of_bytes("fork.log", fork.as_bytes()).args(["--redact"]).ok();
    for file in files_below(&redacted.folder) {
        assert!(!redacted.read(&file).contains("secretfork"), "{file}");
    }
}

/// What is read and how.
fn modes() -> Vec<(&'static str, Vec<std::path::PathBuf>, bool)> {
    let log = input("03_graph_breaks").path.clone();
    let several = vec![input("11_export_clean").path.clone(), input("01_inference").path.clone()];
    let job = vec![source("tests/jobs/13_div_break")];
    [false, true]
        .into_iter()
        .flat_map(|redact| {
            [("a log", vec![log.clone()]), ("several logs", several.clone()), ("a job", job.clone())]
                .map(|(name, paths)| (name, paths, redact))
        })
        .collect()
}

#[test]
fn every_kind_of_report_is_printed_in_every_format_also_redacted() {
    for (name, paths, redact) in modes() {
        for format in ["text", "json", "markdown", "sarif", "junit", "github"] {
            let run = Run::of(&paths[0]).args(&paths[1..]).args(["--format", format]);
            let done = if redact { run.args(["--redact"]).go() } else { run.go() };
            assert_eq!(done.code, Some(0), "{name}, {format}, redacted: {redact}: {}", done.stderr);
            // Annotations are printed only where something is wrong.
            assert!(format == "github" || !done.stdout.trim().is_empty(), "{name}, {format}");
        }
    }
}

#[test]
fn a_killed_redaction_leaves_no_facts_in_the_temporary_folder() {
    for path in [input("03_graph_breaks").path.clone(), source("tests/jobs/13_div_break")] {
        for moment in [2, 5, 10, 20, 40, 80, 160] {
            let (scratch, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("tlparse"))
                .args(["--redact", "--no-browser", "-o"])
                .arg(out.path().join("report"))
                .arg(&path)
                .env("TMPDIR", scratch.path())
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(std::time::Duration::from_millis(moment));
            let _ = child.kill();
            child.wait().unwrap();
            let left = files_below(scratch.path());
            assert!(!left.iter().any(|file| file.ends_with(".json")), "{left:?}");
        }
    }
}
