//! Breaking changes of a package (`changelog.yml`).

use stategraph_yaml::YamlValue;

use super::BreakingChange;
use super::parts::PartReader;
use super::reader::PackageReader;

/// Path of the changelog below the package.
const CHANGELOG: &str = "changelog.yml";

/// Reads the breaking changes, in the order of the file: the newest first. A missing changelog has none.
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
    found
}
