//! Which list of report.json each table shows, and which of its keys each column: one table of columns for all forms.

/// A list of report.json with the tables that show it.
pub struct Shown {
    /// The name of the list in `lists.rs`.
    pub list: &'static str,
    /// Tables that have a row for each entry.
    pub whole: &'static [&'static str],
    /// Tables of some of the entries.
    pub some: &'static [&'static str],
    /// The keys of columns, by their heads; `^` is the heading above the table.
    pub columns: &'static [(&'static str, &'static str)],
    /// Heads of columns that report.json does not have, each with the reason.
    pub unsaid: &'static [(&'static str, &'static str)],
}

/// All lists.
pub const LISTS: &[Shown] = &[
    Shown {
        list: "compiles",
        whole: &["show Compiles", "redacted show Compiles"],
        some: &["report.md Times, Compile"],
        columns: COMPILES,
        unsaid: COMPILES_UNSAID,
    },
    Shown {
        list: "compiles with those without an id",
        whole: &["redacted index.html compiles-table"],
        some: &[],
        columns: COMPILES,
        unsaid: COMPILES_UNSAID,
    },
    Shown {
        list: "functions",
        whole: &["index.html functions-table"],
        some: &["index.html costliest-functions-table"],
        columns: &[
            ("Compiles", "compile_ids"),
            ("Function", "function.name"),
            ("Your line", "yours.place"),
            ("Time", "time.seconds"),
        ],
        unsaid: &[
            ("Ops", "of the last compile: held in the redacted form"),
            ("Guards", "of the last compile: held in the redacted form"),
            ("Parts, share of its time", "bars without a number"),
            ("Cache", "lookups are held by the page of caches"),
            ("Files", "counts what is on the page"),
        ],
    },
    Shown {
        list: "timed compiles",
        whole: &["time.html compiles-table"],
        some: &[],
        columns: &[
            ("Compile", "id"),
            ("Function", "function"),
            ("Time", "told_s"),
            ("Dynamo", "parts.Dynamo.seconds"),
            ("AOTAutograd", "parts.AOTAutograd.seconds"),
            ("Inductor", "parts.Inductor.seconds"),
            ("Code generation", "parts.Code generation.seconds"),
            ("Kernel builds", "parts.Kernel builds.seconds"),
            ("Autotuning", "parts.Autotuning.seconds"),
        ],
        unsaid: &[
            ("Wasted", "the seconds before a restart are in the metrics of torch"),
            ("Saved", "report.json does not have the seconds that a cache saved"),
        ],
    },
    Shown {
        list: "compiles of a break",
        whole: &["graph_breaks.html break-N-table"],
        some: &[],
        columns: &[("Compile", "id"), ("Function", "function")],
        unsaid: &[
            ("Thrown away", "the seconds of one attempt are not in report.json"),
            ("Led to", "resume functions are found by the place of the break"),
            ("Their time", "time of the resume functions"),
            ("Record", "a link"),
        ],
    },
    Shown {
        list: "graph_breaks",
        whole: &[
            "show Graph breaks",
            "redacted show Graph breaks",
            "report.md Graph breaks, Times",
            "redacted index.html breaks-table",
        ],
        some: &[],
        columns: &[
            ("Times", "count"),
            ("Number", "gb_id"),
            ("Place", "place"),
            ("Cause", "title"),
            ("Cost", "cost.seconds"),
            ("Compiles", "compile_ids"),
        ],
        unsaid: &[],
    },
    Shown {
        list: "recompiles",
        whole: &[
            "report.md Recompilations, Compile",
            "show Recompilations",
            "redacted show Recompilations",
            "redacted index.html recompiles-table",
        ],
        some: &[],
        columns: &[
            ("Compile", "compile_id"),
            ("Function", "compile.owner.function"),
            ("Changed", "change.subject"),
            ("Value", "change.new"),
            ("Time", "compile.time.seconds"),
            ("Instead of", "against"),
            ("Guard that failed", "guard"),
        ],
        unsaid: &[],
    },
    Shown {
        list: "chains",
        whole: &[],
        some: &["recompilations.html f-_N-table", "index.html finding-N-chain"],
        columns: &[
            ("^", "owner.function"),
            ("Compile", "id"),
            ("Changed", "recompile.change.subject"),
            ("Value", "recompile.change.new"),
            ("Failed guard", "recompile.guard"),
            ("Guard of", "recompile.against"),
            ("Time", "time.seconds"),
        ],
        unsaid: &[],
    },
    Shown {
        list: "failures",
        whole: &[
            "report.md Failures and restarts, Compile",
            "show Failures",
            "redacted show Failures",
            "redacted index.html failures-table",
        ],
        some: &[],
        columns: &[("Compile", "compile_id"), ("Error", "type"), ("Place", "place"), ("Cause", "title")],
        unsaid: &[],
    },
    Shown {
        list: "restarts by reason",
        whole: &[
            "failures_and_restarts.html restarts-table",
            "report.md Failures and restarts, Times",
            "show Restarts",
            "redacted show Restarts",
            "redacted index.html restarts-table",
        ],
        some: &[],
        columns: &[("Reason", "reason"), ("Times", "times"), ("Compiles", "compile_ids")],
        unsaid: &[("Discarded", "the seconds of one attempt are not in report.json")],
    },
    Shown {
        list: "caches",
        whole: &[
            "caches.html lookups-table",
            "show Cache lookups",
            "redacted show Cache lookups",
            "redacted index.html caches-table",
        ],
        some: &[],
        columns: &[
            ("Compile", "compile_id"),
            ("Cache", "cache"),
            ("Answer", "outcome"),
            ("Outcome", "outcome"),
            ("Key", "key"),
            ("Reason", "reason"),
        ],
        unsaid: &[
            ("Time saved", "report.json does not have the seconds that a cache saved"),
            ("Differing components", "keys of torch's file"),
        ],
    },
    Shown {
        list: "by cache",
        whole: &["caches.html by-cache-table"],
        some: &[],
        columns: &[
            ("Cache", "cache"),
            ("Lookups", "lookups"),
            ("Hits", "hit"),
            ("Misses", "miss"),
            ("Bypasses", "bypass"),
            ("Hit rate", "share_hit"),
        ],
        unsaid: &[("Time saved", "report.json does not have the seconds that a cache saved")],
    },
    Shown {
        list: "bypasses",
        whole: &["caches.html bypasses-table"],
        some: &[],
        columns: &[("Cache", "cache"), ("Reason", "reason"), ("Times", "times"), ("Compiles", "compile_ids")],
        unsaid: &[("Exception", "a word of torch's file")],
    },
    Shown {
        list: "all phases",
        whole: &["show Phases", "redacted show Phases", "redacted index.html phases-table"],
        some: &["time.html passes-table", "report.md Times, Phase"],
        columns: PHASES,
        unsaid: PHASES_UNSAID,
    },
    Shown {
        list: "phases that share rows",
        whole: &[],
        some: &["time.html phases-table"],
        columns: PHASES,
        unsaid: PHASES_UNSAID,
    },
    Shown {
        list: "parts",
        whole: &[],
        some: &[
            "show Compile time",
            "redacted show Compile time",
            "report.md Times, Part",
            "redacted index.html parts-table",
        ],
        columns: &[("Part", "name"), ("Seconds", "seconds"), ("Time", "seconds"), ("Share", "share")],
        unsaid: &[],
    },
    Shown {
        list: "overview",
        whole: &["show Overview", "redacted show Overview"],
        some: &[],
        columns: &[("What", "what"), ("Count", "count")],
        unsaid: &[],
    },
    Shown {
        list: "kernels",
        whole: &["show Kernels in the generated code", "redacted show Kernels in the generated code"],
        some: &[],
        columns: &[("Compiles", "compile_id"), ("Times", "count"), ("Kernel", "name")],
        unsaid: &[],
    },
    Shown {
        list: "findings",
        whole: &[
            "show Findings",
            "job show Findings",
            "redacted job show Findings",
            "redacted job index.html findings-table",
            "redacted show Findings",
            "redacted index.html findings-table",
        ],
        some: &[],
        columns: &[
            ("Severity", "severity"),
            ("Cost", "cost.seconds"),
            ("Place", "place"),
            ("Compiles", "compile_ids"),
            ("Finding", "title"),
        ],
        unsaid: &[],
    },
    Shown {
        list: "advice",
        whole: &["redacted index.html to-do-table", "redacted job index.html to-do-table"],
        some: &[],
        columns: &[("Findings", "findings"), ("What to do", "text")],
        unsaid: &[],
    },
    Shown {
        list: "members",
        whole: &[],
        some: &["index.html finding-N-first", "index.html finding-N-rest"],
        columns: &[("Where", "place"), ("Compiles", "compile_ids"), ("Cost", "cost.seconds")],
        unsaid: &[("Function", "in the words of the title"), ("What", "in the words of the title")],
    },
    Shown {
        list: "ranks of the page",
        whole: &["job index.html ranks-table"],
        some: &[],
        columns: RANKS,
        unsaid: &[
            ("Differs in", "held in the table of facts"),
            ("Lines and kernels", "a link to a page that the rank may have"),
        ],
    },
    Shown {
        list: "ranks",
        whole: &[
            "job index.html time-table",
            "job report.md Ranks, Rank",
            "job show Ranks",
            "redacted job show Ranks",
            "redacted job index.html ranks-table",
        ],
        some: &[],
        columns: RANKS,
        unsaid: &[("Parts of the compiler", "bars without a number")],
    },
    Shown {
        list: "rows of a comparison",
        whole: &[],
        some: &["diff report.md What changed, "],
        columns: &[("", "kind"), ("What", "subject"), ("Where", "place"), ("Difference", "difference_s")],
        unsaid: &[],
    },
    Shown {
        list: "estimates",
        whole: &["job index.html runtime-table"],
        some: &[],
        columns: &[
            ("Graph", "graph"),
            ("Fastest", "fastest.ns"),
            ("Slowest", "slowest.ns"),
            ("Delta", "delta.ns"),
            ("Mean", "mean.ns"),
        ],
        unsaid: &[("On", "the first of two columns of this head: held by the jobs' own tests")],
    },
    Shown {
        list: "compared",
        whole: &["redacted job index.html compared-table"],
        some: &[],
        columns: &[("Fact", "fact"), ("Ranks", "words")],
        unsaid: &[("First difference", "words for a place in the order")],
    },
    Shown {
        list: "measured kernels",
        whole: &[
            "performance.html kernels-table",
            "show Kernels by device time",
            "redacted show Kernels by device time",
        ],
        some: &["redacted index.html measured-table"],
        columns: &[
            ("Operator, sizes and kernel", "title"),
            ("Time", "sum_us"),
            ("Runs", "count"),
            ("Each", "mean_us"),
            ("Graph", "compile_ids"),
            ("Compiles", "compile_ids"),
            ("To gain", "gain_us"),
            ("Verdict", "verdict"),
            ("Lines", "first.place"),
        ],
        unsaid: &[
            ("Kernel", "a kernel's own name is a pseudonym there"),
            ("Kind", "words for the backend"),
            ("Rate", "the rate that limits it"),
            ("Reaches", "the share of the limit in words"),
        ],
    },
    Shown {
        list: "measured lines and the rest",
        whole: &["performance.html lines-table"],
        some: &[],
        columns: LINES,
        unsaid: LINES_UNSAID,
    },
    Shown {
        list: "measured lines",
        whole: &["show Lines by device time", "redacted show Lines by device time"],
        some: &[],
        columns: LINES,
        unsaid: LINES_UNSAID,
    },
    Shown {
        list: "measured operators",
        whole: &["redacted index.html operators-table"],
        some: &[],
        columns: &[("Operator", "op"), ("Runs", "count"), ("Sum", "kernel_us_sum"), ("Bytes", "bytes")],
        unsaid: &[("Shapes", "sizes in words"), ("Dtypes", "types in words")],
    },
];

