//! Mistakes of a new user at the command line: each gets one sentence that is enough without knowledge of the code.

use crate::support::{Run, input, report};
use std::path::Path;
use tempfile::TempDir;

/// What a user typed, the sentence, and the exit code. `LOG` is a log, `REPORT` its report.
const MISTAKES: [(&str, &str, i32); 42] = [
    // Words that are mistyped.
    ("shwo breaks", "there is no file or command shwo; did you mean tlparse show breaks?", 2),
    ("breaks REPORT", "there is no file or command breaks; did you mean tlparse show breaks REPORT?", 2),
    ("show brekas REPORT", "unknown section `brekas`; did you mean `breaks`?", 2),
    ("show Compile 1/0 REPORT", "unknown section `Compile`; did you mean `compile`?", 2),
    ("show REPORT brekas", "what is shown comes first: tlparse show breaks REPORT", 2),
    ("show 1/0 REPORT", "1/0 is the id of a compile: tlparse show compile 1/0 REPORT", 2),
    ("show compile REPORT", "compile of what? tlparse show compile NAME", 2),
    ("show compile 99/9 REPORT", "REPORT has no compile 99/9", 1),
    (
        "repro REPORT",
        "give the id of a compile before REPORT: tlparse repro 0/0 REPORT; tlparse show compiles REPORT",
        2,
    ),
    ("man shwo", "tlparse has no subcommand \"shwo\"; did you mean show?", 2),
    (
        "LOG --no-browswer",
        "unexpected argument '--no-browswer' found; a similar argument exists: '--no-browser'",
        2,
    ),
    ("--overwrite check REPORT", "options of tlparse check must follow it: tlparse check .. --overwrite", 2),
    // Paths that are no log.
    ("missing.log", "cannot open missing.log: no such file or folder", 1),
    ("shwo.log", "cannot open shwo.log: no such file or folder", 1),
    ("./shwo", "cannot open ./shwo: no such file or folder", 1),
    ("trace", "cannot open trace: no such file or folder", 1),
    ("https://example.org/trace.log", "tlparse reads files; download it first and give the file", 1),
    ("missing/*.log", "no file matches missing/*.log; pass a log that torch wrote with TORCH_TRACE=DIR", 1),
    ("notes.txt", "notes.txt holds no TORCH_TRACE record. Run the program with TORCH_TRACE=DIR", 1),
    (
        "empty",
        "nothing was recorded: the folder empty is empty. Likely reasons: the program does not call what",
        1,
    ),
    ("files", "no log in the folder files: run the program with TORCH_TRACE=files set", 1),
    ("above", "no log in the folder above, but below it; give that folder: tlparse above/trace", 1),
    (
        "reports",
        "reports holds reports, not logs: reports/a, reports/b. tlparse show findings reports/a reads one;",
        1,
    ),
    (
        "cut.zip",
        "cannot unpack cut.zip: the archive is damaged or was cut; check that it was copied whole",
        1,
    ),
    (
        "REPORT/index.html",
        "REPORT/index.html is a file of a report, not a log; give the folder of the report: REPORT",
        1,
    ),
    (
        "redacted",
        "redacted is a report that holds no log, as a redacted one; give the log, or read the report with",
        1,
    ),
    ("comparison", "comparison is a comparison, which holds no log; give one of the two runs, or open", 1),
    (
        "serve LOG",
        "LOG is not a report: it has neither index.html nor diff.html; write one first: tlparse LOG -o DIR",
        1,
    ),
    ("serve missing", "cannot open the report missing: No such file or directory", 1),
    ("combine REPORT", "holds no rank_<n>/report.json; write each rank's report first", 1),
    ("check missing.log", "cannot open missing.log: no such file or folder", 1),
    ("LOG --profile LOG", "LOG is not a trace; pass the file that torch.profiler exported", 1),
    // Options and their values.
    (
        "LOG --session 9",
        "--session 9: LOG is one log, which is one run; give the folder that holds the runs",
        1,
    ),
    ("folder --session 9", "--session 9: folder contains 1 run; 1 is the oldest", 1),
    ("LOG --latest", "--latest needs a folder of logs, but LOG is not a folder", 1),
    ("LOG out", "cannot open out: no such file or folder; to write the report there, pass -o out", 2),
    (
        "LOG -o REPORT",
        "exists already; pass --overwrite to replace the report in it, or choose another one with -o",
        1,
    ),
    ("LOG -o notes.txt", "is not a folder; choose another output folder with -o", 1),
    ("LOG --port 80", "the following required arguments were not provided: --serve", 2),
    (
        "check REPORT --budget graph_breaks=0",
        "--budget takes a file: write graph_breaks=0 into it, such as budget.toml",
        2,
    ),
    ("diff REPORT", "tlparse diff needs two runs (tlparse diff A B)", 2),
    ("run no-such-program", "cannot run no-such-program: there is no such program", 127),
];

