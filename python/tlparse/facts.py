"""The facts of a report: a class per object of report.json.

Written by python/generate_facts.py from report.schema.json; change that instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ._reading import Facts


@dataclass
class LogReport(Facts):
    """What a log says, and what follows from it."""

    schema: int = 0
    """Version of this format."""
    kind: str = ""
    """What the report is about."""
    tool: Tool = field(default_factory=lambda: Tool())
    """What wrote the report."""
    torch: Optional[Torch] = None
    """The torch that wrote the log; null if the log does not say."""
    log: RankLog = field(default_factory=lambda: RankLog())
    """The file."""
    integrity: Integrity = field(default_factory=lambda: Integrity())
    """What could be read, and what is damaged."""
    compiles: List[Compile] = field(default_factory=list)
    """One entry per compile id, in order of first appearance; the entry with id null has the records without an id."""
    configs: Dict[str, Any] = field(default_factory=dict)
    """Configurations by the md5 of their JSON text: the settings, or that text if it is not JSON."""
    graph_breaks: List[GraphBreak] = field(default_factory=list)
    """One entry per distinct graph break: one reason at one place."""
    recompiles: List[Recompile] = field(default_factory=list)
    """One entry per recompilation, in log order."""
    failures: List[Failure] = field(default_factory=list)
    """One entry per metrics record with an error, in log order."""
    restarts: List[Restart] = field(default_factory=list)
    """One entry per restart of a compile."""
    caches: List[CacheLookup] = field(default_factory=list)
    """One entry per cache lookup, in log order."""
    compile_time: CompileTime = field(default_factory=lambda: CompileTime())
    """Where the time went."""
    cross_rank: CrossRank = field(default_factory=lambda: CrossRank())
    """What a comparison of ranks needs; null where the log holds no such event."""
    findings: List[Finding] = field(default_factory=list)
    """What to look at, most important first."""
    performance: Optional[Performance] = None
    """What a trace of torch.profiler measured; null without one."""
    cuda_graphs: Optional[List[CudaGraphs]] = None
    """What the log proves about the CUDA graphs of each compile that asked for them; absent where none did."""
    console: Optional[Console] = None
    """What the console of the same run says beyond the log; absent where none was given."""


@dataclass
class Tool(Facts):
    """The program that wrote the report."""

    name: str = ""
    """Its name."""
    version: str = ""
    """Its version."""


@dataclass
class Torch(Facts):
    """A torch."""

    version: Optional[str] = None
    """`2.15.0+cu132`"""
    commit: Optional[str] = None
    """Commit."""


@dataclass
class RankLog(Facts):
    """Facts about a rank's file, as its report.json has them."""

    file: str = ""
    """Base name."""
    bytes: int = 0
    """Uncompressed size."""
    records: int = 0
    """Records read."""
    rank: Optional[int] = None
    """The rank that its records or its name give."""
    pids: List[int] = field(default_factory=list)
    """Processes that wrote it."""
    first_time: Optional[str] = None
    """Time of its first record."""
    last_time: Optional[str] = None
    """Time of its last record."""
    console: Optional[List[str]] = None
    """What `TORCH_LOGS` showed, if the log was made of console output, which has no times, graphs and code; absent for a log that torch wrote."""


@dataclass
class Integrity(Facts):
    """What could be read, and what is damaged."""

    ok: bool = False
    """Whether no record is damaged: what `--strict` checks."""
    bad_prefix: int = 0
    """Lines that are neither a record nor a payload."""
    bad_json: int = 0
    """Records whose JSON is not an object."""
    bad_payload_md5: int = 0
    """Payloads that do not match their hash."""
    truncated: int = 0
    """Records that are cut off."""
    non_utf8: int = 0
    """Lines that are not UTF-8."""
    other_rank: int = 0
    """Records of a second rank."""
    parser_errors: int = 0
    """Records that their parser did not understand."""
    unresolved_strings: int = 0
    """Numbers of strings that no record defines."""
    events: Dict[str, int] = field(default_factory=dict)
    """Records by event."""
    artifacts: Dict[str, int] = field(default_factory=dict)
    """Artifact records by name."""
    unknown_events: Dict[str, int] = field(default_factory=dict)
    """Records of events that this version does not know."""
    problems: List[Problem] = field(default_factory=list)
    """The first problems of each kind."""


@dataclass
class Problem(Facts):
    """A problem of the log."""

    line: int = 0
    """Line of the log, from 1."""
    kind: str = ""
    """The counter that it belongs to."""
    detail: str = ""
    """What is wrong."""


