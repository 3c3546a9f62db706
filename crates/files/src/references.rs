//! References of a graph file to things outside it, and the tools that it declares: included files, tools, registered
//! nodes, choices and lists. Reads no file, runs no tool.

use serde_json::Value as Json;

use super::definition::Definition;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::format::{DeclaredTool, EdgeFile, Entries, GotoFile, ItemList, StateFile};
use super::inline::{Lookup, field};
use super::kind::Kind;
use super::located::Located;
use super::naming::{join_quoted, truncate_name};
use super::registry::Registry;
use super::source::Span;
use stategraph_core::{State, nearest};

impl Definition {
    /// Returns the paths of the graph files that this one includes as sub-graphs, sorted, each once, as
    /// written.
    pub fn included_files(&self) -> Vec<&str> {
        let mut files: Vec<&str> =
            self.inclusions.iter().map(|included| included.file.value.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Returns the paths of the sub-graph files in the order of the file. A file that is named twice comes
    /// twice.
    pub fn inclusions(&self) -> impl Iterator<Item = &str> {
        self.inclusions.iter().map(|included| included.file.value.as_str())
    }

    /// Returns a diagnostic at every mention of the included file `file`, which cannot be used for `reason`.
    pub fn reject_inclusion(&self, file: &str, reason: &str) -> Diagnostics {
        let places = self.inclusions.iter().filter(|included| included.file.value == file);
        let found = places.map(|included| {
            let message = format!("`{file}` cannot be a sub-graph: {reason}");
            Diagnostic::new(&self.source, included.file.span.clone(), message)
                .hint("name another graph file, from the folder of this one: it lies beside the file that was named, or below it")
        });
        Diagnostics::new(self.source.clone(), found.collect())
    }

    /// Checks every use of `file` as a sub-graph against its definition `child`. Reports unknown and missing
    /// inputs, undeclared values of the context, channels that cannot be shared, and nodes of this graph that
    /// `child` goes to without being allowed by `goto`.
    pub fn check_inclusion(&self, file: &str, child: &Self) -> Result<(), Diagnostics> {
        let mut found = Vec::new();
        let inputs = child.inputs();
        for included in self.inclusions.iter().filter(|included| included.file.value == file) {
            let known: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
            for name in included.with.iter().filter(|name| !known.contains(&name.value.as_str())) {
                let hint = match nearest(&name.value, known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if known.is_empty() => "it takes no input".to_owned(),
                    None => format!("its inputs are {}", join_quoted(&known)),
                };
                let message = format!("`{file}` has no input `{}`", name.value);
                found.push(Diagnostic::new(&self.source, name.span.clone(), message).hint(hint));
            }
            for input in inputs.iter().filter(|input| input.default.is_none()) {
                if included.with.iter().all(|name| name.value != input.name) {
                    let message = format!("`{file}` needs the input `{}`", input.name);
                    let place = included.file.span.clone();
                    let hint = format!("add `with: {{ {}: … }}`", input.name);
                    found.push(Diagnostic::new(&self.source, place, message).hint(hint));
                }
            }
        }
        let mine = |name: &str| self.context().iter().any(|value| value.name == name);
        for included in self.inclusions.iter().filter(|included| included.file.value == file) {
            for value in child.context().iter().filter(|value| !mine(&value.name)) {
                let message = format!(
                    "`{file}` reads `{}` of the context, which this graph does not declare",
                    value.name
                );
                let place = included.file.span.clone();
                let hint = "add it under `context`: the sub-graph runs with the context of this graph";
                found.push(Diagnostic::new(&self.source, place, message).hint(hint));
            }
            let shared = included.share.iter();
            found.extend(shared.filter_map(|channel| self.check_shared(file, child, channel)));
            let allowed = |name: &String| included.goto.iter().any(|target| target.value == *name);
            for target in child.parent_targets().filter(|target| !allowed(target)) {
                let message =
                    format!("`{file}` goes to `{target}` of this graph, and that is not allowed here");
                let place = included.file.span.clone();
                let hint = format!("add `goto: [{target}]` below `subgraph`");
                found.push(Diagnostic::new(&self.source, place, message).hint(hint));
            }
        }
        self.fail_if_any(found)
    }

    /// Returns the nodes of the including graph to which `parent` rules of this graph go.
    fn parent_targets(&self) -> impl Iterator<Item = &String> {
        let gotos = self.file.nodes.0.iter().filter_map(|(_, node)| node.keys.goto.as_ref());
        gotos.flat_map(GotoFile::parent_targets).map(|target| &target.value)
    }

    /// Returns a diagnostic if the included file `file`, with the definition `child`, lacks the shared
    /// channel or declares it with another type, reducer or `keep`.
    fn check_shared(&self, file: &str, child: &Self, channel: &Located<String>) -> Option<Diagnostic> {
        let name = &channel.value;
        let (ours, theirs) = (self.schema()?, child.schema()?);
        let refuse = |message: String, hint: String| {
            Some(Diagnostic::new(&self.source, channel.span.clone(), message).hint(hint))
        };
        let Some(theirs_of) = theirs.channel(name) else {
            let hint = match nearest(name, theirs.names()) {
                Some(meant) => format!("it has `{meant}`; both graphs must use one name"),
                None => format!("declare `{name}` in `{file}`, or do not share it"),
            };
            return refuse(format!("`{file}` has no channel `{name}`"), hint);
        };
        let ours_of = ours.channel(name)?;
        if ours_of.has_rules_of(theirs_of) {
            return None;
        }
        let message = format!("`{name}` is another channel in `{file}`: its type, reducer or `keep` differs");
        refuse(message, "declare it alike in both files".to_owned())
    }

    /// Returns the tools that the file declares, with their names, in the order of the file.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &DeclaredTool)> {
        self.file.tools.iter().flat_map(Entries::iter)
    }

    /// Returns the names of the tools that its nodes use, declared or not, as often as they are named.
    pub fn named_tools(&self) -> impl Iterator<Item = &str> {
        self.named_tools.iter().map(|tool| tool.value.as_str())
    }

    /// Reports used tools that are neither declared, nor in `built_in`, nor foreign (of a server;
    /// `is_foreign` tells by the name), and declared tools that have the name of a built-in or foreign one.
    pub fn check_tools(
        &self,
        built_in: &[&str],
        is_foreign: impl Fn(&str) -> bool,
    ) -> Result<(), Diagnostics> {
        let known: Vec<&str> = built_in.iter().copied().chain(self.tools().map(|(name, _)| name)).collect();
        let unknown = self
            .named_tools
            .iter()
            .filter(|tool| !known.contains(&tool.value.as_str()) && !is_foreign(&tool.value));
        let found = unknown.map(|tool| {
            let hint = match nearest(&tool.value, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the tools are {}", join_quoted(&known)),
            };
            let message = format!("there is no tool `{}`", tool.value);
            Diagnostic::new(&self.source, tool.span.clone(), message).hint(hint)
        });
        let declared = self.file.tools.iter().flat_map(|tools| tools.0.iter());
        let taken = declared.filter(|(name, _)| built_in.contains(&name.value.as_str()));
        let taken = taken.map(|(name, _)| {
            let message = format!("the tool `{}` is built in", name.value);
            Diagnostic::new(&self.source, name.span.clone(), message).hint("choose another name")
        });
        let declared = self.file.tools.iter().flat_map(|tools| tools.0.iter());
        let reserved = declared.filter(|(name, _)| is_foreign(&name.value)).map(|(name, _)| {
            let message = format!("the name `{}` is kept for the tools of servers", name.value);
            Diagnostic::new(&self.source, name.span.clone(), message).hint("choose another name")
        });
        self.fail_if_any(found.chain(taken).chain(reserved).collect())
    }

    /// Checks the names of the arguments in `tool` nodes. Reports all names of a call that the tool does not
    /// have, or else the first missing one. `built_in` returns the JSON Schema of a built-in tool's
    /// arguments; a tool without a schema is not checked.
    pub fn check_arguments(&self, built_in: impl Fn(&str) -> Option<Json>) -> Result<(), Diagnostics> {
        let mut found = Vec::new();
        for call in &self.tool_calls {
            let tool = &call.tool.value;
            let declared = self.tools().find(|(name, _)| name == tool).map(|(_, declared)| declared);
            let schema = match declared {
                Some(declared) => declared.parameters.as_ref().map(|parameters| parameters.schema().clone()),
                None => built_in(tool),
            };
            let Some(schema) = schema else { continue };
            let before = found.len();
            for argument in &call.arguments {
                let Lookup::Missing(known) = field(&schema, &argument.value) else { continue };
                let hint = match nearest(truncate_name(&argument.value), known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if known.is_empty() => "it takes no argument".to_owned(),
                    None => format!("its arguments are {}", join_quoted(&known)),
                };
                let message = format!("`{tool}` has no argument `{}`", truncate_name(&argument.value));
                found.push(Diagnostic::new(&self.source, argument.span.clone(), message).hint(hint));
            }
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
            let is_given = |name: &str| call.arguments.iter().any(|argument| argument.value == name);
            // One that was misspelt was just reported.
            let missing = required.filter(|_| found.len() == before).find(|name| !is_given(name));
            if let Some(name) = missing {
                let message = format!("`{tool}` needs the argument `{name}`");
                let hint = format!("add `arguments: {{ {name}: … }}`");
                found.push(Diagnostic::new(&self.source, call.tool.span.clone(), message).hint(hint));
            }
        }
        self.fail_if_any(found)
    }

    /// Returns the names of the registered nodes that nodes and error handlers use, in the order of the file;
    /// that of `defaults` is last.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.uses_with_spans().map(|(name, _)| name)
    }

