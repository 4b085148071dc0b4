use super::words::{counted, fits_pattern, headline, without_addresses};
use super::{
    InputDims, TextFrame, input_words, kernel_family, kernel_name, rates, read_program, short_kernel,
};
use super::{stable, traceback};
use crate::cases::{hold, joined, maybe};

fn frame(frame: &TextFrame) -> String {
    let TextFrame { file, line, function, loc } = frame;
    joined([file, &line.to_string(), function, &maybe(loc.as_ref())])
}

/// What a program's text says, a line for each list.
fn program(text: &str) -> String {
    let mut calls = Vec::new();
    let facts = read_program(text, |operator, place| calls.push(format!("{operator} at {}", frame(place))));
    let list =
        |pairs: &[(String, String)]| joined(pairs.iter().map(|(name, what)| format!("{name}: {what}")));
    let counts = format!("{} lines, {} checks, {} left out", facts.lines, facts.assertions, facts.left_out);
    let lists = [counts, list(&facts.inputs), list(&facts.outputs), list(&facts.ranges)];
    [lists.to_vec(), calls].concat().join("\n").trim_end().to_owned()
}

fn answer(query: &str, text: &str) -> Option<String> {
    let number = || text.parse::<f64>().ok();
    let dims = || serde_json::from_str::<Vec<InputDims>>(text).ok();
    let plain = |text: String| text.replace('\u{a0}', " ");
    Some(match query {
        "count of compiles" => counted(text.parse::<u64>().ok()?, "compile", "compiles"),
        "headline" => headline(text),
        "file name" => super::words::file_name(text).to_owned(),
        "fits" => {
            let (pattern, name) = text.split_once(' ')?;
            fits_pattern(pattern, name).to_string()
        }
        "without addresses" => without_addresses(text),
        "stable" => stable(text),
        "FLOP rate" => plain(rates::flop_rate(number()?)),
        "byte rate" => plain(rates::byte_rate(number()?)),
        "FLOP count" => plain(rates::flop_count(number()?)),
        "byte count" => plain(rates::byte_count(number()?)),
        "traceback" => traceback(text).iter().map(frame).collect::<Vec<_>>().join("\n"),
        "program" => program(text),
        "readable kernel" => kernel_name::readable_kernel(text).into_owned(),
        "kernel in 40 characters" => short_kernel(text, 40),
        "kernel in 4 characters" => short_kernel(text, 4),
        "family" => kernel_family(text)?.to_owned(),
        "inputs" => input_words(&dims()?),
        "sizes" => joined(dims()?.iter().map(|one| serde_json::to_string_pretty(one).unwrap())),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_reads_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}
