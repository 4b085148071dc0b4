//! Events of a trace to its facts.
//!
//! Nothing but what is named here is kept. In particular `metadata`, which holds environment variables of the run with
//! its access tokens, is never looked at.

use crate::model::{
    DeviceKernel, DeviceWork, Fields, InputDims, Launch, Operator, OperatorCall, Profile, TritonLaunch,
};
use crate::trace::TextMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Kinds of events of which nothing is needed; they are most of a trace.
const SKIPPED: [&[u8]; 8] = [
    b"python_function",
    b"ac2g",
    b"fwdbwd",
    b"cpu_instant_event",
    b"overhead",
    b"gpu_user_annotation",
    b"Trace",
    b"cuda_sync",
];
/// Where the kind of an event stands: among its first fields.
const HEAD: usize = 256;

/// Operators whose work depends on values of inputs that are no tensors: padding, masks, whether attention is causal.
const WITH_VALUES: [&str; 2] = ["convolution", "attention"];

/// Bytes of a name that are kept. Names of C++ templates have some thousand.
const LONGEST_NAME: usize = 4 << 10;

/// What tools call the number of registers of a thread that spilled to memory.
const SPILLS: [&str; 3] = ["n_spills", "spilled registers", "register spills"];

#[derive(Default)]
pub(super) struct Collector {
    profile: Profile,
    operators: TextMap<Vec<u8>, u32>,
    kernels: TextMap<String, u32>,
    threads: TextMap<String, u32>,
    streams: TextMap<String, u32>,
    /// Reused for every lookup.
    key: Vec<u8>,
}

impl Collector {
    /// A field of the trace other than its events.
    pub(super) fn field(&mut self, name: &str, value: &[u8]) {
        match name {
            "deviceProperties" => {
                let devices: Vec<Device> = serde_json::from_slice(value).unwrap_or_default();
                self.profile.device = devices.into_iter().next().map(|device| device.name);
                self.profile.device = self.profile.device.take().filter(|name| !name.trim().is_empty());
            }
            "distributedInfo" => {
                let fields = std::str::from_utf8(value).ok().and_then(|text| Fields::parse(text).ok());
                self.profile.rank = fields.and_then(|fields| fields.count("rank"));
            }
            _ => {}
        }
    }

    /// An entry of the list of events that is none.
    pub(super) fn unreadable(&mut self) {
        self.profile.unreadable += 1;
    }

    /// One event.
    pub(super) fn event(&mut self, event: &[u8]) {
        if is_skipped(event) {
            return;
        }
        let text = String::from_utf8_lossy(event);
        let Ok(fields) = Fields::parse(&text) else {
            self.profile.unreadable += 1;
            return;
        };
        if text_of(fields.raw("ph")).as_deref() != Some("X") {
            return;
        }
        let Some(kind) = text_of(fields.raw("cat")) else { return };
        let args = fields.raw("args").and_then(|args| Fields::parse(args.get()).ok()).unwrap_or_default();
        match kind.to_ascii_lowercase().as_str() {
            "cpu_op" | "operator" => self.call(&fields, &args, false),
            "user_annotation" => self.call(&fields, &args, true),
            "kernel" => self.launch(&fields, &args, DeviceWork::Kernel),
            "gpu_memcpy" | "gpu_memset" | "memcpy" | "memset" => {
                self.launch(&fields, &args, DeviceWork::Copy);
            }
            // cuda_runtime, cuda_driver, hip_runtime, xpu_runtime: what the host asks of the device.
            kind if kind.ends_with("_runtime") || kind.ends_with("_driver") => self.correlate(&args),
            _ => {}
        }
    }

    /// What was collected.
    pub(super) fn finish(self) -> Profile {
        self.profile
    }

    fn call(&mut self, fields: &Fields<'_>, args: &Fields<'_>, annotation: bool) {
        let Some(times) = Times::of(fields) else {
            self.profile.unreadable += 1;
            return;
        };
        let name = name_of(fields);
        let operator = self.operator(&name, args, annotation);
        let thread = number_of(&mut self.threads, fields, ["pid", "tid"]);
        let external = args.count("External id").unwrap_or_default();
        let call = OperatorCall { operator, thread, external, begin_us: times.begin, dur_us: times.dur };
        self.profile.calls.push(call);
    }

    /// The place of the operator among those seen; a new one when shapes or types differ.
    fn operator(&mut self, name: &str, args: &Fields<'_>, annotation: bool) -> u32 {
        let with_values = WITH_VALUES.iter().any(|part| name.contains(part));
        let values = if with_values { args.raw("Concrete Inputs") } else { None };
        let told = [
            args.raw("Input Dims"),
            args.raw("Input type"),
            args.raw("Input Strides"),
            values,
            args.raw("kernel_file"),
            args.raw("kernel_num_gb"),
            args.raw("kernel_flop"),
            args.raw("num_warps"),
            args.raw("num_stages"),
            args.raw("kernel_kwargs"),
        ];
        self.key.clear();
        self.key.extend(name.as_bytes());
        for raw in told {
            // A byte that no JSON text holds keeps one field from running into the next.
            self.key.push(0);
            self.key.extend(raw.map(RawValue::get).unwrap_or_default().as_bytes());
        }
        if let Some(known) = self.operators.get(&self.key) {
            return *known;
        }
        let operator = Operator {
            name: name.to_owned(),
            annotation,
            dims: dims_of(args.raw("Input Dims")),
            types: args.get("Input type").unwrap_or_default(),
            strides: dims_of(args.raw("Input Strides")),
            values: values.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default(),
            triton: triton_of(args),
        };
        let place = u32::try_from(self.profile.operators.len()).unwrap_or(u32::MAX);
        self.profile.operators.push(operator);
        self.operators.insert(self.key.clone(), place);
        place
    }

