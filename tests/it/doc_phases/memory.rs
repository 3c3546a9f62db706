//! Stored entries: their files, schema, rule for a repeated id, and index.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use stategraph::repo::{Files, MemoryFiles, Root};
use stategraph::workflows::doc_phases::memory::*;

use super::memory_kit::*;

fn rejected(memory: &Memory, kind: EntryType, entry: &Value) -> Vec<EntryProblem> {
    match memory.store_json(kind, entry) {
        Err(MemoryError::Rejected(rejection)) => rejection.problems,
        other => panic!("{entry} gave {other:?}"),
    }
}

fn json_at(folder: &Path, path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(path)).expect(path)).expect("JSON")
}

// DOC-10, 74, 75, 77, 92 to 96
#[test]
fn every_entry_has_a_file_of_its_type() {
    let (home, memory) = memory();
    for entry in all() {
        assert_eq!(memory.store(entry.clone()).expect("it is valid"), StoreOutcome::New);
        assert_eq!(memory.get(entry.entry_type(), entry.id()).expect("stored").entry.id(), entry.id());
    }
    let found: Vec<String> = bytes(home.path()).into_keys().collect();
    let wanted = [
        "architecture/overview.json",
        "components/auth.json",
        "cross_cutting/logging.json",
        "data_models/user.json",
        "files/src--auth--login.rs.json",
        "flows/login.json",
        "index.json",
        "notes/limit-login.json",
    ];
    assert_eq!(found, wanted.map(|path| format!(".agentic/memory/{path}")));
    let names: Vec<&str> = EntryType::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names, ["architecture", "component", "file", "data_model", "flow", "cross_cutting", "note"]);
}

// DOC-76, 98
#[test]
fn a_file_reads_like_the_entry_it_holds() {
    let (home, memory) = memory();
    memory.store(component("auth")).expect("valid");
    let found = json_at(&home.path().join(".agentic/memory"), "components/auth.json");
    let fields: Vec<&String> = found.as_object().expect("an object").keys().collect();
    let wanted = [
        "component_id",
        "component_name",
        "root_path",
        "responsibility",
        "key_files",
        "public_interfaces",
        "dependencies",
        "dependents",
        "design_patterns_used",
        "confidence",
        "explored_files",
        "created_at",
        "updated_at",
    ];
    assert_eq!(fields, wanted);
    assert_eq!(found["created_at"], "2024-01-16T10:30:00Z");
}

