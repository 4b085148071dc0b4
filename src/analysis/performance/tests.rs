//! What each reader and formula makes of a text: rows of `cases.txt`.

use super::buffers::read_wrapper;
use super::cpp_wrapper::CppStatements;
use super::devices::DevicePeaks;
use super::footprint::{Extent, Footprint, Used};
use super::formulas::{Formula, element_bytes};
use super::graphs::name_in_trace;
use super::kernel_source::{KernelSource, Parameter};
use super::node_flops::work_of_nodes;
use super::pointwise::{POINTWISE, pointwise_bytes};
use super::rates::{Measured, Rates, float_kind, nearest_limit};
use super::steps::repetitions;
use super::touched::{Ranges, index_of};
use crate::cases::hold;
use crate::model::{InputDims, Operator};
use crate::read::source_text::arguments;
use std::fmt::Debug;

/// The source of a kernel whose indices are looked at.
const BODY: &str = "xnumel = 65536\nr0_numel = 128\nrnumel = r0_numel\nrindex = r0_index\n\
                    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]\nr0_index = r0_offset + r0_base\n\
                    x0 = (xindex % 512)\nx1 = xindex // 512\nx2 = ((xindex // 64) % 8)\nx3 = xindex\nr0_4 = r0_index\n";

/// Flexible attention as torch 2.15 writes it, with the placeholders BLOCK and MASK.
const FLEXIBLE: &str = r#"
class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[2, 4, 256, 64][65536, 16384, 64, 1]cpu", arg1_1: "f32[2, 4, 256, 64][65536, 16384, 64, 1]cpu"):
        sdpa_mask0 = self.sdpa_mask0
        flex_attention = torch.ops.higher_order.flex_attention(arg0_1, arg1_1, arg1_1, sdpa_score0, (256, 256, arg4_1, arg3_1, None, None, BLOCK, sdpa_mask0), 0.125, {'BACKEND': 'AUTO'}, (), ());  arg0_1 = None
        return (getitem,)

    class sdpa_mask0(torch.nn.Module):
        def forward(self, arg0_1: "i32[][]cpu", arg1_1: "i32[][]cpu", arg2_1: "i32[][]cpu", arg3_1: "i32[][]cpu"):
            MASK
            return ge
"#;

/// `aten::mm` with its inputs, of `aten::mm(8x16 bf16, 16x4 bf16)`; `- Scalar` has no dimensions.
fn operator(text: &str) -> Option<Operator> {
    let (name, inputs) = text.split_once('(')?;
    let mut found = Operator { name: name.to_owned(), ..Operator::default() };
    for input in arguments(inputs) {
        let tensor =
            input.split_once(' ').filter(|(sizes, _)| sizes.starts_with(|c: char| "-0123456789".contains(c)));
        let sizes = tensor.map(|(sizes, _)| sizes.split('x').filter_map(|size| size.parse().ok()).collect());
        found.dims.push(InputDims::One(sizes.unwrap_or_default()));
        found.types.push(tensor.map_or("", |(_, kind)| kind).to_owned());
        found.values.push(if tensor.is_some() { "" } else { input }.to_owned());
    }
    Some(found)
}

/// Calls of kernels, by line.
fn calls(code: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(code.lines()).filter_map(|(number, line)| {
        let (callee, _) = line.rsplit_once(" = ").map_or(line, |(_, value)| value).split_once('(')?;
        let is_kernel = ["cpp_", "extern_kernels.", "aten."].iter().any(|start| callee.starts_with(start));
        is_kernel.then_some((number, callee))
    })
}

/// Bytes of a call with these tensors of a buffer, of 4 bytes an element: `10x4/18x1@4 w` has sizes, strides and an
/// offset, and is written.
fn covered(tensors: &str) -> Option<f64> {
    let numbers = |list: &str| list.split('x').filter_map(|number| number.parse().ok()).collect::<Vec<i64>>();
    let mut found = Footprint::default();
    for tensor in tensors.split(", ") {
        let (shape, uses) = tensor.split_once(' ')?;
        let (shape, offset) = shape.split_once('@')?;
        let (sizes, strides) = shape.split_once('/')?;
        let extent = Extent::of(&numbers(sizes), &numbers(strides), 4, offset.parse().ok()?)?;
        let [reads, writes] = ['r', 'w'].map(|used| uses.contains(used).then_some(f64::INFINITY));
        found.add("buf0", extent, Used { reads, writes });
    }
    Some(found.bytes(&mut i64::MAX.clone()))
}

