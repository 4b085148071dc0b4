//! The exception that ended the program, as its console shows it: at run time, so that the log does not have it.

use super::basis::Basis;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use super::rules::Told;
use crate::analysis::run_console::{Raised, ended_with};
use crate::model::sentence::{name, quoted, sentence};
use crate::model::words::file_name;
use crate::model::{Compile, NameOf};

pub(super) fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    // What a compile failed with has a finding of its own.
    let raised = ended_with(basis.model).filter(|raised| raised.failure.is_none());
    raised.iter().map(|raised| finding(basis, raised)).collect()
}

fn finding(basis: Basis<'_>, raised: &Raised<'_>) -> Finding {
    let model = basis.model;
    let message = raised.message();
    let why = (!message.is_empty()).then(|| sentence![": ", quoted(message)]);
    let title = sentence!["The program raised ", name(NameOf::Exception, raised.class()), why];
    let mut found = Finding::new(KindOfFinding::RunTimeError, Severity::Error, title);
    let told = Told::of_exception(raised.exception);
    let cause = told.cause();
    if let Some(cause) = &cause {
        found.detail = cause.explanation().map(str::to_owned);
        found.advise_all(cause.advice());
    }
    found.place = raised.place.clone();
    found.stack.clone_from(&raised.exception.stack);
    if let Some((compile, frame)) = raised.generated {
        found.compiles.push(compile);
        let label = model.compiles.get(compile).map(Compile::label).unwrap_or_default();
        let line = format!("the code generated for {label}, {}:{}", file_name(&frame.file), frame.line);
        found.fact("Raised in", Value::Prose(line));
        found.fact("Line of that code", Value::Code(frame.loc.clone().into_iter().collect()));
    }
    // The memory is that of the compile that uses CUDA graphs, whichever code read it.
    let is_of_cuda_graphs = cause.is_some_and(|cause| cause.is_of_cuda_graphs());
    if let ([only], true) = (basis.on_device.asked().as_slice(), is_of_cuda_graphs) {
        found.compiles = vec![*only];
    }
    found.fact("Message", Value::Prose(raised.exception.message.clone()));
    found
}