// DOC-78
#[test]
fn what_breaks_the_schema_is_rejected_with_field_rule_and_fix() {
    let (home, memory) = memory();
    let check = |change: &dyn Fn(&mut Value), wanted: [&str; 3]| {
        let mut entry = component_json("auth");
        change(&mut entry);
        let problems = rejected(&memory, EntryType::Component, &entry);
        let found: Vec<[&str; 3]> =
            problems.iter().map(|p| [p.field.as_str(), p.rule.as_str(), p.fix.as_str()]).collect();
        assert_eq!(found, [wanted]);
    };
    check(
        &|entry| drop(entry.as_object_mut().expect("an object").shift_remove("responsibility")),
        ["responsibility", "is missing", "add it: Responsibility of the component, in a few sentences"],
    );
    check(
        &|entry| entry["responsability"] = json!("x"),
        ["responsability", "is no field of component", "did you mean `responsibility`?"],
    );
    check(
        &|entry| entry["key_files"] = json!("src/a.rs"),
        ["key_files", "must be a list, but is \"src/a.rs\"", r#"give a list, as ["a", "b"]"#],
    );
    check(
        &|entry| entry["confidence"] = json!(1.5),
        ["confidence", "must be at most 1.0, but is 1.5", "give a number from 0.0 to 1.0"],
    );
    check(
        &|entry| entry["confidence"] = json!(-0.1),
        ["confidence", "must be at least 0.0, but is -0.1", "give a number from 0.0 to 1.0"],
    );
    check(
        &|entry| entry["confidence"] = json!("high"),
        ["confidence", "must be a number, but is \"high\"", "give a number without quotes"],
    );
    check(&|entry| entry["component_id"] = json!(""), ["component_id", "is empty", "say what it is"]);
    check(
        &|entry| entry["public_interfaces"] = json!([{ "name": "f", "typ": "fn" }]),
        ["public_interfaces[0].typ", "is no field of public_interfaces[0]", "did you mean `type`?"],
    );
    let all = rejected(&memory, EntryType::Component, &json!({ "component_id": "x", "confidence": 2 }));
    assert_eq!(all.len(), 3, "every problem at once: {all:?}");
    assert!(!rejected(&memory, EntryType::Flow, &json!(["no", "object"])).is_empty());
    assert!(bytes(home.path()).is_empty(), "nothing that is rejected reaches the disk");
    let error = memory.store_json(EntryType::Component, &json!({})).expect_err("it is empty");
    assert!(
        error.to_string().starts_with("the component entry is not valid: `component_id` is missing"),
        "{error}"
    );
}

// DOC-78
#[test]
fn a_typed_entry_is_held_against_the_schema_too() {
    let (_home, memory) = memory();
    for confidence in [f64::NAN, f64::INFINITY, 1.01] {
        let error =
            memory.store(ComponentSummary { confidence, ..component("auth") }).expect_err("no confidence");
        assert!(error.to_string().contains("`confidence` must be"), "{error}");
    }
}

// DOC-97
#[test]
fn no_two_ids_share_a_file() {
    let (_home, memory) = memory();
    let ids = [
        "a/b",
        "a--b",
        "a_b",
        "A/B",
        "a\\b",
        "a\nb",
        "ä",
        "a",
        "..",
        "../../x",
        ".",
        "con",
        "a b",
        "a/b.json",
        "\u{202e}x",
    ];
    for id in ids {
        assert_eq!(
            memory.store_json(EntryType::Component, &component_json(id)).expect(id),
            StoreOutcome::New,
            "{id:?}"
        );
    }
    let found: Vec<String> =
        memory.all(EntryType::Component).iter().map(|record| record.entry.id().to_owned()).collect();
    let mut wanted = ids.map(str::to_owned);
    wanted.sort();
    assert_eq!(found, wanted);
}

// DOC-97
#[test]
fn strange_ids_stay_in_the_folder_and_are_found_again() {
    let (home, path) = folder();
    let ids =
        ["../../../etc/passwd", "a/../../b", "/abs", "nul\u{0}l", "näme\n\"quoted\"", &"long".repeat(50)];
    {
        let memory = Memory::open(&path, at(1)).expect("new");
        for id in ids {
            memory
                .store_json(
                    EntryType::DataModel,
                    &json!({ "model_id": id, "model_name": "M", "file_path": "a.rs", "confidence": 1 }),
                )
                .expect(id);
        }
    }
    for name in bytes(home.path()).keys() {
        assert!(name.starts_with(".agentic/memory/") && name.is_ascii(), "{name}");
        assert!(
            name.split('/').all(|part| part != "..")
                && name.split('/').count() == 4 - usize::from(name.ends_with("index.json")),
            "{name}"
        );
    }
    let memory = Memory::open(&path, at(2)).expect("it opens again");
    assert_eq!(memory.notices(), [""; 0]);
    for id in ids {
        assert_eq!(memory.get(EntryType::DataModel, id).expect("found").entry.id(), id);
    }
}

// DOC-98
#[test]
fn an_id_that_comes_again_is_replaced_and_keeps_its_creation() {
    let (_home, path) = folder();
    let old = ComponentSummary { design_patterns_used: list(&["Observer"]), ..component("auth") };
    Memory::open(&path, at(1)).expect("new").store(old).expect("valid");
    let memory = Memory::open(&path, at(2)).expect("again");
    assert_eq!(memory.store(component("auth")).expect("valid"), StoreOutcome::Replaced);
    let record = memory.get(EntryType::Component, "auth").expect("stored");
    assert_eq!((record.created_at(), record.updated_at()), (at(1), at(2)));
    assert_eq!(record.entry, component("auth").into(), "replaced as a whole");
}

// DOC-91, 98
#[test]
fn what_says_the_same_as_before_keeps_the_time_of_its_change() {
    let (_home, path) = folder();
    Memory::open(&path, at(1)).expect("new").store(component("auth")).expect("valid");
    let memory = Memory::open(&path, at(2)).expect("again");
    assert_eq!(memory.store(component("auth")).expect("valid"), StoreOutcome::Unchanged);
    assert_eq!(memory.get(EntryType::Component, "auth").expect("stored").updated_at(), at(1));
}

#[test]
fn the_same_entry_at_the_same_time_gives_the_same_bytes() {
    let (home, path) = folder();
    let once = {
        let memory = Memory::open(&path, at(1)).expect("new");
        all().into_iter().for_each(|entry| store(&memory, entry));
        memory.mark_explored("auth").expect("it is there");
        memory.set_phase("component_deep_dive", "in_progress").expect("it is written");
        bytes(home.path())
    };
    // A killed run repeats the call that was in progress.
    let memory = Memory::open(&path, at(1)).expect("again");
    all().into_iter().for_each(|entry| store(&memory, entry));
    memory.mark_explored("auth").expect("it is there");
    assert_eq!(bytes(home.path()), once);
}

#[test]
fn a_models_own_times_and_hashes_are_ignored() {
    let (_home, memory) = memory();
    let mut entry = component_json("auth");
    entry["created_at"] = json!("1999-01-01T00:00:00Z");
    entry["updated_at"] = json!(7);
    memory.store_json(EntryType::Component, &entry).expect("what a query answers can be stored");
    assert_eq!(memory.get(EntryType::Component, "auth").expect("stored").created_at(), at(1));
    let file =
        json!({ "file_path": "a.rs", "responsibility": "x", "confidence": 1, "last_read_hash": "abc" });
    memory.store_json(EntryType::File, &file).expect("valid");
    assert_eq!(memory.entries::<FileRole>()[0].last_read_hash, None);
}

// DOC-87, 88
#[test]
fn the_index_says_what_the_files_say() {
    let (home, memory) = memory();
    memory.store(overview()).expect("valid");
    memory.store(component("zoo")).expect("valid");
    memory.store(component("auth")).expect("valid");
    memory.store(component("auth")).expect("valid");
    memory.store(file("src/a.rs", "auth")).expect("valid");
    memory.store(file("./src//a.rs", "auth")).expect("valid");
    memory.store(concern("logging")).expect("valid");
    memory.mark_explored("auth").expect("it is there");
    memory.mark_explored("auth").expect("again");
    memory.set_phase("component_deep_dive", json!({ "status": "in_progress" })).expect("written");
    let index = json_at(&home.path().join(".agentic/memory"), "index.json");
    let wanted = json!({
        "version": "1.0",
        "current_phase": "component_deep_dive",
        "phase_progress": { "component_deep_dive": { "status": "in_progress" } },
        "components_discovered": ["api", "auth", "zoo"],
        "components_explored": ["auth"],
        "cross_cutting_found": ["logging"],
        "file_count": 1,
        "last_updated": "2024-01-16T10:30:00Z",
    });
    assert_eq!(index, wanted);
    assert_eq!(serde_json::to_value(memory.index()).expect("JSON"), wanted);
    memory.reopen("auth").expect("it is there");
    assert!(memory.index().components_explored.is_empty());
    assert!(memory.forget(EntryType::File, "src/a.rs").expect("removed"));
    assert!(!memory.forget(EntryType::File, "src/a.rs").expect("nothing there"));
    assert_eq!(memory.index().file_count, 0);
}

// DOC-88
#[test]
fn an_index_that_disagrees_with_the_files_is_made_anew() {
    let (home, path) = folder();
    let good = {
        let memory = Memory::open(&path, at(1)).expect("new");
        all().into_iter().for_each(|entry| store(&memory, entry));
        memory.mark_explored("auth").expect("it is there");
        bytes(home.path())
    };
    let index = path.join("index.json");
    let text = std::fs::read_to_string(&index).expect("an index");
    let lies = text.replace("\"file_count\": 1", "\"file_count\": 9").replace("\"auth\"\n", "\"ghost\"\n");
    assert_ne!(lies, text);
    std::fs::write(&index, lies).expect("writable");
    let memory = Memory::open(&path, at(1)).expect("opens");
    assert!(memory.notices()[0].contains("did not agree"), "{:?}", memory.notices());
    assert_eq!(bytes(home.path()), good);
    drop(memory);
    std::fs::remove_file(&index).expect("it was there");
    let memory = Memory::open(&path, at(1)).expect("opens");
    assert_eq!(bytes(home.path()), good, "also when it is missing");
    drop(memory);
}

// DOC-63, 71
#[test]
fn only_a_component_that_was_stored_can_be_explored() {
    let (_home, memory) = memory();
    memory.store(component("auth")).expect("valid");
    let error = memory.mark_explored("auht").expect_err("no such component");
    assert_eq!(error.to_string(), "there is no component `auht` in memory");
    assert_eq!(error.hint(), "did you mean `auth`?");
    assert_eq!(memory.mark_explored("payments").expect_err("none").hint(), "store the component first");
}

// DOC-126: the order of parallel work leaves no trace
#[test]
fn whoever_comes_first_the_same_entry_stands() {
    let said = |by: &str| DataModel { model_type: by.into(), ..model("user") };
    let authors = [
        EntryAuthor::component(1, "auth"),
        EntryAuthor::component(1, "billing"),
        EntryAuthor::phase(0),
        EntryAuthor::component(1, "zoo"),
    ];
    let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]];
    let results = orders.map(|order| {
        let (home, memory) = memory();
        for at in order {
            let author = &authors[at];
            memory.store_as(author, said(author.component.as_deref().unwrap_or("phase"))).expect("valid");
            // A component has precedence on entries about itself.
            let summary = ComponentSummary { responsibility: format!("by {author:?}"), ..component("zoo") };
            memory.store_as(author, summary).expect("valid");
        }
        bytes(home.path())
    });
    assert!(results.iter().all(|result| *result == results[0]));
    let (_home, memory) = memory();
    memory.store_as(&authors[0], said("auth")).expect("valid");
    assert_eq!(memory.store_as(&authors[1], said("billing")).expect("valid"), StoreOutcome::Overruled);
    assert_eq!(
        memory.store_as(&EntryAuthor::phase(2), said("phase")).expect("valid"),
        StoreOutcome::Replaced,
        "a later phase"
    );
    let of_itself = memory.store_as(&authors[1], component("zoo")).expect("valid");
    assert_eq!(
        (
            of_itself,
            memory
                .store_as(&authors[3], ComponentSummary { root_path: ".".into(), ..component("zoo") })
                .expect("valid")
        ),
        (StoreOutcome::New, StoreOutcome::Replaced)
    );
}

