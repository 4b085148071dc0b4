//! `shapes.html`: which sizes are dynamic, since when, and what made the others constant.

use crate::analysis::is_capture;
use crate::analysis::shapes::{
    Answer, Dimension, Fate, Seen, State, SymbolFate, TensorSizes, dimensions, guarded_sizes, symbols,
};
use crate::limits::{LONG_LINE, LONG_TABLE, NAMED};
use crate::model::{CompileIndex, Content, Recompile, Recorded, Specialization, Stack};
use crate::output::{Page, RelPath};
use crate::report::kit::formats::{UNKNOWN, clipped, counted, range, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    close, close_section, open_more, soft, soft_paragraph, span, stacked, strong, write_line,
};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use fxhash::FxHashMap;
use std::io::Write;

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

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["shapes.html"]), move |worker, out| {
        let fates = symbols(report.model);
        let dims = dimensions(report.model, &fates, &guards(report)?);
        let count = |n: usize| Some(whole(n));
        let fixed = &report.model.shapes.specializations;
        let mut shell = Shell::top(report, "Shapes");
        let sections = [
            (dims.len(), "dimensions", "Inputs"),
            (fixed.len(), "specializations", "Specializations"),
            (fates.len(), "symbols", "Symbols"),
        ];
        let sections = sections.into_iter().filter(|(n, ..)| *n > 0);
        shell.tabs = sections.map(|(n, id, text)| Tab::section(id, text, count(n))).collect();
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            write_line(out, &verdict(view, &fates, &dims)?)?;
            write_dimensions(view, out, &dims)?;
            write_specializations(view, out, fixed)?;
            write_symbols(view, out, &fates)
        })
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

fn verdict(view: View<'_>, fates: &[SymbolFate<'_>], dims: &[Dimension<'_>]) -> anyhow::Result<Html> {
    let inputs = dims.len();
    let dynamic = dims.iter().filter(|d| matches!(d.answer(), Answer::Since(_))).count();
    let answer = match inputs {
        0 => "No input tensors are recorded".to_owned(),
        _ => {
            format!(
                "{} of {} of inputs are dynamic",
                whole(dynamic),
                counted(inputs, "dimension", "dimensions")
            )
        }
    };
    let of = |word: &str| fates.iter().filter(|fate| fate.fate.word() == word).count();
    let symbols = if fates.is_empty() {
        "No symbols were created.".to_owned()
    } else {
        let mut parts = vec![counted(of("dynamic"), "stays dynamic", "stay dynamic")];
        for (word, one, many) in [
            ("fixed", "was specialized to one value", "were specialized to one value"),
            ("equal", "equals another", "equal another"),
            ("unbacked", "depends on data", "depend on data"),
        ] {
            parts.extend((of(word) > 0).then(|| counted(of(word), one, many)));
        }
        format!("{}: {}.", counted(fates.len(), "symbol", "symbols"), parts.join(", "))
    };
    let note = "A dynamic size has a symbol, and one compile serves all its values. A static size is part \
        of the compiled code: another value is compiled again.";
    view.verdict(format!("{answer}. {symbols}").into(), vec![note.into()])
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

fn write_dimensions(view: View<'_>, out: &mut dyn Write, dims: &[Dimension<'_>]) -> anyhow::Result<()> {
    if dims.is_empty() {
        return Ok(());
    }
    let (constant, changing): (Vec<_>, Vec<_>) =
        grouped(dims).into_iter().partition(|group| group.first().is_some_and(|d| answer_word(d) == "no"));
    let words = ANSWERS.map(|(word, text)| {
        let first = changing.iter().filter_map(|group| group.first());
        (word, text, first.filter(|d| answer_word(d) == word).count())
    });
    let tools = view.narrow("dimensions-table", HINT, words)?;
    let about = "as of the last compile of each function, without parameters";
    view.open_section(out, ("dimensions", "Inputs", about), Some(whole(dims.len())), tools)?;
    if changing.is_empty() {
        soft_paragraph(out, "No input has a size that is dynamic or was specialized.")?;
    } else {
        dimensions_table(view, out, ("dimensions-table", "Dimensions of inputs"), &changing)?;
    }
    if !constant.is_empty() {
        let inputs: usize = constant.iter().map(|group| group.len()).sum();
        let words =
            "constant: part of the compiled code, and only one size was seen unless a reason is given";
        let summary = format!("{} {words}", counted(inputs, "dimension is", "dimensions are"));
        open_more(out, summary)?;
        dimensions_table(view, out, ("constants-table", "Constant dimensions of inputs"), &constant)?;
        close(out, "details")?;
    }
    close_section(out)?;
    Ok(())
}

