//! Facts about the language version that a project needs, as its manifest states: `rust 1.85 or later`,
//! `python >=3.10`, `node >=20`.

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines, ToolPurpose};
use crate::projects::folder_of;
use crate::role::role_of;
use stategraph_repo::ProjectMetadata;

/// Maximum length of a requirement, in characters.
const CHARS: usize = 60;

/// Returns the language versions that the manifests require. A version given by a variable is left out.
pub(super) fn facts(project: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let product = project.manifests.iter().filter(|manifest| role_of(&manifest.path) == PathRole::Runtime);
    let mut found: Vec<Fact> = Vec::new();
    for manifest in product {
        let Some(text) = texts.read(&manifest.path) else { continue };
        let name = manifest.path.rsplit('/').next().unwrap_or_default();
        for (line, tool) in of_manifest(name, &text) {
            let subject = FactSubject::Project(folder_of(&manifest.path).to_owned());
            let value = FactValue::Tool { purpose: ToolPurpose::Toolchain, name: tool };
            let source = SourceLines::line(&manifest.path, line);
            let fact = Fact::new(subject, value, source, FactOrigin::Parsed);
            if !found.iter().any(|known| known.id == fact.id) {
                found.push(fact);
            }
        }
    }
    found
}

/// Returns the version requirements in a manifest, each with its line from 1.
fn of_manifest(name: &str, text: &str) -> Vec<(usize, String)> {
    match name {
        "Cargo.toml" => least(of_tables(text, &["package", "workspace.package"], "rust-version", "rust")),
        "pyproject.toml" => {
            let mut found = of_tables(text, &["project"], "requires-python", "python");
            if found.is_empty() {
                found = of_tables(text, &["tool.poetry.dependencies"], "python", "python");
            }
            found
        }
        "setup.py" => of_lines(text, "python_requires", "python"),
        "setup.cfg" => of_tables(text, &["options"], "python_requires", "python"),
        "package.json" => of_object(text, "engines", "node", "node"),
        "composer.json" => of_object(text, "require", "php", "php"),
        "go.mod" => of_go(text),
        "pom.xml" => of_pom(text),
        _ if name.ends_with(".gemspec") => of_lines(text, "required_ruby_version", "ruby"),
        _ if name.ends_with(".csproj") => {
            of_element(text, &["TargetFramework", "TargetFrameworks"], "dotnet")
        }
        _ => Vec::new(),
    }
}

/// Appends "or later" to each version requirement, for manifests that state a minimum version.
fn least(found: Vec<(usize, String)>) -> Vec<(usize, String)> {
    found.into_iter().map(|(line, tool)| (line, format!("{tool} or later"))).collect()
}

/// Returns the version requirement under a key in one of the named tables of a TOML or INI file.
fn of_tables(text: &str, tables: &[&str], key: &str, tool: &str) -> Vec<(usize, String)> {
    let mut is_inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(table) = line.strip_prefix('[') {
            is_inside = table.split_once(']').is_some_and(|(name, _)| tables.contains(&name.trim()));
        } else if is_inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return named(number, tool, unquoted(value)).into_iter().collect();
        }
    }
    Vec::new()
}

/// Returns the version requirement in quotes after `word`, on the first line of the text that has one.
fn of_lines(text: &str, word: &str, tool: &str) -> Vec<(usize, String)> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let found = lines.filter_map(|(number, line)| {
        let (_, rest) = line.split_once(word)?;
        let at = rest.find(['"', '\''])?;
        // Only brackets and an assignment stand before the text.
        let is_direct = rest[..at].chars().all(|c| " =([:>".contains(c));
        is_direct.then(|| named(number, tool, unquoted(&rest[at..])))?
    });
    found.take(1).collect()
}

/// Returns the version requirement under a key inside a named object of a JSON file.
fn of_object(text: &str, object: &str, key: &str, tool: &str) -> Vec<(usize, String)> {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
    let Some(value) = json.get(object).and_then(|object| object.get(key)).and_then(|value| value.as_str())
    else {
        return Vec::new();
    };
    let (object, key) = (format!("\"{object}\""), format!("\"{key}\""));
    let mut lines = (1..).zip(text.lines()).skip_while(|(_, line)| !line.contains(&object));
    let line = lines.find(|(_, line)| line.contains(&key) && line.contains(value));
    line.and_then(|(number, _)| named(number, tool, value)).into_iter().collect()
}

