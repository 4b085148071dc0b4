//! Conclusions by the rows of a file.

use super::by_compile::Grouped;
use super::caches::{Components, Key};
use super::configs::{Settings, differing};
use super::defaults::{Defaults, same};
use super::failures::failure_causes;
use super::findings::{Claim, Work};
use super::guard_texts::{is_asked, settings};
use super::ledger::{Ledger, amount};
use super::names::function_words;
use super::parity::offset;
use super::parts::parts_of_metrics;
use super::shapes::{Dimension, State, TensorSizes, dimensions, guarded_sizes, symbols};
use super::two_columns::{changed_words, same_text, two_columns};
use super::{
    Names, OneOff, OneOffKind, OwnFiles, Producers, Spans, Split, Stage, break_text, caches, export,
    functions, graph_pairs, parameter_name, part_of_phase, trie,
};
use crate::cases::hold_parts;
use crate::model::{
    Artifact, ArtifactIndex, CacheLookup, Compile, CompileIndex, CompilerPart, ErrorTrace, Failure, Frame,
    Function, GraphBreak, GuardFacts, InputTensor, Metrics, MetricsKind, MetricsRecord, Model, Outcome,
    PlaceType, Recorded, Specialization, Symbol, SymbolGuard, TensorDescription, TextFrame,
};
use crate::trace::CompileId;
use fxhash::FxHashMap;

#[test]
fn conclusions_are_what_the_rows_of_their_file_say() {
    hold_parts(include_str!("cases.txt"), answer);
}

fn answer(question: &str, parts: &[&str]) -> Vec<String> {
    let text = parts[0];
    let truth = |truth: bool| vec![truth.to_string()];
    let maybe = |text: Option<String>| vec![text.unwrap_or_else(|| "none".to_owned())];
    match question {
        "part of a phase" => maybe(part_of_phase(text).map(|part| CompilerPart::name(part).to_owned())),
        "parts of a record" => parts_of_record(text, parts[1]),
        "phase that writes an artifact" => vec![format!("{:?}", Stage::named(text))],
        "producers of these files" => produced(text),
        "pairs of graphs" => paired(text),
        "check for the line, method and result of an assumption" => {
            maybe(export::check_of(text, parts[1], parts[2]))
        }
        "parameter at a source" => maybe(parameter_name(text)),
        "names of compiles" => named(parts),
        "guard is worth the texts" => truth(is_asked(text)),
        "settings of Dynamo in a header" => {
            let read = settings(text);
            [read.automatic_dynamic_shapes, read.specialize_float].map(|flag| format!("{flag:?}")).to_vec()
        }
        "columns of two texts" => columns(text, parts[1]),
        "texts are the same" => truth(same_text(text, parts[1])),
        "words of the first line that the second lacks" => {
            let words = changed_words(text, parts[1]).into_iter();
            words.map(|(lacks, word)| if lacks { format!("<{word}>") } else { word.to_owned() }).collect()
        }
        "entries of each compile" => grouped(text),
        "settings that differ" => settings_that_differ(parts),
        "tree of stacks" => tree(text),
        "compiles by function or frame" => compiled(text),
        "scheduled collectives, those in code, and what separates them but waits" => {
            let counts = |ops| pairs(ops).map(|(op, count)| (op, count.parse().unwrap())).collect();
            vec![offset(&counts(text), &counts(parts[1])).to_string()]
        }
        "line of an origin in a log of app/train.py and mine.py" => origin(text),
        "setting against the default of a version" => against_default(parts),
        "values of settings are the same" => truth(same(text, parts[1])),
        "text of a graph break" => told(text),
        "line of a failure" => raised_in(parts),
        "effect of a failure in line 7" => effect(text, parts.len() > 1),
        "failures and compiles of each cause" => causes(text),
        "earlier lookups to compare" => nearest(text),
        "components of keys that differ" => components(text, parts[1]),
        "differences in words" => in_words(text, caches::in_words),
        "differences in kinds" => in_words(text, caches::in_kinds),
        "answers of caches" => sums(text),
        "charges of a compile of 100 us, of which 20 were thrown away and 10 fell into it by chance" => {
            charged(text.parse().unwrap(), parts[1])
        }
        "amount" => vec![amount(text.parse().unwrap()).to_string()],
        "fates of symbols" => fates(parts),
        "dimensions" => dimensions_of(parts),
        "sizes that guards require" => {
            let sizes = guarded_sizes(text).into_iter();
            sizes.map(|(source, sizes)| format!("{source} {sizes:?}")).collect()
        }
        _ => panic!("{question}"),
    }
}

