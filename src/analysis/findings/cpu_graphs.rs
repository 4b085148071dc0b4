//! CUDA graphs that were asked for where nothing runs on a GPU.

use super::basis::{Basis, Family};
use super::finding::{Advice, Finding, Severity};
use super::kind::KindOfFinding;
use crate::analysis::lab::tried;
use crate::model::{CompileIndex, Model};

/// CUDA graphs on a CPU.
pub(super) const FAMILY: Family = Family { kinds: &[&CUDAGRAPHS_ON_CPU], of_log };

/// CUDA graphs were requested, and all inputs are on the CPU.
static CUDAGRAPHS_ON_CPU: KindOfFinding = KindOfFinding::of("cudagraphs_on_cpu", "CUDA graphs");

/// One finding where the setting is on, inputs are known and none of them is on a GPU.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    if model.inductor.cudagraphs != Some(true) || !on_cpu_only(model) {
        return Vec::new();
    }
    let title = "CUDA graphs were requested, but none was made: everything runs on the CPU";
    let mut found = Finding::new(&CUDAGRAPHS_ON_CPU, Severity::Info, title);
    found.explain("`mode=\"reduce-overhead\"` and `triton.cudagraphs` record CUDA graphs, which exist on GPUs only. Here they change \
         nothing.");
    let text = "Leave the mode out where the program runs on a CPU, or move model and inputs to a GPU.";
    found.advise(Advice { tried: tried("cuda_graphs_on_cpu.1"), ..Advice::from(text) });
    let compiled = |(index, compile): (CompileIndex, &crate::model::Compile)| {
        compile.metrics.iter().any(|record| record.facts.inductor_us.is_some()).then_some(index)
    };
    found.compiles = model.compiles.indexed().filter_map(compiled).collect();
    vec![found]
}

/// Whether the log names devices of inputs, and all of them are the CPU.
fn on_cpu_only(model: &Model) -> bool {
    let mut devices = model.inputs().map(|(_, input)| input.tensor.device.as_str()).peekable();
    devices.peek().is_some() && devices.all(|device| device.starts_with("cpu"))
}

#[cfg(test)]
mod tests {
    use super::super::basis::Basis;
    use super::*;
    use crate::model::{Compile, InputTensor, TensorDescription};

    fn compile_with_input(device: &str) -> Compile {
        let tensor = TensorDescription { device: device.to_owned(), ..TensorDescription::default() };
        let input = InputTensor { source: "L['x']".into(), tensor: tensor.into(), storage: None };
        Compile { inputs: vec![input], ..Compile::new(None) }
    }

    #[test]
    fn cuda_graphs_are_missed_only_where_they_were_asked_for_and_all_inputs_are_on_the_cpu() {
        let mut model = Model::default();
        let compile = model.compiles.push(compile_with_input("cpu"));
        model.compiles.push(compile_with_input("cpu"));
        let found = |model: &Model| of_log(Basis::of_model(model)).len();
        assert_eq!(found(&model), 0, "nobody asked");
        model.inductor.cudagraphs = Some(true);
        assert_eq!(found(&model), 1);
        let on_gpu = compile_with_input("cuda:0").inputs;
        model.compiles.get_mut(compile).unwrap().inputs.extend(on_gpu);
        assert_eq!(found(&model), 0, "some run on a GPU");
        model.compiles.iter_mut().for_each(|compile| compile.inputs.clear());
        assert_eq!(found(&model), 0, "the log names no device");
    }
}
