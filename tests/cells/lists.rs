//! The lists of report.json that tables show, with what the table joins to each entry.

use super::shown::UNTOLD;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The entries of a list at the top of report.json.
fn list(facts: &Value, key: &str) -> Vec<Value> {
    facts[key].as_array().cloned().unwrap_or_default()
}

/// The value at a path such as `function.name`.
pub fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, key| &value[key])
}

/// An entry with its own file and line as one value, `place`.
fn placed(mut entry: Value) -> Value {
    entry["place"] = json!({ "file": entry["file"], "line": entry["line"] });
    entry
}

/// What the last metrics of a compile have under a key.
fn metric(compile: &Value, key: &str) -> Value {
    let metrics = compile["metrics"].as_array().unwrap();
    let told = metrics.iter().rev().map(|one| &one["fields"][key]).find(|told| !told.is_null());
    told.cloned().unwrap_or_default()
}

/// Whether a file is of an installed package.
fn of_library(file: &Value) -> bool {
    file.as_str().is_some_and(|file| file.contains("site-packages") || file.starts_with("/usr/lib/python"))
}

/// The line of the program that a compile is about: of code of a library, the line that led there.
fn your_place(compile: &Value) -> Value {
    // Code that compiled autograd made has no file, and report.json no line for it.
    if compile["function"]["file"].as_str().is_some_and(|file| file.starts_with('<')) {
        return json!(UNTOLD);
    }
    let function = compile["function"].clone();
    let stack = compile["stack"].as_array().cloned().unwrap_or_default();
    let yours = stack.into_iter().rev().find(|frame| !of_library(&frame["file"]));
    if of_library(&function["file"]) { yours.unwrap_or(function) } else { function }
}

/// All compiles, with their seconds by part of the compiler.
fn all_compiles(facts: &Value) -> Vec<Value> {
    let list_of_all = list(facts, "compiles");
    let seconds = |one: &Value| one["time"]["seconds"].as_f64();
    let total: f64 = list_of_all.iter().filter_map(seconds).sum();
    let joined = |mut compile: Value| {
        let parts = compile["time"]["parts"].as_array().cloned().unwrap_or_default();
        for part in parts {
            let name = part["name"].as_str().unwrap_or("other").to_owned();
            compile["parts"][name] = json!({ "seconds": part["seconds"] });
            let before = compile["sum_s"].as_f64().unwrap_or_default();
            compile["sum_s"] = json!(before + part["seconds"].as_f64().unwrap());
        }
        compile["place"] = compile["function"].clone();
        compile["yours"] = json!({ "place": your_place(&compile) });
        compile["ops"] = metric(&compile, "graph_op_count");
        compile["guards"] = metric(&compile, "guard_count");
        compile["attempts_count"] = json!(compile["attempts"].as_array().unwrap().len());
        if compile["id"].as_str().is_some_and(|id| id.starts_with('!')) && compile["sum_s"].is_null() {
            // The captured backward pass of compiled autograd has spans, and no time in report.json.
            compile["sum_s"] = json!(UNTOLD);
        }
        // As torch's metrics have it, and else what its spans cover.
        compile["told_s"] = match seconds(&compile) {
            Some(told) => json!(told),
            None => compile["sum_s"].clone(),
        };
        compile["share"] = seconds(&compile).map_or(Value::Null, |told| json!(told / total));
        compile
    };
    with_owners(list_of_all.into_iter().map(joined).collect(), &facts["cross_rank"]["names"])
}

/// Compiles with the function that they belong to: torch does not say it again of one that it gave up.
fn with_owners(compiles: Vec<Value>, readers: &Value) -> Vec<Value> {
    let owned = |compile: &Value| {
        let mut joined = compile.clone();
        let named = |one: &&Value| !one["function"].is_null() && frame_of(one) == frame_of(compile);
        let of = if compile["function"].is_null() { compiles.iter().find(named) } else { Some(compile) };
        let mut owner = of.map(|of| of["yours"]["place"].clone()).unwrap_or_default();
        joined["yours"]["place"] = owner.clone();
        if let Some(of) = of.filter(|_| owner.is_object()) {
            owner["name"] =
                title_of(&compile["id"], readers).unwrap_or_else(|| of["function"]["name"].clone());
        }
        joined["owner"] = json!({ "function": owner });
        joined
    };
    compiles.iter().map(owned).collect()
}

