//! Descriptions of tensors in report.json, read back: `float32[8,16]/[16,1]`.

use crate::model::{TensorFact, Texts};

/// An operation and what it returns: `mm: float32[8,8]/[8,1], float32[8]/[1]`.
pub(super) fn outputs<'t>(texts: &mut Texts, operation: &'t str) -> (&'t str, Vec<TensorFact>) {
    // Names of operators may hold colons; descriptions of tensors have none.
    let (name, outputs) = operation.rsplit_once(": ").unwrap_or((operation, ""));
    let outputs = outputs.split(", ").filter(|output| !output.is_empty());
    (name, outputs.map(|output| tensor(texts, output)).collect())
}

/// `float32[8,16]/[16,1]`; a text of another form is kept whole.
fn tensor(texts: &mut Texts, text: &str) -> TensorFact {
    let parts = text.split_once("]/[").and_then(|(before, strides)| {
        let (dtype, sizes) = before.split_once('[')?;
        Some((dtype, format!("[{sizes}]"), format!("[{strides}")))
    });
    match parts {
        Some((dtype, sizes, strides)) => TensorFact {
            dtype: texts.add(dtype),
            sizes: Some(texts.add(&sizes)),
            strides: Some(texts.add(&strides)),
        },
        None => TensorFact { dtype: texts.add(text), sizes: None, strides: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_into_its_parts_and_shown_as_it_was() {
        let mut texts = Texts::default();
        for text in ["float32[8,16]/[16,1]", "?[]/[]", "float16[s0//2]/[1]", "something else"] {
            let tensor = tensor(&mut texts, text);
            assert_eq!(tensor.text(&texts), text);
        }
        let (name, outputs) = outputs(&mut texts, "ns::mm: f: float32[s0//2,8]/[8,1], ?[]/[]");
        assert_eq!((name, outputs.len()), ("ns::mm: f", 2));
        assert_eq!(outputs[0].without_strides(&texts), "float32[s0//2,8]");
    }
}
