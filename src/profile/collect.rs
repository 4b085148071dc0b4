//! Events of a trace to its facts.
//!
//! Nothing but what is named here is kept. In particular `metadata`, which holds environment variables of the run with
//! its access tokens, is never looked at.

use super::devices::{ClockSamples, Devices, clock_of};
use super::scan::{Event, Object, unescaped};
use crate::limits::LONGEST_VALUE;
use crate::model::{
    Correlation, DeviceKernel, DeviceWork, Fields, InputDims, Launch, Operator, OperatorCall, Profile,
    TritonLaunch,
};
use crate::trace::Sorter;
use indexmap::IndexSet;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Operators whose work depends on values of inputs other than tensors: padding, masks, whether attention is causal.
const WITH_VALUES: [&str; 2] = ["convolution", "attention"];

/// What distinguishes operators of the same name: inputs, then what torch records of a Triton kernel.
const DISTINCT: [&[u8]; 11] = [
    b"Input Dims",
    b"Input type",
    b"Input Strides",
    b"Concrete Inputs",
    b"kernel_backend",
    b"kernel_file",
    b"kernel_num_gb",
    b"kernel_flop",
    b"num_warps",
    b"num_stages",
    b"kernel_kwargs",
];

/// Calls of the runtime that launch a CUDA graph.
const GRAPH_LAUNCHES: [&[u8]; 2] = [b"cudaGraphLaunch", b"hipGraphLaunch"];

/// The counter of a profiler that samples the environment of the device.
const CLOCK_COUNTER: &[u8] = b"SM Clock (MHz)";

/// What tools call the number of registers of a thread that spilled to memory.
const SPILLS: [&str; 3] = ["n_spills", "spilled registers", "register spills"];

#[derive(Default)]
pub(super) struct Collector {
    profile: Profile,
    calls: Sorter<OperatorCall>,
    launches: Sorter<Launch>,
    correlations: Sorter<Correlation>,
    operators: Interned,
    kernels: Interned,
    threads: Interned,
    devices: Devices,
    /// The clock that the program wrote into the trace, MHz.
    clock_mhz: Option<f64>,
    clocks: ClockSamples,
    /// Reused for every lookup.
    key: Vec<u8>,
}

impl Collector {
    /// A field of the trace other than its events.
    pub(super) fn field(&mut self, name: &str, value: &[u8]) {
        match name {
            "deviceProperties" => self.devices.list(value),
            "clock_mhz" => self.clock_mhz = clock_of(value),
            "distributedInfo" => {
                let fields = std::str::from_utf8(value).ok().and_then(|text| Fields::parse(text).ok());
                self.profile.rank = fields.and_then(|fields| fields.count("rank"));
            }
            _ => {}
        }
    }

    /// An entry of the list of events that is not an event.
    pub(super) fn unreadable(&mut self) {
        self.profile.unreadable += 1;
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        let Event { fields, args, .. } = event;
        match recording(fields) {
            Some(Recording::Call { annotation }) => self.call(fields, args, annotation),
            Some(Recording::Launch(work)) => self.launch(fields, args, work),
            Some(Recording::Runtime) => self.correlate(args, args.count("External id").unwrap_or_default()),
            Some(Recording::GraphLaunch) => self.graph_launch(fields, args),
            None if fields.quoted("name") == Some(CLOCK_COUNTER) => self.clocks.add(args),
            None => {}
        }
    }

    pub(super) fn finish(mut self) -> Profile {
        self.profile.calls = self.calls.sorted();
        self.profile.launches = self.launches.sorted();
        self.profile.correlations = self.correlations.sorted();
        self.devices.finish(&mut self.profile);
        self.profile.clock_mhz = self.clock_mhz.or(self.clocks.mean()).or(self.profile.clock_mhz);
        self.profile
    }

