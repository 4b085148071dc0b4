//! What each reader and formula makes of a text: rows of `cases.txt`.

use super::devices::DevicePeaks;
use super::footprint::{Extent, Footprint, Used, bytes_of_call};
use super::formulas::Formula;
use super::graphs::{Graphs, flops_of_call, kernel_files, name_in_trace};
use super::launchers::asked;
use super::node_flops::work_of_nodes;
use super::pointwise::{POINTWISE, pointwise_bytes};
use super::rates::{Measured, Rates, float_kind, nearest_limit};
use super::steps::repetitions;
use super::times::{BusyTimes, Group, Length, medians};
use super::tuning::tuning_of;
use super::walk::walk;
use super::work::{KernelRun, WorkPart};
use crate::cases::{hold, maybe};
use crate::facts::Region;
use crate::model::{
    Correlation, DeviceKernel, DeviceWork, InputDims, Launch, Operator, OperatorCall, Profile, TritonLaunch,
};
use crate::read::generated::kernel_source::sources;
use crate::read::generated::tensors::{Argument, Tensor, TensorCall, tensor_calls};
use crate::read::generated::{CodeKind, definitions};
use crate::read::source_text::arguments;
use crate::trace::Sorted;
use std::fmt::Debug;

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
/// offset, and is written; `r64` reads at most that much.
fn covered(tensors: &str) -> Option<f64> {
    let numbers = |list: &str| list.split('x').filter_map(|number| number.parse().ok()).collect::<Vec<i64>>();
    let mut found = Footprint::default();
    for tensor in tensors.split(", ") {
        let (shape, uses) = tensor.split_once(' ')?;
        let (shape, offset) = shape.split_once('@')?;
        let (sizes, strides) = shape.split_once('/')?;
        let extent = Extent::new(&numbers(sizes), &numbers(strides), 4, offset.parse().ok()?)?;
        let at_most = |used: char| Some(uses.split_once(used)?.1.parse().unwrap_or(f64::INFINITY));
        let [reads, writes] = ['r', 'w'].map(at_most);
        found.add("buf0", extent, Used { reads, writes });
    }
    Some(found.bytes(&mut i64::MAX.clone()))
}

/// A trace: a call is `name thread begin duration`, a launch `> id correlation duration`, and `= correlation id` a call of the
/// runtime. Calls are numbered from 1; `#id` at the end of a line gives another id.
fn profile(text: &str) -> Profile {
    let (mut operators, mut calls) = (Vec::new(), Vec::new());
    let (mut launches, mut correlations) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let (line, id) = match line.rsplit_once(" #") {
            Some((line, id)) if id.parse::<u64>().is_ok() => (line, id),
            _ => (line, ""),
        };
        let [dur_us, second, first, name] = words_from_the_end(line);
        let number = |word: &str| word.parse::<u32>().unwrap_or_default();
        let us = |word: &str| word.parse::<f64>().unwrap_or_default();
        let (place, launch) = (calls.len() as u32, launches.len() as u32);
        match name {
            ">" => launches.push(Launch {
                place: launch,
                kernel: 0,
                external: number(first).into(),
                correlation: number(second).into(),
                begin_us: 20.0,
                dur_us: us(dur_us),
            }),
            "" => correlations
                .push(Correlation { correlation: number(second).into(), external: number(dur_us).into() }),
            name => {
                operators.push(Operator { name: name.to_owned(), ..Operator::default() });
                let external = id.parse().unwrap_or(u64::from(place) + 1);
                let (thread, begin_us, dur_us) = (number(first), us(second), us(dur_us));
                calls.push(OperatorCall { place, operator: place, thread, external, begin_us, dur_us });
            }
        }
    }
    Profile {
        operators,
        kernels: vec![DeviceKernel::default()],
        calls: calls.into_iter().collect(),
        launches: launches.into_iter().collect(),
        correlations: correlations.into_iter().collect(),
        ..Profile::default()
    }
}

