//! Symbolic sizes: which were made, what was assumed of them, which became constants.

use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::model::{Cell, Column, ExportProblem, Specialization};
use serde_json::value::RawValue;

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    TABLES.iter().map(|table| Box::new(SymbolTable(table)) as Box<dyn StructuredLogParser>).collect()
}

/// Events whose fields are the columns of a table.
struct Table {
    name: &'static str,
    key: &'static [&'static str],
    about: &'static str,
    id: &'static str,
    title: &'static str,
    note: &'static str,
    columns: &'static [Column],
    fields: &'static [&'static str],
}

const TABLES: &[Table] = &[
    Table {
        name: "created_symbols",
        key: &["create_symbol"],
        about: "Sizes that torch made symbolic, with their source, hint, range and stacks.",
        id: "symbols",
        title: "Created symbols",
        note: "sizes that may vary",
        columns: &[
            Column::text("Symbol"),
            Column::text("Value"),
            Column::text("Range"),
            Column::text("Source"),
            Column::text("User stack"),
            Column::text("Framework stack"),
        ],
        fields: &["symbol", "val", "vr", "source", "user_stack", "stack"],
    },
    Table {
        name: "unbacked_symbols",
        key: &["create_unbacked_symbol"],
        about: "Sizes that depend on data, with their range and stacks.",
        id: "unbacked-symbols",
        title: "Unbacked symbols",
        note: "sizes that only the data tells",
        columns: &[
            Column::text("Symbol"),
            Column::text("Range"),
            Column::text("User stack"),
            Column::text("Framework stack"),
        ],
        fields: &["symbol", "vr", "user_stack", "stack"],
    },
    Table {
        name: "specializations",
        key: &["symbolic_shape_specialization"],
        about: "Symbolic sizes that became constants, with the reason and the lines responsible.",
        id: "specializations",
        title: "Specialisations",
        note: "sizes that could have varied and were fixed to one value",
        columns: &[
            Column::text("Symbol"),
            Column::text("Sources"),
            Column::text("Value"),
            Column::text("Reason"),
            Column::text("User stack"),
            Column::text("Framework stack"),
        ],
        fields: &["symbol", "sources", "value", "reason", "user_stack", "stack"],
    },
    Table {
        name: "guards_added",
        key: &["guard_added_fast", "guard_added"],
        about: "Conditions on symbolic sizes, with the lines that needed them.",
        id: "guards-added",
        title: "Guards added",
        note: "conditions on symbolic sizes that the compiled code relies on",
        columns: &[Column::text("Expression"), Column::text("User stack"), Column::text("Framework stack")],
        fields: &["expr", "user_stack", "stack"],
    },
    Table {
        name: "data_dependent",
        key: &[
            "propagate_real_tensors",
            "propagate_real_tensors_provenance",
            "guard_on_data_dependent_error",
        ],
        about: "Expressions that depend on the data of a tensor, with the result that was assumed.",
        id: "data-dependent",
        title: "Data-dependent expressions",
        note: "what could only be known from the data",
        columns: &[
            Column::text("Expression"),
            Column::text("Result assumed"),
            Column::text("User stack"),
            Column::text("Framework stack"),
        ],
        fields: &["expr", "result", "user_stack", "stack"],
    },
    Table {
        name: "expressions_created",
        key: &["expression_created"],
        about: "Symbolic expressions and what they were made of.",
        id: "expressions",
        title: "Expressions created",
        note: "how symbolic expressions came about",
        columns: &[
            Column::text("Result"),
            Column::text("Method"),
            Column::text("Arguments"),
            Column::text("User stack"),
            Column::text("Framework stack"),
        ],
        fields: &["result", "method", "arguments", "user_stack", "stack"],
    },
];

/// One table of symbolic facts; each event is a row.
struct SymbolTable(&'static Table);

impl StructuredLogParser for SymbolTable {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn about(&self) -> &'static str {
        self.0.about
    }

    fn keys(&self) -> &'static [&'static str] {
        self.0.key
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let table = self.0;
        let fields = event.fields();
        anyhow::ensure!(table.fields.iter().any(|f| fields.raw(f).is_some()), "it has none of its fields");
        let cells = table.fields.iter().map(|field| match *field {
            "stack" | "user_stack" => Cell::Stack(fields.raw(field).and_then(|raw| cx.stack(event.pid, raw))),
            _ => fields.raw(field).map_or(Cell::Unknown, plain),
        });
        let cells = cells.collect();
        cx.section(table.id, table.title, table.note, table.columns).row(cells);
        cx.listed_if_any(event);
        note(event, cx);
        Ok(Flow::Handled)
    }
}

/// Keeps what findings need of an event.
fn note(event: &Event<'_>, cx: &mut RankContext<'_>) {
    let fields = event.fields();
    let user_stack = fields.raw("user_stack").and_then(|raw| cx.stack(event.pid, raw));
    let (compile, line) = (cx.compile, event.line);
    let word = |field: &str| {
        fields.raw(field).map(|raw| match serde_json::from_str::<String>(raw.get()) {
            Ok(text) => text,
            Err(_) => raw.get().to_owned(),
        })
    };
    match event.key {
        "symbolic_shape_specialization" => cx.model().specializations.push(Specialization {
            compile,
            symbol: word("symbol").unwrap_or_default(),
            sources: fields.get("sources").unwrap_or_default(),
            value: word("value").unwrap_or_default(),
            reason: word("reason"),
            user_stack,
            line,
        }),
        "propagate_real_tensors_provenance" | "guard_on_data_dependent_error" => {
            cx.model().export_problems.push(ExportProblem {
                compile,
                event: event.key.to_owned(),
                subject: word("expr").unwrap_or_default(),
                result: word("result"),
                user_stack,
                line,
            });
        }
        _ => {}
    }
}

/// A JSON value as people read it: text without quotes, a list as one item a line.
fn plain(value: &RawValue) -> Cell {
    if let Ok(text) = serde_json::from_str::<String>(value.get()) {
        return Cell::Code(text);
    }
    match serde_json::from_str::<Vec<String>>(value.get()) {
        Ok(list) => Cell::Codes(list),
        Err(_) => Cell::Code(value.get().to_owned()),
    }
}
