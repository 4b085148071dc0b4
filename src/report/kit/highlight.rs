//! Highlights code. Only this file and the `highlight_*` files next to it use the highlighting crate.
//!
//! Generated code is repetitive, especially if `tmp12 = tmp11 + 3` and `tmp7 = tmp6 + 2` count as the same line. So a
//! [`Highlighter`] remembers the shapes of lines (a line with every number replaced by `1`): for each state of the
//! parser and each shape, the tokens and the state after the line. Only new shapes are parsed.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::hidden::visible;
use crate::limits::{LARGEST_TEXT, LARGEST_VIEWER};
use crate::model::Language;
use crate::report::kit::highlight_classes::Classes;
use crate::report::kit::highlight_grammars;
use crate::report::kit::highlight_table::{Learned, Origin, Place, Seen, State, Table, Token};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{marking_hidden, push_close, push_open, push_span};
use anyhow::Context as _;
use syntect::parsing::{ScopeStack, SyntaxSet};

/// Longer shapes are not remembered: such lines contain names and sizes of one graph, so they hardly repeat, and each
/// takes the space of ten others.
const LONGEST_REMEMBERED: usize = 500;

/// Longer shapes are not parsed. The grammars try every rule at every position, and some rules read to the end of the
/// line, so the time may grow quadratically: the worst lines of 4,000 bytes are parsed at 0.5 MB/s, and one of 1 MB
/// would take hours. Of 140,000 lines in recorded logs, 23 are longer than this.
const LONGEST_PARSED: usize = 2_000;

/// Bytes of HTML per write.
const WRITTEN_AT_ONCE: usize = 32 << 10;

/// Most nested brackets, blocks and strings. The state is copied for every parsed line, so a file of opening brackets
/// would take quadratic time. Recorded logs reach 12.
const DEEPEST: usize = 200;

/// Calls in Python code from Inductor whose last argument is the source of a kernel.
const KERNEL_CALLS: [(&str, Language); 6] = [
    ("async_compile.cpp_pybinding(", Language::Cpp),
    ("async_compile.cpp(", Language::Cpp),
    ("async_compile.cuda(", Language::Cpp),
    ("async_compile.rocm(", Language::Cpp),
    ("async_compile.triton(", Language::Python),
    ("async_compile.cutedsl(", Language::Python),
];

/// The line before the string with the C++ program, in the output of Inductor's C++ wrapper.
const CPP_WRAPPER: &str = "cpp_wrapper_src = (";

/// Highlights code line by line. Each worker has its own, which remembers shapes across pages.
pub struct Highlighter {
    grammars: &'static SyntaxSet,
    python: State,
    cpp: State,
    classes: Classes,
    table: Table,
    /// The shape of the current line; a field, like the HTML, so that its memory is reused.
    shape: String,
    html: String,
}

/// Shapes learned by finished workers, for later workers. Each rank of a job has its own workers, and nearly the same
/// code as the others: learning it again took a third of the time of a job of small ranks.
#[derive(Default)]
pub struct Highlighters(Mutex<Vec<Learned>>);

impl Highlighters {
    /// A highlighter that reuses the shapes of a finished one, if any.
    ///
    /// # Errors
    /// As [`Highlighter::new`].
    pub fn take(&self) -> anyhow::Result<Highlighter> {
        let learned = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut highlighter = Highlighter::new()?;
        if let Some(learned) = learned {
            highlighter.learn(learned);
        }
        Ok(highlighter)
    }

    /// Keeps the shapes that a highlighter learned, unless it met too many states.
    pub fn give_back(&self, mut highlighter: Highlighter) {
        highlighter.table.start_page();
        let learned = highlighter.table.into_learned();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(learned);
    }
}

/// How far a page has been read.
struct Cursor {
    language: Language,
    place: Place,
    /// Inside the source of a kernel: the state of the surrounding Python file.
    kernel: Option<Outer>,
    after_cpp_wrapper: bool,
    /// Bytes left for colors; later lines have no colors.
    room: usize,
}

