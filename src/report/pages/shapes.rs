//! `shapes.html`: which sizes are dynamic, since when, and what made the others constant.

use crate::analysis::is_capture;
use crate::analysis::shapes::{
    Answer, Dimension, Fate, Seen, State, SymbolFate, TensorSizes, dimensions, guarded_sizes, symbols,
};
use crate::limits::{CELL, LONG_LINE, LONG_TABLE, NAMED};
use crate::model::{Compile, CompileIndex, Content, Frame, Recorded, Specialization, Stack};
use crate::output::{Page, RelPath};
use crate::report::doc::{Block, Cell, Filter, Listing, Others, Rows, Section, log, own, page, place};
use crate::report::kit::formats::{UNKNOWN, clipped, counted, is_library, range, whole};
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;
use fxhash::FxHashMap;

/// Bytes of guards read for the page. A compile has 10 to 500 KB; beyond the limit, only symbols are considered.
const MOST_GUARDS: u64 = 256 << 20;

const HINT: &str = "Filter by name or id";

/// Whether the log has any information on sizes.
pub(crate) fn present(report: Report<'_>) -> bool {
    let shapes = &report.model.shapes;
    !shapes.symbols.is_empty()
        || !shapes.specializations.is_empty()
        || report.model.inputs().any(|(_, one)| !one.tensor.parameter && !one.tensor.sizes.is_empty())
}

/// The number of symbols; None if there are none.
pub(crate) fn count(report: Report<'_>) -> Option<usize> {
    Some(report.model.shapes.symbols.len()).filter(|count| *count > 0)
}

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["shapes.html"]), move |worker, out| {
        let fates = symbols(report.model);
        let dims = dimensions(report.model, &fates, &guards(report)?);
        let mut blocks = vec![verdict(&fates, &dims)];
        blocks.extend((!dims.is_empty()).then(|| inputs(report, &dims)));
        let lists = [specializations(report), symbols_made(report, &fates)];
        blocks.extend(lists.into_iter().filter(|list| list.count() > 0).map(Block::List));
        page::write(report, "Shapes", &blocks, worker, out)
    })
}

/// Guards on tensor sizes by compile, from its last guard tree.
fn guards(report: Report<'_>) -> anyhow::Result<FxHashMap<CompileIndex, TensorSizes>> {
    let mut room = MOST_GUARDS;
    let mut found = FxHashMap::default();
    for (index, compile) in report.model.compiles.indexed() {
        let last = compile.artifacts.iter().rev().find(|a| &*a.name == "dynamo_cpp_guards_str");
        if let Some(Content::Payload(at, _)) = last.map(|artifact| &artifact.content)
            && at.text_len <= room
        {
            room -= at.text_len;
            found.insert(index, guarded_sizes(&report.payload(at)?));
        }
    }
    Ok(found)
}

