use super::*;
use crate::trace::damage::MAX_DETAIL;
use crate::trace::header::MAX_HEADER;

const PREFIX: &str = "V1120 04:42:01.123000 77 torch/a.py:12] ";

/// The counter of a kind of damage.
fn name(kind: DamageKind) -> &'static str {
    match kind {
        DamageKind::BadPrefix => "bad_prefix",
        DamageKind::BadJson => "bad_json",
        DamageKind::BadPayloadMd5 => "bad_payload_md5",
        DamageKind::Truncated => "truncated",
        DamageKind::NonUtf8 => "non_utf8",
    }
}

/// What a log's entries are, one short text each: `record@LINE KEYS "TEXT" problems` or `kind@LINE`.
fn entries(log: &[u8]) -> Vec<String> {
    let mut records = Records::new(log);
    let mut found = Vec::new();
    while let Some(entry) = records.next().unwrap() {
        found.push(match entry {
            Entry::Damage(damage) => format!("{}@{}", name(damage.kind), damage.line),
            Entry::Record(record) => {
                let keys: Vec<&str> = record.envelope.events.iter().map(|(key, _)| key.as_ref()).collect();
                let mut text = format!("record@{} {}", record.line, keys.join(","));
                if let Some(payload) = record.payload {
                    assert_eq!(payload.at.text_len as usize, payload.text.unwrap().len());
                    text += &format!(" {:?}", String::from_utf8_lossy(payload.text.unwrap()));
                }
                for problem in record.problems {
                    assert_eq!(problem.line, record.line);
                    text += &format!(" {}", name(problem.kind));
                }
                text
            }
        });
    }
    assert_eq!(records.offset(), log.len() as u64);
    found
}

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
fn records_come_with_their_payloads() {
    let log = header("{\"a\": 1}") + &with_payload("b", "x\n\n\ty", "\n") + &header("{\"c\": 1}");
    assert_eq!(entries(log.as_bytes()), ["record@1 a", "record@2 b \"x\\n\\n\\ty\"", "record@6 c"]);
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
fn an_empty_payload_is_one_lone_tab() {
    assert_eq!(entries(with_payload("a", "", "\n").as_bytes()), ["record@1 a \"\""]);
}

#[test]
fn a_log_without_lines_has_no_entries() {
    assert!(entries(b"").is_empty());
    assert!(entries(b"\n \n\r\n").is_empty());
    assert!(entries(b"\xef\xbb\xbf\r\n").is_empty());
}

#[test]
fn blank_lines_are_dropped_also_inside_payloads() {
    let log = with_payload("a", "x\ny", "\n").replace("\tx\n", "\tx\n\n  \r\n");
    assert_eq!(entries(log.as_bytes()), ["record@1 a \"x\\ny\""]);
}

#[test]
fn only_newlines_split_lines() {
    let log = with_payload("a", "x\ry\u{2028}z\u{b}", "\n");
    assert_eq!(entries(log.as_bytes()), ["record@1 a \"x\\ry\\u{2028}z\\u{b}\""]);
}

#[test]
fn carriage_returns_of_a_converted_file_are_no_part_of_the_payload() {
    let log = with_payload("a", "x\ny", "\r\n");
    assert_eq!(entries(log.as_bytes()), ["record@1 a \"x\\ny\""]);
    let kept = with_payload("a", "x\r\ny\r", "\n").replacen("}\n", "}\r\n", 1);
    assert_eq!(entries(kept.as_bytes()), ["record@1 a \"x\\r\\ny\\r\""]);
}

#[test]
fn launcher_tags_are_read_over() {
    let log: String =
        with_payload("a", "x\n\ny", "\n").lines().map(|line| format!("[default0]:{line}\n")).collect();
    assert_eq!(entries(log.as_bytes()), ["record@1 a \"x\\n\\ny\""]);
    let log = format!("\u{feff}[rank0]:{}", header("{\"a\": 1}"));
    assert_eq!(entries(log.as_bytes()), ["record@1 a"]);
}

#[test]
fn lines_of_other_programs_are_damage_one_each() {
    let log = header("{\"a\": 1}") + "step 3\n\tindented\nW1120 x\n" + &header("{\"b\": 1}");
    assert_eq!(entries(log.as_bytes()), ["record@1 a", "bad_prefix@2", "bad_prefix@4", "record@5 b"]);
}

#[test]
fn metadata_that_is_no_object_is_damage_and_swallows_its_payload() {
    let log = header("[1]") + "\tpayload\n" + &header("{\"a\": 1") + &header("{\"b\": 1}");
    assert_eq!(entries(log.as_bytes()), ["bad_json@1", "bad_json@3", "record@4 b"]);
}

#[test]
fn a_wrong_hash_keeps_the_record() {
    let wrong = header("{\"a\": 1, \"has_payload\": \"00000000000000000000000000000000\"}");
    let log = wrong.clone() + "\tx\n" + &wrong + &header("{\"b\": 1}");
    assert_eq!(
        entries(log.as_bytes()),
        ["record@1 a \"x\" bad_payload_md5", "record@3 a bad_payload_md5", "record@4 b"]
    );
}

#[test]
fn a_payload_that_nobody_announced_is_kept_without_complaint() {
    let log = header("{\"a\": 1}") + "\tx\n";
    assert_eq!(entries(log.as_bytes()), ["record@1 a \"x\""]);
}

#[test]
fn a_log_that_ends_inside_a_record_says_so() {
    let whole = with_payload("a", "hello\nworld", "\n");
    let cut = |n: usize| entries(&whole.as_bytes()[..whole.len() - n]);
    assert_eq!(cut(1), ["record@1 a \"hello\\nworld\""]);
    assert_eq!(cut(3), ["record@1 a \"hello\\nwor\" bad_payload_md5 truncated"]);
    assert_eq!(cut(14), ["record@1 a bad_payload_md5 truncated"]);
    assert_eq!(cut(20), ["bad_json@1", "truncated@1"]);
    assert_eq!(entries(&whole.as_bytes()[..10]), ["bad_prefix@1", "truncated@1"]);
    let log = header("{\"a\": 1}") + "noise\n";
    assert_eq!(entries(log.as_bytes()), ["record@1 a", "bad_prefix@2"]);
}

#[test]
fn a_log_that_begins_inside_a_payload_says_so_once() {
    let log = "rest\n\tmore\n\tmore\n".replacen("rest", "\trest", 1) + &header("{\"a\": 1}");
    assert_eq!(entries(log.as_bytes()), ["truncated@1", "record@4 a"]);
}

#[test]
fn bytes_that_are_not_utf8_never_cost_the_record() {
    let mut log = format!("{PREFIX}{{\"a\": \"").into_bytes();
    log.extend_from_slice(b"\xff\"}\n\tx\xfe\n");
    assert_eq!(entries(&log), ["record@1 a \"x\u{fffd}\" non_utf8 non_utf8"]);
}

#[test]
fn lines_longer_than_the_buffer_are_read_whole() {
    let long = "x".repeat(700_000);
    let log =
        header(&format!("{{\"a\": \"{long}\"}}")) + &with_payload("b", &format!("{long}\n{long}"), "\r\n");
    let found = entries(log.as_bytes());
    assert_eq!(found.len(), 2);
    assert!(found[1].len() > 1_400_000 && !found[1].contains("bad"));
}

#[test]
fn a_detail_is_one_bounded_line() {
    let mut records = Records::new(b"\x00\x01\x02\x1b[31m \xff\xfe".as_slice());
    let Some(Entry::Damage(damage)) = records.next().unwrap() else { panic!("no damage") };
    assert!(!damage.detail.contains(char::is_control) && damage.detail.contains("\\u{1b}[31m"));
    let long = header(&"{".repeat(5000));
    let mut records = Records::new(long.as_bytes());
    let Some(Entry::Damage(damage)) = records.next().unwrap() else { panic!("no damage") };
    assert!(damage.detail.chars().count() <= MAX_DETAIL, "{}", damage.detail);
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
