//! Settings as text, for the tests of their readers.

#![allow(dead_code, reason = "each test program uses a part")]

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

/// Shows a setting: `form name = default: text`.
pub(crate) fn shown(fact: &Fact) -> Option<String> {
    let FactValue::Setting { form, name, default, text } = &fact.value else { return None };
    let default = default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
    let text = text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    Some(format!("{} {name}{default}{text}", format!("{form:?}").to_lowercase()))
}

/// Checks the settings of one file.
#[track_caller]
pub(crate) fn check(path: &str, text: &str, expected: &[&str]) {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new([(path, text)]))));
    let mut found: Vec<String> = facts.of_kind(FactKind::Setting).filter_map(shown).collect();
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{path}\n{text}");
}
