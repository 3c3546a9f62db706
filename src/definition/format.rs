//! The format of a graph file: its types, from which the published JSON Schema is made, and how each is read from a tree.
//!
//! One struct per map of the file. A field is named in the struct and in its `read`; a test holds the two together. No
//! untagged or flattened deserialisation: it would lose the places.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::object::Object;
use super::read::{Reader, shown};
use super::source::Span;
use super::spot::Spot;
use super::tree::{Tree, Value};
use super::wait::Wait;

/// The most nodes of one file.
pub const NODES_MAX: usize = 1_000;

/// The most edges of one file; a choice is one edge.
pub const EDGES_MAX: usize = 10_000;

/// The most attempts of a retry.
pub const ATTEMPTS_MAX: u32 = 1_000;

/// A graph: nodes that read and change a state, and edges that say what runs after what.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(title = "stategraph graph file", deny_unknown_fields)]
pub(crate) struct GraphFile {
    /// The graph's name.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) name: Spot<String>,
    /// What the graph is for, in a line.
    pub(crate) about: Option<Spot<String>>,
    /// The registered state that the nodes share.
    pub(crate) state: Spot<String>,
    /// The nodes by name.
    pub(crate) nodes: Entries<NodeFile>,
    /// What runs after what. `START` is where every run starts, `END` where a path ends.
    pub(crate) edges: Vec<EdgeFile>,
    /// Where the key `edges` stands.
    #[schemars(skip)]
    pub(crate) edges_key: Span,
}

/// A node: a registered function, and how it is run.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Node", deny_unknown_fields)]
pub(crate) struct NodeFile {
    /// The registered node that runs, such as `ard.architect`.
    pub(crate) uses: Spot<String>,
    /// What it does, in a line.
    pub(crate) about: Option<Spot<String>>,
    /// How often it is tried again after an error. Left out: never.
    pub(crate) retry: Option<RetryFile>,
    /// How long one attempt may take, such as `30s`. Left out: as long as it needs.
    pub(crate) timeout: Option<Spot<Wait>>,
    /// The nodes it may choose to go to by itself. Such a node has no edges.
    pub(crate) goto: Option<Vec<Spot<String>>>,
}

/// How often, and after what wait, a failed attempt is repeated.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Retry", deny_unknown_fields)]
pub(crate) struct RetryFile {
    /// Attempts in all, the first included.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) attempts: Spot<u32>,
    /// The wait before the second attempt. Left out: `500ms`.
    pub(crate) first_wait: Option<Spot<Wait>>,
    /// What the wait is multiplied with after each attempt. Left out: 2.
    #[schemars(range(min = 1))]
    pub(crate) factor: Option<Spot<f64>>,
    /// The longest wait. Left out: `128s`.
    pub(crate) longest_wait: Option<Spot<Wait>>,
}

/// An edge: a plain one, a join of several nodes, or a choice.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Edge", untagged, deny_unknown_fields)]
pub(crate) enum EdgeFile {
    /// `to` runs after `from`; after a list of nodes, once all of them have run.
    Follows {
        /// A node or `START`; a list of two or more nodes makes a join.
        from: Sources,
        /// A node or `END`.
        to: Spot<String>,
        /// The whole edge.
        #[schemars(skip)]
        span: Span,
    },
    /// A choice made on the state decides what runs after `from`.
    Chooses {
        /// A node or `START`.
        from: Spot<String>,
        /// The registered choice, such as `ard.verdict`.
        choose: Spot<String>,
        /// For each label of the choice, the node that runs, or `END`.
        arms: Entries<Spot<String>>,
        /// Where the key `arms` stands.
        #[schemars(skip)]
        arms_key: Span,
    },
}

/// The sources of an edge.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(untagged, inline)]
pub(crate) enum Sources {
    /// One node or `START`.
    One(Spot<String>),
    /// A join.
    All(#[schemars(length(min = 2))] Vec<Spot<String>>),
}

/// A map in the order of the file, with the place of each key; duplicates are kept so that they can be reported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entries<T>(pub(crate) Vec<(Spot<String>, T)>);

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("MapOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() })
    }
}

/// The published JSON Schema of graph files, for editors and other programs.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(GraphFile).to_value()
}

