//! Conditions of the preprocessor around lines of C, C++ and C#.

/// Maximum number of conditional regions of a file that are kept.
const REGIONS: usize = 2_000;
/// Maximum length of a condition, in characters.
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
            if found.len() < REGIONS && (end - start) * 10 < all * 9 && condition != "#ifdef __cplusplus" {
                found.push(ConditionalLines { lines: (start, end), condition });
            }
        };
        for (at, line) in text.lines().enumerate() {
            let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim) else { continue };
            let end = directive.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(directive.len());
            let word = &directive[..end];
            let said = || {
                let bare =
                    directive.split("//").next().unwrap_or(directive).split("/*").next().unwrap_or_default();
                let text = bare.split_whitespace().collect::<Vec<_>>().join(" ");
                // A condition goes on in the next line.
                format!("#{}", text.strip_suffix('\\').map_or(text.clone(), |text| format!("{text}…")))
            };
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

    /// Returns the innermost condition around a line, with `…` in front if others are around it; `None` if there is none. A long one
    /// is cut.
    pub(crate) fn around(&self, line: usize) -> Option<String> {
        let around = || self.0.iter().filter(|it| it.lines.0 < line && line < it.lines.1);
        let innermost = around().min_by_key(|it| it.lines.1 - it.lines.0)?;
        let shown: String = innermost.condition.chars().take(CONDITION).collect();
        let cut = if shown.len() < innermost.condition.len() { "…" } else { "" };
        let outer = if around().nth(1).is_some() { "… " } else { "" };
        Some(format!("{outer}{shown}{cut}"))
    }
}

#[cfg(test)]
mod tests {
    use super::BuildConditions;

    #[test]
    fn the_innermost_condition_is_told_and_guards_are_none() {
        let text = "#ifndef SHOP_H\n#define SHOP_H\n#ifdef SHOP_FAST\nint a(void);\n#else\nint a(void);\n# if\tdefined(X) /* x */\nint b(void);\n# endif/* X */\n#endif\nint c(void);\n#endif\n";
        let found = BuildConditions::of(text);
        let at = |line| found.around(line).unwrap_or_default();
        assert_eq!(at(4), "#ifdef SHOP_FAST");
        assert_eq!(at(6), "#else of #ifdef SHOP_FAST");
        assert_eq!(at(8), "… #if defined(X)");
        assert_eq!((at(2), at(11)), (String::new(), String::new()));
        assert_eq!(BuildConditions::of("#endif\n#else\n").around(1), None);
    }
}
