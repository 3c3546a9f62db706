//! One symbol of an outlined file, with its body (CTX-53, 56, 63).

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::outline::{FileOutline, Language, SymbolInfo, SymbolKind, documentation};
use stategraph_base::nearest;

/// A symbol of a file with its source text (CTX-63). [`symbol()`] returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolDetail {
    /// The symbol of the outline, but with its whole documentation (CTX-132).
    #[serde(flatten)]
    pub symbol: SymbolInfo,
    /// The source text of its lines, from the first to the last.
    pub body: String,
    /// The name of the enclosing definition; `None` at the outermost level.
    pub parent: Option<String>,
    /// Number of characters of the body.
    pub char_count: usize,
    /// Other symbols that the name means too, as `Class.method (line 12)`: overloads, or methods of other
    /// types.
    pub alternatives: Vec<String>,
}

/// Returns the symbol that `name` means in a file: `method`, `Class.method` or `module::Class::method`.
/// `text` is the file that was outlined. Of several, types come before their `impl`, outer before inner,
/// earlier before later ones.
pub fn symbol(file: &FileOutline, text: &str, name: &str) -> Result<SymbolDetail, SymbolError> {
    let wanted = parts(name);
    let all: Vec<(Vec<String>, &SymbolInfo)> =
        file.walk().map(|(around, symbol)| (chain(file, &around, symbol), symbol)).collect();
    let mut meant: Vec<_> =
        all.iter().filter(|(chain, _)| !wanted.is_empty() && chain.ends_with(&wanted)).collect();
    // A type before its `impl`, the outer before the inner.
    meant.sort_by_key(|(chain, symbol)| (symbol.kind == SymbolKind::Impl, chain.len()));
    let Some((chain, symbol)) = meant.first() else {
        let known = all.iter().map(|(_, symbol)| symbol.name.as_str());
        let last = wanted.last().map_or(name, String::as_str);
        let name: String = name.chars().take(200).collect();
        return Err(SymbolError { nearest: nearest(last, known), name, path: file.path.clone() });
    };
    let others =
        meant[1..].iter().map(|(chain, symbol)| format!("{} (line {})", chain.join("."), symbol.line));
    let body: Vec<&str> =
        text.lines().skip(symbol.line - 1).take(symbol.line_end + 1 - symbol.line).collect();
    let body = body.join("\n");
    let mut found = (*symbol).clone();
    found.docstring = documentation(file.language, text, symbol.at.docs).or(found.docstring);
    let parent = chain.len().checked_sub(2).map(|at| chain[at].clone());
    Ok(SymbolDetail {
        symbol: found,
        parent,
        char_count: body.chars().count(),
        body,
        alternatives: others.collect(),
    })
}

/// Returns the names of the symbols around a symbol and its own, outermost first. For a method of Go the type
/// in its receiver is the outer name.
fn chain(file: &FileOutline, around: &[&str], symbol: &SymbolInfo) -> Vec<String> {
    let mut names: Vec<String> = around.iter().flat_map(|name| parts(name)).collect();
    if file.language == Language::Go && symbol.kind == SymbolKind::Method && around.is_empty() {
        names.extend(receiver(&symbol.signature));
    }
    names.extend(parts(&symbol.name));
    names
}

/// Returns the type in the receiver of a Go method: `S` of `func (s *S[T]) M()`.
fn receiver(signature: &str) -> Option<String> {
    let inside = signature.split_once('(')?.1.split_once(')')?.0;
    let name = inside.split('[').next()?.split_whitespace().last()?;
    Some(name.trim_start_matches('*').to_owned())
}

fn parts(name: &str) -> Vec<String> {
    let plain = name.replace("::", "\n").replace(['\\'], "\n");
    // `operator.` and `...` have no names in them to split.
    let parts = plain.split(['\n', '.', '#']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// The error if a file has no symbol of the given name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}` defines no `{name}`")]
pub struct SymbolError {
    /// The name as given, cut at 200 characters.
    pub name: String,
    /// The searched path.
    pub path: String,
    /// The most similar name in the file; `None` if none is similar.
    pub nearest: Option<String>,
}

impl SymbolError {
    /// Returns a hint for the user: a similar name, or the advice to outline the file.
    pub fn hint(&self) -> String {
        match &self.nearest {
            Some(name) => format!("did you mean `{name}`?"),
            None => "outline the file to see its names".into(),
        }
    }
}
