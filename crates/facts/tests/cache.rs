//! The cache on disk: facts are the same with it and without it, whatever its files hold.

#![allow(clippy::format_collect, reason = "the texts of tests are short")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stategraph_facts::{Facts, FactsCache};
use stategraph_repo::{CodeBase, Root};
use stategraph_testing::tree;

fn files() -> Vec<(String, String)> {
    let file = |number: usize| {
        let next = (number + 1) % 20;
        let text = format!(
            "//! Part {number} of the whole.\n\nuse crate::part{next}::Part{next};\n\n/// A part with a number.\npub struct Part{number}(Part{next});\n"
        );
        (format!("src/part{number}.rs"), text)
    };
    let root: String = (0..20).map(|number| format!("mod part{number};\n")).collect();
    let manifest = ("Cargo.toml".to_owned(), "[package]\nname = \"parts\"\n".to_owned());
    (0..20).map(file).chain([manifest, ("src/lib.rs".to_owned(), root)]).collect()
}

struct Fixture {
    _home: tempfile::TempDir,
    repository: PathBuf,
    folder: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        let files = files();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (home, repository) = tree(&files);
        let folder = home.path().join("cache/facts");
        Self { _home: home, repository, folder }
    }

    fn code(&self) -> CodeBase {
        CodeBase::new(Arc::new(Root::open(&self.repository).expect("a folder")))
    }

    fn cached(&self) -> Facts {
        Facts::collect_cached(&self.code(), &FactsCache::at(&self.folder))
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        found.sort();
        found
    }

    #[track_caller]
    fn pack(&self) -> PathBuf {
        let mut files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    /// Checks that the facts with the cache are those without it.
    #[track_caller]
    fn check(&self) {
        assert_eq!(self.cached(), Facts::collect(&self.code()));
    }
}

#[test]
fn facts_are_the_same_with_a_cold_a_warm_and_an_outdated_cache() {
    let fixture = Fixture::new();
    fixture.check();
    let written = fs::read(fixture.pack()).expect("a pack");
    fixture.check();
    assert_eq!(fs::read(fixture.pack()).expect("a pack"), written, "a warm run writes nothing");
    fs::write(fixture.repository.join("src/part3.rs"), "/// Other words here.\npub struct Part3;\n")
        .expect("a file");
    fs::remove_file(fixture.repository.join("src/part4.rs")).expect("a file");
    fs::write(fixture.repository.join("src/part20.rs"), "pub struct Part20;\n").expect("a file");
    fixture.check();
    assert_ne!(fs::read(fixture.pack()).expect("a pack"), written);
    fixture.check();
}

#[test]
fn content_counts_and_neither_time_nor_size() {
    let fixture = Fixture::new();
    fixture.check();
    let path = fixture.repository.join("src/part7.rs");
    let (old, time) = (
        fs::read_to_string(&path).expect("text"),
        fs::metadata(&path).and_then(|it| it.modified()).expect("a time"),
    );
    fs::write(&path, old.replace("A part with a number", "A part with a letter")).expect("a file");
    fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(time)).expect("a time");
    fixture.check();
    assert!(fixture.cached().iter().any(|fact| format!("{fact:?}").contains("with a letter")));
}

#[test]
fn a_damaged_foreign_or_unwritable_cache_costs_time_only() {
    let fixture = Fixture::new();
    fixture.check();
    let pack = fixture.pack();
    let good = fs::read(&pack).expect("a pack");
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0xff;
        bytes
    };
    let end = good.len();
    let mut damaged: Vec<Vec<u8>> = vec![
        Vec::new(),
        vec![0; 10],
        b"not a pack at all".repeat(100),
        good[..end / 2].to_vec(),
        good[1..].to_vec(),
    ];
    damaged.extend([0, 1, end / 3, end / 2, end - 60, end - 40, end - 30, end - 1].map(flipped));
    for bytes in damaged {
        fs::write(&pack, &bytes).expect("a file");
        fixture.check();
        assert!(fs::read(&pack).expect("a pack").len() >= good.len() / 2, "it was written again");
    }
    fs::remove_file(&pack).expect("a file");
    fs::create_dir(&pack).expect("a folder in its place");
    fixture.check();
    fs::remove_dir_all(&fixture.folder).expect("a folder");
    fs::write(&fixture.folder, "a file in its place").expect("a file");
    fixture.check();
}

#[test]
fn the_cache_is_private_and_never_inside_the_code_base() {
    let fixture = Fixture::new();
    fixture.check();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!((mode(&fixture.pack()), mode(&fixture.folder)), (0o600, 0o700));
    }
    let inside = fixture.repository.join("cache");
    let facts = Facts::collect_cached(&fixture.code(), &FactsCache::at(&inside));
    assert_eq!(facts, Facts::collect(&fixture.code()));
    assert!(!inside.exists(), "no cache inside");
}

#[test]
fn the_packs_that_were_not_used_for_the_longest_time_are_removed() {
    let first = Fixture::new();
    first.check();
    let bytes = fs::metadata(first.pack()).expect("a pack").len();
    let old = first.pack();
    fs::File::options()
        .append(true)
        .open(&old)
        .and_then(|file| file.set_modified(std::time::UNIX_EPOCH))
        .expect("a time");
    let second = Fixture { folder: first.folder.clone(), ..Fixture::new() };
    let third = Fixture { folder: first.folder.clone(), ..Fixture::new() };
    let collect = |fixture: &Fixture| {
        Facts::collect_cached(&fixture.code(), &FactsCache::at(&fixture.folder).bytes(bytes * 5 / 2))
    };
    collect(&second);
    assert_eq!(first.files().len(), 2);
    collect(&third);
    assert!(first.files().len() == 2 && !old.exists(), "{:?}", first.files());
    let small = FactsCache::at(&first.folder).bytes(100);
    assert_eq!(Facts::collect_cached(&first.code(), &small), Facts::collect(&first.code()));
    let left: u64 = first.files().iter().map(|path| fs::metadata(path).expect("a file").len()).sum();
    assert!(left <= bytes * 5 / 2, "{left}");
}

#[test]
fn two_runs_at_once_leave_one_whole_pack() {
    let fixture = Fixture::new();
    let whole = Facts::collect(&fixture.code());
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| fixture.cached())).collect();
        for run in runs {
            assert_eq!(run.join().expect("no panic"), whole);
        }
    });
    fixture.pack();
    fixture.check();
}

#[test]
fn the_folder_of_the_cache_is_that_of_the_user() {
    let of = |vars: &[(&str, &str)]| {
        let vars: Vec<(String, String)> =
            vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        FactsCache::of_user(|name| {
            vars.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        })
    };
    let at = |folder: &str| Some(FactsCache::at(folder));
    assert_eq!(of(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]), at("/c/stategraph/facts"));
    if cfg!(target_os = "linux") {
        assert_eq!(of(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]), at("/h/.cache/stategraph/facts"));
    }
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[("XDG_CACHE_HOME", "/c"), ("STATEGRAPH_CACHE_MB", "0")]), None);
    let one = FactsCache::at("/c/stategraph/facts").bytes(1024 * 1024);
    assert_eq!(of(&[("XDG_CACHE_HOME", "/c"), ("STATEGRAPH_CACHE_MB", "1")]), Some(one));
}
