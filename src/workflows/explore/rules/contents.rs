//! Contents of single files for the sections of a document: definitions, modules of other projects,
//! environment variables.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::definition_text;
use super::index::FileEdge;
use crate::facts::{FactKind, FactValue, PathRole, SettingForm, SourceLines, TargetKind};
use crate::repo::{
    FileOutline, Import, Language, SymbolInfo, Visibility, is_of_standard_library, is_test_attribute,
};
use crate::workflows::survey::Survey;
use crate::workflows::survey::definitions::{MapDefinition, definitions, is_test};
use crate::workflows::survey::phrases::{first_place, first_sentence};
use crate::workflows::survey::quoted::place;

/// Definition of a file with its text for a document.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSymbol {
    /// Its name, without the names around it.
    pub name: String,
    /// Signature with its place and its documentation, safe in Markdown.
    pub text: String,
    /// True if other files are meant to use it.
    pub is_public: bool,
    /// Greater is more important.
    pub weight: f64,
}

/// Contents of a source file that a section may show.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FileContents {
    pub(super) symbols: Vec<FileSymbol>,
    /// Imported modules of other projects, as code spans, with their places.
    pub(super) imports: Vec<(String, String)>,
    /// Lines about environment variables with their defaults, help texts and places.
    pub(super) variables: Vec<String>,
}

/// Maximum number of public definitions of a file, and of other ones.
const SYMBOLS: usize = 40;
/// Maximum number of imported modules of a file.
const IMPORTS: usize = 60;

/// Collects the contents of the product's source files, by path. `edges` are the dependencies inside
/// the code base.
pub(super) fn collect(survey: &Survey<'_>, edges: &[FileEdge]) -> BTreeMap<String, FileContents> {
    let mut found: BTreeMap<String, FileContents> = BTreeMap::new();
    let own = OwnCode {
        places: edges.iter().map(|edge| (edge.source.path.as_str(), edge.source.start)).collect(),
        names: own_names(survey),
    };
    for file in &survey.central {
        let Some(outline) = survey.outlines.get(&file.path) else { continue };
        let contents = found.entry(file.path.clone()).or_default();
        let told = definitions(survey, file, outline).into_iter().filter(|it| it.score > 0.0);
        // The interface first: the methods of one long class must not hide the classes behind it.
        let (public, inner): (Vec<_>, Vec<_>) = told.partition(|it| is_public(outline, it));
        let mut public = public;
        public.sort_by_key(|it| it.owner.is_some());
        let kept = public.iter().take(SYMBOLS).map(|it| (it, true));
        for (definition, is_public) in kept.chain(inner.iter().take(SYMBOLS).map(|it| (it, false))) {
            if let Some(text) = definition_text(survey, file, definition) {
                contents.symbols.push(FileSymbol {
                    name: definition.symbol.name.clone(),
                    text,
                    is_public,
                    weight: definition.score + file.score.clamp(0.0, 4.0) * 0.5,
                });
            }
        }
        contents.imports = imports(survey, outline, &own);
    }
    variables(survey, &mut found);
    found
}

/// Returns true for a public definition that is not hidden.
fn is_public(outline: &FileOutline, definition: &MapDefinition<'_>) -> bool {
    let symbol = definition.symbol;
    let is_hidden = symbol.decorators.iter().any(|mark| mark.contains("doc(hidden)"));
    // A script of a shell and a file of a build tool are no interface.
    let name = outline.path.rsplit('/').next().unwrap_or(&outline.path);
    let is_tool = outline.language == Language::Bash
        || matches!(name, "Rakefile" | "Gemfile" | "setup.py" | "conftest.py" | "build.rs" | "gulpfile.js")
        || name.ends_with(".gemspec")
        || name.contains(".config.");
    // Methods of a public type are its interface; in Rust the module decides too.
    let is_reachable = definition.owner.as_deref().is_none_or(|owner| {
        let is_owner = |it: &&SymbolInfo| it.name == owner && it.kind.is_type();
        outline.language != Language::Rust
            && !owner.starts_with("Test")
            && outline.symbols.iter().find(is_owner).is_some_and(|it| it.visibility == Visibility::Public)
    });
    symbol.visibility == Visibility::Public
        && is_reachable
        && !is_tool
        && !is_hidden
        && !is_absent(outline, symbol)
}

