//! `configuration.html`: differences from torch's defaults, versions, differences between compiles, and all settings.

mod changed;
mod fields;
mod listed;

use crate::limits::{IN_HEAD, LONG_TABLE, SHORT_LIST};
use crate::model::CompileIndex;
use crate::output::{Page, RelPath};
use crate::report::doc::{Block, Cell, Others, Rows, Section, own, page};
use crate::report::kit::config_kinds::Kind;
use crate::report::kit::formats::{and_more, counted};
use crate::report::kit::log_settings::kinds;
use crate::report::kit::templates::Worker;
use crate::report::kit::versions::versions;
use crate::report::subject::Report;
use changed::{Compared, compiles};
use indexmap::IndexSet;
use std::collections::BTreeSet;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["configuration.html"]), move |worker, out| {
        let (kinds, fields) = (kinds(report)?, fields::found(report)?);
        let compared = Compared::of(report.model.torch.as_ref().map(|torch| torch.version.as_str()), kinds);
        let differing = differing(kinds);
        let mut blocks = vec![verdict(report, kinds, &compared)];
        blocks.extend(changed::section(report, &compared));
        let about = "what wrote the log";
        let of_log = vec![Block::Facts(versions(report)?)];
        blocks.push(Block::Section(Section::new("versions", "Versions", of_log).about(about)));
        blocks.extend((!differing.is_empty()).then(|| differences(report, &differing)));
        blocks.extend(listed::section(kinds, &compared));
        blocks.extend(fields::section(&fields));
        page::write(report, "Configuration", &blocks, worker, out)
    })
}

/// Settings that a compile was called with, which are not those of the process.
fn of_compiles(report: Report<'_>) -> Option<Cell<'_>> {
    let all = report.model.compiles.indexed();
    let asked: Vec<_> =
        all.filter(|(_, one)| one.on_device.settings.cudagraphs).map(|(index, _)| index).collect();
    let words = "These are the settings of the process. torch.compile was called with a mode or options that ask for CUDA \
                 graphs (triton.cudagraphs) in ";
    (!asked.is_empty()).then(|| Cell::Beside(vec![words.into(), compiles(report, asked, SHORT_LIST)], ""))
}

fn verdict<'m>(report: Report<'m>, kinds: &[Kind], compared: &Compared<'m>) -> Block<'m> {
    if kinds.is_empty() {
        return Block::Verdict { sentence: "The log contains no settings.".into(), notes: Vec::new() };
    }
    let differences = match kinds.iter().map(|kind| kind.differing().len()).sum::<usize>() {
        0 => "all compilations had the same settings".to_owned(),
        n => format!("{} between compilations", counted(n, "setting differs", "settings differ")),
    };
    let names: IndexSet<&str> = compared.changed.iter().map(|one| one.name).collect();
    let more = and_more(names.len(), IN_HEAD);
    let named = names.into_iter().take(IN_HEAD).map(|name| Cell::Code(name.into())).collect();
    let changed = match (&compared.defaults, compared.count()) {
        (None, _) => "The defaults of this torch are unknown".into(),
        (Some(_), 0) => "No setting differs from torch's defaults".into(),
        (Some(_), n) => {
            let words =
                format!("{} from torch's defaults: ", counted(n, "setting differs", "settings differ"));
            Cell::Beside(vec![own(words), Cell::Beside(named, ", "), own(more)], "")
        }
    };
    let sentence = Cell::Beside(vec![changed, own(format!("; {differences}."))], "");
    let notes = [changed::source(compared)].into_iter().chain(of_compiles(report)).collect();
    Block::Verdict { sentence, notes }
}

/// A value of a setting that differs between compiles, with those that had it.
struct Differs<'k> {
    of: &'static str,
    name: &'k str,
    value: Option<&'k str>,
    compiles: BTreeSet<CompileIndex>,
}

fn differing<'k>(kinds: &'k [Kind]) -> Vec<Differs<'k>> {
    let mut all = Vec::new();
    for kind in kinds {
        for one in kind.differing() {
            all.extend(one.values.into_iter().map(|(value, configs)| {
                Differs {
                    of: kind.title,
                    name: one.name,
                    value,
                    compiles: configs
                        .iter()
                        .flat_map(|at| kind.configs.get(*at))
                        .flat_map(|config| config.compiles.iter().copied())
                        .collect(),
                }
            }));
        }
    }
    all
}

fn differences<'m>(report: Report<'m>, all: &'m [Differs<'m>]) -> Block<'m> {
    let names: BTreeSet<_> = all.iter().map(|one| (one.of, one.name)).collect();
    let list = Rows::of(all.iter().collect::<Vec<&'m Differs<'m>>>())
        .text("Of", |one| one.of.into())
        .text("Setting", |one| Cell::Log(one.name.into()))
        .mono()
        .unsorted("Value", |one| one.value.map_or("not set".into(), |value| Cell::Code(value.into())))
        .unsorted("Compiles", move |one| compiles(report, one.compiles.iter().copied(), SHORT_LIST))
        .first(LONG_TABLE, Others::Elsewhere("are in raw.jsonl"))
        .listing("differences", "Differing settings", "");
    let about = "settings that differ between compilations";
    let section = Section::new("differences", "Differences", vec![Block::Table(list)]);
    Block::Section(section.about(about).counted(names.len()))
}
