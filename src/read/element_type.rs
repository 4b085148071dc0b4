//! Types of the elements of a tensor.

/// Bytes per element of a type; None for anything else. Knows the names of the profiler (`c10::Half`), torch
/// (`torch.float32`), graphs (`bf16`), C++ (`int64_t`) and Triton (`fp32`).
pub fn element_bytes(name: &str) -> Option<f64> {
    let name = ["c10::", "at::", "torch."].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    let bytes = match name.trim() {
        "complex<double>" => 16.0,
        "double" | "long int" | "long" | "unsigned long" | "complex<float>" => 8.0,
        "float" | "int" | "unsigned int" | "complex<Half>" => 4.0,
        "Half" | "half" | "BFloat16" | "bfloat16" | "short int" | "short" | "unsigned short" => 2.0,
        "bool" | "signed char" | "unsigned char" | "char" => 1.0,
        other => {
            let sized = other.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let kind = other.strip_suffix(sized)?.to_ascii_lowercase();
            let end = sized.find(|c: char| !c.is_ascii_digit()).unwrap_or(sized.len());
            let bits: f64 = sized.get(..end)?.parse().ok()?;
            SIZED_TYPES.contains(&kind.as_str()).then_some((bits / 8.0).max(1.0))?
        }
    };
    Some(bytes)
}

/// Names of types that are followed by their number of bits.
const SIZED_TYPES: [&str; 13] =
    ["b", "bf", "c", "complex", "f", "float", "fp", "i", "int", "qint", "quint", "u", "uint"];
