//! A small client of Chromium's DevTools protocol (<https://chromedevtools.github.io/devtools-protocol/>): starts the
//! browser, calls its methods, and hears its events.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// No answer takes this long, also on a busy machine.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);

/// What the browser writes before the address at which it listens.
const LISTENS: &str = "DevTools listening on ";

/// No window waits for the screen or for another one, nothing is fetched, and nobody is asked anything. A page that is left
/// ends, so that a question to it has an answer, and going back loads it again. Chromium's sandbox needs rights that
/// containers do not give; what is opened here are our own files.
const ARGUMENTS: [&str; 20] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--window-size=1280,900",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-features=BackForwardCache",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--enable-automation",
    "--force-color-profile=srgb",
    "--no-first-run",
];

/// Takes the name of an event and its parameters.
type Listener = Box<dyn Fn(&str, &Value) + Send>;

/// A browser that runs until it is dropped.
pub struct Browser {
    child: Child,
    connection: Arc<Connection>,
    _profile: TempDir,
}

/// What is sent to the browser, and who waits for what it sends.
struct Connection {
    socket: Mutex<WebSocket<TcpStream>>,
    calls: AtomicU64,
    /// Who waits for the answer to a call; none after the browser is gone.
    waiting: Mutex<Option<HashMap<u64, Sender<Value>>>>,
    /// Who listens to the events of a session.
    listeners: Mutex<HashMap<String, Listener>>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts the browser at that path.
    pub fn start(path: &Path) -> Browser {
        let profile = TempDir::new().unwrap();
        let mut child = Command::new(path)
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = said.by_ref().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix(LISTENS).map(str::to_owned));
        // It would wait for whoever reads what it says.
        thread::spawn(move || said.for_each(drop));
        let address = address.expect("the browser does not say where it listens");
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();
        let stream = TcpStream::connect(host).unwrap();
        let (reading, _) = tungstenite::client(address.as_str(), stream).unwrap();
        let writing = reading.get_ref().try_clone().unwrap();
        let connection = Arc::new(Connection {
            socket: Mutex::new(WebSocket::from_raw_socket(writing, Role::Client, None)),
            calls: AtomicU64::new(0),
            waiting: Mutex::new(Some(HashMap::new())),
            listeners: Mutex::default(),
        });
        let heard = Arc::clone(&connection);
        thread::spawn(move || heard.listen(reading));
        Browser { child, connection, _profile: profile }
    }

    /// Calls a method of the browser.
    pub fn call(&self, method: &str, parameters: Value) -> Result<Value, String> {
        self.connection.call(None, method, parameters)
    }

    /// A new window. `listener` hears its events.
    pub fn window(&self, listener: impl Fn(&str, &Value) + Send + 'static) -> Session {
        // A window of its own: a page behind another one would not be painted.
        let made =
            self.call("Target.createTarget", json!({"url": "about:blank", "newWindow": true})).unwrap();
        let target = made["targetId"].as_str().unwrap().to_owned();
        let attached =
            self.call("Target.attachToTarget", json!({"targetId": target, "flatten": true})).unwrap();
        let id = attached["sessionId"].as_str().unwrap().to_owned();
        self.connection.listeners.lock().unwrap().insert(id.clone(), Box::new(listener));
        Session { connection: Arc::clone(&self.connection), target, id }
    }
}

impl Connection {
    fn call(&self, session: Option<&str>, method: &str, parameters: Value) -> Result<Value, String> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let mut call = json!({"id": number, "method": method, "params": parameters});
        if let Some(session) = session {
            call["sessionId"] = json!(session);
        }
        let (sender, receiver) = channel();
        let gone = || format!("{method}: the browser is gone");
        self.waiting.lock().unwrap().as_mut().ok_or_else(gone)?.insert(number, sender);
        let sent = self.socket.lock().unwrap().send(Message::text(call.to_string()));
        sent.map_err(|error| format!("{method}: {error}"))?;
        let mut answer =
            receiver.recv_timeout(LONGEST_ANSWER).map_err(|error| format!("{method}: {error}"))?;
        match answer.get("error") {
            Some(error) => Err(format!("{method}: {error}")),
            None => Ok(answer["result"].take()),
        }
    }

    /// Hands answers to those who wait and events to those who listen, in the order in which they come.
    fn listen(&self, mut socket: WebSocket<TcpStream>) {
        while let Ok(message) = socket.read() {
            let Ok(text) = message.into_text() else { continue };
            let Ok(said) = serde_json::from_str::<Value>(&text) else { continue };
            if let Some(number) = said["id"].as_u64() {
                let waits = self.waiting.lock().unwrap().as_mut().and_then(|all| all.remove(&number));
                // Who waited too long has gone.
                let _ = waits.map(|waits| waits.send(said));
            } else if let Some((session, method)) = said["sessionId"].as_str().zip(said["method"].as_str())
                && let Some(listener) = self.listeners.lock().unwrap().get(session)
            {
                listener(method, &said["params"]);
            }
        }
        // Whoever still waits is told by the end of the channel.
        self.waiting.lock().unwrap().take();
    }
}

/// A window to which the client is attached. It is closed when this is dropped.
pub struct Session {
    connection: Arc<Connection>,
    target: String,
    id: String,
}

impl Drop for Session {
    fn drop(&mut self) {
        // A window that has gone away by itself needs no closing.
        let _ = self.connection.call(None, "Target.closeTarget", json!({"targetId": self.target}));
        self.connection.listeners.lock().unwrap().remove(&self.id);
    }
}

impl Session {
    /// Calls a method of the window.
    pub fn call(&self, method: &str, parameters: Value) -> Result<Value, String> {
        self.connection.call(Some(&self.id), method, parameters)
    }
}
