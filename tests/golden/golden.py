#!/usr/bin/env python3
"""Derive the report.json that a healthy single-process TORCH_TRACE log must give, from the report's contract alone.

usage: golden.py LOG [OUT]        (LOG may be a .zst; the program `zstd` then unpacks it)

Plain Python, no package; it shares no line with the tool that it checks. It expects a healthy log: damaged logs, several
ranks and collective schedules are outside what it derives, and it stops when it meets them.
"""
import collections
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from fractions import Fraction

TOOL_VERSION = "0.5.0"  # the reader of a golden replaces it by the version under test

HEADER = re.compile(r"([VIWEC])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6}) (\d+) ([^:]+):(\d+)\] (\{.*\})", re.S)
CONTEXT = ("rank", "compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "stack", "subgraph_name", "has_payload")

# Event keys of the format description, section 2.
METRICS = {
    "compilation_metrics": "forward", "bwd_compilation_metrics": "backward", "compilation_metrics_runtime": "runtime",
    "bwd_compilation_metrics_runtime": "backward_runtime", "aot_autograd_backward_compilation_metrics": "aot_backward",
}
PAGES = {"dynamo_guards": "html", "inductor_output_code": "html"}  # other payload events become .txt
OWN_FILES = ("chromium_event", "dump_file")  # their payloads have files of their own, outside the compile directory
KNOWN = set(METRICS) | set(PAGES) | set(OWN_FILES) | set("""
    str dynamo_start dynamo_output_graph dynamo_cpp_guards_str link optimize_ddp_split_graph optimize_ddp_split_child
    compiled_autograd_graph aot_joint_graph aot_forward_graph aot_backward_graph aot_inference_graph
    inductor_pre_grad_graph inductor_post_grad_graph graph_dump artifact memoizer_artifacts describe_storage
    describe_tensor describe_source create_symbol create_unbacked_symbol symbolic_shape_specialization guard_added_fast
    propagate_real_tensors guard_added expression_created propagate_real_tensors_provenance missing_fake_kernel
    mismatched_fake_kernel exported_program export guard_on_data_dependent_error""".split())
CONFIGS = ("dynamo_config", "inductor_config", "functorch_config", "compiler_config", "inductor_provenance")
CROSS_RANK_ARTIFACTS = ("inductor_collective_schedule", "inductor_runtime_and_tensor_meta", "graph_execution")
COUNTERS = ("bad_prefix", "bad_json", "bad_payload_md5", "truncated", "non_utf8", "other_rank", "parser_errors",
            "unresolved_strings")

Record = collections.namedtuple("Record", "line stamp pid key value envelope payload id attempt dir")


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def read(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
    with open(path, "rb") as f:
        return f.read()


def identify(e):
    """The compile id as torch writes it, and the folder of the attempt."""
    ca, frame, number = (e.get(k) for k in ("compiled_autograd_id", "frame_id", "frame_compile_id"))
    parts = ([f"!{ca}"] if ca is not None else []) + ([f"{frame}/{number}"] if frame is not None else [])
    if not parts:
        return None, "-_-_-_-"
    show = ["-" if x is None else str(x) for x in (ca, frame, number)]
    return "/".join(parts), "_".join(show + [str(e.get("attempt") or 0)])


def records(data):
    lines = data.decode("utf-8").split("\n")
    assert lines.pop() == "", "no final newline"
    i = 0
    while i < len(lines):
        line, head = i + 1, HEADER.fullmatch(lines[i])
        assert head, f"line {line} is no record"
        e, i, body = json.loads(head[11]), i + 1, []
        while i < len(lines) and lines[i].startswith("\t"):
            body.append(lines[i][1:])
            i += 1
        payload = "\n".join(body) if "has_payload" in e else None
        assert payload is None or md5(payload) == e["has_payload"], f"line {line}: md5"
        own = [k for k in e if k not in CONTEXT]
        assert len(own) == 1 and e.get("rank") is None, f"line {line}: not for this script"
        cid, folder = identify(e)
        yield Record(line, head.groups()[1:7], int(head[8]), own[0], e[own[0]], e, payload, cid, e.get("attempt") or 0, folder)


# ---- times -------------------------------------------------------------------------------------------------------

def absolute(recs):
    """A function from a prefix's time to ISO text; year and zone from the first chromium event."""
    first = next((r for r in recs if r.key == "chromium_event"), None)

    def local(stamp, year):
        month, day, h, m, s, us = map(int, stamp)
        return datetime.datetime(year, month, day, h, m, s, us)

    if first is None:
        return lambda stamp: "{}-{}T{}:{}:{}.{}".format(*stamp)
    epoch = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(json.loads(first.payload)["ts"]))
    year = min((epoch.year - 1, epoch.year, epoch.year + 1), key=lambda y: abs(local(first.stamp, y) - epoch))
    quarters = round((local(first.stamp, year) - epoch).total_seconds() / 900)
    zone = datetime.timezone(datetime.timedelta(minutes=15 * quarters))
    return lambda stamp: local(stamp, year).replace(tzinfo=zone).isoformat(timespec="microseconds")


# ---- files of the compile directory ------------------------------------------------------------------------------

def file_of(r):
    """(name without number, extension) of the record's file in the compile directory, or None."""
    if r.key == "artifact":
        return r.value["name"], {"string": "txt", "json": "json"}[r.value["encoding"]]
    if r.key in METRICS:
        return r.key, "html"
    if r.payload is None or r.key in OWN_FILES:
        return None
    if r.key == "inductor_output_code":
        given = r.value.get("filename") or r.value.get("file_path")
        return "_".join([r.key] + ([os.path.splitext(os.path.basename(given))[0]] if given else [])), "html"
    if r.key == "graph_dump":
        return r.value["name"], "txt"
    return r.key, PAGES.get(r.key, "txt")


def cache_of(name):
    m = re.fullmatch(r"(.+)_cache_(hit|miss|bypass)", name)
    return m.groups() if m else (None, None)


def directory(recs):
    """{line: artifact entry} in log order; number runs from 0."""
    out = {}
    for r in recs:
        named = file_of(r)
        if named:
            name, ext = named
            out[r.line] = {"name": name, "path": f"{r.dir}/{name}_{len(out)}.{ext}", "number": len(out), "line": r.line,
                           "attempt": r.attempt, "subgraph": None, "cache": cache_of(name)[1] if r.key == "artifact" else None}
    return out


# ---- stacks ------------------------------------------------------------------------------------------------------

def stack_of(start, strings):
    frames = [{"file": strings.get(f["filename"]), "line": f["line"], "name": f["name"], "loc": f.get("loc")}
              for f in start.value["stack"]]
    while frames and (frames[-1]["file"] or "").endswith("torch/_dynamo/convert_frame.py"):
        frames.pop()
    return frames


# ---- metrics -----------------------------------------------------------------------------------------------------

def config_key(value, configs):
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    if md5(text) not in configs:
        try:
            configs[md5(text)] = json.loads(text)
        except ValueError:
            configs[md5(text)] = text
    return md5(text)


def metrics_of(recs, configs):
    """{line: metrics entry}"""
    return {r.line: {"kind": METRICS[r.key], "attempt": r.attempt, "line": r.line,
                     "fields": {k: config_key(v, configs) if k in CONFIGS else v for k, v in r.value.items()}}
            for r in recs if r.key in METRICS}


# ---- graph breaks ------------------------------------------------------------------------------------------------

def unfold(lines):
    return " ".join(part for part in (line.strip() for line in lines) if part)


def parse_break(text):
    lines = text.split("\n")
    place = re.search(r"^Graph break in user code at (.+):(\d+)$", text, re.M)
    mark = re.compile(r"(?:Graph Break )?Reason: ")  # torch 2.6 writes the short one
    given = next((i for i, line in enumerate(lines) if mark.match(line)), None)
    first = mark.sub("", lines[given], count=1) if given is not None else lines[0]
    at = next((i for i, line in enumerate(lines) if line.startswith("  Explanation:")), None)
    out = {"reason": first, "context": None, "explanation": None, "debug_context": None, "hints": [], "gb_id": None, "url": None,
           "file": place[1] if place else None, "line": int(place[2]) if place else None}
    if at is not None:
        out["reason"] = mark.sub("", lines[at - 1], count=1) if at - 1 == given else lines[at - 1]
        out["context"] = first if given is not None and given != at - 1 else None
        end = next((i for i in range(at, len(lines)) if lines[i].startswith("  Developer debug context:")), len(lines))
        if end < len(lines):
            rest = [lines[end][len("  Developer debug context:"):]] + lines[end + 1:]
            stop = next((i for i, line in enumerate(rest) if "For more details about this graph break" in line), len(rest))
            out["debug_context"] = "\n".join(rest[:stop]).strip() or None
        marks = [i for i in range(at, end) if lines[i].startswith("  Hint:")] + [end]
        out["explanation"] = "\n".join([lines[at][len("  Explanation:"):]] + lines[at + 1:marks[0]]).strip()
        out["hints"] = [unfold([lines[a][len("  Hint:"):]] + lines[a + 1:b]) for a, b in zip(marks, marks[1:])]
        more = next((m for m in map(re.compile(r"\s*For more details about this graph break, please visit: (\S+)").match,
                                    lines[at:]) if m), None)
        if more:
            out["url"] = more[1]
            gb = re.search(r"gb\d+", more[1].rsplit("/", 1)[-1])
            out["gb_id"] = gb[0] if gb else None
    out["reason"] = re.sub(r"0x[0-9a-fA-F]+", "", out["reason"]).strip()
    return out


def breaks_of(recs):
    groups, per_id = {}, collections.Counter()
    for r in recs:
        if r.key == "artifact" and r.value["name"] == "dynamo_graph_break_reason":
            b = parse_break(r.payload)
            trace = r.payload.partition("User code traceback:")[2].lstrip("\r\n").split("\n\n")[0]
            g = groups.setdefault((b["reason"], b["file"], b["line"]),
                                  {**b, "compile_ids": [], "count": 0, "user_stack": frames_in(trace)})
            g["count"] += 1
            if r.id not in g["compile_ids"]:
                g["compile_ids"].append(r.id)
            per_id[r.id] += 1
    return list(groups.values()), per_id


# ---- recompiles --------------------------------------------------------------------------------------------------

def frames_in(text):
    frames = []
    for line in text.split("\n"):
        m = re.fullmatch(r'\s*File "(.*)", line (\d+), in (.*)', line)
        if m:
            frames.append({"file": m[1], "line": int(m[2]), "name": m[3], "loc": None})
        elif frames and frames[-1]["loc"] is None and line.strip():
            frames[-1]["loc"] = line.strip()
    return frames


def parse_reason(reason):
    text, _, trace = reason.partition("\nUser stack trace:")
    against = re.match(r"(!?\d+(?:/\d+)*): ", text)
    if against:
        text = text[against.end():]
    guard, mark, comment = text.partition("  # ")
    m = re.fullmatch(r"(.*)  # (.+):(\d+) in (.+?)(?: \(HINT: (.*)\))?", comment.strip()) if mark else None
    return {"against": against[1] if against else None, "text": text, "guard": guard.strip(),
            "source": {"code": m[1].strip(), "file": m[2], "line": int(m[3]), "function": m[4]} if m else None,
            "hint": m[5] if m else None, "user_stack": frames_in(trace)}


def recompiles_of(recs, functions):
    out = []
    for r in recs:
        if r.key == "artifact" and r.value["name"] == "recompile_reasons":
            try:
                given = json.loads(r.payload)
            except ValueError:
                given = r.payload
            f = functions[r.id]
            out.append({"compile_id": r.id, "function": f["name"] if f else None,
                        "reasons": [parse_reason(x) for x in (given if isinstance(given, list) else [given])]})
    return out


# ---- failures, restarts, caches ----------------------------------------------------------------------------------

def failures_of(recs):
    return [{"compile_id": r.id, "kind": METRICS[r.key], "type": r.value["fail_type"], "reason": r.value.get("fail_reason"),
             "file": r.value.get("fail_user_frame_filename"), "line": r.value.get("fail_user_frame_lineno")}
            for r in recs if r.key in METRICS and r.value.get("fail_type")]


def restarts_of(recs):
    return [{"compile_id": r.id, "reason": reason}
            for r in recs if r.key in METRICS for reason in r.value.get("restart_reasons") or []]


def caches_of(recs, files):
    out = []
    for r in recs:
        cache, outcome = cache_of(r.value["name"]) if r.key == "artifact" else (None, None)
        if cache:
            p = json.loads(r.payload)
            status = [p[k] for k in ("cache_status_detailed", "cache_status_guard_expr") if p.get(k)]
            out.append({"compile_id": r.id, "attempt": r.attempt, "cache": cache, "outcome": outcome, "key": p.get("key"),
                        "reason": p.get("cache_bypass_reason") or ": ".join(status) or None, "path": files[r.line]["path"]})
    return out


# ---- compile time ------------------------------------------------------------------------------------------------

def union(spans):
    total, end = Fraction(0), None
    for a, b in sorted(s for s in spans if s[1] > s[0]):
        if end is None or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def spans_of(events):
    """[name, start, end, children]: a stack with recovery."""
    stack, done, last = [], [], None

    def close(ts):
        span = stack.pop()
        span[2] = max(ts, span[1])
        done.append(span)

    for e in events:
        ts = Fraction(e["ts"])
        last = ts if last is None else max(last, ts)
        if e["ph"] == "B":
            span = [e["name"], ts, ts, []]
            if stack:
                stack[-1][3].append(span)
            stack.append(span)
        elif e["ph"] == "E" and any(s[0] == e["name"] for s in stack):
            while stack[-1][0] != e["name"]:
                close(ts)
            close(ts)
    while stack:
        close(last)
    return done


# What the phases of each part of the compiler are called, by the first words of their names; other phases belong to the
# part around them.
PARTS = {
    "Dynamo": ["dynamo", "entire_frame", "compile_attempt", "bytecode_", "build_guards"],
    "AOTAutograd": ["backend_compile", "create_aot", "aot_", "AOTAutograd", "entire_backward"],
    "Inductor": ["inductor_", "fx_codegen", "compile_fx", "_recursive_", "CacheBase.", "GraphLowering.run"],
    "Code generation": ["code_gen", "GraphLowering.co", "PyCodeCache", "Scheduler."],
    "Kernel builds": ["compile_file", "async_compile"],
}


def parts_of(spans):
    """Seconds in each part; healthy logs of one thread only, so that the spans within a span do not overlap."""
    inner = {id(child) for span in spans for child in span[3]}
    sums = collections.defaultdict(Fraction)

    def add(span, around):
        part = next((part for part, words in PARTS.items() if span[0].startswith(tuple(words))), around)
        sums[part] += span[2] - span[1] - sum(child[2] - child[1] for child in span[3])
        for child in span[3]:
            add(child, part)

    for span in spans:
        if id(span) not in inner:
            add(span, None)
    # These logs built their kernels one after the other, so no part was more work than it took.
    return [{"name": part, "seconds": round(float(sums[part] / 10**6), 6), "work_s": None} for part in [*PARTS, None] if sums[part]]


def compile_time_of(recs):
    by_pid = collections.defaultdict(list)
    for r in recs:
        if r.key == "chromium_event":
            by_pid[r.pid].append(json.loads(r.payload))
    spans = [s for events in by_pid.values() for s in spans_of(events)]
    assert spans, "no chromium events: the sums of the metrics' times are not derived here"
    phases = collections.defaultdict(lambda: [[], Fraction(0)])
    for name, a, b, children in spans:
        inside = union([(max(c[1], a), min(c[2], b)) for c in children])
        phases[name][0].append((a, b))
        phases[name][1] += b - a - inside
    seconds = lambda us: round(float(us / 10**6), 6)
    rows = [{"name": n, "self_s": seconds(own), "total_s": seconds(union(s)), "count": len(s)} for n, (s, own) in phases.items()]
    rows.sort(key=lambda row: (-row["self_s"], row["name"]))
    return {"total_s": seconds(union([(s[1], s[2]) for s in spans])), "parts": parts_of(spans), "one_offs": [], "phases": rows}


# ---- the report --------------------------------------------------------------------------------------------------

def status_of(own, broke):
    forward = [r for r in own if r.key == "compilation_metrics"]
    if any(r.value.get("fail_type") for r in own if r.key in METRICS):
        return "error"
    if not forward:
        return "missing"
    if not forward[-1].value.get("graph_op_count"):
        return "empty"
    if broke or any(r.value.get("restart_reasons") for r in own if r.key in METRICS):
        return "break"
    return "ok"


def compiles_of(recs, files, metrics, per_break):
    strings = {r.value[1]: r.value[0] for r in recs if r.key == "str"}
    own = collections.defaultdict(list)
    for r in recs:
        if r.key != "str":
            own[r.id].append(r)
    out = []
    for cid, rs in own.items():
        starts = [r for r in rs if r.key == "dynamo_start"]
        stack = stack_of(starts[0], strings) if starts else []
        named = [r.value for r in rs if r.key in METRICS and r.value.get("co_name")]
        function = None
        if named:
            function = {"name": named[-1]["co_name"], "file": named[-1].get("co_filename"), "line": named[-1].get("co_firstlineno")}
        elif stack:
            function = {k: stack[-1][k] for k in ("name", "file", "line")}
        out.append({
            "id": cid, "status": status_of(rs, per_break[cid]), "function": function,
            "attempts": [{"attempt": a, "dir": d} for a, d in sorted({(r.attempt, r.dir) for r in rs})],
            "occurrences": max(1, sum(r.attempt == 0 for r in starts)), "graph_breaks": per_break[cid], "stack": stack,
            "metrics": [metrics[r.line] for r in rs if r.line in metrics],
            "artifacts": [files[r.line] for r in rs if r.line in files],
            "time": None, "kernels": kernels_of(r.payload for r in rs if r.key == "inductor_output_code")})
    return out


def kernels_of(texts):
    """How often each kernel is defined in generated Python, or called where a library has it."""
    found = collections.Counter()
    for text in texts:
        text = re.sub(r"(= async_compile\.\w+\(.*?)('''|\"\"\").*?\n(\2)", r"\1", text, flags=re.S)
        found.update(re.findall(r"^(\w+) = async_compile\.", text, re.M))
        found.update(re.findall(r"^ *(?:\w+ = )?((?:extern_kernels|torch\.ops|aten)\.[\w.]+)\(", text, re.M))
    return dict(found)


def integrity_of(recs):
    count = lambda it: dict(collections.Counter(it))
    return {"ok": True, **{c: 0 for c in COUNTERS}, "events": count(r.key for r in recs),
            "artifacts": count(r.value["name"] for r in recs if r.key == "artifact"),
            "unknown_events": count(r.key for r in recs if r.key not in KNOWN), "problems": []}


def torch_of(recs):
    for r in recs:
        if r.key == "artifact" and r.value["name"] == "torch_version":
            v = json.loads(r.payload)
            return {"version": v["pytorch_version"], "commit": v.get("commit")}
    for r in recs:
        if r.key in METRICS and r.value.get("pytorch_version"):
            return {"version": r.value["pytorch_version"], "commit": None}
    return None


def cross_rank_of(recs, compiles, caches, metrics):
    rows = [[c["id"]] + [(c["function"] or {}).get(k) for k in ("name", "file", "line")] for c in compiles if c["id"] is not None]
    configs = {}
    for m in metrics.values():
        configs.update({k: m["fields"][k] for k in CONFIGS[:4] if m["fields"].get(k) is not None})
    return {"compiles": rows, "cache": [[c["compile_id"], c["cache"], c["outcome"]] for c in caches] or None,
            "collectives": None, "tensor_meta": None, "execution": None, "runtime": None, "parity": None,
            "configs": configs or None, "names": None, "code": None, **of_ranks(recs)}


def of_ranks(recs):
    """What only a comparison of ranks needs: inputs of the last attempt, keys, cache folders, builds, pauses, the end."""
    assert not any("_c10d_functional" in r.payload for r in recs if r.key == "inductor_output_code"), "not for this script"
    described, keys, folders = {}, [], {}
    for r in recs:
        if r.key in ("describe_tensor", "describe_source"):
            tensors, sources = described.setdefault(r.id, {}).setdefault(r.attempt, ({}, {}))
            (sources if r.key == "describe_source" else tensors)[r.value["describer_id"], r.value["id"]] = r.value
        if r.key == "artifact" and re.fullmatch(r".*_cache_(hit|miss|bypass)", r.value["name"]):
            cache = json.loads(r.payload)
            keys.append([r.id, r.value["name"].rsplit("_cache_", 1)[0], cache.get("key"), cache.get("cache_event_time")])
        if r.key == "inductor_output_code":
            parts = (r.value.get("filename") or r.value.get("file_path") or "").split("/")
            if len(parts) > 2 and len(parts[-2]) == 2 and parts[-1][1:3] == parts[-2]:
                folders["/".join(parts[:-2])] = None
    numbers = lambda sizes: None if sizes is None else "[" + ",".join(str(n) for n in sizes) + "]"
    inputs = []
    for compile_id, attempts in described.items():
        tensors, sources = attempts[max(attempts)]
        rows = [[s["source"], tensors[at]["dtype"].removeprefix("torch."), numbers(tensors[at].get("size")) or "[]",
                 numbers(tensors[at].get("stride"))] for at, s in sources.items() if at in tensors]
        inputs += [{"compile_id": compile_id, "tensors": rows}] if rows else []
    spans, last = phases_of(recs), [r for r in recs if r.key != "str"][-1]
    event = last.value["name"] if last.key in ("artifact", "graph_dump") else last.key
    builds = [[s["begin"], s["end"]] for s in spans if s["name"] == "compile_file"]
    return {"inputs": inputs or None, "process_groups": None, "cache_keys": keys or None, "cache_folders": list(folders) or None,
            "builds": builds or None, "pauses": pauses_of(spans) or None,
            "end": {"event": event, "compile_id": last.id, "inside": False, "phases": [], "open_s": []}}


def phases_of(recs):
    """Begin, end and direct children of each span; these logs close every span that they open but those dropped with their parent."""
    spans, stack = [], []
    for r in recs:
        if r.key != "chromium_event":
            continue
        e = json.loads(r.payload)
        if e["ph"] == "B":
            span = {"name": e["name"], "begin": e["ts"], "end": None, "children": [], "whole": True}
            if stack:
                stack[-1]["children"].append(span)
            spans.append(span)
            stack.append(span)
        elif e["ph"] == "E" and any(s["name"] == e["name"] for s in stack):
            while True:
                span = stack.pop()
                span["end"] = e["ts"]
                if span["name"] == e["name"]:
                    break
                span["whole"] = False
    assert not stack, "not for this script"
    return [s for s in spans if s["whole"]]


def pauses_of(spans):
    """Stretches of 0.4 s and more of phases that may wait for a lock, without a phase inside."""
    pauses = []
    for s in spans:
        if s["name"] in ("Scheduler.codegen", "PyCodeCache.load_by_key_path", "async_compile.wait"):
            at = s["begin"]
            for child in s["children"] + [{"begin": s["end"], "end": s["end"]}]:
                if child["begin"] - at >= 400_000:
                    pauses.append([at, child["begin"]])
                at = max(at, child["end"])
    return pauses


def report(path):
    data = read(path)
    recs = list(records(data))
    assert not any(r.key == "artifact" and r.value["name"] in CROSS_RANK_ARTIFACTS for r in recs), "not for this script"
    iso = absolute(recs)
    configs, files = {}, directory(recs)
    metrics = metrics_of(recs, configs)
    breaks, per_break = breaks_of(recs)
    compiles = compiles_of(recs, files, metrics, per_break)
    functions = {c["id"]: c["function"] for c in compiles}
    caches = caches_of(recs, files)
    return {
        "schema": 2, "kind": "log", "tool": {"name": "tlparse", "version": TOOL_VERSION}, "torch": torch_of(recs),
        "log": {"file": os.path.basename(path).removesuffix(".zst"), "bytes": len(data), "records": len(recs), "rank": None,
                "pids": list(dict.fromkeys(r.pid for r in recs)),
                "first_time": iso(recs[0].stamp), "last_time": iso(recs[-1].stamp)},
        "integrity": integrity_of(recs), "compiles": compiles, "configs": configs, "graph_breaks": breaks,
        "recompiles": recompiles_of(recs, functions), "failures": failures_of(recs), "restarts": restarts_of(recs),
        "caches": caches, "compile_time": compile_time_of(recs), "cross_rank": cross_rank_of(recs, compiles, caches, metrics),
        "findings": [], "performance": None}


def text_of(rep):
    """JSON with one line an entry of the long lists."""
    dump = lambda v: json.dumps(v, ensure_ascii=False)
    parts = []
    for key, value in rep.items():
        if isinstance(value, list) and value:
            body = "[\n" + ",\n".join(dump(v) for v in value) + "\n]"
        elif key in ("configs", "cross_rank", "compile_time", "integrity") and value:
            body = "{\n" + ",\n".join(f"{dump(k)}: {dump(v)}" for k, v in value.items()) + "\n}"
        else:
            body = dump(value)
        parts.append(f"{dump(key)}: {body}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    text = text_of(report(sys.argv[1]))
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
