//! Bounded queries (DOC-79 to 86). Each query states its maximum of entries: there is no default, and the upper bound is 100. Pure.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::ranking;
use super::record::EntryRecord;
use super::schema;
use super::store::Memory;
use super::types::EntryType;
use crate::engine::nearest;

/// Upper bound of the entries in a query's result (DOC-79).
pub const MAX_ENTRIES: usize = 100;
/// Bytes of JSON that count as a token (DOC-85).
const BYTES_PER_TOKEN: usize = 4;

/// A query in the form that a model writes. [`Query`] is the parsed form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryRequest {
    /// Type of the entries: architecture, component, file, `data_model`, flow, `cross_cutting` or note.
    pub query_type: String,
    /// Maximum number of entries, from 1 to 100. There is no default.
    #[schemars(range(min = 1, max = 100))]
    pub max_entries: i64,
    /// Fields with the values that they must have or hold.
    #[serde(default)]
    pub filter_by: Map<String, Value>,
    /// Fields to answer; all unless set.
    #[serde(default)]
    pub required_fields: Vec<String>,
    /// The least confidence, from 0.0 to 1.0.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: f64,
    /// Which entries come first.
    #[serde(default)]
    pub sort_by: SortBy,
    /// Subject in words, for `relevance`.
    #[serde(default)]
    pub about: Option<String>,
}

/// Order of the entries in a query's result (DOC-81). Among equals the more certain ones come first, then the
/// ids decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    /// Those that fit `about` best; without it the most certain ones.
    #[default]
    Relevance,
    /// Those that changed last.
    Recency,
    /// The most certain ones.
    Confidence,
}

impl JsonSchema for SortBy {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SortBy".into()
    }

    // Short, because it is part of every request; the names say it.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["relevance", "recency", "confidence"] })
    }
}

/// A validated query for entries of one type in the agent's memory. Made of a [`QueryRequest`], or by
/// [`Query::new`] and its setters.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub(super) kind: EntryType,
    pub(super) max_entries: usize,
    pub(super) filter_by: Map<String, Value>,
    pub(super) required_fields: Vec<String>,
    pub(super) min_confidence: f64,
    pub(super) sort_by: SortBy,
    pub(super) about: Option<String>,
    pub(super) reader: Option<String>,
}

/// Result of a query: at most `max_entries` entries in order, and the number of all matching ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryResult {
    /// Entries in the requested order, with the requested fields.
    pub entries: Vec<Value>,
    /// Number of all matching entries; larger than `entries` if the limit cut them.
    pub matching: usize,
    /// Estimated size of `entries`, in tokens.
    pub estimated_tokens: usize,
    /// Criterion of the order.
    pub ranked_by: RankedBy,
    /// Reason for an order by another criterion than requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Criterion by which the entries of a query's result are really ordered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RankedBy {
    /// Words shared by query and entry (BM25).
    Words,
    /// Meaning, by the vectors of the named model (DOC-99).
    Meaning(String),
    /// Time of the last change.
    Recency,
    /// Confidence.
    Confidence,
}

/// Size that a query's result would have, for the tool `estimate_token_usage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Number of returned entries.
    pub entries: usize,
    /// Number of all matching entries.
    pub matching: usize,
    /// Size of the result, in tokens.
    pub tokens: usize,
}

/// Error of an invalid query; its text tells the model how to correct it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QueryError {
    /// The entry type does not exist.
    #[error("unknown query_type `{name}`; known: {}", EntryType::names())]
    UnknownType {
        /// Value as given.
        name: String,
    },
    /// The limit is less than one.
    #[error("max_entries must be at least 1, but is {given}; say how many entries are needed")]
    TooFew {
        /// Value as given.
        given: i64,
    },
    /// The limit exceeds [`MAX_ENTRIES`].
    #[error(
        "max_entries must be at most {MAX_ENTRIES}, but is {given}; filter the entries, or ask for fewer fields"
    )]
    TooMany {
        /// Value as given.
        given: i64,
    },
    /// The entry type has no such field.
    #[error("{place} names `{name}`, which is no field of {kind}; {}", hint(nearest.as_deref(), known))]
    UnknownField {
        /// `filter_by` or `required_fields`.
        place: &'static str,
        /// Value as given.
        name: String,
        /// Type of the entries.
        kind: EntryType,
        /// Most similar field.
        nearest: Option<String>,
        /// All fields of the type.
        known: Vec<String>,
    },
    /// The confidence is not from 0 to 1.
    #[error("min_confidence must be from 0.0 to 1.0, but is {given}")]
    Confidence {
        /// Value as given.
        given: String,
    },
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("its fields are {}", known.join(", ")),
    }
}

