//! What becomes of a report that is being written when the program is told to end: Ctrl-C, a closed terminal, a job that is
//! killed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tlparse::Unfinished;
use tlparse::system::signals;

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
    /// From now on, a signal that ends the program removes what was begun, and `tell` may say what it leaves.
    pub fn watched(tell: impl Fn() + Send + 'static) -> Begun {
        let begun = Begun::default();
        let watched = begun.clone();
        signals::before_the_end(move || {
            discard(&watched);
            tell();
        });
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
const PAUSE: Duration = Duration::from_millis(5);

/// After this many times it waits no longer.
const PAUSES: usize = 2_000;

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
