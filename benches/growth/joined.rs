//! Logs in which each thing of one list belongs to a thing of another, or stands inside another: what costs the square of
//! their number where one list is searched for each thing of the other.

use crate::made::{Record, Stored, copies, joined, stored, with};
use crate::rows::Row;
use serde_json::{Value, json};

/// The rows of these logs.
pub fn rows() -> Vec<Row> {
    [in_one_compile(), functions(), nested()].into_iter().flatten().collect()
}

const FRAMES: [(&str, &str); 3] = [("frame_id", "@n"), ("frame_compile_id", "0"), ("attempt", "0")];
const AGAIN: [(&str, &str); 3] = [("frame_id", "@n"), ("frame_compile_id", "1"), ("attempt", "0")];

/// A record with its envelope changed.
fn changed(mut record: Record, change: impl FnOnce(&mut Value)) -> Record {
    record.edit(change);
    record
}

/// A record with another payload.
fn with_payload(mut record: Record, text: &str) -> Record {
    record.set_payload(text.as_bytes());
    record
}

/// A record of a graph break whose reason and line are its number.
fn distinct_break(log: &Stored) -> Record {
    let text =
        "Graph break in user code at /app/a.py:@n\nGraph Break Reason: Call number @n\n  Explanation: none\n";
    with_payload(log.first("dynamo_graph_break_reason"), text)
}

/// Things of one compile.
fn in_one_compile() -> Vec<Row> {
    let repeated = |name: &str, n, from: &'static str, record: fn(&Stored) -> Record| {
        Row::new(name, n, move |n| {
            let log = stored(from);
            log.head().into_iter().chain(log.compile(&[])).chain(copies(&[record(&log)], n)).collect()
        })
    };
    vec![
        repeated("sizes of a compile without a line", 31_250, "inputs/05_dynamic_shapes", |log| {
            changed(log.first("symbolic_shape_specialization"), |envelope| {
                let fixed = &mut envelope["symbolic_shape_specialization"];
                fixed["reason"] = "find".into();
                fixed["stack"] = json!([]);
                fixed["user_stack"] = json!([]);
            })
        }),
        repeated("distinct breaks of a compile", 25_000, "inputs/03_graph_breaks", distinct_break),
        repeated("missing fake kernels", 62_500, "inputs/11_export_draft_ops", |log| {
            changed(log.first("missing_fake_kernel"), |envelope| {
                envelope["missing_fake_kernel"]["op"] = "mylib::op@n".into();
            })
        }),
        repeated("reasons to bypass a cache", 25_000, "inputs/08_cache_bypass", |log| {
            with_payload(log.first("fx_graph_cache_bypass"), r#"{"cache_bypass_reason": "number @n"}"#)
        }),
        Row::new("misses and hits of a cache", 25_000, |n| {
            let [miss, hit] =
                [("miss", "fx_graph_cache_miss"), ("hit", "fx_graph_cache_hit")].map(|(outcome, event)| {
                    let key = format!(r#"{{"cache_status_detailed": "{outcome}", "key": "f@n"}}"#);
                    let log = stored(&format!("inputs/08_cache_{outcome}"));
                    with_payload(log.first(event), &key)
                });
            let log = stored("inputs/08_cache_miss");
            let head = log.head().into_iter().chain(log.compile(&[]));
            head.chain(copies(&[miss], n)).chain(copies(&[hit], n)).collect()
        }),
        Row::new("inputs of a recompile with a reason each", 12_500, |n| {
            let log = stored("inputs/04_recompiles");
            let source = changed(log.first("describe_source"), |envelope| {
                envelope["describe_source"]["source"] = "L['x@n']".into();
            });
            let again = [("frame_id", "0"), ("frame_compile_id", "1"), ("attempt", "0")];
            let described = with(vec![log.first("describe_tensor"), source], &again);
            let reason =
                |at: usize| format!("0/0: tensor 'x{at}' size mismatch at index 0. expected 4, actual 6");
            let reasons = with(vec![log.first("recompile_reasons")], &again);
            let reasons = reasons.into_iter().map(|record| with_payload(record, &joined(n, "\n", reason)));
            let first =
                with(log.compile(&[]), &[("frame_id", "0"), ("frame_compile_id", "0"), ("attempt", "0")]);
            let head = log.head().into_iter().chain(first).chain(with(log.compile(&[]), &again));
            head.chain(copies(&described, n)).chain(reasons).collect()
        }),
    ]
}

/// Makes metrics those of a compile that failed.
fn failed(metrics: &mut Value, error: &str, reason: &str) {
    metrics["fail_type"] = error.into();
    metrics["fail_reason"] = reason.into();
}

/// Functions with a thing each that others have too.
fn functions() -> Vec<Row> {
    let each = |name: &str, n, from: &'static str, of: fn(&Stored) -> Vec<Record>| {
        Row::new(name, n, move |n| {
            let log = stored(from);
            log.head().into_iter().chain(copies(&of(&log), n)).collect()
        })
    };
    vec![
        each("functions compiled twice", 5_000, "inputs/04_recompiles", |log| {
            let mut records = with(log.compile(&[]), &FRAMES);
            records.extend(with(log.compile(&["recompile_reasons"]), &AGAIN));
            records
        }),
        each("functions with a failure at a break of their own", 2_500, "inputs/03_graph_breaks", |log| {
            let metrics = |envelope: &mut Value| {
                let metrics = &mut envelope["compilation_metrics"];
                failed(metrics, "Unsupported", "Call number @n");
                metrics["fail_user_frame_filename"] = "/app/a.py".into();
                metrics["fail_user_frame_lineno"] = "@n".into();
            };
            let [start, end] = ["dynamo_start", "compilation_metrics"].map(|event| of_compile(log, event));
            with(vec![start, distinct_break(log), changed(end, metrics)], &FRAMES)
        }),
        each("functions that fix a marked size", 2_500, "inputs/05_dynamic_shapes", |log| {
            let reason = "Constraints violated (x)!\n  - L['x'].size()[0]";
            let metrics = |envelope: &mut Value| {
                failed(&mut envelope["compilation_metrics"], "ConstraintViolationError", reason);
            };
            let [start, end] = ["dynamo_start", "compilation_metrics"].map(|event| of_compile(log, event));
            let fixed = log.first("symbolic_shape_specialization");
            with(vec![start, fixed, changed(end, metrics)], &FRAMES)
        }),
        each("functions that resume behind breaks at one line", 5_000, "inputs/03_graph_breaks", |log| {
            let text = "Graph break in user code at /app/a.py:7\nGraph Break Reason: Call number @n\n  Explanation: none\n\n\
                        User code traceback:\n  File \"/app/a.py\", line 7, in f\n    g()\n";
            let broke = with_payload(log.first("dynamo_graph_break_reason"), text);
            let named = |name: &'static str| {
                move |envelope: &mut Value| {
                    let metrics = &mut envelope["compilation_metrics"];
                    metrics["co_name"] = name.into();
                    metrics["co_filename"] = "/app/a.py".into();
                }
            };
            let [start, end] = ["dynamo_start", "compilation_metrics"].map(|event| of_compile(log, event));
            let resumed = changed(end.clone(), named("torch_dynamo_resume_in_f_at_7"));
            let mut records = with(vec![start.clone(), broke, changed(end, named("f"))], &FRAMES);
            records.extend(with(vec![start, resumed], &AGAIN));
            records
        }),
        Row::new("functions in files of one name", 5_000, |n| {
            let log = stored("inputs/04_recompiles");
            let name = log.first("dynamo_start").like(r#"{"str": ["/app/@n/model.py", @n]}"#, None);
            let mut records = with(log.compile(&[]), &FRAMES);
            let reason = "0/0: x == @n  # return x  # model.py:7 in f";
            let again = with(vec![with_payload(log.first("recompile_reasons"), reason)], &AGAIN);
            records.extend(again.into_iter().chain(with(log.compile(&[]), &AGAIN)));
            for record in &mut records {
                record.edit(|envelope| {
                    for frame in envelope["dynamo_start"]["stack"].as_array_mut().into_iter().flatten() {
                        frame["filename"] = "@n".into();
                    }
                });
            }
            copies(&[name], n).chain(copies(&records, n)).collect()
        }),
        Row::new("compiles of which only the ids are known", 25_000, |n| {
            let log = stored("inputs/01_inference");
            let unknown =
                r#"{"event_of_the_future": {}, "frame_id": @n, "frame_compile_id": 0, "attempt": 0}"#;
            let unknown = log.first("dynamo_start").like(unknown, None);
            log.head().into_iter().chain(copies(&[unknown], n)).collect()
        }),
    ]
}

