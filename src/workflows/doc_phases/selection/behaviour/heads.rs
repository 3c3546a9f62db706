//! The words that begin branches, and the labels of branches.

/// Beginning of the label of a function inside a function.
const INSIDE: &str = "inside ";
/// Beginning of the label of the branch of a condition that did not hold.
const ELSE_OF: &str = "else of ";

/// Label of a branch around a call, parsed from its text in a selection: `if x {`, `else of if x {` or
/// `inside helper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchLabel<'a> {
    /// Head of the branch, without the sign that opens its block.
    Head(&'a str),
    /// Head of the condition that did not hold.
    ElseOf(&'a str),
    /// Name of a function inside the function.
    Inside(&'a str),
}

impl<'a> BranchLabel<'a> {
    /// Parses the text of a label. Any text without a known beginning is a head.
    pub fn of(label: &'a str) -> Self {
        let shown = |head: &'a str| head.trim_end_matches(['{', ':', ' ']);
        if let Some(name) = label.strip_prefix(INSIDE) {
            return Self::Inside(name);
        }
        match label.strip_prefix(ELSE_OF) {
            Some(head) => Self::ElseOf(shown(head)),
            None => Self::Head(shown(label)),
        }
    }
}

/// Returns the label of a call in an inner function: `inside NAME`.
pub(super) fn inside_label(name: &str) -> String {
    format!("{INSIDE}{name}")
}

/// Returns the label of an `else` branch: `else of HEAD`, with the head of the condition that did not hold.
pub(super) fn else_label(head: &str) -> String {
    format!("{ELSE_OF}{}", head.trim_start_matches(['}', ' ']))
}

/// Returns true if a trimmed line may end a branch head of several lines: it begins with a closing bracket
/// (`) {`), or is `{`.
pub(super) fn is_end_of_head(line: &str) -> bool {
    line.starts_with([')', ']', '>']) || line == "{"
}

/// Returns the name of the function or closure that a trimmed line defines: `a` of `function a(`, `def a(`,
/// `const a = () => {`, `a := func() {` and `let a = |x| {`; else `None`.
pub(super) fn inner_function(head: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let name = |rest: &'_ str| -> usize { rest.find(|c| !is_part(c)).unwrap_or(rest.len()) };
    let words = ["function ", "function* ", "def ", "fn "];
    let bare = ["export ", "async ", "pub ", "const ", "unsafe "]
        .iter()
        .fold(head, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    if let Some(rest) = words.iter().find_map(|word| bare.strip_prefix(word)) {
        return Some(&rest[..name(rest)]).filter(|name| !name.is_empty());
    }
    let (target, value) = head.split_once(":= ").or_else(|| head.split_once("= "))?;
    let value = value.trim_start();
    let is_function =
        ["func(", "function", "async function", "lambda ", "|", "move |", "async |", "async move"]
            .iter()
            .any(|start| value.starts_with(start))
            || value.starts_with(['(', 'a']) && value.contains("=>");
    let target = ["const ", "let ", "var ", "mut "]
        .iter()
        .fold(target.trim(), |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let target = &target[..name(target)];
    (is_function && !target.is_empty()).then_some(target)
}

/// Returns true for a line that is an `else` without a condition.
pub(super) fn is_else(head: &str) -> bool {
    matches!(head.trim_start_matches(['}', ' ']), "else:" | "else {" | "else")
}

/// Returns true if a line begins a conditional branch: `if`, `elif`, `case`, `catch` and the like, also
/// behind `}`.
pub(super) fn is_head(line: &str) -> bool {
    const WORDS: [&str; 16] = [
        "if ", "if(", "elif ", "else if ", "else if(", "elsif ", "elseif ", "unless ", "except ", "except:",
        "catch ", "catch(", "rescue", "case ", "when ", "default:",
    ];
    let line = line.trim_start().trim_start_matches(['}', ' ']);
    WORDS.iter().any(|word| line.starts_with(word))
}

/// Returns true if a line opens a block without a condition: a loop, `try`, `match`, `let x = {` and the
/// like.
pub(super) fn is_plain_block(head: &str) -> bool {
    const WORDS: [&str; 14] = [
        "for ", "for(", "while ", "loop ", "try", "with ", "unsafe ", "do", "match ", "switch ", "select ",
        "return ", "let ", "{",
    ];
    let head = head.trim_start_matches(['}', ' ']);
    WORDS.iter().any(|word| head.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_are_written() {
        assert_eq!(BranchLabel::of(&inside_label("f")), BranchLabel::Inside("f"));
        assert_eq!(BranchLabel::of(&else_label("} else if b {")), BranchLabel::ElseOf("else if b"));
        assert_eq!(BranchLabel::of("case 1:"), BranchLabel::Head("case 1"));
    }
}
