//! Budgets: limits on what a log may have, from a TOML file.

use crate::facts::Aspect;
use crate::model::words::{duration, noun};
use anyhow::{Context, bail};
use toml::{Table, Value};

/// What is said of a budget.
struct BudgetWords {
    aspect: Aspect,
    /// The key at the top level of a budget file.
    key: &'static str,
    /// The key in the table of a function, if functions can have this budget.
    of_function: Option<&'static str>,
    /// One, and several, of what it counts, where that is not all of the aspect.
    nouns: Option<[&'static str; 2]>,
    /// Explains what counts towards it.
    counts: &'static str,
}

/// Of all budgets, in the order in which they are explained.
static WORDS: [BudgetWords; 7] = [
    BudgetWords {
        aspect: Aspect::GraphBreaks,
        key: "graph_breaks",
        of_function: Some("graph_breaks"),
        nouns: Some(["distinct graph break", "distinct graph breaks"]),
        counts: "distinct graph breaks: one reason at one line counts once, however often it was hit",
    },
    BudgetWords {
        aspect: Aspect::Recompiles,
        key: "recompiles_per_function",
        of_function: Some("recompiles"),
        nouns: None,
        counts: "compilations of one function beyond its first, because a guard failed; its parts that are resumed after a \
                 graph break belong to it",
    },
    BudgetWords {
        aspect: Aspect::Failures,
        key: "failures",
        of_function: Some("failures"),
        nouns: None,
        counts: "compilations that ended with an exception, even if the function then ran in eager mode",
    },
    BudgetWords {
        aspect: Aspect::CompileTime,
        key: "compile_seconds",
        of_function: Some("compile_seconds"),
        nouns: None,
        counts: "wall time in which something was compiled, in seconds; of a function, the sum of its compilations",
    },
    BudgetWords {
        aspect: Aspect::Cache,
        key: "cache_misses",
        of_function: Some("cache_misses"),
        nouns: Some(["cache miss", "cache misses"]),
        counts: "lookups in a cache of compiled code that missed; bypasses do not count, and each cache counts separately",
    },
    BudgetWords {
        aspect: Aspect::FallbackOps,
        key: "fallback_ops",
        of_function: Some("fallback_ops"),
        nouns: None,
        counts: "calls in the generated code of operators that Inductor leaves to torch (torch.ops..), without collectives; \
                 matrix multiplications and convolutions of a library do not count",
    },
    BudgetWords {
        aspect: Aspect::Findings,
        key: "findings",
        of_function: None,
        nouns: None,
        counts: "errors and warnings of the report that no other budget counts, such as a damaged log, a skipped CUDA graph \
                 or ranks that differ",
    },
];

/// Those that baselines have entries for.
pub(super) const IN_BASELINE: [Aspect; 4] =
    [Aspect::GraphBreaks, Aspect::Recompiles, Aspect::Failures, Aspect::Findings];

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limit {
    /// What a budget counts.
    pub aspect: Aspect,
    /// Pattern of the functions that it applies to; None for the whole log.
    pub function: Option<String>,
    /// The largest allowed amount.
    pub most: f64,
}

impl Limit {
    fn budget(&self) -> Option<&'static BudgetWords> {
        WORDS.iter().find(|words| words.aspect == self.aspect)
    }

    /// The key at the top level of a budget file.
    pub(crate) fn key(&self) -> &'static str {
        self.budget().map_or("", |words| words.key)
    }

    /// The key in the budget file: `failures`, `functions."net.forward".graph_breaks`.
    pub(crate) fn name(&self) -> String {
        match &self.function {
            None => self.key().to_owned(),
            Some(function) => {
                let key = self.budget().and_then(|words| words.of_function).unwrap_or_default();
                format!("functions.{function:?}.{key}")
            }
        }
    }

    /// An amount with its noun: `2 failures`.
    pub(crate) fn words(&self, amount: f64) -> String {
        let [one, many] = self.budget().and_then(|words| words.nouns).unwrap_or(self.aspect.nouns());
        match self.aspect {
            Aspect::CompileTime => format!("{} of compilation", duration(amount * 1e6)),
            _ => format!("{amount:.0} {}", noun(amount as u64, one, many)),
        }
    }

    /// What is allowed: `2`, `1.5 s`.
    pub(crate) fn allowed(&self) -> String {
        match self.aspect {
            Aspect::CompileTime => format!("{} s", self.most),
            _ => format!("{:.0}", self.most),
        }
    }
}

/// The limits of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    pub(crate) limits: Vec<Limit>,
}

/// Without a budget and a baseline: no compilation may fail.
impl Default for Budget {
    fn default() -> Self {
        Budget { limits: vec![Limit { aspect: Aspect::Failures, function: None, most: 0.0 }] }
    }
}

const FUNCTIONS: &str = "functions";

impl Budget {
    /// With a baseline but no budget: nothing new is allowed.
    #[must_use]
    pub fn nothing_new() -> Budget {
        let limit = |aspect| Limit { aspect, function: None, most: 0.0 };
        Budget { limits: IN_BASELINE.into_iter().map(limit).collect() }
    }

