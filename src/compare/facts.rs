//! Extracts the facts to compare from the `report.json` of a log.

use super::items;
use super::recording::{
    Compile, Function, Launched, LogRun, Lookup, Measured, STRIDES, Seconds, Setting, Spread, TextFile,
    TimePart, Told,
};
use crate::analysis::{CodeText, UserPlace, resumed};
use crate::facts::{self as log, LogReport};
use crate::facts::{StepsFrom, Text, line_number, owned, setting_value};
use crate::limits::{LONGEST_LINE, NAMED, SENTENCE, TRIED};
use crate::model::{CompilerPart, Fields, InputDims};
use crate::rel_path::RelPath;
use crate::report_folder::ReportFolder;
use crate::trace::{CompileId, TextMap};
use std::collections::{BTreeMap, BTreeSet};

/// Fields of a metrics record with configurations, and the names of the configurations.
const CONFIGS: [(&str, &str); 4] = [
    ("dynamo_config", "dynamo"),
    ("inductor_config", "inductor"),
    ("functorch_config", "functorch"),
    ("compiler_config", "compiler"),
];

/// All facts of a log.
pub(super) fn log_run(report: &LogReport<'_>) -> LogRun {
    let by_compile = Facts::of(report);
    LogRun {
        log: report.log.clone(),
        folder: String::new(),
        report: ReportFolder::default(),
        torch: report.torch.as_ref().and_then(|torch| torch.version.as_ref()).map(Text::owned),
        total_s: report.compile_time.total_s,
        parts: by_compile.whole,
        items: items::of_problems(report),
        settings: settings(report),
        measured: report.performance.as_ref().map(measured),
        functions: functions(report, &by_compile),
    }
}

/// The first characters of a text.
fn short(text: &str) -> String {
    text.chars().take(LONGEST_LINE).collect()
}

/// The first characters of a name.
fn name(text: &str) -> String {
    text.chars().take(SENTENCE).collect()
}

fn names(text: Option<&Text<'_>>) -> Option<String> {
    text.map(|text| name(text))
}

/// Lists of the report that are not part of its compiles, by compile id.
struct Facts<'r> {
    whole: Seconds,
    lookups: TextMap<&'r str, BTreeMap<String, Vec<Lookup>>>,
    inputs: Option<TextMap<&'r str, BTreeMap<String, String>>>,
    one_offs: TextMap<&'r str, Vec<&'r log::OneOff<'r>>>,
    code: TextMap<&'r str, &'r log::CodeKey<'r>>,
}

impl<'r> Facts<'r> {
    fn of(report: &'r LogReport<'r>) -> Facts<'r> {
        let mut facts = Facts {
            whole: Seconds::default(),
            lookups: TextMap::default(),
            inputs: report.cross_rank.inputs.as_ref().map(|all| inputs(all)),
            one_offs: TextMap::default(),
            code: report.cross_rank.code.iter().flatten().map(|code| (&*code.id, code)).collect(),
        };
        for lookup in &report.caches {
            let Some(id) = &lookup.compile_id else { continue };
            let of_compile = facts.lookups.entry(id).or_default();
            of_compile.entry(lookup.cache.owned()).or_default().push(Lookup {
                outcome: lookup.outcome.owned(),
                key: owned(&lookup.key),
                file: lookup.path.as_deref().and_then(RelPath::new),
            });
        }
        let toolchain: Vec<&log::OneOff<'_>> =
            report.compile_time.one_offs.iter().filter(|one| &*one.kind == "toolchain").collect();
        facts.whole = parts(&report.compile_time.parts, &toolchain);
        for one in toolchain {
            let Some(id) = &one.compile_id else { continue };
            facts.one_offs.entry(id).or_default().push(one);
        }
        facts
    }
}

/// The parts in the report, and of the kernel builds the trial of the C++ compiler.
fn parts(listed: &[log::Part<'_>], toolchain: &[&log::OneOff<'_>]) -> Seconds {
    let mut parts = Seconds::default();
    for part in listed.iter().filter(|part| part.seconds.is_finite()) {
        let of = CompilerPart::named(part.name.as_deref()).map_or(TimePart::Other, TimePart::Of);
        parts.add(of, part.seconds);
    }
    for one in toolchain.iter().filter(|one| one.seconds.is_finite()) {
        parts.add(TimePart::Toolchain, one.seconds);
    }
    parts.without(&Seconds::default())
}

