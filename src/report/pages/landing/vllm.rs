//! What vLLM compiled, where the log has its events.

use crate::analysis::vllm::Vllm;
use crate::limits::LIST;
use crate::report::kit::prelude::*;
use crate::report::kit::vllm_modules::{modules, sentence};

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if view.report.model.vllm.is_empty() {
        return Ok(());
    }
    let vllm = Vllm::of(view.report.model);
    let link = view.link(links::VLLM, "Pieces, graphs and passes");
    let tools = span("tools", &link);
    let count = Some(whole(vllm.modules.len()));
    view.open_section(out, ("vllm", "vLLM", "modules that its backend compiled"), count, tools)?;
    paragraph(out, sentence(view, &vllm))?;
    if !vllm.modules.is_empty() {
        modules(view, &vllm, out, (LIST, links::VLLM))?;
    }
    Ok(close_section(out)?)
}
