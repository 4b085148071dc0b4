//! How compiles use a GPU, in `report.json` of a log.

use super::define::facts;
use super::safe::{dropped, file, id, inside, number, numbers, word};
use super::text::{Id, List, Text};
use crate::model::DeviceSettings;

numbers!(DeviceSettings);

facts! {
    /// The CUDA graphs of a compile.
    struct CudaGraphs<'a> {
        /// The compile.
        compile_id: Option<Id<'a>> => id,
        /// Parts of its code that can be recorded.
        parts: u64 => number,
        /// Recordings in the log.
        recordings: u64 => number,
        /// Seconds that they took.
        seconds: f64 => number,
        /// Why nothing, or not all, can be recorded, as far as the log shows it.
        obstacles: List<'a, CudaGraphObstacle<'a>> => inside,
    }
}

facts! {
    /// What keeps an operation, or a whole compile, out of CUDA graphs.
    struct CudaGraphObstacle<'a> {
        /// An input is written in place, an operator runs on the CPU or copies between devices, or only the data tells a size.
        #[schemars(extend("enum" = ["input_written", "on_cpu", "copy", "unknown_size"]))]
        reason: Text<'a> => word,
        /// The input that it is about.
        input: Option<Text<'a>> => dropped,
        /// File.
        file: Option<Text<'a>> => file,
        /// Line in it.
        line: Option<i64> => number,
    }
}
