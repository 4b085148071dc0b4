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
    /// The report is being put in place: half of it would be worse than the moment that this takes.
    placing: bool,
}

impl Begun {
    /// From now on, a signal that ends the program removes what was begun.
    pub fn watched() -> Begun {
        let begun = Begun::default();
        signals::watch(begun.clone());
        begun
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This was begun.
    pub fn add(&self, unfinished: Unfinished) {
        self.state().unfinished.push(unfinished);
    }

    /// The report is being put in place.
    pub fn placing(&self) {
        self.state().placing = true;
    }

    /// All that was begun is in place or removed.
    pub fn ended(&self) {
        *self.state() = State::default();
    }
}

#[cfg(unix)]
mod signals {
    use crate::program::interrupt::Begun;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    /// How long a signal waits, several times, for a report that is being put in place.
    const PAUSE: Duration = Duration::from_millis(5);
    /// After this many times it waits no longer.
    const PAUSES: usize = 2_000;

    /// Ends the program as each of these signals would, but removes first what was begun. A system that has no such
    /// signals, or no thread to spare, ends the program without that.
    pub(super) fn watch(begun: Begun) {
        // A file that may not grow any more is then an error of the write, like a full disk.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
        let _ = thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                discard(&begun);
                let _ = emulate_default_handler(signal);
            }
        });
    }

    fn discard(begun: &Begun) {
        for _ in 0..PAUSES {
            let state = begun.state();
            if state.placing {
                drop(state);
                thread::sleep(PAUSE);
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
}

#[cfg(not(unix))]
mod signals {
    /// Other systems have no such signals.
    pub(super) fn watch(_: crate::program::interrupt::Begun) {}
}
