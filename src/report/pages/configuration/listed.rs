//! All settings of the log in one folded table with a filter by name, including those switched off.

use super::changed::{Compared, about};
use crate::limits::{CELL, LONG_TABLE};
use crate::report::kit::config_kinds::Kind;
use crate::report::kit::log_settings::OFF;
use crate::report::kit::prelude::*;

/// The anchor.
pub(super) const ID: &str = "settings";

/// The settings of the most used configuration of each kind.
pub(super) fn write(
    view: View<'_>,
    out: &mut dyn Write,
    kinds: &[Kind],
    compared: &Compared<'_>,
) -> anyhow::Result<()> {
    let settings: Vec<Selected<'_>> = settings(kinds).map(|one| Selected::of(one, compared)).collect();
    let count = settings.len();
    if count == 0 {
        return Ok(());
    }
    let choices = CHOICES.map(|(word, text)| {
        (word, text, settings.iter().filter(|one| one.choices().any(|choice| choice == word)).count())
    });
    let titles = kinds.iter().map(|kind| {
        (kind.id, kind.title, settings.iter().filter(|one| one.setting.kind.id == kind.id).count())
    });
    let tools = view.narrow("settings-table", "Filter by name", choices.into_iter().chain(titles))?;
    let note = match kinds.iter().any(|kind| kind.configs.len() > 1 || kind.unread > 0) {
        true => "as in most compilations; those that differ between compilations are listed above",
        false => "as in all compilations",
    };
    view.open_section(out, (ID, "All settings", note), Some(whole(count)), Html::default())?;
    let modules = kinds.iter().map(|kind| view.code(kind.module)).collect::<Vec<_>>();
    soft_paragraph(out, Html::joined([Html::joined(modules, ", "), ".".into()], ""))?;
    open_more(out, format!("{}, including those switched off", counted(count, "setting", "settings")))?;
    write_line(out, &tools)?;
    let columns = vec![
        TableColumn::text("Of"),
        TableColumn::text("Setting").mono(),
        TableColumn::text("Value").mono(),
        TableColumn::unsorted("What it does").soft(),
    ];
    let table = Table { id: "settings-table", label: "All settings", columns };
    let mut anchored: Vec<&str> = Vec::new();
    let rows = settings.iter().take(LONG_TABLE).map(|selected| {
        let one = &selected.setting;
        let (value, cut) = clipped(one.value, CELL);
        // Links go to the settings of a module: the first of them has the anchor.
        let is_first = !anchored.contains(&one.kind.id);
        if is_first {
            anchored.push(one.kind.id);
        }
        let row = Row::of(vec![
            TableCell::text(one.kind.title),
            TableCell::text(one.name),
            if cut { TableCell::text(&format!("{value} …")) } else { TableCell::text(value) },
            TableCell::text(selected.about.unwrap_or_default()),
        ]);
        let row = row.selected_by(selected.words());
        if is_first { row.anchored(one.kind.id.to_owned()) } else { row }
    });
    view.table(out, &table, rows)?;
    view.left_out(out, count, LONG_TABLE, "are in report.json")?;
    close(out, "details")?;
    Ok(close_section(out)?)
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

/// Filters of the list besides the kinds: the word in the row, and the label.
const CHOICES: [(&str, &str); 4] =
    [("changed", "changed"), ("explained", "explained"), ("on", "on or with a value"), ("off", "off")];

/// Room for the words that select a setting: `dynamo changed explained on`.
const WORDS_BYTES: usize = 32;

/// A setting with its properties for the filter.
struct Selected<'k> {
    setting: Setting<'k>,
    is_changed: bool,
    /// What it does, if known.
    about: Option<&'static str>,
}

impl<'k> Selected<'k> {
    fn of(setting: Setting<'k>, compared: &Compared<'_>) -> Selected<'k> {
        let Setting { kind, name, .. } = setting;
        let is_changed = compared.is_changed(kind.kind, name);
        Selected { setting, is_changed, about: about(kind.kind, name) }
    }

    /// The words of [`CHOICES`] that select it.
    fn choices(&self) -> impl Iterator<Item = &'static str> {
        let is_off = OFF.contains(&self.setting.value);
        let holds = [self.is_changed, self.about.is_some(), !is_off, is_off];
        CHOICES.iter().zip(holds).filter(|(_, holds)| *holds).map(|((word, _), _)| *word)
    }

    /// All words that select it, with spaces between them.
    fn words(&self) -> String {
        let mut words = String::with_capacity(WORDS_BYTES);
        words.push_str(self.setting.kind.id);
        for choice in self.choices() {
            words.push(' ');
            words.push_str(choice);
        }
        words
    }
}