/// What the reader calls the function of a compile, if it is another name than torch's.
fn title_of(id: &Value, readers: &Value) -> Option<Value> {
    let named = readers.as_array()?.iter().find(|one| one[0] == *id)?;
    Some(named[1].clone())
}

/// Compiles with an id.
fn compiles(facts: &Value) -> Vec<Value> {
    all_compiles(facts).into_iter().filter(|one| !one["id"].is_null()).collect()
}

/// Functions with the ids, the seconds and the share of their compiles.
fn functions(facts: &Value) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for compile in compiles(facts) {
        let frame = frame_of(&compile);
        let add = |of: &Value, key: &str| {
            json!(of[key].as_f64().unwrap_or_default() + compile[key].as_f64().unwrap_or_default())
        };
        match found.iter_mut().find(|function| function["frame"] == json!(frame)) {
            Some(function) => {
                function["compile_ids"].as_array_mut().unwrap().push(compile["id"].clone());
                function["share"] = add(function, "share");
                let time = &function["time"]["seconds"];
                let seconds = time.as_f64().unwrap_or_default()
                    + compile["time"]["seconds"].as_f64().unwrap_or_default();
                function["time"]["seconds"] = json!(seconds);
            }
            None => {
                let mut function = compile.clone();
                function["frame"] = json!(frame);
                function["compile_ids"] = json!([compile["id"]]);
                found.push(function);
            }
        }
    }
    found
}

/// The id of the function of a compile: `3` of `3/1`.
fn frame_of(compile: &Value) -> String {
    let id = compile["id"].as_str().unwrap_or_default();
    id.rsplit_once('/').map_or(id, |(frame, _)| frame).to_owned()
}

/// The compile of that id.
fn compile(facts: &Value, id: &Value) -> Value {
    compiles(facts).into_iter().find(|one| &one["id"] == id).unwrap_or_default()
}

/// Compiles that stopped at a break, by the number of the break.
fn of_break(facts: &Value, number: usize) -> Vec<Value> {
    let found = facts["graph_breaks"][number - 1]["compile_ids"].as_array().cloned().unwrap_or_default();
    found.iter().map(|id| compile(facts, id)).collect()
}

/// An entry that no finding is about has no title: a list shows torch's reason. Redacted reports drop titles.
fn titled(mut entry: Value) -> Value {
    if entry["title"].is_null() {
        entry["title"] = entry["reason"].clone();
    }
    entry
}

/// Failures, with the line of the program that torch gives; without one the report names a line of its own choice.
fn failures(facts: &Value) -> Vec<Value> {
    let joined = |one: Value| {
        let mut one = placed(one);
        let is_told = !one["file"].is_null() && !of_library(&one["file"]);
        let place = if is_told { one["place"].clone() } else { json!(UNTOLD) };
        one["yours"] = json!({ "place": place });
        titled(one)
    };
    list(facts, "failures").into_iter().map(joined).collect()
}

/// Values that a change has no record of are described in words.
fn described(mut change: Value) -> Value {
    for key in ["subject", "new"] {
        if change[key].is_null() {
            change[key] = json!(UNTOLD);
        }
    }
    change
}

/// Recompiles, with the place and the time of their compile.
fn recompiles(facts: &Value) -> Vec<Value> {
    let compiles = compiles(facts);
    let joined = |mut one: Value| {
        one["compile"] =
            compiles.iter().find(|it| it["id"] == one["compile_id"]).cloned().unwrap_or_default();
        one["change"] = described(one["change"].clone());
        let reasons = one["reasons"].as_array().cloned().unwrap_or_default();
        one["all"] =
            json!({ "against": reasons.iter().map(|one| one["against"].clone()).collect::<Value>() });
        // The guard of the closest version is shown.
        let is_closest =
            |reason: &&Value| reason["against"].is_string() && reason["against"] == one["change"]["against"];
        let closest = reasons.iter().find(is_closest).or(reasons.first()).cloned().unwrap_or_default();
        one["against"] = closest["against"].clone();
        one["guard"] = closest["guard"].clone();
        one
    };
    list(facts, "recompiles").into_iter().map(joined).collect()
}

