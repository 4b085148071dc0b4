//! What the readers of this room make of texts: the rows of `cases.txt`.

use super::collected::{Form, restore};
use super::discover::sibling_logs;
use super::payload::{decode, decode_slice};
use super::*;
use crate::cases::{hold, joined};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What stands for bytes that a row of a text file cannot have, and for the prefix of a header line.
const SIGNS: [(&str, &[u8]); 7] = [
    ("⏎", b"\n"),
    ("⇥", b"\t"),
    ("␍", b"\r"),
    ("␢", b"\xff"),
    ("¶", "\u{2028}\u{b}".as_bytes()),
    ("BOM", b"\xef\xbb\xbf"),
    ("V| ", b"V1120 04:42:01.123000 77 torch/a.py:12] "),
];

/// The bytes that a row means; `‹text›` is the hash of that text.
fn bytes(row: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = row;
    while let Some(first) = rest.chars().next() {
        if let Some((hashed, after)) = rest.strip_prefix('‹').and_then(|rest| rest.split_once('›')) {
            out.extend(Md5::of(&bytes(hashed)).to_string().bytes());
            rest = after;
            continue;
        }
        let sign = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign));
        let (written, meant) =
            sign.map_or((&rest[..first.len_utf8()], None), |(sign, meant)| (*sign, Some(meant)));
        out.extend(meant.map_or(written.as_bytes(), |meant| meant));
        rest = &rest[written.len()..];
    }
    out
}

/// The logs of a collected input, each with its name, in signs; how many lines were left out behind a minus.
fn restored(text: &[u8]) -> Option<String> {
    let (form, sample) = Form::of_stream(text).unwrap();
    let logs = restore(sample.as_slice(), form?, false).unwrap().into_iter().map(|mut log| {
        let mut text = String::new();
        log.file.read_to_string(&mut text).unwrap();
        for (sign, meant) in SIGNS {
            text = text.replace(&*String::from_utf8_lossy(meant), sign);
        }
        let left_out = if log.left_out > 0 { format!(" -{}", log.left_out) } else { String::new() };
        format!("{}: {text}{left_out}", log.name)
    });
    Some(logs.collect::<Vec<_>>().join(" ‖ "))
}

