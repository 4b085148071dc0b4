//! The served folder and the access to it.

use super::access::Access;
use super::files::Folder;
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// A folder and the access to it.
pub struct Site {
    /// The files.
    pub folder: Folder,
    /// The credentials that requests need.
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