@dataclass
class Compile(Facts):
    """Everything with one compile id."""

    id: Optional[str] = None
    """The id; null for records without one."""
    status: str = ""
    """How it ended."""
    function: Optional[Function] = None
    """What was compiled."""
    attempts: List[Attempt] = field(default_factory=list)
    """Every attempt that a record names, ascending."""
    occurrences: int = 0
    """How often it began."""
    graph_breaks: int = 0
    """How many graph breaks it hit."""
    stack: List[StackFrame] = field(default_factory=list)
    """Where it was called, outermost frame first."""
    metrics: List[Metrics] = field(default_factory=list)
    """Its metrics records, in log order."""
    artifacts: List[Artifact] = field(default_factory=list)
    """Every file in its folders."""
    time: CompileSeconds = field(default_factory=lambda: CompileSeconds())
    """What it took."""
    kernels: Dict[str, int] = field(default_factory=dict)
    """Kernels of the generated code by name: how often each is defined, or called if a library has it."""
    device: Optional[DeviceSettings] = None
    """Settings of this compile on a GPU, which the configurations of the process do not have; absent on a CPU."""


@dataclass
class Function(Facts):
    """A function of the program."""

    name: Optional[str] = None
    """Its name."""
    file: Optional[str] = None
    """Its file."""
    line: Optional[int] = None
    """Line of its definition."""


@dataclass
class Attempt(Facts):
    """One attempt at a compile."""

    attempt: int = 0
    """Its number, from 0."""
    dir: str = ""
    """The folder of its files."""


@dataclass
class StackFrame(Facts):
    """A frame of a stack."""

    file: Optional[str] = None
    """File."""
    line: Optional[int] = None
    """Line."""
    name: Optional[str] = None
    """Function."""
    loc: Optional[str] = None
    """Source text of the line."""


@dataclass
class Metrics(Facts):
    """A metrics record."""

    kind: str = ""
    """What it measured."""
    attempt: int = 0
    """The attempt it belongs to."""
    line: int = 0
    """Line of the log, from 1."""
    fields: Dict[str, Any] = field(default_factory=dict)
    """Every field of the record; configurations as keys of `configs`."""


@dataclass
class Artifact(Facts):
    """A file of a compile."""

    name: str = ""
    """Name without number and extension."""
    path: str = ""
    """Path relative to the report. A reader has to check it."""
    number: int = 0
    """Number in the name of the file."""
    line: int = 0
    """Line of the record's header in the log, from 1."""
    attempt: Optional[int] = None
    """The attempt it belongs to."""
    subgraph: Optional[str] = None
    """The subgraph that the record names: a region that is compiled by itself."""
    cache: Optional[str] = None
    """Result of the cache lookup that it records."""


@dataclass
class CompileSeconds(Facts):
    """What a compile took."""

    seconds: Optional[float] = None
    """What its metrics records report, except those of runtime."""
    parts: List[Part] = field(default_factory=list)
    """The same by part of the compiler."""


@dataclass
class Part(Facts):
    """Time in a part of the compiler; each instant is counted once."""

    name: Optional[str] = None
    """The part; null for phases that belong to none."""
    seconds: float = 0.0
    """Seconds."""
    work_s: Optional[float] = None
    """Seconds of all its pieces of work, where several ran side by side: kernels that workers built."""


@dataclass
class DeviceSettings(Facts):
    """Settings of a compile on a GPU, from its cache key."""

    cudagraphs: bool = False
    """Whether CUDA graphs were asked for, as `mode='reduce-overhead'` does."""
    max_autotune: Optional[bool] = None
    """Whether products and convolutions are chosen by measuring, as `mode='max-autotune'` does; null if the log does not say."""
    tf32: Optional[bool] = None
    """Whether products of float32 matrices may use TF32; null if the log does not say."""


@dataclass
class GraphBreak(Facts):
    """A distinct graph break."""

    reason: str = ""
    """What could not be traced."""
    context: Optional[str] = None
    """The sentence around the reason."""
    explanation: Optional[str] = None
    """What torch explains."""
    debug_context: Optional[str] = None
    """torch's developer debug context: which call with which arguments."""
    hints: List[str] = field(default_factory=list)
    """What torch advises."""
    gb_id: Optional[str] = None
    """Its number in torch's catalog."""
    url: Optional[str] = None
    """Its page in the catalog."""
    file: Optional[str] = None
    """File of the user's line."""
    line: Optional[int] = None
    """That line."""
    compile_ids: List[Optional[str]] = field(default_factory=list)
    """The compiles that hit it."""
    count: int = 0
    """How many records report it."""
    user_stack: List[StackFrame] = field(default_factory=list)
    """The user's frames that led to the break when it was first hit, outermost first."""
    title: Optional[str] = None
    """What the finding about it says; reports of older versions do not have it."""
    cost: Optional[FindingCost] = None
    """What it costs, as far as the log says; reports of older versions do not have it."""


@dataclass
class FindingCost(Facts):
    """What a finding costs."""

    seconds: float = 0.0
    """Seconds."""
    kind: str = ""
    """wasted: thrown away; avoidable: an upper bound of what would not have been spent without the cause; expected: needed work."""
    why: str = ""
    """How the seconds come about."""


@dataclass
class Recompile(Facts):
    """A recompilation."""

    compile_id: Optional[str] = None
    """The new compile."""
    function: Optional[str] = None
    """Its function."""
    change: Optional[Change] = None
    """What separates the call that was compiled again from the closest cached version; null if torch gives no reason."""
    reasons: List[Reason] = field(default_factory=list)
    """One entry per cached version whose guard failed."""
    at_limit: bool = False
    """Whether torch refused it, as the function had reached the limit of versions."""


