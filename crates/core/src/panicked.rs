//! The message of a panic. Catches no panics.

use std::any::Any;

/// Returns the message of a caught panic; a replacement text for a payload that is no text.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(it did not say why)".to_owned())
}
