//! The keys of a job's `report.json` that a comparison and a check need, borrowed from the text.

use super::log::Finding;
use super::text::Text;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `report.json` of a job.
#[derive(Deserialize)]
pub(crate) struct JobReport<'a> {
    #[serde(borrow)]
    pub ranks: Vec<Rank<'a>>,
    #[serde(borrow)]
    pub divergence: BTreeMap<Text<'a>, Option<Divergence>>,
    #[serde(borrow)]
    pub findings: Vec<Finding<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Rank<'a> {
    pub rank: u64,
    #[serde(borrow)]
    pub state: Text<'a>,
    #[serde(default)]
    pub processes: Vec<Process>,
}

/// A further process of a rank.
#[derive(Deserialize)]
pub(crate) struct Process {
    pub pid: u64,
}

#[derive(Deserialize)]
pub(crate) struct Divergence {
    pub differs: bool,
}
