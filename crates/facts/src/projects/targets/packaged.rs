//! Decides which packages of a Python project its manifests install. A folder with an `__init__.py` that no
//! manifest packages, such as an app of Django beside the project's own package, is no library.

use crate::projects::group::{ManifestGroup, ReadManifest};

/// Build backends that package only the folder with the project's name, unless the manifest lists others.
const BY_NAME: &[&str] = &["poetry", "hatchling", "flit", "uv_build"];
/// Keys of a `pyproject.toml` below which packages are listed.
const LISTS: &[&str] =
    &["packages", "include", "includes", "only-include", "py-modules", "module", "module-name", "modules"];

/// The packages that the manifests of a Python project install.
pub(super) struct PackagedNames<'a> {
    manifests: &'a [ReadManifest],
    /// Name of the project as a module: in lower case, with `_` for `-` and `.`.
    own: String,
    discovery: PackageDiscovery,
}

/// The rule by which the build finds packages that no manifest lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PackageDiscovery {
    /// All packages: `find_packages()`, or a computed list.
    All,
    /// Those in `src`; outside of it only a single one. The rule of setuptools without a list.
    Single,
    /// Only the one with the name of the project.
    Named,
}

/// Returns the name of a Python project as that of a module: `Shop-Kit` → `shop_kit`.
pub(super) fn module_name(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}

impl<'a> PackagedNames<'a> {
    /// Reads the rules of a project's manifests.
    pub(super) fn of(group: &'a ManifestGroup) -> Self {
        let own = group.name().map(|(name, _)| module_name(&name)).unwrap_or_default();
        Self { manifests: &group.manifests, own, discovery: discovery(&group.manifests) }
    }

    /// Returns true if the manifests install the package `name`. `in_source` tells that its folder is in
    /// `src`, and `is_alone` that it has no other package beside it.
    pub(super) fn has(&self, name: &str, in_source: bool, is_alone: bool) -> bool {
        module_name(name) == self.own
            || match self.discovery {
                PackageDiscovery::All => true,
                PackageDiscovery::Single => in_source || is_alone,
                PackageDiscovery::Named => false,
            }
            || self.manifests.iter().any(|read| lists(read, name))
    }
}

/// Returns the rule by which a project finds packages that no manifest lists.
fn discovery(manifests: &[ReadManifest]) -> PackageDiscovery {
    let of = |file: &str| manifests.iter().find(|it| it.manifest.path.ends_with(file));
    let code = |read: &ReadManifest| -> String {
        read.text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n")
    };
    let texts: Vec<String> = manifests.iter().map(code).collect();
    let finds_all = ["find_packages", "find_namespace", "find:", "packages.find", "tool.pdm"];
    if texts.iter().any(|text| finds_all.iter().any(|mark| text.contains(mark))) {
        return PackageDiscovery::All;
    }
    if let Some(value) = of("setup.py").and_then(|read| value_of(&read.text, "packages")) {
        // A computed list may hold any package.
        return if value.starts_with(['[', '(']) { PackageDiscovery::Named } else { PackageDiscovery::All };
    }
    let lists_packages = |read: &ReadManifest| {
        read.entries.iter().any(|it| it.is_at(&["tool", "setuptools", "packages", "#"]))
            || read.manifest.path.ends_with("setup.cfg") && value_of(&read.text, "packages").is_some()
    };
    let uses_backend = of("pyproject.toml").is_some_and(|read| {
        BY_NAME.iter().any(|backend| {
            read.entries.iter().any(|it| it.key() == "build-backend" && it.text.contains(backend))
                || read.text.contains(&format!("[tool.{backend}"))
        })
    });
    if uses_backend || manifests.iter().any(lists_packages) {
        PackageDiscovery::Named
    } else {
        PackageDiscovery::Single
    }
}

/// Returns true if a manifest lists the package `name`, alone or with the folder in which it lies or with one of its inner packages.
fn lists(read: &ReadManifest, name: &str) -> bool {
    let is_own = |text: &str| {
        let path = text.trim_start_matches("./").trim_start_matches("src/");
        path.split(['/', '.']).next() == Some(name)
    };
    if read.entries.is_empty() {
        let value = value_of(&read.text, "packages").or_else(|| value_of(&read.text, "py_modules"));
        let list =
            value.map(|value| value.split([']', ')', '=']).next().unwrap_or(value)).unwrap_or_default();
        return list.split(|c: char| c.is_whitespace() || "[](),'\"".contains(c)).any(is_own);
    }
    let flit = ["tool", "flit", "module"];
    read.entries.iter().any(|it| {
        let is_list =
            it.table().iter().any(|part| LISTS.contains(&part.as_str())) || LISTS.contains(&it.key());
        (is_list || it.table() == flit.as_slice()) && is_own(&it.text)
    })
}

/// Returns the text behind the first `key =` that stands alone; the caller finds the end of the value.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.match_indices(key).find_map(|(at, _)| {
        let is_alone = !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let value = text[at + key.len()..].trim_start_matches(' ').strip_prefix('=')?;
        (is_alone && !value.starts_with('=')).then(|| value.trim_start())
    })
}
