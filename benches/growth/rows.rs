//! The rows of the table: logs that are large in one dimension, or in two.

use crate::made::{Made, Record, Stored, copies, joined, stored, stored_logs, with};
use serde_json::{Value, json};

/// A kind of log.
pub struct Row {
    pub name: String,
    /// How many things the smaller log has.
    pub n: usize,
    pub make: Box<dyn Fn(usize) -> Made>,
    /// A trace of torch.profiler beside the log.
    pub trace: Option<fn(usize) -> String>,
}

impl Row {
    pub fn new(name: impl Into<String>, n: usize, make: impl Fn(usize) -> Vec<Record> + 'static) -> Row {
        let make = move |n| vec![("dedicated_log_torch_trace_made.log".to_owned(), make(n))];
        Row { name: name.into(), n, make: Box::new(make), trace: None }
    }

    fn of_job(name: &str, n: usize, make: impl Fn(usize) -> Made + 'static) -> Row {
        Row { name: name.to_owned(), n, make: Box::new(make), trace: None }
    }

    pub fn with_trace(self, trace: fn(usize) -> String) -> Row {
        Row { trace: Some(trace), ..self }
    }
}

/// Every kind of log that is measured.
pub fn rows() -> Vec<Row> {
    [many_compiles(), many_in_a_compile(), crate::joined::rows(), long_texts(), many_ranks(), long_payloads()]
        .into_iter()
        .flatten()
        .collect()
}

const FIRST: (&str, &str) = ("attempt", "0");

