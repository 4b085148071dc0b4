//! `--serve` and `tlparse serve`: a report over HTTP, to this machine only, and to who knows its address.

use crate::browser::window;
use crate::support::{Run, files_below, input, job, report};
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program that serves a report; it is ended when this is dropped.
pub struct Served {
    program: Child,
    /// Host and port.
    pub address: String,
    /// `token=..`
    query: String,
    folder: PathBuf,
    _work: Option<tempfile::TempDir>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

impl Served {
    /// A small report of its own, which a test may change, served by the run that wrote it.
    fn own() -> Served {
        let work = tempfile::tempdir().unwrap();
        let folder = work.path().join("report");
        let log = &input("11_export_clean").path;
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command.arg(log).args(["--serve", "--no-browser", "-o"]).arg(&folder);
        Served::start(command, folder, Some(work))
    }

    /// A finished report.
    pub fn finished(folder: &Path) -> Served {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command.args(["serve", "--no-browser"]).arg(folder);
        Served::start(command, folder.to_owned(), None)
    }

    fn start(mut command: Command, folder: PathBuf, work: Option<tempfile::TempDir>) -> Served {
        let mut program = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
        let line = lines.find(|line| line.starts_with("Serving http://")).expect("it says where it listens");
        let url = line.split_whitespace().nth(1).unwrap();
        let (address, query) = url.strip_prefix("http://").unwrap().split_once("/?").unwrap();
        let (address, query) = (address.to_owned(), query.to_owned());
        Served { program, address, query, folder, _work: work }
    }

    /// The address of a file, with the token.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}?{}", self.address, self.query)
    }

    /// A connection on which a request for a path was made, with the token and further lines.
    fn request(&self, method: &str, path: &str, lines: &str) -> TcpStream {
        let (address, query) = (&self.address, &self.query);
        self.send(format!("{method} {path}?{query} HTTP/1.1\r\nHost: {address}\r\n{lines}\r\n").as_bytes())
    }

    /// A connection on which these bytes were sent, as far as the server took them.
    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
        // A server that refuses does not read to the end.
        let _ = stream.write_all(bytes);
        stream
    }
}

/// An answer: its status line and headers, and its body.
fn answer(mut stream: TcpStream) -> (String, Vec<u8>) {
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        // What the server did not read makes the system reset the connection.
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(answer.len());
    let body = answer.get(end + 4..).unwrap_or_default().to_vec();
    (String::from_utf8_lossy(&answer[..end]).into_owned(), body)
}

/// A client that takes every status for an answer.
fn client() -> ureq::Agent {
    let config = ureq::Agent::config_builder();
    config.http_status_as_error(false).timeout_global(Some(Duration::from_secs(60))).build().into()
}

fn header<'a, B>(answer: &'a ureq::http::Response<B>, name: &str) -> &'a str {
    answer.headers().get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
}

#[test]
fn every_file_of_a_report_is_served_byte_by_byte_with_its_type() {
    let served = Served::finished(&report("01_inference").folder);
    let client = client();
    for path in files_below(&served.folder) {
        let mut answer = client.get(served.url(&path)).call().unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        let kind = match path.rsplit('.').next().unwrap() {
            "html" => "text/html; charset=utf-8",
            "json" => "application/json",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            _ => "text/plain; charset=utf-8",
        };
        assert_eq!(header(&answer, "content-type"), kind, "{path}");
        assert!(
            answer.body_mut().read_to_vec().unwrap() == fs::read(served.folder.join(&path)).unwrap(),
            "{path}"
        );
    }
    let encoded = client.get(served.url("%69ndex.html")).call().unwrap();
    assert_eq!(
        (encoded.status().as_u16(), header(&encoded, "content-type")),
        (200, "text/html; charset=utf-8")
    );
    let landing = client.get(served.url("")).call().unwrap().body_mut().read_to_vec().unwrap();
    assert_eq!(landing, fs::read(served.folder.join("index.html")).unwrap());
    let ranks = Served::finished(&job("13_div_healthy").folder);
    let of_rank = client.get(ranks.url("rank_0/")).call().unwrap().body_mut().read_to_vec().unwrap();
    assert_eq!(of_rank, fs::read(ranks.folder.join("rank_0/index.html")).unwrap());
}

