//! Symbolic sizes: which were created, what was assumed about them, and which became constants.

use super::values::{plain, shown};
use super::{Event, Flow, ParseEvents, RankContext, export};
use crate::limits::KEPT_OF_LOG;
use crate::model::{
    Cell, CompileIndex, ExportKind, Fields, Frame, MadeExpression, Recorded, Specialization, Stack, Symbol,
    SymbolGuard, Unit,
};
use crate::trace::TextMap;

/// A table of symbolic facts: its id, and the fields of its events that are the columns of its rows.
pub(super) struct SymbolTable(pub &'static str, pub &'static [&'static str]);

impl ParseEvents for SymbolTable {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let SymbolTable(table, columns) = self;
        let fields = event.fields();
        anyhow::ensure!(columns.iter().any(|f| fields.raw(f).is_some()), "it has none of its fields");
        let mut stack = |field| fields.raw(field).and_then(|raw| cx.stack(event.pid, raw));
        let (user_stack, all) = (stack("user_stack"), stack("stack"));
        let cells = columns.iter().map(|field| match *field {
            "stack" => Cell::Stack(all.clone()),
            "user_stack" => Cell::Stack(user_stack.clone()),
            _ => fields.raw(field).map_or(Cell::Unknown, plain),
        });
        let cells = cells.collect();
        fact(event, &fields, (user_stack, all), cx);
        cx.table(table).row(cells);
        cx.listed_if_any(event);
        Ok(Flow::Handled)
    }
}

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

impl ParseEvents for Created {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        const FIELDS: [&str; 3] = ["result", "method", "arguments"];
        let fields = event.fields();
        anyhow::ensure!(FIELDS.iter().any(|f| fields.raw(f).is_some()), "it has none of its fields");
        let user_stack = fields.raw("user_stack").and_then(|raw| cx.stack(event.pid, raw));
        let text = |field| fields.raw(field).map(|raw| raw.get().to_owned()).unwrap_or_default();
        let line = user_stack.as_ref().and_then(|stack| stack.last().cloned());
        let key = CreatedRow { compile: cx.compile_at_hand(), fields: FIELDS.map(text), line };
        let mut section = cx.table("expressions");
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
            && cx.reading.expressions.len() < KEPT_OF_LOG
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
