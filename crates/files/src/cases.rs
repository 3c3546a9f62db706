//! Parses the test file of a graph file: cases with inputs, model answers, answers to questions, and expectations.
//! Runs nothing; the crate `stategraph-kinds` does, in its module `cases`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value as Json};
use stategraph_yaml::{YamlNode, YamlValue};

use super::decode::decode;
use super::definition::Definition;
use super::diagnostic::Diagnostics;
use super::kind::Kind;
use super::located::Located;
use super::naming::join_quoted;
use super::object::Object;
use super::read::Reader;
use super::syntax::diagnose;
use super::tree::parse;
use stategraph_core::{Topology, TopologyNode, nearest};

/// The cases of a test file.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(title = "stategraph test file", deny_unknown_fields)]
pub struct Cases {
    /// Files that tools find, by path.
    #[schemars(default)]
    pub files: BTreeMap<String, String>,
    /// The cases.
    pub cases: Vec<TestCase>,
}

/// One run and its expectations.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Case", deny_unknown_fields)]
pub struct TestCase {
    /// Name of the case, shown in the report.
    pub name: String,
    /// The inputs.
    #[schemars(default)]
    pub input: Map<String, Json>,
    /// The values of the context of the run.
    #[schemars(default)]
    pub context: Map<String, Json>,
    /// Answers of the model of each node, in order: texts, JSON for nodes with a schema, `calls` for agents. A node of a sub-graph
    /// is `outer/inner`. Nodes without an entry answer by their `offline`.
    #[schemars(default)]
    pub models: BTreeMap<String, Vec<Json>>,
    /// Answers to questions, in order; a refused answer is followed by the next. Breakpoints are passed.
    #[schemars(default)]
    pub answers: Vec<Json>,
    /// Conditions that must hold at the end.
    pub expect: Expected,
}

/// Conditions at the end of a case. Omitted conditions are not checked.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Expected {
    /// Expected end of the run; default: done.
    #[schemars(default)]
    pub status: CaseStatus,
    /// A part of the error of a run that fails.
    pub error: Option<String>,
    /// Channels with their values.
    #[schemars(default)]
    pub state: Map<String, Json>,
    /// The nodes of the graph that finished, in order. Where it names nodes of sub-graphs, as `outer/inner`, those count as well.
    pub ran: Option<Vec<String>>,
    /// The questions that wait, each at least so.
    pub questions: Option<Vec<Json>>,
    /// Events that come, in this order, each at least so.
    #[schemars(default)]
    pub events: Vec<Json>,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum CaseStatus {
    /// Nothing is left to run.
    #[default]
    Done,
    /// A question is open.
    Waiting,
    /// With an error.
    Failed,
}

impl CaseStatus {
    const ALL: [(&'static str, Self); 3] =
        [("done", Self::Done), ("waiting", Self::Waiting), ("failed", Self::Failed)];

    /// Returns the name of the status in a test file.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, status)| *status == self).expect("the table holds all of them").0
    }
}

impl Cases {
    /// Parses a test file. `file` is its name in messages; `graph` is the tested graph file and `topology`
    /// the same graph with its sub-graphs, against which the names in the test file are checked. Fails with
    /// every defect.
    pub fn parse(
        content: impl AsRef<[u8]>,
        file: impl Into<String>,
        graph: &Definition,
        topology: &Topology,
    ) -> Result<Self, Diagnostics> {
        let source = decode(content.as_ref(), &file.into())?;
        let tree = parse(&source.text)
            .map_err(|error| Diagnostics::new(source.clone(), vec![diagnose(&source, &error)]))?;
        let mut reader = Reader::new(source.clone());
        let cases = read_cases(&mut reader, tree, graph, &KnownNodes::of(graph, topology));
        match cases {
            Some(cases) if reader.diagnostics.is_empty() => Ok(cases),
            _ => Err(Diagnostics::new(source, reader.diagnostics)),
        }
    }
}

/// Returns true if the content is a test file: a YAML map with the key `cases` and without `nodes`. Returns
/// false for text that does not parse.
pub fn is_test_file(content: impl AsRef<[u8]>) -> bool {
    let Ok(source) = decode(content.as_ref(), "") else { return false };
    let Ok(YamlNode { value: YamlValue::Map(entries), .. }) = parse(&source.text) else { return false };
    let has = |name: &str| entries.iter().any(|entry| entry.key == name);
    has("cases") && !has("nodes")
}

/// The nodes of a graph that its test file can name; used to check the test file.
struct KnownNodes {
    /// Nodes of the graph, and nodes of its sub-graphs as `outer/inner`.
    names: Vec<String>,
    /// Nodes with a tool or an error handler. They may run graphs that the topology does not show, so every name
    /// inside them is accepted.
    open: Vec<String>,
}

impl KnownNodes {
    fn of(graph: &Definition, topology: &Topology) -> Self {
        let mut names: Vec<String> = graph.nodes().map(|spec| spec.name.to_owned()).collect();
        for node in &topology.nodes {
            inner_names(&node.name, node, &mut names);
        }
        let calls_tools = |kind: &Kind| match kind {
            Kind::Map(map) => matches!(map.body, Kind::Tool(_) | Kind::Agent(_)),
            kind => matches!(kind, Kind::Tool(_) | Kind::Agent(_)),
        };
        let calling = graph.nodes().filter(|spec| calls_tools(spec.kind));
        let open = calling.chain(graph.handlers()).map(|spec| spec.name.to_owned()).collect();
        Self { names, open }
    }

