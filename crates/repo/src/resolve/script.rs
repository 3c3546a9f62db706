//! Modules of JavaScript and TypeScript: relative paths, `paths` and `baseUrl` of `tsconfig.json`, and packages of a workspace by name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use globset::{Glob, GlobSet, GlobSetBuilder};
use serde_json::{Map, Value};

use super::libraries::NODE_LIBRARY;
use super::{ancestors, join, split};

/// Maximum length of a chain of `extends`, and of configurations in one list.
const EXTENDS: usize = 8;
/// Maximum number of patterns in one configuration.
const PATTERNS: usize = 500;
/// Maximum nesting of conditions in `exports`.
const CONDITIONS: usize = 6;

/// Returns true for the name of a file that defines module names, such as `tsconfig.json` or `package.json`.
pub(super) fn is_configuration(name: &str) -> bool {
    let is_compiler = (name.starts_with("tsconfig") && has_json_ending(name)) || name == "jsconfig.json";
    is_compiler || matches!(name, "package.json" | "pnpm-workspace.yaml" | "lerna.json")
}

fn has_json_ending(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "json")
}

/// The module names that configurations of a tree define, for imports that are not relative paths.
#[derive(Debug, Default)]
pub(super) struct ScriptNames {
    /// The compiler options by the folder of their `tsconfig.json`.
    compilers: BTreeMap<String, Compiler>,
    /// Packages of workspaces by name; others by a key of their folder that only their own files use.
    packages: HashMap<String, ScriptPackage>,
    /// Names of packages by folder.
    names: BTreeMap<String, String>,
}

/// The options of a `tsconfig.json` that define module names.
#[derive(Clone, Debug, Default)]
struct Compiler {
    /// The folder that `baseUrl` names.
    base: Option<String>,
    /// Patterns of `paths` with their targets relative to the root; names before patterns, longer patterns
    /// first.
    paths: Vec<(String, Vec<String>)>,
}

/// A package of JavaScript in the tree: its folder, and the files that it offers by subpath.
#[derive(Debug)]
struct ScriptPackage {
    folder: String,
    /// Targets of `exports`, `source`, `module`, `main` and `types`, by subpath: `.`, `./sub`, `./*`.
    entries: Vec<(String, Vec<String>)>,
}

impl ScriptNames {
    /// Reads the configurations of a tree, given as texts by path.
    pub(super) fn new(texts: &BTreeMap<String, String>) -> Self {
        let json = |path: &str| -> Option<Map<String, Value>> {
            serde_json::from_str(&without_comments(texts.get(path)?)).ok()
        };
        let mut found = Self::default();
        let mut packages: Vec<(String, Map<String, Value>)> = Vec::new();
        let mut members: Vec<(String, GlobSet)> = Vec::new();
        for (path, text) in texts {
            let (folder, name) = split(path);
            match name {
                "package.json" => {
                    let Some(root) = json(path) else { continue };
                    members
                        .extend(workspaces(&root).and_then(|globs| Some((folder.to_owned(), set(&globs)?))));
                    packages.push((folder.to_owned(), root));
                }
                "lerna.json" => {
                    let globs = json(path).map(|root| strings(root.get("packages")));
                    members.extend(globs.and_then(|globs| Some((folder.to_owned(), set(&globs)?))));
                }
                "pnpm-workspace.yaml" => {
                    members.extend(set(&pnpm_members(text)).map(|set| (folder.to_owned(), set)));
                }
                "tsconfig.json" | "jsconfig.json" => {
                    let compiler = compiler(path, &json, EXTENDS);
                    found.compilers.entry(folder.to_owned()).or_insert(compiler);
                }
                _ => {}
            }
        }
        found.compilers.retain(|_, it| it.base.is_some() || !it.paths.is_empty());
        found.add_packages(packages, &members);
        found
    }

