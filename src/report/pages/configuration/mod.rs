//! `configuration.html`: versions, notable settings, what differs between compiles, and every setting.

mod fields;
mod listed;

use crate::analysis::configs::{NOTABLE, Notable};
use crate::model::{Compile, CompileIndex};
use crate::output::{Page, RelPath};
use crate::report::kit::formats::{UNKNOWN, clipped, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::log_settings::KINDS;
use crate::report::kit::log_settings::Kind;
use crate::report::kit::log_settings::kinds;
use crate::report::kit::markup::{Element, close_section, put};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::templates::Worker;
use crate::report::kit::versions::versions;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use std::io::Write;

/// Differing settings that are listed, one a value. Torch has some 700 settings.
const LISTED: usize = 3_000;

/// Compiles that a value names.
const SHOWN: usize = 12;

/// Characters of a value in the table of notable settings.
const LONGEST_VALUE: usize = 120;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["configuration.html"]), move |worker, out| {
        let (kinds, fields) = (kinds(report)?, fields::found(report)?);
        let mut shell = Shell::top(report, "Configuration");
        shell.tabs = vec![Tab::section("versions", "Versions", None)];
        let differs = kinds.iter().map(|kind| kind.differing().len()).sum::<usize>();
        if differs > 0 {
            shell.tabs.push(Tab::section("differences", "Differences", Some(whole(differs))));
        }
        if !kinds.is_empty() {
            shell.tabs.push(Tab::section("notable", "Notable", None));
        }
        shell.tabs.extend(kinds.iter().map(|kind| {
            let count = kind.configs.first().map(|config| whole(config.settings.len()));
            Tab::section(kind.id, kind.title, count)
        }));
        if !fields.is_empty() {
            let count = fields.values().map(Vec::len).sum::<usize>();
            shell.tabs.push(Tab::section(fields::ID, "Fields of the metrics", Some(whole(count))));
        }
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            put(out, &view.verdict(verdict(&kinds, differs), Vec::new())?)?;
            view.open_section(out, ("versions", "Versions", "what wrote the log"), None, Html::default())?;
            put(out, &view.facts(versions(view)?)?)?;
            close_section(out)?;
            differences(view, out, (&kinds, differs))?;
            notable(view, out, &kinds)?;
            kinds.iter().try_for_each(|kind| listed::write(view, out, kind))?;
            fields::write(view, out, &fields)
        })
    })
}

fn verdict(kinds: &[Kind], differs: usize) -> Html {
    let unusual =
        NOTABLE.iter().filter(|n| of_notable(kinds, n).iter().any(|value| is_unusual(n, value))).count();
    let differences = match differs {
        0 => "All compilations had the same settings".to_owned(),
        n => format!("{} between compilations", counted(n, "setting differs", "settings differ")),
    };
    let unusual = match unusual {
        0 => "no notable one was changed".to_owned(),
        n => format!("{} changed", counted(n, "notable one was", "notable ones were")),
    };
    match kinds {
        [] => "The log holds no settings.".into(),
        _ => format!("{differences}; {unusual}.").into(),
    }
}

fn differences(view: View<'_>, out: &mut dyn Write, (kinds, count): (&[Kind], usize)) -> anyhow::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let about = "settings that compilations had differently";
    view.open_section(out, ("differences", "Differences", about), Some(whole(count)), Html::default())?;
    let heads =
        vec![Head::text("Of"), Head::text("Setting"), Head::unsorted("Value"), Head::unsorted("Compiles")];
    let table = Table { id: "differences-table", label: "Differing settings", heads };
    let mut rows = Vec::new();
    for kind in kinds {
        for one in kind.differing() {
            for (value, configs) in one.values {
                rows.push((kind, one.name, value, configs));
            }
        }
    }
    let all = rows.len();
    rows.truncate(LISTED);
    let shown = rows.len();
    let rows = rows.into_iter().map(|(kind, name, value, configs)| {
        let mut of: Vec<CompileIndex> =
            configs.iter().flat_map(|at| kind.configs.get(*at)).flat_map(|c| &c.compiles).copied().collect();
        of.sort_unstable();
        of.dedup();
        let compiles: Vec<&Compile> =
            of.iter().filter_map(|index| view.report.model.compiles.get(*index)).collect();
        Ok(Row::of(vec![
            Td::text(kind.title),
            Td::text(name).class("mono"),
            Td::html(value.map_or_else(|| Html::escaped("not set"), |value| view.folded(value, true))),
            Td::html(view.some_pills(&compiles, SHOWN)?),
        ]))
    });
    view.table(out, &table, rows)?;
    view.left_out(out, all, shown, "stand in raw.jsonl")?;
    close_section(out)?;
    Ok(())
}

/// Values of a notable setting in the configurations of its kind, each once, that of most compiles first.
fn of_notable<'k>(kinds: &'k [Kind], notable: &Notable) -> Vec<&'k str> {
    let mut values: Vec<&str> = Vec::new();
    let configs = kinds.iter().filter(|kind| kind.kind == notable.kind).flat_map(|kind| &kind.configs);
    for value in configs.filter_map(|config| config.settings.get(notable.name)) {
        if !values.contains(&value.as_str()) {
            values.push(value);
        }
    }
    values
}

fn is_unusual(notable: &Notable, value: &str) -> bool {
    notable.usual.is_some_and(|usual| usual != value)
}

fn notable(view: View<'_>, out: &mut dyn Write, kinds: &[Kind]) -> anyhow::Result<()> {
    let mut found: Vec<_> =
        NOTABLE.iter().map(|n| (n, of_notable(kinds, n))).filter(|(_, v)| !v.is_empty()).collect();
    if found.is_empty() {
        return Ok(());
    }
    found.sort_by_key(|(n, values)| !values.iter().any(|value| is_unusual(n, value)));
    let about = "settings that explain most surprises, changed ones first";
    view.open_section(out, ("notable", "Notable", about), Some(whole(found.len())), Html::default())?;
    let heads = vec![
        Head::unsorted("Of"),
        Head::unsorted("Setting").mono(),
        Head::unsorted("Value").mono(),
        Head::unsorted("What it does").soft(),
    ];
    let table = Table { id: "notable-table", label: "Notable settings", heads };
    let rows = found.into_iter().map(|(notable, values)| {
        let of = KINDS.iter().find(|kind| kind.0 == notable.kind).map_or("", |kind| kind.2);
        let values = values.iter().map(|value| {
            let text = Html::escaped(clipped(value, LONGEST_VALUE).0);
            let warn = is_unusual(notable, value);
            if !warn {
                return text;
            }
            let usual = format!(", usually {}", notable.usual.unwrap_or(UNKNOWN));
            Html::joined([Element::new("b").class("warn").around(text), usual.into()], "")
        });
        Ok(Row::of(vec![
            Td::text(of),
            Td::text(notable.name),
            Td::html(Html::joined(values, ", ")),
            Td::text(notable.about),
        ]))
    });
    view.whole_table(out, &table, rows)?;
    close_section(out)?;
    Ok(())
}
