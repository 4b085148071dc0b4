//! Python tracebacks as text.

use super::TextFrame;

/// Frames of a Python traceback: `File "x.py", line 7, in f`, each with the source line below it.
pub fn traceback(text: &str) -> Vec<TextFrame> {
    let mut frames = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(frame) = traceback_frame(line) else { continue };
        let code = lines.next_if(|next| traceback_frame(next).is_none() && next.starts_with("    "));
        frames.push(TextFrame { loc: code.map(|code| code.trim().to_owned()), ..frame });
    }
    frames
}

fn traceback_frame(line: &str) -> Option<TextFrame> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (line, name) = rest.split_once(", in ")?;
    Some(TextFrame { file: file.to_owned(), line: line.parse().ok()?, function: name.to_owned(), loc: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_below_a_line_of_code_are_not_code() {
        let text = "Traceback:\n  File \"/a.py\", line 9, in f\n    g(x)\n    ~^^^\n  File \"/b.py\", line 2, in g\n";
        let frames = traceback(text);
        assert_eq!(frames.len(), 2);
        let first =
            TextFrame { file: "/a.py".into(), line: 9, function: "f".into(), loc: Some("g(x)".into()) };
        assert_eq!(frames[0], first);
        assert_eq!(frames[1].loc, None);
    }
}