/// Names, dtypes, sizes and strides of the input tensors, by compile.
fn inputs<'r>(all: &'r [log::Inputs<'r>]) -> TextMap<&'r str, BTreeMap<String, String>> {
    let described = |input: &log::Input<'_>| {
        let strides = input.strides.as_ref().map(|strides| format!("{STRIDES}{}", &**strides));
        (
            name(&input.name),
            name(&format!("{}{}{}", &*input.dtype, &*input.sizes, strides.unwrap_or_default())),
        )
    };
    let known = all.iter().filter_map(|inputs| Some((&**inputs.compile_id.as_ref()?, inputs)));
    known.map(|(id, inputs)| (id, inputs.tensors.iter().map(described).collect())).collect()
}

/// The functions of a log in the order in which they first appear. A compile without a function is of the function that its
/// frame has in other compiles, or else of the frame.
fn functions(report: &LogReport<'_>, facts: &Facts<'_>) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    let mut known: TextMap<(&str, &str, Option<u64>), usize> = TextMap::default();
    let mut frames: TextMap<&str, (&str, &str, Option<u64>)> = TextMap::default();
    let readers = report.cross_rank.names.iter().flat_map(|all| all.iter());
    let readers: TextMap<&str, &log::ReaderName<'_>> = readers.map(|one| (&*one.id, one)).collect();
    for compile in &report.compiles {
        let Some(id) = &compile.id else { continue };
        let frame = id.rsplit_once('/').map_or(&**id, |(frame, _)| frame);
        let known_name = compile.function.as_ref().and_then(|of| Some((of, of.name.as_deref()?)));
        let key = match known_name {
            Some((of, name)) => {
                let key = (name, of.file.as_deref().unwrap_or_default(), line_number(of.line));
                frames.insert(frame, key);
                key
            }
            None => frames.get(frame).copied().unwrap_or((frame, "", None)),
        };
        let place = *known.entry(key).or_insert_with(|| {
            let file = names(known_name.and_then(|(of, _)| of.file.as_ref()));
            let line = known_name.and_then(|(of, _)| line_number(of.line));
            let told = told(frame, known_name.map(|(of, _)| of), readers.get(&**id).copied());
            let class = known_name.and_then(|(_, own)| told.name.strip_suffix(own)?.strip_suffix('.'));
            functions.push(Function {
                name: known_name.map_or_else(|| format!("frame {frame}"), |(_, known)| name(known)),
                class: class.map(str::to_owned),
                told,
                file,
                line,
                compiles: Vec::new(),
            });
            functions.len() - 1
        });
        if let Some(function) = functions.get_mut(place) {
            function.compiles.push(compile_of(compile, id, facts));
        }
    }
    functions
}

/// What a reader calls a function: as its definition says, or as the pages do where torch's name is another.
fn told(frame: &str, function: Option<&log::Function<'_>>, reader: Option<&log::ReaderName<'_>>) -> Told {
    let torch = function.and_then(|of| of.name.as_deref());
    let title =
        reader.map(|reader| &*reader.title).filter(|_| torch.is_none_or(|one| resumed(one).is_none()));
    let own = reader.filter(|reader| reader.file.is_some());
    Told {
        name: title.or(torch).map_or_else(|| format!("frame {frame}"), name),
        place: UserPlace {
            file: names(
                own.map_or_else(|| function.and_then(|of| of.file.as_ref()), |own| own.file.as_ref()),
            ),
            line: line_number(own.map_or_else(|| function.and_then(|of| of.line), |own| own.line)),
            ..UserPlace::default()
        },
    }
}

fn compile_of(compile: &log::Compile<'_>, id: &str, facts: &Facts<'_>) -> Compile {
    let counts = compile.counts();
    let one_offs = facts.one_offs.get(id).map(Vec::as_slice).unwrap_or_default();
    let code = facts.code.get(id);
    Compile {
        guards_hash: code.and_then(|code| owned(&code.guards)),
        graph_hash: code.and_then(|code| owned(&code.graph)),
        id: id.to_owned(),
        folder: folder(compile, id),
        status: compile.status.owned(),
        is_broken: compile.graph_breaks > 0,
        seconds: compile.time.seconds.filter(|seconds| seconds.is_finite()),
        parts: parts(&compile.time.parts, one_offs),
        operators: counts.operators,
        guards: counts.guards,
        kernels: compile.kernels.iter().map(|(kernel, count)| (name(kernel), *count)).collect(),
        inputs: facts.inputs.as_ref().map(|all| all.get(id).cloned().unwrap_or_default()),
        lookups: facts.lookups.get(id).cloned().unwrap_or_default(),
        texts: files(compile),
    }
}

