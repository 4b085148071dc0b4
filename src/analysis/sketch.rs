//! Small models for tests, written as one fact a line: `break 0/0 9 outer:3 inner:9`.
//!
//! A line begins with what it is and the compile that it is about; the last word takes the rest of the line. `that` changes
//! the thing before it. Frames are `function:line` of `/app/x.py`, or of a file of torch as `torch/function:line`.

use crate::analysis::break_costs;
use crate::analysis::builds;
use crate::analysis::guard_texts::GuardTexts;
use crate::analysis::recompiles::{Chain, recompile_chains};
use crate::model::{
    ArtifactIndex, BreakOccurrence, CacheLookup, CompileIndex, ExportKind, ExportProblem, ExportedProgram,
    Failure, Frame, Function, GraphBreak, GuardPrint, InputTensor, Metrics, MetricsKind, MetricsRecord,
    Model, NativeCompile, Outcome, ProblemKind, ProgramFacts, Reason, Recompile, Recorded, RepeatedLines,
    Restart, SideEffect, Specialization, Status, Symbol, TensorDescription, TextFrame, Trouble, TroubleKind,
};
use crate::trace::CompileId;

const FILE: &str = "/app/x.py";
const TORCH: &str = "/venv/lib/python3.11/site-packages/torch/nn/x.py";

/// A model, and guard trees of its compiles.
#[derive(Default)]
pub(in crate::analysis) struct Sketch {
    pub model: Model,
    trees: Vec<(CompileIndex, String)>,
}

impl Sketch {
    /// Reads facts; lines that begin with a sign are for the test.
    pub fn parse(text: &str) -> Sketch {
        let mut sketch = Sketch::default();
        for line in text.lines().filter(|line| line.starts_with(char::is_alphabetic)) {
            let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
            let done = sketch.program(what, rest).is_some()
                || sketch.trouble(what, rest).is_some()
                || sketch.records(what, rest).is_some()
                || sketch.export(what, rest).is_some()
                || sketch.phases(what, rest).is_some()
                || sketch.again(what, rest).is_some()
                || sketch.guards(what, rest).is_some();
            assert!(done, "what is {line}?");
        }
        sketch
    }

    /// The guard trees, as they are read for a report.
    pub fn texts(&self) -> GuardTexts {
        GuardTexts::of_trees(self.trees.clone())
    }

