//! The two sides of a difference, and what sentences about it have in common.

use super::found::JobFound;
use super::groups::{Comparison, First, Group, shared_difference};
use super::names::{in_brackets, short};
use super::schedules::Sureness;
use super::words::rank_words;
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::facts::ranks::{Aspect, CodePlace, GraphId, Job, Step, TextId, Texts};
use crate::limits::NAMED;
use crate::model::sentence::{code, compile_id, own, sentence};
use crate::model::{Sentence, SentencePart};

/// The two sides of a difference: the largest group and the first group that differs from it.
pub(super) struct Sides<'j> {
    pub job: &'j Job,
    /// All comparisons.
    pub found: &'j JobFound,
    pub first: &'j First,
    /// The largest group.
    pub most: &'j Group,
    /// The group that differs from it.
    pub other: &'j Group,
    groups: usize,
    /// What the largest group has there.
    pub mine: Option<Step>,
    /// What the other group has there.
    pub theirs: Option<Step>,
}

/// Something that one group does and the other does not do at all.
pub(super) struct Extra<'j> {
    pub doing: &'j Group,
    pub lacking: &'j Group,
    pub step: Step,
}

impl<'j> Sides<'j> {
    pub fn new(job: &'j Job, found: &'j JobFound, comparison: &'j Comparison) -> Option<Sides<'j>> {
        let first = comparison.first.as_ref()?;
        if comparison.aspect.is_by_graph() {
            return Sides::of_shared_graph(job, found, comparison, first);
        }
        let mine = *first.by_group.first()?;
        let value = |step: &Option<Step>| step.and_then(|step| step.value);
        let at = first.by_group.iter().position(|step| value(step) != value(&mine))?;
        let theirs = *first.by_group.get(at)?;
        let (most, other) = (comparison.groups.first()?, comparison.groups.get(at)?);
        Some(Sides { job, found, first, most, other, groups: comparison.groups.len(), mine, theirs })
    }

    /// The same for facts by graph: a graph that only one side compiles says nothing about the other side.
    fn of_shared_graph(
        job: &'j Job,
        found: &'j JobFound,
        comparison: &'j Comparison,
        first: &'j First,
    ) -> Option<Sides<'j>> {
        let (most, others) = comparison.groups.split_first()?;
        let differing = others
            .iter()
            .filter_map(|other| Some((other, shared_difference(job, comparison.aspect, most, other)?)));
        let (other, at) = differing.min_by_key(|(_, at)| at.one)?;
        let (mine, theirs) = (most.steps.get(at.one).copied(), other.steps.get(at.other).copied());
        Some(Sides { job, found, first, most, other, groups: comparison.groups.len(), mine, theirs })
    }

