//! Controls that filter a table by text and by words of its rows.

use crate::report::kit::formats::whole;
use crate::report::kit::html::Html;
use crate::report::kit::view::View;
use serde::Serialize;

#[derive(Serialize)]
struct Narrow<'a> {
    table: &'a str,
    hint: &'a str,
    words: Vec<WordOf<'a>>,
}

#[derive(Serialize)]
struct WordOf<'a> {
    word: &'a str,
    text: &'a str,
    count: String,
}

impl View<'_> {
    /// A field that filters the rows of `table` by text, with a `hint`, and a list of words that select rows: the word,
    /// its label, and the number of its rows. Words without rows are left out, and a table of fewer rows than `least` needs none.
    pub fn narrow(
        &self,
        least: usize,
        (table, hint): (&str, &str),
        words: impl IntoIterator<Item = (&'static str, &'static str, usize)>,
    ) -> anyhow::Result<Html> {
        let words: Vec<_> = words.into_iter().filter(|(_, _, count)| *count > 0).collect();
        if words.iter().map(|(_, _, count)| count).sum::<usize>() < least {
            return Ok(Html::default());
        }
        let words = words.into_iter();
        let words = words.map(|(word, text, count)| WordOf { word, text, count: whole(count) }).collect();
        self.render("narrow", &Narrow { table, hint, words })
    }
}
