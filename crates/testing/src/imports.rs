//! Finds circles of imports between the source files of a crate. It reads tokens instead of syntax trees: enough for `use` statements and
//! paths, blind to names that macros make.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

/// The path of a module in its crate: `["a", "b"]` for `a/b.rs`; empty for `lib.rs`.
type Module = Vec<String>;

/// The names that a source file defines, imports and uses.
#[derive(Default)]
struct SourceFile {
    /// Path of the file below the source folder.
    name: String,
    /// Names of the items that the file defines.
    items: BTreeSet<String>,
    /// Imported names with the paths that `use` statements give them.
    imports: BTreeMap<String, NameImport>,
    /// Paths of glob imports.
    globs: Vec<Vec<String>>,
    /// Paths in the code outside `use` statements; a single identifier is a path, too.
    paths: BTreeSet<Vec<String>>,
}

/// One name of a `use` statement.
struct NameImport {
    path: Vec<String>,
    is_reexport: bool,
}

/// Returns the shortest circle of imports between the files of a source folder, or `None` if there is none. A
/// circle is shown as `a.rs -> b.rs (Name) -> a.rs (Other)`; each step names one of the imported items.
///
/// An import leads to the file that defines the name: re-exports are followed, and are no imports themselves.
///
/// # Panics
/// If the folder cannot be read.
pub fn import_circle(src: &Path) -> Option<String> {
    let mut files = BTreeMap::new();
    read_folder(src, src, &mut files);
    let edges: BTreeMap<&Module, BTreeMap<Module, String>> =
        files.iter().map(|(module, file)| (module, imports_of(module, file, &files))).collect();
    let circles = files.keys().filter_map(|start| shortest_circle(start, &edges));
    let circle = circles.min_by_key(Vec::len)?;
    let steps = circle.iter().map(|(module, name)| match name.as_str() {
        "" => files[module].name.clone(),
        name => format!("{} ({name})", files[module].name),
    });
    Some(steps.collect::<Vec<_>>().join(" -> "))
}

/// Parses all source files below `folder` and adds them to `files` by module path.
fn read_folder(root: &Path, folder: &Path, files: &mut BTreeMap<Module, SourceFile>) {
    for entry in fs::read_dir(folder).expect("the source folder is readable") {
        let path = entry.expect("the source folder is readable").path();
        if path.is_dir() {
            read_folder(root, &path, files);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let relative = path.strip_prefix(root).expect("it is below the root");
            let mut module: Module =
                relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| last == "mod" || last == "lib") {
                module.pop();
            }
            let text = fs::read_to_string(&path).expect("a source file is text");
            files.insert(module, SourceFile::parse(relative.display().to_string(), &text));
        }
    }
}

