//! Verdicts on small logs: `cases.txt`.

use super::*;
use crate::analysis::sketch::Sketch;

/// What is proven, with what texts name of it.
fn said(sketch: &Sketch) -> String {
    let texts = sketch.texts();
    let chains = sketch.chains(&texts);
    let Some(verdict) = verdict(&Callers::of(&sketch.model), &texts, &chains[0]) else {
        return "nothing".into();
    };
    let names = verdict.names.iter().map(|(name, text)| format!("; {name} {}", text.replace('\n', " ¶")));
    format!("{:?}{}", verdict.fact, names.collect::<String>())
}

#[test]
fn each_log_has_the_verdict_of_its_case() {
    for case in include_str!("cases.txt").split("\n\n").skip(1) {
        let expected = case.lines().find_map(|line| line.strip_prefix("= "));
        assert_eq!(Some(said(&Sketch::parse(case)).as_str()), expected, "{case}");
    }
}

#[test]
fn many_versions_and_long_lists_are_bounded() {
    let version = |n: usize| {
        let reasons = (0..n).map(|older| format!("again 0/{n} 0/{older} failed: size mismatch at index 0\n"));
        let reasons: String = reasons.collect();
        format!("compile 0/{n} f\ninput 0/{n} L['x'] 4\ntensor 0/{n} L['x'] None\n{reasons}")
    };
    let log: String = (0..200).map(version).collect();
    assert!(said(&Sketch::parse(&log)).contains("and 33 more"));
}
