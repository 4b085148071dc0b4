"""A pytest test that fails when torch.compile breaks the graph of one function.

Copy it beside your tests and change `PROGRAM` and `BUDGET`. The program runs in a process of its own: torch opens the log
when it is imported, and a log then holds what this program compiled and nothing else.
"""

import json
import os
import subprocess
import sys

PROGRAM = """
import torch

def train_step(model, x):
    loss = model(x).square().mean()
    loss.backward()
    return loss

model = torch.nn.Linear(8, 8)
torch.compile(train_step)(model, torch.randn(4, 8))
"""

BUDGET = """
failures = 0

[functions.train_step]
graph_breaks = 0
"""


def record(program, folder):
    """Runs a program and gives the folder of its log."""
    trace = folder / "trace"
    # A cache would hide compilations.
    env = {**os.environ, "TORCH_TRACE": str(trace), "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
    subprocess.run([sys.executable, "-c", program], env=env, check=True)
    return trace


def check(log, budget, folder):
    """What exceeds a budget, one line each."""
    file = folder / "budget.toml"
    file.write_text(budget)
    command = ["tlparse", "check", str(log), "--budget", str(file), "--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    # 0: all budgets hold, 3: one is exceeded. Anything else is an error, which tlparse has printed.
    assert done.returncode in (0, 3), f"tlparse ended with {done.returncode}"
    excesses = [excess for one in json.loads(done.stdout)["checks"] for excess in one["excesses"]]
    return [f"{one['title']}, at {one['file']}:{one['line']}" for one in excesses]


def test_train_step_stays_in_one_graph(tmp_path):
    excesses = check(record(PROGRAM, tmp_path), BUDGET, tmp_path)
    assert not excesses, "\n".join(excesses)
