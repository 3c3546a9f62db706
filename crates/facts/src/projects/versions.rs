//! Finds versions that a manifest takes from another file: a constant of a gem, `__version__` of a package,
//! a file `VERSION`.

use stategraph_repo::ProjectType;

use super::group::{ManifestGroup, ReadManifest};
use super::lines::{line_of, line_where};
use crate::collect::Texts;
use crate::fact::SourceLines;

/// Maximum number of files of a gem that are searched for its version.
const FILES: usize = 60;

/// A version and the path of the file that contains it.
type LocatedVersion = (String, String);

/// Sets the version of a project, and its position, if the manifests compute it from another file.
pub(super) fn fill(group: &mut ManifestGroup, texts: &Texts) {
    let prefix = if group.folder.is_empty() { String::new() } else { format!("{}/", group.folder) };
    if group.manifests.iter().any(|it| it.manifest.version.is_some()) {
        return;
    }
    let find: fn(&ReadManifest, &str, &Texts) -> Option<LocatedVersion> = match group.ecosystem {
        ProjectType::Ruby => of_gem,
        ProjectType::Python => of_package,
        ProjectType::Autotools => of_configure,
        _ => return,
    };
    let names: Vec<Option<String>> = group.manifests.iter().map(|it| it.manifest.name.clone()).collect();
    let name = names.into_iter().flatten().next();
    for read in &mut group.manifests {
        // A manifest without the name may still compute the version.
        let own = read.manifest.name.clone();
        read.manifest.name = own.clone().or_else(|| name.clone());
        let located = find(read, &prefix, texts);
        read.manifest.name = own;
        if let Some((version, path)) = located {
            let text = texts.read(&path).unwrap_or_default();
            let line = line_where(&text, &version, |line| line.to_lowercase().contains("version"));
            let line = line.or_else(|| line_of(&text, &version)).unwrap_or(1);
            read.manifest.version = Some(version);
            group.version_source = Some(SourceLines::line(&path, line));
            return;
        }
    }
}

/// Returns the text of a file; `None` if it does not exist.
fn text(texts: &Texts, path: &str) -> Option<String> {
    texts.exists(path).then(|| texts.read(path)).flatten()
}

/// Returns the version that a line of a source text assigns to one of these names: `VERSION = "1.2"`.
fn assigned(text: &str, names: &[&str]) -> Option<String> {
    text.lines().take(5_000).find_map(|line| {
        let line = line.trim();
        let name = names.iter().find(|name| line.starts_with(**name))?;
        let rest = line[name.len()..].trim_start();
        // `__version__: Final = "1"` has its type before the value.
        let rest = if rest.starts_with(':') { rest.split_once('=')?.1 } else { rest.strip_prefix('=')? };
        // `SHOP_VERSION = VERSION = "1"`.
        let rest = rest.trim_start();
        let chained = rest.split_once('=').filter(|(name, _)| {
            name.trim().chars().all(|c| c.is_ascii_uppercase() || c == '_') && !name.trim().is_empty()
        });
        literal(chained.map_or(rest, |(_, rest)| rest.trim_start()))
    })
}

/// Returns the version in quotes with which the text begins: `1.2` of `"1.2", …`; `None` if it begins with
/// none.
fn literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split(quote).next().filter(|it| is_version(it)).map(str::to_owned)
}

/// Returns true if the text is a version: it begins with a digit, or with `v` and a digit, and has no
/// spaces.
fn is_version(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '~' | '!');
    let bare = text.strip_prefix('v').unwrap_or(text);
    bare.starts_with(|c: char| c.is_ascii_digit()) && bare.chars().all(is_part) && text.len() <= 60
}

/// Returns the version in a file such as `VERSION`, whose first line must be nothing but a version.
fn of_plain(texts: &Texts, path: &str) -> Option<LocatedVersion> {
    let first = text(texts, path)?.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned();
    is_version(&first).then(|| (first.strip_prefix('v').unwrap_or(&first).to_owned(), path.to_owned()))
}

