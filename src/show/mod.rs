//! Shows parts of a finished report in a terminal: `report.json` -> the requested part -> lists or JSON.
//!
//! - [`select`] extracts the part from the `report.json` of a log, or of each rank of a job, with the lists of it that
//!   [`crate::report::lists`] define;
//! - [`rows`] writes the lists as CSV and as lines of JSON;
//! - [`files`] gives the texts of the files of compiles.

mod files;
mod rows;
mod select;
mod subject;

pub use crate::report::doc::terminal::Showing;
pub use files::ReportFile;
pub use subject::{ShownList, Subject};

use crate::facts::{self, Finding, JobReport, List, LogReport, PartReport, Rank, ReportKind};
use crate::hidden::visible_json;
use crate::model::words::most_similar;
use crate::report::doc::terminal::{self, Table};
use crate::report::lists;
use crate::report_folder::ReportFolder;
use anyhow::bail;
use select::select;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// The version of the JSON.
const SCHEMA: u64 = 1;

/// The requested part of a log, or of each rank of a job.
#[derive(Debug)]
pub struct Shown {
    subject: Subject,
    /// The part of the job's own report.
    job: Option<ShownReport>,
    logs: Vec<ShownReport>,
    /// What could have been asked for, where nothing was found in a log.
    names: Vec<String>,
}

/// The requested part of one report.
#[derive(Debug)]
struct ShownReport {
    /// `rank 3`; empty for a single log.
    name: String,
    tables: Vec<Table>,
    /// What a compile does not have, in one sentence.
    missing: Option<String>,
    /// Lists and objects as in `report.json`. They hold metrics records, JSON of the log with any fields.
    json: Value,
    /// Whether the report has what the subject names.
    is_found: bool,
}

/// What a job's own report says.
#[derive(Serialize)]
struct PartOfJob<'r> {
    ranks: &'r List<'r, Rank<'r>>,
    findings: &'r List<'r, Finding<'r>>,
}

/// All parts as JSON.
#[derive(Serialize)]
struct Parts<'s> {
    schema: u64,
    show: &'static str,
    name: Option<String>,
    job: Option<&'s Value>,
    logs: Vec<&'s Value>,
}

impl Shown {
    /// Reads the requested part from the report in a folder.
    ///
    /// # Errors
    /// There is no `report.json` that this version reads, or no such compile, function or rank.
    pub fn at(folder: &Path, subject: &Subject) -> anyhow::Result<Shown> {
        let read = Self::read(&ReportFolder::at(folder), subject);
        read.map_err(|error| anyhow::anyhow!("{} {error:#}", folder.display()))
    }

    fn read(folder: &ReportFolder, subject: &Subject) -> anyhow::Result<Shown> {
        let mut bytes = Vec::new();
        facts::load(folder, &mut bytes)?;
        let mut shown = Shown { subject: subject.clone(), job: None, logs: Vec::new(), names: Vec::new() };
        match facts::kind(&bytes)? {
            ReportKind::Job => shown.read_ranks(folder, &facts::job_report(&bytes)?)?,
            ReportKind::Several => bail!(facts::wants_one_of(&bytes)?),
            ReportKind::Log => {
                let report = facts::log_report(&bytes)?;
                if let Subject::Rank(rank) = subject
                    && report.log.rank != Some(*rank)
                {
                    bail!("is not the report of rank {rank}");
                }
                shown.add(String::new(), &report)?;
            }
        }
        if !shown.job.iter().chain(&shown.logs).any(|part| part.is_found) {
            let asked = subject.name().unwrap_or_default();
            let meant = most_similar(&asked, shown.names.iter().map(String::as_str));
            let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            bail!("has no {} {asked}{meant}", subject.word());
        }
        Ok(shown)
    }

    fn read_ranks(&mut self, folder: &ReportFolder, job: &JobReport<'_>) -> anyhow::Result<()> {
        if self.subject == Subject::Overview {
            let lists = [lists::ranks_of_facts(&job.ranks), lists::findings(job.findings.iter().collect())];
            let tables = lists.iter().map(Table::of).collect();
            let json = serde_json::to_value(PartOfJob { ranks: &job.ranks, findings: &job.findings })?;
            self.job = Some(ShownReport { name: String::new(), tables, missing: None, json, is_found: true });
            return Ok(());
        }
        let wanted = |rank: &u64| !matches!(self.subject, Subject::Rank(wanted) if wanted != *rank);
        let ranks = job.ranks.iter().map(|rank| rank.rank).filter(wanted).map(PartReport::of_rank);
        let ranks: Vec<PartReport> = ranks.collect();
        facts::each_report(folder, ranks, |rank, _, report| self.add(rank.name, report))
    }

    fn add(&mut self, name: String, report: &LogReport<'_>) -> anyhow::Result<()> {
        let mut selected = select(&name, &self.subject, report)?;
        let compiles = selected.json.get("compiles").and_then(Value::as_array);
        let is_found = compiles.is_none_or(|compiles| !compiles.is_empty());
        if !is_found && matches!(self.subject, Subject::Function(_)) {
            self.names.extend(
                report.named_compiles().map(|one| one.function.title.unwrap_or(one.function.name).to_owned()),
            );
        }
        let is_of_compiles = matches!(self.subject, Subject::Compile(_) | Subject::Function(_));
        let missing = if is_of_compiles { selected.take_missing() } else { None };
        let tables = selected.lists.iter().map(Table::of).collect();
        self.logs.push(ShownReport { name, tables, missing, json: selected.json.into(), is_found });
        Ok(())
    }

    /// The facts as JSON: `{"schema": 1, "show", "name", "job", "logs": [{"name", ..}]}`, lists and objects as in
    /// `report.json`.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn json(&self) -> anyhow::Result<String> {
        let parts = Parts {
            schema: SCHEMA,
            show: self.subject.word(),
            name: self.subject.name(),
            job: self.job.as_ref().map(|job| &job.json),
            logs: self.logs.iter().map(|log| &log.json).collect(),
        };
        Ok(format!("{}\n", visible_json(&serde_json::to_string_pretty(&parts)?)))
    }

    fn lists(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.job.iter().chain(&self.logs).map(|part| (part.name.as_str(), &part.json))
    }

    /// A line of JSON per item of the lists, with the keys of `report.json`, `list` and, in a job, `log`.
    #[must_use]
    pub fn jsonl(&self) -> String {
        rows::jsonl(self.lists())
    }

    /// A row of CSV per item of the first list, with columns named as in `report.json`.
    #[must_use]
    pub fn csv(&self) -> String {
        rows::csv(self.lists())
    }

    /// The facts as text.
    #[must_use]
    pub fn text(&self, showing: Showing) -> String {
        let mut text = String::new();
        for part in self.job.iter().chain(&self.logs) {
            if !part.name.is_empty() {
                text.push_str(&format!("== {}\n\n", part.name));
            }
            terminal::write(&mut text, &part.tables, showing);
            if let Some(missing) = &part.missing {
                text.push_str(&format!("{missing}\n\n"));
            }
        }
        text
    }
}