fn verdict<'m>(fates: &[SymbolFate<'_>], dims: &[Dimension<'_>]) -> Block<'m> {
    let inputs = counted(dims.len(), "dimension", "dimensions");
    let dynamic = dims.iter().filter(|d| matches!(d.answer(), Answer::Since(_))).count();
    let answer = match dims.is_empty() {
        true => "No input tensors are recorded".to_owned(),
        false => format!("{} of {inputs} of inputs are dynamic", whole(dynamic)),
    };
    let of = |word: &str| fates.iter().filter(|fate| fate.fate.word() == word).count();
    let mut parts = vec![counted(of("dynamic"), "stays dynamic", "stay dynamic")];
    for (word, one, many) in [
        ("fixed", "was specialized to one value", "were specialized to one value"),
        ("equal", "equals another", "equal another"),
        ("unbacked", "depends on data", "depend on data"),
    ] {
        parts.extend((of(word) > 0).then(|| counted(of(word), one, many)));
    }
    let symbols = match fates.len() {
        0 => "No symbols were created".to_owned(),
        count => format!("{}: {}", counted(count, "symbol", "symbols"), parts.join(", ")),
    };
    let note = "A dynamic size has a symbol, and one compile serves all its values. A static size is part of the compiled code: \
        another value is compiled again. A size is specialized where a line needs its number: what was dynamic becomes static.";
    Block::Verdict { sentence: own(format!("{answer}. {symbols}.")), notes: vec![note.into()] }
}

/// The filter's words for the answers.
const ANSWERS: [(&str, &str); 4] =
    [("yes", "dynamic"), ("fixed", "specialized"), ("no", "static"), ("unclear", "not recorded")];

fn answer_word(dim: &Dimension<'_>) -> &'static str {
    match (dim.answer(), dim.seen.last().map(|seen| seen.state)) {
        (Answer::Since(_), _) => "yes",
        (Answer::Unclear, _) => "unclear",
        (_, Some(State::Fixed(_))) => "fixed",
        _ => "no",
    }
}

/// Dimensions of a tensor with the same answer, which share a row.
type Group<'m> = &'m [Dimension<'m>];

fn inputs<'m>(report: Report<'m>, dims: &'m [Dimension<'m>]) -> Block<'m> {
    let (constant, changing): (Vec<_>, Vec<_>) =
        grouped(dims).into_iter().partition(|group| group.first().is_some_and(|d| answer_word(d) == "no"));
    let mut blocks = vec![match changing.is_empty() {
        true => Block::Note("No input has a size that is dynamic, or was until a line needed its number."),
        false => Block::Table(table(report, "dimensions", "Dimensions of inputs", changing)),
    }];
    if !constant.is_empty() {
        let inputs: usize = constant.iter().map(|group| group.len()).sum();
        let words =
            "constant: part of the compiled code, and only one size was seen unless a reason is given";
        let summary = format!("{} {words}", counted(inputs, "dimension is", "dimensions are"));
        let mut constants = table(report, "constants", "Constant dimensions of inputs", constant);
        constants.look.filter = None;
        blocks.push(Block::More { summary: own(summary), blocks: vec![Block::Table(constants)] });
    }
    let section = Section::new("dimensions", "Inputs", blocks);
    let about = "as of the last compile of each function, without parameters";
    Block::Section(section.about(about).counted(dims.len()))
}

