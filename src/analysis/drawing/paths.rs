//! Paths of modules, `layers.0.self_attn`, as lists of numbers: an operator of a large graph is compared with many.

use super::operators::{Operators, clip};
use indexmap::IndexSet;

/// What follows the path of the module in the name of a parameter.
const OWNED: [&str; 2] = ["_parameters_", "_buffers_"];

/// Modules in a path, and characters of a name in it.
const DEEPEST: usize = 16;
const LONGEST_PART: usize = 48;

/// The numbers of the parts of a path.
pub(super) type Path = Vec<u32>;

/// The names of the parts of paths.
#[derive(Debug, Default)]
pub(super) struct Parts(IndexSet<String>);

impl Parts {
    pub(super) fn number(&mut self, name: &str) -> u32 {
        let (at, _) = self.0.insert_full(clip(name, LONGEST_PART));
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    pub(super) fn name(&self, number: u32) -> &str {
        self.0.get_index(number as usize).map(String::as_str).unwrap_or_default()
    }

    /// Whether a part is the number of a layer.
    pub(super) fn is_number(&self, part: u32) -> bool {
        let name = self.name(part);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The module of a parameter as Dynamo names it, and the name of the parameter in it: `layers.0.norm` and `weight` of
    /// `L_self_modules_layers_modules_0_modules_norm_parameters_weight_`.
    pub(super) fn of_parameter(&mut self, name: &str) -> Option<(Path, String)> {
        let path = name.strip_prefix("L_").or_else(|| name.strip_prefix("l_"))?;
        let (end, mark) = OWNED.iter().filter_map(|mark| Some((path.rfind(mark)?, *mark))).max()?;
        let (module, rest) = path.split_at_checked(end)?;
        let parameter = rest.strip_prefix(mark)?.trim_end_matches('_').to_owned();
        // The first part is the object that the function belongs to.
        let parts = module.split("_modules_").skip(1).take(DEEPEST);
        Some((parts.map(|part| self.number(part.trim_matches('_'))).collect(), parameter))
    }

    /// `layers.0.norm`
    pub(super) fn joined(&self, path: &[u32]) -> String {
        path.iter().map(|part| self.name(*part)).collect::<Vec<_>>().join(".")
    }
}

/// What two paths have in common.
pub(super) fn in_common<'p>(left: &'p [u32], right: &[u32]) -> &'p [u32] {
    let same = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    left.get(..same).unwrap_or_default()
}

/// What all paths have in common.
pub(super) fn in_common_of_all<'p>(mut paths: impl Iterator<Item = &'p Path>) -> Option<&'p [u32]> {
    let first = paths.next()?;
    Some(paths.fold(first.as_slice(), |all, path| in_common(all, path)))
}

/// Names the parameters among the inputs of a graph and returns the module of each. Dynamo's own graph names them; in a
/// graph made from it, the n-th input is the n-th of Dynamo's graph, if the sizes say the same.
pub(super) fn modules_of_inputs(
    graph: &mut Operators,
    captured: Option<&Operators>,
    parts: &mut Parts,
) -> Vec<Option<Path>> {
    let own = graph.inputs.iter().any(|input| parts.of_parameter(&input.name).is_some());
    let count = graph.inputs.len();
    let mut found = Vec::with_capacity(count);
    for (order, input) in graph.inputs.iter_mut().enumerate() {
        let named = match captured.filter(|_| !own) {
            None => Some(input.name.clone()),
            Some(captured) => {
                let place = match input.name.strip_prefix("primals_") {
                    Some(number) => number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)),
                    None => (captured.inputs.len() == count).then_some(order),
                };
                let same = place.and_then(|place| captured.inputs.get(place));
                same.filter(|one| one.shape == input.shape).map(|one| one.name.clone())
            }
        };
        let owned = named.as_deref().and_then(|name| parts.of_parameter(name));
        let (path, parameter) = owned.unzip();
        if let (Some(path), Some(parameter)) = (&path, parameter) {
            let name = parts.joined(path);
            let full = if name.is_empty() { parameter } else { format!("{name}.{parameter}") };
            input.weight = clip(&full, 200);
        } else if let Some(named) = named {
            // `x` of `L_x_`, which is how the program calls it.
            let own_name = named.strip_prefix("L_").or_else(|| named.strip_prefix("l_")).unwrap_or(&named);
            let own_name = own_name.trim_matches('_');
            let own_name = own_name.strip_prefix("kwargs_").unwrap_or(own_name);
            input.name = clip(own_name, LONGEST_PART);
        }
        found.push(path);
    }
    found
}