/// Logs of many compiles: each of these records with another id.
fn many_compiles() -> Vec<Row> {
    let each =
        |name: &str, n, from: &'static str, events: &'static [&'static str], ids: &'static [(&str, &str)]| {
            Row::new(name, n, move |n| {
                let log = stored(from);
                let compile = with(log.compile(events), ids);
                log.head().into_iter().chain(copies(&compile, n)).collect()
            })
        };
    let frames: &[(&str, &str)] = &[("frame_id", "@n"), ("frame_compile_id", "0"), FIRST];
    let versions: &[(&str, &str)] = &[("frame_id", "0"), ("frame_compile_id", "@n"), FIRST];
    let attempts: &[(&str, &str)] = &[("frame_id", "0"), ("frame_compile_id", "0"), ("attempt", "@n")];
    let recompile = &["recompile_reasons", "dynamo_cpp_guards_str"];
    vec![
        each("functions", 25_000, "inputs/01_inference", &[], frames),
        each(
            "functions with graphs",
            4_000,
            "inputs/01_inference",
            &["dynamo_output_graph", "aot_inference_graph"],
            frames,
        ),
        each(
            "functions with breaks",
            4_000,
            "inputs/03_graph_breaks",
            &["dynamo_graph_break_reason"],
            frames,
        ),
        each(
            "functions with tensors",
            4_000,
            "inputs/01_inference",
            &["describe_tensor", "describe_storage", "describe_source"],
            frames,
        ),
        each("functions with caches", 2_000, "inputs/08_cache_miss", &["fx_graph_cache_miss"], frames),
        each("functions that failed", 4_000, "inputs/06_errors", &["dynamo_error"], frames),
        each("recompiles of a function", 1_500, "inputs/04_recompiles", recompile, versions),
        each("recompiles without guards", 10_000, "inputs/04_recompiles", &["recompile_reasons"], versions),
        each("attempts with metrics", 4_000, "inputs/01_inference", &[], attempts),
        each("attempts with graphs", 4_000, "inputs/01_inference", &["dynamo_output_graph"], attempts),
        Row::new("recompiles, each with all reasons before it", 200, all_reasons),
    ]
}

/// A chain in which each recompile names every earlier version: the payloads grow with the square, and so the log.
fn all_reasons(n: usize) -> Vec<Record> {
    let log = stored("inputs/04_recompiles");
    let ids = [("frame_id", "0"), ("frame_compile_id", "@n"), FIRST];
    let compile = with(log.compile(&["recompile_reasons"]), &ids);
    let mut records = log.head();
    // The square root: the log is to be four times as large.
    let count = (n as f64).sqrt() as usize * 14;
    for number in 0..count {
        for record in copies(&compile, number + 1).skip(number * compile.len()) {
            let mut record = record;
            if !record.payload.is_empty() {
                let reason = |at| {
                    format!(
                        "0/{at}: tensor 'x' size mismatch at index 1. expected {at}, actual {}",
                        number + 1
                    )
                };
                record.set_payload(joined(number, "\n", reason).as_bytes());
            }
            records.push(record);
        }
    }
    records
}

/// Logs in which one compile has many of something.
fn many_in_a_compile() -> Vec<Row> {
    let repeated = |name: &str, n, from: &'static str, event: &'static str| {
        Row::new(name, n, move |n| {
            let log = stored(from);
            let records = [log.first(event)];
            log.head().into_iter().chain(log.compile(&[])).chain(copies(&records, n)).collect()
        })
    };
    vec![
        repeated("files of a compile", 4_000, "inputs/01_inference", "dynamo_output_graph"),
        repeated("breaks of a compile", 2_000, "inputs/03_graph_breaks", "dynamo_graph_break_reason"),
        repeated("tensors of a compile", 10_000, "inputs/01_inference", "describe_tensor"),
        repeated("symbols of a compile", 2_000, "inputs/05_dynamic_shapes", "create_symbol"),
        repeated("guards on sizes", 2_000, "inputs/05_dynamic_shapes", "guard_added_fast"),
        repeated("specializations", 2_000, "inputs/05_dynamic_shapes", "symbolic_shape_specialization"),
        repeated("cache entries of a compile", 1_000, "inputs/08_cache_miss", "fx_graph_cache_miss"),
        repeated("errors of a compile", 1_000, "inputs/06_errors", "dynamo_error"),
        repeated("metrics of one compile", 1_000, "inputs/01_inference", "compilation_metrics"),
        repeated(
            "reasons of one recompile, record by record",
            2_000,
            "inputs/04_recompiles",
            "recompile_reasons",
        ),
        repeated("spans of the compiler", 20_000, "inputs/01_inference", "chromium_event"),
        repeated("expressions of an export", 2_000, "inputs/11_export_dtrace", "expression_created"),
        repeated("guards of an export", 2_000, "inputs/11_export_draft", "propagate_real_tensors_provenance"),
        repeated("pieces of vLLM", 4_000, "inputs/22_vllm_new", "vllm_piecewise_compile_start"),
        repeated("files that were dumped", 2_000, "inputs/23_dump_file", "dump_file"),
        repeated("links", 10_000, "inputs/23_dump_file", "link"),
        Row::new("events that nobody knows", 10_000, |n| {
            let log = stored("inputs/01_inference");
            let like = log.first("dynamo_start");
            let unknown = like.like(
                r#"{"event_of_the_future": {"x": @n}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}"#,
                None,
            );
            log.head().into_iter().chain(log.compile(&[])).chain(copies(&[unknown], n)).collect()
        }),
        in_metrics("reasons to start over", 10_000, "restart_reasons", |n| {
            (0..n).map(|at| format!("Failed to trace builtin operator {at}")).collect()
        }),
        in_metrics("operators that are not compliant", 10_000, "non_compliant_ops", |n| {
            (0..n).map(|at| format!("mylib::op{at}")).collect()
        }),
        in_metrics("frames of a stack in metrics", 10_000, "stack_trace", |n| {
            (0..n).map(|at| format!("Line: {at}, Name: f{at}, Filename: /app/s.py")).collect()
        }),
        Row::new("fields of metrics", 10_000, |n| {
            changed_compile("inputs/01_inference", "compilation_metrics", |envelope| {
                for at in 0..n {
                    envelope["compilation_metrics"][format!("field_{at}")] = at.into();
                }
            })
        }),
        Row::new("frames of a stack", 4_000, |n| {
            changed_compile("inputs/01_inference", "dynamo_start", |envelope| {
                let frame =
                    |at: usize| json!({"line": at, "name": format!("f{at}"), "filename": 0, "loc": "f()"});
                envelope["dynamo_start"]["stack"] = (0..n).map(frame).collect();
            })
        }),
    ]
}

/// A list in the metrics of a compile.
fn in_metrics(name: &str, n: usize, field: &'static str, list: fn(usize) -> Vec<String>) -> Row {
    Row::new(name, n, move |n| {
        changed_compile("inputs/03_graph_breaks", "compilation_metrics", |envelope| {
            envelope["compilation_metrics"][field] = list(n).into();
        })
    })
}

/// A compile with one record changed.
fn changed_compile(from: &str, event: &str, change: impl FnOnce(&mut Value)) -> Vec<Record> {
    let log = stored(from);
    let mut compile = log.compile(&[]);
    let record = compile.iter_mut().find(|record| crate::made::is_event(record, event)).unwrap();
    record.edit(change);
    log.head().into_iter().chain(compile).collect()
}

/// One long text, and a long text that many records refer to.
fn long_texts() -> Vec<Row> {
    let mut rows = Vec::new();
    let long = |n: usize, unit: &str| unit.repeat(n / unit.len());
    for (unit, what) in [
        ("class=", "class="),
        ("<&\"'", "markup"),
        ("x", "letters"),
        ("a.b[0].", "a path"),
        ("\u{202e}é", "odd characters"),
    ] {
        for (name, change) in CHANGES {
            rows.push(Row::new(format!("a long {name} of {what}"), 90_000, move |n| {
                let text = long(n, unit);
                let log = stored("inputs/03_graph_breaks");
                let mut compile = log.compile(&[
                    "dynamo_graph_break_reason",
                    "dynamo_output_graph",
                    "dynamo_cpp_guards_str",
                ]);
                let mut head = log.head();
                change(&mut head, &mut compile, &text);
                head.into_iter().chain(compile).collect()
            }));
        }
    }
    for (name, change) in CHANGES {
        rows.push(Row::new(format!("a long {name}, many times"), 500, move |n| {
            let log = stored("inputs/03_graph_breaks");
            let compile = log.compile(&["dynamo_graph_break_reason"]);
            let mut compile = with(compile, &[("frame_id", "@n"), ("frame_compile_id", "0"), FIRST]);
            let mut head = log.head();
            // Only names of the string table are shared by records: all others are as often in the log as they are long.
            let length = if name == "file name" { 500 * n } else { 2_000 };
            change(&mut head, &mut compile, &long(length, "long/name "));
            head.into_iter().chain(copies(&compile, n)).collect()
        }));
    }
    rows
}

/// Puts a text into the strings and the records of a compile.
type Change = fn(&mut [Record], &mut [Record], &str);

/// Where a long text may stand.
const CHANGES: [(&str, Change); 6] = [
    ("file name", |head, _, text| {
        for record in head.iter_mut().filter(|record| crate::made::is_event(record, "str")) {
            record.edit(|envelope| envelope["str"][0] = format!("/app/{text}.py").into());
        }
    }),
    ("function name", |_, compile, text| {
        in_frames(compile, "name", text);
        of_event(compile, "compilation_metrics")
            .edit(|envelope| envelope["compilation_metrics"]["co_name"] = text.into());
    }),
    ("line of source", |_, compile, text| in_frames(compile, "loc", text)),
    ("reason of a failure", |_, compile, text| {
        of_event(compile, "compilation_metrics").edit(|envelope| {
            envelope["compilation_metrics"]["fail_type"] = "Unsupported".into();
            envelope["compilation_metrics"]["fail_reason"] = text.into();
        });
    }),
    ("reason of a break", |_, compile, text| {
        let record = of_event(compile, "dynamo_graph_break_reason");
        let payload = String::from_utf8(record.text()).unwrap().replace("builtin operator", text);
        record.set_payload(payload.as_bytes());
    }),
    ("name of an artifact", |_, compile, text| {
        let record = of_event(compile, "dynamo_graph_break_reason");
        record.edit(|envelope| envelope["artifact"]["name"] = text.into());
    }),
];

fn of_event<'a>(records: &'a mut [Record], event: &str) -> &'a mut Record {
    records.iter_mut().find(|record| crate::made::is_event(record, event)).unwrap()
}