/// The files of a compile's last attempt with such texts, as earlier attempts were discarded, and the file with its guards.
fn files(compile: &log::Compile<'_>) -> Vec<TextFile> {
    let of_kind = |kind: CodeText| compile.artifacts.iter().filter(move |one| kind.is_in(&one.name));
    let last = CodeText::SHOWN.into_iter().flat_map(of_kind).filter_map(|one| one.attempt).max();
    let of_last = |kind: CodeText| of_kind(kind).filter(move |one| one.attempt == last).take(NAMED);
    let shown = CodeText::SHOWN.into_iter().flat_map(|kind| of_last(kind).map(move |one| (kind, one)));
    let guards = of_kind(CodeText::Guards).max_by_key(|one| one.attempt).map(|one| (CodeText::Guards, one));
    let all = shown.chain(guards);
    all.filter_map(|(kind, one)| Some(TextFile { kind, path: RelPath::new(&one.path)? })).collect()
}

/// The folder of the compile's page, which follows from its id: paths in the report are not trusted.
fn folder(compile: &log::Compile<'_>, id: &str) -> String {
    let first = compile.attempts.iter().find(|attempt| attempt.attempt == 0).or(compile.attempts.first());
    let made = CompileId::parse(id).map(|id| id.folder(0));
    made.filter(|made| first.is_none_or(|first| first.attempt != 0 || *first.dir == *made))
        .unwrap_or_default()
}

/// All values of each setting that compiles used.
fn settings(report: &LogReport<'_>) -> BTreeMap<Setting, BTreeSet<String>> {
    let mut used: BTreeSet<(&'static str, String)> = BTreeSet::new();
    for record in report.compiles.iter().flat_map(|compile| &compile.metrics) {
        let Ok(fields) = Fields::parse(record.fields.get()) else { continue };
        for (field, name) in CONFIGS {
            used.extend(fields.text(field).map(|md5| (name, md5)));
        }
    }
    let mut settings: BTreeMap<Setting, BTreeSet<String>> = BTreeMap::new();
    for (config, md5) in used {
        let Some(value) = report.configs.get(md5.as_str()) else { continue };
        let Ok(fields) = Fields::parse(value.get()) else { continue };
        for (key, value) in fields.iter() {
            let setting = Setting { config: config.to_owned(), name: name(key) };
            settings.entry(setting).or_default().insert(short(&setting_value(value)));
        }
    }
    // What a compile was called with is not in the configurations of the process.
    for device in report.compiles.iter().filter_map(|compile| compile.device.as_ref()) {
        let mut add = |name: &str, value: bool| {
            let setting = Setting { config: OF_COMPILE.to_owned(), name: name.to_owned() };
            settings.entry(setting).or_default().insert(value.to_string());
        };
        add("cudagraphs", device.cudagraphs);
        device.max_autotune.into_iter().for_each(|measured| add("max_autotune", measured));
        device.tf32.into_iter().for_each(|allowed| add("allow_tf32", allowed));
    }
    settings
}

/// The settings of single compiles.
const OF_COMPILE: &str = "compile";

fn input_dims(all: &[InputDims]) -> Vec<InputDims> {
    all.iter().take(TRIED).cloned().collect()
}

fn measured(found: &log::Performance<'_>) -> Measured {
    let kernels = found.kernels.iter().map(|kernel| {
        let compile = kernel.compile_ids.first().map(|id| &**id);
        let line = kernel.lines.first().map(|line| (name(&line.file), line.line));
        Launched {
            name: name(&kernel.name),
            operator: names(kernel.operator.as_ref()),
            inputs: input_dims(&kernel.input_dims),
            types: String::new(),
            count: kernel.count,
            sum_us: kernel.sum_us,
            spread_us: (kernel.max_us > 0.0).then_some(Spread { least: kernel.min_us, most: kernel.max_us }),
            tflops: kernel.tflops,
            gbps: kernel.gbps,
            share_of_peak: kernel.share_of_peak,
            share_of_bandwidth: kernel.share_of_bandwidth,
            place: line.as_ref().and_then(|(file, line)| {
                Launched::place_of(compile, kernel.direction.as_deref(), file, *line)
            }),
            line,
        }
    });
    let operators = found.ops.iter().map(|operator| {
        let types: BTreeSet<&str> =
            operator.input_types.iter().map(|text| &**text).filter(|text| !text.is_empty()).collect();
        let types: Vec<&str> = types.into_iter().collect();
        Launched {
            name: name(&operator.op),
            inputs: input_dims(&operator.input_dims),
            types: name(&types.join(" ")),
            count: operator.count,
            sum_us: operator.kernel_us_sum,
            tflops: operator.tflops,
            gbps: operator.tbps.map(|tbps| tbps * 1e3),
            ..Launched::default()
        }
    });
    Measured {
        busy_us: found.time.busy_us,
        wall_us: found.time.wall_us,
        steps: found.trace.steps.filter(|steps| *steps > 0),
        steps_are_calls: found.trace.steps_from == Some(StepsFrom::Regions),
        device: names(found.device.name.as_ref()),
        kernels: kernels.collect(),
        operators: operators.collect(),
    }
}