    fn launch(&mut self, fields: &Fields<'_>, args: &Fields<'_>, work: DeviceWork) {
        let Some(times) = Times::of(fields) else {
            self.profile.unreadable += 1;
            return;
        };
        let name = name_of(fields);
        let kernel = match self.kernels.get(name.as_ref()) {
            Some(known) => *known,
            None => self.kernel(name.into_owned(), args, work),
        };
        let stream = match (args.raw("device"), args.raw("stream")) {
            (Some(_), Some(_)) => number_of(&mut self.streams, args, ["device", "stream"]),
            _ => number_of(&mut self.streams, fields, ["pid", "tid"]),
        };
        self.profile.launches.push(Launch {
            kernel,
            stream,
            external: args.count("External id").unwrap_or_default(),
            correlation: args.count("correlation").unwrap_or_default(),
            begin_us: times.begin,
            dur_us: times.dur,
        });
    }

    fn kernel(&mut self, name: String, args: &Fields<'_>, work: DeviceWork) -> u32 {
        let place = u32::try_from(self.profile.kernels.len()).unwrap_or(u32::MAX);
        self.kernels.insert(name.clone(), place);
        let kind = match work {
            DeviceWork::Kernel if is_communication(&name) => DeviceWork::Communication,
            other => other,
        };
        self.profile.kernels.push(DeviceKernel {
            name,
            kind,
            registers: args.count("registers per thread"),
            shared_memory: args.count("shared memory"),
            occupancy: args.number("est. achieved occupancy %"),
            spills: SPILLS.iter().find_map(|name| args.count(name)),
        });
        place
    }

    /// Kernels of older torch and of ROCm name no operator: the call that launched them does.
    fn correlate(&mut self, args: &Fields<'_>) {
        if let (Some(correlation), Some(external)) = (args.count("correlation"), args.count("External id")) {
            self.profile.correlations.push((correlation, external));
        }
    }
}

#[derive(Deserialize)]
struct Device {
    #[serde(default)]
    name: String,
}

struct Times {
    begin: f64,
    dur: f64,
}

impl Times {
    /// When an event began and how long it took. An event without a length has taken no time that could be told.
    fn of(fields: &Fields<'_>) -> Option<Times> {
        let begin = fields.number("ts").filter(|ts| ts.is_finite())?;
        let dur = fields.number("dur").filter(|dur| dur.is_finite() && *dur >= 0.0)?;
        Some(Times { begin, dur })
    }
}

fn is_skipped(event: &[u8]) -> bool {
    let head = event.get(..HEAD).unwrap_or(event);
    let Some(at) = memchr::memmem::find(head, b"\"cat\":") else { return false };
    let rest = head.get(at + b"\"cat\":".len()..).unwrap_or_default().trim_ascii_start();
    let Some(kind) = rest.strip_prefix(b"\"") else { return false };
    SKIPPED
        .iter()
        .any(|skipped| kind.strip_prefix(*skipped).is_some_and(|after| after.first() == Some(&b'"')))
}

/// The text of a JSON string, without a copy where it holds no escape.
fn text_of(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let json = raw?.get();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

fn name_of<'a>(fields: &Fields<'a>) -> Cow<'a, str> {
    let name = text_of(fields.raw("name")).unwrap_or_default();
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let end = (0..=LONGEST_NAME).rev().find(|at| name.is_char_boundary(*at)).unwrap_or_default();
    Cow::Owned(name.get(..end).unwrap_or_default().to_owned())
}

/// A small number for what two fields name together.
fn number_of(known: &mut TextMap<String, u32>, fields: &Fields<'_>, names: [&str; 2]) -> u32 {
    let [first, second] = names.map(|name| fields.raw(name).map(RawValue::get).unwrap_or_default());
    let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
    *known.entry(format!("{first}/{second}")).or_insert(next)
}

/// Sizes or strides of inputs: `[[8, 16], [], [[2], [3]]]`.
fn dims_of(raw: Option<&RawValue>) -> Vec<InputDims> {
    let inputs: Vec<Option<Box<RawValue>>> =
        raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let read = |input: Option<Box<RawValue>>| {
        let json = input.as_deref().map(RawValue::get).unwrap_or_default();
        match serde_json::from_str(json) {
            Ok(sizes) => InputDims::One(sizes),
            Err(_) => serde_json::from_str(json).map_or(InputDims::One(Vec::new()), InputDims::List),
        }
    };
    inputs.into_iter().map(read).collect()
}

fn triton_of(args: &Fields<'_>) -> Option<TritonLaunch> {
    let file = args.text("kernel_file").filter(|file| !file.is_empty());
    let backend = args.text("kernel_backend");
    if file.is_none() && backend.as_deref() != Some("triton") {
        return None;
    }
    let base = |path: String| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Some(TritonLaunch {
        kernel: args.text("kernel_name").filter(|name| !name.is_empty()),
        file: file.map(base),
        gigabytes: args.number("kernel_num_gb").filter(|gb| *gb > 0.0),
        flops: args.number("kernel_flop").filter(|flops| *flops > 0.0),
        num_warps: args.count("num_warps"),
        num_stages: args.count("num_stages"),
        kwargs: args.text("kernel_kwargs").filter(|text| !text.is_empty() && text.len() <= LONGEST_NAME),
    })
}

/// Kernels of NCCL and RCCL, and of torch's symmetric memory.
fn is_communication(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["nccl", "rccl", "all_reduce_kernel", "symm_mem"].iter().any(|part| name.contains(part))
}