#[test]
fn the_head_of_a_file_can_be_had_alone() {
    let served = Served::finished(&report("01_inference").folder);
    let (client, url) = (client(), served.url("raw.log"));
    let whole = fs::read(served.folder.join("raw.log")).unwrap();
    let length = whole.len();
    let head = client.head(&url).call().unwrap();
    assert_eq!((head.status().as_u16(), header(&head, "content-length")), (200, length.to_string().as_str()));
    assert!(head.into_body().read_to_vec().unwrap().is_empty());
}

#[test]
fn nothing_outside_the_report_is_served() {
    let served = Served::own();
    let outside = served.folder.parent().unwrap();
    fs::write(outside.join("secret.txt"), "secret").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("../secret.txt", served.folder.join("link.txt")).unwrap();
        symlink(outside, served.folder.join("up")).unwrap();
        symlink("/proc/self/root", served.folder.join("root")).unwrap();
        symlink("raw.log", served.folder.join("inner.log")).unwrap();
    }
    let long = format!("/{}", "a/".repeat(2000));
    for path in [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/.%2e/secret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "/%252e%252e/secret.txt",
        "/x/../../secret.txt",
        "/%c0%ae%c0%ae/secret.txt",
        "/..%c0%afsecret.txt",
        "/%2e%2e%5csecret.txt",
        "/%u002e%u002e/secret.txt",
        "/..;/secret.txt",
        "/%252e%252e%252fsecret.txt",
        "/%zz",
        "/%%32%65/secret.txt",
        "/gr\u{fc}\u{df}e.html",
        "/\u{ff0e}\u{ff0e}/secret.txt",
        "/..%00/secret.txt",
        "/index.html%00.txt",
        "/%",
        "/%2",
        "/%ff%fe",
        "//etc/passwd",
        "/etc/passwd",
        "/payloads/",
        "/payloads",
        "/.",
        "/./",
        "/..",
        "/link.txt",
        "/inner.log",
        "/up/secret.txt",
        "/up/report/index.html",
        "/root/etc/passwd",
        "/index.html/",
        "/index.html/../index.html",
        "/C:/secret.txt",
        "/con",
        "/-_0_0_0",
        "/-_0_0_0/",
        "/-_0_0_0/../../secret.txt",
        "/-_0_0_0/..%2f..%2fsecret.txt",
        "//index.html",
        "/./index.html",
        "/index.html%00",
        "/raw.log%20",
        "/raw.log.",
        &long,
    ] {
        let (head, body) = answer(served.request("GET", path, "Connection: close\r\n"));
        assert!(head.starts_with("HTTP/1.1 404") || head.starts_with("HTTP/1.1 400"), "{path}: {head}");
        let body = String::from_utf8_lossy(&body).into_owned();
        assert!(!body.contains("secret") && !body.contains("root:"), "{path}: {body}");
    }
}

#[test]
fn who_does_not_know_the_address_gets_nothing() {
    let served = Served::finished(&report("01_inference").folder);
    let client = client();
    let plain = format!("http://{}/index.html", served.address);
    let cut = &served.query[..20];
    let wrong =
        ["?token", "?token=", "?token=%00", &format!("?token={}", "0".repeat(32)), &format!("?{cut}")];
    for url in [""].iter().chain(&wrong).map(|query| format!("{plain}{query}")) {
        let mut refused = client.get(&url).call().unwrap();
        assert_eq!((refused.status().as_u16(), header(&refused, "set-cookie")), (403, ""), "{url}");
        let told = refused.body_mut().read_to_string().unwrap();
        assert!(told.contains("token") && told.len() < 200, "{told}");
    }
    let first = client.get(format!("{plain}?q=x&{}", served.query)).call().unwrap();
    let cookie = header(&first, "set-cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    for cookies in [cookie.to_owned(), format!("other=1; {cookie}; last=2")] {
        let known = client.get(&plain).header("cookie", cookies).call().unwrap();
        assert_eq!((known.status().as_u16(), header(&known, "set-cookie")), (200, ""));
    }
    // Servers on two ports of a host share its cookies.
    let (port, token) = (served.address.rsplit(':').next().unwrap(), cookie.split('=').nth(1).unwrap());
    assert_eq!(cookie, format!("tlparse-{port}={token}"));
    let of_other_port = client.get(&plain).header("cookie", format!("tlparse-1={token}")).call().unwrap();
    assert_eq!(of_other_port.status(), 403);
    let posted = client.post(&plain).header("cookie", cookie).send("x").unwrap();
    assert_eq!((posted.status().as_u16(), header(&posted, "allow")), (405, "GET, HEAD"));
}

