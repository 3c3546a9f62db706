//! Reads exported spans, as a collector gets them and as a file of OTLP JSON lines has them.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message as _;
use serde_json::Value;

use super::fake_server::RecordedRequest;

/// A span as it was exported, in a form that tests compare.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedSpan {
    /// Name.
    pub name: String,
    /// Id of the trace, in hexadecimal.
    pub trace: String,
    /// Id, in hexadecimal.
    pub id: String,
    /// Id of the parent; empty for a root.
    pub parent: String,
    /// Kind of span as a number of the protocol: 1 internal, 3 client.
    pub kind: i64,
    /// Attributes. Whole numbers are numbers only if they were sent as such.
    pub attributes: BTreeMap<String, Value>,
    /// Code of the status: 0 unset, 1 ok, 2 error.
    pub status: i64,
    /// Message of the status.
    pub message: String,
    /// Attributes of the resource.
    pub resource: BTreeMap<String, Value>,
    /// Time of the end, in nanoseconds since 1970.
    pub end: u64,
}

impl ReceivedSpan {
    /// Returns an attribute; `null` if there is none.
    pub fn attribute(&self, name: &str) -> &Value {
        self.attributes.get(name).unwrap_or(&Value::Null)
    }

    /// Returns an attribute that is text; empty if there is none.
    pub fn text(&self, name: &str) -> &str {
        self.attribute(name).as_str().unwrap_or_default()
    }
}

/// Returns the spans in the requests that a fake collector received.
///
/// # Panics
/// Panics if a request is no protobuf of OTLP.
pub fn spans_of(requests: &[RecordedRequest]) -> Vec<ReceivedSpan> {
    let batches = requests.iter().map(|request| {
        assert_eq!(request.headers.get("content-type").map(String::as_str), Some("application/x-protobuf"));
        let batch = ExportTraceServiceRequest::decode(request.bytes.as_slice()).expect("it is OTLP");
        serde_json::to_value(batch).expect("OTLP has a JSON form")
    });
    batches.flat_map(|batch| spans_of_batch(&batch)).collect()
}

/// Returns the spans of a file of OTLP JSON lines.
///
/// # Panics
/// Panics if a line is no JSON.
pub fn spans_of_lines(text: &str) -> Vec<ReceivedSpan> {
    text.lines()
        .flat_map(|line| spans_of_batch(&serde_json::from_str(line).expect("a line is JSON")))
        .collect()
}

/// Returns the spans of one export request in JSON form.
fn spans_of_batch(batch: &Value) -> Vec<ReceivedSpan> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for group in list(&batch["resourceSpans"]) {
        let resource = attributes(&group["resource"]["attributes"]);
        for span in list(&group["scopeSpans"]).iter().flat_map(|scope| list(&scope["spans"])) {
            let text = |key: &str| span[key].as_str().unwrap_or_default().to_owned();
            found.push(ReceivedSpan {
                name: text("name"),
                trace: text("traceId"),
                id: text("spanId"),
                parent: text("parentSpanId"),
                kind: span["kind"].as_i64().expect("a kind is a number"),
                attributes: attributes(&span["attributes"]),
                status: span["status"]["code"].as_i64().unwrap_or_default(),
                message: span["status"]["message"].as_str().unwrap_or_default().to_owned(),
                resource: resource.clone(),
                end: text("endTimeUnixNano").parse().expect("a time is text with a number"),
            });
        }
    }
    found
}

/// Converts a list of OTLP attributes to a map.
fn attributes(list: &Value) -> BTreeMap<String, Value> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .map(|pair| (pair["key"].as_str().unwrap_or_default().to_owned(), plain(&pair["value"])))
        .collect()
}

/// Converts an OTLP value, such as `{"intValue": "3"}`, to plain JSON (`3`).
fn plain(value: &Value) -> Value {
    let Some((kind, value)) = value.as_object().and_then(|kinds| kinds.iter().next()) else {
        return Value::Null;
    };
    match kind.as_str() {
        "intValue" => match value.as_str() {
            Some(text) => text.parse::<i64>().expect("it is a whole number").into(),
            None => value.clone(),
        },
        "arrayValue" => value["values"].as_array().into_iter().flatten().map(plain).collect(),
        _ => value.clone(),
    }
}