/// The end of the line that opened a kernel's source.
struct Outer {
    place: Place,
    /// False if that line was too long to be parsed, so the parser does not know that a string is open.
    in_string: bool,
}

impl Highlighter {
    /// A highlighter without remembered shapes.
    ///
    /// # Errors
    /// The highlighting crate lacks a grammar.
    pub fn new() -> anyhow::Result<Self> {
        let grammars = highlight_grammars::of_ascii()?;
        let python = State::start(grammars, "py").context("the grammar of Python is missing")?;
        let cpp = State::start(grammars, "cpp").context("the grammar of C++ is missing")?;
        let classes = Classes::new().context("a scope of the grammars is misspelt")?;
        let table = Table::default();
        Ok(Self { grammars, python, cpp, classes, table, shape: String::new(), html: String::new() })
    }

    /// Writes `text`, escaped: line 7 is `<li id="L7">..</li>`, with spans whose classes `highlight_classes.rs` explains.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write_lines(&mut self, language: Language, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let open = |number: u32, html: &mut String| {
            push_open(html, "li", &[("id", Some(&format!("L{number}")))]);
        };
        let close = |html: &mut String| {
            // The line end is inside the element: a browser copies an empty line only if its element has content.
            html.push('\n');
            push_close(html, "li");
        };
        let room = LARGEST_LISTING.saturating_sub(bytes_of_lines(text));
        self.write_framed((language, text), room, out, (open, close))
    }

    /// Writes `text` with markup of the caller: `open` appends what precedes a line, given its number (from 1), and
    /// `close` what follows it. Colors may take `room` bytes.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write_framed(
        &mut self,
        (language, text): (Language, &str),
        room: usize,
        out: &mut dyn Write,
        (mut open, mut close): (impl FnMut(u32, &mut String), impl FnMut(&mut String)),
    ) -> io::Result<()> {
        self.table.start_page();
        let place = self.start(language);
        let mut cursor = Cursor { language, place, kernel: None, after_cpp_wrapper: false, room };
        let mut html = std::mem::take(&mut self.html);
        html.clear();
        for (number, line) in (1..).zip(text.lines()) {
            open(number, &mut html);
            self.push_line(&mut cursor, line, &mut html);
            close(&mut html);
            if html.len() >= WRITTEN_AT_ONCE {
                out.write_all(html.as_bytes())?;
                html.clear();
            }
        }
        let written = out.write_all(html.as_bytes());
        self.html = html;
        written
    }

    fn start(&mut self, language: Language) -> Place {
        let state = match language {
            Language::Python => &self.python,
            Language::Cpp => &self.cpp,
        };
        self.table.number_of(state, || Origin::Start(language))
    }

    /// Takes over the shapes that another highlighter learned. Some twenty states are rebuilt by parsing the lines that
    /// lead to them.
    fn learn(&mut self, learned: Learned) {
        for (origin, shapes) in learned.states {
            let state = match &origin {
                Origin::Start(Language::Python) => Some(self.python.clone()),
                Origin::Start(Language::Cpp) => Some(self.cpp.clone()),
                Origin::After { state, shape } => {
                    shape.as_ref().clone_into(&mut self.shape);
                    self.parse(*state).map(|(_, state)| state)
                }
            };
            let Some(state) = state else {
                self.table = Table::default();
                return;
            };
            self.table.learn(state, (origin, shapes));
        }
        self.table.bytes = learned.bytes;
    }

    fn push_line(&mut self, cursor: &mut Cursor, line: &str, html: &mut String) {
        let before = html.len();
        match cursor.room {
            0 => push_escaped(line, html),
            _ => self.push_parsed(cursor, line, html),
        }
        if let Some(Cow::Owned(marked)) = html.get(before..).map(marking_hidden) {
            html.truncate(before);
            match marked.len() <= line.len() + cursor.room {
                true => html.push_str(&marked),
                false => push_escaped(&visible(line), html),
            }
        }
        cursor.room = cursor.room.saturating_sub(html.len().saturating_sub(before + line.len()));
    }

    fn push_parsed(&mut self, cursor: &mut Cursor, line: &str, html: &mut String) {
        if line.starts_with("'''")
            && let Some(outer) = cursor.kernel.take()
        {
            cursor.place = outer.place;
            if !outer.in_string {
                return push_escaped(line, html);
            }
        }
        let parsed = self.push_colored(&mut cursor.place, line, html);
        if let Some(kernel) = cursor.opens_kernel(line) {
            cursor.kernel = Some(Outer { place: cursor.place, in_string: parsed });
            cursor.place = self.start(kernel);
        }
    }

    /// Appends one line and moves `place` to the state after it. Returns whether the line was parsed.
    fn push_colored(&mut self, place: &mut Place, line: &str, html: &mut String) -> bool {
        make_shape(line, &mut self.shape);
        let (Some(from), true) = (*place, self.shape.len() <= LONGEST_PARSED) else {
            push_escaped(line, html);
            return false;
        };
        if let Some(seen) = self.table.get(from, &self.shape) {
            *place = seen.next;
            push_tokens(line, &seen.tokens, html);
        } else if let Some((tokens, state)) = self.parse(from) {
            push_tokens(line, &tokens, html);
            let shape = &self.shape;
            *place =
                self.table.number_of(&state, || Origin::After { state: from, shape: shape.as_str().into() });
            if self.shape.len() <= LONGEST_REMEMBERED {
                self.table.insert(from, &self.shape, Seen { tokens: tokens.into(), next: *place });
            }
        } else {
            *place = None;
            push_escaped(line, html);
            return false;
        }
        true
    }

    /// Parses the current shape; None if the grammar fails or nests too deeply.
    fn parse(&mut self, from: usize) -> Option<(Vec<Token>, State)> {
        let mut state = self.table.state(from)?.clone();
        let end = self.shape.len();
        // The grammars need the newline, but no token contains it.
        self.shape.push('\n');
        let grammars = if self.shape.is_ascii() { self.grammars } else { highlight_grammars::of_any_text() };
        let operations = state.parser.parse_line(&self.shape, grammars).ok();
        self.shape.truncate(end);
        let mut tokens = Vec::new();
        let mut done = 0;
        for (at, operation) in operations? {
            done = self.token(done..at.min(end), &state.scopes, &mut tokens);
            state.scopes.apply(&operation).ok()?;
        }
        self.token(done..end, &state.scopes, &mut tokens);
        join_over_spaces(&mut tokens, &self.shape);
        (state.scopes.len() <= DEEPEST).then_some((tokens, state))
    }

    /// Appends a token for `range` with these `scopes`, merging neighbors of the same class. Returns the start of the
    /// next token.
    fn token(&mut self, range: Range<usize>, scopes: &ScopeStack, tokens: &mut Vec<Token>) -> usize {
        let Some(text) = self.shape.get(range.clone()).filter(|text| !text.is_empty()) else {
            return range.start;
        };
        let class = self.classes.class_of(scopes.as_slice(), text);
        match tokens.last_mut() {
            Some(last) if last.class == class => last.bytes += text.len(),
            _ => tokens.push(Token { class, bytes: text.len() }),
        }
        range.end
    }
}

