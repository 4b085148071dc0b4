//! Processes, and whether the user has a display.

use std::process::ExitStatus;

/// Whether a process runs; yes where the system does not say.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    os::is_alive(pid)
}

/// The number of the signal that ended a process. Not every system has signals.
#[must_use]
pub fn ending_signal(status: ExitStatus) -> Option<i32> {
    os::ending_signal(status)
}

/// Whether a browser has a display to open on.
#[must_use]
pub fn has_display() -> bool {
    os::has_display()
}

#[cfg(unix)]
mod os {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    pub fn is_alive(pid: u32) -> bool {
        let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        // For a process of another user, the system returns a different error.
        pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
    }

    pub fn ending_signal(status: ExitStatus) -> Option<i32> {
        status.signal()
    }

    pub fn has_display() -> bool {
        // Only the window systems of other systems than a Mac say in the environment where they are.
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY")
    }
}

#[cfg(not(unix))]
mod os {
    use std::process::ExitStatus;

    pub fn is_alive(_pid: u32) -> bool {
        true
    }

    pub fn ending_signal(_status: ExitStatus) -> Option<i32> {
        None
    }

    pub fn has_display() -> bool {
        true
    }
}
