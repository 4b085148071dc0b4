//! Autotuning: what it took and what it chose.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::analysis::builds::BuildsOf;
use crate::analysis::run_time::at_run_time;
use crate::limits::LIST;
use crate::model::sentence::{count, sentence};
use crate::model::words::duration;
use crate::model::{CompileIndex, Model, SentencePart, TemplateChoice, TritonKernel};
use fxhash::FxHashMap;

/// Microseconds from which it is reported.
const LEAST_US: f64 = 1e5;

/// Time of tuning in one compile.
struct Tuned {
    compile: CompileIndex,
    us: f64,
}

/// One finding where tuning took a tenth of a second or more.
pub(super) fn of_log(Basis { model, builds, .. }: Basis<'_>) -> Vec<Finding> {
    let tuned = tuned(model, &builds.tuning);
    let us: f64 = tuned.iter().map(|one| one.us).sum();
    if us < LEAST_US {
        return Vec::new();
    }
    let compiles = count(tuned.len(), "compile", "compiles");
    let title = sentence!["Autotuning took ", SentencePart::Duration(us), " in ", compiles];
    let mut found = Finding::new(KindOfFinding::Autotuning, Severity::Info, title);
    let compiles = || tuned.iter().filter_map(|one| model.compiles.get(one.compile));
    let of_templates = || compiles().flat_map(|compile| &compile.template_choices);
    let longest = of_templates().max_by(|one, other| one.best_us.total_cmp(&other.best_us));
    let longest = longest.map(|one| format!(" The longest operation: {}.", choice_in_words(model, one)));
    found.say("chosen", &[("longest", &longest.unwrap_or_default())]);
    let mut chosen: Vec<String> = of_templates().map(|one| choice_in_words(model, one)).collect();
    chosen.extend(compiles().flat_map(|compile| choices(&compile.triton_kernels)));
    if !chosen.is_empty() {
        let more = chosen.len().saturating_sub(LIST);
        let mut lines: Vec<String> = chosen.into_iter().take(LIST).collect();
        lines.extend((more > 0).then(|| format!("and {more} more")));
        found.fact("Chosen", Value::Code(lines));
    }
    found.compiles = tuned.iter().map(|one| one.compile).collect();
    for one in &tuned {
        found.claim(Claim::expected(Work::Compile, vec![one.compile], "of autotuning").at_most(one.us));
    }
    vec![found]
}

/// The larger of what metrics and spans say of each compile: torch writes either or both. Tuning at the first calls of the
/// compiled code is a cost at run time.
fn tuned(model: &Model, spans: &[BuildsOf]) -> Vec<Tuned> {
    let later = at_run_time(model);
    let within = |of: &BuildsOf| of.us - later.get(&of.compile).map_or(0.0, |later| later.tuning_spans_us);
    let seen: FxHashMap<CompileIndex, f64> = spans.iter().map(|of| (of.compile, within(of))).collect();
    let of = |(compile, one): (CompileIndex, &crate::model::Compile)| {
        let told: f64 = one
            .metrics
            .iter()
            .filter_map(|record| record.facts.autotune_us)
            .filter(|us| us.is_finite())
            .sum();
        let seen = seen.get(&compile).copied().unwrap_or_default();
        Some(Tuned { compile, us: told.max(seen) }).filter(|one| one.us > 0.0)
    };
    model.compiles.indexed().filter_map(of).collect()
}

/// `mm of 4096x4096 by 4096x4096: cuBLAS won with 171 us against 188 us of triton_mm_17, of 20 choices`
fn choice_in_words(model: &Model, one: &TemplateChoice) -> String {
    let is_nvidia = model.gpu.as_deref().is_some_and(|gpu| gpu.contains("NVIDIA"));
    let best = match one.best.as_str() {
        "mm" | "addmm" | "bias_addmm" | "bmm" | "baddbmm" if is_nvidia => "cuBLAS",
        best => best,
    };
    let against = one.triton.as_ref().filter(|(name, _)| *name != one.best);
    let against = against.map(|(name, us)| format!(" against {} of {name}", duration(*us)));
    let (failed, too_large) = (one.failed, one.too_large);
    let failed = match failed {
        0 => String::new(),
        _ if too_large == failed => format!("; {failed} more did not fit into shared memory"),
        _ => format!("; {failed} more could not be built"),
    };
    format!(
        "{} of {}: {best} won with {}{}, of {} choices{failed}",
        one.operator,
        one.shapes.replace(", ", " by "),
        duration(one.best_us),
        against.unwrap_or_default(),
        one.choices,
    )
}

/// What was chosen for each kernel that had a choice.
fn choices(kernels: &[TritonKernel]) -> impl Iterator<Item = String> + '_ {
    let had_choice = |kernel: &&TritonKernel| kernel.candidates.is_some_and(|number| number > 1.0);
    kernels.iter().filter(had_choice).filter_map(|kernel| {
        let chosen = kernel.chosen.as_deref()?;
        Some(format!("{}: {chosen} of {} configurations", kernel.name, kernel.candidates?))
    })
}

#[cfg(test)]
mod tests {
    use super::super::basis::Basis;
    use super::*;
    use crate::analysis::builds::tests::{model, span};

    #[test]
    fn tuning_is_told_with_its_time_and_what_it_chose() {
        let mut model = model();
        assert!(of_log(Basis::of_model(&model)).is_empty(), "nothing was tuned");
        model.spans.push(span("mm_template_autotuning", Some(0), 14.0, 17.0));
        let kernel = |name: &str, candidates| TritonKernel {
            name: name.to_owned(),
            candidates: Some(candidates),
            chosen: Some("{\"XBLOCK\":64}".to_owned()),
            ..TritonKernel::default()
        };
        let compile = model.compiles.get_mut(CompileIndex::new(0)).expect("a compile");
        compile.triton_kernels = vec![kernel("triton_mm", 8.0), kernel("triton_only", 1.0)];
        compile.template_choices = vec![TemplateChoice {
            operator: "mm".to_owned(),
            shapes: "64x64, 64x64".to_owned(),
            choices: 20,
            best: "mm".to_owned(),
            best_us: 171.2,
            triton: Some(("triton_mm_17".to_owned(), 188.1)),
            failed: 1,
            too_large: 1,
            ..TemplateChoice::default()
        }];
        model.gpu = Some("NVIDIA H200".to_owned());
        let found = of_log(Basis::of_model(&model));
        assert_eq!(found[0].title, "Autotuning took 3.00 s in 1 compile");
        let Value::Code(lines) = &found[0].facts[0].value else { panic!("{:?}", found[0].facts) };
        let template = "mm of 64x64 by 64x64: cuBLAS won with 171 us against 188 us of triton_mm_17, of 20 choices; 1 more did \
                        not fit into shared memory";
        assert_eq!(lines, &[template, "triton_mm: {\"XBLOCK\":64} of 8 configurations"]);
    }
}
