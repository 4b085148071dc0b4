"""Records the default settings of an installed torch in defaults.json, the file beside this script.

    python -m venv /somewhere/torch && /somewhere/torch/bin/pip install torch==2.8.0 numpy
    /somewhere/torch/bin/python src/analysis/defaults/record.py

Each run adds the torch of its interpreter, or replaces what is recorded for that version. A setting whose value equals
that of the version before is not written again, so that a new version adds only what changed.

The values are what torch itself writes to its logs, by the functions that write them, in a process without any
environment variable. A setting whose default is computed from more than constants and environment variables (the number
of processors, what is installed, the platform) is listed under `machine`: its value says nothing about a change.
"""

import ast
import importlib
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys

FILE = pathlib.Path(__file__).with_name("defaults.json")

# The field of torch's metrics, the module with the settings, and torch's function that writes them to a log.
KINDS = {
    "dynamo_config": ("torch._dynamo.config", "_get_dynamo_config_for_logging"),
    "inductor_config": ("torch._inductor.config", "_scrubbed_inductor_config_for_logging"),
    "functorch_config": ("torch._functorch.config", "_functorch_config_for_logging"),
    "compiler_config": ("torch.compiler.config", "_compiler_config_for_logging"),
}

# What torch's older versions leave out of a log, or cannot write: a path, a function, a tensor type.
LEFT_OUT = re.compile(r"TYPE_CHECKING|.*(_dir|_root|_file|_path|log_file_name|_name)$")

# Functions in the expression of a default that make the same of the same environment on every machine. Functions of the
# module itself are looked into; those imported from elsewhere in torch that only read the environment are named here.
SAME_EVERYWHERE = {
    "bool", "int", "float", "str", "list", "set", "dict", "tuple", "frozenset", "len", "cast", "get", "getenv", "split",
    "lower", "upper", "strip", "join", "append", "isinstance", "Config", "is_fbcode", "ValueError", "RuntimeError",
    "warning", "justknobs_check", "justknobs_getval_int", "get_tristate_env",
}

# Settings that torch itself sets while it compiles: they are never a change of the user.
SET_BY_TORCH = {"aot_inductor.metadata"}

# Modules whose values differ from machine to machine.
OF_MACHINE = {"sys", "platform", "shutil", "multiprocessing", "tempfile", "sysconfig", "torch", "getpass", "subprocess"}


def settings_of(module_name, function):
    """The settings as torch logs them; None where this torch has no such module."""
    from torch._dynamo import utils

    try:
        module = importlib.import_module(module_name)
    except ImportError:
        return None
    logged = getattr(utils, function, None)
    if logged is not None:
        return json.loads(logged())
    settings = {}
    for name, value in module.get_config_copy().items():
        value = sorted(value) if isinstance(value, (set, frozenset)) else value
        try:
            settings[name] = json.loads(json.dumps(value))
        except TypeError:
            continue
    return settings


def depends_on_machine(expression, functions, seen=frozenset()):
    """Whether evaluating this asks for more than constants and the environment; `functions` are those of the module."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in functions:
                if name not in seen and depends_on_machine(functions[name], functions, seen | {name}):
                    return True
            elif name not in SAME_EVERYWHERE:
                return True
        elif isinstance(node, ast.Attribute):
            base = node.value
            if isinstance(base, ast.Name) and base.id in OF_MACHINE:
                return True
    return False


def names_of_machine(module_name):
    """The settings of a module whose defaults depend on the machine: `name`, or `class.name`."""
    module = importlib.import_module(module_name)
    tree = ast.parse(inspect.getsource(module))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    # What names of the module stand for that are no settings, such as `_conv_default_backends`.
    helpers = set()
    found = set()

    def is_of_machine(value):
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        return bool(names & helpers) or depends_on_machine(value, functions)

    def look(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                look(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.If):
                look(node.body, prefix)
                look(node.orelse, prefix)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if is_of_machine(node.value):
                    names = {target.id for target in targets if isinstance(target, ast.Name)}
                    found.update(prefix + name for name in names)
                    helpers.update(names)

    look(tree.body, "")
    return found


def record():
    """Everything that is recorded of the torch of this interpreter, as JSON on standard output."""
    import torch
    import torch._inductor.config  # noqa: F401

    found = {"torch": torch.__version__, "settings": {}, "machine": {}}
    for kind, (module_name, function) in KINDS.items():
        settings = settings_of(module_name, function)
        if settings is None:
            continue
        found["settings"][kind] = {
            name: value for name, value in settings.items()
            if not LEFT_OUT.match(name) and value != "Value is not JSON serializable"
        }
        of_machine = names_of_machine(module_name) | SET_BY_TORCH
        found["machine"][kind] = sorted(name for name in of_machine if name in found["settings"][kind])
    json.dump(found, sys.stdout)


def version_key(version):
    return [int(part) for part in re.findall(r"\d+", version.split("+")[0])]


def whole(recorded):
    """Every version with all its settings: what equals the version before is filled in."""
    before = {}
    for version in sorted(recorded, key=version_key):
        one = recorded[version]
        for kind, changes in one["settings"].items():
            settings = {**before.get(kind, {}), **changes}
            for name in one.get("gone", {}).get(kind, []):
                settings.pop(name, None)
            one["settings"][kind] = settings
        one.pop("gone", None)
        before = one["settings"]
    return recorded


def only_changes(recorded):
    """The same with what changed from one version to the next."""
    before = {}
    out = {}
    for version in sorted(recorded, key=version_key):
        one = recorded[version]
        entry = {"torch": one["torch"], "settings": {}, "gone": {}, "machine": one["machine"]}
        for kind, settings in one["settings"].items():
            old = before.get(kind, {})
            entry["settings"][kind] = {
                name: value for name, value in sorted(settings.items()) if name not in old or old[name] != value
            }
            entry["gone"][kind] = sorted(name for name in old if name not in settings)
        before = one["settings"]
        out[version] = entry
    return out


def main():
    if sys.argv[1:] == ["--print"]:
        record()
        return
    # A process without an environment: a variable would be taken for a default.
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    run = subprocess.run([sys.executable, __file__, "--print"], env=keep, stdout=subprocess.PIPE, check=True)
    found = json.loads(run.stdout)
    recorded = whole(json.loads(FILE.read_text())) if FILE.exists() else {}
    recorded[".".join(str(part) for part in version_key(found["torch"])[:2])] = found
    text = json.dumps(only_changes(recorded), indent=1, sort_keys=False)
    # A setting or a list a line.
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)
    FILE.write_text(text + "\n")
    print(f"recorded torch {found['torch']} in {FILE.name}")


if __name__ == "__main__":
    main()
