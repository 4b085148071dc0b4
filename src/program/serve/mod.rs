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
        Serving::start(&self.report, self.port)?.run(self.no_browser)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A server that listens.
pub struct Serving {
    listener: TcpListener,
    address: SocketAddr,
    site: Arc<Site>,
}

impl Serving {
    /// Listens on `port` of the loopback address, or on any free one.
    ///
    /// # Errors
    /// The folder is not a report, or the port is taken or not permitted.
    pub fn start(folder: &Path, port: Option<u16>) -> anyhow::Result<Serving> {
        let folder = Folder::new(folder)?;
        let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        let busy = || format!("cannot listen on {asked}; choose another port with --port");
        let listener = TcpListener::bind(asked).with_context(busy)?;
        let address = listener.local_addr().with_context(busy)?;
        let access = Access::new(address.port())?;
        let site = Arc::new(Site::new(folder, access));
        Ok(Serving { listener, address, site })
    }

    /// The address of the report, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?{}", self.address, self.site.access.query())
    }

    /// Prints the address, opens the report, and answers requests until the program ends.
    ///
    /// # Errors
    /// The system refuses what a server needs.
    pub fn run(self, no_browser: bool) -> anyhow::Result<()> {
        // Printed before the browser is started: scripts wait for this line.
        let _ = writeln!(std::io::stdout(), "Serving {} until Ctrl-C", self.url());
        if !no_browser && terminal::may_open_browser() {
            let site = Arc::clone(&self.site);
            signals::before_the_end(move || site.hold_signpost(None));
            let page = self.put_up_signpost().context("cannot create a temporary file")?;
            terminal::open_in_browser(&page.to_string_lossy(), "report");
        }
        connection::serve(self.listener, self.site)
    }

    /// A page that redirects to the report. The browser gets this page instead of the address, because all users of a
    /// machine can see the arguments of all programs, and the address contains the token. Only this user can read the page.
    fn put_up_signpost(&self) -> anyhow::Result<PathBuf> {
        let mut page = tempfile::Builder::new().prefix("tlparse-").suffix(".html").tempfile()?;
        let refresh = format!("<meta http-equiv=\"refresh\" content=\"0;url={}\">", self.url());
        write!(page, "<!doctype html><meta charset=\"utf-8\">{refresh}<title>tlparse</title>")?;
        let path = page.path().to_owned();
        self.site.hold_signpost(Some(page));
        Ok(path)
    }
}
