//! `tlparse diff` on two starts of a program: what died comes first, why the second start missed its cache, and each rank once.

use crate::diff::{compared, diff, rows, subject};
use crate::support::{Report, job, job_logs, report};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The verdict on two reports or logs.
fn verdict(a: &Path, b: &Path) -> String {
    let done = diff(&[
        a.as_os_str(),
        b.as_os_str(),
        "--name-a".as_ref(),
        "first".as_ref(),
        "--name-b".as_ref(),
        "second".as_ref(),
    ]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    done.stdout.lines().next().unwrap().to_owned()
}

#[test]
fn what_failed_or_was_cut_off_on_one_side_is_said_first() {
    let folder = |name: &str| report(name).folder.clone();
    let died: [(PathBuf, PathBuf, &str); 4] = [
        (
            folder("34_max_autotune"),
            folder("34_killed"),
            "Only in second, the log ends while Triton kernels were loaded and built for the call in line 19.",
        ),
        (
            folder("34_killed"),
            folder("34_max_autotune"),
            "Only in first, the log ends while Triton kernels were loaded and built for the call in line 19.",
        ),
        (
            folder("02_train_mlp"),
            folder("06_errors"),
            "Only in second, lowering_error was not compiled: InductorError: AssertionError: custom post-grad pass exploded.",
        ),
        (
            job("13_div_healthy").folder.clone(),
            job("32_killed_together").folder.clone(),
            "Only in second, the log ends while ",
        ),
    ];
    for (a, b, said) in died {
        let verdict = verdict(&a, &b);
        assert!(verdict.starts_with(said), "{verdict}");
    }
    let healthy = verdict(&folder("08_cache_miss"), &folder("08_cache_hit"));
    assert!(healthy.starts_with("second compiles 20.7 s faster"), "{healthy}");
}

#[test]
fn times_of_a_log_that_was_cut_off_are_not_called_faster_and_its_settings_not_missing() {
    let (whole, cut) = (&report("34_cg_many_sizes").folder, &report("34_killed").folder);
    let words = verdict(whole, cut);
    assert!(
        !words.contains("faster") && !words.contains("slower") && !words.contains("% of the difference"),
        "{words}"
    );
    assert!(!words.contains("cache_key_tag"), "its log ends before the record of the settings: {words}");
    let json = compared(whole, cut);
    assert_eq!(rows(&json, "ended")[0]["kind"], "new");
}

#[test]
fn ranks_that_diverge_on_one_side_are_told_by_the_finding_of_their_job() {
    let (a, b) = (&job("13_div_healthy").folder, &job("32_bf16_reduce").folder);
    let words = verdict(a, b);
    assert!(
        words.starts_with("Only in second, in reduce (1/0), all_reduce gives bf16[9, 6] on rank 2"),
        "{words}"
    );
    let gone = compared(b, a);
    let row = rows(&gone, "ranks")[0];
    assert_eq!(row["kind"], "gone", "{row}");
    // A rank that takes another way is said first too, but what died before it.
    let odd = &job("13_div_break").folder;
    let words = verdict(a, odd);
    assert!(words.starts_with("Only in second, rank 1 compiles reduce_fn (0/0) for rank == 1"), "{words}");
    assert!(words.contains("second compiles "), "the times follow: {words}");
    assert!(!verdict(odd, a).contains("Only in"), "that ranks agree again is no trouble");
    let died = verdict(odd, &job("32_raise_forward").folder);
    assert!(died.starts_with("Only in second,") && died.contains("fail"), "{died}");
}

#[test]
fn a_row_names_each_rank_once() {
    let jobs =
        ["13_div_healthy", "13_div_break", "13_rerun_same_dir", "32_raise_forward", "32_reset_one", "34_ddp"];
    for (a, b) in jobs.iter().flat_map(|a| jobs.iter().map(move |b| (a, b))) {
        let json = compared(&job(a).folder, &job(b).folder);
        for row in json["rows"].as_array().unwrap() {
            let ranks: Vec<u64> =
                row["ranks"].as_array().unwrap().iter().map(|rank| rank.as_u64().unwrap()).collect();
            assert_eq!(ranks.iter().collect::<BTreeSet<_>>().len(), ranks.len(), "{a} {b}: {row}");
        }
    }
}

#[test]
fn a_failure_of_the_backward_pass_is_called_so() {
    let (a, b) = (&job("13_div_healthy").folder, &job("32_memory_in_backward").folder);
    let json = compared(a, b);
    let failure = rows(&json, "failure");
    assert!(subject(failure[0]).starts_with("Failure: the backward of `"), "{failure:#?}");
    let of_forward = compared(&report("02_train_mlp").folder, &report("06_errors").folder);
    assert!(rows(&of_forward, "failure").iter().all(|row| !subject(row).contains("backward of")));
}

#[test]
fn methods_of_two_classes_are_two_functions() {
    let json = compared(&job("32_ckpt_one").folder, &job("32_raise_forward").folder);
    let only: Vec<&str> = rows(&json, "function").into_iter().map(subject).collect();
    assert!(only.contains(&"`Tower.forward` is compiled by A only"), "{only:?}");
    assert!(only.contains(&"`Tagger.forward` is compiled by B only"), "{only:?}");
}

/// A copy of a whole report in which the key of each lookup has another value of a component.
fn with_other_key(of: &Report, component: &str, value: &str) -> (TempDir, PathBuf) {
    let (folder, path) = of.copied();
    let mut json = of.json.clone();
    for (at, lookup) in json["caches"].as_array_mut().unwrap().iter_mut().enumerate() {
        lookup["key"] = json!(format!("f{at}"));
        // torch logs no components of the others.
        if lookup["cache"] != "fx_graph" {
            continue;
        }
        let file = path.join(lookup["path"].as_str().unwrap());
        let mut key: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let start = format!("] {component}: ");
        let all = key["components"].as_array_mut().unwrap();
        let one = all.iter_mut().find(|one| one.as_str().unwrap().contains(&start)).unwrap();
        *one = json!(format!("[{at}{start}{value}"));
        fs::write(&file, key.to_string()).unwrap();
    }
    fs::write(path.join("report.json"), json.to_string()).unwrap();
    (folder, path)
}

#[test]
fn a_second_start_that_missed_is_told_which_part_of_the_key_differs_with_both_values() {
    let (first, warm) = (report("08_cache_miss"), report("08_cache_hit"));
    let (_folder, second) = with_other_key(first, "inductor_config[max_autotune]", "True");
    let told = "5 cache lookups missed on both sides, as their keys differ in `inductor_config[max_autotune]` (`False` → `True`)";
    let json = compared(&first.folder, &second);
    let cache = rows(&json, "cache");
    assert_eq!((cache.len(), subject(cache[0])), (1, told), "{cache:#?}");
    let json = compared(&warm.folder, &second);
    let subjects: Vec<&str> = rows(&json, "cache").into_iter().map(subject).collect();
    let told = "5 cache lookups: hit → miss, as their keys differ in `inductor_config[max_autotune]` (`False` → `True`)";
    assert!(subjects.contains(&told), "{subjects:?}");
    let words = verdict(&warm.folder, &second);
    assert!(
        words.contains("as their keys differ in inductor_config[max_autotune] (False → True)"),
        "{words}"
    );
}

#[test]
fn a_second_start_with_the_same_keys_is_told_that_the_results_were_not_there() {
    let (cold, warm) = (&report("08_cache_miss").folder, &report("08_cache_hit").folder);
    let words = verdict(warm, cold);
    assert!(
        words
            .contains("9 cache lookups: hit → miss, under the same keys: the cache did not have the results"),
        "{words}"
    );
    // Both are cold, and the second began later.
    let later = crate::support::changed_report("08_cache_miss", |json| {
        let time = json["log"]["first_time"].as_str().unwrap().replace("2026-", "2027-");
        json["log"]["first_time"] = json!(time);
    });
    let done = diff(&[cold.as_path(), later.path()]);
    let told = "9 cache lookups of B missed under the keys under which A had stored results before";
    assert!(done.stdout.contains(told), "{}", done.stdout);
    assert_eq!(compared(cold, later.path())["rows"], json!([]));
}

#[test]
fn what_a_new_graph_break_moves_into_another_compile_is_told_as_the_break() {
    let logs = job_logs("66_disabled_part");
    let [whole, broken] = logs.as_slice() else { panic!("{logs:?}") };
    let said = verdict(whole, broken);
    assert!(said.contains("1 graph break and 1 function are new"), "{said}");
    assert!(!said.contains("Guards of") && !said.contains("Inputs of"), "{said}");
}
