//! The parts of the compiler, and the time that each took.

use super::words::worded;

worded! {
    /// A part of the compiler. Each of the first four contains the next, and the fourth contains building and tuning kernels.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CompilerPart.name {
        /// Traces Python into graphs.
        Dynamo = "Dynamo",
        /// Splits forward and backward.
        AotAutograd = "AOTAutograd",
        /// Rewrites graphs.
        Inductor = "Inductor",
        /// Writes kernels and the code that calls them.
        CodeGeneration = "Code generation",
        KernelBuilds = "Kernel builds",
        /// Chooses configurations of kernels.
        Autotuning = "Autotuning",
    }
}

impl CompilerPart {
    /// The same within a sentence, where only names of programs keep their capital letters.
    pub fn in_a_sentence(self) -> &'static str {
        match self {
            CompilerPart::CodeGeneration => "code generation",
            CompilerPart::KernelBuilds => "kernel builds",
            CompilerPart::Autotuning => "autotuning",
            name => name.name(),
        }
    }

    /// The part of that name; None for time that belongs to no part, and for names that this version does not know.
    pub fn named(name: Option<&str>) -> Option<CompilerPart> {
        CompilerPart::ALL.into_iter().find(|part| name == Some(part.name()))
    }
}

/// Time spent in each part itself: microseconds, or seconds where a comparison says so.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Parts([f64; CompilerPart::ALL.len()]);

impl Parts {
    pub fn time_in(&self, part: CompilerPart) -> f64 {
        self.0.get(part as usize).copied().unwrap_or_default()
    }

    pub fn add(&mut self, part: CompilerPart, time: f64) {
        if let Some(sum) = self.0.get_mut(part as usize) {
            *sum += time;
        }
    }

    /// Each part with its time, in the order of all pages.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (CompilerPart, f64)> + use<> {
        CompilerPart::ALL.into_iter().zip(self.0)
    }

    /// The same without the parts that took no time.
    pub fn timed(&self) -> impl Iterator<Item = (CompilerPart, f64)> + use<> {
        self.iter().filter(|(_, time)| *time > 0.0)
    }

    /// The sum, part by part.
    pub fn plus(self, other: Parts) -> Parts {
        other.iter().fold(self, |mut sum, (part, time)| {
            sum.add(part, time);
            sum
        })
    }

    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The part with the most time; None if no time is known.
    pub fn most(&self) -> Option<(CompilerPart, f64)> {
        self.timed().max_by(|one, other| one.1.total_cmp(&other.1))
    }
}
