//! Work on many pieces, such as the blocks of a long text, on several threads, whose results are given in the order of the
//! pieces.

use anyhow::{Result, anyhow, ensure};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How many pieces may be under way behind the one that is taken next, for each thread. With one, the threads waited for each
/// other at each piece, and joining the reports of 64 ranks took a tenth longer.
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
    let pieces = Mutex::new(pieces);
    // The next piece, and where its result goes. A thread that waits for room in the line keeps the lock on the pieces, so
    // results are lined up in the order of the pieces.
    let next = |line: &SyncSender<Receiver<M>>| {
        let mut pieces = pieces.lock().ok()?;
        let piece = pieces.next()?;
        let (made, coming) = sync_channel(1);
        line.send(coming).ok()?;
        Some((piece, made))
    };
    let work = &|line: SyncSender<Receiver<M>>| {
        while let Some((piece, made)) = next(&line) {
            if made.send(make(piece)).is_err() {
                return;
            }
        }
    };
    let bug = || anyhow!("a part could not be made because of a bug in tlparse");
    let (end, line) = sync_channel::<Receiver<M>>(AHEAD * threads);
    thread::scope(move |scope| {
        let start = |_| {
            let end = end.clone();
            thread::Builder::new().spawn_scoped(scope, move || work(end)).ok()
        };
        let started: Vec<_> = (0..threads).map_while(start).collect();
        ensure!(!started.is_empty(), "the system lets no thread start");
        drop(end);
        let taken = line.iter().try_for_each(|coming| take(coming.recv().map_err(|_| bug())?));
        // Nothing is taken any more, so the threads end.
        drop(line);
        let has_bug = started.into_iter().filter_map(|thread| thread.join().err()).count() > 0;
        taken.and_then(|()| if has_bug { Err(bug()) } else { Ok(()) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

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
