//! What the tools take. The comments of the fields are what an assistant reads about them.

use super::library::{Asked, Library};
use schemars::JsonSchema;
use serde::Deserialize;
use tlparse::Subject;

/// Which lines of an answer are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    /// The first line, from 1.
    pub first: Option<usize>,
    /// How many lines.
    pub count: Option<usize>,
}

/// Defines a question whose answer has lines.
macro_rules! asks {
    ($(#[$about:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$of_field])* pub $field: $type,)*
            /// The first line of the answer, from 1.
            first_line: Option<usize>,
            /// How many lines of the answer; 200 without it, 2000 at most.
            lines: Option<usize>,
        }

        impl $name {
            /// Which lines are wanted.
            pub fn lines(&self) -> Lines {
                Lines { first: self.first_line, count: self.lines }
            }
        }
    };
}

/// Defines a question about a report.
macro_rules! asks_of_report {
    ($(#[$about:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ty,)* }) => {
        asks! {
            $(#[$about])*
            $name {
                $($(#[$of_field])* $field: $type,)*
                /// The path of a log, folder or report; without it, the one that open opened last.
                report: Option<String>,
                /// A report within it: rank_0 of a job, or log_2 of several logs.
                part: Option<String>,
            }
        }

        impl $name {
            /// The report that it is about.
            pub fn asked(&self, library: &Library) -> anyhow::Result<Asked> {
                Asked::find(library, self.report.as_deref(), self.part.as_deref())
            }
        }
    };
}

asks! {
    /// A path to open.
    Open {
        /// A log (plain, .gz or .zst), a folder of logs, an archive of logs, or a finished report.
        path: String,
        /// Traces of torch.profiler to join with the log.
        #[serde(default)]
        profiles: Vec<String>,
    }
}

asks! {
    /// Two runs.
    Diff {
        /// The baseline: a log, a folder of logs, or a report.
        a: String,
        /// The run that is compared with it.
        b: String,
        /// Traces of torch.profiler to join with the log of A, to compare kernels too: --profile-a of the command line.
        #[serde(default)]
        profiles_a: Vec<String>,
        /// The same for B: --profile-b.
        #[serde(default)]
        profiles_b: Vec<String>,
    }
}

asks_of_report! {
    /// The findings.
    Findings {}
}

asks_of_report! {
    /// A list to show.
    List {
        /// What to list; recompiles have the guard that failed, and performance is what a trace of torch.profiler measured.
        #[schemars(extend("enum" = Subject::lists()))]
        what: String,
        /// Lines of JSON with the keys of report.json, instead of a table.
        #[serde(default)]
        json: bool,
    }
}

asks_of_report! {
    /// A compile.
    Compile {
        /// Its id, such as 3/1.
        id: String,
    }
}

asks_of_report! {
    /// A file of a compile.
    Artifact {
        /// The id of the compile, such as 3/1.
        compile: String,
        /// The name of the file, such as dynamo_output_graph or inductor_output_code, or its path from the list of files.
        name: String,
    }
}

asks_of_report! {
    /// A text to search for.
    Search {
        /// The text, in any case of letters.
        text: String,
    }
}

asks_of_report! {
    /// A budget to check.
    Check {
        /// The budget as TOML, such as graph_breaks = 0; without it only failures are checked.
        #[serde(default)]
        budget: String,
    }
}
