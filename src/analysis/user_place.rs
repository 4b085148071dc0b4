//! Places in the user's program: from frames, and from what a compile says about its function.

use super::own_code::{is_library, is_wrapper};
use crate::model::{Compile, CompileIndex, Frame, Model, Specialization, TextFrame};

/// A place in the user's program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct UserPlace {
    /// File, as in the log.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u64>,
    /// Text of that line, if the log has it.
    pub loc: Option<String>,
    pub function: Option<String>,
}

impl UserPlace {
    pub(super) fn of_frame(frame: &TextFrame) -> UserPlace {
        UserPlace {
            file: Some(frame.file.clone()),
            line: Some(frame.line),
            loc: frame.loc.clone(),
            function: Some(frame.function.clone()),
        }
    }

    /// A line of a file, without its text.
    pub(super) fn of_line(file: Option<&String>, line: Option<u64>) -> UserPlace {
        UserPlace { file: file.cloned(), line, ..UserPlace::default() }
    }

    /// Where the function of a compile is defined, or called if that is a wrapper of a library; empty if the log does not say.
    pub(super) fn of_definition(model: &Model, compile: CompileIndex) -> UserPlace {
        let called = || UserPlace::of_caller(model, model.compiles.get(compile)?);
        let function = model.compiles.get(compile).and_then(|compile| compile.function.as_ref());
        if let Some(place) = function.filter(|function| is_wrapper(function)).and_then(|_| called()) {
            return place;
        }
        function.map_or_else(UserPlace::default, |function| UserPlace {
            file: function.file.clone(),
            line: function.line,
            loc: None,
            function: Some(function.name.clone()),
        })
    }

    /// Where the user calls the function of a compile if it is a library's, else where it is defined.
    pub(super) fn of_call(model: &Model, compile: CompileIndex) -> UserPlace {
        let place = UserPlace::of_definition(model, compile);
        let called = || UserPlace::of_caller(model, model.compiles.get(compile)?);
        if place.file.as_deref().is_none_or(is_library) { called().unwrap_or(place) } else { place }
    }

    /// The user's innermost line on the way to the function of a compile.
    pub(super) fn of_caller(model: &Model, compile: &Compile) -> Option<UserPlace> {
        own_frame(&text_frames(model, compile.stack.as_deref()?)).map(UserPlace::of_frame)
    }

    /// The user's line that needed a size as a number.
    pub(super) fn of_specialization(model: &Model, one: &Specialization) -> UserPlace {
        let frames = || one.user_stack.as_deref().map(|stack| text_frames(model, stack)).unwrap_or_default();
        let needed = needed_by(model, one.user_stack.as_deref(), one.stack.as_deref());
        needed.or_else(|| UserPlace::of_guard(model, one)).unwrap_or_else(|| match frames().last() {
            Some(frame) => UserPlace::of_frame(frame),
            None => UserPlace::of_definition(model, one.at.compile),
        })
    }

    /// The user's line of the guard that fixed a size: export records no line with what became a constant, but with the
    /// guard that made it one.
    fn of_guard(model: &Model, one: &Specialization) -> Option<UserPlace> {
        UserPlace::of_equality(model, one.at.compile, &one.symbol, &one.value)
    }

    /// The user's line that needed two sizes to be equal, in a compile.
    pub(super) fn of_equality(
        model: &Model,
        compile: CompileIndex,
        one: &str,
        other: &str,
    ) -> Option<UserPlace> {
        let expressions = [format!("Eq({one}, {other})"), format!("Eq({other}, {one})")];
        let guards = model.shapes.guards_with(compile, expressions).into_iter();
        let mut places =
            guards.map(|guard| needed_by(model, guard.user_stack.as_deref(), guard.stack.as_deref()));
        places.find_map(|place| place)
    }

    /// Whether a frame is at this file and line.
    pub fn is_of(&self, frame: &TextFrame) -> bool {
        self.file.as_ref() == Some(&frame.file) && self.line == Some(frame.line)
    }
}

/// The user's innermost line on the way to a fact about sizes. Functions of the user that torch runs while it traces, such as a
/// fake kernel, are in the stack of the record only.
fn needed_by(model: &Model, traced: Option<&[Frame]>, all: Option<&[Frame]>) -> Option<UserPlace> {
    let file = |frame: &Frame| model.strings.get(frame.file).unwrap_or("unknown file");
    let all = all.unwrap_or_default();
    let is_entry = |frame: &Frame| TRACING.iter().any(|entry| file(frame).ends_with(entry));
    // A backend of the user runs the graph, and its line needs no number.
    let in_backend = all.iter().any(|frame| frame.name.ends_with("call_user_compiler"));
    // Console output has only the innermost frames.
    let otherwise = if model.log.console.is_some() { 0 } else { all.len() };
    let run = all.get(all.iter().rposition(is_entry).unwrap_or(otherwise)..).filter(|_| !in_backend);
    let is_own = |frame: &&Frame| !is_library(file(frame)) && !is_without_file(file(frame));
    let innermost = |frames: &[Frame]| {
        let frame = frames.iter().rev().find(is_own)?;
        text_frames(model, std::slice::from_ref(frame)).first().map(UserPlace::of_frame)
    };
    run.and_then(innermost).or_else(|| traced.and_then(innermost))
}

/// Files of torch that trace a function.
const TRACING: [&str; 2] = ["_dynamo/convert_frame.py", "export/_trace.py"];

/// The user's innermost frame.
pub(super) fn own_frame(frames: &[TextFrame]) -> Option<&TextFrame> {
    frames.iter().rev().find(|frame| !is_library(&frame.file) && !is_without_file(&frame.file))
}

/// Frames of a record, as in a traceback.
pub(super) fn text_frames(model: &Model, stack: &[Frame]) -> Vec<TextFrame> {
    let text = |frame: &Frame| TextFrame {
        file: model.strings.get(frame.file).unwrap_or("unknown file").to_owned(),
        line: frame.line.unwrap_or(0),
        function: frame.name.to_string(),
        loc: frame.loc.as_ref().map(ToString::to_string),
    };
    stack.iter().map(text).collect()
}

/// Whether a frame is of code without a file, such as a generated method of a dataclass; cells of notebooks are the user's
/// code.
pub(super) fn is_without_file(file: &str) -> bool {
    file == "unknown file"
        || (file.starts_with('<') && !file.starts_with("<ipython-input") && file != "<stdin>")
}