// DOC-98, 126
#[test]
fn what_one_author_changes_and_another_changes_back_has_not_changed() {
    let (old, new) = (model("user"), DataModel { model_type: "table".into(), ..model("user") });
    let authors = [EntryAuthor::component(1, "auth"), EntryAuthor::component(1, "billing")];
    let results = [[(0, &old), (1, &new)], [(1, &new), (0, &old)]].map(|order| {
        let (home, path) = folder();
        Memory::open(&path, at(1)).expect("new").store(old.clone()).expect("valid");
        let memory = Memory::open(&path, at(2)).expect("again");
        for (author, entry) in order {
            memory.store_as(&authors[author], entry.clone()).expect("valid");
        }
        let record = memory.get(EntryType::DataModel, "user").expect("stored");
        assert_eq!((record.entry.clone(), record.updated_at()), (old.clone().into(), at(1)));
        bytes(home.path())
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn many_threads_store_at_once() {
    let (home, memory) = memory();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let memory = &memory;
            scope.spawn(move || {
                for n in 0..5 {
                    memory.store(component(&format!("c{thread}-{n}"))).expect("valid");
                    memory.mark_explored(&format!("c{thread}-{n}")).expect("just stored");
                }
            });
        }
    });
    assert_eq!(memory.index().components_explored.len(), 20);
    let index = json_at(&home.path().join(".agentic/memory"), "index.json");
    assert_eq!(index, serde_json::to_value(memory.index()).expect("JSON"));
}

