//! What a panic said. Catches none; every layer may use it.

use std::any::Any;

/// The message of a panic.
pub(crate) fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(it did not say why)".to_owned())
}
