//! The program `tlparse`.

mod program;

fn main() -> std::process::ExitCode {
    program::main()
}