impl Query {
    /// Returns a query for at most `max_entries` entries of a type.
    /// Fails for a limit that is not from 1 to [`MAX_ENTRIES`].
    pub fn new(kind: EntryType, max_entries: i64) -> Result<Self, QueryError> {
        let max_entries = match usize::try_from(max_entries) {
            Err(_) | Ok(0) => return Err(QueryError::TooFew { given: max_entries }),
            Ok(many) if many > MAX_ENTRIES => return Err(QueryError::TooMany { given: max_entries }),
            Ok(many) => many,
        };
        Ok(Self {
            kind,
            max_entries,
            filter_by: Map::new(),
            required_fields: Vec::new(),
            min_confidence: 0.0,
            sort_by: SortBy::default(),
            about: None,
            reader: None,
        })
    }

    /// Returns the type of the entries that are queried.
    pub fn entry_type(&self) -> EntryType {
        self.kind
    }

    /// Returns the values that entries must have, by field.
    pub fn filters(&self) -> &Map<String, Value> {
        &self.filter_by
    }

    /// Selects only entries whose `field` equals `value` or is a list that contains it. Fails for a field
    /// that the type does not have.
    pub fn filter(mut self, field: &str, value: impl Into<Value>) -> Result<Self, QueryError> {
        check_field(self.kind, "filter_by", field)?;
        self.filter_by.insert(field.to_owned(), value.into());
        Ok(self)
    }

    /// Limits the returned entries to these fields. Fails for a field that the type does not have.
    pub fn fields(mut self, fields: &[&str]) -> Result<Self, QueryError> {
        fields.iter().try_for_each(|field| check_field(self.kind, "required_fields", field))?;
        self.required_fields = fields.iter().map(|&field| field.to_owned()).collect();
        Ok(self)
    }

    /// Selects only entries with at least this confidence. Fails unless it is from 0 to 1.
    pub fn min_confidence(mut self, least: f64) -> Result<Self, QueryError> {
        if !(0.0..=1.0).contains(&least) {
            return Err(QueryError::Confidence { given: least.to_string() });
        }
        self.min_confidence = least;
        Ok(self)
    }

    /// Sets the order of the result.
    pub fn sort_by(mut self, order: SortBy) -> Self {
        self.sort_by = order;
        self
    }

    /// Sets the text that `relevance` ranks by; a blank text is ignored.
    pub fn about(mut self, text: impl Into<String>) -> Self {
        self.about = Some(text.into()).filter(|text: &String| !text.trim().is_empty());
        self
    }

    /// Hides the entries that explorations of other components than this one stored, so that the results of
    /// concurrent explorations do not depend on their speed (DOC-126). `None` hides nothing.
    pub fn visible_to(mut self, component: Option<&str>) -> Self {
        self.reader = component.map(str::to_owned);
        self
    }

    /// Returns true if the result may contain the record: see [`Self::visible_to`].
    fn is_visible(&self, record: &EntryRecord) -> bool {
        let by = record.stored_by().component.as_deref();
        self.reader.is_none() || by.is_none() || by == self.reader.as_deref()
    }

    /// Returns the text by which a query for relevance ranks; `None` for other orders or without a text.
    pub(super) fn ranking_text(&self) -> Option<&str> {
        self.about.as_deref().filter(|_| self.sort_by == SortBy::Relevance)
    }
}

impl TryFrom<QueryRequest> for Query {
    type Error = QueryError;

    fn try_from(request: QueryRequest) -> Result<Self, QueryError> {
        let kind = EntryType::from_name(&request.query_type)
            .ok_or_else(|| QueryError::UnknownType { name: schema::quote(&request.query_type) })?;
        let fields: Vec<&str> = request.required_fields.iter().map(String::as_str).collect();
        let query =
            Self::new(kind, request.max_entries)?.fields(&fields)?.min_confidence(request.min_confidence)?;
        let mut filters = request.filter_by.into_iter();
        let query = filters.try_fold(query, |query, (field, value)| query.filter(&field, value))?;
        Ok(query.sort_by(request.sort_by).about(request.about.unwrap_or_default()))
    }
}

fn check_field(kind: EntryType, place: &'static str, name: &str) -> Result<(), QueryError> {
    let mut known = schema::field_names(kind);
    known.extend(["created_at", "updated_at"].map(str::to_owned));
    if kind == EntryType::File {
        known.push("last_read_hash".to_owned());
    }
    if known.iter().any(|field| field == name) {
        return Ok(());
    }
    let nearest = nearest(name, known.iter().map(String::as_str));
    Err(QueryError::UnknownField { place, name: schema::quote(name), kind, nearest, known })
}

