//! Versions that a manifest takes from another file: a constant of a gem, `__version__` of a package, a file `VERSION`.

use stategraph_repo::ProjectType;

use super::group::{ManifestGroup, ReadManifest};
use crate::collect::Texts;

/// Most files of a gem that are searched for its version.
const FILES: usize = 60;

/// Fills in the versions of a project that its manifests compute.
pub(super) fn fill(group: &mut ManifestGroup, texts: &Texts) {
    let prefix = if group.folder.is_empty() { String::new() } else { format!("{}/", group.folder) };
    if group.manifests.iter().any(|it| it.manifest.version.is_some()) {
        return;
    }
    let find: fn(&ReadManifest, &str, &Texts) -> Option<String> = match group.ecosystem {
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
        let version = find(read, &prefix, texts);
        read.manifest.name = own;
        if version.is_some() {
            read.manifest.version = version;
            return;
        }
    }
}

/// Returns the text of a file of the project.
fn text(texts: &Texts, path: &str) -> Option<String> {
    texts.exists(path).then(|| texts.read(path)).flatten()
}

/// Returns the literal that a text gives to one of these names at the beginning of a line.
fn assigned(text: &str, names: &[&str]) -> Option<String> {
    text.lines().take(5_000).find_map(|line| {
        let line = line.trim();
        let name = names.iter().find(|name| line.starts_with(**name))?;
        let rest = line[name.len()..].trim_start();
        // `__version__: Final = "1"` has its type before the value.
        let rest = if rest.starts_with(':') { rest.split_once('=')?.1 } else { rest.strip_prefix('=')? };
        literal(rest.trim_start())
    })
}

/// Returns the quoted version that a text begins with.
fn literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split(quote).next().filter(|it| is_version(it)).map(str::to_owned)
}

fn is_version(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '~' | '!');
    let bare = text.strip_prefix('v').unwrap_or(text);
    bare.starts_with(|c: char| c.is_ascii_digit()) && bare.chars().all(is_part) && text.len() <= 60
}

/// Returns the version in a file that has nothing else in its first line.
fn of_plain(texts: &Texts, path: &str) -> Option<String> {
    let first = text(texts, path)?.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned();
    is_version(&first).then(|| first.strip_prefix('v').unwrap_or(&first).to_owned())
}

/// `spec.version = Shop::VERSION`: the constant stands in the usual file, or in one that the specification requires.
fn of_gem(read: &ReadManifest, prefix: &str, texts: &Texts) -> Option<String> {
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
    let named = candidates.iter().find_map(|path| assigned(&text(texts, path)?, &[constant]));
    named.or_else(|| {
        let lib = format!("{prefix}lib/");
        let files = texts.below(&lib).filter(|path| path.ends_with(".rb")).take(FILES);
        let mut all = files.filter_map(|path| assigned(&text(texts, path)?, &[constant]));
        let first = all.next()?;
        // Two constants of one name are of two things.
        all.next().is_none().then_some(first)
    })
}

/// `version=read_version()`, `dynamic = ["version"]`, `attr: shop.__version__`: the file that the manifest names, else the usual ones.
fn of_package(read: &ReadManifest, prefix: &str, texts: &Texts) -> Option<String> {
    let manifest = &read.text;
    let file = read.manifest.path.rsplit('/').next().unwrap_or_default();
    let is_computed = match file {
        "setup.py" => manifest
            .lines()
            .any(|line| line.trim_start().starts_with("version=") || line.contains(" version =")),
        "setup.cfg" => manifest.lines().any(|line| {
            line.trim_start().starts_with("version") && (line.contains("attr:") || line.contains("file:"))
        }),
        "pyproject.toml" => {
            manifest.lines().any(|line| line.starts_with("dynamic") && line.contains("version"))
                || manifest.contains("\"version\"")
        }
        _ => false,
    };
    // A version of the history of commits stands in no file.
    if !is_computed
        || manifest.contains("setuptools_scm")
        || manifest.contains("hatch-vcs")
        || manifest.contains("versioneer")
    {
        return None;
    }
    let names = ["__version__", "VERSION", "version"];
    let quoted = manifest.split(['"', '\'']).skip(1).step_by(2).take(400);
    let quoted: Vec<&str> = quoted.filter(|it| it.len() < 100 && !it.contains('\n')).collect();
    let named = quoted.iter().filter(|it| it.ends_with(".py") && !it.contains("setup"));
    let named = named.map(|it| format!("{prefix}{}", it.trim_start_matches("./")));
    let package = read.manifest.name.as_deref().unwrap_or_default().to_lowercase().replace(['-', '.'], "_");
    let beside = [
        "version.py",
        "_version.py",
        "__version__.py",
        "__about__.py",
        "about.py",
        "__init__.py",
        "const.py",
    ];
    let attribute = manifest.split("attr").nth(1).map(|rest| {
        rest.trim_start_matches([':', '=', ' ', '"', '\''])
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
            .next()
            .unwrap_or_default()
    });
    let of_attribute =
        attribute.and_then(|it| it.rsplit_once('.')).map(|(module, _)| module.replace('.', "/"));
    let of_attribute = of_attribute.into_iter().flat_map(|module| {
        [
            format!("{module}.py"),
            format!("{module}/__init__.py"),
            format!("src/{module}.py"),
            format!("src/{module}/__init__.py"),
        ]
    });
    let usual = beside.iter().filter(|file| {
        !package.is_empty()
            && (manifest.contains(**file) || **file == "__init__.py" || manifest.contains("dynamic"))
    });
    let usual = usual.flat_map(|file| [format!("{package}/{file}"), format!("src/{package}/{file}")]);
    let module = [format!("{package}.py"), format!("src/{package}.py")];
    let below: Vec<String> =
        of_attribute.chain(usual).chain(module).map(|path| format!("{prefix}{path}")).collect();
    let found = named.chain(below).find_map(|path| assigned(&text(texts, &path)?, &names));
    let is_plain = quoted.iter().any(|it| it.rsplit('/').next() == Some("VERSION"));
    found.or_else(|| of_plain(texts, &format!("{prefix}VERSION")).filter(|_| is_plain))
}

/// `AC_INIT([shop], [m4_esyscmd(…)])`: a file `VERSION` that it, or its script, reads.
fn of_configure(read: &ReadManifest, prefix: &str, texts: &Texts) -> Option<String> {
    if !read.manifest.path.contains("configure.") || !read.text.contains("AC_INIT") {
        return None;
    }
    let defined = read.text.lines().find_map(|line| {
        let inside = line.trim().strip_prefix("m4_define(")?;
        let (name, value) = inside.split_once(',')?;
        let name = name.trim().trim_matches(['[', ']']);
        let value = value.trim().trim_end_matches(')').trim().trim_matches(['[', ']', '\'', '"']);
        let is_used = read.text.split("AC_INIT").nth(1)?.split_inclusive(')').next()?.contains(name);
        (is_used && name.to_lowercase().contains("version") && is_version(value)).then(|| value.to_owned())
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
