//! `package.json`: what runs and what develops apart (CTX-15).

use serde_json::{Map, Value};

use super::{Manifest, Scope, reason};

const TABLES: &[(&str, Scope)] = &[
    ("dependencies", Scope::Runtime),
    ("optionalDependencies", Scope::Optional),
    ("peerDependencies", Scope::Peer),
    ("devDependencies", Scope::Dev),
];

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let root: Map<String, Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(reason)?;
    let said = |key: &str| root.get(key).and_then(Value::as_str).map(str::to_owned);
    found.name = said("name");
    found.version = said("version");
    found.description = said("description");
    for (key, scope) in TABLES {
        for (name, version) in root.get(*key).and_then(Value::as_object).into_iter().flatten() {
            found.needs(*scope, name, version.as_str());
        }
    }
    for key in ["main", "module", "browser", "bin"] {
        match root.get(key) {
            Some(Value::String(path)) => found.entry_points.push(path.clone()),
            Some(Value::Object(paths)) => {
                found.entry_points.extend(paths.values().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    match root.get("bin") {
        Some(Value::String(path)) => {
            let name = found.name.as_deref().and_then(|name| name.rsplit('/').next()).unwrap_or("bin");
            found.programs.insert(name.to_owned(), path.clone());
        }
        Some(Value::Object(paths)) => {
            let named =
                paths.iter().filter_map(|(name, path)| Some((name.clone(), path.as_str()?.to_owned())));
            found.programs.extend(named);
        }
        _ => {}
    }
    let mut seen = Vec::new();
    found.entry_points.retain(|path| {
        !seen.contains(path) && {
            seen.push(path.clone());
            true
        }
    });
    Ok(())
}
