//! Trust in files that were found: the approvals, a stranger's folder with the real programs, and the modes of private files.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod approvals;