fn in_frames(compile: &mut [Record], field: &str, text: &str) {
    of_event(compile, "dynamo_start").edit(|envelope| {
        for frame in envelope["dynamo_start"]["stack"].as_array_mut().unwrap() {
            frame[field] = text.into();
        }
    });
}

/// Payloads with many lines or many entries.
fn long_payloads() -> Vec<Row> {
    let payload =
        |name: &str, n, from: &'static str, event: &'static str, text: fn(&Stored, usize) -> String| {
            Row::new(name, n, move |n| {
                let log = stored(from);
                let mut record = log.first(event);
                record.set_payload(text(&log, n).as_bytes());
                log.head().into_iter().chain(log.compile(&[])).chain([record]).collect()
            })
        };
    vec![
        payload("lines of a graph", 10_000, "inputs/01_inference", "aot_inference_graph", |_, n| graph(n)),
        payload(
            "lines of generated code",
            10_000,
            "inputs/01_inference",
            "inductor_output_code",
            |log, n| {
                let code = String::from_utf8(log.first("inductor_output_code").text()).unwrap();
                joined(1 + n / code.lines().count(), "\n", |_| code.clone())
            },
        ),
        payload("guards of a compile", 10_000, "inputs/01_inference", "dynamo_cpp_guards_str", |_, n| {
            let guard = |at| {
                format!("| +- LAMBDA_GUARD: L['x'].size()[{at}] == {at}  # return x + 1  # app.py:{at} in f")
            };
            format!("\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n{}", joined(n, "\n", guard))
        }),
        payload("nested guards", 200, "inputs/01_inference", "dynamo_cpp_guards_str", |_, n| {
            let guard = |at| {
                format!(
                    "{}+- GuardManager: source=L['x'][{at}], accessed_by=DictGetItemGuardAccessor('x{at}')",
                    "| ".repeat(at)
                )
            };
            format!(
                "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n{}",
                joined(14 * (n as f64).sqrt() as usize, "\n", guard)
            )
        }),
        payload("reasons of a recompile", 4_000, "inputs/04_recompiles", "recompile_reasons", |_, n| {
            joined(n, "\n", |at| {
                format!("0/{at}: tensor 'x' size mismatch at index 1. expected {at}, actual 6")
            })
        }),
        payload(
            "components of a cache key",
            4_000,
            "inputs/08_cache_miss",
            "fx_graph_cache_miss",
            |log, n| {
                let mut entry: Value =
                    serde_json::from_slice(&log.first("fx_graph_cache_miss").text()).unwrap();
                entry["components"] = (0..n).map(|at| format!("[key{at}] part[{at}]: {at}")).collect();
                entry.to_string()
            },
        ),
        payload("lines of an error", 10_000, "inputs/06_errors", "dynamo_error", |_, n| {
            let frame = |at| format!("  File \"/app/s.py\", line {at}, in f{at}\n    f()");
            format!("Traceback (most recent call last):\n{}\nValueError: no", joined(n, "\n", frame))
        }),
        payload(
            "nodes of a mapping",
            2_000,
            "inputs/09_provenance",
            "inductor_provenance_tracking_node_mappings",
            mapping,
        ),
        Row::new("nodes with provenance", 1_000, provenance),
    ]
}