/// Dimensions share a row if only one size was seen, or nothing is recorded.
fn grouped<'m>(dims: &'m [Dimension<'m>]) -> Vec<Group<'m>> {
    let same_compiles = |a: &Dimension<'_>, b: &Dimension<'_>| {
        a.seen.iter().map(|seen| seen.compile).eq(b.seen.iter().map(|seen| seen.compile))
    };
    let one_size =
        |dim: &Dimension<'_>| dim.seen.windows(2).all(|two| matches!(two, [a, b] if a.size == b.size));
    let groups = dims.chunk_by(|a, b| {
        let word = answer_word(a);
        let plain = match word {
            "no" => one_size(a) && one_size(b),
            word => word == "unclear",
        };
        plain && word == answer_word(b) && a.source == b.source && same_compiles(a, b)
    });
    groups.collect()
}

fn table<'m>(report: Report<'m>, id: &'static str, title: &'static str, all: Vec<Group<'m>>) -> Listing<'m> {
    let of_first =
        |group: &Group<'m>, cell: &dyn Fn(&'m Dimension<'m>) -> Cell<'m>| Cell::maybe(group.first(), cell);
    Rows::of(all)
        .text("Function", move |group| of_first(group, &|dim| function(report, dim)))
        .text("Input", move |group| of_first(group, &|dim| log(&*dim.source)))
        .mono()
        .text("Dimension", |group| {
            let number = |dim: &Dimension<'_>| dim.dim.map_or_else(|| UNKNOWN.to_owned(), whole);
            own(group.iter().map(number).collect::<Vec<_>>().join(", "))
        })
        .explained("Counted from 0; empty for a number")
        .text("Dynamic?", |group| match group.first().map_or("", answer_word) {
            "yes" => "yes".into(),
            "fixed" => Cell::from("no, specialized").class("warn"),
            "unclear" => "not recorded".into(),
            _ => "no".into(),
        })
        .unsorted("Why", move |group| of_first(group, &|dim| why(report, dim)))
        .unsorted("Compiles", move |group| sizes_seen(report, group))
        .explained("The sizes that each compile saw, and whether it accepts others")
        .filtered(Filter { hint: HINT, words: ANSWERS.to_vec() }, |group| {
            group.first().map_or("", answer_word).into()
        })
        .first(
            LONG_TABLE,
            Others::Elsewhere("are left out; the pages of the compiles list their input tensors"),
        )
        .listing(id, title, "")
}

fn function<'m>(report: Report<'m>, dim: &Dimension<'_>) -> Cell<'m> {
    let compiles = || dim.seen.iter().filter_map(|seen| report.model.compiles.get(seen.compile));
    match compiles().find(|compile| compile.function.is_some()) {
        Some(compile) => Cell::FunctionOf(compile),
        None if compiles().any(is_capture) => "backward, captured".into(),
        None => Cell::Unknown,
    }
}

/// The last compiles with the sizes that each saw, and which accept others.
fn sizes_seen<'m>(report: Report<'m>, group: Group<'m>) -> Cell<'m> {
    let Some(dim) = group.first() else { return Cell::Unknown };
    let earlier = dim.seen.len().saturating_sub(NAMED);
    let seen = dim.seen.iter().enumerate().skip(earlier).map(|(at, one)| {
        let pill = Cell::maybe(report.model.compiles.get(one.compile), Cell::CompileBeside);
        let sizes = group.iter().filter_map(|dim| dim.seen.get(at));
        let sizes: Vec<&str> = sizes.map(|seen| seen.size.as_deref().unwrap_or(UNKNOWN)).collect();
        let sizes = match sizes.as_slice() {
            [one] => Cell::Code((*one).into()),
            all => Cell::Code(format!("[{}]", all.join(", ")).into()),
        };
        // The answer covers all later ones.
        let said = matches!(dim.answer(), Answer::Since(since) if since <= at);
        let dynamic = (one.state.is_dynamic() && !said).then(|| "dynamic".into());
        Cell::Beside([pill, sizes].into_iter().chain(dynamic).collect(), " ")
    });
    let earlier = (earlier > 0).then(|| own(format!("{} earlier", whole(earlier))));
    Cell::Beside(earlier.into_iter().chain(seen).collect(), ", ")
}

/// Since when a dimension is dynamic and why, or why it is constant.
fn why<'m>(report: Report<'m>, dim: &'m Dimension<'m>) -> Cell<'m> {
    match (dim.answer(), dim.seen.last().map(|seen| seen.state)) {
        (Answer::Since(at), _) => Cell::maybe(dim.seen.get(at), |first| since(report, dim, at, first)),
        (_, Some(State::Fixed(SymbolFate { fate: Fate::Fixed(one), .. }))) => fixed_by(report, one),
        (_, Some(State::Fixed(fate))) => {
            Cell::Beside(vec![Cell::Code((&*fate.symbol.name).into()), " became a constant".into()], "")
        }
        (Answer::Unclear, _) => {
            "no symbol; it may share the symbol of an equal size, and no guards are recorded".into()
        }
        _ => {
            let mut sizes: Vec<&str> = dim.seen.iter().filter_map(|seen| seen.size.as_deref()).collect();
            sizes.sort_unstable();
            sizes.dedup();
            let shown = sizes.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            match sizes.len() {
                0 | 1 => Cell::Unknown,
                n => log(format!("{} were seen, each compiled again: {shown}", counted(n, "size", "sizes"))),
            }
        }
    }
}