@dataclass
class Change(Facts):
    """What separates a call from the closest cached version."""

    kind: str = ""
    """The kind of guard that failed: size, dtype, Python value, .."""
    subject: Optional[str] = None
    """What changed, as one writes it in Python: x.shape[1]."""
    old: Optional[str] = None
    """The value that the version was compiled for, if the guard names it."""
    new: Optional[str] = None
    """The value that arrived, as far as the log has it."""
    against: Optional[str] = None
    """The closest version, whose guard failed."""
    same_for: List[str] = field(default_factory=list)
    """The other versions that failed for the same kind and subject, newest first."""
    became_dynamic: bool = False
    """Whether the new version takes any value."""
    expected: bool = False
    """Whether the program is meant to need a version for each value."""


@dataclass
class Reason(Facts):
    """A guard that failed."""

    against: Optional[str] = None
    """The older compile whose guard failed."""
    text: str = ""
    """The reason as torch gives it, without that id and the user's stack."""
    guard: Optional[str] = None
    """The guard in it."""
    source: Optional[GuardSource] = None
    """The code in torch that made the guard."""
    hint: Optional[str] = None
    """A hint that torch gives."""
    user_stack: List[StackFrame] = field(default_factory=list)
    """The user's stack."""


@dataclass
class GuardSource(Facts):
    """The code in torch that made a guard."""

    code: str = ""
    """Source text."""
    file: str = ""
    """File."""
    line: int = 0
    """Line."""
    function: Optional[str] = None
    """Function."""


@dataclass
class Failure(Facts):
    """A metrics record with an error."""

    compile_id: Optional[str] = None
    """The compile that failed."""
    kind: str = ""
    """Kind of the metrics record."""
    type: str = ""
    """Class of the exception."""
    reason: Optional[str] = None
    """Its message."""
    file: Optional[str] = None
    """File of the user's line."""
    line: Optional[int] = None
    """That line."""
    title: Optional[str] = None
    """What the finding about it says; reports of older versions do not have it."""


@dataclass
class Restart(Facts):
    """A restart of a compile."""

    compile_id: Optional[str] = None
    """The compile."""
    reason: str = ""
    """Why it began again."""


@dataclass
class CacheLookup(Facts):
    """A cache lookup."""

    compile_id: Optional[str] = None
    """The compile that asked."""
    attempt: int = 0
    """Its attempt."""
    cache: str = ""
    """The artifact's name before `_cache_`: fx_graph, aotautograd, .."""
    outcome: str = ""
    """The answer."""
    key: Optional[str] = None
    """The key."""
    reason: Optional[str] = None
    """Why it missed or was bypassed."""
    path: Optional[str] = None
    """The file of the lookup, relative to the report."""


@dataclass
class CompileTime(Facts):
    """Where the time went."""

    total_s: Optional[float] = None
    """Seconds in which something was compiled."""
    parts: List[Part] = field(default_factory=list)
    """The same by part of the compiler."""
    one_offs: List[OneOff] = field(default_factory=list)
    """Work that fell into a compile by chance."""
    phases: List[Phase] = field(default_factory=list)
    """Phases of the compiler by their own time."""


@dataclass
class OneOff(Facts):
    """Work that fell into a compile by chance, such as the first C++ build."""

    kind: str = ""
    """What was done."""
    compile_id: Optional[str] = None
    """The compile that it fell into."""
    seconds: float = 0.0
    """What it took."""
    in_graph_s: float = 0.0
    """How much of that the parts count as work on the graph."""


@dataclass
class Phase(Facts):
    """A phase of the compiler."""

    name: str = ""
    """As torch calls it."""
    self_s: float = 0.0
    """Seconds without its children."""
    total_s: float = 0.0
    """Seconds of the union of its spans."""
    count: int = 0
    """How often it ran."""


