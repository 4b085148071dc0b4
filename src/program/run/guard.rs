//! A process that ends the command when `tlparse run` itself is killed.
//!
//! Nothing can react to its own SIGKILL, so another process waits for it: the guard reads a pipe that ends with us, and then
//! kills the command and all that it started, such as the ranks of torchrun or the program of a shell script.
//!
//! A death signal of Linux (`PR_SET_PDEATHSIG`) would reach the command only: killed in this way, torchrun leaves its ranks on
//! the device. Nor is a process group killed. The command stays in ours, as only the foreground group of a terminal gets
//! its Ctrl-C and may read from it, which a debugger does; and that group may hold the script or the pipeline that we are
//! part of. So the guard follows the parents of processes. What has detached itself from the command lives on, as without
//! tlparse. The command remains our own child: its exit code, its signals and its parent are what they are without a guard.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use tlparse::system::processes::{kill_tree, set_name, set_own_group};

/// What lists of processes call the guard. `killall -9 tlparse` must not kill it too.
const NAME: &str = "tl-run-guard";

/// The guard, until this is dropped.
pub struct Guard(Child);

impl Guard {
    /// Starts the guard; None where the system cannot do that. The command then runs without.
    pub fn start() -> Option<Guard> {
        let mut command = Command::new(std::env::current_exe().ok()?);
        command.args(["run", "--guard"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Signals that end us gently are for the command, which may take its time.
        set_own_group(&mut command).then(|| command.spawn().ok().map(Guard)).flatten()
    }

    /// The command that it ends.
    pub fn watch(&mut self, command: u32) {
        if let Some(pipe) = &mut self.0.stdin {
            let _ = write!(pipe, "{command}");
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the guard does. Its pipe ends when the process that holds the other end is gone.
pub fn run() {
    set_name(NAME);
    let mut command = String::new();
    let _ = std::io::stdin().read_to_string(&mut command);
    if let Ok(command) = command.parse() {
        kill_tree(command);
    }
}
