//! Processes, and whether the user has a display.

pub use os::{ending_signal, has_display, is_alive, kill_tree, set_name, set_own_group};

#[cfg(unix)]
mod os {
    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    use std::fs;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Command, ExitStatus};
    use std::thread::sleep;
    use std::time::Duration;

    /// How often a tree of processes is looked at until all of it is stopped, and the pause between.
    const LOOKS: usize = 100;
    const PAUSE: Duration = Duration::from_millis(10);

    fn pid_of(number: u32) -> Option<Pid> {
        i32::try_from(number).ok().and_then(Pid::from_raw)
    }

    /// Whether a process runs; yes where the system does not say.
    #[must_use]
    pub fn is_alive(pid: u32) -> bool {
        // For a process of another user, the system returns a different error.
        pid_of(pid).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
    }

    /// Lets a command run in a process group of its own, which no key pressed in the terminal reaches. False where the system
    /// has no such groups.
    pub fn set_own_group(command: &mut Command) -> bool {
        command.process_group(0);
        true
    }

    /// Changes the name of this process in lists of processes, where the system allows it.
    pub fn set_name(name: &str) {
        #[cfg(target_os = "linux")]
        if let Ok(name) = std::ffi::CString::new(name) {
            let _ = rustix::thread::set_name(&name);
        }
        let _ = name;
    }

    /// Kills a process with everything that it started and that still has a parent in this tree. A system without `/proc` does
    /// not say what that is: there only the process itself is killed, and none where there are no signals.
    pub fn kill_tree(root: u32) {
        let send = |number: u32, signal: Signal| pid_of(number).map(|pid| kill_process(pid, signal));
        let mut tree = vec![root];
        send(root, Signal::STOP);
        // A process that is killed leaves its children to another parent, and one that runs may start more of them. So all
        // are stopped first; the tree is complete once nothing in it runs.
        for _ in 0..LOOKS {
            let all = processes();
            let is_in_tree = |number: u32| tree.contains(&number);
            let found = all.iter().filter(|one| is_in_tree(one.parent) && !is_in_tree(one.number));
            let found: Vec<u32> = found.map(|one| one.number).collect();
            if found.is_empty() && !all.iter().any(|one| one.runs && is_in_tree(one.number)) {
                break;
            }
            for number in &found {
                send(*number, Signal::STOP);
            }
            tree.extend(found);
            sleep(PAUSE);
        }
        for number in tree {
            send(number, Signal::KILL);
        }
    }

    struct Process {
        number: u32,
        parent: u32,
        /// It is neither stopped nor dead.
        runs: bool,
    }

    /// All processes, as far as `/proc` lists them.
    fn processes() -> Vec<Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let process = |number: u32| {
            let status = fs::read_to_string(format!("/proc/{number}/status")).ok()?;
            let field = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
            let runs = !field("State:")?.starts_with(['T', 't', 'Z', 'X']);
            Some(Process { number, parent: field("PPid:")?.parse().ok()?, runs })
        };
        numbers.filter_map(process).collect()
    }

    /// The number of the signal that ended a process. Not every system has signals.
    #[must_use]
    pub fn ending_signal(status: ExitStatus) -> Option<i32> {
        status.signal()
    }

    /// Whether a browser has a display to open on.
    #[must_use]
    pub fn has_display() -> bool {
        // Only the window systems of other systems than a Mac say in the environment where they are.
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY")
    }
}

#[cfg(not(unix))]
mod os {
    use std::process::{Command, ExitStatus};

    pub fn is_alive(_pid: u32) -> bool {
        true
    }

    pub fn set_own_group(_command: &mut Command) -> bool {
        false
    }

    pub fn set_name(_name: &str) {}

    pub fn kill_tree(_root: u32) {}

    pub fn ending_signal(_status: ExitStatus) -> Option<i32> {
        None
    }

    pub fn has_display() -> bool {
        true
    }
}
