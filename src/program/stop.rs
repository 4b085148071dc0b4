//! Ctrl-C as a request to come to an end, for work that goes on until somebody stops it.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Learns of Ctrl-C and of requests to end.
pub struct Stop(Receiver<()>);

impl Stop {
    /// From now on the first such signal is only noted; a second one ends the program as ever.
    ///
    /// # Errors
    /// Signals cannot be listened to.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Stop> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        let (sender, receiver) = channel();
        let listen = move || {
            let mut is_second = false;
            for signal in signals.forever() {
                if is_second {
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
                is_second = true;
                let _ = sender.send(());
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
        Ok(Stop(receiver))
    }

    /// On other systems, Ctrl-C ends the program.
    #[cfg(not(unix))]
    pub fn listen() -> io::Result<Stop> {
        let (sender, receiver) = channel();
        // Kept for as long as the program runs.
        thread::Builder::new().spawn(move || {
            thread::park();
            drop(sender);
        })?;
        Ok(Stop(receiver))
    }

    /// Waits so long, or until the request comes; says whether it has come.
    pub fn wait(&self, time: Duration) -> bool {
        !matches!(self.0.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }
}
