//! Parses the calls in a model's text (DOC-33, DOC-35). Any text gives a result: a broken call has a problem, which the model is told. Runs
//! nothing, knows no schema.

use std::ops::Range;

use super::tag::{CaseFoldedText, Tag};

const BLOCK: &str = "function_calls";
const CALL: &str = "invoke";
const PARAMETER: &str = "parameter";

/// An answer of a model, separated into text and calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XmlAnswer {
    /// The text outside of the blocks, without blanks around it.
    pub text: String,
    /// The calls of all blocks, in order.
    pub calls: Vec<XmlCall>,
}

/// A call as the model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XmlCall {
    /// The name of the tool; empty if there is none.
    pub name: String,
    /// The parameters in order, values without blanks around them.
    pub parameters: Vec<(String, String)>,
    /// The reason why the call cannot run; `None` if it is well-formed.
    pub problem: Option<String>,
    /// The whole call, as it was written.
    pub raw: String,
}

/// Separates an answer into its text and the calls in its `function_calls` blocks. An `invoke` outside of
/// such a block stays text, because models also write about calls.
///
/// ```
/// use stategraph_agent::xml::parse_calls;
///
/// let answer = parse_calls(
///     "Looking.\n<function_calls>\n<invoke name=\"grep\">\n<parameter name=\"pattern\">def main</parameter>\n</invoke>\n</function_calls>",
/// );
/// assert_eq!(answer.text, "Looking.");
/// assert_eq!(answer.calls[0].name, "grep");
/// assert_eq!(answer.calls[0].parameters, [("pattern".into(), "def main".into())]);
/// ```
pub fn parse_calls(answer: &str) -> XmlAnswer {
    let page = CaseFoldedText::new(answer);
    let (mut read, mut from) = (XmlAnswer::default(), 0);
    while let Some(block) = page.open(BLOCK, from..answer.len()) {
        read.text.push_str(&answer[from..block.span.start]);
        from = if block.is_empty { block.span.end } else { read_block(&page, &block, &mut read.calls) };
    }
    read.text.push_str(&answer[from..]);
    read.text = read.text.trim().to_owned();
    read
}

/// Appends the calls of a block to `calls` and returns the offset behind the block. A block without a
/// readable call adds one with a problem.
fn read_block(page: &CaseFoldedText<'_>, block: &Tag, calls: &mut Vec<XmlCall>) -> usize {
    let (known, len) = (calls.len(), page.text.len());
    let mut from = block.span.end;
    loop {
        let close = page.close(BLOCK, from..len);
        let end = close.as_ref().map_or(len, |close| close.start);
        if let Some(open) = page.open(CALL, from..end) {
            let (call, after) = read_call(page, &open);
            calls.push(call);
            from = after;
            continue;
        }
        if calls.len() == known {
            let raw = page.text[block.span.start..end].to_owned();
            let problem = Some(format!("the `{BLOCK}` block holds no `{CALL}` that can be read"));
            calls.push(XmlCall { problem, raw, ..XmlCall::default() });
        }
        return close.map_or(len, |close| close.end);
    }
}

/// Returns the call that `open` begins, and the offset behind it. A call without a closing tag ends where the
/// next call begins or the block ends.
fn read_call(page: &CaseFoldedText<'_>, open: &Tag) -> (XmlCall, usize) {
    let mut call = XmlCall { name: open.name.clone().unwrap_or_default(), ..XmlCall::default() };
    if call.name.is_empty() {
        call.problem = Some(format!("the `{CALL}` has no name"));
    }
    let mut from = open.span.end;
    if !open.is_empty {
        loop {
            let end = end_of_call(page, from);
            let Some(parameter) = page.open(PARAMETER, from..end.start) else {
                from = end.end;
                break;
            };
            from = read_parameter(page, &parameter, &mut call);
        }
    }
    page.text[open.span.start..from].trim_end().clone_into(&mut call.raw);
    (call, from)
}

/// Returns the range of the closing tag of the call that is read at `from`. Without one, an empty range where
/// the call ends nevertheless: at the next call, the end of the block or the end of the text.
fn end_of_call(page: &CaseFoldedText<'_>, from: usize) -> Range<usize> {
    let len = page.text.len();
    let must = [
        page.open(CALL, from..len).map(|next| next.span.start),
        page.close(BLOCK, from..len).map(|close| close.start),
    ];
    let must = must.into_iter().flatten().min().unwrap_or(len);
    page.close(CALL, from..must).unwrap_or(must..must)
}

/// Adds the parameter that `open` begins to `call` and returns the offset behind it. Everything up to its
/// closing tag is the value, other tags as well. A missing name, a repeated name or a missing end sets the
/// problem of the call.
fn read_parameter(page: &CaseFoldedText<'_>, open: &Tag, call: &mut XmlCall) -> usize {
    let start = open.span.end;
    let name = open.name.clone().unwrap_or_default();
    if name.is_empty() {
        call.problem.get_or_insert_with(|| format!("a `{PARAMETER}` has no name"));
    }
    if call.parameters.iter().any(|(known, _)| *known == name) {
        call.problem.get_or_insert_with(|| format!("the parameter `{name}` is there twice"));
    }
    let close =
        if open.is_empty { Some(start..start) } else { page.close(PARAMETER, start..page.text.len()) };
    let close = close.unwrap_or_else(|| {
        // A value that was cut off must not be used.
        call.problem.get_or_insert_with(|| format!("the parameter `{name}` has no end"));
        let end = end_of_call(page, start).start;
        end..end
    });
    if page.open(PARAMETER, start..close.start).is_some() {
        // Its closing tag is another's: the value holds text of another element.
        call.problem.get_or_insert_with(|| format!("the parameter `{name}` has no end"));
    }
    call.parameters.push((name, page.text[start..close.start].trim().to_owned()));
    close.end
}
