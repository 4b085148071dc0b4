//! Cards that show what to do: the lines to write, what they gain, and under which versions of torch they were tried.

use crate::analysis::findings::{Advice, Proof};
use crate::report::kit::copy::copy_button;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, stacked};
use crate::report::kit::record_files::record_files;
use crate::report::kit::view::View;
use serde::Serialize;

/// What a card shows.
#[derive(Serialize)]
struct FixCard {
    /// What to do.
    text: Html,
    /// The lines to write, with a button that copies them.
    code: Option<Html>,
    /// What it gains.
    promise: Option<Html>,
    /// What in the log shows that it helps.
    because: Option<Html>,
    /// The record that proves it.
    proof: Option<Html>,
    /// Versions of torch.
    tried: Option<String>,
}

impl View<'_> {
    /// What to do: a card where the lines to write or a promise are known, else a sentence.
    pub fn fix_card(&self, advice: &Advice) -> anyhow::Result<Html> {
        if advice.code.is_none() && advice.promise.is_none() && advice.tried.is_none() {
            return Ok(self.advice(&advice.text));
        }
        self.render(
            "fix_card",
            &FixCard {
                // The lines to write have a button that copies them; code within the sentence needs none then.
                text: match advice.code {
                    Some(_) => self.prose(&advice.text),
                    None => self.advice(&advice.text),
                },
                code: advice.code.as_deref().map(lines_to_write),
                promise: advice.promise.as_deref().map(|text| self.prose(text)),
                because: advice.because.as_deref().map(|text| self.prose(text)),
                proof: advice.proof.and_then(|proof| self.proof(proof)),
                tried: advice.tried.map(|tried| tried.to_string()),
            },
        )
    }

    /// A link to the record that proves that an advice helps.
    fn proof(&self, proof: Proof) -> Option<Html> {
        let records = record_files(self.report, &[proof.compile], &[proof.record]);
        Some(self.record(records.last()?))
    }

    /// What to do, for pages of which a report has many and that do without the style of cards: the sentence and the lines to
    /// write.
    pub fn short_fix(&self, advice: &Advice) -> Html {
        let code = advice.code.as_deref().filter(|code| !advice.text.contains(code));
        let lines = code.map(|code| self.command(code));
        stacked([self.advice(&advice.text)].into_iter().chain(lines))
    }
}

fn lines_to_write(code: &str) -> Html {
    Html::joined([Element::new("pre").attribute("tabindex", "0").around(code), copy_button(code)], "")
}
