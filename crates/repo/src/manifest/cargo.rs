//! `Cargo.toml`: all tables of dependencies, also per target and of the workspace (CTX-15).

use toml::{Table, Value};

use super::{DeclaredKind, Manifest, ManifestMark, Scope, reason, with_condition};

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
    tables(&root, "", found);
    for (condition, target) in root.get("target").and_then(Value::as_table).into_iter().flatten() {
        if let Some(target) = target.as_table() {
            tables(target, condition, found);
        }
    }
    if let Some(workspace) = root.get("workspace").and_then(Value::as_table) {
        tables(workspace, "", found);
        found.mark(ManifestMark::Workspace, true);
        for (name, value) in workspace.get("dependencies").and_then(Value::as_table).into_iter().flatten() {
            let version = value.as_str().or_else(|| value.get("version")?.as_str());
            found.shared.insert(name.clone(), version.map(str::to_owned));
        }
    }
    declared_targets(&root, found);
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

/// Reads the declared targets other than programs, and marks the kinds that Cargo must not discover
/// (`autotests = false`).
fn declared_targets(root: &Table, found: &mut Manifest) {
    const KINDS: &[(&str, DeclaredKind)] = &[
        ("lib", DeclaredKind::Library),
        ("example", DeclaredKind::Example),
        ("test", DeclaredKind::Test),
        ("bench", DeclaredKind::Bench),
    ];
    const AUTO: &[(&str, ManifestMark)] = &[
        ("autobins", ManifestMark::NoAutoPrograms),
        ("autoexamples", ManifestMark::NoAutoExamples),
        ("autotests", ManifestMark::NoAutoTests),
        ("autobenches", ManifestMark::NoAutoBenches),
    ];
    let package = root.get("package").and_then(Value::as_table);
    let own = package.and_then(|package| package.get("name")?.as_str()).unwrap_or_default();
    for (key, kind) in KINDS {
        let declared = root
            .get(*key)
            .map_or(&[][..], |it| it.as_array().map_or(std::slice::from_ref(it), Vec::as_slice));
        for it in declared {
            let said = |key: &str| it.get(key).and_then(Value::as_str).map(str::to_owned);
            let name = said("name").unwrap_or_else(|| own.replace('-', "_"));
            found.target(*kind, name, said("path"));
        }
    }
    for (key, mark) in AUTO {
        let is_off = package.and_then(|package| package.get(*key)?.as_bool()) == Some(false);
        found.mark(*mark, is_off);
    }
}

/// Reads the three tables of dependencies in `root`. `condition` is the platform in `[target.…]` for which
/// they hold; empty for all.
fn tables(root: &Table, condition: &str, found: &mut Manifest) {
    for (key, scope) in TABLES {
        for (name, value) in root.get(*key).and_then(Value::as_table).into_iter().flatten() {
            let version = value.as_str().or_else(|| value.get("version")?.as_str());
            let real = value.get("package").and_then(Value::as_str).unwrap_or(name);
            let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
            let version = with_condition(version.unwrap_or_default(), condition);
            found.needs(if optional { Scope::Optional } else { *scope }, real, Some(&version));
        }
    }
}
