//! `build.gradle`, in Groovy and in Kotlin, and the version catalogue. The scripts are programs and are not run: the literals in their
//! `dependencies` blocks are read after comments are removed (CTX-14, 15).

use toml::{Table, Value};

use super::{Manifest, ManifestMark, Scope, reason};

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let plain = without_comments(text);
    for block in blocks(&plain, "dependencies") {
        for line in block.lines().map(str::trim) {
            dependency(line, found);
        }
    }
    for needed in &mut found.dependencies {
        needed.version = needed.version.take().and_then(|version| fill(version, &plain));
    }
    let assigned = |key: &str| {
        let line = plain.lines().map(str::trim).find_map(|line| {
            line.strip_prefix(key).filter(|rest| !rest.starts_with(char::is_alphanumeric))
        })?;
        literal(line)
    };
    // An indented `version` is that of a plugin or of another tool.
    let outermost = |key: &str| {
        let line = plain.lines().find_map(|line| {
            line.strip_prefix(key).filter(|rest| rest.trim_start().starts_with(['=', '\'', '"']))
        })?;
        literal(line)
    };
    found.version = outermost("version").filter(|version| !version.contains('$'));
    found.description = outermost("description");
    found.entry_points.extend(assigned("mainClass").or_else(|| assigned("mainClassName")));
    for block in blocks(&plain, "application") {
        let line = block.lines().map(str::trim).find(|line| line.starts_with("mainClass"));
        found.entry_points.extend(line.and_then(literal));
    }
    found.entry_points.dedup();
    let applies = |plugins: &[&str]| {
        plugins.iter().any(|plugin| {
            plain.lines().any(|line| {
                let bare = line.trim();
                // `id("x") apply false` only makes it known to the projects below.
                (["id", "apply", "alias", "`", "java", "application"]
                    .iter()
                    .any(|start| bare.starts_with(start)))
                    && !bare.contains("apply false")
                    && bare.split(['"', '\'', '`', ' ']).any(|word| word == *plugin)
            })
        })
    };
    let is_started = applies(STARTED_BY) || !found.entry_points.is_empty();
    found.mark(ManifestMark::Program, is_started);
    found.mark(ManifestMark::Library, !is_started && applies(LIBRARY));
    Ok(())
}

/// Plugins that make a project a program.
const STARTED_BY: &[&str] = &["application", "org.springframework.boot", "com.android.application", "war"];
/// Plugins that make a project a library.
const LIBRARY: &[&str] = &["java-library", "com.android.library", "maven-publish", "java-gradle-plugin"];

/// Reads one line of a `dependencies` block and adds its dependency. Knows `implementation("g:a:1")`,
/// `testImplementation 'g:a:1'`, `api(libs.a.b)` and `implementation group: 'g', name: 'a', version: '1'`;
/// ignores other lines.
fn dependency(line: &str, found: &mut Manifest) {
    let end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
    let (configuration, rest) = line.split_at(end);
    let Some(scope) = scope(configuration) else { return };
    if let Some(at) = rest.find("libs.") {
        let name: String =
            rest[at..].chars().take_while(|c| c.is_alphanumeric() || "._".contains(*c)).collect();
        return found.needs(scope, name.trim_end_matches(".get"), None);
    }
    let named = |key: &str| rest.split(key).nth(1).and_then(literal);
    if let (Some(group), Some(name)) =
        (named("group:").or(named("group =")), named("name:").or(named("name =")))
    {
        return found.needs(
            scope,
            format!("{group}:{name}"),
            named("version:").or(named("version =")).as_deref(),
        );
    }
    let Some(coordinates) = literal(rest).filter(|_| !rest.contains("project(") && !rest.contains("files("))
    else {
        return;
    };
    let mut parts = coordinates.splitn(3, ':');
    if let (Some(group), Some(name)) = (parts.next(), parts.next()) {
        found.needs(scope, format!("{group}:{name}"), parts.next());
    }
}