    /// Returns the names of the registered nodes in use, as [`uses`](Self::uses), with their spans.
    fn uses_with_spans(&self) -> impl Iterator<Item = (&str, &Span)> {
        let actions = self.file.nodes.0.iter().flat_map(|(_, node)| {
            let handler = node.keys.error_handler.as_deref().map(|handler| &handler.action);
            std::iter::once(&node.action).chain(handler)
        });
        let defaults = self.file.defaults.as_ref().and_then(|defaults| defaults.error_handler.as_ref());
        let actions = actions.chain(defaults.map(|handler| &handler.action));
        actions.filter_map(|action| match &action.kind {
            Some(Kind::Uses(name)) => Some((name.as_str(), &action.kind_at)),
            _ => None,
        })
    }

    /// Returns a diagnostic for every node, choice and list that the registry does not have. If the state of
    /// the file is not that of the registry, only this is reported, because no other name can be found then.
    pub(super) fn find_unregistered<S: State, D: Send + Sync + 'static>(
        &self,
        registry: &Registry<S, D>,
    ) -> Vec<Diagnostic> {
        let unknown = |name: &Located<String>, message: String, known: &mut dyn Iterator<Item = &str>| {
            let known: Vec<&str> = known.collect();
            let hint = match nearest(&name.value, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if known.is_empty() => "none is registered".to_owned(),
                None => format!("registered are {}", join_quoted(&known)),
            };
            Diagnostic::new(&self.source, name.span.clone(), message).hint(hint)
        };
        let StateFile::Registered(state) = &self.file.state else {
            let message = "the state is declared here, and a registered one is wanted".to_owned();
            let known = &mut [registry.state_name()].into_iter();
            return vec![unknown(&self.file.name, message, known)];
        };
        if state.value != registry.state_name() {
            let message = format!("there is no state `{}` here", truncate_name(&state.value));
            return vec![unknown(state, message, &mut [registry.state_name()].into_iter())];
        }
        let nodes = self.uses_with_spans().filter(|(name, _)| registry.find_node(name).is_none());
        let nodes = nodes.map(|(name, at)| Located { value: name.to_owned(), span: at.clone() });
        let choices = self.file.edges.iter().filter_map(|edge| match edge {
            EdgeFile::Choice { choose, .. } => Some(choose),
            _ => None,
        });
        let lists = self.file.edges.iter().filter_map(|edge| match edge {
            EdgeFile::FanOut { each: ItemList::Registered(each), .. } => Some(each),
            _ => None,
        });
        let lists = lists.filter(|each| registry.find_list(&each.value).is_none()).map(|each| {
            let message = format!("no list `{}` is registered", each.value);
            unknown(each, message, &mut registry.lists().map(|(name, _)| name))
        });
        let choices = choices.filter(|choose| registry.find_choice(&choose.value).is_none());
        let nodes = nodes.map(|uses| {
            let message = format!("no node `{}` is registered", uses.value);
            unknown(&uses, message, &mut registry.nodes().map(|(name, _)| name))
        });
        let choices = choices.map(|choose| {
            let message = format!("no choice `{}` is registered", choose.value);
            unknown(choose, message, &mut registry.choices().map(|(name, ..)| name))
        });
        nodes.chain(choices).chain(lists).collect()
    }
}
