//! Which parsers handle an event, and what is done with an error of a parser.

use super::families::built_in;
use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::limits::KEPT_OF_ONE;
use crate::model::ProblemKind;
use crate::model::words::fits_pattern;
use crate::trace::TextMap;

/// Makes a parser; called once per log.
pub type ParserFactory = fn() -> Box<dyn StructuredLogParser>;

/// The parsers that read a log: the library user's, then the built-in ones.
#[derive(Default, Clone)]
pub struct Registry {
    own: Vec<ParserFactory>,
}

impl Registry {
    /// Adds a parser. It is asked before the built-in ones.
    #[must_use]
    pub fn with(mut self, factory: ParserFactory) -> Self {
        self.own.push(factory);
        self
    }

    /// One instance of each parser, for one log.
    pub(super) fn instances(&self) -> Parsers {
        let own = self.own.iter().map(|make| make());
        let count = self.own.len();
        Parsers::new(own.chain(built_in()).collect(), count)
    }

    /// Name, event keys and one sentence of each parser, in the order in which they are asked.
    pub fn describe(&self) -> Vec<(&'static str, &'static [&'static str], &'static str)> {
        self.instances().list.iter().map(|p| (p.name(), p.keys(), p.about())).collect()
    }
}

/// Which events lead to a parser, and how specific that is.
struct Route {
    key: &'static str,
    name: Option<&'static str>,
    parser: usize,
    rank: (bool, usize),
}

/// The parsers of one log, ready to be asked.
pub(super) struct Parsers {
    /// The fallback comes last.
    list: Vec<Box<dyn StructuredLogParser>>,
    routes: Vec<Route>,
    /// The routes for each key and name, found once: a log has few of them.
    seen: TextMap<(String, Option<String>), Vec<usize>>,
}

impl Parsers {
    fn new(list: Vec<Box<dyn StructuredLogParser>>, own: usize) -> Self {
        let mut routes = Vec::new();
        for (parser, p) in list.iter().enumerate() {
            for pattern in p.keys() {
                let (key, name) = match pattern.split_once(':') {
                    Some((key, name)) => (key, Some(name)),
                    None => (*pattern, None),
                };
                let literal = pattern.len() - pattern.matches('*').count();
                routes.push(Route { key, name, parser, rank: (parser < own, literal) });
            }
        }
        routes.sort_by_key(|route| (std::cmp::Reverse(route.rank), route.parser));
        Parsers { list, routes, seen: TextMap::default() }
    }

    /// Asks the parsers in order until one has handled the event.
    pub(super) fn dispatch(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) {
        let Parsers { list, routes, seen } = self;
        if seen.len() > KEPT_OF_ONE {
            seen.clear();
        }
        let key = (event.key.to_owned(), event.name.map(str::to_owned));
        let asked = seen.entry(key).or_insert_with(|| candidates(routes, event));
        let mut failed = false;
        let count = list.len();
        for &index in asked.iter() {
            let Some(parser) = list.get_mut(index) else { continue };
            // An event whose parser failed is not unknown; the reader keeps its payload.
            if failed && index + 1 == count {
                return;
            }
            match parser.parse(event, cx) {
                Ok(Flow::Handled) => return,
                Ok(Flow::Ignored) => {}
                Err(error) => {
                    failed = true;
                    cx.lost(event.line, format!("{}: {error:#}", parser.name()));
                    if cx.reading.placed.is_some() {
                        return;
                    }
                }
            }
        }
    }

    pub(super) fn finish(self, cx: &mut RankContext<'_>) {
        for parser in self.list {
            let name = parser.name();
            if let Err(error) = parser.finish(cx) {
                cx.diagnostic(
                    ProblemKind::ParserErrors,
                    0,
                    format!("{name}, at the end of the log: {error:#}"),
                );
            }
        }
    }
}

/// The parsers whose keys match the event, most specific first, each once.
fn candidates(routes: &[Route], event: &Event<'_>) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for route in routes {
        let name_fits =
            route.name.is_none_or(|pattern| event.name.is_some_and(|name| fits_pattern(pattern, name)));
        if name_fits && fits_pattern(route.key, event.key) && !found.contains(&route.parser) {
            found.push(route.parser);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parser_has_a_name_of_its_own_and_says_what_it_does_in_one_sentence() {
        let described = Registry::default().describe();
        let mut names: Vec<_> = described.iter().map(|d| d.0).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), described.len(), "two parsers share a name");
        for (name, keys, about) in described {
            assert!(!keys.is_empty(), "{name} wants no event");
            assert!(about.ends_with('.') && about.len() > 20, "{name}: {about}");
            assert!(!about.trim_end_matches('.').contains(". "), "{name} needs more than a sentence");
        }
    }
}
