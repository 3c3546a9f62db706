//! Damaged, locked and unreadable memories: nothing is lost, every defect is reported.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use stategraph::workflows::doc_phases::memory::*;

use super::memory_kit::*;

fn broken_file(bytes: &[u8], said: &str) {
    let (home, path) = folder();
    fs::create_dir_all(path.join("components")).expect("a folder");
    fs::write(path.join("components/auth.json"), bytes).expect("a file");
    let memory = Memory::open(&path, at(1)).expect("it opens");
    assert_eq!(memory.notices().len(), 1, "{:?}", memory.notices());
    let notice = &memory.notices()[0];
    assert!(notice.contains("components/auth.json: ") && notice.contains(said), "{notice}");
    assert!(notice.ends_with("put aside as components/auth.json.broken"), "{notice}");
    assert!(memory.get(EntryType::Component, "auth").is_none());
    memory.store(component("auth")).expect("its place is free");
    let kept = fs::read(path.join("components/auth.json.broken")).expect("it is kept");
    assert_eq!(kept, bytes, "not a byte is lost");
    drop(memory);
    fs::write(path.join("components/auth.json"), bytes).expect("a file");
    drop(Memory::open(&path, at(1)).expect("it opens"));
    assert!(path.join("components/auth.json.broken-2").is_file(), "{:?}", bytes_of(home.path()));
}

fn bytes_of(folder: &Path) -> Vec<String> {
    bytes(folder).into_keys().collect()
}

// Issue 4: `.agentic/` corrupt
#[test]
fn a_file_that_cannot_be_read_is_put_aside() {
    broken_file(b"{ \"component_id\": \"auth\", ", "no JSON");
    broken_file(b"", "no JSON");
    broken_file(b"[]", "no JSON object");
    broken_file(b"\xff\xfe\x00", "is not UTF-8");
    broken_file(b"a\0b", "is binary");
    broken_file(b"{ \"component_id\": \"auth\" }", "missing field `created_at`");
    let times = "\"created_at\": \"2024-01-15T10:30:00Z\", \"updated_at\": \"2024-01-15T10:30:00Z\"";
    broken_file(
        format!("{{ \"component_id\": \"auth\", {times} }}").as_bytes(),
        "`component_name` is missing",
    );
    let whole = "\"component_name\": \"a\", \"responsibility\": \"r\", \"confidence\": 1";
    broken_file(
        format!("{{ \"component_id\": \"other\", {whole}, {times} }}").as_bytes(),
        "belongs into components/other.json",
    );
    broken_file(
        format!("{{ \"component_id\": \"auth\", {whole}, \"created_at\": \"2024-02-31T00:00:00Z\", \"updated_at\": 3 }}").as_bytes(),
        "is no moment",
    );
    broken_file(format!("{{ \"x\": \"{}\" }}", "y".repeat(9 << 20)).as_bytes(), "more than the");
}

#[test]
fn a_folder_and_a_link_where_an_entry_should_be_are_put_aside() {
    let (home, path) = folder();
    fs::create_dir_all(path.join("flows/login.json")).expect("a folder");
    fs::write(home.path().join("secret"), "s").expect("a file");
    std::os::unix::fs::symlink(home.path().join("secret"), path.join("flows/out.json")).expect("a link");
    let memory = Memory::open(&path, at(1)).expect("it opens");
    assert_eq!(memory.notices().len(), 2, "{:?}", memory.notices());
    memory.store(flow("login")).expect("the way is free");
    memory.store(flow("out")).expect("the way is free");
    assert_eq!(
        fs::read(home.path().join("secret")).expect("a file"),
        b"s",
        "nothing is written through the link"
    );
}

#[test]
fn a_folder_that_leads_elsewhere_is_refused() {
    let (home, path) = folder();
    fs::create_dir_all(&path).expect("a folder");
    fs::create_dir(home.path().join("elsewhere")).expect("a folder");
    std::os::unix::fs::symlink(home.path().join("elsewhere"), path.join("components")).expect("a link");
    let error = Memory::open(&path, at(1)).expect_err("components are elsewhere");
    assert!(error.to_string().contains("leaves the repository through the link `components`"), "{error}");
    assert!(!error.hint().is_empty());
}

#[test]
fn a_broken_index_is_put_aside_and_made_anew() {
    let (_home, path) = folder();
    Memory::open(&path, at(1)).expect("new").store(component("auth")).expect("valid");
    for broken in ["", "{", "[]", "{\"version\":\"1.0\"}", "null"] {
        fs::write(path.join("index.json"), broken).expect("a file");
        let memory = Memory::open(&path, at(1)).expect("it opens");
        assert!(memory.notices()[0].contains("index.json"), "{:?}", memory.notices());
        assert_eq!(memory.index().components_discovered.len(), 1);
    }
}

// Issue 4: from another version
#[test]
fn a_memory_of_another_version_is_left_alone() {
    let (home, path) = folder();
    Memory::open(&path, at(1)).expect("new").store(component("auth")).expect("valid");
    let index = fs::read_to_string(path.join("index.json")).expect("an index");
    fs::write(path.join("index.json"), index.replace("\"1.0\"", "\"2.0\"")).expect("a file");
    fs::write(path.join("components/new.json"), "of a shape that we do not know").expect("a file");
    let before = bytes(home.path());
    let error = Memory::open(&path, at(1)).expect_err("another version");
    assert!(error.to_string().ends_with("has version 2.0; this program reads version 1.0"), "{error}");
    assert!(error.hint().contains("move the folder"), "{}", error.hint());
    assert_eq!(bytes(home.path()), before);
}