@dataclass
class CrossRank(Facts):
    """What a comparison of ranks needs; null where the log holds no such event."""

    compiles: List[List[Any]] = field(default_factory=list)
    """What was compiled: id, function, file, line."""
    cache: Optional[List[List[Any]]] = None
    """Results of cache lookups: id, cache, outcome."""
    collectives: Optional[List[Graph]] = None
    """Scheduled collectives of each graph."""
    tensor_meta: Optional[List[Graph]] = None
    """What the operations of each graph return."""
    execution: Optional[List[Execution]] = None
    """The order in which graphs ran."""
    runtime: Optional[List[Runtime]] = None
    """Estimated runtimes of the operations of each graph."""
    parity: Optional[List[Parity]] = None
    """Scheduled collectives beside those in the generated code."""
    configs: Optional[Dict[str, str]] = None
    """The last configuration of each name, as key of `configs`."""
    names: Optional[List[List[Any]]] = None
    """What the pages call a compiled function where torch's name is another or a library defines it: id, name, and file and line of the user's call that leads there."""
    inputs: Optional[List[Inputs]] = None
    """Input tensors of each compile's last attempt."""
    code: Optional[List[List[Any]]] = None
    """Hashes of what each compile's last attempt captured and guards on, without addresses and sizes of tensors: id, graph, guards."""
    process_groups: Optional[List[Calls]] = None
    """Collectives that generated code calls, in order: operation and name of its process group, null for a wait."""
    cache_keys: Optional[List[List[Any]]] = None
    """Looked-up keys, in the order of `cache`: id, cache, key, and when it was asked in nanoseconds since 1970."""
    cache_stored_ns: Optional[List[Optional[int]]] = None
    """When the entry of a key that was missed was compiled, in the order of `cache_keys` and in the same unit."""
    cache_folders: Optional[List[str]] = None
    """Folders of Inductor's cache that generated code was written to."""
    builds: Optional[List[List[Any]]] = None
    """When kernels were built: begin and end, microseconds since 1970."""
    pauses: Optional[List[List[Any]]] = None
    """When a phase that may wait for another process did nothing that the log knows of."""
    world_size: Optional[int] = None
    """How many ranks the default process group has, as collectives in graphs and code say."""
    end: Optional[End] = None
    """Where the log ends."""


@dataclass
class Graph(Facts):
    """A list of texts about a graph."""

    graph: str = ""
    """Folder of the compile."""
    ops: List[str] = field(default_factory=list)
    """Collectives in order; or `op: dtype[shape]/[stride]`, one per operation and output."""


@dataclass
class Execution(Facts):
    """A position in the order in which graphs ran."""

    compile_id: Optional[str] = None
    """The compile."""
    schedule: Optional[List[str]] = None
    """The collectives of the graph; null if it has none, and in a long order where an earlier entry of the same compile names them."""
    cache: Optional[str] = None
    """What a cache answered for the compile."""


@dataclass
class Runtime(Facts):
    """Estimated runtimes of a graph's operations."""

    graph: str = ""
    """Folder of the compile."""
    ops: List[Op] = field(default_factory=list)
    """Operations, in order."""


@dataclass
class Op(Facts):
    """An operation with its estimated runtime."""

    name: str = ""
    """Its name."""
    type: Optional[str] = None
    """`compute` or `collective`."""
    ns: Optional[float] = None
    """Nanoseconds."""


@dataclass
class Parity(Facts):
    """Scheduled collectives of a graph beside those in its code."""

    compile_id: Optional[str] = None
    """The compile."""
    scheduled: Dict[str, int] = field(default_factory=dict)
    """How many of each operation the schedule has."""
    in_code: Dict[str, int] = field(default_factory=dict)
    """How many calls the code makes."""
    missing_waits: int = 0
    """Collectives that the code does not wait for."""


@dataclass
class Inputs(Facts):
    """Input tensors of a compile."""

    compile_id: Optional[str] = None
    """The compile."""
    tensors: List[List[Any]] = field(default_factory=list)
    """Name, dtype, sizes and strides of each."""


@dataclass
class Calls(Facts):
    """Collectives that the code of a graph calls."""

    graph: str = ""
    """Folder of the compile."""
    calls: List[List[Any]] = field(default_factory=list)
    """In order."""


@dataclass
class End(Facts):
    """Where a log ends."""

    event: str = ""
    """The event of the last record."""
    compile_id: Optional[str] = None
    """The compile of that record."""
    inside: bool = False
    """Whether the compile had not ended."""
    phases: List[str] = field(default_factory=list)
    """The phases that were open, outermost first."""
    open_s: List[float] = field(default_factory=list)
    """Seconds that each of these phases took at least: from its begin to the last event of its process."""


@dataclass
class Finding(Facts):
    """Something to look at."""

    kind: str = ""
    """What it is about, in one word."""
    severity: str = ""
    """How bad it is."""
    title: str = ""
    """One sentence; code is between backquotes."""
    detail: Optional[str] = None
    """Further facts, one per line."""
    file: Optional[str] = None
    """File of the user's line."""
    line: Optional[int] = None
    """That line."""
    compile_ids: List[Optional[str]] = field(default_factory=list)
    """The compiles that it is about."""
    cost: Optional[FindingCost] = None
    """What it costs; null where no time is known, or where another finding is charged for it."""
    hint: Optional[str] = None
    """What to do."""
    advice: List[Advice] = field(default_factory=list)
    """The same as a list, most fitting first; reports of older versions do not have it."""
    caused_by: Optional[int] = None
    """The finding that is the cause of this one, by its position in the list; reports of older versions do not have it."""
    members: List[Member] = field(default_factory=list)
    """The findings of a group, most important first, at most 1,000; empty where it is no group."""
    ranks: List[int] = field(default_factory=list)
    """In a job: numbers of the ranks that it is about, such as those that differ from most, at most 1,000. Empty in the report of a log."""
    url: Optional[str] = None
    """Where the report says more."""


