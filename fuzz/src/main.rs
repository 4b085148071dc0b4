//! Searches for logs that tlparse cannot take: mutates records, texts and whole logs of the stored ones, and checks what
//! holds for every report. `README.md` beside this says how to use it.

#[path = "../../tests/support/address.rs"]
mod address;
mod corpus;
mod logs;
mod mutate;
mod oracle;
mod whole;

use anyhow::{Context, Result, bail};
use corpus::Corpus;
use fastrand::Rng;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use whole::Whole;

/// Targets that make a whole report, beside the small ones of the library.
const WHOLE: [&str; 3] = ["log", "trace", "job"];
/// How long one target runs before the next one.
const TURN: Duration = Duration::from_secs(2);
/// An input that takes longer is a find, unless the command line says otherwise.
const SLOW: Duration = Duration::from_secs(20);
/// All targets that make a whole report, and all others, for the command line.
const GROUPS: [&str; 2] = ["whole", "small"];

/// Where a panic came from; the last one.
static PANIC: Mutex<String> = Mutex::new(String::new());
/// Whether an input is being checked: its panic is a find, any other a fault of this program.
static CHECKING: AtomicBool = AtomicBool::new(false);
/// Counts inputs, so that one that never ends is seen.
static BEGUN: AtomicU64 = AtomicU64::new(u64::MAX);

/// What the command line says.
struct Wanted {
    targets: Vec<String>,
    seconds: u64,
    runs: u64,
    seed: u64,
    /// An input that takes longer is a find.
    slow: Duration,
    /// The one input to run: its number is what a find is called.
    only: Option<u64>,
    /// Finds to check again.
    files: Vec<PathBuf>,
    finds: PathBuf,
}

/// What became of a target.
#[derive(Default)]
struct Tally {
    runs: u64,
    finds: u64,
    time: Duration,
}

fn main() -> Result<()> {
    let wanted = wanted()?;
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::panic::set_hook(Box::new(|panic| {
        if !CHECKING.load(Ordering::Relaxed) {
            eprintln!("{panic}");
        }
        if let Ok(mut last) = PANIC.lock() {
            *last = panic.to_string();
        }
    }));
    fs::create_dir_all(&wanted.finds)?;
    let mut corpus = Corpus::read(&project.join("tests"))?;
    let whole = Whole::new(&project)?;
    for report in whole.reports()? {
        corpus.texts.entry("report_json").or_default().push(report);
    }
    let mut search = Search { corpus, whole, wanted, tallies: BTreeMap::new(), known: HashSet::new() };
    if !search.wanted.files.is_empty() {
        return search.again();
    }
    watch(search.wanted.slow);
    search.run()?;
    let finds: u64 = search.tallies.values().map(|tally| tally.finds).sum();
    for (target, tally) in &search.tallies {
        let Tally { runs, finds, time } = tally;
        println!("{target:<12} {runs:>10} inputs {:>6} s {finds:>4} finds", time.as_secs());
    }
    if finds > 0 {
        bail!("{finds} finds stand in {}", search.wanted.finds.display());
    }
    Ok(())
}

/// Reads the command line.
fn wanted() -> Result<Wanted> {
    let mut wanted = Wanted {
        targets: Vec::new(),
        seconds: 30,
        runs: u64::MAX,
        seed: 1,
        slow: SLOW,
        only: None,
        files: Vec::new(),
        finds: PathBuf::from("target/fuzz-finds"),
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} wants a value"));
        match arg.as_str() {
            "--seconds" => wanted.seconds = value()?.parse()?,
            "--runs" => (wanted.runs, wanted.seconds) = (value()?.parse()?, u64::MAX / 2),
            "--slow" => wanted.slow = Duration::from_secs(value()?.parse()?),
            "--seed" => wanted.seed = value()?.parse()?,
            "--only" => wanted.only = Some(value()?.parse()?),
            "--file" => wanted.files.push(value()?.into()),
            "--finds" => wanted.finds = value()?.into(),
            _ if arg.starts_with('-') => bail!("there is no {arg}; see fuzz/README.md"),
            group if GROUPS.contains(&group) => wanted.targets.extend(targets_of(group)),
            _ => wanted.targets.push(arg),
        }
    }
    if wanted.targets.is_empty() {
        wanted.targets = all_targets().map(str::to_owned).collect();
    } else if let Some(odd) = wanted.targets.iter().find(|target| all_targets().all(|name| name != *target)) {
        bail!("there is no target {odd}");
    }
    Ok(wanted)
}

