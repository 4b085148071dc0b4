//! The tensors that a compile was traced with.

use super::section::{Cell, Unit};
use std::sync::Arc;

/// An input tensor as the compile was traced with it (`describe_tensor`, `describe_source`).
#[derive(Debug, Clone)]
pub struct InputTensor {
    /// `L['x']`
    pub source: Arc<str>,
    pub tensor: Arc<TensorDescription>,
    /// Size of its storage, if the log has it.
    pub storage: Option<StorageSize>,
    /// The address of a parameter, to tell whether two compiles had the same one. It is never shown.
    pub object: Option<u64>,
}

impl InputTensor {
    /// Its row in the section of input tensors: name, shape, stride, dtype, device, gradient, kind, storage.
    pub fn row(&self) -> [Cell; 8] {
        let tensor = &*self.tensor;
        [
            Cell::Code(self.source.to_string()),
            Cell::Code(tensor.shape.clone()),
            Cell::code(tensor.stride.clone()),
            Cell::Code(tensor.dtype.clone()),
            Cell::Text(tensor.device.clone()),
            Cell::Text(tensor.gradient_word().to_owned()),
            Cell::Text(if tensor.parameter { "parameter" } else { "input" }.to_owned()),
            match &self.storage {
                Some(StorageSize::Bytes(bytes)) => Cell::Number(*bytes, Unit::Bytes),
                Some(StorageSize::Symbolic(size)) => Cell::Code(size.to_string()),
                None => Cell::Unknown,
            },
        ]
    }
}

/// What a tensor is like. A model is compiled with the same inputs again and again, so equal descriptions are shared.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub struct TensorDescription {
    /// Its sizes: numbers, or expressions where they are symbolic.
    pub sizes: Vec<String>,
    /// `[4, s77]`
    pub shape: String,
    pub parameter: bool,
    /// Dimensions that the program marked as dynamic.
    pub marked: Vec<u64>,
    /// Its strides: numbers, or expressions where they are symbolic; None where it has none.
    pub strides: Option<Vec<String>>,
    /// `[8, 1]`
    pub stride: Option<String>,
    /// `float32`
    pub dtype: String,
    /// `cuda:0`
    pub device: String,
    pub gradient: bool,
}

impl TensorDescription {
    /// Whether its gradient is needed, in a word.
    pub fn gradient_word(&self) -> &'static str {
        if self.gradient { "needed" } else { "no" }
    }
}

/// Size of a tensor's storage.
#[derive(Debug, Clone, PartialEq)]
pub enum StorageSize {
    Bytes(f64),
    /// An expression, where sizes are symbolic: `12*s6`.
    Symbolic(Arc<str>),
}
