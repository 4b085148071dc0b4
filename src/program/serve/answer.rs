//! Answers a request.

use super::access::{Access, Pass};
use super::body::Content;
use super::files::Folder;
use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    HeaderValue, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::NamedTempFile;

/// Headers of every answer. Pages also have a policy of their own in their head.
const HEADERS: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Forbids framing.
const PAGE_POLICY: &str = "frame-ancestors 'none'";
/// Files other than pages are shown and run nothing.
const FILE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

const FOREIGN: &str = "This server answers requests to localhost only.\n";
const STRANGER: &str = "The address of this report has a token: open the one that tlparse printed.\n";
const METHODS: &str = "Only GET and HEAD are answered.\n";
const NOT_FOUND: &str = "There is no such file in the report.\n";

/// The served folder and the access to it.
pub struct Site {
    pub folder: Folder,
    pub access: Access,
    /// The page that redirects the browser to the report, until it has arrived.
    signpost: Mutex<Option<NamedTempFile>>,
}

impl Site {
    /// Serves a folder.
    pub fn new(folder: Folder, access: Access) -> Site {
        Site { folder, access, signpost: Mutex::default() }
    }

    /// Keeps the page that redirects the browser; None removes it.
    pub fn hold_signpost(&self, page: Option<NamedTempFile>) {
        *self.signpost.lock().unwrap_or_else(PoisonError::into_inner) = page;
    }
}

/// Answers a request with these credentials.
pub async fn to(site: Arc<Site>, request: Parts, pass: Pass) -> Response<Content> {
    let refused = match pass {
        Pass::ForeignHost => Some((StatusCode::FORBIDDEN, FOREIGN)),
        Pass::Stranger => Some((StatusCode::FORBIDDEN, STRANGER)),
        Pass::Newcomer | Pass::Known if !matches!(request.method, Method::GET | Method::HEAD) => {
            Some((StatusCode::METHOD_NOT_ALLOWED, METHODS))
        }
        Pass::Newcomer | Pass::Known => None,
    };
    let mut answer = match refused {
        Some((status, why)) => sentence(status, why),
        None => {
            site.hold_signpost(None);
            file(&site, &request).await
        }
    };
    let headers = answer.headers_mut();
    headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    if matches!(pass, Pass::ForeignHost | Pass::Stranger) {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if let Some(cookie) = site.access.cookie().filter(|_| pass == Pass::Newcomer) {
        headers.insert(SET_COOKIE, cookie);
    }
    answer
}

/// A status and a sentence.
fn sentence(status: StatusCode, why: &'static str) -> Response<Content> {
    let mut answer = Response::new(Content::Text(Some(Bytes::from_static(why.as_bytes()))));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CONTENT_LENGTH, why.len().into());
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    answer
}

/// The file that is asked for.
async fn file(site: &Arc<Site>, request: &Parts) -> Response<Content> {
    let (site, path) = (Arc::clone(site), request.uri.path().to_owned());
    // A slow disk must not delay other requests.
    let found = tokio::task::spawn_blocking(move || site.folder.find(&path).and_then(whole)).await;
    found.ok().flatten().unwrap_or_else(|| sentence(StatusCode::NOT_FOUND, NOT_FOUND))
}

/// A file as an answer.
fn whole((file, kind): (std::fs::File, String)) -> Option<Response<Content>> {
    let is_page = kind.starts_with("text/html");
    let kind = HeaderValue::from_str(&kind).ok()?;
    let length = file.metadata().ok()?.len();
    let mut answer = Response::new(Content::File { file: file.into(), left: length });
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CONTENT_LENGTH, length.into());
    let policy = if is_page { PAGE_POLICY } else { FILE_POLICY };
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    Some(answer)
}
