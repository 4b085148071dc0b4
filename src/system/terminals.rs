//! Pseudo terminals: what is written to one of their ends comes out of the other. A system that has none, such as Windows,
//! says so with an error.

use std::io::{self, Read, Write};

/// A terminal for a program, as wide as ours.
pub struct PseudoTerminal {
    /// What the program writes to.
    pub program: std::fs::File,
    /// Where that comes out.
    pub output: Output,
}

/// What comes out of a pseudo terminal. It ends when no program has the terminal any more.
pub struct Output(std::fs::File);

impl Read for Output {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        // People change the size of the window while the program runs.
        os::take_size(&self.0);
        self.0.read(bytes).or_else(|error| if os::is_end(&error) { Ok(0) } else { Err(error) })
    }
}

impl PseudoTerminal {
    /// A terminal that passes on each byte as it is.
    ///
    /// # Errors
    /// The system has no pseudo terminals, or no more of them.
    pub fn open() -> io::Result<PseudoTerminal> {
        let (program, output) = os::open()?;
        os::take_size(&output);
        Ok(PseudoTerminal { program, output: Output(output) })
    }
}

/// Writes to standard error, where a reader may be gone.
pub fn to_standard_error(bytes: &[u8]) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

#[cfg(unix)]
mod os {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::{Errno, FdFlags, fcntl_setfd};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};
    use std::fs::File;
    use std::io;

    pub fn open() -> io::Result<(File, File)> {
        let output = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        fcntl_setfd(&output, FdFlags::CLOEXEC)?;
        grantpt(&output)?;
        unlockpt(&output)?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let program = rustix::fs::open(ptsname(&output, Vec::new())?, flags, Mode::empty())?;
        let mut mode = tcgetattr(&program)?;
        // Our own terminal makes new lines of what it gets.
        mode.make_raw();
        tcsetattr(&program, OptionalActions::Now, &mode)?;
        Ok((program.into(), output.into()))
    }

    pub fn take_size(output: &File) {
        let ours = tcgetwinsize(io::stderr());
        if let (Ok(ours), Ok(size)) = (ours, tcgetwinsize(output))
            && (ours.ws_row, ours.ws_col) != (size.ws_row, size.ws_col)
        {
            let _ = tcsetwinsize(output, ours);
        }
    }

    /// Whether no program has the terminal any more.
    pub fn is_end(error: &io::Error) -> bool {
        error.raw_os_error() == Some(Errno::IO.raw_os_error())
    }
}

#[cfg(not(unix))]
mod os {
    use std::fs::File;
    use std::io;

    pub fn open() -> io::Result<(File, File)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn take_size(_: &File) {}

    pub fn is_end(_: &io::Error) -> bool {
        false
    }
}
