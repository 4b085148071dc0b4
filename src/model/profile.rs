//! A trace of torch.profiler as facts: which operators ran, what they launched, and how long it took.
//!
//! A trace has millions of events, so each is kept as a few numbers, in a temporary file where they are many, and
//! everything that repeats (names, shapes) is kept once. Times are microseconds on the trace's own clock.

use crate::trace::{Sorted, SortedRecord, halves_of, word_of};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::cmp::Ordering;

/// What one trace says.
#[derive(Debug, Default)]
pub struct Profile {
    /// Base name of the file, without `.gz` and `.zst`.
    pub file: String,
    /// Why the trace could not be read to its end, when it could not.
    pub damaged: Option<String>,
    /// Entries of the list of events that are not events, or are too large.
    pub unreadable: u64,
    /// `distributedInfo.rank`.
    pub rank: Option<u64>,
    /// Name of the device that ran most kernels, as `deviceProperties` has it.
    pub device: Option<String>,
    /// The devices that ran kernels, the one with most runs first.
    pub devices: Vec<DeviceRuns>,
    /// The clock that the device ran at, MHz: `clock_mhz` of the trace, or else what `deviceProperties` states.
    pub clock_mhz: Option<f64>,
    /// Begin of the first and end of the last call or launch.
    pub span_us: Option<(f64, f64)>,
    /// Distinct operators: name, shapes and types of the inputs.
    pub operators: Vec<Operator>,
    /// Calls of operators and annotations on the CPU, by thread, in the order in which they began.
    pub calls: Sorted<OperatorCall>,
    pub kernels: Vec<DeviceKernel>,
    /// What ran on the device, by the operator that asked for it.
    pub launches: Sorted<Launch>,
    /// Which operator asked for a launch, by the correlation in the runtime's own calls.
    pub correlations: Sorted<Correlation>,
}

/// A device that ran kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceRuns {
    /// As the kernels name it.
    pub id: u64,
    /// As `deviceProperties` has it.
    pub name: Option<String>,
    /// How many runs of kernels name it.
    pub runs: usize,
}

/// An operator as calls of it have in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Operator {
    /// `aten::mm`, `graph_0_cpp_fused_add_0`, `Torch-Compiled Region: 0/0`.
    pub name: String,
    /// Whether it is an annotation, which does no work itself.
    pub annotation: bool,
    /// Sizes of the inputs; a scalar has none.
    pub dims: Vec<InputDims>,
    /// Types of the inputs: `float`, `c10::BFloat16`, `Scalar`.
    pub types: Vec<String>,
    pub strides: Vec<InputDims>,
    /// Values of the inputs that are not tensors, kept for operators whose work depends on them.
    pub values: Vec<String>,
    /// What a recent torch says of the Triton kernel that the operator launches.
    pub triton: Option<TritonLaunch>,
}

impl Operator {
    /// The name of the call that launches all kernels of a CUDA graph. Profiles have it, although it is a call of the runtime:
    /// only its place among the calls of operators tells which code a graph is of.
    pub const GRAPH_LAUNCH: &'static str = "cudaGraphLaunch";
}

/// Sizes of one input: in JSON `[8, 16]`, or a list of such lists.
#[derive(Debug, Clone, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(untagged, inline)]
pub enum InputDims {
    /// A tensor; a scalar is an empty list.
    One(Vec<i64>),
    /// A list of tensors.
    List(Vec<Vec<i64>>),
}

impl Serialize for InputDims {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = match self {
            InputDims::One(sizes) => to_raw_value(sizes),
            InputDims::List(tensors) => to_raw_value(tensors),
        };
        // On one line, also in a file that is indented.
        json.map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for InputDims {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(reader)?.get();
        let one = serde_json::from_str(json).map(InputDims::One);
        one.or_else(|_| serde_json::from_str(json).map(InputDims::List)).map_err(D::Error::custom)
    }
}

impl InputDims {
    pub fn one(&self) -> Option<&[i64]> {
        match self {
            InputDims::One(sizes) => Some(sizes),
            InputDims::List(_) => None,
        }
    }

    pub fn sizes(&self) -> impl Iterator<Item = &i64> {
        let tensors = match self {
            InputDims::One(sizes) => std::slice::from_ref(sizes),
            InputDims::List(tensors) => tensors.as_slice(),
        };
        tensors.iter().flatten()
    }
}

