//! The picture of the crates in ARCHITECTURE.md is what their manifests say. `UPDATE=1` draws it again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use stategraph::engine::{Draw as _, EdgeKind, Topology, TopologyEdge, TopologyNode};

use super::tidy::root;

/// What a crate uses, by its name in `crates/`; the root package is `programs`.
type Uses = BTreeMap<String, BTreeSet<String>>;

const ROOT: &str = "programs";

fn uses() -> Uses {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let crates = folders.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    // Helpers of tests are no layer.
    let crates = crates.filter(|(name, _)| name != "testing").chain([(ROOT.to_owned(), root())]);
    let used = |manifest: String| {
        let from = manifest.find("\n[dependencies]").expect("it has dependencies");
        let published = manifest[from..].split("[dev-dependencies]").next().unwrap_or_default().to_owned();
        let ours = published.lines().filter_map(|line| line.strip_prefix("stategraph-"));
        ours.map(|rest| rest.split(['.', ' ']).next().unwrap_or_default().to_owned()).collect()
    };
    crates.map(|(name, path)| (name, used(fs::read_to_string(path.join("Cargo.toml")).unwrap()))).collect()
}

/// Everything that a crate uses through others.
fn reached(uses: &Uses, name: &str) -> BTreeSet<String> {
    let direct = &uses[name];
    direct.iter().flat_map(|used| reached(uses, used).into_iter().chain([used.clone()])).collect()
}

/// The crates, and an edge to each that is not used through another anyway.
fn topology() -> Topology {
    let uses = uses();
    let about = |name: &str| {
        let path = if name == ROOT { root() } else { root().join("crates").join(name) };
        let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap();
        let line = manifest.lines().find_map(|line| line.strip_prefix("description = "));
        line.expect("it says what it is")
            .trim_matches('"')
            .replace(" of stategraph", "")
            .replace(", for stategraph", "")
    };
    let node = |name: &String| TopologyNode { name: name.as_str().into(), about: about(name), inner: None };
    let edges = uses.iter().flat_map(|(name, used)| {
        let through: BTreeSet<String> = used.iter().flat_map(|other| reached(&uses, other)).collect();
        let own = used.iter().filter(move |other| !through.contains(*other));
        own.map(|other| TopologyEdge {
            from: name.as_str().into(),
            to: other.as_str().into(),
            kind: EdgeKind::Static,
        })
    });
    Topology {
        name: "crates".into(),
        about: String::new(),
        nodes: uses.keys().map(node).collect(),
        edges: edges.collect(),
    }
}

#[test]
fn the_picture_of_the_crates_is_what_their_manifests_say() {
    let (drawn, file) = (topology().svg(), root().join("docs/crates.svg"));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &drawn).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), drawn, "UPDATE=1 draws it again");
}
