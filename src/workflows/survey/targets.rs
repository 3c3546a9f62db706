//! Facts about projects and their build targets as lines of text.

use super::phrases::{first_place, first_sentence};
use super::quoted::{path_span, place};
use super::view::Survey;
use crate::facts::{Fact, FactSubject, FactValue, ProjectShape, SourceLines, TargetKind};
use crate::repo::ProjectType;

/// Returns a dependency as a code span, with the condition behind `; ` of its requirement: `colorama`
/// (if `sys_platform == 'win32'`). `None` if the quoter refuses the name.
pub(crate) fn dependency_name(survey: &Survey, name: &str, requirement: Option<&str>) -> Option<String> {
    let name = survey.quoter.code(name)?;
    let condition = requirement.and_then(|requirement| requirement.split_once("; "));
    let condition = condition.and_then(|(_, condition)| survey.quoter.code(condition));
    Some(condition.map_or(name.clone(), |condition| format!("{name} (if {condition})")))
}

/// Returns the list item of a program or library target: its name, its entry file or `main` function,
/// the place that declares it, and the purpose of the entry file. `None` for other targets and facts.
pub(crate) fn target_line(survey: &Survey, fact: &Fact) -> Option<String> {
    let FactValue::Target { target, name, entry } = &fact.value else { return None };
    let kind = match target {
        TargetKind::Program => "Program",
        TargetKind::Library => "Library",
        _ => return None,
    };
    let mut text = format!("- {kind} {}", survey.quoter.code(name)?);
    let main = (*target == TargetKind::Program).then(|| entry_function(survey, entry)).flatten();
    let declared = fact.sources.first();
    let is_same = declared.is_some_and(|declared| declared.path == *entry);
    match main {
        None if is_same => {}
        Some(main) => text.extend([format!(" begins in `main` {}", place(&main))]),
        None => text.extend([format!(": {}", path_span(entry))]),
    }
    match (is_same, *target) {
        (false, _) if is_declared(survey, fact, entry) => {
            text.extend([format!(", declared {}", first_place(&fact.sources))]);
        }
        (false, _) => text.extend([format!(", built as {}", first_place(&fact.sources))]),
        (true, TargetKind::Library) => text.extend([format!(" {}", first_place(&fact.sources))]),
        _ => {}
    }
    let own = FactSubject::File(entry.clone());
    if let Some((said, source)) = survey.purpose_of(&own)
        && let Some(said) = survey.quoter.prose(first_sentence(said))
    {
        text.extend([format!(": {said} {}", place(source))]);
    }
    Some(text)
}

/// Returns false if a `package.json` names the built file of a target instead of its entry:
/// `dist/index.js` for `src/index.ts`. True for all other targets.
fn is_declared(survey: &Survey, fact: &Fact, entry: &str) -> bool {
    let Some(source) = fact.sources.first() else { return true };
    let Ok((_, text)) = survey.code.text(&source.path) else { return true };
    let line = text.lines().nth(source.start.saturating_sub(1)).unwrap_or_default();
    let built = ["dist/", "distribution/", "build/", "lib/", "out/", "esm/", "cjs/"];
    !source.path.ends_with("package.json")
        || line.contains(entry)
        || !built.iter().any(|folder| line.contains(folder))
}

/// Returns the lines of the top-level function `main` of the file `entry`. `None` if there is no
/// outline or no such function.
pub(crate) fn entry_function(survey: &Survey, entry: &str) -> Option<SourceLines> {
    let outline = survey.outlines.get(entry).cloned().or_else(|| survey.code.get_outline(entry))?;
    let main = outline.symbols.iter().find(|symbol| symbol.name == "main" && symbol.kind.is_callable())?;
    Some(SourceLines { path: entry.to_owned(), start: main.line, end: main.line_end })
}

/// Returns the ecosystem, shape, name, version and folder of a project, such as "Rust library x version
/// 1.0 in crates/x". `None` for an inner folder whose manifest has no name, and for facts that are no
/// project.
pub(crate) fn project_title(survey: &Survey, folder: &str, fact: &Fact) -> Option<String> {
    let FactValue::Project { ecosystem, name, version, shape } = &fact.value else { return None };
    // An inner folder whose manifest names nothing is hardly a project.
    if name.is_none() && !folder.is_empty() {
        return None;
    }
    let mut text = ecosystem_name(*ecosystem).to_owned();
    text.push_str(match shape {
        Some(ProjectShape::Library) => " library",
        Some(ProjectShape::Program) => " program",
        Some(ProjectShape::Both) => " library with programs",
        Some(ProjectShape::Workspace) => " workspace",
        Some(ProjectShape::Framework) => " framework",
        Some(ProjectShape::Website) => " website",
        None => " project",
    });
    if let Some(name) = name.as_deref().and_then(|name| survey.quoter.code(name)) {
        text.extend([format!(" {name}")]);
    }
    if let Some(version) = version.as_deref().and_then(|version| survey.quoter.code(version)) {
        text.extend([format!(" version {version}")]);
    }
    if !folder.is_empty() {
        text.extend([format!(" in {}", path_span(folder))]);
    }
    Some(text)
}

/// Returns the reference to the manifest that names a project, and a second one if its version is from
/// another file.
pub(crate) fn project_places(fact: &Fact) -> String {
    let first = fact.sources.first().map(|source| &source.path);
    let other = fact.sources.get(1).filter(|source| Some(&source.path) != first);
    let version = other.map(|source| format!(", version from {}", place(source)));
    format!("{}{}", first_place(&fact.sources), version.unwrap_or_default())
}

/// Returns the list item of a project: its title, its manifest, and the stated purpose of its folder
/// unless it is the root. `None` if `project_title` returns `None`.
pub(crate) fn project_line(survey: &Survey, folder: &str, fact: &Fact) -> Option<String> {
    let mut text = format!("- {} {}", project_title(survey, folder, fact)?, project_places(fact));
    let own = survey.purpose_of(&FactSubject::Project(folder.to_owned())).filter(|_| !folder.is_empty());
    let own = own.or_else(|| survey.folder_purpose(folder).filter(|_| !folder.is_empty()));
    if let Some((said, source)) = own
        && let Some(said) = survey.quoter.prose(first_sentence(said))
    {
        text.extend([format!(": {said} {}", place(source))]);
    }
    Some(text)
}

/// Returns the name of an ecosystem for readers.
pub(crate) fn ecosystem_name(ecosystem: ProjectType) -> &'static str {
    match ecosystem {
        ProjectType::Node => "Node",
        ProjectType::Python => "Python",
        ProjectType::Rust => "Rust",
        ProjectType::Go => "Go",
        ProjectType::Maven => "Maven",
        ProjectType::Gradle => "Gradle",
        ProjectType::Php => "PHP",
        ProjectType::Dotnet => ".NET",
        ProjectType::Ruby => "Ruby",
        ProjectType::Cmake => "CMake",
        ProjectType::Meson => "Meson",
        ProjectType::Autotools => "Autotools",
        ProjectType::Unknown => "Unknown",
    }
}

/// Returns true if every word of `text` with more than three bytes is also a word of `known`.
pub(crate) fn adds_nothing(known: &str, text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 3)
            .map(str::to_lowercase)
            .collect()
    };
    let known = words(known);
    words(text).iter().all(|word| known.contains(word))
}

/// Returns true if at least two thirds of the words (of more than three bytes) are shared, measured by
/// the shorter text.
pub(crate) fn says_the_same(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 3)
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = other.iter().filter(|word| one.contains(word)).count();
    shared * 3 >= other.len().min(one.len()) * 2
}
