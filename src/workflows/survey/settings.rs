//! Settings of the product (variables, options, keys, features, files), each with the fact that
//! documents it best.

use std::collections::BTreeMap;

use super::view::Survey;
use crate::facts::{Fact, FactKind, FactValue, PathRole, SettingForm};
use crate::repo::Language;

/// Headings for the forms of settings; the index is the form number that `best_places` returns.
pub(crate) const FORMS: [&str; 5] = [
    "Environment variables (each with one of its places)",
    "Options",
    "Keys",
    "Features",
    "Configuration files",
];

/// Form number, name, file and owner (the command of an option) of a setting. A variable has an empty
/// file and owner, because it is the same everywhere.
type SettingKey<'a> = (u8, &'a str, &'a str, &'a str);

/// Returns each setting once as (form number: index into `FORMS`, name, fact). Of several facts about a
/// setting, the one with a help text wins, then runtime code, then a file of source code, then a
/// default value. Sorted by form, file and line.
pub(crate) fn best_places<'a>(survey: &Survey<'a>) -> Vec<(u8, &'a str, &'a Fact)> {
    let mut best: BTreeMap<SettingKey, (usize, &str, &Fact)> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Setting) {
        let (FactValue::Setting { form, name, default, text }, Some(source)) =
            (&fact.value, fact.sources.first())
        else {
            continue;
        };
        // Two programs may have an option of the same name, and so may two of their commands.
        let is_variable = *form == SettingForm::Variable;
        let scope = if is_variable { "" } else { source.path.as_str() };
        let owner = fact.subject.name().and_then(|name| name.rsplit_once('.')).map_or("", |(owner, _)| owner);
        let owner = if is_variable { "" } else { owner };
        // A sample has a value for one machine, the code has the default.
        let is_code = Language::of_path(source.path.as_str()).is_some();
        let points = 4 * usize::from(text.is_some())
            + 2 * usize::from(fact.role == PathRole::Runtime)
            + 2 * usize::from(is_code)
            + usize::from(default.is_some());
        let entry = best.entry((order(*form), name, scope, owner)).or_insert((points, &source.path, fact));
        if entry.0 < points {
            *entry = (points, &source.path, fact);
        }
    }
    let mut found: Vec<(u8, &str, &Fact)> =
        best.into_iter().map(|((form, ..), (_, path, fact))| (form, path, fact)).collect();
    found.sort_by_key(|(form, path, fact)| (*form, *path, fact.sources.first().map(|source| source.start)));
    found
}

/// Returns the form number of a setting, which is its index in `FORMS`.
fn order(form: SettingForm) -> u8 {
    match form {
        SettingForm::Variable => 0,
        SettingForm::Flag => 1,
        SettingForm::Key => 2,
        SettingForm::Feature => 3,
        SettingForm::File => 4,
    }
}
