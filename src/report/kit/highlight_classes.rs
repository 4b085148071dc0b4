//! Maps the scopes of the grammars to the classes of the style sheet.

use std::collections::HashMap;
use syntect::parsing::Scope;

/// The kind of a token, which is the class of its span. A page has thousands, so classes have one letter; `code.css`
/// has the same table.
pub(crate) type Class = &'static str;

const KEYWORD: Class = "k";
const STRING: Class = "s";
const NUMBER: Class = "n"; // and constants
const COMMENT: Class = "c";
const DEFINED: Class = "d"; // a name, where it is defined

/// The effect of a scope on its text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Class(Class),
    /// A keyword if it is a word (`not`, `sizeof`), else plain (`+`).
    Operator,
    /// A string regardless of inner scopes, as the grammar takes raw strings for regular expressions.
    String,
    /// Code in an interpolation, regardless of the surrounding string.
    Code,
    Nothing,
}

/// The first entry that is a prefix of a scope decides.
const EFFECTS: [(&str, Effect); 16] = [
    ("source.regexp", Effect::String),
    ("source", Effect::Code),
    ("meta.interpolation", Effect::Code),
    ("comment", Effect::Class(COMMENT)),
    ("string", Effect::Class(STRING)),
    ("storage.type.string", Effect::Class(STRING)), // the `r` of `r''`
    ("constant.numeric", Effect::Class(NUMBER)),
    ("constant.language", Effect::Class(NUMBER)),
    ("storage.type.numeric", Effect::Class(NUMBER)), // the suffix of `1L`
    ("keyword.operator", Effect::Operator),
    ("keyword", Effect::Class(KEYWORD)),
    ("storage", Effect::Class(KEYWORD)),
    ("support.type", Effect::Class(KEYWORD)),
    ("entity.name.function", Effect::Class(DEFINED)),
    ("entity.name.class", Effect::Class(DEFINED)),
    ("entity.name.struct", Effect::Class(DEFINED)),
];

/// Maps scopes to the class of a token.
pub(crate) struct Classes {
    effects: Vec<(Scope, Effect)>,
    /// The effect of every scope met so far; the grammars have a few hundred.
    met: HashMap<Scope, Effect>,
}

impl Classes {
    /// Reads the names of the scopes.
    ///
    /// # Errors
    /// If a name is not a scope.
    pub fn new() -> anyhow::Result<Self> {
        let effects = EFFECTS.iter().map(|(name, effect)| Ok((Scope::new(name)?, *effect)));
        Ok(Self { effects: effects.collect::<anyhow::Result<_>>()?, met: HashMap::new() })
    }

    /// The class of `text` with these scopes, outermost first.
    pub fn class_of(&mut self, scopes: &[Scope], text: &str) -> Option<Class> {
        let mut class = None;
        for scope in scopes.iter().rev() {
            match self.effect(*scope) {
                Effect::String => return Some(STRING),
                Effect::Code => return class,
                Effect::Class(own) => class = class.or(Some(own)),
                Effect::Operator if text.starts_with(char::is_alphabetic) => class = class.or(Some(KEYWORD)),
                Effect::Operator | Effect::Nothing => {}
            }
        }
        class
    }

    fn effect(&mut self, scope: Scope) -> Effect {
        let effects = &self.effects;
        *self.met.entry(scope).or_insert_with(|| {
            let found = effects.iter().find(|(prefix, _)| prefix.is_prefix_of(scope));
            found.map_or(Effect::Nothing, |(_, effect)| *effect)
        })
    }
}
