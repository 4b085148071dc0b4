//! Python tracebacks as text.

use super::TextFrame;

/// Frames of a Python traceback: `File "x.py", line 7, in f`, each with the source line below it.
pub fn traceback(text: &str) -> Vec<TextFrame> {
    let mut frames = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(frame) = frame_of_line(line) else { continue };
        let code = lines.next_if(|next| frame_of_line(next).is_none() && next.starts_with("    "));
        frames.push(TextFrame { loc: code.map(|code| code.trim().to_owned()), ..frame });
    }
    frames
}

/// A frame without its source line.
pub fn frame_of_line(line: &str) -> Option<TextFrame> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (line, name) = rest.split_once(", in ")?;
    Some(TextFrame { file: file.to_owned(), line: line.parse().ok()?, function: name.to_owned(), loc: None })
}
