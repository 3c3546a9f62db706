//! `composer.json`: what runs and what develops apart. Requirements of the platform (`php`, `ext-json`) are no packages.

use serde_json::{Map, Value};

use super::{Manifest, ManifestMark, Scope, reason};

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let root: Map<String, Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(reason)?;
    let said = |key: &str| root.get(key).and_then(Value::as_str).map(str::to_owned);
    found.name = said("name");
    found.version = said("version");
    found.description = said("description");
    // Composer's default type is a library; a project without a name is not published.
    let kind = said("type").or_else(|| found.name.as_ref().map(|_| "library".to_owned()));
    found.mark(ManifestMark::Program, kind.as_deref() == Some("project"));
    found.mark(ManifestMark::Library, kind.is_some_and(|kind| kind != "project" && kind != "metapackage"));
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