    /// The functions that were compiled again.
    pub fn chains<'s>(&'s self, texts: &GuardTexts) -> Vec<Chain<'s>> {
        recompile_chains(&self.model, &break_costs(&self.model), texts)
    }

    /// What was compiled, how long it took, where it came from.
    fn program(&mut self, what: &str, rest: &str) -> Option<()> {
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        match what {
            "compile" => {
                let index = self.compile(id);
                if let (false, compile) = (rest.is_empty(), &mut self.model.compiles[index.place()]) {
                    let (name, file) = rest.split_once(' ').unwrap_or((rest, FILE));
                    compile.status = Status::Ok;
                    compile.function = Some(function(name, file).into());
                    let facts = Metrics { dynamo_us: Some(1000.0), ..Metrics::default() };
                    compile.metrics.push(MetricsRecord {
                        line: index.place() as u64 + 1,
                        facts,
                        ..MetricsRecord::default()
                    });
                }
            }
            "metrics" => {
                let index = self.compile(id);
                set(&mut self.model.compiles[index.place()].metrics[0].facts, rest);
            }
            "record" => {
                let [line, kind, field] = words(rest);
                let kind = if kind == "runtime" { MetricsKind::Runtime } else { MetricsKind::Forward };
                let mut record = MetricsRecord { kind, line: number(line), ..MetricsRecord::default() };
                set(&mut record.facts, field);
                let index = self.compile(id);
                self.model.compiles[index.place()].metrics.push(record);
            }
            "stack" => {
                let frames = rest.split(' ').map(|frame| self.frame(&text_frame(frame))).collect::<Vec<_>>();
                let index = self.compile(id);
                self.model.compiles[index.place()].stack = Some(frames.into());
            }
            "input" => {
                let [source, sizes] = words(rest);
                let sizes: Vec<String> = sizes.split(',').map(str::to_owned).collect();
                let tensor = TensorDescription {
                    shape: format!("[{}]", sizes.join(", ")),
                    strides: Some(vec!["1".to_owned(); sizes.len()]),
                    sizes,
                    parameter: source.contains("_parameters"),
                    ..TensorDescription::default()
                };
                let input =
                    InputTensor { source: source.into(), tensor: tensor.into(), storage: None, object: None };
                let index = self.compile(id);
                self.model.compiles[index.place()].inputs.push(input);
            }
            _ => return None,
        }
        Some(())
    }

    /// What went wrong.
    fn trouble(&mut self, what: &str, rest: &str) -> Option<()> {
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let compile = CompileId::parse(id);
        let own = |text: &str| text.to_owned();
        match what {
            "break" => {
                let (line, frames) = rest.split_once(' ').unwrap_or((rest, ""));
                let stack: Vec<TextFrame> = frames.split_whitespace().map(text_frame).collect();
                let hit = ArtifactIndex::new(self.compile(id), 0);
                self.model.graph_breaks.push(GraphBreak {
                    reason: own("Data-dependent branching"),
                    file: Some(own(stack.last().map_or(FILE, |frame| &frame.file))),
                    line: Some(number(line)),
                    compiles: vec![compile],
                    count: 1,
                    occurrences: vec![BreakOccurrence { artifact: hit, stack: stack.clone().into() }],
                    stack,
                    ..GraphBreak::default()
                });
            }
            "that" => {
                let last = self.model.graph_breaks.last_mut()?;
                match id {
                    "reason" => last.reason = own(rest),
                    "debug" => last.debug_context = Some(own(rest)),
                    "hit" => last.occurrences[0].stack = rest.split(' ').map(text_frame).collect(),
                    _ => return None,
                }
            }
            "failure" => {
                let [record, line, error, reason] = words(rest);
                let line = line.parse().ok();
                let file = line.map(|_: u64| own(FILE));
                let (reason, error) = (Some(reason.replace("\\n", "\n")), own(error));
                let failure = Failure {
                    compile,
                    error,
                    reason,
                    file,
                    line,
                    record: number(record),
                    ..Failure::default()
                };
                self.model.failures.push(failure);
            }
            "restart" => self.model.restarts.push(Restart { compile, reason: own(rest) }),
            "damage" => self.model.integrity.add(ProblemKind::BadJson, number(id), rest),
            _ => return None,
        }
        Some(())
    }

    /// What an export found and made: `problem 0/0 Undecided u0 > 2`, of the size of `L['x']`, and `program 1/0 s77`, where
    /// `s77` is dynamic.
    fn export(&mut self, what: &str, rest: &str) -> Option<()> {
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        match what {
            "problem" => {
                let [kind, subject] = words(rest);
                let kind = match kind {
                    "GuardEvaluated" => ExportKind::GuardEvaluated,
                    "Undecided" => ExportKind::Undecided,
                    "Stopped" => ExportKind::Stopped,
                    _ => return None,
                };
                let loc = Some("if n > 2:".to_owned());
                let calls = vec![TextFrame { loc, ..text_frame("forward:3") }];
                let (compile, source) = (self.compile(id), Some("L['x'].size()[0]".to_owned()));
                let subject = subject.to_owned();
                let problem =
                    ExportProblem { compile, kind, subject, source, calls, ..ExportProblem::default() };
                self.model.export.problems.push(ExportProblem { line: 1, ..problem });
            }
            "program" => {
                let ranges =
                    rest.split_whitespace().map(|symbol| (symbol.to_owned(), String::new())).collect();
                let facts = Some(ProgramFacts { ranges, ..ProgramFacts::default() });
                let compile = self.compile(id);
                self.model.export.programs.push(ExportedProgram { compile, artifact: 0, line: 9, facts });
            }
            _ => return None,
        }
        Some(())
    }

    /// What torch records of caches, regions and kernels.
    fn records(&mut self, what: &str, rest: &str) -> Option<()> {
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let own = |text: &str| text.to_owned();
        match what {
            "cache" => {
                let [cache, outcome, reason] = words(rest);
                let outcome = match outcome {
                    "hit" => Outcome::Hit,
                    "miss" => Outcome::Miss,
                    _ => Outcome::Bypass,
                };
                let (cache, key) = cache.split_once('=').unwrap_or((cache, cache));
                let artifact = ArtifactIndex::new(self.compile(id), 0);
                self.model.caches.push(CacheLookup {
                    artifact,
                    compile: CompileId::parse(id),
                    attempt: 0,
                    cache: own(cache),
                    outcome,
                    key: Some(own(key)),
                    reason: Some(reason.replace("\\n", "\n")),
                    saved_ns: None,
                    asked_ns: None,
                    stored_ns: None,
                });
            }
            "region" | "unstored" => {
                let kind =
                    if what == "region" { TroubleKind::BackwardVariant } else { TroubleKind::NotStored };
                let [subject, text] = words(rest);
                let compile = self.compile(id);
                self.model.troubles.push(Trouble {
                    kind,
                    compile,
                    subject: Some(own(subject)),
                    text: own(text),
                });
            }
            "native" => {
                let [op, dsl, compiled, us, key] = words(rest);
                let compiled = compiled == "compiled";
                let (op, dsl, key, us) = (own(op), own(dsl), own(key), number(us) as f64);
                let compile = self.compile(id);
                self.model.native_compiles.push(NativeCompile { compile, op, dsl, compiled, key, us });
            }
            _ => return None,
        }
        Some(())
    }

    /// Where the time went, and settings: `built` are the phases of a log that builds kernels, `phase` is a further one.
    fn phases(&mut self, what: &str, rest: &str) -> Option<()> {
        let [place, one, two, three] = words(rest);
        let us = |seconds: &str| seconds.parse::<f64>().unwrap() * 1e6;
        match what {
            "built" => self.model = builds::tests::model(),
            "phase" => {
                let (start, end) = (us(two) / 1e6, us(three) / 1e6);
                self.model.spans.push(builds::tests::span(place, one.parse().ok(), start, end));
            }
            "until" => self.model.spans.truncate(number(place) as usize),
            "times" => {
                let span = &mut self.model.spans[number(place) as usize];
                (span.start_us, span.end_us) = (us(one), us(two));
            }
            "named" => self.model.spans[number(place) as usize].name = one.into(),
            "threads" => self.model.inductor.compile_threads = Some(number(place)),
            "cudagraphs" => self.model.inductor.cudagraphs = Some(true),
            "repeats" => {
                let lines = RepeatedLines {
                    times: number(one) as usize,
                    lines: number(two) as usize,
                    first: text_frame("forward:175"),
                    alike: three == "alike",
                };
                let index = self.compile(place);
                self.model.compiles[index.place()].repeated = Some(lines.into());
            }
            "device" => {
                let tensor = TensorDescription { device: one.to_owned(), ..TensorDescription::default() };
                let input = InputTensor {
                    source: "L['x']".into(),
                    tensor: tensor.into(),
                    storage: None,
                    object: None,
                };
                let index = self.compile(place);
                self.model.compiles[index.place()].inputs.push(input);
            }
            _ => return None,
        }
        Some(())
    }

    /// Why something was compiled again.
    fn again(&mut self, what: &str, rest: &str) -> Option<()> {
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let own = |text: &str| text.to_owned();
        match what {
            "again" => {
                let (against, guard) = match rest.split_once(" failed: ") {
                    Some((against, guard)) => (Some(own(against)), guard),
                    None => (None, rest),
                };
                let id = CompileId::parse(id);
                let reason = Reason { against, text: own(guard), guard: own(guard), ..Reason::default() };
                let reasons: Vec<Reason> = Some(reason).filter(|_| !rest.is_empty()).into_iter().collect();
                match self.model.recompiles.last_mut().filter(|last| last.compile == id) {
                    Some(last) => last.reasons.extend(reasons),
                    None => self.model.recompiles.push(Recompile { compile: id, writer: 1, reasons }),
                }
            }
            "writer" => self.model.recompiles.last_mut()?.writer = number(rest),
            "limit" => self.model.recompile_limit = Some(number(rest)),
            "dynamic" => {
                let compile = self.compile(id);
                self.model.dynamic_sources.push((compile, own(rest)));
            }
            _ => return None,
        }
        Some(())
    }

    /// Guards, sizes and values.
    fn guards(&mut self, what: &str, rest: &str) -> Option<()> {
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let own = |text: &str| text.to_owned();
        let compile = self.compile(id);
        let at = Recorded { compile, ..Recorded::default() };
        match what {
            "prints" => {
                let print = |pair: &str| {
                    let (place, condition) = pair.split_once(':').unwrap();
                    GuardPrint { place: number(place), condition: number(condition) }
                };
                let prints = rest.split(' ').map(print).collect();
                self.model.guards.entry(compile).or_default().prints = prints;
            }
            "value" => self.model.guards.entry(compile).or_default().values.push(own(rest)),
            "symbol" => {
                let [source, hint] = words(rest);
                let (source, hint) = (Some(own(source)), Some(own(hint)));
                self.model.shapes.symbols.push(Symbol { at, source, hint, ..Symbol::default() });
            }
            "fixed" => {
                let [source, value, reason, line] = words(rest);
                let frame = TextFrame { loc: Some(own(line)), ..text_frame("f:2") };
                let user_stack = Some([self.frame(&frame)].into()).filter(|_| !line.is_empty());
                self.model.shapes.add_specialization(Specialization {
                    at,
                    sources: vec![own(source)],
                    value: own(value),
                    reason: Some(own(reason)).filter(|reason| reason != "-"),
                    user_stack,
                    ..Specialization::default()
                });
            }
            "effect" => {
                let [source, line] = words(rest);
                let frames = vec![TextFrame { loc: Some(own(line)), ..text_frame("forward:1") }];
                self.model.side_effects.push(SideEffect { compile, source: own(source), frames });
            }
            "tree" | "tensor" => {
                let guard = match what {
                    "tensor" => tensor_guard(rest),
                    _ => own(rest),
                };
                let line = format!("| +- {guard}  # return x  # a.py:8 in f\n");
                match self.trees.iter_mut().find(|(of, _)| *of == compile) {
                    Some((_, tree)) => tree.push_str(&line),
                    None => self.trees.push((compile, line)),
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn compile(&mut self, id: &str) -> CompileIndex {
        self.model.compile_index(CompileId::parse(id).as_ref())
    }

    fn frame(&mut self, frame: &TextFrame) -> Frame {
        let file = self.model.strings.literal(&frame.file);
        let loc = frame.loc.as_deref().map(Into::into);
        Frame { file, line: Some(frame.line), name: frame.function.as_str().into(), loc }
    }
}

fn function(name: &str, file: &str) -> Function {
    let file = if file == "torch" { TORCH } else { file };
    Function { name: name.to_owned(), file: Some(file.to_owned()).filter(|file| file != "-"), line: Some(1) }
}

fn text_frame(text: &str) -> TextFrame {
    let (function, line) = text.rsplit_once(':').unwrap_or((text, "0"));
    let (file, function) = function.split_once("torch/").map_or((FILE, function), |(_, name)| (TORCH, name));
    let loc = Some(format!("line {line}"));
    TextFrame { file: file.to_owned(), line: number(line), function: function.to_owned(), loc }
}

/// The guard on a tensor of `L['x'] 4`, its size; `None` is any.
fn tensor_guard(text: &str) -> String {
    let [source, size] = words(text);
    format!(
        "TENSOR_MATCH: check_tensor({source}, Tensor, DispatchKeySet(CPU), torch.float32, device=None, \
         requires_grad=False, size=[{size}], stride=[1])"
    )
}

/// Sets a field of metrics: `wasted_us 500`.
fn set(facts: &mut Metrics, text: &str) {
    let [field, value] = words(text);
    let us = value.parse().ok();
    match field {
        "dynamo_us" => facts.dynamo_us = us,
        "wasted_us" => facts.wasted_us = us,
        "guard_latency_us" => facts.guard_latency_us = us,
        "guard_count" => facts.guard_count = Some(number(value)),
        "runtime_tuning_us" => facts.runtime_tuning_us = us,
        "cudagraph_skip_reason" => facts.cudagraph_skip_reason = Some(value.into()),
        _ => panic!("no field {field}"),
    }
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

/// The words of a text; the last takes the rest, and those that are missing are empty.
fn words<const N: usize>(text: &str) -> [&str; N] {
    let mut found = text.splitn(N, ' ');
    [(); N].map(|()| found.next().unwrap_or_default())
}