@dataclass
class Advice(Facts):
    """Something that the reader can do."""

    text: str = ""
    """What to do."""
    code: Optional[str] = None
    """The lines to write, in the names of the reader's program."""
    promise: Optional[str] = None
    """What it gains; null where the log does not prove it."""
    evidence: List[str] = field(default_factory=list)
    """Files of the report whose records show that it helps."""
    tried: Optional[Tried] = None
    """Where it was tried; null where it was not."""


@dataclass
class Tried(Facts):
    """Where an advice was tried."""

    kind: str = ""
    """The program in lab/ and its FIX: `print_call.3`."""
    torch: List[str] = field(default_factory=list)
    """Versions of torch under which it came out well, the newest first."""


@dataclass
class Member(Facts):
    """One finding of a group."""

    title: str = ""
    """One sentence; code is between backquotes."""
    file: Optional[str] = None
    """File of the user's line."""
    line: Optional[int] = None
    """That line."""
    compile_ids: List[Optional[str]] = field(default_factory=list)
    """The compiles that it is about."""
    cost: Optional[FindingCost] = None
    """What it costs."""


@dataclass
class Performance(Facts):
    """What a trace of torch.profiler measured. Times are microseconds, GB are 1e9 bytes, TFLOP are 1e12. Unknown is null, never 0."""

    summary: str = ""
    """What can be gained, and how busy the device was, in words."""
    stands_out: List[StandsOut] = field(default_factory=list)
    """The most notable findings of the trace, at most five."""
    notes: List[str] = field(default_factory=list)
    """What to know beside the figures: the limits of the device, what was matched, what makes the times uncertain."""
    trace: Trace = field(default_factory=lambda: Trace())
    """The trace."""
    device: Device = field(default_factory=lambda: Device())
    """The device that it was recorded on."""
    time: DeviceTime = field(default_factory=lambda: DeviceTime())
    """What the device did."""
    kernels: List[Kernel] = field(default_factory=list)
    """Kernels, longest first."""
    ops: List[Operator] = field(default_factory=list)
    """Operators by shapes and dtypes of their inputs."""
    regions: List[Region] = field(default_factory=list)
    """Compiled code."""
    lines: List[LineTime] = field(default_factory=list)
    """Lines of the program."""
    unjoined: Unjoined = field(default_factory=lambda: Unjoined())
    """Launches that belong to no compile."""


@dataclass
class StandsOut(Facts):
    """Something that stands out."""

    label: str = ""
    """In a word or two: `Far from its limit`."""
    text: str = ""
    """The finding or the fact in one sentence."""
    reason: Optional[str] = None
    """Why, and what to do next."""
    us: Optional[float] = None
    """Microseconds of the device."""
    at_most: bool = False
    """Whether these are what could be gained at most."""


@dataclass
class Trace(Facts):
    """A trace."""

    file: str = ""
    """Its file."""
    launches: int = 0
    """Launches of kernels."""
    steps: Optional[int] = None
    """Steps of the program that it covers: those that torch.profiler marked, or the calls of compiled code. Null if nothing tells."""
    steps_from: Optional[str] = None
    """What the steps were counted by."""
    first_us: Optional[float] = None
    """When the first began."""
    last_us: Optional[float] = None
    """When the last ended."""
    rank: Optional[int] = None
    """Rank that wrote it."""
    damaged: Optional[str] = None
    """What is damaged."""


@dataclass
class Device(Facts):
    """A device."""

    name: Optional[str] = None
    """As the trace names it."""
    entry: Optional[str] = None
    """The entry of the table of devices that its limits come from."""
    clock_mhz: Optional[float] = None
    """The clock that it ran at."""
    clock_from: Optional[str] = None
    """Where that clock stands."""
    corrected: bool = False
    """Whether its limits are corrected for that clock."""


@dataclass
class DeviceTime(Facts):
    """What a device did. Time that several streams share counts once in each field."""

    wall_us: float = 0.0
    """From the begin of the first run on the device to the end of the last; of a trace of a CPU, from the first to the last event."""
    busy_us: float = 0.0
    """It worked."""
    compiled_us: float = 0.0
    """In compiled code."""
    eager_us: float = 0.0
    """In eager code."""
    communication_us: float = 0.0
    """In collectives."""
    exposed_communication_us: float = 0.0
    """In collectives while nothing else ran."""
    copy_us: float = 0.0
    """Copies."""
    idle_us: float = 0.0
    """Nothing ran."""