/// Columns of tables of ranks.
const RANKS: &[(&str, &str)] = &[
    ("Rank", "rank"),
    ("State", "state"),
    ("Compiles", "compiles"),
    ("Breaks", "graph_breaks"),
    ("Graph breaks", "graph_breaks"),
    ("Recompiles", "recompiles"),
    ("Failures", "failures"),
    ("Compile time", "compile_time_s"),
    ("Time", "compile_time_s"),
    ("Seconds", "compile_time_s"),
    ("Last record", "log.last_time"),
    ("Log", "log.file"),
];

/// Columns of tables of lines of the program.
const LINES: &[(&str, &str)] = &[
    ("Line of the program", "place"),
    ("Line", "place"),
    ("Kernel time", "us"),
    ("Time", "us"),
    ("Code", "code"),
];

const LINES_UNSAID: &[(&str, &str)] = &[
    ("Share", "of the whole device time"),
    ("Forward", "report.json does not split a line"),
    ("Backward", "report.json does not split a line"),
    ("Kernels", "report.json lists names, the page counts kernels"),
    ("The longest", "in the order of their time"),
];

/// Columns of tables of compiles.
const COMPILES: &[(&str, &str)] = &[
    ("Compile", "id"),
    ("Function", "owner.function"),
    ("Status", "status"),
    ("Seconds", "time.seconds"),
    ("Time", "time.seconds"),
    ("Breaks", "graph_breaks"),
    ("Place", "yours.place"),
    ("Operators", "ops"),
    ("Guards", "guards"),
];

