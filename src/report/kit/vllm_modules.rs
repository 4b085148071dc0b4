//! What vLLM compiled in a sentence, for the landing page and vLLM's page.

use crate::analysis::vllm::{Module, Vllm};
use crate::limits::QUOTE;
use crate::report::kit::formats::{clipped, counted, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::strong;
use crate::report::kit::view::View;

/// The name of a module on the page.
pub(crate) fn name<'m>(module: &Module<'m>) -> &'m str {
    module.name().map_or("unnamed module", |name| clipped(name, QUOTE).0)
}

/// `vLLM compiled 2 modules of corpus/random-llama in 11 pieces, 7.3 s: 9 built, 2 found in a cache.`
pub(crate) fn sentence(view: View<'_>, vllm: &Vllm<'_>) -> Html {
    let model = view.report.model;
    if vllm.modules.is_empty() {
        let events = counted(vllm.loose.len(), "event", "events");
        return Html::escaped(&format!("The log has {events} of vLLM, but no compiled module."));
    }
    let mut models: Vec<&str> = vllm.modules.iter().filter_map(|module| module.field("model")).collect();
    models.sort_unstable();
    models.dedup();
    let of = match models.as_slice() {
        [] => Html::default(),
        [one] => Html::joined([Html::escaped(" of "), view.code(clipped(one, QUOTE).0)], ""),
        several => Html::escaped(&format!(" of {}", counted(several.len(), "model", "models"))),
    };
    let pieces = vllm.pieces().count();
    let found = vllm.pieces().filter(|piece| piece.found(model)).count();
    let time = vllm.modules.iter().filter_map(|module| module.us(model)).reduce(|a, b| a + b);
    let time = time.map_or_else(String::new, |us| format!(", {}", micros(us)));
    let built = match (pieces, found) {
        (0, _) => String::new(),
        (_, 0) => ": none was in a cache of torch".to_owned(),
        (pieces, found) if pieces == found => ": all were in a cache of torch".to_owned(),
        (pieces, found) => {
            format!(": {} built, {} found in a cache of torch", whole(pieces - found), whole(found))
        }
    };
    let modules = strong(counted(vllm.modules.len(), "module", "modules"));
    let pieces = strong(counted(pieces, "piece", "pieces"));
    let end = format!("{time}{built}.");
    Html::joined(["vLLM compiled ".into(), modules, of, " in ".into(), pieces, end.into()], "")
}

/// `aot cache hit` for `aot_cache_hit`.
pub(crate) fn outcome_words(kind: &str) -> String {
    match kind {
        "" => "of no kind".to_owned(),
        kind => clipped(kind, QUOTE).0.replace('_', " "),
    }
}
