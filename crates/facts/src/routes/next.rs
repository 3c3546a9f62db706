//! Finds routes of Next.js: the path is that of a file `route.*` below `app`, the methods are the functions
//! it exports.

use stategraph_repo::{Language, ParsedFile, Visibility};

use super::METHODS;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};
use crate::text::visible;

/// Returns the HTTP routes that a Next.js route file declares by its path and exports.
pub(super) fn facts(file: &ParsedFile) -> Vec<Fact> {
    let path = &file.outline.path;
    let is_script =
        matches!(file.outline.language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    let Some(folder) = path.rsplit_once('/').filter(|(_, name)| is_script && name.starts_with("route."))
    else {
        return Vec::new();
    };
    let mut parts = folder.0.split('/').skip_while(|part| *part != "app");
    if parts.next().is_none() || visible(path) != *path {
        return Vec::new();
    }
    // Folders in brackets group files, and those with `@` are slots of a page.
    let shown: Vec<&str> = parts.filter(|part| !part.starts_with(['(', '@'])).collect();
    let route = format!("/{}", shown.join("/"));
    let exported =
        file.outline.symbols.iter().filter(|symbol| {
            METHODS.contains(&symbol.name.as_str()) && symbol.visibility == Visibility::Public
        });
    let made = exported.map(|symbol| {
        let method = Some(symbol.name.clone());
        let value = FactValue::Route { method, path: route.clone(), handler: Some(symbol.name.clone()) };
        let source = SourceLines::line(path, symbol.name_line);
        Fact::new(FactSubject::File(path.clone()), value, source, FactOrigin::Convention)
    });
    made.collect()
}
