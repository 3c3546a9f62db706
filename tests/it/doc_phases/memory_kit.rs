//! Entries and memories for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use stategraph::repo::{CodeBase, MemoryFiles};
use stategraph::workflows::doc_phases::memory::*;
use tempfile::TempDir;

/// Returns the start of a test run by its number.
pub(crate) fn at(run: u64) -> Timestamp {
    Timestamp::from_ms(1_705_314_600_000 + run * 86_400_000)
}

/// Returns a folder for a memory, removed with the first value.
pub(crate) fn folder() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path().join(".agentic/memory");
    (home, path)
}

/// Opens a memory for the first run in a new folder.
pub(crate) fn memory() -> (TempDir, Memory) {
    let (home, path) = folder();
    let memory = Memory::open(&path, at(1)).expect("a new memory");
    (home, memory)
}

/// Returns the files below a folder with their bytes, without the lock.
pub(crate) fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(root, &path, found);
            } else if path.file_name().is_some_and(|name| name != ".lock") {
                let name = path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

pub(crate) fn code_base(files: &[(&str, &str)]) -> CodeBase {
    CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied())))
}

pub(crate) fn list(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

pub(crate) fn overview() -> ArchitectureOverview {
    ArchitectureOverview {
        system_name: "Shop".into(),
        purpose: "Sells things.\n\nTo people.".into(),
        tech_stack: list(&["Rust", "PostgreSQL"]),
        entry_points: list(&["src/main.rs"]),
        major_components: list(&["auth", "api"]),
        architectural_style: "Layers.".into(),
        key_abstractions: list(&["Order"]),
        component_boundaries: [
            ("auth".to_owned(), list(&["src/auth"])),
            ("api".to_owned(), list(&["src/api"])),
        ]
        .into(),
        confidence: 0.9,
        verified_by_files: list(&["src/main.rs"]),
        ..ArchitectureOverview::default()
    }
}

pub(crate) fn component(id: &str) -> ComponentSummary {
    ComponentSummary {
        component_id: id.into(),
        component_name: format!("The {id}"),
        root_path: format!("src/{id}"),
        responsibility: format!("Does what {id} does."),
        confidence: 0.8,
        ..ComponentSummary::default()
    }
}

pub(crate) fn file(path: &str, component: &str) -> FileRole {
    FileRole {
        file_path: path.into(),
        responsibility: format!("Holds {path}."),
        component: component.into(),
        confidence: 0.7,
        ..FileRole::default()
    }
}

pub(crate) fn model(id: &str) -> DataModel {
    DataModel {
        model_id: id.into(),
        model_name: format!("{id}Model"),
        model_type: "struct".into(),
        file_path: format!("src/{id}.rs"),
        fields: vec![DataField { name: "id".into(), kind: "u64".into(), description: "Its number.".into() }],
        relationships: vec![Relationship { target_model: "Other".into(), relation_type: "has many".into() }],
        used_by_components: list(&["auth"]),
        confidence: 0.6,
        ..DataModel::default()
    }
}

pub(crate) fn flow(id: &str) -> RuntimeFlow {
    let step = |component: &str, action: &str, next: &str| RuntimeStep {
        component: component.into(),
        action: action.into(),
        next: next.into(),
    };
    RuntimeFlow {
        flow_id: id.into(),
        flow_name: format!("Flow {id}"),
        description: "Lets somebody in.".into(),
        trigger: "a request".into(),
        steps: vec![step("api", "checks the token", "auth"), step("auth", "answers", "")],
        components_involved: list(&["auth", "api"]),
        data_models_used: list(&["user"]),
        confidence: 0.5,
    }
}

pub(crate) fn concern(id: &str) -> CrossCuttingConcern {
    CrossCuttingConcern {
        concern_id: id.into(),
        concern_name: format!("CurrentConcern {id}"),
        concern_type: "logging".into(),
        description: "Everything is logged.".into(),
        implementation_pattern: "One logger.".into(),
        files_involved: list(&["src/log.rs"]),
        components_affected: list(&["auth"]),
        key_abstractions: list(&["Logger"]),
        confidence: 0.4,
        ..CrossCuttingConcern::default()
    }
}

/// Returns one entry of every type.
pub(crate) fn all() -> Vec<Entry> {
    vec![
        overview().into(),
        component("auth").into(),
        file("src/auth/login.rs", "auth").into(),
        model("user").into(),
        flow("login").into(),
        concern("logging").into(),
        note("limit-login").into(),
    ]
}

pub(crate) fn note(id: &str) -> Note {
    Note {
        note_id: id.into(),
        kind: NoteKind::Limit,
        place: "src/auth/login.rs:1".into(),
        text: "One customer at a time.".into(),
        component: "auth".into(),
    }
}

/// Returns a component as a model writes it.
pub(crate) fn component_json(id: &str) -> Value {
    json!({ "component_id": id, "component_name": id, "responsibility": "Does it.", "confidence": 0.5 })
}

/// Stores a valid entry.
pub(crate) fn store(memory: &Memory, entry: impl Into<Entry>) {
    memory.store(entry).expect("valid");
}
