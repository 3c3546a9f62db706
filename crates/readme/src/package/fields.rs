//! Field definitions of a data stream (`fields/*.yml`). Groups are flattened: a field gets its full dotted
//! name.

use std::path::Path;

use stategraph_yaml::{YamlNode, YamlValue};

use super::PackageField;
use super::parts::PartReader;
use super::reader::{PackageEntry, PackageReader};

/// Maximum number of field files that are read from one package.
const FILES: usize = 2_000;

/// Maximum number of fields that are read from one package; the largest real ones have about 10,000.
const FIELDS: usize = 50_000;

/// Maximum length of a field's full name, in bytes. Without it, names of nested groups could grow with the
/// square of the file.
const NAME_BYTES: usize = 1_000;

/// The numbers of field files and of fields that may still be read from the package, so that its size is
/// bounded.
pub(super) struct FieldBudget {
    files: usize,
    fields: usize,
}

impl Default for FieldBudget {
    fn default() -> Self {
        Self { files: FILES, fields: FIELDS }
    }
}

/// Reads all field files (`*.yml`, `*.yaml`) of a folder, in the order of their names. Takes what it reads
/// from `budget`; reports a defect when that is used up.
pub(super) fn read(reader: &mut PackageReader, folder: &str, budget: &mut FieldBudget) -> Vec<PackageField> {
    let mut found = Vec::new();
    for name in reader.names(folder, PackageEntry::File) {
        if !["yml", "yaml"].iter().any(|ending| has_ending(&name, ending)) {
            continue;
        }
        if budget.files == 0 {
            reader.report(folder, format!("only {FILES} files of fields are read"));
            break;
        }
        budget.files -= 1;
        read_file(reader, &format!("{folder}/{name}"), budget, &mut found);
    }
    found
}

/// Returns true if a file name has the extension `ending`, without regard to case.
pub(super) fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn read_file(
    reader: &mut PackageReader,
    path: &str,
    budget: &mut FieldBudget,
    found: &mut Vec<PackageField>,
) {
    let Some(tree) = reader.yaml(path) else { return };
    match &tree.value {
        YamlValue::List(items) => {
            FieldCollector { parts: PartReader { reader, path }, budget, found }.collect("", items);
        }
        YamlValue::Null => {}
        _ => reader.report(path, format!("line {}: it is {}, not a list", tree.line, tree.value.describe())),
    }
}

/// A collector of the fields of one file. It flattens the groups of the file into `found`.
struct FieldCollector<'a> {
    parts: PartReader<'a>,
    budget: &'a mut FieldBudget,
    found: &'a mut Vec<PackageField>,
}

impl FieldCollector<'_> {
    /// Adds the fields of a list and, recursively, of their sub-fields; `prefix` is the dotted name of the
    /// group around them, empty at the top. The YAML parser bounds the depth.
    fn collect(&mut self, prefix: &str, items: &[YamlNode]) {
        for item in self.parts.only_maps(items, "fields") {
            let name = self.parts.text(item, "name");
            if name.is_empty() {
                let message = format!("line {}: a field has no name", item.line);
                self.parts.reader.report(self.parts.path, message);
                continue;
            }
            let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            if name.len() > NAME_BYTES {
                let message =
                    format!("line {}: the name of a field has more than {NAME_BYTES} bytes", item.line);
                self.parts.reader.report(self.parts.path, message);
                continue;
            }
            let children = self.parts.list(item, "fields");
            let kind = self.parts.text(item, "type");
            // A group is only the common part of names, whether it says so or not. Nested objects are fields too.
            let is_group = kind == "group" || (kind.is_empty() && !children.is_empty());
            if !is_group && !self.add(item, name.clone(), kind) {
                return;
            }
            self.collect(&name, children);
        }
    }

    /// Adds a field; reports a defect and returns false if the package has too many.
    fn add(&mut self, item: &YamlNode, name: String, kind: String) -> bool {
        if self.budget.fields == 0 {
            self.parts.reader.report(self.parts.path, format!("only {FIELDS} fields of a package are read"));
            return false;
        }
        self.budget.fields -= 1;
        let field = PackageField {
            name,
            kind,
            description: self.parts.text(item, "description"),
            unit: self.parts.text(item, "unit"),
            metric_type: self.parts.text(item, "metric_type"),
            external: self.parts.text(item, "external"),
            place: self.parts.place(item),
        };
        self.found.push(field);
        true
    }
}
