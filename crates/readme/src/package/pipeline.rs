//! Ingest pipelines of a package: which of them tell failures in a field of the event.

use stategraph_yaml::{YamlNode, YamlValue};

use super::reader::{PackageEntry, PackageReader};

/// Field in which pipelines tell a failure.
const FIELD: &str = "error.message";

/// Returns true if a pipeline of the folder writes `error.message`.
pub(super) fn reports_errors(reader: &mut PackageReader, folder: &str) -> bool {
    let files = reader.names(folder, PackageEntry::File);
    files.iter().any(|file| reader.yaml(&format!("{folder}/{file}")).is_some_and(|tree| writes_field(&tree)))
}

/// Returns true if a processor of the tree writes the field. The parser bounds the depth of the tree.
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