impl Memory {
    /// Runs a query (DOC-85): selects the matching entries, sorts them, keeps the first `max_entries`, and
    /// reduces them to the requested fields. Relevance is ranked by words.
    pub fn query(&self, query: &Query) -> QueryResult {
        let candidates = self.candidates(query);
        let scores = query.ranking_text().map(|wanted| ranking::score_by_words(wanted, &candidates));
        let ranked_by = ranking_of(query);
        build_result(query, candidates, scores.as_deref(), ranked_by)
    }

    /// Returns the size that the result of a query would have, without its entries (DOC-64).
    pub fn estimate(&self, query: &Query) -> Estimate {
        let found = self.query(query);
        Estimate { entries: found.entries.len(), matching: found.matching, tokens: found.estimated_tokens }
    }

    /// Returns all entries that match the query's type, filters, confidence and visibility, in the order of
    /// their ids.
    pub(super) fn candidates(&self, query: &Query) -> Vec<QueryCandidate> {
        self.with_records(query.kind, |records| filter_candidates(query, records))
    }
}

/// An entry that matches a query, before the result is sorted and cut.
pub(super) struct QueryCandidate {
    pub(super) id: String,
    pub(super) value: Value,
    confidence: f64,
    changed: super::Timestamp,
}

fn filter_candidates(query: &Query, records: &BTreeMap<String, EntryRecord>) -> Vec<QueryCandidate> {
    let seen = records.iter().filter(|(_, record)| query.is_visible(record));
    let certain = seen.filter(|(_, record)| record.entry.confidence() >= query.min_confidence);
    let all = certain.map(|(id, record)| QueryCandidate {
        id: id.clone(),
        value: record.to_value(),
        confidence: record.entry.confidence(),
        changed: record.updated_at(),
    });
    all.filter(|entry| {
        query.filter_by.iter().all(|(field, wanted)| matches_filter(&entry.value[field], wanted))
    })
    .collect()
}

/// Returns true if the field's value `found` equals `wanted` or is a list that contains it (DOC-84). Numbers
/// are compared as numbers: `1` equals `1.0`.
fn matches_filter(found: &Value, wanted: &Value) -> bool {
    let equal = |found: &Value| match (found.as_f64(), wanted.as_f64()) {
        (Some(found), Some(wanted)) => found.to_bits() == wanted.to_bits(),
        _ => found == wanted,
    };
    equal(found) || found.as_array().is_some_and(|list| list.iter().any(equal))
}

pub(super) fn ranking_of(query: &Query) -> RankedBy {
    match query.sort_by {
        SortBy::Relevance if query.about.is_some() => RankedBy::Words,
        SortBy::Relevance | SortBy::Confidence => RankedBy::Confidence,
        SortBy::Recency => RankedBy::Recency,
    }
}

/// Sorts the candidates, keeps the first `max_entries`, and reduces them to the requested fields. `scores`
/// are the relevances of the candidates, in their order; higher ones come first.
pub(super) fn build_result(
    query: &Query,
    candidates: Vec<QueryCandidate>,
    scores: Option<&[f64]>,
    ranked_by: RankedBy,
) -> QueryResult {
    let matching = candidates.len();
    let score = |at: usize| scores.map_or(0.0, |scores| scores[at]);
    let mut order: Vec<(usize, QueryCandidate)> = candidates.into_iter().enumerate().collect();
    order.sort_by(|(at, a), (bt, b)| {
        let recency = if query.sort_by == SortBy::Recency {
            b.changed.cmp(&a.changed)
        } else {
            std::cmp::Ordering::Equal
        };
        let relevance = score(*bt).total_cmp(&score(*at));
        recency.then(relevance).then(b.confidence.total_cmp(&a.confidence)).then_with(|| a.id.cmp(&b.id))
    });
    let kept = order.into_iter().take(query.max_entries);
    let entries: Vec<Value> =
        kept.map(|(_, entry)| project_fields(entry.value, &query.required_fields)).collect();
    let estimated_tokens = Value::from(entries.clone()).to_string().len() / BYTES_PER_TOKEN;
    QueryResult { entries, matching, estimated_tokens, ranked_by, notice: None }
}

/// Returns the object with only the named fields, in its own order; unchanged if `fields` is empty (DOC-82).
fn project_fields(value: Value, fields: &[String]) -> Value {
    match value {
        Value::Object(all) if !fields.is_empty() => {
            Value::Object(all.into_iter().filter(|(name, _)| fields.contains(name)).collect())
        }
        value => value,
    }
}
