//! Decodes the bytes of a graph file to its text. Knows no YAML.

use std::sync::Arc;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::source::{SourceText, Span};

/// Maximum size of a graph file in bytes: 1 MiB, enough for about 3,000 nodes.
pub const FILE_MAX: usize = 1024 * 1024;

/// Decodes the bytes of a file as UTF-8, without a byte order mark and with `
/// ` as the only line break. `name` is the file in messages. Fails with a diagnostic if the file is too
/// large, is not UTF-8 or contains control characters.
pub(crate) fn decode(bytes: &[u8], name: &str) -> Result<Arc<SourceText>, Diagnostics> {
    let refuse = |text: String, span: Span, message: String, hint: &str| {
        let source = SourceText::new(name, text);
        let found = Diagnostic::new(&source, span, message).hint(hint);
        Err(Diagnostics::new(source, vec![found]))
    };
    if bytes.len() > FILE_MAX {
        let message = format!("the file has {} bytes, the most is {FILE_MAX}", bytes.len());
        return refuse(String::new(), 0..0, message, "is this the right file? split a graph of this size");
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let message = "the file is UTF-16, graph files are UTF-8".to_owned();
        return refuse(String::new(), 0..0, message, "save it as UTF-8");
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            let text =
                text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
            match text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n')) {
                None => Ok(SourceText::new(name, text)),
                Some((at, control)) => {
                    let message =
                        format!("the control character U+{:04X} is in the file", u32::from(control));
                    refuse(text, at..at + control.len_utf8(), message, "remove it, or write it as an escape")
                }
            }
        }
        Err(error) => {
            let at = error.valid_up_to();
            let message = format!("the byte {:#04x} is not UTF-8", bytes[at]);
            let text = String::from_utf8_lossy(bytes).into_owned();
            let end = at + char::REPLACEMENT_CHARACTER.len_utf8();
            refuse(text, at..end, message, "save the file as UTF-8")
        }
    }
}
