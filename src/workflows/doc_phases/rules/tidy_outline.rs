//! An outline as the rules read it: comments of groups are none of their first members, and classes that only hold other types are namespaces.

use std::borrow::Cow;

use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind};
use crate::workflows::doc_phases::selection::{is_group_comment, without_code};

/// Returns the outline with corrections for the rules: without comments that describe a group of values,
/// without code in comments, and with Ruby classes that only group types as namespaces. Borrowed if nothing
/// changes.
pub(super) fn tidy(outline: &FileOutline) -> Cow<'_, FileOutline> {
    let mut tidied = outline.clone();
    separate(outline.language, &mut tidied.symbols);
    if outline.language == Language::Ruby {
        let symbols = std::mem::take(&mut tidied.symbols);
        tidied.symbols = symbols.into_iter().map(|symbol| as_namespace(symbol, "")).collect();
    }
    if tidied == *outline { Cow::Borrowed(outline) } else { Cow::Owned(tidied) }
}

/// Removes the comments that describe a group of values, and commented-out code, from definitions and their
/// members.
fn separate(language: Language, symbols: &mut [SymbolInfo]) {
    for at in 0..symbols.len() {
        let before = at.checked_sub(1).map(|before| &symbols[before]);
        if is_group_comment(language, before, &symbols[at], symbols.get(at + 1)) {
            symbols[at].docstring = None;
        }
        let symbol = &mut symbols[at];
        symbol.docstring = symbol.docstring.take().and_then(|said| without_code(language, symbol.kind, said));
        separate(language, &mut symbol.children);
    }
}

/// Converts a Ruby class that holds only types, or one constant, to a namespace whose members have qualified
/// names. `around` is the prefix of the names. Other definitions are returned unchanged but for the prefix.
fn as_namespace(mut symbol: SymbolInfo, around: &str) -> SymbolInfo {
    let is_outer = matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace);
    if is_outer {
        symbol.children = symbol.children.into_iter().map(|child| as_namespace(child, around)).collect();
        return symbol;
    }
    if symbol.kind != SymbolKind::Class {
        return symbol;
    }
    let is_constant = |child: &SymbolInfo| child.kind == SymbolKind::Field;
    let types = symbol.children.iter().filter(|child| child.kind == SymbolKind::Class).count();
    let constants = symbol.children.iter().filter(|child| is_constant(child)).count();
    let has_others = types + constants < symbol.children.len();
    let is_namespace = !has_others && (types > 0 || constants == 1) && !symbol.signature.contains('<');
    let name = format!("{around}{}", symbol.name);
    if is_namespace {
        let inner = format!("{name}::");
        symbol.kind = SymbolKind::Namespace;
        for child in &mut symbol.children {
            if is_constant(child) {
                child.kind = SymbolKind::Variable;
                child.name = format!("{inner}{}", child.name);
            }
        }
        symbol.children = symbol.children.into_iter().map(|child| as_namespace(child, &inner)).collect();
    }
    symbol.name = name;
    symbol
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::outline;

    fn said(language: Language, text: &str) -> Vec<String> {
        let found = outline(language, "a", text);
        let said = |symbol: &SymbolInfo| {
            format!("{} {}: {}", symbol.kind, symbol.name, symbol.docstring.as_deref().unwrap_or("-"))
        };
        tidy(&found).walk().map(|(_, symbol)| said(symbol)).collect()
    }

    #[test]
    fn a_comment_over_a_group_is_not_that_of_its_first_member() {
        let go = "package a\n\nconst (\n\t// man statfs\n\tA = 1\n\tB = 2\n\n\t// C is one.\n\tC = 3\n\tD = 4\n\n\t// The last.\n\tE = 5\n)\n";
        assert_eq!(
            said(Language::Go, go),
            [
                "variable A: -",
                "variable B: -",
                "variable C: C is one.",
                "variable D: -",
                "variable E: The last."
            ]
        );
    }

    #[test]
    fn a_comment_with_code_says_only_what_stands_behind_the_code() {
        let go = "package a\n\nconst (\n\t// A line has parts.\n\t// (1) parent\n\t//parent = 1\n\t// (2) the mount point.\n\tpoint = 2\n\t// (3) options\n\toptions = 3\n\n\t// old = 1\n\tlast = 4\n)\n";
        assert_eq!(
            said(Language::Go, go),
            ["variable point: (2) the mount point.", "variable options: (3) options", "variable last: -"]
        );
    }

    #[test]
    fn a_class_of_ruby_around_types_or_one_constant_is_a_namespace() {
        let ruby = "module TTY\n  class Spinner\n    class Multi\n      def a; end\n    end\n  end\nend\n";
        assert!(
            said(Language::Ruby, ruby).contains(&"class Spinner::Multi: -".to_owned()),
            "{:?}",
            said(Language::Ruby, ruby)
        );
        let ruby = "class Spinner\n  VERSION = '1'\nend\n";
        assert!(said(Language::Ruby, ruby).contains(&"variable Spinner::VERSION: -".to_owned()));
        let ruby = "class Gone < Error\n  CODE = 1\nend\n";
        assert!(said(Language::Ruby, ruby).contains(&"class Gone: -".to_owned()));
    }
}