@dataclass
class Kernel(Facts):
    """A kernel."""

    name: str = ""
    """Its name."""
    backend: Optional[str] = None
    """What made it; null for one of a library of which the trace does not say what launched it."""
    operator: Optional[str] = None
    """The operator that launched it, if it was one and the kernel has another name."""
    input_dims: List[List[Any]] = field(default_factory=list)
    """Sizes of that operator's inputs; of a list of tensors, those of each. Empty if unknown."""
    direction: Optional[str] = None
    """Of the graph that calls it."""
    count: int = 0
    """How often it ran."""
    sum_us: float = 0.0
    """All runs."""
    mean_us: float = 0.0
    """One run."""
    median_us: float = 0.0
    """One run."""
    min_us: float = 0.0
    """The shortest run."""
    max_us: float = 0.0
    """The longest run."""
    flops: Optional[float] = None
    """Floating-point operations of a run."""
    bytes: Optional[float] = None
    """Bytes that a run moves."""
    flops_from: Optional[str] = None
    """What `flops` comes from."""
    bytes_from: Optional[str] = None
    """What `bytes` comes from."""
    tflops: Optional[float] = None
    """TFLOP per second."""
    gbps: Optional[float] = None
    """GB per second."""
    share_of_peak: Optional[float] = None
    """Of the device's peak of `computes_in`."""
    share_of_bandwidth: Optional[float] = None
    """Of the device's memory bandwidth."""
    reached: Optional[float] = None
    """Share of its ceiling: the smaller of the peak and of what the bandwidth allows at its FLOPs per byte."""
    gain_us: Optional[float] = None
    """Microseconds that all runs at the ceiling would save: an upper bound. Null where a figure is unknown or doubtful."""
    computes_in: Optional[str] = None
    """The type whose peak the share is of; float is tf32 only if the kernel's name or the log says so."""
    bound: Optional[str] = None
    """What limits it."""
    verdict: Optional[str] = None
    """How close it comes to its limit, or what is wrong with its figures, in words."""
    from_cache: bool = False
    """Whether the bytes of a launch fit into the cache of the device, and came from there."""
    plausible: Optional[Implausible] = None
    """Why a figure is implausible."""
    compile_ids: List[str] = field(default_factory=list)
    """The compiles that it belongs to."""
    lines: List[ProgramLine] = field(default_factory=list)
    """Lines of the program that it comes from."""
    estimated_us: Optional[float] = None
    """What Inductor expected a run to take."""
    ratio_to_estimate: Optional[float] = None
    """The mean run over the estimate."""
    tuning: Optional[Tuning] = None
    """Of a Triton kernel: what the log says of the search for a configuration, and which ones the trace shows."""
    registers: Optional[int] = None
    """Of a thread."""
    spills: Optional[int] = None
    """Registers of a thread that spilled to memory."""
    shared_memory: Optional[int] = None
    """Bytes of a block."""
    occupancy: Optional[float] = None
    """Per cent, as the trace estimates it."""


@dataclass
class Implausible(Facts):
    """Why a figure is implausible."""

    why: str = ""
    """In words."""


@dataclass
class ProgramLine(Facts):
    """A line of the program."""

    file: str = ""
    """File."""
    line: int = 0
    """Line."""


@dataclass
class Tuning(Facts):
    """The search for a configuration of a Triton kernel."""

    state: Optional[str] = None
    """How it went."""
    candidates: Optional[int] = None
    """Configurations that were tried."""
    compile_us: Optional[float] = None
    """Time to compile them."""
    in_log: Optional[str] = None
    """The configuration that the log names."""
    ran: List[str] = field(default_factory=list)
    """Configurations that the trace shows."""


@dataclass
class Operator(Facts):
    """An operator with shapes and dtypes of its inputs."""

    op: str = ""
    """Its name."""
    input_dims: List[List[Any]] = field(default_factory=list)
    """Sizes of each input; of a list of tensors, those of each."""
    input_types: List[str] = field(default_factory=list)
    """Dtype of each input."""
    count: int = 0
    """How often it was called."""
    flops: Optional[float] = None
    """Floating-point operations of a call."""
    bytes: Optional[float] = None
    """Bytes that a call moves."""
    kernel_us_sum: float = 0.0
    """Microseconds in its kernels, all calls."""
    tflops: Optional[float] = None
    """TFLOP per second."""
    tbps: Optional[float] = None
    """TB per second."""


@dataclass
class Region(Facts):
    """Calls of compiled code."""

    compile_id: str = ""
    """The compile."""
    calls: int = 0
    """How many."""
    sum_us: float = 0.0
    """All calls."""
    first_us: float = 0.0
    """The first call."""
    median_us: float = 0.0
    """The median call."""
    later_median_us: Optional[float] = None
    """The median of all calls but the first."""
    guards_us: Optional[float] = None
    """Of all calls: checking guards before them."""
    graphs_us: Optional[float] = None
    """Of all calls: within graphs that Inductor compiled."""
    wrapper_us: Optional[float] = None
    """Of all calls: outside of graphs, operators and other compiled code."""


@dataclass
class LineTime(Facts):
    """Time of a line of the program."""

    file: str = ""
    """File."""
    line: int = 0
    """Line."""
    code: Optional[str] = None
    """Source text."""
    us: float = 0.0
    """On the device."""
    kernels: List[str] = field(default_factory=list)
    """Its kernels."""


@dataclass
class Unjoined(Facts):
    """Launches that belong to no compile."""

    launches: int = 0
    """How many."""
    us: float = 0.0
    """What they took."""
    names: List[str] = field(default_factory=list)
    """Their kernels."""


