"""Counts in a TORCH_TRACE log, read without tlparse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DRAFT_PROBLEMS = ("missing_fake_kernel", "mismatched_fake_kernel", "propagate_real_tensors_provenance")
CACHE_MARKS = {"_hit": "hits", "_miss": "misses", "_bypass": "bypasses"}


def envelopes(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON of each record, without its payload."""
    with path.open(errors="replace") as lines:
        for line in lines:
            start = line.find("] {")
            if line.startswith("\t") or start < 0:
                continue
            try:
                yield json.loads(line[start + 2 :])
            except ValueError:
                continue


def recordings(path: Path) -> int:
    """The recordings of CUDA graphs, each of which is a span in the payload of two records."""
    with path.open(errors="replace") as lines:
        return sum('"CUDAGraphNode.record"' in line for line in lines if line.startswith("\t")) // 2


def counts(path: Path) -> dict[str, int]:
    """What a log holds.

    compiles: compile ids; breaks: graph breaks; operators: operators in all captured graphs;
    hits, misses, bypasses: lookups of graphs in the caches of Inductor and AOTAutograd;
    problems: problems that draft export wrote down; recordings: CUDA graphs that were recorded.
    """
    ids: set[tuple[int, int]] = set()
    found = dict.fromkeys(["breaks", "operators", "hits", "misses", "bypasses", "problems"], 0)
    found["recordings"] = recordings(path)
    for envelope in envelopes(path):
        metrics = envelope.get("compilation_metrics")
        if metrics is not None and envelope.get("frame_id") is not None:
            ids.add((envelope["frame_id"], envelope["frame_compile_id"]))
            found["operators"] += metrics.get("graph_op_count") or 0
        name = (envelope.get("artifact") or {}).get("name", "")
        found["breaks"] += name == "dynamo_graph_break_reason"
        found["problems"] += any(key in envelope for key in DRAFT_PROBLEMS)
        for mark, count in CACHE_MARKS.items():
            found[count] += name.startswith(("fx_graph_cache", "aotautograd_cache")) and name.endswith(mark)
    return {"compiles": len(ids), **found}
