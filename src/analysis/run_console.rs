//! What the console of a run says, joined with its log: the exception that ended the program, and CUDA graphs.

use super::own_code::is_library;
use super::user_place::{UserPlace, own_frame};
use crate::limits::{IN_HEAD, QUOTE, SENTENCE};
use crate::model::words::{cache_folder, counted, file_line, file_name, headline, shortened};
use crate::model::{
    CompileIndex, ConsoleGraphs, Failure, Model, RaisedException, SeenObstacle, TextFrame, traceback,
};

/// Characters of a message beyond which its first sentence says enough.
const SHORT_SENTENCE: usize = 30;

/// An exception that the program raised while it ran, and what the log knows of it.
#[derive(Debug)]
pub struct Raised<'m> {
    pub exception: &'m RaisedException,
    /// The user's innermost line.
    pub place: UserPlace,
    /// The generated code that it came from, with its compile.
    pub generated: Option<(CompileIndex, &'m TextFrame)>,
    /// The failure of a compile that it is, where the log has that.
    pub failure: Option<&'m Failure>,
}

/// The exceptions on the console, in their order.
pub fn exceptions(model: &Model) -> impl Iterator<Item = Raised<'_>> {
    let all = model.console.iter().flat_map(|console| &console.exceptions);
    all.map(move |exception| Raised {
        exception,
        place: place_of_exception(exception),
        generated: exception
            .stack
            .iter()
            .rev()
            .find_map(|frame| Some((compile_of_code(model, frame)?, frame))),
        failure: model.failures.iter().rev().find(|failure| is_it(failure, exception)),
    })
}

/// The exception that the program ended with.
pub fn ended_with(model: &Model) -> Option<Raised<'_>> {
    exceptions(model).last().filter(|last| !last.exception.went_on)
}

impl Raised<'_> {
    /// The class without its module.
    pub fn class(&self) -> &str {
        self.exception.error.rsplit('.').next().unwrap_or_default()
    }

    /// The beginning of the message: what went wrong, without torch's general advice.
    pub fn message(&self) -> String {
        let line = headline(&self.exception.message);
        let line = line.strip_prefix("Error: ").unwrap_or(&line);
        let ends = line.match_indices(". ").map(|(at, _)| at).chain([line.len()]);
        let end = ends.into_iter().find(|end| *end >= SHORT_SENTENCE).unwrap_or(line.len());
        let text = line.get(..end).unwrap_or(line).trim_end_matches('.');
        shortened(text, SENTENCE).into_owned()
    }

    /// `OutOfMemoryError at g12_oom.py:9: CUDA out of memory. Tried to allocate 512.00 MiB`
    pub fn words(&self) -> String {
        let file = self.place.file.as_deref();
        let place = file.map(|file| format!(" at {}", file_line(file_name(file), self.place.line)));
        let message = Some(self.message()).filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
        format!("{}{}{}", self.class(), place.unwrap_or_default(), message.unwrap_or_default())
    }
}

/// The user's innermost line: of a compile that failed, the one that torch names in the message.
fn place_of_exception(exception: &RaisedException) -> UserPlace {
    let named = traceback(&exception.message);
    let own = own_frame(&named).or_else(|| own_frame(&exception.stack));
    own.map(UserPlace::of_frame).unwrap_or_default()
}

/// Whether a compile failed with an exception, and the log says so.
fn is_it(failure: &Failure, exception: &RaisedException) -> bool {
    let class = |text: &str| text.rsplit('.').next().map(str::to_owned);
    let reason = failure.reason.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    // For export, torch raises a violated constraint again as an error of the user.
    let is_violated =
        failure.error.ends_with("ConstraintViolationError") && exception.error.ends_with("UserError");
    (is_violated || class(&failure.error) == class(&exception.error))
        && reason.is_none_or(|line| exception.message.contains(line.trim()))
}

/// The compile whose generated code a frame is in.
fn compile_of_code(model: &Model, frame: &TextFrame) -> Option<CompileIndex> {
    cache_folder(&frame.file)?;
    let name = format!("inductor_output_code_{}", file_name(&frame.file).trim_end_matches(".py"));
    let has_it = |(_, compile): &(CompileIndex, &crate::model::Compile)| {
        compile.artifacts.iter().any(|artifact| *artifact.name == *name)
    };
    model.compiles.indexed().find(has_it).map(|(index, _)| index)
}

/// The user's innermost line of what torch says about CUDA graphs.
pub fn place_of(one: &SeenObstacle) -> UserPlace {
    let own = one.stack.iter().rev().find(|frame| !is_library(&frame.file));
    own.or(one.stack.last()).map(UserPlace::of_frame).unwrap_or_default()
}

/// What the console says of the CUDA graphs of a compile, in a few words each.
pub fn told(seen: &ConsoleGraphs) -> Vec<String> {
    let at = |one: &SeenObstacle| {
        let place = place_of(one);
        let file = place.file.map(|file| format!(", at {}", file_line(file_name(&file), place.line)));
        file.unwrap_or_default()
    };
    let mut told = Vec::new();
    if seen.other_parts > 0 {
        let parts = counted(seen.parts + seen.other_parts, "part", "parts");
        told.push(format!("{parts}, of which {} can be recorded", seen.parts));
    }
    let outside = seen.outside.iter().take(IN_HEAD);
    told.extend(outside.map(|one| match one.operator.is_empty() {
        true => format!("split by {}{}", shortened(&one.reason, QUOTE), at(one)),
        false => {
            format!("`{}` is not part of it ({}){}", shortened(&one.operator, QUOTE), one.reason, at(one))
        }
    }));
    let skipped = seen.skipped.iter().take(IN_HEAD);
    told.extend(skipped.map(|one| format!("skipped due to {}{}", shortened(&one.reason, SENTENCE), at(one))));
    if seen.recordings > 0 {
        let sizes = match seen.sizes.len() {
            0 => String::new(),
            sizes => format!(", for {}", counted(sizes, "size", "sizes")),
        };
        told.push(format!("recorded {}{sizes}", counted(seen.recordings, "time", "times")));
    }
    let again = seen.again.iter().take(IN_HEAD);
    told.extend(again.map(|reason| format!("recorded again: {}", shortened(reason, SENTENCE))));
    told
}
