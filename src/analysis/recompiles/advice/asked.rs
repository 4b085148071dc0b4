//! What the log says about a change, for the rules.

use super::super::cause::{is_another_module, is_one_call_site};
use super::super::change::Change;
use super::super::kind::ChangeKind;
use super::super::limit::{Limit, is_limit, unrecorded};
use super::super::proof::Verdict;
use super::super::words::{compiles_become, line_of};
use super::facts::Fact;
use super::layouts::{Layout, has_one_shape, layouts};
use super::literals::Likeness;
use super::numbers::{CapturedNumber, takes_tensor};
use super::situation::Situation;
use crate::analysis::findings::{Facts, Text, Told};
use crate::analysis::own_code::is_library;
use crate::analysis::pattern::Groups;
use crate::analysis::torch_version::TorchVersion;
use crate::analysis::user_place::{UserPlace, own_frame};
use crate::model::words::file_name;
use crate::model::{CompileIndex, Model, Specialization};
use std::cell::OnceCell;

/// What rules may ask about a change.
pub(super) struct Asked<'s> {
    pub at: Situation<'s>,
    /// What the guards of its versions prove about sizes.
    pub verdict: Option<&'s Verdict>,
    /// What made a dynamic number a constant.
    pub fixed: Option<&'s Specialization>,
    /// What guards and graphs show, where it is a number.
    pub number: OnceCell<Option<CapturedNumber<'s>>>,
}

impl<'s> Asked<'s> {
    /// What rules read of it.
    pub fn told(&self) -> Told<'_> {
        let change = self.change();
        let subject = self.at.subject;
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let codes = self.at.reasons().filter_map(|reason| reason.source.as_ref()).map(|source| &*source.code);
        let fixed = self.fixed_at();
        let texts = [
            (Text::Source, text(subject.source())),
            (Text::Values, subject.values().join("\n")),
            (Text::Condition, text(change.and_then(|change| change.condition.as_deref()))),
            (Text::Code, codes.collect::<Vec<_>>().join("\n")),
            (Text::Failure, self.exception_at_limit().unwrap_or_default()),
            (Text::Fixed, text(fixed.as_ref().and_then(|place| place.loc.as_deref()))),
        ];
        let mut names = self.names();
        names.extend(fixed.as_ref().map(|place| ("line", line_of(place))));
        Told {
            kind: subject.kind,
            texts: texts.into(),
            facts: Some(self),
            names,
            torch: TorchVersion::of(self.at.model),
            ..Told::default()
        }
    }

    /// What texts may name.
    fn names(&self) -> Groups {
        let subject = self.at.subject;
        let mut names = self.verdict.map(|verdict| verdict.names.clone()).unwrap_or_default();
        if let Some(source) = subject.source() {
            let attribute = source.rsplit_once('.').map_or("", |(_, last)| last);
            names.extend([
                ("source", format!("`{source}`")),
                ("variable", source.to_owned()),
                ("attribute", attribute.to_owned()),
                ("inputs", format!("`{}`", source.replace(", ", "` and `"))),
            ]);
            let is_counted = subject.changes.iter().any(|change| change.is_own_effect);
            names.extend(is_counted.then(|| ("counted", format!("`{source}`"))));
        }
        names.extend(subject.name.iter().map(|name| ("subject", format!("`{name}`"))));
        let dimension = self.change().and_then(|change| change.dimension);
        names.extend(dimension.map(|dimension| ("dimension", dimension.to_string())));
        names.insert("backends", (subject.changes.len() + 1).to_string());
        names.extend(self.threads().map(|threads| ("threads", threads)));
        let branch = self.at.reasons().next().and_then(|reason| reason.source.as_ref());
        names.extend(branch.map(|source| {
            ("branch", format!("{}:{}, `{}`", file_name(&source.file), source.line, source.code.trim()))
        }));
        let one_left = self.alone_becomes(1).filter(|_| has_one_shape(&self.at));
        names.extend(one_left.map(|promise| ("one_left", promise)));
        names.extend(self.alone_becomes(2).map(|promise| ("two_left", promise)));
        names
    }

    fn change(&self) -> Option<&Change> {
        self.at.subject.changes.first().copied()
    }

    /// What becomes of the compiles if this is the only thing that changed and nothing broke, so that one change of the
    /// program leaves `after` of them.
    fn alone_becomes(&self, after: usize) -> Option<String> {
        let mut changes = self.at.chain.steps.iter().filter_map(|step| step.change.as_ref());
        let before = self.at.chain.versions;
        let is_promised = before > after && self.at.model.graph_breaks.is_empty();
        (is_promised && changes.all(|change| self.at.subject.is_of(change)))
            .then(|| compiles_become(before, after))
    }

    /// The line that made a number a constant. Where torch's own code fixes it, the user's line is the one that the guard
    /// names.
    fn fixed_at(&self) -> Option<UserPlace> {
        let place = UserPlace::of_specialization(self.at.model, self.fixed?);
        let is_own = place.file.as_deref().is_some_and(|file| !is_library(file));
        let mut frames = self.at.reasons().filter_map(|reason| own_frame(&reason.user_stack));
        Some(frames.next().filter(|_| !is_own).map_or(place, UserPlace::of_frame))
    }

    /// The exception that is raised at the limit of versions.
    fn exception_at_limit(&self) -> Option<String> {
        let model = self.at.model;
        let of_chain =
            |compile: &CompileIndex| self.at.chain.steps.iter().any(|step| step.compile == *compile);
        let mut failures =
            model.failures.iter().filter(|one| self.at.chain.limit == Limit::Raises && is_limit(one));
        let failure = failures.find(|failure| model.by_id.get(&failure.compile).is_some_and(of_chain));
        Some(failure?.reason.as_deref()?.replace("one_graph=True", "fullgraph=True"))
    }

    /// The threads that recorded the recompiles, where they differ.
    fn threads(&self) -> Option<String> {
        let mut threads: Vec<u64> = self.at.chain.steps.iter().filter_map(|step| step.writer).collect();
        threads.sort_unstable();
        threads.dedup();
        let ids: Vec<String> = threads.iter().map(u64::to_string).collect();
        (ids.len() > 1).then(|| format!(" (here {})", ids.join(", ")))
    }

    /// Whether a container had more items in each version than in the one before.
    fn grows(&self) -> bool {
        let values = self.at.subject.values();
        let values: Vec<u64> = values.iter().filter_map(|value| value.parse().ok()).collect();
        values.len() > 2 && values.is_sorted_by(|one, next| one < next)
    }

    fn number(&self) -> Option<&CapturedNumber<'s>> {
        self.number.get_or_init(|| CapturedNumber::find(&self.at)).as_ref()
    }
}