@dataclass
class CudaGraphs(Facts):
    """The CUDA graphs of a compile."""

    compile_id: Optional[str] = None
    """The compile."""
    parts: int = 0
    """Parts of its code that can be recorded."""
    recordings: int = 0
    """Recordings in the log."""
    seconds: float = 0.0
    """Seconds that they took."""
    obstacles: List[CudaGraphObstacle] = field(default_factory=list)
    """Why nothing, or not all, can be recorded, as far as the log shows it."""


@dataclass
class CudaGraphObstacle(Facts):
    """What keeps an operation, or a whole compile, out of CUDA graphs."""

    reason: str = ""
    """An input is written in place, an operator runs on the CPU or copies between devices, or only the data tells a size."""
    input: Optional[str] = None
    """The input that it is about."""
    file: Optional[str] = None
    """File."""
    line: Optional[int] = None
    """Line in it."""


@dataclass
class Console(Facts):
    """What the console says that was given beside the log."""

    exceptions: List[ConsoleException] = field(default_factory=list)
    """The exceptions that it shows, in their order."""
    cuda_graphs: List[ConsoleGraphs] = field(default_factory=list)
    """CUDA graphs by compile; with compile_id null, what could not be joined with a compile."""
    hints: List[ConsoleHint] = field(default_factory=list)
    """What torch says about performance."""
    of_others: int = 0
    """Lines of other processes than that of the log, which are left out."""


@dataclass
class ConsoleException(Facts):
    """An exception of the program."""

    error: str = ""
    """Its class."""
    message: str = ""
    """Its message, or the beginning of it."""
    file: Optional[str] = None
    """File of the user's innermost line."""
    line: Optional[int] = None
    """That line."""
    function: Optional[str] = None
    """The function that it is in."""
    compile_id: Optional[str] = None
    """The compile whose generated code raised it."""
    in_log: bool = False
    """Whether the log has it, as the failure of a compile."""
    went_on: bool = False
    """Whether the program ran on behind it."""


@dataclass
class ConsoleGraphs(Facts):
    """What the console says of the CUDA graphs of a compile."""

    compile_id: Optional[str] = None
    """The compile."""
    parts: int = 0
    """Parts of its code that can be recorded."""
    other_parts: int = 0
    """Parts that cannot."""
    recordings: int = 0
    """Recordings."""
    sizes: int = 0
    """For how many distinct sizes they are."""
    outside: List[ConsoleObstacle] = field(default_factory=list)
    """Operators that are not part of a CUDA graph."""
    skipped: List[ConsoleObstacle] = field(default_factory=list)
    """Why torch skipped CUDA graphs."""
    again: List[str] = field(default_factory=list)
    """Why something was recorded once more, where torch did not expect it."""


@dataclass
class ConsoleObstacle(Facts):
    """What keeps an operator, or a whole compile, out of CUDA graphs."""

    operator: Optional[str] = None
    """The operator; absent for a whole compile."""
    reason: str = ""
    """In torch's words."""
    count: int = 0
    """How often torch says so."""
    file: Optional[str] = None
    """File of the user's innermost line."""
    line: Optional[int] = None
    """That line."""


@dataclass
class ConsoleHint(Facts):
    """What torch says about performance."""

    compile_id: Optional[str] = None
    """The compile, if it is named."""
    text: str = ""
    """In torch's words."""
    count: int = 0
    """How often."""


@dataclass
class JobReport(Facts):
    """What the logs of a job's ranks say, and how they differ."""

    schema: int = 0
    """Version of this format."""
    kind: str = ""
    """What the report is about."""
    tool: Tool = field(default_factory=lambda: Tool())
    """What wrote the report."""
    ranks: List[Rank] = field(default_factory=list)
    """The ranks, ascending."""
    runs: List[Run] = field(default_factory=list)
    """The run that is reported, then the others, oldest first."""
    skipped_files: List[str] = field(default_factory=list)
    """Files beside the logs that are not logs."""
    divergence: Divergence = field(default_factory=lambda: Divergence())
    """Facts that the ranks are compared by; null if the logs do not hold what the comparison needs."""
    runtime: Optional[RuntimeComparison] = None
    """Estimated runtimes of the ranks' graphs."""
    parity: List[RankParity] = field(default_factory=list)
    """Graphs whose code does not call the collectives that were scheduled."""
    findings: List[Finding] = field(default_factory=list)
    """What to look at, most important first."""


@dataclass
class Rank(Facts):
    """A rank of a job."""

    rank: int = 0
    """Its number."""
    dir: str = ""
    """The folder of its report."""
    state: str = ""
    """Whether its log could be read."""
    log: Optional[RankLog] = None
    """The file; null if it could not be read."""
    compiles: Optional[int] = None
    """Compiles, of all its processes."""
    graph_breaks: Optional[int] = None
    """Distinct graph breaks."""
    recompiles: Optional[int] = None
    """Recompilations."""
    failures: Optional[int] = None
    """Failures."""
    compile_time_s: Optional[float] = None
    """Seconds in which something was compiled."""
    processes: List[Process] = field(default_factory=list)
    """Further processes of the rank, each with a whole report in `dir`; counted in the numbers above."""