/// Returns true for a Python value that replaces a module that could not be imported: `redis = None`.
fn is_absent(outline: &FileOutline, symbol: &SymbolInfo) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let imports = |import: &Import| import.text.split(|c| !is_name(c)).any(|word| word == symbol.name);
    outline.language == Language::Python
        && symbol.signature.trim_end().ends_with("= None")
        && outline.imports.iter().any(imports)
}

/// Imports and names of the code base itself, to distinguish modules of other projects.
struct OwnCode<'a> {
    /// Files and lines of the imports that lead to a file of the code base.
    places: BTreeSet<(&'a str, usize)>,
    /// Names of its projects and libraries, as imports write them.
    names: BTreeSet<String>,
}

/// Returns the names of the code base's own projects, also with `_` for `-`.
fn own_names(survey: &Survey<'_>) -> BTreeSet<String> {
    let projects = survey.facts.of_kind(FactKind::Project).chain(survey.facts.of_kind(FactKind::Target));
    let names = projects.filter_map(|fact| match &fact.value {
        FactValue::Project { name, .. } => name.clone(),
        FactValue::Target { target: TargetKind::Library, name, .. } => Some(name.clone()),
        _ => None,
    });
    names.flat_map(|name| [name.replace('-', "_"), name]).collect()
}

/// Returns the modules that a file imports from other projects, with their places. Own code, tests and
/// the standard library do not count.
fn imports(survey: &Survey<'_>, outline: &FileOutline, own: &OwnCode<'_>) -> Vec<(String, String)> {
    // Modules that the file declares are imported by their names alone in Rust.
    let declared = outline.imports.iter().filter(|import| import.text.contains("mod "));
    let mut told: BTreeSet<String> = declared.flat_map(|import| import.targets.iter().cloned()).collect();
    let mut found = Vec::new();
    let text = survey.code.text(&outline.path).map(|(_, text)| text).unwrap_or_default();
    let of_tests = test_lines(outline, &text.lines().collect::<Vec<_>>());
    let is_tested = |line: usize| of_tests.iter().any(|(start, end)| (*start..=*end).contains(&line));
    let outer = outline.imports.iter().filter(|import| {
        // The future of Python is no module.
        !own.places.contains(&(outline.path.as_str(), import.line))
            && !is_tested(import.line)
            && !import.text.contains("__future__")
    });
    for (import, target) in outer.flat_map(|import| import.targets.iter().map(move |target| (import, target)))
    {
        let Some(module) = outer_module(outline.language, import, target) else { continue };
        if found.len() < IMPORTS
            && !own.names.contains(module)
            && !is_of_standard_library(outline.language, module)
            && told.insert(module.to_owned())
            && let Some(module) = survey.quoter.code(module)
        {
            let lines = SourceLines { path: outline.path.clone(), start: import.line, end: import.line };
            found.push((module, place(&lines)));
        }
    }
    found
}

/// Returns the first and last lines of the tests in a file, and of imports for tests, because the
/// product does not need those.
fn test_lines(outline: &FileOutline, lines: &[&str]) -> Vec<(usize, usize)> {
    let tests = outline.walk().filter(|(_, it)| is_test(it)).map(|(_, it)| (it.line, it.line_end));
    let marks = |line: usize| {
        let above = lines[..line.saturating_sub(1).min(lines.len())].iter().rev().map(|line| line.trim());
        above.take_while(|line| line.starts_with("#["))
    };
    let imports = outline.imports.iter().filter(|import| marks(import.line).any(is_test_attribute));
    tests.chain(imports.map(|import| (import.line, import.line))).collect()
}

