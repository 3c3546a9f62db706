//! The statements of functions with the blocks inside them, from the syntax tree: a reader can leave statements out and still show the
//! code as it is written. Knows nothing of what they mean.

mod layout;

use tree_sitter::{Node, Tree};

use self::layout::{BlockLayout, is_single, layout};
use super::language::Language;
use super::parse::{parse, whole_lines};
use super::spec::Grammar;
use super::symbol::SymbolInfo;
use super::targets::text;

/// Maximum length of a text that is parsed, in bytes: files that people write are shorter.
const BYTES: usize = 512 << 10;
/// Deepest nesting of nodes that is followed; deeper code is `…`.
const DEPTH: usize = 150;
/// Maximum number of attributes of a statement; more are statements.
const ATTRIBUTES: usize = 8;
/// Maximum length of a piece of code, in bytes.
const PIECE: usize = 2_000;
/// Maximum number of statements of a body, with those inside others.
const STATEMENTS: usize = 3_000;

/// A statement of a function: its code on one line, with the blocks inside it. Comments are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeStatement {
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub line_end: usize,
    /// Its code and blocks in the order of the text: `if a {`, the block, `} else {`, another block, `}`. None for statements beyond a
    /// limit.
    pub parts: Vec<StatementPart>,
}

/// A part of a [`CodeStatement`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementPart {
    /// Code as written, with one space for any white space outside of literals. A text of several lines, and code that is too long, ends
    /// with `…`.
    Code(String),
    /// The statements of a block, without its braces.
    Block(Vec<CodeStatement>),
}

/// The syntax tree of a file, to read its statements.
pub struct CodeTree<'t> {
    language: Language,
    text: &'t str,
    tree: Tree,
}

impl<'t> CodeTree<'t> {
    /// Parses a text, at most its first 512 KiB; `None` if that takes too many steps. Functions behind that have no body.
    pub fn parse(language: Language, text: &'t str) -> Option<Self> {
        let text = whole_lines(text, BYTES);
        Some(Self { language, text, tree: parse(language, text)? })
    }

    /// Returns the statements in the body of a function of this text. A body that is an expression, or that has handlers of errors beside
    /// its statements, is one statement. `None` if the function has no body.
    ///
    /// ```
    /// use stategraph_repo::{CodeTree, Language, StatementPart, outline};
    ///
    /// let text = "fn f(a: u8) {\n    if a > 5 {\n        g(); // all\n    }\n}";
    /// let file = outline(Language::Rust, "a.rs", text);
    /// let body = CodeTree::parse(Language::Rust, text).unwrap().body(&file.symbols[0]).unwrap();
    /// let [StatementPart::Code(head), StatementPart::Block(inner), StatementPart::Code(end)] = body[0].parts.as_slice() else {
    ///     panic!("{body:?}");
    /// };
    /// assert_eq!((head.as_str(), end.as_str()), ("if a > 5 {", "}"));
    /// assert_eq!(inner[0].parts, [StatementPart::Code("g();".to_owned())]);
    /// ```
    pub fn body(&self, function: &SymbolInfo) -> Option<Vec<CodeStatement>> {
        let (start, end) = function.at.whole;
        let (start, end) = (start as usize, end as usize);
        if start >= end || end > self.text.len() {
            return None;
        }
        let node = self.tree.root_node().descendant_for_byte_range(start, end)?;
        let body = self.find_body(node, 0)?;
        let mut reader = CodeStatementReader::new(self);
        Some(match layout(self.language, body.kind()).filter(|layout| *layout == BlockLayout::Block) {
            Some(layout) => reader.block(body, layout, 0),
            None => vec![reader.statement(body, 0)],
        })
    }

    /// Returns the code from `line` to `line_end`, both from 1, on one line and without comments.
    pub fn code(&self, line: usize, line_end: usize) -> String {
        let mut writer = PartWriter::default();
        let rows = (line.saturating_sub(1), line_end.saturating_sub(1));
        CodeStatementReader::new(self).write_rows(self.tree.root_node(), rows, &mut writer, 0);
        writer.code
    }

    /// Returns the outermost statements of the file: definitions, imports and the code that runs when it is loaded.
    pub fn outermost(&self) -> Vec<CodeStatement> {
        CodeStatementReader::new(self).block(self.tree.root_node(), BlockLayout::Block, 0)
    }

    /// Returns the body of the first node at or below `node` that has one.
    fn find_body<'n>(&self, node: Node<'n>, depth: usize) -> Option<Node<'n>> {
        let body = node.child_by_field_name("body").or_else(|| layout::body_of(self.language, node));
        if body.is_some() || depth > DEPTH {
            return body;
        }
        let mut cursor = node.walk();
        let children: Vec<Node> = node.children(&mut cursor).take(CHILDREN).collect();
        children.into_iter().find_map(|child| self.find_body(child, depth + 1))
    }
}

