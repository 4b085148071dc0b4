//! The settings in a log: configurations of torch's modules, from metrics records and artifacts.

use crate::analysis::configs::Settings;
use crate::limits::{LARGEST_TEXT, TRIED};
use crate::model::{CONFIG_FIELDS, CompileIndex, Content, Fields, MetricsRecord};
use crate::report::kit::config_kinds::{Config, Kind};
use crate::report::kit::log_text::RecordFields;
use crate::report::subject::Report;
use crate::trace::{Md5, PayloadRef};
use indexmap::IndexMap;

/// The artifact with the settings of AOTAutograd.
const FUNCTORCH: &str = "torch._functorch.config";

/// Kinds of configurations: the field of the metrics, its anchor, what it configures, and its module.
pub(crate) const KINDS: [(&str, &str, &str, &str); 4] = [
    ("dynamo_config", "dynamo", "Dynamo", "torch._dynamo.config"),
    ("inductor_config", "inductor", "Inductor", "torch._inductor.config"),
    ("functorch_config", "functorch", "AOTAutograd", "torch._functorch.config"),
    ("compiler_config", "compiler", "Compiler", "torch.compiler.config"),
];

/// Link to the settings in a metrics field, relative to the report's top.
pub(crate) fn address(field: &str) -> Option<String> {
    let kind = KINDS.iter().find(|kind| kind.0 == field)?;
    Some(format!("configuration.html#{}", kind.1))
}

pub(crate) fn present(report: Report<'_>) -> bool {
    let model = report.model;
    model.configs.values().any(|config| KINDS.iter().any(|kind| kind.0 == config.field))
        || model.compiles.iter().any(|compile| {
            !compile.metrics.is_empty() || compile.artifacts.iter().any(|a| &*a.name == FUNCTORCH)
        })
}

/// Configurations by kind, without kinds that the log does not have.
pub(crate) fn kinds(report: Report<'_>) -> anyhow::Result<&[Kind]> {
    let settings = &report.cached.settings;
    match settings.get() {
        Some(kinds) => Ok(kinds),
        None => {
            let kinds = read_kinds(report)?;
            Ok(settings.get_or_init(|| kinds))
        }
    }
}

fn read_kinds(report: Report<'_>) -> anyhow::Result<Vec<Kind>> {
    let mut records = RecordFields::new(report, &CONFIG_FIELDS);
    let mut found = Vec::new();
    for (kind, id, title, module) in KINDS {
        let mut used = used(report, kind);
        used.sort_by_key(|(_, _, compiles)| std::cmp::Reverse(compiles.len()));
        let unread = used.len().saturating_sub(TRIED);
        let mut configs = Vec::new();
        for (_, text, compiles) in used.into_iter().take(TRIED) {
            let text = text.read(report, &mut records, kind)?;
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

/// Where the text of a configuration is stored.
enum SettingText<'m> {
    Metrics(&'m MetricsRecord),
    Payload(PayloadRef),
}

impl SettingText<'_> {
    fn read(&self, report: Report<'_>, records: &mut RecordFields<'_>, kind: &str) -> anyhow::Result<String> {
        match self {
            SettingText::Metrics(record) => {
                let json = records.json(record.header, kind)?.unwrap_or_default();
                Ok(serde_json::from_str(json).unwrap_or_else(|_| json.to_owned()))
            }
            SettingText::Payload(at) if at.text_len > LARGEST_TEXT => Ok(String::new()),
            SettingText::Payload(at) => report.payload(at),
        }
    }
}

fn add<'m>(
    used: &mut IndexMap<Md5, (SettingText<'m>, Vec<CompileIndex>)>,
    md5: Md5,
    text: SettingText<'m>,
    compile: CompileIndex,
) {
    let (_, compiles) = used.entry(md5).or_insert((text, Vec::new()));
    if compiles.last() != Some(&compile) {
        compiles.push(compile);
    }
}

/// Each distinct configuration of a kind with its compiles: from metrics, else from artifacts.
fn used<'m>(report: Report<'m>, kind: &str) -> Vec<(Md5, SettingText<'m>, Vec<CompileIndex>)> {
    let mut used: IndexMap<Md5, (SettingText<'m>, Vec<CompileIndex>)> = IndexMap::new();
    for (index, compile) in report.model.compiles.indexed() {
        for record in &compile.metrics {
            for (_, md5) in record.configs.iter().filter(|(field, _)| *field == kind) {
                add(&mut used, *md5, SettingText::Metrics(record), index);
            }
        }
    }
    if used.is_empty() && kind == "functorch_config" {
        for (index, compile) in report.model.compiles.indexed() {
            for artifact in compile.artifacts.iter().filter(|artifact| &*artifact.name == FUNCTORCH) {
                if let Content::Payload(at, _) = &artifact.content {
                    add(&mut used, at.md5, SettingText::Payload(*at), index);
                }
            }
        }
    }
    used.into_iter().map(|(md5, (text, compiles))| (md5, text, compiles)).collect()
}

/// Values of settings that are off. Some 450 of 865 settings of torch 2.15 have one of them; they are counted instead
/// of named, as their names took half of the page.
pub(crate) const OFF: [&str; 2] = ["false", "null"];
