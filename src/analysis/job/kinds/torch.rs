//! Ranks that run different versions of torch.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words::{list_of, rank_words};
use crate::model::Job;

const KIND: JobKind = JobKind::new("torch_differs", "Versions");

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    if found.fleet.torch.len() < 2 {
        return Vec::new();
    }
    let sides = found.fleet.torch.iter().map(|group| {
        let version = job.texts.maybe(group.version).unwrap_or("an unknown version");
        format!("{version} on {}", rank_words(job, &group.ranks))
    });
    let title = format!("ranks run different versions of torch: {}", list_of(&sides.collect::<Vec<_>>()));
    vec![JobFinding::new(KIND, Severity::Warning, title)]
}