#[test]
fn only_this_machine_is_answered() {
    let served = Served::finished(&report("01_inference").folder);
    assert!(served.address.starts_with("127.0.0.1:"), "{}", served.address);
    let status = |host: &str| {
        let request = format!("GET /?{} HTTP/1.1\r\n{host}Connection: close\r\n\r\n", served.query);
        answer(served.send(request.as_bytes())).0.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    for foreign in [
        "Host: evil.example\r\n",
        "Host: 127.0.0.1.evil.example\r\n",
        "",
        "Host: localhost.\r\n",
        "Host: localhost:\r\n",
        "Host: localhost:x\r\n",
        "Host: 127.0.0.2\r\n",
        "Host: localhost\r\nHost: evil\r\n",
    ] {
        assert!(["403", "400"].contains(&status(foreign).as_str()), "{foreign}");
    }
    // Behind `ssh -L 9000:localhost:4000` the port is another.
    for own in ["localhost", "localhost:9000", "127.0.0.1:8080", "[::1]:80"] {
        assert_eq!(status(&format!("Host: {own}\r\n")), "200", "{own}");
    }
}

#[test]
fn every_answer_forbids_sniffing_framing_caching_and_referrers() {
    let served = Served::finished(&report("01_inference").folder);
    let client = client();
    let strange = format!("http://{}/", served.address);
    for (url, status) in [
        (served.url(""), 200),
        (served.url("raw.log"), 200),
        (served.url("report.json"), 200),
        (served.url("nothing.html"), 404),
        (strange, 403),
    ] {
        let answer = client.get(&url).call().unwrap();
        assert_eq!(answer.status(), status, "{url}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(header(&answer, name), value, "{url}");
        }
        assert!(header(&answer, "content-security-policy").contains("frame-ancestors 'none'"), "{url}");
    }
}

#[test]
fn a_hundred_readers_are_answered_at_once() {
    let served = Served::finished(&report("01_inference").folder);
    let whole = fs::read(served.folder.join("raw.log")).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| {
                let (head, body) = answer(served.request("GET", "/raw.log", "Connection: close\r\n"));
                assert!(head.starts_with("HTTP/1.1 200") && body == whole, "{head}");
            });
        }
    });
}

#[test]
fn paused_and_endless_connections_do_not_block_others() {
    let served = Served::own();
    // Larger than what the system keeps for a connection that nobody reads from.
    fs::File::create(served.folder.join("large.bin")).unwrap().set_len(64 << 20).unwrap();
    let mut kept = Vec::new();
    for at in 0..200 {
        kept.push(match at % 4 {
            // A download that was paused, a request that never ends, one that has not begun, and one half of a line.
            0 => served.request("GET", "/large.bin", ""),
            1 => served.send(b"GET /index.html HTTP/1.1\r\nHost: localhost\r\nX-Slow: a"),
            2 => served.send(b""),
            _ => served.send(b"GET /ind"),
        });
    }
    let client = client();
    for path in ["", "raw.log", "search.html"] {
        assert_eq!(client.get(served.url(path)).call().unwrap().status(), 200, "{path}");
    }
    // A download that goes on is whole.
    let (head, body) = answer(served.request("GET", "/large.bin", "Connection: close\r\n"));
    assert!(head.starts_with("HTTP/1.1 200") && body.len() == 64 << 20, "{head}: {}", body.len());
    drop(kept);
}

