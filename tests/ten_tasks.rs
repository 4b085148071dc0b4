//! Ten questions of users: from the first page of a report, each is answered there, or by one click or search.

use crate::browser::{Window, window};
use crate::performance_devices::decoder;
use crate::support::{Run, input, job, job_logs, report};
use std::path::{Path, PathBuf};

/// How a reader gets from the first page to the answer.
enum Way {
    /// It stands there.
    Read,
    /// A click on what these words name.
    Click(&'static str),
    /// A search for this.
    Search(&'static str),
}

use Way::{Click, Read, Search};

/// What may be clicked, and is seen: the first link or fold whose text has these words.
fn clickable(words: &str) -> String {
    format!(
        "[...document.querySelectorAll('a, summary')].find(one => one.checkVisibility() \
         && one.innerText.trim().replaceAll('\\u00a0', ' ').includes({words:?}))"
    )
}

/// The text that a reader sees.
fn seen(window: &Window) -> String {
    let text = window.value("document.querySelector('main').innerText");
    text.as_str().unwrap().replace(['\u{a0}', '\u{202f}'], " ")
}

fn take(window: &Window, question: &str, way: &Way) {
    match way {
        Read => {}
        Click(words) => {
            let one = clickable(words);
            assert!(window.is_true(&format!("{one} !== undefined")), "{question}: nothing says {words}");
            if window
                .is_true(&format!("{one}.tagName === 'A' && !{one}.getAttribute('href').startsWith('#')"))
            {
                window.follow(|| drop(window.value(&format!("{one}.click()"))));
            } else {
                window.value(&format!("{one}.click()"));
            }
        }
        Search(query) => {
            window.click("input[type=search]");
            window.type_into("input[type=search]", query);
            window.follow(|| window.press("Enter"));
            window.wait_for("#found li a");
        }
    }
}

struct Task {
    question: &'static str,
    first_page: PathBuf,
    way: Way,
    answers: &'static [&'static str],
}

#[test]
fn ten_questions_are_answered_by_at_most_one_click_or_search() {
    let Some(window) = window() else { return };
    let of_log = |name: &str| report(name).folder.join("index.html");
    let compared = tempfile::tempdir().unwrap();
    let out = compared.path().join("diff");
    let sides = [&input("08_cache_miss").path, &input("08_cache_hit").path];
    let done = crate::diff::diff(&[sides[0].as_path(), sides[1].as_path(), Path::new("-o"), &out]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let task = |question, first_page, way, answers| Task { question, first_page, way, answers };
    let all_ranks = Run::of(job_logs("32_ckpt_one")[0].parent().unwrap()).args(["--all-ranks-html"]).ok();
    let beside = all_ranks.folder.join("rank_0/-_0_0_0/compile.html");
    let tasks = [
        task(
            "the costliest line",
            decoder().folder.join("index.html"),
            Click("Kernels"),
            &["cg_decoder.py:24 takes 52 %"],
        ),
        task(
            "why four compiles",
            of_log("04_recompiles"),
            Read,
            &["by_shape was compiled 4 times: size x.shape[1]\n4 -> 6 -> 10 -> 17"],
        ),
        task(
            "what failed in 6/0",
            of_log("06_errors"),
            Click("6/0"),
            &["AssertionError: custom post-grad pass exploded"],
        ),
        task(
            "the kernel of a line",
            of_log("01_inference"),
            Search("s01_inference.py:7"),
            &["cpp_fused_abs_add_cos_div_mul_relu_sin_sub_sum_0"],
        ),
        task(
            "what changed",
            out.join("diff.html"),
            Read,
            &["B compiles 20.7 s faster", "9 cache lookups: miss → hit"],
        ),
        task("what a warm run takes", of_log("08_cache_miss"), Read, &["The next run saves up to 20.9 s"]),
        task(
            "how to share it",
            of_log("01_inference"),
            Click("how to share this report"),
            &["--redact --zip"],
        ),
        task(
            "the time of an operator",
            decoder().folder.join("index.html"),
            Search("mm"),
            &["aten::mm: nvjet", "time 549 us"],
        ),
        task(
            "the guilty rank",
            job("32_ckpt_one").folder.join("index.html"),
            Read,
            &["rank 1 compiles Tower.forward (0/0) for self.save == True"],
        ),
        task("the same compile in rank 1", beside, Click("rank 1"), &["Why it was compiled"]),
    ];
    for Task { question, first_page, way, answers } in &tasks {
        window.open(first_page, "");
        take(&window, question, way);
        let text = seen(&window);
        for answer in *answers {
            assert!(text.contains(answer), "{question}: {answer} is not in\n{text}");
        }
        window.quiet(question);
    }
}