    fn times(&mut self, fields: &Object<'_>) -> Option<Times> {
        let times = Times::parse(fields);
        match (&times, &mut self.profile.span_us) {
            (None, _) => self.profile.unreadable += 1,
            (Some(times), Some((first, last))) => {
                *first = first.min(times.begin);
                *last = last.max(times.begin + times.dur);
            }
            (Some(times), none) => *none = Some((times.begin, times.begin + times.dur)),
        }
        times
    }

    fn call(&mut self, fields: &Object<'_>, args: &Object<'_>, annotation: bool) {
        let Some(times) = self.times(fields) else { return };
        let operator = self.operator(fields.quoted("name").unwrap_or_default(), args, annotation);
        self.push_call(fields, operator, args.count("External id").unwrap_or_default(), &times);
    }

    /// The launch of a CUDA graph is kept as a call that launched its kernels.
    fn graph_launch(&mut self, fields: &Object<'_>, args: &Object<'_>) {
        let Some(times) = self.times(fields) else { return };
        let external = args.count("correlation").map_or(0, |correlation| correlation | Correlation::OF_GRAPH);
        let name = Operator::GRAPH_LAUNCH.as_bytes();
        let (operator, is_new) = self.operators.place_of(name);
        if is_new {
            self.profile.operators.push(Operator { name: bounded(name), ..Operator::default() });
        }
        self.push_call(fields, operator, external, &times);
        self.correlate(args, external);
    }

    fn push_call(&mut self, fields: &Object<'_>, operator: u32, external: u64, times: &Times) {
        self.key.clear();
        for name in ["pid", "tid"] {
            self.key.extend(fields.raw(name).unwrap_or_default());
            self.key.push(b'/');
        }
        self.calls.push(OperatorCall {
            place: place_of(self.calls.count()),
            operator,
            thread: self.threads.place_of(&self.key).0,
            external,
            begin_us: times.begin,
            dur_us: times.dur,
        });
    }

    /// The place of the operator among those seen; a new one when shapes or types differ.
    fn operator(&mut self, name: &[u8], args: &Object<'_>, annotation: bool) -> u32 {
        let mut distinct = [None; DISTINCT.len()];
        // In one pass: this is done for each call of a trace.
        for (field, value) in args.iter() {
            if let Some(at) = DISTINCT.iter().position(|known| *known == field) {
                distinct[at] = Some(value);
            }
        }
        let [dims, types, strides, values, backend, triton @ ..] = distinct;
        let values = values.filter(|_| has_values(name));
        // What is said of the launch of a Triton kernel belongs to no other operator. As `triton_of` decides.
        let is_triton = triton[0].is_some() || backend == Some(b"\"triton\"");
        self.key.clear();
        self.key.extend(name);
        for raw in [dims, types, strides, values].into_iter().chain(triton.into_iter().filter(|_| is_triton))
        {
            // A byte that no JSON text holds keeps one field from running into the next.
            self.key.push(0);
            self.key.extend(raw.unwrap_or_default());
        }
        let (place, is_new) = self.operators.place_of(&self.key);
        if !is_new {
            return place;
        }
        let operator = Operator {
            name: bounded(name),
            annotation,
            dims: dims_of(args, "Input Dims"),
            types: args.get("Input type").unwrap_or_default(),
            strides: dims_of(args, "Input Strides"),
            values: values.and_then(|raw| serde_json::from_slice(raw).ok()).unwrap_or_default(),
            triton: triton_of(args),
        };
        self.profile.operators.push(operator);
        place
    }