impl Cursor {
    /// The language of the following lines, if this line opens a kernel's source.
    fn opens_kernel(&mut self, line: &str) -> Option<Language> {
        let after_cpp_wrapper = std::mem::replace(&mut self.after_cpp_wrapper, line == CPP_WRAPPER);
        if self.language != Language::Python || self.kernel.is_some() || !line.ends_with("'''") {
            return None;
        }
        if after_cpp_wrapper {
            return matches!(line, "'''" | "r'''").then_some(Language::Cpp);
        }
        KERNEL_CALLS.iter().find(|(call, _)| line.contains(call)).map(|(_, language)| *language)
    }
}

/// Appends text escaped for element content, where `>` needs no escaping; C++ has many.
fn push_escaped(text: &str, html: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr2(b'<', b'&', rest.as_bytes()) {
        let Some((plain, special)) = rest.split_at_checked(at) else { break };
        html.push_str(plain);
        html.push_str(if special.starts_with('<') { "&lt;" } else { "&amp;" });
        rest = special.get(1..).unwrap_or_default();
    }
    html.push_str(rest);
}

/// Replaces every number in a line by `1`, except a single `0`, which may begin `0x1F`. No grammar distinguishes
/// numbers.
fn make_shape(line: &str, shape: &mut String) {
    shape.clear();
    let mut rest = line;
    while let Some(at) = rest.bytes().position(|byte| byte.is_ascii_digit()) {
        let Some((before, number)) = rest.split_at_checked(at) else { break };
        let length = number.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(number.len());
        let (digits, after) = number.split_at_checked(length).unwrap_or((number, ""));
        shape.push_str(before);
        shape.push(if digits == "0" { '0' } else { '1' });
        rest = after;
    }
    shape.push_str(rest);
}