/// Reasons of recompiles, one for each version that did not fit.
fn reasons(facts: &Value) -> Vec<Value> {
    let split = |one: Value| {
        let reasons = one["reasons"].as_array().cloned().unwrap_or_default();
        reasons.into_iter().map(move |reason| {
            let mut entry = one.clone();
            entry["against"] = reason["against"].clone();
            entry["guard"] = reason["guard"].clone();
            entry
        })
    };
    recompiles(facts).into_iter().flat_map(split).collect()
}

/// All compiles, each with its recompile. The first compile of a function has none, but what the second one changed.
fn chains(facts: &Value) -> Vec<Value> {
    let again = reasons(facts);
    let joined = |compile: Value| {
        let found = again.iter().filter(|one| one["compile_id"] == compile["id"]);
        let with = |one: &Value| {
            let mut compile = compile.clone();
            compile["recompile"] = one.clone();
            compile
        };
        let mut found: Vec<Value> = found.map(with).collect();
        if found.is_empty() {
            let next = again.iter().find(|one| one["reasons"][0]["against"] == compile["id"]);
            let change = next.map(|next| next["change"].clone()).unwrap_or_default();
            let first = json!({ "subject": change["subject"], "new": change["old"] });
            found.push(with(&json!({ "change": described(first) })));
        }
        found
    };
    compiles(facts).into_iter().flat_map(joined).collect()
}

