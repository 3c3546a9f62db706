//! Renders an outline as compact text, because readers pay per character (CTX-52): imports, names, signatures, lines, no bodies.

use std::fmt;

use super::symbol::{FileOutline, SymbolInfo, SymbolKind};

/// One line an import and a symbol; fields and variants on one line together. The text is cut nowhere: [`FileOutline::brief`]
/// does that.
impl fmt::Display for FileOutline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

impl FileOutline {
    /// Returns the outline as text, cut at whole lines to at most `limit` characters. A last line then states
    /// the number of omitted lines (CTX-133).
    pub fn brief(&self, limit: usize) -> String {
        let lines = self.lines();
        let mut shown = String::new();
        let mut left = limit;
        for (at, line) in lines.iter().enumerate() {
            let length = line.chars().count() + 1;
            if length > left {
                return format!(
                    "{shown}[cut: {} of {} lines of the outline left out]",
                    lines.len() - at,
                    lines.len()
                );
            }
            left -= length;
            shown.push_str(line);
            shown.push('\n');
        }
        shown.trim_end().to_owned()
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{} ({}, {} lines)", self.path, self.language, self.line_count)];
        lines.extend(self.docstring.as_ref().map(|said| format!("  {said}")));
        if !self.imports.is_empty() {
            let targets: Vec<&str> =
                self.imports.iter().flat_map(|import| &import.targets).map(String::as_str).collect();
            lines.push(format!("imports: {}", targets.join(", ")));
        }
        for symbol in &self.symbols {
            symbol.lines(0, &mut lines);
        }
        lines.extend(self.gap_lines());
        // `int a, b;` defines two and is one line.
        lines.dedup();
        lines
    }

    fn gap_lines(&self) -> Vec<String> {
        let said = [
            (self.gaps.syntax_errors, "places are no valid code"),
            (self.gaps.symbols, "symbols are not shown"),
            (self.gaps.bytes, "bytes at the end were not parsed"),
        ];
        said.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("({count} {what})")).collect()
    }
}

impl SymbolInfo {
    fn lines(&self, depth: usize, lines: &mut Vec<String>) {
        let indent = "  ".repeat(depth);
        let range = if self.line == self.line_end {
            self.line.to_string()
        } else {
            format!("{}-{}", self.line, self.line_end)
        };
        lines.push(format!("{indent}{range}: {}", self.signature));
        let (values, others): (Vec<&Self>, Vec<&Self>) = self.children.iter().partition(|child| {
            matches!(child.kind, SymbolKind::Field | SymbolKind::Variant) && child.children.is_empty()
        });
        if !values.is_empty() {
            let mut said: Vec<&str> = values.iter().map(|value| value.signature.as_str()).collect();
            said.dedup();
            lines.push(format!("{indent}  {}", said.join("; ")));
        }
        for child in others {
            child.lines(depth + 1, lines);
        }
    }
}
