//! Cards that show what to do: the line as a difference, what that gains, and what was tried under which versions of torch.

use crate::analysis::findings::{Advice, Proof, ReplacedLine};
use crate::report::kit::copy::copy_button;
use crate::report::kit::formats::first_sentence;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, fold, soft, strong};
use crate::report::kit::record_files::record_files;
use crate::report::kit::view::View;
use serde::Serialize;

/// What a card shows.
#[derive(Serialize)]
struct FixCard {
    /// What to do, in a sentence.
    what: Html,
    /// Further sentences.
    how: Option<Html>,
    /// Versions of torch.
    tried: Option<&'static str>,
    /// The line that goes and those that come.
    code: Option<Html>,
    /// What it gains, why that is believed, and a button that copies the lines.
    foot: Html,
}

impl View<'_> {
    /// What to do: a card where the lines to write or a promise are known, else a sentence.
    pub fn fix_card(&self, advice: &Advice) -> anyhow::Result<Html> {
        if !advice.has_card() {
            return Ok(self.advice(&advice.text));
        }
        // The lines to write have a button that copies them; code within a sentence needs none then.
        let prose = |text: &str| if advice.code.is_some() { self.prose(text) } else { self.advice(text) };
        let (what, how) = first_sentence(&advice.text);
        let card = FixCard {
            what: prose(what),
            how: (!how.is_empty()).then(|| prose(how)),
            tried: advice.tried.map(|tried| tried.on),
            code: advice.code.as_deref().map(|code| difference(code, advice.replaces.as_ref())),
            foot: self.foot(advice),
        };
        self.render("fix_card", &card)
    }

    fn foot(&self, advice: &Advice) -> Html {
        let outcome = advice.tried.filter(|tried| !tried.outcome.is_empty()).map(|tried| {
            let words = format!(
                "A program of a few lines with this cause, run before and after it: {}, under torch {}.",
                tried.outcome, tried.on
            );
            fold("what was tried", &Element::new("p").around(words))
        });
        let pieces = [
            advice.promise.as_deref().map(|text| strong(self.prose(text))),
            advice.because.as_deref().map(|text| soft(self.prose(text))),
            advice.proof.and_then(|proof| self.proof(proof)),
            outcome,
            advice.code.as_deref().map(copy_button),
        ];
        Html::joined(pieces.into_iter().flatten(), "\n")
    }

    /// A link to the record that proves that an advice helps.
    fn proof(&self, proof: Proof) -> Option<Html> {
        let records = record_files(self.report, &[proof.compile], &[proof.record]);
        Some(soft(Html::joined(["Evidence:".into(), self.record(records.last()?)], " ")))
    }
}

/// The line that goes in red, those that come in green; their signs and numbers are the style sheet's, so that a selection
/// has the lines alone.
fn difference(code: &str, replaced: Option<&ReplacedLine>) -> Html {
    let gone = replaced.map(|line| {
        let number = line.number.map_or_else(String::new, |number| number.to_string());
        Element::new("del").attribute("data-line", &number).around(line.code.as_str())
    });
    let come = code.lines().map(|line| Element::new("ins").around(line));
    Html::joined(gone.into_iter().chain(come), "")
}