fn parts_of_record(kind: &str, times: &str) -> Vec<String> {
    let kinds = [MetricsKind::Forward, MetricsKind::Runtime];
    let kind = kinds.into_iter().find(|one| one.word() == kind).unwrap();
    let mut times = times.split(' ').map(|us| us.parse().ok());
    let facts = Metrics {
        dynamo_us: times.next().flatten(),
        inductor_us: times.next().flatten(),
        codegen_us: times.next().flatten(),
        autotune_us: times.next().flatten(),
        ..Metrics::default()
    };
    let parts = parts_of_metrics(kind, &facts);
    vec![parts.iter().map(|(_, us)| us.to_string()).collect::<Vec<_>>().join(" ")]
}

/// Each file's phase, and its producer if that is not torch.
fn produced(names: &str) -> Vec<String> {
    let artifacts = names.split(' ').map(|name| Artifact::named(name, 0)).collect();
    let compile = Compile { artifacts, ..Compile::default() };
    let producers = Producers::of(&compile);
    let place = |name| match producers.place(name) {
        (stage, Some(producer)) => format!("{stage:?} {producer}"),
        (stage, None) => format!("{stage:?}"),
    };
    names.split(' ').map(place).collect()
}

fn paired(names: &str) -> Vec<String> {
    let artifacts: Vec<Artifact> = names.split(' ').map(|name| Artifact::named(name, 0)).collect();
    let pairs = graph_pairs(&artifacts).into_iter();
    pairs.map(|pair| format!("{} {} {}", pair.before, pair.after, pair.what)).collect()
}

/// A compile's place in the log; it is added if the log has none of this id.
fn compile(model: &mut Model, id: &str) -> CompileIndex {
    model.compile_index(CompileId::parse(id).as_ref())
}

fn function(name: &str, file: Option<&str>, line: u64) -> Function {
    Function { name: name.to_owned(), file: file.map(str::to_owned), line: Some(line) }
}

/// The names of compiles that are called from line 44 of the reader's file; what sentences about all of them say.
fn named(compiles: &[&str]) -> Vec<String> {
    let library = "/v/lib/python3.11/site-packages/transformers/utils/generic.py";
    let mut model = Model::default();
    for of in compiles {
        let of: Vec<&str> = of.split(", ").collect();
        let (name, file) = (of[1], if of[2] == "LIBRARY" { library } else { of[2] });
        let index = compile(&mut model, of[0]);
        let mut frame = |path: &str, line, name: &str| {
            let file = model.strings.literal(path);
            Frame { file, line: Some(line), name: name.into(), loc: None }
        };
        let stack = [frame("/app/train.py", 44, "main"), frame(file, 9, name)];
        model.compiles[index.place()].stack = Some(stack.into());
        model.compiles[index.place()].function = Some(function(name, Some(file), 9).into());
        let receiver = of.get(3).zip(of.get(4)).map(|(source, class)| PlaceType {
            source: (*source).to_owned(),
            class: format!("class '{class}'"),
        });
        model.guards.insert(index, GuardFacts { receiver, ..GuardFacts::default() });
    }
    let names = Names::of_log(&model);
    let indices: Vec<CompileIndex> = model.compiles.indices().collect();
    let words = indices.iter().map(|index| {
        let name = names.at(*index).unwrap();
        let line = name.called.as_ref().and_then(|place| place.line);
        format!("{}{}", name.title, line.map(|line| format!(" called in {line}")).unwrap_or_default())
    });
    let sentence = function_words(&model, indices[0]).unwrap().text();
    let shared = if names.shared(&indices).is_some() { "shared" } else { "not shared" };
    let shared = (compiles.len() > 1).then(|| shared.to_owned());
    words.chain([sentence.to_string()]).chain(shared).collect()
}