/// Kinds of nodes that are no code: they change nothing that a reader of a body asks for.
const SILENT: &[&str] = &["line_continuation", "preproc_pragma", "preproc_region", "preproc_endregion"];
/// Signs and words around the statements of a block.
const BORDERS: &[&str] = &["{", "}", "(", ")", "begin", "do", "done", "end", "then"];
/// Maximum number of children of a definition among which its body is searched.
const CHILDREN: usize = 200;

/// Reads statements from nodes, up to a limit.
struct CodeStatementReader<'t> {
    language: Language,
    text: &'t str,
    grammar: &'static Grammar,
    left: usize,
}

/// The parts of a statement that is being read.
#[derive(Default)]
struct PartWriter {
    parts: Vec<StatementPart>,
    code: String,
    /// End of the last text, in bytes; `None` at the beginning.
    end: Option<usize>,
}

impl PartWriter {
    /// Adds code that begins at a byte of the text, with a space if there was white space before it.
    fn push(&mut self, source: &str, language: Language, start: usize, end: usize, code: &str) {
        if let Some(before) = self.end.filter(|_| !self.code.is_empty() && self.code.len() < PIECE) {
            let gap = source.get(before..start).unwrap_or_default();
            let is_new_line = || gap.replace("\\\n", "").replace("\\\r\n", "").contains('\n');
            if language == Language::Bash && is_new_line() && ends_command(&self.code) {
                self.code.push_str("; ");
            } else if !gap.is_empty() && !self.code.ends_with(' ') {
                self.code.push(' ');
            }
        }
        if self.code.len() < PIECE {
            let most = PIECE - self.code.len();
            let cut = code.char_indices().map(|(at, _)| at).take_while(|at| *at <= most).last().unwrap_or(0);
            let is_whole = code.len() <= most;
            self.code.push_str(if is_whole { code } else { &code[..cut] });
            if self.code.len() >= PIECE || !is_whole {
                self.code.push('…');
            }
        }
        self.end = Some(end);
    }

    fn block(&mut self, statements: Vec<CodeStatement>, end: usize) {
        if statements.is_empty() {
            return;
        }
        self.end_code();
        self.parts.push(StatementPart::Block(statements));
        self.end = Some(end);
    }

    fn end_code(&mut self) {
        let code = std::mem::take(&mut self.code);
        if !code.trim().is_empty() {
            self.parts.push(StatementPart::Code(code.trim().to_owned()));
        }
    }

    fn finish(mut self) -> Vec<StatementPart> {
        self.end_code();
        self.parts
    }
}

/// Returns true if the end of a line behind this code ends a command of a shell.
fn ends_command(code: &str) -> bool {
    let last = code.rsplit(' ').next().unwrap_or_default();
    !code.ends_with([';', '|', '&', '(', '{', '\\']) && !["then", "do", "else", "in"].contains(&last)
}

impl<'t> CodeStatementReader<'t> {
    fn new(tree: &CodeTree<'t>) -> Self {
        Self {
            language: tree.language,
            text: tree.text,
            grammar: Grammar::of(tree.language),
            left: STATEMENTS,
        }
    }

    /// Returns a statement with its blocks.
    fn statement(&mut self, node: Node, depth: usize) -> CodeStatement {
        let mut writer = PartWriter::default();
        self.write(node, &mut writer, depth);
        let (line, line_end) = (node.start_position().row + 1, node.end_position().row + 1);
        // The end of a line of Ruby and Python is in the row below.
        let is_below = node.end_position().column == 0 && line_end > line;
        CodeStatement {
            line,
            line_end: if is_below { line_end - 1 } else { line_end },
            parts: writer.finish(),
        }
    }

    /// Adds the code and the blocks of a node.
    fn write(&mut self, node: Node, writer: &mut PartWriter, depth: usize) {
        let kind = node.kind();
        if self.grammar.spec.comments.contains(&kind) || SILENT.contains(&kind) {
            return;
        }
        let (start, end) = (node.start_byte(), node.end_byte());
        let is_text = self.grammar.spec.strings.contains(&kind);
        if depth > DEPTH {
            return writer.push(self.text, self.language, start, end, "…");
        }
        if node.child_count() == 0 || is_text {
            let code = first_line(text(node, self.text).trim_end_matches(['\n', '\r']));
            return writer.push(self.text, self.language, start, end, &code);
        }
        if let Some(layout) = layout(self.language, kind) {
            return self.write_block(node, layout, writer, depth);
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if is_single(self.language, kind, child.kind()) {
                let statements = self.take().then(|| self.statement(child, depth + 1));
                writer.block(statements.into_iter().collect(), child.end_byte());
            } else {
                self.write(child, writer, depth + 1);
            }
        }
    }

