//! Facts about the routes that servers answer, by the rules of well-known frameworks. A framework's rules
//! apply only to files that import it.
//!
//! Reading order: `prefixes` (groups of routes), then a module a language.

mod csharp;
mod go;
mod java;
mod next;
mod php;
mod prefixes;
mod python;
mod ruby;
mod rust;
mod script;
mod wrapped;

pub(crate) use wrapped::settle;

use stategraph_repo::{Language, ParsedFile, Site};

use crate::calls::is_minified;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::text::{has_secret, visible};

/// Maximum number of routes of one file.
const ROUTES: usize = 2_000;
/// Maximum length of a path and of a handler, in bytes.
const LENGTH: usize = 200;

/// Methods of HTTP.
const METHODS: &[&str] = &["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/// An HTTP route found in a source file, with the site that declares it.
struct ParsedRoute<'a> {
    site: &'a Site,
    /// HTTP method in capitals; `None` for every method.
    method: Option<String>,
    path: String,
    handler: Option<String>,
}

/// Returns the HTTP routes that a source file declares.
pub(crate) fn of_file(file: &ParsedFile) -> Vec<Fact> {
    if is_minified(file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    match file.outline.language {
        Language::Rust => rust::collect(file, &mut found),
        Language::Python => python::collect(file, &mut found),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script::collect(file, &mut found),
        Language::Go => go::collect(file, &mut found),
        Language::Java => java::collect(file, &mut found),
        Language::CSharp => csharp::collect(file, &mut found),
        Language::Ruby => ruby::collect(file, &mut found),
        Language::Php => php::collect(file, &mut found),
        Language::C | Language::Cpp | Language::Bash => {}
    }
    let mut facts = next::facts(file);
    // A chain has its last call first.
    found.sort_by_key(|route| route.site.line);
    facts.extend(found.into_iter().take(ROUTES).filter_map(|route| fact(file, route)));
    facts
}

/// Makes the fact for a route; `None` if its path is not fit to be shown.
fn fact(file: &ParsedFile, route: ParsedRoute) -> Option<Fact> {
    let is_plain =
        |text: &str| text.len() <= LENGTH && !text.contains(char::is_whitespace) && visible(text) == text;
    if route.path.is_empty() || !is_plain(&route.path) || has_secret(&route.path) {
        return None;
    }
    let handler = route
        .handler
        .filter(|handler| is_plain(handler.trim_start_matches(wrapped::MARK)) && !handler.is_empty());
    let path = &file.outline.path;
    let source = SourceLines { path: path.clone(), start: route.site.line, end: route.site.line_end };
    let value = FactValue::Route { method: route.method, path: route.path, handler };
    let mut fact = Fact::new(FactSubject::File(path.clone()), value, source, FactOrigin::Parsed);
    if route.site.is_test {
        fact.role = PathRole::Test;
    }
    Some(fact)
}

/// Returns the HTTP method that the word names, in any case: `get` → `GET`. `None` for other words.
fn method_of(word: &str) -> Option<String> {
    let upper = word.to_uppercase();
    METHODS.contains(&upper.as_str()).then_some(upper)
}

/// Returns the source text of a route's handler if it is a plain name, such as `users::list`; `None` for
/// anything else, such as `[UserController::class, 'show']`.
fn handler_of(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('&').trim_end_matches("::class");
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#' | '$' | '\\' | '@' | '/' | '-');
    let is_name = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '\\'))
        && text.chars().all(is_part);
    (is_name && text.len() <= LENGTH).then(|| text.to_owned())
}
