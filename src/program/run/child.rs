//! The command as a child process: it has our terminal, and signals that are sent to us reach it.

use crate::program::exit;
use std::io;
use std::process::{Command, ExitCode, ExitStatus};

/// The command could not be started.
pub struct NotStarted {
    program: String,
    error: io::Error,
}

impl NotStarted {
    /// Says so, as a shell does: 127 where there is no such program, 126 otherwise.
    pub fn told(&self) -> ExitCode {
        let NotStarted { program, error } = self;
        let (code, why) = match error.kind() {
            io::ErrorKind::NotFound => (127, "there is no such program".to_owned()),
            _ => (126, error.to_string()),
        };
        exit::with(code, &anyhow::anyhow!("cannot run {program}: {why}"))
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended(ExitStatus);

impl Ended {
    /// The exit code of tlparse: that of the command; 1 where only the report failed.
    pub fn code_after(self, is_reported: bool) -> ExitCode {
        match self.code() {
            0 if !is_reported => ExitCode::from(exit::FAILED),
            code => ExitCode::from(code),
        }
    }

    /// Its code as a shell has it.
    fn code(self) -> u8 {
        let code = self.0.code().or_else(|| Some(128 + self.signal()?));
        // Windows has codes of 32 bits: a failure stays one.
        code.map_or(exit::FAILED, |code| {
            u8::try_from(code & 0xff).unwrap_or(exit::FAILED).max(u8::from(code != 0))
        })
    }

    #[cfg(unix)]
    fn signal(self) -> Option<i32> {
        std::os::unix::process::ExitStatusExt::signal(&self.0)
    }

    #[cfg(not(unix))]
    fn signal(self) -> Option<i32> {
        None
    }

    /// `ended with exit code 1`, `was ended by signal 9`.
    pub fn words(self) -> String {
        match (self.0.code(), self.signal()) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        }
    }
}

/// Runs a command to its end.
///
/// # Errors
/// It cannot be started.
pub fn run(mut command: Command) -> Result<Ended, NotStarted> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut run = || {
        let signals = signals::Passed::listen()?;
        let mut child = command.spawn()?;
        signals.to(child.id());
        let ended = child.wait();
        signals.end_with_the_next();
        ended
    };
    run().map(Ended).map_err(|error| NotStarted { program, error })
}

#[cfg(unix)]
mod signals {
    //! Signals that reach us are passed on. Those that the terminal sends reach the command by themselves, as it is in our
    //! group: passed on, Ctrl-C would interrupt it twice.

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::origin::WithOrigin;
    use signal_hook::low_level::siginfo::{Cause, Origin};
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;

    /// Signals that would end us before the report is written.
    const PASSED: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

    /// Passes signals on until the command has ended.
    pub struct Passed {
        child: Sender<u32>,
        has_ended: Arc<AtomicBool>,
    }

    impl Passed {
        /// From now on no signal ends us.
        pub fn listen() -> io::Result<Passed> {
            let signals = SignalsInfo::<WithOrigin>::new(PASSED)?;
            let (child, told) = channel();
            let has_ended = Arc::new(AtomicBool::new(false));
            let ended = Arc::clone(&has_ended);
            thread::Builder::new().name("signals".to_owned()).spawn(move || pass(signals, &told, &ended))?;
            Ok(Passed { child, has_ended })
        }

        /// The process that they are passed to.
        pub fn to(&self, child: u32) {
            let _ = self.child.send(child);
        }

        /// The command has ended: a signal now ends the report.
        pub fn end_with_the_next(&self) {
            self.has_ended.store(true, Ordering::SeqCst);
        }
    }

    fn pass(mut signals: SignalsInfo<WithOrigin>, told: &Receiver<u32>, has_ended: &AtomicBool) {
        // A signal that comes before the command is started waits for it.
        let Ok(child) = told.recv() else { return };
        let Some(child) = i32::try_from(child).ok().and_then(rustix::process::Pid::from_raw) else { return };
        for origin in &mut signals {
            if has_ended.load(Ordering::SeqCst) {
                // The report is being written: what ends that removes what was begun.
                return;
            }
            let signal = rustix::process::Signal::from_named_raw(origin.signal);
            if let Some(signal) = signal.filter(|_| !is_of_terminal(&origin)) {
                let _ = rustix::process::kill_process(child, signal);
            }
        }
    }

    fn is_of_terminal(origin: &Origin) -> bool {
        origin.cause == Cause::Kernel
    }
}

#[cfg(not(unix))]
mod signals {
    //! Ctrl-C reaches all processes of a console by itself.

    use std::io;

    pub struct Passed;

    impl Passed {
        pub fn listen() -> io::Result<Passed> {
            Ok(Passed)
        }

        pub fn to(&self, _child: u32) {}

        pub fn end_with_the_next(&self) {}
    }
}
