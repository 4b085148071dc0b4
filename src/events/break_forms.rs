//! Records of graph breaks that do not begin with a place: the backend gave up, or Dynamo cannot resume. Their line is in
//! the frames of the text.

use crate::model::{TextFrame, traceback};

/// How these records begin.
const NOT_CONVERTED: &str = "WON'T CONVERT ";
const SKIPPED: [&str; 2] = ["Graph break: torch.compile cannot properly resume", "Graph break: skip: "];

/// Above the user's frames.
const PROCESSING: &str = "The above exception occurred while processing the following code";

/// A record without a place at its beginning, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Placeless {
    /// The user's frames, outermost first.
    pub(super) frames: Vec<TextFrame>,
    /// The text of the exception, from its class on.
    pub(super) exception: String,
    /// File and line of the break, or of the function that was not compiled where no frame is recorded.
    pub(super) place: Option<(String, u64)>,
}

impl Placeless {
    /// Reads a record; None if it has another form.
    pub(super) fn read(text: &str) -> Option<Placeless> {
        let (raised, user, function) = if let Some(head) = text.strip_prefix(NOT_CONVERTED) {
            let (raised, user) = text.split_once(PROCESSING).unwrap_or((text, ""));
            (raised, user, defined(head.lines().next().unwrap_or_default()))
        } else if SKIPPED.iter().any(|start| text.starts_with(start)) {
            let (user, raised) = text.split_once("Traceback (most recent call last)").unwrap_or((text, ""));
            (raised, user, None)
        } else {
            return None;
        };
        let frames = traceback(user);
        let place = frames.last().map(|frame| (frame.file.clone(), frame.line)).or(function);
        Some(Placeless { frames, exception: exception(raised), place })
    }
}

/// `/app/a.py` and `12` of `f /app/a.py line 12`.
fn defined(head: &str) -> Option<(String, u64)> {
    let (before, line) = head.trim().rsplit_once(" line ")?;
    let (_, file) = before.split_once(' ')?;
    Some((file.trim().to_owned(), line.trim().parse().ok()?))
}

/// The text of the last exception of a chain of tracebacks, without its module: from the first line after the last frame.
fn exception(raised: &str) -> String {
    let last = raised.rsplit("Traceback (most recent call last)").next().unwrap_or(raised);
    let mut lines = last.lines().skip_while(|line| !line.starts_with(' '));
    let text: Vec<&str> = lines
        .by_ref()
        .skip_while(|line| line.starts_with(' ') || line.trim().is_empty())
        .take_while(|line| !line.starts_with("====") && !line.starts_with("from user code:"))
        .collect();
    let text = text.join("\n");
    let (class, rest) = text.split_once(": ").unwrap_or(("", &text));
    let is_class = !class.is_empty() && class.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'));
    if is_class { rest.trim().to_owned() } else { text.trim().to_owned() }
}
