//! Pseudonyms: each name of the log becomes a letter or a word and a number, in the order in which names are met.

use super::operators;
use crate::trace::TextMap;
use serde_json::Value;

/// How torch calls the part of a function behind a graph break: this, the function, `_at_`, the line.
pub const RESUMED: &str = "torch_dynamo_resume_in_";

/// Names that Python gives to what has none.
const UNNAMED: [&str; 6] = ["<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"];

/// Where torch's own files stand in an installation.
const TORCH_FOLDERS: [&str; 2] = ["/site-packages/torch/", "/dist-packages/torch/"];

/// The pseudonyms of a report.
#[derive(Default)]
pub struct Names {
    functions: Numbered,
    files: Numbered,
    kernels: Numbered,
    others: Numbered,
}

/// Names with their numbers, from 1.
#[derive(Default)]
struct Numbered(TextMap<String, usize>);

impl Numbered {
    fn of(&mut self, name: &str) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

impl Names {
    /// `f1`; a function that goes on after a graph break stays one: `torch_dynamo_resume_in_f1_at_7`.
    pub fn function(&mut self, name: &Value) -> Value {
        let Some(name) = name.as_str() else { return Value::Null };
        self.function_named(name).into()
    }

    fn function_named(&mut self, name: &str) -> String {
        if UNNAMED.contains(&name) {
            return name.to_owned();
        }
        let resumed = name.strip_prefix(RESUMED).and_then(|rest| rest.rsplit_once("_at_"));
        match resumed.filter(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())) {
            // The name within may be that of a resumed function, too; torch does not nest them deeply.
            Some((inner, line)) if !inner.starts_with(RESUMED) => {
                format!("{RESUMED}{}_at_{line}", self.function_named(inner))
            }
            _ => format!("f{}", self.functions.of(name)),
        }
    }

    /// `file1`; torch's own files keep their names.
    pub fn file(&mut self, path: &Value) -> Value {
        let Some(path) = path.as_str() else { return Value::Null };
        let of_torch = TORCH_FOLDERS.iter().find_map(|folder| path.split_once(folder)).map(|(_, rest)| rest);
        let is_plain = |rest: &str| {
            rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'.'))
                && rest.ends_with(".py")
                && !rest.contains("..")
        };
        match of_torch.filter(|rest| is_plain(rest)) {
            Some(rest) => format!("torch/{rest}").into(),
            None => format!("file{}", self.files.of(path)).into(),
        }
    }

    /// `triton_poi_fused_add_mul_3` where each operator in the name is torch's own, else `kernel1`.
    pub fn kernel(&mut self, name: &str) -> String {
        operators::kernel(name).unwrap_or_else(|| format!("kernel{}", self.kernels.of(name)))
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
        format!("name{}", self.others.of(name))
    }

    /// How many functions and files have a pseudonym.
    pub fn counts(&self) -> (usize, usize) {
        (self.functions.0.len(), self.files.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_equal_pseudonyms_and_resumed_functions_stay_resumed() {
        let mut names = Names::default();
        let mut function = |name: &str| names.function(&name.into());
        assert_eq!(function("forward"), "f1");
        assert_eq!(function("torch_dynamo_resume_in_forward_at_81"), "torch_dynamo_resume_in_f1_at_81");
        assert_eq!(function("loss"), "f2");
        assert_eq!(function("forward"), "f1");
        assert_eq!(function("<lambda>"), "<lambda>");
        assert_eq!(function("torch_dynamo_resume_in_secret_at_home"), "f3");
        assert_eq!(names.function(&Value::Null), Value::Null);
    }

    #[test]
    fn only_torchs_own_files_keep_their_names() {
        let mut names = Names::default();
        let mut file = |path: &str| names.file(&path.into());
        assert_eq!(
            file("/v/lib/python3.11/site-packages/torch/nn/modules/linear.py"),
            "torch/nn/modules/linear.py"
        );
        for (number, path) in (1..).zip([
            "/home/me/secret.py",
            "/home/me/torch/secret.py",
            "/v/site-packages/transformers/models/x.py",
            "/v/site-packages/torch/../secret.py",
            "/v/site-packages/torch/my secret.py",
        ]) {
            assert_eq!(file(path), format!("file{number}"), "{path}");
        }
    }
}
