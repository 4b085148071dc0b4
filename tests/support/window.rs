//! A window of a headless browser, and all that went wrong on its page.

use super::devtools::{Browser, Session};
use serde_json::{Value, json};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Where the browser may be installed; `$CHROME` comes first.
const PLACES: [&str; 4] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/// No page takes this long to load, also on a busy machine.
const LONGEST_LOAD: Duration = Duration::from_secs(60);

fn chromium() -> Option<PathBuf> {
    let own = std::env::var_os("CHROME").map(PathBuf::from);
    let found = own.into_iter().chain(PLACES.map(PathBuf::from)).find(|path| path.exists());
    if found.is_none() {
        let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        assert!(!in_ci, "no Chromium: install Debian's package chromium, or set CHROME");
        eprintln!(
            "skipped: no Chromium here; install Debian's package chromium, or set CHROME, to test in a browser"
        );
    }
    found
}

/// A window of the browser with one page, and all that went wrong there.
pub struct Window {
    session: Session,
    heard: Arc<Heard>,
    runs_scripts: Cell<bool>,
    _browser: Held,
}

/// The browser while a test uses it; it ends with the last test that holds it.
struct Held(Arc<Browser>);

impl Drop for Held {
    fn drop(&mut self) {
        // Says nothing about a page: `.ci/test` knows this line, and runs the test once more.
        if std::thread::panicking() && self.0.call("Browser.getVersion", json!({})).is_err() {
            println!("the browser is gone");
        }
    }
}

/// What the browser reported about a window.
#[derive(Default)]
struct Heard {
    /// What went wrong since the last time somebody asked.
    wrong: Mutex<Vec<String>>,
    /// The documents that were loaded to their end, by the browser's own name for each load.
    loaded: Mutex<Vec<String>>,
    another_load: Condvar,
}

impl Heard {
    fn hear(&self, event: &str, said: &Value) {
        if event == "Page.lifecycleEvent" && said["name"] == "load" {
            self.loaded.lock().unwrap().push(said["loaderId"].as_str().unwrap().to_owned());
            self.another_load.notify_all();
        }
        if let Some(what) = complaint(event, said) {
            self.wrong.lock().unwrap().push(what);
        }
    }

    /// Waits until what was loaded is enough.
    fn wait_for_load(&self, about: &str, enough: impl Fn(&[String]) -> bool) {
        let loaded = self.loaded.lock().unwrap();
        let is_missing = |loaded: &mut Vec<String>| !enough(loaded);
        let (_loaded, waited) =
            self.another_load.wait_timeout_while(loaded, LONGEST_LOAD, is_missing).unwrap();
        assert!(!waited.timed_out(), "{about} did not load");
    }
}

/// The browser of all tests that run at present. Starting one takes longer than most tests do.
fn browser() -> Option<Arc<Browser>> {
    static RUNNING: Mutex<Weak<Browser>> = Mutex::new(Weak::new());
    let path = chromium()?;
    // A test that failed while it started the browser must not fail the others.
    let mut running = RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(browser) = running.upgrade() {
        return Some(browser);
    }
    let browser = Arc::new(Browser::start(&path));
    *running = Arc::downgrade(&browser);
    Some(browser)
}

/// A new window; None if there is no browser.
pub fn window() -> Option<Window> {
    let browser = Held(browser()?);
    let heard: Arc<Heard> = Arc::default();
    let listener = Arc::clone(&heard);
    let session = browser.0.window(move |event, said| listener.hear(event, said));
    for method in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
        session.call(method, json!({})).unwrap();
    }
    session.call("Performance.enable", json!({"timeDomain": "threadTicks"})).unwrap();
    session.call("Page.setLifecycleEventsEnabled", json!({"enabled": true})).unwrap();
    // Another window that opens takes no keys from this one.
    session.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).unwrap();
    Some(Window { session, heard, runs_scripts: Cell::new(true), _browser: browser })
}

