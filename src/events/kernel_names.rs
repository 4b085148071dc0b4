//! The kernels that generated code defines, and the library's kernels that it calls: by name, without reading the code
//! as the pages of provenance do.

use crate::limits::{KEPT, LONG_LIST, SENTENCE};
use crate::model::UserKernel;
use crate::read::generated::kernel_bound;
use memchr::memmem::Finder;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a wrapper in Python calls kernels of a library by, in front of their names.
const LIBRARIES: [&str; 3] = ["extern_kernels.", "torch.ops.", "aten."];

/// What separates a name from its value: built once, as that takes longer than searching a line.
static ASSIGNED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" = "));

/// What precedes the definition of a kernel that the user wrote: `# Original path: /app/kernels.py:6`.
const USERS: &str = "# Original path: ";

#[derive(Debug, Default)]
pub(super) struct KernelsInCode<'t> {
    /// How often each is defined, or called where a library has it.
    pub counts: BTreeMap<&'t str, u64>,
    /// Triton kernels that the user wrote.
    pub of_user: Vec<UserKernel>,
}

pub(super) fn kernels_of(code: &str) -> KernelsInCode<'_> {
    let mut found = KernelsInCode::default();
    let mut body: Option<&str> = None;
    let mut above = "";
    for line in code.lines() {
        if let Some(end) = body {
            // The source of a kernel names nothing that the wrapper calls.
            body = Some(end).filter(|end| !line.starts_with(end));
            continue;
        }
        if let Some((name, value)) = kernel_bound(line) {
            body = ["'''", "\"\"\""].into_iter().find(|quotes| value.matches(quotes).count() == 1);
            count(&mut found.counts, name);
            let original = above.trim_start().strip_prefix(USERS);
            let of_user = original.and_then(|place| user_kernel(value, place));
            found.of_user.extend(of_user.filter(|_| found.of_user.len() < LONG_LIST));
        } else if let Some(name) = called(line) {
            count(&mut found.counts, name);
        }
        above = line;
    }
    found
}

/// A kernel of the user from its definition, `triton('swiglu', ..`, and the place in the line above.
fn user_kernel(value: &str, place: &str) -> Option<UserKernel> {
    let (file, line) = place.rsplit_once(':')?;
    let name = value.strip_prefix("triton('")?.split('\'').next().filter(|name| name.len() <= SENTENCE)?;
    Some(UserKernel { name: name.to_owned(), file: file.to_owned(), line: line.trim().parse().ok()? })
}

fn count<'t>(kernels: &mut BTreeMap<&'t str, u64>, name: &'t str) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    if name.is_empty() || name.len() > SENTENCE || !name.chars().all(is_name) {
        return;
    }
    if let Some(known) = kernels.get_mut(name) {
        *known += 1;
    } else if kernels.len() < KEPT {
        kernels.insert(name, 1);
    }
}

/// `extern_kernels.mm` of a line that calls it.
fn called(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if line.starts_with('#') {
        return None;
    }
    // A call begins a line or follows `buf0 = `.
    let call = ASSIGNED.find(line.as_bytes()).and_then(|at| line.get(at + 3..)).unwrap_or(line);
    LIBRARIES.iter().find(|library| call.starts_with(**library))?;
    call.split_once('(').map(|(name, _)| name)
}
