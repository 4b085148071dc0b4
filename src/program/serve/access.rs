//! Access to the report: a request must name this machine as its host, and know the token.
//!
//! The token is part of the printed address. The first request with it gets a cookie, so that links within the report,
//! which have no token, work in that browser. Pages of other sites get nothing: their requests name another host or lack
//! the cookie.

use crate::program::token::token;
use hyper::header::{COOKIE, HOST, HeaderValue};
use hyper::http::request::Parts;

/// The key of the token in an address.
const QUERY_KEY: &str = "token";

/// The names of this machine. Any port may follow: behind `ssh -L` it differs from the server's own.
const OWN_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The credentials of the server.
pub struct Access {
    token: String,
    /// Cookies of one host are shared by all its ports, so the port is part of the name.
    cookie_name: String,
}

/// The credentials of a request.
#[derive(PartialEq, Eq)]
pub enum Pass {
    /// The request names another host.
    ForeignHost,
    /// It has no valid token.
    Stranger,
    /// It has the token in its address.
    Newcomer,
    /// It has the cookie.
    Known,
}

impl Access {
    /// A new token for the server at a port.
    pub fn new(port: u16) -> anyhow::Result<Access> {
        Ok(Access { token: token()?, cookie_name: format!("tlparse-{port}") })
    }

    /// The token as the query of an address.
    pub fn query(&self) -> String {
        format!("{QUERY_KEY}={}", self.token)
    }

    /// The cookie that replaces the token in later requests.
    pub fn cookie(&self) -> Option<HeaderValue> {
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name, self.token);
        HeaderValue::from_str(&cookie).ok()
    }

    /// Checks a request.
    pub fn pass(&self, request: &Parts) -> Pass {
        let mut hosts = request.headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
        let also_named = request.uri.authority().is_none_or(|authority| is_own_name(authority.as_str()));
        if !is_own_name(host) || hosts.next().is_some() || !also_named {
            return Pass::ForeignHost;
        }
        let query = request.uri.query().unwrap_or_default();
        if values(query.split('&'), QUERY_KEY).any(|token| self.is_token(token)) {
            return Pass::Newcomer;
        }
        let cookies = request.headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';').map(str::trim));
        match values(&mut pairs, &self.cookie_name).any(|token| self.is_token(token)) {
            true => Pass::Known,
            false => Pass::Stranger,
        }
    }

    /// Compares all bytes, so that the response time does not reveal how many are right.
    fn is_token(&self, given: &str) -> bool {
        let differences = given.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        given.len() == self.token.len() && differences == 0
    }
}

/// The values of a key in pairs such as `key=value`.
fn values<'a>(pairs: impl Iterator<Item = &'a str>, key: &str) -> impl Iterator<Item = &'a str> {
    pairs.filter_map(move |pair| pair.strip_prefix(key)?.strip_prefix('='))
}

/// Whether a host, with or without a port, is this machine.
fn is_own_name(host: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    OWN_NAMES.iter().any(|own| {
        let port = host.strip_prefix(own);
        port.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
    })
}
