//! The parsed graph file. Builds no graph; see `build.rs`.

use std::sync::Arc;

use serde_json::{Map, Value};
use stategraph_core::{Draft, NodePolicy};

use super::check::{build_draft, find_defects, item_policy};
use super::decode::decode;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::expression::Operand;
use super::format::{
    Entries, GotoFile, GraphFile, HandlerFile, InputSpec, NodeAction, NodeFile, RouteRule, StateFile,
};
use super::inline::{FileOrigin, StateSchema, ValueLimits};
use super::kind::{ChannelWrite, Kind, Target};
use super::located::Located;
use super::read::{Completeness, Inclusion, NamedCall, Reader};
use super::source::SourceText;
use super::syntax::diagnose;
use super::tree::parse;

/// A parsed graph file: each key has a valid form, and the names in it may still be wrong.
/// [`build`](Self::build) and [`build_inline`](Self::build_inline) check the graph as a whole and make it
/// runnable.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub(super) source: Arc<SourceText>,
    pub(super) file: GraphFile,
    /// Tools that the file names.
    pub(super) named_tools: Vec<Located<String>>,
    /// Calls of tools by nodes.
    pub(super) tool_calls: Vec<NamedCall>,
    pub(super) inclusions: Vec<Inclusion>,
    /// Bounds of values that the user set.
    pub(super) allowed: ValueLimits,
    /// Context of the runs of the graph.
    pub(super) run_context: Arc<Map<String, Value>>,
}

/// The description of a node, or of its error handler, whose work the graph file itself defines, such as
/// `model` or `http`; not `uses`, which names Rust code. The caller of
/// [`build_inline`](Definition::build_inline) makes nodes of it.
#[derive(Debug, Clone)]
pub struct NodeSpec<'a> {
    /// Name of the node.
    pub name: &'a str,
    /// Work of the node, with its keys.
    pub kind: &'a Kind,
    /// Position of the node: `file:line:column`.
    pub location: String,
    /// Channels that take the result.
    pub to: Option<&'a Target>,
    /// Writes that replace whole values, beside those of a `set`.
    pub overwrite: &'a Entries<ChannelWrite>,
    /// Custom events with their data, sent after the work; `None` for no events.
    pub emit: Option<&'a Entries<Operand>>,
    /// Retry policy of each item of a `map`.
    pub item_policy: NodePolicy,
    /// Node or error handler.
    pub role: NodeRole<'a>,
}

/// The role of a [`NodeSpec`]: the node itself or its error handler, with the nodes that may run next.
#[derive(Debug, Clone)]
pub enum NodeRole<'a> {
    /// The node itself.
    Node {
        /// Rules that choose the next nodes; empty to follow the edges of the node.
        goto: Vec<RouteRule>,
    },
    /// Its error handler, which runs after the last attempt of the node failed.
    Handler {
        /// Nodes to run next; empty to follow the edges of the node.
        goto: Vec<&'a str>,
    },
}

impl Definition {
    /// Parses a graph file from text or bytes; `file` is its name in messages. Fails with every defect that can be
    /// found without a registry, provided that the YAML itself parses.
    pub fn parse(content: impl AsRef<[u8]>, file: impl Into<String>) -> Result<Self, Diagnostics> {
        let source = decode(content.as_ref(), &file.into())?;
        let tree = parse(&source.text)
            .map_err(|error| Diagnostics::new(source.clone(), vec![diagnose(&source, &error)]))?;
        let mut reader = Reader::new(source.clone());
        let file = GraphFile::read(&mut reader, tree);
        let Reader {
            diagnostics: mut found, completeness, tools: named_tools, tool_calls, inclusions, ..
        } = reader;
        match file {
            Some(file) if found.is_empty() => {
                let allowed = ValueLimits::DEFAULT;
                let run_context = Arc::default();
                Ok(Self { source, file, named_tools, tool_calls, inclusions, allowed, run_context })
            }
            Some(file) => {
                found.extend(find_defects(&source, &file, &build_draft(&file, &|_| None), completeness));
                Err(Diagnostics::new(source, found))
            }
            None => Err(Diagnostics::new(source, found)),
        }
    }

    /// Sets the bounds of values that the user allows; the default is [`ValueLimits::DEFAULT`]. The file can
    /// lower them.
    #[must_use]
    pub fn with_limits(mut self, allowed: ValueLimits) -> Self {
        self.allowed = allowed;
        self
    }

    /// Sets the context of the runs of the graph. The values are not checked here; [`context`](Self::context)
    /// returns the declared names and types.
    #[must_use]
    pub fn with_context(mut self, context: Map<String, Value>) -> Self {
        self.run_context = Arc::new(context);
        self
    }

    /// Takes the bounds of values and the run context of `outer`, the graph that runs this one as a
    /// sub-graph. A run that is resumed inside the sub-graph needs this too.
    #[must_use]
    pub fn included_by(mut self, outer: &Self) -> Self {
        self.allowed = outer.allowed;
        self.run_context = outer.run_context.clone();
        self
    }

