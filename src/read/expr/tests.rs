use super::*;
use crate::cases::{hold, joined};
use std::time::{Duration, Instant};

/// The sizes of the inputs that relations are about.
fn known(size: SizeOf<'_>) -> Option<i64> {
    let list = match (size.source, size.property) {
        ("L['x']", Property::Size) => [6, 12],
        ("L['x']", Property::Stride) => [12, 1],
        ("L['self']._buffers['y']", Property::Size) => [3, 1],
        ("L['cache'][0][1]", Property::Size) => [24, 8],
        _ => return None,
    };
    list.get(usize::try_from(size.dimension?).ok()?).copied()
}

fn answer(query: &str, text: &str) -> Option<String> {
    let called = |(name, arguments): (&str, Vec<&str>)| joined([name].into_iter().chain(arguments));
    Some(match query {
        "tokens" => joined(tokens(text).iter().map(|token| token.text)),
        "depths" => joined(tokens(text).iter().map(|token| token.depth)),
        "condition" => condition(text).to_owned(),
        "checked class" => checked_class(text)?.to_owned(),
        "comparison" => {
            let read = comparison(text)?;
            assert_eq!(read.pair().is_some(), read.operators.len() == 1, "{text}");
            let operators = read.operators.iter().copied().chain([""]);
            joined(read.operands.iter().zip(operators).flat_map(|(operand, operator)| [operand, operator]))
                .trim_end_matches(" ¦ ")
                .to_owned()
        }
        "call" => called(call(text)?),
        "check" => called(check(text)?),
        "unwrapped" => unwrapped(text).to_owned(),
        "as written" => as_written(text),
        "guard as written" => guard_as_written(text),
        "sizes" => {
            let read = size_condition(text);
            assert_eq!(read.written, size_as_written(text));
            let sizes = read.sizes.iter().map(|size| format!("{}: {}", size.tensor(), size.written()));
            joined([read.written.clone()].into_iter().chain(sizes))
        }
        "holds" => holds(text, &known)?.to_string(),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_reads_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}

#[test]
fn neither_depth_nor_length_makes_a_query_slow() {
    let queries = ["tokens", "condition", "checked class", "comparison", "call", "check", "unwrapped"];
    let written = ["as written", "guard as written", "sizes", "holds"];
    let deep = |count: usize| format!("{}1{} == 1", "(".repeat(count), ")".repeat(count));
    let long = ["L['x'].size()[0] + ", "L['x'].y[", "not ", "f(", "-", "a is not ", "'", "2**"];
    let mut texts = vec![deep(500), deep(5_000), "(".repeat(100_000), "[({".repeat(5_000)];
    texts.extend(long.map(|piece| piece.repeat(5_000)));
    for text in &texts {
        assert_eq!(holds(text, &known), None);
        for query in queries.iter().chain(&written) {
            let start = Instant::now();
            answer(query, text);
            // With work that grows with the square of the length, this takes minutes.
            let taken = start.elapsed();
            assert!(taken < Duration::from_secs(20), "{query}: {taken:?} for {}", text.get(..20).unwrap());
        }
    }
}