    /// Reads a budget file.
    ///
    /// # Errors
    /// It is not TOML, or a key or an amount is invalid; the message says what is allowed.
    pub fn parse(text: &str) -> anyhow::Result<Budget> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            anyhow::anyhow!("it is not TOML: {}", error.to_string().trim_end().replace('\n', "\n  "))
        })?;
        let mut limits = Vec::new();
        for (key, value) in &table {
            if key == FUNCTIONS {
                limits.extend(function_limits(value)?);
                continue;
            }
            let Some(&BudgetWords { aspect, .. }) = WORDS.iter().find(|words| words.key == key) else {
                bail!(
                    "unknown budget {key:?}; known are {}, and a table [functions.\"NAME\"]",
                    known(|words| Some(words.key))
                );
            };
            limits.push(Limit { aspect, function: None, most: amount(aspect, key, value)? });
        }
        limits.sort_by(|a, b| (&a.function, a.aspect).cmp(&(&b.function, b.aspect)));
        Ok(Budget { limits })
    }

    /// Explains each budget, and how functions are named.
    #[must_use]
    pub fn explain() -> String {
        let mut lines = vec![
            "A budget file is TOML with any of these keys; what is not named is not limited.".to_owned(),
            String::new(),
        ];
        lines.extend(WORDS.iter().map(|words| format!("{}: {}.", words.key, words.counts)));
        let own = known(|words| words.of_function);
        lines.extend([
            String::new(),
            format!("[functions.\"net.forward\"]: the same for one function: {own}."),
            "  A function is named as in Python, after as much of its file's path as needed: \"forward\" is any function \
             of that name, \"net.forward\" one of net.py, \"model.net.forward\" one of model/net.py, \"Net.forward\" that of \
             a class as findings name it. * matches any text. A budget of a function that was not compiled matches nothing, \
             and says so. \
             A graph break counts towards the function that has it and towards those that were being compiled."
                .to_owned(),
            String::new(),
            "Each log, and each rank of a job, is checked on its own. What several ranks share is listed once."
                .to_owned(),
            "Items in a baseline do not count towards graph_breaks, recompiles_per_function, failures and \
             findings. Without a budget file, a baseline allows nothing new of these four."
                .to_owned(),
            "Without a budget file and without a baseline, failures = 0 is checked and nothing else.".to_owned(),
        ]);
        lines.join("\n")
    }
}

/// `graph_breaks, failures, ..`
fn known(key: fn(&BudgetWords) -> Option<&'static str>) -> String {
    WORDS.iter().filter_map(key).collect::<Vec<_>>().join(", ")
}

/// `{"net.forward" = {graph_breaks = 0}}`
fn function_limits(value: &Value) -> anyhow::Result<Vec<Limit>> {
    let wanted = "functions needs a table per function: [functions.\"NAME\"]";
    let mut limits = Vec::new();
    for (function, table) in value.as_table().context(wanted)? {
        for (key, value) in table.as_table().context(wanted)? {
            let found = WORDS.iter().find(|words| words.of_function == Some(key.as_str()));
            let Some(&BudgetWords { aspect, .. }) = found else {
                let own = known(|words| words.of_function);
                bail!("unknown budget {key:?} of the function {function:?}; known are {own}");
            };
            let most = amount(aspect, key, value)?;
            limits.push(Limit { aspect, function: Some(function.clone()), most });
        }
    }
    Ok(limits)
}

fn amount(aspect: Aspect, key: &str, value: &Value) -> anyhow::Result<f64> {
    let number = match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) if aspect == Aspect::CompileTime => Some(*number),
        _ => None,
    };
    let wanted = if aspect == Aspect::CompileTime { "a number of seconds" } else { "a whole number" };
    match number.filter(|number| number.is_finite() && *number >= 0.0) {
        Some(number) => Ok(number),
        None => bail!("{key} = {value} is not a budget; it must be {wanted}, 0 or more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_file_limits_what_it_names_and_nothing_else() {
        let text = "failures = 0\ncompile_seconds = 1.5\n[functions.\"net.forward\"]\nrecompiles = 2\n";
        let budget = Budget::parse(text).unwrap();
        let limits: Vec<(String, f64)> =
            budget.limits.iter().map(|limit| (limit.name(), limit.most)).collect();
        let expected =
            [("failures", 0.0), ("compile_seconds", 1.5), ("functions.\"net.forward\".recompiles", 2.0)];
        assert_eq!(limits, expected.map(|(name, most)| (name.to_owned(), most)));
        assert!(Budget::parse("").unwrap().limits.is_empty());
    }

    #[test]
    fn the_error_on_an_unknown_key_lists_the_known_ones() {
        let error = |text: &str| Budget::parse(text).unwrap_err().to_string();
        let unknown = error("graph_break = 0");
        assert!(
            unknown.contains("\"graph_break\"") && unknown.contains("graph_breaks, recompiles_per_function")
        );
        let of_function = error("[functions.f]\nfindings = 0");
        assert!(of_function.contains("graph_breaks, recompiles, failures"), "{of_function}");
        assert!(error("[functions]\nf = 1").contains("[functions.\"NAME\"]"));
    }

    #[test]
    fn an_amount_is_a_whole_number_or_seconds_and_never_negative() {
        for text in ["failures = -1", "failures = 0.5", "failures = \"0\"", "compile_seconds = nan"] {
            let error = Budget::parse(text).unwrap_err().to_string();
            assert!(error.contains("0 or more"), "{error}");
        }
        assert!(Budget::parse("failures 0").unwrap_err().to_string().contains("not TOML"));
    }
}