/// The first record of an event, its metrics without their configuration.
fn of_compile(log: &Stored, event: &str) -> Record {
    let is = |record: &Record| crate::made::is_event(record, event);
    log.compile(&[]).into_iter().find(is).expect("a compile has a start and metrics")
}

/// Things inside one another.
fn nested() -> Vec<Row> {
    let brackets = Row::new("nested brackets of a guard", 50_000, |n| {
        let log = stored("inputs/04_recompiles");
        let guard = format!("0/0: {}x{} == 3", "(".repeat(n), ")".repeat(n));
        let again = with_payload(log.first("recompile_reasons"), &guard);
        log.head().into_iter().chain(log.compile(&[])).chain([again]).collect()
    });
    let operators = Row::new("nested host operators of a trace", 100_000, |_| {
        let log = stored("inputs/01_inference");
        log.head().into_iter().chain(log.compile(&[])).collect()
    });
    vec![brackets, operators.with_trace(host_operators)]
}

/// A trace of that many operators, each called by the one before, which all launch a kernel in the end.
fn host_operators(n: usize) -> String {
    let event = |cat: &str, name: &str, ids: [usize; 2], times: [f64; 2], args: Value| {
        let [ts, dur] = times;
        json!({"ph": "X", "cat": cat, "name": name, "pid": ids[0], "tid": ids[1], "ts": ts, "dur": dur, "args": args})
    };
    let mut events: Vec<Value> = Vec::new();
    for at in 0..n {
        let (begin, end) = (at as f64, 4.0 * n as f64 - at as f64);
        let (id, launch) = (json!({"External id": at}), n as f64 + at as f64 / n as f64);
        events.push(event("cpu_op", "aten::x", [1, 1], [begin, end - begin], id));
        let args = json!({"External id": at, "correlation": at, "device": 0, "stream": 7});
        events.push(event("kernel", "k", [0, 7], [10.0 * begin, 5.0], args.clone()));
        events.push(event("cuda_runtime", "cudaLaunchKernel", [1, 1], [launch, 0.1], args));
    }
    json!({ "traceEvents": events }).to_string()
}
