//! Removes an unfinished report when a signal ends the program: Ctrl-C, a closed terminal, a killed job.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tlparse::system::signals;
use tlparse::{Progress, Unfinished};

/// Files on disk that are not a report yet.
#[derive(Clone, Default)]
pub struct Begun(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    unfinished: Vec<Unfinished>,
    /// Something is being created and cannot be removed yet, or the report is being moved into place. Either takes a moment.
    wait: bool,
}

impl Begun {
    /// From now on, a signal that ends the program removes what was begun and calls `tell`.
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

    /// Everything that was begun is in place or removed.
    pub fn ended(&self) {
        *self.state() = State::default();
    }
}

impl Progress for Begun {
    fn beginning(&self) {
        self.state().wait = true;
    }

    fn begun(&self, unfinished: Unfinished) {
        let mut state = self.state();
        state.unfinished.push(unfinished);
        state.wait = false;
    }

    fn placing(&self) {
        self.state().wait = true;
    }
}

/// How long a signal waits between checks of `State::wait`.
const PAUSE: Duration = Duration::from_millis(5);

/// Number of such checks before it stops waiting.
const PAUSES: usize = 2_000;

fn discard(begun: &Begun) {
    for _ in 0..PAUSES {
        let state = begun.state();
        if state.wait {
            drop(state);
            std::thread::sleep(PAUSE);
            continue;
        }
        // The lock stays held, so that the report cannot be moved into place any more.
        for unfinished in &state.unfinished {
            unfinished.discard();
        }
        std::mem::forget(state);
        return;
    }
}
