//! Trees that change while facts are collected: a file that vanishes costs at most its own facts.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stategraph_facts::{Fact, Facts};
use stategraph_repo::{
    CodeBase, Files, Listing, MemoryFiles, PathError, ReadError, ReadProblem, RepoPath, Walk, WalkLimits,
};

const TREE: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\ndescription = \"Sells things to people\"\n\n[dependencies]\nserde = \"1\"\n",
    ),
    ("README.md", "# Shop\n\nShop sells things over HTTP.\n\n```sh\ncargo run -- --port 80\n```\n"),
    ("CONTRIBUTING.md", "Run the tests:\n\n```console\n$ cargo test --workspace\n```\n"),
    (".github/workflows/ci.yml", "on: push\njobs:\n  a:\n    steps:\n      - run: cargo clippy\n"),
    ("src/lib.rs", "//! Everything about the shop.\n\nmod order;\nmod money;\npub use order::Order;\n"),
    ("src/main.rs", "use shop::Order;\nfn main() { Order::new(); }\n"),
    (
        "src/order.rs",
        "//! Orders and their states.\n\nuse crate::money::Price;\n\n/// An order of one customer.\npub struct Order { price: Price }\n",
    ),
    ("src/money.rs", "//! Prices without fractions.\n\n/// A price in cents.\npub struct Price(u64);\n"),
    ("tests/it.rs", "use shop::Order;\n"),
    (
        "web/package.json",
        "{\"name\": \"web\", \"scripts\": {\"test\": \"vitest run\"}, \"dependencies\": {\"hono\": \"4\"}}\n",
    ),
    ("web/README.md", "# Web\n\nThe pages that customers of the shop see.\n"),
    ("web/app.ts", "import { cart } from './cart';\nexport const app = cart;\n"),
    ("web/cart.ts", "import { item } from './item';\nexport const cart = [item];\n"),
    ("web/item.ts", "/** A thing that is sold. */\nexport class Item {}\nexport const item = new Item();\n"),
    ("tools/run.py", "\"\"\"Runs the nightly jobs.\"\"\"\nfrom tools import jobs\n"),
    ("tools/jobs.py", "\"\"\"Jobs of the night.\"\"\"\nclass Job:\n    \"\"\"A job that runs once.\"\"\"\n"),
];

/// A tree from which one file vanishes at the n-th reading.
struct Vanishing {
    files: MemoryFiles,
    path: &'static str,
    at: usize,
    reads: AtomicUsize,
}

impl Vanishing {
    fn gone(&self, path: &RepoPath) -> Result<(), ReadError> {
        let is_gone = self.reads.load(Ordering::Relaxed) > self.at && path.to_string() == self.path;
        if is_gone {
            return Err(ReadError { path: path.to_string(), problem: ReadProblem::Missing });
        }
        Ok(())
    }
}

impl Files for Vanishing {
    fn repo_path(&self) -> &Path {
        self.files.repo_path()
    }

    fn path(&self, typed: &Path) -> Result<RepoPath, PathError> {
        self.files.path(typed)
    }

    fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
        self.gone(path)?;
        self.files.open(path)
    }

    fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
        self.gone(path)?;
        self.files.size(path)
    }

    fn read_text(&self, path: &RepoPath) -> Result<String, ReadError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.gone(path)?;
        self.files.read_text(path)
    }

    fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError> {
        self.files.entries(path)
    }

    fn walk(&self, limits: WalkLimits) -> Walk {
        self.files.walk(limits)
    }
}

fn collect(files: impl Files + 'static) -> Facts {
    Facts::collect(&CodeBase::new(Arc::new(files)))
}

/// Returns the facts that have nothing to do with a file.
fn rest(facts: &Facts, path: &str) -> Vec<String> {
    let json = |fact: &Fact| serde_json::to_string(fact).expect("a fact is plain data");
    facts.iter().map(json).filter(|fact| !fact.contains(path)).collect()
}

#[test]
fn a_file_that_vanishes_at_any_moment_costs_its_own_facts_only() {
    let whole = collect(MemoryFiles::new(TREE.iter().copied()));
    let mut seed = 0x9e37_79b9_u32;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    let (mut early, mut late) = (0, 0);
    for moment in 0..40 {
        let path = TREE[random(TREE.len())].0;
        let without = TREE.iter().copied().filter(|(other, _)| *other != path);
        let without = rest(&collect(MemoryFiles::new(without)), path);
        let at = random(2 * TREE.len());
        let files = MemoryFiles::new(TREE.iter().copied());
        let found = collect(Vanishing { files, path, at, reads: AtomicUsize::new(0) });
        let is_whole = rest(&found, path) == rest(&whole, path) || rest(&found, path) == without;
        assert!(is_whole, "moment {moment}: {path} vanished at reading {at}:\n{found:#?}");
        if found == whole {
            late += 1;
        } else {
            early += 1;
        }
    }
    assert!(early > 5 && late > 5, "{early} files vanished too early to be read, {late} too late");
}

#[test]
fn a_file_that_changes_after_its_first_reading_has_no_lines_of_the_new_text() {
    /// Prepends lines to a code file from its second reading on.
    struct Growing(MemoryFiles, AtomicUsize);
    impl Files for Growing {
        fn repo_path(&self) -> &Path {
            self.0.repo_path()
        }
        fn path(&self, typed: &Path) -> Result<RepoPath, PathError> {
            self.0.path(typed)
        }
        fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn Read + Send + 'a>, ReadError> {
            self.0.open(path)
        }
        fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
            self.0.size(path)
        }
        fn read_text(&self, path: &RepoPath) -> Result<String, ReadError> {
            let text = self.0.read_text(path)?;
            let is_later = path.to_string() == "src/order.rs" && self.1.fetch_add(1, Ordering::Relaxed) > 0;
            Ok(if is_later { format!("\n\n\n{text}") } else { text })
        }
        fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError> {
            self.0.entries(path)
        }
        fn walk(&self, limits: WalkLimits) -> Walk {
            self.0.walk(limits)
        }
    }
    let whole = collect(MemoryFiles::new(TREE.iter().copied()));
    let grown = collect(Growing(MemoryFiles::new(TREE.iter().copied()), AtomicUsize::new(0)));
    let known: Vec<&Fact> = whole.iter().collect();
    for fact in grown.iter() {
        assert!(known.contains(&fact), "{fact:?}");
    }
    assert_eq!(rest(&whole, "src/order.rs"), rest(&grown, "src/order.rs"));
}
