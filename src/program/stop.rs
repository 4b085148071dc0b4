//! Ctrl-C as a request to come to an end, for work that goes on until somebody stops it.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tlparse::system::signals;

/// Learns of Ctrl-C and of requests to end.
pub struct Stop(Receiver<()>);

impl Stop {
    /// From now on the first such signal is only noted; a second one ends the program as ever.
    ///
    /// # Errors
    /// Signals cannot be listened to.
    pub fn listen() -> io::Result<Stop> {
        let (sender, receiver) = channel();
        signals::tell_the_first(move || {
            let _ = sender.send(());
        })?;
        Ok(Stop(receiver))
    }

    /// Waits so long, or until the request comes; says whether it has come.
    pub fn wait(&self, time: Duration) -> bool {
        !matches!(self.0.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }
}
