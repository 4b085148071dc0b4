//! Shows parts of a finished report in a terminal: `report.json` -> the requested part -> tables or JSON.
//!
//! - [`select`] extracts the part from the `report.json` of a log, or of each rank of a job;
//! - [`tables`] has the columns of each list in that file;
//! - [`layout`] formats tables to fit the terminal.

mod layout;
mod select;
mod subject;
mod tables;

pub use layout::Showing;
pub use subject::Subject;

use crate::facts::{self, ReportKind};
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The version of the JSON.
const SCHEMA: u64 = 1;

/// The requested part of a log, or of each rank of a job.
#[derive(Debug)]
pub struct Shown {
    subject: Subject,
    /// The part of the job's own report.
    job: Option<Value>,
    logs: Vec<ShownLog>,
}

/// The requested part of one log.
#[derive(Debug)]
struct ShownLog {
    /// `rank 3`; empty for a log alone.
    name: String,
    /// Lists and objects as in `report.json`, by key.
    facts: Map<String, Value>,
}

impl Shown {
    /// Reads the requested part from the report in a folder.
    ///
    /// # Errors
    /// There is no `report.json` that this version reads, or no such compile, function or rank.
    pub fn of(folder: &Path, subject: &Subject) -> anyhow::Result<Shown> {
        let read = Self::read(folder, subject);
        read.map_err(|error| anyhow::anyhow!("{} {error:#}", folder.display()))
    }

    fn read(folder: &Path, subject: &Subject) -> anyhow::Result<Shown> {
        let mut bytes = Vec::new();
        facts::load(folder, &mut bytes)?;
        let report: Value = serde_json::from_slice(&bytes).context("has a report.json that is no JSON")?;
        let mut shown = Shown { subject: subject.clone(), job: None, logs: Vec::new() };
        match facts::kind(&bytes)? {
            ReportKind::Job => shown.read_ranks(folder, &report)?,
            ReportKind::Several => bail!(facts::wants_one_of(&bytes)?),
            ReportKind::Log => {
                if let Subject::Rank(rank) = subject
                    && report["log"]["rank"] != *rank
                {
                    bail!("is not the report of rank {rank}");
                }
                shown.add(String::new(), &report);
            }
        }
        if shown.job.is_none() && !shown.logs.iter().any(|log| select::has_named(&log.facts)) {
            bail!("has no {} {}", subject.word(), subject.name().unwrap_or_default());
        }
        Ok(shown)
    }

    fn read_ranks(&mut self, folder: &Path, job: &Value) -> anyhow::Result<()> {
        let ranks = job["ranks"].as_array().map(Vec::as_slice).unwrap_or_default();
        if self.subject == Subject::Overview {
            self.job = Some(json!({ "ranks": ranks, "findings": job["findings"] }));
            return Ok(());
        }
        let mut bytes = Vec::new();
        for rank in ranks.iter().filter_map(|rank| rank["rank"].as_u64()) {
            if matches!(self.subject, Subject::Rank(wanted) if wanted != rank) {
                continue;
            }
            let below = folder.join(format!("rank_{rank}"));
            // A rank whose log could not be read has no report: the job's findings say so.
            if below.join(facts::FILE).is_file() {
                let of_rank = || format!("has a rank {rank} that cannot be read");
                facts::load(&below, &mut bytes).with_context(of_rank)?;
                self.add(format!("rank {rank}"), &serde_json::from_slice(&bytes).with_context(of_rank)?);
            }
        }
        Ok(())
    }

    fn add(&mut self, name: String, report: &Value) {
        self.logs.push(ShownLog { name, facts: select::facts(&self.subject, report) });
    }

    /// The facts as JSON: `{"schema": 1, "show", "name", "job", "logs": [{"name", ..}]}`, lists and objects as in
    /// `report.json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let logs = self.logs.iter().map(|log| {
            let mut facts = Map::new();
            facts.insert("name".to_owned(), log.name.as_str().into());
            facts.extend(log.facts.clone());
            Value::Object(facts)
        });
        json!({
            "schema": SCHEMA,
            "show": self.subject.word(),
            "name": self.subject.name(),
            "job": self.job,
            "logs": logs.collect::<Vec<_>>(),
        })
    }

    /// The facts as text.
    #[must_use]
    pub fn text(&self, showing: Showing) -> String {
        let mut text = String::new();
        let job = self.job.iter().filter_map(Value::as_object);
        for facts in job {
            layout::write(&mut text, &tables::of(facts), showing);
        }
        for log in &self.logs {
            if !log.name.is_empty() {
                text.push_str(&format!("== {}\n\n", log.name));
            }
            layout::write(&mut text, &tables::of(&log.facts), showing);
        }
        text
    }
}
