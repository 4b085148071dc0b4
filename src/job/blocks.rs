//! Work on many pieces, such as the blocks of a long text, on several threads, whose results are given in the order of the
//! pieces.

use anyhow::{Result, bail};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Takes one piece after the other, lets `make` make something of each, as many at once as there are threads, and gives
/// that to `take` in the order of the pieces. At most one piece a thread stands in memory, or what was made of it, and one
/// more that waits to be taken.
///
/// # Errors
/// Those of `take`, and a bug in `make`.
pub(super) fn in_order<P: Send, M: Send>(
    threads: NonZeroUsize,
    mut pieces: impl Iterator<Item = P> + Send,
    make: impl Fn(P) -> M + Sync,
    mut take: impl FnMut(M) -> Result<()>,
) -> Result<()> {
    let most = pieces.size_hint().1.and_then(NonZeroUsize::new);
    let threads = most.map_or(threads, |most| threads.min(most));
    if threads == NonZeroUsize::MIN {
        return pieces.try_for_each(|piece| take(make(piece)));
    }
    let line = Line { pieces: Mutex::new(pieces.enumerate()), next: Mutex::new(0), changed: Condvar::new() };
    thread::scope(|scope| {
        let (sender, made) = sync_channel(1);
        let (line, make) = (&line, &make);
        let start = |_| {
            let sender = sender.clone();
            thread::Builder::new().spawn_scoped(scope, move || line.work(make, &sender)).ok()
        };
        if (0..threads.get()).map_while(start).count() == 0 {
            bail!("the system lets no thread start");
        }
        drop(sender);
        for one in made {
            let Some(one) = one else { bail!("a part could not be made because of a bug in tlparse") };
            take(one)?;
        }
        Ok(())
    })
}

/// The pieces, and whose turn it is to hand over what was made.
struct Line<I> {
    pieces: Mutex<std::iter::Enumerate<I>>,
    /// Number of the piece that is handed over next.
    next: Mutex<usize>,
    changed: Condvar,
}

impl<P, I: Iterator<Item = P>> Line<I> {
    /// Makes one piece after the other. A thread waits for its turn to hand over what it made before it takes another piece,
    /// so none runs far ahead of a slow one. None is handed over for a piece of which nothing could be made.
    fn work<M>(&self, make: &impl Fn(P) -> M, sender: &SyncSender<Option<M>>) {
        loop {
            let taken = self.pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, piece)) = taken else { return };
            let made = catch_unwind(AssertUnwindSafe(|| make(piece))).ok();
            let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let is_not_mine = |next: &mut usize| *next != number;
            let mut next = self.changed.wait_while(next, is_not_mine).unwrap_or_else(PoisonError::into_inner);
            let is_wanted = sender.send(made).is_ok();
            *next += 1;
            self.changed.notify_all();
            if !is_wanted {
                return; // the work has failed
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(threads: usize, pieces: usize) -> Result<Vec<usize>> {
        let mut taken = Vec::new();
        // Later ones of each four are made sooner.
        let make = |piece: usize| {
            thread::sleep(std::time::Duration::from_millis(3 - piece as u64 % 4));
            piece
        };
        in_order(NonZeroUsize::new(threads).unwrap(), 0..pieces, make, |piece| {
            taken.push(piece);
            Ok(())
        })?;
        Ok(taken)
    }

    #[test]
    fn pieces_arrive_in_their_order_whichever_is_made_first() {
        for threads in [1, 2, 7] {
            assert_eq!(made(threads, 40).unwrap(), (0..40).collect::<Vec<_>>());
            assert!(made(threads, 0).unwrap().is_empty());
        }
    }

    #[test]
    fn a_failure_ends_all_threads_and_is_told() {
        for threads in [1, 3] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let error = in_order(threads, 0..100, |_| (), |()| bail!("the disk is full")).unwrap_err();
            assert_eq!(error.to_string(), "the disk is full");
        }
        let threads = NonZeroUsize::new(3).unwrap();
        let error = in_order(threads, 0..100, |piece| assert_ne!(piece, 7), |()| Ok(())).unwrap_err();
        assert!(error.to_string().contains("bug in tlparse"), "{error}");
    }
}
