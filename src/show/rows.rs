//! The selected part of a log, and its lists for other programs: a line of JSON, or a row of CSV, per item. Keys and columns
//! are those of `report.json`.

use crate::hidden::{visible, visible_json};
use crate::report::doc::Listing;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The part of one log that is asked for.
#[derive(Default)]
pub(super) struct Selection<'r> {
    /// Lists and objects of `report.json`, below the name of the log: `rank 3`, or empty for a single log.
    pub json: Map<String, Value>,
    /// In the order in which they are shown.
    pub lists: Vec<Listing<'r>>,
}

impl<'r> Selection<'r> {
    pub fn object(&mut self, key: &str, value: &(impl Serialize + ?Sized)) -> serde_json::Result<()> {
        self.json.insert(key.to_owned(), serde_json::to_value(value)?);
        Ok(())
    }

    /// Adds the entries of a list of the report.
    pub fn list<T: Serialize>(
        &mut self,
        key: &str,
        entries: Vec<&'r T>,
        list: impl FnOnce(Vec<&'r T>) -> Listing<'r>,
    ) -> serde_json::Result<()> {
        self.object(key, &entries)?;
        self.lists.push(list(entries));
        Ok(())
    }

    /// A compile has lists of all kinds: those that are empty are taken out and named together, in one sentence.
    pub fn take_missing(&mut self) -> Option<String> {
        let (empty, shown) = std::mem::take(&mut self.lists).into_iter().partition(|list| list.count() == 0);
        self.lists = shown;
        let empty: Vec<Listing<'_>> = empty;
        let names = empty.iter().map(|list| list.empty.trim_start_matches("No ").trim_end_matches('.'));
        match names.collect::<Vec<_>>().as_slice() {
            [] => None,
            [one] => Some(format!("No {one}.")),
            [before @ .., last] => Some(format!("No {} or {last}.", before.join(", "))),
        }
    }
}

/// An item of a list.
struct ShownItem<'v> {
    /// The list: `graph_breaks`.
    list: &'v str,
    /// `rank 3`; empty for a single log.
    name: &'v str,
    fields: &'v Map<String, Value>,
}

/// The items of all lists of these parts, each with the name of its log.
fn items<'v>(parts: impl Iterator<Item = (&'v str, &'v Value)>) -> Vec<ShownItem<'v>> {
    let mut items = Vec::new();
    for (name, json) in parts {
        for (list, value) in json.as_object().into_iter().flatten() {
            let all = value.as_array().into_iter().flatten().filter_map(Value::as_object);
            items.extend(all.map(|fields| ShownItem { list, name, fields }));
        }
    }
    items
}

/// A line of JSON per item, with its list, and the rank that it is of.
pub(super) fn jsonl<'v>(parts: impl Iterator<Item = (&'v str, &'v Value)>) -> String {
    let mut text = String::new();
    for item in items(parts) {
        let mut line = Map::new();
        line.insert("list".to_owned(), item.list.into());
        if !item.name.is_empty() {
            line.insert("log".to_owned(), item.name.into());
        }
        line.extend(item.fields.iter().map(|(key, value)| (key.clone(), value.clone())));
        text.push_str(&visible_json(&Value::Object(line).to_string()));
        text.push('\n');
    }
    text
}

/// A row per item of the first list, below the names of its columns. What is no text and no number is JSON.
pub(super) fn csv<'v>(parts: impl Iterator<Item = (&'v str, &'v Value)>) -> String {
    let items = items(parts);
    let Some(list) = items.first().map(|item| item.list) else { return String::new() };
    let items: Vec<ShownItem<'_>> = items.into_iter().filter(|item| item.list == list).collect();
    let has_logs = items.iter().any(|item| !item.name.is_empty());
    let columns: Vec<&str> =
        items.first().map(|first| first.fields.keys().map(String::as_str).collect()).unwrap_or_default();
    let mut text = String::new();
    let logs = |name: &'static str| has_logs.then_some(Cow::Borrowed(name));
    row(&mut text, logs("log").into_iter().chain(columns.iter().map(|column| Cow::Borrowed(*column))));
    for item in &items {
        let log = has_logs.then(|| Cow::Owned(item.name.to_owned()));
        let cells = columns.iter().map(|column| cell(item.fields.get(*column)));
        row(&mut text, log.into_iter().chain(cells));
    }
    text
}

fn cell(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Owned(harmless(text)),
        Some(other) => Cow::Owned(visible_json(&other.to_string()).into_owned()),
    }
}

/// Text of a log as a cell: a spreadsheet must not take it for a formula, nor a terminal for a command.
fn harmless(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t']);
    format!("{}{}", if formula { "'" } else { "" }, visible(text))
}

fn row<'c>(text: &mut String, cells: impl Iterator<Item = Cow<'c, str>>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            text.push(',');
        }
        match cell.contains(['"', ',', '\n', '\r']) {
            true => text.push_str(&format!("\"{}\"", cell.replace('"', "\"\""))),
            false => text.push_str(&cell),
        }
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cell_is_quoted_where_it_must_be_and_is_never_a_formula() {
        let json = json!({"findings": [
            {"title": "a, \"b\"", "line": 3, "ids": ["0/0"], "file": null},
            {"title": "=HYPERLINK(1)\u{1b}", "line": -2, "ids": [], "file": "x"},
        ]});
        let text = csv([("", &json)].into_iter());
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines[0], "title,line,ids,file");
        assert_eq!(lines[1], "\"a, \"\"b\"\"\",3,\"[\"\"0/0\"\"]\",");
        assert_eq!(lines[2], "'=HYPERLINK(1)\\u{1b},-2,[],x");
    }

    #[test]
    fn each_item_is_a_line_with_its_list_and_its_rank() {
        let json = json!({"failures": [{"error": "a"}], "restarts": [{"reason": "b"}], "counts": {"x": 1}});
        let text = jsonl([("rank 3", &json)].into_iter());
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0], json!({"list": "failures", "log": "rank 3", "error": "a"}));
        assert_eq!(lines.len(), 2);
        assert_eq!(csv([("", &json!({}))].into_iter()), "");
    }
}