/// Entries with the same values under some keys as one, with how many there are and of which compiles.
fn grouped(entries: Vec<Value>, keys: &[&str]) -> Vec<Value> {
    let mut groups: Vec<Value> = Vec::new();
    for entry in entries {
        let same = |group: &&mut Value| keys.iter().all(|key| at(group, key) == at(&entry, key));
        let id = entry["compile_id"].clone();
        match groups.iter_mut().find(same) {
            Some(group) => {
                group["times"] = json!(group["times"].as_u64().unwrap() + 1);
                let ids = group["compile_ids"].as_array_mut().unwrap();
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            None => {
                let mut group = entry.clone();
                group["times"] = json!(1);
                group["compile_ids"] = json!([id]);
                groups.push(group);
            }
        }
    }
    groups
}

/// Each cache with its lookups, by their outcome.
fn by_cache(facts: &Value) -> Vec<Value> {
    let mut caches: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for lookup in list(facts, "caches") {
        let name = lookup["cache"].as_str().unwrap().to_owned();
        let entry = caches.entry(name).or_default();
        entry.insert("cache".to_owned(), lookup["cache"].clone());
        for key in ["lookups", lookup["outcome"].as_str().unwrap()] {
            let before = entry.get(key).and_then(Value::as_u64).unwrap_or_default();
            entry.insert(key.to_owned(), json!(before + 1));
        }
    }
    let full = |mut entry: Map<String, Value>| {
        for key in ["hit", "miss", "bypass"] {
            entry.entry(key).or_insert(json!(0));
        }
        let rate = entry["hit"].as_f64().unwrap() / entry["lookups"].as_f64().unwrap();
        entry.insert("share_hit".to_owned(), json!(rate));
        Value::Object(entry)
    };
    caches.into_values().map(full).collect()
}

/// Lookups that a cache refused to answer, by reason.
fn bypasses(facts: &Value) -> Vec<Value> {
    let lookups = list(facts, "caches").into_iter().filter(|one| one["outcome"] == "bypass");
    grouped(lookups.collect(), &["cache", "reason"])
}

/// Phases with their share of the compile time.
fn phases(facts: &Value) -> Vec<Value> {
    let total = facts["compile_time"]["total_s"].as_f64().unwrap_or_default();
    let phases = facts["compile_time"]["phases"].as_array().cloned().unwrap_or_default();
    let joined = |mut phase: Value| {
        phase["share"] = json!(phase["self_s"].as_f64().unwrap_or_default() / total);
        let name = phase["name"].as_str().unwrap().trim_start_matches("pass.").to_owned();
        phase["name"] = json!(name);
        phase
    };
    phases.into_iter().map(joined).collect()
}

/// The same, and chains `outer › inner` of phases of which each takes nearly all of the time of the one before: a row has the
/// self time of all, the total of the outermost and the count of the innermost.
fn phases_that_share_rows(facts: &Value) -> Vec<Value> {
    const NEARLY_ALL: f64 = 0.9;
    let phases = phases(facts);
    let seconds = |phase: &Value, key: &str| phase[key].as_f64().unwrap_or_default();
    let mut found = phases.clone();
    let mut chains: Vec<Vec<&Value>> = phases.iter().map(|phase| vec![phase]).collect();
    while let Some(chain) = chains.pop() {
        let last = chain[chain.len() - 1];
        let fills = |one: &&Value| {
            let share = seconds(one, "total_s") / seconds(last, "total_s");
            !chain.contains(one) && (NEARLY_ALL..=1.0).contains(&share) && one["count"] == last["count"]
        };
        for inner in phases.iter().filter(fills).filter(|_| chain.len() < 4) {
            let longer = [chain.clone(), vec![inner]].concat();
            let names: Vec<&str> = longer.iter().map(|one| one["name"].as_str().unwrap()).collect();
            let mut row = inner.clone();
            row["name"] = json!(names.join(" › "));
            for key in ["self_s", "share"] {
                row[key] = json!(longer.iter().map(|one| seconds(one, key)).sum::<f64>());
            }
            row["total_s"] = longer[0]["total_s"].clone();
            found.push(row);
            chains.push(longer);
        }
    }
    found
}

/// Parts of the compiler with their share of the compile time, and the whole.
fn parts(facts: &Value) -> Vec<Value> {
    let total = facts["compile_time"]["total_s"].as_f64().unwrap_or_default();
    let mut parts = facts["compile_time"]["parts"].as_array().cloned().unwrap_or_default();
    parts.push(json!({ "name": "all", "seconds": total }));
    for part in &mut parts {
        if part["name"].is_null() {
            part["name"] = json!("Other phases");
        }
        part["share"] = json!(part["seconds"].as_f64().unwrap_or_default() / total);
    }
    parts
}

/// Counts of a report.
fn overall(facts: &Value) -> Vec<Value> {
    let count = |what: &str, key: &str| json!({ "what": what, "count": list(facts, key).len() });
    let mut counts = vec![json!({ "what": "compiles", "count": compiles(facts).len() })];
    counts.push(count("graph breaks", "graph_breaks"));
    for key in ["recompiles", "failures", "restarts", "caches"] {
        counts.push(count(key, key));
    }
    counts.push(json!({ "what": "compile seconds", "count": facts["compile_time"]["total_s"] }));
    counts
}

/// Kernels in the generated code of each compile.
fn kernels(facts: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    for compile in compiles(facts) {
        for (name, count) in compile["kernels"].as_object().unwrap() {
            found.push(json!({ "compile_id": compile["id"], "name": name, "count": count }));
        }
    }
    found
}

/// A list of what torch.profiler measured.
fn measured(facts: &Value, key: &str) -> Vec<Value> {
    let all = facts["performance"][key].as_array().cloned().unwrap_or_default();
    let joined = |entry: Value| {
        let mut entry = if key == "lines" { placed(entry) } else { entry };
        let lines = entry["lines"].as_array().cloned().unwrap_or_default();
        entry["first"] = json!({ "place": lines.first() });
        let title = if entry["operator"].is_null() { &entry["name"] } else { &entry["operator"] };
        entry["title"] = title.clone();
        entry
    };
    all.into_iter().map(joined).collect()
}

/// Lines of the program with the time of their kernels, the time of no line, and the time of all.
fn lines_and_rest(facts: &Value) -> Vec<Value> {
    let sum =
        |entries: &[Value], key: &str| -> f64 { entries.iter().filter_map(|one| one[key].as_f64()).sum() };
    let mut lines = measured(facts, "lines");
    let all = sum(&measured(facts, "kernels"), "sum_us");
    let rest = all - sum(&lines, "us");
    lines.push(json!({ "place": "No line is known", "us": rest }));
    lines.push(json!({ "place": "All kernels", "us": all }));
    lines
}

/// Ranks as the page of the job shows them: it has further words for ranks that ended well, of what they differ in.
fn ranks_of_page(facts: &Value) -> Vec<Value> {
    let joined = |mut rank: Value| {
        if rank["state"] == "ok" {
            rank["state"] = json!(UNTOLD);
        }
        rank
    };
    list(facts, "ranks").into_iter().map(joined).collect()
}

/// What to do, each once, with the numbers of the findings that say it.
fn advice(facts: &Value) -> Vec<Value> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (number, one) in (1..).zip(findings(facts)) {
        for text in one["hint"].as_str().unwrap_or_default().lines() {
            match all.iter_mut().find(|(known, _)| known == text) {
                Some((_, numbers)) => numbers.push(number.to_string()),
                None => all.push((text.to_owned(), vec![number.to_string()])),
            }
        }
    }
    all.into_iter().map(|(text, numbers)| json!({"text": text, "findings": numbers.join(", ")})).collect()
}

