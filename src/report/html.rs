//! Text that is HTML already.

use serde::Serialize;

/// HTML that may stand in a page as it is. Only `report` can make one; templates show it with the formatter `html`,
/// which refuses everything else.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Html {
    /// The key is the tag that the formatter asks for.
    #[serde(rename = "html!")]
    text: String,
}

impl Html {
    /// Takes text that the caller has escaped.
    pub(in crate::report) fn trusted(text: impl Into<String>) -> Html {
        Html { text: text.into() }
    }

    /// Text of a log, escaped for element content and quoted attributes.
    pub fn escaped(text: &str) -> Html {
        Html::trusted(html_escape::encode_quoted_attribute(text))
    }

    /// The HTML.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}