/// Returns the module of an imported name, by the rules of the language: the crate, the package, the
/// header. `None` for an import of own code.
fn outer_module<'t>(language: Language, import: &Import, target: &'t str) -> Option<&'t str> {
    let first = |separator: &str| target.split(separator).next().filter(|name| !name.is_empty());
    match language {
        Language::Rust => first("::")
            .filter(|name| !matches!(*name, "crate" | "super" | "self") && !import.text.contains("mod ")),
        Language::Python => first("."),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let parts = if target.starts_with('@') { 2 } else { 1 };
            let end = target.match_indices('/').nth(parts - 1).map_or(target.len(), |(at, _)| at);
            Some(&target[..end]).filter(|name| !name.starts_with(['.', '/']) && !name.is_empty())
        }
        Language::Java => {
            // A package is written in small letters.
            let is_type = |part: &str| part.starts_with(char::is_uppercase) || part == "*";
            let end =
                target.split('.').take_while(|part| !is_type(part)).map(|part| part.len() + 1).sum::<usize>();
            target.get(..end.saturating_sub(1)).filter(|name| !name.is_empty())
        }
        Language::C | Language::Cpp => Some(target.trim_matches('"')).filter(|_| import.text.contains('<')),
        Language::Php => first("\\"),
        _ => Some(target).filter(|name| !name.starts_with(['.', '/'])),
    }
}

/// Adds a line about each environment variable to the file that reads it.
fn variables(survey: &Survey<'_>, found: &mut BTreeMap<String, FileContents>) {
    let settings = survey.of_product(FactKind::Setting).filter(|fact| fact.role == PathRole::Runtime);
    for fact in settings {
        let FactValue::Setting { form: SettingForm::Variable, name, default, text } = &fact.value else {
            continue;
        };
        let (Some(source), Some(name)) = (fact.sources.first(), survey.quoter.code(name)) else { continue };
        let mut said = name;
        if let Some(default) = default.as_deref().and_then(|default| survey.quoter.code(default)) {
            said.extend([format!(" = {default}")]);
        }
        if let Some(help) = text.as_deref().and_then(|text| survey.quoter.prose(first_sentence(text))) {
            said.extend([format!(": {}", help.trim_end_matches('.'))]);
        }
        said.extend([format!(" {}", first_place(&fact.sources))]);
        found.entry(source.path.clone()).or_default().variables.push(said);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::repo::{CodeBase, MemoryFiles};

    fn outline(path: &'static str, text: &'static str) -> Arc<FileOutline> {
        CodeBase::new(Arc::new(MemoryFiles::new([(path, text)])))
            .get_outline(path)
            .expect("the file has an outline")
    }

    #[test]
    fn imports_of_tests_are_known_at_every_depth_and_with_every_form_of_their_mark() {
        let text = "use log::info;\n#[cfg(test)]\nuse proptest::prelude;\n#[cfg(not(test))]\nuse real::a;\nmod inner {\n    #[cfg(all(test, unix))]\n    mod tests {\n        use tempfile::b;\n    }\n}\n#[cfg(feature = \"test\")]\nuse tested::c;\n";
        let outline = outline("src/lib.rs", text);
        let found = test_lines(&outline, &text.lines().collect::<Vec<_>>());
        let is_tested = |line: usize| found.iter().any(|(start, end)| (*start..=*end).contains(&line));
        let tested: Vec<usize> = (1..=13).filter(|line| is_tested(*line)).collect();
        assert_eq!(tested, [3, 8, 9, 10]);
    }

    #[test]
    fn a_name_without_a_value_is_absent_only_if_it_is_imported_too() {
        let text = "try:\n    import redis\nexcept ImportError:\n    redis = None\n\ncurrent_app = None\n";
        let outline = outline("shop.py", text);
        let absent = |name: &str| {
            let found = outline.walk().find(|(_, symbol)| symbol.name == name);
            found.is_some_and(|(_, symbol)| is_absent(&outline, symbol))
        };
        assert!(absent("redis") && !absent("current_app"));
    }
}
