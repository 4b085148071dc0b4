//! `configuration.html`: differences from torch's defaults, versions, differences between compiles, and all settings.

mod changed;
mod fields;
mod listed;

use crate::limits::{IN_HEAD, LONG_TABLE, SHORT_LIST};
use crate::model::CompileIndex;
use crate::report::kit::config_kinds::Kind;
use crate::report::kit::log_settings::kinds;
use crate::report::kit::prelude::*;
use crate::report::kit::versions::versions;
use changed::Compared;
use indexmap::IndexSet;
use std::collections::BTreeSet;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["configuration.html"]), move |worker, out| {
        let (kinds, fields) = (kinds(report)?, fields::found(report)?);
        let compared = Compared::of(report.model.torch.as_ref().map(|torch| torch.version.as_str()), kinds);
        let mut shell = Shell::top(report, "Configuration");
        if compared.defaults.is_some() {
            shell.tabs.push(Tab::section("changed", "Changed", Some(whole(compared.count()))));
        }
        shell.tabs.push(Tab::section("versions", "Versions", None));
        let differs = kinds.iter().map(|kind| kind.differing().len()).sum::<usize>();
        if differs > 0 {
            shell.tabs.push(Tab::section("differences", "Differences", Some(whole(differs))));
        }
        let settings = listed::count(kinds);
        if settings > 0 {
            shell.tabs.push(Tab::section(listed::ID, "All settings", Some(whole(settings))));
        }
        if !fields.is_empty() {
            let count = fields.values().map(Vec::len).sum::<usize>();
            shell.tabs.push(Tab::section(fields::ID, "Fields of the metrics", Some(whole(count))));
        }
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            let mut notes =
                if kinds.is_empty() { Vec::new() } else { vec![changed::source(&compared).into()] };
            notes.extend(of_compiles(view));
            write_line(out, &view.verdict(verdict(view, kinds, &compared, differs), notes)?)?;
            changed::write(view, out, &compared)?;
            view.open_section(out, ("versions", "Versions", "what wrote the log"), None, Html::default())?;
            write_line(out, &view.facts(versions(view)?))?;
            close_section(out)?;
            differences(view, out, (kinds, differs))?;
            listed::write(view, out, kinds, &compared)?;
            fields::write(view, out, &fields)
        })
    })
}

/// Settings that a compile was called with, which are not those of the process.
fn of_compiles(view: View<'_>) -> Option<Html> {
    let compiles = view.report.model.compiles.indexed();
    let asked: Vec<CompileIndex> = compiles
        .filter(|(_, compile)| compile.on_device.settings.cudagraphs)
        .map(|(index, _)| index)
        .collect();
    let words = "These are the settings of the process. `torch.compile` was called with a mode or options that ask for CUDA \
                 graphs (triton.cudagraphs) in "
        .replace('`', "");
    (!asked.is_empty())
        .then(|| Html::joined([words.into(), view.some_pills(&view.compiles(&asked), SHORT_LIST)], ""))
}

fn verdict(view: View<'_>, kinds: &[Kind], compared: &Compared<'_>, differs: usize) -> Html {
    if kinds.is_empty() {
        return "The log contains no settings.".into();
    }
    let differences = match differs {
        0 => "all compilations had the same settings".to_owned(),
        n => format!("{} between compilations", counted(n, "setting differs", "settings differ")),
    };
    let names: IndexSet<&str> = compared.changed.iter().map(|one| one.name).collect();
    let more = and_more(names.len(), IN_HEAD);
    let named = Html::joined(names.into_iter().take(IN_HEAD).map(|name| view.code(name)), ", ");
    let changed: Html = match (&compared.defaults, compared.count()) {
        (None, _) => "The defaults of this torch are unknown".into(),
        (Some(_), 0) => "No setting differs from torch's defaults".into(),
        (Some(_), n) => {
            let words =
                format!("{} from torch's defaults: ", counted(n, "setting differs", "settings differ"));
            Html::joined([words.into(), named, more.into()], "")
        }
    };
    Html::joined([changed, format!("; {differences}.").into()], "")
}

fn differences(view: View<'_>, out: &mut dyn Write, (kinds, count): (&[Kind], usize)) -> anyhow::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let about = "settings that differ between compilations";
    view.open_section(out, ("differences", "Differences", about), Some(whole(count)), Html::default())?;
    let columns = vec![
        TableColumn::text("Of"),
        TableColumn::text("Setting"),
        TableColumn::unsorted("Value"),
        TableColumn::unsorted("Compiles"),
    ];
    let table = Table { id: "differences-table", label: "Differing settings", columns };
    let differing = kinds.iter().flat_map(|kind| kind.differing().into_iter().map(move |one| (kind, one)));
    let values = differing.flat_map(|(kind, one)| {
        one.values.into_iter().map(move |(value, configs)| (kind, one.name, value, configs))
    });
    let all: Vec<_> = values.collect();
    let rows = all.iter().take(LONG_TABLE).map(|(kind, name, value, configs)| {
        let of = configs.iter().flat_map(|at| kind.configs.get(*at)).flat_map(|config| &config.compiles);
        let of: Vec<CompileIndex> = of.copied().collect::<BTreeSet<_>>().into_iter().collect();
        Row::of(vec![
            TableCell::text(kind.title),
            TableCell::text(name).class("mono"),
            TableCell::html(value.map_or_else(|| "not set".into(), |value| view.folded(value, true))),
            TableCell::html(view.some_pills(&view.compiles(&of), SHORT_LIST)),
        ])
    });
    view.table(out, &table, rows)?;
    view.left_out(out, all.len(), LONG_TABLE, "are in raw.jsonl")?;
    Ok(close_section(out)?)
}
