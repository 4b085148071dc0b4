//! Logs that a job system or a terminal passed on: the records are those that torch wrote, and so is the report.

use crate::support::{Run, input, job_logs, report};
use serde_json::Value;
use std::fs;

/// The logs that are passed on.
const LOGS: [&str; 3] = ["01_inference", "03_graph_breaks", "12_ddp_2"];

/// Passes on each log with its lines changed, numbered from 0, and holds that the report is the same but for the name.
fn same_report(changed: impl Fn(usize, &str) -> String) {
    for name in LOGS {
        let log = String::from_utf8(log_of(name)).unwrap();
        let lines = log.lines().enumerate().map(|(number, line)| changed(number, line) + "\n");
        is_report_of(name, lines.collect::<String>().as_bytes());
    }
}

fn log_of(name: &str) -> Vec<u8> {
    input(name).bytes()
}

fn is_report_of(name: &str, passed_on: &[u8]) {
    let found = Run::of_bytes("job.out", passed_on).args(["--strict"]).ok();
    assert!(found.bytes("raw.log") == log_of(name), "the log of {name} is another");
    let without_name = |report: &Value| {
        let mut report = report.clone();
        report["log"]["file"] = Value::Null;
        report
    };
    let expected = without_name(&report(name).json);
    let found = without_name(&found.json);
    for (key, value) in expected.as_object().unwrap() {
        assert!(found[key] == *value, "{key} differs from that of {name}");
    }
}

/// A text before each line.
fn behind(label: &'static str) -> impl Fn(usize, &str) -> String {
    move |_, line| format!("{label}{line}")
}

#[test]
fn timestamps_of_github_actions_are_removed() {
    same_report(|number, line| {
        format!("2026-11-20T04:{:02}:{:02}.{number:07}Z {line}", number / 60 % 60, number % 60)
    });
}

#[test]
fn task_numbers_of_srun_are_removed() {
    same_report(behind(" 3: "));
}

#[test]
fn pods_of_kubectl_are_removed() {
    same_report(behind("[pod/trainer-0-xk2/main] "));
}

#[test]
fn pods_and_timestamps_of_kubectl_are_removed() {
    same_report(|number, line| format!("[pod/trainer-0/main] 2026-11-20T04:42:01.{number:09}Z {line}"));
}

#[test]
fn services_of_docker_compose_are_removed() {
    same_report(behind("trainer-1  | "));
}

#[test]
fn workers_of_ray_with_their_colors_are_removed() {
    same_report(behind("\u{1b}[36m(RayTrainWorker pid=4711, ip=10.0.0.7)\u{1b}[0m "));
}

#[test]
fn processes_of_vllm_are_removed() {
    same_report(behind("(EngineCore_0 pid=4711) "));
}

#[test]
fn ranks_of_torch_are_removed() {
    same_report(behind("[rank0]:"));
}

#[test]
fn roles_of_torchrun_with_ranks_of_torch_are_removed() {
    same_report(behind("[default0]:[rank0]:"));
}

#[test]
fn times_of_syslog_are_removed() {
    same_report(|number, line| format!("Nov  3 04:42:{:02} node7 train[4711]: {line}", number % 60));
}

#[test]
fn colors_of_a_terminal_are_removed() {
    same_report(|_, line| match line.starts_with('\t') {
        true => line.to_owned(),
        false => format!("\u{1b}[1;32m{line}\u{1b}[0m"),
    });
}

#[test]
fn labels_before_windows_line_ends_are_removed() {
    for name in LOGS {
        let log = String::from_utf8(log_of(name)).unwrap();
        let passed_on: String = log.lines().map(|line| format!("0: {line}\r\n")).collect();
        let found = Run::of_bytes("job.out", passed_on.as_bytes()).args(["--strict"]).ok();
        assert!(found.bytes("raw.log") == log.replace('\n', "\r\n").as_bytes(), "{name}");
        assert_eq!(found.json["findings"], report(name).json["findings"], "{name}");
    }
}

/// The line as a terminal shows it: tabs reach to the next of the stops, which are 8 columns apart.
fn with_spaces(line: &str) -> String {
    line.strip_prefix('\t').map_or_else(|| line.to_owned(), |text| format!("        {text}"))
}

#[test]
fn tabs_that_were_copied_as_spaces_are_known_by_the_hash_of_the_payload() {
    same_report(|_, line| if line == "\t" { String::new() } else { with_spaces(line) });
}

/// Where the rest of a broken line begins with eight spaces, nothing tells it from a payload line; these logs have no such line.
#[test]
fn lines_that_a_terminal_broke_are_joined() {
    const WIDTH: usize = 200;
    for name in ["01_inference", "03_graph_breaks"] {
        let mut shown = String::new();
        for line in String::from_utf8(log_of(name)).unwrap().lines() {
            let columns: Vec<char> = with_spaces(line).chars().collect();
            let parts: Vec<String> = columns.chunks(WIDTH).map(|part| part.iter().collect()).collect();
            shown += &(parts.join("\n") + "\n");
        }
        is_report_of(name, shown.as_bytes());
    }
}

#[test]
fn the_mixed_lines_of_several_ranks_are_one_log_each_and_output_between_them_is_left_out() {
    let logs: Vec<String> = job_logs("12_ddp_2").iter().map(|log| fs::read_to_string(log).unwrap()).collect();
    let mut lines: Vec<_> = logs.iter().map(|log| log.lines()).collect();
    let mut mixed = String::from("0: starting\n");
    loop {
        let before = mixed.len();
        for (rank, lines) in lines.iter_mut().enumerate() {
            // Not in step, as processes are not.
            for line in lines.by_ref().take(3 + 2 * rank) {
                mixed += &format!("{rank}: {line}\n");
            }
        }
        if mixed.len() == before {
            break;
        }
        mixed += "1: step 7 loss 0.25\n";
    }
    let done = Run::of_bytes("slurm-17.out", mixed.as_bytes()).go();
    assert!(done.stderr.contains("lines between records"), "{}", done.stderr);
    for (rank, log) in logs.iter().enumerate() {
        let raw = done.folder.join(format!("rank_{rank}/raw.log"));
        assert!(fs::read_to_string(raw).unwrap() == *log, "rank {rank}");
    }
}

#[test]
fn a_folder_of_logs_behind_labels_is_read_as_one_of_plain_logs() {
    let folder = tempfile::TempDir::new().unwrap();
    for (rank, log) in job_logs("12_ddp_2").iter().enumerate() {
        let text = fs::read_to_string(log).unwrap();
        let labelled: String = text.lines().map(|line| format!("[default{rank}]:{line}\n")).collect();
        fs::write(folder.path().join(log.file_name().unwrap()), labelled).unwrap();
    }
    let done = Run::of(folder.path()).go();
    for (rank, log) in job_logs("12_ddp_2").iter().enumerate() {
        let raw = done.folder.join(format!("rank_{rank}/raw.log"));
        assert!(fs::read(raw).unwrap() == fs::read(log).unwrap(), "rank {rank}");
    }
}
