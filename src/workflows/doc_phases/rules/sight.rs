//! A file as it was seen: its outline, and its text where that was read. Says how much there is, and nothing else.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::tidy_outline::tidy;
use super::words::count;
use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind, Visibility, outline, type_name};

/// A file that the rules have seen: its outline, and its text if it was read.
pub(super) struct SeenFile<'r> {
    pub(super) outline: Cow<'r, FileOutline>,
    pub(super) text: Option<&'r str>,
    /// True if all of the file was seen and it has no syntax error.
    pub(super) is_whole: bool,
}

impl<'r> SeenFile<'r> {
    pub(super) fn outlined(outline: &'r FileOutline) -> Self {
        let is_whole = outline.gaps == crate::repo::OutlineGaps::default();
        Self { outline: tidy(outline), text: None, is_whole }
    }

    /// Outlines the text of a file, of which `total` is the number of lines; the text may be its beginning
    /// only. `None` if its language has no outlines.
    pub(super) fn read(path: &str, text: &'r str, total: usize) -> Option<Self> {
        let mut found = outline(Language::of(path, text)?, path, text);
        let is_whole = total <= found.line_count && found.gaps == crate::repo::OutlineGaps::default();
        found.line_count = total.max(found.line_count);
        let found = tidy(&found).into_owned();
        Some(Self { outline: Cow::Owned(found), text: Some(text), is_whole })
    }

    pub(super) fn language(&self) -> Language {
        self.outline.language
    }

    /// Returns the line ranges of the outermost definitions that are tests.
    pub(super) fn test_lines(&self) -> Vec<RangeInclusive<usize>> {
        let tests = self.outline.symbols.iter().filter(|symbol| symbol.is_test());
        tests.map(|symbol| symbol.line..=symbol.line_end).collect()
    }

    /// Returns the outermost definitions that are no tests. Modules are replaced by their definitions.
    pub(super) fn symbols(&self) -> Vec<&SymbolInfo> {
        fn collect<'s>(symbols: &'s [SymbolInfo], found: &mut Vec<&'s SymbolInfo>) {
            for symbol in symbols.iter().filter(|symbol| !symbol.is_test()) {
                if matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
                    collect(&symbol.children, found);
                } else {
                    found.push(symbol);
                }
            }
        }
        let mut found = Vec::new();
        collect(&self.outline.symbols, &mut found);
        found
    }
}

/// Returns true if a definition is public.
pub(super) fn is_public(symbol: &SymbolInfo) -> bool {
    symbol.visibility == Visibility::Public
}

/// Returns true if a definition is a type with a name: struct, enum, class, trait and the like.
pub(super) fn is_type(symbol: &SymbolInfo) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type, Union};
    matches!(symbol.kind, Class | Enum | Interface | Struct | Trait | Type | Union)
}

/// Returns the names of the trait and the type in a Rust head such as `impl<T> path::Trait<X> for Type<T>`;
/// `None` for an `impl` without a trait.
pub(super) fn implementation(head: &str) -> Option<(&str, &str)> {
    let rest = head.trim_start().trim_start_matches("unsafe ").strip_prefix("impl")?;
    let rest = if rest.starts_with('<') { &rest[generics(rest)..] } else { rest };
    let (what, of) = rest.split_once(" for ")?;
    Some((type_name(what), type_name(of)))
}

/// Returns the byte position behind the generic parameters (`<…>`) at the beginning of a text.
fn generics(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            // `->` closes nothing.
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
        before = c;
    }
    text.len()
}

/// Numbers of files, functions and types of a component, for sentences.
#[derive(Clone, Copy, Default)]
pub(super) struct ComponentCounts {
    files: usize,
    functions: usize,
    types: usize,
    is_public: bool,
}

impl ComponentCounts {
    pub(super) fn of(sights: &[SeenFile]) -> Self {
        let mut all = Self { files: sights.len(), is_public: true, ..Self::default() };
        all.count(sights, is_public);
        if all.functions + all.types == 0 {
            all.is_public = false;
            all.count(sights, |_| true);
        }
        all
    }

    fn count(&mut self, sights: &[SeenFile], counts: fn(&SymbolInfo) -> bool) {
        for symbol in sights.iter().flat_map(SeenFile::symbols).filter(|symbol| counts(symbol)) {
            self.functions += usize::from(symbol.kind.is_callable());
            self.types += usize::from(is_type(symbol));
        }
    }

    /// Returns the numbers as text: `12 files, 10 of them seen, 34 public functions, 3 public types`. `files`
    /// is the number of all files. If nothing is public, all functions and types are counted.
    pub(super) fn said(self, files: usize) -> String {
        let parts = if self.is_public {
            [(self.functions, "public function"), (self.types, "public type")]
        } else {
            [(self.functions, "function"), (self.types, "type")]
        };
        let mut said = vec![count(files, "file")];
        if self.files < files {
            said.push(format!("{} of them seen", self.files));
        }
        said.extend(
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| count(*number, what)),
        );
        said.join(", ")
    }
}