/// The names of all targets.
fn all_targets() -> impl Iterator<Item = &'static str> {
    tlparse::fuzzing::TARGETS.iter().map(|target| target.name).chain(WHOLE)
}

/// The names of the targets of a group.
fn targets_of(group: &str) -> impl Iterator<Item = String> {
    all_targets().filter(move |name| WHOLE.contains(name) == (group == "whole")).map(str::to_owned)
}

/// Ends the program when an input never ends. What it was stands in `current` beside the finds.
fn watch(slow: Duration) {
    std::thread::spawn(move || {
        let start = Instant::now();
        let mut last = (u64::MAX, Duration::ZERO);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let begun = BEGUN.load(Ordering::Relaxed);
            if begun != last.0 {
                last = (begun, start.elapsed());
            } else if begun != u64::MAX && start.elapsed() - last.1 > 6 * slow {
                eprintln!(
                    "an input takes more than {} s; `current` beside the finds names it",
                    6 * slow.as_secs()
                );
                std::process::exit(1);
            }
        }
    });
}

struct Search {
    corpus: Corpus,
    whole: Whole,
    wanted: Wanted,
    tallies: BTreeMap<String, Tally>,
    /// What was found already: the same failure is kept once.
    known: HashSet<String>,
}

impl Search {
    /// Gives each target its turns until the time is over.
    fn run(&mut self) -> Result<()> {
        let targets = self.wanted.targets.clone();
        if let Some(number) = self.wanted.only {
            return targets.iter().try_for_each(|target| self.input(target, number));
        }
        let start = Instant::now();
        let end = Duration::from_secs(self.wanted.seconds);
        let turn = TURN.min(end / u32::try_from(targets.len())?);
        let mut open = true;
        while open {
            open = false;
            for target in &targets {
                let begun = Instant::now();
                while begun.elapsed() < turn && start.elapsed() < end {
                    let number = self.tallies.get(target).map_or(0, |tally| tally.runs);
                    if number >= self.wanted.runs {
                        break;
                    }
                    self.input(target, number)?;
                    open = true;
                }
            }
        }
        Ok(())
    }

    /// Gives finds to their targets again: a file is called after its target, or stands in a folder of that name.
    fn again(&self) -> Result<()> {
        let mut wrong = 0;
        for path in &self.wanted.files {
            let input = fs::read(path).with_context(|| path.display().to_string())?;
            let words = path.iter().rev().take(2).map(|part| part.to_string_lossy());
            let mut words = words.map(|part| part.split('-').next().unwrap_or_default().to_owned());
            let target = words.find(|word| all_targets().any(|target| target == *word));
            let target = target.with_context(|| format!("{} names no target", path.display()))?;
            let (outcome, took) = self.checked(&target, &input, 0);
            wrong += u64::from(outcome.is_err());
            let told = outcome.err().unwrap_or_else(|| "nothing is wrong".to_owned());
            println!("{}: {:.1} s, {told:.500}", path.display(), took.as_secs_f64());
        }
        if wrong > 0 { bail!("{wrong} finds are still open") } else { Ok(()) }
    }