    fn launch(&mut self, fields: &Object<'_>, args: &Object<'_>, work: DeviceWork) {
        let Some(times) = self.times(fields) else { return };
        if work == DeviceWork::Kernel {
            self.devices.ran(args);
        }
        let name = fields.quoted("name").unwrap_or_default();
        self.key.clear();
        self.key.extend(name);
        // Copies of different sizes have the same name.
        let bytes = args.count("bytes").filter(|_| work == DeviceWork::Copy);
        self.key.extend(bytes.unwrap_or_default().to_le_bytes());
        let (kernel, is_new) = self.kernels.place_of(&self.key);
        if is_new {
            self.new_kernel(name, args, work);
        }
        self.launches.push(Launch {
            place: place_of(self.launches.count()),
            kernel,
            external: args.count("External id").unwrap_or_default(),
            correlation: args.count("correlation").unwrap_or_default(),
            begin_us: times.begin,
            dur_us: times.dur,
        });
    }

    fn new_kernel(&mut self, name: &[u8], args: &Object<'_>, work: DeviceWork) {
        let name = bounded(name);
        let kind = match work {
            DeviceWork::Kernel if is_communication(&name) => DeviceWork::Communication,
            other => other,
        };
        self.profile.kernels.push(DeviceKernel {
            name,
            kind,
            registers: args.count("registers per thread"),
            shared_memory: args.count("shared memory"),
            occupancy: args.number("est. achieved occupancy %").filter(|percent| *percent >= 0.0),
            spills: SPILLS.iter().find_map(|name| args.count(name)),
            bytes: args.count("bytes").filter(|_| work == DeviceWork::Copy),
        });
    }

    /// Kernels of older torch and of ROCm name no operator: the call that launched them does.
    fn correlate(&mut self, args: &Object<'_>, external: u64) {
        if let Some(correlation) = args.count("correlation").filter(|_| external != 0) {
            self.correlations.push(Correlation { correlation, external });
        }
    }
}

/// What an event records, of that what is kept.
enum Recording {
    /// A call on the CPU; an annotation does no work itself.
    Call {
        annotation: bool,
    },
    Launch(DeviceWork),
    /// What the host asked of the device.
    Runtime,
    /// The launch of a CUDA graph.
    GraphLaunch,
}

fn recording(fields: &Object<'_>) -> Option<Recording> {
    if fields.quoted("ph") != Some(b"X") {
        return None;
    }
    let kind = fields.quoted("cat")?;
    let is = |name: &str| kind.eq_ignore_ascii_case(name.as_bytes());
    let ends = |end: &str| {
        let from = kind.len().checked_sub(end.len());
        from.and_then(|from| kind.get(from..)).is_some_and(|last| last.eq_ignore_ascii_case(end.as_bytes()))
    };
    match () {
        () if is("cpu_op") || is("operator") => Some(Recording::Call { annotation: false }),
        () if is("kernel") => Some(Recording::Launch(DeviceWork::Kernel)),
        () if is("user_annotation") => Some(Recording::Call { annotation: true }),
        () if ["gpu_memcpy", "gpu_memset", "memcpy", "memset"].into_iter().any(is) => {
            Some(Recording::Launch(DeviceWork::Copy))
        }
        () if ends("_runtime")
            && fields.quoted("name").is_some_and(|name| GRAPH_LAUNCHES.contains(&name)) =>
        {
            Some(Recording::GraphLaunch)
        }
        // cuda_runtime, cuda_driver, hip_runtime, xpu_runtime.
        () if ends("_runtime") || ends("_driver") => Some(Recording::Runtime),
        () => None,
    }
}

/// Texts that occur again and again, each known by its place among the distinct ones.
#[derive(Default)]
struct Interned {
    known: IndexSet<Vec<u8>>,
    /// What followed each text the last time: a program mostly repeats itself, and comparing is faster than hashing.
    following: Vec<usize>,
    last: usize,
}

