#!/usr/bin/env python3
"""Make the reports of a large job, and measure `tlparse combine` on them.

usage: benches/many_ranks.py TLPARSE JOB FOLDER [RANKS]

JOB is a finished report of a job of two ranks (tests/jobs/13_div_healthy, say). FOLDER gets rank_0 .. rank_N with small
reports: those of rank 0, but for 1 % of the ranks, which diverge in four ways (a graph break, another version, another
setting, a skipped collective), three that are cut off inside a compile, and one that fails in its backward pass. It failed
first, so its rank has to be the first thing said; the last line says whether it was.
"""
import copy
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

LATER = "2026-11-20T06:00:09.000000+00:00"
FAILED = "2026-11-20T06:00:05.000000+00:00"
ENDED = "2026-11-20T06:00:07.000000+00:00"


def small(report):
    """The report without what combining does not read."""
    for one in report["compiles"]:
        one.update(metrics=[], artifacts=[], stack=[], kernels={})
    report.update(configs={}, caches=[], restarts=[])
    cross = report["cross_rank"]
    cross.update(configs={"dynamo_config": "0" * 32}, tensor_meta=None, runtime=None, parity=None, execution=None)
    cross.update(cache=None, cache_keys=None, builds=None, pauses=None)
    report["configs"] = {"0" * 32: {"automatic_dynamic_shapes": True}}
    report["findings"] = report["findings"][:3]
    report["log"]["last_time"] = LATER
    return report


def broken(report):
    first = report["compiles"][0]
    first.update(status="break", graph_breaks=1)
    place = {"file": first["function"]["file"], "line": first["function"]["line"] + 1}
    report["graph_breaks"].append({"reason": "print", "compile_ids": [first["id"]], "count": 1, **place})


def again(report):
    first = report["compiles"][0]
    guard = "tensor 'x' size mismatch at index 0. expected 8, actual 6"
    reason = {"against": first["id"], "text": guard, "guard": guard, "user_stack": []}
    new = dict(first, id="0/1", attempts=[{"attempt": 0, "dir": "-_0_1_0"}])
    report["compiles"].append(new)
    function = first["function"]
    report["cross_rank"]["compiles"].append(["0/1", function["name"], function["file"], function["line"]])
    report["recompiles"].append({"compile_id": "0/1", "function": function["name"], "reasons": [reason]})


def setting(report):
    report["configs"]["0" * 32]["automatic_dynamic_shapes"] = False


def skips(report):
    for key, calls in (("collectives", "ops"), ("process_groups", "calls")):
        graphs = report["cross_rank"][key] or []
        if graphs:
            graphs[0][calls] = []


def cut(report):
    first = report["compiles"][0]["id"]
    report["log"]["last_time"] = ENDED
    phases = ["entire_frame_compile", "compile_file"]
    report["cross_rank"]["end"] = {"event": "chromium_event", "compile_id": first, "inside": True, "phases": phases, "open_s": [2.0, 0.5]}


def fails(report):
    first = report["compiles"][0]["id"]
    report["log"]["last_time"] = FAILED
    report["failures"] = [{"compile_id": first, "kind": "backward", "type": "OutOfMemoryError", "reason": "out of memory", "file": None, "line": None}]
    report["cross_rank"]["end"] = {"event": "bwd_compilation_metrics", "compile_id": first, "inside": False, "phases": [], "open_s": []}


def main():
    tool, job, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 131_072
    usual = small(json.loads((job / "rank_0" / "report.json").read_text()))
    changes = {}
    for at, index in enumerate(range(50, count, 100)):
        changes[index] = (broken, again, setting, skips)[at % 4]
    for index in (count // 3, count // 2, count - 2):
        changes[index] = cut
    guilty = count * 3 // 4 + 7
    changes[guilty] = fails
    shutil.rmtree(folder, ignore_errors=True)
    texts = {}
    for index in range(count):
        change = changes.get(index)
        if change not in texts:
            report = copy.deepcopy(usual)
            if change:
                change(report)
            report["log"]["rank"] = -4711
            texts[change] = json.dumps(report)
        own = folder / f"rank_{index}"
        own.mkdir(parents=True)
        (own / "report.json").write_text(texts[change].replace("-4711", str(index), 1))
        (own / "chromium_events.json").write_text("[]\n")
    begin = time.time()
    subprocess.run([tool, "combine", str(folder)], check=True, stdout=subprocess.DEVNULL)
    seconds = time.time() - begin
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    page = os.path.getsize(folder / "index.html") / 1e6
    first = json.loads((folder / "report.json").read_text())["findings"][0]["title"]
    print(f"{count} ranks: {seconds:.1f} s, {memory:.0f} MB, landing page {page:.2f} MB")
    print("first finding:", first)
    sys.exit(f"Rank {guilty} " not in first)


main()
