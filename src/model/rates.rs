//! FLOPs, bytes and their rates in words, with three digits and the unit at which they are read. Units are powers of ten, as
//! data sheets have them.

/// `12.3 TFLOP/s`, `340 GFLOP/s`.
pub fn flop_rate(tflops: f64) -> String {
    match tflops {
        rate if rate >= 1.0 => format!("{}\u{a0}TFLOP/s", digits(rate)),
        rate => format!("{}\u{a0}GFLOP/s", digits(rate * 1e3)),
    }
}

/// `51.6 GFLOP`, `8.39 MFLOP`.
pub fn flop_count(flops: f64) -> String {
    match flops {
        _ if flops >= 1e12 => format!("{}\u{a0}TFLOP", digits(flops / 1e12)),
        _ if flops >= 1e9 => format!("{}\u{a0}GFLOP", digits(flops / 1e9)),
        _ => format!("{}\u{a0}MFLOP", digits(flops / 1e6)),
    }
}

/// `74.5 MB`: powers of ten, as rates have them.
pub fn byte_count(bytes: f64) -> String {
    match bytes {
        _ if bytes >= 1e9 => format!("{}\u{a0}GB", digits(bytes / 1e9)),
        _ if bytes >= 1e6 => format!("{}\u{a0}MB", digits(bytes / 1e6)),
        _ if bytes >= 1e3 => format!("{}\u{a0}kB", digits(bytes / 1e3)),
        _ => format!("{bytes:.0}\u{a0}B"),
    }
}

/// `1.2 TB/s`, `340 GB/s`; these are powers of ten, as data sheets have them.
pub fn byte_rate(gbps: f64) -> String {
    match gbps {
        rate if rate >= 1e3 => format!("{}\u{a0}TB/s", digits(rate / 1e3)),
        rate => format!("{}\u{a0}GB/s", digits(rate)),
    }
}

/// Three digits, without an exponent.
fn digits(value: f64) -> String {
    match value {
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
