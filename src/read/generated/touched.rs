//! How much of a tensor a Triton kernel touches, from the indices in its source: a slice, a column, rows that another tensor
//! names.

use crate::limits::LONGEST_VALUE;
use crate::read::source_text::{closing, is_word, words};
use crate::trace::TextMap;

/// Bytes that memory is read and written in.
const SECTOR: f64 = 32.0;

/// What an index touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touched {
    /// Elements, at most.
    pub elements: f64,
    /// How far apart the nearest two of them lie, in elements.
    pub apart: f64,
}

impl Touched {
    /// What several indices touch together; None if one of them is unknown.
    pub fn all(indices: &TextMap<&str, Option<Touched>>) -> Option<Touched> {
        let mut all = indices.values();
        let first = (*all.next()?)?;
        all.try_fold(first, |sum, next| {
            let next = (*next)?;
            Some(Touched { elements: sum.elements + next.elements, apart: sum.apart.min(next.apart) })
        })
    }

    /// The bytes that are moved for elements of that size: where they lie apart, the sectors around them.
    pub fn bytes(self, element: f64) -> f64 {
        self.elements * (self.apart * element).clamp(element, SECTOR.max(element))
    }
}

/// How many values each variable of an index takes.
#[derive(Debug, Default)]
pub struct Ranges<'t> {
    variables: TextMap<&'t str, f64>,
    /// Constants: `xnumel`, `r0_numel`; `M`, `N` and `K` of a template.
    constants: TextMap<&'t str, f64>,
    /// Elements of a run: the product of all `numel`. None if one is known only at run time.
    all: Option<f64>,
}

/// A variable of an index, and how far apart two of its values are, in elements.
struct Variable<'i> {
    name: &'i str,
    apart: f64,
}

impl Variable<'_> {
    fn is_read(&self) -> bool {
        self.name.starts_with("tmp")
    }
}

impl<'t> Ranges<'t> {
    /// Reads the assignments of a body: `xnumel = 4096`, `x0 = (xindex % 512)`, `x1 = xindex // 512`, `r0_1 = r0_index`.
    pub fn parse(body: &'t str) -> Ranges<'t> {
        let mut found = Ranges::default();
        let assignments = || body.lines().filter_map(|line| line.trim().split_once(" = "));
        // Batches have a distance between matrices, and as many as the grid says.
        let is_batched = body.contains("stride_aq = ");
        for (name, value) in assignments() {
            let is_size = name.ends_with("numel") || (!is_batched && matches!(name, "M" | "N" | "K"));
            let Some(size) = value.parse::<u32>().ok().map(f64::from).filter(|_| is_size) else { continue };
            // Kernels that are combined have sizes of their own.
            if found.constants.insert(name, size).is_some_and(|known| known != size) {
                return Ranges::default();
            }
        }
        let has = |index: &str| body.contains(&format!("{index} = "));
        // `rindex` is another name of `r0_index` where that exists.
        let reduced = if has("r0_index") { "r0_" } else { "r" };
        let sizes = ["x", "y", "z", reduced, "r1_"].into_iter().filter(|start| has(&format!("{start}index")));
        found.all = sizes.map(|start| found.size(start)).try_fold(1.0, |all, size| Some(all * size?));
        for (name, value) in assignments() {
            let range = found.range(value);
            if let Some(range) = range.filter(|_| name.chars().all(is_word)) {
                found.variables.insert(name, range);
            }
        }
        found
    }

    fn size(&self, start: &str) -> Option<f64> {
        self.constants.get(format!("{start}numel").as_str()).copied()
    }

    /// Of `xindex`, `(xindex // 8)`, `(xindex % 8)` or `((xindex // 64) % 8)`.
    fn range(&self, value: &str) -> Option<f64> {
        let value = value.trim();
        let inner = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(value);
        if let Some((_, divisor)) = inner.rsplit_once(" % ") {
            return divisor.parse::<u32>().ok().map(f64::from);
        }
        let (index, divisor) = inner.split_once(" // ").unwrap_or((inner, "1"));
        let size = self.size(index.strip_suffix("index")?)?;
        Some((size / f64::from(divisor.parse::<u32>().ok().filter(|divisor| *divisor > 0)?)).ceil())
    }

    /// What an index touches: `x0 + 4096*x1`; `tmp0` in it is an index that is read. None if a size is known only at run time.
    pub fn touched(&self, index: &str) -> Option<Touched> {
        let index = index.strip_prefix("tl.broadcast_to(").unwrap_or(index);
        let index = index.split(", [").next().unwrap_or(index);
        let mut variables: Vec<Variable<'_>> = Vec::new();
        for term in index.split(" + ") {
            for name in words(term).filter(|word| word.parse::<u64>().is_err()) {
                let factor = term.split_once('*').filter(|(_, of)| *of == name);
                let apart = factor.and_then(|(number, _)| number.parse::<u32>().ok()).map_or(1.0, f64::from);
                if !variables.iter().any(|known| known.name == name) {
                    variables.push(Variable { name, apart });
                }
            }
        }
        if let Some(read) = variables.iter().find(|one| one.is_read()) {
            return self.indirect(read.apart, &variables);
        }
        let mut found = Touched { elements: 1.0, apart: f64::INFINITY };
        for Variable { name, apart } in variables {
            let range = *self.variables.get(name)?;
            found.elements *= range;
            if range > 1.0 {
                found.apart = found.apart.min(apart);
            }
        }
        found.apart = if found.apart.is_finite() { found.apart } else { 1.0 };
        Some(found)
    }

    /// What an index touches part of which is read: as many rows as there are other elements in a run, each no longer than the
    /// rows are apart.
    fn indirect(&self, row: f64, variables: &[Variable<'_>]) -> Option<Touched> {
        let within = variables.iter().filter(|one| !one.is_read() && one.apart < row);
        let inner = within
            .map(|one| self.variables.get(one.name).copied())
            .try_fold(1.0, |all, range| Some(all * range?))?;
        let elements = self.all? / inner * inner.min(row);
        Some(Touched { elements, apart: 1.0 })
    }

    /// What a template for a product of two matrices reads of its operands: they may be parts of larger tensors.
    pub fn operands(&self) -> Option<[Touched; 2]> {
        let [rows, columns, inner] = ["M", "N", "K"].map(|name| self.constants.get(name).copied());
        let of = |elements| Touched { elements, apart: 1.0 };
        Some([of(rows? * inner?), of(inner? * columns?)])
    }
}

/// The index behind a pointer: `x0 + 4096*x1` of ` + (x0 + 4096*x1), xmask)`.
pub fn index_of(after: &str) -> Option<&str> {
    let rest = after.strip_prefix(" + (")?;
    Some(&rest[..closing(rest, *b"()", LONGEST_VALUE)?])
}
