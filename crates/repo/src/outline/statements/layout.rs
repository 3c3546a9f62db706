//! Which nodes of each grammar have statements as children.

use tree_sitter::Node;

use super::super::language::Language;

/// The place of the statements among the children of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockLayout {
    /// Every named child is a statement.
    Block,
    /// Named children behind the first of these tokens, such as the `:` of a case.
    After(&'static [&'static str]),
    /// Children of these kinds.
    Cases(&'static [&'static str]),
}

/// Kinds of nodes that stand among statements and continue the node around them.
const CONTINUING: &[&str] = &[
    "elif_clause",
    "else_clause",
    "switch_label",
    "block_parameters",
    "rescue",
    "ensure",
    "else",
    "preproc_else",
    "preproc_elif",
    "preproc_elifdef",
];

impl BlockLayout {
    /// Returns true if a child behind the beginning of the block is one of its statements.
    pub(super) fn has(self, child: &Node) -> bool {
        match self {
            Self::Block | Self::After(_) => child.is_named() && !CONTINUING.contains(&child.kind()),
            Self::Cases(kinds) => child.is_named() && kinds.contains(&child.kind()),
        }
    }
}

/// Returns the place of the statements in a node; `None` if it is no block.
pub(super) fn layout(language: Language, kind: &str) -> Option<BlockLayout> {
    const COLON: BlockLayout = BlockLayout::After(&[":"]);
    let is_one_of = |kinds: &[&str]| kinds.contains(&kind);
    match language {
        Language::Rust => {
            is_one_of(&["block", "match_block", "declaration_list"]).then_some(BlockLayout::Block)
        }
        Language::Python => (kind == "block").then_some(BlockLayout::Block),
        Language::JavaScript | Language::TypeScript | Language::Tsx => match kind {
            "statement_block" | "switch_body" | "class_body" => Some(BlockLayout::Block),
            "switch_case" | "switch_default" => Some(COLON),
            _ => None,
        },
        Language::Go => match kind {
            "block" | "statement_list" | "var_spec_list" => Some(BlockLayout::Block),
            "expression_switch_statement" | "type_switch_statement" | "select_statement" => {
                Some(BlockLayout::Cases(&[
                    "expression_case",
                    "default_case",
                    "type_case",
                    "communication_case",
                ]))
            }
            "expression_case" | "default_case" | "type_case" | "communication_case" => Some(COLON),
            _ => None,
        },
        Language::Java => match kind {
            "block" | "constructor_body" | "switch_block" | "class_body" => Some(BlockLayout::Block),
            "switch_block_statement_group" => Some(COLON),
            _ => None,
        },
        Language::C | Language::Cpp => match kind {
            "compound_statement" => Some(BlockLayout::Block),
            "case_statement" => Some(COLON),
            _ => None,
        },
        Language::CSharp => match kind {
            "block" | "switch_body" | "declaration_list" => Some(BlockLayout::Block),
            "switch_section" => Some(COLON),
            "switch_expression" => Some(BlockLayout::Cases(&["switch_expression_arm"])),
            _ => None,
        },
        Language::Ruby => match kind {
            "body_statement" | "block_body" | "then" | "do" | "begin" | "else" | "ensure" => {
                Some(BlockLayout::Block)
            }
            "case" | "case_match" => Some(BlockLayout::Cases(&["when", "in_clause"])),
            _ => None,
        },
        Language::Php => match kind {
            "compound_statement" | "switch_block" | "match_block" | "declaration_list" | "colon_block" => {
                Some(BlockLayout::Block)
            }
            "case_statement" | "default_statement" => Some(COLON),
            _ => None,
        },
        Language::Bash => match kind {
            "compound_statement" | "do_group" => Some(BlockLayout::Block),
            "if_statement" | "elif_clause" => Some(BlockLayout::After(&["then"])),
            "else_clause" => Some(BlockLayout::After(&["else"])),
            "case_statement" => Some(BlockLayout::Cases(&["case_item"])),
            "case_item" => Some(BlockLayout::After(&[")"])),
            _ => None,
        },
    }
}

/// Returns true for a node that only lists the statements of the block around it.
pub(super) fn is_list(kind: &str) -> bool {
    kind == "statement_list"
}

/// Returns true for a child that is the only statement of a condition or a loop without braces.
pub(super) fn is_single(language: Language, kind: &str, child: &str) -> bool {
    const AROUND: &[&str] = &[
        "if_statement",
        "else_clause",
        "while_statement",
        "for_statement",
        "for_in_statement",
        "foreach_statement",
        "for_range_loop",
        "enhanced_for_statement",
    ];
    const BLOCKS: &[&str] = &["compound_statement", "if_statement", "empty_statement", "init_statement"];
    // Go has braces everywhere, and statements before a condition.
    language != Language::Go
        && AROUND.contains(&kind)
        && child.ends_with("_statement")
        && !BLOCKS.contains(&child)
}

/// Returns the body of a function whose grammar has no field for it.
pub(super) fn body_of(language: Language, node: Node<'_>) -> Option<Node<'_>> {
    let is_function = match language {
        Language::Ruby => matches!(node.kind(), "method" | "singleton_method"),
        Language::CSharp => node.kind().ends_with("_declaration"),
        _ => false,
    };
    if !is_function {
        return None;
    }
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .find(|child| matches!(child.kind(), "body_statement" | "block" | "arrow_expression_clause"))
}
