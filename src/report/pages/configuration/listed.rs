//! All settings of the log in one table, folded: a filter finds each by its name, those that are off too.

use super::changed::{Compared, about};
use crate::report::kit::config_kinds::Kind;
use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::log_settings::{LISTED, OFF};
use crate::report::kit::markup::{close, close_section, open_more, soft_paragraph};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::view::View;
use std::io::Write;

/// The anchor.
pub(super) const ID: &str = "settings";

/// Characters of a value; two recorded ones have more, lists of names with 300 and 550. report.json has them whole.
const LONGEST: usize = 120;

/// The settings of the most used configuration of each kind.
pub(super) fn write(
    view: View<'_>,
    out: &mut dyn Write,
    kinds: &[Kind],
    compared: &Compared<'_>,
) -> anyhow::Result<()> {
    let settings: Vec<(Setting<'_>, Vec<&str>)> =
        settings(kinds).map(|one| (one, words(&one, compared))).collect();
    let count = settings.len();
    if count == 0 {
        return Ok(());
    }
    let of = |word: &str| settings.iter().filter(|(_, words)| words.contains(&word)).count();
    let choices =
        [("changed", "changed"), ("explained", "explained"), ("on", "on or with a value"), ("off", "off")];
    let choices = choices.map(|(word, text)| (word, text, of(word)));
    let titles = kinds.iter().map(|kind| (kind.id, kind.title, of(kind.id)));
    let tools = view.narrow("settings-table", "Filter by name", choices.into_iter().chain(titles))?;
    let note = match kinds.iter().any(|kind| kind.configs.len() > 1 || kind.unread > 0) {
        true => "as most compilations had them; those that differ between compilations stand above",
        false => "as all compilations had them",
    };
    view.open_section(out, (ID, "All settings", note), Some(whole(count)), Html::default())?;
    let modules = kinds.iter().map(|kind| view.code(kind.module)).collect::<Vec<_>>();
    soft_paragraph(out, Html::joined([Html::joined(modules, ", "), ".".into()], ""))?;
    open_more(out, format!("{}, those that are off included", counted(count, "setting", "settings")))?;
    crate::report::kit::markup::put(out, &tools)?;
    let heads = vec![
        Head::text("Of"),
        Head::text("Setting").mono(),
        Head::text("Value").mono(),
        Head::unsorted("What it does").soft(),
    ];
    let table = Table { id: "settings-table", label: "All settings", heads };
    let mut anchored: Vec<&str> = Vec::new();
    let rows = settings.iter().take(LISTED).map(|(one, words)| {
        let (value, cut) = clipped(one.value, LONGEST);
        let row = Row::of(vec![
            Td::text(one.kind.title),
            Td::text(one.name),
            Td::text(&if cut { format!("{value} …") } else { value.to_owned() }),
            Td::text(about(one.kind.kind, one.name).unwrap_or_default()),
        ]);
        let row = row.selected_by(words.join(" "));
        // Links lead to the settings of a module: the first of them has the anchor.
        Ok(if anchored.contains(&one.kind.id) {
            row
        } else {
            anchored.push(one.kind.id);
            row.anchored(one.kind.id.to_owned())
        })
    });
    let rows: Vec<anyhow::Result<Row>> = rows.collect();
    view.table(out, &table, rows.into_iter())?;
    view.left_out(out, count, LISTED, "stand in report.json")?;
    close(out, "details")?;
    close_section(out)?;
    Ok(())
}

/// How many settings there are.
pub(super) fn count(kinds: &[Kind]) -> usize {
    settings(kinds).count()
}

/// A setting of the most used configuration of its kind.
#[derive(Clone, Copy)]
struct Setting<'k> {
    kind: &'k Kind,
    name: &'k str,
    value: &'k str,
}

fn settings(kinds: &[Kind]) -> impl Iterator<Item = Setting<'_>> {
    let first = kinds.iter().filter_map(|kind| Some((kind, kind.configs.first()?)));
    first.flat_map(|(kind, config)| {
        config.settings.iter().map(move |(name, value)| Setting { kind, name, value })
    })
}

/// The words by which a setting is selected.
fn words<'k>(one: &Setting<'k>, compared: &Compared<'_>) -> Vec<&'k str> {
    let is_off = OFF.contains(&one.value);
    let words = [
        (true, one.kind.id),
        (compared.is_changed(one.kind.kind, one.name), "changed"),
        (about(one.kind.kind, one.name).is_some(), "explained"),
        (is_off, "off"),
        (!is_off, "on"),
    ];
    words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
}
