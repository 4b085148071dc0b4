//! Ranks that run different versions of torch.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words::ranks;
use crate::model::sentence::{name, sentence};
use crate::model::{Job, NameOf, Sentence};

static KIND: KindOfFinding = KindOfFinding::of("torch_differs", "Versions");

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    if found.fleet.torch.len() < 2 {
        return Vec::new();
    }
    let sides = found.fleet.torch.iter().map(|group| {
        let version = job.texts.maybe(group.version).unwrap_or("an unknown version");
        sentence![name(NameOf::Torch, version), " on ", ranks(job, &group.ranks)]
    });
    let title = sentence!["ranks run different versions of torch: ", Sentence::list(sides.collect())];
    vec![Finding::new(&KIND, Severity::Warning, title)]
}
