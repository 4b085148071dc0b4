//! The words of a verdict: what is its headline, and what is said below it.

use crate::model::capital;
use crate::model::words::plain;
use crate::report::kit::verdict::Words;

/// The verdict, whose numbers link to the evidence.
#[derive(Default)]
pub(super) struct Verdict {
    /// How much slower or faster.
    pub speed: Vec<Words>,
    /// What was set differently, and the like.
    pub causes: Vec<Words>,
    /// The part of the compiler, or the kernel, in which most of it is.
    pub share: Vec<Words>,
    /// The other of compile time and device time, and what is new or gone.
    pub further: Vec<Words>,
}

/// Words of a headline at most, and words that it does not lose.
const HEADLINE: usize = 20;
const LEAST: usize = 4;

impl Verdict {
    pub fn told(words: impl Into<std::borrow::Cow<'static, str>>) -> Verdict {
        Verdict { speed: vec![Words::plain(words)], ..Verdict::default() }
    }

    /// The same behind a sentence that is more important.
    pub fn after(self, first: String) -> Verdict {
        let Verdict { speed, causes, share, further } = self;
        let space = (!speed.is_empty()).then(|| Words::plain(" "));
        let causes = space.into_iter().chain(speed).chain(causes).chain(share).collect();
        Verdict { speed: vec![Words::plain(first)], causes, share: Vec::new(), further }
    }

    /// The headline of a page, and what is said below it.
    pub fn headline(self) -> (Vec<Words>, Vec<Words>) {
        let Verdict { mut speed, mut causes, share, further } = self;
        match count(&speed) + count(&share) <= HEADLINE {
            true => speed.extend(share),
            false => causes.extend(share),
        }
        let mut below = Vec::new();
        while count(&speed) > HEADLINE
            && let Some(clause) = speed.last_mut().and_then(last_clause)
        {
            below.insert(0, Words::plain(format!(" {}", capital(&clause))));
        }
        (speed, below.into_iter().chain(causes).chain(further).collect())
    }

    /// All of it as plain text.
    pub fn text(self) -> String {
        let all = [self.speed, self.causes, self.share, self.further].into_iter().flatten();
        all.map(|words| plain(&words.text())).collect()
    }
}

fn count(all: &[Words]) -> usize {
    let text: String = all.iter().map(Words::text).collect();
    text.split_whitespace().count()
}

/// Ends the sentence before its last clause, and returns that. `Only in B` alone says nothing.
fn last_clause(words: &mut Words) -> Option<String> {
    let text = words.text();
    // A comma within a list of ranks does not begin a clause.
    let is_number =
        |at: &usize| text.get(at + 2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let comma = text.rmatch_indices(", ").map(|(at, _)| at).find(|at| !is_number(at));
    let at = comma.max(text.rfind(": ")).max(text.rfind("; "))?;
    text.get(..at).filter(|before| before.split_whitespace().count() > LEAST)?;
    let (before, clause) = text.split_at(at);
    *words = Words::plain(format!("{before}."));
    Some(clause.trim_start_matches([':', ',', ';', ' ']).to_owned())
}