impl GraphFile {
    /// Reads the file; what does not fit is with the reader, and an empty value in its place.
    pub(crate) fn read(reader: &mut Reader, tree: Tree) -> Option<Self> {
        if tree.value == Value::Null {
            reader.push(&(0..0), "the file is empty".to_owned(), "a graph file begins with `name: …`");
            return None;
        }
        let mut object = reader.object("a graph", tree)?;
        let name = object.need("name").and_then(|tree| reader.name("`name`", tree));
        let about = object.take("about").and_then(|tree| reader.text("`about`", tree));
        let state = object.need("state").and_then(|tree| reader.name("`state`", tree));
        let nodes = object
            .need("nodes")
            .and_then(|tree| reader.entries("`nodes`", "node", tree))
            .or_else(|| reader.lose());
        let edges_key = object.key("edges");
        let edges = object
            .need("edges")
            .and_then(|tree| reader.list("`edges`", "edges", tree))
            .or_else(|| reader.lose());
        object.finish(reader);
        let nodes = reader.at_most("nodes", NODES_MAX, nodes.unwrap_or_default());
        let nodes = nodes.into_iter().map(|(name, tree)| {
            let node = NodeFile::read(reader, &name.value, tree);
            (name, node)
        });
        let nodes = Entries(nodes.collect());
        let edges = reader.at_most("edges", EDGES_MAX, edges.unwrap_or_default());
        let edges = edges.into_iter().filter_map(|tree| EdgeFile::read(reader, tree)).collect();
        // A name that could not be read was reported; an empty one would be reported again.
        let name = name.unwrap_or_else(|| Spot { value: "?".to_owned(), span: 0..0 });
        Some(Self { name, about, state: state.unwrap_or_default(), nodes, edges, edges_key })
    }
}

impl NodeFile {
    fn read(reader: &mut Reader, name: &str, tree: Tree) -> Self {
        let what = format!("node `{name}`");
        let Some(mut object) = reader.object(&what, tree) else { return Self::default() };
        let uses = object.need("uses").and_then(|tree| reader.name("`uses`", tree));
        let about = object.take("about").and_then(|tree| reader.text("`about`", tree));
        let retry = object.take("retry").and_then(|tree| RetryFile::read(reader, tree));
        let timeout = object.take("timeout").and_then(|tree| wait(reader, "`timeout`", tree));
        let goto = object.take("goto").and_then(|tree| reader.names("`goto`", tree));
        object.finish(reader);
        Self { uses: uses.unwrap_or_default(), about, retry, timeout, goto }
    }
}

impl RetryFile {
    fn read(reader: &mut Reader, tree: Tree) -> Option<Self> {
        let mut object = reader.object("`retry`", tree)?;
        let attempts = object.need("attempts").and_then(|tree| {
            let number = reader.number("`attempts`", tree)?;
            reader.whole("`attempts`", &number, ATTEMPTS_MAX)
        });
        let first_wait = object.take("first_wait").and_then(|tree| wait(reader, "`first_wait`", tree));
        let factor = object.take("factor").and_then(|tree| reader.number("`factor`", tree));
        let longest_wait = object.take("longest_wait").and_then(|tree| wait(reader, "`longest_wait`", tree));
        object.finish(reader);
        Some(Self { attempts: attempts?, first_wait, factor, longest_wait })
    }
}

impl EdgeFile {
    fn read(reader: &mut Reader, tree: Tree) -> Option<Self> {
        let Some(mut object) = reader.object("an edge", tree) else { return reader.lose() };
        let edge = if object.has("choose") || object.has("arms") {
            Self::read_choice(reader, &mut object)
        } else {
            Self::read_follows(reader, &mut object)
        };
        object.finish(reader);
        edge.or_else(|| reader.lose())
    }

    fn read_choice(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.call("an edge with `choose`");
        let from = object.need("from").and_then(|tree| reader.name("`from` of a choice", tree));
        let choose = object.need("choose").and_then(|tree| reader.name("`choose`", tree));
        let arms_key = object.key("arms");
        let arms = object.need("arms").and_then(|tree| reader.entries("`arms`", "label", tree));
        let arms = arms?.into_iter().filter_map(|(label, tree)| {
            let target = reader.name("the target of an arm", tree).or_else(|| reader.lose());
            Some((label, target?))
        });
        let arms = Entries(arms.collect());
        Some(Self::Chooses { from: from?, choose: choose?, arms, arms_key })
    }

    fn read_follows(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        let start = object.start();
        let from = object.need("from").and_then(|tree| match tree.value {
            Value::List(_) => reader.names("`from`", tree).map(Sources::All),
            _ => reader.name("`from`", tree).map(Sources::One),
        });
        let to = object.need("to").and_then(|tree| reader.name("`to`", tree));
        object.suggest(&["choose", "arms"]);
        let (from, to) = (from?, to?);
        let end = from.all().iter().chain([&to]).map(|name| name.span.end).max().unwrap_or(start);
        Some(Self::Follows { from, to, span: start..end })
    }
}

impl Sources {
    /// The names.
    pub(crate) fn all(&self) -> &[Spot<String>] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::All(names) => names,
        }
    }
}

fn wait(reader: &mut Reader, what: &str, tree: Tree) -> Option<Spot<Wait>> {
    const HINT: &str = "write a whole number with a unit: 500ms, 2s, 1m, 1h";
    match &tree.value {
        Value::Text(text) => match Wait::parse(text) {
            Ok(value) => return Some(Spot { value, span: tree.span }),
            Err(reason) => reader.push(&tree.span, format!("{what} `{}` {reason}", shown(text)), HINT),
        },
        _ => reader.mismatch(what, "a length of time", &tree, HINT),
    }
    None
}