@dataclass
class Process(Facts):
    """A further process of a rank."""

    pid: int = 0
    """Its id."""
    dir: str = ""
    """The folder of its report."""
    state: str = ""
    """Whether its log could be read."""
    log: Optional[RankLog] = None
    """The file; null if it could not be read."""


@dataclass
class Run(Facts):
    """One time that the job ran: logs whose times overlap."""

    first_time: Optional[str] = None
    """The first record of all."""
    last_time: Optional[str] = None
    """The last record of all."""
    logs: List[str] = field(default_factory=list)
    """Names of its logs, by rank."""


@dataclass
class Divergence(Facts):
    """Facts that ranks are compared by."""

    compile_ids: Optional[Comparison] = None
    """What was compiled."""
    cache: Optional[Comparison] = None
    """Results of cache lookups."""
    collectives: Optional[Comparison] = None
    """Scheduled collectives."""
    tensor_meta: Optional[Comparison] = None
    """What operations return."""
    exec_order: Optional[Comparison] = None
    """The order in which graphs ran."""
    graph_breaks: Optional[Comparison] = None
    """Graph breaks."""
    recompiles: Optional[Comparison] = None
    """Recompilations."""
    config: Optional[Comparison] = None
    """Settings."""
    inputs: Optional[Comparison] = None
    """Input tensors."""
    graphs: Optional[Comparison] = None
    """What Dynamo captured, as hashes."""
    guards: Optional[Comparison] = None
    """Conditions of guards, as hashes."""
    process_groups: Optional[Comparison] = None
    """Process groups of collectives."""
    cache_keys: Optional[Comparison] = None
    """Keys of cache lookups."""


@dataclass
class Comparison(Facts):
    """How ranks compare in one fact."""

    differs: bool = False
    """Whether they differ."""
    groups: List[Group] = field(default_factory=list)
    """Ranks that agree with each other."""
    first: Optional[FirstDifference] = None
    """Where they first differ."""


@dataclass
class Group(Facts):
    """Ranks that agree with each other."""

    ranks: List[int] = field(default_factory=list)
    """Their numbers."""
    value: str = ""
    """The facts in order; over 200 characters their md5 and length."""


@dataclass
class FirstDifference(Facts):
    """Where ranks first differ."""

    index: int = 0
    """Position in the list of the largest group, from 0."""
    compile_id: Optional[str] = None
    """The compile."""
    by_rank: Dict[str, Optional[str]] = field(default_factory=dict)
    """What one rank of each group has there."""


@dataclass
class RuntimeComparison(Facts):
    """Estimated runtimes of the ranks' graphs."""

    comparable: bool = False
    """Whether they can be compared."""
    why_not: Optional[str] = None
    """Why not."""
    graphs: List[GraphRuntimes] = field(default_factory=list)
    """Graphs."""


@dataclass
class GraphRuntimes(Facts):
    """Estimated runtimes of a graph."""

    graph: str = ""
    """Folder of the compile."""
    fastest: RankTime = field(default_factory=lambda: RankTime())
    """The shortest."""
    slowest: RankTime = field(default_factory=lambda: RankTime())
    """The longest."""
    delta_ms: float = 0.0
    """Their difference."""
    mean_ms: float = 0.0
    """The mean of all ranks."""


@dataclass
class RankTime(Facts):
    """Runtime on a rank."""

    rank: Optional[int] = None
    """The rank."""
    ms: float = 0.0
    """Milliseconds."""


@dataclass
class RankParity(Facts):
    """A graph whose code does not call the collectives that were scheduled."""

    rank: Optional[int] = None
    """The rank."""
    compile_id: Optional[str] = None
    """The compile."""
    scheduled: Dict[str, int] = field(default_factory=dict)
    """How many of each operation the schedule has."""
    in_code: Dict[str, int] = field(default_factory=dict)
    """How many calls the code makes."""
    missing_waits: int = 0
    """Collectives that the code does not wait for."""


@dataclass
class SeveralReports(Facts):
    """Several logs that do not belong together, each with a report in a folder of its own."""

    schema: int = 0
    """Version of this format."""
    kind: str = ""
    """What the report is about."""
    tool: Tool = field(default_factory=lambda: Tool())
    """What wrote the report."""
    logs: List[OneOfSeveral] = field(default_factory=list)
    """The logs, in order of time."""


@dataclass
class OneOfSeveral(Facts):
    """One of several logs."""

    name: str = ""
    """Name of its file; of a job, of the first log."""
    kind: str = ""
    """What its report is about."""
    dir: str = ""
    """The folder of its report."""
    verdict: Optional[str] = None
    """The first sentence of its report; null without a report."""
    error: Optional[str] = None
    """Why there is no report."""
    intact: bool = False
    """Whether no record is damaged."""
    errors: int = 0
    """Findings that are errors."""
    warnings: int = 0
    """Findings that are warnings."""
    findings: int = 0
    """All findings."""
