//! FLOPs and bytes of an operator, from the shapes of its inputs.
//!
//! A multiply-add counts as 2. Bytes are the least that a call must move: each tensor that it reads or writes, once.

use super::work::{WorkPart, operator_of};
use crate::model::{InputDims, Operator};
use crate::read::element_type::element_bytes;

/// How the work of an operator follows from its inputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Formula {
    /// The name of the operator, or what it ends with.
    pub(super) name: &'static str,
    /// Whether it is a product of matrices, whose work follows from their sizes.
    pub(super) is_product: bool,
    work: fn(Inputs<'_>) -> Option<Work>,
}

const fn product(name: &'static str, work: fn(Inputs<'_>) -> Option<Work>) -> Formula {
    Formula { name, is_product: true, work }
}

const fn other(name: &'static str, work: fn(Inputs<'_>) -> Option<Work>) -> Formula {
    Formula { name, is_product: false, work }
}

/// `mm(a, b)`.
const MM: Formula = product("aten::mm", |of| of.product(0, None, of.element(0)));

const CONVOLUTION_BACKWARD: &str = "aten::convolution_backward";

/// The operators that have a formula, but for those of attention.
const FORMULAS: [Formula; 15] = [
    MM,
    product("aten::bmm", MM.work),
    // `addmm(bias, a, b)`.
    product("aten::addmm", |of| of.product(1, Some(0), of.element(1))),
    product("aten::baddbmm", |of| of.product(1, Some(0), of.element(1))),
    // `_scaled_mm(a, b, scale_a, scale_b, bias, scale_result, out_dtype, ..)`.
    product("aten::_scaled_mm", |of| of.product(0, None, of.out_element(6))),
    // `_int_mm(a, b)`, with a result of 32 bits.
    product("aten::_int_mm", |of| of.product(0, None, Some(4.0))),
    // `_grouped_mm(a, b, ..)`: the rows of `a`, or the columns of both, belong to groups.
    product("aten::_grouped_mm", |of| of.grouped_product()),
    product("aten::_scaled_grouped_mm", |of| of.grouped_product()),
    other("aten::convolution", |of| of.convolution()),
    other(CONVOLUTION_BACKWARD, |of| of.convolution_backward([true, true])),
    // Attention with functions of the program; what a mask leaves out is not known here.
    other("higher_order::flex_attention", |of| of.attention(0, 1.0)),
    other("higher_order::flex_attention_backward", |of| of.attention(0, 2.5)),
    // `_linear_pointwise(input, weight, bias, ..)`, or with another tensor before the weight.
    product("mkldnn::_linear_pointwise", |of| of.linear(if of.has_matrix(2) { 2 } else { 1 })),
    // `_mkl_linear(input, packed_weight, weight, bias, ..)`.
    product("mkl::_mkl_linear", |of| of.linear(2)),
    // `_convolution_pointwise(input, weight, bias, padding, stride, dilation, groups, ..)`, or with another tensor before the
    // weight.
    other("mkldnn::_convolution_pointwise", |of| of.convolution_pointwise()),
];

/// Attention, whose names begin alike. In the backward the forward products are computed again, and each has two gradients:
/// five products instead of two.
const ATTENTION: [Formula; 3] = [
    other("_backward", |of| of.attention(1, 2.5)),
    other("_attention", |of| of.attention(0, 1.0)),
    other("_attention_for_cpu", |of| of.attention(0, 1.0)),
];

/// What a call computes and moves; None if unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Work {
    pub(super) flops: Option<f64>,
    pub(super) bytes: Option<f64>,
}

impl Work {
    /// What a part of the launches of a call with this work does of it; `gradients` are those of a convolution.
    pub(super) fn part(self, part: WorkPart, gradients: impl Fn() -> Option<[Work; 2]>) -> Work {
        match part {
            WorkPart::All => self,
            WorkPart::InputGradient => gradients().map(|[input, _]| input).unwrap_or_default(),
            WorkPart::WeightGradient => gradients().map(|[_, weight]| weight).unwrap_or_default(),
            WorkPart::Helper => Work::default(),
        }
    }
}