impl Facts for Asked<'_> {
    fn holds(&self, fact: Fact) -> bool {
        let (model, chain, subject) = (self.at.model, self.at.chain, self.at.subject);
        let kind = subject.kind;
        let change = |is: fn(&Change) -> bool| self.change().is_some_and(is);
        let number = |is: fn(&CapturedNumber<'_>) -> bool| self.number().is_some_and(|number| is(number));
        let is_state = kind.is_some_and(ChangeKind::is_state);
        match fact {
            Fact::Unknown => kind.is_none(),
            Fact::Unrecorded => unrecorded(model).is_some(),
            Fact::GuardsUnknown => are_guards_unknown(model),
            Fact::DynamicFalse => chain
                .steps
                .iter()
                .any(|step| self.at.texts.settings(step.compile).automatic_dynamic_shapes == Some(false)),
            Fact::LimitHit => chain.limit_hit(),
            Fact::Expected => subject.expected,
            Fact::ChangedOnce => subject.changes.len() < 2,
            Fact::Dynamic => subject.became_dynamic(),
            Fact::Fixed => self.fixed.is_some(),
            Fact::FixedByLibrary => {
                self.fixed_at().and_then(|place| place.file).is_some_and(|file| is_library(&file))
            }
            Fact::SetsItself => !is_state && change(|change| change.is_own_effect),
            Fact::FillsItself => is_state && change(|change| change.is_own_effect),
            Fact::AnotherModule => {
                let first = chain.steps.first().map(|step| step.compile).zip(self.change());
                first.is_some_and(|(compile, change)| is_another_module(model, compile, change))
            }
            Fact::OfParameter => change(|change| change.of_parameter),
            Fact::Grows => self.grows(),
            Fact::OneCallSite => self.at.steps().any(|step| is_one_call_site(model, step)),
            Fact::TakesTensor => takes_tensor(&self.at),
            Fact::Global => number(|number| number.is_global()),
            Fact::OfModule => number(|number| number.is_integer_of_module()),
            Fact::FloatBySetting => self.number().is_some_and(|number| number.is_float_by_setting(&self.at)),
            Fact::GraphsAlike => number(|number| number.likeness != Likeness::Other),
            Fact::GraphsEqual => number(|number| number.is_unused),
            Fact::GraphsDifferInIt => number(|number| number.likeness == Likeness::Direct),
            Fact::SomeGraphsDifferInIt => number(|number| number.some_direct),
            Fact::ChannelsLast => layouts(&self.at).contains(&Layout::ChannelsLast),
            Fact::PartOfTensor => layouts(&self.at).contains(&Layout::Part),
            Fact::Permuted => layouts(&self.at).contains(&Layout::Permuted),
            _ => self.verdict.is_some_and(|verdict| verdict.fact == fact),
        }
    }
}

/// Whether the log was made of console output that does not show guards.
fn are_guards_unknown(model: &Model) -> bool {
    model.log.console.as_ref().is_some_and(|shown| shown.iter().all(|name| name != "guards"))
}
