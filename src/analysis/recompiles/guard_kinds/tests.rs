//! Guards as they are read: `tests.txt` has a row for each text.

use super::*;
use crate::analysis::recompiles::kind_and_sizes;

/// Kind, subject, dimension, old and new value, and the condition, as one line.
fn read(reason: &str) -> String {
    let change = classify(reason);
    let subject = change.subject();
    let dimension = change.dimension.map(|dimension| dimension.to_string());
    // A relation is its own subject.
    let condition = change.condition.filter(|condition| Some(condition) != subject.as_ref());
    let parts = [subject, dimension, change.old, change.new, condition];
    let parts = parts.map(|part| part.unwrap_or_else(|| "-".to_owned()));
    format!("{:?} | {}", change.kind, parts.join(" | "))
}

#[test]
fn each_guard_is_read_as_its_row_says() {
    let rows = include_str!("tests.txt").lines();
    for row in rows.filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let (text, expected) = row.rsplit_once(" = ").unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        assert_eq!(read(&text), expected, "{text}");
    }
}

#[test]
fn a_guard_also_says_whose_size_it_is_and_which_address_and_input_it_names() {
    let buffer = "tensor 'self._buffers['mask']' size mismatch at index 0. expected 3, actual 5";
    assert!(classify(buffer).of_parameter);
    assert_eq!(classify("___check_obj_id(args[0], 139717272483856)").address, Some(139_717_272_483_856));
    assert_eq!(classify("k == 2; n == 3").source.as_deref(), Some("k"), "the first of several guards");
}

#[test]
fn what_changed_can_be_told_as_its_kind_with_sizes_and_dtypes_and_no_name() {
    let of = |texts: &[&str]| {
        let changes: Vec<Change> = texts.iter().map(|text| classify(text)).collect();
        kind_and_sizes(&changes.iter().collect::<Vec<_>>())
    };
    let sizes = [
        "tensor 'secret' size mismatch at index 1. expected 4, actual 6",
        "tensor 'secret' size mismatch at index 1. expected 6, actual 10",
    ];
    assert_eq!(of(&sizes), "size of dimension 1: 4 -> 6 -> 10");
    for (text, words) in [
        ("tensor 'secret' dtype mismatch. expected Float, actual Double", "dtype: Float -> Double"),
        ("tensor 'secret' dtype mismatch. expected Float, actual Secret", "dtype"),
        ("k == 12345", "Python value"),
        ("cfg.mode == 'secret'  # secret line", "Python value"),
        ("GLOBAL_STATE changed: grad_mode ", "global or grad state"),
        ("secret of a later torch", "other"),
    ] {
        assert_eq!(of(&[text]), words, "{text}");
    }
}

#[test]
fn texts_that_end_early_are_read() {
    for odd in ["(", "'", "L['", "==", "len(", "x.size()[", "___check_obj_id(", "tensor '", "not ", "a is"] {
        let _ = classify(odd);
    }
}