impl Interned {
    /// The place of a text, and whether it was not known.
    fn place_of(&mut self, text: &[u8]) -> (u32, bool) {
        let count = self.known.len();
        let expected = self.following.get(self.last).copied().unwrap_or_default();
        let place = match self.known.get_index(expected).is_some_and(|known| known == text) {
            true => expected,
            false => match self.known.get_index_of(text) {
                Some(known) => known,
                None => self.known.insert_full(text.to_owned()).0,
            },
        };
        self.following.resize(self.known.len(), 0);
        if let Some(following) = self.following.get_mut(self.last) {
            *following = place;
        }
        self.last = place;
        (place_of(place), place == count)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// [`OperatorCall::place`].
    Call(u32),
    /// [`Launch::place`].
    Launch(u32),
}

/// Counts the events of a trace as a [`Collector`] does, for reading it a second time.
#[derive(Default)]
pub(super) struct Places {
    calls: usize,
    launches: usize,
}

impl Places {
    /// Which event this is, and how long it took; None for one that is not kept.
    pub(super) fn locate(&mut self, event: &Event<'_>) -> Option<(Recorded, f64)> {
        let kind = recording(&event.fields)?;
        let us = Times::parse(&event.fields)?.dur;
        let (count, recorded): (&mut usize, fn(u32) -> Recorded) = match kind {
            Recording::Call { .. } | Recording::GraphLaunch => (&mut self.calls, Recorded::Call),
            Recording::Launch(_) => (&mut self.launches, Recorded::Launch),
            Recording::Runtime => return None,
        };
        *count += 1;
        Some((recorded(place_of(*count - 1)), us))
    }
}

fn place_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Whether values of inputs other than tensors matter.
fn has_values(name: &[u8]) -> bool {
    WITH_VALUES.iter().any(|part| name.windows(part.len()).any(|window| window == part.as_bytes()))
}

struct Times {
    begin: f64,
    dur: f64,
}

/// Microseconds that can be a time: thirty thousand years. A sum of any number of such times is still a number.
const MOST_US: f64 = 1e18;

impl Times {
    /// When an event began and how long it took. An event without a length has no known duration.
    fn parse(fields: &Object<'_>) -> Option<Times> {
        let begin = fields.number("ts").filter(|begin| begin.abs() <= MOST_US)?;
        let dur = fields.number("dur").filter(|dur| (0.0..=MOST_US).contains(dur))?;
        Some(Times { begin, dur })
    }
}

/// A name, as far as it is kept.
fn bounded(quoted: &[u8]) -> String {
    let name = unescaped(quoted).unwrap_or_default();
    let end = (0..=LONGEST_VALUE.min(name.len())).rev().find(|at| name.is_char_boundary(*at));
    name.get(..end.unwrap_or_default()).unwrap_or_default().to_owned()
}

/// Sizes or strides of inputs: `[[8, 16], [], [[2], [3]]]`.
fn dims_of(args: &Object<'_>, name: &str) -> Vec<InputDims> {
    let inputs: Vec<Box<RawValue>> = args.get(name).unwrap_or_default();
    let dims = |input: &RawValue| serde_json::from_str(input.get()).unwrap_or(InputDims::One(Vec::new()));
    inputs.iter().map(|input| dims(input)).collect()
}

fn triton_of(args: &Object<'_>) -> Option<TritonLaunch> {
    let file = args.text("kernel_file").filter(|file| !file.is_empty());
    let backend = args.text("kernel_backend");
    if file.is_none() && backend.as_deref() != Some("triton") {
        return None;
    }
    let base = |path: Cow<'_, str>| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Some(TritonLaunch {
        kernel: args.quoted("kernel_name").filter(|name| !name.is_empty()).map(bounded),
        file: file.map(base),
        gigabytes: args.number("kernel_num_gb").filter(|gb| *gb > 0.0),
        flops: args.number("kernel_flop").filter(|flops| *flops > 0.0),
        num_warps: args.count("num_warps"),
        num_stages: args.count("num_stages"),
        kwargs: args.quoted("kernel_kwargs").filter(|text| !text.is_empty()).map(bounded),
    })
}

/// Kernels of NCCL and RCCL, and of torch's symmetric memory.
fn is_communication(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["nccl", "rccl", "all_reduce_kernel", "symm_mem"].iter().any(|part| name.contains(part))
}
