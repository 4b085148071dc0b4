//! Work on many pieces, such as the blocks of a long text, on several threads, whose results are given in the order of the
//! pieces.

use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::iter::Enumerate;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many finished pieces may wait to be taken, for each thread. With none, the threads waited for each other at each piece,
/// and joining the reports of 64 ranks took a tenth longer.
const AHEAD: usize = 2;

/// Takes one piece after the other, lets `make` make something of each, as many at once as there are threads, and gives
/// that to `take` in the order of the pieces. Besides what is being taken, memory holds at most three pieces for each thread,
/// finished or not.
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
    let threads = most.map_or(threads, |most| threads.min(most)).get();
    if threads == 1 {
        return pieces.try_for_each(|piece| take(make(piece)));
    }
    let line = Line {
        pieces: Mutex::new(pieces.enumerate()),
        room: AHEAD * threads,
        made: Mutex::new(Made {
            ready: BTreeMap::new(),
            next: 0,
            working: threads,
            has_bug: false,
            is_wanted: true,
        }),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        let (_stops, make) = (Stops(&line), &make);
        let start = |_| thread::Builder::new().spawn_scoped(scope, || line.work(make)).ok();
        let started = (0..threads).map_while(start).count();
        if started == 0 {
            bail!("the system lets no thread start");
        }
        line.made().working -= threads - started;
        while let Some(one) = line.next()? {
            take(one)?;
        }
        Ok(())
    })
}

/// The pieces, and what is made of them.
struct Line<I, M> {
    pieces: Mutex<Enumerate<I>>,
    /// How many pieces may be finished, counted from the one that is taken next.
    room: usize,
    made: Mutex<Made<M>>,
    changed: Condvar,
}

struct Made<M> {
    /// By the number of its piece.
    ready: BTreeMap<usize, M>,
    /// Number of the piece that is taken next.
    next: usize,
    /// Threads that have not ended.
    working: usize,
    /// Whether one of them ended because of a bug.
    has_bug: bool,
    /// Whether anybody takes what is made.
    is_wanted: bool,
}

impl<P, M, I: Iterator<Item = P>> Line<I, M> {
    fn work(&self, make: &impl Fn(P) -> M) {
        let ended = catch_unwind(AssertUnwindSafe(|| self.work_on_each(make)));
        let mut made = self.made();
        made.working -= 1;
        made.has_bug |= ended.is_err();
        self.changed.notify_all();
    }

    /// Makes one piece after the other, while there is room for what was made.
    fn work_on_each(&self, make: &impl Fn(P) -> M) {
        loop {
            let taken = self.pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, piece)) = taken else { return };
            let one = make(piece);
            let has_no_room = |made: &mut Made<M>| made.is_wanted && number >= made.next + self.room;
            let made = self.changed.wait_while(self.made(), has_no_room);
            let mut made = made.unwrap_or_else(PoisonError::into_inner);
            if !made.is_wanted {
                return;
            }
            made.ready.insert(number, one);
            self.changed.notify_all();
        }
    }
}

impl<I, M> Line<I, M> {
    fn made(&self) -> MutexGuard<'_, Made<M>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was made of the next piece, as soon as it is; None at the end.
    fn next(&self) -> Result<Option<M>> {
        let is_missing =
            |made: &mut Made<M>| !made.has_bug && made.working > 0 && !made.ready.contains_key(&made.next);
        let made = self.changed.wait_while(self.made(), is_missing);
        let mut made = made.unwrap_or_else(PoisonError::into_inner);
        if made.has_bug {
            bail!("a part could not be made because of a bug in tlparse");
        }
        let next = made.next;
        made.next += 1;
        self.changed.notify_all();
        Ok(made.ready.remove(&next))
    }
}

/// Lets all threads end when nothing is taken any more, for whatever reason.
struct Stops<'l, I, M>(&'l Line<I, M>);

impl<I, M> Drop for Stops<'_, I, M> {
    fn drop(&mut self) {
        self.0.made().is_wanted = false;
        self.0.changed.notify_all();
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

    #[test]
    fn no_thread_runs_far_ahead_of_a_slow_piece() {
        let made = std::sync::atomic::AtomicUsize::new(0);
        let make = |piece: usize| {
            if piece == 0 {
                thread::sleep(std::time::Duration::from_millis(200));
            }
            made.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
        };
        let mut before_the_first = None;
        in_order(NonZeroUsize::new(2).unwrap(), 0..100, make, |order| {
            before_the_first.get_or_insert(order);
            Ok(())
        })
        .unwrap();
        // Three for which there was room, and the one that waits for room.
        assert!(before_the_first.is_some_and(|made| made <= 4), "{before_the_first:?}");
    }

    #[test]
    #[should_panic(expected = "nobody takes any more")]
    fn threads_end_when_what_takes_the_pieces_has_a_bug() {
        let two = NonZeroUsize::new(2).unwrap();
        let _ = in_order(two, 0..100, |piece| piece, |_| panic!("nobody takes any more"));
    }
}