    fn add_packages(&mut self, packages: Vec<(String, Map<String, Value>)>, members: &[(String, GlobSet)]) {
        let mut twice = BTreeSet::new();
        for (folder, root) in packages {
            let Some(name) = root.get("name").and_then(Value::as_str).map(str::to_owned) else { continue };
            self.names.insert(folder.clone(), name.clone());
            let is_member = members.iter().any(|(root, globs)| {
                let below =
                    if root.is_empty() { Some(folder.as_str()) } else { folder.strip_prefix(root.as_str()) };
                below.is_some_and(|below| globs.is_match(below.trim_start_matches('/')))
            });
            let is_root = members.iter().any(|(root, _)| *root == folder);
            let entries = entries(&root);
            let known = if is_member || is_root {
                self.packages.insert(name.clone(), ScriptPackage { folder, entries })
            } else {
                // Only its own files may name it.
                self.packages
                    .entry(format!("\0{folder}"))
                    .or_insert(ScriptPackage { folder: folder.clone(), entries });
                None
            };
            if known.is_some() {
                twice.insert(name);
            }
        }
        for name in twice {
            self.packages.remove(&name);
        }
    }

    /// Returns the paths that a module name may mean in the file `from`, in order of preference; extensions
    /// may be missing. Empty for modules of Node.
    pub(super) fn candidates(&self, from: &str, target: &str) -> Vec<String> {
        let name = package_name(target);
        if target.starts_with("node:") || NODE_LIBRARY.binary_search(&name).is_ok() {
            return Vec::new();
        }
        let around = ancestors(split(from).0);
        let mut found = Vec::new();
        if let Some(compiler) = around.iter().find_map(|folder| self.compilers.get(folder)) {
            found.extend(compiler.candidates(target));
        }
        let own = around.iter().find_map(|folder| Some((folder, self.names.get(folder)?)));
        let own = own.filter(|(_, own)| *own == name).and_then(|(folder, _)| {
            self.packages
                .get(name)
                .filter(|it| it.folder == *folder)
                .or_else(|| self.packages.get(&format!("\0{folder}")))
        });
        if let Some(package) = own.or_else(|| self.packages.get(name)) {
            found.extend(package.candidates(target[name.len()..].trim_start_matches('/')));
        }
        found
    }
}

impl Compiler {
    fn candidates(&self, target: &str) -> Vec<String> {
        let mut found = Vec::new();
        // The first pattern that fits counts; a name is tried before patterns with a star.
        let fits = self.paths.iter().find_map(|(pattern, targets)| {
            let Some((start, end)) = pattern.split_once('*') else {
                return (pattern == target).then(|| (String::new(), targets));
            };
            let inside = target.strip_prefix(start)?.strip_suffix(end)?;
            Some((inside.to_owned(), targets))
        });
        if let Some((inside, targets)) = fits {
            found.extend(targets.iter().map(|target| target.replacen('*', &inside, 1)));
        }
        found.extend(self.base.as_ref().and_then(|base| join(base, target)));
        found
    }
}

