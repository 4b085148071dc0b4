//! C++ wrappers, which torch writes for models that are built ahead of time and with `cpp_wrapper`. Each statement is turned
//! into the Python statement that does the same, so that one reader understands both.

use crate::limits::SAME_NAME;
use crate::read::source_text::{arguments, last_word};
use crate::trace::TextMap;

/// A call that occurs only in C++ wrappers.
const MARK: &str = "AOTI_TORCH_ERROR_CODE_CHECK(";

/// Functions that return the tensor that they are given.
const AROUND: [&str; 3] =
    ["wrap_with_raii_handle_if_needed", "convert_arrayref_tensor_to_tensor", "std::move"];

/// Lists of numbers that the wrapper names, as tuples: `int_array_0` and `(6, 9)`.
#[derive(Debug, Default)]
pub struct CppStatements {
    arrays: TextMap<String, String>,
}

/// Whether a wrapper contains C++.
pub fn is_cpp(code: &str) -> bool {
    code.contains(MARK)
}

impl CppStatements {
    /// The Python form of a C++ statement that creates, views or checks a tensor. None for any other statement; the
    /// definition of an array is remembered.
    pub fn in_python(&mut self, text: &str) -> Option<String> {
        let text = text.trim_end_matches(';');
        if let Some((head, list)) = text.split_once("[] = {") {
            let name = last_word(head);
            let tuple = numbers(list.trim_end_matches('}'));
            self.arrays.insert(name.to_owned(), tuple);
            return None;
        }
        if let Some((_, rest)) = text.split_once("aoti_torch_empty_strided(") {
            return self.empty_strided(rest);
        }
        if let Some(rest) = text.strip_prefix("assert_size_stride(") {
            let parts: Vec<String> = arguments(rest).into_iter().map(|part| self.plain(part)).collect();
            return Some(format!("assert_size_stride({})", parts.join(", ")));
        }
        let declared = ["auto ", "RAIIAtenTensorHandle "].iter().find_map(|kind| text.strip_prefix(kind));
        if let Some((name, value)) = declared.and_then(|rest| rest.split_once(" = ")) {
            let value = value.split(';').next().unwrap_or_default();
            return Some(format!("{name} = {}", self.plain(value)));
        }
        None
    }

    /// The Python form of the C++ statement that calls a kernel; None if the statement does not call it.
    pub fn call_in_python(&self, text: &str, kernel: &str) -> Option<String> {
        let at = text.find(kernel)? + kernel.len();
        let rest = text.get(at..)?.strip_prefix('(')?;
        let parts: Vec<String> = arguments(rest).into_iter().map(|part| self.plain(part)).collect();
        Some(format!("{kernel}({})", parts.join(", ")))
    }

    /// `3, int_array_0, int_array_1, cached_torch_dtype_float32, .., &buf0_handle))`
    fn empty_strided(&self, rest: &str) -> Option<String> {
        let parts = arguments(rest);
        let [_, sizes, strides, kind, .., handle] = parts.as_slice() else { return None };
        let name = handle.strip_prefix('&')?.strip_suffix("_handle")?;
        let kind = kind.strip_prefix("cached_torch_dtype_")?;
        Some(format!("{name} = empty_strided({}, {}, torch.{kind})", self.plain(sizes), self.plain(strides)))
    }

    /// An argument without its casts and without the functions of `AROUND`, with lists as tuples.
    fn plain(&self, argument: &str) -> String {
        self.plain_within(argument, SAME_NAME)
    }

    /// The same for a nested argument; `deeper` is how many more levels are unwrapped.
    fn plain_within(&self, argument: &str, deeper: usize) -> String {
        let Some(deeper) = deeper.checked_sub(1) else { return argument.to_owned() };
        let mut text = argument.trim();
        if let Some(list) = text.strip_prefix('{') {
            return numbers(list.trim_end_matches('}'));
        }
        if let Some(tuple) = self.arrays.get(text) {
            return tuple.clone();
        }
        text = text.strip_suffix(".data_ptr()").unwrap_or(text);
        if let Some((cast, inner)) = text.strip_prefix('(').and_then(|rest| rest.split_once(")("))
            && cast.ends_with('*')
        {
            return self.plain_within(inner.strip_suffix(')').unwrap_or(inner), deeper);
        }
        for function in AROUND {
            if let Some(inner) = text.strip_prefix(function).and_then(|rest| rest.strip_prefix('(')) {
                return self.plain_within(inner.strip_suffix(')').unwrap_or(inner), deeper);
            }
        }
        if let Some(rest) = text.strip_prefix("reinterpret_tensor_wrapper(") {
            let parts = arguments(rest);
            if let [base, _, sizes, strides, offset] = parts.as_slice() {
                let [base, sizes, strides] =
                    [base, sizes, strides].map(|part| self.plain_within(part, deeper));
                return format!(
                    "reinterpret_tensor({base}, {sizes}, {strides}, {})",
                    offset.trim_end_matches('L')
                );
            }
        }
        text.to_owned()
    }
}

/// `6L, 9L` as `(6, 9, )`.
fn numbers(list: &str) -> String {
    let all = list.split(',').map(|number| number.trim().trim_end_matches('L'));
    let all: Vec<&str> = all.filter(|number| !number.is_empty()).collect();
    format!("({}, )", all.join(", "))
}