fn answer(query: &str, text: &str) -> Option<String> {
    Some(match query {
        "records" => joined(records(&bytes(text))),
        "first line, cleaned" => cleaned(&clean_header(envelope::without_bom(&bytes(text), 1))),
        "line, cleaned" => cleaned(&clean_header(&bytes(text))),
        "strict JSON" => {
            let strict = strict_json(text);
            assert!(!has_half_pair(&strict) && (!has_half_pair(text) || strict != text), "{text}");
            strict.into_owned()
        }
        "envelope" => envelope(text)?,
        "prefix" => {
            let (prefix, rest) = Prefix::parse(text)?;
            let Prefix { level, time, pid, path, line } = prefix;
            joined([char::from(level).to_string(), time.to_string(), format!("{pid} {path:?} {line} {rest}")])
        }
        "restored" => restored(&bytes(text))?,
        "fields" => {
            let fields: Vec<_> = written_fields(text).map(|field| (field.key, field.value)).collect();
            if let Ok(read) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
                let read = read.iter().map(|(key, value)| (format!("{key:?}"), value.get()));
                assert!(read.eq(fields.iter().map(|(key, value)| ((*key).to_owned(), *value))), "{text}");
            }
            joined(fields.iter().map(|(key, value)| format!("{key} {value}")))
        }
        "value of id" => written_value(text, "id")?.to_owned(),
        "ordered JSON" => ordered_json(text)?,
        "deeper than 2 levels" => nests_deeper(text, 2).to_string(),
        "newest log" => {
            let (folder, _) = folder_of(text);
            let (newest, others) = newest_log(folder.path()).ok()?;
            names(&[vec![newest], others].concat())
        }
        "siblings" => {
            let (_folder, files) = folder_of(text);
            names(&sibling_logs(&files[0]))
        }
        "rank of name" => rank_of_file_name(text)?.to_string(),
        "id" => CompileId::parse(text)?.to_string(),
        "id of context" => id_of_context(text)?,
        "clock" => joined(clock(text)),
        "strings" => joined(strings(text)),
        "runs" => runs(text),
        "strings beside" => joined(strings_beside(text)),
        "pattern" => joined(pattern(text)),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_reads_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}

/// What a log's entries are: `LINE KEYS "PAYLOAD" PROBLEMS`, or the damage and its line.
pub(super) fn records(log: &[u8]) -> Vec<String> {
    let mut records = Records::new(log);
    let mut found = Vec::new();
    while let Some(entry) = records.next().unwrap() {
        found.push(match entry {
            Entry::Damage(damage) => format!("{:?}@{}", damage.kind, damage.line),
            Entry::Record(record) => {
                let keys: Vec<&str> = record.envelope.events.iter().map(|(key, _)| key.as_ref()).collect();
                let mut text = format!("{} {}", record.line, keys.join(","));
                if let Some(Payload { at, text: Some(payload) }) = record.payload {
                    let raw = &log[at.span.offset as usize..][..at.span.len as usize];
                    let (mut slow, mut fast) = (Vec::new(), Vec::new());
                    assert_eq!(decode(raw, at.strip_cr, &mut slow).unwrap(), at.text_len);
                    decode_slice(raw, at.strip_cr, &mut fast);
                    assert_eq!([slow.as_slice(), &fast, &payload[..at.text_len as usize]], [payload; 3]);
                    text += &format!(" {:?}", String::from_utf8_lossy(payload));
                }
                for problem in record.problems {
                    assert_eq!(problem.line, record.line);
                    text += &format!(" {:?}", problem.kind);
                }
                text
            }
        });
    }
    assert_eq!(records.offset(), log.len() as u64);
    found
}

fn cleaned(line: &envelope::Cleaned<'_>) -> String {
    let is_copied = matches!(line.text, Cow::Owned(_));
    let notes = [(is_copied, "copied"), (line.non_utf8, "not UTF-8")];
    let notes = notes.into_iter().filter(|(is_so, _)| *is_so).map(|(_, note)| note);
    joined([&*line.text].into_iter().chain(notes))
}

/// What is there of the context, then the events.
fn envelope(json: &str) -> Option<String> {
    let read = Envelope::parse(json).ok()?;
    assert_eq!(first_event(json), read.events.first().map(|(_, value)| value.get()));
    let context = [
        read.rank.map(|rank| format!("rank {rank}")),
        read.compile_id.map(|id| format!("id {id}")),
        read.half_an_id.then(|| "half an id".to_owned()),
        Some(format!("attempt {}", read.attempt)).filter(|_| read.attempt > 0),
        read.has_payload.map(|hash| format!("payload {hash}")),
        read.stack.map(|stack| format!("stack {}", stack.get())),
        read.subgraph.map(|name| format!("subgraph {name}")),
    ];
    let events = read.events.iter().map(|(key, value)| format!("{key}: {}", value.get()));
    Some(joined(context.into_iter().flatten().chain(events)))
}

/// The id of three values: as it is displayed, in brackets and as a folder, with an attempt; whether it is read again.
fn id_of_context(values: &str) -> Option<String> {
    let values: Vec<_> = values.split(" ¦ ").map(str::trim).collect();
    let raw = |at: usize| RawValue::from_string(values[at].to_owned()).ok();
    let [ca, frame, compile] = [0, 1, 2].map(raw);
    let id = CompileId::from_context(ca.as_deref(), frame.as_deref(), compile.as_deref())?;
    let (shown, bracketed) = (id.to_string(), id.bracketed(1));
    let again = [&shown, &bracketed].map(|text| CompileId::parse(text).as_ref() == Some(&id));
    let again = if again == [true; 2] { "read again" } else { "not read again" };
    Some(joined([&shown, &bracketed, &id.folder(1), again]))
}

/// Each time of `11-20 04:55 @STAMP, ..` with its instant; `@` anchors the clock.
fn clock(times: &str) -> Vec<String> {
    let mut clock = Clock::default();
    let mut stamps = Vec::new();
    for item in times.split(", ") {
        let mut anchors = item.split(" @");
        let numbers: Vec<u8> =
            anchors.next().unwrap().split(['-', ' ', ':']).map(|number| number.parse().unwrap()).collect();
        let [month, day, hour, minute] = numbers[..] else { panic!("{item}") };
        let time = LocalTime { month, day, hour, minute, second: 35, micros: 653_000 };
        stamps.push(clock.tick(time));
        anchors.for_each(|stamp| clock.anchor(time, stamp.parse().unwrap()));
    }
    let texts: Vec<String> = stamps.iter().map(|stamp| clock.format(*stamp)).collect();
    assert_eq!(stamps.is_sorted(), texts.is_sorted(), "{times}");
    let told = texts.iter().zip(&stamps).map(|(text, stamp)| {
        assert_eq!(instant(text), clock.epoch_us(*stamp), "{text}");
        instant(text).map_or_else(|| text.clone(), |us| format!("{text} {us}"))
    });
    told.collect()
}

/// What references and questions get after all commands: `define PID NUMBER TEXT`, `adopt PID NUMBER TEXT`, `slot PID NUMBER`,
/// `find PID NUMBER`, `first PID`; then the table and what is unresolved.
fn strings(commands: &str) -> Vec<String> {
    let mut table = StringTable::default();
    let mut files = Vec::new();
    let mut told = Vec::new();
    for command in commands.split("; ") {
        let words: Vec<&str> = command.splitn(4, ' ').collect();
        let pid = words[1].parse().unwrap();
        let id = || words[2].parse::<i64>().unwrap();
        match words[0] {
            "define" => table.define(pid, id(), words[3]),
            "adopt" => table.adopt(pid, id(), words[3]),
            "slot" => files.push(table.slot(pid, id())),
            "find" => files.push(table.find(pid, id())),
            "first" => told.push(format!("first {:?}", table.first_defined(pid))),
            _ => panic!("{command}"),
        }
    }
    told.extend(files.iter().map(|file| format!("{file:?} {}", table.get(*file).unwrap_or("?"))));
    told.extend(table.table().map(|(id, text)| format!("table {id} {text}")));
    told.extend(table.unresolved().iter().map(|open| format!("open {open:?}")));
    told
}

fn at(month: u8, minute: u8, second: u8) -> LocalTime {
    LocalTime { month, day: 20, hour: 4, minute, second, micros: 0 }
}

/// The runs of logs `NAME RANK FROM-TO forked`; a log without records has no FROM. Of each run its ranks, with further logs.
fn runs(logs: &str) -> String {
    let log = |log: &str| {
        let words: Vec<&str> = log.split(' ').collect();
        let (month, minutes) = words[2].split_once('/').unwrap_or(("11", words[2]));
        let (from, to) = minutes.split_once('-').unwrap();
        let to: u8 = to.parse().unwrap();
        let time = |minute| at(month.parse().unwrap(), minute, 0);
        let span = from.parse().ok().map(|from| (time(from), time(to)));
        Log {
            path: PathBuf::from(words[0]),
            rank: words[1].parse().ok(),
            changed: SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(to)),
            peek: Peek { span, forked: words.contains(&"forked"), ..Peek::default() },
        }
    };
    let rank = |logs: &RankLogs| {
        let names: Vec<String> = logs.logs().map(Log::name).collect();
        format!("{}:{}", logs.rank.map_or("-".to_owned(), |rank| rank.to_string()), names.join("+"))
    };
    let (runs, left) = group(logs.split(", ").map(log).collect());
    let run = |run: &Run| run.ranks.iter().map(rank).collect::<Vec<_>>().join(" ");
    joined(runs.iter().map(run).chain(left.iter().map(|log| format!("left {}", log.name()))))
}