fn columns(first: &str, second: &str) -> Vec<String> {
    let columns = two_columns(first, second);
    assert!(!columns.rough);
    let side = |line: Option<super::two_columns::Line<'_>>| {
        line.map_or("-".to_owned(), |line| format!("{}{}", line.number, line.text))
    };
    let row = |row: &super::two_columns::ColumnRow<'_>| {
        format!("{}{}{}", side(row.left), if row.equal { "=" } else { "!" }, side(row.right))
    };
    let counts = format!("{} removed, {} added", columns.removed, columns.added);
    columns.rows.iter().map(row).chain([counts]).collect()
}

/// `2a`: an entry of a compile; `-c`: one of none.
fn grouped(entries: &str) -> Vec<String> {
    let entry = |text: &str| {
        let (compile, entry) = text.split_at(1);
        (compile.parse().ok().map(CompileIndex::new), entry.to_owned())
    };
    let grouped = Grouped::of(entries.split(' ').map(entry));
    assert_eq!(grouped.at(CompileIndex::new(1)), [""; 0]);
    let places = (0..10).map(CompileIndex::new).filter(|compile| !grouped.at(*compile).is_empty());
    places.map(|compile| format!("{}{}", compile.place(), grouped.at(compile).concat())).collect()
}

/// `a 1, b 2`: names with values.
fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    let pairs = text.split(", ").filter_map(|pair| pair.split_once(' '));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn settings_that_differ(configs: &[&str]) -> Vec<String> {
    let configs: Vec<Settings> = configs.iter().map(|config| pairs(config).collect()).collect();
    let found = differing(&configs.iter().collect::<Vec<_>>());
    let of = found.iter().map(|one| {
        let values = one.values.iter().map(|(value, of)| format!(" {} {of:?}", value.unwrap_or("none")));
        format!("{}:{}", one.name, values.collect::<String>())
    });
    of.collect()
}

fn tree(stacks: &str) -> Vec<String> {
    let mut model = Model::default();
    let file = model.strings.literal("/app/a.py");
    for of in stacks.split(", ") {
        let (id, lines) = of.split_once(' ').unwrap_or((of, ""));
        let frame = |line: &str| Frame { file, line: line.parse().ok(), name: "f".into(), loc: None };
        let stack = lines.split(' ').filter(|line| !line.is_empty()).map(frame).collect();
        let index = compile(&mut model, id);
        model.compiles[index.place()].stack = Some(stack);
    }
    let trie = trie::of_log(&model);
    vec![
        format!("{} nodes, roots {:?}", trie.nodes.len(), trie.roots),
        format!("{:?} without a branch", trie.chain(0)),
        format!("{:?} below", trie.nodes[1].children),
        format!("stacks {:?} end in 2", trie.nodes[2].stacks),
    ]
}

fn compiled(compiles: &str) -> Vec<String> {
    let mut model = Model::default();
    for of in compiles.split(", ") {
        let (id, name) = of.split_once(' ').map_or((of, None), |(id, name)| (id, Some(name)));
        let index = compile(&mut model, id);
        model.compiles[index.place()].function = name.map(|name| function(name, None, 1).into());
    }
    let groups = functions::of_log(&model, &Split::default());
    let places =
        |of: &[CompileIndex]| of.iter().map(|one| one.place().to_string()).collect::<Vec<_>>().join(" ");
    groups.iter().map(|group| places(&group.compiles)).collect()
}

fn origin(origin: &str) -> Vec<String> {
    let mut model = Model::default();
    let library = "/v/lib/python3.11/site-packages/transformers/utils/generic.py";
    for (id, file) in [("0/0", "/app/mine.py"), ("1/0", library)] {
        let index = compile(&mut model, id);
        model.compiles[index.place()].function = Some(function("f", Some(file), 1).into());
    }
    match OwnFiles::of(&model).line(origin, Some("/app/train.py")) {
        Some((file, line)) => vec![file.unwrap_or("the function's file").to_owned(), line.to_owned()],
        None => vec!["none".to_owned()],
    }
}