/// Returns the version that a file assigns to one of these names, with the path.
fn assigned_in(texts: &Texts, path: &str, names: &[&str]) -> Option<LocatedVersion> {
    Some((assigned(&text(texts, path)?, names)?, path.to_owned()))
}

/// Returns the version of a gem whose specification refers to a constant (`spec.version = Shop::VERSION`)
/// or a file. Searches the usual files, files that the specification requires, and then all files if
/// exactly one assigns it.
fn of_gem(read: &ReadManifest, prefix: &str, texts: &Texts) -> Option<LocatedVersion> {
    if !read.manifest.path.ends_with(".gemspec") {
        return None;
    }
    let value = read.text.lines().find_map(|line| {
        let (left, value) = line.split_once('=')?;
        left.trim().ends_with(".version").then(|| value.trim())
    })?;
    if value.contains("File.read") {
        let named = value.split(['"', '\'']).nth(1).unwrap_or("VERSION");
        return of_plain(texts, &format!("{prefix}{named}"));
    }
    let value = value.trim_end_matches(".dup").trim_end_matches(".to_s").trim_end_matches(".freeze");
    let constant = value.rsplit("::").next().filter(|it| {
        it.len() > 2 && it.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })?;
    let name = read.manifest.name.as_deref().unwrap_or_default();
    let usual = [name.to_owned(), name.replace('-', "/"), name.replace('-', "_")];
    let usual = usual.iter().map(|name| format!("{prefix}lib/{name}/version.rb"));
    let required = read.text.lines().filter_map(|line| {
        let path = line.trim().strip_prefix("require")?.split(['"', '\'']).nth(1)?;
        let bare = path.trim_start_matches("./").trim_start_matches("lib/");
        Some(format!("{prefix}lib/{}.rb", bare.trim_end_matches(".rb")))
    });
    let candidates: Vec<String> = usual.chain(required).collect();
    let named = candidates.iter().find_map(|path| assigned_in(texts, path, &[constant]));
    named.or_else(|| {
        let lib = format!("{prefix}lib/");
        let files = texts.below(&lib).filter(|path| path.ends_with(".rb")).take(FILES);
        let mut all = files.filter_map(|path| assigned_in(texts, path, &[constant]));
        let first = all.next()?;
        // Two constants of one name are of two things.
        all.next().is_none().then_some(first)
    })
}

/// Returns the version of a Python package whose manifest computes it (`dynamic = ["version"]`, `attr:
/// shop.__version__`): from a file that the manifest names, else from the usual ones.
fn of_package(read: &ReadManifest, prefix: &str, texts: &Texts) -> Option<LocatedVersion> {
    const NAMES: &[&str] = &["__version__", "VERSION", "version"];
    let manifest = &read.text;
    if !computes_version(&read.manifest.path, manifest) {
        return None;
    }
    let literals = manifest.split(['"', '\'']).skip(1).step_by(2).take(400);
    let literals: Vec<&str> = literals.filter(|it| it.len() < 100 && !it.contains('\n')).collect();
    let modules = literals.iter().filter(|it| it.ends_with(".py") && !it.contains("setup"));
    let modules = modules.map(|it| it.trim_start_matches("./").to_owned());
    let package = read.manifest.name.as_deref().unwrap_or_default().to_lowercase().replace(['-', '.'], "_");
    let all = modules.chain(attribute_modules(manifest)).chain(usual_modules(&package, manifest));
    let found = all.map(|path| format!("{prefix}{path}")).find_map(|path| assigned_in(texts, &path, NAMES));
    let is_plain = literals.iter().any(|it| it.rsplit('/').next() == Some("VERSION"));
    found.or_else(|| of_plain(texts, &format!("{prefix}VERSION")).filter(|_| is_plain))
}

