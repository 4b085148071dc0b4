//! What is the reader's own code and what is a library's.

/// Folders of installed packages: what follows them identifies a file.
pub const PACKAGES: [&str; 2] = ["/site-packages/", "/dist-packages/"];

/// Packages of torch, to know a file of a torch that was built in place.
pub const TORCH: [&str; 12] = [
    "/torch/_dynamo/",
    "/torch/_inductor/",
    "/torch/_functorch/",
    "/torch/_higher_order_ops/",
    "/torch/autograd/",
    "/torch/distributed/",
    "/torch/export/",
    "/torch/fx/",
    "/torch/multiprocessing/",
    "/torch/nn/",
    "/torch/optim/",
    "/torch/utils/",
];

/// Whether a file belongs to torch, to another installed package or to Python itself, not to the reader's program.
pub fn is_library(path: &str) -> bool {
    let path = path.replace('\\', "/");
    path.starts_with("<frozen")
        || PACKAGES.iter().chain(&TORCH).any(|p| path.contains(p))
        || path.contains("/lib/python3")
        || path.contains("/lib64/python3")
}

/// The function that a resume function continues, and the line: `torch_dynamo_resume_in_f_at_9` is `f`, 9.
pub fn resumed(name: &str) -> Option<(&str, &str)> {
    let (function, line) = name.strip_prefix("torch_dynamo_resume_in_")?.rsplit_once("_at_")?;
    (!function.is_empty() && line.bytes().all(|b| b.is_ascii_digit())).then_some((function, line))
}
