//! Queries ranked by meaning (DOC-99): cosine similarity of embedding vectors. Without a model, or if it fails, words decide, and
//! the result says so. Vectors are cached by model and text while the memory is open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use super::query::{Query, QueryResult, RankedBy, build_result, ranking_of};
use super::ranking::{entry_text, score_by_words};
use super::store::Memory;
use crate::llm::{Embeddings, ModelError};
use crate::repo::{ContentHash, cut};

/// Maximum number of texts in a request; services accept 2,048, small servers fewer.
const MAX_BATCH: usize = 64;
/// Embedded characters of an entry: about 2,000 tokens, which models of this kind accept.
const EMBEDDED_CHARS: usize = 8_000;
/// Maximum number of cached vectors; the cache is cleared when it is full.
const MAX_VECTORS: usize = 4_096;

/// Cache of embedding vectors, by model name and hash of the text.
pub(super) type Vectors = BTreeMap<(String, ContentHash), Vec<f32>>;

impl Memory {
    /// Runs a query like [`query`](Self::query), but ranks relevance by embedding vectors of `model`. If the
    /// model fails, words decide and the result has a notice.
    pub async fn query_by_meaning(&self, query: &Query, model: &dyn Embeddings) -> QueryResult {
        let candidates = self.candidates(query);
        let Some(text) = query.ranking_text() else {
            return build_result(query, candidates, None, ranking_of(query));
        };
        let mut texts = vec![text.to_owned()];
        texts.extend(
            candidates.iter().map(|entry| cut(&entry_text(&entry.value), EMBEDDED_CHARS).kept.to_owned()),
        );
        match self.embed_texts(&texts, model).await {
            Ok(vectors) => {
                let scores: Vec<f64> =
                    vectors[1..].iter().map(|vector| cosine_similarity(&vectors[0], vector)).collect();
                build_result(query, candidates, Some(&scores), RankedBy::Meaning(model.name().to_string()))
            }
            Err(error) => {
                let scores = score_by_words(text, &candidates);
                let notice = Some(format!("ranked by words, not by meaning: {error}"));
                QueryResult { notice, ..build_result(query, candidates, Some(&scores), RankedBy::Words) }
            }
        }
    }

    /// Returns the embedding vector of each text, in the order of the texts. Requests only those that are not
    /// cached.
    async fn embed_texts(
        &self,
        texts: &[String],
        model: &dyn Embeddings,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let key = |text: &String| (model.name().to_string(), ContentHash::of(text.as_bytes()));
        let mut known = Vectors::new();
        let mut wanted = BTreeSet::new();
        {
            let kept = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
            for text in texts {
                match kept.get(&key(text)) {
                    Some(vector) => drop(known.insert(key(text), vector.clone())),
                    None => drop(wanted.insert(text.clone())),
                }
            }
        }
        let wanted: Vec<String> = wanted.into_iter().collect();
        for batch in wanted.chunks(MAX_BATCH) {
            let vectors = model.embed(batch).await?;
            known.extend(batch.iter().map(key).zip(vectors));
        }
        let mut kept = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() + wanted.len() > MAX_VECTORS {
            kept.clear();
        }
        kept.extend(known.iter().map(|(key, vector)| (key.clone(), vector.clone())));
        Ok(texts.iter().map(|text| known.get(&key(text)).cloned().unwrap_or_default()).collect())
    }
}

/// Returns the cosine of the angle between two vectors; 0 for vectors of different lengths or of length zero.
fn cosine_similarity(a: &[f32], b: &[f32]) -> f64 {
    let product =
        |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if a.len() != b.len() || lengths == 0.0 || !lengths.is_finite() { 0.0 } else { product(a, b) / lengths }
}
