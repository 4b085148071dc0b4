//! `--serve`: the report over HTTP, to this machine only.

use crate::support::input;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A program that serves a report; it is ended when this is dropped.
struct Served {
    program: Child,
    address: String,
    folder: tempfile::TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().unwrap();
        let mut program = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"))
            .arg(&input("11_export_clean").path)
            .args(["--serve", "--no-browser", "-o"])
            .arg(folder.path().join("report"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
        let line = lines.find(|line| line.starts_with("Serving http://")).expect("it says where it listens");
        let address = line.split('/').nth(2).unwrap().to_owned();
        Served { program, address, folder }
    }

    /// The head and the body of the answer.
    fn ask(&self, method: &str, path: &str, host: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }
}

#[test]
fn a_served_report_is_what_stands_on_the_disk() {
    let served = Served::start();
    for (path, file) in [("/", "index.html"), ("/index.html?q=x", "index.html"), ("/raw.log", "raw.log")] {
        let (head, body) = served.ask("GET", path, &served.address);
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        let kind = if file == "raw.log" { "text/plain" } else { "text/html" };
        assert!(head.contains(&format!("Content-Type: {kind}")), "{path}: {head}");
        assert_eq!(body, std::fs::read_to_string(served.folder.path().join("report").join(file)).unwrap());
    }
}

#[test]
fn nothing_outside_the_report_is_served() {
    let served = Served::start();
    std::fs::write(served.folder.path().join("secret.txt"), "secret").unwrap();
    for path in ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/payloads/"] {
        let (head, body) = served.ask("GET", path, &served.address);
        assert!(head.starts_with("HTTP/1.1 404") && !body.contains("secret"), "{path}: {head}");
    }
    assert!(served.ask("POST", "/", &served.address).0.starts_with("HTTP/1.1 405"));
}

#[test]
fn only_this_machine_is_answered() {
    let served = Served::start();
    assert!(served.address.starts_with("127.0.0.1:"), "{}", served.address);
    assert!(served.ask("GET", "/", "evil.example").0.starts_with("HTTP/1.1 403"));
    let port = served.address.split(':').nth(1).unwrap();
    assert!(served.ask("GET", "/", &format!("localhost:{port}")).0.starts_with("HTTP/1.1 200"));
}