impl Formula {
    /// The formula of the operator with that name.
    pub(super) fn named(name: &str) -> Option<Formula> {
        let name = &*operator_of(name);
        let attention = name.strip_prefix("aten::_scaled_dot_product_");
        let attention = attention.and_then(|name| ATTENTION.iter().find(|one| name.ends_with(one.name)));
        FORMULAS.iter().find(|known| known.name == name).or(attention).copied()
    }

    /// What a call of a backward of a convolution computes and moves for the gradient of its input, and for that of its weight,
    /// if both are wanted: each is a kernel of its own.
    pub(super) fn gradients(self, operator: &Operator) -> Option<[Work; 2]> {
        let inputs = Inputs { operator };
        let is_wanted = self.name == CONVOLUTION_BACKWARD && inputs.wanted_gradients() == [true, true];
        is_wanted.then(|| {
            [[true, false], [false, true]].map(|which| inputs.convolution_backward(which).unwrap_or_default())
        })
    }

    /// The formula of a template for it, whose first inputs are the operands; what is added to a product comes behind them.
    pub(super) fn of_template(self) -> Formula {
        if matches!(self.name, "aten::addmm" | "aten::baddbmm") { MM } else { self }
    }

    /// What a call of the operator computes and moves.
    pub(super) fn work(self, operator: &Operator) -> Work {
        (self.work)(Inputs { operator }).unwrap_or_default()
    }
}

/// Number of stored elements of a tensor: a broadcast dimension (stride 0) counts once.
pub(super) fn elements(sizes: &[i64], strides: &[i64]) -> f64 {
    let stored = |(at, size): (usize, &i64)| if strides.get(at) == Some(&0) { 1.0 } else { *size as f64 };
    sizes.iter().enumerate().map(stored).product()
}

/// Bytes of all inputs of an operator, each counted once.
pub(super) fn bytes_of_inputs(operator: &Operator) -> Option<f64> {
    let inputs = Inputs { operator };
    let bytes: f64 = (0..operator.dims.len()).filter_map(|at| inputs.bytes(at)).sum();
    (bytes > 0.0).then_some(bytes)
}

#[derive(Clone, Copy)]
struct Inputs<'o> {
    operator: &'o Operator,
}

