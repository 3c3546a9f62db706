//! Outlines against another program that reads the same files: what universal-ctags finds, outlines find, on the same lines,
//! and the other way round.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use stategraph_repo::{Language, SymbolInfo, SymbolKind, outline};

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

fn ours(path: &Path, counts: impl Fn(&SymbolInfo, Option<SymbolKind>) -> bool) -> Definitions {
    let text = std::fs::read_to_string(path).unwrap();
    let file = outline(Language::of(path, &text).unwrap(), "x", &text);
    assert_eq!(file.gaps.bytes, 0, "{}", path.display());
    let mut found = Definitions::new();
    let mut left: Vec<(&SymbolInfo, Option<SymbolKind>)> =
        file.symbols.iter().map(|symbol| (symbol, None)).collect();
    while let Some((symbol, parent)) = left.pop() {
        if counts(symbol, parent) {
            found.insert((plain(&symbol.name), symbol.name_line));
        }
        left.extend(symbol.children.iter().map(|child| (child, Some(symbol.kind))));
    }
    found
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
                    found.push(path);
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
fn agree(
    files: &[PathBuf],
    language: &str,
    kinds: &str,
    means: impl Fn(&str) -> bool,
    counts: impl Fn(&SymbolInfo, Option<SymbolKind>) -> bool + Copy,
) {
    assert!(files.len() >= 20, "only {} files of {language}", files.len());
    let theirs = ctags(files, language, kinds);
    let (mut both, mut only_theirs, mut only_ours) = (0, Vec::new(), Vec::new());
    for file in files {
        let nothing = Definitions::new();
        let theirs =
            theirs.get(file).unwrap_or(&nothing).iter().filter(|(name, _)| means(name)).cloned().collect();
        let ours = ours(file, counts);
        both += Definitions::intersection(&theirs, &ours).count();
        let at = |(name, line): &(String, usize)| format!("{}:{line}: {name}", file.display());
        only_theirs.extend(Definitions::difference(&theirs, &ours).map(at));
        only_ours.extend(ours.difference(&theirs).map(at));
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

/// Sources of a crate that this one is built from, where cargo keeps them.
fn crate_sources(name: &str) -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"));
    let indexes = std::fs::read_dir(home.join("registry/src")).unwrap().flatten();
    let crates = indexes.flat_map(|index| std::fs::read_dir(index.path()).unwrap().flatten());
    let found = crates.map(|entry| entry.path()).filter(|path| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with("-0."))
    });
    found.max().unwrap_or_else(|| panic!("the sources of {name}"))
}

#[test]
fn rust_outlines_agree_with_ctags() {
    // CTX-49, 52
    if !has_ctags() {
        return;
    }
    let mut files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), "rs", usize::MAX);
    files.retain(|path| path.components().any(|part| part.as_os_str() == "src"));
    // This ctags knows no constants and no fields of variants, and takes the `str` of `&'static str` for a static.
    agree(
        &files,
        "Rust",
        "*",
        |name| name != "str",
        |symbol, parent| match symbol.kind {
            SymbolKind::Variable => symbol.signature.contains("static "),
            SymbolKind::Field => parent != Some(SymbolKind::Variant) && !symbol.signature.contains("const "),
            _ => true,
        },
    );
}

#[test]
fn python_outlines_agree_with_ctags() {
    // CTX-49, 52
    if !has_ctags() {
        return;
    }
    let script = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let said = Command::new("python3").args(["-c", script]).output().expect("python3 runs");
    let library = PathBuf::from(String::from_utf8(said.stdout).unwrap().trim());
    let mut files = files(&library, "py", usize::MAX);
    let own = |path: &PathBuf| {
        let below = path.strip_prefix(&library).unwrap();
        !below.starts_with("site-packages") && !below.starts_with("test")
    };
    files.retain(own);
    // This ctags knows no names without a value (`x: int`) and none of several at once (`a, b = 1, 2`).
    agree(
        &files,
        "Python",
        "cfmv",
        |name| !name.starts_with("anonFunc"),
        |symbol, _| {
            let names = symbol.signature.split('=').next().unwrap_or_default();
            let has_value = symbol.signature.contains('=') || !names.contains(':');
            !symbol.kind.is_value() || has_value && !names.contains(',')
        },
    );
}

#[test]
fn c_outlines_agree_with_ctags() {
    // CTX-49, 52
    if !has_ctags() {
        return;
    }
    let sources = [crate_sources("tree-sitter"), crate_sources("ring")];
    let all: Vec<PathBuf> = sources
        .iter()
        .flat_map(|at| ["c", "h"].map(|ending| files(at, ending, usize::MAX)))
        .flatten()
        .collect();
    agree(&all, "C", "defgmpstuv", |name| !name.starts_with("__anon"), |_, _| true);
}

#[test]
fn javascript_outlines_agree_with_ctags() {
    // CTX-49, 52
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/real/node_modules");
    assert!(
        place.is_dir() || std::env::var_os("CI").is_none(),
        "npm install --prefix tests/real was not run"
    );
    if !place.is_dir() || !has_ctags() {
        return;
    }
    let all = files(&place.join("es-toolkit/dist"), "mjs", 400);
    let is_function =
        |symbol: &SymbolInfo| symbol.kind == SymbolKind::Function && symbol.signature.contains("function");
    agree(&all, "JavaScript", "fg", |name| !name.starts_with("Anonymous"), |symbol, _| is_function(symbol));
}
