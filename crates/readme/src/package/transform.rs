//! Transforms of a package (`elasticsearch/transform/*/transform.yml`).

use super::PackageTransform;
use super::parts::PartReader;
use super::reader::{PackageEntry, PackageReader};

/// Folder of the transforms, relative to the package.
const TRANSFORMS: &str = "elasticsearch/transform";

/// Reads all transforms of the package, ordered by name. If a file is missing or unreadable, only the name
/// is set.
pub(super) fn read_all(reader: &mut PackageReader) -> Vec<PackageTransform> {
    reader.names(TRANSFORMS, PackageEntry::Folder).into_iter().map(|name| read(reader, name)).collect()
}

fn read(reader: &mut PackageReader, name: String) -> PackageTransform {
    let path = format!("{TRANSFORMS}/{name}/transform.yml");
    let Some(tree) = reader.yaml(&path) else {
        return PackageTransform { name, ..PackageTransform::default() };
    };
    let mut parts = PartReader { reader, path: &path };
    let mut target = parts.text(&tree, "dest.index");
    if let Some(dest) = tree.get("dest") {
        let aliases = parts.maps(dest, "aliases");
        target = aliases.first().map_or(target, |alias| parts.text(alias, "alias"));
    }
    PackageTransform {
        description: parts.text(&tree, "description"),
        target,
        frequency: parts.text(&tree, "frequency"),
        max_age: parts.text(&tree, "retention_policy.time.max_age"),
        place: parts.place(&tree),
        name,
    }
}
