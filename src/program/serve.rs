//! `--serve`: the report over HTTP, to this machine only.
//!
//! A report holds the user's code, so the server listens on the loopback address and answers only requests that name
//! it: a page of another site cannot read the report by way of a name that points here.

use anyhow::Context;
use percent_encoding::percent_decode_str;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use tiny_http::{Header, Method, Request, Response, Server};
use tlparse::RelPath;

/// A server that is listening.
pub struct Serving {
    server: Server,
    address: SocketAddr,
    folder: PathBuf,
}

impl Serving {
    /// Listens on `port` of the loopback address, or on any free one.
    ///
    /// # Errors
    /// The port is taken or may not be used.
    pub fn start(folder: &Path, port: Option<u16>) -> anyhow::Result<Serving> {
        let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        let busy = || format!("cannot listen on {asked}, choose another port with --port");
        let server = Server::http(asked).map_err(|error| anyhow::anyhow!("{error}")).with_context(busy)?;
        let address = server.server_addr().to_ip().with_context(busy)?;
        Ok(Serving { server, address, folder: folder.to_owned() })
    }

    /// The URL of the report.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers requests until the program is ended.
    pub fn run(&self) {
        for request in self.server.incoming_requests() {
            // An answer fails when the browser has gone away, which does no harm.
            let _ = self.answer(request);
        }
    }

    fn answer(&self, request: Request) -> std::io::Result<()> {
        if !matches!(request.method(), Method::Get | Method::Head) {
            return request.respond(Response::from_string("only GET and HEAD").with_status_code(405));
        }
        if !self.is_named(&request) {
            return request
                .respond(Response::from_string("this is not a public server").with_status_code(403));
        }
        match self.file(request.url()) {
            Some((file, kind)) => {
                // The length of a file is known, so it is told, however long the file is.
                let answer = Response::from_file(file).with_header(kind).with_chunked_threshold(usize::MAX);
                request.respond(answer)
            }
            None => {
                request.respond(Response::from_string("no such file in the report").with_status_code(404))
            }
        }
    }

    /// Whether the request names this machine: a request that a page of another site makes names that site.
    fn is_named(&self, request: &Request) -> bool {
        let host = request.headers().iter().find(|header| header.field.equiv("Host"));
        let host = host.map(|header| header.value.as_str()).unwrap_or_default();
        let name = host.strip_suffix(&format!(":{}", self.address.port())).unwrap_or(host);
        matches!(name, "localhost" | "127.0.0.1")
    }

    /// The file that a URL means, if it lies in the report, with its type.
    fn file(&self, url: &str) -> Option<(File, Header)> {
        let path = url.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
        let path = percent_decode_str(path).decode_utf8().ok()?;
        let path = match path.as_ref() {
            "" => "index.html".to_owned(),
            folder if folder.ends_with('/') => format!("{folder}index.html"),
            file => file.to_owned(),
        };
        let path = RelPath::new(&path)?;
        let full = self.folder.join(path.as_str());
        if !full.is_file() {
            return None;
        }
        // A browser shows plain text and would save logs and lines of JSON.
        let kind = match full.extension().and_then(|ending| ending.to_str()) {
            Some("log" | "txt" | "jsonl" | "py") => "text/plain; charset=utf-8".to_owned(),
            Some("html") => "text/html; charset=utf-8".to_owned(),
            _ => mime_guess::from_path(&full).first_or_octet_stream().to_string(),
        };
        let kind = Header::from_bytes("Content-Type", kind).ok()?;
        Some((File::open(full).ok()?, kind))
    }
}