/// A graph of that many nodes.
fn graph(n: usize) -> String {
    let node = |at: usize| {
        format!(
            "        add_{}: \"f32[64, 32][32, 1]cpu\" = torch.ops.aten.add.Tensor(add_{at}, 1);  add_{at} = None",
            at + 1
        )
    };
    format!(
        "class <lambda>(torch.nn.Module):\n    def forward(self, add_0: \"f32[64, 32][32, 1]cpu\"):\n{}\n        return (add_{n},)\n        ",
        joined(n, "\n", node)
    )
}

fn mapping(_: &Stored, n: usize) -> String {
    let pairs = |to: &str| {
        (0..n)
            .map(|at| (format!("add_{at}"), json!([format!("{to}{at}")])))
            .collect::<serde_json::Map<_, _>>()
    };
    json!({
        "preToPost": pairs("add_"), "postToPre": pairs("add_"),
        "cppCodeToPost": pairs("add_"), "postToCppCode": pairs("cpp_fused_add_"), "version": 2.0,
    })
    .to_string()
}

/// A compile with graphs, code and mappings of that many nodes.
fn provenance(n: usize) -> Vec<Record> {
    let log = stored("inputs/09_provenance");
    let mut records = log.head();
    records.extend(log.compile(&[]));
    for event in ["before_pre_grad_graph", "after_pre_grad_graph", "inductor_post_grad_graph"] {
        let mut record = log.first(event);
        record.set_payload(graph(n).as_bytes());
        records.push(record);
    }
    let mut code = log.first("inductor_output_code");
    let kernel = |at: usize| {
        format!(
            "cpp_fused_add_{at} = async_compile.cpp_pybinding(['float*'], r'''\nextern \"C\" void kernel(float* p)\n{{\n    p[{at}] = 1;\n}}\n''')\n"
        )
    };
    let call = |at: usize| format!("        cpp_fused_add_{at}(buf{at})");
    let text = format!(
        "import torch\n{}\nclass Runner:\n    def call(self, args):\n{}\n        return (buf0,)\n",
        joined(n, "\n", kernel),
        joined(n, "\n", call)
    );
    code.set_payload(text.as_bytes());
    let mut map = log.first("inductor_provenance_tracking_node_mappings");
    map.set_payload(mapping(&log, n).as_bytes());
    records.extend([code, map]);
    records
}

