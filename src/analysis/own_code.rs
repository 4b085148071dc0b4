//! Tells the user's own code from libraries.

use crate::model::words::{cache_folder, file_name, lines_of};
use crate::model::{Function, Model};
use crate::trace::{TextMap, TextSet};
use std::borrow::Cow;
use std::sync::LazyLock;

pub use crate::model::words::{PACKAGES, resumed};

/// Packages of torch, to recognize files of a torch that was built in place.
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

/// Whether a file belongs to torch, another installed package or Python itself, or is code that Inductor generated: not to
/// the user's program.
pub fn is_library(path: &str) -> bool {
    let path = with_slashes(path);
    path.starts_with("<frozen")
        || PACKAGES.iter().any(|folder| path.contains(folder))
        || in_torch(&path)
        || path.contains("/lib/python3")
        || path.contains("/lib64/python3")
        || cache_folder(&path).is_some()
}

/// Whether a path that torch has shortened begins with a folder of torch: `nn/modules/linear.py`.
pub fn is_within_torch(path: &str) -> bool {
    WITHIN_TORCH.contains(&path.split('/').next().unwrap_or(path))
}

/// The path with slashes, also on Windows.
fn with_slashes(path: &str) -> Cow<'_, str> {
    if path.contains('\\') { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) }
}

/// Whether a path has a folder of torch's packages. One search rules out nearly all paths.
fn in_torch(path: &str) -> bool {
    path.contains("/torch/") && TORCH.iter().any(|folder| path.contains(folder))
}

/// Whether a file is torch's own.
pub fn is_torch(path: &str) -> bool {
    let path = with_slashes(path);
    let installed = PACKAGES.iter().any(|folder| path.contains(&format!("{folder}torch/")));
    let elsewhere = || in_torch(&path);
    installed || (!PACKAGES.iter().any(|folder| path.contains(folder)) && elsewhere())
}

/// Whether a file is in Python's standard library.
pub fn is_python(path: &str) -> bool {
    let path = with_slashes(path);
    let standard =
        path.contains("/lib/python3") || path.contains("/lib64/python3") || path.starts_with("<frozen");
    standard && !PACKAGES.iter().any(|folder| path.contains(folder))
}

/// Names of functions that libraries put around the one that users know.
const WRAPPERS: [&str; 10] = [
    "_call_impl",
    "_fn",
    "_wrapped_call_impl",
    "compile_wrapper",
    "decorate_context",
    "decorated",
    "inner",
    "wrapped",
    "wrapper",
    "wrapper_function",
];

/// Whether a function of a library only calls another one, so that the place of its call says what it is.
pub fn is_wrapper(function: &Function) -> bool {
    let name = resumed(&function.name).map_or(function.name.as_str(), |(name, _)| name);
    function.file.as_deref().is_some_and(|file| calls_only(name, file))
}

/// The same by its name and its file.
pub fn calls_only(name: &str, file: &str) -> bool {
    WRAPPERS.contains(&name) && is_library(file)
}

/// The user's files in the log. torch writes only the end of the path of a guard's origin; for its own files, the path
/// within the package.
pub struct OwnFiles {
    /// Names of the user's files.
    own: TextSet<String>,
    /// Paths of libraries by name.
    libraries: TextMap<String, Vec<String>>,
}

/// Folders and files at the beginning of origins within torch.
static WITHIN_TORCH: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("own_code.txt")));

impl OwnFiles {
    /// Reads the files that the log names.
    pub fn of(model: &Model) -> Self {
        let mut files = OwnFiles { own: TextSet::default(), libraries: TextMap::default() };
        let functions = model.compiles.iter().filter_map(|c| c.function.as_ref()?.file.as_deref());
        for path in model.strings.table().map(|(_, text)| text).chain(functions) {
            let name = file_name(path).to_owned();
            if is_library(path) {
                files.libraries.entry(name).or_default().push(format!("/{}", path.replace('\\', "/")));
            } else {
                files.own.insert(name);
            }
        }
        for paths in files.libraries.values_mut() {
            paths.sort_unstable();
            paths.dedup();
        }
        files
    }

    /// The file and line of an origin such as `app/ex.py:21 in f` if it is the user's; the file is None if it is the file of
    /// the compiled function.
    pub fn line<'o>(&self, origin: &'o str, function: Option<&str>) -> Option<(Option<&'o str>, &'o str)> {
        let place = origin.split(" in ").next().unwrap_or(origin);
        let (path, line) = place.rsplit_once(':')?;
        if function.is_some_and(|file| file_name(file) == file_name(path)) {
            return Some((None, line));
        }
        self.is_own(path).then_some((Some(path), line))
    }

    /// Whether the path of an origin is that of one of the user's files.
    pub fn is_own(&self, path: &str) -> bool {
        self.own.contains(file_name(path)) || !self.is_library(path)
    }

    fn is_library(&self, path: &str) -> bool {
        let end = format!("/{path}");
        let known = self.libraries.get(file_name(path));
        is_library(path)
            || is_within_torch(path)
            || known.is_some_and(|paths| paths.iter().any(|path| path.ends_with(&end)))
    }
}
