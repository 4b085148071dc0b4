//! The payloads of a log, for what measures how fast they are hashed.

/// The payloads of a log, without the tabs of their lines.
pub fn payloads(log: &[u8]) -> Vec<Vec<u8>> {
    let mut payloads: Vec<Vec<u8>> = Vec::new();
    let mut is_first = true;
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', log) {
        let line = &log[start..end];
        start = end + 1;
        match (line.strip_prefix(b"\t"), payloads.last_mut()) {
            (Some(text), Some(payload)) if !is_first => {
                payload.push(b'\n');
                payload.extend_from_slice(text);
            }
            (Some(text), _) => payloads.push(text.to_vec()),
            (None, _) => {}
        }
        is_first = !line.starts_with(b"\t");
    }
    payloads
}