impl ScriptPackage {
    /// Returns the paths that the subpath `sub` of the package may mean, in order of preference; `sub` is
    /// empty for the package itself.
    fn candidates(&self, sub: &str) -> Vec<String> {
        let wanted = if sub.is_empty() { ".".to_owned() } else { format!("./{sub}") };
        let mut found = Vec::new();
        for (pattern, targets) in &self.entries {
            let inside = match pattern.split_once('*') {
                Some((start, end)) => wanted.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)),
                None => (*pattern == wanted).then_some(""),
            };
            let Some(inside) = inside else { continue };
            for target in targets {
                found.extend(self.sources(&target.replacen('*', inside, 1)));
            }
        }
        if sub.is_empty() {
            found.extend(["src/index", "index"].iter().filter_map(|path| join(&self.folder, path)));
        } else {
            found.extend(
                [format!("src/{sub}"), sub.to_owned()].iter().filter_map(|path| join(&self.folder, path)),
            );
        }
        found
    }

    /// Returns the path of a package's entry, and those of the sources from which it may be built: `src/a` or
    /// `lib/a` for `dist/a.js`.
    fn sources(&self, entry: &str) -> Vec<String> {
        let entry = entry.trim_start_matches("./");
        let mut found: Vec<String> = join(&self.folder, entry).into_iter().collect();
        let mut stem = entry;
        for end in [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".d"] {
            stem = stem.strip_suffix(end).unwrap_or(stem);
        }
        // A folder of outputs may have folders for kinds of modules: `dist/esm/a.js`.
        let mut rest = stem;
        while let Some((first, below)) = rest.split_once('/') {
            if !OUTPUTS.contains(&first) {
                break;
            }
            rest = below;
            found.extend(join(&self.folder, &format!("src/{rest}")));
            found.extend(join(&self.folder, &format!("lib/{rest}")));
        }
        found.extend(join(&self.folder, stem));
        found
    }
}

/// Names of folders that builds write to.
const OUTPUTS: &[&str] = &[
    "dist",
    "lib",
    "build",
    "out",
    "es",
    "esm",
    "cjs",
    "umd",
    "types",
    "typings",
    "module",
    "modern",
    "legacy",
    "commonjs",
    "production",
    "development",
    "_esm",
    "_cjs",
    "_types",
    "mjs",
    "bundles",
    "output",
];

/// Returns the package in a module name: `@a/b` of `@a/b/c`, `a` of `a/b`.
fn package_name(target: &str) -> &str {
    let count = if target.starts_with('@') { 2 } else { 1 };
    let end = target.match_indices('/').nth(count - 1).map_or(target.len(), |(at, _)| at);
    &target[..end]
}

/// Reads the options of the `tsconfig.json` at `path`, after those that it extends. `json` returns a
/// configuration by path; `depth` limits the chain.
fn compiler(path: &str, json: &dyn Fn(&str) -> Option<Map<String, Value>>, depth: usize) -> Compiler {
    let (Some(root), true) = (json(path), depth > 0) else { return Compiler::default() };
    let folder = split(path).0;
    let mut found = Compiler::default();
    let outer = match root.get("extends") {
        Some(Value::String(one)) => vec![one.clone()],
        many => strings(many),
    };
    for extended in outer.iter().filter(|it| it.starts_with('.')).take(EXTENDS) {
        let Some(base) = join(folder, extended) else { continue };
        let base = if has_json_ending(&base) { base } else { format!("{base}.json") };
        found.overlay(compiler(&base, json, depth - 1));
    }
    let options = root.get("compilerOptions").and_then(Value::as_object);
    let base = options.and_then(|it| it.get("baseUrl")?.as_str()).and_then(|base| join(folder, base));
    let around = base.clone().or_else(|| found.base.clone()).unwrap_or_else(|| folder.to_owned());
    let mut paths: Vec<(String, Vec<String>)> = Vec::new();
    for (pattern, targets) in
        options.and_then(|it| it.get("paths")?.as_object()).into_iter().flatten().take(PATTERNS)
    {
        let targets = strings(Some(targets));
        paths.push((pattern.clone(), targets.iter().filter_map(|target| join(&around, target)).collect()));
    }
    paths.sort_by_key(|(pattern, _)| (pattern.contains('*'), std::cmp::Reverse(pattern.len())));
    found.overlay(Compiler { base, paths });
    // A root that only refers to others: what those beside it say holds.
    if found.base.is_none() && found.paths.is_empty() {
        let references = root.get("references").and_then(Value::as_array);
        for reference in references.into_iter().flatten().take(EXTENDS) {
            let path = reference.get("path").and_then(Value::as_str).filter(|path| has_json_ending(path));
            if let Some(beside) = path.and_then(|path| join(folder, path)).filter(|it| split(it).0 == folder)
            {
                found.overlay(compiler(&beside, json, depth - 1));
            }
        }
    }
    found
}

