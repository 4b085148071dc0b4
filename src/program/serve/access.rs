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
#[derive(Debug, PartialEq, Eq)]
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
    ///
    /// # Errors
    /// The system provides no random numbers.
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

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn pass(access: &Access, path: &str, headers: &[(&str, &str)]) -> Pass {
        let request = Request::builder().uri(path);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        access.pass(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn who_has_the_token_is_known_from_then_on() {
        let access = Access::new(8080).unwrap();
        let here = ("host", "127.0.0.1:8080");
        let with_token = format!("/search.html?q=x&{}", access.query());
        assert_eq!(pass(&access, &with_token, &[here]), Pass::Newcomer);
        let cookie = access.cookie().unwrap().to_str().unwrap().to_owned();
        let (pair, rules) = cookie.split_once(';').unwrap();
        assert!(rules.contains("HttpOnly") && rules.contains("SameSite=Strict"), "{rules}");
        let cookies = format!("other=1; {pair}; last=2");
        assert_eq!(pass(&access, "/", &[here, ("cookie", &cookies)]), Pass::Known);
    }

    #[test]
    fn nobody_else_is() {
        let access = Access::new(8080).unwrap();
        let here = ("host", "localhost");
        let other = Access::new(8080).unwrap();
        assert_ne!(access.query(), other.query());
        for path in ["/", "/?token=", "/?token", &format!("/?{}", other.query()), "/?token=%00"] {
            assert_eq!(pass(&access, path, &[here]), Pass::Stranger, "{path}");
        }
        let cut = access.query()[..20].to_owned();
        assert_eq!(pass(&access, &format!("/?{cut}"), &[here]), Pass::Stranger);
        let of_other_port = Access { token: access.token.clone(), cookie_name: "tlparse-1".to_owned() };
        let cookie = of_other_port.cookie().unwrap();
        let cookie = cookie.to_str().unwrap().split(';').next().unwrap();
        assert_eq!(pass(&access, "/", &[here, ("cookie", cookie)]), Pass::Stranger);
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let access = Access::new(8080).unwrap();
        let path = format!("/?{}", access.query());
        for own in ["localhost", "localhost:9000", "127.0.0.1:8080", "[::1]:80"] {
            assert_eq!(pass(&access, &path, &[("host", own)]), Pass::Newcomer, "{own}");
        }
        let foreign = "evil.example 127.0.0.1.evil.example localhost. localhost: localhost:x 127.0.0.2";
        for foreign in foreign.split(' ').chain([""]) {
            assert_eq!(pass(&access, &path, &[("host", foreign)]), Pass::ForeignHost, "{foreign}");
        }
        assert_eq!(pass(&access, &path, &[]), Pass::ForeignHost);
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(pass(&access, &path, &twice), Pass::ForeignHost);
        let absolute = format!("http://evil.example{path}");
        assert_eq!(pass(&access, &absolute, &[("host", "localhost")]), Pass::ForeignHost);
    }
}
