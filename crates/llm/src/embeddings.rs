//! Texts as vectors, for search by meaning. One interface; `openai` implements it.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;

use super::error::ModelError;
use super::layer::Tape;
use super::model::ModelName;

/// The future that an [`Embeddings`] returns: one vector per text. Dropping it abandons the request.
pub type EmbedFuture<'a> = BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>>;

/// A model that embeds texts: the closer two meanings, the smaller the angle between their vectors.
pub trait Embeddings: Send + Sync {
    /// Returns the model's name, as the user wrote it.
    fn name(&self) -> &ModelName;

    /// Returns one vector per text, in order.
    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a>;
}

/// A shared, type-erased embedding model.
pub type SharedEmbeddings = Arc<dyn Embeddings>;

/// An embedding model whose results are recorded on a tape, or taken from it in a replay.
pub(super) struct TapedEmbeddings {
    pub(super) name: ModelName,
    /// Wrapped model; `None` in a replay, which needs neither endpoint nor key.
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