impl Compiler {
    /// Replaces these options by those of `later`, as far as `later` sets them.
    fn overlay(&mut self, later: Self) {
        self.base = later.base.or(self.base.take());
        if !later.paths.is_empty() {
            self.paths = later.paths;
        }
    }
}

/// Returns the globs of the members of a workspace; `None` if the `package.json` defines none.
fn workspaces(root: &Map<String, Value>) -> Option<Vec<String>> {
    let globs = match root.get("workspaces")? {
        Value::Object(inner) => strings(inner.get("packages")),
        list => strings(Some(list)),
    };
    Some(globs)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|it| it.as_str().map(str::to_owned)).take(PATTERNS).collect()
}

fn set(globs: &[String]) -> Option<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for glob in globs.iter().filter(|glob| !glob.starts_with('!')) {
        let glob = glob.trim_start_matches("./").trim_end_matches('/');
        if let Ok(glob) = Glob::new(glob) {
            builder.add(glob);
        }
    }
    builder.build().ok()
}

/// Returns the globs in the list `packages` of a `pnpm-workspace.yaml`.
fn pnpm_members(text: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| !line.trim_end().starts_with("packages:"));
    lines.next();
    let entries = lines.take_while(|line| line.trim().is_empty() || line.starts_with([' ', '-', '#']));
    let entry = |line: &str| {
        let value = line.trim().strip_prefix('-')?.trim();
        let value = value.split(" #").next().unwrap_or(value).trim();
        Some(value.trim_matches(['"', '\'']).to_owned())
    };
    entries.filter_map(entry).take(PATTERNS).collect()
}

/// Returns the files that a package offers, by subpath: `.`, `./sub`, `./*`. They come from `exports`, then
/// `source`, `module`, `main` and types. Names come before patterns, and longer patterns first.
fn entries(root: &Map<String, Value>) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut whole = Vec::new();
    match root.get("exports") {
        Some(Value::Object(table)) if table.keys().any(|key| key.starts_with('.')) => {
            for (sub, value) in table.iter().take(PATTERNS) {
                let mut targets = Vec::new();
                targets_of(value, CONDITIONS, &mut targets);
                found.push((sub.clone(), targets));
            }
        }
        Some(value) => targets_of(value, CONDITIONS, &mut whole),
        None => {}
    }
    for key in ["source", "module", "main", "types", "typings"] {
        whole.extend(root.get(key).and_then(Value::as_str).map(str::to_owned));
    }
    found.push((".".to_owned(), whole));
    // A name counts before a pattern, a longer pattern before a shorter one.
    found.sort_by_key(|(sub, _)| (sub.contains('*'), std::cmp::Reverse(sub.len())));
    found
}

/// Adds the files that an entry of `exports` names under any condition to `found`.
fn targets_of(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(path) if found.len() < PATTERNS => found.push(path.clone()),
        Value::Object(inner) if depth > 0 => {
            inner.values().for_each(|value| targets_of(value, depth - 1, found));
        }
        Value::Array(inner) if depth > 0 => {
            inner.iter().for_each(|value| targets_of(value, depth - 1, found));
        }
        _ => {}
    }
}

/// Returns JSON without the comments and trailing commas that `tsconfig.json` may have.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut is_string = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' if is_string => {
                kept.push(c);
                kept.extend(rest.next());
            }
            '"' => {
                is_string = !is_string;
                kept.push(c);
            }
            '/' if !is_string && rest.peek() == Some(&'/') => while rest.next_if(|c| *c != '\n').is_some() {},
            '/' if !is_string && rest.peek() == Some(&'*') => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' if !is_string => {
                let end = kept.trim_end().len();
                if kept[..end].ends_with(',') {
                    kept.truncate(end - 1);
                }
                kept.push(c);
            }
            _ => kept.push(c),
        }
    }
    kept
}
