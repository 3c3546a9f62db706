//! `composer.json`: what runs and what develops apart. Requirements of the platform (`php`, `ext-json`) are no packages.

use serde_json::{Map, Value};

use super::{Manifest, Scope, reason};

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let root: Map<String, Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(reason)?;
    let said = |key: &str| root.get(key).and_then(Value::as_str).map(str::to_owned);
    found.name = said("name");
    found.version = said("version");
    found.description = said("description");
    for (key, scope) in [("require", Scope::Runtime), ("require-dev", Scope::Dev)] {
        let table = root.get(key).and_then(Value::as_object).into_iter().flatten();
        for (name, version) in table.filter(|(name, _)| name.contains('/')) {
            found.needs(scope, name, version.as_str());
        }
    }
    for path in root.get("bin").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        found.programs.insert(path.rsplit('/').next().unwrap_or(path).to_owned(), path.to_owned());
    }
    Ok(())
}
