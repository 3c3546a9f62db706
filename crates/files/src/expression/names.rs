//! The names that the expressions of one part of a file may read, with the JSON Schemas of some of them. Reads no text.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::inline::StateSchema;

/// The names that an expression may read at its position in the file.
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

/// The part of the file whose work reads the names.
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
    /// Creates the names of a node: the state alone.
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

    /// Adds the secrets that the file declares.
    pub(crate) fn with_secrets(mut self, secrets: &'a [&'a str]) -> Self {
        self.secrets = secrets;
        self
    }

    /// Allows secrets, for a part of a request.
    pub(crate) fn in_request(&self) -> Self {
        Self { is_in_request: true, ..self.clone() }
    }

    /// Makes them the names of the body of a `map` or a tool.
    pub(crate) fn in_body(mut self) -> Self {
        self.place = WorkPlace::Body;
        self
    }

    /// Makes them the names of an error handler.
    pub(crate) fn in_handler(mut self) -> Self {
        self.place = WorkPlace::Handler;
        self
    }

    /// Returns true for the names of a node, and not of its error handler or of a body.
    pub(crate) fn is_node(&self) -> bool {
        self.place == WorkPlace::Node
    }

    /// Returns true if the keys of `set` are channels.
    pub(crate) fn writes_channels(&self) -> bool {
        self.place != WorkPlace::Body
    }

    /// Returns the channels that the keys of `set` must name; `None` if they are no channels or not known.
    pub(crate) fn written_channels(&self) -> Option<&'a StateSchema> {
        self.schema.filter(|_| self.writes_channels())
    }

    /// Returns true if the name is known besides `state`.
    pub(crate) fn has_local(&self, name: &str) -> bool {
        self.locals.iter().any(|local| local == name)
    }

    /// Adds a name.
    pub(crate) fn with_local(&self, name: &str) -> Self {
        let mut names = self.clone();
        names.types.retain(|(known, _)| known != name);
        names.locals.push(name.to_owned());
        names
    }

    /// Forbids expressions to read a name besides `state`, such as `item` in the key of a cache.
    pub(crate) fn without_local(mut self, name: &str) -> Self {
        self.locals.retain(|known| known != name);
        self
    }

    /// Adds a name whose values fit a JSON Schema; `None` if they may be anything.
    pub(crate) fn with_typed_local(&self, name: &str, schema: Option<Json>) -> Self {
        let mut names = self.with_local(name);
        names.types.extend(schema.map(|schema| (name.to_owned(), Arc::new(schema))));
        names
    }

    /// Returns the JSON Schema of the values of a name besides `state`.
    pub(super) fn type_of(&self, name: &str) -> Option<&Json> {
        self.types.iter().find(|(known, _)| known == name).map(|(_, schema)| schema.as_ref())
    }
}