/// What is wrong about an event of the browser.
fn complaint(event: &str, said: &Value) -> Option<String> {
    match event {
        "Runtime.exceptionThrown" => Some(format!("exception: {}", said["exceptionDetails"])),
        "Runtime.consoleAPICalled" => Some(format!("console: {}", said["args"])),
        // Violations of the policy too. Hints of the browser's own are not about the page.
        "Log.entryAdded" => Some(format!("log: {}", said["entry"]["text"])),
        "Network.requestWillBeSent" => {
            let url = said["request"]["url"].as_str().unwrap();
            let is_local = url.starts_with("file:") || url.starts_with("data:");
            (!is_local).then(|| format!("request: {url}"))
        }
        _ => None,
    }
}

/// A key as the browser wants it: its code, its number, and what it writes.
fn key_event(key: &str) -> Value {
    let (code, number, text) = match key {
        "Enter" => ("Enter".to_owned(), 13, "\r"),
        "Tab" => (key.to_owned(), 9, ""),
        "Backspace" => (key.to_owned(), 8, ""),
        "Escape" => (key.to_owned(), 27, ""),
        "End" => (key.to_owned(), 35, ""),
        "Home" => (key.to_owned(), 36, ""),
        "ArrowLeft" => (key.to_owned(), 37, ""),
        "ArrowUp" => (key.to_owned(), 38, ""),
        "ArrowRight" => (key.to_owned(), 39, ""),
        "ArrowDown" => (key.to_owned(), 40, ""),
        "/" => ("Slash".to_owned(), 191, key),
        _ => {
            let letter = key.chars().next().filter(|_| key.chars().count() == 1);
            let letter = letter.unwrap_or_else(|| panic!("no key {key}")).to_ascii_uppercase();
            let code =
                if letter.is_ascii_digit() { format!("Digit{letter}") } else { format!("Key{letter}") };
            (code, u32::from(letter), key)
        }
    };
    json!({"key": key, "code": code, "windowsVirtualKeyCode": number, "text": text})
}

impl Window {
    /// Opens a page from disk. `query` is empty or begins with `?` or `#`.
    pub fn open(&self, file: &Path, query: &str) {
        let path = file.canonicalize().unwrap();
        let path = path.to_str().unwrap().replace('%', "%25").replace('#', "%23").replace('?', "%3F");
        self.go(&format!("file://{path}{query}"));
    }

    /// Opens a URL and waits until the page is loaded and its scripts have run.
    pub fn go(&self, url: &str) {
        let answer = self.call("Page.navigate", json!({"url": url}));
        assert!(answer.get("errorText").is_none(), "{url}: {answer}");
        // Another place on the same page loads nothing.
        if let Some(load) = answer["loaderId"].as_str() {
            self.heard.wait_for_load(url, |loaded| loaded.iter().any(|one| one == load));
            // What was never painted hears no keys.
            self.settle();
        }
    }

    /// Does what leads to another page, such as a click, and waits until that page is loaded.
    pub fn follow(&self, lead: impl FnOnce()) {
        let before = self.heard.loaded.lock().unwrap().len();
        lead();
        self.heard.wait_for_load("the next page", |loaded| loaded.len() > before);
        self.settle();
    }

