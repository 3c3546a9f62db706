//! The context before a definition that belongs to it: comments, decorators, `export`. One frame per level of the tree.

use std::ops::Range;

use tree_sitter::Node;

use super::symbol::Visibility;

/// The context of one level of the syntax tree during the walk: the symbol and scope around, and what belongs
/// to the next definition.
#[derive(Clone, Default)]
pub(super) struct WalkContext {
    /// Index of the symbol that encloses it; `None` at the outermost level.
    pub(super) symbol: Option<usize>,
    /// The kind of the nearest enclosing scope.
    pub(super) scope: VariableScope,
    /// The visibility that the last `private:` or the like sets for what follows.
    pub(super) access: Option<Visibility>,
    /// The context that the next definition takes.
    pending: Pending,
    /// The wrapper that encloses this level, such as `export …`, and the start of its first definition.
    wrapper: Option<Wrapper>,
    /// The last row with code.
    code_row: Option<usize>,
}

/// The kind of scope, which decides whether variables in it become symbols.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum VariableScope {
    /// Variables become symbols.
    #[default]
    Open,
    /// Variables are local to a function, and left out.
    Local,
}

/// The comments, decorators and wrapper before a definition, which belong to it.
#[derive(Clone, Default)]
pub(super) struct Pending {
    /// The adjacent comments directly before it.
    pub(super) comments: Option<CommentRun>,
    /// The byte ranges of its decorators.
    pub(super) decorators: Vec<Range<usize>>,
    /// The byte range of the text of the wrapper that applies to all its definitions, such as `export const`.
    pub(super) prefix: Range<usize>,
}

/// A run of adjacent comments, as a byte range.
#[derive(Clone, Copy)]
pub(super) struct CommentRun {
    pub(super) start: usize,
    pub(super) end: usize,
    end_row: usize,
}

/// The wrapper around a definition, such as `export …`: its start, and the start of the first definition
/// inside.
#[derive(Clone, Copy)]
struct Wrapper {
    start: usize,
    first: Option<usize>,
}

impl WalkContext {
    /// Returns the frame for the children of a node: the same symbol, scope and visibility, without pending
    /// comments.
    pub(super) fn inside(&self) -> Self {
        Self { symbol: self.symbol, scope: self.scope, access: self.access, ..Self::default() }
    }

    /// Returns the frame for the inside of a wrapper. The comments and decorators before the wrapper belong
    /// to its first definition.
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

    /// Returns the frame for a body whose first definition takes the comments before the body, as in Ruby.
    pub(super) fn inside_body(&mut self, node: Node) -> Self {
        let pending = self.take(node);
        self.past(node);
        Self { pending, ..self.inside() }
    }

    /// Passes a node that is no definition: pending comments and decorators are dropped, except before the
    /// first definition of a wrapper.
    pub(super) fn pass(&mut self, node: Node) {
        let before_first = self.wrapper.is_some_and(|wrapper| wrapper.first.is_none());
        if node.is_named() && !before_first {
            self.pending = Pending::default();
        }
        self.past(node);
    }

    /// Adds a comment to the pending run, or starts a new run. A comment after code on the same line is
    /// ignored.
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

    /// Adds a decorator to the pending ones. Comments directly above it still count as directly above the
    /// definition.
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

    /// Removes and returns the comments and decorators that belong to the definition at `node`. Comments that
    /// are not directly above it are dropped.
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

    /// Records that there is code up to the last row of `node`.
    pub(super) fn past(&mut self, node: Node) {
        self.code_row = Some(last_row(node));
    }
}

/// Returns the last row of a node, from 0. Some grammars include the line break at the end of a comment.
fn last_row(node: Node) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1) } else { end.row }
}
