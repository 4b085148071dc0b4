//! Pseudonyms: each name of the log becomes a letter or a word and a number, in the order in which names are met.

use super::operators;
use crate::trace::TextMap;
use std::sync::LazyLock;

/// How torch calls the part of a function behind a graph break: this, the function, `_at_`, the line.
const RESUMED: &str = "torch_dynamo_resume_in_";

/// Names that Python gives to what has none.
const UNNAMED: [&str; 6] = ["<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"];

/// Where torch's own files stand in an installation.
const TORCH_FOLDERS: [&str; 2] = ["/site-packages/torch/", "/dist-packages/torch/"];

/// One path a line below torch's folder, sorted; lines with `#` are comments.
const FILE_LIST: &str = include_str!("torch_files.txt");

pub(super) static FILES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| FILE_LIST.lines().filter(|line| !line.starts_with('#')).collect());

/// The pseudonyms of a report.
pub(crate) struct Names {
    is_phase: fn(&str) -> bool,
    functions: Numbered,
    files: Numbered,
    kernels: Numbered,
    others: Numbered,
}

/// Names with their numbers, from 1.
#[derive(Default)]
struct Numbered(TextMap<String, usize>);

impl Numbered {
    fn number_of(&mut self, name: &str) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

impl Names {
    /// No pseudonyms yet; `is_phase` knows the phases of torch's compiler.
    pub fn new(is_phase: fn(&str) -> bool) -> Names {
        let [functions, files, kernels, others] = [(); 4].map(|()| Numbered::default());
        Names { is_phase, functions, files, kernels, others }
    }

    /// `f1`; a function that goes on after a graph break stays one: `torch_dynamo_resume_in_f1_at_7`.
    pub fn function(&mut self, name: &str) -> String {
        if UNNAMED.contains(&name) {
            return name.to_owned();
        }
        let resumed = name.strip_prefix(RESUMED).and_then(|rest| rest.rsplit_once("_at_"));
        match resumed.filter(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())) {
            // The name within may be that of a resumed function, too; torch does not nest them deeply.
            Some((inner, line)) if !inner.starts_with(RESUMED) => {
                format!("{RESUMED}{}_at_{line}", self.function(inner))
            }
            _ => format!("f{}", self.functions.number_of(name)),
        }
    }

    /// `file1`; torch's own files keep their names.
    pub fn file(&mut self, path: &str) -> String {
        own_file(path)
            .map_or_else(|| format!("file{}", self.files.number_of(path)), |own| format!("torch/{own}"))
    }

    /// A phase of the compiler that torch has, else `name1`.
    pub fn phase(&mut self, name: &str) -> String {
        if (self.is_phase)(name) { name.to_owned() } else { self.other(name) }
    }

    /// Whether torch has this phase of the compiler.
    pub fn is_phase(&self, name: &str) -> bool {
        (self.is_phase)(name)
    }

    /// `triton_poi_fused_add_mul_3` where each operator in the name is torch's own, else `kernel1`.
    pub fn kernel(&mut self, name: &str) -> String {
        operators::kernel(name).unwrap_or_else(|| format!("kernel{}", self.kernels.number_of(name)))
    }

    /// The pseudonym of a function or a file that has one already; of a file, the name without its folder is enough.
    pub fn known(&self, name: &str) -> Option<String> {
        if let Some(number) = self.functions.0.get(name) {
            return Some(format!("f{number}"));
        }
        let (file, line) = match name.rsplit_once(':') {
            Some((file, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => {
                (file, format!(":{line}"))
            }
            _ => (name, String::new()),
        };
        let is_it = |path: &&String| *path == file || path.rsplit(['/', '\\']).next() == Some(file);
        let path = self.files.0.keys().filter(is_it).min_by_key(|path| self.files.0.get(*path))?;
        Some(format!("file{}{line}", self.files.0.get(path)?))
    }

    /// `name1`: any other text whose only use is that equal ones are equal.
    pub fn other(&mut self, name: &str) -> String {
        format!("name{}", self.others.number_of(name))
    }

    /// How many functions and files have a pseudonym.
    pub fn counts(&self) -> (usize, usize) {
        (self.functions.0.len(), self.files.0.len())
    }
}

/// The part of a path behind the folder of torch, if torch has a file there: forks and backends have files of their own.
fn own_file(path: &str) -> Option<&'static str> {
    let rest = TORCH_FOLDERS.iter().find_map(|folder| path.rsplit_once(folder)).map(|(_, rest)| rest)?;
    let at = FILES.binary_search(&rest).ok()?;
    FILES.get(at).copied()
}

/// `f1 resumed at 81` for `torch_dynamo_resume_in_f1_at_81`
pub(crate) fn in_words(name: &str) -> String {
    let resumed = name.strip_prefix(RESUMED).and_then(|rest| rest.rsplit_once("_at_"));
    resumed.map_or_else(|| name.to_owned(), |(function, line)| format!("{function} resumed at {line}"))
}