/// Length of the prefix of `line` whose shape has `bytes` bytes.
fn front(line: &str, bytes: usize) -> usize {
    let digit = |at: usize| line.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    for _ in 0..bytes {
        let number = digit(at);
        at += 1;
        while number && digit(at) {
            at += 1;
        }
    }
    at
}

/// Appends a line as HTML. All of its text is written exactly once and in order, whatever the tokens are.
fn push_tokens(line: &str, tokens: &[Token], html: &mut String) {
    let mut rest = line;
    for token in tokens {
        let Some((text, behind)) = rest.split_at_checked(front(rest, token.bytes)) else { break };
        rest = behind;
        let Some(class) = token.class else {
            push_escaped(text, html);
            continue;
        };
        push_span(html, class, |html| push_escaped(text, html));
    }
    push_escaped(rest, html);
}

/// Merges `const` and `float` in `const float` into one span, as spaces have no color.
fn join_over_spaces(tokens: &mut Vec<Token>, shape: &str) {
    let (mut joined, mut at): (Vec<Token>, usize) = (Vec::new(), 0);
    for token in tokens.drain(..) {
        let end = at + token.bytes;
        let blank = |from: usize| shape.get(from..at).is_some_and(|text| text.bytes().all(|b| b == b' '));
        match joined.as_mut_slice() {
            [.., before, Token { class: None, bytes }]
                if token.class.is_some() && before.class == token.class && blank(at - *bytes) =>
            {
                before.bytes += *bytes + token.bytes;
                joined.pop();
            }
            _ => joined.push(token),
        }
        at = end;
    }
    *tokens = joined;
}

/// Bytes of HTML of all lines, without the rest of the page.
pub(crate) const LARGEST_LISTING: usize = LARGEST_VIEWER - 1_000_000;

/// Whether a page shows this text line by line. Otherwise it shows the text verbatim, without anchors.
pub(crate) fn fits_by_lines(text: &str) -> bool {
    text.len() as u64 <= LARGEST_TEXT && bytes_of_lines(text) <= LARGEST_LISTING
}

/// Whether a page shows every text of this size line by line.
pub(crate) fn always_fits(bytes: u64) -> bool {
    bytes <= (LARGEST_LISTING / FRAME) as u64
}

/// Markup around a line.
const FRAME: usize = "<li id=\"L1234567\">\n</li>".len();