fn parameter(parameter: &Parameter) -> String {
    let mark = |is_so: bool, mark: &str| if is_so { mark.to_owned() } else { String::new() };
    let size = parameter.element.map(|bytes| bytes.to_string()).unwrap_or_default();
    let pointer = mark(parameter.is_pointer, "*");
    [mark(parameter.reads, "r"), mark(parameter.writes, "w"), pointer, size].concat()
}

fn rates(text: &str, l2_megabytes: Option<f64>) -> String {
    let device = r#"{"name": "d", "gbps": 1000, "matrix": {"bf16": 100}, "vector": {"fp32": 10}}"#;
    let mut device = DevicePeaks::given(device, None).unwrap();
    device.l2_megabytes = l2_megabytes;
    let numbers: Vec<Option<f64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    let (us, flops, bytes) = (numbers[0].unwrap(), numbers[1], numbers[2]);
    let measured = Measured { us, flops, bytes, kind: Some("bf16"), matrix: true };
    let found = Rates::of(measured, Some(&device), None);
    let figures = [found.tflops, found.gbps, found.share_of_peak, found.share_of_bandwidth];
    let figures = figures.map(|figure| known(&figure.map(|figure| (figure * 1e3).round() / 1e3)));
    let nearest = nearest_limit(found.share_of_peak, found.share_of_bandwidth).map(|(limit, _)| limit);
    [figures.join(" "), known(&nearest), known(&found.bound), known(&found.judgement)].join(" ")
}

fn known(value: &Option<impl Debug>) -> String {
    value.as_ref().map_or("-".to_owned(), |value| format!("{value:?}"))
}

fn answer(query: &str, text: &str) -> Option<String> {
    Some(match query {
        "work" => {
            let operator = operator(text)?;
            let work = Formula::of(&operator.name)?.work(&operator);
            format!("{} {}", known(&work.flops), known(&work.bytes))
        }
        "pointwise" => pointwise_bytes(&operator(text)?)?.to_string(),
        "bytes of a type" => element_bytes(text)?.to_string(),
        "products" => {
            let mut found: Vec<_> = work_of_nodes(text).into_iter().collect();
            found.sort_by(|left, right| left.0.cmp(&right.0));
            let all = found.iter().map(|(name, of)| {
                format!("{name} {} {}", of.element.as_deref().unwrap_or_default(), known(&of.flops))
            });
            all.collect::<Vec<_>>().join(", ")
        }
        "flexible attention" => {
            let (block, mask) = text.split_once(" | ")?;
            let found = work_of_nodes(&FLEXIBLE.replace("BLOCK", block).replace("MASK", mask));
            found.get("flex_attention").filter(|work| !work.before_mask)?.flops?.to_string()
        }
        "touched" => Ranges::of(BODY).touched(text)?.bytes(4.0).to_string(),
        "index" => index_of(text)?.to_owned(),
        "bytes of the last call" => {
            let (graph, code) = text.split_once(" § ").unwrap_or(("", text));
            let last = u32::try_from(code.lines().count()).unwrap();
            read_wrapper(code, Some(graph), calls(code)).calls.get(&last)?.bytes?.to_string()
        }
        "covered" => covered(text)?.to_string(),
        "C++ in Python" => {
            let mut statements = CppStatements::default();
            for array in ["int_array_0[] = {6L, 9L};", "int_array_1[] = {9L, 1L};"] {
                assert_eq!(statements.in_python(&format!("static constexpr int64_t {array}")), None);
            }
            let python = statements.in_python(text);
            python.or_else(|| statements.call_in_python(text, "cpp_fused_add_0"))?
        }
        "kernel" => {
            let (name, source) = text.split_once('\n')?;
            let found = KernelSource::read(name, source);
            let mut facts: Vec<String> = found.parameters.iter().map(parameter).collect();
            facts.extend(found.is_template.then(|| "template".to_owned()));
            facts.extend(found.has_atomics.then(|| "atomics".to_owned()));
            facts.extend(found.recorded);
            facts.join(", ")
        }
        "name in a trace" => name_in_trace(text),
        "device" => DevicePeaks::named(text)?.name,
        "rates" => rates(text, None),
        "rates with a cache of 50 MB" => rates(text, Some(50.0)),
        "float" => {
            let (kernel, tf32) = text.split_once(", TF32 ")?;
            let allowed = [("allowed", Some(true)), ("off", Some(false)), ("unknown", None)];
            float_kind(kernel, allowed.iter().find(|(word, _)| *word == tf32)?.1).to_owned()
        }
        "steps" => repetitions(text.split(' ').filter_map(|count| count.parse().ok()))?.to_string(),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_gives_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
    assert!(POINTWISE.is_sorted());
}