    /// What is wrong with an input, and how long it took.
    fn checked(&self, target: &str, input: &[u8], number: u64) -> (Result<(), String>, Duration) {
        let begun = Instant::now();
        BEGUN.fetch_add(1, Ordering::Relaxed);
        CHECKING.store(true, Ordering::Relaxed);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.check(target, input, number)));
        CHECKING.store(false, Ordering::Relaxed);
        let mut took = begun.elapsed();
        if took > self.wanted.slow {
            // On a busy machine, other programs have had the time: once more, counting only what this thread takes.
            let before = own_time();
            let _ = catch_unwind(AssertUnwindSafe(|| self.check(target, input, number)));
            took = own_time().checked_sub(before).unwrap_or(took);
        }
        let outcome = match outcome {
            Ok(Ok(())) if took > self.wanted.slow => {
                Err(format!("slow: {} s for {} bytes", took.as_secs(), input.len()))
            }
            Ok(outcome) => outcome,
            Err(_) => Err(PANIC.lock().map(|last| last.clone()).unwrap_or_default()),
        };
        (outcome, took)
    }

    /// Makes one input, runs it and keeps it where something is wrong.
    fn input(&mut self, target: &str, number: u64) -> Result<()> {
        let name = format!("{target}-{}-{number}", self.wanted.seed);
        let of_target = target.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31) + u64::from(byte));
        let mut rng =
            Rng::with_seed(self.wanted.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ of_target ^ (number << 20));
        // Whole reports take long enough to write it down each time.
        if WHOLE.contains(&target) || number.is_multiple_of(1_000) {
            fs::write(self.wanted.finds.join("current"), &name)?;
        }
        let input = make(target, &mut rng, &self.corpus);
        let (outcome, took) = self.checked(target, &input, number);
        let wrong = outcome.err();
        let tally = self.tallies.entry(target.to_owned()).or_default();
        tally.runs += 1;
        tally.time += took;
        if self.wanted.only.is_some() {
            fs::write(self.wanted.finds.join(&name), &input)?;
            println!("{name}: {}", wrong.as_deref().unwrap_or("nothing is wrong"));
        }
        let Some(wrong) = wrong else { return Ok(()) };
        tally.finds += 1;
        // Names and numbers differ between inputs that fail for one reason.
        let kind: String = wrong.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
        if self.known.insert(format!("{target}{kind}")) {
            println!("{name}: {wrong:.300}");
            fs::write(self.wanted.finds.join(&name), &input)?;
        }
        Ok(())
    }

    fn check(&self, target: &str, input: &[u8], number: u64) -> Result<(), String> {
        match target {
            "log" => self.whole.log(input, number.is_multiple_of(8)),
            "trace" => self.whole.trace(input),
            "job" => self.whole.job(input),
            small => {
                let target = tlparse::fuzzing::TARGETS.iter().find(|target| target.name == small);
                target.into_iter().for_each(|target| (target.run)(input));
                Ok(())
            }
        }
    }
}

/// How long this thread has been working, without the time that others had.
fn own_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0))
}

/// An input of a target.
fn make(target: &str, rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    match target {
        "records" | "events" | "log" => logs::log(rng, corpus),
        "job" => text("report_json", rng, corpus),
        "trace" => {
            let trace = text("traces", rng, corpus);
            let log = if rng.u8(..3) == 0 { Vec::new() } else { logs::log(rng, corpus) };
            [format!("{}\n", log.len()).into_bytes(), log, trace].concat()
        }
        _ => text(target, rng, corpus),
    }
}

/// A stored text, changed.
fn text(target: &str, rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let texts = corpus.texts.get(target).map(Vec::as_slice).unwrap_or_default();
    let mut text = mutate::pick(rng, texts).cloned().unwrap_or_default();
    if rng.u8(..6) != 0
        && let Ok(mut json) = serde_json::from_slice(&text)
    {
        for _ in 0..=rng.u8(..5) {
            mutate::json(rng, corpus, &mut json);
        }
        return json.to_string().into_bytes();
    }
    for _ in 0..rng.u8(..8) {
        mutate::text(rng, &mut text);
    }
    text
}
