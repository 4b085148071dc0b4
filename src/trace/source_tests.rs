use super::*;
use crate::trace::{Entry, Records};
use std::fs;

const LOG: &str = "V1120 04:42:01.123000 77 a.py:12] {\"a\": {}}\n\tx\r\n\n\ty\nV1120 04:42:01.123000 77 a.py:12] {\"b\": {}}\n";

fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    (dir, path)
}

fn text_of(source: &Source) -> String {
    let mut text = String::new();
    source.reader().read_to_string(&mut text).unwrap();
    text
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn plain_and_packed_logs_read_the_same() {
    let zstd = zstd::encode_all(LOG.as_bytes(), 1).unwrap();
    let (begin, rest) = LOG.as_bytes().split_at(50);
    let several = [gzip(begin), gzip(rest)].concat();
    for (name, bytes) in [
        ("x.log", LOG.into()),
        ("x.log.gz", gzip(LOG.as_bytes())),
        ("x.log.gz", several),
        ("x.log.zst", zstd),
    ] {
        let (_dir, path) = file(name, &bytes);
        let source = Source::open(&path, Limit::default()).unwrap();
        assert_eq!((source.name(), source.len(), source.path()), ("x.log", LOG.len() as u64, path.as_path()));
        assert_eq!(text_of(&source), LOG);
        assert!(source.incomplete().is_none() && !source.changed());
    }
}

#[test]
fn an_archive_cut_short_gives_what_it_holds_and_says_so() {
    // Bytes that do not compress.
    let noise: Vec<u8> = (0..100_000u32).flat_map(|n| md5::compute(n.to_le_bytes()).0).collect();
    let packed = gzip(&noise);
    let (_dir, path) = file("x.log.gz", &packed[..packed.len() / 2]);
    let source = Source::open(&path, Limit::default()).unwrap();
    assert!(source.len() > 1000 && source.incomplete().is_some());
    let (_dir, path) = file("x.log.gz", &packed[..3]);
    assert!(Source::open(&path, Limit::default()).is_err());
}

#[test]
fn what_cannot_be_opened_says_so_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Source::open(dir.path(), Limit::default()).unwrap_err().to_string().contains("folder"));
    assert!(
        Source::open(&dir.path().join("missing"), Limit::default())
            .unwrap_err()
            .to_string()
            .contains("cannot open")
    );
}

#[test]
fn payloads_are_read_again_by_their_place() {
    let (_dir, path) = file("x.log", LOG.as_bytes());
    let source = Source::open(&path, Limit::default()).unwrap();
    let mut records = Records::new(source.reader());
    let Some(Entry::Record(record)) = records.next().unwrap() else { panic!("no record") };
    let (header, payload) = (record.header, record.payload.unwrap());
    assert_eq!(payload.text, Some(b"x\r\ny".as_slice()));
    let (mut read, mut copied) = (Vec::new(), Vec::new());
    source.read_payload(&payload.at, &mut read).unwrap();
    source.copy_payload(&payload.at, &mut copied).unwrap();
    assert_eq!((read.as_slice(), copied.as_slice()), (b"x\r\ny".as_slice(), b"x\r\ny".as_slice()));
    let mut spans = SpanReader::new(&source);
    let written = spans.span(header).unwrap();
    assert!(written.starts_with(b"V1120") && written.ends_with(b"}"));
    spans.read_payload(&payload.at, &mut read).unwrap();
    assert_eq!(read, b"x\r\ny");
}

#[test]
fn a_large_payload_is_copied_in_pieces() {
    let mut log = b"V1120 04:42:01.123000 77 a.py:12] {\"a\": {}}\r\n".to_vec();
    let mut want = Vec::new();
    for n in 0..40 {
        let line = vec![b'a' + n % 26; 50_000 * usize::from(n)];
        log.extend_from_slice(&[b"\t", line.as_slice(), b"\r\n"].concat());
        want.extend_from_slice(if n == 0 { b"" } else { b"\n" });
        want.extend_from_slice(&line);
    }
    let (_dir, path) = file("x.log", &log);
    let source = Source::open(&path, Limit::default()).unwrap();
    let mut records = Records::new(source.reader());
    let Some(Entry::Record(record)) = records.next().unwrap() else { panic!("no record") };
    let payload = record.payload.unwrap();
    assert_eq!(payload.text, Some(want.as_slice()));
    let mut copied = Vec::new();
    source.copy_payload(&payload.at, &mut copied).unwrap();
    assert!(copied == want);
    let header = record.header;
    let mut spans = SpanReader::new(&source);
    for _ in 0..2 {
        spans.read_payload(&payload.at, &mut copied).unwrap();
        assert!(copied == want);
        assert_eq!(
            spans.span(header).unwrap().trim_ascii_end(),
            b"V1120 04:42:01.123000 77 a.py:12] {\"a\": {}}"
        );
    }
}

#[test]
fn a_log_that_grows_is_read_as_it_was_and_one_that_shrinks_has_changed() {
    let (_dir, path) = file("x.log", LOG.as_bytes());
    let source = Source::open(&path, Limit::default()).unwrap();
    let mut writer = fs::OpenOptions::new().append(true).open(&path).unwrap();
    writer.write_all(b"more\n").unwrap();
    assert!(!source.changed());
    assert_eq!(text_of(&source), LOG);
    let mut copy = tempfile::tempfile().unwrap();
    assert_eq!(source.copy_to(&mut copy).unwrap(), LOG.len() as u64);
    copy.rewind().unwrap();
    assert_eq!(io::read_to_string(copy).unwrap(), LOG);

    let mut out = Vec::new();
    assert!(source.read_span(Span { offset: source.len() - 1, len: 2 }, &mut out).is_err());
    assert!(source.read_span(Span { offset: u64::MAX, len: 2 }, &mut out).is_err());
    writer.set_len(20).unwrap();
    assert!(source.changed());
    let error = source.read_span(Span { offset: 30, len: 2 }, &mut out).unwrap_err();
    assert!(error.to_string().contains("changed"));
    assert!(source.reader().read_to_end(&mut out).is_err());
}