/// The strings that a process which began at second 30 inherits: `NAME: SECOND STRING NUMBER, ..; NAME: .. | NEEDED | OWN`.
fn strings_beside(row: &str) -> Vec<String> {
    let [logs, needed, own] = row.split(" | ").collect::<Vec<_>>()[..] else { panic!("{row}") };
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(format!("dedicated_log_torch_trace_{name}.log"));
    for log in logs.split("; ") {
        let (name, strings) = log.split_once(": ").unwrap();
        let record = |string: &str| {
            let [second, string, id] = string.split(' ').collect::<Vec<_>>()[..] else { panic!("{string}") };
            let time = format!("V1120 04:00:{second:0>2}.000000 7 a.py:1]");
            let payload = format!("{time} {{\"x\": 1}}\n\t{{\"str\": [\"payload\", {id}]}}\n");
            format!("{payload}{time} {{\"str\": [\"{string}\", {id}]}}\n")
        };
        fs::write(path(name), strings.split(", ").map(record).collect::<String>()).unwrap();
    }
    fs::write(path("child"), "").unwrap();
    let child = Source::open(&path("child"), Limit::default()).unwrap();
    let needed: Vec<i64> = needed.split(' ').map(|id| id.parse().unwrap()).collect();
    let found = strings_from_siblings(&child, at(11, 0, 30), &needed, own.parse().ok());
    found.into_iter().map(|(id, text)| format!("{id} {text}")).collect()
}

/// A folder with these files, each with the second of its change.
fn folder_of(files: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let file = |file: &str| {
        let (name, second) = file.split_once(' ').unwrap();
        let path = folder.path().join(name.replace('@', "dedicated_log_torch_trace_"));
        if name.ends_with('/') {
            fs::create_dir(&path).unwrap();
        } else {
            let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(second.parse().unwrap());
            fs::File::create(&path).unwrap().set_modified(changed).unwrap();
        }
        path
    };
    let files = files.split(", ").map(file).collect();
    (folder, files)
}

fn names(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    joined(paths.iter().map(name)).replace("dedicated_log_torch_trace_", "@")
}

/// The names in a folder of some files that a pattern means.
fn pattern(pattern: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("rank_0")).unwrap();
    for name in ["b.log", "a.log", ".c.log", "d.txt", "aXbYbZc", "rank_2_x.log", "rank_0/e.log", "f[1].log"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let name = |path: &Path| path.strip_prefix(folder.path()).unwrap().to_string_lossy().replace('\\', "/");
    expanded(&folder.path().join(pattern)).iter().map(|path| name(path)).collect()
}
