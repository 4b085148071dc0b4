//! Anchors of source lines and kernels on a page of provenance, made from the numbers in the panes.

use crate::analysis::provenance::Provenance;
use crate::trace::TextMap;

/// The anchors of source lines, in order: `source-19`. If two files have a line 19, the second is `source-19-2`.
pub(crate) fn source_anchors(found: &Provenance) -> Vec<String> {
    numbered("source", found.source.iter().map(|line| line.line.to_string()))
}

/// The anchors of kernel calls, in order: by handle (`kernels-2`), or else by line of the code.
pub(crate) fn kernel_anchors(found: &Provenance) -> Vec<String> {
    let is_number = |text: &&String| text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = found.kernels.iter().map(|call| {
        let handle = call.handle.as_ref().filter(is_number);
        handle.cloned().unwrap_or_else(|| call.line.to_string())
    });
    numbered("kernels", numbers)
}

fn numbered(text: &str, numbers: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: TextMap<String, usize> = TextMap::default();
    let anchor = |number: String| {
        let times = seen.entry(number.clone()).or_insert(0);
        *times += 1;
        match *times {
            1 => format!("{text}-{number}"),
            again => format!("{text}-{number}-{again}"),
        }
    };
    numbers.map(anchor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_comes_again_is_counted() {
        let numbers = ["4", "7", "4"].map(str::to_owned);
        assert_eq!(numbered("source", numbers.into_iter()), ["source-4", "source-7", "source-4-2"]);
    }
}