/// Since when and why a dimension is dynamic, and what it was before.
fn since<'m>(report: Report<'m>, dim: &'m Dimension<'m>, at: usize, first: &'m Seen<'m>) -> Cell<'m> {
    let compile = report.model.compiles.get(first.compile);
    let id = compile.map(Compile::label).unwrap_or_default();
    let text = if first.marked {
        format!("since [{id}], marked by the program")
    } else if at > 0 {
        let recompile =
            report.model.recompiles.iter().rev().find(|one| compile.is_some_and(|c| c.id == one.compile));
        let reason = recompile.and_then(|one| one.reasons.first());
        let reason = reason.map(|one| format!(" after {}", clipped(one.text.trim(), LONG_LINE).0));
        format!("since [{id}]{}", reason.unwrap_or_default())
    } else if id.starts_with('!') {
        format!("since [{id}]: compiled autograd makes sizes symbolic")
    } else if dim.dim.is_none() {
        format!("since [{id}]: passed in at run time, not baked in")
    } else {
        format!("since [{id}]: dynamic=True, a mark or listed sources")
    };
    let mut pieces = vec![log(text)];
    match first.state {
        State::Dynamic(Some(symbol)) => pieces.extend([", as ".into(), Cell::Code((&*symbol.name).into())]),
        _ => pieces.push(", sharing the symbol of an equal size".into()),
    }
    let before = at.checked_sub(1).and_then(|before| dim.seen.get(before));
    if let Some(State::Fixed(SymbolFate { fate: Fate::Fixed(one), .. })) = before.map(|seen| seen.state) {
        pieces.extend(["; before it was ".into(), fixed_by(report, one)]);
    }
    Cell::Beside(pieces, "")
}

/// Torch's reason why a symbol became constant.
fn reason_words(reason: Option<&str>) -> Cell<'_> {
    match reason {
        Some("range_refined_to_singleton") => "a guard allows only one value".into(),
        Some("find") => "it is equal to a constant".into(),
        Some(other) => log(other),
        None => "no reason recorded".into(),
    }
}

fn fixed_by<'m>(report: Report<'m>, one: &'m Specialization) -> Cell<'m> {
    let reason = reason_words(one.reason.as_deref());
    let line = line(report, one.user_stack.as_ref(), one.stack.as_ref());
    let value = Cell::Code((&*one.value).into());
    Cell::Beside(vec!["specialized to ".into(), value, ": ".into(), reason, " ".into(), line], "")
}

/// The innermost frame of the reader's own code in the first stack that has one, else the innermost of the user's.
fn own_frame<'m>(report: Report<'m>, user: Option<&'m Stack>, all: Option<&'m Stack>) -> Option<&'m Frame> {
    let is_own = |frame: &&Frame| {
        report.model.strings.get(frame.file).is_some_and(|file| !file.is_empty() && !is_library(file))
    };
    let own = [user, all].into_iter().flatten().find_map(|stack| stack.iter().rfind(is_own));
    own.or_else(|| user.and_then(|stack| stack.last()))
}

/// The line of that frame.
fn line<'m>(report: Report<'m>, user: Option<&'m Stack>, all: Option<&'m Stack>) -> Cell<'m> {
    let Some(frame) = own_frame(report, user, all) else {
        return Cell::from("no line in your code").class("soft");
    };
    let line = frame.line.and_then(|line| line.try_into().ok());
    let mut pieces = vec![place(Some(report.model.strings.get(frame.file).unwrap_or_default()), line)];
    let loc = frame.loc.as_deref().filter(|loc| !loc.is_empty());
    pieces.extend(loc.map(|loc| Cell::Code(clipped(loc, CELL).0.into())));
    Cell::Beside(pieces, " ")
}

fn compile<'m>(report: Report<'m>, at: &Recorded) -> Cell<'m> {
    let after = if at.attempt > 0 { format!(" attempt {}", at.attempt) } else { String::new() };
    Cell::maybe(report.model.compiles.get(at.compile), |compile| Cell::Compile { compile, after })
}

fn specializations<'m>(report: Report<'m>) -> Listing<'m> {
    Rows::of(report.model.shapes.specializations.iter().collect::<Vec<&'m Specialization>>())
        .compile("Compile", move |one| compile(report, &one.at))
        .text("Symbol", |one| Cell::Code((&*one.symbol).into()))
        .text("Source", |one| {
            Cell::Stacked(one.sources.iter().map(|source| Cell::Code(source.into())).collect())
        })
        .text("Value", |one| Cell::Code((&*one.value).into()))
        .text("Reason", |one| reason_words(one.reason.as_deref()).class("nowrap"))
        .text("Your line", move |one| line(report, one.user_stack.as_ref(), one.stack.as_ref()))
        .about("sizes that could have been dynamic but became constant")
        .first(LONG_TABLE, Others::Elsewhere("are on the pages of their compiles"))
        .listing("specializations", "Specializations", "")
}