fn against_default(parts: &[&str]) -> Vec<String> {
    let Some(defaults) = Defaults::for_log((parts[0] != "none").then_some(parts[0]), &[]) else {
        return vec!["none".to_owned()];
    };
    let against = defaults.against(parts[1], parts[2], parts[3]);
    vec![format!("{} {:?}", defaults.torch, defaults.choice), format!("{against:?}")]
}

fn told(text: &str) -> Vec<String> {
    let found = break_text(text);
    let lines = format!("lines {:?}", found.frames.iter().map(|frame| frame.line).collect::<Vec<_>>());
    let further = found.further.into_iter().flat_map(|one| {
        let known = [Some(one.reason), one.explanation, Some(one.hints.join(", ")), one.url];
        known.map(|text| text.unwrap_or_else(|| "none".to_owned()))
    });
    std::iter::once(lines).chain(further).collect()
}

/// Frames of the reader's file by their lines, or of torch.
fn frames(lines: &str) -> Vec<TextFrame> {
    let frame = |text: &str| {
        let file = match text {
            "torch" => "/venv/lib/python3.11/site-packages/torch/_dynamo/x.py",
            _ => "/app/a.py",
        };
        TextFrame {
            file: file.to_owned(),
            line: text.parse().unwrap_or(9),
            function: "f".to_owned(),
            loc: None,
        }
    };
    lines.split(' ').filter(|text| !text.is_empty()).map(frame).collect()
}

/// Adds a compile that failed, with the frames that were traced and those that raised.
fn fail(model: &mut Model, id: &str, traced: &str, raised: &[&str]) {
    let index = compile(model, id);
    model.failures.push(Failure {
        compile: CompileId::parse(id),
        error: "BackendCompilerFailed".to_owned(),
        reason: Some("it broke".to_owned()),
        record: 1,
        ..Failure::default()
    });
    let raised = raised.iter().map(|lines| frames(lines)).collect();
    model.error_traces.push(ErrorTrace { compile: index, frames: frames(traced), raised });
}

fn raised_in(parts: &[&str]) -> Vec<String> {
    let mut model = Model::default();
    fail(&mut model, "0/0", parts[0], &parts[1..]);
    failure_causes(&model).iter().map(|cause| cause.place.line.unwrap().to_string()).collect()
}

/// What became of the function; with a break at the line of the failure, where Dynamo cannot resume.
fn effect(reason: &str, at_break: bool) -> Vec<String> {
    let mut model = Model::default();
    fail(&mut model, "0/0", "", &[]);
    let (failure, file) = (&mut model.failures[0], Some("/app/a.py".to_owned()));
    (failure.reason, failure.file, failure.line) = (Some(reason.to_owned()), file.clone(), Some(7));
    if at_break {
        model.graph_breaks.push(GraphBreak {
            reason: "Unsupported".to_owned(),
            file,
            line: Some(7),
            compiles: vec![CompileId::parse("0/0")],
            count: 1,
            ..GraphBreak::default()
        });
    }
    vec![format!("{:?}", failure_causes(&model)[0].effect)]
}

fn causes(failed: &str) -> Vec<String> {
    let mut model = Model::default();
    for (id, line) in pairs(failed) {
        fail(&mut model, &id, "", &[&line]);
    }
    let causes = failure_causes(&model);
    causes.iter().map(|one| format!("{} {}", one.failures.len(), one.compiles.len())).collect()
}

fn lookup(compile: usize, id: &str, cache: &str, outcome: Outcome) -> CacheLookup {
    CacheLookup {
        compile: CompileId::parse(id),
        attempt: 0,
        cache: cache.to_owned(),
        outcome,
        key: None,
        reason: None,
        saved_ns: None,
        asked_ns: None,
        stored_ns: None,
        artifact: ArtifactIndex::new(CompileIndex::new(compile), 0),
    }
}

