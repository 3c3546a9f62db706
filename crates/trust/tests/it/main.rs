//! Trust in files that were found: the approvals, a stranger's folder with the real programs, and the modes of private files.

mod approvals;
