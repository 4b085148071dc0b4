//! How often torch compiles a function before it gives up.

use crate::model::{Compile, Fields};
use crate::report::Report;
use crate::trace::Md5;
use fxhash::FxHashMap;

/// torch's limit where the log has no configuration; the same since torch 2.0.
const USUAL: u64 = 8;

/// The limit by configuration of Dynamo.
pub(super) struct Limits(FxHashMap<Md5, u64>);

impl Limits {
    /// Reads the configurations of the log, each once.
    pub fn read(report: Report<'_>) -> anyhow::Result<Limits> {
        let mut limits = FxHashMap::default();
        for (md5, config) in report.model.configs.iter().filter(|(_, config)| config.field == "dynamo_config")
        {
            let text =
                report.with_fields(config.header, config.first_line, |fields| fields.text(config.field))?;
            let text = text.unwrap_or_default();
            let fields = Fields::parse(&text).unwrap_or_default();
            // Its name until torch 2.5.
            if let Some(limit) = fields.count("recompile_limit").or_else(|| fields.count("cache_size_limit"))
            {
                limits.insert(*md5, limit.max(1));
            }
        }
        Ok(Limits(limits))
    }

    /// The limit that held for these compiles, the last of them first.
    pub fn of(&self, compiles: &[&Compile]) -> u64 {
        let configs = compiles.iter().rev().flat_map(|c| c.metrics.iter().rev()).flat_map(|m| &m.configs);
        let mut configs = configs.filter(|(field, _)| *field == "dynamo_config");
        configs.find_map(|(_, md5)| self.0.get(md5)).copied().unwrap_or(USUAL)
    }
}
