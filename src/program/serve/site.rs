//! What is served, and to whom.

use super::access::Access;
use super::files::Folder;
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// A folder with those who may read it.
pub struct Site {
    /// The files.
    pub folder: Folder,
    /// What a request must know.
    pub access: Access,
    /// Leads a browser to the report, until it has arrived.
    signpost: Mutex<Option<NamedTempFile>>,
}

impl Site {
    /// Files for who knows the token.
    pub fn new(folder: Folder, access: Access) -> Site {
        Site { folder, access, signpost: Mutex::default() }
    }

    /// Keeps the page that leads a browser to the report; None removes it.
    pub fn hold_signpost(&self, page: Option<NamedTempFile>) {
        *self.signpost.lock().unwrap_or_else(PoisonError::into_inner) = page;
    }
}
