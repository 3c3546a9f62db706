//! The one integration binary: a module per theme. Test names are sentences; requirement numbers stand in comments.

#[cfg(feature = "definition")]
mod definitions;
#[cfg(feature = "definition")]
mod drawing;
mod support;