#[test]
fn users_without_the_token_do_not_delay_who_has_it_however_many_connections_they_open() {
    #[cfg(unix)]
    {
        // Others of these tests have hundreds of connections, too.
        use rustix::process::{Resource, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, rustix::process::Rlimit { current: limit.maximum, ..limit }).unwrap();
    }
    let served = Served::finished(&report("01_inference").folder);
    let host = served.address.clone();
    // Each in a thread of its own: a server that takes no more lets all others wait in `connect`.
    let (sender, opened) = std::sync::mpsc::channel();
    for at in 0..400 {
        let (host, sender) = (host.clone(), sender.clone());
        std::thread::spawn(move || {
            let Ok(mut stream) = TcpStream::connect(&host) else { return };
            let _ = match at % 4 {
                // Nothing, half of a line, an answer that leaves the connection open, and headers that do not end.
                0 => Ok(()),
                1 => stream.write_all(b"GET /ind"),
                2 => write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
                _ => write!(stream, "GET /?token=0 HTTP/1.1\r\nHost: {host}\r\nX-Slow: a"),
            };
            let _ = sender.send(stream);
        });
    }
    let kept: Vec<TcpStream> =
        (0..400).map_while(|_| opened.recv_timeout(Duration::from_secs(2)).ok()).collect();
    assert!(kept.len() > 256, "only {} connections were opened", kept.len());
    for path in ["/", "/raw.log", "/search.html", "/report.json"] {
        let begin = Instant::now();
        let (head, body) = answer(served.request("GET", path, "Connection: close\r\n"));
        let took = begin.elapsed();
        assert!(head.starts_with("HTTP/1.1 200") && !body.is_empty(), "{path}: {head}");
        // A server that waited for one of them would wait for 10 s.
        assert!(took < Duration::from_secs(5), "{path} took {took:?}");
    }
    drop(kept);
}

