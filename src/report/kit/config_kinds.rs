//! The settings of a log, by module.

use crate::analysis::configs::{Differing, Settings, differing};
use crate::model::CompileIndex;

/// A configuration with the compiles that had it: indices into the compiles.
pub(crate) struct Config {
    pub settings: Settings,
    pub compiles: Vec<CompileIndex>,
}

/// Configurations of one kind, most used first.
pub(crate) struct Kind {
    pub kind: &'static str,
    pub id: &'static str,
    pub title: &'static str,
    pub module: &'static str,
    pub configs: Vec<Config>,
    /// Number of configurations that were not read.
    pub unread: usize,
}

impl Kind {
    /// The settings that differ between its configurations.
    pub fn differing(&self) -> Vec<Differing<'_>> {
        differing(&self.configs.iter().map(|config| &config.settings).collect::<Vec<_>>())
    }
}
