//! Input tensors: three events that describe a tensor, its storage and where it comes from, joined.

use super::{Event, Flow, ParseEvents, RankContext};
use crate::model::{CompileIndex, Fields, InputTensor, StorageSize, TensorDescription};
use crate::trace::{TextMap, TextSet, push_mostly_one, shared};
use indexmap::IndexMap;
use serde_json::value::RawValue;
use std::sync::Arc;

/// `describe_tensor`, `describe_storage`, `describe_source`, joined on the describer and the tensor's id.
#[derive(Default)]
pub(super) struct Tensors {
    compiles: IndexMap<CompileIndex, Described>,
    /// Equal descriptions are kept once.
    descriptions: TextSet<Arc<TensorDescription>>,
}

/// What one attempt of a compile described, in log order. Most compiles have one or two inputs, and there may be ten
/// thousand compiles: lists take a tenth of what maps would.
#[derive(Default)]
struct Described {
    attempt: u32,
    tensors: Vec<(TensorId, Tensor)>,
    sources: Vec<(TensorId, Arc<str>)>,
    storages: Vec<(TensorId, StorageSize)>,
}

/// The describer, and the number that it gave to a tensor or a storage.
type TensorId = (i64, i64);

struct Tensor {
    description: Arc<TensorDescription>,
    storage: Option<i64>,
    object: Option<u64>,
}

impl ParseEvents for Tensors {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let fields = event.fields();
        let id = (fields.get("describer_id").unwrap_or(-1), fields.get("id").unwrap_or(-1));
        let described = self.compiles.entry(cx.compile_at_hand()).or_default();
        // Each attempt describes its inputs again; the last attempt is the one that was compiled.
        if event.attempt > described.attempt {
            *described = Described { attempt: event.attempt, ..Described::default() };
        }
        if event.attempt < described.attempt {
            return Ok(Flow::Handled);
        }
        match event.key {
            "describe_storage" => {
                let size = fields.raw("size").map(|size| storage_size(size, cx));
                if let Some(size) = size {
                    push_mostly_one(&mut described.storages, (id, size));
                }
            }
            "describe_source" => {
                let source = cx.reading.texts.text(fields.text("source").as_deref().unwrap_or("?"));
                push_mostly_one(&mut described.sources, (id, source));
            }
            _ => {
                let description = shared(&mut self.descriptions, description(&fields));
                let object = description.parameter.then(|| object(&fields)).flatten();
                let tensor = Tensor { description, storage: fields.get("storage"), object };
                push_mostly_one(&mut described.tensors, (id, tensor));
            }
        }
        Ok(Flow::Handled)
    }

    fn finish(self: Box<Self>, cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        for (compile, described) in self.compiles {
            let inputs = described.inputs();
            if inputs.is_empty() {
                continue;
            }
            cx.compile = Some(compile);
            // It has no rows of its own: the pages show the inputs.
            cx.table("input-tensors");
            if let Some(compile) = cx.here() {
                compile.inputs = inputs;
            }
        }
        Ok(())
    }
}

impl Described {
    /// The tensors that have a source, in the order of these. Of what was described twice, the last counts.
    fn inputs(&self) -> Vec<InputTensor> {
        let tensors: TextMap<TensorId, &Tensor> = self.tensors.iter().map(|(id, one)| (*id, one)).collect();
        let storages: TextMap<TensorId, &StorageSize> =
            self.storages.iter().map(|(id, size)| (*id, size)).collect();
        let sources: IndexMap<TensorId, &Arc<str>> =
            self.sources.iter().map(|(id, source)| (*id, source)).collect();
        // An id that is used again after a reset describes all inputs again.
        let last: TextMap<&str, TensorId> = sources.iter().map(|(id, source)| (&***source, *id)).collect();
        let is_last = |id: &TensorId, source: &str| last.get(source) == Some(id);
        let inputs =
            sources.into_iter().filter(|(id, source)| is_last(id, source)).filter_map(|(id, source)| {
                let Tensor { description, storage, object } = tensors.get(&id)?;
                Some(InputTensor {
                    source: source.clone(),
                    tensor: description.clone(),
                    storage: storage.and_then(|storage| storages.get(&(id.0, storage)).copied()).cloned(),
                    object: *object,
                })
            });
        let mut inputs: Vec<_> = inputs.collect();
        inputs.shrink_to_fit();
        inputs
    }
}

fn description(fields: &Fields<'_>) -> TensorDescription {
    TensorDescription {
        shape: fields.raw("size").map_or_else(|| "[]".to_owned(), shape),
        sizes: fields.raw("size").map(sizes).unwrap_or_default(),
        strides: fields.raw("stride").map(sizes),
        marked: fields.get("dynamo_dynamic_indices").unwrap_or_default(),
        stride: fields.raw("stride").map(shape),
        dtype: fields.text("dtype").unwrap_or_default().trim_start_matches("torch.").to_owned(),
        device: device(&fields.text("device").unwrap_or_default()),
        gradient: fields.get("requires_grad").unwrap_or(false),
        parameter: fields.get("is_parameter").unwrap_or(false),
    }
}

/// The address in `_CustomViewFunc(func=<built-in method _view_func_unsafe of Parameter object at 0x7f57f0601220>)`.
fn object(fields: &Fields<'_>) -> Option<u64> {
    let text = fields.text("view_func")?;
    let (_, address) = text.split_once(" object at 0x")?;
    u64::from_str_radix(address.split('>').next()?, 16).ok()
}

/// Bytes, or an expression where sizes are symbolic (`12*s6`).
fn storage_size(size: &RawValue, cx: &mut RankContext<'_>) -> StorageSize {
    match serde_json::from_str::<f64>(size.get()) {
        Ok(bytes) => StorageSize::Bytes(bytes),
        Err(_) => StorageSize::Symbolic(cx.reading.texts.text(size.get().trim_matches('"'))),
    }
}

/// `[4, 8]`, or `[s77, 8]` where a size is symbolic.
fn shape(list: &RawValue) -> String {
    list.get().replace('"', "")
}

/// Each size, a number or an expression.
fn sizes(list: &RawValue) -> Vec<String> {
    let sizes: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap_or_default();
    sizes.into_iter().map(|size| size.get().trim_matches('"').to_owned()).collect()
}

/// `cuda:0` of `device(type='cuda', index=0)`.
pub(super) fn device(repr: &str) -> String {
    let Some(inner) = repr.strip_prefix("device(type='").and_then(|r| r.strip_suffix(')')) else {
        return repr.to_owned();
    };
    inner.replace("', index=", ":").trim_end_matches('\'').to_owned()
}