    /// Adds the code of a node that lies in these rows, without blocks.
    fn write_rows(&self, node: Node, rows: (usize, usize), writer: &mut PartWriter, depth: usize) {
        let (start, end) = (node.start_position().row, node.end_position().row);
        let is_comment = self.grammar.spec.comments.contains(&node.kind());
        if end < rows.0 || start > rows.1 || is_comment || writer.code.len() >= PIECE {
            return;
        }
        if depth > 2 * DEPTH {
            return writer.push(self.text, self.language, node.start_byte(), node.end_byte(), "…");
        }
        if node.child_count() == 0 || self.grammar.spec.strings.contains(&node.kind()) {
            if start >= rows.0 && end <= rows.1 {
                let code = first_line(text(node, self.text).trim_end_matches(['\n', '\r']));
                writer.push(self.text, self.language, node.start_byte(), node.end_byte(), &code);
            }
            return;
        }
        let mut cursor = node.walk();
        node.children(&mut cursor).for_each(|child| self.write_rows(child, rows, writer, depth + 1));
    }

    /// Adds a node of which some children are the statements of a block.
    fn write_block(&mut self, node: Node, layout: BlockLayout, writer: &mut PartWriter, depth: usize) {
        let mut cursor = node.walk();
        let mut statements: Vec<CodeStatement> = Vec::new();
        // A statement without the condition of its build says something else.
        let mut attributes: Vec<CodeStatement> = Vec::new();
        let mut is_inside = !matches!(layout, BlockLayout::After(_));
        for child in node.children(&mut cursor) {
            let kind = child.kind();
            if self.grammar.spec.comments.contains(&kind) || SILENT.contains(&kind) {
                continue;
            }
            if is_inside && layout.has(&child) {
                if kind == "attribute_item" && attributes.len() < ATTRIBUTES {
                    attributes.push(self.statement(child, depth + 1));
                } else if layout::is_list(kind) {
                    statements.extend(self.block(child, BlockLayout::Block, depth + 1));
                } else if self.take() {
                    statements.push(with_attributes(&mut attributes, self.statement(child, depth + 1)));
                } else if statements.last().is_none_or(|last| !last.parts.is_empty()) {
                    // One without parts stands for all that are not read.
                    let line = child.start_position().row + 1;
                    statements.push(CodeStatement { line, line_end: line, parts: Vec::new() });
                }
                continue;
            }
            // The sign behind a statement is a part of it.
            if let (";" | "," | "&", Some(StatementPart::Code(code))) =
                (kind, statements.last_mut().and_then(|last| last.parts.last_mut()))
            {
                // `server &` runs beside the next command.
                code.push_str(if kind == "&" { " &" } else { kind });
                continue;
            }
            let is_separator = matches!(kind, ";" | "\n" | ";;");
            // Go has a statement before the value of a `switch`.
            let is_of_head = self.language == Language::Go
                && kind == ";"
                && matches!(layout, BlockLayout::Cases(_))
                && statements.is_empty();
            if is_inside && is_separator && !is_of_head {
                continue;
            }
            if !statements.is_empty() {
                let end = child.start_byte();
                writer.block(std::mem::take(&mut statements), end);
            }
            self.write(child, writer, depth + 1);
            if let BlockLayout::After(tokens) = layout {
                is_inside |= tokens.contains(&kind);
            }
        }
        writer.block(statements, node.end_byte());
    }

    /// Returns the statements of a block. With other code between them, such as a handler of errors, all is one statement.
    fn block(&mut self, node: Node, layout: BlockLayout, depth: usize) -> Vec<CodeStatement> {
        let mut writer = PartWriter::default();
        self.write_block(node, layout, &mut writer, depth);
        let is_border = |part: &StatementPart| matches!(part, StatementPart::Code(code) if BORDERS.contains(&code.as_str()));
        let mut parts = writer.finish();
        if parts.last().is_some_and(is_border) {
            parts.pop();
        }
        if parts.first().is_some_and(is_border) {
            parts.remove(0);
        }
        match parts.as_mut_slice() {
            [] => Vec::new(),
            [StatementPart::Block(statements)] => std::mem::take(statements),
            _ => {
                let (line, line_end) = (node.start_position().row + 1, node.end_position().row + 1);
                vec![CodeStatement { line, line_end, parts }]
            }
        }
    }

    /// Counts a statement. Returns false if there were too many.
    fn take(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

/// Puts the code of attributes in front of a statement.
fn with_attributes(attributes: &mut Vec<CodeStatement>, mut statement: CodeStatement) -> CodeStatement {
    let said: Vec<String> = attributes
        .drain(..)
        .flat_map(|attribute| attribute.parts)
        .filter_map(|part| match part {
            StatementPart::Code(code) => Some(code),
            StatementPart::Block(_) => None,
        })
        .collect();
    if !said.is_empty() {
        let said = said.join(" ");
        match statement.parts.first_mut() {
            Some(StatementPart::Code(code)) => *code = format!("{said} {code}"),
            _ => statement.parts.insert(0, StatementPart::Code(said)),
        }
    }
    statement
}

/// Returns a literal on one line; of one with several lines the first, with `…`.
fn first_line(literal: &str) -> String {
    match literal.split_once('\n') {
        Some((first, _)) => format!("{}…", first.trim_end()),
        None => literal.to_owned(),
    }
}

#[cfg(test)]
mod tests;