    pub fn texts(&self) -> &'j Texts {
        &self.job.texts
    }

    /// The fact in words, its beginning where it is long.
    pub fn text(&self, step: Option<Step>) -> Option<String> {
        Some(short(&self.job.value(&step?)?).to_owned())
    }

    /// The compile that a step belongs to.
    pub fn id(&self, step: Option<Step>) -> Option<&'j str> {
        self.texts().maybe(step?.compile)
    }

    /// The same, or a dash.
    pub fn id_or_dash(&self, step: Option<Step>) -> SentencePart {
        compile_id(self.id(step).unwrap_or("–"))
    }

    /// The compile that a step belongs to, with its function.
    pub fn compile(&self, step: Option<Step>) -> Sentence {
        let graph = step.and_then(|step| step.graph);
        sentence![self.id_or_dash(step), in_brackets(self.texts(), graph)]
    }

    /// The ranks of a group in words.
    pub fn who(&self, group: &Group) -> SentencePart {
        let count = group.ranks.len();
        own(match self.groups {
            _ if count <= NAMED || group.ranks != self.most.ranks => rank_words(self.job, &group.ranks),
            2 => format!("the other {count} ranks"),
            _ => format!("most ranks ({count})"),
        })
    }

    /// What one group does and the other does not do at all; the smaller group's step if both have one.
    pub fn extra(&self) -> Option<Extra<'j>> {
        let lacks = |group: &Group, step: &Step| group.steps.iter().all(|own| own.value != step.value);
        let theirs = self.theirs.filter(|step| lacks(self.most, step));
        let mine = self.mine.filter(|step| lacks(self.other, step));
        match (theirs, mine) {
            (Some(step), _) => Some(Extra { doing: self.other, lacking: self.most, step }),
            (None, Some(step)) => Some(Extra { doing: self.most, lacking: self.other, step }),
            (None, None) => None,
        }
    }

    /// `rank 1 has x, ranks 2 and 3 have y`
    pub fn plainly(&self, of_one: &'static str, of_many: &'static str) -> Sentence {
        self.both(|group, step| {
            let what = self.text(step).map(code).unwrap_or_else(|| SentencePart::Own("nothing more".into()));
            sentence![self.who(group), " ", verb(group, of_one, of_many), " ", what]
        })
    }

    /// A sentence about both sides: `side` words one group of ranks, given what it has where they first differ.
    pub fn both(&self, side: impl Fn(&Group, Option<Step>) -> Sentence) -> Sentence {
        sentence![side(self.other, self.theirs), ", ", side(self.most, self.mine)]
    }

    /// The finding about the difference.
    pub fn finding(&self, kind: KindOfFinding, severity: Severity, title: Sentence) -> Finding {
        let mut finding = Finding::new(kind, severity, title).with_ranks(self.other.ranks.clone());
        set_compiles(self.job, &mut finding, [self.theirs, self.mine].map(|step| step?.compile));
        finding
    }

    /// The same for a difference after which ranks may call other collectives; whether they do is a finding of its own.
    pub fn diverging(&self, kind: KindOfFinding, severity: Severity, title: Sentence) -> Finding {
        let schedules = &self.found.schedules;
        let case = match schedules.differences.first().map(|first| first.sureness) {
            Some(Sureness::Hang) => "then_hang",
            Some(Sureness::OtherVersion | Sureness::OneSided) => "then_may_hang",
            Some(Sureness::OtherGroups) => "then_other_groups",
            None if schedules.are_known => "then_no_hang",
            None => "then_unknown",
        };
        let mut finding = self.finding(kind, severity, title);
        // Whatever differs, ranks compile other things from there on.
        finding.advise_all(KindOfFinding::CompileIdsDiffer.advice(case, &[]));
        finding
    }

    /// Whether the ranks with these compiles schedule a collective in them.
    pub fn has_collective(&self, graph: Option<GraphId>) -> bool {
        let mut scheduled = self.job.ranks.iter().flat_map(|rank| rank.steps(Aspect::Collectives));
        scheduled.any(|step| graph.is_some() && step.graph == graph)
    }

    /// How many further groups there are, in words.
    pub fn further(&self) -> Option<String> {
        let more = self.groups.saturating_sub(2);
        (more > 0).then(|| format!("{} different lists in all.", more + 2))
    }

    /// Sets the place in the user's program.
    pub fn place(&self, finding: &mut Finding, place: Option<CodePlace>) {
        set_place(self.job, finding, place);
    }
}

/// Says which compiles a finding is about.
pub(super) fn set_compiles<const N: usize>(job: &Job, finding: &mut Finding, compiles: [Option<TextId>; N]) {
    let ids = compiles.into_iter().filter_map(|id| job.texts.maybe(id).map(str::to_owned));
    finding.in_job.compile_ids = ids.collect();
    finding.in_job.compile_ids.dedup();
}

/// Says which line of the user's program a finding is about, where it is known.
pub(super) fn set_place(job: &Job, finding: &mut Finding, place: Option<CodePlace>) {
    let line = place.and_then(|place| u64::try_from(place.line?).ok());
    if let (Some(place), Some(line)) = (place, line) {
        finding.place.file = Some(job.texts.get(place.file).to_owned());
        finding.place.line = Some(line);
    }
}

/// ` does not`, of one rank or of several.
pub(super) fn does_not(group: &Group) -> &'static str {
    verb(group, " does not", " do not")
}

/// The verb that fits a group.
pub(super) fn verb(group: &Group, of_one: &'static str, of_many: &'static str) -> &'static str {
    if group.ranks.len() == 1 { of_one } else { of_many }
}
