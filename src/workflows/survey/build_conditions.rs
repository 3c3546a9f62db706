//! Conditions of the preprocessor around lines of C, C++ and C#.

/// Maximum length of a condition, in bytes.
const CONDITION: usize = 60;

/// Lines that only some builds have, with the condition.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConditionalLines {
    lines: (usize, usize),
    condition: String,
}

/// The conditional lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BuildConditions(Vec<ConditionalLines>);

impl BuildConditions {
    /// Reads the directives of a file. A guard against a second inclusion is none, and so is a condition around nearly the whole file.
    pub(crate) fn of(text: &str) -> Self {
        let mut found = Vec::new();
        let mut open: Vec<(usize, String)> = Vec::new();
        let all = text.lines().count();
        let mut close = |start: usize, end: usize, condition: String| {
            if (end - start) * 10 < all * 9 && condition != "#ifdef __cplusplus" {
                found.push(ConditionalLines { lines: (start, end), condition });
            }
        };
        for (at, line) in text.lines().enumerate() {
            let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim) else { continue };
            let word = directive.split([' ', '(']).next().unwrap_or_default();
            let said = || format!("#{}", directive.split("//").next().unwrap_or(directive).trim());
            match word {
                "if" | "ifdef" | "ifndef" => open.push((at + 1, said())),
                "elif" | "else" => {
                    let Some((start, before)) = open.pop() else { continue };
                    let first = before.strip_prefix("#else of ").unwrap_or(&before).to_owned();
                    close(start, at + 1, before);
                    open.push((at + 1, if word == "else" { format!("#else of {first}") } else { said() }));
                }
                "endif" => {
                    let Some((start, condition)) = open.pop() else { continue };
                    close(start, at + 1, condition);
                }
                _ => {}
            }
        }
        Self(found)
    }

    /// Returns the innermost condition around a line; `None` if there is none, or if it is long.
    pub(crate) fn around(&self, line: usize) -> Option<&str> {
        let around = self.0.iter().filter(|it| it.lines.0 < line && line < it.lines.1);
        let innermost = around.min_by_key(|it| it.lines.1 - it.lines.0)?;
        Some(innermost.condition.as_str()).filter(|condition| condition.len() <= CONDITION)
    }
}

#[cfg(test)]
mod tests {
    use super::BuildConditions;

    #[test]
    fn the_innermost_condition_is_told_and_guards_are_none() {
        let text = "#ifndef SHOP_H\n#define SHOP_H\n#ifdef SHOP_FAST\nint a(void);\n#else\nint a(void);\n# if defined(X)\nint b(void);\n# endif\n#endif\nint c(void);\n#endif\n";
        let found = BuildConditions::of(text);
        let at = |line| found.around(line);
        assert_eq!(at(4), Some("#ifdef SHOP_FAST"));
        assert_eq!(at(6), Some("#else of #ifdef SHOP_FAST"));
        assert_eq!(at(8), Some("#if defined(X)"));
        assert_eq!((at(2), at(11)), (None, None));
        assert_eq!(BuildConditions::of("#endif\n#else\n").around(1), None);
    }
}
