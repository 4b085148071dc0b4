//! Pages to files: the only code that writes.
//!
//! [`Target`] decides where the report may be placed and puts it there in one step; [`write()`] fills a [`Sink`], on disk
//! or in memory. Every path in a sink is a [`RelPath`], so nothing a log says can lead outside.

#[cfg(test)]
mod cases_tests;
mod entries;
mod failure;
mod hidden;
mod listed;
mod lock;
mod pages;
mod place;
mod policy;
mod ranks;
mod relative;
mod scratch;
mod single;
mod sink;
mod target;
mod threads;
mod unfinished;
mod zip;

pub use crate::rel_path::RelPath;
pub use entries::{Entries, is_compile_folder};
#[cfg(test)]
pub use pages::Body;
pub use pages::{Page, write};
pub use ranks::{RankFolder, job_target, rank_folders, ranks_in};
pub use relative::relative;
pub use scratch::Scratch;
pub use single::{check_single_file, write_single_file, write_text};
pub use sink::{Files, NewFile, Sink};
pub use target::{Target, check_target, make_empty_folder};
pub use threads::on_threads;
pub use unfinished::Unfinished;
pub use zip::ZipTarget;