/// The last words of a text, the last one first, and then what is before them.
fn words_from_the_end(text: &str) -> [&str; 4] {
    let mut words = text.rsplitn(4, ' ');
    [(); 4].map(|()| words.next().unwrap_or_default())
}

fn piece(piece: &KernelRun) -> String {
    let words = [
        (piece.first_of_call, "first"),
        (piece.part == WorkPart::All, "works"),
        (piece.compiled, "compiled"),
    ];
    let words = words.iter().filter(|(is_so, _)| *is_so).map(|(_, word)| *word);
    let words: String = words.map(|word| format!(", {word}")).collect();
    format!("{} of {}{words}", piece.place, maybe(piece.operator))
}

fn region(region: &Region<'_>) -> String {
    let Region { compile_id, calls, sum_us, first_us, later_median_us, .. } = region;
    let [guards, graphs, wrapper] = [region.guards_us, region.graphs_us, region.wrapper_us].map(maybe);
    format!(
        "{compile_id}: {calls} calls {sum_us}, first {first_us}, later {}, guards {guards}, graphs {graphs}, wrapper {wrapper}",
        maybe(*later_median_us)
    )
}

fn walked(text: &str) -> String {
    let mut pieces = Vec::new();
    let regions = walk(&profile(text), &Graphs::default(), &mut |one| pieces.push(piece(&one))).unwrap();
    pieces.extend(regions.measured().unwrap().iter().map(region));
    pieces.join("\n")
}

/// Each launch with its call.
fn callers(text: &str) -> String {
    let sorted = asked(&profile(text)).unwrap();
    let (mut found, mut all) = (Vec::new(), sorted.iter().unwrap());
    while let Some(asked) = all.next().unwrap() {
        found.push(format!("{} of {}", asked.launch.place, maybe(asked.call.map(|call| call.place))));
    }
    found.join(", ")
}

/// Where the time of a trace of that length went, of runs `kernel begin duration`.
fn busy(runs: &str, wall_us: Option<f64>) -> Option<String> {
    let mut found = BusyTimes::default();
    for run in runs.split(", ") {
        let (kind, times) = run.split_once(' ')?;
        let (begin, dur) = times.split_once(' ')?;
        let kind = if kind == "kernel" { DeviceWork::Kernel } else { DeviceWork::Communication };
        found.add(begin.parse().ok()?, dur.parse().ok()?, kind, false);
    }
    let time = found.time(wall_us).unwrap();
    let exposed = (time.communication_us, time.exposed_communication_us);
    Some(format!("{} {} {} {} {exposed:?}", time.wall_us, time.busy_us, time.eager_us, time.idle_us))
}

/// Medians of lengths `group:us`, of groups `count`, or `count-us` without one of that length.
fn medians_of(text: &str) -> Option<String> {
    let (lengths, groups) = text.split_once(" | ")?;
    let length = |length: &str| {
        let (group, us) = length.split_once(':')?;
        Some(Length { group: group.parse().ok()?, us: us.parse().ok()? })
    };
    let lengths: Sorted<Length> = lengths.split(' ').filter_map(length).collect();
    let group = |group: &str| {
        let (count, without) = group.split_once('-').unwrap_or((group, ""));
        Group { count: count.parse().unwrap(), without_us: without.parse().ok() }
    };
    let groups: Vec<Group> = groups.split(' ').map(group).collect();
    Some(format!("{:?}", medians(&lengths, &groups).unwrap()))
}

/// FLOPs of a convolution of these tensors with these settings.
fn flops_of_convolution(text: &str) -> Option<f64> {
    let (tensors, settings) = text.split_once(" | ")?;
    let sizes = |list: &str| list.split('x').filter_map(|size| size.parse().ok()).collect();
    let tensor = |list: &str| Tensor { sizes: Some(sizes(list)), ..Tensor::default() };
    let argument = |list: &str| Argument { tensor: tensor(list), ..Argument::default() };
    let setting = |one: &str| one.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let call = TensorCall {
        arguments: tensors.split(' ').map(argument).collect(),
        settings: settings.split("; ").filter_map(setting).collect(),
        ..TensorCall::default()
    };
    flops_of_call("aten::convolution", &call)
}

