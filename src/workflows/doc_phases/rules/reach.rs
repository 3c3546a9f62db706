//! What a called name stands for in a file: something that the file defines, or something behind one of its imports. By the words of the
//! file alone; opens nothing, and says nothing where words do not tell.

use crate::repo::{FileOutline, Import, Language, SymbolInfo, SymbolKind};

/// Definition that a called name refers to: one in the same file, or one behind an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CalledDefinition {
    /// Import target as written in the import; `None` if the file itself defines the name.
    pub(super) target: Option<String>,
    /// Type that the definition belongs to, for a method.
    pub(super) of: Option<String>,
    /// Name of the definition.
    pub(super) name: String,
}

impl CalledDefinition {
    fn new(target: Option<String>, of: Option<&str>, name: &str) -> Self {
        Self { target, of: of.map(str::to_owned), name: name.to_owned() }
    }

    /// Returns the name for the steps of a flow, with its type: `Config::read`.
    pub(super) fn shown(&self) -> String {
        self.of.iter().chain([&self.name]).cloned().collect::<Vec<_>>().join("::")
    }
}

/// Resolves a called name in a file by the words of the file alone: its definitions and imports. `None` if
/// they do not determine it.
pub(super) fn reach(outline: &FileOutline, text: &str, name: &str) -> Option<CalledDefinition> {
    match outline.language {
        Language::Rust => rust(outline, name),
        Language::Python => python(outline, name),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(outline, text, name),
        Language::Go => go(outline, name),
        Language::Java => java(outline, name),
        _ => find(&outline.symbols, None, name).map(|_| CalledDefinition::new(None, None, name)),
    }
}

/// Returns the function or class `name` among the outermost definitions and those of modules; with `of`, the
/// method of that type.
pub(super) fn find<'s>(symbols: &'s [SymbolInfo], of: Option<&str>, name: &str) -> Option<&'s SymbolInfo> {
    symbols.iter().find_map(|symbol| match (symbol.kind, of) {
        (SymbolKind::Module | SymbolKind::Namespace, _) => find(&symbol.children, of, name),
        (kind, None) => {
            ((kind.is_callable() || kind == SymbolKind::Class) && symbol.name == name).then_some(symbol)
        }
        (_, Some(of)) if symbol.name == of || symbol.implementing_type() == of => {
            symbol.children.iter().find(|child| child.kind.is_callable() && child.name == name)
        }
        _ => None,
    })
}

fn here(outline: &FileOutline, of: Option<&str>, name: &str) -> Option<CalledDefinition> {
    find(&outline.symbols, of, name).map(|_| CalledDefinition::new(None, of, name))
}

/// Returns the import target whose last part is `name`; `None` without one. Imports with `as` are ignored.
fn imported<'o>(outline: &'o FileOutline, separator: &str, name: &str) -> Option<&'o str> {
    let plain = outline.imports.iter().filter(|import| !import.text.contains(" as "));
    let mut targets = plain.flat_map(|import| &import.targets);
    targets.find(|target| target.rsplit(separator).next() == Some(name)).map(String::as_str)
}

