//! Input tensors: three events that describe a tensor, its storage and where it comes from, joined.

use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::model::{Cell, Column, CompileIndex, InputTensor, Unit};
use crate::trace::CompileId;
use indexmap::IndexMap;
use serde_json::value::RawValue;

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![Box::new(Tensors::default())]
}

/// `describe_tensor`, `describe_storage`, `describe_source`, joined on the describer and the tensor's id.
#[derive(Default)]
struct Tensors {
    compiles: IndexMap<(Option<CompileId>, u32), Described>,
}

/// What one attempt of one compile described.
#[derive(Default)]
struct Described {
    tensors: IndexMap<(i64, i64), Tensor>,
    sources: IndexMap<(i64, i64), String>,
    storages: crate::trace::TextMap<(i64, i64), Cell>,
}

struct Tensor {
    shape: String,
    sizes: Vec<String>,
    strides: Option<Vec<String>>,
    marked: Vec<u64>,
    stride: Option<String>,
    dtype: String,
    device: String,
    gradient: bool,
    parameter: bool,
    storage: Option<i64>,
}

const COLUMNS: [Column; 8] = [
    Column::text("Name"),
    Column::text("Shape"),
    Column::text("Stride"),
    Column::text("dtype"),
    Column::text("Device"),
    Column::text("Gradient"),
    Column::text("Kind"),
    Column::number("Storage"),
];

impl StructuredLogParser for Tensors {
    fn name(&self) -> &'static str {
        "input_tensors"
    }

    fn about(&self) -> &'static str {
        "Input tensors of a compile with their names, shapes, strides, dtypes, devices and storage sizes."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["describe_tensor", "describe_storage", "describe_source"]
    }

    fn parse(&mut self, event: &Event<'_>, _cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let fields = event.fields();
        let id = (fields.get("describer_id").unwrap_or(-1), fields.get("id").unwrap_or(-1));
        let described = self.compiles.entry((event.compile_id.cloned(), event.attempt)).or_default();
        match event.key {
            "describe_storage" => {
                described.storages.insert(id, storage_size(fields.raw("size")));
            }
            "describe_source" => {
                described.sources.insert(id, fields.text("source").unwrap_or_else(|| "?".to_owned()));
            }
            _ => {
                let tensor = Tensor {
                    shape: fields.raw("size").map_or_else(|| "[]".to_owned(), shape),
                    sizes: fields.raw("size").map(sizes).unwrap_or_default(),
                    strides: fields.raw("stride").map(sizes),
                    marked: fields.get("dynamo_dynamic_indices").unwrap_or_default(),
                    stride: fields.raw("stride").map(shape),
                    dtype: fields.text("dtype").unwrap_or_default().trim_start_matches("torch.").to_owned(),
                    device: device(&fields.text("device").unwrap_or_default()),
                    gradient: fields.get("requires_grad").unwrap_or(false),
                    parameter: fields.get("is_parameter").unwrap_or(false),
                    storage: fields.get("storage"),
                };
                described.tensors.insert(id, tensor);
            }
        }
        Ok(Flow::Handled)
    }

    fn finish(self: Box<Self>, cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        let mut last: IndexMap<Option<CompileId>, (u32, Described)> = IndexMap::new();
        for ((id, attempt), described) in self.compiles {
            // Each attempt describes its inputs again; the last attempt is the one that was compiled.
            let known = last.entry(id).or_default();
            if attempt >= known.0 {
                *known = (attempt, described);
            }
        }
        for (id, (attempt, described)) in last {
            cx.compile(id.as_ref(), attempt);
            let compile = cx.compile_at_hand();
            cx.model().shapes.inputs.extend(described.inputs(compile));
            let rows: Vec<_> =
                described.sources.iter().filter_map(|(at, name)| described.row(*at, name)).collect();
            if rows.is_empty() {
                continue;
            }
            let mut section =
                cx.section("input-tensors", "Input tensors", "what the graph was traced with", &COLUMNS);
            for row in rows {
                section.row(row);
            }
        }
        Ok(())
    }
}

impl Described {
    /// The inputs as facts.
    fn inputs(&self, compile: CompileIndex) -> impl Iterator<Item = InputTensor> {
        self.sources.iter().filter_map(move |(at, source)| {
            let tensor = self.tensors.get(at)?;
            Some(InputTensor {
                compile,
                source: source.clone(),
                sizes: tensor.sizes.clone(),
                parameter: tensor.parameter,
                marked: tensor.marked.clone(),
                strides: tensor.strides.clone(),
                stride: tensor.stride.clone(),
                dtype: tensor.dtype.clone(),
                device: tensor.device.clone(),
                gradient: tensor.gradient,
            })
        })
    }

    fn row(&self, id: (i64, i64), name: &str) -> Option<Vec<Cell>> {
        let tensor = self.tensors.get(&id)?;
        let storage = tensor.storage.and_then(|s| self.storages.get(&(id.0, s)));
        Some(vec![
            Cell::Code(name.to_owned()),
            Cell::Code(tensor.shape.clone()),
            Cell::code(tensor.stride.clone()),
            Cell::Code(tensor.dtype.clone()),
            Cell::Text(tensor.device.clone()),
            Cell::Text(if tensor.gradient { "needed" } else { "no" }.to_owned()),
            Cell::Text(if tensor.parameter { "parameter" } else { "input" }.to_owned()),
            storage.cloned().unwrap_or(Cell::Unknown),
        ])
    }
}

/// Bytes, or an expression where sizes are symbolic (`12*s6`).
fn storage_size(size: Option<&RawValue>) -> Cell {
    let Some(size) = size else { return Cell::Unknown };
    match serde_json::from_str::<f64>(size.get()) {
        Ok(bytes) => Cell::Number(bytes, Unit::Bytes),
        Err(_) => Cell::Code(size.get().trim_matches('"').to_owned()),
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
fn device(repr: &str) -> String {
    let Some(inner) = repr.strip_prefix("device(type='").and_then(|r| r.strip_suffix(')')) else {
        return repr.to_owned();
    };
    inner.replace("', index=", ":").trim_end_matches('\'').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_written_as_users_write_it() {
        assert_eq!(device("device(type='cpu')"), "cpu");
        assert_eq!(device("device(type='cuda', index=0)"), "cuda:0");
        assert_eq!(device("meta"), "meta");
    }
}
