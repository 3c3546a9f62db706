//! Finds out if the ingest pipelines of a package record failures in the event itself.

use stategraph_yaml::{YamlNode, YamlValue};

use super::reader::{PackageEntry, PackageReader};

/// Field of an event in which pipelines record a failure.
const FIELD: &str = "error.message";

/// Returns true if a pipeline file directly in the folder has a processor that writes the field
/// `error.message`.
pub(super) fn reports_errors(reader: &mut PackageReader, folder: &str) -> bool {
    let files = reader.names(folder, PackageEntry::File);
    files.iter().any(|file| reader.yaml(&format!("{folder}/{file}")).is_some_and(|tree| writes_field(&tree)))
}

/// Returns true if a processor (`set`, `append`, `rename` or `copy`) anywhere in the tree writes [`FIELD`].
/// The YAML parser bounds the depth of the tree.
fn writes_field(node: &YamlNode) -> bool {
    match &node.value {
        YamlValue::List(items) => items.iter().any(writes_field),
        YamlValue::Map(entries) => entries.iter().any(|entry| {
            let key = match entry.key.as_str() {
                "set" | "append" => "field",
                "rename" | "copy" => "target_field",
                _ => return writes_field(&entry.value),
            };
            let written = entry.value.get(key).map(|field| &field.value);
            matches!(written, Some(YamlValue::Text(name)) if name == FIELD) || writes_field(&entry.value)
        }),
        YamlValue::Null | YamlValue::Bool(_) | YamlValue::Number(_) | YamlValue::Text(_) => false,
    }
}