// Issue 4: 10 MB
#[test]
fn an_entry_of_ten_megabytes_is_rejected_shortly() {
    let (home, memory) = memory();
    let mut entry = component_json("auth");
    entry["responsibility"] = json!("x".repeat(10 << 20));
    let error = memory.store_json(EntryType::Component, &entry).expect_err("too large").to_string();
    assert!(error.contains("bytes, more than 262144") && error.len() < 300, "{error}");
    let mut entry = component_json("auth");
    entry["x".repeat(1 << 17)] = json!("y".repeat(100_000));
    entry["component_id"] = json!(vec!["z"; 300]);
    let error = memory.store_json(EntryType::Component, &entry).expect_err("unknown field").to_string();
    assert!(error.len() < 1000, "{error}");
    let long = component_json(&"i".repeat(201));
    let error = memory.store_json(EntryType::Component, &long).expect_err("too long").to_string();
    assert!(error.contains("`component_id` is longer than 200 characters"), "{error}");
    assert!(bytes(home.path()).is_empty());
}

// Issue 4: read-only
#[test]
fn a_place_that_cannot_be_written_is_said_at_once() {
    let (home, _) = folder();
    fs::write(home.path().join("file"), "x").expect("a file");
    for place in [home.path().join("file"), home.path().join("file/memory"), "/proc/memory".into()] {
        let error = Memory::open(&place, at(1)).expect_err("no folder");
        assert!(matches!(error, MemoryError::Folder { .. }), "{error:?}");
        assert!(error.to_string().starts_with("cannot use the memory "), "{error}");
        assert!(error.hint().contains("written"), "{}", error.hint());
    }
}

// Issue 4: read-only
#[test]
fn an_entry_that_cannot_be_written_is_an_error_and_not_in_memory() {
    let (_home, path) = folder();
    let memory = Memory::open(&path, at(1)).expect("new");
    fs::create_dir_all(path.join("flows/login.json")).expect("a folder in its way");
    let error = memory.store(flow("login")).expect_err("it cannot be replaced");
    assert!(
        matches!(error, MemoryError::Write(_)) && error.to_string().contains("it is a directory"),
        "{error}"
    );
    assert!(memory.get(EntryType::Flow, "login").is_none(), "memory says what the disk says");
    fs::write(path.join("data_models"), "a file").expect("a file in the way");
    assert!(memory.store(model("user")).is_err());
}

// Issue 4: two runs at once
#[test]
fn a_second_run_on_one_memory_is_told_so() {
    let (_home, path) = folder();
    let memory = Memory::open(&path, at(1)).expect("new");
    let error = Memory::open(&path, at(2)).expect_err("it is held");
    assert!(error.to_string().starts_with("another run is working on the memory "), "{error}");
    assert!(error.hint().contains("wait for it to end"), "{}", error.hint());
    drop(memory);
    drop(Memory::open(&path, at(2)).expect("it was given back"));
}

/// Environment variable with the memory that the child process holds; the child's test does nothing if it is not set.
const HELD: &str = "STATEGRAPH_TEST_HELD_MEMORY";

#[test]
fn holds_a_memory_until_it_is_killed() {
    let Some(path) = std::env::var_os(HELD) else { return };
    let memory = Memory::open(Path::new(&path), at(1)).expect("it is free");
    memory.store(component("auth")).expect("valid");
    fs::write(Path::new(&path).join("held"), "").expect("a file");
    let _ = std::io::stdin().read(&mut [0]);
}

// Issue 4: two runs at once; a killed one
#[test]
fn a_killed_process_gives_the_memory_back() {
    let (_home, path) = folder();
    let module = module_path!().split_once("::").expect("a module of the test binary").1;
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", &format!("{module}::holds_a_memory_until_it_is_killed"), "--nocapture"])
        .env(HELD, &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("this binary runs");
    // The child creates the file after it has the lock.
    while !path.join("held").exists() && child.try_wait().expect("a child").is_none() {
        std::thread::yield_now();
    }
    assert!(matches!(Memory::open(&path, at(2)), Err(MemoryError::Locked { .. })));
    child.kill().expect("it runs");
    child.wait().expect("it was killed");
    let memory = Memory::open(&path, at(2)).expect("the lock died with its process");
    assert_eq!(memory.index().components_discovered.len(), 1);
    assert_eq!(memory.notices(), [""; 0]);
}

#[test]
fn what_a_killed_write_left_behind_goes() {
    let (home, path) = folder();
    Memory::open(&path, at(1)).expect("new").store(component("auth")).expect("valid");
    fs::write(path.join("components/.stategraph-x1y2.tmp"), "{ half").expect("a file");
    let memory = Memory::open(&path, at(1)).expect("it opens");
    assert_eq!(memory.notices(), [""; 0]);
    assert_eq!(bytes(home.path()).len(), 2);
}
