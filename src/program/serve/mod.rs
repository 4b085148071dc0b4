//! `--serve` and `tlparse serve`: a report over HTTP, to this machine only, until the program ends.
//!
//! A report contains the user's code, and every user of a machine can connect to its ports. The server therefore listens
//! on the loopback address, requires the token in its address ([`access`]), serves only files of the folder ([`files`]),
//! and lets no reader block another ([`connection`]).

mod access;
mod answer;
mod body;
mod connection;
mod files;

use super::terminal;
use access::Access;
use answer::Site;
use anyhow::Context;
use clap::Args;
use files::Folder;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tempfile::NamedTempFile;
use tlparse::system::signals;

/// Serve a finished report over HTTP to this machine until Ctrl-C
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  tlparse serve tl_out --port 8000\n\nThe report is served to this machine only, and \
    only under the printed address, which contains a token.\n\nTo read a log or folder named serve, pass ./serve."
)]
pub struct Serve {
    /// Folder of a finished report or comparison
    #[arg(default_value = "tl_out")]
    pub report: PathBuf,

    /// Port to listen on [default: any free port]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,

    /// Do not open the report in a browser
    #[arg(long)]
    pub no_browser: bool,
}

impl Serve {
    /// Serves the report until the program ends.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        serve(&self.report, self.port, self.no_browser)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Listens on `port` of the loopback address, or on any free one; prints the address, opens the report, and answers requests
/// until the program ends.
pub fn serve(folder: &Path, port: Option<u16>, no_browser: bool) -> anyhow::Result<()> {
    let folder = Folder::new(folder)?;
    let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
    let busy = || format!("cannot listen on {asked}; choose another port with --port");
    let listener = TcpListener::bind(asked).with_context(busy)?;
    let address = listener.local_addr().with_context(busy)?;
    let site = Arc::new(Site::new(folder, Access::new(address.port())?));
    let url = format!("http://{address}/?{}", site.access.query());
    // Printed before the browser is started: scripts wait for this line.
    let _ = writeln!(std::io::stdout(), "Serving {url} until Ctrl-C");
    if !no_browser && terminal::may_open_browser() {
        let at_the_end = Arc::clone(&site);
        signals::before_the_end(move || at_the_end.hold_signpost(None));
        let page = signpost(&url).context("cannot create a temporary file")?;
        let path = page.path().to_string_lossy().into_owned();
        site.hold_signpost(Some(page));
        terminal::open_in_browser(&path, "report");
    }
    connection::serve(listener, site)
}

/// A page that redirects to the report. The browser gets this page instead of the address, because all users of a
/// machine can see the arguments of all programs, and the address contains the token. Only this user can read the page.
fn signpost(url: &str) -> std::io::Result<NamedTempFile> {
    let mut page = tempfile::Builder::new().prefix("tlparse-").suffix(".html").tempfile()?;
    let refresh = format!("<meta http-equiv=\"refresh\" content=\"0;url={url}\">");
    write!(page, "<!doctype html><meta charset=\"utf-8\">{refresh}<title>tlparse</title>")?;
    Ok(page)
}
