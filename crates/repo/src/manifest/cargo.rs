//! `Cargo.toml`: all tables of dependencies, also per target and of the workspace (CTX-15).

use toml::{Table, Value};

use super::{Manifest, Scope, reason};

const TABLES: &[(&str, Scope)] = &[
    ("dependencies", Scope::Runtime),
    ("dev-dependencies", Scope::Dev),
    ("build-dependencies", Scope::Build),
];

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let root: Table = text.parse().map_err(reason)?;
    let package = root.get("package").and_then(Value::as_table);
    let said = |key: &str| package.and_then(|package| package.get(key)?.as_str()).map(str::to_owned);
    found.name = said("name");
    found.version = said("version");
    found.description = said("description");
    tables(&root, found);
    let targets = root.get("target").and_then(Value::as_table);
    for target in targets.into_iter().flat_map(Table::values).filter_map(Value::as_table) {
        tables(target, found);
    }
    if let Some(workspace) = root.get("workspace").and_then(Value::as_table) {
        tables(workspace, found);
    }
    for kind in ["bin", "lib"] {
        let declared = root
            .get(kind)
            .into_iter()
            .flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
        found.entry_points.extend(declared.filter_map(|value| Some(value.get("path")?.as_str()?.to_owned())));
    }
    for program in root.get("bin").and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = program.get("name").and_then(Value::as_str) {
            let path = program.get("path").and_then(Value::as_str).unwrap_or_default();
            found.programs.insert(name.to_owned(), path.to_owned());
        }
    }
    Ok(())
}

fn tables(root: &Table, found: &mut Manifest) {
    for (key, scope) in TABLES {
        for (name, value) in root.get(*key).and_then(Value::as_table).into_iter().flatten() {
            let version = value.as_str().or_else(|| value.get("version")?.as_str());
            let real = value.get("package").and_then(Value::as_str).unwrap_or(name);
            let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
            found.needs(if optional { Scope::Optional } else { *scope }, real, version);
        }
    }
}
