//! `graph run doc-phases`: offline, on a small repository.

use super::kit::{Place, done};

fn repository() -> Place {
    let place = Place::new();
    place.write("repo/Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    place.write("repo/src/main.rs", "//! The shop.\n\nmod store;\n\nfn main() {\n    store::open();\n}\n");
    place.write("repo/src/store/mod.rs", "//! Keeps bread.\n\n/// Opens the store.\npub fn open() {}\n");
    place
}

#[tokio::test]
async fn a_repository_is_documented_offline() {
    // DOC-1, DOC-9, DOC-10, DOC-12, DOC-15
    let place = repository();
    let told = done(place.graph(["run", "doc-phases", "repo"])).await.exits(0);
    assert!(told.err.contains("[Phase: architecture_discovery] Starting...\n"), "{}", told.err);
    assert!(
        told.err.contains("completed phases: architecture_discovery, component_deep_dive"),
        "{}",
        told.err
    );
    assert!(told.out.lines().any(|line| line.ends_with("ARCHITECTURE.md")), "{}", told.out);
    for line in told.out.lines() {
        assert!(place.at(line).is_file(), "{line}");
    }
    assert!(place.read("repo/.agentic/documentation/ARCHITECTURE.md").contains("shop"));
}

/// Returns the lines of the excerpt in the README section on documentation.
fn excerpt(readme: &str) -> impl Iterator<Item = &str> {
    let from = readme.find("## Documenting a code base").expect("the section is there");
    let shown = readme[from..].split("```markdown\n").nth(1).expect("an excerpt is there");
    shown.lines().take_while(|line| *line != "```").filter(|line| !line.is_empty())
}

#[tokio::test]
async fn the_readme_shows_what_is_written_of_this_repository() {
    // DOC-111: of a part of it, as the whole takes its time
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = Place::new();
    let copied = ["Cargo.toml", "crates/sled/Cargo.toml"].map(|path| here.join(path)).into_iter();
    let store = files_below(&here.join("crates/sled/src"));
    for file in copied.chain(store) {
        let to = format!("repo/{}", file.strip_prefix(here).expect("it is below").display());
        place.write(&to, std::fs::read_to_string(&file).expect("a source file is text"));
    }
    done(place.graph(["run", "doc-phases", "repo"])).await.exits(0);
    let page = place.read("repo/.agentic/documentation/components/stategraph-sled.md");
    let readme = std::fs::read_to_string(here.join("README.md")).expect("the README is there");
    assert!(excerpt(&readme).count() > 5);
    for line in excerpt(&readme) {
        assert!(page.lines().any(|written| written == line), "{line}\n{page}");
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries =
        std::fs::read_dir(folder).expect("it is a folder").map(|entry| entry.expect("it is read").path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn a_second_run_resumes_updates_or_says_why_not() {
    // DOC-2, DOC-3, DOC-13
    let place = repository();
    done(place.graph(["run", "doc-phases", "repo"])).await.exits(0);
    let told = done(place.graph(["run", "doc-phases", "repo", "--update"])).await.exits(0);
    assert!(told.err.contains("no file has changed"), "{}", told.err);
    let told = done(place.graph(["run", "doc-phases", "repo", "--resume"])).await.exits(0);
    assert!(told.err.contains("nothing to resume"), "{}", told.err);
}

#[tokio::test]
async fn a_new_folder_and_a_new_file_show_after_an_update() {
    // DOC-3, DOC-12, DOC-90, DOC-91
    let place = repository();
    place.write(
        "repo/src/main.rs",
        "//! The shop.\n\nmod pay;\nmod store;\n\nfn main() {\n    store::open();\n}\n",
    );
    place.write("repo/src/pay/mod.rs", "//! Takes money.\n\n/// Pays.\npub fn pay() {}\n");
    done(place.graph(["run", "doc-phases", "repo"])).await.exits(0);
    let page = |name: &str| place.read(&format!("repo/.agentic/documentation/{name}"));
    let store = page("components/store.md");
    place.write("repo/src/baker/mod.rs", "//! Bakes bread.\n\n/// A loaf.\npub struct Loaf;\n");
    place.write("repo/src/pay/coin.rs", "//! Coins.\n\n/// A coin.\npub struct Coin;\n");
    let told = done(place.graph(["run", "doc-phases", "repo", "--update"])).await.exits(0);
    assert!(told.err.contains("2 files changed:\n  src/baker/mod.rs\n  src/pay/coin.rs\n"), "{}", told.err);
    assert!(told.err.contains("Exploring: baker") && told.err.contains("Exploring: pay"), "{}", told.err);
    assert!(!told.err.contains("Exploring: store") && !told.err.contains("in no component"), "{}", told.err);
    assert!(page("components/baker.md").contains("Loaf") && page("components/pay.md").contains("coin.rs"));
    assert!(page("ARCHITECTURE.md").contains("components/baker.md"), "{}", page("ARCHITECTURE.md"));
    assert!(page("README.md").contains("components/baker.md"));
    assert_eq!(page("components/store.md"), store);
    // From the repository itself, where checkpoints are then: they are no files of it.
    let inside = || {
        let mut command = place.graph(["run", "doc-phases", ".", "--update"]);
        command.current_dir(place.at("repo"));
        command
    };
    done(inside()).await.exits(0);
    assert!(place.at("repo/checkpoints/threads").is_dir());
    let again = done(inside()).await.exits(0);
    assert!(again.err.contains("no file has changed"), "{}", again.err);
    assert!(again.err.contains("offline was not asked") && !again.err.contains("Starting"), "{}", again.err);
}

#[tokio::test]
async fn what_is_no_repository_is_refused() {
    // DOC-11: an error is 2, as the design has it; 1 is a run that left something open
    let place = repository();
    let told = done(place.graph(["run", "doc-phases", "nowhere"])).await.exits(2);
    assert!(told.err.starts_with("error: ") && told.err.contains("hint: "), "{}", told.err);
    done(place.graph(["run", "doc-phases", "repo/Cargo.toml"])).await.exits(2);
    let told = done(place.graph(["run", "doc-phases", "repo", "--resume", "--update"])).await.exits(2);
    assert!(
        told.err.starts_with("error: `--resume` and `--update` cannot be used together\n"),
        "{}",
        told.err
    );
    done(place.graph(["run", "doc-phases", "repo", "-m", "nobody/x", "-k", "sk-x"])).await.exits(2);
}
