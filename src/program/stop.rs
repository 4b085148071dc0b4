//! Ctrl-C as a request to finish, for work that has no end of its own.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tlparse::system::signals;

/// Receives the first signal that asks the program to end.
pub struct Stop(Receiver<()>);

impl Stop {
    /// From now on the first such signal is only noted; a second one ends the program.
    ///
    /// # Errors
    /// The system refuses to deliver signals.
    pub fn listen() -> io::Result<Stop> {
        let (sender, receiver) = channel();
        signals::on_first_signal(move || {
            let _ = sender.send(());
        })?;
        Ok(Stop(receiver))
    }

    /// Waits for the request, at most this long; returns whether it has come.
    pub fn wait(&self, time: Duration) -> bool {
        !matches!(self.0.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }
}
