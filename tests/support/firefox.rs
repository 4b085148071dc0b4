//! Headless Firefox, driven by its own protocol, Marionette: a length, a colon and a list in JSON each way.

use serde_json::{Value, json};
use std::cell::RefCell;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Where the browser may be installed; `$FIREFOX` comes first.
const PLACES: [&str; 2] = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

/// Nothing takes this long, also on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// A browser with one window, until it is dropped.
pub struct Firefox {
    child: Child,
    stream: RefCell<TcpStream>,
    _profile: TempDir,
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Firefox {
    /// Starts the browser; None if there is none here.
    pub fn start() -> Option<Firefox> {
        let own = std::env::var_os("FIREFOX").map(PathBuf::from);
        let Some(path) = own.into_iter().chain(PLACES.map(PathBuf::from)).find(|path| path.exists()) else {
            println!(
                "skipped: no Firefox here; install Debian's package firefox-esr, or set FIREFOX, to test in it, too"
            );
            return None;
        };
        let profile = TempDir::new().unwrap();
        // A free port, which the browser writes into its profile.
        fs::write(profile.path().join("user.js"), "user_pref('marionette.port', 0);\n").unwrap();
        let child = Command::new(path)
            .args(["--headless", "--no-remote", "--marionette", "--profile"])
            .arg(profile.path())
            .env("HOME", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stream = RefCell::new(connected(&profile.path().join("MarionetteActivePort")));
        let firefox = Firefox { child, stream, _profile: profile };
        firefox.answer();
        firefox.call("WebDriver:NewSession", json!({}));
        Some(firefox)
    }

    /// Opens a page from disk and waits until it is loaded.
    pub fn open(&self, file: &Path) {
        let path = file.to_str().unwrap().replace('%', "%25").replace('#', "%23").replace('?', "%3F");
        self.call("WebDriver:Navigate", json!({"url": format!("file://{path}")}));
    }

    /// What a function with this body returns in the page.
    pub fn value(&self, body: &str) -> Value {
        let function = json!({"script": body, "args": []});
        self.call("WebDriver:ExecuteScript", function)["value"].take()
    }

    fn call(&self, method: &str, parameters: Value) -> Value {
        let call = json!([0, 1, method, parameters]).to_string();
        self.stream.borrow_mut().write_all(format!("{}:{call}", call.len()).as_bytes()).unwrap();
        let mut answer = self.answer();
        assert!(answer[2].is_null(), "{method}: {}", answer[2]);
        answer[3].take()
    }

    fn answer(&self) -> Value {
        let mut stream = self.stream.borrow_mut();
        let (mut length, mut digit) = (0, [0]);
        loop {
            stream.read_exact(&mut digit).unwrap();
            match digit[0] {
                b':' => break,
                digit => length = length * 10 + usize::from(digit - b'0'),
            }
        }
        let mut text = vec![0; length];
        stream.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

/// A connection to the port that is written there.
fn connected(place: &Path) -> TcpStream {
    let began = Instant::now();
    loop {
        let port = fs::read_to_string(place).ok().and_then(|text| text.trim().parse::<u16>().ok());
        if let Some(stream) = port.and_then(|port| TcpStream::connect(("127.0.0.1", port)).ok()) {
            stream.set_read_timeout(Some(LONGEST)).unwrap();
            return stream;
        }
        assert!(began.elapsed() < LONGEST, "Firefox does not say where it listens");
        thread::sleep(Duration::from_millis(50));
    }
}
