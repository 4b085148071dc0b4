//! Ranks that run different versions of torch.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words::ranks;
use crate::model::sentence::{name, sentence};
use crate::model::{Job, NameOf, Sentence};

const KIND: JobKind = JobKind::new("torch_differs", "Versions");

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    if found.fleet.torch.len() < 2 {
        return Vec::new();
    }
    let sides = found.fleet.torch.iter().map(|group| {
        let version = job.texts.maybe(group.version).unwrap_or("an unknown version");
        sentence![name(NameOf::Torch, version), " on ", ranks(job, &group.ranks)]
    });
    let title = sentence!["ranks run different versions of torch: ", Sentence::list(sides.collect())];
    vec![JobFinding::new(KIND, Severity::Warning, title)]
}
