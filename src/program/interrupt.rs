//! What becomes of a report that is being written when the program is told to end: Ctrl-C, a closed terminal, a job that is
//! killed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tlparse::Unfinished;

/// What stands on the disk and is no report yet.
#[derive(Clone, Default)]
pub struct Begun(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    unfinished: Vec<Unfinished>,
    /// Something is being made that nobody could remove yet, or the report is being put in place: half of it would be worse
    /// than the moment that this takes.
    wait: bool,
}

impl Begun {
    /// From now on, a signal that ends the program removes what was begun.
    pub fn watched() -> Begun {
        let begun = Begun::default();
        watch(begun.clone());
        begun
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A signal waits, until something was begun or all has ended.
    pub fn wait(&self) {
        self.state().wait = true;
    }

    /// This was begun, and is removed at a signal.
    pub fn add(&self, unfinished: Unfinished) {
        let mut state = self.state();
        state.unfinished.push(unfinished);
        state.wait = false;
    }

    /// All that was begun is in place or removed.
    pub fn ended(&self) {
        *self.state() = State::default();
    }
}

/// How long a signal waits, several times, for what is being made or put in place.
#[cfg(unix)]
const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);
/// After this many times it waits no longer.
#[cfg(unix)]
const PAUSES: usize = 2_000;

/// Ends the program as each of these signals would, but removes first what was begun. A system that has no such signals, or
/// no thread to spare, ends the program without that.
#[cfg(unix)]
fn watch(begun: Begun) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // A file that may not grow any more is then an error of the write, like a full disk.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    let _ = std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            discard(&begun);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// Other systems have no such signals.
#[cfg(not(unix))]
fn watch(_: Begun) {}

#[cfg(unix)]
fn discard(begun: &Begun) {
    for _ in 0..PAUSES {
        let state = begun.state();
        if state.wait {
            drop(state);
            std::thread::sleep(PAUSE);
            continue;
        }
        // The lock is held: what is written cannot be put in place any more.
        for unfinished in &state.unfinished {
            unfinished.discard();
        }
        std::mem::forget(state);
        return;
    }
}