/// Ranks in one log, ranks of a job, and what ranks execute.
fn many_ranks() -> Vec<Row> {
    vec![
        Row::new("ranks in one log", 25, |n| {
            let log = stored("inputs/01_inference");
            let compile = with(
                log.compile(&[]),
                &[("frame_id", "0"), ("frame_compile_id", "0"), FIRST, ("rank", "@n")],
            );
            log.head().into_iter().chain(copies(&compile, n)).collect()
        }),
        Row::of_job("ranks of a job", 16, |n| {
            let log = stored("jobs/13_div_healthy");
            let compile = with(log.compile(&["inductor_collective_schedule"]), &[("rank", "@n")]);
            let rank = |at: usize| {
                let records = compile.iter().map(|record| crate::made::numbered(record, at));
                (
                    format!("dedicated_log_torch_trace_rank_{at}_made.log"),
                    log.head().into_iter().chain(records).collect(),
                )
            };
            (0..n).map(rank).collect()
        }),
        Row::of_job("executions of graphs with collectives", 5_000, |n| executions(n, 200)),
        Row::of_job("collectives of a graph", 5_000, |n| executions(4, n)),
        Row::of_job("executions times collectives", 400, |n| executions(n, n)),
        Row::of_job("estimates of operators", 1_000, operators),
    ]
}

/// Two ranks, each with two graphs of `collectives` that are executed that often.
fn executions(executions: usize, collectives: usize) -> Made {
    ranks(move |log| {
        let mut records = log.head();
        let ids = [("frame_id", "0"), ("frame_compile_id", "@n"), FIRST];
        let mut compile = with(log.compile(&["inductor_collective_schedule"]), &ids);
        let each = |at: usize| format!("\"torch.ops._c10d_functional.all_reduce_{}.default\"", at % 7);
        of_event(&mut compile, "inductor_collective_schedule")
            .set_payload(format!("[\n{}\n]", joined(collectives, ",\n", each)).as_bytes());
        records.extend(copies(&compile, 2));
        let mut order = log.first("graph_execution");
        let ids = joined(executions, ",\n", |at| format!("{{\"compile_id\": \"0/{}\"}}", at % 2));
        order.set_payload(format!("{{\"graph_execution_order\": [\n{ids}\n]}}").as_bytes());
        records.push(order);
        records
    })
}

/// Two ranks with a graph of that many operators.
fn operators(n: usize) -> Made {
    ranks(move |log| {
        let mut records = log.head();
        let mut compile = log.compile(&["inductor_runtime_and_tensor_meta"]);
        let operator = |at: usize| json!({"name": format!("op{at}"), "type": "compute", "estimated_runtime_ns": at, "outputs": [{"shape": [at, 16], "stride": [16, 1], "dtype": "float32"}]});
        let operators: Value = (0..n).map(operator).collect();
        of_event(&mut compile, "inductor_runtime_and_tensor_meta")
            .set_payload(json!({"ops": operators}).to_string().as_bytes());
        records.extend(compile);
        records
    })
}

/// Both ranks of a stored job, each made of its own log.
fn ranks(make: impl Fn(&Stored) -> Vec<Record>) -> Made {
    let logs = stored_logs("inputs/13_div_colls");
    let made = |(rank, log): (usize, &Stored)| {
        (format!("dedicated_log_torch_trace_rank_{rank}_made.log"), make(log))
    };
    logs.iter().enumerate().map(made).collect()
}
