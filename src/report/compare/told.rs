//! The words of a verdict: what is its headline, and what is said below it.

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

/// Words of a headline at most.
const HEADLINE: usize = 20;

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
        let words = |all: &[Words]| -> usize {
            all.iter().map(|one| one.text()).collect::<String>().split(' ').count()
        };
        let Verdict { mut speed, mut causes, share, further } = self;
        match words(&speed) + words(&share) <= HEADLINE {
            true => speed.extend(share),
            false => causes.extend(share),
        }
        (speed, causes.into_iter().chain(further).collect())
    }

    /// All of it as plain text.
    pub fn text(self) -> String {
        let all = [self.speed, self.causes, self.share, self.further].into_iter().flatten();
        all.map(|words| plain(&words.text())).collect()
    }
}