/// A table of dimensions, those of one tensor with one answer in a row.
fn dimensions_table(
    view: View<'_>,
    out: &mut dyn Write,
    (id, label): (&str, &str),
    all: &[&[Dimension<'_>]],
) -> anyhow::Result<()> {
    let model = view.report.model;
    let recompiles = model.recompiles.iter().filter_map(|r| Some((*model.by_id.get(&r.compile)?, r)));
    let recompiles: FxHashMap<CompileIndex, &Recompile> = recompiles.collect();
    let says_why =
        |group: &&&[Dimension<'_>]| group.first().is_some_and(|dim| !why(view, dim, &recompiles).is_empty());
    let columns = vec![
        TableColumn::text("Function"),
        TableColumn::text("Input").mono(),
        TableColumn::text("Dimension").about("Counted from 0; empty for a number"),
        TableColumn::text("Dynamic?"),
        TableColumn::unsorted("Why").absent_if(!all.iter().any(|group| says_why(&group))),
        TableColumn::unsorted("Compiles")
            .about("The sizes that each compile saw, and whether it accepts others"),
    ];
    let table = Table { id, label, columns };
    let rows: Vec<_> = all.iter().take(LONG_TABLE).collect();
    let shown: usize = rows.iter().map(|group| group.len()).sum();
    let total: usize = all.iter().map(|group| group.len()).sum();
    let rows = rows.into_iter().map(|group| {
        let row = dimension(view, group, &recompiles);
        let word = group.first().map_or("", answer_word);
        row.selected_by(word.to_owned())
    });
    view.table(out, &table, rows)?;
    let what = "are left out; the pages of the compiles list their input tensors";
    view.left_out(out, total, shown, what)
}

/// Whether dimensions of a tensor share a row: only one size was seen, or nothing is recorded.
fn grouped<'d, 'm>(dims: &'d [Dimension<'m>]) -> Vec<&'d [Dimension<'m>]> {
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

/// A row: one dimension, or several of one tensor with the same answer.
fn dimension(
    view: View<'_>,
    group: &[Dimension<'_>],
    recompiles: &FxHashMap<CompileIndex, &Recompile>,
) -> Row {
    let Some(dim) = group.first() else { return Row::default() };
    let compile = |seen: &Seen<'_>| view.report.model.compiles.get(seen.compile);
    let function = dim.seen.iter().filter_map(compile).find(|c| c.function.is_some());
    let capture = dim.seen.iter().filter_map(compile).any(is_capture);
    let function = match function {
        Some(compile) => view.named(compile),
        None => Html::escaped(if capture { "backward, captured" } else { UNKNOWN }),
    };
    let word = answer_word(dim);
    let answer = match word {
        "yes" => strong("yes"),
        "fixed" => span("warn", "no, specialized"),
        "unclear" => "not recorded".into(),
        _ => "no".into(),
    };
    let mut seen = Vec::new();
    for (at, one) in dim.seen.iter().enumerate().skip(dim.seen.len().saturating_sub(NAMED)) {
        let pill = compile(one).map_or_else(Html::default, |c| view.pill_beside(c));
        let sizes = group.iter().filter_map(|dim| dim.seen.get(at));
        let sizes: Vec<&str> = sizes.map(|seen| seen.size.as_deref().unwrap_or(UNKNOWN)).collect();
        let sizes = match sizes.as_slice() {
            [one] => view.code(one),
            all => view.code(&format!("[{}]", all.join(", "))),
        };
        // The answer covers all later ones.
        let said = matches!(dim.answer(), Answer::Since(since) if since <= at);
        let dynamic = (one.state.is_dynamic() && !said).then(|| "dynamic".into());
        seen.push(Html::joined([pill, sizes].into_iter().chain(dynamic), " "));
    }
    let more = dim.seen.len().saturating_sub(NAMED);
    if more > 0 {
        seen.insert(0, Html::escaped(&format!("{} earlier", whole(more))));
    }
    let numbers = group.iter().map(|dim| dim.dim.map_or_else(|| UNKNOWN.to_owned(), whole));
    let numbers = numbers.collect::<Vec<_>>().join(", ");
    Row::of(vec![
        TableCell::html(function),
        TableCell::html(view.folded(&dim.source, false)),
        TableCell::text(&numbers).sorted(dim.dim.map_or(-1, |at| at as i64)),
        TableCell::html(answer),
        TableCell::html(why(view, dim, recompiles)),
        TableCell::html(Html::joined(seen, ", ")),
    ])
}

/// Since when a dimension is dynamic and why, or why it is constant.
fn why(view: View<'_>, dim: &Dimension<'_>, recompiles: &FxHashMap<CompileIndex, &Recompile>) -> Html {
    match (dim.answer(), dim.seen.last().map(|seen| seen.state)) {
        (Answer::Since(at), _) => {
            let Some(first) = dim.seen.get(at) else { return Html::default() };
            let id = view.report.model.compiles.get(first.compile).map(|c| c.label()).unwrap_or_default();
            let symbol = match first.state {
                State::Dynamic(Some(symbol)) => {
                    Html::joined([Html::escaped(", as "), view.code(&symbol.name)], "")
                }
                _ => Html::escaped(", sharing the symbol of an equal size"),
            };
            let text = if first.marked {
                format!("since [{id}], marked by the program")
            } else if at > 0 {
                let reason = recompiles.get(&first.compile).and_then(|r| r.reasons.first());
                let reason = reason
                    .map_or_else(String::new, |r| format!(" after {}", clipped(r.text.trim(), LONG_LINE).0));
                format!("since [{id}]{reason}")
            } else if id.starts_with('!') {
                format!("since [{id}]: compiled autograd makes sizes symbolic")
            } else if dim.dim.is_none() {
                format!("since [{id}]: passed in at run time, not baked in")
            } else {
                format!("since [{id}]: dynamic=True, a mark or listed sources")
            };
            let before = at.checked_sub(1).and_then(|before| dim.seen.get(before));
            let before = match before.map(|seen| seen.state) {
                Some(State::Fixed(SymbolFate { fate: Fate::Fixed(one), .. })) => {
                    Html::wrapped("; before it was ", &fixed_by(view, one), "")
                }
                _ => Html::default(),
            };
            Html::joined([Html::escaped(&text), symbol, before], "")
        }
        (_, Some(State::Fixed(fate))) => match fate.fate {
            Fate::Fixed(one) => fixed_by(view, one),
            _ => Html::joined([view.code(&fate.symbol.name), Html::escaped(" became a constant")], ""),
        },
        (Answer::Unclear, _) => {
            Html::escaped("no symbol; it may share the symbol of an equal size, and no guards are recorded")
        }
        _ => {
            let mut sizes: Vec<&str> = dim.seen.iter().filter_map(|seen| seen.size.as_deref()).collect();
            sizes.sort_unstable();
            sizes.dedup();
            let shown = sizes.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            Html::escaped(&match sizes.len() {
                0 | 1 => String::new(),
                n => format!("{} were seen, each compiled again: {shown}", counted(n, "size", "sizes")),
            })
        }
    }
}

/// Torch's reason why a symbol became constant.
fn reason_words(reason: Option<&str>) -> &str {
    match reason {
        Some("range_refined_to_singleton") => "a guard allows only one value",
        Some("find") => "it is equal to a constant",
        Some(other) => other,
        None => "no reason recorded",
    }
}

fn fixed_by(view: View<'_>, one: &Specialization) -> Html {
    let value = view.code(&one.value);
    let to = Html::wrapped("specialized to ", &value, ": ");
    let reason = Html::escaped(reason_words(one.reason.as_deref()));
    Html::joined(
        [to, reason, Html::escaped(" "), line(view, one.user_stack.as_ref(), one.stack.as_ref())],
        "",
    )
}

/// The reader's innermost line of a stack; falls back to the full stack.
fn line(view: View<'_>, user: Option<&Stack>, all: Option<&Stack>) -> Html {
    let stacks = [user, all].into_iter().flatten();
    let own = stacks.into_iter().find_map(|stack| stack.get(view.innermost_own(stack)?));
    let own = own.or_else(|| user.and_then(|stack| stack.last()));
    let Some(frame) = own else {
        return soft(Html::escaped("no line in your code"));
    };
    let place = view.place(Some(view.file(frame)), frame.line);
    let loc = frame.loc.as_deref().filter(|loc| !loc.is_empty());
    let loc = loc.map_or_else(Html::default, |loc| view.code(clipped(loc, 100).0));
    Html::joined([place, loc], " ")
}

fn write_specializations(view: View<'_>, out: &mut dyn Write, all: &[Specialization]) -> anyhow::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let about = "sizes that could have been dynamic but became constant";
    view.open_section(
        out,
        ("specializations", "Specializations", about),
        Some(whole(all.len())),
        Html::default(),
    )?;
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("Symbol"),
        TableColumn::text("Source"),
        TableColumn::text("Value"),
        TableColumn::text("Reason"),
        TableColumn::text("Your line"),
    ];
    let table = Table { id: "specializations-table", label: "Specializations", columns };
    let rows: Vec<_> = all.iter().take(LONG_TABLE).collect();
    let rows = rows.into_iter().map(|one| {
        Row::of(vec![
            compile_cell(view, &one.at),
            TableCell::html(view.code(&one.symbol)),
            TableCell::html(stacked(one.sources.iter().map(|source| view.folded(source, true)))),
            TableCell::html(view.folded(&one.value, true)),
            TableCell::text(reason_words(one.reason.as_deref())).class("nowrap"),
            TableCell::html(line(view, one.user_stack.as_ref(), one.stack.as_ref())),
        ])
    });
    view.table(out, &table, rows)?;
    view.left_out(out, all.len(), LONG_TABLE, "are on the pages of their compiles")?;
    close_section(out)?;
    Ok(())
}

fn compile_cell(view: View<'_>, at: &Recorded) -> TableCell {
    let compile = view.report.model.compiles.get(at.compile);
    let pill = compile.map_or_else(|| Html::escaped(UNKNOWN), |c| view.pill(c));
    let attempt = if at.attempt > 0 { format!(" attempt {}", at.attempt) } else { String::new() };
    TableCell::html(Html::joined([pill, Html::escaped(&attempt)], "")).sorted(at.compile)
}

/// The filter's words for the fates.
const FATES: [(&str, &str); 4] = [
    ("dynamic", "stays dynamic"),
    ("fixed", "specialized"),
    ("equal", "equal to another"),
    ("unbacked", "from data"),
];

fn write_symbols(view: View<'_>, out: &mut dyn Write, fates: &[SymbolFate<'_>]) -> anyhow::Result<()> {
    if fates.is_empty() {
        return Ok(());
    }
    let narrow = fates.iter().filter(|fate| fate.narrow).count();
    let words =
        FATES.map(|(word, text)| (word, text, fates.iter().filter(|f| f.fate.word() == word).count()));
    let words = words.into_iter().chain([("narrow", "32-bit guard", narrow)]);
    let tools = view.narrow("symbols-table", HINT, words)?;
    let about = "names for dynamic sizes and numbers; a data-dependent symbol has no value until the model \
        runs";
    view.open_section(out, ("symbols", "Symbols", about), Some(whole(fates.len())), tools)?;
    let known = |get: fn(&SymbolFate<'_>) -> bool| !fates.iter().any(get);
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("Symbol").mono(),
        TableColumn::text("Source").mono().absent_if(known(|f| f.symbol.source.is_some())),
        TableColumn::text("Hint")
            .mono()
            .about("Its value in this compile")
            .absent_if(known(|f| f.symbol.hint.is_some())),
        TableColumn::text("Range").mono().about("Values allowed when it was created"),
        TableColumn::text("Fate"),
        TableColumn::unsorted("Guards and your lines").absent_if(known(|f| !f.guards.is_empty())),
        TableColumn::text("Made by")
            .about("Your innermost line")
            .absent_if(known(|f| f.symbol.user_stack.is_some())),
    ];
    let table = Table { id: "symbols-table", label: "Symbols", columns };
    let rows: Vec<_> = fates.iter().take(LONG_TABLE).collect();
    let rows = rows.into_iter().map(|fate| {
        let (row, words) = symbol(view, fate);
        row.selected_by(words)
    });
    view.table(out, &table, rows)?;
    view.left_out(out, fates.len(), LONG_TABLE, "are on the pages of their compiles")?;
    close_section(out)?;
    Ok(())
}

/// The row of a symbol, and its filter words.
fn symbol(view: View<'_>, fate: &SymbolFate<'_>) -> (Row, String) {
    let symbol = fate.symbol;
    let code = |text: &Option<String>| match text {
        Some(text) => TableCell::html(view.folded(text, false)),
        None => TableCell::text(UNKNOWN),
    };
    let mut words = fate.fate.word().to_owned();
    let mut became = match fate.fate {
        Fate::Dynamic => Html::escaped("dynamic"),
        Fate::Unbacked => Html::escaped("from data"),
        Fate::Fixed(one) => {
            let table = view.link("#specializations", "specialized");
            Html::joined([table, Html::escaped(" to "), view.code(&one.value)], "")
        }
        Fate::Equal(one) => Html::wrapped("equal to ", &view.code(&one.value), ""),
    };
    if fate.narrow {
        words.push_str(" narrow");
        became = Html::joined([became, Html::escaped("guarded for 32-bit indices")], ", ");
    }
    let (mut guards, mut last) = (Vec::new(), Html::default());
    for guard in fate.guards.iter().take(NAMED) {
        let line = line(view, guard.user_stack.as_ref(), guard.stack.as_ref());
        let expr = view.folded(&guard.expr, true);
        // A line shared by several guards is shown once.
        guards.push(if line.as_str() == last.as_str() {
            expr
        } else {
            Html::joined([expr, line.clone()], " ")
        });
        last = line;
    }
    let more = fate.guards.len().saturating_sub(NAMED);
    guards.extend((more > 0).then(|| Html::escaped(&format!("and {} more", whole(more)))));
    let made = match symbol.user_stack.as_ref().filter(|stack| !stack.is_empty()) {
        Some(stack) => line(view, Some(stack), None),
        None => Html::escaped(UNKNOWN),
    };
    let row = Row::of(vec![
        compile_cell(view, &symbol.at),
        TableCell::text(&symbol.name),
        code(&symbol.source),
        code(&symbol.hint),
        code(&symbol.range.as_deref().map(range)).class("nowrap"),
        TableCell::html(became),
        TableCell::html(stacked(guards)),
        TableCell::html(made),
    ]);
    (row, words)
}

/// The number of symbols; None if there are none.
pub(crate) fn count(report: Report<'_>) -> Option<usize> {
    Some(report.model.shapes.symbols.len()).filter(|count| *count > 0)
}