/// The key of a lookup is one component: whether it is of a backward graph, or a graph.
fn nearest(lookups: &str) -> Vec<String> {
    let (mut model, mut all, mut keys) = (Model::default(), Components::default(), Vec::new());
    for of in lookups.split(", ") {
        let words: Vec<&str> = of.split(' ').collect();
        model.caches.push(lookup(words[0].parse().unwrap(), words[1], "fx_graph", Outcome::Miss));
        let key = words.get(2).map(|key| match key.split_once(':') {
            Some((name, value)) => format!("[{value}] {name}: {value}"),
            None => format!("[{key}] fx_kwargs[is_backward]: {key}"),
        });
        keys.push(key.map_or_else(Key::default, |key| all.key([key.as_str()])));
        if let Some(name) = words.get(3) {
            let index = compile(&mut model, words[1]);
            model.compiles[index.place()].function = Some(function(name, Some("/app/a.py"), 1).into());
        }
    }
    let found = caches::nearest(&model, &keys, &all).into_iter();
    found.map(|place| place.map_or("-".to_owned(), |place| place.to_string())).collect()
}

fn components(old: &str, new: &str) -> Vec<String> {
    let mut all = Components::default();
    let [old, new] = [old, new].map(|key| all.key(key.split(", ")));
    let found = all.differences(&old, &new).into_iter().map(|one| {
        let old = one.old.map_or("-", |component| &component.hash);
        format!("{} {old} {}", one.name, one.new.map_or("-", |component| &component.value))
    });
    found.chain([format!("{} in all", all.all.len())]).collect()
}

