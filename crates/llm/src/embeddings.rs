//! Texts as vectors, for search by meaning. One interface; `openai` implements it.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;

use super::error::ModelError;
use super::layer::Tape;
use super::model::ModelName;

/// Vectors under way; dropping it abandons the request.
pub type EmbedFuture<'a> = BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>>;

/// Something that turns texts into vectors: the nearer two meanings, the smaller the angle.
pub trait Embeddings: Send + Sync {
    /// Its name, as the user wrote it.
    fn name(&self) -> &ModelName;

    /// A vector for each text, in their order.
    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a>;
}

/// Embeddings whose kind no longer matters.
pub type SharedEmbeddings = Arc<dyn Embeddings>;

/// Embeddings that go through a tape.
pub(super) struct TapedEmbeddings {
    pub(super) name: ModelName,
    /// None where the tape is replayed: then neither endpoint nor key is needed.
    pub(super) inner: Option<SharedEmbeddings>,
    pub(super) tape: Tape,
}

impl Embeddings for TapedEmbeddings {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
        async move {
            let work = async { self.inner.as_ref().expect("a replay asks no endpoint").embed(texts).await };
            let input = json!({ "model": self.name, "texts": texts });
            self.tape.effect("embed", input, |kind| ModelError::new(&self.name, kind), work).await
        }
        .boxed()
    }
}