/// Replaces the variable in a version, such as `$kotlinVersion`, by the literal that the script assigns to
/// it. `None` if it assigns none; a version without a variable is returned unchanged.
fn fill(version: String, script: &str) -> Option<String> {
    let Some((before, rest)) = version.split_once('$') else { return Some(version) };
    let bare = rest.trim_start_matches('{').trim_end_matches('}');
    let name =
        bare.rsplit('.').next().filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))?;
    let value = script.lines().find_map(|line| {
        let (left, value) = line.split_once('=')?;
        let assigned = left.split(':').next()?.trim().rsplit([' ', '.', '\t']).next()?;
        literal(value).filter(|value| assigned == name && !value.contains('$'))
    })?;
    Some(format!("{before}{value}"))
}

/// Returns the purpose of the dependencies in a Gradle configuration: `testImplementation` is `Dev`. `None`
/// for unknown configurations.
fn scope(configuration: &str) -> Option<Scope> {
    let lower = configuration.to_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| lower.ends_with(word));
    match () {
        () if lower.contains("test")
            && is(&["implementation", "api", "only", "compile", "runtime", "processor"]) =>
        {
            Some(Scope::Dev)
        }
        () if lower.starts_with("debug") && is(&["implementation"]) => Some(Scope::Dev),
        () if is(&["compileonly", "compileonlyapi", "providedcompile"]) => Some(Scope::Peer),
        () if is(&["annotationprocessor", "kapt", "ksp", "classpath"]) => Some(Scope::Build),
        () if is(&["implementation", "api", "runtimeonly", "compile", "runtime"]) => Some(Scope::Runtime),
        () => None,
    }
}

/// Returns the content of the first string literal in the text; `None` if there is none or it is empty.
fn literal(text: &str) -> Option<String> {
    let at = text.find(['\'', '"'])?;
    let quote = text[at..].chars().next()?;
    let inside = text[at + 1..].split(quote).next()?;
    (!inside.is_empty()).then(|| inside.to_owned())
}

/// Returns the contents of all blocks `name { … }` in a script, up to the matching closing brace.
fn blocks<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(name) {
        let alone = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
        let rest = text[at + name.len()..].trim_start();
        if let Some(inside) = rest.strip_prefix('{').filter(|_| alone) {
            found.push(&inside[..closing(inside)]);
        }
    }
    found
}

/// Returns the byte offset of the brace that closes a block; `text` begins inside it. The length of the text
/// if it is not closed.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns a Gradle script without its comments; `//` in a string starts no comment.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut quote): (&str, Option<char>) = (text, None);
    while let Some(c) = rest.chars().next() {
        let comment = match quote {
            None if rest.starts_with("//") => rest.find('\n').or(Some(rest.len())),
            None if rest.starts_with("/*") => rest.find("*/").map(|at| at + 2).or(Some(rest.len())),
            _ => None,
        };
        if let Some(length) = comment {
            rest = &rest[length..];
            continue;
        }
        quote = match quote {
            None if matches!(c, '\'' | '"') => Some(c),
            Some(open) if open == c || c == '\n' => None,
            open => open,
        };
        plain.push(c);
        rest = &rest[c.len_utf8()..];
    }
    plain
}

/// Reads the version catalogue `gradle/libs.versions.toml`: the libraries with their versions.
pub(super) fn catalogue(text: &str, found: &mut Manifest) -> Result<(), String> {
    let root: Table = text.parse().map_err(reason)?;
    let versions = root.get("versions").and_then(Value::as_table);
    let libraries = root.get("libraries").and_then(Value::as_table);
    for library in libraries.into_iter().flat_map(Table::values) {
        let said = |key: &str| library.get(key).and_then(Value::as_str);
        let of_reference = || versions?.get(library.get("version")?.get("ref")?.as_str()?)?.as_str();
        let version = said("version").or_else(of_reference);
        match (library.as_str(), said("module"), said("group"), said("name")) {
            (Some(whole), ..) => {
                let mut parts = whole.splitn(3, ':');
                let name =
                    format!("{}:{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                found.needs(Scope::Runtime, name, parts.next());
            }
            (_, Some(module), ..) => found.needs(Scope::Runtime, module, version),
            (_, _, Some(group), Some(name)) => {
                found.needs(Scope::Runtime, format!("{group}:{name}"), version);
            }
            _ => {}
        }
    }
    Ok(())
}