fn in_words(names: &str, words: fn(&[caches::Difference<'_>]) -> Vec<String>) -> Vec<String> {
    let of = names.split(' ').map(|name| caches::Difference { name, old: None, new: None });
    words(&of.collect::<Vec<_>>())
}

fn sums(lookups: &str) -> Vec<String> {
    let mut model = Model::default();
    for of in lookups.split(", ") {
        let words: Vec<&str> = of.split(' ').collect();
        let outcomes = [Outcome::Hit, Outcome::Miss];
        let outcome = outcomes.into_iter().find(|one| one.word() == words[1]).unwrap();
        model.caches.push(CacheLookup {
            key: words.get(2).filter(|key| **key != "-").map(|key| (*key).to_owned()),
            saved_ns: words.get(3).map(|ns| ns.parse().unwrap()),
            ..lookup(0, "0/0", words[0], outcome)
        });
    }
    let sums = caches::sums(&model, &caches::saved_times(&model, &[])).into_iter().map(|(cache, sum)| {
        let saved = sum.saved_us.map(|us| format!(" saved {us} us")).unwrap_or_default();
        format!("{cache} {} {} {}{saved}", sum.hits, sum.misses, sum.bypasses)
    });
    sums.collect()
}

/// What the claims of findings, one after the other, are charged.
fn charged(compile_time_us: f64, claims: &str) -> Vec<String> {
    let mut model = Model::default();
    let index = model.compile_index(None);
    let record = |kind, facts| MetricsRecord { kind, line: 1, facts, ..MetricsRecord::default() };
    let compiled = Metrics {
        dynamo_us: Some(100.0),
        inductor_us: Some(60.0),
        wasted_us: Some(20.0),
        ..Metrics::default()
    };
    let ran = Metrics { runtime_tuning_us: Some(500.0), ..Metrics::default() };
    model.compiles[index.place()].metrics =
        vec![record(MetricsKind::Forward, compiled), record(MetricsKind::Runtime, ran)];
    let kind = OneOffKind::Toolchain;
    let one_off = OneOff { kind, compile: index, us: 10.0, in_graph_us: 10.0, within_tracing: false };
    let mut ledger = Ledger::new(&model, &Split::of(&Spans::of(&model)), &[one_off], compile_time_us / 1e6);
    let charge = |(finding, claim): (usize, &str)| {
        let works = [
            Work::Discarded,
            Work::Compile,
            Work::InductorGraph,
            Work::AotGraph,
            Work::Whole,
            Work::AtRunTime,
        ];
        let name = claim.trim_start_matches("expected:");
        let work = works.into_iter().find(|work| format!("{work:?}") == name).unwrap();
        let claim = match name == claim {
            true => Claim::avoidable(work, vec![index], ""),
            false => Claim::expected(work, vec![index], ""),
        };
        let granted = ledger.charge(finding, &claim);
        let held = granted.held.iter().map(|held| format!(" held by {}", held.finding));
        format!("{}{}", granted.us, held.collect::<String>())
    };
    claims.split(' ').enumerate().map(charge).collect()
}

/// `s1=12 s2=s11`: symbols that were fixed.
fn specializations(text: &str) -> Vec<Specialization> {
    let fixed = text.split(' ').filter_map(|one| one.split_once('='));
    let of = fixed.map(|(symbol, value)| Specialization {
        symbol: symbol.to_owned(),
        value: value.to_owned(),
        ..Specialization::default()
    });
    of.collect()
}

fn fates(parts: &[&str]) -> Vec<String> {
    let mut model = Model::default();
    let symbol = |text: &str| {
        let (name, attempt) = text.split_once('@').unwrap_or((text, "0"));
        let at = Recorded { attempt: attempt.parse().unwrap(), ..Recorded::default() };
        Symbol { at, name: name.to_owned(), unbacked: name.starts_with('u'), ..Symbol::default() }
    };
    model.shapes.symbols = parts[0].split(' ').map(symbol).collect();
    let guard = |expr: &str| SymbolGuard { expr: expr.to_owned(), ..SymbolGuard::default() };
    model.shapes.guards = parts[1].split("; ").map(guard).collect();
    model.shapes.specializations = specializations(parts[2]);
    let words = symbols(&model);
    let words = words.iter().map(|of| {
        let narrow = if of.narrow { " narrow" } else { "" };
        format!("{} {}{narrow}{}", of.fate.word(), of.guards.len(), if of.made == 2 { " twice" } else { "" })
    });
    words.collect()
}

/// Each dimension: its source and number, since when it is dynamic, and whether it was fixed.
fn dimensions_of(parts: &[&str]) -> Vec<String> {
    let mut model = Model::default();
    let sizes = |text: &str| -> Vec<(String, Vec<String>)> {
        let words = |(name, sizes): (String, String)| {
            (format!("L['{name}']"), sizes.split(' ').map(str::to_owned).collect())
        };
        pairs(text).map(words).collect()
    };
    for id in parts[0].split(' ') {
        let index = compile(&mut model, id);
        for (source, sizes) in sizes(parts[1]) {
            let tensor = TensorDescription { sizes, ..TensorDescription::default() };
            let input =
                InputTensor { source: (*source).into(), tensor: tensor.into(), storage: None, object: None };
            model.compiles[index.place()].inputs.push(input);
        }
    }
    for symbol in parts[2].split("; ") {
        let words: Vec<&str> = symbol.split(' ').collect();
        model.shapes.symbols.push(Symbol {
            at: Recorded { compile: CompileIndex::new(words[0].parse().unwrap()), ..Recorded::default() },
            name: words[1].to_owned(),
            source: Some(words[2].to_owned()),
            hint: Some(words[3].to_owned()),
            ..Symbol::default()
        });
    }
    model.shapes.specializations = specializations(parts[3]);
    let guarded: TensorSizes = sizes(parts[4])
        .into_iter()
        .map(|(source, sizes)| (source, sizes.iter().map(|size| size.parse().ok()).collect()))
        .collect();
    let guards: FxHashMap<CompileIndex, TensorSizes> = match guarded.is_empty() {
        true => FxHashMap::default(),
        false => FxHashMap::from_iter([(CompileIndex::new(0), guarded)]),
    };
    let fates = symbols(&model);
    let words = |one: &Dimension<'_>| {
        let fixed = if matches!(one.seen[0].state, State::Fixed(_)) { " fixed" } else { "" };
        format!("{} {:?} {:?}{fixed}", one.source, one.dim, one.answer())
    };
    dimensions(&model, &fates, &guards).iter().map(words).collect()
}
