//! Signals: Ctrl-C, a closed terminal, a request to end. A system that has none, such as Windows, ends the program at Ctrl-C
//! at once, and all processes of its console with it.

pub use os::{Passed, before_the_end, on_first_signal};

#[cfg(unix)]
mod os {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
    use signal_hook::iterator::exfiltrator::origin::WithOrigin;
    use signal_hook::iterator::{Signals, SignalsInfo};
    use signal_hook::low_level::emulate_default_handler;
    use signal_hook::low_level::siginfo::Cause;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;

    /// Signals that ask a program to end.
    const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

    /// Signals that would end this process before the report of another is written.
    const PASSED: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

    /// Ends the program as each signal would, but calls `tidy` first. A system that has no thread to spare for it ends the
    /// program without that. A file that may not grow any more is from now on an error of the write, like a full disk.
    pub fn before_the_end(tidy: impl Fn() + Send + 'static) {
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        let Ok(mut signals) = Signals::new(ENDING) else { return };
        let _ = thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                tidy();
                let _ = emulate_default_handler(signal);
            }
        });
    }

    /// From now on the first signal only calls `call`; a second one ends the program as usual.
    pub fn on_first_signal(call: impl Fn() + Send + 'static) -> io::Result<()> {
        let mut signals = Signals::new(ENDING)?;
        let listen = move || {
            let mut is_second = false;
            for signal in signals.forever() {
                if is_second {
                    let _ = emulate_default_handler(signal);
                }
                is_second = true;
                call();
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
    }

    /// Passes signals that reach this process on to another, until that has ended. Those that the terminal sends reach it by
    /// themselves, as it is in the same group: passed on, Ctrl-C would interrupt it twice.
    pub struct Passed {
        child: Sender<u32>,
        has_ended: Arc<AtomicBool>,
    }

    impl Passed {
        /// From now on no signal ends this process.
        pub fn listen() -> io::Result<Passed> {
            let signals = SignalsInfo::<WithOrigin>::new(PASSED)?;
            let (child, started) = channel();
            let has_ended = Arc::new(AtomicBool::new(false));
            let ended = Arc::clone(&has_ended);
            thread::Builder::new()
                .name("signals".to_owned())
                .spawn(move || pass(signals, &started, &ended))?;
            Ok(Passed { child, has_ended })
        }

        /// The process that they are passed to.
        pub fn to(&self, child: u32) {
            let _ = self.child.send(child);
        }

        /// The other process has ended: from now on a signal is not taken any more.
        pub fn end_with_the_next(&self) {
            self.has_ended.store(true, Ordering::SeqCst);
        }
    }

    fn pass(mut signals: SignalsInfo<WithOrigin>, started: &Receiver<u32>, has_ended: &AtomicBool) {
        // A signal that comes before the command is started waits for it.
        let Ok(child) = started.recv() else { return };
        let Some(child) = i32::try_from(child).ok().and_then(rustix::process::Pid::from_raw) else { return };
        for origin in &mut signals {
            if has_ended.load(Ordering::SeqCst) {
                // The report is being written: what ends that removes what was begun.
                return;
            }
            // Those of the terminal have reached it already.
            let signal = rustix::process::Signal::from_named_raw(origin.signal);
            if let Some(signal) = signal.filter(|_| origin.cause != Cause::Kernel) {
                let _ = rustix::process::kill_process(child, signal);
            }
        }
    }
}

#[cfg(not(unix))]
mod os {
    use std::io;
    use std::thread;

    pub fn before_the_end(_tidy: impl Fn() + Send + 'static) {}

    pub fn on_first_signal(call: impl Fn() + Send + 'static) -> io::Result<()> {
        // Whoever waits for it must wait for as long as the program runs.
        let wait = move || {
            let _kept = call;
            loop {
                thread::park();
            }
        };
        thread::Builder::new().spawn(wait).map(drop)
    }

    pub struct Passed;

    impl Passed {
        pub fn listen() -> io::Result<Passed> {
            Ok(Passed)
        }

        pub fn to(&self, _child: u32) {}

        pub fn end_with_the_next(&self) {}
    }
}
