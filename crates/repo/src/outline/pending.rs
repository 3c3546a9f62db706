//! The context before a definition that belongs to it: comments, decorators, `export`. One frame per level of the tree.

use std::ops::Range;

use tree_sitter::Node;

use super::symbol::Visibility;

/// A level of the tree while it is walked.
#[derive(Clone, Default)]
pub(super) struct Frame {
    /// The symbol that it stands in.
    pub(super) symbol: Option<usize>,
    /// The nearest enclosing scope: a function, or a type.
    pub(super) scope: VariableScope,
    /// The last `private:` or the like.
    pub(super) access: Option<Visibility>,
    /// The context that the next definition takes.
    pending: Pending,
    /// The wrapper that this is the inside of, and where its first definition begins.
    wrapper: Option<Wrapper>,
    /// The last row with code.
    code_row: Option<usize>,
}

/// The kind of scope, which decides whether variables are local.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum VariableScope {
    /// They are definitions.
    #[default]
    Open,
    /// They are local.
    Local,
}

/// The context before a definition.
#[derive(Clone, Default)]
pub(super) struct Pending {
    /// A run of comments with nothing between.
    pub(super) comments: Option<CommentRun>,
    /// Decorators.
    pub(super) decorators: Vec<Range<usize>>,
    /// The text that all definitions of the wrapper begin with, such as `export const`.
    pub(super) prefix: Range<usize>,
}

/// A run of comments.
#[derive(Clone, Copy)]
pub(super) struct CommentRun {
    pub(super) start: usize,
    pub(super) end: usize,
    end_row: usize,
}

#[derive(Clone, Copy)]
struct Wrapper {
    start: usize,
    first: Option<usize>,
}

impl Frame {
    /// Returns the frame for the children of a node that is no definition.
    pub(super) fn inside(&self) -> Self {
        Self { symbol: self.symbol, scope: self.scope, access: self.access, ..Self::default() }
    }

    /// Returns the frame inside a wrapper, which passes on the context before the wrapper.
    pub(super) fn inside_wrapper(&mut self, node: Node) -> Self {
        let mut pending = self.take(node);
        if let Some(run) = &mut pending.comments {
            run.end_row = usize::MAX;
        }
        self.past(node);
        let wrapper = self.wrapper.unwrap_or(Wrapper { start: node.start_byte(), first: None });
        let wrapper = Wrapper { first: None, ..wrapper };
        Self { pending, wrapper: Some(wrapper), ..self.inside() }
    }

    /// Returns the frame inside a body whose first definition takes the context before the body.
    pub(super) fn inside_body(&mut self, node: Node) -> Self {
        let pending = self.take(node);
        self.past(node);
        Self { pending, ..self.inside() }
    }

    /// Passes code that takes no context. Inside a wrapper, the context before the first definition belongs to the wrapper.
    pub(super) fn pass(&mut self, node: Node) {
        let before_first = self.wrapper.is_some_and(|wrapper| wrapper.first.is_none());
        if node.is_named() && !before_first {
            self.pending = Pending::default();
        }
        self.past(node);
    }

    /// Adds a comment. A comment after code on the same line belongs to that code, not to the next definition.
    pub(super) fn comment(&mut self, node: Node) {
        let row = node.start_position().row;
        if self.code_row == Some(row) {
            return;
        }
        let end_row = last_row(node);
        match &mut self.pending.comments {
            Some(run) if run.end_row != usize::MAX && row <= run.end_row + 1 => {
                run.end = node.end_byte();
                run.end_row = end_row;
            }
            comments => {
                *comments = Some(CommentRun { start: node.start_byte(), end: node.end_byte(), end_row });
            }
        }
    }

    /// Adds a decorator. The documentation may stand above it.
    pub(super) fn decorate(&mut self, node: Node) {
        let row = node.start_position().row;
        if let Some(run) = &mut self.pending.comments
            && row <= run.end_row.saturating_add(1)
            && run.end_row != usize::MAX
        {
            run.end_row = last_row(node);
        }
        self.pending.decorators.push(node.byte_range());
        self.code_row = None;
    }

    /// Returns the context for the definition at `node`.
    pub(super) fn take(&mut self, node: Node) -> Pending {
        let row = node.start_position().row;
        let mut pending = std::mem::take(&mut self.pending);
        pending.comments = pending.comments.filter(|run| row <= run.end_row.saturating_add(1));
        if let Some(wrapper) = &mut self.wrapper {
            let first = *wrapper.first.get_or_insert(node.start_byte());
            let start =
                pending.decorators.iter().map(|decorator| decorator.end).filter(|end| *end <= first).max();
            pending.prefix = wrapper.start.max(start.unwrap_or(0))..first;
        }
        pending
    }

    /// Passes code up to the end of `node`.
    pub(super) fn past(&mut self, node: Node) {
        self.code_row = Some(last_row(node));
    }
}

/// Returns the last row of a node. Some grammars count the line break as a part of a comment.
fn last_row(node: Node) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1) } else { end.row }
}
