//! Many pieces of work on several threads.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Result, anyhow};

struct Shared<T, R> {
    items: std::vec::IntoIter<T>,
    made: Vec<R>,
    failure: Option<anyhow::Error>,
}

/// Works on all items, in the order given, on `threads` threads, and gives what was made of them in any order. Each thread
/// begins with a state of its own. After a failure no thread begins another item.
///
/// # Errors
/// The first failure, or `bug` if a thread panicked.
pub fn on_threads<T: Send, R: Send, S>(
    items: Vec<T>,
    threads: NonZeroUsize,
    bug: &'static str,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> Result<Vec<R>> + Sync,
) -> Result<Vec<R>> {
    let others = threads.get().min(items.len()).saturating_sub(1);
    let shared = Mutex::new(Shared { items: items.into_iter(), made: Vec::new(), failure: None });
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let fail = |error| {
        locked().failure.get_or_insert(error);
        // Dropped without the lock.
        let _left = std::mem::take(&mut locked().items);
    };
    let run = || {
        let mut state = begin();
        loop {
            let Some(item) = locked().items.next() else { return };
            match work(&mut state, item) {
                Ok(made) => locked().made.extend(made),
                Err(error) => fail(error),
            }
        }
    };
    thread::scope(|scope| {
        // If the system refuses to start a thread, the work goes on without it: this thread works too.
        let spawned = (0..others).map_while(|_| thread::Builder::new().spawn_scoped(scope, run).ok());
        let spawned: Vec<_> = spawned.collect();
        run();
        for thread in spawned {
            if thread.join().is_err() {
                fail(anyhow!(bug));
            }
        }
    });
    let Shared { made, failure, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(made), Err)
}