/// Returns the version requirement in the line `go 1.22` of a `go.mod`.
fn of_go(text: &str) -> Vec<(usize, String)> {
    let version = |line: &str| {
        line.strip_prefix("go ").map(|rest| rest.split("//").next().unwrap_or(rest).trim().to_owned())
    };
    let found = (1..).zip(text.lines()).find_map(|(number, line)| named(number, "go", &version(line)?));
    found.into_iter().collect()
}

/// Returns the Java version that a `pom.xml` requires.
fn of_pom(text: &str) -> Vec<(usize, String)> {
    // Tests are compiled too, and may need a later version.
    const NAMES: [&str; 7] = [
        "maven.compiler.testRelease",
        "testRelease",
        "maven.compiler.testSource",
        "maven.compiler.release",
        "release",
        "java.version",
        "maven.compiler.source",
    ];
    let found = NAMES.iter().map(|name| of_element(text, &[name], "java"));
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns the version requirement in the first XML element with one of these names whose text has digits.
fn of_element(text: &str, names: &[&str], tool: &str) -> Vec<(usize, String)> {
    let found = (1..).zip(text.lines()).find_map(|(number, line)| {
        let value = names.iter().find_map(|name| line.trim().strip_prefix(&format!("<{name}>")))?;
        let value = value.split('<').next()?;
        value.contains(|c: char| c.is_ascii_digit()).then(|| named(number, tool, value))?
    });
    found.into_iter().collect()
}

/// Returns a version requirement with the tool's name before it (`Node.js >=18`), and the line; `None` for
/// variables and long texts.
fn named(line: usize, tool: &str, requirement: &str) -> Option<(usize, String)> {
    let requirement = requirement.trim();
    let is_value = !requirement.is_empty()
        && requirement.chars().count() <= CHARS
        && requirement.chars().all(|c| c.is_ascii_alphanumeric() || " .,<>=^~|*!-;+".contains(c));
    let has_number = requirement.contains(|c: char| c.is_ascii_digit()) || requirement == "*";
    (is_value && has_number).then(|| (line, format!("{tool} {requirement}")))
}

/// Returns a value without its quotation marks, or, if it has none, without a trailing comment.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split('#').next().unwrap_or(value).trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_say_which_language_they_need() {
        for (name, text, expected) in [
            ("Cargo.toml", "[package]\nrust-version = \"1.85\"\n", Some((2, "rust 1.85 or later"))),
            ("Cargo.toml", "[package]\nrust-version.workspace = true\n", None),
            ("Cargo.toml", "[package.metadata.x]\nrust-version = \"1.85\"\n", None),
            (
                "pyproject.toml",
                "[project]\nrequires-python = \">=3.10,<4\" # all\n",
                Some((2, "python >=3.10,<4")),
            ),
            ("pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.9\"\n", Some((2, "python ^3.9"))),
            ("setup.py", "setup(\n    python_requires='>=3.8',\n)\n", Some((2, "python >=3.8"))),
            ("setup.py", "setup(\n    python_requires=NEEDED,\n)\n", None),
            (
                "package.json",
                "{\n \"engines\": {\n  \"npm\": \">=9\", \"node\": \">=20\"\n }\n}\n",
                Some((3, "node >=20")),
            ),
            ("package.json", "{\"dependencies\": {\"node\": \"1\"}}", None),
            ("composer.json", "{\"require\": {\"php\": \"^8.1\"}}", Some((1, "php ^8.1"))),
            ("go.mod", "module a\n\ngo 1.22.0 // at least\n", Some((3, "go 1.22.0"))),
            ("pom.xml", "<properties>\n  <java.version>17</java.version>\n", Some((2, "java 17"))),
            ("pom.xml", "<release>${java.version}</release>\n", None),
            ("pom.xml", "<release>9</release>\n<testRelease>17</testRelease>\n", Some((2, "java 17"))),
            ("a.gemspec", "  s.required_ruby_version = \">= 3.0\"\n", Some((1, "ruby >= 3.0"))),
            ("a.csproj", "<TargetFramework>net8.0</TargetFramework>\n", Some((1, "dotnet net8.0"))),
        ] {
            let found = of_manifest(name, text);
            let found: Vec<(usize, &str)> = found.iter().map(|(line, tool)| (*line, tool.as_str())).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{name}: {text}");
        }
    }
}
