//! Symbolic sizes: which were created, what was assumed about them, and which became constants.

use super::values::{plain, shown};
use super::{Event, Flow, ParseEvents, RankContext, export};
use crate::model::{
    Cell, Column, CompileIndex, ExportKind, Fields, Frame, MadeExpression, Recorded, Specialization, Stack,
    Symbol, SymbolGuard, Unit,
};
use crate::trace::TextMap;

/// Events whose fields are the columns of a table.
pub(super) struct Table {
    /// Name of its parser.
    pub parser: &'static str,
    id: &'static str,
    title: &'static str,
    note: &'static str,
    fields: &'static [&'static str],
}

pub(super) const TABLES: &[Table] = &[
    Table {
        parser: "created_symbols",
        id: "symbols",
        title: "Created symbols",
        note: "sizes that may vary",
        fields: &["symbol", "val", "vr", "source", "user_stack", "stack"],
    },
    Table {
        parser: "unbacked_symbols",
        id: "unbacked-symbols",
        title: "Unbacked symbols",
        note: "sizes that only the data tells",
        fields: &["symbol", "vr", "user_stack", "stack"],
    },
    Table {
        parser: "specializations",
        id: "specializations",
        title: "Specializations",
        note: "sizes that could have varied and were fixed to one value",
        fields: &["symbol", "sources", "value", "reason", "user_stack", "stack"],
    },
    Table {
        parser: "guards_added",
        id: "guards-added",
        title: "Guards added",
        note: "conditions on symbolic sizes that the compiled code relies on",
        fields: &["expr", "user_stack", "stack"],
    },
    Table {
        parser: "data_dependent",
        id: "data-dependent",
        title: "Data-dependent expressions",
        note: "what could only be known from the data",
        fields: &["expr", "result", "user_stack", "stack"],
    },
];

/// The column of a field.
fn column(field: &str) -> Column {
    Column::text(match field {
        "symbol" => "Symbol",
        "sources" => "Sources",
        "val" | "value" => "Value",
        "vr" => "Range",
        "source" => "Source",
        "reason" => "Reason",
        "expr" => "Expression",
        "result" => "Result assumed",
        "user_stack" => "User stack",
        _ => "Framework stack",
    })
}

/// One table of symbolic facts; each event is a row.
pub(super) struct SymbolTable(pub &'static Table);

impl ParseEvents for SymbolTable {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let table = self.0;
        let fields = event.fields();
        anyhow::ensure!(table.fields.iter().any(|f| fields.raw(f).is_some()), "it has none of its fields");
        let mut stack = |field| fields.raw(field).and_then(|raw| cx.stack(event.pid, raw));
        let (user_stack, all) = (stack("user_stack"), stack("stack"));
        let cells = table.fields.iter().map(|field| match *field {
            "stack" => Cell::Stack(all.clone()),
            "user_stack" => Cell::Stack(user_stack.clone()),
            _ => fields.raw(field).map_or(Cell::Unknown, plain),
        });
        let cells = cells.collect();
        fact(event, &fields, (user_stack, all), cx);
        let columns: Vec<Column> = table.fields.iter().map(|field| column(field)).collect();
        cx.section(table.id, table.title, table.note, &columns).row(cells);
        cx.listed_if_any(event);
        Ok(Flow::Handled)
    }
}

/// How many expressions are remembered. A trace of a large model has some ten thousand expressions.
const MOST_REMEMBERED: usize = 1 << 18;

/// Equal expressions of one compile from the same line of the program.
#[derive(PartialEq, Eq, Hash)]
struct CreatedRow {
    compile: CompileIndex,
    fields: [String; 3],
    line: Option<Frame>,
}

/// `expression_created`: symbolic expressions. Torch creates the same ones again and again, so equal ones from the same line
/// of the program share a row, with their count.
#[derive(Default)]
pub(super) struct Created {
    /// Rows by compile, result, method, arguments and line.
    rows: TextMap<CreatedRow, usize>,
}

const CREATED: [Column; 5] = [
    Column::text("Result"),
    Column::text("Method"),
    Column::text("Arguments"),
    Column::text("For the line"),
    Column::number("Times"),
];

impl ParseEvents for Created {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        const FIELDS: [&str; 3] = ["result", "method", "arguments"];
        let fields = event.fields();
        anyhow::ensure!(FIELDS.iter().any(|f| fields.raw(f).is_some()), "it has none of its fields");
        let user_stack = fields.raw("user_stack").and_then(|raw| cx.stack(event.pid, raw));
        let text = |field| fields.raw(field).map(|raw| raw.get().to_owned()).unwrap_or_default();
        let line = user_stack.as_ref().and_then(|stack| stack.last().cloned());
        let key = CreatedRow { compile: cx.compile_at_hand(), fields: FIELDS.map(text), line };
        let note =
            "how symbolic expressions came about, equal ones once; torch's own stacks stand in raw.jsonl";
        let mut section = cx.section("expressions", "Expressions created", note, &CREATED);
        match self.rows.get(&key) {
            Some(row) => section.count(*row),
            None => {
                let mut cells: Vec<Cell> =
                    FIELDS.iter().map(|f| fields.raw(f).map_or(Cell::Unknown, plain)).collect();
                cells.extend([Cell::Stack(user_stack.clone()), Cell::Number(1.0, Unit::Count)]);
                self.rows.insert(key, section.row(cells).rows().saturating_sub(1));
            }
        }
        if let (Some(id), Some(method)) = (fields.get("result_id"), fields.text("method"))
            && cx.reading.expressions.len() < MOST_REMEMBERED
        {
            let method = cx.reading.texts.text(&method);
            cx.reading.expressions.insert(id, MadeExpression { method, user_stack });
        }
        cx.listed_if_any(event);
        Ok(Flow::Handled)
    }
}

/// Keeps what the event says about a symbol, for pages about all compiles.
fn fact(
    event: &Event<'_>,
    fields: &Fields<'_>,
    (user_stack, stack): (Option<Stack>, Option<Stack>),
    cx: &mut RankContext<'_>,
) {
    let at = Recorded { compile: cx.compile_at_hand(), attempt: event.attempt, line: event.line };
    let value = |field: &str| fields.raw(field).map(shown);
    let shapes = &mut cx.model().shapes;
    match event.key {
        "create_symbol" | "create_unbacked_symbol" => shapes.symbols.push(Symbol {
            at,
            name: value("symbol").unwrap_or_default(),
            unbacked: event.key == "create_unbacked_symbol",
            hint: value("val"),
            range: value("vr"),
            source: value("source"),
            user_stack,
        }),
        "guard_added_fast" | "guard_added" => {
            let expr = value("expr").unwrap_or_default();
            let stacks = (user_stack.clone(), stack.clone());
            shapes.add_guard(SymbolGuard { at, expr, user_stack, stack });
            if fields.text("prefix").as_deref() == Some("eval") {
                export::decided(event, ExportKind::GuardEvaluated, stacks, cx);
            }
        }
        "symbolic_shape_specialization" => shapes.add_specialization(Specialization {
            at,
            symbol: value("symbol").unwrap_or_default(),
            sources: fields.get("sources").unwrap_or_default(),
            value: value("value").unwrap_or_default(),
            reason: value("reason"),
            user_stack,
            stack,
        }),
        "propagate_real_tensors_provenance" => {
            export::decided(event, ExportKind::Assumed, (user_stack, stack), cx);
        }
        "guard_on_data_dependent_error" => {
            export::decided(event, ExportKind::Undecided, (user_stack, stack), cx);
        }
        _ => {}
    }
}
