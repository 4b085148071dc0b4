//! Links to the files of a module.

use crate::model::CompileIndex;
use crate::report::kit::formats::UNKNOWN;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, small, span};
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::report::words::files::short_name;

/// A link to a file with its number.
pub(crate) fn file(view: View<'_>, compile: CompileIndex, at: usize) -> Html {
    let compile = view.report.model.compiles.get(compile);
    let Some((compile, artifact)) = compile.and_then(|c| Some((c, c.artifacts.get(at)?))) else {
        return Html::escaped(UNKNOWN);
    };
    let href = view.href(&paths::artifact(compile, artifact, view.report.settings));
    let link = view.link(&href, &short_name(&artifact.name));
    let mut pieces = vec![link, small(artifact.number.to_string())];
    if matches!(&artifact.content, crate::model::Content::Payload(at, _) if !at.intact) {
        pieces.push(span("err", "damaged"));
    }
    Element::new("span").around(Html::joined(pieces, " "))
}
