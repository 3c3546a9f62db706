//! Breaking changes of a package (`changelog.yml`).

use std::cmp::Reverse;

use stategraph_yaml::YamlValue;

use super::BreakingChange;
use super::parts::PartReader;
use super::reader::PackageReader;

/// Path of the changelog, relative to the package.
const CHANGELOG: &str = "changelog.yml";

/// Reads the changes of type `breaking-change` from `changelog.yml`, those of the newest version first.
/// Returns none if the file is missing or is no list.
pub(super) fn read_breaking(reader: &mut PackageReader) -> Vec<BreakingChange> {
    let Some(tree) = reader.yaml(CHANGELOG) else { return Vec::new() };
    let YamlValue::List(entries) = &tree.value else { return Vec::new() };
    let mut parts = PartReader { reader, path: CHANGELOG };
    let mut found = Vec::new();
    for entry in parts.only_maps(entries, "the changelog") {
        let version = parts.text(entry, "version");
        for change in parts.maps(entry, "changes") {
            let description = parts.text(change, "description");
            if parts.text(change, "type") == "breaking-change" && !description.is_empty() {
                let place = parts.place(change);
                found.push(BreakingChange { version: version.clone(), description, place });
            }
        }
    }
    found.sort_by_key(|change| Reverse(numbers(&change.version)));
    found
}

/// Returns the numbers in a version, as a sort key: `1.10.2-beta3` → `[1, 10, 2, 3]`.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}