// DOC-89 and the bad input of issue 4: files that do not exist
#[test]
fn an_entry_may_only_name_what_the_repository_has() {
    let (_home, memory) = memory();
    let files = MemoryFiles::new([("src/auth/login.rs", "fn login() {}"), ("src/main.rs", "")]);
    let memory = memory.with_files(Arc::new(files));
    let check = |entry: Entry, wanted: &str| {
        let error = memory.store(entry).expect_err("it claims what is not there");
        assert!(error.to_string().contains(wanted), "{error}");
    };
    check(
        file("src/ghost.rs", "auth").into(),
        "`file_path` names `src/ghost.rs`, which is no file of the repository",
    );
    check(file("../../etc/passwd", "auth").into(), "leads out of the repository");
    check(file("src/auth", "auth").into(), "`file_path` names `src/auth`, which is no file");
    let claims =
        ComponentSummary { key_files: list(&["src/auth/login.rs", "src/auth/none.rs"]), ..component("auth") };
    check(claims.into(), "`key_files` names `src/auth/none.rs`");
    check(
        ComponentSummary { root_path: "lib".into(), ..component("auth") }.into(),
        "`root_path` names `lib`, which is no file or folder",
    );
    check(overview().into(), "`component_boundaries` names `src/api`");
    check(model("ghost").into(), "`file_path` names `src/ghost.rs`");
    check(concern("logging").into(), "`files_involved` names `src/log.rs`");
    memory
        .store(ComponentSummary { root_path: "./src/auth/".into(), ..component("auth") })
        .expect("a folder");
    memory.store(file("./src/auth/login.rs", "auth")).expect("it is there");
    let stored = memory.entries::<FileRole>().remove(0);
    assert_eq!(
        (stored.file_path.as_str(), stored.file_id.as_str()),
        ("src/auth/login.rs", "src/auth/login.rs")
    );
    let hash = stateful_hash("fn login() {}");
    assert_eq!(stored.last_read_hash.expect("hashed").to_string(), hash);
}

fn stateful_hash(text: &str) -> String {
    stategraph::repo::ContentHash::of(text.as_bytes()).to_string()
}

// DOC-100
#[test]
fn a_type_is_one_line_of_the_catalogue() {
    for &kind in EntryType::ALL {
        assert_eq!(EntryType::from_name(kind.name()), Some(kind));
        let schema = kind.schema();
        let value = schema.as_value();
        assert_eq!(value["additionalProperties"], false, "{kind}");
        let required = value["required"].as_array().expect("a list");
        // A note is looked up or not stored.
        if kind != EntryType::Note {
            assert!(value["properties"]["confidence"]["description"].is_string(), "{kind}");
            assert!(required.contains(&json!("confidence")), "{kind}");
        }
    }
}

#[test]
fn a_root_on_disk_checks_as_files_in_memory_do() {
    let (home, memory) = memory();
    std::fs::write(home.path().join("a.rs"), "x").expect("a file");
    let root = Root::open(home.path()).expect("a folder");
    let files: Arc<dyn Files> = Arc::new(root);
    let memory = memory.with_files(files);
    memory.store(file("a.rs", "")).expect("it is there");
    assert!(memory.store(file("b.rs", "")).is_err());
}
