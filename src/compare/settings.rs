//! Version of torch, and settings.

use super::recording::{LogRun, Setting};
use super::rows::LogComparison;
use super::runs::Runs;
use crate::facts::{Aspect, DiffRow, DiffSide, RowKind};
use crate::limits::NAMED;
use crate::model::words::first_of;
use std::collections::BTreeSet;

/// How settings of single compiles are set.
const SET_BY: [(&str, &str); 3] = [
    ("compile.allow_tf32", "by `torch.set_float32_matmul_precision`"),
    ("compile.cudagraphs", "by `mode=\"reduce-overhead\"` and the like"),
    ("compile.max_autotune", "by `mode=\"max-autotune\"` and the like"),
];

/// Adds the version of torch and the settings that differ.
pub(super) fn settings(runs: &Runs<'_>, found: &mut LogComparison) {
    let torch = runs.values(|log| runs.logs.get(log).map(|log| log.torch_words().to_owned()));
    let same_torch = !runs.has_other_torch();
    if torch[0] != torch[1] {
        let mut row = DiffRow::new(RowKind::Changed, Aspect::Torch, "Version of torch".to_owned());
        (row.a, row.b) = (value(runs, 0, &torch[0]), value(runs, runs.of_a, &torch[1]));
        found.rows.push(row);
    } else if !same_torch {
        let text = "Version of torch: the logs do not name it, but the settings are those of two versions";
        found.rows.push(DiffRow::new(RowKind::Changed, Aspect::Torch, text.to_owned()));
    }
    if runs.logs.iter().any(|log| log.settings.is_empty()) {
        return;
    }
    // A log that was cut off may lack the record of a configuration, and another torch may have no such configuration.
    let is_recorded =
        |log: &LogRun, config: &str| log.settings.keys().any(|setting| setting.config == config);
    let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
    let all: BTreeSet<&Setting> = runs.logs.iter().flat_map(|log| log.settings.keys()).collect();
    for setting in all {
        if same_torch && !runs.logs.iter().all(|log| is_recorded(log, &setting.config)) {
            continue;
        }
        let [a, b] = runs.sides().map(|side| {
            let logs = side.filter_map(|log| runs.logs.get(log)?.settings.get(setting));
            logs.flatten().cloned().collect::<BTreeSet<String>>()
        });
        let kind = match (a.is_empty(), b.is_empty()) {
            (true, _) => RowKind::New,
            (_, true) => RowKind::Gone,
            _ if a == b => {
                *found.same.entry(Aspect::Settings).or_default() += 1;
                continue;
            }
            _ => RowKind::Changed,
        };
        let name = format!("{}.{}", setting.config, setting.name);
        // Settings of another torch version are only counted.
        match kind {
            RowKind::Gone if !same_torch => only_a.push(name),
            RowKind::New if !same_torch => only_b.push(name),
            _ => {
                let mut row = DiffRow::new(kind, Aspect::Settings, format!("Setting `{name}`"));
                row.detail = SET_BY.iter().find(|(set, _)| *set == name).map(|(_, by)| (*by).to_owned());
                (row.a, row.b) = (value(runs, 0, &a), value(runs, runs.of_a, &b));
                found.rows.push(row);
            }
        }
    }
    let [name_a, name_b] = runs.names;
    for (kind, names, side) in [(RowKind::Gone, only_a, name_a), (RowKind::New, only_b, name_b)] {
        if !names.is_empty() {
            let text = format!("Settings that only the torch of {side} has: {}", names.len());
            let detail = Some(first_of(&names, NAMED));
            found.rows.push(DiffRow { detail, ..DiffRow::new(kind, Aspect::Settings, text) });
        }
    }
}

fn value(runs: &Runs<'_>, log: usize, values: &BTreeSet<String>) -> DiffSide {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let value = (!values.is_empty()).then(|| values.join(" or "));
    DiffSide { value, ..runs.row_side(log, "configuration.html".to_owned(), []) }
}
