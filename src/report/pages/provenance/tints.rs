//! Tints and numbers of source lines, which mark their nodes and kernels in every pane.

use crate::analysis::provenance::{KernelCall, Provenance};
use crate::report::kit::markup::Element;

/// Number of tints, reused in the order of the lines; `provenance.css` defines them. The number beside a line
/// distinguishes lines with the same tint.
const TINTS: usize = 8;

/// Stripes of a bar beside a line that belongs to several lines of the program.
const MOST_STRIPES: usize = 6;

/// Tints and numbers of the lines of a program.
pub(crate) struct Tints {
    numbers: Vec<u64>,
}

impl Tints {
    /// Tints of the known lines.
    pub(crate) fn of(found: &Provenance) -> Tints {
        Tints { numbers: found.source.iter().map(|line| line.line).collect() }
    }

    /// The class of the source line with this index.
    pub(crate) fn class(place: usize) -> String {
        format!("t{}", place % TINTS + 1)
    }

    /// The number beside a line with these owners: `19`, or `21+2` if it belongs to two more.
    pub(crate) fn tag(&self, owners: &[usize]) -> Option<String> {
        let number = self.numbers.get(*owners.first()?)?;
        Some(match owners.len() {
            1 => number.to_string(),
            several => format!("{number}+{}", several - 1),
        })
    }

    /// Width of the numbers beside a text, in characters.
    pub(crate) fn width<'o>(&self, all: impl Iterator<Item = &'o [usize]>) -> usize {
        all.filter_map(|owners| self.tag(owners)).map(|tag| tag.len()).max().unwrap_or_default()
    }

    /// A line of a text that belongs to these source lines; `kind` is a further class and `style` a declaration.
    pub(crate) fn row(&self, kind: &str, owners: &[usize], style: &str) -> Element {
        let tint = match owners {
            [] => String::new(),
            [only] => Tints::class(*only),
            _ => "many".to_owned(),
        };
        let bar = if owners.len() > 1 { format!("--bar:{}", stripes(owners)) } else { String::new() };
        let with = |row: Element, name: &str, parts: [&str; 2], between: &str| {
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            if parts.is_empty() { row } else { row.attribute(name, &parts.join(between)) }
        };
        let row = with(Element::new("span"), "class", [kind, &tint], " ");
        let row = with(row, "style", [style, &bar], ";");
        match self.tag(owners) {
            Some(tag) => row.attribute("data-tag", &tag),
            None => row,
        }
    }
}

/// A bar with one stripe for each of the first owners.
fn stripes(owners: &[usize]) -> String {
    let shown = owners.len().min(MOST_STRIPES);
    let stripe = |(at, owner): (usize, &usize)| {
        let (from, to) = (100 * at / shown, 100 * (at + 1) / shown);
        format!("var(--u{}) {from}% {to}%", owner % TINTS + 1)
    };
    let stripes: Vec<String> = owners.iter().take(shown).enumerate().map(stripe).collect();
    format!("linear-gradient({})", stripes.join(","))
}

/// The number of a call in its pane: its handle, or its line in the code.
pub(crate) fn shown_number(call: &KernelCall) -> String {
    match &call.handle {
        Some(handle) => format!(":{handle}"),
        None => call.line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_several_has_no_tint_but_a_stripe_of_each_and_says_how_many() {
        let tints = Tints { numbers: vec![19, 20, 21] };
        let one = tints.row("mapped", &[1], "").around("x");
        assert_eq!(one.as_str(), "<span class=\"mapped t2\" data-tag=\"20\">x</span>");
        let two = tints.row("mapped", &[0, 2], "counter-reset:line 400").around("x");
        let bar = "--bar:linear-gradient(var(--u1) 0% 50%,var(--u3) 50% 100%)";
        let style = format!("counter-reset:line 400;{bar}");
        let expected = format!("<span class=\"mapped many\" style=\"{style}\" data-tag=\"19+1\">x</span>");
        assert_eq!(two.as_str(), expected);
        assert_eq!(tints.row("", &[], "").around("x").as_str(), "<span>x</span>");
        assert_eq!(tints.width([&[1][..], &[0, 2]].into_iter()), 4);
    }

    #[test]
    fn tints_repeat_after_eight_lines() {
        assert_eq!(
            (Tints::class(0), Tints::class(7), Tints::class(8)),
            ("t1".into(), "t8".into(), "t1".into())
        );
    }
}