/// Findings, with the unit of their cost.
fn findings(facts: &Value) -> Vec<Value> {
    list(facts, "findings").into_iter().map(placed).collect()
}

/// Members of findings that are groups.
fn members(facts: &Value, number: usize) -> Vec<Value> {
    let all = facts["findings"][number - 1]["members"].as_array().cloned().unwrap_or_default();
    all.into_iter().map(placed).collect()
}

/// Graphs of a job with their estimated times.
fn estimates(facts: &Value) -> Vec<Value> {
    let graphs = facts["runtime"]["graphs"].as_array().cloned().unwrap_or_default();
    let nanoseconds = |value: &Value| json!(value.as_f64().unwrap() * 1e6);
    let joined = |mut graph: Value| {
        for side in ["fastest", "slowest"] {
            graph[side]["ns"] = nanoseconds(&graph[side]["ms"]);
        }
        graph["delta"] = json!({ "ns": nanoseconds(&graph["delta_ms"]) });
        graph["mean"] = json!({ "ns": nanoseconds(&graph["mean_ms"]) });
        graph
    };
    graphs.into_iter().map(joined).collect()
}

/// What ranks were compared by.
fn compared(facts: &Value) -> Vec<Value> {
    let facts = facts["divergence"].as_object().cloned().unwrap_or_default();
    let row = |(name, fact): (String, Value)| {
        let words = if fact["differs"].as_bool()? { "differ" } else { "agree" };
        Some(json!({ "fact": name.replace('_', " "), "words": words }))
    };
    facts.into_iter().filter_map(row).collect()
}

/// The entries of a list by the name that the table of columns gives it; `number` is that of the table on its page.
pub fn entries(facts: &Value, name: &str, number: usize) -> Vec<Value> {
    match name {
        "compiles" => compiles(facts),
        "compiles with those without an id" => all_compiles(facts),
        "rows of a comparison" => list(facts, "rows"),
        "timed compiles" => compiles(facts).into_iter().filter(|one| !one["told_s"].is_null()).collect(),
        "functions" => functions(facts),
        "measured lines and the rest" => lines_and_rest(facts),
        "ranks of the page" => ranks_of_page(facts),
        "compiles of a break" => of_break(facts, number),
        "graph_breaks" => list(facts, name).into_iter().map(placed).map(titled).collect(),
        "failures" => failures(facts),
        "restarts by reason" => grouped(list(facts, "restarts"), &["reason"]),
        "caches" => list(facts, name),
        "by cache" => by_cache(facts),
        "bypasses" => bypasses(facts),
        "recompiles" => recompiles(facts),
        "chains" => chains(facts),
        "all phases" => phases(facts),
        "phases that share rows" => phases_that_share_rows(facts),
        "parts" => parts(facts),
        "overview" => overall(facts),
        "kernels" => kernels(facts),
        "findings" => findings(facts),
        "advice" => advice(facts),
        "members" => members(facts, number),
        "ranks" => list(facts, name),
        "estimates" => estimates(facts),
        "compared" => compared(facts),
        "measured kernels" => measured(facts, "kernels"),
        "measured lines" => measured(facts, "lines"),
        "measured operators" => measured(facts, "ops"),
        "regions" => measured(facts, "regions"),
        _ => panic!("no list {name}"),
    }
}