const COMPILES_UNSAID: &[(&str, &str)] = &[("Parts, share of its time", "bars without a number")];

/// Columns of tables of phases.
const PHASES: &[(&str, &str)] = &[
    ("Phase", "name"),
    ("Pass", "name"),
    ("Self", "self_s"),
    ("Own seconds", "self_s"),
    ("Total", "total_s"),
    ("Seconds", "total_s"),
    ("Time", "total_s"),
    ("Share", "share"),
    ("Times", "count"),
    ("Count", "count"),
];

const PHASES_UNSAID: &[(&str, &str)] =
    &[("What happens in it", "an explanation"), ("What the compiler does", "an explanation")];

/// Tables that show nothing of report.json, each with the reason. A name without a space is that of any page.
pub const WITHOUT_FACTS: &[(&str, &str)] = &[
    ("source.html", "lines of the program, with what happened at them: see source.rs"),
    ("graph_drawn.html", "nodes of a graph, from torch's files"),
    ("graph.html", "nodes of a graph, from torch's files"),
    ("configuration.html", "settings, from torch's files: see sizes_and_settings.rs"),
    ("shapes.html", "dimensions and symbols, from torch's files"),
    ("vllm.html", "vLLM's own records: see vllm.rs"),
    ("caches.html causes-table", "causes of misses, from torch's files"),
    ("compile.html", "the compile's own records and files; its counts are held by cells.rs"),
    ("kernels.html", "calls in the generated code: see performance_kernels.rs"),
    ("performance.html code-table", "calls in the generated code: see performance_kernels.rs"),
    ("performance.html notes-table", "sentences: see performance.rs"),
    ("export.html", "export's own records: see export.rs"),
    ("job index.html facts-table", "values of ranks in words: see job_facts.rs"),
    ("job index.html ends-table", "last records of ranks: see job_ends.rs"),
    ("job report.md What was compared, Fact", "which ranks agree, in words: see job_facts.rs"),
    ("redacted index.html kernels-table", "kernels by pseudonym"),
    ("redacted index.html inputs-table", "sizes of inputs, from torch's files"),
    ("redacted index.html collectives-table", "operators in order, from torch's files"),
    ("time.html gaps-table", "time between phases, from the spans of the log"),
    ("provenance_tracking.html", "lines and kernels of one graph: see provenance.rs"),
    ("diff report.md Time by part, Part", "diff.json has no parts: see diff.rs"),
    ("diff report.md Functions, Function", "diff.json has only functions that changed: see diff.rs"),
    ("show Performance", "sentences"),
    ("redacted show Performance", "sentences"),
    ("show What stands out", "sentences: see performance.rs"),
    ("redacted show What stands out", "sentences: see performance.rs"),
    ("show In short", "sentences"),
];
