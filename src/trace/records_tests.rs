use super::*;
use crate::limits::LONG_LINE;
use crate::trace::cases_tests::records;
use crate::trace::header::MAX_HEADER;

const PREFIX: &str = "V1120 04:42:01.123000 77 torch/a.py:12] ";

/// A record with a payload and its right hash; the lines are joined by `end`.
fn with_payload(key: &str, payload: &str, end: &str) -> String {
    let hash = Md5::of(payload.as_bytes());
    let mut log = format!("{PREFIX}{{\"{key}\": {{}}, \"has_payload\": \"{hash}\"}}{end}");
    for line in payload.split('\n') {
        log += &format!("\t{line}{end}");
    }
    log
}

fn header(json: &str) -> String {
    format!("{PREFIX}{json}\n")
}

#[test]
fn spans_lead_back_to_header_and_payload() {
    let log = header("{\"a\": 1}") + &with_payload("b", "x\ny", "\n") + &header("{\"c\": 1}");
    let mut records = Records::new(log.as_bytes());
    records.next().unwrap();
    let Some(Entry::Record(record)) = records.next().unwrap() else { panic!("no record") };
    let cut = |span: Span| &log[span.offset as usize..(span.offset + span.len) as usize];
    assert!(cut(record.header).starts_with(PREFIX) && cut(record.header).ends_with('}'));
    let at = record.payload.unwrap().at;
    assert_eq!(cut(at.span), "\tx\n\ty");
    assert!(at.intact);
}

#[test]
fn lines_longer_than_the_buffer_are_read_whole() {
    let long = "x".repeat(700_000);
    let log =
        header(&format!("{{\"a\": \"{long}\"}}")) + &with_payload("b", &format!("{long}\n{long}"), "\r\n");
    let found = records(log.as_bytes());
    assert_eq!(found.len(), 2);
    assert!(found[1].len() > 1_400_000 && !found[1].contains("Bad"));
}

#[test]
fn a_detail_is_one_bounded_line() {
    let mut records = Records::new(b"\x00\x01\x02\x1b[31m \xff\xfe".as_slice());
    let Some(Entry::Damage(damage)) = records.next().unwrap() else { panic!("no damage") };
    assert!(!damage.detail.contains(char::is_control) && damage.detail.contains("\\u{1b}[31m"));
    let long = header(&"{".repeat(5000));
    let mut records = Records::new(long.as_bytes());
    let Some(Entry::Damage(damage)) = records.next().unwrap() else { panic!("no damage") };
    assert!(damage.detail.chars().count() <= LONG_LINE, "{}", damage.detail);
}

#[test]
fn a_header_without_end_is_read_over() {
    let line = PREFIX.as_bytes().chain(io::repeat(b'x').take(MAX_HEADER as u64));
    let next = format!("\n\tpayload\n{}", header("{\"a\": 1}"));
    let mut records = Records::new(line.chain(next.as_bytes()));
    let Some(Entry::Damage(damage)) = records.next().unwrap() else { panic!("no damage") };
    assert_eq!((damage.line, damage.kind), (1, DamageKind::BadJson));
    assert!(damage.detail.starts_with("header line too long"), "{}", damage.detail);
    let Some(Entry::Record(record)) = records.next().unwrap() else { panic!("no record") };
    assert_eq!(record.line, 3);
}

#[test]
fn an_error_of_the_disk_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk"))
        }
    }
    assert!(Records::new(PREFIX.as_bytes().chain(Broken)).next().is_err());
}
