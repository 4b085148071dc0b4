//! `configuration.html`: versions, notable settings, what differs between compiles, and every setting.

mod fields;
mod listed;

use super::index::versions;
use super::parts::{Head, Row, Table, Td, View};
use super::shell::{Shell, Tab, write_page};
use super::units::{UNKNOWN, clipped, counted, whole};
use super::{Html, Report, Worker};
use crate::analysis::configs::{NOTABLE, Notable, Settings, differing};
use crate::model::{Compile, CompileIndex, Content, Fields, MetricsRecord};
use crate::output::{Page, RelPath};
use crate::trace::{Md5, PayloadRef};
use indexmap::IndexMap;
use std::io::Write;

/// Different configurations of one kind that are read: one program has one to three.
const MOST_CONFIGS: usize = 40;

/// Bytes of a configuration kept as an artifact. Real ones have 3 KB.
const LONGEST_CONFIG: u64 = 4 << 20;

/// Differing settings that are listed, one a value. Torch has some 700 settings.
const LISTED: usize = 3_000;

/// Compiles that a value names.
const SHOWN: usize = 12;

/// Characters of a value in the table of notable settings.
const LONGEST_VALUE: usize = 120;

/// The artifact in which torch keeps the settings of AOTAutograd.
const FUNCTORCH: &str = "torch._functorch.config";

/// Kinds of configurations: the field of the metrics, its anchor, what it configures, and its module.
const KINDS: [(&str, &str, &str, &str); 4] = [
    ("dynamo_config", "dynamo", "Dynamo", "torch._dynamo.config"),
    ("inductor_config", "inductor", "Inductor", "torch._inductor.config"),
    ("functorch_config", "functorch", "AOTAutograd", "torch._functorch.config"),
    ("compiler_config", "compiler", "Compiler", "torch.compiler.config"),
];

/// A configuration with the compiles that had it: indices into the compiles.
struct Config {
    settings: Settings,
    compiles: Vec<CompileIndex>,
}

/// Configurations of one kind, the one of most compiles first.
struct Kind {
    kind: &'static str,
    id: &'static str,
    title: &'static str,
    module: &'static str,
    configs: Vec<Config>,
    /// Further ones that were not read.
    unread: usize,
}

/// The link to the page, where there is one.
pub(super) fn tab(report: Report<'_>) -> Option<Tab> {
    present(report).then(|| Tab::away("configuration.html", "Configuration", None))
}

/// Where the settings of a field of the metrics stand, seen from the top of the report.
pub(super) fn address(field: &str) -> Option<String> {
    let kind = KINDS.iter().find(|kind| kind.0 == field)?;
    Some(format!("configuration.html#{}", kind.1))
}

/// Settings of one configuration with one value of [`listed::OFF`], which the page counts.
pub(super) struct Off {
    /// What they configure: `Inductor`.
    pub of: &'static str,
    /// The anchor of its section.
    pub id: &'static str,
    /// `false` or `null`.
    pub value: &'static str,
    pub names: Vec<String>,
}

/// Settings that are off in the most used configuration of each kind.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn off(report: Report<'_>) -> anyhow::Result<Vec<Off>> {
    let mut all = Vec::new();
    for kind in kinds(report)? {
        let Some(config) = kind.configs.first() else { continue };
        for value in listed::OFF {
            let names = config.settings.iter().filter(|(_, of)| *of == value);
            let names = names.map(|(name, _)| name.clone()).take(listed::LISTED).collect();
            all.push(Off { of: kind.title, id: kind.id, value, names });
        }
    }
    Ok(all)
}

fn present(report: Report<'_>) -> bool {
    let model = report.model;
    model.configs.values().any(|config| KINDS.iter().any(|kind| kind.0 == config.field))
        || model.compiles.iter().any(|compile| {
            !compile.metrics.is_empty() || compile.artifacts.iter().any(|a| a.name == FUNCTORCH)
        })
}

pub(super) fn page<'m>(report: Report<'m>) -> Option<Page<'m, Worker>> {
    present(report).then(|| {
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
                verdict(out, &kinds, differs)?;
                view.open_section(
                    out,
                    ("versions", "Versions", "what wrote the log"),
                    None,
                    Html::default(),
                )?;
                writeln!(out, "{}</section>", view.facts(versions(view)?)?.as_str())?;
                differences(view, out, (&kinds, differs))?;
                notable(view, out, &kinds)?;
                kinds.iter().try_for_each(|kind| listed::write(view, out, kind))?;
                fields::write(view, out, &fields)
            })
        })
    })
}

