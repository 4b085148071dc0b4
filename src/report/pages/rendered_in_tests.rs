//! Pages of a log made up by a test.

use crate::events::{Registry, read_log};
use crate::output::{Body, Page};
use crate::report::kit::templates::Worker;
use crate::report::subject::{Report, Settings};
use crate::trace::Source;
use std::io::Write as _;
use std::num::NonZeroUsize;

/// The pages that `pages` makes of a log, with their paths.
pub(crate) fn rendered(
    log: &str,
    settings: &Settings,
    pages: for<'m> fn(Report<'m>) -> Vec<Page<'m, Worker>>,
) -> Vec<(String, String)> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(log.as_bytes()).unwrap();
    let source = Source::open(file.path(), crate::trace::Limit::default()).unwrap();
    let own = crate::report::is_own_path;
    let model = read_log(&source, &Registry::default(), None, NonZeroUsize::MIN, &|_| {}, own).unwrap();
    let found =
        crate::analysis::of_log(&model, None, &crate::analysis::GuardTexts::default(), NonZeroUsize::MIN);
    let cached = crate::report::Cached::default();
    let report = crate::report::on(
        &model,
        &found,
        &source,
        (settings, crate::report::Around::nothing()),
        &[],
        &cached,
    );
    let mut worker = Worker::new();
    let rendered = pages(report).into_iter().map(|page| {
        let Body::Write(render) = page.body else { panic!("{} is not rendered", page.path) };
        let mut out = Vec::new();
        render(&mut worker, &mut out).unwrap();
        (page.path.to_string(), String::from_utf8(out).unwrap())
    });
    rendered.collect()
}
