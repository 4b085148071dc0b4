//! Python tracebacks as text.

use super::TextFrame;

/// Frames of a Python traceback: `File "x.py", line 7, in f`, each with the source line below it.
pub fn traceback(text: &str) -> Vec<TextFrame> {
    let mut frames = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(frame) = traceback_frame(line) else { continue };
        let code = lines.next_if(|next| traceback_frame(next).is_none() && next.starts_with("    "));
        frames.push((frame.0, frame.1, frame.2, code.map(|c| c.trim().to_owned())));
    }
    frames
}

fn traceback_frame(line: &str) -> Option<(String, u64, String)> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (line, name) = rest.split_once(", in ")?;
    Some((file.to_owned(), line.parse().ok()?, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_below_a_line_of_code_are_not_code() {
        let text = "Traceback:\n  File \"/a.py\", line 9, in f\n    g(x)\n    ~^^^\n  File \"/b.py\", line 2, in g\n";
        let frames = traceback(text);
        assert_eq!(frames.len(), 2);
        assert_eq!(frames[0], ("/a.py".to_owned(), 9, "f".to_owned(), Some("g(x)".to_owned())));
        assert_eq!(frames[1].3, None);
    }
}