#[test]
fn a_connection_without_the_token_is_closed_after_its_answer_and_one_with_it_is_not() {
    let served = Served::finished(&report("01_inference").folder);
    let host = &served.address;
    for host in [host, "evil.example"] {
        let begin = Instant::now();
        let request = format!("GET /raw.log HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let (head, _) = answer(served.send(request.as_bytes()));
        assert!(head.starts_with("HTTP/1.1 403") && head.contains("connection: close"), "{head}");
        assert!(begin.elapsed() < Duration::from_secs(5), "it was left open");
    }
    let mut known = BufReader::new(served.request("HEAD", "/raw.log", ""));
    for again in 0..3 {
        let head: Vec<String> =
            known.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
        assert_eq!(head[0], "HTTP/1.1 200 OK", "{again}");
        write!(known.get_mut(), "HEAD /raw.log?{} HTTP/1.1\r\nHost: {host}\r\n\r\n", served.query).unwrap();
    }
}

/// What a process has: bytes in memory, threads, open files.
#[cfg(target_os = "linux")]
fn held_by(program: &Child) -> (u64, u64, usize) {
    let proc = format!("/proc/{}", program.id());
    let status = fs::read_to_string(format!("{proc}/status")).unwrap();
    let number = |key: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    (number("VmHWM:") * 1024, number("Threads:"), fs::read_dir(format!("{proc}/fd")).unwrap().count())
}

#[cfg(target_os = "linux")]
#[test]
fn memory_of_the_server_is_bounded_by_its_connections() {
    let served = Served::own();
    fs::File::create(served.folder.join("large.bin")).unwrap().set_len(64 << 20).unwrap();
    let before = held_by(&served.program);
    let long = "x".repeat(15_000);
    let kept: Vec<TcpStream> = (0..200)
        .map(|at| match at % 2 {
            0 => served.request("GET", "/large.bin", ""),
            _ => served.send(format!("GET /index.html HTTP/1.1\r\nX-Long: {long}").as_bytes()),
        })
        .collect();
    // All were taken when one that came later is answered.
    assert_eq!(client().get(served.url("")).call().unwrap().status(), 200);
    let (memory, threads, files) = held_by(&served.program);
    assert!(memory < before.0 + (64 << 20), "{memory} bytes, {} before", before.0);
    assert!(threads <= before.1 + 8, "{threads} threads, {} before", before.1);
    assert!(files <= before.2 + 2 * 201, "{files} files, {} before", before.2);
    drop(kept);
    // What ended gives back its files.
    let begin = Instant::now();
    while held_by(&served.program).2 > before.2 + 8 && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(held_by(&served.program).2 <= before.2 + 8);
}

#[test]
fn requests_in_a_row_and_of_older_clients_and_proxies_are_answered() {
    let served = Served::finished(&report("01_inference").folder);
    let (address, query) = (&served.address, &served.query);
    let one =
        |path: &str, more: &str| format!("GET {path}?{query} HTTP/1.1\r\nHost: {address}\r\n{more}\r\n");
    // Two requests at once on one connection are answered in their order.
    let both = one("/report.json", "") + &one("/raw.log", "Connection: close\r\n");
    let (first, rest) = answer(served.send(both.as_bytes()));
    assert!(first.starts_with("HTTP/1.1 200") && first.contains("application/json"), "{first}");
    let (json, log) = (fs::read(served.folder.join("report.json")), fs::read(served.folder.join("raw.log")));
    assert!(rest.starts_with(&json.unwrap()) && rest.ends_with(&log.unwrap()));

    let (head, body) =
        answer(served.send(format!("GET /?{query} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes()));
    assert!(head.starts_with("HTTP/1.0 200") || head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(body == fs::read(served.folder.join("index.html")).unwrap());
    for (target, status) in [
        (format!("http://{address}/raw.log?{query}"), "200"),
        (format!("http://evil.example/raw.log?{query}"), "403"),
        (format!("http://localhost@evil.example/raw.log?{query}"), "403"),
        (format!("//{address}/raw.log?{query}"), "404"),
        (format!("raw.log?{query}"), "400"),
        ("*".to_owned(), "403"),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        let (head, _) = answer(served.send(request.as_bytes()));
        assert_eq!(head.split(' ').nth(1), Some(status), "{target}: {head}");
    }
}

#[test]
fn other_methods_are_refused_without_waiting_for_what_they_send() {
    let served = Served::finished(&report("01_inference").folder);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get"] {
        // The body that is announced never comes.
        let request =
            served.request(method, "/index.html", "Content-Length: 1000000000\r\nConnection: close\r\n");
        let mut line = String::new();
        BufReader::new(request).read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 405"), "{method}: {line}");
    }
    let slow = served.request("GET", "/index.html", "Transfer-Encoding: chunked\r\n");
    let mut line = String::new();
    BufReader::new(slow).read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 200"), "{line}");
}

#[test]
fn invalid_or_oversized_requests_end_the_connection() {
    let served = Served::finished(&report("01_inference").folder);
    let long = "a".repeat(1 << 20);
    let many = "X-A: b\r\n".repeat(1000);
    let host = &served.address;
    for (what, bytes) in [
        ("an endless line", format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n")),
        ("a line without an end", long.clone()),
        ("a long header", format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-Long: {long}\r\n\r\n")),
        ("many headers", format!("GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n")),
        ("no request", "\u{16}\u{3}\u{1}\0\0\r\n\r\n".to_owned()),
        ("a foreign version", format!("GET / HTTP/9.9\r\nHost: {host}\r\n\r\n")),
        (
            "two lengths",
            format!("GET / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        ),
    ] {
        let (head, body) = answer(served.send(bytes.as_bytes()));
        assert!(head.is_empty() || head.starts_with("HTTP/1.1 4"), "{what}: {head}");
        assert!(body.is_empty(), "{what}");
    }
    assert_eq!(client().get(served.url("")).call().unwrap().status(), 200);
}

#[test]
fn only_reports_and_comparisons_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let served = |path: &Path| Run::bare().go_with(&["serve", path.to_str().unwrap()]);
    let empty = served(folder.path());
    assert_eq!(empty.code, Some(1), "{}", empty.stderr);
    assert!(
        empty.stderr.contains("not a report") && empty.stderr.contains("tlparse LOG -o DIR"),
        "{}",
        empty.stderr
    );
    assert_eq!(served(&folder.path().join("nothing")).code, Some(1));
    fs::write(folder.path().join("diff.html"), "the comparison").unwrap();
    let served = Served::finished(folder.path());
    let mut page = client().get(served.url("")).call().unwrap();
    assert_eq!(page.body_mut().read_to_string().unwrap(), "the comparison");
}

#[test]
fn search_and_the_viewer_of_graphs_work_behind_the_server() {
    let Some(window) = window() else { return };
    let served = Served::finished(&report("02_train_mlp").folder);
    let own = format!("request: http://{}/", served.address);
    let quiet = |page: &str| {
        let wrong: Vec<String> =
            window.take_wrong().into_iter().filter(|one| !one.starts_with(&own)).collect();
        assert!(wrong.is_empty(), "{page}: {wrong:#?}");
    };
    window.go(&served.url(""));
    quiet("the landing page");
    // From here on no address has the token: the browser has its cookie.
    let plain = |path: &str| format!("http://{}/{path}", served.address);
    window.go(&plain("search.html?q=forward"));
    window.value("new Promise(done => setTimeout(() => done(true), 400))");
    assert!(window.number("document.querySelectorAll('#found li').length") > 0.0);
    quiet("search");
    window.go(&plain("-_0_0_0/graphs.html#a=5&b=8"));
    assert!(window.number("document.querySelectorAll('#sides .pair').length") > 10.0);
    quiet("the viewer of graphs");
}
