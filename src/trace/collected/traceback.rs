//! Tracebacks of Python among what a program prints.

/// How Python begins a traceback.
const TRACEBACK: &str = "Traceback (most recent call last):";
/// Modules of the exceptions with which compiles fail.
pub(super) const TORCH_FAILURES: [&str; 2] = ["torch._dynamo.exc.", "torch._inductor.exc."];

/// Whether these bytes have a traceback of a compile that failed.
pub(super) fn has_failure(bytes: &[u8]) -> bool {
    let begins_class = |at: &usize| {
        let (before, class) = bytes.split_at(*at);
        let name =
            class.iter().take_while(|byte| matches!(byte, b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z')).count();
        class.get(name) == Some(&b':') && before.last().is_none_or(|byte| byte.is_ascii_whitespace())
    };
    let ends = |module: &&str| memchr::memmem::find_iter(bytes, module).any(|at| begins_class(&at));
    memchr::memmem::find(bytes, TRACEBACK.as_bytes()).is_some() && TORCH_FAILURES.iter().any(ends)
}

/// The label of a line that begins a traceback; None for any other line.
pub(super) fn before_traceback(line: &str) -> Option<&str> {
    let before = line.strip_suffix(TRACEBACK)?;
    (!before.ends_with("Original ")).then_some(before)
}

/// What a terminal shows of a line in the end: a progress bar goes back to its beginning.
pub(super) fn last_shown(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    line.get(memchr::memrchr(b'\r', line).map_or(0, |at| at + 1)..).unwrap_or_default()
}
