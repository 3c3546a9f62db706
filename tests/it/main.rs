//! The one integration binary: a module per theme. Test names are sentences; requirement numbers stand in comments.

mod definitions;
mod drawing;
mod support;
