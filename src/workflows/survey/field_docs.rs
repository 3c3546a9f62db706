//! The first sentences of the doc comments of a type's fields, on one line.

use super::documentation::{repeats_name, without_own_name};
use super::phrases::{cut_at_word, first_sentence};
use super::view::Survey;
use crate::repo::{SymbolInfo, SymbolKind};

/// Maximum number of fields, and maximum length of the text of one, in characters.
const FIELDS: usize = 12;
const CHARS: usize = 80;

/// Returns the number and the first sentences of the documented fields of a type: ``` `size` L5: in bytes; `name` L7: … ```. `None` without
/// such fields.
pub(crate) fn field_docs(survey: &Survey, path: &str, symbol: &SymbolInfo) -> Option<(usize, String)> {
    let told = symbol.children.iter().filter(|child| child.kind == SymbolKind::Field).filter_map(|field| {
        let said = first_sentence(field.docstring.as_deref()?);
        let said = Some(without_own_name(said, &field.name, path))
            .filter(|said| !repeats_name(said, &field.name))?;
        let said = survey.quoter.prose(cut_at_word(&said, CHARS).trim_end_matches('.'))?;
        Some(format!("{} L{}: {said}", survey.quoter.code(&field.name)?, field.line))
    });
    let told: Vec<String> = told.collect();
    let more = if told.len() > FIELDS { "; …" } else { "" };
    let shown: Vec<&str> = told.iter().take(FIELDS).map(String::as_str).collect();
    (!shown.is_empty()).then(|| (shown.len(), format!("{}{more}", shown.join("; "))))
}