/// Returns true if a Python manifest seems to take the version from a source file; false if it takes it
/// from the commit history.
fn computes_version(path: &str, manifest: &str) -> bool {
    let line = |is_computed: &dyn Fn(&str) -> bool| manifest.lines().map(str::trim_start).any(is_computed);
    let is_computed = match path.rsplit('/').next().unwrap_or_default() {
        "setup.py" => line(&|line| line.starts_with("version=") || line.starts_with("version =")),
        "setup.cfg" => {
            line(&|line| line.starts_with("version") && (line.contains("attr:") || line.contains("file:")))
        }
        "pyproject.toml" => {
            line(&|line| line.starts_with("dynamic") && line.contains("version"))
                || manifest.contains("\"version\"")
        }
        _ => false,
    };
    is_computed && !["setuptools_scm", "hatch-vcs", "versioneer"].iter().any(|tool| manifest.contains(tool))
}

/// Returns the possible files of the module in `attr: shop.version.NUMBER`.
fn attribute_modules(manifest: &str) -> Vec<String> {
    let Some(rest) = manifest.split("attr").nth(1) else { return Vec::new() };
    let rest = rest.trim_start_matches([':', '=', ' ', '"', '\'']);
    let path =
        rest.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).next().unwrap_or_default();
    let Some((module, _)) = path.rsplit_once('.') else { return Vec::new() };
    files_of(&module.replace('.', "/"))
}

/// Returns the files that usually contain the version of a package.
fn usual_modules(package: &str, manifest: &str) -> Vec<String> {
    const BESIDE: &[&str] = &["version", "_version", "__version__", "__about__", "about", "const"];
    if package.is_empty() {
        return Vec::new();
    }
    let is_told = |name: &&&str| manifest.contains(**name) || manifest.contains("dynamic");
    let beside = BESIDE
        .iter()
        .filter(is_told)
        .flat_map(|name| [format!("{package}/{name}.py"), format!("src/{package}/{name}.py")]);
    beside.chain(files_of(package)).collect()
}

/// Returns the possible files of a Python module path.
fn files_of(module: &str) -> Vec<String> {
    let places = [format!("{module}/__init__.py"), format!("{module}.py")];
    places.into_iter().flat_map(|path| [format!("src/{path}"), path]).collect()
}

/// Returns the version of an Autotools project whose `AC_INIT` computes it: from an `m4_define`, or from a
/// version file that `configure.ac` or its script reads.
fn of_configure(read: &ReadManifest, prefix: &str, texts: &Texts) -> Option<LocatedVersion> {
    if !read.manifest.path.contains("configure.") || !read.text.contains("AC_INIT") {
        return None;
    }
    let defined = read.text.lines().find_map(|line| {
        let inside = line.trim().strip_prefix("m4_define(")?;
        let (name, value) = inside.split_once(',')?;
        let name = name.trim().trim_matches(['[', ']']);
        let value = value.trim().trim_end_matches(')').trim().trim_matches(['[', ']', '\'', '"']);
        let is_used = read.text.split("AC_INIT").nth(1)?.split_inclusive(')').next()?.contains(name);
        let is_told = is_used && name.to_lowercase().contains("version") && is_version(value);
        is_told.then(|| (value.to_owned(), read.manifest.path.clone()))
    });
    let scripts =
        read.text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '|' | '\''));
    let scripts = scripts.filter(|word| word.ends_with(".sh") && word.contains("version"));
    let named = ["VERSION", ".version", ".tarball-version", "version.txt"].into_iter().filter(|file| {
        let reads = |text: &str| {
            text.contains(&format!(" {file}"))
                || text.contains(&format!("/{file}"))
                || text.contains(&format!("[{file}]"))
        };
        reads(&read.text)
            || scripts.clone().take(5).any(|script| {
                let path = format!("{prefix}{}", script.trim_start_matches("./"));
                text(texts, &path).is_some_and(|text| reads(&text))
            })
    });
    defined.or_else(|| named.into_iter().find_map(|file| of_plain(texts, &format!("{prefix}{file}"))))
}
