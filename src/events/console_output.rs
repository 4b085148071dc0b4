//! What says that a log was made of console output.

use super::{Event, Flow, RankContext};
use crate::limits::{LABEL, SAME_NAME};

/// `console_output`: what `TORCH_LOGS` was seen to show, or the recompile limit that a warning named.
pub(super) fn parse_console(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let fields = event.fields();
    let model = cx.model();
    if model.recompile_limit.is_none() {
        model.recompile_limit = fields.count("limit");
    }
    if let Some(shown) = fields.text("shown") {
        let console = model.log.console.get_or_insert_default();
        let is_name =
            shown.len() <= LABEL && shown.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if is_name && !shown.is_empty() && console.len() < SAME_NAME {
            console.push(shown);
        }
    }
    Ok(Flow::Handled)
}
