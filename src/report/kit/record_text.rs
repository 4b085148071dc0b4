//! Metrics records, read again by most pages of compiles.

use crate::model::{Fields, MetricsRecord};
use crate::report::kit::log_settings;
use crate::report::kit::log_text::fields_of;
use crate::report::subject::Report;
use crate::trace::string_length;
use memchr::memmem;

impl Report<'_> {
    /// Gives the fields of a metrics record to `look`. Of its 40 KB, configurations take 35: those that stand on their own
    /// page are `...` here.
    pub(crate) fn with_metrics<T>(
        &self,
        record: &MetricsRecord,
        look: impl FnOnce(&Fields<'_>) -> T,
    ) -> anyhow::Result<T> {
        let mut bytes = Vec::new();
        self.source.read_span(record.header, &mut bytes)?;
        for (field, md5) in record.configs.iter() {
            let is_read = self.model.configs.get(md5).is_some_and(|config| config.settings.is_some());
            if is_read && log_settings::address(field).is_some() {
                leave_out(&mut bytes, field);
            }
        }
        fields_of(&bytes, record.first_line, look)
    }
}

/// Writes `...` for the text of a field.
fn leave_out(header: &mut Vec<u8>, field: &str) {
    let key = format!("\"{field}\":");
    let Some(mut value) = memmem::find(header, key.as_bytes()).map(|at| at + key.len()) else { return };
    value += header.iter().skip(value).take_while(|byte| **byte == b' ').count();
    let text = header.get(value..).filter(|text| text.starts_with(b"\""));
    let end = value + text.map_or(0, string_length);
    if end > value + 2 && header.get(end - 1) == Some(&b'"') {
        header.splice(value + 1..end - 1, *b"...");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_left_out_where_it_is_the_value_of_its_field() {
        let without = |json: &str| {
            let mut header = json.as_bytes().to_vec();
            leave_out(&mut header, "dynamo_config");
            String::from_utf8(header).unwrap()
        };
        let long = r#"{"a": 1, "dynamo_config": "{\"x\": \"\\\\\"}", "b": "dynamo_config"}"#;
        assert_eq!(without(long), r#"{"a": 1, "dynamo_config": "...", "b": "dynamo_config"}"#);
        assert_eq!(
            without(&long.replace("\": ", "\":")),
            r#"{"a":1, "dynamo_config":"...", "b":"dynamo_config"}"#
        );
        // Where it stands in a text, its quotes have backslashes.
        for same in [
            r#"{"note": "\"dynamo_config\": \"{}\"", "b": 1}"#,
            r#"{"dynamo_config": null}"#,
            r#"{"dynamo_config": {"x": 1}}"#,
            r#"{"dynamo_config": ""}"#,
            r#"{"dynamo_config": "cut"#,
            r#"{"dynamo_config": ""#,
        ] {
            assert_eq!(without(same), same);
        }
    }
}