fn is_type(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Resolves `f`, `module::f` or `Type::f` in Rust; `None` for a method of a value, whose type is unknown.
fn rust(outline: &FileOutline, name: &str) -> Option<CalledDefinition> {
    if name.contains('.') || name.starts_with("Self::") {
        return None;
    }
    let Some((path, last)) = name.rsplit_once("::") else {
        return here(outline, None, name).or_else(|| {
            Some(CalledDefinition::new(Some(imported(outline, "::", name)?.to_owned()), None, name))
        });
    };
    let of = path.rsplit("::").next().filter(|of| is_type(of));
    if let Some(found) = here(outline, Some(path), last) {
        return Some(found);
    }
    let (first, rest) = name.split_once("::")?;
    let is_module =
        outline.symbols.iter().any(|symbol| symbol.kind == SymbolKind::Module && symbol.name == first);
    let target = match imported(outline, "::", first) {
        Some(target) => format!("{target}::{rest}"),
        None if is_module => format!("self::{name}"),
        None => name.to_owned(),
    };
    Some(CalledDefinition::new(Some(target), of, last))
}

/// Resolves `f`, `module.f`, `package.module.f` or `Class.f` in Python.
fn python(outline: &FileOutline, name: &str) -> Option<CalledDefinition> {
    let Some((path, last)) = name.rsplit_once('.') else {
        return here(outline, None, name).or_else(|| {
            Some(CalledDefinition::new(Some(imported(outline, ".", name)?.to_owned()), None, name))
        });
    };
    if let Some(found) = here(outline, Some(path), last) {
        return Some(found);
    }
    let of = path.rsplit('.').next().filter(|of| is_type(of));
    let whole = |import: &&Import| import.text.starts_with("import ") && !import.text.contains(" as ");
    let mut modules = outline.imports.iter().filter(whole).flat_map(|import| &import.targets);
    if modules.any(|module| path == module || path.starts_with(&format!("{module}."))) {
        return Some(CalledDefinition::new(Some(name.to_owned()), of, last));
    }
    let (first, rest) = name.split_once('.')?;
    Some(CalledDefinition::new(Some(format!("{}.{rest}", imported(outline, ".", first)?)), of, last))
}

/// Resolves `f`, `module.f` or `Class.f` in JavaScript and TypeScript.
fn script(outline: &FileOutline, text: &str, name: &str) -> Option<CalledDefinition> {
    let bound = |local: &str| outline.imports.iter().find_map(|import| binding(import, text, local));
    match name.split_once('.') {
        None => here(outline, None, name).or_else(|| {
            let (target, what) = bound(name)?;
            Some(CalledDefinition::new(Some(target), None, what.as_deref().unwrap_or(name)))
        }),
        Some((first, last)) if !last.contains('.') => here(outline, Some(first), last).or_else(|| {
            let (target, what) = bound(first)?;
            Some(CalledDefinition::new(Some(target), what.as_deref(), last))
        }),
        Some(_) => None,
    }
}

/// Returns the module that an import or `require` binds to the name `local`, and the name of its export;
/// `None` as the export if the name stands for the whole module.
fn binding(import: &Import, text: &str, local: &str) -> Option<(String, Option<String>)> {
    let target = import.targets.first()?.clone();
    let line;
    let names = if import.text.starts_with("import") {
        import.text.strip_prefix("import")?.split(" from ").next()?
    } else {
        line = text.lines().nth(import.line.checked_sub(1)?)?;
        let before = line.split("require(").next().filter(|before| *before != line)?;
        let before = before.trim_end().strip_suffix('=')?.trim();
        ["const ", "let ", "var "].iter().find_map(|word| before.strip_prefix(word))?
    };
    let (whole, inner) = names.split_once('{').unwrap_or((names, ""));
    for one in inner.trim_end().trim_end_matches('}').split(',') {
        let mut parts = one.split([':', ' ']).filter(|part| !matches!(*part, "" | "as" | "type"));
        let what = parts.next();
        if parts.next().or(what) == Some(local) {
            return Some((target, what.map(str::to_owned)));
        }
    }
    let whole = whole.replace("* as ", "");
    whole.split(',').any(|one| one.trim() == local).then_some((target, None))
}

/// Resolves `F` or `package.F` in Go. An unknown `F` is taken to be in another file of the package: its
/// target is empty.
fn go(outline: &FileOutline, name: &str) -> Option<CalledDefinition> {
    match name.split_once('.') {
        None => {
            here(outline, None, name).or_else(|| Some(CalledDefinition::new(Some(String::new()), None, name)))
        }
        Some((package, last)) if !last.contains('.') => {
            Some(CalledDefinition::new(Some(imported(outline, "/", package)?.to_owned()), None, last))
        }
        Some(_) => None,
    }
}

/// Resolves `method`, `Class.method` or `Class` (a constructor) in Java. An unknown class is taken to be in
/// the same package.
fn java(outline: &FileOutline, name: &str) -> Option<CalledDefinition> {
    let class = |class: &str| {
        let local = find(&outline.symbols, None, class).is_some();
        let beside = || class.to_owned();
        if local { None } else { Some(imported(outline, ".", class).map_or_else(beside, str::to_owned)) }
    };
    match name.split_once('.') {
        None if is_type(name) => Some(CalledDefinition::new(class(name), None, name)),
        None => outline.symbols.iter().find_map(|symbol| here(outline, Some(&symbol.name), name)),
        Some((of, last)) if is_type(of) && !last.contains('.') => {
            Some(CalledDefinition::new(class(of), Some(of), last))
        }
        Some(_) => None,
    }
}
