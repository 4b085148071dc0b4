//! Logs that did not reach us as torch wrote them. A job system put the name of a process or the time before each line and mixed
//! the lines of several processes; or somebody copied them from a terminal, which colors lines, breaks long ones, and shows
//! tabs as spaces. Such an input is restored before it is read, as a packed one is unpacked.
//!
//! What stands before lines is known from the headers of records, which have it too. Which lines are the payload of a record
//! is proven by its hash.

mod beside;
mod form;
mod label;
mod printed;
mod restore;
mod symbols;
mod traceback;

pub(super) use beside::printed_in;
pub use beside::{Printed, PrintedLine, PrintedTraceback, printed};
pub(super) use form::Form;
pub(super) use restore::{Restored, restore};
