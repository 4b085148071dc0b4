//! A window of a headless browser, and all that went wrong on its page.

use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Network, Page, Target};
use headless_chrome::{Browser, LaunchOptions, Tab};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

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
    pub tab: Arc<Tab>,
    heard: Arc<Heard>,
    _browser: Held,
}

/// The browser while a test uses it; it ends with the last test that holds it.
struct Held(Arc<Browser>);

impl Drop for Held {
    fn drop(&mut self) {
        // Says nothing about a page: `.ci/test` knows this line, and runs the test once more.
        if std::thread::panicking() && self.0.get_version().is_err() {
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
    fn hear(&self, event: &Event) {
        if let Event::PageLifecycleEvent(step) = event
            && step.params.name == "load"
        {
            self.loaded.lock().unwrap().push(step.params.loader_id.clone());
            self.another_load.notify_all();
        }
        if let Some(what) = complaint(event) {
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

impl Drop for Window {
    fn drop(&mut self) {
        // A window that has gone away by itself needs no closing.
        let _ = self.tab.close_target();
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
    let args =
        ["--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update"];
    let options = LaunchOptions::default_builder()
        .path(Some(path))
        // Chromium's sandbox needs rights that containers do not give; what is opened here are our own files.
        .sandbox(false)
        .args(args.iter().map(OsStr::new).collect())
        .window_size(Some((1280, 900)))
        .idle_browser_timeout(Duration::from_secs(300))
        .build()
        .unwrap();
    let browser = Arc::new(Browser::new(options).unwrap());
    *running = Arc::downgrade(&browser);
    Some(browser)
}

/// A new window; None if there is no browser.
pub fn window() -> Option<Window> {
    let browser = Held(browser()?);
    // A window of its own: a page behind another one would not be painted.
    let target = Target::CreateTarget {
        url: "about:blank".to_owned(),
        new_window: Some(true),
        left: None,
        top: None,
        width: None,
        height: None,
        window_state: None,
        browser_context_id: None,
        enable_begin_frame_control: None,
        background: None,
        for_tab: None,
        hidden: None,
    };
    let tab = browser.0.new_tab_with_options(target).unwrap();
    tab.set_default_timeout(LONGEST_LOAD);
    let heard: Arc<Heard> = Arc::default();
    let listener = Arc::clone(&heard);
    tab.enable_runtime().unwrap();
    tab.enable_log().unwrap();
    let network = Network::Enable {
        max_total_buffer_size: None,
        max_resource_buffer_size: None,
        max_post_data_size: None,
        report_direct_socket_traffic: None,
        enable_durable_messages: None,
    };
    tab.call_method(network).unwrap();
    tab.add_event_listener(Arc::new(move |event: &Event| listener.hear(event))).unwrap();
    Some(Window { tab, heard, _browser: browser })
}

/// What is wrong about an event of the browser.
fn complaint(event: &Event) -> Option<String> {
    match event {
        Event::RuntimeExceptionThrown(thrown) => {
            Some(format!("exception: {:?}", thrown.params.exception_details))
        }
        Event::RuntimeConsoleAPICalled(call) => Some(format!("console: {:?}", call.params.args)),
        // Violations of the policy too. Hints of the browser's own are not about the page.
        Event::LogEntryAdded(entry) => Some(format!("log: {}", entry.params.entry.text)),
        Event::NetworkRequestWillBeSent(sent) => {
            let url = &sent.params.request.url;
            let is_local = url.starts_with("file:") || url.starts_with("data:");
            (!is_local).then(|| format!("request: {url}"))
        }
        _ => None,
    }
}

impl Window {
    /// Opens a page from disk. `query` is empty or begins with `?` or `#`.
    pub fn open(&self, file: &Path, query: &str) {
        let path = file.canonicalize().unwrap();
        let path = path.to_str().unwrap().replace('%', "%25").replace('#', "%23").replace('?', "%3F");
        self.go(&format!("file://{path}{query}"));
    }

    /// Opens a URL and waits until the page is loaded and its scripts have run.
    ///
    /// The browser crate's own way to wait takes until the network has been idle for half a second, which is most of
    /// the time that a test of pages on disk would take.
    pub fn go(&self, url: &str) {
        let call = Page::Navigate {
            url: url.to_owned(),
            referrer: None,
            transition_Type: None,
            frame_id: None,
            referrer_policy: None,
        };
        let answer = self.tab.call_method(call).unwrap();
        assert_eq!(answer.error_text, None, "{url}");
        // Another place on the same page loads nothing.
        if let Some(load) = answer.loader_id {
            self.heard.wait_for_load(url, |loaded| loaded.contains(&load));
        }
    }

    /// Does what leads to another page, such as a click, and waits until that page is loaded.
    pub fn follow(&self, lead: impl FnOnce()) {
        let before = self.heard.loaded.lock().unwrap().len();
        lead();
        self.heard.wait_for_load("the next page", |loaded| loaded.len() > before);
    }

    /// The value of an expression in the page.
    pub fn value(&self, expression: &str) -> serde_json::Value {
        let found =
            self.tab.evaluate(expression, true).unwrap_or_else(|error| panic!("{expression}: {error}"));
        found.value.unwrap_or(serde_json::Value::Null)
    }

    pub fn is_true(&self, expression: &str) -> bool {
        self.value(expression) == true
    }

    pub fn number(&self, expression: &str) -> f64 {
        self.value(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// A click in the middle of the first element that fits.
    pub fn click(&self, css: &str) {
        let element = self.tab.wait_for_element(css).unwrap_or_else(|error| panic!("{css}: {error}"));
        element.click().unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Shows pages as in a light or a dark room.
    pub fn scheme(&self, name: &str) {
        let feature =
            Emulation::MediaFeature { name: "prefers-color-scheme".to_owned(), value: name.to_owned() };
        self.tab
            .call_method(Emulation::SetEmulatedMedia { media: None, features: Some(vec![feature]) })
            .unwrap();
    }

    /// What went wrong since the last time.
    pub fn take_wrong(&self) -> Vec<String> {
        // Events arrive after what caused them: an answer to a question of ours comes behind them.
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))");
        std::mem::take(&mut *self.heard.wrong.lock().unwrap())
    }

    /// Nothing may have gone wrong since the last time.
    pub fn quiet(&self, at: &str) {
        let wrong = self.take_wrong();
        assert!(wrong.is_empty(), "{at}: {wrong:#?}");
    }
}