impl Kind {
    fn differing(&self) -> Vec<crate::analysis::configs::Differing<'_>> {
        differing(&self.configs.iter().map(|config| &config.settings).collect::<Vec<_>>())
    }
}

/// Configurations by kind; kinds that the log has not are left out.
fn kinds(report: Report<'_>) -> anyhow::Result<Vec<Kind>> {
    let mut found = Vec::new();
    for (kind, id, title, module) in KINDS {
        let mut used = used(report, kind);
        used.sort_by_key(|(_, _, compiles)| std::cmp::Reverse(compiles.len()));
        let unread = used.len().saturating_sub(MOST_CONFIGS);
        let mut configs = Vec::new();
        for (_, text, compiles) in used.into_iter().take(MOST_CONFIGS) {
            let text = text.read(report, kind)?;
            let settings: Settings = match Fields::parse(&text) {
                Ok(fields) => {
                    fields.iter().map(|(name, value)| (name.to_owned(), value.get().to_owned())).collect()
                }
                Err(_) => continue,
            };
            configs.push(Config { settings, compiles });
        }
        if !configs.is_empty() {
            found.push(Kind { kind, id, title, module, configs, unread });
        }
    }
    Ok(found)
}

/// Where the text of a configuration stands.
enum Text<'m> {
    Metrics(&'m MetricsRecord),
    Payload(PayloadRef),
}

impl Text<'_> {
    fn read(&self, report: Report<'_>, kind: &str) -> anyhow::Result<String> {
        match self {
            Text::Metrics(record) => report.with_fields(record.header, record.first_line, |fields| {
                let raw = fields.raw(kind).map(|raw| raw.get().to_owned()).unwrap_or_default();
                fields.text(kind).unwrap_or(raw)
            }),
            Text::Payload(at) if at.text_len > LONGEST_CONFIG => Ok(String::new()),
            Text::Payload(at) => report.payload(at),
        }
    }
}

fn add<'m>(
    used: &mut IndexMap<Md5, (Text<'m>, Vec<CompileIndex>)>,
    md5: Md5,
    text: Text<'m>,
    compile: CompileIndex,
) {
    let (_, compiles) = used.entry(md5).or_insert((text, Vec::new()));
    if compiles.last() != Some(&compile) {
        compiles.push(compile);
    }
}

/// Each distinct configuration of a kind with the compiles that had it: from metrics, else from artifacts.
fn used<'m>(report: Report<'m>, kind: &str) -> Vec<(Md5, Text<'m>, Vec<CompileIndex>)> {
    let mut used: IndexMap<Md5, (Text<'m>, Vec<CompileIndex>)> = IndexMap::new();
    for (index, compile) in report.model.compiles.indexed() {
        for record in &compile.metrics {
            for (_, md5) in record.configs.iter().filter(|(field, _)| *field == kind) {
                add(&mut used, *md5, Text::Metrics(record), index);
            }
        }
    }
    if used.is_empty() && kind == "functorch_config" {
        for (index, compile) in report.model.compiles.indexed() {
            for artifact in compile.artifacts.iter().filter(|artifact| artifact.name == FUNCTORCH) {
                if let Content::Payload(at, _) = &artifact.content {
                    add(&mut used, at.md5, Text::Payload(*at), index);
                }
            }
        }
    }
    used.into_iter().map(|(md5, (text, compiles))| (md5, text, compiles)).collect()
}

fn verdict(out: &mut dyn Write, kinds: &[Kind], differs: usize) -> anyhow::Result<()> {
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
    let sentence = match kinds {
        [] => Html::escaped("The log holds no settings."),
        _ => Html::escaped(&format!("{differences}; {unusual}.")),
    };
    writeln!(out, "<div class=hero><h1>{}</h1></div>", sentence.as_str())?;
    Ok(())
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
    writeln!(out, "</section>")?;
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
            let usual = Html::escaped(notable.usual.unwrap_or(UNKNOWN));
            Html::joined([Html::wrapped("<b class=warn>", &text, "</b>, usually "), usual], "")
        });
        Ok(Row::of(vec![
            Td::text(of),
            Td::text(notable.name),
            Td::html(Html::joined(values, ", ")),
            Td::text(notable.about),
        ]))
    });
    view.whole_table(out, &table, rows)?;
    writeln!(out, "</section>")?;
    Ok(())
}