/// The configurations that ran of `XBLOCK=16 1`, the last being the warps.
fn configurations(text: &str) -> Option<String> {
    let launched = |one: &str| {
        let (kwargs, warps) = one.split_once(' ')?;
        let kwargs = Some(kwargs.to_owned());
        let triton = TritonLaunch { kwargs, num_warps: warps.parse().ok(), ..TritonLaunch::default() };
        Some(Operator { triton: Some(triton), ..Operator::default() })
    };
    let launchers: Vec<Operator> = text.split(", ").map(|one| launched(one).unwrap_or_default()).collect();
    let ran = tuning_of(None, launchers.iter())?.ran;
    Some(ran.iter().map(|one| &**one).collect::<Vec<_>>().join("; "))
}

/// Bytes a second, and what the units compute of some types.
fn device(given: &str) -> String {
    match DevicePeaks::given(given, None) {
        Err(error) => error.to_string().split("; ").next().unwrap_or_default().to_owned(),
        Ok(device) => {
            let peaks = ["bf16", "fp32", "fp64"].map(|kind| maybe(device.tflops(kind, true, None)));
            format!("{}: {} {}", device.name, maybe(device.gbps), peaks.join(" "))
        }
    }
}

fn rates(text: &str, kind: &str, l2_megabytes: Option<f64>) -> String {
    let device = r#"{"name": "d", "gbps": 1000, "matrix": {"bf16": 100}, "vector": {"fp32": 10}}"#;
    let mut device = DevicePeaks::given(device, None).unwrap();
    device.l2_megabytes = l2_megabytes;
    let numbers: Vec<Option<f64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    let (us, flops, bytes) = (numbers[0].unwrap(), numbers[1], numbers[2]);
    let measured = Measured { us, flops, bytes, kind: Some(kind), matrix: true };
    let found = Rates::new(measured, Some(&device).filter(|_| !kind.is_empty()), None);
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
            let work = Formula::named(&operator.name)?.work(&operator);
            format!("{} {}", known(&work.flops), known(&work.bytes))
        }
        "pointwise" => pointwise_bytes(&operator(text)?)?.to_string(),
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
        "bytes of the last call" => {
            let (graph, code) = text.split_once(" § ").unwrap_or(("", text));
            let last = u32::try_from(code.lines().count()).unwrap();
            let sources = sources(code, &definitions(code, CodeKind::Python));
            let calls = tensor_calls(code, Some(graph), &sources, calls(code));
            bytes_of_call(calls.get(&last)?, &mut i64::MAX.clone())?.to_string()
        }
        "covered" => covered(text)?.to_string(),
        "name in a trace" => name_in_trace(text),
        "files of kernels" => kernel_files(text).collect::<Vec<_>>().join(" "),
        "convolution" => flops_of_convolution(text)?.to_string(),
        "device" => DevicePeaks::named(text)?.name,
        "assumed" => DevicePeaks::named(text)?.assumption()?.to_owned(),
        "given device" => device(text),
        "peak at a clock" => {
            let [clock, kind, device, _] = words_from_the_end(text);
            let found = DevicePeaks::named(&device.replace('_', " "))?;
            found.tflops(kind, true, clock.parse().ok())?.to_string()
        }
        "rates" => rates(text, "bf16", None),
        "rates with a cache of 50 MB" => rates(text, "bf16", Some(50.0)),
        "rates of an unknown type" => rates(text, "fp4", None),
        "rates on an unknown device" => rates(text, "", None),
        "pieces of a trace" => walked(text),
        "launches and their calls" => callers(text),
        "busy in 100 us" => busy(text, Some(100.0))?,
        "busy" => busy(text, None)?,
        "medians" => medians_of(text)?,
        "configurations" => configurations(text)?,
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