impl SourceFile {
    /// Collects the names in a source text, up to its module of tests.
    fn parse(name: String, text: &str) -> Self {
        let tokens = tokens(text);
        let mut file = Self { name, ..Self::default() };
        let (mut at, mut is_public) = (0, false);
        while at < tokens.len() {
            match tokens[at].as_str() {
                // Tests inside a file may import everything.
                "#" if tokens[at..].starts_with(&TEST_MODULE.map(str::to_owned)) => break,
                "pub" => {
                    is_public = true;
                    at += 1;
                    if tokens.get(at).is_some_and(|token| token == "(") {
                        at += tokens[at..].iter().position(|token| token == ")").unwrap_or(0) + 1;
                    }
                    continue;
                }
                "use" => {
                    let end = at + tokens[at..].iter().position(|token| token == ";").unwrap_or(0);
                    file.import(&tokens[at + 1..end], &[], is_public);
                    at = end;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "mod" => {
                    file.items.extend(tokens.get(at + 1).cloned());
                }
                token if is_identifier(token) => {
                    let mut path = vec![token.to_owned()];
                    while tokens.get(at + 1).is_some_and(|token| token == "::")
                        && tokens.get(at + 2).is_some_and(|token| is_identifier(token))
                    {
                        path.push(tokens[at + 2].clone());
                        at += 2;
                    }
                    file.paths.insert(path);
                }
                _ => {}
            }
            is_public = false;
            at += 1;
        }
        file
    }

    /// Records the names of a `use` tree, given as tokens; `before` is the path in front of the tree.
    fn import(&mut self, tree: &[String], before: &[String], is_reexport: bool) {
        let mut path = before.to_vec();
        let mut at = 0;
        while at < tree.len() {
            match tree[at].as_str() {
                "::" => {}
                "{" => {
                    for part in split_list(&tree[at + 1..tree.len() - 1]) {
                        self.import(part, &path, is_reexport);
                    }
                    return;
                }
                "*" => return self.globs.push(path),
                "as" => break,
                part => path.push(part.to_owned()),
            }
            at += 1;
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let alias = tree.get(at + 1).or(path.last()).cloned();
        self.imports.extend(alias.map(|alias| (alias, NameImport { path, is_reexport })));
    }
}

/// The tokens with which a module of tests begins.
const TEST_MODULE: [&str; 8] = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];

/// Splits the tokens inside braces at the commas that are in no inner braces.
fn split_list(tokens: &[String]) -> Vec<&[String]> {
    let mut depth = 0;
    let parts = tokens.split(|token| {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && token == ","
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Returns true for a token that begins like an identifier.
fn is_identifier(token: &str) -> bool {
    token.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

/// Returns the identifiers, numbers and punctuation of a source text, without comments and text literals.
/// `::` is one token.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = literal(rest) {
            length
        } else if word > 0 {
            tokens.push(rest[..word].to_owned());
            word
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the length in bytes of the string or character literal at the beginning of `text`; `None` if there
/// is none. For a lifetime it is the length of the apostrophe.
fn literal(text: &str) -> Option<usize> {
    let bare = text.strip_prefix('b').unwrap_or(text);
    let prefix = text.len() - bare.len();
    if let Some(raw) = bare.strip_prefix('r').filter(|raw| raw.starts_with(['#', '"'])) {
        let hashes = raw.find('"')?;
        let end = format!("\"{}", &raw[..hashes]);
        return Some(prefix + 1 + hashes + 1 + raw[hashes + 1..].find(&end)? + end.len());
    }
    let quote = bare.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut is_escaped = false;
    for (at, c) in bare.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return Some(prefix + at + 1),
            // A lifetime has no closing quote.
            _ if quote == '\'' && at > 1 && !bare[1..].starts_with('\\') => return Some(1),
            _ => {}
        }
    }
    None
}

/// Returns the other files whose items a file uses, each with one of these items.
fn imports_of(
    module: &Module,
    file: &SourceFile,
    files: &BTreeMap<Module, SourceFile>,
) -> BTreeMap<Module, String> {
    let used: BTreeSet<&str> = file.paths.iter().map(|path| path[0].as_str()).collect();
    let imports = file.imports.iter();
    let imports = imports.filter(|(alias, import)| !import.is_reexport || used.contains(alias.as_str()));
    let imports = imports.map(|(_, import)| &import.path);
    let paths = file.paths.iter().filter(|path| path.len() > 1);
    let mut found = BTreeMap::new();
    for path in imports.chain(paths) {
        let resolved =
            absolute(module, file, path, files).and_then(|path| resolve(&path, files, &mut BTreeSet::new()));
        if let Some((target, name)) = resolved.filter(|(target, _)| target != module) {
            found.entry(target).or_insert(name);
        }
    }
    found
}

/// Returns a path as seen from the root of the crate, for a path used in `file`; `None` for a path into
/// another crate.
fn absolute(
    module: &Module,
    file: &SourceFile,
    path: &[String],
    files: &BTreeMap<Module, SourceFile>,
) -> Option<Vec<String>> {
    let child = |name: &String| [module.as_slice(), std::slice::from_ref(name)].concat();
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([module, rest].concat()),
        "super" => {
            let supers = path.iter().take_while(|part| *part == "super").count();
            let above = module.len().checked_sub(supers)?;
            Some([&module[..above], &path[supers..]].concat())
        }
        _ if files.contains_key(&child(first)) => Some([&child(first), rest].concat()),
        _ => {
            let import = file.imports.get(first).filter(|import| import.path.first() != Some(first))?;
            absolute(module, file, &[import.path.as_slice(), rest].concat(), files)
        }
    }
}

/// Returns the file that defines the item at the end of an absolute path, and the item's name, which is empty
/// for a module. `seen` has the paths already followed, so that circles of re-exports end.
fn resolve(
    path: &[String],
    files: &BTreeMap<Module, SourceFile>,
    seen: &mut BTreeSet<Vec<String>>,
) -> Option<(Module, String)> {
    if !seen.insert(path.to_vec()) {
        return None;
    }
    let depth = (0..=path.len()).rev().find(|depth| files.contains_key(&path[..*depth]))?;
    let (module, rest) = (path[..depth].to_vec(), &path[depth..]);
    let Some(name) = rest.first() else { return Some((module, String::new())) };
    let file = &files[&module];
    if file.items.contains(name) {
        return Some((module, name.clone()));
    }
    let follow = |target: &[String], seen: &mut BTreeSet<Vec<String>>| {
        resolve(&absolute(&module, file, target, files)?, files, seen)
    };
    if let Some(import) = file.imports.get(name) {
        return follow(&[import.path.as_slice(), &rest[1..]].concat(), seen);
    }
    file.globs.iter().find_map(|glob| follow(&[glob.as_slice(), rest].concat(), seen))
}

/// Returns the shortest circle that begins and ends at the file `start`; each step has the name that is
/// imported from that file.
fn shortest_circle(
    start: &Module,
    edges: &BTreeMap<&Module, BTreeMap<Module, String>>,
) -> Option<Vec<(Module, String)>> {
    let mut queue = VecDeque::from([vec![(start.clone(), String::new())]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = queue.pop_front() {
        let (last, _) = way.last()?;
        for (next, name) in edges.get(last).into_iter().flatten() {
            let longer = [way.as_slice(), &[(next.clone(), name.clone())]].concat();
            if next == start {
                return Some(longer);
            }
            if seen.insert(next) {
                queue.push_back(longer);
            }
        }
    }
    None
}
