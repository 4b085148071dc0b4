//! The input of all findings.

use crate::analysis::Chain;
use crate::analysis::OnDevice;
use crate::analysis::builds::Builds;
use crate::analysis::performance::Performance;
use crate::analysis::{Hit, OneOff, Split};
use crate::model::Model;

/// The input of all findings: the facts of a log, and what was already derived from them.
#[derive(Clone, Copy)]
pub struct Basis<'m> {
    /// The facts.
    pub model: &'m Model,
    /// The functions that were compiled again.
    pub chains: &'m [Chain<'m>],
    /// The costs of each graph break, in the model's order.
    pub breaks: &'m [Vec<Hit>],
    /// What a trace of torch.profiler shows.
    pub performance: Option<&'m Performance>,
    /// What was built.
    pub builds: &'m Builds,
    /// Compile time by part of the compiler.
    pub split: &'m Split,
    /// Work that is in a compile by chance.
    pub one_offs: &'m [OneOff],
    /// How compiled code runs on a device.
    pub on_device: &'m OnDevice,
}

#[cfg(test)]
impl<'m> Basis<'m> {
    /// The input of a log with nothing but its model.
    pub(super) fn of_model(model: &'m Model) -> Basis<'m> {
        let spans = crate::analysis::Spans::of(model);
        let one_offs = crate::analysis::one_offs::one_offs(&spans).leak();
        let builds = Box::leak(Box::new(Builds::new(&spans, one_offs)));
        let (on_device, split) = (Box::leak(Box::default()), Box::leak(Box::new(Split::of(&spans))));
        let breaks = crate::analysis::break_costs(model).leak();
        Basis { model, chains: &[], breaks, performance: None, builds, split, one_offs, on_device }
    }
}
