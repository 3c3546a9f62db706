//! What reading a code base costs: a search against `rg` on the same tree and pattern, and a walk with the outlines of 2,000 source
//! files, cold and from the cache, with the memory that it takes. `cargo bench --bench repo --features outline`

#![allow(clippy::print_stdout, reason = "a bench says what it measured")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stategraph::repo::{Case, CodeBase, Files, Root, Search, WalkLimits, search};

const FILES: usize = 2_000;
const ROUNDS: usize = 15;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = grow(folder.path());
    println!("{FILES} files, {:.1} MB", mega(bytes));
    let root = Root::open(folder.path()).expect("it was just made");
    outlines(&root);
    for pattern in ["fn [a-z]+_limit", "Arc<", "no_such_name_anywhere"] {
        against_ripgrep(&root, folder.path(), pattern);
    }
}

/// 2,000 files of Rust, in the sizes that this repository's have: its own, each with a line of its own at the end.
fn grow(folder: &Path) -> u64 {
    let mut sources = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut sources);
    sources.sort();
    let mut bytes = 0;
    for number in 0..FILES {
        let text = fs::read_to_string(&sources[number % sources.len()]).expect("a source file is text");
        let text = format!("{text}\nconst COPY: usize = {number};\n");
        let place = folder.join(format!("part{}", number / 100));
        fs::create_dir_all(&place).expect("a folder");
        fs::write(place.join(format!("file{number}.rs")), &text).expect("a file");
        bytes += text.len() as u64;
    }
    bytes
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn outlines(root: &Root) {
    let code = CodeBase::new(Arc::new(root.clone()));
    let before = resident();
    let look = || {
        let began = Instant::now();
        let all = code.outlines(&root.walk(WalkLimits::default()));
        let symbols: usize = all.iter().map(|file| file.walk().count()).sum();
        (began.elapsed(), all.len(), symbols)
    };
    let (cold, files, symbols) = look();
    let (again, ..) = look();
    println!(
        "walk + outline: {files} files, {symbols} symbols, {} ms; again {} ms; memory {:.0} MB before, {:.0} MB at most",
        cold.as_millis(),
        again.as_millis(),
        mega(before),
        mega(peak())
    );
}

fn against_ripgrep(root: &Root, folder: &Path, pattern: &str) {
    let request = Search { case: Case::Sensitive, limit: usize::MAX, ..Search::new(pattern) };
    let mut lines = 0;
    let ours = median(|| lines = search(root, &request).expect("a valid pattern").lines);
    let Ok(said) = Command::new("rg").args(["--no-config", "-c", pattern]).current_dir(folder).output()
    else {
        return println!(
            "search `{pattern}`: {lines} lines, {} µs (no `rg` to compare with)",
            ours.as_micros()
        );
    };
    let counts = String::from_utf8_lossy(&said.stdout)
        .lines()
        .filter_map(|line| line.rsplit(':').next()?.parse::<usize>().ok())
        .sum::<usize>();
    assert_eq!(lines, counts, "both find the same lines");
    let theirs = median(|| {
        let ran = Command::new("rg").args(["--no-config", "-n", pattern]).current_dir(folder).output();
        ran.expect("it ran before");
    });
    let factor = ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "search `{pattern}`: {lines} lines, {} µs; rg {} µs; {factor:.2} of it",
        ours.as_micros(),
        theirs.as_micros()
    );
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut took: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed()
        })
        .collect();
    took.sort();
    took[ROUNDS / 2]
}

fn status(key: &str) -> u64 {
    let said = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = said.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn resident() -> u64 {
    status("VmRSS:")
}

fn peak() -> u64 {
    status("VmHWM:")
}

#[allow(clippy::cast_precision_loss, reason = "megabytes for people")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