    /// Returns the values that the file declares under `context`, in the order of the file: name, type,
    /// default.
    pub fn context(&self) -> &[InputSpec] {
        self.file.context.as_ref().map_or(&[], |context| &context.0)
    }

    /// Returns the name of the graph.
    pub fn name(&self) -> &str {
        &self.file.name.value
    }

    /// Returns the one-line description of the graph; empty if the file has none.
    pub fn about(&self) -> &str {
        self.file.about.as_ref().map_or("", |about| &about.value)
    }

    /// Returns the name of the registered state, which selects the registry to build with. It is `None` if the file
    /// declares its channels; such a graph is built with [`build_inline`](Self::build_inline).
    pub fn state_name(&self) -> Option<&str> {
        match &self.file.state {
            StateFile::Registered(name) => Some(&name.value),
            StateFile::Inline(_) => None,
        }
    }

    /// Returns the channels that the graph file declares, with types and reducers; `None` if it names a
    /// registered state.
    pub fn schema(&self) -> Option<&Arc<StateSchema>> {
        self.file.schema()
    }

    /// Returns the inputs of a run that the file declares, in the order of the file; empty for a registered
    /// state.
    pub fn inputs(&self) -> &[InputSpec] {
        self.file.inputs.as_ref().map_or(&[], |inputs| &inputs.0)
    }

    /// Returns the names of the channels that make up the result of a run: the declared outputs, or else all
    /// channels. Empty for a registered state.
    pub fn outputs(&self) -> Vec<&str> {
        match (&self.file.outputs, self.schema()) {
            (Some(outputs), _) => outputs.iter().map(|output| output.value.as_str()).collect(),
            (None, Some(schema)) => schema.names().collect(),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the model of nodes that name none; `None` if the file sets no such model.
    pub fn model(&self) -> Option<&str> {
        self.file.model.as_ref().map(|model| model.value.as_str())
    }

    /// Returns the record of this graph file that a thread stores: its path and the digest of its text,
    /// without includes.
    pub fn origin(&self) -> FileOrigin {
        FileOrigin::new(&self.source.name, &self.source.text)
    }

    /// Returns the nodes whose work the file itself defines (all except `uses`), in the order of the file.
    pub fn nodes(&self) -> impl Iterator<Item = NodeSpec<'_>> {
        let nodes = self.file.nodes.0.iter();
        nodes.filter_map(|(name, node)| {
            let goto = node.keys.goto.as_ref().map(GotoFile::to_rules).unwrap_or_default();
            Some(NodeSpec {
                emit: node.keys.emit.as_ref(),
                item_policy: item_policy(&self.file, node),
                ..self.spec(name, &node.action, NodeRole::Node { goto })?
            })
        })
    }

    /// Makes the description of a node or error handler, without events and without a policy for items; the
    /// caller adds these. `None` for `uses`, which names Rust code.
    fn spec<'a>(
        &'a self,
        name: &'a Located<String>,
        action: &'a NodeAction,
        role: NodeRole<'a>,
    ) -> Option<NodeSpec<'a>> {
        Some(NodeSpec {
            name: &name.value,
            kind: action.kind.as_ref().filter(|kind| !matches!(kind, Kind::Uses(_)))?,
            location: self.source.format_location(&name.span),
            to: action.to.as_ref(),
            overwrite: &action.overwrite,
            emit: None,
            item_policy: NodePolicy::new(),
            role,
        })
    }

    /// Returns the error handlers whose work the file itself defines (all except `uses`). Each has the name
    /// of its node.
    pub fn handlers(&self) -> impl Iterator<Item = NodeSpec<'_>> {
        self.file.nodes.0.iter().filter_map(|(name, node)| self.handler(name, node))
    }

    /// Returns the name of the graph file, as the caller of [`parse`](Self::parse) gave it.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// Returns the graph as names of nodes and edges, without code, for drawing without a registry. The
    /// labels of a choice are those of its arms.
    pub fn draft(&self) -> Draft {
        build_draft(&self.file, &|_| None)
    }

    /// Checks everything that needs no registry. Fails with every defect.
    pub fn check(&self) -> Result<(), Diagnostics> {
        self.fail_if_any(find_defects(&self.source, &self.file, &self.draft(), Completeness::Complete))
    }

    /// Returns the error handler of a node, its own or the one of `defaults`. `None` if there is none, or it
    /// is `uses`.
    pub(super) fn handler<'a>(
        &'a self,
        name: &'a Located<String>,
        node: &'a NodeFile,
    ) -> Option<NodeSpec<'a>> {
        let HandlerFile { action, goto } = self.file.handler_of(node)?;
        let goto = goto.iter().map(|target| target.value.as_str()).collect();
        self.spec(name, action, NodeRole::Handler { goto })
    }

    pub(super) fn fail_if_any(&self, found: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        if found.is_empty() { Ok(()) } else { Err(Diagnostics::new(self.source.clone(), found)) }
    }
}
