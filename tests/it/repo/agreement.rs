//! Outlines against another program that reads the same files: what universal-ctags finds, outlines find, on the same lines,
//! and the other way round.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use stategraph::repo::{Language, SymbolKind, outline};

/// The least share of definitions that both must name on the same line.
const AGREED: f64 = 0.98;

/// Name and line.
type Definitions = BTreeSet<(String, usize)>;

/// Whether `ctags` can be run. Where everything must be installed its absence is a failure; elsewhere it is said.
fn has_ctags() -> bool {
    let version = Command::new("ctags").arg("--version").output();
    let found = version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("Universal Ctags"));
    assert!(
        found || std::env::var_os("CI").is_none(),
        "universal-ctags is missing: apt-get install universal-ctags"
    );
    if !found {
        eprintln!("not run: universal-ctags is not installed");
    }
    found
}

/// What ctags finds, by file. `kinds` are the letters of its kinds for this language.
fn ctags(files: &[PathBuf], language: &str, kinds: &str) -> BTreeMap<PathBuf, Definitions> {
    let list: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("files");
    std::fs::write(&names, list).unwrap();
    let said = Command::new("ctags")
        .args([
            "--options=NONE",
            "--output-format=xref",
            "--_xformat=%{name}\t%{line}\t%{input}",
            "--sort=no",
        ])
        .arg(format!("--language-force={language}"))
        .arg(format!("--kinds-{language}={kinds}"))
        .arg("-L")
        .arg(&names)
        .output()
        .unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let mut found: BTreeMap<PathBuf, Definitions> = BTreeMap::new();
    for line in String::from_utf8_lossy(&said.stdout).lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [name, line, file] = parts[..] else { panic!("{line}") };
        found.entry(file.into()).or_default().insert((plain(name), line.parse().unwrap()));
    }
    found
}

/// `a::C::m`, `impl<T> Tr for P<T>` and `~C` by their last names.
fn plain(name: &str) -> String {
    let last = name.rsplit("::").next().unwrap_or(name);
    last.trim_start_matches('#').to_owned()
}

fn ours(path: &Path, counts: impl Fn(SymbolKind) -> bool) -> Definitions {
    let text = std::fs::read_to_string(path).unwrap();
    let file = outline(Language::of(path, &text).unwrap(), "x", &text);
    assert_eq!(file.gaps.bytes, 0, "{}", path.display());
    file.walk()
        .filter(|(_, symbol)| counts(symbol.kind))
        .map(|(_, symbol)| (plain(&symbol.name), symbol.name_line))
        .collect()
}

/// Files below a folder with this ending, sorted, at most `most`.
fn files(folder: &Path, ending: &str, most: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != "node_modules" => folders.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|found| found == ending) => {
                    found.push(path)
                }
                _ => {}
            }
        }
    }
    found.retain(|path| std::fs::read_to_string(path).is_ok_and(|text| text.len() < 500_000));
    found.sort();
    found.truncate(most);
    found
}

/// Compares both on all files, in both directions.
fn agree(files: &[PathBuf], language: &str, kinds: &str, counts: impl Fn(SymbolKind) -> bool + Copy) {
    assert!(files.len() >= 20, "only {} files of {language}", files.len());
    let theirs = ctags(files, language, kinds);
    let (mut both, mut only_theirs, mut only_ours) = (0, Vec::new(), Vec::new());
    for file in files {
        let nothing = Definitions::new();
        let (theirs, ours) = (theirs.get(file).unwrap_or(&nothing), ours(file, counts));
        both += theirs.intersection(&ours).count();
        let at = |(name, line): &(String, usize)| format!("{}:{line}: {name}", file.display());
        only_theirs.extend(theirs.difference(&ours).map(at));
        only_ours.extend(ours.difference(theirs).map(at));
    }
    #[allow(clippy::cast_precision_loss, reason = "counts of definitions")]
    let share = |rest: usize| both as f64 / (both + rest) as f64;
    let (found, right) = (share(only_theirs.len()), share(only_ours.len()));
    eprintln!("{language}: {} files, {both} agreed, {found:.4} of theirs, {right:.4} of ours", files.len());
    let few = |list: &[String]| {
        list.iter().step_by(list.len().div_ceil(40).max(1)).cloned().collect::<Vec<_>>().join("\n  ")
    };
    assert!(
        found >= AGREED && right >= AGREED,
        "{language}: of theirs {found:.4}, of ours {right:.4}\nonly theirs ({}):\n  {}\nonly ours ({}):\n  {}",
        only_theirs.len(),
        few(&only_theirs),
        only_ours.len(),
        few(&only_ours),
    );
}

fn scratch(lang: Language) {
    let reg = files(Path::new("/root/.cargo/registry/src"), "x", 1);
}
#[test]
fn rust() {
    if has_ctags() {
        agree(&files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "rs", 1000), "Rust", "*", |_| true);
    }
}
#[test]
fn python() {
    if has_ctags() {
        agree(&files(Path::new("/usr/lib/python3.11"), "py", 1000), "Python", "*", |_| true);
    }
}
#[test]
fn c() {
    if has_ctags() {
        let mut f = files(&glob("tree-sitter-0.27"), "c", 1000);
        f.extend(files(&glob("tree-sitter-0.27"), "h", 1000));
        f.extend(files(&glob("ring-0"), "c", 1000));
        agree(&f, "C", "+p", |_| true);
    }
}
#[test]
fn js() {
    if has_ctags() {
        agree(&files(Path::new("/usr/share/nodejs"), "js", 400), "JavaScript", "*", |_| true);
    }
}
fn glob(p: &str) -> PathBuf {
    for r in std::fs::read_dir("/root/.cargo/registry/src").unwrap() {
        for d in std::fs::read_dir(r.unwrap().path()).unwrap() {
            let d = d.unwrap().path();
            if d.file_name().unwrap().to_str().unwrap().starts_with(p) {
                return d;
            }
        }
    }
    panic!()
}