    /// Reports `name` as a defect unless it is a known node or lies inside a node of `open`. The hint
    /// suggests a similar name.
    fn check(&self, reader: &mut Reader, name: &Located<String>) {
        let is_inside =
            |open: &String| name.value.strip_prefix(open).is_some_and(|rest| rest.starts_with('/'));
        if !self.open.iter().any(is_inside) {
            // Suggest names of the same depth only: a node of a sub-graph is mistyped for another node of a
            // sub-graph.
            let depth = |name: &str| name.matches('/').count();
            let alike = |known: &&str| depth(known) == depth(&name.value);
            let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
            let alike: Vec<&str> = names.iter().copied().filter(alike).collect();
            check_known(reader, "node", name, if alike.is_empty() { &names } else { &alike });
        }
    }
}

fn inner_names(path: &str, node: &TopologyNode, names: &mut Vec<String>) {
    for inner in node.inner.iter().flat_map(|inner| &inner.nodes) {
        let path = format!("{path}/{}", inner.name);
        inner_names(&path, inner, names);
        names.push(path);
    }
}

fn read_cases(reader: &mut Reader, tree: YamlNode, graph: &Definition, nodes: &KnownNodes) -> Option<Cases> {
    if tree.value == YamlValue::Null {
        reader.report(&(0..0), "the file is empty".to_owned(), "a test file begins with `cases:`");
        return None;
    }
    let mut object = reader.read_object("a test file", tree)?;
    let files = object
        .take("files")
        .and_then(|tree| reader.read_entries("`files`", "file", tree))
        .unwrap_or_default();
    let cases = object.require("cases").and_then(|tree| reader.read_list("`cases`", "cases", tree));
    object.finish(reader);
    let files = files.into_iter().filter_map(|(path, tree)| {
        let text = reader.read_text(&format!("the file `{}`", path.value), tree)?;
        Some((path.value, text.value))
    });
    let files = files.collect();
    let cases: Vec<_> = cases?.into_iter().filter_map(|tree| read_case(reader, tree, graph, nodes)).collect();
    Some(Cases { files, cases })
}

fn read_case(
    reader: &mut Reader,
    tree: YamlNode,
    graph: &Definition,
    nodes: &KnownNodes,
) -> Option<TestCase> {
    let mut object = reader.read_object("a case", tree)?;
    let name = object.require("name").and_then(|tree| reader.read_text("`name`", tree));
    let input =
        object.take("input").and_then(|tree| read_map(reader, "`input`", "input", tree, &input_names(graph)));
    let declared: Vec<&str> = graph.context().iter().map(|value| value.name.as_str()).collect();
    let context = object
        .take("context")
        .and_then(|tree| read_map(reader, "`context`", "value of the context", tree, &declared));
    let models = object.take("models").and_then(|tree| read_models(reader, tree, nodes));
    let answers = object.take("answers").and_then(|tree| read_values(reader, "`answers`", tree));
    let expect = object.require("expect").and_then(|tree| read_expected(reader, tree, graph, nodes));
    object.finish(reader);
    Some(TestCase {
        name: name?.value,
        input: input.unwrap_or_default(),
        context: context.unwrap_or_default(),
        models: models.unwrap_or_default(),
        answers: answers.unwrap_or_default(),
        expect: expect?,
    })
}

fn input_names(graph: &Definition) -> Vec<&str> {
    graph.inputs().iter().map(|input| input.name.as_str()).collect()
}

fn read_expected(
    reader: &mut Reader,
    tree: YamlNode,
    graph: &Definition,
    nodes: &KnownNodes,
) -> Option<Expected> {
    let mut object = reader.read_object("`expect`", tree)?;
    let channels: Vec<&str> = graph.schema().map(|schema| schema.names().collect()).unwrap_or_default();
    let expected = Expected {
        status: read_status(reader, &mut object),
        error: object.take("error").and_then(|tree| reader.read_text("`error`", tree)).map(|text| text.value),
        state: object
            .take("state")
            .and_then(|tree| read_map(reader, "`state`", "channel", tree, &channels))
            .unwrap_or_default(),
        ran: object.take("ran").and_then(|tree| {
            let ran = reader.read_names("`ran`", tree)?;
            ran.iter().for_each(|node| nodes.check(reader, node));
            Some(ran.into_iter().map(|node| node.value).collect())
        }),
        questions: object.take("questions").and_then(|tree| read_values(reader, "`questions`", tree)),
        events: object
            .take("events")
            .and_then(|tree| read_values(reader, "`events`", tree))
            .unwrap_or_default(),
    };
    object.finish(reader);
    Some(expected)
}

fn read_status(reader: &mut Reader, object: &mut Object) -> CaseStatus {
    let Some(name) = object.take("status").and_then(|tree| reader.read_name("`status`", tree)) else {
        // The status can be left out when an error is expected.
        return if object.has("error") { CaseStatus::Failed } else { CaseStatus::Done };
    };
    if let Some((_, status)) = CaseStatus::ALL.iter().find(|(known, _)| *known == name.value) {
        return *status;
    }
    check_known(reader, "status", &name, &CaseStatus::ALL.map(|(known, _)| known));
    CaseStatus::Done
}

fn read_models(
    reader: &mut Reader,
    tree: YamlNode,
    nodes: &KnownNodes,
) -> Option<BTreeMap<String, Vec<Json>>> {
    let entries = reader.read_entries("`models`", "node", tree)?;
    let read = entries.into_iter().filter_map(|(node, tree)| {
        nodes.check(reader, &node);
        let said = read_values(reader, &format!("what the model of `{}` says", node.value), tree)?;
        Some((node.value, said))
    });
    Some(read.collect())
}

fn read_values(reader: &mut Reader, what: &str, tree: YamlNode) -> Option<Vec<Json>> {
    let items = reader.read_list(what, "values", tree)?;
    Some(items.iter().map(YamlNode::to_json).collect())
}

fn read_map(
    reader: &mut Reader,
    what: &str,
    thing: &str,
    tree: YamlNode,
    names: &[&str],
) -> Option<Map<String, Json>> {
    let entries = reader.read_entries(what, thing, tree)?;
    let read = entries.into_iter().map(|(name, tree)| {
        check_known(reader, thing, &name, names);
        (name.value, tree.to_json())
    });
    Some(read.collect())
}

/// Reports `name` as a defect unless it is one of `names`. `thing` is the noun for it in the message, such as
/// `channel`; the hint suggests a similar name, or lists all.
fn check_known(reader: &mut Reader, thing: &str, name: &Located<String>, names: &[&str]) {
    if names.contains(&name.value.as_str()) {
        return;
    }
    let hint = match nearest(&name.value, names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if names.is_empty() => format!("the graph has no {thing}"),
        None => format!("there are {}", join_quoted(names)),
    };
    reader.report(&name.span, format!("the graph has no {thing} `{}`", name.value), hint);
}

/// Returns the published JSON Schema of test files, for editors.
pub fn test_schema() -> Json {
    schemars::schema_for!(Cases).to_value()
}