/// Approximate bytes of the text as lines of HTML without colors.
fn bytes_of_lines(text: &str) -> usize {
    Html::escaped_len(text) + (memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1) * FRAME
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::kit::highlight_table::{MOST_STATES, TABLE_BYTES};

    const INDUCTOR: &str = r#"# AOT ID: ['0_inference']
from ctypes import c_void_p
cpp_fused_add_0 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0)
{
    auto tmp12 = static_cast<float>(0.95); // it's < 10L & more
}
''')
triton_poi_0 = async_compile.triton('triton_poi_0', '''
def triton_poi_0(in_ptr0, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * 0x1F
''', device_str='cuda')

class Runner:
    def call(self, args):
        return not args
"#;

    fn highlighted(language: Language, text: &str) -> String {
        let mut out = Vec::new();
        Highlighter::new().unwrap().write_lines(language, text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn visible(html: &str) -> String {
        let without_tags = regex::Regex::new("<[^>]*>").unwrap().replace_all(html, "").into_owned();
        html_escape::decode_html_entities(&without_tags).into_owned()
    }

    fn line(html: &str, number: usize) -> &str {
        html.split("<li id=\"L")
            .nth(number)
            .unwrap()
            .split_once('>')
            .unwrap()
            .1
            .strip_suffix("\n</li>")
            .unwrap()
    }

    #[test]
    fn the_visible_text_is_the_text() {
        let odd = "a = '\u{e9}\u{1f600}' + \"<script>\" & 007 1_000 0b11 \u{663}\n\n\tif x\u{0}: r'[' \
            f'{a!r:>{10}}'\n)]}\n\"\"\"open\n";
        for text in [INDUCTOR, odd] {
            for language in [Language::Python, Language::Cpp] {
                assert_eq!(visible(&highlighted(language, text)), text);
            }
        }
    }

    #[test]
    fn lines_are_anchors_and_their_numbers_are_no_text() {
        assert_eq!(
            highlighted(Language::Python, "x\r\n\ny"),
            "<li id=\"L1\">x\n</li><li id=\"L2\">\n</li><li id=\"L3\">y\n</li>"
        );
        assert_eq!(highlighted(Language::Python, ""), "");
    }

    #[test]
    fn neighbors_of_one_kind_are_one_element() {
        let html = highlighted(Language::Python, "x = 'a' 'b' if not y\n");
        assert_eq!(line(&html, 1), "x = <span class=\"s\">'a' 'b'</span> <span class=\"k\">if not</span> y");
    }

    #[test]
    fn kernels_in_python_are_read_in_their_own_language() {
        let html = highlighted(Language::Python, INDUCTOR);
        assert!(line(&html, 4).starts_with("<span class=\"k\">#include</span>"), "{html}");
        assert!(line(&html, 5).contains("<span class=\"d\">kernel</span>"), "{html}");
        assert!(line(&html, 7).contains("<span class=\"c\">// it's &lt; 10L &amp; more</span>"), "{html}");
        assert_eq!(line(&html, 9), "<span class=\"s\">'''</span>)");
        assert!(line(&html, 11).starts_with("<span class=\"k\">def</span>"), "{html}");
        assert!(line(&html, 12).ends_with("<span class=\"n\">0x1F</span>"), "{html}");
        assert!(line(&html, 13).contains("<span class=\"s\">'cuda'</span>"), "{html}");
        assert!(line(&html, 15).contains("<span class=\"d\">Runner</span>"), "{html}");
        assert!(line(&html, 17).contains("<span class=\"k\">return not</span> args"), "{html}");
    }

    #[test]
    fn the_program_of_the_cpp_wrapper_is_read_as_cpp() {
        let text = "cpp_wrapper_src = (\nr'''\nstatic int a;\n'''\n)\nimport x\n";
        let html = highlighted(Language::Python, text);
        assert!(line(&html, 3).starts_with("<span class=\"k\">static int</span>"), "{html}");
        assert!(line(&html, 6).starts_with("<span class=\"k\">import</span>"), "{html}");
    }

    #[test]
    fn lines_fit_on_a_page_whatever_their_text() {
        let many = "x\n".repeat(100_000);
        let dense = "'a',1,if f'{b}'\n".repeat(100_000);
        for text in [&many, &dense] {
            assert!(fits_by_lines(text));
            let html = highlighted(Language::Python, text);
            assert!(html.len() <= LARGEST_LISTING + 1_000, "{} bytes", html.len());
            assert_eq!(visible(&html), *text);
        }
        assert!(!fits_by_lines(&"\n".repeat(1_000_000)));
        assert!(!fits_by_lines(&"<".repeat(2_000_000)));
        assert!(!fits_by_lines(&"x".repeat(4_200_000)));
    }

    #[test]
    fn what_other_pages_left_in_the_table_changes_nothing() {
        let mut used = Highlighter::new().unwrap();
        let texts = [INDUCTOR, "x = '''\ndef f(): pass\n", "def f(): pass\n", INDUCTOR];
        for text in texts {
            let mut out = Vec::new();
            used.write_lines(Language::Python, text, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), highlighted(Language::Python, text));
        }
    }

    #[test]
    fn a_highlighter_takes_over_what_an_earlier_one_learned() {
        let known = |highlighter: &Highlighter| {
            let states = highlighter.table.states.iter();
            states.map(|known| known.shapes.len()).collect::<Vec<_>>()
        };
        let highlighters = Highlighters::default();
        let mut html = Vec::new();
        let mut first = highlighters.take().unwrap();
        first.write_lines(Language::Python, INDUCTOR, &mut html).unwrap();
        let learned = known(&first);
        highlighters.give_back(first);
        let mut second = highlighters.take().unwrap();
        assert_eq!(known(&second), learned);
        let mut again = Vec::new();
        second.write_lines(Language::Python, INDUCTOR, &mut again).unwrap();
        assert_eq!(again, html);
        assert_eq!(known(&second), learned, "no line is new");
        second.write_lines(Language::Python, "@decorated\nclass New(Old):\n", &mut again).unwrap();
        let alone = highlighted(Language::Python, "@decorated\nclass New(Old):\n");
        assert!(String::from_utf8(again).unwrap().ends_with(&alone), "states are whole");
    }

    #[test]
    fn a_full_table_is_emptied_and_the_page_goes_on() {
        let mut highlighter = Highlighter::new().unwrap();
        highlighter.table.bytes = TABLE_BYTES - 200;
        let mut out = Vec::new();
        highlighter.write_lines(Language::Python, INDUCTOR, &mut out).unwrap();
        assert!(highlighter.table.bytes < TABLE_BYTES / 2);
        assert_eq!(String::from_utf8(out).unwrap(), highlighted(Language::Python, INDUCTOR));
    }

    #[test]
    fn a_line_that_is_too_long_loses_only_its_own_colors() {
        let names = "'a', ".repeat(LONGEST_PARSED);
        let text = format!("k = async_compile.cpp([{names}], '''\nint a;\n''')\nimport x\n");
        let html = highlighted(Language::Python, &text);
        assert_eq!(visible(&html), text);
        assert!(!line(&html, 1).contains("<span"));
        assert_eq!(line(&html, 2), "<span class=\"k\">int</span> a;");
        assert!(line(&html, 4).starts_with("<span class=\"k\">import</span>"), "{html}");
    }

    #[test]
    fn brackets_without_end_and_states_without_number_end_the_colors_not_the_run() {
        let brackets = "((((((((((\n".repeat(5_000);
        assert_eq!(visible(&highlighted(Language::Python, &brackets)), brackets);
        let mut strings = String::new();
        for n in 0..MOST_STATES * 2 {
            let name: String = format!("{n:b}").replace('0', "a").replace('1', "b");
            strings.push_str(&format!("auto s = R\"{name}(\n){name}\";\n"));
        }
        let mut highlighter = Highlighter::new().unwrap();
        let mut out = Vec::new();
        highlighter.write_lines(Language::Cpp, &strings, &mut out).unwrap();
        assert_eq!(visible(&String::from_utf8(out).unwrap()), strings);
        assert!(highlighter.table.states.len() <= MOST_STATES);
    }
}