impl Inputs<'_> {
    fn sizes(&self, at: usize) -> Option<&[i64]> {
        self.operator.dims.get(at)?.one().filter(|sizes| !sizes.is_empty())
    }

    fn element(&self, at: usize) -> Option<f64> {
        element_bytes(self.operator.types.get(at)?)
    }

    fn bytes(&self, at: usize) -> Option<f64> {
        let strides = self.operator.strides.get(at).and_then(InputDims::one).unwrap_or_default();
        Some(elements(self.sizes(at)?, strides) * self.element(at)?)
    }

    fn value<T: serde::de::DeserializeOwned>(&self, at: usize) -> Option<T> {
        let text = self.operator.values.get(at)?;
        let json = match text.as_str() {
            "True" => "true",
            "False" => "false",
            other => other,
        };
        serde_json::from_str(json).ok()
    }

    /// Bytes of an element of the result, whose type is an argument: `torch.bfloat16`, in a trace the number of the type.
    fn out_element(&self, at: usize) -> Option<f64> {
        match self.operator.values.get(at)?.as_str() {
            "5" | "15" => Some(2.0),
            "6" => Some(4.0),
            name => element_bytes(name),
        }
    }

    /// A product of two matrices or batches of matrices, starting at input `first`, to which `bias` is added; an element of the
    /// result has `out` bytes.
    fn product(&self, first: usize, bias: Option<usize>, out: Option<f64>) -> Option<Work> {
        let (left, right) = (self.sizes(first)?, self.sizes(first + 1)?);
        let (batch, rows, inner, columns) = match (left, right) {
            ([rows, inner], [_, columns]) => (1, *rows, *inner, *columns),
            ([batch, rows, inner], [_, _, columns]) => (*batch, *rows, *inner, *columns),
            _ => return None,
        };
        let [batch, rows, inner, columns] = [batch, rows, inner, columns].map(|size| size as f64);
        let bias = bias.map_or(Some(0.0), |at| self.bytes(at));
        let moved = || {
            let out = batch * rows * columns * out?;
            Some(self.bytes(first)? + self.bytes(first + 1)? + bias? + out)
        };
        Some(Work { flops: Some(2.0 * batch * rows * inner * columns), bytes: moved() })
    }

    /// Products of groups: of rows with a matrix each, or, for the gradient of these matrices, of columns with each other, where
    /// input 2 has an element for each group.
    fn grouped_product(&self) -> Option<Work> {
        let (left, right) = (self.sizes(0)?, self.sizes(1)?);
        let groups = self.sizes(2).and_then(<[i64]>::last).copied();
        let (all, out) = match (left, right) {
            ([rows, inner], [_, _, columns]) => ([rows, inner, columns], Some(rows * columns)),
            ([_, rows, inner], [_, columns]) => ([rows, inner, columns], Some(rows * columns)),
            ([rows, inner], [_, columns]) => ([rows, inner, columns], groups.map(|all| all * rows * columns)),
            _ => return self.product(0, None, self.element(0)),
        };
        let flops = 2.0 * all.map(|size| *size as f64).iter().product::<f64>();
        let moved = || Some(self.bytes(0)? + self.bytes(1)? + out? as f64 * self.element(0)?);
        Some(Work { flops: Some(flops), bytes: moved() })
    }

    fn has_matrix(&self, at: usize) -> bool {
        self.sizes(at).is_some_and(|sizes| sizes.len() == 2)
    }

    /// A product of the rows of the first input with a weight of `[columns, inner]`, to which a bias is added.
    fn linear(&self, weight: usize) -> Option<Work> {
        let (Some(left), Some([columns, inner])) = (self.sizes(0), self.sizes(weight)) else { return None };
        let rows: f64 = left.iter().rev().skip(1).map(|size| *size as f64).product();
        let out = rows * *columns as f64;
        let moved = || {
            // Another tensor before the weight is added to the result; MKL has the weight there, packed.
            let is_added = weight == 2 && self.has_matrix(1) && !self.operator.name.starts_with("mkl::");
            let other = if is_added { self.bytes(1).unwrap_or(0.0) } else { 0.0 };
            let bias = self.bytes(weight + 1).unwrap_or(0.0);
            Some(self.bytes(0)? + self.bytes(weight)? + other + bias + out * self.element(0)?)
        };
        Some(Work { flops: Some(2.0 * out * *inner as f64), bytes: moved() })
    }

    /// A convolution with its padding before its stride, and with neither a transposed form nor an output padding.
    fn convolution_pointwise(&self) -> Option<Work> {
        let weight = if self.sizes(2).is_some_and(|sizes| sizes.len() > 2) { 2 } else { 1 };
        let setting = |at: usize| self.operator.values.get(weight + at).cloned().unwrap_or_default();
        let mut values = vec![String::new(); 3];
        values.extend([setting(3), setting(2), setting(4), "False".to_owned(), "[0]".to_owned(), setting(5)]);
        let only = |at: usize| self.operator.dims.get(at).cloned().unwrap_or(InputDims::One(Vec::new()));
        let kind = |at: usize| self.operator.types.get(at).cloned().unwrap_or_default();
        let plain = Operator {
            name: "aten::convolution".to_owned(),
            dims: [0, weight, weight + 1].map(only).to_vec(),
            types: [0, weight, weight + 1].map(kind).to_vec(),
            values,
            ..Operator::default()
        };
        let work = Inputs { operator: &plain }.convolution()?;
        let other = if weight == 2 { self.bytes(1).unwrap_or(0.0) } else { 0.0 };
        Some(Work { bytes: work.bytes.map(|bytes| bytes + other), ..work })
    }

    /// `convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)`.
    fn convolution(&self) -> Option<Work> {
        let shape = self.convolution_shape(self.sizes(0)?, self.sizes(1)?, 3)?;
        let moved = || {
            let bias = self.bytes(2).unwrap_or(0.0);
            Some(self.bytes(0)? + self.bytes(1)? + bias + shape.out * self.element(0)?)
        };
        Some(Work { flops: Some(shape.flops), bytes: moved() })
    }

    /// Whether the gradients of the input and of the weight are wanted.
    fn wanted_gradients(&self) -> [bool; 2] {
        let mask: Vec<bool> = self.operator.values.get(10).map(|text| mask(text)).unwrap_or_default();
        [0, 1].map(|at| mask.get(at).copied().unwrap_or(true))
    }

    /// `convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
    /// output_padding, groups, output_mask)`: the FLOPs of the forward for each gradient that is wanted and in `of`.
    fn convolution_backward(&self, of: [bool; 2]) -> Option<Work> {
        let shape = self.convolution_shape(self.sizes(1)?, self.sizes(2)?, 4)?;
        let wanted = self.wanted_gradients();
        let [of_input, of_weight] = [0, 1].map(|at| wanted[at] && of[at]);
        let parts = [of_input, of_weight].into_iter().filter(|wanted| *wanted).count();
        let mask = self.operator.values.get(10).map(|text| mask(text)).unwrap_or_default();
        let moved = || {
            let grad = self.bytes(0)?;
            // The gradient of the bias has an element for each channel of the gradient, and comes with both others.
            let bias = if of == [true, true] && mask.get(2) == Some(&true) {
                *self.sizes(0)?.get(1)? as f64 * self.element(0)?
            } else {
                0.0
            };
            let (input, weight) = (self.bytes(1)?, self.bytes(2)?);
            // The gradient of the input needs the weight, that of the weight the input; each is written.
            Some(match of {
                [true, true] => {
                    let written = if of_input { input } else { 0.0 } + if of_weight { weight } else { 0.0 };
                    grad + input + weight + bias + written
                }
                _ => grad + input + weight,
            })
        };
        Some(Work { flops: Some(shape.flops * parts as f64), bytes: moved() })
    }

    /// Size of the output and FLOPs of a forward convolution whose stride is input `stride_at`.
    fn convolution_shape(&self, input: &[i64], weight: &[i64], stride_at: usize) -> Option<ConvolutionShape> {
        let (batch, channels_in) = (*input.first()? as f64, *input.get(1)? as f64);
        let kernel = weight.get(2..)?;
        let spatial = input.get(2..)?;
        let list = |at: usize, otherwise: i64| -> Vec<i64> {
            let given: Vec<i64> = self.value(at).unwrap_or_default();
            // A single number applies to all dimensions.
            let at = |at: usize| if given.len() == 1 { 0 } else { at };
            (0..kernel.len()).map(|dim| given.get(at(dim)).copied().unwrap_or(otherwise)).collect()
        };
        let (stride, padding, dilation) =
            (list(stride_at, 1), list(stride_at + 1, 0), list(stride_at + 2, 1));
        let transposed: bool = self.value(stride_at + 3).unwrap_or(false);
        let output_padding = list(stride_at + 4, 0);
        let groups: f64 = self.value::<i64>(stride_at + 5).filter(|groups| *groups > 0).unwrap_or(1) as f64;
        let mut out_spatial = 1.0;
        for (at, size) in spatial.iter().enumerate() {
            let [stride, padding, dilation, extra] =
                [&stride, &padding, &dilation, &output_padding].map(|list| list.get(at).copied());
            let covered = dilation? * (kernel.get(at)? - 1);
            let out = if transposed {
                (size - 1) * stride? - 2 * padding? + covered + extra? + 1
            } else {
                (size + 2 * padding? - covered - 1).checked_div(stride?)? + 1
            };
            out_spatial *= out.max(0) as f64;
        }
        let window: f64 = kernel.iter().map(|size| *size as f64).product();
        let spatial: f64 = spatial.iter().map(|size| *size as f64).product();
        // A transposed weight has its input channels first, and each element of the input meets the whole window.
        let channels_out = if transposed { *weight.get(1)? as f64 * groups } else { *weight.first()? as f64 };
        let places = if transposed { spatial } else { out_spatial };
        Some(ConvolutionShape {
            out: batch * channels_out * out_spatial,
            flops: 2.0 * batch * channels_out * (channels_in / groups) * window * places,
        })
    }

    /// Attention with its query at input `query`; the backward computes `times` as many products.
    fn attention(&self, query: usize, times: f64) -> Option<Work> {
        let sizes = |at: usize| match self.sizes(at)? {
            [batch, heads, length, width] => Some([*batch, *heads, *length, *width].map(|size| size as f64)),
            _ => None,
        };
        let [batch, heads, rows, width] = sizes(query)?;
        let [_, _, columns, _] = sizes(query + 1)?;
        let [_, _, _, value_width] = sizes(query + 2)?;
        let full = 2.0 * batch * heads * rows * columns * (width + value_width);
        let causal = if self.is_causal() { 0.5 } else { 1.0 };
        let moved = || {
            let read = self.bytes(query)? + self.bytes(query + 1)? + self.bytes(query + 2)?;
            let out = batch * heads * rows * value_width * self.element(query)?;
            let mask = self.mask_of_attention(query).and_then(|at| self.bytes(at)).unwrap_or_default();
            // A logarithm for each row, in 32 bits, is written for the backward and read by it.
            let rows = if times > 1.0 || self.keeps_rows(query) { batch * heads * rows * 4.0 } else { 0.0 };
            let bytes = read + out + mask + rows;
            // The backward also reads the gradient and the output, and writes three gradients.
            Some(if times > 1.0 { bytes + out + read } else { bytes })
        };
        Some(Work { flops: Some(full * causal * times), bytes: moved() })
    }

    /// The input that is a mask or a bias.
    fn mask_of_attention(&self, query: usize) -> Option<usize> {
        let name = &self.operator.name;
        match () {
            () if name.contains("cudnn_attention_backward") => Some(8),
            () if name.contains("efficient_attention") || name.contains("cudnn_attention") => Some(query + 3),
            () => None,
        }
    }

    /// Whether a forward keeps something of each row for its backward.
    fn keeps_rows(&self, query: usize) -> bool {
        let name = &self.operator.name;
        let is_told = name.contains("efficient_attention") || name.contains("cudnn_attention");
        name.contains("flash_attention") || is_told && self.value(query + 4).unwrap_or(false)
    }

    /// Whether each row sees only the columns before it: the boolean argument `is_causal`.
    fn is_causal(&self) -> bool {
        let known = CAUSAL.iter().find(|(part, _)| self.operator.name.contains(part));
        known.and_then(|(_, at)| self.value(*at)).unwrap_or(false)
    }
}

/// Parts of names of attention, and which argument `is_causal` is.
const CAUSAL: [(&str, usize); 7] = [
    ("flash_attention_backward", 11),
    ("flash_attention_for_cpu_backward", 7),
    ("flash_attention", 4),
    ("efficient_attention_backward", 11),
    ("efficient_attention", 6),
    ("cudnn_attention_backward", 14),
    ("cudnn_attention", 6),
];

struct ConvolutionShape {
    /// Elements of the output.
    out: f64,
    flops: f64,
}

/// `[True, False, True]`.
fn mask(text: &str) -> Vec<bool> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    inner.split(',').map(|part| part.trim().eq_ignore_ascii_case("true")).collect()
}