/// The filter's words for the fates.
const FATES: [(&str, &str); 5] = [
    ("dynamic", "stays dynamic"),
    ("fixed", "specialized"),
    ("equal", "equal to another"),
    ("unbacked", "from data"),
    ("narrow", "32-bit guard"),
];

fn symbols_made<'m>(report: Report<'m>, fates: &'m [SymbolFate<'m>]) -> Listing<'m> {
    let text = |text: &'m Option<String>| Cell::maybe(text.as_deref(), log);
    Rows::of(fates.iter().collect::<Vec<&'m SymbolFate<'m>>>())
        .compile("Compile", move |fate| compile(report, &fate.symbol.at))
        .text("Symbol", |fate| log(&*fate.symbol.name))
        .mono()
        .text("Source", move |fate| text(&fate.symbol.source))
        .mono()
        .text("Hint", move |fate| text(&fate.symbol.hint))
        .mono()
        .explained("Its value in this compile")
        .text("Range", |fate| {
            Cell::maybe(fate.symbol.range.as_deref(), |text| log(range(text)).class("nowrap"))
        })
        .mono()
        .explained("Values allowed when it was created")
        .text("Fate", |fate| became(fate))
        .unsorted("Guards and your lines", move |fate| guards_of(report, fate))
        .text("Made by", move |fate| {
            let stack = fate.symbol.user_stack.as_ref().filter(|stack| !stack.is_empty());
            Cell::maybe(stack, |stack| line(report, Some(stack), None))
        })
        .explained("Your innermost line")
        .filtered(Filter { hint: HINT, words: FATES.to_vec() }, |fate| match fate.narrow {
            true => format!("{} narrow", fate.fate.word()).into(),
            false => fate.fate.word().into(),
        })
        .about(
            "names for dynamic sizes and numbers; a data-dependent symbol has no value until the model runs",
        )
        .first(LONG_TABLE, Others::Elsewhere("are on the pages of their compiles"))
        .listing("symbols", "Symbols", "")
}

fn became<'m>(fate: &SymbolFate<'m>) -> Cell<'m> {
    let value = |one: &'m Specialization| Cell::Code((&*one.value).into());
    let mut pieces = match fate.fate {
        Fate::Dynamic => vec!["dynamic".into()],
        Fate::Unbacked => vec!["from data".into()],
        Fate::Fixed(one) => {
            vec![Cell::from("specialized").linked("#specializations"), " to ".into(), value(one)]
        }
        Fate::Equal(one) => vec!["equal to ".into(), value(one)],
    };
    pieces.extend(fate.narrow.then(|| ", guarded for 32-bit indices".into()));
    Cell::Beside(pieces, "")
}

/// The guards on a symbol, with the lines that they come from.
fn guards_of<'m>(report: Report<'m>, fate: &SymbolFate<'m>) -> Cell<'m> {
    let frame = |at: usize| {
        fate.guards.get(at).map(|one| own_frame(report, one.user_stack.as_ref(), one.stack.as_ref()))
    };
    let guards = fate.guards.iter().take(NAMED).enumerate().map(|(at, guard)| {
        let expr = Cell::Code((&*guard.expr).into());
        let place = |frame: &Frame| (frame.file, frame.line);
        // A line shared by several guards is shown once.
        match at.checked_sub(1).and_then(frame).zip(frame(at)) {
            Some((before, now)) if before.map(place) == now.map(place) => expr,
            _ => {
                let line = line(report, guard.user_stack.as_ref(), guard.stack.as_ref());
                Cell::Beside(vec![expr, line], " ")
            }
        }
    });
    let more = fate.guards.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| own(format!("and {} more", whole(more))));
    if fate.guards.is_empty() { Cell::Unknown } else { Cell::Stacked(guards.chain(more).collect()) }
}
