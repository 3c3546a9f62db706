//! Data streams of a package: their manifests and sample events. For fields see fields.rs.

use serde_json::Value;
use stategraph_yaml::YamlValue;

use super::parts::PartReader;
use super::reader::{PackageEntry, PackageReader};
use super::{DataStream, PackagePlace, fields, pipeline};

/// Reads all data streams of a package, ordered by name. `package` is the name of the package, with which a
/// default dataset begins: `<package>.<stream>`.
pub(super) fn read_all(reader: &mut PackageReader, package: &str) -> Vec<DataStream> {
    let names = reader.names("data_stream", PackageEntry::Folder);
    let mut budget = fields::FieldBudget::default();
    names.into_iter().map(|name| read(reader, package, &name, &mut budget)).collect()
}

fn read(
    reader: &mut PackageReader,
    package: &str,
    name: &str,
    budget: &mut fields::FieldBudget,
) -> DataStream {
    let folder = format!("data_stream/{name}");
    let mut stream = read_manifest(reader, &folder);
    name.clone_into(&mut stream.name);
    if stream.dataset.is_empty() && !package.is_empty() {
        stream.dataset = format!("{package}.{name}");
    }
    stream.fields = fields::read(reader, &format!("{folder}/fields"), budget);
    stream.sample_event = read_sample_event(reader, &format!("{folder}/sample_event.json"));
    let pipelines = format!("{folder}/elasticsearch/ingest_pipeline");
    stream.has_pipeline = has_files(reader, &pipelines);
    stream.reports_errors = pipeline::reports_errors(reader, &pipelines);
    stream
}

/// Returns true if a file lies directly in a folder. Hidden files and files in sub-folders do not count.
pub(super) fn has_files(reader: &mut PackageReader, folder: &str) -> bool {
    !reader.names(folder, PackageEntry::File).is_empty()
}

fn read_manifest(reader: &mut PackageReader, folder: &str) -> DataStream {
    let path = format!("{folder}/manifest.yml");
    let place = PackagePlace { path: path.clone(), line: 0 };
    let Some(tree) = reader.yaml(&path) else {
        reader.report(&path, "the data stream has no readable manifest");
        return DataStream {
            place: PackagePlace { path: folder.to_owned(), line: 0 },
            ..DataStream::default()
        };
    };
    if !matches!(tree.value, YamlValue::Map(_)) {
        reader.report(&path, format!("line {}: it is {}, not a map", tree.line, tree.value.describe()));
        return DataStream { place, ..DataStream::default() };
    }
    let line = tree.find_line("title").unwrap_or(1);
    let mut parts = PartReader { reader, path: &path };
    DataStream {
        title: parts.text(&tree, "title"),
        dataset: parts.text(&tree, "dataset"),
        kind: parts.text(&tree, "type"),
        release: parts.text(&tree, "release"),
        inputs: parts.maps(&tree, "streams").into_iter().map(|stream| parts.input(stream, "input")).collect(),
        place: PackagePlace { line, ..place },
        ..DataStream::default()
    }
}

fn read_sample_event(reader: &mut PackageReader, path: &str) -> Option<Value> {
    let text = reader.text(path)?;
    // serde_json limits the nesting by itself.
    match serde_json::from_str::<Value>(&text) {
        Ok(event @ Value::Object(_)) => Some(event),
        Ok(_) => {
            reader.report(path, "it is JSON, but not an object");
            None
        }
        Err(error) => {
            reader.report(path, format!("line {}: {error}", error.line()));
            None
        }
    }
}