/// A folder with what users have lying around.
fn lying_around() -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("empty")).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    std::fs::copy(&input("03_graph_breaks").path, at("folder/a.log")).unwrap();
    std::fs::write(at("notes.txt"), "epoch 1\nepoch 2\n").unwrap();
    for folder in ["files", "above/trace", "reports/a", "reports/b"] {
        std::fs::create_dir_all(at(folder)).unwrap();
    }
    std::fs::write(at("files/notes.txt"), "epoch 1\n").unwrap();
    std::fs::copy(&input("03_graph_breaks").path, at("above/trace/a.log")).unwrap();
    for report in ["reports/a", "reports/b"] {
        std::fs::write(at(report).join("report.json"), "{}").unwrap();
    }
    let zip = crate::support::archive::zip(&[("a.log", &input("01_inference").bytes())]);
    std::fs::write(at("cut.zip"), &zip[..zip.len() / 2]).unwrap();
    Run::of(&input("01_inference").path).args(["--redact"]).out(at("redacted")).ok();
    let finished = report("01_inference").folder.display().to_string();
    let comparison = at("comparison").display().to_string();
    let done = Run::bare().go_with(&["diff", &finished, &finished, "-o", &comparison, "--no-browser"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    folder
}

fn run_in(folder: &Path, args: &[String]) -> (Option<i32>, String) {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
    command.env_clear().current_dir(folder).args(args).timeout(std::time::Duration::from_secs(60));
    let done = command.output().unwrap();
    (done.status.code(), String::from_utf8(done.stderr).unwrap())
}

#[test]
fn each_mistake_of_a_new_user_gets_a_sentence_that_is_enough() {
    let folder = lying_around();
    let log = input("03_graph_breaks").path.display().to_string();
    let finished = report("03_graph_breaks").folder.display().to_string();
    let mut wrong = Vec::new();
    for (typed, sentence, code) in MISTAKES {
        let named = |text: &str| text.replace("REPORT", &finished).replace("LOG", &log);
        let args: Vec<String> = typed.split(' ').map(named).collect();
        let (ended, said) = run_in(folder.path(), &args);
        // `tlparse LOG` in a sentence is no path.
        let sentence = sentence
            .replace("tlparse LOG", "tlparse \u{1}")
            .replace("REPORT", &finished)
            .replace("LOG", &log);
        let sentence = sentence.replace('\u{1}', "LOG");
        // clap spreads its sentences over lines.
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ").replace(" tip:", ";");
        if ended != Some(code)
            || !flat.contains(&sentence)
            || flat.contains("os error") && !typed.starts_with("serve")
        {
            wrong.push(format!("tlparse {typed}: {ended:?}\n  {said}"));
        }
        assert!(!folder.path().join("tl_out").exists(), "tlparse {typed} wrote a report");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_mistake_but_surprising_is_noted() {
    let log = input("01_inference").path.display().to_string();
    let twice = Run::of(&log).args([log.clone()]).go();
    assert_eq!(twice.code, Some(0));
    assert!(twice.stderr.contains("is given twice, and read once"), "{}", twice.stderr);
    let alone = crate::support::source("tests/profiles/24_profile/profile.json.gz");
    let trace = Run::of(&alone).go();
    assert_eq!(trace.code, Some(0), "{}", trace.stderr);
    assert!(
        trace.stderr.contains("without its log, the report has kernels and no compiles"),
        "{}",
        trace.stderr
    );
    let cut = std::fs::read(&input("03_graph_breaks").stored).unwrap();
    let shortened = Run::of_bytes("cut.log.zst", &cut[..cut.len() / 2]).go();
    assert_eq!(shortened.code, Some(0), "{}", shortened.stderr);
    assert!(shortened.stdout.contains("The log is damaged: 1 record is cut short"), "{}", shortened.stdout);
}

#[test]
#[cfg(unix)]
fn a_log_that_may_not_be_read_is_said_with_the_reason() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("secret.log");
    std::fs::write(&log, "x").unwrap();
    std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&log).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let (code, said) = run_in(folder.path(), &["secret.log".to_owned()]);
    assert_eq!(code, Some(1));
    assert!(said.contains("cannot read secret.log: Permission denied"), "{said}");
}

#[test]
fn the_help_of_every_command_has_an_example_and_groups_its_options() {
    let help = |args: &[&str]| Run::bare().go_with(&[args, &["--help"]].concat()).stdout;
    let main = help(&[]);
    for group in ["Input", "Output", "Measured kernels", "What is printed", "Exit code", "Reading the report"]
    {
        assert!(main.contains(&format!("\n{group}:\n")), "{group}");
    }
    let list = main.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 8);
    for name in names.into_iter().filter(|name| *name != "help") {
        let text = help(&[name]);
        assert!(text.contains("Example"), "tlparse {name} --help has no example");
    }
}