/// What torch records of the launch of a Triton kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TritonLaunch {
    /// `kernel_name`, where torch gives one.
    pub kernel: Option<String>,
    /// Base name of `kernel_file`: the module that the log names.
    pub file: Option<String>,
    /// `kernel_num_gb`: gigabytes (1e9) that a launch reads and writes.
    pub gigabytes: Option<f64>,
    /// `kernel_flop`: floating-point operations of a launch.
    pub flops: Option<f64>,
    pub num_warps: Option<u64>,
    pub num_stages: Option<u64>,
    /// `kernel_kwargs`: the block sizes that were chosen, `XBLOCK=16`.
    pub kwargs: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperatorCall {
    /// Its place among the calls of the file.
    pub place: u32,
    /// Place in [`Profile::operators`].
    pub operator: u32,
    /// A number for its thread.
    pub thread: u32,
    /// `External id`; 0 for none.
    pub external: u64,
    pub begin_us: f64,
    pub dur_us: f64,
}

impl SortedRecord for OperatorCall {
    type Words = [u64; 5];

    fn to_words(&self) -> [u64; 5] {
        let names = word_of(self.place, self.operator);
        [names, u64::from(self.thread), self.external, self.begin_us.to_bits(), self.dur_us.to_bits()]
    }

    fn of_words([names, thread, external, begin, dur]: [u64; 5]) -> Self {
        let (place, operator) = halves_of(names);
        let (_, thread) = halves_of(thread);
        let (begin_us, dur_us) = (f64::from_bits(begin), f64::from_bits(dur));
        OperatorCall { place, operator, thread, external, begin_us, dur_us }
    }

    /// By thread and begin; of calls that began at once, the longest is around the others.
    fn order(&self, other: &Self) -> Ordering {
        let by_begin = self.thread.cmp(&other.thread).then(self.begin_us.total_cmp(&other.begin_us));
        by_begin.then(other.dur_us.total_cmp(&self.dur_us)).then(self.place.cmp(&other.place))
    }
}

/// A kernel, a copy or a fill as launches of it have in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceKernel {
    pub name: String,
    pub kind: DeviceWork,
    /// Of the first launch, if the trace has it.
    pub registers: Option<u64>,
    /// Bytes of shared memory of a block.
    pub shared_memory: Option<u64>,
    /// Estimated occupancy in per cent.
    pub occupancy: Option<f64>,
    /// Registers that spilled to memory, if the trace has it.
    pub spills: Option<u64>,
    /// Bytes of a copy or a fill.
    pub bytes: Option<u64>,
}

/// What a device does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DeviceWork {
    /// A kernel that computes.
    #[default]
    Kernel,
    /// A kernel of a communication library.
    Communication,
    /// A copy or a fill of memory.
    Copy,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Launch {
    /// Its place among the launches of the file.
    pub place: u32,
    /// Place in [`Profile::kernels`].
    pub kernel: u32,
    /// `External id`; 0 for none.
    pub external: u64,
    /// `correlation`; 0 for none.
    pub correlation: u64,
    pub begin_us: f64,
    pub dur_us: f64,
}

impl SortedRecord for Launch {
    type Words = [u64; 5];

    fn to_words(&self) -> [u64; 5] {
        let names = word_of(self.place, self.kernel);
        [names, self.external, self.correlation, self.begin_us.to_bits(), self.dur_us.to_bits()]
    }

    fn of_words([names, external, correlation, begin, dur]: [u64; 5]) -> Self {
        let (place, kernel) = halves_of(names);
        let (begin_us, dur_us) = (f64::from_bits(begin), f64::from_bits(dur));
        Launch { place, kernel, external, correlation, begin_us, dur_us }
    }

    /// By the operator that asked for it; those that name none come first, by correlation.
    fn order(&self, other: &Self) -> Ordering {
        let by_id = self.external.cmp(&other.external).then(self.correlation.cmp(&other.correlation));
        by_id.then(self.place.cmp(&other.place))
    }
}

/// A call of the device's runtime: it has the correlation of what it launches, and the id of the operator that made it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    pub correlation: u64,
    pub external: u64,
}

impl Correlation {
    /// Marks the id of a call that launches a CUDA graph; ids of operators are small numbers.
    pub const OF_GRAPH: u64 = 1 << 63;
}

impl SortedRecord for Correlation {
    type Words = [u64; 2];

    fn to_words(&self) -> [u64; 2] {
        [self.correlation, self.external]
    }

    fn of_words([correlation, external]: [u64; 2]) -> Self {
        Correlation { correlation, external }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.correlation.cmp(&other.correlation)
    }
}