    /// Calls a method of the browser for this window.
    fn call(&self, method: &str, parameters: Value) -> Value {
        self.session.call(method, parameters).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The value of an expression in the page; null for what is no text, number or truth.
    pub fn value(&self, expression: &str) -> Value {
        let mut found =
            self.call("Runtime.evaluate", json!({"expression": expression, "awaitPromise": true}));
        let thrown = &found["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        found["result"]["value"].take()
    }

    /// Does what leads to another page, after the answer: a page that is left gives none.
    pub fn leave(&self, expression: &str) {
        self.value(&format!("setTimeout(() => {{ {expression} }})"));
    }

    pub fn is_true(&self, expression: &str) -> bool {
        self.value(expression) == true
    }

    pub fn number(&self, expression: &str) -> f64 {
        self.value(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// The milliseconds of processor time that the page's main thread takes for what is done: those of other tests on the
    /// machine do not count.
    pub fn work_ms(&self, action: impl FnOnce(&Window)) -> f64 {
        let so_far = || {
            let found = self.call("Performance.getMetrics", json!({}));
            let metrics = found["metrics"].as_array().unwrap();
            metrics.iter().find(|one| one["name"] == "TaskDuration").unwrap()["value"].as_f64().unwrap()
        };
        let before = so_far();
        action(self);
        (so_far() - before) * 1e3
    }

    /// Waits until an element fits.
    pub fn wait_for(&self, css: &str) {
        self.wait_until(&format!("document.querySelector({}) !== null", json!(css)));
    }

    /// Waits until an expression in the page is true.
    pub fn wait_until(&self, expression: &str) {
        let began = Instant::now();
        let asked = json!({"expression": expression});
        // Between two pages there is nothing that could answer.
        while !self
            .session
            .call("Runtime.evaluate", asked.clone())
            .is_ok_and(|found| found["result"]["value"] == true)
        {
            assert!(began.elapsed() < LONGEST_LOAD, "{expression} stays false");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// A click in the middle of the first element that fits.
    pub fn click(&self, css: &str) {
        self.wait_for(css);
        let middle = self.value(&format!(
            "{{ const found = document.querySelector({});
                found.scrollIntoViewIfNeeded();
                const box = found.getClientRects()[0];
                box ? `${{box.x + box.width / 2}} ${{box.y + box.height / 2}}` : '' }}",
            json!(css)
        ));
        let place = middle.as_str().and_then(|middle| middle.split_once(' '));
        let place = place.and_then(|(x, y)| Some((x.parse::<f64>().ok()?, y.parse::<f64>().ok()?)));
        let (x, y) = place.unwrap_or_else(|| panic!("{css} is not shown"));
        for step in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let (button, count) = if step == "mouseMoved" { ("none", 0) } else { ("left", 1) };
            let event = json!({"type": step, "x": x, "y": y, "button": button, "clickCount": count});
            self.call("Input.dispatchMouseEvent", event);
        }
        self.settle();
    }

    /// Presses a key, by its name in the browser: `Enter`, `n`.
    pub fn press(&self, key: &str) {
        for step in ["keyDown", "keyUp"] {
            let mut event = key_event(key);
            event["type"] = json!(step);
            if step == "keyUp" || event["text"] == "" {
                event.as_object_mut().unwrap().remove("text");
            }
            self.call("Input.dispatchKeyEvent", event);
        }
        self.settle();
    }

    /// Clicks on a field and types into it, letter by letter.
    pub fn type_into(&self, css: &str, text: &str) {
        self.click(css);
        for letter in text.chars() {
            self.call("Input.dispatchKeyEvent", json!({"type": "char", "text": letter.to_string()}));
        }
    }

    /// Waits until the page has heard what was done: events, such as that of a new address, come after their cause.
    fn settle(&self) {
        if !self.runs_scripts.get() {
            return;
        }
        let next_turn = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))";
        // A page that is left never answers that, but says so.
        let _ = self.session.call("Runtime.evaluate", json!({"expression": next_turn, "awaitPromise": true}));
    }

    /// The document as it is now.
    pub fn content(&self) -> String {
        let root = &self.call("DOM.getDocument", json!({}))["root"]["nodeId"];
        self.call("DOM.getOuterHTML", json!({"nodeId": root}))["outerHTML"].as_str().unwrap().to_owned()
    }

    /// Lets no script run on the pages that follow.
    pub fn switch_scripts_off(&self) {
        self.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
        self.runs_scripts.set(false);
    }

    /// Shows pages that wide, in pixels.
    pub fn width(&self, width: u32) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Shows pages as in a light or a dark room.
    pub fn scheme(&self, name: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": name});
        self.call("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    /// What went wrong since the last time.
    pub fn take_wrong(&self) -> Vec<String> {
        self.settle();
        std::mem::take(&mut *self.heard.wrong.lock().unwrap())
    }

    /// Nothing may have gone wrong since the last time.
    pub fn quiet(&self, at: &str) {
        let wrong = self.take_wrong();
        assert!(wrong.is_empty(), "{at}: {wrong:#?}");
    }
}
