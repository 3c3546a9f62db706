//! The names that the expressions of one part of a file may read, with the JSON Schemas of some of them. Reads no text.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::inline::StateSchema;

/// The names that an expression may read at its position in the file, such as `state`, `item` and `result`.
/// The readers of the file pass it down.
#[derive(Clone)]
pub(crate) struct DeclaredNames<'a> {
    /// Channels; `None` if the state could not be read, in which case every channel passes.
    pub(crate) schema: Option<&'a StateSchema>,
    /// Names besides `state`.
    pub(crate) locals: Vec<String>,
    /// JSON Schemas of some of these names.
    types: Vec<(String, Arc<Json>)>,
    place: WorkPlace,
    /// Secrets that the file declares.
    pub(super) secrets: &'a [&'a str],
    /// True if the text is part of a request, where secrets are allowed because it is sent and not stored.
    pub(super) is_in_request: bool,
}

/// The kind of work that the expressions belong to: of a node, of its error handler, or of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkPlace {
    /// A node. The keys of `set` are channels.
    Node,
    /// The error handler of a node. The keys of `set` are channels.
    Handler,
    /// The body of a `map` or a tool. The keys of `set` are members of a result.
    Body,
}

impl<'a> DeclaredNames<'a> {
    /// Creates the names of a node: only `state`, with the channels of `schema`.
    pub(crate) fn new(schema: Option<&'a StateSchema>) -> Self {
        Self {
            schema,
            locals: Vec::new(),
            types: Vec::new(),
            place: WorkPlace::Node,
            secrets: &[],
            is_in_request: false,
        }
    }

    /// Sets the names of the secrets that the file declares.
    pub(crate) fn with_secrets(mut self, secrets: &'a [&'a str]) -> Self {
        self.secrets = secrets;
        self
    }

    /// Returns a copy in which secrets are allowed, for the text of an HTTP request.
    pub(crate) fn in_request(&self) -> Self {
        Self { is_in_request: true, ..self.clone() }
    }

    /// Makes these names those of the body of a `map` or a tool, where the keys of `set` are no channels.
    pub(crate) fn in_body(mut self) -> Self {
        self.place = WorkPlace::Body;
        self
    }

    /// Makes these names those of an error handler.
    pub(crate) fn in_handler(mut self) -> Self {
        self.place = WorkPlace::Handler;
        self
    }

    /// Returns true if these are the names of a node itself, and not of its error handler, a `map` or a tool.
    pub(crate) fn is_node(&self) -> bool {
        self.place == WorkPlace::Node
    }

    /// Returns true if the keys of `set` at this position are channels; false in the body of a `map` or a
    /// tool.
    pub(crate) fn writes_channels(&self) -> bool {
        self.place != WorkPlace::Body
    }

    /// Returns the channels that the keys of `set` can name; `None` if the keys are no channels or the state
    /// could not be read.
    pub(crate) fn written_channels(&self) -> Option<&'a StateSchema> {
        self.schema.filter(|_| self.writes_channels())
    }

    /// Returns true if `name` is a local name: one that expressions can read besides `state`.
    pub(crate) fn has_local(&self, name: &str) -> bool {
        self.locals.iter().any(|local| local == name)
    }

    /// Returns a copy with a further local name, whose values may be anything.
    pub(crate) fn with_local(&self, name: &str) -> Self {
        let mut names = self.clone();
        names.types.retain(|(known, _)| known != name);
        names.locals.push(name.to_owned());
        names
    }

    /// Removes a local name, such as `item` in the key of a cache, so that expressions cannot read it.
    pub(crate) fn without_local(mut self, name: &str) -> Self {
        self.locals.retain(|known| known != name);
        self
    }

    /// Returns a copy with a further local name. `schema` is the JSON Schema of its values; `None` if they
    /// may be anything.
    pub(crate) fn with_typed_local(&self, name: &str, schema: Option<Json>) -> Self {
        let mut names = self.with_local(name);
        names.types.extend(schema.map(|schema| (name.to_owned(), Arc::new(schema))));
        names
    }

    /// Returns the JSON Schema of the values of a local name; `None` if it is not known.
    pub(super) fn type_of(&self, name: &str) -> Option<&Json> {
        self.types.iter().find(|(known, _)| known == name).map(|(_, schema)| schema.as_ref())
    }
}
